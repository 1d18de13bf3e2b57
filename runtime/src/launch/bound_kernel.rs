//! Kernels that the macro has embedded, prepared for an engine at their first launch.
//!
//! A [`Bound`] is the IR of a [`Source`] with all parameters bound, and with the [`Signature`]
//! against which the launcher checks a launch. It is made at the first launch and kept to the end
//! of the process. Engines make their programs of it and keep them in a [`PerKernel`].
use crate::{
    Device, Error, Result,
    error::DevicePanic,
    launch::source::{Place, Source},
    observe::{bound_lints, launch_lints::LaunchReports},
};
use std::{
    cell::Cell,
    collections::BTreeMap,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};
use warpwise_compiler::{
    analysis::read_only_arrays::{CONSTANT_BYTES, constant_bytes},
    back::ptx,
    compile::{self, CompileError, GpuCode},
    fault::Reason,
    id::Id as _,
    ir::{Extent, Fault, Kernel, Param},
    lint::launch::barrier_count,
    message::MAX_VALUES,
    small_sizes::{self, Sizes},
    specialize::Binding,
};

/// The details of the faults of a launch; all but `count` are the lowest thread's.
pub(crate) struct FaultDetails {
    /// The reason; `None` if the engine reports an unknown number.
    pub(crate) reason: Option<Reason>,
    /// Number of the failed check's span.
    pub(crate) span: usize,
    /// Index and length, for an index out of bounds, or a message's values.
    pub(crate) values: [u64; MAX_VALUES],
    pub(crate) block: [u32; 3],
    pub(crate) thread: [u32; 3],
    pub(crate) count: u64,
}

/// The number of kernels that a thread finds without a lock, unless two share a place.
const RECENT: usize = 64;

/// A kernel with its generic parameters bound, verified and not yet optimized.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) source: &'static Source,
    pub(crate) bindings: Box<[Binding]>,
    pub(crate) kernel: Kernel,
    pub(crate) signature: Signature,
    /// The reports of its launches so far.
    pub(crate) reports: LaunchReports,
    /// The kernel's number in a [`PerKernel`].
    number: usize,
    /// The sizes that launches have.
    launched_sizes: Sizes,
    /// The same kernel for slices that are aligned to their elements only, for large sizes, and for
    /// both.
    versions: [OnceLock<&'static Self>; 3],
}

impl Bound {
    /// Returns the kernel of `source`, parsed and bound at the first call; `device` is for
    /// messages.
    pub(crate) fn get(
        source: &'static Source,
        bindings: &[Binding],
        device: &Device,
    ) -> Result<&'static Self> {
        static BOUND: Instances = Instances::new();
        thread_local! {
            /// The last results of this thread, with which most launches take no lock.
            static FOUND: [Cell<Option<&'static Bound>>; RECENT] =
                const { [const { Cell::new(None) }; RECENT] };
        }
        let place = std::ptr::from_ref(source).addr() / align_of::<Source>() % RECENT;
        if let Some(bound) = FOUND.with(|found| found[place].get())
            && std::ptr::eq(bound.source, source)
            && *bound.bindings == *bindings
        {
            return Ok(bound);
        }
        let mut is_new = false;
        let bound = BOUND.get(source, bindings, || {
            is_new = true;
            let kernel = bind(source, bindings).map_err(|message| Error::Compile {
                kernel: source.name,
                device: device.to_string(),
                message,
            })?;
            Ok(Self::new(source, bindings, kernel, Sizes::Small))
        })?;
        if is_new {
            bound_lints::log_new_findings(source, bindings, &bound.kernel);
        }
        FOUND.with(|found| found[place].set(Some(bound)));
        Ok(bound)
    }

