#!/usr/bin/env python3
"""The pictures of the documents: the layers, from src/CMakeLists.txt and the includes of src, and the way of a job.

    tools/layers.py            draws docs/images/layers.svg, and job.svg from job.dot (needs dot, package graphviz)
    tools/layers.py --check    reports whether the picture has the layers and arrows of the sources, and docs/architecture.md a row
                               for each layer; needs no package

An arrow leads from a layer to one that it includes. Arrows that others imply are left out: where a includes b and b includes c, the
picture has no arrow from a to c. Exit codes: 0 done, 1 not up to date (--check), 2 bad input, 3 no dot.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"


def includes_of(root):
    """For each layer, lowest first, the lower layers that its files include."""
    layers = re.findall(r"^kiln_layer\((\w+)", (root / "src/CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)
    if not layers:
        raise ValueError(f"{root}/src/CMakeLists.txt: no kiln_layer(...) found")
    found = {}
    for layer in layers:
        files = [path for path in (root / "src" / layer).rglob("*") if path.suffix in (".h", ".cpp")]
        names = {name for path in files for name in re.findall(r'^#include "(\w+)/', path.read_text(encoding="utf-8"), re.MULTILINE)}
        # An include of a higher layer is refused by the test `layers`.
        found[layer] = [lower for lower in layers[: layers.index(layer)] if lower in names]
    return found


def arrows_of(includes):
    """Those that others do not imply."""
    reached = {}
    for layer, lower in includes.items():
        reached[layer] = set(lower).union(*(reached[name] for name in lower))
    return [(layer, name) for layer, lower in includes.items() for name in lower if not any(name in reached[other] for other in lower)]


def dot_text(layers, arrows):
    lines = ["digraph layers {", '  graph [bgcolor=white, nodesep=0.25, ranksep=0.3, fontname="sans-serif"]']
    lines.append('  node [shape=box, style="rounded,filled", fillcolor="#e8eef4", color="#0072b2", fontname="sans-serif", fontsize=12, height=0.3]')
    lines.append('  edge [color="#565d66", arrowsize=0.6]')
    lines += [f"  {layer}" for layer in reversed(layers)]
    lines += [f"  {upper} -> {lower}" for upper, lower in arrows]
    return "\n".join([*lines, "}"]) + "\n"


def refused(root, picture, layers, arrows):
    if not picture.exists():
        return [f"{picture}: no such file; tools/layers.py draws it"]
    # dot names each node and arrow by a title.
    titles = {title.text for title in xml.parse(picture).getroot().iter(f"{SVG}title")} - {"layers"}
    expected = {*layers, *(f"{upper}->{lower}" for upper, lower in arrows)}
    wrong = [f"{picture}: has no {name}" for name in sorted(expected - titles)]
    wrong += [f"{picture}: {name} is not in the sources" for name in sorted(titles - expected)]
    document = root / "docs/architecture.md"
    rows = re.findall(r"^\| `(\w+)` \|", document.read_text(encoding="utf-8"), re.MULTILINE)
    wrong += [f"{document}: no row for the layer {name}" for name in layers if name not in rows]
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    picture = options.root / "docs/images/layers.svg"
    try:
        includes = includes_of(options.root)
        layers, arrows = list(includes), arrows_of(includes)
        if options.check:
            wrong = refused(options.root, picture, layers, arrows)
            print("\n".join(wrong) if wrong else f"{len(layers)} layers and {len(arrows)} arrows are those of the sources")
            return 1 if wrong else 0
        if not shutil.which("dot"):
            print("layers.py: error: dot is not installed (package graphviz)", file=sys.stderr)
            return 3
        picture.parent.mkdir(exist_ok=True)
        drawn = subprocess.run(["dot", "-Tsvg"], input=dot_text(layers, arrows), capture_output=True, text=True, check=True).stdout
        picture.write_text(drawn, encoding="utf-8")
        subprocess.run(["dot", "-Tsvg", "-o", str(picture.with_name("job.svg")), str(picture.with_name("job.dot"))], check=True)
        return 0
    except (ValueError, OSError, xml.ParseError, subprocess.CalledProcessError) as error:
        print(f"layers.py: error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
