//! Kernels in which a check is proved, and similar ones in which it may fail.
use super::*;

/// Returns the verdicts of a kernel with three slices, four numbers and this text.
fn verdicts(text: &str) -> Vec<Verdict> {
    let text = format!(
        "kernel k {{
        param arg0 = x: read [f32] param arg1 = y: read [f32]
        param arg2 = n: u64 param arg3 = m: u64 param arg4 = w: u32 param arg5 = h: u32 {text} }}"
    );
    let kernel: Kernel = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    crate::verify::verify(&kernel).unwrap_or_else(|error| panic!("{error}\n{text}"));
    analyze(&kernel).into_iter().map(|check| check.verdict).collect()
}

/// Asserts for each check if it is proved, by requirements and a body.
#[track_caller]
fn assert_proved(requires: &[&str], body: &str, expected: &[bool]) {
    let requires = requires.iter().map(|cond| format!("requires \"\" {cond}\n"));
    let text = requires.collect::<String>() + body;
    let found: Vec<_> = verdicts(&text).iter().map(|it| matches!(it, Verdict::Proved(_))).collect();
    assert_eq!(found, expected, "{text}");
}

/// `if i < y.len() { x[i] }`
const GUARDED_BY_THE_OTHER: &str = "
    %0 = builtin global_idx.x : u64
    %1 = len arg1 : u64
    %2 = lt %0, %1 : bool
    %3 = if %2 {
      %4 = len arg0 : u64
      %5 = bounds %0, %4 : u64
    }";

#[test]
fn a_requirement_relates_lengths() {
    assert_proved(&[], GUARDED_BY_THE_OTHER, &[false]);
    assert_proved(&["ge(len arg0, len arg1)"], GUARDED_BY_THE_OTHER, &[true]);
    assert_proved(&["eq(len arg1, len arg0)"], GUARDED_BY_THE_OTHER, &[true]);
    assert_proved(&["le(len arg0, len arg1)"], GUARDED_BY_THE_OTHER, &[false]);
    assert_proved(&["not(lt(len arg0, len arg1))"], GUARDED_BY_THE_OTHER, &[true]);
    let half = "ge(len arg0, div(len arg1, const 2 : u64))";
    assert_proved(&[half], GUARDED_BY_THE_OTHER, &[false]);
    let either = "select(ge(len arg0, len arg1), const true : bool, eq(arg2, const 0 : u64))";
    assert_proved(&[either], GUARDED_BY_THE_OTHER, &[false]);
    let both = "select(ge(len arg0, len arg1), eq(arg2, const 0 : u64), const false : bool)";
    assert_proved(&[both], GUARDED_BY_THE_OTHER, &[true]);
    let grid = "le(mul(builtin grid_dim.x, builtin block_dim.x), len arg0)";
    assert_proved(&[grid], GUARDED_BY_THE_OTHER, &[true]);
}

/// Returns `if x < w && y < h { img[y * w + x] }`, with `w` and `h` of this type.
fn image(ty: &str) -> String {
    let [w, h] = if ty == "u64" { ["arg2", "arg3"] } else { ["arg4", "arg5"] };
    format!(
        "%0 = builtin global_idx.x : u64
        %1 = builtin global_idx.y : u64
        %2 = param {w} : {ty}
        %3 = param {h} : {ty}
        %4 = cast %2 : u64
        %5 = cast %3 : u64
        %6 = lt %0, %4 : bool
        %7 = lt %1, %5 : bool
        %8 = and %6, %7 : bool
        %9 = if %8 {{
          %10 = mul %1, %4 : u64
          %11 = add %10, %0 : u64
          %12 = len arg0 : u64
          %13 = bounds %11, %12 : u64
        }}"
    )
}

#[test]
fn rows_and_columns_of_an_image_are_inside() {
    let wide = image("u64");
    assert_proved(&[], &wide, &[false]);
    assert_proved(&["le(mul(arg2, arg3), len arg0)"], &wide, &[true]);
    assert_proved(&["eq(len arg0, mul(arg3, arg2))"], &wide, &[true]);
    assert_proved(&["le(mul(arg2, arg2), len arg0)"], &wide, &[false]);
    assert_proved(&["le(mul(arg2, arg3), add(len arg0, const 1 : u64))"], &wide, &[false]);
    let narrow = image("u32");
    let casts = "le(mul(cast u64(arg4), cast u64(arg5)), len arg0)";
    assert_proved(&[casts], &narrow, &[true]);
    // Checked in 32 bits, so it is the same number in 64.
    assert_proved(&["le(cast u64(mul(arg4, arg5)), len arg0)"], &narrow, &[true]);
}

