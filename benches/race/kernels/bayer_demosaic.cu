// The colours of a sensor with a Bayer pattern, of 16 bits: those that a pixel lacks are means of its neighbours, which
// are mirrored at the border.
extern "C" __global__ void bayer_demosaic(int width, int height, const unsigned short* __restrict__ raw, unsigned short* __restrict__ rgb) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int left = x > 0 ? x - 1 : x + 1;
        int right = x + 1 < width ? x + 1 : x - 1;
        int above = y > 0 ? y - 1 : y + 1;
        int below = y + 1 < height ? y + 1 : y - 1;
        auto at = [=](int x, int y) { return (unsigned)raw[y * width + x]; };
        unsigned own = at(x, y);
        unsigned beside = (at(left, y) + at(right, y)) / 2;
        unsigned over = (at(x, above) + at(x, below)) / 2;
        unsigned cross = (at(left, y) + at(right, y) + at(x, above) + at(x, below)) / 4;
        unsigned corners = (at(left, above) + at(right, above) + at(left, below) + at(right, below)) / 4;
        unsigned red, green, blue;
        if (y % 2 == 0 && x % 2 == 0) {
            red = own, green = cross, blue = corners;
        } else if (y % 2 == 0) {
            red = beside, green = own, blue = over;
        } else if (x % 2 == 0) {
            red = over, green = own, blue = beside;
        } else {
            red = corners, green = cross, blue = own;
        }
        int i = 3 * (y * width + x);
        rgb[i] = red;
        rgb[i + 1] = green;
        rgb[i + 2] = blue;
    }
}
