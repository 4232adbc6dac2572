/* gst-stereomatching: a virtual view of two images
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * stereo-view: synthesises a view from image files and a disparity map, as
 * stereoview does, and compares it with a reference image.
 * docs/tools/stereo-view.md is its manual.
 */

#include "cli.h"
#include "imagefile.h"
#include "quality.h"

#include <math.h>
#include <stdlib.h>

#define PROGRAM "stereo-view"
#define die(...) cli_die (PROGRAM, __VA_ARGS__)

/* Codes per pixel of disparity at most, and the code of invalid pixels. */
#define MAX_SCALE 256
#define INVALID 65535

/* A disparity map as codes. */
typedef struct
{
  int width, height;
  int scale;                    /* codes per pixel, a power of two */
  int minimum;                  /* disparity of code 0 */
  uint16_t *codes;
} Map;

typedef struct
{
  CliTexts files;               /* LEFT and MAP */
  const char *right, *truth, *save, *before, *true_before;
  const char *position, *join, *blending, *backend, *simd;
  double map_scale;
  CliInvalid map_invalid;
  bool json;
} Options;

/* ----------------------------------------------------------------- options */

#define AT(FIELD) offsetof (Options, FIELD)

static const CliOption option_rows[] = {
  {"right", "FILE", CLI_TEXT, AT (right), "right view"},
  {"position", "P", CLI_TEXT, AT (position),
      "virtual camera position: 0 = left, 1 = right (0.5)"},
  {"join", "J", CLI_TEXT, AT (join),
        "maximum disparity difference between neighbours on one surface, in "
        "pixels (2)"},
  {"blending", "KIND", CLI_CHOICE, AT (blending),
      "blending of the two source views", CLI_CHOICES ("distance", "nearest")},
  {"map-scale", "S", CLI_POSITIVE, AT (map_scale),
      "levels of the map per pixel of disparity (16 bits: 256, PFM: 1)"},
  {"map-invalid", "V", CLI_INVALID, AT (map_invalid),
      "its value of invalid pixels (PNG: 0), or none"},
  {"true", "FILE", CLI_TEXT, AT (truth), "reference image at that position"},
  {"before", "FILE", CLI_TEXT, AT (before), "view of the previous frame"},
  {"true-before", "FILE", CLI_TEXT, AT (true_before),
      "its reference image: also print the PSNR of the change"},
  {"save", "FILE", CLI_TEXT, AT (save), "write the view (PNG)"},
  {"backend", "NAME", CLI_CHOICE, AT (backend), "compute backend",
      CLI_CHOICES ("cpu", "cuda", "auto")},
  {"simd", "NAME", CLI_CHOICE, AT (simd), "CPU instruction set",
      CLI_SIMD_CHOICES},
  {"json", NULL, CLI_FLAG, AT (json), "print JSON"},
  {.type = CLI_END}
};

static void
take_file (const char *text, const CliOption * after, void *options)
{
  (void) after;
  cli_texts_add (&((Options *) options)->files, text);
}

static const CliProgram program = {
  .name = PROGRAM,
  .synopsis = "[OPTION ...] LEFT MAP",
  .description =
      "Synthesises a view from the left image and its disparity map, as the\n"
      "element stereoview does, and prints PSNR (dB, over R, G and B) and\n"
      "SSIM (of luma) against a reference image.",
  .options = option_rows,
  .take = take_file,
};

static void
check_options (const Options * options)
{
  if (options->files.n != 2)
    die ("Expected LEFT and MAP, got %zu file%s; see --help",
        options->files.n, options->files.n == 1 ? "" : "s");
  if (options->save == NULL && options->truth == NULL)
    die ("Nothing to do: use --save or --true");
  if ((options->before == NULL) != (options->true_before == NULL)
      || (options->before != NULL && options->truth == NULL))
    die ("--before, --true-before and --true require each other");
}

/* ------------------------------------------------------------------- files */

/* Reads an image as RGB without padding; like: the image whose size it must
 * have, or NULL. */
