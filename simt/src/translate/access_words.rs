//! In words of which sizes the bytes of each buffer are accessed.
//!
//! Elements that are structs are accessed a field at a time, in words of several sizes, and mostly
//! each byte in words of one size. That is what makes it possible to lay out the arrays of threads
//! word by word, and it is needed where threads of the host access a byte at the same time (see
//! [`crate::vector::memory`]). An address is taken modulo the size of an element: what is left are the
//! constants in it, and indices into arrays inside the element, between their limits.
use warpwise_compiler::{
    analysis::range::{self, Ranges},
    ir::{Access, Element, InstId, Kernel, Op, ParamKind, Root, Space, Ty},
};

/// The largest elements that are looked into.
const LARGEST: u64 = 1024;

/// What was found.
pub(super) struct Words {
    mixed: Vec<Root>,
}

impl Words {
    pub(super) fn of(kernel: &Kernel) -> Self {
        let bytes = buffers(kernel);
        if bytes.is_empty() {
            return Self { mixed: Vec::new() };
        }
        let mut survey = Survey { kernel, ranges: range::analyze(kernel), bytes };
        for (id, inst) in kernel.insts.iter() {
            if let Op::Load { ptr }
            | Op::AtomicLoad { ptr, .. }
            | Op::Atomic { ptr, .. }
            | Op::CompareExchange { ptr, .. } = inst.op
            {
                survey.access(ptr, size(kernel, id));
            } else if let Op::Store { ptr, value } | Op::AtomicStore { ptr, value, .. } = inst.op {
                survey.access(ptr, size(kernel, value));
            }
        }
        let mixed = survey.bytes.into_iter().filter(|(_, bytes)| bytes.is_mixed);
        Self { mixed: mixed.map(|(root, _)| root).collect() }
    }

    /// Whether some byte of the buffer may be accessed in words of several sizes.
    pub(super) fn are_mixed(&self, buffer: Root) -> bool {
        self.mixed.contains(&buffer)
    }
}

/// Bytes of what is loaded, stored or updated.
fn size(kernel: &Kernel, value: InstId) -> u64 {
    match kernel.insts[value].ty {
        Ty::Scalar(scalar) => scalar.size().map_or(0, u64::from),
        Ty::Ptr(_) | Ty::Unit => 0,
    }
}

/// The bytes of an element.
struct Bytes {
    /// How many.
    element: u64,
    /// In words of which size each is accessed; 0 if it is not.
    words: Vec<u64>,
    is_mixed: bool,
}

struct Survey<'k> {
    kernel: &'k Kernel,
    ranges: Ranges,
    bytes: Vec<(Root, Bytes)>,
}

/// The buffers for which it matters: arrays of threads, and structs that may be written.
fn buffers(kernel: &Kernel) -> Vec<(Root, Bytes)> {
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
        let words = vec![0; element.min(LARGEST) as usize];
        (root, Bytes { element, words, is_mixed: element > LARGEST })
    });
    bytes.collect()
}

impl Survey<'_> {
    fn access(&mut self, ptr: InstId, size: u64) {
        let root = self.kernel.root(ptr);
        let space = self.kernel.space(ptr);
        for index in 0..self.bytes.len() {
            let (of, Bytes { element, is_mixed, .. }) = self.bytes[index];
            if is_mixed {
                continue;
            }
            let places = match root {
                Some(root) if root == of => self.places(ptr, element),
                Some(_) => continue,
                None if space != Some(space_of(of)) => continue,
                None => (0..element).step_by(size.max(1) as usize).collect(),
            };
            self.bytes[index].1.add(&places, size);
        }
    }

    /// Where in an element of `element` bytes an address may point.
    fn places(&self, ptr: InstId, element: u64) -> Vec<u64> {
        let op = &self.kernel.insts[ptr].op;
        let (base, stride, count) = if let Op::Offset { base, offset } = op {
            let offset = offset.known().unwrap_or(0);
            let places = self.places(*base, element);
            return places.into_iter().map(|place| (place + offset % element) % element).collect();
        } else if let Op::Index { base, index, stride } = op {
            let last = self.ranges.get(self.kernel, *index).map(|range| range.max);
            let count = last
                .and_then(|last| u64::try_from(last).ok())
                .map_or(u64::MAX, |last| last.saturating_add(1));
            (*base, stride.known().unwrap_or(1), count)
        } else {
            return vec![0];
        };
        // After so many strides the places repeat.
        let period = element / gcd(element, stride % element);
        let mut places: Vec<u64> = self
            .places(base, element)
            .into_iter()
            .flat_map(|place| {
                (0..period.min(count)).map(move |i| (place + i * (stride % element)) % element)
            })
            .collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

impl Bytes {
    /// Notes words of `size` bytes at `places`.
    fn add(&mut self, places: &[u64], size: u64) {
        // Words of one size are the same or apart, if they lie at multiples of it.
        self.is_mixed |= size == 0 || !self.element.is_multiple_of(size);
        for place in places {
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

/// The greatest common divisor; the other if one is 0.
const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
