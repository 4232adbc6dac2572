/* gst-stereomatching: tests of argument checks of stereo.h
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "stereo-cuda.h"
#include "stereo.h"
#include "test.h"

enum { WIDTH = 20, HEIGHT = 10 };

typedef struct
{
  StereoDevice *device;
  StereoParams *params;
  StereoMatcher *matcher;
  StereoImage left, right, map;
} Rig;

static StereoImage
make_image (StereoFormat format, size_t stride, void *pixels)
{
  return (StereoImage) {
  .format = format,.width = WIDTH,.height = HEIGHT,.plane = {pixels},.stride =
        {stride}};
}

static void
open_rig (Rig * rig)
{
  static uint8_t views[2][HEIGHT][WIDTH];
  static uint16_t codes[HEIGHT][WIDTH];
  const StereoAlgorithm *algorithm = stereo_algorithm_find ("sgm");

  memset (rig, 0, sizeof (*rig));
  REQUIRE (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &rig->device, NULL)
      == STEREO_OK);
  REQUIRE (stereo_params_new (algorithm, &rig->params) == STEREO_OK);
  REQUIRE (stereo_matcher_new (algorithm, rig->device, &rig->matcher)
      == STEREO_OK);
  rig->left = make_image (STEREO_FORMAT_GRAY8, WIDTH, views[0]);
  rig->right = make_image (STEREO_FORMAT_GRAY8, WIDTH, views[1]);
  rig->map = make_image (STEREO_FORMAT_GRAY16_LE, 2 * WIDTH, codes);
}

static void
close_rig (Rig * rig)
{
  stereo_matcher_free (&rig->matcher);
  stereo_params_free (&rig->params);
  stereo_device_unref (&rig->device);
}

#define REFUSED(call) CHECK_INT (call, ==, STEREO_ERROR_ARGUMENT)

/* NULL as object and as output. */
TEST (test_null_device)
{
  StereoDevice *device = NULL;
  SCOPED (stereo_event_free) StereoEvent *event = NULL;
  uint8_t byte = 0;
  void *memory = NULL, *used = &byte;

  CHECK (stereo_device_ref (NULL) == NULL);
  stereo_device_unref (NULL);
  stereo_device_unref (&device);
  CHECK (stereo_device_backend (NULL) == NULL);
  CHECK (stereo_device_name (NULL) == NULL);
  CHECK_INT (stereo_device_threads (NULL), ==, 0);
  CHECK_INT (stereo_device_simd (NULL), ==, STEREO_SIMD_NONE);
  stereo_device_set_log (NULL, NULL, NULL);
  REFUSED (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, NULL, NULL));
  REFUSED (stereo_device_alloc (NULL, 1, &memory, NULL));
  REFUSED (stereo_device_alloc_pinned (NULL, 1, &memory, NULL));
  REFUSED (stereo_device_copy (NULL, &byte, &byte, 1, NULL));
  stereo_device_free (NULL, &memory);
  stereo_device_free (NULL, &used);
  stereo_device_free_pinned (NULL, NULL);
  stereo_device_free_pinned (NULL, &used);
  REFUSED (stereo_event_new (NULL, &event, NULL));
  CHECK_INT (stereo_event_wait (NULL, NULL), ==, STEREO_OK);
  stereo_event_free (NULL);
}

TEST (test_null_cuda)
{
  StereoMessage why = { "" };
  size_t available = 0, total = 0;

  CHECK (stereo_cuda_context (NULL) == NULL);
  CHECK_INT (stereo_cuda_ordinal (NULL), ==, -1);
  CHECK (stereo_cuda_event (NULL) == NULL);
  stereo_cuda_keep (NULL, NULL, NULL);
  CHECK (stereo_cuda_memory (NULL, &available, &total, &why) != STEREO_OK);
  CHECK (why.text[0] != '\0');
  CHECK (stereo_cuda_download (NULL, NULL, NULL, 1, NULL, NULL, &why)
      != STEREO_OK);
  CHECK_INT (stereo_cuda_count (NULL), >=, 0);
  CHECK (stereo_device_new_cuda (-1, NULL, &why) != STEREO_OK);
  CHECK (stereo_device_new_cuda_wrapped (NULL, NULL, NULL, &why)
      != STEREO_OK);
}

