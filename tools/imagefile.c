/* gst-stereomatching: image files
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "imagefile.h"
#include "cli.h"
#include "jpeg.h"
#include "outputfile.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The largest image as a colour PFM file, with its header. */
#define MAX_FILE_SIZE \
  ((size_t) STEREO_MAX_SIZE * STEREO_MAX_SIZE * 3 * 4 + 4096)

/* Bytes of a path in a message: the last ones, which name the file. */
#define SHOWN_PATH 300

bool
image_fail (StereoMessage * why, const char *path, const char *text, ...)
{
  const size_t length = strlen (path), capacity = sizeof (why->text);
  const size_t skipped = length > SHOWN_PATH ? length - SHOWN_PATH : 0;
  int used = snprintf (why->text, capacity, "%s%s: ",
      skipped > 0 ? "..." : "", path + skipped);
  va_list arguments;

  va_start (arguments, text);
  if (used > 0 && (size_t) used < capacity)
    vsnprintf (why->text + used, capacity - (size_t) used, text, arguments);
  va_end (arguments);
  return false;
}

/* The byte order of PFM and 16-bit samples. */
static bool
host_is_little (void)
{
  const uint16_t one = 1;

  return *(const uint8_t *) &one == 1;
}

static bool
check_size (const char *name, long width, long height, StereoMessage * why)
{
  if (width < 1 || height < 1 || width > STEREO_MAX_SIZE
      || height > STEREO_MAX_SIZE)
    return image_fail (why, name, "expected 1x1 to %dx%d pixels, got %ldx%ld",
        STEREO_MAX_SIZE, STEREO_MAX_SIZE, width, height);
  return true;
}

static size_t
image_samples (const Image * image)
{
  return (size_t) image->width * (size_t) image->height
      * (size_t) image->channels;
}

static bool
allocate_image (const char *name, Image * image, StereoMessage * why)
{
  image->data = calloc (image_samples (image), (size_t) image->type);
  if (image->data == NULL)
    return image_fail (why, name, "no memory for %dx%d pixels", image->width,
        image->height);
  return true;
}

void
image_clear (Image * image)
{
  free (image->data);
  memset (image, 0, sizeof (*image));
}

/* --------------------------------------------------------------------- PNG */

typedef struct
{
  const uint8_t *bytes;
  size_t size;
  size_t position;
  char error[128];
} PngState;

static void
png_failed (png_structp png, png_const_charp text)
{
  PngState *state = png_get_error_ptr (png);

  snprintf (state->error, sizeof (state->error), "%s", text);
  png_longjmp (png, 1);
}

static void
png_warned (png_structp png, png_const_charp text)
{
  (void) png;
  (void) text;
}

static void
png_get_bytes (png_structp png, png_bytep target, size_t n)
{
  PngState *state = png_get_io_ptr (png);

  if (n > state->size - state->position)
    png_error (png, "the file is cut off");
  memcpy (target, state->bytes + state->position, n);
  state->position += n;
}

/* image->data and *rows stay allocated when this fails. */
static bool
png_decode (png_structp png, png_infop info, Image * image, png_bytepp * rows)
{
  int depth;
  size_t stride;

  if (setjmp (png_jmpbuf (png)))
    return false;

  png_set_user_limits (png, STEREO_MAX_SIZE, STEREO_MAX_SIZE);
  png_read_info (png, info);
  png_set_expand (png);
  png_set_strip_alpha (png);
  if (host_is_little ())
    png_set_swap (png);
  (void) png_set_interlace_handling (png);
  png_read_update_info (png, info);

  image->width = (int) png_get_image_width (png, info);
  image->height = (int) png_get_image_height (png, info);
  image->channels = png_get_channels (png, info);
  depth = png_get_bit_depth (png, info);
  image->type = depth == 16 ? IMAGE_U16 : IMAGE_U8;
  image->maximum = depth == 16 ? 65535 : 255;
  stride = (size_t) image->width * (size_t) image->channels
      * (size_t) image->type;
  if ((image->channels != 1 && image->channels != 3)
      || png_get_rowbytes (png, info) != stride)
    png_error (png, "an unknown kind of pixel");

  image->data = calloc ((size_t) image->height, stride);
  *rows = malloc ((size_t) image->height * sizeof (**rows));
  if (image->data == NULL || *rows == NULL)
    png_error (png, "no memory for its pixels");
  for (int y = 0; y < image->height; y++)
    (*rows)[y] = (png_bytep) image->data + (size_t) y *stride;
  png_read_image (png, *rows);
  png_read_end (png, NULL);
  return true;
}

