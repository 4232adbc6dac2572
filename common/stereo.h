/* gst-stereomatching: stereo matching algorithms on the CPU and on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * stereo.h: the public interface of the stereo matching library.
 *
 * Terms.  A rectified pair is two images in which a scene point lies on the
 * same row of both.  The left image is the reference view.  The disparity of
 * the left pixel (x, y) is d = x - x', in pixels, where (x', y) is the same
 * point in the right image: positive, and larger for nearer points.
 *
 * Use.  Five steps, all of which can fail and say why:
 *
 *   StereoDevice *device = NULL;
 *   StereoMatcher *matcher = NULL;
 *   StereoParams *params = NULL;
 *   StereoMessage why;
 *   const StereoAlgorithm *vcbw = stereo_algorithm_find ("vcbw");
 *
 *   stereo_device_new_cpu (0, STEREO_SIMD_AUTO, &device, &why);
 *   stereo_params_new (vcbw, &params);
 *   stereo_params_set (params, "num-disparities", 60, &why);
 *   stereo_matcher_new (vcbw, device, &matcher);
 *   stereo_matcher_configure (matcher, &config, params);
 *   stereo_matcher_process (matcher, &left, &right, &map, NULL);   per frame
 *   stereo_matcher_sync (matcher);
 *
 *   stereo_matcher_free (&matcher);
 *   stereo_params_free (&params);
 *   stereo_device_unref (&device);
 *
 * Errors.  A function that can fail returns a StereoStatus and must be
 * checked.  On failure its outputs are untouched, a StereoMessage (or the
 * matcher's own, stereo_matcher_error()) says what was wrong and what would be
 * right.  Nothing prints, asserts or aborts on bad input.
 *
 * Threads.  The library has no global state.  An object is used by one thread
 * at a time, except where a function says otherwise.
 *
 * Memory.  Images belong to the caller; a matcher borrows them until the frame
 * has been waited for.  Functions that destroy take the address of the pointer
 * and set it to NULL; a NULL pointer there is fine.
 */

#ifndef STEREO_H
#define STEREO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined (__GNUC__)
#define STEREO_API __attribute__ ((visibility ("default")))
#define STEREO_CHECKED __attribute__ ((warn_unused_result))
#define STEREO_PRINTF(text, first) \
    __attribute__ ((format (printf, text, first)))
#else
#define STEREO_API
#define STEREO_CHECKED
#define STEREO_PRINTF(text, first)
#endif

/* ------------------------------------------------------------------ status */

typedef enum
{
  STEREO_OK = 0,
  STEREO_ERROR_ARGUMENT,        /* a value outside its documented range */
  STEREO_ERROR_UNSUPPORTED,     /* not in this build, or not on this machine */
  STEREO_ERROR_MEMORY,          /* host or device memory exhausted */
  STEREO_ERROR_NO_DEVICE,       /* no such device, or no driver for it */
  STEREO_ERROR_DEVICE           /* the device or its driver reported an error */
} StereoStatus;

/* One English sentence without a final full stop, always terminated. */
typedef struct
{
  char text[512];
} StereoMessage;

/* Returns "ok", "invalid argument", ...; never NULL. */
STEREO_API const char *stereo_status_name (StereoStatus status);

/* The version of the library at run time, "0.2.0". */
STEREO_API const char *stereo_version (void);

/* ------------------------------------------------------------------ images */

/*
 * Pixel formats.  Letters name channels in memory order, 8 bits each unless
 * the name says otherwise; X stands for a byte that is ignored (alpha too).
 *
 * An algorithm that uses colour gets R, G and B when both views have them, in
 * whatever format.  Otherwise it gets luma, and of a YUV format that is Y as it
 * is.  Subsampled planes have the size of the image divided by 2 and rounded
 * up, and chroma sample (x / 2, y / 2) is that of pixel (x, y).  A row of
 * packed 4:2:2 is whole groups of two pixels and four bytes.
 *
 * Samples of 10 bits are words of 16 bits, little endian, that may lie at any
 * address.  Their high 8 bits count, the others are cut off.
 */
