/* gst-stereomatching: what a page asks for
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "message.h"

#include <math.h>
#include <string.h>

/* Reads one member into a message; FALSE when it is not what is right. */
typedef gboolean (*Read) (JsonNode * node, TuneMessage * message, gsize offset);

typedef struct
{
  const gchar *name;
  const gchar *right;           /* what it is, for people */
  gsize offset;
  Read read;
  gboolean optional;
} Member;

typedef struct
{
  const gchar *name;
  Member members[5];            /* those after the last have no name */
} Type;

static gboolean
is_value (JsonNode * node, GType type)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
      && json_node_get_value_type (node) == type;
}

static gboolean
read_text (JsonNode * node, TuneMessage * message, gsize offset)
{
  if (!is_value (node, G_TYPE_STRING))
    return FALSE;
  G_STRUCT_MEMBER (const gchar *, message, offset) =
      json_node_get_string (node);
  return TRUE;
}

static gboolean
read_on (JsonNode * node, TuneMessage * message, gsize offset)
{
  if (!is_value (node, G_TYPE_BOOLEAN))
    return FALSE;
  G_STRUCT_MEMBER (gboolean, message, offset) = json_node_get_boolean (node);
  return TRUE;
}

/* Whole numbers, also those that are written with a fraction. */
static gboolean
read_number (JsonNode * node, gdouble most, gdouble * number)
{
  if (!is_value (node, G_TYPE_INT64) && !is_value (node, G_TYPE_DOUBLE))
    return FALSE;
  *number = floor (json_node_get_double (node));
  return *number >= 0 && *number <= most;
}

static gboolean
read_pixels (JsonNode * node, TuneMessage * message, gsize offset)
{
  gdouble number;

  if (!read_number (node, 65535, &number))
    return FALSE;
  G_STRUCT_MEMBER (gint, message, offset) = (gint) number;
  return TRUE;
}

static gboolean
read_frame (JsonNode * node, TuneMessage * message, gsize offset)
{
  gdouble number;

  if (!read_number (node, G_MAXUINT32, &number))
    return FALSE;
  G_STRUCT_MEMBER (guint, message, offset) = (guint) number;
  return TRUE;
}

static gboolean
read_side (JsonNode * node, TuneMessage * message, gsize offset)
{
  const gchar *text = is_value (node, G_TYPE_STRING)
      ? json_node_get_string (node) : "";

  if (strcmp (text, "a") != 0 && strcmp (text, "b") != 0)
    return FALSE;
  G_STRUCT_MEMBER (guint, message, offset) = text[0] == 'b';
  return TRUE;
}

static gboolean
read_value (JsonNode * node, TuneMessage * message, gsize offset)
{
  if (node == NULL || JSON_NODE_HOLDS_NULL (node)
      || JSON_NODE_HOLDS_OBJECT (node))
    return FALSE;
  G_STRUCT_MEMBER (JsonNode *, message, offset) = node;
  return TRUE;
}

