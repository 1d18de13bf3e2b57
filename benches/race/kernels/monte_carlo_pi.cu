// The share of random points in a quarter of a circle, 256 points a thread.
__device__ float next(unsigned& state) {
    state = state * 747796405u + 2891336453u;
    unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return (float)((word >> 22 ^ word) >> 8) / 16777216.0f;
}

__device__ unsigned block_sum(unsigned x) {
    __shared__ unsigned parts[8];
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
    return x;
}

extern "C" __global__ void monte_carlo_pi(unsigned* __restrict__ total) {
    unsigned state = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned inside = 0;
    for (int k = 0; k < 256; k++) {
        float x = next(state);
        float y = next(state);
        if (x * x + y * y < 1.0f) {
            inside++;
        }
    }
    unsigned sum = block_sum(inside);
    if (threadIdx.x == 0) {
        atomicAdd(total, sum);
    }
}
