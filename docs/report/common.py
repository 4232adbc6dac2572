# gst-stereomatching: what the measured pages of docs/ share
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Data files, runs of the tools, presets, and tables."""

import configparser
import datetime
import glob
import json
import os
import re
import subprocess
import sys

DOCS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(DOCS, "data")
IMAGES = os.path.join(DOCS, "images")
PRESETS = os.path.join(DOCS, "..", "gst", "presets")
REGIONS = ("nonocc", "all", "disc")
# Characters of a line of a data file: one result of stereo-bench, one scene of stereo-eval.
RECORD = 2400


def datasets(*names):
    return os.path.join(os.environ.get("STEREO_DATASETS") or "../shared/datasets", *names)


def read(path):
    """A file's text, nothing if there is none."""
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
    """JSON with a record a line: what fits RECORD characters stays together."""
    whole = json.dumps(value)
    if len(whole) <= RECORD and indent or not isinstance(value, (dict, list)):
        return whole
    inner = indent + " "
    parts = ([lines_of(v, inner) for v in value] if isinstance(value, list) else
             ["%s: %s" % (json.dumps(k), lines_of(v, inner)) for k, v in value.items()])
    left, right = "[]" if isinstance(value, list) else "{}"
    return "%s\n%s%s\n%s%s" % (left, inner, (",\n" + inner).join(parts), indent, right)


def save(name, data):
    """Writes a data file, dated."""
    data = dict({"date": datetime.date.today().isoformat(), "processor": processor()}, **data)
    os.makedirs(DATA, exist_ok=True)
    with open(data_file(name), "w", encoding="utf-8") as file:
        file.write(lines_of(data) + "\n")


def processor():
    match = re.search(r"^model name\s*: (.*)$", read("/proc/cpuinfo"), re.MULTILINE)
    return match.group(1) if match else "unknown processor"


def output_of(program, arguments):
    return subprocess.run([program] + arguments, check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def json_of(program, arguments):
    """What stereo-eval or stereo-bench prints."""
    return json.loads(output_of(program, ["--json"] + arguments))


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
    """A setup with the rest of its properties as its paper has them: the preset `paper`, if there is
    one."""
    name, *words = setup.split()
    file = preset_file("GstStereo" + name.capitalize())
    values = {}
    if file and "paper" in file.sections():
        # what is measured are stills, of which a filter over time changes nothing
        values = {k: v for k, v in file["paper"].items()
                  if not k.startswith("_") and k != "temporal"}
    values.update(word.split("=", 1) for word in words)
    return " ".join([name] + ["%s=%s" % item for item in values.items()])


def papers_label(setup):
    """What such a setup is called; as it is where the defaults are the paper's."""
    name, *words = setup.split()
    return ", ".join([name, "paper"] + [" ".join(words)][:len(words)]) if paper(name) != name else setup


def label_papers(results, setups):
    """Gives results of paper (setup) their label."""
    names = {paper(setup): papers_label(setup) for setup in setups}
    for result in results:
        result["label"] = names.get(result["label"], result["label"])


def number(value):
    """About three digits."""
    if value is None:
        return "-"
    if value >= 100:
        return "%.0f" % value
    return "%.*f" % (1 if value >= 10 else 2 if value >= 1 else 3, value)


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---" + "|---:" * (len(header) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def with_tables(path, tables):
    """The text of a page, with the tables in their places: between two comments, of which the first
    one names the table."""
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
