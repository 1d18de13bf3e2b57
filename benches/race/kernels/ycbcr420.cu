// Pixels of red, green and blue to brightness at full size and two colour differences at half size: a thread for each
// square of 2x2 pixels.
extern "C" __global__ void ycbcr420(int width, int height, const uchar3* __restrict__ pixels, unsigned char* __restrict__ y_plane, unsigned char* __restrict__ cb_plane, unsigned char* __restrict__ cr_plane) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width / 2 || row >= height / 2) {
        return;
    }
    int r = 0, g = 0, b = 0;
    for (int y = 2 * row; y < 2 * row + 2; y++) {
        for (int x = 2 * column; x < 2 * column + 2; x++) {
            uchar3 pixel = pixels[y * width + x];
            y_plane[y * width + x] = ((66 * pixel.x + 129 * pixel.y + 25 * pixel.z + 128) >> 8) + 16;
            r += pixel.x;
            g += pixel.y;
            b += pixel.z;
        }
    }
    r = (r + 2) / 4;
    g = (g + 2) / 4;
    b = (b + 2) / 4;
    int at = row * (width / 2) + column;
    cb_plane[at] = ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128;
    cr_plane[at] = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128;
}
