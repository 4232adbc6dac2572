#!/usr/bin/env python3
# gst-stereomatching: tests of batches of videos
# SPDX-License-Identifier: LGPL-2.1-or-later
"""batch_video.py LIBRARY ROOT

Segments and their seams, recordings and their tags. Exit status 77 (skipped) without NumPy,
PyAV or its encoders.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import time
import unittest
from fractions import Fraction

import batches
import suite

np, av, _ = batches.need("numpy", "av", "PIL.Image")
import stereomatching as sm  # noqa: E402
from stereomatching import batch  # noqa: E402

try:
    for name in ("ffv1", "mpeg4", "mpeg2video"):
        av.codec.Codec(name, "w")
except ValueError as missing:
    print("skipped: FFmpeg has no encoder %s" % missing)
    sys.exit(77)

SMALL = "num-disparities=16"
WIDTH, HEIGHT, RATE = 96, 64, 10


def views(number):
    """Of a frame: no two frames have the same map."""
    left, right = batches.pair_of(number, HEIGHT, WIDTH)
    left[:4 * (number % 8), :20], right[:4 * (number % 8), :20] = 0, 0
    return left, right


def write_video(path, frames, codec="ffv1", rate=RATE, times=None, **options):
    """RGB frames, with B-frames if the codec has them."""
    with av.open(path, "w") as container:
        stream = container.add_stream(codec, rate=rate)
        stream.height, stream.width = frames[0].shape[:2]
        stream.pix_fmt = "bgr0" if codec == "ffv1" else "yuv420p"
        stream.options = options
        for number, array in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(array), format="rgb24")
            frame.pts, frame.time_base = times[number] if times else number, Fraction(1, rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def decoded(path):
    with av.open(path) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def maps(path):
    with sm.open_video(path) as video:
        return [(round(frame.time, 3), frame.map) for frame in video]


class Videos(batches.Case):
    def lossless(self, count=25, g="7"):
        pairs = [views(number) for number in range(count)]
        write_video(self.path("left.mkv"), [left for left, _ in pairs], g=g)
        write_video(self.path("right.mkv"), [right for _, right in pairs], g="4")
        return pairs

    def require_maps(self, pairs, path="out/disparity.mkv", **properties):
        found = maps(self.path(path))
        self.assertEqual([time for time, _ in found], [n / RATE for n in range(len(pairs))])
        for (_, one), pair in zip(found, pairs):
            self.assertEqual(one, sm.match(*pair, num_disparities=16, backend="cpu", **properties))

    def test_seams(self):
        """All frames, once each, whatever the segments; and the same bytes."""
        pairs = self.lossless()
        for seconds, segments in ((0.5, 4), (1.2, 2), (100, 1)):
            self.batch("left.mkv", "right.mkv", "out", SMALL, "--segment", seconds)
            records = self.manifest()
            self.assertEqual(len(records), segments + 1)
            self.assertEqual(sum(record["frames"] for record in records[:-1]), 25)
            self.assertEqual((records[-1]["name"], records[-1]["frames"]), ("segments/joined", 25))
            self.require_maps(pairs)
            content = self.contents()
            self.assertEqual(sorted(content), ["disparity.mkv"])
            self.assertEqual(content, content if segments == 4 else last)
            last = content

    def test_codecs(self):
        """Lossy video with B-frames and open groups of pictures, in several containers."""
        pairs = [views(number // 5) for number in range(40)]
        for left, right, codec, options in (
                ("l.mkv", "r.mp4", "mpeg4", {"g": "9", "bf": "2", "qscale": "2"}),
                ("l.ts", "r.avi", "mpeg2video", {"g": "6", "bf": "2", "b": "4000000"})):
            if codec == "mpeg2video":
                right = "r.mkv"
            write_video(self.path(left), [one for one, _ in pairs], codec, 25, **options)
            write_video(self.path(right), [one for _, one in pairs], codec, 25, **options)
            expected = [sm.match(*pair, num_disparities=16, backend="cpu")
                        for pair in zip(decoded(self.path(left)), decoded(self.path(right)))]
            self.assertEqual(len(expected), 40)
            self.batch(left, right, "out", SMALL, "--segment", "0.3", "--workers", "2")
            self.assertGreater(len(self.manifest()), 3)
            self.assertEqual([found for _, found in maps(self.path("out/disparity.mkv"))], expected)
            shutil.rmtree(self.path("out"))

    def test_packed(self):
        pairs = [views(number) for number in range(9)]
        for layout, stack in (("side-by-side", np.hstack), ("top-bottom", np.vstack)):
            write_video(self.path("both.mkv"), [stack(pair) for pair in pairs], g="2")
            self.batch("both.mkv", "out", SMALL, "--layout", layout, "--segment", "0.4",
                       "--outputs", "disparity,disparity")
            self.require_maps(pairs)

    def test_unpaired_frames(self):
        """Frames are paired by their times."""
        pairs = [views(number) for number in range(12)]
        write_video(self.path("left.mkv"), [left for left, _ in pairs], g="3")
        times = [n for n in range(12) if n not in (4, 5, 9)]
        write_video(self.path("right.mkv"), [pairs[n][1] for n in times], times=times, g="3")
        done = self.batch("left.mkv", "right.mkv", "out", SMALL, "--segment", "0.3")
        self.assertEqual([time for time, _ in maps(self.path("out/disparity.mkv"))],
                         [n / RATE for n in times])
        self.assertIn("3 frames unpaired\n", done.stderr)
        # of the segments, and of the whole
        self.assertEqual([record["unpaired"] for record in self.manifest()], [0, 2, 1, 3])

    def test_temporal(self):
        """The filter begins with each segment."""
        pairs = self.lossless(14)
        self.batch("left.mkv", "right.mkv", "out", SMALL, "temporal=4", "--segment", "0.7",
                   "--workers", "1")
        found = [one for _, one in maps(self.path("out/disparity.mkv"))]
        matcher = sm.Matcher(num_disparities=16, temporal=4, backend="cpu")
        expected = []
        for number, pair in enumerate(pairs):
            if number == 7:
                matcher.reset()
            expected.append(matcher(*pair))
        self.assertEqual(found, expected)

    def test_outputs(self):
        pairs = self.lossless(6)
        camera = sm.Camera(100, 0.1)
        self.batch("left.mkv", "right.mkv", "out", SMALL, "fill=false", "camera.focal_length=100",
                   "camera.baseline=0.1", "--outputs", "disparity,confidence,depth,color,points,view",
                   "--segment", "0.1")
        self.require_maps(pairs, fill=False)
        with sm.open_video(self.path("out", "depth.mkv")) as video:
            self.assertEqual((video.kind, video.camera), ("depth", camera))
            depths = [frame.codes for frame in video]
        shown = decoded(self.path("out", "view.mkv"))
        self.assertEqual((len(depths), len(shown)), (6, 6))
        for depth, view, (left, right) in zip(depths, shown, pairs):
            found = sm.match(left, right, num_disparities=16, fill=False)
            np.testing.assert_array_equal(depth, sm.depth(found, camera))
            np.testing.assert_array_equal(view, sm.view(left, found, right))
        self.assertEqual(len(os.listdir(self.path("out", "points"))), 6)
        self.assertEqual(len(decoded(self.path("out", "color.mkv"))), 6)
        with av.open(self.path("out", "confidence.mkv")) as container:
            frame = next(container.decode(video=0))
            np.testing.assert_array_equal(frame.to_ndarray(), sm.match(
                *pairs[0], num_disparities=16, fill=False, confidence=True).confidence_codes)

    def need_elements(self):
        if not shutil.which("gst-launch-1.0") or batches.SANITIZER or subprocess.run(
                ["gst-inspect-1.0", "--exists", "avenc_ffv1"], check=False).returncode:
            self.skipTest("there is no gst-launch-1.0 with avenc_ffv1 for this build")

    def test_tags(self):
        """Those of the elements, which read the recordings as well."""
        self.need_elements()
        self.lossless(3)
        for number, extra in enumerate(((), ("min-confidence=0.3",), ("fill=false",))):
            words = (SMALL, "min-disparity=-2", "disparity-scale=64", *extra)
            out = "out%d" % number
            self.batch("left.mkv", "right.mkv", out, *words, "--outputs", "disparity,confidence")
            self.launch("filesrc location=left.mkv ! matroskademux ! avdec_ffv1 ! videoconvert ! "
                        "m.sink_left filesrc location=right.mkv ! matroskademux ! avdec_ffv1 ! "
                        "videoconvert ! m.sink_right stereosgm name=m backend=cpu %s "
                        "m.src ! queue ! avenc_ffv1 ! matroskamux ! filesink location=disparity.mkv "
                        "m.src_confidence ! video/x-raw,format=GRAY16_LE ! queue ! avenc_ffv1 ! "
                        "matroskamux ! filesink location=confidence.mkv" % " ".join(words))
            for path in "disparity.mkv", "confidence.mkv":
                with sm.open_video(self.path(out, path)) as one, \
                        sm.open_video(self.path(path)) as other:
                    self.assertEqual(one.tag, other.tag)
        source = "filesrc location=out0/disparity.mkv ! matroskademux ! avdec_ffv1 ! "
        done = self.launch("-t " + source + "fakesink")
        self.assertRegex(done.stdout, r"comment: GstStereoDisparityMeta, .*disparity-scale=\(double\)64")
        # which takes the tag
        done = self.launch("-t " + source + "disparitycolor ! fakesink")
        self.assertNotRegex(done.stdout + done.stderr, "WARNING|GstStereoDisparityMeta")

    def test_depth_tags(self):
        """That of disparitydepth, which gets its camera and the search range from the map's tag."""
        self.need_elements()
        self.lossless(2)
        for number, (depth, camera) in enumerate((
                ({}, {}), ({"range-min": 0.5, "range-max": 9}, {"doffs": 2.5}),
                ({"depth-scale": 10000, "range-max": 30},
                 {"projection": "cylinder", "cx": 40, "cy": 30}),
                ({"depth-scale": 256}, {"doffs": -40}))):
            out, element = "out%d" % number, "element%d.mkv" % number
            self.batch("left.mkv", "right.mkv", out, SMALL, "min-disparity=2", "--outputs",
                       "disparity,depth", "camera.focal_length=90", "camera.baseline=0.25",
                       *["depth.%s=%s" % item for item in depth.items()],
                       *["camera.%s=%s" % item for item in camera.items()])
            self.launch("filesrc location=%s/disparity.mkv ! matroskademux ! avdec_ffv1 ! "
                        "disparitydepth %s ! avenc_ffv1 ! matroskamux ! filesink location=%s" % (
                            out, " ".join("%s=%s" % item for item in depth.items()), element))
            with sm.open_video(self.path(out, "depth.mkv")) as one, \
                    sm.open_video(self.path(element)) as other:
                self.assertEqual(one.tag, other.tag)
                np.testing.assert_array_equal([frame.codes for frame in one],
                                              [frame.codes for frame in other])

    def launch(self, pipeline):
        done = subprocess.run(["gst-launch-1.0", *pipeline.split()], cwd=self.folder, text=True,
                              capture_output=True, timeout=batches.TIMEOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_killed(self):
        pairs = self.lossless(60, "2")
        words = ["left.mkv", "right.mkv", "out", SMALL, "--segment", "0.2", "--workers", "1"]
        process = subprocess.Popen(batches.COMMAND + words, cwd=self.folder)
        end = time.monotonic() + batches.TIMEOUT
        while process.poll() is None and time.monotonic() < end:
            try:
                if len(self.manifest()) > 2:
                    break
            except (OSError, ValueError):
                pass
            time.sleep(0.005)
        process.kill()
        process.wait()
        self.batch(*words)
        self.batch(*[word.replace("out", "whole") for word in words])
        self.require_same("out", "whole")
        self.require_maps(pairs)

    def test_resumed(self):
        """A complete run does nothing again; a lost recording is computed again."""
        self.lossless(12, "4")
        words = ["left.mkv", "right.mkv", "out", SMALL, "--segment", "0.4"]
        self.batch(*words)
        content = self.contents()
        self.assertIn("3 done (3 of them earlier)", self.batch(*words).stdout)
        os.unlink(self.path("out", "disparity.mkv"))
        self.assertIn("3 done (0 of them earlier)", self.batch(*words).stdout)
        self.assertEqual(self.contents(), content)

    def test_corrupt(self):
        """A damaged part costs its own frames."""
        pairs = self.lossless(12, "1")
        with open(self.path("left.mkv"), "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(size // 2)
            file.write(bytes(2000))
        done = batches.command("left.mkv", "right.mkv", "out", SMALL, "--segment", "0.3",
                               cwd=self.folder)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        found = maps(self.path("out/disparity.mkv"))
        self.assertTrue(6 <= len(found) <= 12)
        whole = [one == sm.match(*pairs[round(at * RATE)], num_disparities=16, backend="cpu")
                 for at, one in found]
        self.assertGreaterEqual(sum(whole), len(found) - 2)
        self.assertEqual(self.manifest()[-1]["frames"], len(found))

    def test_full_disk(self):
        pairs = self.lossless(24, "4")
        words = ["left.mkv", "right.mkv", "out", SMALL, "--segment", "0.4", "--outputs",
                 "disparity,view", "--workers", "1"]
        done = self.batch(*words, status=1, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (30000, 30000)))
        self.assertRegex(done.stderr, "Stopped: cannot write .*: File too large")
        self.assertFalse([name for name in self.contents() if name.endswith(".part")])
        self.batch(*words)
        self.require_maps(pairs)

    def test_refused(self):
        self.lossless(3)
        with open(self.path("text.mkv"), "w", encoding="utf-8") as file:
            file.write("text")
        self.assertIn("cannot read", self.batch("left.mkv", "text.mkv", "out", status=2).stderr)
        # a recording that ended within its first frame, which follows the first cluster's header
        with open(self.path("left.mkv"), "rb") as file:
            data = file.read()
        with open(self.path("start.mkv"), "wb") as file:
            file.write(data[:data.index(b"\x1f\x43\xb6\x75") + 500])
        self.assertRegex(self.batch("left.mkv", "start.mkv", "out", status=2).stderr,
                         "start.mkv has no frames")
        # a video that was cut after its only key frame
        write_video(self.path("whole.mkv"), [left for left, _ in map(views, range(4))],
                    "mpeg2video")
        with av.open(self.path("whole.mkv")) as whole, av.open(self.path("cut.mkv"), "w") as cut:
            given = whole.streams.video[0]
            # the name since PyAV 14
            add = getattr(cut, "add_stream_from_template", None)
            stream = add(given) if add else cut.add_stream(template=given)
            for packet in whole.demux(video=0):
                if packet.dts is not None and not packet.is_keyframe:
                    packet.stream = stream
                    cut.mux(packet)
        self.assertRegex(self.batch("cut.mkv", "out", status=2).stderr, "cut.mkv has no key frame")
        self.assertIn("format = pfm: videos are recorded in Matroska",
                      self.batch("left.mkv", "right.mkv", "out", "--format", "pfm",
                                 status=2).stderr)
        code = ("import sys; sys.modules['av'] = None; sys.argv[1:] = ['left.mkv', 'out']\n"
                "from stereomatching.batch._cli import main; sys.exit(main())")
        done = subprocess.run([sys.executable, "-c", code], cwd=self.folder, text=True,
                              capture_output=True, timeout=batches.TIMEOUT, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(re.search("pip install av", done.stderr), done.stderr)
        path = self.path("left.mkv")
        self.assertEqual(len(batch.find_segments(path, None, 1)), 1)
        for name, words in (("left", (None, None, 1)), ("left", ("", None, 1)),
                            ("right", (path, 5, 1)), ("seconds", (path, None, "x")),
                            ("seconds", (path, None, 0)), ("seconds", (path, None, -1)),
                            ("seconds", (path, None, float("nan")))):
            with self.assertRaisesRegex(sm.ArgumentError, "%s = .*: expected " % name):
                batch.find_segments(*words)
        with self.assertRaisesRegex(sm.ArgumentError, "left and right are both .*/left.mkv: "):
            batch.find_segments(path, path, 1)


if __name__ == "__main__":
    suite.main()
