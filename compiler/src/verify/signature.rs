//! Rules on what a kernel declares, and on types and extents wherever they stand.
use super::Errors;
use crate::ir::{
    Access, ArrayId, CoarseGrid, Coarsening, CopyOp, Element, Extent, GenericKind, Inst, Kernel,
    Length, MAX_CLUSTER_BLOCKS, MAX_DEPTH, MAX_MIN_BLOCKS, MatrixOp, Op, Param, ParamId, ParamKind,
    Requirement, Scalar, Shared, Size, SyncOp, Ty, WarpOp,
};

pub(super) fn check(kernel: &Kernel, errors: &mut Errors<'_>) {
    name(kernel, errors);
    generics(kernel, errors);
    params(kernel, errors);
    requires(kernel, errors);
    memory(kernel, errors);
    coarsening(kernel, errors);
    cluster(kernel, errors);
    insts(kernel, errors);
}

fn coarsening(kernel: &Kernel, errors: &mut Errors<'_>) {
    let Some(Coarsening { grid: CoarseGrid { factor, .. }, threads }) = kernel.coarsening else {
        return;
    };
    if !(1..=CoarseGrid::MAX_FACTOR).contains(&factor) {
        errors.signature(format!("a coarsening factor of {factor}"));
    }
    let loops = |inst: &Inst| matches!(inst.op, Op::For { .. }) && inst.ty == Scalar::U32.into();
    if !kernel.insts.get(threads).is_some_and(loops) {
        errors.signature(format!("threads are run by {threads}, which is no `for` over `u32`"));
    }
}

fn cluster(kernel: &Kernel, errors: &mut Errors<'_>) {
    let Some(dims) = kernel.cluster else { return };
    let blocks = dims.iter().map(|dim| u64::from(*dim)).fold(1, u64::saturating_mul);
    if !(1..=u64::from(MAX_CLUSTER_BLOCKS)).contains(&blocks) {
        errors.signature(format!("a cluster of {blocks} blocks"));
    }
    if kernel.cooperative {
        errors.signature("a cooperative kernel with clusters".into());
    }
    if kernel.coarsening.is_some() {
        errors.signature("a coarsened kernel with clusters".into());
    }
}

fn name(kernel: &Kernel, errors: &mut Errors<'_>) {
    let name = &kernel.name;
    // Which other characters identifiers have (`col·lecció`) only Unicode's tables tell.
    let is_part = |c: char| {
        c.is_alphanumeric() || c == '_' || !c.is_ascii() && !c.is_whitespace() && !c.is_control()
    };
    let starts = name.starts_with(|c: char| !c.is_ascii_digit());
    if !starts || !name.chars().all(is_part) || name == "_" {
        errors.signature(format!("the kernel's name `{name}` is no identifier"));
    }
}

fn generics(kernel: &Kernel, errors: &mut Errors<'_>) {
    for (id, generic) in kernel.generics.iter() {
        match generic.kind {
            GenericKind::Type(_) => {}
            GenericKind::Const(Scalar::Generic(ty)) => {
                errors.signature(format!("the type of {id} is the generic parameter {ty}"));
            }
            GenericKind::Const(_) => {}
        }
    }
}

fn params(kernel: &Kernel, errors: &mut Errors<'_>) {
    for (id, Param { kind, .. }) in kernel.params.iter() {
        let (messages, atomic) = match kind {
            ParamKind::Scalar(scalar) => (Vec::from_iter(scalar_error(kernel, *scalar)), None),
            ParamKind::Slice { elem, access } => (
                element_errors(kernel, elem, Element::MAX_ALIGN),
                (*access == Access::Atomic).then_some(elem),
            ),
        };
        for message in messages {
            errors.signature(format!("{id}: {message}"));
        }
        if let Some(elem) = atomic.filter(|elem| elem.scalar().is_some_and(|it| !is_atomic(it))) {
            errors.signature(format!("{id} is atomic, which elements of type `{elem}` cannot be"));
        }
    }
}

