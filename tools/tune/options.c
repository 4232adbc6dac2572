/* gst-stereomatching: the options of stereo-tune
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "options.h"

#include "cli.h"
#include "token.h"

#include <getopt.h>
#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>

/* Of a camera that could have taken the rendered scene. */
#define DEMO_FOCAL_LENGTH 400
#define DEMO_BASELINE 0.1

/* One line, then the end. */
#define die(...) cli_die (TUNE_PROGRAM, __VA_ARGS__)

/* *INDENT-OFF* */
static const char usage[] =
    "Usage: stereo-tune [OPTION ...] LEFT RIGHT\n"
    "       stereo-tune [OPTION ...] --sbs FILE\n"
    "       stereo-tune [OPTION ...] --pipeline DESCRIPTION\n"
    "       stereo-tune [OPTION ...] --demo\n"
    "\n"
    "Shows in a browser what a matcher makes of two views, images or videos,\n"
    "and has a control there for every property. Prints the address to open.\n"
    "\n"
    "  --sbs FILE             both views beside each other\n"
    "  --pipeline DESCRIPTION for gst-launch-1.0, with elements called left\n"
    "                         and right, whose pads src are free\n"
    "  --demo                 a rendered scene that moves, with its truth\n"
    "  --calibration FILE     rectify both views by this file\n"
    "  --focal-length F       pixels, for depths (from the buffers)\n"
    "  --baseline B           metres, for depths (from the buffers)\n"
    "  --truth FILE           the true map of two images (PFM, PNG)\n"
    "  --truth-scale S        levels of it for a pixel (16 bits: 256, PFM: 1)\n"
    "  --matcher NAME         to begin with (stereosgm)\n"
    "  --settings FILE        to begin with, as the page saves them\n"
    "  --port N               where to listen (8910; 0 = any that is free)\n"
    "  --address ADDRESS      for other machines, too: of this machine, or\n"
    "                         0.0.0.0 for all (this machine only)\n"
    "  --token WORD           what others must know (made up with --address)\n"
    "  --max-viewers N        pages at the same time (8)\n"
    "  --help, --version\n";
/* *INDENT-ON* */

enum
{
  OPTION_SBS = 256, OPTION_PIPELINE, OPTION_DEMO, OPTION_CALIBRATION,
  OPTION_FOCAL_LENGTH, OPTION_BASELINE, OPTION_TRUTH, OPTION_TRUTH_SCALE,
  OPTION_MATCHER, OPTION_SETTINGS, OPTION_PORT, OPTION_ADDRESS, OPTION_TOKEN,
  OPTION_MAX_VIEWERS, OPTION_VERSION
};

static const struct option long_options[] = {
  {"sbs", required_argument, NULL, OPTION_SBS},
  {"pipeline", required_argument, NULL, OPTION_PIPELINE},
  {"demo", no_argument, NULL, OPTION_DEMO},
  {"calibration", required_argument, NULL, OPTION_CALIBRATION},
  {"focal-length", required_argument, NULL, OPTION_FOCAL_LENGTH},
  {"baseline", required_argument, NULL, OPTION_BASELINE},
  {"truth", required_argument, NULL, OPTION_TRUTH},
  {"truth-scale", required_argument, NULL, OPTION_TRUTH_SCALE},
  {"matcher", required_argument, NULL, OPTION_MATCHER},
  {"settings", required_argument, NULL, OPTION_SETTINGS},
  {"port", required_argument, NULL, OPTION_PORT},
  {"address", required_argument, NULL, OPTION_ADDRESS},
  {"token", required_argument, NULL, OPTION_TOKEN},
  {"max-viewers", required_argument, NULL, OPTION_MAX_VIEWERS},
  {"help", no_argument, NULL, 'h'},
  {"version", no_argument, NULL, OPTION_VERSION},
  {NULL, 0, NULL, 0}
};

static gdouble
above_zero (const char *name)
{
  double value;

  if (!cli_number (optarg, &value) || value <= 0)
    die ("--%s '%s': it is a number above 0", name, optarg);
  return value;
}

static guint
whole (const char *name, guint least, guint most)
{
  guint64 value;

  if (!g_ascii_string_to_unsigned (optarg, 10, least, most, &value, NULL))
    die ("--%s '%s': it is a number from %u to %u", name, optarg, least, most);
  return (guint) value;
}

static void
take_token (TuneOptions * options)
{
  if (!tune_token_is_valid (optarg))
    die ("--token '%s': it is %d to %d letters, digits, '-' and '_'", optarg,
        TUNE_TOKEN_MIN, TUNE_TOKEN_MAX);
  g_free (options->token);
  options->token = g_strdup (optarg);
}

