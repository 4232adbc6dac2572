/* gst-stereomatching: alignment of the views of a matcher
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef GST_STEREO_ALIGNMENT_H
#define GST_STEREO_ALIGNMENT_H

#include "base/gststereoformat.h"
#include "base/gststereoframe.h"
#include "core/operation.h"
#include "core/runner.h"

G_BEGIN_DECLS

typedef enum
{
  GST_STEREO_ALIGNMENT_OFF,
  GST_STEREO_ALIGNMENT_MEASURE,
  GST_STEREO_ALIGNMENT_CORRECT
} GstStereoAlignmentMode;

/* A pair that is being measured on the GPU. */
typedef struct
{
  guint64 frame;                /* its number in the runner, or 0 */
  guint age;                    /* pairs since then */
  StereoCorrection applied;     /* all 0 = none */
  GstClockTime pts;
  gdouble seconds;              /* running time, or NAN */
  GstStereoFrame pinned[2];     /* images that the device reads */
} GstStereoMeasurement;

/* See gststereoalignment.c and gststereocorrector.c. */
typedef struct
{
  /* Under the object lock. */
  GstStereoAlignmentMode mode;
  guint interval;               /* pairs */
  gdouble focal_length;         /* pixels; 0 = from the camera */
  StereoAlignmentReport report; /* the last one */
  GstClockTime time;            /* timestamp of its pair */
  gboolean reset_pending;       /* the correction sent is to be reset */
  gboolean retry_pending;       /* perhaps there is a taker now */

  GMutex lock;                  /* of state */
  StereoAlignment *state;       /* NULL without memory */

  /* Of the task: measurements. */
  StereoRunner *runner;         /* NULL until the first one */
  gboolean failed;              /* the device cannot measure */
  StereoPortSetup inputs[2];    /* configuration of the runner */
  guint32 *matches;             /* output of the runner */
  guint until_due;              /* pairs */
  GstStereoMeasurement measurement;
  /* Of the last pair, which may be measured: */
  StereoCorrection applied;     /* all 0 = none */
  gboolean is_mixed;            /* the views have different corrections */
  GstClockTime pts;
  gdouble seconds;              /* running time, or NAN */
  GstClockTime last_running_time;
  gdouble camera_focal_length;  /* of its metadata, or 0 */
  gdouble used_focal_length;    /* that the state has */
  gdouble refused_focal_length; /* of the last warning, or 0 */

  /* Of the task: messages. */
  gboolean posted;              /* since the start */
  StereoAlignmentStatus last_status;
  GstClockTime last_message;    /* timestamp */
  guint n_misaligned;           /* measurements in a row */
  gboolean warned;              /* until the status is ok */

  /* Of the task: corrections. */
  StereoCorrection sent;        /* the last one; all 0 = none */
  guint last_serial[GST_STEREO_N_VIEWS];        /* of the last pair */
  guint n_waiting[GST_STEREO_N_VIEWS];  /* pairs without a newer correction */
  guint n_refused;              /* times in a row that it was sent in vain */
  gboolean lost;                /* stereorectify has forgotten it */
  gboolean sent_again;
  gboolean untaken;             /* no element takes corrections */
  gboolean warned_of_taker;
} GstStereoAlignment;

G_END_DECLS

#endif /* GST_STEREO_ALIGNMENT_H */
