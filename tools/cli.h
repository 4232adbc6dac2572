/* gst-stereomatching: shared code of the command line tools
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * cli.h: algorithms with properties from text, parameter sweeps, JSON and CSV.
 *
 * Functions that can fail return false, write the reason to why, which must not
 * be NULL, and leave their outputs untouched.  Functions that allocate exit
 * with CLI_FAILED when memory runs out.
 */

#ifndef CLI_H
#define CLI_H

#include "cli-options.h"

#include <stdio.h>

/* realloc() that never returns NULL; bytes is at least 1. */
void *cli_resize (void *memory, size_t bytes);

/* A new string, for free(). */
char *cli_format (const char *text, ...) STEREO_PRINTF (1, 2)
    __attribute__ ((nonnull (1)));

/* Parses a finite number; false if the text is anything else. */
STEREO_CHECKED bool cli_number (const char *text, double *value);

/* Whether text is NAME=VALUE, and no "ALGORITHM NAME=VALUE". */
bool cli_is_assignment (const char *text);

/* Whether a file or folder has this path. */
bool cli_exists (const char *path);

/* Exit statuses: computing or writing failed; arguments or files are wrong. */
#define CLI_FAILED 1
#define CLI_BAD_INPUT 2

/* Prints "PROGRAM: text" to stderr and exits with CLI_BAD_INPUT. */
void cli_die (const char *program, const char *text, ...)
STEREO_PRINTF (2, 3) __attribute__ ((noreturn));

/* Writes a text to why and returns false. */
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

/* Adds one from "ALGORITHM [NAME=VALUE ...]", separated by blanks. */
STEREO_CHECKED bool cli_setups_add (CliSetups * setups, const char *text,
    StereoMessage * why);

/* Adds every algorithm. */
STEREO_CHECKED bool cli_setups_add_all (CliSetups * setups,
    StereoMessage * why);

/* Adds each of specs, as cli_setups_add() does; its own properties override the
 * common ones. */
STEREO_CHECKED bool cli_setups_add_specs (CliSetups * setups,
    const CliTexts * specs, const CliTexts * common, StereoMessage * why);

/* Sets "NAME=VALUE" in all of them, replacing an earlier value.  After a
 * failure only cli_setups_clear() is valid. */
STEREO_CHECKED bool cli_setups_set (CliSetups * setups, const char *text,
    StereoMessage * why);

/* Replaces each setup by one for each value of "NAME=FROM:TO[:STEP]" (step 1)
 * or "NAME=VALUE,VALUE,...".  TO is included if it is a multiple of STEP away
 * from FROM. */
STEREO_CHECKED bool cli_setups_sweep (CliSetups * setups, const char *text,
    StereoMessage * why);

/* The text of the value set for NAME, or NULL. */
const char *cli_setup_property (const CliSetup * setup, const char *name);

/* Sets disparity-scale in params, unless the setup has a value, to the largest
 * one with which the codes of num-disparities are below 65535. */
STEREO_CHECKED bool cli_setup_choose_scale (const CliSetup * setup,
    StereoParams * params, StereoMessage * why);

void cli_setups_clear (CliSetups * setups);

/* -------------------------------------------------- algorithms and devices */

/* All algorithms with their properties, ranges and defaults. */
void cli_print_algorithms (FILE * file);

/* Choices of the options --backend and --simd; see CliOption. */
#define CLI_SIMD_CHOICES \
  CLI_CHOICES ("auto", "none", "generic", "avx2", "avx512")

/* backend: "cpu", "cuda", or "auto": CUDA if available, otherwise the CPU;
 * threads: as for stereo_device_new_cpu().  Its warnings go to stderr. */
STEREO_CHECKED bool cli_open_device (const char *backend, const char *simd,
    int threads, StereoDevice ** device, StereoMessage * why);

/* ---------------------------------------------------------------- progress */

/* A progress bar on stderr if that is a terminal: done of total, now what. */
void cli_progress (size_t done, size_t total, const char *what);
/* Removes the bar, before other output. */
void cli_progress_end (void);

/* -------------------------------------------------------------------- JSON */

/* Indented output of one value; the caller balances the brackets.  Keys are
 * NULL inside arrays. */
typedef struct
{
  FILE *file;
  int depth;
  bool filled;                  /* the open bracket is not empty */
} CliJson;

/* bracket: '{' or '[', and the matching one to close it. */
void cli_json_open (CliJson * json, const char *key, char bracket);
void cli_json_close (CliJson * json, char bracket);

/* Bytes that are not UTF-8 become U+FFFD; NULL becomes null. */
void cli_json_text (CliJson * json, const char *key, const char *value);
/* With nine digits; null if not finite. */
void cli_json_number (CliJson * json, const char *key, double value);
void cli_json_bool (CliJson * json, const char *key, bool value);

/* --------------------------------------------------------------------- CSV */

/* One field, quoted if necessary (RFC 4180); first: of its line. */
void cli_csv_text (FILE * file, bool first, const char *value);
/* With nine digits; empty if not finite. */
void cli_csv_number (FILE * file, double value);

#endif /* CLI_H */
