//! Word sizes in which the bytes of each buffer are accessed.
//!
//! Elements that are structs are accessed a field at a time, in words of several sizes, and mostly
//! each byte in words of one size. That makes it possible to lay out thread-local arrays word by
//! word, and is required where threads of the host access a byte at the same time (see
//! [`crate::vector::memory`]). The analysis takes an address modulo the size of an element; that
//! leaves the constants in it and, between their limits, indices into arrays inside the element.
use crate::bytecode::COPY_WORD_BYTES;
use warpwise_compiler::{
    analysis::range::{self, Ranges},
    ir::{Access, CopyOp, Element, InstId, Kernel, Op, ParamKind, Root, Space, Ty},
};

/// The largest elements that are analyzed, in bytes.
const MAX_ELEMENT_BYTES: u64 = 1024;

/// The buffers with bytes that are accessed in words of several sizes.
pub(super) struct AccessWords {
    mixed: Vec<Root>,
}

impl AccessWords {
    pub(super) fn analyze(kernel: &Kernel) -> Self {
        let bytes = buffers_to_analyze(kernel);
        if bytes.is_empty() {
            return Self { mixed: Vec::new() };
        }
        let mut survey = Survey { kernel, ranges: range::analyze(kernel), bytes };
        for (id, inst) in kernel.insts.iter() {
            if let Op::Load { ptr, .. }
            | Op::AtomicLoad { ptr, .. }
            | Op::Atomic { ptr, .. }
            | Op::CompareExchange { ptr, .. } = inst.op
            {
                survey.record_access(ptr, access_size(kernel, id));
            } else if let Op::Store { ptr, value, .. } | Op::AtomicStore { ptr, value, .. } =
                inst.op
            {
                survey.record_access(ptr, access_size(kernel, value));
            } else if let Op::Copy(
                CopyOp::AsyncCopy { from, ref bytes, .. }
                | CopyOp::BulkCopy { from, ref bytes, .. }
                | CopyOp::BulkStore { to: from, ref bytes, .. },
            ) = inst.op
            {
                survey.record_words(from, bytes.known().unwrap_or(0));
            }
        }
        let mixed = survey.bytes.into_iter().filter(|(_, bytes)| bytes.is_mixed);
        Self { mixed: mixed.map(|(root, _)| root).collect() }
    }

    /// Returns true if some byte of the buffer may be accessed in words of several sizes.
    pub(super) fn are_mixed(&self, buffer: Root) -> bool {
        self.mixed.contains(&buffer)
    }
}

/// Returns the size in bytes of a loaded, stored or updated value.
fn access_size(kernel: &Kernel, value: InstId) -> u64 {
    match kernel.insts[value].ty {
        Ty::Scalar(scalar) => scalar.size().map_or(0, u64::from),
        Ty::Ptr(_) | Ty::Unit => 0,
    }
}

/// The bytes of an element.
struct ElementBytes {
    /// Size of the element.
    element: u64,
    /// Per byte, the size of the words that access it; 0 if none does.
    words: Vec<u64>,
    is_mixed: bool,
}

struct Survey<'k> {
    kernel: &'k Kernel,
    ranges: Ranges,
    bytes: Vec<(Root, ElementBytes)>,
}

/// Returns the buffers to analyze: thread-local arrays, and structs that may be written.
fn buffers_to_analyze(kernel: &Kernel) -> Vec<(Root, ElementBytes)> {
    let params = kernel.params.iter().filter_map(|(id, param)| match &param.kind {
        ParamKind::Slice {
            elem: elem @ Element::Plain { .. },
            access: Access::Write | Access::Atomic,
        } => Some((Root::Param(id), elem)),
        ParamKind::Slice { .. } | ParamKind::Scalar(_) => None,
    });
    let arrays = kernel.arrays.iter().map(|(id, array)| (Root::Array(id), &array.elem));
    let bytes = params.chain(arrays).map(|(root, elem)| {
        let element = elem.size().unwrap_or(0);
        let words = vec![0; element.min(MAX_ELEMENT_BYTES) as usize];
        (root, ElementBytes { element, words, is_mixed: element > MAX_ELEMENT_BYTES })
    });
    bytes.collect()
}

impl Survey<'_> {
    fn record_access(&mut self, ptr: InstId, size: u64) {
        self.record_accesses(ptr, size, 1);
    }

    /// Records the access of an asynchronous copy, which goes word by word.
    fn record_words(&mut self, from: InstId, bytes: u64) {
        self.record_accesses(from, COPY_WORD_BYTES, bytes / COPY_WORD_BYTES);
    }

    /// Records accesses to `count` neighbouring words of `size` bytes.
    fn record_accesses(&mut self, ptr: InstId, size: u64, count: u64) {
        let root = self.kernel.root(ptr);
        let space = self.kernel.space(ptr);
        for index in 0..self.bytes.len() {
            let (of, ElementBytes { element, is_mixed, .. }) = self.bytes[index];
            if is_mixed {
                continue;
            }
            let mut offsets_in_element = match root {
                Some(root) if root == of => self.offsets_in_element(ptr, element),
                Some(_) => continue,
                None if space != Some(space_of(of)) => continue,
                None => (0..element).step_by(size.max(1) as usize).collect(),
            };
            for _ in 0..count {
                self.bytes[index].1.record_words(&offsets_in_element, size);
                offsets_in_element.iter_mut().for_each(|place| *place += size);
            }
        }
    }

    /// Returns the offsets in an element of `element` bytes that an address may have.
    fn offsets_in_element(&self, ptr: InstId, element: u64) -> Vec<u64> {
        let op = &self.kernel.insts[ptr].op;
        let (base, stride, count) = if let Op::Offset { base, offset } = op {
            let offset = offset.known().unwrap_or(0);
            let offsets_in_element = self.offsets_in_element(*base, element);
            return offsets_in_element
                .into_iter()
                .map(|place| (place + offset % element) % element)
                .collect();
        } else if let Op::Index { base, index, stride } = op {
            let last = self.ranges.get(self.kernel, *index).map(|range| range.max);
            let count = last
                .and_then(|last| u64::try_from(last).ok())
                .map_or(u64::MAX, |last| last.saturating_add(1));
            (*base, stride.known().unwrap_or(1), count)
        } else {
            return vec![0];
        };
        // After `period` strides the offsets repeat.
        let period = element / gcd(element, stride % element);
        let mut offsets_in_element: Vec<u64> = self
            .offsets_in_element(base, element)
            .into_iter()
            .flat_map(|place| {
                (0..period.min(count)).map(move |i| (place + i * (stride % element)) % element)
            })
            .collect();
        offsets_in_element.sort_unstable();
        offsets_in_element.dedup();
        offsets_in_element
    }
}

impl ElementBytes {
    /// Records words of `size` bytes at `offsets`.
    fn record_words(&mut self, offsets_in_element: &[u64], size: u64) {
        // Words of one size are equal or disjoint if they are aligned to it.
        self.is_mixed |= size == 0 || !self.element.is_multiple_of(size);
        for place in offsets_in_element {
            for byte in *place..place + size {
                let Some(word) = self.words.get_mut(byte as usize) else {
                    self.is_mixed = true;
                    continue;
                };
                self.is_mixed |= *word != 0 && *word != size;
                *word = size;
            }
        }
    }
}

const fn space_of(root: Root) -> Space {
    match root {
        Root::Param(_) => Space::Global,
        Root::Shared(_) => Space::Shared,
        Root::Array(_) => Space::Local,
    }
}

/// Returns the greatest common divisor; the other number if one is 0.
const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
