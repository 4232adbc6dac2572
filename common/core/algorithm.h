/* gst-stereomatching: what an algorithm and a back end implement
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * algorithm.h: the inside of the library, for people who add to it.
 *
 * An algorithm is a StereoAlgorithm: a parameter table, plan() and run().
 * plan() turns parameters into constants and says which buffers it needs;
 * run() is the control flow of one frame, written once, and calls stages.
 * A stage is one data-parallel step.  Every back end fills the same table of
 * stage functions; CPU and CUDA must be bit-exact.
 *
 * The frame a stage works on is described by plain structs that hold pointers
 * to device memory, never by globals.  Stages return a StereoStatus and leave
 * the text in queue->message.
 */

#ifndef STEREO_ALGORITHM_H
#define STEREO_ALGORITHM_H

#include "core/arena.h"
#include "core/params.h"
#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The index of a pixel without a disparity, in a StereoMap. */
#define STEREO_INVALID 0xffffu

/* num-disparities at most: an index fits 14 bits. */
#define STEREO_MAX_DISPARITIES 16384

/* ----------------------------------------------------- what stages work on */

/*
 * A view as the algorithms read it, in device memory.
 *
 * channels 1: plane[0] holds 8-bit luma.
 * channels 3: 8-bit R, G, B, in a layout of the back end's own: three planes
 * of the same stride on the CPU, 32-bit words 0xXXBBGGRR in plane[0] for CUDA.
 */
typedef struct
{
  const uint8_t *plane[3];
  size_t stride;                /* bytes */
} StereoView;

/*
 * The disparity map of the left view: width x height codes, or STEREO_INVALID.
 * A code is unit (d - min_disparity), with d a real number and unit that of the
 * StereoSearch; where that is 1 it is the index of a whole disparity.
 */
typedef struct
{
  uint16_t *data;
  size_t stride;                /* elements */
} StereoMap;

/* A sixteenth of a pixel: the finest unit of a code. */
#define STEREO_MAX_UNIT 16

/*
 * The census words of a view (cost/census.h), in device memory, and in a layout
 * of the back end's own.  In front of every row and behind it there is what may
 * be read and has no meaning, so that loads may be shifted.
 *
 * CPU: four planes of bytes, those of a word from the lowest one on: plane[0]
 * to plane[2] the 24 comparisons, plane[3] the gradient.  Rows begin at
 * multiples of 64 bytes, with STEREO_CENSUS_MARGIN bytes in front and behind.
 *
 * CUDA: 32-bit words in plane[0], the others NULL.  Rows begin at multiples of
 * 256 bytes, with STEREO_CENSUS_MARGIN words in front and behind.
 */
typedef struct
{
  const uint8_t *plane[4];      /* each at column 0 of row 0 */
  size_t stride;                /* bytes, of all planes */
} StereoCensus;

#define STEREO_CENSUS_MARGIN 64

/*
 * What an algorithm has found, for refinement (refine/refine.h): the words of
 * refine/winner-pixel.h, in device memory.
 */
typedef struct
{
  /* For each pixel of the left view its winner, with fraction and clearness:
   * stereo_winner_store(). */
  uint32_t *left;
  size_t left_stride;           /* elements */
  /* For each pixel of the right view its winner, cost << 16 | index, or
   * STEREO_NO_WINNER: stereo_winner_store_right().  NULL unless the search
   * says right_winners. */
  uint32_t *right;
  size_t right_stride;          /* elements */
  int unit;                     /* as in StereoSearch */
  int first_index;
  int last_index;               /* end_index - 1 */
} StereoWinners;

#define STEREO_NO_WINNER 0xffffffffu

/* An invalid that no code is equal to: every pixel has a value. */
#define STEREO_NO_INVALID 0x10000u

/*
 * An encoded result.  An index algorithm gives code[i] for index i, and invalid
 * for STEREO_INVALID.  A sub-pixel one gives what stereo_output_encode() makes
 * of a real number, and invalid where there is none.  Refinement gives what
 * stereo_output_from_map() makes of a map's code.
 */
