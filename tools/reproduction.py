#!/usr/bin/env python3
"""The tables of docs/reproduction.md, from the records under docs/data and what the papers published.

    tools/reproduction.py --kiln build/release/bin/kiln                     writes the tables anew
    tools/reproduction.py --kiln ... --add results.tar.gz --name h200       takes a run of tools/reproduce.sh in first
    tools/reproduction.py --kiln ... --check                                says whether the document is up to date

docs/data/<device>/<entry>.jsonl are records as `kiln run --output` keeps them, by the entries of tools/reproduce.sh;
docs/data/tables.json has the published figures and says which record stands in which cell. Efficiencies and their means are
those of `kiln report`. Exit codes: 0 done, 1 not up to date (--check), 2 bad input.
"""

import argparse
import difflib
import json
import math
import pathlib
import subprocess
import sys
import tarfile
import tempfile

ABSENT = "not measured yet"


class BadInput(Exception):
    """What the user gave cannot be used; the message says where and why."""


class Device:
    """What was measured on one device: a folder of docs/data."""

    def __init__(self, folder, name):
        self.folder, self.name, self.records = folder, name, {}
        for file in sorted(folder.glob("*.jsonl")):
            self.records[file.stem] = [read_record(line, f"{file}:{i + 1}") for i, line in enumerate(file.read_text().splitlines())]
        every = [record for records in self.records.values() for record in records]
        names = {record["device"]["name"] for record in every}
        if len(names) > 1:
            raise BadInput(f"{folder}: expected records of one device, found {', '.join(sorted(names))}")
        self.name = names.pop() if names else name
        self.is_cpu = any(record["device"]["backend"] == "cpu" for record in every)
        self.dates = sorted({record["time"][:10] for record in every})
        self.compilers = sorted({record["compiler"]["version"] for record in every})
        self.drivers = sorted({record["device"]["driver"] or "" for record in every} - {""})

    def matching(self, entries, where):
        return [r for entry in entries for r in self.records.get(entry, []) if r["status"] == "ok" and has(r, where)]

    def one(self, entries, where):
        """The record that stands for a cell; None where it was not measured."""
        found = self.matching(entries, where)
        if len(found) > 1:
            raise BadInput(f"{self.folder}: {len(found)} records of {', '.join(entries)} have {where}; expected one")
        return found[0] if found else None


def read_record(line, place):
    try:
        record = json.loads(line)
        record["line"] = line
        # Records of earlier versions call this parameter `variant`; they are kept as they were measured.
        if "variant" in record["parameters"]:
            record["parameters"]["implementation"] = record["parameters"].pop("variant")
        return record if record["format"] == 1 else {}["format 1"]
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{place}: expected a record of kiln run, found: {line[:60]} ({error})") from error


def has(record, where):
    for name, wanted in where.items():
        if name.startswith("bind."):
            found = record["parameters"].get(name[5:], {}).get("bind")
        elif name in record["parameters"]:
            found = record["parameters"][name]["value"]
        else:
            found = record.get(name)
        if found != wanted:
            return False
    return True


def summary_of(record, step):
    """The times of a launch of the step, or of all of it."""
    if not step:
        return record["step_seconds"]
    return next(launch["seconds"] for launch in record["launches"] if launch["step"] == step)


def cell(record, value):
    """`value` names what of a record stands in a cell: metric:NAME, ms[:STEP], sum:COUNT[:STEP] in seconds; registers:STEP,
    occupancy:STEP in percent, shape:STEP (blocks, work-items a block)."""
    if record is None:
        return ABSENT
    kind, _, rest = value.partition(":")
    if kind in ("registers", "occupancy", "shape"):
        launch = next(launch for launch in record["launches"] if launch["step"] == rest)
        if kind == "shape":
            return f"{math.prod(launch['grid'])}, {math.prod(launch['block'])}"
        if kind == "registers":
            return number(launch["attributes"]["registers"])
        return number(None if launch["occupancy"] is None else 100 * launch["occupancy"])
    if kind == "metric":
        step = rest if any(launch["step"] == rest for launch in record["launches"]) else ""
        return with_spread(record["metrics"][rest]["value"], summary_of(record, step))
    if kind == "ms":
        seconds = summary_of(record, rest)
        return with_spread(1e3 * seconds["median"], seconds)
    if kind == "sum":
        count, _, step = rest.partition(":")
        seconds = summary_of(record, step)
        return with_spread(int(count) * seconds["median"], seconds)
    raise BadInput(f"docs/data/tables.json: expected metric, ms, sum, registers, occupancy or shape, found '{value}'")


