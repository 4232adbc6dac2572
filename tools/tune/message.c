/* gst-stereomatching: messages of the page
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "message.h"

#include <math.h>
#include <string.h>

const TuneViewName tune_views[TUNE_N_VIEWS] = {
  [TUNE_VIEW_LEFT] = {"left", "Left view"},
  [TUNE_VIEW_RIGHT] = {"right", "Right view"},
  [TUNE_VIEW_DISPARITY] = {"disparity", "Disparity"},
  [TUNE_VIEW_CONFIDENCE] = {"confidence", "Confidence"},
  [TUNE_VIEW_DEPTH] = {"depth", "Depth"},
  [TUNE_VIEW_VIEW] = {"view", "Virtual view"},
  [TUNE_VIEW_WRONG] = {"wrong", "Wrong pixels"},
};

/* The type of a member, which decides about the type of its field. */
typedef enum
{
  STRING,
  SIDE,
  BOOLEAN,
  PIXELS,
  FRAME,
  VALUE,
  VIEWS
} MemberType;

static const gchar *const expected[] = {
  [STRING] = "a string",
  [SIDE] = "\"a\" or \"b\"",
  [BOOLEAN] = "true or false",
  [PIXELS] = "a number of pixels from 0 to 65535",
  [FRAME] = "the number of a frame",
  [VALUE] = "a number, a string, true or false",
  [VIEWS] = "a list of views, such as [\"left\", \"disparity\"]",
};

typedef struct
{
  const gchar *name;
  MemberType type;
  gsize offset;                 /* of the field in TuneMessage */
  gboolean optional;
} Member;

typedef struct
{
  const gchar *name;
  Member members[5];            /* terminated by one without a name */
} Type;

#define MEMBER(NAME, TYPE) {#NAME, TYPE, G_STRUCT_OFFSET (TuneMessage, NAME)}
#define OPTIONAL(NAME, TYPE) \
    {#NAME, TYPE, G_STRUCT_OFFSET (TuneMessage, NAME), TRUE}

static const Type types[TUNE_N_MESSAGES] = {
  [TUNE_SET] = {"set", {MEMBER (side, SIDE), MEMBER (element, STRING),
          MEMBER (property, STRING), MEMBER (value, VALUE)}},
  [TUNE_RESET] = {"reset", {MEMBER (side, SIDE), MEMBER (element, STRING),
          OPTIONAL (property, STRING)}},
  [TUNE_PRESET] = {"preset", {MEMBER (side, SIDE), MEMBER (element, STRING),
          MEMBER (name, STRING)}},
  [TUNE_MATCHER] = {"matcher", {MEMBER (side, SIDE),
          MEMBER (factory, STRING)}},
  [TUNE_COMPARE] = {"compare", {MEMBER (on, BOOLEAN)}},
  [TUNE_PAUSE] = {"pause", {MEMBER (on, BOOLEAN)}},
  [TUNE_STEP] = {"step", {{NULL}}},
  [TUNE_PROBE] = {"probe", {MEMBER (side, SIDE), MEMBER (x, PIXELS),
          MEMBER (y, PIXELS)}},
  [TUNE_MATCHES] = {"matches", {MEMBER (side, SIDE)}},
  [TUNE_LINE] = {"line", {MEMBER (side, SIDE)}},
  [TUNE_SAVE] = {"save", {{NULL}}},
  [TUNE_LOAD] = {"load", {MEMBER (text, STRING)}},
  [TUNE_WANT] = {"want", {MEMBER (views, VIEWS), MEMBER (width, PIXELS),
          OPTIONAL (small, VIEWS), OPTIONAL (small_width, PIXELS)}},
  [TUNE_ACK] = {"ack", {MEMBER (frame, FRAME)}},
};

static gboolean
holds (JsonNode * node, GType type)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
      && json_node_get_value_type (node) == type;
}

const gchar *
tune_json_string (JsonNode * node)
{
  return holds (node, G_TYPE_STRING) ? json_node_get_string (node) : NULL;
}

/* Rounds down. */
static gboolean
read_number (JsonNode * node, gdouble maximum, guint * field)
{
  gdouble number;

  if (!holds (node, G_TYPE_INT64) && !holds (node, G_TYPE_DOUBLE))
    return FALSE;
  number = floor (json_node_get_double (node));
  if (!(number >= 0 && number <= maximum))
    return FALSE;
  *field = (guint) number;
  return TRUE;
}