typedef struct
{
  void *data;
  size_t stride;                /* bytes */
  /* num_disparities of them, in device memory; NULL for a sub-pixel
   * algorithm, and for all results but the disparity. */
  const uint16_t *code;
  uint32_t invalid;             /* a code, or STEREO_NO_INVALID */
  uint8_t bytes;                /* per pixel, 1 or 2 */
  /* The code of a value is value * scale + offset, rounded, from lowest to
   * highest. */
  float scale;
  float offset;
  uint16_t lowest;
  uint16_t highest;
  /* The result of a StereoMap's code is code * gain / divisor, rounded. */
  uint32_t gain;
  uint32_t divisor;
} StereoOutput;

/* What a matcher was configured for. */
typedef struct
{
  int width;
  int height;
  int channels;                 /* of both views, 1 or 3 */
  int num_disparities;          /* 1 to STEREO_MAX_DISPARITIES */
  int min_disparity;
  /* Disparities with at least one pixel in both views, as an index range:
   * first_index <= i < end_index; empty when there is none. */
  int first_index;
  int end_index;
  unsigned n_threads;           /* of a CPU device, else 1 */

  /* Of an algorithm that refines; else STEREO_COST_LUMA, 1, false, false. */
  StereoCost cost;              /* what to compare; with STEREO_COST_CENSUS
                                 * frames have census words */
  int unit;                     /* codes for a pixel in a StereoMap: 1, or with
                                 * sub-pixel the largest power of two up to
                                 * STEREO_MAX_UNIT that leaves 16 bits for
                                 * unit * num_disparities */
  bool winners;                 /* frames may want winners: those of the left
                                 * view, with the costs beside them, */
  bool right_winners;           /* and those of the right view, too */
  bool fill;                    /* holes of the map are going to be filled */
} StereoSearch;

/* --------------------------------------------------------------- back ends */

/*
 * A queue executes the frames of one matcher in order.  A frame occupies a
 * slot; slots let one frame be copied while another is computed.
 *
 * begin() must find the slot's previous frame complete.  All calls but wait()
 * come from the thread that processes.
 */
typedef struct StereoQueue StereoQueue;

/* Timestamps of a frame: one at the end of each of its stages. */
#define STEREO_MAX_TIMESTAMPS 1024

typedef struct
{
  /* Starts a frame, and says whether it will upload and download. */
  StereoStatus (*begin) (StereoQueue * queue, unsigned slot, bool uploads,
      bool downloads);
  /* Copies rows to device memory.  staging, where not NULL, is pinned host
   * memory for target_stride * rows bytes to go through; without it source
   * itself is pinned. */
  StereoStatus (*upload) (StereoQueue * queue, void *target,
      size_t target_stride, const void *source, size_t source_stride,
      size_t row_bytes, size_t rows, void *staging);
  /* After the last upload: stages that follow see the data. */
  StereoStatus (*uploaded) (StereoQueue * queue, unsigned slot);
  /* After the last stage: downloads that follow see the result. */
  StereoStatus (*computed) (StereoQueue * queue, unsigned slot);
  /* Stages that follow wait for the event, which is of the same device. */
  StereoStatus (*wait_event) (StereoQueue * queue, StereoEvent * event);
  /* The event stands for the stages so far. */
  StereoStatus (*record_event) (StereoQueue * queue, StereoEvent * event);
  StereoStatus (*download) (StereoQueue * queue, void *target,
      size_t target_stride, const void *source, size_t source_stride,
      size_t row_bytes, size_t rows);
  /* After the last download. */
  StereoStatus (*end) (StereoQueue * queue, unsigned slot);
  /* Takes the time at which all that was asked for so far is done; index
   * counts the timestamps of this frame, up to STEREO_MAX_TIMESTAMPS.  That of
   * uploads is taken before uploaded(), that of downloads after download(). */
  StereoStatus (*timestamp) (StereoQueue * queue, unsigned slot,
      unsigned index);
  /* Returns when the slot's frame has ended; ns gets its duration.  Any
   * thread. */
  StereoStatus (*wait) (StereoQueue * queue, unsigned slot, uint64_t * ns,
      StereoMessage * why);
  /* After wait(): the times between timestamps, the first one from the frame's
   * begin, and the last one to its end.  Any thread. */
  StereoStatus (*times) (StereoQueue * queue, unsigned slot,
      unsigned n_timestamps, uint64_t * ns, StereoMessage * why);
  void (*free) (StereoQueue * queue);
} StereoQueueClass;

