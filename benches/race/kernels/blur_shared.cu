// The convolution of `convolution_1d` over as many elements as a parameter says, which proves no index.
extern "C" __global__ void blur_shared(int n, const float* __restrict__ weights, const float* __restrict__ x, float* __restrict__ out) {
    __shared__ float tile[272];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t + 8] = i < n ? x[i] : 0.0f;
    if (t < 8) {
        tile[t] = i >= 8 && i - 8 < n ? x[i - 8] : 0.0f;
        tile[t + 264] = i + 256 < n ? x[i + 256] : 0.0f;
    }
    __syncthreads();
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k < 17; k++) sum += weights[k] * tile[t + k];
        out[i] = sum;
    }
}
