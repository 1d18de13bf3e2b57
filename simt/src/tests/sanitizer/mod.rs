//! The sanitizer: findings, and their absence in clean kernels.
mod async_copies;
mod bulk_copies;
mod clusters;
mod global_races;
mod livelock;
mod mbarriers;
mod named_barriers;
mod random_races;
mod scheduled_livelock;
mod shared_races;
mod sync_misuse;
mod tensor_maps;
mod undefined;
mod unused;
mod wgmma;

use super::{Shape, Value, number};
use crate::{Arg, CheckedProgram, Checks, Finding, Launch, Memory, Outcome, Severity};
use std::num::NonZeroUsize;
use warpwise_compiler::{ir::Kernel, verify::verify};

/// For each thread, its index `%t`, and some constants; each line has a place of its own.
const START: &str = "shared @0 = tile: [u32; 64] !0
    %t = builtin thread_idx.x : u64 !0
    %u = cast %t : u32 !0
    %s = shared @0 : ptr shared !0
    %at = index %s, %t, 4 : ptr shared !0
    %k0 = const 0 : u64 !0
    %k1 = const 1 : u64 !0
    %k5 = const 5 : u64 !0
    %k32 = const 32 : u64 !0
    %x = const 7 : u32 !0
    %next = add %t, %k1 : u64 !0
    %mask = const 63 : u64 !0
    %beside = and %next, %mask : u64 !0
    %other = index %s, %beside, 4 : ptr shared !0
    %first = index %s, %k0, 4 : ptr shared !0
";

fn kernel(inside: &str) -> Kernel {
    let text = number(&format!("kernel k {{ {inside} }}"));
    let kernel: Kernel = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    verify(&kernel).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    kernel
}

/// Returns the findings in a kernel, which are the same for any number of workers.
pub(super) fn found_in(inside: &str, shape: Shape, values: &[Value]) -> Vec<Finding> {
    let program = CheckedProgram::new(&kernel(inside));
    let on = |workers| {
        let memories: Vec<_> = values.iter().map(Value::memory).collect();
        let args: Vec<_> =
            values.iter().zip(&memories).map(|(value, memory)| value.arg(memory)).collect();
        let Shape { grid, block, steps, .. } = shape;
        let workers = NonZeroUsize::new(workers);
        let launch = Launch { grid, block, args: &args, workers, steps };
        let (outcome, found) = program.run(&launch, Checks::ALL);
        assert_eq!(outcome, Outcome::default());
        found
    };
    let found = on(1);
    assert_eq!(found, on(3));
    assert_eq!(found, on(1), "the second run remembers nothing");
    found
}

/// Returns the texts of findings, with the severity unless it is an error.
pub(super) fn texts(found: &[Finding]) -> Vec<String> {
    let text = |finding: &Finding| match finding.severity {
        Severity::Error => finding.to_string(),
        severity => format!("{}: {finding}", severity.name()),
    };
    found.iter().map(text).collect()
}

#[test]
fn an_index_out_of_bounds_names_its_buffer() {
    let inside = "param arg0 = y: write [u32] !0
        %t = builtin thread_idx.x : u64 !0
        %n = len arg0 : u64 !0
        %x = const 1 : u32 !0
        %y = param arg0 : ptr global !0
        %i = bounds %t, %n : u64 !7
        %at = index %y, %i, 4 : ptr global !7
        %w = store %at, %x !7";
    let memory = Memory::zeroed(40);
    let args = [Arg::Slice { memory: &memory, offset: 0, len: 10 }];
    let (grid, block) = ([2, 1, 1], [32, 1, 1]);
    let launch = Launch { grid, block, args: &args, workers: None, steps: None };
    let (outcome, found) = CheckedProgram::new(&kernel(inside)).run(&launch, Checks::MEMORY);
    assert_eq!(outcome.fault.map(|fault| fault.count), Some(44));
    assert_eq!(
        texts(&found),
        [
            "index 10 out of bounds of y of length 10: by thread (10,0,0) at !7, block (0,0,0) [44 times]"
        ]
    );
}

#[test]
fn each_place_has_its_index_out_of_bounds() {
    // Thread 3 ends at !7, and thread 0 at !8, which may be the cause.
    let inside = "param arg0 = y: write [u32] !0
        shared @0 = tile: [u32; 8] !0
        shared @1 = rest: [u32; 8] !0
        %t = builtin thread_idx.x : u64 !0
        %n = len arg0 : u64 !0
        %k1 = const 1 : u64 !0
        %k8 = const 8 : u64 !0
        %x = const 1 : u32 !0
        %y = param arg0 : ptr global !0
        %tile = shared @0 : ptr shared !0
        %i = bounds %t, %n : u64 !7
        %at = index %y, %i, 4 : ptr global !7
        %w = store %at, %x !7
        %low = sub %t, %k1 : u64 !0
        %j = bounds %low, %k8 : u64 !8
        %there = index %tile, %j, 4 : ptr shared !8
        %v = store %there, %x !8";
    let memory = Memory::zeroed(12);
    let args = [Arg::Slice { memory: &memory, offset: 0, len: 3 }];
    let launch =
        Launch { grid: [2, 1, 1], block: [4, 1, 1], args: &args, workers: None, steps: None };
    let (outcome, found) = CheckedProgram::new(&kernel(inside)).run(&launch, Checks::MEMORY);
    assert_eq!(outcome.fault.map(|fault| (fault.count, fault.thread)), Some((4, [0, 0, 0])));
    assert_eq!(
        texts(&found),
        [
            "index -1 (18446744073709551615 as usize) out of bounds of tile of length 8: by thread (0,0,0) at !8, block \
             (0,0,0) [2 times]",
            "index 3 out of bounds of y of length 3: by thread (3,0,0) at !7, block (0,0,0) [2 times]",
        ]
    );
}

#[test]
fn copies_of_an_instruction_are_one_place() {
    // Three copies of a loop's body, as unrolling makes them, at the same two places.
    let body = "%w = store %at, %u !5 %r = load %other : u32 !6 ";
    let once = texts(&found_in(&format!("{START}{body}"), super::shape(1, 64), &[]));
    let copies = body.replace("%w", "%w2").replace("%r", "%r2");
    let twice = texts(&found_in(&format!("{START}{body}{copies}"), super::shape(1, 64), &[]));
    let places = |texts: &[String]| texts.iter().filter(|text| text.contains("!5")).count();
    assert_eq!((places(&once), places(&twice)), (2, 2), "{twice:#?}");
}
