/* gst-stereomatching: conversion of images to views, on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "image/convert.h"

#include "core/launch.cuh"
#include "image/mirror.cuh"

namespace
{

/* One or two images of the same size, by blockIdx.z. */
struct Conversions
{
  StereoConversion images[2];
};

typedef void (*ConvertKernel) (const Conversions);

__global__ void
convert_kernel (const __grid_constant__ Conversions conversions)
{
  const StereoConversion & c = conversions.images[blockIdx.z];
  int x, y;

  if (!stereo_own_pixel (c.width, c.height, &x, &y))
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

/* Loads of the chroma of four pixels. */
enum ChromaRead
{
  SAMPLES,                      /* single samples, any alignment and format */
  PAIRS,                        /* a word of two interleaved U and V */
  HALVES,                       /* two U and two V, 16 bits each */
  WORDS                         /* four U and four V, 32 bits each */
};

template <typename T>
__device__ uint32_t
load_chroma_word (const uint8_t * from)
{
  return *(const T *) (const void *) from;
}

/* Loads the chroma of four pixels and subtracts 128. */
template <ChromaRead read>
__device__ void
load_chroma (const StereoConversion & c, int x, int y, int16_t u[4],
    int16_t v[4])
{
  const uint8_t *us = c.u + (size_t) (y >> c.shift_y) * c.u_stride;
  const uint8_t *vs = c.v + (size_t) (y >> c.shift_y) * c.v_stride;
  uint32_t u_word = 0, v_word = 0;

  if (read == PAIRS) {
    /* The word starts at the lower address. */
    const bool v_first = vs < us;

    u_word = load_chroma_word<uint32_t> ((v_first ? vs : us) + x);
    v_word = u_word >> (v_first ? 0 : 8);
    u_word >>= v_first ? 8 : 0;
  } else if (read == HALVES) {
    u_word = load_chroma_word<uint16_t> (us + x / 2);
    v_word = load_chroma_word<uint16_t> (vs + x / 2);
  } else if (read == WORDS) {
    u_word = load_chroma_word<uint32_t> (us + x);
    v_word = load_chroma_word<uint32_t> (vs + x);
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

/* Each thread converts four pixels of a row.  Target rows are aligned to 16
 * bytes. */
template <ChromaRead read>
__global__ void
convert_yuv_kernel (const __grid_constant__ Conversions conversions)
{
  const StereoConversion & c = conversions.images[blockIdx.z];
  const int x = 4 * (int) (blockIdx.x * blockDim.x + threadIdx.x);
  const int y = (int) (blockIdx.y * blockDim.y + threadIdx.y);

  if (x >= c.width || y >= c.height)
    return;
  const uint8_t *row = c.source + (size_t) y * c.source_stride;
  uint32_t luma = 0, rgb[4];
  int16_t u[4], v[4];

  if (read != SAMPLES && x + 4 <= c.width) {
    luma = load_chroma_word<uint32_t> (row + x);
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
convert_row_bytes (int width, int channels)
{
  return (size_t) width * (channels == 1 ? 1 : sizeof (uint32_t));
}

int
convert_planes (int)
{
  return 1;
}

bool
rows_aligned (const uint8_t * plane, size_t stride, size_t bytes)
{
  return (uintptr_t) plane % bytes == 0 && stride % bytes == 0;
}

/* The widest loads that the alignment allows. */
ChromaRead
find_chroma_read (const StereoConversion * c)
{
  const uint8_t *first = c->u < c->v ? c->u : c->v;

  if (c->pixel_bytes > 1 || !rows_aligned (c->source, c->source_stride, 4))
    return SAMPLES;
  if (c->chroma_bytes == 2)
    return rows_aligned (first, c->u_stride, 4) ? PAIRS : SAMPLES;
  if (c->shift_x == 1)
    return rows_aligned (c->u, c->u_stride, 2)
        && rows_aligned (c->v, c->v_stride, 2) ? HALVES : SAMPLES;
  return rows_aligned (c->u, c->u_stride, 4)
      && rows_aligned (c->v, c->v_stride, 4) ? WORDS : SAMPLES;
}

ConvertKernel
find_kernel (const StereoConversion & c)
{
  static const ConvertKernel kernels[] = {
    convert_yuv_kernel<SAMPLES>, convert_yuv_kernel<PAIRS>,
    convert_yuv_kernel<HALVES>, convert_yuv_kernel<WORDS>
  };

  return c.u != NULL ? kernels[find_chroma_read (&c)] : convert_kernel;
}

/* One launch for each kernel that the images need. */
StereoStatus
convert_images (StereoQueue * queue, const StereoConversion * images, int n)
{
  StereoStatus status = STEREO_OK;
  int together;

  for (int i = 0; i < n && status == STEREO_OK; i += together) {
    const StereoConversion & c = images[i];
    const ConvertKernel kernel = find_kernel (c);
    dim3 grid = stereo_pixel_grid (c.u != NULL ? (c.width + 3) / 4 : c.width,
        c.height);

    together = i + 1 < n && find_kernel (images[i + 1]) == kernel ? 2 : 1;
    const Conversions conversions = { { c, images[i + together - 1] } };

    grid.z = (unsigned) together;
    status = run_kernel (queue, c.u != NULL ? "convert_yuv_kernel"
        : "convert_kernel", false, grid, stereo_pixel_block, 0, kernel,
        conversions);
  }
  return status;
}

StereoStatus
mirror_view (StereoQueue * queue, const StereoMirroredView * v)
{
  const StereoMirrorImages images = { v->width, v->height, 1,
    { v->view.plane[0] }, { v->target[0] }, v->view.stride, v->target_stride
  };

  return v->channels == 1 ? stereo_cuda_mirror_bytes (queue, images)
      : stereo_cuda_mirror_words (queue, images);
}

}                               // namespace

extern "C" cudaError_t
stereo_cuda_probe (int *capability)
{
  cudaFuncAttributes attributes;
  const cudaError_t error = cudaFuncGetAttributes (&attributes,
      convert_kernel);

  *capability = error == cudaSuccess ? attributes.ptxVersion : 0;
  return error;
}

extern "C" const void *
stereo_convert_stages_cuda (void)
{
  static const StereoConvertStages stages = {
    .view_row_bytes = convert_row_bytes,
    .view_planes = convert_planes,
    .convert = convert_images,
    .mirror = mirror_view,
  };

  return &stages;
}
