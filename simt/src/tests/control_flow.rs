//! Control flow: divergence, early exits, continuation and reconvergence.
use super::{shape, u32s};

/// For each thread, its index `%i`, its slot `%at` in the buffer, and some constants.
const START: &str = "param arg0 = out: write [u32] !0
    local $0 = x: u32 !0
    %i = builtin global_idx.x : u32 !0
    %out = param arg0 : ptr global !0
    %at = index %out, %i, 4 : ptr global !0
    %0 = const 0 : u32 !0
    %1 = const 1 : u32 !0
    %2 = const 2 : u32 !0
    %3 = const 3 : u32 !0
    %5 = const 5 : u32 !0
    %10 = const 10 : u32 !0
    %z = set $0, %0 !0\n";

const END: &str = "%last = get $0 : u32 !0
    %stored = store %at, %last !0";

/// Returns `x += %by`, with names of its own.
fn add(name: &str, by: &str) -> String {
    format!(
        "%{name}g = get $0 : u32 !0
         %{name}a = add %{name}g, {by} : u32 !0
         %{name}s = set $0, %{name}a !0\n"
    )
}

/// Checks the result of each thread, for several block sizes.
fn check(middle: &str, expected: impl Fn(u32) -> u32) {
    for threads in [1, 31, 40, 64, 256, 300, 1024] {
        let left = u32s(&format!("{START}{middle}{END}"), shape(2, threads), vec![0; 2048]);
        for i in 0..2 * threads {
            assert_eq!(left[i as usize], expected(i), "thread {i} of 2 x {threads}");
        }
    }
}

#[test]
fn arms_run_for_their_lanes() {
    let middle = format!(
        "%odd = and %i, %1 : u32 !0
         %is = eq %odd, %1 : bool !0
         %if = if %is !0 {{
             %rem = rem %i, %3 : u32 !0
             %third = eq %rem, %0 : bool !0
             %inner = if %third !0 {{ {} }}
             {}
         }} else {{ {} }}
         {}",
        add("a", "%10"),
        add("b", "%2"),
        add("c", "%5"),
        add("d", "%i")
    );
    check(&middle, |i| {
        let arm = if i % 2 == 1 { if i % 3 == 0 { 12 } else { 2 } } else { 5 };
        arm + i
    });
}

#[test]
fn lanes_leave_loops_one_by_one() {
    let middle = format!(
        "%limit = rem %i, %10 : u32 !0
         %loop = loop !0 {{
             %now = get $0 : u32 !0
             %done = ge %now, %limit : bool !0
             %if = if %done !0 {{ %break = break %loop !0 }}
             {}
         }}
         {}",
        add("a", "%3"),
        add("b", "%1")
    );
    check(&middle, |i| (i % 10).div_ceil(3) * 3 + 1);
}

#[test]
fn labels_reach_outer_loops() {
    let middle = format!(
        "%low = rem %i, %3 : u32 !0
         %high = mul %i, %2 : u32 !0
         %outer = for %0, %10, step %1 : u32 !0 {{
             %inner = loop !0 {{
                 {}
                 %x = get $0 : u32 !0
                 %three = rem %x, %3 : u32 !0
                 %next = eq %three, %low : bool !0
                 %if1 = if %next !0 {{ {} %c = continue %outer !0 }}
                 %over = gt %x, %high : bool !0
                 %if2 = if %over !0 {{ %b = break %outer !0 }}
                 %five = rem %x, %5 : u32 !0
                 %out5 = eq %five, %0 : bool !0
                 %if3 = if %out5 !0 {{ %b2 = break %inner !0 }}
             }}
             {}
         }}\n",
        add("a", "%1"),
        add("b", "%2"),
        add("c", "%10")
    );
    check(&middle, |i| {
        let mut x = 0;
        'outer: for _ in 0..10 {
            loop {
                x += 1;
                if x % 3 == i % 3 {
                    x += 2;
                    continue 'outer;
                }
                if x > 2 * i {
                    break 'outer;
                }
                if x % 5 == 0 {
                    break;
                }
            }
            x += 10;
        }
        x
    });
}

#[test]
fn blocks_are_left_early() {
    let middle = format!(
        "%block = block !0 {{
             %r = rem %i, %3 : u32 !0
             %is = eq %r, %0 : bool !0
             %if = if %is !0 {{ {} %b = break %block !0 }}
             {}
             %is1 = eq %r, %1 : bool !0
             %if1 = if %is1 !0 {{ %b1 = break %block !0 }} else {{ {} }}
             {}
         }}
         {}",
        add("a", "%1"),
        add("b", "%2"),
        add("c", "%3"),
        add("d", "%10"),
        add("e", "%i")
    );
    check(&middle, |i| i + [1, 2, 15][i as usize % 3]);
}

#[test]
fn returned_threads_do_not_affect_others() {
    let middle = format!(
        "%for = for %0, %i, step %1 : u32 !0 {{
             %many = gt %for, %5 : bool !0
             %if = if %many !0 {{ %s = store %at, %for !0 %r = return !0 }}
             {}
         }}\n",
        add("a", "%1")
    );
    check(&middle, |i| i.min(6));
}

