/* gst-stereomatching: an element's properties for a page
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "properties.h"

#include <gst/base/base.h>
#include <math.h>
#include <string.h>

/* Of a double, in JSON: 2 to the power of 53. */
#define MOST_WHOLE (G_GUINT64_CONSTANT (1) << 53)

typedef enum
{
  KIND_NONE,
  KIND_INT,
  KIND_UINT,
  KIND_DOUBLE,
  KIND_BOOL,
  KIND_ENUM,
  KIND_FLAGS,
  KIND_STRING
} Kind;

static const gchar *const kind_names[] = {
  [KIND_INT] = "int",
  [KIND_UINT] = "uint",
  [KIND_DOUBLE] = "double",
  [KIND_BOOL] = "bool",
  [KIND_ENUM] = "enum",
  [KIND_FLAGS] = "flags",
  [KIND_STRING] = "string",
};

static Kind
kind_of (GParamSpec * property)
{
  switch (G_TYPE_FUNDAMENTAL (property->value_type)) {
    case G_TYPE_INT:
    case G_TYPE_INT64:
    case G_TYPE_LONG:
      return KIND_INT;
    case G_TYPE_UINT:
    case G_TYPE_UINT64:
    case G_TYPE_ULONG:
      return KIND_UINT;
    case G_TYPE_FLOAT:
    case G_TYPE_DOUBLE:
      return KIND_DOUBLE;
    case G_TYPE_BOOLEAN:
      return KIND_BOOL;
    case G_TYPE_ENUM:
      return KIND_ENUM;
    case G_TYPE_FLAGS:
      return KIND_FLAGS;
    case G_TYPE_STRING:
      return KIND_STRING;
    default:
      return KIND_NONE;
  }
}

static gboolean
is_for_pages (GstElement * element, GParamSpec * property)
{
  const GType owner = property->owner_type;

  if (strcmp (property->name, TUNE_PROFILING) == 0)
    return FALSE;
  if (GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SOURCE)
      && !tune_property_is_live (property))
    return FALSE;
  return (property->flags & G_PARAM_READWRITE) == G_PARAM_READWRITE
      && !(property->flags & (G_PARAM_CONSTRUCT_ONLY | G_PARAM_DEPRECATED))
      && kind_of (property) != KIND_NONE
      && owner != GST_TYPE_OBJECT && owner != GST_TYPE_ELEMENT
      && owner != GST_TYPE_BASE_TRANSFORM && owner != GST_TYPE_BASE_SRC
      && owner != GST_TYPE_AGGREGATOR && owner != GST_TYPE_PUSH_SRC;
}

GParamSpec **
tune_properties_list (GstElement * element)
{
  guint n = 0, kept = 0;
  GParamSpec **all = g_object_class_list_properties
      (G_OBJECT_GET_CLASS (element), &n);
  GParamSpec **list = g_new0 (GParamSpec *, n + 1);

  for (guint own = 2; own-- > 0;) {
    for (guint i = 0; i < n; i++) {
      if (is_for_pages (element, all[i])
          && (all[i]->owner_type == G_OBJECT_TYPE (element)) == own)
        list[kept++] = all[i];
    }
  }
  g_free (all);
  return list;
}

GParamSpec *
tune_properties_find (GstElement * element, const gchar * name)
{
  GParamSpec *property = g_object_class_find_property
      (G_OBJECT_GET_CLASS (element), name);

  return property != NULL && is_for_pages (element, property) ? property : NULL;
}

gboolean
tune_property_is_live (GParamSpec * property)
{
  return (property->flags & (GST_PARAM_MUTABLE_PLAYING
          | GST_PARAM_CONTROLLABLE)) != 0
      || !(property->flags & (GST_PARAM_MUTABLE_READY
          | GST_PARAM_MUTABLE_PAUSED));
}

/* ------------------------------------------------------------------ values */

/* Numbers that a double can't hold are texts. */
static JsonNode *
whole_node (guint64 value)
{
  gchar *text;
  JsonNode *node = json_node_alloc ();

  if (value <= MOST_WHOLE)
    return json_node_init_int (node, (gint64) value);
  text = g_strdup_printf ("%" G_GUINT64_FORMAT, value);
  json_node_init_string (node, text);
  g_free (text);
  return node;
}

