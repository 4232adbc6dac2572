/* gst-stereomatching: corrections of views, on their way upstream and back
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A matcher with alignment=correct sends a custom upstream event with this
 * structure from both sink pads:
 *
 *   stereo-correction
 *   field       type    meaning
 *   serial      uint    above 0
 *   view        string  "left" or "right": the view to be corrected
 *   correction  string  the size and ten parameters of both views, as
 *                       stereo_correction_format() writes them
 *
 * `stereorectify` applies the correction to the next buffer and marks buffers
 * with it in the GstStereoCameraMeta:
 *
 *   correction-serial  uint    } of the correction of this buffer; absent
 *   correction         string  } without one
 *
 * Matches are taken back through the correction of their buffers, so buffers
 * queued between the elements do not matter.
 */

#ifndef GST_STEREO_CORRECTION_H
#define GST_STEREO_CORRECTION_H

#include "stereo.h"

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_STEREO_CORRECTION_EVENT "stereo-correction"

typedef struct
{
  gboolean is_right;
  StereoCorrection correction;  /* with the serial */
} GstStereoCorrectionRequest;

GstEvent *gst_stereo_correction_event_new (const GstStereoCorrectionRequest *
    request);

/* Whether the event is of this kind. */
gboolean gst_stereo_correction_event_check (GstEvent * event);

/* FALSE if it is malformed; then why continues the sentence "The event ...". */
gboolean gst_stereo_correction_event_parse (GstEvent * event,
    GstStereoCorrectionRequest * request, StereoMessage * why);

/* Whether it changes nothing. */
gboolean gst_stereo_correction_is_identity (const StereoCorrection *
    correction);

/* Whether both do the same, whatever their serials. */
gboolean gst_stereo_correction_equal (const StereoCorrection * a,
    const StereoCorrection * b);

/* Adds the correction to a writable buffer, to its GstStereoCameraMeta if it
 * has one. */
void gst_stereo_correction_add_to_buffer (GstBuffer * buffer,
    const StereoCorrection * correction);

/* FALSE if the buffer has no correction.  A malformed one is zeroed, which is
 * the correction of no view. */
gboolean gst_stereo_correction_of_buffer (GstBuffer * buffer,
    StereoCorrection * correction);

G_END_DECLS

#endif /* GST_STEREO_CORRECTION_H */
