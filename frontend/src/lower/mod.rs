//! Typed tree to IR.
//!
//! An expression becomes instructions in the order in which Rust evaluates it, and a [`Value`] or
//! [`Place`] that stands for its result. What has parts is a tree of them: the IR only ever sees
//! numbers. A variable that is never set again is the value itself; one that is becomes locals of
//! the IR, and an array memory of the thread's own. A reference is what it refers to, and only has
//! a value of its own at run time where it is [chosen or set](mod@memory::reference). A device function or
//! closure is inlined at its call: the function among variables of its own, in a [`Frame`], the
//! closure among those of where it was made.
//!
//! [`Left`] says that control does not come back, so that nothing is emitted behind it.
mod arith;
mod call;
mod control;
mod expr;
mod iterator;
mod kernel;
mod memory;

pub(crate) use crate::lower::kernel::{Emitted, kernel};
use crate::{
    attr::{
        Options,
        lint_attr::{Expectation, LintLevel},
    },
    hir::{Closure, Function, LintLevels, SpanId, Var},
    infer::program::{InstanceArgs, Program},
    lower::{
        call::pointer::{POINTER, Pointed},
        memory::reference::ReferencePlace,
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
        self, ArrayId, Builder, Extent, InstId, Local, LocalId, MAX_DEPTH, Op, ParamId, Scalar,
        Scope, SharedId, Span,
    },
    lint::Setting,
};

/// How many instructions a kernel may have, before any optimization.
const MAX_INSTS: usize = 1 << 18;

/// How deep expressions may nest, those of inlined functions included.
const MAX_NESTING: usize = 2 * crate::syntax::limits::MAX_DEPTH;

/// Control has left, or something was reported: nothing comes behind.
#[derive(Clone, Copy, Debug)]
struct Left;

/// What is emitted, unless control has left.
type Flow<T> = Result<T, Left>;

/// What an expression yields.
#[derive(Clone, Debug)]
enum Value {
    /// `()`
    Unit,
    /// A number or `bool`.
    Scalar(InstId),
    /// A reference.
    Ref(Box<Place>),
    /// A tuple or struct, part by part.
    Parts(Rc<[Value]>),
    /// An enum.
    Variants(Rc<Variants>),
    /// An array, in memory that nothing else refers to.
    Array(Memory),
    /// A closure.
    Closure(Rc<ClosureValue>),
}

/// An enum: which variant it is, and the parts of every variant that it may be.
#[derive(Clone, Debug)]
struct Variants {
    /// The discriminant of the variant.
    tag: InstId,
    /// Parts of each variant; `None` for one that it is not.
    parts: Vec<Option<Vec<Value>>>,
}

/// A closure, with where it was made.
#[derive(Clone, Debug)]
struct ClosureValue {
    closure: Rc<Closure>,
    /// The call in whose variables it lives.
    level: usize,
    /// Which of all calls that is.
    serial: usize,
    /// What it took copies of.
    copies: Vec<Captured>,
    /// That call, once it has come back.
    kept: Option<Rc<Frame>>,
}

/// A variable that a closure has its own copy of, and of which type.
#[derive(Clone, Debug)]
struct Captured {
    var: Var,
    place: Place,
    mono: Mono,
}

/// What an expression stands for.
#[derive(Clone, Debug)]
enum Place {
    /// A value that is not set again.
    Value(Value),
    /// A parameter of the kernel.
    Param(ParamId),
    /// A local of the IR.
    Local(LocalId),
    /// Memory of the device, the block or the thread.
    Memory(Memory),
    /// A tuple or struct, part by part.
    Parts(Rc<[Place]>),
    /// An enum: its discriminant, and the parts of every variant.
    Variants(Rc<VariantPlaces>),
    /// The one of these, which are of one type, that an index says.
    OneOf(Rc<[Place]>, InstId),
    /// A reference that is set at run time.
    Reference(ReferencePlace),
}

/// Where an enum is.
#[derive(Clone, Debug)]
struct VariantPlaces {
    tag: Place,
    parts: Vec<Vec<Place>>,
}

/// A part of memory: a scalar, a struct, an array or a slice.
#[derive(Clone, Debug)]
struct Memory {
    ptr: Pointer,
    /// For slices.
    len: Option<Length>,
    /// For atomics that are not at the scope of where they are.
    scope: Option<Scope>,
}

impl Memory {
    const fn at(ptr: Pointer) -> Self {
        Self { ptr, len: None, scope: None }
    }
}

