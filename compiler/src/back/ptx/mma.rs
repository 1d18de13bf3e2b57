//! Products of matrices on tensor cores, and loads of rows that are distributed for them.
//!
//! `mma.sync` and `ldmatrix` yield all words of a result. Each stands where the first of them is
//! computed, and the others, [which follow in the same body](crate::analysis::mma), are its
//! registers.
use super::{
    Emitter,
    emitter::{Value, ptx},
    reg::{Class, Reg},
};
use crate::{
    ir::{InstId, Kernel, MatrixOp, MmaOp, MmaType, Op, Scalar},
    target::Target,
};

/// The PTX version that introduced products for [`Target::OLDEST`], and `ldmatrix`.
const VERSION: &str = "6.5";

/// The PTX version that introduced products of floats of 8 bits.
const VERSION_WITH_FLOAT8: &str = "8.4";

impl Emitter<'_> {
    /// A word of a product.
    pub(super) fn mma(&mut self, id: InstId, op: MmaOp, args: &[InstId], word: u8) -> Value {
        let leader = self.leaders[id].unwrap_or(id);
        if leader == id {
            let sums = self.emit_mma(op, args);
            self.products.insert(leader, sums);
        }
        self.products[&leader][usize::from(word)].into()
    }

    /// A word of rows in shared memory that are distributed.
    pub(super) fn load_matrix(&mut self, id: InstId, transposed: bool, word: u8) -> Value {
        let leader = self.leaders[id].unwrap_or(id);
        if let Some(row) = self.matrix_loads.rows[id] {
            let words: Vec<Reg> = (0..4).map(|_| self.regs.fresh(Class::B32)).collect();
            let address = self.address(row);
            ptx!(self, "{} {}, {address}", matrix_load_name(transposed), list(&words));
            self.products.insert(leader, words);
        }
        self.products[&leader][usize::from(word)].into()
    }

    fn emit_mma(&mut self, op: MmaOp, args: &[InstId]) -> Vec<Reg> {
        let operand = |(number, arg): (usize, &InstId)| {
            let reg = self.reg(*arg);
            if hides_operand(op, number) && self.possible_constants[*arg] {
                self.hide(reg)
            } else {
                reg
            }
        };
        let args: Vec<Reg> = args.iter().enumerate().map(operand).collect();
        let (a, rest) = args.split_at(op.a_words());
        let (b, c) = rest.split_at(op.b_words());
        let class = Class::of(op.sum_word());
        let sums: Vec<Reg> = (0..op.sum_words()).map(|_| self.regs.fresh(class)).collect();
        let [d, a, b, c] = [&sums, a, b, c].map(list);
        ptx!(self, "{} {d}, {a}, {b}, {c}", mma_name(op));
        sums
    }

    /// A zero of 64 bits that `ptxas` does not know: the highest bit of an address. The active lanes
    /// are no substitute: it reads them ahead of where it lets the warp meet for a product.
    pub(super) fn hidden_zero(&mut self) -> Reg {
        let record = self.record_address();
        let zero = self.regs.fresh(Class::B64);
        ptx!(self, "shr.u64 {zero}, {record}, 63");
        zero
    }

    /// A register with the bits of `reg`, of 32 bits, of which `ptxas` knows nothing.
    fn hide(&mut self, reg: Reg) -> Reg {
        let highest = self.hidden_zero();
        let [zero, hidden] = [(); 2].map(|()| self.regs.fresh(Class::B32));
        ptx!(self, "cvt.u32.u64 {zero}, {highest}");
        ptx!(self, "xor.b32 {hidden}, {reg}, {zero}");
        hidden
    }
}

/// True for the words of products that are hidden from `ptxas` where they may be constants: those
/// of the factors, by their number among the words of the operands.
///
/// Of halves, it replaces one of two constants that differ in the highest bit by the other's
/// negation, and the product then negates the lower half, too. On some targets, products of floats
/// of 8 bits are products of halves as well; there it also reads the lower half of a constant in
/// place of the upper one (12.8 to 13.5).
pub const fn hides_operand(op: MmaOp, number: usize) -> bool {
    number < op.a_words() + op.b_words() && (op.a.per_word() == 2 || op.a.is_float8())
}

/// The name of the instruction that loads and distributes rows.
pub const fn matrix_load_name(transposed: bool) -> &'static str {
    if !transposed {
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16"
    } else {
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16"
    }
}

/// True if `kernel` has rows to distribute.
fn distributes_rows(kernel: &Kernel) -> bool {
    kernel
        .insts
        .iter()
        .any(|(_, inst)| matches!(inst.op, Op::Matrix(MatrixOp::DistributeRows { .. })))
}

/// Writes registers as a vector.
fn list(regs: &[Reg]) -> String {
    let regs: Vec<_> = regs.iter().map(ToString::to_string).collect();
    format!("{{{}}}", regs.join(", "))
}

/// The name of the element type of a factor.
pub(super) const fn type_name(ty: MmaType) -> &'static str {
    match ty {
        MmaType::I8 => "s8",
        MmaType::I4 => "s4",
        ty => ty.name(),
    }
}

/// The name of the instruction, with its types.
pub fn mma_name(op: MmaOp) -> String {
    let sum = match op.sum {
        Scalar::I32 => "s32".to_owned(),
        sum => sum.to_string(),
    };
    let (shape, a, b) = (op.shape.name(), type_name(op.a), type_name(op.b));
    format!("mma.sync.aligned.{shape}.row.col.{sum}.{a}.{b}.{sum}")
}

/// Returns the product of `kernel` that the fewest targets have.
pub(super) fn newest(kernel: &Kernel) -> Option<MmaOp> {
    // Of several, the first one.
    products(kernel).reduce(|a, b| if b.oldest_target() > a.oldest_target() { b } else { a })
}

/// The PTX version that introduced all products of `kernel`, and loads of rows for them.
pub(super) fn version(kernel: &Kernel) -> Option<&'static str> {
    let rows = distributes_rows(kernel).then_some(VERSION);
    // Later versions have later numbers, all of one digit and one digit.
    products(kernel).map(introduced).chain(rows).max()
}

fn products(kernel: &Kernel) -> impl Iterator<Item = MmaOp> {
    kernel.insts.iter().filter_map(|(_, inst)| {
        if let Op::Matrix(MatrixOp::Mma { op, .. }) = inst.op { Some(op) } else { None }
    })
}

/// The PTX version that introduced `op`.
fn introduced(op: MmaOp) -> &'static str {
    match op.oldest_target() {
        Target::OLDEST => VERSION,
        _ if op.a.is_float8() => VERSION_WITH_FLOAT8,
        target if target < Target::new(90) => super::VERSION_WITH_REDUX,
        _ => super::VERSION_WITH_SUMS,
    }
}
