/* gst-stereomatching: GObject properties from parameter tables
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "base/gststereoparams.h"

#include "base/gststereodebug.h"
#include "core/params.h"

/* ------------------------------------------------------------------- values */

static gdouble
number_from_value (const StereoParamSpec * spec, const GValue * value)
{
  switch (spec->type) {
    case STEREO_PARAM_BOOL:
      return g_value_get_boolean (value);
    case STEREO_PARAM_INT:
      return g_value_get_int (value);
    case STEREO_PARAM_UINT:
      return g_value_get_uint (value);
    case STEREO_PARAM_ENUM:
      return g_value_get_enum (value);
    case STEREO_PARAM_DOUBLE:
      break;
  }
  return g_value_get_double (value);
}

static void
value_from_number (const StereoParamSpec * spec, gdouble number,
    GValue * value)
{
  switch (spec->type) {
    case STEREO_PARAM_BOOL:
      g_value_set_boolean (value, number != 0);
      break;
    case STEREO_PARAM_INT:
      g_value_set_int (value, (gint) number);
      break;
    case STEREO_PARAM_UINT:
      g_value_set_uint (value, (guint) number);
      break;
    case STEREO_PARAM_ENUM:
      g_value_set_enum (value, (gint) number);
      break;
    case STEREO_PARAM_DOUBLE:
      g_value_set_double (value, number);
      break;
  }
}

/* -------------------------------------------------------------------- specs */

/* "GstStereo" "Vcbw" "Windows" for the parameter "windows" of "vcbw". */
static GType
make_enum (const gchar * owner, const StereoParamSpec * spec)
{
  GString *name = g_string_new ("GstStereo");
  const gchar *words[] = { owner, spec->name };
  guint n = (guint) spec->maximum + 1;
  GEnumValue *values = g_new0 (GEnumValue, n + 1);
  GType type;

  for (guint w = 0; w < G_N_ELEMENTS (words); w++) {
    gboolean upper = TRUE;

    for (const gchar * c = words[w]; *c != '\0'; c++) {
      if (*c == '-')
        upper = TRUE;
      else
        g_string_append_c (name, upper ? g_ascii_toupper (*c) : *c);
      if (*c != '-')
        upper = FALSE;
    }
  }
  for (guint i = 0; i < n; i++) {
    values[i].value = (gint) i;
    values[i].value_name = spec->values[i].blurb;
    values[i].value_nick = spec->values[i].nick;
  }
  type = g_type_from_name (name->str);
  if (type == 0) {
    /* the type keeps values for ever */
    type = g_enum_register_static (name->str, values);
    gst_type_mark_as_plugin_api (type, 0);
  } else {
    g_free (values);
  }
  g_string_free (name, TRUE);
  return type;
}

static GParamSpec *
make_pspec (const gchar * owner, const StereoParamSpec * spec, gdouble initial)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | GST_PARAM_CONTROLLABLE | GST_PARAM_MUTABLE_PLAYING;
  const gchar *name = spec->name, *blurb = spec->blurb;

  switch (spec->type) {
    case STEREO_PARAM_BOOL:
      return g_param_spec_boolean (name, name, blurb, initial != 0, flags);
    case STEREO_PARAM_INT:
      return g_param_spec_int (name, name, blurb, (gint) spec->minimum,
          (gint) spec->maximum, (gint) initial, flags);
    case STEREO_PARAM_UINT:
      return g_param_spec_uint (name, name, blurb, (guint) spec->minimum,
          (guint) spec->maximum, (guint) initial, flags);
    case STEREO_PARAM_ENUM:
      return g_param_spec_enum (name, name, blurb, make_enum (owner, spec),
          (gint) initial, flags);
    case STEREO_PARAM_DOUBLE:
      break;
  }
  return g_param_spec_double (name, name, blurb, spec->minimum, spec->maximum,
      initial, flags);
}

void
gst_stereo_params_install_properties (GObjectClass * klass,
    const StereoAlgorithm * algorithm)
{
  const StereoParamSpec *spec;

  for (guint i = 0; (spec = stereo_algorithm_param (algorithm, i)); i++)
    g_object_class_install_property (klass, i + 1,
        make_pspec (stereo_algorithm_name (algorithm), spec,
            stereo_algorithm_param_initial (algorithm, spec)));
}

