"""Networks beside PyTorch: python bench/networks.py [--device cuda:0] [--rounds 31] [--only resnet18_half].

Inference with random weights by Kiln's programs `resnet18` and `mala`, and by PyTorch. All ways are called by turns in one
process: before each timed call one without a clock, so that no way pays for what another one left in the caches. The order
changes from round to round. `--workloads kernels_src` measures the files of a folder in place of those that the package brings.
Needs PyTorch and torchvision. Rows are CSV, for docs/data/performance: median and quartiles of a call's time, and those of
PyTorch's time over Kiln's in the same round: above 1 Kiln is faster.

On the CPU (`resnet18` for one image, `mala` for 8748 and 500 000 rows, in float; PyTorch eager and by its compilers) idle threads
sleep, and times are the process's CPU time in ms. CPU time is hardly disturbed by other programs on the machine, wall time
(`--wall`) is.

On a GPU times are by events around several calls, in us. `resnet18` takes `--batches` images, `mala` `--rows` rows, both in
float, tf32 and half. PyTorch is eager, a CUDA graph, and a graph of what torch.compile made; ResNet18 also with
`channels_last` (torch.compile with it alone); `cudnn.benchmark` is on.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

Call = Callable[[], object]
GPU_TYPES = ("float", "tf32", "half")


def failed(way: str, error: Exception) -> None:
    print(f"# {way}: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}", flush=True)


def compiled_by_torch(net: "torch.nn.Module", example: "torch.Tensor") -> "torch.nn.Module | None":
    try:
        compiled = torch.compile(net)
        compiled(example)
        return compiled
    except Exception as error:  # without a compiler for its own kernels
        failed("torch.compile", error)
        return None


def by_torch_on_cpu(net: "torch.nn.Module", example: "torch.Tensor") -> dict[str, Call]:
    traced = torch.jit.trace(net, example)
    frozen = torch.jit.optimize_for_inference(torch.jit.trace(net, example))
    ways: dict[str, Call] = {
        "eager": lambda: net(example),
        "TorchScript": lambda: traced(example),
        "optimize_for_inference": lambda: frozen(example),
    }
    compiled = compiled_by_torch(net, example)
    return ways if compiled is None else ways | {"compile": lambda: compiled(example)}


def graph_of(net: "torch.nn.Module", example: "torch.Tensor") -> Call:
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            net(example)
    side.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        net(example)
    return graph.replay


def by_torch_on_gpu(net: "torch.nn.Module", example: "torch.Tensor", made_by: tuple[str, ...] = ("graph", "compile")) -> dict[str, Call]:
    """Ways for `example` as it is stored; a way that fails is named and left out."""
    ways: dict[str, Call] = {"eager": lambda: net(example)}
    for way in made_by:
        made = net if way == "graph" else compiled_by_torch(net, example)
        try:
            if made is not None:
                ways[way] = graph_of(made, example)
        except Exception as error:
            failed(way, error)
    return ways


def program(name: str, values: dict[str, object]) -> Callable[[object], object]:
    if not arguments.workloads and not on_gpu:
        return kiln.program(name, device="cpu", set=values)
    workload = f"{arguments.workloads.resolve() / name / name}.yaml" if arguments.workloads else name
    job = Path(jobs.name) / f"{len(os.listdir(jobs.name))}.yaml"  # read when it is called first
    job.write_text(f"workload: {workload}\ndevice: {arguments.device}\n" + ("wisdom: true\nset: {graph: true}\n" if on_gpu else ""))
    return kiln.program(job, device=arguments.device, set=values)


def random_input(*shape: int) -> "torch.Tensor":
    """On the device that makes it: a GPU's may have 1.5e9 numbers."""
    return torch.randn(shape, generator=torch.Generator(arguments.device).manual_seed(1), device=arguments.device)


def stored(net: "torch.nn.Module", x: "torch.Tensor", kind: str) -> tuple["torch.nn.Module", "torch.Tensor"]:
    """On the device, in half if `kind` says so."""
    type_of = torch.float16 if kind == "half" else torch.float32
    return net.eval().to(arguments.device, type_of), x.to(arguments.device, type_of)


def mala(rows: int, kind: str = "float") -> dict[str, Call]:
    x = random_input(rows, 91)
    layer = torch.nn.Linear
    net, x = stored(torch.nn.Sequential(layer(91, 100), torch.nn.ReLU(), layer(100, 11), torch.nn.ReLU()), x, kind)
    operation = {"operation": "mma"} if kind == "tf32" else {}
    own = program("mala", {"T": "half" if kind == "half" else "float", "rows": rows} | operation)
    given = x if on_gpu else x.numpy()
    return {"Kiln": lambda: own(given)} | (by_torch_on_gpu if on_gpu else by_torch_on_cpu)(net, x)


