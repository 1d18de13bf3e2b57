//! Statements and control flow.
use super::{Enclosing, Generator, Value};
use warpwise_compiler::ir::{
    BinaryOp, Body, CompareOp, Fault, InstId, Message, MessageId, Op, Scalar, Ty,
};

/// Faults that `check` instructions do not report.
const NOT_CHECKED: [Fault; 2] = [Fault::IndexOutOfBounds, Fault::Panic];

/// The next position of control: the next statement of the body, or another place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goes {
    On,
    Away,
}

impl Generator {
    /// Emits up to `count` statements.
    pub(super) fn statements(&mut self, count: u32) {
        for _ in 0..count {
            if self.budget == 0 || self.statement() == Goes::Away {
                return;
            }
        }
    }

    fn statement(&mut self) -> Goes {
        self.budget -= 1;
        match self.draw.below(37) {
            0..=8 => {
                let ty = self.any_type();
                self.compute(ty);
            }
            9 | 10 => self.load_input(),
            11 | 12 => self.set_some_variable(),
            13 => self.get_some_variable(),
            14 => self.use_output(),
            15 => self.use_cell(),
            16 => self.use_tally(),
            17 => self.use_slot(),
            18 => self.check(),
            19 => self.fence(),
            20..=22 if self.uniform => self.meet(),
            20..=22 => self.keep_something(),
            23 | 24 => self.if_else(),
            25 => self.counted_loop(),
            26 => self.range_loop(),
            27 => self.labelled_block(),
            28 => self.print(),
            29 | 30 => self.use_structs(),
            31 | 32 => self.constant_loop(),
            33 => {
                let index = self.some(Scalar::U32).id;
                self.use_table(index);
            }
            _ => return self.leave(),
        }
        Goes::On
    }

    /// Sets a variable to a new value, so that the value is visible outside.
    pub(super) fn keep_something(&mut self) {
        let ty = self.any_type();
        let value = self.compute(ty);
        self.digest(value);
        self.set_some_variable();
    }

    /// Returns a condition, uniform in half of the draws where that makes a difference.
    fn condition(&mut self) -> Value {
        if self.uniform && self.draw.chance(50) {
            self.some_uniform(Scalar::Bool)
        } else {
            self.some(Scalar::Bool)
        }
    }

    /// Fills the open body with `count` statements and an assignment to a variable. Control in it
    /// is uniform if it is now and `uniform` is true.
    fn inner(&mut self, uniform: bool, count: u32, enclosing: Option<(InstId, bool)>) {
        let (visible, before) = (self.values.len(), self.uniform);
        self.uniform &= uniform;
        if let Some((id, repeats)) = enclosing {
            self.enclosing.push(Enclosing { id, repeats, uniform: self.uniform });
        }
        if self.inner_statements(count) == Goes::On {
            self.digest_visible(visible, 30);
            self.keep_something();
        }
        if enclosing.is_some() {
            self.enclosing.pop();
        }
        self.uniform = before;
        self.values.truncate(visible);
    }

    fn inner_statements(&mut self, count: u32) -> Goes {
        for _ in 0..count {
            if self.budget > 0 && self.statement() == Goes::Away {
                return Goes::Away;
            }
        }
        Goes::On
    }

    fn if_else(&mut self) {
        let Value { id: cond, uniform, .. } = self.condition();
        self.begin(Op::If { cond, then: Body::default(), other: Body::default() }, Ty::Unit);
        let count = 1 + self.draw.below(4);
        self.inner(uniform, count, None);
        if self.draw.chance(50) {
            self.build.otherwise();
            let count = self.draw.below(4);
            self.inner(uniform, count, None);
        }
        self.build.end();
    }

    /// Emits a `loop` that a counter ends.
    fn counted_loop(&mut self) {
        if self.loops == 2 {
            return;
        }
        let counter = self.declare_local(Scalar::U32);
        let (limit, uniform) = self.few(Scalar::U32);
        let zero = self.constant(Scalar::U32, 0).id;
        self.emit(Op::Set { local: counter, value: zero }, Ty::Unit);
        let id = self.begin(Op::Loop { body: Body::default() }, Ty::Unit);
        let now = self.emit(Op::Get(counter), Scalar::U32);
        let done = Op::Compare { op: CompareOp::Ge, lhs: now, rhs: limit };
        let cond = self.emit(done, Scalar::Bool);
        self.begin(Op::If { cond, then: Body::default(), other: Body::default() }, Ty::Unit);
        self.emit(Op::Break(id), Ty::Unit);
        self.build.end();
        let one = self.constant(Scalar::U32, 1).id;
        let next = self.arithmetic(BinaryOp::Add, now, one, Scalar::U32);
        self.emit(Op::Set { local: counter, value: next }, Ty::Unit);
        let visible = self.values.len();
        self.yields(now, Scalar::U32, uniform && self.uniform);
        self.repeat(id, uniform);
        self.values.truncate(visible);
    }

