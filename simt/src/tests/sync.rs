//! Barriers, collectives and locks: threads that wait for each other.
use super::{Value, program, run, shape, u32s};
use crate::{Meeting, Outcome, Stopped, Waiting};
use warpwise_compiler::{id::Id, ir::Span};

const START: &str = "param arg0 = out: write [u32] !0
    %i = builtin global_idx.x : u32 !0
    %t = builtin thread_idx.x : u32 !0
    %out = param arg0 : ptr global !0
    %at = index %out, %i, 4 : ptr global !0
    %0 = const 0 : u32 !0
    %1 = const 1 : u32 !0
    %2 = const 2 : u32 !0
    %16 = const 16 : u32 !0
    %32 = const 32 : u32 !0\n";

fn start_with(declarations: &str) -> String {
    START.replacen("%i =", &format!("{declarations}\n%i ="), 1)
}

#[test]
fn barriers_wait_for_all_that_have_not_returned() {
    for threads in [1, 33, 256, 257, 700, 1024] {
        let start = start_with("shared @0 = s: [u32; 1024] !0");
        // The threads of the last third return first.
        let text = format!(
            "{start}
             %limit = const {limit} : u32 !0
             %outside = ge %t, %limit : bool !0
             %if = if %outside !0 {{ %return = return !0 }}
             %s = shared @0 : ptr shared !0
             %mine = index %s, %t, 4 : ptr shared !0
             %st = store %mine, %t !0
             %b = barrier !0
             %other = sub %limit, %t : u32 !0
             %other1 = sub %other, %1 : u32 !0
             %theirs = index %s, %other1, 4 : ptr shared !0
             %v = load %theirs : u32 !0
             %st2 = store %at, %v !0",
            limit = threads * 2 / 3 + 1
        );
        let limit = threads * 2 / 3 + 1;
        let left = u32s(&text, shape(2, threads), vec![9999; 2 * threads as usize]);
        for (i, got) in left.into_iter().enumerate() {
            let t = i as u32 % threads;
            assert_eq!(
                got,
                if t < limit { limit - 1 - t } else { 9999 },
                "thread {t} of {threads}"
            );
        }
    }
}

#[test]
fn barriers_in_loops_order_shared_memory() {
    // A tree of sums.
    let start = start_with("shared @0 = s: [u32; 1024] !0\nlocal $0 = half: u32 !0");
    for threads in [32, 256, 512, 1024_u32] {
        let text = format!(
            "{start}
             %s = shared @0 : ptr shared !0
             %mine = index %s, %t, 4 : ptr shared !0
             %st = store %mine, %t !0
             %b = barrier !0
             %h = const {} : u32 !0
             %h0 = set $0, %h !0
             %loop = loop !0 {{
                 %half = get $0 : u32 !0
                 %done = eq %half, %0 : bool !0
                 %if = if %done !0 {{ %br = break %loop !0 }}
                 %low = lt %t, %half : bool !0
                 %if2 = if %low !0 {{
                     %o = add %t, %half : u32 !0
                     %op = index %s, %o, 4 : ptr shared !0
                     %ov = load %op : u32 !0
                     %mv = load %mine : u32 !0
                     %sum = add %ov, %mv : u32 !0
                     %st2 = store %mine, %sum !0
                 }}
                 %b2 = barrier !0
                 %h1 = get $0 : u32 !0
                 %h2 = shr %h1, %1 : u32 !0
                 %h3 = set $0, %h2 !0
             }}
             %total = load %s : u32 !0
             %st3 = store %at, %total !0",
            threads / 2
        );
        let left = u32s(&text, shape(2, threads), vec![0; 2 * threads as usize]);
        assert!(left.iter().all(|sum| *sum == threads * (threads - 1) / 2), "{threads}: {left:?}");
    }
}

