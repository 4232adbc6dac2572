/* gst-stereomatching: base class of elements that take maps and their images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * An element with the pads sink_left, sink_right and sink_disparity, as far as
 * its class has templates for them; what is no request pad is always there.
 * The base class puts images and maps together, see gststereotriple.h, and
 * hands them to make().  A map or an image without the others is dropped, with
 * a message when it is a map.
 *
 * A subclass opens a device of its own, which closes with the base class:
 *
 *   gst_stereo_device_init (&base->device, &base->failure, &user, ...);
 */

#ifndef GST_STEREO_MAP_BASE_H
#define GST_STEREO_MAP_BASE_H

#include "base/gststereodevice.h"
#include "base/gststereofailure.h"
#include "base/gststereoframe.h"
#include "base/gststereotags.h"
#include "pair/gststereoinput.h"
#include "pair/gststereoquery.h"

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

enum
{
  LEFT,
  RIGHT,
  MAP,
  N_INPUTS
};

/* "sink_left", ... */
extern const gchar *const gst_stereo_input_names[N_INPUTS];

typedef struct
{
  GstAggregator parent;

  GstStereoFailure failure;
  GstStereoQueries queries;

  /* Under the object lock. */
  GstAggregatorPad *sink[N_INPUTS];     /* NULL while there is no such pad */
  GstVideoInfo info[N_INPUTS];
  gboolean has_info[N_INPUTS];
  GstClockTime sync_tolerance;
  guint64 dropped[N_INPUTS];    /* images without a map, maps without an image,
                                 * since the element started */
  GstStereoDevice device;

  /* The streaming thread's own. */
  GstStereoTags tags;           /* of the maps */
  gboolean discont;
  gboolean lost;                /* what can't be read was, with its device */
} GstStereoMapBase;

typedef struct
{
  GstAggregatorClass parent_class;

  /* The input whose segment and times the output has. */
  gint leader;

  /* All that belongs together is at the heads of the queues; of a pad that
   * does not exist there is nothing.  time is the leader's stream time, or
   * GST_CLOCK_TIME_NONE; controlled properties have their values of then.
   * Calls take() unless it returns to try again. */
  GstFlowReturn (*make) (GstStereoMapBase * self, GstStereoInput * heads,
      GstClockTime time);

  /* Waits for all that make() has started; may be NULL.  FALSE when some of it
   * is lost, with an error posted. */
    gboolean (*drain) (GstStereoMapBase * self);
} GstStereoMapBaseClass;

#define GST_TYPE_STEREO_MAP_BASE (gst_stereo_map_base_get_type ())
#define GST_STEREO_MAP_BASE(o) \
  (G_TYPE_CHECK_INSTANCE_CAST ((o), GST_TYPE_STEREO_MAP_BASE, \
      GstStereoMapBase))
#define GST_STEREO_MAP_BASE_CLASS(c) \
  (G_TYPE_CHECK_CLASS_CAST ((c), GST_TYPE_STEREO_MAP_BASE, \
      GstStereoMapBaseClass))

GType gst_stereo_map_base_get_type (void);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstStereoMapBase, gst_object_unref)

/* What the inputs have; that of a pad without caps is not filled in. */
void gst_stereo_map_base_get_info (GstStereoMapBase * self,
    GstVideoInfo info[N_INPUTS]);

/* Maps the buffers there are to zeroed frames; unmap() is to be called in any
 * case.  FALSE with an error posted, or with `lost` set. */
gboolean gst_stereo_map_base_map (GstStereoMapBase * self,
    const GstStereoInput * heads, const GstVideoInfo info[N_INPUTS],
    GstStereoFrame frames[N_INPUTS]);

/* For when the element may have gone back to the CPU since. */
gboolean gst_stereo_map_base_remap (GstStereoMapBase * self,
    const GstStereoInput * heads, const GstVideoInfo info[N_INPUTS],
    GstStereoFrame frames[N_INPUTS]);

void gst_stereo_map_base_unmap (GstStereoFrame frames[N_INPUTS]);

/* Takes the heads out of the queues. */
void gst_stereo_map_base_take (GstStereoMapBase * self,
    GstStereoInput * heads);

/* Gives an output the leader's times and flags, and notes how far it is. */
void gst_stereo_map_base_stamp (GstStereoMapBase * self, GstBuffer * out,
    GstBuffer * leader);

G_END_DECLS

#endif /* GST_STEREO_MAP_BASE_H */
