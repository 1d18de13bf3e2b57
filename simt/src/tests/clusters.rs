//! Clusters: their barrier, and the shared memory of their blocks.
use super::{Shape, Value, program, run, shape, u32s};
use crate::{Meeting, Outcome, Stopped};

/// Clusters of three blocks, each with an array; `%next` is the place of the thread in that of the
/// next block, and `%prev` in that of the one before.
const START: &str = "cluster 3, 1, 1
    param arg0 = out: write [u32] !0
    shared @0 = pad: [u32; 3] !0
    shared @1 = tile: [u32; 64] !0
    %i = builtin global_idx.x : u32 !0
    %t = builtin thread_idx.x : u32 !0
    %b = builtin block_idx.x : u32 !0
    %out = param arg0 : ptr global !0
    %at = index %out, %i, 4 : ptr global !0
    %0 = const 0 : u32 !0
    %1 = const 1 : u32 !0
    %2 = const 2 : u32 !0
    %3 = const 3 : u32 !0
    %16 = const 16 : u32 !0
    %rank = rem %b, %3 : u32 !0
    %plus = add %b, %1 : u32 !0
    %after = rem %plus, %3 : u32 !0
    %plus2 = add %b, %2 : u32 !0
    %before = rem %plus2, %3 : u32 !0
    %tile = shared @1 : ptr shared !0
    %own = index %tile, %t, 4 : ptr shared !0
    %mapped = map_shared %tile, %after : ptr cluster !0
    %next = index %mapped, %t, 4 : ptr cluster !0
    %prev = map_shared %own, %before : ptr cluster !0\n";

#[test]
fn blocks_pass_cluster_barriers_with_any_number_of_workers() {
    for (clusters, threads, rounds) in [(1, 32, 3), (40, 33, 7), (300, 64, 2)] {
        let n = 3 * clusters * threads;
        let text = format!(
            "{START}
             %rounds = const {rounds} : u32 !0
             %first = load %at : u32 !0
             %st = store %own, %first !0
             %s = sync_cluster !0
             %for = for %0, %rounds, step %1 : u32 !0 {{
                 %v = load %next : u32 !0
                 %s1 = sync_cluster !0
                 %st1 = store %own, %v !0
                 %s2 = sync_cluster !0
             }}
             %last = load %own : u32 !0
             %st2 = store %at, %last !0"
        );
        for workers in [1, 2, 5] {
            let shape = Shape { workers, ..shape(3 * clusters, threads) };
            let left = u32s(&text, shape, (0..n).collect());
            let from = |i: u32| {
                let (block, t) = (i / threads, i % threads);
                (block / 3 * 3 + (block + rounds) % 3) * threads + t
            };
            assert_eq!(left, (0..n).map(from).collect::<Vec<_>>(), "{clusters} {workers}");
        }
    }
}

#[test]
fn blocks_and_threads_that_have_ended_are_not_waited_for() {
    let text = format!(
        "{START}
         %first = lt %t, %16 : bool !0
         %if = if %first !0 {{ %r = return !0 }}
         %last = eq %rank, %2 : bool !0
         %if2 = if %last !0 {{ %r2 = return !0 }}
         %st = store %own, %b !0
         %s1 = sync_cluster !0
         %zero = eq %rank, %0 : bool !0
         %if3 = if %zero !0 {{
             %v = load %next : u32 !0
             %st1 = store %at, %v !0
         }}
         %s2 = sync_cluster !0"
    );
    let left = u32s(&text, shape(6, 32), vec![9; 192]);
    let expected = |i: u32| match (i / 32 % 3, i % 32) {
        (0, 16..) => i / 32 + 1,
        _ => 9,
    };
    assert_eq!(left, (0..192).map(expected).collect::<Vec<_>>());
}

#[test]
fn a_block_spins_for_a_store_of_another() {
    // Each block but the last waits for the next one's store to its own memory.
    let text = format!(
        "{START}
         %st = store %own, %0 !0
         %s1 = sync_cluster !0
         %last = eq %rank, %2 : bool !0
         %if = if %last !0 {{
         }} else {{
             %loop = loop !0 {{
                 %v = atomic_load.relaxed.device %own : u32 !0
                 %set = ne %v, %0 : bool !0
                 %if2 = if %set !0 {{ %br = break %loop !0 }}
             }}
         }}
         %st1 = atomic_store.relaxed.device %prev, %i !0
         %w = atomic_load.relaxed.device %own : u32 !0
         %st2 = store %at, %w !0
         %s2 = sync_cluster !0"
    );
    for workers in [1, 3] {
        let left = u32s(&text, Shape { workers, ..shape(6, 32) }, vec![9; 192]);
        for block in [0, 1, 3, 4] {
            let own: Vec<_> = (0..32).map(|t| (block + 1) * 32 + t).collect();
            assert_eq!(left[block as usize * 32..][..32], own);
        }
    }
}

