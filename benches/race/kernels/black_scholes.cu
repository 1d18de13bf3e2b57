// Black-Scholes: the values of European calls and puts.
__device__ float normal(float x) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    float polynomial = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * x * x) * polynomial;
    return x > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(int n, float rate, float volatility, const float* __restrict__ spot, const float* __restrict__ strike, const float* __restrict__ years, float* __restrict__ call, float* __restrict__ put) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = spot[i], x = strike[i], t = years[i];
        float spread = volatility * sqrtf(t);
        float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
        float d2 = d1 - spread;
        float discounted = x * expf(-rate * t);
        float value = s * normal(d1) - discounted * normal(d2);
        call[i] = value;
        put[i] = value + discounted - s;
    }
}