#[test]
fn barriers_count() {
    for threads in [5, 256, 600] {
        let text = format!(
            "{START}
             %third = const 3 : u32 !0
             %r = rem %t, %third : u32 !0
             %is = eq %r, %0 : bool !0
             %none = lt %t, %0 : bool !0
             %count = barrier.count %is : u64 !0
             %and = barrier.and %is : bool !0
             %or = barrier.or %is : bool !0
             %never = barrier.or %none : bool !0
             %c = cast %count : u32 !0
             %a = cast %and : u32 !0
             %o = cast %or : u32 !0
             %n = cast %never : u32 !0
             %s1 = shl %c, %1 : u32 !0
             %s2 = add %s1, %a : u32 !0
             %s3 = shl %s2, %1 : u32 !0
             %s4 = add %s3, %o : u32 !0
             %s5 = shl %s4, %1 : u32 !0
             %s6 = add %s5, %n : u32 !0
             %st = store %at, %s6 !0"
        );
        let left = u32s(&text, shape(1, threads), vec![0; threads as usize]);
        assert!(left.iter().all(|value| *value == threads.div_ceil(3) * 8 + 2), "{left:?}");
    }
}

/// Returns the result of a shuffle in each of 40 threads, whose values are their numbers times ten.
fn shuffled(op: &str, lane: &str, width: u32) -> Vec<u32> {
    let text = format!(
        "{START}
         %ten = const 10 : u32 !0
         %v = mul %t, %ten : u32 !0
         %lane = {lane} : u32 !0
         %r = shuffle.{op} %v, %lane, width {width} : u32 !0
         %st = store %at, %r !0"
    );
    u32s(&text, shape(1, 40), vec![0; 40])
}

