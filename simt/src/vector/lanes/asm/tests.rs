//! Tests of every operation in assembly against its loop in Rust: all lengths up to 70 lanes, all
//! pairs of edge values, operands that are the destination, and bytes around the lanes that must
//! not change.
use crate::vector::{
    lanes::{
        self, InMemory, Isa, LaneFn,
        asm::{self, scan as asm_scan},
        copy, fused,
        lane_offsets::LaneOffsets,
        scan::{self, ElementAddresses},
    },
    memory::{AccessMode, Memory, Word},
};
use warpwise_compiler::ir::{BinaryOp, CompareOp, Scalar, UnaryOp};

const SCALARS: [Scalar; 13] = [
    Scalar::Bool,
    Scalar::I8,
    Scalar::I16,
    Scalar::I32,
    Scalar::I64,
    Scalar::U8,
    Scalar::U16,
    Scalar::U32,
    Scalar::U64,
    Scalar::F16,
    Scalar::BF16,
    Scalar::F32,
    Scalar::F64,
];

/// An operation in assembly, and in Rust.
struct Pair {
    name: String,
    assembly: LaneFn,
    rust: LaneFn,
    result: Scalar,
    operands: Vec<Scalar>,
    /// True if a NaN may have other bits: Rust does not specify the results of operations on one.
    any_nan: bool,
}

/// Returns the operation on lanes in memory.
fn in_memory(f: Option<LaneFn>) -> Option<LaneFn> {
    f?.in_memory().map(|InMemory(f)| LaneFn::from_raw(f))
}

fn pairs() -> Vec<Pair> {
    let base = Isa::Baseline;
    let mut pairs = Vec::new();
    let mut add =
        |name: String, assembly, rust: Option<LaneFn>, any_nan, result, operands: &[_]| {
            let (Some(assembly), operands) = (assembly, operands.to_vec()) else { return };
            let rust = rust.expect("what is in assembly is in Rust");
            pairs.push(Pair { name, assembly, rust, result, operands, any_nan });
        };
    for scalar in SCALARS {
        for op in UnaryOp::ALL {
            let exact = matches!(op, UnaryOp::Neg | UnaryOp::Abs);
            let (fast, slow) = (asm::unary(*op, scalar), || lanes::unary(*op, scalar, base));
            let slow = fast.and_then(|_| slow());
            add(format!("{op:?} {scalar:?}"), fast, slow, !exact, scalar, &[scalar]);
        }
        for op in BinaryOp::ALL {
            let exact = matches!(op, BinaryOp::Min | BinaryOp::Max);
            let amount = matches!(op, BinaryOp::Shl | BinaryOp::Shr | BinaryOp::RotateLeft);
            let other = if amount { Scalar::U32 } else { scalar };
            let fast = asm::binary(*op, scalar);
            let slow = fast.and_then(|_| lanes::binary(*op, scalar, base));
            add(format!("{op:?} {scalar:?}"), fast, slow, !exact, scalar, &[scalar, other]);
        }
        for op in BinaryOp::ALL {
            let [fast, slow] = [Isa::detect(), base].map(|isa| lanes::binary(*op, scalar, isa));
            let name = format!("{op:?} {scalar:?} in memory");
            add(name, in_memory(fast), slow, true, scalar, &[scalar; 2]);
            for (outer, is_left) in BinaryOp::ALL.iter().flat_map(|op| [(op, false), (op, true)]) {
                let pair = |isa| {
                    let how = fused::LoopSpec { isa, one: false };
                    fused::binary(*op, *outer, is_left, scalar, how)
                };
                let name = format!("{op:?} {outer:?} {is_left} {scalar:?} in memory");
                add(name, in_memory(pair(Isa::detect())), pair(base), true, scalar, &[scalar; 3]);
            }
        }
        let [fast, slow] = [Isa::detect(), base].map(|isa| lanes::fma(scalar, isa));
        add(format!("fma {scalar:?} in memory"), in_memory(fast), slow, true, scalar, &[scalar; 3]);
        for op in CompareOp::ALL {
            let fast = asm::compare(*op, scalar);
            let slow = fast.and_then(|_| lanes::compare(*op, scalar, base));
            add(format!("{op:?} {scalar:?}"), fast, slow, false, Scalar::Bool, &[scalar, scalar]);
        }
        for to in SCALARS {
            let fast = asm::cast(scalar, to);
            let slow = fast.and_then(|_| lanes::cast(scalar, to, base));
            add(format!("{scalar:?} as {to:?}"), fast, slow, true, to, &[scalar]);
        }
        let (fused, slow) = (asm::fma(scalar), lanes::fma(scalar, base));
        add(format!("fma {scalar:?}"), fused, slow, true, scalar, &[scalar; 3]);
    }
    for (size, word) in [(1, Scalar::U8), (2, Scalar::U16), (4, Scalar::U32), (8, Scalar::U64)] {
        let (copy, select) = (asm::copy(size), asm::select(size));
        let slow = Some(lanes::copy(size, base));
        add(format!("copy {size}"), Some(copy), slow, false, word, &[word]);
        let slow = Some(lanes::select(size, base));
        add(format!("select {size}"), Some(select), slow, false, word, &[Scalar::Bool, word, word]);
    }
    let (fast, slow) = (Some(asm::address()), Some(lanes::offset(base)));
    add("address".into(), fast, slow, false, Scalar::U64, &[Scalar::U64; 3]);
    pairs
}

