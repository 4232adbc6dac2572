/* gst-stereomatching: belief propagation with one thread for each pixel
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bp-layouts.h"

#include "match/bp-pixel.h"

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BOTH __host__ __device__

namespace
{

void
check (cudaError_t error, const char *what)
{
  if (error == cudaSuccess)
    return;
  fprintf (stderr, "%s: %s\n", what, cudaGetErrorString (error));
  exit (1);
}

/* ------------------------------------------------------------------ storage */

/* What messages and data costs are kept as, and computed in: integers of bp.h
 * all of them. */
struct Float
{
  typedef float Message;
  typedef float Data;
  typedef float Value;
};

struct Half
{
  typedef __half Message;
  typedef __half Data;
  typedef float Value;
};

struct Byte
{
  typedef uint8_t Message;
  typedef uint16_t Data;
  typedef int Value;
};

BOTH inline void
keep (float *target, float value)
{
  *target = value;
}

BOTH inline void
keep (__half *target, float value)
{
  *target = __float2half_rn (value);
}

BOTH inline void
keep (uint8_t *target, int value)
{
  *target = (uint8_t) value;
}

BOTH inline void
keep (uint16_t *target, int value)
{
  *target = (uint16_t) value;
}

template <class V> BOTH inline V
least_of (V a, V b)
{
  return a < b ? a : b;
}

/* ------------------------------------------------------------------- layout */

/* One number for each pixel and disparity of a level. */
template <class T> struct Volume
{
  T *colour[2];                 /* the same one unless the layout has halves */
};

/* The numbers of a pixel. */
template <class T> struct Cell
{
  T *first;
  int step;

  BOTH T & operator[] (int i) const
  {
    return first[i * step];
  }
};

enum
{
  UP,
  DOWN,
  LEFT,
  RIGHT
};

template <class S, int L> struct Level
{
  typedef typename S::Message Message;
  typedef typename S::Data Data;

  StereoBpSize size;
  int pitch;                    /* elements in a row */
  int n;                        /* disparities */
  Volume<Data> data;
  Volume<Message> messages[4];

  template <class T> BOTH Cell<T> cell (const Volume<T> &volume, int x,
      int y) const
  {
    if (L == BP_LAYOUT_PIXELS)
      return { volume.colour[0] + ((size_t) y * pitch + x) * n, 1 };
    if (L == BP_LAYOUT_ROWS)
      return { volume.colour[0] + (size_t) y * n * pitch + x, pitch };
    /* an index would take the addresses to local memory */
    return { ((x + y) & 1 ? volume.colour[1] : volume.colour[0])
      + (size_t) y * n * pitch + x / 2, pitch };
  }

  /* Pixels in the order of memory: where column and row of that order are. */
  BOTH int columns () const
  {
    return L == BP_LAYOUT_HALVES ? (size.width + 1) / 2 : size.width;
  }

  BOTH int rows () const
  {
    return L == BP_LAYOUT_HALVES ? 2 * size.height : size.height;
  }

  BOTH bool place (int column, int row, int *x, int *y) const
  {
    int second = L == BP_LAYOUT_HALVES && row >= size.height;

    *y = row - second * size.height;
    *x = L == BP_LAYOUT_HALVES ? 2 * column + ((*y + second) & 1) : column;
    return *x < size.width;
  }
};

/* ------------------------------------------------------------------- stages */

/* Each is called with column and row of its own order, by one thread. */

template <class S, int L> struct FirstCosts
{
  StereoBpConstants k;
  Level<S, L> level;
  const uint8_t *left;
  const uint8_t *right;

  BOTH void operator() (int column, int row) const
  {
    int x, y;

    if (!level.place (column, row, &x, &y))
      return;

    Cell<typename S::Data> target = level.cell (level.data, x, y);

    for (int i = 0; i < level.n; i++) {
      int d = k.min_disparity + k.first_index + i;
      int xl = stereo_bp_column (k.width, x, d);
      const size_t start = (size_t) y * k.width;

      keep (&target[i], (typename S::Value) stereo_bp_data_cost (&k,
              256u * left[start + xl], 256u * right[start + xl - d]));
    }
  }
};

