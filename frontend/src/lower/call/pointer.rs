//! Function pointers: indices into the kernel's list of pointees.
//!
//! Every function or closure that becomes a pointer is in one list, and the value of the pointer is
//! its index. A call through a pointer compares the index and inlines the body of each pointee of
//! the pointer's type. A known index needs no comparison.
use crate::{
    hir::{Closure, Expr, SpanId},
    lower::{ClosureValue, Diverged, Flow, Frame, Lowerer, Place, Value},
    types::mono::Mono,
};
use std::rc::Rc;
use warpwise_compiler::ir::{self, Body, CompareOp, InstId, Op, Scalar};

/// Type of function pointers in the IR.
pub(crate) const FUNCTION_POINTER: Scalar = Scalar::U32;

/// Function or closure that a pointer may point to.
#[derive(Debug)]
pub(crate) struct Pointee {
    closure: Rc<Closure>,
    /// Type of pointers to it.
    mono: Mono,
    /// A call of the enclosing function, without its variables.
    frame: Rc<Frame>,
}

impl Lowerer<'_> {
    /// Lowers a closure, or a function that a closure wraps, to a function pointer.
    pub(crate) fn lower_function_pointer(&mut self, closure: &Expr, expr: &Expr) -> Flow<Value> {
        let mono = self.mono_type(expr.ty, expr.at)?;
        let Place::Value(Value::Closure(value)) = self.lower_place(closure)? else {
            return Err(self.report_bug(expr.at));
        };
        let known = self.pointees.iter().position(|pointed| {
            Rc::ptr_eq(&pointed.closure, &value.closure) && pointed.mono == mono
        });
        let number = match known {
            Some(number) => number,
            None => {
                let Some(home) = self.creating_frame(&value) else {
                    return Err(self.report_bug(expr.at));
                };
                let frame = Frame {
                    vars: vec![None; home.vars.len()],
                    labels: vec![None; home.labels.len()],
                    shared: Vec::new(),
                    spans: vec![None; home.spans.len()],
                    is_pointee: true,
                    ..home.clone()
                };
                let frame = Rc::new(frame);
                self.pointees.push(Pointee { closure: value.closure.clone(), mono, frame });
                self.pointees.len() - 1
            }
        };
        Ok(Value::Scalar(self.push_bits(number as u64, FUNCTION_POINTER, expr.at)))
    }

    /// Returns the call in which a closure was created.
    fn creating_frame<'h>(&'h self, value: &'h ClosureValue) -> Option<&'h Frame> {
        if let Some(kept) = &value.returned_frame {
            return Some(kept);
        }
        let mut calls = self.callers.iter().flatten().chain([&self.frame]);
        calls.find(|frame| frame.serial == value.serial)
    }

    /// Calls the pointee of a function pointer.
    pub(crate) fn call_pointer(
        &mut self,
        number: InstId,
        mono: &Mono,
        args: &[Value],
        at: SpanId,
    ) -> Flow<Value> {
        let Mono::Pointer(signature) = mono else { return Err(self.report_bug(at)) };
        let Some(ret) = crate::types::mono::type_args(signature).pop() else {
            return Err(self.report_bug(at));
        };
        if let Op::Const(number) = self.build.kernel.insts[number].op {
            return self.call_pointee(number as usize, args, &ret, at);
        }
        self.pointees_at_first_call.get_or_insert(self.pointees.len());
        let of_type = self.pointees.iter().enumerate().filter(|(_, pointed)| pointed.mono == *mono);
        let candidates: Vec<usize> = of_type.map(|(index, _)| index).collect();
        // Without a pointee of this type the call is unreachable. One that is added later is missing
        // from the chain below; lowering then starts again with all of them.
        let Some((last, before)) = candidates.split_last() else { return Err(Diverged) };
        if before.is_empty() {
            return self.call_pointee(*last, args, &ret, at);
        }
        // The call becomes a chain of `if`s, each in the `else` of the one before; the last pointee
        // needs no test, so that every index calls something.
        let result = self.new_result_of_type(&ret, at)?;
        let (mut opened, mut comes_back) = (0, false);
        let mut called = Ok(());
        for other in before {
            let other_number = self.push_bits(*other as u64, FUNCTION_POINTER, at);
            let cond = self.push_compare(CompareOp::Eq, number, other_number, at);
            called = self
                .begin_body(
                    at,
                    Op::If { cond, then: Body::default(), other: Body::default() },
                    ir::Ty::Unit,
                )
                .map(|_| ());
            if called.is_err() {
                break;
            }
            opened += 1;
            comes_back |=
                self.store_pointee_result(*other, args, &ret, result.as_ref(), at).is_ok();
            self.build.otherwise();
        }
        if called.is_ok() {
            comes_back |= self.store_pointee_result(*last, args, &ret, result.as_ref(), at).is_ok();
        }
        self.close_bodies(opened);
        called?;
        if comes_back { self.take_result_of_type(result.as_ref(), &ret, at) } else { Err(Diverged) }
    }

    fn store_pointee_result(
        &mut self,
        number: usize,
        args: &[Value],
        ret: &Mono,
        result: Option<&Place>,
        at: SpanId,
    ) -> Flow<()> {
        let value = self.call_pointee(number, args, ret, at)?;
        match result {
            Some(place) => self.write_place(place, value, ret, at),
            None => Ok(()),
        }
    }

    /// Calls the pointee with this index.
    fn call_pointee(
        &mut self,
        number: usize,
        args: &[Value],
        ret: &Mono,
        at: SpanId,
    ) -> Flow<Value> {
        if self.active_pointees.contains(&number) {
            self.errors.advise(
                self.source_range(at),
                "kernel code cannot recurse: this call goes through a function pointer that may point to the \
                 function it is in",
                "write a loop, or call a function by its name here",
            );
            return Err(Diverged);
        }
        self.check_inst_count(at)?;
        let Some(pointed) = self.pointees.get(number) else { return Err(self.report_bug(at)) };
        self.call_count += 1;
        let kept = Frame { serial: self.call_count, ..(*pointed.frame).clone() };
        let value = ClosureValue {
            closure: pointed.closure.clone(),
            level: 0,
            serial: self.call_count,
            copies: Vec::new(),
            returned_frame: Some(Rc::new(kept)),
        };
        self.active_pointees.push(number);
        let result = self.call_closure(&value, args, ret, at);
        self.active_pointees.pop();
        result
    }

    /// Reports a variable without a place: a closure that captures it became a function pointer,
    /// which rustc refuses, too.
    pub(crate) fn report_missing_variable(&mut self, at: SpanId) -> Diverged {
        if !self.frame.is_pointee {
            return self.report_bug(at);
        }
        self.errors.mistyped(
            self.source_range(at),
            "a closure that captures variables cannot be a function pointer",
        );
        Diverged
    }
}
