// A sparse matrix in compressed rows times a dense matrix of a few columns: a thread for each element of the product.
extern "C" __global__ void spmm_csr(int rows, int columns, const int* __restrict__ starts, const int* __restrict__ indices, const float* __restrict__ values, const float* __restrict__ dense, float* __restrict__ product) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < columns && row < rows) {
        float sum = 0.0f;
        int end = starts[row + 1];
        for (int k = starts[row]; k < end; k++) {
            sum += values[k] * dense[indices[k] * columns + column];
        }
        product[row * columns + column] = sum;
    }
}
