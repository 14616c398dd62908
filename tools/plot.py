#!/usr/bin/env python3
"""Plots from records.jsonl as `kiln run --output` keeps them (bars with intervals, heat map, roofline) and from study.jsonl of
`kiln study` (cases, speed-ups with intervals, amortisation), from the curves of `kiln tune compare`, and from tune.jsonl of
`kiln tune` (parallel coordinates), and from a trace of `kiln run --trace` (the launches of a step); SVG or PNG. A field that `kiln run --keep` wrote as .npy is a picture, and several are an
animation as GIF.

    tools/plot.py bars results/minibude -o bars.svg
    tools/plot.py heat results/minibude --x ppwi --y wg --metric interactions -o heat.png
    tools/plot.py roofline results/stencil7 --ceilings h200.json -o roofline.svg
    tools/plot.py cases results/studies/minibude_constants -o cases.svg
    tools/plot.py effects results/studies/minibude_constants -o effects.svg
    tools/plot.py amortisation results/studies/minibude_constants -o amortisation.svg
    tools/plot.py searches curves.csv -o searches.svg
    tools/plot.py parallel results/tune -o parallel.svg
    tools/plot.py timeline trace.json -o timeline.svg
    tools/plot.py field density.npy -o density.png
    tools/plot.py field density-*.npy --label density -o density.gif

Needs matplotlib and pandas (packages python3-matplotlib and python3-pandas). Exit codes are those of kiln: 2 for bad input.
"""

import argparse
import json
import pathlib
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt  # noqa: E402  (after the choice of the back end)
    import matplotlib.animation  # noqa: E402
    import matplotlib.ticker  # noqa: E402
    import numpy as np  # noqa: E402
    import pandas as pd  # noqa: E402
except ImportError as missing:
    print(f"plot.py: error: {missing}; needs Debian's packages python3-matplotlib and python3-pandas", file=sys.stderr)
    sys.exit(2)

FORMAT = 1
STUDY_FORMAT = 2
RECORD_BEGINNING = b'{"format":'
STUDY_BEGINNING = b'{"kind":'
JOURNAL_BEGINNING = b'{"event":'
MOST_FOR_BARS = 20  # the longest time over the shortest; as on the page of `kiln report`
BLUE, VERMILION, GREY = "#0072b2", "#d55e00", "#565d66"
# Okabe and Ito's palette, for all kinds of colour vision; lines differ in their dashes, too.
LINES = [
    (GREY, "-"),
    (BLUE, "-"),
    (VERMILION, "--"),
    ("#009e73", ":"),
    ("#cc79a7", "-."),
    ("#e69f00", (0, (5, 2))),
    ("#56b4e9", (0, (1, 3))),
    ("#b02a55", (0, (8, 3))),
]
# Parts of a study's result that hold speed-ups, and whether all of a part are over the same case.
RATIOS = {"constants": True, "all_but": True, "factorial": True, "switches": False, "compilers": False, "controls": False}
WAYS = {
    "ahead": "compiled ahead",
    "cold": "compiled now",
    "disk": "found on disk",
    "background": "in the background",
    "background_disk": "in the background, generic from disk",
}


class BadInput(Exception):
    """What the user gave cannot be plotted; the message says where and why."""


def files_named(name, paths):
    for path in map(pathlib.Path, paths):
        found = sorted(path.rglob(name)) if path.is_dir() else [path]
        if not found:
            raise BadInput(f"{path}: expected a file {name} in this folder, found none")
        yield from found


def without_torn(place, line, beginning):
    """The line's bytes; of one that a crash cut off, as kiln does, the whole line behind it, or nothing, with a warning."""

    def is_json(text):
        try:
            json.loads(text.decode("utf-8"))
        except ValueError:
            return False
        return True

    head = line.rpartition(beginning)[0] or line  # a whole line may stand behind it
    torn = line.startswith(beginning) or (len(head) > 1 and beginning.startswith(head)) or b"\0" in line
    if not torn or is_json(line):
        return line
    print(f"plot.py: warning: {place}: a crash cut this line off; it is left out", file=sys.stderr)
    rest = line[max(line.rfind(beginning), 0) :]
    return rest if is_json(rest) else b""