static gboolean
read_view (JsonNode * node, TuneViews * views)
{
  for (guint i = 0; i < TUNE_N_VIEWS && is_value (node, G_TYPE_STRING); i++) {
    if (strcmp (json_node_get_string (node), tune_views[i].id) == 0) {
      *views |= 1u << i;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
read_views (JsonNode * node, TuneMessage * message, gsize offset)
{
  TuneViews views = 0;
  JsonArray *array;

  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    return FALSE;
  array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++) {
    if (!read_view (json_array_get_element (array, i), &views))
      return FALSE;
  }
  G_STRUCT_MEMBER (TuneViews, message, offset) = views;
  return TRUE;
}

#define OFFSET(MEMBER) G_STRUCT_OFFSET (TuneMessage, MEMBER)
#define SIDE {"side", "\"a\" or \"b\"", OFFSET (side), read_side}
#define ELEMENT {"element", "an element's id", OFFSET (element), read_text}
#define ON {"on", "true or false", OFFSET (on), read_on}
#define PIXELS(NAME) {#NAME, "a number of pixels, from 0 to 65535", \
    OFFSET (NAME), read_pixels}

static const Type types[TUNE_N_MESSAGES] = {
  [TUNE_SET] = {"set", {SIDE, ELEMENT,
              {"property", "a property's name", OFFSET (property), read_text},
          {"value", "a number, a text, true, false or a list", OFFSET (value),
                read_value}}},
  [TUNE_RESET] = {"reset", {SIDE, ELEMENT,
          {"property", "a property's name", OFFSET (property), read_text,
                TRUE}}},
  [TUNE_PRESET] = {"preset", {SIDE, ELEMENT,
          {"name", "a preset's name", OFFSET (name), read_text}}},
  [TUNE_MATCHER] = {"matcher", {SIDE,
          {"factory", "a matcher's name", OFFSET (factory), read_text}}},
  [TUNE_COMPARE] = {"compare", {ON}},
  [TUNE_PAUSE] = {"pause", {ON}},
  [TUNE_STEP] = {"step", {{NULL}}},
  [TUNE_PROBE] = {"probe", {SIDE, PIXELS (x), PIXELS (y)}},
  [TUNE_LINE] = {"line", {SIDE}},
  [TUNE_SAVE] = {"save", {{NULL}}},
  [TUNE_LOAD] = {"load", {
          {"text", "the text of a file of settings", OFFSET (text),
                read_text}}},
  [TUNE_WANT] = {"want", {
              {"views", "ids of views, such as [\"left\", \"disparity\"]",
                OFFSET (views), read_views},
              PIXELS (width),
              {"small", "ids of views", OFFSET (small), read_views, TRUE},
          {"small_width", "a number of pixels, from 0 to 65535",
                OFFSET (small_width), read_pixels, TRUE}}},
  [TUNE_ACK] = {"ack", {
          {"frame", "a picture's number", OFFSET (frame), read_frame}}},
};

/* Whether nothing stands before an object or after it: of several values the
 * parser frees but one.  What could hide another is no JSON either: comments,
 * and quotes of other kinds.  most: brackets inside of each other; the parser
 * calls itself for each. */
static gboolean
is_one_object (const gchar * text, gsize size, guint * most)
{
  guint depth = 0;
  gboolean good = TRUE, quoted = FALSE, ended = FALSE;

  *most = 0;
  for (gsize i = 0; i < size; i++) {
    gchar c = text[i];

    if (quoted) {
      i += c == '\\';
      quoted = c != '"';
    } else if (!g_ascii_isspace (c)) {
      good = good && !ended && (depth > 0 || c == '{')
          && (g_ascii_isalnum (c) || strchr ("{}[]\":,+-.", c) != NULL);
      quoted = c == '"';
      depth += c == '{' || c == '[';
      depth -= depth > 0 && (c == '}' || c == ']');
      ended = depth == 0;
      *most = MAX (*most, depth);
    }
  }
  return good && ended;
}

JsonNode *
tune_json_parse (const gchar * text, gsize size, gchar ** why)
{
  JsonParser *parser;
  JsonNode *root = NULL;
  guint depth;
  const gboolean one = is_one_object (text, size, &depth);

  if (size > TUNE_MESSAGE_SIZE || depth > TUNE_MESSAGE_DEPTH
      || !g_utf8_validate (text, (gssize) size, NULL)) {
    *why = g_strdup_printf ("it is not a text of %d bytes at most, with %d "
        "brackets inside of each other at most", TUNE_MESSAGE_SIZE,
        TUNE_MESSAGE_DEPTH);
    return NULL;
  }
  parser = json_parser_new_immutable ();
  if (one && json_parser_load_from_data (parser, text, (gssize) size, NULL)
      && json_parser_get_root (parser) != NULL
      && JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    root = json_parser_steal_root (parser);
  else
    *why = g_strdup ("it is no JSON object");
  g_object_unref (parser);
  return root;
}

static gboolean
read_members (TuneMessage * message, const Type * type, JsonObject * object,
    gchar ** why)
{
  for (const Member * member = type->members; member->name != NULL; member++) {
    JsonNode *node = json_object_get_member (object, member->name);

    if ((node == NULL && member->optional)
        || member->read (node, message, member->offset))
      continue;
    *why = g_strdup_printf ("\"%s\" of a message \"%s\" is %s", member->name,
        type->name, member->right);
    return FALSE;
  }
  return TRUE;
}

/* The type, or one past the last one. */
static guint
find_type (JsonObject * object)
{
  JsonNode *node = json_object_get_member (object, "type");
  guint i = is_value (node, G_TYPE_STRING) ? 0 : TUNE_N_MESSAGES;

  while (i < TUNE_N_MESSAGES
      && strcmp (types[i].name, json_node_get_string (node)) != 0)
    i++;
  return i;
}

gboolean
tune_message_parse (TuneMessage * message, const gchar * text, gsize size,
    gchar ** why)
{
  JsonNode *root = tune_json_parse (text, size, why);
  guint type;

  memset (message, 0, sizeof (*message));
  if (root == NULL)
    return FALSE;
  message->root = root;
  type = find_type (json_node_get_object (root));
  if (type == TUNE_N_MESSAGES) {
    GString *right = g_string_new ("\"type\" is one of");

    for (guint i = 0; i < TUNE_N_MESSAGES; i++)
      g_string_append_printf (right, "%s %s", i > 0 ? "," : "", types[i].name);
    *why = g_string_free (right, FALSE);
    tune_message_clear (message);
    return FALSE;
  }
  message->type = type;
  if (!read_members (message, &types[type], json_node_get_object (root), why)) {
    tune_message_clear (message);
    return FALSE;
  }
  return TRUE;
}

void
tune_message_clear (TuneMessage * message)
{
  g_clear_pointer (&message->root, json_node_unref);
}