def number(value):
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def with_spread(value, seconds):
    """A figure with half the width of its time's 95 % interval, in percent; one sample has none."""
    low, high = seconds["interval"]
    if seconds["samples"] < 6:
        return number(value)
    return f"{number(value)} ± {50 * (high - low) / seconds['median']:.1f} %"


def lines_of(header, rows):
    return ["| " + " | ".join(line) + " |" for line in [header, ["---"] + ["---:"] * (len(header) - 1), *rows]]


def cells_of(table, devices, rows, published):
    """The header and the rows of a table as text."""
    ours = [(device, application) for device in devices for application in table["ours"]]
    header = [table["title"], *published, *(f"{device.name}: {application['name']}" for device, application in ours)]
    body = []
    for row in rows:
        known = row.get("published", [None] * len(published)) if published else []
        cells = [number(value) for value in known]
        for device, application in ours:
            where = {**row.get("where", {}), **application["where"]}
            if application["name"] in row.get("not_for", []):
                cells.append("-")
                continue
            cells.append(cell(device.one(table["entries"], where), row.get("value", table.get("value"))))
        body.append([row["name"], *cells])
    return header, body


def figures(table, devices, rows, published):
    return lines_of(*cells_of(table, devices, rows, published))


def table_text(table, gpus, cpus):
    text = figures(table, gpus, table["rows"], table["published"])
    rows = table["rows"] if table["cpu_rows"] == "rows" else table["cpu_rows"]
    if rows and cpus:
        text += ["", "On a CPU:", "", *figures(table, cpus, rows, [])]
    return text


