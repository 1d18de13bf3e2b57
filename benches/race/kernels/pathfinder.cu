// Rodinia's pathfinder: several rows of a dynamic program for the cheapest path through a grid. Blocks overlap by a column on each side for each row.
extern "C" __global__ void pathfinder(int columns, int rows, const int* __restrict__ wall, const int* __restrict__ from, int* __restrict__ to) {
    __shared__ int before[256];
    __shared__ int after[256];
    int t = threadIdx.x;
    int column = (int)blockIdx.x * (256 - 2 * rows) + t - rows;
    bool is_column = column >= 0 && column < columns;
    before[t] = is_column ? from[column] : 0x7fffffff;
    __syncthreads();
    for (int row = 0; row < rows; row++) {
        after[t] = 0x7fffffff;
        if (is_column && t > row && t + row < 255) {
            int least = min(min(before[t - 1], before[t]), before[t + 1]);
            after[t] = least + wall[row * columns + column];
        }
        __syncthreads();
        before[t] = after[t];
        __syncthreads();
    }
    if (is_column && t >= rows && t + rows < 256) {
        to[column] = before[t];
    }
}
