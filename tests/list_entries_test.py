#!/usr/bin/env python3
"""What list_entries.py makes of a program's list of cases."""
import pathlib
import tempfile
import unittest

import list_entries

LISTING = """<?xml version="1.0" encoding="UTF-8"?>
<doctest binary="x_test" version="2.4.9">
  <Options order_by="file"/>
  <TestCase name="a killed node&apos;s agents, all of them, move" filename="{at}/x_move_test.cpp"/>
  <TestCase name="nobody else moves" filename="{at}/x_move_test.cpp" skipped="false"/>
  <TestCase name="it kills" filename="{at}/fire_test.cpp" skipped="false"/>
</doctest>"""


class Entries(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory()
        at = pathlib.Path(self.home.name)
        (at / "x_move_test.cpp").write_text("server.stop();")
        (at / "fire_test.cpp").write_text("server.kill();")
        self.listing = LISTING.format(at=at)

    def tearDown(self):
        self.home.cleanup()

    def entries(self, by_case):
        return list_entries.entries_of("x", list_entries.cases_of(self.listing), by_case)

    def lines(self, by_case, costs=None, heavy=()):
        return list(list_entries.ctest_lines(
            self.entries(by_case), "/x_test", {"LABELS": "integration", "TIMEOUT": 900},
            costs or {}, heavy))

    def test_there_is_one_a_file(self):
        self.assertEqual(list(self.entries([])), ["x_move", "x_fire"])

    def test_there_is_one_a_case_of_files_that_are_named(self):
        self.assertEqual(
            list(self.entries(["x_move"])),
            ["x_move.a_killed_node_s_agents_all_of_them_move", "x_move.nobody_else_moves", "x_fire"])

    def test_there_is_one_a_case_of_all_files(self):
        self.assertEqual(len(self.entries(["*"])), 3)

    def test_a_filter_holds_no_comma_and_as_many_bytes_as_the_name(self):
        _, filters = self.entries(["*"])["x_move.a_killed_node_s_agents_all_of_them_move"]
        self.assertEqual(filters[1], "--test-case=a killed node?s agents? all of them? move")
        self.assertEqual(list_entries.pattern("ä"), "??")

    def test_two_cases_with_one_name_are_refused(self):
        self.listing = self.listing.replace(
            "nobody else moves", "a killed node&quot;s agents. all of them, move")
        with self.assertRaises(ValueError):
            self.entries(["*"])

    def test_relative_paths_are_those_of_the_compiler(self):
        relative = self.listing.replace(self.home.name + "/", "../x/")
        self.assertIn("/build/../x/fire_test.cpp", list_entries.cases_of(relative, "/build"))

    def test_a_skipped_case_is_refused(self):
        self.listing = self.listing.replace('skipped="false"', 'skipped="true"')
        with self.assertRaises(ValueError):
            self.entries([])

    def test_only_what_kills_nothing_may_have_a_second_try(self):
        lines = "\n".join(self.lines([]))
        self.assertIn('[==[x_move]==] PROPERTIES LABELS "integration;second_try"', lines)
        self.assertIn('[==[x_fire]==] PROPERTIES LABELS "integration" ', lines)

    def test_costs_and_heavy_files_are_told_to_ctest(self):
        costs = list_entries.costs_of("# seconds\n12.5 x_fire # measured\n")
        lines = "\n".join(self.lines([], costs, ["fire"]))
        self.assertIn('PROCESSORS "2" COST "12.5"', lines)
        self.assertEqual(lines.count("COST"), 1)


if __name__ == "__main__":
    unittest.main()
