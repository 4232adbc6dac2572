# gst-stereomatching: runs test cases in Python
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the test cases of the main program. PYTHONPATH must contain this folder."""

import sys
import unittest


def main():
    """Prints the number of tests; the exit status is 1 if one failed or none ran."""
    cases = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(cases)
    failed = len({str(test) for test, _ in result.failures + result.errors})
    print("%d tests, %d failed, %d skipped" % (result.testsRun, failed, len(result.skipped)))
    sys.exit(1 if failed or not result.testsRun else 0)
