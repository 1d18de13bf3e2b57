//! Kernels that declare no block size: no lint of correctness may reject one that is correct in the
//! block that it is launched with.
use crate::tests::lint_source::lint_text;
use warpwise_compiler::{
    diag::Level,
    lint::{LINTS, LintGroup},
};

/// Returns the findings of correctness lints in a kernel.
fn correctness_findings(text: &str) -> Vec<(Level, &'static str, Vec<String>)> {
    let of_correctness = |code: &str| {
        LINTS.iter().any(|lint| lint.name == code && lint.group == LintGroup::Correctness)
    };
    let found = lint_text(text).into_iter().map(|found| found.diagnostic);
    let found = found.filter(|found| of_correctness(found.code));
    found.map(|found| (found.level, found.code, found.notes)).collect()
}

#[test]
fn arrays_for_the_launched_block_are_no_faults() {
    for threads in [4, 8, 16, 32, 48, 64, 96, 100, 128, 192, 256, 512, 1024] {
        let last = threads - 1;
        let reversed = format!(
            "#[kernel] fn k(x: &[f32], y: &mut [f32]) {{
                let s = shared!([f32; {threads}]);
                let t = thread_idx_x();
                s[t] = x[global_idx_x()];
                sync_threads();
                y[global_idx_x()] = s[{last} - t];
            }}"
        );
        assert_eq!(correctness_findings(&reversed), [], "{threads}");
    }
    for [x, y] in
        [[8, 8], [16, 16], [32, 8], [32, 32], [16, 8], [4, 4], [10, 10], [64, 4], [24, 24]]
    {
        for pad in [0, 1] {
            let pitch = x + pad;
            let sums = format!(
                "#[kernel] fn k(n: usize, x: &[f32], y: &mut [f32]) {{
                    let s = shared!([[f32; {pitch}]; {y}]);
                    let (tx, ty) = (thread_idx_x(), thread_idx_y());
                    s[ty][tx] = x[global_idx_y() * n + global_idx_x()];
                    sync_threads();
                    let mut sum = 0.0;
                    for j in 0..{y} {{ sum += s[j][tx]; }}
                    for i in 0..{x} {{ sum += s[ty][i]; }}
                    y[global_idx_y() * n + global_idx_x()] = sum;
                }}"
            );
            assert_eq!(correctness_findings(&sums), [], "{x} x {y} of {pitch}");
        }
    }
    let halo = "#[kernel] fn k(n: usize, x: &[f32], y: &mut [f32]) {
        let s = shared!([[f32; 18]; 18]);
        let (tx, ty) = (thread_idx_x(), thread_idx_y());
        let at = (global_idx_y() + 1) * n + global_idx_x() + 1;
        s[ty + 1][tx + 1] = x[at];
        if tx == 0 { s[ty + 1][0] = x[at - 1]; }
        if tx == 15 { s[ty + 1][17] = x[at + 1]; }
        if ty == 0 { s[0][tx + 1] = x[at - n]; }
        if ty == 15 { s[17][tx + 1] = x[at + n]; }
        sync_threads();
        y[at] = s[ty][tx + 1] + s[ty + 2][tx + 1] + s[ty + 1][tx] + s[ty + 1][tx + 2];
    }";
    assert_eq!(correctness_findings(halo), []);
}

#[test]
fn required_blocks_are_no_assumptions() {
    let text = "#[kernel(requires(block_dim_x() == 64))] fn k(x: &[f32], y: &mut [f32]) {
        let s = shared!([f32; 128]);
        let t = thread_idx_x();
        s[2 * t] = x[t];
        s[2 * t + 1] = x[t];
        sync_threads();
        y[t] = s[127 - t];
    }";
    assert_eq!(correctness_findings(text), []);
}

