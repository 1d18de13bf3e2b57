//! Private arrays of threads, fields at offsets, and elements that hold several scalars.
use super::*;

/// Runs a kernel on `words` as elements of `size` bytes; returns the result.
fn run_plain(inside: &str, shape: Shape, words: Vec<u32>, size: usize) -> Vec<u32> {
    let memory = Value::U32(words.clone()).memory();
    let args = [Arg::Slice { memory: &memory, offset: 0, len: (4 * words.len() / size) as u64 }];
    let Shape { grid, block, steps, .. } = shape;
    let launch = Launch { grid, block, args: &args, workers: None, steps };
    assert_eq!(program(inside).run(&launch), Outcome::default());
    let mut values = Value::U32(words);
    values.take(&memory);
    values.u32s().to_vec()
}

#[test]
fn each_thread_has_its_own_array() {
    // a[i] = i * lane for i in 0..8; y[lane] = a[lane % 8] + a[3]
    let left = u32s(
        "param arg0 = y: write [u32]
         array #0 = a: [u32; 8]
         %lane = builtin global_idx.x : u32
         %zero = const 0 : u32  %one = const 1 : u32  %eight = const 8 : u32
         %a = array #0 : ptr local
         %i = for %zero, %eight, step %one : u32 {
           %v = mul %i, %lane : u32
           %p = index %a, %i, 4 : ptr local
           %s = store %p, %v
         }
         %at = rem %lane, %eight : u32
         %own = index %a, %at, 4 : ptr local
         %x = load %own : u32
         %third = offset %a, 12 : ptr local
         %z = load %third : u32
         %sum = add %x, %z : u32
         %y = param arg0 : ptr global
         %out = index %y, %lane, 4 : ptr global
         %done = store %out, %sum",
        shape(2, 100),
        vec![0; 200],
    );
    let expected: Vec<u32> = (0..200).map(|lane| lane % 8 * lane + 3 * lane).collect();
    assert_eq!(left, expected);
}

#[test]
fn waiting_lanes_keep_their_stores() {
    // Odd lanes store at constant, uniform and varying places while even ones wait.
    let left = u32s(
        "param arg0 = y: write [u32]
         array #0 = a: [u32; 3]
         %lane = builtin global_idx.x : u32
         %one = const 1 : u32  %two = const 2 : u32  %seven = const 7 : u32
         %a = array #0 : ptr local
         %p = offset %a, 4 : ptr local
         %q = offset %a, 8 : ptr local
         %s1 = store %a, %lane
         %s2 = store %p, %lane
         %s3 = store %q, %lane
         %odd = and %lane, %one : u32
         %is = eq %odd, %one : bool
         %if = if %is {
           %s4 = store %a, %seven
           %n = len arg0 : u64
           %same = cast %n : u32
           %mid = and %same, %one : u32
           %u = index %a, %mid, 4 : ptr local
           %s5 = store %u, %seven
           %each = mul %odd, %two : u32
           %w = index %a, %each, 4 : ptr local
           %s6 = store %w, %seven
         }
         %x = load %a : u32  %z = load %p : u32  %t = load %q : u32
         %xz = add %x, %z : u32
         %sum = add %xz, %t : u32
         %y = param arg0 : ptr global
         %out = index %y, %lane, 4 : ptr global
         %done = store %out, %sum",
        shape(1, 75),
        vec![0; 75],
    );
    let expected: Vec<u32> =
        (0..75).map(|lane| if lane % 2 == 1 { 21 } else { 3 * lane }).collect();
    assert_eq!(left, expected);
}

#[test]
fn a_local_can_point_into_either_array() {
    let left = u32s(
        "param arg0 = y: write [u32]
         array #0 = a: [u32; 2]
         array #1 = b: [plain 8 align 8; 3]
         local $0 = p: ptr local
         %lane = builtin global_idx.x : u32
         %one = const 1 : u32  %ten = const 10 : u32
         %a = array #0 : ptr local  %b = array #1 : ptr local
         %a1 = index %a, %one, 4 : ptr local
         %b1 = index %b, %one, 8 : ptr local
         %s1 = store %a1, %lane
         %b14 = offset %b1, 4 : ptr local
         %sum = add %lane, %ten : u32
         %s2 = store %b14, %sum
         %odd = and %lane, %one : u32
         %is = eq %odd, %one : bool
         %if = if %is {
           %x1 = set $0, %a
         } else {
           %x2 = set $0, %b1
         }
         %p = get $0 : ptr local
         %field = offset %p, 4 : ptr local
         %v = load %field : u32
         %y = param arg0 : ptr global
         %out = index %y, %lane, 4 : ptr global
         %done = store %out, %v",
        shape(1, 40),
        vec![0; 40],
    );
    let expected: Vec<u32> =
        (0..40).map(|lane| if lane % 2 == 1 { lane } else { lane + 10 }).collect();
    assert_eq!(left, expected);
}

