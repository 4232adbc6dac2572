/* gst-stereomatching: tests of stereotestsrc
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "../stereocheck.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <math.h>

#include "base/gststereometa.h"

static const gchar *const patterns[] = { "planes", "slanted", "sphere",
  "corridor", "thin"
};

static const gchar *const views[] = { "left", "right", "side-by-side",
  "top-bottom", "disparity", "virtual"
};

static const gchar *const formats[] = { "GRAY8", "NV12", "NV21", "I420", "YV12",
  "Y42B", "Y444", "RGB", "BGR", "RGBx", "BGRx", "xRGB", "xBGR", "RGBA", "BGRA",
  "ARGB", "ABGR", "GRAY16_LE"
};

/* Faster than fail_unless() for every pixel. */
#define REQUIRE(condition) \
  G_STMT_START { \
    if (!(condition)) \
      fail ("'%s' is not true", #condition); \
  } G_STMT_END

/* A mapped frame. */
typedef struct
{
  GstBuffer *buffer;
  GstVideoFrame frame;
} Picture;

static void
map_picture (Picture * picture, GstCaps * caps, GstBuffer * buffer)
{
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  picture->buffer = buffer;
  fail_unless (gst_video_frame_map (&picture->frame, &info, buffer,
          GST_MAP_READ));
}

static void
drop_picture (Picture * picture)
{
  gst_video_frame_unmap (&picture->frame);
  gst_buffer_unref (picture->buffer);
}

static GstHarness *
new_harness (const gchar * properties, const gchar * caps)
{
  gchar *line = g_strdup_printf ("stereotestsrc %s", properties);
  GstHarness *h = gst_harness_new_parse (line);

  g_free (line);
  gst_harness_set_sink_caps_str (h, caps);
  return h;
}

static Picture
pull_picture (GstHarness * h)
{
  GstBuffer *buffer = gst_harness_pull (h);
  GstCaps *caps;
  Picture picture;

  fail_unless (buffer != NULL);
  caps = gst_pad_get_current_caps (h->sinkpad);
  map_picture (&picture, caps, buffer);
  gst_caps_unref (caps);
  return picture;
}

/* Frame number n. */
static Picture
render (guint number, const gchar * caps, const gchar * format, ...)
{
  gchar *properties, *all;
  GstHarness *h;
  Picture picture;
  va_list args;

  va_start (args, format);
  properties = g_strdup_vprintf (format, args);
  va_end (args);
  all = g_strdup_printf ("num-buffers=%u %s", number + 1, properties);
  h = new_harness (all, caps);
  gst_harness_play (h);
  for (guint i = 0; i < number; i++)
    gst_buffer_unref (gst_harness_pull (h));
  picture = pull_picture (h);
  gst_harness_teardown (h);
  g_free (all);
  g_free (properties);
  return picture;
}

/* A component of 8 bits. */
static gint
sample (const Picture * p, guint c, gint x, gint y)
{
  return ((const guint8 *) GST_VIDEO_FRAME_COMP_DATA (&p->frame, c))
      [y * GST_VIDEO_FRAME_COMP_STRIDE (&p->frame, c)
      + x * GST_VIDEO_FRAME_COMP_PSTRIDE (&p->frame, c)];
}

static gint
grey (const Picture * p, gint x, gint y)
{
  return sample (p, 0, x, y);
}

static gint
code (const Picture * p, gint x, gint y)
{
  return GST_READ_UINT16_LE ((const guint8 *)
      GST_VIDEO_FRAME_PLANE_DATA (&p->frame, 0)
      + y * GST_VIDEO_FRAME_PLANE_STRIDE (&p->frame, 0) + 2 * x);
}

/* Whether b equals the region of a that begins at (x, y). */
static gboolean
is_part (const Picture * a, gint x, gint y, const Picture * b)
{
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (&b->frame); c++) {
    const GstVideoFormatInfo *f = b->frame.info.finfo;
    gint pixel = GST_VIDEO_FRAME_COMP_PSTRIDE (&b->frame, c);
    gint bytes = (GST_VIDEO_FORMAT_INFO_DEPTH (f, c) + 7) / 8;
    gint x0 = x >> GST_VIDEO_FORMAT_INFO_W_SUB (f, c);
    gint y0 = y >> GST_VIDEO_FORMAT_INFO_H_SUB (f, c);

    for (gint j = 0; j < GST_VIDEO_FRAME_COMP_HEIGHT (&b->frame, c); j++) {
      const guint8 *pa = (const guint8 *) GST_VIDEO_FRAME_COMP_DATA (&a->frame,
          c) + (y0 + j) * GST_VIDEO_FRAME_COMP_STRIDE (&a->frame, c)
          + x0 * pixel;
      const guint8 *pb = (const guint8 *) GST_VIDEO_FRAME_COMP_DATA (&b->frame,
          c) + j * GST_VIDEO_FRAME_COMP_STRIDE (&b->frame, c);

      for (gint i = 0; i < GST_VIDEO_FRAME_COMP_WIDTH (&b->frame, c); i++) {
        if (memcmp (pa + i * pixel, pb + i * pixel, bytes) != 0)
          return FALSE;
      }
    }
  }
  return TRUE;
}

static gboolean
is_equal (const Picture * a, const Picture * b)
{
  return GST_VIDEO_FRAME_WIDTH (&a->frame) == GST_VIDEO_FRAME_WIDTH (&b->frame)
      && GST_VIDEO_FRAME_HEIGHT (&a->frame)
      == GST_VIDEO_FRAME_HEIGHT (&b->frame) && is_part (a, 0, 0, b);
}

/* Whether two frames with these properties are equal. */
static gboolean
is_same (const gchar * caps, guint number_a, const gchar * a, guint number_b,
    const gchar * b)
{
  Picture pictures[2] = { render (number_a, caps, "%s", a),
    render (number_b, caps, "%s", b)
  };
  gboolean same = is_equal (&pictures[0], &pictures[1]);

  drop_picture (&pictures[0]);
  drop_picture (&pictures[1]);
  return same;
}

static gchar *
caps_of (const gchar * format, gint width, gint height)
{
  return g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,"
      "framerate=10/1", format, width, height);
}

/* -------------------------------------------------------------------- tests */

TEST (test_formats)
{
  static const gint sizes[][2] = { {36, 22}, {1, 1}, {7, 5} };

  for (guint v = 0; v < G_N_ELEMENTS (views); v++) {
    for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
      const gint *size = sizes[(v + f) % G_N_ELEMENTS (sizes)];
      gint width = size[0] * (v == 2 ? 2 : 1);
      gint height = size[1] * (v == 3 ? 2 : 1);
      gchar *caps = caps_of (formats[f], width, height);
      Picture p;

      if (v != 4 || g_str_has_prefix (formats[f], "GRAY")) {
        p = render (1, caps, "view=%s pattern=%s", views[v],
            patterns[f % G_N_ELEMENTS (patterns)]);
        fail_unless_equals_int (GST_VIDEO_FRAME_WIDTH (&p.frame), width);
        fail_unless_equals_int (GST_VIDEO_FRAME_HEIGHT (&p.frame), height);
        fail_unless_equals_string (gst_video_format_to_string
            (GST_VIDEO_FRAME_FORMAT (&p.frame)), formats[f]);
        fail_unless_equals_uint64 (gst_buffer_get_size (p.buffer),
            p.frame.info.size);
        drop_picture (&p);
      }
      g_free (caps);
    }
  }
}

