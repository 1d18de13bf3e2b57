// Smith and Waterman's alignment scores of pairs of sequences: a block for each pair, a thread for each letter of
// the first, which walks along the second by anti-diagonals.
extern "C" __global__ void smith_waterman(int length, const unsigned char* __restrict__ first, const unsigned char* __restrict__ second, int* __restrict__ scores) {
    // Three anti-diagonals, with a column of zeros on the left.
    __shared__ int diagonals[3][129];
    __shared__ int best_of[128];
    int t = threadIdx.x;
    int pair = blockIdx.x;
    unsigned char letter = first[pair * 128 + t];
    for (int k = 0; k < 3; k++) {
        diagonals[k][t + 1] = 0;
        if (t == 0) {
            diagonals[k][0] = 0;
        }
    }
    int best = 0;
    __syncthreads();
    for (int step = 0; step < length + 127; step++) {
        int now = step % 3, before = (step + 2) % 3, two_before = (step + 1) % 3;
        int score = 0;
        if (step >= t && step - t < length) {
            bool same = second[pair * length + step - t] == letter;
            int matched = diagonals[two_before][t] + (same ? 2 : -1);
            int gap = max(diagonals[before][t], diagonals[before][t + 1]) - 1;
            score = max(max(matched, gap), 0);
            best = max(best, score);
        }
        diagonals[now][t + 1] = score;
        __syncthreads();
    }
    best_of[t] = best;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) {
            best_of[t] = max(best_of[t], best_of[t + half]);
        }
        __syncthreads();
    }
    if (t == 0) {
        scores[pair] = best_of[0];
    }
}
