# gst-stereomatching: the plugin for the GStreamer of Python's packages
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adds the plugin and its presets to GStreamer's paths in the environment.

stereomatching_gstreamer.pth imports this module whenever Python starts. The packages
gstreamer-* build the environment of GStreamer from their own folders, which have fixed
names, and from that of the process.
"""

import os


def _add(name, folder, otherwise=None):
    """Appends a folder to a path. The variable replaces another one in GStreamer."""
    known = os.environ.get(name) or os.environ.get(otherwise or name)
    folders = known.split(os.pathsep) if known else []
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), folder)
    if path not in folders:
        os.environ[name] = os.pathsep.join(folders + [path])


_add("GST_PLUGIN_PATH_1_0", "plugins", "GST_PLUGIN_PATH")
_add("GST_PRESET_PATH", "presets")
