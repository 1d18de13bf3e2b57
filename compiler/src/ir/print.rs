//! IR to text. `docs/ir.md` describes the form; [`parse`](super::parse) reads it back.
//!
//! Only instructions that the body reaches are printed. So a kernel is equal to the parsed text of
//! it only once it is [renumbered](super::renumber).
use super::{
    Array, Body, Builtin, CoarseGrid, Coarsening, CopyOp, Element, Extent, Generic, GenericKind,
    Inst, InstId, Kernel, Length, Local, MatrixOp, Message, MessageId, Op, Param, ParamKind,
    Requirement, Scalar, Shared, Size, SyncOp, Ty, WarpOp,
};
use std::fmt::{self, Display, Formatter};

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel {} {{", Name(&self.name))?;
        if self.cooperative {
            writeln!(f, "  cooperative")?;
        }
        if self.dependent_launch {
            writeln!(f, "  dependent_launch")?;
        }
        if let Some([x, y, z]) = self.cluster {
            writeln!(f, "  cluster {x}, {y}, {z}")?;
        }
        if self.wide_index {
            writeln!(f, "  wide_index")?;
        }
        if self.deny_checks {
            writeln!(f, "  deny_checks")?;
        }
        if !self.may_coarsen {
            writeln!(f, "  no_coarsening")?;
        }
        if !self.aligned_slices {
            writeln!(f, "  unaligned_slices")?;
        }
        if let Some(Coarsening { grid: CoarseGrid { axis, factor }, threads }) = self.coarsening {
            writeln!(f, "  coarsening {}, {factor}, {threads}", axis.name())?;
        }
        if let Some([x, y, z]) = &self.block {
            writeln!(f, "  block {x}, {y}, {z}")?;
        }
        if let Some(blocks) = self.min_blocks {
            writeln!(f, "  min_blocks {blocks}")?;
        }
        for (id, Generic { name, kind, span }) in self.generics.iter() {
            writeln!(f, "  generic {id} = {}: {kind} {span}", Name(name))?;
        }
        for (id, Param { name, kind, span }) in self.params.iter() {
            writeln!(f, "  param {id} = {}: {kind} {span}", Name(name))?;
        }
        for Requirement { text, cond, span } in &self.requires {
            writeln!(f, "  requires {text:?} {cond} {span}")?;
        }
        for (id, Shared { name, elem, len, arrivals, span }) in self.shared.iter() {
            write!(f, "  shared {id} = {}: [{elem}; {len}]", Name(name))?;
            if let Some(arrivals) = arrivals {
                write!(f, " mbarrier {arrivals}")?;
            }
            writeln!(f, " {span}")?;
        }
        for (id, Array { name, elem, len, passed, span }) in self.arrays.iter() {
            write!(f, "  array {id} = {}: [{elem}; {len}]", Name(name))?;
            if let Some(param) = passed {
                write!(f, " passed {param}")?;
            }
            writeln!(f, " {span}")?;
        }
        for (id, Message { text, args }) in self.messages.iter() {
            writeln!(f, "  message {id} = {text:?}: ({})", List(args))?;
        }
        for (id, Local { name, ty, span }) in self.locals.iter() {
            writeln!(f, "  local {id} = {}: {ty} {span}", Name(name))?;
        }
        write_body(f, self, &self.body, 1)?;
        writeln!(f, "}}")
    }
}

fn write_body(f: &mut Formatter<'_>, kernel: &Kernel, list: &Body, depth: usize) -> fmt::Result {
    for &id in &list.0 {
        write_indent(f, depth)?;
        kernel.inst_text(id).fmt(f)?;
        if let Some(inst) = kernel.insts.get(id)
            && !inst.op.is_leaf()
        {
            let mut bodies = inst.op.bodies();
            if let Some(first) = bodies.next() {
                write_nested_body(f, kernel, first, depth)?;
            }
            if let Some(other) = bodies.next().filter(|other| !other.0.is_empty()) {
                f.write_str(" else")?;
                write_nested_body(f, kernel, other, depth)?;
            }
        }
        f.write_str("\n")?;
    }
    Ok(())
}

fn write_nested_body(
    f: &mut Formatter<'_>,
    kernel: &Kernel,
    list: &Body,
    depth: usize,
) -> fmt::Result {
    f.write_str(" {\n")?;
    write_body(f, kernel, list, depth + 1)?;
    write_indent(f, depth)?;
    f.write_str("}")
}

