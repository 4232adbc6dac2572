# gst-stereomatching: the element pages
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/elements/<element>.md for every element of the plugin.

Pads and properties come from gst-inspect-1.0, prose and launch lines from the SECTION comment of the
source, presets from gst/presets/. Properties of GStreamer's base classes are omitted.
"""

import glob
import os
import re
import subprocess
import sys

from common import DOCS, presets, read

SOURCES = os.path.join(DOCS, "..", "gst")
OUTPUT = os.path.join(DOCS, "elements")
# The output of gst-inspect differs between versions.
GSTREAMER = "1.22"

# Properties of GstObject, GstElement, GstAggregator, GstBaseSrc and
# GstBaseTransform.
INHERITED = {
    "name", "parent", "emit-signals", "latency", "min-upstream-latency", "start-time",
    "start-time-selection", "blocksize", "num-buffers", "typefind", "do-timestamp",
    "automatic-eos",
}


def inspect(*arguments):
    environment = dict(os.environ, LC_ALL="C", GST_INSPECT_NO_COLORS="1")
    result = subprocess.run(["gst-inspect-1.0", "--no-colors", *arguments], env=environment,
                            capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit("gst-inspect-1.0 %s: %s" % (" ".join(arguments), result.stderr))
    return result.stdout


def elements_of(plugin):
    return re.findall(r"^  (\w+): ", inspect(plugin), re.MULTILINE)


def section(text, title):
    """The indented lines below `title:`."""
    match = re.search(r"^%s:\n((?:[ \t]+.*\n|\n)*)" % re.escape(title), text, re.MULTILINE)
    return match.group(1) if match else ""


def field(text, name):
    match = re.search(r"^  %s +(.*)$" % re.escape(name), text, re.MULTILINE)
    return match.group(1).strip() if match else ""


def caps_text(lines):
    """The lines of gst-inspect-1.0 as "`media type`, field value; ..."."""
    parts = []
    for line in lines:
        name, colon, value = re.sub(r"\s+", " ", line).partition(": ")
        if not colon:
            parts.append("`%s`" % name if "/" in name else name)
        elif name == "format":
            parts[-1] += " (%s)" % value.strip("{ }")
        elif not re.fullmatch(r"\[ 1, (16384|2147483647) \]|\[ 0/1, 2147483647/1 \]", value):
            parts[-1] += ", %s %s" % (name, value)
    return "; ".join(parts)


def pads(text):
    """[(name, direction, presence, caps in one line)]; fields that allow any value are omitted."""
    found = []
    for block in re.split(r"\n(?=  (?:SINK|SRC) template:)", "\n" + section(text, "Pad Templates")):
        head = re.search(r"(SINK|SRC) template: '(\S+)'\n\s+Availability: (.*)\n", block)
        if not head:
            continue
        caps = []
        inside = False
        for line in block.split("\n"):
            if line.strip() == "Capabilities:":
                inside = True
            elif inside and re.match(r"    \S", line) and not line.startswith("      "):
                break
            elif inside and line.strip():
                caps.append(re.sub(r"\(string\)", "", line.strip()))
        found.append((head.group(2), head.group(1).lower(), head.group(3).lower(), caps_text(caps)))
    return found


def properties(text):
    """[(name, blurb, details, [enum value])]"""
    found = []
    for line in section(text, "Element Properties").split("\n"):
        head = re.match(r"  (\S[\w-]*) *: (.*)$", line)
        if head:
            found.append([head.group(1), head.group(2), [], []])
        elif found and re.match(r"\s+\(-?\d+\): ", line):
            found[-1][3].append(line.strip())
        elif found and re.match(r"\s+(flags:|Enum|Integer|Unsigned|Double|Float|Boolean|String|Boxed)",
                                line):
            found[-1][2].append(line.strip())
    return [p for p in found if p[0] not in INHERITED]


def source_of(element):
    """The SECTION comment of the element, as Markdown, and its file's text."""
    for path in sorted(glob.glob(os.path.join(SOURCES, "**", "*.c"), recursive=True)):
        match = re.search(r"/\*\*\n \* SECTION:element-%s\n(.*?)\*/" % element, read(path),
                          re.DOTALL)
        if match:
            lines = [re.sub(r"^ \* ?", "", line) for line in match.group(1).split("\n")]
            lines = [line for line in lines if not line.startswith("@")]
            prose = "\n".join(lines).strip()
            prose = re.sub(r"\|\[\n", "```sh\n", prose)
            prose = re.sub(r"^\]\| ?(.*)$", r"```\n\n\1", prose, flags=re.MULTILINE)
            prose = re.sub(r"#Gst\w+:([\w-]+)", r"`\1`", prose)
            prose = re.sub(r"#(Gst\w+)", r"`\1`", prose)
            return prose
    sys.exit("no SECTION:element-%s in gst/" % element)


