// A dot product: a grid-stride loop, a tree in shared memory, and an atomic addition for each block.
extern "C" __global__ void dot(int n, const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ total) {
    __shared__ float sums[256];
    int t = threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += stride) {
        sum += x[i] * y[i];
    }
    sums[t] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) {
            sums[t] += sums[t + half];
        }
        __syncthreads();
    }
    if (t == 0) {
        atomicAdd(total, sums[0]);
    }
}