#[test]
fn findings_for_an_assumed_block_are_warnings_with_a_note() {
    let race = "let s = shared!([f32; 256]); let t = thread_idx_x();
        s[t % 4] = x[global_idx_x()]; sync_threads(); y[global_idx_x()] = s[t % 4];";
    let barrier = "let s = shared!([f32; 256]); let t = thread_idx_x();
        s[t] = x[global_idx_x()];
        if x[t] > 0.0 { sync_threads(); }
        y[global_idx_x()] = s[t];";
    let vote = "let t = thread_idx_x(); if t % 2 == 0 { y[t] = warp::shfl(x[t], 0); }";
    let index = "let s = shared!([f32; 1]); let t = thread_idx_x();
        s[t / 2] = x[t]; y[t] = s[t / 2];";
    for body in [race, barrier, vote, index] {
        let text =
            |attribute: &str| format!("#[{attribute}] fn k(x: &[f32], y: &mut [f32]) {{ {body} }}");
        let open = correctness_findings(&text("kernel"));
        assert!(!open.is_empty(), "{body}");
        for (level, code, notes) in open {
            let says_so = notes.iter().any(|note| note.starts_with("assuming blocks of "));
            assert!(level == Level::Warn && says_so, "{code} {level:?} {notes:?}: {body}");
        }
        let declared = correctness_findings(&text("kernel(block = 256)"));
        assert!(declared.iter().any(|(level, ..)| *level == Level::Deny), "{declared:?}: {body}");
        let asked = correctness_findings(&text("kernel(deny(gpu_correctness))"));
        assert!(asked.iter().any(|(level, ..)| *level == Level::Deny), "{asked:?}: {body}");
    }
}

#[test]
fn errors_of_a_single_thread_need_no_assumption() {
    let text = "#[kernel] fn k(y: &mut [f32]) {
        let s = shared!([f32; 16]);
        s[thread_idx_x() % 16] = 1.0;
        y[global_idx_x()] = s[thread_idx_x() / 2048 + 16];
    }";
    let found = correctness_findings(text);
    let index = found.iter().find(|(_, code, _)| *code == "gpu_out_of_bounds_shared");
    let (level, _, notes) = index.expect("the index is too large in every thread");
    assert_eq!(*level, Level::Deny);
    assert!(notes.iter().all(|note| !note.contains("assuming")), "{notes:?}");
}

#[test]
fn a_guard_on_the_thread_alone_may_keep_every_faulty_thread_out() {
    for guard in
        ["t < b.len()", "t < n / 2", "t < b.len().div_ceil(32)", "t + 1 < n", "n > t", "t != n"]
    {
        let text = format!(
            "#[kernel(block = 32)] fn k(n: usize, b: &[f32], y: &mut [f32]) {{
                let taps = shared!([f32; 4]);
                let t = thread_idx_x();
                if {guard} {{ taps[t] = b[t]; }}
                sync_threads();
                y[global_idx_x()] = taps[0];
            }}"
        );
        assert_eq!(correctness_findings(&text), [], "{guard}");
    }
    // In every block but the last, all threads have indices below `n`.
    let of_grid = "#[kernel(block = 256)] fn k(n: usize, y: &mut [f32]) {
        let s = shared!([f32; 256]);
        s[thread_idx_x()] = 1.0;
        sync_threads();
        if global_idx_x() < n { y[global_idx_x()] = s[thread_idx_x() + 1]; }
    }";
    let found = correctness_findings(of_grid);
    assert!(found.iter().any(|(_, code, _)| *code == "gpu_out_of_bounds_shared"), "{found:?}");
}

#[test]
fn rows_of_a_tile_do_not_race_where_a_column_would_be_out_of_bounds() {
    for side in [24, 32] {
        let text = |second: &str| {
            format!(
                "#[kernel(block = (16, 16))] fn k(w: usize, x: &[f32], y: &mut [f32]) {{
                    let s = shared!([[f32; {side}]; {side}]);
                    let (tx, ty) = (thread_idx_x(), thread_idx_y());
                    for r in (ty..w).step_by(16) {{
                        for c in (tx..w).step_by(16) {{ s[r][c] = x[r * w + c]; }}
                    }}
                    {second}
                    sync_threads();
                    y[global_idx_y() * w + global_idx_x()] = s[ty][tx];
                }}"
            )
        };
        assert_eq!(correctness_findings(&text("")), [], "{side}");
        let races = correctness_findings(&text("s[ty][0] = x[tx];"));
        assert!(races.iter().any(|(_, code, _)| *code == "gpu_shared_write_races"), "{races:?}");
    }
}