template <class S, int L> struct Costs
{
  typedef typename S::Value Value;

  Level<S, L> level;
  Level<S, L> below;
  Value most;

  BOTH Value sum (int x, int y, int i) const
  {
    Value result = 0;

    for (int child = 0; child < 4; child++) {
      int xc = 2 * x + child % 2, yc = 2 * y + child / 2;

      if (xc < below.size.width && yc < below.size.height)
        result += (Value) below.cell (below.data, xc, yc)[i];
    }
    return result;
  }

  BOTH void operator() (int column, int row) const
  {
    int x, y;

    if (!level.place (column, row, &x, &y))
      return;

    Cell<typename S::Data> target = level.cell (level.data, x, y);
    Value least = sum (x, y, 0);

    for (int i = 1; i < level.n; i++)
      least = least_of (least, sum (x, y, i));
    for (int i = 0; i < level.n; i++)
      keep (&target[i], least_of (sum (x, y, i) - least, most));
  }
};

template <class S, int L> struct Start
{
  Level<S, L> level;
  Level<S, L> above;

  BOTH void operator() (int column, int row) const
  {
    int x, y;

    if (!level.place (column, row, &x, &y))
      return;
    for (int j = 0; j < 4; j++) {
      Cell<typename S::Message> target = level.cell (level.messages[j], x, y);
      Cell<typename S::Message> source = above.cell (above.messages[j], x / 2,
          y / 2);

      for (int i = 0; i < level.n; i++)
        target[i] = source[i];
    }
  }
};

/* N disparities, or as many as the level has if N is 0. */
template <class S, int L, int N> struct Iterate
{
  typedef typename S::Value Value;
  typedef typename S::Message Message;

  static const int room = N > 0 ? N : BP_LAYOUTS_MAX_DISPARITIES;
  static const int unroll = N > 0 ? N : 1;

  Level<S, L> level;
  int t;
  Value jump;
  Value most;

  BOTH int count () const
  {
    return N > 0 ? N : level.n;
  }

  /* h to the message that leaves in a direction. */
  BOTH void send (Value *h, Cell<Message> target) const
  {
    Value least = h[0];

#pragma unroll (unroll)
    for (int i = 1; i < count (); i++) {
      least = least_of (least, h[i]);
      h[i] = least_of (h[i], h[i - 1] + jump);
    }
#pragma unroll (unroll)
    for (int i = count () - 2; i >= 0; i--)
      h[i] = least_of (h[i], h[i + 1] + jump);
#pragma unroll (unroll)
    for (int i = 0; i < count (); i++)
      keep (&target[i], least_of (h[i] - least, most));
  }

  BOTH void operator() (int column, int row) const
  {
    int y = row + 1, x = 2 * column + ((y + t + 1) & 1);

    if (!stereo_bp_sends (level.size, x, y, t))
      return;

    Cell<Message> from_below = level.cell (level.messages[UP], x, y + 1);
    Cell<Message> from_above = level.cell (level.messages[DOWN], x, y - 1);
    Cell<Message> from_right = level.cell (level.messages[LEFT], x + 1, y);
    Cell<Message> from_left = level.cell (level.messages[RIGHT], x - 1, y);
    Cell<typename S::Data> data = level.cell (level.data, x, y);
    Value up[room], down[room], left[room], right[room], cost[room], h[room];

#pragma unroll (unroll)
    for (int i = 0; i < count (); i++) {
      up[i] = (Value) from_below[i];
      down[i] = (Value) from_above[i];
      left[i] = (Value) from_right[i];
      right[i] = (Value) from_left[i];
      cost[i] = (Value) data[i];
    }
#pragma unroll (unroll)
    for (int i = 0; i < count (); i++)
      h[i] = up[i] + left[i] + right[i] + cost[i];
    send (h, level.cell (level.messages[UP], x, y));
#pragma unroll (unroll)
    for (int i = 0; i < count (); i++)
      h[i] = down[i] + left[i] + right[i] + cost[i];
    send (h, level.cell (level.messages[DOWN], x, y));
#pragma unroll (unroll)
    for (int i = 0; i < count (); i++)
      h[i] = up[i] + down[i] + left[i] + cost[i];
    send (h, level.cell (level.messages[LEFT], x, y));
#pragma unroll (unroll)
    for (int i = 0; i < count (); i++)
      h[i] = up[i] + down[i] + right[i] + cost[i];
    send (h, level.cell (level.messages[RIGHT], x, y));
  }
};

