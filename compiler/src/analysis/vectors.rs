//! Which neighbouring loads, and which neighbouring stores, are one request.
//!
//! Hardware loads and stores 2 or 4 scalars of a thread at once, up to 16 bytes, if they lie next
//! to each other at a multiple of their bytes. A [`Vector`] is such a group of loads, done where
//! the first of them stands, or of stores, done where the last stands. It is found among the
//! instructions of one body that no control flow parts, under these rules:
//!
//! - The addresses differ by constants, and the first is provably aligned: the parameter or array
//!   is, and whatever is added to its address is a multiple. See [`alignment_of`].
//! - No access that may be to the same memory stands between and would see the difference, and
//!   nothing that orders memory.
//! - A load moves before a check only within one element, which the thread may access already.
//!   A store moves behind no check: what was written before a fault can be read.
//! - A store moves behind no `set`, so that a back end may keep values in the registers of locals.
//!
//! Every load and store is in one vector at most, so that memory is accessed as often as before.
use super::range::{self, Ranges};
use crate::{
    id::Facts,
    ir::{BinaryOp, Body, Effect, Element, InstId, Kernel, Op, ParamKind, Root, Scalar, Space, Ty},
};
use std::collections::BTreeSet;

/// The most bytes of a vector.
const MOST_BYTES: u64 = 16;
/// How many groups may be open at once. A longer list would only make long kernels slow to compile.
const MOST_OPEN: usize = 32;

/// Loads or stores that are one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// 2 or 4 of them, the lowest address first.
    pub members: Vec<InstId>,
    /// The one among them where it is done.
    pub at: InstId,
    /// How many bytes its address is behind the lowest.
    pub behind: u64,
}

/// The vectors of a kernel.
#[derive(Clone, Debug)]
pub struct Vectors {
    list: Vec<Vector>,
    of: Facts<InstId, Option<usize>>,
}

impl Vectors {
    /// The vector that a load or store belongs to.
    pub fn get(&self, access: InstId) -> Option<&Vector> {
        self.of[access].map(|vector| &self.list[vector])
    }
}

/// Finds the vectors of `kernel`, which is specialized and numbered in order.
pub fn analyze(kernel: &Kernel) -> Vectors {
    analyze_in(kernel, &range::analyze(kernel))
}

/// The same of a kernel whose `ranges` are known.
pub(crate) fn analyze_in(kernel: &Kernel, ranges: &Ranges) -> Vectors {
    let found = Vectors { list: Vec::new(), of: kernel.insts.facts(None) };
    let mut walk = Walk { kernel, ranges, open: Vec::new(), found };
    walk.body(&kernel.body);
    walk.found
}

/// What the address of a parameter's or an array's first element is a multiple of.
pub fn alignment_of(kernel: &Kernel, root: Root) -> u64 {
    let array = |elem: &Element| elem.align().unwrap_or(1).max(16);
    match root {
        // The runtime allocates no buffer otherwise.
        Root::Param(_) => Element::MAX_ALIGN,
        Root::Shared(shared) => array(&kernel.shared[shared].elem),
        Root::Array(id) => array(&kernel.arrays[id].elem),
    }
}

/// What addresses that are constants apart have in common.
#[derive(PartialEq, Eq)]
struct Place {
    root: Root,
    /// Values, and how many bytes each counts, modulo 2^64.
    terms: Vec<(InstId, u64)>,
}

/// A load or store.
struct Request {
    id: InstId,
    scalar: Scalar,
    space: Option<Space>,
    /// Where, if it is known in what: a place, and how many bytes behind.
    at: Option<(Place, i64)>,
}

impl Request {
    /// The bytes behind its place.
    fn bytes(&self, offset: i64) -> (i64, i64) {
        (offset, offset.saturating_add(self.scalar.size().map_or(0, i64::from)))
    }
}

fn overlap(a: (i64, i64), b: (i64, i64)) -> bool {
    a.0 < b.1 && b.0 < a.1
}

/// Accesses that are constants apart.
struct Group {
    place: Place,
    stores: bool,
    scalar: Scalar,
    size: u64,
    /// Bytes of an element, if all terms are multiples of it.
    element: Option<u64>,
    /// Whether a check stands behind the first.
    checked: bool,
    /// Bytes at the place that were stored since the first, where these are loads.
    stored: Vec<(i64, i64)>,
    /// With their offsets, in order of the text.
    members: Vec<(i64, InstId)>,
    /// The offsets of the members, none of which overlaps another.
    offsets: BTreeSet<i64>,
}

