/* gst-stereomatching: tests of devices
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "stereo-cuda.h"
#include "stereo.h"
#include "test.h"

TEST (test_simd)
{
  static const char *const names[] = {
    [STEREO_SIMD_AUTO] = "auto",[STEREO_SIMD_NONE] = "none",
    [STEREO_SIMD_GENERIC] = "generic",[STEREO_SIMD_AVX2] = "avx2",
    [STEREO_SIMD_AVX512] = "avx512",
  };

  for (int i = 0; i <= STEREO_SIMD_AVX512; i++) {
    StereoSimd simd = (StereoSimd) i;
    StereoDevice *device = NULL;
    StereoMessage why = { "" };

    CHECK_STRING (stereo_simd_name (simd), names[i]);
    if (stereo_simd_available (simd)) {
      REQUIRE (stereo_device_new_cpu (1, simd, &device, &why) == STEREO_OK);
      CHECK_STRING (stereo_device_backend (device), "cpu");
      CHECK_CONTAINS (stereo_device_name (device), "1 thread,");
      CHECK_INT (stereo_device_threads (device), ==, 1);
      if (simd != STEREO_SIMD_AUTO) {
        CHECK_CONTAINS (stereo_device_name (device), names[i]);
        CHECK_INT (stereo_device_simd (device), ==, simd);
      }
      CHECK_CONTAINS (stereo_device_name (device),
          stereo_simd_name (stereo_device_simd (device)));
      CHECK_INT (stereo_device_simd (device), !=, STEREO_SIMD_AUTO);
      stereo_device_unref (&device);
    } else {
      CHECK_INT (stereo_device_new_cpu (1, simd, &device, &why), ==,
          STEREO_ERROR_UNSUPPORTED);
      CHECK_CONTAINS (why.text, names[i]);
      CHECK_INT (stereo_device_new_cpu (1, simd, &device, NULL), ==,
          STEREO_ERROR_UNSUPPORTED);
    }
    CHECK (device == NULL);
  }
  CHECK (stereo_simd_available (STEREO_SIMD_NONE));
  CHECK (stereo_simd_available (STEREO_SIMD_GENERIC)
      == (getenv ("STEREO_ONLY_PLAIN") == NULL));
  CHECK (stereo_simd_name ((StereoSimd) (STEREO_SIMD_AVX512 + 1)) == NULL);
  CHECK (stereo_simd_name ((StereoSimd) - 1) == NULL);
  CHECK (!stereo_simd_available ((StereoSimd) 99));
}

#ifdef STEREO_X86
/* The compiler's runtime library asks the processor, too. */
TEST (test_instruction_sets)
{
  CHECK (stereo_simd_available (STEREO_SIMD_AVX2)
      == (__builtin_cpu_supports ("avx2") != 0));
  CHECK (stereo_simd_available (STEREO_SIMD_AVX512)
      == (__builtin_cpu_supports ("avx512f")
          && __builtin_cpu_supports ("avx512bw")
          && __builtin_cpu_supports ("avx512dq")
          && __builtin_cpu_supports ("avx512vl")));
}
#endif

