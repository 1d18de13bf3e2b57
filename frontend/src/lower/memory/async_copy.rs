//! Lowering of asynchronous copies.
//!
//! A value is copied in words as large as its alignment, up to 16 bytes: buffers and shared arrays
//! promise no more than the alignment of their elements.
use super::layout::Layout;
use crate::{
    hir::{Expr, SpanId},
    lower::{Diverged, Flow, Lowerer, Place, Value},
    types::{Type, mono::Mono},
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, CopyOp, Extent, InstId, Op, Space},
};

/// The least and the greatest number of bytes that one instruction copies.
const WORD_BYTES: [u64; 2] = [4, 16];
/// The alignment of both ends of a bulk copy, in bytes.
const BULK_ALIGN: u64 = 16;
/// The message for a destination that is not in shared memory, and its help.
pub(super) const NOT_TO_SHARED: [&str; 2] = [
    "an asynchronous copy goes to the shared memory of the block, and this is not there",
    "refer to an element of `shared!(..)` or `shared_dyn!(..)`: `&mut tile[i]`",
];
/// The message for a source that is not in global memory, and its help.
const NOT_FROM_GLOBAL: [&str; 2] = [
    "an asynchronous copy reads a buffer of the device, and this is not in one",
    "refer to an element of a slice that the kernel takes without `#[constant]`, `&x[i]`; values in \
     constant memory and in variables are read as usual",
];

/// The message for a source of a store that is not in shared memory, and its help.
pub(super) const NOT_FROM_SHARED: [&str; 2] = [
    "a store in bulk reads the shared memory of the block, and this is not there",
    "refer to an element of `shared!(..)` or `shared_dyn!(..)`: `&tile[i]`",
];
/// The message for a destination of a store that is not in global memory, and its help.
const NOT_TO_GLOBAL: [&str; 2] = [
    "a store in bulk writes a buffer of the device, and this is not in one",
    "refer to an element of a slice that the kernel takes as `&mut [T]`, `&mut y[i]`",
];

