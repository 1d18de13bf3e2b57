// The four nearest points to each query, by comparison with all points.
extern "C" __global__ void knn_brute(int n, int count, const float (*__restrict__ points)[3], const float (*__restrict__ queries)[3], unsigned (*__restrict__ places)[4], float (*__restrict__ distances)[4]) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float query[3] = {queries[i][0], queries[i][1], queries[i][2]};
        float nearest[4] = {1e30f, 1e30f, 1e30f, 1e30f};
        unsigned found[4] = {0, 0, 0, 0};
        for (int j = 0; j < count; j++) {
            float distance = 0.0f;
            for (int k = 0; k < 3; k++) {
                float away = points[j][k] - query[k];
                distance += away * away;
            }
            if (distance < nearest[3]) {
                int k = 3;
                while (k > 0 && distance < nearest[k - 1]) {
                    nearest[k] = nearest[k - 1];
                    found[k] = found[k - 1];
                    k--;
                }
                nearest[k] = distance;
                found[k] = j;
            }
        }
        for (int k = 0; k < 4; k++) {
            places[i][k] = found[k];
            distances[i][k] = nearest[k];
        }
    }
}
