/* gst-stereomatching: the HTTP server
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "http.h"

#include "access.h"
#include "export.h"
#include "frame_limit.h"
#include "listener.h"
#include "upload.h"

#include <string.h>

#define RESOURCES "/stereo-tune/page"
#define LIVE "/live"
#define EXPORT "/export"
#define SCENE "/scene"

/* Bodies that are read at a time. */
#define MAX_UPLOADS 2

struct TuneHttp
{
  TuneSession *session;
  SoupServer *server;
  TuneListener *listener;
  TuneExports *exports;
  guint port;
  guint n_uploads;
};

/* Of all responses; %s is the host: some browsers exclude sockets from
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

static void
respond (SoupServerMessage * message, guint status, const gchar * why)
{
  soup_server_message_set_status (message, status, NULL);
  soup_server_message_set_response (message, "text/plain; charset=utf-8",
      SOUP_MEMORY_COPY, why, strlen (why));
}

static const gchar *
content_type (const gchar * path)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    if (g_str_has_suffix (path, types[i][0]))
      return types[i][1];
  }
  return "application/octet-stream";
}

/* Responds to other methods than POST, or than GET and HEAD. */
static gboolean
check_method (SoupServerMessage * message, gboolean post)
{
  const gchar *method = soup_server_message_get_method (message);

  if (post ? method == SOUP_METHOD_POST
      : method == SOUP_METHOD_GET || method == SOUP_METHOD_HEAD)
    return TRUE;
  soup_message_headers_replace (soup_server_message_get_response_headers
      (message), "Allow", post ? "POST" : "GET, HEAD");
  respond (message, SOUP_STATUS_METHOD_NOT_ALLOWED, post ? "Only POST.\n"
      : "Only GET and HEAD.\n");
  return FALSE;
}

