// An inclusive scan of all elements in one pass: each block waits for the sum of the blocks before it.
__device__ unsigned block_scan(unsigned x) {
    __shared__ unsigned parts[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int step = 1; step < 32; step *= 2) {
        unsigned below = __shfl_up_sync(0xffffffff, x, step);
        if (lane >= step) {
            x += below;
        }
    }
    if (lane == 31) {
        parts[warp] = x;
    }
    __syncthreads();
    for (int other = 0; other < warp; other++) {
        x += parts[other];
    }
    return x;
}

extern "C" __global__ void scan_chained(int n, const unsigned* __restrict__ x, unsigned* __restrict__ ticket, volatile unsigned long long* __restrict__ sums, unsigned* __restrict__ out) {
    __shared__ unsigned shared[2];
    int t = threadIdx.x;
    // Blocks start in any order, so that each takes the next tile.
    if (t == 0) {
        shared[0] = atomicAdd(ticket, 1);
    }
    __syncthreads();
    int tile = shared[0];
    int first = tile * 2048 + t * 8;
    unsigned values[8];
    unsigned total = 0;
    for (int k = 0; k < 8; k++) {
        if (first + k < n) {
            total += x[first + k];
        }
        values[k] = total;
    }
    unsigned sum = block_scan(total);
    if (t == 255) {
        unsigned before = 0;
        if (tile > 0) {
            unsigned long long state = 0;
            while (state >> 32 == 0) {
                state = sums[tile - 1];
            }
            before = (unsigned)state;
        }
        // The flag and the sum are one word, so that they arrive together.
        sums[tile] = 1ull << 32 | (before + sum);
        shared[1] = before;
    }
    __syncthreads();
    unsigned before = shared[1] + sum - total;
    for (int k = 0; k < 8; k++) {
        if (first + k < n) {
            out[first + k] = before + values[k];
        }
    }
}