#[test]
fn uniform_control_needs_no_lanes() {
    // A loop that every thread runs equally, with a break in the middle and a continue, in an `if`
    // that only some threads take.
    let middle = format!(
        "local_placeholder
         %odd = and %i, %1 : u32 !0
         %is = eq %odd, %1 : bool !0
         %if = if %is !0 {{
             %for = for %0, %10, step %1 : u32 !0 {{
                 %two = eq %for, %2 : bool !0
                 %if2 = if %two !0 {{ %c = continue %for !0 }}
                 %five = eq %for, %5 : bool !0
                 %if5 = if %five !0 {{ %b = break %for !0 }} else {{ {} }}
                 {}
             }}
         }}\n",
        add("a", "%for"),
        add("b", "%i")
    )
    .replace("local_placeholder", "");
    check(&middle, |i| if i % 2 == 1 { 1 + 3 + 4 + 4 * i } else { 0 });
}

#[test]
fn a_uniform_local_keeps_its_value() {
    let text = format!(
        "{}{}{}",
        START.replace("%i = ", "local $1 = k: u32 !0\n%i = "),
        format_args!(
            "%k0 = set $1, %0 !0
             %small = lt %i, %10 : bool !0
             %loop = loop !0 {{
                 %k = get $1 : u32 !0
                 %done = ge %k, %5 : bool !0
                 %if = if %done !0 {{ %b = break %loop !0 }}
                 %if2 = if %small !0 {{ {} }}
                 %k1 = get $1 : u32 !0
                 %k2 = add %k1, %1 : u32 !0
                 %k3 = set $1, %k2 !0
             }}\n",
            add("a", "%k")
        ),
        END
    );
    let left = u32s(&text, shape(1, 64), vec![0; 64]);
    assert_eq!(left, (0..64).map(|i| if i < 10 { 10 } else { 0 }).collect::<Vec<_>>());
}

#[test]
fn a_local_set_in_some_lanes_of_a_uniform_loop_differs() {
    let middle = format!(
        "%for = for %0, %5, step %1 : u32 !0 {{
             %less = lt %for, %i : bool !0
             %if = if %less !0 {{ {} }}
         }}\n",
        add("a", "%for")
    );
    check(&middle, |i| (0..5).filter(|k| *k < i).sum());
}

/// Returns the values that a `for` over a type visits: their number and their exclusive or.
fn range(ty: &str, start: i64, end: &str, step: i64, inclusive: &str) -> Vec<u32> {
    let middle = format!(
        "%r = rem %i, %10 : u32 !0
         %i2 = cast %r : {ty} !0
         %base = const {start} : {ty} !0
         %start = add %base, %i2 : {ty} !0
         %end = {end} : {ty} !0
         %step = const {step} : {ty} !0
         %for = for {inclusive} %start, %end, step %step !0 : {ty} {{
             %bits = cast %for : u32 !0
             %more = add %bits, %1 : u32 !0
             %x = get $0 : u32 !0
             %x2 = mul %x, %3 : u32 !0
             %x3 = add %x2, %more : u32 !0
             %s = set $0, %x3 !0
         }}\n"
    );
    let middle = middle.replace("!0 :", ":").replace(&format!("{ty} {{"), &format!("{ty} !0 {{"));
    u32s(&format!("{START}{middle}{END}"), shape(1, 40), vec![0; 40])
}

fn visit(values: impl Iterator<Item = i64>) -> u32 {
    values.fold(0, |x: u32, value| x.wrapping_mul(3).wrapping_add((value as u32).wrapping_add(1)))
}

#[test]
fn ranges_stop_at_the_end_of_their_type() {
    let lanes =
        |expected: &dyn Fn(i64) -> u32| (0..40).map(|i| expected(i % 10)).collect::<Vec<_>>();
    assert_eq!(
        range("u8", 240, "const 255", 7, "inclusive"),
        lanes(&|i| visit((240 + i..=255).step_by(7)))
    );
    assert_eq!(range("u8", 240, "const 255", 7, ""), lanes(&|i| visit((240 + i..255).step_by(7))));
    assert_eq!(
        range("i8", -5, "const 127", 50, "inclusive"),
        lanes(&|i| visit((i - 5..=127).step_by(50)))
    );
    assert_eq!(range("i32", -5, "const 3", 1, ""), lanes(&|i| visit(i - 5..3)));
    assert_eq!(range("u64", 5, "const 7", 1, "inclusive"), lanes(&|i| visit(i + 5..=7)));
}

#[test]
fn uniform_ranges_stop_at_the_end_of_their_type() {
    let middle = format!(
        "%start = const 250 : u8 !0
         %end = const 255 : u8 !0
         %step = const 2 : u8 !0
         %for = for inclusive %start, %end, step %step : u8 !0 {{ {} }}
         %low = const -128 : i8 !0
         %high = const 127 : i8 !0
         %istep = const 100 : i8 !0
         %for2 = for inclusive %low, %high, step %istep : i8 !0 {{ {} }}
         %for3 = for %high, %low, step %istep : i8 !0 {{ {} }}\n",
        add("a", "%1"),
        add("b", "%10"),
        add("c", "%5")
    );
    check(&middle, |_| 33);
}

#[test]
fn a_loop_that_no_lane_enters_is_skipped() {
    let middle = format!("%for = for %i, %0, step %1 : u32 !0 {{ {} }}\n", add("a", "%1"));
    check(&middle, |_| 0);
}