template <class S, int L> struct Finish
{
  typedef typename S::Value Value;

  Level<S, L> level;
  int first_index;
  uint16_t *map;

  BOTH void operator() (int column, int row) const
  {
    int x = stereo_clamp_int (column, 1, level.size.width - 2);
    int y = stereo_clamp_int (row, 1, level.size.height - 2);
    int best = 0;
    Value least = 0;

    for (int i = 0; i < level.n; i++) {
      Value sum = (Value) level.cell (level.data, x, y)[i]
          + (Value) level.cell (level.messages[UP], x, y + 1)[i]
          + (Value) level.cell (level.messages[DOWN], x, y - 1)[i]
          + (Value) level.cell (level.messages[LEFT], x + 1, y)[i]
          + (Value) level.cell (level.messages[RIGHT], x - 1, y)[i];

      if (i == 0 || sum < least) {
        least = sum;
        best = i;
      }
    }
    map[(size_t) row * level.size.width + column]
        = (uint16_t) (first_index + best);
  }
};

/* ------------------------------------------------------------------ running */

const int block_columns = 32;
const int block_rows = 4;

template <class F> __global__ void
stage_kernel (F f, int columns, int rows)
{
  int column = (int) (blockIdx.x * block_columns + threadIdx.x);
  int row = (int) (blockIdx.y * block_rows + threadIdx.y);

  if (column < columns && row < rows)
    f (column, row);
}

struct Queue
{
  bool host;
  cudaStream_t stream;
};

template <class F> void
launch (const Queue & q, const F & f, int columns, int rows)
{
  if (q.host) {
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++)
        f (column, row);
    }
    return;
  }

  dim3 block (block_columns, block_rows);
  dim3 grid ((unsigned) (columns + block_columns - 1) / block_columns,
      (unsigned) (rows + block_rows - 1) / block_rows);

  stage_kernel <<< grid, block, 0, q.stream >>> (f, columns, rows);
  check (cudaGetLastError (), "launch");
}

void
clear (const Queue & q, void *memory, size_t bytes)
{
  if (q.host)
    memset (memory, 0, bytes);
  else
    check (cudaMemsetAsync (memory, 0, bytes, q.stream), "memset");
}

void
copy (const Queue & q, void *target, const void *source, size_t bytes)
{
  if (q.host)
    memcpy (target, source, bytes);
  else
    check (cudaMemcpyAsync (target, source, bytes, cudaMemcpyDefault,
            q.stream), "copy");
}

void *
allocate (const Queue & q, size_t bytes)
{
  void *memory = NULL;

  if (!q.host)
    check (cudaMalloc (&memory, bytes), "cudaMalloc");
  else if ((memory = malloc (bytes)) == NULL)
    check (cudaErrorMemoryAllocation, "malloc");
  return memory;
}

void
release (const Queue & q, void *memory)
{
  if (q.host)
    free (memory);
  else
    check (cudaFree (memory), "cudaFree");
}

/* Buffers, out of one allocation or each from the device. */
struct Memory
{
  Queue queue;
  uint8_t *arena;               /* NULL: one allocation for each */
  size_t used;

  static size_t rounded (size_t bytes)
  {
    return (bytes + 255) / 256 * 256;
  }

  void *take (size_t bytes)
  {
    void *memory = arena + used;

    if (arena == NULL)
      return allocate (queue, bytes);
    used += rounded (bytes);
    return memory;
  }

  void give (void *memory)
  {
    if (arena == NULL)
      release (queue, memory);
  }
};

struct Frame
{
  const BpVariant *variant;
  const StereoBpConstants *k;
  Memory memory;
  const uint8_t *left;          /* on the device */
  const uint8_t *right;
  uint16_t *map;
};

