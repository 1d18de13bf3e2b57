//! Views: slices that begin anywhere in a memory, and several slices of one memory.
use super::{isas, number};
use crate::{
    Arg, CheckedProgram, Checks, Counters, CountingProgram, Launch, Memory, Outcome, Program,
    Stopped, TracedProgram,
    bytecode::Requests,
    exec::bound::lend_memories,
    translate::{Instrumentation, translate},
    vector::lanes::Isa,
};
use std::num::NonZeroUsize;
use warpwise_compiler::{ir::Kernel, verify::verify};

fn kernel(inside: &str) -> Kernel {
    let text = number(&format!("kernel k {{ {inside} }}"));
    let kernel: Kernel = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    verify(&kernel).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    kernel
}

/// Returns a launch along x.
fn launch<'a>(args: &'a [Arg<'a>], blocks: u32, threads: u32, workers: usize) -> Launch<'a> {
    let (grid, block) = ([blocks, 1, 1], [threads, 1, 1]);
    Launch { grid, block, args, workers: NonZeroUsize::new(workers), steps: None }
}

/// Returns `len` different bytes.
fn bytes(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|at| ((at + seed).wrapping_mul(0x9e37_79b9) >> 13) as u8).collect()
}

fn contents(memory: &Memory) -> Vec<u8> {
    let mut bytes = vec![0; memory.len()];
    memory.read_into(0, &mut bytes);
    bytes
}

/// An element type: its text, its size and alignment, and its fields, each with its offset.
struct ElementType {
    text: &'static str,
    size: usize,
    align: usize,
    fields: &'static [(&'static str, u64)],
}

const fn scalar(text: &'static str, size: usize, field: &'static [(&str, u64)]) -> ElementType {
    ElementType { text, size, align: size, fields: field }
}

const ELEMENTS: [ElementType; 7] = [
    scalar("u8", 1, &[("u8", 0)]),
    scalar("u16", 2, &[("u16", 0)]),
    scalar("u32", 4, &[("u32", 0)]),
    scalar("f32", 4, &[("f32", 0)]),
    scalar("u64", 8, &[("u64", 0)]),
    ElementType {
        text: "plain 12 align 4",
        size: 12,
        align: 4,
        fields: &[("u32", 0), ("u16", 4), ("u8", 7), ("f32", 8)],
    },
    ElementType {
        text: "plain 24 align 8",
        size: 24,
        align: 8,
        fields: &[("u64", 0), ("u8", 8), ("u32", 12), ("u64", 16)],
    },
];

impl ElementType {
    /// Returns a kernel of `y[i] = x[i] * x[i] + y[i]`, field by field, up to the length of `y`.
    fn kernel(&self) -> Kernel {
        let Self { text, size, fields, .. } = self;
        let field = |(number, (ty, offset)): (usize, &(&str, u64))| {
            format!(
                "%x{number} = offset %px, {offset} : ptr global !0
                 %y{number} = offset %py, {offset} : ptr global !0
                 %a{number} = load %x{number} : {ty} !0
                 %b{number} = load %y{number} : {ty} !0
                 %p{number} = mul %a{number}, %a{number} : {ty} !0
                 %s{number} = add %p{number}, %b{number} : {ty} !0
                 %w{number} = store %y{number}, %s{number} !0\n"
            )
        };
        let fields: String = fields.iter().enumerate().map(field).collect();
        kernel(&format!(
            "param arg0 = x: read [{text}] !0
             param arg1 = y: write [{text}] !0
             %i = builtin global_idx.x : u64 !0
             %n = len arg1 : u64 !0
             %c = lt %i, %n : bool !0
             %if = if %c !0 {{
                 %m = len arg0 : u64 !0
                 %j = bounds %i, %m : u64 !0
                 %x = param arg0 : ptr global !0
                 %y = param arg1 : ptr global !0
                 %px = index %x, %j, {size} : ptr global !0
                 %py = index %y, %i, {size} : ptr global !0
                 {fields}
             }}"
        ))
    }
}

