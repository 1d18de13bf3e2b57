//! Vectorization: neighbouring loads, or stores, that are one request.
//!
//! Hardware loads and stores 2 or 4 scalars of a thread at once, up to 16 bytes, if they are
//! adjacent and start at a multiple of their total size. Of the
//! [rows](super::mma::find_row_elements) that matrices are loaded by, it loads 16 bytes of narrower
//! elements. A [`Vector`] is such a group of loads,
//! executed at the position of the first, or of stores, executed at the position of the last. Its
//! members are in one body without control flow between them, under these rules:
//!
//! - The addresses differ by constants, and the first is provably aligned: the parameter or array
//!   is, and everything added to its address is a multiple. See [`alignment_of`].
//! - Between the members there is no access that may alias and would see the difference, and
//!   nothing that orders memory.
//! - A load moves before a check only within one element, which the thread may access already. A
//!   store moves after no check: memory written before a fault can be read.
//! - All members have the same cache operator.
//! - Members in a surface are of one texel.
//! - A store moves after no `set`, so that a back end may keep values in the registers of locals.
//!
//! Every load and store is in at most one vector, so that the number of accesses does not grow.
use super::{
    mma::find_row_elements,
    range::{self, Ranges},
};
use crate::{
    id::Facts,
    ir::{
        BinaryOp, Body, CacheOp, Effect, Element, InstId, Kernel, Op, ParamKind, Root, Scalar,
        Space, Ty,
    },
};
use std::collections::BTreeSet;

/// The size of the largest vector, in bytes.
const MAX_VECTOR_BYTES: u64 = 16;
/// The maximum number of open groups. A longer list would only make long kernels slow to compile.
const MAX_OPEN_GROUPS: usize = 32;

/// Loads or stores that are one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The 2 or 4 members, or the 8 or 16 of a row of a matrix, the lowest address first.
    pub members: Vec<InstId>,
    /// The member at whose position the vector is executed.
    pub position: InstId,
    /// The offset of that member's address from the lowest, in bytes.
    pub position_offset: u64,
}

/// The vectors of a kernel.
#[derive(Clone, Debug)]
pub struct Vectors {
    list: Vec<Vector>,
    vector_of: Facts<InstId, Option<usize>>,
}

impl Vectors {
    /// Returns the vector that a load or store belongs to.
    pub fn get(&self, access: InstId) -> Option<&Vector> {
        self.vector_of[access].map(|vector| &self.list[vector])
    }
}

/// Finds the vectors of `kernel`, which is specialized and numbered in order.
pub fn analyze(kernel: &Kernel) -> Vectors {
    analyze_in(kernel, &range::analyze(kernel))
}

/// Finds the vectors with the kernel's `ranges`.
pub(crate) fn analyze_in(kernel: &Kernel, ranges: &Ranges) -> Vectors {
    find_vectors(kernel, ranges, find_row_elements(kernel))
}

/// Finds the vectors that are one instruction of PTX, whatever the kernel does with them.
pub fn analyze_for_ptx(kernel: &Kernel, ranges: &Ranges) -> Vectors {
    find_vectors(kernel, ranges, kernel.insts.facts(false))
}

fn find_vectors(kernel: &Kernel, ranges: &Ranges, row_elements: Facts<InstId, bool>) -> Vectors {
    let found = Vectors { list: Vec::new(), vector_of: kernel.insts.facts(None) };
    let mut walk = VectorFinder { kernel, ranges, row_elements, open: Vec::new(), found };
    walk.visit_body(&kernel.body);
    walk.found
}

/// Returns the alignment of the first element of a parameter or array, in bytes.
pub fn alignment_of(kernel: &Kernel, root: Root) -> u64 {
    let array = |elem: &Element| elem.align().unwrap_or(1).max(16);
    match root {
        // The launcher passes no slice otherwise.
        Root::Param(param) => match &kernel.params[param].kind {
            ParamKind::Slice { elem, access } => {
                // The module declares constant memory, wherever the elements are copied from.
                let is_aligned = kernel.aligned_slices || access.space() == Space::Constant;
                let least = if is_aligned { Element::SLICE_ALIGN } else { 1 };
                elem.align().unwrap_or(1).max(least)
            }
            ParamKind::Scalar(_) => 1,
        },
        Root::Shared(shared) => array(&kernel.shared[shared].elem),
        Root::Array(id) => array(&kernel.arrays[id].elem),
    }
}

