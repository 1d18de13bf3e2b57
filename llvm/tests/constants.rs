//! What LLVM folds is what the IR means: operations on constants, lowered and optimized by LLVM, against the
//! evaluator that the optimizer and the interpreter are tested by. Inline PTX does not fold and is left out.
#![expect(clippy::unwrap_used, reason = "a test")]
use warpwise_compiler::{
    analysis::evaluate,
    ir::{BinaryOp, CompareOp, Kernel, Scalar, UnaryOp, number},
    target::Target,
    verify::verify,
};
use warpwise_llvm::{Llvm, emit};

/// Values of a type, as bits: edges, and some in between.
fn values(scalar: Scalar) -> Vec<u64> {
    let Some((min, max)) = evaluate::limits(scalar) else {
        let numbers = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1.5,
            2.5,
            -2.5,
            3.3,
            1e-3,
            -7e4,
            1e30,
            1e-42,
            1e-310,
            5e-324,
            f64::MAX,
            f64::INFINITY,
            -f64::INFINITY,
        ];
        let bits = numbers.map(f64::to_bits);
        return bits
            .iter()
            .filter_map(|&bits| match scalar {
                Scalar::F64 => Some(bits),
                _ => evaluate::cast(Scalar::F64, scalar, bits),
            })
            .collect();
    };
    let middle = (max - min) / 3 + min;
    let mut values: Vec<i128> = vec![0, 1, 2, 3, 7, 31, min, min + 1, max - 1, max, middle, -1, -3];
    values.retain(|value| (min..=max).contains(value));
    values.into_iter().map(|value| evaluate::wrap(scalar, value)).collect()
}

/// The bits of what LLVM makes of an operation on constants; `None` if it is not a constant.
fn folded(name: &str, operands: &[(Scalar, u64)], result: Scalar) -> Option<Option<u64>> {
    let mut text =
        "kernel k { param arg0 = out: write [u64] %0 = param arg0 : ptr global ".to_owned();
    for (index, (ty, bits)) in operands.iter().enumerate() {
        text += &format!("%{} = const {} : {ty} ", index + 1, number(*ty, *bits));
    }
    let next = operands.len() + 1;
    let list: Vec<String> = (1..next).map(|index| format!("%{index}")).collect();
    text += &format!("%{next} = {name} {} : {result} ", list.join(", "));
    let bits = match result.size()? {
        _ if result == Scalar::Bool => Scalar::Bool,
        1 => Scalar::U8,
        2 => Scalar::U16,
        4 => Scalar::U32,
        _ => Scalar::U64,
    };
    let [raw, wide, store] = [next + 1, next + 2, next + 3];
    text += &match bits {
        Scalar::Bool => format!("%{raw} = select %{next}, %{next}, %{next} : bool "),
        _ => format!("%{raw} = bitcast %{next} : {bits} "),
    };
    text += &format!("%{wide} = cast %{raw} : u64 %{store} = store %0, %{wide} }}");
    let kernel: Kernel = text.parse().ok()?;
    verify(&kernel).ok()?;
    let llvm = Llvm::of_toolchain().expect("rustup's toolchains have an LLVM with NVPTX");
    let ptx = emit(llvm, &kernel, Target::OLDEST).unwrap();
    let line = ptx.lines().find(|line| line.contains("st.global.b64")).unwrap();
    let stored = line.split_once("], ").unwrap().1.trim_end_matches(';');
    Some(stored.parse::<i64>().ok().map(|bits| bits as u64))
}

/// How many operations were folded, and how many were not.
#[derive(Default)]
struct Count {
    folded: usize,
    open: usize,
}

impl Count {
    /// Holds what LLVM makes of an operation against what it means, if that is one number.
    fn check(
        &mut self,
        name: &str,
        operands: &[(Scalar, u64)],
        result: Scalar,
        expected: Option<u64>,
    ) {
        let Some(expected) = expected else { return };
        match folded(name, operands, result) {
            Some(Some(found)) => {
                assert_eq!(found, expected, "{name} {operands:x?} : {result}");
                self.folded += 1;
            }
            Some(None) => self.open += 1,
            None => {}
        }
    }
}

#[test]
fn llvm_folds_as_the_ir_means() {
    let mut count = Count::default();
    for ty in Scalar::CONCRETE {
        let values = values(ty);
        for &a in &values {
            for op in UnaryOp::ALL {
                count.check(op.name(), &[(ty, a)], ty, evaluate::unary(*op, ty, a));
            }
            for to in Scalar::CONCRETE {
                let expected = evaluate::cast(ty, to, a);
                count.check("cast", &[(ty, a)], to, expected);
            }
        }
        // Every value meets some others.
        let pairs = values.iter().enumerate().flat_map(|(index, &a)| {
            [1, 4, 7].map(|step| (a, values[(index + step) % values.len()]))
        });
        for (a, b) in pairs {
            for op in BinaryOp::ALL {
                let (amount, b) = if op.is_shift() { (Scalar::U32, b & 0xff) } else { (ty, b) };
                let expected = evaluate::binary(*op, ty, a, b);
                count.check(op.name(), &[(ty, a), (amount, b)], ty, expected);
            }
            for op in CompareOp::ALL {
                let expected = evaluate::compare(*op, ty, a, b).map(u64::from);
                count.check(op.name(), &[(ty, a), (ty, b)], Scalar::Bool, expected);
            }
            let expected = evaluate::fma(ty, a, b, a);
            count.check("fma", &[(ty, a), (ty, b), (ty, a)], ty, expected);
        }
    }
    println!("{} operations folded, {} not", count.folded, count.open);
    assert!(count.folded > 5000, "{} operations", count.folded);
}
