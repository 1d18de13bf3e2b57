// A depthwise convolution of 3x3 with a bias, of halves: each plane has weights of its own.
#include <cuda_fp16.h>

extern "C" __global__ void depthwise_f16(int width, int height, int planes, const __half* __restrict__ x, const __half* __restrict__ weights, const __half* __restrict__ biases, __half* __restrict__ y) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z * blockDim.z + threadIdx.z;
    if (column < width && row < height && plane < planes) {
        float sum = __half2float(biases[plane]);
        for (int dy = 0; dy < 3; dy++) {
            for (int dx = 0; dx < 3; dx++) {
                int below = row + dy - 1, right = column + dx - 1;
                if (below >= 0 && below < height && right >= 0 && right < width) {
                    __half value = x[(plane * height + below) * width + right];
                    sum += __half2float(weights[plane * 9 + dy * 3 + dx]) * __half2float(value);
                }
            }
        }
        y[(plane * height + row) * width + column] = __float2half(sum);
    }
}