static void
serve (SoupServer * server, SoupServerMessage * message, const char *path,
    GHashTable * query, gpointer data)
{
  g_autofree gchar *name = g_strconcat (RESOURCES, strcmp (path, "/") == 0
      ? "/index.html" : path, NULL);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (name,
      G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  gconstpointer text;
  gsize size;

  (void) server;
  (void) query;
  (void) data;
  if (!check_method (message, FALSE))
    return;
  if (bytes == NULL) {
    respond (message, SOUP_STATUS_NOT_FOUND, "No such page.\n");
  } else {
    text = g_bytes_get_data (bytes, &size);
    soup_server_message_set_status (message, SOUP_STATUS_OK, NULL);
    soup_server_message_set_response (message, content_type (name),
        SOUP_MEMORY_COPY, text, size);
  }
}

static void
serve_export (SoupServer * server, SoupServerMessage * message,
    const char *path, GHashTable * query, gpointer data)
{
  TuneHttp *http = data;
  const gchar *why;
  guint status;

  (void) server;
  (void) query;
  if (!check_method (message, FALSE))
    return;
  path += strlen (EXPORT);
  why = tune_exports_serve (http->exports, message, path + (*path == '/'),
      &status);
  if (why != NULL)
    respond (message, status, why);
}

static void
take_scene (SoupServer * server, SoupServerMessage * message,
    const char *path, GHashTable * query, gpointer data)
{
  TuneHttp *http = data;
  g_autofree gchar *why = NULL;

  (void) server;
  (void) path;
  (void) query;
  if (tune_upload_open (http->session, message, &why))
    soup_server_message_set_status (message, SOUP_STATUS_NO_CONTENT, NULL);
  else
    respond (message, SOUP_STATUS_BAD_REQUEST, why);
}

/* Exchanges the token in the address for a cookie. */
static gboolean
set_cookie (TuneHttp * http, SoupServerMessage * message, const gchar * path,
    GHashTable * query)
{
  const gchar *token = query != NULL ? g_hash_table_lookup (query, "token")
      : NULL;
  SoupMessageHeaders *response =
      soup_server_message_get_response_headers (message);
  const gchar *own = http->session->options->token;
  g_autofree gchar *cookie = NULL;

  if (own == NULL || strcmp (path, "/") != 0
      || !tune_token_equal (own, token))
    return FALSE;
  cookie = g_strdup_printf (TUNE_COOKIE
      "=%s; Path=/; HttpOnly; SameSite=Strict", own);
  soup_message_headers_replace (response, "Set-Cookie", cookie);
  soup_message_headers_replace (response, "Location", "/");
  respond (message, SOUP_STATUS_SEE_OTHER, "");
  return TRUE;
}

static void
add_headers (SoupServerMessage * message, const gchar * host)
{
  SoupMessageHeaders *response =
      soup_server_message_get_response_headers (message);
  g_autofree gchar *policy = g_strdup_printf (CONTENT_POLICY, host);

  soup_message_headers_replace (response, "Content-Security-Policy", policy);
  for (guint i = 0; i < G_N_ELEMENTS (headers); i++)
    soup_message_headers_replace (response, headers[i][0], headers[i][1]);
}

/* Whether a path is that of a handler, as the server finds it. */
static gboolean
is_below (const char *path, const char *handler)
{
  return g_str_has_prefix (path, handler)
      && strchr ("/", path[strlen (handler)]);
}

static void
upload_finished (SoupServerMessage * message, gpointer data)
{
  TuneHttp *http = data;

  (void) message;
  http->n_uploads--;
}

/* Has the body read if it may be. */
static void
check_upload (TuneHttp * http, SoupServerMessage * message)
{
  if (!check_method (message, TRUE))
    return;
  if (!tune_upload_check (soup_server_message_get_request_headers (message))) {
    respond (message, SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE,
        "Expected images of at most 64 MiB together, with a Content-Length.\n");
  } else if (http->n_uploads >= MAX_UPLOADS) {
    respond (message, SOUP_STATUS_SERVICE_UNAVAILABLE,
        "Too many uploads at a time.\n");
  } else {
    http->n_uploads++;
    g_signal_connect (message, "finished", G_CALLBACK (upload_finished), http);
    soup_message_body_set_accumulate (soup_server_message_get_request_body
        (message), TRUE);
  }
}

/* Runs before the body of a request is read. */
static void
check_access (SoupServer * server, SoupServerMessage * message,
    const char *path, GHashTable * query, gpointer data)
{
  TuneHttp *http = data;
  SoupMessageHeaders *request =
      soup_server_message_get_request_headers (message);
  const gchar *host = soup_message_headers_get_one (request, "Host");
  const gboolean known = tune_access_check_host (host, http->port);

  (void) server;
  /* discard the body */
  soup_message_body_set_accumulate (soup_server_message_get_request_body
      (message), FALSE);
  add_headers (message, known ? host : "");
  if (!known)
    respond (message, SOUP_STATUS_FORBIDDEN,
        "Unknown host name.\n");
  else if (!tune_access_check_origin (soup_message_headers_get_one (request,
      "Origin"),
          host, is_below (path, LIVE) || is_below (path, SCENE))
      || (is_below (path, EXPORT)
          && !tune_access_check_site (soup_message_headers_get_one (request,
                  "Sec-Fetch-Site"))))
    respond (message, SOUP_STATUS_FORBIDDEN,
        "Requests of other sites are rejected.\n");
  else if (!set_cookie (http, message, path, query)
      && !tune_access_check_cookie (soup_message_headers_get_list (request,
      "Cookie"),
          http->session->options->token))
    respond (message, SOUP_STATUS_FORBIDDEN,
        "Open the address that stereo-tune printed, with its token.\n");
  else if (is_below (path, SCENE))
    check_upload (http, message);
}

/* The connection of an accepted handshake. */
static void
open_viewer (SoupServerMessage * message, gpointer data)
{
  TuneHttp *http = data;
  GUri *uri = soup_server_message_get_uri (message);
  g_autoptr (GIOStream) stream = soup_server_message_steal_connection (message);
  g_autoptr (SoupWebsocketConnection) connection =
      soup_websocket_connection_new (stream, uri,
      SOUP_WEBSOCKET_CONNECTION_SERVER, NULL, TUNE_PROTOCOL,
      g_list_append (NULL, tune_frame_limit_new (TUNE_MESSAGE_SIZE)));

  if (tune_session_add_viewer (http->session, connection))
    tune_listener_add_viewer (http->listener, message);
  else
    soup_websocket_connection_close (connection,
        SOUP_WEBSOCKET_CLOSE_POLICY_VIOLATION, "too many viewers");
}

static void
open_live (SoupServer * server, SoupServerMessage * message, const char *path,
    GHashTable * query, gpointer data)
{
  static char *protocols[] = { (char *) TUNE_PROTOCOL, NULL };

  (void) server;
  (void) path;
  (void) query;
  if (!soup_websocket_server_process_handshake (message, NULL, protocols, NULL,
          NULL))
    return;
  tune_listener_add_websocket (message);
  g_signal_connect (message, "wrote-informational", G_CALLBACK (open_viewer),
      data);
}

/* Whether the port, not the address, is the reason of a failure to listen. */
static gboolean
is_port_refused (const GError * error)
{
  return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE)
      || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED);
}