/* All formats show the same image. */
TEST (test_formats_agree)
{
  Picture rgb = render (2, "video/x-raw,format=RGB,width=64,height=48",
      "pattern=planes");

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++) {
    gchar *caps = caps_of (formats[f], 64, 48);
    Picture p = render (2, caps, "pattern=planes");
    const GstVideoFormatInfo *info = p.frame.info.finfo;

    for (gint y = 0; y < 48; y++) {
      for (gint x = 0; x < 64; x++) {
        const gint c[] = { sample (&rgb, 0, x, y), sample (&rgb, 1, x, y),
          sample (&rgb, 2, x, y)
        };
        gdouble luma = 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2];

        if (GST_VIDEO_FRAME_FORMAT (&p.frame) == GST_VIDEO_FORMAT_GRAY16_LE) {
          REQUIRE (fabs (code (&p, x, y) / 257.0 - luma) < 1);
        } else if (GST_VIDEO_FORMAT_INFO_IS_GRAY (info)) {
          REQUIRE (fabs (grey (&p, x, y) - luma) < 1.1);
        } else if (GST_VIDEO_FORMAT_INFO_IS_YUV (info)) {
          REQUIRE (fabs (grey (&p, x, y) - 16 - luma * 219 / 255) < 1.1);
          if (GST_VIDEO_FORMAT_INFO_W_SUB (info, 1) == 0) {
            REQUIRE (fabs (sample (&p, 1, x, y) - 128 - (c[2] - luma) / 1.772
                    * 224 / 255) < 1.1);
            REQUIRE (fabs (sample (&p, 2, x, y) - 128 - (c[0] - luma) / 1.402
                    * 224 / 255) < 1.1);
          }
        } else {
          for (guint i = 0; i < 3; i++)
            REQUIRE (sample (&p, i, x, y) == c[i]);
          if (GST_VIDEO_FORMAT_INFO_HAS_ALPHA (info))
            REQUIRE (sample (&p, 3, x, y) == 255);
        }
      }
    }
    drop_picture (&p);
    g_free (caps);
  }
  drop_picture (&rgb);
}

TEST (test_deterministic)
{
  static const struct
  {
    guint number;
    const gchar *more;
    guint other_number;
    const gchar *other_more;
    gboolean same;
  } cases[] = {
    {7, "noise=3", 7, "noise=3", TRUE},
    {7, "noise=3", 7, "noise=3 seed=1", FALSE},
    {7, "noise=3", 7, "", FALSE},
    {7, "", 8, "", FALSE},
    {7, "", 7, "view=right", FALSE},
  };
  const gchar *caps = "video/x-raw,format=RGB,width=80,height=60";

  for (guint i = 0; i < G_N_ELEMENTS (patterns); i++) {
    for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
      gchar *a = g_strdup_printf ("pattern=%s %s", patterns[i], cases[c].more);
      gchar *b = g_strdup_printf ("pattern=%s %s", patterns[i],
          cases[c].other_more);

      fail_unless_equals_int (is_same (caps, cases[c].number, a,
              cases[c].other_number, b), cases[c].same);
      g_free (a);
      g_free (b);
    }
  }
}

/* ------------------------------------------------------------- ground truth */

#define SCALE 256
#define W 320
#define H 120

#define TRUTH_CAPS "video/x-raw,format=GRAY16_LE,width=320,height=120"
#define VIEW_CAPS "video/x-raw,format=GRAY8,width=320,height=120"

static gdouble
disparity_of (const Picture * truth, gint x, gint y)
{
  gint value = code (truth, x, y);

  return value == 0 ? -1 : (gdouble) value / SCALE;
}

/* Whether the surface is continuous on both sides of a pixel. */
static gboolean
is_inside (const Picture * truth, gint x, gint y)
{
  gdouble d = disparity_of (truth, x, y);

  for (gint dx = -2; dx <= 2; dx++) {
    gint at = CLAMP (x + dx, 0, W - 1);
    gdouble other = disparity_of (truth, at, y);

    if (other < 0 || fabs (other - d) > 0.6 * abs (dx))
      return FALSE;
  }
  return TRUE;
}

/* The right view warped by the ground truth equals the left view. */
LOOP_TEST (test_truth_warps, 0, G_N_ELEMENTS (patterns))
{
  static const guint frames[] = { 0, 31 };
  const gchar *pattern = patterns[__i__];

  for (guint f = 0; f < G_N_ELEMENTS (frames); f++) {
    Picture left = render (frames[f], VIEW_CAPS, "pattern=%s", pattern);
    Picture right = render (frames[f], VIEW_CAPS, "pattern=%s view=right",
        pattern);
    Picture truth = render (frames[f], TRUTH_CAPS, "pattern=%s view=disparity "
        "disparity-scale=256", pattern);
    guint valid = 0, inside = 0, close = 0, close_inside = 0;
    gdouble sum = 0, sum_unmoved = 0;

    for (gint y = 0; y < H; y++) {
      for (gint x = 0; x < W; x++) {
        gdouble d = disparity_of (&truth, x, y), at = x - d, value, error;
        gint i = (gint) floor (at);

        if (d < 0)
          continue;
        /* the error of a code is at most half a step, or one step at disparity
         * 0, which has code 1 */
        REQUIRE (at > -1.0 / SCALE - 1e-9);
        i = MAX (i, 0);
        value = grey (&right, i, y);
        if (i + 1 < W)
          value += (at - i) * (grey (&right, i + 1, y) - value);
        error = fabs (value - grey (&left, x, y));
        valid++;
        close += error <= 10;
        if (is_inside (&truth, x, y)) {
          inside++;
          close_inside += error <= 10;
          sum += error;
          sum_unmoved += abs (grey (&right, x, y) - grey (&left, x, y));
        }
      }
    }
    GST_INFO ("%s %u: %u valid, %.2f %% close; %u inside, %.2f %% close, mean "
        "error %.3f, unmoved %.3f", pattern, frames[f], valid,
        100.0 * close / valid, inside, 100.0 * close_inside / inside,
        sum / inside, sum_unmoved / inside);
    fail_unless (valid > W * H / 2);
    fail_unless (inside > W * H / 6);
    fail_unless (sum / inside < 2);
    fail_unless (close_inside > 0.99 * inside);
    fail_unless (close > 0.93 * valid);
    /* the texture has contrast */
    fail_unless (sum_unmoved / inside > 12);
    drop_picture (&left);
    drop_picture (&right);
    drop_picture (&truth);
  }
}

/* Virtual views at 0 and 1 equal the left and the right view, including
 * noise. */
LOOP_TEST (test_virtual_ends, 0, G_N_ELEMENTS (patterns))
{
  const gchar *pattern = patterns[__i__];

  for (guint f = (guint) __i__; f < G_N_ELEMENTS (formats);
      f += G_N_ELEMENTS (patterns)) {
    gchar *caps = caps_of (formats[f], 96, 50);

    for (guint v = 0; v < 2; v++) {
      const gchar *noise = f % 2 ? "noise=5 exposure-offset=7" : "";
      gchar *a = g_strdup_printf ("pattern=%s view=virtual position=%u %s",
          pattern, v, noise);
      gchar *b = g_strdup_printf ("pattern=%s view=%s %s", pattern, views[v],
          noise);

      fail_unless (is_same (caps, f % 3, a, f % 3, b), "%s is not %s", a, b);
      g_free (a);
      g_free (b);
    }
    g_free (caps);
  }
}

/* A virtual view warped by its share of the ground truth equals the left
 * view, away from edges and from areas outside the left view. */
LOOP_TEST (test_virtual_warps, 0, G_N_ELEMENTS (patterns))
{
  static const gdouble positions[] = { -1.5, -0.5, 0.25, 0.5, 0.75, 1.5 };
  const gchar *pattern = patterns[__i__];
  Picture left = render (9, VIEW_CAPS, "pattern=%s", pattern);
  Picture truth = render (9, TRUTH_CAPS, "pattern=%s view=disparity "
      "disparity-scale=256", pattern);

  for (guint p = 0; p < G_N_ELEMENTS (positions); p++) {
    Picture view = render (9, VIEW_CAPS, "pattern=%s view=virtual position=%g",
        pattern, positions[p]);
    guint inside = 0, close = 0;
    gdouble sum = 0, sum_unmoved = 0;

    for (gint y = 0; y < H; y++) {
      gdouble seen[W];

      /* the nearest disparity at each pixel of the view */
      for (gint x = 0; x < W; x++)
        seen[x] = -1;
      for (gint x = 0; x < W; x++) {
        gdouble d = disparity_of (&truth, x, y);
        gint i = (gint) floor (x - positions[p] * d);

        for (gint k = i - 3; k <= i + 4; k++) {
          if (k >= 0 && k < W)
            seen[k] = MAX (seen[k], d);
        }
      }
      for (gint x = 0; x < W; x++) {
        gdouble d = disparity_of (&truth, x, y), at = x - positions[p] * d;
        gint i = (gint) floor (at);
        gdouble value, error;

        if (d < 0 || at < MAX (0, -64 * positions[p])
            || at >= W - 1 - MAX (0, 64 * positions[p])
            || !is_inside (&truth, x, y) || seen[i] > d + 3)
          continue;
        value = grey (&view, i, y);
        value += (at - i) * (grey (&view, i + 1, y) - value);
        error = fabs (value - grey (&left, x, y));
        inside++;
        close += error <= 12;
        sum += error;
        sum_unmoved += abs (grey (&view, x, y) - grey (&left, x, y));
      }
    }
    GST_INFO ("%s %g: %u inside, %.2f %% close, mean error %.3f, unmoved %.3f",
        pattern, positions[p], inside, 100.0 * close / inside, sum / inside,
        sum_unmoved / inside);
    fail_unless (inside > W * H / 10);
    fail_unless (sum / inside < 3);
    fail_unless (close > 0.97 * inside);
    fail_unless (sum_unmoved / inside > 3 * sum / inside);
    drop_picture (&view);
  }
  drop_picture (&left);
  drop_picture (&truth);
}

