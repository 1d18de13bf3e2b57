// Triangles of a graph whose edges lead to nodes of larger numbers: a thread for each edge merges the sorted neighbours
// of both ends.
extern "C" __global__ void triangle_count(int edges, const int* __restrict__ starts, const int* __restrict__ from, const int* __restrict__ to, unsigned* __restrict__ total) {
    __shared__ unsigned parts[8];
    int edge = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned count = 0;
    if (edge < edges) {
        int a = from[edge], b = to[edge];
        int i = starts[a], end_i = starts[a + 1];
        int j = starts[b], end_j = starts[b + 1];
        while (i < end_i && j < end_j) {
            int x = to[i], y = to[j];
            if (x < y) {
                i++;
            } else if (x > y) {
                j++;
            } else {
                count++;
                i++;
                j++;
            }
        }
    }
    for (int step = 16; step > 0; step /= 2) {
        count += __shfl_xor_sync(0xffffffff, count, step);
    }
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = count;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (int k = 0; k < 8; k++) {
            sum += parts[k];
        }
        atomicAdd(total, sum);
    }
}
