// Hamming distances of codes of several words to a query.
extern "C" __global__ void hamming(int n, int words, const unsigned long long* __restrict__ codes, const unsigned long long* __restrict__ query, unsigned* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned count = 0;
        for (int w = 0; w < words; w++) count += __popcll(codes[i * words + w] ^ query[w]);
        out[i] = count;
    }
}
