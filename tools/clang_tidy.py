#!/usr/bin/env python3
"""Runs clang-tidy over the product's sources. Tests, contract suites and the simulator have the
compiler's warnings and tidy.py. Each file is looked at once per content: what was clean and has not
changed, nor any header of ours, is not looked at again.

A file costs seconds, nearly all of it for Asio's headers. So without --all it looks at the sources that
were changed last, by themselves or by the header of their name, as many as there is time for; `make soak`
looks at everything."""
import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OURS = "src/"
TEST_SUITES = "src/ports/contract/"
RECENT_SOURCES = 40


def digest_of(paths):
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def sources_of(build):
    commands = json.loads((build / "compile_commands.json").read_text())
    for command in commands:
        path = pathlib.Path(command["file"])
        if not path.is_relative_to(ROOT) or path.name.endswith(("_test.cpp", "_fixture.cpp")):
            continue
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(OURS) and not name.startswith(TEST_SUITES):
            yield path


def git(*words):
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def recently_changed(files):
    found = {}
    for name in git("diff", "--name-only", "HEAD") + git("log", "-100", "--name-only", "--format="):
        source = (ROOT / name).with_suffix(".cpp")
        if source in files and len(found) < RECENT_SOURCES:
            found[source] = True
    return set(found)


def check(build, path):
    done = subprocess.run(
        ["clang-tidy-19", "--quiet", "-p", str(build),
         f"--extra-arg=-isysroot{ROOT}",  # where precompiled headers find ours: cmake/options.cmake
         str(path)], capture_output=True, text=True)
    return path, done.returncode, done.stdout + done.stderr


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--build", type=pathlib.Path, required=True)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--all", action="store_true", help="look at every file")
    options.add_argument("only", nargs="*", help="parts of paths to look at; all when empty")
    chosen = options.parse_args()
    build = chosen.build.resolve()

    common = digest_of([*ROOT.glob("src/**/*.h"), ROOT / ".clang-tidy", *ROOT.glob("src/**/.clang-tidy")])
    stamps = build / "clang-tidy"
    stamps.mkdir(exist_ok=True)
    todo = {}
    files = sorted(set(sources_of(build)))
    every = chosen.all or chosen.only
    wanted = set(files) if every else recently_changed(set(files))
    for path in files:
        if path not in wanted:
            continue
        if chosen.only and not any(part in path.as_posix() for part in chosen.only):
            continue
        stamp = stamps / hashlib.sha256((common + digest_of([path])).encode()).hexdigest()
        if not stamp.exists():
            todo[path] = stamp

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        runs = [pool.submit(check, build, path) for path in todo]
        for count, run in enumerate(concurrent.futures.as_completed(runs), 1):
            path, code, output = run.result()
            print(f"[{count}/{len(todo)}] {path.relative_to(ROOT)}", flush=True)
            if code == 0:
                todo[path].touch()
                continue
            failed += 1
            print(output.strip(), flush=True)
    print(f"clang-tidy: {len(files)} files, {len(todo)} looked at, {failed} with findings")
    return 1 if failed else 0


sys.exit(main())
