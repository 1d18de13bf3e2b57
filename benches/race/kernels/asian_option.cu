// An Asian option by Monte Carlo: a path of 64 steps for each thread, with normal numbers from Philox and the transform
// of Box and Muller; each block sums its payoffs.

// Returns four random words (Philox 4x32 with ten rounds).
__device__ uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; round++) {
        unsigned high0 = __umulhi(0xd2511f53u, counter.x), low0 = 0xd2511f53u * counter.x;
        unsigned high1 = __umulhi(0xcd9e8d57u, counter.z), low1 = 0xcd9e8d57u * counter.z;
        counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return counter;
}

// Returns two normal numbers.
__device__ float2 normals(unsigned a, unsigned b) {
    float u = ((float)(a >> 8) + 0.5f) / 16777216.0f;
    float v = (float)(b >> 8) / 16777216.0f;
    float radius = sqrtf(-2.0f * logf(u));
    float s, c;
    sincosf(6.28318530717958647692f * v, &s, &c);
    return make_float2(radius * c, radius * s);
}

extern "C" __global__ void asian_option(float spot, float strike, float drift, float volatility, unsigned seed, float* __restrict__ sums) {
    __shared__ float parts[8];
    unsigned path = blockIdx.x * blockDim.x + threadIdx.x;
    float growth = 0.0f, total = 0.0f;
    for (unsigned k = 0; k < 16; k++) {
        uint4 words = philox(make_uint4(path, k, 0, 0), make_uint2(seed, 0));
        float2 first = normals(words.x, words.y), second = normals(words.z, words.w);
        growth += drift + volatility * first.x;
        total += expf(growth);
        growth += drift + volatility * first.y;
        total += expf(growth);
        growth += drift + volatility * second.x;
        total += expf(growth);
        growth += drift + volatility * second.y;
        total += expf(growth);
    }
    float payoff = fmaxf(spot * total / 64.0f - strike, 0.0f);
    for (int step = 16; step > 0; step /= 2) {
        payoff += __shfl_xor_sync(0xffffffff, payoff, step);
    }
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = payoff;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0.0f;
        for (int k = 0; k < 8; k++) {
            sum += parts[k];
        }
        sums[blockIdx.x] = sum;
    }
}
