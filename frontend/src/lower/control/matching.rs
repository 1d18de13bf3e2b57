//! Patterns: whether they match, and what they bind.
use crate::{
    hir::{Arm, Expr, Pattern, PatternKind, SpanId},
    lower::{
        Emit, Flow, Left, Place, Target, Value, VariantPlaces,
        control::pattern_facts::{binds_behind, tests_behind},
    },
    types::mono::Mono,
};
use std::rc::Rc;
use warpwise_compiler::ir::{self, BinaryOp, Body, CompareOp, InstId, Op, Scalar};

/// So many arms are told apart by an `if` in each other's `else`; more, or ones with guards, by a
/// block that is left.
const NESTED: usize = 12;

/// Whether a pattern matches.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    Always,
    Never,
    If(InstId),
}

impl Emit<'_> {
    pub(crate) fn match_expr(&mut self, of: &Expr, arms: &[Arm], expr: &Expr) -> Flow<Value> {
        let mono = self.mono(of.ty, of.at)?;
        let place = self.scrutinee(of, &mono)?;
        let blocked = arms.len() > NESTED || arms.iter().any(|arm| arm.guard.is_some());
        let result = self.result(expr)?;
        let block = if blocked {
            Some(self.begin(expr.at, Op::Block { body: Body::default() }, ir::Ty::Unit)?)
        } else {
            None
        };
        let target = block.map(|inst| Target::new(inst, result.clone()));
        let mut ends = false;
        let mut opened = 0;
        for (index, arm) in arms.iter().enumerate() {
            let last = index + 1 == arms.len() && arm.guard.is_none();
            let test = match self.test(&arm.pattern, &place, &mono) {
                Ok(Test::If(_)) | Ok(Test::Always) if last => Ok(Test::Always),
                test => test,
            };
            let Ok(test) = test else { break };
            match test {
                Test::Never => {}
                Test::Always => {
                    ends |= self.arm_body(arm, &place, &mono, target.as_ref(), &result, expr);
                    if arm.guard.is_none() {
                        break;
                    }
                }
                Test::If(cond) => {
                    let op = Op::If { cond, then: Body::default(), other: Body::default() };
                    if self.begin(expr.at, op, ir::Ty::Unit).is_err() {
                        break;
                    }
                    ends |= self.arm_body(arm, &place, &mono, target.as_ref(), &result, expr);
                    if blocked {
                        self.build.end();
                    } else {
                        self.build.otherwise();
                        opened += 1;
                    }
                }
            }
        }
        for _ in 0..opened {
            self.build.end();
        }
        if blocked {
            self.build.end();
        }
        if ends { self.take(result.as_ref(), expr) } else { Err(Left) }
    }

    /// The value of an arm that matches, put where it belongs; whether control comes back.
    fn arm_body(
        &mut self,
        arm: &Arm,
        place: &Place,
        mono: &Mono,
        target: Option<&Target>,
        result: &Option<Place>,
        expr: &Expr,
    ) -> bool {
        let emitted = self.guarded_body(arm, place, mono, target, result, expr);
        emitted.unwrap_or(false)
    }

    fn guarded_body(
        &mut self,
        arm: &Arm,
        place: &Place,
        mono: &Mono,
        target: Option<&Target>,
        result: &Option<Place>,
        expr: &Expr,
    ) -> Flow<bool> {
        self.bind_pattern(&arm.pattern, place, mono)?;
        if let Some(guard) = &arm.guard {
            let cond = self.leveled(&arm.levels, |this| this.scalar(guard))?;
            let op = Op::If { cond, then: Body::default(), other: Body::default() };
            self.begin(expr.at, op, ir::Ty::Unit)?;
        }
        let done = self
            .leveled(&arm.levels, |this| this.value(&arm.body))
            .and_then(|value| self.put(result.as_ref(), value, expr));
        if done.is_ok()
            && let Some(target) = target
        {
            self.inst(expr.at, Op::Break(target.inst), ir::Ty::Unit);
        }
        if arm.guard.is_some() {
            self.build.end();
        }
        Ok(done.is_ok())
    }

    /// What is matched. The discriminant of an enum in memory is read once.
    pub(crate) fn scrutinee(&mut self, of: &Expr, mono: &Mono) -> Flow<Place> {
        let at = of.at;
        let mut place = self.place(of)?;
        let (mut inner, mut depth) = (mono.clone(), 0);
        while let Mono::Ref { to, .. } = inner {
            inner = *to;
            depth += 1;
        }
        if depth > 0 || !matches!(inner, Mono::Adt(..)) {
            return Ok(place);
        }
        if let Place::Memory(memory) = &place
            && let Some(tag) = self.adt(&inner, at)?.tag
        {
            let ptr = self.pointer(memory.ptr, at);
            let tag = Place::Value(Value::Scalar(self.inst(at, Op::Load { ptr }, tag)));
            let count = self.adt(&inner, at)?.variants.len();
            let parts = (0..count).map(|variant| {
                Ok(self.variant_parts(&place, &inner, variant, at)?.unwrap_or_default())
            });
            let parts = parts.collect::<Flow<_>>()?;
            place = Place::Variants(Rc::new(VariantPlaces { tag, parts }));
        }
        Ok(place)
    }

    /// Whether a value matches, as a `bool`; binds what it binds. What lies behind a reference in the
    /// value is there only if it matches: an `if` is opened for what reads that, and all that comes
    /// behind it.
    pub(crate) fn is(
        &mut self,
        of: &Expr,
        pattern: &Pattern,
        opened: &mut usize,
        at: SpanId,
    ) -> Flow<InstId> {
        let mono = self.mono(of.ty, of.at)?;
        let place = self.scrutinee(of, &mono)?;
        let mut test = self.test(pattern, &place, &mono)?;
        if let Test::If(cond) = test
            && binds_behind(pattern, false)
        {
            let op = Op::If { cond, then: Body::default(), other: Body::default() };
            self.begin(at, op, ir::Ty::Unit)?;
            *opened += 1;
            test = Test::Always;
        }
        if !matches!(test, Test::Never) {
            self.bind_pattern(pattern, &place, &mono)?;
        }
        Ok(match test {
            Test::Always => self.bits(1, Scalar::Bool, at),
            Test::Never => self.bits(0, Scalar::Bool, at),
            Test::If(cond) => cond,
        })
    }

    /// `let pattern = value else { .. }`
    pub(crate) fn let_else(
        &mut self,
        pattern: &Pattern,
        of: &Expr,
        other: &crate::hir::Block,
    ) -> Flow<()> {
        let at = pattern.at;
        let mono = self.mono(of.ty, of.at)?;
        let place = self.scrutinee(of, &mono)?;
        match self.test(pattern, &place, &mono)? {
            Test::Always => {}
            Test::Never => {
                self.block(other)?;
                return Err(Left);
            }
            Test::If(cond) => {
                let cond = self.not(cond, at);
                let op = Op::If { cond, then: Body::default(), other: Body::default() };
                self.begin(at, op, ir::Ty::Unit)?;
                let _ = self.block(other);
                self.build.end();
            }
        }
        self.bind_pattern(pattern, &place, &mono)
    }

    pub(crate) fn test(&mut self, pattern: &Pattern, place: &Place, mono: &Mono) -> Flow<Test> {
        let at = pattern.at;
        match &pattern.kind {
            PatternKind::Wild | PatternKind::Bind { subpattern: None, .. } => Ok(Test::Always),
            PatternKind::Bind { subpattern: Some(and), .. } => self.test(and, place, mono),
            PatternKind::Is(value) => {
                let found = self.get(place, mono, at)?;
                let expected = self.value(value)?;
                self.same(&found, &expected, mono, at).map(Test::If)
            }
            PatternKind::Range { low, high, inclusive } => {
                let Value::Scalar(found) = self.get(place, mono, at)? else {
                    return Err(self.bug(at));
                };
                let mut test = Test::Always;
                if let Some(low) = low {
                    let low = self.scalar(low)?;
                    let above = self.compare(CompareOp::Ge, found, low, at);
                    test = self.both(test, Test::If(above), at);
                }
                if let Some(high) = high {
                    let high = self.scalar(high)?;
                    let op = if *inclusive { CompareOp::Le } else { CompareOp::Lt };
                    let below = self.compare(op, found, high, at);
                    test = self.both(test, Test::If(below), at);
                }
                Ok(test)
            }
            PatternKind::Parts { variant: None, parts } => {
                let types = self.parts_of(mono, at)?.unwrap_or_default();
                let mut test = Test::Always;
                for (index, part) in parts {
                    let place = self.part(place, mono, *index, at)?;
                    let one = self.test(part, &place, &types[*index])?;
                    test = self.both(test, one, at);
                }
                Ok(test)
            }
            PatternKind::Parts { variant: Some(variant), parts } => {
                self.variant_test(*variant, parts, place, mono, at)
            }
            PatternKind::Deref(inner) => {
                let (place, mono) = self.referred(place, mono, at)?;
                self.test(inner, &place, &mono)
            }
            PatternKind::Slice { before, rest, after } => {
                self.slice_test([before, after], rest.is_some(), place, mono, at)
            }
            PatternKind::Any(cases) => {
                let mut test = Test::Never;
                for case in cases {
                    let one = self.test(case, place, mono)?;
                    test = match (test, one) {
                        (Test::Always, _) | (_, Test::Always) => Test::Always,
                        (Test::Never, other) | (other, Test::Never) => other,
                        (Test::If(a), Test::If(b)) => {
                            Test::If(self.binary_op(BinaryOp::Or, a, b, Scalar::Bool, at))
                        }
                    };
                }
                Ok(test)
            }
        }
    }

    pub(crate) fn both(&mut self, a: Test, b: Test, at: SpanId) -> Test {
        match (a, b) {
            (Test::Never, _) | (_, Test::Never) => Test::Never,
            (Test::Always, other) | (other, Test::Always) => other,
            (Test::If(a), Test::If(b)) => {
                Test::If(self.binary_op(BinaryOp::And, a, b, Scalar::Bool, at))
            }
        }
    }

    fn variant_test(
        &mut self,
        variant: usize,
        parts: &[(usize, Pattern)],
        place: &Place,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Test> {
        let adt = self.adt(mono, at)?;
        let Some(scalar) = adt.tag else { return Err(self.bug(at)) };
        let tag = self.tag_place(place, at)?;
        let Value::Scalar(tag) =
            self.get(&tag, &crate::lower::memory::storage::tag_type(scalar), at)?
        else {
            return Err(self.bug(at));
        };
        let discriminant = adt.discriminants[variant];
        let test = match &self.build.kernel.insts[tag].op {
            Op::Const(bits) if *bits == crate::infer::wrap_to_scalar(discriminant, scalar) => {
                Test::Always
            }
            Op::Const(_) => return Ok(Test::Never),
            _ if scalar == Scalar::Bool && discriminant == 1 => Test::If(tag),
            _ if scalar == Scalar::Bool => Test::If(self.not(tag, at)),
            _ if adt.discriminants.len() == 1 => Test::Always,
            _ => {
                let expected = self.int(discriminant, scalar, at);
                Test::If(self.compare(CompareOp::Eq, tag, expected, at))
            }
        };
        let Some(places) = self.variant_parts(place, mono, variant, at)? else {
            return Ok(Test::Never);
        };
        let tests = |this: &mut Self| {
            let mut test = Test::Always;
            for (index, part) in parts {
                let one = this.test(part, &places[*index], &adt.variants[variant][*index])?;
                test = this.both(test, one, at);
            }
            Ok(test)
        };
        match test {
            // What a reference in the variant refers to is there only if the variant is.
            Test::If(cond) if parts.iter().any(|(_, part)| tests_behind(part)) => {
                self.only_if(cond, at, tests)
            }
            test => {
                let parts = tests(self)?;
                Ok(self.both(test, parts, at))
            }
        }
    }

    /// A test that can be made only where another one succeeds: both.
    pub(crate) fn only_if(
        &mut self,
        cond: InstId,
        at: SpanId,
        make: impl FnOnce(&mut Self) -> Flow<Test>,
    ) -> Flow<Test> {
        let local = self.local("", Scalar::Bool, at);
        self.inst(at, Op::Set { local, value: cond }, ir::Ty::Unit);
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin(at, op, ir::Ty::Unit)?;
        let test = make(self);
        if let Ok(Test::If(value)) = test {
            self.inst(at, Op::Set { local, value }, ir::Ty::Unit);
        }
        self.build.end();
        match test? {
            Test::Never => Ok(Test::Never),
            Test::Always | Test::If(_) => Ok(Test::If(self.inst(at, Op::Get(local), Scalar::Bool))),
        }
    }

    /// What a reference refers to, and its type.
    pub(crate) fn referred(
        &mut self,
        place: &Place,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<(Place, Mono)> {
        let Mono::Ref { to, .. } = mono else { return Err(self.bug(at)) };
        match self.get(place, mono, at)? {
            Value::Ref(place) => Ok((*place, (**to).clone())),
            _ => Err(self.bug(at)),
        }
    }
}
