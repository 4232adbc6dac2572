# gst-stereomatching: many pairs, on many processors, GPUs and machines
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Matches many pairs: the library of the command stereo-batch. See docs/batch.md.

    from stereomatching import batch

    for matched in batch.match_pairs(batch.find_pairs("left", "right"), num_disparities=64):
        print(matched.pair.name, matched.map.valid.mean())

Threads (N) runs it in this process, Cluster (CLIENT) on the workers of a Dask client.
"""

from ._executors import Cluster, Lost, Threads, WorkerDied
from ._images import Unreadable
from ._inputs import Pair
from ._run import Matched, Summary, find_pairs, match_pairs, run, submit_pairs
from ._settings import Settings
from ._videos import Segment, find_segments

__all__ = ["Cluster", "Lost", "Matched", "Pair", "Segment", "Settings", "Summary", "Threads",
           "Unreadable", "WorkerDied", "find_pairs", "find_segments", "match_pairs", "run",
           "submit_pairs"]
