//! Tiles, and what blocks of declared shapes do with them.
use warpwise::prelude::*;

#[device]
const TILE: usize = 16;

#[kernel(block = (16, 16), requires(n % 16 == 0, grid_dim_x() * 16 == n, grid_dim_y() * 16 == n,
    n * n <= a.len(), n * n <= b.len(), n * n <= c.len()))]
fn product_of_whole_tiles(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (left, right) = (shared!([[f32; 16]; 16]), shared!([[f32; 16]; 16]));
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let row = block_idx_y() * 16 + ty;
    let col = block_idx_x() * 16 + tx;
    let mut sum = 0.0;
    for t in 0..n / 16 {
        left[ty][tx] = a[row * n + t * 16 + tx];
        right[ty][tx] = b[(t * 16 + ty) * n + col];
        sync_threads();
        for k in 0..16 {
            sum += left[ty][k] * right[k][tx];
        }
        sync_threads();
    }
    c[row * n + col] = sum;
}

#[kernel(block = (16, 16), requires(n % 16 == 0, n >= 16 * grid_dim_x(), n >= 16 * grid_dim_y(),
    a.len() >= n * n, b.len() >= n * n, c.len() >= n * n))]
fn product_of_global_indices(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (left, right) = (shared!([[f32; 16]; 16]), shared!([[f32; 16]; 16]));
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (col, row) = (global_idx_x(), global_idx_y());
    let mut sum = 0.0;
    for tile in (0..n).step_by(16) {
        left[ty][tx] = a[row * n + tile + tx];
        right[ty][tx] = b[(tile + ty) * n + col];
        sync_threads();
        for k in 0..16 {
            sum += left[ty][k] * right[k][tx];
        }
        sync_threads();
    }
    c[row * n + col] = sum;
}

#[kernel(block = (16, 16), requires(n % 16 == 0, n >= 16 * grid_dim_x(), n >= 16 * grid_dim_y(),
    a.len() >= n * n, b.len() >= n * n, c.len() >= n * n))]
fn product_in_a_while(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (left, right) = (shared!([[f32; 16]; 16]), shared!([[f32; 16]; 16]));
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (col, row) = (global_idx_x(), global_idx_y());
    let mut sum = 0.0;
    let mut t = 0;
    while t < n / TILE {
        left[ty][tx] = a[row * n + (t * TILE + tx)];
        right[ty][tx] = b[(t * TILE + ty) * n + col];
        sync_threads();
        for k in 0..TILE {
            sum += left[ty][k] * right[k][tx];
        }
        sync_threads();
        t += 1;
    }
    c[row * n + col] = sum;
}

#[kernel(block = (16, 16), requires(m % 16 == 0, n % 16 == 0, k % 16 == 0,
    m >= 16 * grid_dim_y(), n >= 16 * grid_dim_x(),
    a.len() >= m * k, b.len() >= k * n, c.len() >= m * n))]
fn rectangular_product(m: usize, n: usize, k: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (left, right) = (shared!([[f32; 16]; 16]), shared!([[f32; 16]; 16]));
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let row = block_idx_y() * 16 + ty;
    let col = block_idx_x() * 16 + tx;
    let mut sum = 0.0;
    for t in 0..k / 16 {
        left[ty][tx] = a[row * k + t * 16 + tx];
        right[ty][tx] = b[(t * 16 + ty) * n + col];
        sync_threads();
        for q in 0..16 {
            sum += left[ty][q] * right[q][tx];
        }
        sync_threads();
    }
    c[row * n + col] = sum;
}

#[kernel(block = (16, 16), requires(m % 16 == 0, n % 16 == 0, k % 16 == 0,
    m >= 16 * grid_dim_y(), n >= 16 * grid_dim_x(),
    a.len() >= m * k, b.len() >= k * n, c.len() >= m * n))]
fn rectangular_product_of_other_strides(
    m: usize,
    n: usize,
    k: usize,
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
) {
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let row = block_idx_y() * 16 + ty;
    let col = block_idx_x() * 16 + tx;
    let mut sum = 0.0;
    for t in 0..k / 16 {
        sum += a[row * k + t * 16 + tx];
        sum += b[(t * 16 + ty) * k + col]; //~ stays
    }
    c[row * m + col] = sum; //~ stays
}

