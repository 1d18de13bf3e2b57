//! Arrays with references in them. What is in memory are numbers, and so such an array is none of memory: it is taken apart like a tuple, into as
//! many parts as it has elements. An element by a number that is not known is chosen among all.
use crate::{
    hir::{Pattern, SpanId},
    lower::{Emit, Flow, Left, Place, Value, control::matching::Test, memory::storage::placed},
    types::mono::Mono,
};
use std::rc::Rc;
use warpwise_compiler::ir::{self, Body, InstId, Op, Scalar};

/// So many elements such an array may have.
const MOST: u64 = 64;

impl Emit<'_> {
    /// Types of the elements of an array with references in it; `None` for another type.
    pub(crate) fn apart(&mut self, mono: &Mono, at: SpanId) -> Flow<Option<Vec<Mono>>> {
        let Mono::Array(elem, len) = mono else { return Ok(None) };
        if self.lies_in_memory(elem, at)? {
            return Ok(None);
        }
        match self.extent(len, at)?.known() {
            Some(len @ ..=MOST) => Ok(Some(vec![(**elem).clone(); len as usize])),
            _ => {
                self.errors.advise(
                    self.range(at),
                    format_args!("kernel code has arrays of references of up to {MOST} elements, whose number is known"),
                    "keep the places where slices start and end, which are numbers",
                );
                Err(Left)
            }
        }
    }

    /// The elements of an array, or of a slice of one, that is in no memory.
    pub(crate) fn pieces_of(&self, place: &Place) -> Option<Rc<[Place]>> {
        match place {
            Place::Parts(places) => Some(places.clone()),
            Place::Value(Value::Parts(values)) => {
                Some(values.iter().cloned().map(placed).collect())
            }
            Place::OneOf(places, chosen) => {
                let all = places.iter().map(|place| self.pieces_of(place));
                let all: Vec<Rc<[Place]>> = all.collect::<Option<_>>()?;
                let of = |index: usize| {
                    let pieces = all.iter().map(|pieces| pieces.get(index).cloned());
                    Some(Place::OneOf(pieces.collect::<Option<_>>()?, *chosen))
                };
                (0..all.first()?.len()).map(of).collect()
            }
            Place::Value(_)
            | Place::Param(_)
            | Place::Local(_)
            | Place::Memory(_)
            | Place::Variants(_)
            | Place::Reference(_) => None,
        }
    }

    /// The parts of a variant of the one of several enums that an index says; `None` if none is that variant.
    pub(crate) fn chosen_parts(
        &mut self,
        (places, chosen): (&[Place], InstId),
        mono: &Mono,
        variant: usize,
        at: SpanId,
    ) -> Flow<Option<Vec<Place>>> {
        let all = places.iter().map(|place| self.variant_parts(place, mono, variant, at));
        let all = all.collect::<Flow<Vec<_>>>()?;
        // Of those that are never that variant nobody asks for parts.
        let Some(some) = all.iter().flatten().next() else { return Ok(None) };
        let of = |index: usize| {
            let parts = all.iter().map(|parts| parts.as_ref().unwrap_or(some)[index].clone());
            Place::OneOf(parts.collect(), chosen)
        };
        Ok(Some((0..some.len()).map(of).collect()))
    }

    /// The one with this number, with its check.
    pub(crate) fn piece_at(&mut self, pieces: Rc<[Place]>, index: InstId, at: SpanId) -> Place {
        if let Some(place) = self.numbered(&pieces, index) {
            return place.clone();
        }
        let len = self.bits(pieces.len() as u64, Scalar::U64, at);
        let index = self.inst(at, Op::Bounds { index, len }, Scalar::U64);
        Place::OneOf(pieces, index)
    }

    /// The one with this number, which is less than how many there are.
    pub(crate) fn piece_of(&self, pieces: Rc<[Place]>, index: InstId) -> Place {
        match self.numbered(&pieces, index) {
            Some(place) => place.clone(),
            None => Place::OneOf(pieces, index),
        }
    }

    fn numbered<'p>(&self, pieces: &'p [Place], index: InstId) -> Option<&'p Place> {
        match self.build.kernel.insts[index].op {
            Op::Const(index) => pieces.get(usize::try_from(index).ok()?),
            _ => None,
        }
    }

    /// What is in the place with that number, of a type other than a number.
    pub(crate) fn get_chosen(
        &mut self,
        places: &[Place],
        index: InstId,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Value> {
        if let Some(referred) = in_registers(places, mono) {
            return Ok(Value::Ref(Box::new(Place::OneOf(referred, index))));
        }
        let room = self.room(mono, "", at)?;
        self.each_chosen(places, index, at, |this, place| {
            let value = this.get(place, mono, at)?;
            this.set(&room, value, mono, at)
        })?;
        self.get(&room, mono, at)
    }

    /// Sets the place with that number, of a type other than a number.
    pub(crate) fn set_chosen(
        &mut self,
        places: &[Place],
        index: InstId,
        value: &Value,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        self.each_chosen(places, index, at, |this, place| this.set(place, value.clone(), mono, at))
    }

    fn each_chosen(
        &mut self,
        places: &[Place],
        index: InstId,
        at: SpanId,
        mut each: impl FnMut(&mut Self, &Place) -> Flow<()>,
    ) -> Flow<()> {
        for (number, place) in places.iter().enumerate() {
            let cond = self.is_number(index, number, at);
            let op = Op::If { cond, then: Body::default(), other: Body::default() };
            self.begin(at, op, ir::Ty::Unit)?;
            let done = each(self, place);
            self.build.end();
            done?;
        }
        Ok(())
    }

    /// Whether as many elements are there as a pattern has, and those at the ends match.
    pub(crate) fn pieces_test(
        &mut self,
        [before, after]: [&[Pattern]; 2],
        open: bool,
        pieces: &[Place],
        elem: &Mono,
        at: SpanId,
    ) -> Flow<Test> {
        let count = before.len() + after.len();
        if pieces.len() < count || !open && pieces.len() > count {
            return Ok(Test::Never);
        }
        let last = &pieces[pieces.len() - after.len()..];
        let mut test = Test::Always;
        for (pattern, place) in before.iter().zip(pieces).chain(after.iter().zip(last)) {
            let one = self.test(pattern, place, elem)?;
            test = self.both(test, one, at);
        }
        Ok(test)
    }

    /// Binds what a pattern has of the elements, of which there are enough.
    pub(crate) fn bind_pieces(
        &mut self,
        [before, after]: [&[Pattern]; 2],
        rest: Option<&Pattern>,
        pieces: &[Place],
        elem: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        let Some(end) = pieces.len().checked_sub(after.len()) else { return Err(self.bug(at)) };
        let (Some(middle), Some(last)) = (pieces.get(before.len()..end), pieces.get(end..)) else {
            return Err(self.bug(at));
        };
        for (pattern, place) in before.iter().zip(pieces).chain(after.iter().zip(last)) {
            self.bind_pattern(pattern, place, elem)?;
        }
        let Some(rest) = rest else { return Ok(()) };
        let mono = self.mono(rest.ty, rest.at)?;
        self.bind_pattern(rest, &Place::Parts(middle.into()), &mono)
    }

    /// Reports that something needs the elements of an array of references in memory.
    pub(crate) fn no_memory(&mut self, at: SpanId) -> Left {
        self.errors.advise(
            self.range(at),
            "kernel code has arrays of references in no memory: it can index them, loop over them and match them",
            "write out what is done with each element, or keep the places where slices start and end, which are numbers",
        );
        Left
    }
}

/// What these `&mut` references refer to, if some of that is in no memory, so that they cannot be chosen among by their addresses.
fn in_registers(references: &[Place], mono: &Mono) -> Option<Rc<[Place]>> {
    let Mono::Ref { mutable: true, .. } = mono else { return None };
    let referred = references.iter().map(|reference| match reference {
        Place::Value(Value::Ref(place)) => Some((**place).clone()),
        _ => None,
    });
    let referred: Rc<[Place]> = referred.collect::<Option<_>>()?;
    referred.iter().any(|place| !matches!(place, Place::Memory(_))).then_some(referred)
}