fn write_indent(f: &mut Formatter<'_>, mut depth: usize) -> fmt::Result {
    // Hardly any body is deeper, so that one write is enough.
    const EIGHT: &str = "                ";
    while depth > 8 {
        f.write_str(EIGHT)?;
        depth -= 8;
    }
    f.write_str(&EIGHT[..2 * depth])
}

/// A name from the source: bare if it is an identifier or empty, in quotes if not.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() || is_bare(self.0) {
            f.write_str(self.0)
        } else {
            write!(f, "{:?}", self.0)
        }
    }
}

/// Returns true if `name` is a word that the parser takes without quotes.
fn is_bare(name: &str) -> bool {
    let name = name.strip_prefix("r#").unwrap_or(name);
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// An instruction that displays as its text, without its bodies.
pub struct InstText<'k> {
    kernel: &'k Kernel,
    id: InstId,
}

impl Kernel {
    /// Returns the text of an instruction, without its bodies.
    pub const fn inst_text(&self, id: InstId) -> InstText<'_> {
        InstText { kernel: self, id }
    }
}

impl Display for InstText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(Inst { op, ty, span }) = self.kernel.insts.get(self.id) else {
            return write!(f, "{} = nothing", self.id);
        };
        self.id.fmt(f)?;
        f.write_str(" = ")?;
        if let Op::Const(bits) = op {
            write_literal(f, *bits, *ty)?
        } else {
            write_op(f, op)?
        }
        match ty {
            Ty::Unit => {}
            Ty::Scalar(_) | Ty::Ptr(_) => {
                f.write_str(" : ")?;
                ty.fmt(f)?;
            }
        }
        f.write_str(" ")?;
        span.fmt(f)
    }
}

/// Writes a constant as Rust does, or as bits where Rust has no literal for it.
fn write_literal(f: &mut Formatter<'_>, bits: u64, ty: Ty) -> fmt::Result {
    match ty {
        Ty::Scalar(scalar) => write!(f, "const {}", number(scalar, bits)),
        Ty::Unit | Ty::Ptr(_) => write!(f, "const {bits:#x}"),
    }
}

/// Returns a number of type `scalar` as the text form spells it.
pub fn number(scalar: Scalar, bits: u64) -> impl Display {
    fmt::from_fn(move |f| write_number(f, scalar, bits))
}

fn write_number(f: &mut Formatter<'_>, scalar: Scalar, bits: u64) -> fmt::Result {
    if scalar.bits().is_none_or(|width| width < 64 && bits >> width != 0) {
        return write!(f, "{bits:#x}");
    }
    match scalar {
        Scalar::Bool => write!(f, "{}", bits == 1),
        Scalar::I8 => write!(f, "{}", bits as u8 as i8),
        Scalar::I16 => write!(f, "{}", bits as u16 as i16),
        Scalar::I32 => write!(f, "{}", bits as u32 as i32),
        Scalar::I64 => write!(f, "{}", bits as i64),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => write!(f, "{bits}"),
        Scalar::F16 | Scalar::BF16 => write_half(f, bits, scalar),
        Scalar::F32 if f32::from_bits(bits as u32).is_finite() => {
            write!(f, "{:?}", f32::from_bits(bits as u32))
        }
        Scalar::F64 if f64::from_bits(bits).is_finite() => write!(f, "{:?}", f64::from_bits(bits)),
        Scalar::F32 | Scalar::F64 | Scalar::Generic(_) => write!(f, "{bits:#x}"),
    }
}

/// Writes an `f16` or `bf16` as the `f32` of the same value, or as bits if it is not finite.
fn write_half(f: &mut Formatter<'_>, bits: u64, scalar: Scalar) -> fmt::Result {
    match scalar.half().map(|format| format.to_f32(bits as u16)) {
        Some(value) if value.is_finite() => write!(f, "{value:?}"),
        Some(_) | None => write!(f, "{bits:#x}"),
    }
}

