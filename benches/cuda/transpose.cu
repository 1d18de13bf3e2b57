// y = x transposed, for square matrices of a multiple of 32, through a padded tile; 32x8 threads.
extern "C" __global__ void transpose(size_t n, const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float tile[32][33];
    size_t tx = threadIdx.x, ty = threadIdx.y;
    size_t column = blockIdx.x * 32 + tx, row = blockIdx.y * 32 + ty;
    for (size_t j = 0; j < 32; j += 8) {
        tile[ty + j][tx] = x[(row + j) * n + column];
    }
    __syncthreads();
    column = blockIdx.y * 32 + tx;
    row = blockIdx.x * 32 + ty;
    for (size_t j = 0; j < 32; j += 8) {
        y[(row + j) * n + column] = tile[tx][ty + j];
    }
}