typedef enum
{
  STEREO_FORMAT_GRAY8 = 0,
  STEREO_FORMAT_GRAY16_LE,      /* as input, the high byte counts */
  STEREO_FORMAT_RGB,
  STEREO_FORMAT_BGR,
  STEREO_FORMAT_RGBX,
  STEREO_FORMAT_BGRX,
  STEREO_FORMAT_XRGB,
  STEREO_FORMAT_XBGR,
  STEREO_FORMAT_NV12,           /* 4:2:0, Y, then U and V interleaved */
  STEREO_FORMAT_NV21,           /* 4:2:0, Y, then V and U interleaved */
  STEREO_FORMAT_I420,           /* 4:2:0, Y, U, V */
  STEREO_FORMAT_YV12,           /* 4:2:0, Y, V, U */
  STEREO_FORMAT_Y42B,           /* 4:2:2, Y, U, V */
  STEREO_FORMAT_Y444,           /* 4:4:4, Y, U, V */
  STEREO_FORMAT_NV16,           /* 4:2:2, Y, then U and V interleaved */
  STEREO_FORMAT_YUY2,           /* 4:2:2, packed: Y U Y V */
  STEREO_FORMAT_UYVY,           /* 4:2:2, packed: U Y V Y */
  STEREO_FORMAT_YVYU,           /* 4:2:2, packed: Y V Y U */
  STEREO_FORMAT_P010_10LE,      /* NV12 of 10 bits, the high ones of a word */
  STEREO_FORMAT_I420_10LE,      /* I420 of 10 bits, the low ones of a word */
  STEREO_FORMAT_I422_10LE,      /* Y42B of 10 bits, the low ones of a word */
  STEREO_FORMAT_Y444_10LE,      /* Y444 of 10 bits, the low ones of a word */
  STEREO_N_FORMATS
} StereoFormat;

/* "GRAY8", "NV12", ...: the names GStreamer uses, with X for alpha too.
 * NULL when format is none of the enumeration. */
STEREO_API const char *stereo_format_name (StereoFormat format);

typedef enum
{
  STEREO_MEMORY_HOST = 0,       /* ordinary memory */
  STEREO_MEMORY_PINNED,         /* from stereo_device_alloc_pinned() */
  STEREO_MEMORY_DEVICE          /* memory of the matcher's device */
} StereoMemory;

/* A point in the work of a device, for images that stay there (see devices). */
typedef struct StereoEvent StereoEvent;

/*
 * An image, borrowed.  plane[i] is the first byte of plane i, stride[i] the
 * bytes from one row to the next (at least the bytes of a row; any more is
 * padding that is never read or written).  Planes a format does not have are
 * ignored, and so is chroma wherever luma is all that is used.  Width and
 * height are in pixels, from 1.
 *
 * Input images are only ever read.
 */
typedef struct
{
  StereoFormat format;
  int width;
  int height;
  StereoMemory memory;
  void *plane[3];
  size_t stride[3];
  /* Only with STEREO_MEMORY_DEVICE, and NULL where nobody asks: a frame waits
   * for ready before it reads or writes the image, and records done when it
   * has read it, or has written it. */
  StereoEvent *ready;
  StereoEvent *done;
} StereoImage;

/* The largest width and height of an image, in pixels. */
#define STEREO_MAX_SIZE 16384

/*
 * How R'G'B' comes from Y'CbCr of 8 bits: the matrix (Recommendations ITU-R
 * BT.601, BT.709, and BT.2020 with non-constant luminance), and the range,
 * limited (Y' from 16 to 235, Cb and Cr from 16 to 240) or full (0 to 255).
 */
typedef enum
{
  STEREO_COLORIMETRY_BT601 = 0, /* limited, as the next two */
  STEREO_COLORIMETRY_BT709,
  STEREO_COLORIMETRY_BT2020,
  STEREO_COLORIMETRY_BT601_FULL,
  STEREO_COLORIMETRY_BT709_FULL,
  STEREO_COLORIMETRY_BT2020_FULL,
  STEREO_N_COLORIMETRIES
} StereoColorimetry;

