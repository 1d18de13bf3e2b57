// A matrix of bytes times a vector of bytes, a warp for each row.
extern "C" __global__ void matvec_i8(int rows, int columns, const signed char* __restrict__ weights, const signed char* __restrict__ x, int* __restrict__ out) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row < rows) {
        int sum = 0;
        for (int column = lane; column < columns; column += 32) {
            sum += weights[row * columns + column] * x[column];
        }
        for (int step = 16; step > 0; step /= 2) {
            sum += __shfl_xor_sync(0xffffffff, sum, step);
        }
        if (lane == 0) {
            out[row] = sum;
        }
    }
}
