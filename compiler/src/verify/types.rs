//! Rules on the types of operands and results.
use super::Errors;
use crate::id::Id as _;
use crate::ir::{
    Access, BarrierOp, BinaryOp, Bound, CopyOp, Extent, Fault, GenericKind, InlinePtx, Inst,
    InstId, Kernel, MatchOp, MatrixOp, MessageId, MmaOp, Op, ParamId, ParamKind, ReduceOp, Scalar,
    ShuffleOp, Space, SyncOp, TensorBox, TernaryOp, TextureOp, Ty, UnaryOp, VoteOp, WarpOp,
    WgmmaOp, inline_ptx::check_text,
};
use std::fmt::Display;

pub(super) fn check<'k>(kernel: &'k Kernel, errors: &mut Errors<'k>) {
    for (id, inst) in kernel.insts.iter() {
        Typing { kernel, errors, id, ty: inst.ty }.check_inst(inst);
    }
}

const BOOL: Ty = Ty::Scalar(Scalar::Bool);
const U32: Ty = Ty::Scalar(Scalar::U32);
const U64: Ty = Ty::Scalar(Scalar::U64);

/// A set of types that an operation is defined on.
#[derive(Clone, Copy)]
enum Class {
    /// Numbers and `bool`.
    Any,
    /// Integers and floats.
    Num,
    /// Integers and `bool`.
    Bits,
    /// Integers.
    Int,
    /// Integers that are known to be unsigned.
    Unsigned,
    /// Floats.
    Float,
}

impl Class {
    const fn name(self) -> &'static str {
        match self {
            Self::Any => "a scalar",
            Self::Num => "a number",
            Self::Bits => "an integer or `bool`",
            Self::Int => "an integer",
            Self::Unsigned => "an unsigned integer",
            Self::Float => "a float",
        }
    }

    fn holds(self, kernel: &Kernel, scalar: Scalar) -> bool {
        if let Scalar::Generic(id) = scalar {
            return match kernel.generics.get(id).map(|generic| generic.kind) {
                Some(GenericKind::Type(bound)) => self.holds_bound(bound),
                Some(GenericKind::Const(_)) | None => false,
            };
        }
        match self {
            Self::Any => true,
            Self::Num => scalar.is_int() || scalar.is_float(),
            Self::Bits => scalar.is_int() || scalar == Scalar::Bool,
            Self::Int => scalar.is_int(),
            Self::Unsigned => scalar.is_unsigned(),
            Self::Float => scalar.is_float(),
        }
    }

    /// Returns true if every type inside `bound` is in the class.
    const fn holds_bound(self, bound: Bound) -> bool {
        match (self, bound) {
            (Self::Any | Self::Num, _) => true,
            (Self::Bits | Self::Int, Bound::Int) | (Self::Float, Bound::Float) => true,
            (Self::Bits | Self::Int, Bound::Num | Bound::Float)
            | (Self::Float, Bound::Num | Bound::Int)
            | (Self::Unsigned, _) => false,
        }
    }
}

/// The check of one instruction.
struct Typing<'a, 'k> {
    kernel: &'k Kernel,
    errors: &'a mut Errors<'k>,
    id: InstId,
    /// The result's type.
    ty: Ty,
}

impl Typing<'_, '_> {
    fn error(&mut self, message: String) {
        self.errors.inst(self.id, message);
    }

    /// The result must be of type `ty`.
    fn require_result(&mut self, ty: impl Into<Ty>) {
        let ty = ty.into();
        if self.ty != ty {
            self.error(format!("yields `{}` and must yield `{ty}`", self.ty));
        }
    }

    fn require_result_in(&mut self, class: Class) {
        self.require_class(&"the result", self.ty, class);
    }

    fn require_class(&mut self, what: &dyn Display, ty: Ty, class: Class) {
        let holds = match ty {
            Ty::Scalar(scalar) => class.holds(self.kernel, scalar),
            Ty::Unit | Ty::Ptr(_) => false,
        };
        if !holds {
            self.error(format!("{what} is `{ty}` and must be {}", class.name()));
        }
    }

