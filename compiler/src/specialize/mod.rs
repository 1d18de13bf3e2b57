//! Replaces every generic parameter of a kernel by its binding.
//!
//! Each [`Op::MulAdd`] becomes a fused multiply-add or integer arithmetic here, once its type is
//! known.
mod passed;

use crate::{
    id::{Id, Table},
    ir::{
        BinaryOp, Body, Bound, CopyOp, Element, Extent, GenericId, GenericKind, Inst, InstId,
        Kernel, Length, MOST_PARAM_BYTES, MatrixOp, MulAddForm, Op, ParamKind, Scalar, ShuffleOp,
        Size, SyncOp, Ty, UnaryOp, WarpOp, WgmmaOp,
    },
};
use std::{borrow::Cow, collections::BTreeMap, fmt};

/// The binding of one generic parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binding {
    /// A type parameter's type.
    Type(Scalar),
    /// A constant's value, as the bits of its type (zero-extended).
    Const(u64),
}

impl Binding {
    /// Parses an argument for a parameter of this kind, as users write it: `f32`, `usize`, `16`,
    /// `0x10`, `-1`, `true`. Returns `None` if it is no such argument; the bound of a type
    /// parameter is left to [`specialize`].
    pub fn parse(kind: GenericKind, text: &str) -> Option<Self> {
        match kind {
            GenericKind::Type(_) => {
                let name = match text {
                    "usize" => "u64",
                    "isize" => "i64",
                    other => other,
                };
                Scalar::CONCRETE
                    .into_iter()
                    .find(|scalar| scalar.name() == Some(name))
                    .map(Self::Type)
            }
            GenericKind::Const(scalar) => parse_constant(scalar, text).map(Self::Const),
        }
    }
}

/// The type, or the bits of the constant as a decimal number.
impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(scalar) => scalar.fmt(f),
            Self::Const(bits) => bits.fmt(f),
        }
    }
}

/// Returns the list of `bindings`: `f32, 16`.
pub fn list_bindings(bindings: &[Binding]) -> String {
    bindings.iter().map(Binding::to_string).collect::<Vec<_>>().join(", ")
}

/// The reason that a kernel cannot be specialized as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecializeError {
    /// Not as many bindings as generic parameters.
    Count {
        /// Generic parameters of the kernel.
        expected: usize,
        /// Bindings given.
        found: usize,
    },
    /// A type for a constant, a constant for a type, a type outside its bound, or a
    /// constant outside its type.
    Mismatch {
        /// Name of the generic parameter.
        name: String,
        /// The kind of the parameter.
        kind: GenericKind,
        /// The refused binding.
        binding: Binding,
    },
    /// An array by value that is larger than what a launch can pass.
    Passed {
        /// Name of the parameter.
        name: String,
        /// Its bytes.
        bytes: u64,
    },
    /// A width of a shuffle that no group of lanes has.
    Width {
        /// The number, as an expression over the generic parameters' names.
        width: String,
        /// Its value.
        lanes: u64,
    },
    /// A size that no asynchronous copy has.
    CopySize {
        /// The number, as an expression over the generic parameters' names.
        size: String,
        /// Its value, in bytes.
        bytes: u64,
    },
    /// A number or size that no named barrier has.
    NamedBarrier {
        /// The number or size, as an expression over the generic parameters' names.
        extent: String,
        /// Its value.
        value: u64,
    },
    /// A size that no bulk copy has.
    BulkSize {
        /// The number, as an expression over the generic parameters' names.
        size: String,
        /// Its value, in bytes.
        bytes: u64,
    },
    /// A number of columns that no product of a warpgroup has.
    Columns {
        /// The product.
        op: WgmmaOp,
        /// The number, as an expression over the generic parameters' names.
        columns: String,
        /// Its value.
        count: u64,
    },
    /// A number of products that cannot be pending.
    PendingProducts {
        /// The number, as an expression over the generic parameters' names.
        pending: String,
        /// Its value.
        count: u64,
    },
    /// A box of a tensor that hardware does not copy.
    TensorBox {
        /// The name of the tensor map.
        map: String,
        /// The limit that the box exceeds.
        problem: String,
    },
    /// A number of arrivals that no mbarrier is for.
    Arrivals {
        /// The number, as an expression over the generic parameters' names.
        arrivals: String,
        /// Its value.
        count: u64,
    },
    /// Two sizes of one named barrier.
    NamedBarrierSizes {
        /// The number of the barrier.
        id: u64,
        /// The sizes.
        threads: [u64; 2],
    },
    /// A length, stride or block dimension that overflows, is below zero, or divides by zero.
    Extent {
        /// The number, as an expression over the generic parameters' names.
        extent: String,
    },
}

