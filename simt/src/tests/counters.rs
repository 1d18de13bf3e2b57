//! Counters: executions, divergence and memory requests.
use super::number;
use crate::{Arg, Counters, CountingProgram, Counts, Launch, Memory, Outcome, bytecode::Requests};
use std::num::NonZeroUsize;
use warpwise_compiler::{
    id::Id,
    ir::{InstId, Kernel},
    optimize::{optimize, unroll_as_back_ends_do},
    verify::verify,
};

/// For each thread, its index `%t`, its place `%at` in a buffer, and some constants.
pub(super) const START: &str = "param arg0 = out: write [u32] !0
    local $0 = x: u32 !0
    %t = builtin thread_idx.x : u32 !0
    %i = builtin global_idx.x : u32 !0
    %out = param arg0 : ptr global !0
    %at = index %out, %i, 4 : ptr global !0
    %0 = const 0 : u32 !0
    %1 = const 1 : u32 !0
    %2 = const 2 : u32 !0
    %4 = const 4 : u32 !0
    %5 = const 5 : u32 !0
    %31 = const 31 : u32 !0
    %z = set $0, %t !0\n";

/// Returns some work, with names of its own.
pub(super) fn work(name: &str) -> String {
    format!(
        "%{name}g = get $0 : u32 !0
         %{name}a = mul %{name}g, %5 : u32 !0
         %{name}s = set $0, %{name}a !0
         %{name}w = store %at, %{name}a !0\n"
    )
}

pub(super) fn kernel(inside: &str) -> Kernel {
    let text = number(&format!("kernel k {{ {inside} }}"));
    let kernel: Kernel = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    verify(&kernel).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    kernel
}

/// Counts a kernel with one buffer of `u32`.
pub(super) fn count(kernel: &Kernel, blocks: u32, block: [u32; 3], requests: Requests) -> Counters {
    let program = CountingProgram::new(kernel, requests);
    let on = |workers| {
        let memory = Memory::zeroed(1 << 16);
        let args = [Arg::Slice { memory: &memory, offset: 0, len: 1 << 14 }];
        let launch = Launch {
            grid: [blocks, 1, 1],
            block,
            args: &args,
            workers: NonZeroUsize::new(workers),
            steps: None,
        };
        let (outcome, counters) = program.run(&launch);
        assert_eq!(outcome, Outcome::default());
        counters
    };
    let counters = on(1);
    assert_eq!(on(3), counters, "it must not matter who runs the blocks");
    counters
}

fn count_total(middle: &str, threads: u32) -> Counts {
    let kernel = kernel(&format!("{START}{middle}"));
    count(&kernel, 1, [threads, 1, 1], Requests::Scalars).total()
}

/// Returns the branches and the divergent branches of 64 threads.
fn branches(middle: &str) -> (u64, u64) {
    let total = count_total(middle, 64);
    (total.branches, total.divergent_branches)
}

/// Returns an `if` over `cond`; `name` makes its names unique.
fn choose(name: &str, cond: &str, then: &str, other: &str) -> String {
    format!(
        "%{name}c = and %t, {cond} : u32 !0
         %{name}e = eq %{name}c, %0 : bool !0
         %{name}i = if %{name}e !0 {{ {then} }} else {{ {other} }}\n"
    )
}