/// Writes the name and the operands of an operation. A constant with a type is
/// [`write_literal`]'s.
fn write_op(f: &mut Formatter<'_>, op: &Op) -> fmt::Result {
    match op {
        Op::Const(bits) => write!(f, "const {bits:#x}"),
        Op::Generic(id) => write!(f, "generic {id}"),
        Op::Param(id) => write_one_operand(f, "param", id),
        Op::Len(id) => write_one_operand(f, "len", id),
        Op::Shared(id) => write_one_operand(f, "shared", id),
        Op::Array(id) => write!(f, "array {id}"),
        Op::Builtin(builtin) => write!(f, "builtin {builtin}"),
        Op::Unary { op, value } => write_one_operand(f, op.name(), value),
        Op::Binary { op, lhs, rhs } => write_two_operands(f, op.name(), lhs, rhs),
        Op::Ternary { op, a, b, c } => write!(f, "{} {a}, {b}, {c}", op.name()),
        Op::Compare { op, lhs, rhs } => write_two_operands(f, op.name(), lhs, rhs),
        Op::Cast { value } => write_one_operand(f, "cast", value),
        Op::Bitcast { value } => write!(f, "bitcast {value}"),
        Op::Select { cond, then, other } => write!(f, "select {cond}, {then}, {other}"),
        Op::Fma { a, b, c } => write!(f, "fma {a}, {b}, {c}"),
        Op::MulAdd { form, a, b, c } => write!(f, "mul_add.{} {a}, {b}, {c}", form.name()),
        Op::Index { base, index, stride } => {
            write_two_operands(f, "index", base, index)?;
            f.write_str(", ")?;
            stride.fmt(f)
        }
        Op::Offset { base, offset } => write!(f, "offset {base}, {offset}"),
        Op::MapShared { ptr, rank } => write_two_operands(f, "map_shared", ptr, rank),
        Op::Bounds { index, len } => write_two_operands(f, "bounds", index, len),
        Op::Check { cond, fault } => write!(f, "check {cond}, {}", fault.name()),
        Op::Get(local) => write_one_operand(f, "get", local),
        Op::Set { local, value } => write_two_operands(f, "set", local, value),
        Op::Load { ptr, cache: None } => write_one_operand(f, "load", ptr),
        Op::Load { ptr, cache: Some(cache) } => write!(f, "load.{} {ptr}", cache.name()),
        Op::Store { ptr, value, cache: None } => write_two_operands(f, "store", ptr, value),
        Op::Store { ptr, value, cache: Some(cache) } => {
            write!(f, "store.{} {ptr}, {value}", cache.name())
        }
        Op::Prefetch { ptr, level } => write!(f, "prefetch.{} {ptr}", level.name()),
        Op::AtomicLoad { ptr, order, scope } => {
            write!(f, "atomic_load.{}.{} {ptr}", order.name(), scope.name())
        }
        Op::AtomicStore { ptr, value, order, scope } => {
            write!(f, "atomic_store.{}.{} {ptr}, {value}", order.name(), scope.name())
        }
        Op::Atomic { op, ptr, value, order, scope } => {
            write!(f, "atomic.{}.{}.{} {ptr}, {value}", op.name(), order.name(), scope.name())
        }
        Op::CompareExchange { ptr, expected, value, order, scope } => {
            let (order, scope) = (order.name(), scope.name());
            write!(f, "compare_exchange.{order}.{scope} {ptr}, {expected}, {value}")
        }
        Op::Copy(CopyOp::AsyncCopy { to, from, bytes }) => {
            write!(f, "async_copy {to}, {from}, {bytes}")
        }
        Op::Copy(CopyOp::BulkCopy { to, from, bytes, barrier }) => {
            write!(f, "bulk_copy {to}, {from}, {bytes}, {barrier}")
        }
        Op::Copy(CopyOp::TensorCopy { to, map, shape, at, barrier, blocks }) => {
            write!(f, "tensor_copy.{}d {to}, {map}, {barrier}, ", at.len())?;
            at.iter().try_for_each(|at| write!(f, "{at}, "))?;
            shape.fmt(f)?;
            blocks.map_or(Ok(()), |blocks| write!(f, ", blocks {blocks}"))
        }
        Op::Copy(CopyOp::TensorStore { map, from, shape, at }) => {
            write!(f, "tensor_store.{}d {map}, {from}, ", at.len())?;
            at.iter().try_for_each(|at| write!(f, "{at}, "))?;
            shape.fmt(f)
        }
        Op::Copy(CopyOp::BulkStore { to, from, bytes }) => {
            write!(f, "bulk_store {to}, {from}, {bytes}")
        }
        Op::Copy(CopyOp::BulkCommit) => write!(f, "bulk_commit"),
        Op::Copy(CopyOp::BulkWait { pending, reads }) => {
            write!(f, "bulk_wait{} {pending}", if *reads { ".read" } else { "" })
        }
        Op::Copy(CopyOp::AsyncCommit) => write!(f, "async_commit"),
        Op::Copy(CopyOp::AsyncWait { pending }) => write!(f, "async_wait {pending}"),
        Op::Sync(SyncOp::Barrier { reduce: None }) => write!(f, "barrier"),
        Op::Sync(SyncOp::Barrier { reduce: Some((op, value)) }) => {
            write!(f, "barrier.{} {value}", op.name())
        }
        Op::Sync(SyncOp::SyncGrid) => write!(f, "sync_grid"),
        Op::Sync(SyncOp::SyncCluster) => write!(f, "sync_cluster"),
        Op::Sync(SyncOp::SyncWarp { mask: None }) => write!(f, "sync_warp"),
        Op::Sync(SyncOp::SyncWarp { mask: Some(mask) }) => write!(f, "sync_warp {mask}"),
        Op::Sync(SyncOp::NamedBarrier { waits, id, threads }) => {
            let what = if *waits { "sync" } else { "arrive" };
            write!(f, "named_barrier.{what} {id}, {threads}")
        }
        Op::Sync(SyncOp::MBarrierArrive { barrier, bytes: None }) => {
            write_one_operand(f, "mbarrier_arrive", barrier)
        }
        Op::Sync(SyncOp::MBarrierArrive { barrier, bytes: Some(bytes) }) => {
            write!(f, "mbarrier_arrive {barrier}, bytes {bytes}")
        }
        Op::Sync(SyncOp::MBarrierWait { barrier, phase }) => {
            write_two_operands(f, "mbarrier_wait", barrier, phase)
        }
        Op::Sync(SyncOp::Fence { scope }) => write!(f, "fence.{}", scope.name()),
        Op::Warp(WarpOp::Shuffle { op, value, lane, width, mask }) => {
            write!(f, "shuffle.{} {value}, {lane}, width {width}{}", op.name(), Mask(*mask))
        }
        Op::Warp(WarpOp::Vote { op, value, mask }) => {
            write!(f, "vote.{} {value}{}", op.name(), Mask(*mask))
        }
        Op::Warp(WarpOp::Match { op, value, mask }) => {
            write!(f, "match.{} {value}{}", op.name(), Mask(*mask))
        }
        Op::Warp(WarpOp::ActiveMask) => write!(f, "active_mask"),
        Op::Warp(WarpOp::Reduce { op, value, mask }) => {
            write!(f, "reduce.{} {value}{}", op.name(), Mask(*mask))
        }
        Op::Matrix(MatrixOp::Mma { op, args, word }) => {
            write!(f, "mma.{op} ")?;
            args.iter().try_for_each(|arg| write!(f, "{arg}, "))?;
            write!(f, "word {word}")
        }
        Op::Matrix(MatrixOp::DistributeRows { transposed, args, word }) => {
            write!(f, "distribute_rows{} ", if *transposed { ".transposed" } else { "" })?;
            args.iter().try_for_each(|arg| write!(f, "{arg}, "))?;
            write!(f, "word {word}")
        }
        Op::Matrix(MatrixOp::Wgmma { op, columns, args }) => {
            write!(f, "wgmma.{op} {columns}")?;
            args.iter().try_for_each(|arg| write!(f, ", {arg}"))
        }
        Op::Matrix(MatrixOp::WgmmaWait { sums, pending }) => {
            write!(f, "wgmma_wait {sums}, {pending}")
        }
        Op::Sync(SyncOp::ProxyFence) => write!(f, "proxy_fence"),
        Op::Sync(SyncOp::GridDependency(op)) => f.write_str(op.name()),
        Op::Texture { op, texture, args, word } => {
            write!(f, "texture.{op} {texture}, ")?;
            args.iter().try_for_each(|arg| write!(f, "{arg}, "))?;
            write!(f, "word {word}")
        }
        Op::Ptx { is_pure, ptx, args } => {
            let name = if *is_pure { "ptx.pure" } else { "ptx" };
            write!(f, "{name} {:?}, ({}), ({})", ptx.text, List(&ptx.outputs), List(args))?;
            write!(f, ", {}{}", ptx.level, if ptx.has_fallback { ", fallback" } else { "" })
        }
        Op::PtxOutput { of, output } => write!(f, "ptx_output {of}, {output}"),
        Op::Interpreted => write!(f, "interpreted"),
        Op::If { cond, .. } => write!(f, "if {cond}"),
        Op::For { start, end, step, inclusive, .. } => {
            let kind = if *inclusive { "for inclusive" } else { "for" };
            write!(f, "{kind} {start}, {end}, step {step}")
        }
        Op::Loop { .. } => write!(f, "loop"),
        Op::Block { .. } => write!(f, "block"),
        Op::Break(target) => write!(f, "break {target}"),
        Op::Continue(target) => write!(f, "continue {target}"),
        Op::Return => write!(f, "return"),
        Op::Panic { message, args } => write_message(f, "panic", *message, args),
        Op::Print { message, args } => write_message(f, "print", *message, args),
    }
}

