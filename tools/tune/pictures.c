/* gst-stereomatching: encoded pictures for viewers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pictures.h"

#include "stage.h"

#include <gst/video/video.h>

/* In pixels.  Few of them, so that viewers share encoders. */
static const guint widths[] = { 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
  2048
};

#define UNUSED_TIME (5 * G_USEC_PER_SEC)

/* Of a slot and a width. */
typedef struct
{
  TunePictures *pictures;
  TuneSlot slot;
  guint width;
  TuneStage *stage;
  GstCaps *caps;                /* the input of the stage */
  gint64 used;                  /* monotonic, in microseconds */
  gboolean requested;           /* again, during a job */
  guint frame;                  /* of the job, or of bytes */
  GBytes *bytes;                /* the last one, or NULL */
} Encoder;

typedef struct
{
  GstSample *sample;
  guint frame;
  guint width;                  /* of the left view */
  guint height;
} Slot;

struct TunePictures
{
  TunePicturesCallbacks callbacks;
  gpointer data;
  gboolean webp;
  Slot slots[TUNE_MAX_SIDES][TUNE_N_VIEWS];
  GPtrArray *encoders;
};

static Slot *
get_slot (TunePictures * pictures, TuneSlot slot)
{
  return &pictures->slots[slot.side][slot.view];
}

static void
free_encoder (gpointer data)
{
  Encoder *encoder = data;

  tune_stage_free (&encoder->stage);
  g_clear_pointer (&encoder->bytes, g_bytes_unref);
  gst_clear_caps (&encoder->caps);
  g_free (encoder);
}

static void
deliver (Encoder * encoder)
{
  TunePictures *pictures = encoder->pictures;
  const Slot *slot = get_slot (pictures, encoder->slot);
  const TunePicture picture = {
    .slot = encoder->slot,
    .frame = encoder->frame,
    .width = encoder->width,
    .webp = pictures->webp,
    .frame_width = slot->width,
    .frame_height = slot->height,
    .bytes = encoder->bytes,
  };

  pictures->callbacks.encoded (&picture, pictures->data);
}

static GBytes *
copy_bytes (GstSample * sample)
{
  gpointer bytes;
  gsize size;

  gst_buffer_extract_dup (gst_sample_get_buffer (sample), 0, G_MAXSIZE, &bytes,
      &size);
  return g_bytes_new_take (bytes, size);
}

static void
stage_done (TuneStage * stage, GstSample ** outputs, gpointer data)
{
  Encoder *encoder = data;

  (void) stage;
  if (outputs != NULL) {
    g_clear_pointer (&encoder->bytes, g_bytes_unref);
    encoder->bytes = copy_bytes (outputs[0]);
    deliver (encoder);
  }
  if (encoder->requested) {
    encoder->requested = FALSE;
    tune_pictures_request (encoder->pictures, encoder->slot, encoder->width);
  }
}

/* The size of a picture, at most that of the sample, with its aspect ratio. */
static void
fit_size (GstSample * sample, guint maximum, gint * width, gint * height)
{
  GstVideoInfo info;

  *width = *height = 1;
  if (!gst_video_info_from_caps (&info, gst_sample_get_caps (sample)))
    return;
  *width = (gint) MIN (maximum, (guint) info.width);
  *height = (gint) MAX (1, gst_util_uint64_scale_round ((guint64) info.height,
          (guint64) * width, (guint64) info.width));
}

static void
make_stage (Encoder * encoder, GstSample * sample)
{
  static const TuneStageCallbacks callbacks = {.done = stage_done };
  static const gchar *const inputs[] = { "sink", NULL };
  static const gchar *const outputs[] = { "src", NULL };
  const gchar *codec = encoder->pictures->webp
      ? "webpenc speed=0 quality=80" : "jpegenc quality=85";
  g_autofree gchar *text = NULL;
  gint width, height;

  fit_size (sample, encoder->width, &width, &height);
  text = g_strdup_printf ("videoconvert ! videoscale ! video/x-raw,width=%d,"
      "height=%d,pixel-aspect-ratio=1/1 ! %s", width, height, codec);
  tune_stage_free (&encoder->stage);
  encoder->stage = tune_stage_new (gst_parse_bin_from_description (text, TRUE,
          NULL), inputs, outputs, NULL, &callbacks, encoder);
  gst_caps_replace (&encoder->caps, gst_sample_get_caps (sample));
}

