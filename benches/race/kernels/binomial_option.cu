// Prices of call options by a binomial tree, a block for each: a level of the tree is in shared memory, from the last
// one to the first.
struct Contract {
    float price;
    float strike;
    float years;
};

extern "C" __global__ void binomial_option(int steps, float rate, float volatility, const Contract* __restrict__ contracts, float* __restrict__ prices) {
    __shared__ float values[256];
    int t = threadIdx.x;
    Contract contract = contracts[blockIdx.x];
    float step_years = contract.years / steps;
    float jump = volatility * sqrtf(step_years);
    float growth = expf(rate * step_years);
    float up = expf(jump), down = expf(-jump);
    float rise = (growth - down) / (up - down);
    float fall = (1.0f - rise) / growth;
    rise = rise / growth;
    float leaf = contract.price * expf(jump * (2.0f * t - steps));
    values[t] = t <= steps ? fmaxf(leaf - contract.strike, 0.0f) : 0.0f;
    __syncthreads();
    for (int step = steps - 1; step >= 0; step--) {
        float value = 0.0f;
        if (t <= step) {
            value = rise * values[t + 1] + fall * values[t];
        }
        __syncthreads();
        if (t <= step) {
            values[t] = value;
        }
        __syncthreads();
    }
    if (t == 0) {
        prices[blockIdx.x] = values[0];
    }
}