static gboolean
read_views (JsonNode * node, TuneViews * views)
{
  JsonArray *array;
  guint view;

  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    return FALSE;
  array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++) {
    const gchar *id = tune_json_string (json_array_get_element (array, i));

    for (view = 0; view < TUNE_N_VIEWS; view++) {
      if (g_strcmp0 (id, tune_views[view].id) == 0)
        break;
    }
    if (view == TUNE_N_VIEWS)
      return FALSE;
    *views |= 1u << view;
  }
  return TRUE;
}

static gboolean
read_member (const Member * member, JsonNode * node, TuneMessage * message)
{
  gpointer field = G_STRUCT_MEMBER_P (message, member->offset);
  const gchar *text = tune_json_string (node);

  switch (member->type) {
    case STRING:
      *(const gchar **) field = text;
      return text != NULL;
    case SIDE:
      *(guint *) field = g_strcmp0 (text, "b") == 0;
      return g_strcmp0 (text, "a") == 0 || g_strcmp0 (text, "b") == 0;
    case BOOLEAN:
      if (!holds (node, G_TYPE_BOOLEAN))
        return FALSE;
      *(gboolean *) field = json_node_get_boolean (node);
      return TRUE;
    case PIXELS:
      return read_number (node, 65535, field);
    case FRAME:
      return read_number (node, G_MAXUINT32, field);
    case VALUE:
      *(JsonNode **) field = node;
      return node != NULL && JSON_NODE_HOLDS_VALUE (node);
    default:
      return read_views (node, field);
  }
}

/* Whether the text is one object with nothing before or after it: the parser
 * leaks all but one of several values.  Rejects comments and other quotes,
 * which could hide a value.  The parser recurses for each bracket. */
static gboolean
is_one_object (const gchar * text, gsize size, guint * max_depth)
{
  guint depth = 0;
  gboolean good = TRUE, quoted = FALSE, ended = FALSE;

  *max_depth = 0;
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
      *max_depth = MAX (*max_depth, depth);
    }
  }
  return good && ended;
}

JsonNode *
tune_json_parse (const gchar * text, gsize size, gchar ** why)
{
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  guint depth;
  const gboolean one = is_one_object (text, size, &depth);

  if (size > TUNE_MESSAGE_SIZE || depth > TUNE_MESSAGE_DEPTH
      || !g_utf8_validate (text, (gssize) size, NULL)) {
    *why = g_strdup_printf ("Expected a text of at most %d bytes and %d nested "
        "brackets", TUNE_MESSAGE_SIZE, TUNE_MESSAGE_DEPTH);
    return NULL;
  }
  if (one && json_parser_load_from_data (parser, text, (gssize) size, NULL)
      && json_parser_get_root (parser) != NULL
      && JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    return json_parser_steal_root (parser);
  *why = g_strdup ("Expected a JSON object");
  return NULL;
}

static gboolean
read_members (TuneMessage * message, const Type * type, JsonObject * object,
    gchar ** why)
{
  for (const Member * member = type->members; member->name != NULL; member++) {
    JsonNode *node = json_object_get_member (object, member->name);

    if ((node == NULL && member->optional)
        || read_member (member, node, message))
      continue;
    *why = g_strdup_printf ("%s: expected %s in \"%s\"", type->name,
        expected[member->type], member->name);
    return FALSE;
  }
  return TRUE;
}

static gboolean
read_type (TuneMessage * message, JsonObject * object, gchar ** why)
{
  const gchar *name = tune_json_string (json_object_get_member (object,
          "type"));
  GString *names = g_string_new ("Expected as \"type\" one of");

  for (guint i = 0; i < TUNE_N_MESSAGES; i++) {
    if (g_strcmp0 (types[i].name, name) == 0) {
      message->type = i;
      g_string_free (names, TRUE);
      return TRUE;
    }
    g_string_append_printf (names, "%s %s", i > 0 ? "," : "", types[i].name);
  }
  *why = g_string_free (names, FALSE);
  return FALSE;
}

gboolean
tune_message_parse (TuneMessage * message, const gchar * text, gsize size,
    gchar ** why)
{
  JsonObject *object;

  memset (message, 0, sizeof (*message));
  message->root = tune_json_parse (text, size, why);
  if (message->root == NULL)
    return FALSE;
  object = json_node_get_object (message->root);
  if (read_type (message, object, why)
      && read_members (message, &types[message->type], object, why))
    return TRUE;
  tune_message_clear (message);
  return FALSE;
}

void
tune_message_clear (TuneMessage * message)
{
  g_clear_pointer (&message->root, json_node_unref);
}
