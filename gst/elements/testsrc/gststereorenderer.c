/* gst-stereomatching: frames of stereotestsrc
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements/testsrc/gststereorenderer.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------- matrix */

/* RGB to YUV by the colorimetry; grey uses BT.601. */
static void
set_matrix (GstStereoRenderer * self, const GstVideoInfo * info)
{
  gdouble kr = 0.299, kb = 0.114, row[3][3];
  gint offset[GST_VIDEO_MAX_COMPONENTS] = { 0, 128, 128 };
  gint scale[GST_VIDEO_MAX_COMPONENTS] = { 255, 255, 255 };

  if (GST_VIDEO_INFO_IS_YUV (info)) {
    if (!gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix, &kr,
            &kb)) {
      kr = 0.299;
      kb = 0.114;
    }
    gst_video_color_range_offsets (info->colorimetry.range, info->finfo,
        offset, scale);
  }
  row[0][0] = kr;
  row[0][1] = 1 - kr - kb;
  row[0][2] = kb;
  for (guint i = 0; i < 3; i++) {
    row[1][i] = ((i == 2) - row[0][i]) / (2 * (1 - kb));
    row[2][i] = ((i == 0) - row[0][i]) / (2 * (1 - kr));
  }
  for (guint c = 0; c < 3; c++) {
    self->offset[c] = offset[c];
    for (guint i = 0; i < 3; i++)
      self->matrix[c][i] = (gint32) floor (row[c][i] * scale[c] / 255 * 65536
          + 0.5);
  }
}

/* ------------------------------------------------------------------ cameras */

static guint64
hash_noise (guint64 x)
{
  x ^= x >> 31;
  x *= G_GUINT64_CONSTANT (0x7fb5d329728ea185);
  x ^= x >> 27;
  x *= G_GUINT64_CONSTANT (0x81dadef4bc2dd44d);
  return x ^ (x >> 33);
}

/* The seed of a camera's noise, which differs between positions. */
static guint64
camera_seed (const GstStereoTestSettings * settings, gdouble position)
{
  guint64 key = (guint64) settings->seed * 2;

  if (position == 0 || position == 1)
    return key + (position == 1);
  return key ^ (guint64) (gint64) floor (position * 65536 + 0.5) << 40;
}

/* Adds the noise and exposure of a camera, the same to R, G and B. */
static void
add_noise (guint16 * rgb, gint width, gint y, gdouble position, guint64 frame,
    const GstStereoTestSettings * settings)
{
  gdouble offset = 256 * settings->exposure_offset * CLAMP (position, 0, 1);
  /* standard deviation of the sum of four uniform 16-bit numbers */
  gdouble factor = 256 * settings->noise / (65536 * 0.57735026918962576);
  guint64 key = hash_noise (hash_noise (camera_seed (settings,
      position)) + frame) + ((guint64) y << 32);

  for (gint x = 0; x < width; x++, rgb += 3) {
    guint64 r = hash_noise (key + (guint64) x);
    gint sum = (gint) (r & 65535) + (gint) (r >> 16 & 65535)
        + (gint) (r >> 32 & 65535) + (gint) (r >> 48);
    gint add = (gint) floor (factor * (sum - 131070) + offset + 0.5);

    for (guint c = 0; c < 3; c++)
      rgb[c] = (guint16) CLAMP (rgb[c] + add, 0, 65280);
  }
}

static void
render_view_row (GstStereoRenderer * self,
    const GstStereoTestSettings * settings,
    gdouble position, gint y, guint64 frame, guint16 * rgb)
{
  if (self->is_disturbed && position == 1
      && settings->view != GST_STEREO_TEST_SRC_VIRTUAL)
    gst_stereo_warp_row (&self->warp, &self->undisturbed, y, self->scene_width,
        rgb);
  else
    gst_stereo_scene_render_row (self->scene, position, y, 0,
        self->scene_width, rgb);
  if (settings->noise > 0
      || (position > 0 && settings->exposure_offset != 0))
    add_noise (rgb, self->scene_width, y, position, frame, settings);
}