    /// An operand's type, unless there is no such operand, which is another rule's.
    fn ty_of(&self, operand: InstId) -> Option<Ty> {
        self.kernel.insts.get(operand).map(|inst| inst.ty)
    }

    /// Each operand must be of type `ty`.
    fn require_operands<const N: usize>(&mut self, operands: [InstId; N], ty: Ty) {
        for operand in operands {
            if let Some(found) = self.ty_of(operand).filter(|found| *found != ty) {
                self.error(format!("{operand} is `{found}` and must be `{ty}`"));
            }
        }
    }

    fn require_operand_in(&mut self, operand: InstId, class: Class) {
        if let Some(ty) = self.ty_of(operand) {
            self.require_class(&operand, ty, class);
        }
    }

    fn require_pointer(&mut self, ptr: InstId) {
        if let Some(ty @ (Ty::Unit | Ty::Scalar(_))) = self.ty_of(ptr) {
            self.error(format!("{ptr} is `{ty}` and must be a pointer"));
        }
    }

    /// The blocks of the kernel must run in clusters.
    fn require_cluster(&mut self) {
        if self.kernel.cluster.is_none() {
            self.error("is in a kernel without clusters".into());
        }
    }

    /// The operands must be what the message takes.
    fn check_message_args(&mut self, message: MessageId, args: &[InstId]) {
        let Some(message) = self.kernel.messages.get(message) else { return };
        if message.args.len() != args.len() {
            let (expected, found) = (message.args.len(), args.len());
            self.error(format!("the message takes {expected} arguments and gets {found}"));
        }
        for (&arg, &scalar) in args.iter().zip(&message.args) {
            self.require_operands([arg], Ty::Scalar(scalar));
        }
    }

    fn check_mask(&mut self, mask: Option<InstId>) {
        if let Some(mask) = mask {
            self.require_operands([mask], U32);
        }
    }

    /// Checks a copy of a box of the tensor of `map`.
    fn check_tensor_box(&mut self, map: ParamId, access: Access, shape: &TensorBox, at: &[InstId]) {
        self.require_result(Ty::Unit);
        at.iter().for_each(|at| self.require_operands([*at], Scalar::I32.into()));
        let Some(param) = self.kernel.params.get(map) else { return };
        if !matches!(param.kind, ParamKind::Slice { access: found, .. } if found == access) {
            return self.error(format!("{map} is no `{}`", access.name()));
        }
        let dims = at.len();
        if !matches!(dims, 2 | 3) || shape.extents.len() != dims {
            let extents = shape.extents.len();
            return self
                .error(format!("has {dims} coordinates, and a box of {extents} dimensions"));
        }
        let after = self.kernel.params.iter().skip(map.index() + 1).take(dims + 1);
        let numbers = after.filter(|(_, param)| param.kind == ParamKind::Scalar(Scalar::U64));
        if numbers.count() <= dims {
            self.error(format!("{} parameters of type `u64` must follow {map}", dims + 1));
        }
        if let Some(problem) = shape.problem_in(self.kernel, map) {
            self.error(format!("copies a box that cannot be: {problem}"));
        }
    }

