// Rays through a volume: light that each sample adds and takes away, with linear filtering of a texture of three dimensions.
#include <cuda_runtime.h>
#include <iostream>
#include <cmath>

typedef unsigned char VolumeType;
struct Ray { float3 o, d; };

inline __device__ __host__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __device__ __host__ float3 operator*(float3 a, float s) { return make_float3(a.x * s, a.y * s, a.z * s); }

__device__ Ray makeRay(int x, int y, int w, int h)
{
    Ray ray;
    ray.o = make_float3((x + 0.5f) / w, (y + 0.5f) / h, 0.0f);
    ray.d = make_float3(0.125f, -0.0625f, 1.0f);
    return ray;
}

__global__ void render(float *d_output, int imageW, int imageH, int maxSteps, float density, cudaTextureObject_t tex)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= imageW || y >= imageH) return;
    const Ray ray = makeRay(x, y, imageW, imageH);
    float sum = 0.0f, through = 1.0f;
    for (int i = 0; i < maxSteps; i++) {
        const float3 pos = ray.o + ray.d * ((i + 0.5f) / maxSteps);
        const float sample = tex3D<float>(tex, pos.x, pos.y, pos.z);
        sum += through * sample * density;
        through *= 1.0f - sample * density;
        if (through < 0.01f) break;
    }
    d_output[y * imageW + x] = sum;
}

cudaTextureObject_t initTexture(const VolumeType *h_volume, cudaExtent size)
{
    cudaArray *array = 0;
    cudaChannelFormatDesc channelDesc = cudaCreateChannelDesc<VolumeType>();
    cudaMalloc3DArray(&array, &channelDesc, size);
    cudaMemcpy3DParms copyParams = {0};
    copyParams.srcPtr = make_cudaPitchedPtr((void *)h_volume, size.width * sizeof(VolumeType), size.width, size.height);
    copyParams.dstArray = array;
    copyParams.extent = size;
    copyParams.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copyParams);
    cudaResourceDesc texRes = {};
    texRes.resType = cudaResourceTypeArray;
    texRes.res.array.array = array;
    cudaTextureDesc texDescr = {};
    texDescr.normalizedCoords = true;
    texDescr.filterMode = cudaFilterModeLinear;
    texDescr.addressMode[0] = texDescr.addressMode[1] = texDescr.addressMode[2] = cudaAddressModeClamp;
    texDescr.readMode = cudaReadModeNormalizedFloat;
    cudaTextureObject_t tex = 0;
    cudaCreateTextureObject(&tex, &texRes, &texDescr, NULL);
    return tex;
}

int main(int argc, char **argv)
{
    const int w = 64, h = 48;
    VolumeType *h_volume = new VolumeType[32 * 32 * 32]();
    float *d_output;
    cudaMalloc(&d_output, w * h * sizeof(float));
    cudaTextureObject_t tex = initTexture(h_volume, make_cudaExtent(32, 32, 32));
    render<<<dim3(4, 3), dim3(16, 16)>>>(d_output, w, h, 50, 0.05f, tex);
    std::cout << cudaGetErrorString(cudaDeviceSynchronize()) << std::endl;
    delete[] h_volume;
}
