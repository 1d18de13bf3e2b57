//! Detection of unused memory: elements of shared arrays, and of buffers that a kernel writes.
use super::{
    finding::{Finding, Location, Problem, Severity},
    raw_findings::LaunchNames,
};
use crate::{Arg, Launch, bytecode::Code};
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
    /// By parameter and shared array: a flag for each byte of a shared array, and of a slice that
    /// the kernel writes.
    bytes: Vec<Vec<AtomicBool>>,
    /// By parameter, the first parameter with the same memory.
    alias: Vec<usize>,
}

impl UsedBytes {
    /// Creates the flags of a launch whose blocks have shared arrays of `shared` bytes.
    pub(crate) fn new(code: &Code, launch: &Launch<'_>, shared: &[u64]) -> Self {
        let place = |arg: Option<&Arg<'_>>| match arg {
            Some(Arg::Slice { memory, .. }) => Some(memory.address()),
            Some(Arg::Scalar(_)) | None => None,
        };
        let writes = |buffer: usize| {
            code.sites.iter().any(|site| {
                let is_it = site.buffer.is_none_or(|it| usize::from(it) == buffer);
                !site.is_shared && site.kind.writes() && is_it
            })
        };
        let slice = |(buffer, arg): (usize, &Arg<'_>)| match arg {
            Arg::Slice { memory, .. } if writes(buffer) => memory.len() as u64,
            Arg::Slice { .. } | Arg::Scalar(_) => 0,
        };
        let none = |bytes: u64| (0..bytes).map(|_| AtomicBool::new(false)).collect();
        let params = launch.args.iter().enumerate().map(slice);
        let alias = |buffer: usize| {
            let mine = place(launch.args.get(buffer));
            let same = |other: &usize| mine.is_some() && place(launch.args.get(*other)) == mine;
            (0..buffer).find(same).unwrap_or(buffer)
        };
        let buffers = launch.args.len() + shared.len();
        Self {
            bytes: params.chain(shared.iter().copied()).map(none).collect(),
            alias: (0..buffers).map(alias).collect(),
        }
    }

    /// Marks `bytes` bytes from `first` on as used.
    pub(crate) fn mark(&self, buffer: u16, first: u64, bytes: u32) {
        let Some(buffer) = self.alias.get(usize::from(buffer)) else { return };
        let (first, all) = (first as usize, &self.bytes[*buffer]);
        let used = all.get(first..first.saturating_add(bytes as usize));
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
            let len = match names.launch.args.get(buffer) {
                Some(Arg::Slice { len, .. }) => *len,
                Some(Arg::Scalar(_)) => 0,
                None => self.bytes[buffer].len() as u64 / element,
            };
            let all = &self.bytes[self.alias[buffer]];
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