    fn check_inst(&mut self, inst: &Inst) {
        match &inst.op {
            Op::Const(bits) => self.check_constant(*bits),
            Op::Generic(id) => match self.kernel.generics.get(*id).map(|generic| generic.kind) {
                Some(GenericKind::Const(scalar)) => self.require_result(scalar),
                Some(GenericKind::Type(_)) => self.require_result(U64),
                None => {}
            },
            Op::Param(id) => match self.kernel.params.get(*id).map(|param| &param.kind) {
                Some(ParamKind::Scalar(scalar)) => self.require_result(*scalar),
                Some(ParamKind::Slice { access: Access::Texture, .. }) => {
                    self.error(format!("{id} is a texture"));
                }
                Some(ParamKind::Slice {
                    access: Access::TensorRead | Access::TensorWrite, ..
                }) => {
                    self.error(format!("{id} is a tensor map"));
                }
                Some(ParamKind::Slice { access, .. }) => {
                    self.require_result(Ty::Ptr(access.space()))
                }
                None => {}
            },
            Op::Len(id) => {
                self.require_result(U64);
                let is_slice = |kind: &ParamKind| match kind {
                    ParamKind::Slice { access, .. } => access.is_addressed(),
                    ParamKind::Scalar(_) => false,
                };
                if self.kernel.params.get(*id).is_some_and(|param| !is_slice(&param.kind)) {
                    self.error(format!("{id} is no slice"));
                }
            }
            Op::Shared(_) => self.require_result(Ty::Ptr(Space::Shared)),
            Op::Array(_) => self.require_result(Ty::Ptr(Space::Local)),
            Op::Builtin(_) => {
                if self.ty != U32 && self.ty != U64 {
                    self.error(format!("yields `{}` and must yield `u32` or `u64`", self.ty));
                }
            }
            Op::Unary { op, value } => self.check_unary(*op, *value),
            Op::Binary { op, lhs, rhs } => self.check_binary(*op, *lhs, *rhs),
            Op::Compare { op: _, lhs, rhs } => {
                self.require_result(BOOL);
                self.require_operand_in(*lhs, Class::Any);
                if let Some(ty) = self.ty_of(*lhs) {
                    self.require_operands([*rhs], ty);
                }
            }
            Op::Cast { value } => self.check_cast(*value),
            Op::Bitcast { value } => self.check_bitcast(*value),
            Op::Select { cond, then, other } => {
                self.require_operands([*cond], BOOL);
                self.require_operands([*then, *other], self.ty);
                self.require_value();
            }
            Op::Ternary { op, a, b, c } => self.check_ternary(*op, [*a, *b, *c]),
            Op::Fma { a, b, c } => {
                self.require_operands([*a, *b, *c], self.ty);
                self.require_result_in(Class::Float);
            }
            Op::MulAdd { form: _, a, b, c } => {
                self.require_operands([*a, *b, *c], self.ty);
                if !matches!(self.ty, Ty::Scalar(Scalar::Generic(_))) {
                    self.error(format!("yields `{}` and must yield a type parameter", self.ty));
                }
            }
            Op::Index { base, index, stride: _ } => {
                self.require_pointer(*base);
                self.require_operand_in(*index, Class::Unsigned);
                if let Some(ty @ Ty::Ptr(_)) = self.ty_of(*base) {
                    self.require_result(ty);
                }
            }
            Op::Offset { base, offset: _ } => {
                self.require_pointer(*base);
                if let Some(ty @ Ty::Ptr(_)) = self.ty_of(*base) {
                    self.require_result(ty);
                }
            }
            Op::MapShared { ptr, rank } => {
                self.require_operands([*ptr], Ty::Ptr(Space::Shared));
                self.require_operands([*rank], U32);
                self.require_result(Ty::Ptr(Space::Cluster));
                self.require_cluster();
            }
            Op::Bounds { index, len } => {
                self.require_operands([*index, *len], self.ty);
                self.require_result_in(Class::Unsigned);
            }
            Op::Check { cond, fault } => {
                self.require_operands([*cond], BOOL);
                self.require_result(Ty::Unit);
                match fault {
                    Fault::IndexOutOfBounds => {
                        self.error("only `bounds` finds an index out of bounds".into());
                    }
                    Fault::Panic => self.error("only `panic` panics".into()),
                    Fault::DivideByZero
                    | Fault::RemainderByZero
                    | Fault::DivideOverflow
                    | Fault::RemainderOverflow
                    | Fault::NegateOverflow
                    | Fault::AddOverflow
                    | Fault::SubtractOverflow
                    | Fault::MultiplyOverflow
                    | Fault::ShiftLeftOverflow
                    | Fault::ShiftRightOverflow
                    | Fault::StepByZero
                    | Fault::ClampBounds
                    | Fault::NegativeSquareRoot
                    | Fault::NonPositiveLogarithm => {}
                }
            }
            Op::Get(local) => {
                if let Some(local) = self.kernel.locals.get(*local) {
                    self.require_result(local.ty);
                }
            }
            Op::Set { local, value } => {
                self.require_result(Ty::Unit);
                if let Some(local) = self.kernel.locals.get(*local) {
                    self.require_operands([*value], local.ty);
                }
            }
            Op::Load { ptr, cache: _ } | Op::AtomicLoad { ptr, order: _, scope: _ } => {
                self.require_pointer(*ptr);
                self.require_result_in(Class::Any);
            }
            Op::Store { ptr, value, cache: _ }
            | Op::AtomicStore { ptr, value, order: _, scope: _ } => {
                self.require_pointer(*ptr);
                self.require_operand_in(*value, Class::Any);
                self.require_result(Ty::Unit);
            }
            Op::Prefetch { ptr, level: _ } => {
                self.require_pointer(*ptr);
                self.require_result(Ty::Unit);
            }
            Op::Atomic { op: _, ptr, value, order: _, scope: _ } => {
                self.require_pointer(*ptr);
                self.require_operands([*value], self.ty);
                self.require_result_in(Class::Any);
            }
            Op::CompareExchange { ptr, expected, value, order: _, scope: _ } => {
                self.require_pointer(*ptr);
                self.require_operands([*expected, *value], self.ty);
                self.require_result_in(Class::Any);
            }
            Op::Copy(op) => self.check_copy(op),
            Op::Sync(op) => self.check_sync(op),
            Op::Warp(op) => self.check_warp(op),
            Op::Matrix(op) => self.check_matrix(op),
            Op::Texture { op, texture, args, word } => {
                self.check_texture_read(*op, *texture, args, *word)
            }
            Op::Ptx { is_pure: _, ptx, args } => self.check_inline_ptx(ptx, args),
            Op::PtxOutput { of, output } => {
                let ptx = self.kernel.insts.get(*of).map(|inst| &inst.op);
                let Some(Op::Ptx { ptx, .. }) = ptx else {
                    return self.error(format!("{of} is no inline PTX"));
                };
                match ptx.outputs.get(usize::from(*output)) {
                    Some(scalar) if *output > 0 => self.require_result(*scalar),
                    _ => self.error(format!("yields output {output}, which {of} has not")),
                }
            }
            Op::Interpreted => self.require_result(BOOL),
            Op::If { cond, then: _, other: _ } => {
                self.require_operands([*cond], BOOL);
                self.require_result(Ty::Unit);
            }
            Op::For { start, end, step, inclusive: _, body: _ } => {
                self.require_operands([*start, *end, *step], self.ty);
                self.require_result_in(Class::Int);
            }
            Op::Loop { body: _ } | Op::Block { body: _ } => self.require_result(Ty::Unit),
            Op::Break(_) | Op::Continue(_) | Op::Return => self.require_result(Ty::Unit),
            Op::Print { message, args } | Op::Panic { message, args } => {
                self.require_result(Ty::Unit);
                self.check_message_args(*message, args);
            }
        }
    }