#[kernel(block = (16, 16), requires(n % 16 == 0, n >= 16 * grid_dim_x(), n >= 16 * grid_dim_y(),
    a.len() >= n * n))]
fn one_tile_too_many(n: usize, a: &[f32], c: &mut [f32]) {
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let row = block_idx_y() * 16 + ty;
    let mut sum = 0.0;
    for t in 0..n / 16 + 1 {
        sum += a[row * n + t * 16 + tx]; //~ stays
    }
    if row * n + tx < c.len() {
        c[row * n + tx] = sum;
    }
}

#[kernel(block = (16, 16), requires(a.len() >= m as usize * k as usize,
    b.len() >= k as usize * n as usize, c.len() >= m as usize * n as usize))]
fn guarded_rectangular_product(m: u32, n: u32, k: u32, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (m, n, k) = (m as usize, n as usize, k as usize);
    let (left, right) = (shared!([[f32; 16]; 16]), shared!([[f32; 16]; 16]));
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (col, row) = (global_idx_x(), global_idx_y());
    let mut sum = 0.0;
    for t in 0..(k + 15) / 16 {
        let (x, y) = (t * 16 + tx, t * 16 + ty);
        left[ty][tx] = if row < m && x < k { a[row * k + x] } else { 0.0 };
        right[ty][tx] = if y < k && col < n { b[y * n + col] } else { 0.0 };
        sync_threads();
        for q in 0..16 {
            sum += left[ty][q] * right[q][tx];
        }
        sync_threads();
    }
    if row < m && col < n {
        c[row * n + col] = sum;
    }
}

#[kernel(block = (32, 8), requires(n == 32 * grid_dim_x(), n == 32 * grid_dim_y(),
    n * n <= x.len(), n * n <= y.len()))]
fn padded_transpose(n: usize, x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 33]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (bx, by) = (block_idx_x() * 32, block_idx_y() * 32);
    for j in (0..32).step_by(8) {
        tile[ty + j][tx] = x[(by + ty + j) * n + bx + tx];
    }
    sync_threads();
    for j in (0..32).step_by(8) {
        y[(bx + ty + j) * n + by + tx] = tile[tx][ty + j];
    }
}

#[kernel(block = (32, 8), requires(w == 32 * grid_dim_x(), h == 32 * grid_dim_y(),
    w * h <= x.len(), w * h <= y.len()))]
fn padded_transpose_of_a_rectangle(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 33]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let col = block_idx_x() * 32 + tx;
    let row = block_idx_y() * 32 + ty;
    for j in 0..4 {
        tile[ty + j * 8][tx] = x[(row + j * 8) * w + col];
    }
    sync_threads();
    let col = block_idx_y() * 32 + tx;
    let row = block_idx_x() * 32 + ty;
    for j in 0..4 {
        y[(row + j * 8) * h + col] = tile[tx][ty + j * 8];
    }
}

#[allow(gpu_correctness)]
#[kernel(block = (32, 8), requires(w == 32 * grid_dim_x(), h == 32 * grid_dim_y(),
    w * h <= x.len(), w * h <= y.len()))]
fn transpose_with_the_wrong_pitch(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let col = block_idx_x() * 32 + tx;
    let row = block_idx_y() * 32 + ty;
    for j in 0..4 {
        y[(col + j * 8) * h + row] = x[(row + j * 8) * w + col]; //~ stays
    }
}

#[kernel(block = (32, 8), requires(w * h <= x.len(), w * h <= y.len()))]
fn guarded_transpose(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 33]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (bx, by) = (block_idx_x() * 32, block_idx_y() * 32);
    for j in (0..32).step_by(8) {
        if bx + tx < w && by + ty + j < h {
            tile[ty + j][tx] = x[(by + ty + j) * w + bx + tx];
        }
    }
    sync_threads();
    for j in (0..32).step_by(8) {
        if by + tx < h && bx + ty + j < w {
            y[(bx + ty + j) * h + by + tx] = tile[tx][ty + j];
        }
    }
}