/* "BT601", "BT709_FULL", ...; NULL when colorimetry is none of the
 * enumeration. */
STEREO_API const char *stereo_colorimetry_name (StereoColorimetry
    colorimetry);

/* -------------------------------------------------------------- algorithms */

typedef struct StereoAlgorithm StereoAlgorithm;

/* The algorithms of this build in a fixed order; NULL past the last one. */
STEREO_API const StereoAlgorithm *stereo_algorithm_get (size_t index);

/* The algorithm called name ("vcbw"), or NULL. */
STEREO_API const StereoAlgorithm *stereo_algorithm_find (const char *name);

/* Short name ("vcbw"), full name, and the publication it implements; NULL for
 * NULL. */
STEREO_API const char *stereo_algorithm_name (const StereoAlgorithm *algorithm);
STEREO_API const char *stereo_algorithm_title (const StereoAlgorithm *
    algorithm);
STEREO_API const char *stereo_algorithm_reference (const StereoAlgorithm *
    algorithm);

/* Whether it uses colour where both views have it; false for NULL. */
STEREO_API bool stereo_algorithm_uses_color (const StereoAlgorithm *
    algorithm);

/*
 * What an algorithm can give for every pixel of the left view.  The disparity
 * is there always; the others are in the algorithms that find them.
 */
typedef enum
{
  STEREO_RESULT_DISPARITY = 0,
  STEREO_RESULT_VERTICAL,       /* y - y', in pixels, of an unrectified pair */
  STEREO_RESULT_CONFIDENCE,     /* how well the pixel matches, 0 to 1 */
  STEREO_N_RESULTS
} StereoResult;

/* "disparity", "vertical", "confidence"; NULL for any other value. */
STEREO_API const char *stereo_result_name (StereoResult result);

/* Whether the algorithm has it; false for NULL. */
STEREO_CHECKED STEREO_API bool stereo_algorithm_has_result (const
    StereoAlgorithm * algorithm, StereoResult result);

/* -------------------------------------------------------------- parameters */

typedef enum
{
  STEREO_PARAM_BOOL,            /* 0 or 1 */
  STEREO_PARAM_INT,             /* int */
  STEREO_PARAM_UINT,            /* unsigned int */
  STEREO_PARAM_DOUBLE,          /* double, never NaN */
  STEREO_PARAM_ENUM             /* int, an index into values[] */
} StereoParamType;

typedef struct
{
  const char *nick;             /* "nine" */
  const char *blurb;            /* "All nine windows" */
} StereoEnumValue;

/*
 * One parameter.  Every value of every type is exact in a double, so default,
 * range and the get and set functions use that.  A parameter may change
 * between any two frames.
 */
typedef struct
{
  const char *name;             /* "edge-penalty" */
  const char *field;            /* the C field: "edge_penalty" */
  const char *blurb;            /* what it does, unit, special values */
  StereoParamType type;
  size_t offset;                /* of the field in its structure; internal */
  double initial;               /* the default */
  double minimum;
  double maximum;
  const StereoEnumValue *values;        /* of an enumeration */
} StereoParamSpec;

/*
 * The parameters of an algorithm: first the ones all algorithms share
 * (num-disparities, min-disparity, disparity-scale, invalid-value, median),
 * then, if its map is refined, those of that (cost, subpixel, lr-max-diff,
 * speckle-size, fill, refine), then its own.  NULL past the last one.
 */
STEREO_API const StereoParamSpec *stereo_algorithm_param (const
    StereoAlgorithm * algorithm, size_t index);

/* The default of spec for this algorithm: those of the parameters that several
 * share differ between them. */
STEREO_API double stereo_algorithm_param_initial (const StereoAlgorithm *
    algorithm, const StereoParamSpec * spec);

