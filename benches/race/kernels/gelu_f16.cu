// GELU of halves, by tanh in single precision.
#include <cuda_fp16.h>

__device__ float gelu(float x) {
    return 0.5f * x * (1.0f + tanhf(0.7978846f * (x + 0.044715f * x * x * x)));
}

extern "C" __global__ void gelu_f16(int n, const __half* __restrict__ x, __half* __restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = __float2half(gelu(__half2float(x[i])));
    }
}
