/* gst-stereomatching: output of stereo-bench
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0

/* Maximum number of stages in the table; further stages are omitted. */
#define MAX_COLUMNS 64

/* ------------------------------------------------------------------- table */

/* Right-aligned, with about four digits; "-" for NAN. */
static void
print_number (FILE * file, int columns, double value)
{
  int decimals = value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;

  if (isfinite (value))
    fprintf (file, " %*.*f", columns, decimals, value);
  else
    fprintf (file, " %*s", columns, "-");
}

static int
label_columns (const BenchReport * report)
{
  size_t columns = strlen ("algorithm");

  for (size_t i = 0; i < report->n_cases; i++) {
    size_t length = strlen (report->cases[i].setup->label);

    if (length > columns)
      columns = length;
  }
  return (int) columns;
}

static void
print_case (const BenchCase * c, int columns, FILE * file)
{
  char *size = cli_format ("%dx%dx%d", c->width, c->height, c->disparities);

  fprintf (file, "%-*s %14s %-9s", columns, c->setup->label, size,
      stereo_format_name (c->format));
  free (size);
}

/* The stages of all cases, merged in their order. */
static size_t
all_stages (const BenchReport * report, const BenchRun * run,
    const char **names)
{
  size_t n = 0;

  for (size_t i = 0; i < report->n_cases; i++) {
    size_t place = 0;

    for (size_t s = 0; s < run->result[i].n_stages; s++) {
      const char *name = run->result[i].stage[s].name;
      size_t k = 0;

      while (k < n && strcmp (names[k], name) != 0)
        k++;
      if (k == n && n < MAX_COLUMNS) {
        memmove (names + place + 1, names + place,
            (n++ - place) * sizeof (*names));
        names[place] = name;
        k = place;
      }
      place = k + 1;
    }
  }
  return n;
}

static void
print_stages (const BenchReport * report, const BenchRun * run, int columns,
    FILE * file)
{
  const char *names[MAX_COLUMNS];
  size_t n = all_stages (report, run, names);

  fprintf (file, "\n%-*s %14s %-9s", columns, "stages, mean ms", "size",
      "format");
  for (size_t k = 0; k < n; k++)
    fprintf (file, " %9s", names[k]);
  fprintf (file, " %9s\n", "together");
  for (size_t i = 0; i < report->n_cases; i++) {
    const BenchResult *result = &run->result[i];

    if (result->error != NULL)
      continue;
    print_case (&report->cases[i], columns, file);
    for (size_t k = 0; k < n; k++) {
      double ms = NAN;

      for (size_t s = 0; s < result->n_stages; s++) {
        if (strcmp (result->stage[s].name, names[k]) == 0)
          ms = result->stage[s].times.mean;
      }
      print_number (file, 9, ms);
    }
    print_number (file, 9, result->profiled.mean);
    putc ('\n', file);
  }
}

void
bench_print_table (const BenchReport * report, FILE * file)
{
  int columns = label_columns (report);

  if (columns < (int) strlen ("stages, mean ms"))
    columns = (int) strlen ("stages, mean ms");
  for (size_t r = 0; r < report->n_runs; r++) {
    const BenchRun *run = &report->run[r];
    bool copies = strcmp (stereo_device_backend (run->device), "cpu") != 0;

    fprintf (file, "%s%s", r > 0 ? "\n" : "",
        stereo_device_name (run->device));
    if (isfinite (run->copy))
      fprintf (file, "; copies %.1f GB/s", run->copy / 1e9);
    fprintf (file, "\n\n%-*s %14s %-9s %9s %9s %9s %9s %7s", columns,
        "algorithm", "size", "format", "median ms", "min", "p95", "Mde/s",
        "copy %");
    if (copies)
      fprintf (file, " %9s %9s", "host ms", "frames/s");
    fprintf (file, " %9s\n", "MiB");
    for (size_t i = 0; i < report->n_cases; i++) {
      const BenchCase *c = &report->cases[i];
      const BenchResult *result = &run->result[i];

      print_case (c, columns, file);
      if (result->error != NULL) {
        fprintf (file, " failed\n");
        continue;
      }
      print_number (file, 9, result->device.median);
      print_number (file, 9, result->device.min);
      print_number (file, 9, result->device.p95);
      print_number (file, 9, bench_rate (c, result->device.median));
      print_number (file, 7, 100 * bench_copy_fraction (run, result,
              result->device.median));
      if (copies) {
        print_number (file, 9, result->host.median);
        print_number (file, 9, 1e3 / result->pipelined.mean);
      }
      print_number (file, 9, (copies ? result->device_bytes
              : result->host_bytes) / MIB);
      putc ('\n', file);
    }
    print_stages (report, run, columns, file);
  }
}

/* -------------------------------------------------------------------- JSON */

static void
json_times (CliJson * json, const char *key, const BenchTimes * times)
{
  cli_json_open (json, key, '{');
  cli_json_number (json, "runs", (double) times->runs);
  cli_json_number (json, "median-ms", times->median);
  cli_json_number (json, "min-ms", times->min);
  cli_json_number (json, "p95-ms", times->p95);
  cli_json_number (json, "mean-ms", times->mean);
}

static void
json_value (CliJson * json, const StereoParamSpec * spec, double value)
{
  if (spec->type == STEREO_PARAM_BOOL)
    cli_json_bool (json, spec->name, value != 0);
  else if (spec->type == STEREO_PARAM_ENUM)
    cli_json_text (json, spec->name, spec->values[(int) value].nick);
  else
    cli_json_number (json, spec->name, value);
}

