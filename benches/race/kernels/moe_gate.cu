// The gate of a mixture of 64 experts: the two likeliest of each token, and their probabilities, by softmax over logits
// that are halves. A warp for each token.
#include <cuda_fp16.h>

// Takes the other pair if it is larger, or equal and of a lower number.
__device__ void take_better(float& value, int& expert, float other_value, int other_expert) {
    if (other_value > value || (other_value == value && other_expert < expert)) {
        value = other_value;
        expert = other_expert;
    }
}

__device__ void warp_best(float& value, int& expert) {
    for (int step = 16; step > 0; step /= 2) {
        float other_value = __shfl_xor_sync(0xffffffff, value, step);
        int other_expert = __shfl_xor_sync(0xffffffff, expert, step);
        take_better(value, expert, other_value, other_expert);
    }
}

extern "C" __global__ void moe_gate(int tokens, const __half* __restrict__ logits, int2* __restrict__ experts, float2* __restrict__ weights) {
    int token = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (token < tokens) {
        float low = __half2float(logits[64 * token + lane]);
        float high = __half2float(logits[64 * token + lane + 32]);
        float first = low;
        int first_expert = lane;
        take_better(first, first_expert, high, lane + 32);
        warp_best(first, first_expert);
        float total = expf(low - first) + expf(high - first);
        for (int step = 16; step > 0; step /= 2) {
            total += __shfl_xor_sync(0xffffffff, total, step);
        }
        if (first_expert == lane) {
            low = -INFINITY;
        }
        if (first_expert == lane + 32) {
            high = -INFINITY;
        }
        float second = low;
        int second_expert = lane;
        take_better(second, second_expert, high, lane + 32);
        warp_best(second, second_expert);
        if (lane == 0) {
            experts[token] = make_int2(first_expert, second_expert);
            weights[token] = make_float2(1.0f / total, expf(second - first) / total);
        }
    }
}
