# gst-stereomatching: tests of stereo-tune: access and limits
# SPDX-License-Identifier: LGPL-2.1-or-later
"""entrance.py PROGRAM"""

import json
import os
import random
import socket
import time
import unittest

import websocket

import suite
from page import PATIENCE, Server, ServerCase, VIEWS, Viewer

QUICK = ("--demo", "--matcher", "stereovcbw")
TOKEN = "Long-enough_1"
POLICY = ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")


class Requests(ServerCase):
    def refused(self, **options):
        with self.assertRaises(websocket.WebSocketBadStatusException) as caught:
            Viewer(self.server, **options)
        self.assertEqual(caught.exception.status_code, 403)

    def test_page(self):
        status, headers, body = self.server.request()
        self.assertEqual(status, 200)
        self.assertIn(b"<!DOCTYPE html>", body)
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(headers["Cross-Origin-Resource-Policy"], "same-origin")
        self.assertEqual(headers["Cache-Control"], "no-store")
        for part in POLICY:
            self.assertIn(part, headers["Content-Security-Policy"])
        self.assertEqual(self.server.request("/tune.js")[1]["Content-Type"],
                         "text/javascript; charset=utf-8")
        self.assertEqual(self.server.request(method="HEAD")[2], b"")

    def test_nothing_else_is_served(self):
        for path in ("/etc/passwd", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
                     "/..%2f..%2fetc%2fpasswd", "/index.html/../../x", "/%00", "/live/x"):
            with self.subTest(path=path):
                status, headers, body = self.server.request(path)
                self.assertIn(status, (400, 403, 404))
                self.assertNotIn(b"root:", body)
        self.assertEqual(self.server.request(method="POST")[0], 405)
        self.assertEqual(self.server.request(method="DELETE")[0], 405)

    def test_names_that_are_not_ours(self):
        port = self.server.port
        for host in ("evil.example:%d" % port, "evil.example", "localhost", "", "localhost:1",
                     "localhost.evil.example:%d" % port, "127.0.0.1.evil.example:%d" % port):
            with self.subTest(host=host):
                status, _, body = self.server.request(Host=host)
                self.assertIn(status, (400, 403))
                self.assertNotIn(b"DOCTYPE", body)
        for host in ("127.0.0.1:%d" % port, "LOCALHOST:%d" % port, "[::1]:%d" % port):
            with self.subTest(host=host):
                self.assertEqual(self.server.request(Host=host)[0], 200)

    def test_pages_of_other_sites(self):
        host = "localhost:%d" % self.server.port
        self.assertEqual(self.server.request(Origin="http://evil.example")[0], 403)
        self.assertEqual(self.server.request(Origin="null")[0], 403)
        self.assertEqual(self.server.request(Origin="http://" + host)[0], 200)
        self.refused(origin="http://evil.example")
        self.refused(origin="http://localhost:1")
        self.refused(origin="null")
        self.refused(suppress_origin=True)
        self.refused(suppress_origin=True, path="/live/x")
        self.refused(host="evil.example:%d" % self.server.port)
        with Viewer(self.server) as page:
            page.wait("hello")

    def test_downloads(self):
        with Viewer(self.server).start(("left",)) as page:
            page.frames(1, "left")
            page.send("compare", on=False)
            for name in ("", "a", "a/", "a/x.png", "a/left.png.png", "b/left.png", "c/left.png",
                         "a/%2e%2e/left.png", "a/disparity.pfm/", "a/wrong.pfm"):
                with self.subTest(name=name):
                    status, headers, _ = self.server.request("/export/" + name)
                    self.assertEqual((status, headers["Content-Disposition"]), (404, None))
            path = "/export/a/disparity.pfm"
            self.assertEqual(self.server.request(path, method="POST")[0], 405)
            for site in ("cross-site", "same-site", "x"):
                self.assertEqual(self.server.request(path, Sec_Fetch_Site=site)[0], 403)
            self.assertEqual(self.server.request(path, Origin="http://evil.example")[0], 403)
            self.assertEqual(self.server.request(path, Host="evil.example")[0], 403)
            for site in ("same-origin", "none"):
                self.assertEqual(self.server.request(path, Sec_Fetch_Site=site)[0], 200)

    def test_downloads_that_are_abandoned(self):
        request = "GET /export/a/left.png HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % self.server.port
        with Viewer(self.server).start(("left",)) as page:
            page.frames(1, "left")
            for _ in range(3):
                clients = [socket.create_connection(("localhost", self.server.port), PATIENCE)
                           for _ in range(12)]
                for client in clients:
                    client.sendall(request.encode())
                answers = {client.recv(12) for client in clients[6:]}
                self.assertLessEqual(answers, {b"HTTP/1.1 200", b"HTTP/1.1 503"})
                for client in clients:
                    client.close()
            end = time.monotonic() + PATIENCE
            while self.server.request("/export/a/left.png")[0] != 200:
                self.assertLess(time.monotonic(), end)
            page.frames(2, "left")

    def test_uploads_that_are_abandoned(self):
        def wait_for(expected):
            end = time.monotonic() + PATIENCE
            while self.server.upload()[0] != expected:
                self.assertLess(time.monotonic(), end)

        host = "localhost:%d" % self.server.port
        request = ("POST /scene HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\nContent-Length: 99\r\n"
                   "Content-Type: multipart/form-data; boundary=x\r\n\r\n--x" % (host, host))
        for _ in range(2):
            clients = [socket.create_connection(("localhost", self.server.port), PATIENCE)
                       for _ in range(2)]
            for client in clients:
                client.sendall(request.encode())
            wait_for(503)
            for client in clients:
                client.close()
            wait_for(400)

    def test_random_requests(self):
        words = ["GET", "POST", "HEAD", " ", "/", "/live", "HTTP/1.1", "HTTP/9", "\r\n", "\r\n\r\n",
                 "Host: localhost:%d" % self.server.port, "Upgrade: websocket", "\0", "?token=",
                 "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", ":", "%00",
                 "Sec-WebSocket-Version: 13", "Content-Length: 99999999999", "a" * 5000, "\xff",
                 "Transfer-Encoding: chunked", "Expect: 100-continue", "Cookie: stereo-tune="]
        chance = random.Random(1)
        for _ in range(150):
            with socket.create_connection(("127.0.0.1", self.server.port), PATIENCE) as connection:
                text = "".join(chance.choices(words, k=chance.randrange(1, 30)))
                try:
                    connection.sendall(text.encode("latin-1"))
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(65536):
                        pass
                except OSError:
                    pass
        self.assertEqual(self.server.request()[0], 200)

    def test_random_frames(self):
        chance = random.Random(2)
        for _ in range(40):
            try:
                with Viewer(self.server) as page:
                    page.wait("state")
                    page.socket.sock.sendall(chance.randbytes(chance.randrange(1, 400)))
                    page.socket.sock.settimeout(0.1)
                    for _ in range(20):
                        page.next()
            except (OSError, websocket.WebSocketException, AssertionError):
                pass
        with Viewer(self.server).start() as page:
            page.frames(2)


