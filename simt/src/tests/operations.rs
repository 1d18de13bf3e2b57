//! Operations compared with Rust's own, over edge values of every type: in lanes and as uniform
//! values, for each instruction set.
use super::{Value, isas, program_for, run, shape};
use crate::Outcome;

/// Values of one type, as bits.
type Column = (&'static str, Vec<u64>);

fn size(ty: &str) -> usize {
    match ty {
        "bool" | "i8" | "u8" => 1,
        "i16" | "u16" => 2,
        "i32" | "u32" | "f32" => 4,
        _ => 8,
    }
}

/// Returns a buffer with a column's values, each of its type's size.
fn buffer(ty: &str, bits: &[u64]) -> Value {
    let bytes = bits.iter().flat_map(|bits| bits.to_le_bytes()[..size(ty)].to_vec());
    Value::U8(bytes.collect())
}

/// Computes `op` (with operands `%a %b %c`) on each row of the columns.
fn compute(op: &str, result: &str, columns: &[Column]) -> Vec<Vec<u64>> {
    let rows = columns[0].1.len();
    let mut results = Vec::new();
    for isa in isas() {
        // A varying index makes lanes, an index per block makes uniform values.
        for (index, shape) in [
            ("global_idx.x", shape(rows.div_ceil(96) as u32, 96)),
            ("block_idx.x", shape(rows as u32, 1)),
        ] {
            let mut values: Vec<_> = columns.iter().map(|(ty, bits)| buffer(ty, bits)).collect();
            values.push(buffer(result, &vec![0; rows]));
            let program = program_for(&kernel(op, result, columns, index), isa);
            let outcome = run_sized(&program, shape, columns, result, &mut values);
            assert_eq!(outcome, Outcome::default(), "{op}");
            let Some(Value::U8(bytes)) = values.pop() else { panic!("no result") };
            let chunks = bytes.chunks_exact(size(result));
            let bits = |bytes: &[u8]| {
                bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
            };
            results.push(chunks.map(bits).collect());
        }
    }
    results
}

/// Sets the lengths in elements, since values are passed as bytes.
fn run_sized(
    program: &crate::Program,
    shape: super::Shape,
    columns: &[Column],
    result: &str,
    values: &mut [Value],
) -> Outcome {
    let memories: Vec<_> = values.iter().map(Value::memory).collect();
    let rows = columns[0].1.len() as u64;
    let args: Vec<_> =
        memories.iter().map(|memory| crate::Arg::Slice { memory, offset: 0, len: rows }).collect();
    let super::Shape { grid, block, steps, .. } = shape;
    let outcome = program.run(&crate::Launch { grid, block, args: &args, workers: None, steps });
    assert!(memories.last().unwrap().len() == rows as usize * size(result));
    values.iter_mut().zip(&memories).for_each(|(value, memory)| value.take(memory));
    outcome
}

fn kernel(op: &str, result: &str, columns: &[Column], index: &str) -> String {
    let mut text = String::new();
    for (number, (ty, _)) in columns.iter().enumerate() {
        text += &format!("param arg{number} = p{number}: read [{ty}] !0\n");
    }
    let out = columns.len();
    text += &format!("param arg{out} = out: write [{result}] !0\n");
    text += &format!(
        "%i = builtin {index} : u64 !0
         %n = len arg{out} : u64 !0
         %in = lt %i, %n : bool !0
         %if = if %in !0 {{\n"
    );
    for (number, (ty, _)) in columns.iter().enumerate() {
        let name = ["a", "b", "c"][number];
        let size = size(ty);
        text += &format!(
            "%p{name} = param arg{number} : ptr global !0
             %x{name} = index %p{name}, %i, {size} : ptr global !0
             %{name} = load %x{name} : {ty} !0\n"
        );
    }
    let size = size(result);
    text += &format!(
        "%r = {op} : {result} !0
         %po = param arg{out} : ptr global !0
         %xo = index %po, %i, {size} : ptr global !0
         %s = store %xo, %r !0
         }}"
    );
    text
}

fn is_nan(ty: &str, bits: u64) -> bool {
    match ty {
        "f32" => f32::from_bits(bits as u32).is_nan(),
        "f64" => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}

/// Compares `op` on each row with `expected`.
fn check(op: &str, result: &'static str, columns: &[Column], expected: impl Fn(&[u64]) -> u64) {
    for results in compute(op, result, columns) {
        for (row, got) in results.into_iter().enumerate() {
            let operands: Vec<_> = columns.iter().map(|(_, bits)| bits[row]).collect();
            let want = expected(&operands);
            let both_nan = is_nan(result, got) && is_nan(result, want);
            assert!(
                got == want || both_nan,
                "{op} : {result} on {operands:x?}: {got:#x} for {want:#x}"
            );
        }
    }
}

/// Returns every pair of two columns' values.
fn pairs(a: &[u64], b: &[u64]) -> (Vec<u64>, Vec<u64>) {
    a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b))).unzip()
}

