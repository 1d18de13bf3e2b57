// A step of a 7-point stencil on a cube; the border stays.
extern "C" __global__ void stencil_3d(int n, const float* __restrict__ x, float* __restrict__ y) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z * blockDim.z + threadIdx.z;
    if (column > 0 && column + 1 < n && row > 0 && row + 1 < n && plane > 0 && plane + 1 < n) {
        int i = (plane * n + row) * n + column;
        float around = x[i - 1] + x[i + 1] + x[i - n] + x[i + n] + x[i - n * n] + x[i + n * n];
        y[i] = 0.5f * x[i] + 0.125f * around;
    }
}
