# gst-stereomatching: rectification from calibration files
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rectifier, with the GStreamer element stereorectify.

The readers of calibration files belong to that element. The library has none,
as it does not depend on a YAML parser.
"""

from __future__ import annotations

import os
import tempfile
import threading
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _library as c
from ._alignment import Correction, require_correction
from ._arrays import view_images
from ._checks import encoded, one_of, shown, warn, whole, within
from ._devices import BACKENDS
from ._gstreamer import import_gst
from ._lifetimes import Lifetime, Unique
from ._maps import Camera
from ._writing import discard

# GStreamer's names of the formats
_CAPS = {c.GRAY8: "GRAY8", c.RGB: "RGB", c.BGR: "BGR", c.RGBX: "RGBx", c.BGRX: "BGRx"}
_VIEWS = ("left", "right")
# The smallest and the largest value
CALIBRATION_UNITS = (1e-9, 1e9)
ALPHAS = (-1.0, 1.0)

Path = Union[str, "os.PathLike[str]"]

# GStreamer finds no elements while another thread initializes it.
_init_lock = threading.Lock()
_init_process: List[int] = []


def _gst_of_process() -> Any:
    with _init_lock:
        gst = _gst_with_element()
        _init_process[:] = _init_process or [os.getpid()]
    _require_own_process()
    return gst


def _require_own_process() -> None:
    """Threads of GStreamer, which pipelines wait for, do not exist in a forked child."""
    if _init_process != [os.getpid()]:
        raise c.Error("GStreamer does not work in the child of a process that has used it: start "
                      "the child with the method spawn, not fork")


def _gst_with_element() -> Any:
    try:
        gst = import_gst("Rectifier needs")
    except ImportError as error:
        raise c.Error(str(error)) from None
    if gst.ElementFactory.find("stereorectify") is None:
        raise c.Error("Rectifier needs the GStreamer element stereorectify: install the plugin "
                      "gst-stereomatching, or set GST_PLUGIN_PATH to its folder")
    return gst


def _search_path(calibration: Any) -> str:
    given = [calibration] if isinstance(calibration, (str, os.PathLike)) else calibration
    try:
        names: List[str] = [os.fspath(name) for name in given]
        joined = os.pathsep.join(names)
    except TypeError:
        joined = ""
    if not joined:
        raise c.ArgumentError("calibration = %s: expected the name of a file, or a list of them" %
                              shown(calibration))
    encoded(joined, "calibration")
    for name in names:
        if os.pathsep in name and os.path.exists(name):
            raise c.ArgumentError("calibration = %s: '%s' separates the names of files; rename this "
                                  "one" % (shown(name), os.pathsep))
    return joined


def _write_file(text: str, files: List[str]) -> None:
    """Adds the path of a new file to files, also if it cannot be written."""
    handle, path = tempfile.mkstemp(prefix="stereomatching-", suffix=".yml")
    files.append(path)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(text)


def _stop(pipeline: Any, state: Any, files: List[str]) -> None:
    pipeline.set_state(state)
    for path in files:
        discard(path)


class Rectified(NamedTuple):
    """A rectified pair."""

    left: np.ndarray
    """uint8, of the shape of the given view."""
    right: np.ndarray
    camera: Optional[Camera]
    """The camera, for depth() and points(); None if the calibration has no baseline."""


class Rectifier(Unique):
    """Rectifies pairs of views as stereorectify does.

    :param calibration: the calibration file, or a list of them: OpenCV, ROS, Kalibr or ZED, as in
        docs/calibration.md.
    :param correction: of align() or Aligner, for the views without a calibration, or rectified
        with it.
    :param calibration_unit: length unit of OpenCV calibration files, in metres.
    :param alpha: free scaling, for files without a projection: 0 = crop to valid pixels, 1 = keep
        all source pixels, -1 = keep the focal length.
    :param projection: ``"plane"``, or ``"cylinder"`` around the baseline, where depth is the
        distance from the baseline.
    :param field_of_view: horizontal field of view in degrees; 0 = by alpha, and 90 for cylinders
        and wide lenses.
    :param border: fill colour outside the source image, 0xAARRGGBB.
    :param backend: ``"auto"``, ``"cpu"`` or ``"cuda"``.
    """

    def __init__(self, calibration: Union[None, Path, Sequence[Path]] = None, *,
                 correction: Optional[Correction] = None, calibration_unit: float = 1.0,
                 alpha: float = 0.0, border: int = 0xff000000, backend: str = "auto",
                 projection: str = "plane", field_of_view: float = 0.0) -> None:
        if calibration is None and correction is None:
            raise c.ArgumentError("expected a calibration, a correction, or both")
        if correction is not None:
            require_correction(correction, "correction")
        common = {
            "border": whole(border, "border", 0, 0xffffffff),
            "backend": one_of(backend, "backend", BACKENDS),
        }
        projected = {
            "calibration-unit": within(calibration_unit, "calibration_unit", *CALIBRATION_UNITS),
            "alpha": within(alpha, "alpha", *ALPHAS),
            "projection": one_of(projection, "projection", ("plane", "cylinder")),
            "field-of-view": within(field_of_view, "field_of_view", 0, 175),
        }
        # of one element after the other
        self._properties = [] if calibration is None else [
            dict(common, **projected, calibration=_search_path(calibration))]
        self._gst = _gst_of_process()
        self._files: List[str] = []
        self._pipeline = self._gst.Pipeline()
        self._chains: List[List[Any]] = []
        self._lifetime = Lifetime(self, _stop, self._pipeline, self._gst.State.NULL, self._files)
        if correction is not None:
            _write_file(correction.calibration(), self._files)
            self._properties.append(dict(common, calibration=self._files[0]))
        self._start()

    def _start(self) -> None:
        """Makes the elements, instead of earlier ones: a used appsrc begins with its last caps."""
        self._pipeline.set_state(self._gst.State.NULL)
        for element in [one for chain in self._chains for one in chain]:
            self._pipeline.remove(element)
        self._chains = [self._add_branch(view) for view in _VIEWS]
        if self._pipeline.set_state(self._gst.State.PLAYING) == self._gst.StateChangeReturn.FAILURE:
            self._check_messages()

    def _add_branch(self, view: str) -> List[Any]:
        """Returns the elements of a view, from appsrc to appsink."""
        names = ["appsrc"] + ["stereorectify"] * len(self._properties) + ["appsink"]
        chain = [self._gst.ElementFactory.make(name) for name in names]
        for element, properties in zip(chain[1:], self._properties):
            for name, value in dict(properties, view=view).items():
                element.set_property(name, value)
        chain[0].set_property("format", self._gst.Format.TIME)
        chain[-1].set_property("sync", False)
        # otherwise an error of one view aborts a state change that waits for both
        chain[-1].set_property("async", False)
        for one in chain:
            self._pipeline.add(one)
        for one, following in zip(chain, chain[1:]):
            one.link(following)
        if view == "left":
            self._watch_camera(chain[1].get_static_pad("src"))
        return chain

    def _watch_camera(self, pad: Any) -> None:
        """Keeps the camera of the calibration; a correction has no baseline."""
        cameras: List[Optional[Camera]] = []
        passed = self._gst.PadProbeReturn.OK

        def keep(_: Any, info: Any) -> Any:
            cameras[:] = [_camera(info.get_buffer())]
            return passed

        self._cameras = cameras
        pad.add_probe(self._gst.PadProbeType.BUFFER, keep)

    def rectify(self, left: Any, right: Any, *, order: str = "rgb") -> Rectified:
        """Rectifies one pair.

        :param left: uint8, height x width, or x 3 or 4 channels. Its size is that of the
            calibration, or a multiple of it.
        :param right: the right view, of the type and size of left.
        """
        _require_own_process()
        image, left_array, _, right_array = view_images(left, right, order)
        # the channel order of left may be reversed
        swapped = image.format == (c.BGR if order == "rgb" else c.RGB)
        views = []
        with self._lifetime.lock():
            try:
                samples = self._process(image, (left_array, right_array))
                camera = self._cameras[0]
            except BaseException:
                self._start()
                raise
        for sample in samples:
            view = _unpack(sample.get_buffer(), left_array.shape)
            views.append(view[:, :, ::-1] if swapped else view)
        return Rectified(views[0], views[1], camera)

    __call__ = rectify

    def _process(self, image: c.Image, arrays: Sequence[np.ndarray]) -> List[Any]:
        caps = self._gst.Caps.from_string("video/x-raw,format=%s,width=%d,height=%d,framerate=0/1" % (
            _CAPS[image.format], image.width, image.height))
        for (source, *_), array in zip(self._chains, arrays):
            buffer = self._gst.Buffer.new_wrapped(_pack(array))
            source.push_sample(self._gst.Sample.new(buffer, caps, None, None))
        # None after an error, which ends the stream
        samples = [sink.pull_sample() for *_, sink in self._chains]
        self._check_messages()
        return samples

    def _check_messages(self) -> None:
        """Warns of warnings, and raises an error."""
        kinds = self._gst.MessageType
        for message in iter(self._pipeline.get_bus().pop, None):
            if message.type == kinds.WARNING:
                warn(self._in_terms_of_python(message.parse_warning().gerror.message))
            elif message.type == kinds.ERROR:
                error = message.parse_error().gerror
                kind = self._gst.ResourceError
                invalid = any(error.matches(self._gst.resource_error_quark(), code)
                              for code in (kind.READ, kind.SETTINGS))
                raise (c.ArgumentError if invalid else c.Error)(
                    self._in_terms_of_python(error.message))

    def _in_terms_of_python(self, text: str) -> str:
        for path in self._files:
            if path in text:
                text = text.replace("the calibration: %s:" % path, "the correction:").replace(
                    "calibrate the cameras for", "measure it with views of")
        return text.replace("calibration-unit", "calibration_unit")


# Rows of GStreamer's raw video have a multiple of four bytes.

def _pack(array: np.ndarray) -> bytes:
    height, row = array.shape[0], array[0].size
    rows = np.zeros((height, -(-row // 4) * 4), np.uint8)
    rows[:, :row] = array.reshape(height, row)
    return rows.tobytes()


def _unpack(buffer: Any, shape: Tuple[int, ...]) -> np.ndarray:
    data = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8)
    row = int(np.prod(shape[1:]))
    return data.reshape(shape[0], -1)[:, :row].reshape(shape).copy()


def _camera(buffer: Any) -> Optional[Camera]:
    fields = buffer.get_custom_meta("GstStereoCameraMeta").get_structure()
    if not fields.has_field("baseline"):
        return None
    names = ["focal-length", "baseline", "cx", "cy", "doffs"]
    if fields.has_field("projection"):
        names.append("projection")
    return Camera(*(fields.get_value(name) for name in names))