impl fmt::Display for SpecializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { expected, found } => {
                write!(
                    f,
                    "the kernel has {expected} generic parameters, and {found} arguments for them"
                )
            }
            Self::Mismatch { name, kind, binding } => {
                write!(
                    f,
                    "generic parameter `{name}` is {}, and its argument is ",
                    describe(*kind)
                )?;
                match binding {
                    Binding::Type(ty) => write!(f, "the type `{ty}`"),
                    Binding::Const(bits) => write!(f, "the constant {bits}"),
                }
            }
            Self::Passed { name, bytes } => write!(
                f,
                "`{name}` has {bytes} bytes, and a launch passes at most {MOST_PARAM_BYTES}"
            ),
            Self::Width { width, lanes } => {
                write!(f, "`{width}` is {lanes}, and the width of a shuffle is 2, 4, 8, 16 or 32")
            }
            Self::CopySize { size, bytes } => {
                write!(f, "`{size}` is {bytes}, and an asynchronous copy has 4, 8 or 16 bytes")
            }
            Self::NamedBarrier { extent, value } => write!(
                f,
                "`{extent}` is {value}, and named barriers are 1 to 15, for a multiple of 32 threads up \
                 to 1024"
            ),
            Self::BulkSize { size, bytes } => {
                write!(f, "`{size}` is {bytes}, and a bulk copy has a multiple of 16 bytes")
            }
            Self::Columns { op, columns, count } => write!(
                f,
                "`{columns}` is {count}, and a product of a warpgroup of `{}` has {}",
                op.ty.name(),
                op.describe_columns()
            ),
            Self::PendingProducts { pending, count } => {
                write!(f, "`{pending}` is {count}, and 0 to 7 products can be pending")
            }
            Self::TensorBox { map, problem } => write!(f, "tensor map `{map}`: {problem}"),
            Self::Arrivals { arrivals, count } => {
                write!(f, "`{arrivals}` is {count}, and an mbarrier is for 1 to 1048575 arrivals")
            }
            Self::NamedBarrierSizes { id, threads: [one, other] } => {
                write!(f, "named barrier {id} is for {one} threads here and for {other} there")
            }
            Self::Extent { extent } => {
                write!(f, "`{extent}` overflows, is below zero or divides by zero")
            }
        }
    }
}

/// Parses a constant to its bits, zero-extended.
fn parse_constant(scalar: Scalar, text: &str) -> Option<u64> {
    if scalar == Scalar::Bool {
        return text.parse::<bool>().ok().map(u64::from);
    }
    let bits = match scalar {
        Scalar::F32 => return text.parse::<f32>().ok().map(|value| value.to_bits().into()),
        Scalar::F64 => return text.parse::<f64>().ok().map(f64::to_bits),
        Scalar::F16 | Scalar::BF16 => {
            let value = text.parse::<f64>().ok()?;
            return scalar.half().map(|format| u64::from(format.round_f64(value)));
        }
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::Generic(_) => scalar.bits()?,
    };
    let text = text.replace('_', "");
    let value: i128 = match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok()?,
        None => text.parse().ok()?,
    };
    let signed = scalar.is_int() && scalar.name().is_some_and(|name| name.starts_with('i'));
    let (least, most) = if signed {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    // Truncate to the width: the bits above are copies of the sign.
    (least..=most).contains(&value).then_some((value & ((1i128 << bits) - 1)) as u64)
}

/// Describes the bindings that a generic parameter accepts.
fn describe(kind: GenericKind) -> String {
    match kind {
        GenericKind::Type(Bound::Num) => "an integer or float type".into(),
        GenericKind::Type(Bound::Int) => "an integer type".into(),
        GenericKind::Type(Bound::Float) => "a float type".into(),
        GenericKind::Const(ty) => format!("a constant of type `{ty}`"),
    }
}

