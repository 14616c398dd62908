// Turns an image by a right angle and inverts it, from surface to surface.
#include <cuda_runtime.h>
#include <helper_cuda.h>
#include <cstdio>
#include <vector>

__global__ void rotate(cudaSurfaceObject_t input, cudaSurfaceObject_t output, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        uchar4 data;
        surf2Dread(&data, input, x * 4, y);
        data.x = 255 - data.x;
        data.y = 255 - data.y;
        data.z = 255 - data.z;
        surf2Dwrite(data, output, (height - 1 - y) * 4, x);
        // Outside of the surface nothing is written.
        surf2Dwrite(make_uchar4(1, 2, 3, 4), output, (height + x) * (int)sizeof(uchar4), y, cudaBoundaryModeZero);
    }
}

cudaSurfaceObject_t makeSurface(cudaArray_t array)
{
    cudaResourceDesc desc = {};
    desc.resType = cudaResourceTypeArray;
    desc.res.array.array = array;
    cudaSurfaceObject_t surface = 0;
    checkCudaErrors(cudaCreateSurfaceObject(&surface, &desc));
    return surface;
}

int main(void)
{
    const int width = 1024, height = 512;
    std::vector<uchar4> host(width * height);
    cudaChannelFormatDesc format = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
    cudaArray_t a, b;
    checkCudaErrors(cudaMallocArray(&a, &format, width, height, cudaArraySurfaceLoadStore));
    checkCudaErrors(cudaMallocArray(&b, &format, height, width, cudaArraySurfaceLoadStore));
    checkCudaErrors(cudaMemcpy2DToArray(a, 0, 0, host.data(), 4 * width, 4 * width, height, cudaMemcpyHostToDevice));
    dim3 threads(16, 16);
    dim3 blocks((width + 15) / 16, (height + 15) / 16);
    rotate<<<blocks, threads>>>(makeSurface(a), makeSurface(b), width, height);
    checkCudaErrors(cudaDeviceSynchronize());
    printf("turned\n");
    return 0;
}