#[test]
fn views_hold_what_copies_of_their_bytes_hold() {
    const LEN: usize = 290;
    fn slice(memory: &Memory, offset: usize) -> Arg<'_> {
        Arg::Slice { memory, offset: offset as u64, len: LEN as u64 }
    }
    for element in &ELEMENTS {
        let kernel = element.kernel();
        let programs: Vec<_> = isas().iter().map(|isa| Program::for_isa(&kernel, *isa)).collect();
        let checked = CheckedProgram::new(&kernel);
        let counting = CountingProgram::new(&kernel, Requests::Vectors);
        let size = LEN * element.size;
        for starts in [[0, 0], [1, 0], [0, 1], [3, 5], [17, 2], [32, 64]] {
            let [from, to] = starts.map(|start| start * element.align);
            let (x, y) = (bytes(from + size + 40, 1), bytes(to + size + 40, 2));
            let want = {
                let copies = [&x[from..from + size], &y[to..to + size]].map(Memory::from_bytes);
                let args = [slice(&copies[0], 0), slice(&copies[1], 0)];
                assert_eq!(programs[0].run(&launch(&args, 3, 100, 1)), Outcome::default());
                [&y[..to], &contents(&copies[1]), &y[to + size..]].concat()
            };
            let check = |run: &dyn Fn(&Launch<'_>) -> Outcome| {
                let (x, y) = (Memory::from_bytes(&x), Memory::from_bytes(&y));
                let args = [slice(&x, from), slice(&y, to)];
                assert_eq!(run(&launch(&args, 3, 100, 2)), Outcome::default());
                assert!(contents(&y) == want, "{}, {starts:?}", element.text);
            };
            for program in &programs {
                check(&|launch| program.run(launch));
            }
            check(&|launch| counting.run(launch).0);
            check(&|launch| {
                let (outcome, found) = checked.run(launch, Checks::ALL | Checks::UNUSED);
                assert_eq!(found, []);
                outcome
            });
        }
    }
}

/// Adds 1 to each of `n` numbers of 32 bits, and `x[i]` to each byte, of as many.
const TWO_SIZES: &str = "param arg0 = words: write [u32] !0
    param arg1 = bytes: write [u8] !0
    param arg2 = x: read [u64] !0
    %i = builtin global_idx.x : u64 !0
    %n = len arg0 : u64 !0
    %c = lt %i, %n : bool !0
    %if = if %c !0 {
        %words = param arg0 : ptr global !0
        %word = index %words, %i, 4 : ptr global !0
        %one = const 1 : u32 !0
        %a = load %word : u32 !1
        %b = add %a, %one : u32 !1
        %s = store %word, %b !1
        %bytes = param arg1 : ptr global !0
        %byte = index %bytes, %i, 1 : ptr global !0
        %x = param arg2 : ptr global !0
        %p = index %x, %i, 8 : ptr global !0
        %u = load %p : u64 !2
        %v = cast %u : u8 !2
        %d = load %byte : u8 !2
        %e = add %d, %v : u8 !2
        %w = store %byte, %e !2
    }";

#[test]
fn disjoint_views_of_one_memory_are_written_by_one_launch() {
    const LEN: usize = 5000;
    let program = Program::new(&kernel(TWO_SIZES));
    let all = bytes(3 + 13 * LEN + 8, 3);
    let offsets = [4 + 9 * LEN, 3 + 8 * LEN, 0];
    let mut want = all.clone();
    for at in 0..LEN {
        let (word, byte) = (offsets[0] + 4 * at, offsets[1] + at);
        let sum = u32::from_le_bytes(all[word..word + 4].try_into().unwrap()).wrapping_add(1);
        want[word..word + 4].copy_from_slice(&sum.to_le_bytes());
        want[byte] = all[byte].wrapping_add(all[8 * at]);
    }
    for workers in [1, 4] {
        let memory = Memory::from_bytes(&all);
        let args = offsets.map(|offset| Arg::Slice {
            memory: &memory,
            offset: offset as u64,
            len: LEN as u64,
        });
        assert_eq!(program.run(&launch(&args, 50, 100, workers)), Outcome::default());
        assert!(contents(&memory) == want, "{workers} workers");
    }
}