    fn check_copy(&mut self, op: &CopyOp) {
        match op {
            CopyOp::AsyncCopy { to, from, bytes } => {
                self.require_operands([*to], Ty::Ptr(Space::Shared));
                self.require_operands([*from], Ty::Ptr(Space::Global));
                self.require_result(Ty::Unit);
                if let Some(bytes) = bytes.known().filter(|bytes| !CopyOp::is_async_size(*bytes)) {
                    self.error(format!("copies {bytes} bytes and must copy 4, 8 or 16"));
                }
            }
            CopyOp::BulkCopy { to, from, bytes, barrier } => {
                self.require_operands([*to, *barrier], Ty::Ptr(Space::Shared));
                self.require_operands([*from], Ty::Ptr(Space::Global));
                self.require_result(Ty::Unit);
                if let Some(bytes) = bytes.known().filter(|bytes| !CopyOp::is_bulk_size(*bytes)) {
                    self.error(format!("copies {bytes} bytes and must copy a multiple of 16"));
                }
            }
            CopyOp::TensorCopy { to, map, shape, at, barrier, blocks } => {
                self.require_operands([*to, *barrier], Ty::Ptr(Space::Shared));
                if let Some(blocks) = blocks {
                    self.require_operands([*blocks], U32);
                    self.require_cluster();
                }
                self.check_tensor_box(*map, Access::TensorRead, shape, at);
            }
            CopyOp::TensorStore { map, from, shape, at } => {
                self.require_operands([*from], Ty::Ptr(Space::Shared));
                self.check_tensor_box(*map, Access::TensorWrite, shape, at);
            }
            CopyOp::BulkStore { to, from, bytes } => {
                self.require_operands([*from], Ty::Ptr(Space::Shared));
                self.require_operands([*to], Ty::Ptr(Space::Global));
                self.require_result(Ty::Unit);
                if let Some(bytes) = bytes.known().filter(|bytes| !CopyOp::is_bulk_size(*bytes)) {
                    self.error(format!("stores {bytes} bytes and must store a multiple of 16"));
                }
            }
            CopyOp::AsyncCommit
            | CopyOp::AsyncWait { pending: _ }
            | CopyOp::BulkCommit
            | CopyOp::BulkWait { pending: _, reads: _ } => self.require_result(Ty::Unit),
        }
    }

