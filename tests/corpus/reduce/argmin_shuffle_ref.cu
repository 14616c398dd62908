// Block b has the elements of chunks b, b + blocks, ... of 256.
struct Pair { float value; int index; };
extern "C" __global__ void argmin_ref(const float* in, Pair* expected, int n, int blocks) {
  int b = threadIdx.x;
  if (b >= blocks) return;
  int at = b * 256;
  for (int i = 0; i < n; ++i)
    if (i / 256 % blocks == b && in[i] < in[at]) at = i;
  expected[b].value = in[at];
  expected[b].index = at;
}