template <class S, int L> struct Run
{
  typedef typename S::Value Value;

  static Level<S, L> describe (const Frame & f, int l)
  {
    Level<S, L> level;

    memset ((void *) &level, 0, sizeof (level));
    level.size = f.k->level[l];
    level.n = f.k->end_index - f.k->first_index;
    level.pitch = level.columns ();
    if (f.variant->aligned)
      level.pitch = (level.pitch + 31) / 32 * 32;
    return level;
  }

  /* Elements of a colour, or of all if they are together. */
  static size_t elements (const Level<S, L> &level)
  {
    return (size_t) level.pitch * level.size.height * level.n;
  }

  static size_t bytes (const Frame & f)
  {
    const size_t parts = L == BP_LAYOUT_HALVES ? 2 : 1;
    size_t result = 0;

    for (int l = 0; l < f.k->n_levels; l++) {
      size_t n = elements (describe (f, l));

      result += parts * (Memory::rounded (n * sizeof (typename S::Data))
          + 4 * Memory::rounded (n * sizeof (typename S::Message)));
    }
    return result;
  }

  template <class T> static void take (Frame & f, const Level<S, L> &level,
      Volume<T> *volume)
  {
    size_t bytes = elements (level) * sizeof (T);

    volume->colour[0] = (T *) f.memory.take (bytes);
    volume->colour[1] = L == BP_LAYOUT_HALVES ? (T *) f.memory.take (bytes)
        : volume->colour[0];
  }

  template <class T> static void give (Frame & f, const Volume<T> &volume)
  {
    f.memory.give (volume.colour[0]);
    if (L == BP_LAYOUT_HALVES)
      f.memory.give (volume.colour[1]);
  }

  template <int N> static void iterate_with (const Frame & f,
      const Level<S, L> &level)
  {
    Iterate<S, L, N> stage;

    stage.level = level;
    stage.jump = (Value) f.k->jump;
    stage.most = (Value) f.k->max_message;
    for (stage.t = 0; stage.t < f.k->iterations; stage.t++)
      launch (f.memory.queue, stage, (level.size.width + 1) / 2,
          level.size.height - 2);
  }

  typedef void (*Iterations) (const Frame &, const Level<S, L> &);

  /* NULL: there is no such kernel. */
  static Iterations find (bool constant, int n)
  {
    const bool half = sizeof (typename S::Data) == 2
        && sizeof (typename S::Message) == 2;

    if (!constant && n <= BP_LAYOUTS_MAX_DISPARITIES)
      return iterate_with<0>;
    if constexpr (L == BP_LAYOUT_HALVES || (L == BP_LAYOUT_PIXELS && half)) {
      switch (constant ? n : 0) {
        case 16:
          return iterate_with<16>;
        case 21:
          return iterate_with<21>;
        case 32:
          return iterate_with<32>;
        case 64:
          return iterate_with<64>;
        case 128:
          return iterate_with<128>;
      }
    }
    return NULL;
  }

  static void frame (Frame & f)
  {
    const Queue & q = f.memory.queue;
    const int n_levels = f.k->n_levels;
    const Iterations iterations = find (f.variant->constant,
        f.k->end_index - f.k->first_index);
    Level<S, L> level[STEREO_BP_MAX_LEVELS];

    for (int l = 0; l < n_levels; l++) {
      level[l] = describe (f, l);
      take (f, level[l], &level[l].data);
      if (l == 0) {
        FirstCosts<S, L> stage = { *f.k, level[0], f.left, f.right };

        launch (q, stage, level[0].columns (), level[0].rows ());
      } else {
        Costs<S, L> stage = { level[l], level[l - 1],
          (Value) f.k->max_data
        };

        launch (q, stage, level[l].columns (), level[l].rows ());
      }
    }
    for (int l = n_levels - 1; l >= 0; l--) {
      for (int j = 0; j < 4; j++)
        take (f, level[l], &level[l].messages[j]);
      if (l == n_levels - 1) {
        for (int j = 0; j < 4; j++) {
          const size_t bytes = elements (level[l])
              * sizeof (typename S::Message);

          clear (q, level[l].messages[j].colour[0], bytes);
          if (L == BP_LAYOUT_HALVES)
            clear (q, level[l].messages[j].colour[1], bytes);
        }
      } else {
        Start<S, L> stage = { level[l], level[l + 1] };

        launch (q, stage, level[l].columns (), level[l].rows ());
        for (int j = 0; j < 4; j++)
          give (f, level[l + 1].messages[j]);
        give (f, level[l + 1].data);
      }
      iterations (f, level[l]);
    }

    Finish<S, L> stage = { level[0], f.k->first_index, f.map };

    launch (q, stage, f.k->width, f.k->height);
    for (int j = 0; j < 4; j++)
      give (f, level[0].messages[j]);
    give (f, level[0].data);
  }

  static bool has (const BpVariant * variant, int n)
  {
    return find (variant->constant, n) != NULL
        && !(variant->aligned && L == BP_LAYOUT_PIXELS);
  }
};

