/* gst-stereomatching: base class of the elements with one input
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * GstStereoFilter is the base class of elements with one input that apply an
 * operation to each buffer: video of the same size in another format.  A
 * subclass adds the pad templates `sink` and `src`, the operation and its
 * parameters.
 */

#ifndef GST_STEREO_FILTER_H
#define GST_STEREO_FILTER_H

#include "base/gststereobufferwait.h"
#include "base/gststereorun.h"
#include "base/gststereotags.h"
#include "core/params.h"

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_STEREO_FILTER (gst_stereo_filter_get_type ())
#define GST_STEREO_FILTER(obj) (G_TYPE_CHECK_INSTANCE_CAST ((obj), \
    GST_TYPE_STEREO_FILTER, GstStereoFilter))
#define GST_STEREO_FILTER_CLASS(klass) (G_TYPE_CHECK_CLASS_CAST ((klass), \
    GST_TYPE_STEREO_FILTER, GstStereoFilterClass))
#define GST_STEREO_FILTER_GET_CLASS(obj) (G_TYPE_INSTANCE_GET_CLASS ((obj), \
    GST_TYPE_STEREO_FILTER, GstStereoFilterClass))

/* The streaming thread owns all fields except buffer_wait.  The object lock
 * protects the settings of the device and `set`. */
typedef struct
{
  GstBaseTransform parent;

  GstStereoFailure failure;
  GstStereoDevice device;
  GstStereoRun run;
  GstVideoInfo in_info;         /* of the caps */
  GstVideoInfo out_info;
  GstStereoBufferWait buffer_wait;
  GstStereoTags tags;           /* of the input */
  GstStereoSentTags last_sent;  /* tags of the output */
  guint64 set;                  /* rows of the table that were set */
  gboolean may_pass;            /* buffers, now or later, without change */
} GstStereoFilter;

typedef struct
{
  GstBaseTransformClass parent_class;

  /* Constant. */
  const StereoOp *op;
  GstStereoBackend backend;     /* by default */
  const gchar *purpose;         /* "compute the depth": for errors */

  /* Prepares for the new in_info and out_info; may be NULL.  FALSE with an
   * error posted. */
  gboolean (*set_info) (GstStereoFilter * self);

  /* Before each frame: configures the runner for it, with
   * gst_stereo_run_configure(), unless run.configured[0] and the parameters are
   * those of the last frame.  FALSE with an error posted. */
  gboolean (*prepare) (GstStereoFilter * self, const GstStereoFrame * in,
      const GstStereoFrame * out);

  /* Draws on the mapped output; may be NULL. */
  void (*draw) (GstStereoFilter * self, GstStereoFrame * out);

  /* Adds metas to the output; may be NULL. */
  void (*add_metas) (GstStereoFilter * self, GstBuffer * buffer);

  /* see gst_stereo_filter_install_properties () */
  const StereoParamSpec *table;
  gsize settings;
} GstStereoFilterClass;

GType gst_stereo_filter_get_type (void);

/* Takes ownership of the tags and sends them downstream before the current
 * buffer. */
void gst_stereo_filter_send_tags (GstStereoFilter * self, GstTagList * tags);

/* For class_init(), after `backend` is set: installs the properties of the
 * device and those of a table, whose structure is at this offset of an
 * instance.  owner: see gst_stereo_table_install_properties (). */
void gst_stereo_filter_install_properties (GstStereoFilterClass * klass,
    const StereoParamSpec * table, const gchar * owner, gsize settings);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstStereoFilter, gst_object_unref)

G_END_DECLS

#endif /* GST_STEREO_FILTER_H */
