// The assignment step of k-means: the nearest of the centres to each point of eight coordinates.
extern "C" __global__ void kmeans(int n, int k, const float* __restrict__ points, const float* __restrict__ centres, unsigned* __restrict__ nearest) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int best = 0;
        float least = INFINITY;
        for (int c = 0; c < k; c++) {
            float distance = 0.0f;
            for (int d = 0; d < 8; d++) {
                float away = points[8 * i + d] - centres[8 * c + d];
                distance += away * away;
            }
            if (distance < least) {
                least = distance;
                best = c;
            }
        }
        nearest[i] = best;
    }
}
