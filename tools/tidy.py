#!/usr/bin/env python3
"""Repository rules that clang-tidy cannot express. One line per finding; exit 1 if any."""
import pathlib
import re
import subprocess
import sys

import texts

# Who may include whom. A new arrow here is an architecture decision: write an ADR first.
LAYERS = {
    "base": set(),
    "core": {"base"},
    "ports": {"base", "core"},
    "runtime": {"base", "core", "ports"},
    "adapters": {"base", "core", "ports", "runtime"},
    "services": {"base", "core", "ports", "runtime", "adapters"},
    "api": {"base", "core", "ports", "runtime", "adapters", "services"},
    "roles": {"base", "core", "ports", "runtime", "adapters", "services", "api"},
    "apps": {"base", "core", "ports", "runtime", "adapters", "services", "api", "roles"},
    "sim": {"base", "core", "ports", "runtime", "services", "roles"},
    "tests": {"base", "core", "ports", "runtime", "adapters", "services", "api", "roles", "apps"},
    "bench": {"base", "core", "ports", "runtime", "adapters", "services", "api", "roles", "tests"},
}
# Codecs without I/O, by which the simulator speaks the agents' own language, and how programs read
# their words.
SIM_ALSO = ("adapters/agent_protocol/", "apps/command_line/")
# Services, API and roles know ports and the network, not which engine is behind a port.
ENGINE_BANS = {
    r'#include "adapters/(metastore|bus|ledger)/': "this layer knows the port, not the engine: apps wire engines",
}
PURE_BANS = {
    r"#include <boost/": "I/O library in a pure layer",
    r"#include <(thread|mutex|future|fstream|iostream|unistd\.h)>": "I/O or threads in a pure layer",
    r"random_device|\brand\(": "pure code takes a prng&",
    r"std::unordered_": "effects would depend on hash order; use std::map",
}
BANS = {
    r"\basio::detached\b": "spawn into a task_group",
    r"_clock::now\(": "take `instant now` or a clock& (only runtime/clock.cpp reads the clock)",
    r"\b(TODO|FIXME|XXX)\b": "finish it or say it in an issue",
    r"using namespace std;": "name what you use",
    r"\bstd::regex\b": "slow and unbounded in time; parse by hand",
    r"asio::ssl::stream": "use adapters/net's tls_stream: 15 KB a connection, not 75",
}
# Where a ban's replacement lives, or where the foreign world must be met as it is.
EXEMPT = {
    (r"_clock::now\(", "src/runtime/clock.cpp"),
    (r"_clock::now\(", "sim/clock.cpp"),
    # The other process of the test: run by it, and killed.
    (r"doctest::skip\b", "src/adapters/metastore/sqlite/sqlite_metastore_crash_test.cpp"),
}
TEST_BANS = {
    r"doctest::skip\b": "mend the test or remove it",
    r"this_thread::sleep": "wait for the condition: harness::eventually, or a virtual clock",
}
LINES_MAX = 400
COLUMNS_MAX = 100


def blank(match):  # keeps offsets and line numbers
    return match[0] if match[0][0] == '"' else re.sub(r"[^\n]", " ", match[0])


def without_comments(text):
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def is_test(path):  # fixtures are compiled into the test program beside them
    return path.name.endswith(("_test.cpp", "_fixture.cpp", "_fixture.h"))


def layer_of(path):
    return path.parts[1] if path.parts[0] == "src" else path.parts[0]


def bans_for(path, layer):
    bans = dict(BANS)
    if layer in ("base", "core"):
        bans |= PURE_BANS
    if layer in ("services", "api", "roles") and not is_test(path):
        bans |= ENGINE_BANS
    if is_test(path) or path.parts[0] == "sim":
        bans |= TEST_BANS
    return bans


def findings(path, text):
    layer = layer_of(path)
    code = without_comments(text)
    for m in re.finditer(r'#include "([a-z_]+)/', code):
        if layer == "sim" and code[m.start() + len('#include "'):].startswith(SIM_ALSO):
            continue
        allowed = LAYERS.get(layer, set()) | ({"tests"} if is_test(path) else set())
        if m[1] != layer and m[1] not in allowed:
            yield m.start(), f"layer {layer} must not include {m[1]}"
    for pattern, why in bans_for(path, layer).items():
        if (pattern, path.as_posix()) in EXEMPT:
            continue
        searched = text if "TODO" in pattern else code
        yield from ((m.start(), why) for m in re.finditer(pattern, searched))
    own = path.with_suffix(".h")
    first = re.search(r'#include ["<]([^">]+)[">]', code)
    if path.suffix == ".cpp" and own.exists() and first and not own.as_posix().endswith(first[1]):
        yield first.start(), "a source includes its own header first"
    if path.suffix == ".h" and "#pragma once" not in text:
        yield 0, "a header starts with #pragma once"
    if path.parts[0] == "src" and not is_test(path) and "contract" not in path.parts:
        yield from texts.source_findings(code)
    offset = 0
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > COLUMNS_MAX:
            yield offset, f"line longer than {COLUMNS_MAX} columns"
        if number == LINES_MAX + 1:
            yield offset, f"more than {LINES_MAX} lines: usually two concepts"
        offset += len(line) + 1


def listed(*folders):
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", *folders],
        check=True, capture_output=True, text=True).stdout.split()
    return [path for path in map(pathlib.Path, names) if path.exists()]


def checks():
    """Each file with the function that finds its problems."""
    for path in listed("src", "sim", "tests", "bench"):
        # The test main and precompiled headers have no layer of their own.
        if path.suffix in (".h", ".cpp") and (len(path.parts) > 2 or path.parts[0] != "src"):
            yield path, findings
    for path in listed("web/src"):
        if path.suffix in (".ts", ".tsx") and ".test." not in path.name:
            yield path, lambda _, text: texts.web_findings(text)
    for path in listed("*.md"):
        yield path, texts.link_findings


def main():
    files = 0
    found = 0
    for path, find in checks():
        text = path.read_text()
        files += 1
        for at, why in find(path, text):
            print(f"{path}:{text.count(chr(10), 0, at) + 1}: {why}")
            found += 1
    print(f"tidy: {files} files, {found} findings")
    return 1 if found else 0


sys.exit(main())
