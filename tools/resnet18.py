#!/usr/bin/env python3
"""ResNet18 (He, Zhang, Ren, Sun: Deep residual learning for image recognition, CVPR 2016) as a workload, and its weights as files.

    tools/resnet18.py workload                                   # writes kernels_src/resnet18/resnet18.yaml
    tools/resnet18.py weights resnet18.safetensors FOLDER        # torchvision's state, also .pth (needs PyTorch) or .npz
    tools/resnet18.py random FOLDER --seed 1                     # a state of random numbers, for tests without torchvision
    kiln run configs/resnet18.yaml --set weights=FOLDER input=images.npy

Batch norm is folded into the filters and biases: y = g (x - mean) / sqrt(variance + 1e-5) + b. Filters are written as f, r, s, c.
`weights` and `random` need NumPy. Exit code 2 for bad input.
"""

import argparse
import json
import math
import pathlib
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import network  # noqa: E402  (beside this file)

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKLOAD = ROOT / "kernels_src" / "resnet18" / "resnet18.yaml"


def layers():
    """(network, [(name of torchvision's convolution, its batch norm, filters' buffer, biases' buffer)])"""
    n = network.Network("resnet18", "Inference of ResNet18",
                        "The residual network of 18 layers, with batch norm folded into the convolutions: filters and biases of a layer\n"
                        "are buffers, activations are temporary and share memory, residual and ReLU belong to the convolution.", (3, 224, 224))
    names = []

    def convolve(name, norm, *arguments, **more):
        y, w, b = n.convolve(name.replace(".", "_"), *arguments, **more)
        names.append((name, norm, w, b))
        return y

    x = n.input({"window": 7, "stride": 2, "padding": 3})
    x = convolve("conv1", "bn1", x, 64, (7, 7), 2, 3, relu=True)
    x = n.pool("maxpool", x, "max", (3, 3), 2, 1)
    for stage, filters in enumerate((64, 128, 256, 512), 1):
        for block in (0, 1):
            at = f"layer{stage}.{block}."
            stride = 2 if stage > 1 and block == 0 else 1
            fan = 9 * filters
            between = convolve(at + "conv1", at + "bn1", x, filters, (3, 3), stride, 1, relu=True)
            if stride == 2:
                x = convolve(at + "downsample.0", at + "downsample.1", x, filters, (1, 1), 2, 0, bound=f"{(3 / x.c) ** 0.5:.4g}")
            # Random numbers of half the size: sums with the residual do not grow from block to block.
            x = convolve(at + "conv2", at + "bn2", between, filters, (3, 3), 1, 1, relu=True, add=x, bound=f"{(1.5 / fan) ** 0.5:.4g}")
    x = n.average_all("avgpool", x)
    convolve("fc", None, x, 1000, (1, 1), bound=f"{(3 / 512) ** 0.5:.4g}")
    return n, names


def fail(message):
    print(f"resnet18.py: error: {message}", file=sys.stderr)
    sys.exit(2)


def read_safetensors(path, np):
    types = {"F32": "<f4", "F16": "<f2", "F64": "<f8", "I64": "<i8"}
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or 8 + length > len(data):
        fail(f"{path}: is not a safetensors file, or is cut off: its header would end at byte {8 + length} of {len(data)}")
    try:
        header = json.loads(data[8:8 + length])
        entries = {name: (entry["dtype"], [int(n) for n in entry["shape"]], [int(n) for n in entry["data_offsets"]])
                   for name, entry in header.items() if name != "__metadata__"}
    except KeyError as key:
        fail(f"{path}: is not a safetensors file: its header has no {key} for a tensor")
    except (ValueError, TypeError, AttributeError) as problem:
        fail(f"{path}: is not a safetensors file: its header cannot be read ({problem})")
    state = {}
    for name, (dtype, shape, offsets) in entries.items():
        if dtype not in types:
            fail(f"{path}: {name} has the type {dtype}; expected one of {', '.join(types)}")
        size = math.prod(shape) * np.dtype(types[dtype]).itemsize
        if min(shape, default=1) < 0 or len(offsets) != 2 or offsets[0] < 0 or offsets[1] - offsets[0] != size:
            fail(f"{path}: {name} of the shape {shape} has the bytes {offsets}; expected {size} of them")
        if 8 + length + offsets[1] > len(data):
            fail(f"{path}: is cut off: {name} would end at byte {8 + length + offsets[1]} of {len(data)}")
        state[name] = np.frombuffer(data[8 + length + offsets[0]:8 + length + offsets[1]], types[dtype]).reshape(shape)
    return state


