// The first pass of a radix sort: how many of a block's keys have each digit.
extern "C" __global__ void radix_count(int n, int shift, const unsigned* __restrict__ keys, unsigned* __restrict__ counts) {
    __shared__ unsigned bins[16];
    int t = threadIdx.x;
    if (t < 16) {
        bins[t] = 0;
    }
    __syncthreads();
    int first = blockIdx.x * 2048;
    for (int k = 0; k < 8; k++) {
        int i = first + k * 256 + t;
        if (i < n) {
            int digit = (keys[i] >> shift) % 16;
            atomicAdd(&bins[digit], 1);
        }
    }
    __syncthreads();
    if (t < 16) {
        counts[t * gridDim.x + blockIdx.x] = bins[t];
    }
}
