/* gst-stereomatching: matchers, and properties of elements as JSON
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "elements.h"

#include "alignment.h"
#include "stereo.h"

#include <gst/base/base.h>
#include <math.h>
#include <string.h>

gboolean
tune_has_weights (GstElement * element)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (element),
      TUNE_WEIGHTS) != NULL;
}

gboolean
tune_weights_check (const gchar * path, gchar ** why)
{
  StereoParams *params = NULL;
  StereoMessage reason = { "" };
  StereoStatus status = stereo_params_new (stereo_algorithm_find ("sgm"),
      &params);

  if (status == STEREO_OK)
    status = stereo_params_set_text (params, TUNE_WEIGHTS, path, &reason);
  if (status != STEREO_OK)
    *why = g_strdup (reason.text[0] != '\0' ? reason.text
        : stereo_status_name (status));
  stereo_params_free (&params);
  return status == STEREO_OK;
}

/* The largest integer up to which a double is exact. */
#define MAX_EXACT (G_GUINT64_CONSTANT (1) << 53)

/* The name of a type that the page supports, or NULL. */
static const gchar *
kind_of (GParamSpec * property)
{
  switch (G_TYPE_FUNDAMENTAL (property->value_type)) {
    case G_TYPE_INT:
    case G_TYPE_INT64:
      return "int";
    case G_TYPE_UINT:
    case G_TYPE_UINT64:
      return "uint";
    case G_TYPE_DOUBLE:
      return "double";
    case G_TYPE_BOOLEAN:
      return "bool";
    case G_TYPE_ENUM:
      return "enum";
    default:
      return NULL;
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
      && kind_of (property) != NULL
      && owner != GST_TYPE_OBJECT && owner != GST_TYPE_ELEMENT
      && owner != GST_TYPE_BASE_TRANSFORM && owner != GST_TYPE_BASE_SRC
      && owner != GST_TYPE_AGGREGATOR && owner != GST_TYPE_PUSH_SRC;
}

GParamSpec **
tune_properties_list (GstElement * element)
{
  guint n = 0, kept = 0;
  g_autofree GParamSpec **all = g_object_class_list_properties
      (G_OBJECT_GET_CLASS (element), &n);
  GParamSpec **list = g_new0 (GParamSpec *, n + 1);

  for (guint own = 2; own-- > 0;) {
    for (guint i = 0; i < n; i++) {
      if (is_for_pages (element, all[i])
          && (all[i]->owner_type == G_OBJECT_TYPE (element)) == own)
        list[kept++] = all[i];
    }
  }
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
  /* other elements are before the matcher with alignment=correct */
  if (strcmp (property->name, TUNE_ALIGNMENT) == 0)
    return FALSE;
  return (property->flags & (GST_PARAM_MUTABLE_PLAYING
          | GST_PARAM_CONTROLLABLE)) != 0
      || !(property->flags & (GST_PARAM_MUTABLE_READY
          | GST_PARAM_MUTABLE_PAUSED));
}

static JsonNode *
string_node (const gchar * text)
{
  return json_node_init_string (json_node_alloc (), text);
}

static JsonNode *
int_node (gint64 value)
{
  return json_node_init_int (json_node_alloc (), value);
}

/* A string if JavaScript's numbers do not hold it. */
static JsonNode *
uint_node (guint64 value)
{
  g_autofree gchar *text = g_strdup_printf ("%" G_GUINT64_FORMAT, value);

  return value <= MAX_EXACT ? int_node ((gint64) value) : string_node (text);
}

static JsonNode *
double_node (gdouble value)
{
  return json_node_init_double (json_node_alloc (), value);
}

static const gchar *
enum_nick (const GValue * value)
{
  const GEnumValue *choice = g_enum_get_value (g_type_class_peek
      (G_VALUE_TYPE (value)), g_value_get_enum (value));

  return choice != NULL ? choice->value_nick : "";
}

static JsonNode *
value_node (const GValue * value)
{
  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_INT:
      return int_node (g_value_get_int (value));
    case G_TYPE_INT64:
      return int_node (g_value_get_int64 (value));
    case G_TYPE_UINT:
      return uint_node (g_value_get_uint (value));
    case G_TYPE_UINT64:
      return uint_node (g_value_get_uint64 (value));
    case G_TYPE_DOUBLE:
      return double_node (g_value_get_double (value));
    case G_TYPE_ENUM:
      return string_node (enum_nick (value));
    default:
      return json_node_init_boolean (json_node_alloc (),
          g_value_get_boolean (value));
  }
}

