//! The choice of loops to unroll in full.
//!
//! An array is worth it if each of its indices is computed of constants and counters of loops, so
//! that it has constant indices only once these loops are unrolled. All of them are, or none: an
//! array that keeps one other index stays in memory. Of a table each index counts for itself.
//!
//! Such an index may pass through an array of the thread's own, as a row of a table does that a
//! round of a cipher copies: `let order = ORDER[round]; .. message[order[0]]`. That needs the loops
//! that copy the row, too.
use super::numbers;
use crate::{
    analysis::{
        tables::{Tables, table_of_pointer},
        uniformity::{Varying, analyze_warps},
    },
    id::Facts,
    ir::{
        ArrayId, Body, Effect, Inst, InstId, Kernel, MatrixOp, Op, Root, Space, SyncOp, Ty,
        evaluate,
    },
};
use std::cell::OnceCell;

/// Most instructions that a loop may become if that puts an array into registers. Later passes
/// leave a third of them: the 64 rounds of SHA-256 are 6,000 here.
pub(super) const MAX_UNROLLED_INSTRUCTIONS: u64 = 16384;
/// Most instructions that a loop may become if it only reads tables, which costs a load from cached
/// memory otherwise.
const MAX_UNROLLED_LOOKUPS: u64 = 1024;
/// Most instructions that all loops of a kernel may become: in a macro, which is built without
/// optimization, the other passes take 60 ms for them.
const MAX_UNROLLED_INSTRUCTIONS_OF_KERNEL: u64 = 24576;
/// Most bytes of an array that registers may hold: a thread has 255 of 4 bytes.
const MAX_PROMOTED_BYTES: u64 = 1024;
/// Instructions that are folded while they are copied take as long as one that is kept.
const FOLDED_PER_INSTRUCTION: u64 = 8;
/// Maximum number of operations between the counters of outer loops and the bounds of a loop.
const MAX_BOUND_OPERATIONS: u32 = 16;
/// Most surveys of a kernel before one that expects nothing of arrays: each may find that fewer hold
/// only what counters decide.
const MAX_SURVEYS: u32 = 4;

/// The loops of a kernel that are unrolled, and those that are not.
pub(super) struct Choice {
    /// True for the loops that are unrolled.
    pub(super) is_unrolled: Facts<InstId, bool>,
    /// The ways in which loops are left early.
    pub(super) exits: Facts<InstId, Exits>,
}

/// A way to leave a loop, or an iteration of it, early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Exits {
    /// By `break`.
    pub(super) breaks: bool,
    /// By `continue`.
    pub(super) continues: bool,
}

/// Chooses the loops of `kernel` that are unrolled; `None` if none is.
pub(super) fn choose(kernel: &Kernel, tables: &Tables) -> Option<Choice> {
    let mut exits = kernel.insts.facts(Exits::default());
    for (_, inst) in kernel.insts.iter() {
        if let Op::Break(target) = inst.op {
            exits[target].breaks = true;
        } else if let Op::Continue(target) = inst.op {
            exits[target].continues = true;
        }
    }
    let mut survey = Survey::of(kernel, tables, &exits);
    let needs = std::mem::replace(&mut survey.needs, kernel.arrays.cloned_facts(None));
    let selection = Selection {
        survey: &survey,
        needs,
        is_unrolled: kernel.insts.facts(false),
        counters: kernel.insts.facts(None),
    };
    let is_unrolled = selection.run()?;
    Some(Choice { is_unrolled, exits })
}

struct Survey<'k> {
    kernel: &'k Kernel,
    tables: &'k Tables,
    exits: &'k Facts<InstId, Exits>,
    /// The loops around that can be unrolled, the outermost first.
    around: Vec<InstId>,
    /// The loops of `around` whose counters a value is computed of, one bit each; `None` if
    /// something else decides it.
    counted: Facts<InstId, Option<u64>>,
    /// True for loops whose counter decides how often a loop inside runs.
    decides: Facts<InstId, bool>,
    /// True for loops in which some iterations may not come to where threads meet.
    refused: Facts<InstId, bool>,
    /// The uniformity of control in warps, of kernels that need it.
    varying: OnceCell<Varying>,
    /// The loops that can be unrolled, outer before inner.
    loops: Vec<InstId>,
    /// The loops to unroll, so that all indices of an array are constants; `None` if some would not
    /// be.
    needs: Facts<ArrayId, Option<Vec<InstId>>>,
    /// The loops whose counters decide what is stored to an array; `None` if something else does.
    stored: Facts<ArrayId, Option<Vec<InstId>>>,
    /// The array that a value is computed of which [counters](Self::counted) decide.
    copied_from: Facts<InstId, Option<ArrayId>>,
    /// The arrays that the indices of an array are computed of.
    sources: Facts<ArrayId, Vec<ArrayId>>,
}

