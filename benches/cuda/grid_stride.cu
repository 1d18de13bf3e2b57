// y = a * x + y, in a grid-stride loop.
extern "C" __global__ void grid_stride(float a, const float* __restrict__ x, float* __restrict__ y, size_t n) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        y[i] = a * x[i] + y[i];
    }
}
