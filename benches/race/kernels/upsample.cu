// An image at twice the size, with bilinear filtering.
extern "C" __global__ void upsample(int width, int height, const float* __restrict__ x, float* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    int w = 2 * width, h = 2 * height;
    if (i < w && j < h) {
        float u = fminf(i * 0.5f, width - 1), v = fminf(j * 0.5f, height - 1);
        int x0 = u, y0 = v, x1 = min(x0 + 1, width - 1), y1 = min(y0 + 1, height - 1);
        float fx = u - x0, fy = v - y0;
        float top = x[y0 * width + x0] * (1.0f - fx) + x[y0 * width + x1] * fx;
        float bottom = x[y1 * width + x0] * (1.0f - fx) + x[y1 * width + x1] * fx;
        out[j * w + i] = top * (1.0f - fy) + bottom * fy;
    }
}