def read_lines(path, what, beginning, read):
    """What `read` makes of each line's JSON, which begins with `beginning`; `what` is named where a line is something else."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise BadInput(f"{path}: {error}") from error
    for number, whole in enumerate(lines, 1):
        line = without_torn(f"{path}:{number}", whole.strip(), beginning)
        if not line:
            continue
        try:
            yield read(json.loads(line.decode("utf-8")))
        except json.JSONDecodeError as error:
            raise BadInput(f"{path}:{number}:{error.colno}: expected JSON: {error.msg}") from error
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise BadInput(f"{path}:{number}: expected {what}: {error!r}") from error
        except BadInput as error:
            raise BadInput(f"{path}:{number}: {error}") from error


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
    for path in files_named("records.jsonl", paths):
        rows += read_lines(path, "a record of Kiln's", RECORD_BEGINNING, row_of)
    table = pd.DataFrame(rows)
    if table.empty:
        raise BadInput("the files hold no records")
    table = table[(table["status"] == "ok") & table["median"].notna()]
    if table.empty:
        raise BadInput("no record is ok and measured")
    return table.reset_index(drop=True)


def chosen(arguments):
    """Records of one workload and one device."""
    table = read_records(arguments.results)
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


def use_logarithmic_seconds(axes):
    """Few ticks, each with a unit of its own."""

    def text(seconds, _place):
        factor, unit = time_unit(seconds * (1 + 1e-9))
        return f"{seconds * factor:.3g} {unit}"

    axes.set_xscale("log")
    low, high = axes.get_xlim()
    subs = (1, 2, 5) if high < 100 * low else (1,)
    axes.xaxis.set_major_locator(matplotlib.ticker.LogLocator(subs=subs, numticks=8))
    axes.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(text))
    axes.xaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    axes.grid(axis="x", color="#d5d9de")
    axes.set_axisbelow(True)


def draw_dots(table, title):
    """Of times of which bars would hide the shortest; on a logarithmic axis a bar's length would mean nothing."""
    errors = [table["median"] - table["low"], table["high"] - table["median"]]
    figure, axes = plt.subplots(figsize=(7, 1 + 0.3 * len(table)))
    axes.errorbar(table["median"], table["label"], xerr=errors, fmt="o", markersize=4, capsize=3, color=BLUE, ecolor="#1a1d21")
    axes.invert_yaxis()
    use_logarithmic_seconds(axes)
    axes.set_xlabel("median time of a step, with its 95 % interval; logarithmic axis")
    axes.set_title(title)
    return figure


def draw_bars(table, title):
    least, most = table["median"].min(), table["median"].max()
    if 0 < least * MOST_FOR_BARS < most:
        return draw_dots(table, title)
    factor, unit = time_unit(table["median"].max())
    errors = [(table["median"] - table["low"]) * factor, (table["high"] - table["median"]) * factor]
    figure, axes = plt.subplots(figsize=(7, 1 + 0.3 * len(table)))
    axes.barh(table["label"], table["median"] * factor, xerr=errors, capsize=3, color="#9db4cc", ecolor="#1a1d21")
    axes.invert_yaxis()
    axes.set_xlabel(f"median time of a step, {unit}, with its 95 % interval")
    axes.set_title(title)
    return figure


def bars(table, _arguments):
    return draw_bars(best_of_each(table), title_of(table))


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


class Study:
    """A study of one workload on one device: its last result, and the names of section and device."""

    def __init__(self, workload, device, result):
        self.workload, self.device, self.result = workload, device, result
        self.title = f"{workload} on {device}"


def studies_of(path):
    """Of one file; what is not needed here is not looked at."""
    begun, names, results = False, {}, {}

    def read(line):
        nonlocal begun
        kind = line["kind"]
        if kind == "study":
            if line["format"] != STUDY_FORMAT:
                raise BadInput(f"expected format {STUDY_FORMAT} of Kiln's studies, found {line['format']}")
            begun = True
        elif not begun:
            raise BadInput("expected the line of a study first")
        elif kind == "case":
            names[line["device"]] = line["record"]["device"]["name"]
        elif kind == "result":
            results[line["section"], line["device"]] = {part: line[part] for part in ("cases", *RATIOS, "amortisation")}

    for _ in read_lines(path, "a line of a study's file", STUDY_BEGINNING, read):
        pass
    if not results:
        raise BadInput(f"{path}: no device of this study is finished")
    return [Study(section, names.get(device, device), result) for (section, device), result in results.items()]


