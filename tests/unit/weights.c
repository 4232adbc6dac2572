/* gst-stereomatching: tests of networks from text
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cost/learned.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#define INPUTS 24
#define BITS 24

/* Text that grows; lines begin where they are said to. */
typedef struct
{
  char data[65536];
  size_t length;
} Text;

#define ADD(text, ...) \
  ((text)->length += (size_t) snprintf ((text)->data + (text)->length, \
      sizeof ((text)->data) - (text)->length, __VA_ARGS__))

/* A row whose bias is its number; all weights are w, or other at one place. */
static void
add_row (Text * text, int bias, int n, int w, int place, int other)
{
  ADD (text, "%d", bias);
  for (int i = 0; i < n; i++)
    ADD (text, " %d", i == place ? other : w);
  ADD (text, "\n");
}

/* A network with n_hidden h_j. Line 1 is a comment, line 2 the first layer, and
 * line n_hidden + 3 the second one. */
static void
add_network (Text * text, int n_hidden)
{
  ADD (text, "# a comment\nlayer 1 1 24 %d 6\n", n_hidden);
  for (int j = 0; j < n_hidden; j++)
    add_row (text, j, INPUTS, -1, j % INPUTS, -50);
  ADD (text, "layer 1 1 %d 24 7\n", n_hidden);
  for (int c = 0; c < BITS; c++)
    add_row (text, -c, n_hidden, 1, c % n_hidden, 127);
}

static StereoParams *
sgm_params (void)
{
  StereoParams *params = NULL;

  REQUIRE (stereo_params_new (stereo_algorithm_find ("sgm"), &params)
      == STEREO_OK);
  return params;
}

TEST (test_values)
{
  StereoNetwork n;
  Text text = { "", 0 };

  add_network (&text, 48);
  REQUIRE (stereo_network_parse (text.data, text.length, &n, NULL)
      == STEREO_OK);
  CHECK_INT (n.shift, ==, 6);
  for (int j = 0; j < STEREO_NETWORK_HIDDEN; j++) {
    CHECK_INT (n.b1[j], ==, j);
    for (int q = 0; q < INPUTS; q++)
      CHECK_INT (n.w1[j][q], ==, q == j % INPUTS ? -50 : -1);
  }
  for (int c = 0; c < BITS; c++) {
    CHECK_INT (n.b2[c], ==, -c);
    for (int j = 0; j < STEREO_NETWORK_HIDDEN; j++)
      CHECK_INT (n.w2[c][j], ==, j == c ? 127 : 1);
  }
}

/* h_j that a network does not have never differ from 0. */
TEST (test_few_hidden)
{
  StereoNetwork n;

  for (int n_hidden = 1; n_hidden <= STEREO_NETWORK_HIDDEN; n_hidden += 7) {
    Text text = { "", 0 };

    add_network (&text, n_hidden);
    REQUIRE (stereo_network_parse (text.data, text.length, &n, NULL)
        == STEREO_OK);
    for (int j = n_hidden; j < STEREO_NETWORK_HIDDEN; j++) {
      CHECK_INT (n.b1[j], ==, 0);
      for (int q = 0; q < INPUTS; q++)
        CHECK_INT (n.w1[j][q], ==, 0);
      for (int c = 0; c < BITS; c++)
        CHECK_INT (n.w2[c][j], ==, 0);
    }
  }
}

/* Spaces, line ends, empty lines and comments do not matter. */
TEST (test_layout)
{
  StereoNetwork a, b;
  Text plain = { "", 0 }, other = { "", 0 };
  size_t i;

  add_network (&plain, 24);
  ADD (&other, "\n#\n  # layer 9\r\n");
  for (i = 0; i + 1 < plain.length; i++) {
    if (plain.data[i] == '\n')
      ADD (&other, " \t\r\n\n");
    else
      ADD (&other, plain.data[i] == ' ' ? " \t" : "%c", plain.data[i]);
  }
  REQUIRE (stereo_network_parse (plain.data, plain.length, &a, NULL)
      == STEREO_OK);
  REQUIRE (stereo_network_parse (other.data, other.length, &b, NULL)
      == STEREO_OK);
  CHECK_INT (memcmp (&a, &b, sizeof (a)), ==, 0);
}

TEST (test_checksum)
{
  StereoNetwork n = { .shift = 6 };
  const uint32_t before = stereo_network_checksum (&n);

  CHECK_INT (stereo_network_checksum (&stereo_network), ==,
      stereo_network.checksum);
  for (int i = 0; i < 5; i++) {
    StereoNetwork changed = n;

    if (i == 0)
      changed.w1[47][23] = -1;
    else if (i == 1)
      changed.w2[23][47] = 1;
    else if (i == 2)
      changed.b1[47] = 1 << 16;
    else if (i == 3)
      changed.b2[23] = -1;
    else
      changed.shift = 7;
    CHECK (stereo_network_checksum (&changed) != before);
  }
}

