#!/usr/bin/env python3
"""Check that no small body of an inline function replaced a fast one: fast_code.py MAP LIBRARIES.

MAP is the map that lld wrote of a program. LIBRARIES is a file with the paths of the fast libraries, one
per line (cmake/flags.cmake). An inline function that a fast library holds must not come from another one.
"""
import pathlib
import re
import subprocess
import sys

# VMA, LMA, size, alignment, then `archive(object):(.text.function)`.
SECTION = re.compile(r"\s*[0-9a-f]+\s+[0-9a-f]+\s+[0-9a-f]+\s+\d+\s+(\S+\.a)\([^)]*\):\(\.text\.(_Z\S+)\)")


def linked_functions(map_text):
    """(library, function) of each function that has a section of its own."""
    matches = map(SECTION.match, map_text.splitlines())
    return [(pathlib.Path(match[1]).name, match[2]) for match in matches if match]


def inline_functions(libraries):
    listing = subprocess.run(
        ["llvm-nm-19", "--defined-only", "--format=posix", *libraries],
        check=True, capture_output=True, text=True).stdout
    fields = (line.split() for line in listing.splitlines())
    return {field[0] for field in fields if len(field) > 1 and field[1] in "WV"}


def replaced_functions(linked, fast_libraries, fast_functions):
    return [(library, function) for library, function in linked
            if library not in fast_libraries and function in fast_functions]


def main():
    map_file, list_file = map(pathlib.Path, sys.argv[1:])
    paths = list_file.read_text().split()
    fast_libraries = {pathlib.Path(path).name for path in paths}
    linked = linked_functions(map_file.read_text())
    if not any(library in fast_libraries for library, _ in linked):
        sys.exit(f"{map_file}: no function of a fast library found; is it a map of lld?")
    replaced = replaced_functions(linked, fast_libraries, inline_functions(paths))
    for library, function in replaced:
        print(f"{library}: {function}")
    print(f"{len(linked)} functions, {len(replaced)} fast ones replaced by small ones")
    return 1 if replaced else 0


if __name__ == "__main__":
    sys.exit(main())