/* If only the disparities of a scene depend on its range, the right view
 * with half the range equals the middle view. */
TEST (test_virtual_middle)
{
  const gchar *caps = "video/x-raw,format=RGB,width=200,height=80";

  fail_unless (is_same (caps, 3, "pattern=planes num-disparities=65 "
          "view=virtual position=0.5", 3, "pattern=planes num-disparities=33 "
          "view=right"));
  fail_unless (is_same (caps, 3, "pattern=thin num-disparities=65 "
          "view=virtual position=0.5", 3, "pattern=thin num-disparities=33 "
          "view=right"));
}

/* Valid pixels do not occlude each other, and invalid ones are occluded. */
LOOP_TEST (test_occlusion, 0, G_N_ELEMENTS (patterns))
{
  const gchar *pattern = patterns[__i__];
  Picture truth = render (12, TRUTH_CAPS, "pattern=%s view=disparity "
      "disparity-scale=256", pattern);
  guint invalid = 0, explained = 0;

  for (gint y = 0; y < H; y++) {
    gdouble d[W], sides[3][W], known = -1, least = W;

    for (gint x = 0; x < W; x++)
      d[x] = disparity_of (&truth, x, y);
    for (gint x = 0; x < W; x++) {
      for (gint i = 0; i + 1 < W; i++) {
        gdouble from = i - d[i], to = i + 1 - d[i + 1];

        if (d[x] >= 0 && d[i] >= 0 && d[i + 1] >= 0
            && fabs (d[i] - d[i + 1]) < 0.6 && d[i] > d[x] + 1.5
            && x - d[x] > from + 0.02 && x - d[x] < to - 0.02)
          fail ("%s: (%d, %d) with disparity %g is behind %d with %g", pattern,
              x, y, d[x], i, d[i]);
      }
    }

    /* Occluded surfaces continue to the left or right, or are the
     * background. */
    for (gint x = 0; x < W; x++) {
      known = d[x] >= 0 ? d[x] : known;
      sides[0][x] = known;
    }
    known = -1;
    for (gint x = W - 1; x >= 0; x--) {
      known = d[x] >= 0 ? d[x] : known;
      sides[1][x] = known;
      least = d[x] >= 0 ? MIN (least, d[x]) : least;
    }
    for (gint x = 0; x < W; x++) {
      /* the occluder may be outside the left view */
      gboolean hidden = x > W - 64;

      sides[2][x] = least;
      if (d[x] >= 0)
        continue;
      for (guint side = 0; side < 3 && !hidden; side++) {
        gdouble at = x - sides[side][x];

        hidden = sides[side][x] >= 0 && at < 0;
        for (gint i = 0; i < W && !hidden; i++)
          hidden = sides[side][x] >= 0 && d[i] > sides[side][x] + 0.01
              && fabs (i - d[i] - at) <= 1;
      }
      invalid++;
      explained += hidden;
    }
  }
  GST_INFO ("%s: %u of %u invalid pixels are hidden", pattern, explained,
      invalid);
  fail_unless (invalid > H);
  fail_unless (explained >= 0.9 * invalid);
  drop_picture (&truth);
}

TEST (test_truth_range)
{
  static const guint ranges[] = { 1, 2, 17, 64, 200 };

  for (guint p = 0; p < G_N_ELEMENTS (patterns); p++) {
    for (guint r = 0; r < G_N_ELEMENTS (ranges); r++) {
      guint n = ranges[r];
      gint least = G_MAXINT, most = 0;
      Picture truth = render (3, TRUTH_CAPS, "pattern=%s view=disparity "
          "num-disparities=%u disparity-scale=256", patterns[p], n);
      Picture small = render (3, VIEW_CAPS, "pattern=%s view=disparity "
          "num-disparities=%u", patterns[p], n);

      for (gint y = 0; y < H; y++) {
        for (gint x = 0; x < W; x++) {
          gint value = code (&truth, x, y), byte = grey (&small, x, y);

          REQUIRE ((value == 0) == (byte == 0));
          if (value == 0)
            continue;
          REQUIRE (value <= MAX ((gint) (n - 1) * SCALE, 1));
          least = MIN (least, value);
          most = MAX (most, value);
          if (n > 1)
            REQUIRE (fabs (MAX (value / (gdouble) SCALE * 255 / (n - 1),
                        1) - byte) < 1.01);
          else
            REQUIRE (byte == 1);
        }
      }
      if (n > 1 && n < 200) {
        gint range = (gint) (n - 1) * SCALE;

        /* the corner with the smallest disparity is visible in both views */
        fail_unless (least < 0.3 * range, "%s %u: from %d", patterns[p], n,
            least);
        fail_unless (most > 0.8 * range, "%s %u: to %d", patterns[p], n, most);
        if (p == 1)
          fail_unless (fabs (most - 0.9 * range) <= 1);
      }
      drop_picture (&truth);
      drop_picture (&small);
    }
  }
}

TEST (test_meta)
{
  for (guint wide = 0; wide < 2; wide++) {
    Picture p = render (2, wide ? "video/x-raw,format=GRAY16_LE,framerate=10/1"
        : "video/x-raw,format=GRAY8,framerate=10/1", "view=disparity "
        "num-disparities=41 disparity-scale=20");
    GstCustomMeta *meta = gst_buffer_get_custom_meta (p.buffer,
        GST_STEREO_DISPARITY_META);
    GstStructure *s;
    gdouble scale;
    guint number;
    guint64 pts;

    fail_unless (meta != NULL);
    s = gst_custom_meta_get_structure (meta);
    fail_unless (gst_structure_get_double (s, "disparity-scale", &scale));
    fail_unless_equals_float (scale, wide ? 20.0 : 255.0 / 40);
    fail_unless (gst_structure_get_uint (s, "num-disparities", &number));
    fail_unless_equals_int (number, 41);
    fail_unless (gst_structure_get_uint (s, "invalid-value", &number));
    fail_unless_equals_int (number, 0);
    fail_unless (gst_structure_get_uint64 (s, "left-pts", &pts));
    fail_unless_equals_uint64 (pts, GST_SECOND / 5);
    fail_unless_equals_string (gst_structure_get_string (s, "algorithm"),
        "truth");
    fail_unless_equals_string (gst_structure_get_string (s, "reference-view"),
        "left");
    drop_picture (&p);
  }
}

/* --------------------------------------------------------------------- caps */

