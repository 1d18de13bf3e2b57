//! What std has by the paths and with the generic arguments that rustc takes.
use super::lower_text;

#[test]
fn paths_of_std_may_begin_with_colons() {
    for statement in [
        "let a: ::std::option::Option<u32> = None;",
        "let a = ::core::option::Option::Some(1);",
        "let a: ::std::cmp::Reverse<u32> = ::std::cmp::Reverse(1);",
    ] {
        assert_lowers(statement);
    }
}

fn assert_lowers(statement: &str) {
    let text = format!("#[kernel] fn k(x: &[f32]) {{ {statement} }}");
    if let Err(rejected) = lower_text(&text) {
        panic!("{statement}: {}", rejected.errors);
    }
}
