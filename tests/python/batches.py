# gst-stereomatching: what tests of batches have in common
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sets of pairs, stereo-batch in a process of its own, and comparison of results.

Imported by programs that are called with LIBRARY ROOT. Exit status 77 (skipped) without what
`need` names.
"""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import unittest

LIBRARY, ROOT = (os.path.abspath(path) for path in sys.argv[1:3])
SANITIZER = os.environ.get("STEREO_SANITIZER", "")
if "asan" in SANITIZER and "LD_PRELOAD" not in os.environ:
    # Python itself has no sanitizer in it, and leaks until it ends
    os.environ.update(LD_PRELOAD=SANITIZER, ASAN_OPTIONS="detect_leaks=0")
    os.execv(sys.executable, [sys.executable] + sys.argv)

os.environ["STEREOMATCHING_LIBRARY"] = LIBRARY
# for processes that are started here
os.environ["PYTHONPATH"] = os.pathsep.join(
    [os.path.join(ROOT, "python"), os.environ.get("PYTHONPATH", "")])
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.dirname(os.path.abspath(__file__))]

COMMAND = [sys.executable, "-m", "stereomatching.batch"]
# A limit for what hangs; everything takes seconds
TIMEOUT = 300


def need(*modules):
    """Imports modules; the whole test is skipped if one is missing."""
    try:
        return [importlib.import_module(name) for name in modules]
    except ImportError as missing:
        print("skipped: %s is not installed for %s" % (missing.name, sys.executable))
        sys.exit(77)


def command(*words, **options):
    return subprocess.run(COMMAND + [str(word) for word in words], capture_output=True, text=True,
                          timeout=TIMEOUT, check=False, **options)


def require_output_error(case, program, *words, **options):
    """Standard output is full: one line after any warnings, and exit status 1."""
    if not os.path.exists("/dev/full"):
        case.skipTest("no /dev/full")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(program + [str(word) for word in words], stdout=full, text=True,
                              stderr=subprocess.PIPE, timeout=TIMEOUT, check=False, **options)
    name = program[-1].replace("stereomatching.", "stereo-")
    case.assertEqual((done.returncode, done.stderr.splitlines()[-1]), (
        1, "%s: cannot write the output: No space left on device" % name), done.stderr)
    case.assertNotIn("Traceback", done.stderr)


def pair_of(number, height=60, width=90):
    """A wall at a disparity that depends on the number, uint8 RGB."""
    import numpy as np  # pylint: disable=import-outside-toplevel
    shift = 2 + number % 9
    chance = np.random.default_rng(number)
    wall = chance.integers(0, 256, (height, width + shift, 3), np.uint8)
    return wall[:, :width].copy(), wall[:, shift:].copy()


class Case(unittest.TestCase):
    """With a folder, which is the current one of the commands."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write_pairs(self, count, name="set", **size):
        """The folders NAME/left and NAME/right of PNG files."""
        from PIL import Image  # pylint: disable=import-outside-toplevel
        for number in range(count):
            for side, view in zip(("left", "right"), pair_of(number, **size)):
                path = self.path(name, side, "%04d.png" % number)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                Image.fromarray(view).save(path)

    def when_opened(self, name, *lines):
        """The environment of processes that run these lines before they open this file."""
        with open(self.path("sitecustomize.py"), "w", encoding="utf-8") as file:
            file.write("import os, sys, time\n"
                       "def hook(event, given):\n"
                       "    if event == 'open' and str(given[0]).endswith(%r):\n" % name
                       + "".join("        %s\n" % line for line in lines)
                       + "sys.addaudithook(hook)\n")
        return dict(os.environ, PYTHONPATH=self.folder + os.pathsep + os.environ["PYTHONPATH"])

    def holding(self, name):
        """The environment of processes that wait before they open this file, until release()."""
        with open(self.path("hold"), "w", encoding="utf-8"):
            pass
        return self.when_opened(name, "while os.path.exists(%r): time.sleep(0.01)"
                                % self.path("hold"))

    def release(self):
        os.unlink(self.path("hold"))

    def batch(self, *words, status=0, **options):
        done = command(*words, cwd=self.folder, **options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def manifest(self, out="out"):
        with open(self.path(out, "manifest.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def timeless(self, out="out"):
        """The manifest without run times."""
        return [{key: value for key, value in record.items() if key != "seconds"}
                for record in self.manifest(out)]

    def contents(self, out="out"):
        """All files of a folder, but the manifest."""
        found = {}
        for place, _, names in os.walk(self.path(out)):
            for name in names:
                path = os.path.join(place, name)
                if name != "manifest.jsonl":
                    with open(path, "rb") as file:
                        found[os.path.relpath(path, self.path(out))] = file.read()
        return found

    def require_same(self, out, other):
        self.assertEqual(self.timeless(out), self.timeless(other))
        one, two = self.contents(out), self.contents(other)
        self.assertEqual(sorted(one), sorted(two))
        self.assertEqual([name for name in one if one[name] != two[name]], [])
        self.assertTrue(one)