/* The names of those that are set. */
static JsonNode *
flags_node (const GValue * value)
{
  GFlagsClass *klass = g_type_class_ref (G_VALUE_TYPE (value));
  const guint flags = g_value_get_flags (value);
  JsonArray *array = json_array_new ();
  JsonNode *node = json_node_alloc ();

  for (guint i = 0; i < klass->n_values; i++) {
    if (klass->values[i].value != 0
        && (flags & klass->values[i].value) == klass->values[i].value)
      json_array_add_string_element (array, klass->values[i].value_nick);
  }
  json_node_init_array (node, array);
  json_array_unref (array);
  g_type_class_unref (klass);
  return node;
}

static JsonNode *
enum_node (const GValue * value)
{
  GEnumClass *klass = g_type_class_ref (G_VALUE_TYPE (value));
  GEnumValue *choice = g_enum_get_value (klass, g_value_get_enum (value));
  JsonNode *node = json_node_init_string (json_node_alloc (),
      choice != NULL ? choice->value_nick : "");

  g_type_class_unref (klass);
  return node;
}

static JsonNode *
node_of (const GValue * value)
{
  JsonNode *node;

  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_INT:
      return json_node_init_int (json_node_alloc (), g_value_get_int (value));
    case G_TYPE_INT64:
      return json_node_init_int (json_node_alloc (), g_value_get_int64 (value));
    case G_TYPE_LONG:
      return json_node_init_int (json_node_alloc (), g_value_get_long (value));
    case G_TYPE_UINT:
      return json_node_init_int (json_node_alloc (), g_value_get_uint (value));
    case G_TYPE_UINT64:
      return whole_node (g_value_get_uint64 (value));
    case G_TYPE_ULONG:
      return whole_node (g_value_get_ulong (value));
    case G_TYPE_FLOAT:
      return json_node_init_double (json_node_alloc (),
          (gdouble) g_value_get_float (value));
    case G_TYPE_DOUBLE:
      return json_node_init_double (json_node_alloc (),
          g_value_get_double (value));
    case G_TYPE_BOOLEAN:
      return json_node_init_boolean (json_node_alloc (),
          g_value_get_boolean (value));
    case G_TYPE_ENUM:
      return enum_node (value);
    case G_TYPE_FLAGS:
      return flags_node (value);
    default:
      node = json_node_alloc ();
      return json_node_init_string (node, g_value_get_string (value) ? : "");
  }
}

JsonNode *
tune_property_get (GstElement * element, GParamSpec * property)
{
  GValue value = G_VALUE_INIT;
  JsonNode *node;

  g_value_init (&value, property->value_type);
  g_object_get_property (G_OBJECT (element), property->name, &value);
  node = node_of (&value);
  g_value_unset (&value);
  return node;
}

gboolean
tune_property_is_default (GstElement * element, GParamSpec * property)
{
  GValue value = G_VALUE_INIT;
  gboolean same;

  g_value_init (&value, property->value_type);
  g_object_get_property (G_OBJECT (element), property->name, &value);
  same = g_param_value_defaults (property, &value);
  g_value_unset (&value);
  return same;
}

void
tune_property_reset (GstElement * element, GParamSpec * property)
{
  g_object_set_property (G_OBJECT (element), property->name,
      g_param_spec_get_default_value (property));
}

/* ----------------------------------------------------------------- setting */

static gboolean
wrong_kind (GParamSpec * property, const gchar * right, gchar ** why)
{
  *why = g_strdup_printf ("%s is %s", property->name, right);
  return FALSE;
}

static gchar *
choices_of (GParamSpec * property)
{
  GEnumClass *klass = G_PARAM_SPEC_ENUM (property)->enum_class;
  GString *text = g_string_new ("one of ");

  for (guint i = 0; i < klass->n_values; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
        klass->values[i].value_nick);
  return g_string_free (text, FALSE);
}

