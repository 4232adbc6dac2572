# gst-stereomatching: matching pairs of arrays
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Matcher, and match() for a single pair."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_double, c_void_p
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np

from . import _arrays, _devices, _presets, _tables
from . import _library as c
from ._checks import check, path_of, shown
from ._lifetimes import Lifetime
from ._maps import Map
from ._properties import Value, require_known, set_one


def version() -> str:
    """The version of the library, ``"0.2.0"``."""
    return c.lib.stereo_version().decode()


def algorithms() -> Dict[str, str]:
    """Names and titles of the algorithms."""
    return _tables.algorithm_names()


def backends() -> Tuple[str, ...]:
    """The compute backends that work on this machine: ``("cpu",)`` or ``("cpu", "cuda")``."""
    return ("cpu", "cuda") if c.lib.stereo_cuda_count(None) > 0 else ("cpu",)


PathLike = Union[str, "os.PathLike[str]"]

_Handles = List[Tuple[Any, int]]


def _free(handles: _Handles) -> None:
    for function, handle in reversed(handles):
        function(ctypes.byref(c_void_p(handle)))


def _remake(kind: type, algorithm: str, options: Dict[str, Any], values: Dict[str, Value]) -> Any:
    return kind(algorithm, **options, **values)


def _codes_type(dtype: Any) -> np.dtype:
    for kind in (np.dtype(np.uint8), np.dtype(np.uint16)):
        try:
            if dtype is not None and np.dtype(dtype) == kind:
                return kind
        except TypeError:
            pass
    raise c.ArgumentError("dtype = %s: expected uint8 or uint16" % shown(dtype))