fn requires(kernel: &Kernel, errors: &mut Errors<'_>) {
    for Requirement { cond, .. } in &kernel.requires {
        let message = match size_type(kernel, cond, MAX_DEPTH) {
            Ok(Scalar::Bool) => continue,
            Ok(scalar) => format!("the requirement {cond} is a `{scalar}` and must be a `bool`"),
            Err(message) => message,
        };
        errors.signature(message);
    }
}

fn memory(kernel: &Kernel, errors: &mut Errors<'_>) {
    if let Some(blocks) = kernel.min_blocks {
        if !(1..=MAX_MIN_BLOCKS).contains(&blocks) {
            errors.signature(format!("min_blocks {blocks} is not within 1..={MAX_MIN_BLOCKS}"));
        }
        if kernel.block.is_none() {
            errors.signature("min_blocks needs the threads of a block".to_owned());
        }
    }
    for extent in kernel.block.iter().flatten() {
        if let Some(message) = extent_error(kernel, extent) {
            errors.signature(format!("block: {message}"));
        }
    }
    for (id, shared) in kernel.shared.iter() {
        let elem = element_errors(kernel, &shared.elem, Element::MAX_SHARED_ALIGN);
        let len = match &shared.len {
            Length::Fixed(extent) => extent_error(kernel, extent),
            Length::Launch(size) => launch_error(kernel, size),
        };
        let arrivals = shared.arrivals.as_ref();
        let arrivals = arrivals.and_then(|arrivals| mbarrier_error(kernel, shared, arrivals));
        for message in elem.into_iter().chain(len).chain(arrivals) {
            errors.signature(format!("{id}: {message}"));
        }
    }
    for (id, array) in kernel.arrays.iter() {
        let elem = element_errors(kernel, &array.elem, Element::MAX_SHARED_ALIGN);
        for message in elem.into_iter().chain(extent_error(kernel, &array.len)) {
            errors.signature(format!("{id}: {message}"));
        }
        if let Some(message) = array.passed.and_then(|param| passed_error(kernel, id, param)) {
            errors.signature(format!("{id}: {message}"));
        }
    }
    for (id, local) in kernel.locals.iter() {
        if local.ty == Ty::Unit {
            errors.signature(format!("{id} is a `unit`"));
        }
        if let Some(message) = ty_error(kernel, local.ty) {
            errors.signature(format!("{id}: {message}"));
        }
    }
}

/// Returns the problem of an array of mbarriers.
fn mbarrier_error(kernel: &Kernel, shared: &Shared, arrivals: &Extent) -> Option<String> {
    if shared.elem.scalar() != Some(Scalar::U64) || !matches!(shared.len, Length::Fixed(_)) {
        return Some("mbarriers are `u64`, in an array of a fixed length".into());
    }
    let wrong = arrivals.known().filter(|count| !SyncOp::is_mbarrier_count(*count));
    let message = wrong.map(|count| format!("no mbarrier is for {count} arrivals"));
    message.or_else(|| extent_error(kernel, arrivals))
}

/// Returns the problem of an array that is passed by `param`.
fn passed_error(kernel: &Kernel, array: ArrayId, param: ParamId) -> Option<String> {
    let elem = kernel.arrays[array].elem.scalar();
    let scalar = match kernel.params.get(param).map(|param| &param.kind) {
        Some(ParamKind::Scalar(scalar)) => Some(*scalar),
        Some(ParamKind::Slice { .. }) | None => None,
    };
    let others = kernel.arrays.iter().filter(|(id, _)| *id != array);
    let is_read = |inst: &Inst| matches!(inst.op, Op::Param(id) if id == param);
    if elem.is_none() || elem != scalar {
        Some(format!("its elements are passed by {param}, which is no scalar of their type"))
    } else if others.into_iter().any(|(_, other)| other.passed == Some(param))
        || kernel.insts.iter().any(|(_, inst)| is_read(inst))
    {
        Some(format!("it is passed by {param}, which others name"))
    } else if kernel.is_closed() {
        Some("it is passed, and its length is known".into())
    } else {
        None
    }
}