TEST (test_cpu)
{
  StereoDevice *device = NULL;
  StereoMessage why = { "" };

  CHECK_INT (stereo_device_new_cpu (1025, STEREO_SIMD_AUTO, &device, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "1025");
  CHECK_CONTAINS (why.text, "1024");
  CHECK_INT (stereo_device_new_cpu ((unsigned) -1, STEREO_SIMD_AUTO, &device,
          &why), ==, STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "4294967295");
  CHECK_INT (stereo_device_new_cpu (1, (StereoSimd) 99, &device, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_CONTAINS (why.text, "99");
  CHECK_INT (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, NULL, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK (device == NULL);

  REQUIRE (stereo_device_new_cpu (1024, STEREO_SIMD_AUTO, &device, &why)
      == STEREO_OK);
  CHECK_CONTAINS (stereo_device_name (device), "1024 threads");
  CHECK_INT (stereo_device_threads (device), ==, 1024);
  stereo_device_unref (&device);
  REQUIRE (stereo_device_new_cpu (0, STEREO_SIMD_AUTO, &device, &why)
      == STEREO_OK);
  CHECK_CONTAINS (stereo_device_name (device), "CPU");
  stereo_device_unref (&device);
}

TEST (test_references)
{
  StereoDevice *a = NULL, *b;

  stereo_device_unref (NULL);
  stereo_device_unref (&a);
  REQUIRE (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &a, NULL) == STEREO_OK);
  b = stereo_device_ref (a);
  CHECK (b == a);
  stereo_device_unref (&a);
  CHECK (a == NULL);
  CHECK_STRING (stereo_device_backend (b), "cpu");
  stereo_device_unref (&b);
  stereo_device_unref (&b);
}

static void
check_memory (StereoDevice * device, bool pinned)
{
  for (size_t bytes = 1; bytes < 1000000; bytes = bytes * 3 + 1) {
    void *memory = NULL;
    char *from = malloc (bytes), *to = calloc (1, bytes);

    REQUIRE (from != NULL && to != NULL);
    for (size_t i = 0; i < bytes; i++)
      from[i] = (char) (i * 7 + 1);
    if (pinned)
      REQUIRE (stereo_device_alloc_pinned (device, bytes, &memory,
              NULL) == STEREO_OK);
    else
      REQUIRE (stereo_device_alloc (device, bytes, &memory, NULL)
          == STEREO_OK);
    CHECK (memory != NULL);
    CHECK_INT ((uintptr_t) memory % 64, ==, 0);
    CHECK_INT (stereo_device_copy (device, memory, from, bytes, NULL), ==,
        STEREO_OK);
    CHECK_INT (stereo_device_copy (device, to, memory, bytes, NULL), ==,
        STEREO_OK);
    CHECK (memcmp (from, to, bytes) == 0);
    for (int twice = 0; twice < 2; twice++) {
      if (pinned)
        stereo_device_free_pinned (device, &memory);
      else
        stereo_device_free (device, &memory);
      CHECK (memory == NULL);
    }
    free (from);
    free (to);
  }
}

static void
check_memory_misuse (StereoDevice * device, const char *much)
{
  void *memory = NULL;
  StereoMessage why = { "" };
  char byte = 0;

  CHECK_INT (stereo_device_alloc (NULL, 1, &memory, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_device_alloc (device, 0, &memory, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_device_alloc (device, 1, NULL, NULL), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_device_alloc_pinned (NULL, 1, &memory, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_device_alloc_pinned (device, 0, &memory, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_device_alloc_pinned (device, 1, NULL, NULL), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_device_copy (NULL, &byte, &byte, 1, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_device_copy (device, NULL, &byte, 1, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_device_copy (device, &byte, NULL, 1, NULL), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_device_pin (NULL, &byte, 1, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_device_pin (device, NULL, 1, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_device_pin (device, &byte, 0, NULL), ==,
      STEREO_ERROR_ARGUMENT);
  stereo_device_unpin (NULL, &byte);
  stereo_device_unpin (device, NULL);
  stereo_device_unpin (device, &byte);
  stereo_device_free (device, NULL);
  stereo_device_free (device, &memory);
  stereo_device_free_pinned (device, NULL);
  stereo_device_free_pinned (device, &memory);

  /* more than any machine has */
  CHECK_INT (stereo_device_alloc (device, SIZE_MAX - 7, &memory, &why), ==,
      STEREO_ERROR_MEMORY);
  CHECK_CONTAINS (why.text, "out of memory");
  CHECK_CONTAINS (why.text, much);
  CHECK (memory == NULL);
}

TEST (test_memory)
{
  SCOPED (stereo_device_unref) StereoDevice *device = NULL;

  REQUIRE (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &device, NULL)
      == STEREO_OK);
  check_memory (device, false);
  check_memory (device, true);
  check_memory_misuse (device, "17592186044416.0 MiB are needed");
}

/* Without CUDA all functions return an error and leave outputs unchanged. */
TEST (test_without_cuda)
{
  StereoDevice *device = NULL;
  StereoMessage why = { "" };
  StereoStatus status;

  if (stereo_cuda_count (NULL) > 0)
    SKIP ("there is a CUDA device");
  CHECK_INT (stereo_cuda_count (&why), ==, 0);
  CHECK_CONTAINS (why.text, "CUDA");
  for (int ordinal = -1; ordinal < 2; ordinal++) {
    why.text[0] = '\0';
    status = stereo_device_new_cuda (ordinal, &device, &why);
    CHECK (status == STEREO_ERROR_UNSUPPORTED
        || status == STEREO_ERROR_NO_DEVICE);
    CHECK_CONTAINS (why.text, "CUDA");
    CHECK (device == NULL);
    CHECK_INT (stereo_device_new_cuda (ordinal, &device, NULL), ==, status);
  }
  why.text[0] = '\0';
  CHECK_INT (stereo_device_new_cuda_wrapped (NULL, NULL, &device, &why), !=,
      STEREO_OK);
  CHECK_INT (strlen (why.text), >, 0);
  CHECK (device == NULL);
}

/* Memory of another device is rejected with a message. */
TEST (test_cuda_memory_of_cpu)
{
  SCOPED (stereo_device_unref) StereoDevice *device = NULL;
  StereoMessage why = { "" };
  size_t available = 7, total = 9;

  REQUIRE (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &device, NULL)
      == STEREO_OK);
  CHECK_INT (stereo_cuda_memory (device, &available, &total, &why), !=,
      STEREO_OK);
  CHECK_CONTAINS (why.text, "CUDA");
  CHECK_INT (available, ==, 7);
  CHECK_INT (total, ==, 9);
}

TEST (test_cuda)
{
  SCOPED (stereo_device_unref) StereoDevice *device = NULL;
  StereoMessage why = { "" };
  size_t available = 0, total = 0;
  int count = stereo_cuda_count (NULL);

  if (count == 0)
    SKIP ("no CUDA device");
  CHECK_INT (stereo_device_new_cuda (-2, &device, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (stereo_device_new_cuda (count, &device, &why), ==,
      STEREO_ERROR_NO_DEVICE);
  CHECK_INT (strlen (why.text), >, 0);
  CHECK_INT (stereo_device_new_cuda (0, NULL, &why), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK (device == NULL);
  REQUIRE (stereo_device_new_cuda (-1, &device, &why) == STEREO_OK);
  CHECK_STRING (stereo_device_backend (device), "cuda");
  CHECK_INT (strlen (stereo_device_name (device)), >, 0);
  REQUIRE (stereo_cuda_memory (device, &available, &total, &why)
      == STEREO_OK);
  CHECK_INT (available, <=, total);
  CHECK_INT (total, >, 1 << 28);
  check_memory (device, false);
  check_memory (device, true);
  check_memory_misuse (device, "17592186044416.0 MiB");
}

TEST_MAIN ()
