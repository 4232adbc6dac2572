/* gst-stereomatching: public structures that carry their size
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * A program built with another version of the library may have shorter or
 * longer structures.  Both begin with their size, a uint32_t.
 */

#ifndef STEREO_SIZED_H
#define STEREO_SIZED_H

#include "stereo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a type up to and including a field. */
#define STEREO_SIZED_END(type, field) \
    (offsetof (type, field) + sizeof (((type *) NULL)->field))

typedef struct
{
  const char *name;             /* of the type, for messages */
  size_t first;                 /* bytes in the first version of the library */
  size_t bytes;                 /* in this version */
} StereoSizedType;

/* Copies a program's structure to one of this version.  Missing fields become
 * 0.  STEREO_ERROR_UNSUPPORTED if it sets a field unknown to this version. */
StereoStatus stereo_sized_read (const StereoSizedType * type, void *target,
    const void *source, StereoMessage * why);

/* Copies a structure of this version to a program's.  Unknown fields become 0;
 * the size is kept. */
StereoStatus stereo_sized_write (const StereoSizedType * type, void *target,
    const void *source, StereoMessage * why);

#ifdef __cplusplus
}
#endif

#endif /* STEREO_SIZED_H */
