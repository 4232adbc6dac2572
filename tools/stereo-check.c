/* gst-stereomatching: alignment, focus and exposure of stereo pairs
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * stereo-check: says whether pairs of images, or videos, can be matched:
 * whether rows match, focus and exposure are equal, and views are in order.
 * docs/tools/stereo-check.md is its manual.
 */

#include "cli.h"
#include "imagefile.h"
#include "outputfile.h"
#include "videopair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "stereo-check"
#define die(...) cli_die (PROGRAM, __VA_ARGS__)

typedef struct
{
  CliTexts files;               /* LEFT and RIGHT, ..., or videos of both */
  const char *layout, *save, *backend, *simd;
  double focal_length;
  int interval, max_pairs;
  bool json;
} Options;

/* Pairs of a video that are measured whatever the interval is. */
#define FIRST_PAIRS 3

/* Of all pairs. */
typedef struct
{
  StereoAlignment *alignment;
  StereoDevice *device;
  int width, height;            /* of the first pair, 0 before */
  unsigned n_pairs[STEREO_N_ALIGNMENTS];
  StereoAlignmentReport report[STEREO_N_ALIGNMENTS];    /* of the last one */
  StereoAlignmentStatus last;
} Measurement;

/* ----------------------------------------------------------------- options */

#define AT(FIELD) offsetof (Options, FIELD)

static const CliOption option_rows[] = {
  {"layout", "NAME", CLI_CHOICE, AT (layout),
        "frame packing of videos (separate = two files; a single file is "
        "side-by-side)",
      CLI_CHOICES ("separate", "side-by-side", "top-bottom")},
  {"interval", "N", CLI_INTEGER, AT (interval),
        "measure the first three pairs of a video, and one in N (10)",
      .minimum = 1, .maximum = 1000000},
  {"max-pairs", "N", CLI_INTEGER, AT (max_pairs),
        "measure at most N pairs of a video (100)",
      .minimum = 1, .maximum = 1000000},
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
  .synopsis = "[OPTION ...] LEFT RIGHT [LEFT RIGHT ...]\n"
      "[OPTION ...] VIDEO",
  .description =
      "Says whether rows of two views match, whether the views are swapped,\n"
      "and how focus, exposure and disparities compare. Views are images or\n"
      "videos. Pairs of the same cameras are measured together.",
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

  if (!image_read_view (path, &image, &why))
    die ("%s", why.text);
  return image;
}

/* Measures a pair, seconds after an unknown time.  path: its left view. */
static void
measure_pair (Measurement * m, const char *path, const StereoImage views[2],
    double seconds)
{
  StereoAlignmentReport report = STEREO_ALIGNMENT_REPORT_INIT;
  StereoMessage why = { "" };

  if (m->width == 0) {
    m->width = views[0].width;
    m->height = views[0].height;
  }
  if (views[0].width != m->width || views[0].height != m->height)
    die ("%s: expected %dx%d pixels as in the first pair, got %dx%d", path,
        m->width, m->height, views[0].width, views[0].height);
  if (stereo_alignment_measure (m->alignment, m->device, &views[0], &views[1],
          NULL, seconds, &why) != STEREO_OK)
    die ("%s", why.text);
  stereo_alignment_get_report (m->alignment, &report);
  m->last = report.status;
  m->report[m->last] = report;
  m->n_pairs[m->last]++;
}

static void
measure_images (Measurement * m, const char *left_path, const char *right_path)
{
  Image left = read_view (left_path), right = read_view (right_path);
  const StereoImage views[] = { image_wrap (&left), image_wrap (&right) };

  if (left.width != right.width || left.height != right.height)
    die ("%s: expected %dx%d pixels as in %s, got %dx%d", right_path,
        left.width, left.height, left_path, right.width, right.height);
  measure_pair (m, left_path, views, NAN);
  image_clear (&left);
  image_clear (&right);
}

