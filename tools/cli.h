/* gst-stereomatching: what the command line tools share
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * cli.h: algorithms with properties from text, ranges of values, JSON and CSV.
 *
 * Functions that can fail return false and say in why, which must not be NULL,
 * what is wrong; their outputs are untouched.  The helpers that allocate end
 * the program with status 1 when there is no memory.
 */

#ifndef CLI_H
#define CLI_H

#include "stereo.h"

#include <stdio.h>

/* realloc() that never returns NULL; bytes is at least 1. */
void *cli_resize (void *memory, size_t bytes);

/* A new string, for free(). */
char *cli_format (const char *text, ...) STEREO_PRINTF (1, 2)
    __attribute__ ((nonnull (1)));

/* A finite number and nothing else. */
STEREO_CHECKED bool cli_number (const char *text, double *value);

/* The exit status when arguments or files are wrong. */
#define CLI_BAD_INPUT 2

/* Says so in a line that begins with the program's name, and ends it. */
void cli_die (const char *program, const char *text, ...)
STEREO_PRINTF (2, 3) __attribute__ ((noreturn));

/* Puts a text into why and returns false. */
bool cli_fail (StereoMessage * why, const char *text, ...)
STEREO_PRINTF (2, 3);

/* ------------------------------------------------------------------ setups */

typedef struct
{
  char *name;
  char *value;
} CliProperty;

/* An algorithm with properties. */
typedef struct
{
  const StereoAlgorithm *algorithm;
  StereoParams *params;         /* the defaults and the properties */
  CliProperty *property;        /* as given, each name once */
  size_t n_properties;
  char *label;                  /* "vcbw windows=four median=true" */
} CliSetup;

/* Owns its items.  To be zeroed first. */
typedef struct
{
  CliSetup *item;
  size_t n;
} CliSetups;

/* Most setups that sweeps may make. */
#define CLI_MAX_SETUPS 10000

/* Adds one from "ALGORITHM [NAME=VALUE ...]", words parted by blanks. */
STEREO_CHECKED bool cli_setups_add (CliSetups * setups, const char *text,
    StereoMessage * why);

/* Sets "NAME=VALUE" in all of them, in place of an earlier value.  What a
 * failure leaves is only good for cli_setups_clear(). */
STEREO_CHECKED bool cli_setups_set (CliSetups * setups, const char *text,
    StereoMessage * why);

/* Replaces each setup by one for each value of "NAME=FROM:TO[:STEP]" (step 1)
 * or "NAME=VALUE,VALUE,...".  TO is one of the values when a whole number of
 * steps leads there. */
STEREO_CHECKED bool cli_setups_sweep (CliSetups * setups, const char *text,
    StereoMessage * why);

/* The value NAME was given, or NULL. */
const char *cli_setup_property (const CliSetup * setup, const char *name);

void cli_setups_clear (CliSetups * setups);

/* -------------------------------------------------- algorithms and devices */

/* All algorithms with their properties, ranges and defaults, for people. */
void cli_print_algorithms (FILE * file);

/* backend: "cpu", "cuda", or "auto" for CUDA where there is a device; simd: a
 * name of stereo_simd_name(); threads: as for stereo_device_new_cpu(). */
STEREO_CHECKED bool cli_open_device (const char *backend, const char *simd,
    unsigned threads, StereoDevice ** device, StereoMessage * why);

/* ---------------------------------------------------------------- progress */

/* A bar on the standard error output, if that is a terminal and there is more
 * than one thing to do: done of total, now what. */
void cli_progress (size_t done, size_t total, const char *what);
/* Takes the bar away, before anything else is printed. */
void cli_progress_end (size_t total);

/* -------------------------------------------------------------------- JSON */

/* Indented output of one value; whoever writes it keeps the brackets paired.
 * Keys are NULL inside arrays. */
typedef struct
{
  FILE *file;
  int depth;
  bool filled;                  /* the open bracket has something in it */
} CliJson;

/* bracket: '{' or '['; the closing one likewise. */
void cli_json_open (CliJson * json, const char *key, char bracket);
void cli_json_close (CliJson * json, char bracket);

/* Bytes that are no UTF-8 become U+FFFD; NULL becomes null. */
void cli_json_text (CliJson * json, const char *key, const char *value);
/* With nine digits; null when it is not finite. */
void cli_json_number (CliJson * json, const char *key, double value);
void cli_json_bool (CliJson * json, const char *key, bool value);

/* --------------------------------------------------------------------- CSV */

/* One field, quoted where that is needed (RFC 4180); first: of its line. */
void cli_csv_text (FILE * file, bool first, const char *value);
/* With nine digits; nothing when it is not finite. */
void cli_csv_number (FILE * file, double value);

#endif /* CLI_H */