TEST (test_packed)
{
  static const gchar *const some[] = { "RGB", "GRAY8", "NV12", "I420" };

  for (guint f = 0; f < G_N_ELEMENTS (some); f++) {
    gchar *single = caps_of (some[f], 40, 30);
    gchar *beside = caps_of (some[f], 80, 30);
    gchar *above = caps_of (some[f], 40, 60);
    const gchar *p = "pattern=sphere noise=2 exposure-offset=5 "
        "num-disparities=12";
    Picture left = render (4, single, "%s", p);
    Picture right = render (4, single, "%s view=right", p);
    Picture sbs = render (4, beside, "%s view=side-by-side", p);
    Picture tb = render (4, above, "%s view=top-bottom", p);

    fail_unless (is_part (&sbs, 0, 0, &left));
    fail_unless (is_part (&sbs, 40, 0, &right));
    fail_unless (is_part (&tb, 0, 0, &left));
    fail_unless (is_part (&tb, 0, 30, &right));
    fail_unless_equals_int (GST_VIDEO_INFO_MULTIVIEW_MODE (&sbs.frame.info),
        GST_VIDEO_MULTIVIEW_MODE_SIDE_BY_SIDE);
    fail_unless_equals_int (GST_VIDEO_INFO_MULTIVIEW_MODE (&tb.frame.info),
        GST_VIDEO_MULTIVIEW_MODE_TOP_BOTTOM);
    fail_if (GST_VIDEO_INFO_MULTIVIEW_FLAGS (&sbs.frame.info)
        & GST_VIDEO_MULTIVIEW_FLAGS_HALF_ASPECT);
    fail_unless_equals_int (GST_VIDEO_INFO_MULTIVIEW_MODE (&left.frame.info),
        GST_VIDEO_MULTIVIEW_MODE_NONE);
    drop_picture (&left);
    drop_picture (&right);
    drop_picture (&sbs);
    drop_picture (&tb);
    g_free (single);
    g_free (beside);
    g_free (above);
  }
}

static gboolean
supports_caps (const gchar * view, const gchar * text)
{
  GstElement *src = gst_element_factory_make ("stereotestsrc", NULL);
  GstPad *pad = gst_element_get_static_pad (src, "src");
  GstCaps *caps = gst_caps_from_string (text), *result;
  gboolean can;

  gst_util_set_object_arg (G_OBJECT (src), "view", view);
  result = gst_pad_query_caps (pad, caps);
  can = !gst_caps_is_empty (result);
  gst_caps_unref (result);
  gst_caps_unref (caps);
  gst_object_unref (pad);
  gst_object_unref (src);
  return can;
}

TEST (test_caps)
{
  Picture p;

  fail_unless (supports_caps ("left", "video/x-raw,format=NV12,width=5"));
  fail_if (supports_caps ("left", "video/x-raw,format=UYVY"));
  fail_if (supports_caps ("left", "video/x-raw,width=16385"));
  fail_if (supports_caps ("disparity", "video/x-raw,format={NV12,RGB}"));
  fail_unless (supports_caps ("disparity", "video/x-raw,format={NV12,GRAY8}"));
  fail_if (supports_caps ("side-by-side", "video/x-raw,width=7"));
  fail_unless (supports_caps ("side-by-side", "video/x-raw,width=8,height=7"));
  fail_unless (supports_caps ("side-by-side", "video/x-raw,width=32768"));
  fail_if (supports_caps ("side-by-side", "video/x-raw,multiview-mode=mono"));
  fail_unless (supports_caps ("top-bottom", "video/x-raw,width=7,height=8"));
  fail_if (supports_caps ("top-bottom", "video/x-raw,width=8,height=7"));

  p = render (0, "video/x-raw", "view=disparity");
  fail_unless_equals_int (GST_VIDEO_FRAME_FORMAT (&p.frame),
      GST_VIDEO_FORMAT_GRAY16_LE);
  fail_unless_equals_int (GST_VIDEO_FRAME_WIDTH (&p.frame), 320);
  drop_picture (&p);
  p = render (0, "video/x-raw,width=[1,99]", "view=side-by-side");
  fail_unless_equals_int (GST_VIDEO_FRAME_WIDTH (&p.frame), 98);
  drop_picture (&p);
  p = render (0, "video/x-raw,format=NV12,colorimetry={bt709,bt601}", "");
  fail_unless (gst_video_colorimetry_matches (&p.frame.info.colorimetry,
          GST_VIDEO_COLORIMETRY_BT601));
  drop_picture (&p);
}

static GstPadProbeReturn
answer_without_rate (GstPad * pad G_GNUC_UNUSED, GstPadProbeInfo * probe,
    gpointer user_data G_GNUC_UNUSED)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (probe);
  GstCaps *caps;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return GST_PAD_PROBE_OK;
  caps = gst_caps_from_string ("video/x-raw,format=GRAY8,width=32,height=16");
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return GST_PAD_PROBE_HANDLED;
}

/* Some elements leave the frame rate out of the caps that they accept. */
TEST (test_caps_without_rate)
{
  GstHarness *h = gst_harness_new ("stereotestsrc");
  GstCaps *caps;
  GstVideoInfo info;

  gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      answer_without_rate, NULL, NULL);
  gst_harness_play (h);
  gst_buffer_unref (gst_harness_pull (h));
  caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless_equals_int (GST_VIDEO_INFO_FPS_N (&info), 30);
  gst_caps_unref (caps);
  gst_harness_teardown (h);
}

/* ------------------------------------------------- cameras out of alignment */

#define DISTURBED_CAPS "video/x-raw,format=GRAY8,width=200,height=150," \
    "framerate=10/1"
#define DISTURBED "roll=2 pitch=1 yaw=-1 zoom=1.05 rows=3 k1=0.1 blur=1 " \
    "delay=2 drift=0.5"

/* Only the right view changes. */
TEST (test_disturbance_of_right)
{
  static const gchar *const unchanged[] = { "view=left", "view=virtual",
    "view=virtual position=1"
  };

  for (guint i = 0; i < G_N_ELEMENTS (unchanged); i++) {
    gchar *all = g_strdup_printf ("%s " DISTURBED, unchanged[i]);

    fail_unless (is_same (DISTURBED_CAPS, 3, unchanged[i], 3, all));
    g_free (all);
  }
  fail_unless (is_same ("video/x-raw,format=GRAY16_LE,width=200,height=150,"
          "framerate=10/1", 3, "view=disparity", 3,
          "view=disparity swap=true " DISTURBED));
  fail_unless (is_same (DISTURBED_CAPS, 3, "view=virtual", 3,
          "view=virtual swap=true"));
  fail_if (is_same (DISTURBED_CAPS, 3, "view=right", 3, "view=right roll=1"));
  fail_if (is_same (DISTURBED_CAPS, 3, "view=right", 3,
          "view=right blur=0.5"));
  fail_unless (is_same (DISTURBED_CAPS, 3, "view=right", 3,
          "view=right blur=0.05"));
}

TEST (test_swap)
{
  fail_unless (is_same (DISTURBED_CAPS, 3, "view=right", 3,
          "view=left swap=true"));
  fail_unless (is_same (DISTURBED_CAPS, 3, "view=left", 3,
          "view=right swap=true"));
  /* the images are swapped last */
  fail_unless (is_same (DISTURBED_CAPS, 3,
          "view=right noise=4 exposure-offset=9 " DISTURBED, 3,
          "view=left swap=true noise=4 exposure-offset=9 " DISTURBED));
}

/* One frame with both views contains those of two elements. */
TEST (test_disturbed_packing)
{
  static const gchar *const swaps[] = { "", "swap=true" };

  for (guint i = 0; i < G_N_ELEMENTS (swaps); i++) {
    Picture left = render (2, DISTURBED_CAPS, "%s " DISTURBED, swaps[i]);
    Picture right = render (2, DISTURBED_CAPS, "view=right %s " DISTURBED,
        swaps[i]);
    Picture sbs = render (2, "video/x-raw,format=GRAY8,width=400,height=150,"
        "framerate=10/1", "view=side-by-side %s " DISTURBED, swaps[i]);
    Picture tb = render (2, "video/x-raw,format=GRAY8,width=200,height=300,"
        "framerate=10/1", "view=top-bottom %s " DISTURBED, swaps[i]);

    fail_unless (is_part (&sbs, 0, 0, &left));
    fail_unless (is_part (&sbs, 200, 0, &right));
    fail_unless (is_part (&tb, 0, 0, &left));
    fail_unless (is_part (&tb, 0, 150, &right));
    drop_picture (&left);
    drop_picture (&right);
    drop_picture (&sbs);
    drop_picture (&tb);
  }
}