/// The variable part of an address: addresses with the same base differ by constants.
#[derive(PartialEq, Eq)]
struct AddressBase {
    root: Root,
    /// Values, and the bytes per unit of each, modulo 2^64.
    terms: Vec<(InstId, u64)>,
}

/// A load or store.
struct ScalarAccess {
    id: InstId,
    scalar: Scalar,
    cache: Option<CacheOp>,
    space: Option<Space>,
    /// The base and the offset in bytes, if the object is known.
    address: Option<(AddressBase, i64)>,
}

impl ScalarAccess {
    /// Returns the bytes accessed, relative to the base.
    fn byte_range(&self, offset: i64) -> (i64, i64) {
        (offset, offset.saturating_add(self.scalar.size().map_or(0, i64::from)))
    }
}

fn overlap(a: (i64, i64), b: (i64, i64)) -> bool {
    a.0 < b.1 && b.0 < a.1
}

/// Accesses with the same base.
struct OpenGroup {
    place: AddressBase,
    stores: bool,
    cache: Option<CacheOp>,
    scalar: Scalar,
    size: u64,
    /// The size of an element in bytes, if all terms are multiples of it.
    element: Option<u64>,
    /// True if a check follows the first member.
    checked: bool,
    /// For loads: the bytes at the base that were stored since the first member.
    stored: Vec<(i64, i64)>,
    /// The members with their offsets, in order of the text.
    members: Vec<(i64, InstId)>,
    /// The offsets of the members, none of which overlaps another.
    offsets: BTreeSet<i64>,
}

impl OpenGroup {
    /// Returns true if a load of `bytes` may move to the position of the first member.
    fn can_hoist_load(&self, bytes: (i64, i64)) -> bool {
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

    /// Returns true if a request has the same base and overlaps no member.
    fn is_adjacent_to(&self, request: &ScalarAccess) -> bool {
        request.address.as_ref().is_some_and(|(place, offset)| {
            let size = i64::try_from(self.size).unwrap_or(0);
            let (start, end) = request.byte_range(*offset);
            // Members that begin in this range overlap the bytes, or begin in them.
            let first = start.saturating_sub(size).saturating_add(1);
            let mut overlapping = self.offsets.range(first.min(end)..end);
            self.place == *place && overlapping.next().is_none()
        })
    }

    fn push_member(&mut self, offset: i64, id: InstId) {
        self.members.push((offset, id));
        self.offsets.insert(offset);
    }

    /// Returns true if the types and hints allow an access to be a member.
    fn accepts(&self, request: &ScalarAccess) -> bool {
        // Narrow values are extended, each type differently.
        let same_bits = self.size >= 4 && request.scalar.size() == self.scalar.size();
        (self.scalar == request.scalar || same_bits) && self.cache == request.cache
    }
}

struct VectorFinder<'k> {
    kernel: &'k Kernel,
    ranges: &'k Ranges,
    /// True for the loads of rows of matrices.
    row_elements: Facts<InstId, bool>,
    open: Vec<OpenGroup>,
    found: Vectors,
}

