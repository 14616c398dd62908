"""What rows are made of: a sound workload, a sound job, and ways to spoil them at one place."""

from runner import Row

WORKLOAD = """\
workload: w
summary: a row's workload
parameters:
  T: {type: type, default: float, values: [float, double]}
  n: {type: int, default: 64, min: 1, max: 1000000, help: length}
  a: {type: T, default: 2.5}
  b: {type: int, default: 32, values: [32, 64]}
  mode: {type: choice, default: one, values: [one, two]}
  flag: {type: bool, default: false}
  big: {type: long, default: 7}
  real: {type: float, default: 1.5}
  input: {type: path, default: ""}
let: {cells: "n * 2"}
types: {Atom: {x: float, kind: {type: int, min: 0, max: "n - 1"}}}
constraints: ["n >= 1"]
buffers:
  x: {type: T, shape: [n], init: 1}
  y: {type: T, shape: [n]}
kernels:
  k: {source: k.cu, grid: ["ceil_div(n, b)"], block: [b], args: [y, x, params]}
run: [k]
verify:
  checks:
    - {buffer: y, expected: 2.5, atol: 1e-6}
metrics:
  rate: {unit: 1/s, value: "n / time", higher_is: better}
"""

KERNEL = """\
#include "kiln/params.h"
extern "C" __global__ void k(T* __restrict__ y, const T* __restrict__ x, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) y[i] = p.a * x[i];
}
"""

JOB = "workload: ./w\nmeasure: false\n"


def spoilt(old, new, text=WORKLOAD):
    assert old in text, old
    return text.replace(old, new, 1)


def folder(workload=WORKLOAD, kernel=KERNEL, job=JOB):
    return {"w/w.yaml": workload, "w/k.cu": kernel, "j.yaml": job}


def bad_workload(name, old, new, says, **more):
    """`kiln validate` of the workload with `old` replaced refuses it and names the file."""
    return Row(name, ["validate", "w/w.yaml"], says=r"^kiln: error: w/w\.yaml(?=:).*" + says, files=folder(spoilt(old, new)), **more)


def bad_job(name, job, says, **more):
    return Row(name, ["validate", "j.yaml"], says=says, files=folder(job=job), **more)


def bad_set(name, assignment, says, **more):
    """A value on the command line, by a dry run: no compiler, no kernel."""
    return Row(name, ["run", "j.yaml", "--dry-run", "--device", "cpu", "--set", assignment], says=says, files=folder(), **more)


def run(name, kernel=KERNEL, workload=WORKLOAD, args=(), exit=1, **more):
    """Compiles and runs on the CPU."""
    return Row(name, ["run", "j.yaml", "--device", "cpu", "-q", *args], exit=exit, files={**folder(workload, kernel), **more.pop("extra", {})},
               **more)
