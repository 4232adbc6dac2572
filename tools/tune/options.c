/* gst-stereomatching: options of stereo-tune
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "options.h"

#include "access.h"
#include "cli.h"

#include <gio/gio.h>
#include <stdlib.h>

/* The camera of the rendered scene. */
#define DEMO_FOCAL_LENGTH 400
#define DEMO_BASELINE 0.1
/* Of disparitydepth, for both. */
#define CAMERA_MAX 1e9

#define die(...) cli_die (TUNE_PROGRAM, __VA_ARGS__)

static bool
take_address (const char *text, void *options, StereoMessage * why)
{
  ((TuneOptions *) options)->address = text;
  return g_hostname_is_ip_address (text) || cli_fail (why, "expected an IP "
      "address of this machine, such as 192.168.1.2, or 0.0.0.0 for all, got "
      "'%s'", text);
}

static bool
take_token (const char *text, void *options, StereoMessage * why)
{
  ((TuneOptions *) options)->token = text;
  return tune_token_is_valid (text) || cli_fail (why, "expected %d to %d "
      "letters, digits, '-' and '_', got '%s'", TUNE_TOKEN_MIN, TUNE_TOKEN_MAX,
      text);
}

#define AT(FIELD) offsetof (TuneOptions, FIELD)

static const CliOption option_rows[] = {
  {"sbs", "FILE", CLI_TEXT, AT (side_by_side), "both views side by side"},
  {"pipeline", "DESCRIPTION", CLI_TEXT, AT (pipeline),
        "pipeline as for gst-launch-1.0, with elements called left and right "
        "whose src pads are not linked: 'v4l2src device=/dev/video0 ! "
        "videoconvert ! queue name=left v4l2src device=/dev/video2 ! "
        "videoconvert ! queue name=right'"},
  {"demo", NULL, CLI_FLAG, AT (demo), "rendered scene with ground truth"},
  {"calibration", "FILE", CLI_TEXT, AT (calibration),
      "rectify both views with this calibration file"},
  {"focal-length", "F", CLI_POSITIVE, AT (focal_length),
        "for depth, in pixels (from buffer metadata)",.maximum = CAMERA_MAX},
  {"baseline", "B", CLI_POSITIVE, AT (baseline),
        "for depth, in metres (from buffer metadata)",.maximum = CAMERA_MAX},
  {"truth", "FILE", CLI_TEXT, AT (truth),
      "ground truth of two images (PFM, PNG)"},
  {"truth-scale", "S", CLI_POSITIVE, AT (truth_scale),
      "its levels per pixel (16 bits: 256, PFM: 1)"},
  {"matcher", "NAME", CLI_TEXT, AT (matcher), "initial matcher (stereosgm)"},
  {"weights", "FILE", CLI_TEXT, AT (weights),
      "network of cost=learned for all matchers (the built-in one)"},
  {"settings", "FILE", CLI_TEXT, AT (settings),
      "initial settings, as saved by the page"},
  {"port", "N", CLI_INTEGER, AT (port), "port to listen on (8910; 0 = any)",
        .maximum = 65535},
  {"address", "ADDRESS", CLI_CALL, 0,
        "address of this machine to listen on, 0.0.0.0 = all (this machine "
        "only)", CLI_CHOICES ("127.0.0.1", "0.0.0.0", "::"),
        .call = take_address},
  {"token", "WORD", CLI_CALL, 0,
        "token that viewers need (generated with --address)",
        .call = take_token},
  {"max-viewers", "N", CLI_INTEGER, AT (max_viewers),
      "maximum number of open pages (8)",.minimum = 1,.maximum = 100},
  {.type = CLI_END}
};

static void
take_file (const char *text, const CliOption * after, void *options)
{
  (void) after;
  cli_texts_add (&((TuneOptions *) options)->files, text);
}

static const CliProgram program = {
  .name = TUNE_PROGRAM,
  .synopsis = "[OPTION ...] LEFT RIGHT\n"
      "[OPTION ...] --sbs FILE\n"
      "[OPTION ...] --pipeline DESCRIPTION\n" "[OPTION ...] --demo",
  .description =
      "Tunes a matcher live in a browser, on two images or videos, with a\n"
      "control for every property. Prints the address to open.",
  .options = option_rows,
  .take = take_file,
};

static void
set_input (TuneOptions * options)
{
  const int n = (options->side_by_side != NULL) + (options->pipeline != NULL)
      + options->demo;

  if (n > 1)
    die ("--sbs, --pipeline and --demo exclude each other");
  if (n > 0 && options->files.n > 0)
    die ("'%s': --sbs, --pipeline and --demo take no files",
        options->files.item[0]);
  if (n == 0 && options->files.n != 2)
    die ("Expected LEFT and RIGHT, or --demo; see --help");
  if (n == 0) {
    options->left = options->files.item[0];
    options->right = options->files.item[1];
  } else {
    options->left = options->side_by_side;
    options->input = options->demo ? TUNE_FROM_DEMO : options->pipeline != NULL
        ? TUNE_FROM_PIPELINE : TUNE_FROM_SIDE_BY_SIDE;
  }
}

void
tune_options_parse (TuneOptions * options, int argc, char **argv)
{
  *options = (TuneOptions) {
    .matcher = "stereosgm",
    .port = 8910,
    .max_viewers = 8,
  };
  cli_parse (&program, argc, argv, options);
  set_input (options);
  if (options->truth != NULL && options->input != TUNE_FROM_FILES)
    die ("--truth requires two images");
  if (options->truth_scale > 0 && options->truth == NULL)
    die ("--truth-scale requires --truth");
  if (options->calibration != NULL && (options->input == TUNE_FROM_DEMO
          || options->input == TUNE_FROM_PIPELINE))
    die ("--calibration requires two files or --sbs; a pipeline has "
        "stereorectify itself");
  if (options->demo && options->focal_length == 0)
    options->focal_length = DEMO_FOCAL_LENGTH;
  if (options->demo && options->baseline == 0)
    options->baseline = DEMO_BASELINE;
  if (options->address != NULL && options->token == NULL)
    options->token = options->own_token = tune_token_new ();
}

void
tune_options_clear (TuneOptions * options)
{
  g_clear_pointer (&options->own_token, g_free);
  free (options->files.item);
}
