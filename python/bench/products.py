"""8-bit products by PyTorch (cuBLASLt), for rows beside Kiln's: python bench/products.py [--sizes 1024,2048] [--device cuda:0].

`torch._scaled_mm` of m x k by k x n numbers of e4m3 with results in bfloat16: `fp8`, a scale for each operand, fast accumulation;
`scaled`, scales for 1 x 128 and 128 x 128 numbers. Rows are CSV: median and quartiles of a call in us, of CUDA graphs of several
calls, by events. Needs PyTorch with a GPU of compute capability 9.
"""

import argparse
import statistics

import torch

CALLS = 20


def fp8(m: int, n: int, k: int) -> object:
    a, b = operands(m, n, k)
    one = torch.ones((), device=arguments.device)
    return lambda: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True)


def scaled(m: int, n: int, k: int) -> object:
    a, b = operands(m, n, k)
    scale_a = torch.rand(k // 128, m, device=arguments.device).t()  # a row's scales lie m apart
    scale_b = torch.rand(n // 128, k // 128, device=arguments.device).t()
    return lambda: torch._scaled_mm(a, b.t(), scale_a=scale_a, scale_b=scale_b, out_dtype=torch.bfloat16)


def operands(m: int, n: int, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    def random(rows: int, columns: int) -> torch.Tensor:
        return (torch.rand(rows, columns, device=arguments.device) * 2 - 1).to(torch.float8_e4m3fn)

    return random(m, k), random(n, k)


def times_of(call: object) -> list[float]:
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(CALLS):
            call()
    times = []
    for _ in range(arguments.rounds + 1):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / CALLS)
    return times[1:]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--sizes", default="1024,2048,4096,8192,7168x128x16384,7168x4096x16384,24576x4096x1536", help="m, or m x n x k")
    arguments = parser.parse_args()
    torch.cuda.set_device(arguments.device)
    print(f"# PyTorch {torch.__version__}, {torch.cuda.get_device_name()}", flush=True)
    bad = 0
    for size in arguments.sizes.split(","):
        m, n, k = (int(word) for word in size.split("x")) if "x" in size else [int(size)] * 3
        for name, make in (("fp8", fp8), ("scaled", scaled)):
            try:
                quartiles = statistics.quantiles(times_of(make(m, n, k)), n=4)
                print(f'{name}.{m}_{n}_{k},"{name}, {m} x {n} x {k}",us,,{quartiles[1]:.4g},{quartiles[0]:.4g},{quartiles[2]:.4g}', flush=True)
            except Exception as error:  # this PyTorch or GPU has not got it
                print(f"# {name}, {size}: {type(error).__name__}: {(str(error).splitlines() or [''])[0]}", flush=True)
                bad = 1
    raise SystemExit(bad)
