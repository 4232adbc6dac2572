/* gst-stereomatching: tests of the view operation on all devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The oracle implements the eight steps of geometry/view.h literally, without
 * optimisation: each pixel of a view tests all source pixels of its row, each
 * hole searches its own neighbours, and the arithmetic is 64-bit with explicit
 * rounding.
 */

#include "geometry/view.h"
#include "harness.h"
#include "viewbench.h"

#include <math.h>

#define NONE INT64_MIN

/* ------------------------------------------------------------------- oracle */

/* Division rounding towards minus infinity. */
static int64_t
floor_div (int64_t a, int64_t b)
{
  int64_t q = a / b;

  return q * b > a ? q - 1 : q;
}

static int64_t
rounded (int64_t q, int64_t e)
{
  return floor_div (q * e + 32768, 65536);
}

static bool
near (int64_t a, int64_t b, int64_t join)
{
  return llabs (a - b) <= join;
}

typedef struct
{
  int width;
  int64_t join;
  bool has_right;
  int64_t *e;
  int64_t *b;
  int (*left)[3];
  int (*right)[3];
} OracleRow;

static void
oracle_fill (const int64_t * from, int width, int64_t * to)
{
  for (int x = 0; x < width; x++) {
    int l = x, r = x;

    while (l >= 0 && from[l] == NONE)
      l--;
    while (r < width && from[r] == NONE)
      r++;
    if (l < 0 && r >= width)
      to[x] = 0;
    else if (l < 0)
      to[x] = from[r];
    else if (r >= width)
      to[x] = from[l];
    else
      to[x] = from[l] < from[r] ? from[l] : from[r];
  }
}

/* The disparity that is projected to pixel v of a view at position q. */
static int64_t
oracle_project (const int64_t * e, int width, int64_t join, int64_t q,
    int64_t t, int v)
{
  int64_t best = NONE;

  for (int x = 0; x < width; x++) {
    int64_t at = 256 * x - rounded (q, e[x]) + t, lo = at - 128, hi = at + 128;

    if (x > 0 && near (e[x - 1], e[x], join))
      lo = floor_div (256 * (x - 1) - rounded (q, e[x - 1]) + t + at, 2);
    if (x + 1 < width && near (e[x + 1], e[x], join))
      hi = floor_div (256 * (x + 1) - rounded (q, e[x + 1]) + t + at, 2);
    if (lo <= 256 * v && 256 * v < hi && e[x] > best)
      best = e[x];
  }
  return best;
}

static bool
oracle_edge (const int64_t * e, int width, int64_t join, int x)
{
  return (x > 0 && e[x - 1] > e[x] + join)
      || (x + 1 < width && e[x + 1] > e[x] + join);
}

/* Returns the quality of a sample and 256 times its colour. */
static int
oracle_fetch (const int64_t * e, int (*colors)[3], int width, int64_t join,
    int64_t s, int64_t z, int64_t color[3])
{
  int64_t x = floor_div (s, 256), f = s - 256 * x;
  bool counts[2] = { false, false };
  int quality = 2;

  if (s < -128 || s > 256 * (width - 1) + 128)
    return 0;
  for (int i = 0; i < 2; i++) {
    if (x + i < 0 || x + i >= width || (i == 1 && f == 0))
      continue;
    counts[i] = near (e[x + i], z, join);
    if (counts[i] && oracle_edge (e, width, join, (int) x + i))
      quality = 1;
  }
  for (int c = 0; c < 3; c++) {
    if (counts[0] && counts[1])
      color[c] = colors[x][c] * (256 - f) + colors[x + 1][c] * f;
    else if (counts[0] || counts[1])
      color[c] = 256 * colors[counts[0] ? x : x + 1][c];
  }
  return counts[0] || counts[1] ? quality : 0;
}

