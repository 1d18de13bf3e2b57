// GELU of brain floats, by tanh in single precision.
#include <cuda_bf16.h>

__device__ float gelu(float x) {
    return 0.5f * x * (1.0f + tanhf(0.7978846f * (x + 0.044715f * x * x * x)));
}

extern "C" __global__ void gelu_bf16(int n, const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = __float2bfloat16(gelu(__bfloat162float(x[i])));
    }
}