impl Group {
    /// Whether a load of `bytes` may be done where the first member stands.
    fn reaches(&self, bytes: (i64, i64)) -> bool {
        let element = |offset: i64| {
            let size = i64::try_from(self.element?).ok()?;
            Some(offset.div_euclid(size))
        };
        let allowed = |(first, _): &(i64, InstId)| {
            element(bytes.0).is_some() && element(bytes.0) == element(*first)
        };
        self.stored.iter().all(|stored| !overlap(*stored, bytes))
            && (!self.checked || self.members.first().is_some_and(allowed))
    }

    /// Whether a request is at the place, and beside all members.
    fn is_beside(&self, request: &Request) -> bool {
        request.at.as_ref().is_some_and(|(place, offset)| {
            let size = i64::try_from(self.size).unwrap_or(0);
            let (start, end) = request.bytes(*offset);
            // Members that begin here reach into the bytes, or begin in them.
            let first = start.saturating_sub(size).saturating_add(1);
            let mut overlapping = self.offsets.range(first.min(end)..end);
            self.place == *place && overlapping.next().is_none()
        })
    }

    fn add(&mut self, offset: i64, id: InstId) {
        self.members.push((offset, id));
        self.offsets.insert(offset);
    }

    /// Whether an access of `scalar` can be a member.
    fn takes(&self, scalar: Scalar) -> bool {
        // Narrow values are extended, each in its way.
        self.scalar == scalar || (self.size >= 4 && scalar.size() == self.scalar.size())
    }
}

struct Walk<'k> {
    kernel: &'k Kernel,
    ranges: &'k Ranges,
    open: Vec<Group>,
    found: Vectors,
}

