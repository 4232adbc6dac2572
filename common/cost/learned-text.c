/* gst-stereomatching: text files with networks of the learned cost
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cost/learned-formula.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- checksum */

static uint32_t
crc_byte (uint32_t crc, uint8_t byte)
{
  crc ^= byte;
  for (int i = 0; i < 8; i++)
    crc = crc >> 1 ^ (crc & 1 ? UINT32_C (0xedb88320) : 0);
  return crc;
}

static uint32_t
crc_weights (uint32_t crc, const int8_t * weights, size_t n)
{
  for (size_t i = 0; i < n; i++)
    crc = crc_byte (crc, (uint8_t) weights[i]);
  return crc;
}

static uint32_t
crc_words (uint32_t crc, const int32_t * words, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    for (int k = 0; k < 4; k++)
      crc = crc_byte (crc, (uint8_t) ((uint32_t) words[i] >> (8 * k)));
  }
  return crc;
}

uint32_t
stereo_network_checksum (const StereoNetwork * n)
{
  uint32_t crc = UINT32_MAX;

  crc = crc_weights (crc, n->w1[0], sizeof (n->w1));
  crc = crc_weights (crc, n->w2[0], sizeof (n->w2));
  crc = crc_words (crc, n->b1, STEREO_NETWORK_HIDDEN);
  crc = crc_words (crc, n->b2, STEREO_NETWORK_BITS);
  crc = crc_words (crc, &n->shift, 1);
  return ~crc;
}

/* ----------------------------------------------------------------- lines */

/* Position in the text. */
typedef struct
{
  const char *next;
  const char *end;
  int line;                     /* number of the current line, from 1 */
  StereoMessage *why;
} Reader;

/* The current line, without its end. */
typedef struct
{
  const char *begin;
  const char *end;
} Line;

#define MAX_VALUES (STEREO_NETWORK_HIDDEN + 1)

#define FAIL(reader, ...) \
  fail_at_line (reader, stereo_fail ((reader)->why, STEREO_ERROR_ARGUMENT, \
          __VA_ARGS__))

/* Puts the line number before the message. */
static StereoStatus
fail_at_line (const Reader * reader, StereoStatus status)
{
  StereoMessage text;

  if (reader->why == NULL)
    return status;
  text = *reader->why;
  return stereo_fail (reader->why, status, "line %d: %.400s", reader->line,
      text.text);
}

