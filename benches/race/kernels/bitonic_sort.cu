// A bitonic sort of 1024 keys a block in shared memory, a thread for each pair.
extern "C" __global__ void bitonic_sort(const unsigned* __restrict__ keys, unsigned* __restrict__ sorted) {
    __shared__ unsigned tile[1024];
    int t = threadIdx.x;
    int first = blockIdx.x * 1024;
    tile[t] = keys[first + t];
    tile[t + 512] = keys[first + t + 512];
    __syncthreads();
    for (int run = 2; run <= 1024; run *= 2) {
        for (int distance = run / 2; distance > 0; distance /= 2) {
            int low = t / distance * (2 * distance) + t % distance;
            int high = low + distance;
            bool upwards = low / run % 2 == 0;
            if ((tile[low] > tile[high]) == upwards) {
                unsigned key = tile[low];
                tile[low] = tile[high];
                tile[high] = key;
            }
            __syncthreads();
        }
    }
    sorted[first + t] = tile[t];
    sorted[first + t + 512] = tile[t + 512];
}
