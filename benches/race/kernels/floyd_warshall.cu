// A step of Floyd and Warshall's shortest paths: all pairs by way of one vertex.
extern "C" __global__ void floyd_warshall(int n, int via, float* __restrict__ distances) {
    int to = blockIdx.x * blockDim.x + threadIdx.x;
    int from = blockIdx.y * blockDim.y + threadIdx.y;
    if (from < n && to < n) {
        float through = distances[from * n + via] + distances[via * n + to];
        if (through < distances[from * n + to]) {
            distances[from * n + to] = through;
        }
    }
}
