//! Lowering of the typed tree to IR.
//!
//! An expression becomes instructions in Rust's order of evaluation, and a [`Value`] or [`Place`]
//! that stands for its result. Composite values are scalarized into trees: the IR only sees
//! numbers. A variable that is never assigned again is the value itself. A variable that is
//! assigned again becomes locals of the IR, and an array becomes thread-private memory. A reference
//! is its referent's place; it has a run-time value only where it is [chosen or
//! reassigned](mod@memory::reference). Device functions and closures are inlined at their calls: a
//! function gets variables of its own, in a [`Frame`], and a closure uses the variables of the
//! frame that created it.
//!
//! [`Diverged`] means that control does not return, so that nothing is lowered after it.
mod arith;
mod call;
mod constant;
mod control;
mod derives;
mod expr;
mod iterator;
mod kernel;
mod memory;

pub(crate) use crate::lower::kernel::{LoweredKernel, lower_kernel};
use crate::{
    attr::{
        Options,
        lint_attr::{Expectation, LintLevel},
    },
    hir::{Closure, Function, LintLevels, SpanId, Var},
    infer::program::{InstanceArgs, Program},
    lower::{
        call::pointer::{FUNCTION_POINTER, Pointee},
        memory::reference::{ReferencePlace, References},
    },
    resolve::device_set::Callee,
    syntax::{
        error::Errors,
        span::{Origin, SpanRange},
    },
    types::{Len, Ty, Type, mono::Mono},
};
use std::rc::Rc;
use warpwise_compiler::{
    id::Id as _,
    ir::{
        self, ArrayId, Builder, CacheOp, Extent, InstId, Local, LocalId, MAX_DEPTH, Op, ParamId,
        Scalar, Scope, SharedId, Span,
    },
    lint::Setting,
};

/// Limit on a kernel's instructions, before any optimization.
const MAX_INSTS: usize = 1 << 18;

/// Limit on the instructions that the constants of a kernel execute.
const MAX_EXECUTED_INSTS: usize = 1 << 21;

/// Limit on the nesting of expressions, including those of inlined functions.
const MAX_NESTING: usize = 2 * crate::syntax::limits::MAX_DEPTH;

/// Marker that control flow has left this point, or that an error was reported: nothing follows.
#[derive(Clone, Copy, Debug)]
struct Diverged;

/// Result of lowering, unless control flow has diverged.
type Flow<T> = Result<T, Diverged>;

/// Result of an expression.
#[derive(Clone, Debug)]
enum Value {
    /// `()`
    Unit,
    /// A number or `bool`.
    Scalar(InstId),
    /// A reference.
    Ref(Box<Place>),
    /// The fields of a tuple or struct.
    Parts(Rc<[Value]>),
    /// An enum.
    Variants(Rc<EnumValue>),
    /// An array, in memory that nothing else refers to.
    Array(Memory),
    /// A closure.
    Closure(Rc<ClosureValue>),
}

/// Enum value: its discriminant, and the fields of every variant that it can be.
#[derive(Clone, Debug)]
struct EnumValue {
    /// The discriminant of the variant.
    tag: InstId,
    /// Fields of each variant; `None` for a variant that the value cannot be.
    parts: Vec<Option<Vec<Value>>>,
}

/// Closure with the call that created it.
#[derive(Clone, Debug)]
struct ClosureValue {
    closure: Rc<Closure>,
    /// The level of the call whose variables it uses.
    level: usize,
    /// The serial number of that call.
    serial: usize,
    /// Its own copies of captured variables.
    copies: Vec<CapturedVar>,
    /// That call, once it has returned.
    returned_frame: Option<Rc<Frame>>,
}

/// Captured variable of which a closure has its own copy, with its type.
#[derive(Clone, Debug)]
struct CapturedVar {
    var: Var,
    place: Place,
    mono: Mono,
}

