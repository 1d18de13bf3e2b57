// The last step of an adaptive equalization of histograms (CLAHE): each pixel interpolates between the tables of the four
// nearest tiles.
extern "C" __global__ void clahe_apply(int width, int height, int tiles_x, int tiles_y, const unsigned char* __restrict__ tables, const unsigned char* __restrict__ image, unsigned char* __restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int i = y * width + x;
        int value = image[i];
        // The place in units of tiles, from the centre of the first.
        float tx = (float)(x * tiles_x) / (float)width - 0.5f;
        float ty = (float)(y * tiles_y) / (float)height - 0.5f;
        float left = floorf(tx), top = floorf(ty);
        float fx = tx - left, fy = ty - top;
        int x0 = max((int)left, 0), y0 = max((int)top, 0);
        int x1 = min((int)left + 1, tiles_x - 1), y1 = min((int)top + 1, tiles_y - 1);
        float upper_left = tables[(y0 * tiles_x + x0) * 256 + value];
        float upper_right = tables[(y0 * tiles_x + x1) * 256 + value];
        float lower_left = tables[(y1 * tiles_x + x0) * 256 + value];
        float lower_right = tables[(y1 * tiles_x + x1) * 256 + value];
        float above = upper_left * (1.0f - fx) + upper_right * fx;
        float below = lower_left * (1.0f - fx) + lower_right * fx;
        out[i] = (unsigned char)(above * (1.0f - fy) + below * fy + 0.5f);
    }
}
