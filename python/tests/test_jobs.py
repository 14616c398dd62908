"""Jobs, their records, workloads."""

from __future__ import annotations

import builtins
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kiln

YAML = """workload: saxpy
summary: z = a x + y
parameters:
  T:     {type: type, default: float, values: [float, double]}
  n:     {type: int, default: 10000, min: 1}
  a:     {type: T, default: 2.5}
  block: {type: int, default: 256, values: [64, 128, 256]}
buffers:
  x:           {type: T, shape: [n], init: {uniform: [-1, 1]}}
  y:           {type: T, shape: [n], init: {normal: [0, 1]}}
  z:           {type: T, shape: [n]}
  z_reference: {type: T, shape: [n]}
kernels:
  saxpy:           {source: saxpy.cu, grid: ["ceil_div(n, block)"], block: [block], args: [z, x, y, params]}
  saxpy_reference: {source: saxpy.cu, grid: ["ceil_div(n, block)"], block: [block], args: [z_reference, x, y, params]}
run: [saxpy]
verify:
  checks:
    - {buffer: z, reference: {kernel: saxpy_reference, buffer: z_reference}, rtol: "4 * eps(T)", atol: "4 * eps(T)"}
metrics:
  bandwidth: {unit: GB/s, value: "3 * n * sizeof(T) / time * 1e-9", higher_is: better}
"""
TEXT = """#include "kiln/params.h"
extern "C" __global__ void saxpy(T* __restrict__ z, const T* __restrict__ x, const T* __restrict__ y, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef WRONG
  if (i < p.n) z[i] = 0;
#else
  if (i < p.n) z[i] = p.a * x[i] + y[i];
#endif
}
extern "C" __global__ void saxpy_reference(T* __restrict__ z, const T* __restrict__ x, const T* __restrict__ y, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) z[i] = static_cast<T>(static_cast<double>(p.a) * x[i] + y[i]);
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("jobs")
    (folder / "saxpy").mkdir()
    (folder / "saxpy" / "saxpy.yaml").write_text(YAML)
    (folder / "saxpy" / "saxpy.cu").write_text(TEXT)
    (folder / "job.yaml").write_text("workload: saxpy\nmeasure: {min_time: 1 ms, max_time: 20 ms, min_samples: 3}\n")
    return folder


@pytest.fixture(scope="module")
def records(service: kiln.Service, folder: Path) -> kiln.Records:
    job = service.job(
        folder / "job.yaml",
        set={"n": 5000, "bind.a": "run"},
        sweep={"block": [64, 128], "T": ["float", "double"]},
        devices="cpu",
    )
    return job.run(progress=True)


def test_records(records: kiln.Records) -> None:
    assert len(records) == 4
    assert records.finished
    assert records.good
    assert {record.parameters["block"] for record in records} == {64, 128}
    for record in records:
        assert record.status == "ok"
        assert record.good
        assert record.device == "cpu"
        assert record.parameters["n"] == 5000
        assert record["parameters"]["a"]["bind"] == "run"
        assert record.seconds is not None
        assert 1e-8 < record.seconds < 1
        assert record.metrics["bandwidth"] == pytest.approx(
            3 * 5000 * (4 if record.parameters["T"] == "float" else 8) / record.seconds * 1e-9
        )
        assert record.max_relative_error is not None
        assert record.label in repr(records)
    fastest = records.fastest()
    assert fastest.seconds == min(record.seconds or 0 for record in records)
    assert isinstance(records[1:], kiln.Records)
    assert len(records[1:]) == 3
    assert records[-1] in list(records)


def test_tables(records: kiln.Records) -> None:
    html = records._repr_html_()
    assert html.count("<tr>") == 5
    assert "bandwidth, GB/s" in html
    assert "T=double" in html
    assert records[0]._repr_html_().count("<tr>") == 2
    rows = records.to_dicts()
    assert [row["block"] for row in rows] == [record.parameters["block"] for record in records]
    assert rows[0]["seconds"] == records[0].seconds


def test_to_pandas(records: kiln.Records) -> None:
    pandas = pytest.importorskip("pandas")
    frame = records.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == 4
    assert frame.groupby("T")["bandwidth"].max().gt(0).all()


def test_without_pandas(records: kiln.Records, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"to_pandas\(\) needs pandas; to_dicts"):
        records.to_pandas()


def test_progress_uses_tqdm(service: kiln.Service, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    service.job(folder / "job.yaml", devices="cpu").run(progress=True)
    assert "1/1" in capsys.readouterr().err


def test_a_wrong_variant_is_a_record(service: kiln.Service, folder: Path) -> None:
    (folder / "wrong").mkdir(exist_ok=True)
    (folder / "wrong" / "wrong.yaml").write_text(YAML.replace("workload: saxpy", "workload: wrong"))
    (folder / "wrong" / "saxpy.cu").write_text("#define WRONG\n" + TEXT)
    text = f"workload: {folder / 'wrong'}\nmeasure: {{min_time: 1 ms, max_time: 10 ms}}\n"
    records = service.job(text, devices=["cpu"]).run()
    assert [record.status for record in records] == ["wrong"]
    assert not records.good
    assert "<details>" in records._repr_html_()
    with pytest.raises(ValueError, match="no variant"):
        records.fastest()


def test_what_is_wrong_with_a_job_is_raised(service: kiln.Service, folder: Path) -> None:
    with pytest.raises(kiln.BadInputError, match="block"):
        service.job(folder / "job.yaml", set={"blocck": 64}, devices="cpu").run()
    with pytest.raises(kiln.Error, match=r"none\.yaml"):
        service.job(folder / "none.yaml").run()


def test_functions_are_called_and_end_the_job(service: kiln.Service, folder: Path) -> None:
    job = service.job(folder / "job.yaml", sweep={"block": [64, 128, 256]}, devices="cpu")
    seen: list[Any] = []
    records = job.run(on_record=seen.append, on_progress=lambda *where: seen.append(where))
    assert [one for one in seen if isinstance(one, tuple)] == [
        (i, 3, f"block={b}") for i, b in enumerate((64, 128, 256))
    ]
    assert [one for one in seen if isinstance(one, kiln.Record)] == list(records)

    stopped = job.run(stop=lambda: len(seen) > 6, on_record=seen.append)
    assert not stopped.finished
    assert len(stopped) < 3

    def fail(record: kiln.Record) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        job.run(on_record=fail)


def test_ctrl_c_ends_a_job(service: kiln.Service, folder: Path) -> None:
    job = service.job(folder / "job.yaml", sweep={"block": [64, 128, 256]}, devices="cpu")
    with pytest.raises(KeyboardInterrupt):
        job.run(on_progress=lambda *where: signal.raise_signal(signal.SIGINT))


def test_output_and_resume(service: kiln.Service, folder: Path, tmp_path: Path) -> None:
    job = dict(sweep={"block": [64, 128]}, devices="cpu", output=tmp_path / "out")
    assert len(service.job(folder / "job.yaml", **job).run()) == 2  # type: ignore[arg-type]
    assert len((tmp_path / "out" / "records.jsonl").read_text().splitlines()) == 2
    ran: list[object] = []
    service.job(folder / "job.yaml", **job, resume=True).run(on_progress=lambda *where: ran.append(where))  # type: ignore[arg-type]
    assert ran == []


def test_other_threads_run_during_a_job(service: kiln.Service, folder: Path) -> None:
    counted, done = [0], threading.Event()

    def count() -> None:
        while not done.wait(0.001):
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    text = f"workload: {folder / 'saxpy'}\nmeasure: {{min_time: 0.3 s, max_time: 0.4 s}}\n"
    begin = time.monotonic()
    service.job(text, set={"n": 1_000_000}, devices="cpu").run()
    elapsed = time.monotonic() - begin
    done.set()
    thread.join()
    assert counted[0] > 50 * elapsed


def test_kernels_of_workload_files(service: kiln.Service, folder: Path) -> None:
    workload = service.workload(folder / "saxpy")
    assert (workload.name, workload.kernels()) == ("saxpy", ["saxpy", "saxpy_reference"])
    kernel = workload.kernel("saxpy", device="cpu", set={"n": 100, "T": "double", "bind.a": "run", "block": 64})
    assert kernel.info.name == "saxpy"
    assert kernel.info.wisdom == ""
    z, x, y = np.zeros(100), np.arange(100.0), np.ones(100)
    kernel.run(z, x, y)
    np.testing.assert_array_equal(z, 2.5 * x + 1)
    kernel(z, x, y, a=3.0, stream=None)
    np.testing.assert_array_equal(z, 3 * x + 1)
    with pytest.raises(kiln.BadInputError, match="3"):
        kernel(z, x)
    with pytest.raises(kiln.BadInputError, match="b"):
        kernel(z, x, y, b=3.0)
    with pytest.raises(ValueError, match="contiguous"):
        kernel(z, x[::2], y)
    with pytest.raises(kiln.BadInputError):
        workload.kernel("saxpy", device="cpu", set={"n": -1})


def test_kernels_of_workload_files_take_kilns_arrays(service: kiln.Service, folder: Path, device: kiln.Device) -> None:
    kernel = service.workload(folder / "saxpy").kernel(
        "saxpy", device=device, set={"n": 100, "T": "double", "bind.a": "run", "block": 64}
    )
    z, x, y = device.zeros(100), device.array(np.arange(100.0)), device.array(np.ones(100))
    np.testing.assert_array_equal(z.host("read"), 0)
    kernel(z, x, y, a=3.0)
    np.testing.assert_array_equal(z.host("read"), 3 * np.arange(100.0) + 1)
    stream = device.stream()
    kernel.run(z, x, y, a=4.0, stream=stream)
    np.testing.assert_array_equal(z, 4 * np.arange(100.0) + 1)


def test_the_shipped_workloads_are_found(service: kiln.Service, cpu: kiln.Device) -> None:
    copy = service.workload("babelstream")
    assert "copy" in " ".join(copy.kernels())
    records = service.job(
        "workload: stencil7\nmeasure: {min_time: 1 ms, max_time: 20 ms, min_samples: 3}\n",
        set={"nx": 32, "ny": 32, "nz": 32},
        devices="cpu",
    ).run()
    assert records.good
    assert records[0].status == "ok"