impl VectorFinder<'_> {
    fn visit_body(&mut self, body: &Body) {
        for &id in &body.0 {
            self.visit_inst(id);
        }
        self.close_groups(|_| true);
    }

    fn visit_inst(&mut self, id: InstId) {
        let kernel = self.kernel;
        let op = &kernel.insts[id].op;
        if let Op::Load { ptr, .. } = *op {
            return self.add_load(self.scalar_access(id, ptr, id));
        } else if let Op::Store { ptr, value, .. } = *op {
            return self.add_store(self.scalar_access(id, ptr, value));
        } else if let Op::Set { .. } = op {
            self.close_groups(|group| group.stores);
            return;
        }
        match op.effect() {
            Effect::None | Effect::Read => {}
            // A store may not move past the check: memory written before a fault can be read.
            Effect::Fault => {
                self.close_groups(|group| group.stores);
                self.open.iter_mut().for_each(|group| group.checked = true);
            }
            // Only constant memory is the same on both sides.
            Effect::Write | Effect::Sync => self.close_groups(|group| !is_constant(kernel, group)),
            Effect::Control => {
                self.close_groups(|_| true);
                op.bodies().for_each(|inner| self.visit_body(inner));
            }
        }
    }

    /// Creates the request of a load or store of a value of the type of `value`.
    fn scalar_access(&self, id: InstId, ptr: InstId, value: InstId) -> ScalarAccess {
        let scalar = match self.kernel.insts[value].ty {
            Ty::Scalar(scalar) => scalar,
            Ty::Ptr(_) | Ty::Unit => Scalar::U64,
        };
        // The memory of a cluster may be that of the block.
        let space = match self.kernel.space(ptr) {
            Some(Space::Cluster) => Some(Space::Shared),
            space => space,
        };
        ScalarAccess {
            id,
            scalar,
            cache: self.kernel.insts[id].op.cache_op(),
            space,
            address: self.resolve_address(ptr),
        }
    }

    fn add_load(&mut self, request: ScalarAccess) {
        let kernel = self.kernel;
        self.close_groups(|group| group.stores && may_overlap(kernel, group, &request));
        let Some((place, offset)) = &request.address else { return };
        let takes =
            |group: &OpenGroup| !group.stores && group.place == *place && group.accepts(&request);
        if let Some(at) = self.open.iter().position(takes) {
            if self.open[at].can_hoist_load(request.byte_range(*offset)) {
                if self.open[at].is_adjacent_to(&request) {
                    self.open[at].push_member(*offset, request.id);
                }
                return;
            }
            let group = self.open.remove(at);
            self.form_vectors(group);
        }
        self.open_group(request, false);
    }

    fn add_store(&mut self, request: ScalarAccess) {
        let kernel = self.kernel;
        let at_place = |group: &OpenGroup| {
            request.address.as_ref().is_some_and(|(place, _)| group.place == *place)
        };
        // Earlier loads with this base are executed already; later ones are checked in
        // `can_hoist_load`.
        self.close_groups(|group| {
            (group.stores || !at_place(group)) && may_overlap(kernel, group, &request)
        });
        let Some((place, offset)) = &request.address else { return };
        for group in self.open.iter_mut().filter(|group| !group.stores && group.place == *place) {
            group.stored.push(request.byte_range(*offset));
        }
        let takes = |group: &&mut OpenGroup| {
            group.stores && group.place == *place && group.accepts(&request)
        };
        match self.open.iter_mut().find(takes) {
            Some(group) => group.push_member(*offset, request.id),
            None => self.open_group(request, true),
        }
    }

    fn open_group(&mut self, request: ScalarAccess, stores: bool) {
        let ScalarAccess { id, scalar, cache, address: Some((place, offset)), .. } = request else {
            return;
        };
        let Some(size) = scalar.size().map(u64::from) else { return };
        let element = self.element_of(place.root).filter(|element| {
            *element > 0 && place.terms.iter().all(|(_, stride)| stride.is_multiple_of(*element))
        });
        // Make room by closing the oldest group.
        if self.open.len() == MAX_OPEN_GROUPS {
            let oldest = self.open.remove(0);
            self.form_vectors(oldest);
        }
        let (members, stored) = (vec![(offset, id)], Vec::new());
        let (checked, offsets) = (false, BTreeSet::from([offset]));
        self.open.push(OpenGroup {
            place,
            stores,
            cache,
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

    /// Closes the groups for which `done` holds, and forms their vectors.
    fn close_groups(&mut self, done: impl Fn(&OpenGroup) -> bool) {
        let (closed, open) = std::mem::take(&mut self.open).into_iter().partition(done);
        self.open = open;
        let closed: Vec<OpenGroup> = closed;
        closed.into_iter().for_each(|group| self.form_vectors(group));
    }

    /// Forms vectors of as many members as fit, of equal size.
    fn form_vectors(&mut self, mut group: OpenGroup) {
        if group.members.len() < 2 {
            return;
        }
        // Hardware accesses no two texels of a surface at once.
        let is_surface = self.kernel.surface_of_root(group.place.root).is_some();
        let texel = group.element.unwrap_or(1);
        let most = if is_surface { texel.min(MAX_VECTOR_BYTES) } else { MAX_VECTOR_BYTES };
        let align = self.alignment_of_base(&group.place);
        group.members.sort_unstable();
        let mut members = group.members.as_slice();
        while let [first, rest @ ..] = members {
            let is_row = |members: &[(i64, InstId)]| {
                members.iter().all(|(_, member)| self.row_elements[*member])
            };
            let lanes = [16, 8, 4, 2].into_iter().find(|lanes| {
                let bytes = *lanes as u64 * group.size;
                bytes <= most.min(align)
                    && first.0.rem_euclid(bytes as i64) == 0
                    && are_consecutive(members.get(..*lanes), group.size as i64)
                    && (*lanes <= 4 || is_row(&members[..*lanes]))
            });
            match lanes {
                Some(lanes) => {
                    self.push_vector(&members[..lanes], group.stores);
                    members = &members[lanes..];
                }
                None => members = rest,
            }
        }
    }

    fn push_vector(&mut self, members: &[(i64, InstId)], stores: bool) {
        let order = members.iter().map(|(offset, id)| (*id, *offset));
        let at = if stores { order.max() } else { order.min() };
        let (Some((at, offset)), Some((lowest, _))) = (at, members.first()) else { return };
        for (_, id) in members {
            self.found.vector_of[*id] = Some(self.found.list.len());
        }
        let members = members.iter().map(|(_, id)| *id).collect();
        self.found.list.push(Vector {
            members,
            position: at,
            position_offset: (offset - lowest) as u64,
        });
    }

    /// Returns the base and offset of `ptr`, if it points into a known object.
    fn resolve_address(&self, mut ptr: InstId) -> Option<(AddressBase, i64)> {
        let root = self.kernel.root(ptr)?;
        let (mut terms, mut sum) = (Vec::new(), 0_u64);
        loop {
            let op = &self.kernel.insts[ptr].op;
            if let Op::Offset { base, offset } = op {
                sum = sum.wrapping_add(offset.known()?);
                ptr = *base;
            } else if let Op::Index { base, index, stride } = op {
                let stride = stride.known()?;
                let (term, constant) = self.split_index(*index);
                terms.extend(term.map(|term| (term, stride)));
                sum = sum.wrapping_add(constant.wrapping_mul(stride));
                ptr = *base;
            } else {
                terms.sort_unstable();
                return Some((AddressBase { root, terms }, sum as i64));
            }
        }
    }

    /// Splits an unsigned index into a term and a constant, whose sum it is modulo 2^64.
    fn split_index(&self, index: InstId) -> (Option<InstId>, u64) {
        let whole = (Some(index), 0);
        let inst = &self.kernel.insts[index];
        if let Op::Const(bits) = inst.op {
            (None, bits)
        } else if let Op::Bounds { index, .. } = inst.op {
            self.split_index(index)
        } else if let Op::Cast { value } = inst.op
            && self.is_kept(value, inst.ty)
        {
            self.split_index(value)
        } else if let Op::Binary { op: BinaryOp::Add, lhs, rhs } = inst.op {
            match (self.kernel.literal(lhs), self.kernel.literal(rhs)) {
                (_, Some(constant)) => self.exact_sum(lhs, constant, inst.ty).unwrap_or(whole),
                (Some(constant), None) => self.exact_sum(rhs, constant, inst.ty).unwrap_or(whole),
                (None, None) => whole,
            }
        } else {
            whole
        }
    }

    /// Returns `term + constant`, unless that wraps in `ty`.
    fn exact_sum(&self, term: InstId, constant: u64, ty: Ty) -> Option<(Option<InstId>, u64)> {
        if ty != Ty::Scalar(Scalar::U64) {
            let greatest = self.ranges.get(self.kernel, term)?.max + i128::from(constant);
            let Ty::Scalar(scalar) = ty else { return None };
            let limit = (1_i128 << scalar.bits()?) - 1;
            if greatest > limit {
                return None;
            }
        }
        let (term, more) = self.split_index(term);
        Some((term, more.wrapping_add(constant)))
    }

    /// Returns true if a cast of `value`, which is unsigned, to `ty` keeps it.
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

    /// Returns a power of two that divides `place`.
    fn alignment_of_base(&self, place: &AddressBase) -> u64 {
        let root = alignment_of(self.kernel, place.root);
        place.terms.iter().fold(root, |align, (term, stride)| {
            let zeros = trailing_zeros(self.kernel, *term).saturating_add(stride.trailing_zeros());
            align.min(1_u64.checked_shl(zeros).unwrap_or(u64::MAX))
        })
    }
}

/// Returns the number of low bits of an integer that are certainly zero.
pub fn trailing_zeros(kernel: &Kernel, id: InstId) -> u32 {
    let inst = &kernel.insts[id];
    if !matches!(inst.ty, Ty::Scalar(scalar) if scalar.is_int()) {
        // The bits of floats are no multiples of anything.
        0
    } else if let Op::Const(bits) = inst.op {
        bits.trailing_zeros()
    } else if let Op::Bounds { index: value, .. } | Op::Cast { value } = inst.op {
        trailing_zeros(kernel, value)
    } else if let Op::For { start, step, .. } = inst.op {
        trailing_zeros(kernel, start).min(trailing_zeros(kernel, step))
    } else if let Op::Binary { op, lhs, rhs } = inst.op {
        let (left, right) = (|| trailing_zeros(kernel, lhs), || trailing_zeros(kernel, rhs));
        if op == BinaryOp::Mul {
            left().saturating_add(right())
        } else if matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor) {
            left().min(right())
        } else if op == BinaryOp::And {
            left().max(right())
        } else if op == BinaryOp::Shl {
            let by = kernel.literal(rhs).and_then(|by| u32::try_from(by).ok());
            by.filter(|by| *by < 8).map_or(0, |by| left().saturating_add(by))
        } else {
            0
        }
    } else {
        0
    }
}

/// Returns true if each member is `size` bytes after the previous one.
fn are_consecutive(members: Option<&[(i64, InstId)]>, size: i64) -> bool {
    members.is_some_and(|members| {
        members.windows(2).all(|pair| pair[1].0.checked_sub(pair[0].0) == Some(size))
    })
}

/// Returns true if a request may overlap a member of `group`.
fn may_overlap(kernel: &Kernel, group: &OpenGroup, request: &ScalarAccess) -> bool {
    let space = kernel.space_of_root(group.place.root);
    match &request.address {
        // Slices that are written do not overlap others.
        Some((place, _)) => place.root == group.place.root && !group.is_adjacent_to(request),
        None => request.space == Some(space) && !is_constant(kernel, group),
    }
}

/// Returns true if the members load memory that no other thread writes, and that this thread does
/// not write in between.
fn is_constant(kernel: &Kernel, group: &OpenGroup) -> bool {
    kernel.is_read_only(group.place.root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    /// Each store is compared with all earlier ones, which must not take quadratic time.
    #[test]
    fn a_long_row_of_stores_is_vectors() {
        const STORES: usize = 20_000;
        let mut text = "kernel row { param arg0 = y: write [f32] !0
            %0 = param arg0 : ptr global !0
            %1 = const 1 : f32 !0\n"
            .to_owned();
        for store in 0..STORES {
            let (ptr, id) = (2 * store + 2, 2 * store + 3);
            // Every second element first, then the elements between.
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