def read_study(arguments):
    """The one study that was asked for."""
    studies = [study for path in files_named("study.jsonl", arguments.results) for study in studies_of(path)]
    for column in ("workload", "device"):
        wanted = getattr(arguments, column)
        known = sorted({getattr(study, column) for study in studies})
        if wanted:
            studies = [study for study in studies if wanted in getattr(study, column)]
        if not studies:
            raise BadInput(f"--{column}: no study is of '{wanted}'; expected one of {', '.join(known)}")
    if len(studies) > 1:
        known = ", ".join(study.title for study in studies)
        raise BadInput(f"the files hold several studies; choose one with --workload, --device or its file: {known}")
    return studies[0]


def cases(study, _arguments):
    timed = [case for case in study.result["cases"] if case["step_seconds"]]
    if not timed:
        raise BadInput("no case of the study was measured")
    rows = [[case["case"], case["step_seconds"]["median"], *case["step_seconds"]["interval"]] for case in timed]
    table = pd.DataFrame(rows, columns=["label", "median", "low", "high"])
    return draw_bars(table, study.title)


def effect_rows(study):
    """Label and ratio of all comparisons, in the order of the report."""
    for part, same_base in RATIOS.items():
        for ratio in study.result[part]:
            yield ratio["case"] if same_base else f"{ratio['case']} / {ratio['base']}", ratio


def effects(study, _arguments):
    rows = list(effect_rows(study))
    if not rows:
        raise BadInput("the study compares no cases")
    colors = {"faster": BLUE, "slower": VERMILION, "none": GREY}
    figure, axes = plt.subplots(figsize=(7, 1.2 + 0.3 * len(rows)))
    axes.axvline(1, color=GREY, linewidth=1)
    for place, (_, ratio) in enumerate(rows):
        median, (low, high), effect = ratio["speedup"]["median"], ratio["speedup"]["interval"], ratio["effect"]
        face = "white" if effect == "none" else colors[effect]
        style = {"fmt": "o", "capsize": 3, "color": colors[effect], "markerfacecolor": face}
        axes.errorbar(median, place, xerr=[[median - low], [high - median]], **style)
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%.3g"))
    axes.xaxis.set_minor_formatter(matplotlib.ticker.FormatStrFormatter("%.3g"))
    axes.tick_params(axis="x", which="both", labelsize="small", labelrotation=45)
    axes.set_xlabel("speed-up, with its 95 % interval; hollow: no measurable effect")
    axes.set_title(study.title)
    return figure


def draw_amortisation(axes, item):
    base = next((curve for curve in item["curves"] if curve["way"] == "ahead"), item["curves"][0])
    for number, curve in enumerate(item["curves"]):
        color, dashes = LINES[number % len(LINES)]
        ratios = pd.Series(base["seconds"]) / pd.Series(curve["seconds"])
        label = f"{curve['case'].split()[0]}, {WAYS.get(curve['way'], curve['way'])}"
        axes.plot(item["launches"], ratios, color=color, linestyle=dashes, marker=".", label=label)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("launches")
    axes.set_ylabel("speed-up, all counted")
    axes.set_title(f"over {base['case']}", fontsize="medium")
    axes.legend(fontsize="small")


def amortisation(study, _arguments):
    items = study.result["amortisation"]
    if not items:
        raise BadInput("the study has no amortisation: it needs two cases with the same switches whose first results were measured")
    figure, all_axes = plt.subplots(len(items), figsize=(7, 4.5 * len(items)), squeeze=False, layout="constrained")
    for axes, item in zip(all_axes.flat, items):
        draw_amortisation(axes, item)
    figure.suptitle(study.title)
    return figure


def read_curves(arguments):
    columns = ["space", "searcher", "evaluations", "fraction", "random"]
    tables = []
    for path in arguments.results:
        try:
            tables.append(pd.read_csv(path)[columns].astype({name: float for name in columns[2:]}))
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror}") from error
        except (ValueError, KeyError) as error:
            raise BadInput(f"{path}: expected what kiln tune compare --curves writes: {error}") from error
    table = pd.concat(tables)
    if table.empty:
        raise BadInput("the files hold no curves")
    return table


def draw_searches(axes, table, title):
    random = table.groupby("evaluations")["random"].mean()
    axes.plot(random.index, random, color="black", linewidth=0.8, label="uniform samples, expected")
    for number, (searcher, rows) in enumerate(table.groupby("searcher", sort=False)):
        color, dashes = LINES[(number + 1) % len(LINES)]
        width = 1.6 if number + 1 < len(LINES) else 0.7  # those beyond the palette are thin
        curve = rows.groupby("evaluations")["fraction"].mean()
        axes.plot(curve.index, curve, color=color, linestyle=dashes, linewidth=width, label=searcher)
    axes.set_title(title, fontsize="medium")
    axes.set_xlabel("evaluations")
    axes.set_ylabel("optimum / best found")
    axes.set_ylim(top=1.01)