macro_rules! int_tests {
    ($($ty:ident $unsigned:ident $abs:expr;)*) => {$(
        #[test]
        fn $ty() {
            type T = $ty;
            let name = stringify!($ty);
            let edges: Vec<u64> = [
                T::MIN, T::MIN.wrapping_add(1), T::MAX, T::MAX - 1, 0, 1, 2, 3, 7, 100, T::MAX / 2,
                T::MAX / 3, (0 as T).wrapping_sub(1), (0 as T).wrapping_sub(2), (0 as T).wrapping_sub(100),
            ].iter().map(|value| *value as $unsigned as u64).collect();
            let (a, b) = pairs(&edges, &edges);
            let columns = [(name, a), (name, b)];
            let binary: [(&str, fn(T, T) -> T); 10] = [
                ("add", T::wrapping_add),
                ("sub", T::wrapping_sub),
                ("mul", T::wrapping_mul),
                // Unspecified results must at least be the same everywhere.
                ("div", |a, b| if b == 0 { 0 } else { a.wrapping_div(b) }),
                ("rem", |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) }),
                ("and", |a, b| a & b),
                ("or", |a, b| a | b),
                ("xor", |a, b| a ^ b),
                ("min", |a, b| a.min(b)),
                ("max", |a, b| a.max(b)),
            ];
            for (op, function) in binary {
                check(&format!("{op} %a, %b"), name, &columns, |row| {
                    function(row[0] as T, row[1] as T) as $unsigned as u64
                });
            }
            let compare: [(&str, fn(&T, &T) -> bool); 6] =
                [("eq", T::eq), ("ne", T::ne), ("lt", T::lt), ("le", T::le), ("gt", T::gt), ("ge", T::ge)];
            for (op, function) in compare {
                check(&format!("{op} %a, %b"), "bool", &columns, |row| {
                    function(&(row[0] as T), &(row[1] as T)).into()
                });
            }
            let (a, by) = pairs(&edges, &[0, 1, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 200, u32::MAX.into()]);
            let columns = [(name, a), ("u32", by)];
            let shift: [(&str, fn(T, u32) -> T); 2] = [("shl", T::wrapping_shl), ("shr", T::wrapping_shr)];
            for (op, function) in shift {
                check(&format!("{op} %a, %b"), name, &columns, |row| {
                    function(row[0] as T, row[1] as u32) as $unsigned as u64
                });
            }
            let unary: [(&str, fn(T) -> T); 3] = [("neg", T::wrapping_neg), ("not", |a| !a), ("abs", $abs)];
            for (op, function) in unary {
                check(&format!("{op} %a"), name, &[(name, edges.clone())], |row| {
                    function(row[0] as T) as $unsigned as u64
                });
            }
            let column = [(name, edges.clone())];
            let casts: [(&str, fn(T) -> u64); 10] = [
                ("i8", |a| a as i8 as u8 as u64),
                ("i16", |a| a as i16 as u16 as u64),
                ("i32", |a| a as i32 as u32 as u64),
                ("i64", |a| a as i64 as u64),
                ("u8", |a| a as u8 as u64),
                ("u16", |a| a as u16 as u64),
                ("u32", |a| a as u32 as u64),
                ("u64", |a| a as u64),
                ("f32", |a| (a as f32).to_bits() as u64),
                ("f64", |a| (a as f64).to_bits()),
            ];
            for (to, function) in casts {
                check("cast %a", to, &column, |row| function(row[0] as T));
            }
        }
    )*};
}
int_tests! {
    i8 u8 i8::wrapping_abs;
    i16 u16 i16::wrapping_abs;
    i32 u32 i32::wrapping_abs;
    i64 u64 i64::wrapping_abs;
    u8 u8 |a| a;
    u16 u16 |a| a;
    u32 u32 |a| a;
    u64 u64 |a| a;
}

