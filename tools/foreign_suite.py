#!/usr/bin/env python3
"""How much of a suite of CUDA programs Kiln takes as it is.

    tools/foreign_suite.py ~/HeCBench/src --kiln build/release/bin/kiln
    tools/foreign_suite.py https://github.com/NVIDIA/cuda-samples.git --kiln build/release/bin/kiln --only '*/0_Intro*/*'
    tools/foreign_suite.py ~/rodinia/cuda --kiln build/release/bin/kiln --arch cpu,sm_90 --table rodinia.md

A program is a .cu or .hip file with a __global__ function, in its own text or in a file that it includes, that no other file
includes; or a .cpp file that includes <hip/hip_runtime.h> and has such a function.
For each: `kiln new FILE`, `kiln validate` and `kiln compile` of the draft for the CPU and for sm_90, with no work by hand. Nothing
is run: a draft does not know what is right. A draft is complete if it is valid and has every kernel of the file. Only complete
drafts are compiled, and every count is of all programs. The table says what compiles, and of the rest the first line of the
error; at the end the errors by how many programs have them. The suite is not changed: drafts and the cache stand in the folder
of --work. A URL is cloned there (git clone --depth 1). Python 3.8, no packages.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

LONGEST = 160  # of an error in the table


def run(command, environment, limit):
    """Exit code, None for a process that takes longer, which is killed with its children; and the output."""
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", start_new_session=True) as process:
        try:
            said, _ = process.communicate(timeout=limit)
            return process.returncode, said
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, f"error: takes more than {limit} s"


def first_error(said):
    """The line that says what is wrong."""
    lines = [line.strip() for line in said.splitlines()]
    for pattern in (r"\b[Ee]rror\b *[:(]", r"cannot be|not known|refused"):
        for line in lines:
            if re.search(pattern, line) and not line.startswith("│"):
                return line
    rest = [line for line in lines if line]
    return rest[-1] if rest else "says nothing"


def shortened(text):
    text = re.sub(r"\s+", " ", text.replace("|", "\\|"))
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def kind_of(error):
    """An error without its place, and without what is quoted unless it is a header, to count alike ones together."""
    error = re.sub(r"^(kiln: error: )?[\w./+-]+\.\w+([:(]\d+[:)]?)*(\d+:)? *:? *", "", error)
    error = error.split("; '")[0]  # headers that were left out
    return shortened(re.sub(r"(['\"‘“])(?![^'\"’”]*\.(h|cuh|hpp)\b).*?(['\"’”])", "'...'", error))


SOURCES = (".cu", ".hip", ".cuh", ".h", ".hpp", ".hh", ".inl", ".inc", ".cpp", ".cc", ".c")


def included_files(folder):
    """For each source file: the files of the folder that it includes; has it a kernel; is it C++ for HIP."""
    texts = {path: path.read_text(errors="replace") for path in folder.rglob("*") if path.suffix in SOURCES and path.is_file()}
    by_name = collections.defaultdict(list)
    for path in sorted(texts):
        by_name[path.name].append(path)

    def meant(path, sign, name):
        """From beside it, if the name is in quotes; else the nearest file whose path ends so."""
        beside = pathlib.Path(os.path.normpath(path.parent / name))
        if sign == '"' and beside.is_file():
            return beside
        ends = [one for one in by_name[pathlib.PurePath(name).name] if one.as_posix().endswith("/" + name)]
        return max(ends, key=lambda one: len(os.path.commonpath([one, path])), default=None)

    includes = {}
    for path, text in texts.items():
        names = re.findall(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^"<>\n]+)[">]', text, re.MULTILINE)
        found = {meant(path, sign, name) for sign, name in names} - {None, path}
        code = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
        has_body = re.search(r"__global__[^;{}]*\{", code) is not None
        for_hip = path.suffix in (".cpp", ".cc") and re.search(r"#[ \t]*include[ \t]*[<\"]hip/hip_runtime", text) is not None
        includes[path] = (found, has_body, for_hip)
    return includes


def find_programs(folder, patterns):
    """The programs that have kernels, in their own text or in what they include, and that no other file includes."""
    includes = included_files(folder)
    parts = set().union(*(found for found, _, _ in includes.values()))

    def has_kernels(path):
        seen, waiting = set(), [path]
        while waiting:
            one = waiting.pop()
            if one in seen or one not in includes:
                continue
            seen.add(one)
            if includes[one][1]:
                return True
            waiting.extend(includes[one][0])
        return False

    for path in sorted(includes):
        name = path.relative_to(folder).as_posix()
        if patterns and not any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            continue
        _, has_body, for_hip = includes[path]
        if path.suffix not in (".cu", ".hip") and not (for_hip and has_body):
            continue
        if path not in parts and has_kernels(path):
            yield name


def checkout(source, work):
    """The folder of the suite; a URL is cloned."""
    if re.match(r"(https?|ssh|git)://|git@", source):
        folder = work / "suite"
        if not folder.exists():
            subprocess.run(["git", "clone", "--depth", "1", source, str(folder)], check=True)
        return folder
    folder = pathlib.Path(source).resolve()
    if not folder.is_dir():
        sys.exit(f"{source} is no folder; give a checkout or a URL that git can clone")
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", help="folder with a checkout, or a URL to clone")
    parser.add_argument("--kiln", required=True, help="the program")
    parser.add_argument("--arch", default="cpu,sm_90", help="targets to compile for: cpu, sm_90, gfx90a; default: cpu,sm_90")
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN", help="paths below the folder that match")
    parser.add_argument("--work", default="build/foreign_suite", help="for drafts, the cache and a clone; kept")
    parser.add_argument("--table", help="write the table as Markdown to this file")
    parser.add_argument("--jobs", type=int, default=2, help="files at the same time")
    parser.add_argument("--limit", type=int, default=120, help="seconds for one command")
    arguments = parser.parse_args()

    work = pathlib.Path(arguments.work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    folder = checkout(arguments.suite, work)
    kiln = str(pathlib.Path(arguments.kiln).resolve())
    targets = arguments.arch.split(",")
    environment = dict(os.environ, KILN_CACHE_DIR=str(work / "cache"))
    programs = list(find_programs(folder, arguments.only))
    if not programs:
        sys.exit(f"{folder} has no file with __global__" + (" that matches" if arguments.only else ""))
    started = time.monotonic()
    steps = ["new", "validate", "kernels left out", *targets]

    def try_one(name):
        draft = work / "drafts" / (name + ".yaml")
        draft.parent.mkdir(parents=True, exist_ok=True)
        code, said = run([kiln, "new", str(folder / name), "-o", str(draft), "--force"], environment, arguments.limit)
        row = {"new": None if code == 0 else first_error(said)}
        if code != 0:
            return name, row
        left_out = [line for line in said.splitlines() if "is left out" in line]
        row["kernels left out"] = left_out[0].partition("' is left out: ")[2] or left_out[0] if left_out else None
        row["left out"] = len(left_out)
        code, said = run([kiln, "validate", str(draft)], environment, arguments.limit)
        row["validate"] = None if code == 0 else first_error(said)
        if left_out or code != 0:
            return name, row
        for target in targets:
            code, said = run([kiln, "compile", str(draft), "--arch", "native" if target == "cpu" else target], environment, arguments.limit)
            row[target] = None if code == 0 else first_error(said)
        return name, row

    rows = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, row in pool.map(try_one, programs):
            rows.append((name, row))
            problems = [f"{step}: {row[step]}" for step in steps if row.get(step)]
            print(f"{len(rows)}/{len(programs)} {name}: {shortened(problems[0]) if problems else 'ok'}", file=sys.stderr)

    lines = ["| program | " + " | ".join(["draft", *targets]) + " | first error |", "| --- " * (len(targets) + 3) + "|"]
    for name, row in rows:
        cells = ["-" if step not in row else "ok" if row[step] is None else "no" for step in ["new", *targets]]
        if row.get("validate"):
            cells[0] = "not valid"
        elif row.get("left out"):
            cells[0] = f"{row['left out']} kernels left out"
        errors = [row[step] for step in steps if row.get(step)]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {shortened(errors[0]) if errors else ''} |")
    count = len(rows)
    valid = [row for _, row in rows if row["new"] is None and not row["validate"]]
    complete = [row for row in valid if not row["left out"]]
    summary = [
        f"{count} programs with kernels, {time.monotonic() - started:.0f} s, {arguments.jobs} at the same time",
        f"{len(valid)} of {count} drafts are valid; {len(complete)} of {count} are valid and have every kernel",
    ]
    for target in targets:
        summary.append(f"{target}: {sum(row[target] is None for row in complete)} of {count} have every kernel and compile")
    kinds = collections.Counter(f"{step}: {kind_of(row[step])}" for _, row in rows for step in steps if row.get(step))
    report = "\n".join([*lines, "", *summary, "", "By number of programs:", *(f"{number:4} {kind}" for kind, number in kinds.most_common())])
    print(report)
    if arguments.table:
        pathlib.Path(arguments.table).write_text(report + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
