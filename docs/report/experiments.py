# gst-stereomatching: the plots and tables of the algorithm pages
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plots and tables of docs/algorithms/, from docs/data/experiments-*.json."""

import sys

import bfv
import expstep
import pyramid


def measure(program, arguments):
    """All errors, or those of esaw, esmp or bfv; times of pyramid; times of bfv on a named machine."""
    name, rest = (arguments + [""])[0], arguments[1:]
    if name and name not in tuple(expstep.SETUPS) + (bfv.NAME, pyramid.NAME):
        sys.exit("no experiments for %s; expected one of %s" % (name, ", ".join(
            tuple(expstep.SETUPS) + (bfv.NAME, pyramid.NAME))))
    for known in expstep.SETUPS:
        if name in ("", known):
            expstep.measure(program, known)
    if name in ("", bfv.NAME):
        bfv.measure(program, rest)
    if name == pyramid.NAME:
        pyramid.measure(program)


def generate():
    return {**expstep.generate(), **bfv.generate(), **pyramid.generate()}