/// Types and extents inside instructions.
fn insts(kernel: &Kernel, errors: &mut Errors<'_>) {
    for (id, inst) in kernel.insts.iter() {
        if let Some(message) = ty_error(kernel, inst.ty) {
            errors.inst(id, message);
        }
        if let Op::Index { stride: extent, .. }
        | Op::Offset { offset: extent, .. }
        | Op::Copy(
            CopyOp::AsyncCopy { bytes: extent, .. }
            | CopyOp::BulkCopy { bytes: extent, .. }
            | CopyOp::BulkStore { bytes: extent, .. }
            | CopyOp::BulkWait { pending: extent, .. }
            | CopyOp::AsyncWait { pending: extent },
        )
        | Op::Matrix(
            MatrixOp::Wgmma { columns: extent, .. } | MatrixOp::WgmmaWait { pending: extent, .. },
        )
        | Op::Warp(WarpOp::Shuffle { width: extent, .. }) = &inst.op
            && let Some(message) = extent_error(kernel, extent)
        {
            errors.inst(id, message);
        }
        if let Op::Copy(CopyOp::TensorCopy { shape, .. } | CopyOp::TensorStore { shape, .. }) =
            &inst.op
        {
            let messages = shape.numbers().filter_map(|extent| extent_error(kernel, extent));
            messages.for_each(|message| errors.inst(id, message));
        }
        if let Op::Sync(SyncOp::NamedBarrier { id: number, threads, .. }) = &inst.op {
            let messages = [number, threads].map(|extent| extent_error(kernel, extent));
            messages.into_iter().flatten().for_each(|message| errors.inst(id, message));
        }
    }
}

/// True for the types that have atomic operations.
pub(super) const fn is_atomic(scalar: Scalar) -> bool {
    matches!(
        scalar,
        Scalar::Bool
            | Scalar::I32
            | Scalar::I64
            | Scalar::U32
            | Scalar::U64
            | Scalar::F32
            | Scalar::F64
    )
}

fn ty_error(kernel: &Kernel, ty: Ty) -> Option<String> {
    match ty {
        Ty::Scalar(scalar) => scalar_error(kernel, scalar),
        Ty::Unit | Ty::Ptr(_) => None,
    }
}

pub(super) fn scalar_error(kernel: &Kernel, scalar: Scalar) -> Option<String> {
    let Scalar::Generic(id) = scalar else { return None };
    match kernel.generics.get(id).map(|generic| generic.kind) {
        Some(GenericKind::Type(_)) => None,
        Some(GenericKind::Const(_)) => Some(format!("{id} is a constant and no type")),
        None => Some(format!("there is no generic parameter {id}")),
    }
}

/// Returns the problems of an element's type, size and alignment.
fn element_errors(kernel: &Kernel, elem: &Element, max_align: u64) -> Vec<String> {
    let (size, align) = match elem {
        Element::Scalar(scalar) => return Vec::from_iter(scalar_error(kernel, *scalar)),
        Element::Plain { size, align } => (size, align),
    };
    let mut messages: Vec<_> =
        [size, align].into_iter().filter_map(|extent| extent_error(kernel, extent)).collect();
    let aligned = align.known().is_none_or(|align| align.is_power_of_two() && align <= max_align);
    if !aligned {
        messages.push(format!(
            "the alignment is {align} and must be a power of two, at most {max_align}"
        ));
    }
    if let (Some(size), Some(align)) = (size.known(), align.known())
        && aligned
        && (size == 0 || size % align != 0)
    {
        messages.push(format!("the size is {size} and must be a multiple of {align}"));
    }
    messages
}

fn extent_error(kernel: &Kernel, extent: &Extent) -> Option<String> {
    if kernel.is_closed() && extent.known().is_none() {
        return Some(format!("the extent {extent} is no number, though there is nothing generic"));
    }
    extent_part_error(kernel, extent, MAX_DEPTH)
}