#[test]
fn shuffles_reach_the_lanes_that_exist() {
    let lanes = |from: &dyn Fn(u32) -> u32| {
        (0..40)
            .map(|t| {
                let source = t / 32 * 32 + from(t % 32);
                // The second warp has eight lanes; others have no value.
                10 * if source < 40 { source } else { t }
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(shuffled("down", "const 3", 32), lanes(&|l| if l + 3 < 32 { l + 3 } else { l }));
    assert_eq!(shuffled("up", "const 3", 32), lanes(&|l| if l >= 3 { l - 3 } else { l }));
    assert_eq!(shuffled("up", "const 9", 8), lanes(&|l| l));
    assert_eq!(shuffled("down", "const 4294967295", 8), lanes(&|l| l));
    assert_eq!(shuffled("xor", "const 5", 32), lanes(&|l| l ^ 5));
    assert_eq!(shuffled("xor", "const 9", 8), lanes(&|l| l));
    assert_eq!(shuffled("xor", "const 7", 8), lanes(&|l| l ^ 7));
    assert_eq!(shuffled("index", "const 2", 32), lanes(&|_| 2));
    assert_eq!(shuffled("index", "const 13", 4), lanes(&|l| l / 4 * 4 + 1));
    assert_eq!(shuffled("index", "sub %t, %1", 16), lanes(&|l| l / 16 * 16 + (l + 15) % 16));
}

#[test]
fn votes_include_the_live_lanes() {
    let text = format!(
        "{START}
         %33 = const 33 : u32 !0
         %gone = ge %t, %33 : bool !0
         %if = if %gone !0 {{ %ret = return !0 }}
         %odd = and %t, %1 : u32 !0
         %is = eq %odd, %1 : bool !0
         %b = vote.ballot %is : u32 !0
         %small = lt %t, %16 : bool !0
         %any = vote.any %small : bool !0
         %all = vote.all %small : bool !0
         %a1 = cast %any : u32 !0
         %a2 = cast %all : u32 !0
         %s = shl %a1, %2 : u32 !0
         %s1 = add %s, %a2 : u32 !0
         %x = xor %b, %s1 : u32 !0
         %st = store %at, %x !0"
    );
    let left = u32s(&text, shape(1, 40), vec![7; 40]);
    assert_eq!(left[..32], [0xaaaa_aaaa ^ 4; 32], "half of the lanes");
    assert_eq!(left[32..], [0, 7, 7, 7, 7, 7, 7, 7], "one lane, and seven that have returned");
}

#[test]
fn masked_lanes_synchronize_among_themselves() {
    // The halves of a warp shuffle in different arms, each by itself.
    let text = format!(
        "{START}
         %low = lt %t, %16 : bool !0
         %if = if %low !0 {{
             %m = const 65535 : u32 !0
             %v = shuffle.xor %t, %1, width 32, mask %m : u32 !0
             %st = store %at, %v !0
         }} else {{
             %m2 = const 4294901760 : u32 !0
             %v2 = shuffle.xor %t, %2, width 32, mask %m2 : u32 !0
             %sync = sync_warp %m2 !0
             %true = const true : bool !0
             %b = vote.ballot %true, mask %m2 : u32 !0
             %x = xor %v2, %b : u32 !0
             %st2 = store %at, %x !0
         }}"
    );
    let left = u32s(&text, shape(1, 32), vec![0; 32]);
    let expected = |t: u32| if t < 16 { t ^ 1 } else { t ^ 2 ^ 0xffff_0000 };
    assert_eq!(left, (0..32).map(expected).collect::<Vec<_>>());
}

#[test]
fn masks_may_differ_between_lanes() {
    let text = format!(
        "{START}
         %low = lt %t, %16 : bool !0
         %m = const 65535 : u32 !0
         %m2 = const 4294901760 : u32 !0
         %mask = select %low, %m, %m2 : u32 !0
         %true = const true : bool !0
         %b = vote.ballot %true, mask %mask : u32 !0
         %st = store %at, %b !0"
    );
    let left = u32s(&text, shape(1, 32), vec![0; 32]);
    assert_eq!(left[..16], [0xffff; 16]);
    assert_eq!(left[16..], [0xffff_0000; 16]);
}

#[test]
fn collectives_wait_for_late_lanes() {
    // Odd lanes first run a loop with different trip counts; then all shuffle.
    let start = start_with("local $0 = x: u32 !0");
    let text = format!(
        "{start}
         %x0 = set $0, %t !0
         %odd = and %t, %1 : u32 !0
         %is = eq %odd, %1 : bool !0
         %outer = for %0, %2, step %1 : u32 !0 {{
             %if = if %is !0 {{
                 %for = for %0, %t, step %1 : u32 !0 {{
                     %x1 = get $0 : u32 !0
                     %x2 = add %x1, %1 : u32 !0
                     %x3 = set $0, %x2 !0
                 }}
             }}
             %x4 = get $0 : u32 !0
             %v = shuffle.xor %x4, %1, width 32 : u32 !0
             %x5 = set $0, %v !0
         }}
         %x6 = get $0 : u32 !0
         %st = store %at, %x6 !0"
    );
    let mut expected: Vec<u32> = (0..64).collect();
    for _ in 0..2 {
        for t in (1..64).step_by(2) {
            expected[t] += t as u32;
        }
        for t in (0..64).step_by(2) {
            expected.swap(t, t + 1);
        }
    }
    assert_eq!(u32s(&text, shape(1, 64), vec![0; 64]), expected);
}

#[test]
fn shuffles_in_different_arms_never_converge() {
    let text = format!(
        "{START}
         %low = lt %t, %16 : bool !0
         %if = if %low !0 {{
             %v = shuffle.xor %t, %1, width 32 : u32 !5
         }} else {{
             %sync = sync_warp !6
         }}"
    );
    let outcome = run(&program(&text), shape(2, 32), &mut [Value::U32(vec![0; 64])]);
    let wait = |at, span, lanes: u32| Waiting {
        at,
        span: Span::new(span),
        warp: 0,
        lanes,
        missing: !lanes,
    };
    let waiting = vec![wait(Meeting::Shuffle, 5, 0xffff), wait(Meeting::SyncWarp, 6, 0xffff_0000)];
    assert_eq!(outcome.stopped, Some(Stopped::Deadlock { block: [0, 0, 0], waiting }));
    let text = outcome.stopped.unwrap().to_string();
    assert_eq!(
        text,
        "deadlock in block (0, 0, 0): lanes 0x0000ffff of warp 0 wait at a shuffle (!5) without \
         lanes 0xffff0000; lanes 0xffff0000 of warp 0 wait at a warp barrier (!6) without lanes 0x0000ffff"
    );
}

#[test]
fn a_shuffle_and_a_barrier_deadlock() {
    let text = format!(
        "{START}
         %first = eq %t, %0 : bool !0
         %if = if %first !0 {{ %v = shuffle.xor %t, %1, width 32 : u32 !5 }}
         %b = barrier !6"
    );
    let outcome = run(&program(&text), shape(3, 40), &mut [Value::U32(vec![0; 120])]);
    let Some(Stopped::Deadlock { block: [0, 0, 0], waiting }) = outcome.stopped else {
        panic!("{outcome:?}")
    };
    let at: Vec<_> = waiting.iter().map(|w| (w.at, w.span.index(), w.warp, w.lanes)).collect();
    assert_eq!(
        at,
        [(Meeting::Shuffle, 5, 0, 1), (Meeting::Barrier, 6, 0, !1), (Meeting::Barrier, 6, 1, 0xff)]
    );
}

#[test]
fn two_textual_barriers_are_one() {
    // As on hardware, where a barrier counts arrivals.
    let text = format!(
        "{START}
         %low = lt %t, %16 : bool !0
         %if = if %low !0 {{ %b1 = barrier !0 %s = store %at, %1 !0 }} else {{ %b2 = barrier !0 %s2 = store %at, %2 !0 }}"
    );
    let left = u32s(&text, shape(1, 300), vec![0; 300]);
    assert!(left.iter().enumerate().all(|(t, v)| *v == if t < 16 { 1 } else { 2 }));
}

/// Returns a counter protected by a lock: every thread adds one, with `%critical` in between.
fn lock(acquire_and_release: &str) -> String {
    format!(
        "param arg0 = lock: atomic [u32] !0
         param arg1 = count: write [u32] !0
         %0 = const 0 : u32 !0
         %1 = const 1 : u32 !0
         %lock = param arg0 : ptr global !0
         %count = param arg1 : ptr global !0
         {acquire_and_release}"
    )
}

const CRITICAL: &str = "%v = load %count : u32 !0
     %v1 = add %v, %1 : u32 !0
     %s = store %count, %v1 !0
     %release = atomic_store.release.device %lock, %0 !0";

fn check_lock(text: &str, blocks: u32, threads: u32, workers: usize) {
    let mut values = [Value::U32(vec![0]), Value::U32(vec![0])];
    let shape = super::Shape { workers, ..shape(blocks, threads) };
    assert_eq!(run(&program(text), shape, &mut values), Outcome::default());
    assert_eq!(values[1].u32s(), [blocks * threads]);
}

#[test]
fn lanes_of_a_warp_take_turns_at_a_lock() {
    // The lane with the lock stays in the loop until it has released it.
    let inside = lock(&format!(
        "%loop = loop !0 {{
             %old = compare_exchange.acquire.device %lock, %0, %1 : u32 !0
             %got = eq %old, %0 : bool !0
             %if = if %got !0 {{ {CRITICAL} %b = break %loop !0 }}
         }}"
    ));
    // The lane leaves the loop with the lock, while others spin.
    let behind = lock(&format!(
        "%loop = loop !0 {{
             %old = compare_exchange.acquire.device %lock, %0, %1 : u32 !0
             %got = eq %old, %0 : bool !0
             %if = if %got !0 {{ %b = break %loop !0 }}
         }}
         {CRITICAL}"
    ));
    for text in [inside, behind] {
        check_lock(&text, 1, 32, 1);
        check_lock(&text, 3, 70, 1);
        check_lock(&text, 4, 40, 2);
    }
}

