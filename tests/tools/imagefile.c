/* gst-stereomatching: tests of image files
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Files are made here byte by byte, PNG files with libpng's own writer. */

#include "imagefile.h"
#include "outputfile.h"
#include "test.h"

#include <fcntl.h>
#include <math.h>
#include <png.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A file in memory. */
typedef struct
{
  uint8_t *bytes;
  size_t size;
} File;

static void
append (File * file, const void *bytes, size_t n)
{
  file->bytes = realloc (file->bytes, file->size + n + 1);
  REQUIRE (file->bytes != NULL);
  memcpy (file->bytes + file->size, bytes, n);
  file->size += n;
}

static File
file_from_text (const char *text, const void *bytes, size_t n)
{
  File file = { NULL, 0 };

  append (&file, text, strlen (text));
  append (&file, bytes, n);
  return file;
}

static void
png_append (png_structp png, png_bytep bytes, size_t n)
{
  append (png_get_io_ptr (png), bytes, n);
}

static void
png_flush_nothing (png_structp png)
{
  (void) png;
}

/* 5x3 pixels, rows of `stride` bytes in file order. */
static File
make_png (int depth, int color, bool interlaced, const uint8_t * rows,
    size_t stride)
{
  static const png_color palette[4] = {
    {10, 10, 10}, {200, 200, 200}, {1, 2, 3}, {255, 0, 128}
  };
  static const uint8_t opacity[4] = { 0, 255, 128, 7 };
  File file = { NULL, 0 };
  png_structp png = png_create_write_struct (PNG_LIBPNG_VER_STRING, NULL, NULL,
      NULL);
  png_infop info = png_create_info_struct (png);
  png_bytep pointers[3];

  REQUIRE (png != NULL && info != NULL);
  if (setjmp (png_jmpbuf (png)))
    REQUIRE (!"libpng writes");
  png_set_write_fn (png, &file, png_append, png_flush_nothing);
  png_set_IHDR (png, info, 5, 3, depth, color,
      interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
      PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (color == PNG_COLOR_TYPE_PALETTE) {
    png_set_PLTE (png, info, palette, 4);
    png_set_tRNS (png, info, opacity, 4, NULL);
  }
  for (size_t y = 0; y < 3; y++)
    pointers[y] = (png_bytep) (rows + y * stride);
  png_set_rows (png, info, pointers);
  png_write_png (png, info, PNG_TRANSFORM_IDENTITY, NULL);
  png_destroy_write_struct (&png, &info);
  return file;
}

static unsigned
sample (const Image * image, int i)
{
  return image->type == IMAGE_U8 ? ((uint8_t *) image->data)[i]
      : ((uint16_t *) image->data)[i];
}

/* Parses a file that is fine. */
static Image
parse (const File * file)
{
  StereoMessage why = { "" };
  Image image;
  bool good = image_parse ("file", file->bytes, file->size, &image, &why);

  if (!good)
    fprintf (stderr, "%s\n", why.text);
  REQUIRE (good);
  return image;
}

/* Parses a file that is not. */
static void
refuse (const void *bytes, size_t size, const char *part)
{
  StereoMessage why = { "" };
  Image image;
  bool good;

  image.width = 123;
  good = image_parse ("some.file", bytes, size, &image, &why);
  CHECK (!good);
  if (good) {
    image_clear (&image);
    return;
  }
  CHECK_INT (image.width, ==, 123);
  CHECK_CONTAINS (why.text, "some.file: ");
  CHECK_CONTAINS (why.text, part);
  CHECK (strchr (why.text, '\n') == NULL);
}

static void
refuse_text (const char *text, const char *part)
{
  /* on the heap, where reading past the end is seen */
  size_t n = strlen (text);
  char *copy = malloc (n + 1);

  REQUIRE (copy != NULL);
  memcpy (copy, text, n);
  copy = realloc (copy, n > 0 ? n : 1);
  REQUIRE (copy != NULL);
  refuse (copy, n, part);
  free (copy);
}

/* No beginning of a file is a file; margin: what may be cut off the end. */
static void
refuse_beginnings (const File * file, size_t margin)
{
  for (size_t n = 0; n + margin < file->size; n++) {
    uint8_t *copy = malloc (n > 0 ? n : 1);

    REQUIRE (copy != NULL);
    memcpy (copy, file->bytes, n);
    refuse (copy, n, "");
    free (copy);
  }
}

static uint32_t random_state = 1;

static uint32_t
next_random (void)
{
  random_state = random_state * 1664525 + 1013904223;
  return random_state >> 8;
}

/* Damaged files are refused or read, whatever the sanitizers can find. */
static void
damage (const File * file)
{
  for (int round = 0; round < 400; round++) {
    uint8_t *copy = malloc (file->size);
    StereoMessage why = { "" };
    Image image;

    REQUIRE (copy != NULL);
    memcpy (copy, file->bytes, file->size);
    for (int i = 0; i < 1 + round % 4; i++)
      copy[next_random () % file->size] = (uint8_t) next_random ();
    if (image_parse ("damaged", copy, file->size, &image, &why)) {
      CHECK_INT (image.width, >=, 1);
      CHECK_INT (image.width, <=, STEREO_MAX_SIZE);
      CHECK (image.channels == 1 || image.channels == 3);
      image_clear (&image);
    } else {
      CHECK_CONTAINS (why.text, "damaged: ");
    }
    free (copy);
  }
}

static void
check_png (int depth, int color, int channels, int file_channels)
{
  uint8_t rows[3 * 5 * 4 * 2];
  size_t bytes = (size_t) depth / 8;
  size_t stride = 5 * (size_t) file_channels * bytes;

  for (size_t i = 0; i < sizeof (rows); i++)
    rows[i] = (uint8_t) (i * 37 + 11);
  for (int interlaced = 0; interlaced < 2; interlaced++) {
    File file = make_png (depth, color, interlaced, rows, stride);
    Image image = parse (&file);

    CHECK_INT (image.width, ==, 5);
    CHECK_INT (image.height, ==, 3);
    CHECK_INT (image.channels, ==, channels);
    CHECK_INT (image.type, ==, bytes);
    CHECK_INT (image.maximum, ==, depth == 16 ? 65535 : 255);
    for (int p = 0; p < 15; p++) {
      for (int c = 0; c < channels; c++) {
        const uint8_t *s = rows + (size_t) (p * file_channels + c) * bytes;

        CHECK_INT (sample (&image, p * channels + c), ==,
            bytes == 2 ? s[0] << 8 | s[1] : s[0]);
      }
    }
    image_clear (&image);
    refuse_beginnings (&file, 0);
    damage (&file);
    free (file.bytes);
  }
}

TEST (test_png)
{
  check_png (8, PNG_COLOR_TYPE_GRAY, 1, 1);
  check_png (16, PNG_COLOR_TYPE_GRAY, 1, 1);
  check_png (8, PNG_COLOR_TYPE_RGB, 3, 3);
  check_png (16, PNG_COLOR_TYPE_RGB, 3, 3);
  check_png (8, PNG_COLOR_TYPE_RGB_ALPHA, 3, 4);
  check_png (16, PNG_COLOR_TYPE_GRAY_ALPHA, 1, 2);
}

TEST (test_png_small_samples)
{
  /* 0 1 2 3 0, 3 2 1 0 3, 1 1 1 1 1 in two bits each */
  static const uint8_t two[] = { 0x1b, 0x00, 0xe4, 0xc0, 0x55, 0x40 };
  static const int index[] = { 0, 1, 2, 3, 0, 3, 2, 1, 0, 3, 1, 1, 1, 1, 1 };
  static const uint8_t colors[4][3] = {
    {10, 10, 10}, {200, 200, 200}, {1, 2, 3}, {255, 0, 128}
  };
  File grey = make_png (2, PNG_COLOR_TYPE_GRAY, false, two, 2);
  File palette = make_png (2, PNG_COLOR_TYPE_PALETTE, false, two, 2);
  Image image = parse (&grey);

  CHECK_INT (image.channels, ==, 1);
  for (int i = 0; i < 15; i++)
    CHECK_INT (sample (&image, i), ==, 85 * index[i]);
  image_clear (&image);

  image = parse (&palette);
  CHECK_INT (image.channels, ==, 3);
  for (int i = 0; i < 45; i++)
    CHECK_INT (sample (&image, i), ==, colors[index[i / 3]][i % 3]);
  image_clear (&image);
  damage (&palette);
  free (grey.bytes);
  free (palette.bytes);
}

TEST (test_png_too_large)
{
  uint8_t rows[15] = { 0 };
  File file = make_png (8, PNG_COLOR_TYPE_GRAY, false, rows, 5);

  /* the width, without its checksum and with it */
  memcpy (file.bytes + 16, "\x7f\xff\xff\xff", 4);
  refuse (file.bytes, file.size, "not a valid PNG");
  free (file.bytes);
}

TEST (test_pnm)
{
  static const uint8_t grey[] = { 0, 1, 2, 253, 254, 255 };
  static const uint8_t wide[] = { 0x12, 0x34, 0xff, 0xff, 0, 1, 0xab, 0 };
  File p5 = file_from_text ("P5\n# a comment\n3 2 # another\n255\n", grey, 6);
  File p5_wide = file_from_text ("P5 2 2 65535\n", wide, 8);
  File p6 = file_from_text ("P6\t1\r\n2 255\r\n", grey, 6);
  File p2 = file_from_text ("P2 3 2 300\n0 1 2\n# between\n299 300 7", "", 0);
  File p3 = file_from_text ("P3\n1 1\n15\n1 15 0\n", "", 0);
  static const unsigned plain[] = { 0, 1, 2, 299, 300, 7 };
  Image image = parse (&p5);

  CHECK_INT (image.width, ==, 3);
  CHECK_INT (image.height, ==, 2);
  CHECK_INT (image.channels, ==, 1);
  CHECK_INT (image.type, ==, IMAGE_U8);
  CHECK (memcmp (image.data, grey, 6) == 0);
  image_clear (&image);

  image = parse (&p5_wide);
  CHECK_INT (image.type, ==, IMAGE_U16);
  CHECK_INT (sample (&image, 0), ==, 0x1234);
  CHECK_INT (sample (&image, 1), ==, 0xffff);
  CHECK_INT (sample (&image, 2), ==, 1);
  CHECK_INT (sample (&image, 3), ==, 0xab00);
  image_clear (&image);

  image = parse (&p6);
  CHECK_INT (image.width, ==, 1);
  CHECK_INT (image.height, ==, 2);
  CHECK_INT (image.channels, ==, 3);
  CHECK (memcmp (image.data, grey, 6) == 0);
  image_clear (&image);

  image = parse (&p2);
  CHECK_INT (image.type, ==, IMAGE_U16);
  CHECK_INT (image.maximum, ==, 300);
  for (int i = 0; i < 6; i++)
    CHECK_INT (sample (&image, i), ==, plain[i]);
  image_clear (&image);

  image = parse (&p3);
  CHECK_INT (image.channels, ==, 3);
  CHECK_INT (sample (&image, 1), ==, 15);
  image_clear (&image);

  refuse_beginnings (&p5, 0);
  refuse_beginnings (&p5_wide, 0);
  refuse_beginnings (&p6, 0);
  refuse_beginnings (&p2, 0);
  refuse_beginnings (&p3, 2);
  damage (&p5);
  damage (&p5_wide);
  damage (&p2);
  free (p5.bytes);
  free (p5_wide.bytes);
  free (p6.bytes);
  free (p2.bytes);
  free (p3.bytes);
}

TEST (test_pfm)
{
  /* 1.5 and -2 below, infinity and 0.25 above; the lower row comes first */
  static const uint8_t little[] = {
    0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0x80, 0x7f, 0, 0, 0x80, 0x3e
  };
  uint8_t big[16];
  File files[3];
  File color = file_from_text ("PF\n1 1\n-1\n", little, 12);
  Image image;

  for (int i = 0; i < 16; i++)
    big[i] = little[i / 4 * 4 + 3 - i % 4];
  files[0] = file_from_text ("Pf\n2 2\n-1.0\n", little, 16);
  files[1] = file_from_text ("Pf\n2 2\n1e2\n", big, 16);
  files[2] = file_from_text ("Pf\r\n2 2\r\n-1.0\r\n", little, 16);
  for (int i = 0; i < 3; i++) {
    const float *data;

    image = parse (&files[i]);
    data = image.data;
    CHECK_INT (image.type, ==, IMAGE_FLOAT);
    CHECK_INT (image.channels, ==, 1);
    CHECK (isinf (data[0]));
    CHECK_DOUBLE (data[1], ==, 0.25);
    CHECK_DOUBLE (data[2], ==, 1.5);
    CHECK_DOUBLE (data[3], ==, -2);
    image_clear (&image);
    refuse_beginnings (&files[i], 0);
    damage (&files[i]);
    free (files[i].bytes);
  }
  image = parse (&color);
  CHECK_INT (image.channels, ==, 3);
  CHECK_DOUBLE (((float *) image.data)[0], ==, 1.5);
  image_clear (&image);
  free (color.bytes);
}

TEST (test_hostile_headers)
{
  refuse_text ("", "is empty");
  refuse_text ("P", "none of");
  refuse_text ("P4 1 1 x", "none of");
  refuse_text ("GIF89a", "none of");
  refuse_text ("\x89PNG", "not a valid PNG");
  refuse_text ("P5 0 4 255 ", "pixels, got 0x4");
  refuse_text ("P5 4 0 255 ", "pixels, got 4x0");
  refuse_text ("P5 -4 4 255 ", "header");
  refuse_text ("P5 16385 1 255 ", "16385x1");
  refuse_text ("P5 99999999999999999999 4 255 ", "header");
  refuse_text ("P6 16384 16384 65535 ", "cut off");
  refuse_text ("P3 16384 16384 65535 1 2 3", "cut off");
  refuse_text ("P5 1 1 0 x", "maximum of 0");
  refuse_text ("P5 1 1 65536 xx", "maximum of 65536");
  refuse_text ("P5 1 1 100 \xff", "above its maximum");
  refuse_text ("P2 1 1 100 101", "not a number from 0");
  refuse_text ("P2 2 1 100 1 x", "not a number from 0");
  refuse_text ("P2 2 1 100 1    ", "is missing");
  refuse_text ("P5 # no end of the comment", "header");
  refuse_text ("Pf 1 1 0 abcd", "header");
  refuse_text ("Pf 1 1 nan abcd", "header");
  refuse_text ("Pf 1 1 inf abcd", "header");
  refuse_text ("Pf 1 1 -1x abcd", "header");
  refuse_text ("Pf 16384 16384 -1 abcd", "cut off");
  refuse_text ("Pf 1 1 "
      "-1.00000000000000000000000000000000000000000000000 abcd", "header");
}

TEST (test_reduce)
{
  static const uint8_t wide[] = { 0x12, 0xff, 0xff, 0, 0, 0xff };
  File high = file_from_text ("P5 3 1 65535 ", wide, 6);
  File low = file_from_text ("P2 3 1 15 0 7 15", "", 0);
  File pfm = file_from_text ("Pf 1 1 -1 ", wide, 4);
  StereoMessage why = { "" };
  Image image = parse (&high);

  CHECK (image_reduce ("x", &image, &why));
  CHECK_INT (image.type, ==, IMAGE_U8);
  CHECK_INT (sample (&image, 0), ==, 0x12);
  CHECK_INT (sample (&image, 1), ==, 0xff);
  CHECK_INT (sample (&image, 2), ==, 0);
  image_clear (&image);

  image = parse (&low);
  CHECK (image_reduce ("x", &image, &why));
  CHECK_INT (image.maximum, ==, 255);
  CHECK_INT (sample (&image, 0), ==, 0);
  CHECK_INT (sample (&image, 1), ==, 119);
  CHECK_INT (sample (&image, 2), ==, 255);
  image_clear (&image);

  image = parse (&pfm);
  CHECK (!image_reduce ("left.pfm", &image, &why));
  CHECK_CONTAINS (why.text, "left.pfm: ");
  image_clear (&image);
  free (high.bytes);
  free (low.bytes);
  free (pfm.bytes);
}

TEST (test_map)
{
  File grey = file_from_text ("P5 3 1 255 ", "\0\x01\x0a", 3);
  File equal = file_from_text ("P6 1 1 255 ", "\x08\x08\x08", 3);
  File color = file_from_text ("P6 1 1 255 ", "\x08\x08\x09", 3);
  StereoMessage why = { "" };
  float *map = NULL;
  Image image = parse (&grey);

  REQUIRE (image_to_map ("x", &image, 4, 0, &map, &why));
  CHECK (isnan (map[0]));
  CHECK_DOUBLE (map[1], ==, 0.25);
  CHECK_DOUBLE (map[2], ==, 2.5);
  free (map);
  REQUIRE (image_to_map ("x", &image, 1, NAN, &map, &why));
  CHECK_DOUBLE (map[0], ==, 0);
  free (map);
  image_clear (&image);

  image = parse (&equal);
  REQUIRE (image_to_map ("x", &image, 2, 0, &map, &why));
  CHECK_DOUBLE (map[0], ==, 4);
  free (map);
  image_clear (&image);

  image = parse (&color);
  CHECK (!image_to_map ("truth.ppm", &image, 2, 0, &map, &why));
  CHECK_CONTAINS (why.text, "truth.ppm: ");
  CHECK_CONTAINS (why.text, "colour");
  image_clear (&image);
  free (grey.bytes);
  free (equal.bytes);
  free (color.bytes);
}

/* What is written is read back; the bytes of a PFM file are as specified. */
TEST (test_write)
{
  static const uint16_t codes[6] = { 0, 1, 256, 4660, 65534, 65535 };
  static const uint8_t rgb[18] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255, 0, 33 };
  static const float map[6] = { 0, 1.5f, -2, NAN, INFINITY, 100.25f };
  static const char header[] = "Pf\n3 2\n-1.0\n";
  char folder[] = "/tmp/stereo-imagefile-XXXXXX", path[64];
  StereoMessage why = { "" };
  uint8_t bytes[64];
  Image image;
  FILE *file;

  REQUIRE (mkdtemp (folder) != NULL);
  snprintf (path, sizeof (path), "%s/file", folder);

  CHECK (image_write_png16 (path, 3, 2, codes, &why));
  REQUIRE (image_read (path, &image, &why));
  CHECK_INT (image.width, ==, 3);
  CHECK_INT (image.type, ==, IMAGE_U16);
  CHECK (memcmp (image.data, codes, sizeof (codes)) == 0);
  image_clear (&image);

  CHECK (image_write_png_rgb (path, 3, 2, rgb, &why));
  REQUIRE (image_read (path, &image, &why));
  CHECK_INT (image.channels, ==, 3);
  CHECK (memcmp (image.data, rgb, sizeof (rgb)) == 0);
  image_clear (&image);

  CHECK (image_write_pfm (path, 3, 2, map, &why));
  REQUIRE (image_read (path, &image, &why));
  CHECK_DOUBLE (((float *) image.data)[1], ==, 1.5);
  CHECK_DOUBLE (((float *) image.data)[5], ==, 100.25);
  CHECK (isinf (((float *) image.data)[3]));
  image_clear (&image);
  file = fopen (path, "rb");
  REQUIRE (file != NULL);
  CHECK_INT (fread (bytes, 1, sizeof (bytes), file), ==, strlen (header) + 24);
  fclose (file);
  CHECK (memcmp (bytes, header, strlen (header)) == 0);
  /* first of all the left pixel of the lower row, infinity */
  CHECK (memcmp (bytes + strlen (header), "\0\0\x80\x7f", 4) == 0);

  remove (path);
  CHECK (!image_read (path, &image, &why));
  CHECK_CONTAINS (why.text, path);
  CHECK (!image_read (folder, &image, &why));
  CHECK (!image_read ("/dev/zero", &image, &why));
  CHECK_CONTAINS (why.text, "/dev/zero: is not a file");
  CHECK (!image_write_pfm (folder, 3, 2, map, &why));
  CHECK_CONTAINS (why.text, "cannot be written");
  if (access ("/dev/full", W_OK) == 0) {
    snprintf (path, sizeof (path), "%s/link", folder);
    REQUIRE (symlink ("/dev/full", path) == 0);
    CHECK (!image_write_png16 (path, 3, 2, codes, &why));
    CHECK_CONTAINS (why.text, "cannot be written");
    CHECK (remove (path) == 0);
  }
  CHECK (rmdir (folder) == 0);
}

