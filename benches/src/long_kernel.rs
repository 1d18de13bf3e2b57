//! A kernel of some 500 lines, as text, to measure the macro on long kernels.
//!
//! It is a chain of stages, like a simulation or a filter in a single kernel: neighbours through
//! shared memory, grid-stride loops, reductions by shuffles and by trees, histograms, small dense
//! loops, chains of conditions. The stages take turns, each time with other numbers and names.

/// The stages: `S` is the number of the stage, `A` and `B` are numbers of its own.
const STAGES: [&str; 8] = [
    "    // Differences of neighbours.
    tile[t] = if i + A < x.len() { x[i + A] } else { 0.0 };
    sync_threads();
    let left_S = if t > 0 { tile[t - 1] } else { tile[t] };
    let right_S = if t < 255 { tile[t + 1] } else { tile[t] };
    let slope_S = (right_S - left_S) * 0.5;
    let bend_S = right_S - 2.0 * tile[t] + left_S;
    if slope_S > A.5 {
        sum += slope_S * B.25;
        edges += 1;
    } else if slope_S < -A.5 {
        sum -= slope_S * B.75;
        edges += 2;
    } else {
        sum += bend_S;
    }
    sync_threads();
",
    "    // Moments of all that this thread comes by.
    let mut first_S = 0.0;
    let mut second_S = 0.0;
    let mut seen_S = 0_u32;
    let mut j_S = i;
    while j_S < y.len() {
        let value = y[j_S] * A.5 + B.0;
        if value > 0.0 {
            first_S += value;
            second_S += value * value;
            seen_S += 1;
        }
        j_S += stride;
    }
    if seen_S > 0 {
        let mean = first_S / seen_S as f32;
        sum += (second_S / seen_S as f32 - mean * mean).max(0.0).sqrt();
    }
",
    "    // The block's sum, by shuffles.
    let mut part_S = sum;
    let mut distance_S = 16;
    while distance_S > 0 {
        part_S += warp::shfl_down(part_S, distance_S);
        distance_S /= 2;
    }
    if lane == 0 {
        partial[warp::warp_id()] = part_S;
    }
    sync_threads();
    let mut all_S = 0.0;
    for k in 0..8 {
        all_S += partial[k];
    }
    sum = sum * A.0 - all_S / B.0;
    sync_threads();
",
    "    // How many cells are alike.
    if t < 64 {
        bins[t].store(0, Ordering::Relaxed);
    }
    sync_threads();
    let bin_S = ((sum.abs() * A.0) as u32 + edges) % 64;
    bins[bin_S as usize].fetch_add(1, Ordering::Relaxed);
    sync_threads();
    if t < 64 {
        let count = bins[t].load(Ordering::Relaxed);
        if count > B {
            counts[t].fetch_add(count, Ordering::Relaxed);
        }
    }
    sync_threads();
",
    "    // Rounds of a small state.
    let mut state_S = [sum, sum * 0.5, A.0, B.0];
    for round in 0..6 {
        for k in 0..4 {
            let next = state_S[(k + 1) % 4];
            state_S[k] = state_S[k] * 0.75 + next * 0.25;
        }
        if round % 2 == 1 {
            state_S[0] += A.125;
        }
    }
    let norm_S = state_S[0] * state_S[1] + state_S[2] * state_S[3];
    sum += norm_S / (1.0 + norm_S.abs());
",
    "    // The block's largest, by a tree.
    tile[t] = sum;
    sync_threads();
    let mut half_S = 128;
    while half_S > 0 {
        if t < half_S {
            tile[t] = tile[t].max(tile[t + half_S]);
        }
        sync_threads();
        half_S /= 2;
    }
    let largest_S = tile[0];
    sum = if largest_S > A.0 { sum / largest_S } else { sum + B.5 };
    sync_threads();
",
    "    // Rows of a matrix.
    let row_S = i / width;
    let column_S = i % width;
    let mut dot_S = 0.0;
    if row_S + A < height {
        for k in 0..width {
            let at = (row_S + A) * width + k;
            if at < x.len() && k != column_S {
                dot_S += x[at] * tile[k % 256];
            }
        }
        if i < out.len() {
            out[i] = dot_S * B.0;
        }
    }
    sum += dot_S;
    sync_threads();
",
    "    // What kind of cell this is.
    let kind_S = match edges % 5 {
        0 => A.0,
        1 => sum.min(B.0),
        2 => sum.max(-B.0),
        3 if sum > 0.0 => sum * 0.5,
        _ => 0.0,
    };
    let mut left_over_S = kind_S;
    let mut steps_S = 0;
    loop {
        if left_over_S < 1.0 || steps_S == A {
            break;
        }
        left_over_S *= 0.5;
        steps_S += 1;
    }
    edges += steps_S;
    sum += left_over_S;
    if sum > 1.0e6 {
        sum = 1.0e6;
    }
",
];

/// Returns a kernel with `NUMBER` in its name, of at least `lines` lines.
pub fn long_kernel(lines: usize) -> String {
    let mut text = "#[kernel(block = 256)]
pub fn long_NUMBER(
    width: usize,
    height: usize,
    x: &[f32],
    y: &[f32],
    counts: &[AtomicU32],
    out: &mut [f32],
) {
    let tile = shared!([f32; 256]);
    let partial = shared!([f32; 8]);
    let bins = shared!([AtomicU32; 64]);
    let t = thread_idx_x();
    let i = global_idx_x();
    let lane = warp::lane_id();
    let stride = grid_dim_x() * block_dim_x();
    let mut sum = 0.0;
    let mut edges = 0_u32;
    tile[t] = 0.0;
    sync_threads();
"
    .to_owned();
    let mut stage = 0;
    while text.lines().count() + 4 < lines {
        text += &stage_text(stage);
        stage += 1;
    }
    text + "    if i < out.len() {\n        out[i] = sum + edges as f32;\n    }\n}\n"
}

/// Returns a stage, with its numbers and names.
fn stage_text(stage: usize) -> String {
    let (a, b) = (1 + stage % 7, 2 + stage % 11);
    let text = STAGES[stage % STAGES.len()];
    // Each word with the character after it.
    let words = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let word = |word: &str| {
        let (name, behind) = word.split_at(word.len() - 1);
        let name = match (name, name.strip_suffix("_S")) {
            ("A", _) => a.to_string(),
            ("B", _) => b.to_string(),
            (_, Some(name)) => format!("{name}_{stage}"),
            (name, None) => name.to_owned(),
        };
        name + behind
    };
    words.map(word).collect()
}