void
tune_property_read (GstElement * element, GParamSpec * property, GValue * value)
{
  g_value_init (value, property->value_type);
  g_object_get_property (G_OBJECT (element), property->name, value);
}

JsonNode *
tune_property_get (GstElement * element, GParamSpec * property)
{
  g_auto (GValue) value = G_VALUE_INIT;

  tune_property_read (element, property, &value);
  return value_node (&value);
}

gboolean
tune_property_is_default (GstElement * element, GParamSpec * property)
{
  g_auto (GValue) value = G_VALUE_INIT;

  tune_property_read (element, property, &value);
  return g_param_value_defaults (property, &value);
}

static void
free_value (gpointer data)
{
  g_value_unset (data);
  g_free (data);
}

void
tune_property_set_start (GstElement * element, const gchar * name)
{
  GValue *start = g_new0 (GValue, 1);

  tune_property_read (element, tune_properties_find (element, name), start);
  g_object_set_data_full (G_OBJECT (element), name, start, free_value);
}

static const GValue *
get_start (GstElement * element, GParamSpec * property)
{
  const GValue *start = g_object_get_data (G_OBJECT (element), property->name);

  return start != NULL ? start : g_param_spec_get_default_value (property);
}

void
tune_property_reset (GstElement * element, GParamSpec * property)
{
  const GValue *start = get_start (element, property);
  g_auto (GValue) value = G_VALUE_INIT;

  tune_property_read (element, property, &value);
  if (g_param_values_cmp (property, &value, start) != 0)
    g_object_set_property (G_OBJECT (element), property->name, start);
}

void
tune_properties_copy (GstElement * from, GstElement * to)
{
  g_autofree GParamSpec **list = tune_properties_list (from);

  for (guint i = 0; list[i] != NULL; i++) {
    GParamSpec *target = tune_properties_find (to, list[i]->name);
    g_auto (GValue) value = G_VALUE_INIT;

    if (target == NULL || target->value_type != list[i]->value_type
        || tune_property_is_default (from, list[i]))
      continue;
    tune_property_read (from, list[i], &value);
    /* ranges of the same property differ */
    g_param_value_validate (target, &value);
    g_object_set_property (G_OBJECT (to), target->name, &value);
  }
}

static gboolean
set_enum (GParamSpec * property, const gchar * text, GValue * value,
    gchar ** why)
{
  GEnumClass *klass = G_PARAM_SPEC_ENUM (property)->enum_class;
  const GEnumValue *choice = text != NULL
      ? g_enum_get_value_by_nick (klass, text) : NULL;
  GString *choices;

  if (choice != NULL) {
    g_value_set_enum (value, choice->value);
    return TRUE;
  }
  choices = g_string_new (NULL);
  g_string_printf (choices, "%s: expected one of", property->name);
  for (guint i = 0; i < klass->n_values; i++)
    g_string_append_printf (choices, "%s %s", i > 0 ? "," : "",
        klass->values[i].value_nick);
  *why = g_string_free (choices, FALSE);
  return FALSE;
}

static void
set_number (GValue * value, gdouble number)
{
  const gdouble whole = rint (number);

  if (G_VALUE_HOLDS_INT (value))
    g_value_set_int (value, (gint) CLAMP (whole, G_MININT, G_MAXINT));
  else if (G_VALUE_HOLDS_INT64 (value))
    g_value_set_int64 (value, (gint64) CLAMP (whole, -0x1p53, 0x1p53));
  else if (G_VALUE_HOLDS_UINT (value))
    g_value_set_uint (value, (guint) CLAMP (whole, 0, G_MAXUINT));
  else if (G_VALUE_HOLDS_UINT64 (value))
    /* -1 is the maximum, as in property descriptions */
    g_value_set_uint64 (value, whole < 0 ? G_MAXUINT64
        : (guint64) MIN (whole, 0x1p62));
  else
    g_value_set_double (value, number);
}

