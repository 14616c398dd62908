#!/usr/bin/env python3
"""Times `kiln tune` beside Kernel Tuner on the same points of miniBUDE, one after the other on one GPU.

    tools/compare_kernel_tuner.py --kiln build/release/bin/kiln                300 points, all of them measured
    tools/compare_kernel_tuner.py --kiln ... --device cuda:0 --points 60 --out results/peers

Needs the Python packages kernel-tuner, cupy and numpy. Both measure the kernel `fasten` of kernels_src/minibude at 65536 poses
with all sizes as constants: block size, poses for each work-item, and launch bounds or none; one launch to warm up
and 7 that are timed; code is compiled by NVRTC, from no cache. Kiln checks every variant against its reference; Kernel
Tuner is given no answer to check against. Both processes are timed from start to end. Exit codes: 0 done, 1 one of them failed.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = {"natlig": 26, "natpro": 938, "ntypes": 34, "nposes": 65536}
SAMPLES = 7


def space_of(points):
    """About so many points, at most 512, that the workload's own constraints all allow: block sizes are taken away from the end."""
    ppwi, bounds = [1, 2, 4, 8], [0, 1]
    blocks = max(1, min(64, round(points / (len(ppwi) * len(bounds)))))
    return {"wg": [16 * (i + 1) for i in range(blocks)], "ppwi": ppwi, "launch_bounds": bounds}


def plain_cuda():
    """minibude.cu with its parameters as macros, as Kernel Tuner needs it."""
    folder = ROOT / "kernels_src" / "minibude"
    text = (folder / "minibude.cu").read_text()
    members = "".join(f"  static constexpr int {name} = {name.upper()};\n" for name in ["wg", "ppwi", *SIZES])
    text = text.replace('#include "kiln/params.h"\n', f"struct Params {{\n{members}}};\nconstexpr Params p{{}};\n#define KILN_SIMD\n")
    text = text.replace('#include "bude.h"\n', (folder / "bude.h").read_text().replace("#pragma once\n", ""))
    text = text.replace("KILN_LAUNCH_BOUNDS_fasten", "FASTEN_BOUNDS")
    bounds = "#if LAUNCH_BOUNDS\n#define FASTEN_BOUNDS __launch_bounds__(WG)\n#else\n#define FASTEN_BOUNDS\n#endif\n"
    text, count = re.subn(r",\s*const Params p\)", ")", text)
    if count != 1:
        raise SystemExit("expected one kernel with 'const Params p' in minibude.cu")
    return bounds + text


def kernel_tuner_side(points):
    """Runs in a process of its own; prints one line of JSON."""
    begin = time.perf_counter()
    import kernel_tuner
    import numpy as np

    random = np.random.default_rng(1)
    atoms = lambda n: np.concatenate([random.uniform(-20, 20, (n, 3)).astype(np.float32), random.integers(0, SIZES["ntypes"], (n, 1)).astype(np.int32).view(np.float32)], axis=1)
    types = np.concatenate([np.full((SIZES["ntypes"], 1), ord("F"), np.int32).view(np.float32), random.uniform(0.1, 1.9, (SIZES["ntypes"], 3)).astype(np.float32)], axis=1)
    poses = random.uniform(-3, 3, (6, SIZES["nposes"])).astype(np.float32)
    arguments = [np.zeros(SIZES["nposes"], np.float32), poses, atoms(SIZES["natlig"]), atoms(SIZES["natpro"]), types]
    space = space_of(points)
    params = {name.upper(): values for name, values in space.items()}
    params.update({name.upper(): [value] for name, value in SIZES.items()})
    imported = time.perf_counter()
    results, _ = kernel_tuner.tune_kernel("fasten", plain_cuda(), SIZES["nposes"], arguments, params, lang="cupy", block_size_names=["WG"],
                                          grid_div_x=["WG * PPWI"], iterations=SAMPLES, compiler_options=["-std=c++17"], strategy="brute_force", quiet=True)
    done = time.perf_counter()
    timed = [r for r in results if isinstance(r.get("time"), (float, np.floating))]  # the others could not be launched
    best = min(timed, key=lambda r: r["time"])
    print(json.dumps({"points": len(results), "measured": len(timed), "import_seconds": imported - begin, "tune_seconds": done - imported,
                      "best_ms": float(best["time"]), "best": {name: int(best[name.upper()]) for name in space},
                      "compile_seconds": sum(r.get("compile_time", 0) for r in timed) * 1e-3,
                      "device_seconds": sum(r.get("benchmark_time", 0) for r in timed) * 1e-3}))