static void
json_result (CliJson * json, const BenchRun * run, const BenchCase * c,
    const BenchResult * result)
{
  const StereoAlgorithm *algorithm = c->setup->algorithm;
  const StereoParamSpec *spec;
  double value;

  cli_json_open (json, NULL, '{');
  cli_json_text (json, "backend", stereo_device_backend (run->device));
  cli_json_text (json, "label", c->setup->label);
  cli_json_text (json, "algorithm", stereo_algorithm_name (algorithm));
  cli_json_open (json, "properties", '{');
  for (size_t i = 0; (spec = stereo_algorithm_param (algorithm, i)); i++) {
    if (stereo_params_get (c->params, spec->name, &value))
      json_value (json, spec, value);
  }
  cli_json_close (json, '}');
  cli_json_number (json, "width", c->width);
  cli_json_number (json, "height", c->height);
  cli_json_number (json, "num-disparities", c->disparities);
  cli_json_text (json, "format", stereo_format_name (c->format));
  cli_json_text (json, "error", result->error);
  if (result->error == NULL) {
    cli_json_number (json, "device-bytes", result->device_bytes);
    cli_json_number (json, "host-bytes", result->host_bytes);
    cli_json_number (json, "traffic-bytes", result->traffic);
    json_times (json, "device", &result->device);
    cli_json_number (json, "mde-per-s",
        bench_rate (c, result->device.median));
    cli_json_number (json, "copy-fraction",
        bench_copy_fraction (run, result, result->device.median));
    cli_json_close (json, '}');
    if (result->host.runs > 0) {
      json_times (json, "host", &result->host);
      cli_json_close (json, '}');
      json_times (json, "pipelined", &result->pipelined);
      cli_json_number (json, "frames-per-s", 1e3 / result->pipelined.mean);
      cli_json_close (json, '}');
    } else {
      cli_json_text (json, "host", NULL);
      cli_json_text (json, "pipelined", NULL);
    }
    json_times (json, "profiled", &result->profiled);
    cli_json_open (json, "stages", '[');
    for (size_t s = 0; s < result->n_stages; s++) {
      cli_json_open (json, NULL, '{');
      cli_json_text (json, "stage", result->stage[s].name);
      cli_json_number (json, "median-ms", result->stage[s].times.median);
      cli_json_number (json, "min-ms", result->stage[s].times.min);
      cli_json_number (json, "mean-ms", result->stage[s].times.mean);
      cli_json_close (json, '}');
    }
    cli_json_close (json, ']');
    cli_json_close (json, '}');
  }
  cli_json_close (json, '}');
}

void
bench_print_json (const BenchReport * report, FILE * file)
{
  CliJson json = { file, 0, false };

  cli_json_open (&json, NULL, '{');
  cli_json_text (&json, "program", "stereo-bench");
  cli_json_text (&json, "version", stereo_version ());
  if (report->left != NULL) {
    cli_json_open (&json, "images", '[');
    cli_json_text (&json, NULL, report->left);
    cli_json_text (&json, NULL, report->right);
    cli_json_close (&json, ']');
  } else {
    cli_json_text (&json, "images", NULL);
  }
  cli_json_open (&json, "devices", '[');
  for (size_t r = 0; r < report->n_runs; r++) {
    StereoDevice *device = report->run[r].device;
    unsigned threads = stereo_device_threads (device);

    cli_json_open (&json, NULL, '{');
    cli_json_text (&json, "backend", stereo_device_backend (device));
    cli_json_text (&json, "device", stereo_device_name (device));
    cli_json_number (&json, "threads", threads > 0 ? threads : NAN);
    cli_json_text (&json, "simd", threads > 0
        ? stereo_simd_name (stereo_device_simd (device)) : NULL);
    cli_json_number (&json, "copy-bytes-per-s", report->run[r].copy);
    cli_json_close (&json, '}');
  }
  cli_json_close (&json, ']');
  cli_json_open (&json, "results", '[');
  for (size_t r = 0; r < report->n_runs; r++) {
    for (size_t i = 0; i < report->n_cases; i++)
      json_result (&json, &report->run[r], &report->cases[i],
          &report->run[r].result[i]);
  }
  cli_json_close (&json, ']');
  cli_json_close (&json, '}');
}

/* --------------------------------------------------------------------- CSV */

void
bench_print_csv (const BenchReport * report, FILE * file)
{
  fputs ("backend,device,label,width,height,num-disparities,format,runs,"
      "median-ms,min-ms,p95-ms,mde-per-s,copy-fraction,host-median-ms,"
      "frames-per-s,device-bytes,host-bytes,error\n", file);
  for (size_t r = 0; r < report->n_runs; r++) {
    const BenchRun *run = &report->run[r];

    for (size_t i = 0; i < report->n_cases; i++) {
      const BenchCase *c = &report->cases[i];
      const BenchResult *result = &run->result[i];
      bool good = result->error == NULL;

      cli_csv_text (file, true, stereo_device_backend (run->device));
      cli_csv_text (file, false, stereo_device_name (run->device));
      cli_csv_text (file, false, c->setup->label);
      cli_csv_number (file, c->width);
      cli_csv_number (file, c->height);
      cli_csv_number (file, c->disparities);
      cli_csv_text (file, false, stereo_format_name (c->format));
      cli_csv_number (file, (double) result->device.runs);
      cli_csv_number (file, result->device.median);
      cli_csv_number (file, result->device.min);
      cli_csv_number (file, result->device.p95);
      cli_csv_number (file, bench_rate (c, result->device.median));
      cli_csv_number (file, bench_copy_fraction (run, result,
              result->device.median));
      cli_csv_number (file, result->host.median);
      cli_csv_number (file, 1e3 / result->pipelined.mean);
      cli_csv_number (file, good ? result->device_bytes : NAN);
      cli_csv_number (file, good ? result->host_bytes : NAN);
      cli_csv_text (file, false, good ? "" : result->error);
      putc ('\n', file);
    }
  }
}
