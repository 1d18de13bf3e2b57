//! Typed tree to IR.
//!
//! An expression becomes instructions in the order in which Rust evaluates it, and a [`Value`] or
//! [`Place`] that stands for its result. A variable that is never set again is the value itself;
//! one that is becomes a local of the IR. A reference is what it refers to: it has no value of
//! its own at run time, which is why none can be chosen between. A device function is inlined at
//! its call, in a [`Frame`] of its own that binds its generic parameters.
//!
//! [`Left`] says that control does not come back, so that nothing is emitted behind it.
mod atomic;
mod bits;
mod builtin;
mod call;
mod check;
mod control;
mod expr;
mod float;
mod integer;
mod kernel;
mod looping;
mod math;
mod number;
mod operator;
mod place;
mod power;
mod saturating;

use super::{
    error::Errors,
    span::SpanRange,
    tree::{At, Function, LintLevels},
    types::{Ty, Type},
};
use crate::attr::Options;
pub(super) use kernel::kernel;
use warpwise_compiler::{
    diag::Level,
    id::Id as _,
    ir::{
        self, Builder, Extent, InstId, Local, LocalId, MAX_DEPTH, Op, ParamId, Scalar, Scope,
        SharedId, Span,
    },
};

/// How many instructions a kernel may have, before any optimization.
const MAX_INSTS: usize = 1 << 18;

/// How deep expressions may nest, those of inlined functions included.
const MAX_NESTING: usize = 2 * super::limits::MAX_DEPTH;

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
    /// What `compare_exchange` returned: whether it succeeded.
    Exchange(InstId),
}

/// What an expression stands for.
#[derive(Clone, Debug)]
enum Place {
    /// A value that is not set again.
    Value(Value),
    /// A local of the IR.
    Local(LocalId),
    /// Memory of the device or block.
    Memory(Memory),
}

/// A part of memory: a scalar, an array or a slice.
#[derive(Clone, Debug)]
struct Memory {
    ptr: Pointer,
    /// For slices.
    len: Option<Length>,
    /// For atomics that are not at the scope of where they are.
    scope: Option<Scope>,
}

/// An address.
#[derive(Clone, Copy, Debug)]
enum Pointer {
    Param(ParamId),
    Shared(SharedId),
    Inst(InstId),
}

/// How many elements a slice has.
#[derive(Clone, Debug)]
enum Length {
    Param(ParamId),
    Extent(Extent),
}

/// What a variable is.
#[derive(Clone, Debug)]
enum Binding {
    /// Nothing yet.
    Unset,
    /// A scalar parameter of the kernel.
    Param(ParamId),
    Value(Value),
    Local(LocalId),
}

/// What a generic parameter stands for.
#[derive(Clone, Debug)]
enum Arg {
    Type(Scalar),
    Const(Extent),
}

/// Where `break` goes, and where it puts its value.
#[derive(Clone, Copy, Debug)]
struct Target {
    inst: InstId,
    result: Option<LocalId>,
}

/// A call of a function: the kernel's own, or one that is inlined.
struct Frame<'a> {
    function: &'a Function,
    generics: Vec<Arg>,
    vars: Vec<Binding>,
    labels: Vec<Option<Target>>,
    /// The IR's span of each place in the source, once one was needed.
    spans: Vec<Option<Span>>,
    /// Where `return` goes; `None` in the kernel.
    exit: Option<Target>,
}

impl<'a> Frame<'a> {
    fn new(function: &'a Function, generics: Vec<Arg>) -> Self {
        Self {
            function,
            generics,
            vars: vec![Binding::Unset; function.vars.len()],
            labels: vec![None; function.labels.len()],
            spans: vec![None; function.places.len()],
            exit: None,
        }
    }
}

struct Emit<'a> {
    functions: &'a [Function],
    options: &'a Options,
    errors: &'a mut Errors,
    build: Builder,
    spans: Vec<SpanRange>,
    levels: Vec<(Vec<Span>, String, Level)>,
    frame: Frame<'a>,
    nesting: usize,
}

