/* gst-stereomatching: the server of the page
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "http.h"

#include "gate.h"
#include "token.h"

#include <string.h>

#define RESOURCES "/stereo-tune/page"

struct TuneHttp
{
  TuneSession *session;
  SoupServer *server;
  guint port;
  const gchar *token;           /* NULL: none is needed */
};

/* Of all answers; %s is the host, whose sockets some browsers don't take for
 * 'self'. */
#define CONTENT_POLICY "default-src 'none'; script-src 'self'; " \
    "style-src 'self'; img-src 'self'; connect-src 'self' ws://%s; " \
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

static const gchar *const headers[][2] = {
  {"X-Content-Type-Options", "nosniff"},
  {"X-Frame-Options", "DENY"},
  {"Referrer-Policy", "no-referrer"},
  {"Cache-Control", "no-store"},
  {"Cross-Origin-Resource-Policy", "same-origin"},
  {"Cross-Origin-Opener-Policy", "same-origin"},
};

static const gchar *const types[][2] = {
  {".html", "text/html; charset=utf-8"},
  {".css", "text/css; charset=utf-8"},
  {".js", "text/javascript; charset=utf-8"},
  {".svg", "image/svg+xml"},
};

/* ----------------------------------------------------------------- answers */

static void
refuse (SoupServerMessage * message, guint status, const gchar * why)
{
  soup_server_message_set_status (message, status, NULL);
  soup_server_message_set_response (message, "text/plain; charset=utf-8",
      SOUP_MEMORY_COPY, why, strlen (why));
}

static const gchar *
type_of (const gchar * path)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    if (g_str_has_suffix (path, types[i][0]))
      return types[i][1];
  }
  return "application/octet-stream";
}

