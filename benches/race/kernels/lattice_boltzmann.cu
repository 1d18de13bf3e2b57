// A step of the lattice Boltzmann method on a periodic plane, nine directions, each in an array of its own.
__constant__ int DX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int DY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float WEIGHT[9] = {
    4.0f / 9.0f, 1.0f / 9.0f, 1.0f / 9.0f, 1.0f / 9.0f, 1.0f / 9.0f, 1.0f / 36.0f, 1.0f / 36.0f, 1.0f / 36.0f, 1.0f / 36.0f,
};

extern "C" __global__ void lattice_boltzmann(int width, int height, float omega, const float* __restrict__ from, float* __restrict__ to) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int cells = width * height;
        float f[9];
        float density = 0.0f, ux = 0.0f, uy = 0.0f;
        for (int k = 0; k < 9; k++) {
            int from_x = (x - DX[k] + width) % width;
            int from_y = (y - DY[k] + height) % height;
            f[k] = from[k * cells + from_y * width + from_x];
            density += f[k];
            ux += DX[k] * f[k];
            uy += DY[k] * f[k];
        }
        ux /= density;
        uy /= density;
        float square = 1.5f * (ux * ux + uy * uy);
        for (int k = 0; k < 9; k++) {
            float along = 3.0f * (DX[k] * ux + DY[k] * uy);
            float equilibrium = WEIGHT[k] * density * (1.0f + along + 0.5f * along * along - square);
            to[k * cells + y * width + x] = f[k] + omega * (equilibrium - f[k]);
        }
    }
}
