// c = a * b for square matrices of a multiple of 16, in 16x16 tiles of shared memory; 16x16 threads.
extern "C" __global__ void matmul_tiled(size_t n, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
    __shared__ float tile_a[16][16];
    __shared__ float tile_b[16][16];
    size_t tx = threadIdx.x, ty = threadIdx.y;
    size_t row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    for (size_t t = 0; t < n / 16; t++) {
        tile_a[ty][tx] = a[row * n + t * 16 + tx];
        tile_b[ty][tx] = b[(t * 16 + ty) * n + col];
        __syncthreads();
        for (size_t k = 0; k < 16; k++) {
            sum += tile_a[ty][k] * tile_b[k][tx];
        }
        __syncthreads();
    }
    c[row * n + col] = sum;
}
