/* gst-stereomatching: public structures that carry their size
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/sized.h"

#include "core/backend.h"

#include <string.h>

/* No structure gets as large: more is a field that was not initialised. */
#define MAX_BYTES 4096

static size_t
smaller (size_t a, size_t b)
{
  return a < b ? a : b;
}

static StereoStatus
get_size (const StereoSizedType * type, const void *structure, size_t *bytes,
    StereoMessage * why)
{
  uint32_t size;

  if (structure == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "%s is missing",
        type->name);
  memcpy (&size, structure, sizeof (size));
  if (size < type->first || size > MAX_BYTES)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "struct_size of %s is %u: set it to sizeof (%s)", type->name, size,
        type->name);
  *bytes = size;
  return STEREO_OK;
}

StereoStatus
stereo_sized_read (const StereoSizedType * type, void *target,
    const void *source, StereoMessage * why)
{
  const uint32_t bytes = (uint32_t) type->bytes;
  const uint8_t *from = source;
  size_t size = 0;
  StereoStatus status = get_size (type, source, &size, why);

  if (status != STEREO_OK)
    return status;
  for (size_t i = type->bytes; i < size; i++) {
    if (from[i] != 0)
      return stereo_fail (why, STEREO_ERROR_UNSUPPORTED,
          "%s has %zu bytes, and byte %zu is set, but version %s of the "
          "library knows only %zu: update the library", type->name, size, i,
          stereo_version (), type->bytes);
  }
  memset (target, 0, type->bytes);
  memcpy (target, source, smaller (size, type->bytes));
  memcpy (target, &bytes, sizeof (bytes));
  return STEREO_OK;
}

StereoStatus
stereo_sized_write (const StereoSizedType * type, void *target,
    const void *source, StereoMessage * why)
{
  const size_t begin = sizeof (uint32_t);
  size_t size = 0, known;
  StereoStatus status = get_size (type, target, &size, why);

  if (status != STEREO_OK)
    return status;
  known = smaller (size, type->bytes);
  memcpy ((uint8_t *) target + begin, (const uint8_t *) source + begin,
      known - begin);
  memset ((uint8_t *) target + known, 0, size - known);
  return STEREO_OK;
}
