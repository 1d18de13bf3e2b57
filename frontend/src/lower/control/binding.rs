//! Binding of the variables of patterns that match.
use crate::{
    hir::{Pattern, PatternKind, SpanId, Var},
    lower::{Flow, Length, Lowerer, Memory, Place, Pointer, Value, control::matching::PatternTest},
    types::{Type, mono::Mono},
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, BinaryOp, Body, InstId, Op, Scalar},
};

/// Place allocated for a variable.
struct VarPlace {
    var: Var,
    place: Place,
    mono: Mono,
}

impl Lowerer<'_> {
    /// Binds the variables of a matching pattern to a value that nothing else refers to.
    pub(crate) fn bind_value(&mut self, pattern: &Pattern, value: Value) -> Flow<()> {
        if let PatternKind::Bind { var, by_ref: false, subpattern: None } = pattern.kind {
            return self.bind_var(var, value);
        }
        let mono = self.mono_type(pattern.ty, pattern.at)?;
        self.bind_pattern(pattern, &crate::lower::memory::storage::place_of_value(value), &mono)
    }

    /// Binds the variables of a matching pattern.
    pub(crate) fn bind_pattern(
        &mut self,
        pattern: &Pattern,
        place: &Place,
        mono: &Mono,
    ) -> Flow<()> {
        let at = pattern.at;
        match &pattern.kind {
            PatternKind::Wild | PatternKind::Is(_) | PatternKind::Range { .. } => Ok(()),
            PatternKind::Any(cases) => self.bind_alternatives(cases, place, mono, at),
            PatternKind::Bind { var, by_ref, subpattern: and } => {
                if *by_ref {
                    let referred = match self.type_of(self.frame.function.vars[*var].ty) {
                        Type::Ref { mutable: true, .. } => {
                            self.make_changeable(place.clone(), mono, at)?
                        }
                        _ => place.clone(),
                    };
                    let reference = Value::Ref(Box::new(referred));
                    self.frame.vars[var.index()] = Some(Place::Value(reference));
                } else {
                    let value = self.read_place(place, mono, at)?;
                    self.bind_var(*var, value)?;
                }
                and.as_ref().map_or(Ok(()), |and| self.bind_pattern(and, place, mono))
            }
            PatternKind::Parts { variant: None, parts } => {
                let types = self.part_types(mono, at)?.unwrap_or_default();
                for (index, part) in parts {
                    let place = self.part_place(place, mono, *index, at)?;
                    self.bind_pattern(part, &place, &types[*index])?;
                }
                Ok(())
            }
            PatternKind::Parts { variant: Some(variant), parts } => {
                if parts.is_empty() {
                    return Ok(());
                }
                let adt = self.adt_of(mono, at)?;
                let Some(places) = self.variant_parts(place, mono, *variant, at)? else {
                    return Err(self.report_bug(at));
                };
                for (index, part) in parts {
                    let ty = &adt.variants[*variant][*index];
                    self.bind_pattern(part, &places[*index], ty)?;
                }
                Ok(())
            }
            PatternKind::Deref(inner) => {
                let (place, mono) = self.deref_place(place, mono, at)?;
                self.bind_pattern(inner, &place, &mono)
            }
            PatternKind::Slice { before, rest, after } => {
                let rest = rest.as_ref().and_then(Option::as_deref);
                self.bind_slice([before, after], rest, place, mono, at)
            }
        }
    }

    /// Binds the variables of the first alternative that matches. All alternatives store into the
    /// same places.
    fn bind_alternatives(
        &mut self,
        cases: &[Pattern],
        place: &Place,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        let mut vars = Vec::new();
        cases.iter().take(1).for_each(|case| collect_bound_vars(case, &mut vars));
        if vars.is_empty() {
            return Ok(());
        }
        let mut tests = Vec::with_capacity(cases.len());
        for case in cases {
            match self.test_pattern(case, place, mono)? {
                PatternTest::Never => {}
                PatternTest::Always => {
                    tests.push((case, None));
                    break;
                }
                PatternTest::If(cond) => tests.push((case, Some(cond))),
            }
        }
        if let [(case, _)] = tests.as_slice() {
            return self.bind_pattern(case, place, mono);
        }
        let places = self.allocate_vars(vars)?;
        let mut opened = 0;
        let done = self.bind_first_match(&tests, place, mono, &places, &mut opened, at);
        self.close_bodies(opened);
        self.use_allocated_vars(places);
        done
    }

    /// Allocates places for variables that several alternatives bind.
    fn allocate_vars(&mut self, vars: Vec<Var>) -> Flow<Vec<VarPlace>> {
        let function = self.frame.function.clone();
        let mut places = Vec::with_capacity(vars.len());
        for var in vars {
            let variable = &function.vars[var];
            let mono = self.mono_type(variable.ty, variable.at)?;
            let name = variable.name.trim_start_matches("r#");
            let place = self.allocate(&mono, name, variable.at)?;
            places.push(VarPlace { var, place, mono });
        }
        Ok(places)
    }

    /// Copies the bound values into the allocated places.
    fn store_bindings(&mut self, places: &[VarPlace], at: SpanId) -> Flow<()> {
        for VarPlace { var, place, mono } in places {
            let Some(found) = self.frame.vars[var.index()].clone() else {
                return Err(self.report_bug(at));
            };
            let value = self.read_place(&found, mono, at)?;
            self.write_place(place, value, mono, at)?;
        }
        Ok(())
    }

    /// Makes the allocated places those of the variables.
    fn use_allocated_vars(&mut self, places: Vec<VarPlace>) {
        for VarPlace { var, place, .. } in places {
            self.frame.vars[var.index()] = Some(place);
        }
    }

    /// Nests each alternative in the `else` of the previous one; the last matches the rest.
    fn bind_first_match(
        &mut self,
        tests: &[(&Pattern, Option<InstId>)],
        place: &Place,
        mono: &Mono,
        places: &[VarPlace],
        opened: &mut usize,
        at: SpanId,
    ) -> Flow<()> {
        for (index, (case, cond)) in tests.iter().enumerate() {
            let is_last = index + 1 == tests.len();
            if let (Some(cond), false) = (*cond, is_last) {
                let op = Op::If { cond, then: Body::default(), other: Body::default() };
                self.begin_body(at, op, ir::Ty::Unit)?;
                *opened += 1;
            }
            self.bind_pattern(case, place, mono)?;
            self.store_bindings(places, at)?;
            if !is_last {
                self.build.otherwise();
            }
        }
        Ok(())
    }

    fn bind_slice(
        &mut self,
        [before, after]: [&[Pattern]; 2],
        rest: Option<&Pattern>,
        place: &Place,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        if let (Some(pieces), Mono::Array(elem, _) | Mono::Slice(elem)) =
            (self.scalarized_elements(place), mono)
        {
            return self.bind_scalarized([before, after], rest, &pieces, elem, at);
        }
        let Place::Memory(memory) = place else { return Err(self.report_bug(at)) };
        for (index, pattern) in before.iter().enumerate() {
            let (place, elem) = self.element_from_start(memory, mono, index, at)?;
            self.bind_pattern(pattern, &place, &elem)?;
        }
        for (index, pattern) in after.iter().rev().enumerate() {
            let (place, elem) = self.element_from_end(memory, mono, index, at)?;
            self.bind_pattern(pattern, &place, &elem)?;
        }
        let Some(rest) = rest else { return Ok(()) };
        let (Mono::Array(elem, _) | Mono::Slice(elem)) = mono else {
            return Err(self.report_bug(at));
        };
        let len = self.sequence_length(memory, mono, at)?;
        let skipped = self.push_bits((before.len() + after.len()) as u64, Scalar::U64, at);
        let len = self.push_binary(BinaryOp::Sub, len, skipped, Scalar::U64, at);
        let start = self.push_bits(before.len() as u64, Scalar::U64, at);
        let first = self.element_at(memory, start, elem, at)?;
        let part = Memory { len: Some(Length::Inst(len)), ..first };
        let mono = self.mono_type(rest.ty, rest.at)?;
        self.bind_pattern(rest, &Place::Memory(part), &mono)
    }

    /// Gives a variable its first value.
    pub(crate) fn bind_var(&mut self, var: Var, value: Value) -> Flow<()> {
        let function = self.frame.function.clone();
        let variable = &function.vars[var];
        let place = if variable.settable {
            let mono = self.mono_type(variable.ty, variable.at)?;
            let name = variable.name.trim_start_matches("r#");
            self.new_variable(value, &mono, name, variable.at)?
        } else {
            crate::lower::memory::storage::place_of_value(value)
        };
        if let Place::Memory(Memory { ptr: Pointer::Array(id), .. }) = &place
            && self.build.kernel.arrays[*id].name.is_empty()
        {
            let name = variable.name.trim_start_matches("r#");
            name.clone_into(&mut self.build.kernel.arrays[*id].name);
        }
        self.frame.vars[var.index()] = Some(place);
        Ok(())
    }

    /// Allocates places for variables that are assigned later.
    pub(crate) fn declare_vars(&mut self, pattern: &Pattern) -> Flow<()> {
        match &pattern.kind {
            PatternKind::Bind { var, .. } => {
                let function = self.frame.function.clone();
                let variable = &function.vars[*var];
                let mono = self.mono_type(variable.ty, variable.at)?;
                let name = variable.name.trim_start_matches("r#");
                let place = self.allocate(&mono, name, variable.at)?;
                self.frame.vars[var.index()] = Some(place);
                Ok(())
            }
            PatternKind::Parts { parts, .. } => {
                parts.iter().try_for_each(|(_, part)| self.declare_vars(part))
            }
            PatternKind::Slice { before, rest, after } => {
                let rest = rest.iter().flatten().map(|rest| &**rest);
                let mut parts = before.iter().chain(rest).chain(after);
                parts.try_for_each(|part| self.declare_vars(part))
            }
            PatternKind::Wild
            | PatternKind::Is(_)
            | PatternKind::Range { .. }
            | PatternKind::Deref(_)
            | PatternKind::Any(_) => Ok(()),
        }
    }
}

/// Appends the variables that a pattern binds.
pub(crate) fn collect_bound_vars(pattern: &Pattern, vars: &mut Vec<Var>) {
    match &pattern.kind {
        PatternKind::Wild | PatternKind::Is(_) | PatternKind::Range { .. } => {}
        PatternKind::Bind { var, subpattern: and, .. } => {
            vars.push(*var);
            and.iter().for_each(|and| collect_bound_vars(and, vars));
        }
        PatternKind::Deref(inner) => collect_bound_vars(inner, vars),
        PatternKind::Parts { parts, .. } => {
            parts.iter().for_each(|(_, part)| collect_bound_vars(part, vars))
        }
        PatternKind::Slice { before, rest, after } => {
            let rest = rest.iter().flatten().map(|rest| &**rest);
            before.iter().chain(rest).chain(after).for_each(|part| collect_bound_vars(part, vars));
        }
        PatternKind::Any(cases) => {
            cases.iter().take(1).for_each(|case| collect_bound_vars(case, vars))
        }
    }
}
