//! `gpu_nonatomic_updates`: a plain `bins[key] += 1` whose index was loaded from memory.
//!
//! ```text
//! bins[keys[i] as usize] += 1;     // two threads with one key: one of the updates is lost
//! ```
//! Fires where a value is loaded from an element, changed and stored there again, and nothing but
//! data separates the elements of different threads. Silent about plain stores, whose order may not
//! matter; if the index also depends on the thread; if it counts through a loaded range; if one
//! thread updates; under a lock; if data elected the thread in its warp; and if other arrays are
//! read at that index: then an element belongs to the owner of its number, as in a list of
//! particles.
use crate::{
    analysis::{
        Analyses,
        symbolic::{Coverage, EventKind},
    },
    diag::Level,
    id::Facts,
    ir::{
        BinaryOp, Builtin, CopyOp, InstId, Kernel, MatrixOp, MulAddForm, Op, Order, Root, Scalar,
        Space, Ty, UnaryOp, WarpOp,
    },
    lint::{Finding, Lint, LintGroup, access, race},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_nonatomic_updates",
    group: LintGroup::Correctness,
    level: Level::Warn,
    check,
};

/// The maximum depth of expressions to follow.
const MAX_DEPTH: u32 = 24;

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let exprs = ExprView::for_kernel(kernel);
    let stores = kernel.insts.iter().filter_map(|(id, inst)| match inst.op {
        Op::Store { ptr, value, .. } => Some((id, ptr, value)),
        _ => None,
    });
    let candidates: Vec<(InstId, InstId, InstId)> = stores
        .filter(|&(_, ptr, _)| {
            matches!(kernel.space(ptr), Some(Space::Global | Space::Shared))
                && exprs.index_is_data(ptr)
        })
        .collect();
    if candidates.is_empty() || has_locks(kernel) {
        return Vec::new();
    }
    let parents = kernel.parents();
    let mut found = Vec::new();
    for (store, ptr, value) in candidates {
        let Some(load) = exprs.find_load(ptr, value, 0) else { continue };
        let around = std::iter::successors(parents[store], |&(of, _)| parents[of]);
        let is_elected = around.into_iter().any(|(of, _)| {
            matches!(kernel.insts[of].op, Op::If { cond, .. } if exprs.depends_on(cond, &is_exchange))
        });
        if is_elected
            || !is_concurrent(analyses, store)
            || race::all_races(analyses)
                .any(|of| of.race.sides.iter().any(|side| side.inst == store))
            || exprs.is_owned(ptr)
        {
            continue;
        }
        found.extend(finding(kernel, &exprs, store, ptr, load, value).map(|finding| (0, finding)));
    }
    access::keep_weightiest(found)
}

/// Returns true if several threads of a block may execute `store` at once.
fn is_concurrent(analyses: &Analyses, store: InstId) -> bool {
    let mut events = analyses.trace.events_of(store);
    events.any(|event| {
        matches!(event.kind, EventKind::Access(_))
            && event.active.coverage != Coverage::One
            && event.active.threads.count() > 1
    })
}

/// Returns true for a kernel with operations that locks consist of.
fn has_locks(kernel: &Kernel) -> bool {
    kernel.insts.iter().any(|(_, inst)| match inst.op {
        Op::CompareExchange { .. } => true,
        Op::Atomic { order, .. } | Op::AtomicLoad { order, .. } => order != Order::Relaxed,
        _ => false,
    })
}

/// Returns true for an exchange between the lanes of a warp.
fn is_exchange(op: &Op) -> bool {
    matches!(
        op,
        Op::Warp(
            WarpOp::Match { .. }
                | WarpOp::Vote { .. }
                | WarpOp::Shuffle { .. }
                | WarpOp::ActiveMask
        )
    )
}

/// Returns true for a value that differs between the threads of a block.
fn is_thread_dependent(op: &Op) -> bool {
    matches!(
        op,
        Op::Builtin(
            Builtin::ThreadIdx(_) | Builtin::GlobalIdx(_) | Builtin::LaneId | Builtin::WarpId
        ) | Op::Atomic { .. }
            | Op::Warp(_)
            | Op::Matrix(MatrixOp::Mma { .. } | MatrixOp::DistributeRows { .. })
    )
}

/// The expressions of a kernel, resolved through its locals.
struct ExprView<'k> {
    kernel: &'k Kernel,
    /// The values that are stored to each local.
    sets: Vec<Vec<InstId>>,
}

