// The likelihood of sequences under a hidden Markov model of 64 states, by the forward algorithm with a scale for each
// step: a block for each sequence, a thread for each state.
__device__ float block_sum(float value, float* parts) {
    for (int step = 16; step > 0; step /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, step);
    }
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = value;
    }
    __syncthreads();
    return parts[0] + parts[1];
}

extern "C" __global__ void hmm_forward(int length, const float* __restrict__ start, const float* __restrict__ transitions, const float* __restrict__ emissions, const unsigned char* __restrict__ symbols, float* __restrict__ likelihoods) {
    __shared__ float moves[64][64];
    __shared__ float before[64];
    __shared__ float parts[2];
    int t = threadIdx.x;
    int sequence = blockIdx.x;
    for (int from = 0; from < 64; from++) {
        moves[from][t] = transitions[64 * from + t];
    }
    int first = symbols[sequence * length];
    float value = start[t] * emissions[64 * first + t];
    float likelihood = 0.0f;
    for (int step = 1; step < length; step++) {
        float total = block_sum(value, parts);
        likelihood += logf(total);
        before[t] = value / total;
        __syncthreads();
        float sum = 0.0f;
        for (int from = 0; from < 64; from++) {
            sum += before[from] * moves[from][t];
        }
        int symbol = symbols[sequence * length + step];
        value = sum * emissions[64 * symbol + t];
        __syncthreads();
    }
    float total = block_sum(value, parts);
    if (t == 0) {
        likelihoods[sequence] = likelihood + logf(total);
    }
}
