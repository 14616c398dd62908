"""The papers' figures from the records in docs/data, for the notebooks beside this file.

Needs pandas and matplotlib."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import reproduction  # noqa: E402  it chooses the records for docs/reproduction.md, too


def read_cell(text: str) -> tuple[float, float]:
    """A figure and half the width of its 95 % interval, from "3134 ± 0.1 %". NaN for "-", for a figure that was not
    measured, and for published figures in brackets, which cannot be compared (docs/reproduction.md)."""
    match = re.fullmatch(r"([-+.e\d]+)(?: ± ([.\d]+) %)?", text)
    if not match or text == "-":
        return float("nan"), float("nan")
    value = float(match[1])
    return value, value * float(match[2] or 0) / 100


def measured(run: str) -> dict[str, float]:
    """The medians of a run of docs/data/performance by their keys: "batched_8_float.kiln"."""
    lines = (ROOT / "docs" / "data" / "performance" / f"{run}.csv").read_text().splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {row["key"]: float(row["median"]) for row in rows}


class Paper:
    """Tables of docs/data/tables.json: the published figures and the records of each measured device."""

    def __init__(self) -> None:
        data = ROOT / "docs" / "data"
        spec = json.loads((data / "tables.json").read_text())
        self.tables: dict[str, dict[str, Any]] = {table["id"]: table for table in spec["tables"]}
        devices = reproduction.read_devices(data, spec["gpus"])
        self.gpus = [device for device in devices if not device.is_cpu]

    def frames(self, table: str, rows: str = "") -> tuple[pd.DataFrame, pd.DataFrame]:
        """The figures of a table and half the widths of their intervals: a line for each row whose name matches `rows`, a
        column for each published result and for each of Kiln's variants on each GPU. Columns without a figure are left
        out."""
        spec = self.tables[table]
        wanted = [row for row in spec["rows"] if re.search(rows, row["name"])]
        header, body = reproduction.cells_of(spec, self.gpus, wanted, spec["published"])
        cells = [[read_cell(cell) for cell in line[1:]] for line in body]
        names = [line[0] for line in body]
        values = pd.DataFrame([[value for value, _ in line] for line in cells], names, header[1:])
        widths = pd.DataFrame([[width for _, width in line] for line in cells], names, header[1:])
        known = values.columns[values.notna().any()]
        return values[known], widths[known]

    def bars(self, table: str, rows: str = "", unit: str = "", log: bool = False) -> pd.DataFrame:
        """Draws a table as groups of bars, the published ones hatched, and returns its figures."""
        values, widths = self.frames(table, rows)
        published = self.tables[table]["published"]
        figure, axes = plt.subplots(figsize=(9, 0.9 + 0.16 * values.size), layout="constrained")
        values.plot.barh(ax=axes, xerr=widths, width=0.85, logx=log, cmap="viridis", capsize=1)
        for name, bars in zip(values.columns, axes.containers[1::2], strict=True):
            for bar in bars:
                bar.set_hatch("//" if name in published else "")
        axes.invert_yaxis()
        axes.set_xlabel(unit or self.tables[table]["title"])
        axes.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1, 0.5))
        plt.show()
        return values

    def heat_map(self, values: pd.DataFrame, unit: str) -> None:
        """Draws figures as a heat map. Colours compare the columns of a row: each row has a scale of its own."""
        shares = values.div(values.min(axis=1), axis=0)
        size = (1.1 * len(values.columns) + 3, 0.5 * len(values) + 2)
        figure, axes = plt.subplots(figsize=size, layout="constrained")
        axes.imshow(shares, cmap="viridis_r", aspect="auto")
        axes.set_xticks(range(len(values.columns)), values.columns, rotation=30, ha="right", fontsize="x-small")
        axes.set_yticks(range(len(values)), values.index, fontsize="small")
        for row in range(len(values)):
            for column in range(len(values.columns)):
                if not pd.isna(values.iat[row, column]):
                    dark = shares.iat[row, column] > (1 + shares.max(axis=None)) / 2
                    text = f"{values.iat[row, column]:.3g}"
                    axes.text(column, row, text, ha="center", va="center", color="white" if dark else "black")
        axes.set_title(unit)
        plt.show()
