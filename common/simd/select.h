/* gst-stereomatching: selects the stage table of an instruction set
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef STEREO_SIMD_SELECT_H
#define STEREO_SIMD_SELECT_H

#include "stereo.h"

/* The address of the stage table for the instruction set of a device.  plain is
 * the scalar table; prefix##generic, prefix##avx2 and prefix##avx512 are the
 * vector tables. */
#ifdef STEREO_X86
#define STEREO_SIMD_SELECT(simd, plain, prefix) \
  stereo_simd_select (simd, &(plain), &prefix##generic, &prefix##avx2, \
      &prefix##avx512)
#else
#define STEREO_SIMD_SELECT(simd, plain, prefix) \
  stereo_simd_select (simd, &(plain), &prefix##generic, NULL, NULL)
#endif

static inline const void *
stereo_simd_select (StereoSimd simd, const void *plain, const void *generic,
    const void *avx2, const void *avx512)
{
  const void *const tables[] = {
    [STEREO_SIMD_NONE] = plain,
    [STEREO_SIMD_GENERIC] = generic,
    [STEREO_SIMD_AVX2] = avx2,
    [STEREO_SIMD_AVX512] = avx512,
  };

  return tables[simd];
}

#endif /* STEREO_SIMD_SELECT_H */
