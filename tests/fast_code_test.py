#!/usr/bin/env python3
"""What fast_code.py reads from a map and reports."""
import unittest

import fast_code

MAP = """             VMA              LMA     Size Align Out     In      Symbol
          2a4000           2a4000   5f1c0    16 .text
          2a4000           2a4000      1f0    16         src/libcore_jobs.a(job.cpp.o):(.text)
          2a41f0           2a41f0       40    16         src/libcore_jobs.a(job.cpp.o):(.text._ZN1a1fEv)
          2a41f0           2a41f0       40     1                 a::f()
          2a4230           2a4230       20     2         src/libapi_rest.a(jobs_api.cpp.o):(.text._ZN1a1gEv)
"""


class FastCode(unittest.TestCase):
    def setUp(self):
        self.linked = fast_code.linked_functions(MAP)

    def replaced(self, fast_functions):
        return fast_code.replaced_functions(self.linked, {"libcore_jobs.a"}, fast_functions)

    def test_functions_with_a_section_of_their_own_are_read(self):
        self.assertEqual(self.linked, [("libcore_jobs.a", "_ZN1a1fEv"), ("libapi_rest.a", "_ZN1a1gEv")])

    def test_a_small_body_of_a_fast_function_is_reported(self):
        self.assertEqual(self.replaced({"_ZN1a1fEv", "_ZN1a1gEv"}), [("libapi_rest.a", "_ZN1a1gEv")])

    def test_a_function_that_only_small_libraries_hold_is_not(self):
        self.assertEqual(self.replaced({"_ZN1a1fEv"}), [])


if __name__ == "__main__":
    unittest.main()