TEST (test_delay)
{
  fail_unless (is_same (DISTURBED_CAPS, 1, "view=right", 4,
          "view=right delay=3"));
  fail_unless (is_same (DISTURBED_CAPS, 0, "view=right", 4,
          "view=right delay=9"));
  /* noise is the camera's of that time */
  fail_if (is_same (DISTURBED_CAPS, 1, "view=right noise=2", 4,
          "view=right delay=3 noise=2"));
}

TEST (test_drift)
{
  fail_unless (is_same (DISTURBED_CAPS, 5,
          "view=right roll=1.25 pitch=0.25 yaw=0.25", 5,
          "view=right roll=1 drift=0.5"));
  fail_unless (is_same (DISTURBED_CAPS, 0, "view=right", 0,
          "view=right drift=0.5"));
}

TEST (test_row_offset)
{
  Picture before = render (1, DISTURBED_CAPS, "view=right pattern=sphere");
  Picture after = render (1, DISTURBED_CAPS,
      "view=right pattern=sphere rows=7");

  for (gint y = 7; y < 150; y++) {
    for (gint x = 0; x < 200; x++)
      REQUIRE (grey (&after, x, y) == grey (&before, x, y - 7));
  }
  drop_picture (&before);
  drop_picture (&after);
}

/* out = a b for 3x3 matrices. */
static void
multiply (const gdouble a[9], const gdouble b[9], gdouble out[9])
{
  for (gint i = 0; i < 9; i++)
    out[i] = a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[3 + i % 3]
        + a[i / 3 * 3 + 2] * b[6 + i % 3];
}

typedef struct
{
  const gchar *properties;
  gdouble roll, pitch, yaw, zoom, k1;
} Turn;

/* The documented position in the undisturbed view. */
static void
find_source (const Turn * turn, gdouble sign, gdouble u, gdouble v,
    gdouble * x, gdouble * y)
{
  const gdouble rad = sign * G_PI / 180, f = 200, cx = 99.5, cy = 74.5;
  const gdouble sx = sin (rad * turn->pitch), tx = cos (rad * turn->pitch);
  const gdouble sy = sin (rad * turn->yaw), ty = cos (rad * turn->yaw);
  const gdouble sz = sin (-rad * turn->roll), tz = cos (rad * turn->roll);
  const gdouble about_x[9] = { 1, 0, 0, 0, tx, -sx, 0, sx, tx };
  const gdouble about_y[9] = { ty, 0, sy, 0, 1, 0, -sy, 0, ty };
  const gdouble about_z[9] = { tz, -sz, 0, sz, tz, 0, 0, 0, 1 };
  const gdouble a = (u - cx) / f, b = (v - cy) / f;
  const gdouble s = (1 + sign * turn->k1 * (a * a + b * b))
      / pow (turn->zoom, sign);
  gdouble zy[9], r[9], z;

  multiply (about_z, about_y, zy);
  multiply (zy, about_x, r);
  z = r[6] * a * s + r[7] * b * s + r[8];
  *x = cx + f * (r[0] * a * s + r[1] * b * s + r[2]) / z;
  *y = cy + f * (r[3] * a * s + r[4] * b * s + r[5]) / z;
}

/* Mean difference between the disturbed view and the other one, sampled at the
 * documented positions. */
static gdouble
get_difference (const Picture * before, const Picture * after,
    const Turn * turn, gdouble sign)
{
  gdouble sum = 0;
  guint n = 0;

  for (gint v = 0; v < 150; v++) {
    for (gint u = 0; u < 200; u++) {
      gdouble x, y, value;
      gint x0, y0;

      find_source (turn, sign, u, v, &x, &y);
      x0 = (gint) floor (x);
      y0 = (gint) floor (y);
      if (x0 < 0 || y0 < 0 || x0 > 198 || y0 > 148)
        continue;
      x -= x0;
      y -= y0;
      value = (1 - y) * ((1 - x) * grey (before, x0, y0)
          + x * grey (before, x0 + 1, y0))
          + y * ((1 - x) * grey (before, x0, y0 + 1)
          + x * grey (before, x0 + 1, y0 + 1));
      sum += fabs (value - grey (after, u, v));
      n++;
    }
  }
  fail_unless (n > 15000);
  return sum / n;
}

static const Turn turns[] = {
  {"roll=4", 4, 0, 0, 1, 0},
  {"pitch=3", 0, 3, 0, 1, 0},
  {"yaw=3", 0, 0, 3, 1, 0},
  {"zoom=1.1", 0, 0, 0, 1.1, 0},
  {"k1=0.3", 0, 0, 0, 1, 0.3},
  {"roll=-5 pitch=2 yaw=-4 zoom=0.93 k1=-0.2", -5, 2, -4, 0.93, -0.2},
};

LOOP_TEST (test_turned_views, 0, G_N_ELEMENTS (turns))
{
  const Turn *turn = &turns[__i__];
  Picture before = render (1, DISTURBED_CAPS, "view=right pattern=slanted");
  Picture after = render (1, DISTURBED_CAPS, "view=right pattern=slanted %s",
      turn->properties);
  gdouble right = get_difference (&before, &after, turn, 1);
  gdouble wrong = get_difference (&before, &after, turn, -1);

  fail_unless (right < 3, "%g", right);
  fail_unless (wrong > 3 * right, "%g and %g", wrong, right);
  drop_picture (&before);
  drop_picture (&after);
}

TEST (test_blur)
{
  const gdouble sigma = 1.7;
  Picture before = render (1, DISTURBED_CAPS, "view=right pattern=planes");
  Picture after = render (1, DISTURBED_CAPS,
      "view=right pattern=planes blur=1.7");

  for (gint y = 10; y < 140; y += 3) {
    for (gint x = 10; x < 190; x++) {
      gdouble sum = 0, total = 0;

      for (gint j = -10; j <= 10; j++) {
        for (gint i = -10; i <= 10; i++) {
          gdouble weight = exp (-(i * i + j * j) / (2 * sigma * sigma));

          sum += weight * grey (&before, x + i, y + j);
          total += weight;
        }
      }
      REQUIRE (fabs (sum / total - grey (&after, x, y)) < 1.5);
    }
  }
  drop_picture (&before);
  drop_picture (&after);
}

/* The extremes of all properties at all sizes and patterns. */
LOOP_TEST (test_strong_disturbances, 0, G_N_ELEMENTS (patterns))
{
  static const gchar *const extremes[] = {
    "roll=45 pitch=45 yaw=45 zoom=0.5 k1=0.5 blur=16 rows=16384 delay=1000",
    "roll=-45 pitch=-45 yaw=-45 zoom=2 k1=-0.5 blur=0.1 rows=-16384 drift=-45",
    "yaw=45 k1=-0.5 zoom=0.5 rows=-10", "pitch=-45 k1=0.5 zoom=0.5 drift=45",
  };
  static const gint sizes[][2] = { {1, 1}, {3, 90}, {90, 3}, {64, 40} };

  for (guint e = 0; e < G_N_ELEMENTS (extremes); e++) {
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
      gchar *caps = caps_of ("I420", sizes[s][0], sizes[s][1]);
      Picture p = render (2, caps, "view=right pattern=%s %s",
          patterns[__i__], extremes[e]);

      drop_picture (&p);
      g_free (caps);
    }
  }
}

