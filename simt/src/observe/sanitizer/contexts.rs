//! The contexts of accesses to global memory, by number.
//!
//! Blocks that are [replayed](crate::exec::replay) make the same accesses in the same order. Only
//! the contexts of the first such block are stored; those of the others are computed from them.
use super::happens_before::Context;

/// Contexts in the order of their accesses, each with the value that all lanes write, if it is the
/// same.
#[derive(Debug, Default)]
pub(crate) struct Contexts {
    parts: Vec<Part>,
    len: u32,
}

#[derive(Debug)]
struct Part {
    /// The number of the first context.
    first: u32,
    contexts: Vec<Context>,
    /// One value for each context, or none if all are `None`.
    values: Vec<Option<u64>>,
    /// True if the contexts repeat in further rounds, with larger block and event numbers.
    is_repeated: bool,
}

impl Contexts {
    /// Appends a context, unless it equals the last one. Returns its number.
    pub(crate) fn push(&mut self, context: Context, value: Option<u64>) -> u32 {
        if self.parts.last().is_none_or(|part| part.is_repeated) {
            let (contexts, values) = (Vec::new(), Vec::new());
            self.parts.push(Part { first: self.len, contexts, values, is_repeated: false });
        }
        if let Some(part) = self.parts.last_mut()
            && part.contexts.last() != Some(&context)
        {
            part.contexts.push(context);
            part.values.push(value);
            self.len += 1;
        }
        self.len - 1
    }

    /// Appends the contexts of `rounds` rounds, given those of the first; `values` has the values
    /// of all rounds, or is empty. Returns the number of the first.
    pub(crate) fn push_rounds(
        &mut self,
        contexts: Vec<Context>,
        values: Vec<Option<u64>>,
        rounds: u64,
    ) -> u32 {
        let first = self.len;
        self.len += contexts.len() as u32 * rounds as u32;
        self.parts.push(Part { first, contexts, values, is_repeated: true });
        first
    }

    /// Returns the segment of a context, and its index in the segment.
    #[inline(always)]
    fn find(&self, number: u32) -> (&Part, u32) {
        let of = |part: &Part| part.first <= number;
        let at = match self.parts.last() {
            Some(last) if of(last) => self.parts.len(),
            _ => self.parts.partition_point(of),
        };
        let part = &self.parts[at - 1];
        (part, number - part.first)
    }

    /// Returns the context with a number.
    #[inline(always)]
    pub(crate) fn get(&self, number: u32) -> Context {
        let (part, at) = self.find(number);
        if !part.is_repeated {
            return part.contexts[at as usize];
        }
        let accesses = part.contexts.len() as u32;
        let (round, at) = (at / accesses, at % accesses);
        let context = part.contexts[at as usize];
        let event = context.event.wrapping_add(round * accesses);
        Context { block: context.block + u64::from(round), event, ..context }
    }

    /// Returns the value that all lanes of an access write, if it is the same.
    pub(crate) fn value(&self, number: u32) -> Option<u64> {
        let (part, at) = self.find(number);
        part.values.get(at as usize).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::AccessKind;

    fn context(site: u32, block: u64, event: u32) -> Context {
        let (kind, interval, grid, time) = (AccessKind::Write, 0, 0, 0);
        Context { site, kind, is_narrow: false, block, interval, grid, time, epoch: 0, event }
    }

    #[test]
    fn rounds_have_contexts_as_if_each_was_appended() {
        let (mut all, mut each) = (Contexts::default(), Vec::new());
        for event in 1..3 {
            all.push(context(0, 0, event), None);
            all.push(context(0, 0, event), None);
            each.push((context(0, 0, event), None));
        }
        for (first, values) in [(1, true), (4, false)] {
            let rounds = (0..3).flat_map(|round| [(round, 0), (round, 1)]);
            let of = |(round, site): (u64, u32)| {
                context(site, first + round, 10 * first as u32 + 2 * round as u32 + site)
            };
            let value = |(round, site)| (values && site == 1).then_some(round + 7);
            let known = rounds.clone().map(value).collect();
            let number = all.push_rounds([(0, 0), (0, 1)].map(of).to_vec(), known, 3);
            assert_eq!(number as usize, each.len());
            each.extend(rounds.map(|at| (of(at), value(at))));
        }
        all.push(context(5, 9, 99), Some(1));
        each.push((context(5, 9, 99), Some(1)));
        assert_eq!(all.len as usize, each.len());
        for (number, known) in (0..).zip(each) {
            assert_eq!((all.get(number), all.value(number)), known, "{number}");
        }
    }
}