#[kernel(block = 256, requires(d >= 1, d < 256))]
fn butterfly(d: usize, x: &mut [f32]) {
    let s = shared!([f32; 512]);
    let t = thread_idx_x();
    let i = 2 * t - (t & (d - 1));
    s[i] = 1.0;
    s[2 * t - (t & (d - 1)) + d] = 2.0; //~ stays
    sync_threads();
    if t < x.len() {
        x[t] = s[t] + s[t + 256];
    }
}

#[kernel(block = 256)]
#[allow(gpu_uninit_shared_reads, reason = "the indices are what this is about")]
fn butterfly_of_a_power(x: &mut [f32]) {
    let s = shared!([f32; 512]);
    let t = thread_idx_x();
    let mut d = 1;
    while d <= 256 {
        let low = 2 * t - (t & (d - 1));
        let (a, b) = (s[low], s[low + d]);
        s[low] = a + b;
        s[low + d] = a - b;
        sync_threads();
        d *= 2;
    }
    if t < x.len() {
        x[t] = s[t];
    }
}

#[kernel(requires(x.len() >= 2 * n, d >= 1, d <= n))]
fn butterfly_of_a_distance(n: usize, d: usize, x: &mut [f32]) {
    let t = global_idx_x();
    if t + d <= n && t < n {
        let low = 2 * t - (t & (d - 1));
        x[low] += 1.0;
        x[low + d] += 1.0;
    }
}

#[kernel(requires(d >= 1, d <= n, x.len() == 2 * n))]
fn butterfly_guarded(n: usize, d: usize, x: &mut [f32]) {
    let t = global_idx_x();
    let low = 2 * t - (t & (d - 1));
    if low + d < 2 * n {
        let (a, b) = (x[low], x[low + d]);
        x[low] = a + b;
        x[low + d] = a - b;
    }
}

#[kernel(block = 512)]
fn bitonic_sort(x: &mut [u32]) {
    let (s, t) = (shared!([u32; 1024]), thread_idx_x());
    s[t] = 1;
    s[t + 512] = 2;
    let mut k = 2;
    while k <= 1024 {
        let mut j = k / 2;
        while j > 0 {
            sync_threads();
            let low = 2 * t - (t & (j - 1));
            if (s[low] > s[low + j]) == ((low & k) == 0) {
                s.swap(low, low + j);
            }
            j /= 2;
        }
        k *= 2;
    }
    sync_threads();
    if t < x.len() {
        x[t] = s[t];
    }
}

#[kernel(block = 512)]
#[allow(gpu_correctness, reason = "the indices are what this is about")]
fn bitonic_sort_of_too_much(x: &mut [u32]) {
    let (s, t) = (shared!([u32; 1024]), thread_idx_x());
    let mut k = 2;
    while k <= 2048 {
        let mut j = k / 2;
        while j > 0 {
            let low = 2 * t - (t & (j - 1));
            s[low + j] = 1; //~ stays
            j /= 2;
        }
        k *= 2;
    }
    x[t] = s[t]; //~ stays
}

#[kernel(block = 1024)]
fn bitonic_sort_by_exchange(x: &mut [u32]) {
    let (s, t) = (shared!([u32; 1024]), thread_idx_x());
    s[t] = 1;
    let mut k = 2;
    while k <= 1024 {
        let mut j = k >> 1;
        while j >= 1 {
            sync_threads();
            let other = t ^ j;
            if other > t && (s[t] > s[other]) == (t & k == 0) {
                s.swap(t, other);
            }
            j >>= 1;
        }
        k <<= 1;
    }
    sync_threads();
    if t < x.len() {
        x[t] = s[t];
    }
}

#[kernel(block = 512)]
#[allow(gpu_correctness, reason = "the indices are what this is about")]
fn butterflies_by_quotients(x: &mut [u32]) {
    let (s, t) = (shared!([u32; 1024]), thread_idx_x());
    let mut j = 512;
    while j > 0 {
        let low = 2 * j * (t / j) + t % j;
        s[low] = 1;
        s[low + j] = 2;
        s[low + j + 1] = 3; //~ stays
        sync_threads();
        j /= 2;
    }
    x[t] = s[t]; //~ stays
}

