//! Tests of programs against the meaning of their instructions. On a machine that runs no compiled
//! programs, they do nothing.
use super::*;
use warpwise_compiler::library::root::rsqrt;

const A: Value = Value::Register(0);
const B: Value = Value::Register(4 * WIDTH as i32);
const C: Value = Value::Register(8 * WIDTH as i32);
const D: Value = Value::Register(12 * WIDTH as i32);

fn inst(code: Code, to: Value, from: &[Value]) -> Inst {
    let mut all = [to; 3];
    all[..from.len()].copy_from_slice(from);
    Inst { code, to: Some(to), from: all }
}

fn compile(
    over: LoopAxis,
    insts: &[Inst],
    kept: &[Value],
    moves: &[bool],
) -> Option<Arc<Compiled>> {
    let (insts, kept, moves) = (insts.to_vec(), kept.to_vec(), moves.to_vec());
    LaneProgram { over, is_clipped: false, insts, kept, moves }.compile()
}

/// Runs instructions once on 16 lanes of each register; returns the lanes of `D`.
fn run(insts: &[Inst], lanes: [[u32; WIDTH]; 3]) -> [u32; WIDTH] {
    let compiled = compile(LoopAxis::Rounds, insts, &[D], &[]).expect("registers suffice");
    let mut file = [lanes[0], lanes[1], lanes[2], [7; WIDTH]];
    // SAFETY: there are 16 lanes of four registers.
    unsafe { compiled.run(&mut [], file.as_mut_ptr().cast(), 1) };
    file[3]
}

/// Numbers of all kinds.
const EDGES: [f32; WIDTH] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MIN_POSITIVE,
    1e-45,
    -3.0e-39,
    f32::MAX,
    0.1,
    3.0,
    16_777_217.0,
    1.0 - f32::EPSILON / 2.0,
    1e30,
];

/// Returns true for equal bits, and for NaN where NaN is expected.
fn are_same(got: u32, want: f32) -> bool {
    got == want.to_bits() || f32::from_bits(got).is_nan() && want.is_nan()
}

#[test]
fn floats_are_computed_as_rust_does() {
    type Float = fn(f32, f32, f32) -> f32;
    if !is_available() {
        return;
    }
    let codes: [(Code, Float); 7] = [
        (Code::Add, |a, b, _| a + b),
        (Code::Sub, |a, b, _| a - b),
        (Code::Mul, |a, b, _| a * b),
        (Code::Div, |a, b, _| a / b),
        (Code::Sqrt, |a, _, _| a.sqrt()),
        (Code::Fma, |a, b, c| a.mul_add(b, c)),
        (Code::Rsqrt, |a, _, _| rsqrt(a)),
    ];
    for (code, want) in codes {
        for shift in 0..WIDTH {
            let (mut b, mut c) = (EDGES, EDGES);
            b.rotate_left(shift);
            c.rotate_left(2 * shift % WIDTH);
            // The result is in a register of its own, and in that of each operand.
            for to in [A, B, C, D] {
                let operands = &[A, B, C][..code.operands()];
                let insts = [inst(code, to, operands), inst(Code::Copy, D, &[to])];
                let got = run(&insts, [EDGES, b, c].map(|lanes| lanes.map(f32::to_bits)));
                for lane in 0..WIDTH {
                    let want = want(EDGES[lane], b[lane], c[lane]);
                    assert!(are_same(got[lane], want), "{code:?} {shift} {lane}: {want}");
                }
            }
        }
    }
}

#[test]
fn integers_wrap() {
    type Integer = fn(u32, u32) -> u32;
    if !is_available() {
        return;
    }
    let codes: [(Code, Integer); 7] = [
        (Code::IntegerAdd, u32::wrapping_add),
        (Code::IntegerSub, u32::wrapping_sub),
        (Code::IntegerMul, u32::wrapping_mul),
        (Code::And, |a, b| a & b),
        (Code::Or, |a, b| a | b),
        (Code::Xor, |a, b| a ^ b),
        (Code::Copy, |a, _| a),
    ];
    let a = std::array::from_fn(|lane| 0x9e37_79b9_u32.wrapping_mul(lane as u32));
    let b = std::array::from_fn(|lane| u32::MAX - lane as u32 * 3);
    for (code, want) in codes {
        let got = run(&[inst(code, D, &[A, B][..code.operands()])], [a, b, a]);
        assert_eq!(got, std::array::from_fn(|lane| want(a[lane], b[lane])), "{code:?}");
    }
}

#[test]
fn inverse_roots_are_rounded_once() {
    const LANES: usize = 1 << 12;
    if !is_available() {
        return;
    }
    let insts = [inst(Code::Rsqrt, B, &[A])];
    let compiled = compile(LoopAxis::Lanes, &insts, &[B], &[]).expect("registers suffice");
    // All significands with an even and with an odd exponent, and some with every exponent.
    let significands = (0_u32..1 << 24).step_by(LANES).map(|first| ((126 << 23) + first, 1));
    let exponents = (0_u32..1 << 9).map(|high| (high << 23, (1 << 23) / LANES as u32 - 1));
    for (first, apart) in significands.chain(exponents) {
        let lanes: Vec<u32> = (0..LANES as u32).map(|at| first + apart * at).collect();
        for lanes in lanes.as_chunks::<WIDTH>().0 {
            let mut vectors = [*lanes, [0; WIDTH]];
            // SAFETY: there are 16 lanes of two registers.
            unsafe { compiled.run(&mut [], vectors.as_mut_ptr().cast(), 1) };
            for (x, got) in lanes.iter().zip(vectors[1]) {
                assert!(are_same(got, rsqrt(f32::from_bits(*x))), "{got:#x} for {x:#x}");
            }
        }
    }
}

