// Binary search of each key in a sorted slice.
extern "C" __global__ void lower_bound(int m, int n, const unsigned* __restrict__ sorted, const unsigned* __restrict__ keys, unsigned* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned key = keys[i];
        int low = 0, high = m;
        while (low < high) {
            int middle = (low + high) / 2;
            if (sorted[middle] < key) low = middle + 1; else high = middle;
        }
        out[i] = low;
    }
}
