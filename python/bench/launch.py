"""What a launch from Python costs the host: python bench/launch.py [--device cpu] [--rounds 60] [--calls 2000].

Every way is called in batches, by turns with the others and with a C function of four arguments that does nothing; a row is the
fastest, the fastest tenth and the median of the batches, in ns a call, and the fastest over that of the C function. The kernel's grid
covers argument 0: with n = 0 everything is done but the driver's own launch, so those rows are what Python and Kiln cost over the
driver. With n = 16 (rows "launch") the driver's launch is in; their batches are short enough for the queue of a GPU, and each begins
with an idle device. CuPy's RawKernel is there for comparison.
"""

import argparse
import gc
import itertools
import os
import platform
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kiln
from kiln import _kiln

TEXT = """template <class T> __global__ void axpy(int n, T a, const T* x, T* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}"""


def seconds_of(call: Callable[..., object], arguments: tuple[Any, ...], calls: int) -> float:
    """Of a batch. The loop costs a few ns a call, in every row."""
    a, b, c, d = arguments
    begin = time.perf_counter()
    for _ in itertools.repeat(None, calls):
        call(a, b, c, d)
    return time.perf_counter() - begin


def arrays_of(own: kiln.Device) -> dict[str, tuple[Any, Any]]:
    """By package: arrays that the device works on."""
    device = own.id
    found: dict[str, tuple[Any, Any]] = {}
    if device == "cpu":
        found["NumPy"] = (np.ones(16), np.zeros(16))
    try:
        import torch

        place = "cpu" if device == "cpu" else device
        found[f"PyTorch {torch.__version__}"] = tuple(
            torch.ones(16, dtype=torch.float64, device=place) for _ in range(2)
        )  # type: ignore[assignment]
    except ImportError:
        pass
    if device.startswith("cuda"):
        try:
            import cupy

            found[f"CuPy {cupy.__version__}"] = (cupy.ones(16), cupy.zeros(16))
        except ImportError:
            pass
    try:
        import jax

        if device == "cpu" or jax.default_backend() == "gpu":
            with jax.enable_x64(True), jax.default_device(jax.devices("cpu" if device == "cpu" else "gpu")[0]):
                # JAX's arrays are read; the other is written.
                found[f"JAX {jax.__version__} and kiln.Array"] = (jax.numpy.ones(16), own.zeros(16))
    except ImportError:
        pass
    return found


def raw_kernel() -> Callable[..., object]:
    """CuPy's launch of the kernel with the arguments n, a, x, y."""
    import cupy

    name = "axpy<double>"
    axpy = cupy.RawModule(code=TEXT, options=("--std=c++17",), name_expressions=(name,)).get_function(name)
    return lambda n, a, x, y: axpy((1,), (16,), (n, a, x, y))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--calls", type=int, default=2000)
    options = parser.parse_args()

    service = kiln.Service(application="kiln-bench", settings={"log_level": "off"})
    device = service.device(options.device)
    axpy = service.program("axpy.cu", TEXT).function("axpy", device=device, template=["double"], block=16, cover="n")
    own = (device.array(np.ones(16)), device.array(np.zeros(16)))
    addresses = tuple(one.pointer("update") for one in own)

    ways: dict[str, tuple[Callable[..., object], tuple[Any, ...]]] = {
        "C function of four arguments": (_kiln.nothing, (0, 0.5, *own)),
        "Python function of four arguments": (lambda a, b, c, d: None, (0, 0.5, *own)),
        "unchecked": (axpy.unchecked, (0, 0.5, *addresses)),
        "typed, kiln.Array": (axpy, (0, 0.5, *own)),
    }
    for name, arrays in arrays_of(device).items():
        ways[f"typed, {name}"] = (axpy, (0, 0.5, *arrays))
    for name, (call, arguments) in list(ways.items())[2:]:
        ways[f"launch: {name}"] = (call, (16, *arguments[1:]))
        if name.startswith("typed, CuPy"):
            ways["launch: CuPy's RawKernel"] = (raw_kernel(), (np.int32(16), 0.5, *arguments[2:]))

    times: dict[str, list[float]] = {name: [] for name in ways}
    gc.disable()
    for round_number in range(options.rounds + 1):
        for name, (call, arguments) in ways.items():
            calls = min(options.calls, 500) if name.startswith("launch") else options.calls
            seconds = seconds_of(call, arguments, calls)
            if round_number > 0:  # the first warms up
                times[name].append(seconds / calls * 1e9)
            device.synchronize()
    gc.enable()

    print(f"{device.name} ({device.id}), Python {platform.python_version()}, Kiln {kiln.__version__}")
    load = f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores"
    print(f"{options.rounds} rounds of {options.calls} calls, of launches 500; {load}")
    print("| call | fastest, ns | tenth | median | over the C function |")
    print("| --- | --- | --- | --- | --- |")
    floor = min(times["C function of four arguments"])
    for name, values in times.items():
        ordered = sorted(values)
        tenth, median = ordered[len(ordered) // 10], ordered[len(ordered) // 2]
        print(f"| {name} | {ordered[0]:.0f} | {tenth:.0f} | {median:.0f} | {ordered[0] - floor:.0f} |")


if __name__ == "__main__":
    main()
