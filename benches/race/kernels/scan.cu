// An inclusive scan of each block's elements: shuffles in warps, then the sums of the warps.
extern "C" __global__ void scan(int n, const unsigned* __restrict__ x, unsigned* __restrict__ out) {
    __shared__ unsigned sums[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned sum = i < n ? x[i] : 0;
    for (int step = 1; step < 32; step *= 2) {
        unsigned below = __shfl_up_sync(0xffffffff, sum, step);
        if (lane >= step) {
            sum += below;
        }
    }
    if (lane == 31) {
        sums[warp] = sum;
    }
    __syncthreads();
    for (int other = 0; other < warp; other++) {
        sum += sums[other];
    }
    if (i < n) {
        out[i] = sum;
    }
}
