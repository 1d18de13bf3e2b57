// Quantization of each row to bytes by its largest magnitude, a block for each.
extern "C" __global__ void quantize(int columns, const float* __restrict__ x, float* __restrict__ scales, signed char* __restrict__ q) {
    __shared__ float parts[4];
    int t = threadIdx.x, row = blockIdx.x;
    float largest = 0.0f;
    for (int c = t; c < columns; c += 128) largest = fmaxf(largest, fabsf(x[row * columns + c]));
    for (int s = 16; s > 0; s /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, s));
    if (t % 32 == 0) parts[t / 32] = largest;
    __syncthreads();
    largest = fmaxf(fmaxf(parts[0], parts[1]), fmaxf(parts[2], parts[3]));
    float scale = largest / 127.0f;
    if (t == 0) scales[row] = scale;
    for (int c = t; c < columns; c += 128) q[row * columns + c] = (signed char)rintf(x[row * columns + c] / scale);
}