static void
encode (Encoder * encoder, const Slot * slot)
{
  if (encoder->stage == NULL || encoder->stage->error != NULL
      || !gst_caps_is_equal (encoder->caps, gst_sample_get_caps (slot->sample)))
    make_stage (encoder, slot->sample);
  encoder->frame = slot->frame;
  tune_stage_push (encoder->stage, &slot->sample);
}

static Encoder *
find_encoder (TunePictures * pictures, TuneSlot slot, guint width)
{
  Encoder *encoder;

  for (guint i = 0; i < pictures->encoders->len; i++) {
    encoder = g_ptr_array_index (pictures->encoders, i);
    if (encoder->slot.view == slot.view && encoder->slot.side == slot.side
        && encoder->width == width)
      return encoder;
  }
  encoder = g_new0 (Encoder, 1);
  encoder->pictures = pictures;
  encoder->slot = slot;
  encoder->width = width;
  g_ptr_array_add (pictures->encoders, encoder);
  return encoder;
}

void
tune_pictures_request (TunePictures * pictures, TuneSlot where, guint width)
{
  const Slot *slot = get_slot (pictures, where);
  Encoder *encoder;

  if (slot->sample == NULL)
    return;
  encoder = find_encoder (pictures, where, width);
  encoder->used = g_get_monotonic_time ();
  if (encoder->stage != NULL && encoder->stage->busy)
    encoder->requested = encoder->requested || encoder->frame != slot->frame;
  else if (encoder->bytes != NULL && encoder->frame == slot->frame)
    deliver (encoder);
  else
    encode (encoder, slot);
}

void
tune_pictures_remove_unused (TunePictures * pictures)
{
  const gint64 now = g_get_monotonic_time ();

  for (guint i = pictures->encoders->len; i > 0; i--) {
    Encoder *encoder = g_ptr_array_index (pictures->encoders, i - 1);

    if (now - encoder->used > UNUSED_TIME)
      g_ptr_array_remove_index_fast (pictures->encoders, i - 1);
  }
}

guint
tune_pictures_width (guint wanted, guint reduction)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (widths) - 1 && widths[i] < wanted)
    i++;
  return widths[i > reduction ? i - reduction : 0];
}

TunePictures *
tune_pictures_new (const TunePicturesCallbacks * callbacks, gpointer data)
{
  g_autoptr (GstElementFactory) webp = gst_element_factory_find ("webpenc");
  TunePictures *pictures = g_new0 (TunePictures, 1);

  pictures->callbacks = *callbacks;
  pictures->data = data;
  pictures->webp = webp != NULL;
  pictures->encoders = g_ptr_array_new_with_free_func (free_encoder);
  return pictures;
}

void
tune_pictures_free (TunePictures ** pictures)
{
  TunePictures *self = g_steal_pointer (pictures);

  if (self == NULL)
    return;
  g_ptr_array_unref (self->encoders);
  for (guint side = 0; side < TUNE_MAX_SIDES; side++)
    tune_pictures_drop_side (self, side);
  g_free (self);
}

void
tune_pictures_set (TunePictures * pictures, TuneSlot where,
    GstSample * sample, guint frame, guint frame_width, guint frame_height)
{
  Slot *slot = get_slot (pictures, where);

  gst_sample_ref (sample);
  g_clear_pointer (&slot->sample, gst_sample_unref);
  *slot = (Slot) {
    .sample = sample,
    .frame = frame,
    .width = frame_width,
    .height = frame_height,
  };
  pictures->callbacks.available (where, pictures->data);
}

void
tune_pictures_drop_side (TunePictures * pictures, guint side)
{
  for (guint i = 0; i < TUNE_N_VIEWS; i++) {
    g_clear_pointer (&pictures->slots[side][i].sample, gst_sample_unref);
    pictures->slots[side][i].frame = 0;
  }
}

guint
tune_pictures_frame (TunePictures * pictures, TuneSlot slot)
{
  return get_slot (pictures, slot)->frame;
}

GstSample *
tune_pictures_sample (TunePictures * pictures, TuneSlot slot)
{
  return get_slot (pictures, slot)->sample;
}