macro_rules! float_tests {
    ($($ty:ident $bits:ident $other:ident;)*) => {$(
        #[test]
        fn $ty() {
            type T = $ty;
            let name = stringify!($ty);
            let bits = |value: T| u64::from(value.to_bits());
            let edges: Vec<u64> = [
                0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -3.7, 0.1, 1e10, -1e10, 127.5, 255.9,
                -128.9, 65536.0, 2147483648.0, 4294967296.0, 9.3e18, 1.9e19, T::MAX, T::MIN,
                T::MIN_POSITIVE, T::MIN_POSITIVE / 8.0, -T::MIN_POSITIVE / 2.0, T::EPSILON,
                T::INFINITY, T::NEG_INFINITY, T::NAN, 1.0 + T::EPSILON, 8388609.0, 0.49999997,
            ].iter().map(|value| bits(*value)).collect();
            let of = |bits: u64| T::from_bits(bits as $bits);
            let (a, b) = pairs(&edges, &edges);
            let columns = [(name, a), (name, b)];
            let pick = |first: bool, a: T, b: T| if a.is_nan() || !b.is_nan() && !first { b } else { a };
            let is_below = |a: T, b: T| a < b || a == b && a.is_sign_negative() && b.is_sign_positive();
            let binary: [(&str, &dyn Fn(T, T) -> T); 7] = [
                ("add", &|a, b| a + b),
                ("sub", &|a, b| a - b),
                ("mul", &|a, b| a * b),
                ("div", &|a, b| a / b),
                ("rem", &|a, b| a % b),
                ("min", &|a, b| pick(!is_below(b, a), a, b)),
                ("max", &|a, b| pick(!is_below(a, b), a, b)),
            ];
            for (op, function) in binary {
                let expected = |row: &[u64]| bits(function(of(row[0]), of(row[1])));
                check(&format!("{op} %a, %b"), name, &columns, expected);
            }
            let compare: [(&str, fn(&T, &T) -> bool); 6] =
                [("eq", T::eq), ("ne", T::ne), ("lt", T::lt), ("le", T::le), ("gt", T::gt), ("ge", T::ge)];
            for (op, function) in compare {
                let expected = |row: &[u64]| function(&of(row[0]), &of(row[1])).into();
                check(&format!("{op} %a, %b"), "bool", &columns, expected);
            }
            let unary: [(&str, fn(T) -> T); 7] = [
                ("neg", |a| -a),
                ("abs", T::abs),
                ("sqrt", T::sqrt),
                ("floor", T::floor),
                ("ceil", T::ceil),
                ("trunc", T::trunc),
                ("round_ties_even", T::round_ties_even),
            ];
            let column = [(name, edges.clone())];
            for (op, function) in unary {
                check(&format!("{op} %a"), name, &column, |row| bits(function(of(row[0]))));
            }
            let casts: [(&str, fn(T) -> u64); 9] = [
                ("i8", |a| a as i8 as u8 as u64),
                ("i16", |a| a as i16 as u16 as u64),
                ("i32", |a| a as i32 as u32 as u64),
                ("i64", |a| a as i64 as u64),
                ("u8", |a| a as u8 as u64),
                ("u16", |a| a as u16 as u64),
                ("u32", |a| a as u32 as u64),
                ("u64", |a| a as u64),
                (stringify!($other), |a| u64::from((a as $other).to_bits())),
            ];
            for (to, function) in casts {
                check("cast %a", to, &column, |row| function(of(row[0])));
            }
            check("bitcast %a", stringify!($bits), &column, |row| row[0]);
            let few: Vec<u64> = edges.iter().copied().step_by(3).collect();
            let (ab, c) = pairs(&(0..few.len() as u64 * few.len() as u64).collect::<Vec<_>>(), &few);
            let len = few.len() as u64;
            let a = ab.iter().map(|ab| few[(ab / len) as usize]).collect();
            let b = ab.iter().map(|ab| few[(ab % len) as usize]).collect();
            check("fma %a, %b, %c", name, &[(name, a), (name, b), (name, c)], |row| {
                bits(of(row[0]).mul_add(of(row[1]), of(row[2])))
            });
        }
    )*};
}
float_tests! {
    f32 u32 f64;
    f64 u64 f32;
}

#[test]
fn bool() {
    let (a, b) = pairs(&[0, 1], &[0, 1]);
    let columns = [("bool", a), ("bool", b)];
    type Function = fn(u64, u64) -> u64;
    let binary: [(&str, Function); 5] = [
        ("and %a, %b", |a, b| a & b),
        ("or %a, %b", |a, b| a | b),
        ("xor %a, %b", |a, b| a ^ b),
        ("lt %a, %b", |a, b| (a < b).into()),
        ("eq %a, %b", |a, b| (a == b).into()),
    ];
    for (op, function) in binary {
        check(op, "bool", &columns, |row| function(row[0], row[1]));
    }
    check("not %a", "bool", &[("bool", vec![0, 1])], |row| row[0] ^ 1);
    check("cast %a", "i64", &[("bool", vec![0, 1])], |row| row[0]);
}

#[test]
fn select_takes_either_side() {
    for ty in ["bool", "u8", "i16", "f32", "u64"] {
        let column = |first: u64| (0..70_u64).map(|i| (i + first) % 2).collect::<Vec<_>>();
        let columns = [
            ("bool", (0..70_u64).map(|i| (i % 3 == 0).into()).collect()),
            (ty, column(0)),
            (ty, column(1)),
        ];
        check("select %a, %b, %c", ty, &columns, |row| if row[0] != 0 { row[1] } else { row[2] });
    }
}

