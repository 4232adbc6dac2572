# gst-stereomatching: pictures of the demonstration and of virtual views
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/images/: matchers, depth and cloud from the output of examples/demo.sh, and those of
docs/views.md.

Needs gst-launch-1.0, which must find the plugin, and OpenCV for Python.
"""

import os
import subprocess
import tempfile

import sgbm
from common import IMAGES

QUALITY = 85
MATCHERS = (1440, 540)
# The point cloud, seen from above and from the right: size in pixels, metres and radians.
CLOUD = (640, 400)
CAMERA, PITCH, YAW = (1.5, 2.4, 0.7), -0.66, 0.42
# In pixels, metres, pixels and grey levels
FOCAL_LENGTH, FARTHEST, POINT, BACKGROUND = 540, 5.5, 2, 28

# Virtual views by a matched map, and by the true one
MATCHED = """
stereotestsrc view=left pattern={pattern} num-disparities=32 num-buffers=1 ! {size} ! tee name=l
stereotestsrc view=right pattern={pattern} num-disparities=32 num-buffers=1 ! {size} ! tee name=r
l. ! queue ! m.sink_left  r. ! queue ! m.sink_right
stereobfv name=m num-disparities=32 ! v.sink_disparity
l. ! queue ! v.sink_left  r. ! queue ! v.sink_right
stereoview name=v {layout} ! {file}"""
TRUE = """
stereotestsrc view=left pattern={pattern} num-buffers=1 ! {size} ! v.sink_left
stereotestsrc view=right pattern={pattern} num-buffers=1 ! {size} ! v.sink_right
stereotestsrc view=disparity pattern={pattern} num-buffers=1 ! {depth} ! v.sink_disparity
stereoview name=v {layout} ! {file}"""
QUILT = "layout=quilt columns=3 rows=1 position=0.5 separation=2"
VIEWS = {
    "views-quilt": (MATCHED, "planes", QUILT),
    "views-anaglyph": (MATCHED, "corridor", "layout=anaglyph separation=0.6 convergence=8"),
    "views-holes": (TRUE, "sphere", QUILT),
}


def write(name, picture):
    sgbm.opencv().imwrite(os.path.join(IMAGES, name + ".jpg"), picture,
                          [sgbm.opencv().IMWRITE_JPEG_QUALITY, QUALITY])


def points(path):
    """The points of a binary PLY file with colours, x right, y up and z backward."""
    import numpy
    with open(path, "rb") as file:
        head, body = file.read().split(b"end_header\n", 1)
    kinds = [(axis, "<f4") for axis in "xyz"] + [(name, "u1") for name in ("red", "green", "blue")]
    names = [line.split()[2].decode() for line in head.splitlines() if line.startswith(b"property")]
    assert names == [name for name, _ in kinds]
    return numpy.frombuffer(body, kinds)


def rotation(pitch, yaw):
    import numpy
    (s, c), (t, d) = ((numpy.sin(angle), numpy.cos(angle)) for angle in (pitch, yaw))
    about_x = numpy.array([[1, 0, 0], [0, c, s], [0, -s, c]])
    about_y = numpy.array([[d, 0, -t], [0, 1, 0], [t, 0, d]])
    return about_x @ about_y


def draw(found):
    """A picture of points, the nearest last."""
    import numpy
    found = found[-found["z"] <= FARTHEST]
    place = numpy.stack([found[axis] for axis in "xyz"], axis=1) - CAMERA
    x, y, z = rotation(PITCH, YAW) @ place.T
    order = numpy.argsort(z)
    order = order[z[order] < 0]
    column = (CLOUD[0] / 2 - FOCAL_LENGTH * x / z)[order].astype(int)
    row = (CLOUD[1] / 2 + FOCAL_LENGTH * y / z)[order].astype(int)
    color = numpy.stack([found[name] for name in ("blue", "green", "red")], axis=1)[order]
    picture = numpy.full((CLOUD[1], CLOUD[0], 3), BACKGROUND, numpy.uint8)
    for dx in range(POINT):
        for dy in range(POINT):
            seen = ((column + dx >= 0) & (column + dx < CLOUD[0])
                    & (row + dy >= 0) & (row + dy < CLOUD[1]))
            picture[(row + dy)[seen], (column + dx)[seen]] = color[seen]
    return picture


def demonstrate(program, folder):
    """Runs the demonstration, and writes what it shows."""
    cv2 = sgbm.opencv()
    subprocess.run([program], check=True, env=dict(os.environ, DEMO_OUT=folder))
    write("matchers", cv2.resize(cv2.imread(os.path.join(folder, "matchers.png")), MATCHERS,
                                 interpolation=cv2.INTER_AREA))
    write("depth", cv2.imread(os.path.join(folder, "depth.png")))
    write("cloud", draw(points(os.path.join(folder, "points-00000.ply"))))


def render(folder):
    """Renders the virtual views."""
    path = os.path.join(folder, "view.png")
    words = {"size": "video/x-raw,format=RGB,width=320,height=240",
             "depth": "video/x-raw,format=GRAY16_LE,width=320,height=240",
             "file": "videoconvert ! pngenc ! filesink location=" + path}
    for name, (line, pattern, layout) in VIEWS.items():
        words.update(pattern=pattern, layout=layout)
        subprocess.run(["gst-launch-1.0", "-q"] + line.format(**words).split(), check=True)
        write(name, sgbm.opencv().imread(path))


def measure(program, _):
    """With examples/demo.sh."""
    if sgbm.opencv() is None:
        raise SystemExit("OpenCV for Python is required (python3-opencv)")
    with tempfile.TemporaryDirectory() as folder:
        demonstrate(program, folder)
        render(folder)


def generate():
    """No generated text."""
    return {}