#[test]
fn lanes_of_a_warp_pass_a_baton() {
    // Each lane waits for the lane above it: in any order, the last lane is the first to continue.
    let text = format!(
        "{}
         %me = index %out, %t, 4 : ptr global !0
         %last = const 63 : u32 !0
         %start = eq %t, %last : bool !0
         %if = if %start !0 {{ %st = atomic_store.release.device %me, %1 !0 }} else {{
             %next = add %t, %1 : u32 !0
             %theirs = index %out, %next, 4 : ptr global !0
             %loop = loop !0 {{
                 %seen = atomic_load.acquire.device %theirs : u32 !0
                 %there = ne %seen, %0 : bool !0
                 %if2 = if %there !0 {{
                     %more = add %seen, %1 : u32 !0
                     %st2 = atomic_store.release.device %me, %more !0
                     %b = break %loop !0
                 }}
             }}
         }}",
        START.replace("write [u32]", "atomic [u32]")
    );
    assert_eq!(u32s(&text, shape(1, 64), vec![0; 64]), (1..=64).rev().collect::<Vec<_>>());
}

#[test]
fn lanes_wait_for_lanes_that_wait_at_the_end_of_the_loop() {
    // Lane 0 leaves its loop at once and sets the flag after it; the others wait for that.
    let text = format!(
        "{}
         %loop = loop !0 {{
             %first = eq %t, %0 : bool !0
             %if = if %first !0 {{ %b = break %loop !0 }}
             %seen = atomic_load.acquire.device %out : u32 !0
             %set = ne %seen, %0 : bool !0
             %if2 = if %set !0 {{ %b2 = break %loop !0 }}
         }}
         %old = atomic.add.acq_rel.device %out, %1 : u32 !0",
        START.replace("write [u32]", "atomic [u32]")
    );
    assert_eq!(u32s(&text, shape(1, 256), vec![0]), [256]);
}