#[test]
fn threads_at_different_barriers_are_a_deadlock() {
    let text = format!(
        "{START}
         %second = eq %b, %1 : bool !0
         %half = lt %t, %16 : bool !0
         %both = and %second, %half : bool !0
         %if = if %both !0 {{ %bar = barrier !0 }} else {{ %s = sync_cluster !0 }}"
    );
    for workers in [1, 3] {
        let mut values = [Value::U32(vec![0; 192])];
        let shape = Shape { workers, ..shape(6, 32) };
        let outcome = run(&program(&text), shape, &mut values);
        let Some(Stopped::Deadlock { block: [1, 0, 0], waiting }) = outcome.stopped else {
            panic!("{outcome:?}")
        };
        let at: Vec<_> = waiting.iter().map(|waiting| (waiting.at, waiting.lanes)).collect();
        assert_eq!(at, [(Meeting::Barrier, 0xffff), (Meeting::Cluster, 0xffff_0000)]);
    }
}

#[test]
fn a_block_that_nothing_releases_is_a_livelock() {
    let text = format!(
        "{START}
         %st = store %own, %0 !0
         %s = sync_cluster !0
         %second = eq %b, %1 : bool !0
         %if = if %second !0 {{
             %loop = loop !0 {{
                 %v = atomic_load.relaxed.device %next : u32 !0
                 %set = ne %v, %0 : bool !0
                 %if2 = if %set !0 {{ %br = break %loop !0 }}
             }}
         }}
         %s2 = sync_cluster !0"
    );
    for workers in [1, 3] {
        let mut values = [Value::U32(vec![0; 192])];
        let shape = Shape { workers, steps: None, ..shape(6, 32) };
        let outcome = run(&program(&text), shape, &mut values);
        let Some(Stopped::Livelock { block: [1, 0, 0], blocks: 1, .. }) = outcome.stopped else {
            panic!("{outcome:?}")
        };
    }
}

#[test]
fn clusters_have_up_to_three_dimensions() {
    // Each block reads the number of the block with the opposite rank.
    let text = "cluster 2, 2, 2
        param arg0 = out: write [u32] !0
        shared @0 = number: [u32; 1] !0
        %x = builtin block_idx.x : u32 !0
        %y = builtin block_idx.y : u32 !0
        %z = builtin block_idx.z : u32 !0
        %1 = const 1 : u32 !0
        %2 = const 2 : u32 !0
        %4 = const 4 : u32 !0
        %7 = const 7 : u32 !0
        %16 = const 16 : u32 !0
        %y4 = mul %y, %4 : u32 !0
        %z16 = mul %z, %16 : u32 !0
        %yz = add %y4, %z16 : u32 !0
        %block = add %yz, %x : u32 !0
        %rx = and %x, %1 : u32 !0
        %ry = and %y, %1 : u32 !0
        %rz = and %z, %1 : u32 !0
        %ry2 = mul %ry, %2 : u32 !0
        %rz4 = mul %rz, %4 : u32 !0
        %rxy = or %rx, %ry2 : u32 !0
        %rank = or %rxy, %rz4 : u32 !0
        %opposite = sub %7, %rank : u32 !0
        %own = shared @0 : ptr shared !0
        %st = store %own, %block !0
        %s = sync_cluster !0
        %there = map_shared %own, %opposite : ptr cluster !0
        %v = load %there : u32 !0
        %out = param arg0 : ptr global !0
        %at = index %out, %block, 4 : ptr global !0
        %st2 = store %at, %v !0
        %s2 = sync_cluster !0";
    let shape = Shape { grid: [4, 4, 2], ..shape(1, 1) };
    let opposite = |block: u32| {
        let idx = [block % 4, block / 4 % 4, block / 16];
        let [x, y, z] = idx.map(|i| i ^ 1);
        z * 16 + y * 4 + x
    };
    assert_eq!(u32s(text, shape, vec![0; 32]), (0..32).map(opposite).collect::<Vec<_>>());
}

#[test]
fn a_grid_of_parts_of_clusters_is_refused() {
    let mut values = [Value::U32(vec![0; 128])];
    let outcome = run(&program(START), shape(4, 32), &mut values);
    let message = "a grid of [4, 1, 1] blocks, in clusters of [3, 1, 1]";
    assert!(
        matches!(&outcome, Outcome { stopped: Some(Stopped::Malformed { message: said, .. }), .. } if said == message),
        "{outcome:?}"
    );
}