/* A row of a view at position p, shifted by t. */
static void
oracle_view (const OracleRow * row, int64_t p, int64_t t, int blending,
    const int black[3], int (*out)[3])
{
  const int w = row->width;
  SCOPED (free_scoped) int64_t *z = calloc ((size_t) w, sizeof (*z));
  SCOPED (free_scoped) int64_t *raw = calloc ((size_t) w, sizeof (*raw));
  SCOPED (free_scoped) bool *seen = calloc ((size_t) w, sizeof (*seen));
  int64_t wr = p < 0 ? 0 : p > 65536 ? 65536 : p;

  if (blending == STEREO_VIEW_NEAREST)
    wr = p > 32768 ? 65536 : 0;
  for (int v = 0; v < w; v++) {
    raw[v] = oracle_project (row->e, w, row->join, p, t, v);
    if (raw[v] == NONE && row->has_right)
      raw[v] = oracle_project (row->b, w, row->join, p - 65536, t, v);
  }
  oracle_fill (raw, w, z);
  for (int v = 0; v < w; v++) {
    int64_t l[3] = { 0, 0, 0 }, r[3] = { 0, 0, 0 }, g;
    int ql = oracle_fetch (row->e, row->left, w, row->join,
        256 * v - t + rounded (p, z[v]), z[v], l), qr = 0;

    if (row->has_right)
      qr = oracle_fetch (row->b, row->right, w, row->join,
          256 * v - t + rounded (p - 65536, z[v]), z[v], r);
    seen[v] = ql > 0 || qr > 0;
    if (ql == 0 || qr == 0) {
      g = ql == 0 ? 65536 : 0;
    } else {
      int64_t a = (65536 - wr) * (ql == 2 ? 8 : 1);
      int64_t b = wr * (qr == 2 ? 8 : 1);

      g = (b * 65536 + (a + b) / 2) / (a + b);
    }
    for (int c = 0; c < 3; c++)
      out[v][c] = (int) ((l[c] * (65536 - g) + r[c] * g + (1 << 23)) >> 24);
  }
  for (int v = 0; v < w; v++) {
    int from = v, to = v, end, step, n = 0, sum[3] = { 0, 0, 0 };

    if (seen[v])
      continue;
    while (from >= 0 && !seen[from])
      from--;
    while (to < w && !seen[to])
      to++;
    end = from;
    step = -1;
    if (from < 0 || (to < w && z[to] < z[from])) {
      end = to;
      step = 1;
    }
    for (int i = end; n < 4 && i >= 0 && i < w && seen[i]
        && near (z[i], z[end], row->join); i += step, n++) {
      for (int c = 0; c < 3; c++)
        sum[c] += out[i][c];
    }
    for (int c = 0; c < 3; c++)
      out[v][c] = n > 0 ? (2 * sum[c] + n) / (2 * n) : black[c];
  }
}

/* -------------------------------------------------------------------- cases */

typedef enum
{
  MAP_NOISE,
  MAP_SMOOTH,
  MAP_STEPS,
  MAP_HOLES,
  MAP_NOTHING,
  MAP_CONSTANT,
  N_MAPS
} MapKind;

typedef struct
{
  int width;
  int height;
  StereoFormat format;
  StereoFormat map_format;
  int factor;
  MapKind map;
  bool right;
  StereoViewParams params;
} Case;

typedef struct
{
  TestImage left;
  TestImage right;
  TestImage map;
  TestImage frame;
  int frame_width;
  int frame_height;
  int (*expected)[3];           /* pixels of the frame */
} Images;

static const StereoViewParams usual = {.position = 0.5,.separation = 1,
  .join = 2,.columns = 3,.rows = 2,.scale = 16
};

static bool
is_yuv (StereoFormat format)
{
  return format_has_color (format) && format >= STEREO_FORMAT_NV12;
}

/* Whether samples have 16 bits. */
static bool
is_wide (StereoFormat format)
{
  return format == STEREO_FORMAT_GRAY16_LE || format == STEREO_FORMAT_P010_10LE
      || format == STEREO_FORMAT_I420_10LE || format == STEREO_FORMAT_I422_10LE
      || format == STEREO_FORMAT_Y444_10LE;
}

static int
channels_of (StereoFormat format)
{
  return format == STEREO_FORMAT_GRAY8 || format == STEREO_FORMAT_GRAY16_LE
      ? 1 : 3;
}

/* The size of the block of pixels that share chroma. */
static void
block_of (StereoFormat format, int *bx, int *by)
{
  *bx = *by = 1;
  if (is_yuv (format) && format != STEREO_FORMAT_Y444
      && format != STEREO_FORMAT_Y444_10LE)
    *bx = 2;
  if ((format >= STEREO_FORMAT_NV12 && format <= STEREO_FORMAT_YV12)
      || format == STEREO_FORMAT_P010_10LE
      || format == STEREO_FORMAT_I420_10LE)
    *by = 2;
}

static int
get_word (const uint8_t * at)
{
  return at[0] + 256 * at[1];
}

