#!/usr/bin/env python3
# gst-stereomatching: tests of stereomatching.batch on a cluster
# SPDX-License-Identifier: LGPL-2.1-or-later
"""batch_cluster.py LIBRARY ROOT [FAKE_LIBRARY]

Worker processes that die, a scheduler that is lost, and a GPU that fails, which is simulated by
FAKE_LIBRARY. Exit status 77 (skipped) without NumPy, Pillow or Dask.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

import batches
import suite

FAKE = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None

# Notice a lost scheduler soon; start no pages
os.environ.update(DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="10s",
                  DASK_DISTRIBUTED__COMM__RETRY__COUNT="0")
np, distributed, _ = batches.need("numpy", "distributed", "PIL.Image")
import stereomatching as sm  # noqa: E402
from stereomatching import batch  # noqa: E402

SMALL = "num-disparities=16"
SETTINGS = batch.Settings(properties={"num_disparities": "16"})


def kill_one(client):
    """Kills a worker process, as the system does when memory is short."""
    pids = client.run(os.getpid)
    os.kill(sorted(pids.values())[0], signal.SIGKILL)
    return len(pids)


class Killer:
    """Kills a worker of three after some results, and leaves a part of a file, as it may."""

    def __init__(self, client, after, part):
        self.client, self.after, self.part, self.killed = client, after, part, 0

    def start(self, total, resumed):
        pass

    def update(self):
        self.after -= 1
        if self.after == 0:
            self.killed = kill_one(self.client)
            with open(self.part, "wb") as file:
                file.write(b"part")

    def close(self):
        pass


class Cluster(batches.Case):
    @classmethod
    def setUpClass(cls):
        cls.cluster = distributed.LocalCluster(n_workers=3, threads_per_worker=1, memory_limit=0,
                                               dashboard_address=None)
        cls.client = distributed.Client(cls.cluster)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.cluster.close()

    def test_worker_killed(self):
        """One of three workers dies in the middle: the manifest and bytes of one process."""
        self.write_pairs(40)
        pairs = batch.find_pairs(self.path("set/left"), self.path("set/right"))
        killer = Killer(self.client, 6, self.path("out/disparity/.0000.png.0.part"))
        summary = batch.run(pairs, self.path("out"), SETTINGS, pairs_per_task=2,
                            executor=batch.Cluster(self.client), progress=killer)
        self.assertEqual((killer.killed, summary.done, summary.failed, summary.stop),
                         (3, 40, [], None))
        self.batch("set/left", "set/right", "whole", SMALL, "--workers", 1)
        self.require_same("out", "whole")

    def test_maps(self):
        pairs = [batches.pair_of(number) for number in range(12)]
        found = {matched.pair.name: matched.map for matched in batch.match_pairs(
            pairs, num_disparities=16, executor=batch.Cluster(self.client))}
        self.assertEqual(found, {"%06d" % number: sm.match(*pair, num_disparities=16, backend="cpu")
                                 for number, pair in enumerate(pairs)})

    def test_futures(self):
        pairs = [batches.pair_of(number) for number in range(3)] + [("none.png", "none.png")]
        futures = batch.submit_pairs(self.client, pairs, num_disparities=16)
        valid = self.client.submit(lambda found: float(np.median(found.disparity)), futures[2])
        self.assertEqual(valid.result(), 4)
        self.assertEqual(futures[0].result(), sm.match(*pairs[0], num_disparities=16, backend="cpu"))
        self.assertIsInstance(futures[3].exception(), batch.Unreadable)

    def test_strict(self):
        # workers finish the tasks that they have begun, and would write into the
        # folder while it is removed
        self.addCleanup(self.client.restart)
        self.write_pairs(12)
        with open(self.path("set", "left", "0004.png"), "wb"):
            pass
        pairs = batch.find_pairs(self.path("set/left"), self.path("set/right"))
        summary = batch.run(pairs, self.path("out"), SETTINGS, pairs_per_task=1, strict=True,
                            executor=batch.Cluster(self.client))
        self.assertRegex(summary.stop, "^0004: cannot read")
        self.assertLess(summary.done, 12)


class Commands(batches.Case):
    def test_local_cluster(self):
        self.write_pairs(10)
        done = self.batch("set/left", "set/right", "out", SMALL, "--workers", 2,
                          "--pairs-per-task", 3, "--json")
        self.assertEqual((json.loads(done.stdout)["done"], done.stderr), (10, ""))
        self.batch("set/left", "set/right", "whole", SMALL, "--workers", 1)
        self.require_same("out", "whole")

    def test_warnings(self):
        """Those of workers read like those of the command."""
        for number in range(4):
            left, right = batches.pair_of(number)
            for side, view in (("left", left), ("right", right)):
                os.makedirs(self.path("set", side), exist_ok=True)
                np.save(self.path("set", side, "%d.npy" % number), view[:, :, 0].astype(np.uint16))
        done = self.batch("set/left", "set/right", "out", SMALL, "--workers", 2)
        self.assertIn("Warning: left is uint16 without a value above 4095", done.stderr)
        self.assertNotIn("UserWarning", done.stderr)

    def test_interrupted(self):
        """A terminal sends Ctrl+C to the workers, too: they print nothing."""
        self.write_pairs(12)
        env = self.holding("left/0009.png")
        # not ignored in the command if it is in this process
        self.addCleanup(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with subprocess.Popen(
                batches.COMMAND + ["set/left", "set/right", "out", SMALL, "--workers", "2",
                                   "--pairs-per-task", "1"], cwd=self.folder, env=env, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
            manifest = self.path("out", "manifest.jsonl")
            while process.poll() is None and not (os.path.exists(manifest)
                                                  and os.path.getsize(manifest)):
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGINT)
            self.release()
            output, errors = process.communicate(timeout=batches.TIMEOUT)
        self.assertEqual((process.returncode, output, errors),
                         (130, "", "Interrupted. Run the same command to continue.\n"))

    def test_poisonous(self):
        """A pair that ends each worker that takes it: the others are matched."""
        self.write_pairs(6)
        # an end without a trace
        env = self.when_opened("right/0002.png", "os.kill(os.getpid(), 9)")
        env["DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"] = "1"
        self.batch("set/left", "set/right", "out", SMALL, "--workers", 2, "--pairs-per-task", 3,
                   status=3, env=env)
        records = {record["name"]: record for record in self.manifest()}
        self.assertEqual(records["0002"]["error"], "workers died with this pair")
        self.assertEqual([name for name in records if records[name]["status"] == "done"],
                         ["0000", "0001", "0003", "0004", "0005"])

    def start(self, *words, **options):
        process = subprocess.Popen([sys.executable, "-m", *words], cwd=self.folder, text=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_scheduler_lost(self):
        """It ends with a message, keeps what is done, and continues without the scheduler."""
        self.write_pairs(80)
        path = self.path("scheduler.json")
        scheduler = self.start("distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard",
                               "--host", "127.0.0.1", "--scheduler-file", path)
        self.wait_for(lambda: self.address_in(path))
        address = self.address_in(path)
        self.start("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny",
                   "--no-dashboard", env=self.holding("right/0040.png"))
        words = ["set/left", "set/right", "out", SMALL, "--outputs", "disparity,color,view"]
        run = subprocess.Popen(batches.COMMAND + words + ["--scheduler", address,
                                                          "--pairs-per-task", "1"],
                               cwd=self.folder, stderr=subprocess.PIPE, text=True)
        self.wait_for(lambda: self.recorded() > 2)
        scheduler.kill()
        _, error = run.communicate(timeout=batches.TIMEOUT)
        self.assertEqual(run.returncode, 1, error)
        self.assertIn("Stopped: the scheduler is not there any more. Run the same", error)
        summary = json.loads(self.batch(*words, "--json").stdout)
        self.assertEqual(summary["done"], 80)
        self.assertTrue(3 <= summary["resumed"] < 80)
        self.batch(*[word.replace("out", "whole") if word == "out" else word for word in words])
        self.require_same("out", "whole")

    def address_in(self, path):
        """None until the file is written."""
        try:
            with open(path, encoding="utf-8") as file:
                found = re.search(r'"(tcp://[\d.:]+)"', file.read())
        except OSError:
            return None
        return found.group(1) if found else None

    def recorded(self):
        """The number of complete lines of the manifest."""
        try:
            with open(self.path("out", "manifest.jsonl"), "rb") as file:
                return file.read().count(b"\n")
        except OSError:
            return 0

    def wait_for(self, condition):
        end = time.monotonic() + batches.TIMEOUT
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def test_no_scheduler(self):
        self.write_pairs(1)
        done = self.batch("set/left", "set/right", "out", "--scheduler", "tcp://127.0.0.1:9",
                          status=2, env=dict(os.environ,
                                             DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="2s"))
        self.assertIn("cannot connect to the scheduler tcp://127.0.0.1:9", done.stderr)

    def test_without_dask(self):
        self.write_pairs(3)
        code = ("import sys; sys.modules['distributed'] = None; sys.argv[1:] = %r\n"
                "from stereomatching.batch._cli import main; sys.exit(main())")
        words = ["set/left", "set/right", "out", SMALL]
        for more, status in ((["--workers", "2"], 0), (["--scheduler", "tcp://127.0.0.1:9"], 2)):
            done = subprocess.run([sys.executable, "-c", code % (words + more)], cwd=self.folder,
                                  text=True, capture_output=True, timeout=batches.TIMEOUT,
                                  check=False)
            self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn("pip install distributed", done.stderr)
        self.assertEqual(len(self.contents()), 3)


@unittest.skipUnless(FAKE, "there is no simulated GPU")
class Gpu(batches.Case):
    """With a simulated GPU that fails after some pairs."""

    CODE = """