fn size(scalar: Scalar) -> usize {
    scalar.size().expect("no parameter") as usize
}

/// Returns the bits of edge values, and of some others.
fn edges(scalar: Scalar) -> Vec<u64> {
    let floats32 = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.5,
        -2.5,
        3.0,
        1e-45,
        -1e-45,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::MIN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::EPSILON,
        2_147_483_520.0,
        2_147_483_648.0,
        -2_147_483_648.0,
        -2_147_483_904.0,
        4_294_967_040.0,
        4_294_967_296.0,
        1e20,
        -1e20,
        0.1,
        16_777_217.0,
        8_388_608.5,
        1e30,
        1e-30,
    ];
    let nans32 = [0x7fc0_0000, 0xffc0_0000, 0x7fc1_2345, 0x7f80_0001, 0xff80_0001];
    let floats64 = [1e300, 1e-300, 5e-324, f64::MAX, f64::MIN_POSITIVE, 3.402_823_5e38, 1e-46];
    let nans64 = [0x7ff8_0000_0000_0001, 0xfff8_0000_0000_0000, 0x7ff0_0000_0000_0001];
    let bits = 8 * size(scalar);
    match scalar {
        Scalar::Bool => vec![0, 1],
        Scalar::F32 => {
            floats32.iter().map(|value: &f32| u64::from(value.to_bits())).chain(nans32).collect()
        }
        Scalar::F64 => {
            let wide = floats32.iter().map(|value| f64::from(*value)).chain(floats64);
            wide.map(f64::to_bits).chain(nans64).collect()
        }
        _ => {
            let near = |power: u32| [0, 1, 2].map(|i| (1_u128 << power).wrapping_add(i) as u64);
            let powers = (0..=bits as u32).flat_map(near).map(|value| value.wrapping_sub(1));
            let some = [5, 7, 100, 0xaaaa_aaaa_aaaa_aaaa, 0x1234_5678_9abc_def0, -100_i64 as u64];
            powers.chain(some).chain([u64::MAX, u64::MAX - 1]).collect()
        }
    }
}

/// Returns lanes with these bits.
fn lanes_of(scalar: Scalar, bits: impl Iterator<Item = u64>) -> Vec<u8> {
    bits.flat_map(|bits| bits.to_le_bytes()[..size(scalar)].to_vec()).collect()
}

fn bits_at(bytes: &[u8], size: usize, lane: usize) -> u64 {
    let mut bits = [0; 8];
    bits[..size].copy_from_slice(&bytes[lane * size..][..size]);
    u64::from_le_bytes(bits)
}