/* Writes more than a file may hold; what is at path stays.  Nothing is left
 * beside it, since the test removes the folder. */
static void
write_too_much (const char *path)
{
  static const float map[4096];
  uint16_t codes[4096];
  StereoMessage why = { "" };
  struct rlimit before, limit;

  for (size_t i = 0; i < 4096; i++)
    codes[i] = (uint16_t) (next_random ());
  REQUIRE (getrlimit (RLIMIT_FSIZE, &before) == 0);
  limit = before;
  limit.rlim_cur = 1000;
  signal (SIGXFSZ, SIG_IGN);
  REQUIRE (setrlimit (RLIMIT_FSIZE, &limit) == 0);
  CHECK (!image_write_pfm (path, 64, 64, map, &why));
  CHECK_CONTAINS (why.text, "cannot be written: File too large");
  CHECK (!image_write_png16 (path, 64, 64, codes, &why));
  CHECK_CONTAINS (why.text, "cannot be written: File too large");
  REQUIRE (setrlimit (RLIMIT_FSIZE, &before) == 0);
}

/* A failed write leaves an earlier file as it was. */
TEST (test_write_fails)
{
  static const float map[2] = { 3, 4 };
  char folder[] = "/tmp/stereo-imagefile-XXXXXX", path[64], link[64];
  StereoMessage why = { "" };
  struct stat status;
  Image image;

  REQUIRE (mkdtemp (folder) != NULL);
  snprintf (path, sizeof (path), "%s/file", folder);
  snprintf (link, sizeof (link), "%s/link", folder);
  write_too_much (path);
  CHECK (stat (path, &status) != 0);

  REQUIRE (image_write_pfm (path, 2, 1, map, &why));
  REQUIRE (chmod (path, 0640) == 0 && symlink (path, link) == 0);
  write_too_much (path);
  write_too_much (link);
  REQUIRE (image_read (path, &image, &why));
  CHECK_INT (image.width, ==, 2);
  CHECK_DOUBLE (((float *) image.data)[1], ==, 4);
  image_clear (&image);

  /* a success goes through the link and keeps the permissions */
  REQUIRE (image_write_pfm (link, 1, 1, map, &why));
  REQUIRE (lstat (link, &status) == 0);
  CHECK (S_ISLNK (status.st_mode));
  REQUIRE (lstat (path, &status) == 0);
  CHECK (S_ISREG (status.st_mode));
  CHECK_INT (status.st_mode & 0777, ==, 0640);
  REQUIRE (image_read (path, &image, &why));
  CHECK_INT (image.width, ==, 1);
  image_clear (&image);

  CHECK (remove (link) == 0);
  CHECK (remove (path) == 0);
  CHECK (rmdir (folder) == 0);
}

