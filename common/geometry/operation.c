/* gst-stereomatching: the operations of stereo.h
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "core/params.h"
#include "core/runner.h"
#include "geometry/cloud.h"
#include "geometry/depth.h"
#include "geometry/view.h"

#include <stdlib.h>
#include <string.h>

#define MAX_INPUTS 3

/* The parameters of any of them. */
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
  bool required[MAX_INPUTS];
  void (*output_size) (const Params * params, int width, int height,
      int *output_width, int *output_height);
} Kind;

struct StereoOperation
{
  const Kind *kind;
  StereoRunner *runner;
  Params params;
  bool changed;                 /* parameters or sizes, since configured */
  StereoPortSetup inputs[MAX_INPUTS];
  StereoPortSetup outputs[2];
};

/* ------------------------------------------------------------------- kinds */

static void
get_depth_size (const Params * params, int width, int height,
    int *output_width, int *output_height)
{
  (void) params;
  *output_width = width;
  *output_height = height;
}

static void
get_cloud_size (const Params * params, int width, int height,
    int *output_width, int *output_height)
{
  const StereoCloudSize size = stereo_cloud_size (&params->cloud, width,
      height);

  *output_width = size.columns;
  *output_height = size.rows;
}

static void
get_view_size (const Params * params, int width, int height, int *output_width,
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
        .output_size = get_depth_size,
      },
  {
        .name = "points",
        .op = &stereo_cloud_op,
        .params = stereo_cloud_params,
        .n_inputs = 1,
        .required = {true},
        .output_size = get_cloud_size,
      },
  {
        .name = "view",
        .op = &stereo_view_op,
        .params = stereo_view_params,
        .n_inputs = 3,
        .required = {true, false, true},
        .output_size = get_view_size,
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

const char *
stereo_operation_name (size_t index)
{
  return index < N_KINDS ? kinds[index].name : NULL;
}

const StereoParamSpec *
stereo_operation_param (const char *name, size_t index)
{
  const Kind *kind = find_kind (name);
  const StereoParamSpec *spec = kind != NULL ? kind->params : NULL;

  while (spec != NULL && spec->name != NULL && index-- > 0)
    spec++;
  return spec != NULL && spec->name != NULL ? spec : NULL;
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
        "device or operation is NULL");
  if (kind == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "unknown operation '%.64s': expected depth, points or view",
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

static StereoStatus
find_spec (const StereoOperation * self, const char *name,
    const StereoParamSpec ** spec, StereoMessage * why)
{
  if (self == NULL || name == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "operation or parameter name is NULL");
  *spec = self->kind->params;
  while ((*spec)->name != NULL && strcmp ((*spec)->name, name) != 0)
    ++*spec;
  if ((*spec)->name == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s has no parameter '%.64s'", self->kind->name, name);
  return STEREO_OK;
}

static void
set_value (StereoOperation * self, const StereoParamSpec * spec, double value)
{
  char *at = (char *) &self->params + spec->offset;

  self->changed |= stereo_param_read (spec, at) != value;
  stereo_param_write (spec, at, value);
}

StereoStatus
stereo_operation_set (StereoOperation * self, const char *name, double value,
    StereoMessage * why)
{
  const StereoParamSpec *spec = NULL;
  StereoStatus status = find_spec (self, name, &spec, why);

  if (status == STEREO_OK)
    status = stereo_param_check (spec, value, why);
  if (status == STEREO_OK)
    set_value (self, spec, value);
  return status;
}

StereoStatus
stereo_operation_set_text (StereoOperation * self, const char *name,
    const char *text, StereoMessage * why)
{
  const StereoParamSpec *spec = NULL;
  StereoStatus status = find_spec (self, name, &spec, why);
  double value;

  if (status == STEREO_OK)
    status = stereo_param_parse (spec, text, &value, why);
  if (status == STEREO_OK)
    set_value (self, spec, value);
  return status;
}

bool
stereo_operation_get (const StereoOperation * self, const char *name,
    double *value)
{
  const StereoParamSpec *spec = NULL;

  if (value == NULL || find_spec (self, name, &spec, NULL) != STEREO_OK)
    return false;
  *value = stereo_param_read (spec, (const char *) &self->params
      + spec->offset);
  return true;
}

/* ------------------------------------------------------------------ frames */

StereoStatus
stereo_operation_output_size (const StereoOperation * self, int width,
    int height, int *output_width, int *output_height, StereoMessage * why)
{
  int out_width, out_height;

  if (self == NULL || output_width == NULL || output_height == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "operation, output width or output height is NULL");
  if (width < 1 || height < 1 || width > STEREO_MAX_SIZE
      || height > STEREO_MAX_SIZE)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "%s cannot take an image of %dx%d: width and height go from 1 to %d",
        self->kind->name, width, height, STEREO_MAX_SIZE);
  self->kind->output_size (&self->params, width, height, &out_width,
      &out_height);
  if (out_width > STEREO_MAX_SIZE || out_height > STEREO_MAX_SIZE)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "the output of %s for an input of %dx%d would be %dx%d: width and "
        "height go from 1 to %d", self->kind->name, width, height, out_width,
        out_height, STEREO_MAX_SIZE);
  *output_width = out_width;
  *output_height = out_height;
  return STEREO_OK;
}

/* A missing image is configured as the first one. */
static StereoStatus
configure_operation (StereoOperation * self, const StereoImage * const *inputs,
    const StereoImage * output)
{
  const StereoPortSetup out = stereo_port_setup_of (output);
  StereoStatus status;

  for (unsigned i = 0; i < MAX_INPUTS; i++) {
    const StereoPortSetup in = stereo_port_setup_of (inputs[inputs[i] != NULL
            ? i : 0]);

    self->changed |= !stereo_port_setup_equal (&in, &self->inputs[i]);
    self->inputs[i] = in;
  }
  self->changed |= !stereo_port_setup_equal (&out, &self->outputs[0]);
  self->outputs[0] = out;
  /* the counts of a packed cloud, which is not available here */
  self->outputs[1] = (StereoPortSetup) {
  STEREO_FORMAT_U32, 1, 1, 1};
  if (!self->changed)
    return STEREO_OK;
  status = stereo_runner_configure (self->runner, self->inputs, self->outputs,
      &self->params);
  self->changed = status != STEREO_OK;
  return status;
}

/* Fills in[] with the images that the operation has. */
static StereoStatus
get_inputs (const StereoOperation * self, const StereoImage * const *inputs,
    size_t n_inputs, const StereoImage * in[MAX_INPUTS], StereoMessage * why)
{
  const Kind *kind = self->kind;

  for (size_t i = kind->n_inputs; i < n_inputs; i++) {
    if (inputs[i] != NULL)
      return stereo_fail (why, STEREO_ERROR_ARGUMENT,
          "%s takes %u image%s, so image %zu must be NULL", kind->name,
          kind->n_inputs, kind->n_inputs == 1 ? "" : "s", i + 1);
  }
  for (unsigned i = 0; i < kind->n_inputs; i++) {
    in[i] = i < n_inputs ? inputs[i] : NULL;
    if (in[i] == NULL && kind->required[i])
      return stereo_fail (why, STEREO_ERROR_ARGUMENT, "%s needs its %s image",
          kind->name, kind->op->inputs[i].name);
  }
  return STEREO_OK;
}

StereoStatus
stereo_operation_process (StereoOperation * self,
    const StereoImage * const *inputs, size_t n_inputs,
    const StereoImage * output, StereoMessage * why)
{
  const StereoImage *in[MAX_INPUTS] = { NULL }, *out[2] = { output, NULL };
  StereoStatus status;
  int width, height;

  if (self == NULL || inputs == NULL || output == NULL)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "operation, inputs or output is NULL");
  if ((status = get_inputs (self, inputs, n_inputs, in, why))
      || (status = stereo_operation_output_size (self, in[0]->width,
              in[0]->height, &width, &height, why)))
    return status;
  if (output->width != width || output->height != height)
    return stereo_fail (why, STEREO_ERROR_ARGUMENT,
        "expected an output of %s of %dx%d for an input of %dx%d, got %dx%d",
        self->kind->name, width, height, in[0]->width, in[0]->height,
        output->width, output->height);
  status = configure_operation (self, in, output);
  if (status == STEREO_OK)
    status = stereo_runner_process (self->runner, in, out, NULL);
  if (status == STEREO_OK)
    status = stereo_runner_sync (self->runner);
  if (status != STEREO_OK && why != NULL)
    *why = *stereo_runner_message (self->runner);
  return status;
}