fn is_nan(scalar: Scalar, bits: u64) -> bool {
    match scalar {
        Scalar::F32 => f32::from_bits(bits as u32).is_nan(),
        Scalar::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}

/// Returns the result of `f`: `n` lanes, between bytes that do not change.
fn run(f: LaneFn, pair: &Pair, operands: &[Vec<u8>], n: usize) -> Vec<u8> {
    const AROUND: usize = 64;
    let bytes = n * size(pair.result);
    let mut room = vec![0xa5; AROUND + bytes + AROUND];
    let at = |index: usize| operands.get(index).map_or(std::ptr::dangling(), |o| o.as_ptr());
    // SAFETY: each operand has `n` lanes, and so has the room after its first bytes.
    unsafe { f.call(room.as_mut_ptr().add(AROUND), at(0), at(1), at(2), n) };
    let (before, rest) = room.split_at(AROUND);
    let (lanes, behind) = rest.split_at(bytes);
    assert!(before.iter().chain(behind).all(|b| *b == 0xa5), "{}: writes beside lanes", pair.name);
    lanes.to_vec()
}

/// Returns the result of `f` where the destination is an operand of its size.
fn run_in_place(f: LaneFn, operands: &[Vec<u8>], place: usize, n: usize) -> Vec<u8> {
    let mut operands = operands.to_vec();
    let at: Vec<_> = operands.iter_mut().map(|operand| operand.as_mut_ptr()).collect();
    let other = |index: usize| at.get(index).map_or(std::ptr::dangling(), |at| at.cast_const());
    // SAFETY: each operand has `n` lanes; one of the destination's size may be it.
    unsafe { f.call(at[place], other(0), other(1), other(2), n) };
    operands.swap_remove(place)
}

fn check(pair: &Pair, operands: &[Vec<u8>], n: usize) {
    let Pair { name, result, any_nan, .. } = pair;
    let (got, want) = (run(pair.assembly, pair, operands, n), run(pair.rust, pair, operands, n));
    for lane in 0..n {
        let [got, want] = [&got, &want].map(|bytes| bits_at(bytes, size(*result), lane));
        let same = got == want || *any_nan && is_nan(*result, got) && is_nan(*result, want);
        let from: Vec<_> = pair.operands.iter().zip(operands).collect();
        let from = from.iter().map(|(scalar, bytes)| bits_at(bytes, size(**scalar), lane));
        assert!(
            same,
            "{name}, lane {lane} of {n}: {got:#x} for {want:#x} of {:x?}",
            from.collect::<Vec<_>>()
        );
    }
    for (place, operand) in pair.operands.iter().enumerate() {
        if size(*operand) == size(*result) {
            assert_eq!(run_in_place(pair.assembly, operands, place, n), got, "{name}, in place");
        }
    }
}

#[test]
fn lanes_are_as_in_rust() {
    if Isa::detect() == Isa::Baseline {
        return;
    }
    let pairs = pairs();
    assert!(pairs.len() > 180, "{}", pairs.len());
    for pair in &pairs {
        let edges: Vec<_> = pair.operands.iter().map(|scalar| edges(*scalar)).collect();
        // All pairs of the first two operands; the third takes its values in turn.
        let all: usize = edges.iter().take(2).map(Vec::len).product();
        let value = |operand: usize, i: usize| {
            let values = &edges[operand];
            match operand {
                0 => values[i % values.len()],
                1 => values[i / edges[0].len() % values.len()],
                _ => values[(i * 7 + i / values.len()) % values.len()],
            }
        };
        let operands = |n: usize, skip: usize| -> Vec<_> {
            let of = |(operand, scalar): (usize, &Scalar)| {
                lanes_of(*scalar, (skip..skip + n).map(|i| value(operand, i)))
            };
            pair.operands.iter().enumerate().map(of).collect()
        };
        check(pair, &operands(all, 0), all);
        if pair.operands.len() == 3 {
            (0..40).for_each(|skip| check(pair, &operands(all, all * skip + skip), all));
        }
        for n in 0..=70 {
            check(pair, &operands(n, n * 37), n);
        }
    }
}

/// Returns lanes of pseudo-random bits.
fn random(bytes: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1);
        (state >> 56) as u8
    };
    (0..bytes).map(next).collect()
}

