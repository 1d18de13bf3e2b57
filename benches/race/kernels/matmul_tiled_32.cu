// A product of square matrices through 32x32 tiles of shared memory.
extern "C" __global__ void matmul_tiled_32(int n, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
    __shared__ float tile_a[32][32];
    __shared__ float tile_b[32][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int column = blockIdx.x * 32 + tx, row = blockIdx.y * 32 + ty;
    float sum = 0.0f;
    for (int first = 0; first < n; first += 32) {
        tile_a[ty][tx] = a[row * n + first + tx];
        tile_b[ty][tx] = b[(first + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < 32; k++) {
            sum += tile_a[ty][k] * tile_b[k][tx];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}
