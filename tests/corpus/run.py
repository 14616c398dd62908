#!/usr/bin/env python3
"""Runs the corpus: programs as people write them, with their host code, on each back end that this machine has.

    tests/corpus/run.py --kiln build/ci/bin/kiln                      # everything, prints a table
    tests/corpus/run.py --kiln build/ci/bin/kiln --only 'reduce/*'    # entries by pattern
    tests/corpus/run.py --kiln build/ci/bin/kiln --some               # the fifteen of ctest
    tests/corpus/run.py --kiln build/ci/bin/kiln --gpu --hip-shim build/ci/tests/hip_shim/libkiln_hip_shim.so

An entry is FOLDER/NAME.yaml, a job whose kernels stand in NAME.cu beside it. Each is run on the CPU with its checks and
compiled for sm_90 and gfx90a where NVRTC and hipRTC are there; with --gpu it is run on the first NVIDIA GPU, and there on the
hip back end, too. Exit code: 0 all as expected, 1 not, 77 no GPU where one is asked for. Python 3.8, no packages.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parent

# One of each school, for ctest.
SOME = """
bits/crc_morton dense/matmul_tiled dense/wmma_gemm finance/binomial graph/bfs_levels histogram/warp_aggregated image/sobel_texture_free
image/surface_rotate learning/flash_attention physics/nbody_tiles reduce/argmin_shuffle reduce/tree_sum scan/blelloch sort/odd_even stencil/stencil3d_march
""".split()

# Columns that a line "# hip lacks: REASON" of an entry's job concerns. The hip shim compiles by NVRTC, so there the
# entry may also work; in the others an entry that works fails: its line is to be taken out.
LACKS = {"hip": ("gfx90a", "hip shim"), "gpu": ("cuda:0", "hip shim")}
MAY_WORK = ("hip shim",)
MOST_WITH_OPTIONS = 1 / 12
MOST_LINES = 30  # of a failure


class Cell:
    """What came of one entry on one target."""

    def __init__(self, good, text, message=""):
        self.good, self.text, self.message = good, text, message


class Corpus:
    def __init__(self, arguments):
        self.kiln = str(pathlib.Path(arguments.kiln).resolve())
        self.work = pathlib.Path(arguments.work).resolve()
        self.shim = str(pathlib.Path(arguments.hip_shim).resolve()) if arguments.hip_shim else None
        self.limit = arguments.limit
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        self.environment = dict(os.environ, KILN_CACHE_DIR=str(self.work / "cache"))
        self.devices = self.call(["devices"])[1]

    def call(self, words, **environment):
        try:
            done = subprocess.run([self.kiln, *map(str, words)], env={**self.environment, **environment}, cwd=FOLDER,
                                  timeout=self.limit, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, text=True)
        except subprocess.TimeoutExpired as late:
            said = late.stdout or b""
            return 1, (said if isinstance(said, str) else said.decode(errors="replace")) + f"\nno end within {self.limit:g} s"
        return done.returncode, done.stdout

    def has(self, pattern):
        return re.search(pattern, self.devices, re.MULTILINE) is not None

    def targets(self, gpu):
        """Names of columns, and what fills them."""
        columns = [("cpu", self.on_cpu)]
        if self.has(r"^cuda: compiles with NVRTC.*\bsm_90\b"):
            columns.append(("sm_90", lambda entry: self.compiled(entry, "sm_90")))
        if self.has(r"^hip: compiles with hipRTC.*\bgfx90a\b"):
            columns.append(("gfx90a", lambda entry: self.compiled(entry, "gfx90a")))
        if gpu:
            columns.append(("cuda:0", lambda entry: self.ran(entry, "cuda:0")))
            if self.shim:
                columns.append(("hip shim", lambda entry: self.ran(entry, "hip:0", KILN_HIP=self.shim, KILN_HIPRTC=self.shim)))
        return columns

    def ran(self, entry, device, **environment):
        output = self.work / device.replace(":", "") / entry
        code, said = self.call(["run", entry + ".yaml", "--device", device, "--require-checks", "--output", output], **environment)
        if code != 0:
            return Cell(False, "FAILED", said)
        records = [json.loads(line) for line in (output / "records.jsonl").read_text().splitlines()]
        wrong = [record["status"] for record in records if record["status"] != "ok"]
        if wrong or not records:
            return Cell(False, "FAILED", said)
        cell = Cell(True, time_text(max(record["step_seconds"]["median"] for record in records)))
        cell.records = records
        return cell

    def on_cpu(self, entry):
        cell = self.ran(entry, "cpu")
        if not cell.good:
            return cell
        notes = [unit.get("note") or "" for record in cell.records for unit in record["units"]]
        if not any("left out as host code" in note and re.search(r"\bmain\b|other", note) for note in notes):
            return Cell(False, "FAILED", "the host code was not left out: " + repr(notes))
        cell.way = way_of(entry, cell.records)
        return cell

    def compiled(self, entry, arch):
        code, said = self.call(["compile", entry + ".yaml", "--arch", arch])
        return Cell(code == 0, "ok" if code == 0 else "FAILED", said)


def time_text(seconds):
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-4 else f"{seconds * 1e6:.1f} us"


def way_of(entry, records):
    """How the CPU ran the kernels of a step."""
    fibers = {}
    for record in records:
        for launch in record["launches"]:
            because = launch["attributes"].get("fibers_because")
            if because is not None:
                fibers[launch["kernel"]] = because
    if fibers:
        return "fibers: " + "; ".join(f"{kernel}: {because}" for kernel, because in fibers.items())
    text = (FOLDER / (entry + ".cu")).read_text()
    waits = re.search(r"__syncthreads|_sync\(|__syncwarp|cooperative_groups", text)
    return "split at barriers" if waits else "vector loops"


def form_problem(entry):
    """What is wrong with an entry's files; empty: nothing."""
    program = FOLDER / (entry + ".cu")
    if not program.exists():
        return f"{entry}.cu is missing"
    text = program.read_text()
    launches = "<<<" in text or "cudaLaunchCooperativeKernel" in text
    if not re.search(r"\bmain\s*\(", text) or not launches:
        return f"{entry}.cu has no host code"
    return ""