static gboolean
set_text (GParamSpec * property, JsonNode * node, GValue * value, gchar ** why)
{
  const gchar *text = JSON_NODE_HOLDS_VALUE (node)
      && json_node_get_value_type (node) == G_TYPE_STRING
      ? json_node_get_string (node) : NULL;
  gchar *choices;

  if (kind_of (property) == KIND_STRING) {
    if (text == NULL)
      return wrong_kind (property, "a text", why);
    g_value_set_string (value, text);
    return TRUE;
  }
  if (text != NULL) {
    GEnumValue *choice = g_enum_get_value_by_nick
        (G_PARAM_SPEC_ENUM (property)->enum_class, text);

    if (choice != NULL) {
      g_value_set_enum (value, choice->value);
      return TRUE;
    }
  }
  choices = choices_of (property);
  wrong_kind (property, choices, why);
  g_free (choices);
  return FALSE;
}

static gboolean
set_flags (GParamSpec * property, JsonNode * node, GValue * value, gchar ** why)
{
  GFlagsClass *klass = G_PARAM_SPEC_FLAGS (property)->flags_class;
  JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node)
      : NULL;
  guint flags = 0;

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++) {
    JsonNode *item = json_array_get_element (array, i);
    GFlagsValue *flag = JSON_NODE_HOLDS_VALUE (item)
        && json_node_get_value_type (item) == G_TYPE_STRING
        ? g_flags_get_value_by_nick (klass, json_node_get_string (item)) : NULL;

    if (flag == NULL)
      return wrong_kind (property, "a list of names of flags", why);
    flags |= flag->value;
  }
  g_value_set_flags (value, flags);
  return array != NULL
      || wrong_kind (property, "a list of names of flags", why);
}

/* A number of 64 bits as text. */
static gboolean
set_long_text (GValue * value, JsonNode * node)
{
  guint64 number;

  if (!G_VALUE_HOLDS_UINT64 (value)
      || json_node_get_value_type (node) != G_TYPE_STRING
      || !g_ascii_string_to_unsigned (json_node_get_string (node), 10, 0,
          G_MAXUINT64, &number, NULL))
    return FALSE;
  g_value_set_uint64 (value, number);
  return TRUE;
}

/* A number to the type's range; the property's is the element's to keep. */
static void
set_number (GValue * value, gdouble number)
{
  const gdouble whole = rint (number);

  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_INT:
      g_value_set_int (value, (gint) CLAMP (whole, G_MININT, G_MAXINT));
      break;
    case G_TYPE_UINT:
      g_value_set_uint (value, (guint) CLAMP (whole, 0, G_MAXUINT));
      break;
    case G_TYPE_INT64:
      g_value_set_int64 (value, (gint64) CLAMP (whole, -0x1p62, 0x1p62));
      break;
    case G_TYPE_UINT64:
      /* -1 is the largest one, as the descriptions have it */
      g_value_set_uint64 (value, whole < 0 ? G_MAXUINT64
          : (guint64) MIN (whole, 0x1p62));
      break;
    case G_TYPE_LONG:
      g_value_set_long (value, (glong) CLAMP (whole, -0x1p30, 0x1p30));
      break;
    case G_TYPE_ULONG:
      g_value_set_ulong (value, (gulong) CLAMP (whole, 0, 0x1p30));
      break;
    case G_TYPE_FLOAT:
      g_value_set_float (value, (gfloat) number);
      break;
    default:
      g_value_set_double (value, number);
      break;
  }
}

static gboolean
fill (GParamSpec * property, JsonNode * node, GValue * value, gchar ** why)
{
  const GType type = JSON_NODE_HOLDS_VALUE (node)
      ? json_node_get_value_type (node) : G_TYPE_NONE;

  switch (kind_of (property)) {
    case KIND_BOOL:
      if (type != G_TYPE_BOOLEAN)
        return wrong_kind (property, "true or false", why);
      g_value_set_boolean (value, json_node_get_boolean (node));
      return TRUE;
    case KIND_INT:
    case KIND_UINT:
    case KIND_DOUBLE:
      if (type == G_TYPE_STRING && set_long_text (value, node))
        return TRUE;
      if ((type != G_TYPE_INT64 && type != G_TYPE_DOUBLE)
          || !isfinite (json_node_get_double (node)))
        return wrong_kind (property, "a number", why);
      set_number (value, json_node_get_double (node));
      return TRUE;
    case KIND_FLAGS:
      return set_flags (property, node, value, why);
    default:
      return set_text (property, node, value, why);
  }
}

