//! Lowering of views of shared memory as vectors: `tile.as_vectors::<F32x4>()`.
//!
//! A view is a slice of the same memory with wider elements. It begins at a multiple of a vector's
//! alignment and has no rest: so each vector is one access, and the view means what a reference to
//! vectors means in Rust. Known lengths and addresses are compared here, all others by the kernel.
use crate::{
    hir::{Expr, SpanId},
    lower::{Diverged, Flow, Length, Lowerer, Memory, Place, Pointer, Value},
    types::{mono::Mono, vector::Vector},
};
use warpwise_compiler::{
    analysis::vectors::trailing_zeros,
    ir::{BinaryOp, CompareOp, Extent, InstId, Op, Scalar},
};

/// The message for a view of other memory, and its help.
const NOT_SHARED: [&str; 2] = [
    "kernel code can view only the shared memory of the block as vectors, and this is not there",
    "take a slice of vectors, `x: &[F32x4]`, for which the host calls `as_vectors`",
];
/// The text of the fault of a slice that begins between two vectors.
const MISALIGNED: &str = "a slice that is viewed as vectors begins between two of them";
/// The text of the fault of a slice that has a rest.
const NOT_WHOLE: &str = "{0} elements are no whole number of vectors with {1} lanes";

impl Lowerer<'_> {
    /// Lowers `slice.as_vectors()`.
    pub(crate) fn lower_vector_view(&mut self, slice: &Expr, expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let vector = self.viewed_vector(slice, expr)?;
        let Value::Ref(place) = self.lower_value(slice)? else {
            return Err(self.report_bug(slice.at));
        };
        let Place::Memory(memory) = *place else { return Err(self.report_view(NOT_SHARED, at)) };
        let len = Some(self.count_vectors(&memory, vector, at)?);
        self.check_view_start(&memory, vector, at)?;
        Ok(Value::Ref(Box::new(Place::Memory(Memory { len, ..memory }))))
    }

    /// Returns the vector type of a view, whose lanes have the type of the elements.
    fn viewed_vector(&mut self, slice: &Expr, expr: &Expr) -> Flow<Vector> {
        let elem = self.referenced_element(slice)?;
        let vector = match self.referenced_element(expr)? {
            Mono::Adt(item, _) => self.program.vector(item),
            _ => None,
        };
        match (vector, elem) {
            (Some(vector), Mono::Prim(lane)) if vector.lane == lane => Ok(vector),
            _ => {
                let fact = "a view of a slice has vectors whose lanes are its elements";
                self.errors.mistyped(self.source_range(expr.at), fact);
                Err(Diverged)
            }
        }
    }

    /// Returns the type of the elements of the slice to which an expression refers.
    fn referenced_element(&mut self, reference: &Expr) -> Flow<Mono> {
        match self.mono_type(reference.ty, reference.at)? {
            Mono::Ref { to, .. } => match *to {
                Mono::Slice(elem) => Ok((*elem).clone()),
                _ => Err(self.report_bug(reference.at)),
            },
            _ => Err(self.report_bug(reference.at)),
        }
    }

    /// Reports memory that is not shared, and a start that is not certainly aligned. A start that
    /// depends on a type or constant parameter is compared once that is known.
    fn check_view_start(&mut self, memory: &Memory, vector: Vector, at: SpanId) -> Flow<()> {
        let align = u64::from(vector.align());
        let mut ptr = match memory.ptr {
            Pointer::Shared(_) => return Ok(()),
            Pointer::Param(_) | Pointer::Array(_) => return Err(self.report_view(NOT_SHARED, at)),
            Pointer::Inst(ptr) => ptr,
        };
        let mut unknown = Vec::new();
        loop {
            let kernel = &self.build.kernel;
            let (base, step, multiple) = match &kernel.insts[ptr].op {
                Op::Shared(_) => break,
                Op::Param(_) | Op::Array(_) => return Err(self.report_view(NOT_SHARED, at)),
                Op::MapShared { ptr: base, .. } => (*base, Extent::Const(0), 1),
                Op::Offset { base, offset } => (*base, offset.clone(), 1),
                Op::Index { base, index, stride } => {
                    let zeros = trailing_zeros(kernel, *index);
                    (*base, stride.clone(), 1_u64.checked_shl(zeros).unwrap_or(align))
                }
                _ => return Err(self.report_misaligned(vector, at)),
            };
            match step.known() {
                Some(step) if step.wrapping_mul(multiple).is_multiple_of(align) => {}
                Some(_) => return Err(self.report_misaligned(vector, at)),
                None => unknown.push(step),
            }
            ptr = base;
        }
        for step in unknown {
            let step = self.lower_extent(&step, Scalar::U64, at);
            let is_aligned = self.is_multiple(step, align, at);
            self.panic_unless(is_aligned, MISALIGNED, at)?;
        }
        Ok(())
    }

    /// Returns the number of vectors in a slice; reports a rest, or ends the thread if only the
    /// kernel knows it.
    fn count_vectors(&mut self, memory: &Memory, vector: Vector, at: SpanId) -> Flow<Length> {
        let lanes = vector.lanes as u64;
        if let Some(Length::Extent(len)) = &memory.len
            && let Some(len) = len.known()
        {
            if !len.is_multiple_of(lanes) {
                let name = vector.name();
                self.errors.advise(
                    self.source_range(at),
                    format_args!(
                        "{len} elements are no whole number of `{name}`, which have {lanes} lanes"
                    ),
                    format_args!(
                        "view a part, `tile[..{}]`, or change the length",
                        len / lanes * lanes
                    ),
                );
                return Err(Diverged);
            }
            return Ok(Length::Extent((len / lanes).into()));
        }
        let len = self.slice_length(memory, at)?;
        let is_whole = self.is_multiple(len, lanes, at);
        let lane_count = self.push_bits(lanes, Scalar::U64, at);
        self.panic_unless_with(is_whole, (NOT_WHOLE, &[len, lane_count]), at)?;
        Ok(Length::Inst(self.push_binary(BinaryOp::Div, len, lane_count, Scalar::U64, at)))
    }

    /// Compares a number (`u64`) with the multiples of `divisor`.
    fn is_multiple(&mut self, number: InstId, divisor: u64, at: SpanId) -> InstId {
        let divisor = self.push_bits(divisor, Scalar::U64, at);
        let rest = self.push_binary(BinaryOp::Rem, number, divisor, Scalar::U64, at);
        let zero = self.push_bits(0, Scalar::U64, at);
        self.push_compare(CompareOp::Eq, rest, zero, at)
    }

    fn report_misaligned(&mut self, vector: Vector, at: SpanId) -> Diverged {
        let (name, align, lanes) = (vector.name(), vector.align(), vector.lanes);
        self.errors.advise(
            self.source_range(at),
            format_args!(
                "a `{name}` begins at a multiple of {align} bytes, and this slice may begin elsewhere"
            ),
            format_args!(
                "view the whole array, and add the start to the indices: \
                 `tile.as_vectors::<{name}>()[start / {lanes} + i]`"
            ),
        );
        Diverged
    }

    fn report_view(&mut self, [fact, help]: [&str; 2], at: SpanId) -> Diverged {
        self.errors.advise(self.source_range(at), fact, help);
        Diverged
    }
}