/* The position of the camera whose image is on the left or right. */
static gdouble
position_of (const GstStereoTestSettings * settings, gboolean right)
{
  return right != settings->swap ? 1 : 0;
}

/* Row y of a frame, which may contain both views. */
static void
render_row (GstStereoRenderer * self, const GstStereoTestSettings * settings,
    gint y, guint64 frame, guint16 * rgb)
{
  gdouble position = settings->view == GST_STEREO_TEST_SRC_VIRTUAL
      ? settings->position : position_of (settings,
      settings->view == GST_STEREO_TEST_SRC_RIGHT);

  if (settings->view == GST_STEREO_TEST_SRC_TOP_BOTTOM
      && y >= self->scene_height) {
    position = position_of (settings, TRUE);
    y -= self->scene_height;
  }
  render_view_row (self, settings, position, y, frame, rgb);
  if (settings->view == GST_STEREO_TEST_SRC_SIDE_BY_SIDE)
    render_view_row (self, settings, position_of (settings, TRUE), y, frame,
        rgb + 3 * self->scene_width);
}

/* --------------------------------------------------------------- formats */

/* Luma in units of 1/65536. */
static inline guint32
get_luma (GstStereoRenderer * self, const guint16 * rgb)
{
  const gint32 *m = self->matrix[0];

  return ((guint32) m[0] * rgb[0] + (guint32) m[1] * rgb[1]
      + (guint32) m[2] * rgb[2]) >> 8;
}

static void
write_gray16 (GstStereoRenderer * self, GstVideoFrame * frame, gint y,
    const guint16 * rgb)
{
  guint8 *to = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0)
      + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);

  for (gint x = 0; x < GST_VIDEO_FRAME_WIDTH (frame); x++) {
    guint32 grey = (guint32) ((get_luma (self, rgb + 3 * x) * (guint64) 257
            + 32768) >> 16);

    GST_WRITE_UINT16_LE (to + 2 * x, MIN (grey, 65535));
  }
}

static void
write_luma (GstStereoRenderer * self, GstVideoFrame * frame, gint y,
    const guint16 * rgb)
{
  guint8 *to = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (frame, 0)
      + (gsize) y * GST_VIDEO_FRAME_COMP_STRIDE (frame, 0);

  for (gint x = 0; x < GST_VIDEO_FRAME_WIDTH (frame); x++)
    to[x] = (guint8) (((get_luma (self, rgb + 3 * x) + 32768) >> 16)
        + self->offset[0]);
}

/* A row of U and V from the two rows that share it. */
static void
write_chroma (GstStereoRenderer * self, GstVideoFrame * frame, gint row,
    const guint16 * upper, const guint16 * lower)
{
  gint width = GST_VIDEO_FRAME_WIDTH (frame);
  gint step = 1 << GST_VIDEO_FORMAT_INFO_W_SUB (frame->info.finfo, 1);

  for (guint c = 1; c < 3; c++) {
    guint8 *to = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (frame, c)
        + (gsize) row * GST_VIDEO_FRAME_COMP_STRIDE (frame, c);
    gint pixel = GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c);
    const gint32 *m = self->matrix[c];

    for (gint x = 0; x < width; x += step, to += pixel) {
      gint next = 3 * MIN (x + step - 1, width - 1);
      gint64 sum = 0;

      for (gint i = 0; i < 3; i++)
        sum += (gint64) m[i] * (upper[3 * x + i] + upper[next + i]
            + lower[3 * x + i] + lower[next + i]);
      /* four pixels in units of 1/256, times 65536 */
      sum = ((sum + (1 << 25)) >> 26) + self->offset[c];
      *to = (guint8) CLAMP (sum, 0, 255);
    }
  }
}