/* ------------------------------------------------------------------ errors */

static void
refused (const char *data, size_t length, const char *expected)
{
  StereoParams *params = sgm_params ();
  StereoMessage why = { "" };

  CHECK_INT (stereo_params_set_text (params, "cost", "learned", NULL), ==,
      STEREO_OK);
  CHECK_INT (stereo_params_set_weights (params, data, length, &why), ==,
      STEREO_ERROR_ARGUMENT);
  if (strstr (why.text, expected) == NULL)
    CHECK_STRING (why.text, expected);
  CHECK_INT (stereo_params_set_weights (params, data, length, NULL), ==,
      STEREO_ERROR_ARGUMENT);
  /* a failed call changes nothing */
  CHECK_INT (stereo_params_get_weights (params), ==, stereo_network.checksum);
  stereo_params_free (&params);
}

/* The network with one line replaced. */
static void
refused_line (int line, const char *replacement, const char *expected)
{
  Text good = { "", 0 }, bad = { "", 0 };
  int number = 1;

  add_network (&good, 48);
  for (const char *at = good.data; *at != '\0'; number++) {
    const int length = (int) strcspn (at, "\n");

    if (number == line)
      ADD (&bad, "%s\n", replacement);
    else
      ADD (&bad, "%.*s\n", length, at);
    at += length + 1;
  }
  refused (bad.data, bad.length, expected);
}

#define NINES "9 9 9 9 9 9 9 9 9 9 9 9 "

TEST (test_errors_name_lines)
{
  refused ("", 0, "line 1: expected a layer, got the end of the file");
  refused ("# only this\n\n", 13, "line 3: expected a layer");
  refused_line (2, "3 4", "line 2: expected 'layer' and five integers");
  refused_line (2, "layer 1 1 24 48", "line 2: expected 5 integers, got 4");
  refused_line (2, "layer 1 1 24 48 x", "line 2: expected an integer, got 'x'");
  refused_line (2, "layer 3 1 24 48 6", "line 2: expected a kernel size");
  refused_line (2, "layer 1 2 24 48 6", "line 2: expected a dilation");
  refused_line (2, "layer 1 1 25 48 6",
      "line 2: expected inputs from 24 to 24, got 25");
  refused_line (2, "layer 1 1 24 49 6",
      "line 2: expected outputs from 1 to 48, got 49");
  refused_line (2, "layer 1 1 24 48 0", "line 2: expected a shift");
  refused_line (2, "layer 1 1 24 48 15", "line 2: expected a shift");
  refused_line (3, "0 " NINES NINES "9",
      "line 3: expected 25 integers, got 26");
  refused_line (4, "0 " NINES, "line 4: expected 25 integers, got 13");
  refused_line (5, "0 128 " NINES "9 9 9 9 9 9 9 9 9 9 9",
      "line 5: expected a weight from -127 to 127, got 128");
  refused_line (5, "0 -128 " NINES "9 9 9 9 9 9 9 9 9 9 9",
      "line 5: expected a weight from -127 to 127, got -128");
  refused_line (6, "16777217 " NINES NINES,
      "line 6: expected a bias from -16777216 to 16777216");
  refused_line (7, "32767 " NINES NINES,
      "line 7: the sums of this row reach 60231, but must fit 16 bits");
  refused_line (8, "0 " NINES NINES "1.5",
      "line 8: expected an integer, got '1.5'");
  refused_line (9, "0 1234567890", "line 9: expected an integer");
  refused_line (51, "layer 1 1 47 24 7",
      "line 51: expected inputs from 48 to 48, got 47");
  refused_line (51, "layer 1 1 48 56 7",
      "line 51: expected outputs from 24 to 24, got 56");
  refused_line (75, "# a comment instead of the last row",
      "expected a row of weights, got the end of the file");
  refused_line (75, "0 " NINES NINES NINES NINES "\n0",
      "line 76: expected the end of the file");
}

/* Every prefix of a network without its last number, and networks with random
 * bytes. */
TEST (test_any_text)
{
  Text text = { "", 0 };
  uint32_t state = 1;

  add_network (&text, 3);
  for (size_t i = 0; i < text.length - strlen ("127\n"); i++)
    CHECK_INT (stereo_network_parse (text.data, i,
            &(StereoNetwork) { .shift = 1 }, NULL), ==, STEREO_ERROR_ARGUMENT);
  for (int i = 0; i < 3000; i++) {
    StereoNetwork n;
    Text other = text;

    for (int k = 0; k < 1 + i % 3; k++) {
      state = state * 1664525 + 1013904223;
      other.data[state / 65536 % text.length] = (char) (state >> 8 & 127);
    }
    if (stereo_network_parse (other.data, other.length, &n, NULL)
        == STEREO_OK)
      CHECK_INT (n.checksum, ==, stereo_network_checksum (&n));
  }
}