fn extent_part_error(kernel: &Kernel, extent: &Extent, depth: usize) -> Option<String> {
    if depth == 0 {
        return Some(format!("an extent that nests more than {MAX_DEPTH} deep"));
    }
    match extent {
        Extent::Const(_) => None,
        Extent::Generic(id) => match kernel.generics.get(*id).map(|generic| generic.kind) {
            Some(GenericKind::Const(scalar)) if scalar.is_unsigned() => None,
            Some(GenericKind::Const(scalar)) => {
                Some(format!("{id} counts something, and is a `{scalar}`"))
            }
            Some(GenericKind::Type(_)) => Some(format!("{id} is a type and no constant")),
            None => Some(format!("there is no generic parameter {id}")),
        },
        Extent::SizeOf(scalar) => scalar_error(kernel, *scalar),
        Extent::Add(a, b)
        | Extent::Sub(a, b)
        | Extent::Mul(a, b)
        | Extent::Div(a, b)
        | Extent::Max(a, b) => extent_part_error(kernel, a, depth - 1)
            .or_else(|| extent_part_error(kernel, b, depth - 1)),
    }
}

/// Returns the problem of a length that the launch computes.
fn launch_error(kernel: &Kernel, size: &Size) -> Option<String> {
    match size_type(kernel, size, MAX_DEPTH) {
        Ok(Scalar::U64) => None,
        Ok(scalar) => Some(format!("the length {size} is a `{scalar}` and must be a `u64`")),
        Err(message) => Some(message),
    }
}

/// The type of a size, whose parts must fit together.
fn size_type(kernel: &Kernel, size: &Size, depth: usize) -> Result<Scalar, String> {
    if depth == 0 {
        return Err(format!("a length that nests more than {MAX_DEPTH} deep"));
    }
    let parts = size.parts().iter().map(|part| size_type(kernel, part, depth - 1));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    let checked = |scalar| scalar_error(kernel, scalar).map_or(Ok(scalar), Err);
    let wrong = || Err(format!("the parts of {size} are of types that do not fit together"));
    match (size, parts.as_slice()) {
        (Size::Const(scalar, _), _) => checked(*scalar),
        (Size::Extent(extent), _) => extent_error(kernel, extent).map_or(Ok(Scalar::U64), Err),
        (Size::Generic(id), _) => match kernel.generics.get(*id).map(|generic| generic.kind) {
            Some(GenericKind::Const(scalar)) => Ok(scalar),
            Some(GenericKind::Type(_)) | None => Err(format!("{id} is no constant")),
        },
        (Size::Param(id), _) => match kernel.params.get(*id).map(|param| &param.kind) {
            Some(ParamKind::Scalar(scalar)) => Ok(*scalar),
            Some(ParamKind::Slice { .. }) | None => Err(format!("{id} is no scalar parameter")),
        },
        (Size::Len(id), _) => match kernel.params.get(*id).map(|param| &param.kind) {
            Some(ParamKind::Slice { .. }) => Ok(Scalar::U64),
            Some(ParamKind::Scalar(_)) | None => Err(format!("{id} is no slice")),
        },
        (Size::Builtin(builtin), _) if builtin.is_known_at_launch() => Ok(Scalar::U64),
        (Size::Builtin(builtin), _) => Err(format!("a launch does not know `{builtin}`")),
        (Size::Unary(..), [value]) => Ok(*value),
        (Size::Binary(op, _), [lhs, Scalar::U32]) if op.is_shift() => Ok(*lhs),
        (Size::Binary(op, _), [lhs, rhs]) if !op.is_shift() && lhs == rhs => Ok(*lhs),
        (Size::Compare(..), [lhs, rhs]) if lhs == rhs => Ok(Scalar::Bool),
        (Size::Select(_), [Scalar::Bool, then, other]) if then == other => Ok(*then),
        (Size::Cast(to, _), _) if *to != Scalar::Bool => checked(*to),
        (
            Size::Unary(..)
            | Size::Binary(..)
            | Size::Compare(..)
            | Size::Select(_)
            | Size::Cast(..),
            _,
        ) => wrong(),
    }
}
