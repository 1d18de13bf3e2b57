//! The example of collectives, which verifies its own result, on CPU devices or on GPUs.
#[path = "../all_reduce.rs"]
mod all_reduce;

#[test]
fn the_ranks_agree_with_a_single_device() {
    all_reduce::main().expect("it runs on any machine");
}