/* Stores a node of the right type in value. */
static gboolean
parse_value (GParamSpec * property, JsonNode * node, GValue * value,
    gchar ** why)
{
  const GType type = JSON_NODE_HOLDS_VALUE (node)
      ? json_node_get_value_type (node) : G_TYPE_NONE;
  const gboolean is_number = (type == G_TYPE_INT64 || type == G_TYPE_DOUBLE)
      && isfinite (json_node_get_double (node));
  const gchar *text = type == G_TYPE_STRING ? json_node_get_string (node)
      : NULL;
  const gboolean is_boolean = G_VALUE_HOLDS_BOOLEAN (value);
  guint64 number;

  if (G_IS_PARAM_SPEC_ENUM (property))
    return set_enum (property, text, value, why);
  if (is_boolean && type == G_TYPE_BOOLEAN) {
    g_value_set_boolean (value, json_node_get_boolean (node));
  } else if (!is_boolean && is_number) {
    set_number (value, json_node_get_double (node));
  } else if (G_VALUE_HOLDS_UINT64 (value) && text != NULL
      && g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, &number, NULL)) {
    g_value_set_uint64 (value, number);
  } else {
    *why = g_strdup_printf ("%s: expected %s", property->name,
        is_boolean ? "true or false" : "a number");
    return FALSE;
  }
  return TRUE;
}

gboolean
tune_property_set (GstElement * element, GParamSpec * property,
    JsonNode * node, gchar ** why)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, property->value_type);
  if (!parse_value (property, node, &value, why))
    return FALSE;
  g_param_value_validate (property, &value);
  g_object_set_property (G_OBJECT (element), property->name, &value);
  return TRUE;
}

/* SPEC: the macro that casts to the type of the property. */
#define SET_RANGE(SPEC, NODE) do { \
    json_object_set_member (object, "min", NODE (SPEC (property)->minimum)); \
    json_object_set_member (object, "max", NODE (SPEC (property)->maximum)); \
  } while (0)

static void
describe_range (GParamSpec * property, JsonObject * object)
{
  if (G_IS_PARAM_SPEC_INT (property))
    SET_RANGE (G_PARAM_SPEC_INT, int_node);
  else if (G_IS_PARAM_SPEC_INT64 (property))
    SET_RANGE (G_PARAM_SPEC_INT64, int_node);
  else if (G_IS_PARAM_SPEC_UINT (property))
    SET_RANGE (G_PARAM_SPEC_UINT, uint_node);
  else if (G_IS_PARAM_SPEC_UINT64 (property))
    SET_RANGE (G_PARAM_SPEC_UINT64, uint_node);
  else if (G_IS_PARAM_SPEC_DOUBLE (property))
    SET_RANGE (G_PARAM_SPEC_DOUBLE, double_node);
}

static void
describe_choices (GParamSpec * property, JsonObject * object)
{
  const GEnumClass *klass = G_PARAM_SPEC_ENUM (property)->enum_class;
  JsonArray *choices = json_array_new ();

  for (guint i = 0; i < klass->n_values; i++) {
    JsonObject *choice = json_object_new ();

    json_object_set_string_member (choice, "nick",
        klass->values[i].value_nick);
    json_object_set_string_member (choice, "title",
        klass->values[i].value_name);
    json_array_add_object_element (choices, choice);
  }
  json_object_set_array_member (object, "choices", choices);
}

JsonObject *
tune_property_describe (GstElement * element, GParamSpec * property)
{
  JsonObject *object = json_object_new ();
  const gchar *blurb = g_param_spec_get_blurb (property);

  blurb = blurb != NULL ? blurb : "";
  json_object_set_string_member (object, "name", property->name);
  json_object_set_string_member (object, "nick",
      g_param_spec_get_nick (property));
  json_object_set_string_member (object, "blurb", blurb);
  json_object_set_string_member (object, "kind", kind_of (property));
  describe_range (property, object);
  json_object_set_member (object, "default",
      value_node (get_start (element, property)));
  json_object_set_member (object, "value",
      tune_property_get (element, property));
  json_object_set_boolean_member (object, "live",
      tune_property_is_live (property));
  if (G_IS_PARAM_SPEC_ENUM (property))
    describe_choices (property, object);
  return object;
}

/* 15 digits if they suffice to read the same number. */
static gchar *
double_text (gdouble value)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (text, sizeof (text), "%.15g", value);
  if (g_ascii_strtod (text, NULL) != value)
    g_ascii_dtostr (text, sizeof (text), value);
  return g_strdup (text);
}

static gchar *
value_text (const GValue * value)
{
  return G_VALUE_HOLDS_DOUBLE (value) ? double_text (g_value_get_double (value))
      : G_VALUE_HOLDS_ENUM (value) ? g_strdup (enum_nick (value))
      : gst_value_serialize (value);
}

gchar *
tune_properties_text (GstElement * element)
{
  g_autofree GParamSpec **list = tune_properties_list (element);
  GString *text = g_string_new (NULL);

  for (guint i = 0; list[i] != NULL; i++) {
    g_auto (GValue) value = G_VALUE_INIT;
    g_autofree gchar *word = NULL;

    if (tune_property_is_default (element, list[i]))
      continue;
    tune_property_read (element, list[i], &value);
    word = value_text (&value);
    g_string_append_printf (text, " %s=%s", list[i]->name, word);
  }
  return g_string_free (text, FALSE);
}

