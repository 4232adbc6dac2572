# gst-stereomatching: the animation of README
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/images/moving.webp: a rendered scene and its disparities.

Needs gst-launch-1.0, which must find the plugin, and img2webp of the WebP tools.
"""

import glob
import os
import subprocess
import tempfile

import common

PATH = os.path.join(common.DOCS, "images", "moving.webp")
WIDTH, HEIGHT, RATE, FRAMES = 320, 240, 10, 40
QUALITY = 45

LINE = """
stereotestsrc pattern=corridor num-buffers={frames} ! {size} ! tee name=l  l. ! queue ! m.sink_left
stereotestsrc pattern=corridor view=right num-buffers={frames} ! {size} ! m.sink_right
stereosgm name=m num-disparities=64 ! disparitycolor legend=true ! videoconvert ! c.sink_1
l. ! queue ! videoconvert ! c.sink_0
compositor name=c sink_1::xpos={width} ! videoconvert ! pngenc ! multifilesink location={folder}/%03d.png
"""


def measure(program, _):
    """Renders and matches the scene, and writes the animation."""
    with tempfile.TemporaryDirectory() as folder:
        size = "video/x-raw,format=RGB,width=%d,height=%d,framerate=%d/1" % (WIDTH, HEIGHT, RATE)
        subprocess.run([program, "-q"] + LINE.format(frames=FRAMES, size=size, width=WIDTH,
                                                     folder=folder).split(), check=True)
        subprocess.run(["img2webp", "-loop", "0", "-lossy", "-q", str(QUALITY), "-m", "6",
                        "-d", str(1000 // RATE)] + sorted(glob.glob(folder + "/*.png"))
                       + ["-o", PATH], check=True)


def generate():
    """No generated text."""
    return {}