#[kernel(block = 512)]
#[allow(gpu_correctness, reason = "the indices are what this is about")]
fn butterflies_by_shifts(x: &mut [u32]) {
    let (s, t) = (shared!([u32; 1024]), thread_idx_x());
    for stage in 1..=10 {
        for step in (0..stage).rev() {
            let j = 1 << step;
            let low = 2 * t - (t & (j - 1));
            s[low + j] = s[low];
            sync_threads();
        }
    }
    x[t] = s[t]; //~ stays
}

#[kernel(block = 128)]
fn masks_of_tiles(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 128]);
    let t = thread_idx_x();
    let i = global_idx_x();
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut v = s[t ^ 1] + s[t & 96] + s[(t & 31) * 4] + s[(t + 64) % 128] + s[127 - t];
    v += s[t | 31] + s[(t >> 5) * 32 + (t & 31)] + s[(t + 1) & 127];
    if i < y.len() {
        y[i] = v;
    }
}

#[allow(gpu_correctness)]
#[kernel(block = 128)]
fn masks_that_are_too_wide(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 128]);
    let t = thread_idx_x();
    s[t] = t as f32;
    sync_threads();
    let mut v = s[(t + 1) & 255]; //~ stays
    v += s[(t & 31) * 4 + 4]; //~ stays
    if t < x.len() {
        v += s[t ^ 128]; //~ stays
    } else {
        v += s[t | 128]; //~ stays
    }
    if t < y.len() && t < x.len() {
        y[t] = v + x[t];
    }
}

#[kernel(block = (16, 16))]
fn halo(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    let s = shared!([[f32; 18]; 18]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    for j in (ty..18).step_by(16) {
        for i in (tx..18).step_by(16) {
            s[j][i] = 0.0;
        }
    }
    sync_threads();
    let (c, r) = (global_idx_x(), global_idx_y());
    if c < w && r < h && r * w + c < y.len() && x.len() >= y.len() {
        y[r * w + c] = x[r * w + c] + s[ty + 1][tx + 2] + s[ty + 2][tx + 1] + s[ty][tx];
    }
}

#[kernel(block = 256)]
fn reduction(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 256]);
    let t = thread_idx_x();
    let i = global_idx_x();
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut half = 128;
    while half > 0 {
        if t < half {
            s[t] += s[t + half];
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = s[0];
    }
}

#[kernel(block = 256)]
fn reduction_with_shifts(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 256]);
    let t = thread_idx_x();
    let i = global_idx_x();
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut half = block_dim_x() >> 1;
    while half >= 1 {
        if t < half {
            s[t] += s[t + half];
        }
        sync_threads();
        half >>= 1;
    }
    let mut stride = 1;
    while stride < 256 {
        let at = 2 * stride * t;
        if at + stride < 256 {
            s[at] += s[at + stride];
        }
        sync_threads();
        stride *= 2;
    }
    if t == 0 && block_idx_x() < y.len() {
        y[block_idx_x()] = s[0];
    }
}

#[kernel(block = 256)]
fn scan(x: &[f32], y: &mut [f32]) {
    let s = shared!([f32; 256]);
    let t = thread_idx_x();
    let i = global_idx_x();
    s[t] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut d = 1;
    while d < 256 {
        let v = if t >= d { s[t - d] } else { 0.0 };
        sync_threads();
        s[t] += v;
        sync_threads();
        d *= 2;
    }
    if i < y.len() {
        y[i] = s[t];
    }
}

crate::kernels![
    product_of_whole_tiles,
    product_of_global_indices,
    product_in_a_while,
    rectangular_product,
    rectangular_product_of_other_strides,
    one_tile_too_many,
    guarded_rectangular_product,
    padded_transpose,
    padded_transpose_of_a_rectangle,
    transpose_with_the_wrong_pitch,
    guarded_transpose,
    butterfly,
    butterfly_of_a_power,
    butterfly_of_a_distance,
    butterfly_guarded,
    bitonic_sort,
    bitonic_sort_of_too_much,
    bitonic_sort_by_exchange,
    butterflies_by_quotients,
    butterflies_by_shifts,
    masks_of_tiles,
    masks_that_are_too_wide,
    halo,
    reduction,
    reduction_with_shifts,
    scan,
];
