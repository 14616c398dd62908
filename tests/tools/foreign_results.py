#!/usr/bin/env python3
"""foreign_results.py SOURCE KILN: tools/foreign_results.py finds kernels whose results differ, and those alone."""
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """__global__ void mirror(float* x, int n) {
  __shared__ float s[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n) x[i] = s[255 - threadIdx.x] + 1;
}
__global__ void way(int* y) {
#ifdef KILN_FIBERS
  y[threadIdx.x] = 1;
#else
  y[threadIdx.x] = 2;
#endif
  __syncthreads();
}
__global__ void now(long long* t) { t[threadIdx.x] = clock64(); }
__global__ void none(int* y, int n) { y[threadIdx.x] = n / (n - n); }
int main() {
  float* x; int* y; long long* t; const int n = 1000;
  mirror<<<4, 256>>>(x, n); way<<<1, 32>>>(y); now<<<1, 32>>>(t); none<<<1, 32>>>(y, n);
}
"""
ENDS = {"mirror": "equal", "way": "differs", "now": "differs from itself", "none": "fails on every side"}

source, kiln = map(pathlib.Path, sys.argv[1:])
with tempfile.TemporaryDirectory() as folder:
    suite = pathlib.Path(folder) / "suite"
    suite.mkdir()
    (suite / "all.cu").write_text(PROGRAM)
    command = [sys.executable, str(source / "tools" / "foreign_results.py"), str(suite), "--kiln", str(kiln), "--work", f"{folder}/work", "--uninitialised"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = done.stdout + done.stderr
    for kernel, end in ENDS.items():
        if f"all.cu {kernel}: {end}" not in done.stderr:
            sys.exit(f"{kernel} should be '{end}':\n{said}")
    if done.returncode != 1 or "y, turn 0: 32 differ, [0] is 2 and 1" not in done.stdout or "   1 equal" not in done.stdout:
        sys.exit(said)
    wrong = subprocess.run([*command, "--sides", "cpu,gpu"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if "'gpu' is no side" not in wrong.stdout:
        sys.exit(wrong.stdout)