/// Writes a name and an operand. Most of the text consists of these, and `write!` takes longer.
fn write_one_operand(f: &mut Formatter<'_>, name: &str, operand: &impl Display) -> fmt::Result {
    f.write_str(name)?;
    f.write_str(" ")?;
    operand.fmt(f)
}

/// Writes a name and two operands.
fn write_two_operands(
    f: &mut Formatter<'_>,
    name: &str,
    a: &impl Display,
    b: &impl Display,
) -> fmt::Result {
    write_one_operand(f, name, a)?;
    f.write_str(", ")?;
    b.fmt(f)
}

fn write_message(
    f: &mut Formatter<'_>,
    op: &str,
    message: MessageId,
    args: &[InstId],
) -> fmt::Result {
    write!(f, "{op} {message}")?;
    if args.is_empty() { Ok(()) } else { write!(f, ", {}", List(args)) }
}

/// Items, separated by commas.
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// The mask of participating lanes, as a last operand.
struct Mask(Option<InstId>);

impl Display for Mask {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |mask| write!(f, ", mask {mask}"))
    }
}

impl Display for Builtin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (name, axis) = self.name();
        f.write_str(name)?;
        axis.map_or(Ok(()), |axis| write!(f, ".{}", axis.name()))
    }
}

impl Display for Scalar {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Generic(id) => id.fmt(f),
            Self::Bool
            | Self::I8
            | Self::I16
            | Self::I32
            | Self::I64
            | Self::U8
            | Self::U16
            | Self::U32
            | Self::U64
            | Self::F16
            | Self::BF16
            | Self::F32
            | Self::F64 => f.write_str(self.name().unwrap_or_default()),
        }
    }
}

