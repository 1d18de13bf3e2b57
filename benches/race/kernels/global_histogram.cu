// A histogram of many bins: one atomic addition in global memory for each element.
extern "C" __global__ void global_histogram(int n, int bin_count, const unsigned* __restrict__ keys, unsigned* __restrict__ bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int bin = keys[i] % bin_count;
        atomicAdd(&bins[bin], 1);
    }
}
