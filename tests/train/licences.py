# gst-stereomatching: tests of the licences of training photographs
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The list of photographs, and how licences are read from copyright files."""

import os
import sys
import tempfile
import unittest

import suite

TRAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "train")
sys.path.insert(0, TRAIN)

import images

COPYRIGHT = """Format: something

Files: *
Copyright: A
License: GPL-3+

Files: land/*
Copyright: Various
License: public-domain
 From a collection.

Files: land/*-b*
Copyright: B
License: CC-BY-SA-4.0

Files:
 land/sea0*
 land/sky1*
Copyright: C,
 and others
License: CC-BY-4.0
"""


class Licences(unittest.TestCase):
    def test_paragraphs(self):
        for name, expected in (("other.jpg", ("GPL-3+", "A")), ("land/hill.jpg", ("public-domain", "Various")),
                               ("land/sky1.jpg", ("CC-BY-4.0", "C, and others")),
                               ("land/hill-b.jpg", ("CC-BY-SA-4.0", "B")),
                               ("land/sea0-b.jpg", ("CC-BY-SA-4.0", "B"))):
            self.assertEqual(images.find_licence(COPYRIGHT, name), expected, name)
        self.assertEqual(images.find_licence("", "x"), ("none", ""))

    def test_refused(self):
        """A file whose package states another licence is an error."""
        with tempfile.TemporaryDirectory() as folder:
            documents = os.path.join(folder, "usr/share/doc/endless-sky-data")
            os.makedirs(documents)
            with open(os.path.join(documents, "copyright"), "w", encoding="utf-8") as file:
                file.write(COPYRIGHT)
            package = "debian:endless-sky-data"
            images.check_licence(package, "x/endless-sky/land/hill.jpg", "public-domain", folder)
            for name, licence in (("land/hill-b.jpg", "public-domain"), ("land/sky1.jpg", "public-domain"),
                                  ("other.jpg", "CC0-1.0")):
                with self.assertRaises(images.ImageError):
                    images.check_licence(package, "x/endless-sky/" + name, licence, folder)

    def test_list(self):
        rows = images.read_list(os.path.join(TRAIN, "images.txt"))
        self.assertGreater(len(rows), 100)
        self.assertEqual(len({row[:2] for row in map(tuple, rows)}), len(rows))
        for package, name, licence, author in rows:
            self.assertIn(licence, ("CC0-1.0", "public-domain", "CC-BY-2.0", "CC-BY-3.0", "CC-BY-4.0"))
            self.assertTrue(author)
            # a stereo pair
            self.assertNotIn("motorcycle", name)

    def test_list_of_other_licences(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
            file.write("debian:x\tfile.jpg\tCC-BY-SA-4.0\tA\n")
        self.addCleanup(os.remove, file.name)
        with self.assertRaises(images.ImageError):
            images.read_list(file.name)


if __name__ == "__main__":
    suite.main()
