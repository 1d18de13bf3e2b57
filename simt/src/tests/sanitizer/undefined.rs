//! Reads of unwritten shared memory.
use super::{found_in, texts};
use crate::tests::{Value, shape};

/// For each thread, its index, its cells in `tile` and in a buffer, and true unless it is among the
/// first eight.
const START: &str = "param arg0 = out: write [u32] !0
    shared @0 = tile: [u32; 64] !0
    local $0 = v: u32 !0
    %t = builtin thread_idx.x : u64 !0
    %u = cast %t : u32 !0
    %i = builtin global_idx.x : u64 !0
    %tile = shared @0 : ptr shared !0
    %out = param arg0 : ptr global !0
    %at = index %tile, %t, 4 : ptr shared !0
    %mine = index %out, %i, 4 : ptr global !0
    %one = const 1 : u64 !0
    %last = const 63 : u64 !0
    %next = add %t, %one : u64 !0
    %beside = and %next, %last : u64 !0
    %other = index %tile, %beside, 4 : ptr shared !0
    %seven = const 7 : u64 !0
    %high = lt %seven, %t : bool !0
    %x = const 7 : u32 !0
    %zero = const 0 : u32 !0
    %init = set $0, %zero !0
";

/// Returns the findings of two blocks of 64 threads, with this code after [`START`].
fn findings(inside: &str) -> Vec<String> {
    let out = [Value::U32(vec![0; 128])];
    texts(&found_in(&format!("{START}{inside}"), shape(2, 64), &out))
}

#[test]
fn written_memory_is_defined() {
    assert_eq!(
        findings(
            "%w = store %at, %u !10 %b = barrier !11 %r = load %other : u32 !12 %st = store %mine, %r !13"
        ),
        [""; 0]
    );
}

#[test]
fn outputs_of_the_block_must_be_defined() {
    assert_eq!(
        findings(
            "%c = if %high !9 { %w = store %at, %u !10 }
             %b = barrier !11
             %r = load %at : u32 !12
             %q = add %r, %x : u32 !13
             %st = store %mine, %q !14"
        ),
        [
            "uninitialized read of tile[0]: read by thread (0,0,0) at !12, block (0,0,0), before anybody wrote it; \
          it is stored in global memory at !14 [16 times]"
        ]
    );
}

#[test]
fn uniform_outputs_must_be_defined() {
    assert_eq!(
        findings(
            "%r = load %tile : f32 !12
             %f = cast %u : f32 !13
             %q = mul %r, %f : f32 !14
             %p = fma %q, %r, %f : f32 !15
             %st = store %mine, %p !16"
        ),
        [
            "uninitialized read of tile[0]: read by thread (0,0,0) at !12, block (0,0,0), before anybody wrote it; \
          it is stored in global memory at !16 [128 times]"
        ]
    );
}

#[test]
fn reading_alone_is_no_fault() {
    // All lanes read, and the lanes with undefined values do not use them.
    assert_eq!(
        findings(
            "%c = if %high !9 { %w = store %at, %u !10 }
             %b = barrier !11
             %r = load %at : u32 !12
             %q = add %r, %x : u32 !13
             %v = select %high, %q, %x : u32 !14
             %st = store %mine, %v !15"
        ),
        [""; 0]
    );
    assert_eq!(
        findings(
            "%c = if %high !9 { %w = store %at, %u !10 }
             %b = barrier !11
             %r = load %at : u32 !12
             %l = set $0, %r !13
             %d = if %high !14 { } else { %z = set $0, %x !14 }
             %v = get $0 : u32 !15
             %st = store %mine, %v !15"
        ),
        [""; 0]
    );
}

#[test]
fn results_determined_by_other_operands_are_defined() {
    let branch = |op: &str, lhs: &str, rhs: &str| {
        findings(&format!(
            "%c = if %high !9 {{ %w = store %at, %u !10 }}
             %b = barrier !11
             %r = load %at : u32 !12
             %q = eq %r, %x : bool !13
             %n = not %high : bool !13
             %both = {op} {lhs}, {rhs} : bool !14
             %d = if %both !15 {{ %st = store %mine, %x !15 }}"
        ))
    };
    // Where the value is undefined, the other operand is false, or true.
    for sides in [["%high", "%q"], ["%q", "%high"]] {
        assert_eq!(branch("and", sides[0], sides[1]), [""; 0], "{sides:?}");
        assert_eq!(branch("or", sides[0], sides[1]).len(), 1, "{sides:?}");
    }
    for sides in [["%n", "%q"], ["%q", "%n"]] {
        assert_eq!(branch("or", sides[0], sides[1]), [""; 0], "{sides:?}");
        assert_eq!(branch("and", sides[0], sides[1]).len(), 1, "{sides:?}");
    }
    let alike = |op: &str, with: &str| {
        findings(&format!(
            "%r = load %tile : u32 !12
             %q = eq %r, %x : bool !13
             %true = ne %zero, %x : bool !13
             %false = eq %zero, %x : bool !13
             %both = {op} %q, %{with} : bool !14
             %d = if %both !15 {{ %st = store %mine, %x !15 }}"
        ))
    };
    assert_eq!((alike("or", "true").len(), alike("and", "false").len()), (0, 0));
    assert_eq!((alike("or", "false").len(), alike("and", "true").len()), (1, 1));
}

