// Half a sweep of Metropolis's algorithm for the Ising model: the black or white cells of a periodic board, whose columns
// are stored by color, one cell a thread.
__device__ unsigned pcg(unsigned number) {
    unsigned state = number * 747796405u + 2891336453u;
    unsigned word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return (word >> 22) ^ word;
}

extern "C" __global__ void ising(int columns, int rows, int color, unsigned seed, const unsigned* __restrict__ thresholds, const signed char* __restrict__ others, signed char* __restrict__ spins) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < columns && row < rows) {
        int above = row == 0 ? rows - 1 : row - 1;
        int below = row + 1 == rows ? 0 : row + 1;
        int beside;
        if ((row + color) % 2 == 0) {
            beside = column == 0 ? columns - 1 : column - 1;
        } else {
            beside = column + 1 == columns ? 0 : column + 1;
        }
        int sum = others[above * columns + column] + others[row * columns + column] + others[below * columns + column] + others[row * columns + beside];
        int i = row * columns + column;
        int spin = spins[i];
        int aligned = (sum * spin + 4) / 2;
        if (pcg(i ^ seed) < thresholds[aligned]) {
            spins[i] = -spin;
        }
    }
}
