//! Loops that add at indices from memory, and loops that load one value for all lanes, with
//! replayed rounds.
use super::{Value, isas, number, program_for, run, shape};
use crate::{
    Arg, CheckedProgram, Checks, CountingProgram, Launch, Memory, Outcome,
    bytecode::{Instr, Requests},
    translate::{Instrumentation, translate},
    vector::lanes::Isa,
};
use std::num::NonZeroUsize;
use warpwise_compiler::{
    hardware::{Kind, LANES, shared},
    ir::{Kernel, Space},
};

/// Returns a histogram in shared memory of numbers of type `{ty}`, modulo 256; `{used}` may store
/// the old value of the last addition.
fn histogram(ty: &str, bytes: u32, by: &str, used: &str) -> String {
    format!(
        "block 64, 1, 1
         param arg0 = x: read [{ty}] !0
         param arg1 = bins: atomic [u32] !0
         param arg2 = old: write [u32] !0
         shared @0 = counts: [u32; 256] !0
         %i = builtin global_idx.x : u64 !0
         %t = builtin thread_idx.x : u64 !0
         %g = builtin grid_dim.x : u64 !0
         %d = builtin block_dim.x : u64 !0
         %all = mul %g, %d : u64 !0
         %zero = const 0 : u32 !0
         %one = const 1 : u32 !0
         %start = const 0 : u64 !0
         %many = const 256 : u64 !0
         %low = const 255 : u64 !0
         %n = len arg0 : u64 !0
         %x = param arg0 : ptr global !0
         %s = shared @0 : ptr shared !0
         %clear = for %t, %many, step %d : u64 !0 {{
           %pc = index %s, %clear, 4 : ptr shared !0
           %c = atomic_store.relaxed.device %pc, %zero !0
         }}
         %b1 = barrier !0
         %old = param arg2 : ptr global !0
         %po = index %old, %i, 4 : ptr global !0
         %own = cast %t : u32 !0
         %round = for %i, %n, step %all : u64 !0 {{
           %px = index %x, %round, {bytes} : ptr global !0
           %number = load %px : {ty} !0
           %wide = cast %number : u64 !0
           %at = and %wide, %low : u64 !0
           %pa = index %s, %at, 4 : ptr shared !0
           %was = atomic.add.relaxed.device %pa, {by} : u32 !0
           {used}
         }}
         %b2 = barrier !0
         %bins = param arg1 : ptr global !0
         %sum = for %t, %many, step %d : u64 !0 {{
           %ps = index %s, %sum, 4 : ptr shared !0
           %found = atomic_load.relaxed.device %ps : u32 !0
           %pb = index %bins, %sum, 4 : ptr global !0
           %left = atomic.add.relaxed.device %pb, %found : u32 !0
         }}"
    )
}

const KEEPS: &str = "%keep = store %po, %was !0";

/// Returns numbers that collide in some rounds and not in others.
fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> (i / 512 % 25)) & 0xffff).collect()
}

