// Attention with an online softmax: a thread for each query of 64 numbers, keys and values in tiles that a block
// shares.
extern "C" __global__ void attention(int n, float scale, const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ out) {
    __shared__ float keys[32][64];
    __shared__ float values[32][64];
    int t = threadIdx.x;
    int head = blockIdx.y * n;
    int row = head + blockIdx.x * blockDim.x + t;
    float query[64], sums[64];
    for (int d = 0; d < 64; d++) {
        query[d] = q[row * 64 + d] * scale;
        sums[d] = 0.0f;
    }
    float largest = -INFINITY, total = 0.0f;
    for (int first = 0; first < n; first += 32) {
        for (int r = 0; r < 32; r++) {
            keys[r][t] = k[(head + first + r) * 64 + t];
            values[r][t] = v[(head + first + r) * 64 + t];
        }
        __syncthreads();
        for (int r = 0; r < 32; r++) {
            float score = 0.0f;
            for (int d = 0; d < 64; d++) {
                score += query[d] * keys[r][d];
            }
            float above = fmaxf(largest, score);
            float shrink = expf(largest - above);
            float weight = expf(score - above);
            total = total * shrink + weight;
            for (int d = 0; d < 64; d++) {
                sums[d] = sums[d] * shrink + weight * values[r][d];
            }
            largest = above;
        }
        __syncthreads();
    }
    for (int d = 0; d < 64; d++) {
        out[row * 64 + d] = sums[d] / total;
    }
}