    fn check_sync(&mut self, op: &SyncOp) {
        match op {
            SyncOp::SyncGrid => {
                self.require_result(Ty::Unit);
                if !self.kernel.cooperative {
                    self.error("is in a kernel that is not cooperative".into());
                }
            }
            SyncOp::SyncCluster => {
                self.require_result(Ty::Unit);
                self.require_cluster();
            }
            SyncOp::Barrier { reduce: None }
            | SyncOp::Fence { scope: _ }
            | SyncOp::ProxyFence
            | SyncOp::GridDependency(_) => self.require_result(Ty::Unit),
            SyncOp::Barrier { reduce: Some((op, value)) } => {
                self.require_operands([*value], BOOL);
                self.require_result(match op {
                    BarrierOp::Count => U64,
                    BarrierOp::And | BarrierOp::Or => BOOL,
                });
            }
            SyncOp::NamedBarrier { waits: _, id, threads } => {
                self.require_result(Ty::Unit);
                if let Some(id) = id.known().filter(|id| !SyncOp::is_named_barrier_id(*id)) {
                    self.error(format!("is named barrier {id}, and there are 1 to 15"));
                }
                if let Some(threads) =
                    threads.known().filter(|threads| !SyncOp::is_named_barrier_size(*threads))
                {
                    self.error(format!("is for {threads} threads, which are no warps of a block"));
                }
            }
            SyncOp::MBarrierArrive { barrier, bytes } => {
                self.require_operands([*barrier], Ty::Ptr(Space::Shared));
                if let Some(bytes) = bytes {
                    self.require_operands([*bytes], U32);
                }
                self.require_result(U64);
            }
            SyncOp::MBarrierWait { barrier, phase } => {
                self.require_operands([*barrier], Ty::Ptr(Space::Shared));
                self.require_result(Ty::Unit);
                if let Some(ty) = self.ty_of(*phase).filter(|ty| ![U32, U64].contains(ty)) {
                    self.error(format!("{phase} is `{ty}` and must be a token or a parity"));
                }
            }
            SyncOp::SyncWarp { mask } => {
                self.check_mask(*mask);
                self.require_result(Ty::Unit);
            }
        }
    }

    fn check_warp(&mut self, op: &WarpOp) {
        match op {
            WarpOp::Shuffle { op: _, value, lane, width, mask } => {
                self.require_operands([*value], self.ty);
                self.require_operands([*lane], U32);
                self.check_mask(*mask);
                self.require_result_in(Class::Any);
                if width.known().is_some_and(|width| !ShuffleOp::is_width(width)) {
                    self.error(format!("the width is {width} and must be 2, 4, 8, 16 or 32"));
                }
            }
            WarpOp::Vote { op, value, mask } => {
                self.require_operands([*value], BOOL);
                self.check_mask(*mask);
                self.require_result(match op {
                    VoteOp::All | VoteOp::Any => BOOL,
                    VoteOp::Ballot => U32,
                });
            }
            WarpOp::Match { op, value, mask } => {
                self.require_operand_in(*value, Class::Any);
                self.check_mask(*mask);
                self.require_result(match op {
                    MatchOp::Any => U32,
                    MatchOp::All => BOOL,
                });
            }
            WarpOp::ActiveMask => self.require_result(U32),
            WarpOp::Reduce { op, value, mask } => {
                self.require_operands([*value], self.ty);
                self.check_mask(*mask);
                self.require_result_in(match op {
                    ReduceOp::Add | ReduceOp::Min | ReduceOp::Max => Class::Num,
                    ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => Class::Int,
                });
            }
        }
    }

