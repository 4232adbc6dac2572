#!/usr/bin/env python3
# gst-stereomatching: tests of tools/train/export.py
# SPDX-License-Identifier: LGPL-2.1-or-later
"""train_export.py SOURCE

The table of the library is what the text file that it names gives, byte by byte, and the C library
computes the same checksum (tests/unit/weights.c).
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = sys.argv.pop(1)
EXPORT = os.path.join(SOURCE, "tools", "train", "export.py")
TABLE = os.path.join(SOURCE, "common", "cost", "learned-weights.c")
WEIGHTS = os.path.join(SOURCE, "tools", "train", "weights")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run(*arguments):
    return subprocess.run([sys.executable, EXPORT, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)


class Export(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def test_table(self):
        name = re.search(r"from tools/train/weights/([\w.-]+)\.\n", read(TABLE)).group(1)
        made = self.path("table.c")
        self.assertEqual(run(os.path.join(WEIGHTS, name), made).returncode, 0)
        self.assertEqual(read(made), read(TABLE))

    def test_all_weights(self):
        for name in os.listdir(WEIGHTS):
            made = self.path("table.c")
            done = run(os.path.join(WEIGHTS, name), made)
            self.assertEqual((name, done.returncode, done.stderr), (name, 0, ""))
            self.assertLessEqual(max(map(len, read(made).split("\n"))), 80)
            for word in ("tools/train/", "commit", "data", "seed", "loss"):
                self.assertIn(word, read(made).split("*/")[1])

    def test_numbers(self):
        """The numbers of the table, in order, are those of the file."""
        for name in os.listdir(WEIGHTS):
            made = self.path("table.c")
            run(os.path.join(WEIGHTS, name), made)
            fields = dict(re.findall(r"(?s)\.(w1|w2|b1|b2) =\s*(\{.*?\}),\n(?=  \.)", read(made)))
            found = {key: [int(word) for word in re.findall(r"-?\d+", text)]
                     for key, text in fields.items()}
            text = [line for line in read(os.path.join(WEIGHTS, name)).split("\n")
                    if line and line[0] != "#"]
            starts = [i for i, line in enumerate(text) if line.startswith("layer")]
            n_hidden = int(text[starts[0]].split()[4])
            for (w, b), start, n, width in ((("w1", "b1"), 0, n_hidden, 24),
                                            (("w2", "b2"), starts[1], 24, 48)):
                for i in range(n):
                    row = [int(word) for word in text[start + 1 + i].split()]
                    self.assertEqual(found[b][i], row[0])
                    self.assertEqual(found[w][width * i:width * i + len(row) - 1], row[1:])

    def test_census(self):
        made = self.path("census.txt")
        self.assertEqual(run("--census", made).returncode, 0)
        self.assertEqual(read(made), read(os.path.join(WEIGHTS, "census.txt")))

    def test_refused(self):
        good = read(os.path.join(WEIGHTS, "census.txt"))
        for bad, says in (
                (good.replace("# loss:", "# lost:"), "expected a comment with 'loss'"),
                (good.replace("layer 1 1 24 24 6\n", "", 1), "expected a layer first"),
                (good.replace("-64", "-128"), "weights from -127 to 127"),
                (good.replace("\n0 -64", "\n32700 -64"), "do not fit 16 bits"),
                (good.replace("\n0 -64 0", "\n0 -64"), "a bias and 24 weights"),
                (good + "layer 1 1 24 24 6\n", "expected 2 layers, got 3")):
            done = run(self.path("bad.txt", bad), self.path("table.c"))
            self.assertEqual(done.returncode, 1)
            self.assertIn(says, done.stderr)
            self.assertFalse(os.path.exists(self.path("table.c")))
        self.assertEqual(run(self.path("missing.txt")).returncode, 1)
        self.assertEqual(run().returncode, 2)


if __name__ == "__main__":
    unittest.main()
