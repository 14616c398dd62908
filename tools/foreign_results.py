#!/usr/bin/env python3
"""Whether a suite of CUDA programs has the same results on the CPU's two ways to run a block and on a GPU.

    tools/foreign_results.py ~/HeCBench/src --kiln build/release/bin/kiln
    tools/foreign_results.py ~/rodinia/cuda --kiln build/release/bin/kiln --sides cpu,cuda:0 --table rodinia.md

For each kernel of each program (see foreign_suite.py): `kiln new FILE KERNEL`, and `kiln run` of the filled-in draft on each side:
cpu (blocks split into loops), fibers (the CPU with -DKILN_FIBERS), cuda:0, hip:0. Nobody says what is right; two sides that agree
are evidence, and two that differ have a reason. All buffers are compared: integers bit by bit, floats within a relative tolerance.

A draft is filled in so that kernels stay inside their buffers and work-items do not share elements: buffers of at least 131072 elements
with random content, sizes of 1024 and 333, other whole numbers 32 and 19, grids of at most 24 x 6 x 4 blocks. Multiplications and
additions are not fused. The first size runs twice: a kernel that differs from itself is counted alone. A kernel that reads what it
never wrote, or whose work-items race, differs for a reason of its own: --uninitialised compiles it twice more, with other contents
of variables that have no value, and counts those that differ then. Python 3.8, no packages.
"""
import argparse
import array
import collections
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import re
import shutil
import struct
import sys

import foreign_suite

ELEMENTS = 131072  # of a buffer, at least
BLOCKS = (24, 6, 4)  # of a grid, at most
TURNS = ("0", "1", "2")  # 1 is 0 again, 2 has other sizes
CODES = {"char": "b", "uchar": "B", "bool": "B", "short": "h", "ushort": "H", "int": "i", "unsigned": "I", "uint": "I", "long": "q",
         "ulong": "Q", "size_t": "Q", "half": "e", "bfloat16": "H", "float": "f", "double": "d"}
TOLERANCE = {"half": 4e-3, "float": 1e-5, "double": 1e-9}
UNINITIALISED = ("-ftrivial-auto-var-init=zero", "-ftrivial-auto-var-init=pattern")


def items_of(row):
    return [item.strip().strip('"') for item in re.findall(r'"[^"]*"|[^,\s][^,]*', row)]


def filled_in(draft, cpu_options):
    """The draft as a job, and its buffers as (name, scalar type)."""
    kept = set(re.findall(r"\{(?:pointers|texture|surface|tensor_map): \"?(\w+)", draft))  # their shapes have a meaning
    for names in re.findall(r"^      symbols: \{(.*?)\}", draft, re.MULTILINE):
        kept.update(re.findall(r": (\w+)", names))
    types = dict(re.findall(r"^    (\w+): \{type: type, default: \"?(\w+)", draft, re.MULTILINE))
    lines, buffers, section, options_at = [], [], "", 0
    turn = "    kiln_turn: {type: int, default: 0, bind: run}"

    def options(written):
        more = f", {written}" if written else ""
        cpu = ", ".join(["-ffp-contract=off", *cpu_options])
        return f"      options: {{cpu: [{cpu}{more}], cuda: [-fmad=false{more}], hip: [-ffp-contract=off{more}]}}"

    def parameter(found):
        head, value, tail = found.groups()
        odd = {"1024": "333", "64": "19"}.get(value) if "FILL IN" in tail else None
        if "FILL IN its value" in tail and value == "1":
            value, odd = ("0.5", "1.75") if re.search(r"type: (float|double)", head) else ("32", "19")
        return f'{head}"kiln_turn == 2 ? {odd} : {value}"{tail}' if odd else f"{head}{value}{tail}"

    def buffer(found):
        name, of_type, shape, tail = found.groups()
        scalar = types.get(of_type, of_type)
        scalar = re.sub(r"(?<=[a-z])[234]$", "", scalar)
        scalar = "unsigned" if scalar == "uint" else scalar
        buffers.append((name, scalar))
        with_pointers = scalar == "uchar" and "* 64" in shape
        if scalar in CODES and shape not in ("1", "2") and not with_pointers:
            top = 1 if scalar in (*TOLERANCE, "bfloat16", "bool") else 16
            tail = re.sub(r"init: 0(?=[},])", f"init: {{uniform: [0, {top}]}}", tail)
        if scalar in CODES and name not in kept:
            shape = '"max(%d, 2 * %s)"' % (ELEMENTS, " * ".join(f"({item})" for item in items_of(shape)) or "1")
        return f"    {name}: {{type: {of_type}, shape: [{shape}]{tail}"

    for line in draft.splitlines():
        heading = re.match(r"  (\w+):", line)
        if heading:
            section = heading.group(1)
            if section == "parameters":
                lines += [line, turn]
                continue
            if section == "buffers" and turn not in lines or section == "kernels" and turn not in lines:
                lines += ["  parameters:", turn]
        if section == "parameters":
            line = re.sub(r"^(    \w+: \{type: \w+, default: )([\w.]+)(.*)$", parameter, line)
        elif section == "buffers":
            line = re.sub(r"^    (\w+): \{type: (\w+), shape: \[(.*?)\](.*)$", buffer, line)
        elif section == "kernels":
            written = re.match(r"      options: \[(.*?)\]", line)
            if written:
                lines[options_at] = options(written.group(1))
                continue
            grid = re.match(r"      grid: \[(.*?)\]", line)
            if grid:
                line = "      grid: [%s]" % ", ".join(f'"min({most}, {item})"' for item, most in zip(items_of(grid.group(1)), BLOCKS))
            line = re.sub(r'^      shared: "?(.*?)"?  # FILL IN.*', r'      shared: "max(24576, \1)"', line)
        elif line.startswith("measure:"):
            line = "measure: {min_time: 1 us, max_time: 2 us}"
        lines.append(line)
        if section == "kernels" and re.match(r"    \w+:", line):
            options_at = len(lines)
            lines.append(options(""))
    return "\n".join(lines) + "\n", buffers


