// A matrix times a vector in single precision, a warp for each row.
extern "C" __global__ void matvec(int rows, int columns, const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row < rows) {
        float sum = 0.0f;
        for (int column = lane; column < columns; column += 32) {
            sum += a[row * columns + column] * x[column];
        }
        for (int step = 16; step > 0; step /= 2) {
            sum += __shfl_xor_sync(0xffffffff, sum, step);
        }
        if (lane == 0) {
            y[row] = sum;
        }
    }
}
