//! Estimates of the machine instructions that an instruction of the IR becomes.
//!
//! `ptxas` makes the machine code; these are the numbers of instructions that it usually needs.
//! Integers of 64 bits are mostly indices, which optimizers narrow to 32 bits. They are inputs of
//! the [time model](warpwise_compiler::hardware::time), no counters: nothing else depends on them.
use warpwise_compiler::{
    hardware::time::{Pipe, Step},
    ir::{
        BinaryOp, CopyOp, InstId, Kernel, MatrixOp, Op, ReduceOp, Scalar, Space, SyncOp, TernaryOp,
        Ty, UnaryOp, WarpOp, WgmmaOp,
    },
};

/// The machine instructions of an instruction, and the latency of its result.
#[derive(Clone, Debug, Default)]
pub(super) struct MachineCode {
    /// Instructions, by pipe.
    pub(super) issued: [u32; Pipe::ALL.len()],
    /// The steps that its result takes on a chain of dependent instructions.
    pub(super) steps: Vec<(Step, u32)>,
}

impl MachineCode {
    fn new(pipe: Pipe, count: u32, step: Step, steps: u32) -> Self {
        let mut code = Self::default();
        code.issued[pipe as usize] = count;
        if steps != 0 {
            code.steps.push((step, steps));
        }
        code
    }

    fn integer(count: u32) -> Self {
        Self::new(Pipe::Integer, count, Step::Arithmetic, count)
    }

    /// Returns the code of instructions that no result depends on.
    fn control(count: u32) -> Self {
        Self::new(Pipe::Control, count, Step::Arithmetic, 0)
    }

    fn memory(step: Step, steps: u32) -> Self {
        Self::new(Pipe::Memory, 1, step, steps)
    }

    fn with(mut self, pipe: Pipe, count: u32) -> Self {
        self.issued[pipe as usize] += count;
        self
    }
}

/// The class of a scalar's registers and pipes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// An integer of up to 32 bits, or `bool`.
    Word,
    /// An integer or pointer of 64 bits.
    LongWord,
    Single,
    Double,
    Half,
}

fn class(ty: Ty) -> Class {
    match ty {
        Ty::Unit => Class::Word,
        Ty::Ptr(_) => Class::LongWord,
        Ty::Scalar(scalar) => match scalar {
            Scalar::Bool
            | Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::Generic(_) => Class::Word,
            Scalar::I64 | Scalar::U64 => Class::LongWord,
            Scalar::F16 | Scalar::BF16 => Class::Half,
            Scalar::F32 => Class::Single,
            Scalar::F64 => Class::Double,
        },
    }
}