/* P010 has samples in the upper bits, and interleaved U and V. */
static void
get_wide_pixel (const TestImage * image, int x, int y, int pixel[3])
{
  const bool p010 = image->image.format == STEREO_FORMAT_P010_10LE;
  int bx, by;

  block_of (image->image.format, &bx, &by);
  pixel[0] = get_word (plane_row (image, 0, y) + 2 * x);
  pixel[1] = pixel[2] = 0;
  for (int c = 1; c < channels_of (image->image.format); c++)
    pixel[c] = get_word (plane_row (image, p010 ? 1 : c, y / by)
        + (p010 ? x / bx * 4 + 2 * (c - 1) : x / bx * 2));
  for (int c = 0; c < 3 && p010; c++)
    pixel[c] /= 64;
}

static void
get_pixel (const TestImage * image, int x, int y, int pixel[3])
{
  if (is_wide (image->image.format)) {
    get_wide_pixel (image, x, y, pixel);
  } else if (is_yuv (image->image.format)) {
    test_image_yuv (image, x, y, pixel);
  } else {
    test_image_rgb (image, x, y, pixel);
    if (image->image.format == STEREO_FORMAT_GRAY8)
      pixel[1] = pixel[2] = 0;
  }
}

static void
fill_bytes (TestImage * image, Random * random)
{
  for (int p = 0; p < image->n_planes; p++) {
    for (int y = 0; y < plane_rows (image, p); y++) {
      for (size_t i = 0; i < plane_row_bytes (image, p); i++)
        plane_row (image, p, y)[i] = (uint8_t) random_next (random);
    }
  }
}

static void
fill_map (TestImage * map, MapKind kind, int invalid, Random * random)
{
  const bool wide = map->image.format == STEREO_FORMAT_GRAY16_LE;
  const int most = wide ? 1023 : 255, span = wide ? 300 : 20;

  for (int y = 0; y < map->image.height; y++) {
    uint8_t *row = test_image_row (map, y);
    int value = random_range (random, 1, most);
    int slope = random_range (random, -12, 12);

    for (int x = 0; x < map->image.width; x++) {
      int code = value;

      if (kind == MAP_NOISE)
        code = random_range (random, 0, most);
      else if (kind == MAP_SMOOTH)
        code = value += slope;
      else if (kind == MAP_STEPS && random_range (random, 0, 5) == 0)
        code = value += random_range (random, -span, span);
      else if (kind == MAP_HOLES && random_range (random, 0, 3) == 0)
        code = invalid;
      else if (kind == MAP_NOTHING)
        code = invalid;
      if (code < 0 || code > most)
        code = most / 2;
      row[wide ? 2 * x : x] = (uint8_t) code;
      if (wide)
        row[2 * x + 1] = (uint8_t) (code >> 8);
    }
  }
}

/* The smallest scale factor that a map of this size allows. */
static int
least_factor (int width, int height, int factor)
{
  int k = 1;

  while ((width + k - 1) / k != (width + factor - 1) / factor
      || (height + k - 1) / k != (height + factor - 1) / factor)
    k++;
  return k;
}

static void
make_images (const Case * c, Images * i, Random * random)
{
  const int k = c->factor;

  test_image_init (&i->left, c->format, c->width, c->height,
      (size_t) random_range (random, 0, 9));
  test_image_init (&i->right, c->format, c->width, c->height,
      (size_t) random_range (random, 0, 9));
  test_image_init (&i->map, c->map_format, (c->width + k - 1) / k,
      (c->height + k - 1) / k, (size_t) random_range (random, 0, 9));
  fill_bytes (&i->left, random);
  fill_bytes (&i->right, random);
  fill_map (&i->map, c->map, c->params.invalid_value, random);
  stereo_view_frame_size (&c->params, c->width, c->height, &i->frame_width,
      &i->frame_height);
  /* GRAY16_LE needs even addresses */
  test_image_init (&i->frame, c->format, i->frame_width, i->frame_height,
      (size_t) random_range (random, 0, 4) * 2);
  i->expected = calloc ((size_t) i->frame_width * (size_t) i->frame_height,
      sizeof (*i->expected));
  REQUIRE (i->expected != NULL);
}

static void
clear_images (Images * i)
{
  test_image_clear (&i->left);
  test_image_clear (&i->right);
  test_image_clear (&i->map);
  test_image_clear (&i->frame);
  free (i->expected);
}

