# gst-stereomatching: helpers of the tests of all programs
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the program given as first argument of the test."""

import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import unittest

PATH = os.path.abspath(sys.argv[1])


def run(*arguments, env=None):
    return subprocess.run([PATH] + [str(a) for a in arguments], capture_output=True, text=True,
                          timeout=300, check=False, env=env)


def run_on_terminal(*arguments):
    """Runs it with a terminal as stderr; it must succeed. Returns (stderr, stdout)."""
    parent, child = pty.openpty()
    with subprocess.Popen([PATH, *arguments], stdout=subprocess.PIPE, stderr=child) as process:
        os.close(child)
        seen = b""
        while select.select([parent], [], [], 60)[0]:
            try:
                part = os.read(parent, 4096)
            except OSError:
                break
            if not part:
                break
            seen += part
        output = process.communicate()[0]
    os.close(parent)
    assert process.returncode == 0, seen
    return seen, output


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="stereo-test-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def fails(self, *arguments, says=(), status=2):
        """Fails unless the program fails with one line on stderr that contains all of says."""
        result = run(*arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith(os.path.basename(PATH) + ": "), result.stderr)
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, result.stderr)

    def can_not_be_written(self, *arguments):
        """Fails unless the program reports that stdout is full."""
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([PATH, *arguments], stdout=full, stderr=subprocess.PIPE,
                                    text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("Cannot write", result.stderr)