/// Each block waits until the block `%other` has published, before it publishes itself.
pub(super) fn blocks(first: &str, other: &str) -> String {
    format!(
        "{}
         %b = builtin block_idx.x : u32 !0
         %mine = index %out, %b, 4 : ptr global !0
         %is0 = eq %t, %0 : bool !0
         %if = if %is0 !0 {{
             %firstb = const {first} : u32 !0
             %start = eq %b, %firstb : bool !0
             %if1 = if %start !0 {{ %st = atomic_store.release.device %mine, %1 !0 }} else {{
                 %o = {other} %b, %1 : u32 !0
                 %theirs = index %out, %o, 4 : ptr global !0
                 %loop = loop !0 {{
                     %seen = atomic_load.acquire.device %theirs : u32 !0
                     %there = ne %seen, %0 : bool !0
                     %if2 = if %there !0 {{
                         %more = add %seen, %1 : u32 !0
                         %st2 = atomic_store.release.device %mine, %more !0
                         %br = break %loop !0
                     }}
                 }}
             }}
         }}
         %bar = barrier !0",
        START.replace("write [u32]", "atomic [u32]")
    )
}

#[test]
fn blocks_wait_for_earlier_ones() {
    for workers in [1, 2, 5] {
        let shape = super::Shape { workers, ..shape(100, 48) };
        assert_eq!(u32s(&blocks("0", "sub"), shape, vec![0; 100]), (1..=100).collect::<Vec<_>>());
    }
}

#[test]
fn blocks_wait_for_later_ones() {
    for workers in [1, 3] {
        let shape = super::Shape { workers, ..shape(40, 300) };
        let left = u32s(&blocks("39", "add"), shape, vec![0; 40]);
        assert_eq!(left, (1..=40).rev().collect::<Vec<_>>());
    }
}

#[test]
fn a_kernel_that_never_ends_is_stopped() {
    let text = "param arg0 = out: write [u32] !0
        %0 = loop !0 { %1 = fence.device !0 }";
    for workers in [1, 4] {
        let shape = super::Shape { workers, steps: Some(10_000), ..shape(8, 64) };
        let outcome = run(&program(text), shape, &mut [Value::U32(vec![0])]);
        assert_eq!(outcome.stopped, Some(Stopped::StepBudget { steps: 10_000 }));
    }
    let waits = format!(
        "{}
         %loop = loop !0 {{
             %seen = atomic_load.acquire.device %out : u32 !0
             %set = ne %seen, %0 : bool !0
             %if = if %set !0 {{ %b = break %loop !0 }}
         }}",
        START.replace("write [u32]", "atomic [u32]")
    );
    let shape = super::Shape { steps: Some(100_000), ..shape(3, 64) };
    let outcome = run(&program(&waits), shape, &mut [Value::U32(vec![0])]);
    // A launch that uses up its steps slowly is found to be a livelock before that.
    let stopped = outcome.stopped;
    let steps = 100_000;
    assert!(
        matches!(stopped, Some(Stopped::StepBudget { steps: spent }) if spent == steps)
            || matches!(stopped, Some(Stopped::Livelock { blocks: 3, .. })),
        "{stopped:?}"
    );
}

