// Pixels of red, green, blue and alpha to brightness.
extern "C" __global__ void gray(int n, const uchar4* __restrict__ pixels, unsigned char* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uchar4 pixel = pixels[i];
        float brightness = 0.299f * pixel.x + 0.587f * pixel.y + 0.114f * pixel.z;
        out[i] = (unsigned char)brightness;
    }
}