impl Display for Ty {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit => f.write_str("unit"),
            Self::Scalar(scalar) => scalar.fmt(f),
            Self::Ptr(space) => {
                f.write_str("ptr ")?;
                f.write_str(space.name())
            }
        }
    }
}

impl Display for GenericKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(bound) => write!(f, "type {}", bound.name()),
            Self::Const(scalar) => write!(f, "const {scalar}"),
        }
    }
}

impl Display for ParamKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => scalar.fmt(f),
            Self::Slice { elem, access } => write!(f, "{access} [{elem}]"),
        }
    }
}

impl Display for Element {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => scalar.fmt(f),
            Self::Plain { size, align } => write!(f, "plain {size} align {align}"),
        }
    }
}

impl Display for Extent {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Const(value) => value.fmt(f),
            Self::Generic(id) => id.fmt(f),
            Self::SizeOf(scalar) => write!(f, "sizeof({scalar})"),
            Self::Add(a, b) => write!(f, "({a} + {b})"),
            Self::Sub(a, b) => write!(f, "({a} - {b})"),
            Self::Mul(a, b) => write!(f, "({a} * {b})"),
            Self::Div(a, b) => write!(f, "({a} / {b})"),
            Self::Max(a, b) => write!(f, "max({a}, {b})"),
        }
    }
}

impl Display for Length {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(extent) => extent.fmt(f),
            Self::Launch(size) => write!(f, "launch {size}"),
        }
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Const(scalar, bits) => {
                write_literal(f, *bits, Ty::Scalar(*scalar))?;
                write!(f, " : {scalar}")
            }
            Self::Extent(extent) => write!(f, "extent {extent}"),
            Self::Generic(id) => write!(f, "generic {id}"),
            Self::Param(id) => id.fmt(f),
            Self::Len(id) => write!(f, "len {id}"),
            Self::Builtin(builtin) => write!(f, "builtin {builtin}"),
            Self::Unary(op, _) => write!(f, "{}({})", op.name(), List(self.parts())),
            Self::Binary(op, _) => write!(f, "{}({})", op.name(), List(self.parts())),
            Self::Compare(op, _) => write!(f, "{}({})", op.name(), List(self.parts())),
            Self::Select(_) => write!(f, "select({})", List(self.parts())),
            Self::Cast(to, value) => write!(f, "cast {to}({value})"),
        }
    }
}
