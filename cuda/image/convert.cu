/* gst-stereomatching: making views of images, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "image/convert.h"
#include "core/queue-cuda.h"

namespace
{

const dim3 block (32, 8);

dim3
grid_for (int width, int height)
{
  return dim3 ((unsigned) (width + 31) / 32, (unsigned) (height + 7) / 8);
}

/* The pixel of this thread; whether it is in the image. */
__device__ bool
own_pixel (int width, int height, int *x, int *y)
{
  *x = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  *y = (int) (blockIdx.y * blockDim.y + threadIdx.y);
  return *x < width && *y < height;
}

__global__ void
convert_kernel (const StereoConversion c)
{
  int x, y;

  if (!own_pixel (c.width, c.height, &x, &y))
    return;
  const uint8_t *s = c.source + (size_t) y * c.source_stride
      + (size_t) x * c.pixel_bytes;
  uint8_t *row = c.target[0] + (size_t) y * c.target_stride;

  if (c.channels == 1 && c.r == c.b)
    row[x] = stereo_sample (s + c.r, c.sample_shift);
  else if (c.channels == 1)
    row[x] = stereo_luma (s[c.r], s[c.g], s[c.b]);
  else
    ((uint32_t *) row)[x] = s[c.r] | (uint32_t) s[c.g] << 8
        | (uint32_t) s[c.b] << 16;
}

/* How a thread reads the four pixels of its own, from column 4 n on. */
enum ChromaRead
{
  SAMPLES,                      /* one by one: any address, any format */
  PAIRS,                        /* U and V interleaved, two of each in a word */
  HALVES,                       /* two of U and two of V, 16 bits each */
  WORDS                         /* four of U and four of V */
};

template <typename T>
__device__ uint32_t
load (const uint8_t * from)
{
  return *(const T *) (const void *) from;
}

/* The chroma of a thread's pixels, less 128. */
template <ChromaRead read>
__device__ void
load_chroma (const StereoConversion & c, int x, int y, int16_t u[4],
    int16_t v[4])
{
  const uint8_t *us = c.u + (size_t) (y >> c.shift_y) * c.u_stride;
  const uint8_t *vs = c.v + (size_t) (y >> c.shift_y) * c.v_stride;
  uint32_t u_word = 0, v_word = 0;

  if (read == PAIRS) {
    /* the lower of the two addresses is that of the word */
    const bool v_first = vs < us;

    u_word = load<uint32_t> ((v_first ? vs : us) + x);
    v_word = u_word >> (v_first ? 0 : 8);
    u_word >>= v_first ? 8 : 0;
  } else if (read == HALVES) {
    u_word = load<uint16_t> (us + x / 2);
    v_word = load<uint16_t> (vs + x / 2);
  } else if (read == WORDS) {
    u_word = load<uint32_t> (us + x);
    v_word = load<uint32_t> (vs + x);
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    if (read == SAMPLES) {
      const size_t at = (size_t) (min (x + i, c.width - 1) >> c.shift_x)
          * c.chroma_bytes;

      u[i] = (int16_t) (stereo_sample (us + at, c.sample_shift) - 128);
      v[i] = (int16_t) (stereo_sample (vs + at, c.sample_shift) - 128);
    } else {
      const int shift = read == PAIRS ? i / 2 * 16
          : read == HALVES ? i / 2 * 8 : i * 8;

      u[i] = (int16_t) ((int) (u_word >> shift & 255) - 128);
      v[i] = (int16_t) ((int) (v_word >> shift & 255) - 128);
    }
  }
}

/* Four pixels of a row in each thread.  Rows of the target begin at multiples
 * of 16 bytes. */
