//! Verdicts on races at places in rows of a length that nobody knows.
use warpwise_compiler::explain::{Answer, Subject, verdicts};

/// Returns the verdict on races in `y[row * width + column]`, where `width` is of this type, for a
/// kernel with these lines in front, behind a guard of the column if `guarded`: the answer, and the
/// fact that would decide.
fn races(head: &str, width: &str, guarded: bool) -> (Answer, Option<String>) {
    let [open, close] =
        if guarded { ["%5 = if %4 !1 {", "}"] } else { ["%5 = const 0 : u64 !1", ""] };
    let text = format!(
        "kernel k {{
            block 32, 8, 1
            param arg0 = width: {width} !0
            param arg1 = y: write [u32] !0
            {head}
            %0 = builtin global_idx.x : u64 !1
            %1 = builtin global_idx.y : u64 !1
            %2 = param arg0 : {width} !1
            %3 = cast %2 : u64 !1
            %4 = lt %0, %3 : bool !1
            {open}
                %6 = mul %1, %3 : u64 !2
                %7 = add %6, %0 : u64 !2
                %8 = len arg1 : u64 !2
                %9 = bounds %7, %8 : u64 !2
                %10 = param arg1 : ptr global !2
                %11 = index %10, %9, 4 : ptr global !2
                %12 = const 1 : u32 !2
                %13 = store %11, %12 !2
            {close}
        }}"
    );
    let found = verdicts(&text.parse().expect("it is well formed"));
    let race =
        found.into_iter().find(|found| found.subject == Subject::Race).expect("`y` is written");
    (race.answer, race.help)
}

#[test]
fn columns_below_the_width_keep_rows_apart() {
    assert_eq!(races("", "u32", true), (Answer::Good, None));
    let (answer, help) = races("", "u32", false);
    let guard =
        "if `width` is the length of a row, keep columns below it, as by `if column < width`";
    assert_eq!((answer, help.as_deref()), (Answer::Unknown, Some(guard)));
}

#[test]
fn a_width_that_may_make_the_index_wrap_has_to_be_bounded() {
    let (answer, help) = races("", "u64", true);
    let bound = "say how large `width` is at most, as by `#[kernel(requires(width <= 1 << 20))]`, or take it as \
                 a `u32`";
    assert_eq!((answer, help.as_deref()), (Answer::Unknown, Some(bound)));
    let required = "requires \"\" le(arg0, const 1048576 : u64) !0";
    assert_eq!(races(required, "u64", true), (Answer::Good, None));
}
