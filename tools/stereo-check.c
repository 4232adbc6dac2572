/* gst-stereomatching: alignment, focus and exposure of stereo pairs
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * stereo-check: says whether a pair of images can be matched: whether rows
 * match, focus and exposure are equal, and views are in order.
 * docs/tools/stereo-check.md is its manual.
 */

#include "cli.h"
#include "imagefile.h"
#include "outputfile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "stereo-check"
#define die(...) cli_die (PROGRAM, __VA_ARGS__)

typedef struct
{
  CliTexts files;               /* LEFT and RIGHT, ... */
  const char *save, *backend, *simd;
  double focal_length;
  bool json;
} Options;

/* ----------------------------------------------------------------- options */

#define AT(FIELD) offsetof (Options, FIELD)

static const CliOption option_rows[] = {
  {"save", "FILE", CLI_TEXT, AT (save),
      "write the correction as a calibration file for stereorectify"},
  {"focal-length", "F", CLI_POSITIVE, AT (focal_length),
      "focal length, in pixels, if known (0.9 widths)"},
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
  .synopsis = "[OPTION ...] LEFT RIGHT [LEFT RIGHT ...]",
  .description =
      "Says whether rows of two views match, whether the views are swapped,\n"
      "and how focus, exposure and disparities compare. Pairs of the same\n"
      "cameras are measured together.",
  .options = option_rows,
  .take = take_file,
};

/* ------------------------------------------------------------- measurement */

/* Reads an image with 8 bits per sample. */
static Image
read_view (const char *path)
{
  StereoMessage why = { "" };
  Image image;

  if (!image_read (path, &image, &why) || !image_reduce (path, &image, &why))
    die ("%s", why.text);
  return image;
}

static StereoImage
wrap_view (const Image * image)
{
  return (StereoImage) {
    .format = image->channels == 3 ? STEREO_FORMAT_RGB : STEREO_FORMAT_GRAY8,
    .width = image->width,
    .height = image->height,
    .plane = {image->data},
    .stride = {(size_t) image->channels * (size_t) image->width},
  };
}

static void
measure_pair (StereoAlignment * alignment, StereoDevice * device,
    const char *left_path, const char *right_path)
{
  Image left = read_view (left_path), right = read_view (right_path);
  const StereoImage images[] = { wrap_view (&left), wrap_view (&right) };
  StereoMessage why = { "" };

  if (left.width != right.width || left.height != right.height)
    die ("%s: expected %dx%d pixels as in %s, got %dx%d", right_path,
        left.width, left.height, left_path, right.width, right.height);
  if (stereo_alignment_measure (alignment, device, &images[0], &images[1],
          NULL, NAN, &why) != STEREO_OK)
    die ("%s", why.text);
  image_clear (&left);
  image_clear (&right);
}

/* ------------------------------------------------------------------- report */

static void
print_value (const char *name, double value, double sigma, int decimals,
    const char *unit, const char *positive, const char *negative)
{
  printf ("%-12s %.*f %s %s", name, decimals, fabs (value), unit,
      value < 0 ? negative : positive);
  printf (" (+- %.*f)\n", decimals, sigma);
}

/* The next larger number of disparities that most matchers accept. */
static int
round_disparities (double most)
{
  return ((int) ceil (most) / 16 + 1) * 16;
}

/* Values that were measured. */
static void
print_values (const StereoAlignmentReport * r)
{
  if (isnan (r->rows_median))
    return;
  printf ("%-12s %.2f pixels (median), %.2f (95 %%), %.2f (maximum), known to "
      "%.2f\n", "Rows", r->rows_median, r->rows_95, r->rows_max,
      r->rows_sigma);
  print_value ("Right view", r->offset, r->offset_sigma, 2, "pixels", "lower",
      "higher");
  print_value ("", r->roll, r->roll_sigma, 3, "degrees", "clockwise",
      "counterclockwise");
  print_value ("", 100 * r->zoom, 100 * r->zoom_sigma, 2, "%", "larger",
      "smaller");
  print_value ("", r->keystone, r->keystone_sigma, 2, "degrees",
      "swung to the right", "swung to the left");
  if (!isnan (r->sharpness)) {
    printf ("%-12s right view %.2f times as sharp\n", "Focus", r->sharpness);
    printf ("%-12s right view %.2f times the contrast, %+.0f grey levels\n",
        "Exposure", r->contrast, r->brightness);
  }
  printf ("%-12s %.1f to %.1f pixels", "Disparity", r->min_disparity,
      r->max_disparity);
  if (r->status == STEREO_ALIGNMENT_OK || r->status == STEREO_ALIGNMENT_OFF)
    printf (": num-disparities=%d or more", round_disparities (fmax (0,
                r->max_disparity)));
  printf ("\n");
}