/* A sudden motion at frame 3. */
TEST (test_controlled_disturbance)
{
  static const struct
  {
    const gchar *name;
    gdouble value;              /* of the range, from 0 to 1 */
  } motions[] = {
    {"roll", 0.52}, {"pitch", 0.49}, {"yaw", 0.51}, {"zoom", 0.4},
    {"rows", 0.5002}, {"k1", 0.7}, {"swap", 1}, {"blur", 0.1}, {"delay", 0.002},
    {"drift", 0.55},
  };

  for (guint i = 0; i < G_N_ELEMENTS (motions); i++) {
    GstHarness *h = new_harness ("name=src view=right", DISTURBED_CAPS);
    GstElement *src = gst_harness_find_element (h, "stereotestsrc");
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (src),
        motions[i].name);
    GstControlSource *control = gst_interpolation_control_source_new ();
    GValue initial = G_VALUE_INIT;
    gdouble before = 0;

    fail_unless (spec != NULL && (spec->flags & GST_PARAM_CONTROLLABLE));
    g_value_init (&initial, spec->value_type);
    g_object_get_property (G_OBJECT (src), motions[i].name, &initial);
    if (G_IS_PARAM_SPEC_DOUBLE (spec))
      before = (g_value_get_double (&initial)
          - G_PARAM_SPEC_DOUBLE (spec)->minimum)
          / (G_PARAM_SPEC_DOUBLE (spec)->maximum
          - G_PARAM_SPEC_DOUBLE (spec)->minimum);
    g_value_unset (&initial);
    g_object_set (control, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
    gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE
        (control), 0, before);
    gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE
        (control), 3 * GST_SECOND / 10, motions[i].value);
    fail_unless (gst_object_add_control_binding (GST_OBJECT (src),
            gst_direct_control_binding_new (GST_OBJECT (src), motions[i].name,
                control)));
    gst_harness_play (h);
    for (guint n = 0; n < 5; n++) {
      Picture p = pull_picture (h);
      Picture calm = render (n, DISTURBED_CAPS, "view=right");

      fail_unless (is_equal (&p, &calm) == (n < 3), "%s, frame %u",
          motions[i].name, n);
      drop_picture (&p);
      drop_picture (&calm);
    }
    gst_object_unref (control);
    gst_object_unref (src);
    gst_harness_teardown (h);
  }
}

/* ---------------------------------------------------------- noise, exposure */

#define NOISE_CAPS "video/x-raw,format=GRAY8,width=200,height=160"

TEST (test_noise)
{
  static const gdouble levels[] = { 1.5, 6 };

  for (guint l = 0; l < G_N_ELEMENTS (levels); l++) {
    Picture clean[2], noisy[2];
    gdouble sum[2] = { 0, 0 }, square[2] = { 0, 0 }, both = 0;
    guint n = 200 * 160;

    for (guint v = 0; v < 2; v++) {
      clean[v] = render (3, NOISE_CAPS, "pattern=slanted view=%s", views[v]);
      noisy[v] = render (3, NOISE_CAPS, "pattern=slanted view=%s noise=%g",
          views[v], levels[l]);
    }
    for (gint y = 0; y < 160; y++) {
      for (gint x = 0; x < 200; x++) {
        gint a = grey (&noisy[0], x, y) - grey (&clean[0], x, y);
        gint b = grey (&noisy[1], x, y) - grey (&clean[1], x, y);

        sum[0] += a;
        sum[1] += b;
        square[0] += a * a;
        square[1] += b * b;
        both += a * b;
      }
    }
    for (guint v = 0; v < 2; v++) {
      /* rounding adds a variance of 1/12 to each image */
      gdouble deviation = sqrt (square[v] / n - 1 / 6.0);

      fail_unless (fabs (sum[v] / n) < 0.1);
      fail_unless (fabs (deviation / levels[l] - 1) < 0.06,
          "%g, expected %g", deviation, levels[l]);
      drop_picture (&clean[v]);
      drop_picture (&noisy[v]);
    }
    fail_unless (fabs (both / sqrt (square[0] * square[1])) < 0.03);
  }
}

TEST (test_exposure)
{
  for (gint offset = -9; offset <= 9; offset += 18) {
    for (guint v = 0; v < 2; v++) {
      Picture a = render (0, NOISE_CAPS, "view=%s", views[v]);
      Picture b = render (0, NOISE_CAPS, "view=%s exposure-offset=%d", views[v],
          offset);
      gdouble sum = 0;

      for (gint y = 0; y < 160; y++) {
        for (gint x = 0; x < 200; x++)
          sum += grey (&b, x, y) - grey (&a, x, y);
      }
      fail_unless (fabs (sum / (200 * 160) - (v == 0 ? 0 : offset)) < 0.3);
      drop_picture (&a);
      drop_picture (&b);
    }
  }
}

/* --------------------------------------------------------------------- time */

TEST (test_timestamps)
{
  GstHarness *h = new_harness ("num-buffers=100",
      "video/x-raw,width=8,height=8,framerate=30000/1001");
  GstClockTime next = 0;
  GstBuffer *buffer;

  gst_harness_play (h);
  for (guint i = 0; i < 100; i++) {
    buffer = gst_harness_pull (h);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), next);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), i);
    next = GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer);
    fail_unless_equals_uint64 (next, gst_util_uint64_scale (i + 1,
            1001 * GST_SECOND, 30000));
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);

  /* still image */
  h = new_harness ("", "video/x-raw,width=8,height=8,framerate=0/1");
  gst_harness_play (h);
  buffer = gst_harness_pull (h);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 0);
  fail_if (GST_BUFFER_DURATION_IS_VALID (buffer));
  gst_buffer_unref (buffer);
  gst_event_unref (wait_event (h, GST_EVENT_EOS));
  fail_unless_equals_int (gst_harness_buffers_received (h), 1);
  gst_harness_teardown (h);
}

TEST (test_live)
{
  GstHarness *h = new_harness ("is-live=true noise=1",
      "video/x-raw,width=16,height=8,framerate=10/1,format=GRAY8");
  Picture p, other;

  gst_harness_play (h);
  for (guint i = 0; i < 4; i++) {
    fail_unless (gst_harness_wait_for_clock_id_waits (h, 1, 10));
    fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
    fail_unless (gst_harness_crank_single_clock_wait (h));
    p = pull_picture (h);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (p.buffer), i * GST_SECOND / 10);
    other = render (i, "video/x-raw,width=16,height=8,framerate=10/1,"
        "format=GRAY8", "noise=1");
    fail_unless (is_equal (&p, &other));
    drop_picture (&p);
    drop_picture (&other);
  }
  fail_unless_equals_uint64 (gst_harness_query_latency (h), GST_SECOND / 10);
  gst_harness_teardown (h);
}

/* GstBaseSrc shifts timestamps by the time at which a live source starts, so
 * maps cannot name the images of another source. */
TEST (test_live_map)
{
  GstHarness *h = new_harness ("is-live=true view=disparity",
      "video/x-raw,width=16,height=8,framerate=10/1,format=GRAY8");
  const GstStructure *meta;
  GstBuffer *buffer;
  guint64 left = 0;

  gst_harness_set_time (h, 30 * GST_MSECOND);
  gst_harness_play (h);
  fail_unless (gst_harness_wait_for_clock_id_waits (h, 1, 10));
  fail_unless (gst_harness_crank_single_clock_wait (h));
  buffer = gst_harness_pull (h);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 30 * GST_MSECOND);
  meta = gst_custom_meta_get_structure (gst_buffer_get_custom_meta (buffer,
          GST_STEREO_DISPARITY_META));
  fail_unless (gst_structure_get_uint64 (meta, "left-pts", &left));
  fail_if (GST_CLOCK_TIME_IS_VALID (left));
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}

/* An element that waits for the other view queries it before all have caps. */
TEST (test_live_before_caps)
{
  GstElement *src = gst_element_factory_make ("stereotestsrc", NULL);
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min, max;
  gboolean live;

  g_object_set (src, "is-live", TRUE, NULL);
  gst_element_set_state (src, GST_STATE_READY);
  fail_unless (gst_element_query (src, query));
  gst_query_parse_latency (query, &live, &min, &max);
  fail_unless (live);
  fail_unless_equals_uint64 (min, 0);
  fail_unless_equals_uint64 (max, GST_CLOCK_TIME_NONE);
  gst_query_unref (query);
  gst_element_set_state (src, GST_STATE_NULL);
  gst_object_unref (src);
}

/* Later frames show the same image; the meta of the ground truth contains its
 * timestamp. */
TEST (test_timestamp_offset)
{
  const gchar *caps = "video/x-raw,width=16,height=8,framerate=10/1,"
      "format=GRAY8";
  GstHarness *h = new_harness ("timestamp-offset=30000000 noise=1", caps);

  gst_harness_play (h);
  for (guint i = 0; i < 4; i++) {
    Picture p = pull_picture (h), other = render (i, caps, "noise=1");

    fail_unless_equals_uint64 (GST_BUFFER_PTS (p.buffer),
        i * GST_SECOND / 10 + 30 * GST_MSECOND);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (p.buffer),
        GST_SECOND / 10);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (p.buffer), i);
    fail_unless (is_equal (&p, &other));
    drop_picture (&p);
    drop_picture (&other);
  }
  gst_harness_teardown (h);
}

