// A bilateral filter of 5x5 pixels: weights by distance and by difference.
extern "C" __global__ void bilateral(int width, int height, const float* __restrict__ image, float* __restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 2 && x + 2 < width && y >= 2 && y + 2 < height) {
        float centre = image[y * width + x];
        float sum = 0.0f, total = 0.0f;
        for (int dy = 0; dy < 5; dy++) {
            for (int dx = 0; dx < 5; dx++) {
                float value = image[(y + dy - 2) * width + x + dx - 2];
                float right = dx - 2.0f, down = dy - 2.0f;
                float away = value - centre;
                float weight = expf(-0.125f * (right * right + down * down) - 8.0f * away * away);
                sum += weight * value;
                total += weight;
            }
        }
        out[y * width + x] = sum / total;
    }
}
