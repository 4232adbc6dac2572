/* gst-stereomatching: images to time matchers with
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bench-images.h"

#include <string.h>

/* Alignment of rows, in bytes, as in the devices. */
#define ROW_ALIGNMENT 256

/* Number of pairs in memory: enough that no frame uses those of the previous
 * one. */
#define MIN_SETS 3
#define MAX_SETS 4096

bool
bench_is_cpu (const StereoDevice * device)
{
  return strcmp (stereo_device_backend (device), "cpu") == 0;
}

/* ------------------------------------------------------------------ layouts */

/* The bytes of a pixel in plane 0, and of its chroma. */
typedef struct
{
  uint8_t bytes;                /* a pixel */
  int8_t r, g, b;               /* offsets; all equal: one luma byte */
  uint8_t u_plane, u;           /* plane of U and its offset in it */
  uint8_t v_plane, v;
  uint8_t step;                 /* between two samples of U; 0: no chroma */
  uint8_t half_x, half_y;       /* 1: chroma is subsampled */
  uint8_t shift;                /* of 8 bits in 16-bit words; 0: bytes */
} Layout;

static const Layout layouts[STEREO_N_FORMATS] = {
  [STEREO_FORMAT_GRAY8] = {1, 0, 0, 0},
  [STEREO_FORMAT_GRAY16_LE] = {2, 1, 1, 1},
  [STEREO_FORMAT_RGB] = {3, 0, 1, 2},
  [STEREO_FORMAT_BGR] = {3, 2, 1, 0},
  [STEREO_FORMAT_RGBX] = {4, 0, 1, 2},
  [STEREO_FORMAT_BGRX] = {4, 2, 1, 0},
  [STEREO_FORMAT_XRGB] = {4, 1, 2, 3},
  [STEREO_FORMAT_XBGR] = {4, 3, 2, 1},
  [STEREO_FORMAT_NV12] = {1, 0, 0, 0, 1, 0, 1, 1, 2, 1, 1},
  [STEREO_FORMAT_NV21] = {1, 0, 0, 0, 1, 1, 1, 0, 2, 1, 1},
  [STEREO_FORMAT_I420] = {1, 0, 0, 0, 1, 0, 2, 0, 1, 1, 1},
  [STEREO_FORMAT_YV12] = {1, 0, 0, 0, 2, 0, 1, 0, 1, 1, 1},
  [STEREO_FORMAT_Y42B] = {1, 0, 0, 0, 1, 0, 2, 0, 1, 1, 0},
  [STEREO_FORMAT_Y444] = {1, 0, 0, 0, 1, 0, 2, 0, 1, 0, 0},
  [STEREO_FORMAT_NV16] = {1, 0, 0, 0, 1, 0, 1, 1, 2, 1, 0},
  [STEREO_FORMAT_YUY2] = {2, 0, 0, 0, 0, 1, 0, 3, 4, 1, 0},
  [STEREO_FORMAT_UYVY] = {2, 1, 1, 1, 0, 0, 0, 2, 4, 1, 0},
  [STEREO_FORMAT_YVYU] = {2, 0, 0, 0, 0, 3, 0, 1, 4, 1, 0},
  [STEREO_FORMAT_P010_10LE] = {2, 1, 1, 1, 1, 1, 1, 3, 4, 1, 1},
  [STEREO_FORMAT_I420_10LE] = {2, 0, 0, 0, 1, 0, 2, 0, 2, 1, 1, 2},
  [STEREO_FORMAT_I422_10LE] = {2, 0, 0, 0, 1, 0, 2, 0, 2, 1, 0, 2},
  [STEREO_FORMAT_Y444_10LE] = {2, 0, 0, 0, 1, 0, 2, 0, 2, 0, 0, 2},
};

double
bench_traffic (const BenchCase * c)
{
  const Layout *layout = &layouts[c->format];
  int width = c->width, height = c->height;
  double bytes = (double) width * height * layout->bytes;

  if (layout->u_plane > 0 && c->setup != NULL
      && stereo_algorithm_uses_color (c->setup->algorithm))
    bytes += (layout->u_plane == layout->v_plane ? 1.0 : 2.0) * layout->step
        * ((width + layout->half_x) / (1 + layout->half_x))
        * ((height + layout->half_y) / (1 + layout->half_y));
  return 2 * bytes + 2.0 * width * height;
}