TEST (test_null_algorithm)
{
  const StereoAlgorithm *algorithm = stereo_algorithm_find ("sgm");
  const StereoParamSpec *spec = stereo_algorithm_param (algorithm, 0);
  StereoParams *params = NULL;
  double value;

  CHECK (stereo_algorithm_find (NULL) == NULL);
  CHECK (stereo_algorithm_name (NULL) == NULL);
  CHECK (stereo_algorithm_param (NULL, 0) == NULL);
  CHECK_DOUBLE (stereo_algorithm_param_initial (NULL, NULL), ==, 0);
  CHECK_DOUBLE (stereo_algorithm_param_initial (algorithm, NULL), ==, 0);
  CHECK_DOUBLE (stereo_algorithm_param_initial (NULL, spec), ==, 0);
  REFUSED (stereo_params_new (NULL, &params));
  REFUSED (stereo_params_new (algorithm, NULL));
  REFUSED (stereo_params_copy (NULL, NULL));
  REFUSED (stereo_params_set (NULL, "median", 1, NULL));
  REFUSED (stereo_params_set_text (NULL, "median", "1", NULL));
  CHECK (!stereo_params_get (NULL, "median", &value));
  stereo_params_free (NULL);
}

TEST (test_null_matcher)
{
  StereoMatcherConfig config = STEREO_MATCHER_CONFIG_INIT;
  StereoMatcherStats stats = STEREO_MATCHER_STATS_INIT;
  StereoMatcher *matcher = NULL;
  StereoMessage why = { "" };
  Rig rig;

  open_rig (&rig);
  REFUSED (stereo_matcher_new (NULL, rig.device, &matcher));
  REFUSED (stereo_matcher_new (stereo_algorithm_find ("sgm"), NULL, &matcher));
  REFUSED (stereo_matcher_configure (NULL, &config, rig.params));
  REFUSED (stereo_matcher_configure (rig.matcher, NULL, rig.params));
  CHECK_CONTAINS (stereo_matcher_error (rig.matcher), "StereoMatcherConfig");
  REFUSED (stereo_matcher_configure (rig.matcher, &config, NULL));
  CHECK_CONTAINS (stereo_matcher_error (rig.matcher), "parameters");
  REFUSED (stereo_matcher_process (NULL, &rig.left, &rig.right, &rig.map,
          NULL));
  REFUSED (stereo_matcher_get_stats (NULL, &stats, &why));
  CHECK_CONTAINS (why.text, "matcher");
  REFUSED (stereo_matcher_get_stats (rig.matcher, NULL, &why));
  CHECK_CONTAINS (why.text, "StereoMatcherStats");
  CHECK (!stereo_matcher_get_stage (NULL, 0, NULL, NULL));
  CHECK (!stereo_matcher_get_stage (rig.matcher, 0, NULL, NULL));
  REFUSED (stereo_matcher_wait (NULL, 1));
  REFUSED (stereo_matcher_sync (NULL));
  CHECK (stereo_matcher_error (NULL) != NULL);
  stereo_matcher_set_profiling (NULL, true);
  stereo_matcher_set_frames (NULL, 1);
  stereo_matcher_reset (NULL);
  stereo_matcher_free (NULL);
  stereo_matcher_free (&matcher);
  close_rig (&rig);
}

TEST (test_null_operation)
{
  StereoOperation *operation = NULL;
  const StereoImage *none[1] = { NULL };
  StereoMessage why = { "" };
  double value;
  int width, height;
  Rig rig;

  open_rig (&rig);
  REFUSED (stereo_operation_new ("depth", NULL, &operation, NULL));
  REFUSED (stereo_operation_new ("depth", rig.device, NULL, NULL));
  REFUSED (stereo_operation_new (NULL, rig.device, &operation, NULL));
  REFUSED (stereo_operation_set (NULL, "step", 1, NULL));
  REFUSED (stereo_operation_set_text (NULL, "step", "1", NULL));
  CHECK (!stereo_operation_get (NULL, "step", &value));
  REFUSED (stereo_operation_output_size (NULL, 1, 1, &width, &height, &why));
  REFUSED (stereo_operation_process (NULL, none, 1, &rig.map, &why));
  REQUIRE (stereo_operation_new ("depth", rig.device, &operation, NULL)
      == STEREO_OK);
  REFUSED (stereo_operation_output_size (operation, 1, 1, NULL, &height,
          NULL));
  REFUSED (stereo_operation_output_size (operation, 1, 1, &width, NULL, NULL));
  REFUSED (stereo_operation_process (operation, NULL, 0, &rig.map, &why));
  REFUSED (stereo_operation_process (operation, none, 0, &rig.map, &why));
  REFUSED (stereo_operation_process (operation, none, 1, &rig.map, &why));
  REFUSED (stereo_operation_process (operation, none, 1, NULL, &why));
  stereo_operation_free (&operation);
  stereo_operation_free (NULL);
  close_rig (&rig);
}