#[test]
fn sums_at_indices_from_memory_are_those_of_each_lane() {
    let (blocks, rounds) = (3, 9);
    let numbers = numbers(blocks * 64 * rounds);
    for isa in isas() {
        for (ty, bytes) in [("u8", 1), ("u16", 2), ("u32", 4)] {
            for (by, used) in [("%one", ""), ("%one", KEEPS), ("%own", ""), ("%own", KEEPS)] {
                let bits = |number: &u32| number.to_le_bytes()[..bytes as usize].to_vec();
                let mut values = [
                    Value::U8(numbers.iter().flat_map(bits).collect()),
                    Value::U32(vec![0; 256]),
                    Value::U32(vec![7; blocks * 64]),
                ];
                let text = histogram(ty, bytes, by, used);
                let program = program_for(&text, isa);
                let memories: Vec<_> = values.iter().map(Value::memory).collect();
                let len = |memory: &Memory, bytes: u32| memory.len() as u64 / u64::from(bytes);
                let args: Vec<_> = memories
                    .iter()
                    .zip([bytes, 4, 4])
                    .map(|(memory, bytes)| Arg::Slice {
                        memory,
                        offset: 0,
                        len: len(memory, bytes),
                    })
                    .collect();
                let workers = NonZeroUsize::new(1);
                let (grid, block) = ([blocks as u32, 1, 1], [64, 1, 1]);
                let launch = Launch { grid, block, args: &args, workers, steps: None };
                assert_eq!(program.run(&launch), Outcome::default());
                values.iter_mut().zip(&memories).for_each(|(value, memory)| value.take(memory));

                let mut bins = vec![0_u32; 256];
                let mut old = vec![7; blocks * 64];
                for block in 0..blocks {
                    let mut counts = vec![0_u32; 256];
                    for (round, thread) in
                        (0..rounds).flat_map(|round| (0..64).map(move |thread| (round, thread)))
                    {
                        let i = block * 64 + thread;
                        let at = numbers[round * blocks * 64 + i] as usize % 256;
                        if !used.is_empty() {
                            old[i] = counts[at];
                        }
                        counts[at] += if by == "%one" { 1 } else { thread as u32 };
                    }
                    bins.iter_mut().zip(counts).for_each(|(bin, count)| *bin += count);
                }
                assert_eq!(values[1].u32s(), bins, "{isa:?} {ty} {by} {used}");
                assert_eq!(values[2].u32s(), old, "{isa:?} {ty} {by} {used}");
            }
        }
    }
}

#[test]
fn conflicts_of_addresses_from_memory_are_those_of_each_request() {
    // Three warps do not fill a batch.
    for threads in [64, 96] {
        check_conflicts(5, threads, 21);
    }
}

fn check_conflicts(blocks: usize, threads: usize, rounds: usize) {
    let numbers = numbers(blocks * threads * rounds);
    let bytes: Vec<u8> = numbers.iter().map(|number| *number as u8).collect();
    // The formula's result for each request, and the first of the worst.
    let (mut taken, mut worst, mut count) = (0_u64, (0, usize::MAX), 0);
    for (warp, lanes) in bytes.chunks(LANES).enumerate() {
        let addresses = std::array::from_fn(|lane| u64::from(lanes[lane]) * 4);
        let cost = shared::count_wavefronts(Kind::Atomic, 4, u32::MAX, &addresses).taken;
        (taken, count) = (taken + u64::from(cost), count + 1);
        let block = warp / (threads / LANES) % blocks;
        if cost > worst.0 || cost == worst.0 && block < worst.1 {
            worst = (cost, block);
        }
    }
    let block_dim = format!("block {threads}, 1, 1");
    let masked = |used| histogram("u8", 1, "%one", used).replace("block 64, 1, 1", &block_dim);
    // A byte with no other use is an index where it lies in memory.
    let plain = masked("").replace("%at = and %wide, %low : u64 !0", "");
    let plain = plain.replace("%pa = index %s, %at,", "%pa = index %s, %wide,");
    for text in [masked(""), masked(KEEPS), plain] {
        let kernel: Kernel = number(&format!("kernel k {{ {text} }}")).parse().unwrap();
        let memories = [
            Memory::from_bytes(&bytes),
            Memory::zeroed(1024),
            Memory::zeroed(4 * blocks * threads),
        ];
        let args = [
            Arg::Slice { memory: &memories[0], offset: 0, len: bytes.len() as u64 },
            Arg::Slice { memory: &memories[1], offset: 0, len: 256 },
            Arg::Slice { memory: &memories[2], offset: 0, len: (blocks * threads) as u64 },
        ];
        for workers in [1, 2] {
            let workers = NonZeroUsize::new(workers);
            let (grid, block) = ([blocks as u32, 1, 1], [threads as u32, 1, 1]);
            let launch = Launch { grid, block, args: &args, workers, steps: None };
            let (outcome, counters) = CountingProgram::new(&kernel, Requests::Vectors).run(&launch);
            assert_eq!(outcome, Outcome::default());
            let adds = counters.iter().map(|(_, counts)| counts.shared_atomics);
            let adds = adds.filter(|adds| adds.requests == count).collect::<Vec<_>>();
            assert_eq!(adds.len(), 1, "{adds:?}");
            assert_eq!((adds[0].wavefronts, adds[0].ideal), (taken, count), "{text}");
            let found = counters.worst().iter().map(|(_, worst)| worst);
            let found =
                found.filter(|found| found.space == Space::Shared).max_by_key(|found| found.taken);
            let found = found.map(|found| (found.taken as u32, found.block as usize));
            assert_eq!(found, Some(worst), "{text}");
            let checks = CheckedProgram::new(&kernel).run(&launch, Checks::ALL);
            assert_eq!(checks, (Outcome::default(), Vec::new()), "{text}");
        }
    }
}

