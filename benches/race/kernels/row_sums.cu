// Running sums along each row: a block scans 256 elements at a time and carries the total.
__device__ float block_scan(float x) {
    __shared__ float parts[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int step = 1; step < 32; step *= 2) {
        float below = __shfl_up_sync(0xffffffff, x, step);
        if (lane >= step) {
            x += below;
        }
    }
    if (lane == 31) {
        parts[warp] = x;
    }
    __syncthreads();
    float before = 0.0f;
    for (int other = 0; other < warp; other++) {
        before += parts[other];
    }
    __syncthreads();
    return before + x;
}

__device__ float block_sum(float x) {
    __shared__ float parts[8];
    for (int step = 16; step > 0; step /= 2) {
        x += __shfl_xor_sync(0xffffffff, x, step);
    }
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = x;
    }
    __syncthreads();
    x = parts[0];
    for (int k = 1; k < 8; k++) {
        x += parts[k];
    }
    __syncthreads();
    return x;
}

extern "C" __global__ void row_sums(int columns, const float* __restrict__ x, float* __restrict__ y) {
    int t = threadIdx.x;
    int row = blockIdx.x * columns;
    float before = 0.0f;
    for (int first = 0; first < columns; first += 256) {
        int column = first + t;
        float value = column < columns ? x[row + column] : 0.0f;
        float sum = block_scan(value);
        if (column < columns) {
            y[row + column] = before + sum;
        }
        before += block_sum(value);
    }
}
