#!/usr/bin/env python3
# gst-stereomatching: tests of Rectifier
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rectifies with the Python module and with stereorectify in a pipeline.

    rectify.py LIBRARY ROOT

Exit status 77 (skipped) without NumPy, python3-gi or gst-launch-1.0.
"""

import copy
import operator
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor

import suite


def skip(lacks):
    print("skipped: %s is not installed for %s" % (lacks, sys.executable))
    sys.exit(77)


try:
    import gi
    import numpy as np
    gi.require_version("GstApp", "1.0")
except (ImportError, ValueError):
    skip("NumPy or python3-gi with GstApp")
if not shutil.which("gst-launch-1.0"):
    skip("gst-launch-1.0")

LIBRARY, ROOT = os.path.abspath(sys.argv[1]), sys.argv[2]
os.environ["STEREOMATCHING_LIBRARY"] = LIBRARY
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "python"))
import stereomatching as sm  # noqa: E402

SIZE = WIDTH, HEIGHT = 672, 376
FORMATS = {"GRAY8": 1, "RGB": 3, "BGR": 3, "RGBx": 4}
VIEWS = ("left", "right")
# One stereo camera in all file formats; the right camera is turned about y.
INTRINSICS = ((353.5, 354.25, 340.5, 190.125), (351.75, 352.5, 331.25, 184.5))
DISTORTION = ((-0.17, 0.025, 0.0005, -0.0003, 0), (-0.16, 0.02, -0.0004, 0.0002, 0))
ANGLE, BASELINE = -0.007, 0.12
ROTATION = (np.cos(ANGLE), 0, np.sin(ANGLE), 0, 1, 0, -np.sin(ANGLE), 0, np.cos(ANGLE))


def numbers(values):
    return "[%s]" % ", ".join("%.17g" % value for value in values)


def matrix(name, rows, values):
    return "%s:\n  rows: %d\n  cols: %d\n  data: %s\n" % (name, rows, len(values) // rows,
                                                         numbers(values))


def camera_matrix(view):
    fx, fy, cx, cy = INTRINSICS[view]
    return fx, 0, cx, 0, fy, cy, 0, 0, 1


def opencv(size=SIZE, unit=1.0):
    text = "%%YAML:1.0\n---\nimage_width: %d\nimage_height: %d\n" % size
    for view in range(2):
        text += matrix("M%d" % (view + 1), 3, camera_matrix(view))
        text += matrix("D%d" % (view + 1), 1, DISTORTION[view])
    return {"stereo.yml": text + matrix("R", 3, ROTATION)
            + matrix("T", 3, (-BASELINE / unit, 0, 0))}


def ros():
    files = {}
    for view, name in enumerate(VIEWS):
        projection = (350, 0, 330, view * -350 * BASELINE, 0, 350, 190, 0, 0, 0, 1, 0)
        files[name + ".yaml"] = (
            "image_width: %d\nimage_height: %d\ndistortion_model: plumb_bob\n" % SIZE
            + matrix("camera_matrix", 3, camera_matrix(view))
            + matrix("distortion_coefficients", 1, DISTORTION[view])
            + matrix("rectification_matrix", 3, ROTATION if view else np.eye(3).ravel())
            + matrix("projection_matrix", 3, projection))
    return files


def kalibr():
    pose = np.eye(4)
    pose[:3, :3] = np.reshape(ROTATION, (3, 3))
    pose[0, 3] = -BASELINE
    text = ""
    for view in range(2):
        text += ("cam%d:\n  camera_model: pinhole\n  distortion_model: radtan\n"
                 "  distortion_coeffs: %s\n  intrinsics: %s\n  resolution: %s\n" % (
                     view, numbers(DISTORTION[view][:4]), numbers(INTRINSICS[view]),
                     numbers(SIZE)))
    return {"camchain.yaml": text + "  T_cn_cnm1:\n" + "".join(
        "  - %s\n" % numbers(row) for row in pose)}


def zed():
    text = ""
    for view, name in enumerate(("LEFT", "RIGHT")):
        text += "[%s_CAM_VGA]\n" % name
        for key, value in zip(("fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3"),
                              INTRINSICS[view] + DISTORTION[view]):
            text += "%s=%.17g\n" % (key, value)
    return {"SN1.conf": text + "[STEREO]\nBaseline=%g\nRX_VGA=0\nCV_VGA=%g\nRZ_VGA=0\n" % (
        1000 * BASELINE, ANGLE)}


class Rectifying(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, files):
        """Writes files; returns their paths."""
        for name, text in files.items():
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        return [self.path(name) for name in files]

    def read(self, name, form, size=SIZE):
        """Raw video, whose rows have a multiple of four bytes."""
        row = size[0] * FORMATS[form]
        data = np.fromfile(self.path(name), np.uint8).reshape(size[1], -1)[:, :row]
        shape = (size[1], size[0]) + ((FORMATS[form],) if form != "GRAY8" else ())
        return np.ascontiguousarray(data).reshape(shape)

    def launch(self, paths, form="RGB", size=SIZE, properties=""):
        """The views of a scene, as given to the elements and as rectified by them."""
        line = ""
        for view in VIEWS:
            line += ("stereotestsrc view=%s num-buffers=1 ! video/x-raw,format=%s,width=%d,height=%d"
                     " ! tee name=%s ! queue ! filesink location=%s.raw  %s. ! queue !"
                     " stereorectify view=%s calibration=%s %s ! tee name=%s2 ! queue !"
                     " filesink location=%s2.raw  " % (
                         view, form, *size, view, view, view, view, ":".join(paths), properties,
                         view, view))
        line += ("left2. ! queue ! m.sink_left  right2. ! queue ! m.sink_right  stereosgm name=m"
                 " num-disparities=32 fill=false ! disparitydepth ! filesink location=depth.raw")
        subprocess.run(["gst-launch-1.0", "-q", *line.split()], cwd=self.folder, check=True,
                       timeout=120)
        return [self.read(name + ".raw", form, size)
                for name in ("left", "right", "left2", "right2")]

    def compare(self, files, form="RGB", size=SIZE, properties="", order="rgb", **arguments):
        paths = self.write(files)
        left, right, *expected = self.launch(paths, form, size, properties)
        rectifier = sm.Rectifier(paths if len(paths) > 1 else paths[0], **arguments)
        for _ in range(2):
            found = rectifier(left, right, order=order)
            for view, one, other in zip((left, right), found, expected):
                np.testing.assert_array_equal(one, other)
                self.assertTrue((one != view).any() and one.flags.writeable)
        return left, right, found

    def test_files(self):
        for files in (opencv(), ros(), kalibr(), zed()):
            with self.subTest(files=list(files)):
                _, _, found = self.compare(files)
                self.assertAlmostEqual(found.camera.baseline, BASELINE, 6)
                disparities = sm.match(found.left, found.right, num_disparities=32, fill=False)
                depth = np.fromfile(self.path("depth.raw"), "<u2").reshape(HEIGHT, WIDTH)
                self.assertGreater((depth > 0).mean(), 0.1)
                np.testing.assert_array_equal(sm.depth(disparities, found.camera), depth)

    def test_formats(self):
        for form in FORMATS:
            with self.subTest(form=form):
                left, right, found = self.compare(
                    opencv((81, 61)), form, (162, 122), "alpha=1 border=0xff204080", alpha=1,
                    border=0xff204080, order="bgr" if form == "BGR" else "rgb", backend="cpu")
        # channels of the other order, as slices with negative strides; form is RGBx here
        swapped = sm.Rectifier(self.path("stereo.yml"), alpha=1, border=0xff204080)(
            left[:, :, 2::-1], right[:, :, 2::-1], order="bgr")
        np.testing.assert_array_equal(swapped.left, found.left[:, :, 2::-1])
        np.testing.assert_array_equal(swapped.right, found.right[:, :, 2::-1])

    def test_shapes(self):
        for properties, arguments in (
                ("projection=cylinder", {"projection": "cylinder"}),
                ("field-of-view=120 alpha=1", {"field_of_view": 120, "alpha": 1})):
            with self.subTest(arguments=arguments):
                _, _, found = self.compare(opencv((81, 61)), "RGB", (81, 61), properties, **arguments)
                wide = arguments.get("field_of_view", 90)
                self.assertAlmostEqual(found.camera.focal_length,
                                       40.5 / np.tan(np.radians(wide / 2)), 9)
                self.assertEqual(found.camera.projection, arguments.get("projection", "plane"))

    def test_sizes_may_change(self):
        path, = self.write(opencv((81, 61)))
        rectifier = sm.Rectifier(path)
        for factor in (1, 3, 2):
            view = np.zeros((61 * factor, 81 * factor), np.uint8)
            self.assertEqual(rectifier(view, view).left.shape, view.shape)

    def test_sizes_of_threads(self):
        """Each pair has its own camera, also while another thread changes the size or fails."""
        path, = self.write(opencv((81, 61)))
        rectifier = sm.Rectifier(path)
        views = [np.zeros((61 * factor, 81 * factor), np.uint8) for factor in (1, 2)]
        expected = [rectifier(view, view).camera for view in views]
        refused = np.zeros((50, 81), np.uint8)
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1e-6)
        with ThreadPoolExecutor(3) as threads:
            failures = threads.submit(self.repeat_failure, lambda: rectifier(refused, refused))
            found = threads.map(lambda view: rectifier(view, view).camera, 200 * views)
            self.assertTrue(all(map(operator.eq, found, 200 * expected)))
            failures.result()

    def repeat_failure(self, call):
        for _ in range(100):
            with self.assertRaises(sm.ArgumentError):
                call()

    def test_errors(self):
        path, = self.write(opencv((81, 61)))
        view = np.zeros((61, 81), np.uint8)
        for says, arguments in (
                ("nothing.yml: cannot be read: No such file", {"calibration": "nothing.yml"}),
                ("calibration = 3: expected the name of a file", {"calibration": 3}),
                ("calibration = '': expected the name of a file", {"calibration": ""}),
                ("calibration = .*: expected the name of a file", {"calibration": []}),
                ("calibration_unit = 0: expected 1e-09 to", {"calibration_unit": 0}),
                ("alpha = 2: expected -1 to 1", {"alpha": 2}),
                ("projection = 'sphere': expected one of plane", {"projection": "sphere"}),
                ("field_of_view = 176: expected 0 to 175", {"field_of_view": 176}),
                ("border = -1: expected a whole number", {"border": -1}),
                ("backend = 'gpu': expected one of auto", {"backend": "gpu"})):
            with self.subTest(arguments=arguments), self.assertRaisesRegex(sm.ArgumentError, says):
                sm.Rectifier(**dict({"calibration": path}, **arguments))(view, view)
        if "cuda" not in sm.backends():
            with self.assertRaisesRegex(sm.Error, "CUDA"):
                sm.Rectifier(path, backend="cuda")
        rectifier = sm.Rectifier(path)
        with self.assertRaisesRegex(sm.ArgumentError, "stereo.yml: .*81x61"):
            rectifier(view[:50], view[:50])
        with self.assertRaisesRegex(sm.ArgumentError, "left is of uint16: views are uint8"):
            rectifier(view.astype(np.uint16), view.astype(np.uint16))
        self.assertEqual(rectifier(view, view).right.shape, view.shape)
        apart = os.path.join(os.path.dirname(path), "a%sb.yml" % os.pathsep)
        shutil.copy(path, apart)
        for given in (apart, [path, apart]):
            with self.assertRaisesRegex(sm.ArgumentError, "separates the names of files; rename"):
                sm.Rectifier(given)
        # its calibration file is one that the caller does not know
        correction = sm.Correction(81, 61, 70, 0.01, *9 * [0])
        with self.assertRaisesRegex(sm.ArgumentError, "^Cannot use the correction: it is for .*"
                                    "81x61.*measure it with views of this size"):
            sm.Rectifier(correction=correction)(view[:50], view[:50])
        with self.assertRaisesRegex(TypeError, "cannot copy or pickle Rectifier"):
            copy.copy(rectifier)

    def test_file_of_a_correction(self):
        """None stays after a failure, and one that something else removes is no error."""
        code = """if True:
            import glob, os, resource, tempfile
            import stereomatching as sm
            correction = sm.Correction(81, 61, 70, 0.01, *9 * [0])
            sm.Rectifier(correction=correction)
            resource.setrlimit(resource.RLIMIT_FSIZE, (16, resource.RLIM_INFINITY))
            try:
                sm.Rectifier(correction=correction)
            except OSError as error:
                print(error.strerror)
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
            print(os.listdir(tempfile.gettempdir()))
            one = sm.Rectifier(correction=correction)
            for path in glob.glob(os.path.join(tempfile.gettempdir(), "*")):
                os.remove(path)
            """
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                  check=False, env=dict(os.environ, TMPDIR=folder,
                                                        PYTHONPATH=os.path.join(ROOT, "python")))
        self.assertEqual((done.stdout, done.stderr), ("File too large\n[]\n", ""))

    def test_one_view_fails(self):
        """The other one can be rectified."""
        text = opencv((81, 61))["stereo.yml"]
        for view in range(2):
            text += matrix("R%d" % (view + 1), 3, np.eye(3).ravel())
            text += matrix("P%d" % (view + 1), 3, (70, 0, 40, view * -7, 0, 70, 30, 0, 0, 0, 1, 0))
        array = np.zeros((61, 81), np.uint8)
        for view, name in enumerate(VIEWS):
            path, = self.write({"one.yml": text.replace("M%d:" % (view + 1), "unused:")})
            rectifier = sm.Rectifier(path)
            for _ in range(2):
                with self.assertRaisesRegex(sm.ArgumentError, "no camera matrix of the " + name):
                    rectifier(array, array)

    def test_warning(self):
        path, = self.write(opencv((81, 61), unit=0.001))
        view = np.zeros((61, 81), np.uint8)
        with self.assertWarnsRegex(UserWarning, "baseline of 120 m.*set calibration_unit"):
            sm.Rectifier(path)(view, view)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = sm.Rectifier(path, calibration_unit=0.001)(view, view)
        self.assertAlmostEqual(found.camera.baseline, BASELINE, 6)

    def test_missing(self):
        """Without the bindings, and without the plugin."""
        for before, says, env in (
                ("sys.modules['gi'] = None", "install python3-gi", {}),
                ("", "install the plugin gst-stereomatching",
                 {"GST_PLUGIN_PATH_1_0": self.folder, "GST_REGISTRY": self.path("registry")})):
            code = ("import sys; %s\nimport stereomatching as sm\n"
                    "try: sm.Rectifier('stereo.yml')\nexcept sm.Error as error: print(error)" %
                    before)
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                  env=dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python"),
                                           **env), check=True)
            self.assertIn(says, done.stdout)

    def test_threads(self):
        """Threads that are the first ones of their process to use GStreamer."""
        path, = self.write(opencv())
        code = """
