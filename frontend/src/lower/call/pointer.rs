//! Function pointers: numbers of what they may point to.
//!
//! Everything that becomes a pointer in a kernel is in one list, and what points to it is its number there. A call
//! through a pointer asks for the number and has the body of each that is of the pointer's type; where the
//! number is known there is nothing to ask.
use crate::{
    hir::{Closure, Expr, SpanId},
    lower::{ClosureValue, Emit, Flow, Frame, Left, Place, Value},
    types::mono::Mono,
};
use std::rc::Rc;
use warpwise_compiler::ir::{self, Body, CompareOp, InstId, Op, Scalar};

/// What a function pointer is in the IR.
pub(crate) const POINTER: Scalar = Scalar::U32;

/// What a function pointer may point to.
#[derive(Debug)]
pub(crate) struct Pointed {
    closure: Rc<Closure>,
    /// The type of pointers to it.
    mono: Mono,
    /// A call of the function that it is written in, of which it has no variables.
    frame: Rc<Frame>,
}

impl Emit<'_> {
    /// A closure, or a function that is called by one, as a function pointer.
    pub(crate) fn pointer_to(&mut self, closure: &Expr, expr: &Expr) -> Flow<Value> {
        let mono = self.mono(expr.ty, expr.at)?;
        let Place::Value(Value::Closure(value)) = self.place(closure)? else {
            return Err(self.bug(expr.at));
        };
        let known = self.pointed.iter().position(|pointed| {
            Rc::ptr_eq(&pointed.closure, &value.closure) && pointed.mono == mono
        });
        let number = match known {
            Some(number) => number,
            None => {
                let Some(home) = self.home(&value) else { return Err(self.bug(expr.at)) };
                let frame = Frame {
                    vars: vec![None; home.vars.len()],
                    labels: vec![None; home.labels.len()],
                    shared: Vec::new(),
                    spans: vec![None; home.spans.len()],
                    is_pointed: true,
                    ..home.clone()
                };
                let frame = Rc::new(frame);
                self.pointed.push(Pointed { closure: value.closure.clone(), mono, frame });
                self.pointed.len() - 1
            }
        };
        Ok(Value::Scalar(self.bits(number as u64, POINTER, expr.at)))
    }

    /// The call in which a closure was made.
    fn home<'h>(&'h self, value: &'h ClosureValue) -> Option<&'h Frame> {
        if let Some(kept) = &value.kept {
            return Some(kept);
        }
        let mut calls = self.waiting.iter().flatten().chain([&self.frame]);
        calls.find(|frame| frame.serial == value.serial)
    }

    /// A call of what a function pointer points to.
    pub(crate) fn call_pointed(
        &mut self,
        number: InstId,
        mono: &Mono,
        args: &[Value],
        at: SpanId,
    ) -> Flow<Value> {
        let Mono::Pointer(signature) = mono else { return Err(self.bug(at)) };
        let Some(ret) = crate::types::mono::type_args(signature).pop() else {
            return Err(self.bug(at));
        };
        if let Op::Const(number) = self.build.kernel.insts[number].op {
            return self.call_numbered(number as usize, args, &ret, at);
        }
        self.known_pointed.get_or_insert(self.pointed.len());
        let all = self.pointed.iter().enumerate();
        let all = all.filter(|(_, pointed)| pointed.mono == *mono).map(|(number, _)| number);
        let all: Vec<usize> = all.collect();
        // If there is nothing to point to, nothing comes here.
        let Some((last, before)) = all.split_last() else { return Err(Left) };
        if before.is_empty() {
            return self.call_numbered(*last, args, &ret, at);
        }
        let result = self.result_of(&ret, at)?;
        let (mut opened, mut comes_back) = (0, false);
        let mut called = Ok(());
        for other in before {
            let other_number = self.bits(*other as u64, POINTER, at);
            let cond = self.compare(CompareOp::Eq, number, other_number, at);
            called = self
                .begin(
                    at,
                    Op::If { cond, then: Body::default(), other: Body::default() },
                    ir::Ty::Unit,
                )
                .map(|_| ());
            if called.is_err() {
                break;
            }
            opened += 1;
            comes_back |= self.put_numbered(*other, args, &ret, result.as_ref(), at).is_ok();
            self.build.otherwise();
        }
        if called.is_ok() {
            comes_back |= self.put_numbered(*last, args, &ret, result.as_ref(), at).is_ok();
        }
        self.close(opened);
        called?;
        match comes_back {
            true => self.take_of(result.as_ref(), &ret, at),
            false => Err(Left),
        }
    }

    fn put_numbered(
        &mut self,
        number: usize,
        args: &[Value],
        ret: &Mono,
        result: Option<&Place>,
        at: SpanId,
    ) -> Flow<()> {
        let value = self.call_numbered(number, args, ret, at)?;
        match result {
            Some(place) => self.set(place, value, ret, at),
            None => Ok(()),
        }
    }

    /// A call of what has this number.
    fn call_numbered(
        &mut self,
        number: usize,
        args: &[Value],
        ret: &Mono,
        at: SpanId,
    ) -> Flow<Value> {
        if self.pointing.contains(&number) {
            self.errors.advise(
                self.range(at),
                "kernel code cannot recurse: a function that is called by its pointer calls what this may point to, \
                 and that may be the function itself",
                "write a loop, or call a function by its name here",
            );
            return Err(Left);
        }
        self.check_size(at)?;
        let Some(pointed) = self.pointed.get(number) else { return Err(self.bug(at)) };
        self.calls += 1;
        let kept = Frame { serial: self.calls, ..(*pointed.frame).clone() };
        let value = ClosureValue {
            closure: pointed.closure.clone(),
            level: 0,
            serial: self.calls,
            copies: Vec::new(),
            kept: Some(Rc::new(kept)),
        };
        self.pointing.push(number);
        let result = self.called(&value, args, ret, at);
        self.pointing.pop();
        result
    }

    /// A variable that has no place: a closure that captures it was made a function pointer, which rustc
    /// refuses, too.
    pub(crate) fn no_variable(&mut self, at: SpanId) -> Left {
        if !self.frame.is_pointed {
            return self.bug(at);
        }
        self.errors.mistyped(
            self.range(at),
            "a closure that captures variables cannot be a function pointer",
        );
        Left
    }
}