/* Rows of the map and the images in the format of the oracle. */
static void
oracle_prepare (const Case * c, const Images * i, int y, OracleRow * row)
{
  const StereoViewParams *p = &c->params;
  const int w = c->width;
  const int64_t k = (int64_t) floor (16777216 / p->scale + 0.5);
  SCOPED (free_scoped) int64_t *raw = calloc ((size_t) w, sizeof (*raw));

  row->width = w;
  row->join = (int64_t) floor (256 * p->join + 0.5);
  row->has_right = c->right;
  row->e = calloc ((size_t) w, sizeof (*row->e));
  row->b = calloc ((size_t) w, sizeof (*row->b));
  row->left = calloc ((size_t) w, sizeof (*row->left));
  row->right = calloc ((size_t) w, sizeof (*row->right));
  for (int x = 0; x < w; x++) {
    int code = code_at (&i->map, x / c->factor, y / c->factor);

    raw[x] = c->factor * (rounded (k, code) + 256 * p->minimum);
    if (code == p->invalid_value)
      raw[x] = NONE;
    get_pixel (&i->left, x, y, row->left[x]);
    get_pixel (&i->right, x, y, row->right[x]);
  }
  oracle_fill (raw, w, row->e);
  for (int x = 0; x < w; x++)
    raw[x] = oracle_project (row->e, w, row->join, 65536, 0, x);
  oracle_fill (raw, w, row->b);
}

static void
oracle_release (OracleRow * row)
{
  free (row->e);
  free (row->b);
  free (row->left);
  free (row->right);
}

static int
grey_of (const int rgb[3])
{
  return (19589 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 32768) / 65536;
}

/* Whether a channel of an anaglyph is from the left eye, and whether it is
 * luma. */
static void
anaglyph_of (int kind, int channel, bool * left, bool * luma)
{
  static const char *const eyes[] = { "LRR", "RLR", "LLR", "lRR", "lrr" };
  char eye = eyes[kind][channel];

  *left = eye == 'L' || eye == 'l';
  *luma = eye == 'l' || eye == 'r';
}

/* Position of pixel (x, y) of a view in the frame; false if it is not drawn. */
static bool
place_of (const Case * c, int view, int *x, int *y)
{
  switch (c->params.layout) {
    case STEREO_VIEW_SIDE_BY_SIDE:
      *x += view * c->width;
      return true;
    case STEREO_VIEW_TOP_BOTTOM:
      *y += view * c->height;
      return true;
    case STEREO_VIEW_ROW_INTERLEAVED:
      return *y % 2 == view;
    case STEREO_VIEW_COLUMN_INTERLEAVED:
      return *x % 2 == view;
    case STEREO_VIEW_CHECKERBOARD:
      return (*x + *y) % 2 == view;
    case STEREO_VIEW_QUILT:
      *x += view % (int) c->params.columns * c->width;
      *y += ((int) c->params.rows - 1 - view / (int) c->params.columns)
          * c->height;
      return true;
    default:
      return true;
  }
}

static void
oracle_place (const Case * c, Images * i, int view, int y, int (*out)[3])
{
  for (int x = 0; x < c->width; x++) {
    int fx = x, fy = y, *to;

    if (!place_of (c, view, &fx, &fy))
      continue;
    to = i->expected[(size_t) fy * (size_t) i->frame_width + (size_t) fx];
    for (int k = 0; k < 3; k++) {
      bool left = true, luma = false;

      if (c->params.layout == STEREO_VIEW_ANAGLYPH)
        anaglyph_of (c->params.anaglyph, k, &left, &luma);
      if (c->params.layout != STEREO_VIEW_ANAGLYPH || left == (view == 0))
        to[k] = luma ? grey_of (out[x]) : out[x][k];
    }
  }
}

static void
oracle_frame (const Case * c, Images * i)
{
  const StereoViewParams *p = &c->params;
  const int unit = is_wide (c->format) ? 4 : 1;
  const int yuv_black[3] = { p->full_range ? 0 : 16 * unit, 128 * unit,
    128 * unit
  };
  const int zero[3] = { 0, 0, 0 };
  int views = 2;
  int (*out)[3] = calloc ((size_t) c->width, sizeof (*out));

  if (p->layout == STEREO_VIEW_MONO)
    views = 1;
  if (p->layout == STEREO_VIEW_QUILT)
    views = (int) (p->columns * p->rows);
  for (int y = 0; y < c->height; y++) {
    OracleRow row;

    oracle_prepare (c, i, y, &row);
    for (int v = 0; v < views; v++) {
      double at = p->position, middle = floor (65536 * p->position + 0.5);
      int64_t q, t;

      if (views > 1)
        at += p->separation * ((double) v / (views - 1) - 0.5);
      q = (int64_t) floor (65536 * at + 0.5);
      t = rounded (q - (int64_t) middle,
          (int64_t) floor (256 * p->convergence + 0.5));
      oracle_view (&row, q, t, p->blending,
          is_yuv (c->format) ? yuv_black : zero, out);
      oracle_place (c, i, v, y, out);
    }
    oracle_release (&row);
  }
  free (out);
}