#[test]
fn fields_of_elements_are_at_their_offsets() {
    // struct { a: u32, b: [u16; 2], c: u64 }: c += a; b[lane % 2] = lane
    let swap = "param arg0 = y: write [plain 16 align 8]
         %lane = builtin global_idx.x : u32
         %y = param arg0 : ptr global
         %e = index %y, %lane, 16 : ptr global
         %a = load %e : u32
         %cp = offset %e, 8 : ptr global
         %c = load %cp : u64
         %wide = cast %a : u64
         %sum = add %c, %wide : u64
         %s1 = store %cp, %sum
         %bp = offset %e, 4 : ptr global
         %two = const 2 : u32
         %at = rem %lane, %two : u32
         %each = index %bp, %at, 2 : ptr global
         %short = cast %lane : u16
         %s2 = store %each, %short";
    let words: Vec<u32> = (0..64).flat_map(|i| [i, 0, u32::MAX, i]).collect();
    let left = run_plain(swap, shape(2, 32), words, 16);
    let expected: Vec<u32> = (0..64_u32)
        .flat_map(|i| {
            let sum = (u64::from(i) << 32 | 0xffff_ffff) + u64::from(i);
            [i, if i % 2 == 1 { i << 16 } else { i }, sum as u32, (sum >> 32) as u32]
        })
        .collect();
    assert_eq!(left, expected);
}

#[test]
fn shared_elements_hold_several_scalars() {
    let left = u32s(
        "param arg0 = y: write [u32]
         shared @0 = tile: [plain 16 align 8; 64]
         %lane = builtin thread_idx.x : u32
         %tile = shared @0 : ptr shared
         %own = index %tile, %lane, 16 : ptr shared
         %wide = cast %lane : u64
         %s1 = store %own, %wide
         %field = offset %own, 12 : ptr shared
         %s2 = store %field, %lane
         %b = barrier
         %one = const 1 : u32
         %next = xor %lane, %one : u32
         %other = index %tile, %next, 16 : ptr shared
         %w = load %other : u64
         %v = cast %w : u32
         %fp = offset %other, 12 : ptr shared
         %u = load %fp : u32
         %sum = add %u, %v : u32
         %y = param arg0 : ptr global
         %out = index %y, %lane, 4 : ptr global
         %done = store %out, %sum",
        shape(1, 64),
        vec![0; 64],
    );
    assert_eq!(left, (0..64_u32).map(|lane| 2 * (lane ^ 1)).collect::<Vec<_>>());
}

#[test]
fn bytes_may_be_shared_by_fields_of_a_union() {
    // union { u64, [u32; 2] }, in an array of threads and in global memory.
    let left = run_plain(
        "param arg0 = y: write [plain 8 align 8]
         array #0 = a: [plain 8 align 8; 2]
         %lane = builtin global_idx.x : u32
         %wide = cast %lane : u64
         %a = array #0 : ptr local
         %a1 = offset %a, 8 : ptr local
         %s1 = store %a1, %wide
         %high = offset %a, 12 : ptr local
         %s2 = store %high, %lane
         %both = load %a1 : u64
         %y = param arg0 : ptr global
         %out = index %y, %lane, 8 : ptr global
         %s3 = store %out, %both
         %low = load %out : u32
         %one = const 1 : u32
         %more = add %low, %one : u32
         %s4 = store %out, %more",
        shape(3, 40),
        vec![0; 240],
        8,
    );
    assert_eq!(left, (0..120).flat_map(|lane| [lane + 1, lane]).collect::<Vec<_>>());
}

#[test]
fn accesses_outside_of_a_private_array_are_refused() {
    let wrong = |access: &str| {
        let text = format!(
            "array #0 = a: [u32; 2]
             %a = array #0 : ptr local
             %l = builtin thread_idx.x : u32
             {access}"
        );
        let outcome = run(&program(&text), shape(1, 32), &mut []);
        matches!(outcome.stopped, Some(crate::Stopped::Malformed { .. }))
    };
    assert!(!wrong("%x = load %a : u32"));
    assert!(wrong("%p = offset %a, 8 : ptr local %x = load %p : u32"));
    assert!(wrong("%p = offset %a, 2 : ptr local %x = load %p : u32"));
    assert!(wrong("%p = index %a, %l, 4 : ptr local %x = load %p : u32"));
    assert!(wrong("%p = index %a, %l, 4 : ptr local %x = store %p, %l"));
    assert!(wrong("%p = offset %a, 4 : ptr local %x = load %p : u64"));
}
