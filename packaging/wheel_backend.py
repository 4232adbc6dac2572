# gst-stereomatching: builds wheels of the Python module
# SPDX-License-Identifier: LGPL-2.1-or-later
"""meson-python, except for the tag of the wheel.

meson-python takes every library in a package for an extension module, and tags
the wheel for one version of Python. This library is loaded with ctypes and
depends only on the platform: the tag is py3-none-PLATFORM.
"""

import base64
import hashlib
import os
import re
import zipfile

import mesonpy
from mesonpy import build_sdist  # noqa: F401  pylint: disable=unused-import

get_requires_for_build_sdist = mesonpy.get_requires_for_build_sdist
get_requires_for_build_wheel = mesonpy.get_requires_for_build_wheel
if hasattr(mesonpy, "build_editable"):
    build_editable = mesonpy.build_editable
    get_requires_for_build_editable = mesonpy.get_requires_for_build_editable


def _record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return "%s,sha256=%s,%d" % (name, digest, len(data))


def _copy(source, target, tag):
    """Copies a wheel, with the tag in WHEEL replaced, and its checksum in RECORD, the last file."""
    line = ""
    for info in source.infolist():
        data = source.read(info)
        if info.filename.endswith(".dist-info/WHEEL"):
            data = re.sub(rb"(?m)^Tag: [^\r\n]*", b"Tag: " + tag.encode(), data)
            line = _record_line(info.filename, data)
        elif info.filename.endswith(".dist-info/RECORD"):
            name = re.escape(line.split(",", 1)[0])
            data = re.sub(r"(?m)^%s,[^\r\n]*" % name, line, data.decode()).encode()
        target.writestr(info, data)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    built = mesonpy.build_wheel(wheel_directory, config_settings, metadata_directory)
    name, version, *_, platform = built[:-len(".whl")].split("-")
    tag = "py3-none-" + platform
    tagged = "%s-%s-%s.whl" % (name, version, tag)
    if tagged != built:
        old = os.path.join(wheel_directory, built)
        with zipfile.ZipFile(old) as source, zipfile.ZipFile(
                os.path.join(wheel_directory, tagged), "w") as target:
            _copy(source, target, tag)
        os.remove(old)
    return tagged
