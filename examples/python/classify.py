#!/usr/bin/env python3
"""ResNet18 on image files: the five likeliest classes of each image.

    python classify.py --weights FOLDER photo.jpg other.png      # FOLDER: tools/resnet18.py weights resnet18.safetensors FOLDER
    python classify.py                                           # an image that comes with matplotlib, and random weights

An image is scaled so that its shorter side has 256 pixels, cut to the 224 x 224 in its middle, and normalised as torchvision's
ResNet18 was trained. The names of the classes are torchvision's, if it is installed. Needs NumPy and Pillow.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

import kiln

MEAN = np.array([0.485, 0.456, 0.406], np.float32)  # of red, green and blue in ImageNet, and their deviations
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)
SIDE, CUT = 256, 224  # pixels


def load_image(path: Path) -> npt.NDArray[np.float32]:
    """3 x 224 x 224."""
    with Image.open(path) as file:
        image = file.convert("RGB")
    scale = SIDE / min(image.size)
    width, height = (round(side * scale) for side in image.size)
    left, top = (width - CUT) // 2, (height - CUT) // 2
    cut = image.resize((width, height), Image.Resampling.BILINEAR).crop((left, top, left + CUT, top + CUT))
    pixels = (np.asarray(cut, np.float32) / 255 - MEAN) / DEVIATION
    return np.ascontiguousarray(pixels.transpose(2, 0, 1))


def sample_image() -> Path:
    from matplotlib import cbook

    return Path(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False))


def class_names() -> Sequence[str] | None:
    try:
        from torchvision.models import ResNet18_Weights
    except ImportError:
        return None
    names: Sequence[str] = ResNet18_Weights.DEFAULT.meta["categories"]
    return names


def classify(net: kiln.Step, images: npt.NDArray[np.float32] | kiln.Array) -> npt.NDArray[np.float32]:
    """Probabilities of the 1000 classes, a row for each image."""
    y = np.asarray(net.run(images), np.float32)
    powers = np.exp(y - y.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images", nargs="*", type=Path, metavar="IMAGE")
    parser.add_argument("--weights", type=Path, metavar="FOLDER", help="filters and biases as .npy; else random numbers")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    paths = arguments.images or [sample_image()]
    # NumPy's arrays are the host's: for a GPU they go through a kiln.Array.
    values = {"T": "float"} if arguments.weights is None else {"T": "float", "weights": str(arguments.weights)}
    service = kiln.default_service()
    net = kiln.program("resnet18", device=arguments.device, set=values, service=service)
    images = np.stack([load_image(path) for path in paths])
    given = images if arguments.device == "cpu" else service.device(arguments.device).array(images)
    names = class_names()
    if arguments.weights is None:
        print("The weights are random: the classes below mean nothing.")
    for path, row in zip(paths, classify(net, given), strict=True):
        print(path.name)
        for best in np.argsort(row)[::-1][:5]:
            print(f"  {row[best]:6.1%}  {names[best] if names else f'class {best}'}")


if __name__ == "__main__":
    main()