static bool
parse_png (const char *name, const uint8_t * bytes, size_t size, Image * image,
    StereoMessage * why)
{
  PngState state = { bytes, size, 0, "out of memory" };
  png_structp png = png_create_read_struct (PNG_LIBPNG_VER_STRING, &state,
      png_failed, png_warned);
  png_infop info = png != NULL ? png_create_info_struct (png) : NULL;
  png_bytepp rows = NULL;
  bool good = false;

  if (info != NULL) {
    png_set_read_fn (png, &state, png_get_bytes);
    good = png_decode (png, info, image, &rows);
  }
  png_destroy_read_struct (&png, &info, NULL);
  free (rows);
  if (!good) {
    image_clear (image);
    return image_fail (why, name, "is not a valid PNG file: %s", state.error);
  }
  return true;
}

/* ------------------------------------------------------------- PNM and PFM */

typedef struct
{
  const uint8_t *at;
  const uint8_t *end;
} Text;

static bool
is_space (uint8_t c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Blanks, and comments from '#' to the end of the line. */
static void
skip_blanks (Text * text)
{
  while (text->at < text->end && (is_space (*text->at) || *text->at == '#')) {
    if (*text->at == '#') {
      while (text->at < text->end && *text->at != '\n' && *text->at != '\r')
        text->at++;
    } else {
      text->at++;
    }
  }
}

/* An integer up to 99999, or -1. */
static long
next_number (Text * text)
{
  long value = 0;
  bool any = false;

  skip_blanks (text);
  while (text->at < text->end && *text->at >= '0' && *text->at <= '9') {
    value = value * 10 + (*text->at++ - '0');
    any = true;
    if (value > 99999)
      return -1;
  }
  return any ? value : -1;
}

/* The one blank between header and samples, or a line end of two bytes, which
 * programs on Windows write. */
static bool
end_header (Text * text)
{
  if (text->at >= text->end || !is_space (*text->at))
    return false;
  if (text->end - text->at > 1 && text->at[0] == '\r' && text->at[1] == '\n')
    text->at++;
  text->at++;
  return true;
}

static bool
fail_cut_off (const char *name, const Text * text, size_t needed,
    StereoMessage * why)
{
  return image_fail (why, name,
      "is cut off: expected %zu bytes of pixels, got %zu",
      needed, (size_t) (text->end - text->at));
}

static bool
parse_plain (const char *name, Text * text, Image * image, StereoMessage * why)
{
  size_t n = image_samples (image);

  /* a digit and a blank each; checked before memory is allocated */
  if ((size_t) (text->end - text->at) < 2 * n - 1)
    return fail_cut_off (name, text, 2 * n - 1, why);
  if (!allocate_image (name, image, why))
    return false;
  for (size_t i = 0; i < n; i++) {
    long value = next_number (text);

    if (value < 0 || value > (long) image->maximum) {
      image_clear (image);
      return image_fail (why, name, text->at >= text->end && value < 0 ?
          "is cut off: sample %zu of %zu is missing" :
          "sample %zu of %zu is not a number from 0 to the maximum", i + 1, n);
    }
    if (image->type == IMAGE_U8)
      ((uint8_t *) image->data)[i] = (uint8_t) value;
    else
      ((uint16_t *) image->data)[i] = (uint16_t) value;
  }
  return true;
}

static bool
parse_pnm (const char *name, const uint8_t * bytes, size_t size, Image * image,
    StereoMessage * why)
{
  Text text = { bytes + 2, bytes + size };
  long width = next_number (&text), height = next_number (&text);
  long maximum = next_number (&text);
  size_t n, needed;

  if (width < 0 || height < 0 || maximum < 0 || !end_header (&text))
    return image_fail (why, name, "has an invalid header: expected "
        "'P%c WIDTH HEIGHT MAXIMUM'", bytes[1]);
  if (!check_size (name, width, height, why))
    return false;
  if (maximum < 1 || maximum > 65535)
    return image_fail (why, name, "has a maximum of %ld; expected 1 to 65535",
        maximum);

  image->width = (int) width;
  image->height = (int) height;
  image->channels = bytes[1] == '3' || bytes[1] == '6' ? 3 : 1;
  image->maximum = (unsigned) maximum;
  image->type = maximum > 255 ? IMAGE_U16 : IMAGE_U8;
  if (bytes[1] == '2' || bytes[1] == '3')
    return parse_plain (name, &text, image, why);

  n = image_samples (image);
  needed = n * (size_t) image->type;
  if ((size_t) (text.end - text.at) < needed)
    return fail_cut_off (name, &text, needed, why);
  if (!allocate_image (name, image, why))
    return false;
  for (size_t i = 0; i < n; i++) {
    unsigned value;

    if (image->type == IMAGE_U8) {
      value = ((uint8_t *) image->data)[i] = text.at[i];
    } else {
      /* the high byte comes first */
      value = (unsigned) text.at[2 * i] << 8 | text.at[2 * i + 1];
      ((uint16_t *) image->data)[i] = (uint16_t) value;
    }
    if (value > image->maximum) {
      image_clear (image);
      return image_fail (why, name, "sample %zu is %u, above its maximum %ld",
          i + 1, value, maximum);
    }
  }
  return true;
}

/* The fourth word of a PFM header; 0 if it is not a valid number. */
static double
next_scale (Text * text)
{
  char word[32];
  char *end;
  size_t n = 0;
  double scale;

  while (text->at < text->end && is_space (*text->at))
    text->at++;
  while (text->at < text->end && !is_space (*text->at)
      && n < sizeof (word) - 1)
    word[n++] = (char) *text->at++;
  word[n] = '\0';
  scale = strtod (word, &end);
  return n > 0 && *end == '\0' && isfinite (scale) ? scale : 0;
}

/* The sign of the scale is the byte order.  The factor is ignored: disparity
 * maps are in pixels. */
static bool
parse_pfm (const char *name, const uint8_t * bytes, size_t size, Image * image,
    StereoMessage * why)
{
  Text text = { bytes + 2, bytes + size };
  long width = next_number (&text), height = next_number (&text);
  double scale = next_scale (&text);
  size_t row, needed;
  bool swap;

  if (width < 0 || height < 0 || scale == 0 || !end_header (&text))
    return image_fail (why, name, "has an invalid header: expected "
        "'P%c WIDTH HEIGHT SCALE'", bytes[1]);
  if (!check_size (name, width, height, why))
    return false;

  image->width = (int) width;
  image->height = (int) height;
  image->channels = bytes[1] == 'F' ? 3 : 1;
  image->maximum = 0;
  image->type = IMAGE_FLOAT;
  needed = image_samples (image) * sizeof (float);
  if ((size_t) (text.end - text.at) < needed)
    return fail_cut_off (name, &text, needed, why);
  if (!allocate_image (name, image, why))
    return false;

  swap = (scale < 0) != host_is_little ();
  row = needed / (size_t) height;
  for (long y = 0; y < height; y++) {
    /* from bottom to top */
    const uint8_t *source = text.at + row * (size_t) (height - 1 - y);
    uint8_t *target = (uint8_t *) image->data + row * (size_t) y;

    memcpy (target, source, row);
    for (size_t i = 0; swap && i < row; i += 4) {
      for (size_t b = 0; b < 4; b++)
        target[i + b] = source[i + 3 - b];
    }
  }
  return true;
}

/* ----------------------------------------------------------------- reading */

typedef bool (*ImageParser) (const char *name, const uint8_t * bytes,
    size_t size, Image * image, StereoMessage * why);

/* Bytes that identify a format. */
#define SIGNATURE_SIZE 4

/* The parser of the content; NULL = unknown. */
static ImageParser
find_parser (const uint8_t * bytes, size_t size)
{
  if (size >= 4 && memcmp (bytes, "\x89PNG", 4) == 0)
    return parse_png;
  if (size >= 3 && bytes[0] == 'P' && bytes[1] != '\0'
      && strchr ("2356", bytes[1]) != NULL)
    return parse_pnm;
  if (size >= 3 && bytes[0] == 'P' && (bytes[1] == 'f' || bytes[1] == 'F'))
    return parse_pfm;
  if (size >= 3 && memcmp (bytes, "\xff\xd8\xff", 3) == 0)
    return jpeg_parse;
  return NULL;
}

bool
image_parse (const char *name, const uint8_t * bytes, size_t size,
    Image * image, StereoMessage * why)
{
  const ImageParser parse = find_parser (bytes, size);
  Image result;

  memset (&result, 0, sizeof (result));
  if (size == 0)
    return image_fail (why, name, "is empty");
  if (parse == NULL)
    return image_fail (why, name, "is none of PNG, JPEG, PGM, PPM and PFM");
  if (!parse (name, bytes, size, &result, why))
    return false;
  *image = result;
  return true;
}

bool
image_is_likely (const char *path)
{
  uint8_t bytes[SIGNATURE_SIZE];
  struct stat info;
  size_t size;
  FILE *file;

  if (stat (path, &info) != 0 || !S_ISREG (info.st_mode) || info.st_size == 0
      || (file = fopen (path, "rb")) == NULL)
    return true;
  size = fread (bytes, 1, sizeof (bytes), file);
  fclose (file);
  return find_parser (bytes, size) != NULL;
}

/* The whole file; *bytes is for free(). */
static bool
read_file (const char *path, uint8_t ** bytes, size_t *size,
    StereoMessage * why)
{
  FILE *file = fopen (path, "rb");
  struct stat status;
  uint8_t *data = NULL;
  size_t capacity = 0, used = 0, n;

  if (file == NULL)
    return image_fail (why, path, "cannot be opened: %s", strerror (errno));
  if (fstat (fileno (file), &status) != 0 || S_ISCHR (status.st_mode)
      || S_ISBLK (status.st_mode) || S_ISDIR (status.st_mode)) {
    fclose (file);
    return image_fail (why, path, "is not a file");
  }
  /* one more byte, to detect the end */
  if (S_ISREG (status.st_mode) && status.st_size > 0
      && (uint64_t) status.st_size < MAX_FILE_SIZE)
    capacity = (size_t) status.st_size + 1;
  else
    capacity = 65536;

  do {
    uint8_t *larger = NULL;

    if (used == capacity)
      capacity *= 2;
    if (capacity < 2 * MAX_FILE_SIZE)
      larger = realloc (data, capacity);
    if (larger == NULL) {
      free (data);
      fclose (file);
      return image_fail (why, path, capacity < 2 * MAX_FILE_SIZE
          ? "needs more memory than there is" : "is too large");
    }
    data = larger;
    n = fread (data + used, 1, capacity - used, file);
    used += n;
  } while (n > 0);

  if (ferror (file)) {
    int error = errno;

    free (data);
    fclose (file);
    return image_fail (why, path, "cannot be read: %s", strerror (error));
  }
  fclose (file);
  *bytes = data;
  *size = used;
  return true;
}

bool
image_read (const char *path, Image * image, StereoMessage * why)
{
  uint8_t *bytes = NULL;
  size_t size = 0;
  bool good;

  if (!read_file (path, &bytes, &size, why))
    return false;
  good = image_parse (path, bytes, size, image, why);
  free (bytes);
  return good;
}

bool
image_reduce (const char *name, Image * image, StereoMessage * why)
{
  size_t n = image_samples (image);
  uint8_t *target = image->data;

  if (image->type == IMAGE_FLOAT)
    return image_fail (why, name,
        "is a PFM file; expected a view in PNG, JPEG, PGM or PPM");
  if (image->maximum == 255)
    return true;

  for (size_t i = 0; i < n; i++) {
    unsigned value = image->type == IMAGE_U8 ? target[i]
        : ((const uint16_t *) image->data)[i];

    /* in place: the target is never ahead of the source */
    target[i] = (uint8_t) (image->maximum == 65535 ? value >> 8
        : (value * 255 + image->maximum / 2) / image->maximum);
  }
  image->type = IMAGE_U8;
  image->maximum = 255;
  return true;
}

/* Samples of 10 or 12 bits that were not shifted left have at most 16 values
 * in their high bytes. */
static void
warn_of_low_samples (const char *path, const Image * image)
{
  const uint16_t *samples = image->data;
  uint16_t largest = 0;

  if (image->type != IMAGE_U16 || image->maximum != 65535)
    return;
  for (size_t i = 0; i < image_samples (image); i++)
    if (samples[i] > largest)
      largest = samples[i];
  if (largest == 0 || largest > 4095)
    return;
  cli_progress_end ();
  fprintf (stderr, "warning: %s: has 16 bits without a value above 4095, and "
      "only the high byte is used: shift samples of 10 or 12 bits left\n",
      path);
}

bool
image_read_view (const char *path, Image * image, StereoMessage * why)
{
  if (!image_read (path, image, why))
    return false;
  warn_of_low_samples (path, image);
  if (image_reduce (path, image, why))
    return true;
  image_clear (image);
  return false;
}

StereoImage
image_wrap (const Image * image)
{
  return (StereoImage) {
    .format = image->channels == 3 ? STEREO_FORMAT_RGB : STEREO_FORMAT_GRAY8,
    .width = image->width,
    .height = image->height,
    .plane = {image->data},
    .stride = {(size_t) image->channels * (size_t) image->width},
  };
}

static float
sample (const Image * image, size_t i)
{
  switch (image->type) {
    case IMAGE_U8:
      return ((const uint8_t *) image->data)[i];
    case IMAGE_U16:
      return ((const uint16_t *) image->data)[i];
    case IMAGE_FLOAT:
      break;
  }
  return ((const float *) image->data)[i];
}

bool
image_to_map (const char *name, const Image * image, double scale,
    double invalid, float **map, StereoMessage * why)
{
  size_t n = (size_t) image->width * (size_t) image->height;
  size_t channels = (size_t) image->channels;
  /* samples are floats: 0.1 is not one */
  const float none = (float) invalid;
  float *result = malloc (n * sizeof (*result));

  if (result == NULL)
    return image_fail (why, name, "no memory for its disparities");
  for (size_t i = 0; i < n; i++) {
    float value = sample (image, i * channels);

    for (size_t c = 1; c < channels; c++) {
      float other = sample (image, i * channels + c);

      if (other != value && !(isnan (other) && isnan (value))) {
        free (result);
        return image_fail (why, name,
            "is in colour; expected a map or a mask with one channel");
      }
    }
    result[i] = isfinite (value) && value != none ?
        (float) (value / scale) : NAN;
  }
  *map = result;
  return true;
}

bool
image_read_map (const char *path, double scale, const char *option,
    const double *invalid, int *width, int *height, float **map,
    StereoMessage * why)
{
  double code;
  Image image;
  bool good;

  if (!image_read (path, &image, why))
    return false;
  if ((*width != 0 && image.width != *width) || (*height != 0
          && image.height != *height)) {
    good = image_fail (why, path, "expected %dx%d pixels, got %dx%d", *width,
        *height, image.width, image.height);
  } else if (image.lossy) {
    good = image_fail (why, path, "is a JPEG file, which does not keep values; "
        "expected a map or a mask as PFM, PNG or PGM");
  } else if (scale == 0 && image.type == IMAGE_U8) {
    good = image_fail (why, path, "has 8 bits: set the scale, in levels per "
        "pixel of disparity (%s)", option);
  } else {
    if (scale == 0)
      scale = image.type == IMAGE_FLOAT ? 1 : 256;
    code = invalid != NULL ? *invalid : image.type == IMAGE_FLOAT ? NAN : 0;
    good = image_to_map (path, &image, scale, code, map, why);
  }
  if (good) {
    *width = image.width;
    *height = image.height;
  }
  image_clear (&image);
  return good;
}

/* ----------------------------------------------------------------- writing */

/* png_init_io() would pass the stream of one C library to that of libpng, which
 * may be another one on Windows. */
static void
png_put_bytes (png_structp png, png_bytep bytes, size_t n)
{
  if (fwrite (bytes, 1, n, png_get_io_ptr (png)) != n)
    png_error (png, "Write Error");
}

static void
png_flush_bytes (png_structp png)
{
  fflush (png_get_io_ptr (png));
}

static bool
png_encode (png_structp png, png_infop info, FILE * file, int width,
    int height, int depth, int channels, const uint8_t * data)
{
  if (setjmp (png_jmpbuf (png)))
    return false;

  png_set_write_fn (png, file, png_put_bytes, png_flush_bytes);
  png_set_IHDR (png, info, (png_uint_32) width, (png_uint_32) height, depth,
      channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
      PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
      PNG_FILTER_TYPE_DEFAULT);
  png_write_info (png, info);
  if (depth == 16 && host_is_little ())
    png_set_swap (png);
  for (int y = 0; y < height; y++)
    png_write_row (png, data
        + (size_t) y * (size_t) (width * channels * (depth / 8)));
  png_write_end (png, NULL);
  return true;
}

static bool
write_png (const char *path, int width, int height, int depth, int channels,
    const uint8_t * data, StereoMessage * why)
{
  PngState state = { NULL, 0, 0, "out of memory" };
  OutputFile file;
  png_structp png;
  png_infop info;
  bool good = false;

  if (!output_file_open (&file, path, why))
    return false;
  png = png_create_write_struct (PNG_LIBPNG_VER_STRING, &state, png_failed,
      png_warned);
  info = png != NULL ? png_create_info_struct (png) : NULL;
  if (info != NULL)
    good = png_encode (png, info, file.stream, width, height, depth, channels,
        data);
  png_destroy_write_struct (&png, &info);
  return output_file_close (&file, good, state.error, why);
}

bool
image_write_png16 (const char *path, int width, int height,
    const uint16_t * data, StereoMessage * why)
{
  return write_png (path, width, height, 16, 1, (const uint8_t *) data, why);
}

bool
image_write_png_rgb (const char *path, int width, int height,
    const uint8_t * data, StereoMessage * why)
{
  return write_png (path, width, height, 8, 3, data, why);
}

bool
image_write_pfm (const char *path, int width, int height, const float *data,
    StereoMessage * why)
{
  OutputFile file;
  uint8_t *row;
  bool good;

  if (!output_file_open (&file, path, why))
    return false;
  row = malloc ((size_t) width * 4);
  if (row == NULL)
    return output_file_close (&file, false, "out of memory", why);
  good = fprintf (file.stream, "Pf\n%d %d\n-1.0\n", width, height) > 0;
  for (int y = height - 1; good && y >= 0; y--) {
    for (int x = 0; x < width; x++) {
      float value = data[(size_t) y * (size_t) width + (size_t) x];
      uint32_t bits;

      if (!isfinite (value))
        value = INFINITY;
      memcpy (&bits, &value, 4);
      for (int b = 0; b < 4; b++)
        row[4 * x + b] = (uint8_t) (bits >> 8 * b);
    }
    good = fwrite (row, 4, (size_t) width, file.stream) == (size_t) width;
  }
  free (row);
  return output_file_close (&file, good, NULL, why);
}