/* ------------------------------------------------------------------- checks */

static bool
shares_chroma (StereoFormat format)
{
  int bx, by;

  block_of (format, &bx, &by);
  return bx > 1;
}

/* The expected chroma of a pixel: the mean of its block. */
static void
block_mean (const Images * i, int bx, int by, int x, int y, int pixel[3])
{
  int sum[3] = { 0, 0, 0 }, n = 0;

  for (int v = y / by * by; v < y / by * by + by && v < i->frame_height; v++) {
    for (int u = x / bx * bx; u < x / bx * bx + bx && u < i->frame_width; u++) {
      for (int c = 1; c < 3; c++)
        sum[c] += i->expected[(size_t) v * (size_t) i->frame_width
            + (size_t) u][c];
      n++;
    }
  }
  for (int c = 1; c < 3; c++)
    pixel[c] = (2 * sum[c] + n) / (2 * n);
}

static void
describe (const Case * c, size_t device, char *text, size_t size)
{
  const StereoViewParams *p = &c->params;

  snprintf (text, size, "%s: %dx%d %s, map %s / %d kind %d, right %d, layout "
      "%d, position %g, separation %g, convergence %g, join %g, blending %d, "
      "scale %g, minimum %d", stereo_device_name (devices_get (device)),
      c->width, c->height, stereo_format_name (c->format),
      stereo_format_name (c->map_format), c->factor, (int) c->map, c->right,
      p->layout, p->position, p->separation, p->convergence, p->join,
      p->blending, p->scale, p->minimum);
}

/* Whether the byte of a pixel that is no channel is 255, if there is one. */
static bool
has_padding (const Images * i, int x, int y)
{
  const uint8_t *row = plane_row (&i->frame, 0, y);

  switch (i->frame.image.format) {
    case STEREO_FORMAT_RGBX:
    case STEREO_FORMAT_BGRX:
      return row[4 * x + 3] == 255;
    case STEREO_FORMAT_XRGB:
    case STEREO_FORMAT_XBGR:
      return row[4 * x] == 255;
    default:
      return true;
  }
}

static void
compare (const Case * c, const Images * i, size_t device)
{
  int bx, by, wrong = 0, unpadded = 0;
  char text[400];

  block_of (c->format, &bx, &by);
  for (int y = 0; y < i->frame_height; y++) {
    for (int x = 0; x < i->frame_width; x++) {
      int expected[3], found[3];

      memcpy (expected, i->expected[(size_t) y * (size_t) i->frame_width
              + (size_t) x], sizeof (expected));
      if (bx > 1)
        block_mean (i, bx, by, x, y, expected);
      get_pixel (&i->frame, x, y, found);
      for (int k = 0; k < channels_of (c->format); k++) {
        if (found[k] == expected[k] || wrong++ > 2)
          continue;
        describe (c, device, text, sizeof (text));
        fprintf (stderr, "%s\n(%d, %d) channel %d is %d, expected %d\n", text,
            x, y, k, found[k], expected[k]);
      }
      unpadded += !has_padding (i, x, y);
    }
  }
  CHECK_INT (wrong, ==, 0);
  CHECK_INT (unpadded, ==, 0);
  CHECK (test_image_intact (&i->frame));
}

static StereoPortSetup
port_of (const TestImage * image)
{
  StereoPortSetup setup = { image->image.format, image->image.width,
    image->image.height, image->n_planes
  };

  return setup;
}

static StereoStatus
configure (StereoRunner * runner, const Case * c, const Images * i)
{
  StereoPortSetup inputs[3] = { port_of (&i->left), port_of (&i->right),
    port_of (&i->map)
  };
  StereoPortSetup output = port_of (&i->frame);

  return stereo_runner_configure (runner, inputs, &output, &c->params);
}

