//! Problems: the buffers, arguments, launch and amount of work of a benchmark at one scale.
use crate::compare::Agreement;
use warpwise::{bf16, f16};
use warpwise_benches::Scale;

/// The data that a launch of either side needs.
pub(crate) struct Problem {
    /// Blocks along x, y and z.
    pub(crate) grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub(crate) block: [u32; 3],
    /// Arguments of the Rust kernel.
    pub(crate) rust: Vec<Arg>,
    /// Arguments of the CUDA C++ kernel.
    pub(crate) cuda: Vec<Arg>,
    /// The buffers of the arguments.
    pub(crate) buffers: Buffers,
    /// The work of a launch.
    pub(crate) work: Work,
}

/// The work of a launch, for rates.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// Bytes that must at least be read and written.
    Bytes(usize),
    /// Floating-point operations, two for a multiplication with an addition.
    Flops(usize),
    /// Results: pixels, options, keys.
    Items(usize),
}

impl Work {
    /// Returns the amount in a launch, and the unit of 10^9 a second.
    pub(crate) const fn amount(self) -> (usize, &'static str) {
        match self {
            Self::Bytes(bytes) => (bytes, "GB/s"),
            Self::Flops(flops) => (flops, "GFLOP/s"),
            Self::Items(items) => (items, "G/s"),
        }
    }
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arg {
    /// A scalar's bits, zero-extended.
    Bits(u64),
    /// A buffer: in Rust an address and a number of elements, in CUDA C++ an address.
    Buffer(BufferId),
}

impl From<f32> for Arg {
    fn from(value: f32) -> Self {
        Self::Bits(value.to_bits().into())
    }
}

impl From<u32> for Arg {
    fn from(value: u32) -> Self {
        Self::Bits(value.into())
    }
}

impl From<i32> for Arg {
    fn from(value: i32) -> Self {
        Self::Bits(value.cast_unsigned().into())
    }
}

impl From<usize> for Arg {
    fn from(value: usize) -> Self {
        Self::Bits(value as u64)
    }
}

impl From<BufferId> for Arg {
    fn from(buffer: BufferId) -> Self {
        Self::Buffer(buffer)
    }
}

/// Lists arguments. A `usize` takes 64 bits; CUDA C++ kernels take `n as i32`.
macro_rules! args {
    ($($arg:expr),* $(,)?) => {
        vec![$(crate::problem::Arg::from($arg)),*]
    };
}
pub(crate) use args;

/// A buffer in [`Buffers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferId(usize);

/// The buffers of a problem.
pub(crate) struct Buffers {
    scale: Scale,
    all: Vec<Buffer>,
}

/// A buffer, and its contents before and after the launch.
pub(crate) struct Buffer {
    /// Its contents before the launch.
    pub(crate) bytes: Vec<u8>,
    /// Bytes of an element of the Rust kernel's slice.
    pub(crate) element_bytes: usize,
    /// The numbers in an element.
    pub(crate) kind: Kind,
    /// Its contents after the launch, if they are compared.
    pub(crate) output: Option<Output>,
    /// True if every launch must find the initial contents.
    pub(crate) restored: bool,
}

/// A result.
pub(crate) struct Output {
    /// The agreement that results must have.
    pub(crate) agreement: Agreement,
    /// The result of plain Rust, at the small scale.
    pub(crate) expected: Option<Vec<u8>>,
}

/// A kind of number in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `f64`.
    F64,
    /// `f32`.
    F32,
    /// `f16`.
    F16,
    /// `bf16`.
    BF16,
    /// Integers of this many bytes.
    Integer(usize),
}

impl Kind {
    /// Returns the bytes of a number.
    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::F64 => 8,
            Self::F32 => 4,
            Self::F16 | Self::BF16 => 2,
            Self::Integer(bytes) => bytes,
        }
    }
}

/// An element of a buffer.
pub(crate) trait Element: Copy {
    /// The numbers in it.
    const KIND: Kind;

    /// Appends its bytes.
    fn write(self, bytes: &mut Vec<u8>);
}

macro_rules! elements {
    ($($ty:ty: $kind:expr,)*) => {
        $(impl Element for $ty {
            const KIND: Kind = $kind;

            fn write(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        })*
    };
}

elements! {
    u8: Kind::Integer(1),
    i8: Kind::Integer(1),
    u32: Kind::Integer(4),
    i32: Kind::Integer(4),
    u64: Kind::Integer(8),
    f16: Kind::F16,
    bf16: Kind::BF16,
    f32: Kind::F32,
    f64: Kind::F64,
}

/// A struct of numbers of one kind.
impl<T: Element, const N: usize> Element for [T; N] {
    const KIND: Kind = T::KIND;

    fn write(self, bytes: &mut Vec<u8>) {
        for number in self {
            number.write(bytes);
        }
    }
}

fn to_bytes<T: Element>(values: &[T]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size_of_val(values));
    for value in values {
        value.write(&mut bytes);
    }
    bytes
}

impl Buffers {
    /// Returns an empty list.
    pub(crate) const fn new(scale: Scale) -> Self {
        Self { scale, all: Vec::new() }
    }

    /// Adds a buffer that is only read, or whose contents after the launch do not matter.
    pub(crate) fn input<T: Element>(&mut self, values: &[T]) -> BufferId {
        let buffer = Buffer {
            bytes: to_bytes(values),
            element_bytes: size_of::<T>(),
            kind: T::KIND,
            output: None,
            restored: false,
        };
        self.all.push(buffer);
        BufferId(self.all.len() - 1)
    }

    /// Adds a buffer that holds `values` before a launch and the results of `expected` after it. At
    /// the large scale, compilers are compared with each other instead.
    pub(crate) fn output<T: Element>(
        &mut self,
        values: &[T],
        agreement: Agreement,
        expected: impl FnOnce() -> Vec<T>,
    ) -> BufferId {
        let id = self.input(values);
        let expected = (self.scale == Scale::Small).then(|| to_bytes(&expected()));
        self.all[id.0].output = Some(Output { agreement, expected });
        id
    }

    /// Has every launch find the initial contents of the buffer: for kernels whose work depends on
    /// them.
    pub(crate) fn restore(&mut self, id: BufferId) {
        self.all[id.0].restored = true;
    }

    /// Iterates over the buffers in the order in which they were added.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Buffer> {
        self.all.iter()
    }

    /// Returns true if plain Rust computed the results, as at the small scale.
    pub(crate) fn have_expected(&self) -> bool {
        self.scale == Scale::Small
    }

    /// Returns the index of a buffer in [`Self::iter`].
    pub(crate) const fn place(id: BufferId) -> usize {
        id.0
    }
}

impl Buffer {
    /// Returns the number of elements.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() / self.element_bytes
    }
}

/// Returns the grid of one-dimensional blocks that covers `n` threads.
pub(crate) fn cover(n: usize, block: usize) -> [u32; 3] {
    [n.div_ceil(block) as u32, 1, 1]
}
