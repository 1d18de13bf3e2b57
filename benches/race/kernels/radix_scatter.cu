// The last pass of a radix sort: each pair of a key and a value moves to its place, in the order of its block.
__device__ unsigned lanes_with(int digit) {
    unsigned lanes = 0xffffffff;
    for (int bit = 0; bit < 4; bit++) {
        bool set = digit >> bit & 1;
        unsigned voters = __ballot_sync(0xffffffff, set);
        lanes &= set ? voters : ~voters;
    }
    return lanes;
}

extern "C" __global__ void radix_scatter(int shift, const unsigned* __restrict__ keys, const unsigned* __restrict__ values, const unsigned* __restrict__ places, unsigned* __restrict__ to_keys, unsigned* __restrict__ to_values) {
    __shared__ unsigned counts[8][16];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned key = keys[i];
    int digit = (key >> shift) % 16;
    if (lane < 16) {
        counts[warp][lane] = 0;
    }
    __syncthreads();
    unsigned lanes = lanes_with(digit);
    int in_warp = __popc(lanes & ((1u << lane) - 1));
    if (in_warp == 0) {
        counts[warp][digit] = __popc(lanes);
    }
    __syncthreads();
    unsigned place = places[digit * gridDim.x + blockIdx.x] + in_warp;
    for (int other = 0; other < warp; other++) {
        place += counts[other][digit];
    }
    to_keys[place] = key;
    to_values[place] = values[i];
}