static void
take_address (TuneOptions * options)
{
  if (!g_hostname_is_ip_address (optarg))
    die ("--address '%s': it is an IP address of this machine, such as "
        "192.168.1.2, or 0.0.0.0 for all of them", optarg);
  options->address = optarg;
}

/* Says what to do; there is but one input. */
static void
take_input (TuneOptions * options, gboolean * given, TuneInput input)
{
  if (*given)
    die ("--sbs, --pipeline and --demo don't go together");
  *given = TRUE;
  options->input = input;
}

static void
end_with (const char *text, const char *more)
{
  printf ("%s%s", text, more);
  exit (fflush (stdout) == 0 ? 0 : 1);
}

/* An option of the picture's source; FALSE: it is none. */
static gboolean
take_source_option (int option, TuneOptions * options, gboolean * given)
{
  switch (option) {
    case OPTION_SBS:
      take_input (options, given, TUNE_FROM_SIDE_BY_SIDE);
      options->left = optarg;
      return TRUE;
    case OPTION_PIPELINE:
      take_input (options, given, TUNE_FROM_PIPELINE);
      options->pipeline = optarg;
      return TRUE;
    case OPTION_DEMO:
      take_input (options, given, TUNE_FROM_DEMO);
      return TRUE;
    case OPTION_CALIBRATION:
      options->calibration = optarg;
      return TRUE;
    case OPTION_FOCAL_LENGTH:
      options->focal_length = above_zero ("focal-length");
      return TRUE;
    case OPTION_BASELINE:
      options->baseline = above_zero ("baseline");
      return TRUE;
    case OPTION_TRUTH:
      options->truth = optarg;
      return TRUE;
    case OPTION_TRUTH_SCALE:
      options->truth_scale = above_zero ("truth-scale");
      return TRUE;
    default:
      return FALSE;
  }
}

static void
take_option (int option, char **argv, TuneOptions * options)
{
  switch (option) {
    case OPTION_MATCHER:
      options->matcher = optarg;
      break;
    case OPTION_SETTINGS:
      options->settings = optarg;
      break;
    case OPTION_PORT:
      options->port = whole ("port", 0, 65535);
      break;
    case OPTION_ADDRESS:
      take_address (options);
      break;
    case OPTION_TOKEN:
      take_token (options);
      break;
    case OPTION_MAX_VIEWERS:
      options->max_viewers = whole ("max-viewers", 1, 100);
      break;
    case 'h':
      end_with (usage, "");
      break;
    case OPTION_VERSION:
      end_with (TUNE_PROGRAM " " STEREO_VERSION, "\n");
      break;
    case ':':
      die ("%s needs a value", argv[optind - 1]);
    default:
      die ("unknown option '%s'; --help lists them", argv[optind - 1]);
  }
}

static void
check (TuneOptions * options, gboolean given, int n, char **words)
{
  if (given && n > 0)
    die ("'%s' goes with neither --sbs nor --pipeline nor --demo", words[0]);
  if (!given && n != 2)
    die ("LEFT and RIGHT are needed, or --demo; --help says more");
  if (!given) {
    options->left = words[0];
    options->right = words[1];
  }
  if (options->truth != NULL && options->input != TUNE_FROM_FILES)
    die ("--truth goes with two images only");
  if (options->truth_scale > 0 && options->truth == NULL)
    die ("--truth-scale is about --truth");
  if (options->input == TUNE_FROM_DEMO) {
    if (options->focal_length == 0)
      options->focal_length = DEMO_FOCAL_LENGTH;
    if (options->baseline == 0)
      options->baseline = DEMO_BASELINE;
  }
  if (options->address != NULL && options->token == NULL)
    options->token = tune_token_new ();
}

void
tune_options_parse (TuneOptions * options, int argc, char **argv)
{
  gboolean given = FALSE;
  int option;

  *options = (TuneOptions) {
    .matcher = "stereosgm",
    .port = TUNE_DEFAULT_PORT,
    .max_viewers = 8,
  };
  opterr = 0;
  while ((option = getopt_long (argc, argv, ":h", long_options, NULL)) != -1) {
    if (!take_source_option (option, options, &given))
      take_option (option, argv, options);
  }
  check (options, given, argc - optind, argv + optind);
}

void
tune_options_clear (TuneOptions * options)
{
  g_clear_pointer (&options->token, g_free);
}
