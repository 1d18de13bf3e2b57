//! Makes locals of the arrays of a thread's own whose every access is at a constant place, or of
//! few elements.
//!
//! An array is promoted if its address goes nowhere but into loads and stores, by constant
//! indices and offsets, and each byte is accessed as one type and from one place. Each such place
//! becomes a local. Arrays that are never named are dropped.
//!
//! An index that is known only at run time chooses among the locals of all elements, of which there
//! are at most [`MAX_CHOSEN_ELEMENTS`]:
//!
//! ```text
//! %1 = index %array, %i, 4               %1 = get $0, %2 = get $1
//! %2 = load %1                     =>    %3 = select %i == 1, %2, %1
//!
//! %1 = index %array, %i, 4               set $0, select %i == 0, %value, get $0
//! store %1, %value                 =>    set $1, select %i == 1, %value, get $1
//! ```
//!
//! [Tables](mod@crate::analysis::tables) are left to back ends, which keep one copy for all threads.
//!
//! Why: `ptxas` keeps an array in registers only if it finds every access constant by itself, and
//! else each access goes to memory. The interpreter and the passes here look through locals, and
//! never through memory: small structs, vectors and tiles in registers are arrays at first. A list
//! of the four nearest points, into which a loop inserts, is in memory otherwise, and each iteration
//! waits for its last element: the whole kernel takes 1.2 times as long on an H200.
use crate::{
    analysis::tables::{Tables, find_tables},
    id::{Facts, Id, Table},
    ir::{Array, ArrayId, Body, CompareOp, Inst, InstId, Kernel, Local, LocalId, Op, Scalar, Ty},
};
use std::collections::BTreeMap;

/// The most elements that an index chooses from. A choice from eight takes as long as the memory.
const MAX_CHOSEN_ELEMENTS: u64 = 4;

/// The end of the places that are looked at: their sums are in the type.
const MAX_OFFSET: u64 = 1 << 32;

/// Promotes arrays of `kernel`, whose instructions are numbered in order. What computed their
/// addresses stays in place.
pub(super) fn promote_arrays(kernel: &mut Kernel) {
    let tables = find_tables(kernel);
    promote(kernel, Some(tables));
}

/// Does the same for arrays whose every access is at a constant place: the place of another may
/// become constant.
pub(super) fn promote_constant_arrays(kernel: &mut Kernel) {
    promote(kernel, None);
}

/// Promotes arrays, also those except `tables` that an index chooses from, if there are `tables`.
fn promote(kernel: &mut Kernel, tables: Option<Tables>) {
    if kernel.arrays.is_empty() {
        return;
    }
    let mut survey = Survey {
        place: kernel.insts.facts(None),
        words: kernel.arrays.cloned_facts(Some(BTreeMap::new())),
        tables,
        chooses: false,
    };
    for (id, inst) in kernel.insts.iter() {
        survey.inst(kernel, id, inst);
    }
    let Survey { place, words, chooses, .. } = survey;
    let mut locals = kernel.arrays.cloned_facts(None);
    for array in kernel.arrays.ids() {
        if let Some(words) = words[array].as_ref().filter(|words| !overlap(words)) {
            locals[array] = Some(declare(kernel, array, words));
        }
    }
    for inst in kernel.insts.iter_mut() {
        let promoted = |ptr: InstId| {
            let Place { array, offset, element: None } = place[ptr]? else { return None };
            locals[array].as_ref()?.get(&offset).copied()
        };
        if let Op::Load { ptr, .. } = inst.op
            && let Some(local) = promoted(ptr)
        {
            inst.op = Op::Get(local);
        } else if let Op::Store { ptr, value, .. } = inst.op
            && let Some(local) = promoted(ptr)
        {
            inst.op = Op::Set { local, value };
        }
    }
    if chooses {
        let list = std::mem::take(&mut kernel.body);
        kernel.body = Choice { kernel, place: &place, locals: &locals }.body(list);
        kernel.renumber();
    }
}

/// The scalar at each accessed offset.
type Words = BTreeMap<u64, Scalar>;

/// A place in an array.
#[derive(Clone, Copy)]
struct Place {
    array: ArrayId,
    /// Bytes from the beginning, or from the beginning of the element.
    offset: u64,
    /// The element that an index chooses.
    element: Option<Element>,
}

/// An element of an array, chosen by an index that is known only at run time.
#[derive(Clone, Copy)]
struct Element {
    index: InstId,
    /// Bytes from one element to the next.
    stride: u64,
    /// The number of elements.
    count: u64,
}

