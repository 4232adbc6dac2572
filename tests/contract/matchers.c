/* gst-stereomatching: contract tests of all matchers
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The promises of stereo.h, for every registered algorithm and every device of
 * the machine.  The reference is the plain CPU implementation, which
 * tests/kernels/ compares with independent oracles; here all other
 * implementations are compared with it, for any parameters within their ranges.
 */

#include "matchercase.h"

/* Any size, format, content and common parameters. */
TEST (test_devices)
{
  Random random = { 1 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 40; i++) {
      Case c;
      Images images;

      draw_case (algorithm, &random, &c);
      make_images (&c, &images, &random);
      check_case (&c, &images);
      clear_case (&c, &images);
    }
  }
}

/* Images larger than a tile and a band, with any parameters. */
TEST (test_large)
{
  Random random = { 6 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 7; i++) {
      Case c;
      Images images;

      draw_case (algorithm, &random, &c);
      /* some are wide, high, or have many disparities */
      c.width = random_range (&random, 150, i == 1 ? 1300 : 300);
      c.height = random_range (&random, i == 1 ? 1 : 70, i == 1 ? 50
          : i == 4 ? 330 : 150);
      c.fill = i % 2 ? FILL_RANDOM : FILL_SHIFTED;
      if (i % 2)
        draw_parameters (&c, &random);
      if (i == 6) {
        c.height = random_range (&random, 1, 30);
        set_parameter (&c, "num-disparities", random_range (&random, 70, 300));
        set_parameter (&c, "disparity-scale", random_range (&random, 1, 200));
      }
      make_images (&c, &images, &random);
      check_case (&c, &images);
      clear_case (&c, &images);
    }
  }
}

/* ------------------------------------------------------------ cost=learned */

#define N_INPUTS 24
#define N_BITS 24

/* Prints a row: a bias, then weights. */
static size_t
print_row (char *text, size_t size, int bias, int n, const int *weights)
{
  size_t used = (size_t) snprintf (text, size, "%d", bias);

  for (int i = 0; i < n; i++)
    used += (size_t) snprintf (text + used, size - used, " %d", weights[i]);
  return used + (size_t) snprintf (text + used, size - used, "\n");
}

/* A random network with up to 48 hidden numbers. */
static void
draw_network (Case * c, Random * random)
{
  char text[32768];
  const int n_hidden = random_range (random, 1, 48);
  int weights[48];
  StereoMessage why = { "" };
  size_t used = (size_t) snprintf (text, sizeof (text),
      "layer 1 1 24 %d %d\n", n_hidden, random_range (random, 4, 8));

  for (int layer = 0; layer < 2; layer++) {
    const int n = layer == 0 ? N_INPUTS : n_hidden;

    for (int row = 0; row < (layer == 0 ? n_hidden : N_BITS); row++) {
      for (int i = 0; i < n; i++)
        weights[i] = random_range (random, -7, 7) - (i == row) * 50;
      used += print_row (text + used, sizeof (text) - used,
          random_range (random, -200, 200), n, weights);
    }
    if (layer == 0)
      used += (size_t) snprintf (text + used, sizeof (text) - used,
          "layer 1 1 %d 24 0\n", n_hidden);
  }
  CHECK_INT (stereo_params_set_weights (c->params, text, used, &why), ==,
      STEREO_OK);
  CHECK_STRING (why.text, "");
}

/* The network that computes the census: h_j is -d_j if neighbour j is darker,
 * and sets bit j. */
static void
set_census_network (Case * c)
{
  char text[8192];
  size_t used = (size_t) snprintf (text, sizeof (text),
      "layer 1 1 24 24 6\n");

  for (int row = 0; row < 2 * N_BITS; row++) {
    int weights[N_INPUTS] = { 0 };

    if (row == N_BITS)
      used += (size_t) snprintf (text + used, sizeof (text) - used,
          "layer 1 1 24 24 0\n");
    weights[row % N_BITS] = row < N_BITS ? -64 : 3;
    used += print_row (text + used, sizeof (text) - used, 0, N_INPUTS,
        weights);
  }
  CHECK_INT (stereo_params_set_weights (c->params, text, used, NULL), ==,
      STEREO_OK);
}

/* Whether the algorithm has this cost; then it is set. */
static bool
set_cost (Case * c, const char *cost)
{
  double value;

  if (!stereo_params_get (c->params, "cost", &value))
    return false;
  CHECK_INT (stereo_params_set_text (c->params, "cost", cost, NULL), ==,
      STEREO_OK);
  return true;
}