#[test]
fn bytes_other_than_bools_read_as_true() {
    let columns = [("bool", vec![0, 1, 2, 0x80, 0xff])];
    check("not %a", "bool", &columns, |row| u64::from(row[0] == 0));
    check("cast %a", "u8", &columns, |row| u64::from(row[0] != 0));
}

#[test]
fn builtins_count_threads() {
    let kernel = "param arg0 = out: write [u32] !0
        %0 = builtin global_idx.x : u32 !0
        %1 = builtin global_idx.y : u32 !0
        %2 = builtin global_idx.z : u32 !0
        %3 = builtin grid_dim.x : u32 !0
        %4 = builtin block_dim.x : u32 !0
        %5 = mul %3, %4 : u32 !0
        %6 = builtin grid_dim.y : u32 !0
        %7 = builtin block_dim.y : u32 !0
        %8 = mul %6, %7 : u32 !0
        %9 = mul %2, %8 : u32 !0
        %10 = add %9, %1 : u32 !0
        %11 = mul %10, %5 : u32 !0
        %12 = add %11, %0 : u32 !0
        %13 = builtin thread_idx.x : u32 !0
        %14 = builtin thread_idx.y : u32 !0
        %15 = builtin thread_idx.z : u32 !0
        %16 = builtin lane_id : u32 !0
        %17 = builtin warp_id : u32 !0
        %18 = builtin block_idx.z : u32 !0
        %19 = const 100 : u32 !0
        %20 = mul %18, %19 : u32 !0
        %21 = add %20, %17 : u32 !0
        %22 = mul %21, %19 : u32 !0
        %23 = add %22, %16 : u32 !0
        %24 = mul %23, %19 : u32 !0
        %25 = add %24, %13 : u32 !0
        %26 = mul %25, %19 : u32 !0
        %27 = add %26, %14 : u32 !0
        %28 = add %27, %15 : u32 !0
        %29 = param arg0 : ptr global !0
        %30 = index %29, %12, 4 : ptr global !0
        %31 = store %30, %28 !0";
    let (grid, block) = ([2, 3, 2], [10, 3, 4]);
    let shape = super::Shape { grid, block, ..shape(1, 1) };
    let left = super::u32s(kernel, shape, vec![0; 12 * 120]);
    let (width, height) = (20, 9);
    for z in 0..8 {
        for y in 0..height {
            for x in 0..width {
                let (tx, ty, tz) = (x % 10, y % 3, z % 4);
                let thread = (tz * 3 + ty) * 10 + tx;
                let block_z = z / 4;
                let place = ((block_z * 100 + thread / 32) * 100 + thread % 32) * 100 + tx;
                let expected = place * 100 + ty + tz;
                assert_eq!(
                    left[((z * height + y) * width + x) as usize],
                    expected,
                    "({x}, {y}, {z})"
                );
            }
        }
    }
}

#[test]
fn registers_of_a_large_block_are_filled() {
    let kernel = "param arg0 = out: write [u32] !0
        %0 = builtin thread_idx.x : u64 !0
        %1 = builtin warp_id : u32 !0
        %2 = param arg0 : ptr global !0
        %3 = index %2, %0, 4 : ptr global !0
        %4 = store %3, %1 !0";
    let left = super::u32s(kernel, shape(1, 1000), vec![0; 1000]);
    assert_eq!(left, (0..1000).map(|thread| thread / 32).collect::<Vec<_>>());
}

#[test]
fn arguments_are_passed_as_bits() {
    let kernel = "param arg0 = a: f32 !0
        param arg1 = b: bool !0
        param arg2 = c: i64 !0
        param arg3 = out: write [u64] !0
        %0 = param arg0 : f32 !0
        %1 = bitcast %0 : u32 !0
        %2 = cast %1 : u64 !0
        %3 = param arg1 : bool !0
        %4 = cast %3 : u64 !0
        %5 = param arg2 : i64 !0
        %6 = cast %5 : u64 !0
        %7 = param arg3 : ptr global !0
        %8 = store %7, %2 !0
        %9 = const 1 : u64 !0
        %10 = index %7, %9, 8 : ptr global !0
        %11 = store %10, %4 !0
        %12 = const 2 : u64 !0
        %13 = index %7, %12, 8 : ptr global !0
        %14 = store %13, %6 !0";
    let mut values = [
        Value::Scalar(1.5_f32.to_bits().into()),
        Value::Scalar(1),
        Value::Scalar(-3_i64 as u64),
        Value::U64(vec![0; 3]),
    ];
    assert_eq!(run(&super::program(kernel), shape(1, 1), &mut values), Outcome::default());
    let Value::U64(left) = &values[3] else { panic!("{values:?}") };
    assert_eq!(left, &[1.5_f32.to_bits().into(), 1, -3_i64 as u64]);
}
