// Whether two pieces of memory are equal: sets `differs`, which is 0 before, where they are not. They start at
// multiples of 8 bytes and may overlap. kiln/portable.h stands before this text.
extern "C" __global__ void __launch_bounds__(256)
    same_bits(const kiln::uint64* a, const kiln::uint64* b, kiln::uint64 bytes, int* differs) {
  const kiln::uint64 words = bytes / 8;
  const kiln::uint64 stride = static_cast<kiln::uint64>(gridDim.x) * 256;
  const kiln::uint64 begin = static_cast<kiln::uint64>(blockIdx.x) * 256 + threadIdx.x;
  bool same = true;
  for (kiln::uint64 i = begin; i < words; i += stride) same = same && a[i] == b[i];
  if (begin < bytes % 8) {
    const kiln::uint64 place = words * 8 + begin;
    same = same && reinterpret_cast<const unsigned char*>(a)[place] == reinterpret_cast<const unsigned char*>(b)[place];
  }
  if (!same) *differs = 1;
}
