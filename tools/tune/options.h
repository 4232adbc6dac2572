/* gst-stereomatching: the options of stereo-tune
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef TUNE_OPTIONS_H
#define TUNE_OPTIONS_H

#include <glib.h>

#define TUNE_PROGRAM "stereo-tune"
#define TUNE_DEFAULT_PORT 8910

typedef enum
{
  TUNE_FROM_FILES,              /* left and right */
  TUNE_FROM_SIDE_BY_SIDE,       /* left is the file of both */
  TUNE_FROM_PIPELINE,
  TUNE_FROM_DEMO
} TuneInput;

/* Strings are borrowed from argv, but for token. */
typedef struct
{
  TuneInput input;
  const gchar *left;
  const gchar *right;
  const gchar *pipeline;
  const gchar *calibration;     /* or NULL */
  const gchar *truth;           /* or NULL */
  gdouble truth_scale;          /* 0: as the format has it */
  gdouble focal_length;         /* pixels; 0: not known */
  gdouble baseline;             /* metres; 0: not known */
  const gchar *matcher;         /* the name of an element */
  const gchar *settings;        /* or NULL */
  const gchar *address;         /* NULL: this machine only */
  guint port;                   /* 0: any that is free */
  gchar *token;                 /* NULL: none is needed */
  guint max_viewers;
} TuneOptions;

/* Ends the program when they are wrong, or are --help or --version. */
void tune_options_parse (TuneOptions * options, int argc, char **argv);

void tune_options_clear (TuneOptions * options);

#endif /* TUNE_OPTIONS_H */
