// A transposition through a padded tile of shared memory, four rows a thread.
extern "C" __global__ void transpose(int width, int height, const float* __restrict__ x, float* __restrict__ y) {
    __shared__ float tile[32][33];
    int tx = threadIdx.x, ty = threadIdx.y;
    int column = blockIdx.x * 32 + tx;
    for (int k = 0; k < 32; k += 8) {
        int row = blockIdx.y * 32 + ty + k;
        if (column < width && row < height) {
            tile[ty + k][tx] = x[row * width + column];
        }
    }
    __syncthreads();
    column = blockIdx.y * 32 + tx;
    for (int k = 0; k < 32; k += 8) {
        int row = blockIdx.x * 32 + ty + k;
        if (column < height && row < width) {
            y[row * height + column] = tile[tx][ty + k];
        }
    }
}
