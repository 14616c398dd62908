// NVIDIA's own file declares host functions, which NVRTC refuses. Kernels need one type of it.
typedef struct alignas(64) CUtensorMap_st {
  unsigned long long opaque[16];
} CUtensorMap;