impl<'k> ExprView<'k> {
    fn for_kernel(kernel: &'k Kernel) -> Self {
        use crate::id::Id as _;
        let mut sets = vec![Vec::new(); kernel.locals.iter().count()];
        for (_, inst) in kernel.insts.iter() {
            if let Op::Set { local, value } = inst.op {
                sets[local.index()].push(value);
            }
        }
        Self { kernel, sets }
    }

    fn op_of(&self, id: InstId) -> &'k Op {
        &self.kernel.insts[id].op
    }

    /// Returns the operands of a value; none for a load.
    fn operands(&self, id: InstId) -> Vec<InstId> {
        use crate::id::Id as _;
        let op = self.op_of(id);
        if let Op::Get(local) = op {
            return self.sets[local.index()].clone();
        }
        if let Op::Load { .. } | Op::AtomicLoad { .. } = op {
            return Vec::new();
        }
        // The length takes no part in the value.
        if let Op::Bounds { index, .. } = op {
            return vec![*index];
        }
        op.operands().collect()
    }

    /// Returns `id` and all values that it is computed from, up to loads.
    fn collect_sources(&self, id: InstId) -> Vec<InstId> {
        let mut seen: Facts<InstId, bool> = self.kernel.insts.facts(false);
        let (mut open, mut all) = (vec![id], Vec::new());
        while let Some(id) = open.pop() {
            if !std::mem::replace(&mut seen[id], true) {
                all.push(id);
                open.extend(self.operands(id));
            }
        }
        all
    }

    /// Returns true if `is` holds for a value that `id` is computed from, also through the
    /// addresses of loads.
    fn depends_on(&self, id: InstId, is: &dyn Fn(&Op) -> bool) -> bool {
        self.collect_sources(id).into_iter().any(|of| is(self.op_of(of)))
    }

    /// Returns the indices that lead to `ptr`.
    fn indices(&self, ptr: InstId) -> Vec<InstId> {
        let mut indices = Vec::new();
        let mut at = ptr;
        loop {
            if let Op::Index { base, index, .. } = self.op_of(at) {
                indices.push(*index);
                at = *base;
            } else if let Op::Offset { base, .. } = self.op_of(at) {
                at = *base;
            } else {
                return indices;
            }
        }
    }

    /// Returns true if an index of `ptr` was loaded from memory, and no index depends on the thread
    /// besides.
    fn index_is_data(&self, ptr: InstId) -> bool {
        let sources: Vec<InstId> =
            self.indices(ptr).into_iter().flat_map(|index| self.collect_sources(index)).collect();
        // A counter that begins at a loaded number goes through a range of its own, as the rows of
        // a sparse matrix.
        if sources.iter().any(|&id| self.is_counter(id)) {
            return false;
        }
        let is_data = |id: &InstId| match self.op_of(*id) {
            Op::Load { ptr, .. } => {
                let space = self.kernel.space(*ptr);
                matches!(space, Some(Space::Global | Space::Shared)) && self.is_varying(*ptr)
            }
            _ => false,
        };
        sources.iter().any(is_data)
            && !sources.iter().any(|&id| is_thread_dependent(self.op_of(id)))
    }

    /// Returns true for the counter of a `for` with a loaded range, and for a local that is
    /// computed from itself.
    fn is_counter(&self, id: InstId) -> bool {
        use crate::id::Id as _;
        if let Op::For { start, .. } = self.op_of(id) {
            return self.depends_on(*start, &|op| matches!(op, Op::Load { .. }));
        }
        let Op::Get(local) = self.op_of(id) else { return false };
        let mut seen: Facts<InstId, bool> = self.kernel.insts.facts(false);
        let mut open = self.sets[local.index()].clone();
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id], true) {
                continue;
            }
            if matches!(self.op_of(id), Op::Get(other) if other == local) {
                return true;
            }
            // Through memory, too: the next element of a list.
            open.extend(self.op_of(id).operands());
            open.extend(self.operands(id));
        }
        false
    }

    /// Returns true if threads load from different addresses.
    fn is_varying(&self, ptr: InstId) -> bool {
        self.indices(ptr).into_iter().any(|index| self.depends_on(index, &is_thread_dependent))
    }

    /// Returns the load from the target of `ptr` that takes part in `value`.
    fn find_load(&self, ptr: InstId, value: InstId, depth: u32) -> Option<InstId> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.collect_sources(value).into_iter().find(
            |&id| matches!(self.op_of(id), Op::Load { ptr: from, .. } if self.is_same(*from, ptr, depth)),
        )
    }

    /// Returns true if two expressions have the same value in a thread.
    fn is_same(&self, a: InstId, b: InstId, depth: u32) -> bool {
        use crate::id::Id as _;
        if a == b {
            return true;
        }
        if depth > MAX_DEPTH {
            return false;
        }
        let same = |a: InstId, b: InstId| self.is_same(a, b, depth + 1);
        let [x, y] = [a, b].map(|id| self.op_of(id));
        if let Op::Bounds { index, .. } = x {
            return same(*index, b);
        }
        if let Op::Bounds { index, .. } = y {
            return same(a, *index);
        }
        if let (Op::Get(local), Op::Get(other)) = (x, y) {
            return local == other && self.sets[local.index()].len() <= 1;
        }
        if let (Op::Load { ptr: from, .. }, Op::Load { ptr: other, .. }) = (x, y) {
            return self.is_constant(*from) && same(*from, *other);
        }
        let is_function = matches!(
            x,
            Op::Const(_)
                | Op::Generic(_)
                | Op::Param(_)
                | Op::Len(_)
                | Op::Shared(_)
                | Op::Builtin(_)
                | Op::Unary { .. }
                | Op::Binary { .. }
                | Op::Cast { .. }
                | Op::Index { .. }
        );
        is_function
            && self.kernel.insts[a].ty == self.kernel.insts[b].ty
            && is_same_function(x, y)
            && x.operands().zip(y.operands()).all(|(a, b)| same(a, b))
    }

    /// Returns true if the kernel never writes the target of `ptr`.
    fn is_constant(&self, ptr: InstId) -> bool {
        let root = self.kernel.root(ptr);
        root.is_some()
            && !self.kernel.insts.iter().any(|(_, inst)| match inst.op {
                Op::Store { ptr, .. }
                | Op::Copy(
                    CopyOp::AsyncCopy { to: ptr, .. }
                    | CopyOp::BulkCopy { to: ptr, .. }
                    | CopyOp::TensorCopy { to: ptr, .. }
                    | CopyOp::BulkStore { to: ptr, .. },
                ) => self.kernel.root(ptr) == root,
                _ => false,
            })
    }

    /// Returns true if the kernel reads another array at an index of `ptr`, and not to update it.
    fn is_owned(&self, ptr: InstId) -> bool {
        let root = self.kernel.root(ptr);
        let indices = self.indices(ptr);
        self.kernel.insts.iter().any(|(load, inst)| {
            let Op::Load { ptr: from, .. } = inst.op else { return false };
            let is_other = self.kernel.root(from) != root;
            let at_index = || {
                self.indices(from)
                    .into_iter()
                    .any(|other| indices.iter().any(|&index| self.is_same(other, index, 0)))
            };
            is_other && at_index() && !self.belongs_to_update(load, from)
        })
    }

    /// Returns the atomic operation that computes `value` from the element that `load` reads;
    /// `None` if there is none.
    fn find_update(&self, value: InstId, load: InstId) -> Option<AtomicUpdate> {
        let is_element = |id: InstId| self.resolve_variable(id) == load;
        let value = self.resolve_variable(value);
        if let Op::Fma { a, c, .. } = *self.op_of(value) {
            // `y[b] -= v * w` is `(-v).mul_add(w, y[b])`.
            let is_less = matches!(self.op_of(a), Op::Unary { op: UnaryOp::Neg, .. });
            let update = if is_less { AtomicUpdate::Subtract } else { AtomicUpdate::Add };
            return is_element(c).then_some(update);
        }
        if let Op::MulAdd { form, c, .. } = *self.op_of(value) {
            return match form {
                MulAddForm::Add => is_element(c).then_some(AtomicUpdate::Add),
                MulAddForm::From => is_element(c).then_some(AtomicUpdate::Subtract),
                MulAddForm::Sub | MulAddForm::Neg => None,
            };
        }
        let Op::Binary { op, lhs, rhs } = *self.op_of(value) else { return None };
        let is_either = is_element(lhs) || is_element(rhs);
        match op {
            BinaryOp::Add => is_either.then_some(AtomicUpdate::Add),
            BinaryOp::Sub => is_element(lhs).then_some(AtomicUpdate::Subtract),
            BinaryOp::Min => is_either.then_some(AtomicUpdate::Min),
            BinaryOp::Max => is_either.then_some(AtomicUpdate::Max),
            BinaryOp::And => is_either.then_some(AtomicUpdate::And),
            BinaryOp::Or => is_either.then_some(AtomicUpdate::Or),
            BinaryOp::Xor => is_either.then_some(AtomicUpdate::Xor),
            BinaryOp::Mul
            | BinaryOp::MulHigh
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::RotateLeft => None,
        }
    }

    /// Returns the value of a variable that is set once; other values as they are.
    fn resolve_variable(&self, id: InstId) -> InstId {
        use crate::id::Id as _;
        let Op::Get(local) = self.op_of(id) else { return id };
        match self.sets[local.index()][..] {
            [value] if value != id => self.resolve_variable(value),
            _ => id,
        }
    }

    /// Returns true if the only purpose of a load is a store to its element.
    fn belongs_to_update(&self, load: InstId, from: InstId) -> bool {
        self.kernel.insts.iter().any(|(_, inst)| {
            let Op::Store { ptr, value, .. } = inst.op else { return false };
            self.is_same(from, ptr, 0) && self.collect_sources(value).contains(&load)
        })
    }
}

