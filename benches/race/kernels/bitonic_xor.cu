// The same sort in the spelling without divisions: a thread for each key, its partner by ^.
extern "C" __global__ void bitonic_xor(const unsigned* __restrict__ keys, unsigned* __restrict__ sorted) {
    __shared__ unsigned tile[1024];
    int t = threadIdx.x;
    int first = blockIdx.x * 1024;
    tile[t] = keys[first + t];
    __syncthreads();
    for (int run = 2; run <= 1024; run *= 2) {
        for (int distance = run / 2; distance > 0; distance /= 2) {
            int other = t ^ distance;
            if (other > t && (tile[t] > tile[other]) == ((t & run) == 0)) {
                unsigned key = tile[t];
                tile[t] = tile[other];
                tile[other] = key;
            }
            __syncthreads();
        }
    }
    sorted[first + t] = tile[t];
}