def efficiencies(kiln, row, devices, where):
    """What kiln report says of the records of `row` against its reference: by device, harmonic and arithmetic mean."""
    ours = [r for d in devices for r in d.matching(row["entries"], {**row["ours"], **where})]
    reference = [r for d in devices for r in d.matching(row["entries"], {**row["reference"], **(where if row["reference"] else {})})]
    if not ours or not reference:
        return None
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / name for name in ("ours.jsonl", "reference.jsonl")]
        for path, records in zip(paths, (ours, reference)):
            path.write_text("".join(record["line"] + "\n" for record in records))
        command = [kiln, "report", str(paths[0]), "--reference", str(paths[1]), "--metric", row["metric"]]
        done = subprocess.run([*command, "--problem", row["problem"], "--format", "json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BadInput(f"{row['name']}: kiln report: {done.stderr.strip()}")
    best = json.loads(done.stdout)["results"][0]
    return {d["device"]: d["efficiency"] for d in best["devices"]}, best["harmonic_mean"], best["arithmetic_mean"]


def portability_part(kiln, table, devices, published, cpu):
    header = ["", *published, *(device.name for device in devices), "harmonic mean", "arithmetic mean"]
    body = []
    for row in table["rows"]:
        found = efficiencies(kiln, row, devices, row.get("cpu_where", {}) if cpu else {})
        by_device, harmonic, arithmetic = found or ({}, None, None)
        cells = [number(value) for value in row.get("published", [])] if published else []
        cells += [two_digits(by_device.get(device.name)) for device in devices]
        if cpu and found is None:
            continue
        name = row.get("cpu_name", row["name"]) if cpu else row["name"]
        body.append([name, *cells, two_digits(harmonic), two_digits(arithmetic)])
    return lines_of(header, body)


def two_digits(value):
    return ABSENT if value is None else f"{value:.2f}"


def portability_text(kiln, table, gpus, cpus):
    text = portability_part(kiln, table, gpus, table["published"], False)
    on_cpu = portability_part(kiln, table, cpus, [], True) if cpus else []
    return text + (["", "On a CPU:", "", *on_cpu] if len(on_cpu) > 2 else [])


def devices_text(devices):
    body = []
    for device in devices:
        count = sum(len(records) for records in device.records.values())
        body.append([f"`docs/data/{device.folder.name}`", device.name, ", ".join(device.compilers) or "-",
                     ", ".join(device.drivers) or "-", ", ".join(device.dates) or ABSENT, str(count)])
    return lines_of(["folder", "device", "compiler", "driver", "date", "records"], body)


def replace_tables(text, tables, place):
    """Puts each table between `<!-- table ID -->` and `<!-- end -->`."""
    lines, result, open_id = text.split("\n"), [], None
    left = dict(tables)
    for line in lines:
        if line.startswith("<!-- table "):
            open_id = line.removeprefix("<!-- table ").removesuffix(" -->")
            if open_id not in left:
                raise BadInput(f"{place}: '{line}': expected one of {', '.join(sorted(left)) or 'no more tables'}")
            result += [line, *left.pop(open_id)]
        elif line == "<!-- end -->" and open_id:
            result.append(line)
            open_id = None
        elif not open_id:
            result.append(line)
    if open_id or left:
        raise BadInput(f"{place}: no '<!-- end -->' for {open_id}" if open_id else f"{place}: no place for {', '.join(left)}")
    return "\n".join(result)


def add_results(source, folder):
    """Copies the records of a run of tools/reproduce.sh, a folder or a pack, to docs/data; its entries replace older ones."""
    if not source.exists():
        raise BadInput(f"--add: {source}: no such file or folder")
    found = {}
    if source.is_dir():
        found = {file.parent.name: file.read_text() for file in sorted(source.glob("*/records.jsonl"))}
    else:
        with tarfile.open(source) as pack:
            for member in pack.getmembers():
                path = pathlib.PurePosixPath(member.name)
                if path.name == "records.jsonl" and member.isfile():
                    found[path.parent.name] = pack.extractfile(member).read().decode()
    if not found:
        raise BadInput(f"--add: {source}: expected <entry>/records.jsonl, found none")
    for entry, text in found.items():
        for i, line in enumerate(text.splitlines()):
            read_record(line, f"{source}: {entry}/records.jsonl:{i + 1}")
    folder.mkdir(parents=True, exist_ok=True)
    for entry, text in found.items():
        (folder / f"{entry}.jsonl").write_text(text)


def read_devices(data, gpus):
    names = dict(gpus)
    # A folder without records, such as performance, is not a device.
    names.update({path.parent.name: path.parent.name for path in sorted(data.glob("*/*.jsonl")) if path.parent.name not in names})
    return [Device(data / folder, name) for folder, name in names.items()]


def made_document(root, kiln):
    data = root / "docs" / "data"
    spec = json.loads((data / "tables.json").read_text())
    devices = read_devices(data, spec["gpus"])
    gpus, cpus = [d for d in devices if not d.is_cpu], [d for d in devices if d.is_cpu]
    tables = {"devices": devices_text(devices)}
    tables |= {table["id"]: table_text(table, gpus, cpus) for table in spec["tables"]}
    tables |= {table["id"]: portability_text(kiln, table, gpus, cpus) for table in spec["portability"]}
    document = root / "docs" / "reproduction.md"
    return document, replace_tables(document.read_text(), tables, document)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kiln", default="build/release/bin/kiln", help="the program")
    parser.add_argument("--add", type=pathlib.Path, help="results of tools/reproduce.sh: its folder or its pack")
    parser.add_argument("--name", help="of --add: the folder of docs/data, such as h200")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the document is not up to date")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent, help="the repository")
    arguments = parser.parse_args()
    if (arguments.add is None) != (arguments.name is None):
        parser.error("--add and --name go together")
    if arguments.add:
        add_results(arguments.add, arguments.root / "docs" / "data" / arguments.name)
    document, text = made_document(arguments.root, arguments.kiln)
    if not arguments.check:
        document.write_text(text)
        return 0
    old = document.read_text()
    for line in difflib.unified_diff(old.split("\n"), text.split("\n"), str(document), "from docs/data", lineterm="", n=0):
        print(line)
    return 0 if old == text else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BadInput, OSError, json.JSONDecodeError) as error:
        print(f"tools/reproduction.py: {error}", file=sys.stderr)
        sys.exit(2)