impl Emit<'_> {
    /// The IR's span of a place in the function at hand.
    fn span(&mut self, at: At) -> Span {
        if let Some(span) = self.frame.spans[at.index()] {
            return span;
        }
        let span = Span::new(self.spans.len());
        self.spans.push(self.frame.function.places[at]);
        self.frame.spans[at.index()] = Some(span);
        span
    }

    fn inst(&mut self, at: At, op: Op, ty: impl Into<ir::Ty>) -> InstId {
        self.build.span = self.span(at);
        self.build.inst(op, ty)
    }

    /// Opens the first body of an instruction. Whatever happens in it, [`Builder::end`] follows.
    fn begin(&mut self, at: At, op: Op, ty: impl Into<ir::Ty>) -> Flow<InstId> {
        // The kernel's own body counts, and so does the one that is opened.
        if self.build.depth() + 2 > MAX_DEPTH {
            return Err(self.too_deep(at));
        }
        self.build.span = self.span(at);
        Ok(self.build.begin(op, ty))
    }

    fn too_deep(&mut self, at: At) -> Left {
        self.errors.advise(
            self.frame.function.places[at],
            "this kernel nests too deep once its device functions are inlined",
            "split it into kernels, or make its expressions and loops flatter",
        );
        Left
    }

    /// Something got here that inference should have refused.
    fn bug(&mut self, at: At) -> Left {
        let fact = "this could not be lowered: please report this bug of Warpwise";
        self.errors.report(self.frame.function.places[at], fact);
        Left
    }

    fn ty(&self, ty: Ty) -> Type {
        self.frame.function.types.get(ty)
    }

    /// The scalar that a type is, generic parameters bound; an atomic is that of its value.
    fn scalar_type(&self, ty: Ty) -> Option<Scalar> {
        match self.ty(ty) {
            Type::Prim(prim) | Type::Atomic(prim) => Some(prim.scalar()),
            Type::Generic(id) => match self.frame.generics.get(id.index()) {
                Some(Arg::Type(scalar)) => Some(*scalar),
                Some(Arg::Const(_)) | None => None,
            },
            Type::Unknown(_)
            | Type::Same(_)
            | Type::Reported(_)
            | Type::Unit
            | Type::Never
            | Type::Ref { .. }
            | Type::Slice(_)
            | Type::Array(..)
            | Type::Exchange(_) => None,
        }
    }

    fn scalar_of(&mut self, ty: Ty, at: At) -> Flow<Scalar> {
        self.scalar_type(ty).ok_or_else(|| self.bug(at))
    }

    /// An extent of the function at hand, generic parameters bound.
    fn extent(&mut self, extent: &Extent, at: At) -> Flow<Extent> {
        let generics = &self.frame.generics;
        let generic = |id: ir::GenericId| match generics.get(id.index()) {
            Some(Arg::Const(extent)) => extent.clone(),
            Some(Arg::Type(_)) | None => Extent::Generic(id),
        };
        let bound = extent.fold(&generic, &|scalar| scalar).and_then(|bound| bound.simplified());
        bound.ok_or_else(|| {
            let at = self.frame.function.places[at];
            self.errors.report(at, "a length here overflows or divides by zero");
            Left
        })
    }

    fn array_len(&mut self, len: super::types::Len, at: At) -> Flow<Extent> {
        match self.frame.function.types.extent(len) {
            Some(extent) => self.extent(&extent.clone(), at),
            None => Err(self.bug(at)),
        }
    }

    /// Bytes from one value of this type to the next.
    fn size(&mut self, ty: Ty, at: At) -> Flow<Extent> {
        if let Type::Array(elem, len) = self.ty(ty) {
            let (elem, len) = (self.size(elem, at)?, self.array_len(len, at)?);
            return self.product(elem, len, at);
        }
        let scalar = self.scalar_of(ty, at)?;
        Ok(match scalar.size() {
            Some(size) => Extent::Const(u64::from(size)),
            None => Extent::SizeOf(scalar),
        })
    }

    fn product(&mut self, a: Extent, b: Extent, at: At) -> Flow<Extent> {
        let product = Extent::Mul(Box::new(a), Box::new(b)).simplified();
        product.ok_or_else(|| {
            self.errors.report(self.frame.function.places[at], "this type is too large");
            Left
        })
    }

    /// A local of the IR for the function at hand.
    fn local(&mut self, name: &str, scalar: Scalar, at: At) -> LocalId {
        let span = self.span(at);
        self.build.kernel.locals.push(Local { name: name.into(), ty: scalar.into(), span })
    }

    /// Emits with lint levels that hold for what is emitted; outer levels come before inner ones.
    fn leveled<T>(&mut self, levels: &LintLevels, emit: impl FnOnce(&mut Self) -> T) -> T {
        let (first_level, first_span) = (self.levels.len(), self.spans.len());
        self.levels.extend(levels.iter().map(|(name, level)| (Vec::new(), name.clone(), *level)));
        let result = emit(self);
        let spans: Vec<Span> = (first_span..self.spans.len()).map(Span::new).collect();
        for level in &mut self.levels[first_level..first_level + levels.len()] {
            level.0.clone_from(&spans);
        }
        result
    }
}