    /// Keeps a kernel to the end of the process.
    fn new(
        source: &'static Source,
        bindings: &[Binding],
        kernel: Kernel,
        launched_sizes: Sizes,
    ) -> &'static Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        Box::leak(Box::new(Self {
            source,
            bindings: bindings.into(),
            signature: Signature::of(&kernel),
            kernel,
            reports: LaunchReports::default(),
            number: COUNT.fetch_add(1, Relaxed),
            launched_sizes,
            versions: [const { OnceLock::new() }; 3],
        }))
    }

    /// Returns the kernel for a launch whose slices are aligned for accesses to several elements at
    /// once and whose [sizes are small](small_sizes), or a version without these assumptions.
    pub(crate) fn for_arguments(&'static self, are_aligned: bool, sizes: Sizes) -> &'static Self {
        let version = usize::from(!are_aligned) | usize::from(sizes == Sizes::Any) << 1;
        let Some(version) = version.checked_sub(1) else { return self };
        self.versions[version].get_or_init(|| {
            let aligned_slices = self.kernel.aligned_slices && are_aligned;
            let kernel = Kernel { aligned_slices, ..self.kernel.clone() };
            Self::new(self.source, &self.bindings, kernel, sizes)
        })
    }

    /// Returns true if launches have only arguments for which code was made beforehand.
    pub(crate) fn may_be_embedded(&self) -> bool {
        self.kernel.aligned_slices && self.launched_sizes == Sizes::Small
    }

    /// Compiles the kernel for a GPU by `emit`, a back end.
    ///
    /// # Errors
    /// As [`compile::compile`].
    pub(crate) fn compile<C, E: From<CompileError>>(
        &self,
        emit: impl FnMut(Kernel) -> std::result::Result<C, E>,
    ) -> std::result::Result<GpuCode<C>, E> {
        compile::compile(self.kernel.clone(), self.launched_sizes, emit)
    }

    /// Optimizes the kernel for counts of what a GPU runs.
    ///
    /// # Errors
    /// As [`compile::modeled`].
    pub(crate) fn model(&self) -> std::result::Result<GpuCode<Kernel>, CompileError> {
        compile::modeled(self.kernel.clone(), self.launched_sizes)
    }

    /// Returns a text of everything that [`compile`](Self::compile) depends on.
    pub(crate) fn cache_key(&self) -> String {
        format!("{:?}\n{}", self.launched_sizes, self.kernel)
    }

    /// Converts a fault of this kernel to a panic.
    pub(crate) fn panic(&self, fault: FaultDetails) -> DevicePanic {
        let FaultDetails { reason, span, values, block, thread, count } = fault;
        let Place { file, line, column } = self.source.place(span);
        let [index, len, ..] = values;
        let out_of_bounds = reason == Some(Reason::Check(Fault::IndexOutOfBounds));
        let message = reason.map_or_else(
            || "a check failed".to_owned(),
            |reason| reason.text(&self.kernel, &values),
        );
        DevicePanic {
            kernel: self.source.name,
            message,
            file,
            line,
            column,
            index: out_of_bounds.then_some(index),
            len: out_of_bounds.then_some(len),
            block,
            thread,
            count,
        }
    }
}

fn bind(source: &Source, bindings: &[Binding]) -> Result<Kernel, String> {
    if source.ir == Source::NOT_COMPILED {
        return Err("it calls something that is a macro, but no `#[device]` function".into());
    }
    let kernel: Kernel =
        source.ir.parse().map_err(|error| format!("its embedded IR does not parse: {error}"))?;
    let kernel =
        compile::bind(&kernel, bindings).map_err(|error| compile_error_text(source, &error))?;
    // The macro checks this for a kernel that is not generic.
    let (bytes, limit) = (constant_bytes(&kernel), CONSTANT_BYTES);
    if bytes > limit {
        return Err(ptx::Unsupported::ConstantMemory { bytes, limit }.to_string());
    }
    Ok(kernel.into_owned())
}

/// Formats a compile error of a bound kernel, with the places that it names.
fn compile_error_text(source: &Source, error: &CompileError) -> String {
    let CompileError::Rejected(diagnostics) = error else { return error.to_string() };
    let texts = diagnostics.0.iter().map(|diagnostic| {
        let place = source.place(diagnostic.span.index());
        let help = diagnostic.help.as_ref().map(|help| format!(": {help}")).unwrap_or_default();
        format!("{} (at {place}){help}", diagnostic.message)
    });
    texts.collect::<Vec<_>>().join("; ")
}

