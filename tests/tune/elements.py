# gst-stereomatching: tests of stereo-tune: elements and their properties
# SPDX-License-Identifier: LGPL-2.1-or-later
"""elements.py PROGRAM"""

import re

import suite
from page import ServerCase, VIEWS, Viewer


def others(description):
    """Valid values that differ from the current one of a property."""
    kind, value = description["kind"], description["value"]
    if kind == "bool":
        return [not value]
    if kind == "enum":
        return [c["nick"] for c in description["choices"] if c["nick"] != value]
    if kind in ("int", "uint", "double"):
        least, most = int(description["min"]), int(description["max"])
        if most > 2 ** 53:
            return [str(int(value) - 1)]
        near = int(value) + (1 if value < most else -1)
        return [max(least, min(near, most))]
    return ["x"]


class Elements(ServerCase):
    def test_hello(self):
        with Viewer(self.server).start() as page:
            self.assertEqual([v["id"] for v in page.hello["views"]], VIEWS)
            self.assertEqual(len(page.hello["matchers"]), 7)
            self.assertTrue(page.hello["truth"])
            self.assertEqual(page.hello["sides"], ["a"])
            self.assertIn("matcher", page.elements["a"])

    def test_ranges_of_matchers_differ(self):
        """A value that the next matcher does not have becomes its nearest one."""
        with Viewer(self.server).start() as page:
            for matcher in "stereoesaw", "stereovcbw":
                page.send("matcher", side="a", factory=matcher)
                page.wait("elements", lambda m: m["elements"][0]["factory"] == matcher)
                found = page.property(page.elements["a"]["matcher"], "cost-threshold")["value"]
                if matcher == "stereoesaw":
                    self.assertEqual(page.set("matcher", "cost-threshold", 0.1), 0.1)
            self.assertEqual(found, 1)
            page.send("reset", side="a", element="matcher")

    def test_every_property_of_every_matcher(self):
        seen = 0
        with Viewer(self.server).start() as page:
            page.set("matcher", "num-disparities", 16)
            for matcher in [m["factory"] for m in page.hello["matchers"]]:
                page.send("matcher", side="a", factory=matcher)
                page.wait("elements", lambda m: m["elements"][0]["factory"] == matcher)
                for description in page.elements["a"]["matcher"]["properties"]:
                    name = description["name"]
                    if name in ("num-disparities", "n-threads", "backend"):
                        continue
                    before = description["value"]
                    for value in others(description):
                        with self.subTest(matcher=matcher, property=name, value=value):
                            self.assertEqual(page.set("matcher", name, value), value)
                            seen += 1
                    self.assertEqual(page.set("matcher", name, before), before)
            page.send("matcher", side="a", factory="stereovcbw")
            page.wait("elements")
            page.send("reset", side="a", element="matcher")
        self.assertGreater(seen, 150)

    def test_what_can_not_be_set_while_it_runs(self):
        with Viewer(self.server).start() as page:
            threads = page.property(page.elements["a"]["matcher"], "n-threads")
            self.assertFalse(threads["live"])
            self.assertEqual(page.set("matcher", "n-threads", 1), 1)
            page.frames(3)
            for backend in ("auto", "cpu"):
                self.assertEqual(page.set("matcher", "backend", backend), backend)
                page.wait("stats", lambda m: re.fullmatch(r"CPU, 1 thread, \w+", m["a"]["device"]))
            page.send("reset", side="a", element="matcher", property="n-threads")
            page.wait("value", lambda m: m["property"] == "n-threads" and m["value"] == 0)
            page.frames(3)

    def test_every_property_of_the_others(self):
        with Viewer(self.server).start(VIEWS) as page:
            for element in ("color", "depth", "depth-color", "view", "scene"):
                for description in page.elements["a"][element]["properties"]:
                    name = description["name"]
                    before = description["value"]
                    value = others(description)[0]
                    with self.subTest(element=element, property=name):
                        self.assertEqual(page.set(element, name, value), value)
                    self.assertEqual(page.set(element, name, before), before)
            page.frames(2)

    def test_numbers_are_clamped(self):
        with Viewer(self.server).start() as page:
            description = page.property(page.elements["a"]["matcher"], "num-disparities")
            self.assertEqual(page.set("matcher", "num-disparities", -5), description["min"])
            self.assertEqual(page.set("matcher", "num-disparities", 32.4), 32)
            self.assertEqual(page.set("matcher", "num-disparities", 64), 64)
            self.assertEqual(page.set("matcher", "sync-tolerance", "18446744073709551615"),
                             "18446744073709551615")

    def test_others_hear_of_it(self):
        with Viewer(self.server).start() as page, Viewer(self.server).start() as other:
            page.set("matcher", "speckle-size", 17)
            other.wait("value", lambda m: m["property"] == "speckle-size" and m["value"] == 17)
            page.send("reset", side="a", element="matcher")
            other.wait("value", lambda m: m["property"] == "speckle-size" and m["value"] != 17)

    def test_wrong_values(self):
        with Viewer(self.server).start() as page:
            def wrong(value, name="speckle-size", element="matcher", side="a"):
                return page.error_of("set", side=side, element=element, property=name,
                                      value=value)
            self.assertIn("a number", wrong("many"))
            self.assertIn("true or false", wrong(1, "fill"))
            self.assertIn("census", wrong("sum", "cost"))
            self.assertIn("cost: expected one of", wrong(1, "cost"))
            self.assertIn("value", wrong(None))
            self.assertIn("value", wrong({"a": 1}))
            self.assertIn("no property", wrong(1, "name"))
            self.assertIn("no property", wrong(1, "stats"))
            self.assertIn("no element", wrong(1, element="sink"))
            self.assertIn("no element", wrong(1, side="b"))
            self.assertIn('"a" or "b"', wrong(1, side="c"))
            page.frames(2)

    def test_wrong_messages(self):
        with Viewer(self.server).start() as page:
            def wrong(text):
                page.socket.send(text)
                return page.wait("message", lambda m: m["level"] == "error")["text"]
            self.assertIn("JSON", wrong("hello"))
            self.assertIn("JSON", wrong(""))
            self.assertIn("JSON", wrong("[1]"))
            for hidden in ("1 {}", "{} {}", "{}]", '{} "', "{/*}*/} {}", "{'}'} {}"):
                self.assertIn("JSON", wrong(hidden), hidden)
            self.assertIn("brackets", wrong("[" * 5000))
            self.assertIn("one of set", wrong('{"type": "quit"}'))
            self.assertIn("one of set", wrong('{}'))
            self.assertIn("width", wrong('{"type": "want", "views": []}'))
            self.assertIn("views", wrong('{"type": "want", "views": ["all"], "width": 1}'))
            self.assertIn("x", wrong('{"type": "probe", "side": "a", "x": -1, "y": 2}'))
            self.assertIn("is not a matcher", page.error_of("matcher", side="a", factory="fakesink"))
            self.assertIn("no side b", page.error_of("probe", side="b", x=1, y=1))
            self.assertIn("no preset", page.error_of("preset", side="a", element="matcher",
                                                      name="../x"))
            page.frames(2)

    def test_presets(self):
        with Viewer(self.server).start() as page:
            self.assertIn("paper", page.elements["a"]["matcher"]["presets"])
            page.send("preset", side="a", element="matcher", name="paper")
            page.wait("elements")
            self.assertEqual(page.property(page.elements["a"]["matcher"], "cost")["value"], "rgb")
            page.frames(2)
            page.send("reset", side="a", element="matcher")
            page.wait("value", lambda m: m["property"] == "cost" and m["value"] == "learned")

    def test_scene(self):
        with Viewer(self.server).start() as page:
            # a source that becomes live would wait forever
            self.assertIn("no property", page.error_of("set", side="a", element="scene",
                                                        property="is-live", value=True))
            page.set("scene", "pattern", "planes")
            # some frames later, because frames are in flight
            page.wait("stats", lambda m: m["a"].get("truth", {}).get("bad2", 100) < 30)
            page.set("scene", "pattern", "corridor")


if __name__ == "__main__":
    suite.main()