typedef struct StereoParams StereoParams;

/* A set of parameters with the algorithm's defaults. */
STEREO_CHECKED STEREO_API StereoStatus stereo_params_new (const
    StereoAlgorithm * algorithm, StereoParams ** params);
STEREO_API void stereo_params_free (StereoParams ** params);

/* Makes target equal to source; both must be of the same algorithm, which is
 * the only way to fail. */
STEREO_CHECKED STEREO_API StereoStatus stereo_params_copy (StereoParams *
    target, const StereoParams * source);

/* Sets one parameter.  STEREO_ERROR_ARGUMENT, the set unchanged: there is none
 * of that name, or the value is NaN, out of range, or a fraction where whole
 * numbers are wanted.  why may be NULL. */
STEREO_CHECKED STEREO_API StereoStatus stereo_params_set (StereoParams *
    params, const char *name, double value, StereoMessage * why);

/* The same from text: a number, "true" / "false", or the nick of an
 * enumeration ("four").  Independent of the locale. */
STEREO_CHECKED STEREO_API StereoStatus stereo_params_set_text (StereoParams *
    params, const char *name, const char *text, StereoMessage * why);

/* Reads one parameter; false when there is none of that name. */
STEREO_CHECKED STEREO_API bool stereo_params_get (const StereoParams * params,
    const char *name, double *value);

/* ----------------------------------------------------------------- devices */

/*
 * What computes: the CPU, or a CUDA device (stereo-cuda.h).  Devices are
 * reference counted, may be shared by any number of matchers and threads, and
 * live until the last matcher and the last reference are gone.
 */
typedef struct StereoDevice StereoDevice;

/* Which vector instructions the CPU device uses.  All are bit-exact. */
typedef enum
{
  STEREO_SIMD_AUTO = 0,         /* the best that this machine has */
  STEREO_SIMD_NONE,             /* the plain reference, one stage at a time */
  STEREO_SIMD_GENERIC,          /* portable vectors of 16 bytes */
  STEREO_SIMD_AVX2,
  STEREO_SIMD_AVX512            /* needs AVX-512 F, BW, DQ and VL */
} StereoSimd;

/* "auto", "none", "generic", "avx2", "avx512"; NULL for any other value. */
STEREO_API const char *stereo_simd_name (StereoSimd simd);

/* Whether this build on this machine has it. */
STEREO_API bool stereo_simd_available (StereoSimd simd);

/* n_threads: 0 = one for each processor, at most 1024.
 * STEREO_ERROR_UNSUPPORTED when simd is not available.  why may be NULL. */
STEREO_CHECKED STEREO_API StereoStatus stereo_device_new_cpu (unsigned
    n_threads, StereoSimd simd, StereoDevice ** device, StereoMessage * why);

STEREO_API StereoDevice *stereo_device_ref (StereoDevice * device);
STEREO_API void stereo_device_unref (StereoDevice ** device);

/* "cpu" or "cuda", and a name for people ("NVIDIA H200", "CPU, 2 threads,
 * avx512").  Both belong to the device. */
STEREO_API const char *stereo_device_backend (const StereoDevice * device);
STEREO_API const char *stereo_device_name (const StereoDevice * device);

/* Of a CPU device the number of threads and the instructions in use, never
 * STEREO_SIMD_AUTO; of others 0 and STEREO_SIMD_NONE. */
STEREO_API unsigned stereo_device_threads (const StereoDevice * device);
STEREO_API StereoSimd stereo_device_simd (const StereoDevice * device);

/* Host memory that the device copies from and to without staging: page-locked
 * for CUDA, ordinary for the CPU.  Aligned to 64 bytes or more.  Any thread. */
STEREO_CHECKED STEREO_API StereoStatus stereo_device_alloc_pinned (StereoDevice
    * device, size_t bytes, void **memory, StereoMessage * why);
STEREO_API void stereo_device_free_pinned (StereoDevice * device,
    void **memory);

