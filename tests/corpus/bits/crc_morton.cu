/*
 * Four small kernels of bit manipulation in one file: CRC-32 by a table in constant memory, Morton codes, Gray codes and
 * population counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <limits.h>

typedef unsigned char      u8;
typedef unsigned int       u32;
typedef unsigned long long u64;

__constant__ u32 crc_table[256];

static void make_table(u32 *table)
{
	u32 i, k, c;
	for (i = 0; i < 256; i++) {
		c = i;
		for (k = 0; k < 8; k++)
			c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
		table[i] = c;
	}
}

__global__ void crc32_blocks(const u8 *data, u32 *crc, int block_bytes, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, k;
	u32 c = ~0u;
	if (i >= n)
		return;
	data += (size_t)i * block_bytes;
	for (k = 0; k < block_bytes; k++)
		c = crc_table[(c ^ data[k]) & 0xff] ^ (c >> 8);
	crc[i] = ~c;
}

/* Insert two zeros in front of each of the 10 low bits. */
__device__ u32 expand_bits(u32 v)
{
	v = (v * 0x00010001u) & 0xFF0000FFu;
	v = (v * 0x00000101u) & 0x0F00F00Fu;
	v = (v * 0x00000011u) & 0xC30C30C3u;
	v = (v * 0x00000005u) & 0x49249249u;
	return v;
}

__global__ void morton3d(const float *x, const float *y, const float *z, u32 *code, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float fx = fminf(fmaxf(x[i] * 1024.0f, 0.0f), 1023.0f);
		float fy = fminf(fmaxf(y[i] * 1024.0f, 0.0f), 1023.0f);
		float fz = fminf(fmaxf(z[i] * 1024.0f, 0.0f), 1023.0f);
		code[i] = expand_bits((u32)fx) * 4 + expand_bits((u32)fy) * 2 + expand_bits((u32)fz);
	}
}

__global__ void gray(const u64 *in, u64 *encoded, u64 *decoded, int *weight, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		u64 g = in[i] ^ (in[i] >> 1), b = g;
		encoded[i] = g;
		b ^= b >> 32; b ^= b >> 16; b ^= b >> 8; b ^= b >> 4; b ^= b >> 2; b ^= b >> 1;
		decoded[i] = b;
		weight[i] = __popcll(in[i]) + 100 * __clzll(in[i]) + 10000 * __ffsll(in[i]);
	}
}

int main(int argc, char *argv[])
{
	u32 table[256];
	FILE *f;
	if (argc != 2 || !(f = fopen(argv[1], "rb"))) {
		fprintf(stderr, "%s: %s\n", argv[0], argc == 2 ? strerror(errno) : "usage: FILE");
		return EXIT_FAILURE;
	}
	make_table(table);
	cudaMemcpyToSymbol(crc_table, table, sizeof table);
	u8 *h = (u8 *)malloc(1 << 20), *d;
	size_t got = fread(h, 1, 1 << 20, f);
	fclose(f);
	u32 *crc;
	cudaMalloc((void **)&d, 1 << 20);
	cudaMalloc((void **)&crc, 4096);
	cudaMemcpy(d, h, got, cudaMemcpyHostToDevice);
	crc32_blocks<<<4, 256>>>(d, crc, 1024, got / 1024);
	return cudaDeviceSynchronize();
}
