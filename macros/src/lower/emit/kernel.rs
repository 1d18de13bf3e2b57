//! The kernel itself: its signature, then its body.
use super::{Arg, Binding, Emit, Flow, Frame, Left, Length, Memory, Place, Pointer, Value};
use crate::{
    attr::Options,
    lower::{
        error::Errors,
        span::SpanRange,
        tree::{At, Function, GenericKind, Var},
        types::{Ty, Type},
    },
};
use warpwise_compiler::{
    id::{Id as _, Table},
    ir::{self, Access, Builder, Extent, Generic, Kernel, Op, Param, ParamKind, Scalar, Span},
    lint::Levels,
};

/// A kernel with where its spans are, and the levels of lints.
pub(in crate::lower) struct Emitted {
    pub(in crate::lower) kernel: Kernel,
    pub(in crate::lower) spans: Vec<SpanRange>,
    pub(in crate::lower) levels: Levels,
}

/// Emits a kernel; `None` if something was reported.
pub(in crate::lower) fn kernel(
    function: &Function,
    functions: &[Function],
    options: &Options,
    errors: &mut Errors,
) -> Option<Emitted> {
    let generics = own_generics(function);
    let mut emit = Emit {
        functions,
        options,
        errors,
        build: Builder::new(function.name.trim_start_matches("r#")),
        spans: Vec::new(),
        levels: Vec::new(),
        frame: Frame::new(function, generics),
        nesting: 0,
    };
    emit.build.kernel.wide_index = options.wide_index;
    emit.signature().ok()?;
    // A body that leaves by `return` has left no less than one that ends.
    let _ = emit.block(&function.body);
    emit.errors.is_empty().then(|| Emitted {
        kernel: emit.build.finish(),
        spans: emit.spans,
        levels: Levels { kernel: function.levels.clone(), spans: emit.levels },
    })
}

/// The kernel's generic parameters stand for themselves.
fn own_generics(function: &Function) -> Vec<Arg> {
    let ids = (0..function.generics.len()).map(ir::GenericId::new);
    let arg = |(id, generic): (ir::GenericId, &crate::lower::tree::Generic)| match generic.kind {
        GenericKind::Type(_) => Arg::Type(Scalar::Generic(id)),
        GenericKind::Const(_) | GenericKind::Open(_) => Arg::Const(Extent::Generic(id)),
    };
    ids.zip(&function.generics).map(arg).collect()
}

impl Emit<'_> {
    fn signature(&mut self) -> Flow<()> {
        let function = self.frame.function;
        for generic in &function.generics {
            let kind = match generic.kind {
                GenericKind::Type(bound) => ir::GenericKind::Type(bound),
                GenericKind::Const(prim) => ir::GenericKind::Const(prim.scalar()),
                GenericKind::Open(ty) => self.open(ty, generic.at)?,
            };
            let span = Span::new(self.spans.len());
            self.spans.push(generic.at);
            let name = generic.name.clone();
            self.build.kernel.generics.push(Generic { name, kind, span });
        }
        self.build.kernel.block = function.block.clone();
        let params: Vec<(Var, Param)> =
            function.params.iter().map(|var| Ok((*var, self.param(*var)?))).collect::<Flow<_>>()?;
        self.build.kernel.params =
            params.iter().map(|(_, param)| param.clone()).collect::<Table<_, _>>();
        for (index, (var, param)) in params.iter().enumerate() {
            self.bind_param(*var, ir::ParamId::new(index), param)?;
        }
        Ok(())
    }

    fn open(&mut self, ty: Ty, at: SpanRange) -> Flow<ir::GenericKind> {
        match self.ty(ty) {
            Type::Prim(prim) => Ok(ir::GenericKind::Const(prim.scalar())),
            _ => {
                self.errors.report(at, "an open constant is a number or `bool`");
                Err(Left)
            }
        }
    }

    fn param(&mut self, var: Var) -> Flow<Param> {
        let variable = &self.frame.function.vars[var];
        let (ty, at) = (variable.ty, variable.at);
        let name = variable.name.trim_start_matches("r#").to_owned();
        let kind = match self.ty(ty) {
            Type::Ref { mutable, to } => self.slice(mutable, to, at)?,
            _ => ParamKind::Scalar(self.scalar_of(ty, at)?),
        };
        Ok(Param { name, kind, span: self.span(at) })
    }

    fn slice(&mut self, mutable: bool, to: Ty, at: At) -> Flow<ParamKind> {
        let Type::Slice(elem) = self.ty(to) else { return Err(self.bug(at)) };
        let access = match (self.ty(elem), mutable) {
            (Type::Atomic(..), _) => Access::Atomic,
            (_, false) => Access::Read,
            (_, true) => Access::Write,
        };
        Ok(ParamKind::Slice { elem: self.scalar_of(elem, at)?.into(), access })
    }

    fn bind_param(&mut self, var: Var, id: ir::ParamId, param: &Param) -> Flow<()> {
        let variable = &self.frame.function.vars[var];
        let (at, mutable) = (variable.at, variable.mutable);
        let binding = match &param.kind {
            ParamKind::Slice { .. } => {
                let len = Some(Length::Param(id));
                let memory = Memory { ptr: Pointer::Param(id), len, scope: None };
                Binding::Value(Value::Ref(Box::new(Place::Memory(memory))))
            }
            ParamKind::Scalar(_) if !mutable => Binding::Param(id),
            ParamKind::Scalar(scalar) => {
                let local = self.local(&param.name, *scalar, at);
                let value = self.inst(at, Op::Param(id), *scalar);
                self.inst(at, Op::Set { local, value }, ir::Ty::Unit);
                Binding::Local(local)
            }
        };
        self.frame.vars[var.index()] = binding;
        Ok(())
    }
}
