// The first step of Rodinia's SRAD: the differences to the neighbours of each pixel, and its coefficient of diffusion.
extern "C" __global__ void srad(int width, int height, float speckle, const float* __restrict__ image, float* __restrict__ north, float* __restrict__ south, float* __restrict__ west, float* __restrict__ east, float* __restrict__ coefficient) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int i = y * width + x;
        float here = image[i];
        float n = image[max(y - 1, 0) * width + x] - here;
        float s = image[min(y + 1, height - 1) * width + x] - here;
        float w = image[y * width + max(x - 1, 0)] - here;
        float e = image[y * width + min(x + 1, width - 1)] - here;
        float gradient = (n * n + s * s + w * w + e * e) / (here * here);
        float laplacian = (n + s + w + e) / here;
        float numerator = 0.5f * gradient - (1.0f / 16.0f) * (laplacian * laplacian);
        float denominator = 1.0f + 0.25f * laplacian;
        float variation = numerator / (denominator * denominator);
        float excess = (variation - speckle) / (speckle * (1.0f + speckle));
        north[i] = n;
        south[i] = s;
        west[i] = w;
        east[i] = e;
        coefficient[i] = fminf(fmaxf(1.0f / (1.0f + excess), 0.0f), 1.0f);
    }
}
