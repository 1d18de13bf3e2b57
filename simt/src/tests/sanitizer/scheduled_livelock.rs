//! Livelocks, and launches that end, in seeded schedules.
use super::kernel;
use crate::{Arg, Launch, Memory, Outcome, Spinning, Stopped, TracedProgram};
use warpwise_compiler::{
    id::Id,
    ir::{ParamId, Root, Span},
};

/// Some words that all threads share, and 8 words of the block.
const START: &str = "param arg0 = flag: atomic [u32] !0
    shared @0 = own: [u32; 8] !0
    local $0 = n: u32 !0
    %t = builtin thread_idx.x : u32 !0
    %b = builtin block_idx.x : u32 !0
    %lane = builtin lane_id : u32 !0
    %k0 = const 0 : u32 !0
    %k1 = const 1 : u32 !0
    %k2 = const 2 : u32 !0
    %k5 = const 5 : u32 !0
    %k37 = const 37 : u32 !0
    %zero = eq %t, %k0 : bool !0
    %five = eq %t, %k5 : bool !0
    %flag = param arg0 : ptr global !0
    %f1 = offset %flag, 4 : ptr global !0
    %own = shared @0 : ptr shared !0
    %init = set $0, %k0 !0
";

/// Waits until a word is not 0, at line 5.
fn wait_for_word(on: &str) -> String {
    format!(
        "%w{on} = loop !5 {{
            %v{on} = atomic_load.acquire.device %{on} : u32 !4
            %c{on} = ne %v{on}, %k0 : bool !4
            %if{on} = if %c{on} !4 {{ %br{on} = break %w{on} !4 }}
        }}"
    )
}

/// Returns the outcome of a launch of some blocks of `threads` threads, and the first words.
fn run(inside: &str, shape: (u32, u32), seed: u64) -> (Outcome, [u32; 2]) {
    let program = TracedProgram::new(&kernel(&format!("{START}{inside}")));
    let memory = Memory::zeroed(64);
    let outcome = launch(&program, &[(&memory, 16)], shape, seed, 1 << 32);
    (outcome, [0, 1].map(|word| read_words(&memory)[word]))
}

fn read_words(memory: &Memory) -> Vec<u32> {
    let mut bytes = vec![0; memory.len()];
    memory.read_into(0, &mut bytes);
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn launch(
    program: &TracedProgram,
    memories: &[(&Memory, u64)],
    (blocks, threads): (u32, u32),
    seed: u64,
    steps: u64,
) -> Outcome {
    let args: Vec<_> =
        memories.iter().map(|(memory, len)| Arg::Slice { memory, offset: 0, len: *len }).collect();
    let (grid, block) = ([blocks, 1, 1], [threads, 1, 1]);
    let launch = Launch { grid, block, args: &args, workers: None, steps: Some(steps) };
    program.run(&launch, Some(seed), Vec::new())
}

/// Returns the livelock in which a launch ends, the same in all orders.
fn expect_livelock(inside: &str, shape: (u32, u32)) -> ([u32; 3], u64, Vec<Spinning>, usize) {
    let livelock = |seed| match run(inside, shape, seed).0.stopped {
        Some(Stopped::Livelock { block, spinning, waiting, blocks }) => {
            (block, blocks, spinning, waiting.len())
        }
        other => panic!("seed {seed}: {other:?}"),
    };
    let first = livelock(0);
    (1..6).for_each(|seed| assert_eq!(livelock(seed), first, "seed {seed}"));
    first
}

/// Checks that a launch ends in all orders, with these words.
fn check_ends(inside: &str, shape: (u32, u32), with: [u32; 2]) {
    for seed in 0..12 {
        assert_eq!(run(inside, shape, seed), (Outcome::default(), with), "seed {seed}");
    }
}

/// Returns threads that spin on the flag in a loop at a line.
fn spinning_on_flag(line: usize, threads: u32, thread: u32) -> Spinning {
    let reads = vec![Root::Param(ParamId::new(0))];
    Spinning { span: Span::new(line), reads, threads, thread: [thread, 0, 0] }
}

#[test]
fn waiting_for_unwritten_memory_is_a_livelock() {
    assert_eq!(
        expect_livelock(&wait_for_word("flag"), (5, 300)),
        ([0; 3], 5, vec![spinning_on_flag(5, 300, 0)], 0)
    );
    // More blocks than are started at once.
    assert_eq!(
        expect_livelock(&wait_for_word("flag"), (100, 4)),
        ([0; 3], 100, vec![spinning_on_flag(5, 4, 0)], 0)
    );
}

#[test]
fn lanes_may_wait_for_each_other() {
    let text = |set: &str| {
        format!(
            "%if = if %five !0 {{ {} %st = atomic_store.release.device %f1, %k5 !0 }} else {{
                 %if2 = if %zero !0 {{ {set} }}
             }}",
            wait_for_word("flag")
        )
    };
    check_ends(&text("%st2 = atomic_store.release.device %flag, %k1 !0"), (1, 32), [1, 5]);
    assert_eq!(
        expect_livelock(&text(""), (1, 32)),
        ([0; 3], 1, vec![spinning_on_flag(5, 1, 5)], 0)
    );
}

