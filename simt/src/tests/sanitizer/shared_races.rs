//! Races in shared memory.
use super::{START, found_in, texts};
use crate::tests::shape;

/// Returns the findings of two blocks of 64 threads, with this code after [`START`].
fn findings(inside: &str) -> Vec<String> {
    texts(&found_in(&format!("{START}{inside}"), shape(2, 64), &[]))
}

#[test]
fn a_missing_barrier() {
    let exchange =
        |between: &str| format!("%w = store %at, %u !12 {between} %r = load %other : u32 !14");
    assert_eq!(
        findings(&exchange("")),
        [
            "read-write race on tile[0]: written by thread (0,0,0) at !12, read by thread (63,0,0) \
             at !14, block (0,0,0), no barrier between [4 times]",
            "warning: read-write race on tile[1]: written by thread (1,0,0) at !12, read by thread \
             (0,0,0) at !14, block (0,0,0), no `sync_warp` between these lanes of one warp [124 times]",
        ]
    );
    assert_eq!(findings(&exchange("%b = barrier !13")), [""; 0]);
    assert_eq!(findings(&exchange("%b = barrier !13 %c = barrier !13")), [""; 0]);
    // The lanes of one warp are ordered by it, lanes at its ends and other warps are not.
    assert_eq!(
        findings(&exchange("%b = sync_warp !13")),
        [
            "read-write race on tile[0]: written by thread (0,0,0) at !12, read by thread (63,0,0) at \
          !14, block (0,0,0), no barrier between [4 times]"
        ]
    );
}

#[test]
fn a_barrier_missing_at_the_end_of_a_loop() {
    let rounds = |end: &str| {
        format!(
            "%l = for %k0, %k5, step %k1 : u64 !10 {{
               %w = store %at, %u !11
               %b = barrier !12
               %r = load %other : u32 !13
               {end}
             }}"
        )
    };
    let found_there = findings(&rounds(""));
    assert_eq!(found_there.len(), 2, "{found_there:?}");
    assert!(found_there[0].starts_with(
        "read-write race on tile[0]: written by thread (0,0,0) at !11, read by thread (63,0,0) at !13"
    ));
    assert_eq!(findings(&rounds("%c = barrier !14")), [""; 0]);
}

#[test]
fn writes_of_one_instruction() {
    let found_there = findings("%w = store %first, %u !12");
    assert_eq!(
        found_there,
        [
            "write-write race on tile[0]: written by thread (0,0,0) at !12, written by thread (1,0,0) \
          at !12, block (0,0,0), by one instruction of one warp [126 times]"
        ]
    );
    assert_eq!(
        findings("%w = store %first, %x !12"),
        ["info: write-write race on tile[0]: written by thread (0,0,0) at !12, written by thread \
          (1,0,0) at !12, block (0,0,0), by one instruction of one warp; both write the same value \
          [126 times]"]
    );
}

#[test]
fn a_second_reader_is_not_lost() {
    // All read one cell, then one of the readers writes it.
    let found_there = findings(
        "%i = store %at, %u !10
         %b = barrier !11
         %r = load %first : u32 !12
         %c = eq %t, %k0 : bool !13
         %d = if %c !13 { %w = store %first, %u !14 }",
    );
    assert_eq!(found_there.len(), 2, "{found_there:?}");
    assert!(found_there[0].contains("at !14") && found_there[0].contains("no barrier between"));
    assert!(found_there[1].starts_with("warning: read-write race on tile[0]"));
}

#[test]
fn own_cells_and_one_thread_do_not_race() {
    assert_eq!(
        findings(
            "%w = store %at, %u !10
             %r = load %at : u32 !11
             %w2 = store %at, %r !12
             %c = eq %t, %k5 : bool !13
             %b = barrier !13
             %d = if %c !13 {
               %w3 = store %first, %u !14
               %w4 = store %other, %u !15
               %r2 = load %first : u32 !16
             }"
        ),
        [""; 0]
    );
}