#[test]
fn bounds_hold_where_they_hold_in_rust() {
    if Isa::detect() == Isa::Baseline {
        return;
    }
    for size in [1, 2, 4, 8] {
        let most = u64::MAX >> (64 - 8 * size);
        for n in 0..=70 {
            for limit in [0, 1, 2, 100, 128, 255, 256, 1 << 15, 1 << 31, 1 << 63, most, u64::MAX] {
                let mut index = random(n * size, limit | 3);
                let below = limit.saturating_sub(1).min(most).max(1);
                for lane in 0..n {
                    let bits = bits_at(&index, size, lane) % below.saturating_add(1);
                    index[lane * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
                }
                same_bound(size, &index, n, limit);
                for lane in 0..n {
                    let mut index = index.clone();
                    let outside = limit.min(most);
                    index[lane * size..][..size].copy_from_slice(&outside.to_le_bytes()[..size]);
                    same_bound(size, &index, n, limit);
                }
            }
        }
    }
}

fn same_bound(size: usize, index: &[u8], n: usize, limit: u64) {
    let want = (0..n).all(|lane| bits_at(index, size, lane) < limit);
    // SAFETY: there are `n` indices.
    let got = unsafe {
        match size {
            1 => scan::below_in_assembly::<u8>(index.as_ptr(), n, limit),
            2 => scan::below_in_assembly::<u16>(index.as_ptr(), n, limit),
            4 => scan::below_in_assembly::<u32>(index.as_ptr(), n, limit),
            _ => scan::below_in_assembly::<u64>(index.as_ptr(), n, limit),
        }
    };
    assert_eq!(got, want, "{n} of {size} bytes below {limit}: {index:x?}");
}

#[test]
fn masks_and_fills_are_as_in_rust() {
    let bools: Vec<u8> = random(32, 5).iter().map(|byte| byte & 1).collect();
    // SAFETY: there are 32.
    let [got, want] =
        unsafe { [asm_scan::bool_word(bools.as_ptr()), scan::bool_word_in_rust(bools.as_ptr())] };
    assert_eq!(got, want);
    for size in [1, 2, 4, 8] {
        for mask in [0, 1, u32::MAX, 0x8000_0000, 0xffff, 0x1234_5678, 0xaaaa_aaaa] {
            let (old, new) = (random(32 * size, 1), random(32 * size, 2));
            let (mut got, mut want) = (old.clone(), old);
            // SAFETY: there are 32 at each place.
            unsafe {
                asm_scan::masked_copy(got.as_mut_ptr(), new.as_ptr(), size, mask);
                scan::masked_copy_in_rust(want.as_mut_ptr(), new.as_ptr(), size, mask);
            }
            assert_eq!(got, want, "{size} {mask:#x}");
        }
        for n in 0..=70 {
            let (mut got, mut want) = (random(100 * 8, 3), random(100 * 8, 3));
            let bits = 0x8182_8384_8586_8788;
            let values: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
            // SAFETY: there is room for 100 lanes of any size.
            unsafe {
                asm_scan::splat(got.as_mut_ptr(), size, n, bits);
                scan::splat_in_rust(want.as_mut_ptr(), size, n, bits);
                assert_eq!(got, want, "{n} of {size} bytes");
                asm_scan::fill(got.as_mut_ptr(), size, &values, bits);
                scan::fill_in_rust(want.as_mut_ptr(), size, &values, bits);
            }
            assert_eq!(got, want, "{n} of {size} bytes, filled");
            let own = random(100 * 8, 6);
            // SAFETY: as before.
            unsafe {
                asm_scan::spread(got.as_mut_ptr(), own.as_ptr(), size, n, bits);
                scan::spread_in_rust(want.as_mut_ptr(), own.as_ptr(), size, n, bits);
            }
            assert_eq!(got, want, "{n} of {size} bytes, spread");
        }
    }
}

/// Returns the indices of `n` lanes, minus the base.
fn patterns(n: usize) -> Vec<Vec<u64>> {
    let each = |index: fn(u64) -> u64| (0..n as u64).map(index).collect::<Vec<_>>();
    let mut patterns = vec![
        each(|i| i),
        each(|i| i + 3),
        each(|i| i * 2),
        each(|i| i * 4),
        each(|i| i * 8),
        each(|_| 5),
        each(|i| i / 2),
        each(|i| i * 7 % 13),
        each(|i| 69 - i.min(69)),
    ];
    for odd in [n.saturating_sub(1), n / 2, 0] {
        for index in [1, 2, 100, 700, 1 << 31, u64::MAX] {
            let mut one = each(|i| i);
            one.iter_mut().skip(odd).take(1).for_each(|at| *at = index);
            patterns.push(one);
        }
    }
    patterns
}

#[test]
fn transfers_move_what_rust_moves() {
    if Isa::detect() == Isa::Baseline {
        return;
    }
    for n in 0..=70 {
        for pattern in patterns(n) {
            for (base, stride) in [(0, 1), (0, 2), (0, 4), (0, 8), (0, 12), (7, 4), (64, 1)] {
                same_transfers::<u32>(n, &pattern, base, stride);
                same_transfers::<u64>(n, &pattern, base, stride);
            }
        }
    }
}

fn same_transfers<I: Word>(n: usize, pattern: &[u64], base: u64, stride: u64) {
    let mut index: Vec<u8> = Vec::new();
    for at in pattern {
        index.extend(&at.wrapping_add(base).to_le_bytes()[..size_of::<I>()]);
    }
    same_transfer::<u8, I>(n, &index, base, stride);
    same_transfer::<u16, I>(n, &index, base, stride);
    same_transfer::<u32, I>(n, &index, base, stride);
    same_transfer::<u64, I>(n, &index, base, stride);
}

fn same_transfer<W: Word, I: Word>(n: usize, index: &[u8], base: u64, stride: u64) {
    let size = size_of::<W>();
    let run = |store: bool, assembly: bool| {
        let memory = Memory::from_bytes(&random(500, 9));
        let mut lanes = random(n * size + 8, 4);
        let cells = memory.cells(AccessMode::Words(size as u32));
        let (places, at) =
            (ElementAddresses { cells, base, stride, index: index.as_ptr() }, lanes.as_mut_ptr());
        // SAFETY: there are `n` indices and `n` values.
        let done = unsafe {
            match (store, assembly) {
                (false, true) => scan::in_assembly::<W, I, false>(places, at, n),
                (false, false) => {
                    scan::transfer::<W, I, false>(places, at, n, copy::neighbours::<W>)
                }
                (true, true) => scan::in_assembly::<W, I, true>(places, at, n),
                (true, false) => scan::transfer::<W, I, true>(places, at, n, copy::neighbours::<W>),
            }
        };
        let mut bytes = vec![0; memory.len()];
        memory.read_into(0, &mut bytes);
        (done, lanes, bytes)
    };
    for store in [false, true] {
        assert!(
            run(store, true) == run(store, false),
            "{n} words of {size} bytes, stride {stride}, base {base}, store {store}: {index:x?}"
        );
    }
}

#[test]
fn walks_go_where_they_go_in_rust() {
    if Isa::detect() == Isa::Baseline {
        return;
    }
    let own: [fn(i64) -> i64; 7] = [
        |lane| lane,
        |lane| 5 - lane / 64,
        |lane| lane / 16 * 20 + lane % 16,
        |lane| lane / 16 * 7,
        |lane| lane / 5 * 8 + lane % 5,
        |lane| lane * 3 % 64,
        |lane| 70 - lane,
    ];
    for own in own {
        let own: Vec<i64> = (0..70).map(own).collect();
        for (first, n) in (0..70).flat_map(|n| [(0, n), (69 - n, n), (1, n), (33, n.min(37))]) {
            same_walk::<u8>(&own, first, n);
            same_walk::<u16>(&own, first, n);
            same_walk::<u32>(&own, first, n);
            same_walk::<u64>(&own, first, n);
        }
    }
}

fn same_walk<W: Word>(own: &[i64], first: usize, n: usize) {
    let size = size_of::<W>();
    let walk = LaneOffsets::new(own, size as u64, size);
    let run = |store: bool, assembly: bool| {
        let memory = Memory::from_bytes(&random(150 * size, 9));
        let mut lanes = random(n * size + 8, 4);
        let (cells, at) = (memory.cells(AccessMode::Words(size as u32)), 8 * size as i64);
        let (run, values) = ((first, n), lanes.as_mut_ptr());
        // SAFETY: own numbers are from 0 to 120, and there are `n` values.
        unsafe {
            match (store, assembly) {
                (false, true) => copy::in_assembly::<W, false>(cells, at, &walk, run, values),
                (true, true) => copy::in_assembly::<W, true>(cells, at, &walk, run, values),
                (false, false) => {
                    let values = values.cast::<W>();
                    copy::move_lanes::<W, false>(
                        cells,
                        at,
                        &walk,
                        run,
                        values,
                        copy::move_one_by_one::<W>,
                    );
                }
                (true, false) => {
                    let values = values.cast::<W>();
                    copy::move_lanes::<W, true>(
                        cells,
                        at,
                        &walk,
                        run,
                        values,
                        copy::move_one_by_one::<W>,
                    );
                }
            }
        }
        let mut bytes = vec![0; memory.len()];
        memory.read_into(0, &mut bytes);
        (lanes, bytes)
    };
    for store in [false, true] {
        let same = run(store, true) == run(store, false);
        assert!(same, "{n} words of {size} bytes from lane {first} on, store {store}: {own:?}");
    }
}