/// The facts that the launcher checks a launch against.
#[derive(Debug)]
pub(crate) struct Signature {
    pub(crate) params: Vec<Param>,
    /// For each parameter, true if it [has a size](small_sizes::find_sizes).
    pub(crate) sizes: Vec<bool>,
    pub(crate) block: Option<[u64; 3]>,
    pub(crate) wide_index: bool,
    /// True if all blocks have to run at the same time.
    pub(crate) cooperative: bool,
    /// The blocks of a cluster along x, y and z, if blocks run in clusters.
    pub(crate) cluster: Option<[u32; 3]>,
    /// Bytes of shared memory that a block takes for arrays of known lengths.
    pub(crate) shared: u64,
    /// The part of these bytes that the kernel declares, for which no launch asks.
    pub(crate) declared_shared: u64,
    /// True if launches compute lengths of other arrays.
    pub(crate) sized_at_launch: bool,
    /// Barriers that a block waits at, of those that hardware counts.
    pub(crate) barriers: u32,
    /// True if its threads print.
    pub(crate) prints: bool,
}

impl Signature {
    /// Returns the signature of a closed and verified kernel.
    fn of(kernel: &Kernel) -> Self {
        Self {
            params: kernel.params.iter().map(|(_, param)| param.clone()).collect(),
            sizes: small_sizes::find_sizes(kernel),
            block: kernel.block.as_ref().map(|dims| dims.each_ref().map(known_extent)),
            wide_index: kernel.wide_index,
            cooperative: kernel.cooperative,
            cluster: kernel.cluster,
            shared: ptx::block_shared_bytes(kernel),
            declared_shared: ptx::declared_shared_bytes(kernel),
            sized_at_launch: ptx::is_sized_at_launch(kernel),
            barriers: barrier_count(kernel),
            prints: kernel.prints(),
        }
    }
}

fn known_extent(extent: &Extent) -> u64 {
    extent.known().expect("a closed kernel's extents are numbers")
}

/// The instances of all kernels that were launched, by the address of the `Source`.
struct Instances {
    found: Mutex<BTreeMap<usize, Vec<&'static Bound>>>,
    making: Mutex<()>,
}

impl Instances {
    const fn new() -> Self {
        Self { found: Mutex::new(BTreeMap::new()), making: Mutex::new(()) }
    }

    /// Returns the instance that `make` made, now or earlier; an error is not kept.
    fn get(
        &self,
        source: &'static Source,
        bindings: &[Binding],
        make: impl FnOnce() -> Result<&'static Bound>,
    ) -> Result<&'static Bound> {
        let found = || self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let address = std::ptr::from_ref(source).addr();
        let find = || {
            let found = found();
            found.get(&address)?.iter().find(|bound| *bound.bindings == *bindings).copied()
        };
        if let Some(bound) = find() {
            return Ok(bound);
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bound) = find() {
            return Ok(bound);
        }
        let bound = make()?;
        found().entry(address).or_default().push(bound);
        Ok(bound)
    }
}

/// A table with an entry for each kernel, which is made at its first use. A lookup takes no lock.
#[derive(Debug)]
pub(crate) struct PerKernel<T> {
    /// By the kernel's number. Chunks never move, so references to slots stay; each is twice as
    /// long as the one before.
    chunks: [OnceLock<Box<[Slot<T>]>>; CHUNKS],
}

/// The number of chunks: enough for as many kernels as fit in memory.
const CHUNKS: usize = 40;
/// The length of the first chunk.
const FIRST_CHUNK: usize = 16;

impl<T> PerKernel<T> {
    pub(crate) const fn new() -> Self {
        Self { chunks: [const { OnceLock::new() }; CHUNKS] }
    }

    /// Returns the result of `make` for this kernel, now or earlier. Does not wait for another
    /// kernel's `make`; an error is not kept.
    pub(crate) fn get(&self, bound: &Bound, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        self.slot(bound.number).get_or_make(make)
    }

