// A damped Jacobi step for Poisson's equation in three dimensions, in double precision, and the sum of the squares of the
// residuals of each block.
extern "C" __global__ void jacobi_residual(int width, int height, int depth, const double* __restrict__ u, const double* __restrict__ source, double* __restrict__ next, double* __restrict__ sums) {
    __shared__ double parts[8];
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    double residual = 0.0;
    if (x < width && y < height && z < depth) {
        int layer = width * height;
        int i = z * layer + y * width + x;
        double own = u[i];
        if (x > 0 && x + 1 < width && y > 0 && y + 1 < height && z > 0 && z + 1 < depth) {
            double around = u[i - 1] + u[i + 1] + u[i - width] + u[i + width] + u[i - layer] + u[i + layer];
            residual = source[i] - (6.0 * own - around);
        }
        next[i] = own + 0.8 / 6.0 * residual;
    }
    double sum = residual * residual;
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    }
    int rank = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (rank % 32 == 0) {
        parts[rank / 32] = sum;
    }
    __syncthreads();
    if (rank == 0) {
        sum = 0.0;
        for (int k = 0; k < 8; k++) {
            sum += parts[k];
        }
        sums[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = sum;
    }
}
