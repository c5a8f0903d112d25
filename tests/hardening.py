#!/usr/bin/env python3
"""Whether linked programs are hardened as a release is to be: hardening.py PROGRAM...

Flags say what was asked for; this looks at what came of it, in the programs that are shipped.
"""
import re
import subprocess
import sys

# What clang puts at the start of a function that may be called through a pointer (endbr64).
LANDING_PAD = b"\xf3\x0f\x1e\xfa"
LANDING_PADS_MIN = 1000


def read(program, *what):
    return subprocess.run(
        ["llvm-readelf-19", "--wide", *what, program], check=True, capture_output=True, text=True
    ).stdout


def is_guarded(program, image, refusal, functions):
    """By the functions it asks the C library for, or, in a static program, by what they say."""
    imported = re.findall(r"\bUND (\S+)", read(program, "--dyn-syms"))
    if any(re.match(functions, name) for name in imported):
        return True
    return refusal in image


def lacks_of(program):
    with open(program, "rb") as file:
        image = file.read()
    segments = read(program, "--program-headers")
    dynamic = read(program, "--dynamic-table")
    stack = re.search(r"GNU_STACK(?:\s+0x\w+){5}\s+(\w+)", segments)
    findings = {
        "position-independent": " DYN " in read(program, "--file-header"),
        "relocations read-only after the start": "GNU_RELRO" in segments
        and bool(re.search(r"FLAGS\b.*BIND_NOW", dynamic)),
        "a stack without code": stack is not None and "E" not in stack[1],
        "no segment to write and run": not re.search(r"LOAD(?:\s+0x\w+){5}\s+RWE", segments),
        "no search path of its own": not re.search(r"RPATH|RUNPATH", dynamic),
        "no relocation in code": "TEXTREL" not in dynamic,
        "stack protector": is_guarded(
            program, image, b"stack smashing detected", "__stack_chk_fail"
        ),
        "fortified calls": is_guarded(program, image, b"buffer overflow detected", r"__\w+_chk\b"),
        "control-flow protection": image.count(LANDING_PAD) >= LANDING_PADS_MIN,
    }
    return [name for name, held in findings.items() if not held]


def main():
    failed = 0
    for program in sys.argv[1:]:
        lacks = lacks_of(program)
        failed += bool(lacks)
        print(f"{program}: {'lacks ' + ', '.join(lacks) if lacks else 'hardened'}")
    if not sys.argv[1:]:
        sys.exit("hardening: no program is named")
    sys.exit(1 if failed else 0)


main()