/* Memory of the device itself (for the CPU the same as pinned memory), for
 * images with STEREO_MEMORY_DEVICE, and a copy that has finished when it
 * returns.  Any thread. */
STEREO_CHECKED STEREO_API StereoStatus stereo_device_alloc (StereoDevice *
    device, size_t bytes, void **memory, StereoMessage * why);
STEREO_API void stereo_device_free (StereoDevice * device, void **memory);
STEREO_CHECKED STEREO_API StereoStatus stereo_device_copy (StereoDevice *
    device, void *target, const void *source, size_t bytes,
    StereoMessage * why);

/*
 * An event stands for all that its device was to do before it was recorded, and
 * has happened until then.  It may be recorded again and again, and keeps the
 * device.  The done of one frame's image as the ready of the next one's orders
 * two frames, of the same matcher or of others, without anybody waiting.
 *
 * stereo_event_wait() returns when it has happened; any thread.  On the CPU all
 * events have.
 */
STEREO_CHECKED STEREO_API StereoStatus stereo_event_new (StereoDevice * device,
    StereoEvent ** event, StereoMessage * why);
STEREO_CHECKED STEREO_API StereoStatus stereo_event_wait (StereoEvent * event,
    StereoMessage * why);
STEREO_API void stereo_event_free (StereoEvent ** event);

/* Log messages, for people.  The function may be called from any thread. */
typedef enum
{
  STEREO_LOG_WARNING,
  STEREO_LOG_INFO,
  STEREO_LOG_DEBUG
} StereoLogLevel;
typedef void (*StereoLogFunction) (StereoLogLevel level, const char *text,
    void *user_data);

/* Sets the device's only log function; NULL (the default) for silence.
 * To be called before the device is shared. */
STEREO_API void stereo_device_set_log (StereoDevice * device,
    StereoLogFunction function, void *user_data);

/* ---------------------------------------------------------------- matching */

typedef struct StereoMatcher StereoMatcher;

/* Frames of one matcher that are under way at a time, at most, and if nothing
 * else is said: the next one waits for the oldest.  The CPU has only one. */
#define STEREO_MAX_FRAMES 4
#define STEREO_DEFAULT_FRAMES 2

/* What all frames have in common.  The two views may differ in format, and in
 * colorimetry, which only YUV formats have.  Zero the structure first: it may
 * grow. */
typedef struct
{
  int width;                    /* 1 to STEREO_MAX_SIZE pixels */
  int height;
  StereoFormat left;
  StereoFormat right;
  StereoFormat output;          /* GRAY16_LE or GRAY8 */
  StereoColorimetry left_colorimetry;
  StereoColorimetry right_colorimetry;
} StereoMatcherConfig;

STEREO_CHECKED STEREO_API StereoStatus stereo_matcher_new (const
    StereoAlgorithm * algorithm, StereoDevice * device,
    StereoMatcher ** matcher);
STEREO_API void stereo_matcher_free (StereoMatcher ** matcher);

/* How many frames are to be under way at a time from the next
 * stereo_matcher_configure() on, 1 to STEREO_MAX_FRAMES.  Each of them needs
 * memory for its images where they are not on the device: there, and
 * page-locked on the host. */
STEREO_API void stereo_matcher_set_frames (StereoMatcher * matcher, unsigned
    n_frames);

/*
 * Prepares for frames of this configuration with these parameters, both of
 * which are copied.  The only call that allocates memory, and it does so only
 * when what is there is too small; waits for all frames before it changes
 * anything.
 *
 * STEREO_ERROR_MEMORY names the bytes needed and the bytes free.  After any
 * failure the matcher has to be configured again before it can process.
 */
STEREO_CHECKED STEREO_API StereoStatus stereo_matcher_configure (StereoMatcher
    * matcher, const StereoMatcherConfig * config, const StereoParams * params);