def searches(table, _arguments):
    """The mean over the spaces, then each of them."""
    spaces = list(table.groupby("space", sort=False))
    parts = [("mean", table), *spaces] if len(spaces) > 1 else spaces
    columns = min(3, len(parts))
    rows = -(-len(parts) // columns)
    figure, all_axes = plt.subplots(rows, columns, figsize=(4.5 * columns, 3.5 * rows), squeeze=False, layout="constrained")
    for axes, (title, part) in zip(all_axes.flat, parts):
        draw_searches(axes, part, title)
    for axes in all_axes.flat[len(parts) :]:
        axes.axis("off")
    all_axes.flat[0].legend(fontsize="small")
    return figure


def read_search(arguments):
    """The header of a search's journal, and the outcome of each of its points, the last where there are several."""
    if len(arguments.results) != 1:
        raise BadInput("one search is drawn at a time; give one folder or tune.jsonl")
    path = pathlib.Path(arguments.results[0])
    if path.is_dir():
        path = path / "tune.jsonl"
        if not path.is_file():
            raise BadInput(f"{path.parent}: expected a file tune.jsonl in this folder")
    header, points = None, {}
    for kind, event in read_lines(path, "a line of a search's journal", JOURNAL_BEGINNING, lambda event: (event["event"], event)):
        if kind == "tune":
            header = event
        elif kind == "outcome" and header is not None and len(event["values"]) == len(header["names"]):
            points[tuple(event["values"])] = event["outcome"]
    if all(outcome["kind"] == "failed" for outcome in points.values()):
        raise BadInput(f"{path}: no point of the space was measured")
    return header, points


def in_order(values):
    """By size where all are numbers, else as texts."""
    try:
        return sorted(values, key=float)
    except ValueError:
        return sorted(values)


def parallel(search, _arguments):
    """A line for each point through its values, by what it costs over the best; slow ones first, so that they are covered."""
    most = 4  # colours end here
    header, points = search
    names = header["names"]
    values = [in_order({point[i] for point in points}) for i in range(len(names))]
    values_of = {kind: [outcome["value"] for outcome in points.values() if outcome["kind"] == kind] for kind in ("value", "cut")}
    best = min(values_of["value"] or values_of["cut"])  # where the default wins, each point may be cut
    ratio = {point: outcome["value"] / best if outcome["kind"] != "failed" else float("inf") for point, outcome in points.items()}
    figure, axes = plt.subplots(figsize=(2 + 1.1 * len(names), 5), layout="constrained")
    colors = plt.colormaps["viridis"]
    norm = matplotlib.colors.LogNorm(1, most)
    for point in sorted(points, key=ratio.get, reverse=True):
        heights = [(axis.index(value) + 0.5) / len(axis) for axis, value in zip(values, point)]
        if ratio[point] == float("inf"):
            axes.plot(heights, color=GREY, linestyle=":", linewidth=0.6, label="failed")
        elif ratio[point] > 1:
            axes.plot(heights, color=colors(norm(min(ratio[point], most))), linewidth=0.8)
        else:
            axes.plot(heights, color=VERMILION, linewidth=3, label="best")
    for i, axis in enumerate(values):
        axes.axvline(i, color="black", linewidth=0.6)
        for place, value in enumerate(axis):
            axes.annotate(value, (i, (place + 0.5) / len(axis)), fontsize="x-small", ha="center", bbox={"color": "white", "alpha": 0.7, "pad": 0.5})
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.set_yticks([])
    axes.set_ylim(0, 1)
    axes.set_title(f"{header['workload']} on {header['device']}: {len(points)} points", fontsize="medium")
    figure.colorbar(matplotlib.cm.ScalarMappable(norm, colors), ax=axes, label=f"over the best, {most} and more alike", ticks=[1, 1.5, 2, 3, most], format="%g")
    shown = dict(zip(*reversed(axes.get_legend_handles_labels())))
    axes.legend(shown.values(), shown.keys(), fontsize="small", loc="lower right")
    return figure


def read_fields(arguments):
    """Arrays of one shape with two extents, and their files' names."""
    fields = []
    for path in map(pathlib.Path, arguments.results):
        try:
            field = np.load(path, allow_pickle=False)
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror or error}") from error
        except (ValueError, EOFError) as error:
            raise BadInput(f"{path}: expected an array of NumPy (.npy): {error}") from error
        if not isinstance(field, np.ndarray) or field.ndim != 2 or field.size == 0 or field.dtype.kind not in "biuf":
            found = f"{field.dtype} {field.shape}" if isinstance(field, np.ndarray) else "several arrays"
            raise BadInput(f"{path}: expected an array of numbers with two extents; found {found}")
        if fields and field.shape != fields[0][1].shape:
            raise BadInput(f"{path}: expected the shape {fields[0][1].shape} of {fields[0][0]}; found {field.shape}")
        if not np.isfinite(field).any():
            raise BadInput(f"{path}: no number is finite")
        fields.append((path, field))
    if (len(fields) > 1) != (pathlib.Path(arguments.output).suffix == ".gif"):
        raise BadInput(f"--output {arguments.output}: expected .gif for an animation of several fields, .svg or .png for one")
    return fields


