# gst-stereomatching: the animation of a camera that moves
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/images/drifting.webp: a rendered scene, of which the right camera drifts and then moves
suddenly, with its disparities as they are and with alignment=correct.

Needs GStreamer's Python bindings, the plugin in $GST_PLUGIN_PATH, and img2webp of the WebP tools.
"""

import glob
import os
import subprocess
import tempfile

import common

PATH = os.path.join(common.DOCS, "images", "drifting.webp")
WIDTH, HEIGHT, RATE, FRAMES = 320, 240, 10, 150
# Of a panel of the animation.
PANEL = 240, 180
QUALITY = 35
# Degrees per second, about each axis.
DRIFT = 0.04
# The frame of the sudden motion, its roll in degrees and its offset in pixels.
MOTION, ROLL, ROWS = 100, 1.5, 3

LINE = """
stereotestsrc pattern=corridor num-buffers={frames} ! {size} ! tee name=l
stereotestsrc name=right view=right pattern=corridor drift={drift} num-buffers={frames} ! {size} !
tee name=r
l. ! queue ! a.sink_left  r. ! queue ! a.sink_right
l. ! queue ! stereorectify ! b.sink_left  r. ! queue ! stereorectify ! b.sink_right
stereosgm name=a num-disparities=64 alignment=off ! disparitycolor ! queue ! {panel} ! c.sink_1
stereosgm name=b num-disparities=64 alignment=correct ! disparitycolor ! queue ! {panel} ! c.sink_2
l. ! queue ! {panel} ! c.sink_0
compositor name=c sink_1::xpos={first} sink_2::xpos={second} ! videoconvert ! pngenc !
multifilesink location={folder}/%03d.png
"""


def move_camera(source):
    """Moves it when it has sent the frames before the motion."""
    from gi.repository import Gst  # pylint: disable=import-outside-toplevel

    sent = [0]

    def count(*_):
        sent[0] += 1
        if sent[0] == MOTION:
            source.set_property("roll", ROLL)
            source.set_property("rows", ROWS)
        return Gst.PadProbeReturn.OK

    source.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, count)


def render(folder):
    """Writes the frames."""
    import gi  # pylint: disable=import-outside-toplevel
    gi.require_version("Gst", "1.0")
    from gi.repository import Gst  # pylint: disable=import-outside-toplevel

    Gst.init(None)
    size = "video/x-raw,format=RGB,width=%d,height=%d,framerate=%d/1" % (WIDTH, HEIGHT, RATE)
    panel = "videoconvert ! videoscale ! video/x-raw,format=RGB,width=%d,height=%d" % PANEL
    pipeline = Gst.parse_launch(LINE.format(
        frames=FRAMES, size=size, drift=DRIFT, panel=panel, first=PANEL[0], second=2 * PANEL[0],
        folder=folder))
    move_camera(pipeline.get_by_name("right"))
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.ERROR
                                                    | Gst.MessageType.EOS)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        raise SystemExit(message.parse_error().gerror.message)


def measure(program, _):
    """Writes the animation with img2webp."""
    with tempfile.TemporaryDirectory() as folder:
        render(folder)
        subprocess.run([program, "-loop", "0", "-lossy", "-q", str(QUALITY), "-m", "6",
                        "-d", str(1000 // RATE)] + sorted(glob.glob(folder + "/*.png"))
                       + ["-o", PATH], check=True)


def generate():
    """No generated text."""
    return {}
