// NVIDIA's own file declares host functions, which NVRTC refuses. Kernels need one type of it.
struct alignas(64) CUtensorMap {
  unsigned long long opaque[16];
};