#[test]
fn warps_may_wait_for_each_other() {
    // The last warp sets the flag of the block, after a long time.
    let text = |set: &str| {
        format!(
            "%st0 = atomic_store.release.block %own, %k0 !0
             %bar = barrier !0
             %k64 = const 64 : u32 !0
             %last = ge %t, %k64 : bool !0
             %if = if %last !0 {{
                 %most = const 3000 : u32 !0
                 %for = for %k0, %most, step %k1 : u32 !0 {{
                     %n = get $0 : u32 !0
                     %m = add %n, %t : u32 !0
                     %s = set $0, %m !0
                 }}
                 {set}
             }} else {{ {} %st = atomic_store.release.device %flag, %k1 !0 }}",
            wait_for_word("own")
        )
    };
    check_ends(&text("%st2 = atomic_store.release.block %own, %k1 !0"), (2, 96), [1, 0]);
    let (block, blocks, spinning, waiting) = expect_livelock(&text(""), (2, 96));
    assert_eq!((block, blocks, spinning.len(), waiting), ([0; 3], 2, 1, 0));
    assert_eq!((spinning[0].span, spinning[0].threads), (Span::new(5), 64));
    assert_eq!(spinning[0].reads, [Root::Shared(Id::new(0))]);
}

#[test]
fn blocks_may_wait_for_later_ones() {
    let text = |last: u32| {
        format!(
            "%last = const {last} : u32 !0
             %is = eq %b, %last : bool !0
             %if = if %is !0 {{ %st = atomic_store.release.device %flag, %k1 !0 }} else {{ {} }}
             %old = atomic.add.relaxed.device %f1, %k1 : u32 !0",
            wait_for_word("flag")
        )
    };
    check_ends(&text(99), (100, 8), [1, 800]);
    let (_, blocks, spinning, _) = expect_livelock(&text(100), (20, 8));
    assert_eq!((blocks, spinning), (20, vec![spinning_on_flag(5, 8, 0)]));
}

#[test]
fn threads_at_barriers_are_reported_too() {
    let text = format!("%if = if %five !0 {{ {} }} %sync = barrier !6", wait_for_word("flag"));
    assert_eq!(expect_livelock(&text, (1, 40)), ([0; 3], 1, vec![spinning_on_flag(5, 1, 5)], 2));
}

#[test]
fn polling_through_barriers_and_votes_is_a_livelock() {
    let text = "%w = loop !5 {
            %v = atomic_load.acquire.device %flag : u32 !4
            %c = ne %v, %k0 : bool !4
            %any = barrier.or %c : bool !4
            %all = vote.any %any : bool !4
            %if = if %all !4 { %br = break %w !4 }
        }";
    let (block, blocks, spinning, waiting) = expect_livelock(text, (3, 300));
    assert_eq!((block, blocks, waiting, spinning.len()), ([0; 3], 3, 0, 1));
    assert_eq!((spinning[0].span, spinning[0].threads), (Span::new(5), 300));
    let set = format!(
        "%two = eq %b, %k2 : bool !0
         %if0 = if %two !0 {{ %st = atomic_store.release.device %flag, %k1 !0 }}
         {text}"
    );
    check_ends(&set, (3, 300), [1, 0]);
    // The loop reads no memory.
    let (_, _, spinning, _) = expect_livelock("%l = loop !5 { %bar = barrier !5 }", (1, 70));
    assert_eq!((spinning[0].threads, spinning[0].reads.len()), (70, 0));
}