#[test]
fn branches_and_addresses_must_be_defined() {
    let branch = findings(
        "%r = load %at : u32 !12
         %c = eq %r, %x : bool !13
         %d = if %c !14 { %st = store %mine, %x !15 }",
    );
    assert_eq!(branch.len(), 1, "{branch:?}");
    assert!(branch[0].ends_with("it decides a branch at !14 [128 times]"), "{branch:?}");
    let address = findings(
        "%r = load %at : u32 !12
         %k = const 63 : u32 !13
         %j = and %r, %k : u32 !13
         %p = index %out, %j, 4 : ptr global !13
         %q = load %p : u32 !14",
    );
    assert_eq!(address.len(), 1, "{address:?}");
    assert!(address[0].ends_with("it is an index at !14 [128 times]"), "{address:?}");
}

#[test]
fn undefined_values_stay_undefined_in_shared_memory() {
    let through = |value: &str| {
        findings(&format!(
            "%r = load %at : u32 !10
             %b = barrier !11
             %w = store %at, {value} !12
             %q = load %at : u32 !13
             %st = store %mine, %q !14"
        ))
    };
    assert_eq!(through("%x"), [""; 0]);
    let found_there = through("%r");
    assert_eq!(found_there.len(), 1, "{found_there:?}");
    assert!(found_there[0].contains("it is stored in global memory at !14"), "{found_there:?}");
}

#[test]
fn the_origin_is_reported_after_a_way_through_shared_memory() {
    // Threads 0 to 7 copy undefined values to tile[8] to tile[15], from where threads 7 to 14 store
    // them.
    let text = "%k8 = const 8 : u64 !0
         %c = if %high !9 { %w = store %at, %u !10 }
         %b = barrier !11
         %up = add %t, %k8 : u64 !0
         %to = and %up, %last : u64 !0
         %there = index %tile, %to, 4 : ptr shared !0
         %r = load %at : u32 !12
         %b2 = barrier !13
         %w2 = store %there, %r !14
         %b3 = barrier !15
         %q = load %other : u32 !16
         %st = store %mine, %q !17";
    assert_eq!(
        findings(text),
        [
            "uninitialized read of tile[0]: read by thread (0,0,0) at !12, block (0,0,0), before anybody wrote it; \
          it is stored in global memory at !17 [16 times]"
        ]
    );
}

#[test]
fn the_origin_is_of_a_thread_whose_value_matters() {
    // Threads 0 to 7 read undefined values, and 5 to 7 store them.
    let text = "%c = if %high !9 { %w = store %at, %u !10 }
         %b = barrier !11
         %k4 = const 4 : u64 !0
         %r = load %at : u32 !12
         %some = lt %k4, %t : bool !0
         %d = if %some !13 { %st = store %mine, %r !14 }";
    assert_eq!(
        findings(text),
        [
            "uninitialized read of tile[5]: read by thread (5,0,0) at !12, block (0,0,0), before anybody wrote it; \
          it is stored in global memory at !14 [6 times]"
        ]
    );
}

/// Lanes below eight of each warp have an undefined value in `%r`.
const HOLES: &str = "%lanes = const 31 : u64 !0
     %lane = and %t, %lanes : u64 !0
     %is = lt %seven, %lane : bool !0
     %c = if %is !9 { %w = store %at, %u !10 }
     %b = barrier !11
     %r = load %at : u32 !12
";

/// Returns the threads of block 0 whose result is found to be stored undefined, and the total
/// number.
fn undefined_stores(inside: &str) -> (String, u64) {
    let out = [Value::U32(vec![0; 128])];
    let found =
        found_in(&format!("{START}{HOLES}{inside} %st = store %mine, %q !20"), shape(2, 64), &out);
    match &found[..] {
        [] => (String::new(), 0),
        [one] => (one.problem.to_string(), one.count),
        more => panic!("{more:#?}"),
    }
}