def draw_field(fields, arguments):
    """The first row is the lowest. All pictures of an animation have the colours of their least and greatest number."""
    shown = [np.ma.masked_invalid(field.astype(float)) for _, field in fields]
    low = arguments.min if arguments.min is not None else min(field.min() for field in shown)
    high = arguments.max if arguments.max is not None else max(field.max() for field in shown)
    if not low <= high:
        raise BadInput(f"--min {low} is above --max {high}")
    figure, axes = plt.subplots(figsize=(6, 5), layout="constrained")
    image = axes.imshow(shown[0], origin="lower", cmap="viridis", vmin=low, vmax=high, interpolation="nearest")
    axes.set_title(fields[0][0].stem, fontsize="medium")
    figure.colorbar(image, ax=axes, label=arguments.label)
    if len(fields) == 1:
        return figure

    def show(number):
        image.set_data(shown[number])
        axes.set_title(fields[number][0].stem, fontsize="medium")
        return [image]

    return matplotlib.animation.FuncAnimation(figure, show, frames=len(fields))


MOST_LAUNCHES = 80  # rows of a timeline


def read_trace(arguments):
    """Begin and duration in us, and name, of the launches in the last sample of a step, in the order of their time."""
    path = pathlib.Path(arguments.results)
    try:
        trace = json.loads(path.read_text())
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        spans = [e for e in events if e.get("ph") == "X"]
        samples = [e for e in spans if e.get("cat") == "sample" and e["args"].get("steps") == 1]
        last = max(samples, key=lambda e: e["ts"], default={"ts": 0, "dur": 0})
        launches = [e for e in spans if e.get("cat") == "kernel" and last["ts"] <= e["ts"] < last["ts"] + last["dur"]]
        launches = [(e["ts"], e["dur"], e["name"]) for e in launches]
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{path}: expected a trace that kiln run --trace wrote") from error
    if not samples:
        raise BadInput(f"{path}: no sample of one step; expected a trace of a job that measures")
    if not launches:
        raise BadInput(f"{path}: the last sample has no launches")
    return sorted(launches)


def timeline(launches, arguments):
    """A row for each launch, with the time that it took."""
    count, launches = len(launches), launches[:MOST_LAUNCHES]
    names = list(dict.fromkeys(name for _, _, name in launches))
    begin = launches[0][0]
    longest = max(at + duration for at, duration, _ in launches) - begin
    scale, unit = (1e-3, "ms") if longest >= 1000 else (1, "us")
    figure, axes = plt.subplots(figsize=(8, 0.8 + 0.2 * len(launches)))
    for row, (at, duration, name) in enumerate(launches):
        left, width = (at - begin) * scale, duration * scale
        axes.barh(row, width, left=left, height=0.7, color=LINES[1 + names.index(name) % (len(LINES) - 1)][0])
        axes.annotate(f"{width:.3g}", (left + width, row), xytext=(3, 0), textcoords="offset points", va="center", fontsize=7)
    axes.set_yticks(range(len(launches)), [f"{i + 1} {name}" for i, (_, _, name) in enumerate(launches)], fontsize=7)
    axes.invert_yaxis()
    part = f"; the first {len(launches)} of {count} launches" if count > len(launches) else ""
    axes.set_xlabel(f"time since the first launch, {unit}{part}")
    axes.margins(x=0.06)
    axes.set_xlim(left=0)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def write(picture, arguments):
    if isinstance(picture, matplotlib.animation.FuncAnimation):
        picture.save(arguments.output, writer=matplotlib.animation.PillowWriter(fps=arguments.rate), dpi=100)
    else:
        picture.savefig(arguments.output, bbox_inches="tight", dpi=150)


