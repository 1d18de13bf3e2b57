// Fourier transforms of 1024 points, radix 2 in shared memory, a block for each.
extern "C" __global__ void fft(const float2* __restrict__ twiddles, const float2* __restrict__ x, float2* __restrict__ y) {
    __shared__ float2 tile[1024];
    int t = threadIdx.x;
    int first = blockIdx.x * 1024;
    for (int k = t; k < 1024; k += 512) {
        tile[__brev(k) >> 22] = x[first + k];
    }
    __syncthreads();
    for (int half = 1; half < 1024; half *= 2) {
        int k = t % half;
        int low = t / half * (2 * half) + k;
        float2 w = twiddles[k * (512 / half)];
        float2 a = tile[low], b = tile[low + half];
        float2 turned = make_float2(w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x);
        tile[low] = make_float2(a.x + turned.x, a.y + turned.y);
        tile[low + half] = make_float2(a.x - turned.x, a.y - turned.y);
        __syncthreads();
    }
    y[first + t] = tile[t];
    y[first + t + 512] = tile[t + 512];
}