struct StereoQueue
{
  const StereoQueueClass *klass;
  StereoDevice *device;         /* not a reference */
  StereoMessage message;        /* why the last call failed */
};

typedef struct
{
  const char *backend;          /* "cpu", "cuda" */
  unsigned n_slots;             /* frames that may overlap, at most; 1 =
                                 * everything is done when process returns,
                                 * images stay in place */
  size_t row_alignment;         /* bytes, of rows in device memory */

  StereoStatus (*alloc) (StereoDevice * device, size_t bytes, void **memory,
      StereoMessage * why);
  void (*free) (StereoDevice * device, void *memory);
  StereoStatus (*alloc_pinned) (StereoDevice * device, size_t bytes,
      void **memory, StereoMessage * why);
  void (*free_pinned) (StereoDevice * device, void *memory);
  StereoStatus (*copy) (StereoDevice * device, void *target,
      const void *source, size_t bytes, StereoMessage * why);
  StereoStatus (*queue_new) (StereoDevice * device, StereoQueue ** queue,
      StereoMessage * why);
  /* Those of stereo.h, whose checks have been made. */
  StereoStatus (*event_new) (StereoDevice * device, StereoEvent ** event,
      StereoMessage * why);
  StereoStatus (*event_wait) (StereoEvent * event, StereoMessage * why);
  void (*event_free) (StereoEvent * event);
  /* The stage table called name, of the type that its header says; NULL when
   * the back end has none of that name. */
  const void *(*stages) (const StereoDevice * device, const char *name);
  void (*finalize) (StereoDevice * device);
} StereoDeviceClass;

/* What a back end's events begin with. */
struct StereoEvent
{
  StereoDevice *device;         /* a reference */
};

struct StereoDevice
{
  const StereoDeviceClass *klass;
  int references;               /* atomic */
  char name[128];
  unsigned n_threads;           /* CPU only */
  StereoSimd simd;              /* CPU only, never AUTO */
  StereoLogFunction log;
  void *log_data;
};

/* The stage tables that algorithms share: TABLE (name) for each. */
#define STEREO_SHARED_STAGES(TABLE) \
  TABLE (convert) TABLE (colorize) TABLE (census) TABLE (median) \
  TABLE (refine) TABLE (temporal) TABLE (depth) TABLE (cloud) \
  TABLE (rectify) TABLE (view)

/* Fills in the common part of a new device. */
void stereo_device_init (StereoDevice * device,
    const StereoDeviceClass * klass);

/* ---------------------------------------------------------------- algorithm */

/* The stages of a frame that is timed. */
typedef struct
{
  StereoQueue *queue;
  unsigned slot;
  unsigned n;
  const char *name[STEREO_MAX_TIMESTAMPS];
} StereoTimestamps;

/*
 * Where a back end keeps its pointers into work memory, from the plan() of its
 * stage table on.  An algorithm's header only names the structure (struct
 * StereoVcbwWork) that its stages take; each back end has its own of that name,
 * and none knows those of the others.  An algorithm's plan has room for any of
 * them.
 */
typedef union
{
  void *pointer;
  uint64_t word;
  unsigned char bytes[512];
} StereoWork;