/* Sizes whose product overflows an int. */
TEST (test_output_size)
{
  static const int bad[] = { INT32_MIN, -1, 0, STEREO_MAX_SIZE + 1, 715827883,
    1 << 30, INT32_MAX
  };
  const char *name;
  Rig rig;

  open_rig (&rig);
  for (size_t k = 0; (name = stereo_operation_name (k)) != NULL; k++) {
    StereoOperation *operation = NULL;
    int width = 7, height = 7;

    REQUIRE (stereo_operation_new (name, rig.device, &operation, NULL)
        == STEREO_OK);
    for (size_t i = 0; i < sizeof (bad) / sizeof (bad[0]); i++) {
      StereoImage image = rig.map;
      const StereoImage *inputs[] = { &image, &image, &image };
      StereoMessage why = { "" };

      REFUSED (stereo_operation_output_size (operation, bad[i], 1, &width,
              &height, &why));
      CHECK_CONTAINS (why.text, "16384");
      REFUSED (stereo_operation_output_size (operation, 1, bad[i], &width,
              &height, &why));
      image.width = image.height = bad[i];
      REFUSED (stereo_operation_process (operation, inputs, 3, &image, &why));
    }
    CHECK (width == 7 && height == 7);
    CHECK_INT (stereo_operation_output_size (operation, STEREO_MAX_SIZE,
            STEREO_MAX_SIZE, &width, &height, NULL), ==, STEREO_OK);
    CHECK (width == STEREO_MAX_SIZE && height == STEREO_MAX_SIZE);
    stereo_operation_free (&operation);
  }
  close_rig (&rig);
}

/* Structures of programs built for older and newer versions. */
TEST (test_config_size)
{
  struct
  {
    StereoMatcherConfig config;
    uint8_t more[64];
  } newer = { STEREO_MATCHER_CONFIG_INIT, {0} };
  static const uint32_t bad[] = { 0, 4, sizeof (StereoMatcherConfig) - 4,
    UINT32_MAX
  };
  Rig rig;

  open_rig (&rig);
  newer.config.width = WIDTH;
  newer.config.height = HEIGHT;
  newer.config.output = STEREO_FORMAT_GRAY16_LE;
  for (size_t i = 0; i < sizeof (bad) / sizeof (bad[0]); i++) {
    newer.config.struct_size = bad[i];
    REFUSED (stereo_matcher_configure (rig.matcher, &newer.config,
            rig.params));
    CHECK_CONTAINS (stereo_matcher_error (rig.matcher), "struct_size");
    CHECK_CONTAINS (stereo_matcher_error (rig.matcher),
        "sizeof (StereoMatcherConfig)");
  }
  newer.config.struct_size = sizeof (newer);
  CHECK_INT (stereo_matcher_configure (rig.matcher, &newer.config, rig.params),
      ==, STEREO_OK);
  newer.more[63] = 1;
  CHECK_INT (stereo_matcher_configure (rig.matcher, &newer.config, rig.params),
      ==, STEREO_ERROR_UNSUPPORTED);
  CHECK_CONTAINS (stereo_matcher_error (rig.matcher), "byte 95 is set");
  /* after a failure it must be configured again */
  REFUSED (stereo_matcher_process (rig.matcher, &rig.left, &rig.right,
          &rig.map, NULL));
  newer.config.struct_size = sizeof (StereoMatcherConfig);
  CHECK_INT (stereo_matcher_configure (rig.matcher, &newer.config, rig.params),
      ==, STEREO_OK);
  CHECK_INT (stereo_matcher_process (rig.matcher, &rig.left, &rig.right,
          &rig.map, NULL), ==, STEREO_OK);
  close_rig (&rig);
}

