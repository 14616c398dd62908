// NVIDIA's own declares functions of the host, which NVRTC refuses. Kernels need one type of it.
struct alignas(64) CUtensorMap {
  unsigned long long opaque[16];
};
