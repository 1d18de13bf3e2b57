//! `gpu_unknown_block_shape`: a kernel that uses thread indices without declaring a block shape.
//!
//! Without a declared block the lints assume a shape ([`crate::analysis`] selects it), and state
//! it. This lint is for users who want exact answers about every kernel.
use crate::{
    analysis::Analyses,
    diag::Level,
    ir::{Builtin, Kernel, Op, Span},
    lint::{Finding, Lint, LintGroup},
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_unknown_block_shape", group: LintGroup::Style, level: Level::Allow, check };

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let shape = analyses.trace.shape;
    let asks = |builtin| match builtin {
        Builtin::ThreadIdx(_)
        | Builtin::BlockDim(_)
        | Builtin::GlobalIdx(_)
        | Builtin::LaneId
        | Builtin::WarpId
        | Builtin::LaneMask(_) => true,
        Builtin::BlockIdx(_) | Builtin::GridDim(_) | Builtin::CoarseningFactor => false,
    };
    let mut builtins = kernel.insts.iter().filter_map(|(_, inst)| {
        if let Op::Builtin(builtin) = inst.op { Some(builtin) } else { None }
    });
    if kernel.block.is_some() || !builtins.any(asks) {
        return Vec::new();
    }
    let written = match shape.dims {
        [x, 1, 1] => x.to_string(),
        [x, y, 1] => format!("({x}, {y})"),
        [x, y, z] => format!("({x}, {y}, {z})"),
    };
    vec![Finding {
        message: "how many threads a block has is not declared, so lints assume it".to_owned(),
        span: Span::KERNEL,
        labels: Vec::new(),
        notes: Vec::new(),
        help: format!("say what launches use: `#[kernel(block = {written})]`, for example"),
    }]
}
