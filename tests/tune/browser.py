# gst-stereomatching: tests of stereo-tune: its page, in a browser
# SPDX-License-Identifier: LGPL-2.1-or-later
"""browser.py PROGRAM

A headless Chromium opens the page, and is operated as people do. A second
viewer, which is not a browser, receives the results from the server.
"""

import contextlib
import json
import os
import random
import sys
import tempfile
import time
import unittest

import chromium
from page import Server, ServerCase, Viewer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import suite  # noqa: E402

if chromium.missing():
    print("skipped: " + chromium.missing())
    sys.exit(77)

# Roles of interactive elements.
OPERABLE = {"button", "checkbox", "combobox", "listbox", "radio", "searchbox", "slider", "spinbutton",
            "switch", "textbox", "application", "ColorWell", "radiogroup", "link", "DisclosureTriangle"}

# Changes a control as a user does, with its events, and returns the new value.
CHANGE = """(row => {
    const find = selector => row.querySelector(selector);
    const tell = (input, ...kinds) => kinds.forEach(
        kind => input.dispatchEvent(new Event(kind, {bubbles: true})));
    const other = find('[role=radiogroup] input:not(:checked)');
    const list = find('select'), box = find('input[type=number]'), colour = find('input[type=color]');
    const line = find('input[type=text]');

    if (find('[role=switch]')) {
        find('[role=switch]').click();
        return find('[role=switch]').checked;
    }
    if (other) {
        other.click();
        return other.value;
    }
    if (list) {
        list.selectedIndex = list.selectedIndex ? 0 : 1;
        tell(list, 'change');
        return list.value;
    }
    if (colour) {
        colour.value = colour.value === '#123456' ? '#654321' : '#123456';
        tell(colour, 'input');
        return Number(box.value) * 0x1000000 + parseInt(colour.value.slice(1), 16);
    }
    if (box) {
        const value = Number(box.value), step = box.step === '1' ? 1 : Math.min(1, (box.max - box.min) / 4);
        box.value = value + step > Number(box.max) ? value - step : value + step;
        tell(box, 'input', 'change');
        return Number(box.value);
    }
    line.value = line.value === '17' ? '18' : '17';
    tell(line, 'change');
    return line.value;
})"""

# Visible texts with too little contrast.
CONTRAST = """(() => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    const rgb = (colour, over) => {
        canvas.fillStyle = `rgb(${over})`;
        canvas.fillRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const light = colour => colour.map(part => part / 255)
        .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
    const ground = element => {
        const under = element.parentElement ? ground(element.parentElement) : [255, 255, 255];
        return rgb(getComputedStyle(element).backgroundColor, under);
    };
    const bad = [];

    for (const element of document.querySelectorAll('body *')) {
        const own = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
        if (!own || !element.checkVisibility() || element.closest(':disabled, .unseen, .stage, [inert], option'))
            continue;
        const below = ground(element), style = getComputedStyle(element);
        const pair = [light(below), light(rgb(style.color, below))].sort((a, b) => b - a);
        const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
        if (ratio < 4.5)
            bad.push(`${element.tagName}.${element.className} ${ratio.toFixed(2)}: ${element.textContent}`);
    }
    return bad;
})()"""

# Whether a canvas shows more than one colour.
PAINTED = """(id => {
    const canvas = document.getElementById(id);
    const copy = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    copy.canvas.width = canvas.width;
    copy.canvas.height = canvas.height;
    copy.drawImage(canvas, 0, 0);
    const {data} = copy.getImageData(0, 0, canvas.width, canvas.height);
    return canvas.width > 16 && data.some((part, i) => part !== data[i % 4] && data[3] === 255);
})"""


# The ids of scrollable elements.
SCROLLED = """[...document.querySelectorAll('body *')].filter(part => part.checkVisibility()
    && /auto|scroll/.test(getComputedStyle(part).overflow)
    && (part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight)).map(part => part.id)"""


def setUpModule():
    global browser
    browser = chromium.Browser()


def tearDownModule():
    browser.close()