#[test]
fn loops_that_nothing_ends_are_livelocks() {
    let (block, blocks, spinning, _) =
        expect_livelock("%if = if %five !0 { %l = loop !5 { } }", (2, 64));
    assert_eq!((block, blocks, spinning.len()), ([0; 3], 2, 1));
    let [Spinning { threads: 1, thread: [5, 0, 0], .. }] = &spinning[..] else {
        panic!("{spinning:?}")
    };
}

#[test]
fn waiting_with_backoff_is_a_livelock() {
    let text = |set: &str| {
        format!(
            "%s0 = set $0, %k1 !0
             %two = eq %b, %k2 : bool !0
             %if0 = if %two !0 {{ {set} }}
             %w = loop !5 {{
                 %v = atomic_load.relaxed.device %flag : u32 !4
                 %c = ne %v, %k0 : bool !4
                 %if = if %c !4 {{ %br = break %w !4 }}
                 %n = get $0 : u32 !4
                 %for = for %k0, %n, step %k1 : u32 !3 {{ %f = fence.block !3 }}
                 %m = add %n, %n : u32 !4
                 %most = min %m, %k37 : u32 !4
                 %s = set $0, %most !4
             }}"
        )
    };
    let (block, blocks, spinning, _) = expect_livelock(&text(""), (3, 40));
    assert_eq!((block, blocks, spinning), ([0; 3], 3, vec![spinning_on_flag(5, 40, 0)]));
    check_ends(&text("%st = atomic_store.relaxed.device %flag, %k1 !0"), (3, 40), [1, 0]);
}

/// Acquires the lock, adds one to the word beside it, and releases the lock if `releases`.
fn lock_kernel(releases: bool) -> String {
    let release = "%release = atomic_store.release.device %flag, %k0 !0";
    format!(
        "%w = loop !5 {{
             %old = compare_exchange.acquire.device %flag, %k0, %k1 : u32 !4
             %free = eq %old, %k0 : bool !4
             %if = if %free !4 {{
                 %v = atomic_load.relaxed.device %f1 : u32 !4
                 %m = add %v, %k1 : u32 !4
                 %st = atomic_store.relaxed.device %f1, %m !4
                 {}
                 %br = break %w !4
             }}
         }}",
        if releases { release } else { "" }
    )
}

#[test]
fn released_locks_are_acquired_and_others_are_not() {
    check_ends(&lock_kernel(true), (4, 40), [0, 160]);
    for seed in 0..6 {
        let (outcome, words) = run(&lock_kernel(false), (2, 40), seed);
        let Some(Stopped::Livelock { spinning, blocks: 2, .. }) = outcome.stopped else {
            panic!("seed {seed}: {outcome:?}")
        };
        assert_eq!((words, spinning.len(), spinning[0].span), ([1, 1], 1, Span::new(5)));
        assert!((39..=40).contains(&spinning[0].threads), "{spinning:?}");
    }
}

#[test]
fn two_warps_with_crossed_locks_make_progress() {
    // Each acquires a lock of its own, then tries the other's, and releases its own if that fails.
    let text = "%w = shr %t, %k5 : u32 !0
        %v = sub %k1, %w : u32 !0
        %mine = index %flag, %w, 4 : ptr global !0
        %other = index %flag, %v, 4 : ptr global !0
        %first = eq %lane, %k0 : bool !0
        %one = if %first !0 {
            %loop = loop !5 {
                %a = compare_exchange.acq_rel.device %mine, %k0, %k1 : u32 !4
                %got = eq %a, %k0 : bool !4
                %if = if %got !4 {
                    %c = compare_exchange.acq_rel.device %other, %k0, %k1 : u32 !4
                    %both = eq %c, %k0 : bool !4
                    %if2 = if %both !4 {
                        %r1 = atomic_store.release.device %other, %k0 !4
                        %r2 = atomic_store.release.device %mine, %k0 !4
                        %br = break %loop !4
                    }
                    %r3 = atomic_store.release.device %mine, %k0 !4
                }
            }
        }";
    check_ends(text, (3, 64), [0, 0]);
}