impl<'k> Survey<'k> {
    /// Surveys `kernel`, at first as if counters decided what all arrays hold.
    fn of(kernel: &'k Kernel, tables: &'k Tables, exits: &'k Facts<InstId, Exits>) -> Self {
        let mut stored = kernel.arrays.cloned_facts(Some(Vec::new()));
        for number in 1.. {
            let mut survey = Self::new(kernel, tables, exits, stored.clone());
            survey.body(&kernel.body, &mut Vec::new());
            let is_decided = |id| survey.stored[id].is_some() || stored[id].is_none();
            if kernel.arrays.ids().all(is_decided) {
                survey.add_needs_of_sources();
                return survey;
            }
            stored = kernel.arrays.cloned_facts(None);
            if number < MAX_SURVEYS {
                for id in kernel.arrays.ids().filter(|id| survey.stored[*id].is_some()) {
                    stored[id] = Some(Vec::new());
                }
            }
        }
        unreachable!("the last survey expects nothing of an array")
    }

    fn new(
        kernel: &'k Kernel,
        tables: &'k Tables,
        exits: &'k Facts<InstId, Exits>,
        stored: Facts<ArrayId, Option<Vec<InstId>>>,
    ) -> Self {
        let mut needs = kernel.arrays.cloned_facts(Some(Vec::new()));
        for (id, array) in kernel.arrays.iter() {
            let bytes = array.elem.size().zip(array.len.known());
            let bytes = bytes.and_then(|(size, len)| size.checked_mul(len));
            if bytes.is_none_or(|bytes| bytes > MAX_PROMOTED_BYTES) && !tables.contains_key(&id) {
                needs[id] = None;
            }
        }
        Self {
            kernel,
            tables,
            exits,
            around: Vec::new(),
            counted: kernel.insts.facts(None),
            decides: kernel.insts.facts(false),
            refused: kernel.insts.facts(false),
            varying: OnceCell::new(),
            loops: Vec::new(),
            needs,
            stored,
            copied_from: kernel.insts.facts(None),
            sources: kernel.arrays.cloned_facts(Vec::new()),
        }
    }

    /// Lets arrays need the loops that fill the arrays of their indices.
    fn add_needs_of_sources(&mut self) {
        for id in self.kernel.arrays.ids() {
            for source in std::mem::take(&mut self.sources[id]) {
                let added = self.needs[source].clone().zip(self.stored[source].clone());
                let needs = self.needs[id].take().zip(added);
                self.needs[id] = needs.map(|(mut needs, (filled, decided))| {
                    add_new(&mut needs, filled);
                    add_new(&mut needs, decided);
                    needs
                });
            }
        }
    }

    /// `enclosing` are the instructions around `list`, the outermost first.
    fn body(&mut self, list: &Body, enclosing: &mut Vec<InstId>) {
        for &id in &list.0 {
            let inst = &self.kernel.insts[id];
            self.address(inst);
            self.counted[id] = self.count(id, inst);
            self.note_copy(id, inst);
            let is_sync = inst.op.effect() == Effect::Sync && !self.around.is_empty();
            if is_sync && !self.is_run_by_whole_warps(id, &inst.op) {
                self.refuse(enclosing);
            }
            if inst.op.is_leaf() {
                continue;
            }
            let is_counted = self.counted[id].is_some();
            if is_counted {
                self.around.push(id);
                self.loops.push(id);
            }
            enclosing.push(id);
            inst.op.bodies().for_each(|inner| self.body(inner, enclosing));
            enclosing.pop();
            if is_counted {
                self.around.pop();
            }
        }
    }

    /// True for an operation of the lanes of a warp, all of which run it together, in the same
    /// iteration of all loops.
    fn is_run_by_whole_warps(&self, id: InstId, op: &Op) -> bool {
        let is_of_warp = !matches!(op, Op::Sync(SyncOp::Barrier { .. } | SyncOp::SyncGrid));
        let varying = || self.varying.get_or_init(|| analyze_warps(self.kernel));
        is_of_warp && varying().control[id].is_uniform()
    }

    /// Refuses loops around an instruction that not every iteration runs.
    fn refuse(&mut self, enclosing: &[InstId]) {
        let mut runs_always = true;
        for &id in enclosing.iter().rev() {
            runs_always &= self.counted[id].is_some() && self.exits[id] == Exits::default();
            self.refused[id] |= !runs_always;
        }
    }

