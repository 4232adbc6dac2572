/* gst-stereomatching: stereo matching algorithms on the CPU and on CUDA
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * stereo.h: the public interface of the stereo matching library.
 *
 * Terms.  In a rectified pair a scene point lies on the same row of both
 * images.  The left image is the reference view.  The disparity of the left
 * pixel (x, y) is d = x - x', in pixels, where (x', y) is the same point in the
 * right image.  It is positive, and larger for nearer points.
 *
 * Usage.  Every step can fail:
 *
 *   StereoDevice *device = NULL;
 *   StereoMatcher *matcher = NULL;
 *   StereoParams *params = NULL;
 *   StereoMatcherConfig config = STEREO_MATCHER_CONFIG_INIT;
 *   StereoMessage why;
 *   const StereoAlgorithm *sgm = stereo_algorithm_find ("sgm");
 *
 *   stereo_device_new_cpu (0, STEREO_SIMD_AUTO, &device, &why);
 *   stereo_params_new (sgm, &params);
 *   stereo_params_set (params, "num-disparities", 60, &why);
 *   stereo_matcher_new (sgm, device, &matcher);
 *   config.width = 640;                                and the other fields
 *   stereo_matcher_configure (matcher, &config, params);
 *   stereo_matcher_process (matcher, &left, &right, &map, NULL);   per frame
 *   stereo_matcher_sync (matcher);
 *
 *   stereo_matcher_free (&matcher);
 *   stereo_params_free (&params);
 *   stereo_device_unref (&device);
 *
 * Errors.  A function that can fail returns a StereoStatus, which must be
 * checked.  A failed call leaves its outputs untouched and explains itself in
 * the StereoMessage `why`, which may be NULL, or in stereo_matcher_error().
 * The library never prints, asserts or aborts because of an argument.  A NULL
 * object is an invalid argument: a status says so, a getter returns NULL, 0 or
 * false, and everything else does nothing.
 *
 * Threads.  The library has no global state.  One thread at a time may use an
 * object, unless a function says "Any thread".
 *
 * Ownership.  Images and their memory belong to the caller.  A matcher borrows
 * them until the frame is complete.  A function that frees takes the address of
 * a pointer and sets it to NULL; both may be NULL before.
 *
 * Compatibility.  docs/api.md has the policy and the changes of each version.
 * In short: an incompatible change gets a new SONAME.  Without one, functions
 * and enumerators are only ever added.  StereoMatcherConfig,
 * StereoMatcherStats and StereoAlignmentReport may get more fields at the
 * end, and carry their size in struct_size.  StereoParamSpec may get more
 * fields, too: programs read it where the library keeps it.  All other
 * structures are final.  STEREO_N_* count what this header knows; a newer
 * library may know more.
 */

#ifndef STEREO_H
#define STEREO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of the STEREO_*_INIT macros.  Compilers warn of members without an
 * initializer, except in C if a member is named. */
#ifdef __cplusplus
template<typename T> struct StereoInitialized : T
{
  StereoInitialized ()
  : T ()
  {
    this->struct_size = static_cast<uint32_t> (sizeof (T));
  }
};

#define STEREO_INIT_STRUCT(type) StereoInitialized<type> ()

