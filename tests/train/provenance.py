# gst-stereomatching: tests of the provenance of the weights in the tree
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trained weights name the settings, photographs and steps of tools/train as they are in the tree, and
fit their integer types. Skipped without PyTorch."""

import glob
import os
import re
import sys
import unittest

import suite

TRAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "train")
sys.path.insert(0, TRAIN)

try:
    import generate
    import images
    import network
    from variants import VARIANTS
except ImportError as error:
    print("skipped: %s" % error)
    sys.exit(77)


def read_trained():
    """Texts of the trained networks by name. census.txt is not trained; export.py writes it."""
    texts = {}
    for path in glob.glob(os.path.join(TRAIN, "weights", "*.txt")):
        if os.path.basename(path) != "census.txt":
            with open(path, encoding="utf-8") as file:
                texts[os.path.basename(path)] = file.read()
    return texts


def read_fields(text):
    """The comments "name: value"."""
    return dict(re.findall(r"(?m)^# (\w+): (.*)$", text))


class Provenance(unittest.TestCase):
    def setUp(self):
        self.texts = read_trained()
        self.assertTrue(self.texts)

    def test_program(self):
        for text in self.texts.values():
            program = read_fields(text)["program"]
            match = re.fullmatch(r"tools/train/train\.py --scenes (\w+) --variants ([\w-]+), "
                                 r"(\d+) steps of (\d+) pairs", program)
            self.assertTrue(match, program)
            scenes, variant, steps, batch = match.groups()
            self.assertEqual(int(batch), generate.SCENES[scenes].batch)
            schedules = re.findall(r"(\d+) steps from step (\d+)", read_fields(text)["schedule"])
            self.assertEqual(schedules[0], (str(VARIANTS[variant].steps), "0"))
            self.assertLessEqual(int(steps), int(schedules[-1][0]))

    def test_loss(self):
        for name, text in self.texts.items():
            fields = read_fields(text)
            variant = VARIANTS[re.search(r"--variants ([\w-]+)", fields["program"]).group(1)]
            found = {key: float(value) for key, value in re.findall(r"([a-z ]+) ([\d.e-]+)", fields["loss"])}
            found = {key.strip(): value for key, value in found.items()}
            expected = dict(vars(variant.weights), anchor=variant.anchor, rate=variant.learning_rate)
            expected["rounded from"] = variant.rounded_from
            self.assertEqual(found, expected, name)
            self.assertTrue(fields["seeds"].startswith("weights %d, pairs " % variant.seed), name)

    def test_data(self):
        rows = images.read_list(os.path.join(TRAIN, "images.txt"))
        for name, text in self.texts.items():
            fields = read_fields(text)
            options = generate.SCENES[re.search(r"--scenes (\w+)", fields["program"]).group(1)]
            match = re.fullmatch(r"(\d+) crops of photographs \(images\.txt, sha256 [0-9a-f]{16}\), "
                                 r"(\d+) drawn textures", fields["data"])
            self.assertTrue(match, fields["data"])
            self.assertEqual(int(match.group(1)), options.crops_per_photograph * len(rows), name)
            self.assertEqual(int(match.group(2)), options.n_drawn, name)

    def test_commit(self):
        for name, text in self.texts.items():
            self.assertRegex(read_fields(text)["commit"], r"^tools/train: .+ \(\d{4}-\d\d-\d\d\)$", name)

    def test_integers(self):
        """format_network(parse_network(text)) is the text, comments aside; parse_network() checks ranges."""
        for name, text in self.texts.items():
            rows = "".join(line + "\n" for line in text.splitlines() if line[0] != "#")
            self.assertEqual(network.format_network(network.parse_network(text)), rows, name)


if __name__ == "__main__":
    suite.main()
