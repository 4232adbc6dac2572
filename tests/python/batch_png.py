# gst-stereomatching: tests of PNG files of batches
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Called with LIBRARY ROOT. Skipped without NumPy or Pillow.

With OpenCV and without it, files have the pixels that Pillow reads and writes.
"""

import io
import sys
import unittest
from unittest import mock

import batches

np, PIL_Image = batches.need("numpy", "PIL.Image")

# pylint: disable=wrong-import-position
from stereomatching import batch  # noqa: E402
from stereomatching.batch import _images, _png  # noqa: E402

WITHOUT = mock.patch.dict(sys.modules, {"cv2": None})
try:
    import cv2  # noqa: F401  pylint: disable=unused-import
    WITH = True
except ImportError:
    WITH = False


def random(*shape, dtype=np.uint8):
    return np.random.default_rng(len(shape)).integers(0, np.iinfo(dtype).max + 1, shape, dtype)


class Png(batches.Case):
    def save(self, image, **options):
        path = self.path("image.png")
        image.save(path, "PNG", **options)
        return path

    def require(self, path, expected):
        for codec in [True, False] if WITH else [False]:
            if codec:
                found = _images.read(path)
            else:
                with WITHOUT:
                    found = _images.read(path)
            self.assertEqual(found.dtype, expected.dtype)
            np.testing.assert_array_equal(found, expected)

    def test_colours(self):
        for shape in (31, 17), (31, 17, 3), (31, 17, 4), (1, 1), (1, 1, 3):
            pixels = random(*shape)
            self.require(self.save(PIL_Image.fromarray(pixels)), pixels)

    def test_16_bits(self):
        pixels = random(31, 17, dtype=np.uint16)
        self.require(self.save(PIL_Image.fromarray(pixels)), pixels)

    def test_palette_and_bits(self):
        colours = PIL_Image.fromarray(random(31, 17, 3)).quantize(16)
        self.require(self.save(colours), np.asarray(colours.convert("RGB")))
        bits = PIL_Image.fromarray(random(31, 17)).convert("1")
        self.require(self.save(bits), np.asarray(bits.convert("L")))

    def test_transparent(self):
        grey = random(31, 17)
        both = PIL_Image.merge("LA", [PIL_Image.fromarray(grey)] * 2)
        self.require(self.save(both), grey)
        pixels = random(31, 17, 3)
        self.require(self.save(PIL_Image.fromarray(pixels), transparency=(1, 2, 3)), pixels)
        self.require(self.save(PIL_Image.fromarray(grey), transparency=7), grey)

    def test_broken(self):
        rows = np.cumsum(random(64, 64, 3) // 64, axis=1).astype(np.uint8)
        path = self.save(PIL_Image.fromarray(rows))
        with open(path, "rb") as file:
            whole = file.read()
        middle = len(whole) // 2
        for broken in (b"", whole[:8], whole[:33], whole[:middle],
                       whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1:]):
            with open(path, "wb") as file:
                file.write(broken)
            with self.assertRaisesRegex(batch.Unreadable, "cannot read .*image.png: "):
                _images.read(path)

    def test_written(self):
        for pixels in (random(31, 17), random(31, 17, dtype=np.uint16), random(31, 17, 3)):
            for text in None, "codes, 1/256 pixel":
                files = {_png.encode(pixels, text)}
                with WITHOUT:
                    files.add(_png.encode(pixels, text))
                for data in files:
                    with PIL_Image.open(io.BytesIO(data)) as image:
                        np.testing.assert_array_equal(np.asarray(image), pixels)
                        self.assertEqual(image.text, {"Comment": text} if text else {})

    def test_written_rows(self):
        """Arrays that are not contiguous."""
        pixels = random(31, 34, 3)[::-1, ::2]
        with PIL_Image.open(io.BytesIO(_png.encode(pixels))) as image:
            np.testing.assert_array_equal(np.asarray(image), pixels)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
