/* gst-stereomatching: a view from between two images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * stereo-view: makes a view from images and a disparity map in files, as
 * stereoview does, and says how much it is like the true one.
 * docs/tools/stereo-view.md is its manual.
 */

#include "cli.h"
#include "core/params.h"
#include "geometry/view.h"
#include "imagefile.h"
#include "likeness.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "stereo-view"
/* One line, then the end. */
#define die(...) cli_die (PROGRAM, __VA_ARGS__)
#define FAILED 1                /* it could not be computed or written */

typedef struct
{
  const char *left, *map;       /* borrowed from argv, as all */
  const char *right, *truth, *save;
  const char *before, *true_before;
  const char *backend, *simd;
  double map_scale, map_invalid;
  bool use_map_invalid, json;
  StereoViewParams params;
} Options;

/* RGB without padding. */
typedef struct
{
  int width;
  int height;
  uint8_t *rgb;
} Picture;

/* *INDENT-OFF* */
static const char usage[] =
    "Usage: stereo-view [OPTION ...] LEFT MAP\n"
    "\n"
    "Makes a view from the left image and its disparity map (PFM, PNG), as\n"
    "the element stereoview does, and prints PSNR (dB, over R, G and B) and\n"
    "SSIM (of luma) beside the true picture.\n"
    "\n"
    "  --right FILE           the right image\n"
    "  --position P           0 = left view (0.5)\n"
    "  --join J               pixels (2)\n"
    "  --blending KIND        distance (the default) or nearest\n"
    "  --map-scale S          levels of the map for a pixel (16 bits: 256,\n"
    "                         PFM: 1)\n"
    "  --map-invalid V        its value of no disparity (PNG: 0), or none\n"
    "  --true FILE            what a camera sees from there\n"
    "  --before FILE          what was made and what was true in the frame\n"
    "  --true-before FILE     before: PSNR of the change as well\n"
    "  --save FILE            write the view (PNG)\n"
    "  --backend NAME         cpu (the default), cuda or auto\n"
    "  --simd NAME            auto, none, generic, avx2, avx512\n"
    "  --json                 for programs\n"
    "  --help, --version\n";
/* *INDENT-ON* */

/* ----------------------------------------------------------------- options */

enum
{
  OPTION_RIGHT = 256, OPTION_POSITION, OPTION_JOIN, OPTION_BLENDING,
  OPTION_MAP_SCALE, OPTION_MAP_INVALID, OPTION_TRUE, OPTION_BEFORE,
  OPTION_TRUE_BEFORE, OPTION_SAVE, OPTION_BACKEND, OPTION_SIMD, OPTION_JSON,
  OPTION_HELP, OPTION_VERSION
};

static const struct option long_options[] = {
  {"right", required_argument, NULL, OPTION_RIGHT},
  {"position", required_argument, NULL, OPTION_POSITION},
  {"join", required_argument, NULL, OPTION_JOIN},
  {"blending", required_argument, NULL, OPTION_BLENDING},
  {"map-scale", required_argument, NULL, OPTION_MAP_SCALE},
  {"map-invalid", required_argument, NULL, OPTION_MAP_INVALID},
  {"true", required_argument, NULL, OPTION_TRUE},
  {"before", required_argument, NULL, OPTION_BEFORE},
  {"true-before", required_argument, NULL, OPTION_TRUE_BEFORE},
  {"save", required_argument, NULL, OPTION_SAVE},
  {"backend", required_argument, NULL, OPTION_BACKEND},
  {"simd", required_argument, NULL, OPTION_SIMD},
  {"json", no_argument, NULL, OPTION_JSON},
  {"help", no_argument, NULL, OPTION_HELP},
  {"version", no_argument, NULL, OPTION_VERSION},
  {NULL, 0, NULL, 0}
};

static const StereoParamSpec *
find_spec (const char *name)
{
  const StereoParamSpec *spec = stereo_view_params;

  while (strcmp (spec->name, name) != 0)
    spec++;
  return spec;
}

/* A number in the range of a parameter of the operation. */
static double
parameter (const char *name, const char *text)
{
  const StereoParamSpec *spec = find_spec (name);
  double value;

  if (!cli_number (text, &value) || value < spec->minimum
      || value > spec->maximum)
    die ("--%s '%s': it is a number from %g to %g", name, text, spec->minimum,
        spec->maximum);
  return value;
}

static int
blending_option (const char *text)
{
  const StereoParamSpec *spec = find_spec ("blending");

  for (int i = 0; i <= (int) spec->maximum; i++) {
    if (strcmp (spec->values[i].nick, text) == 0)
      return i;
  }
  die ("--blending '%s': it is distance or nearest", text);
}

static void
map_option (int option, const char *text, Options * options)
{
  if (option == OPTION_MAP_SCALE) {
    if (!cli_number (text, &options->map_scale) || options->map_scale <= 0)
      die ("--map-scale '%s': it is a number above 0", text);
    return;
  }
  options->use_map_invalid = true;
  options->map_invalid = NAN;
  if (strcmp (text, "none") != 0 && !cli_number (text, &options->map_invalid))
    die ("--map-invalid '%s': it is a number or none", text);
}