class Token(ServerCase):
    arguments = QUICK + ("--token", TOKEN)

    def test_who_does_not_know_it(self):
        self.assertEqual(self.server.address, "http://localhost:%d/?token=%s"
                         % (self.server.port, TOKEN))
        for path in ("/", "/tune.js", "/?token=", "/?token=" + TOKEN[:-1], "/?token=" + TOKEN + "1",
                     "/tune.js?token=" + TOKEN, "/live", "/export/a/disparity.pfm"):
            with self.subTest(path=path):
                status, headers, body = self.server.request(path)
                self.assertEqual(status, 403)
                self.assertIsNone(headers["Set-Cookie"])
                self.assertNotIn(TOKEN.encode(), body)
        self.assertEqual(self.server.request(Cookie="stereo-tune=" + TOKEN[:-1])[0], 403)
        for options in ({}, {"cookie": "stereo-tune=x"}, {"cookie": "x=" + TOKEN}):
            with self.assertRaises(websocket.WebSocketBadStatusException):
                Viewer(self.server, **options)

    def test_who_knows_it(self):
        status, headers, _ = self.server.request("/?token=" + TOKEN)
        self.assertEqual(status, 303)
        self.assertEqual(headers["Location"], "/")
        for part in ("HttpOnly", "SameSite=Strict"):
            self.assertIn(part, headers["Set-Cookie"])
        cookie = headers["Set-Cookie"].split(";")[0]
        self.assertEqual(self.server.request(Cookie=cookie)[0], 200)
        self.assertEqual(self.server.request(Cookie="a=b; " + cookie)[0], 200)
        with Viewer(self.server, cookie=cookie).start() as page:
            page.frames(2)

    def test_other_address(self):
        with Server(*QUICK, "--address", "127.0.0.1") as server:
            self.assertRegex(server.address, r"^http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{32}$")
            self.assertEqual(server.request()[0], 403)