#[test]
fn rounds_without_early_exit_take_no_turns() {
    let costs = |body: &str| -> Vec<u32> {
        let text = number(&format!("kernel k {{ {} }}", histogram("u8", 1, "%one", body)));
        let code = translate(&text.parse().unwrap(), Isa::detect(), Instrumentation::None).unwrap();
        let cost = |step: &Instr| match step {
            Instr::NextIteration { cost, .. } | Instr::BackEdge { cost, .. } => Some(*cost),
            _ => None,
        };
        code.instrs.iter().filter_map(cost).collect()
    };
    let all = costs("");
    assert!(!all.is_empty() && all.iter().all(|cost| *cost == 0), "{all:?}");
    let leaves = "%late = gt %was, %own : bool !0 %if = if %late !0 { %away = break %round !0 }";
    assert!(costs(leaves).iter().any(|cost| *cost > 0));
}

#[test]
fn values_loaded_for_all_lanes_are_those_of_the_round() {
    // The sum of differences, each multiplied by the value that the round before has loaded.
    let inside = |first: &str, last: &str| {
        format!(
            "param arg0 = x: read [u32] !0  param arg1 = out: write [u32] !0
             local $0 = sum: u32 !0  local $1 = before: u32 !0
             %i = builtin global_idx.x : u64 !0  %own = cast %i : u32 !0
             %zero = const 0 : u32 !0  %start = const 0 : u64 !0  %one = const 1 : u64 !0
             %three = const 3 : u32 !0
             %n = len arg0 : u64 !0  %x = param arg0 : ptr global !0
             %c = set $0, %zero !0  %e = set $1, %three !0
             %k = for %start, %n, step %one : u64 !0 {{
               {first}
               %p = index %x, %k, 4 : ptr global !0
               %v = load %p : u32 !0
               %apart = sub %v, %own : u32 !0
               {last}
               %a = get $0 : u32 !0
               %b = add %a, %r : u32 !0
               %d = set $0, %b !0
               %f = set $1, %v !0
             }}
             %out = param arg1 : ptr global !0
             %len = len arg1 : u64 !0
             %bi = bounds %i, %len : u64 !0
             %q = index %out, %bi, 4 : ptr global !0
             %all = get $0 : u32 !0
             %last = get $1 : u32 !0
             %both = xor %all, %last : u32 !0
             %s = store %q, %both !0"
        )
    };
    let was = "%was = get $1 : u32 !0";
    let times = "%r = mul %apart, %was : u32 !0";
    for isa in isas() {
        for (first, last, carries) in
            [(was, times, true), ("", "%r = mul %apart, %v : u32 !0", false)]
        {
            let x: Vec<u32> = (0..50_u32).map(|k| k.wrapping_mul(2_654_435_761)).collect();
            let mut values = [Value::U32(x.clone()), Value::U32(vec![0; 96])];
            let program = program_for(&inside(first, last), isa);
            assert_eq!(run(&program, shape(2, 48), &mut values), Outcome::default());
            let of = |i: u32| {
                let (mut sum, mut before) = (0_u32, 3_u32);
                for value in &x {
                    let by = if carries { before } else { *value };
                    sum = sum.wrapping_add(value.wrapping_sub(i).wrapping_mul(by));
                    before = *value;
                }
                sum ^ before
            };
            assert_eq!(values[1].u32s(), (0..96).map(of).collect::<Vec<_>>(), "{isa:?} {carries}");
        }
    }
}