/* Measures some pairs of a video. */
static void
measure_video (Measurement * m, const Options * options, VideoLayout layout,
    const char *left, const char *right)
{
  VideoPairs *pairs = NULL;
  StereoMessage why = { "" };
  StereoImage views[2];
  double seconds = NAN;
  bool end = false;
  int n = 0;

  if (!video_pairs_open (left, right, layout, &pairs, &why))
    die ("%s", why.text);
  for (int i = 0; n < options->max_pairs; i++) {
    if (!video_pairs_next (pairs, views, &seconds, &end, &why))
      die ("%s", why.text);
    if (end)
      break;
    if (i >= FIRST_PAIRS && i % options->interval != 0)
      continue;
    measure_pair (m, left, views, seconds);
    n++;
    cli_progress ((size_t) n, (size_t) options->max_pairs, left);
  }
  cli_progress_end ();
  if (n == 0 && right != NULL)
    die ("%s, %s: have no frames with equal timestamps", left, right);
  if (n == 0)
    die ("%s: has no frames", left);
  video_pairs_free (&pairs);
}

/* Where the views of a file are: VIDEO_SEPARATE if it has one view. */
static VideoLayout
find_layout (const Options * options, const char *path)
{
  if (image_is_likely (path))
    return VIDEO_SEPARATE;
  if (strcmp (options->layout, "top-bottom") == 0)
    return VIDEO_TOP_BOTTOM;
  return strcmp (options->layout, "side-by-side") == 0 || options->files.n == 1
      ? VIDEO_SIDE_BY_SIDE : VIDEO_SEPARATE;
}

/* Measures the next file or files, and returns their number.  m: NULL only
 * counts them. */
static size_t
measure_next (Measurement * m, const Options * options, size_t i)
{
  const char *left = options->files.item[i], *right;
  const VideoLayout layout = find_layout (options, left);

  if (layout != VIDEO_SEPARATE) {
    if (m != NULL)
      measure_video (m, options, layout, left, NULL);
    return 1;
  }
  if (i + 1 == options->files.n) {
    /* a missing video is taken for an image */
    if (image_is_likely (left)) {
      Image image = read_view (left);

      image_clear (&image);
    }
    die ("Expected LEFT and RIGHT, got %zu file%s; see --help",
        options->files.n, options->files.n == 1 ? "" : "s");
  }
  right = options->files.item[i + 1];
  if (m != NULL && image_is_likely (left))
    measure_images (m, left, right);
  else if (m != NULL)
    measure_video (m, options, layout, left, right);
  return 2;
}

/* A layout of both views applies to videos only. */
static void
require_layout (const Options * options)
{
  const char *first = options->files.item[0];
  Image image;

  if (strcmp (options->layout, "separate") == 0)
    return;
  for (size_t i = 0; i < options->files.n; i++) {
    if (!image_is_likely (options->files.item[i]))
      return;
  }
  /* a missing video is taken for an image */
  image = read_view (first);
  image_clear (&image);
  die ("--layout %s: expected a video, got the image %s", options->layout,
      first);
}

static void
measure_files (Measurement * m, const Options * options)
{
  if (options->files.n == 0)
    die ("Expected LEFT and RIGHT, got 0 files; see --help");
  require_layout (options);
  for (size_t i = 0; i < options->files.n;)
    i += measure_next (NULL, options, i);
  for (size_t i = 0; i < options->files.n;)
    i += measure_next (m, options, i);
}

/* The last report of the most frequent status; of equally frequent ones, that
 * of the last pair comes first. */
static const StereoAlignmentReport *
find_report (const Measurement * m)
{
  StereoAlignmentStatus best = m->last;

  for (int i = 0; i < STEREO_N_ALIGNMENTS; i++) {
    if (m->n_pairs[i] > m->n_pairs[best])
      best = (StereoAlignmentStatus) i;
  }
  return &m->report[best];
}

