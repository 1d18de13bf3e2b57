// A histogram of bytes: counts of a block in shared memory, then one atomic addition for each bin.
extern "C" __global__ void histogram(int n, const unsigned char* __restrict__ x, unsigned* __restrict__ bins) {
    __shared__ unsigned counts[256];
    int t = threadIdx.x;
    counts[t] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += stride) {
        atomicAdd(&counts[x[i]], 1);
    }
    __syncthreads();
    atomicAdd(&bins[t], counts[t]);
}