/// The atomic operation on an element, with the other operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AtomicUpdate {
    Add,
    Subtract,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// Returns true if two operations compute the same function.
fn is_same_function(a: &Op, b: &Op) -> bool {
    let mut moved = b.clone();
    moved.operands_mut().zip(a.operands()).for_each(|(to, from)| *to = from);
    *a == moved
}

fn finding(
    kernel: &Kernel,
    exprs: &ExprView<'_>,
    store: InstId,
    ptr: InstId,
    load: InstId,
    value: InstId,
) -> Option<Finding> {
    let root = kernel.root(ptr)?;
    let name = race::quoted_name(kernel, root);
    let Ty::Scalar(scalar) = kernel.insts[value].ty else { return None };
    let labels = if kernel.insts[load].span == kernel.insts[store].span {
        Vec::new()
    } else {
        vec![(kernel.insts[load].span, format!("the element of {name} is read here"))]
    };
    Some(Finding {
        message: format!(
            "{name} is updated without an atomic operation at an index that data decide: of threads \
             with the same index all but one lose their update"
        ),
        span: kernel.insts[store].span,
        labels,
        notes: Vec::new(),
        help: race::surface_help(kernel, root)
            .unwrap_or_else(|| atomic_help(&name, root, scalar, exprs.find_update(value, load))),
    })
}

