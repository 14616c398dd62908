#!/usr/bin/env python3
"""Plots from records.jsonl as `kiln run --output` keeps them: bars with intervals, heat map, roofline; SVG or PNG.

    tools/plot.py bars results/minibude -o bars.svg
    tools/plot.py heat results/minibude --x ppwi --y wg --metric interactions -o heat.png
    tools/plot.py roofline results/stencil7 --ceilings h200.json -o roofline.svg

Needs matplotlib and pandas (packages python3-matplotlib and python3-pandas). Exit codes are those of kiln: 2 for bad input.
"""

import argparse
import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of the back end)
import pandas as pd  # noqa: E402

FORMAT = 1


class BadInput(Exception):
    """What the user gave cannot be plotted; the message says where and why."""


def record_files(paths):
    for path in map(pathlib.Path, paths):
        found = sorted(path.rglob("records.jsonl")) if path.is_dir() else [path]
        if not found:
            raise BadInput(f"{path}: expected a file records.jsonl in this folder, found none")
        yield from found


def parameters_of(record):
    """What can be an axis: parameters, bindings and switches, by name."""
    values = {name: parameter["value"] for name, parameter in record["parameters"].items()}
    values |= {f"bind.{name}": parameter["bind"] for name, parameter in record["parameters"].items()}
    return values | {"fast_math": record["fast_math"], "launch_bounds": record["launch_bounds"]}


def row_of(record):
    if record["format"] != FORMAT:
        raise BadInput(f"expected format {FORMAT} of Kiln's records, found {record['format']}")
    seconds = record["step_seconds"] or {}
    low, high = seconds.get("interval", (None, None))
    row = {"workload": record["workload"], "device": record["device"]["name"], "label": record["label"] or record["workload"]}
    row |= {"status": record["status"], "median": seconds.get("median"), "low": low, "high": high}
    row["metrics"] = {name: (metric["value"], metric["unit"]) for name, metric in record["metrics"].items()}
    row["higher"] = {name: metric["higher_is"] == "better" for name, metric in record["metrics"].items()}
    return row | {"parameters": parameters_of(record)}


def read_records(paths):
    """The ok and measured records as a table."""
    rows = []
    for path in record_files(paths):
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{path}: {error}") from error
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                rows.append(row_of(json.loads(line)))
            except json.JSONDecodeError as error:
                raise BadInput(f"{path}:{number}:{error.colno}: expected JSON: {error.msg}") from error
            except (KeyError, TypeError, AttributeError, ValueError) as error:
                raise BadInput(f"{path}:{number}: expected a record of Kiln's: {error!r}") from error
            except BadInput as error:
                raise BadInput(f"{path}:{number}: {error}") from error
    table = pd.DataFrame(rows)
    if table.empty:
        raise BadInput("the files hold no records")
    table = table[(table["status"] == "ok") & table["median"].notna()]
    if table.empty:
        raise BadInput("no record is ok and measured")
    return table.reset_index(drop=True)


def chosen(table, arguments):
    """Records of one workload and one device."""
    for column in ("workload", "device"):
        wanted = getattr(arguments, column)
        values = sorted(table[column].unique())
        if wanted:
            table = table[table[column].str.contains(wanted, regex=False)]
            if table.empty:
                raise BadInput(f"--{column}: no record is of '{wanted}'; expected one of {', '.join(values)}")
        if table[column].nunique() > 1:
            raise BadInput(f"the records are of several {column}s; choose one with --{column}: {', '.join(values)}")
    return table


def title_of(table):
    return f"{table['workload'].iloc[0]} on {table['device'].iloc[0]}"


def best_of_each(table):
    """The fastest record of each label, in the order in which labels appear."""
    fastest = table.loc[table.groupby("label", sort=False)["median"].idxmin()]
    return fastest.sort_index()


def time_unit(seconds):
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1:
            return factor, unit
    return 1e9, "ns"


def bars(table, _arguments):
    table = best_of_each(table)
    factor, unit = time_unit(table["median"].max())
    errors = [(table["median"] - table["low"]) * factor, (table["high"] - table["median"]) * factor]
    figure, axes = plt.subplots(figsize=(7, 1 + 0.3 * len(table)))
    axes.barh(table["label"], table["median"] * factor, xerr=errors, capsize=3, color="#9db4cc", ecolor="#1a1d21")
    axes.invert_yaxis()
    axes.set_xlabel(f"median time of a step, {unit}, with its 95 % interval")
    axes.set_title(title_of(table))
    return figure


def metric_of(table, name):
    """The column of a metric, its unit and whether higher is better; the time where none is named and there is none."""
    known = list(dict.fromkeys(metric for metrics in table["metrics"] for metric in metrics))
    name = name or (known[0] if known else "time")
    if name == "time":
        return table["median"], "time, s", False
    if name not in known:
        raise BadInput(f"--metric: no record has '{name}'; expected one of {', '.join(known + ['time'])}")
    unit = next(metrics[name][1] for metrics in table["metrics"] if name in metrics)
    higher = next(flags[name] for flags in table["higher"] if name in flags)
    values = table["metrics"].map(lambda metrics: metrics.get(name, (None,))[0])
    return pd.to_numeric(values, errors="coerce"), f"{name}, {unit}" if unit else name, higher


