# gst-stereomatching: compute devices
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compute devices, created on first use."""

from __future__ import annotations

import ctypes
import functools
from ctypes import c_void_p
from typing import List

from . import _library as c
from ._checks import check, one_of, whole

BACKENDS = ("auto", "cpu", "cuda")


def _simd_names() -> List[str]:
    return [name.decode() for name in c.all_of(c.lib.stereo_simd_name)]


def device(backend: str, threads: int, simd: str, cuda_device: int) -> int:
    """The device's handle, which lives as long as the process."""
    one_of(backend, "backend", BACKENDS)
    threads = whole(threads, "threads", 0, 1024, " (0 = one per processor)")
    cuda_device = whole(cuda_device, "cuda_device", -1, 2 ** 31 - 1, " (-1 = first usable device)")
    names = _simd_names()
    return _device(backend, threads, names.index(one_of(simd, "simd", names)), cuda_device)


@functools.lru_cache(maxsize=None)
def _device(backend: str, threads: int, kind: int, cuda_device: int) -> int:
    handle, why = c_void_p(), c.Message()
    status = 1
    if backend != "cpu":
        status = c.lib.stereo_device_new_cuda(cuda_device, ctypes.byref(handle), ctypes.byref(why))
        if backend == "cuda":
            check(status, why.text, "cuda")
    if status != c.OK:
        check(c.lib.stereo_device_new_cpu(threads, kind, ctypes.byref(handle),
                                          ctypes.byref(why)), why.text, "cpu")
    assert handle.value
    return handle.value