static void
serve (SoupServer * server, SoupServerMessage * message, const char *path,
    GHashTable * query, gpointer data)
{
  const gchar *method = soup_server_message_get_method (message);
  gchar *name = g_strconcat (RESOURCES, strcmp (path, "/") == 0
      ? "/index.html" : path, NULL);
  GBytes *bytes;
  gconstpointer text;
  gsize size;

  (void) server;
  (void) query;
  (void) data;
  bytes = g_resources_lookup_data (name, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  if (method != SOUP_METHOD_GET && method != SOUP_METHOD_HEAD) {
    soup_message_headers_replace (soup_server_message_get_response_headers
        (message), "Allow", "GET, HEAD");
    refuse (message, SOUP_STATUS_METHOD_NOT_ALLOWED, "Only GET and HEAD.\n");
  } else if (bytes == NULL) {
    refuse (message, SOUP_STATUS_NOT_FOUND, "There is no such page.\n");
  } else {
    text = g_bytes_get_data (bytes, &size);
    soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
    soup_server_message_set_response (message, type_of (name),
        SOUP_MEMORY_COPY, text, size);
  }
  g_clear_pointer (&bytes, g_bytes_unref);
  g_free (name);
}

/* ---------------------------------------------------------------- entrance */

/* The token in the address is exchanged for a cookie. */
static gboolean
take_token (TuneHttp * http, SoupServerMessage * message, const gchar * path,
    GHashTable * query)
{
  const gchar *token = query != NULL ? g_hash_table_lookup (query, "token")
      : NULL;
  SoupMessageHeaders *response =
      soup_server_message_get_response_headers (message);
  gchar *cookie;

  if (http->token == NULL || strcmp (path, "/") != 0
      || !tune_token_equal (http->token, token))
    return FALSE;
  cookie = g_strdup_printf (TUNE_COOKIE
      "=%s; Path=/; HttpOnly; SameSite=Strict", http->token);
  soup_message_headers_replace (response, "Set-Cookie", cookie);
  soup_message_headers_replace (response, "Location", "/");
  g_free (cookie);
  refuse (message, SOUP_STATUS_SEE_OTHER, "");
  return TRUE;
}

static void
add_headers (SoupServerMessage * message, const gchar * host)
{
  SoupMessageHeaders *response =
      soup_server_message_get_response_headers (message);
  gchar *policy = g_strdup_printf (CONTENT_POLICY, host);

  soup_message_headers_replace (response, "Content-Security-Policy", policy);
  for (guint i = 0; i < G_N_ELEMENTS (headers); i++)
    soup_message_headers_replace (response, headers[i][0], headers[i][1]);
  g_free (policy);
}

/* Before anything of a request is looked at. */
static void
guard (SoupServer * server, SoupServerMessage * message, const char *path,
    GHashTable * query, gpointer data)
{
  TuneHttp *http = data;
  SoupMessageHeaders *request =
      soup_server_message_get_request_headers (message);
  const gchar *host = soup_message_headers_get_one (request, "Host");
  const gboolean known = tune_gate_host (host, http->port);

  (void) server;
  /* what comes with a request is of no use to any page */
  soup_message_body_set_accumulate (soup_server_message_get_request_body
      (message), FALSE);
  add_headers (message, known ? host : "");
  if (!known)
    refuse (message, SOUP_STATUS_FORBIDDEN,
        "This server is not called that.\n");
  else if (!tune_gate_origin (soup_message_headers_get_one (request, "Origin"),
          host, strcmp (path, "/live") == 0))
    refuse (message, SOUP_STATUS_FORBIDDEN,
        "Pages of other sites have no business here.\n");
  else if (!take_token (http, message, path, query)
      && !tune_gate_cookie (soup_message_headers_get_list (request, "Cookie"),
          http->token))
    refuse (message, SOUP_STATUS_FORBIDDEN,
        "Open the address that stereo-tune has printed, with its token.\n");
}

static void
open_live (SoupServer * server, SoupServerMessage * message, const char *path,
    SoupWebsocketConnection * connection, gpointer data)
{
  TuneHttp *http = data;

  (void) server;
  (void) message;
  (void) path;
  if (!tune_session_add_viewer (http->session, connection))
    soup_websocket_connection_close (connection,
        SOUP_WEBSOCKET_CLOSE_POLICY_VIOLATION, "too many viewers");
}

/* --------------------------------------------------------------- listening */

static gboolean
listen (TuneHttp * http, gchar ** why)
{
  const TuneOptions *options = http->session->options;
  GSocketAddress *address;
  GError *error = NULL;
  gboolean good;

  if (options->address == NULL) {
    good = soup_server_listen_local (http->server, options->port, 0, &error);
  } else {
    address = g_inet_socket_address_new_from_string (options->address,
        options->port);
    good = soup_server_listen (http->server, address, 0, &error);
    g_object_unref (address);
  }
  if (!good) {
    *why = g_strdup_printf ("can't listen on port %u: %s; --port says which "
        "one", options->port, error->message);
    g_error_free (error);
  }
  return good;
}

static guint
port_of (SoupServer * server)
{
  GSList *list = soup_server_get_uris (server);
  const gint port = list != NULL ? g_uri_get_port (list->data) : 0;

  g_slist_free_full (list, (GDestroyNotify) g_uri_unref);
  return (guint) MAX (port, 0);
}

TuneHttp *
tune_http_new (TuneSession * session, gchar ** why)
{
  static char *protocols[] = { (char *) TUNE_PROTOCOL, NULL };
  TuneHttp *http = g_new0 (TuneHttp, 1);

  http->session = session;
  http->token = session->options->token;
  http->server = soup_server_new (NULL, NULL);
  soup_server_add_early_handler (http->server, "/", guard, http, NULL);
  soup_server_add_handler (http->server, "/", serve, http, NULL);
  soup_server_add_early_handler (http->server, "/live", guard, http, NULL);
  soup_server_add_websocket_handler (http->server, "/live", NULL, protocols,
      open_live, http, NULL);
  if (!listen (http, why))
    tune_http_free (&http);
  else
    http->port = port_of (http->server);
  return http;
}

void
tune_http_free (TuneHttp ** http)
{
  if (*http == NULL)
    return;
  soup_server_disconnect ((*http)->server);
  g_object_unref ((*http)->server);
  g_clear_pointer (http, g_free);
}

gchar *
tune_http_address (TuneHttp * http)
{
  const gchar *address = http->session->options->address;
  const gboolean any = address == NULL || strcmp (address, "0.0.0.0") == 0
      || strcmp (address, "::") == 0;

  return g_strdup_printf (strchr (any ? "" : address, ':') != NULL
      ? "http://[%s]:%u/%s%s" : "http://%s:%u/%s%s", any ? "localhost"
      : address, http->port, http->token != NULL ? "?token=" : "",
      http->token != NULL ? http->token : "");
}
