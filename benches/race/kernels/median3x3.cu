// The median of each pixel's neighbourhood of 3x3, whose pixels at the border are repeated.
extern "C" __global__ void median3x3(int width, int height, const unsigned char* __restrict__ image, unsigned char* __restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        unsigned char window[9];
        for (int dy = 0; dy < 3; dy++) {
            for (int dx = 0; dx < 3; dx++) {
                int row = min(max(y + dy - 1, 0), height - 1);
                int column = min(max(x + dx - 1, 0), width - 1);
                window[dy * 3 + dx] = image[row * width + column];
            }
        }
        // The five smallest, in order.
        for (int i = 0; i < 5; i++) {
            for (int j = i + 1; j < 9; j++) {
                if (window[j] < window[i]) {
                    unsigned char swapped = window[i];
                    window[i] = window[j];
                    window[j] = swapped;
                }
            }
        }
        out[y * width + x] = window[4];
    }
}