    fn check_matrix(&mut self, op: &MatrixOp) {
        match op {
            MatrixOp::Mma { op, args, word } => {
                self.check_product(*op, args, *word);
            }
            MatrixOp::Wgmma { op, columns, args } => {
                self.check_warpgroup_product(*op, columns, args)
            }
            MatrixOp::WgmmaWait { sums, pending } => {
                self.require_result(Ty::Unit);
                self.require_operands([*sums], Ty::Ptr(Space::Local));
                if let Some(pending) =
                    pending.known().filter(|pending| !MatrixOp::can_be_pending(*pending))
                {
                    let most = MatrixOp::MAX_PENDING_PRODUCTS;
                    self.error(format!("leaves {pending} products pending, and {most} can be"));
                }
            }
            MatrixOp::DistributeRows { transposed: _, args, word } => {
                if args.len() != 4 {
                    self.error(format!("has {} operands and must have 4", args.len()));
                }
                if *word >= 4 {
                    self.error(format!("yields word {word}, and there are 4 matrices"));
                }
                args.iter().for_each(|arg| self.require_operands([*arg], U32));
                self.require_result(U32);
            }
        }
    }

    fn check_texture_read(&mut self, op: TextureOp, texture: ParamId, args: &[InstId], word: u8) {
        let access = self.kernel.params.get(texture).map(|param| &param.kind);
        let is_texture = matches!(access, Some(ParamKind::Slice { access: Access::Texture, .. }));
        if !is_texture {
            self.error(format!("{texture} is no texture"));
        }
        let types: Vec<Scalar> = op.arg_types().collect();
        if args.len() != types.len() {
            let (given, taken) = (args.len(), types.len());
            self.error(format!("has {given} operands, and the read takes {taken}"));
        }
        if word >= TextureOp::WORDS {
            self.error(format!("yields word {word}, and there are 4"));
        }
        for (arg, ty) in args.iter().zip(types) {
            self.require_operands([*arg], ty.into());
        }
        self.require_result(op.word.scalar());
    }

    fn check_inline_ptx(&mut self, ptx: &InlinePtx, args: &[InstId]) {
        self.require_result(ptx.outputs.first().map_or(Ty::Unit, |scalar| Ty::Scalar(*scalar)));
        let inputs = args.iter().filter_map(|arg| self.ty_of(*arg));
        let types: Vec<Ty> =
            ptx.outputs.iter().map(|scalar| (*scalar).into()).chain(inputs).collect();
        for ty in types {
            if !matches!(ty, Ty::Scalar(scalar) if InlinePtx::is_operand(scalar)) {
                self.error(format!("has an operand of type `{ty}`"));
            }
        }
        let count = ptx.outputs.len() + args.len();
        if count > InlinePtx::MAX_OPERANDS {
            self.error(format!("has {count} operands"));
        }
        match check_text(&ptx.text) {
            Err(error) => self.error(format!("has a wrong text: {}", error.fact)),
            Ok(names) => {
                for (_, name) in names {
                    if name.parse().ok().filter(|number: &usize| *number < count).is_none() {
                        self.error(format!("names operand `{name}`, and has {count}"));
                    }
                }
            }
        }
    }

    fn check_product(&mut self, op: MmaOp, args: &[InstId], word: u8) {
        let types: Vec<Scalar> = op.arg_types().collect();
        if args.len() != types.len() {
            let (given, taken) = (args.len(), types.len());
            self.error(format!("has {given} operands, and the product takes {taken}"));
        }
        for (&arg, ty) in args.iter().zip(types) {
            self.require_operands([arg], ty.into());
        }
        let words = op.sum_words();
        if usize::from(word) >= words {
            self.error(format!("yields word {word}, and the result has {words}"));
        }
        self.require_result(op.sum_word());
    }