impl Lowerer<'_> {
    /// Lowers `async_copy::copy(to, from)`.
    pub(crate) fn lower_async_copy(&mut self, args: &[Expr], expr: &Expr) -> Flow<Value> {
        let ([to, from], at) = (args, expr.at) else { return Err(self.report_bug(expr.at)) };
        let Type::Ref { to: copied, .. } = self.type_of(from.ty) else {
            return Err(self.report_bug(at));
        };
        let mono = self.mono_type(copied, at)?;
        let to = self.lower_copied_address(to, NOT_TO_SHARED)?;
        let from = self.lower_copied_address(from, NOT_FROM_GLOBAL)?;
        if let (Some(to), Some(from)) = (to, from) {
            // What cannot be copied is reported, and so are the mistakes after it.
            let _ = self.copy_value([to, from], &mono, at);
        }
        Ok(Value::Unit)
    }

    /// Begins to copy a value of this type from the second to the first of two addresses.
    fn copy_value(&mut self, ends: [InstId; 2], mono: &Mono, at: SpanId) -> Flow<()> {
        let Layout { size, align } = self.layout_of(mono, at)?;
        if let (Some(size), Some(align)) = (size.known(), align.known()) {
            let word = self.copy_word(align, at)?;
            let count = Extent::Const(size / word);
            return self.for_each_index(&count, at, |this, index| {
                let ends = ends.map(|base| this.address_of(base, index, word.into(), at));
                this.push_copy(ends, word.into(), at);
                Ok(())
            });
        }
        // Only a specialized kernel knows the size: the value is copied part by part.
        if let Mono::Generic(_) = mono {
            self.push_copy(ends, size, at);
            return Ok(());
        }
        if let Mono::Array(elem, len) = mono {
            let (stride, len) = (self.stride_of(elem, at)?, self.simplify_extent(len, at)?);
            return self.for_each_index(&len, at, |this, index| {
                let ends = ends.map(|base| this.address_of(base, index, stride.clone(), at));
                this.copy_value(ends, elem, at)
            });
        }
        let Some(parts) = self.part_types(mono, at)? else {
            self.errors.advise(
                self.source_range(at),
                "kernel code cannot copy an enum asynchronously whose size depends on a type \
                 parameter",
                "copy it with `=`",
            );
            return Err(Diverged);
        };
        let (offsets, _) = self.field_offsets(&parts, at)?;
        for (part, offset) in parts.iter().zip(offsets) {
            let ends = ends.map(|base| {
                let ty = self.build.kernel.insts[base].ty;
                self.push_inst(at, Op::Offset { base, offset: offset.clone() }, ty)
            });
            self.copy_value(ends, part, at)?;
        }
        Ok(())
    }

    fn push_copy(&mut self, [to, from]: [InstId; 2], bytes: Extent, at: SpanId) {
        self.push_inst(at, Op::Copy(CopyOp::AsyncCopy { to, from, bytes }), ir::Ty::Unit);
    }

    fn address_of(&mut self, base: InstId, index: InstId, stride: Extent, at: SpanId) -> InstId {
        let ty = self.build.kernel.insts[base].ty;
        self.push_inst(at, Op::Index { base, index, stride }, ty)
    }

    /// Lowers `words::bulk_copy(barrier, to, from)`.
    pub(crate) fn lower_bulk_copy(
        &mut self,
        barrier: InstId,
        args: &[Expr],
        expr: &Expr,
    ) -> Flow<Value> {
        let ([_, to, from], at) = (args, expr.at) else { return Err(self.report_bug(expr.at)) };
        let Type::Ref { to: copied, .. } = self.type_of(from.ty) else {
            return Err(self.report_bug(at));
        };
        let mono = self.mono_type(copied, at)?;
        let to = self.lower_copied_address(to, NOT_TO_SHARED)?;
        let from = self.lower_copied_address(from, NOT_FROM_GLOBAL)?;
        let size = self.bulk_size(&mono, at)?;
        if let (Some(to), Some(from)) = (to, from) {
            self.push_inst(
                at,
                Op::Copy(CopyOp::BulkCopy { to, from, bytes: size, barrier }),
                ir::Ty::Unit,
            );
        }
        Ok(Value::Unit)
    }

    /// Lowers `bulk_store::store(to, from)`.
    pub(crate) fn lower_bulk_store(&mut self, args: &[Expr], expr: &Expr) -> Flow<Value> {
        let ([to, from], at) = (args, expr.at) else { return Err(self.report_bug(expr.at)) };
        let Type::Ref { to: copied, .. } = self.type_of(from.ty) else {
            return Err(self.report_bug(at));
        };
        let mono = self.mono_type(copied, at)?;
        let to = self.lower_copied_address(to, NOT_TO_GLOBAL)?;
        let from = self.lower_copied_address(from, NOT_FROM_SHARED)?;
        let size = self.bulk_size(&mono, at)?;
        if let (Some(to), Some(from)) = (to, from) {
            self.push_inst(at, Op::Copy(CopyOp::BulkStore { to, from, bytes: size }), ir::Ty::Unit);
        }
        Ok(Value::Unit)
    }

    /// Returns the bytes of a value that is copied in bulk; reports one that cannot be.
    fn bulk_size(&mut self, mono: &Mono, at: SpanId) -> Flow<Extent> {
        let Layout { size, align } = self.layout_of(mono, at)?;
        let is_aligned = align.known().is_some_and(|align| align.is_multiple_of(BULK_ALIGN));
        if !is_aligned || size.known().is_some_and(|bytes| !CopyOp::is_bulk_size(bytes)) {
            self.report_unaligned_bulk_copy([size, align], at);
            return Err(Diverged);
        }
        Ok(size)
    }

    fn report_unaligned_bulk_copy(&mut self, layout: [Extent; 2], at: SpanId) {
        let fact = match layout.map(|extent| extent.known()) {
            [Some(size), Some(align)] => format!(
                "a bulk copy moves a multiple of 16 bytes, aligned to 16, and this value has {size} \
                 bytes, aligned to {align}"
            ),
            _ => "a bulk copy moves a value that is aligned to 16 bytes, and a type parameter decides \
                  about the alignment of this one"
                .to_owned(),
        };
        self.errors.advise(
            self.source_range(at),
            fact,
            "copy arrays of vectors, such as `[F32x4; 64]`; `as_vectors` makes them of numbers on the \
             host",
        );
    }

    /// Returns the address to which a reference refers; reports a value in registers, which has
    /// none.
    pub(super) fn lower_copied_address(
        &mut self,
        reference: &Expr,
        [fact, help]: [&str; 2],
    ) -> Flow<Option<InstId>> {
        let Value::Ref(place) = self.lower_value(reference)? else {
            return Err(self.report_bug(reference.at));
        };
        let Place::Memory(memory) = *place else {
            self.errors.advise(self.source_range(reference.at), fact, help);
            return Ok(None);
        };
        Ok(Some(self.pointer_inst(memory.ptr, reference.at)))
    }

    /// Returns the bytes of the words in which a value of this alignment is copied.
    fn copy_word(&mut self, align: u64, at: SpanId) -> Flow<u64> {
        let [least, most] = WORD_BYTES;
        if align < least {
            let bytes = if align == 1 { "1 byte" } else { "2 bytes" };
            self.errors.advise(
                self.source_range(at),
                format_args!(
                    "an asynchronous copy moves words of 4, 8 or 16 bytes, and this value is \
                     aligned to {bytes}"
                ),
                "copy it with `=`, or take slices of vectors such as `U8x4` or `F16x2`",
            );
            return Err(Diverged);
        }
        Ok(align.min(most))
    }

    /// Reports asynchronous copies between other memories than they connect, once the memory of
    /// every address is known.
    pub(crate) fn check_async_copies(&mut self) {
        let kernel = &self.build.kernel;
        let mut wrong = Vec::new();
        for (_, inst) in kernel.insts.iter() {
            let ends = match inst.op {
                Op::Copy(
                    CopyOp::AsyncCopy { to, from, .. } | CopyOp::BulkCopy { to, from, .. },
                ) => [
                    Some((to, Space::Shared, NOT_TO_SHARED)),
                    Some((from, Space::Global, NOT_FROM_GLOBAL)),
                ],
                Op::Copy(CopyOp::BulkStore { to, from, .. }) => [
                    Some((to, Space::Global, NOT_TO_GLOBAL)),
                    Some((from, Space::Shared, NOT_FROM_SHARED)),
                ],
                Op::Copy(CopyOp::TensorCopy { to, .. }) => {
                    [Some((to, Space::Shared, NOT_TO_SHARED)), None]
                }
                Op::Copy(CopyOp::TensorStore { from, .. }) => {
                    [Some((from, Space::Shared, NOT_FROM_SHARED)), None]
                }
                _ => continue,
            };
            for (mut at, space, message) in ends.into_iter().flatten() {
                // The address of a word is where the copy is, that of the value where the argument
                // is.
                while let Op::Index { base, .. } | Op::Offset { base, .. } = kernel.insts[at].op
                    && kernel.insts[at].span == inst.span
                {
                    at = base;
                }
                let found = (kernel.insts[at].span, message);
                if kernel.insts[at].ty != ir::Ty::Ptr(space) && !wrong.contains(&found) {
                    wrong.push(found);
                }
            }
        }
        for (span, [fact, help]) in wrong {
            self.errors.advise(self.spans[span.index()], fact, help);
        }
    }
}