#[test]
fn only_overlapping_views_of_several_word_sizes_need_one_worker() {
    let code = |text: &str| translate(&kernel(text), Isa::detect(), Instrumentation::None).unwrap();
    let memory = Memory::zeroed(4096);
    let slice = |offset, len| Arg::Slice { memory: &memory, offset, len };
    let needs = |text: &str, args: &[Arg<'_>]| {
        lend_memories(&code(text), &launch(args, 1, 1, 1)).single_worker
    };
    let two = "param arg0 = a: write [u32] !0 param arg1 = b: write [u8] !0";
    assert!(!needs(two, &[slice(0, 100), slice(400, 400)]));
    assert!(needs(two, &[slice(0, 100), slice(399, 1)]));
    assert!(!needs(two, &[slice(0, 100), slice(300, 0)]), "no byte in common");
    let reads = "param arg0 = a: read [u32] !0 param arg1 = b: read [u8] !0";
    assert!(!needs(reads, &[slice(0, 100), slice(0, 100)]), "nobody writes");
    let same = "param arg0 = a: read [u32] !0 param arg1 = b: write [u32] !0";
    assert!(!needs(same, &[slice(0, 100), slice(4, 100)]), "the same words");
    let plain =
        "param arg0 = a: read [plain 8 align 4] !0 param arg1 = b: write [plain 8 align 4] !0";
    assert!(needs(plain, &[slice(0, 10), slice(4, 10)]), "fields of several sizes");
    assert!(!needs(plain, &[slice(0, 10), slice(80, 10)]));
}

#[test]
fn launches_share_a_memory_whose_views_have_equal_modes() {
    let code = |text: &str| translate(&kernel(text), Isa::detect(), Instrumentation::None).unwrap();
    let memory = Memory::zeroed(400);
    let slice = |offset, len| Arg::Slice { memory: &memory, offset, len };
    // The second loan would never return if it waited for the first.
    let words = code("param arg0 = a: write [u32] !0 param arg1 = b: read [u32] !0");
    let args = [slice(0, 50), slice(200, 50)];
    let loans = [(); 2].map(|()| lend_memories(&words, &launch(&args, 1, 1, 1)));
    drop(loans);
    let reads = code("param arg0 = a: read [u32] !0 param arg1 = b: read [u8] !0");
    let loans = [(); 2].map(|()| lend_memories(&reads, &launch(&args, 1, 1, 1)));
    drop(loans);
}

#[test]
fn overlapping_views_of_several_word_sizes_are_one_memory() {
    // Thread 0 writes a word, and then a byte of it through the other slice.
    let inside = "param arg0 = words: write [u32] !0
        param arg1 = bytes: write [u8] !0
        %k0 = const 0 : u64 !0
        %words = param arg0 : ptr global !0
        %bytes = param arg1 : ptr global !0
        %x = const 305419896 : u32 !0
        %b = const 255 : u8 !0
        %s = store %words, %x !0
        %w = store %bytes, %b !0
        %p = offset %words, 4 : ptr global !0
        %v = load %words : u32 !0
        %t = store %p, %v !0";
    let memory = Memory::zeroed(16);
    let args = [
        Arg::Slice { memory: &memory, offset: 4, len: 2 },
        Arg::Slice { memory: &memory, offset: 5, len: 9 },
    ];
    assert_eq!(Program::new(&kernel(inside)).run(&launch(&args, 1, 1, 1)), Outcome::default());
    let word = [0x78, 0xff, 0x34, 0x12];
    assert_eq!(contents(&memory), [[0; 4], word, word, [0; 4]].concat());
}