/// Returns the atomic type for `scalar`, and the call that performs `update`.
fn atomic_help(name: &str, root: Root, scalar: Scalar, update: Option<AtomicUpdate>) -> String {
    let is_float = matches!(scalar, Scalar::F16 | Scalar::BF16 | Scalar::F32 | Scalar::F64);
    let call = match update {
        // Atomic floats add, and have a least and a largest.
        Some(AtomicUpdate::Subtract) if is_float => "`fetch_add(-.., Ordering::Relaxed)`",
        Some(AtomicUpdate::Add) => "`fetch_add(.., Ordering::Relaxed)`",
        Some(AtomicUpdate::Subtract) => "`fetch_sub(.., Ordering::Relaxed)`",
        Some(AtomicUpdate::Min) => "`fetch_min(.., Ordering::Relaxed)`",
        Some(AtomicUpdate::Max) => "`fetch_max(.., Ordering::Relaxed)`",
        Some(AtomicUpdate::And) => "`fetch_and(.., Ordering::Relaxed)`",
        Some(AtomicUpdate::Or) => "`fetch_or(.., Ordering::Relaxed)`",
        Some(AtomicUpdate::Xor) => "`fetch_xor(.., Ordering::Relaxed)`",
        None => "a loop of `compare_exchange(..)`",
    };
    let is_by_bits = update.is_none();
    let atomic = match scalar {
        Scalar::I32 => "AtomicI32",
        Scalar::I64 => "AtomicI64",
        Scalar::U64 => "AtomicU64",
        Scalar::F64 if is_by_bits => "AtomicU64",
        Scalar::F64 => "AtomicF64",
        Scalar::F32 | Scalar::F16 | Scalar::BF16 if !is_by_bits => "AtomicF32",
        Scalar::I8 | Scalar::I16 => "AtomicI32",
        Scalar::U32
        | Scalar::Bool
        | Scalar::U8
        | Scalar::U16
        | Scalar::F16
        | Scalar::BF16
        | Scalar::F32
        | Scalar::Generic(_) => "AtomicU32",
    };
    let slice = match root {
        Root::Shared(_) => format!("an array of `{atomic}`"),
        Root::Param(_) | Root::Array(_) => format!("`&[{atomic}]`"),
    };
    let bits = if is_by_bits && is_float { ", of its bits," } else { "" };
    format!("make {name} {slice}{bits} and update it with {call}")
}
