//! Contracts for random kernels: conditions that their launch fulfils, which tell analyses about
//! its arguments.
use super::{ArgData, Draw, RandomKernel};
use warpwise_compiler::{
    id::Id,
    ir::{BinaryOp, CompareOp, ParamId, Passed, Requirement, Scalar, Size, Span, evaluate},
};

/// Adds requirements that the launch of `random` fulfils: values of parameters and lengths,
/// relations between them, and limits.
pub fn with_contracts(mut random: RandomKernel, seed: u64) -> RandomKernel {
    let mut draw = Draw::new(seed ^ 0x5eed);
    let mut known: Vec<(Size, Scalar, i128)> = Vec::new();
    let mut params = Vec::new();
    for (index, arg) in random.args.iter().enumerate() {
        let id = ParamId::new(index);
        let (size, ty, bits) = match arg {
            ArgData::Scalar { ty, bits } => (Size::Param(id), *ty, *bits),
            ArgData::Slice { elem, bytes, .. } => {
                let size = elem.size().expect("it is specialized") as usize;
                (Size::Len(id), Scalar::U64, (bytes.len() / size) as u64)
            }
        };
        params.push((ty, bits));
        if let Some(value) = evaluate::integer(ty, bits) {
            known.push((size, ty, value));
        }
    }
    let passed = Passed { params: &params, block: random.shape.block, grid: random.shape.grid };
    for (size, ty, value) in &known {
        let number = |value: i128| Size::Const(*ty, evaluate::wrap(*ty, value));
        let with = |op, other| Size::Compare(op, Box::new([size.clone(), other]));
        let others: Vec<_> = known.iter().filter(|(_, of, _)| of == ty).collect();
        let (other, _, its) = others[draw.index(others.len())];
        let near = i128::from(draw.below(40));
        let rest = number(value - its);
        let sum = Size::Binary(BinaryOp::Add, Box::new([other.clone(), rest]));
        let cond = match draw.below(8) {
            0 | 1 => with(CompareOp::Eq, number(*value)),
            2 => with(CompareOp::Ge, number(value - near)),
            3 => with(CompareOp::Le, number(value + near)),
            4 => with(CompareOp::Gt, number(value - 1 - near)),
            5 => with(CompareOp::Eq, sum),
            _ => continue,
        };
        // Numbers outside the type make no requirement.
        if cond.evaluate(&passed) == Ok(1) {
            let requirement = Requirement { text: cond.to_string(), cond, span: Span::new(0) };
            random.kernel.requires.push(requirement.clone());
            random.open.requires.push(requirement);
        }
    }
    random
}