static void
write_rgb (GstVideoFrame * frame, gint y, const guint16 * rgb)
{
  gint width = GST_VIDEO_FRAME_WIDTH (frame);
  gint pixel = GST_VIDEO_FRAME_COMP_PSTRIDE (frame, 0);
  guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0)
      + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);
  guint r = GST_VIDEO_FRAME_COMP_POFFSET (frame, 0);
  guint g = GST_VIDEO_FRAME_COMP_POFFSET (frame, 1);
  guint b = GST_VIDEO_FRAME_COMP_POFFSET (frame, 2);

  if (pixel == 4)
    memset (row, 255, 4 * (gsize) width);       /* alpha */
  for (gint x = 0; x < width; x++, rgb += 3, row += pixel) {
    row[r] = (guint8) ((rgb[0] + 128) >> 8);
    row[g] = (guint8) ((rgb[1] + 128) >> 8);
    row[b] = (guint8) ((rgb[2] + 128) >> 8);
  }
}

static void
render_image (GstStereoRenderer * self, const GstStereoTestSettings * settings,
    guint64 number, GstVideoFrame * frame)
{
  gint height = GST_VIDEO_FRAME_HEIGHT (frame);
  gint sub = GST_VIDEO_FORMAT_INFO_H_SUB (frame->info.finfo, 1);

  for (gint y = 0; y < height; y++) {
    guint16 *rgb = self->rgb[y % 2];

    render_row (self, settings, y, number, rgb);
    if (GST_VIDEO_FRAME_FORMAT (frame) == GST_VIDEO_FORMAT_GRAY16_LE) {
      write_gray16 (self, frame, y, rgb);
    } else if (GST_VIDEO_INFO_IS_RGB (&frame->info)) {
      write_rgb (frame, y, rgb);
    } else {
      write_luma (self, frame, y, rgb);
      if (GST_VIDEO_INFO_IS_YUV (&frame->info)
          && (sub == 0 || y % 2 == 1 || y == height - 1))
        write_chroma (self, frame, y >> sub,
            sub == 0 ? rgb : self->rgb[0], rgb);
    }
  }
}

gdouble
gst_stereo_renderer_scale (const GstStereoTestSettings * settings,
    GstVideoFormat format)
{
  return format == GST_VIDEO_FORMAT_GRAY16_LE ? settings->disparity_scale
      : 255.0 / MAX (settings->num_disparities - 1, 1);
}

static void
render_disparities (GstStereoRenderer * self,
    const GstStereoTestSettings * settings, GstVideoFrame * frame)
{
  gboolean wide = GST_VIDEO_FRAME_FORMAT (frame) == GST_VIDEO_FORMAT_GRAY16_LE;
  gdouble scale = gst_stereo_renderer_scale (settings,
      GST_VIDEO_FRAME_FORMAT (frame));

  for (gint y = 0; y < GST_VIDEO_FRAME_HEIGHT (frame); y++) {
    guint8 *to = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0)
        + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);

    gst_stereo_scene_truth_row (self->scene, y, self->disparity);
    for (gint x = 0; x < GST_VIDEO_FRAME_WIDTH (frame); x++) {
      gdouble d = self->disparity[x];
      guint code = GST_STEREO_RENDERER_INVALID;

      if (d >= 0)
        code = MAX ((guint) floor (d * scale + 0.5),
        GST_STEREO_RENDERER_INVALID + 1);
      if (wide)
        GST_WRITE_UINT16_LE (to + 2 * x, code);
      else
        to[x] = (guint8) code;
    }
  }
}

/* ------------------------------------------------------------------ frames */

static gboolean
has_disturbed_view (const GstStereoTestSettings * settings)
{
  const GstStereoTestSrcView one = settings->swap ? GST_STEREO_TEST_SRC_LEFT
      : GST_STEREO_TEST_SRC_RIGHT;

  return (settings->view == one
      || settings->view == GST_STEREO_TEST_SRC_SIDE_BY_SIDE
      || settings->view == GST_STEREO_TEST_SRC_TOP_BOTTOM)
      && (settings->delay > 0 || settings->drift != 0
      || gst_stereo_disturbance_is_set (&settings->disturbance));
}

/* Renders the part of the right view that the disturbed camera sees, of the
 * frame that it shows.  FALSE without memory for it. */
