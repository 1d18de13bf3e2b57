// Layer normalization of each row, a block for each.
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

extern "C" __global__ void layer_norm(int columns, float epsilon, const float* __restrict__ scale, const float* __restrict__ offset, const float* __restrict__ x, float* __restrict__ y) {
    int t = threadIdx.x;
    int row = blockIdx.x * columns;
    float sum = 0.0f;
    for (int column = t; column < columns; column += 256) {
        sum += x[row + column];
    }
    float mean = block_sum(sum) / columns;
    float squares = 0.0f;
    for (int column = t; column < columns; column += 256) {
        float away = x[row + column] - mean;
        squares += away * away;
    }
    float variance = block_sum(squares) / columns;
    float by = rsqrtf(variance + epsilon);
    for (int column = t; column < columns; column += 256) {
        float normal = (x[row + column] - mean) * by;
        y[row + column] = normal * scale[column] + offset[column];
    }
}
