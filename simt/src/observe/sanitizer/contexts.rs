//! The contexts of accesses to global memory, by number.
//!
//! Blocks that are [replayed](crate::exec::replay) make the same accesses in the same order. Only
//! the contexts of the first such block are stored; those of the others are computed from them.
use super::happens_before::AccessContext;

/// Contexts in the order of their accesses, each with the value that all lanes write, if it is the
/// same.
#[derive(Debug, Default)]
pub(crate) struct Contexts {
    segments: Vec<ContextSegment>,
    len: u32,
}

#[derive(Debug)]
struct ContextSegment {
    /// The number of the first context.
    first: u32,
    contexts: Vec<AccessContext>,
    /// One value for each context, or none if all are `None`.
    values: Vec<Option<u64>>,
    /// True if the contexts repeat in further rounds, with larger block and event numbers.
    is_repeated: bool,
}

impl Contexts {
    /// Appends a context, unless it equals the last one. Returns its number.
    pub(crate) fn push(&mut self, context: AccessContext, value: Option<u64>) -> u32 {
        if self.segments.last().is_none_or(|segment| segment.is_repeated) {
            let (contexts, values) = (Vec::new(), Vec::new());
            self.segments.push(ContextSegment {
                first: self.len,
                contexts,
                values,
                is_repeated: false,
            });
        }
        if let Some(segment) = self.segments.last_mut()
            && segment.contexts.last() != Some(&context)
        {
            segment.contexts.push(context);
            segment.values.push(value);
            self.len += 1;
        }
        self.len - 1
    }

    /// Appends the contexts of `rounds` rounds, given those of the first; `values` has the values
    /// of all rounds, or is empty. Returns the number of the first.
    pub(crate) fn push_rounds(
        &mut self,
        contexts: Vec<AccessContext>,
        values: Vec<Option<u64>>,
        rounds: u64,
    ) -> u32 {
        let first = self.len;
        self.len += contexts.len() as u32 * rounds as u32;
        self.segments.push(ContextSegment { first, contexts, values, is_repeated: true });
        first
    }

    /// Returns the segment of a context, and its index in the segment.
    #[inline(always)]
    fn find_segment(&self, number: u32) -> (&ContextSegment, u32) {
        let has_begun = |segment: &ContextSegment| segment.first <= number;
        let at = match self.segments.last() {
            Some(last) if has_begun(last) => self.segments.len(),
            _ => self.segments.partition_point(has_begun),
        };
        let segment = &self.segments[at - 1];
        (segment, number - segment.first)
    }

    /// Returns the context with a number.
    #[inline(always)]
    pub(crate) fn get(&self, number: u32) -> AccessContext {
        let (segment, at) = self.find_segment(number);
        if !segment.is_repeated {
            return segment.contexts[at as usize];
        }
        let accesses = segment.contexts.len() as u32;
        let (round, at) = (at / accesses, at % accesses);
        let context = segment.contexts[at as usize];
        let event = context.event.wrapping_add(round * accesses);
        AccessContext { block: context.block + u64::from(round), event, ..context }
    }

    /// Returns the value that all lanes of an access write, if it is the same.
    pub(crate) fn value(&self, number: u32) -> Option<u64> {
        let (segment, at) = self.find_segment(number);
        segment.values.get(at as usize).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::AccessKind;

    fn context(site: u32, block: u64, event: u32) -> AccessContext {
        let (kind, interval, grid, clock) = (AccessKind::Write, 0, 0, 0);
        AccessContext {
            site,
            kind,
            is_narrow: false,
            block,
            interval,
            grid,
            cluster: None,
            cluster_barriers: 0,
            clock,
            epoch: 0,
            event,
        }
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
            let context_of = |(round, site): (u64, u32)| {
                context(site, first + round, 10 * first as u32 + 2 * round as u32 + site)
            };
            let value = |(round, site)| (values && site == 1).then_some(round + 7);
            let known = rounds.clone().map(value).collect();
            let number = all.push_rounds([(0, 0), (0, 1)].map(context_of).to_vec(), known, 3);
            assert_eq!(number as usize, each.len());
            each.extend(rounds.map(|at| (context_of(at), value(at))));
        }
        all.push(context(5, 9, 99), Some(1));
        each.push((context(5, 9, 99), Some(1)));
        assert_eq!(all.len as usize, each.len());
        for (number, known) in (0..).zip(each) {
            assert_eq!((all.get(number), all.value(number)), known, "{number}");
        }
    }
}