/* The chroma of a pixel. */
static uint8_t *
get_chroma (const StereoImage * image, const Layout * layout, int plane, int x,
    int y)
{
  return (uint8_t *) image->plane[plane]
      + (size_t) (y >> layout->half_y) * image->stride[plane]
      + (size_t) (x >> layout->half_x) * layout->step;
}

static void
put_sample (const Layout * layout, uint8_t * at, int value)
{
  int word = value << layout->shift;

  at[0] = (uint8_t) word;
  if (layout->shift > 0)
    at[1] = (uint8_t) (word >> 8);
}

static void
put_pixel (const StereoImage * image, int x, int y, const uint8_t * rgb)
{
  const Layout *layout = &layouts[image->format];
  uint8_t *pixel = (uint8_t *) image->plane[0]
      + (size_t) y * image->stride[0] + (size_t) x * layout->bytes;

  memset (pixel, 0, layout->bytes);
  /* BT.601, full range */
  if (layout->step > 0) {
    put_sample (layout, get_chroma (image, layout, layout->u_plane, x, y)
        + layout->u, ((128 * rgb[2] - 43 * rgb[0] - 85 * rgb[1]) >> 8) + 128);
    put_sample (layout, get_chroma (image, layout, layout->v_plane, x, y)
        + layout->v, ((128 * rgb[0] - 107 * rgb[1] - 21 * rgb[2]) >> 8) + 128);
  }
  if (layout->r == layout->g) {
    put_sample (layout, pixel + layout->r,
        (77 * rgb[0] + 150 * rgb[1] + 29 * rgb[2]) >> 8);
    return;
  }
  pixel[layout->r] = rgb[0];
  pixel[layout->g] = rgb[1];
  pixel[layout->b] = rgb[2];
}

/* ------------------------------------------------------------------- scenes */

/* xorshift64* (Marsaglia, Vigna). */
static uint64_t
next_random (uint64_t * state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545f4914f6cdd1dull;
}

#define TILE 80

/* Draws a tile of this colour, with noise, at its place in both views. */
static void
draw_tile (const BenchCase * c, StereoImage * left, StereoImage * right,
    int x0, int y0, int disparity, uint64_t color, uint64_t * state)
{
  for (int y = y0; y < c->height && y < y0 + TILE; y++) {
    for (int x = x0; x < c->width && x < x0 + TILE; x++) {
      uint64_t noise = next_random (state);
      uint8_t rgb[3];

      for (int i = 0; i < 3; i++)
        rgb[i] = (uint8_t) ((color >> (8 * i) & 0xdf)
            + (noise >> (56 - 8 * i) & 0x1f));
      put_pixel (left, x, y, rgb);
      if (x >= disparity)
        put_pixel (right, x - disparity, y, rgb);
    }
  }
}

/*
 * A scene of tiles with random colours and noise: a ground that comes nearer
 * from the top to the bottom, and half of the tiles in front of it, by an
 * eighth to a quarter of the disparities.  As in photographs, one pixel in
 * twelve has no partner, and a region has a part of the disparities only.
 */
static void
draw_scene (const BenchCase * c, StereoImage * left, StereoImage * right,
    uint64_t * state)
{
  const uint64_t tiles = *state;

  for (int y = 0; y < c->height; y++) {
    for (int x = 0; x < c->width; x++) {
      uint64_t value = next_random (state);
      uint8_t rgb[3] = { (uint8_t) (value >> 40), (uint8_t) (value >> 48),
        (uint8_t) (value >> 56)
      };

      put_pixel (right, x, y, rgb);
    }
  }
  for (int front = 0; front < 2; front++) {
    uint64_t next = tiles;

    for (int y = 0; y < c->height; y += TILE) {
      const int part = c->disparities / 8;
      const int ground = part + 4 * part * y / c->height;

      for (int x = 0; x < c->width; x += TILE) {
        const uint64_t tile = next_random (&next);
        const int distance = part + (int) (tile >> 32 & 0xffff) % (part + 1);

        if ((int) (tile >> 63) == front)
          draw_tile (c, left, right, x, y, ground + front * distance, tile,
              state);
      }
    }
  }
}

