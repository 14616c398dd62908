"""How long a network takes to its first result: python bench/start.py [--device cuda:0] [--types float,half] [--warm 3].

Each start is a process of its own, with one image and weights from files, first with an empty cache and then with the code on the
disk. Rows are CSV: s from the process's start to the first result, and of it what `import kiln`, the device's start (the driver
and a buffer on the device) and the rest took. Rows `warm` are medians and ranges. Needs NumPy.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def child(begin: float) -> None:
    import numpy as np

    import kiln

    imported = time.time()
    service = kiln.Service(application="start", settings={"cache_dir": arguments.cache})
    images = np.random.default_rng(1).standard_normal((1, 3, 224, 224), np.float32)
    given = images if arguments.device == "cpu" else service.device(arguments.device).array(images)
    started = time.time()
    net = kiln.program(Path(arguments.job), device=arguments.device, set={"T": arguments.types, "weights": arguments.weights}, service=service)
    y = np.asarray(net.run(given))
    first = time.time()
    if y.shape != (1, 1000) and y.size != 1000 or not np.isfinite(y.astype("f4")).all():
        raise SystemExit(f"the logits are not 1000 finite numbers: {y.shape}")
    print(f"{first - begin} {imported - begin} {started - imported} {first - started}")


def start(kind: str, cache: str, job: Path, weights: Path) -> list[float]:
    options = ["--device", arguments.device, "--types", kind, "--cache", cache, "--job", str(job), "--weights", str(weights)]
    said = subprocess.run([sys.executable, __file__, *options, "--child", repr(time.time())], capture_output=True, text=True)
    if said.returncode:
        raise SystemExit(f"a start failed:\n{said.stderr}")
    return [float(word) for word in said.stdout.split()]


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        weights, job = Path(scratch) / "weights", Path(scratch) / "resnet18.yaml"
        subprocess.run([sys.executable, str(ROOT / "tools/resnet18.py"), "random", str(weights)], check=True)
        workload = ROOT / "kernels_src/resnet18/resnet18.yaml"
        job.write_text(f"workload: {workload}\ndevice: {arguments.device}\nwisdom: true\nset: {{graph: true, batch: 1}}\n")
        for kind in arguments.types.split(","):
            cache = str(Path(scratch) / f"cache_{kind}")
            cold = start(kind, cache, job, weights)
            warm = list(zip(*(start(kind, cache, job, weights) for _ in range(arguments.warm)), strict=True))
            for part, value, others in zip(("start", "import", "device", "rest"), cold, warm, strict=True):
                print(f'{kind}.cold.{part},"{kind}, empty cache, {part}",s,,{value:.3f},,')
                print(f'{kind}.warm.{part},"{kind}, code on the disk, {part}",s,,{statistics.median(others):.3f},{min(others):.3f},{max(others):.3f}', flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--types", default="float,half")
    parser.add_argument("--warm", type=int, default=3, help="starts with the code on the disk")
    for name in ("child", "cache", "job", "weights"):
        parser.add_argument(f"--{name}", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(float(arguments.child))
    else:
        main()
