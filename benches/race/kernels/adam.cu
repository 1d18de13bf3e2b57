// A step of Adam with decoupled weight decay.
extern "C" __global__ void adam(int n, float rate, float beta1, float beta2, float decay, unsigned step, const float* __restrict__ gradients, float* __restrict__ means, float* __restrict__ squares, float* __restrict__ weights) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float gradient = gradients[i];
        float mean = beta1 * means[i] + (1.0f - beta1) * gradient;
        float square = beta2 * squares[i] + (1.0f - beta2) * gradient * gradient;
        means[i] = mean;
        squares[i] = square;
        mean = mean / (1.0f - powf(beta1, (float)step));
        square = square / (1.0f - powf(beta2, (float)step));
        float weight = weights[i];
        weights[i] = weight - rate * (mean / (sqrtf(square) + 1e-8f) + decay * weight);
    }
}
