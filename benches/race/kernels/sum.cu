// The sum of all elements: a grid-stride loop, shuffles, and an atomic addition for each warp.
extern "C" __global__ void sum(int n, const float* __restrict__ x, float* __restrict__ total) {
    int stride = gridDim.x * blockDim.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        sum += x[i];
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, step);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(total, sum);
    }
}
