/* gst-stereomatching: helpers of the kernel tests
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef HARNESS_H
#define HARNESS_H

#include "stereo-cuda.h"
#include "stereo.h"
#include "test.h"

/* ------------------------------------------------------------------- random */

typedef struct
{
  uint64_t state;
} Random;

uint32_t random_next (Random * random);

/* Between lowest and highest, inclusive. */
int random_range (Random * random, int lowest, int highest);

/* v, clamped to lo to hi. */
static inline int
limit_to (int v, int lo, int hi)
{
  return v < lo ? lo : v > hi ? hi : v;
}

/* ------------------------------------------------------------------- images */

/* An image with padded rows, surrounded by canaries. */
typedef struct
{
  StereoImage image;
  StereoColorimetry colorimetry;        /* of YUV formats */
  uint8_t *memory;
  size_t size;
  int n_planes;
  size_t row_bytes;             /* of plane 0 */
  int fill;                     /* argument of fill_pair() */
} TestImage;

/* Bytes per pixel of plane 0. */
size_t format_bytes (StereoFormat format);

/* Whether the format is RGB or YUV, not grey. */
bool format_has_color (StereoFormat format);

/* padding: bytes between rows, in all planes.  Fills the image with the
 * canary. */
void test_image_init (TestImage * image, StereoFormat format, int width,
    int height, size_t padding);
void test_image_clear (TestImage * image);

/* Declare images and pointers to parameters that are freed at the end of their
 * block. */
#define SCOPED_IMAGE __attribute__ ((cleanup (test_image_clear))) TestImage
#define SCOPED_PARAMS \
  __attribute__ ((cleanup (stereo_params_free))) StereoParams

uint8_t *test_image_row (const TestImage * image, int y);

/* Rows of a plane, bytes per row, and the address of a row. */
int plane_rows (const TestImage * image, int plane);
size_t plane_row_bytes (const TestImage * image, int plane);
uint8_t *plane_row (const TestImage * image, int plane, int y);

/* Y, U and V of a pixel; chroma of the nearest sample. */
void test_image_yuv (const TestImage * image, int x, int y, int yuv[3]);

/* R, G and B of Y, U and V, without rounding. */
void oracle_yuv (StereoColorimetry colorimetry, const int yuv[3],
    double rgb[3]);

/* A pixel as the oracles read it: R, G, B (equal for grey), and luma.  The luma
 * of YUV is Y, unless the matcher computes it from colour. */
void test_image_rgb (const TestImage * image, int x, int y, int rgb[3]);
int test_image_luma (const TestImage * image, bool color, int x, int y);

/* Whether all bytes outside the pixels are unchanged. */
bool test_image_intact (const TestImage * image);

/* Kinds of content, chosen to reach every branch and every extreme value. */
typedef enum
{
  FILL_RANDOM,                  /* random bytes */
  FILL_SHIFTED,                 /* a texture; the right view shifted, noisy */
  FILL_BLACK,
  FILL_WHITE,
  FILL_BLACK_AND_WHITE,         /* left and right; truncates all costs */
  FILL_CHECKER,                 /* 0 and 255, pixel by pixel */
  FILL_RAMP,
  FILL_IMPULSES,                /* a few bright pixels */
  N_FILLS
} Fill;

void fill_pair (TestImage * left, TestImage * right, Fill fill,
    Random * random);

/* Initializes both views, with some padding and this content. */
void init_pair (TestImage * left, TestImage * right, StereoFormat left_format,
    StereoFormat right_format, int width, int height, Fill fill,
    Random * random);

/* Copies each pixel of a GRAY8 image to all bytes of the same pixel of another
 * image. */
void copy_grey (const TestImage * from, TestImage * to);

/* Read or write the code of a pixel of a GRAY16_LE or GRAY8 map. */
int code_at (const TestImage * map, int x, int y);
void put_code (const TestImage * map, int x, int y, unsigned code);

/* Describes the first difference of two maps; NULL if they are equal. */
const char *first_difference (const TestImage * a, const TestImage * b);

/* ------------------------------------------------------------------ devices */

/* All devices of this machine: the CPU with each instruction set and 1 to 3
 * threads, then CUDA if available.  The first call creates them. */
size_t devices_count (void);
StereoDevice *devices_get (size_t index);
bool devices_have_cuda (void);

/* ----------------------------------------------------------------- matching */

/* Pairs of name and value, then NULL; values are doubles. */
StereoParams *params_new (const char *algorithm, const char *name, ...);

/* The value of a parameter, which must exist. */
double param (const StereoParams * params, const char *name);

/* Matches on a device, with a new configuration for every call.  Any failure,
 * and any byte written outside the output's pixels, fails the test. */
void match (size_t device, const StereoParams * params, const char *algorithm,
    const TestImage * left, const TestImage * right, TestImage * output);

/* The same with all outputs of the algorithm; NULL for unused ones. */
void match_results (size_t device, const StereoParams * params,
    const char *algorithm, const TestImage * left, const TestImage * right,
    TestImage * const results[STEREO_N_RESULTS]);

/* Times an algorithm on all devices and prints a table.  Arguments:
 * "property=value", WIDTHxHEIGHT, and "rgb" or "nv12" for colour.  On CUDA all
 * images are in device memory.  Returns the exit status. */
int bench (const char *algorithm, int argc, char **argv);

/* Runs a benchmark on each device.  Arguments: `cuda`, for the last device
 * only, and WIDTHxHEIGHT, by default 1920x1080.  Returns the exit status. */
int bench_devices (void (*run) (size_t device, int width, int height),
    int argc, char **argv);

/* Frees everything that these functions created on first use. */
void harness_free (void);

/* main() of a program with tests and random cases: runs the tests, or with
 * --random SEED COUNT that number of cases, each with the next seed. run()
 * returns the number of results compared; NULL without random cases.  The first
 * failed case ends the program, which prints its seed. */
int harness_main (int argc, char **argv, size_t (*run) (Random * random));

/* Runs the tests or, with --bench, evaluates the expression, with argc and argv
 * after --bench. */
#define KERNEL_MAIN(bench) \
  int \
  main (int argc, char **argv) \
  { \
    int status; \
\
    if (argc > 1 && strcmp (argv[1], "--bench") == 0) { \
      argc -= 2; \
      argv += 2; \
      status = bench; \
    } else { \
      status = test_run (argc, argv); \
    } \
    harness_free (); \
    return status; \
  }

#endif /* HARNESS_H */
