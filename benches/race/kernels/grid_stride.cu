// y = a x + y in a grid-stride loop.
extern "C" __global__ void grid_stride(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        y[i] = a * x[i] + y[i];
    }
}