template <ChromaRead read>
__global__ void
convert_yuv_kernel (const StereoConversion c)
{
  const int x = 4 * (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) (blockIdx.y * blockDim.y + threadIdx.y);

  if (x >= c.width || y >= c.height)
    return;
  const uint8_t *row = c.source + (size_t) y * c.source_stride;
  uint32_t luma = 0, rgb[4];
  int16_t u[4], v[4];

  if (read != SAMPLES && x + 4 <= c.width) {
    luma = load<uint32_t> (row + x);
    load_chroma<read> (c, x, y, u, v);
  } else {
    for (int i = 0; i < 4; i++)
      luma |= (uint32_t) stereo_sample (row + c.r
          + (size_t) min (x + i, c.width - 1) * c.pixel_bytes, c.sample_shift)
          << (8 * i);
    load_chroma<SAMPLES> (c, x, y, u, v);
  }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const int16_t l = (int16_t) (luma >> (8 * i) & 255);

    rgb[i] = stereo_yuv_red (&c.yuv, l, v[i])
        | (uint32_t) stereo_yuv_green (&c.yuv, l, u[i], v[i]) << 8
        | (uint32_t) stereo_yuv_blue (&c.yuv, l, u[i]) << 16;
  }
  uint32_t *target = (uint32_t *) (c.target[0] + (size_t) y * c.target_stride)
      + x;

  if (x + 4 <= c.width) {
    *(uint4 *) target = make_uint4 (rgb[0], rgb[1], rgb[2], rgb[3]);
  } else {
    for (int i = 0; x + i < c.width; i++)
      target[i] = rgb[i];
  }
}

/* ------------------------------------------------------------------- stages */

size_t
view_row_bytes (int width, int channels)
{
  return (size_t) width * (channels == 1 ? 1 : sizeof (uint32_t));
}

int
view_planes (int)
{
  return 1;
}

bool
aligned (const uint8_t * plane, size_t stride, size_t bytes)
{
  return (uintptr_t) plane % bytes == 0 && stride % bytes == 0;
}

/* The fastest way that the addresses allow. */
ChromaRead
chroma_read (const StereoConversion * c)
{
  const uint8_t *first = c->u < c->v ? c->u : c->v;

  if (c->pixel_bytes > 1 || !aligned (c->source, c->source_stride, 4))
    return SAMPLES;
  if (c->chroma_bytes == 2)
    return aligned (first, c->u_stride, 4) ? PAIRS : SAMPLES;
  if (c->shift_x == 1)
    return aligned (c->u, c->u_stride, 2) && aligned (c->v, c->v_stride, 2)
        ? HALVES : SAMPLES;
  return aligned (c->u, c->u_stride, 4) && aligned (c->v, c->v_stride, 4)
      ? WORDS : SAMPLES;
}

void
convert_yuv (const StereoConversion & c, cudaStream_t stream)
{
  const dim3 grid = grid_for ((c.width + 3) / 4, c.height);

  switch (chroma_read (&c)) {
    case PAIRS:
      convert_yuv_kernel<PAIRS> <<< grid, block, 0, stream >>> (c);
      break;
    case HALVES:
      convert_yuv_kernel<HALVES> <<< grid, block, 0, stream >>> (c);
      break;
    case WORDS:
      convert_yuv_kernel<WORDS> <<< grid, block, 0, stream >>> (c);
      break;
    default:
      convert_yuv_kernel<SAMPLES> <<< grid, block, 0, stream >>> (c);
  }
}

StereoStatus
convert (StereoQueue * queue, const StereoConversion * c)
{
  StereoCudaStage stage (queue);

  if (!stage.entered ())
    return stage.status ();
  if (c->u != NULL) {
    convert_yuv (*c, stage.stream ());
    return STEREO_CUDA_LAUNCHED (stage, "convert_yuv_kernel");
  }
  convert_kernel <<< grid_for (c->width, c->height), block, 0,
      stage.stream () >>> (*c);
  return STEREO_CUDA_LAUNCHED (stage, "convert_kernel");
}

}                               // namespace

extern "C" cudaError_t
stereo_cuda_probe (void)
{
  cudaFuncAttributes attributes;

  return cudaFuncGetAttributes (&attributes, convert_kernel);
}

extern "C" const void *stereo_convert_stages_cuda (void);

extern "C" const void *
stereo_convert_stages_cuda (void)
{
  static const StereoConvertStages stages = {
    .view_row_bytes = view_row_bytes,
    .view_planes = view_planes,
    .convert = convert,
  };

  return &stages;
}