#[test]
fn the_measured_kernels_diverge_as_measured() {
    let (a, b, c, d) = (work("p"), work("q"), work("r"), work("s"));
    // After them all, so that no `if` decides if threads end.
    let end = work("end");
    let parity = choose("x", "%1", &a, &b);
    assert_eq!(branches(&format!("{parity}{end}")), (2, 2));
    let warp = format!("%32 = const 32 : u32 !0\n{}", choose("x", "%32", &a, &b));
    assert_eq!(branches(&format!("{warp}{end}")), (2, 0));
    let lane = format!("%n = and %t, %31 : u32 !0\n%f = for %0, %n, step %1 : u32 !0 {{ {a} }}\n");
    let (all, divergent) = branches(&format!("{lane}{end}"));
    // A guard, and one after each of 31 iterations.
    assert_eq!((all, divergent), (2 * 32, 62));
    let uniform =
        format!("%n = shr %t, %5 : u32 !0\n%f = for %0, %n, step %1 : u32 !0 {{ {a} }}\n");
    assert_eq!(branches(&format!("{uniform}{end}")), (3, 0));
    let inner = (choose("y", "%2", &a, &b), choose("z", "%4", &c, &d));
    let nested = choose("x", "%1", &inner.0, &inner.1);
    assert_eq!(branches(&format!("{nested}{end}")), (6, 6));
    let guard =
        format!("%n = const 40 : u32 !0\n%c = lt %t, %n : bool !0\n%guard = if %c !0 {{ {a} }}\n");
    assert_eq!(branches(&guard), (0, 0), "lanes leave by a predicated exit");
    assert_eq!(branches(&format!("{guard}{end}")), (2, 1), "and not if they go on");
    let returns =
        "%n = const 40 : u32 !0\n%c = ge %t, %n : bool !0\n%guard = if %c !0 { %r = return !0 }\n";
    assert_eq!(branches(&format!("{returns}{end}")), (0, 0));
}

#[test]
fn loops_diverge_when_lanes_leave() {
    // Lane l leaves at the end of iteration l.
    let text = format!(
        "%lane = and %t, %31 : u32 !0
         local_loop
         {}",
        work("end")
    );
    let body = "%zero = set $0, %0 !0
        %loop = loop !0 {
            %g = get $0 : u32 !0
            %done = ge %g, %lane : bool !0
            %if = if %done !0 { %b = break %loop !0 }
            %more = add %g, %1 : u32 !0
            %set = set $0, %more !0
        }";
    assert_eq!(branches(&text.replace("local_loop", body)), (2 * 32, 62));
    // A uniform branch never diverges.
    let uniform = body.replace("%done = ge %g, %lane", "%done = ge %g, %5");
    assert_eq!(branches(&text.replace("local_loop", &uniform)), (2 * 6, 0));
}

#[test]
fn neighbouring_loads_of_an_unrolled_loop_are_one_request() {
    let kernel = kernel(&format!(
        "{START} %f = for %0, %4, step %1 : u32 !0 {{
             %p = index %out, %f, 4 : ptr global !0
             %l = load %p : u32 !0
             %g = get $0 : u32 !0
             %a = add %g, %l : u32 !0
             %s = set $0, %a !0
         }}
         %r = get $0 : u32 !0
         %w = store %at, %r !0\n"
    ));
    let requests = |kernel: &Kernel| {
        let counters = count(kernel, 1, [64, 1, 1], Requests::Vectors);
        (counters.total().global_loads.requests, counters.work().loaded_words)
    };
    assert_eq!(requests(&kernel), (8, 8));
    // 16 bytes a lane take four cycles on the way to registers.
    assert_eq!(requests(&unroll_as_back_ends_do(kernel)), (2, 8));
}

#[test]
fn values_that_a_loop_does_not_change_are_computed_once() {
    let loads = |inside: &str| {
        let kernel = kernel(&format!(
            "param arg0 = x: read [u32] !0
             param arg1 = out: write [u32] !0
             local $0 = sum: u32 !0
             %i = builtin global_idx.x : u32 !0
             %x = param arg0 : ptr global !0
             %out = param arg1 : ptr global !0
             %at = index %out, %i, 4 : ptr global !0
             %0 = const 0 : u32 !0
             %1 = const 1 : u32 !0
             %100 = const 100 : u32 !0
             %z = set $0, %0 !0
             %f = for %0, %100, step %1 : u32 !0 {{
                 %p = index {inside}, 4 : ptr global !0
                 %l = load %p : u32 !0
                 %g = get $0 : u32 !0
                 %a = add %g, %l : u32 !0
                 %s = set $0, %a !0
             }}
             %r = get $0 : u32 !0
             %w = store %at, %r !0\n"
        ));
        let memory = Memory::zeroed(1 << 10);
        let slice = Arg::Slice { memory: &memory, offset: 0, len: 1 << 8 };
        let (grid, block) = ([1, 1, 1], [32, 1, 1]);
        let launch = Launch { grid, block, args: &[slice, slice], workers: None, steps: None };
        let (outcome, counters) = CountingProgram::new(&kernel, Requests::Vectors).run(&launch);
        assert_eq!(outcome, Outcome::default());
        counters.work().sectors_read
    };
    assert_eq!(loads("%x, %i"), 4);
    assert_eq!(loads("%x, %f"), 100);
    // The loop does not write there, either.
    assert_eq!(loads("%out, %i"), 4);
}