#[test]
fn a_bool_at_an_odd_byte_is_updated_atomically() {
    let inside = "param arg0 = flags: atomic [bool] !0
        param arg1 = old: write [bool] !0
        %i = builtin global_idx.x : u64 !0
        %flags = param arg0 : ptr global !0
        %old = param arg1 : ptr global !0
        %p = index %flags, %i, 1 : ptr global !0
        %q = index %old, %i, 1 : ptr global !0
        %yes = const true : bool !0
        %was = atomic.xor.relaxed.device %p, %yes : bool !0
        %w = store %q, %was !0";
    for isa in isas() {
        let flags = Memory::from_bytes(&[0, 1, 1, 0, 1, 0, 0, 1]);
        let old = Memory::zeroed(8);
        let args = [
            Arg::Slice { memory: &flags, offset: 1, len: 6 },
            Arg::Slice { memory: &old, offset: 2, len: 6 },
        ];
        let program = Program::for_isa(&kernel(inside), isa);
        assert_eq!(program.run(&launch(&args, 2, 3, 1)), Outcome::default());
        assert_eq!(contents(&flags), [0, 0, 0, 1, 0, 1, 1, 1]);
        assert_eq!(contents(&old), [0, 0, 1, 1, 0, 1, 0, 0]);
    }
}

/// Counts a kernel on views of a memory of zeros, at these bytes and of these numbers of elements;
/// the counters are those of each block and each iteration by itself.
fn count(inside: &str, views: &[(u64, u64)], blocks: u32) -> Counters {
    let memory = Memory::zeroed(1 << 16);
    let program = CountingProgram::new(&kernel(inside), Requests::Scalars);
    let args: Vec<_> =
        views.iter().map(|&(offset, len)| Arg::Slice { memory: &memory, offset, len }).collect();
    let launch = launch(&args, blocks, 32, 2);
    let (outcome, counters) = program.run(&launch);
    assert_eq!(outcome, Outcome::default());
    let (_, slowly) = program.run_without_patterns(&launch);
    assert_eq!(counters, slowly);
    counters
}

#[test]
fn sectors_are_those_of_the_memory() {
    // 32 neighbouring numbers.
    let neighbours = "param arg0 = x: read [f32] !0
        %i = builtin global_idx.x : u64 !0
        %x = param arg0 : ptr global !0
        %p = index %x, %i, 4 : ptr global !0
        %v = load %p : f32 !0";
    // The same, by an index from memory, so that no address is known beforehand.
    let gathered = "param arg0 = x: read [f32] !0
        param arg1 = zeros: read [u32] !0
        %i = builtin global_idx.x : u32 !0
        %x = param arg0 : ptr global !0
        %z = param arg1 : ptr global !0
        %o = load %z : u32 !0
        %j = add %i, %o : u32 !0
        %p = index %x, %j, 4 : ptr global !0
        %v = load %p : f32 !0";
    for (offset, sectors) in [(0, 4), (4, 5), (28, 5), (32, 4), (1000, 5), (1024, 4)] {
        for blocks in [1, 9] {
            let loads = count(neighbours, &[(offset, 300)], blocks).total().global_loads;
            let requests = u64::from(blocks);
            assert_eq!((loads.requests, loads.ideal), (requests, 4 * requests));
            assert_eq!(loads.sectors, sectors * requests, "from byte {offset}");
            let zeros = 1 << 15;
            let loads = count(gathered, &[(offset, 300), (zeros, 1)], blocks).total().global_loads;
            assert_eq!(loads.sectors, (sectors + 1) * requests, "from byte {offset}, gathered");
        }
    }
    let worst = |offset| {
        let counters = count(neighbours, &[(offset, 300)], 2);
        counters.worst().iter().map(|(_, worst)| worst.clone()).collect::<Vec<_>>()
    };
    let [worst] = &worst(1000)[..] else { panic!("one load") };
    assert_eq!((worst.memory, worst.taken, worst.ideal), (0, 5, 4));
    assert_eq!(worst.offsets, std::array::from_fn(|lane| Some(1000 + 4 * lane as u64)));
}

