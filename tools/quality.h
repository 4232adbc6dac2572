/* gst-stereomatching: quality metrics of images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * quality.h: PSNR and SSIM of an image against a reference.
 */

#ifndef QUALITY_H
#define QUALITY_H

#include <stddef.h>
#include <stdint.h>

/* Peak signal-to-noise ratio of n 8-bit samples, in dB; infinite if they are
 * equal. */
double quality_psnr (const uint8_t * a, const uint8_t * b, size_t n);

/* The same of the change between two frames: a - a_before and b - b_before. */
double quality_psnr_of_change (const uint8_t * a, const uint8_t * a_before,
    const uint8_t * b, const uint8_t * b_before, size_t n);

/*
 * Structural similarity (Wang et al., IEEE TIP 2004) of the BT.601 luma of two
 * RGB images, rounded to integers: 11 x 11 windows with Gaussian weights of
 * sigma 1.5, K1 = 0.01, K2 = 0.03, averaged over all windows inside the image.
 * NAN for smaller images.
 */
double quality_ssim (const uint8_t * a, const uint8_t * b, int width,
    int height);

#endif /* QUALITY_H */
