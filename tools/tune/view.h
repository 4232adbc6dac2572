/* gst-stereomatching: what there is to be seen
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef TUNE_VIEW_H
#define TUNE_VIEW_H

typedef enum
{
  TUNE_VIEW_LEFT,
  TUNE_VIEW_DISPARITY,
  TUNE_VIEW_CONFIDENCE,
  TUNE_VIEW_DEPTH,
  TUNE_VIEW_VIEW,
  TUNE_VIEW_WRONG,
  TUNE_N_VIEWS
} TuneView;

/* One bit for each. */
typedef unsigned TuneViews;

typedef struct
{
  const char *id;               /* in messages */
  const char *title;            /* for people */
} TuneViewName;

extern const TuneViewName tune_views[TUNE_N_VIEWS];

#endif /* TUNE_VIEW_H */
