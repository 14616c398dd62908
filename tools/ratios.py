#!/usr/bin/env python3
"""Kiln beside the libraries, from records of `kiln run` and rows of python/bench: a table in Markdown with the goals.

    tools/ratios.py results/measure/library --goals tools/goals.csv

FOLDER holds folders with records.jsonl and logs NAME.log of python/bench. A line of the table is a problem: Kiln's fastest
record that is ok, the library's, and the quotient of their times. Records of several runs of a problem make a range. Records that
are wrong or failed are named below the table. A step of `times` products counts as one of them. Exit code 1 if there are such, 2 for bad input.
"""

import argparse
import csv
import fnmatch
import json
import pathlib
import re
import sys

# The parameters that make a problem, beside the type of numbers.
PROBLEMS = {
    "gemm": ["Out", "m", "n", "k", "trans_a", "trans_b", "beta"],
    "gemm_scaled": ["Out", "m", "n", "k"],
    "batched_gemm": ["m", "n", "k", "beta"],
    "conv2d": ["layout", "batch", "h", "c", "filters", "filter_h", "stride", "groups", "dilation", "relu"],
    "layers": ["batch", "h", "c", "filters", "filter_h", "stride", "add", "splits"],
    "spmv": ["generator", "extent"],
    "transpose": ["bytes", "rows", "columns", "implementation"],
    "resnet18": ["batch"],
    "mala": ["rows"],
}
MEMBERS = ("workload", "label", "parameters", "status", "step_seconds", "metrics", "message")  # of a record, that are read here
ROW = re.compile(r'^([\w.]+),"([^"]*)",([^,]*),[^,]*,([\d.e+-]+),([\d.e+-]*),([\d.e+-]*)$')


def fail(message):
    print(f"ratios.py: error: {message}", file=sys.stderr)
    sys.exit(2)


def read(path):
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{path}: {error}")


def text(value):
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def is_library(values):
    return "library" in (values.get("operation"), values.get("method"), values.get("implementation"))


def kind_of(values):
    """The type of the numbers; products of float by tf32 are their own kind."""
    by_tf32 = values.get("T") == "float" and (values.get("tf32") == "true" or values.get("operation") in ("wgmma", "mma"))
    return "tf32" if by_tf32 else values.get("T")


class Problem:
    def __init__(self, workload, values):
        self.workload, self.values = workload, values
        self.times = {"Kiln": [], "library": []}  # seconds of each run
        self.metrics = {}
        self.word = ""  # how Kiln computed it

    def take(self, side, seconds, metrics=None, word=""):
        if side == "Kiln" and seconds < min(self.times[side], default=float("inf")):
            self.metrics, self.word = metrics, word
        self.times[side].append(seconds)

    def ratio(self):
        best = {side: min(times, default=None) for side, times in self.times.items()}
        return best["library"] / best["Kiln"] if all(best.values()) else None

    def figure(self, name):
        if name == "ratio":
            return self.ratio()
        if name == "us":
            return min(self.times["Kiln"], default=0) * 1e6 or None
        return self.metrics.get(name)

    def line(self, goals):
        def of(side):
            times = sorted(seconds * 1e6 for seconds in self.times[side])
            return "" if not times else f"{times[0]:.4g}" if len(times) == 1 else f"{times[0]:.4g} to {times[-1]:.4g}"

        ratio = self.ratio()
        reached = goal_of(goals, self) or ("", "")
        named = " ".join(f"{name}={value}" for name, value in self.values.items())
        return f"| {self.workload} | {named} | {self.word} | {of('Kiln')} | {of('library')} | {f'{ratio:.3f}' if ratio else ''} | {reached[0]} | {reached[1]} |"


def goal_of(goals, problem):
    """What the goal is, and what of it is reached; the goal with most values that holds for the problem."""
    fitting = [g for g in goals if g["workload"] == problem.workload and all(problem.values.get(n) == v for n, v in g["wanted"].items())]
    if not fitting:
        return None
    goal = max(fitting, key=lambda g: len(g["wanted"]))
    return judged(goal, problem.figure(goal["figure"]))


def judged(goal, figure):
    at_most = goal["figure"] in ("us", "ms", "s")
    sign = "<=" if at_most else ">="
    stated = f"{goal['figure']} {sign} {goal['goal']:g}"
    if figure is None:
        return stated, "unknown"
    part = goal["goal"] / figure if at_most else figure / goal["goal"]
    return stated, f"{'yes' if part >= 1 else 'no'}, {part:.3f}"