#[test]
fn idle_lanes_are_not_counted() {
    // 40 by 2 threads are 3 warps, the last of 16.
    let kernel = kernel(&format!("{START}{}", work("w")));
    let counters = count(&kernel, 1, [40, 2, 1], Requests::Scalars);
    let last = counters.iter().last().unwrap().1;
    assert_eq!((last.warp_instructions, last.thread_instructions), (3, 80));
    let total = counters.total();
    assert_eq!(total.thread_instructions * 3, total.warp_instructions * 80);
    let efficiency = total.warp_execution_efficiency().unwrap();
    assert!((efficiency - 80.0 / 96.0).abs() < 1e-12);
}

#[test]
fn arms_are_counted_for_their_lanes() {
    let (a, b) = (work("p"), work("q"));
    let text = format!("{START}{}{}", choose("x", "%1", &a, &b), work("end"));
    let kernel = kernel(&text);
    let counters = count(&kernel, 4, [64, 1, 1], Requests::Scalars);
    let stores: Vec<_> = counters
        .iter()
        .filter(|(_, counts)| counts.global_stores.requests != 0)
        .map(|(_, counts)| (counts.warp_instructions, counts.thread_instructions))
        .collect();
    assert_eq!(stores, [(8, 128), (8, 128), (8, 256)]);
    assert!((counters.total().branch_efficiency() - 0.0).abs() < 1e-12);
}

#[test]
fn collectives_reconverge_lanes() {
    // Even lanes vote in their arm; then all vote, and continue together.
    let vote = "%even = const 1431655765 : u32 !0
        %v = vote.all %xe, mask %even : bool !0";
    let text = format!("{}%b = barrier !0\n{}", choose("x", "%1", vote, &work("q")), work("end"));
    let total = count_total(&text, 64);
    assert_eq!(total.barriers, 2);
    assert_eq!(total.global_stores.requests, 2 + 2);
    assert_eq!((total.branches, total.divergent_branches), (2, 2));
}

#[test]
fn continuing_lanes_reach_the_end_of_the_iteration() {
    let text = format!(
        "%f = for %0, %5, step %1 : u32 !0 {{
            %c = and %t, %1 : u32 !0
            %e = eq %c, %0 : bool !0
            %skip = if %e !0 {{ %n = continue %f !0 }}
            {}
         }}
         {}",
        work("body"),
        work("end")
    );
    let total = count_total(&text, 64);
    // 5 iterations: one branch in each and one after each; the first iteration needs none.
    assert_eq!((total.branches, total.divergent_branches), (2 * 10, 2 * 5));
    assert_eq!(total.global_stores.requests, 2 * 5 + 2);
}

#[test]
fn neighbours_are_one_request_if_vectors_are_wanted() {
    let text = "param arg0 = x: write [plain 16 align 16] !0
        %t = builtin thread_idx.x : u32 !0
        %x = param arg0 : ptr global !0
        %at = index %x, %t, 16 : ptr global !0
        %a4 = offset %at, 4 : ptr global !0
        %a8 = offset %at, 8 : ptr global !0
        %a12 = offset %at, 12 : ptr global !0
        %v0 = load %at : u32 !0
        %v1 = load %a4 : u32 !0
        %v2 = load %a8 : u32 !0
        %v3 = load %a12 : u32 !0
        %s0 = store %at, %v3 !0
        %s1 = store %a4, %v2 !0
        %s2 = store %a8, %v1 !0
        %s3 = store %a12, %v0 !0";
    let kernel = kernel(text);
    let memory = Memory::zeroed(512);
    let args = [Arg::Slice { memory: &memory, offset: 0, len: 32 }];
    let launch =
        Launch { grid: [1; 3], block: [32, 1, 1], args: &args, workers: None, steps: None };
    let total = |requests| CountingProgram::new(&kernel, requests).run(&launch).1.total();
    let (scalars, vectors) = (total(Requests::Scalars), total(Requests::Vectors));
    for found in [scalars.global_loads, scalars.global_stores] {
        assert_eq!((found.requests, found.sectors, found.ideal), (4, 4 * 16, 4 * 4));
    }
    for found in [vectors.global_loads, vectors.global_stores] {
        assert_eq!((found.requests, found.sectors, found.ideal), (1, 16, 16));
    }
    assert_eq!(scalars.warp_instructions - vectors.warp_instructions, 6);
}