static gboolean
start_listening (TuneHttp * http, gchar ** why)
{
  const TuneOptions *options = http->session->options;
  g_autoptr (GError) error = NULL;

  http->listener = tune_listener_new (http->server, options->address,
      (guint) options->port, &error);
  if (http->listener == NULL) {
    *why = is_port_refused (error) || options->address == NULL
        ? g_strdup_printf ("Cannot listen on port %d: %s; set another one "
        "with --port", options->port, error->message)
        : g_strdup_printf ("Cannot listen on %s: %s; set an address of this "
        "machine with --address", options->address, error->message);
    return FALSE;
  }
  http->port = tune_listener_port (http->listener);
  return TRUE;
}

TuneHttp *
tune_http_new (TuneSession * session, gchar ** why)
{
  TuneHttp *http = g_new0 (TuneHttp, 1);

  http->session = session;
  http->server = soup_server_new (NULL, NULL);
  soup_server_add_early_handler (http->server, "/", check_access, http, NULL);
  soup_server_add_handler (http->server, "/", serve, http, NULL);
  soup_server_add_early_handler (http->server, LIVE, check_access, http, NULL);
  soup_server_add_handler (http->server, LIVE, open_live, http, NULL);
  http->exports = tune_exports_new (session);
  soup_server_add_early_handler (http->server, EXPORT, check_access, http,
      NULL);
  soup_server_add_handler (http->server, EXPORT, serve_export, http, NULL);
  soup_server_add_early_handler (http->server, SCENE, check_access, http, NULL);
  soup_server_add_handler (http->server, SCENE, take_scene, http, NULL);
  if (!start_listening (http, why))
    tune_http_free (&http);
  return http;
}

void
tune_http_free (TuneHttp ** http)
{
  if (*http == NULL)
    return;
  tune_exports_free (&(*http)->exports);
  tune_listener_free (&(*http)->listener);
  soup_server_disconnect ((*http)->server);
  g_object_unref ((*http)->server);
  g_clear_pointer (http, g_free);
}

gchar *
tune_http_address (TuneHttp * http)
{
  const gchar *address = http->session->options->address;
  const gchar *token = http->session->options->token;
  const gboolean any = address == NULL || strcmp (address, "0.0.0.0") == 0
      || strcmp (address, "::") == 0;
  g_autofree gchar *query = token != NULL ? g_strconcat ("token=", token, NULL)
      : NULL;

  return g_uri_join (G_URI_FLAGS_NONE, "http", NULL, any ? "localhost"
      : address, (gint) http->port, "/", query, NULL);
}
