/* gst-stereomatching: QEMU plugin that counts instructions
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 *   qemu-aarch64 -plugin count-instructions.so -d plugin PROGRAM ...
 *
 * Prints the number of executed instructions of a program with one thread.
 * Debian has no header of the interface (version 1, QEMU 7.2): the declarations
 * follow QEMU's documentation of TCG plugins.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t PluginId;
struct qemu_plugin_tb;

size_t qemu_plugin_tb_n_insns (const struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_trans_cb (PluginId id,
    void (*callback) (PluginId id, struct qemu_plugin_tb * block));
void qemu_plugin_register_vcpu_tb_exec_inline (struct qemu_plugin_tb *block,
    int operation, void *counter, uint64_t n);
void qemu_plugin_register_atexit_cb (PluginId id,
    void (*callback) (PluginId id, void *data), void *data);
void qemu_plugin_outs (const char *text);

#define EXPORT __attribute__ ((visibility ("default")))
#define INLINE_ADD_U64 0

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install (PluginId id, const void *info, int argc,
    char **argv);

static uint64_t counter;

static void
count_block (PluginId id, struct qemu_plugin_tb *block)
{
  (void) id;
  qemu_plugin_register_vcpu_tb_exec_inline (block, INLINE_ADD_U64, &counter,
      qemu_plugin_tb_n_insns (block));
}

static void
print_count (PluginId id, void *data)
{
  char text[64];

  (void) id;
  (void) data;
  snprintf (text, sizeof (text), "%" PRIu64 " instructions\n", counter);
  qemu_plugin_outs (text);
}

int
qemu_plugin_install (PluginId id, const void *info, int argc, char **argv)
{
  (void) info;
  (void) argc;
  (void) argv;
  qemu_plugin_register_vcpu_tb_trans_cb (id, count_block);
  qemu_plugin_register_atexit_cb (id, print_count, NULL);
  return 0;
}