struct Survey {
    /// The place of an array that a pointer points to, if it is in one of few.
    place: Facts<InstId, Option<Place>>,
    /// The accesses of an array, while it can be promoted.
    words: Facts<ArrayId, Option<Words>>,
    /// The arrays that no index chooses from; `None` if there is no choice at all.
    tables: Option<Tables>,
    /// True if an index chooses an element.
    chooses: bool,
}

impl Survey {
    fn inst(&mut self, kernel: &Kernel, id: InstId, inst: &Inst) {
        if let Op::Array(array) = &inst.op {
            self.place[id] = Some(Place { array: *array, offset: 0, element: None });
        } else if let Op::Offset { base, offset } = &inst.op {
            self.derive(id, *base, offset.known());
        } else if let Op::Index { base, index, stride } = &inst.op {
            let Op::Const(number) = kernel.insts[*index].op else {
                self.choose(kernel, id, *base, *index, stride.known());
                return;
            };
            let bytes = stride.known().and_then(|stride| number.checked_mul(stride));
            self.derive(id, *base, bytes);
        } else if let Op::Load { ptr, .. } = inst.op {
            self.access(ptr, inst.ty);
        } else if let Op::Store { ptr, value, .. } = inst.op {
            self.access(ptr, kernel.insts[value].ty);
        } else {
            inst.op.operands().for_each(|operand| self.escape(operand));
        }
    }

    /// `id` is the address `bytes` behind `base`, if that is known.
    fn derive(&mut self, id: InstId, base: InstId, bytes: Option<u64>) {
        let Some(place) = self.place[base] else { return };
        let offset = bytes.and_then(|bytes| place.offset.checked_add(bytes));
        match offset.filter(|&offset| offset < MAX_OFFSET) {
            Some(offset) => self.place[id] = Some(Place { offset, ..place }),
            None => self.words[place.array] = None,
        }
    }

    /// `id` is the address of an element behind `base`, which `index` chooses.
    fn choose(
        &mut self,
        kernel: &Kernel,
        id: InstId,
        base: InstId,
        index: InstId,
        stride: Option<u64>,
    ) {
        let Some(place) = self.place[base] else { return };
        let Array { elem, len, .. } = &kernel.arrays[place.array];
        let bytes = elem.size().zip(len.known()).and_then(|(size, len)| size.checked_mul(len));
        let rest = bytes.and_then(|bytes| bytes.checked_sub(place.offset));
        let element = rest.zip(stride).and_then(|(rest, stride)| {
            // The last element may begin inside: the pointer may stand inside of an element.
            let count = rest.checked_next_multiple_of(stride)? / stride;
            let is_small = (1..=MAX_CHOSEN_ELEMENTS).contains(&count) && stride < MAX_OFFSET;
            (is_small && place.element.is_none()).then_some(Element { index, stride, count })
        });
        let is_table = |tables: &Tables| tables.contains_key(&place.array);
        if element.is_none() || self.tables.as_ref().is_none_or(is_table) {
            self.words[place.array] = None;
            return;
        }
        self.chooses = true;
        self.place[id] = Some(Place { element, ..place });
    }

    fn access(&mut self, ptr: InstId, ty: Ty) {
        let Some(place) = self.place[ptr] else { return };
        let words = &mut self.words[place.array];
        let same = match (ty, words.as_mut()) {
            (Ty::Scalar(scalar), Some(words)) => {
                place.offsets().all(|offset| *words.entry(offset).or_insert(scalar) == scalar)
            }
            (Ty::Scalar(_) | Ty::Ptr(_) | Ty::Unit, _) => false,
        };
        if !same {
            *words = None;
        }
    }

    /// The value is used for something else than an access.
    fn escape(&mut self, value: InstId) {
        if let Some(place) = self.place[value] {
            self.words[place.array] = None;
        }
    }
}

impl Place {
    /// The offsets of the words that it may be.
    fn offsets(self) -> impl Iterator<Item = u64> {
        let (stride, count) = self.element.map_or((0, 1), |of| (of.stride, of.count));
        (0..count).map(move |number| self.offset + number * stride)
    }
}

/// Chooses elements by comparison.
struct Choice<'c> {
    kernel: &'c mut Kernel,
    place: &'c Facts<InstId, Option<Place>>,
    locals: &'c Facts<ArrayId, Option<BTreeMap<u64, LocalId>>>,
}