/// Runs a deadlock of a block of 64 threads; returns the operations at which lanes wait, with their
/// spans, warps and lanes.
fn waiting_at_deadlock(text: &str) -> Vec<(Meeting, usize, u32, u32)> {
    let outcome = run(&program(text), shape(1, 64), &mut [Value::U32(vec![0; 64])]);
    let Some(Stopped::Deadlock { block: [0, 0, 0], waiting }) = outcome.stopped else {
        panic!("{outcome:?}")
    };
    waiting.iter().map(|w| (w.at, w.span.index(), w.warp, w.lanes)).collect()
}

#[test]
fn named_barriers_deadlock_without_all_their_warps() {
    let deadlock = |code: &str| {
        let text = format!(
            "{START}
             %first = lt %t, %32 : bool !0
             {code}"
        );
        waiting_at_deadlock(&text)
    };
    let named = Meeting::NamedBarrier;
    assert_eq!(
        deadlock("%if = if %first !0 { %b = named_barrier.sync 1, 64 !5 }"),
        [(named, 5, 0, !0)]
    );
    let both = "%if = if %first !0 { %b = named_barrier.sync 1, 64 !5 } else { %c = barrier !6 }";
    assert_eq!(deadlock(both), [(named, 5, 0, !0), (Meeting::Barrier, 6, 1, !0)]);
    let ended = "%if = if %first !0 { %r = return !0 } %b = named_barrier.sync 1, 64 !5";
    assert_eq!(deadlock(ended), [(named, 5, 1, !0)]);
    let twice = "%b = named_barrier.sync 1, 64 !5
        %if = if %first !0 { %c = named_barrier.sync 1, 64 !6 }";
    assert_eq!(deadlock(twice), [(named, 6, 0, !0)]);
    // Half a warp is not there.
    let half = "%half = lt %t, %16 : bool !0
        %if = if %half !0 { %b = named_barrier.arrive 1, 32 !5 %c = sync_warp %16 !7 } else { %d = barrier !6 }";
    let waiting = deadlock(half);
    assert_eq!(waiting[0], (named, 5, 0, 0xffff));
}

#[test]
fn mbarriers_deadlock_without_all_their_threads() {
    let deadlock = |code: &str| {
        let start = start_with("shared @0 = full: [u64; 2] mbarrier 33 !0");
        let text = format!(
            "{start}
             %f = shared @0 : ptr shared !0 %even = const 0 : u32 !0
             %first = lt %t, %32 : bool !0
             {code}"
        );
        waiting_at_deadlock(&text)
    };
    let one_warp = "%if = if %first !0 {
        %token = mbarrier_arrive %f : u64 !5 %wait = mbarrier_wait %f, %token !6 }";
    assert_eq!(deadlock(one_warp), [(Meeting::MBarrier, 6, 0, !0)]);
    let nobody =
        "%if = if %first !0 { %wait = mbarrier_wait %f, %even !5 } else { %b = barrier !6 }";
    assert_eq!(deadlock(nobody), [(Meeting::MBarrier, 5, 0, !0), (Meeting::Barrier, 6, 1, !0)]);
    // The second phase lacks two arrivals of 64.
    let twice = "%token = mbarrier_arrive %f : u64 !5 %wait = mbarrier_wait %f, %token !6";
    let waiting = deadlock(twice);
    assert_eq!((waiting[0].0, waiting[0].1), (Meeting::MBarrier, 6));
    // Lanes of a warp continue together: the second one waits for the first.
    let half = "%half = lt %t, %16 : bool !0
        %choice = select %half, %1, %0 : u32 !0
        %wait = mbarrier_wait %f, %choice !5";
    assert_eq!(deadlock(half)[0], (Meeting::MBarrier, 5, 0, !0));
}

#[test]
fn products_of_warpgroups_deadlock_without_all_their_warps() {
    let start = start_with(
        "shared @0 = tile: [plain 8192 align 1024; 1] !0
         array #0 = sums: [f32; 128] !0",
    );
    let text = format!(
        "{start}
         %a = shared @0 : ptr shared !0 %sums = array #0 : ptr local !0
         %p = wgmma.bf16.k.k.zero 8, %sums, %a, %a !5"
    );
    let at = |warp| (Meeting::Warpgroup, 5, warp, !0);
    assert_eq!(waiting_at_deadlock(&text), [at(0), at(1)]);
}