#[test]
fn what_may_wrap_proves_nothing() {
    // `if i + 1 < n`, where `i + 1` may be 0
    let body = |of: &str| {
        format!(
            "%0 = {of} : u64
            %1 = const 1 : u64
            %2 = add %0, %1 : u64
            %3 = len arg0 : u64
            %4 = lt %2, %3 : bool
            %5 = if %4 {{
              %6 = bounds %0, %3 : u64
              %7 = bounds %2, %3 : u64
            }}"
        )
    };
    assert_proved(&[], &body("builtin global_idx.x"), &[true, true]);
    assert_proved(&[], &body("param arg2"), &[false, true]);
    assert_proved(&["le(arg2, len arg1)"], &body("param arg2"), &[true, true]);
    // A product in the kernel, which nothing checks for overflow.
    let product = "
        %0 = param arg2 : u64
        %1 = param arg3 : u64
        %2 = mul %0, %1 : u64
        %3 = len arg0 : u64
        %4 = le %2, %3 : bool
        %5 = const 0 : u64
        %6 = gt %0, %5 : bool
        %7 = gt %1, %5 : bool
        %8 = and %6, %7 : bool
        %9 = and %8, %4 : bool
        %10 = if %9 {
          %11 = sub %0, %6_ : u64
        }";
    let product = product.replace("sub %0, %6_ : u64", "bounds %5, %3 : u64");
    assert_proved(&[], &product, &[false]);
    assert_proved(&["le(mul(arg2, arg3), const 1000 : u64)"], &product, &[true]);
}

#[test]
fn neighbours_of_an_inner_element_are_inside() {
    // `if i > 0 && i + 1 < n { x[i - 1]; x[i]; x[i + 1] }`
    let body = "
        %0 = builtin global_idx.x : u64
        %1 = const 1 : u64
        %2 = const 0 : u64
        %3 = len arg0 : u64
        %4 = gt %0, %2 : bool
        %5 = if %4 {
          %6 = add %0, %1 : u64
          %7 = lt %6, %3 : bool
          %8 = if %7 {
            %9 = sub %0, %1 : u64
            %10 = bounds %9, %3 : u64
            %11 = bounds %0, %3 : u64
            %12 = bounds %6, %3 : u64
          }
        }
        %13 = sub %0, %1 : u64
        %14 = bounds %13, %3 : u64";
    assert_proved(&[], body, &[true, true, true, false]);
}

#[test]
fn steps_chunks_and_remainders_are_understood() {
    // `for i in (0..n).step_by(4) { x[i + 3] }`
    let steps = "
        %0 = const 0 : u64
        %1 = param arg2 : u64
        %2 = const 4 : u64
        %3 = const 3 : u64
        %4 = len arg0 : u64
        %5 = for %0, %1, step %2 : u64 {
          %6 = add %5, %3 : u64
          %7 = bounds %6, %4 : u64
        }";
    let multiple = "eq(rem(arg2, const 4 : u64), const 0 : u64)";
    let enough = "le(arg2, len arg0)";
    assert_proved(&[multiple, enough], steps, &[true]);
    assert_proved(&[enough], steps, &[false]);
    assert_proved(&[multiple], steps, &[false]);
    // `x.chunks_exact(n)`
    let chunks = "
        %0 = const 0 : u64
        %1 = param arg2 : u64
        %2 = const 1 : u64
        %3 = len arg0 : u64
        %4 = ne %1, %0 : bool
        %5 = check %4, divide_by_zero
        %6 = div %3, %1 : u64
        %7 = for %0, %6, step %2 : u64 {
          %8 = mul %7, %1 : u64
          %9 = for %0, %1, step %2 : u64 {
            %10 = add %8, %9 : u64
            %11 = bounds %10, %3 : u64
            %12 = add %10, %2 : u64
            %13 = bounds %12, %3 : u64
          }
        }";
    assert_proved(&[], chunks, &[false, true, false]);
    assert_proved(&["gt(arg2, const 0 : u64)"], chunks, &[true, true, false]);
    // `x[i % x.len()]`
    let modulo = "
        %0 = param arg2 : u64
        %1 = len arg0 : u64
        %2 = const 0 : u64
        %3 = ne %1, %2 : bool
        %4 = check %3, remainder_by_zero
        %5 = rem %0, %1 : u64
        %6 = bounds %5, %1 : u64";
    assert_proved(&[], modulo, &[false, true]);
    assert_proved(&["gt(len arg0, arg3)"], modulo, &[true, true]);
}

#[test]
fn the_smaller_of_two_is_below_both() {
    let zip = "
        %0 = len arg0 : u64
        %1 = len arg1 : u64
        %2 = lt %0, %1 : bool
        %3 = select %2, %0, %1 : u64
        %4 = min %0, %1 : u64
        %5 = const 0 : u64
        %6 = const 1 : u64
        %7 = for %5, %3, step %6 : u64 {
          %8 = bounds %7, %0 : u64
          %9 = bounds %7, %1 : u64
          %10 = bounds %7, %4 : u64
        }
        %11 = max %0, %1 : u64
        %12 = for inclusive %5, %11, step %6 : u64 {
          %13 = bounds %12, %0 : u64
        }";
    assert_proved(&[], zip, &[true, true, true, false]);
}

#[test]
fn what_is_known_inside_is_not_known_behind() {
    let body = "
        %0 = param arg2 : u64
        %1 = param arg3 : u64
        %2 = const 0 : u64
        %3 = ne %1, %2 : bool
        %4 = if %3 {
          %5 = div %0, %1 : u64
          %6 = check %3, divide_by_zero
        }
        %7 = check %3, divide_by_zero
        %8 = div %0, %1 : u64";
    assert_proved(&[], body, &[true, false]);
}