__attribute__ ((noreturn))
static void
end_with (const char *text)
{
  fputs (text, stdout);
  exit (fflush (stdout) == 0 ? 0 : FAILED);
}

/* An option as getopt_long() gives it, of argv[optind - 1] and before. */
static void
take_option (int option, char **argv, Options * options)
{
  switch (option) {
    case OPTION_RIGHT:
      options->right = optarg;
      break;
    case OPTION_POSITION:
      options->params.position = parameter ("position", optarg);
      break;
    case OPTION_JOIN:
      options->params.join = parameter ("join", optarg);
      break;
    case OPTION_BLENDING:
      options->params.blending = blending_option (optarg);
      break;
    case OPTION_MAP_SCALE:
    case OPTION_MAP_INVALID:
      map_option (option, optarg, options);
      break;
    case OPTION_TRUE:
      options->truth = optarg;
      break;
    case OPTION_BEFORE:
      options->before = optarg;
      break;
    case OPTION_TRUE_BEFORE:
      options->true_before = optarg;
      break;
    case OPTION_SAVE:
      options->save = optarg;
      break;
    case OPTION_BACKEND:
      options->backend = optarg;
      break;
    case OPTION_SIMD:
      options->simd = optarg;
      break;
    case OPTION_JSON:
      options->json = true;
      break;
    case 'h':
    case OPTION_HELP:
      end_with (usage);
    case OPTION_VERSION:
      printf (PROGRAM " %s\n", stereo_version ());
      end_with ("");
    case ':':
      die ("%s needs a value", argv[optind - 1]);
    default:
      die ("unknown option '%s'; --help lists them", argv[optind - 1]);
  }
}

static void
parse_options (int argc, char **argv, Options * options)
{
  int option;

  memset (options, 0, sizeof (*options));
  options->backend = "cpu";
  options->simd = "auto";
  for (const StereoParamSpec * spec = stereo_view_params; spec->name; spec++)
    stereo_param_write (spec, (char *) &options->params + spec->offset,
        spec->initial);
  opterr = 0;
  while ((option = getopt_long (argc, argv, ":h", long_options, NULL)) != -1)
    take_option (option, argv, options);
  if (argc - optind != 2)
    die ("LEFT and MAP are needed, and nothing else; --help says more");
  options->left = argv[optind];
  options->map = argv[optind + 1];
  if (options->save == NULL && options->truth == NULL)
    die ("--save or --true says what the view is for");
  if ((options->before == NULL) != (options->true_before == NULL)
      || (options->before != NULL && options->truth == NULL))
    die ("--before, --true-before and --true need each other");
}

/* ------------------------------------------------------------------- files */

/* Reads a picture as RGB; width, where not 0, and height are what its size has
 * to be. */
static Picture
read_picture (const char *path, int width, int height)
{
  StereoMessage why = { "" };
  Picture picture;
  Image image;
  size_t n;

  if (!image_read (path, &image, &why) || !image_reduce (path, &image, &why))
    die ("%s", why.text);
  if (width > 0 && (image.width != width || image.height != height))
    die ("%s: has %dx%d pixels, but LEFT %dx%d", path, image.width,
        image.height, width, height);
  n = (size_t) image.width * (size_t) image.height;
  picture.width = image.width;
  picture.height = image.height;
  picture.rgb = cli_resize (NULL, 3 * n);
  for (size_t i = 0; i < 3 * n; i++)
    picture.rgb[i] = ((const uint8_t *) image.data)[image.channels == 3 ? i
        : i / 3];
  image_clear (&image);
  return picture;
}

/* The codes of a map of 256 to a pixel, and what they mean. */
static uint16_t *
read_codes (const Options * options, int *width, int *height,
    StereoViewParams * params)
{
  StereoMessage why = { "" };
  uint16_t *codes;
  float *map, least = INFINITY, most = -INFINITY;
  size_t n;

  if (!image_read_map (options->map, options->map_scale,
          options->use_map_invalid, options->map_invalid, width, height, &map,
          &why))
    die ("%s", why.text);
  n = (size_t) *width * (size_t) *height;
  for (size_t i = 0; i < n; i++) {
    least = map[i] < least ? map[i] : least;
    most = isfinite (map[i]) && map[i] > most ? map[i] : most;
  }
  params->minimum = isfinite (least) ? (int) floorf (least) : 0;
  params->scale = 256;
  params->invalid_value = 65535;
  if (floor (256.0 * (double) most + 0.5) - 256.0 * params->minimum > 65534) {
    free (map);
    die ("%s: disparities from %g to %g are more than 255 apart", options->map,
        (double) least, (double) most);
  }
  codes = cli_resize (NULL, n * sizeof (*codes));
  for (size_t i = 0; i < n; i++)
    codes[i] = isfinite (map[i]) ? (uint16_t) (floor (256.0 * (double) map[i]
            + 0.5) - 256.0 * params->minimum) : 65535;
  free (map);
  return codes;
}

