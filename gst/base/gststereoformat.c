/* gst-stereomatching: formats and colours of video, as the library has them
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereoformat.h"

gboolean
gst_stereo_format (GstVideoFormat format, StereoFormat * stereo)
{
  /* *INDENT-OFF* */
  static const struct
  {
    GstVideoFormat format;
    StereoFormat stereo;
  } table[] = {
    {GST_VIDEO_FORMAT_GRAY8,     STEREO_FORMAT_GRAY8},
    {GST_VIDEO_FORMAT_NV12,      STEREO_FORMAT_NV12},
    {GST_VIDEO_FORMAT_I420,      STEREO_FORMAT_I420},
    {GST_VIDEO_FORMAT_YV12,      STEREO_FORMAT_YV12},
    {GST_VIDEO_FORMAT_NV21,      STEREO_FORMAT_NV21},
    {GST_VIDEO_FORMAT_Y42B,      STEREO_FORMAT_Y42B},
    {GST_VIDEO_FORMAT_Y444,      STEREO_FORMAT_Y444},
    {GST_VIDEO_FORMAT_NV16,      STEREO_FORMAT_NV16},
    {GST_VIDEO_FORMAT_YUY2,      STEREO_FORMAT_YUY2},
    {GST_VIDEO_FORMAT_UYVY,      STEREO_FORMAT_UYVY},
    {GST_VIDEO_FORMAT_YVYU,      STEREO_FORMAT_YVYU},
    {GST_VIDEO_FORMAT_P010_10LE, STEREO_FORMAT_P010_10LE},
    {GST_VIDEO_FORMAT_I420_10LE, STEREO_FORMAT_I420_10LE},
    {GST_VIDEO_FORMAT_I422_10LE, STEREO_FORMAT_I422_10LE},
    {GST_VIDEO_FORMAT_Y444_10LE, STEREO_FORMAT_Y444_10LE},
    {GST_VIDEO_FORMAT_RGB,       STEREO_FORMAT_RGB},
    {GST_VIDEO_FORMAT_BGR,       STEREO_FORMAT_BGR},
    {GST_VIDEO_FORMAT_RGBx,      STEREO_FORMAT_RGBX},
    {GST_VIDEO_FORMAT_BGRx,      STEREO_FORMAT_BGRX},
    {GST_VIDEO_FORMAT_xRGB,      STEREO_FORMAT_XRGB},
    {GST_VIDEO_FORMAT_xBGR,      STEREO_FORMAT_XBGR},
    {GST_VIDEO_FORMAT_RGBA,      STEREO_FORMAT_RGBX},
    {GST_VIDEO_FORMAT_BGRA,      STEREO_FORMAT_BGRX},
    {GST_VIDEO_FORMAT_ARGB,      STEREO_FORMAT_XRGB},
    {GST_VIDEO_FORMAT_ABGR,      STEREO_FORMAT_XBGR},
    {GST_VIDEO_FORMAT_GRAY16_LE, STEREO_FORMAT_GRAY16_LE},
  };
  /* *INDENT-ON* */

  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    if (table[i].format == format) {
      *stereo = table[i].stereo;
      return TRUE;
    }
  }
  return FALSE;
}

StereoColorimetry
gst_stereo_colorimetry (const GstVideoInfo * info)
{
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];
  gboolean full;

  if (!GST_VIDEO_INFO_IS_YUV (info))
    return STEREO_COLORIMETRY_BT601;
  /* GStreamer defines the meaning of an unknown range */
  gst_video_color_range_offsets (info->colorimetry.range, info->finfo, offset,
      scale);
  full = offset[0] == 0;
  switch (info->colorimetry.matrix) {
    case GST_VIDEO_COLOR_MATRIX_BT709:
    case GST_VIDEO_COLOR_MATRIX_SMPTE240M:
      return full ? STEREO_COLORIMETRY_BT709_FULL : STEREO_COLORIMETRY_BT709;
    case GST_VIDEO_COLOR_MATRIX_BT2020:
      return full ? STEREO_COLORIMETRY_BT2020_FULL
          : STEREO_COLORIMETRY_BT2020;
    default:
      /* gst_video_info_from_caps() always sets a matrix */
      return full ? STEREO_COLORIMETRY_BT601_FULL : STEREO_COLORIMETRY_BT601;
  }
}

GstClockTime
gst_stereo_frame_duration (const GstVideoInfo * info)
{
  if (GST_VIDEO_INFO_FPS_N (info) <= 0)
    return GST_CLOCK_TIME_NONE;
  return gst_util_uint64_scale (GST_SECOND,
      (guint64) GST_VIDEO_INFO_FPS_D (info),
      (guint64) GST_VIDEO_INFO_FPS_N (info));
}

gboolean
gst_stereo_has_variable_rate (const GstVideoInfo * info)
{
  return (info->flags & GST_VIDEO_FLAG_VARIABLE_FPS) != 0
      || GST_VIDEO_INFO_FPS_N (info) <= 0;
}

void
gst_stereo_caps_set_framerate (GstCaps * caps, const GstVideoInfo * info)
{
  const gboolean variable = gst_stereo_has_variable_rate (info);

  gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION,
      variable ? 0 : GST_VIDEO_INFO_FPS_N (info),
      variable ? 1 : GST_VIDEO_INFO_FPS_D (info), NULL);
  /* GstVideoInfo has the maximum in place of the rate */
  if (variable && GST_VIDEO_INFO_FPS_N (info) > 0)
    gst_caps_set_simple (caps, "max-framerate", GST_TYPE_FRACTION,
        GST_VIDEO_INFO_FPS_N (info), GST_VIDEO_INFO_FPS_D (info), NULL);
}
