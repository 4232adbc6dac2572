# gst-stereomatching: stereo matching on NumPy arrays
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stereo matching, virtual views, depth and point clouds, on the CPU and on CUDA.

A thin layer over libstereomatching. Results are bit-exact with those of the
GStreamer elements with the same properties.

    import stereomatching

    found = stereomatching.match(left, right, num_disparities=64)
    found.disparity         # float32, height x width, in pixels; NaN = none

Arrays are height x width or height x width x channels, from the top row down.
They are read in place if the pixels of each row are contiguous.
"""

from ._alignment import Aligner, Alignment, Correction, align
from ._library import ArgumentError, Error
from ._maps import Camera, Map, depth, points, view
from ._matching import Matcher, algorithms, backends, match, version
from ._presets import presets
from ._properties import Property
from ._rectify import Rectified, Rectifier
from ._tables import properties
from ._video import Frame, Video, open_video

__all__ = ["Aligner", "Alignment", "ArgumentError", "Camera", "Correction", "Error", "Frame",
           "Map", "Matcher", "Property", "Rectified", "Rectifier", "Video", "algorithms", "align",
           "backends", "depth", "match", "open_video", "points", "presets", "properties",
           "version", "view"]
__version__ = version()