#[test]
fn overflow_checks_go_where_nothing_overflows() {
    let body = "
        %0 = param arg2 : u64
        %1 = const 1 : u64
        %2 = add %0, %1 : u64
        %3 = ge %2, %0 : bool
        %4 = check %3, add_overflow
        %5 = sub %0, %1 : u64
        %6 = le %5, %0 : bool
        %7 = check %6, subtract_overflow
        %8 = mul %0, %0 : u64
        %9 = mul_high %0, %0 : u64
        %10 = const 0 : u64
        %11 = eq %9, %10 : bool
        %12 = check %11, multiply_overflow";
    assert_proved(&[], body, &[false, false, false]);
    assert_proved(&["lt(mul(arg2, arg2), len arg0)"], body, &[false, false, true]);
    assert_proved(&["lt(arg2, len arg0)"], body, &[true, false, false]);
    assert_proved(&["ge(arg2, const 1 : u64)"], body, &[false, true, false]);
}

fn advice(text: &str) -> Vec<(String, String)> {
    let stays = |verdict| match verdict {
        Verdict::Stays(Unproved { message, help }) => Some((message, help)),
        Verdict::Proved(_) => None,
    };
    verdicts(text).into_iter().filter_map(stays).collect()
}

#[test]
fn what_is_missing_is_computed() {
    let of = |text: &str| advice(text).remove(0);
    assert_eq!(
        of(GUARDED_BY_THE_OTHER),
        (
            "nothing keeps `global_idx_x()` below `x.len()`".into(),
            "add `if global_idx_x() < x.len()` or `#[kernel(requires(x.len() >= y.len()))]`".into()
        )
    );
    assert_eq!(
        of(&image("u64")),
        (
            "nothing keeps `global_idx_y() * n + global_idx_x()` below `x.len()`".into(),
            "add `if global_idx_y() * n + global_idx_x() < x.len()` or \
             `#[kernel(requires(x.len() >= n * m))]`"
                .into()
        )
    );
}

#[test]
fn parts_of_slices_that_are_there_are_not_checked() {
    // `&x[4 * i..4 * i + 4]`
    let body = "
        message msg0 = \"slice index starts at {0} but ends at {1}\": (u64, u64)
        message msg1 = \"no\": ()
        %0 = builtin global_idx.x : u64
        %1 = const 4 : u64
        %2 = mul %0, %1 : u64
        %3 = add %2, %1 : u64
        %4 = len arg0 : u64
        %5 = le %3, %4 : bool
        %6 = le %2, %3 : bool
        %7 = and %5, %6 : bool
        %8 = if %7 {} else {
          %9 = panic msg0, %2, %3
        }
        %10 = sub %3, %2 : u64
        %11 = const 3 : u64
        %12 = bounds %11, %10 : u64
        %13 = gt %0, %4 : bool
        %14 = if %13 {
          %15 = panic msg1
        }";
    assert_proved(&[], body, &[false, true, true]);
    let grid = "le(mul(mul(builtin grid_dim.x, builtin block_dim.x), const 4 : u64), len arg0)";
    assert_proved(&[grid], body, &[true, true, true]);
    let expected = (
        "nothing proves `4 * global_idx_x() + 4 <= x.len()`, so this may be a part of a slice that \
         is not there"
            .into(),
        "add `if 4 * global_idx_x() + 4 <= x.len()` or `#[kernel(requires(x.len() >= 4 * \
         grid_dim_x() * block_dim_x()))]`"
            .into(),
    );
    assert_eq!(advice(body).remove(0), expected);
}

/// `requires(x.len() >= n as u32 as usize)`, many numbers that may wrap, and then
/// `if n < 1000 && i < n { x[i] }`.
#[test]
fn a_cast_of_a_requirement_is_linked_behind_many_numbers_that_may_wrap() {
    const NUMBERS: usize = 20;
    let mut body = "%0 = builtin global_idx.x : u64
        %1 = param arg2 : u64
        %2 = const 1000 : u64\n"
        .to_owned();
    for number in 0..NUMBERS {
        let id = 3 + 2 * number;
        body += &format!("%{id} = const {} : u64\n", number + 1);
        body += &format!("%{} = sub %1, %{id} : u64\n", id + 1);
    }
    let id = 3 + 2 * NUMBERS;
    body += &format!(
        "%{id} = lt %1, %2 : bool
        %{a} = lt %0, %1 : bool
        %{b} = and %{id}, %{a} : bool
        %{c} = if %{b} {{
          %{d} = len arg0 : u64
          %{e} = bounds %0, %{d} : u64
        }}",
        a = id + 1,
        b = id + 2,
        c = id + 3,
        d = id + 4,
        e = id + 5,
    );
    let requirement = "ge(len arg0, cast u64(cast u32(arg2)))";
    assert_proved(&[requirement], &body, &[true]);
    assert_proved(&[], &body, &[false]);
}
