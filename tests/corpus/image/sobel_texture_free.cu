// Sobel's filter on grey pixels, 8 bits, tile with halo in shared memory.
#include <opencv2/opencv.hpp>
#include <iostream>
#include <cuda_runtime.h>
#include "device_launch_parameters.h"

#define TILE_W 16
#define TILE_H 16
#define R 1
#define BLOCK_W (TILE_W + (2 * R))
#define BLOCK_H (TILE_H + (2 * R))

using namespace cv;

typedef unsigned char uchar_t;

__device__ __forceinline__ int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }

__global__ void sobel(const unsigned char *src, unsigned char *dst, unsigned int w, unsigned int h)
{
    __shared__ unsigned char smem[BLOCK_W * BLOCK_H];
    int x = blockIdx.x * TILE_W + threadIdx.x - R;
    int y = blockIdx.y * TILE_H + threadIdx.y - R;
    x = clampi(x, 0, w - 1);
    y = clampi(y, 0, h - 1);

    unsigned int index = y * w + x;
    unsigned int bindex = threadIdx.y * blockDim.x + threadIdx.x;
    smem[bindex] = src[index];
    __syncthreads();

    const bool inside = threadIdx.x >= R && threadIdx.x < BLOCK_W - R && threadIdx.y >= R && threadIdx.y < BLOCK_H - R;
    const int gx0 = blockIdx.x * TILE_W + threadIdx.x - R, gy0 = blockIdx.y * TILE_H + threadIdx.y - R;
    if (inside && gx0 < w && gy0 < h) {
        int gx = 0, gy = 0;
        const int kx[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
        for (int dy = -R; dy <= R; dy++)
            for (int dx = -R; dx <= R; dx++) {
                int i = smem[bindex + (dy * blockDim.x) + dx];
                gx += kx[dy + 1][dx + 1] * i;
                gy += kx[dx + 1][dy + 1] * i;
            }
        float mag = sqrtf((float)(gx * gx + gy * gy));
        dst[gy0 * w + gx0] = mag > 255 ? 255 : (unsigned char)mag;
    }
}

int main(int argc, char **argv)
{
    Mat img = imread(argc > 1 ? argv[1] : "lena.png", IMREAD_GRAYSCALE);
    if (img.empty()) {
        std::cout << "Could not open or find the image" << std::endl;
        return -1;
    }
    unsigned char *d_src, *d_dst;
    size_t size = img.rows * img.cols;
    cudaMalloc((void **)&d_src, size);
    cudaMalloc((void **)&d_dst, size);
    cudaMemcpy(d_src, img.data, size, cudaMemcpyHostToDevice);
    dim3 block(BLOCK_W, BLOCK_H);
    dim3 grid((img.cols + TILE_W - 1) / TILE_W, (img.rows + TILE_H - 1) / TILE_H);
    sobel<<<grid, block>>>(d_src, d_dst, img.cols, img.rows);
    cudaMemcpy(img.data, d_dst, size, cudaMemcpyDeviceToHost);
    imwrite("sobel.png", img);
    cudaFree(d_src);
    cudaFree(d_dst);
    return 0;
}
