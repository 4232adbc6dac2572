/* gst-stereomatching: operations on maps, for others
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/image.h"
#include "core/params.h"
#include "core/runner.h"
#include "geometry/cloud.h"
#include "geometry/depth.h"
#include "geometry/view.h"

#include <stdlib.h>
#include <string.h>

#define N_INPUTS STEREO_MAX_INPUTS

/* Room for the parameters of any of them. */
typedef union
{
  StereoDepthParams depth;
  StereoCloudParams cloud;
  StereoViewParams view;
} Params;

typedef struct
{
  const char *name;
  const StereoOp *op;
  const StereoParamSpec *params;
  unsigned n_inputs;
  bool required[N_INPUTS];
  void (*output_size) (const Params * params, int width, int height,
      int *output_width, int *output_height);
} Kind;

struct StereoOperation
{
  const Kind *kind;
  StereoRunner *runner;
  Params params;
  bool changed;                 /* parameters, since it was configured */
  StereoPortSetup inputs[N_INPUTS];
  StereoPortSetup outputs[2];
};

/* ------------------------------------------------------------------- kinds */

static void
same_size (const Params * params, int width, int height, int *output_width,
    int *output_height)
{
  (void) params;
  *output_width = width;
  *output_height = height;
}

static void
size_of_points (const Params * params, int width, int height,
    int *output_width, int *output_height)
{
  const StereoCloudSize size = stereo_cloud_size (&params->cloud, width,
      height);

  *output_width = size.row_words;
  *output_height = size.rows;
}

static void
size_of_frame (const Params * params, int width, int height, int *output_width,
    int *output_height)
{
  stereo_view_frame_size (&params->view, width, height, output_width,
      output_height);
}

static const Kind kinds[] = {
  {
        .name = "depth",
        .op = &stereo_depth_op,
        .params = stereo_depth_params,
        .n_inputs = 1,
        .required = {true},
        .output_size = same_size,
      },
  {
        .name = "points",
        .op = &stereo_cloud_op,
        .params = stereo_cloud_params,
        .n_inputs = 1,
        .required = {true},
        .output_size = size_of_points,
      },
  {
        .name = "view",
        .op = &stereo_view_op,
        .params = stereo_view_params,
        .n_inputs = 3,
        .required = {true, false, true},
        .output_size = size_of_frame,
      },
};

#define N_KINDS (sizeof (kinds) / sizeof (kinds[0]))

static const Kind *
find_kind (const char *name)
{
  for (size_t i = 0; name != NULL && i < N_KINDS; i++) {
    if (strcmp (kinds[i].name, name) == 0)
      return &kinds[i];
  }
  return NULL;
}

static size_t
count_rows (const StereoParamSpec * table)
{
  size_t n = 0;

  while (table[n].name != NULL)
    n++;
  return n;
}

const char *
stereo_operation_name (size_t index)
{
  return index < N_KINDS ? kinds[index].name : NULL;
}

const StereoParamSpec *
stereo_operation_param (const char *name, size_t index)
{
  const Kind *kind = find_kind (name);

  return kind != NULL && index < count_rows (kind->params) ?
      &kind->params[index] : NULL;
}

/* ---------------------------------------------------------------- lifetime */

StereoStatus
stereo_operation_new (const char *name, StereoDevice * device,
    StereoOperation ** operation, StereoMessage * why)
{
  const Kind *kind = find_kind (name);
  StereoOperation *self;
  StereoStatus status;

  if (device == NULL || operation == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "an operation needs a device, and a place to be put");
  if (kind == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "no operation is called '%.64s': it is depth, points or view",
        name != NULL ? name : "");
  self = calloc (1, sizeof (*self));
  if (self == NULL)
    return stereo_fail (why, STEREO_ERROR_MEMORY, "out of memory");
  status = stereo_runner_new (kind->op, device, &self->runner, why);
  if (status != STEREO_OK) {
    free (self);
    return status;
  }
  self->kind = kind;
  self->changed = true;
  for (const StereoParamSpec * spec = kind->params; spec->name; spec++)
    stereo_param_write (spec, (char *) &self->params + spec->offset,
        spec->initial);
  *operation = self;
  return STEREO_OK;
}

void
stereo_operation_free (StereoOperation ** operation)
{
  if (operation == NULL || *operation == NULL)
    return;
  stereo_runner_free (&(*operation)->runner);
  free (*operation);
  *operation = NULL;
}

/* -------------------------------------------------------------- parameters */

static const StereoParamSpec *
find_spec (const StereoOperation * self, const char *name)
{
  const StereoParamSpec *spec = self->kind->params;

  while (spec->name != NULL && strcmp (spec->name, name) != 0)
    spec++;
  return spec->name != NULL ? spec : NULL;
}