#[test]
fn rewriting_equal_values_is_a_livelock() {
    let text = "%w = loop !5 {
            %st = atomic_store.relaxed.device %f1, %k5 !4
            %old = atomic.swap.acq_rel.device %flag, %k0 : u32 !4
            %max = atomic.max.relaxed.device %f1, %k2 : u32 !4
            %c = ne %old, %k0 : bool !4
            %if = if %c !4 { %br = break %w !4 }
        }";
    assert_eq!(expect_livelock(text, (2, 33)), ([0; 3], 2, vec![spinning_on_flag(5, 33, 0)], 0));
}

#[test]
fn counting_loops_are_no_livelock() {
    let text = "%most = const 20000 : u32 !0
        %w = loop !5 {
            %v = atomic_load.acquire.device %flag : u32 !4
            %n = get $0 : u32 !4
            %m = add %n, %k1 : u32 !4
            %s = set $0, %m !4
            %c = eq %m, %most : bool !4
            %if = if %c !4 { %br = break %w !4 }
        }
        %st = atomic_store.release.device %f1, %k1 !6";
    check_ends(text, (2, 34), [0, 1]);
}

#[test]
fn loops_that_another_order_ends_are_no_livelock() {
    // Each of two warps requests the lock of the other while it holds its own: in lockstep, that
    // never ends.
    let text = "%warp = builtin warp_id : u32 !0
        %first = eq %lane, %k0 : bool !0
        %other = sub %k1, %warp : u32 !0
        %mine = index %flag, %warp, 4 : ptr global !0
        %theirs = index %flag, %other, 4 : ptr global !0
        %if = if %first !0 {
            %w = loop !5 {
                %a = atomic.swap.acq_rel.device %mine, %k1 : u32 !4
                %free = eq %a, %k0 : bool !4
                %if2 = if %free !4 {
                    %b2 = atomic.swap.acq_rel.device %theirs, %k1 : u32 !4
                    %both = eq %b2, %k0 : bool !4
                    %st = atomic_store.release.device %mine, %k0 !4
                    %if3 = if %both !4 {
                        %st2 = atomic_store.release.device %theirs, %k0 !4
                        %br = break %w !4
                    }
                }
            }
        }";
    // Diverged lanes leave the loop once they run alone.
    let alone = "%zero2 = eq %lane, %k0 : bool !0
        %w = loop !5 {
            %v = atomic_load.acquire.device %flag : u32 !4
            %if = if %zero2 !4 { %v2 = atomic_load.acquire.device %flag : u32 !4 }
            %m = active_mask : u32 !4
            %one = eq %m, %k1 : bool !4
            %if2 = if %one !4 { %st = atomic_store.release.device %f1, %k1 !4 %br = break %w !4 }
            %v3 = atomic_load.acquire.device %f1 : u32 !4
            %c = ne %v3, %k0 : bool !4
            %if3 = if %c !4 { %br2 = break %w !4 }
        }";
    for (text, threads) in [(text, 64), (alone, 32)] {
        let program = TracedProgram::new(&kernel(&format!("{START}{text}")));
        let runs = (0..12).map(|seed| {
            let memory = Memory::zeroed(64);
            let stopped = launch(&program, &[(&memory, 16)], (1, threads), seed, 1 << 20).stopped;
            assert!(matches!(stopped, None | Some(Stopped::StepBudget { .. })), "{stopped:?}");
            stopped.is_none()
        });
        assert!(runs.filter(|ends| *ends).count() > 0, "no order ends it");
    }
}

#[test]
fn the_same_seed_has_the_same_outcome() {
    let text = format!("{} {}", lock_kernel(true), wait_for_word("flag"));
    for seed in 0..4 {
        assert_eq!(run(&text, (3, 40), seed), run(&text, (3, 40), seed));
    }
}