    fn check_warpgroup_product(&mut self, op: WgmmaOp, columns: &Extent, args: &[InstId]) {
        self.require_result(Ty::Unit);
        if let Some(columns) = columns.known().filter(|columns| !op.has_columns(*columns)) {
            let described = op.describe_columns();
            self.error(format!("has {columns} columns, and a product has {described}"));
        }
        let a = match op.a {
            Some(_) => vec![Ty::Ptr(Space::Shared)],
            None => vec![U32; WgmmaOp::A_WORDS],
        };
        let types: Vec<Ty> =
            [Ty::Ptr(Space::Local), Ty::Ptr(Space::Shared)].into_iter().chain(a).collect();
        if args.len() != types.len() {
            let (given, taken) = (args.len(), types.len());
            self.error(format!("has {given} operands, and the product takes {taken}"));
        }
        for (&arg, ty) in args.iter().zip(types) {
            self.require_operands([arg], ty);
        }
    }

    fn check_constant(&mut self, bits: u64) {
        let Ty::Scalar(scalar) = self.ty else { return self.require_result_in(Class::Any) };
        match scalar.bits() {
            None => self.error(format!("the type of a constant is the type parameter `{scalar}`")),
            Some(width) if width < 64 && bits >> width != 0 => {
                self.error(format!("`{scalar}` does not have all the bits of {bits:#x}"));
            }
            Some(_) => {}
        }
    }

    /// The result must be a value.
    fn require_value(&mut self) {
        if self.ty == Ty::Unit {
            self.error("yields nothing".into());
        }
    }

    fn check_unary(&mut self, op: UnaryOp, value: InstId) {
        self.require_operands([value], self.ty);
        self.require_result_in(match op {
            UnaryOp::Neg | UnaryOp::Abs => Class::Num,
            UnaryOp::Not => Class::Bits,
            UnaryOp::Sqrt
            | UnaryOp::Floor
            | UnaryOp::Ceil
            | UnaryOp::Trunc
            | UnaryOp::RoundTiesEven => Class::Float,
            UnaryOp::CountOnes
            | UnaryOp::LeadingZeros
            | UnaryOp::ReverseBits
            | UnaryOp::SwapBytes => Class::Int,
            UnaryOp::Rsqrt | UnaryOp::Approx(_) => return self.require_result(Scalar::F32),
        });
    }

    fn check_ternary(&mut self, op: TernaryOp, operands: [InstId; 3]) {
        self.require_operands(operands, self.ty);
        match op {
            TernaryOp::DotBytes | TernaryOp::DotHalvesLow | TernaryOp::DotHalvesHigh => {
                if self.ty != Ty::Scalar(Scalar::I32) {
                    self.require_result(Scalar::U32);
                }
            }
            TernaryOp::PermuteBytes
            | TernaryOp::FunnelShl
            | TernaryOp::FunnelShr
            | TernaryOp::AddCarry
            | TernaryOp::CarryOut => {
                self.require_result(Scalar::U32);
            }
            TernaryOp::FmaTo(_) => self.require_result(Scalar::F32),
        }
    }

    fn check_binary(&mut self, op: BinaryOp, lhs: InstId, rhs: InstId) {
        self.require_operands([lhs], self.ty);
        let (class, right) = match op {
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Min
            | BinaryOp::Max => (Class::Num, self.ty),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => (Class::Bits, self.ty),
            BinaryOp::MulHigh => (Class::Int, self.ty),
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::RotateLeft => (Class::Int, U32),
        };
        self.require_operands([rhs], right);
        self.require_result_in(class);
    }

    fn check_cast(&mut self, value: InstId) {
        self.require_operand_in(value, Class::Any);
        let from_bool = self.ty_of(value) == Some(BOOL);
        self.require_result_in(if from_bool { Class::Int } else { Class::Num });
    }

    fn check_bitcast(&mut self, value: InstId) {
        let size = |ty: Ty| match ty {
            Ty::Scalar(Scalar::Bool) | Ty::Unit | Ty::Ptr(_) => None,
            Ty::Scalar(scalar) => scalar.size(),
        };
        if let Some(from) = self.ty_of(value)
            && (size(from).is_none() || size(from) != size(self.ty))
        {
            self.error(format!("`{from}` and `{}` are no two numbers of one size", self.ty));
        }
    }
}
