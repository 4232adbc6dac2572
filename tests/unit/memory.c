/* gst-stereomatching: tests of the available memory
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/memory.h"
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#define MIB ((uint64_t) 1 << 20)

static char root[] = "/tmp/stereo-memory-XXXXXX";

/* Writes a file of the simulated machine and its folders; NULL removes it. */
static void
put (const char *path, const char *text)
{
  char full[512];
  FILE *file;

  snprintf (full, sizeof (full), "%s%s", root, path);
  if (text == NULL) {
    unlink (full);
    return;
  }
  for (char *slash = full + strlen (root) + 1; (slash = strchr (slash, '/'));
      slash++) {
    *slash = '\0';
    mkdir (full, 0700);
    *slash = '/';
  }
  file = fopen (full, "w");
  REQUIRE (file != NULL && fputs (text, file) >= 0 && fclose (file) == 0);
}

/* A machine with 1000 MiB, 900 of them available, without control groups. */
static void
simulate_machine (void)
{
  char command[600];

  snprintf (command, sizeof (command), "rm -rf %s/*", root);
  REQUIRE (system (command) == 0);
  put ("/proc/meminfo", "MemTotal:        1024000 kB\n"
      "MemFree:           10240 kB\nMemAvailable:     921600 kB\n"
      "SwapFree:        9999999 kB\n");
}

TEST (test_machine)
{
  simulate_machine ();
  CHECK_INT (stereo_memory_available (), ==, 900 * MIB);
  put ("/proc/meminfo", "MemTotal: 1024000 kB\n");
  CHECK (stereo_memory_available () == UINT64_MAX);
  put ("/proc/meminfo", NULL);
  CHECK (stereo_memory_available () == UINT64_MAX);
}

/* The lowest limit of the groups from ours up to the root. */
TEST (test_group)
{
  simulate_machine ();
  put ("/proc/self/cgroup", "0::/user/app\n");
  put ("/sys/fs/cgroup/user/app/memory.max", "max\n");
  put ("/sys/fs/cgroup/user/app/memory.current", "1048576\n");
  CHECK_INT (stereo_memory_available (), ==, 900 * MIB);
  put ("/sys/fs/cgroup/user/app/memory.max", "524288000\n");
  CHECK_INT (stereo_memory_available (), ==, 499 * MIB);
  put ("/sys/fs/cgroup/user/memory.max", "314572800\n");
  put ("/sys/fs/cgroup/user/memory.current", "104857600\n");
  CHECK_INT (stereo_memory_available (), ==, 200 * MIB);
  put ("/sys/fs/cgroup/user/memory.stat", "anon 4096\n"
      "inactive_file 20971520\nactive_file 10485760\n");
  CHECK_INT (stereo_memory_available (), ==, 230 * MIB);

  /* usage above the limit */
  put ("/sys/fs/cgroup/user/memory.current", "419430400\n");
  CHECK_INT (stereo_memory_available (), ==, 0);
}

/* In a container the group may have its name on the host, which does not exist
 * here; the limit is that of the topmost visible group. */
TEST (test_container)
{
  simulate_machine ();
  put ("/proc/self/cgroup", "0::/not/to/be/seen\n");
  put ("/sys/fs/cgroup/memory.max", "104857600\n");
  put ("/sys/fs/cgroup/memory.current", "0\n");
  CHECK_INT (stereo_memory_available (), ==, 100 * MIB);
  put ("/proc/self/cgroup", "0::/\n");
  CHECK_INT (stereo_memory_available (), ==, 100 * MIB);
}

TEST (test_group_v1)
{
  simulate_machine ();
  put ("/proc/self/cgroup", "9:cpu:/\n4:memory:/box\n0::/\n");
  put ("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "209715200\n");
  put ("/sys/fs/cgroup/memory/box/memory.usage_in_bytes", "52428800\n");
  put ("/sys/fs/cgroup/memory/box/memory.stat", "active_file 1\n"
      "total_inactive_file 1048576\ntotal_active_file 1048576\n");
  put ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "104857600\n");
  CHECK_INT (stereo_memory_available (), ==, 152 * MIB);
}

TEST (test_check)
{
  StereoMessage why = { "" };

  simulate_machine ();
  CHECK_INT (stereo_memory_check (900 * MIB, &why), ==, STEREO_OK);
  CHECK_STRING (why.text, "");
  CHECK_INT (stereo_memory_check (901 * MIB, &why), ==, STEREO_ERROR_MEMORY);
  CHECK_CONTAINS (why.text, "901.0 MiB are needed");
  CHECK_CONTAINS (why.text, "900.0 MiB are available");
  CHECK_INT (stereo_memory_check (SIZE_MAX, NULL), ==, STEREO_ERROR_MEMORY);

  /* such small amounts are not checked */
  put ("/proc/meminfo", "MemAvailable: 0 kB\n");
  CHECK_INT (stereo_memory_check (STEREO_MEMORY_LEAST - 1, &why), ==,
      STEREO_OK);
  CHECK_INT (stereo_memory_check (STEREO_MEMORY_LEAST, &why), ==,
      STEREO_ERROR_MEMORY);
}

static StereoStatus
configure (StereoMatcher * matcher, StereoParams * params, int size,
    double disparities)
{
  StereoMatcherConfig config = STEREO_MATCHER_CONFIG_INIT;

  config.width = config.height = size;
  config.left = config.right = STEREO_FORMAT_GRAY8;
  config.output = STEREO_FORMAT_GRAY16_LE;
  REQUIRE (stereo_params_set (params, "num-disparities", disparities,
          NULL) == STEREO_OK);
  return stereo_matcher_configure (matcher, &config, params);
}

/* The check fails before the allocation, and the matcher works with a smaller
 * size afterwards. */
TEST (test_matcher)
{
  const StereoAlgorithm *bp = stereo_algorithm_find ("bp");
  SCOPED (stereo_device_unref) StereoDevice *device = NULL;
  SCOPED (stereo_matcher_free) StereoMatcher *matcher = NULL;
  SCOPED (stereo_params_free) StereoParams *params = NULL;

  simulate_machine ();
  REQUIRE (stereo_device_new_cpu (1, STEREO_SIMD_AUTO, &device,
          NULL) == STEREO_OK);
  REQUIRE (stereo_matcher_new (bp, device, &matcher) == STEREO_OK);
  REQUIRE (stereo_params_new (bp, &params) == STEREO_OK);
  CHECK_INT (configure (matcher, params, 8192, 4096), ==,
      STEREO_ERROR_MEMORY);
  CHECK_CONTAINS (stereo_matcher_error (matcher), "MiB are needed");
  CHECK_CONTAINS (stereo_matcher_error (matcher), "900.0 MiB are available");
  CHECK_INT (configure (matcher, params, 256, 16), ==, STEREO_OK);
  put ("/proc/meminfo", "MemAvailable: 999999999 kB\n");
  CHECK_INT (configure (matcher, params, 1024, 64), ==, STEREO_OK);
}

int
main (int argc, char **argv)
{
  char command[600];
  int status;

  REQUIRE (mkdtemp (root) != NULL);
  stereo_memory_pretend (root);
  status = test_run (argc, argv);
  stereo_memory_pretend (NULL);
  snprintf (command, sizeof (command), "rm -rf %s", root);
  REQUIRE (system (command) == 0);
  return status;
}