static StereoStatus
process (StereoRunner * runner, const Case * c, const Images * i)
{
  const StereoImage *inputs[3] = { &i->left.image,
    c->right ? &i->right.image : NULL, &i->map.image
  };
  const StereoImage *output = &i->frame.image;
  StereoStatus status = stereo_runner_process (runner, inputs, &output, NULL);

  return status == STEREO_OK ? stereo_runner_sync (runner) : status;
}

static StereoRunner *
new_runner (size_t device)
{
  StereoRunner *runner = NULL;

  REQUIRE (stereo_runner_new (&stereo_view_op, devices_get (device), &runner,
          NULL) == STEREO_OK);
  return runner;
}

static void
clear_frame (Images * i)
{
  for (int p = 0; p < i->frame.n_planes; p++) {
    for (int y = 0; y < plane_rows (&i->frame, p); y++)
      memset (plane_row (&i->frame, p, y), 0x77, plane_row_bytes (&i->frame,
              p));
  }
}

/* Tests one case on all devices. */
static void
check_case (const Case * given, Random * random)
{
  Case copy = *given, *c = &copy;
  Images i;

  c->factor = least_factor (c->width, c->height, c->factor);
  make_images (c, &i, random);
  oracle_frame (c, &i);
  for (size_t d = 0; d < devices_count (); d++) {
    StereoRunner *runner = new_runner (d);

    clear_frame (&i);
    CHECK_INT (configure (runner, c, &i), ==, STEREO_OK);
    CHECK_INT (process (runner, c, &i), ==, STEREO_OK);
    CHECK_STRING (stereo_runner_message (runner)->text, "");
    compare (c, &i, d);
    stereo_runner_free (&runner);
  }
  clear_images (&i);
}

static StereoFormat
any_format (Random * random)
{
  return (StereoFormat) random_range (random, 0, STEREO_N_FORMATS - 1);
}

static Case
random_case (Random * random)
{
  static const int widths[] = { 1, 2, 3, 4, 7, 15, 16, 17, 31, 32, 33, 48, 63,
    64, 65, 89, 127
  };
  Case c = {.params = usual };

  c.width = widths[random_next (random) % (sizeof (widths) / sizeof (int))];
  c.height = random_range (random, 1, 4);
  c.format = any_format (random);
  c.map_format = random_range (random, 0, 2) ? STEREO_FORMAT_GRAY16_LE
      : STEREO_FORMAT_GRAY8;
  c.factor = random_range (random, 0, 2) ? 1 : random_range (random, 2, 8);
  c.map = (MapKind) random_range (random, 0, N_MAPS - 1);
  c.right = random_range (random, 0, 3) != 0;
  c.params.position = random_range (random, -128, 192) / 64.0;
  if (random_range (random, 0, 3) == 0)
    c.params.position = random_range (random, 0, 1);
  c.params.convergence = random_range (random, 0, 2) ? 0
      : random_range (random, -80, 80) / 4.0;
  c.params.join = random_range (random, 1, 64) / 4.0;
  c.params.blending = random_range (random, 0, 4) == 0;
  c.params.scale = random_range (random, 0, 1) ? 16
      : random_range (random, 1, 900) / 8.0;
  c.params.minimum = random_range (random, 0, 2) ? 0
      : random_range (random, -40, 10);
  c.params.invalid_value = random_range (random, 0, 3) ? 0
      : random_range (random, -1, 255);
  c.params.full_range = random_range (random, 0, 1);
  return c;
}

TEST (test_random)
{
  Random random = { 15 };

  for (int i = 0; i < 500; i++) {
    Case c = random_case (&random);

    check_case (&c, &random);
  }
}

TEST (test_wide)
{
  Random random = { 3 };

  for (int i = 0; i < N_MAPS; i++) {
    Case c = random_case (&random);

    c.width = i % 2 ? 1919 : 1000;
    c.height = 2;
    c.map = (MapKind) i;
    check_case (&c, &random);
  }
}

/* The largest disparities of 24 bits. */
TEST (test_large)
{
  Random random = { 8 };

  for (int i = 0; i < 12; i++) {
    Case c = random_case (&random);

    c.map = i % 2 ? MAP_NOISE : MAP_SMOOTH;
    c.map_format = STEREO_FORMAT_GRAY16_LE;
    c.params.scale = 1.0 / 16;
    c.params.minimum = i % 3 ? 0 : -16384;
    c.params.invalid_value = -1;
    c.factor = 1;
    check_case (&c, &random);
  }
}