/* New values apply from the next frame. */
TEST (test_changing_properties)
{
  const gchar *caps = "video/x-raw,width=32,height=24,framerate=10/1,"
      "format=RGB";
  static const gchar *const changes[][2] = {
    {"pattern", "corridor"}, {"seed", "9"}, {"num-disparities", "5"},
    {"noise", "4"}, {"exposure-offset", "-12"}
  };
  GstHarness *h = new_harness ("is-live=true view=right", caps);
  GstElement *src = gst_harness_find_element (h, "stereotestsrc");
  GString *all = g_string_new ("view=right");
  Picture p, other;

  gst_harness_play (h);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    /* one frame is already rendered and waits for its time */
    fail_unless (gst_harness_wait_for_clock_id_waits (h, 1, 10));
    gst_util_set_object_arg (G_OBJECT (src), changes[i][0], changes[i][1]);
    g_string_append_printf (all, " %s=%s", changes[i][0], changes[i][1]);
    fail_unless (gst_harness_crank_single_clock_wait (h));
    p = pull_picture (h);
    drop_picture (&p);
    fail_unless (gst_harness_crank_single_clock_wait (h));
    p = pull_picture (h);
    other = render ((guint) GST_BUFFER_OFFSET (p.buffer), caps, "%s", all->str);
    fail_unless (is_equal (&p, &other), "%s", all->str);
    drop_picture (&p);
    drop_picture (&other);
  }
  g_string_free (all, TRUE);
  gst_object_unref (src);
  gst_harness_teardown (h);
}

/* Frames keep the size of their caps while view changes, in formats with any
 * number of planes. */
TEST (test_changing_the_view)
{
  static const struct
  {
    const gchar *from, *to, *format;
  } changes[] = {
    {"left", "disparity", "RGB"}, {"right", "disparity", "I420"},
    {"right", "side-by-side", "GRAY8"}, {"left", "top-bottom", "NV12"},
    {"side-by-side", "disparity", "RGBx"}, {"top-bottom", "left", "Y42B"},
    {"disparity", "left", "GRAY16_LE"}, {"disparity", "top-bottom", "GRAY8"}
  };

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    gchar *caps = caps_of (changes[i].format, 38, 26);
    gchar *properties = g_strdup_printf ("is-live=true view=%s "
        "num-disparities=9", changes[i].from);
    GstHarness *h = new_harness (properties, caps);
    GstElement *src = gst_harness_find_element (h, "stereotestsrc");
    Picture p, other;
    gint view, now;

    gst_harness_play (h);
    for (guint frame = 0; frame < 3; frame++) {
      fail_unless (gst_harness_wait_for_clock_id_waits (h, 1, 10));
      gst_util_set_object_arg (G_OBJECT (src), "view", changes[i].to);
      fail_unless (gst_harness_crank_single_clock_wait (h));
      p = pull_picture (h);
      other = render ((guint) GST_BUFFER_OFFSET (p.buffer), caps,
          "num-disparities=9 view=%s", changes[i].from);
      fail_unless (is_equal (&p, &other), "%s %s", changes[i].from,
          changes[i].to);
      drop_picture (&p);
      drop_picture (&other);
    }
    /* the property returns the new value */
    g_object_get (src, "view", &view, NULL);
    gst_util_set_object_arg (G_OBJECT (src), "view", changes[i].to);
    g_object_get (src, "view", &now, NULL);
    fail_unless_equals_int (view, now);
    gst_object_unref (src);
    gst_harness_teardown (h);
    g_free (properties);
    g_free (caps);
  }
}

typedef struct
{
  GArray *times;
  guint8 *bytes;
  gsize size;
} Log;

static void
log_buffer (G_GNUC_UNUSED GstElement * sink, GstBuffer * buffer,
    G_GNUC_UNUSED GstPad * pad, Log * log)
{
  GstClockTime pts = GST_BUFFER_PTS (buffer);

  g_array_append_val (log->times, pts);
  g_free (log->bytes);
  log->size = gst_buffer_get_size (buffer);
  log->bytes = g_malloc (log->size);
  gst_buffer_extract (buffer, 0, log->bytes, log->size);
}

/* Plays the five frames from 0.2 s back to 0. */
static void
seek_backwards (GstElement * pipeline)
{
  fail_unless (gst_element_seek (pipeline, -1, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET,
          GST_SECOND / 5));
}

/* Fails unless these frames were logged. */
static void
check_backwards (const Log * log)
{
  fail_unless_equals_int (log->times->len, 5);
  for (guint i = 0; i < 5; i++)
    fail_unless_equals_uint64 (g_array_index (log->times, GstClockTime, i),
        (4 - i) * GST_SECOND / 25);
}

#define SEEK_LINE "stereotestsrc name=src pattern=corridor ! video/x-raw," \
    "width=32,height=24,framerate=25/1,format=RGB ! fakesink name=sink " \
    "signal-handoffs=true sync=false"

TEST (test_seek)
{
  GstElement *pipeline = pipeline_new (SEEK_LINE);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  Picture picture = render (30, "video/x-raw,width=32,height=24,framerate=25/1,"
      "format=RGB", "pattern=corridor");
  Log log = { g_array_new (FALSE, FALSE, sizeof (GstClockTime)), NULL, 0 };

  g_signal_connect (sink, "preroll-handoff", G_CALLBACK (log_buffer), &log);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  pipeline_wait (pipeline, GST_MESSAGE_ASYNC_DONE);
  /* to the middle of frame 30 */
  fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
          30 * GST_SECOND / 25 + GST_MSECOND));
  pipeline_wait (pipeline, GST_MESSAGE_ASYNC_DONE);
  fail_unless_equals_int (log.times->len, 2);
  fail_unless_equals_uint64 (g_array_index (log.times, GstClockTime, 1),
      30 * GST_SECOND / 25);
  fail_unless (gst_buffer_memcmp (picture.buffer, 0, log.bytes, log.size) == 0);

  /* reverse playback */
  g_signal_handlers_disconnect_by_data (sink, &log);
  g_array_set_size (log.times, 0);
  g_signal_connect (sink, "handoff", G_CALLBACK (log_buffer), &log);
  seek_backwards (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  pipeline_wait (pipeline, GST_MESSAGE_EOS);
  check_backwards (&log);

  /* a segment with a stop */
  g_array_set_size (log.times, 0);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless (gst_element_seek (pipeline, 1, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, GST_SECOND,
          GST_SEEK_TYPE_SET, 2 * GST_SECOND));
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  pipeline_wait (pipeline, GST_MESSAGE_EOS);
  fail_unless_equals_int (log.times->len, 25);
  fail_unless_equals_uint64 (g_array_index (log.times, GstClockTime, 24),
      49 * GST_SECOND / 25);

  gst_element_set_state (pipeline, GST_STATE_NULL);
  drop_picture (&picture);
  g_array_free (log.times, TRUE);
  g_free (log.bytes);
  gst_object_unref (sink);
  pipeline_free (pipeline);
}

/* Asks for wider frames once, after the second one. */
static void
widen (G_GNUC_UNUSED GstElement * sink, G_GNUC_UNUSED GstBuffer * buffer,
    G_GNUC_UNUSED GstPad * pad, gpointer user_data)
{
  GstElement *filter = GST_ELEMENT (user_data);
  guint n = GPOINTER_TO_UINT (g_object_get_data (user_data, "n")) + 1;

  g_object_set_data (user_data, "n", GUINT_TO_POINTER (n));
  if (n == 2)
    gst_util_set_object_arg (G_OBJECT (filter), "caps",
        "video/x-raw,width=64,height=24,framerate=25/1,format=RGB");
}

