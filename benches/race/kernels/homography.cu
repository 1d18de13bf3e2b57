// An image of four channels, warped by a homography with bilinear interpolation; black outside.
__device__ unsigned char blend(unsigned char a, unsigned char b, unsigned char c, unsigned char d, float dx, float dy) {
    float above = a + (b - a) * dx;
    float below = c + (d - c) * dx;
    return (unsigned char)(above + (below - above) * dy + 0.5f);
}

extern "C" __global__ void homography(int width, int height, const float* __restrict__ rows, const uchar4* __restrict__ image, uchar4* __restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    float w = rows[6] * x + rows[7] * y + rows[8];
    float from_x = (rows[0] * x + rows[1] * y + rows[2]) / w;
    float from_y = (rows[3] * x + rows[4] * y + rows[5]) / w;
    uchar4 color = make_uchar4(0, 0, 0, 255);
    if (!(from_x < 0.0f || from_y < 0.0f || from_x >= width - 1 || from_y >= height - 1)) {
        int left = (int)from_x, top = (int)from_y;
        float dx = from_x - truncf(from_x), dy = from_y - truncf(from_y);
        int first = top * width + left;
        uchar4 a = image[first], b = image[first + 1], c = image[first + width], d = image[first + width + 1];
        color.x = blend(a.x, b.x, c.x, d.x, dx, dy);
        color.y = blend(a.y, b.y, c.y, d.y, dx, dy);
        color.z = blend(a.z, b.z, c.z, d.z, dx, dy);
        color.w = blend(a.w, b.w, c.w, d.w, dx, dy);
    }
    out[y * width + x] = color;
}
