#!/usr/bin/env python3
# gst-stereomatching: tests of the check of CUDA kernels
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reports and launches that are made up, with problems of each kind."""

import unittest

import check
import resources

FEW = "_ZN45_GLOBAL__N__8ece4282_12_sgm_ahead_cu_240c7bc210look_aheadILi2EEEv7SgmArgs"
MANY = "_ZN42_GLOBAL__N__05e2f9f3_9_census_cu_a0c2f42813census_kernelEii"
REPORT = """ptxas info    : 0 bytes gmem, 4 bytes cmem[3]
ptxas info    : Compiling entry function '%s' for 'sm_90'
ptxas info    : Function properties for %s
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 2048 bytes smem
ptxas info    : Compile time = 10.0 ms
ptxas info    : Compiling entry function '%s' for 'sm_90'
ptxas info    : Function properties for %s
    24 bytes stack frame, 200 bytes spill stores, 300 bytes spill loads
ptxas info    : Used 128 registers, used 0 barriers, 400 bytes cmem[0]
""" % (FEW, FEW, MANY, MANY)


class Reports(unittest.TestCase):
    def test_reports_are_read(self):
        self.assertEqual(resources.parse_report(REPORT), {
            (90, FEW): resources.Usage(40, 2048, 0), (90, MANY): resources.Usage(128, 0, 500)})

    def test_names_are_read(self):
        self.assertEqual(resources.short_name(FEW), "sgm look_ahead")
        self.assertEqual(resources.short_name(MANY), "census census_kernel")
        self.assertEqual(resources.short_name("_Z12plain_kernelii"), "plain_kernel")

    def test_names_of_two_builds_are_equal(self):
        other = FEW.replace("8ece4282", "00000001").replace("240c7bc2", "ffffffff")
        self.assertEqual(resources.identity(FEW), resources.identity(other))
        self.assertNotEqual(resources.identity(FEW), resources.identity(MANY))

    def test_launches_are_read(self):
        self.assertEqual(resources.parse_launches("%s 256 1024\nfailed: bp, 2x2\n" % FEW),
                         ([resources.Launch(FEW, 256, 1024)], ["failed: bp, 2x2"]))


class Limits(unittest.TestCase):
    def blocks(self, registers, shared, threads, dynamic, capability=90):
        return resources.resident_blocks(resources.CHIPS[capability], resources.Usage(registers, shared, 0),
                                         resources.Launch(FEW, threads, dynamic))

    def test_blocks_by_registers(self):
        self.assertEqual(self.blocks(128, 0, 512, 0), 1)
        self.assertEqual(self.blocks(129, 0, 512, 0), 0)
        self.assertEqual(self.blocks(32, 0, 256, 0), 8)

    def test_blocks_by_shared_memory(self):
        self.assertEqual(self.blocks(32, 0, 32, 227 * 1024), 1)
        self.assertEqual(self.blocks(32, 1, 32, 227 * 1024), 0)
        self.assertEqual(self.blocks(32, 0, 32, 99 * 1024, 86), 1)
        self.assertEqual(self.blocks(32, 0, 32, 100 * 1024, 86), 0)
        # 1 KiB of each block is the system's
        self.assertEqual(self.blocks(32, 0, 32, 49 * 1024, 86), 2)
        self.assertEqual(self.blocks(32, 0, 32, 50 * 1024, 86), 1)

    def test_blocks_by_threads(self):
        self.assertEqual(self.blocks(16, 0, 1024, 0), 2)
        self.assertEqual(self.blocks(16, 0, 1024, 0, 87), 1)
        self.assertEqual(self.blocks(16, 0, 1056, 0), 0)
        self.assertEqual(self.blocks(16, 0, 32, 0), 32)

    def test_occupancy(self):
        chip = resources.CHIPS[87]
        self.assertEqual(resources.occupancy(chip, resources.Usage(128, 0, 0),
                                             resources.Launch(FEW, 512, 0)), 100 * 512 / 1536)


class Problems(unittest.TestCase):
    reports = resources.parse_report(REPORT)

    def test_spills(self):
        found = list(check.spill_problems(self.reports))
        self.assertEqual(len(found), 1)
        self.assertIn("census census_kernel", found[0])

    def test_launches_that_do_not_fit(self):
        fits = [resources.Launch(FEW, 256, 64 * 1024), resources.Launch(MANY, 512, 0)]
        self.assertEqual(list(check.launch_problems(90, fits, self.reports)), [])
        for launch in (resources.Launch(FEW, 256, 226 * 1024), resources.Launch(MANY, 544, 0)):
            self.assertEqual(len(list(check.launch_problems(90, [launch], self.reports))), 1)
        # without machine code for it, static shared memory counts, and threads
        self.assertEqual(list(check.launch_problems(86, fits, self.reports)), [])
        for launch in (resources.Launch(FEW, 256, 98 * 1024), resources.Launch(MANY, 1056, 0)):
            self.assertEqual(len(list(check.launch_problems(86, [launch], self.reports))), 1)

    def test_refusals(self):
        self.assertEqual(list(check.refusal_problems(75, ["refused: bfv, 9x9"])), [])
        self.assertEqual(len(list(check.refusal_problems(90, ["refused: bfv, 9x9"]))), 1)
        self.assertEqual(len(list(check.refusal_problems(75, ["failed: bfv, 9x9"]))), 1)

    def test_launches_are_needed(self):
        self.assertEqual(list(check.reach_problems({FEW, MANY}, self.reports)), [])
        self.assertEqual(len(list(check.reach_problems({FEW}, self.reports))), 1)
        self.assertEqual(len(list(check.reach_problems(set(), {}))), 1)


if __name__ == "__main__":
    unittest.main()
