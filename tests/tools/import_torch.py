"""Networks of PyTorch, exported by torch.onnx.export, imported by tools/import_onnx.py, run on the CPU and compared with PyTorch.

    import_torch.py SOURCE_DIR KILN       exit code 77: torch, torchvision or onnx is missing
"""

import pathlib
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    import onnx  # noqa: F401  (the exporter and the importer need it)
    import torch
    import torchvision
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

SOURCE, KILN = pathlib.Path(sys.argv[1]), sys.argv[2]


def perceptron():
    return torch.nn.Sequential(torch.nn.Linear(21, 30), torch.nn.Tanh(), torch.nn.Linear(30, 17), torch.nn.ReLU(), torch.nn.Linear(17, 5)), (5, 21)


def vgg():
    layers, c = [], 3
    for f in (8, 16):
        layers += [torch.nn.Conv2d(c, f, 3, padding=1), torch.nn.BatchNorm2d(f), torch.nn.ReLU(), torch.nn.MaxPool2d(2)]
        c = f
    return torch.nn.Sequential(*layers, torch.nn.Flatten(), torch.nn.Linear(16 * 6 * 4, 24), torch.nn.ReLU(), torch.nn.Dropout(), torch.nn.Linear(24, 9)), (3, 3, 24, 16)


def resnet18():
    return torchvision.models.resnet18(weights=None, num_classes=10), (2, 3, 64, 64)


def randomised(model):
    """With running averages that differ, as after a training."""
    for part in model.modules():
        if isinstance(part, torch.nn.BatchNorm2d):
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 1.5)
    return model.eval()


def exporters():
    """The one that traces by torch.export, where its package onnxscript is there, and the one by TorchScript."""
    try:
        import onnxscript  # noqa: F401
    except ImportError:
        return [False]
    return [False, True]


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)


def check(folder, make, by_dynamo):
    model, shape = make()
    name = f"{make.__name__}_{'dynamo' if by_dynamo else 'script'}"
    with torch.no_grad():
        x = torch.randn(shape)
        expected = randomised(model)(x).numpy()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(model, (x,), str(folder / f"{name}.onnx"), dynamo=by_dynamo)
    np.save(folder / "x.npy", x.numpy())
    imported = run(sys.executable, SOURCE / "tools/import_onnx.py", folder / f"{name}.onnx", folder)
    if imported.returncode != 0:
        sys.exit(f"{name}: {imported.stderr}")
    done = run(KILN, "run", folder / f"{name}.yaml", "--device", "cpu", "--require-checks", "--set", f"input={folder}/x.npy", "bind.all=run",
               "--keep", f"y={folder}/y.npy")
    if done.returncode != 0:
        sys.exit(f"{name}: {done.stdout} {done.stderr}")
    y = np.load(folder / "y.npy").reshape(expected.shape)
    deviation = np.linalg.norm(y - expected) / np.linalg.norm(expected)
    print(f"{name}: deviates from PyTorch {torch.__version__} by {deviation:.1e} of the norm")
    if not deviation < 1e-5:
        sys.exit(f"{name}: expected less than 1e-5")


def main():
    torch.manual_seed(3)
    with tempfile.TemporaryDirectory() as name:
        for make in (perceptron, vgg, resnet18):
            for by_dynamo in exporters():
                check(pathlib.Path(name), make, by_dynamo)


main()
