#!/usr/bin/env python3
"""Run the tests of a build and judge the results: run_tests.py --build DIRECTORY [--second-try].

A run passes when every listed test has run and passed. A skipped, disabled or unlisted result fails
the run. With --second-try a failed test with the label `second_try` is run once more, alone; a run
with more than SECOND_TRIES_MAX such failures has no second try. The last line is always
`N passed, N failed`.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

SECOND_TRIES_MAX = 2
MAY_BE_TRIED_AGAIN = "second_try"
# Servers, engines and browsers wait for most of their time: three at once on two processors. What
# computes runs after them: it would take the time that real servers have to answer in.
COMPUTING = "^(unit|sim)$"
WAITING_JOBS = 3


def results_of(junit):
    """Name -> 'passed', 'failed' or why it did not run, from the text of a JUnit file of ctest."""
    found = {}
    for case in xml.etree.ElementTree.fromstring(junit).iter("testcase"):
        status = case.get("status")
        skipped = case.find("skipped")
        if status == "run":
            found[case.get("name")] = "passed"
        elif status == "fail":
            found[case.get("name")] = "failed"
        else:
            why = skipped.get("message") if skipped is not None else ""
            found[case.get("name")] = f"did not run: {why or status}"
    return found


def costs_of(junit, at_least=1.0):
    """The lines of tests/costs.txt: seconds and name of each test that took long."""
    cases = xml.etree.ElementTree.fromstring(junit).iter("testcase")
    times = sorted(((float(case.get("time")), case.get("name")) for case in cases), reverse=True)
    return [f"{seconds:.0f} {name}" for seconds, name in times if seconds >= at_least]


def to_try_again(labels, results):
    """The failed tests that get a second try."""
    failed = [name for name, result in results.items() if result == "failed"]
    eligible = [name for name in failed if MAY_BE_TRIED_AGAIN in labels.get(name, ())]
    return eligible if len(eligible) <= SECOND_TRIES_MAX else []


def judge(labels, results, second):
    """The lines of the report, and whether the run passed. `labels` lists all tests."""
    lines = []
    bad = []
    for name in labels:
        result = results.get(name, "did not run: ctest has no result of it")
        if name in second:
            lines.append(f"second try: {name}: failed, then {second[name]}")
            result = second[name]
        elif result == "failed" and MAY_BE_TRIED_AGAIN in labels[name]:
            lines.append(f"no second try: {name}")
        if result != "passed":
            bad.append(f"not passed: {name}: {result}")
    bad += [f"not passed: {name}: not in the list of tests" for name in results if name not in labels]
    if second:
        lines.append(f"{len(second)} second tries, at most {SECOND_TRIES_MAX}: each is a bug")
    passed = sum(1 for name in labels if second.get(name, results.get(name)) == "passed")
    return lines + bad + ["", f"{passed} passed, {len(bad)} failed"], not bad and bool(labels)


class Suite:
    """The tests of one build directory, as ctest knows them."""

    def __init__(self, build):
        self.build = build
        self.costs = []

    def labels(self):
        listed = subprocess.run(
            ["ctest", "--test-dir", self.build, "--show-only=json-v1"],
            check=True, capture_output=True, text=True).stdout
        found = {}
        for test in json.loads(listed)["tests"]:
            properties = {each["name"]: each["value"] for each in test.get("properties", ())}
            found[test["name"]] = properties.get("LABELS", [])
        return found

    def run(self, options):
        report = pathlib.Path(self.build).resolve() / "results.xml"
        report.unlink(missing_ok=True)
        subprocess.run(
            ["ctest", "--test-dir", self.build, "--output-on-failure", "--no-tests=ignore",
             "--output-junit", str(report), *options], check=False)
        if not report.exists():
            return {}
        self.costs += costs_of(report.read_text())
        return results_of(report.read_text())

    def write_costs(self, file):
        """The head of the file, its comments, stays."""
        head = [line for line in file.read_text().splitlines() if line.startswith("#")]
        file.write_text("\n".join(head + self.costs) + "\n")


def only(labels, wanted):
    """Options of ctest that choose tests by their place in the list: names may hold anything."""
    places = [place for place, name in enumerate(labels, 1) if name in wanted]
    return ["-I", "0,0,0," + ",".join(map(str, places))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--second-try", action="store_true")
    parser.add_argument("--write-costs", type=pathlib.Path, help="the table to write times into")
    asked = parser.parse_args()
    suite = Suite(asked.build)
    labels = suite.labels()
    results = suite.run(["--label-exclude", COMPUTING, "-j", str(WAITING_JOBS)])
    results |= suite.run(["--label-regex", COMPUTING, "-j", str(os.cpu_count() or 1)])
    second = {}
    if asked.write_costs and not all(result == "passed" for result in results.values()):
        asked.write_costs = None  # what failed took another time
    again = to_try_again(labels, results) if asked.second_try else []
    if again:
        print(f"\ntests: a second try of {', '.join(again)}", flush=True)
        second = suite.run(only(labels, again))
    lines, passed = judge(labels, results, second)
    if asked.write_costs:
        suite.write_costs(asked.write_costs)
    print("\n" + "\n".join(lines), flush=True)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