/*
 * Matches one pair.  output gets the disparity map of the left view, encoded:
 *
 *   GRAY16_LE  (d - min-disparity) * disparity-scale, at most 65535
 *   GRAY8      (d - min-disparity) * 255 / (num-disparities - 1), rounded
 *
 * A disparity with a fraction is rounded in GRAY16_LE too, and lies in the
 * range that was searched.
 *
 * A pixel without a disparity gets invalid-value; a pixel that has one never
 * does: where its code would be the same, it moves to the next one.
 *
 * The CPU has finished when this returns.  CUDA has only started; the images
 * must then stay as they are until stereo_matcher_wait() or a later
 * stereo_matcher_sync() has returned, or one with a done event until that has
 * happened.  An input image in ordinary memory
 * (STEREO_MEMORY_HOST) has been read when this returns, on any device.
 *
 * Images must have the configured size and formats.  frame, when not NULL,
 * gets the number of this frame; the first one is 1.
 */
STEREO_CHECKED STEREO_API StereoStatus stereo_matcher_process (StereoMatcher *
    matcher, const StereoImage * left, const StereoImage * right,
    const StereoImage * output, uint64_t * frame);

/* The code of a vertical disparity of 0. */
#define STEREO_VERTICAL_OFFSET 32768

/*
 * The same for several results of one frame.  results[] has an image for each
 * StereoResult that is wanted, and NULL for the others; the disparity is always
 * wanted.  STEREO_ERROR_ARGUMENT for one that the algorithm does not have.
 *
 *   STEREO_RESULT_DISPARITY   as above
 *   STEREO_RESULT_VERTICAL    GRAY16_LE: v * disparity-scale
 *                             + STEREO_VERTICAL_OFFSET, rounded, from 0 to
 *                             65535, for a pixel whose match in the right view
 *                             is v rows further up; invalid-value as above
 *   STEREO_RESULT_CONFIDENCE  GRAY8 or GRAY16_LE: 0 to 255 or 0 to 65535 for 0
 *                             to 1, rounded; invalid-value has no meaning here
 *
 * The image says which of the formats it is, frame by frame.
 */
STEREO_CHECKED STEREO_API StereoStatus stereo_matcher_process_results
    (StereoMatcher * matcher, const StereoImage * left,
    const StereoImage * right,
    const StereoImage * const results[STEREO_N_RESULTS], uint64_t * frame);

/*
 * With the parameter temporal above 0 a disparity map depends on the frames
 * before, in the order in which they were processed, however many of them are
 * under way.  The next frame after this call, as the first one after
 * stereo_matcher_configure(), depends on none: for where another video begins,
 * or another place of it.  At once; no frame that was started is changed.
 */
STEREO_API void stereo_matcher_reset (StereoMatcher * matcher);

/* Returns when the frame and its results are complete; at once for frame 0.
 * Any thread, also while another one is in stereo_matcher_process().  A frame
 * fails with its device; the text goes to the log and to the next call of
 * stereo_matcher_process() or stereo_matcher_sync(), which fail too. */
STEREO_CHECKED STEREO_API StereoStatus stereo_matcher_wait (StereoMatcher *
    matcher, uint64_t frame);

/* Waits for all frames. */
STEREO_CHECKED STEREO_API StereoStatus stereo_matcher_sync (StereoMatcher *
    matcher);

/* What the last failed call on this matcher had to say; "" if none failed.
 * Belongs to the matcher and stands until its next call. */
STEREO_API const char *stereo_matcher_error (const StereoMatcher * matcher);

typedef struct
{
  uint64_t frames;              /* complete */
  uint64_t last_ns;             /* the last of them took, with copies */
  uint64_t total_ns;            /* of all complete ones */
  size_t device_bytes;          /* held on the device */
  size_t host_bytes;            /* held on the host */
  uint64_t allocations;         /* made since stereo_matcher_new() */
} StereoMatcherStats;

/* Any thread.  Frames count as complete once they were waited for. */
STEREO_API void stereo_matcher_get_stats (StereoMatcher * matcher,
    StereoMatcherStats * stats);