extern "C" {
#else
#define STEREO_INIT_STRUCT(type) { .struct_size = sizeof (type) }
#endif

#if defined (_WIN32) && defined (STEREO_BUILDING)
#define STEREO_API __declspec (dllexport)
#elif defined (__GNUC__) && !defined (_WIN32)
#define STEREO_API __attribute__ ((visibility ("default")))
#else
#define STEREO_API
#endif

#if defined (__MINGW32__) && !defined (__clang__)
/* the printf() of C99, not that of msvcrt */
#define STEREO_PRINTF(text, first) \
    __attribute__ ((format (gnu_printf, text, first)))
#elif defined (__GNUC__)
#define STEREO_PRINTF(text, first) \
    __attribute__ ((format (printf, text, first)))
#else
#define STEREO_PRINTF(text, first)
#endif

#if defined (__GNUC__)
#define STEREO_CHECKED __attribute__ ((warn_unused_result))
#else
#define STEREO_CHECKED
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

/* One English sentence without a final full stop, NUL-terminated. */
typedef struct
{
  char text[512];
} StereoMessage;

/* Returns "ok", "invalid argument", ...; never NULL. */
STEREO_API const char *stereo_status_name (StereoStatus status);

/* The version of the library at run time: "0.2.0". */
STEREO_API const char *stereo_version (void);

/* ------------------------------------------------------------------ images */

/*
 * Pixel formats.  The letters name the channels in memory order, of 8 bits each
 * unless the name says otherwise.  X is a byte that is ignored, such as alpha.
 *
 * An algorithm that uses colour gets R, G and B if both views have colour, in
 * any format.  Otherwise it gets luma, which in a YUV format is Y unchanged.
 * Subsampled planes have the size of the image divided by 2 and rounded up.
 * Chroma sample (x / 2, y / 2) belongs to pixel (x, y).  A row of packed 4:2:2
 * consists of whole groups of two pixels in four bytes.
 *
 * Samples of 10 bits are little-endian words of 16 bits at any address.
 * Matching uses their high 8 bits.  GRAY16_LE is read at any address, and
 * written with an even address and an even stride only.
 */
typedef enum
{
  STEREO_FORMAT_GRAY8 = 0,
  STEREO_FORMAT_GRAY16_LE,      /* of a view, only the high byte is used */
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
  STEREO_FORMAT_P010_10LE,      /* NV12, 10 bits in the high bits of a word */
  STEREO_FORMAT_I420_10LE,      /* I420, 10 bits in the low bits of a word */
  STEREO_FORMAT_I422_10LE,      /* Y42B, 10 bits in the low bits of a word */
  STEREO_FORMAT_Y444_10LE,      /* Y444, 10 bits in the low bits of a word */
  STEREO_N_FORMATS,             /* of views and maps */

  /* Numbers in the byte order of the host, at any address.  Only the operations
   * that say so write them. */
  STEREO_FORMAT_XYZ_F32 = 48,   /* float x, y, z: 12 bytes */
  STEREO_FORMAT_XYZRGB_F32,     /* the same and uint32_t 0x00RRGGBB: 16 bytes */
  STEREO_FORMAT_U32             /* uint32_t */
} StereoFormat;

/* "GRAY8", "NV12", ...: the name of the format in GStreamer, where X stands for
 * x and A ("RGBx", "RGBA"); NULL for an unknown format. */
STEREO_API const char *stereo_format_name (StereoFormat format);

typedef enum
{
  STEREO_MEMORY_HOST = 0,       /* pageable memory */
  STEREO_MEMORY_PINNED,         /* from stereo_device_alloc_pinned() */
  STEREO_MEMORY_DEVICE          /* memory of the matcher's device */
} StereoMemory;

/* A point in the work of a device: see stereo_event_new(). */
typedef struct StereoEvent StereoEvent;

/*
 * An image in memory of the caller.  Planes that the format does not have are
 * ignored, and so are chroma planes where only luma is used.  The library never
 * writes to an input image, nor to the padding between rows.  An output image
 * must not overlap another image of the call.
 */
typedef struct
{
  StereoFormat format;
  int width;                    /* 1 to STEREO_MAX_SIZE pixels */
  int height;
  StereoMemory memory;
  void *plane[3];               /* first byte of each plane */
  size_t stride[3];             /* bytes between the starts of two rows; of all
                                 * rows up to PTRDIFF_MAX, and below 4 GiB in
                                 * device memory */
  /* Only for STEREO_MEMORY_DEVICE; NULL = none.  A frame waits for `ready`
   * before it accesses the image, and records `done` after its last access. */
  StereoEvent *ready;
  StereoEvent *done;
} StereoImage;

/* The largest width and height of an image, in pixels. */
#define STEREO_MAX_SIZE 16384

/*
 * Conversion of 8-bit Y'CbCr to R'G'B': the matrix (ITU-R Recommendation
 * BT.601, BT.709, or BT.2020 with non-constant luminance), and the range, which
 * is limited (Y' from 16 to 235, Cb and Cr from 16 to 240) or full (0 to 255).
 */
typedef enum
{
  STEREO_COLORIMETRY_BT601 = 0, /* limited range, as the next two */
  STEREO_COLORIMETRY_BT709,
  STEREO_COLORIMETRY_BT2020,
  STEREO_COLORIMETRY_BT601_FULL,
  STEREO_COLORIMETRY_BT709_FULL,
  STEREO_COLORIMETRY_BT2020_FULL,
  STEREO_N_COLORIMETRIES
} StereoColorimetry;

/* "BT601", "BT709_FULL", ...; NULL for an unknown colorimetry. */
STEREO_API const char *stereo_colorimetry_name (StereoColorimetry
    colorimetry);

/* -------------------------------------------------------------- algorithms */

typedef struct StereoAlgorithm StereoAlgorithm;

/* The algorithms of this build in a fixed order; NULL past the last one. */
STEREO_API const StereoAlgorithm *stereo_algorithm_get (size_t index);

/* The algorithm called name ("vcbw"), or NULL. */
STEREO_API const StereoAlgorithm *stereo_algorithm_find (const char *name);

/* Short name ("vcbw"), full name, and the publication it implements. */
STEREO_API const char *stereo_algorithm_name (const StereoAlgorithm *algorithm);
STEREO_API const char *stereo_algorithm_title (const StereoAlgorithm *
    algorithm);
STEREO_API const char *stereo_algorithm_reference (const StereoAlgorithm *
    algorithm);

/* Whether the algorithm uses colour if both views have it. */
STEREO_API bool stereo_algorithm_uses_color (const StereoAlgorithm *
    algorithm);

/* Results for every pixel of the left view.  All algorithms have the disparity;
 * stereo_algorithm_has_result() tells which others there are. */
typedef enum
{
  STEREO_RESULT_DISPARITY = 0,
  STEREO_RESULT_VERTICAL,       /* y - y', in pixels: for unrectified pairs */
  STEREO_RESULT_CONFIDENCE,     /* 0 (none) to 1 */
  STEREO_N_RESULTS
} StereoResult;

/* "disparity", "vertical", "confidence"; NULL for an unknown result. */
STEREO_API const char *stereo_result_name (StereoResult result);

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

/* The description of a parameter, which belongs to the library and lives as
 * long.  Every value of every type is exact in a double. */
typedef struct
{
  const char *name;             /* "edge-penalty" */
  const char *field;            /* the C field: "edge_penalty" */
  const char *blurb;            /* meaning, unit, special values */
  StereoParamType type;
  size_t offset;                /* internal */
  double initial;               /* the default */
  double minimum;
  double maximum;
  const StereoEnumValue *values;        /* maximum + 1; only of an ENUM */
} StereoParamSpec;

/*
 * The parameters of an algorithm; NULL past the last one.  First those that all
 * algorithms have (num-disparities, min-disparity, disparity-scale,
 * invalid-value, median, temporal), then those of post-processing, if the
 * algorithm has it (cost, subpixel, lr-max-diff, speckle-size, fill, refine,
 * min-confidence, and check if it can check mutually), then the algorithm's
 * own.
 */
STEREO_API const StereoParamSpec *stereo_algorithm_param (const
    StereoAlgorithm * algorithm, size_t index);

/* The default of a parameter for this algorithm: shared parameters may have
 * different defaults.  0 if either is NULL. */
STEREO_API double stereo_algorithm_param_initial (const StereoAlgorithm *
    algorithm, const StereoParamSpec * spec);

typedef struct StereoParams StereoParams;

/* Makes a set of parameters with the algorithm's defaults. */
STEREO_CHECKED STEREO_API StereoStatus stereo_params_new (const
    StereoAlgorithm * algorithm, StereoParams ** params);
STEREO_API void stereo_params_free (StereoParams ** params);

/* Copies all values.  STEREO_ERROR_ARGUMENT if the algorithms differ. */
STEREO_CHECKED STEREO_API StereoStatus stereo_params_copy (StereoParams *
    target, const StereoParams * source);

/* Sets one parameter.  STEREO_ERROR_ARGUMENT if the name is unknown, or if the
 * value is NaN, out of range, or a fraction although the type is not DOUBLE. */
STEREO_CHECKED STEREO_API StereoStatus stereo_params_set (StereoParams *
    params, const char *name, double value, StereoMessage * why);

/* Sets one parameter from text: a number, "true", "false", or the nick of an
 * enumeration value ("four").  Independent of the locale. */
STEREO_CHECKED STEREO_API StereoStatus stereo_params_set_text (StereoParams *
    params, const char *name, const char *text, StereoMessage * why);

/*
 * Replaces the network of cost=learned by one from text in the format of
 * docs/learned.md, or by that of the library if text is NULL.  The copy that a
 * matcher uses is made by stereo_matcher_configure().
 *
 * STEREO_ERROR_ARGUMENT if the algorithm has no parameter "cost", or if the
 * text is not such a network; then why names the line.
 * stereo_params_set_text() with the name "weights" does the same with the
 * content of a file; an empty file name stands for the network of the library.
 */
STEREO_CHECKED STEREO_API StereoStatus stereo_params_set_weights (StereoParams *
    params, const char *text, size_t length, StereoMessage * why);

/* The CRC-32 of the network if cost=learned, otherwise 0.  Equal networks have
 * equal ones, regardless of comments. */
STEREO_API uint32_t stereo_params_get_weights (const StereoParams * params);

/* Reads one parameter; false if the name is unknown. */
STEREO_CHECKED STEREO_API bool stereo_params_get (const StereoParams * params,
    const char *name, double *value);

/* ----------------------------------------------------------------- devices */

/*
 * A compute backend: the CPU, or a CUDA device (stereo-cuda.h).  Devices are
 * reference-counted.  Matchers and operations hold a reference.  Any number of
 * them, on any threads, may share a device.
 */
typedef struct StereoDevice StereoDevice;

/* Vector instructions of a CPU device.  All give the same bytes. */
typedef enum
{
  STEREO_SIMD_AUTO = 0,         /* the best of this machine */
  STEREO_SIMD_NONE,             /* scalar reference */
  STEREO_SIMD_GENERIC,          /* portable vectors of 16 bytes */
  STEREO_SIMD_AVX2,
  STEREO_SIMD_AVX512            /* needs AVX-512 F, BW, DQ and VL */
} StereoSimd;

/* "auto", "none", "generic", "avx2", "avx512"; NULL for an unknown value. */
STEREO_API const char *stereo_simd_name (StereoSimd simd);

/* Whether this build and this machine support it. */
STEREO_API bool stereo_simd_available (StereoSimd simd);

/* n_threads: 1 to 1024, or 0 = one per processor.  STEREO_ERROR_UNSUPPORTED if
 * simd is not available. */
STEREO_CHECKED STEREO_API StereoStatus stereo_device_new_cpu (unsigned
    n_threads, StereoSimd simd, StereoDevice ** device, StereoMessage * why);

/* Any thread.  Returns device. */
STEREO_API StereoDevice *stereo_device_ref (StereoDevice * device);
STEREO_API void stereo_device_unref (StereoDevice ** device);

/* "cpu" or "cuda", and a description ("NVIDIA H200", "CPU, 2 threads, avx512").
 * Both belong to the device. */
STEREO_API const char *stereo_device_backend (const StereoDevice * device);
STEREO_API const char *stereo_device_name (const StereoDevice * device);

/* The number of threads and the instructions of a CPU device, never
 * STEREO_SIMD_AUTO; 0 and STEREO_SIMD_NONE for other devices. */
STEREO_API unsigned stereo_device_threads (const StereoDevice * device);
STEREO_API StereoSimd stereo_device_simd (const StereoDevice * device);

/* Host memory that the device copies without staging: page-locked for CUDA,
 * pageable for the CPU.  Aligned to at least 64 bytes.  Any thread. */
STEREO_CHECKED STEREO_API StereoStatus stereo_device_alloc_pinned (StereoDevice
    * device, size_t bytes, void **memory, StereoMessage * why);
STEREO_API void stereo_device_free_pinned (StereoDevice * device,
    void **memory);

/*
 * Pins host memory of the caller: all devices of the backend read images with
 * STEREO_MEMORY_HOST in it without copying them to staging memory.  It takes
 * longer than a copy: pin memory that is used for many frames.  Unpin it before
 * it is freed.  Any thread; no effect on the CPU.
 *
 * STEREO_ERROR_UNSUPPORTED: the memory cannot be pinned, such as that of
 * another driver, or a part of it is pinned already.
 */
STEREO_CHECKED STEREO_API StereoStatus stereo_device_pin (StereoDevice *
    device, void *memory, size_t bytes, StereoMessage * why);
STEREO_API void stereo_device_unpin (StereoDevice * device, void *memory);

/* Device memory, for images with STEREO_MEMORY_DEVICE (for the CPU the same as
 * pinned memory), and a synchronous copy in any direction.  Any thread. */
STEREO_CHECKED STEREO_API StereoStatus stereo_device_alloc (StereoDevice *
    device, size_t bytes, void **memory, StereoMessage * why);
STEREO_API void stereo_device_free (StereoDevice * device, void **memory);
STEREO_CHECKED STEREO_API StereoStatus stereo_device_copy (StereoDevice *
    device, void *target, const void *source, size_t bytes,
    StereoMessage * why);

/*
 * An event completes when its device has finished all work that was queued
 * before the event was recorded.  An event that was never recorded is complete.
 * It may be recorded repeatedly, and holds a reference to the device.  To order
 * two frames on the device, without a wait of the host, use the `done` event of
 * an image of the first as the `ready` event of an image of the second.
 *
 * stereo_event_wait() returns when the event is complete.  Any thread.  On the
 * CPU events are always complete, and so is NULL.
 */
STEREO_CHECKED STEREO_API StereoStatus stereo_event_new (StereoDevice * device,
    StereoEvent ** event, StereoMessage * why);
STEREO_CHECKED STEREO_API StereoStatus stereo_event_wait (StereoEvent * event,
    StereoMessage * why);
STEREO_API void stereo_event_free (StereoEvent ** event);

/* The level of a log message.  The library calls the function on any thread. */
typedef enum
{
  STEREO_LOG_WARNING,
  STEREO_LOG_INFO,
  STEREO_LOG_DEBUG
} StereoLogLevel;
typedef void (*StereoLogFunction) (StereoLogLevel level, const char *text,
    void *user_data);

/* Sets the log function of the device; NULL, the default, disables the log.
 * Call this before the device is shared. */
STEREO_API void stereo_device_set_log (StereoDevice * device,
    StereoLogFunction function, void *user_data);

/* ---------------------------------------------------------------- matching */

typedef struct StereoMatcher StereoMatcher;

/* The maximum and the default number of frames in flight of one matcher.  When
 * all are, the next frame waits for the oldest.  The CPU has one. */
#define STEREO_MAX_FRAMES 4
#define STEREO_DEFAULT_FRAMES 2

/*
 * The configuration of a matcher.  Initialise it with
 * STEREO_MATCHER_CONFIG_INIT, which sets struct_size and zeroes the rest.  The
 * library ignores colorimetry for formats other than YUV.
 */
typedef struct
{
  uint32_t struct_size;         /* sizeof (StereoMatcherConfig) */
  int width;                    /* of both views, 1 to STEREO_MAX_SIZE pixels */
  int height;
  StereoFormat left;
  StereoFormat right;
  StereoFormat output;          /* GRAY16_LE or GRAY8 */
  StereoColorimetry left_colorimetry;
  StereoColorimetry right_colorimetry;
} StereoMatcherConfig;

#define STEREO_MATCHER_CONFIG_INIT STEREO_INIT_STRUCT (StereoMatcherConfig)

/* The matcher holds a reference to the device. */
STEREO_CHECKED STEREO_API StereoStatus stereo_matcher_new (const
    StereoAlgorithm * algorithm, StereoDevice * device,
    StereoMatcher ** matcher);
STEREO_API void stereo_matcher_free (StereoMatcher ** matcher);

/* Sets the number of frames in flight from the next stereo_matcher_configure()
 * on, clamped to 1 to STEREO_MAX_FRAMES.  Each of them needs device memory and
 * page-locked memory for those of its images that are not on the device. */
STEREO_API void stereo_matcher_set_frames (StereoMatcher * matcher, unsigned
    n_frames);

/*
 * Waits for all frames, then prepares for frames with this configuration and
 * these parameters, both of which it copies.  This is the only call that
 * allocates memory for frames, and only if the existing buffers are too small;
 * on the CPU, the first frame starts the threads.
 *
 * STEREO_ERROR_MEMORY names the bytes needed and the bytes free.  After a
 * failure stereo_matcher_process() fails until the next successful
 * configuration.  STEREO_ERROR_UNSUPPORTED if the program was compiled with a
 * newer header and uses a field that this library does not have.
 */
STEREO_CHECKED STEREO_API StereoStatus stereo_matcher_configure (StereoMatcher
    * matcher, const StereoMatcherConfig * config, const StereoParams * params);

/*
 * Matches one pair of the configured size and formats.  Writes the disparity
 * map of the left view to output, as codes:
 *
 *   GRAY16_LE  (d - min-disparity) * disparity-scale, rounded, up to 65535
 *   GRAY8      (d - min-disparity) * 255 / (num-disparities - 1), rounded
 *
 * Pixels without a disparity get invalid-value.  Other pixels never do: a code
 * that would be the same moves by one.
 *
 * On the CPU the frame is complete on return.  On CUDA it has only started: the
 * caller must keep the images unchanged until stereo_matcher_wait() or
 * stereo_matcher_sync() returns, or until their `done` event completes.  Input
 * images in pageable memory (STEREO_MEMORY_HOST) may be reused on return.
 *
 * frame, unless NULL, gets the number of this frame, starting with 1.
 */
STEREO_CHECKED STEREO_API StereoStatus stereo_matcher_process (StereoMatcher *
    matcher, const StereoImage * left, const StereoImage * right,
    const StereoImage * output, uint64_t * frame);

/* The code of a vertical disparity of 0. */
#define STEREO_VERTICAL_OFFSET 32768

/*
 * Matches one pair and writes several results.  results[r] is the image for
 * StereoResult r, or NULL if it is not wanted; results from n_results on are
 * not wanted.  The disparity is required.  STEREO_ERROR_ARGUMENT for a result
 * that the algorithm does not have.
 *
 *   STEREO_RESULT_DISPARITY   as above
 *   STEREO_RESULT_VERTICAL    GRAY16_LE: v * disparity-scale
 *                             + STEREO_VERTICAL_OFFSET, rounded, 0 to 65535,
 *                             where the match in the right view is v rows
 *                             higher; invalid-value as above
 *   STEREO_RESULT_CONFIDENCE  GRAY8 or GRAY16_LE, which may change from frame
 *                             to frame: 0 to 255 or 0 to 65535 for 0 to 1,
 *                             rounded; has no invalid-value
 */
STEREO_CHECKED STEREO_API StereoStatus stereo_matcher_process_results
    (StereoMatcher * matcher, const StereoImage * left,
    const StereoImage * right, const StereoImage * const *results,
    size_t n_results, uint64_t * frame);

/*
 * Restarts the temporal filter, for example after a cut or a seek.  If the
 * parameter temporal is above 0, a disparity map depends on earlier frames, in
 * the order of processing.  The next frame after this call depends on none.
 * Frames in flight do not change.
 */
STEREO_API void stereo_matcher_reset (StereoMatcher * matcher);

/* Waits until a frame and its results are complete.  Returns at once for frame
 * 0 and for frames that have not been started.  Any thread, even during
 * stereo_matcher_process().  If the device has failed, this call fails, and so
 * does the next one that processes or waits for all frames.  The text goes to
 * that one and to the log. */
STEREO_CHECKED STEREO_API StereoStatus stereo_matcher_wait (StereoMatcher *
    matcher, uint64_t frame);

/* Waits for all frames. */
STEREO_CHECKED STEREO_API StereoStatus stereo_matcher_sync (StereoMatcher *
    matcher);

/* Describes the failure of the last call that configured the matcher, processed
 * a frame or waited for all frames; "" if it succeeded.  Belongs to the matcher
 * and is valid until the next such call.  Never NULL. */
STEREO_API const char *stereo_matcher_error (const StereoMatcher * matcher);

/* Initialise it with STEREO_MATCHER_STATS_INIT, which sets struct_size. */
typedef struct
{
  uint32_t struct_size;         /* sizeof (StereoMatcherStats) */
  uint64_t frames;              /* completed */
  uint64_t last_ns;             /* run time of the last one, with copies */
  uint64_t total_ns;            /* of all of them */
  size_t device_bytes;          /* allocated on the device */
  size_t host_bytes;            /* allocated on the host */
  uint64_t allocations;         /* since stereo_matcher_new() */
} StereoMatcherStats;

#define STEREO_MATCHER_STATS_INIT STEREO_INIT_STRUCT (StereoMatcherStats)

/* Reads the statistics.  A frame counts once it was waited for.  Fields that
 * this library does not have become 0.  Any thread. */
STEREO_CHECKED STEREO_API StereoStatus stereo_matcher_get_stats (StereoMatcher *
    matcher, StereoMatcherStats * stats, StereoMessage * why);

/* Enables per-stage timings for frames that start from now on; off by default.
 * They take a little time in every frame. */
STEREO_API void stereo_matcher_set_profiling (StereoMatcher * matcher,
    bool profiling);

/*
 * The stages of the frame that completed last, in order: "upload", "convert",
 * "half size", "census" or "learned", "mirrored", the algorithm's own stages,
 * "match", "median" or "refine", "temporal" and "download".  Stages that the
 * frame does not have are missing.  "half size" finds the disparities to
 * search, "mirrored" matches with the views exchanged.  Encoding is part of
 * "median" or "refine", or of "match" without them.
 *
 * ns is the time since the end of the previous stage, summed over repetitions.
 * The stages add up to last_ns.  With several frames in flight they include the
 * wait for each other.  name lives as long as the library.  Both may be NULL.
 *
 * Returns false past the last stage, and for a frame without timings.  Any
 * thread.
 */
STEREO_CHECKED STEREO_API bool stereo_matcher_get_stage (StereoMatcher *
    matcher, size_t index, const char **name, uint64_t * ns);

/* -------------------------------------------------------------- operations */

/*
 * Operations on disparity maps:
 *
 *   "depth"   input: the map, GRAY16_LE or GRAY8.  Output: distance along the
 *             optical axis, GRAY16_LE of the same size, in 1 / depth-scale
 *             metres; 0 = unknown.  For views on a cylinder around the
 *             baseline: the distance from it.
 *   "points"  input: the map.  Output: a point cloud, XYZ_F32: the position of
 *             every step-th pixel of every step-th row, in metres, in the axes
 *             of the left camera; NaN = unknown.
 *   "view"    inputs: the left view, the right view (optional), the map.
 *             Output: virtual views in one frame of the same format.  Both
 *             views have the same size and format, with limited range if it is
 *             YUV.  The map has their size divided by 1 to 8 and rounded up.
 *
 * The parameters disparity-scale, min-disparity and invalid-value describe the
 * codes of the map.  depth and points need the focal-length, in pixels, and the
 * baseline, in metres; doffs is the difference of the principal points, in
 * pixels.
 */
typedef struct StereoOperation StereoOperation;

/* The names of the operations; NULL past the last one. */
STEREO_API const char *stereo_operation_name (size_t index);

/* The parameters of an operation; NULL past the last one, and if the name is
 * unknown. */
STEREO_API const StereoParamSpec *stereo_operation_param (const char *name,
    size_t index);

/* Makes an operation with the defaults of its parameters.  It holds a reference
 * to the device. */
STEREO_CHECKED STEREO_API StereoStatus stereo_operation_new (const char *name,
    StereoDevice * device, StereoOperation ** operation, StereoMessage * why);
STEREO_API void stereo_operation_free (StereoOperation ** operation);

/* Set and read parameters as stereo_params_set(), stereo_params_set_text() and
 * stereo_params_get() do.  Changes apply from the next frame on. */
STEREO_CHECKED STEREO_API StereoStatus stereo_operation_set (StereoOperation *
    operation, const char *name, double value, StereoMessage * why);
STEREO_CHECKED STEREO_API StereoStatus stereo_operation_set_text
    (StereoOperation * operation, const char *name, const char *text,
    StereoMessage * why);
STEREO_CHECKED STEREO_API bool stereo_operation_get (const StereoOperation *
    operation, const char *name, double *value);

/* The size of the output for a first input of this size, both 1 to
 * STEREO_MAX_SIZE pixels, with the current parameters.  The output has the same
 * limit: STEREO_ERROR_ARGUMENT for a quilt that would exceed it. */
STEREO_CHECKED STEREO_API StereoStatus stereo_operation_output_size (const
    StereoOperation * operation, int width, int height, int *output_width,
    int *output_height, StereoMessage * why);

/*
 * Runs the operation on one frame, which is complete on return.  inputs[] has
 * the images listed above; those from n_inputs on are missing.  The first frame
 * may allocate memory, and so may the frame after a change of sizes, formats or
 * parameters.
 */
STEREO_CHECKED STEREO_API StereoStatus stereo_operation_process
    (StereoOperation * operation, const StereoImage * const *inputs,
    size_t n_inputs, const StereoImage * output, StereoMessage * why);

/* --------------------------------------------------------------- alignment */

/*
 * Whether corresponding points are on the same row of both views, and what
 * would put them there, measured from the views alone: docs/alignment.md.
 *
 *   StereoAlignment *alignment = NULL;
 *   StereoAlignmentReport report = STEREO_ALIGNMENT_REPORT_INIT;
 *
 *   stereo_alignment_new (&alignment, &why);
 *   stereo_alignment_measure (alignment, device, &left, &right, NULL, NAN,
 *       &why);                                 once, or for pairs of a video
 *   stereo_alignment_get_report (alignment, &report);
 *   puts (report.text);
 *   stereo_alignment_free (&alignment);
 */
typedef struct StereoAlignment StereoAlignment;

typedef enum
{
  STEREO_ALIGNMENT_UNKNOWN = 0, /* too few points match, or too inaccurately */
  STEREO_ALIGNMENT_OK,
  STEREO_ALIGNMENT_OFF,         /* rows differ by more than 0.5 pixels */
  STEREO_ALIGNMENT_SWAPPED,     /* the left view is the right one */
  STEREO_ALIGNMENT_SAME_VIEW,   /* both views are the same image */
  STEREO_ALIGNMENT_NOT_IN_STEP, /* many points match, but fit no cameras: the
                                 * views are probably of different times */
  STEREO_N_ALIGNMENTS
} StereoAlignmentStatus;

/* "unknown", "ok", "off", "swapped", "same-view", "not-in-step"; NULL for an
 * unknown status. */
STEREO_API const char *stereo_alignment_status_name (StereoAlignmentStatus
    status);

/*
 * The last measurement.  It describes the views as they were measured, thus
 * with the correction that had been applied to them.
 *
 * Rows are the row of a point in the right view minus that in the left one, in
 * pixels, over the whole image and the measured disparities.  A sigma is a
 * standard deviation.  Numbers are NAN if nothing could be measured.
 */
typedef struct
{
  uint32_t struct_size;         /* sizeof (StereoAlignmentReport) */
  StereoAlignmentStatus status;
  bool alarm;                   /* the same status, neither ok nor unknown, of
                                 * three measurements in a row */
  unsigned serial;              /* of the correction applied to the views; 0 =
                                 * none */
  unsigned n_matches;
  unsigned n_fitting;           /* that agree with the cameras found */
  double rows_median;           /* of absolute values, pixels */
  double rows_95;               /* exceeded in 5 % of the image */
  double rows_max;
  double rows_sigma;            /* exceeded in 5 % of the image */
  /* Of the right view against the left one; offset in pixels and others as
   * seen at the image centre, positive if the right view is lower, turned
   * clockwise, or larger. */
  double offset;                /* pixels */
  double offset_sigma;
  double roll;                  /* degrees */
  double roll_sigma;
  double zoom;                  /* ratio of the focal lengths - 1 */
  double zoom_sigma;
  double keystone;              /* rotation about the vertical axis, degrees */
  double keystone_sigma;
  double disparity_sigma;       /* of a common offset of all disparities that
                                 * the rotation causes, pixels */
  double contrast;              /* ratio right / left */
  double brightness;            /* difference of the means, grey levels */
  double sharpness;             /* ratio right / left */
  double min_disparity;         /* of 96 % of the points, pixels */
  double max_disparity;
  char text[512];               /* what it means and what to do: sentences */
} StereoAlignmentReport;

#define STEREO_ALIGNMENT_REPORT_INIT STEREO_INIT_STRUCT (StereoAlignmentReport)

/* The parameters of a correction: StereoCorrection.values[]. */
typedef enum
{
  STEREO_CORRECTION_PITCH = 0,  /* rotation, right against left, radians: */
  STEREO_CORRECTION_YAW,        /* about the x, y and z axes of a camera, */
  STEREO_CORRECTION_ROLL,       /* x right, y down, z forward */
  STEREO_CORRECTION_ZOOM,       /* log of the ratio of focal lengths */
  STEREO_CORRECTION_COMMON_ROLL,        /* rotation of both views, radians */
  STEREO_CORRECTION_COMMON_YAW,
  STEREO_CORRECTION_FOCAL,      /* log of the focal length / focal_length */
  STEREO_CORRECTION_OFFSET,     /* of the principal points, in y, pixels */
  STEREO_CORRECTION_K1,         /* radial distortion, right against left */
  STEREO_CORRECTION_COMMON_K1,
  STEREO_N_CORRECTIONS
} StereoCorrectionParam;

/* A correction of both views: points of both are on the same row afterwards,
 * and the image centre keeps its disparity.  All values 0: no change. */
typedef struct
{
  unsigned serial;              /* counts changes; 0 = none */
  int width;                    /* of the views, pixels */
  int height;
  double focal_length;          /* that values are relative to, pixels */
  double values[STEREO_N_CORRECTIONS];
} StereoCorrection;

STEREO_CHECKED STEREO_API StereoStatus stereo_alignment_new (StereoAlignment **
    alignment, StereoMessage * why);
STEREO_API void stereo_alignment_free (StereoAlignment ** alignment);

/* Forgets all pairs and the correction.  Serials go on. */
STEREO_API void stereo_alignment_reset (StereoAlignment * alignment);

/* The focal length of the views, in pixels, if it is known; 0 (default) = 0.9
 * widths, +- 25 %.  Measuring fails if it is not from 0.1 to 100 widths.  A new
 * value resets the state. */
STEREO_CHECKED STEREO_API StereoStatus stereo_alignment_set_focal_length
    (StereoAlignment * alignment, double focal_length, StereoMessage * why);

/*
 * Measures a pair of views of any format and the same size, in host memory or
 * in memory of the device, and adds it to the state.  Complete on return.
 *
 * applied: the correction that the views have; NULL = none.
 * seconds: the time of the pair; NAN = 0.1 s after the previous one.
 */
STEREO_CHECKED STEREO_API StereoStatus stereo_alignment_measure
    (StereoAlignment * alignment, StereoDevice * device,
    const StereoImage * left, const StereoImage * right,
    const StereoCorrection * applied, double seconds, StereoMessage * why);

/* Fills report->struct_size bytes; does nothing unless
 * STEREO_ALIGNMENT_REPORT_INIT has set it.  Before the first pair, the status
 * is unknown. */
STEREO_API void stereo_alignment_get_report (const StereoAlignment * alignment,
    StereoAlignmentReport * report);

/* A point of both views, in pixels. */
typedef struct
{
  double x;                     /* in the left view */
  double y;
  double dx;                    /* to its position in the right view */
  double dy;
  bool fits;                    /* agrees with the cameras found; otherwise it
                                 * is probably a wrong match */
} StereoAlignmentPoint;

/* Writes the points that match in the last pair measured, at most n_points, in
 * the views as they were measured.  Returns the number of all of them; points
 * may be NULL. */
STEREO_API size_t stereo_alignment_get_points (const StereoAlignment *
    alignment, StereoAlignmentPoint * points, size_t n_points);

/* The correction that all pairs ask for; all 0 while rows are off by less than
 * 0.25 pixels (0.15 once they are corrected), or by less than can be trusted.
 * When a row would move by more than 0.15 pixels, the correction approaches its
 * new values in steps of one pair each.  Each step has the next serial, and so
 * has a reset.  Before the first pair the correction has no size, which stands
 * for no change, too. */
STEREO_API void stereo_alignment_get_correction (const StereoAlignment *
    alignment, StereoCorrection * correction);

/* Starts with a correction from an earlier run.  Its serial is replaced by the
 * next one. */
STEREO_CHECKED STEREO_API StereoStatus stereo_alignment_set_correction
    (StereoAlignment * alignment, const StereoCorrection * correction,
    StereoMessage * why);

/* Room for any correction as text. */
#define STEREO_CORRECTION_TEXT_SIZE 512

/* Writes "width=640:height=480:focal-length=576:pitch=0.001:...", in any locale
 * ("" without a size).  Parsing it gives the same values, without a serial. */
STEREO_API void stereo_correction_format (const StereoCorrection * correction,
    char text[STEREO_CORRECTION_TEXT_SIZE]);

/* Missing values are 0, without a focal length 0.9 widths; width and height are
 * required.  Limits: rotations 0.5, zoom and focal 0.5, offset a tenth of the
 * width, distortion 1. */
STEREO_CHECKED STEREO_API StereoStatus stereo_correction_parse (const char
    *text, StereoCorrection * correction, StereoMessage * why);

/* Room for any correction as a file. */
#define STEREO_CORRECTION_FILE_SIZE 4096

/* Writes the correction as a calibration file of OpenCV (YAML), which
 * stereorectify reads ("" without a size, and outside of the limits): two
 * cameras with rectifying rotations and projections, without a baseline.
 * Positions are within 0.05 pixels of stereo_correction_source() for |k1| up to
 * 0.05, 0.2 up to 0.3. */
STEREO_API void stereo_correction_format_opencv (const StereoCorrection *
    correction, char text[STEREO_CORRECTION_FILE_SIZE]);

/* The position in the view that pixel (u, v) of the corrected view shows; NAN
 * for a correction outside of the limits.  right: false = left view.  Any
 * thread. */
STEREO_API void stereo_correction_source (const StereoCorrection * correction,
    bool right, double u, double v, double *x, double *y);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_H */