/// Location that an expression denotes.
#[derive(Clone, Debug)]
enum Place {
    /// A value that is not assigned again.
    Value(Value),
    /// A parameter of the kernel.
    Param(ParamId),
    /// A local of the IR.
    Local(LocalId),
    /// Memory of the device, the block or the thread.
    Memory(Memory),
    /// The fields of a tuple or struct.
    Parts(Rc<[Place]>),
    /// An enum: its discriminant, and the fields of every variant.
    Variants(Rc<EnumPlaces>),
    /// The element that a run-time index chooses from places of one type.
    OneOf(Rc<[Place]>, InstId),
    /// A reference that is assigned at run time.
    Reference(ReferencePlace),
}

/// Place of an enum: its discriminant, and the fields of every variant.
#[derive(Clone, Debug)]
struct EnumPlaces {
    tag: Place,
    parts: Vec<Vec<Place>>,
}

/// Part of memory: a scalar, a struct, an array or a slice.
#[derive(Clone, Debug)]
struct Memory {
    ptr: Pointer,
    /// Length of a slice.
    len: Option<Length>,
    /// Scope of an atomic that differs from the default of its memory.
    scope: Option<Scope>,
    /// Cache operator of its loads and stores.
    cache: Option<CacheOp>,
}

impl Memory {
    const fn new(ptr: Pointer) -> Self {
        Self { ptr, len: None, scope: None, cache: None }
    }
}

/// Address.
#[derive(Clone, Copy, Debug)]
enum Pointer {
    Param(ParamId),
    Shared(SharedId),
    Array(ArrayId),
    Inst(InstId),
}

/// Number of elements of a slice.
#[derive(Clone, Debug)]
enum Length {
    Param(ParamId),
    Extent(Extent),
    Inst(InstId),
}

/// Target of `break` and `continue`, and place for the value of `break`.
#[derive(Clone, Debug)]
struct JumpTarget {
    /// The loop or block that `break` leaves.
    inst: InstId,
    /// The loop that `continue` continues: `inst`, unless nested loops produce the items.
    continue_to: InstId,
    result: Option<Place>,
}

impl JumpTarget {
    const fn new(inst: InstId, result: Option<Place>) -> Self {
        Self { inst, continue_to: inst, result }
    }
}

/// Function call: the kernel itself, or an inlined call.
#[derive(Clone, Debug)]
struct Frame {
    function: Rc<Function>,
    /// The callee and its generic arguments; `None` for the kernel.
    callee: Option<(Callee, InstanceArgs)>,
    /// Call depth.
    level: usize,
    /// Serial number among all calls.
    serial: usize,
    vars: Vec<Option<Place>>,
    labels: Vec<Option<JumpTarget>>,
    /// Shared arrays that its code declares: one each, however often that code is lowered.
    shared: Vec<(SpanId, SharedId)>,
    /// IR spans of its source locations, allocated on first use.
    spans: Vec<Option<Span>>,
    /// Span of the call, which stands for all locations in code that is not the user's.
    call_span: Option<Span>,
    /// True if its overflows are faults where the kernel asks for that.
    checks_overflow: bool,
    /// Owner of its code.
    origin: Origin,
    /// Target of `return`; `None` in the kernel.
    exit: Option<JumpTarget>,
    /// True if products contract into sums, and roots into their inverses.
    contract: bool,
    /// Variables that are bound to a square root and not assigned again.
    roots: Vec<Var>,
    /// True if it stands for every call of a pointee, so that its code sees no variables from
    /// outside.
    is_pointee: bool,
}

impl Frame {
    fn new(function: Rc<Function>, level: usize, serial: usize) -> Self {
        Self {
            callee: None,
            level,
            serial,
            vars: vec![None; function.vars.len()],
            labels: vec![None; function.labels.len()],
            shared: Vec::new(),
            spans: vec![None; function.spans.len()],
            call_span: None,
            checks_overflow: true,
            origin: Origin::Kernel,
            exit: None,
            contract: true,
            roots: Vec::new(),
            is_pointee: false,
            function,
        }
    }
}