#[test]
fn rounds_carry_registers_and_go_through_memory() {
    if !is_available() {
        return;
    }
    // D += A * number + word, where each lane loads A in a round.
    let (number, word) = (Value::Temporary(1), Value::Temporary(2));
    let insts = [
        inst(Code::Splat(0), number, &[]),
        inst(Code::LoadOnce(1), word, &[]),
        inst(Code::Load(2), A, &[]),
        inst(Code::IntegerMul, A, &[A, number]),
        inst(Code::IntegerAdd, A, &[A, word]),
        inst(Code::IntegerAdd, D, &[D, A]),
    ];
    let compiled = compile(LoopAxis::Rounds, &insts, &[], &[true; 3]).expect("registers suffice");
    let (words, rows) = ([10_u32, 20, 30], [[1_u32; WIDTH], [2; WIDTH], [3; WIDTH]]);
    let mut file = [[5_u32; WIDTH]; 4];
    let address = |at: *const u32| at.expose_provenance() as u64;
    let mut cells = [
        Cell { at: 100, step: 1 },
        Cell { at: address(words.as_ptr()), step: 4 },
        Cell { at: address(rows.as_ptr().cast()), step: 64 },
    ];
    // SAFETY: three rounds are in memory, and 16 lanes of four registers.
    unsafe { compiled.run(&mut cells, file.as_mut_ptr().cast(), 3) };
    assert_eq!(file[3], [5 + 100 + 10 + 202 + 20 + 306 + 30; WIDTH]);
}

#[test]
fn lanes_are_gone_over_with_their_registers() {
    if !is_available() {
        return;
    }
    // Each register has 32 lanes here.
    let [a, b] = [0, 128].map(Value::Register);
    let from = [a; 3];
    let insts = [
        inst(Code::Load(0), a, &[]),
        inst(Code::IntegerAdd, b, &[b, a]),
        inst(Code::IntegerAdd, a, &[a, b]),
        Inst { code: Code::Store(1), to: None, from },
    ];
    let words: [u32; 32] = std::array::from_fn(|lane| lane as u32);
    // Rows are prefetched, which changes no result.
    for over in [LoopAxis::Lanes, LoopAxis::Rows] {
        let compiled = compile(over, &insts, &[], &[false; 2]).expect("registers suffice");
        let (mut stored, mut file) = ([0_u32; 32], [[0_u32; 32], words]);
        let mut cells = [words.as_ptr(), stored.as_mut_ptr().cast_const()]
            .map(|at| Cell { at: at.expose_provenance() as u64, step: 0 });
        // SAFETY: 32 lanes are in memory and in two registers.
        unsafe { compiled.run(&mut cells, file.as_mut_ptr().cast(), 2) };
        assert_eq!(file[1], words.map(|lane| 2 * lane));
        assert_eq!(stored, words.map(|lane| 3 * lane));
    }
}

#[test]
fn more_addresses_than_general_registers_are_taken() {
    if !is_available() {
        return;
    }
    // The sum of six rows, each at its own address, is stored at a seventh.
    let value = |number| Value::Temporary(number);
    let loads = (0..6).map(|cell| inst(Code::Load(cell), value(cell.into()), &[]));
    let sums = (1..6).map(|cell| inst(Code::IntegerAdd, value(0), &[value(0), value(cell)]));
    let store = Inst { code: Code::Store(6), to: None, from: [value(0); 3] };
    let insts: Vec<Inst> = loads.chain(sums).chain([store]).collect();
    let compiled = compile(LoopAxis::Rows, &insts, &[], &[false; 7]).expect("registers suffice");
    let rows: [[u32; 32]; 6] = std::array::from_fn(|row| [10_u32.pow(row as u32); 32]);
    let mut stored = [0_u32; 32];
    let addresses = rows.iter().map(|row| row.as_ptr()).chain([stored.as_mut_ptr().cast_const()]);
    let cell = |at: *const u32| Cell { at: at.expose_provenance() as u64, step: 0 };
    let mut cells: Vec<Cell> = addresses.map(cell).collect();
    // SAFETY: 32 words of each row are in memory; there are no registers.
    unsafe { compiled.run(&mut cells, std::ptr::null_mut(), 2) };
    assert_eq!(stored, [111_111; 32]);
}

#[test]
fn there_is_no_code_for_more_values_than_vector_registers() {
    let register = |at: u32| Value::Register(64 * at as i32);
    let sums = |n: u32| -> Vec<Inst> {
        (1..n).map(|at| inst(Code::IntegerAdd, register(0), &[register(0), register(at)])).collect()
    };
    assert!(compile(LoopAxis::Rounds, &sums(29), &[], &[]).is_none());
    assert_eq!(compile(LoopAxis::Rounds, &sums(28), &[], &[]).is_some(), is_available());
}