#[test]
fn shuffles_propagate_undefined_values() {
    // Lane l reads the value of lane l + 1: the results of lanes 0 to 6 of each warp are undefined.
    let (text, count) =
        undefined_stores("%d = const 1 : u32 !0 %q = shuffle.down %r, %d, width 32 : u32 !13");
    assert!(text.contains("tile[1]: read by thread (1,0,0) at !12"), "{text}");
    assert_eq!(count, 7 * 4);
    // From lane 8 on all values are written, and so are the results from them.
    assert_eq!(
        undefined_stores("%d = const 8 : u32 !0 %q = shuffle.index %r, %d, width 32 : u32 !13").1,
        0
    );
    assert_eq!(
        undefined_stores("%d = const 7 : u32 !0 %q = shuffle.index %r, %d, width 32 : u32 !13").1,
        128
    );
    assert_eq!(
        undefined_stores("%d = const 8 : u32 !0 %q = shuffle.xor %r, %d, width 32 : u32 !13").1,
        8 * 4
    );
    // The source lane is undefined: so is the result.
    assert_eq!(undefined_stores("%q = shuffle.index %x, %r, width 32 : u32 !13").1, 8 * 4);
    // Only some lanes take part, in one strand or several.
    let parted = "%l = set $0, %x !0
        %if = if %is !13 { %m = active_mask : u32 !13 %n = reduce.add %r, mask %m : u32 !14 %s = set $0, %n !14 }
        %q = get $0 : u32 !15";
    assert_eq!(undefined_stores(parted).1, 0);
}

#[test]
fn warp_reductions_depend_on_all_lanes() {
    assert_eq!(undefined_stores("%q = reduce.max %r : u32 !13").1, 128);
    let votes = |vote: &str| {
        undefined_stores(&format!(
            "%c1 = eq %r, %zero : bool !13 %c2 = {vote} : bool !13 %q = cast %c2 : u32 !14"
        ))
        .1
    };
    // The written lanes hold their index, which is not 0.
    assert_eq!(votes("vote.any %c1"), 128);
    assert_eq!(votes("vote.all %c1"), 0);
    assert_eq!(undefined_stores("%c1 = eq %r, %zero : bool !13 %c2 = barrier.count %c1 : u64 !13 %q = cast %c2 : u32 !14").1, 128);
    assert_eq!(undefined_stores("%q = match.any %r : u32 !13").1, 128);
}

#[test]
fn private_arrays_propagate_undefined_values() {
    let array = |inside: &str| {
        let out = [Value::U32(vec![0; 128])];
        let start = START.replacen("    local", "    array #0 = a: [u32; 4] !0\n    local", 1);
        let text = format!(
            "{start}{HOLES}
             %a = array #0 : ptr local !0
             %k0 = const 0 : u64 !0
             %k3 = const 3 : u64 !0
             %some = and %t, %k3 : u64 !0
             %a0 = index %a, %k0, 4 : ptr local !0
             %a3 = index %a, %k3, 4 : ptr local !0
             %as = index %a, %some, 4 : ptr local !0
             %z0 = store %a0, %zero !13
             {inside}
             %st = store %mine, %q !20"
        );
        found_in(&text, shape(2, 64), &out).iter().map(|finding| finding.count).sum::<u64>()
    };
    assert_eq!(array("%y = store %a3, %r !14 %q = load %a3 : u32 !15"), 8 * 4);
    assert_eq!(array("%y = store %a3, %r !14 %q = load %a0 : u32 !15"), 0);
    assert_eq!(array("%y = store %a3, %r !14 %v = store %a3, %x !14 %q = load %a3 : u32 !15"), 0);
    // Each thread at its own index: those with index 0, 0 and 4 of each warp.
    assert_eq!(array("%y = store %as, %r !14 %q = load %a0 : u32 !15"), 2 * 4);
}

#[test]
fn summands_of_atomics_must_be_defined() {
    let out = [Value::U32(vec![0; 128])];
    let start = START.replacen("out: write", "out: atomic", 1);
    let text = format!("{start}{HOLES} %st = atomic.add.relaxed.device %mine, %r : u32 !20");
    let found = texts(&found_in(&text, shape(2, 64), &out));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("it is stored in global memory at !20 [32 times]"), "{found:?}");
}
