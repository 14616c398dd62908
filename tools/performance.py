#!/usr/bin/env python3
"""docs/performance.md and its two charts, from the figures of docs/data/performance.

    tools/performance.py            writes the page and the claims' figures are compared, see below
    tools/performance.py --charts   draws docs/images/performance_*.svg as well (needs matplotlib, package python3-matplotlib)
    tools/performance.py --check    reports whether page, charts and claims agree with the figures; needs no package

A file RUN.csv of docs/data/performance holds the figures of one run: machine, date and command in its head, then one line a
figure with its median and, where known, its interval. A key that stands in several lines was measured several times. The page is
made from page.md.in, in which {{EXPRESSION}} stands for a figure:

    RUN:KEY         median and interval; of several measurements the median of the medians and their range
    RUN:KEY@WHICH   the measurement whose column `run` is WHICH
    median RUN:KEY  the median alone
    range RUN:KEY   "LOW to HIGH"
    ratio A B       the quotient of two medians, three digits
    inverse A       1 over a median, three digits

A figure that another document takes from the page is followed by <!-- performance: EXPRESSION -->; what stands before the comment
must be the figure. Exit codes: 0 done, 1 something does not agree, 2 bad input.
"""

import argparse
import csv
import decimal
import difflib
import math
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

PLACEHOLDER = re.compile(r"\{\{([^{}]+)\}\}")
CLAIM = re.compile(r"<!-- performance: ([^>]+) -->")
# A paragraph that refers to the page and has one of these states a figure, which must have its comment.
FIGURE = re.compile(r"\d ?(?:GB/s|GFLOP/s|ns|us|ms|percent|%|times)(?![\w/])")
HEAD = ("machine", "date", "command")
SVG = "{http://www.w3.org/2000/svg}"
# Chart: title, axis, and for each row its label and the expressions of value and interval.
CHARTS = {
    "performance_h200": (
        "Kernels on one H200: published program's time / Kiln's time",
        "times as fast as the published program",
        [
            ("BabelStream triad, double, 2^25", "ratio h200_kernels:triad_25.tuned h200_kernels:triad_25.published"),
            ("stencil7, double, 512^3", "ratio h200_kernels:stencil_double_512.tuned h200_kernels:stencil_double_512.published"),
            ("stencil7, float, 1024^3", "ratio h200_kernels:stencil_float_1024.tuned h200_kernels:stencil_float_1024.published"),
            ("miniBUDE, bm1, fast-math", "ratio h200_kernels:minibude_fast.published h200_kernels:minibude_fast.tuned"),
            ("Hartree-Fock, he64", "ratio h200_kernels:he64.published h200_kernels:he64.tuned"),
            ("Hartree-Fock, he256", "ratio h200_kernels:he256.published h200_kernels:he256.tuned"),
            ("XSBench, large, sorted", "ratio h200_davis:xsbench_large.tuned h200_davis:xsbench_large.published_sorted"),
            ("su3, float, aligned", "ratio h200_davis:su3_float.tuned h200_davis:su3_float.published_aligned"),
            ("su3, double, aligned", "ratio h200_davis:su3_double.tuned h200_davis:su3_double.published_aligned"),
            ("CloverLeaf, bm_short", "ratio h200_davis:bm_short.published h200_davis:bm_short.tuned"),
            ("CloverLeaf, bm64_short", "ratio h200_davis:bm64_short.published h200_davis:bm64_short.tuned"),
        ],
    ),
    "performance_cpu": (
        "Kernels on two AMD EPYC cores: OpenMP's time / Kiln's time",
        "times as fast as the OpenMP loop, with quartiles",
        [
            ("copy", "cpu_epyc:copy.ratio"),
            ("mul", "cpu_epyc:mul.ratio"),
            ("add", "cpu_epyc:add.ratio"),
            ("triad", "cpu_epyc:triad.ratio"),
            ("dot", "cpu_epyc:dot.ratio"),
            ("stencil7, 256^3", "cpu_epyc:stencil_256.ratio"),
            ("stencil7, 384^3", "cpu_epyc:stencil_384.ratio"),
            ("miniBUDE", "cpu_epyc:minibude.ratio"),
            ("miniBUDE, loop with -fno-math-errno", "cpu_epyc:minibude_errno.ratio"),
            ("barriers: transpose", "cpu_epyc_barriers_openmp:transpose.ratio"),
            ("barriers: reduction by a tree", "cpu_epyc_barriers_openmp:reduction.ratio"),
            ("barriers: layer norm, shuffles", "cpu_epyc_barriers_openmp:layer_norm_shuffles.ratio"),
            ("barriers: matrix product", "cpu_epyc_barriers_openmp:matrix_product.ratio"),
            ("barriers: bitonic sort", "cpu_epyc_barriers_openmp:sort.ratio"),
            ("barriers: layer norm, tiles", "cpu_epyc_barriers_openmp:layer_norm_tiles.ratio"),
            ("barriers: scan", "cpu_epyc_barriers_openmp:scan.ratio"),
            ("barriers: Jacobi, shared tiles", "cpu_epyc_barriers_openmp:jacobi.ratio"),
            ("barriers: hotspot, two steps", "cpu_epyc_barriers_openmp:hotspot.ratio"),
        ],
    ),
}