def type_and_default(details):
    flags = next((d for d in details if d.startswith("flags:")), "")
    kind = next((d for d in details if not d.startswith("flags:")), "")
    when = "no"
    if "writable" in flags:
        when = "in NULL and READY" if "NULL or READY" in flags else "always"
        if "controllable" in flags:
            when += ", controllable"
    match = re.match(r"(?:Boxed pointer of type|Enum|Object of type) \"(\w+)\"(.*)$", kind)
    if match:
        type_name, rest = match.group(1), match.group(2)
    else:
        match = re.match(r"([\w ]+)\.(.*)$", kind)
        type_name, rest = (match.group(1), match.group(2)) if match else (kind, "")
    bounds = re.search(r"Range: +(\S+) - +(\S+)", rest)
    default = re.search(r"Default: +(.*)$", rest)
    value = default.group(1).strip() if default else ""
    enum = re.match(r"-?\d+, \"(.*)\"$", value)
    return (type_name.lower() if not type_name.startswith("Gst") else type_name,
            "%s to %s" % bounds.groups() if bounds else "",
            enum.group(1) if enum else value, when)


def tidy(number):
    """gst-inspect's 1e+06 and 0.020000 in plain notation."""
    try:
        return "%g" % float(number) if "." in number or "e" in number else number
    except ValueError:
        return number


def page(element):
    text = inspect(element)
    out = ["<!-- Generated by docs/report; edit the element's source instead. -->",
           "# " + element, "", source_of(element), "", "## Pads", ""]
    alike = {}
    for name, *rest in pads(text):
        alike.setdefault(tuple(rest), []).append("`%s`" % name)
    out += ["- %s (%s, %s): %s" % (", ".join(names), direction, presence, caps)
            for (direction, presence, caps), names in alike.items()]
    out += ["", "## Properties", "", "| property | type | range | default | writable | description |",
            "|---|---|---|---|---|---|"]
    enums = []
    defaults = {}
    for name, blurb, details, values in sorted(properties(text)):
        kind, bounds, default, when = type_and_default(details)
        defaults[name] = tidy(default)
        bounds = " to ".join(tidy(b) for b in bounds.split(" to ")) if bounds else ""
        out.append("| `%s` | %s | %s | %s | %s | %s |" % (
            name, "enum" if values else kind, bounds, "`%s`" % tidy(default) if default and kind != "GstStructure" else "",
            when, blurb))
        if values:
            enums.append((name, values))
    out.append("")
    for name, values in enums:
        out.append("- `%s`:" % name)
        out += ["  - `%s`: %s" % re.match(r"\(-?\d+\): (\S+) +- (.*)$", value).groups()
                for value in values]
    out += [""] if enums else []
    kind = re.findall(r"^ +\+----(\w+)$", text, re.MULTILINE)[-1]
    found = presets(kind, defaults)
    if found:
        out += ["## Presets", "", "| preset | description | values |", "|---|---|---|"]
        out += ["| `%s` | %s | %s |" % (name, comment, " ".join(values) and "`%s`" % " ".join(values))
                for name, comment, values in found]
    return "\n".join(out).rstrip() + "\n"


def prepare(plugin, check):
    """Sets the plugin path; exits if the GStreamer version differs from that of the pages."""
    os.environ["GST_PLUGIN_PATH"] = os.path.dirname(os.path.abspath(plugin))
    prepare.plugin = plugin
    version = re.search(r"GStreamer (\d+\.\d+)", inspect("--version")).group(1)
    if check and version != GSTREAMER:
        print("skipped: the pages are for GStreamer %s, not %s" % (GSTREAMER, version))
        sys.exit(77)


def generate():
    """{path: page, or None for a file of no element}"""
    pages = {os.path.join(OUTPUT, name): None for name in os.listdir(OUTPUT)
             if name.endswith(".md")}
    pages.update((os.path.join(OUTPUT, name + ".md"), page(name))
                 for name in elements_of(prepare.plugin))
    return pages