def kiln_job(points):
    space = space_of(points)
    space["launch_bounds"] = [bool(value) for value in space["launch_bounds"]]
    fixed = {"method": "whole", "bind.all": "compile", **SIZES}
    return json.dumps({"workload": "minibude", "set": fixed,
                       "measure": {"min_samples": SAMPLES, "max_samples": SAMPLES, "min_time": "0 s"},
                       "tune": {"space": space, "constraints": [], "cut": "off", "searcher": "exhaustive", "budget": {"evaluations": 100000}}}, indent=1)


def timed_process(command, environment, log):
    begin = time.perf_counter()
    with open(log, "w") as file:
        result = subprocess.run(command, env=environment, stdout=file, stderr=subprocess.STDOUT, check=False)
    seconds = time.perf_counter() - begin
    if result.returncode != 0:
        print(pathlib.Path(log).read_text()[-4000:], file=sys.stderr)
        raise SystemExit(1)
    return seconds


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--kiln", default="build/release/bin/kiln", help="the program")
    arguments.add_argument("--device", default="cuda:0", help="of kiln; Kernel Tuner takes the first GPU")
    arguments.add_argument("--points", type=int, default=300)
    arguments.add_argument("--out", help="folder for logs and results; a temporary one otherwise")
    arguments.add_argument("--kernel-tuner-side", action="store_true", help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.kernel_tuner_side:
        return kernel_tuner_side(given.points)
    out = pathlib.Path(given.out or tempfile.mkdtemp(prefix="kiln-peers-")).resolve()
    out.mkdir(parents=True, exist_ok=True)
    (out / "job.yaml").write_text(kiln_job(given.points))
    fresh = pathlib.Path(tempfile.mkdtemp(prefix="kiln-caches-"))
    environment = {**os.environ, "CUDA_CACHE_DISABLE": "1", "CUPY_CACHE_DIR": str(fresh / "cupy"), "KILN_CACHE_DIR": str(fresh / "kiln")}
    kiln = [str(pathlib.Path(given.kiln).resolve()), "tune", str(out / "job.yaml"), "--device", given.device, "--output", str(out / "kiln"), "--no-wisdom"]
    kiln_seconds = timed_process(kiln, environment, out / "kiln.log")
    peer_seconds = timed_process([sys.executable, __file__, "--kernel-tuner-side", "--points", str(given.points)], environment, out / "kernel_tuner.log")
    peer = json.loads((out / "kernel_tuner.log").read_text().strip().splitlines()[-1])
    events = [json.loads(line) for line in (out / "kiln" / "tune.jsonl").read_text().splitlines()]
    print((out / "kiln.log").read_text())
    print(f"Kernel Tuner: {peer['measured']} of {peer['points']} points, best {peer['best']} {peer['best_ms']:.4f} ms, "
          f"compiled {peer['compile_seconds']:.1f} s, on the device {peer['device_seconds']:.1f} s")
    print(f"process, s: kiln {kiln_seconds:.2f}, Kernel Tuner {peer_seconds:.2f} (tune_kernel alone {peer['tune_seconds']:.2f}); "
          f"ratio {kiln_seconds / peer_seconds:.3f} ({kiln_seconds / peer['tune_seconds']:.3f})")
    summary = {"kiln_seconds": kiln_seconds, "kernel_tuner_seconds": peer_seconds, "kernel_tuner": peer, "kiln_end": events[-1]}
    (out / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