TEST (test_layouts)
{
  Random random = { 21 };

  for (int layout = 0; layout < STEREO_VIEW_N_LAYOUTS; layout++) {
    for (int i = 0; i < 30; i++) {
      Case c = random_case (&random);
      const bool rgb = layout == STEREO_VIEW_ANAGLYPH;
      const bool whole = layout >= STEREO_VIEW_ROW_INTERLEAVED
          && layout <= STEREO_VIEW_CHECKERBOARD;

      c.params.layout = layout;
      c.params.separation = random_range (&random, -16, 32) / 8.0;
      c.params.columns = (unsigned) random_range (&random, 1, 5);
      c.params.rows = (unsigned) random_range (&random, 1, 4);
      c.params.anaglyph = i % 5;
      c.params.position = random_range (&random, -4, 8) / 4.0;
      /* the outermost views at the cameras */
      if (i % 3 == 0) {
        c.params.separation = 1;
        c.params.position = 0.5;
      }
      while ((rgb && (is_yuv (c.format) || channels_of (c.format) == 1))
          || (whole && shares_chroma (c.format)))
        c.format = any_format (&random);
      if (is_yuv (c.format)) {
        c.width += c.width % 2;
        c.height += c.height % 2;
      }
      check_case (&c, &random);
    }
  }
}

static void
check_same (const TestImage * a, const TestImage * b)
{
  for (int y = 0; y < a->image.height; y++) {
    for (int x = 0; x < a->image.width; x++) {
      int p[3], q[3];

      get_pixel (a, x, y, p);
      get_pixel (b, x, y, q);
      CHECK (memcmp (p, q, sizeof (p)) == 0);
    }
  }
}

/* Positions 0 and 1 give the left and the right view, whatever the map. */
TEST (test_ends)
{
  Random random = { 4 };

  for (int f = 0; f < STEREO_N_FORMATS; f++) {
    for (int kind = 0; kind < N_MAPS; kind++) {
      Case c = {.width = 40 + f,.height = 7,.format = (StereoFormat) f,
        .map_format = STEREO_FORMAT_GRAY16_LE,.factor = 1 + kind % 2,
        .map = (MapKind) kind,.params = usual
      };
      Images i;

      make_images (&c, &i, &random);
      for (size_t d = 0; d < devices_count (); d++) {
        StereoRunner *runner = new_runner (d);

        for (int way = 0; way < 3; way++) {
          c.right = way < 2;
          c.params.position = way == 1 ? 1 : 0;
          CHECK_INT (configure (runner, &c, &i), ==, STEREO_OK);
          CHECK_INT (process (runner, &c, &i), ==, STEREO_OK);
          check_same (&i.frame, way == 1 ? &i.right : &i.left);
        }
        stereo_runner_free (&runner);
      }
      clear_images (&i);
    }
  }
}

/* A plane parallel to the image moves by whole pixels. */
TEST (test_constant)
{
  Random random = { 9 };
  Case c = {.width = 96,.height = 5,.format = STEREO_FORMAT_RGB,
    .map_format = STEREO_FORMAT_GRAY8,.factor = 1,.map = MAP_CONSTANT,
    .params = usual
  };
  Images i;

  c.params.scale = 1;
  make_images (&c, &i, &random);
  for (int y = 0; y < c.height; y++)
    memset (test_image_row (&i.map, y), 12, (size_t) c.width);
  for (size_t d = 0; d < devices_count (); d++) {
    StereoRunner *runner = new_runner (d);

    for (int step = -4; step <= 8; step++) {
      const int moved = 3 * step;

      c.params.position = step / 4.0;
      CHECK_INT (configure (runner, &c, &i), ==, STEREO_OK);
      CHECK_INT (process (runner, &c, &i), ==, STEREO_OK);
      for (int y = 0; y < c.height; y++) {
        for (int x = 24; x < c.width - 24; x++)
          CHECK (memcmp (test_image_row (&i.frame, y) + 3 * x,
                  test_image_row (&i.left, y) + 3 * (x + moved), 3) == 0);
      }
    }
    stereo_runner_free (&runner);
  }
  clear_images (&i);
}