/// Estimates the machine instructions of an instruction; of a `for`, those of an iteration.
pub(super) fn estimate(kernel: &Kernel, id: InstId) -> MachineCode {
    let inst = &kernel.insts[id];
    let result_class = class(inst.ty);
    match &inst.op {
        Op::Const(_)
        | Op::Generic(_)
        | Op::Param(_)
        | Op::Len(_)
        | Op::Shared(_)
        | Op::Array(_)
        | Op::Bitcast { .. }
        | Op::Offset { .. }
        | Op::Get(_)
        | Op::Set { .. }
        | Op::Loop { .. }
        | Op::Block { .. }
        | Op::Matrix(MatrixOp::DistributeRows { .. })
        | Op::Ptx { .. }
        | Op::PtxOutput { .. }
        | Op::Interpreted
        | Op::Return => MachineCode::default(),
        Op::Builtin(_) | Op::Warp(WarpOp::ActiveMask) => MachineCode::integer(1),
        Op::Unary { op, .. } => estimate_unary(*op, result_class),
        Op::Binary { op, rhs, .. } => estimate_binary(*op, result_class, kernel.literal(*rhs)),
        Op::Ternary { op, .. } => match op {
            TernaryOp::FmaTo(_) => arithmetic(result_class),
            TernaryOp::DotBytes
            | TernaryOp::DotHalvesLow
            | TernaryOp::DotHalvesHigh
            | TernaryOp::PermuteBytes
            | TernaryOp::FunnelShl
            | TernaryOp::FunnelShr
            | TernaryOp::AddCarry
            | TernaryOp::CarryOut => MachineCode::integer(1),
        },
        Op::Compare { lhs, .. } => match class(kernel.insts[*lhs].ty) {
            Class::Double => arithmetic(Class::Double),
            Class::Word | Class::LongWord | Class::Single | Class::Half => MachineCode::integer(1),
        },
        Op::Cast { value } => estimate_cast(class(kernel.insts[*value].ty), result_class),
        Op::Select { .. } => match result_class {
            Class::LongWord | Class::Double => {
                MachineCode::new(Pipe::Integer, 2, Step::Arithmetic, 1)
            }
            Class::Word | Class::Single | Class::Half => MachineCode::integer(1),
        },
        Op::Fma { .. } => arithmetic(result_class),
        Op::MulAdd { .. } => arithmetic(result_class),
        // A product with the size, which runs on the pipe of 32-bit floats.
        Op::Index { index, .. } => match kernel.literal(*index) {
            Some(_) => MachineCode::default(),
            None => MachineCode::new(Pipe::Single, 1, Step::Arithmetic, 1),
        },
        Op::MapShared { .. } => MachineCode::integer(1),
        Op::Bounds { .. } => MachineCode::new(Pipe::Integer, 1, Step::Arithmetic, 0),
        Op::Check { .. } => MachineCode::control(1),
        Op::Load { ptr, .. } | Op::AtomicLoad { ptr, .. } => {
            MachineCode::memory(load_step(kernel.space(*ptr)), 1)
        }
        Op::Store { .. } | Op::AtomicStore { .. } | Op::Prefetch { .. } => {
            MachineCode::memory(Step::Global, 0)
        }
        Op::Atomic { ptr, .. } | Op::CompareExchange { ptr, .. } => {
            let is_shared = kernel.space(*ptr) == Some(Space::Shared);
            MachineCode::memory(if is_shared { Step::Shared } else { Step::Atomic }, 1)
        }
        Op::Copy(
            CopyOp::AsyncCopy { .. }
            | CopyOp::BulkCopy { .. }
            | CopyOp::TensorCopy { .. }
            | CopyOp::TensorStore { .. }
            | CopyOp::BulkStore { .. },
        ) => MachineCode::memory(Step::Global, 0),
        Op::Copy(CopyOp::AsyncCommit | CopyOp::BulkCommit) => MachineCode::control(1),
        // The copies before it take a latency of global memory.
        Op::Copy(CopyOp::AsyncWait { .. } | CopyOp::BulkWait { .. }) => {
            MachineCode::new(Pipe::Control, 1, Step::Global, 1)
        }
        Op::Texture { .. } => MachineCode::memory(Step::Global, 1),
        Op::Sync(SyncOp::MBarrierArrive { .. }) => MachineCode::memory(Step::Shared, 1),
        Op::Sync(
            SyncOp::Barrier { .. }
            | SyncOp::SyncGrid
            | SyncOp::SyncCluster
            | SyncOp::NamedBarrier { .. }
            | SyncOp::MBarrierWait { .. },
        )
        | Op::Matrix(MatrixOp::WgmmaWait { .. }) => {
            MachineCode::new(Pipe::Control, 1, Step::Barrier, 1)
        }
        // The time on tensor cores follows from the multiply-adds.
        Op::Matrix(MatrixOp::Wgmma { .. }) => {
            MachineCode::new(Pipe::Control, WgmmaOp::STEPS as u32, Step::Barrier, 1)
        }
        Op::Sync(
            SyncOp::SyncWarp { .. }
            | SyncOp::Fence { .. }
            | SyncOp::ProxyFence
            | SyncOp::GridDependency(_),
        ) => MachineCode::control(1),
        Op::Warp(WarpOp::Shuffle { .. }) => match result_class {
            Class::LongWord | Class::Double => MachineCode::new(Pipe::Memory, 2, Step::Shuffle, 1),
            Class::Word | Class::Single | Class::Half => {
                MachineCode::new(Pipe::Memory, 1, Step::Shuffle, 1)
            }
        },
        Op::Warp(WarpOp::Vote { .. } | WarpOp::Match { .. }) => {
            MachineCode::new(Pipe::Integer, 1, Step::Arithmetic, 3)
        }
        Op::Warp(WarpOp::Reduce { op, .. }) => estimate_reduce(*op, result_class),
        Op::Matrix(MatrixOp::Mma { .. }) => MachineCode::new(Pipe::Tensor, 1, Step::Shuffle, 1),
        Op::Print { .. } | Op::Panic { .. } => MachineCode::control(20),
        Op::If { .. } | Op::Break(_) | Op::Continue(_) => MachineCode::control(1),
        Op::For { .. } => MachineCode::integer(2).with(Pipe::Control, 1),
    }
}