static Image
read_rgb (const char *path, const Image * like)
{
  StereoMessage why = { "" };
  Image image, rgb;
  uint8_t *data;
  size_t n;

  if (!image_read_view (path, &image, &why))
    die ("%s", why.text);
  if (like != NULL && (image.width != like->width
          || image.height != like->height))
    die ("%s: expected %dx%d pixels as in LEFT, got %dx%d", path, like->width,
        like->height, image.width, image.height);
  if (image.channels == 3)
    return image;
  rgb = image;
  rgb.channels = 3;
  n = (size_t) image.width * (size_t) image.height;
  rgb.data = data = cli_resize (NULL, 3 * n);
  for (size_t i = 0; i < 3 * n; i++)
    data[i] = ((const uint8_t *) image.data)[i / 3];
  image_clear (&image);
  return rgb;
}

static double
code_of (const Map * map, double disparity)
{
  return floor (map->scale * disparity + 0.5) - (double) map->scale
      * map->minimum;
}

/* Sets the minimum, and the largest scale at which all disparities fit. */
static bool
choose_codes (Map * map, float least, float most)
{
  map->scale = MAX_SCALE;
  map->minimum = 0;
  if (least > most)
    return true;                /* none is valid */
  if (least < -STEREO_MAX_SIZE || most > STEREO_MAX_SIZE)
    return false;
  map->minimum = (int) floorf (least);
  while (code_of (map, (double) most) >= INVALID)
    map->scale /= 2;
  return true;
}

static Map
read_map (const Options * options)
{
  const char *path = options->files.item[1];
  StereoMessage why = { "" };
  float *values, least = INFINITY, most = -INFINITY;
  Map map = { 0, };
  size_t n;

  if (!image_read_map (path, options->map_scale, "--map-scale",
          options->map_invalid.given ? &options->map_invalid.value : NULL,
          &map.width, &map.height, &values, &why))
    die ("%s", why.text);
  n = (size_t) map.width * (size_t) map.height;
  for (size_t i = 0; i < n; i++) {
    least = values[i] < least ? values[i] : least;
    most = isfinite (values[i]) && values[i] > most ? values[i] : most;
  }
  if (!choose_codes (&map, least, most)) {
    free (values);
    die ("%s: expected disparities from %d to %d pixels, got %g to %g", path,
        -STEREO_MAX_SIZE, STEREO_MAX_SIZE, (double) least, (double) most);
  }
  map.codes = cli_resize (NULL, n * sizeof (*map.codes));
  for (size_t i = 0; i < n; i++)
    map.codes[i] = isfinite (values[i])
        ? (uint16_t) code_of (&map, (double) values[i]) : INVALID;
  free (values);
  return map;
}

/* ------------------------------------------------------------------- views */

static void
set_parameter (StereoOperation * operation, const char *name, const char *text)
{
  StereoMessage why = { "" };

  if (text != NULL && stereo_operation_set_text (operation, name, text, &why)
      != STEREO_OK)
    die ("--%s: %s", name, why.text);
}

static bool
synthesize (const Options * options, StereoOperation * operation,
    const Image * left, const Image * right, const Image * view,
    StereoMessage * why)
{
  const Map map = read_map (options);
  const StereoImage disparities = {
    .format = STEREO_FORMAT_GRAY16_LE,
    .width = map.width,
    .height = map.height,
    .plane = {map.codes},
    .stride = {sizeof (*map.codes) * (size_t) map.width},
  };
  const StereoImage images[] = { image_wrap (left), image_wrap (right) };
  const StereoImage output = image_wrap (view);
  const StereoImage *inputs[] = { &images[0], right->data != NULL ? &images[1]
        : NULL, &disparities
  };
  const bool good = stereo_operation_set (operation, "disparity-scale",
      map.scale, why) == STEREO_OK
      && stereo_operation_set (operation, "min-disparity", map.minimum, why)
      == STEREO_OK && stereo_operation_set (operation, "invalid-value",
      INVALID, why) == STEREO_OK;
  StereoStatus status = STEREO_ERROR_DEVICE;

  if (good)
    status = stereo_operation_process (operation, inputs, 3, &output, why);
  free (map.codes);
  /* all images but the map have the size of LEFT */
  if (status == STEREO_ERROR_ARGUMENT)
    die ("%s: %s", options->files.item[1], why->text);
  return status == STEREO_OK;
}

