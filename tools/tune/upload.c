/* gst-stereomatching: images of a page
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "upload.h"

#include "imagefile.h"

gboolean
tune_upload_check (SoupMessageHeaders * request)
{
  return soup_message_headers_get_encoding (request)
      == SOUP_ENCODING_CONTENT_LENGTH
      && soup_message_headers_get_content_length (request) <= TUNE_UPLOAD_SIZE;
}

/* An image of 8 bits in one part of the body, for image_clear(). */
static gboolean
read_view (SoupMultipart * parts, gint index, Image * image,
    StereoMessage * why)
{
  static const gchar *const names[] = { "left", "right" };
  SoupMessageHeaders *headers;
  GBytes *body;
  gconstpointer bytes;
  gsize size;

  if (!soup_multipart_get_part (parts, index, &headers, &body))
    return image_fail (why, names[index], "is missing");
  bytes = g_bytes_get_data (body, &size);
  if (!image_parse (names[index], bytes, size, image, why))
    return FALSE;
  if (image->width > TUNE_UPLOAD_PIXELS / image->height)
    return image_fail (why, names[index], "expected at most %d pixels, got "
        "%dx%d", TUNE_UPLOAD_PIXELS, image->width, image->height);
  return image_reduce (names[index], image, why);
}

static GstSample *
make_sample (const Image * image)
{
  const gsize row = (gsize) image->width * (gsize) image->channels;
  g_autoptr (GstBuffer) buffer = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstVideoInfo info;

  gst_video_info_set_format (&info, image->channels == 1
      ? GST_VIDEO_FORMAT_GRAY8 : GST_VIDEO_FORMAT_RGB, (guint) image->width,
      (guint) image->height);
  buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info), NULL);
  for (gsize y = 0; y < (gsize) image->height; y++)
    gst_buffer_fill (buffer, y * (gsize) GST_VIDEO_INFO_PLANE_STRIDE (&info, 0),
        (const guint8 *) image->data + y * row, row);
  caps = gst_video_info_to_caps (&info);
  return gst_sample_new (buffer, caps, NULL, NULL);
}

static gboolean
read_views (SoupMultipart * parts, Image * images, StereoMessage * why)
{
  for (gint i = 0; i < 2; i++) {
    if (!read_view (parts, i, &images[i], why))
      return FALSE;
  }
  if (images[0].width == images[1].width
      && images[0].height == images[1].height)
    return TRUE;
  return image_fail (why, "right", "expected %dx%d like the left image, got "
      "%dx%d", images[0].width, images[0].height, images[1].width,
      images[1].height);
}

gboolean
tune_upload_open (TuneSession * session, SoupServerMessage * message,
    gchar ** why)
{
  g_autoptr (GBytes) body = soup_message_body_flatten
      (soup_server_message_get_request_body (message));
  g_autoptr (SoupMultipart) parts = soup_multipart_new_from_message
      (soup_server_message_get_request_headers (message), body);
  Image images[2] = { {0}, {0} };
  StereoMessage reason = { "Expected two images as multipart/form-data" };
  const gboolean good = parts != NULL && read_views (parts, images, &reason);

  if (good)
    tune_session_open_pair (session, make_sample (&images[0]),
        make_sample (&images[1]));
  else
    *why = g_strdup (reason.text);
  image_clear (&images[0]);
  image_clear (&images[1]);
  return good;
}
