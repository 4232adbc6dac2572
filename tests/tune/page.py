# gst-stereomatching: a viewer of stereo-tune, without a browser
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts stereo-tune and communicates with it as its page does."""

import http.client
import json
import os
import re
import resource
import struct
import subprocess
import sys
import time
import unittest

try:
    import websocket
except ImportError:
    print("skipped: there is no python3-websocket")
    sys.exit(77)

PROGRAM = sys.argv[1]
# Time limit in seconds, for a sanitized build on a loaded machine.
PATIENCE = 60
VIEWS = ["left", "right", "disparity", "confidence", "depth", "view", "wrong"]


class Server:
    """stereo-tune as a child process, listening on address and port."""

    def __init__(self, *arguments, cwd=None, descriptors=None):
        words = [PROGRAM, *map(str, arguments)]
        if "--port" not in words:
            words += ["--port", "0"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, cwd=cwd, preexec_fn=descriptors and (
                                            lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors,) * 2)))
        self.address = self.process.stdout.readline().replace("open ", "").strip()
        if not self.address:
            raise RuntimeError(self.process.communicate()[1])
        self.port = int(re.search(r":(\d+)/", self.address).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Terminates it; any warning fails the test."""
        if self.process.poll() is None:
            self.process.terminate()
        errors = self.process.communicate(timeout=PATIENCE)[1]
        if self.process.returncode != 0 or "ERROR:" in errors or "CRITICAL" in errors:
            raise AssertionError("exit status %s:\n%s" % (self.process.returncode, errors))
        return errors

    def leave(self, n):
        """Limits it to n more file descriptors."""
        used = {int(name) for name in os.listdir("/proc/%d/fd" % self.process.pid)}
        limit = [number for number in range(max(used) + n + 2) if number not in used][n]
        hard = resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE)[1]
        resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, (limit, hard))

    def memory(self):
        """Resident memory in KiB."""
        with open("/proc/%d/status" % self.process.pid, encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))

    def upload(self, *images, **headers):
        """Uploads images; returns status and body. Headers that are None are omitted."""
        body = b"".join(b"--bound\r\nContent-Disposition: form-data; name=\"view\"; filename=\"x\"\r\n\r\n"
                        + image + b"\r\n" for image in images) + b"--bound--\r\n"
        host = "localhost:%d" % self.port
        headers = {"Origin": "http://" + host, "Content-Length": str(len(body)),
                   "Content-Type": "multipart/form-data; boundary=bound", **headers}
        status, _, answer = self.request(
            "/scene", "POST", body, **{k.replace("-", "_"): v for k, v in headers.items() if v})
        return status, answer.decode()

    def request(self, path="/", method="GET", content=None, **headers):
        """Status, headers and body of a response."""
        connection = http.client.HTTPConnection("localhost", self.port, timeout=PATIENCE)
        host = headers.pop("Host", "localhost:%d" % self.port)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders(content)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body


class ServerCase(unittest.TestCase):
    """Tests that share a server."""

    arguments = ("--demo", "--matcher", "stereovcbw")

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.arguments)
        cls.addClassCleanup(lambda: cls.server.stop())


class Viewer:
    """One page. It confirms pictures when they arrive, unless it is lazy."""

    def __init__(self, server, lazy=False, path="/live", **options):
        options.setdefault("subprotocols", ["stereo-tune-1"])
        self.socket = websocket.create_connection(
            "ws://localhost:%d%s" % (server.port, path), timeout=PATIENCE, **options)
        self.lazy = lazy
        self.hello = None
        self.elements = {}
        self.pictures = {}

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, kind, **members):
        self.socket.send(json.dumps({"type": kind, **members}))

    def _picture(self, data):
        version, view, side, webp, frame, width, height = struct.unpack_from("<BBBBIHH", data)
        assert version == 1
        name = self.hello["views"][view]["id"]
        self.pictures.setdefault((name, "ab"[side]), []).append(
            {"frame": frame, "width": width, "height": height, "webp": webp, "data": data[12:]})
        if not self.lazy:
            self.send("ack", frame=frame, view=view, side=side)
        return {"type": "picture", "view": name, "side": "ab"[side], "frame": frame}

    def next(self):
        """The next message; a picture has the type "picture"."""
        data = self.socket.recv()
        if not data:
            raise websocket.WebSocketConnectionClosedException("the server has closed it")
        if isinstance(data, bytes):
            return self._picture(data)
        message = json.loads(data)
        if message["type"] == "hello":
            self.hello = message
        elif message["type"] == "elements":
            self.elements[message["side"]] = {e["id"]: e for e in message["elements"]}
        elif message["type"] == "value":
            element = self.elements[message["side"]][message["element"]]
            self.property(element, message["property"])["value"] = message["value"]
        return message

    @staticmethod
    def property(element, name):
        return next(p for p in element["properties"] if p["name"] == name)

    def wait(self, kind, test=lambda message: True):
        """The next message of this type for which the test is true."""
        end, last = time.monotonic() + PATIENCE, "none"
        while time.monotonic() < end:
            message = self.next()
            if message["type"] == kind:
                if test(message):
                    return message
                last = message
        raise AssertionError("no such message %s; the last one: %s" % (kind, last))

    def start(self, views=("disparity",), width=128):
        """Waits for the initial state and requests these views."""
        self.wait("state")
        self.send("want", views=list(views), width=width)
        return self

    def frames(self, n=2, view="disparity", side="a"):
        """Waits for n more pictures."""
        for _ in range(n):
            last = self.wait("picture", lambda m: m["view"] == view and m["side"] == side)
        return last

    def pause(self, side="a"):
        """Pauses and waits for the pair that is being matched; returns its frame number."""
        self.send("pause", on=True)
        self.wait("state", lambda m: m["paused"])
        frames = []
        while len(frames) < 8 or len(set(frames[-8:])) > 1:
            time.sleep(0.2)
            self.send("probe", side=side, x=1, y=1)
            frames.append(self.wait("probe")["frame"])
        return frames[-1]

    def set(self, element, name, value, side="a"):
        """Sets a property and returns its new value."""
        self.send("set", side=side, element=element, property=name, value=value)
        return self.wait("value", lambda m: m["side"] == side and m["element"] == element
                         and m["property"] == name)["value"]

    def error_of(self, kind, **members):
        """Sends a message and returns the resulting error."""
        self.send(kind, **members)
        return self.wait("message", lambda m: m["level"] == "error")["text"]
