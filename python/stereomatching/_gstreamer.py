# gst-stereomatching: GStreamer's Python bindings
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Imports GStreamer where it is needed, as most of the module works without it."""

from typing import Any


def import_gst(user: str) -> Any:
    """GStreamer, initialised. An ImportError begins with the user, such as "Rectifier needs"."""
    try:
        # pylint: disable=import-outside-toplevel,unused-import
        import gi
        gi.require_version("Gst", "1.0")
        gi.require_version("GstApp", "1.0")
        from gi.repository import Gst, GstApp  # noqa: F401
    except (ImportError, ValueError):
        raise ImportError("%s GStreamer's Python bindings: install python3-gi and "
                          "gir1.2-gst-plugins-base-1.0" % user) from None
    Gst.init(None)
    return Gst