    /// Returns a number of an integer type, from 0 to 3 or, outside of loops, up to 15, and whether
    /// it is uniform.
    fn few(&mut self, ty: Scalar) -> (InstId, bool) {
        let value = if self.uniform && self.draw.chance(60) {
            self.some_uniform(ty)
        } else {
            self.some(ty)
        };
        let most = if self.loops == 0 && self.draw.chance(30) { 15 } else { 3 };
        let most = self.small(ty, most).id;
        (self.arithmetic(BinaryOp::And, value.id, most, ty), value.uniform)
    }

    /// Fills the open body of a loop, and ends the loop.
    fn repeat(&mut self, id: InstId, uniform: bool) {
        // Decided in advance, since the exits of the body depend on it.
        let uniform = uniform && self.draw.chance(70);
        self.loops += 1;
        let count = 1 + self.draw.below(5);
        self.inner(uniform, count, Some((id, true)));
        self.loops -= 1;
        self.build.end();
    }

    fn range_loop(&mut self) {
        if self.loops == 2 {
            return;
        }
        let ty = self.any_type();
        let ty = if self.is_int(ty) { ty } else { Scalar::I32 };
        let (start, end, step, uniform) = match ty.bits() {
            Some(width) if self.draw.chance(25) => {
                let [start, end, step] = self.whole_range(ty, width);
                if self.draw.chance(50) {
                    (start, end, step, true)
                } else {
                    let (step, uniform) = self.at_least(step, ty);
                    (start, end, step, uniform)
                }
            }
            Some(_) | None => {
                let start = if self.uniform { self.some_uniform(ty) } else { self.some(ty) };
                let (count, uniform) = self.few(ty);
                let end = self.arithmetic(BinaryOp::Add, start.id, count, ty);
                let step = 1 + self.draw.below(2) as u8;
                let step = self.small(ty, step).id;
                let uniform = start.uniform && uniform;
                if self.draw.chance(70) {
                    (start.id, end, step, uniform)
                } else {
                    let (step, same) = self.at_least(step, ty);
                    (start.id, end, step, uniform && same)
                }
            }
        };
        let inclusive = self.draw.chance(50);
        let range = Op::For { start, end, step, inclusive, body: Body::default() };
        let id = self.begin(range, ty);
        let visible = self.values.len();
        self.yields(id, ty, uniform);
        self.repeat(id, uniform);
        self.values.truncate(visible);
    }

    /// Returns a number that is known only at run time and is at least `least`, and whether it is
    /// uniform.
    fn at_least(&mut self, least: InstId, ty: Scalar) -> (InstId, bool) {
        let value = match self.draw.chance(50) {
            true => self.some(ty),
            false => self.some_uniform(ty),
        };
        // Small ones, too, so that there is another iteration.
        let three = self.small(ty, 3).id;
        let number = match self.draw.chance(50) {
            true => self.arithmetic(BinaryOp::And, value.id, three, ty),
            false => value.id,
        };
        (self.arithmetic(BinaryOp::Max, number, least, ty), value.uniform)
    }

    /// Emits a loop over a constant range, or up to the counter of such a loop around it, whose
    /// counter indexes the thread's own arrays.
    fn constant_loop(&mut self) {
        if self.loops == 2 {
            return;
        }
        let ty =
            self.draw.one_of(&[Scalar::U8, Scalar::U32, Scalar::I32, Scalar::U64, Scalar::I64]);
        let [start, count, step] = [3, 5, 2].map(|most| self.draw.below(most) as u8);
        let around = self.counters.last().filter(|(_, counts)| *counts == ty).map(|(id, _)| *id);
        let end = match around {
            Some(around) if self.draw.chance(50) => around,
            Some(_) | None => self.small(ty, start + count).id,
        };
        let [start, step] = [start, 1 + step].map(|number| self.small(ty, number).id);
        let inclusive = self.draw.chance(30);
        let range = Op::For { start, end, step, inclusive, body: Body::default() };
        let id = self.begin(range, ty);
        let visible = self.values.len();
        self.yields(id, ty, true);
        self.counters.push((id, ty));
        for _ in 0..1 + self.draw.below(3) {
            let index = match ty {
                Scalar::U32 => id,
                _ => self.emit(Op::Cast { value: id }, Scalar::U32),
            };
            match self.draw.chance(75) {
                true => self.use_structs_by(index),
                false => self.use_table(index),
            }
        }
        self.repeat(id, true);
        self.counters.pop();
        self.values.truncate(visible);
    }

