// Products of many small square matrices, a block for each.
extern "C" __global__ void matmul_batched(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
    __shared__ float tile_a[32][32];
    __shared__ float tile_b[32][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    int first = blockIdx.x * 1024;
    for (int row = ty; row < 32; row += 16) {
        for (int column = tx; column < 32; column += 16) {
            tile_a[row][column] = a[first + row * 32 + column];
            tile_b[row][column] = b[first + row * 32 + column];
        }
    }
    __syncthreads();
    for (int row = ty; row < 32; row += 16) {
        for (int column = tx; column < 32; column += 16) {
            float sum = 0.0f;
            for (int k = 0; k < 32; k++) {
                sum += tile_a[row][k] * tile_b[k][column];
            }
            c[first + row * 32 + column] = sum;
        }
    }
}
