/* gst-stereomatching: tests of quality metrics
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "quality.h"
#include "test.h"

#include <math.h>

#define WIDTH 23
#define HEIGHT 17
#define N (3 * WIDTH * HEIGHT)

static void
fill (uint8_t * picture, int value)
{
  for (int i = 0; i < N; i++)
    picture[i] = (uint8_t) value;
}

static void
fill_random (uint8_t * picture, unsigned seed)
{
  for (int i = 0; i < N; i++) {
    seed = seed * 1103515245u + 12345u;
    picture[i] = (uint8_t) (seed >> 16);
  }
}

/* An error of 5 in all samples: 20 log10 (255 / 5); in a fourth of them: 6.02
 * dB more. */
TEST (test_psnr)
{
  uint8_t a[N], b[N];

  fill (a, 100);
  fill (b, 105);
  CHECK (isinf (quality_psnr (a, a, N)));
  CHECK_DOUBLE (fabs (quality_psnr (a, b, N) - 34.1514), <, 1e-4);
  CHECK_DOUBLE (fabs (quality_psnr (a, b, N) - quality_psnr (b, a, N)), <,
      1e-12);
  for (int i = 0; i < 400; i++)
    b[i] = i % 4 ? 100 : 105;
  CHECK_DOUBLE (fabs (quality_psnr (a, b, 400) - 40.1720), <, 1e-4);
}

/* A constant offset does not affect the change between frames. */
TEST (test_change)
{
  uint8_t a[N], before[N], truth[N], true_before[N];

  fill_random (truth, 1);
  for (int i = 0; i < N; i++) {
    truth[i] = (uint8_t) (20 + truth[i] / 2);
    true_before[i] = (uint8_t) (truth[i] - 10);
    a[i] = (uint8_t) (truth[i] + 7);
    before[i] = (uint8_t) (true_before[i] + 7);
  }
  CHECK (isinf (quality_psnr_of_change (a, before, truth, true_before, N)));
  for (int i = 0; i < N; i++)
    before[i] += 5;
  CHECK_DOUBLE (fabs (quality_psnr_of_change (a, before, truth, true_before,
              N) - 34.1514), <, 1e-4);
}

/* Without structure only the means differ. */
TEST (test_ssim_of_constants)
{
  const double c1 = 6.5025;
  uint8_t a[N], b[N];

  fill (a, 100);
  fill (b, 50);
  CHECK_DOUBLE (fabs (quality_ssim (a, a, WIDTH, HEIGHT) - 1), <, 1e-12);
  CHECK_DOUBLE (fabs (quality_ssim (a, b, WIDTH, HEIGHT)
          - (2 * 100 * 50 + c1) / (100 * 100 + 50 * 50 + c1)), <, 1e-9);
}

/* Luma of a pixel, in integers. */
static double
luma (const uint8_t * p)
{
  return (299 * p[0] + 587 * p[1] + 114 * p[2] + 500) / 1000;
}

/* One window, directly in two dimensions, with variances about the means. */
static double
window_at (const uint8_t * a, const uint8_t * b, int x, int y)
{
  double total = 0, ma = 0, mb = 0, va = 0, vb = 0, covariance = 0;

  for (int pass = 0; pass < 3; pass++) {
    for (int i = 0; i < 121; i++) {
      const int dx = i % 11 - 5, dy = i / 11 - 5;
      const int at = 3 * ((y + dy + 5) * WIDTH + x + dx + 5);
      const double w = exp (-(dx * dx + dy * dy) / 4.5) / (total > 0 && pass
          ? total : 1);

      if (pass == 0) {
        total += w;
      } else if (pass == 1) {
        ma += w * luma (a + at);
        mb += w * luma (b + at);
      } else {
        va += w * (luma (a + at) - ma) * (luma (a + at) - ma);
        vb += w * (luma (b + at) - mb) * (luma (b + at) - mb);
        covariance += w * (luma (a + at) - ma) * (luma (b + at) - mb);
      }
    }
  }
  return (2 * ma * mb + 6.5025) * (2 * covariance + 58.5225)
      / ((ma * ma + mb * mb + 6.5025) * (va + vb + 58.5225));
}

TEST (test_ssim_of_noise)
{
  uint8_t a[N], b[N];
  double sum = 0;

  fill_random (a, 1);
  fill_random (b, 2);
  for (int i = 0; i < N; i++)
    b[i] = (uint8_t) ((3 * a[i] + b[i]) / 4);
  for (int y = 0; y + 11 <= HEIGHT; y++) {
    for (int x = 0; x + 11 <= WIDTH; x++)
      sum += window_at (a, b, x, y);
  }
  sum /= (WIDTH - 10) * (HEIGHT - 10);
  CHECK_DOUBLE (sum, <, 0.99);
  CHECK_DOUBLE (fabs (quality_ssim (a, b, WIDTH, HEIGHT) - sum), <, 1e-9);
  CHECK (isnan (quality_ssim (a, b, 10, HEIGHT)));
  CHECK (isnan (quality_ssim (a, b, WIDTH, 10)));
}

TEST_MAIN ()