    /// Returns the start, end and step of a range over all values of an integer type, in about four
    /// steps.
    fn whole_range(&mut self, ty: Scalar, width: u32) -> [InstId; 3] {
        let all = u64::MAX >> (64 - width);
        let (start, end) = if ty.is_signed() { ((all >> 1) + 1, all >> 1) } else { (0, all) };
        let step = (all >> 2) + u64::from(self.draw.below(3)) - 1;
        [start, end, step].map(|bits| self.constant(ty, bits).id)
    }

    fn labelled_block(&mut self) {
        let id = self.begin(Op::Block { body: Body::default() }, Ty::Unit);
        let (uniform, count) = (self.draw.chance(50), 2 + self.draw.below(4));
        self.inner(uniform, count, Some((id, false)));
        self.build.end();
    }

    /// Emits a check, which ends the thread unless a condition holds, if threads may end.
    fn check(&mut self) {
        if !self.plan.exits {
            return;
        }
        let faults: Vec<Fault> =
            Fault::ALL.into_iter().filter(|fault| !NOT_CHECKED.contains(fault)).collect();
        let fault = self.draw.one_of(&faults);
        // Mostly true, or few threads would get far.
        let byte = self.some(Scalar::U8).id;
        let edge = self.constant(Scalar::U8, 251).id;
        let cond = self.emit(Op::Compare { op: CompareOp::Lt, lhs: byte, rhs: edge }, Scalar::Bool);
        self.emit(Op::Check { cond, fault }, Ty::Unit);
    }

    /// Emits a `break`, `continue` or `return`, mostly under a condition; nothing where none is
    /// permitted.
    fn leave(&mut self) -> Goes {
        let exits: Vec<Op> = self.possible_exits();
        if exits.is_empty() {
            return Goes::On;
        }
        let exit = exits[self.draw.index(exits.len())].clone();
        let ends = exit == Op::Return;
        let exit = if ends && self.draw.chance(50) { self.panic() } else { exit };
        if !self.enclosing.is_empty() && self.draw.chance(15) {
            self.emit(exit, Ty::Unit);
            return Goes::Away;
        }
        let Value { id: cond, uniform, .. } = self.condition();
        if self.uniform && !uniform && !ends {
            // Only all threads together may leave here.
            return Goes::On;
        }
        self.begin(Op::If { cond, then: Body::default(), other: Body::default() }, Ty::Unit);
        self.emit(exit, Ty::Unit);
        self.build.end();
        Goes::On
    }

    /// Prints something, if the output stays small.
    fn print(&mut self) {
        if self.loops < 2 && self.shape.all_threads() <= 512 {
            let (message, args) = self.message();
            self.emit(Op::Print { message, args }, Ty::Unit);
        }
    }

    fn panic(&mut self) -> Op {
        let (message, args) = self.message();
        Op::Panic { message, args }
    }

    /// Returns a message with arguments that are not floats, since the bits of a NaN are
    /// unspecified.
    fn message(&mut self) -> (MessageId, Vec<InstId>) {
        let (mut format, mut types, mut args) = (String::from("at"), Vec::new(), Vec::new());
        for number in 0..self.draw.below(4) {
            let ty = self.any_type();
            let ty = if self.is_int(ty) { ty } else { Scalar::Bool };
            args.push(self.some(ty).id);
            types.push(ty);
            format += &format!(" {{{number}:>4}}");
        }
        let message = Message { text: format + "\n", args: types };
        (self.build.kernel.messages.push(message), args)
    }

    fn possible_exits(&self) -> Vec<Op> {
        let mut exits = Vec::new();
        for &Enclosing { id, repeats, uniform } in &self.enclosing {
            if uniform && !self.uniform {
                continue;
            }
            exits.push(Op::Break(id));
            if repeats {
                exits.push(Op::Continue(id));
            }
        }
        if self.plan.exits && self.build.depth() > 0 {
            exits.push(Op::Return);
        }
        exits
    }
}
