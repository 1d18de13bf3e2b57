//! Rules on what may be done to which memory.
use super::{Errors, signature::is_atomic};
use crate::ir::{
    Access, AtomicOp, CopyOp, Element, InstId, Kernel, MatrixOp, Op, Order, ParamKind, Root,
    Scalar, Space, SyncOp, Ty, WgmmaOp, surface::MAX_TEXEL_BYTES,
};

pub(super) fn check(kernel: &Kernel, errors: &mut Errors<'_>) {
    surfaces(kernel, errors);
    for (id, inst) in kernel.insts.iter() {
        match &inst.op {
            Op::Load { ptr, cache } => {
                access(kernel, errors, id, *ptr, Kind::Load);
                if let Some(cache) = cache {
                    cached(kernel, errors, id, *ptr);
                    if !cache.is_for_loads() {
                        errors.inst(id, format!("no load has the operator `{}`", cache.name()));
                    }
                }
            }
            Op::Store { ptr, value: _, cache } => {
                access(kernel, errors, id, *ptr, Kind::Store);
                if let Some(cache) = cache {
                    cached(kernel, errors, id, *ptr);
                    if !cache.is_for_stores() {
                        errors.inst(id, format!("no store has the operator `{}`", cache.name()));
                    }
                }
            }
            Op::Prefetch { ptr, level: _ } => {
                access(kernel, errors, id, *ptr, Kind::Load);
                cached(kernel, errors, id, *ptr);
            }
            Op::AtomicLoad { ptr, order, scope: _ } => {
                access(kernel, errors, id, *ptr, Kind::Atomic);
                atomic_type(errors, id, Some(inst.ty), None);
                match order {
                    Order::Relaxed | Order::Acquire | Order::SeqCst => {}
                    Order::Release | Order::AcqRel => wrong_order(errors, id, *order, "load"),
                }
            }
            Op::AtomicStore { ptr, value, order, scope: _ } => {
                access(kernel, errors, id, *ptr, Kind::Atomic);
                atomic_type(errors, id, kernel.insts.get(*value).map(|inst| inst.ty), None);
                match order {
                    Order::Relaxed | Order::Release | Order::SeqCst => {}
                    Order::Acquire | Order::AcqRel => wrong_order(errors, id, *order, "store"),
                }
            }
            Op::Atomic { op, ptr, value: _, order: _, scope: _ } => {
                access(kernel, errors, id, *ptr, Kind::Atomic);
                atomic_type(errors, id, Some(inst.ty), Some(*op));
            }
            Op::CompareExchange { ptr, expected: _, value: _, order: _, scope: _ } => {
                access(kernel, errors, id, *ptr, Kind::Atomic);
                atomic_type(errors, id, Some(inst.ty), None);
            }
            Op::Sync(
                SyncOp::MBarrierArrive { barrier, bytes: _ }
                | SyncOp::MBarrierWait { barrier, phase: _ },
            ) => {
                mbarrier(kernel, errors, id, *barrier);
            }
            Op::Copy(CopyOp::BulkCopy { to, from, bytes: _, barrier }) => {
                access(kernel, errors, id, *to, Kind::Store);
                access(kernel, errors, id, *from, Kind::Load);
                mbarrier(kernel, errors, id, *barrier);
            }
            Op::Matrix(MatrixOp::Wgmma { op, columns, args }) => {
                let sums = (op.sum(), columns.known());
                warpgroup_sums(kernel, errors, id, args.first(), Some(sums));
                let tiles = args.iter().skip(1).take(if op.a.is_some() { 2 } else { 1 });
                tiles.for_each(|tile| access(kernel, errors, id, *tile, Kind::Load));
            }
            Op::Matrix(MatrixOp::WgmmaWait { sums, pending: _ }) => {
                warpgroup_sums(kernel, errors, id, Some(sums), None);
            }
            Op::Copy(CopyOp::TensorCopy { to, barrier, .. }) => {
                access(kernel, errors, id, *to, Kind::Store);
                mbarrier(kernel, errors, id, *barrier);
            }
            Op::Copy(CopyOp::TensorStore { from, .. }) => {
                access(kernel, errors, id, *from, Kind::Load)
            }
            Op::Copy(
                CopyOp::AsyncCopy { to, from, bytes: _ } | CopyOp::BulkStore { to, from, bytes: _ },
            ) => {
                access(kernel, errors, id, *to, Kind::Store);
                access(kernel, errors, id, *from, Kind::Load);
            }
            Op::Const(_)
            | Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Builtin(_)
            | Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Select { .. }
            | Op::Ternary { .. }
            | Op::Fma { .. }
            | Op::MulAdd { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::MapShared { .. }
            | Op::Bounds { .. }
            | Op::Check { .. }
            | Op::Get(_)
            | Op::Set { .. }
            | Op::Sync(_)
            | Op::Copy(_)
            | Op::Warp(_)
            | Op::Matrix(_)
            | Op::Texture { .. }
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
            | Op::If { .. }
            | Op::For { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => {}
        }
    }
}

/// The kind of a memory access.
#[derive(Clone, Copy)]
enum Kind {
    Load,
    Store,
    Atomic,
}

/// Checks that the object that `ptr` points into, if it is known, permits the access.
fn access(kernel: &Kernel, errors: &mut Errors<'_>, id: InstId, ptr: InstId, kind: Kind) {
    match root(kernel, ptr) {
        Some(Root::Param(param)) => {
            let Some(ParamKind::Slice { access, elem }) = kernel.params.get(param).map(|p| &p.kind)
            else {
                return;
            };
            let allowed = match kind {
                Kind::Load => *access != Access::Atomic || elem.scalar().is_none(),
                Kind::Store => matches!(access, Access::Write | Access::SurfaceWrite(_)),
                Kind::Atomic => !access.is_read_only() && access.surface_shape().is_none(),
            };
            if !allowed {
                errors
                    .inst(id, format!("{param} is `{}`, which does not allow this", access.name()));
            }
            space(kernel, errors, id, ptr, access.space());
        }
        Some(Root::Shared(shared)) => {
            space(kernel, errors, id, ptr, Space::Shared);
            if kernel.shared.get(shared).is_some_and(|shared| shared.arrivals.is_some()) {
                errors.inst(id, format!("{shared} has mbarriers, which are no values"));
            }
        }
        Some(Root::Array(_)) => space(kernel, errors, id, ptr, Space::Local),
        None => {}
    }
    match (kind, kernel.insts.get(ptr).map(|inst| inst.ty)) {
        (Kind::Atomic, Some(Ty::Ptr(Space::Local))) => {
            let what = "local memory, which has no atomic operations";
            errors.inst(id, format!("{ptr} points into {what}"));
        }
        (Kind::Atomic | Kind::Store, Some(Ty::Ptr(Space::Constant))) => {
            errors.inst(id, format!("{ptr} points into constant memory, which is never written"));
        }
        _ => {}
    }
}

/// Checks that texels of surfaces have a size that hardware accesses, and that only loads, stores
/// and addresses use pointers to them: a back end has to know the surface of each.
fn surfaces(kernel: &Kernel, errors: &mut Errors<'_>) {
    let mut has_surfaces = false;
    for (id, param) in kernel.params.iter() {
        let ParamKind::Slice { elem, access } = &param.kind else { continue };
        if access.surface_shape().is_none() {
            continue;
        }
        has_surfaces = true;
        let is_texel = |size: u64| size.is_power_of_two() && size <= MAX_TEXEL_BYTES;
        if elem.size().is_some_and(|size| !is_texel(size)) {
            errors.signature(format!("{id} is a surface of `{elem}`, which is no texel"));
        }
    }
    if !has_surfaces {
        return;
    }
    for (id, inst) in kernel.insts.iter() {
        let allowed = match &inst.op {
            Op::Load { ptr, cache: None } | Op::Store { ptr, cache: None, .. } => Some(*ptr),
            Op::Index { base, .. } | Op::Offset { base, .. } => Some(*base),
            _ => None,
        };
        let is_surface = |ptr: InstId| {
            let Some(Root::Param(param)) = root(kernel, ptr) else { return false };
            kernel.params.get(param).is_some_and(|param| match &param.kind {
                ParamKind::Slice { access, .. } => access.surface_shape().is_some(),
                ParamKind::Scalar(_) => false,
            })
        };
        let misused = inst.op.operands().find(|ptr| Some(*ptr) != allowed && is_surface(*ptr));
        if let Some(ptr) = misused {
            errors.inst(id, format!("{ptr} points into a surface, which does not allow this"));
        }
    }
}

/// Checks that the array that `barrier` points into, if it is known, has mbarriers.
fn mbarrier(kernel: &Kernel, errors: &mut Errors<'_>, id: InstId, barrier: InstId) {
    let Some(Root::Shared(shared)) = root(kernel, barrier) else { return };
    if kernel.shared.get(shared).is_some_and(|shared| shared.arrivals.is_none()) {
        errors.inst(id, format!("{shared} has no mbarriers"));
    }
}

/// Checks that the sums of a product are an array of the thread's own, of the type that it writes
/// and with all sums of the columns.
fn warpgroup_sums(
    kernel: &Kernel,
    errors: &mut Errors<'_>,
    id: InstId,
    sums: Option<&InstId>,
    written: Option<(Scalar, Option<u64>)>,
) {
    let Some(inst) = sums.and_then(|sums| kernel.insts.get(*sums)) else { return };
    let Op::Array(array) = inst.op else {
        return errors.inst(id, "the sums are no array".to_owned());
    };
    let Some(array) = kernel.arrays.get(array) else { return };
    let (ty, columns) = written.unzip();
    match ty {
        Some(ty) if array.elem != Element::Scalar(ty) => {
            errors.inst(id, format!("the sums are no array of `{ty}`"));
        }
        None if ![Scalar::F32, Scalar::I32].map(Element::Scalar).contains(&array.elem) => {
            errors.inst(id, "the sums are no array of `f32` or `i32`".to_owned());
        }
        _ => {}
    }
    if let (Some(len), Some(columns)) = (array.len.known(), columns.flatten())
        && len < WgmmaOp::sums(columns)
    {
        errors.inst(id, format!("the array has {len} sums, and {columns} columns have more"));
    }
}

/// Checks that `ptr` points into the memory that has caches to choose.
fn cached(kernel: &Kernel, errors: &mut Errors<'_>, id: InstId, ptr: InstId) {
    space(kernel, errors, id, ptr, Space::Global);
}

/// [`Kernel::root`] of a kernel whose operands may be anywhere: `None` where they do
/// not precede their users.
fn root(kernel: &Kernel, ptr: InstId) -> Option<Root> {
    let mut at = ptr;
    while let Op::Index { base, .. } | Op::Offset { base, .. } = &kernel.insts.get(at)?.op {
        if *base >= at {
            return None;
        }
        at = *base;
    }
    kernel.root(at)
}

fn space(kernel: &Kernel, errors: &mut Errors<'_>, id: InstId, ptr: InstId, space: Space) {
    if let Some(Ty::Ptr(found)) = kernel.insts.get(ptr).map(|inst| inst.ty)
        && found != space
    {
        errors.inst(id, format!("{ptr} points into {} memory", space.name()));
    }
}

/// The type must have the operation.
fn atomic_type(errors: &mut Errors<'_>, id: InstId, ty: Option<Ty>, op: Option<AtomicOp>) {
    let Some(Ty::Scalar(scalar)) = ty else { return };
    if !is_atomic(scalar) {
        errors.inst(id, format!("there are no atomic operations on `{scalar}`"));
    } else if let Some(op) = op.filter(|op| !has(*op, scalar)) {
        errors.inst(id, format!("there is no atomic `{}` on `{scalar}`", op.name()));
    }
}

const fn has(op: AtomicOp, scalar: Scalar) -> bool {
    match op {
        AtomicOp::Swap => true,
        AtomicOp::Add | AtomicOp::Min | AtomicOp::Max => !matches!(scalar, Scalar::Bool),
        AtomicOp::Sub => scalar.is_int(),
        AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => {
            scalar.is_int() || matches!(scalar, Scalar::Bool)
        }
    }
}

fn wrong_order(errors: &mut Errors<'_>, id: InstId, order: Order, what: &str) {
    errors.inst(id, format!("an atomic {what} cannot be `{}`", order.name()));
}
