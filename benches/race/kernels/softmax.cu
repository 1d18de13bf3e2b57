// Softmax of each row, a block for each.
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

extern "C" __global__ void softmax(int columns, const float* __restrict__ x, float* __restrict__ y) {
    int t = threadIdx.x;
    int row = blockIdx.x * columns;
    float largest = -INFINITY;
    for (int column = t; column < columns; column += 256) {
        largest = fmaxf(largest, x[row + column]);
    }
    largest = block_max(largest);
    float sum = 0.0f;
    for (int column = t; column < columns; column += 256) {
        float value = expf(x[row + column] - largest);
        y[row + column] = value;
        sum += value;
    }
    sum = block_sum(sum);
    for (int column = t; column < columns; column += 256) {
        y[row + column] /= sum;
    }
}
