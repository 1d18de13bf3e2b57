// Running sums within segments, of the elements of each block: a segment begins where there is a mark.
__device__ void warp_scan(int lane, bool& begins, unsigned& sum) {
    for (int step = 1; step < 32; step *= 2) {
        bool before_begins = __shfl_up_sync(0xffffffff, (int)begins, step);
        unsigned before_sum = __shfl_up_sync(0xffffffff, sum, step);
        if (lane >= step && !begins) {
            begins = before_begins;
            sum += before_sum;
        }
    }
}

extern "C" __global__ void segmented_scan(int n, const unsigned* __restrict__ values, const unsigned char* __restrict__ marks, unsigned* __restrict__ sums) {
    __shared__ bool warp_begins[8];
    __shared__ unsigned warp_sums[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bool begins = i < n && marks[i] != 0;
    unsigned sum = i < n ? values[i] : 0;
    warp_scan(lane, begins, sum);
    if (lane == 31) {
        warp_begins[warp] = begins;
        warp_sums[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        bool part_begins = lane < 8 && warp_begins[lane];
        unsigned part_sum = lane < 8 ? warp_sums[lane] : 0;
        warp_scan(lane, part_begins, part_sum);
        if (lane < 8) {
            warp_begins[lane] = part_begins;
            warp_sums[lane] = part_sum;
        }
    }
    __syncthreads();
    if (warp > 0 && !begins) {
        sum += warp_sums[warp - 1];
    }
    if (i < n) {
        sums[i] = sum;
    }
}
