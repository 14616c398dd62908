#!/usr/bin/env python3
"""Compares the runs that tools/scaling.sh has left in a folder: a table in Markdown, and summary.json.

  tools/scaling/gpus.py results/scaling
  tools/scaling/gpus.py results/scaling --plot docs/images/scaling_gpus.svg     # with matplotlib

Exit code 1: two sweeps have different variants, outcomes or errors, or a key was compiled twice in a run. A search on several
GPUs is compared with the one on one GPU by the time after which it has a variant within --near of that one's best.
"""
import argparse
import collections
import datetime
import json
import pathlib
import sys


def records_of(folder):
    path = folder / "records.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def content(record):
    """What must be the same whichever device measured the variant."""
    return (record["status"], record["source_digest"], json.dumps(record["parameters"], sort_keys=True),
            tuple(unit["key"] for unit in record["units"]), json.dumps(record.get("checks"), sort_keys=True))


def compiled_twice(records):
    keys = collections.Counter(unit["key"] for record in records for unit in record["units"] if unit["origin"] == "compiled")
    return [key for key, count in keys.items() if count > 1]


def seconds_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def search_of(folder):
    """Best objective, seconds of the search, and (seconds since its first record, best so far)."""
    events = [json.loads(line) for line in (folder / "tune.jsonl").read_text().splitlines()]
    curve, best, start = [], None, None
    for event in events:
        if event.get("event") != "outcome":
            continue
        for size in event["sizes"]:
            now = seconds_of(size["record"])
            start = now if start is None else start
        value = event["outcome"].get("value")
        if value is not None and (best is None or value < best):
            best = value
            curve.append((now - start, best))
    return best, curve


def reached(curve, target):
    return next((seconds for seconds, value in curve if value <= target), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--near", type=float, default=0.01, help="part of the best by which a search may miss it; default 0.01")
    parser.add_argument("--plot", type=pathlib.Path)
    options = parser.parse_args()
    problems, rows = [], []
    sweeps = {}
    for file in options.folder.glob("*.seconds"):
        kind, way, number = file.stem.split(".")
        rows.append({"kind": kind, "way": way, "gpus": int(number), "seconds": float(file.read_text())})
    rows.sort(key=lambda row: (row["kind"], row["way"], row["gpus"]))
    alone = {row["kind"]: row for row in rows if row["gpus"] == 1}
    for row in rows:
        folder = options.folder / f"{row['kind']}.{row['way']}.{row['gpus']}"
        records = records_of(folder)
        row["devices"] = dict(sorted(collections.Counter(record["device"]["id"] for record in records).items()))
        if row["kind"] == "sweep":
            row["variants"] = len(records)
            sweeps[folder.name] = {record["label"]: content(record) for record in records}
            twice = compiled_twice(records)
            if twice:
                problems.append(f"{folder.name}: {len(twice)} keys were compiled twice")
            times = sorted(seconds_of(record["time"]) for record in records)
            row["span"] = times[-1] - times[0] if times else 0.0
        else:
            row["best"], row["curve"] = search_of(folder)
    names = sorted(sweeps)
    for name in names[1:]:
        if sweeps[name] != sweeps[names[0]]:
            differing = [label for label in sweeps[names[0]] if sweeps[name].get(label) != sweeps[names[0]][label]]
            problems.append(f"{name} and {names[0]} differ in {len(differing)} variants: {differing[:3]}")
    print("| GPUs | by | sweep, s | first to last record, s | speed-up | search, s | its best, us | time to the best of one GPU |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for sweep in (row for row in rows if row["kind"] == "sweep"):
        tune = next((row for row in rows if row["kind"] == "tune" and (row["way"], row["gpus"]) == (sweep["way"], sweep["gpus"])), None)
        one = alone.get("sweep", sweep)
        cells = [str(sweep["gpus"]), {"process": "one process", "ranks": "ranks"}[sweep["way"]], f"{sweep['seconds']:.1f}",
                 f"{sweep['span']:.1f}", f"{one['seconds'] / sweep['seconds']:.2f}; {one['span'] / sweep['span']:.2f}"]
        if tune:
            target = alone["tune"]["best"] * (1 + options.near)
            mine, first = reached(tune["curve"], target), reached(alone["tune"]["curve"], target)
            part = "not reached" if mine is None else f"{mine:.1f} s" + (f" ({mine / first:.2f})" if first else "")
            cells += [f"{tune['seconds']:.1f}", f"{tune['best'] * 1e6:.1f}", part]
        print("| " + " | ".join(cells) + " |")
    for problem in problems:
        print("problem: " + problem)
    (options.folder / "summary.json").write_text(json.dumps(rows, indent=1) + "\n")
    if options.plot:
        draw(rows, alone, options.plot)
    return 1 if problems else 0


def draw(rows, alone, path):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(5, 3.5))
    most = max(row["gpus"] for row in rows)
    axes.plot([1, most], [1, most], color="0.6", linestyle=":", label="ideal")
    for way, label in (("process", "one process"), ("ranks", "ranks of mpirun")):
        points = [(row["gpus"], alone["sweep"]["span"] / row["span"]) for row in rows
                  if row["kind"] == "sweep" and (row["way"] == way or row["gpus"] == 1)]
        axes.plot(*zip(*sorted(points)), marker="o", label=label)
    axes.set_xlabel("GPUs")
    axes.set_ylabel("speed-up of the sweep")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    sys.exit(main())
