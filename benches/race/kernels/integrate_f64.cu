// Integrals in double precision: Simpson's rule with 64 pieces, one integral a thread.
extern "C" __global__ void integrate_f64(int n, const double* __restrict__ ends, double* __restrict__ integrals) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double width = ends[i] / 64.0;
        double sum = 0.0;
        for (int k = 0; k < 65; k++) {
            double x = k * width;
            double weight = k == 0 || k == 64 ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;
            sum += weight * exp(-x) * x * x;
        }
        integrals[i] = sum * width / 3.0;
    }
}
