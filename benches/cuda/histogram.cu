// Counts bytes in 256 bins of shared memory, then adds those to the global ones; 256 threads.
extern "C" __global__ void histogram(const unsigned char* __restrict__ x, size_t n, unsigned int* bins) {
    __shared__ unsigned int local_bins[256];
    local_bins[threadIdx.x] = 0;
    __syncthreads();
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        atomicAdd(&local_bins[x[i]], 1);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local_bins[threadIdx.x]);
}