/* ------------------------------------------------------------------ making */

static StereoPortSetup
setup_of (const StereoImage * image)
{
  return (StereoPortSetup) {
  image->format, image->width, image->height, 1};
}

static StereoImage
image_of (StereoFormat format, int bytes, int width, int height, void *data)
{
  return (StereoImage) {
  .format = format,.width = width,.height = height,.plane = {data},.stride = {
        (size_t) bytes * (size_t) width}};
}

static bool
make_view (const Options * options, const Picture * left, const Picture * right,
    uint8_t * rgb, StereoMessage * why)
{
  const int w = left->width, h = left->height;
  StereoViewParams params = options->params;
  int map_width = 0, map_height = 0;
  uint16_t *codes = read_codes (options, &map_width, &map_height, &params);
  StereoImage images[4] = {
    image_of (STEREO_FORMAT_RGB, 3, w, h, left->rgb),
    image_of (STEREO_FORMAT_RGB, 3, w, h, right->rgb),
    image_of (STEREO_FORMAT_GRAY16_LE, 2, map_width, map_height, codes),
    image_of (STEREO_FORMAT_RGB, 3, w, h, rgb),
  };
  const StereoImage *inputs[3] = { &images[0], right->rgb != NULL ? &images[1]
        : NULL, &images[2]
  };
  const StereoImage *output = &images[3];
  StereoPortSetup setups[4];
  StereoDevice *device = NULL;
  StereoRunner *runner = NULL;
  bool good;

  for (int i = 0; i < 4; i++)
    setups[i] = setup_of (&images[i]);
  good = cli_open_device (options->backend, options->simd, 0, &device, why)
      && stereo_runner_new (&stereo_view_op, device, &runner, why)
      == STEREO_OK;
  if (good && (stereo_runner_configure (runner, setups, &setups[3], &params)
          != STEREO_OK || stereo_runner_process (runner, inputs, &output, NULL)
          != STEREO_OK || stereo_runner_sync (runner) != STEREO_OK)) {
    *why = *stereo_runner_message (runner);
    good = false;
  }
  stereo_runner_free (&runner);
  stereo_device_unref (&device);
  free (codes);
  return good;
}

/* CRC-32 as zlib has it, which says whether two views are the same. */
static uint32_t
crc_of (const uint8_t * bytes, size_t n)
{
  uint32_t crc = 0xffffffffu;

  for (size_t i = 0; i < n; i++) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

static void
print (const Options * options, const Picture * view)
{
  const size_t n = 3 * (size_t) view->width * (size_t) view->height;
  const int w = view->width, h = view->height;
  double psnr = NAN, ssim = NAN, change = NAN;
  CliJson json = { stdout, 0, false };
  char *crc = cli_format ("%08x", (unsigned) crc_of (view->rgb, n));

  if (options->truth != NULL) {
    Picture truth = read_picture (options->truth, w, h);

    psnr = likeness_psnr (view->rgb, truth.rgb, n);
    ssim = likeness_ssim (view->rgb, truth.rgb, w, h);
    if (options->before != NULL) {
      Picture before = read_picture (options->before, w, h);
      Picture true_before = read_picture (options->true_before, w, h);

      change = likeness_psnr_of_change (view->rgb, before.rgb, truth.rgb,
          true_before.rgb, n);
      free (before.rgb);
      free (true_before.rgb);
    }
    free (truth.rgb);
  }
  if (options->json) {
    cli_json_open (&json, NULL, '{');
    cli_json_number (&json, "position", options->params.position);
    cli_json_text (&json, "crc", crc);
    cli_json_bool (&json, "equal", isinf (psnr));
    cli_json_number (&json, "psnr", psnr);
    cli_json_number (&json, "ssim", ssim);
    cli_json_number (&json, "psnr_of_change", change);
    cli_json_close (&json, '}');
    putchar ('\n');
  } else if (options->truth != NULL) {
    printf ("position %g: PSNR %.2f dB, SSIM %.4f", options->params.position,
        psnr, ssim);
    if (options->before != NULL)
      printf (", of the change %.2f dB", change);
    printf (", CRC %s\n", crc);
  }
  free (crc);
}

int
main (int argc, char **argv)
{
  StereoMessage why = { "" };
  Options options;
  Picture left, right = { 0, 0, NULL }, view;
  int status = 0;

  parse_options (argc, argv, &options);
  left = read_picture (options.left, 0, 0);
  if (options.right != NULL)
    right = read_picture (options.right, left.width, left.height);
  view = left;
  view.rgb = cli_resize (NULL, 3 * (size_t) view.width * (size_t) view.height);
  if (!make_view (&options, &left, &right, view.rgb, &why)
      || (options.save != NULL && !image_write_png_rgb (options.save,
              view.width, view.height, view.rgb, &why))) {
    fprintf (stderr, PROGRAM ": %s\n", why.text);
    status = FAILED;
  } else {
    print (&options, &view);
    status = fflush (stdout) == 0 ? 0 : FAILED;
  }
  free (left.rgb);
  free (right.rgb);
  free (view.rgb);
  return status;
}