/* ------------------------------------------------------------------ tables */

void
gst_stereo_table_install_properties (GObjectClass * klass, guint first,
    const StereoParamSpec * table, const gchar * owner)
{
  for (guint i = 0; table[i].name != NULL; i++)
    g_object_class_install_property (klass, first + i,
        make_pspec (owner, &table[i], table[i].initial));
}

void
gst_stereo_table_init (const StereoParamSpec * table, gpointer params)
{
  for (; table->name != NULL; table++)
    stereo_param_write (table, (gchar *) params + table->offset,
        table->initial);
}

void
gst_stereo_table_set_property (const StereoParamSpec * spec, gpointer params,
    const GValue * value)
{
  stereo_param_write (spec, (gchar *) params + spec->offset,
      number_from_value (spec, value));
}

gboolean
gst_stereo_table_codes_set (const StereoParamSpec * table, guint64 set)
{
  static const gchar *const names[] = { "disparity-scale", "min-disparity",
    "invalid-value", NULL
  };

  for (guint i = 0; table[i].name != NULL; i++) {
    if ((set & (G_GUINT64_CONSTANT (1) << i)) == 0
        && g_strv_contains (names, table[i].name))
      return FALSE;
  }
  return TRUE;
}

void
gst_stereo_table_get_property (const StereoParamSpec * spec,
    gconstpointer params, GValue * value)
{
  value_from_number (spec, stereo_param_read (spec,
          (const gchar *) params + spec->offset), value);
}

/* --------------------------------------------------------------- parameters */

void
gst_stereo_params_init (GstStereoParams * self, GstElement * element,
    const StereoAlgorithm * algorithm)
{
  self->element = element;
  self->algorithm = algorithm;
  self->serial = 0;
  if (stereo_params_new (algorithm, &self->params) != STEREO_OK)
    GST_WARNING_OBJECT (element, "no memory for the parameters");
}

void
gst_stereo_params_clear (GstStereoParams * self)
{
  stereo_params_free (&self->params);
}

void
gst_stereo_params_set_property (GstStereoParams * self, guint id,
    const GValue * value)
{
  const StereoParamSpec *spec =
      stereo_algorithm_param (self->algorithm, id - 1);
  StereoMessage why;
  StereoStatus status;

  if (self->params == NULL)
    return;
  GST_OBJECT_LOCK (self->element);
  status = stereo_params_set (self->params, spec->name,
      number_from_value (spec, value), &why);
  if (status == STEREO_OK)
    self->serial++;
  GST_OBJECT_UNLOCK (self->element);
  if (status != STEREO_OK)
    g_warning ("%s: %s", GST_OBJECT_NAME (self->element), why.text);
}

void
gst_stereo_params_get_property (GstStereoParams * self, guint id,
    GValue * value)
{
  const StereoParamSpec *spec =
      stereo_algorithm_param (self->algorithm, id - 1);
  gdouble number;

  GST_OBJECT_LOCK (self->element);
  if (self->params != NULL
      && stereo_params_get (self->params, spec->name, &number))
    value_from_number (spec, number, value);
  GST_OBJECT_UNLOCK (self->element);
}

gboolean
gst_stereo_params_set_weights (GstStereoParams * self, const gchar * text,
    gsize length, StereoMessage * why)
{
  StereoStatus status = STEREO_OK;
  double cost;

  GST_OBJECT_LOCK (self->element);
  if (self->params != NULL && stereo_params_get (self->params, "cost", &cost)) {
    status = stereo_params_set_weights (self->params, text, length, why);
    self->serial++;
  }
  GST_OBJECT_UNLOCK (self->element);
  return status == STEREO_OK;
}

guint
gst_stereo_params_snapshot (GstStereoParams * self, StereoParams * target)
{
  StereoStatus status;
  guint serial;

  GST_OBJECT_LOCK (self->element);
  status = stereo_params_copy (target, self->params);
  serial = self->serial;
  GST_OBJECT_UNLOCK (self->element);
  /* both are of the same algorithm */
  g_assert (status == STEREO_OK);
  return serial;
}

gboolean
gst_stereo_params_changed (GstStereoParams * self, guint serial)
{
  gboolean changed;

  GST_OBJECT_LOCK (self->element);
  changed = self->serial != serial;
  GST_OBJECT_UNLOCK (self->element);
  return changed;
}
