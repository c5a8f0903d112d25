#!/usr/bin/env python3
"""What run_tests.py must not let pass: results as ctest writes them, made up here."""
import unittest

import run_tests

LABELS = {
    "unit_a": ["unit"],
    "server_b": ["integration", "second_try"],
    "server_c": ["integration", "second_try"],
    "browser_d": ["web", "second_try"],
    "kills_e": ["integration"],
}


def junit(**changed):
    """A report in which all tests passed but those that are changed to another status."""
    cases = []
    for name in LABELS:
        status = changed.get(name, "run")
        inner = {"fail": '<failure message=""/>',
                 "notrun": '<skipped message="SKIP_RETURN_CODE=77"/>'}.get(status, "")
        cases.append(f'<testcase name="{name}" classname="{name}" time="1" status="{status}">'
                     f"{inner}<system-out>[NON-XML-CHAR-0x1B] &lt;&amp;</system-out></testcase>")
    return f'<?xml version="1.0" encoding="UTF-8"?><testsuite name="x">{"".join(cases)}</testsuite>'


def judged(second=None, **changed):
    return run_tests.judge(LABELS, run_tests.results_of(junit(**changed)), second or {})


class Judgement(unittest.TestCase):
    def test_a_run_in_which_all_passed_passes(self):
        lines, passed = judged()
        self.assertTrue(passed)
        self.assertEqual(lines, ["", "5 passed, 0 failed"])

    def test_a_failed_test_fails_the_run(self):
        lines, passed = judged(unit_a="fail")
        self.assertFalse(passed)
        self.assertIn("not passed: unit_a: failed", lines)
        self.assertEqual(lines[-1], "4 passed, 1 failed")

    def test_a_skipped_or_disabled_test_fails_the_run(self):
        for status in ("notrun", "disabled"):
            lines, passed = judged(unit_a=status)
            self.assertFalse(passed)
            self.assertEqual(lines[-1], "4 passed, 1 failed")

    def test_a_test_without_a_result_fails_the_run(self):
        lines, passed = run_tests.judge(LABELS, {}, {})
        self.assertFalse(passed)
        self.assertEqual(lines[-1], "0 passed, 5 failed")

    def test_a_result_of_no_listed_test_fails_the_run(self):
        results = run_tests.results_of(junit()) | {"nobody": "passed"}
        self.assertFalse(run_tests.judge(LABELS, results, {})[1])

    def test_a_run_without_tests_fails(self):
        self.assertFalse(run_tests.judge({}, {}, {})[1])

    def test_second_tries_that_passed_are_printed_and_counted(self):
        lines, passed = judged(second={"server_b": "passed"}, server_b="fail")
        self.assertTrue(passed)
        self.assertIn("second try: server_b: failed, then passed", lines)
        self.assertIn("1 second tries, at most 2: each is a bug", lines)
        self.assertEqual(lines[-1], "5 passed, 0 failed")

    def test_a_test_that_fails_twice_fails_the_run(self):
        lines, passed = judged(second={"server_b": "failed"}, server_b="fail")
        self.assertFalse(passed)
        self.assertEqual(lines[-1], "4 passed, 1 failed")


class Costs(unittest.TestCase):
    def test_tests_that_took_long_are_listed_the_longest_first(self):
        report = ('<testsuite><testcase name="a" time="1.4"/><testcase name="b" time="0.2"/>'
                  '<testcase name="c" time="31.7"/></testsuite>')
        self.assertEqual(run_tests.costs_of(report), ["32 c", "1 a"])


class SecondTries(unittest.TestCase):
    def chosen(self, **changed):
        return run_tests.to_try_again(LABELS, run_tests.results_of(junit(**changed)))

    def test_tests_with_the_label_have_one(self):
        self.assertEqual(
            self.chosen(server_b="fail", browser_d="fail"), ["server_b", "browser_d"])

    def test_tests_that_kill_units_and_skipped_tests_have_none(self):
        self.assertEqual(self.chosen(kills_e="fail", unit_a="fail", server_b="notrun"), [])

    def test_a_run_with_more_than_two_such_failures_has_none(self):
        three = {"server_b": "fail", "server_c": "fail", "browser_d": "fail"}
        self.assertEqual(self.chosen(**three), [])
        lines, passed = judged(**three)
        self.assertFalse(passed)
        self.assertIn("no second try: server_c", lines)
        self.assertEqual(lines[-1], "2 passed, 3 failed")

    def test_tests_are_chosen_by_their_place(self):
        self.assertEqual(run_tests.only(LABELS, ["server_c", "unit_a"]), ["-I", "0,0,0,1,3"])


if __name__ == "__main__":
    unittest.main()
