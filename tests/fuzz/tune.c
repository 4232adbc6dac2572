/* gst-stereomatching: fuzzing of messages from a page
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * The input is one message, one header, and one pipeline description.  A valid
 * message has all fields of its type within their ranges; setting its value
 * succeeds or reports a reason.  An invalid message reports a reason.  The
 * words of the description must survive a shell.
 */

#include "access.h"
#include "fuzz.h"
#include "launch_line.h"
#include "message.h"
#include "elements.h"

#include <stdlib.h>

static void
require (gboolean right)
{
  if (!right)
    abort ();
}

/* A pipeline has properties of several kinds. */
static void
set_value (JsonNode * value)
{
  static GstElement *element;
  GParamSpec **list;

  if (element == NULL) {
    gst_init (NULL, NULL);
    element = gst_object_ref_sink (gst_pipeline_new (NULL));
  }
  list = tune_properties_list (element);
  require (list[0] != NULL);
  for (guint i = 0; list[i] != NULL; i++) {
    gchar *why = NULL;

    require (tune_property_set (element, list[i], value, &why)
        == (why == NULL));
    g_free (why);
  }
  g_free (list);
}

static void
look_at (const TuneMessage * message)
{
  require (message->side <= 1 && message->views < 1u << TUNE_N_VIEWS
      && message->small < 1u << TUNE_N_VIEWS);
  require (message->x <= 65535 && message->y <= 65535
      && message->width <= 65535 && message->small_width <= 65535);
  require (message->type != TUNE_MATCHER || message->factory != NULL);
  require (message->type != TUNE_LOAD || message->text != NULL);
  if (message->type == TUNE_SET) {
    require (message->element != NULL && message->property != NULL);
    set_value (message->value);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  gchar *text = g_strndup ((const gchar *) data, size);
  gchar *why = NULL, *line;
  TuneMessage message;

  if (tune_message_parse (&message, (const gchar *) data, size, &why)) {
    require (why == NULL);
    look_at (&message);
    tune_message_clear (&message);
  } else {
    require (why != NULL && why[0] != '\0');
  }
  g_free (why);
  if (tune_access_check_host (text, 8910))
    require (g_str_has_suffix (text, ":8910"));
  require (!tune_access_check_origin (text, text, TRUE));
  require (!tune_access_check_cookie (text, "a-token-that-is-not-there"));
  line = tune_launch_line_quote (text);
  require (line[0] == '\0' || g_shell_parse_argv (line, NULL, NULL, NULL));
  g_free (line);
  g_free (text);
  return 0;
}