    /// The loops whose counters `id` is computed of.
    fn count(&mut self, id: InstId, inst: &Inst) -> Option<u64> {
        let operands =
            || inst.op.operands().try_fold(0, |all, operand| Some(all | self.counted[operand]?));
        match &inst.op {
            Op::Const(_) | Op::Array(_) => Some(0),
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Select { .. }
            | Op::Ternary { .. }
            | Op::Fma { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::MapShared { .. }
            | Op::Bounds { .. } => operands(),
            Op::Load { ptr, .. } if table_of_pointer(self.tables, self.kernel, *ptr).is_some() => {
                operands()
            }
            Op::Load { ptr, .. } => {
                let Some(Root::Array(array)) = self.kernel.root(*ptr) else { return None };
                self.needs[array].as_ref()?;
                let stored = self.stored[array].as_ref()?;
                let around = self.around.iter().enumerate();
                let decides = around.filter(|(_, id)| stored.contains(id));
                Some(decides.fold(operands()?, |all, (depth, _)| all | 1 << depth))
            }
            Op::For { start, end, step, .. } => {
                let bounds = operands()?;
                let Exits { breaks, continues } = self.exits[id];
                let mut fuel = MAX_BOUND_OPERATIONS;
                let simple =
                    [*start, *end, *step].iter().all(|&bound| self.is_simple(bound, &mut fuel));
                if !simple || breaks && continues || self.around.len() >= u64::BITS as usize {
                    return None;
                }
                for (depth, &outer) in self.around.iter().enumerate() {
                    self.decides[outer] |= bounds >> depth & 1 == 1;
                }
                Some(bounds | 1 << self.around.len())
            }
            Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Builtin(_)
            | Op::MulAdd { .. }
            | Op::Check { .. }
            | Op::Get(_)
            | Op::Set { .. }
            | Op::Store { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Sync(_)
            | Op::Copy(_)
            | Op::Prefetch { .. }
            | Op::Matrix(_)
            | Op::Warp(_)
            | Op::Texture { .. }
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
            | Op::Print { .. }
            | Op::If { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Panic { .. } => None,
        }
    }

    /// Notes the array that `id` is computed of, and the loops that decide what is stored to one.
    fn note_copy(&mut self, id: InstId, inst: &Inst) {
        if let Op::Store { ptr, value, .. } = inst.op
            && let Some(Root::Array(array)) = self.kernel.root(ptr)
        {
            let loops = self.counted[value].map(|loops| self.loops_in(loops));
            let stored = self.stored[array].take().zip(loops);
            self.stored[array] = stored.map(|(mut all, loops)| {
                add_new(&mut all, loops);
                all
            });
        }
        if self.counted[id].is_none() {
            return;
        }
        let is_table = |ptr| table_of_pointer(self.tables, self.kernel, ptr).is_some();
        self.copied_from[id] = match inst.op {
            Op::Load { ptr, .. } if !is_table(ptr) => match self.kernel.root(ptr) {
                Some(Root::Array(array)) => Some(array),
                _ => None,
            },
            ref op => op.operands().find_map(|operand| self.copied_from[operand]),
        };
    }

    /// Returns the loops around whose bits are in `loops`.
    fn loops_in(&self, loops: u64) -> Vec<InstId> {
        let around = self.around.iter().enumerate();
        around.filter(|(depth, _)| loops >> depth & 1 == 1).map(|(_, &id)| id).collect()
    }

    /// True if the value is computed by few operations.
    fn is_simple(&self, id: InstId, fuel: &mut u32) -> bool {
        let op = &self.kernel.insts[id].op;
        if let Op::Const(_) | Op::For { .. } = op {
            return true;
        }
        *fuel = fuel.saturating_sub(1);
        let evaluates = matches!(op, Op::Unary { .. } | Op::Binary { .. } | Op::Cast { .. });
        evaluates && *fuel > 0 && op.operands().all(|operand| self.is_simple(operand, fuel))
    }

    /// Notes what `inst` does with addresses of arrays.
    fn address(&mut self, inst: &Inst) {
        for operand in inst.op.operands() {
            if self.kernel.insts[operand].ty == Ty::Ptr(Space::Local)
                && let Some(Root::Array(array)) = self.kernel.root(operand)
            {
                self.access(inst, operand, array);
            }
        }
    }

    /// Notes what `inst` does with an address in `array`.
    fn access(&mut self, inst: &Inst, ptr: InstId, array: ArrayId) {
        let stays_known = if let Op::Index { index, .. } = inst.op {
            match self.counted[index] {
                Some(loops) => {
                    let needed = self.loops_in(loops);
                    if let Some(needs) = &mut self.needs[array] {
                        add_new(needs, needed);
                    }
                    let source = self.copied_from[index].filter(|source| *source != array);
                    add_new(&mut self.sources[array], source);
                    true
                }
                None => self.tables.contains_key(&array),
            }
        } else if let Op::Store { value, .. } = inst.op {
            value != ptr
        } else {
            matches!(
                inst.op,
                Op::Offset { .. }
                    | Op::Load { .. }
                    | Op::Matrix(MatrixOp::Wgmma { .. } | MatrixOp::WgmmaWait { .. })
            )
        };
        if !stays_known {
            self.needs[array] = None;
        }
    }
}

/// Appends those of `added` that `all` does not have.
fn add_new<T: PartialEq>(all: &mut Vec<T>, added: impl IntoIterator<Item = T>) {
    for item in added {
        if !all.contains(&item) {
            all.push(item);
        }
    }
}

/// The selection among the loops that a survey found.
struct Selection<'k> {
    survey: &'k Survey<'k>,
    /// As in the survey, but `None` for arrays that were given up.
    needs: Facts<ArrayId, Option<Vec<InstId>>>,
    is_unrolled: Facts<InstId, bool>,
    /// The counters of loops whose iterations are being added up.
    counters: Facts<InstId, Option<u64>>,
}

impl Selection<'_> {
    /// Unrolls the loops that arrays need, and gives up arrays until that is within the limits.
    fn run(mut self) -> Option<Facts<InstId, bool>> {
        let Survey { kernel, refused, loops, tables, .. } = self.survey;
        let mut given_up: Vec<InstId> = loops.iter().copied().filter(|&id| refused[id]).collect();
        loop {
            for array in kernel.arrays.ids() {
                let needs = self.needs[array].as_ref();
                if needs.is_some_and(|needs| needs.iter().any(|id| given_up.contains(id))) {
                    self.needs[array] = None;
                }
            }
            self.is_unrolled = kernel.insts.facts(false);
            let mut in_registers = kernel.insts.facts(false);
            for array in kernel.arrays.ids() {
                for &id in self.needs[array].iter().flatten() {
                    self.is_unrolled[id] = true;
                    in_registers[id] |= !tables.contains_key(&array);
                }
            }
            given_up = self.too_large(&in_registers);
            if given_up.is_empty() {
                let any = loops.iter().any(|&id| self.is_unrolled[id]);
                return any.then_some(self.is_unrolled);
            }
        }
    }

    /// Returns loops that exceed a limit, as few as possible: none if all together are within the
    /// limits.
    fn too_large(&mut self, in_registers: &Facts<InstId, bool>) -> Vec<InstId> {
        let survey = self.survey;
        // Inner loops first: without them, those around may be small enough.
        for &id in survey.loops.iter().rev() {
            if !self.is_unrolled[id] {
                continue;
            }
            let limit =
                if in_registers[id] { MAX_UNROLLED_INSTRUCTIONS } else { MAX_UNROLLED_LOOKUPS };
            // The numbers of other loops are not known here; those around them have their turn.
            let knows_numbers = self.numbers(id).is_some();
            if knows_numbers && self.size_of(id, limit) > limit {
                return vec![id];
            }
        }
        let mut outermost = Vec::new();
        self.outermost(&survey.kernel.body, &mut outermost);
        let limit = MAX_UNROLLED_INSTRUCTIONS_OF_KERNEL;
        let sizes: Vec<u64> = outermost.iter().map(|&id| self.size_of(id, limit)).collect();
        if sizes.iter().sum::<u64>() <= limit {
            return Vec::new();
        }
        let largest = outermost.iter().zip(sizes).max_by_key(|(_, size)| *size);
        largest.map(|(&id, _)| id).into_iter().collect()
    }

    /// Appends the unrolled loops in `list` that are in no other.
    fn outermost(&self, list: &Body, found: &mut Vec<InstId>) {
        for &id in &list.0 {
            let op = &self.survey.kernel.insts[id].op;
            if self.is_unrolled[id] {
                found.push(id);
            } else if !op.is_leaf() {
                op.bodies().for_each(|inner| self.outermost(inner, found));
            }
        }
    }

    /// Returns how many instructions the loop `id` becomes; if it is more than `limit`, any number
    /// that is more.
    fn size_of(&mut self, id: InstId, limit: u64) -> u64 {
        let Survey { kernel, decides, .. } = self.survey;
        let Op::For { body, .. } = &kernel.insts[id].op else { return 0 };
        let Some(numbers) = self.numbers(id) else { return limit + 1 };
        if !decides[id] {
            return self.size(body, limit).max(1).saturating_mul(numbers.len() as u64);
        }
        let mut size = 0_u64;
        for number in numbers {
            self.counters[id] = Some(number);
            size = size.saturating_add(self.size(body, limit).max(1));
            if size > limit {
                break;
            }
        }
        self.counters[id] = None;
        size
    }

    fn size(&mut self, list: &Body, limit: u64) -> u64 {
        let Survey { kernel, counted, .. } = self.survey;
        let (mut size, mut folded) = (0_u64, 0);
        for &id in &list.0 {
            let op = &kernel.insts[id].op;
            if self.is_unrolled[id] {
                size = size.saturating_add(self.size_of(id, limit));
            } else if !op.is_leaf() {
                size += 1;
                for inner in op.bodies() {
                    size = size.saturating_add(self.size(inner, limit));
                }
            } else if counted[id].is_some() {
                folded += 1;
            } else {
                size += u64::from(!matches!(op, Op::Param(_) | Op::Len(_) | Op::Shared(_)));
            }
            if size > limit {
                break;
            }
        }
        // Nothing is left of them, but they are copied first.
        size.saturating_add(folded / FOLDED_PER_INSTRUCTION)
    }

    /// Returns the counter's values in each iteration of a loop; `None` if loops around decide
    /// them.
    fn numbers(&self, id: InstId) -> Option<Vec<u64>> {
        let inst = &self.survey.kernel.insts[id];
        let Op::For { start, end, step, inclusive, .. } = inst.op else { return None };
        let bounds = [self.evaluate(start)?, self.evaluate(end)?, self.evaluate(step)?];
        numbers(inst.ty, bounds, inclusive)
    }

    /// Returns the bits of a bound.
    fn evaluate(&self, id: InstId) -> Option<u64> {
        let Inst { op, ty, .. } = &self.survey.kernel.insts[id];
        let scalar = |ty: Ty| if let Ty::Scalar(scalar) = ty { Some(scalar) } else { None };
        let of = |id: InstId| scalar(self.survey.kernel.insts[id].ty);
        if let Op::Const(bits) = op {
            Some(*bits)
        } else if let Op::For { .. } = op {
            self.counters[id]
        } else if let Op::Unary { op, value } = *op {
            evaluate::unary(op, scalar(*ty)?, self.evaluate(value)?)
        } else if let Op::Binary { op, lhs, rhs } = *op {
            evaluate::binary(op, scalar(*ty)?, self.evaluate(lhs)?, self.evaluate(rhs)?)
        } else if let Op::Cast { value } = *op {
            evaluate::cast(of(value)?, scalar(*ty)?, self.evaluate(value)?)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ir::Kernel, optimize::optimize_for_gpu, verify::verify};
    use std::fmt::Write as _;

    /// Lists of the loops that an array needs have each loop once, or they double with each read.
    #[test]
    fn arrays_that_index_themselves_are_optimized() {
        let mut text = "kernel k {
            param arg0 = y: write [u32]
            array #0 = p: [u32; 32]
            %0 = const 0 : u64
            %1 = const 32 : u64
            %2 = const 1 : u64
            %3 = param arg0 : ptr global
            %4 = array #0 : ptr local
            %5 = for %0, %1, step %2 : u64 {
              %6 = index %4, %5, 4 : ptr local
              %7 = cast %5 : u32
              %8 = store %6, %7
            }
            "
        .to_owned();
        for read in 0..48 {
            let [first, inner, place, outer, value] = [0, 1, 2, 3, 4].map(|id| 9 + 6 * read + id);
            let stored = value + 1;
            write!(
                text,
                "%{first} = index %4, %2, 4 : ptr local
                %{inner} = load %{first} : u32
                %{place} = cast %{inner} : u64
                %{outer} = index %4, %{place}, 4 : ptr local
                %{value} = load %{outer} : u32
                %{stored} = store %3, %{value}
                "
            )
            .expect("a string takes everything");
        }
        let kernel: Kernel = format!("{text}}}").parse().expect("the text is a kernel");
        let optimized = optimize_for_gpu(kernel);
        assert_eq!(verify(&optimized), Ok(()), "{optimized}");
    }
}
