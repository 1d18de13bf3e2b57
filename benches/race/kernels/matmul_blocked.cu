// A product of square matrices by 128x128 tiles in steps of 8, with 8x8 sums a thread in registers.
extern "C" __global__ void matmul_blocked(int n, const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
    __shared__ float tile_a[8][128];
    __shared__ float tile_b[8][128];
    int t = threadIdx.x;
    int tx = t % 16 * 8, ty = t / 16 * 8;
    int column = blockIdx.x * 128, row = blockIdx.y * 128;
    float sums[8][8] = {};
    for (int first = 0; first < n; first += 8) {
        for (int load = 0; load < 4; load++) {
            int i = load * 256 + t;
            tile_a[i % 8][i / 8] = a[(row + i / 8) * n + first + i % 8];
            tile_b[i / 128][i % 128] = b[(first + i / 128) * n + column + i % 128];
        }
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            float from_a[8], from_b[8];
            for (int i = 0; i < 8; i++) {
                from_a[i] = tile_a[k][ty + i];
                from_b[i] = tile_b[k][tx + i];
            }
            for (int i = 0; i < 8; i++) {
                for (int j = 0; j < 8; j++) {
                    sums[i][j] += from_a[i] * from_b[j];
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            c[(row + ty + i) * n + column + tx + j] = sums[i][j];
        }
    }
}
