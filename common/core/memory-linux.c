/* gst-stereomatching: available host memory on Linux
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PATH 4096
#define MAX_TEXT 16384          /* of /proc/meminfo and memory.stat */

static const char *root = "";

/* Names in version 2 and version 1 of control groups. */
typedef struct
{
  const char *mark;             /* before the group in /proc/self/cgroup */
  const char *mount;
  const char *limit;
  const char *used;
  const char *cache[2];         /* in memory.stat */
} GroupKind;

static const GroupKind group_kinds[] = {
  {
    .mark = "0::",
    .mount = "/sys/fs/cgroup",
    .limit = "memory.max",
    .used = "memory.current",
    .cache = { "\nactive_file ", "\ninactive_file " },
  },
  {
    .mark = ":memory:",
    .mount = "/sys/fs/cgroup/memory",
    .limit = "memory.limit_in_bytes",
    .used = "memory.usage_in_bytes",
    .cache = { "\ntotal_active_file ", "\ntotal_inactive_file " },
  },
};

/* Reads the start of a file, after a newline.  Without stdio, which
 * allocates. */
static bool
read_text (const char *folder, const char *group, const char *name,
    char text[MAX_TEXT])
{
  char path[MAX_PATH];
  size_t size = 1;
  ssize_t n = 1;
  int file;

  if (snprintf (path, sizeof (path), "%s%s%s%s", root, folder, group,
          name) >= (int) sizeof (path))
    return false;
  file = open (path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  text[0] = '\n';
  while (n > 0 && size < MAX_TEXT - 1) {
    n = read (file, text + size, MAX_TEXT - 1 - size);
    if (n > 0)
      size += (size_t) n;
    else if (n < 0 && errno == EINTR)
      n = 1;
  }
  text[size] = '\0';
  close (file);
  return n >= 0;
}

/* Parses the number after a word; false if there is none ("max"). */
static bool
number_after (const char *text, const char *word, uint64_t * number)
{
  const char *found = strstr (text, word);
  char *end;

  if (found == NULL)
    return false;
  found += strlen (word);
  *number = strtoull (found, &end, 10);
  return end != found;
}

static uint64_t
machine_available (void)
{
  char text[MAX_TEXT];
  uint64_t kib;

  if (!read_text ("/proc", "", "/meminfo", text)
      || !number_after (text, "\nMemAvailable:", &kib)
      || kib > UINT64_MAX / 1024)
    return UINT64_MAX;
  return kib * 1024;
}

/* Available in one control group, without its ancestors. */
static uint64_t
group_available (const GroupKind * kind, const char *group)
{
  char text[MAX_TEXT], file[64];
  uint64_t limit, used, cache = 0, part;

  snprintf (file, sizeof (file), "/%s", kind->limit);
  if (!read_text (kind->mount, group, file, text)
      || !number_after (text, "\n", &limit))
    return UINT64_MAX;
  snprintf (file, sizeof (file), "/%s", kind->used);
  if (!read_text (kind->mount, group, file, text)
      || !number_after (text, "\n", &used))
    return UINT64_MAX;
  if (read_text (kind->mount, group, "/memory.stat", text)) {
    for (size_t i = 0; i < 2; i++) {
      if (number_after (text, kind->cache[i], &part))
        cache += part;
    }
  }
  used -= cache < used ? cache : used;
  return limit > used ? limit - used : 0;
}

/* Minimum over the process's group and its ancestors.  A container may see its
 * group as the root under another name: missing groups are skipped. */
static uint64_t
groups_available (const GroupKind * kind, const char *groups)
{
  char group[MAX_PATH];
  const char *found = strstr (groups, kind->mark);
  uint64_t least = UINT64_MAX;
  size_t length;

  if (found == NULL)
    return least;
  found += strlen (kind->mark);
  length = strcspn (found, "\n");
  if (length >= sizeof (group))
    return least;
  memcpy (group, found, length);
  group[length] = '\0';

  for (;;) {
    uint64_t available;
    char *slash = strrchr (group, '/');

    if (slash != NULL && slash[1] == '\0')
      *slash = '\0';
    available = group_available (kind, group);
    if (available < least)
      least = available;
    slash = strrchr (group, '/');
    if (slash == NULL)
      return least;
    *slash = '\0';
  }
}

uint64_t
stereo_memory_available (void)
{
  char groups[MAX_TEXT];
  uint64_t least = machine_available ();

  if (!read_text ("/proc", "/self", "/cgroup", groups))
    return least;
  for (size_t i = 0; i < sizeof (group_kinds) / sizeof (group_kinds[0]); i++) {
    uint64_t available = groups_available (&group_kinds[i], groups);

    if (available < least)
      least = available;
  }
  return least;
}

void
stereo_memory_pretend (const char *folder)
{
  root = folder ? folder : "";
}