impl std::error::Error for SpecializeError {}

/// Returns `kernel` with every parameter bound, one binding a parameter, in
/// order; `kernel` itself if it has none.
///
/// # Errors
/// If the bindings do not fit the parameters, or a length overflows.
pub fn specialize<'k>(
    kernel: &'k Kernel,
    bindings: &[Binding],
) -> Result<Cow<'k, Kernel>, SpecializeError> {
    check(kernel, bindings)?;
    if kernel.is_closed() {
        return Ok(Cow::Borrowed(kernel));
    }
    let binder = Binder { bindings, kernel };
    let mut bound = kernel.clone();
    bound.generics = Table::new();
    for extent in bound.block.iter_mut().flatten() {
        *extent = binder.extent(extent)?;
    }
    for param in bound.params.iter_mut() {
        match &mut param.kind {
            ParamKind::Scalar(scalar) => *scalar = binder.scalar(*scalar),
            ParamKind::Slice { elem, .. } => *elem = binder.element(elem)?,
        }
    }
    for requirement in &mut bound.requires {
        requirement.cond = binder.size(&requirement.cond)?;
    }
    for shared in bound.shared.iter_mut() {
        shared.elem = binder.element(&shared.elem)?;
        shared.len = match &shared.len {
            Length::Fixed(extent) => Length::Fixed(binder.extent(extent)?),
            Length::Launch(size) => Length::Launch(binder.size(size)?),
        };
        if let Some(arrivals) = &mut shared.arrivals {
            *arrivals = binder.arrivals(arrivals)?;
        }
    }
    for array in bound.arrays.iter_mut() {
        array.elem = binder.element(&array.elem)?;
        array.len = binder.extent(&array.len)?;
    }
    for scalar in bound.messages.iter_mut().flat_map(|message| &mut message.args) {
        *scalar = binder.scalar(*scalar);
    }
    for local in bound.locals.iter_mut() {
        local.ty = binder.ty(local.ty);
    }
    for inst in bound.insts.iter_mut() {
        inst.ty = binder.ty(inst.ty);
        if let Op::Index { stride: extent, .. }
        | Op::Offset { offset: extent, .. }
        | Op::Copy(
            CopyOp::BulkWait { pending: extent, .. } | CopyOp::AsyncWait { pending: extent },
        ) = &mut inst.op
        {
            *extent = binder.extent(extent)?;
        } else if let Op::Copy(CopyOp::AsyncCopy { bytes, .. }) = &mut inst.op {
            *bytes = binder.copy_size(bytes)?;
        } else if let Op::Copy(CopyOp::BulkCopy { bytes, .. } | CopyOp::BulkStore { bytes, .. }) =
            &mut inst.op
        {
            *bytes = binder.bulk_size(bytes)?;
        } else if let Op::Copy(
            CopyOp::TensorCopy { shape, .. } | CopyOp::TensorStore { shape, .. },
        ) = &mut inst.op
        {
            for number in shape.numbers_mut() {
                *number = binder.extent(number)?;
            }
        } else if let Op::Sync(SyncOp::NamedBarrier { id, threads, .. }) = &mut inst.op {
            (*id, *threads) = binder.named_barrier(id, threads)?;
        } else if let Op::Matrix(MatrixOp::Wgmma { op, columns, .. }) = &mut inst.op {
            *columns = binder.columns(*op, columns)?;
        } else if let Op::Matrix(MatrixOp::WgmmaWait { pending, .. }) = &mut inst.op {
            *pending = binder.pending_products(pending)?;
        } else if let Op::Warp(WarpOp::Shuffle { width, .. }) = &mut inst.op {
            *width = binder.width(width)?;
        } else if let Op::Generic(id) = inst.op {
            inst.op = Op::Const(binder.constant(id));
        }
    }
    check_named_barriers(&bound)?;
    check_tensor_boxes(&bound)?;
    passed::unpack(&mut bound)?;
    let mut body = std::mem::take(&mut bound.body);
    resolve_mul_adds(&mut bound, &mut body);
    bound.body = body;
    bound.renumber();
    Ok(Cow::Owned(bound))
}

