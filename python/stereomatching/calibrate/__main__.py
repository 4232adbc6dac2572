# gst-stereomatching: python3 -m stereomatching.calibrate
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stereo-calibrate, for a module that is not installed with its command."""

import sys

from ._cli import main

if __name__ == "__main__":
    sys.exit(main())