/* Behind the structure: that there is room for it. */
#ifdef __cplusplus
#define STEREO_CHECK_WORK(Work) \
  static_assert (sizeof (Work) <= sizeof (StereoWork), "too large")
#else
#define STEREO_CHECK_WORK(Work) \
  _Static_assert (sizeof (Work) <= sizeof (StereoWork), "too large")
#endif

/* One frame, handed to run(). */
typedef struct
{
  const StereoSearch *search;
  const void *plan;             /* what plan() filled in */
  StereoQueue *queue;
  StereoView left;
  StereoView right;
  StereoCensus left_census;     /* only with STEREO_COST_CENSUS */
  StereoCensus right_census;
  /* Where the disparities go, one of three: winners if not NULL (only if the
   * algorithm refines), else output if not NULL, as its codes, else map, as
   * indices.  A sub-pixel algorithm always has an output. */
  const StereoWinners *winners;
  StereoMap map;
  const StereoOutput *output;
  /* What else this frame has to give, by StereoResult: NULL where it is not
   * wanted.  results[STEREO_RESULT_DISPARITY] is output. */
  const StereoOutput *results[STEREO_N_RESULTS];
  StereoTimestamps *timestamps; /* for stereo_stage_end(); NULL: not timed */
} StereoMatchFrame;

struct StereoAlgorithm
{
  const char *name;
  const char *title;
  const char *reference;
  bool uses_color;              /* 3 channels when both views have them */
  /* Optional, with uses_color and refines: whether it does with such
   * parameters. */
  bool (*wants_color) (const void *params, const StereoRefineParams * refine);
  /* Has the parameters of stereo_refine_params, takes the cost from there,
   * leaves winners where a frame wants them, and with them has a confidence. */
  bool refines;
  /* Its own defaults of parameters that are shared; NULL: none. */
  const StereoParamDefault *defaults;
  /* The disparities are real numbers: run() encodes them itself, with
   * stereo_store_value(), and the median is one of codes. */
  bool subpixel;
  /* 1u << StereoResult for each result that can be asked for besides the
   * disparity, and 0 when there is none. */
  unsigned results;
  const StereoParamSpec *params;        /* terminated by a NULL name */
  size_t params_size;
  size_t plan_size;

  /* Fills plan from params and adds the buffers it needs to the arena, whose
   * addresses get valid before run().  stages is the back end's table for this
   * algorithm.  A text in why with STEREO_OK is a warning, for the log. */
  StereoStatus (*plan) (const StereoSearch * search, const void *params,
      const void *stages, void *plan, StereoArena * arena,
      StereoMessage * why);
  StereoStatus (*run) (const StereoMatchFrame * frame, const void *stages);

  /* Optional, with refines: turns off steps of refinement that can't be done
   * with such parameters. */
  void (*limit_refine) (const void *params, StereoRefineParams * refine);

  /*
   * Optional, with refines; frames always want winners then: a step of
   * refinement after speckles are gone and
   * before holes are filled, if they are to be.  Gives codes to pixels of map
   * that are STEREO_INVALID, and leaves the others alone; frame->winners are
   * those that run() left.
   */
  StereoStatus (*vote) (const StereoMatchFrame * frame, const void *stages,
      const StereoMap * map);
};

/* ------------------------------------------------------------------ helpers */

/* Formats why->text if why is not NULL, and returns status. */
StereoStatus stereo_fail (StereoMessage * why, StereoStatus status,
    const char *format, ...) STEREO_PRINTF (3, 4);

/* Ends a stage called name, which has to be a constant.  An algorithm may do
 * so in run(); what follows its last one is "match".  Times of equal names add
 * up.  Nothing happens when timestamps is NULL, or full. */
StereoStatus stereo_stage_end (StereoTimestamps * timestamps,
    const char *name);

void stereo_log (const StereoDevice * device, StereoLogLevel level,
    const char *format, ...) STEREO_PRINTF (3, 4);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_ALGORITHM_H */