def has_options(entry):
    return re.search(r"\boptions: *(\[|\{ *(cpu|cuda|hip)\b)", (FOLDER / (entry + ".yaml")).read_text()) is not None


def known_failures(entry):
    """The columns of an entry that are known to fail, with the reason."""
    lines = re.findall(r"^# (\w+) lacks: (.+)$", (FOLDER / (entry + ".yaml")).read_text(), re.MULTILINE)
    wrong = [word for word, _ in lines if word not in LACKS]
    if wrong:
        sys.exit(f"{entry}.yaml: '# {wrong[0]} lacks': expected one of {', '.join(LACKS)}")
    return {column: f"{word} lacks {reason}" for word, reason in reversed(lines) for column in LACKS[word]}


def judged(entry, column, cell):
    """The cell's text with what is known, and whether it is as expected."""
    known = known_failures(entry).get(column)
    if known is None:
        return cell.text, cell.good
    if cell.good:
        return (cell.text, True) if column in MAY_WORK else (f"works, though '{known}'", False)
    return "known: " + known, True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kiln", required=True, help="the program")
    parser.add_argument("--work", default=str(FOLDER.parent.parent / "build" / "corpus"), help="folder for caches and records; emptied first")
    parser.add_argument("--jobs", type=int, help="entries at the same time; default 2, with --gpu 1")
    parser.add_argument("--limit", type=float, default=300, metavar="SECONDS", help="of one command; default 300")
    parser.add_argument("--progress", action="store_true", help="print each entry's cells to standard error when it has ended")
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN", help="entries FOLDER/NAME that match")
    parser.add_argument("--some", action="store_true", help="the fifteen of ctest")
    parser.add_argument("--gpu", action="store_true", help="also on the first GPU; exit code 77 where there is none")
    parser.add_argument("--targets", help="columns, separated by commas: cpu, sm_90, gfx90a, cuda:0, hip shim; default all")
    parser.add_argument("--hip-shim", help="with --gpu: the library of tests/hip_shim, to run the hip back end on an NVIDIA GPU")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    arguments = parser.parse_args()

    started = time.monotonic()
    jobs = arguments.jobs or (1 if arguments.gpu else 2)
    entries = sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.glob("*/*.yaml"))
    unknown = [name for name in SOME if name not in entries]
    if unknown:
        sys.exit("run.py names entries that are not there: " + ", ".join(unknown))
    with_options = [entry for entry in entries if has_options(entry)]
    problems = [problem for problem in map(form_problem, entries) if problem]
    for entry in entries:
        known_failures(entry)
    if len(with_options) > MOST_WITH_OPTIONS * len(entries):
        problems.append(f"{len(with_options)} of {len(entries)} entries need options of a compiler: {', '.join(with_options)}")
    if arguments.some:
        entries = SOME
    if arguments.only:
        entries = [entry for entry in entries if any(fnmatch.fnmatch(entry, pattern) for pattern in arguments.only)]
    if not entries:
        sys.exit("no entry matches")

    corpus = Corpus(arguments)
    if arguments.gpu and not corpus.has(r"^ ?cuda:0\b"):
        print("skipped: no NVIDIA GPU here")
        return 77
    columns = corpus.targets(arguments.gpu)
    if arguments.targets:
        names = arguments.targets.split(",")
        missing = [name for name in names if name not in dict(columns)]
        if missing:
            sys.exit(f"--targets: there is no {', '.join(missing)} here; expected one of {', '.join(dict(columns))}")
        columns = [column for column in columns if column[0] in names]

    def row(entry):
        cells = [fill(entry) for _, fill in columns]
        if arguments.progress:
            print(entry, *(f"{name}: {cell.text}" for (name, _), cell in zip(columns, cells)), sep="  ", file=sys.stderr, flush=True)
        return cells

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        rows = list(pool.map(row, entries))

    table, messages, good, known = [["entry", *(name for name, _ in columns), "way on the cpu", "options"]], [], 0, 0
    for entry, cells in zip(entries, rows):
        texts, expected = [], True
        for (column, _), cell in zip(columns, cells):
            text, as_expected = judged(entry, column, cell)
            texts.append(text)
            expected = expected and as_expected
            if not as_expected:
                messages.append(f"== {entry}, {column}\n" + "\n".join(cell.message.strip().splitlines()[:MOST_LINES]) + "\n")
        works = all(cell.good for cell in cells)
        good += works
        known += expected and not works
        table.append([entry, *texts, getattr(cells[0], "way", "-"), "yes" if entry in with_options else ""])
    print_table(table, arguments.markdown)
    print(f"\n{good} of {len(entries)} entries work on {', '.join(name for name, _ in columns)}"
          f"{f', {known} fail as known' if known else ''}; "
          f"{time.monotonic() - started:.0f} s, {jobs} at the same time")
    for message in [*messages, *problems]:
        print("\n" + message)
    return 1 if messages or problems else 0


def print_table(table, markdown):
    if markdown:
        for number, row in enumerate(table):
            print("| " + " | ".join(row) + " |")
            if number == 0:
                print("| " + " | ".join("---" for _ in row) + " |")
        return
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for row in table:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())


if __name__ == "__main__":
    sys.exit(main())