class Case(ServerCase):
    """A server and a page for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.tab = browser.tab()
        cls.addClassCleanup(cls.tab.close)
        cls.tab.size(1280, 900)
        cls.open()

    @classmethod
    def open(cls):
        cls.tab.go(cls.server.address)
        cls.live()

    @classmethod
    def live(cls):
        cls.tab.until("document.getElementById('state').dataset.state === 'live' &&"
                      " document.querySelector('.property') && document.getElementById('nothing').hidden")

    def setUp(self):
        self.other = Viewer(self.server)
        self.addCleanup(self.other.close)
        self.other.wait("state")

    def tearDown(self):
        self.other.send("pause", on=False)
        self.other.send("compare", on=False)
        self.assertEqual((self.tab.errors, self.tab.logged), ([], []))
        own = "http://localhost:%d/" % self.server.port
        self.assertEqual([a for a in self.tab.fetched() if not a.startswith(own)], [])

    def row(self, name, element="matcher", side="a"):
        return ".property[data-side=%s][data-element=%s][data-name=%s]" % (side, element, name)

    def heard(self, name, value, element="matcher", side="a"):
        """Waits until the server reports this value of a property."""
        self.other.wait("value", lambda m: (m["side"], m["element"], m["property"]) ==
                        (side, element, name) and m["value"] == value)

    def next_value(self, name, before):
        """Waits until a property of the matcher changes; returns the new value."""
        return self.other.wait("value", lambda m: m["element"] == "matcher"
                               and m["property"] == name and m["value"] != before)["value"]

    def shows(self, name, expression, element="matcher", side="a"):
        """Waits until a condition on a control is true."""
        self.tab.until("(row => %s)(document.querySelector(%s))"
                       % (expression, json.dumps(self.row(name, element, side))))

    def reset(self, name, default):
        """Resets a property that differs from its default."""
        self.shows(name, "!row.querySelector('.reset').disabled")
        self.tab.click(self.row(name) + " .reset")
        self.heard(name, default)
        # the page may hear it after the other viewer
        self.shows(name, "!row.classList.contains('changed')")

    def exchange(self, factory):
        self.tab.value("(list => { list.value = '%s'; list.dispatchEvent(new Event('change')); })"
                       "(document.querySelector('.side.a .matcher select'))" % factory)
        self.other.wait("elements", lambda m: m["elements"][0]["factory"] == factory)
        self.tab.until("document.querySelector('.side.a .element h3').textContent === '%s'" % factory)


class Controls(Case):
    def change_all(self, element):
        """Changes every control of an element and resets it; returns their number."""
        properties = self.other.elements["a"][element]["properties"]
        for before in properties:
            name = before["name"]
            row = "document.querySelector(%s)" % json.dumps(self.row(name, element))
            with self.subTest(element=element, property=name):
                value = self.tab.value("%s(%s)" % (CHANGE, row))
                if isinstance(before["default"], str) and before["kind"] == "uint":
                    value = int(value)
                self.heard(name, value, element)
                if value == before["default"]:
                    continue
                self.tab.until("(row => row.classList.contains('changed') && !row.querySelector('.reset')"
                               ".disabled)(%s)" % row)
                self.tab.value("%s.querySelector('.reset').click()" % row)
                self.heard(name, before["default"], element)
                self.tab.until("!%s.classList.contains('changed')" % row)
        return len(properties)

    def test_every_control_of_every_matcher(self):
        factories = [m["factory"] for m in self.other.hello["matchers"]]
        self.assertEqual(len(factories), 7)
        changed = 0
        for factory in factories:
            with self.subTest(factory):
                self.exchange(factory)
                changed += self.change_all("matcher")
        self.assertGreater(changed, 130)
        self.exchange("stereovcbw")

    def test_every_control_of_the_others(self):
        for element in self.other.elements["a"]:
            if element != "matcher":
                self.change_all(element)

    def test_a_number_is_typed(self):
        box = self.row("num-disparities") + " input[type=number]"
        self.tab.write(box, "48")
        self.heard("num-disparities", 48)
        self.tab.write(box, "0")
        self.heard("num-disparities", 1)
        self.shows("num-disparities", "row.querySelector('input[type=number]').value === '1'")
        self.tab.write(box, "")
        self.shows("num-disparities", "row.querySelector('input[type=number]').value === '1'")
        self.reset("num-disparities", 64)

    def test_typing_is_not_replaced(self):
        """By a value that arrives meanwhile."""
        box = self.row("num-disparities") + " input[type=number]"
        self.tab.focus(box)
        self.tab.value("document.querySelector(%s).select()" % json.dumps(box))
        self.tab.call("Input.insertText", text="32")
        self.other.send("set", side="a", element="matcher", property="num-disparities", value=48)
        self.shows("num-disparities", "row.querySelector('input[type=range]')"
                                      ".getAttribute('aria-valuetext').startsWith('48')")
        self.tab.key("Enter")
        self.heard("num-disparities", 32)
        self.reset("num-disparities", 64)

    def test_a_slider_moves_with_keys_and_mouse(self):
        slide = self.row("num-disparities") + " input[type=range]"
        self.tab.focus(slide)
        self.tab.key("ArrowRight")
        more = self.next_value("num-disparities", 64)
        self.assertTrue(64 < more < 70, more)
        self.tab.key("ArrowLeft")
        self.assertLess(self.next_value("num-disparities", more), more)
        self.tab.click(slide, 0, 0.5)
        self.heard("num-disparities", 1)
        self.reset("num-disparities", 64)

    def test_what_others_change_is_shown(self):
        self.other.send("set", side="a", element="matcher", property="speckle-size", value=31)
        self.shows("speckle-size", "row.querySelector('input[type=number]').value === '31'")
        self.other.send("reset", side="a", element="matcher", property="speckle-size")
        self.shows("speckle-size", "!row.classList.contains('changed')")

    def test_presets(self):
        self.exchange("stereosgm")
        for name in self.other.elements["a"]["matcher"]["presets"]:
            self.tab.click(".side.a [data-preset=%s]" % name)
            self.other.wait("elements")
            for found in self.other.elements["a"]["matcher"]["properties"]:
                same = found["value"] == found["default"]
                self.shows(found["name"], "row.classList.contains('changed') === %s" % json.dumps(not same))
        self.tab.click("#reset")
        self.tab.until("!document.querySelector('.side.a .property.changed')")
        self.exchange("stereovcbw")

    def test_finding(self):
        shown = "[...document.querySelectorAll('.side.a [data-element=matcher] > .property')].filter(row => row.checkVisibility())" \
            ".map(row => row.dataset.name)"
        self.tab.focus("#find")
        self.tab.call("Input.insertText", text="speckle")
        self.tab.until("%s.join() === 'speckle-size'" % shown)
        self.tab.value("(box => { box.value = ''; box.dispatchEvent(new Event('input')); })"
                       "(document.getElementById('find'))")
        self.tab.click("#changed")
        self.tab.until("%s.length === 0" % shown)
        self.tab.click("#changed")

    def test_save_and_load(self):
        with tempfile.TemporaryDirectory() as folder:
            self.tab.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
            self.tab.write(self.row("speckle-size") + " input[type=number]", "77")
            self.heard("speckle-size", 77)
            self.tab.click("#save")
            path = os.path.join(folder, "stereo-tune.json")
            end = time.monotonic() + chromium.PATIENCE
            while not os.path.exists(path) and time.monotonic() < end:
                time.sleep(0.05)
            with open(path, encoding="utf-8") as file:
                self.assertIn("77", json.dumps(json.load(file)))
            self.tab.click("#reset")
            self.shows("speckle-size", "!row.classList.contains('changed')")
            self.tab.files("#file", path)
            self.shows("speckle-size", "row.querySelector('input[type=number]').value === '77'")
            bad = os.path.join(folder, "bad.json")
            with open(bad, "w", encoding="utf-8") as file:
                file.write("nothing of the kind")
            for _ in range(3):
                self.tab.files("#file", bad)
            other = os.path.join(folder, "other.json")
            with open(other, "w", encoding="utf-8") as file:
                file.write("{}")
            self.tab.files("#file", other)
            # one per text
            self.tab.until("document.getElementById('messages').textContent.includes('Expected settings')")
            self.assertEqual(self.tab.value("document.querySelectorAll('#messages .error').length"), 2)
            for _ in range(2):
                self.tab.click("#messages .error button")
        self.tab.click("#reset")
        self.shows("speckle-size", "!row.classList.contains('changed')")

    def test_downloads(self):
        with tempfile.TemporaryDirectory() as folder:
            self.tab.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
            self.tab.click("#download summary")
            self.tab.until("!document.querySelector('#download .metric').hidden")
            self.tab.click("#views [data-view=left]")
            self.tab.until(PAINTED + "('picture-a')")
            for index, name in enumerate(("a-left.png", "a-disparity.pfm", "a-depth16.png", "a-points.ply")):
                self.tab.click("#download a:nth-child(%d)" % (index + 1))
                path = os.path.join(folder, name)
                end = time.monotonic() + chromium.PATIENCE
                while not os.path.exists(path) and time.monotonic() < end:
                    time.sleep(0.05)
                self.assertGreater(os.path.getsize(path), 10000)
            self.tab.click("#compare")
            self.tab.until("document.body.classList.contains('comparing')")
            self.tab.click(".which .b")
            # nothing can be downloaded earlier
            self.other.start(["disparity"]).frames(1, side="b")
            self.tab.click("#download a:nth-child(2)")
            path = os.path.join(folder, "b-disparity.pfm")
            end = time.monotonic() + chromium.PATIENCE
            while not os.path.exists(path):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.05)
        self.tab.click("#views [data-view=disparity]")
        self.tab.click("#download summary")

    def test_images(self):
        with tempfile.TemporaryDirectory() as folder, Server(*self.arguments) as server:
            paths = [os.path.join(folder, name) for name in ("view10.ppm", "view2.ppm", "bad.png")]
            chance = random.Random(1)
            rows = [bytes(chance.randrange(256) for _ in range(3 * 100)) for _ in range(48)]
            for path, first in zip(paths, (4, 0)):
                with open(path, "wb") as file:
                    file.write(b"P6 96 48 255\n" + b"".join(row[3 * first:3 * first + 288] for row in rows))
            with open(paths[2], "wb") as file:
                file.write(b"no image")
            self.tab.go(server.address)
            self.live()
            self.tab.files("#images", *paths[:2])
            self.tab.until("document.getElementById('source').textContent === 'left.png, right.png'")
            self.tab.until("!document.querySelector('#views [data-view=depth]')")
            self.tab.until("document.querySelector('#download .metric').hidden")
            with Viewer(server).start() as page:
                page.frames(2)
                page.send("probe", side="a", x=60, y=24)
                # view2 comes before view10
                self.assertAlmostEqual(page.wait("probe")["disparity"], 4, 1)
            messages = "document.getElementById('messages').textContent"
            self.tab.files("#images", paths[0])
            self.tab.until(messages + ".includes('Choose two images')")
            self.tab.files("#images", *paths[1:])
            self.tab.until(messages + ".includes('left: is none of PNG')")
            self.tab.until("document.getElementById('state').dataset.state === 'live'")
            self.tab.go(self.server.address)
            self.live()
        self.assertEqual([text for text in self.tab.logged if "400 (" not in text], [])
        self.tab.logged.clear()

    def test_the_line(self):
        self.tab.until("document.getElementById('line').textContent.includes('stereovcbw')")
        self.tab.write(self.row("num-disparities") + " input[type=number]", "40")
        self.tab.until("document.getElementById('line').textContent.includes('num-disparities=40')")
        # The suggestion of more disparities moves the buttons below it.
        self.tab.until("!document.querySelector('.verdict.a .apply').hidden")
        self.tab.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.tab.click("#copy")
        self.tab.until("document.getElementById('copy').textContent === 'Copied'")
        self.tab.click("#reset")
        self.heard("num-disparities", 64)


# Delays the decoding of each picture.
SLOW = """(() => {
  const decode = window.createImageBitmap;
  window.createImageBitmap = async (blob) => {
    const picture = await decode(blob);
    await new Promise((done) => setTimeout(done, 200));
    return picture;
  };
  window.quick = () => { window.createImageBitmap = decode; };
})()"""


class Pictures(Case):
    def test_of_views_that_are_gone(self):
        """Depth is unknown while the matcher is replaced."""
        self.tab.value(SLOW)
        self.addCleanup(self.tab.value, "window.quick()")
        for factory in ("stereosgm", "stereovcbw", "stereosgm", "stereovcbw"):
            self.exchange(factory)
            time.sleep(0.3)

    def test_any_can_be_large(self):
        for index, view in enumerate(self.other.hello["views"]):
            self.tab.click("#views [data-view=%s]" % view["id"])
            pressed = "[...document.querySelectorAll('#views [aria-pressed=true]')].map(b => b.dataset.view).join()"
            self.assertEqual(self.tab.value(pressed), view["id"])
            self.tab.until(PAINTED + "('picture-a')")
            self.tab.until("document.getElementById('look').getAttribute('aria-label') === %s"
                           % json.dumps(view["title"]))
            self.tab.focus("#look")
            self.tab.key(str((index + 1) % len(self.other.hello["views"]) + 1))
            self.assertNotEqual(self.tab.value(pressed), view["id"])
        self.tab.click("#views [data-view=disparity]")

    def test_larger(self):
        before = self.tab.value("document.getElementById('frame').offsetWidth")
        self.tab.focus("#look")
        self.tab.key("+")
        self.tab.until("document.getElementById('frame').offsetWidth > 1.4 * %d" % before)
        self.tab.key("0")
        self.tab.until("document.getElementById('frame').offsetWidth === %d" % before)
        self.tab.click("#wide")
        self.tab.until("document.getElementById('frame').offsetWidth > %d && "
                       "!document.getElementById('settings').checkVisibility()" % before)
        self.tab.click("#wide")
        self.tab.until("document.getElementById('settings').checkVisibility()")

    def test_the_cursor(self):
        readout = "document.getElementById('readout').textContent"
        self.tab.click("#look", 0.5, 0.8)
        self.tab.until("/\\d+, \\d+.*\\d px/.test(%s)" % readout)
        at = self.tab.value("document.querySelector('#readout th').textContent")
        x, y = map(int, at.split(","))
        self.tab.key("ArrowRight")
        self.tab.key("ArrowDown", shift=True)
        self.tab.until("document.querySelector('#readout th').textContent === '%d, %d'" % (x + 1, y + 10))
        self.tab.until("/px.*confidence/.test(%s)" % readout)
        self.tab.until("document.getElementById('spoken').textContent.includes('x %d')" % (x + 1))
        self.tab.key("Escape")
        self.tab.until("document.getElementById('cross').hidden")

    def test_pause_and_step(self):
        self.tab.click("#pause")
        self.other.wait("state", lambda m: m["paused"])
        self.tab.until("document.getElementById('state').dataset.state === 'paused'")
        self.other.send("want", views=["left"], width=64)
        self.other.wait("picture")
        frame = max(p["frame"] for p in self.other.pictures[("left", "a")])
        self.tab.focus("#look")
        self.tab.key(".")
        self.other.wait("picture", lambda m: m["frame"] > frame)
        self.other.send("want", views=[], width=64)
        self.tab.key(" ")
        self.other.wait("state", lambda m: not m["paused"])
        self.live()

    def test_a_and_b(self):
        self.tab.click("#compare")
        self.other.wait("elements", lambda m: m["side"] == "b")
        self.tab.until(PAINTED + "('picture-b')")
        self.tab.focus("#split")
        self.tab.key("PageUp")
        self.tab.key("ArrowLeft")
        split = "Number(document.getElementById('split').getAttribute('aria-valuenow'))"
        self.assertEqual(self.tab.value(split), 59)
        self.tab.drag("#split", -100)
        self.assertLess(self.tab.value(split), 55)
        self.tab.click(".which .b")
        self.tab.write(self.row("speckle-size", side="b") + " input[type=number]", "12")
        self.heard("speckle-size", 12, side="b")
        self.shows("speckle-size", "!row.classList.contains('changed')")
        self.shows("speckle-size", "row.classList.contains('changed')", side="b")
        self.tab.click("#look", 0.2, 0.8)
        self.tab.until("document.querySelectorAll('#readout tr').length === 2 &&"
                       " document.querySelectorAll('#readout .b td').length > 1")
        self.tab.until("document.querySelectorAll('.tile dd.b').length > 3")
        for width in (360, 1280):
            self.tab.size(width, 900)
            self.tab.until("document.documentElement.scrollWidth <= %d" % width)
        self.tab.click("#compare")
        self.other.wait("state", lambda m: not m["compare"])
        self.tab.until("document.getElementById('split').hidden")

    def test_figures(self):
        self.tab.until("document.getElementById('tiles').textContent.includes('frames/s')")
        self.tab.until("document.querySelectorAll('#tiles dd').length > 5 && "
                       "![...document.querySelectorAll('#tiles dd')].some(dd => dd.textContent === '–')")
        self.tab.until("document.querySelector('#stages li')")


class Alignment(Case):
    def setUp(self):
        super().setUp()
        self.other.set("matcher", "alignment-interval", 1)

    def tearDown(self):
        self.tab.value("document.querySelector('#overlay [value=none]').click()")
        super().tearDown()
        self.other.send("reset", side="a", element="matcher")
        self.other.set("scene", "roll", 0)

    def verdict(self, status):
        self.tab.until("document.querySelector('.verdict.a').dataset.status === '%s'" % status)

    def disturb(self):
        self.other.set("scene", "roll", 1)
        self.verdict("off")

    def test_the_verdict(self):
        self.verdict("ok")
        text = "document.querySelector('.verdict.a').textContent"
        self.tab.until(text + ".includes('Rows match within')")
        self.tab.until(r"/known to±\d.*contrast\d.*×.*brightness.*levels.*sharpness\d.*fit.*Disparities/.test(%s)" % text)
        self.disturb()
        self.tab.until(text + ".includes('degrees clockwise')")
        self.tab.until("document.getElementById('verdict-spoken').textContent.includes('Rows are off')")
        self.tab.write(self.row("num-disparities") + " input[type=number]", "20")
        self.heard("num-disparities", 20)
        self.tab.until("!document.querySelector('.verdict.a .apply').hidden")
        self.tab.focus(".verdict.a .apply")
        self.tab.key(" ")
        # the number on the button may change with each pair
        self.assertGreater(self.next_value("num-disparities", 20), 20)
        self.tab.until("document.querySelector('.verdict.a .apply').hidden")
        self.other.set("matcher", "alignment", "off")
        self.verdict("none")

    def test_disparities_below_those_searched(self):
        """Cameras converge: distant points have negative disparities."""
        crop = " ".join("stereotestsrc pattern=corridor num-disparities=24 view=%s ! video/x-raw,format=RGB,width=320,"
                        "height=240 ! videocrop %s=12 ! identity name=%s" % view
                        for view in (("left", "left", "left"), ("right", "right", "right")))
        with Server("--matcher", "stereovcbw", "--pipeline", crop) as server, Viewer(server) as page:
            page.set("matcher", "alignment-interval", 1)
            self.tab.go(server.address)
            self.tab.until("!document.querySelector('.verdict.a .apply').hidden")
            self.tab.until("document.querySelector('.verdict.a .apply').textContent ==="
                           " 'Set min-disparity to -16, num-disparities to 32'")
            self.tab.click(".verdict.a .apply")
            for name, value in (("min-disparity", -16), ("num-disparities", 32)):
                page.wait("value", lambda m: (m["property"], m["value"]) == (name, value))
            self.tab.until("document.querySelector('.verdict.a .apply').hidden")
            self.tab.go(self.server.address)
            self.live()

    def test_the_switch(self):
        self.disturb()
        self.tab.focus("#correct-a")
        self.tab.key(" ")
        self.heard("alignment", "correct")
        self.verdict("ok")
        self.tab.until("document.querySelector('.verdict.a').textContent.includes('launch line adds one')")
        self.tab.until("document.getElementById('line').textContent.includes('stereorectify ! m.sink_left')")
        self.tab.until("!document.querySelector('#download .correction').hidden")
        self.assertEqual(self.tab.value("document.activeElement.id"), "correct-a")
        self.tab.key(" ")
        self.heard("alignment", "measure")
        self.verdict("off")

    def test_matches(self):
        self.disturb()
        self.tab.click("#views [data-view=disparity]")
        self.tab.click("#overlay [value=matches]")
        self.tab.until("document.querySelector('#views [data-view=left]').getAttribute('aria-pressed') === 'true'")
        drawn = "(i => (document.querySelector(`#overlay-a .match-${i}`)?.getAttribute('d') ?? '').split('M').length - 1)"
        said = "(i => Number(document.querySelector(`.legend .match-${i}`).textContent.split(': ')[1]))"
        self.tab.until("%s(3) > 20" % drawn)
        self.assertTrue(self.tab.value("[0, 1, 2, 3, 4].every(i => %s(i) === %s(i))" % (drawn, said)))
        self.tab.click("#correct-a")
        self.tab.until("%s(0) > 20 && %s(3) < 10" % (drawn, drawn))
        self.tab.click("#views [data-view=confidence]")
        self.tab.until("document.getElementById('overlay-a').hasAttribute('hidden') &&"
                       " document.getElementById('overlay-text').hidden")
        self.tab.click("#views [data-view=left]")
        self.tab.until("!document.getElementById('overlay-a').hasAttribute('hidden')")
        self.tab.click("#compare")
        self.tab.until("document.querySelectorAll('.legend').length === 2 &&"
                       " document.querySelectorAll('#overlay-b .match').length === 5")

    def test_rows(self):
        seen = "document.getElementById('seen-view').textContent"
        self.tab.focus("#look")
        self.tab.key("o")
        self.tab.key("o")
        self.tab.until("document.querySelector('#overlay [value=rows]').checked")
        self.tab.until("document.querySelector('#overlay-a .row')")
        for view in ("Right view", "Left view", "Right view"):
            self.tab.until("%s === '%s' && %s('picture-a')" % (seen, view, PAINTED))
        self.tab.key("b")
        self.tab.until("document.getElementById('blink').getAttribute('aria-pressed') === 'false'")
        self.tab.until(seen + " === 'Left view'")
        self.tab.key("2")
        self.tab.until(seen + " === 'Right view'")
        self.tab.key("1")
        self.tab.until(seen + " === 'Left view'")
        self.tab.key("o")
        self.tab.until("document.querySelector('#overlay [value=none]').checked &&"
                       " document.getElementById('blink').hidden")

    def test_rows_do_not_blink_by_themselves_with_reduced_motion(self):
        self.tab.prefer(prefers_reduced_motion="reduce")
        self.open()
        self.tab.click("#overlay [value=rows]")
        self.tab.until("document.querySelector('#overlay-a .row')")
        self.assertEqual(self.tab.value("document.getElementById('blink').getAttribute('aria-pressed')"), "false")
        self.tab.prefer()
        self.open()


class ForEverybody(Case):
    def open_all(self):
        self.tab.value("document.querySelectorAll('details').forEach(part => { part.open = true; })")

    def test_everything_has_a_name(self):
        self.open_all()
        named = [(role, name) for role, name in self.tab.named() if role in OPERABLE]
        self.assertGreater(len(named), 100)
        self.assertEqual([role for role, name in named if not name.strip()], [])

    def test_contrast(self):
        self.open_all()
        for scheme in ("light", "dark"):
            self.tab.prefer(prefers_color_scheme=scheme)
            self.assertEqual(self.tab.value(CONTRAST), [], scheme)
        self.tab.prefer()

    def test_widths(self):
        self.open_all()
        for width in (360, 768, 1280, 2560):
            self.tab.size(width, 900)
            self.tab.until("document.documentElement.scrollWidth <= %d" % width)
        self.tab.size(1280, 900)

    def test_no_scrollbars_inside_of_a_phone(self):
        self.tab.click("#look", 0.7, 0.7)
        self.tab.until("document.querySelectorAll('#readout td').length > 1")
        for width, height in ((320, 568), (360, 640), (390, 844), (412, 915), (600, 900)):
            self.tab.size(width, height)
            with contextlib.suppress(chromium.Failed):
                self.tab.until(SCROLLED + ".length === 0", 5)
            self.assertEqual(self.tab.value(SCROLLED), [], width)
        self.tab.focus("#look")
        self.tab.key("+")
        self.tab.until(SCROLLED + ".join() === 'stage'")
        self.tab.key("0")
        self.tab.key("Escape")
        self.tab.size(1280, 900)

    def test_the_keyboard_reaches_everything(self):
        reached = self.tab.value("""[...document.querySelectorAll('button, input, select, summary, [role]')]
            .filter(part => part.checkVisibility() && !part.disabled && part.tabIndex < 0
                && part.matches('button, input, select, summary, [role=slider], [role=application]')).length""")
        self.assertEqual(reached, 0)


class Restarts(Case):
    def test_it_connects_again(self):
        self.other.close()
        port = self.server.port
        self.server.stop()
        self.tab.until("!document.getElementById('lost').hidden && document.getElementById('pause').disabled")
        type(self).server = Server(*self.arguments, "--port", port)
        self.tab.click("#retry")
        self.live()
        self.tab.until("document.getElementById('lost').hidden && !document.getElementById('pause').disabled")
        self.other = Viewer(self.server)
        self.addCleanup(self.other.close)
        self.other.wait("state")
        self.tab.write(self.row("speckle-size") + " input[type=number]", "12")
        self.heard("speckle-size", 12)
        # The page does not report an error for a server that was unreachable.
        self.assertEqual([text for text in self.tab.logged if "net::ERR_CONNECTION_" not in text], [])
        self.tab.logged.clear()


if __name__ == "__main__":
    suite.main()