import sys, threading
import stereomatching as sm

def rectify():
    barrier.wait()
    try:
        sm.Rectifier(sys.argv[1])
    except sm.Error as error:
        print(error)

barrier = threading.Barrier(4)
threads = [threading.Thread(target=rectify) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
        for _ in range(4):
            done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True,
                                  env=dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python")),
                                  check=True)
            self.assertEqual(done.stdout, "")

    @unittest.skipUnless(hasattr(os, "fork"), "the system has no fork()")
    def test_child(self):
        """A forked child neither waits for threads of its parent nor frees what belongs to it."""
        code = """
import os, sys
import numpy as np
import stereomatching as sm

image = np.zeros((60, 80), np.uint8)
correction = sm.Correction(80, 60, 72, *[0] * 10)
rectifier = sm.Rectifier(correction=correction)
for call in (lambda: rectifier(image, image), lambda: sm.Rectifier(correction=correction)):
    child = os.fork()
    if child == 0:
        try:
            call()
        except sm.Error as error:
            print(error)
        sys.exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
try:
    rectifier(image[:50], image[:50])
except sm.ArgumentError:
    rectifier(image, image)             # reads the file of the correction again
"""
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True,
                              text=True, env=dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python")),
                              timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("start the child with the method spawn"), 2)

    def test_exit(self):
        """The interpreter's exit waits for the pair of a daemon thread."""
        path, = self.write(opencv())
        code = """
import sys, threading
import numpy as np
import stereomatching as sm

image = np.zeros((376, 672), np.uint8)
rectifier = sm.Rectifier(sys.argv[1])
running = threading.Event()

def repeat():
    while True:
        rectifier(image, image)
        running.set()

threading.Thread(target=repeat, daemon=True).start()
running.wait()
"""
        for _ in range(4):
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", code, path],
                                  capture_output=True, text=True, timeout=60, check=False,
                                  env=dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python")))
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_page(self):
        """The block of docs/python.md that needs a calibration."""
        with open(os.path.join(ROOT, "docs", "python.md"), encoding="utf-8") as file:
            block, = re.findall(r"^<!-- not run: [^\n]*rectify\.py[^\n]* -->\n```python\n(.*?)^```",
                                file.read(), re.MULTILINE | re.DOTALL)
        path, = self.write(opencv())
        left, right, *_ = self.launch([path])
        found = []
        names = {"stereomatching": sm, "left": left, "right": right,
                 "print": lambda *values: found.append(values)}
        exec(compile(block.replace("stereo.yml", path), "docs/python.md", "exec"),  # pylint: disable=exec-used
             names)
        self.assertEqual(found, [(names["rectified"].camera.baseline, (HEIGHT, WIDTH))])


if __name__ == "__main__":
    suite.main()
