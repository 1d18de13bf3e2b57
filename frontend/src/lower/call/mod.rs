//! Calls of device functions and closures: inlined, each with variables of its own.
mod builtin;
pub(crate) mod grid_dependency;
mod library;
mod named_barrier;
pub(crate) mod pointer;
mod wgmma;

use crate::{
    hir::{Call, Closure, Expr, Function, Pattern, SpanId},
    infer::program::InstanceArgs,
    lower::{
        CapturedVar, ClosureValue, Diverged, Flow, Frame, JumpTarget, Lowerer, MAX_INSTS, Place,
        Value,
    },
    resolve::device_set::Callee,
    syntax::span::Origin,
    types::mono::{MAX_TYPE_PARTS, Mono},
};
use std::rc::Rc;
use warpwise_compiler::{
    id::Id as _,
    ir::{self, Body, Op},
};

impl Lowerer<'_> {
    pub(crate) fn lower_call(&mut self, call: &Call, expr: &Expr) -> Flow<Value> {
        let given = self.instance_args(call, expr)?;
        let mono = self.mono_type(expr.ty, expr.at)?;
        self.call_instance(call.callee, given, &mono, expr.at, |this| {
            call.args.iter().map(|arg| this.lower_value(arg)).collect()
        })
    }

    /// Calls the function instance for these generic arguments, with a result of type `mono`.
    pub(crate) fn call_instance(
        &mut self,
        callee: Callee,
        given: InstanceArgs,
        mono: &Mono,
        at: SpanId,
        args: impl FnOnce(&mut Self) -> Flow<Vec<Value>>,
    ) -> Flow<Value> {
        self.check_inst_count(at)?;
        let generics = self.frame.function.types.generics.clone();
        // Refuse huge types before the function is inferred for them.
        let mut parts = MAX_TYPE_PARTS;
        let is_small = given.args.iter().all(|arg| arg.fits_parts(&mut parts))
            && given.self_ty.as_ref().is_none_or(|this| this.fits_parts(&mut parts));
        if !is_small {
            self.errors.advise(
                self.source_range(at),
                format_args!("this is called for types of more than {MAX_TYPE_PARTS} parts"),
                "use smaller types: kernel code takes every value apart into its numbers",
            );
            return Err(Diverged);
        }
        let made = self.program.instantiate(callee, &given, &generics, self.errors);
        // Lower the arguments even if the function is wrong, so that their errors are reported,
        // too.
        let args = args(self)?;
        // Without an instance, its errors were reported already.
        let function = made.ok_or(Diverged)?;
        self.check_recursion(callee, &given, at)?;
        let result = if function.returns_early { self.new_result_of_type(mono, at)? } else { None };
        let block = if function.returns_early {
            let op = Op::Block { body: Body::default() };
            Some(self.begin_body(at, op, ir::Ty::Unit)?)
        } else {
            None
        };
        let prelude = self.program.is_in_std_lib(callee.item);
        let call_span = (prelude || function.tracks_caller).then(|| self.ir_span(at));
        let origin = self.origin_of(callee, at);
        self.call_count += 1;
        let mut frame = Frame::new(function.clone(), self.callers.len(), self.call_count);
        frame.callee = Some((callee, given));
        frame.call_span = call_span;
        frame.checks_overflow = !prelude || inherits_overflow_checks(&function.name);
        frame.origin = origin;
        frame.contract = self.frame.contract;
        frame.exit = block.map(|inst| JumpTarget::new(inst, result.clone()));
        let caller = self.enter_frame(frame);
        let value =
            self.with_lint_levels(&function.levels, |this| this.inline_body(&function, &args));
        let value = value.map(|value| self.detach_value(value));
        self.leave_frame(caller);
        if block.is_none() {
            return value;
        }
        let ended = value.and_then(|value| match &result {
            Some(place) => self.write_place(place, value, mono, at),
            None => Ok(()),
        });
        self.build.end();
        // Control may return through `return` even if the end of the body is not reached.
        match ended {
            Ok(()) | Err(Diverged) => self.take_result_of_type(result.as_ref(), mono, at),
        }
    }

    /// Detaches a call's result from its frame: closures that use the frame's variables, including
    /// closures inside other closures, keep a copy of the frame.
    fn detach_value(&self, value: Value) -> Value {
        match value {
            Value::Closure(closure) => {
                let mut closure = (*closure).clone();
                for CapturedVar { place, .. } in &mut closure.copies {
                    *place = self.detach_place(place.clone());
                }
                closure.returned_frame = match closure.returned_frame {
                    Some(kept) => {
                        let mut kept = (*kept).clone();
                        for var in &mut kept.vars {
                            *var = var.take().map(|place| self.detach_place(place));
                        }
                        Some(Rc::new(kept))
                    }
                    None if closure.serial == self.frame.serial => {
                        Some(Rc::new(self.frame.clone()))
                    }
                    None => None,
                };
                Value::Closure(Rc::new(closure))
            }
            Value::Parts(parts) => {
                Value::Parts(parts.iter().map(|part| self.detach_value(part.clone())).collect())
            }
            Value::Ref(place) => Value::Ref(Box::new(self.detach_place(*place))),
            value => value,
        }
    }

    fn detach_place(&self, place: Place) -> Place {
        match place {
            Place::Value(value) => Place::Value(self.detach_value(value)),
            Place::Parts(parts) => {
                Place::Parts(parts.iter().map(|part| self.detach_place(part.clone())).collect())
            }
            place => place,
        }
    }

    /// Returns the owner of a callee's code. Code of another crate is attributed to the call in
    /// this crate.
    fn origin_of(&mut self, callee: Callee, at: SpanId) -> Origin {
        if !self.program.is_foreign(callee.item) {
            return Origin::Device;
        }
        match self.frame.origin {
            Origin::Foreign(call) => Origin::Foreign(call),
            Origin::Kernel | Origin::Device => Origin::Foreign(self.ir_span(at)),
        }
    }

    /// Makes `frame` the current call; returns the level of the caller.
    pub(crate) fn enter_frame(&mut self, frame: Frame) -> usize {
        let level = self.frame.level;
        self.callers.push(None);
        self.callers[level] = Some(std::mem::replace(&mut self.frame, frame));
        level
    }

    pub(crate) fn leave_frame(&mut self, caller: usize) {
        self.callers.pop();
        if let Some(frame) = self.callers[caller].take() {
            self.frame = frame;
        }
    }

    /// Lowers the body of a function in its own frame.
    pub(crate) fn inline_body(&mut self, function: &Function, args: &[Value]) -> Flow<Value> {
        self.bind_params(&function.params, args)?;
        self.lower_block(&function.body)
    }

    fn bind_params(&mut self, params: &[Pattern], args: &[Value]) -> Flow<()> {
        for (param, arg) in params.iter().zip(args) {
            self.bind_value(param, arg.clone())?;
        }
        Ok(())
    }

    /// Returns the generic arguments of a call in terms of the kernel's parameters.
    fn instance_args(&mut self, call: &Call, expr: &Expr) -> Flow<InstanceArgs> {
        let function = self.frame.function.clone();
        let types = &function.types;
        let args = call.generics.iter().map(|arg| types.arg_to_mono(*arg)).collect::<Option<_>>();
        let this = call.self_ty.map(|this| types.to_mono(this));
        match (args, this) {
            (Some(args), None) => Ok(InstanceArgs { args, self_ty: None }),
            (Some(args), Some(Some(this))) => Ok(InstanceArgs { args, self_ty: Some(this) }),
            _ => {
                self.errors.advise(
                    self.source_range(expr.at),
                    "the types that this is called for are not known",
                    "write them: `name::<f32>(..)`, or give a variable its type",
                );
                Err(Diverged)
            }
        }
    }

    fn check_recursion(&mut self, callee: Callee, given: &InstanceArgs, at: SpanId) -> Flow<()> {
        let frames = self.callers.iter().flatten().chain([&self.frame]);
        // Recursion through a pointer is detected at the call of the pointer, so frames below the
        // innermost pointee do not count.
        let pointed = frames.clone().filter(|frame| frame.is_pointee).map(|frame| frame.level);
        let pointed = pointed.max().unwrap_or_default();
        let again = frames
            .filter(|frame| frame.level >= pointed)
            .filter_map(|frame| frame.callee.as_ref())
            .any(|(caller, generics)| *caller == callee && generics == given);
        if !again {
            return Ok(());
        }
        self.errors.advise(
            self.source_range(at),
            "kernel code cannot recurse: this function calls itself, perhaps by way of others",
            "write a loop",
        );
        Err(Diverged)
    }

    /// Limits the size of the kernel: functions that call each other twice, and so on, double it
    /// with each level.
    pub(crate) fn check_inst_count(&mut self, at: SpanId) -> Flow<()> {
        if self.build.kernel.insts.len() <= MAX_INSTS {
            return Ok(());
        }
        self.errors.advise(
            self.source_range(at),
            format_args!(
                "this kernel has more than {MAX_INSTS} instructions once its device functions are \
                 inlined"
            ),
            "split it into kernels",
        );
        Err(Diverged)
    }

    /// Creates a closure, with copies of the captures of a `move` closure.
    pub(crate) fn create_closure(&mut self, closure: &Rc<Closure>) -> Value {
        let function = self.frame.function.clone();
        let mut copies = Vec::new();
        for &var in &closure.copies {
            let variable = &function.vars[var];
            // A variable that cannot be assigned, or has no value yet, needs no copy.
            let (Some(place), true) = (self.frame.vars[var.index()].clone(), variable.settable)
            else {
                continue;
            };
            let Some(mono) = function.types.to_mono(variable.ty) else { continue };
            let copy = self.read_place(&place, &mono, variable.at).and_then(|value| {
                self.new_variable(value, &mono, variable.name.trim_start_matches("r#"), variable.at)
            });
            copies.extend(copy.ok().map(|place| CapturedVar { var, place, mono }));
        }
        Value::Closure(Rc::new(ClosureValue {
            closure: closure.clone(),
            level: self.frame.level,
            serial: self.frame.serial,
            copies,
            returned_frame: None,
        }))
    }

    /// Returns a value whose closures own copies of their captures, independent of those in
    /// `value`.
    pub(crate) fn copy_captures(&mut self, value: &Value, at: SpanId) -> Flow<Value> {
        match value {
            Value::Closure(closure) if !closure.copies.is_empty() => {
                let mut own = (**closure).clone();
                for CapturedVar { place, mono, .. } in &mut own.copies {
                    let value = self.read_place(place, mono, at)?;
                    *place = self.new_variable(value, mono, "", at)?;
                }
                Ok(Value::Closure(Rc::new(own)))
            }
            Value::Parts(parts) if parts.iter().any(has_captured_copies) => {
                let parts = parts.iter().map(|part| self.copy_captures(part, at));
                Ok(Value::Parts(parts.collect::<Flow<_>>()?))
            }
            value => Ok(value.clone()),
        }
    }

    /// Lowers a call of a closure or function pointer.
    pub(crate) fn lower_invoke(
        &mut self,
        callee: &Expr,
        args: &[Expr],
        expr: &Expr,
    ) -> Flow<Value> {
        self.check_inst_count(expr.at)?;
        let callee_type = self.mono_type(callee.ty, callee.at)?;
        let value = match callee_type {
            Mono::Pointer(_) => self.lower_value(callee)?,
            _ => match self.lower_place(callee)? {
                Place::Value(value) => value,
                _ => return Err(self.report_bug(callee.at)),
            },
        };
        let args: Vec<Value> = args.iter().map(|arg| self.lower_value(arg)).collect::<Flow<_>>()?;
        self.call_value(&value, &callee_type, &args, expr.at)
    }

    /// Calls a closure or function pointer with these arguments.
    pub(crate) fn call_value(
        &mut self,
        closure: &Value,
        mono: &Mono,
        args: &[Value],
        at: SpanId,
    ) -> Flow<Value> {
        match (closure, mono) {
            (Value::Closure(value), Mono::Closure(ty)) => {
                self.call_closure(&value.clone(), args, &ty.ret, at)
            }
            (Value::Scalar(number), Mono::Pointer(_)) => self.call_pointer(*number, mono, args, at),
            _ => Err(self.report_bug(at)),
        }
    }

    /// Inlines the body of a closure whose result has this type.
    pub(crate) fn call_closure(
        &mut self,
        value: &ClosureValue,
        args: &[Value],
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Value> {
        let closure = &value.closure;
        let result = if closure.returns_early { self.new_result_of_type(mono, at)? } else { None };
        let block = if closure.returns_early {
            Some(self.begin_body(at, Op::Block { body: Body::default() }, ir::Ty::Unit)?)
        } else {
            None
        };
        let exit = block.map(|inst| JumpTarget::new(inst, result.clone()));
        let lowered = self.in_closure_frame(value, exit, at, |this| {
            this.with_lint_levels(&closure.levels, |this| {
                this.bind_params(&closure.params, args)?;
                this.lower_value(&closure.body)
            })
        });
        if block.is_none() {
            return lowered;
        }
        let ended = lowered.and_then(|value| match &result {
            Some(place) => self.write_place(place, value, mono, at),
            None => Ok(()),
        });
        self.build.end();
        match ended {
            Ok(()) | Err(Diverged) => self.take_result_of_type(result.as_ref(), mono, at),
        }
    }

    /// Runs `work` in the frame that created the closure.
    fn in_closure_frame(
        &mut self,
        value: &ClosureValue,
        exit: Option<JumpTarget>,
        at: SpanId,
        work: impl FnOnce(&mut Self) -> Flow<Value>,
    ) -> Flow<Value> {
        // Three cases, in this order: the creating call has returned and only its copy is left; it
        // is the current call; it is a pending caller, whose frame is swapped with the current one.
        if let Some(kept) = &value.returned_frame
            && self.frame.serial != value.serial
        {
            return self.in_returned_frame(&(**kept).clone(), value, exit, work);
        }
        let caller = self.frame.level;
        if self.frame.serial == value.serial {
            return self.with_captured_copies(value, exit, work);
        }
        if value.level != caller {
            let found = self.callers.get_mut(value.level).and_then(Option::take);
            let Some(frame) = found else { return Err(self.report_escaped_closure(at)) };
            self.callers[caller] = Some(std::mem::replace(&mut self.frame, frame));
        }
        if self.frame.serial != value.serial {
            return Err(self.report_escaped_closure(at));
        }
        let result = self.with_captured_copies(value, exit, work);
        if value.level != caller
            && let Some(frame) = self.callers[caller].take()
        {
            self.callers[value.level] = Some(std::mem::replace(&mut self.frame, frame));
        }
        result
    }

    /// Runs `work` in the frame of a call that has returned.
    fn in_returned_frame(
        &mut self,
        kept: &Frame,
        value: &ClosureValue,
        exit: Option<JumpTarget>,
        work: impl FnOnce(&mut Self) -> Flow<Value>,
    ) -> Flow<Value> {
        let frame = Frame { level: self.callers.len(), ..kept.clone() };
        let caller = self.enter_frame(frame);
        let result = self.with_captured_copies(value, exit, work);
        let result = result.map(|value| self.detach_value(value));
        self.leave_frame(caller);
        result
    }

    /// Runs `work` in the current frame, with the closure's own copies of its captures.
    fn with_captured_copies(
        &mut self,
        value: &ClosureValue,
        exit: Option<JumpTarget>,
        work: impl FnOnce(&mut Self) -> Flow<Value>,
    ) -> Flow<Value> {
        let exit_before = std::mem::replace(&mut self.frame.exit, exit);
        let copied: Vec<_> = value
            .copies
            .iter()
            .map(|CapturedVar { var, place, .. }| {
                let slot = &mut self.frame.vars[var.index()];
                (*var, slot.replace(place.clone()))
            })
            .collect();
        let result = work(self);
        for (var, before) in copied {
            self.frame.vars[var.index()] = before;
        }
        self.frame.exit = exit_before;
        result
    }

    fn report_escaped_closure(&mut self, at: SpanId) -> Diverged {
        self.errors.advise(
            self.source_range(at),
            "kernel code cannot return closures",
            "call the closure where it is made, or hand it down to a function",
        );
        Diverged
    }
}

/// Returns true if a value contains a closure with copies of its captures.
fn has_captured_copies(value: &Value) -> bool {
    match value {
        Value::Closure(closure) => !closure.copies.is_empty(),
        Value::Parts(parts) => parts.iter().any(has_captured_copies),
        _ => false,
    }
}

/// Returns true if a function of the std library takes its overflow checks from its caller, as
/// std's sums do.
fn inherits_overflow_checks(name: &str) -> bool {
    matches!(name, "sum_of_integers" | "product_of_integers")
}