TEST (test_stats_size)
{
  struct
  {
    StereoMatcherStats stats;
    uint8_t more[64];
  } s = { STEREO_MATCHER_STATS_INIT, {0} };
  StereoMessage why = { "" };
  Rig rig;

  open_rig (&rig);
  memset (s.more, 0xa5, sizeof (s.more));
  s.stats.frames = 77;
  CHECK_INT (stereo_matcher_get_stats (rig.matcher, &s.stats, NULL), ==,
      STEREO_OK);
  CHECK_INT (s.stats.frames, ==, 0);
  CHECK_INT (s.stats.struct_size, ==, sizeof (s.stats));
  CHECK_INT (s.more[0], ==, 0xa5);
  s.stats.struct_size = sizeof (s.stats) + 8;
  CHECK_INT (stereo_matcher_get_stats (rig.matcher, &s.stats, NULL), ==,
      STEREO_OK);
  CHECK (s.more[0] == 0 && s.more[7] == 0 && s.more[8] == 0xa5);
  s.stats.struct_size = 8;
  REFUSED (stereo_matcher_get_stats (rig.matcher, &s.stats, &why));
  CHECK_CONTAINS (why.text, "sizeof (StereoMatcherStats)");
  s.stats.struct_size = UINT32_MAX;
  REFUSED (stereo_matcher_get_stats (rig.matcher, &s.stats, NULL));
  close_rig (&rig);
}

TEST (test_result_count)
{
  const StereoImage *results[STEREO_N_RESULTS + 2] = { NULL };
  StereoMatcherConfig config = STEREO_MATCHER_CONFIG_INIT;
  Rig rig;

  open_rig (&rig);
  config.width = WIDTH;
  config.height = HEIGHT;
  config.output = STEREO_FORMAT_GRAY16_LE;
  REQUIRE (stereo_matcher_configure (rig.matcher, &config, rig.params)
      == STEREO_OK);
  results[0] = &rig.map;
  /* a program built for a newer version, without new requests */
  CHECK_INT (stereo_matcher_process_results (rig.matcher, &rig.left,
          &rig.right, results, STEREO_N_RESULTS + 2, NULL), ==, STEREO_OK);
  results[STEREO_N_RESULTS + 1] = &rig.map;
  CHECK_INT (stereo_matcher_process_results (rig.matcher, &rig.left,
          &rig.right, results, STEREO_N_RESULTS + 2, NULL), ==,
      STEREO_ERROR_UNSUPPORTED);
  CHECK_CONTAINS (stereo_matcher_error (rig.matcher), "result 4");
  /* a program built for an older version, with a shorter array */
  CHECK_INT (stereo_matcher_process_results (rig.matcher, &rig.left,
          &rig.right, results, 1, NULL), ==, STEREO_OK);
  REFUSED (stereo_matcher_process_results (rig.matcher, &rig.left, &rig.right,
          results, 0, NULL));
  close_rig (&rig);
}

/* Numeric formats are not valid for views. */
TEST (test_number_formats)
{
  static const StereoFormat formats[] = { STEREO_FORMAT_XYZ_F32,
    STEREO_FORMAT_XYZRGB_F32, STEREO_FORMAT_U32
  };
  StereoMatcherConfig config = STEREO_MATCHER_CONFIG_INIT;
  Rig rig;

  open_rig (&rig);
  config.width = WIDTH;
  config.height = HEIGHT;
  for (size_t i = 0; i < sizeof (formats) / sizeof (formats[0]); i++) {
    CHECK (stereo_format_name (formats[i]) != NULL);
    config.left = formats[i];
    config.output = STEREO_FORMAT_GRAY16_LE;
    REFUSED (stereo_matcher_configure (rig.matcher, &config, rig.params));
    CHECK_CONTAINS (stereo_matcher_error (rig.matcher),
        stereo_format_name (formats[i]));
    config.left = STEREO_FORMAT_GRAY8;
    config.output = formats[i];
    REFUSED (stereo_matcher_configure (rig.matcher, &config, rig.params));
  }
  CHECK (stereo_format_name ((StereoFormat) (STEREO_FORMAT_U32 + 1)) == NULL);
  CHECK (stereo_format_name ((StereoFormat) (STEREO_FORMAT_XYZ_F32 - 1))
      == NULL);
  close_rig (&rig);
}

TEST_MAIN ()