/* These parameters may change between frames without configure(). */
TEST (test_set_params)
{
  Random random = { 31 };
  Case c = {.width = 61,.height = 6,.format = STEREO_FORMAT_NV12,
    .map_format = STEREO_FORMAT_GRAY16_LE,.factor = 1,.map = MAP_STEPS,
    .right = true,.params = usual
  };
  Images i;

  make_images (&c, &i, &random);
  for (size_t d = 0; d < devices_count (); d++) {
    StereoRunner *runner = new_runner (d);

    CHECK_INT (configure (runner, &c, &i), ==, STEREO_OK);
    for (int step = 0; step < 5; step++) {
      c.params.position = 0.3 * step;
      c.params.join = 1 + step;
      CHECK_INT (stereo_view_set_params (runner, &c.params), ==, STEREO_OK);
      CHECK_INT (process (runner, &c, &i), ==, STEREO_OK);
      oracle_frame (&c, &i);
      compare (&c, &i, d);
    }
    c.params.layout = STEREO_VIEW_QUILT;
    CHECK_INT (stereo_view_set_params (runner, &c.params), ==,
        STEREO_ERROR_ARGUMENT);
    CHECK_CONTAINS (stereo_runner_message (runner)->text,
        "configure the runner again");
    c.params.layout = STEREO_VIEW_MONO;
    stereo_runner_free (&runner);
  }
  clear_images (&i);
}

/* Messages of plan() about invalid setups. */
TEST (test_errors)
{
  static const struct
  {
    StereoFormat format, right, map;
    int width, height, map_width, map_height, frame_width, layout;
    const char *text;
  } cases[] = {
    {STEREO_FORMAT_RGB, STEREO_FORMAT_BGR, STEREO_FORMAT_GRAY8, 8, 8, 8, 8, 8,
        STEREO_VIEW_MONO, "have to have one format"},
    {STEREO_FORMAT_RGB, STEREO_FORMAT_RGB, STEREO_FORMAT_GRAY8, 8, 8, 7, 8, 8,
        STEREO_VIEW_MONO, "the map is 7x8: for views of 8x8"},
    {STEREO_FORMAT_RGB, STEREO_FORMAT_RGB, STEREO_FORMAT_GRAY8, 8, 8, 8, 8, 9,
        STEREO_VIEW_MONO, "the frame is 9x8, but mono of 8x8 is 8x8"},
    {STEREO_FORMAT_NV12, STEREO_FORMAT_NV12, STEREO_FORMAT_GRAY8, 8, 8, 8, 8,
        8, STEREO_VIEW_ANAGLYPH, "an anaglyph cannot be NV12"},
    {STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, STEREO_FORMAT_GRAY8, 8, 8, 8, 8,
        8, STEREO_VIEW_ANAGLYPH, "an anaglyph cannot be GRAY8"},
    {STEREO_FORMAT_GRAY16_LE, STEREO_FORMAT_GRAY16_LE, STEREO_FORMAT_GRAY8, 8,
        8, 8, 8, 8, STEREO_VIEW_ANAGLYPH, "an anaglyph cannot be GRAY16_LE"},
    {STEREO_FORMAT_P010_10LE, STEREO_FORMAT_P010_10LE, STEREO_FORMAT_GRAY8, 8,
        8, 8, 8, 8, STEREO_VIEW_ROW_INTERLEAVED,
        "row-interleaved cannot be P010_10LE"},
    {STEREO_FORMAT_YUY2, STEREO_FORMAT_YUY2, STEREO_FORMAT_GRAY8, 8, 8, 8, 8,
        8, STEREO_VIEW_CHECKERBOARD, "checkerboard cannot be YUY2"},
    {STEREO_FORMAT_NV12, STEREO_FORMAT_NV12, STEREO_FORMAT_GRAY8, 7, 8, 7, 8,
        14, STEREO_VIEW_SIDE_BY_SIDE, "the size has to be even"},
  };

  for (size_t k = 0; k < sizeof (cases) / sizeof (cases[0]); k++) {
    StereoViewParams params = usual;
    StereoPortSetup in[3] = {
      {cases[k].format, cases[k].width, cases[k].height, 1},
      {cases[k].right, cases[k].width, cases[k].height, 1},
      {cases[k].map, cases[k].map_width, cases[k].map_height, 1},
    };
    StereoPortSetup out = { cases[k].format, cases[k].frame_width,
      cases[k].height, 1
    };
    StereoRunner *runner = new_runner (0);

    params.layout = cases[k].layout;
    CHECK_INT (stereo_runner_configure (runner, in, &out, &params), ==,
        STEREO_ERROR_ARGUMENT);
    CHECK_CONTAINS (stereo_runner_message (runner)->text, cases[k].text);
    stereo_runner_free (&runner);
  }
}

KERNEL_MAIN (view_bench (argc, argv))
