// A sparse matrix in compressed rows times a vector, a warp for each row.
extern "C" __global__ void spmv(int rows, const int* __restrict__ starts, const int* __restrict__ columns, const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row < rows) {
        int start = starts[row], end = starts[row + 1];
        float sum = 0.0f;
        for (int i = start + lane; i < end; i += 32) {
            sum += values[i] * x[columns[i]];
        }
        for (int step = 16; step > 0; step /= 2) {
            sum += __shfl_xor_sync(0xffffffff, sum, step);
        }
        if (lane == 0) {
            y[row] = sum;
        }
    }
}