class BadInput(Exception):
    """What the user gave cannot be used; the message says where and why."""


class Figure:
    """Median and interval as they were printed; each may be empty."""

    def __init__(self, median, low, high):
        self.median, self.low, self.high = median, low, high

    def __str__(self):
        if not self.median:
            return interval(self)
        return with_separators(self.median) + (f" ({interval(self)})" if self.low else "")


def interval(figure):
    if not figure.low:
        raise BadInput("the figure has no interval")
    return f"{with_separators(figure.low)} to {with_separators(figure.high)}"


def with_separators(number):
    """12345 as 12,345; shorter ones, and what stands behind the point, as they are."""
    whole, point, rest = number.partition(".")
    return (f"{int(whole):,}" if len(whole.lstrip("-")) > 4 else whole) + point + rest


def of_several(figures):
    """The median of the medians, with as many decimals as they have, and their range."""
    values = sorted((figure.median for figure in figures), key=decimal.Decimal)
    middle = [decimal.Decimal(values[(len(values) - 1) // 2]), decimal.Decimal(values[len(values) // 2])]
    digits = min((decimal.Decimal(value).as_tuple().exponent for value in values))
    median = (sum(middle) / 2).quantize(decimal.Decimal((0, (1,), digits)))
    return Figure(str(median), values[0], values[-1])


class Figures:
    """All runs of a folder."""

    def __init__(self, folder):
        self.runs, self.heads = {}, {}
        for path in sorted(folder.glob("*.csv")):
            self.read(path)
        if not self.runs:
            raise BadInput(f"{folder}: expected files RUN.csv, found none")

    def read(self, path):
        lines = path.read_text(encoding="utf-8").splitlines()
        head = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
        for name in HEAD:
            if not head.get(name):
                raise BadInput(f"{path}: expected a line '# {name}: ...'")
        figures = {}
        for number, row in enumerate(csv.DictReader(line for line in lines if not line.startswith("#")), 1):
            try:
                values = [row[column] for column in ("median", "low", "high")]
                [decimal.Decimal(value) for value in values if value]
                if not any(values) or bool(values[1]) != bool(values[2]):
                    raise KeyError("median, or low and high")
                figures.setdefault(row["key"], []).append((row["run"], Figure(*values)))
            except (KeyError, TypeError, decimal.InvalidOperation) as error:
                raise BadInput(f"{path}: row {number}: expected key, what, unit, run, median, low, high: {error!r}") from error
        self.runs[path.stem], self.heads[path.stem] = figures, head

    def find(self, name):
        run, _, key = name.partition(":")
        key, _, which = key.partition("@")
        if run not in self.runs:
            raise BadInput(f"'{name}': no file {run}.csv; expected one of {', '.join(self.runs)}")
        known = self.runs[run]
        if key not in known:
            near = difflib.get_close_matches(key, known, 3) or list(known)
            raise BadInput(f"'{name}': {run}.csv has no such key; expected one like {', '.join(near)}")
        found = [figure for label, figure in known[key] if not which or label == which]
        if not found:
            raise BadInput(f"'{name}': no run '{which}'; expected one of {', '.join(label for label, _ in known[key])}")
        return found[0] if len(found) == 1 else of_several(found)

    def value(self, expression):
        """Median, low and high as numbers; an interval that is not known is the median."""
        words = expression.split(" ")
        if words[0] == "ratio":
            quotient = float(self.text(expression))
            return quotient, quotient, quotient
        figure = self.find(expression)
        return tuple(float(text or figure.median) for text in (figure.median, figure.low, figure.high))

    def text(self, expression):
        form, _, rest = expression.partition(" ")
        if form in ("ratio", "inverse"):
            medians = [float(self.find(word).median) for word in rest.split(" ")]
            if len(medians) != (2 if form == "ratio" else 1):
                raise BadInput(f"'{expression}': expected ratio A B or inverse A")
            quotient = medians[0] / medians[1] if form == "ratio" else 1 / medians[0]
            return f"{quotient:.{max(0, 2 - math.floor(math.log10(quotient)))}f}"
        if form == "median":
            return with_separators(self.find(rest).median)
        if form == "range":
            return interval(self.find(rest))
        return str(self.find(expression))


def made_page(figures, template):
    page = PLACEHOLDER.sub(lambda match: figures.text(match[1]), template.read_text(encoding="utf-8"))
    runs = ["| file | machine | date | command |", "| --- | --- | --- | --- |"]
    for run, head in figures.heads.items():
        runs.append(f"| [{run}](data/performance/{run}.csv) | {head['machine']} | {head['date']} | `{head['command']}` |")
    return page.replace("<!-- runs -->", "\n".join(runs))


def paragraphs_of(text):
    """Each with the number of its first line."""
    number = 1
    for paragraph in re.split(r"(\n\s*\n)", text):
        yield number, paragraph
        number += paragraph.count("\n")


def refused_claims(figures, root, page):
    """What documents state otherwise than the figures, or without their comment."""
    documents = [root / "README.md", *sorted(root.glob("docs/**/*.md")), *sorted(root.glob("kernels_src/*/README.md"))]
    documents += [*sorted(root.glob("configs/**/*.md")), *sorted(root.glob("python/*.md")), *sorted(root.glob("examples/**/*.md"))]
    count, refused = 0, []
    for document in documents:
        if document == page:
            continue
        for number, paragraph in paragraphs_of(document.read_text(encoding="utf-8")):
            place = f"{document.relative_to(root)}:{number}"
            claims = list(CLAIM.finditer(paragraph))
            for claim in claims:
                expected = figures.text(claim[1])
                count += 1
                # The unit may stand between the figure and the comment.
                stated = paragraph[: claim.start()].replace("\n", " ")
                if not re.search(rf"(?<![\d.]){re.escape(expected)}(?: (?:GB/s|GFLOP/s|ns|us|ms|percent|%|times))?$", stated):
                    refused.append(f"{place}: expected {expected} before {claim[0]}, found '{stated[-30:]}'")
            if "performance.md" in paragraph and FIGURE.search(paragraph) and not claims:
                refused.append(f"{place}: a figure with a reference to performance.md, but without <!-- performance: ... -->")
    return count, refused


def rows_of(figures, chart):
    """Label with its value, value, low and high of each row."""
    rows = []
    for label, expression in CHARTS[chart][2]:
        value, low, high = figures.value(expression)
        text = figures.text(expression if expression.startswith("ratio") else f"median {expression}")
        rows.append((f"{label}: {text}", value, low, high))
    return rows


def draw(figures, chart, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": chart, "font.family": "sans-serif", "font.size": 9})
    import matplotlib.pyplot as plt

    title, axis, _ = CHARTS[chart]
    rows = rows_of(figures, chart)
    figure, axes = plt.subplots(figsize=(7.2, 1.1 + 0.24 * len(rows)), layout="constrained")
    axes.axvline(1, color="#1a1d21", linewidth=1)
    for place, (_, value, low, high) in enumerate(rows):
        colour = "#0072b2" if value >= 0.95 else "#d55e00"
        axes.plot([1, value], [place, place], color=colour, linewidth=3, alpha=0.5)
        if high > low:
            axes.plot([low, high], [place, place], color="#1a1d21", linewidth=1)
        axes.plot([value], [place], "o", color=colour, markersize=6, gid=f"row-{place}")
    axes.set_yticks(range(len(rows)), [label for label, *_ in rows])
    axes.invert_yaxis()
    axes.set_xscale("log")
    low, high = min(row[2] for row in rows), max(row[3] for row in rows)
    ticks = [tick for tick in (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if 0.7 * low < tick < 1.4 * high]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    axes.grid(axis="x", color="#d5d9de")
    axes.set_axisbelow(True)
    axes.set_xlabel(axis + " (logarithmic axis)")
    axes.set_title(title, fontsize=10)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None, "Description": "; ".join(label for label, *_ in rows)})
    plt.close(figure)
    # matplotlib ends lines with blanks.
    path.write_text("\n".join(line.rstrip() for line in path.read_text().splitlines()) + "\n")


def refused_chart(figures, chart, path):
    """Where the picture's labels or the places of its marks are not those of the figures."""
    if not path.exists():
        return [f"{path}: no such file; tools/performance.py --charts draws it"]
    picture = xml.parse(path).getroot()
    texts = {element.text for element in picture.iter(f"{SVG}text")}
    marks = {}
    for group in picture.iter(f"{SVG}g"):
        if group.get("id", "").startswith("row-"):
            marks[int(group.get("id")[4:])] = [float(use.get("x")) for use in group.iter(f"{SVG}use")]
    rows = rows_of(figures, chart)
    refused = [f"{path}: no label '{label}'" for label, *_ in rows if label not in texts]
    if sorted(marks) != list(range(len(rows))) or any(len(places) != 1 for places in marks.values()):
        return [*refused, f"{path}: expected one mark for each of {len(rows)} rows"]
    # The axis is logarithmic: its two outermost marks say where the others must be.
    logs = [math.log(row[1]) for row in rows]
    least, most = logs.index(min(logs)), logs.index(max(logs))
    scale = (marks[most][0] - marks[least][0]) / (logs[most] - logs[least])
    for place, value in enumerate(logs):
        expected = marks[least][0] + scale * (value - logs[least])
        if scale <= 0 or abs(expected - marks[place][0]) > 0.5:
            refused.append(f"{path}: the mark of '{rows[place][0]}' is at {marks[place][0]:.1f}, expected {expected:.1f}")
    return refused


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--charts", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    root = options.root
    page = root / "docs/performance.md"
    try:
        figures = Figures(root / "docs/data/performance")
        text = made_page(figures, root / "docs/data/performance/page.md.in")
        charts = {chart: root / f"docs/images/{chart}.svg" for chart in CHARTS}
        if not options.check:
            page.write_text(text, encoding="utf-8")
            if options.charts:
                for chart, path in charts.items():
                    draw(figures, chart, path)
        refused = [line for chart, path in charts.items() for line in refused_chart(figures, chart, path)]
        old = page.read_text(encoding="utf-8") if page.exists() else ""
        refused += difflib.unified_diff(old.split("\n"), text.split("\n"), str(page), "from docs/data/performance", lineterm="", n=0)
        count, claims = refused_claims(figures, root, page)
        refused += claims
    except (BadInput, OSError, xml.ParseError) as error:
        print(f"performance.py: error: {error}", file=sys.stderr)
        return 2
    for line in refused:
        print(line)
    if not refused:
        print(f"page and charts agree with {len(figures.runs)} runs; {count} claims of other documents do, too")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