/// An address.
#[derive(Clone, Copy, Debug)]
enum Pointer {
    Param(ParamId),
    Shared(SharedId),
    Array(ArrayId),
    Inst(InstId),
}

/// How many elements a slice has.
#[derive(Clone, Debug)]
enum Length {
    Param(ParamId),
    Extent(Extent),
    Inst(InstId),
}

/// Where `break` and `continue` go, and where `break` puts its value.
#[derive(Clone, Debug)]
struct Target {
    inst: InstId,
    /// The loop that `continue` goes on with: `inst`, unless items are those of several loops.
    next: InstId,
    result: Option<Place>,
}

impl Target {
    const fn new(inst: InstId, result: Option<Place>) -> Self {
        Self { inst, next: inst, result }
    }
}

/// A call of a function: the kernel's own, or one that is inlined.
#[derive(Clone, Debug)]
struct Frame {
    function: Rc<Function>,
    /// Which function, and for which types; `None` for the kernel.
    of: Option<(Callee, InstanceArgs)>,
    /// How many calls it is in.
    level: usize,
    /// Which of all calls it is.
    serial: usize,
    vars: Vec<Option<Place>>,
    labels: Vec<Option<Target>>,
    /// Shared memory that code in it has: the same one wherever that code is emitted again.
    shared: Vec<(SpanId, SharedId)>,
    /// The IR's span of each place in the source, once one was needed.
    spans: Vec<Option<Span>>,
    /// The IR's span of everything in it: that of its call, for code that is not the user's.
    called: Option<Span>,
    /// Whether overflow is a fault in it, where the kernel asks for that.
    checks_overflow: bool,
    /// Whose code it is.
    origin: Origin,
    /// Where `return` goes; `None` in the kernel.
    exit: Option<Target>,
    /// True if products contract into sums, and roots into their inverses.
    contract: bool,
    /// Variables that are roots, and not set again.
    roots: Vec<Var>,
    /// Whether it stands for any call of its function, so that what is in it has no variables from outside.
    is_pointed: bool,
}

impl Frame {
    fn new(function: Rc<Function>, level: usize, serial: usize) -> Self {
        Self {
            of: None,
            level,
            serial,
            vars: vec![None; function.vars.len()],
            labels: vec![None; function.labels.len()],
            shared: Vec::new(),
            spans: vec![None; function.spans.len()],
            called: None,
            checks_overflow: true,
            origin: Origin::Kernel,
            exit: None,
            contract: true,
            roots: Vec::new(),
            is_pointed: false,
            function,
        }
    }
}

struct Emit<'a> {
    program: &'a Program<'a>,
    options: &'a Options,
    /// Whether debug assertions are on.
    debug: bool,
    /// Whether there were any.
    depends_on_debug: bool,
    errors: &'a mut Errors,
    build: Builder,
    spans: Vec<SpanRange>,
    /// Whose they are.
    origins: Vec<Origin>,
    settings: Vec<Setting>,
    /// Those of `#[expect(..)]` in the kernel itself.
    expectations: Vec<Rc<Expectation>>,
    /// The call at hand.
    frame: Frame,
    /// The calls by their level; that at hand is not among them.
    waiting: Vec<Option<Frame>>,
    /// How many calls there were.
    calls: usize,
    nesting: usize,
    /// What function pointers point to: their values are numbers of these.
    pointed: Vec<Pointed>,
    /// How many of these were known at the first call of a pointer, if there was one.
    known_pointed: Option<usize>,
    /// Those of them that are being called.
    pointing: Vec<usize>,
}

