// Normalization of each row by the root of its mean square, a block for each; threads stride by `while`.
extern "C" __global__ void rms_norm(int columns, float epsilon, const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ y) {
    __shared__ float partial[256];
    int t = threadIdx.x, row = blockIdx.x * columns;
    float sum = 0.0f;
    for (int c = t; c < columns; c += 256) { float v = x[row + c]; sum += v * v; }
    partial[t] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    float inverse = rsqrtf(partial[0] / columns + epsilon);
    for (int c = t; c < columns; c += 256) y[row + c] = x[row + c] * inverse * weight[c];
}
