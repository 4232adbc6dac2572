# gst-stereomatching: ctypes declarations of the C library
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Loads libstereomatching and declares the interface of stereo.h and stereo-cuda.h.

The first of these that exists is used: the file named by $STEREOMATCHING_LIBRARY;
the library in this package, as in a wheel; SONAME on the loader's path; SONAME in
the prefix of this package.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
from ctypes import (POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_size_t,
                    c_uint, c_uint32, c_uint64, c_void_p)
from typing import Any, Callable, Iterator, List

SONAME, _INSIDE = {
    "darwin": ("libstereomatching.1.dylib", "_stereomatching.so"),
    "win32": ("libstereomatching-1.dll", "_stereomatching.dll"),
}.get(sys.platform, ("libstereomatching.so.1", "_stereomatching.so"))

OK, ERROR_ARGUMENT = 0, 1
# StereoFormat
GRAY8, GRAY16_LE, RGB, BGR, RGBX, BGRX = range(6)
XYZ_F32 = 48
# StereoResult
DISPARITY, VERTICAL, CONFIDENCE, N_RESULTS = range(4)
# StereoParamType
BOOL, INT, UINT, DOUBLE, ENUM = range(5)
VERTICAL_OFFSET = 32768


class Error(RuntimeError):
    """A call of the library failed. The text is its error message."""


class ArgumentError(Error, ValueError):
    """An invalid argument. The text says what is expected."""


class Message(Structure):
    _fields_ = [("text", c_char * 512)]


class Image(Structure):
    _fields_ = [("format", c_int), ("width", c_int), ("height", c_int), ("memory", c_int),
                ("plane", c_void_p * 3), ("stride", c_size_t * 3), ("ready", c_void_p),
                ("done", c_void_p)]


class _Sized(Structure):
    """A structure whose first member is its size."""

    def __init__(self, *values: int) -> None:
        super().__init__(ctypes.sizeof(self), *values)


class Config(_Sized):
    _fields_ = [("struct_size", c_uint32), ("width", c_int), ("height", c_int), ("left", c_int),
                ("right", c_int), ("output", c_int), ("left_colorimetry", c_int),
                ("right_colorimetry", c_int)]


class EnumValue(Structure):
    _fields_ = [("nick", c_char_p), ("blurb", c_char_p)]


class ParamSpec(Structure):
    _fields_ = [("name", c_char_p), ("field", c_char_p), ("blurb", c_char_p), ("type", c_int),
                ("offset", c_size_t), ("initial", c_double), ("minimum", c_double),
                ("maximum", c_double), ("values", POINTER(EnumValue))]


class Stats(_Sized):
    _fields_ = [("struct_size", c_uint32), ("frames", c_uint64), ("last_ns", c_uint64),
                ("total_ns", c_uint64), ("device_bytes", c_size_t), ("host_bytes", c_size_t),
                ("allocations", c_uint64)]


CORRECTION_TEXT_SIZE = 512
CORRECTION_FILE_SIZE = 4096


class Correction(Structure):
    _fields_ = [("serial", c_uint), ("width", c_int), ("height", c_int), ("focal_length", c_double),
                ("values", c_double * 10)]


class AlignmentReport(_Sized):
    _fields_ = [("struct_size", c_uint32), ("status", c_int), ("alarm", c_bool), ("serial", c_uint),
                ("n_matches", c_uint), ("n_fitting", c_uint)] + [
        (name, c_double) for name in (
            "rows_median", "rows_95", "rows_max", "rows_sigma", "offset", "offset_sigma", "roll",
            "roll_sigma", "zoom", "zoom_sigma", "keystone", "keystone_sigma", "disparity_sigma",
            "contrast", "brightness", "sharpness", "min_disparity", "max_disparity")] + [
        ("text", c_char * 512)]


_HANDLE = POINTER(c_void_p)
_IMAGE = POINTER(Image)
_WHY = POINTER(Message)

