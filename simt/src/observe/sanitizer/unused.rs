//! Detection of unused memory: elements of shared arrays, and of buffers that a kernel writes.
use super::{
    finding::{Finding, Location, Problem, Severity},
    raw_findings::LaunchNames,
};
use crate::{Arg, Launch, Memory, bytecode::Code};
use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};
use warpwise_compiler::ir::ParamKind;

/// Elements that no thread uses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unused {
    /// The first unused element.
    pub first: Location,
    /// The number of unused elements.
    pub elements: u64,
    /// The number of all elements.
    pub of: u64,
    /// True for a shared array, whose unused elements are neither read nor written; those of a
    /// buffer are not written.
    pub is_shared: bool,
}

/// The bytes of memory that threads have used.
#[derive(Debug)]
pub(crate) struct UsedBytes {
    /// By written memory, and then by shared array: a flag for each byte.
    bytes: Vec<Vec<AtomicBool>>,
    /// By parameter and shared array, the number of its flags and its first byte among them;
    /// `None` for a slice that the kernel does not write.
    places: Vec<Option<(usize, u64)>>,
}

impl UsedBytes {
    /// Creates the flags of a launch whose blocks have shared arrays of `shared` bytes.
    pub(crate) fn new<'a>(code: &Code, launch: &Launch<'a>, shared: &[u64]) -> Self {
        let writes = |buffer: usize| {
            code.sites.iter().any(|site| {
                let is_it = site.buffer.is_none_or(|it| usize::from(it) == buffer);
                !site.is_shared && site.kind.writes() && is_it
            })
        };
        // Slices of one memory share its flags.
        let mut memories: Vec<&Memory> = Vec::new();
        let slice = |(buffer, arg): (usize, &Arg<'a>)| match *arg {
            Arg::Slice { memory, offset, .. } if writes(buffer) => {
                let known = memories.iter().position(|known| std::ptr::eq(*known, memory));
                let number = known.unwrap_or(memories.len());
                if known.is_none() {
                    memories.push(memory);
                }
                Some((number, offset))
            }
            Arg::Slice { .. } | Arg::Scalar(_) => None,
        };
        let mut places: Vec<_> = launch.args.iter().enumerate().map(slice).collect();
        places.extend((memories.len()..).take(shared.len()).map(|number| Some((number, 0))));
        let lens = memories.iter().map(|memory| memory.len() as u64).chain(shared.iter().copied());
        let none = |bytes: u64| (0..bytes).map(|_| AtomicBool::new(false)).collect();
        Self { bytes: lens.map(none).collect(), places }
    }

    /// Marks `bytes` bytes from `first` on as used.
    pub(crate) fn mark(&self, buffer: u16, first: u64, bytes: u32) {
        let Some(Some((number, start))) = self.places.get(usize::from(buffer)) else { return };
        let first = start.saturating_add(first) as usize;
        let used = self.bytes[*number].get(first..first.saturating_add(bytes as usize));
        used.into_iter().flatten().for_each(|byte| byte.store(true, Relaxed));
    }

    pub(crate) fn report(&self, names: &LaunchNames<'_>) -> Vec<Finding> {
        let kernel = names.kernel;
        let slices = kernel.params.iter().map(|(_, param)| match &param.kind {
            ParamKind::Slice { elem, .. } => elem.size(),
            ParamKind::Scalar(_) => None,
        });
        let arrays = kernel.shared.iter().map(|(_, array)| array.elem.size());
        let unused = slices.chain(arrays).enumerate().filter_map(|(buffer, element)| {
            let element = element.filter(|bytes| *bytes > 0)?;
            let (number, start) = self.places[buffer]?;
            let all = self.bytes[number].get(start as usize..)?;
            let len = match names.launch.args.get(buffer) {
                Some(Arg::Slice { len, .. }) => *len,
                Some(Arg::Scalar(_)) => 0,
                None => all.len() as u64 / element,
            };
            let each = all.chunks_exact(element as usize).take(len as usize).enumerate();
            let none = |bytes: &[AtomicBool]| bytes.iter().all(|byte| !byte.load(Relaxed));
            let unused = each.filter(|(_, bytes)| none(bytes)).map(|(index, _)| index as u64);
            let unused: Vec<u64> = unused.collect();
            let first = names.location((buffer as u16, unused.first()? * element));
            let is_shared = buffer >= kernel.params.len();
            let unused = Unused { first, elements: unused.len() as u64, of: len, is_shared };
            Some(Finding { problem: Problem::Unused(unused), severity: Severity::Info, count: 1 })
        });
        unused.collect()
    }
}

impl fmt::Display for Unused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, elements, of, is_shared } = self;
        let (name, does) = (&first.buffer, if *is_shared { "reads or writes" } else { "writes" });
        write!(f, "no thread {does} {elements} of the {of} elements of `{name}`, {first} the first")
    }
}