/* -------------------------------------------------------------- parameters */

TEST (test_parameters)
{
  const StereoAlgorithm *pyramid = stereo_algorithm_find ("pyramid");
  StereoParams *params = sgm_params (), *copy = sgm_params (), *others = NULL;
  StereoMessage why = { "" };
  Text text = { "", 0 };
  StereoNetwork n;

  add_network (&text, 24);
  REQUIRE (stereo_network_parse (text.data, text.length, &n, NULL)
      == STEREO_OK);
  CHECK_INT (stereo_params_set_weights (params, text.data, text.length, &why),
      ==, STEREO_OK);
  CHECK_INT (stereo_params_get_weights (params), ==, n.checksum);
  CHECK_INT (stereo_params_set_text (params, "cost", "census", &why), ==,
      STEREO_OK);
  CHECK_INT (stereo_params_get_weights (params), ==, 0);
  CHECK_INT (stereo_params_set_text (params, "cost", "learned", &why), ==,
      STEREO_OK);
  CHECK_INT (stereo_params_get_weights (params), ==, n.checksum);
  CHECK (n.checksum != stereo_network.checksum);
  CHECK_INT (stereo_params_copy (copy, params), ==, STEREO_OK);
  CHECK_INT (stereo_params_get_weights (copy), ==, n.checksum);
  CHECK_INT (stereo_params_set_weights (params, NULL, 0, &why), ==, STEREO_OK);
  CHECK_INT (stereo_params_get_weights (params), ==, stereo_network.checksum);
  CHECK_INT (stereo_params_get_weights (copy), ==, n.checksum);
  CHECK_INT (stereo_params_get_weights (NULL), ==, 0);
  CHECK_INT (stereo_params_set_weights (NULL, NULL, 0, &why), ==,
      STEREO_ERROR_ARGUMENT);

  REQUIRE (stereo_params_new (pyramid, &others) == STEREO_OK);
  CHECK_INT (stereo_params_set_weights (others, text.data, text.length, &why),
      ==, STEREO_ERROR_ARGUMENT);
  CHECK_STRING (why.text, "pyramid has no parameter 'weights'");
  CHECK_INT (stereo_params_get_weights (others), ==, 0);
  CHECK_INT (stereo_params_set_text (others, "weights", "x", &why), ==,
      STEREO_ERROR_ARGUMENT);
  stereo_params_free (&params);
  stereo_params_free (&copy);
  stereo_params_free (&others);
}

TEST (test_files)
{
  StereoParams *params = sgm_params ();
  StereoMessage why = { "" };
  char path[] = "stereo-weights-test.txt";
  Text text = { "", 0 };
  StereoNetwork n;
  FILE *file = fopen (path, "wb");

  add_network (&text, 24);
  REQUIRE (file != NULL);
  REQUIRE (fwrite (text.data, 1, text.length, file) == text.length);
  fclose (file);
  REQUIRE (stereo_network_parse (text.data, text.length, &n, NULL)
      == STEREO_OK);
  CHECK_INT (stereo_params_set_text (params, "cost", "learned", &why), ==,
      STEREO_OK);
  CHECK_INT (stereo_params_set_text (params, "weights", path, &why), ==,
      STEREO_OK);
  CHECK_INT (stereo_params_get_weights (params), ==, n.checksum);
  CHECK_INT (stereo_params_set_text (params, "weights", "", &why), ==,
      STEREO_OK);
  CHECK_INT (stereo_params_get_weights (params), ==, stereo_network.checksum);

  file = fopen (path, "wb");
  REQUIRE (file != NULL);
  fputs ("layer 1 1 24 48 6\n0\n", file);
  fclose (file);
  CHECK_INT (stereo_params_set_text (params, "weights", path, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_STRING (why.text, "stereo-weights-test.txt: line 2: expected 25 "
      "integers, got 1");
  remove (path);
  CHECK_INT (stereo_params_set_text (params, "weights", path, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK (strncmp (why.text, "Cannot open stereo-weights-test.txt: ", 37) == 0);
  CHECK_INT (stereo_params_get_weights (params), ==, stereo_network.checksum);
  stereo_params_free (&params);
}

/* Files that cannot be read, or not to their end; on Windows they do not even
 * open. */
TEST (test_unreadable_files)
{
  static const char *const names[] = { "/", "/dev/zero", "/no/such/file" };
  StereoParams *params = sgm_params ();

  for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++) {
    StereoMessage why = { "" };

    CHECK_INT (stereo_params_set_text (params, "weights", names[i], &why), ==,
        STEREO_ERROR_ARGUMENT);
    CHECK_CONTAINS (why.text, names[i]);
  }
  stereo_params_free (&params);
}

TEST_MAIN ()