impl Emit<'_> {
    /// The IR's span of a place in the function at hand.
    fn span(&mut self, at: SpanId) -> Span {
        if let Some(span) = self.frame.called.or(self.frame.spans[at.index()]) {
            return span;
        }
        let span = Span::new(self.spans.len());
        self.spans.push(self.frame.function.spans[at]);
        self.origins.push(self.frame.origin);
        self.frame.spans[at.index()] = Some(span);
        span
    }

    /// Where something is in the source that the user sees.
    fn range(&self, at: SpanId) -> SpanRange {
        match self.frame.called {
            Some(span) => self.spans[span.index()],
            None => self.frame.function.spans[at],
        }
    }

    /// Whether overflow is a fault here.
    fn overflow_checks(&self) -> bool {
        self.options.overflow_checks && self.frame.checks_overflow
    }

    fn inst(&mut self, at: SpanId, op: Op, ty: impl Into<ir::Ty>) -> InstId {
        self.build.span = self.span(at);
        self.build.inst(op, ty)
    }

    /// Opens the first body of an instruction. Whatever happens in it, [`Builder::end`] follows.
    fn begin(&mut self, at: SpanId, op: Op, ty: impl Into<ir::Ty>) -> Flow<InstId> {
        // The kernel's own body counts, and so does the one that is opened.
        if self.build.depth() + 2 > MAX_DEPTH {
            return Err(self.too_deep(at));
        }
        self.build.span = self.span(at);
        Ok(self.build.begin(op, ty))
    }

    fn too_deep(&mut self, at: SpanId) -> Left {
        self.errors.advise(
            self.range(at),
            "this kernel nests too deep once its device functions are inlined",
            "split it into kernels, or make its expressions and loops flatter",
        );
        Left
    }

    /// Something got here that inference should have refused.
    fn bug(&mut self, at: SpanId) -> Left {
        // What follows from an error that was reported is none of its own.
        if self.errors.is_empty() {
            let fact = "this could not be lowered: please report this bug of Warpwise";
            self.errors.report(self.range(at), fact);
        }
        Left
    }

    fn ty(&self, ty: Ty) -> Type {
        self.frame.function.types.get(ty)
    }

    /// The type, with nothing of the function at hand in it.
    fn mono(&mut self, ty: Ty, at: SpanId) -> Flow<Mono> {
        let mono = self.frame.function.types.to_mono(ty);
        mono.ok_or_else(|| {
            // Nothing determines a part of it, as in `let a = None;`.
            let shown = self.frame.function.types.show(ty);
            self.errors.mistyped(self.range(at), format_args!("the type `{shown}` is not known"));
            Left
        })
    }

    /// The scalar that a type is; an atomic is that of its value.
    fn scalar_type(&self, ty: Ty) -> Option<Scalar> {
        match self.ty(ty) {
            Type::Prim(prim) | Type::Atomic(prim) => Some(prim.scalar()),
            Type::Generic(id) => Some(Scalar::Generic(id)),
            Type::Pointer(_) => Some(POINTER),
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

    fn scalar_of(&mut self, ty: Ty, at: SpanId) -> Flow<Scalar> {
        self.scalar_type(ty).ok_or_else(|| self.bug(at))
    }

    /// An extent, computed as far as it goes.
    fn extent(&mut self, extent: &Extent, at: SpanId) -> Flow<Extent> {
        extent.simplified().ok_or_else(|| {
            let at = self.range(at);
            self.errors.report(at, "a length here overflows or divides by zero");
            Left
        })
    }

    /// What a length or constant argument is, computed as far as it goes.
    fn extent_of(&mut self, len: Len, at: SpanId) -> Flow<Extent> {
        match self.frame.function.types.extent(len).cloned() {
            Some(extent) => self.extent(&extent, at),
            None => Err(self.bug(at)),
        }
    }

    fn product(&mut self, a: Extent, b: Extent, at: SpanId) -> Flow<Extent> {
        let product = Extent::Mul(Box::new(a), Box::new(b)).simplified();
        product.ok_or_else(|| {
            self.errors.report(self.range(at), "this type is too large");
            Left
        })
    }

    /// A local of the IR for the function at hand.
    fn local(&mut self, name: &str, scalar: Scalar, at: SpanId) -> LocalId {
        let span = self.span(at);
        self.build.kernel.locals.push(Local { name: name.into(), ty: scalar.into(), span })
    }

    /// Emits with lint levels that hold for what is emitted; outer levels come before inner ones.
    fn leveled<T>(&mut self, levels: &LintLevels, emit: impl FnOnce(&mut Self) -> T) -> T {
        let (first_setting, first_span) = (self.settings.len(), self.spans.len());
        self.give(levels);
        let last_setting = self.settings.len();
        let result = emit(self);
        let within = first_span..self.spans.len();
        for setting in &mut self.settings[first_setting..last_setting] {
            setting.within = Some(within.clone());
        }
        result
    }

    /// Takes note of lint levels, for everywhere at first. In a device function `#[expect(..)]` is no
    /// more than `#[allow(..)]`: other kernels may fulfil it.
    fn give(&mut self, levels: &LintLevels) {
        for LintLevel { lint, level, expectation } in levels {
            let expectation = expectation.as_ref().filter(|_| self.frame.of.is_none());
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
