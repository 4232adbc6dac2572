/* gst-stereomatching: run times of stereo algorithms
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * bench.h: the parts of stereo-bench.
 *
 * Functions that can fail return false and say in why, which must not be NULL,
 * what is wrong.  Times are in milliseconds.
 */

#ifndef BENCH_H
#define BENCH_H

#include "cli.h"
#include "imagefile.h"

#define BENCH_MAX_STAGES 16

/* A number of runs; the other fields are NAN when it is 0. */
typedef struct
{
  size_t runs;
  double median;                /* of an even number, the mean of the two */
  double min;
  double p95;                   /* the least that 95 % do not exceed */
  double mean;
} BenchTimes;

typedef struct
{
  const char *name;
  BenchTimes times;
} BenchStage;

/* What is measured. */
typedef struct
{
  const CliSetup *setup;
  StereoParams *params;         /* with the disparities; owned */
  int width;
  int height;
  int disparities;
  StereoFormat format;          /* of both views */
} BenchCase;

typedef struct
{
  char *error;                  /* why there is nothing else, or NULL */
  BenchTimes device;            /* images on the device, frame after frame */
  BenchTimes host;              /* pinned memory to pinned memory, one frame */
  BenchTimes pipelined;         /* the same, from frame to frame */
  BenchTimes profiled;          /* whole frames whose stages follow */
  BenchStage stage[BENCH_MAX_STAGES];
  size_t n_stages;
  double device_bytes;          /* held by the matcher */
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
  double seconds;               /* for each of the four kinds of times */
  size_t frames;                /* of each of them, at least */
  size_t rotate;                /* bytes of images to go through */
  const Image *left, *right;    /* 8 bits; NULL for synthetic ones */
} BenchSettings;

/* Sorts ms. */
void bench_summarize (double *ms, size_t n, BenchTimes * times);

/* Bytes read and written a second when copying two buffers of that size on the
 * device, all threads of a CPU at it.  Takes smaller ones if need be. */
STEREO_CHECKED bool bench_copy (StereoDevice * device, size_t bytes,
    double *rate, StereoMessage * why);

/* Bytes of images that do not stay in the caches of the device. */
size_t bench_rotation (const StereoDevice * device);

/* Bytes of a pair in the format and of its 16-bit map, of the planes that are
 * read. */
double bench_traffic (const BenchCase * c);

/* *status is the exit status of a failure: 2 for what can't be, else 1. */
STEREO_CHECKED bool bench_run (StereoDevice * device, const BenchCase * c,
    const BenchSettings * settings, BenchResult * result, int *status,
    StereoMessage * why);

/* Million disparity evaluations a second; NAN when there were no runs. */
double bench_rate (const BenchCase * c, double ms);
/* Of the bytes the device could copy in that time, the part that is traffic. */
double bench_copy_fraction (const BenchRun * run, const BenchResult * result,
    double ms);

void bench_print_table (const BenchReport * report, FILE * file);
void bench_print_json (const BenchReport * report, FILE * file);
void bench_print_csv (const BenchReport * report, FILE * file);

#endif /* BENCH_H */