impl Walk<'_> {
    fn body(&mut self, body: &Body) {
        for &id in &body.0 {
            self.inst(id);
        }
        self.close(|_| true);
    }

    fn inst(&mut self, id: InstId) {
        let kernel = self.kernel;
        let op = &kernel.insts[id].op;
        if let Op::Load { ptr } = *op {
            return self.load(self.request(id, ptr, id));
        } else if let Op::Store { ptr, value } = *op {
            return self.store(self.request(id, ptr, value));
        } else if let Op::Set { .. } = op {
            self.close(|group| group.stores);
            return;
        }
        match op.effect() {
            Effect::None | Effect::Read => {}
            Effect::Fault => {
                self.close(|group| group.stores);
                self.open.iter_mut().for_each(|group| group.checked = true);
            }
            Effect::Write | Effect::Sync => self.close(|group| !is_constant(kernel, group)),
            Effect::Control => {
                self.close(|_| true);
                op.bodies().for_each(|inner| self.body(inner));
            }
        }
    }

    /// A load or store of what `value` is.
    fn request(&self, id: InstId, ptr: InstId, value: InstId) -> Request {
        let scalar = match self.kernel.insts[value].ty {
            Ty::Scalar(scalar) => scalar,
            Ty::Ptr(_) | Ty::Unit => Scalar::U64,
        };
        Request { id, scalar, space: self.kernel.space(ptr), at: self.place(ptr) }
    }

    fn load(&mut self, request: Request) {
        let kernel = self.kernel;
        self.close(|group| group.stores && may_meet(kernel, group, &request));
        let Some((place, offset)) = &request.at else { return };
        let takes =
            |group: &Group| !group.stores && group.place == *place && group.takes(request.scalar);
        if let Some(at) = self.open.iter().position(takes) {
            if self.open[at].reaches(request.bytes(*offset)) {
                if self.open[at].is_beside(&request) {
                    self.open[at].add(*offset, request.id);
                }
                return;
            }
            let group = self.open.remove(at);
            self.merge(group);
        }
        self.start(request, false);
    }

    fn store(&mut self, request: Request) {
        let kernel = self.kernel;
        let at_place =
            |group: &Group| request.at.as_ref().is_some_and(|(place, _)| group.place == *place);
        // Loads before it at its place are done; those behind it are asked in `reaches`.
        self.close(|group| (group.stores || !at_place(group)) && may_meet(kernel, group, &request));
        let Some((place, offset)) = &request.at else { return };
        for group in self.open.iter_mut().filter(|group| !group.stores && group.place == *place) {
            group.stored.push(request.bytes(*offset));
        }
        let takes = |group: &&mut Group| {
            group.stores && group.place == *place && group.takes(request.scalar)
        };
        match self.open.iter_mut().find(takes) {
            Some(group) => group.add(*offset, request.id),
            None => self.start(request, true),
        }
    }

    fn start(&mut self, request: Request, stores: bool) {
        let Request { id, scalar, at: Some((place, offset)), .. } = request else { return };
        let Some(size) = scalar.size().map(u64::from) else { return };
        let element = self.element_of(place.root).filter(|element| {
            *element > 0 && place.terms.iter().all(|(_, stride)| stride.is_multiple_of(*element))
        });
        if self.open.len() == MOST_OPEN {
            let oldest = self.open.remove(0);
            self.merge(oldest);
        }
        let (members, stored) = (vec![(offset, id)], Vec::new());
        let (checked, offsets) = (false, BTreeSet::from([offset]));
        self.open.push(Group {
            place,
            stores,
            scalar,
            size,
            element,
            checked,
            stored,
            members,
            offsets,
        });
    }

    fn element_of(&self, root: Root) -> Option<u64> {
        match root {
            Root::Param(param) => match &self.kernel.params[param].kind {
                ParamKind::Slice { elem, .. } => elem.size(),
                ParamKind::Scalar(_) => None,
            },
            Root::Shared(shared) => self.kernel.shared[shared].elem.size(),
            Root::Array(array) => self.kernel.arrays[array].elem.size(),
        }
    }

    /// Takes the groups that are `done` out, and makes vectors of them.
    fn close(&mut self, done: impl Fn(&Group) -> bool) {
        let (closed, open) = std::mem::take(&mut self.open).into_iter().partition(done);
        self.open = open;
        let closed: Vec<Group> = closed;
        closed.into_iter().for_each(|group| self.merge(group));
    }

    /// Makes vectors of as many members as fit in one, and are as many.
    fn merge(&mut self, mut group: Group) {
        if group.members.len() < 2 {
            return;
        }
        let align = self.alignment(&group.place);
        group.members.sort_unstable();
        let mut members = group.members.as_slice();
        while let [first, rest @ ..] = members {
            let lanes = [4, 2].into_iter().find(|lanes| {
                let bytes = *lanes as u64 * group.size;
                bytes <= MOST_BYTES.min(align)
                    && first.0.rem_euclid(bytes as i64) == 0
                    && follow(members.get(..*lanes), group.size as i64)
            });
            match lanes {
                Some(lanes) => {
                    self.add(&members[..lanes], group.stores);
                    members = &members[lanes..];
                }
                None => members = rest,
            }
        }
    }

    fn add(&mut self, members: &[(i64, InstId)], stores: bool) {
        let order = members.iter().map(|(offset, id)| (*id, *offset));
        let at = if stores { order.max() } else { order.min() };
        let (Some((at, offset)), Some((lowest, _))) = (at, members.first()) else { return };
        for (_, id) in members {
            self.found.of[*id] = Some(self.found.list.len());
        }
        let members = members.iter().map(|(_, id)| *id).collect();
        self.found.list.push(Vector { members, at, behind: (offset - lowest) as u64 });
    }

    /// Where `ptr` points, if it is known to what.
    fn place(&self, mut ptr: InstId) -> Option<(Place, i64)> {
        let root = self.kernel.root(ptr)?;
        let (mut terms, mut sum) = (Vec::new(), 0_u64);
        loop {
            let op = &self.kernel.insts[ptr].op;
            if let Op::Offset { base, offset } = op {
                sum = sum.wrapping_add(offset.known()?);
                ptr = *base;
            } else if let Op::Index { base, index, stride } = op {
                let stride = stride.known()?;
                let (term, constant) = self.split(*index);
                terms.extend(term.map(|term| (term, stride)));
                sum = sum.wrapping_add(constant.wrapping_mul(stride));
                ptr = *base;
            } else {
                terms.sort_unstable();
                return Some((Place { root, terms }, sum as i64));
            }
        }
    }

    /// An unsigned index as a term and a constant that add up to it, modulo 2^64.
    fn split(&self, index: InstId) -> (Option<InstId>, u64) {
        let whole = (Some(index), 0);
        let inst = &self.kernel.insts[index];
        if let Op::Const(bits) = inst.op {
            (None, bits)
        } else if let Op::Bounds { index, .. } = inst.op {
            self.split(index)
        } else if let Op::Cast { value } = inst.op
            && self.is_kept(value, inst.ty)
        {
            self.split(value)
        } else if let Op::Binary { op: BinaryOp::Add, lhs, rhs } = inst.op {
            match (self.kernel.literal(lhs), self.kernel.literal(rhs)) {
                (_, Some(constant)) => self.sum(lhs, constant, inst.ty).unwrap_or(whole),
                (Some(constant), None) => self.sum(rhs, constant, inst.ty).unwrap_or(whole),
                (None, None) => whole,
            }
        } else {
            whole
        }
    }

    /// `term + constant`, unless that wraps in `ty`.
    fn sum(&self, term: InstId, constant: u64, ty: Ty) -> Option<(Option<InstId>, u64)> {
        if ty != Ty::Scalar(Scalar::U64) {
            let greatest = self.ranges.get(self.kernel, term)?.max + i128::from(constant);
            let Ty::Scalar(scalar) = ty else { return None };
            let limit = (1_i128 << scalar.bits()?) - 1;
            if greatest > limit {
                return None;
            }
        }
        let (term, more) = self.split(term);
        Some((term, more.wrapping_add(constant)))
    }

    /// Whether a cast of `value`, which is unsigned, to `ty` keeps it.
    fn is_kept(&self, value: InstId, ty: Ty) -> bool {
        let unsigned = |ty: Ty| match ty {
            Ty::Scalar(scalar) if scalar.is_unsigned() => scalar.bits(),
            Ty::Scalar(_) | Ty::Ptr(_) | Ty::Unit => None,
        };
        let (from, to) = (unsigned(self.kernel.insts[value].ty), unsigned(ty));
        let fits = |bits: u32| {
            let range = self.ranges.get(self.kernel, value);
            range.is_some_and(|range| range.max < 1_i128 << bits)
        };
        from.is_some() && to.is_some_and(fits)
    }

    /// A power of two that `place` is a multiple of.
    fn alignment(&self, place: &Place) -> u64 {
        let root = alignment_of(self.kernel, place.root);
        place.terms.iter().fold(root, |align, (term, stride)| {
            let zeros = self.zeros(*term).saturating_add(stride.trailing_zeros());
            align.min(1_u64.checked_shl(zeros).unwrap_or(u64::MAX))
        })
    }

    /// How many low bits of an integer are surely zero.
    fn zeros(&self, id: InstId) -> u32 {
        let inst = &self.kernel.insts[id];
        if let Op::Const(bits) = inst.op {
            bits.trailing_zeros()
        } else if let Op::Bounds { index: value, .. } | Op::Cast { value } = inst.op {
            self.zeros(value)
        } else if let Op::For { start, step, .. } = inst.op {
            self.zeros(start).min(self.zeros(step))
        } else if let Op::Binary { op, lhs, rhs } = inst.op {
            let (left, right) = (|| self.zeros(lhs), || self.zeros(rhs));
            if op == BinaryOp::Mul {
                left().saturating_add(right())
            } else if matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor) {
                left().min(right())
            } else if op == BinaryOp::And {
                left().max(right())
            } else if op == BinaryOp::Shl {
                let by = self.kernel.literal(rhs).and_then(|by| u32::try_from(by).ok());
                by.filter(|by| *by < 8).map_or(0, |by| left().saturating_add(by))
            } else {
                0
            }
        } else {
            0
        }
    }
}

