//! Constants as LLVM folds them: operations on constants, lowered and optimized by LLVM, against
//! the evaluator that the optimizer and the interpreter are tested against. Inline PTX does not
//! fold and is left out.
#![expect(clippy::unwrap_used, reason = "a test")]
use warpwise_compiler::{
    ir::{BinaryOp, CompareOp, Kernel, Scalar, UnaryOp, evaluate, number},
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

/// Cases of an operation: the operands' bits, and those of the result.
type Cases = Vec<(Vec<u64>, u64)>;

/// Bytes between the results of a kernel, so that LLVM does not merge stores of them.
const STRIDE: usize = 4096;

/// A kernel that stores the results of an operation on constants, as 64 bits each; `None` if the
/// types do not fit.
fn kernel(name: &str, types: &[Scalar], result: Scalar, cases: &Cases) -> Option<Kernel> {
    let mut text =
        "kernel k { param arg0 = out: write [u64] %0 = param arg0 : ptr global ".to_owned();
    let bits = match result.size()? {
        _ if result == Scalar::Bool => None,
        1 => Some(Scalar::U8),
        2 => Some(Scalar::U16),
        4 => Some(Scalar::U32),
        _ => Some(Scalar::U64),
    };
    let mut next = 1;
    for (index, (operands, _)) in cases.iter().enumerate() {
        let mut names = Vec::new();
        for (ty, bits) in types.iter().zip(operands) {
            text += &format!("%{next} = const {} : {ty} ", number(*ty, *bits));
            names.push(format!("%{next}"));
            next += 1;
        }
        text += &format!("%{next} = {name} {} : {result} ", names.join(", "));
        if let Some(bits) = bits {
            text += &format!("%{} = bitcast %{next} : {bits} ", next + 1);
            next += 1;
        }
        let (wide, place) = (next + 1, next + 2);
        text += &format!("%{wide} = cast %{next} : u64 ");
        text += &format!("%{place} = offset %0, {} : ptr global ", index * STRIDE);
        text += &format!("%{} = store %{place}, %{wide} ", place + 1);
        next = place + 2;
    }
    let kernel: Kernel = (text + "}").parse().ok()?;
    verify(&kernel).is_ok().then_some(kernel)
}

/// Asserts that LLVM's constants equal the evaluator's results. Returns the number of cases that it
/// folded.
fn check(name: &str, types: &[Scalar], result: Scalar, cases: &Cases) -> usize {
    let Some(kernel) = kernel(name, types, result, cases) else { return 0 };
    let llvm = Llvm::find().expect("rustup's toolchains have an LLVM with NVPTX");
    let ptx = emit(llvm, &kernel, Target::OLDEST).unwrap();
    let mut folded = 0;
    // `st.global.b64 [%rd1+4096], 7;`
    for line in ptx.lines().filter(|line| line.contains("st.global.b64")) {
        let (place, stored) = line.split_once("], ").unwrap();
        // What is not folded is a register, and computed by the GPU.
        let Ok(found) = stored.trim_end_matches(';').parse::<i64>() else { continue };
        let place: usize = place.split_once('+').map_or(0, |(_, bytes)| bytes.parse().unwrap());
        let (operands, expected) = &cases[place / STRIDE];
        assert_eq!(found as u64, *expected, "{name} {operands:x?} : {types:?} -> {result}");
        folded += 1;
    }
    folded
}

#[test]
fn llvm_folds_as_the_ir_means() {
    let mut folded = 0;
    for ty in Scalar::CONCRETE {
        let values = values(ty);
        // Every value meets some others.
        let pairs: Vec<(u64, u64)> = (values.iter().enumerate())
            .flat_map(|(index, &a)| {
                [1, 4, 7].map(|step| (a, values[(index + step) % values.len()]))
            })
            .collect();
        let each = |result: &dyn Fn(u64) -> Option<u64>| -> Cases {
            values.iter().filter_map(|&a| Some((vec![a], result(a)?))).collect()
        };
        for op in UnaryOp::ALL {
            let cases = each(&|a| evaluate::unary(*op, ty, a));
            folded += check(op.name(), &[ty], ty, &cases);
        }
        for to in Scalar::CONCRETE {
            folded += check("cast", &[ty], to, &each(&|a| evaluate::cast(ty, to, a)));
        }
        for op in BinaryOp::ALL {
            let (amount, mask) = if op.is_shift() { (Scalar::U32, 0xff) } else { (ty, u64::MAX) };
            let cases = pairs.iter().filter_map(|&(a, b)| {
                Some((vec![a, b & mask], evaluate::binary(*op, ty, a, b & mask)?))
            });
            folded += check(op.name(), &[ty, amount], ty, &cases.collect());
        }
        for op in CompareOp::ALL {
            let cases = pairs
                .iter()
                .filter_map(|&(a, b)| Some((vec![a, b], evaluate::compare(*op, ty, a, b)?.into())));
            folded += check(op.name(), &[ty, ty], Scalar::Bool, &cases.collect());
        }
        let cases =
            pairs.iter().filter_map(|&(a, b)| Some((vec![a, b, a], evaluate::fma(ty, a, b, a)?)));
        folded += check("fma", &[ty; 3], ty, &cases.collect());
    }
    println!("{folded} operations");
    assert!(folded > 9000, "{folded} operations");
}