#[test]
fn atomics_with_unused_results_are_reductions() {
    let start = "param arg0 = out: atomic [u32] !0
        shared @0 = s: [u32; 64] !0
        %out = param arg0 : ptr global !0
        %s = shared @0 : ptr shared !0
        %1 = const 1 : u32 !0
        %a = atomic.add.relaxed.device %out, %1 : u32 !0
        %b = atomic.add.relaxed.block %s, %1 : u32 !0\n";
    let program = |end: &str| {
        let kernel = kernel(&format!("{start}{end}"));
        let counters = count(&kernel, 1, [64, 1, 1], Requests::Scalars);
        (counters.total(), counters.get(InstId::new(3)))
    };
    let (total, add) = program("");
    assert_eq!(total.atomics, 128);
    let found = add.global_reductions;
    assert_eq!((found.requests, found.sectors, found.ideal), (2, 64, 2));
    let found = total.shared_atomics;
    assert_eq!((found.requests, found.wavefronts, found.conflicts()), (2, 64, 62));
    let (used, _) = program("%c = atomic.add.relaxed.device %out, %a : u32 !0");
    assert_eq!((used.global_reductions.requests, used.global_atomics.requests), (2, 2));
}

/// The published kernels `norm1` and `norm2`, with 2^14 elements instead of 2^21: a chunk per
/// thread, and neighbouring elements for neighbouring threads.
#[test]
fn chunks_of_threads_move_eight_times_the_sectors() {
    let loop_of = |start: &str, end: &str, step: &str| {
        format!(
            "{START}
             %n = const 16384 : u32 !0
             %64 = const 64 : u32 !0
             %256 = const 256 : u32 !0
             %first = mul %t, %64 : u32 !0
             %behind = add %first, %64 : u32 !0
             %for = for {start}, {end}, step {step} : u32 !0 {{
                 %p = index %out, %for, 4 : ptr global !0
                 %v = load %p : u32 !0
                 %g = get $0 : u32 !0
                 %a = add %g, %v : u32 !0
                 %s = set $0, %a !0
             }}
             %r = get $0 : u32 !0
             %w = store %at, %r !0"
        )
    };
    for optimized in [false, true] {
        let loads = |text: &str| {
            let kernel = kernel(text);
            let kernel = if optimized { optimize(kernel) } else { kernel };
            let total = count(&kernel, 1, [256, 1, 1], Requests::Scalars).total();
            let found = total.global_loads;
            assert_eq!(found.requests, 16384 / 32);
            (found.sectors, found.ideal)
        };
        assert_eq!(loads(&loop_of("%first", "%behind", "%1")), (16384, 2048));
        assert_eq!(loads(&loop_of("%t", "%n", "%256")), (2048, 2048));
    }
}

#[test]
fn the_worst_request_is_kept_with_its_addresses() {
    // The lanes of block b are b + 1 elements apart.
    let text = format!(
        "{START}%b = builtin block_idx.x : u32 !0
         %s = add %b, %1 : u32 !0
         %j = mul %t, %s : u32 !0
         %p = index %out, %j, 4 : ptr global !0
         %w = store %p, %t !0\n"
    );
    let counters = count(&kernel(&text), 3, [32, 1, 1], Requests::Scalars);
    let [(_, worst)] = counters.worst() else { panic!("{counters:?}") };
    assert_eq!((worst.block, worst.warp, worst.active, worst.memory), (2, 0, u32::MAX, 0));
    assert_eq!((worst.taken, worst.ideal, worst.bytes), (12, 4, 4));
    assert_eq!(worst.offsets, std::array::from_fn(|lane| Some(12 * lane as u64)));
    let counters = count(&kernel(&text), 1, [8, 1, 1], Requests::Scalars);
    let [(_, worst)] = counters.worst() else { panic!("{counters:?}") };
    assert_eq!((worst.active, worst.offsets[7], worst.offsets[8]), (0xff, Some(28), None));
}

