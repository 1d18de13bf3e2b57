//! Matrices on tensor cores: the words of one instruction, and the rows that are loaded and
//! distributed at once.
//!
//! A [`MatrixOp::Mma`] or [`MatrixOp::DistributeRows`] yields one word, so that every instruction
//! has one value. The instruction of a GPU yields all of them, and is emitted once for those that
//! have the same operands in the same body.
use super::vectors::{self, Vectors};
use crate::{
    id::Facts,
    ir::{
        BinaryOp, Body, Effect, InstId, Kernel, MatrixOp, MmaOp, Op, ParamId, Root, Space,
        TextureOp,
    },
};
use std::collections::HashMap;

/// The instruction that yields a word.
#[derive(PartialEq, Eq, Hash)]
enum Kind {
    Product(MmaOp),
    Rows { transposed: bool },
    Texture { op: TextureOp, texture: ParamId },
}

/// Returns, for each word of a product, of distributed rows or of a texture, the first word of the
/// same instruction in the same body, which is the word itself where the instruction is executed.
pub fn find_leaders(kernel: &Kernel) -> Facts<InstId, Option<InstId>> {
    let mut leaders = kernel.insts.facts(None);
    visit(kernel, &kernel.body, &mut leaders);
    leaders
}

fn visit(kernel: &Kernel, Body(list): &Body, leaders: &mut Facts<InstId, Option<InstId>>) {
    let mut known: HashMap<(Kind, &[InstId]), InstId> = HashMap::new();
    for &id in list {
        let op = &kernel.insts[id].op;
        let key = if let Op::Matrix(MatrixOp::Mma { op, args, .. }) = op {
            (Kind::Product(*op), args.as_slice())
        } else if let Op::Matrix(MatrixOp::DistributeRows { transposed, args, .. }) = op {
            (Kind::Rows { transposed: *transposed }, args.as_slice())
        } else if let Op::Texture { op, texture, args, .. } = op {
            (Kind::Texture { op: *op, texture: *texture }, args.as_slice())
        } else {
            op.bodies().for_each(|body| visit(kernel, body, leaders));
            continue;
        };
        leaders[id] = Some(*known.entry(key).or_insert(id));
    }
}

/// Returns true for the values of a kernel with products that a later compiler may find to be
/// constants: those that depend neither on a number from the host nor on memory that other threads
/// share. The counter of a loop is one, since the loop may be unrolled.
pub fn find_possible_constants(kernel: &Kernel) -> Facts<InstId, bool> {
    let mut possible = kernel.insts.facts(false);
    let is_product = |op: &Op| matches!(op, Op::Matrix(MatrixOp::Mma { .. }));
    if !kernel.insts.iter().any(|(_, inst)| is_product(&inst.op)) {
        return possible;
    }
    let (mut locals, mut arrays) = (kernel.locals.facts(false), kernel.arrays.facts(false));
    // What the end of a loop assigns may reach values before it.
    loop {
        let mut has_changed = false;
        let mut set = |is_possible: &mut bool, value: bool| {
            has_changed |= value && !*is_possible;
            *is_possible |= value;
        };
        kernel.walk(&mut |id| {
            let is_possible = match kernel.insts[id].op {
                Op::Param(_) | Op::Len(_) => false,
                Op::Get(local) => locals[local],
                Op::Load { ptr, .. } => match kernel.root(ptr) {
                    Some(Root::Array(array)) => arrays[array],
                    _ => false,
                },
                Op::AtomicLoad { .. } | Op::Atomic { .. } | Op::CompareExchange { .. } => false,
                Op::For { start, .. } => possible[start],
                Op::Select { then, other, .. } => possible[then] || possible[other],
                ref op => op.operands().all(|operand| possible[operand]),
            };
            set(&mut possible[id], is_possible);
            match kernel.insts[id].op {
                Op::Set { local, value } => set(&mut locals[local], possible[value]),
                Op::Store { ptr, value, .. } => {
                    if let Some(Root::Array(array)) = kernel.root(ptr) {
                        set(&mut arrays[array], possible[value]);
                    }
                }
                _ => {}
            }
        });
        if !has_changed {
            return possible;
        }
    }
}

