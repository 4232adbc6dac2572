# gst-stereomatching: where the tasks of a batch run
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Threads of this process, or the workers of a Dask cluster.

Both take tasks as they get free, so that neither tasks nor results pile up, and both yield
results as they come.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import signal
import sys
import time
import uuid
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple

from .. import _command
from .. import _library as c
from .._checks import shown, whole

Task = List[Any]
Outcome = Tuple[Task, Any]
"""A task, and its result or exception."""

# Seconds to get a result that a worker has; it is missing if the worker died
_FETCH_SECONDS = 20

# Tasks that wait at a worker, so that it gets the next one without asking
_QUEUED = 2


class Lost(Exception):
    """The scheduler is not there any more."""


def _lost() -> Lost:
    return Lost("the scheduler is not there any more")


class WorkerDied(Exception):
    """Several workers died with the same task."""


def processors() -> int:
    """Those that this process may use, where the system says so."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Threads:
    """Threads of this process."""

    def __init__(self, workers: int) -> None:
        self.workers = whole(workers, "workers", 1, sys.maxsize)

    def run(self, function: Callable[..., Any], tasks: Iterable[Task],
            *arguments: Any) -> Iterator[Outcome]:
        """Calls function (task, *arguments) for every task."""
        waiting: Dict["Future[Any]", Task] = {}
        tasks = iter(tasks)
        with ThreadPoolExecutor(self.workers, "worker") as pool:
            try:
                while True:
                    for task in tasks:
                        waiting[pool.submit(function, task, *arguments)] = task
                        if len(waiting) >= _QUEUED * self.workers:
                            break
                    if not waiting:
                        return
                    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                        yield waiting.pop(future), future.exception() or future.result()
            finally:
                for future in waiting:
                    future.cancel()

    def close(self) -> None:
        pass


def require_client(client: Any) -> None:
    """Raises an ArgumentError unless this has the functions of a client of Dask."""
    if not all(callable(getattr(client, name, None)) for name in ("submit", "map", "nthreads")):
        raise c.ArgumentError("client = %s: expected a Client of distributed" % shown(client))


class Cluster:
    """The workers of a Dask cluster, which may come and go."""

    def __init__(self, client: Any, owned: Optional[contextlib.ExitStack] = None) -> None:
        require_client(client)
        self._client, self._owned = client, owned
        self._counted = (0.0, 1)

    @property
    def dashboard(self) -> Optional[str]:
        return self._client.dashboard_link

    @property
    def workers(self) -> int:
        """Threads of all workers, at least 1. Asks the scheduler at most once a second."""
        when, threads = self._counted
        if time.monotonic() - when > 1:
            try:
                threads = sum(self._client.nthreads().values())
            except OSError:
                raise _lost() from None
            # without workers, waiting tasks tell adaptive clusters to start some
            threads = max(1, threads)
            self._counted = (time.monotonic(), threads)
        return threads

    def _room(self) -> int:
        """How many tasks the workers have room for."""
        return _QUEUED * self.workers

    def run(self, function: Callable[..., Any], tasks: Iterable[Task],
            *arguments: Any) -> Iterator[Outcome]:
        """Calls function (task, *arguments) for every task."""
        from distributed import CancelledError  # pylint: disable=import-outside-toplevel

        outcomes = self._outcomes(function, tasks, arguments)
        try:
            yield from outcomes
        except (CancelledError, OSError):
            # OSError is that of connections, among them CommClosedError
            raise _lost() from None

    def _outcomes(self, function: Callable[..., Any], tasks: Iterable[Task],
                  arguments: Tuple[Any, ...]) -> Iterator[Outcome]:
        from distributed import as_completed  # pylint: disable=import-outside-toplevel

        waiting: Dict[str, Tuple[Any, Task]] = {}
        completed = as_completed(loop=self._client.loop)
        # not the names of tasks of another run
        prefix, number = "stereo-batch-%s" % uuid.uuid4().hex, 0
        tasks = iter(tasks)
        try:
            while True:
                while len(waiting) < self._room():
                    task = next(tasks, None)
                    if task is None:
                        break
                    future = self._client.submit(function, task, *arguments, pure=False,
                                                 key="%s-%d" % (prefix, number))
                    number += 1
                    waiting[future.key] = future, task
                    completed.add(future)
                if not waiting:
                    return
                future = next(completed)
                task, outcome = waiting.pop(future.key)[1], _outcome(future)
                future.release()
                if outcome is _MISSING:
                    tasks = itertools.chain([task], tasks)
                else:
                    yield task, outcome
        finally:
            self._cancel([future for future, _ in waiting.values()])

    def _cancel(self, futures: List[Any]) -> None:
        if futures and self._client.status == "running":
            with contextlib.suppress(Exception):
                self._client.cancel(futures, force=True)

    def close(self) -> None:
        if self._owned:
            self._owned.close()


_MISSING = object()


def _outcome(future: Any) -> Any:
    """The result of a future that is completed, or its exception.

    _MISSING if the worker that had the result has died. Dask then computes it again, but version
    2022.12 does not always: such a task is submitted again.
    """
    # pylint: disable=import-outside-toplevel
    from distributed import CancelledError, KilledWorker, TimeoutError as LateError
    from distributed.comm import CommClosedError

    try:
        return future.result(timeout=_FETCH_SECONDS)
    except LateError:
        return _MISSING
    except KilledWorker:
        return WorkerDied("workers died with this pair")
    except (CancelledError, CommClosedError):
        # not of the task
        raise
    except Exception as error:  # pylint: disable=broad-except
        return error


def _distributed() -> Any:
    """For the command, which reports by itself what Dask would log."""
    try:
        import distributed  # pylint: disable=import-outside-toplevel
    except ImportError:
        raise c.Error("a cluster needs Dask: pip install distributed, or apt-get install "
                      "python3-distributed") from None
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("distributed"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed


def _prepare_worker() -> None:
    """In a worker process of the command, which gets the terminal's Ctrl+C as well, and ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _command.format_warnings()


def local_cluster(workers: int) -> Cluster:
    """Worker processes on this machine."""
    distributed = _distributed()
    stack = contextlib.ExitStack()
    # 0 = no limit: a worker's memory is bounded, and Dask would end it too early
    cluster = stack.enter_context(distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, memory_limit=0, silence_logs=logging.CRITICAL,
        dashboard_address="127.0.0.1:0"))
    client = stack.enter_context(distributed.Client(cluster))
    # also of workers that replace those that died
    client.register_worker_callbacks(_prepare_worker)
    return Cluster(client, stack)


def connect(address: str) -> Cluster:
    """The cluster of a scheduler."""
    distributed = _distributed()
    stack = contextlib.ExitStack()
    try:
        client = stack.enter_context(distributed.Client(address))
    except (OSError, ValueError) as error:
        raise c.Error("cannot connect to the scheduler %s: %s" % (address, error)) from None
    return Cluster(client, stack)


def have_dask() -> bool:
    try:
        import distributed  # noqa: F401  pylint: disable=import-outside-toplevel,unused-import
    except ImportError:
        return False
    return True


def chunks(items: Iterable[Any], size: int) -> Iterator[Task]:
    items = iter(items)
    while True:
        task = list(itertools.islice(items, size))
        if not task:
            return
        yield task
