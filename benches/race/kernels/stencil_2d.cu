// A step of Jacobi's iteration, a 5-point stencil on a square; the border stays.
extern "C" __global__ void stencil_2d(int n, const float* __restrict__ x, float* __restrict__ y) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column > 0 && column + 1 < n && row > 0 && row + 1 < n) {
        int i = row * n + column;
        y[i] = 0.25f * (x[i - 1] + x[i + 1] + x[i - n] + x[i + n]);
    }
}