/* ----------------------------------------------------------------- metrics */

typedef struct
{
  double psnr, ssim, change;
} Metrics;

static Metrics
compare (const Options * options, const Image * view)
{
  const size_t n = 3 * (size_t) view->width * (size_t) view->height;
  Metrics metrics = { NAN, NAN, NAN };
  Image truth, before, true_before;

  if (options->truth == NULL)
    return metrics;
  truth = read_rgb (options->truth, view);
  metrics.psnr = quality_psnr (view->data, truth.data, n);
  metrics.ssim = quality_ssim (view->data, truth.data, view->width,
      view->height);
  if (options->before != NULL) {
    before = read_rgb (options->before, view);
    true_before = read_rgb (options->true_before, view);
    metrics.change = quality_psnr_of_change (view->data, before.data,
        truth.data, true_before.data, n);
    image_clear (&before);
    image_clear (&true_before);
  }
  image_clear (&truth);
  return metrics;
}

/* CRC-32 as in zlib: a checksum of the view. */
static uint32_t
compute_crc (const uint8_t * bytes, size_t n)
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
print_metrics (const Options * options, double position, const Image * view,
    Metrics metrics)
{
  CliJson json = { stdout, 0, false };
  char *crc = cli_format ("%08x", (unsigned) compute_crc (view->data,
          3 * (size_t) view->width * (size_t) view->height));

  if (options->json) {
    cli_json_open (&json, NULL, '{');
    cli_json_number (&json, "position", position);
    cli_json_text (&json, "crc", crc);
    if (options->truth != NULL)
      cli_json_bool (&json, "equal", isinf (metrics.psnr));
    else
      cli_json_text (&json, "equal", NULL);
    cli_json_number (&json, "psnr", metrics.psnr);
    cli_json_number (&json, "ssim", metrics.ssim);
    cli_json_number (&json, "psnr_of_change", metrics.change);
    cli_json_close (&json, '}');
  } else if (options->truth != NULL) {
    printf ("position %g: PSNR %.2f dB, SSIM ", position, metrics.psnr);
    if (isnan (metrics.ssim))
      printf ("-");
    else
      printf ("%.4f", metrics.ssim);
    if (options->before != NULL)
      printf (", of the change %.2f dB", metrics.change);
    printf (", CRC %s\n", crc);
  }
  free (crc);
}

int
main (int argc, char **argv)
{
  StereoMessage why = { "" };
  StereoDevice *device = NULL;
  StereoOperation *operation = NULL;
  Options options = { {NULL, 0} };
  Image left, right = { 0 }, view;
  Metrics metrics = { 0, };
  double position = 0;
  bool good;
  int status = CLI_FAILED;

  cli_parse (&program, argc, argv, &options);
  check_options (&options);
  if (!cli_open_device (options.backend, options.simd, 0, &device, &why)
      || stereo_operation_new ("view", device, &operation, &why) != STEREO_OK)
    die ("%s", why.text);
  set_parameter (operation, "position", options.position);
  set_parameter (operation, "join", options.join);
  set_parameter (operation, "blending", options.blending);
  left = read_rgb (options.files.item[0], NULL);
  if (options.right != NULL)
    right = read_rgb (options.right, &left);
  view = left;
  view.data = cli_resize (NULL, 3 * (size_t) view.width * (size_t) view.height);
  good = synthesize (&options, operation, &left, &right, &view, &why);
  if (good)
    metrics = compare (&options, &view);        /* ends if a file is wrong */
  if (good && (options.save == NULL || image_write_png_rgb (options.save,
              view.width, view.height, view.data, &why))
      && stereo_operation_get (operation, "position", &position)) {
    print_metrics (&options, position, &view, metrics);
    status = cli_flush (PROGRAM);
  } else {
    fprintf (stderr, PROGRAM ": %s\n", why.text);
  }
  stereo_operation_free (&operation);
  stereo_device_unref (&device);
  image_clear (&left);
  image_clear (&right);
  image_clear (&view);
  free (options.files.item);
  return status;
}