import ctypes, sys, warnings
import batches
import stereomatching as sm
from stereomatching import batch
fake = ctypes.CDLL(%r)
pairs = [batches.pair_of(number) for number in range(12)]
backends = set()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    matched = batch.match_pairs(pairs, num_disparities=16, device=%r,
                                executor=batch.Threads(2), pairs_per_task=1)
    for number, one in enumerate(matched):
        assert one.map == sm.match(*pairs[int(one.pair.name)], num_disparities=16, backend="cpu")
        if number == 5:
            fake.stereo_fake_cuda_lose()
assert number == 11
print(sorted(str(warning.message) for warning in caught))
"""

    def test_lost(self):
        for device, lost in (("cuda:0,cuda:1", True), ("cpu", False)):
            done = subprocess.run(
                [sys.executable, "-c", self.CODE % (FAKE, device), batches.LIBRARY, batches.ROOT],
                capture_output=True, text=True, timeout=batches.TIMEOUT, check=False,
                env=dict(os.environ, STEREOMATCHING_LIBRARY=FAKE, PYTHONPATH=os.pathsep.join(
                    [os.environ["PYTHONPATH"], os.path.dirname(os.path.abspath(__file__))])))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("falling back to the CPU" in done.stdout, lost, done.stdout)


if __name__ == "__main__":
    suite.main()