/// Checks that hardware copies the boxes of tensors.
fn check_tensor_boxes(kernel: &Kernel) -> Result<(), SpecializeError> {
    for (_, inst) in kernel.insts.iter() {
        if let Op::Copy(
            CopyOp::TensorCopy { map, shape, .. } | CopyOp::TensorStore { map, shape, .. },
        ) = &inst.op
            && let Some(problem) = shape.problem_in(kernel, *map)
        {
            let map = kernel.params[*map].name.clone();
            return Err(SpecializeError::TensorBox { map, problem });
        }
    }
    Ok(())
}

/// Checks that each named barrier has one size.
fn check_named_barriers(kernel: &Kernel) -> Result<(), SpecializeError> {
    let mut sizes = BTreeMap::new();
    for (_, inst) in kernel.insts.iter() {
        let Op::Sync(SyncOp::NamedBarrier { id, threads, .. }) = &inst.op else { continue };
        let (Some(id), Some(threads)) = (id.known(), threads.known()) else { continue };
        let one = *sizes.entry(id).or_insert(threads);
        if one != threads {
            return Err(SpecializeError::NamedBarrierSizes { id, threads: [one, threads] });
        }
    }
    Ok(())
}

fn check(kernel: &Kernel, bindings: &[Binding]) -> Result<(), SpecializeError> {
    if kernel.generics.len() != bindings.len() {
        let (expected, found) = (kernel.generics.len(), bindings.len());
        return Err(SpecializeError::Count { expected, found });
    }
    for ((_, generic), binding) in kernel.generics.iter().zip(bindings) {
        let fits = match (generic.kind, binding) {
            (GenericKind::Const(ty), Binding::Const(bits)) => {
                ty.bits().is_none_or(|width| width == 64 || bits >> width == 0)
            }
            (GenericKind::Type(Bound::Num), Binding::Type(ty)) => ty.is_int() || ty.is_float(),
            (GenericKind::Type(Bound::Int), Binding::Type(ty)) => ty.is_int(),
            (GenericKind::Type(Bound::Float), Binding::Type(ty)) => ty.is_float(),
            (GenericKind::Const(_), Binding::Type(_))
            | (GenericKind::Type(_), Binding::Const(_)) => false,
        };
        if !fits {
            let (name, kind, binding) = (generic.name.clone(), generic.kind, *binding);
            return Err(SpecializeError::Mismatch { name, kind, binding });
        }
    }
    Ok(())
}

/// Replaces generic parameters by what `bindings` (already checked) says.
struct Binder<'a> {
    bindings: &'a [Binding],
    /// The kernel as it was, for messages.
    kernel: &'a Kernel,
}

