#!/usr/bin/env python3
"""A trained ResNet18 on real images: handwritten digits of scikit-learn, trained with PyTorch, classified with Kiln.

    python digits.py [--device cuda:0] [--type half] [--epochs 3] [--images 8]

Trains torchvision's ResNet18 on 1437 of the 1797 images (8 x 8 pixels, enlarged to 32 x 32), writes its state,
folds the batch norm (tools/resnet18.py weights) and classifies the other 360 images. Prints labels of some of them
beside what the writers meant, how many are right, and how far the results are from PyTorch's. Needs NumPy,
scikit-learn, PyTorch and torchvision.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
import torchvision
from sklearn.datasets import load_digits

import kiln

TOOL = Path(__file__).resolve().parents[2] / "tools" / "resnet18.py"
SIDE = 32  # pixels
TRAINED, BATCH = 1437, 64  # images
CLASSES = 10  # of the network's 1000


def images_and_labels() -> tuple[torch.Tensor, torch.Tensor]:
    """1797 x 3 x 32 x 32, with mean 0 and deviation 1, and the digits."""
    digits = load_digits()
    pixels = torch.from_numpy(digits.images).float()[:, None]
    pixels = torch.nn.functional.interpolate(pixels, size=(SIDE, SIDE), mode="bilinear")
    pixels = (pixels - pixels.mean()) / pixels.std()
    return pixels.expand(-1, 3, -1, -1).contiguous(), torch.from_numpy(digits.target)


def train(images: torch.Tensor, labels: torch.Tensor, epochs: int) -> torch.nn.Module:
    net = torchvision.models.resnet18(weights=None).to(images.device).train()
    steps = epochs * (len(images) // BATCH)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.05, total_steps=steps)
    for _ in range(epochs):
        order = torch.randperm(len(images))
        for n in range(len(images) // BATCH):
            chosen = order[n * BATCH : (n + 1) * BATCH]
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(net(images[chosen]), labels[chosen]).backward()
            optimizer.step()
            schedule.step()
    return net.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--type", default="float", choices=["float", "half", "bfloat16"], metavar="TYPE")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--images", type=int, default=8, help="how many are shown")
    arguments = parser.parse_args()
    torch.manual_seed(1)
    place = "cuda" if arguments.device.startswith("cuda") else "cpu"
    images, labels = (tensor.to(place) for tensor in images_and_labels())
    net = train(images[:TRAINED], labels[:TRAINED], arguments.epochs)
    images, labels = images[TRAINED:], labels[TRAINED:]
    with torch.inference_mode():
        expected = net(images).cpu().numpy()

    with tempfile.TemporaryDirectory() as folder:
        torch.save(net.state_dict(), f"{folder}/digits.pth")
        subprocess.run([sys.executable, TOOL, "weights", f"{folder}/digits.pth", f"{folder}/weights"], check=True)
        values = {"T": arguments.type, "weights": f"{folder}/weights", "image_h": SIDE}
        classify = kiln.program("resnet18", device=arguments.device, set=values)
        y = classify(images).float().cpu().numpy()

    found = y[:, :CLASSES].argmax(axis=1)
    for n in range(arguments.images):
        print(f"image {TRAINED + n}: {found[n]}, written as {labels[n].item()}")
    right = float((found == labels.cpu().numpy()).mean())
    same = float((found == expected[:, :CLASSES].argmax(axis=1)).mean())
    deviation = float(np.linalg.norm(y - expected) / np.linalg.norm(expected))
    print(f"{right:.1%} of {len(labels)} images are right, {same:.1%} have PyTorch's label")
    print(f"results deviate from PyTorch's by {deviation:.1e} of the norm")


if __name__ == "__main__":
    main()
