# gst-stereomatching: a headless Chromium for tests and pictures of a page
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Drives Chromium through its DevTools protocol.

Needs Debian's packages chromium and python3-websocket; `missing()` says what is
not there. What goes wrong in the page and what it writes to the console is kept.
Other hosts than this one have no address there.
"""

import base64
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time

try:
    import websocket
except ImportError:
    websocket = None

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
START = 30
# Time limit for a page on a loaded machine, in seconds.
PATIENCE = 60
KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Escape": 27,
        "Tab": 9, "Home": 36, "End": 35, "PageUp": 33, "PageDown": 34, " ": 32}


def program():
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


def missing():
    """The reason why no browser can run, or None."""
    if websocket is None:
        return "there is no python3-websocket"
    return "" if program() else "there is no chromium"


def connect(address):
    return websocket.create_connection(address, timeout=PATIENCE, suppress_origin=True,
                                       skip_utf8_validation=True)


class Failed(Exception):
    """The page did not do what was expected in time."""


class Tab:
    """One page. All methods wait until they are done."""

    def __init__(self, address):
        self._socket = connect(address)
        self._count = 0
        self.errors = []
        self.logged = []
        for domain in ("Page", "Runtime", "Log", "DOM", "Accessibility"):
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        """Calls a method of the protocol and returns its result."""
        self._count += 1
        number = self._count
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == number:
                if "error" in message:
                    raise Failed("%s: %s" % (method, message["error"].get("message")))
                return message["result"]
            self._hear(message)

    def _hear(self, message):
        method, found = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = found["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and found["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in found["args"]))
        elif method == "Log.entryAdded" and found["entry"]["level"] in ("error", "warning"):
            self.logged.append(found["entry"]["text"] + " " + found["entry"].get("url", ""))

    def value(self, expression):
        """The value of a JavaScript expression; promises are awaited."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Failed("%s\n%s" % (expression, details.get("exception", {}).get("description")))
        return result["result"].get("value")

    def until(self, expression, seconds=PATIENCE):
        """Waits until an expression is true."""
        end = time.monotonic() + seconds
        while True:
            with contextlib.suppress(Failed):
                if self.value("Boolean(%s)" % expression):
                    return
            if time.monotonic() > end:
                raise Failed("not within %g s: %s" % (seconds, expression))
            time.sleep(0.03)

    def fetched(self):
        """The addresses of all resources of the page."""
        return self.value("performance.getEntriesByType('resource').map(({name}) => name)")

    def go(self, address):
        self.call("Page.navigate", url=address)

    def size(self, width, height, scale=1, touch=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=touch)

    def prefer(self, **features):
        """Emulates media features, such as prefers_color_scheme="dark"."""
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def place(self, selector, x=0.5, y=0.5):
        """A point of an element, which is scrolled into view and no longer moves."""
        return self.value("""(async () => {
            const found = document.querySelector(%s);
            for (let still = 0, last = ''; still < 3;) {
                found.scrollIntoView({block: 'nearest', inline: 'nearest', behavior: 'instant'});
                const box = found.getBoundingClientRect();
                const now = [box.left, box.top, box.width, box.height].join();
                still = now === last ? still + 1 : 0;
                last = now;
                await new Promise(requestAnimationFrame);
            }
            const box = found.getBoundingClientRect();
            return [box.left + box.width * %g, box.top + box.height * %g];
        })()""" % (json.dumps(selector), x, y))

    def mouse(self, kind, at, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", clickCount=1, **more)

    def click(self, selector, x=0.5, y=0.5):
        """Clicks with the mouse; an element on top receives the click."""
        at = self.place(selector, x, y)
        self.mouse("mousePressed", at, buttons=1)
        self.mouse("mouseReleased", at)

    def drag(self, selector, by):
        """Drags an element horizontally."""
        x, y = self.place(selector)
        self.mouse("mousePressed", (x, y), buttons=1)
        for part in (0.5, 1):
            self.mouse("mouseMoved", (x + by * part, y), buttons=1)
        self.mouse("mouseReleased", (x + by, y))

    def focus(self, selector):
        self.value("document.querySelector(%s).focus()" % json.dumps(selector))

    def key(self, name, shift=False):
        """Presses a key in the focused element."""
        known = {"key": name, "code": name if name in KEYS else "", "modifiers": 8 if shift else 0,
                 "windowsVirtualKeyCode": KEYS.get(name, ord(name[0].upper()))}
        if name not in KEYS or name in (" ", "Enter"):
            known["text"] = "\r" if name == "Enter" else name
        self.call("Input.dispatchKeyEvent", type="keyDown", **known)
        self.call("Input.dispatchKeyEvent", type="keyUp", **known)

    def write(self, selector, text):
        """Replaces the text of a field and presses Enter."""
        self.focus(selector)
        self.value("document.querySelector(%s).select()" % json.dumps(selector))
        self.call("Input.insertText", text=text)
        self.key("Enter")

    def files(self, selector, *paths):
        """Selects files in a file input."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=list(paths))

    def named(self):
        """The accessibility tree as (role, name), without ignored nodes."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", ""))
                for node in nodes if not node.get("ignored")]

    def picture(self, path, **format_):
        """Writes a screenshot: PNG, or another format (format="webp", quality=80)."""
        data = self.call("Page.captureScreenshot", **format_)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        self._socket.close()


class Browser:
    """A Chromium with a temporary profile, closed at the end of the `with` block."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="stereo-chromium-")
        arguments = [program(), "--headless=new", "--remote-debugging-port=0", "--user-data-dir=" + self.folder,
                     "--no-first-run", "--no-default-browser-check", "--disable-gpu", "--disable-extensions",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     "--disable-dev-shm-usage", "--mute-audio", "--hide-scrollbars", "--lang=en",
                     "--password-store=basic", "--force-color-profile=srgb",
                     "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        # It must not load sanitizers or use the folders of the tests.
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("LD_", "GST_", "ASAN_", "TSAN_"))}
        clean.update(HOME=self.folder, LANG="C.UTF-8")
        self._process = subprocess.Popen(arguments + ["about:blank"], stdin=subprocess.DEVNULL, env=clean,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self._address = "127.0.0.1:%d" % self._port()
        except BaseException:
            self.close()
            raise

    def _port(self):
        path = os.path.join(self.folder, "DevToolsActivePort")
        end = time.monotonic() + START
        while time.monotonic() < end:
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(path, encoding="utf-8") as file:
                    port, self._path = file.read().split()
                return int(port)
            if self._process.poll() is not None:
                raise Failed("chromium ended with %d" % self._process.returncode)
            time.sleep(0.05)
        raise Failed("chromium did not start within %d s" % START)

    def tab(self):
        """A new page."""
        socket = connect("ws://%s%s" % (self._address, self._path))
        socket.send(json.dumps({"id": 1, "method": "Target.createTarget", "params": {"url": "about:blank"}}))
        while True:
            message = json.loads(socket.recv())
            if message.get("id") == 1:
                break
        socket.close()
        return Tab("ws://%s/devtools/page/%s" % (self._address, message["result"]["targetId"]))

    def close(self):
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
