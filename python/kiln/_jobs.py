"""Jobs: what `kiln run` does with a job file, and the records that it leaves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, overload

from . import _kiln
from ._service import Service, text_of

if TYPE_CHECKING:
    import pandas as pd


def format_seconds(seconds: float | None) -> str:
    """ "12.3 ms"."""
    if seconds is None:
        return ""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


class Record:
    """One variant of a job, as it was recorded. `record["checks"]` is a member of the record's JSON (record.schema.json)."""

    def __init__(self, text: str) -> None:
        self.data: dict[str, Any] = json.loads(text)

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    @property
    def label(self) -> str:
        """ "block_x=64"; empty where nothing is swept."""
        return str(self.data["label"])

    @property
    def device(self) -> str:
        return str(self.data["device"]["id"])

    @property
    def status(self) -> str:
        """ "ok", "unchecked", "wrong", "compile failed", ..."""
        return str(self.data["status"])

    @property
    def good(self) -> bool:
        """It ran, and no check found it wrong."""
        return self.status in ("ok", "unchecked")

    @property
    def message(self) -> str:
        return self.data["message"] or ""

    @property
    def log(self) -> str:
        """The compiler's."""
        return self.data["log"] or ""

    @property
    def seconds(self) -> float | None:
        """Median of a step; None where nothing was measured."""
        summary = self.data["step_seconds"]
        return None if summary is None else float(summary["median"])

    @property
    def parameters(self) -> dict[str, Any]:
        return {name: one["value"] for name, one in self.data["parameters"].items()}

    @property
    def metrics(self) -> dict[str, float]:
        return {name: float(one["value"]) for name, one in self.data["metrics"].items()}

    @property
    def max_relative_error(self) -> float | None:
        """The largest of all checks that compared something."""
        errors = [float(one["max_relative_error"]) for one in self.data["checks"] if one["compared"]]
        return max(errors) if errors else None

    def __repr__(self) -> str:
        name = " ".join(part for part in (self.data["workload"], self.label) if part)
        time = format_seconds(self.seconds)
        return f"<kiln.Record {name} on {self.device}: {self.status}{', ' + time if time else ''}>"

    def _repr_html_(self) -> str:
        return Records([self])._repr_html_()


class Records(Sequence[Record]):
    """The records of a job, in the order in which its variants ended."""

    def __init__(self, records: Sequence[Record], finished: bool = True, good: bool | None = None) -> None:
        self._records = list(records)
        #: False: the job was stopped; variants that did not run have no record.
        self.finished = finished
        #: The job finished, no variant failed and no check found a result wrong.
        self.good = all(record.good for record in self._records) and finished if good is None else good

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> Records: ...
    def __getitem__(self, index: int | slice) -> Record | Records:
        if isinstance(index, slice):
            return Records(self._records[index], self.finished)
        return self._records[index]

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def fastest(self) -> Record:
        """Of those that are good."""
        timed = [record for record in self._records if record.good and record.seconds is not None]
        if not timed:
            raise ValueError("no variant was measured and found good")
        return min(timed, key=lambda record: record.seconds or 0.0)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat row for each record: label, device, status, seconds, parameters, metrics, error."""
        rows = []
        for record in self._records:
            row: dict[str, Any] = {
                "workload": record["workload"],
                "label": record.label,
                "device": record.device,
                "status": record.status,
                "seconds": record.seconds,
                "max_relative_error": record.max_relative_error,
                "message": record.message,
            }
            for group in (record.parameters, record.metrics):
                for name, value in group.items():
                    row[name if name not in row else f"metric.{name}"] = value
            rows.append(row)
        return rows

    def to_pandas(self) -> pd.DataFrame:
        """A table with a row for each record."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas() needs pandas; to_dicts() gives the same rows without it") from error
        return pandas.DataFrame(self.to_dicts())

    def __repr__(self) -> str:
        lines = [f"<kiln.Records: {len(self)}{'' if self.finished else ', stopped'}>"]
        return "\n".join(lines + [f"  {record!r}" for record in self._records])

    def _repr_html_(self) -> str:
        metrics = list(dict.fromkeys(name for record in self._records for name in record["metrics"]))
        units = {name: one["unit"] for record in self._records for name, one in record["metrics"].items()}
        heads = ["variant", "device", "status", "median"]
        heads += [f"{name}, {units[name]}" if units[name] else name for name in metrics] + ["max. rel. error"]
        rows = []
        for record in self._records:
            error = record.max_relative_error
            cells = [record.label or record["workload"], record.device, record.status, format_seconds(record.seconds)]
            cells += [f"{record.metrics[name]:.4g}" if name in record.metrics else "" for name in metrics]
            cells.append("" if error is None else f"{error:.2g}")
            row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            rows.append(f"<tr>{row}</tr>")
            if record.message or record.log:
                told = f"<details><summary>{escape(record.message or 'log')}</summary><pre>{escape(record.log)}</pre></details>"
                rows.append(f'<tr><td colspan="{len(cells)}">{told}</td></tr>')
        head = "".join(f"<th>{escape(one)}</th>" for one in heads)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


class _Bar:
    """tqdm's, if it is there."""

    def __init__(self, wanted: bool) -> None:
        self._make: Callable[..., Any] | None = None
        self._bar: Any = None
        if wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._make = tqdm

    def begin(self, index: int, count: int, label: str) -> None:
        if self._make is None:
            return
        if self._bar is None:
            self._bar = self._make(total=count, unit="variant")
        self._bar.total = count
        self._bar.set_postfix_str(label)

    def end_one(self) -> None:
        if self._bar is not None:
            self._bar.update(1)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class Job:
    """A job that can be run, again and again: `service.job("stencil7.yaml", sweep={"block_x": [64, 128]}).run()`."""

    def __init__(
        self,
        service: Service,
        job: str,
        set: Mapping[str, object],
        sweep: Mapping[str, Sequence[object]],
        devices: Sequence[str] | str,
        output: str | PathLike[str] | None,
        resume: bool,
    ) -> None:
        self._service = service
        self._job = job
        self._set = [f"{name}={text_of(value)}" for name, value in set.items()]
        self._sweep = [f"{name}={','.join(text_of(one) for one in values)}" for name, values in sweep.items()]
        self._devices = devices.split(",") if isinstance(devices, str) and devices else list(devices)
        self._output = None if output is None else fspath(output)
        self._resume = resume

    def run(
        self,
        progress: bool = False,
        *,
        on_record: Callable[[Record], object] | None = None,
        on_progress: Callable[[int, int, str], object] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Records:
        """Compiles, launches, checks and measures every variant in this process, while other Python threads run.

        `progress` shows a bar of tqdm's, if that is installed. `stop()` is asked between steps. Ctrl-C and an exception of a
        function end the job and are raised.
        """
        records: list[Record] = []
        bar = _Bar(progress)

        def take(text: str) -> None:
            records.append(Record(text))
            bar.end_one()
            if on_record is not None:
                on_record(records[-1])

        def tell(index: int, count: int, label: str) -> None:
            bar.begin(index, count, label)
            if on_progress is not None:
                on_progress(index, count, label)

        try:
            finished, good = _kiln.run_job(
                self._service.handle,
                self._job,
                self._set,
                self._sweep,
                self._devices,
                self._output,
                self._resume,
                take,
                tell,
                stop or (lambda: False),
            )
        finally:
            bar.close()
        return Records(records, finished, good)