static gboolean
render_undisturbed (GstStereoRenderer * self,
    const GstStereoTestSettings * settings, guint64 number)
{
  GstStereoDisturbance disturbance = settings->disturbance;
  GstStereoUndisturbed *part = &self->undisturbed;
  gdouble drift = settings->drift * number * self->duration;
  guint16 *memory = part->rgb;
  gsize size;

  disturbance.roll += drift;
  disturbance.pitch += drift;
  disturbance.yaw += drift;
  gst_stereo_warp_init (&self->warp, &disturbance, self->scene_width,
      self->scene_height);
  *part = gst_stereo_warp_part (&self->warp, self->scene_width,
      self->scene_height, disturbance.blur);
  size = 3 * (gsize) part->width * part->height;
  if (size > self->undisturbed_size) {
    g_free (memory);
    memory = g_try_new (guint16, size);
    self->undisturbed_size = memory != NULL ? size : 0;
  }
  part->rgb = memory;
  if (memory == NULL)
    return FALSE;
  gst_stereo_scene_set_frame (self->scene, number - MIN (settings->delay,
          number));
  for (gint y = 0; y < part->height; y++)
    gst_stereo_scene_render_row (self->scene, 1, part->y + y, part->x,
        part->width, part->rgb + 3 * (gsize) y * part->width);
  gst_stereo_undisturbed_blur (part, disturbance.blur);
  return TRUE;
}

static gboolean
prepare_scene (GstStereoRenderer * self,
    const GstStereoTestSettings * settings, guint64 number)
{
  const GstStereoTestSettings *old = &self->scene_settings;
  gint width = self->width, height = self->height;

  if (settings->view == GST_STEREO_TEST_SRC_SIDE_BY_SIDE)
    width /= 2;
  if (settings->view == GST_STEREO_TEST_SRC_TOP_BOTTOM)
    height /= 2;
  if (self->scene == NULL || old->pattern != settings->pattern
      || old->seed != settings->seed
      || old->num_disparities != settings->num_disparities
      || self->scene_width != width || self->scene_height != height) {
    gst_stereo_scene_free (self->scene);
    self->scene = gst_stereo_scene_new ((GstStereoPattern) settings->pattern,
        settings->seed, width, height, settings->num_disparities);
    self->scene_settings = *settings;
    self->scene_width = width;
    self->scene_height = height;
  }
  self->is_disturbed = has_disturbed_view (settings);
  if (self->is_disturbed && !render_undisturbed (self, settings, number))
    return FALSE;
  gst_stereo_scene_set_frame (self->scene, number);
  return TRUE;
}

gboolean
gst_stereo_renderer_render (GstStereoRenderer * self,
    const GstStereoTestSettings * settings, guint64 number,
    GstVideoFrame * frame)
{
  if (!prepare_scene (self, settings, number))
    return FALSE;
  if (settings->view == GST_STEREO_TEST_SRC_DISPARITY)
    render_disparities (self, settings, frame);
  else
    render_image (self, settings, number, frame);
  return TRUE;
}

static void
free_rows (GstStereoRenderer * self)
{
  for (guint i = 0; i < 2; i++)
    g_clear_pointer (&self->rgb[i], g_free);
  g_clear_pointer (&self->disparity, g_free);
  g_clear_pointer (&self->undisturbed.rgb, g_free);
  self->undisturbed_size = 0;
}

void
gst_stereo_renderer_init (GstStereoRenderer * self, const GstVideoInfo * info)
{
  free_rows (self);
  set_matrix (self, info);
  self->width = info->width;
  self->height = info->height;
  self->duration = info->fps_n > 0 ? (gdouble) info->fps_d / info->fps_n : 0;
  for (guint i = 0; i < 2; i++)
    self->rgb[i] = g_new (guint16, 3 * (gsize) info->width);
  self->disparity = g_new (gdouble, info->width);
}

void
gst_stereo_renderer_clear (GstStereoRenderer * self)
{
  g_clear_pointer (&self->scene, gst_stereo_scene_free);
  free_rows (self);
}
