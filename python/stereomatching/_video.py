# gst-stereomatching: recordings of maps
# SPDX-License-Identifier: LGPL-2.1-or-later
"""open_video(), with PyAV.

The elements write the meaning of the codes as a tag: see docs/disparity.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Optional, Union

import numpy as np

from . import _library as c
from ._checks import encoded, path_of
from ._maps import Camera, Map

# FFmpeg's names, and GStreamer's in the tag
_FORMATS = {"gray": "GRAY8", "gray16le": "GRAY16_LE"}
_TYPES = {"double": float, "int": int, "uint": int, "boolean": lambda text: text == "true"}

Tag = Dict[str, Union[int, float, str]]

# By what the codes are
_REQUIRED = {"disparity": ("disparity_scale", "min_disparity", "invalid_value"),
             "depth": ("depth_scale", "invalid_value"),
             "vertical": ("scale", "offset", "invalid_value"),
             "confidence": ("scale", "offset")}


@dataclass(frozen=True, eq=False)
class Frame:
    """One map of a recording. Arrays are height x width."""

    time: Optional[float]
    """Presentation time, in seconds; None if the file has none."""
    codes: np.ndarray
    """uint16 or uint8, as recorded."""
    tag: Tag
    """The meaning of the codes."""

    @property
    def values(self) -> np.ndarray:
        """float32; NaN = invalid: pixels, depths in metres, or confidences from 0 to 1."""
        if self.tag["result"] == "disparity":
            return self.map.disparity
        scale = self.tag["depth_scale" if self.tag["result"] == "depth" else "scale"]
        values = ((self.codes - self.tag.get("offset", 0.0)) / scale).astype(np.float32)
        if "invalid_value" in self.tag:
            values[self.codes == self.tag["invalid_value"]] = np.nan
        return values

    @property
    def map(self) -> Map:
        """The disparities, for depth(), points() and view()."""
        if self.tag["result"] != "disparity":
            raise c.ArgumentError("a recording of %s has no disparities" % self.tag["result"])
        return Map(self.codes, scale=self.tag["disparity_scale"],
                   minimum=self.tag["min_disparity"], invalid=self.tag["invalid_value"])


def _parse(text: str) -> Optional[Tag]:
    """The fields of the tag; None if the text is something else."""
    if text.startswith('"'):
        # Matroska has the text as a quoted string
        text = re.sub(r"\\(.)", r"\1", text[1:-1])
    name = text.split(",", 1)[0]
    if name not in ("GstStereoDisparityMeta", "GstStereoDepthMeta"):
        return None
    tag: Tag = {"result": "depth" if name == "GstStereoDepthMeta" else "disparity"}
    for key, kind, value in re.findall(r"([a-z-]+)=\((\w+)\)([^,;]*)", text):
        try:
            tag[key.replace("-", "_")] = _TYPES.get(kind, str)(value)
        except ValueError:
            pass
    return tag


class Video:
    """A recording of maps: an iterator over its frames, and a context manager."""

    def __init__(self, path: Any) -> None:
        try:
            import av  # pylint: disable=import-outside-toplevel
        except ImportError:
            raise c.Error("open_video() needs PyAV: pip install av, or apt-get install "
                          "python3-av") from None
        self._av = av
        self.path = path_of(path, "path")
        encoded(self.path, "path")
        self._container = self._checked(
            lambda: av.open(self.path, metadata_errors="replace"))
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _checked(self, call: Any) -> Any:
        try:
            return call()
        except OSError:
            raise
        except self._av.error.FFmpegError as error:
            raise c.Error("cannot read %s: %s" % (self.path, error.strerror)) from error

    def _open(self) -> None:
        if not self._container.streams.video:
            raise c.ArgumentError("%s has no video" % self.path)
        stream = self._container.streams.video[0]
        codec = stream.codec_context
        # none without a decoder, or with a header that it refuses
        pixel_format = getattr(codec, "pix_fmt", None)
        if pixel_format is None:
            raise c.Error("cannot read %s: its video is damaged, or FFmpeg has no decoder for it" %
                          self.path)
        stream.thread_type = "AUTO"
        self.width: int = codec.width
        self.height: int = codec.height
        tags = [_parse(text) for place in (stream.metadata, self._container.metadata)
                for text in place.values()]
        known = [tag for tag in tags if tag]
        if not known:
            raise c.ArgumentError("%s has no tag that describes its codes: expected a recording of "
                                  "maps by the elements that was not interrupted (gst-launch-1.0 "
                                  "-e), or by matroskamux streamable=true" % self.path)
        self.tag: Tag = known[0]
        """The fields of the tag, with underscores instead of dashes."""
        self.kind = str(self.tag["result"])
        """``"disparity"``, ``"depth"``, ``"vertical"`` or ``"confidence"``."""
        self._require_tag(pixel_format)
        self._frames: Iterator[Any] = self._container.decode(stream)

    def _require_tag(self, pixel_format: str) -> None:
        missing = [key for key in _REQUIRED.get(self.kind, ("result",)) if key not in self.tag]
        if missing or self.kind not in _REQUIRED:
            raise c.ArgumentError("the tag of %s is incomplete: expected %s" % (
                self.path, ", ".join(missing) or "a known result"))
        found = (_FORMATS.get(pixel_format, pixel_format), self.width, self.height)
        expected = tuple(self.tag.get(key) for key in ("format", "width", "height"))
        if found != expected:
            raise c.ArgumentError("%s is %s of %dx%d, but its tag is for %s of %sx%s: record maps "
                                  "without converting or scaling them" % (
                                      (self.path,) + found + expected))

    @property
    def camera(self) -> Optional[Camera]:
        """The camera, if the recording has its focal length and baseline."""
        get = self.tag.get
        if not get("focal_length") or not get("baseline"):
            return None
        return Camera(get("focal_length"), get("baseline"), get("cx"), get("cy"),
                      get("doffs", 0.0), get("projection", "plane"))

    def __iter__(self) -> "Video":
        return self

    def __next__(self) -> Frame:
        frame = self._checked(lambda: next(self._frames))
        codes = np.array(frame.to_ndarray())
        return Frame(frame.time, codes, self.tag)

    def close(self) -> None:
        """Closes the file. No frames follow."""
        self._frames = iter(())
        self._container.close()

    def __enter__(self) -> "Video":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def open_video(path: Any) -> Video:
    """Opens a recording of disparities, depths or other results, as FFV1 in Matroska.

    >>> with open_video("recorded.mkv") as video:
    ...     for frame in video:
    ...         print(frame.time, np.nanmedian(frame.values))
    """
    return Video(path)
