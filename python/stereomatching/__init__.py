# gst-stereomatching: stereo matching on NumPy arrays
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Disparities, views and depths of stereo pairs, on the CPU and on CUDA.

A thin layer over libstereomatching, which computes the same bytes as the
elements of GStreamer with the same properties.

    import stereomatching

    found = stereomatching.match(left, right, num_disparities=64)
    found.disparity         # float32, height x width, in pixels; NaN = none

Arrays are height x width, or height x width x channels, row by row from the
top, and are read in place where rows have their pixels beside each other.
"""

from ._library import ArgumentError, Error
from ._maps import Camera, Map, depth, points, view
from ._matching import Matcher, algorithms, backends, match, version
from ._properties import Property
from ._tables import properties

__all__ = ["ArgumentError", "Camera", "Error", "Map", "Matcher", "Property", "algorithms",
           "backends", "depth", "match", "points", "properties", "version", "view"]
__version__ = version()
