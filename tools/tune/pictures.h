/* gst-stereomatching: pictures for viewers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * pictures.h: the newest picture of each view, encoded when somebody wants it,
 * once for all who want it at the same width.
 */

#ifndef TUNE_PICTURES_H
#define TUNE_PICTURES_H

#include "deck.h"

/* What is shown where. */
typedef struct
{
  TuneView view;
  guint side;
} TuneSlot;

#define TUNE_N_SLOTS (TUNE_N_VIEWS * TUNE_MAX_SIDES)

typedef struct TunePictures TunePictures;

/* Ready to be sent. */
typedef struct
{
  TuneSlot slot;
  guint frame;
  guint width;                  /* as it was asked for */
  gboolean webp;                /* else JPEG */
  guint frame_width;            /* pixels of the left view */
  guint frame_height;
  GBytes *bytes;
} TunePicture;

typedef struct
{
  /* There is a new picture in a slot: whoever wants it asks for it. */
  void (*news) (TuneSlot slot, gpointer data);
  void (*encoded) (const TunePicture * picture, gpointer data);
} TunePicturesCallbacks;

TunePictures *tune_pictures_new (const TunePicturesCallbacks * callbacks,
    gpointer data);
void tune_pictures_free (TunePictures ** pictures);

/* A new one; the sample is borrowed. */
void tune_pictures_put (TunePictures * pictures, TuneSlot slot,
    GstSample * sample, guint frame, guint frame_width, guint frame_height);
/* None of a side any more. */
void tune_pictures_forget (TunePictures * pictures, guint side);

/* The number of the frame that is there, 0 when there is none. */
guint tune_pictures_frame (TunePictures * pictures, TuneSlot slot);

/* Asks for what is there at a width, which is one of those that
 * tune_pictures_width() gives; encoded() is called, at once if it can be.  A
 * newer one may come instead. */
void tune_pictures_ask (TunePictures * pictures, TuneSlot slot, guint width);

/* The smallest of the widths that there are which is not below wanted, smaller
 * by so many steps. */
guint tune_pictures_width (guint wanted, guint smaller);

/* Forgets what encodes for widths that nobody has asked for for a while. */
void tune_pictures_clean (TunePictures * pictures);

#endif /* TUNE_PICTURES_H */
