//! Calls of device functions: inlined, each with variables of its own.
use super::{Arg, Binding, Emit, Flow, Frame, Left, MAX_INSTS, Target, Value};
use crate::lower::tree::{Call, Expr, Function, GenericArg, Var};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, Body, Op},
};

impl Emit<'_> {
    pub(super) fn call(&mut self, call: &Call, expr: &Expr) -> Flow<Value> {
        let functions = self.functions;
        let Some(function) = functions.get(call.device) else { return Err(self.bug(expr.at)) };
        self.check_size(expr)?;
        let args: Vec<Value> = call.args.iter().map(|arg| self.value(arg)).collect::<Flow<_>>()?;
        let generics: Vec<Arg> =
            call.generics.iter().map(|arg| self.generic_arg(*arg, expr)).collect::<Flow<_>>()?;
        let result = if function.returns_early { self.result(expr)? } else { None };
        let block = match function.returns_early {
            true => {
                let op = Op::Block { body: Body::default() };
                Some(self.begin(expr.at, op, ir::Ty::Unit)?)
            }
            false => None,
        };
        let mut frame = Frame::new(function, generics);
        frame.exit = block.map(|inst| Target { inst, result });
        let caller = std::mem::replace(&mut self.frame, frame);
        let value = self.leveled(&function.levels, |this| this.inlined(function, &args));
        self.frame = caller;
        if block.is_none() {
            return value;
        }
        let ended = value.and_then(|value| self.put(result, value, expr.at));
        self.build.end();
        // Control comes back by `return`, if not by the end.
        match ended {
            Ok(()) | Err(Left) => Ok(self.take(result, expr.at)),
        }
    }

    /// The body of a function, in its own frame.
    fn inlined(&mut self, function: &Function, args: &[Value]) -> Flow<Value> {
        for (&var, arg) in function.params.iter().zip(args) {
            self.argument_to(var, arg.clone())?;
        }
        self.block(&function.body)
    }

    fn argument_to(&mut self, var: Var, arg: Value) -> Flow<()> {
        if self.frame.function.vars[var].settable {
            return self.bind(var, Some(arg));
        }
        self.frame.vars[var.index()] = Binding::Value(arg);
        Ok(())
    }

    /// What a generic parameter is, as the kernel sees it.
    fn generic_arg(&mut self, arg: GenericArg, expr: &Expr) -> Flow<Arg> {
        Ok(match arg {
            GenericArg::Type(ty) => Arg::Type(self.scalar_of(ty, expr.at)?),
            GenericArg::Const(len) => Arg::Const(self.array_len(len, expr.at)?),
        })
    }

    /// Functions that call each other twice, and so on, double with each.
    fn check_size(&mut self, expr: &Expr) -> Flow<()> {
        if self.build.kernel.insts.len() <= MAX_INSTS {
            return Ok(());
        }
        self.errors.advise(
            self.frame.function.places[expr.at],
            format_args!(
                "this kernel has more than {MAX_INSTS} instructions once its device functions are \
                 inlined"
            ),
            "split it into kernels",
        );
        Err(Left)
    }
}
