//! Lowering of `match` and of pattern tests.
use crate::{
    hir::{Arm, Expr, Pattern, PatternKind, SpanId},
    lower::{
        Diverged, EnumPlaces, Flow, JumpTarget, Lowerer, Place, Value,
        control::pattern_facts::{binds_referent, tests_referent},
    },
    types::mono::Mono,
};
use std::rc::Rc;
use warpwise_compiler::ir::{self, BinaryOp, Body, CompareOp, InstId, Op, Scalar, evaluate};

/// Largest number of arms that nest in each other's `else`. More arms, or arms with guards, leave a
/// surrounding block instead.
const MAX_NESTED_ARMS: usize = 12;

/// Result of testing a pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PatternTest {
    Always,
    Never,
    If(InstId),
}

impl Lowerer<'_> {
    pub(crate) fn lower_match(
        &mut self,
        scrutinee: &Expr,
        arms: &[Arm],
        expr: &Expr,
    ) -> Flow<Value> {
        let mono = self.mono_type(scrutinee.ty, scrutinee.at)?;
        let place = self.lower_scrutinee(scrutinee, &mono)?;
        // Arms with guards need a block: a failed guard continues with the next arm, which an
        // `else` could not reach.
        let blocked = arms.len() > MAX_NESTED_ARMS || arms.iter().any(|arm| arm.guard.is_some());
        let result = self.new_result(expr)?;
        let block = if blocked {
            Some(self.begin_body(expr.at, Op::Block { body: Body::default() }, ir::Ty::Unit)?)
        } else {
            None
        };
        let target = block.map(|inst| JumpTarget::new(inst, result.clone()));
        let mut ends = false;
        let mut opened = 0;
        for (index, arm) in arms.iter().enumerate() {
            // An exhaustive `match` enters its last arm without a test, so that racing threads
            // cannot make it fall through.
            let last = index + 1 == arms.len() && arm.guard.is_none();
            let test = match self.test_pattern(&arm.pattern, &place, &mono) {
                Ok(PatternTest::If(_)) | Ok(PatternTest::Always) if last => Ok(PatternTest::Always),
                test => test,
            };
            let Ok(test) = test else { break };
            match test {
                PatternTest::Never => {}
                PatternTest::Always => {
                    ends |= self.lower_arm(arm, &place, &mono, target.as_ref(), &result, expr);
                    if arm.guard.is_none() {
                        break;
                    }
                }
                PatternTest::If(cond) => {
                    let op = Op::If { cond, then: Body::default(), other: Body::default() };
                    if self.begin_body(expr.at, op, ir::Ty::Unit).is_err() {
                        break;
                    }
                    ends |= self.lower_arm(arm, &place, &mono, target.as_ref(), &result, expr);
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
        if ends { self.take_result(result.as_ref(), expr) } else { Err(Diverged) }
    }

    /// Lowers an arm that matches and stores its value; returns true if control reaches its end.
    fn lower_arm(
        &mut self,
        arm: &Arm,
        place: &Place,
        mono: &Mono,
        target: Option<&JumpTarget>,
        result: &Option<Place>,
        expr: &Expr,
    ) -> bool {
        let lowered = self.lower_guarded_arm(arm, place, mono, target, result, expr);
        lowered.unwrap_or(false)
    }

    fn lower_guarded_arm(
        &mut self,
        arm: &Arm,
        place: &Place,
        mono: &Mono,
        target: Option<&JumpTarget>,
        result: &Option<Place>,
        expr: &Expr,
    ) -> Flow<bool> {
        self.bind_pattern(&arm.pattern, place, mono)?;
        if let Some(guard) = &arm.guard {
            let cond = self.with_lint_levels(&arm.levels, |this| this.lower_scalar(guard))?;
            let op = Op::If { cond, then: Body::default(), other: Body::default() };
            self.begin_body(expr.at, op, ir::Ty::Unit)?;
        }
        let done = self
            .with_lint_levels(&arm.levels, |this| this.lower_value(&arm.body))
            .and_then(|value| self.set_result(result.as_ref(), value, expr));
        if done.is_ok()
            && let Some(target) = target
        {
            self.push_inst(expr.at, Op::Break(target.inst), ir::Ty::Unit);
        }
        if arm.guard.is_some() {
            self.build.end();
        }
        Ok(done.is_ok())
    }

    /// Lowers the matched place. The discriminant of an enum in memory is read once.
    pub(crate) fn lower_scrutinee(&mut self, scrutinee: &Expr, mono: &Mono) -> Flow<Place> {
        let at = scrutinee.at;
        let mut place = self.lower_place(scrutinee)?;
        let (mut inner, mut depth) = (mono.clone(), 0);
        while let Mono::Ref { to, .. } = inner {
            inner = *to;
            depth += 1;
        }
        // Patterns themselves read all other values, and referents.
        if depth > 0 || !matches!(inner, Mono::Adt(..)) {
            return Ok(place);
        }
        if let Place::Memory(memory) = &place
            && let Some(tag) = self.adt_of(&inner, at)?.tag
        {
            let ptr = self.pointer_inst(memory.ptr, at);
            let tag = Place::Value(Value::Scalar(self.push_inst(at, Op::load(ptr), tag)));
            let count = self.adt_of(&inner, at)?.variants.len();
            let parts = (0..count).map(|variant| {
                Ok(self.variant_parts(&place, &inner, variant, at)?.unwrap_or_default())
            });
            let parts = parts.collect::<Flow<_>>()?;
            place = Place::Variants(Rc::new(EnumPlaces { tag, parts }));
        }
        Ok(place)
    }

    /// Tests a value against a pattern as a `bool`, and binds the pattern's variables. The referent
    /// of a reference in the value exists only if the value matches: an `if` is opened around the
    /// code that reads it, and everything after.
    pub(crate) fn lower_is(
        &mut self,
        scrutinee: &Expr,
        pattern: &Pattern,
        opened: &mut usize,
        at: SpanId,
    ) -> Flow<InstId> {
        let mono = self.mono_type(scrutinee.ty, scrutinee.at)?;
        let place = self.lower_scrutinee(scrutinee, &mono)?;
        let mut test = self.test_pattern(pattern, &place, &mono)?;
        if let PatternTest::If(cond) = test
            && binds_referent(pattern, false)
        {
            let op = Op::If { cond, then: Body::default(), other: Body::default() };
            self.begin_body(at, op, ir::Ty::Unit)?;
            *opened += 1;
            test = PatternTest::Always;
        }
        if !matches!(test, PatternTest::Never) {
            self.bind_pattern(pattern, &place, &mono)?;
        }
        Ok(match test {
            PatternTest::Always => self.push_bits(1, Scalar::Bool, at),
            PatternTest::Never => self.push_bits(0, Scalar::Bool, at),
            PatternTest::If(cond) => cond,
        })
    }

    /// Lowers `let pattern = value else { .. }`.
    pub(crate) fn lower_let_else(
        &mut self,
        pattern: &Pattern,
        scrutinee: &Expr,
        other: &crate::hir::Block,
    ) -> Flow<()> {
        let at = pattern.at;
        let mono = self.mono_type(scrutinee.ty, scrutinee.at)?;
        let place = self.lower_scrutinee(scrutinee, &mono)?;
        match self.test_pattern(pattern, &place, &mono)? {
            PatternTest::Always => {}
            PatternTest::Never => {
                self.lower_block(other)?;
                return Err(Diverged);
            }
            PatternTest::If(cond) => {
                let cond = self.push_not(cond, at);
                let op = Op::If { cond, then: Body::default(), other: Body::default() };
                self.begin_body(at, op, ir::Ty::Unit)?;
                let _ = self.lower_block(other);
                self.build.end();
            }
        }
        self.bind_pattern(pattern, &place, &mono)
    }

    pub(crate) fn test_pattern(
        &mut self,
        pattern: &Pattern,
        place: &Place,
        mono: &Mono,
    ) -> Flow<PatternTest> {
        let at = pattern.at;
        match &pattern.kind {
            PatternKind::Wild | PatternKind::Bind { subpattern: None, .. } => {
                Ok(PatternTest::Always)
            }
            PatternKind::Bind { subpattern: Some(and), .. } => self.test_pattern(and, place, mono),
            PatternKind::Is(value) => {
                let found = self.read_place(place, mono, at)?;
                let expected = self.lower_value(value)?;
                self.lower_eq(&found, &expected, mono, at).map(PatternTest::If)
            }
            PatternKind::Range { low, high, inclusive } => {
                let Value::Scalar(found) = self.read_place(place, mono, at)? else {
                    return Err(self.report_bug(at));
                };
                let mut test = PatternTest::Always;
                if let Some(low) = low {
                    let low = self.lower_scalar(low)?;
                    let above = self.push_compare(CompareOp::Ge, found, low, at);
                    test = self.and_tests(test, PatternTest::If(above), at);
                }
                if let Some(high) = high {
                    let high = self.lower_scalar(high)?;
                    let op = if *inclusive { CompareOp::Le } else { CompareOp::Lt };
                    let below = self.push_compare(op, found, high, at);
                    test = self.and_tests(test, PatternTest::If(below), at);
                }
                Ok(test)
            }
            PatternKind::Parts { variant: None, parts } => {
                let types = self.part_types(mono, at)?.unwrap_or_default();
                let mut test = PatternTest::Always;
                for (index, part) in parts {
                    let place = self.part_place(place, mono, *index, at)?;
                    let one = self.test_pattern(part, &place, &types[*index])?;
                    test = self.and_tests(test, one, at);
                }
                Ok(test)
            }
            PatternKind::Parts { variant: Some(variant), parts } => {
                self.test_variant(*variant, parts, place, mono, at)
            }
            PatternKind::Deref(inner) => {
                let (place, mono) = self.deref_place(place, mono, at)?;
                self.test_pattern(inner, &place, &mono)
            }
            PatternKind::Slice { before, rest, after } => {
                self.test_slice([before, after], rest.is_some(), place, mono, at)
            }
            PatternKind::Any(cases) => {
                let mut test = PatternTest::Never;
                for case in cases {
                    let one = self.test_pattern(case, place, mono)?;
                    test = match (test, one) {
                        (PatternTest::Always, _) | (_, PatternTest::Always) => PatternTest::Always,
                        (PatternTest::Never, other) | (other, PatternTest::Never) => other,
                        (PatternTest::If(a), PatternTest::If(b)) => {
                            PatternTest::If(self.push_binary(BinaryOp::Or, a, b, Scalar::Bool, at))
                        }
                    };
                }
                Ok(test)
            }
        }
    }

    pub(crate) fn and_tests(&mut self, a: PatternTest, b: PatternTest, at: SpanId) -> PatternTest {
        match (a, b) {
            (PatternTest::Never, _) | (_, PatternTest::Never) => PatternTest::Never,
            (PatternTest::Always, other) | (other, PatternTest::Always) => other,
            (PatternTest::If(a), PatternTest::If(b)) => {
                PatternTest::If(self.push_binary(BinaryOp::And, a, b, Scalar::Bool, at))
            }
        }
    }

    fn test_variant(
        &mut self,
        variant: usize,
        parts: &[(usize, Pattern)],
        place: &Place,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<PatternTest> {
        let adt = self.adt_of(mono, at)?;
        let Some(scalar) = adt.tag else { return Err(self.report_bug(at)) };
        let tag = self.tag_place(place, at)?;
        let Value::Scalar(tag) =
            self.read_place(&tag, &crate::lower::memory::storage::tag_type(scalar), at)?
        else {
            return Err(self.report_bug(at));
        };
        let discriminant = adt.discriminants[variant];
        let test = match &self.build.kernel.insts[tag].op {
            Op::Const(bits) if *bits == evaluate::wrap(scalar, discriminant) => PatternTest::Always,
            Op::Const(_) => return Ok(PatternTest::Never),
            _ if scalar == Scalar::Bool && discriminant == 1 => PatternTest::If(tag),
            _ if scalar == Scalar::Bool => PatternTest::If(self.push_not(tag, at)),
            _ if adt.discriminants.len() == 1 => PatternTest::Always,
            _ => {
                let expected = self.push_int(discriminant, scalar, at);
                PatternTest::If(self.push_compare(CompareOp::Eq, tag, expected, at))
            }
        };
        let Some(places) = self.variant_parts(place, mono, variant, at)? else {
            return Ok(PatternTest::Never);
        };
        let tests = |this: &mut Self| {
            let mut test = PatternTest::Always;
            for (index, part) in parts {
                let one =
                    this.test_pattern(part, &places[*index], &adt.variants[variant][*index])?;
                test = this.and_tests(test, one, at);
            }
            Ok(test)
        };
        match test {
            // The referent of a reference in the variant exists only if the discriminant is the
            // variant's.
            PatternTest::If(cond) if parts.iter().any(|(_, part)| tests_referent(part)) => {
                self.test_only_if(cond, at, tests)
            }
            test => {
                let parts = tests(self)?;
                Ok(self.and_tests(test, parts, at))
            }
        }
    }

    /// Conjoins `cond` with a test that is valid only where `cond` holds.
    pub(crate) fn test_only_if(
        &mut self,
        cond: InstId,
        at: SpanId,
        make: impl FnOnce(&mut Self) -> Flow<PatternTest>,
    ) -> Flow<PatternTest> {
        let local = self.new_local("", Scalar::Bool, at);
        self.push_inst(at, Op::Set { local, value: cond }, ir::Ty::Unit);
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin_body(at, op, ir::Ty::Unit)?;
        let test = make(self);
        if let Ok(PatternTest::If(value)) = test {
            self.push_inst(at, Op::Set { local, value }, ir::Ty::Unit);
        }
        self.build.end();
        match test? {
            PatternTest::Never => Ok(PatternTest::Never),
            PatternTest::Always | PatternTest::If(_) => {
                Ok(PatternTest::If(self.push_inst(at, Op::Get(local), Scalar::Bool)))
            }
        }
    }

    /// Returns the referent of a reference, and its type.
    pub(crate) fn deref_place(
        &mut self,
        place: &Place,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<(Place, Mono)> {
        let Mono::Ref { to, .. } = mono else { return Err(self.report_bug(at)) };
        match self.read_place(place, mono, at)? {
            Value::Ref(place) => Ok((*place, (**to).clone())),
            _ => Err(self.report_bug(at)),
        }
    }
}
