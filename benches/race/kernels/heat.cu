// A step of the heat equation, whose neighbours at the border are the cell itself.
extern "C" __global__ void heat(int width, int height, double dt, const double* __restrict__ k, const double* __restrict__ u, double* __restrict__ next) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int i = y * width + x;
    double left = x > 0 ? u[i - 1] : u[i];
    double right = x + 1 < width ? u[i + 1] : u[i];
    double up = y > 0 ? u[i - width] : u[i];
    double down = y + 1 < height ? u[i + width] : u[i];
    next[i] = u[i] + dt * k[i] * (left + right + up + down - 4.0 * u[i]);
}
