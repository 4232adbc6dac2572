/* gst-stereomatching: the matchers that there are
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "matchers.h"

#include <string.h>

/* How the long names of matchers begin; in brackets follows which it is. */
#define LONG_NAME "Stereo matcher ("

/* Which matcher it is, and what follows; NULL if it is none. */
static const gchar *
long_name (GstPluginFeature * feature)
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
      "stereomatching") == 0 && long_name (feature) != NULL;
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (GST_OBJECT_NAME (a), GST_OBJECT_NAME (b));
}

GList *
tune_matchers_list (void)
{
  return g_list_sort (gst_registry_feature_filter (gst_registry_get (),
          is_matcher, FALSE, NULL), by_name);
}

gchar *
tune_matcher_title (GstElementFactory * factory)
{
  const gchar *name = long_name (GST_PLUGIN_FEATURE (factory));

  return g_strndup (name, strcspn (name, ")"));
}

gboolean
tune_matchers_check (const gchar * factory, gchar ** why)
{
  GList *list = tune_matchers_list ();
  GString *names = g_string_new (NULL);
  gboolean found = FALSE;

  for (GList * item = list; item != NULL; item = item->next) {
    found = found || strcmp (GST_OBJECT_NAME (item->data), factory) == 0;
    g_string_append_printf (names, "%s%s", item == list ? "" : ", ",
        GST_OBJECT_NAME (item->data));
  }
  if (list == NULL)
    *why = g_strdup ("GStreamer does not find the plugin stereomatching; "
        "GST_PLUGIN_PATH says where it is");
  else if (!found)
    *why = g_strdup_printf ("'%s' is no matcher; these are: %s", factory,
        names->str);
  g_string_free (names, TRUE);
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
    GstCaps *all;

    if (strcmp (pad->name_template, "sink_left") != 0)
      continue;
    all = gst_static_pad_template_get_caps (pad);
    for (guint i = 0; i < gst_caps_get_size (all); i++) {
      if (gst_caps_features_is_equal (gst_caps_get_features (all, i),
              GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
        gst_caps_append_structure (caps,
            gst_structure_copy (gst_caps_get_structure (all, i)));
    }
    gst_caps_unref (all);
  }
  gst_plugin_feature_list_free (list);
  return caps;
}
