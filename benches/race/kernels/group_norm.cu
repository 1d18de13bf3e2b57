// Normalization of groups of channels of images, with mean and variance by Welford's method: a block for each group.
struct Moments {
    float count, mean, squares;
};

__device__ Moments merged(Moments a, Moments b) {
    if (b.count == 0.0f) {
        return a;
    }
    Moments sum;
    sum.count = a.count + b.count;
    float away = b.mean - a.mean;
    float share = b.count / sum.count;
    sum.mean = a.mean + away * share;
    sum.squares = a.squares + b.squares + away * away * a.count * share;
    return sum;
}

extern "C" __global__ void group_norm(int area, int channels, int groups, const float* __restrict__ x, const float* __restrict__ weights, const float* __restrict__ biases, float* __restrict__ y) {
    __shared__ Moments of_threads[256];
    int t = threadIdx.x;
    int group = blockIdx.x % groups;
    int size = channels / groups * area;
    int start = blockIdx.x * size;
    Moments own = {0.0f, 0.0f, 0.0f};
    for (int i = t; i < size; i += 256) {
        float value = x[start + i];
        own.count += 1.0f;
        float away = value - own.mean;
        own.mean += away / own.count;
        own.squares += away * (value - own.mean);
    }
    of_threads[t] = own;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) {
            of_threads[t] = merged(of_threads[t], of_threads[t + half]);
        }
        __syncthreads();
    }
    Moments all = of_threads[0];
    float scale = rsqrtf(all.squares / all.count + 1e-5f);
    for (int i = t; i < size; i += 256) {
        int channel = group * (channels / groups) + i / area;
        y[start + i] = (x[start + i] - all.mean) * scale * weights[channel] + biases[channel];
    }
}
