//! What patterns bind, once they match.
use crate::{
    hir::{Pattern, PatternKind, SpanId, Var},
    lower::{Emit, Flow, Length, Memory, Place, Pointer, Value, control::matching::Test},
    types::mono::Mono,
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, BinaryOp, Body, InstId, Op, Scalar},
};

/// Where a variable is.
struct Room {
    var: Var,
    place: Place,
    mono: Mono,
}

impl Emit<'_> {
    /// Binds the variables of a pattern that matches to a value that nothing else refers to.
    pub(crate) fn bind_value(&mut self, pattern: &Pattern, value: Value) -> Flow<()> {
        if let PatternKind::Bind { var, by_ref: false, subpattern: None } = pattern.kind {
            return self.bind(var, value);
        }
        let mono = self.mono(pattern.ty, pattern.at)?;
        self.bind_pattern(pattern, &crate::lower::memory::storage::placed(value), &mono)
    }

    /// Binds the variables of a pattern that matches.
    pub(crate) fn bind_pattern(
        &mut self,
        pattern: &Pattern,
        place: &Place,
        mono: &Mono,
    ) -> Flow<()> {
        let at = pattern.at;
        match &pattern.kind {
            PatternKind::Wild | PatternKind::Is(_) | PatternKind::Range { .. } => Ok(()),
            PatternKind::Any(cases) => self.bind_any(cases, place, mono, at),
            PatternKind::Bind { var, by_ref, subpattern: and } => {
                if *by_ref {
                    let reference = Value::Ref(Box::new(place.clone()));
                    self.frame.vars[var.index()] = Some(Place::Value(reference));
                } else {
                    let value = self.get(place, mono, at)?;
                    self.bind(*var, value)?;
                }
                and.as_ref().map_or(Ok(()), |and| self.bind_pattern(and, place, mono))
            }
            PatternKind::Parts { variant: None, parts } => {
                let types = self.parts_of(mono, at)?.unwrap_or_default();
                for (index, part) in parts {
                    let place = self.part(place, mono, *index, at)?;
                    self.bind_pattern(part, &place, &types[*index])?;
                }
                Ok(())
            }
            PatternKind::Parts { variant: Some(variant), parts } => {
                if parts.is_empty() {
                    return Ok(());
                }
                let adt = self.adt(mono, at)?;
                let Some(places) = self.variant_parts(place, mono, *variant, at)? else {
                    return Err(self.bug(at));
                };
                for (index, part) in parts {
                    let ty = &adt.variants[*variant][*index];
                    self.bind_pattern(part, &places[*index], ty)?;
                }
                Ok(())
            }
            PatternKind::Deref(inner) => {
                let (place, mono) = self.referred(place, mono, at)?;
                self.bind_pattern(inner, &place, &mono)
            }
            PatternKind::Slice { before, rest, after } => {
                let rest = rest.as_ref().and_then(Option::as_deref);
                self.bind_slice([before, after], rest, place, mono, at)
            }
        }
    }

    /// Binds the variables by the first of several patterns that matches: they are where each puts
    /// its own.
    fn bind_any(&mut self, cases: &[Pattern], place: &Place, mono: &Mono, at: SpanId) -> Flow<()> {
        let mut vars = Vec::new();
        cases.iter().take(1).for_each(|case| bound(case, &mut vars));
        if vars.is_empty() {
            return Ok(());
        }
        let mut tests = Vec::with_capacity(cases.len());
        for case in cases {
            match self.test(case, place, mono)? {
                Test::Never => {}
                Test::Always => {
                    tests.push((case, None));
                    break;
                }
                Test::If(cond) => tests.push((case, Some(cond))),
            }
        }
        if let [(case, _)] = tests.as_slice() {
            return self.bind_pattern(case, place, mono);
        }
        let rooms = self.rooms_for(vars)?;
        let mut opened = 0;
        let done = self.bind_first(&tests, place, mono, &rooms, &mut opened, at);
        self.close(opened);
        self.move_in(rooms);
        done
    }

    /// Room for variables that are bound in one place and used in another.
    fn rooms_for(&mut self, vars: Vec<Var>) -> Flow<Vec<Room>> {
        let function = self.frame.function.clone();
        let mut rooms = Vec::with_capacity(vars.len());
        for var in vars {
            let variable = &function.vars[var];
            let mono = self.mono(variable.ty, variable.at)?;
            let name = variable.name.trim_start_matches("r#");
            let place = self.room(&mono, name, variable.at)?;
            rooms.push(Room { var, place, mono });
        }
        Ok(rooms)
    }

    /// Puts what was bound into its room.
    fn put_into(&mut self, rooms: &[Room], at: SpanId) -> Flow<()> {
        for Room { var, place, mono } in rooms {
            let Some(found) = self.frame.vars[var.index()].clone() else {
                return Err(self.bug(at));
            };
            let value = self.get(&found, mono, at)?;
            self.set(place, value, mono, at)?;
        }
        Ok(())
    }

    fn move_in(&mut self, rooms: Vec<Room>) {
        for Room { var, place, .. } in rooms {
            self.frame.vars[var.index()] = Some(place);
        }
    }

    /// Each in the `else` of those before it; the last one matches what is left.
    fn bind_first(
        &mut self,
        tests: &[(&Pattern, Option<InstId>)],
        place: &Place,
        mono: &Mono,
        rooms: &[Room],
        opened: &mut usize,
        at: SpanId,
    ) -> Flow<()> {
        for (index, (case, cond)) in tests.iter().enumerate() {
            let is_last = index + 1 == tests.len();
            if let (Some(cond), false) = (*cond, is_last) {
                let op = Op::If { cond, then: Body::default(), other: Body::default() };
                self.begin(at, op, ir::Ty::Unit)?;
                *opened += 1;
            }
            self.bind_pattern(case, place, mono)?;
            self.put_into(rooms, at)?;
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
            (self.pieces_of(place), mono)
        {
            return self.bind_pieces([before, after], rest, &pieces, elem, at);
        }
        let Place::Memory(memory) = place else { return Err(self.bug(at)) };
        for (index, pattern) in before.iter().enumerate() {
            let (place, elem) = self.element_from_start(memory, mono, index, at)?;
            self.bind_pattern(pattern, &place, &elem)?;
        }
        for (index, pattern) in after.iter().rev().enumerate() {
            let (place, elem) = self.element_from_end(memory, mono, index, at)?;
            self.bind_pattern(pattern, &place, &elem)?;
        }
        let Some(rest) = rest else { return Ok(()) };
        let (Mono::Array(elem, _) | Mono::Slice(elem)) = mono else { return Err(self.bug(at)) };
        let len = self.length_of(memory, mono, at)?;
        let skipped = self.bits((before.len() + after.len()) as u64, Scalar::U64, at);
        let len = self.binary_op(BinaryOp::Sub, len, skipped, Scalar::U64, at);
        let start = self.bits(before.len() as u64, Scalar::U64, at);
        let first = self.nth(memory, start, elem, at)?;
        let part = Memory { len: Some(Length::Inst(len)), ..first };
        let mono = self.mono(rest.ty, rest.at)?;
        self.bind_pattern(rest, &Place::Memory(part), &mono)
    }

    /// Gives a variable its first value.
    pub(crate) fn bind(&mut self, var: Var, value: Value) -> Flow<()> {
        let function = self.frame.function.clone();
        let variable = &function.vars[var];
        let place = if variable.settable {
            let mono = self.mono(variable.ty, variable.at)?;
            let name = variable.name.trim_start_matches("r#");
            self.variable(value, &mono, name, variable.at)?
        } else {
            crate::lower::memory::storage::placed(value)
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

    /// Room for variables that are set later.
    pub(crate) fn declare(&mut self, pattern: &Pattern) -> Flow<()> {
        match &pattern.kind {
            PatternKind::Bind { var, .. } => {
                let function = self.frame.function.clone();
                let variable = &function.vars[*var];
                let mono = self.mono(variable.ty, variable.at)?;
                let name = variable.name.trim_start_matches("r#");
                let place = self.room(&mono, name, variable.at)?;
                self.frame.vars[var.index()] = Some(place);
                Ok(())
            }
            PatternKind::Parts { parts, .. } => {
                parts.iter().try_for_each(|(_, part)| self.declare(part))
            }
            PatternKind::Slice { before, rest, after } => {
                let rest = rest.iter().flatten().map(|rest| &**rest);
                let mut parts = before.iter().chain(rest).chain(after);
                parts.try_for_each(|part| self.declare(part))
            }
            PatternKind::Wild
            | PatternKind::Is(_)
            | PatternKind::Range { .. }
            | PatternKind::Deref(_)
            | PatternKind::Any(_) => Ok(()),
        }
    }
}

/// Adds the variables that a pattern binds.
pub(crate) fn bound(pattern: &Pattern, vars: &mut Vec<Var>) {
    match &pattern.kind {
        PatternKind::Wild | PatternKind::Is(_) | PatternKind::Range { .. } => {}
        PatternKind::Bind { var, subpattern: and, .. } => {
            vars.push(*var);
            and.iter().for_each(|and| bound(and, vars));
        }
        PatternKind::Deref(inner) => bound(inner, vars),
        PatternKind::Parts { parts, .. } => parts.iter().for_each(|(_, part)| bound(part, vars)),
        PatternKind::Slice { before, rest, after } => {
            let rest = rest.iter().flatten().map(|rest| &**rest);
            before.iter().chain(rest).chain(after).for_each(|part| bound(part, vars));
        }
        PatternKind::Any(cases) => cases.iter().take(1).for_each(|case| bound(case, vars)),
    }
}