gboolean
tune_property_set (GstElement * element, GParamSpec * property,
    JsonNode * node, gchar ** why)
{
  GValue value = G_VALUE_INIT;
  gboolean good;

  g_value_init (&value, property->value_type);
  good = fill (property, node, &value, why);
  if (good) {
    /* what is left of the range is clamped */
    g_param_value_validate (property, &value);
    g_object_set_property (G_OBJECT (element), property->name, &value);
  }
  g_value_unset (&value);
  return good;
}

/* ------------------------------------------------------------- description */

static void
add_number (JsonBuilder * builder, const gchar * name, gdouble value,
    gboolean whole)
{
  json_builder_set_member_name (builder, name);
  if (whole)
    json_builder_add_int_value (builder, (gint64) value);
  else
    json_builder_add_double_value (builder, value);
}

static void
add_node (JsonBuilder * builder, const gchar * name, JsonNode * node)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_value (builder, node);
}

static void
add_range (JsonBuilder * builder, GParamSpec * property)
{
  gdouble least, most;
  gboolean whole = TRUE;

  if (G_IS_PARAM_SPEC_INT (property)) {
    least = G_PARAM_SPEC_INT (property)->minimum;
    most = G_PARAM_SPEC_INT (property)->maximum;
  } else if (G_IS_PARAM_SPEC_UINT (property)) {
    least = G_PARAM_SPEC_UINT (property)->minimum;
    most = G_PARAM_SPEC_UINT (property)->maximum;
  } else if (G_IS_PARAM_SPEC_UINT64 (property)) {
    add_node (builder, "min", whole_node
        (G_PARAM_SPEC_UINT64 (property)->minimum));
    add_node (builder, "max", whole_node
        (G_PARAM_SPEC_UINT64 (property)->maximum));
    return;
  } else if (G_IS_PARAM_SPEC_INT64 (property)) {
    least = -0x1p53;
    most = 0x1p53;
  } else if (G_IS_PARAM_SPEC_DOUBLE (property)) {
    least = G_PARAM_SPEC_DOUBLE (property)->minimum;
    most = G_PARAM_SPEC_DOUBLE (property)->maximum;
    whole = FALSE;
  } else if (G_IS_PARAM_SPEC_FLOAT (property)) {
    least = (gdouble) G_PARAM_SPEC_FLOAT (property)->minimum;
    most = (gdouble) G_PARAM_SPEC_FLOAT (property)->maximum;
    whole = FALSE;
  } else {
    return;
  }
  add_number (builder, "min", least, whole);
  add_number (builder, "max", most, whole);
}

static void
add_text (JsonBuilder * builder, const gchar * name, const gchar * value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
add_choice (JsonBuilder * builder, const gchar * nick, const gchar * title)
{
  json_builder_begin_object (builder);
  add_text (builder, "nick", nick);
  add_text (builder, "title", title);
  json_builder_end_object (builder);
}

static void
add_choices (JsonBuilder * builder, GParamSpec * property)
{
  if (!G_IS_PARAM_SPEC_ENUM (property) && !G_IS_PARAM_SPEC_FLAGS (property))
    return;
  json_builder_set_member_name (builder, "choices");
  json_builder_begin_array (builder);
  if (G_IS_PARAM_SPEC_ENUM (property)) {
    GEnumClass *klass = G_PARAM_SPEC_ENUM (property)->enum_class;

    for (guint i = 0; i < klass->n_values; i++)
      add_choice (builder, klass->values[i].value_nick,
          klass->values[i].value_name);
  } else {
    GFlagsClass *klass = G_PARAM_SPEC_FLAGS (property)->flags_class;

    for (guint i = 0; i < klass->n_values; i++)
      add_choice (builder, klass->values[i].value_nick,
          klass->values[i].value_name);
  }
  json_builder_end_array (builder);
}

/* The unit that a description ends with: ", in pixels" or "in metres (...)". */
static gchar *
unit_of (const gchar * blurb)
{
  static const gchar *const units[] = { "pixels", "metres", "nanoseconds",
    "grey levels", "disparities", "percent"
  };

  for (guint i = 0; blurb != NULL && i < G_N_ELEMENTS (units); i++) {
    gchar *phrase = g_strdup_printf ("in %s", units[i]);
    const gboolean found = strstr (blurb, phrase) != NULL;

    g_free (phrase);
    if (found)
      return g_strdup (units[i]);
  }
  return NULL;
}

void
tune_property_describe (GstElement * element, GParamSpec * property,
    JsonBuilder * builder)
{
  const gchar *blurb = g_param_spec_get_blurb (property);
  gchar *unit = unit_of (blurb);

  add_text (builder, "name", property->name);
  add_text (builder, "nick", g_param_spec_get_nick (property));
  add_text (builder, "blurb", blurb != NULL ? blurb : "");
  add_text (builder, "kind", kind_names[kind_of (property)]);
  add_range (builder, property);
  if (unit != NULL)
    add_text (builder, "unit", unit);
  g_free (unit);
  add_node (builder, "default",
      node_of (g_param_spec_get_default_value (property)));
  add_node (builder, "value", tune_property_get (element, property));
  json_builder_set_member_name (builder, "live");
  json_builder_add_boolean_value (builder, tune_property_is_live (property));
  add_choices (builder, property);
}

/* -------------------------------------------------------------- all of them */

/* The fewest digits that are read as the same number. */
static gchar *
double_text (gdouble value)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  for (gint digits = 1; digits < 17; digits++) {
    gchar format[8];

    g_snprintf (format, sizeof (format), "%%.%dg", digits);
    g_ascii_formatd (text, sizeof (text), format, value);
    if (g_ascii_strtod (text, NULL) == value)
      return g_strdup (text);
  }
  return g_strdup (g_ascii_dtostr (text, sizeof (text), value));
}