/// Each thread waits for some words and sets others, by a table.
const CHAIN: &str = "param arg1 = table: read [u32] !0
    %dim = builtin block_dim.x : u32 !0
    %before = mul %b, %dim : u32 !0
    %i = add %before, %t : u32 !0
    %k6 = const 6 : u32 !0
    %row = mul %i, %k6 : u32 !0
    %end = add %row, %k6 : u32 !0
    %table = param arg1 : ptr global !0
    %for = for %row, %end, step %k2 : u32 !0 {
        %from = index %table, %for, 4 : ptr global !0
        %next = add %for, %k1 : u32 !0
        %to = index %table, %next, 4 : ptr global !0
        %awaited = load %from : u32 !0
        %set = load %to : u32 !0
        %at = index %flag, %awaited, 4 : ptr global !0
        %to2 = index %flag, %set, 4 : ptr global !0
        %w = loop !5 {
            %v = atomic_load.acquire.device %at : u32 !4
            %c = ne %v, %k0 : bool !4
            %if = if %c !4 { %br = break %w !4 }
        }
        %st = atomic_store.release.device %to2, %k1 !6
    }";

/// Returns the words that are set at the end, and the number of entries that each thread has
/// completed.
fn run_chain(table: &[[(u32, u32); 3]], words: usize) -> (Vec<u32>, Vec<usize>) {
    let (mut set, mut done) = (vec![0; words], vec![0; table.len()]);
    set[0] = 1;
    loop {
        let before = done.clone();
        for (row, done) in table.iter().zip(&mut done) {
            while let Some((from, to)) = row.get(*done).filter(|(from, _)| set[*from as usize] != 0)
            {
                (set[*to as usize], *done) = (1, *done + usize::from(*from < words as u32));
            }
        }
        if done == before {
            return (set, done);
        }
    }
}

#[test]
fn chains_of_threads_end_where_they_can() {
    let text = CHAIN
        .split_once('\n')
        .map(|(param, rest)| START.replacen('\n', &format!("\n{param}\n"), 1) + rest);
    let program = TracedProgram::new(&kernel(&text.unwrap()));
    let mut state = 7_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) % below) as u32
    };
    let mut stuck = 0;
    for case in 0..60 {
        let (blocks, threads) = [(1, 8), (1, 70), (3, 20), (12, 3)][case % 4];
        let words_used = 4 + draw(60) as usize;
        let all = (blocks * threads) as usize;
        let pair =
            |draw: &mut dyn FnMut(u64) -> u32| (draw(words_used as u64), draw(words_used as u64));
        let table: Vec<_> = (0..all).map(|_| std::array::from_fn(|_| pair(&mut draw))).collect();
        let (set, done) = run_chain(&table, words_used);
        let bytes: Vec<u8> = table
            .iter()
            .flatten()
            .flat_map(|(from, to)| [*from, *to])
            .flat_map(u32::to_le_bytes)
            .collect();
        let memory = Memory::zeroed(4 * words_used);
        memory.write(0, &1_u32.to_le_bytes());
        let rows = Memory::from_bytes(&bytes);
        let lens = [(&memory, words_used as u64), (&rows, 6 * all as u64)];
        let outcome = launch(&program, &lens, (blocks, threads), case as u64, 1 << 32);
        assert_eq!((read_words(&memory), &outcome.fault), (set, &None), "case {case}");
        let waits: Vec<_> = (0..all).filter(|thread| done[*thread] < 3).collect();
        let Some(first) = waits.first() else {
            assert_eq!(outcome.stopped, None, "case {case}");
            continue;
        };
        stuck += 1;
        let (block, threads) = (first / threads as usize, threads as usize);
        let of_block = waits.iter().filter(|thread| **thread / threads == block).count();
        let mut in_blocks: Vec<_> = waits.iter().map(|thread| thread / threads).collect();
        in_blocks.dedup();
        let stopped = Stopped::Livelock {
            block: [block as u32, 0, 0],
            spinning: vec![spinning_on_flag(5, of_block as u32, (first % threads) as u32)],
            waiting: vec![],
            blocks: in_blocks.len() as u64,
        };
        assert_eq!(outcome.stopped, Some(stopped), "case {case}");
    }
    assert!((10..50).contains(&stuck), "{stuck}");
}