static bool
is_blank (char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

/* Reads the next line that is neither empty nor a comment; false at the end of
 * the text. */
static bool
read_line (Reader * reader, Line * line)
{
  while (reader->next < reader->end) {
    const size_t left = (size_t) (reader->end - reader->next);
    const char *newline = memchr (reader->next, '\n', left);

    line->begin = reader->next;
    line->end = newline != NULL ? newline : reader->end;
    reader->next = newline != NULL ? newline + 1 : reader->end;
    reader->line++;
    while (line->begin < line->end && is_blank (*line->begin))
      line->begin++;
    if (line->begin < line->end && *line->begin != '#')
      return true;
  }
  reader->line++;
  return false;
}

/* Reads a decimal integer at the start of the line, and the blanks behind it.
 * False if there is none, or it is beyond 9 digits. */
static bool
read_integer (Line * line, int *value)
{
  const char *at = line->begin;
  const bool negative = at < line->end && *at == '-';
  int n = 0, magnitude = 0;

  for (at += negative; at < line->end && *at >= '0' && *at <= '9'; at++, n++) {
    if (n == 9)
      return false;
    magnitude = 10 * magnitude + (*at - '0');
  }
  if (n == 0 || (at < line->end && !is_blank (*at)))
    return false;
  while (at < line->end && is_blank (*at))
    at++;
  line->begin = at;
  *value = negative ? -magnitude : magnitude;
  return true;
}

/* Reads exactly n integers. */
static StereoStatus
read_integers (const Reader * reader, Line line, int n, int *values)
{
  int found = 0, more;

  while (found < n && read_integer (&line, &values[found]))
    found++;
  while (found >= n && read_integer (&line, &more))
    found++;
  if (line.begin < line.end)
    return FAIL (reader, "expected an integer, got '%.*s'",
        (int) (line.end - line.begin < 20 ? line.end - line.begin : 20),
        line.begin);
  if (found != n)
    return FAIL (reader, "expected %d integers, got %d", n, found);
  return STEREO_OK;
}

static StereoStatus
check_range (const Reader * reader, const char *name, int value, int lowest,
    int highest)
{
  if (value >= lowest && value <= highest)
    return STEREO_OK;
  return FAIL (reader, "expected %s from %d to %d, got %d", name, lowest,
      highest, value);
}

/* ---------------------------------------------------------------- network */

/* Reads "layer 1 1 inputs outputs shift". */
static StereoStatus
read_layer (Reader * reader, int inputs, int *outputs, int *shift)
{
  static const char word[] = "layer ";
  const size_t length = sizeof (word) - 1;
  Line line;
  int v[5];
  StereoStatus status;

  if (!read_line (reader, &line))
    return FAIL (reader, "expected a layer, got the end of the file");
  if ((size_t) (line.end - line.begin) < length
      || memcmp (line.begin, word, length) != 0)
    return FAIL (reader, "expected 'layer' and five integers");
  line.begin += length;
  while (line.begin < line.end && is_blank (*line.begin))
    line.begin++;
  if ((status = read_integers (reader, line, 5, v))
      || (status = check_range (reader, "a kernel size", v[0], 1, 1))
      || (status = check_range (reader, "a dilation", v[1], 1, 1))
      || (status = check_range (reader, "inputs", v[2], inputs, inputs)))
    return status;
  *outputs = v[3];
  *shift = v[4];
  return STEREO_OK;
}

/* Reads a row: the bias, then weights. */
static StereoStatus
read_row (Reader * reader, int n_weights, int32_t * bias, int8_t * weights)
{
  int v[MAX_VALUES];
  Line line;
  StereoStatus status;

  if (!read_line (reader, &line))
    return FAIL (reader, "expected a row of weights, got the end of the file");
  status = read_integers (reader, line, 1 + n_weights, v);
  if (status == STEREO_OK)
    status = check_range (reader, "a bias", v[0], -STEREO_NETWORK_MAX_BIAS,
        STEREO_NETWORK_MAX_BIAS);
  *bias = v[0];
  for (int i = 0; i < n_weights && status == STEREO_OK; i++) {
    status = check_range (reader, "a weight", v[1 + i],
        -STEREO_NETWORK_MAX_WEIGHT, STEREO_NETWORK_MAX_WEIGHT);
    weights[i] = (int8_t) v[1 + i];
  }
  return status;
}

/* The largest magnitude of a sum of the first layer. */
static int
largest_sum (const StereoNetwork * n, int j)
{
  int sum = abs (stereo_network_start (n->b1[j], n->shift));

  for (int q = 0; q < STEREO_NETWORK_INPUTS; q++)
    sum += STEREO_NETWORK_LIMIT * abs (n->w1[j][q]);
  return sum;
}

static StereoStatus
read_first_layer (Reader * reader, StereoNetwork * n, int *n_hidden)
{
  StereoStatus status;

  if ((status = read_layer (reader, STEREO_NETWORK_INPUTS, n_hidden,
              &n->shift))
      || (status = check_range (reader, "outputs", *n_hidden, 1,
              STEREO_NETWORK_HIDDEN))
      || (status = check_range (reader, "a shift", n->shift,
              STEREO_NETWORK_MIN_SHIFT, STEREO_NETWORK_MAX_SHIFT)))
    return status;
  for (int j = 0; j < *n_hidden; j++) {
    status = read_row (reader, STEREO_NETWORK_INPUTS, &n->b1[j], n->w1[j]);
    if (status != STEREO_OK)
      return status;
    if (largest_sum (n, j) > STEREO_NETWORK_MAX_SUM)
      return FAIL (reader, "the sums of this row reach %d, but must fit 16 "
          "bits (%d): scale its bias and weights down", largest_sum (n, j),
          STEREO_NETWORK_MAX_SUM);
  }
  return STEREO_OK;
}

static StereoStatus
read_second_layer (Reader * reader, StereoNetwork * n, int n_hidden)
{
  int n_bits, shift;
  StereoStatus status;

  if ((status = read_layer (reader, n_hidden, &n_bits, &shift))
      || (status = check_range (reader, "outputs", n_bits,
              STEREO_NETWORK_BITS, STEREO_NETWORK_BITS)))
    return status;
  for (int c = 0; c < n_bits && status == STEREO_OK; c++)
    status = read_row (reader, n_hidden, &n->b2[c], n->w2[c]);
  return status;
}

StereoStatus
stereo_network_parse (const char *text, size_t length,
    StereoNetwork * network, StereoMessage * why)
{
  Reader reader = { text, text + length, 0, why };
  StereoNetwork n;
  StereoStatus status;
  int n_hidden;
  Line line;

  memset (&n, 0, sizeof (n));
  n.shift = STEREO_NETWORK_MIN_SHIFT;
  status = read_first_layer (&reader, &n, &n_hidden);
  if (status == STEREO_OK)
    status = read_second_layer (&reader, &n, n_hidden);
  if (status == STEREO_OK && read_line (&reader, &line))
    status = FAIL (&reader, "expected the end of the file");
  if (status != STEREO_OK)
    return status;
  n.checksum = stereo_network_checksum (&n);
  *network = n;
  return STEREO_OK;
}
