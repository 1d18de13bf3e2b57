// y = a * x + y, one element a thread.
extern "C" __global__ void saxpy(float a, const float* __restrict__ x, float* __restrict__ y, size_t n) {
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}