class Viewers(unittest.TestCase):
    def test_no_more_than_may_be(self):
        with Server(*QUICK, "--max-viewers", "3") as server:
            pages = [Viewer(server).start() for _ in range(3)]
            with Viewer(server) as page:
                with self.assertRaises(websocket.WebSocketConnectionClosedException):
                    page.wait("hello")
            for page in pages:
                page.frames(2)
            pages.pop().close()
            pages[0].wait("stats", lambda m: m["viewers"] == 2)
            pages.append(Viewer(server).start())
            pages[-1].frames(2)
            pages[-1].wait("stats", lambda m: m["viewers"] == 3)
            for page in pages:
                page.close()

    def connect(self, server, n):
        """Idle connections; the server may close each of them at once."""
        return [socket.create_connection(("127.0.0.1", server.port), PATIENCE) for _ in range(n)]

    def test_idle_connections(self):
        with Server(*QUICK, descriptors=128) as server, Viewer(server).start() as page:
            # an idle page stays connected
            quiet = Viewer(server, lazy=True)
            self.addCleanup(quiet.close)
            quiet.wait("state")
            idle = self.connect(server, 140)
            self.assertEqual(server.request()[0], 200)
            page.frames(2)
            with Viewer(server).start() as other:
                other.frames(2)
            # the last one is closed after the idle timeout
            idle[-1].settimeout(PATIENCE)
            self.assertEqual(idle[-1].recv(1), b"")
            quiet.send("save")
            quiet.wait("settings")
            for connection in idle:
                connection.close()
            self.assertEqual(server.request()[0], 200)
            page.frames(2)

    def test_no_file_descriptors_are_left(self):
        with Server(*QUICK) as server, Viewer(server).start() as page:
            page.frames(2)
            server.leave(4)
            idle = self.connect(server, 20)
            # no pipeline can be created for another side
            page.send("compare", on=True)
            errors = page.wait("state", lambda m: m["errors"])["errors"]
            self.assertIn("file descriptors", errors["b"])
            for connection in idle:
                connection.close()
            self.assertEqual(server.request()[0], 200)
            server.leave(100)
            page.send("compare", on=False)
            page.wait("state", lambda m: not m["errors"])
            page.send("compare", on=True)
            page.frames(2, side="b")

    def test_messages_in_pieces(self):
        def send(page, text, final):
            page.socket.send_frame(websocket.ABNF(fin=final, opcode=kinds.pop(0), data=text.encode()))
        with Server(*QUICK) as server:
            with Viewer(server, lazy=True) as page:
                page.wait("state")
                kinds = [websocket.ABNF.OPCODE_TEXT, websocket.ABNF.OPCODE_CONT] * 2
                text = json.dumps({"type": "load", "text": " " * 60000})
                send(page, text[:20000], 0)
                send(page, text[20000:], 1)
                self.assertIn("JSON", page.wait("message")["text"])
                send(page, "x" * 60000, 0)
                with self.assertRaises((websocket.WebSocketConnectionClosedException, OSError)):
                    send(page, "x" * 60000, 0)
                    page.wait("never")
            with Viewer(server).start() as page:
                page.frames(2)

    @unittest.skipIf(os.environ.get("STEREO_SANITIZER"), "a sanitizer keeps what was freed")
    def test_bodies_are_not_kept(self):
        with Server(*QUICK) as server:
            before = server.memory()
            with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
                connection.sendall(b"POST / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                                   b"Content-Length: 300000000\r\n\r\n" % server.port)
                for _ in range(300):
                    connection.sendall(bytes(1000000))
                self.assertIn(b" 405 ", connection.recv(100))
            self.assertLess(server.memory() - before, 150000)

    def test_one_that_does_not_read(self):
        with Server(*QUICK) as server:
            with Viewer(server, lazy=True) as stuck, Viewer(server).start(VIEWS, 480) as page:
                stuck.wait("state")
                stuck.send("want", views=VIEWS, width=480)
                page.frames(30)
                before = server.memory()
                page.frames(120)
                # a sanitizer keeps freed memory
                if not os.environ.get("STEREO_SANITIZER"):
                    self.assertLess(server.memory() - before, 30000)
                # it was sent pictures of at most two frames
                frames = set()
                end = time.monotonic() + 2
                for _ in range(400):
                    message = stuck.next()
                    if message["type"] == "picture":
                        frames.add(message["frame"])
                    elif message["type"] == "stats" and time.monotonic() > end:
                        break
                self.assertLessEqual(len(frames), 2)

    def test_a_slow_link_gets_smaller_pictures(self):
        with Server(*QUICK) as server, Viewer(server).start(width=480) as quick, \
                Viewer(server, lazy=True).start(width=480) as slow:
            first = None
            for _ in range(8):
                frame = slow.frames(1)["frame"]
                size = len(slow.pictures["disparity", "a"][-1]["data"])
                first = first or size
                time.sleep(0.6)
                slow.send("ack", frame=frame, view=1, side=0)
            self.assertLess(size, first / 2)
            # on a slow machine pictures may be smaller for a while
            end = time.monotonic() + PATIENCE
            quick.pictures.clear()
            quick.frames(5)
            while len(quick.pictures["disparity", "a"][-1]["data"]) <= size:
                self.assertLess(time.monotonic(), end)
                quick.frames(1)

    def test_limits_of_messages(self):
        with Server(*QUICK) as server:
            with Viewer(server) as page:
                page.wait("state")
                page.socket.send("x" * 70000)
                with self.assertRaises((websocket.WebSocketConnectionClosedException, OSError)):
                    page.wait("never")
            # the first one is cheap for the server, so that any machine reaches the rate
            for text in ('{"type": "ack", "frame": 0, "view": 0, "side": 0}', "x"):
                with Viewer(server) as page:
                    page.wait("state")
                    with self.assertRaises((websocket.WebSocketConnectionClosedException, OSError)):
                        for _ in range(3000):
                            page.socket.send(text)
                        page.wait("never")
            with Viewer(server).start() as page:
                page.frames(2)

    def test_it_ends_while_pages_are_open(self):
        for _ in range(5):
            with Server(*QUICK) as server:
                pages = [Viewer(server).start(VIEWS) for _ in range(2)]
                pages[0].send("compare", on=True)
                pages[1].frames(2)
                server.stop()
                for page in pages:
                    page.socket.shutdown()

    def test_it_can_be_started_again(self):
        with Server(*QUICK) as server, Viewer(server).start() as page:
            page.frames(2)
            port = server.port
        with Server(*QUICK, "--port", str(port)) as server, Viewer(server).start() as page:
            self.assertEqual(server.port, port)
            page.frames(2)
            with self.assertRaises(RuntimeError) as caught:
                Server(*QUICK, "--port", str(port)).stop()
            self.assertIn("--port", str(caught.exception))

    def test_address_of_another_machine(self):
        # an address for documentation (RFC 5737)
        with self.assertRaises(RuntimeError) as caught:
            Server(*QUICK, "--address", "192.0.2.1").stop()
        self.assertIn("--address", str(caught.exception))
        self.assertNotIn("--port", str(caught.exception))

    def test_nothing_is_computed_for_nobody(self):
        with Server(*QUICK) as server:
            with Viewer(server).start() as page:
                page.frames(5)

            def ticks():
                with open("/proc/%d/stat" % server.process.pid, encoding="ascii") as file:
                    return sum(int(n) for n in file.read().rsplit(")")[-1].split()[11:13])
            # it may take a while until the server sees that the page is gone
            end, used = time.monotonic() + PATIENCE, 20
            while used >= 20 and time.monotonic() < end:
                before = ticks()
                time.sleep(2)
                used = ticks() - before
            self.assertLess(used, 20)


if __name__ == "__main__":
    suite.main()