impl Binder<'_> {
    fn scalar(&self, scalar: Scalar) -> Scalar {
        let Scalar::Generic(id) = scalar else { return scalar };
        match self.bindings[id.index()] {
            Binding::Type(ty) => ty,
            Binding::Const(_) => scalar,
        }
    }
    fn constant(&self, id: GenericId) -> u64 {
        match self.bindings[id.index()] {
            Binding::Const(bits) => bits,
            Binding::Type(ty) => ty.size().map_or(0, u64::from),
        }
    }
    fn ty(&self, ty: Ty) -> Ty {
        match ty {
            Ty::Scalar(scalar) => Ty::Scalar(self.scalar(scalar)),
            Ty::Unit | Ty::Ptr(_) => ty,
        }
    }
    fn element(&self, element: &Element) -> Result<Element, SpecializeError> {
        Ok(match element {
            Element::Scalar(scalar) => Element::Scalar(self.scalar(*scalar)),
            Element::Plain { size, align } => {
                Element::Plain { size: self.extent(size)?, align: self.extent(align)? }
            }
        })
    }
    fn size(&self, size: &Size) -> Result<Size, SpecializeError> {
        let mut size = size.clone();
        match &mut size {
            Size::Const(scalar, _) | Size::Cast(scalar, _) => *scalar = self.scalar(*scalar),
            Size::Extent(extent) => *extent = self.extent(extent)?,
            Size::Generic(id) => {
                if let GenericKind::Const(scalar) = self.kernel.generics[*id].kind {
                    size = Size::Const(scalar, self.constant(*id));
                }
            }
            Size::Param(_)
            | Size::Len(_)
            | Size::Builtin(_)
            | Size::Unary(..)
            | Size::Binary(..)
            | Size::Compare(..)
            | Size::Select(_) => {}
        }
        for part in size.parts_mut() {
            *part = self.size(part)?;
        }
        Ok(size)
    }
    /// Returns an extent that is valid if it is known.
    fn valid_extent(
        &self,
        extent: &Extent,
        is_valid: impl Fn(u64) -> bool,
        refuse: impl Fn(String, u64) -> SpecializeError,
    ) -> Result<Extent, SpecializeError> {
        let bound = self.extent(extent)?;
        match bound.known() {
            Some(value) if !is_valid(value) => Err(refuse(self.spell(extent), value)),
            _ => Ok(bound),
        }
    }
    fn width(&self, width: &Extent) -> Result<Extent, SpecializeError> {
        self.valid_extent(width, ShuffleOp::is_width, |width, lanes| SpecializeError::Width {
            width,
            lanes,
        })
    }
    fn copy_size(&self, size: &Extent) -> Result<Extent, SpecializeError> {
        self.valid_extent(size, CopyOp::is_async_size, |size, bytes| SpecializeError::CopySize {
            size,
            bytes,
        })
    }
    fn bulk_size(&self, size: &Extent) -> Result<Extent, SpecializeError> {
        self.valid_extent(size, CopyOp::is_bulk_size, |size, bytes| SpecializeError::BulkSize {
            size,
            bytes,
        })
    }
    fn arrivals(&self, arrivals: &Extent) -> Result<Extent, SpecializeError> {
        self.valid_extent(arrivals, SyncOp::is_mbarrier_count, |arrivals, count| {
            SpecializeError::Arrivals { arrivals, count }
        })
    }
    fn columns(&self, op: WgmmaOp, columns: &Extent) -> Result<Extent, SpecializeError> {
        self.valid_extent(
            columns,
            |columns| op.has_columns(columns),
            |columns, count| SpecializeError::Columns { op, columns, count },
        )
    }
    fn pending_products(&self, pending: &Extent) -> Result<Extent, SpecializeError> {
        self.valid_extent(pending, MatrixOp::can_be_pending, |pending, count| {
            SpecializeError::PendingProducts { pending, count }
        })
    }
    fn named_barrier(
        &self,
        id: &Extent,
        threads: &Extent,
    ) -> Result<(Extent, Extent), SpecializeError> {
        let checks = [
            (id, SyncOp::is_named_barrier_id as fn(u64) -> bool),
            (threads, SyncOp::is_named_barrier_size),
        ];
        for (extent, is_valid) in checks {
            if let Some(value) = self.extent(extent)?.known().filter(|value| !is_valid(*value)) {
                return Err(SpecializeError::NamedBarrier { extent: self.spell(extent), value });
            }
        }
        Ok((self.extent(id)?, self.extent(threads)?))
    }
    fn extent(&self, extent: &Extent) -> Result<Extent, SpecializeError> {
        extent
            .fold(&|id| Extent::Const(self.constant(id)), &|scalar| self.scalar(scalar))
            .ok_or_else(|| SpecializeError::Extent { extent: self.spell(extent) })
    }
}

impl Binder<'_> {
    /// The extent as the user might write it.
    fn spell(&self, extent: &Extent) -> String {
        let binary = |a, sign, b| format!("({} {sign} {})", self.spell(a), self.spell(b));
        match extent {
            Extent::Const(value) => value.to_string(),
            Extent::Generic(id) => self.kernel.generics[*id].name.clone(),
            Extent::SizeOf(Scalar::Generic(id)) => {
                format!("size_of::<{}>()", self.kernel.generics[*id].name)
            }
            Extent::SizeOf(scalar) => format!("size_of::<{scalar}>()"),
            Extent::Add(a, b) => binary(a, '+', b),
            Extent::Sub(a, b) => binary(a, '-', b),
            Extent::Mul(a, b) => binary(a, '*', b),
            Extent::Div(a, b) => binary(a, '/', b),
            Extent::Max(a, b) => format!("max({}, {})", self.spell(a), self.spell(b)),
        }
    }
}