static void
convert_image (const Image * from, const BenchCase * c, StereoImage * image)
{
  const uint8_t *pixel = from->data;

  for (int y = 0; y < c->height; y++) {
    for (int x = 0; x < c->width; x++) {
      uint8_t rgb[3];

      for (int i = 0; i < 3; i++)
        rgb[i] = pixel[from->channels == 3 ? i : 0];
      put_pixel (image, x, y, rgb);
      pixel += from->channels;
    }
  }
}

/* -------------------------------------------------------------------- pools */

static size_t
round_up (size_t value)
{
  return (value + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

/* All planes are as large as the first one. */
static void
init_image (const BenchCase * c, StereoFormat format, StereoImage * image)
{
  const Layout *layout = &layouts[format];
  size_t width = (size_t) c->width;

  memset (image, 0, sizeof (*image));
  image->format = format;
  image->width = c->width;
  image->height = c->height;
  image->stride[0] = round_up (width * layout->bytes);
  for (int i = 1; i < 3; i++)
    image->stride[i] = round_up ((width + layout->half_x)
        / (1u + layout->half_x) * layout->step);
}

static StereoImage
place_image (const StereoImage * image, StereoMemory memory, uint8_t * start,
    size_t plane_bytes)
{
  StereoImage result = *image;

  result.memory = memory;
  for (int i = 0; i < 3; i++)
    result.plane[i] = start + (plane_bytes > 0 ? (size_t) i * plane_bytes : 0);
  return result;
}

void
bench_pool_get (const BenchPool * pool, bool on_device, size_t i,
    StereoImage * left, StereoImage * right, StereoImage * map)
{
  StereoMemory memory = on_device ? STEREO_MEMORY_DEVICE
      : STEREO_MEMORY_PINNED;
  uint8_t *start = (on_device ? pool->memory : pool->pinned)
      + i % pool->n * pool->set_bytes;
  size_t plane = pool->view.stride[0] * (size_t) pool->view.height;
  bool planar = pool->view_bytes > plane;

  *left = place_image (&pool->view, memory, start, planar ? plane : 0);
  *right = place_image (&pool->view, memory, start + pool->view_bytes,
      planar ? plane : 0);
  *map = place_image (&pool->map, memory, start + 2 * pool->view_bytes, 0);
}

void
bench_pool_clear (BenchPool * pool)
{
  void *pinned = pool->pinned, *memory = pool->memory;

  stereo_device_free_pinned (pool->device, &pinned);
  stereo_device_free (pool->device, &memory);
}

StereoStatus
bench_pool_make (BenchPool * pool, StereoDevice * device, const BenchCase * c,
    const BenchSettings * settings, StereoMessage * why)
{
  bool planar = c->format >= STEREO_FORMAT_NV12;
  uint64_t state = 0x9e3779b97f4a7c15ull;
  StereoImage left, right, map;
  StereoStatus status;
  void *memory = NULL;

  memset (pool, 0, sizeof (*pool));
  pool->device = device;
  init_image (c, c->format, &pool->view);
  init_image (c, STEREO_FORMAT_GRAY16_LE, &pool->map);
  pool->view_bytes = pool->view.stride[0] * (size_t) c->height
      * (planar ? 3 : 1);
  pool->set_bytes = 2 * pool->view_bytes
      + pool->map.stride[0] * (size_t) c->height;
  pool->n = settings->rotate / pool->set_bytes + 1;
  if (pool->n < MIN_SETS)
    pool->n = MIN_SETS;
  if (pool->n > MAX_SETS)
    pool->n = MAX_SETS;

  status = stereo_device_alloc_pinned (device, pool->n * pool->set_bytes,
      &memory, why);
  if (status != STEREO_OK)
    return status;
  pool->pinned = memory;
  memset (pool->pinned, 128, pool->n * pool->set_bytes);
  for (size_t i = 0; i < pool->n; i++) {
    bench_pool_get (pool, false, i, &left, &right, &map);
    if (settings->left != NULL) {
      convert_image (settings->left, c, &left);
      convert_image (settings->right, c, &right);
    } else {
      draw_scene (c, &left, &right, &state);
    }
  }
  if (bench_is_cpu (device))
    return STEREO_OK;

  memory = NULL;
  status = stereo_device_alloc (device, pool->n * pool->set_bytes, &memory,
      why);
  if (status == STEREO_OK) {
    pool->memory = memory;
    status = stereo_device_copy (device, pool->memory, pool->pinned,
        pool->n * pool->set_bytes, why);
  }
  return status;
}