def heat(table, arguments):
    values, text, higher = metric_of(table, arguments.metric)
    frame = pd.DataFrame({"value": values})
    for axis in ("x", "y"):
        name = getattr(arguments, axis)
        column = table["parameters"].map(lambda parameters, name=name: parameters.get(name))
        if column.isna().any():
            known = ", ".join(sorted(table["parameters"].iloc[0]))
            raise BadInput(f"--{axis}: no record has '{name}'; expected one of {known}")
        frame[axis] = column
    grid = frame.pivot_table(index="y", columns="x", values="value", aggfunc="max" if higher else "min")
    figure, axes = plt.subplots(figsize=(2 + 0.7 * grid.shape[1], 1.5 + 0.5 * grid.shape[0]))
    image = axes.imshow(grid.to_numpy(), cmap="viridis" if higher else "viridis_r", aspect="auto")
    axes.set_xticks(range(grid.shape[1]), [str(value) for value in grid.columns])
    axes.set_yticks(range(grid.shape[0]), [str(value) for value in grid.index])
    axes.set_xlabel(arguments.x)
    axes.set_ylabel(arguments.y)
    axes.set_title(title_of(table))
    figure.colorbar(image, label=text)
    return figure


def read_ceilings(path):
    try:
        ceilings = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        if ceilings["format"] != FORMAT:
            raise BadInput(f"{path}: expected format {FORMAT} of Kiln's ceilings, found {ceilings['format']}")
        rates = {unit: [c for c in ceilings["ceilings"] if c["unit"] == unit] for unit in ("GB/s", "GFLOP/s")}
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}: expected what kiln roofline writes: {error!r}") from error
    if not all(rates.values()):
        raise BadInput(f"{path}: expected ceilings in GB/s and in GFLOP/s")
    return ceilings["device"]["name"], rates


def rate_in(metrics, unit):
    return next((value for value, of in metrics.values() if of == unit), None)


def roofline(table, arguments):
    device, rates = read_ceilings(arguments.ceilings)
    if device != table["device"].iloc[0]:
        raise BadInput(f"{arguments.ceilings}: ceilings of {device}, records of {table['device'].iloc[0]}")
    rate = table["metrics"].map(lambda metrics: rate_in(metrics, "GFLOP/s"))
    bandwidth = table["metrics"].map(lambda metrics: rate_in(metrics, "GB/s"))
    points = pd.DataFrame({"rate": rate, "intensity": rate / bandwidth}).dropna()
    if points.empty:
        raise BadInput("no record has metrics in GFLOP/s and in GB/s")
    corner = max(c["value"] for c in rates["GFLOP/s"]) / max(c["value"] for c in rates["GB/s"])
    low, high = min(points["intensity"].min(), 0.1) / 2, max(points["intensity"].max(), corner) * 10
    top = max(c["value"] for c in rates["GFLOP/s"])
    figure, axes = plt.subplots(figsize=(7, 5))
    for ceiling in rates["GB/s"]:
        axes.plot([low, top / ceiling["value"]], [low * ceiling["value"], top], label=f"{ceiling['name']} {ceiling['value']:.4g} GB/s")
    for ceiling in rates["GFLOP/s"]:
        axes.plot([low, high], [ceiling["value"]] * 2, "--", label=f"{ceiling['name']} {ceiling['value']:.4g} GFLOP/s")
    axes.plot(points["intensity"], points["rate"], "o", label="records")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("FLOP per byte")
    axes.set_ylabel("GFLOP/s")
    axes.set_title(title_of(table))
    axes.legend(fontsize="small")
    return figure


def parse(words):
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("results", nargs="+", metavar="RESULTS", help="files records.jsonl, or folders that contain them")
    common.add_argument("-o", "--output", required=True, metavar="FILE", help="picture to write: .svg or .png")
    common.add_argument("--workload", help="only records of this workload")
    common.add_argument("--device", help="only records of this device, by a part of its name")
    parser = argparse.ArgumentParser(description="Plots from Kiln's records.")
    plots = parser.add_subparsers(dest="plot", required=True)
    plots.add_parser("bars", parents=[common], help="median times with their intervals").set_defaults(draw=bars)
    command = plots.add_parser("heat", parents=[common], help="a metric over two parameters")
    command.add_argument("--x", required=True, metavar="NAME", help="parameter of the columns")
    command.add_argument("--y", required=True, metavar="NAME", help="parameter of the rows")
    command.add_argument("--metric", metavar="NAME", help="metric to show, or time; else the first")
    command.set_defaults(draw=heat)
    command = plots.add_parser("roofline", parents=[common], help="records under a device's ceilings")
    command.add_argument("--ceilings", required=True, metavar="FILE", help="what kiln roofline wrote of the device")
    command.set_defaults(draw=roofline)
    arguments = parser.parse_args(words)
    if pathlib.Path(arguments.output).suffix not in (".svg", ".png"):
        parser.error(f"--output: expected a name that ends in .svg or .png, found '{arguments.output}'")
    return arguments


def main(words):
    arguments = parse(words)
    try:
        figure = arguments.draw(chosen(read_records(arguments.results), arguments), arguments)
        figure.savefig(arguments.output, bbox_inches="tight", dpi=150)
    except BadInput as error:
        print(f"plot.py: error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"plot.py: error: {arguments.output}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