static const char *
get_advice (const StereoAlignmentReport * r, bool corrected)
{
  switch (r->status) {
    case STEREO_ALIGNMENT_OK:
      return "Nothing.";
    case STEREO_ALIGNMENT_OFF:
      return corrected ? "Calibrate the cameras, or rectify both views with "
          "stereorectify and a\n             correction (--save). Metric "
          "depth needs a calibration."
          : "Calibrate the cameras. The views do not suffice for a correction.";
    case STEREO_ALIGNMENT_SWAPPED:
      return "Exchange the views.";
    case STEREO_ALIGNMENT_SAME_VIEW:
      return "Check the inputs: one camera is used twice.";
    case STEREO_ALIGNMENT_NOT_IN_STEP:
      return "Synchronize the cameras.";
    default:
      return "Show a scene with texture in both views.";
  }
}

static bool
is_correction (const StereoCorrection * correction)
{
  for (int i = 0; i < STEREO_N_CORRECTIONS; i++) {
    if (correction->values[i] != 0)
      return true;
  }
  return false;
}

static void
print_page (const StereoAlignmentReport * r, const StereoCorrection * c)
{
  printf ("%-12s %s\n", "Status", stereo_alignment_status_name (r->status));
  printf ("%-12s %s\n", "", r->text);
  print_values (r);
  printf ("%-12s %u of %u fit two cameras\n", "Points", r->n_fitting,
      r->n_matches);
  printf ("%-12s %s\n", "To do", get_advice (r, is_correction (c)));
}

static void
print_json (const StereoAlignmentReport * r, const StereoCorrection * c)
{
  const struct
  {
    const char *name;
    double value;
  } numbers[] = {
    {"matches", r->n_matches}, {"fitting", r->n_fitting},
    {"rows_median", r->rows_median}, {"rows_95", r->rows_95},
    {"rows_max", r->rows_max}, {"rows_sigma", r->rows_sigma},
    {"offset", r->offset}, {"offset_sigma", r->offset_sigma},
    {"roll", r->roll}, {"roll_sigma", r->roll_sigma},
    {"zoom", r->zoom}, {"zoom_sigma", r->zoom_sigma},
    {"keystone", r->keystone}, {"keystone_sigma", r->keystone_sigma},
    {"disparity_sigma", r->disparity_sigma}, {"contrast", r->contrast},
    {"brightness", r->brightness}, {"sharpness", r->sharpness},
    {"min_disparity", r->min_disparity}, {"max_disparity", r->max_disparity},
  };
  CliJson json = { stdout, 0, false };
  char text[STEREO_CORRECTION_TEXT_SIZE];

  stereo_correction_format (c, text);
  cli_json_open (&json, NULL, '{');
  cli_json_text (&json, "status", stereo_alignment_status_name (r->status));
  cli_json_text (&json, "text", r->text);
  for (size_t i = 0; i < sizeof (numbers) / sizeof (numbers[0]); i++)
    cli_json_number (&json, numbers[i].name, numbers[i].value);
  cli_json_text (&json, "correction", is_correction (c) ? text : NULL);
  cli_json_close (&json, '}');
}

/* Writes the calibration file. */
static bool
save_correction (const char *path, const StereoCorrection * correction,
    StereoMessage * why)
{
  char text[STEREO_CORRECTION_FILE_SIZE];
  OutputFile file;
  bool good;

  stereo_correction_format_opencv (correction, text);
  if (!output_file_open (&file, path, why))
    return false;
  good = fputs (text, file.stream) >= 0;
  return output_file_close (&file, good, NULL, why);
}

static bool
finish (const Options * options, const StereoAlignment * alignment,
    StereoMessage * why)
{
  StereoAlignmentReport report = STEREO_ALIGNMENT_REPORT_INIT;
  StereoCorrection correction;

  stereo_alignment_get_report (alignment, &report);
  stereo_alignment_get_correction (alignment, &correction);
  if (options->save != NULL && is_correction (&correction)
      && !save_correction (options->save, &correction, why))
    return false;
  if (options->json)
    print_json (&report, &correction);
  else
    print_page (&report, &correction);
  if (options->save != NULL && !is_correction (&correction))
    return cli_fail (why, "%s: no correction to write: rows match, or cannot "
        "be measured", options->save);
  return true;
}

int
main (int argc, char **argv)
{
  StereoMessage why = { "" };
  StereoDevice *device = NULL;
  StereoAlignment *alignment = NULL;
  Options options = { {NULL, 0} };
  int status = CLI_FAILED;

  cli_parse (&program, argc, argv, &options);
  if (options.files.n < 2 || options.files.n % 2 != 0)
    die ("Expected LEFT and RIGHT, got %zu files; see --help",
        options.files.n);
  if (!cli_open_device (options.backend, options.simd, 0, &device, &why)
      || stereo_alignment_new (&alignment, &why) != STEREO_OK
      || stereo_alignment_set_focal_length (alignment, options.focal_length,
          &why) != STEREO_OK)
    die ("%s", why.text);
  for (size_t i = 0; i < options.files.n; i += 2)
    measure_pair (alignment, device, options.files.item[i],
        options.files.item[i + 1]);
  if (finish (&options, alignment, &why))
    status = cli_flush (PROGRAM);
  else
    fprintf (stderr, PROGRAM ": %s\n", why.text);
  stereo_alignment_free (&alignment);
  stereo_device_unref (&device);
  free (options.files.item);
  return status;
}