/* *spec is the one to set. */
static StereoStatus
look_up (const StereoOperation * self, const char *name,
    const StereoParamSpec ** spec, StereoMessage * why)
{
  if (self == NULL || name == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT, "no parameter is named");
  *spec = find_spec (self, name);
  if (*spec == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s has no parameter '%.64s'", self->kind->name, name);
  return STEREO_OK;
}

static void
write_value (StereoOperation * self, const StereoParamSpec * spec,
    double value)
{
  char *at = (char *) &self->params + spec->offset;

  self->changed |= stereo_param_read (spec, at) != value;
  stereo_param_write (spec, at, value);
}

StereoStatus
stereo_operation_set (StereoOperation * self, const char *name, double value,
    StereoMessage * why)
{
  const StereoParamSpec *spec;
  StereoStatus status = look_up (self, name, &spec, why);

  if (status == STEREO_OK)
    status = stereo_param_check (spec, value, why);
  if (status == STEREO_OK)
    write_value (self, spec, value);
  return status;
}

StereoStatus
stereo_operation_set_text (StereoOperation * self, const char *name,
    const char *text, StereoMessage * why)
{
  const StereoParamSpec *spec;
  StereoStatus status = look_up (self, name, &spec, why);
  double value;

  if (status == STEREO_OK)
    status = stereo_param_parse (spec, text, &value, why);
  if (status == STEREO_OK)
    write_value (self, spec, value);
  return status;
}

bool
stereo_operation_get (const StereoOperation * self, const char *name,
    double *value)
{
  const StereoParamSpec *spec;

  if (value == NULL || look_up (self, name, &spec, NULL) != STEREO_OK)
    return false;
  *value = stereo_param_read (spec, (const char *) &self->params
      + spec->offset);
  return true;
}

/* ------------------------------------------------------------------ frames */

void
stereo_operation_output_size (const StereoOperation * self, int width,
    int height, int *output_width, int *output_height)
{
  self->kind->output_size (&self->params, width, height, output_width,
      output_height);
}

static StereoPortSetup
setup_of (const StereoImage * image)
{
  const StereoFormatInfo *info = stereo_format_info (image->format);

  return (StereoPortSetup) {
  image->format, image->width, image->height,
        info != NULL ? stereo_format_planes (info, true) : 1};
}

static bool
same_setup (const StereoPortSetup * a, const StereoPortSetup * b)
{
  return a->format == b->format && a->width == b->width
      && a->height == b->height && a->n_planes == b->n_planes;
}

/* An image that a frame is without is like the first one. */
static StereoStatus
prepare (StereoOperation * self, const StereoImage * const *inputs,
    const StereoImage * output)
{
  const StereoPortSetup out = setup_of (output);
  StereoStatus status;

  for (unsigned i = 0; i < N_INPUTS; i++) {
    const bool there = i < self->kind->n_inputs && inputs[i] != NULL;
    const StereoPortSetup in = setup_of (inputs[there ? i : 0]);

    self->changed |= !same_setup (&in, &self->inputs[i]);
    self->inputs[i] = in;
  }
  self->changed |= !same_setup (&out, &self->outputs[0]);
  /* the counts of a cloud, which nobody asks for */
  self->outputs[0] = out;
  self->outputs[1] = (StereoPortSetup) {
  STEREO_FORMAT_RGBX, 1, 1, 1};
  if (!self->changed)
    return STEREO_OK;
  status = stereo_runner_configure (self->runner, self->inputs, self->outputs,
      &self->params);
  self->changed = status != STEREO_OK;
  return status;
}

StereoStatus
stereo_operation_process (StereoOperation * self,
    const StereoImage * const *inputs, const StereoImage * output,
    StereoMessage * why)
{
  const StereoImage *in[N_INPUTS] = { NULL }, *out[2] = { output, NULL };
  StereoStatus status;
  int width, height;

  if (self == NULL || inputs == NULL || output == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "an operation needs inputs and an output");
  for (unsigned i = 0; i < self->kind->n_inputs; i++) {
    in[i] = inputs[i];
    if (in[i] == NULL && self->kind->required[i])
      return stereo_fail (why, STEREO_ERROR_ARGUMENT, "%s needs its %s image",
          self->kind->name, self->kind->op->inputs[i].name);
  }
  stereo_operation_output_size (self, in[0]->width, in[0]->height, &width,
      &height);
  if (output->width != width || output->height != height)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the output of %s is %dx%d, but of %dx%d it has to be %dx%d",
        self->kind->name, output->width, output->height, in[0]->width,
        in[0]->height, width, height);
  status = prepare (self, in, output);
  if (status == STEREO_OK)
    status = stereo_runner_process (self->runner, in, out, NULL);
  if (status == STEREO_OK)
    status = stereo_runner_sync (self->runner);
  if (status != STEREO_OK && why != NULL)
    *why = *stereo_runner_message (self->runner);
  return status;
}