/* As gst-launch-1.0 and a shell take it. */
static gchar *
text_of (const GValue * value)
{
  GEnumValue *choice;

  if (G_VALUE_HOLDS_STRING (value))
    return g_shell_quote (g_value_get_string (value) ? : "");
  if (G_VALUE_HOLDS_DOUBLE (value))
    return double_text (g_value_get_double (value));
  if (!G_VALUE_HOLDS_ENUM (value))
    return gst_value_serialize (value);
  choice = g_enum_get_value (g_type_class_peek (G_VALUE_TYPE (value)),
      g_value_get_enum (value));
  return g_strdup (choice != NULL ? choice->value_nick : "");
}

gchar *
tune_properties_text (GstElement * element)
{
  GParamSpec **list = tune_properties_list (element);
  GString *text = g_string_new (NULL);

  for (guint i = 0; list[i] != NULL; i++) {
    GValue value = G_VALUE_INIT;
    gchar *word;

    if (tune_property_is_default (element, list[i]))
      continue;
    g_value_init (&value, list[i]->value_type);
    g_object_get_property (G_OBJECT (element), list[i]->name, &value);
    word = text_of (&value);
    g_string_append_printf (text, " %s=%s", list[i]->name, word);
    g_free (word);
    g_value_unset (&value);
  }
  g_free (list);
  return g_string_free (text, FALSE);
}

gchar **
tune_presets_list (GstElement * element)
{
  gchar **names = GST_IS_PRESET (element)
      ? gst_preset_get_preset_names (GST_PRESET (element)) : NULL;

  return names != NULL ? names : g_new0 (gchar *, 1);
}

/* Resets in element what the preset sets in other, a new one of its kind. */
static void
reset_as_preset (GstElement * element, GstElement * other, const gchar * name)
{
  GParamSpec **list = tune_properties_list (element);

  gst_preset_load_preset (GST_PRESET (other), name);
  for (guint i = 0; list[i] != NULL; i++) {
    if (!tune_property_is_default (other, list[i]))
      tune_property_reset (element, list[i]);
  }
  g_free (list);
}

gboolean
tune_preset_load (GstElement * element, const gchar * name)
{
  gchar **names = tune_presets_list (element);
  const gboolean there = g_strv_contains ((const gchar * const *) names, name);

  for (guint i = 0; there && names[i] != NULL; i++) {
    GstElement *other = gst_element_factory_create
        (gst_element_get_factory (element), NULL);

    gst_object_ref_sink (other);
    reset_as_preset (element, other, names[i]);
    gst_object_unref (other);
  }
  g_strfreev (names);
  return there && gst_preset_load_preset (GST_PRESET (element), name);
}