/// Rewrites each `MulAdd`, whose type is now concrete, in `body` and what it holds.
fn resolve_mul_adds(kernel: &mut Kernel, body: &mut Body) {
    let mut resolved = Vec::with_capacity(body.0.len());
    for &id in &body.0 {
        if let Op::MulAdd { form, a, b, c } = kernel.insts[id].op {
            let Inst { ty, span, .. } = kernel.insts[id];
            let mut add = |op| {
                let new = kernel.insts.push(Inst { op, ty, span });
                resolved.push(new);
                new
            };
            kernel.insts[id].op = if contracts(ty) {
                fused(form, a, b, c, &mut add)
            } else {
                wrapping(form, a, b, c, &mut add)
            };
        }
        let mut op = std::mem::replace(&mut kernel.insts[id].op, Op::Return);
        op.bodies_mut().for_each(|inner| resolve_mul_adds(kernel, inner));
        kernel.insts[id].op = op;
        resolved.push(id);
    }
    body.0 = resolved;
}

/// Returns true if a product and a sum of the type are one operation. Those of `f16` and `bf16` are
/// two, as their operators are.
const fn contracts(ty: Ty) -> bool {
    matches!(ty, Ty::Scalar(Scalar::F32 | Scalar::F64))
}

type Add<'a> = &'a mut dyn FnMut(Op) -> InstId;

/// One rounding; negating a factor or the addend is exact.
fn fused(form: MulAddForm, a: InstId, b: InstId, c: InstId, add: Add<'_>) -> Op {
    let mut neg = |value| add(Op::Unary { op: UnaryOp::Neg, value });
    match form {
        MulAddForm::Add => Op::Fma { a, b, c },
        MulAddForm::Sub => Op::Fma { a, b, c: neg(c) },
        MulAddForm::From => Op::Fma { a: neg(a), b, c },
        MulAddForm::Neg => Op::Fma { a: neg(a), b, c: neg(c) },
    }
}

/// Two operations, of integers wrapping.
fn wrapping(form: MulAddForm, a: InstId, b: InstId, c: InstId, add: Add<'_>) -> Op {
    let product = add(Op::Binary { op: BinaryOp::Mul, lhs: a, rhs: b });
    match form {
        MulAddForm::Add => Op::Binary { op: BinaryOp::Add, lhs: product, rhs: c },
        MulAddForm::Sub => Op::Binary { op: BinaryOp::Sub, lhs: product, rhs: c },
        MulAddForm::From => Op::Binary { op: BinaryOp::Sub, lhs: c, rhs: product },
        MulAddForm::Neg => {
            let negated = add(Op::Unary { op: UnaryOp::Neg, value: product });
            Op::Binary { op: BinaryOp::Sub, lhs: negated, rhs: c }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_fit_the_types_of_their_parameters() {
        let constant = |scalar, text| match Binding::parse(GenericKind::Const(scalar), text)? {
            Binding::Const(bits) => Some(bits),
            Binding::Type(_) => panic!("`{text}` is no type"),
        };
        assert_eq!(constant(Scalar::U64, "1_024"), Some(1024));
        assert_eq!(constant(Scalar::U8, "0xff"), Some(255));
        assert_eq!(constant(Scalar::U8, "256"), None);
        assert_eq!(constant(Scalar::I8, "-1"), Some(0xff));
        assert_eq!(constant(Scalar::I8, "128"), None);
        assert_eq!(constant(Scalar::Bool, "true"), Some(1));
        assert_eq!(constant(Scalar::F32, "1.5"), Some(1.5f32.to_bits().into()));
        assert_eq!(constant(Scalar::U32, "-1"), None);
        assert_eq!(constant(Scalar::U32, "many"), None);
        assert_eq!(constant(Scalar::U64, "18446744073709551615"), Some(u64::MAX));
        let ty = |text| Binding::parse(GenericKind::Type(Bound::Num), text);
        assert_eq!(ty("f32"), Some(Binding::Type(Scalar::F32)));
        assert_eq!(ty("usize"), Some(Binding::Type(Scalar::U64)));
        assert_eq!(ty("16"), None);
        assert_eq!(list_bindings(&[Binding::Type(Scalar::F32), Binding::Const(16)]), "f32, 16");
    }
}