#[test]
fn sectors_of_rounds_are_those_of_the_memory() {
    // A sum of products, and a loop with a store in each iteration.
    let loops = "param arg0 = x: read [f32] !0
        param arg1 = y: write [f32] !0
        local $0 = sum: f32 !0
        %i = builtin global_idx.x : u64 !0
        %x = param arg0 : ptr global !0
        %y = param arg1 : ptr global !0
        %k0 = const 0 : u64 !0
        %k1 = const 1 : u64 !0
        %k40 = const 40 : u64 !0
        %zero = const 0 : f32 !0
        %begin = set $0, %zero !0
        %k = for %k0, %k40, step %k1 : u64 !0 {
            %ik = add %i, %k : u64 !0
            %p = index %x, %ik, 4 : ptr global !0
            %a = load %p : f32 !1
            %q = index %x, %k, 4 : ptr global !0
            %b = load %q : f32 !2
            %old = get $0 : f32 !0
            %new = fma %a, %b, %old : f32 !0
            %set = set $0, %new !0
        }
        %sum = get $0 : f32 !0
        %r = for %k0, %k40, step %k1 : u64 !0 {
            %ir = add %i, %r : u64 !0
            %w = index %y, %ir, 4 : ptr global !0
            %s = store %w, %sum !3
        }";
    for offset in [0, 4, 20, 32] {
        let [from, to] = [offset, 4096 + 2 * offset];
        let total = count(loops, &[(from, 72), (to, 72)], 1).total();
        let sectors = |start: u64, len: u64| (start + len - 1) / 32 - start / 32 + 1;
        let rounds = |first: u64| (0..40).map(move |round| first + 4 * round);
        let loads: u64 = rounds(from).map(|start| sectors(start, 128) + 1).sum();
        let stores: u64 = rounds(to).map(|start| sectors(start, 128)).sum();
        assert_eq!((total.global_loads.requests, total.global_loads.sectors), (80, loads));
        assert_eq!((total.global_stores.requests, total.global_stores.sectors), (40, stores));
    }
}

#[test]
fn lanes_of_several_views_share_the_sectors_of_their_memory() {
    // Even lanes read one slice, odd lanes the other.
    let inside = "param arg0 = a: read [u32] !0
        param arg1 = b: read [u32] !0
        local $0 = p: ptr global !0
        %i = builtin thread_idx.x : u64 !0
        %k1 = const 1 : u64 !0
        %odd = and %i, %k1 : u64 !0
        %is = eq %odd, %k1 : bool !0
        %a = param arg0 : ptr global !0
        %b = param arg1 : ptr global !0
        %sa = set $0, %a !0
        %if = if %is !0 { %sb = set $0, %b !0 }
        %s = get $0 : ptr global !0
        %one = const 1 : u32 !0
        %half = shr %i, %one : u64 !0
        %p = index %s, %half, 4 : ptr global !0
        %v = load %p : u32 !0";
    let together = count(inside, &[(0, 16), (64, 16)], 1).total().global_loads;
    assert_eq!((together.sectors, together.ideal), (4, 4));
    let same = count(inside, &[(0, 16), (0, 16)], 1).total().global_loads;
    assert_eq!((same.sectors, same.ideal), (2, 2));
    let apart = count(inside, &[(4, 16), (4096, 16)], 1).total().global_loads;
    assert_eq!((apart.sectors, apart.ideal), (5, 4));
}