static unsigned
count_pairs (const Measurement * m)
{
  unsigned n = 0;

  for (int i = 0; i < STEREO_N_ALIGNMENTS; i++)
    n += m->n_pairs[i];
  return n;
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

/* The range that a matcher should search. Disparities of at least -1 may be
 * those of distant points whose calibration is not exact. */
static void
print_range (const StereoAlignmentReport * r)
{
  const int most = round_disparities (fmax (0, r->max_disparity));
  const int least = r->min_disparity < -1 ?
      -round_disparities (-r->min_disparity) : 0;

  printf (": ");
  if (least < 0)
    printf ("min-disparity=%d ", least);
  printf ("num-disparities=%d or more", most - least);
}

/* A multiple of step; 0 replaces -0. */
static double
round_to (double step, double value)
{
  return step * rint (value / step) + 0.0;
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
        "Exposure", r->contrast, round_to (1, r->brightness));
  }
  printf ("%-12s %.1f to %.1f pixels", "Disparity", round_to (0.1,
          r->min_disparity), round_to (0.1, r->max_disparity));
  if (r->status == STEREO_ALIGNMENT_OK || r->status == STEREO_ALIGNMENT_OFF)
    print_range (r);
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

/* How many pairs have each status, if they are several. */
static void
print_pairs (const Measurement * m)
{
  const unsigned n = count_pairs (m);
  const char *separator = ":";

  if (n < 2)
    return;
  printf ("%-12s %u measured", "Pairs", n);
  for (int i = 0; i < STEREO_N_ALIGNMENTS; i++) {
    if (m->n_pairs[i] == 0)
      continue;
    printf ("%s %u %s", separator, m->n_pairs[i],
        stereo_alignment_status_name ((StereoAlignmentStatus) i));
    separator = ",";
  }
  printf ("\n");
}

static void
print_page (const Measurement * m, const StereoCorrection * c)
{
  const StereoAlignmentReport *r = find_report (m);

  printf ("%-12s %s\n", "Status", stereo_alignment_status_name (r->status));
  printf ("%-12s %s\n", "", r->text);
  print_pairs (m);
  print_values (r);
  printf ("%-12s %u of %u %s two cameras\n", "Points", r->n_fitting,
      r->n_matches, r->n_fitting == 1 ? "fits" : "fit");
  printf ("%-12s %s\n", "To do", get_advice (r, is_correction (c)));
}

static void
print_json (const Measurement * m, const StereoCorrection * c)
{
  const StereoAlignmentReport *r = find_report (m);
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
  cli_json_open (&json, "pairs", '{');
  for (int i = 0; i < STEREO_N_ALIGNMENTS; i++)
    cli_json_number (&json, stereo_alignment_status_name (
            (StereoAlignmentStatus) i), m->n_pairs[i]);
  cli_json_close (&json, '}');
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
finish (const Options * options, const Measurement * m, StereoMessage * why)
{
  StereoCorrection correction = { 0 };

  /* rows are corrected from smaller differences on than they are off */
  if (find_report (m)->status == STEREO_ALIGNMENT_OFF)
    stereo_alignment_get_correction (m->alignment, &correction);
  if (options->save != NULL && is_correction (&correction)
      && !save_correction (options->save, &correction, why))
    return false;
  if (options->json)
    print_json (m, &correction);
  else
    print_page (m, &correction);
  if (options->save != NULL && !is_correction (&correction))
    return cli_fail (why, "%s: no correction to write: rows match, or cannot "
        "be measured", options->save);
  return true;
}

int
main (int argc, char **argv)
{
  StereoMessage why = { "" };
  Measurement measurement = { NULL };
  Options options = {.interval = 10,.max_pairs = 100 };
  int status = CLI_FAILED;

  cli_parse (&program, argc, argv, &options);
  if (!cli_open_device (options.backend, options.simd, 0, &measurement.device,
          &why)
      || stereo_alignment_new (&measurement.alignment, &why) != STEREO_OK
      || stereo_alignment_set_focal_length (measurement.alignment,
          options.focal_length, &why) != STEREO_OK)
    die ("%s", why.text);
  measure_files (&measurement, &options);
  if (finish (&options, &measurement, &why))
    status = cli_flush (PROGRAM);
  else
    fprintf (stderr, PROGRAM ": %s\n", why.text);
  stereo_alignment_free (&measurement.alignment);
  stereo_device_unref (&measurement.device);
  free (options.files.item);
  return status;
}