def read_state(path, np):
    if not path.is_file():
        fail(f"{path}: no such file")
    if path.suffix == ".safetensors":
        return read_safetensors(path, np)
    if path.suffix == ".npz":
        try:
            return dict(np.load(path))
        except (ValueError, OSError, zipfile.BadZipFile) as problem:
            fail(f"{path}: is not a file of np.savez, or is damaged ({problem})")
    if path.suffix in (".pth", ".pt"):
        try:
            import torch
        except ImportError:
            fail(f"{path}: files of PyTorch need PyTorch; or save the state as .safetensors or .npz")
        return {name: tensor.numpy() for name, tensor in torch.load(path, map_location="cpu", weights_only=True).items()}
    return fail(f"{path}: expected .safetensors, .npz, .pth or .pt")


def fold(state, name, norm, shape, np):
    """Filters [f, r, s, c] and biases in double; `shape` is that of the filters."""
    f, r, s, c = shape
    expected = {name + ".weight": (f, c, r, s) if norm else (f, c)}
    if norm is None:
        expected[name + ".bias"] = (f,)
    else:
        expected.update({f"{norm}.{part}": (f,) for part in ("weight", "bias", "running_mean", "running_var")})
    for part, extents in expected.items():
        if part in state and state[part].shape != extents:
            fail(f"{part} has the shape {state[part].shape}; expected torchvision's resnet18, {extents}")
    try:
        w = state[name + ".weight"].astype(np.float64)
        if norm is None:
            return w.reshape(w.shape[0], 1, 1, w.shape[1]), state[name + ".bias"].astype(np.float64)
        scale = state[norm + ".weight"].astype(np.float64) / np.sqrt(state[norm + ".running_var"].astype(np.float64) + 1e-5)
        bias = state[norm + ".bias"] - state[norm + ".running_mean"] * scale
    except KeyError as missing:
        fail(f"the state has no {missing}; expected torchvision's resnet18")
    return (w * scale[:, None, None, None]).transpose(0, 2, 3, 1), bias


def shapes_of_filters(n):
    """[f, r, s, c] by the buffer's name."""
    return {b.split(":")[0]: [int(v) for v in b.split("shape: [")[1].split("]")[0].split(",")] for b in n.buffers if "kernel" not in b}


def write_weights(state, folder, np):
    n, names = layers()
    shapes = shapes_of_filters(n)
    folded = [(w, b, *fold(state, name, norm, shapes[w], np)) for name, norm, w, b in names]
    folder.mkdir(parents=True, exist_ok=True)
    for w, b, filters, bias in folded:
        np.save(folder / f"{w}.npy", np.ascontiguousarray(filters, np.float32))
        np.save(folder / f"{b}.npy", bias.astype(np.float32))


def random_state(seed, np):
    numbers = np.random.default_rng(seed)
    state = {}
    n, names = layers()
    shapes = shapes_of_filters(n)
    for name, norm, w, _ in names:
        f, r, s, c = shapes[w]
        state[name + ".weight"] = numbers.normal(0, (2 / (r * s * c)) ** 0.5, (f, c) if norm is None else (f, c, r, s)).astype("f4")
        if norm is None:
            state[name + ".bias"] = numbers.normal(0, 0.1, f).astype("f4")
            continue
        second = "conv2" in name
        state[norm + ".weight"] = (numbers.uniform(0.5, 1.0, f) * (0.5 if second else 1)).astype("f4")
        state[norm + ".bias"] = numbers.normal(0, 0.1, f).astype("f4")
        state[norm + ".running_mean"] = numbers.normal(0, 0.1, f).astype("f4")
        state[norm + ".running_var"] = numbers.uniform(0.5, 1.5, f).astype("f4")
    return state


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    workload = commands.add_parser("workload", help="write the workload")
    workload.add_argument("-o", "--output", type=pathlib.Path, default=WORKLOAD)
    weights = commands.add_parser("weights", help="write the weights of a state")
    weights.add_argument("state", type=pathlib.Path)
    weights.add_argument("folder", type=pathlib.Path)
    random = commands.add_parser("random", help="write random weights, and the state as state.npz")
    random.add_argument("folder", type=pathlib.Path)
    random.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.command == "workload":
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(layers()[0].text("tools/resnet18.py workload", arguments.output.parent))
        return
    try:
        import numpy as np
    except ImportError:
        fail("needs NumPy (Debian's package python3-numpy)")
    state = read_state(arguments.state, np) if arguments.command == "weights" else random_state(arguments.seed, np)
    write_weights(state, arguments.folder, np)
    if arguments.command == "random":
        np.savez(arguments.folder / "state.npz", **state)


if __name__ == "__main__":
    main()
