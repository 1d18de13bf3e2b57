// A merge of two sorted lists: each thread finds its part of the path through both by binary search and merges eight
// numbers.
extern "C" __global__ void merge_path(int a_len, int b_len, const unsigned* __restrict__ a, const unsigned* __restrict__ b, unsigned* __restrict__ out) {
    int start = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    int n = a_len + b_len;
    if (start < n) {
        int low = max(start - b_len, 0), high = min(start, a_len);
        while (low < high) {
            int middle = (low + high) / 2;
            if (a[middle] <= b[start - 1 - middle]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        int i = low, j = start - low;
        int end = min(start + 8, n);
        for (int k = start; k < end; k++) {
            if (j >= b_len || (i < a_len && a[i] <= b[j])) {
                out[k] = a[i];
                i++;
            } else {
                out[k] = b[j];
                j++;
            }
        }
    }
}
