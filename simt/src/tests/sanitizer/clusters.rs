//! Races between the blocks of a cluster, and accesses to blocks that may have ended.
use super::{found_in, texts};
use crate::tests::{Value, shape};

/// Two blocks of 32 threads; `%own` is the thread's place, and `%theirs` that in the other block.
const START: &str = "cluster 2, 1, 1
    param arg0 = out: write [u32] !0
    shared @0 = pad: [u32; 5] !0
    shared @1 = tile: [u32; 32] !0
    %t = builtin thread_idx.x : u32 !0
    %i = builtin global_idx.x : u32 !0
    %b = builtin block_idx.x : u32 !0
    %1 = const 1 : u32 !0
    %7 = const 7 : u32 !0
    %0 = const 0 : u32 !0
    %rank = and %b, %1 : u32 !0
    %other = xor %rank, %1 : u32 !0
    %zero = eq %rank, %0 : bool !0
    %tile = shared @1 : ptr shared !0
    %own = index %tile, %t, 4 : ptr shared !0
    %theirs = map_shared %own, %other : ptr cluster !0
    %out = param arg0 : ptr global !0
    %at = index %out, %i, 4 : ptr global !0
    %exchanged = xor %t, %1 : u32 !0
    %beside = index %tile, %exchanged, 4 : ptr shared !0
    %theirbeside = map_shared %beside, %other : ptr cluster !0\n";

fn findings(inside: &str) -> Vec<String> {
    let out = Value::U32(vec![0; 64]);
    texts(&found_in(&format!("{START}{inside}"), shape(2, 32), &[out]))
}

#[test]
fn an_exchange_between_barriers_is_clean() {
    let code = "%w = store %own, %i !5 %s = sync_cluster !6 %r = load %theirs : u32 !7
        %o = store %at, %r !8 %s2 = sync_cluster !9 %w2 = store %theirs, %7 !10
        %s3 = sync_cluster !11 %r2 = load %own : u32 !12 %o2 = store %at, %r2 !13";
    assert_eq!(findings(code), [""; 0]);
}

#[test]
fn a_missing_cluster_barrier_is_reported() {
    let code = "%w = store %own, %i !5 %b1 = barrier !6 %r = load %theirs : u32 !7
        %s = sync_cluster !8";
    let found = findings(code);
    assert_eq!(
        found,
        [
            "read-write race on tile[0] of the block with rank 0: written by thread (0,0,0) of block \
             (0,0,0) at !5, read by thread (0,0,0) of block (1,0,0) at !7, no `cluster::sync` \
             between [64 times]"
        ]
    );
}

#[test]
fn writes_by_two_blocks_to_one_race() {
    let code = "%s = sync_cluster !4 %first = map_shared %own, %0 : ptr cluster !5
        %w = store %first, %i !5 %s2 = sync_cluster !6";
    let found = findings(code);
    assert_eq!(found.len(), 1, "{found:#?}");
    let race = "write-write race on tile[0] of the block with rank 0: written by thread (0,0,0) of \
                block (0,0,0) at !5, written by thread (0,0,0) of block (1,0,0) at !5, no \
                `cluster::sync` between [32 times]";
    assert_eq!(found, [race]);
}

#[test]
fn threads_of_a_block_race_in_the_memory_of_another() {
    let code = "%s = sync_cluster !4
        %if = if %zero !5 { %w = store %theirs, %i !6 %r = load %theirbeside : u32 !7 }
        %s2 = sync_cluster !8";
    let found = findings(code);
    assert_eq!(found.len(), 1, "{found:#?}");
    let race = "warning: read-write race on tile[0] of the block with rank 1: written by thread \
                (0,0,0) at !6, read by thread (1,0,0) at !7, block (0,0,0), no `sync_warp` between \
                these lanes of one warp";
    assert!(found[0].starts_with(race), "{found:#?}");
    let code = code.replace("%r = load", "%bar = barrier !7 %r = load");
    assert_eq!(findings(&code), [""; 0]);
}

#[test]
fn a_cluster_barrier_orders_global_memory_within_the_cluster_only() {
    let there = "%far = xor %i, %k : u32 !0 %there = index %out, %far, 4 : ptr global !0
        %w = store %at, %i !5 %s = sync_cluster !6 %r = load %there : u32 !7";
    let near = format!("%k = const 32 : u32 !0 {there}");
    assert_eq!(findings(&near), [""; 0]);
    let far = format!("%k = const 64 : u32 !0 {there}");
    let out = Value::U32(vec![0; 128]);
    let found = texts(&found_in(&format!("{START}{far}"), shape(4, 32), &[out]));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("and nothing orders the two blocks"), "{found:#?}");
}

