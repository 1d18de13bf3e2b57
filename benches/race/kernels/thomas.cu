// Thomas's algorithm for many tridiagonal systems in double precision, which are interleaved: a thread for each system.
extern "C" __global__ void thomas(int systems, int rows, const double* __restrict__ lower, const double* __restrict__ diagonal, const double* __restrict__ upper, const double* __restrict__ right, double* __restrict__ factors, double* __restrict__ x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < systems) {
        double factor = upper[i] / diagonal[i];
        double value = right[i] / diagonal[i];
        factors[i] = factor;
        x[i] = value;
        for (int row = 1; row < rows; row++) {
            int at = row * systems + i;
            double pivot = 1.0 / (diagonal[at] - lower[at] * factor);
            factor = upper[at] * pivot;
            value = (right[at] - lower[at] * value) * pivot;
            factors[at] = factor;
            x[at] = value;
        }
        for (int row = rows - 2; row >= 0; row--) {
            int at = row * systems + i;
            value = x[at] - factors[at] * value;
            x[at] = value;
        }
    }
}
