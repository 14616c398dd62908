#!/usr/bin/env python3
"""Files for the workload mala from public data: weights from the benchmark of LAPIS, descriptors from MALA's test data.

    git clone https://github.com/sandialabs/LAPIS; git clone https://github.com/mala-project/test-data
    tools/mala_data.py LAPIS/examples/mala_batch/forward_snap_batch.mlir test-data/Be2 FOLDER \\
        --predictions LAPIS/examples/data/snap_predictions.txt
    kiln run configs/mala.yaml --set model=FOLDER input=FOLDER/x.npy expected=FOLDER/y.npy

Writes w1.npy, b1.npy, w2.npy, b2.npy, the descriptors x.npy of snapshot 3 and, with --predictions, y.npy. The descriptors are the
last 91 of 94 numbers of a grid point, standardised with mean and deviation (over n - 1) of snapshot 0, as the model was trained.
Needs NumPy. Exit code 2 for bad input.
"""

import argparse
import pathlib
import re
import sys

try:
    import numpy as np
except ImportError:
    print("mala_data.py: error: needs NumPy (Debian's package python3-numpy)", file=sys.stderr)
    sys.exit(2)


def fail(message):
    print(f"mala_data.py: error: {message}", file=sys.stderr)
    sys.exit(2)


def constants(path):
    """The constant tensors of a file of MLIR, in order: bytes as hexadecimal digits, or a list of numbers."""
    found = []
    for values, shape in re.findall(r"arith\.constant dense<(\"0x[0-9A-Fa-f]+\"|\[[^\]]+\])> : tensor<([0-9x]+)xf32>", path.read_text()):
        extents = [int(n) for n in shape.split("x")]
        if values.startswith('"'):
            numbers = np.frombuffer(bytes.fromhex(values[3:-1]), "<f4")
        else:
            numbers = np.array([float(n) for n in values[1:-1].split(",")], "f4")
        found.append(numbers.reshape(extents))
    return found


def descriptors(path):
    points = np.load(path)
    if points.ndim != 4 or points.shape[3] != 94:
        fail(f"{path}: expected x, y, z and 94 descriptors; found the shape {points.shape}")
    return points.reshape(-1, 94)[:, 3:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path, help="forward_snap_batch.mlir")
    parser.add_argument("snapshots", type=pathlib.Path, help="folder with Be_snapshot0.in.npy and Be_snapshot3.in.npy")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--predictions", type=pathlib.Path, help="snap_predictions.txt")
    arguments = parser.parse_args()
    for path in [arguments.model, arguments.snapshots / "Be_snapshot0.in.npy", arguments.snapshots / "Be_snapshot3.in.npy"]:
        if not path.is_file():
            fail(f"{path}: no such file")
    tensors = constants(arguments.model)
    shapes = [t.shape for t in tensors]
    if len(shapes) != 4 or len(shapes[0]) != 2 or len(shapes[2]) != 2 or shapes[2][1] != shapes[0][0]:
        fail(f"{arguments.model}: expected the constants w1, b1, w2, b2; found tensors of {shapes}")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, tensor in zip(("w1", "b1", "w2", "b2"), tensors):
        np.save(arguments.folder / f"{name}.npy", tensor)
    scale = descriptors(arguments.snapshots / "Be_snapshot0.in.npy").astype("f8")
    x = (descriptors(arguments.snapshots / "Be_snapshot3.in.npy") - scale.mean(0)) / scale.std(0, ddof=1)
    np.save(arguments.folder / "x.npy", x.astype("f4"))
    if arguments.predictions:
        if not arguments.predictions.is_file():
            fail(f"{arguments.predictions}: no such file")
        y = np.loadtxt(arguments.predictions, dtype="f8").reshape(len(x), -1)
        np.save(arguments.folder / "y.npy", y.astype("f4"))


if __name__ == "__main__":
    main()
