#!/usr/bin/env python3
# gst-stereomatching: whether the Python module can be had as a wheel
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Installs the sources with pip in a virtual environment, and matches a pair there.

    wheel.py ROOT

Without CUDA, and without the network: with the meson-python that is installed.
Exit status 77 (skipped) where that, NumPy or venv are missing.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

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
"""


def missing():
    for name in ("mesonpy", "numpy", "venv", "ensurepip"):
        if importlib.util.find_spec(name) is None:
            return "Python's module %s" % name
    for name in ("meson", "ninja", "patchelf"):
        if shutil.which(name) is None:
            return name
    return None


def run(*words, **more):
    result = subprocess.run(words, capture_output=True, text=True, check=False, **more)
    if result.returncode != 0:
        sys.exit("%s\n%s\n%s\n1 tests, 1 failed, 0 skipped" % (
            " ".join(words), result.stdout, result.stderr))
    return result.stdout


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
            ".git", "build", "build-*", "out", "__pycache__"))
        place = os.path.join(folder, "venv")
        run(sys.executable, "-m", "venv", "--system-site-packages", place)
        python = os.path.join(place, "bin", "python")
        run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
            "--no-build-isolation", "--disable-pip-version-check",
            "--config-settings=setup-args=-Dcuda=disabled", source, env=env)
        version = run("meson", "introspect", "--projectinfo", os.path.join(source, "meson.build"),
                      env=env).split('"version": "')[1].split('"')[0]
        run(python, "-c", USE, version, cwd=folder, env=env)
        names = run(python, "-m", "pip", "show", "--files", "stereomatching", env=env)
        for part in (".h\n", ".a\n", ".so.", "pkgconfig", "bin/"):
            if part in names:
                sys.exit("the wheel has %s\n%s\n1 tests, 1 failed, 0 skipped" % (part, names))
    print("1 tests, 0 failed, 0 skipped")


if __name__ == "__main__":
    main()
