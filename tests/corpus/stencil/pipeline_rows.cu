// Each block walks down a strip of an image: rows are copied to shared memory by cuda::pipeline while earlier ones are summed.
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

#define WIDTH 64
template <size_t STAGES>
__global__ void box_rows(const float *__restrict__ image, float *__restrict__ out, int rows, int stride)
{
    __shared__ float lines[STAGES][WIDTH];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const float *strip = image + blockIdx.x * WIDTH;

    float above = 0.0f, middle = 0.0f;
    size_t fetched = 0;
    for (size_t row = 0; row < (size_t)rows; ++row) {
        for (; fetched < (size_t)rows && fetched < row + STAGES; ++fetched) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, lines[fetched % STAGES], strip + fetched * stride, cuda::aligned_size_t<16>(sizeof(float) * WIDTH), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        const float *line = lines[row % STAGES];
        const int x = threadIdx.x;
        const float sum = (x > 0 ? line[x - 1] : 0.0f) + line[x] + (x < WIDTH - 1 ? line[x + 1] : 0.0f);
        pipe.consumer_release();
        if (row > 0) out[(row - 1) * stride + blockIdx.x * WIDTH + x] = above + middle + sum;
        above = middle;
        middle = sum;
    }
    out[(rows - 1) * stride + blockIdx.x * WIDTH + threadIdx.x] = above + middle;
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 512, strips = 16;
    size_t bytes = (size_t)rows * strips * WIDTH * sizeof(float);
    float *image = nullptr, *out = nullptr;
    if (cudaMalloc(&image, bytes) != cudaSuccess || cudaMalloc(&out, bytes) != cudaSuccess) exit(EXIT_FAILURE);
    cudaMemset(image, 0, bytes);
    box_rows<4><<<strips, WIDTH>>>(image, out, rows, strips * WIDTH);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
