/* gst-stereomatching: options of stereo-tune
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef TUNE_OPTIONS_H
#define TUNE_OPTIONS_H

#include "cli-options.h"

#include <glib.h>

#define TUNE_PROGRAM "stereo-tune"

typedef enum
{
  TUNE_FROM_FILES,              /* left and right */
  TUNE_FROM_SIDE_BY_SIDE,       /* left has both views */
  TUNE_FROM_PIPELINE,
  TUNE_FROM_DEMO
} TuneInput;

/* Strings are borrowed from argv unless noted. */
typedef struct
{
  CliTexts files;
  TuneInput input;
  const char *left;
  const char *right;
  const char *side_by_side;
  const char *pipeline;
  bool demo;
  const char *calibration;      /* or NULL */
  const char *truth;            /* or NULL */
  double truth_scale;           /* 0: as for image_read_map() */
  double focal_length;          /* pixels; 0 = unknown */
  double baseline;              /* metres; 0 = unknown */
  const char *matcher;          /* the name of an element */
  const char *weights;          /* of cost=learned, or NULL */
  const char *settings;         /* or NULL */
  const char *address;          /* NULL: this machine only */
  int port;                     /* 0: any free one */
  const char *token;            /* NULL: no token is required */
  char *own_token;              /* owned; token, if it was generated */
  int max_viewers;
} TuneOptions;

/* Ends the program after errors, --help and --version. */
void tune_options_parse (TuneOptions * options, int argc, char **argv);

void tune_options_clear (TuneOptions * options);

#endif /* TUNE_OPTIONS_H */