struct Entry
{
  int precision;
  BpLayout layout;
  void (*frame) (Frame &);
  size_t (*bytes) (const Frame &);
  bool (*has) (const BpVariant *, int);
};

#define ENTRY(precision, S, L) \
    { precision, L, Run<S, L>::frame, Run<S, L>::bytes, Run<S, L>::has }

const Entry entries[] = {
  ENTRY (STEREO_BP_PRECISION_FLOAT, Float, BP_LAYOUT_PIXELS),
  ENTRY (STEREO_BP_PRECISION_FLOAT, Float, BP_LAYOUT_ROWS),
  ENTRY (STEREO_BP_PRECISION_FLOAT, Float, BP_LAYOUT_HALVES),
  ENTRY (STEREO_BP_PRECISION_HALF, Half, BP_LAYOUT_PIXELS),
  ENTRY (STEREO_BP_PRECISION_HALF, Half, BP_LAYOUT_HALVES),
  ENTRY (STEREO_BP_PRECISION_INT8, Byte, BP_LAYOUT_HALVES),
};

const Entry *
find_entry (const BpVariant * v)
{
  for (size_t i = 0; i < sizeof (entries) / sizeof (entries[0]); i++) {
    if (entries[i].precision == v->precision
        && entries[i].layout == v->layout)
      return &entries[i];
  }
  return NULL;
}

/* ---------------------------------------------------------------- measuring */

double
now_ms ()
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec * 1e-6;
}

int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

const int most_samples = 1000;

struct Samples
{
  double ms[most_samples];
  int n;
  double begun;

  bool enough (double seconds)
  {
    if (n == 0)
      begun = now_ms ();
    return n == most_samples
        || (n >= 3 && now_ms () - begun >= seconds * 1e3);
  }

  double median ()
  {
    qsort (ms, (size_t) n, sizeof (ms[0]), compare);
    return n % 2 ? ms[n / 2] : (ms[n / 2 - 1] + ms[n / 2]) / 2;
  }
};

/* Frames by events, one in flight before the one that is waited for. */
template <class F> double
measure_device (const Queue & q, double seconds, F run)
{
  cudaEvent_t event[2][2];
  Samples samples;

  samples.n = 0;
  for (int i = 0; i < 4; i++)
    check (cudaEventCreate (&event[i / 2][i % 2]), "event");
  run ();
  check (cudaStreamSynchronize (q.stream), "warm-up");
  for (int i = 0; i == 0 || !samples.enough (seconds); i++) {
    check (cudaEventRecord (event[i % 2][0], q.stream), "event");
    run ();
    check (cudaEventRecord (event[i % 2][1], q.stream), "event");
    if (i > 0) {
      cudaEvent_t *before = event[(i - 1) % 2];
      float ms = 0;

      check (cudaEventSynchronize (before[1]), "frame");
      check (cudaEventElapsedTime (&ms, before[0], before[1]), "event");
      samples.ms[samples.n++] = ms;
    }
  }
  check (cudaStreamSynchronize (q.stream), "frames");
  for (int i = 0; i < 4; i++)
    check (cudaEventDestroy (event[i / 2][i % 2]), "event");
  return samples.median ();
}

/* One after the other, as the host sees it. */
template <class F> double
measure_host (double seconds, F run)
{
  Samples samples;

  samples.n = 0;
  run ();
  while (!samples.enough (seconds)) {
    double begun = now_ms ();

    run ();
    samples.ms[samples.n++] = now_ms () - begun;
  }
  return samples.median ();
}

double
measure_graph (Frame & f, const Entry * entry, size_t kept, double seconds)
{
  const Queue & q = f.memory.queue;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  double ms;

  check (cudaStreamBeginCapture (q.stream, cudaStreamCaptureModeThreadLocal),
      "capture");
  f.memory.used = kept;
  entry->frame (f);
  check (cudaStreamEndCapture (q.stream, &graph), "capture");
  check (cudaGraphInstantiateWithFlags (&exec, graph, 0), "graph");
  ms = measure_device (q, seconds,[&]() {
        check (cudaGraphLaunch (exec, q.stream), "graph");
      });
  check (cudaGraphExecDestroy (exec), "graph");
  check (cudaGraphDestroy (graph), "graph");
  return ms;
}

