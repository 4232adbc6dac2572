# gst-stereomatching: matching two arrays
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Matcher, and match() for a single pair."""

from __future__ import annotations

import ctypes
import threading
import weakref
from ctypes import POINTER, c_double, c_void_p
from typing import Any, Dict, Optional, Tuple

import numpy as np

from . import _arrays, _devices, _tables
from . import _library as c
from ._maps import Map
from ._properties import Value, require_known, set_one


def version() -> str:
    """The version of the library, ``"0.2.0"``."""
    return c.lib.stereo_version().decode()


def algorithms() -> Dict[str, str]:
    """Names of the algorithms, and what they are called in full."""
    return _tables.algorithm_names()


def backends() -> Tuple[str, ...]:
    """The back ends that work on this machine: ``("cpu",)`` or ``("cpu", "cuda")``."""
    return ("cpu", "cuda") if c.lib.stereo_cuda_count(None) > 0 else ("cpu",)


def _free(function: Any, handle: int) -> None:
    function(ctypes.byref(c_void_p(handle)))


def _codes_type(dtype: Any) -> np.dtype:
    kind = np.dtype(dtype)
    if kind not in (np.dtype(np.uint8), np.dtype(np.uint16)):
        raise c.ArgumentError("dtype = %s: it is uint8 or uint16" % kind)
    return kind


class Matcher:
    """An algorithm with its properties, for pair after pair.

    Buffers stay from one pair to the next, so a sequence is faster than with
    match(). May be called from several threads, which take turns.

    :param algorithm: one of algorithms().
    :param backend: ``"cpu"``, ``"cuda"``, or ``"auto"``: CUDA if there is any.
    :param threads: of the CPU; 0 = one for each processor.
    :param simd: of the CPU: ``"auto"``, ``"none"``, ``"generic"``, ``"avx2"``, ``"avx512"``;
        all give the same bytes.
    :param cuda_device: its number; -1 = the first one that works.
    :param properties: those of ``properties(algorithm)``.
    """

    def __init__(self, algorithm: str = "sgm", *, backend: str = "auto", threads: int = 0,
                 simd: str = "auto", cuda_device: int = -1, **properties: Value) -> None:
        self._lock = threading.Lock()
        self._kind = _tables.find_algorithm(algorithm)
        self._config: Optional[Tuple[int, ...]] = None
        self.algorithm = algorithm
        device = _devices.device(backend, threads, simd, cuda_device)
        self.backend: str = c.lib.stereo_device_backend(device).decode()
        """What computes: ``"cpu"`` or ``"cuda"``."""
        self.device: str = c.lib.stereo_device_name(device).decode()
        """The same for people: ``"CPU, 2 threads, avx2"``."""
        self._params = self._make(c.lib.stereo_params_new, c.lib.stereo_params_free, self._kind)
        self._matcher = self._make(c.lib.stereo_matcher_new, c.lib.stereo_matcher_free, self._kind,
                                   device)
        self.set(**properties)

    def _make(self, new: Any, free: Any, *arguments: Any) -> int:
        handle = c_void_p()
        c.check(new(*arguments, ctypes.byref(handle)), b"", self.algorithm)
        assert handle.value
        weakref.finalize(self, _free, free, handle.value)
        return handle.value

    def set(self, **properties: Value) -> None:
        """Changes properties from the next pair on."""
        table = _tables.table(self.algorithm)
        for name in properties:
            require_known(self.algorithm, table, name)
        with self._lock:
            for name, value in properties.items():
                self._config = None
                set_one(c.lib.stereo_params_set, c.lib.stereo_params_set_text, self._params, name,
                        value)

    def reset(self) -> None:
        """Forgets the pairs before, on which a map depends if ``temporal`` is above 0.

        So does a change of properties, or of the size or type of the arrays.
        """
        with self._lock:
            c.lib.stereo_matcher_reset(self._matcher)

    def _get(self, name: str) -> float:
        value = c_double()
        c.lib.stereo_params_get(self._params, name.replace("_", "-").encode(), ctypes.byref(value))
        return value.value

    @property
    def properties(self) -> Dict[str, Value]:
        """The values of all properties, by name."""
        table = _tables.table(self.algorithm)
        with self._lock:
            values = {name: self._get(name) for name in table}
        return {name: row.values[int(values[name])] if row.values else row.kind(values[name])
                for name, row in table.items()}

    @property
    def milliseconds(self) -> float:
        """How long the last pair took, with copies to the device and back."""
        stats = c.Stats()
        c.lib.stereo_matcher_get_stats(self._matcher, ctypes.byref(stats))
        return stats.last_ns / 1e6

    def _check(self, status: int) -> None:
        if status != c.OK:
            self._config = None
            c.check(status, c.lib.stereo_matcher_error(self._matcher), self.algorithm)

    def _configure(self, left: c.Image, right: c.Image, output: int) -> None:
        wanted = (left.width, left.height, left.format, right.format, output)
        if wanted == self._config:
            return
        config = c.Config(*wanted)
        self._check(c.lib.stereo_matcher_configure(self._matcher, ctypes.byref(config),
                                                   self._params))
        self._config = wanted

    def _scale(self, kind: np.dtype) -> float:
        if kind.itemsize == 2:
            return self._get("disparity_scale")
        return 255 / max(self._get("num_disparities") - 1, 1)

    def match(self, left: Any, right: Any, *, confidence: bool = False, vertical: bool = False,
              dtype: Any = np.uint16, order: str = "rgb") -> Map:
        """Matches a rectified pair.

        :param left: uint8 or uint16, height x width, or x 1, 3 or 4 channels (the fourth is
            ignored). Rows may lie apart. Of uint16 the high byte counts.
        :param right: the same size.
        :param confidence: whether the map gets a confidence; not every algorithm has one.
        :param vertical: whether it gets vertical disparities; only ``"pyramid"`` has them.
        :param dtype: of the codes: uint16, or uint8 for the whole range in 255 steps.
        :param order: of the channels: ``"rgb"`` or ``"bgr"``.
        :returns: the map of the left view.
        """
        kind = _codes_type(dtype)
        wanted = [c.DISPARITY] + [c.VERTICAL] * vertical + [c.CONFIDENCE] * confidence
        for result, word in ((c.VERTICAL, "vertical disparities"), (c.CONFIDENCE, "confidence")):
            if result in wanted and not c.lib.stereo_algorithm_has_result(self._kind, result):
                raise c.ArgumentError("%s has no %s" % (self.algorithm, word))
        # the arrays have to stay until the frame is complete
        left_image, left_array = _arrays.image_of(left, "left", order)
        right_image, right_array = _arrays.image_of(right, "right", order)
        size = (left_image.height, left_image.width)
        if (right_image.height, right_image.width) != size:
            raise c.ArgumentError("left has %d x %d pixels, right %d x %d: they have to be equal" % (
                size + (right_image.height, right_image.width)))
        images, arrays = {}, {}
        for result in wanted:
            images[result], arrays[result] = _arrays.new_codes(
                *size, kind if result == c.DISPARITY else np.dtype(np.uint16))
        with self._lock:
            self._run(left_image, right_image, images)
            found = Map(codes=_arrays.written(arrays[c.DISPARITY]), scale=self._scale(kind),
                        minimum=int(self._get("min_disparity")),
                        invalid=int(self._get("invalid_value")))
        del left_array, right_array
        if vertical:
            found.vertical_codes = _arrays.written(arrays[c.VERTICAL])
        if confidence:
            found.confidence_codes = _arrays.written(arrays[c.CONFIDENCE])
        return found

    __call__ = match

    def _run(self, left: c.Image, right: c.Image, images: Dict[int, c.Image]) -> None:
        results = (POINTER(c.Image) * c.N_RESULTS)()
        for result, image in images.items():
            results[result] = ctypes.pointer(image)
        self._configure(left, right, images[c.DISPARITY].format)
        self._check(c.lib.stereo_matcher_process_results(
            self._matcher, ctypes.byref(left), ctypes.byref(right), results, None))
        self._check(c.lib.stereo_matcher_sync(self._matcher))


def match(left: Any, right: Any, *, algorithm: str = "sgm", confidence: bool = False,
          vertical: bool = False, dtype: Any = np.uint16, order: str = "rgb",
          backend: str = "auto", threads: int = 0, simd: str = "auto", cuda_device: int = -1,
          **properties: Value) -> Map:
    """Matches one rectified pair: see Matcher and Matcher.match() for the parameters.

    >>> found = match(left, right, num_disparities=64, confidence=True)
    >>> found.disparity.shape == left.shape[:2]
    True
    """
    matcher = Matcher(algorithm, backend=backend, threads=threads, simd=simd,
                      cuda_device=cuda_device, **properties)
    return matcher.match(left, right, confidence=confidence, vertical=vertical, dtype=dtype,
                         order=order)
