#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Non-local means with 3-D blocks for a stack of images; block size by the compiler's command line. */
#ifndef BLOCKX
#define BLOCKX 16
#endif
#ifndef BLOCKY
#define BLOCKY 4
#endif
#define WINDOW 3
#define PATCH 1
#define SQR(x) ((x) * (x))

__device__ static inline float pixel(const float *img, int x, int y, int z, int3 n)
{
	/* mirrored at the edges */
	if (x < 0) x = -x;
	if (y < 0) y = -y;
	if (x >= n.x) x = 2 * n.x - 2 - x;
	if (y >= n.y) y = 2 * n.y - 2 - y;
	return __ldg(img + ((size_t)z * n.y + y) * n.x + x);
}

__global__ void __launch_bounds__(BLOCKX *BLOCKY) nlm(const float *img, float *out, int nx, int ny, int nz, float h)
{
	const int x = threadIdx.x + __umul24(blockIdx.x, blockDim.x);
	const int y = threadIdx.y + __umul24(blockIdx.y, blockDim.y);
	const int z = blockIdx.z;
	const int3 n = make_int3(nx, ny, nz);
	if (x >= nx || y >= ny || z >= nz)
		return;
	float weights = 0.f, sum = 0.f;
	for (int dy = -WINDOW; dy <= WINDOW; ++dy) {
		for (int dx = -WINDOW; dx <= WINDOW; ++dx) {
			float dist = 0.f;
#pragma unroll
			for (int py = -PATCH; py <= PATCH; ++py)
#pragma unroll
				for (int px = -PATCH; px <= PATCH; ++px)
					dist += SQR(pixel(img, x + px, y + py, z, n) - pixel(img, x + dx + px, y + dy + py, z, n));
			const float w = exp2f(-dist * (1.4426950408889634f / (h * h)));
			weights += w;
			sum += w * pixel(img, x + dx, y + dy, z, n);
		}
	}
	out[((size_t)z * ny + y) * nx + x] = sum / weights;
}

static long size_of(const char *path)
{
	struct stat info;
	return stat(path, &info) ? -1 : (long)info.st_size;
}

int main(int argc, char **argv)
{
	if (argc < 5) {
		fprintf(stderr, "usage: %s file.raw nx ny nz\n", argv[0]);
		return 2;
	}
	int nx = atoi(argv[2]), ny = atoi(argv[3]), nz = atoi(argv[4]);
	size_t bytes = sizeof(float) * nx * ny * nz;
	if (size_of(argv[1]) != (long)bytes) {
		fprintf(stderr, "%s: wrong size\n", argv[1]);
		return 2;
	}
	float *host = (float *)calloc(1, bytes), *img, *out;
	FILE *f = fopen(argv[1], "rb");
	if (!f || fread(host, 1, bytes, f) != bytes)
		return 1;
	fclose(f);
	cudaMalloc((void **)&img, bytes);
	cudaMalloc((void **)&out, bytes);
	cudaMemcpy(img, host, bytes, cudaMemcpyHostToDevice);
	dim3 block(BLOCKX, BLOCKY, 1), grid((nx + BLOCKX - 1) / BLOCKX, (ny + BLOCKY - 1) / BLOCKY, nz);
	nlm<<<grid, block>>>(img, out, nx, ny, nz, 0.3f);
	cudaMemcpy(host, out, bytes, cudaMemcpyDeviceToHost);
	return 0;
}