/// Returns the loads of the narrow elements that the words of distributed rows are put together
/// from. They become loads of words ([`pack_loads`](crate::optimize)), and these a row's.
pub fn find_row_elements(kernel: &Kernel) -> Facts<InstId, bool> {
    let (mut found, mut seen) = (kernel.insts.facts(false), kernel.insts.facts(false));
    for (_, inst) in kernel.insts.iter() {
        let Op::Matrix(MatrixOp::DistributeRows { args, .. }) = &inst.op else { continue };
        let mut rest = args.clone();
        while let Some(id) = rest.pop() {
            if std::mem::replace(&mut seen[id], true) {
                continue;
            }
            match kernel.insts[id].op {
                Op::Load { .. } => found[id] = true,
                Op::Binary { op: BinaryOp::Or, lhs, rhs } => rest.extend([lhs, rhs]),
                Op::Binary { op: BinaryOp::Shl, lhs: value, .. }
                | Op::Cast { value }
                | Op::Bitcast { value } => rest.push(value),
                _ => {}
            }
        }
    }
    found
}

/// The rows in shared memory that `ldmatrix` loads and distributes.
#[derive(Clone, Debug)]
pub struct MatrixLoads {
    /// For the first word of distributed rows, the address of the lane's row.
    pub rows: Facts<InstId, Option<InstId>>,
    /// True for the loads of the words of such rows, which are no accesses of their own.
    pub is_absorbed: Facts<InstId, bool>,
}

/// Finds the rows that are loaded as one [vector](vectors) of 16 bytes, only to be distributed by
/// one instruction in the same body, with nothing between that writes memory or waits for others.
/// So it does not matter that the instruction loads them later. `kernel` is numbered in order.
pub fn find_matrix_loads(kernel: &Kernel) -> MatrixLoads {
    let mut found =
        MatrixLoads { rows: kernel.insts.facts(None), is_absorbed: kernel.insts.facts(false) };
    if !kernel
        .insts
        .iter()
        .any(|(_, inst)| matches!(inst.op, Op::Matrix(MatrixOp::DistributeRows { .. })))
    {
        return found;
    }
    let mut users = kernel.insts.facts(0_u32);
    for (_, inst) in kernel.insts.iter() {
        inst.op.operands().for_each(|operand| users[operand] += 1);
    }
    let (leaders, vectors) = (find_leaders(kernel), vectors::analyze(kernel));
    let mut words = kernel.insts.facts(0_u32);
    kernel.insts.ids().filter_map(|id| leaders[id]).for_each(|leader| words[leader] += 1);
    let parents = kernel.parents();
    for id in kernel.insts.ids().filter(|id| leaders[*id] == Some(*id)) {
        let Op::Matrix(MatrixOp::DistributeRows { args, .. }) = &kernel.insts[id].op else {
            continue;
        };
        let Some(ptr) = row_address(kernel, &vectors, args) else { continue };
        let is_only_use =
            args.iter().all(|arg| users[*arg] == words[id] && parents[*arg] == parents[id]);
        if is_only_use && is_undisturbed(kernel, &parents, args[0], id) {
            found.rows[id] = Some(ptr);
            args.iter().for_each(|arg| found.is_absorbed[*arg] = true);
        }
    }
    found
}

/// Returns the address of a row in shared memory whose words are `args`.
fn row_address(kernel: &Kernel, vectors: &Vectors, args: &[InstId]) -> Option<InstId> {
    let first = *args.first()?;
    let Op::Load { ptr, .. } = kernel.insts[first].op else { return None };
    let vector = vectors.get(first)?;
    let is_row = vector.members == args && vector.position == first;
    (is_row && kernel.space(ptr) == Some(Space::Shared)).then_some(ptr)
}

/// True if memory is the same at `from` and at `to`, which stands later in the same body.
fn is_undisturbed(
    kernel: &Kernel,
    parents: &Facts<InstId, Option<(InstId, usize)>>,
    from: InstId,
    to: InstId,
) -> bool {
    let body = match parents[to] {
        None => &kernel.body,
        Some((parent, number)) => match kernel.insts[parent].op.bodies().nth(number) {
            Some(body) => body,
            None => return false,
        },
    };
    let between = body.0.iter().skip_while(|id| **id != from).take_while(|id| **id != to);
    between.map(|id| &kernel.insts[*id].op).all(|op| match op.effect() {
        Effect::None | Effect::Read | Effect::Fault => true,
        Effect::Write => matches!(op, Op::Set { .. }),
        Effect::Sync => {
            matches!(op, Op::Matrix(MatrixOp::Mma { .. } | MatrixOp::DistributeRows { .. }))
        }
        Effect::Control => false,
    })
}