/// Whether each is `size` bytes behind the one before.
fn follow(members: Option<&[(i64, InstId)]>, size: i64) -> bool {
    members.is_some_and(|members| {
        members.windows(2).all(|pair| pair[1].0.checked_sub(pair[0].0) == Some(size))
    })
}

/// Whether a request may be to bytes that a member of `group` accesses.
fn may_meet(kernel: &Kernel, group: &Group, request: &Request) -> bool {
    let space = match group.place.root {
        Root::Param(_) => Space::Global,
        Root::Shared(_) => Space::Shared,
        Root::Array(_) => Space::Local,
    };
    match &request.at {
        // Slices that are written do not overlap others.
        Some((place, _)) => place.root == group.place.root && !group.is_beside(request),
        None => request.space == Some(space) && !is_constant(kernel, group),
    }
}

/// Whether these are loads of what no other thread writes, and this one does not in between.
fn is_constant(kernel: &Kernel, group: &Group) -> bool {
    kernel.is_read_only(group.place.root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    /// Each store is compared with all before it, which must not take the square of their number.
    #[test]
    fn a_long_row_of_stores_is_vectors() {
        const STORES: usize = 20_000;
        let mut text = "kernel row { param arg0 = y: write [f32] !0
            %0 = param arg0 : ptr global !0
            %1 = const 1 : f32 !0\n"
            .to_owned();
        for store in 0..STORES {
            let (ptr, id) = (2 * store + 2, 2 * store + 3);
            // Every second element first, then those between.
            let element = if store < STORES / 2 { 2 * store } else { 2 * store + 1 - STORES };
            writeln!(text, "%{ptr} = offset %0, {} : ptr global !0", 4 * element).unwrap();
            writeln!(text, "%{id} = store %{ptr}, %1 !0").unwrap();
        }
        let kernel: Kernel = (text + "}").parse().unwrap();
        let vectors = analyze(&kernel);
        assert_eq!(vectors.list.len(), STORES / 4);
        assert!(vectors.list.iter().all(|vector| vector.members.len() == 4));
    }
}
