// The nearest point of each query in a balanced k-d tree, whose nodes are in the order of a heap. Each thread keeps a
// stack.
extern "C" __global__ void kdtree_nearest(int n, int query_count, const float* __restrict__ points, const float* __restrict__ queries, unsigned* __restrict__ places, float* __restrict__ distances) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= query_count) {
        return;
    }
    float query[3] = {queries[3 * i], queries[3 * i + 1], queries[3 * i + 2]};
    float best = INFINITY;
    int place = 0;
    // Nodes, and the squares of the distances of their halves of the space.
    int nodes[32];
    float at_least[32];
    nodes[0] = 0;
    at_least[0] = 0.0f;
    int size = 1;
    while (size > 0) {
        size--;
        int node = nodes[size];
        if (at_least[size] >= best) {
            continue;
        }
        float square = 0.0f;
        for (int k = 0; k < 3; k++) {
            float away = query[k] - points[3 * node + k];
            square += away * away;
        }
        if (square < best) {
            best = square;
            place = node;
        }
        int axis = (31 - __clz(node + 1)) % 3;
        float away = query[axis] - points[3 * node + axis];
        int near = away < 0.0f ? 2 * node + 1 : 2 * node + 2;
        int far = away < 0.0f ? 2 * node + 2 : 2 * node + 1;
        if (far < n) {
            nodes[size] = far;
            at_least[size] = away * away;
            size++;
        }
        if (near < n) {
            nodes[size] = near;
            at_least[size] = 0.0f;
            size++;
        }
    }
    places[i] = place;
    distances[i] = best;
}
