# gst-stereomatching: data files, programs and tables of the measured pages
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Data files, runs of the tools, presets, and Markdown."""

import configparser
import datetime
import glob
import json
import os
import re
import subprocess
import sys
import textwrap

DOCS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(DOCS, "data")
IMAGES = os.path.join(DOCS, "images")

# Times measured earlier are of other default properties
DEFAULTS_SINCE = "2026-11-26"
PRESETS = os.path.join(DOCS, "..", "gst", "presets")
REGIONS = ("nonocc", "all", "disc")
# Characters per line of a data file: one result of stereo-bench, one scene of stereo-eval.
RECORD = 2400


def datasets(*names):
    return os.path.join(os.environ.get("STEREO_DATASETS") or "../shared/datasets", *names)


def read(path):
    """The text of a file, empty if it does not exist."""
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def data_file(name):
    return os.path.join(DATA, name + ".json")


def load(name):
    with open(data_file(name), encoding="utf-8") as file:
        return json.load(file)


def load_all(pattern):
    return [load(os.path.basename(path)[:-len(".json")])
            for path in sorted(glob.glob(data_file(pattern)))]


def lines_of(value, indent=""):
    """JSON with one record per line: values of up to RECORD characters are not divided."""
    whole = json.dumps(value)
    if len(whole) <= RECORD and indent or not isinstance(value, (dict, list)):
        return whole
    inner = indent + " "
    parts = ([lines_of(v, inner) for v in value] if isinstance(value, list) else
             ["%s: %s" % (json.dumps(k), lines_of(v, inner)) for k, v in value.items()])
    left, right = "[]" if isinstance(value, list) else "{}"
    return "%s\n%s%s\n%s%s" % (left, inner, (",\n" + inner).join(parts), indent, right)


def save(name, data):
    """Writes a data file with date, commit and processor."""
    data = dict({"date": datetime.date.today().isoformat(), "commit": commit(),
                 "processor": processor()}, **data)
    os.makedirs(DATA, exist_ok=True)
    with open(data_file(name), "w", encoding="utf-8") as file:
        file.write(lines_of(data) + "\n")


def commit():
    """The commit of the working tree."""
    found = subprocess.run(["git", "-C", DOCS, "describe", "--always", "--dirty", "--exclude=*"],
                           stdout=subprocess.PIPE, text=True, check=False)
    return found.stdout.strip() or "unknown"


def processor():
    match = re.search(r"^model name\s*: (.*)$", read("/proc/cpuinfo"), re.MULTILINE)
    return match.group(1) if match else "unknown processor"


def output_of(program, arguments):
    return subprocess.run([program] + arguments, check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def json_of(program, arguments):
    """The output of stereo-eval or stereo-bench."""
    return json.loads(output_of(program, ["--json"] + arguments))


def algorithms(program):
    """The algorithms listed by stereo-eval or stereo-bench."""
    return re.findall(r"^(\w+): ", output_of(program, ["--list"]), re.MULTILINE)


def patterns():
    """The patterns of stereotestsrc."""
    text = output_of("gst-inspect-1.0", ["--no-colors", "stereotestsrc"])
    return re.findall(r"\(\d+\): (\S+) ", re.search(r"^  pattern .*\n((?: {8,}.*\n)*)", text,
                                                     re.MULTILINE).group(1))


def preset_file(element):
    """The presets of an element class ("GstStereoBp"), None if it has none."""
    path = os.path.join(PRESETS, element + ".prs")
    if not os.path.exists(path):
        return None
    file = configparser.ConfigParser(delimiters=("=",), interpolation=None)
    file.read(path, encoding="utf-8")
    return file


def presets(element, defaults):
    """[(name, comment, [NAME=VALUE that is not the default])] of an element class."""
    file = preset_file(element)
    return [(name, file[name].get("_meta/comment", ""),
             ["%s=%s" % item for item in file[name].items()
              if not item[0].startswith("_") and item[1] != defaults.get(item[0])])
            for name in file.sections() if not name.startswith("_")] if file else []


def paper(setup):
    """A setup with all other properties from the preset `paper`, if there is one."""
    name, *words = setup.split()
    file = preset_file("GstStereo" + name.capitalize())
    values = {}
    if file and "paper" in file.sections():
        # errors are of still images, which the temporal filter does not affect
        values = {k: v for k, v in file["paper"].items()
                  if not k.startswith("_") and k != "temporal"}
    values.update(word.split("=", 1) for word in words)
    return " ".join([name] + ["%s=%s" % item for item in values.items()])


def papers_label(setup):
    """The label of a setup with preset `paper`; the setup itself if there is no preset."""
    name, *words = setup.split()
    return ", ".join([name, "paper"] + [" ".join(words)][:len(words)]) if paper(name) != name else setup


def label_papers(results, setups):
    """Replaces the setups in results of paper() by their labels."""
    names = {paper(setup): papers_label(setup) for setup in setups}
    for result in results:
        result["label"] = names.get(result["label"], result["label"])


def number(value):
    """Formats a number with about three digits."""
    if value is None:
        return "-"
    if value >= 100:
        return "%.0f" % value
    return "%.*f" % (1 if value >= 10 else 2 if value >= 1 else 3, value)


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---" + "|---:" * (len(header) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def fill(text):
    """Markdown with its plain paragraphs filled."""
    return "\n\n".join(block if block.startswith(("#", "|", "!", "<", "    ", "\n")) else
                       textwrap.fill(block, 100, break_long_words=False, break_on_hyphens=False)
                       for block in text.rstrip().split("\n\n")) + "\n"


def with_tables(path, tables):
    """The text of a page with its tables between their two comments, the first of which names the
    table."""
    text = read(path)
    for key, made in tables.items():
        place = re.compile(r"(<!-- Table %s, made by docs/report -->\n).*?(<!-- end -->)"
                           % re.escape(key), re.DOTALL)
        if len(place.findall(text)) != 1:
            sys.exit("%s has no place for the table %s, or several"
                     % (os.path.relpath(path, DOCS), key))
        text = place.sub(lambda m, made=made: "%s\n%s\n%s" % (m.group(1), made, m.group(2)), text)
    return text


def size_of(workload):
    return "%dx%dx%d" % tuple(workload)