gchar **
tune_presets_list (GstElement * element)
{
  gchar **names = GST_IS_PRESET (element)
      ? gst_preset_get_preset_names (GST_PRESET (element)) : NULL;

  return names != NULL ? names : g_new0 (gchar *, 1);
}

/* Resets what a preset sets. */
static void
reset_preset (GstElement * element, const gchar * name)
{
  g_autofree GParamSpec **list = tune_properties_list (element);
  g_autoptr (GstElement) other = gst_object_ref_sink
      (gst_element_factory_create (gst_element_get_factory (element), NULL));

  gst_preset_load_preset (GST_PRESET (other), name);
  for (guint i = 0; list[i] != NULL; i++) {
    if (!tune_property_is_default (other, list[i]))
      tune_property_reset (element, list[i]);
  }
}

gboolean
tune_preset_load (GstElement * element, const gchar * name)
{
  g_auto (GStrv) names = tune_presets_list (element);

  if (!g_strv_contains ((const gchar * const *) names, name))
    return FALSE;
  for (guint i = 0; names[i] != NULL; i++)
    reset_preset (element, names[i]);
  return gst_preset_load_preset (GST_PRESET (element), name);
}

/* The prefix of the long names of matchers: "Stereo matcher (TITLE)". */
#define LONG_NAME "Stereo matcher ("

/* The long name from its title on; NULL if the feature is not a matcher. */
static const gchar *
find_title (GstPluginFeature * feature)
{
  const gchar *name = GST_IS_ELEMENT_FACTORY (feature)
      ? gst_element_factory_get_metadata (GST_ELEMENT_FACTORY (feature),
      GST_ELEMENT_METADATA_LONGNAME) : NULL;

  return name != NULL && g_str_has_prefix (name, LONG_NAME)
      ? name + strlen (LONG_NAME) : NULL;
}

static gboolean
is_matcher (GstPluginFeature * feature, gpointer data)
{
  (void) data;
  return g_strcmp0 (gst_plugin_feature_get_plugin_name (feature),
      "stereomatching") == 0 && find_title (feature) != NULL;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (GST_OBJECT_NAME (a), GST_OBJECT_NAME (b));
}

GList *
tune_matchers_list (void)
{
  return g_list_sort (gst_registry_feature_filter (gst_registry_get (),
          is_matcher, FALSE, NULL), compare_names);
}

gchar *
tune_matcher_title (GstElementFactory * factory)
{
  const gchar *name = find_title (GST_PLUGIN_FEATURE (factory));

  return g_strndup (name, strcspn (name, ")"));
}

gboolean
tune_matchers_check (const gchar * factory, gchar ** why)
{
  GList *list = tune_matchers_list ();
  g_autoptr (GString) names = g_string_new (NULL);
  gboolean found = FALSE;

  for (GList * item = list; item != NULL; item = item->next) {
    found = found || strcmp (GST_OBJECT_NAME (item->data), factory) == 0;
    g_string_append_printf (names, "%s%s", item == list ? "" : ", ",
        GST_OBJECT_NAME (item->data));
  }
  if (list == NULL)
    *why = g_strdup ("GStreamer does not find the plugin stereomatching; "
        "set GST_PLUGIN_PATH");
  else if (!found)
    *why = g_strdup_printf ("'%s' is not a matcher; expected one of %s",
        factory, names->str);
  gst_plugin_feature_list_free (list);
  return found;
}

GstCaps *
tune_matchers_caps (void)
{
  GList *list = tune_matchers_list ();
  GstCaps *caps = gst_caps_new_empty ();
  const GList *pads = list == NULL ? NULL
      : gst_element_factory_get_static_pad_templates (list->data);

  for (; pads != NULL; pads = pads->next) {
    GstStaticPadTemplate *pad = pads->data;
    g_autoptr (GstCaps) all = NULL;

    if (strcmp (pad->name_template, "sink_left") != 0)
      continue;
    all = gst_static_pad_template_get_caps (pad);
    for (guint i = 0; i < gst_caps_get_size (all); i++) {
      if (gst_caps_features_is_equal (gst_caps_get_features (all, i),
              GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
        gst_caps_append_structure (caps,
            gst_structure_copy (gst_caps_get_structure (all, i)));
    }
  }
  gst_plugin_feature_list_free (list);
  return caps;
}
