//! Contracts that the help of checks suggests: each proves its check, and rejects no launch that
//! runs without faults.
use crate::source::Source;
use warpwise_compiler::{
    analysis::checks::{self, Verdict},
    ir::Kernel,
    verify::verify,
};

fn lower_kernel_body(attribute: &str, body: &str) -> Kernel {
    let text = format!(
        "#[kernel({attribute})] fn k(n: usize, m: usize, x: &[f32], y: &mut [f32], key: &[u8]) {{ {body} }}"
    );
    let source = Source::parse(&text).unwrap();
    let lowered = source.lower(&source.kernels[0]);
    let lowered = lowered.unwrap_or_else(|_| panic!("a kernel is rejected:\n{text}"));
    verify(&lowered.kernel).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    lowered.kernel
}

/// Returns the contract that each check suggests, if it is not proved.
fn suggested_contracts(attribute: &str, body: &str) -> Vec<Option<String>> {
    let checks = checks::analyze(&lower_kernel_body(attribute, body));
    let contract = |verdict: Verdict| {
        let Verdict::Stays(why) = verdict else { return None };
        let (_, rest) = why.help.split_once("#[kernel(requires(")?;
        Some(rest.strip_suffix("))]`").expect("a contract ends the help").to_owned())
    };
    checks.into_iter().map(|check| contract(check.verdict)).collect()
}

/// Asserts that each check of `body` suggests the expected contract, which proves it.
#[track_caller]
fn assert_suggested(attribute: &str, body: &str, expected: &[Option<&str>]) {
    let found = suggested_contracts(attribute, body);
    let plain: Vec<Option<&str>> = found.iter().map(Option::as_deref).collect();
    assert_eq!(plain, expected, "{body}");
    for (number, contract) in found.iter().enumerate() {
        let Some(contract) = contract else { continue };
        let with = [attribute, &format!("requires({contract})")].join(", ");
        let checks = checks::analyze(&lower_kernel_body(with.trim_start_matches(", "), body));
        let is_proved = matches!(checks[number].verdict, Verdict::Proved(_));
        assert!(is_proved, "{contract} does not prove check {number}: {body}");
    }
}

#[test]
fn a_contract_names_what_the_grid_covers_and_not_its_limit() {
    let tile = "y[(block_idx_y() * 32 + thread_idx_y()) * 1024 + block_idx_x() * 32 + thread_idx_x()] = 1.0;";
    let contract = "y.len() + 1024 >= 32 * grid_dim_x() + 32768 * grid_dim_y()";
    assert_suggested("block = (32, 32)", tile, &[Some(contract)]);
    assert_suggested("", "y[thread_idx_x()] = 1.0;", &[Some("y.len() >= block_dim_x()")]);
    assert_suggested("block = 64", "y[thread_idx_x()] = 1.0;", &[Some("y.len() >= 64")]);
    assert_suggested("", "y[block_idx_x()] = 1.0;", &[Some("y.len() >= grid_dim_x()")]);
    // In a block of eight threads, lane ids are below 8.
    assert_suggested("", "y[warp::lane_id()] = 1.0;", &[None]);
    let threads =
        ["x.len() >= grid_dim_x() * block_dim_x() + 3", "y.len() >= grid_dim_x() * block_dim_x()"];
    let shifted = "let i = global_idx_x(); y[i] = x[i + 3];";
    assert_suggested("", shifted, &threads.map(Some));
}

#[test]
fn a_contract_does_not_tie_a_length_to_one_that_was_checked_before() {
    let threads = ["x", "y"].map(|of| format!("{of}.len() >= grid_dim_x() * block_dim_x()"));
    let expected = threads.each_ref().map(|contract| Some(contract.as_str()));
    assert_suggested("", "let i = global_idx_x(); y[i] = x[i];", &expected);
    let guarded = "let i = global_idx_x(); if i < x.len() { y[i] = x[i]; }";
    assert_suggested("", guarded, &[None, Some("y.len() >= x.len()")]);
}

#[test]
fn a_contract_follows_guards_and_loops() {
    let row = "let i = global_idx_x(); if i < n { y[i] = x[i]; }";
    assert_suggested("", row, &[Some("x.len() >= n"), Some("y.len() >= n")]);
    let plane =
        "let (c, r) = (global_idx_x(), global_idx_y()); if r < m && c < n { y[r * n + c] = 1.0; }";
    assert_suggested("", plane, &[Some("y.len() >= m * n")]);
    assert_suggested("", "for k in 0..n { y[k] = 1.0; }", &[Some("y.len() >= n")]);
    let rows = "let i = global_idx_x(); for k in 0..m { if i < n { y[i * m + k] = 1.0; } }";
    assert_suggested("", rows, &[Some("y.len() >= m * n")]);
    assert_suggested("", "y[0] = x[n];", &[Some("x.len() > n"), Some("y.len() >= 1")]);
    // With a large `n`, `m` elements suffice, and vice versa.
    let two = "let i = global_idx_x(); if i < n && i < m { y[i] = 1.0; }";
    assert_suggested("", two, &[None]);
}

#[test]
fn nothing_is_required_of_blocks_for_the_sake_of_an_index() {
    let exact = "requires(x.len() >= grid_dim_x() * block_dim_x())";
    for body in [
        "let tid = block_idx_x() * block_dim_x() + thread_idx_x(); if tid % 2 == 0 { y[tid] = x[tid]; }",
        "let tid = block_idx_x() * block_dim_x() + thread_idx_x(); if tid % 2 == 0 { y[tid + 3] = x[tid]; }",
        "let t = thread_idx_x(); if t > 0 { y[t - 1] = x[t]; }",
    ] {
        for attribute in ["", exact] {
            for contract in suggested_contracts(attribute, body).into_iter().flatten() {
                let (length, _) = contract.split_once(".len()").expect("a length is required");
                assert!(["x", "y"].contains(&length), "{contract}: {body}");
            }
        }
    }
}