/* From host to host. */
void
whole_frame (Frame & f, const Entry * entry, const uint8_t * left,
    const uint8_t * right, uint16_t * map)
{
  const Queue & q = f.memory.queue;
  const size_t pixels = (size_t) f.k->width * f.k->height;
  void *device[3];

  device[0] = f.memory.take (pixels);
  device[1] = f.memory.take (pixels);
  device[2] = f.memory.take (pixels * sizeof (*map));
  f.left = (const uint8_t *) device[0];
  f.right = (const uint8_t *) device[1];
  f.map = (uint16_t *) device[2];
  copy (q, device[0], left, pixels);
  copy (q, device[1], right, pixels);
  entry->frame (f);
  copy (q, map, device[2], pixels * sizeof (*map));
  if (!q.host)
    check (cudaStreamSynchronize (q.stream), "frame");
  for (int i = 0; i < 3; i++)
    f.memory.give (device[i]);
}

}                               // namespace

extern "C" bool
bp_layouts_has (const BpVariant * variant, int disparities)
{
  const Entry *entry = find_entry (variant);

  return entry != NULL && entry->has (variant, disparities);
}

extern "C" void
bp_layouts_run (const BpVariant * variant, const StereoBpConstants * k,
    const uint8_t * left, const uint8_t * right, uint16_t * map,
    double seconds, bool host, BpTimes * times)
{
  const Entry *entry = find_entry (variant);
  const size_t pixels = (size_t) k->width * k->height;
  const size_t kept = 2 * Memory::rounded (pixels)
      + Memory::rounded (pixels * sizeof (*map));
  Frame f;

  memset ((void *) &f, 0, sizeof (f));
  f.variant = variant;
  f.k = k;
  f.memory.queue.host = host;
  const Queue & q = f.memory.queue;

  times->device = times->graph = times->transfers = times->arena
      = times->buffers = NAN;
  times->bytes = kept + entry->bytes (f);
  if (host) {
    whole_frame (f, entry, left, right, map);
    return;
  }
  check (cudaStreamCreateWithFlags (&f.memory.queue.stream,
          cudaStreamNonBlocking), "stream");

  times->buffers = measure_host (seconds,[&]() {
        whole_frame (f, entry, left, right, map);
      });
  times->arena = measure_host (seconds,[&]() {
        f.memory.arena = (uint8_t *) allocate (q, times->bytes);
        f.memory.used = 0;
        whole_frame (f, entry, left, right, map);
        release (q, f.memory.arena);
      });
  f.memory.arena = (uint8_t *) allocate (q, times->bytes);
  /* the map that counts is of what is measured last */
  memset (map, 0xff, pixels * sizeof (*map));
  times->transfers = measure_host (seconds,[&]() {
        f.memory.used = 0;
        whole_frame (f, entry, left, right, map);
      });
  times->device = measure_device (q, seconds,[&]() {
        f.memory.used = kept;
        entry->frame (f);
      });
  clear (q, f.map, pixels * sizeof (*map));
  times->graph = measure_graph (f, entry, kept, seconds);
  memset (map, 0xff, pixels * sizeof (*map));
  copy (q, map, f.map, pixels * sizeof (*map));
  check (cudaStreamSynchronize (q.stream), "map");
  release (q, f.memory.arena);
  check (cudaStreamDestroy (f.memory.queue.stream), "stream");
}

extern "C" void *
bp_layouts_alloc (size_t bytes, bool host)
{
  void *memory = NULL;

  if (!host)
    check (cudaMallocHost (&memory, bytes), "cudaMallocHost");
  else if ((memory = malloc (bytes)) == NULL)
    check (cudaErrorMemoryAllocation, "malloc");
  return memory;
}

extern "C" void
bp_layouts_free (void *memory, bool host)
{
  if (host)
    free (memory);
  else
    check (cudaFreeHost (memory), "cudaFreeHost");
}

extern "C" bool
bp_layouts_device (char *name, size_t size)
{
  cudaDeviceProp properties;

  if (cudaGetDeviceProperties (&properties, 0) != cudaSuccess)
    return false;
  snprintf (name, size, "%s", properties.name);
  return true;
}