def parse(words):
    files = argparse.ArgumentParser(add_help=False)
    files.add_argument("results", nargs="+", metavar="RESULTS", help="files records.jsonl or study.jsonl, or folders that contain them")
    files.add_argument("-o", "--output", required=True, metavar="FILE", help="picture to write: .svg or .png")
    common = argparse.ArgumentParser(add_help=False, parents=[files])
    common.add_argument("--workload", help="only results of this workload")
    common.add_argument("--device", help="only results of this device, by a part of its name")
    parser = argparse.ArgumentParser(description="Plots from Kiln's records and studies.")
    plots = parser.add_subparsers(dest="plot", required=True)
    plots.add_parser("bars", parents=[common], help="median times with their intervals").set_defaults(draw=bars, read=chosen)
    command = plots.add_parser("heat", parents=[common], help="a metric over two parameters")
    command.add_argument("--x", required=True, metavar="NAME", help="parameter of the columns")
    command.add_argument("--y", required=True, metavar="NAME", help="parameter of the rows")
    command.add_argument("--metric", metavar="NAME", help="metric to show, or time; else the first")
    command.set_defaults(draw=heat, read=chosen)
    command = plots.add_parser("roofline", parents=[common], help="records under a device's ceilings")
    command.add_argument("--ceilings", required=True, metavar="FILE", help="what kiln roofline wrote of the device")
    command.set_defaults(draw=roofline, read=chosen)
    for name, draw, text in (
        ("cases", cases, "of a study: the time of each case with its interval"),
        ("effects", effects, "of a study: speed-ups with their intervals"),
        ("amortisation", amortisation, "of a study: speed-up against the number of launches, all that came before counted"),
    ):
        plots.add_parser(name, parents=[common], help=text).set_defaults(draw=draw, read=read_study)
    command = plots.add_parser("searches", parents=[files], help="of kiln tune compare --curves: what searchers find, by evaluations")
    command.set_defaults(draw=searches, read=read_curves)
    command = plots.add_parser("parallel", parents=[files], help="of kiln tune: the points of a search in parallel coordinates")
    command.set_defaults(draw=parallel, read=read_search)
    command = plots.add_parser("timeline", help="of kiln run --trace: the launches of the last measured step")
    command.add_argument("results", metavar="TRACE", help="file that kiln run --trace wrote")
    command.add_argument("-o", "--output", required=True, metavar="FILE", help="picture to write: .svg or .png")
    command.set_defaults(draw=timeline, read=read_trace)
    command = plots.add_parser("field", help="arrays (.npy) with two extents that --keep wrote: a picture, or an animation of several")
    command.add_argument("results", nargs="+", metavar="FIELD", help="files .npy of one shape, in the order of the animation")
    command.add_argument("-o", "--output", required=True, metavar="FILE", help="picture to write: .svg or .png; .gif of several fields")
    command.add_argument("--label", default="", help="what the colours mean")
    command.add_argument("--min", type=float, metavar="NUMBER", help="where the colours begin; else the least number")
    command.add_argument("--max", type=float, metavar="NUMBER", help="where they end; else the greatest number")
    command.add_argument("--rate", type=float, default=5, metavar="N", help="pictures a second of an animation, 5 by default")
    command.set_defaults(draw=draw_field, read=read_fields)
    arguments = parser.parse_args(words)
    suffixes = (".svg", ".png", ".gif") if arguments.plot == "field" else (".svg", ".png")
    if pathlib.Path(arguments.output).suffix not in suffixes:
        parser.error(f"--output: expected a name that ends in {', '.join(suffixes[:-1])} or {suffixes[-1]}, found '{arguments.output}'")
    if arguments.plot == "field" and not 0 < arguments.rate <= 100:
        parser.error(f"--rate: expected a number above 0 and up to 100, found {arguments.rate:g}")
    return arguments


def main(words):
    arguments = parse(words)
    try:
        write(arguments.draw(arguments.read(arguments), arguments), arguments)
    except BadInput as error:
        print(f"plot.py: error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"plot.py: error: {arguments.output}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
