"""kiln.program: a workload's whole program as a function of arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kiln

TEXT = """#include "kiln/params.h"
extern "C" __global__ void shift(T* y, const T* x) {
  const int i = threadIdx.x;
  y[i] = x[i] + (T)Params::by;
}
"""
WORKLOAD = """workload: shift
parameters:
  T: {type: type, default: float, values: [float, double]}
  n: {type: int, default: 4, bind: compile}
  by: {type: int, default: 1, bind: compile}
buffers:
  x: {type: T, shape: [n, 2], init: 5}
  y: {type: T, shape: ["2 * n"]}
inputs: [x]
outputs: [y]
kernels:
  shift: {source: shift.cu, args: [y, x], block: ["2 * n"], grid: [1]}
run: [shift]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shift").mkdir()
    (tmp_path / "shift" / "shift.cu").write_text(TEXT)
    (tmp_path / "shift" / "shift.yaml").write_text(WORKLOAD)
    return tmp_path / "shift"


def test_arrays_decide_type_and_extents(service: kiln.Service, folder: Path) -> None:
    step = kiln.program(folder, service=service)
    assert (step.inputs, step.outputs) == (["x"], ["y"])
    for dtype in (np.float32, np.float64):
        for n in (1, 3):
            x = np.arange(2 * n, dtype=dtype).reshape(n, 2)
            y = step.run(x)
            assert y.dtype == dtype and y.shape == (2 * n,)
            np.testing.assert_array_equal(y, x.ravel() + 1)


def test_set_and_out_and_the_content_of_the_workload(service: kiln.Service, folder: Path) -> None:
    step = kiln.program(folder, set={"by": 3, "n": 2}, device="cpu", service=service)
    y = np.zeros(4, np.float32)
    assert step.run(np.ones((2, 2), np.float32), out=y) is y
    np.testing.assert_array_equal(y, 4)
    np.testing.assert_array_equal(step.run(None), [8, 8, 8, 8])
    info = step.prepare()
    assert (info.name, info.launches, info.graph) == ("shift", 1, False)


def test_calls_with_arrays_like_earlier_ones(service: kiln.Service, folder: Path) -> None:
    step = kiln.program(folder, service=service)
    for _ in range(3):
        results = [step.run(np.full((n, 2), value, dtype)) for n in (2, 3) for dtype in (np.float32, np.float64) for value in (0, 7)]
        for i, y in enumerate(results):
            assert y.shape == ((4,) if i < 4 else (6,)) and y.dtype == (np.float32, np.float64)[i // 2 % 2]
            np.testing.assert_array_equal(y, (1, 8)[i % 2])  # each its own array
        with pytest.raises(ValueError, match=r"y: expected an array of shape \(4,\); found \(5,\)"):
            step(np.ones((2, 2), np.float32), out=np.zeros(5, np.float32))
        with pytest.raises(ValueError, match=r"x: expected an array of shape \(4, 2\); found \(4, 3\)"):
            step(np.ones((4, 3), np.float32))
        with pytest.raises(TypeError, match=r"expected 1 arrays \(x\); found 2"):
            step(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
        np.testing.assert_array_equal(step.run(None), 6)


def test_a_view_that_is_not_aligned(service: kiln.Service, folder: Path) -> None:
    memory = np.arange(20, dtype=np.float32)
    step = kiln.program(folder, service=service)
    for begin in range(5):
        x = memory[begin : begin + 8].reshape(4, 2)
        np.testing.assert_array_equal(step.run(x), x.ravel() + 1)


def test_kiln_arrays(service: kiln.Service, cpu: kiln.Device, folder: Path) -> None:
    x = cpu.array(np.ones((3, 2), np.float32))
    y = kiln.program(folder, service=service).run(x)
    assert isinstance(y, kiln.Array)
    np.testing.assert_array_equal(y.host("read"), 2)


def test_mistakes(service: kiln.Service, folder: Path) -> None:
    step = kiln.program(folder, service=service)
    with pytest.raises(TypeError, match=r"expected 1 arrays \(x\); found 0"):
        step()
    with pytest.raises(ValueError, match=r"x: expected an array of shape \(n, 2\); found \(4,\)"):
        step(np.ones(4, np.float32))
    with pytest.raises(ValueError, match=r"x: expected an array of shape \(4, 2\); found \(4, 3\)"):
        step(np.ones((4, 3), np.float32))
    with pytest.raises(kiln.BadInputError, match="int"):
        step(np.ones((4, 2), np.int32))
    with pytest.raises(TypeError, match="argument 0 .*float32.*float64"):
        kiln.program(folder, set={"T": "float"}, service=service)(np.ones((4, 2)))
    with pytest.raises(ValueError, match="read-only"):
        frozen = np.zeros(8, np.float32)
        frozen.flags.writeable = False
        step(np.ones((4, 2), np.float32), out=frozen)
    with pytest.raises(kiln.BadInputError, match="unknown buffer 'z'"):
        kiln.program(folder, inputs=["z"], service=service)


def test_an_array_of_records_has_elements_of_their_size(service: kiln.Service, tmp_path: Path) -> None:
    (tmp_path / "pairs.cu").write_text(
        'struct Pair { float a, b; };\nextern "C" __global__ void add(float* y, const Pair* x) {\n'
        "  y[threadIdx.x] = x[threadIdx.x].a + x[threadIdx.x].b;\n}\n"
    )
    (tmp_path / "pairs.yaml").write_text(
        "workload: pairs\ntypes: {Pair: {a: float, b: float}}\nbuffers:\n  x: {type: Pair, shape: [3]}\n"
        "  y: {type: float, shape: [3]}\ninputs: [x]\noutputs: [y]\n"
        "kernels:\n  add: {source: pairs.cu, args: [y, x], block: [3], grid: [1]}\nrun: [add]\n"
    )
    step = kiln.program(f"workload: {tmp_path}/pairs.yaml\n", service=service)
    x = np.array([(1, 2), (3, 4), (5, 6)], dtype=[("a", np.float32), ("b", np.float32)])
    y = np.zeros(3, np.float32)
    np.testing.assert_array_equal(step.run(x, out=y), [3, 7, 11])
    with pytest.raises(TypeError, match=r"x: expected elements of 8 bytes \(Pair\); found float32"):
        step.run(np.zeros(3, np.float32), out=y)


def test_pytorch(service: kiln.Service, folder: Path) -> None:
    torch = pytest.importorskip("torch")
    x = torch.ones((3, 2), dtype=torch.float64)
    y = kiln.program(folder, service=service).run(x)
    assert isinstance(y, torch.Tensor) and y.dtype == torch.float64
    assert torch.equal(y, torch.full((6,), 2.0, dtype=torch.float64))


@pytest.mark.gpu
def test_pytorch_on_a_gpu(service: kiln.Service, folder: Path) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch sees no GPU")
    for graph in (False, True):
        step = kiln.program(folder, set={"graph": graph}, service=service)
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            x = torch.full((3, 2), 2.0, device="cuda")
            for _ in range(20):
                y = step(x)
        torch.cuda.synchronize()
        assert torch.equal(y, torch.full((6,), 3.0, device="cuda"))
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            y = step(x)
        x.fill_(7)
        captured.replay()
        torch.cuda.synchronize()
        assert torch.equal(y, torch.full((6,), 8.0, device="cuda"))
