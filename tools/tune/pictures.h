/* gst-stereomatching: encoded pictures for viewers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * pictures.h: the newest picture of each view, encoded on request, once for all
 * viewers that want the same width.
 */

#ifndef TUNE_PICTURES_H
#define TUNE_PICTURES_H

#include "side_by_side.h"

typedef struct
{
  TuneView view;
  guint side;
} TuneSlot;

#define TUNE_N_SLOTS (TUNE_N_VIEWS * TUNE_MAX_SIDES)

typedef struct TunePictures TunePictures;

typedef struct
{
  TuneSlot slot;
  guint frame;
  guint width;                  /* as requested */
  gboolean webp;                /* else JPEG */
  guint frame_width;            /* of the left view, in pixels */
  guint frame_height;
  GBytes *bytes;
} TunePicture;

typedef struct
{
  /* A slot has a new picture, which may be requested. */
  void (*available) (TuneSlot slot, gpointer data);
  void (*encoded) (const TunePicture * picture, gpointer data);
} TunePicturesCallbacks;

TunePictures *tune_pictures_new (const TunePicturesCallbacks * callbacks,
    gpointer data);
void tune_pictures_free (TunePictures ** pictures);

/* Sets the picture of a slot; borrows the sample. */
void tune_pictures_set (TunePictures * pictures, TuneSlot slot,
    GstSample * sample, guint frame, guint frame_width, guint frame_height);
void tune_pictures_drop_side (TunePictures * pictures, guint side);

/* The number of the frame in a slot; 0 if it is empty. */
guint tune_pictures_frame (TunePictures * pictures, TuneSlot slot);

/* The picture in a slot, borrowed; NULL if it is empty. */
GstSample *tune_pictures_sample (TunePictures * pictures, TuneSlot slot);

/* Encodes the picture in a slot at a width of tune_pictures_width(); encoded()
 * may be called immediately, or with a newer picture. */
void tune_pictures_request (TunePictures * pictures, TuneSlot slot,
    guint width);

/* The smallest supported width that is not below wanted, reduced by a number of
 * steps. */
guint tune_pictures_width (guint wanted, guint reduction);

/* Removes encoders that have not been used for a while. */
void tune_pictures_remove_unused (TunePictures * pictures);

#endif /* TUNE_PICTURES_H */
