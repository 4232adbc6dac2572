/* gst-stereomatching: run times of stereo algorithms
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * bench.h: the parts of stereo-bench.
 *
 * Functions that can fail return false and write the reason to why, which must
 * not be NULL.  Times are in milliseconds.
 */

#ifndef BENCH_H
#define BENCH_H

#include "cli.h"
#include "imagefile.h"

#define BENCH_MAX_STAGES 16

/* The other fields are NAN if there are no runs. */
typedef struct
{
  size_t runs;
  double median;
  double min;
  double p95;                   /* 95th percentile */
  double mean;
} BenchTimes;

typedef struct
{
  const char *name;
  BenchTimes times;
} BenchStage;

/* One combination to time. */
typedef struct
{
  const CliSetup *setup;
  StereoParams *params;         /* with the search range; owned */
  int width;
  int height;
  int disparities;
  StereoFormat format;          /* of both views */
} BenchCase;

typedef struct
{
  char *error;                  /* NULL on success; else the rest is unset */
  BenchTimes device;            /* images on the device, frame by frame */
  BenchTimes host;              /* pinned memory to pinned memory, one frame */
  BenchTimes pipelined;         /* the same, from frame to frame */
  BenchTimes profiled;          /* whole frames with the stages below */
  BenchStage stage[BENCH_MAX_STAGES];
  size_t n_stages;
  double device_bytes;          /* allocated by the matcher */
  double host_bytes;
  double traffic;               /* bytes a frame: both views in, the map out */
} BenchResult;

typedef struct
{
  StereoDevice *device;
  double copy;                  /* bytes/s read and written; NAN: unknown */
  BenchResult *result;          /* one for each case */
} BenchRun;

typedef struct
{
  BenchCase *cases;
  size_t n_cases;
  BenchRun *run;
  size_t n_runs;
  const char *left, *right;     /* files, or NULL for synthetic images */
} BenchReport;

typedef struct
{
  double seconds;               /* for each kind of time */
  size_t frames;                /* minimum for each kind of time */
  size_t rotate;                /* bytes of images to cycle through */
  const Image *left, *right;    /* 8 bits; NULL for synthetic ones */
} BenchSettings;

/* Sorts ms. */
void bench_summarize (double *ms, size_t n, BenchTimes * times);

/* The copy rate of the device in bytes read and written per second, with
 * buffers of that size or, if memory is short, smaller ones; with all CPU
 * threads. */
STEREO_CHECKED bool bench_copy (StereoDevice * device, size_t bytes,
    double *rate, StereoMessage * why);

/* Bytes of images that exceed the caches of the device. */
size_t bench_rotation (const StereoDevice * device);

/* Bytes of a pair, without planes that are not read, and of its 16-bit map. */
double bench_traffic (const BenchCase * c);

/* *status is the exit status of a failure: CLI_BAD_INPUT for invalid arguments,
 * else CLI_FAILED. */
STEREO_CHECKED bool bench_run (StereoDevice * device, const BenchCase * c,
    const BenchSettings * settings, BenchResult * result, int *status,
    StereoMessage * why);

/* Million disparity evaluations per second; NAN without runs. */
double bench_rate (const BenchCase * c, double ms);
/* Traffic as a fraction of the bytes that the device could copy in that
 * time. */
double bench_copy_fraction (const BenchRun * run, const BenchResult * result,
    double ms);

void bench_print_table (const BenchReport * report, FILE * file);
void bench_print_json (const BenchReport * report, FILE * file);
void bench_print_csv (const BenchReport * report, FILE * file);

#endif /* BENCH_H */