/// State of the lowering of one kernel.
struct Lowerer<'a> {
    program: &'a Program<'a>,
    options: &'a Options,
    /// True if debug assertions are on.
    debug: bool,
    /// True if the kernel contains a debug assertion.
    depends_on_debug: bool,
    errors: &'a mut Errors,
    build: Builder,
    spans: Vec<SpanRange>,
    /// The owner of each span.
    origins: Vec<Origin>,
    settings: Vec<Setting>,
    /// The `#[expect(..)]` attributes of the kernel itself.
    expectations: Vec<Rc<Expectation>>,
    /// The current call.
    frame: Frame,
    /// The pending callers by level; the current call is not among them.
    callers: Vec<Option<Frame>>,
    /// Number of calls so far.
    call_count: usize,
    nesting: usize,
    /// Pointees of function pointers: the value of a pointer is an index into this list.
    pointees: Vec<Pointee>,
    /// Number of pointees known at the first call of a pointer, if there was one.
    pointees_at_first_call: Option<usize>,
    /// Pointees whose calls are being lowered.
    active_pointees: Vec<usize>,
    references: References,
    /// The instructions that the constants of the kernel may still execute.
    execution_budget: usize,
}

impl Lowerer<'_> {
    /// Returns the IR's span for a location in the current function.
    fn ir_span(&mut self, at: SpanId) -> Span {
        if let Some(span) = self.frame.call_span.or(self.frame.spans[at.index()]) {
            return span;
        }
        let span = Span::new(self.spans.len());
        self.spans.push(self.frame.function.spans[at]);
        self.origins.push(self.frame.origin);
        self.frame.spans[at.index()] = Some(span);
        span
    }

    /// Returns the location in the user's source that stands for `at`.
    fn source_range(&self, at: SpanId) -> SpanRange {
        match self.frame.call_span {
            Some(span) => self.spans[span.index()],
            None => self.frame.function.spans[at],
        }
    }

    /// Returns true if overflow is a fault here.
    fn has_overflow_checks(&self) -> bool {
        self.options.overflow_checks && self.frame.checks_overflow
    }

    /// Appends an instruction.
    fn push_inst(&mut self, at: SpanId, op: Op, ty: impl Into<ir::Ty>) -> InstId {
        self.build.span = self.ir_span(at);
        self.build.inst(op, ty)
    }

    /// Opens the first body of an instruction. The caller must call [`Builder::end`] in any case.
    fn begin_body(&mut self, at: SpanId, op: Op, ty: impl Into<ir::Ty>) -> Flow<InstId> {
        // The kernel's own body counts as a level, and so does the new one.
        if self.build.depth() + 2 > MAX_DEPTH {
            return Err(self.report_too_deep(at));
        }
        self.build.span = self.ir_span(at);
        Ok(self.build.begin(op, ty))
    }

    fn report_too_deep(&mut self, at: SpanId) -> Diverged {
        self.errors.advise(
            self.source_range(at),
            "this kernel nests too deep once its device functions are inlined",
            "split it into kernels, or make its expressions and loops flatter",
        );
        Diverged
    }

    /// Reports an internal error: inference should have refused this code.
    fn report_bug(&mut self, at: SpanId) -> Diverged {
        // An earlier error may be the cause: do not report its consequences.
        if self.errors.is_empty() && self.references.demanded.is_empty() {
            let fact = "this could not be lowered: please report this bug of Warpwise";
            self.errors.report(self.source_range(at), fact);
        }
        Diverged
    }

    fn type_of(&self, ty: Ty) -> Type {
        self.frame.function.types.get(ty)
    }

    /// Returns the type with the current function's generic arguments substituted.
    fn mono_type(&mut self, ty: Ty, at: SpanId) -> Flow<Mono> {
        let mono = self.frame.function.types.to_mono(ty);
        mono.ok_or_else(|| {
            // Nothing determines a part of the type, as in `let a = None;`.
            let shown = self.frame.function.types.show(ty);
            self.errors
                .mistyped(self.source_range(at), format_args!("the type `{shown}` is not known"));
            Diverged
        })
    }

    /// Returns the scalar of a number type; that of an atomic is its value's.
    fn scalar_type(&self, ty: Ty) -> Option<Scalar> {
        match self.type_of(ty) {
            Type::Prim(prim) | Type::Atomic(prim) => Some(prim.scalar()),
            Type::Generic(id) => Some(Scalar::Generic(id)),
            Type::Pointer(_) => Some(FUNCTION_POINTER),
            Type::Unknown(_)
            | Type::Same(_)
            | Type::Reported(_)
            | Type::Unit
            | Type::Never
            | Type::Ref { .. }
            | Type::Slice(_)
            | Type::Array(..)
            | Type::Tuple(_)
            | Type::Adt(..)
            | Type::Closure(_)
            | Type::Iter(..) => None,
        }
    }

    fn expect_scalar_type(&mut self, ty: Ty, at: SpanId) -> Flow<Scalar> {
        self.scalar_type(ty).ok_or_else(|| self.report_bug(at))
    }

    /// Simplifies an extent as far as its parameters permit.
    fn simplify_extent(&mut self, extent: &Extent, at: SpanId) -> Flow<Extent> {
        extent.simplified().ok_or_else(|| {
            let at = self.source_range(at);
            self.errors.report(at, "a length here overflows or divides by zero");
            Diverged
        })
    }

    /// Returns a length or constant argument, simplified as far as possible.
    fn simplify_len(&mut self, len: Len, at: SpanId) -> Flow<Extent> {
        match self.frame.function.types.extent(len).cloned() {
            Some(extent) => self.simplify_extent(&extent, at),
            None => Err(self.report_bug(at)),
        }
    }

    fn extent_product(&mut self, a: Extent, b: Extent, at: SpanId) -> Flow<Extent> {
        let product = Extent::Mul(Box::new(a), Box::new(b)).simplified();
        product.ok_or_else(|| {
            self.errors.report(self.source_range(at), "this type is too large");
            Diverged
        })
    }

    /// Declares a local of the IR for the current function.
    fn new_local(&mut self, name: &str, scalar: Scalar, at: SpanId) -> LocalId {
        let span = self.ir_span(at);
        self.build.kernel.locals.push(Local { name: name.into(), ty: scalar.into(), span })
    }

    /// Applies lint levels to everything that `work` lowers. Outer levels precede inner ones.
    fn with_lint_levels<T>(&mut self, levels: &LintLevels, work: impl FnOnce(&mut Self) -> T) -> T {
        // Settings precede the spans that they cover, so that their ranges are filled in
        // afterwards.
        let (first_setting, first_span) = (self.settings.len(), self.spans.len());
        self.push_lint_levels(levels);
        let last_setting = self.settings.len();
        let result = work(self);
        let within = first_span..self.spans.len();
        for setting in &mut self.settings[first_setting..last_setting] {
            setting.within = Some(within.clone());
        }
        result
    }

    /// Records lint levels, without a range of spans at first. In a device function `#[expect(..)]`
    /// acts as `#[allow(..)]`, because another kernel may fulfil it.
    fn push_lint_levels(&mut self, levels: &LintLevels) {
        for LintLevel { lint, level, expectation } in levels {
            let expectation = expectation.as_ref().filter(|_| self.frame.callee.is_none());
            let number = expectation.map(|expectation| {
                let known = self.expectations.iter().position(|it| Rc::ptr_eq(it, expectation));
                known.unwrap_or_else(|| {
                    self.expectations.push(expectation.clone());
                    self.expectations.len() - 1
                })
            });
            self.settings
                .push(Setting { expectation: number, ..Setting::everywhere(lint, *level) });
        }
    }
}
