#!/usr/bin/env python3
# gst-stereomatching: tests of programs that cannot write or start threads
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the programs with full devices, limited files, read-only folders and no threads.

    failures.py STEREO-EVAL STEREO-BENCH STEREO-VIEW STEREO-CHECK [STEREO-TUNE]

They must report each failure in one line, leave nothing behind and keep earlier
files. Read-only folders and limits of threads do not concern root: then another
user runs the programs, if he can execute them.
"""

import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

import pictures
import suite

EVAL, BENCH, VIEW, CHECK = (os.path.abspath(path) for path in sys.argv[1:5])
PROGRAMS = [os.path.abspath(path) for path in sys.argv[1:]]
WIDTH, HEIGHT, SHIFT = 40, 16, 6
# Views for stereo-check, whose rows are off
WIDE, TALL, ROWS = 160, 120, 3
# A user without other processes, whose number counts
NOBODY = 60000 + os.getpid() % 5000
# Bytes that files may have; all results are larger.
LIMITS = (0, 1, 100, 500)


def limit(resources, uid=None):
    """For the child, between fork and exec."""
    def prepare():
        for what, most in resources.items():
            resource.setrlimit(what, (most, most))
        if uid is not None:
            os.setgroups([])
            os.setgid(uid)
            os.setuid(uid)
    return prepare


def run(path, *arguments, resources=None, uid=None, stdout=subprocess.PIPE, env=None):
    return subprocess.run([path, *map(str, arguments)], stdout=stdout, stderr=subprocess.PIPE,
                          text=True, timeout=300, check=False, env=env,
                          preexec_fn=limit(resources or {}, uid))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="stereo-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        os.chmod(".", 0o755)
        chance = random.Random(1)
        wide = [[tuple(chance.randrange(256) for _ in range(3)) for _ in range(WIDTH + SHIFT)]
                for _ in range(HEIGHT)]
        pictures.write_png("left.png", [row[:WIDTH] for row in wide])
        pictures.write_png("right.png", [row[SHIFT:] for row in wide])
        tall = [[(chance.randrange(256),) * 3 for _ in range(WIDE + SHIFT)]
                for _ in range(TALL + ROWS)]
        pictures.write_png("upper.png", [row[:WIDE] for row in tall[:TALL]])
        pictures.write_png("lower.png", [row[SHIFT:] for row in tall[ROWS:]])
        pictures.write_pfm("map.pfm", [[float(SHIFT)] * WIDTH for _ in range(HEIGHT)])
        self.views = ("--left", "left.png", "--right", "right.png", "--truth", "map.pfm")
        self.evaluate = (EVAL, "--map", "map.pfm", *self.views, "--save", "out")
        self.render = (VIEW, "left.png", "map.pfm", "--right", "right.png", "--save", "out/view.png")
        self.check = (CHECK, "upper.png", "lower.png", "--save", "out/check.yml")

    def fails(self, *arguments, says, status=1, **how):
        """One line on stderr that contains says."""
        result = run(*arguments, **how)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith(os.path.basename(arguments[0]) + ": "), result.stderr)
        self.assertIn(says, result.stderr)

    def works(self, *arguments, **how):
        result = run(*arguments, **how)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def saved(self):
        """The names that stereo-eval saves."""
        os.mkdir("out")
        self.works(*self.evaluate)
        names = sorted(os.listdir("out"))
        shutil.rmtree("out")
        os.mkdir("out")
        self.assertEqual(len(names), 4)
        return names

    def another_user(self, folder):
        """A user whom permissions concern, and who owns folder."""
        if os.geteuid() != 0:
            return None
        os.chown(folder, NOBODY, NOBODY)
        for path in PROGRAMS:
            try:
                run(path, "--version", uid=NOBODY)
            except PermissionError:
                self.skipTest("another user cannot run " + path)
        return NOBODY


class Files(Case):
    def test_limited_files(self):
        first = "out/" + [name for name in self.saved() if name.endswith(".pfm")][0]
        for command, name in ((self.evaluate, first), (self.render, "out/view.png"),
                              (self.check, "out/check.yml")):
            for most in LIMITS:
                how = {"resources": {resource.RLIMIT_FSIZE: most}, "says": "File too large"}
                self.fails(*command, **how)
                self.assertEqual(os.listdir("out"), [])
                with open(name, "w", encoding="utf-8") as file:
                    file.write("earlier")
                self.fails(*command, **how)
                self.assertEqual(os.listdir("out"), [os.path.basename(name)])
                with open(name, encoding="utf-8") as file:
                    self.assertEqual(file.read(), "earlier")
                os.remove(name)

    def test_full_device(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        names = self.saved()
        for command, target in [(self.evaluate, name) for name in names] + [
                (self.render, "view.png"), (self.check, "check.yml")]:
            os.symlink("/dev/full", "out/" + target)
            self.fails(*command, says="out/%s: cannot be written: No space left on device" % target)
            self.assertTrue(os.path.islink("out/" + target))
            self.assertLessEqual(set(os.listdir("out")), set(names) | {target})
            shutil.rmtree("out")
            os.mkdir("out")

    def test_read_only_folder(self):
        name = [n for n in self.saved() if n.endswith(".pfm")][0]
        for earlier in (name, "view.png"):
            with open("out/" + earlier, "w", encoding="utf-8") as file:
                file.write("earlier")
            os.chmod("out/" + earlier, 0o666)
        uid = self.another_user("out")
        os.chmod("out", 0o555)
        try:
            for command, earlier in ((self.evaluate, name), (self.render, "view.png")):
                self.fails(*command, uid=uid, says="out/%s: cannot be written: Permission denied" % earlier)
            self.fails(EVAL, "--map", "map.pfm", *self.views, "--save", "out/new", uid=uid,
                       says="out/new: cannot be created: Permission denied")
        finally:
            os.chmod("out", 0o755)
        self.assertEqual(sorted(os.listdir("out")), sorted([name, "view.png"]))
        for earlier in (name, "view.png"):
            with open("out/" + earlier, encoding="utf-8") as file:
                self.assertEqual(file.read(), "earlier")

    def test_a_file_where_a_folder_should_be(self):
        with open("out", "w", encoding="utf-8") as file:
            file.write("earlier")
        self.fails(*self.evaluate, says="cannot be written: Not a directory")
        self.fails(*self.render, says="cannot be written: Not a directory")
        with open("out", encoding="utf-8") as file:
            self.assertEqual(file.read(), "earlier")


class Output(Case):
    def commands(self):
        yield (EVAL, "--map", "map.pfm", *self.views)
        yield (EVAL, "--map", "map.pfm", *self.views, "--json")
        yield (EVAL, "--map", "map.pfm", *self.views, "--csv")
        yield (VIEW, "left.png", "map.pfm", "--true", "left.png")
        yield (VIEW, "left.png", "map.pfm", "--true", "left.png", "--json")
        yield (CHECK, "upper.png", "lower.png")
        yield (CHECK, "upper.png", "lower.png", "--json")
        for output in ((), ("--json",), ("--csv",)):
            yield (BENCH, "vcbw", "--size", "40x30x4", "--seconds", "0.02", "--rotate-mib", "1", "--copy-mib",
                   "0", "--backend", "cpu", *output)
        for path in PROGRAMS:
            for option in ("--help", "--version", "--options"):
                yield (path, option)
        yield (EVAL, "--list")
        yield (BENCH, "--list")

    def test_full_device(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for command in self.commands():
            with self.subTest(command), open("/dev/full", "w", encoding="utf-8") as full:
                self.fails(*command, stdout=full, says="Cannot write the output: No space left on device")

    def test_limited_file(self):
        for command in self.commands():
            with self.subTest(command), open("output", "w", encoding="utf-8") as file:
                self.fails(*command, stdout=file, resources={resource.RLIMIT_FSIZE: 8},
                           says="Cannot write the output: File too large")
            self.assertLessEqual(os.path.getsize("output"), 8)


class Threads(Case):
    def test_no_threads(self):
        """The first thread does the work."""
        match = (EVAL, "vcbw", "radius=2", "num-disparities=8", *self.views, "--threads", "4", "--save")
        render = (VIEW, "left.png", "map.pfm", "--right", "right.png", "--save")
        for folder in ("many", "one"):
            os.mkdir(folder)
        self.works(*match, "many")
        self.works(*render, "many/view.png")
        uid = self.another_user("one")
        # the leak sanitizer needs a process of its own
        env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
        how = {"resources": {resource.RLIMIT_NPROC: 1}, "uid": uid, "env": env}
        result = run(*match, "one", **how)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn("thread", result.stderr)
        self.assertEqual(run(*render, "one/view.png", **how).returncode, 0)
        for name in os.listdir("many"):
            with open("many/" + name, "rb") as expected, open("one/" + name, "rb") as found:
                self.assertEqual(found.read(), expected.read(), name)


if __name__ == "__main__":
    suite.main()
