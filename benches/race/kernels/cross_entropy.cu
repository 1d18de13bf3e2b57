// The cross entropy of each row of logits and its label, a block for each.
__device__ float block_max(float x) {
    __shared__ float parts[8];
    for (int step = 16; step > 0; step /= 2) {
        x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, step));
    }
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = x;
    }
    __syncthreads();
    x = parts[0];
    for (int k = 1; k < 8; k++) {
        x = fmaxf(x, parts[k]);
    }
    __syncthreads();
    return x;
}

__device__ float block_sum(float x) {
    __shared__ float parts[8];
    for (int step = 16; step > 0; step /= 2) {
        x += __shfl_xor_sync(0xffffffff, x, step);
    }
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = x;
    }
    __syncthreads();
    x = parts[0];
    for (int k = 1; k < 8; k++) {
        x += parts[k];
    }
    __syncthreads();
    return x;
}

extern "C" __global__ void cross_entropy(int columns, const float* __restrict__ logits, const unsigned* __restrict__ labels, float* __restrict__ losses) {
    int t = threadIdx.x, row = blockIdx.x;
    int start = row * columns;
    float largest = -INFINITY;
    for (int c = t; c < columns; c += 256) {
        largest = fmaxf(largest, logits[start + c]);
    }
    largest = block_max(largest);
    float sum = 0.0f;
    for (int c = t; c < columns; c += 256) {
        sum += expf(logits[start + c] - largest);
    }
    sum = block_sum(sum);
    if (t == 0) {
        int label = labels[row];
        losses[row] = logf(sum) + largest - logits[start + label];
    }
}