def read_goals(path):
    goals = []
    lines = [line for line in read(path).splitlines() if not line.startswith("#")]
    for row in csv.DictReader(lines):
        try:
            wanted = {} if row["workload"] == "bench" else dict(word.split("=", 1) for word in row["values"].split())
            goals.append({**row, "wanted": wanted, "goal": float(row["goal"])})
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            fail(f"{path}: {row}: expected workload,values,figure,goal: {error!r}")
    return goals


def records_of(folder):
    for file in sorted(folder.rglob("records.jsonl")):
        lines = read(file).splitlines()
        for number, line in enumerate(lines, 1):
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                if number < len(lines):  # the last one may be cut off
                    fail(f"{file}:{number}: {error}")
                continue
            lacking = [name for name in MEMBERS if not isinstance(record, dict) or name not in record]
            if lacking:
                fail(f"{file}:{number}: expected a record of kiln run; it lacks {', '.join(lacking)}")
            yield file.parent.name, record


def read_problems(folder):
    problems, refused = {}, []
    for name, record in records_of(folder):
        workload = record["workload"]
        if workload not in PROBLEMS:
            continue
        values = {key: text(entry["value"]) for key, entry in record["parameters"].items()}
        side = "library" if is_library(values) else "Kiln"
        if record["status"] not in ("ok", "unchecked") or not record["step_seconds"]:
            if record["status"] != "does not fit" or side == "Kiln":
                refused.append(f"{name}, {record['label']}: {record['status']}: {str(record['message']).splitlines()[:1]}")
            continue
        shown = {"T": kind_of(values)} if "T" in values else {}
        shown |= {key: values[key] for key in PROBLEMS[workload] if key in values}
        if workload == "transpose" and side == "library":
            shown["implementation"] = "tuned"
        # Runs of a network that differ by values of single launches are different problems.
        if name.startswith("splits"):
            shown["run"] = name.removesuffix("_again")
        problem = problems.setdefault((workload, *shown.items()), Problem(workload, shown))
        seconds = record["step_seconds"]["median"] / float(values.get("times", 1))
        problem.take(side, seconds, {key: metric["value"] for key, metric in record["metrics"].items()},
                     values.get("operation") or values.get("method") or "")
    return problems, refused


def read_rows(folder):
    """(key, what, unit, median, low, high) of the logs of python/bench."""
    for file in sorted(folder.glob("*.log")):
        for line in file.read_text(errors="replace").splitlines():
            found = ROW.match(line)
            if found:
                key, what, unit, median, low, high = found.groups()
                yield key, what, unit, float(median), low, high


def take_products(problems, rows):
    """8-bit products by PyTorch count as the library's times of the problems with results in bfloat16."""
    workloads = {"fp8": "gemm", "scaled": "gemm_scaled"}
    for key, _, _, median, _, _ in rows:
        way, _, size = key.partition(".")
        for problem in problems.values():
            sizes = "_".join(problem.values.get(name, "") for name in "mnk")
            if workloads.get(way) == problem.workload and size == sizes and problem.values["Out"] == "bfloat16" and problem.values.get("T") in (None, "fp8_e4m3"):
                problem.take("library", median * 1e-6)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--goals", type=pathlib.Path)
    arguments = parser.parse_args()
    if not arguments.folder.is_dir():
        fail(f"{arguments.folder}: no such folder")
    goals = read_goals(arguments.goals) if arguments.goals else []
    problems, refused = read_problems(arguments.folder)
    rows = list(read_rows(arguments.folder))
    take_products(problems, rows)
    if not problems and not rows:
        fail(f"{arguments.folder}: no records of {', '.join(PROBLEMS)}, and no rows of python/bench")
    if problems:
        print("| workload | problem | by | Kiln, us | library, us | library / Kiln | goal | reached |")
        print("| --- | --- | --- | ---: | ---: | ---: | --- | --- |")
        for problem in problems.values():
            print(problem.line(goals))
    bench = [row for row in rows if row[0].partition(".")[0] not in ("fp8", "scaled")]
    if bench:
        print("\n| figure | | unit | goal | reached |\n| --- | ---: | --- | --- | --- |")
        for key, _, unit, median, low, high in bench:
            goal = next((g for g in goals if g["workload"] == "bench" and fnmatch.fnmatch(key, g["values"])), None)
            reached = judged(goal, median) if goal else ("", "")
            print(f"| {key} | {median:g}{f' ({low} to {high})' if low else ''} | {unit} | {reached[0]} | {reached[1]} |")
    for line in refused:
        print(f"\n- {line}")
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()
