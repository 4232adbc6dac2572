/* gst-stereomatching: connections to the server
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "listener.h"

#include <sys/resource.h>
#include <unistd.h>

/* Seconds without a byte; pages answer pings more often. */
#define IDLE_TIME 10
#define VIEWER_IDLE_TIME 120
/* At most this many connections, and this share of the descriptors. */
#define MAX_CONNECTIONS 64
#define SHARE 4
/* After a failure to accept, in milliseconds. */
#define RETRY_TIME 200

/* The connection, of its remote address. */
#define CONNECTION "stereo-tune-connection"

struct TuneListener
{
  SoupServer *server;
  GPtrArray *sockets;
  GSource *sources[2];          /* one for each socket */
  GQueue connections;           /* GSocketConnection, oldest first, borrowed */
  guint maximum;
  guint timer;
};

static void start_accepting (TuneListener * listener);

static void
connection_freed (gpointer data, GObject * connection)
{
  g_queue_remove (&((TuneListener *) data)->connections, connection);
}

/* Stops counting a connection. */
static void
remove_connection (TuneListener * listener, gpointer connection)
{
  if (g_queue_remove (&listener->connections, connection))
    g_object_weak_unref (connection, connection_freed, listener);
}

/* The server owns it and frees it at its end. */
static void
close_oldest (TuneListener * listener)
{
  GSocketConnection *oldest = g_queue_peek_head (&listener->connections);

  if (oldest == NULL)
    return;
  remove_connection (listener, oldest);
  g_socket_shutdown (g_socket_connection_get_socket (oldest), TRUE, TRUE, NULL);
}

static void
add_connection (TuneListener * listener, GSocket * socket)
{
  g_autoptr (GSocketConnection) connection =
      g_socket_connection_factory_create_connection (socket);
  g_autoptr (GSocketAddress) local = g_socket_get_local_address (socket, NULL);
  g_autoptr (GSocketAddress) remote = g_socket_get_remote_address (socket,
      NULL);

  if (local == NULL || remote == NULL)
    return;
  if (listener->connections.length >= listener->maximum)
    close_oldest (listener);
  g_socket_set_timeout (socket, IDLE_TIME);
  g_object_set_data (G_OBJECT (remote), CONNECTION, connection);
  g_object_weak_ref (G_OBJECT (connection), connection_freed, listener);
  g_queue_push_tail (&listener->connections, connection);
  soup_server_accept_iostream (listener->server, G_IO_STREAM (connection),
      local, remote, NULL);
}

static void
stop_accepting (TuneListener * listener)
{
  for (guint i = 0; i < G_N_ELEMENTS (listener->sources); i++) {
    if (listener->sources[i] != NULL)
      g_source_destroy (listener->sources[i]);
    g_clear_pointer (&listener->sources[i], g_source_unref);
  }
}

static gboolean
retry (gpointer data)
{
  TuneListener *listener = data;

  listener->timer = 0;
  start_accepting (listener);
  return G_SOURCE_REMOVE;
}

static gboolean
accept_connection (GSocket * socket, GIOCondition condition, gpointer data)
{
  TuneListener *listener = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocket) accepted = g_socket_accept (socket, NULL, &error);

  (void) condition;
  if (accepted != NULL) {
    add_connection (listener, accepted);
  } else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK)) {
    /* no descriptor is free: the socket stays readable */
    close_oldest (listener);
    stop_accepting (listener);
    listener->timer = g_timeout_add (RETRY_TIME, retry, listener);
  }
  return G_SOURCE_CONTINUE;
}

static void
start_accepting (TuneListener * listener)
{
  for (guint i = 0; i < listener->sockets->len; i++) {
    GSource *source = g_socket_create_source (g_ptr_array_index
        (listener->sockets, i), G_IO_IN, NULL);

    g_source_set_callback (source, G_SOURCE_FUNC (accept_connection), listener,
        NULL);
    g_source_attach (source, NULL);
    listener->sources[i] = source;
  }
}

/* A socket of its own that accepts the same connections, or NULL. */
static GSocket *
copy_socket (GSocket * listener, GError ** error)
{
  const int descriptor = dup (g_socket_get_fd (listener));
  GSocket *copy = g_socket_new_from_fd (descriptor, error);

  if (copy != NULL)
    g_socket_set_blocking (copy, FALSE);
  else if (descriptor >= 0)
    close (descriptor);
  return copy;
}

/* Sockets that listen on one port, bound by a temporary server; NULL if any
 * cannot. */
static GPtrArray *
bind_sockets (const gchar * address, guint port, GError ** error)
{
  g_autoptr (SoupServer) server = soup_server_new (NULL, NULL);
  g_autoptr (GPtrArray) sockets = g_ptr_array_new_with_free_func
      (g_object_unref);
  g_autoptr (GSocketAddress) where = address == NULL ? NULL
      : g_inet_socket_address_new_from_string (address, port);
  gboolean good = TRUE;
  GSList *list;

  if (where == NULL ? !soup_server_listen_local (server, port, 0, error)
      : !soup_server_listen (server, where, 0, error))
    return NULL;
  list = soup_server_get_listeners (server);
  for (GSList * item = list; item != NULL && good; item = item->next) {
    GSocket *socket = copy_socket (item->data, error);

    good = socket != NULL;
    if (good)
      g_ptr_array_add (sockets, socket);
  }
  g_slist_free (list);
  soup_server_disconnect (server);
  return good ? g_steal_pointer (&sockets) : NULL;
}

TuneListener *
tune_listener_new (SoupServer * server, const gchar * address, guint port,
    GError ** error)
{
  GPtrArray *sockets = bind_sockets (address, port, error);
  struct rlimit descriptors = {.rlim_cur = SHARE * MAX_CONNECTIONS };
  TuneListener *listener;

  if (sockets == NULL)
    return NULL;
  listener = g_new0 (TuneListener, 1);
  listener->server = server;
  listener->sockets = sockets;
  getrlimit (RLIMIT_NOFILE, &descriptors);
  listener->maximum = (guint) CLAMP (descriptors.rlim_cur / SHARE, 1,
      MAX_CONNECTIONS);
  start_accepting (listener);
  return listener;
}

void
tune_listener_free (TuneListener ** listener)
{
  TuneListener *self = g_steal_pointer (listener);

  if (self == NULL)
    return;
  g_clear_handle_id (&self->timer, g_source_remove);
  stop_accepting (self);
  while (self->connections.head != NULL)
    remove_connection (self, self->connections.head->data);
  g_ptr_array_unref (self->sockets);
  g_free (self);
}

guint
tune_listener_port (TuneListener * listener)
{
  g_autoptr (GSocketAddress) address = g_socket_get_local_address
      (g_ptr_array_index (listener->sockets, 0), NULL);

  return g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address));
}

static gpointer
get_connection (SoupServerMessage * message)
{
  return g_object_get_data (G_OBJECT (soup_server_message_get_remote_address
          (message)), CONNECTION);
}

void
tune_listener_add_websocket (SoupServerMessage * message)
{
  g_socket_set_timeout (g_socket_connection_get_socket (get_connection
          (message)), VIEWER_IDLE_TIME);
}

void
tune_listener_add_viewer (TuneListener * listener, SoupServerMessage * message)
{
  remove_connection (listener, get_connection (message));
}
