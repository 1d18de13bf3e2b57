//! Calls of device functions and closures: inlined, each with variables of its own.
mod builtin;
mod library;
pub(crate) mod pointer;

use crate::{
    hir::{Call, Closure, Expr, Function, Pattern, SpanId},
    infer::program::InstanceArgs,
    lower::{Captured, ClosureValue, Emit, Flow, Frame, Left, MAX_INSTS, Place, Target, Value},
    resolve::device_set::Callee,
    syntax::span::Origin,
    types::mono::{MAX_TYPE_PARTS, Mono},
};
use std::rc::Rc;
use warpwise_compiler::{
    id::Id as _,
    ir::{self, Body, Op},
};

impl Emit<'_> {
    pub(crate) fn call(&mut self, call: &Call, expr: &Expr) -> Flow<Value> {
        let given = self.given(call, expr)?;
        let mono = self.mono(expr.ty, expr.at)?;
        self.call_made(call.callee, given, &mono, expr.at, |this| {
            call.args.iter().map(|arg| this.value(arg)).collect()
        })
    }

    /// A call of the function that is made for these types, with a result of the type `mono`.
    pub(crate) fn call_made(
        &mut self,
        callee: Callee,
        given: InstanceArgs,
        mono: &Mono,
        at: SpanId,
        args: impl FnOnce(&mut Self) -> Flow<Vec<Value>>,
    ) -> Flow<Value> {
        self.check_size(at)?;
        let generics = self.frame.function.types.generics.clone();
        let mut parts = MAX_TYPE_PARTS;
        let is_small = given.args.iter().all(|arg| arg.fits_parts(&mut parts))
            && given.self_ty.as_ref().is_none_or(|this| this.fits_parts(&mut parts));
        if !is_small {
            self.errors.advise(
                self.range(at),
                format_args!("this is called for types of more than {MAX_TYPE_PARTS} parts"),
                "use smaller types: kernel code takes every value apart into its numbers",
            );
            return Err(Left);
        }
        let made = self.program.instantiate(callee, &given, &generics, self.errors);
        let args = args(self)?;
        // Without the function, what is wrong with it was reported.
        let function = made.ok_or(Left)?;
        self.check_recursion(callee, &given, at)?;
        let result = if function.returns_early { self.result_of(mono, at)? } else { None };
        let block = match function.returns_early {
            true => {
                let op = Op::Block { body: Body::default() };
                Some(self.begin(at, op, ir::Ty::Unit)?)
            }
            false => None,
        };
        let prelude = self.program.is_in_std_lib(callee.item);
        let called = if prelude { Some(self.span(at)) } else { self.frame.called };
        let origin = self.origin_of(callee, at);
        self.calls += 1;
        let mut frame = Frame::new(function.clone(), self.waiting.len(), self.calls);
        frame.of = Some((callee, given));
        frame.called = called.filter(|_| prelude);
        frame.checks_overflow = !prelude || checks_overflow(&function.name);
        frame.origin = origin;
        frame.contract = self.frame.contract;
        frame.exit = block.map(|inst| Target::new(inst, result.clone()));
        let caller = self.enter(frame);
        let value = self.leveled(&function.levels, |this| this.inlined(&function, &args));
        let value = value.map(|value| self.carried(value));
        self.leave_call(caller);
        if block.is_none() {
            return value;
        }
        let ended = value.and_then(|value| match &result {
            Some(place) => self.set(place, value, mono, at),
            None => Ok(()),
        });
        self.build.end();
        // Control comes back by `return`, if not by the end.
        match ended {
            Ok(()) | Err(Left) => self.take_of(result.as_ref(), mono, at),
        }
    }

    /// What a call gives: closures that live among its variables keep those, those that other closures have
    /// included.
    fn carried(&self, value: Value) -> Value {
        match value {
            Value::Closure(closure) => {
                let mut closure = (*closure).clone();
                for Captured { place, .. } in &mut closure.copies {
                    *place = self.carried_place(place.clone());
                }
                closure.kept = match closure.kept {
                    Some(kept) => {
                        let mut kept = (*kept).clone();
                        for var in &mut kept.vars {
                            *var = var.take().map(|place| self.carried_place(place));
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
                Value::Parts(parts.iter().map(|part| self.carried(part.clone())).collect())
            }
            Value::Ref(place) => Value::Ref(Box::new(self.carried_place(*place))),
            value => value,
        }
    }

    fn carried_place(&self, place: Place) -> Place {
        match place {
            Place::Value(value) => Place::Value(self.carried(value)),
            Place::Parts(parts) => {
                Place::Parts(parts.iter().map(|part| self.carried_place(part.clone())).collect())
            }
            place => place,
        }
    }

    /// Whose code is called. What is in another crate is seen where this one calls it.
    fn origin_of(&mut self, callee: Callee, at: SpanId) -> Origin {
        if !self.program.is_foreign(callee.item) {
            return Origin::Device;
        }
        match self.frame.origin {
            Origin::Foreign(call) => Origin::Foreign(call),
            Origin::Kernel | Origin::Device => Origin::Foreign(self.span(at)),
        }
    }

    /// Goes on in another call; yields the level of the one at hand.
    pub(crate) fn enter(&mut self, frame: Frame) -> usize {
        let level = self.frame.level;
        self.waiting.push(None);
        self.waiting[level] = Some(std::mem::replace(&mut self.frame, frame));
        level
    }

    pub(crate) fn leave_call(&mut self, caller: usize) {
        self.waiting.pop();
        if let Some(frame) = self.waiting[caller].take() {
            self.frame = frame;
        }
    }

    /// The body of a function, in its own frame.
    pub(crate) fn inlined(&mut self, function: &Function, args: &[Value]) -> Flow<Value> {
        self.bind_all(&function.params, args)?;
        self.block(&function.body)
    }

    fn bind_all(&mut self, params: &[Pattern], args: &[Value]) -> Flow<()> {
        for (param, arg) in params.iter().zip(args) {
            self.bind_value(param, arg.clone())?;
        }
        Ok(())
    }

    /// What a function is called for, as the kernel sees it.
    fn given(&mut self, call: &Call, expr: &Expr) -> Flow<InstanceArgs> {
        let function = self.frame.function.clone();
        let types = &function.types;
        let args = call.generics.iter().map(|arg| types.arg_to_mono(*arg)).collect::<Option<_>>();
        let this = call.self_ty.map(|this| types.to_mono(this));
        match (args, this) {
            (Some(args), None) => Ok(InstanceArgs { args, self_ty: None }),
            (Some(args), Some(Some(this))) => Ok(InstanceArgs { args, self_ty: Some(this) }),
            _ => {
                self.errors.advise(
                    self.range(expr.at),
                    "the types that this is called for are not known",
                    "write them: `name::<f32>(..)`, or give a variable its type",
                );
                Err(Left)
            }
        }
    }

    fn check_recursion(&mut self, of: Callee, given: &InstanceArgs, at: SpanId) -> Flow<()> {
        let frames = self.waiting.iter().flatten().chain([&self.frame]);
        // What a pointer leads to a second time is seen where it is called.
        let pointed = frames.clone().filter(|frame| frame.is_pointed).map(|frame| frame.level);
        let pointed = pointed.max().unwrap_or_default();
        let again = frames
            .filter(|frame| frame.level >= pointed)
            .filter_map(|frame| frame.of.as_ref())
            .any(|(callee, by)| *callee == of && by == given);
        if !again {
            return Ok(());
        }
        self.errors.advise(
            self.range(at),
            "kernel code cannot recurse: this function calls itself, perhaps by way of others",
            "write a loop",
        );
        Err(Left)
    }

    /// Functions that call each other twice, and so on, double with each.
    pub(crate) fn check_size(&mut self, at: SpanId) -> Flow<()> {
        if self.build.kernel.insts.len() <= MAX_INSTS {
            return Ok(());
        }
        self.errors.advise(
            self.range(at),
            format_args!(
                "this kernel has more than {MAX_INSTS} instructions once its device functions are \
                 inlined"
            ),
            "split it into kernels",
        );
        Err(Left)
    }

    /// A closure, with copies of what a `move` closure captures.
    pub(crate) fn closure(&mut self, closure: &Rc<Closure>) -> Value {
        let function = self.frame.function.clone();
        let mut copies = Vec::new();
        for &var in &closure.copies {
            let variable = &function.vars[var];
            // What is not a value, or not set yet, is what it is.
            let (Some(place), true) = (self.frame.vars[var.index()].clone(), variable.settable)
            else {
                continue;
            };
            let Some(mono) = function.types.to_mono(variable.ty) else { continue };
            let copy = self.get(&place, &mono, variable.at).and_then(|value| {
                self.variable(value, &mono, variable.name.trim_start_matches("r#"), variable.at)
            });
            copies.extend(copy.ok().map(|place| Captured { var, place, mono }));
        }
        Value::Closure(Rc::new(ClosureValue {
            closure: closure.clone(),
            level: self.frame.level,
            serial: self.frame.serial,
            copies,
            kept: None,
        }))
    }

    /// A value whose closures go on by themselves with what those of `value` have captured.
    pub(crate) fn with_own_closures(&mut self, value: &Value, at: SpanId) -> Flow<Value> {
        match value {
            Value::Closure(closure) if !closure.copies.is_empty() => {
                let mut own = (**closure).clone();
                for Captured { place, mono, .. } in &mut own.copies {
                    let value = self.get(place, mono, at)?;
                    *place = self.variable(value, mono, "", at)?;
                }
                Ok(Value::Closure(Rc::new(own)))
            }
            Value::Parts(parts) if parts.iter().any(captures) => {
                let parts = parts.iter().map(|part| self.with_own_closures(part, at));
                Ok(Value::Parts(parts.collect::<Flow<_>>()?))
            }
            value => Ok(value.clone()),
        }
    }

    /// A call of a closure: its body, among the variables of where it was made.
    pub(crate) fn invoke(&mut self, callee: &Expr, args: &[Expr], expr: &Expr) -> Flow<Value> {
        self.check_size(expr.at)?;
        let of = self.mono(callee.ty, callee.at)?;
        let value = match of {
            Mono::Pointer(_) => self.value(callee)?,
            _ => match self.place(callee)? {
                Place::Value(value) => value,
                _ => return Err(self.bug(callee.at)),
            },
        };
        let args: Vec<Value> = args.iter().map(|arg| self.value(arg)).collect::<Flow<_>>()?;
        self.call_value(&value, &of, &args, expr.at)
    }

    /// A call of a closure or function pointer with these arguments.
    pub(crate) fn call_value(
        &mut self,
        closure: &Value,
        mono: &Mono,
        args: &[Value],
        at: SpanId,
    ) -> Flow<Value> {
        match (closure, mono) {
            (Value::Closure(value), Mono::Closure(ty)) => {
                self.called(&value.clone(), args, &ty.ret, at)
            }
            (Value::Scalar(number), Mono::Pointer(_)) => self.call_pointed(*number, mono, args, at),
            _ => Err(self.bug(at)),
        }
    }

    /// The body of a closure that yields a value of this type.
    pub(crate) fn called(
        &mut self,
        value: &ClosureValue,
        args: &[Value],
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Value> {
        let closure = &value.closure;
        let result = if closure.returns_early { self.result_of(mono, at)? } else { None };
        let block = match closure.returns_early {
            true => Some(self.begin(at, Op::Block { body: Body::default() }, ir::Ty::Unit)?),
            false => None,
        };
        let exit = block.map(|inst| Target::new(inst, result.clone()));
        let emitted = self.in_frame_of(value, exit, at, |this| {
            this.leveled(&closure.levels, |this| {
                this.bind_all(&closure.params, args)?;
                this.value(&closure.body)
            })
        });
        if block.is_none() {
            return emitted;
        }
        let ended = emitted.and_then(|value| match &result {
            Some(place) => self.set(place, value, mono, at),
            None => Ok(()),
        });
        self.build.end();
        match ended {
            Ok(()) | Err(Left) => self.take_of(result.as_ref(), mono, at),
        }
    }

    /// Emits among the variables of where a closure was made.
    fn in_frame_of(
        &mut self,
        value: &ClosureValue,
        exit: Option<Target>,
        at: SpanId,
        emit: impl FnOnce(&mut Self) -> Flow<Value>,
    ) -> Flow<Value> {
        if let Some(kept) = &value.kept
            && self.frame.serial != value.serial
        {
            return self.in_kept(&(**kept).clone(), value, exit, emit);
        }
        let caller = self.frame.level;
        if self.frame.serial == value.serial {
            return self.among_copies(value, exit, emit);
        }
        if value.level != caller {
            let found = self.waiting.get_mut(value.level).and_then(Option::take);
            let Some(frame) = found else { return Err(self.escaped(at)) };
            self.waiting[caller] = Some(std::mem::replace(&mut self.frame, frame));
        }
        if self.frame.serial != value.serial {
            return Err(self.escaped(at));
        }
        let result = self.among_copies(value, exit, emit);
        if value.level != caller
            && let Some(frame) = self.waiting[caller].take()
        {
            self.waiting[value.level] = Some(std::mem::replace(&mut self.frame, frame));
        }
        result
    }

    /// Emits among the variables of a call that has come back.
    fn in_kept(
        &mut self,
        kept: &Frame,
        value: &ClosureValue,
        exit: Option<Target>,
        emit: impl FnOnce(&mut Self) -> Flow<Value>,
    ) -> Flow<Value> {
        let frame = Frame { level: self.waiting.len(), ..kept.clone() };
        let caller = self.enter(frame);
        let result = self.among_copies(value, exit, emit);
        let result = result.map(|value| self.carried(value));
        self.leave_call(caller);
        result
    }

    /// Emits in the frame at hand, with the copies that a closure took.
    fn among_copies(
        &mut self,
        value: &ClosureValue,
        exit: Option<Target>,
        emit: impl FnOnce(&mut Self) -> Flow<Value>,
    ) -> Flow<Value> {
        let exit_before = std::mem::replace(&mut self.frame.exit, exit);
        let copied: Vec<_> = value
            .copies
            .iter()
            .map(|Captured { var, place, .. }| {
                let of = &mut self.frame.vars[var.index()];
                (*var, of.replace(place.clone()))
            })
            .collect();
        let result = emit(self);
        for (var, before) in copied {
            self.frame.vars[var.index()] = before;
        }
        self.frame.exit = exit_before;
        result
    }

    fn escaped(&mut self, at: SpanId) -> Left {
        self.errors.advise(
            self.range(at),
            "kernel code cannot return closures",
            "call the closure where it is made, or hand it down to a function",
        );
        Left
    }
}

/// Whether there is a closure in a value that has copies of what it captured.
fn captures(value: &Value) -> bool {
    match value {
        Value::Closure(closure) => !closure.copies.is_empty(),
        Value::Parts(parts) => parts.iter().any(captures),
        _ => false,
    }
}

/// Whether a function of the prelude overflows as the code that calls it does, as sums of std's do.
fn checks_overflow(name: &str) -> bool {
    matches!(name, "sum_of_integers" | "product_of_integers")
}