/* The exit status of a process that gets a signal while it writes a file. */
static int
end_while_writing (const char *path, int number, bool good)
{
  sigset_t none;
  int status = 0;
  const pid_t child = fork ();

  REQUIRE (child >= 0);
  if (child == 0) {
    StereoMessage why = { "" };
    OutputFile file;

    /* nohup, for example, has others ignored */
    sigemptyset (&none);
    sigprocmask (SIG_SETMASK, &none, NULL);
    signal (number, SIG_DFL);
    if (!output_file_open (&file, path, &why))
      _exit (1);
    fputs ("new", file.stream);
    raise (number);
    _exit (output_file_close (&file, good, "test", &why) ? 2 : 3);
  }
  REQUIRE (waitpid (child, &status, 0) == child);
  return status;
}

/* Signals wait until there is no temporary file. */
TEST (test_write_signals)
{
  static const int signals[] = { SIGHUP, SIGINT, SIGTERM };
  char folder[] = "/tmp/stereo-imagefile-XXXXXX", path[64];
  struct stat found;

  REQUIRE (mkdtemp (folder) != NULL);
  snprintf (path, sizeof (path), "%s/file", folder);
  for (size_t i = 0; i < sizeof (signals) / sizeof (*signals); i++) {
    int status = end_while_writing (path, signals[i], false);

    CHECK (WIFSIGNALED (status) && WTERMSIG (status) == signals[i]);
    CHECK (stat (path, &found) != 0);
    status = end_while_writing (path, signals[i], true);
    CHECK (WIFSIGNALED (status) && WTERMSIG (status) == signals[i]);
    CHECK (stat (path, &found) == 0 && found.st_size == 3);
    CHECK (remove (path) == 0);
  }
  CHECK (rmdir (folder) == 0);
}