    fn slot(&self, number: usize) -> &Slot<T> {
        let chunk = (number / FIRST_CHUNK + 1).ilog2();
        let len = FIRST_CHUNK << chunk;
        let start = len - FIRST_CHUNK;
        let slots = self.chunks[chunk as usize]
            .get_or_init(|| std::iter::repeat_with(Slot::new).take(len).collect());
        &slots[number - start]
    }
}

/// An entry that is made at its first use.
#[derive(Debug)]
pub(crate) struct Slot<T> {
    made: OnceLock<T>,
    making: Mutex<()>,
}

impl<T> Slot<T> {
    pub(crate) const fn new() -> Self {
        Self { made: OnceLock::new(), making: Mutex::new(()) }
    }

    /// Returns what `make` made, now or earlier; an error is not kept.
    pub(crate) fn get_or_make(&self, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let made = make()?;
        Ok(self.made.get_or_init(|| made))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::source::Places;
    use std::sync::Barrier;
    use warpwise_compiler::ir::Scalar;

    static ONE: Source = source("one");
    static TWO: Source = source("two");

    const fn source(name: &'static str) -> Source {
        Source {
            name,
            ir: "kernel k {}",
            code: None,
            precompiled: &[],
            may_use_llvm: true,
            places: Places::NONE,
            levels: &[],
        }
    }

    #[test]
    fn an_instance_is_made_once_for_each_kernel_and_bindings() {
        let instances = Instances::new();
        let u32s = [Binding::Type(Scalar::U32)];
        let get = |source, bindings: &[Binding]| {
            let make =
                || Ok(Bound::new(source, bindings, source.ir.parse().unwrap(), Sizes::Small));
            std::ptr::from_ref(instances.get(source, bindings, make).unwrap()).addr()
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let all = [(&ONE, &[][..]), (&ONE, &u32s), (&TWO, &[]), (&TWO, &u32s)];
                    let mut made = all.map(|(source, bindings)| get(source, bindings));
                    assert_eq!(made, all.map(|(source, bindings)| get(source, bindings)));
                    made.sort_unstable();
                    assert!(made.windows(2).all(|pair| pair[0] != pair[1]));
                });
            }
        });
        assert_eq!(instances.found.lock().unwrap().len(), 2);
    }

    #[test]
    fn launches_get_the_version_for_their_arguments() {
        let bound = Bound::new(&ONE, &[], ONE.ir.parse().unwrap(), Sizes::Small);
        assert!(std::ptr::eq(bound, bound.for_arguments(true, Sizes::Small)));
        assert!(bound.may_be_embedded());
        for (are_aligned, sizes) in [(false, Sizes::Small), (true, Sizes::Any), (false, Sizes::Any)]
        {
            let version = bound.for_arguments(are_aligned, sizes);
            assert!(std::ptr::eq(version, bound.for_arguments(are_aligned, sizes)));
            assert!(!version.may_be_embedded());
            assert_eq!(version.kernel.aligned_slices, are_aligned);
            assert_eq!(version.launched_sizes, sizes);
        }
    }

    #[test]
    fn a_table_keeps_no_errors_and_waits_only_for_the_same_kernel() {
        let table = PerKernel::new();
        let [one, two] = [&ONE, &TWO]
            .map(|source| Bound::new(source, &[], source.ir.parse().unwrap(), Sizes::Small));
        let failed = Error::NoDriver { tried: Vec::new() };
        assert_eq!(table.get(one, || Err::<i32, _>(failed.clone())), Err(failed));
        let meet = Barrier::new(2);
        let slow = |value| {
            meet.wait();
            Ok(value)
        };
        std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(*table.get(one, || slow(1)).unwrap(), 1));
            assert_eq!(*table.get(two, || slow(2)).unwrap(), 2);
        });
        assert_eq!(*table.get(one, || Ok(3)).unwrap(), 1);
    }

    #[test]
    fn every_number_has_a_slot_of_its_own() {
        let table = PerKernel::new();
        for number in 0..1000 {
            assert_eq!(table.slot(number).get_or_make(|| Ok(number)), Ok(&number));
        }
        for number in 0..1000 {
            assert_eq!(table.slot(number).get_or_make(|| Ok(0)), Ok(&number));
        }
    }
}
