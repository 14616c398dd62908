#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * SpMV in two old formats: ELLPACK (columns of entries, so that neighbours read neighbours) and coordinates with atomics,
 * put together as HYB.  Indices below zero mark padding.
 */

#define cutilSafeCall(err) __cudaSafeCall(err, __FILE__, __LINE__)
static void __cudaSafeCall(cudaError_t err, const char *file, const int line)
{
	if (cudaSuccess != err) {
		fprintf(stderr, "%s(%i) : cudaSafeCall() Runtime API error : %s.\n", file, line, cudaGetErrorString(err));
		exit(-1);
	}
}

typedef struct {
	int num_rows, width, pitch;
	int *col;
	float *val;
} ELL;

extern "C" __global__ void spmv_ell(const int num_rows, const int width, const int pitch, const int *Aj, const float *Ax,
                                    const float *x, float *y)
{
	const int thread_id = blockDim.x * blockIdx.x + threadIdx.x;
	const int grid_size = gridDim.x * blockDim.x;

	for (int row = thread_id; row < num_rows; row += grid_size) {
		float sum = 0;
		int offset = row;
		for (int n = 0; n < width; n++) {
			const int col = Aj[offset];
			if (col >= 0)
				sum += Ax[offset] * x[col];
			offset += pitch;
		}
		y[row] = sum;
	}
}

extern "C" __global__ void spmv_coo(const int num_nonzeros, const int *I, const int *J, const float *V, const float *x, float *y)
{
	for (int n = blockDim.x * blockIdx.x + threadIdx.x; n < num_nonzeros; n += gridDim.x * blockDim.x)
		atomicAdd(y + I[n], V[n] * x[J[n]]);
}

int main(void)
{
	ELL a;
	memset(&a, 0, sizeof(a));
	a.num_rows = 1024;
	a.width = 4;
	a.pitch = 1024;
	float *x, *y;
	int *I = NULL, *J = NULL;
	cutilSafeCall(cudaMalloc((void **)&a.col, a.pitch * a.width * sizeof(int)));
	cutilSafeCall(cudaMalloc((void **)&a.val, a.pitch * a.width * sizeof(float)));
	cutilSafeCall(cudaMalloc((void **)&x, a.num_rows * sizeof(float)));
	cutilSafeCall(cudaMalloc((void **)&y, a.num_rows * sizeof(float)));
	cutilSafeCall(cudaMemset(a.col, 0xff, a.pitch * a.width * sizeof(int)));
	dim3 grid(4, 1, 1), block(256, 1, 1);
	spmv_ell<<<grid, block>>>(a.num_rows, a.width, a.pitch, a.col, a.val, x, y);
	spmv_coo<<<grid, block>>>(0, I, J, NULL, x, y);
	cutilSafeCall(cudaThreadSynchronize());
	return 0;
}