class Matcher:
    """An algorithm with its properties, for a sequence of pairs.

    Faster than match(), because buffers are kept between pairs. May be called from
    several threads; calls are serialized. A copy, or a matcher from a pickle, is a new one
    with the same settings.

    :param algorithm: one of algorithms().
    :param backend: ``"cpu"``, ``"cuda"``, or ``"auto"``: CUDA if available, otherwise CPU.
    :param threads: number of CPU threads; 0 = one per processor.
    :param simd: CPU instruction set: ``"auto"``, ``"none"``, ``"generic"``, ``"avx2"``,
        ``"avx512"``; results are bit-exact.
    :param cuda_device: CUDA device index; -1 = first usable device.
    :param preset: one of presets(algorithm), set before the properties.
    :param weights: file with the network of ``cost="learned"``; None = the built-in one.
    :param properties: see ``properties(algorithm)``.
    """

    # An assignment to the name of a property is an error: it would have no effect.
    __slots__ = ("algorithm", "backend", "device", "_config", "_handles", "_kind", "_lifetime",
                 "_matcher", "_options", "_params", "__weakref__")

    def __init__(self, algorithm: str = "sgm", *, backend: str = "auto", threads: int = 0,
                 simd: str = "auto", cuda_device: int = -1, preset: Optional[str] = None,
                 weights: Optional[PathLike] = None, **properties: Value) -> None:
        self._kind = _tables.find_algorithm(algorithm)
        self._config: Optional[Tuple[int, ...]] = None
        self._handles: _Handles = []
        self._lifetime = Lifetime(self, _free, self._handles)
        self._options = {"backend": backend, "threads": threads, "simd": simd,
                         "cuda_device": cuda_device, "weights": weights}
        self.algorithm = algorithm
        device = _devices.device(backend, threads, simd, cuda_device)
        self.backend: str = c.lib.stereo_device_backend(device).decode()
        """Compute backend: ``"cpu"`` or ``"cuda"``."""
        self.device: str = c.lib.stereo_device_name(device).decode()
        """Description of the device: ``"CPU, 2 threads, avx2"``."""
        self._params = self._make(c.lib.stereo_params_new, c.lib.stereo_params_free, self._kind)
        self._matcher = self._make(c.lib.stereo_matcher_new, c.lib.stereo_matcher_free, self._kind,
                                   device)
        if weights is not None:
            self._load_weights(weights)
        if preset is not None:
            self.load_preset(preset)
        self.set(**properties)

    def _load_weights(self, path: PathLike) -> None:
        with open(path_of(path, "weights"), "rb") as file:
            text = file.read()
        why = c.Message()
        status = c.lib.stereo_params_set_weights(self._params, text, len(text), ctypes.byref(why))
        check(status, os.fsencode(path) + b": " + why.text, "weights")

    def _make(self, new: Any, free: Any, *arguments: Any) -> int:
        handle = c_void_p()
        check(new(*arguments, ctypes.byref(handle)), b"", self.algorithm)
        assert handle.value
        self._handles.append((free, handle.value))
        return handle.value

    def __reduce__(self) -> Tuple[Any, ...]:
        return _remake, (type(self), self.algorithm, self._options, self.properties)

    def set(self, **properties: Value) -> None:
        """Sets properties for the pairs that follow; none if one is invalid."""
        table = _tables.table(self.algorithm)
        for name in properties:
            require_known(self.algorithm, table, name)
        with self._lifetime.lock():
            before = {name: self._get(name) for name in properties}
            try:
                self._set_all(properties)
            except BaseException:
                self._set_all(before)
                raise
            if properties:
                self._config = None

    def _set_all(self, properties: Mapping[str, Value]) -> None:
        for name, value in properties.items():
            set_one(c.lib.stereo_params_set, c.lib.stereo_params_set_text, self._params, name,
                    value)

    def load_preset(self, name: str) -> None:
        """Sets the properties of a preset from the next pair on; the others stay as they are."""
        self.set(**_presets.values_of(self.algorithm, name))

    def reset(self) -> None:
        """Resets the temporal filter (``temporal`` above 0).

        Changes of properties, and of the size or type of the arrays, reset it as well.
        """
        with self._lifetime.lock():
            c.lib.stereo_matcher_reset(self._matcher)

    def _get(self, name: str) -> float:
        value = c_double()
        c.lib.stereo_params_get(self._params, name.replace("_", "-").encode(), ctypes.byref(value))
        return value.value

    @property
    def properties(self) -> Dict[str, Value]:
        """The values of all properties, by name."""
        table = _tables.table(self.algorithm)
        with self._lifetime.lock():
            values = {name: self._get(name) for name in table}
        return {name: row.values[int(values[name])] if row.values else row.kind(values[name])
                for name, row in table.items()}

    @property
    def weights_checksum(self) -> int:
        """CRC-32 of the network if ``cost="learned"``, otherwise 0."""
        with self._lifetime.lock():
            return int(c.lib.stereo_params_get_weights(self._params))

    @property
    def milliseconds(self) -> float:
        """Processing time of the last pair, including copies to and from the device."""
        stats = c.Stats()
        why = c.Message()
        with self._lifetime.lock():
            check(c.lib.stereo_matcher_get_stats(self._matcher, ctypes.byref(stats),
                                                 ctypes.byref(why)), why.text, "stats")
        return stats.last_ns / 1e6

    def _check(self, status: int) -> None:
        if status != c.OK:
            self._config = None
            check(status, c.lib.stereo_matcher_error(self._matcher), self.algorithm)

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
            ignored). Rows may be padded. Only the high byte of uint16 is used.
        :param right: of the same size and type.
        :param confidence: whether to compute the confidence; not all algorithms have it.
        :param vertical: whether to compute vertical disparities; only ``"pyramid"`` has them.
        :param dtype: type of the codes: uint16, or uint8 for the search range in 255 steps.
        :param order: channel order: ``"rgb"`` or ``"bgr"``.
        :returns: the map of the left view.
        """
        kind = _codes_type(dtype)
        wanted = ([c.DISPARITY] + [c.VERTICAL] * bool(vertical)
                  + [c.CONFIDENCE] * bool(confidence))
        for result, word in ((c.VERTICAL, "vertical disparities"), (c.CONFIDENCE, "confidence")):
            if result in wanted and not c.lib.stereo_algorithm_has_result(self._kind, result):
                raise c.ArgumentError("%s has no %s" % (self.algorithm, word))
        _arrays.require_pair(left, right)
        # keep the arrays alive until the frame is complete
        left_image, left_array = _arrays.image_of(left, "left", order)
        right_image, right_array = _arrays.image_of(right, "right", order)
        size = (left_image.height, left_image.width)
        images, arrays = {}, {}
        for result in wanted:
            images[result], arrays[result] = _arrays.new_codes(
                *size, kind if result == c.DISPARITY else np.dtype(np.uint16))
        with self._lifetime.lock():
            self._run(left_image, right_image, images)
            found = Map(codes=_arrays.written(arrays[c.DISPARITY]), scale=self._scale(kind),
                        minimum=int(self._get("min_disparity")),
                        invalid=int(self._get("invalid_value")))
            if vertical:
                found.vertical_codes = _arrays.written(arrays[c.VERTICAL])
                found.vertical_scale = self._get("disparity_scale")
        del left_array, right_array
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
            self._matcher, ctypes.byref(left), ctypes.byref(right), results, c.N_RESULTS, None))
        self._check(c.lib.stereo_matcher_sync(self._matcher))


def match(left: Any, right: Any, *, algorithm: str = "sgm", confidence: bool = False,
          vertical: bool = False, dtype: Any = np.uint16, order: str = "rgb",
          backend: str = "auto", threads: int = 0, simd: str = "auto", cuda_device: int = -1,
          preset: Optional[str] = None, weights: Optional[PathLike] = None,
          **properties: Value) -> Map:
    """Matches one rectified pair: see Matcher and Matcher.match() for the parameters.

    >>> found = match(left, right, num_disparities=64, confidence=True)
    >>> found.disparity.shape == left.shape[:2]
    True
    """
    matcher = Matcher(algorithm, backend=backend, threads=threads, simd=simd,
                      cuda_device=cuda_device, preset=preset, weights=weights, **properties)
    return matcher.match(left, right, confidence=confidence, vertical=vertical, dtype=dtype,
                         order=order)
