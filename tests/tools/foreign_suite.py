#!/usr/bin/env python3
"""foreign_suite.py SOURCE: which files of a checkout tools/foreign_suite.py takes for programs."""
import pathlib
import sys
import tempfile

KERNEL = "__global__ void k(float* a) { a[0] = 1; }\n"
FILES = {
    "src/host.cu": "#include <parts/fill.cu>\n#include <stdio.h>\nint main() {}\n",  # a kernel of another folder
    "include/parts/fill.cu": KERNEL,
    "src/beside.cu": '#include "part.cu"\nint main() {}\n',
    "src/part.cu": KERNEL,
    "other/part.cu": KERNEL,  # not the one that src/beside.cu means
    "src/deep.cu": '#include <names.h>\nint main() {}\n',
    "include/names.h": '#include "kernels.cuh"\n',
    "include/kernels.cuh": KERNEL,
    "src/plain.cu": "int main() {}\n",
    "src/comment.cu": "/* __global__ void k() {} */\nint main() {}\n",
    "src/hip.cpp": "#include <hip/hip_runtime.h>\n" + KERNEL,
    "src/host.cpp": KERNEL,
}
PROGRAMS = ["other/part.cu", "src/beside.cu", "src/deep.cu", "src/hip.cpp", "src/host.cu"]

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "tools"))
import foreign_suite  # noqa: E402

with tempfile.TemporaryDirectory() as folder:
    for name, text in FILES.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = list(foreign_suite.find_programs(pathlib.Path(folder), []))
    if found != PROGRAMS:
        sys.exit(f"found {found}, expected {PROGRAMS}")
    found = list(foreign_suite.find_programs(pathlib.Path(folder), ["src/h*"]))
    if found != ["src/hip.cpp", "src/host.cu"]:
        sys.exit(f"with a pattern found {found}")
