#!/usr/bin/env python3
"""The launches of a step, from the records of a program: time, share of the step's launches, grid, block, registers.

    tools/launch_times.py results/resnet18                 # each variant; a folder or a file of records
    tools/launch_times.py results/resnet18 --variant T=half

Times of launches come from a pass without graphs, with an event after each (docs/workload_format.md, metrics); a launch that is
shorter than the gap between two launches is shown with that gap. Exit code 2 for bad input.
"""

import argparse
import json
import pathlib
import sys


def fail(message):
    print(f"launch_times.py: error: {message}", file=sys.stderr)
    sys.exit(2)


def records_of(path):
    file = path / "records.jsonl" if path.is_dir() else path
    if not file.is_file():
        fail(f"{file}: no such file")
    for number, line in enumerate(file.read_text().splitlines(), 1):
        try:
            yield json.loads(line)
        except json.JSONDecodeError as error:
            fail(f"{file}:{number}: {error}")


def extents(shape):
    return " x ".join(str(n) for n in shape if n > 1) or "1"


def table(record):
    rows = [(k["step"], (k.get("seconds") or {}).get("median"), k) for k in record.get("launches", [])]
    total = sum(seconds for _, seconds, _ in rows if seconds)
    step = (record.get("step_seconds") or {}).get("median")
    lines = [f"{record['workload']} {record['label']}: step {step * 1e6:.1f} us, launches {total * 1e6:.1f} us" if step and total else
             f"{record['workload']} {record['label']}: not measured", "", "| launch | us | share | grid | block | registers |",
             "| --- | ---: | ---: | --- | --- | ---: |"]
    for name, seconds, launch in rows:
        time, share = (f"{seconds * 1e6:.1f}", f"{100 * seconds / total:.1f} %") if seconds else ("", "")
        registers = launch["attributes"].get("registers")
        lines.append(f"| {name} | {time} | {share} | {extents(launch['grid'])} | {extents(launch['block'])} | {registers if registers is not None else ''} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path, help="folder with records.jsonl, or such a file")
    parser.add_argument("--variant", default="", help="only variants with this text in their label")
    arguments = parser.parse_args()
    chosen = [r for r in records_of(arguments.results) if arguments.variant in r["label"]]
    if not chosen:
        fail(f"no record with '{arguments.variant}' in its label")
    print("\n\n".join(table(record) for record in chosen))


if __name__ == "__main__":
    main()
