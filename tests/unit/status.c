/* gst-stereomatching: tests of status codes, messages and the log
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/backend.h"
#include "test.h"

TEST (test_names)
{
  static const struct
  {
    StereoStatus status;
    const char *name;
  } names[] = {
    {STEREO_OK, "ok"},
    {STEREO_ERROR_ARGUMENT, "invalid argument"},
    {STEREO_ERROR_UNSUPPORTED, "not supported"},
    {STEREO_ERROR_MEMORY, "out of memory"},
    {STEREO_ERROR_NO_DEVICE, "no device"},
    {STEREO_ERROR_DEVICE, "device error"},
    {(StereoStatus) (STEREO_ERROR_DEVICE + 1), "unknown status"},
    {(StereoStatus) 1000000, "unknown status"},
    {(StereoStatus) - 1, "unknown status"},
  };

  for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++)
    CHECK_STRING (stereo_status_name (names[i].status), names[i].name);
}

TEST (test_version)
{
  CHECK_STRING (stereo_version (), STEREO_VERSION);
  CHECK (strchr (stereo_version (), '.') != NULL);
}

TEST (test_fail)
{
  StereoMessage why;
  char text[2 * sizeof (why.text)];

  CHECK_INT (stereo_fail (&why, STEREO_ERROR_MEMORY, "%d bytes", 7), ==,
      STEREO_ERROR_MEMORY);
  CHECK_STRING (why.text, "7 bytes");
  CHECK_INT (stereo_fail (NULL, STEREO_ERROR_DEVICE, "%d bytes", 7), ==,
      STEREO_ERROR_DEVICE);

  /* long texts are truncated and terminated */
  memset (text, 'x', sizeof (text) - 1);
  text[sizeof (text) - 1] = '\0';
  CHECK_INT (stereo_fail (&why, STEREO_ERROR_ARGUMENT, "%s", text), ==,
      STEREO_ERROR_ARGUMENT);
  CHECK_INT (strlen (why.text), ==, sizeof (why.text) - 1);
}

typedef struct
{
  int calls;
  StereoLogLevel level;
  char text[1024];
} Heard;

static void
record_log (StereoLogLevel level, const char *text, void *user_data)
{
  Heard *heard = user_data;

  heard->calls++;
  heard->level = level;
  snprintf (heard->text, sizeof (heard->text), "%s", text);
}

TEST (test_log)
{
  SCOPED (stereo_device_unref) StereoDevice *device = NULL;
  Heard heard = { 0 };

  REQUIRE (stereo_device_new_cpu (1, STEREO_SIMD_NONE, &device, NULL)
      == STEREO_OK);
  stereo_log (device, STEREO_LOG_WARNING, "not recorded");
  stereo_device_set_log (device, record_log, &heard);
  stereo_log (device, STEREO_LOG_INFO, "%s %d", "frame", 3);
  CHECK_INT (heard.calls, ==, 1);
  CHECK_INT (heard.level, ==, STEREO_LOG_INFO);
  CHECK_STRING (heard.text, "frame 3");
  stereo_device_set_log (device, NULL, NULL);
  stereo_log (device, STEREO_LOG_WARNING, "not recorded");
  CHECK_INT (heard.calls, ==, 1);
}

TEST_MAIN ()
