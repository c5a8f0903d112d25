#!/usr/bin/env python3
"""Write the ctest entries of a doctest program: list_entries.py PROGRAM --name NAME --into FILE ...

The program itself lists its cases, right after it was linked: a case cannot be forgotten, and a file
without a case has no entry. There is one entry a file, or one a case of the files that --by-case
names (`*`: of all files). Entries with the label `integration` may have a second try
(tools/run_tests.py), but for those whose source kills, stops or cuts something off.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

KILLS = re.compile(r"kill\(|SIGKILL|pause\(\)|stall\(|stall_answers|\.cut\(\)|kill -9")


def slug(sentence):
    return re.sub(r"[^a-z0-9]+", "_", sentence.lower()).strip("_")


def file_of(source):
    return pathlib.Path(source).name.removesuffix("_test.cpp")


def pattern(name):
    """Matches the name as a filter of doctest, in which a comma begins the next filter."""
    return re.sub(rb"[^A-Za-z0-9 _.:;-]", b"?", name.encode()).decode()


def cases_of(listing, root="."):
    """File -> names of its cases, from the XML that --list-test-cases prints. Paths may be relative to
    `root`, the sources (cmake/options.cmake)."""
    found = collections.defaultdict(list)
    for case in xml.etree.ElementTree.fromstring(listing).iter("TestCase"):
        if case.get("skipped") == "true":
            raise ValueError(f"a skipped case: {case.get('name')}")
        found[str(pathlib.Path(root, case.get("filename")))].append(case.get("name"))
    return found


def entries_of(program_name, cases, by_case):
    """Name of the entry -> (source, filters). Fails when two cases cannot be told apart."""
    found = {}
    for source, names in cases.items():
        file = file_of(source)
        of_file = f"--source-file=*/{file}_test.cpp"
        prefix = f"{program_name}_{file.removeprefix(program_name + '_')}"
        if "*" not in by_case and file not in by_case:
            found[prefix] = (source, [of_file])
            continue
        if len({pattern(name).lower() for name in names}) != len(names):
            raise ValueError(f"{source}: two cases with one name")
        for name in names:
            entry = f"{prefix}.{slug(name)}"
            if entry in found:
                raise ValueError(f"{source}: two entries {entry}")
            found[entry] = (source, [of_file, f"--test-case={pattern(name)}"])
    return found


def costs_of(table):
    """Name -> seconds, from lines such as `12.5 integration_jobs`; # begins a comment."""
    lines = (line.split("#")[0].split() for line in table.splitlines())
    return {words[1]: float(words[0]) for words in lines if words}


def ctest_lines(entries, program, properties, costs, heavy):
    for name, (source, filters) in entries.items():
        own = dict(properties)
        labels = own["LABELS"].split(";")
        if "integration" in labels and not KILLS.search(pathlib.Path(source).read_text()):
            own["LABELS"] += ";second_try"
        if file_of(source) in heavy:
            own["PROCESSORS"] = 2
        if name in costs:
            own["COST"] = costs[name]
        quoted = " ".join(f"[==[{each}]==]" for each in (program, *filters))
        yield f"add_test([==[{name}]==] {quoted})"
        yield f"set_tests_properties([==[{name}]==] PROPERTIES " + " ".join(
            f'{key} "{value}"' for key, value in own.items()) + ")"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--name", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--into", required=True, type=pathlib.Path)
    parser.add_argument("--by-case", nargs="*", default=[])
    parser.add_argument("--heavy", nargs="*", default=[])
    parser.add_argument("--labels", required=True)
    parser.add_argument("--costs", required=True, type=pathlib.Path)
    asked = parser.parse_args()
    listing = subprocess.run(
        [asked.program, "--list-test-cases", "--reporters=xml"],
        check=True, capture_output=True, text=True).stdout
    entries = entries_of(asked.name, cases_of(listing, asked.root), asked.by_case)
    if not entries:
        sys.exit(f"{asked.program} has no test cases")
    lines = ctest_lines(
        entries, asked.program, {"LABELS": asked.labels, "TIMEOUT": 900},
        costs_of(asked.costs.read_text()), asked.heavy)
    asked.into.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