def resnet18(batch: int = 1, kind: str = "float") -> dict[str, Call]:
    images = random_input(batch, 3, 224, 224)
    operation = {"operation": "wgmma"} if kind == "tf32" else {}
    own = program("resnet18", {"T": "half" if kind == "half" else "float", "batch": batch} | operation)
    given = images if on_gpu else images.numpy()
    net, x = stored(torchvision.models.resnet18(weights=None), images, kind)
    last, x_last = stored(torchvision.models.resnet18(weights=None), images, kind)
    last, x_last = last.to(memory_format=torch.channels_last), x_last.to(memory_format=torch.channels_last)
    ways: dict[str, Call] = {"Kiln": lambda: own(given)}
    if not on_gpu:
        return ways | by_torch_on_cpu(net, x) | {"channels_last": lambda: last(x_last)}
    ways |= by_torch_on_gpu(net, x, ("graph",))  # torch.compile chooses how convolutions store
    return ways | {f"{way}_channels_last": call for way, call in by_torch_on_gpu(last, x_last).items()}


class HostClock:
    unit = "ms"

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock

    def time(self, call: Call, calls: int) -> float:
        call()
        begin = self.clock()
        for _ in range(calls):
            call()
        return (self.clock() - begin) * 1e3 / calls


class EventClock:
    """The GPU's, on the current stream."""

    unit = "us"

    def time(self, call: Call, calls: int) -> float:
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        call()
        begin.record()
        for _ in range(calls):
            call()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) * 1e3 / calls


def measure(name: str, ways: dict[str, Call], rounds: int, clock: HostClock | EventClock) -> None:
    for call in ways.values():
        call()
    begin = time.perf_counter()
    ways["Kiln"]()
    if on_gpu:
        torch.cuda.synchronize()
    calls = max(1, round((0.005 if on_gpu else 0.02) / (time.perf_counter() - begin)))  # of a short step: many
    times: dict[str, list[float]] = {way: [] for way in ways}
    order = list(ways)
    shuffle = np.random.default_rng(2).shuffle
    for _ in range(rounds):
        shuffle(order)
        for way in order:
            times[way].append(clock.time(ways[way], calls))

    def row(key: str, what: str, unit: str, values: "np.ndarray") -> None:
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
        print(f'{name}.{key},"{what}",{unit},,{middle:.4g},{low:.4g},{high:.4g}', flush=True)

    for way, own in times.items():
        row(way, f"{name}, {way}", clock.unit, np.array(own))
    for way, own in times.items():
        if way != "Kiln":
            row(f"{way}_ratio", f"{name}, {way}", f"{way} / Kiln", np.array(own) / np.array(times["Kiln"]))


def cases() -> list[tuple[str, str, Callable[[], dict[str, Call]]]]:
    """Name, kind of numbers, what makes its ways."""
    if not on_gpu:
        return [
            ("resnet18", "float", resnet18),
            ("mala_8748", "float", lambda: mala(8748)),
            ("mala_500000", "float", lambda: mala(500_000)),
        ]
    found: list[tuple[str, str, Callable[[], dict[str, Call]]]] = []
    for kind in GPU_TYPES:
        for batch in map(int, arguments.batches.split(",")):
            found.append((f"resnet18_{kind}_{batch}", kind, lambda batch=batch, kind=kind: resnet18(batch, kind)))
        for rows in map(int, arguments.rows.split(",")):
            found.append((f"mala_{kind}_{rows}", kind, lambda rows=rows, kind=kind: mala(rows, kind)))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu, or a GPU that PyTorch has under this name")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="", help="networks whose names begin so")
    parser.add_argument("--batches", default="1,8,16,64")
    parser.add_argument("--rows", default="8748,2099520,16796160")
    parser.add_argument("--workloads", type=Path)
    parser.add_argument("--wall", action="store_true")
    arguments = parser.parse_args()
    on_gpu = arguments.device != "cpu"
    jobs = tempfile.TemporaryDirectory()
    if not on_gpu:  # libraries read these when they are loaded
        for variable in ("OMP_NUM_THREADS", "KILN_CPU_THREADS"):
            os.environ[variable] = str(arguments.threads)
        os.environ |= {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0", "KMP_BLOCKTIME": "0"}
    import numpy as np
    import torch
    import torchvision

    import kiln

    where = f"threads: {arguments.threads}"
    if on_gpu:
        torch.cuda.set_device(arguments.device)
        torch.backends.cudnn.benchmark = True
        where = torch.cuda.get_device_name()
    else:
        torch.set_num_threads(arguments.threads)
    print(f"# PyTorch {torch.__version__}, {where}, load {os.getloadavg()[0]:.0f}", flush=True)
    clock = EventClock() if on_gpu else HostClock(time.perf_counter if arguments.wall else time.process_time)
    bad = 0
    with torch.inference_mode():
        for name, kind, make in cases():
            if not name.startswith(arguments.only):
                continue
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = kind == "tf32"
            try:
                measure(name, make(), arguments.rounds, clock)
            except Exception as error:  # the other networks are measured
                failed(name, error)
                bad = 1
            if on_gpu:
                torch._dynamo.reset()
                torch.cuda.empty_cache()
    raise SystemExit(bad)
