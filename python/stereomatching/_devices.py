# gst-stereomatching: what computes
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Devices by name, each made once."""

from __future__ import annotations

import ctypes
import functools
from ctypes import c_void_p

from . import _library as c

BACKENDS = ("auto", "cpu", "cuda")


def _simd(name: str) -> int:
    names = []
    while True:
        known = c.lib.stereo_simd_name(len(names))
        if not known:
            raise c.ArgumentError("simd = %r: it is one of %s" % (name, ", ".join(names)))
        if known.decode() == name:
            return len(names)
        names.append(known.decode())


@functools.lru_cache(maxsize=None)
def device(backend: str, threads: int, simd: str, cuda_device: int) -> int:
    """The device's handle, which lives as long as the process."""
    handle, why = c_void_p(), c.Message()
    if backend not in BACKENDS:
        raise c.ArgumentError("backend = %r: it is one of %s" % (backend, ", ".join(BACKENDS)))
    if not 0 <= threads <= 1024:
        raise c.ArgumentError("threads = %d: it goes from 0, one for each processor, to 1024" %
                              threads)
    kind = _simd(simd)
    status = 1
    if backend != "cpu":
        status = c.lib.stereo_device_new_cuda(cuda_device, ctypes.byref(handle), ctypes.byref(why))
        if backend == "cuda":
            c.check(status, why.text, "cuda")
    if status != c.OK:
        c.check(c.lib.stereo_device_new_cpu(threads, kind, ctypes.byref(handle),
                                            ctypes.byref(why)), why.text, "cpu")
    assert handle.value
    return handle.value
