//! Names of std, with the paths and generic arguments that rustc accepts.
use crate::tests::lower_text;

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

#[test]
fn generic_arguments_of_std_are_in_its_order() {
    for statement in [
        "let a = [1u32, 2].map::<_, f32>(|x| x as f32);",
        "let a = std::cmp::min_by_key::<f32, _, u32>(x[0], x[1], |x| *x as u32);",
        "let a = std::cmp::max_by_key::<f32, _, u32>(x[0], x[1], |x| *x as u32);",
        "let a = x.is_sorted_by_key::<_, u32>(|x| *x as u32);",
        "let a = x.iter().is_sorted_by_key::<_, u32>(|x| *x as u32);",
        "let a = x.iter().try_fold::<f32, _, Option<f32>>(0.0, |a, x| Some(a + x));",
        "let a = x.iter().try_rfold::<f32, _, Option<f32>>(0.0, |a, x| Some(a + x));",
        "let a = x.iter().try_for_each::<_, Option<()>>(|x| None);",
        "let a = x.iter().map::<Option<u64>, _>(|_| None).count();",
        "let a = x.iter().filter_map::<u64, _>(|_| None).count();",
        "let a = x.iter().scan::<u32, u64, _>(0, |_, _| None).count();",
        "let a = x.iter().peekable().next_if_eq::<&f32>(&&1.0);",
    ] {
        assert_lowers(statement);
    }
}

#[test]
fn empty_generic_arguments_are_none() {
    for statement in [
        "let a = Option::<>::Some(1);",
        "let a: u32<> = 1;",
        "let a = std::iter::once::<>(1);",
        "if let Some::<>(a) = x.first() {}",
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
