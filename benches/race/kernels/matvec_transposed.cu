// A transposed matrix times a vector, a thread for each column: few threads, and long loops.
extern "C" __global__ void matvec_transposed(int rows, int columns, const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < columns) {
        float sum = 0.0f;
        for (int i = 0; i < rows; i++) sum += a[i * columns + j] * x[i];
        y[j] = sum;
    }
}
