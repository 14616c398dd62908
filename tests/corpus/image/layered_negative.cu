// Each layer of a texture becomes its negative plus its number; then all layers are blended into one image.
#include <cuda_runtime.h>
#include <helper_functions.h>
#include <helper_cuda.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void transformKernel(float *g_odata, int width, int height, int layer, cudaTextureObject_t tex)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = (x + 0.5f) / (float)width;
    float v = (y + 0.5f) / (float)height;
    g_odata[layer * width * height + y * width + x] = -tex2DLayered<float>(tex, u, v, layer) + layer;
}

template <int LAYERS>
__global__ void blend(float *image, int width, int height, cudaTextureObject_t tex, const float *weights)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0.0f;
#pragma unroll
    for (int layer = 0; layer < LAYERS; ++layer) {
        float value;
        tex2DLayered(&value, tex, (x + 0.5f) / width, (y + 0.5f) / height, layer);
        sum = fmaf(weights[layer], value, sum);
    }
    image[y * width + x] = sum;
}

int main(int argc, char **argv)
{
    unsigned int width = 64, height = 64, num_layers = 5;
    cudaExtent extent = make_cudaExtent(width, height, num_layers);
    cudaChannelFormatDesc channelDesc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray *cu_3darray;
    checkCudaErrors(cudaMalloc3DArray(&cu_3darray, &channelDesc, extent, cudaArrayLayered));
    cudaResourceDesc texRes;
    memset(&texRes, 0, sizeof(cudaResourceDesc));
    texRes.resType = cudaResourceTypeArray;
    texRes.res.array.array = cu_3darray;
    cudaTextureDesc texDescr;
    memset(&texDescr, 0, sizeof(cudaTextureDesc));
    texDescr.normalizedCoords = true;
    texDescr.addressMode[0] = cudaAddressModeWrap;
    texDescr.addressMode[1] = cudaAddressModeWrap;
    cudaTextureObject_t tex;
    checkCudaErrors(cudaCreateTextureObject(&tex, &texRes, &texDescr, NULL));
    float *d_data = NULL, *d_image = NULL, *d_weights = NULL;
    checkCudaErrors(cudaMalloc((void **)&d_data, width * height * num_layers * sizeof(float)));
    checkCudaErrors(cudaMalloc((void **)&d_image, width * height * sizeof(float)));
    checkCudaErrors(cudaMalloc((void **)&d_weights, num_layers * sizeof(float)));
    dim3 dimBlock(8, 8, 1);
    dim3 dimGrid(width / dimBlock.x, height / dimBlock.y, 1);
    for (unsigned int layer = 0; layer < num_layers; layer++)
        transformKernel<<<dimGrid, dimBlock, 0>>>(d_data, width, height, layer, tex);
    blend<5><<<dimGrid, dimBlock>>>(d_image, width, height, tex, d_weights);
    checkCudaErrors(cudaDeviceSynchronize());
    exit(EXIT_SUCCESS);
}
