// Filtered back-projection of a computed tomography: each pixel adds up the projections of all angles, interpolated
// between detectors.
extern "C" __global__ void backproject(int side, int detectors, int angles, const float2* __restrict__ directions, const float* __restrict__ sinogram, float* __restrict__ image) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < side && row < side) {
        float x = column - 0.5f * side;
        float y = row - 0.5f * side;
        float centre = 0.5f * detectors;
        float sum = 0.0f;
        for (int angle = 0; angle < angles; angle++) {
            float2 direction = directions[angle];
            const float* projection = sinogram + angle * detectors;
            float place = x * direction.x + y * direction.y + centre;
            float left = floorf(place);
            float weight = place - left;
            int k = (int)left;
            if (left >= 0.0f && k + 1 < detectors) {
                sum += projection[k] * (1.0f - weight) + projection[k + 1] * weight;
            }
        }
        image[row * side + column] = sum;
    }
}
