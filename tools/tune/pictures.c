/* gst-stereomatching: pictures for viewers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "pictures.h"

#include "stage.h"

#include <gst/video/video.h>

/* Pixels.  Few, so that viewers share them. */
static const guint widths[] = { 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
  2048
};

#define UNUSED_TIME (5 * G_USEC_PER_SEC)

/* One for a slot and a width. */
typedef struct
{
  TunePictures *pictures;
  TuneSlot slot;
  guint width;
  TuneStage *stage;
  gchar *caps;                  /* what the stage was made for */
  gint64 used;
  gboolean asked;               /* again, during a job */
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
slot_of (TunePictures * pictures, TuneSlot slot)
{
  return &pictures->slots[slot.side][slot.view];
}

/* ---------------------------------------------------------------- encoders */

static void
free_encoder (gpointer data)
{
  Encoder *encoder = data;

  tune_stage_free (&encoder->stage);
  g_clear_pointer (&encoder->bytes, g_bytes_unref);
  g_free (encoder->caps);
  g_free (encoder);
}

static void
tell (Encoder * encoder)
{
  TunePictures *pictures = encoder->pictures;
  const Slot *slot = slot_of (pictures, encoder->slot);
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
bytes_of (GstSample * sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  const gsize size = gst_buffer_get_size (buffer);
  guint8 *bytes = g_malloc (size);

  gst_buffer_extract (buffer, 0, bytes, size);
  return g_bytes_new_take (bytes, size);
}

static void
done (TuneStage * stage, GstSample ** outputs, gpointer data)
{
  Encoder *encoder = data;

  (void) stage;
  if (outputs != NULL) {
    g_clear_pointer (&encoder->bytes, g_bytes_unref);
    encoder->bytes = bytes_of (outputs[0]);
    tell (encoder);
  }
  if (encoder->asked) {
    encoder->asked = FALSE;
    tune_pictures_ask (encoder->pictures, encoder->slot, encoder->width);
  }
}

/* Pixels of a picture: no more than there are, with their shape. */
static void
size_of (GstSample * sample, guint most, gint * width, gint * height)
{
  GstVideoInfo info;

  *width = *height = 1;
  if (!gst_video_info_from_caps (&info, gst_sample_get_caps (sample)))
    return;
  *width = (gint) MIN (most, (guint) info.width);
  *height = (gint) MAX (1, gst_util_uint64_scale_round ((guint64) info.height,
          (guint64) * width, (guint64) info.width));
}

static void
make_stage (Encoder * encoder, GstSample * sample, const gchar * caps)
{
  static const TuneStageCallbacks callbacks = {.done = done };
  static const gchar *const inputs[] = { "sink", NULL };
  static const gchar *const outputs[] = { "src", NULL };
  const gchar *codec = encoder->pictures->webp
      ? "webpenc speed=0 quality=80" : "jpegenc quality=85";
  gint width, height;
  gchar *text;

  size_of (sample, encoder->width, &width, &height);
  text = g_strdup_printf ("videoconvert ! videoscale ! video/x-raw,width=%d,"
      "height=%d,pixel-aspect-ratio=1/1 ! %s", width, height, codec);
  tune_stage_free (&encoder->stage);
  encoder->stage = tune_stage_new (gst_parse_bin_from_description (text, TRUE,
          NULL), inputs, outputs, NULL, &callbacks, encoder);
  g_free (text);
  g_free (encoder->caps);
  encoder->caps = g_strdup (caps);
}

static void
encode (Encoder * encoder, const Slot * slot)
{
  gchar *caps = gst_caps_to_string (gst_sample_get_caps (slot->sample));

  if (g_strcmp0 (caps, encoder->caps) != 0)
    make_stage (encoder, slot->sample, caps);
  g_free (caps);
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
tune_pictures_ask (TunePictures * pictures, TuneSlot where, guint width)
{
  const Slot *slot = slot_of (pictures, where);
  Encoder *encoder;

  if (slot->sample == NULL)
    return;
  encoder = find_encoder (pictures, where, width);
  encoder->used = g_get_monotonic_time ();
  if (encoder->stage != NULL && tune_stage_busy (encoder->stage))
    encoder->asked = encoder->asked || encoder->frame != slot->frame;
  else if (encoder->bytes != NULL && encoder->frame == slot->frame)
    tell (encoder);
  else
    encode (encoder, slot);
}

void
tune_pictures_clean (TunePictures * pictures)
{
  const gint64 now = g_get_monotonic_time ();

  for (guint i = pictures->encoders->len; i > 0; i--) {
    Encoder *encoder = g_ptr_array_index (pictures->encoders, i - 1);

    if (now - encoder->used > UNUSED_TIME)
      g_ptr_array_remove_index_fast (pictures->encoders, i - 1);
  }
}

guint
tune_pictures_width (guint wanted, guint smaller)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (widths) - 1 && widths[i] < wanted)
    i++;
  return widths[i > smaller ? i - smaller : 0];
}

/* ------------------------------------------------------------------- slots */

TunePictures *
tune_pictures_new (const TunePicturesCallbacks * callbacks, gpointer data)
{
  GstElementFactory *webp = gst_element_factory_find ("webpenc");
  TunePictures *pictures = g_new0 (TunePictures, 1);

  pictures->callbacks = *callbacks;
  pictures->data = data;
  pictures->webp = webp != NULL;
  pictures->encoders = g_ptr_array_new_with_free_func (free_encoder);
  gst_clear_object (&webp);
  return pictures;
}

void
tune_pictures_free (TunePictures ** pictures)
{
  TunePictures *self = *pictures;

  if (self == NULL)
    return;
  *pictures = NULL;
  g_ptr_array_unref (self->encoders);
  for (guint side = 0; side < TUNE_MAX_SIDES; side++)
    tune_pictures_forget (self, side);
  g_free (self);
}

void
tune_pictures_put (TunePictures * pictures, TuneSlot where,
    GstSample * sample, guint frame, guint frame_width, guint frame_height)
{
  Slot *slot = slot_of (pictures, where);

  gst_sample_ref (sample);
  g_clear_pointer (&slot->sample, gst_sample_unref);
  *slot = (Slot) {
    .sample = sample,
    .frame = frame,
    .width = frame_width,
    .height = frame_height,
  };
  pictures->callbacks.news (where, pictures->data);
}

void
tune_pictures_forget (TunePictures * pictures, guint side)
{
  for (guint i = 0; i < TUNE_N_VIEWS; i++) {
    g_clear_pointer (&pictures->slots[side][i].sample, gst_sample_unref);
    pictures->slots[side][i].frame = 0;
  }
}

guint
tune_pictures_frame (TunePictures * pictures, TuneSlot slot)
{
  return slot_of (pictures, slot)->frame;
}