/* Whether the stages of the frames that are started from now on are timed; not
 * at first.  Costs a little time on every frame while it is on. */
STEREO_API void stereo_matcher_set_profiling (StereoMatcher * matcher,
    bool profiling);

/*
 * A stage of the frame that completed last, in their order: "upload",
 * "convert", the algorithm's own if it has any, "match", "median" and
 * "download", of which there are those that the frame had; with a census cost
 * "census" comes before the algorithm's own, and with refinement "refine"
 * instead of "median".  Encoding belongs to "median" or "refine", or to "match"
 * without one.  "temporal" comes behind them if that parameter is above 0.  ns
 * is the time from the end of the stage before, added up where a stage comes
 * again and again, and name lives as long as the library.  The stages add up to
 * last_ns; with several frames in flight they contain the wait for each other.
 *
 * False past the last stage, and for a frame that was started without
 * profiling.  Any thread; name and ns may be NULL.
 */
STEREO_CHECKED STEREO_API bool stereo_matcher_get_stage (StereoMatcher *
    matcher, size_t index, const char **name, uint64_t * ns);

/* -------------------------------------------------------------- operations */

/*
 * What is made of a disparity map, one frame at a time:
 *
 *   "depth"   inputs: the map, GRAY16_LE or GRAY8.  Output: distances along the
 *             optical axis, GRAY16_LE of the same size: metres * depth-scale,
 *             0 = unknown.
 *   "points"  inputs: the map.  Output: RGBX of 3 * columns x rows, where each
 *             "pixel" is a float of the host's byte order: X, Y and Z of a
 *             point in metres, NaN where there is none.
 *   "view"    inputs: the left view, the right view or NULL, the map.  Views
 *             are of one format (of YUV in limited range), and the map is of
 *             their size divided by 1 to 8 and rounded up.  Output: a frame of
 *             that format.
 *
 * What the numbers of a map mean is said by the parameters disparity-scale,
 * min-disparity and invalid-value; where the cameras are by focal-length
 * (pixels), baseline (metres) and doffs (pixels), which depth and points need.
 */
typedef struct StereoOperation StereoOperation;

/* The images that a frame takes, at most. */
#define STEREO_MAX_INPUTS 3

/* The names in a fixed order; NULL past the last one. */
STEREO_API const char *stereo_operation_name (size_t index);

/* The parameters of the operation called name; NULL past the last one, and when
 * there is no such operation. */
STEREO_API const StereoParamSpec *stereo_operation_param (const char *name,
    size_t index);

/* An operation with its defaults.  It keeps the device.  why may be NULL, here
 * and below. */
STEREO_CHECKED STEREO_API StereoStatus stereo_operation_new (const char *name,
    StereoDevice * device, StereoOperation ** operation, StereoMessage * why);
STEREO_API void stereo_operation_free (StereoOperation ** operation);

/* Set one parameter, from a number or from text, and read one: as those of a
 * StereoParams.  From the next frame on. */
STEREO_CHECKED STEREO_API StereoStatus stereo_operation_set (StereoOperation *
    operation, const char *name, double value, StereoMessage * why);
STEREO_CHECKED STEREO_API StereoStatus stereo_operation_set_text
    (StereoOperation * operation, const char *name, const char *text,
    StereoMessage * why);
STEREO_CHECKED STEREO_API bool stereo_operation_get (const StereoOperation *
    operation, const char *name, double *value);

/* The size of the output for a first input of this size. */
STEREO_API void stereo_operation_output_size (const StereoOperation *
    operation, int width, int height, int *output_width, int *output_height);

/*
 * Makes one frame, which is complete when this returns.  inputs[] are those
 * listed above, in their order.  Prepares itself when sizes, formats or
 * parameters are others than before; images are borrowed, and their memory is
 * as for a matcher.
 */
STEREO_CHECKED STEREO_API StereoStatus stereo_operation_process
    (StereoOperation * operation, const StereoImage * const *inputs,
    const StereoImage * output, StereoMessage * why);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_H */