#[test]
fn reads_of_a_block_that_may_have_ended_are_reported() {
    let code = "%w = store %own, %i !5 %s = sync_cluster !6 %r = load %theirs : u32 !7
        %o = store %at, %r !8";
    assert_eq!(
        findings(code),
        [
            "access to tile[0] of the block with rank 0, which may have ended: read by thread (0,0,0) \
             of block (1,0,0) at !7, no `cluster::sync` before that block ends [64 times]"
        ]
    );
    // Only block 0 reads, and only block 1 may end before that.
    let code = code.replace("%r = load", "%if = if %zero !6 { } else { %e = return !6 } %r = load");
    let found = findings(&code);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("of the block with rank 1, which may have ended"), "{found:#?}");
}

#[test]
fn a_release_and_an_acquire_order_blocks() {
    // Block 1 announces that it has read, and block 0 waits for that.
    let code = "%w = store %own, %i !5 %s = sync_cluster !6 %flag = shared @0 : ptr shared !0
        %theirflag = map_shared %flag, %0 : ptr cluster !0
        %if = if %zero !7 {
            %loop = loop !8 {
                %v = atomic_load.acquire.device %flag : u32 !9
                %set = eq %v, %7 : bool !9
                %if2 = if %set !9 { %br = break %loop !9 }
            }
            %w2 = store %own, %7 !10
        } else {
            %r = load %theirs : u32 !11
            %sw = sync_warp !12
            %lowest = eq %t, %0 : bool !12
            %if3 = if %lowest !12 { %st = atomic_store.release.device %theirflag, %7 !13 }
        }";
    assert_eq!(findings(code), [""; 0]);
    let relaxed = code.replace(".acquire", ".relaxed").replace(".release", ".relaxed");
    let found = findings(&relaxed);
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(found[0].starts_with("read-write race on tile[0] of the block with rank 0"));
    assert!(
        found[1].starts_with("access to tile[0] of the block with rank 0, which may have ended")
    );
}

#[test]
fn races_are_found_after_many_accesses() {
    let code = "%s = sync_cluster !4 %end = const 5000 : u32 !4
        %n = for %0, %end, step %1 : u32 !5 {
            %w = store %own, %n !6
        }
        %r = load %theirbeside : u32 !7 %s2 = sync_cluster !8";
    // Block 1 reads first: each read races with 5000 writes, and those of block 0 with the last.
    let race = "read-write race on tile[0] of the block with rank 0: written by thread (0,0,0) of \
                block (0,0,0) at !6, read by thread (1,0,0) of block (1,0,0) at !7, no \
                `cluster::sync` between [160032 times]";
    assert_eq!(findings(code), [race]);
}

#[test]
fn a_cluster_barrier_chains_with_releases() {
    // Block 0 writes, and after the barrier block 1 tells block 2, of another cluster.
    let code = "%2 = const 2 : u32 !0 %far = const 200 : u32 !0 %lowest = eq %t, %0 : bool !0
        %flag = index %out, %far, 4 : ptr global !0 %start = index %out, %t, 4 : ptr global !0
        %first = eq %b, %0 : bool !0 %second = eq %b, %1 : bool !0 %third = eq %b, %2 : bool !0
        %if1 = if %first !5 { %w = store %at, %i !5 }
        %s = sync_cluster !6
        %tells = and %second, %lowest : bool !7 %asks = and %third, %lowest : bool !7
        %if2 = if %tells !7 { %st = atomic_store.release.device %flag, %7 !8 }
        %if3 = if %asks !9 {
            %loop = loop !9 {
                %v = atomic_load.acquire.device %flag : u32 !9
                %set = eq %v, %7 : bool !9
                %if4 = if %set !9 { %br = break %loop !9 }
            }
            %r = load %start : u32 !10
            %o = store %at, %r !11
        }";
    let run = |code: &str| {
        let out = Value::U32(vec![0; 256]);
        texts(&found_in(&format!("{START}{code}"), shape(4, 32), &[out]))
    };
    assert_eq!(run(code), [""; 0]);
    let found = run(&code.replace("sync_cluster", "barrier"));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("read-write race on out[0]"), "{found:#?}");
}

#[test]
fn atomics_of_block_scope_race_across_blocks() {
    let code = "%s = sync_cluster !4 %first = map_shared %tile, %0 : ptr cluster !5
        %a = atomic.add.relaxed.SCOPE %first, %1 : u32 !5 %s2 = sync_cluster !6";
    assert_eq!(findings(&code.replace("SCOPE", "device")), [""; 0]);
    let found = findings(&code.replace("SCOPE", "block"));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("race of atomics of one block's scope on tile[0]"), "{found:#?}");
}

#[test]
fn different_cluster_barriers_are_reported() {
    let code = "%odd = and %t, %1 : u32 !0 %is = eq %odd, %0 : bool !0
        %if = if %is !5 { %s = sync_cluster !6 } else { %s2 = sync_cluster !7 }";
    let found = findings(code);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("barrier"), "{found:#?}");
}