#[test]
fn of_equally_bad_requests_the_lowest_blocks_is_kept() {
    let start = START.replace("write [u32]", "atomic [u32]");
    let text = format!(
        "{start}%b = builtin block_idx.x : u32 !0
         %place = const 1000 : u32 !0
         %flag = index %out, %place, 4 : ptr global !0
         %first = eq %b, %0 : bool !0
         %if = if %first !0 {{
             %spin = loop !0 {{
                 %seen = atomic_load.acquire.device %flag : u32 !0
                 %comes = ne %seen, %0 : bool !0
                 %leaves = if %comes !0 {{ %away = break %spin !0 }}
             }}
         }}
         %sum = atomic.add.relaxed.device %at, %1 : u32 !0
         %other = if %first !0 {{ }} else {{
             %raised = atomic.add.relaxed.device %flag, %1 : u32 !0
         }}\n"
    );
    let program = CountingProgram::new(&kernel(&text), Requests::Scalars);
    let memory = Memory::zeroed(1 << 16);
    let args = [Arg::Slice { memory: &memory, offset: 0, len: 1 << 14 }];
    let workers = NonZeroUsize::new(1);
    let launch =
        Launch { grid: [2, 1, 1], block: [32, 1, 1], args: &args, workers, steps: Some(1 << 30) };
    let (outcome, counters) = program.run(&launch);
    assert_eq!(outcome, Outcome::default());
    let worst = counters.worst().iter().map(|(_, worst)| (worst.block, worst.offsets[1]));
    assert!(worst.clone().any(|sum| sum == (0, Some(4))), "{:?}", worst.collect::<Vec<_>>());
}

#[test]
fn an_asynchronous_copy_is_a_load_and_a_store() {
    // Rows of 8 bytes, 16 bytes apart in the buffer, and the copies in shared memory 32 apart.
    let copy = kernel(&format!(
        "shared @0 = tile: [u64; 512] !0 {START}
         %s = shared @0 : ptr shared !0
         %to = index %s, %t, 32 : ptr shared !0
         %from = index %out, %t, 16 : ptr global !0
         %c = async_copy %to, %from, 8 !1
         %g = async_commit !2
         %w = async_wait 0 !3"
    ));
    let found = count(&copy, 1, [64, 1, 1], Requests::Vectors).total();
    let loads = found.global_loads;
    assert_eq!((loads.requests, loads.sectors, loads.ideal), (2, 2 * 16, 2 * 8));
    let stores = found.shared_stores;
    // Of the 16 lanes that are served together, 4 at a time are in different banks.
    assert_eq!((stores.requests, stores.wavefronts, stores.ideal), (2, 2 * 8, 2 * 2));
    assert_eq!((found.global_stores.requests, found.shared_loads.requests), (0, 0));
}

#[test]
fn local_memory_is_interleaved() {
    let text = "param arg0 = out: write [u32] !0
        array #0 = a: [u32; 8] !0
        %t = builtin thread_idx.x : u32 !0
        %b = builtin block_idx.x : u32 !0
        %7 = const 7 : u32 !0
        %own = and %t, %7 : u32 !0
        %same = and %b, %7 : u32 !0
        %a = array #0 : ptr local !0
        %p = index %a, %own, 4 : ptr local !0
        %s = store %p, %t !0
        %q = index %a, %same, 4 : ptr local !0
        %v = load %q : u32 !0
        %out = param arg0 : ptr global !0
        %at = index %out, %t, 4 : ptr global !0
        %z = store %at, %v !0";
    let total = count(&kernel(text), 1, [64, 1, 1], Requests::Vectors).total();
    let stores = total.local_stores;
    assert_eq!((stores.requests, stores.sectors, stores.ideal), (2, 64, 8));
    let loads = total.local_loads;
    assert_eq!((loads.requests, loads.sectors, loads.ideal), (2, 8, 8));
}
