"""Networks on the CPU beside PyTorch: python bench/networks.py [--rounds 31] [--threads 1] [--only resnet18].

Inference in float with random weights by Kiln's programs `resnet18` (one image) and `mala` (8748 and 500 000 rows),
and by PyTorch, eager and by its compilers. All ways are called by turns in one process: before each timed call one
without a clock, so that no way pays for what another one left in the caches. The order changes from round to round,
idle threads sleep. A row is the median and the quartiles of the process's CPU time in ms a call, and those of
PyTorch's time over Kiln's in the same round: above 1 Kiln is faster. CPU time is hardly disturbed by other programs
on the machine, wall time (`--wall`) is. `--workloads kernels_src` measures the files of a folder in place of those
that the package brings. Needs PyTorch and torchvision. Rows are CSV, for docs/data/performance.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

Call = Callable[[], object]


def by_torch(net: "torch.nn.Module", example: "torch.Tensor") -> dict[str, Call]:
    traced = torch.jit.trace(net, example)
    frozen = torch.jit.optimize_for_inference(torch.jit.trace(net, example))
    ways: dict[str, Call] = {
        "eager": lambda: net(example),
        "TorchScript": lambda: traced(example),
        "optimize_for_inference": lambda: frozen(example),
    }
    try:
        compiled = torch.compile(net)
        compiled(example)
        ways["compile"] = lambda: compiled(example)
    except Exception as error:  # without a compiler for its own kernels
        print(f"# torch.compile: {str(error).splitlines()[0]}")
    return ways


def program(name: str, values: dict[str, object]) -> Callable[[object], object]:
    if not arguments.workloads:
        return kiln.program(name, device="cpu", set=values)
    job = Path(jobs.name) / f"{len(os.listdir(jobs.name))}.yaml"  # read when it is called first
    job.write_text(f"workload: {arguments.workloads.resolve() / name / name}.yaml\ndevice: cpu\n")
    return kiln.program(job, device="cpu", set=values)


def mala(rows: int) -> dict[str, Call]:
    x = np.random.default_rng(1).standard_normal((rows, 91)).astype("f4")
    own = program("mala", {"T": "float", "rows": rows})
    layer = torch.nn.Linear
    net = torch.nn.Sequential(layer(91, 100), torch.nn.ReLU(), layer(100, 11), torch.nn.ReLU()).eval()
    return {"Kiln": lambda: own(x)} | by_torch(net, torch.from_numpy(x))


def resnet18() -> dict[str, Call]:
    x = np.random.default_rng(1).standard_normal((1, 3, 224, 224)).astype("f4")
    own = program("resnet18", {"T": "float", "batch": 1})
    image = torch.from_numpy(x)
    net = torchvision.models.resnet18(weights=None).eval()
    ways = {"Kiln": lambda: own(x)} | by_torch(net, image)
    last = torchvision.models.resnet18(weights=None).eval().to(memory_format=torch.channels_last)
    image_last = image.to(memory_format=torch.channels_last)
    return ways | {"channels_last": lambda: last(image_last)}


def measure(name: str, ways: dict[str, Call], rounds: int, clock: Callable[[], float]) -> None:
    for call in ways.values():
        call()
    begin = time.perf_counter()
    ways["Kiln"]()
    calls = max(1, round(0.02 / (time.perf_counter() - begin)))  # of a short step: many
    times: dict[str, list[float]] = {way: [] for way in ways}
    order = list(ways)
    shuffle = np.random.default_rng(2).shuffle
    for _ in range(rounds):
        shuffle(order)
        for way in order:
            call = ways[way]
            call()
            begin = clock()
            for _ in range(calls):
                call()
            times[way].append((clock() - begin) * 1e3 / calls)

    def row(key: str, what: str, unit: str, values: "np.ndarray") -> None:
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
        print(f'{name}.{key},"{what}",{unit},,{middle:.4g},{low:.4g},{high:.4g}')

    for way, own in times.items():
        row(way, f"{name}, {way}", "ms", np.array(own))
    for way, own in times.items():
        if way != "Kiln":
            row(f"{way}_ratio", f"{name}, {way}", f"{way} / Kiln", np.array(own) / np.array(times["Kiln"]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="", help="networks whose names begin so")
    parser.add_argument("--workloads", type=Path)
    parser.add_argument("--wall", action="store_true")
    arguments = parser.parse_args()
    jobs = tempfile.TemporaryDirectory()
    # Libraries read these when they are loaded.
    for variable in ("OMP_NUM_THREADS", "KILN_CPU_THREADS"):
        os.environ[variable] = str(arguments.threads)
    os.environ |= {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0", "KMP_BLOCKTIME": "0"}
    import numpy as np
    import torch
    import torchvision

    import kiln

    torch.set_num_threads(arguments.threads)
    print(f"# PyTorch {torch.__version__}, threads: {arguments.threads}, load {os.getloadavg()[0]:.0f}")
    networks: dict[str, Callable[[], dict[str, Call]]] = {
        "resnet18": resnet18,
        "mala_8748": lambda: mala(8748),
        "mala_500000": lambda: mala(500_000),
    }
    with torch.inference_mode():
        for name, make in networks.items():
            if name.startswith(arguments.only):
                measure(name, make(), arguments.rounds, time.perf_counter if arguments.wall else time.process_time)