impl Choice<'_> {
    fn body(&mut self, list: Body) -> Body {
        let mut kept = Vec::with_capacity(list.0.len());
        for id in list.0 {
            // Taken out while its bodies are walked.
            let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
            for inner in op.bodies_mut() {
                *inner = self.body(std::mem::take(inner));
            }
            if let Op::Load { ptr, .. } = op
                && let Some((locals, element)) = self.choice(ptr)
            {
                op = self.load(id, &locals, element, &mut kept);
            } else if let Op::Store { ptr, value, .. } = op
                && let Some((locals, element)) = self.choice(ptr)
            {
                op = self.store(id, &locals, element, value, &mut kept);
            }
            self.kernel.insts[id].op = op;
            kept.push(id);
        }
        Body(kept)
    }

    /// Returns the locals that an index chooses from.
    fn choice(&self, ptr: InstId) -> Option<(Vec<LocalId>, Element)> {
        let place = self.place[ptr]?;
        let locals = self.locals[place.array].as_ref()?;
        let chosen = place.offsets().map(|offset| locals[&offset]).collect();
        Some((chosen, place.element?))
    }

    /// Returns the load `id` as an operation on locals, and appends what comes before it.
    fn load(
        &mut self,
        id: InstId,
        locals: &[LocalId],
        element: Element,
        kept: &mut Vec<InstId>,
    ) -> Op {
        let ty = self.kernel.insts[id].ty;
        let (last, others) = locals.split_last().expect("there is an element");
        let mut chosen = self.push(id, ty, Op::Get(*last), kept);
        for (number, local) in (0..).zip(others) {
            let then = self.push(id, ty, Op::Get(*local), kept);
            let cond = self.is_chosen(id, element, number, kept);
            chosen = self.push(id, ty, Op::Select { cond, then, other: chosen }, kept);
        }
        // The last of them takes the place of the load.
        let last = kept.pop().expect("something chooses");
        self.kernel.insts[last].op.clone()
    }

    /// Returns the last part of the store `id` as an operation on locals, and appends the others.
    fn store(
        &mut self,
        id: InstId,
        locals: &[LocalId],
        element: Element,
        then: InstId,
        kept: &mut Vec<InstId>,
    ) -> Op {
        let ty = self.kernel.insts[then].ty;
        let mut set = Op::Return;
        for (number, &local) in (0..).zip(locals) {
            if number > 0 {
                self.push(id, Ty::Unit, set, kept);
            }
            let other = self.push(id, ty, Op::Get(local), kept);
            let cond = self.is_chosen(id, element, number, kept);
            let value = self.push(id, ty, Op::Select { cond, then, other }, kept);
            set = Op::Set { local, value };
        }
        set
    }

    fn is_chosen(
        &mut self,
        id: InstId,
        element: Element,
        number: u64,
        kept: &mut Vec<InstId>,
    ) -> InstId {
        let ty = self.kernel.insts[element.index].ty;
        let rhs = self.push(id, ty, Op::Const(number), kept);
        let op = Op::Compare { op: CompareOp::Eq, lhs: element.index, rhs };
        self.push(id, Scalar::Bool.into(), op, kept)
    }

    /// Appends an instruction with the place of `like` in the source.
    fn push(&mut self, like: InstId, ty: Ty, op: Op, kept: &mut Vec<InstId>) -> InstId {
        let span = self.kernel.insts[like].span;
        let id = self.kernel.insts.push(Inst { op, ty, span });
        kept.push(id);
        id
    }
}

/// Returns true if two of the words overlap.
fn overlap(words: &Words) -> bool {
    let end = |(offset, scalar): (&u64, &Scalar)| {
        offset.saturating_add(scalar.size().map_or(u64::MAX, u64::from))
    };
    let ends = words.iter().map(end);
    ends.zip(words.keys().skip(1)).any(|(end, next)| end > *next)
}

/// Declares a local for each word of an array.
fn declare(kernel: &mut Kernel, array: ArrayId, words: &Words) -> BTreeMap<u64, LocalId> {
    let Array { name, span, .. } = kernel.arrays[array].clone();
    let local = |(offset, scalar): (&u64, &Scalar)| {
        let ty = Ty::Scalar(*scalar);
        (*offset, kernel.locals.push(Local { name: name.clone(), ty, span }))
    };
    words.iter().map(local).collect()
}

/// Drops the arrays that no instruction names.
pub(super) fn drop_arrays(kernel: &mut Kernel) {
    let mut named = kernel.arrays.facts(false);
    let mut ids = Vec::new();
    kernel.walk(&mut |id| {
        if let Op::Array(array) = kernel.insts[id].op {
            named[array] = true;
            ids.push(id);
        }
    });
    let mut number = kernel.arrays.facts(ArrayId::new(0));
    let mut kept = Table::new();
    for (id, array) in kernel.arrays.iter().filter(|(id, _)| named[*id]) {
        number[id] = kept.push(array.clone());
    }
    kernel.arrays = kept;
    for id in ids {
        if let Op::Array(array) = &mut kernel.insts[id].op {
            *array = number[*array];
        }
    }
}