/// Returns the code of a sum or product.
fn arithmetic(operands: Class) -> MachineCode {
    match operands {
        Class::Word => MachineCode::integer(1),
        Class::LongWord => MachineCode::integer(1),
        Class::Single | Class::Half => MachineCode::new(Pipe::Single, 1, Step::Arithmetic, 1),
        Class::Double => MachineCode::new(Pipe::Double, 1, Step::Double, 1),
    }
}

/// Returns the code of a correctly rounded function: an approximation that sums and products
/// refine.
fn refined(operands: Class, products: u32) -> MachineCode {
    let (pipe, step) = match operands {
        Class::Double => (Pipe::Double, Step::Double),
        Class::Word | Class::LongWord | Class::Single | Class::Half => {
            (Pipe::Single, Step::Arithmetic)
        }
    };
    let mut code = MachineCode::new(pipe, products, step, products).with(Pipe::Special, 1);
    code.steps.push((Step::Special, 1));
    code
}

fn estimate_unary(op: UnaryOp, operands: Class) -> MachineCode {
    match op {
        UnaryOp::Neg | UnaryOp::Abs => match operands {
            // A modifier of an operand.
            Class::Single | Class::Half | Class::Double => MachineCode::default(),
            Class::Word | Class::LongWord => arithmetic(operands),
        },
        UnaryOp::Not => arithmetic(operands),
        UnaryOp::Sqrt | UnaryOp::Rsqrt => refined(operands, 8),
        UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc | UnaryOp::RoundTiesEven => {
            MachineCode::new(Pipe::Special, 1, Step::Special, 1)
        }
        UnaryOp::CountOnes | UnaryOp::LeadingZeros | UnaryOp::ReverseBits | UnaryOp::SwapBytes => {
            match operands {
                Class::LongWord => MachineCode::new(Pipe::Special, 2, Step::Special, 1),
                Class::Word | Class::Single | Class::Double | Class::Half => {
                    MachineCode::new(Pipe::Special, 1, Step::Special, 1)
                }
            }
        }
        UnaryOp::Approx(_) => MachineCode::new(Pipe::Special, 1, Step::Special, 1),
    }
}

