#!/usr/bin/env python3
# gst-stereomatching: whether the Python module can be had as a wheel
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Installs the sources with pip in a virtual environment, and matches a pair there.

    wheel.py ROOT

Without the network: with the meson-python that is installed. An nvcc that fails is
on the path, which only a build that asks for CUDA may run.
Exit status 77 (skipped) where that, NumPy or venv are missing.
"""

import base64
import csv
import glob
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

USE = """
import ctypes.util, os, sys
import numpy as np
import stereomatching as sm

folder = os.path.dirname(sm.__file__)
assert folder.startswith(sys.prefix), folder
assert sm.__version__ == sys.argv[1], sm.__version__
loaded = open("/proc/self/maps").read() if os.path.exists("/proc/self/maps") else folder
assert os.path.join(folder, "_stereomatching.so") in loaded or loaded == folder
assert "libgst" not in loaded and "libstereomatching.so" not in loaded
assert os.path.exists(os.path.join(folder, "py.typed"))
wide = np.random.default_rng(1).integers(0, 256, (40, 96, 3), np.uint8)
found = sm.match(wide[:, :80], wide[:, 6:86], num_disparities=16)
assert np.nanmedian(found.disparity) == 6, found.disparity
from stereomatching import batch
matched, = batch.match_pairs([(wide[:, :80], wide[:, 6:86])], num_disparities=16)
assert matched.map == found
assert all(sm.presets(name) for name in sm.algorithms())
"""


def missing():
    for name in ("mesonpy", "numpy", "venv", "ensurepip"):
        if importlib.util.find_spec(name) is None:
            return "Python's module %s" % name
    for name in ("ar", "meson", "ninja", "patchelf"):
        if shutil.which(name) is None:
            return name
    return None


def run(*words, **more):
    result = subprocess.run(words, capture_output=True, text=True, check=False, **more)
    if result.returncode != 0:
        sys.exit("%s\n%s\n%s\n1 tests, 1 failed, 0 skipped" % (
            " ".join(words), result.stdout, result.stderr))
    return result.stdout


def require(condition, text):
    if not condition:
        sys.exit("%s\n1 tests, 1 failed, 0 skipped" % text)


def make_nvcc(folder):
    """CUDA with a compiler that fails; returns the file that it makes first."""
    called = os.path.join(folder, "nvcc-was-run")
    program = os.path.join(folder, "bin", "nvcc")
    os.mkdir(os.path.dirname(program))
    with open(program, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n: > '%s'\nexit 1\n" % called)
    os.chmod(program, 0o755)
    os.mkdir(os.path.join(folder, "lib64"))
    run("ar", "qc", os.path.join(folder, "lib64", "libcudart_static.a"))
    return called


def require_tag(wheel):
    """For every Python 3 on one platform; all files have the recorded sizes and digests."""
    name = os.path.basename(wheel)
    require("-py3-none-" in name and not name.endswith("-any.whl"), name)
    with zipfile.ZipFile(wheel) as files:
        info = {part: entry for entry in files.namelist() for part in ("WHEEL", "RECORD")
                if entry.endswith(".dist-info/" + part)}
        tags = re.findall(r"(?m)^Tag: (.*)$", files.read(info["WHEEL"]).decode())
        require([tag.strip() for tag in tags] == [name[:-4].split("-", 2)[2]], tags)
        rows = dict((row[0], row[1:]) for row in csv.reader(
            files.read(info["RECORD"]).decode().splitlines()))
        require(sorted(rows) == sorted(files.namelist()), sorted(rows))
        for entry in set(rows) - {info["RECORD"]}:
            data = files.read(entry)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            require(rows[entry] == ["sha256=" + digest, str(len(data))], entry)


def main():
    root = os.path.abspath(sys.argv[1])
    lacks = missing()
    if lacks:
        print("skipped: %s is missing for %s" % (lacks, sys.executable))
        sys.exit(77)
    # the one that can import mesonpy, and not that of another Python
    env = dict(os.environ, PATH=os.path.dirname(sys.executable) + ":" + os.environ["PATH"])
    env.pop("PYTHONPATH", None)
    env.pop("STEREOMATCHING_LIBRARY", None)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "source")
        shutil.copytree(root, source, symlinks=True, ignore=shutil.ignore_patterns(
            ".git", "build", "build-*", "dist", "out", "__pycache__"))
        place = os.path.join(folder, "venv")
        run(sys.executable, "-m", "venv", "--system-site-packages", place)
        python = os.path.join(place, "bin", "python")
        env["PATH"] = os.path.join(folder, "bin") + ":" + env["PATH"]
        called = make_nvcc(folder)
        build = (python, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps",
                 "--no-build-isolation", "--disable-pip-version-check", "--wheel-dir", folder,
                 source)
        run(*build, env=env)
        require(not os.path.exists(called), "nvcc was run, but CUDA was not asked for")
        wheel, = glob.glob(os.path.join(folder, "*.whl"))
        require_tag(wheel)
        asked = subprocess.run(build + ("--config-settings=setup-args=-Dcuda=enabled",), env=env,
                               capture_output=True, check=False)
        require(asked.returncode and os.path.exists(called), "nvcc was not run for -Dcuda=enabled")
        run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
            "--disable-pip-version-check", wheel, env=env)
        version = run("meson", "introspect", "--projectinfo", os.path.join(source, "meson.build"),
                      env=env).split('"version": "')[1].split('"')[0]
        run(python, "-c", USE, version, cwd=folder, env=env)
        for command in ("stereo-batch", "stereo-calibrate"):
            run(os.path.join(os.path.dirname(python), command), "--version", cwd=folder, env=env)
        names = run(python, "-m", "pip", "show", "--files", "stereomatching", env=env)
        names = re.sub(r"\S*bin/stereo-(batch|calibrate)\n", "", names)
        for part in (".h\n", ".a\n", ".so.", "pkgconfig", "bin/"):
            if part in names:
                sys.exit("the wheel has %s\n%s\n1 tests, 1 failed, 0 skipped" % (part, names))
    print("1 tests, 0 failed, 0 skipped")


if __name__ == "__main__":
    main()