/* Other caps do not end reverse playback. */
TEST (test_new_caps_in_reverse)
{
  GstElement *pipeline = pipeline_new ("stereotestsrc ! capsfilter name=f "
      "caps=video/x-raw,width=32,height=24,framerate=25/1,format=RGB ! "
      "fakesink name=sink signal-handoffs=true sync=false");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstElement *filter = gst_bin_get_by_name (GST_BIN (pipeline), "f");
  Log log = { g_array_new (FALSE, FALSE, sizeof (GstClockTime)), NULL, 0 };

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  pipeline_wait (pipeline, GST_MESSAGE_ASYNC_DONE);
  seek_backwards (pipeline);
  pipeline_wait (pipeline, GST_MESSAGE_ASYNC_DONE);
  g_signal_connect (sink, "handoff", G_CALLBACK (log_buffer), &log);
  g_signal_connect (sink, "handoff", G_CALLBACK (widen), filter);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  pipeline_wait (pipeline, GST_MESSAGE_EOS);
  check_backwards (&log);
  fail_unless_equals_int (log.size, 3 * 64 * 24);

  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_array_free (log.times, TRUE);
  g_free (log.bytes);
  gst_object_unref (filter);
  gst_object_unref (sink);
  pipeline_free (pipeline);
}

/* Reverse playback from an unknown end is refused; then a seek without
 * flush. */
TEST (test_seek_from_no_end)
{
  static const struct
  {
    GstFormat format;
    GstSeekType stop_type;
  } seeks[] = {
    {GST_FORMAT_TIME, GST_SEEK_TYPE_NONE},
    {GST_FORMAT_DEFAULT, GST_SEEK_TYPE_NONE},
    {GST_FORMAT_DEFAULT, GST_SEEK_TYPE_SET},
    {GST_FORMAT_BYTES, GST_SEEK_TYPE_SET},
  };
  GstElement *pipeline = pipeline_new (SEEK_LINE);

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  pipeline_wait (pipeline, GST_MESSAGE_ASYNC_DONE);
  for (guint s = 0; s < G_N_ELEMENTS (seeks); s++) {
    GstEvent *seek = gst_event_new_seek (-1, seeks[s].format,
        GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, seeks[s].stop_type, -1);

    /* also if it is repeated, as by the two inputs of a matcher */
    for (guint i = 0; i < 2; i++)
      fail_if (gst_element_send_event (pipeline, gst_event_ref (seek)));
    gst_event_unref (seek);
  }
  /* a refused seek has no effect: data continue in their segment */
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_usleep (20000);
  fail_unless (gst_element_seek (pipeline, 1, GST_FORMAT_TIME,
          GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0));
  pipeline_free (pipeline);
}

static GstPadProbeReturn
count_flushes (G_GNUC_UNUSED GstPad * pad, GstPadProbeInfo * info, guint * n)
{
  *n += GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
      == GST_EVENT_FLUSH_START;
  return GST_PAD_PROBE_OK;
}

/* A seek that several sinks of a graph send flushes once. */
TEST (test_repeated_seek)
{
  GstElement *pipeline = pipeline_new (SEEK_LINE);
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  GstPad *pad = gst_element_get_static_pad (src, "src");
  guint n = 0;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_FLUSH,
      (GstPadProbeCallback) count_flushes, &n, NULL);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  pipeline_wait (pipeline, GST_MESSAGE_ASYNC_DONE);
  for (guint i = 1; i <= 3; i++) {
    GstEvent *seek = gst_event_new_seek (1, GST_FORMAT_TIME,
        GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, i * GST_SECOND,
        GST_SEEK_TYPE_NONE, -1);

    for (guint k = 0; k < 2; k++)
      fail_unless (gst_pad_send_event (pad, gst_event_ref (seek)));
    fail_unless_equals_int (n, i);
    gst_event_unref (seek);
  }
  gst_object_unref (pad);
  gst_object_unref (src);
  pipeline_free (pipeline);
}

TEST (test_convert)
{
  GstElement *pipeline = pipeline_new ("stereotestsrc name=s ! "
      "video/x-raw,width=32,height=16,framerate=25/1 ! fakesink");
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstPad *pad = gst_element_get_static_pad (src, "src");
  gint64 value;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  pipeline_wait (pipeline, GST_MESSAGE_ASYNC_DONE);
  fail_unless (gst_pad_query_convert (pad, GST_FORMAT_DEFAULT, 5,
          GST_FORMAT_TIME, &value));
  fail_unless_equals_int64 (value, 200 * GST_MSECOND);
  fail_unless (gst_pad_query_convert (pad, GST_FORMAT_TIME, GST_SECOND,
          GST_FORMAT_DEFAULT, &value));
  fail_unless_equals_int64 (value, 25);
  gst_object_unref (pad);
  gst_object_unref (src);
  pipeline_free (pipeline);
}

/* Frames cannot be converted to time before caps. */
TEST (test_convert_before_caps)
{
  GstElement *src = gst_element_factory_make ("stereotestsrc", NULL);
  GstPad *pad = gst_element_get_static_pad (src, "src");
  gint64 value;

  fail_if (gst_pad_query_convert (pad, GST_FORMAT_DEFAULT, 5, GST_FORMAT_TIME,
          &value));
  gst_object_unref (pad);
  gst_object_unref (src);
}

TEST (test_states)
{
  GstElement *pipeline = pipeline_new (SEEK_LINE);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  Log log = { g_array_new (FALSE, FALSE, sizeof (GstClockTime)), NULL, 0 };
  guint8 *last = NULL;
  gint64 duration;

  g_object_set (src, "num-buffers", 5, NULL);
  g_signal_connect (sink, "handoff", G_CALLBACK (log_buffer), &log);
  for (guint i = 0; i < 2; i++) {
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    pipeline_wait (pipeline, GST_MESSAGE_EOS);
    fail_unless_equals_int (log.times->len, 5);
    fail_unless (gst_element_query_duration (pipeline, GST_FORMAT_TIME,
            &duration));
    fail_unless_equals_int64 (duration, GST_SECOND / 5);
    if (i == 0) {
      last = log.bytes;
      log.bytes = NULL;
    } else {
      fail_unless (memcmp (last, log.bytes, log.size) == 0);
    }
    g_array_set_size (log.times, 0);
    gst_element_set_state (pipeline, i == 0 ? GST_STATE_READY : GST_STATE_NULL);
  }
  g_free (last);
  g_free (log.bytes);
  g_array_free (log.times, TRUE);
  gst_object_unref (src);
  gst_object_unref (sink);
  pipeline_free (pipeline);
}

/* -------------------------------------------------------------- allocations */

TEST (test_padded)
{
  static const gchar *const some[] = { "RGB", "I420", "NV12", "GRAY16_LE" };

  for (guint v = 0; v < G_N_ELEMENTS (views); v++) {
    for (guint f = 0; f < G_N_ELEMENTS (some); f++) {
      gchar *caps = caps_of (some[f], 38, 26);
      gchar *properties = g_strdup_printf ("view=%s num-buffers=3 "
          "num-disparities=9", views[v]);
      GstHarness *h;
      Picture padded, plain;

      if (v < 4 || f == 3) {
        h = new_harness (properties, caps);
        propose_padding (h->sinkpad);
        gst_harness_play (h);
        padded = pull_picture (h);
        fail_unless (gst_buffer_get_video_meta (padded.buffer) != NULL);
        fail_unless (GST_VIDEO_FRAME_PLANE_STRIDE (&padded.frame, 0)
            >= 38 * GST_VIDEO_FRAME_COMP_PSTRIDE (&padded.frame, 0)
            + PADDING_COLUMNS);
        plain = render (0, caps, "%s", properties);
        fail_unless (is_equal (&padded, &plain));
        drop_picture (&padded);
        drop_picture (&plain);
        gst_harness_teardown (h);
      }
      g_free (properties);
      g_free (caps);
    }
  }
}

TEST (test_scale_too_large)
{
  GstElement *pipeline = pipeline_new ("stereotestsrc view=disparity "
      "num-disparities=1001 disparity-scale=100 ! video/x-raw,"
      "format=GRAY16_LE,width=8,height=8 ! fakesink");
  GError *error;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  error = pipeline_wait_error (pipeline, NULL);
  fail_unless (strstr (error->message, "65 or less") != NULL, "%s",
      error->message);
  g_error_free (error);
  pipeline_free (pipeline);
}

CHECK_MAIN ("stereotestsrc")