/// Returns the findings on views of a memory, at these bytes and of these numbers of elements.
fn findings(inside: &str, views: &[(u64, u64)], checks: Checks) -> Vec<String> {
    let program = CheckedProgram::new(&kernel(inside));
    let found = |workers, one_by_one: bool| {
        let memory = Memory::zeroed(4096);
        let args: Vec<_> = views
            .iter()
            .map(|&(offset, len)| Arg::Slice { memory: &memory, offset, len })
            .collect();
        let launch = launch(&args, 4, 32, workers);
        let (outcome, found) = if one_by_one {
            program.run_one_by_one(&launch, checks)
        } else {
            program.run(&launch, checks)
        };
        assert_eq!(outcome.stopped, None);
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let all = found(1, false);
    assert_eq!(all, found(3, false));
    assert_eq!(all, found(1, true));
    all
}

#[test]
fn races_are_found_across_views_of_one_memory() {
    // Each thread writes an element of `a`, and reads the one of the same index of `b`.
    let two = |a: &str, b: &str, size: u64| {
        format!(
            "param arg0 = a: write [{a}] !0
             param arg1 = b: read [{b}] !0
             %i = builtin global_idx.x : u64 !0
             %a = param arg0 : ptr global !0
             %b = param arg1 : ptr global !0
             %x = cast %i : {a} !0
             %p = index %a, %i, 4 : ptr global !0
             %w = store %p, %x !5
             %q = index %b, %i, {size} : ptr global !0
             %v = load %q : {b} !6"
        )
    };
    let words = two("u32", "u32", 4);
    let none = [""; 0];
    assert_eq!(findings(&words, &[(0, 128), (512, 128)], Checks::ALL), none, "disjoint");
    assert_eq!(findings(&words, &[(4, 128), (4, 128)], Checks::ALL), none, "each its own");
    let shifted = findings(&words, &[(4, 128), (8, 128)], Checks::ALL);
    assert_eq!(
        shifted,
        [
            "read-write race on a[32]: written by thread (0,0,0) of block (1,0,0) at !5, read by thread (31,0,0) of \
             block (0,0,0) at !6, and nothing orders the two blocks [3 times]",
            "read-write race on b[0]: written by thread (1,0,0) at !5, read by thread (0,0,0) at !6, block (0,0,0), \
             no `sync_warp` between these lanes of one warp [124 times]",
        ]
    );
    // The last byte of `a` is the first of `b`.
    let bytes = two("u32", "u8", 1);
    assert_eq!(findings(&bytes, &[(4, 128), (516, 128)], Checks::ALL), none);
    assert_eq!(
        findings(&bytes, &[(4, 128), (515, 128)], Checks::ALL),
        [
            "read-write race on a[127] (byte 3 of it): written by thread (31,0,0) of block (3,0,0) at !5, read by \
             thread (0,0,0) of block (0,0,0) at !6, and nothing orders the two blocks"
        ]
    );
}

#[test]
fn releases_and_acquires_meet_across_views() {
    // Block 1 waits for the flag that block 0 sets through the other slice.
    let inside = "param arg0 = flag: atomic [u32] !0
        param arg1 = seen: atomic [u32] !0
        param arg2 = y: write [u32] !0
        %b = builtin block_idx.x : u32 !0
        %t = builtin thread_idx.x : u32 !0
        %k0 = const 0 : u32 !0
        %k1 = const 1 : u32 !0
        %k2 = const 2 : u32 !0
        %one = eq %t, %k0 : bool !0
        %low = lt %b, %k2 : bool !0
        %both = and %one, %low : bool !0
        %y = param arg2 : ptr global !0
        %if = if %both !0 {
            %is = eq %b, %k0 : bool !0
            %first = if %is !0 {
                %w = store %y, %k1 !5
                %flag = param arg0 : ptr global !0
                %set = atomic_store.release.device %flag, %k1 !6
            } else {
                %seen = param arg1 : ptr global !0
                %spin = loop !0 {
                    %v = atomic_load.acquire.device %seen : u32 !7
                    %done = eq %v, %k1 : bool !0
                    %leave = if %done !0 { %end = break %spin !0 }
                }
                %x = load %y : u32 !8
            }
        }";
    let none = [""; 0];
    assert_eq!(findings(inside, &[(8, 1), (8, 1), (64, 1)], Checks::ALL), none);
    assert_eq!(findings(inside, &[(8, 2), (8, 1), (4, 1)], Checks::ALL), none);
}

#[test]
fn unused_elements_are_those_of_each_view() {
    // Even elements of `a` and the first 100 of `b` are written; `c` is only read.
    let inside = "param arg0 = c: read [u32] !0
        param arg1 = a: write [u32] !0
        param arg2 = b: write [u16] !0
        %i = builtin global_idx.x : u64 !0
        %k2 = const 2 : u64 !0
        %k64 = const 64 : u64 !0
        %k100 = const 100 : u64 !0
        %a = param arg1 : ptr global !0
        %b = param arg2 : ptr global !0
        %x = const 7 : u32 !0
        %h = const 7 : u16 !0
        %low = lt %i, %k64 : bool !0
        %if = if %low !0 {
            %even = mul %i, %k2 : u64 !0
            %p = index %a, %even, 4 : ptr global !0
            %w = store %p, %x !5
        }
        %few = lt %i, %k100 : bool !0
        %then = if %few !0 {
            %q = index %b, %i, 2 : ptr global !0
            %s = store %q, %h !6
        }";
    assert_eq!(
        findings(inside, &[(0, 100), (4, 128), (1022, 128)], Checks::UNUSED),
        [
            "no thread writes 64 of the 128 elements of `a`, a[1] the first",
            "no thread writes 28 of the 128 elements of `b`, b[100] the first",
        ]
    );
    // Elements that are written through another slice are used.
    assert_eq!(
        findings(inside, &[(0, 100), (0, 128), (314, 128)], Checks::UNUSED),
        [
            "no thread writes 39 of the 128 elements of `a`, a[1] the first",
            "no thread writes 28 of the 128 elements of `b`, b[100] the first",
        ]
    );
    assert_eq!(
        findings(inside, &[(0, 100), (200, 128), (0, 128)], Checks::UNUSED),
        [
            "no thread writes 64 of the 128 elements of `a`, a[1] the first",
            "no thread writes 14 of the 128 elements of `b`, b[102] the first",
        ]
    );
}

#[test]
fn differences_between_orders_are_those_of_the_view() {
    let inside = "param arg0 = y: write [u32] !0
        param arg1 = z: write [u32] !0
        %b = builtin block_idx.x : u32 !0
        %y = param arg0 : ptr global !0
        %z = param arg1 : ptr global !0
        %p = offset %z, 8 : ptr global !0
        %s = store %p, %b !0";
    let memory = Memory::from_bytes(&bytes(64, 4));
    let args = [
        Arg::Slice { memory: &memory, offset: 0, len: 4 },
        Arg::Slice { memory: &memory, offset: 20, len: 4 },
    ];
    let found =
        TracedProgram::new(&kernel(inside)).compare_orders(&launch(&args, 8, 1, 1)).unwrap();
    let text = found.to_string();
    assert!(text.contains("z[2]"), "{text}");
    assert_eq!(contents(&memory), bytes(64, 4), "the memory is what it was");
}

#[test]
fn a_view_is_inside_and_aligned() {
    let refusal = |elem: &str, offset, len| {
        let memory = Memory::zeroed(64);
        let program = Program::new(&kernel(&format!("param arg0 = a: write [{elem}] !0")));
        let args = [Arg::Slice { memory: &memory, offset, len }];
        match program.run(&launch(&args, 1, 1, 1)).stopped {
            Some(Stopped::Malformed { message, .. }) => message,
            None => String::new(),
            other => panic!("{other:?}"),
        }
    };
    for (offset, len) in [(0, 16), (4, 15), (60, 1), (64, 0)] {
        assert_eq!(refusal("u32", offset, len), "");
    }
    assert_eq!(refusal("u32", 4, 16), "argument 0 has 16 elements from byte 4 on in 64 bytes");
    assert_eq!(refusal("u32", 68, 0), "argument 0 has 0 elements from byte 68 on in 64 bytes");
    let far = u64::MAX - 3;
    let expected = format!("argument 0 has 2 elements from byte {far} on in 64 bytes");
    assert_eq!(refusal("u32", far, 2), expected);
    let aligned = |bytes: u64| {
        format!("argument 0 begins at byte 6, and its elements are aligned to {bytes} bytes")
    };
    assert_eq!(refusal("u32", 6, 1), aligned(4));
    assert_eq!(refusal("u64", 6, 1), aligned(8));
    assert_eq!(refusal("plain 24 align 8", 6, 1), aligned(8));
    assert_eq!(refusal("u16", 6, 1), "");
    assert_eq!(refusal("bool", 61, 3), "");
    assert_eq!(refusal("plain 12 align 4", 4, 5), "");
}
