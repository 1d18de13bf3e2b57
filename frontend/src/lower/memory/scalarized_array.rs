//! Scalarized arrays: arrays with references in them.
//!
//! References are not storable, so that such an array is never in memory: it is split into its
//! elements, as a tuple is. An element at a run-time index is selected among all of them.
use crate::{
    hir::{Pattern, SpanId},
    lower::{
        Diverged, Flow, Lowerer, Place, Value,
        control::matching::PatternTest,
        memory::{reference::ReferencePlace, storage::place_of_value},
    },
    types::mono::Mono,
};
use std::rc::Rc;
use warpwise_compiler::ir::{self, Body, InstId, Op, Scalar};

/// Limit on the elements of such an array.
const MAX_SCALARIZED_ELEMENTS: u64 = 64;

impl Lowerer<'_> {
    /// Returns the element types of an array with references in it; `None` for another type.
    pub(crate) fn scalarized_types(&mut self, mono: &Mono, at: SpanId) -> Flow<Option<Vec<Mono>>> {
        let Mono::Array(elem, len) = mono else { return Ok(None) };
        if self.is_storable(elem, at)? {
            return Ok(None);
        }
        match self.simplify_extent(len, at)?.known() {
            Some(len @ ..=MAX_SCALARIZED_ELEMENTS) => {
                Ok(Some(vec![(**elem).clone(); len as usize]))
            }
            _ => {
                self.errors.advise(
                    self.source_range(at),
                    format_args!("kernel code has arrays of references of up to {MAX_SCALARIZED_ELEMENTS} elements, whose number is known"),
                    "keep the places where slices start and end, which are numbers",
                );
                Err(Diverged)
            }
        }
    }

    /// Returns the elements of a scalarized array, or of a slice of one.
    pub(crate) fn scalarized_elements(&self, place: &Place) -> Option<Rc<[Place]>> {
        match place {
            Place::Parts(places) => Some(places.clone()),
            Place::Value(Value::Parts(values)) => {
                Some(values.iter().cloned().map(place_of_value).collect())
            }
            Place::OneOf(places, chosen) => {
                let all = places.iter().map(|place| self.scalarized_elements(place));
                let all: Vec<Rc<[Place]>> = all.collect::<Option<_>>()?;
                let nth = |index: usize| {
                    let pieces = all.iter().map(|pieces| pieces.get(index).cloned());
                    Some(Place::OneOf(pieces.collect::<Option<_>>()?, *chosen))
                };
                (0..all.first()?.len()).map(nth).collect()
            }
            Place::Value(_)
            | Place::Param(_)
            | Place::Local(_)
            | Place::Memory(_)
            | Place::Variants(_)
            | Place::Reference(_) => None,
        }
    }

    /// Returns the fields of a variant, for the one of several enums that an index chooses; `None`
    /// if none of them can be that variant.
    pub(crate) fn one_of_variant_parts(
        &mut self,
        (places, chosen): (&[Place], InstId),
        mono: &Mono,
        variant: usize,
        at: SpanId,
    ) -> Flow<Option<Vec<Place>>> {
        let all = places.iter().map(|place| self.variant_parts(place, mono, variant, at));
        let all = all.collect::<Flow<Vec<_>>>()?;
        // The fields of an enum that is never this variant are never read, so any stand for them.
        let Some(some) = all.iter().flatten().next() else { return Ok(None) };
        let Some(types) = self.adt_of(mono, at)?.variants.get(variant).cloned() else {
            return Err(self.report_bug(at));
        };
        let fields = types.iter().enumerate().map(|(index, ty)| {
            let parts = all.iter().map(|parts| parts.as_ref().unwrap_or(some)[index].clone());
            self.choose_place(parts.collect(), chosen, ty, at)
        });
        fields.collect::<Flow<_>>().map(Some)
    }

    /// Returns the one of several places that an index chooses. Arrays in memory are indexed by
    /// their address, so among these it chooses the address.
    pub(crate) fn choose_place(
        &mut self,
        places: Rc<[Place]>,
        chosen: InstId,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Place> {
        let in_memory = places.iter().all(|place| matches!(place, Place::Memory(_)));
        if !matches!(mono, Mono::Array(..)) || !in_memory {
            return Ok(Place::OneOf(places, chosen));
        }
        let refer = |place: &Place| Place::Value(Value::Ref(Box::new(place.clone())));
        let references: Vec<Place> = places.iter().map(refer).collect();
        let reference = Mono::Ref { mutable: true, to: mono.clone().into() };
        match self.read_chosen(&references, chosen, &reference, at)? {
            Value::Ref(place) => Ok(*place),
            _ => Err(self.report_bug(at)),
        }
    }

    /// Returns the element at this index, with a bounds check.
    pub(crate) fn checked_element(
        &mut self,
        pieces: Rc<[Place]>,
        index: InstId,
        at: SpanId,
    ) -> Place {
        if let Some(place) = self.constant_element(&pieces, index) {
            return place.clone();
        }
        let len = self.push_bits(pieces.len() as u64, Scalar::U64, at);
        let index = self.push_inst(at, Op::Bounds { index, len }, Scalar::U64);
        Place::OneOf(pieces, index)
    }

    /// Returns the element at this index, which is in bounds.
    pub(crate) fn element_in_bounds(&self, pieces: Rc<[Place]>, index: InstId) -> Place {
        match self.constant_element(&pieces, index) {
            Some(place) => place.clone(),
            None => Place::OneOf(pieces, index),
        }
    }

    fn constant_element<'p>(&self, pieces: &'p [Place], index: InstId) -> Option<&'p Place> {
        match self.build.kernel.insts[index].op {
            Op::Const(index) => pieces.get(usize::try_from(index).ok()?),
            _ => None,
        }
    }

    /// Reads the place at this index, for types other than numbers.
    pub(crate) fn read_chosen(
        &mut self,
        places: &[Place],
        index: InstId,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Value> {
        if let Some(referred) = self.referents_in_registers(places, mono, at)? {
            return Ok(Value::Ref(Box::new(Place::OneOf(referred, index))));
        }
        let room = self.allocate(mono, "", at)?;
        self.for_chosen(places, index, at, |this, place| {
            let value = this.read_place(place, mono, at)?;
            this.write_place(&room, value, mono, at)
        })?;
        self.read_place(&room, mono, at)
    }

    /// Writes the place at this index, for types other than numbers.
    pub(crate) fn write_chosen(
        &mut self,
        places: &[Place],
        index: InstId,
        value: &Value,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        self.for_chosen(places, index, at, |this, place| {
            this.write_place(place, value.clone(), mono, at)
        })
    }

    /// Returns the referents of `&mut` references if some are in no memory, so that an address
    /// cannot choose among them.
    fn referents_in_registers(
        &mut self,
        references: &[Place],
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Option<Rc<[Place]>>> {
        let Mono::Ref { mutable: true, .. } = mono else { return Ok(None) };
        let mut referred = Vec::with_capacity(references.len());
        for reference in references {
            let is_known = match reference {
                Place::Value(Value::Ref(_)) => true,
                Place::Reference(reference) => matches!(reference, ReferencePlace::Chosen(_)),
                Place::Value(_)
                | Place::Param(_)
                | Place::Local(_)
                | Place::Memory(_)
                | Place::Parts(_)
                | Place::Variants(_)
                | Place::OneOf(..) => false,
            };
            if !is_known {
                return Ok(None);
            }
            match self.read_place(reference, mono, at)? {
                Value::Ref(place) => referred.push(*place),
                _ => return Err(self.report_bug(at)),
            }
        }
        let is_in_registers = referred.iter().any(|place| !matches!(place, Place::Memory(_)));
        Ok(is_in_registers.then(|| referred.into()))
    }

    fn for_chosen(
        &mut self,
        places: &[Place],
        index: InstId,
        at: SpanId,
        mut each: impl FnMut(&mut Self, &Place) -> Flow<()>,
    ) -> Flow<()> {
        for (number, place) in places.iter().enumerate() {
            let cond = self.index_equals(index, number, at);
            let op = Op::If { cond, then: Body::default(), other: Body::default() };
            self.begin_body(at, op, ir::Ty::Unit)?;
            let done = each(self, place);
            self.build.end();
            done?;
        }
        Ok(())
    }

    /// Tests if the number of elements fits a pattern, and if the elements at the ends match.
    pub(crate) fn test_scalarized(
        &mut self,
        [before, after]: [&[Pattern]; 2],
        open: bool,
        pieces: &[Place],
        elem: &Mono,
        at: SpanId,
    ) -> Flow<PatternTest> {
        let count = before.len() + after.len();
        if pieces.len() < count || !open && pieces.len() > count {
            return Ok(PatternTest::Never);
        }
        let last = &pieces[pieces.len() - after.len()..];
        let mut test = PatternTest::Always;
        for (pattern, place) in before.iter().zip(pieces).chain(after.iter().zip(last)) {
            let one = self.test_pattern(pattern, place, elem)?;
            test = self.and_tests(test, one, at);
        }
        Ok(test)
    }

    /// Binds a pattern's elements, of which there are enough.
    pub(crate) fn bind_scalarized(
        &mut self,
        [before, after]: [&[Pattern]; 2],
        rest: Option<&Pattern>,
        pieces: &[Place],
        elem: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        let Some(end) = pieces.len().checked_sub(after.len()) else {
            return Err(self.report_bug(at));
        };
        let (Some(middle), Some(last)) = (pieces.get(before.len()..end), pieces.get(end..)) else {
            return Err(self.report_bug(at));
        };
        for (pattern, place) in before.iter().zip(pieces).chain(after.iter().zip(last)) {
            self.bind_pattern(pattern, place, elem)?;
        }
        let Some(rest) = rest else { return Ok(()) };
        let mono = self.mono_type(rest.ty, rest.at)?;
        self.bind_pattern(rest, &Place::Parts(middle.into()), &mono)
    }

    /// Reports a use that needs the elements of an array of references in memory.
    pub(crate) fn report_no_memory(&mut self, at: SpanId) -> Diverged {
        self.errors.advise(
            self.source_range(at),
            "kernel code has arrays of references in no memory: it can index them, loop over them and match them",
            "write out what is done with each element, or keep the places where slices start and end, which are numbers",
        );
        Diverged
    }
}
