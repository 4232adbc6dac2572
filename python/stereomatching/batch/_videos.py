# gst-stereomatching: videos of a batch
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sources that are videos."""

from typing import Any, List, Optional


def are_videos(_left: str, _right: Optional[str]) -> bool:
    """Whether the sources are videos; they are not supported yet."""
    return False


def find_segments(*_: Any) -> List[Any]:
    return []
