/* gst-stereomatching: how alike two pictures are
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * likeness.h: the usual two figures for a picture beside the true one.
 */

#ifndef LIKENESS_H
#define LIKENESS_H

#include <stddef.h>
#include <stdint.h>

/* Peak signal to noise ratio in dB, of 8 bits, over all n samples; infinite
 * for equal ones. */
double likeness_psnr (const uint8_t * a, const uint8_t * b, size_t n);

/* The same of how n samples change: a - a_before beside b - b_before. */
double likeness_psnr_of_change (const uint8_t * a, const uint8_t * a_before,
    const uint8_t * b, const uint8_t * b_before, size_t n);

/*
 * Structural similarity (Wang et al., IEEE TIP 2004) of the luma of two RGB
 * pictures, by BT.601, in whole levels: windows of 11 x 11 with a Gaussian
 * weight of sigma 1.5, K1 = 0.01, K2 = 0.03, the mean over all places where a
 * window lies inside.  NAN for pictures that have none.
 */
double likeness_ssim (const uint8_t * a, const uint8_t * b, int width,
    int height);

#endif /* LIKENESS_H */