def numbers(data, scalar):
    code = CODES.get(scalar, "B")
    if code == "e":
        return [one for one, in struct.iter_unpack("<e", data[: len(data) // 2 * 2])]
    return array.array(code, data[: len(data) // array.array(code).itemsize * array.array(code).itemsize])


def difference(one, other, scalar):
    """None, or how two buffers differ."""
    if one == other:
        return None
    if len(one) != len(other):
        return "sizes differ"
    tolerance = TOLERANCE.get(scalar, 0)
    count, first = 0, ""
    for at, (x, y) in enumerate(zip(numbers(one, scalar), numbers(other, scalar))):
        if x == y or x != x and y != y or tolerance and math.isclose(x, y, rel_tol=tolerance, abs_tol=tolerance * 1e-2):
            continue
        if count == 0:
            first = f"[{at}] is {x:.9g} and {y:.9g}"
        count += 1
    return f"{count} differ, {first}" if count else None


class Runner:
    def __init__(self, arguments, folder, work):
        self.kiln, self.limit, self.folder, self.work = arguments.kiln, arguments.limit, folder, work
        self.sides, self.uninitialised = arguments.sides.split(","), arguments.uninitialised
        self.environment = dict(os.environ, KILN_CACHE_DIR=str(work / "cache"), KILN_LAUNCH_TIME_LIMIT=f"{arguments.limit} s")

    def buffers(self, draft, side, into, cpu_options=()):
        """What the side leaves in the buffers, by (name, turn); or the reason why it leaves nothing."""
        job, buffers = filled_in(draft, [*cpu_options, "-DKILN_FIBERS"] if side == "fibers" else list(cpu_options))
        path = into.with_suffix(".yaml")  # beside the draft: paths in it are relative
        path.write_text(job)
        device = "cpu" if side == "fibers" else side
        command = [self.kiln, "run", str(path), "--device", device, "--format", "json", "--sweep", "kiln_turn=" + ",".join(TURNS)]
        for name, _ in buffers:
            command += ["--keep", f"{name}={into}.{{kiln_turn}}.{name}.bin"]
        code, said = foreign_suite.run(command, self.environment, self.limit)
        states = [json.loads(line)["status"] for line in said.splitlines() if line.startswith('{"format"')]
        bad = [state for state in states if state not in ("ok", "unchecked")]
        if code != 0 or bad or len(states) < len(TURNS):
            return None, "time limit" if code is None else bad[0] if bad else foreign_suite.first_error(said)
        kept = {(name, t): into.with_name(f"{into.name}.{t}.{name}.bin") for name, _ in buffers for t in TURNS}
        return {key: (path.read_bytes(), dict(buffers)[key[0]]) for key, path in kept.items() if path.exists()}, None

    def differences(self, one, other, turns=(("0", "0"), ("2", "2"))):
        found = []
        for (name, turn), (data, scalar) in one.items():
            for mine, others in turns:
                if turn == mine and (name, others) in other:
                    said = difference(data, other[name, others][0], scalar)
                    if said:
                        found.append(f"{name}, turn {others}: {said}")
        return found

    def kernel(self, program, kernel):
        """How the kernel ends, and the reason."""
        folder = self.work / "runs" / hashlib.sha1(f"{program} {kernel}".encode()).hexdigest()[:12]
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        code, said = foreign_suite.run([self.kiln, "new", str(self.folder / program), kernel, "-o", str(folder / "draft.yaml"), "--force"], self.environment, self.limit)
        if code != 0:
            return "no draft", foreign_suite.first_error(said)
        draft = (folder / "draft.yaml").read_text()
        results, failed = {}, {}
        for side in self.sides:
            results[side], failed[side] = self.buffers(draft, side, folder / side.replace(":", ""))
        reasons = [f"{side}: {reason}" for side, reason in failed.items() if reason]
        if len(reasons) == len(self.sides):
            return "fails on every side", reasons[0]
        if reasons:
            return "fails on one side", "; ".join(reasons)
        for side in self.sides:
            itself = self.differences(results[side], results[side], (("0", "1"),))
            if itself:
                return "differs from itself", f"{side}: {itself[0]}"
        first = self.sides[0]
        different = [f"{side}: {said}" for side in self.sides[1:] for said in self.differences(results[first], results[side])]
        if not different:
            shutil.rmtree(folder)
            return "equal", ""
        if self.uninitialised:
            both = [self.buffers(draft, "cpu", folder / f"with{number}", [option])[0] for number, option in enumerate(UNINITIALISED)]
            if both[0] and both[1] and self.differences(*both):
                return "reads what it never wrote", different[0]
        return "differs", f"{different[0]}; {folder}"

    def program(self, name):
        draft = self.work / "drafts" / (name + ".yaml")
        draft.parent.mkdir(parents=True, exist_ok=True)
        code, said = foreign_suite.run([self.kiln, "new", str(self.folder / name), "-o", str(draft), "--force"], self.environment, self.limit)
        if code != 0:
            return [(name, "", "no draft", foreign_suite.first_error(said))]
        kernels = draft.read_text().partition("\n  kernels:\n")[2].partition("\n  run:")[0]
        return [(name, kernel, *self.kernel(name, kernel)) for kernel in re.findall(r"^    (\w+):$", kernels, re.MULTILINE)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", help="folder with a checkout, or a URL to clone")
    parser.add_argument("--kiln", required=True, help="the program")
    parser.add_argument("--sides", default="cpu,fibers", help="cpu, fibers, cuda:0, hip:0; the first is compared with the others; default: cpu,fibers")
    parser.add_argument("--only", action="append", default=[], metavar="PATTERN", help="paths below the folder that match")
    parser.add_argument("--work", default="build/foreign_results", help="for drafts, jobs, buffers that differ, the cache and a clone; kept")
    parser.add_argument("--uninitialised", action="store_true", help="tell kernels that read what they never wrote from the others that differ")
    parser.add_argument("--table", help="write the table as Markdown to this file")
    parser.add_argument("--jobs", type=int, default=2, help="programs at the same time")
    parser.add_argument("--limit", type=int, default=40, help="seconds for one command")
    arguments = parser.parse_args()
    for side in arguments.sides.split(","):
        if not re.fullmatch(r"cpu|fibers|cuda:\d+|hip:\d+", side):
            sys.exit(f"'{side}' is no side; there are cpu, fibers, cuda:0 and hip:0")

    work = pathlib.Path(arguments.work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    folder = foreign_suite.checkout(arguments.suite, work)
    arguments.kiln = str(pathlib.Path(arguments.kiln).resolve())
    programs = list(foreign_suite.find_programs(folder, arguments.only))
    if not programs:
        sys.exit(f"{folder} has no file with __global__" + (" that matches" if arguments.only else ""))
    runner = Runner(arguments, folder, work)
    rows = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for number, found in enumerate(pool.map(runner.program, programs), 1):
            rows += found
            for name, kernel, end, reason in found:
                print(f"{number}/{len(programs)} {name} {kernel}: {end} {foreign_suite.shortened(reason)}", file=sys.stderr)
    lines = ["| program | kernel | end | reason |", "| --- | --- | --- | --- |"]
    lines += [f"| {name} | {kernel} | {end} | {foreign_suite.shortened(reason)} |" for name, kernel, end, reason in rows if end != "equal"]
    ends = collections.Counter(end for _, _, end, _ in rows)
    report = "\n".join([*lines, "", f"{len(rows)} kernels of {len(programs)} programs:", *(f"{count:4} {end}" for end, count in ends.most_common())])
    print(report)
    if arguments.table:
        pathlib.Path(arguments.table).write_text(report + "\n")
    return 1 if ends["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
