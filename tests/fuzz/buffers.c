/* gst-stereomatching: fuzzing of buffers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Pushes frames to every sink pad of an element: of several memories, of any
 * size, with a valid, slightly wrong or arbitrary video meta, and with crop
 * metas.  Every memory has its exact size, so that a sanitizer detects reads
 * beyond it.
 */

#include "host.h"

#define MAX_FRAMES 3

/* A number near the correct one, or an arbitrary one. */
static gint64
mutate (FuzzInput * input, gint64 right)
{
  switch (fuzz_byte (input) % 12) {
    case 0:
      return right + 1;
    case 1:
      return right - 1;
    case 2:
      return -right;
    case 3:
      return 0;
    case 4:
      return right + (gint64) fuzz_byte (input);
    case 5:
      return (gint32) fuzz_word (input);
    case 6:
      return (gint64) ((guint64) fuzz_word (input) << 32 | fuzz_word (input));
    case 7:
      return right * 2;
    default:
      return right;
  }
}

static GstMemory *
make_memory (gsize size, gsize skipped, unsigned fill)
{
  gsize whole = MAX (size + skipped, 1);
  guint8 *data = g_malloc (whole);

  memset (data, (int) fill, whole);
  return gst_memory_new_wrapped ((GstMemoryFlags) 0, data, whole, skipped, size,
      data, g_free);
}

/* In one to four memories, all or a part of which may be empty. */
static GstBuffer *
make_memories (FuzzInput * input, gsize size)
{
  unsigned kind = fuzz_byte (input), n = 1 + kind % 4;
  GstBuffer *buffer = gst_buffer_new ();

  if (kind & 16) {
    gint64 other = mutate (input, (gint64) size);

    size = (gsize) CLAMP (other, 0, 1 << 16);
  }
  while (n-- > 0) {
    gsize part = n == 0 ? size : size * fuzz_byte (input) / 255;

    gst_buffer_append_memory (buffer, make_memory (part, kind / 64,
            fuzz_byte (input)));
    size -= part;
  }
  return buffer;
}

static void
add_video_meta (FuzzInput * input, GstBuffer * buffer,
    const GstVideoInfo * info)
{
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 0 };
  guint n_planes = GST_VIDEO_INFO_N_PLANES (info);
  GstVideoFormat format = GST_VIDEO_INFO_FORMAT (info);
  gint64 width, height;
  unsigned what = fuzz_byte (input);

  for (guint i = 0; i < n_planes; i++) {
    offset[i] = (gsize) mutate (input, (gint64) info->offset[i]);
    stride[i] = (gint) mutate (input, info->stride[i]);
  }
  width = what & 1 ? mutate (input, info->width) : info->width;
  height = what & 2 ? mutate (input, info->height) : info->height;
  if ((what & 28) == 28)
    format = (GstVideoFormat) (2 + fuzz_byte (input) % 60);
  if ((what & 96) == 96)
    n_planes = 1 + fuzz_byte (input) % GST_VIDEO_MAX_PLANES;
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, format,
      (guint) width, (guint) height, n_planes, offset, stride);
}

static GstBuffer *
make_buffer (FuzzInput * input, const GstVideoInfo * info, GstClockTime time)
{
  unsigned what = fuzz_byte (input);
  GstBuffer *buffer = make_memories (input, info->size
      + (what & 128 ? fuzz_byte (input) * 64u : 0));

  if (what & 1)
    add_video_meta (input, buffer, info);
  if (what & 2) {
    GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

    crop->x = (guint) mutate (input, 0);
    crop->y = (guint) mutate (input, 0);
    crop->width = (guint) mutate (input, info->width);
    crop->height = (guint) mutate (input, info->height);
  }
  if (what & 4)
    gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_FORMAT_GRAY8, 1 + fuzz_byte (input), 1 + fuzz_byte (input));
  GST_BUFFER_PTS (buffer) = time;
  if (what & 8)
    GST_BUFFER_DURATION (buffer) = (GstClockTime) mutate (input,
    GST_SECOND / 30);
  if (what & 16)
    GST_BUFFER_FLAG_SET (buffer, (guint) fuzz_byte (input) << 16);
  return buffer;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  FuzzInput input = { data, size };
  FuzzHost *host;
  GstVideoInfo info[FUZZ_MAX_PADS];
  GstCaps *first = NULL;
  unsigned n_frames, same;

  if (size < 4)
    return 0;
  host = fuzz_host_new (&input);
  gst_element_set_state (host->pipeline, GST_STATE_PLAYING);
  same = fuzz_byte (&input);
  for (guint i = 0; i < FUZZ_MAX_PADS; i++) {
    FuzzPad *pad = &host->sources[i];
    GstCaps *caps;

    if (pad->pad == NULL)
      continue;
    caps = same % 8 && first != NULL ? gst_caps_ref (first)
        : fuzz_pad_caps (pad, &input);
    if (!gst_video_info_from_caps (&info[i], caps))
      gst_video_info_set_format (&info[i], GST_VIDEO_FORMAT_GRAY8, 8, 8);
    fuzz_pad_start (pad, caps);
    gst_caps_replace (&first, caps);
    gst_caps_unref (caps);
  }

  n_frames = 1 + fuzz_byte (&input) % MAX_FRAMES;
  for (unsigned frame = 0; frame < n_frames; frame++) {
    for (guint i = 0; i < FUZZ_MAX_PADS; i++) {
      if (host->sources[i].pad != NULL)
        fuzz_pad_give (&host->sources[i], make_buffer (&input, &info[i],
                frame * GST_SECOND / 30));
    }
  }
  for (guint i = 0; i < FUZZ_MAX_PADS; i++) {
    if (host->sources[i].pad != NULL)
      fuzz_pad_give (&host->sources[i], gst_event_new_eos ());
  }
  gst_clear_caps (&first);
  fuzz_host_free (host);
  return 0;
}