#[test]
fn bytes_of_one_word_do_not_race() {
    let bytes = "shared @0 = flags: [u8; 64] !0
        shared @1 = words: [u32; 64] !0
        %t = builtin thread_idx.x : u64 !0
        %u = cast %t : u32 !0
        %b = cast %t : u8 !0
        %f = shared @0 : ptr shared !0
        %w = shared @1 : ptr shared !0
        %fa = index %f, %t, 1 : ptr shared !0
        %wa = index %w, %t, 4 : ptr shared !0
        %s = store %fa, %b !1
        %s2 = store %wa, %u !2
        %r = load %fa : u8 !3
        %r2 = load %wa : u32 !4";
    assert_eq!(texts(&found_in(bytes, shape(2, 64), &[])), [""; 0]);
    let beside = format!(
        "{bytes}
         %k1 = const 1 : u64 !5
         %k63 = const 63 : u64 !5
         %n = add %t, %k1 : u64 !5
         %m = and %n, %k63 : u64 !5
         %fb = index %f, %m, 1 : ptr shared !5
         %r3 = load %fb : u8 !6"
    );
    let found_there = texts(&found_in(&beside, shape(1, 64), &[]));
    assert!(found_there[0].starts_with("read-write race on flags[0]"), "{found_there:?}");
}

#[test]
fn atomics_race_with_plain_accesses_only() {
    let count = "shared @0 = sum: [u32; 1] !0
        %t = builtin thread_idx.x : u64 !0
        %u = cast %t : u32 !0
        %k0 = const 0 : u32 !0
        %s = shared @0 : ptr shared !0
        %z = const 0 : u64 !0
        %c = eq %t, %z : bool !0
        %d = if %c !0 { %w = store %s, %k0 !1 }";
    let add = "%old = atomic.add.relaxed.block %s, %u : u32 !2";
    let texts_of = |inside: &str| texts(&found_in(inside, shape(2, 64), &[]));
    assert_eq!(texts_of(&format!("{count} %b = barrier !3 {add}")), [""; 0]);
    let mixed = texts_of(&format!("{count} {add}"));
    assert!(
        mixed[0].starts_with(
            "race of an atomic and a plain access on sum[0]: written by thread (0,0,0) at !1, \
             changed atomically by thread (32,0,0) at !2, block (0,0,0), no barrier between"
        ),
        "{mixed:?}"
    );
}

#[test]
fn divergent_code_and_early_exits() {
    // Half of the threads leave; the others continue with barriers.
    assert_eq!(
        findings(
            "%c = lt %t, %k32 : bool !9
             %d = if %c !9 { } else { %e = return !9 }
             %w = store %at, %u !10
             %b = barrier !11
             %l = for %k0, %k5, step %k1 : u64 !12 {
               %r = load %first : u32 !13
               %b2 = barrier !14
               %w2 = store %at, %r !15
               %b3 = barrier !16
             }"
        ),
        [""; 0]
    );
    // The arms of a branch are not ordered by their order in the text.
    let arms = findings(
        "%c = lt %t, %k32 : bool !9
         %d = if %c !9 { %w = store %first, %u !10 } else { %r = load %first : u32 !11 }",
    );
    assert!(arms[1].contains("read by thread (32,0,0) at !11"), "{arms:?}");
}

#[test]
fn atomics_of_an_array_leave_races_of_others_to_be_found() {
    let arrays = "shared @0 = tile: [u32; 64] !0 shared @1 = more: [u32; 64] !0";
    let start = START.replacen("shared @0 = tile: [u32; 64] !0", arrays, 1);
    let inside = |rest: &str| {
        let text = format!(
            "{start} %m = shared @1 : ptr shared !0
             %q = index %m, %t, 4 : ptr shared !0
             %begin = atomic_store.relaxed.block %q, %x !9
             %b = barrier !10 {rest}"
        );
        texts(&found_in(&text, shape(2, 64), &[]))
    };
    let (add, write) = ("%a = atomic.add.relaxed.block %m, %x : u32 !11", "%w = store %at, %u !12");
    assert_eq!(inside(add), [""; 0]);
    assert_eq!(inside(&format!("{write} {add}")), [""; 0]);
    let race = |rest: &str| {
        let found = inside(rest);
        let first = found.first().and_then(|text| text.split(':').next()).map(str::to_string);
        first.unwrap_or_default()
    };
    assert_eq!(race(&format!("{add} %w = store %first, %u !12")), "write-write race on tile[0]");
    let mixed = "race of an atomic and a plain access on";
    assert_eq!(race(&format!("{add} %r = load %q : u32 !12")), format!("{mixed} more[0]"));
    // By an address that may be in either array.
    let either = "%low = lt %t, %k32 : bool !0 %e = select %low, %q, %at : ptr shared !0";
    assert_eq!(race(&format!("{either} {add} %w = store %e, %u !12")), format!("{mixed} more[0]"));
    let added = "%a = atomic.add.relaxed.block %e, %x : u32 !11 %w2 = store %other, %u !13";
    let written = format!("{either} {write} %b2 = barrier !12 {added}");
    assert_eq!(race(&written), format!("{mixed} tile[32]"));
}