/* A pipe is written directly, not replaced. */
TEST (test_write_pipe)
{
  static const char header[] = "Pf\n1 1\n-1.0\n";
  static const float map[1] = { 3 };
  char folder[] = "/tmp/stereo-imagefile-XXXXXX", path[64], bytes[64];
  StereoMessage why = { "" };
  struct stat status;
  int reader;

  REQUIRE (mkdtemp (folder) != NULL);
  snprintf (path, sizeof (path), "%s/pipe", folder);
  REQUIRE (mkfifo (path, 0600) == 0);
  reader = open (path, O_RDONLY | O_NONBLOCK);
  REQUIRE (reader >= 0);
  CHECK (image_write_pfm (path, 1, 1, map, &why));
  CHECK_INT (read (reader, bytes, sizeof (bytes)), ==, sizeof (header) - 1 + 4);
  CHECK (memcmp (bytes, header, sizeof (header) - 1) == 0);
  close (reader);

  REQUIRE (lstat (path, &status) == 0);
  CHECK (S_ISFIFO (status.st_mode));
  CHECK (remove (path) == 0);
  CHECK (rmdir (folder) == 0);
}

TEST (test_read_map)
{
  char folder[] = "/tmp/stereo-imagefile-XXXXXX", path[64];
  static const uint16_t codes[2] = { 0, 512 };
  const double none = NAN;
  StereoMessage why = { "" };
  int width = 0, height = 0;
  float *map = NULL;
  FILE *file;

  REQUIRE (mkdtemp (folder) != NULL);
  snprintf (path, sizeof (path), "%s/map", folder);
  REQUIRE (image_write_png16 (path, 2, 1, codes, &why));
  REQUIRE (image_read_map (path, 0, "--scale", NULL, &width, &height, &map,
          &why));
  CHECK_INT (width, ==, 2);
  CHECK_INT (height, ==, 1);
  CHECK (isnan (map[0]));
  CHECK_DOUBLE (map[1], ==, 2);
  free (map);
  REQUIRE (image_read_map (path, 8, NULL, &none, &width, &height, &map,
          &why));
  CHECK_DOUBLE (map[0], ==, 0);
  CHECK_DOUBLE (map[1], ==, 64);
  free (map);
  width = 3;
  CHECK (!image_read_map (path, 8, NULL, &none, &width, &height, &map,
          &why));
  CHECK_CONTAINS (why.text, "expected 3x1 pixels, got 2x1");

  file = fopen (path, "wb");
  REQUIRE (file != NULL);
  fputs ("P2 1 1 255 5", file);
  fclose (file);
  width = height = 0;
  CHECK (!image_read_map (path, 0, "--scale", NULL, &width, &height, &map,
          &why));
  CHECK_CONTAINS (why.text, "scale");
  remove (path);
  CHECK (rmdir (folder) == 0);
}

TEST_MAIN ()
