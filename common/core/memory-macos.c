/* gst-stereomatching: available host memory on macOS
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/memory.h"

#include <mach/mach.h>

/* Free and reclaimable pages.  Compressed and swapped memory grows when these
 * are used up, so that this is no limit but a reserve. */
uint64_t
stereo_memory_available (void)
{
  mach_port_t host = mach_host_self ();
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  vm_statistics64_data_t statistics;
  vm_size_t page = 0;
  uint64_t available = UINT64_MAX;

  if (host_page_size (host, &page) == KERN_SUCCESS
      && host_statistics64 (host, HOST_VM_INFO64,
          (host_info64_t) & statistics, &count) == KERN_SUCCESS)
    available = ((uint64_t) statistics.free_count + statistics.inactive_count)
        * (uint64_t) page;
  mach_port_deallocate (mach_task_self (), host);
  return available;
}

/* macOS has no such files. */
void
stereo_memory_pretend (const char *root)
{
  (void) root;
}