fn estimate_binary(op: BinaryOp, operands: Class, rhs: Option<u64>) -> MachineCode {
    let is_long = operands == Class::LongWord;
    match op {
        // Sums of words run on the pipe of 32-bit floats, too.
        BinaryOp::Add | BinaryOp::Sub if operands == Class::Word => {
            MachineCode::new(Pipe::Single, 1, Step::Arithmetic, 1)
        }
        BinaryOp::Add | BinaryOp::Sub => arithmetic(operands),
        BinaryOp::Mul if is_long => MachineCode::integer(2),
        BinaryOp::Mul => match operands {
            // Integer products run on the pipe of 32-bit floats.
            Class::Word => MachineCode::new(Pipe::Single, 1, Step::Arithmetic, 1),
            Class::LongWord | Class::Single | Class::Double | Class::Half => arithmetic(operands),
        },
        BinaryOp::Div | BinaryOp::Rem => match (operands, rhs) {
            // A product with its reciprocal, which is exact.
            (Class::Single, Some(rhs)) if op == BinaryOp::Div && is_power_of_two(rhs) => {
                arithmetic(operands)
            }
            (Class::Single | Class::Double | Class::Half, _) => refined(operands, 8),
            (Class::Word | Class::LongWord, Some(rhs)) if rhs.is_power_of_two() => {
                MachineCode::integer(1)
            }
            (Class::Word, Some(_)) => MachineCode::integer(4),
            (Class::LongWord, Some(_)) => MachineCode::integer(10),
            (Class::Word, None) => MachineCode::integer(16).with(Pipe::Special, 2),
            (Class::LongWord, None) => MachineCode::integer(24).with(Pipe::Special, 2),
        },
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::RotateLeft => MachineCode::integer(1),
        BinaryOp::Min | BinaryOp::Max => match operands {
            Class::Double => MachineCode::new(Pipe::Double, 2, Step::Double, 2),
            Class::Word | Class::LongWord | Class::Single | Class::Half => MachineCode::integer(1),
        },
        BinaryOp::MulHigh => MachineCode::integer(if is_long { 8 } else { 1 }),
    }
}

/// Returns true if the bits are those of a 32-bit float that is a power of two.
fn is_power_of_two(bits: u64) -> bool {
    const MANTISSA_BITS: u64 = (1 << 23) - 1;
    bits & MANTISSA_BITS == 0 && bits != 0
}

fn estimate_cast(from: Class, to: Class) -> MachineCode {
    match (from, to) {
        (Class::Word, Class::Word | Class::LongWord) | (Class::LongWord, Class::LongWord) => {
            MachineCode::default()
        }
        (Class::LongWord, Class::Word) => MachineCode::default(),
        (Class::Single, Class::Single)
        | (Class::Double, Class::Double)
        | (Class::Half, Class::Half) => MachineCode::default(),
        // A sum with zero.
        (Class::Half, Class::Single) => arithmetic(Class::Single),
        (Class::Single, Class::Half) => MachineCode::integer(1),
        // A word becomes a float on the pipe of integers; other conversions take longer.
        (Class::Word, Class::Single) => MachineCode::integer(1),
        (Class::Word, Class::Double | Class::Half)
        | (Class::LongWord, Class::Single | Class::Double | Class::Half)
        | (Class::Single | Class::Double | Class::Half, Class::Word | Class::LongWord)
        | (Class::Single | Class::Half, Class::Double)
        | (Class::Double, Class::Single | Class::Half) => {
            MachineCode::new(Pipe::Special, 1, Step::Special, 1)
        }
    }
}

/// Returns the code of a combination of all lanes: one instruction for words, or else five shuffles
/// with as many operations.
fn estimate_reduce(op: ReduceOp, operands: Class) -> MachineCode {
    if operands == Class::Word {
        return MachineCode::new(Pipe::Special, 1, Step::Shuffle, 1);
    }
    let each = match op {
        ReduceOp::Add => arithmetic(operands),
        ReduceOp::Min | ReduceOp::Max | ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => {
            MachineCode::integer(1)
        }
    };
    let mut code = MachineCode::new(Pipe::Memory, 5, Step::Shuffle, 5);
    for (all, count) in code.issued.iter_mut().zip(each.issued) {
        *all += 5 * count;
    }
    code.steps.extend(each.steps.iter().map(|(step, count)| (*step, 5 * count)));
    code
}

fn load_step(space: Option<Space>) -> Step {
    match space {
        Some(Space::Shared | Space::Cluster | Space::Local | Space::Constant) => Step::Shared,
        Some(Space::Global) | None => Step::Global,
    }
}