# function: (result, arguments)
_FUNCTIONS = {
    "stereo_status_name": (c_char_p, [c_int]),
    "stereo_version": (c_char_p, []),
    "stereo_algorithm_get": (c_void_p, [c_size_t]),
    "stereo_algorithm_find": (c_void_p, [c_char_p]),
    "stereo_algorithm_name": (c_char_p, [c_void_p]),
    "stereo_algorithm_title": (c_char_p, [c_void_p]),
    "stereo_algorithm_has_result": (c_bool, [c_void_p, c_int]),
    "stereo_algorithm_param": (POINTER(ParamSpec), [c_void_p, c_size_t]),
    "stereo_algorithm_param_initial": (c_double, [c_void_p, POINTER(ParamSpec)]),
    "stereo_params_new": (c_int, [c_void_p, _HANDLE]),
    "stereo_params_free": (None, [_HANDLE]),
    "stereo_params_set": (c_int, [c_void_p, c_char_p, c_double, _WHY]),
    "stereo_params_set_text": (c_int, [c_void_p, c_char_p, c_char_p, _WHY]),
    "stereo_params_set_weights": (c_int, [c_void_p, c_char_p, c_size_t, _WHY]),
    "stereo_params_get_weights": (c_uint32, [c_void_p]),
    "stereo_params_get": (c_bool, [c_void_p, c_char_p, POINTER(c_double)]),
    "stereo_device_new_cpu": (c_int, [c_uint, c_int, _HANDLE, _WHY]),
    "stereo_device_new_cuda": (c_int, [c_int, _HANDLE, _WHY]),
    "stereo_cuda_count": (c_int, [_WHY]),
    "stereo_simd_name": (c_char_p, [c_int]),
    "stereo_device_unref": (None, [_HANDLE]),
    "stereo_device_backend": (c_char_p, [c_void_p]),
    "stereo_device_name": (c_char_p, [c_void_p]),
    "stereo_matcher_new": (c_int, [c_void_p, c_void_p, _HANDLE]),
    "stereo_matcher_free": (None, [_HANDLE]),
    "stereo_matcher_configure": (c_int, [c_void_p, POINTER(Config), c_void_p]),
    "stereo_matcher_process_results": (c_int, [c_void_p, _IMAGE, _IMAGE, POINTER(_IMAGE),
                                               c_size_t, POINTER(c_uint64)]),
    "stereo_matcher_reset": (None, [c_void_p]),
    "stereo_matcher_sync": (c_int, [c_void_p]),
    "stereo_matcher_error": (c_char_p, [c_void_p]),
    "stereo_matcher_get_stats": (c_int, [c_void_p, POINTER(Stats), _WHY]),
    "stereo_operation_param": (POINTER(ParamSpec), [c_char_p, c_size_t]),
    "stereo_operation_new": (c_int, [c_char_p, c_void_p, _HANDLE, _WHY]),
    "stereo_operation_free": (None, [_HANDLE]),
    "stereo_operation_set": (c_int, [c_void_p, c_char_p, c_double, _WHY]),
    "stereo_operation_set_text": (c_int, [c_void_p, c_char_p, c_char_p, _WHY]),
    "stereo_operation_output_size": (c_int, [c_void_p, c_int, c_int, POINTER(c_int),
                                             POINTER(c_int), _WHY]),
    "stereo_alignment_new": (c_int, [_HANDLE, _WHY]),
    "stereo_alignment_free": (None, [_HANDLE]),
    "stereo_alignment_reset": (None, [c_void_p]),
    "stereo_alignment_set_focal_length": (c_int, [c_void_p, c_double, _WHY]),
    "stereo_alignment_measure": (c_int, [c_void_p, c_void_p, _IMAGE, _IMAGE, POINTER(Correction),
                                         c_double, _WHY]),
    "stereo_alignment_get_report": (None, [c_void_p, POINTER(AlignmentReport)]),
    "stereo_alignment_get_correction": (None, [c_void_p, POINTER(Correction)]),
    "stereo_alignment_status_name": (c_char_p, [c_int]),
    "stereo_correction_format": (None, [POINTER(Correction), c_char_p]),
    "stereo_correction_format_opencv": (None, [POINTER(Correction), c_char_p]),
    "stereo_correction_parse": (c_int, [c_char_p, POINTER(Correction), _WHY]),
    "stereo_correction_source": (None, [POINTER(Correction), c_bool, c_double, c_double,
                                        POINTER(c_double), POINTER(c_double)]),
    "stereo_operation_process": (c_int, [c_void_p, POINTER(_IMAGE), c_size_t, _IMAGE, _WHY]),
}


def _places() -> List[str]:
    here = os.path.dirname(os.path.abspath(__file__))
    named = os.environ.get("STEREOMATCHING_LIBRARY")
    if named:
        return [named]
    inside = os.path.join(here, _INSIDE)
    if os.path.exists(inside):
        return [inside]
    # PREFIX/lib/python3.11/site-packages/stereomatching
    return [SONAME, os.path.join(here, "..", "..", "..", SONAME)]


def _open() -> Any:
    failures = []
    for place in _places():
        try:
            library = ctypes.CDLL(place)
            for name, (result, arguments) in _FUNCTIONS.items():
                function = getattr(library, name)
                function.restype = result
                function.argtypes = arguments
            return library
        except (OSError, AttributeError) as error:
            failures.append(str(error))
    raise ImportError("cannot load libstereomatching (%s): install it, or set STEREOMATCHING_LIBRARY "
                      "to its file" % "; ".join(failures))


lib: Any = _open()


def all_of(get: Callable[[int], Any]) -> Iterator[Any]:
    """What a function of the library returns for 0, 1 and so on, until it is NULL."""
    return itertools.takewhile(bool, map(get, itertools.count()))