TEST (test_learned)
{
  Random random = { 11 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 8; i++) {
      Case c;
      Images images;

      draw_case (algorithm, &random, &c);
      make_images (&c, &images, &random);
      if (set_cost (&c, "learned")) {
        if (i > 1)
          draw_network (&c, &random);
        check_case (&c, &images);
      }
      clear_case (&c, &images);
    }
  }
}

/* One of the networks gives the maps of cost=census. */
TEST (test_learned_census)
{
  Random random = { 12 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 4; i++) {
      Case c;
      Images images;

      draw_case (algorithm, &random, &c);
      c.fill = FILL_SHIFTED;
      make_images (&c, &images, &random);
      if (set_cost (&c, "census")) {
        match (0, c.params, c.name, &images.left, &images.right,
            &images.expected);
        set_cost (&c, "learned");
        set_census_network (&c);
        match (0, c.params, c.name, &images.left, &images.right, &images.map);
        report_case (&c, &images, "learned instead of census",
            first_difference (&images.map, &images.expected));
      }
      clear_case (&c, &images);
    }
  }
}

/* Any values of all parameters. */
TEST (test_parameters)
{
  Random random = { 2 };

  FOR_EACH_ALGORITHM (algorithm) {
    for (int i = 0; i < 40; i++) {
      Case c;
      Images images;

      draw_case (algorithm, &random, &c);
      c.width = random_range (&random, 1, 70);
      c.height = random_range (&random, 1, 40);
      draw_parameters (&c, &random);
      make_images (&c, &images, &random);
      check_case (&c, &images);
      clear_case (&c, &images);
    }
  }
}

/* Grey pixels give the same map in every RGB format. */
TEST (test_grey_is_grey)
{
  Random random = { 3 };

  FOR_EACH_ALGORITHM (algorithm) {
    Case c, color;
    Images images, of_color;

    draw_case (algorithm, &random, &c);
    c.width = 70;
    c.height = 33;
    c.left = c.right = STEREO_FORMAT_GRAY8;
    c.fill = FILL_SHIFTED;
    color = c;
    color.left = STEREO_FORMAT_RGB;
    color.right = STEREO_FORMAT_BGRX;
    make_images (&c, &images, &random);
    make_images (&color, &of_color, &random);
    copy_grey (&images.left, &of_color.left);
    copy_grey (&images.right, &of_color.right);
    for (size_t d = 0; d < devices_count (); d++) {
      match (d, c.params, c.name, &images.left, &images.right, &images.map);
      match (d, c.params, c.name, &of_color.left, &of_color.right,
          &of_color.map);
      report_case (&color, &of_color, stereo_device_name (devices_get (d)),
          first_difference (&of_color.map, &images.map));
    }
    color.params = NULL;
    clear_case (&c, &images);
    clear_case (&color, &of_color);
  }
}

/* More threads than rows, and bands of any height. */
TEST (test_threads)
{
  static const unsigned threads[] = { 4, 5, 7, 16, 33 };
  Random random = { 7 };

  for (size_t t = 0; t < sizeof (threads) / sizeof (threads[0]); t++) {
    StereoDevice *device = NULL;

    REQUIRE (stereo_device_new_cpu (threads[t], STEREO_SIMD_AUTO, &device,
            NULL) == STEREO_OK);
    FOR_EACH_ALGORITHM (algorithm) {
      for (int i = 0; i < 12; i++) {
        StereoMatcher *matcher;
        Images images;
        Case c;

        draw_case (algorithm, &random, &c);
        c.width = random_range (&random, 3, 60);
        c.height = random_range (&random, 1, i % 3 ? 60 : 200);
        if (i % 2)
          draw_parameters (&c, &random);
        make_images (&c, &images, &random);
        match (0, c.params, c.name, &images.left, &images.right,
            &images.expected);
        matcher = matcher_new (&c, &images, device);
        check_frame (matcher, device, &c, &images);
        stereo_matcher_free (&matcher);
        clear_case (&c, &images);
      }
    }
    stereo_device_unref (&device);
  }
}

/* A random case of a random algorithm; one in 16 is large. */
static size_t
run_random (Random * random)
{
  size_t n = 0;
  Images images;
  Case c;

  while (stereo_algorithm_get (n) != NULL)
    n++;
  draw_case (stereo_algorithm_get (random_next (random) % n), random, &c);
  if (random_range (random, 0, 15) == 0) {
    c.width = random_range (random, 130, 400);
    c.height = random_range (random, 70, 200);
  }
  draw_parameters (&c, random);
  make_images (&c, &images, random);
  check_case (&c, &images);
  clear_case (&c, &images);
  return devices_count () - 1;
}

int
main (int argc, char **argv)
{
  return harness_main (argc, argv, run_random);
}
