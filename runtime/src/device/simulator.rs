//! The builder of devices that observe their launches: [`Simulator`].
use crate::{
    check::{Checks, Finding},
    counters::{LaunchCounters, Pending},
    device::Device,
    model::Gpu,
    observe::sanitizer::Sanitizer,
    trace::{Debugger, Hit, Trace, Watch},
};
use std::{ops::ControlFlow, sync::Arc};

/// A SIMT interpreter with observers: counters, the sanitizer, traces, breakpoints, schedules.
///
/// [`Device::cpu`] is the interpreter without any of these. A simulator makes devices whose
/// launches are observed, and holds what they observed:
///
/// ```
/// use warpwise::{prelude::*, Simulator};
///
/// #[kernel(block = 256)]
/// fn double(x: &mut [f32]) {
///     let i = global_idx_x();
///     if i < x.len() {
///         x[i] *= 2.0;
///     }
/// }
///
/// let simulator = Simulator::new().counters();
/// let device = simulator.device();
/// let mut x = device.upload(&[1.0f32; 1000])?;
/// double::launch(&device, LaunchConfig::cover(1000), &mut x)?;
///
/// let counters = simulator.take_counters();
/// assert_eq!(counters[0].kernel, "double");
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// Observers do not change results. A launch with several of them runs once for each, every time
/// with the same memory. No GPU can do this, so there is no such builder for one: programs that
/// take their device from [`Device::auto`] are observed by `cargo warpwise profile` and by the
/// environment variable `WARPWISE_CHECK`.
#[derive(Clone, Debug)]
#[must_use]
pub struct Simulator {
    pub(crate) optimize: bool,
    pub(crate) step_budget: Option<u64>,
    pub(crate) counters: Option<Arc<Pending>>,
    pub(crate) caches: Option<&'static Gpu>,
    pub(crate) target: Option<&'static Gpu>,
    pub(crate) sanitizer: Option<Arc<Sanitizer>>,
    pub(crate) debugger: Option<Arc<Debugger>>,
}

impl Default for Simulator {
    fn default() -> Self {
        Self::new()
    }
}

impl Simulator {
    /// Creates a simulator without observers.
    ///
    /// ```
    /// use warpwise::Simulator;
    ///
    /// let device = Simulator::new().device();
    /// assert_eq!(device.name(), "SIMT interpreter");
    /// ```
    pub fn new() -> Self {
        Self {
            optimize: true,
            step_budget: None,
            counters: None,
            caches: None,
            target: None,
            sanitizer: None,
            debugger: None,
        }
    }

    /// Runs kernels without the optimizer: as they are written, with a branch for every `if`. For
    /// tests that compare the two, and to [count](Self::counters) what a compiler has to improve.
    ///
    /// ```
    /// use warpwise::{Simulator, prelude::*};
    ///
    /// #[kernel(block = 32)]
    /// fn step(x: &mut [u32]) {
    ///     let i = global_idx_x();
    ///     x[i] = if x[i] > 3 { 2 * x[i] } else { x[i] + 1 };
    /// }
    ///
    /// let branches = |simulator: Simulator| {
    ///     let device = simulator.device();
    ///     let mut x = device.zeros::<u32>(32)?;
    ///     step::launch(&device, LaunchConfig::grid(1), &mut x)?;
    ///     Ok::<_, warpwise::Error>(simulator.take_counters()[0].total.branches)
    /// };
    /// // The optimizer makes a select of the `if`.
    /// assert_eq!(branches(Simulator::new().counters())?, 0);
    /// assert_eq!(branches(Simulator::new().unoptimized().counters())?, 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn unoptimized(self) -> Self {
        Self { optimize: false, ..self }
    }

    /// Ends each launch with [`Error::Stopped`](crate::Error::Stopped) after about `steps`
    /// instructions, each of which is executed for up to 256 threads together. For tests of kernels
    /// that may not end.
    ///
    /// Launches that are [checked](Self::checked), [traced](Self::trace) or stopped at
    /// [breakpoints](Self::breakpoint) have a budget of 2^32 steps by default, some minutes;
    /// `u64::MAX` lifts it. Others have none.
    ///
    /// ```
    /// use warpwise::{Error, Simulator, prelude::*};
    ///
    /// #[allow(gpu_serial_sections)]
    /// #[kernel]
    /// fn count(x: &mut [u64]) {
    ///     if global_idx_x() == 0 {
    ///         while x[0] < 1 << 60 {
    ///             x[0] += 1;
    ///         }
    ///     }
    /// }
    ///
    /// let device = Simulator::new().step_budget(10_000).device();
    /// let mut x = device.zeros::<u64>(1)?;
    /// let launched = count::launch(&device, LaunchConfig::cover(1), &mut x);
    /// assert!(matches!(launched, Err(Error::Stopped { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn step_budget(self, steps: u64) -> Self {
        Self { step_budget: Some(steps), ..self }
    }

    /// Counts what launches do, as hardware counts: see [`counters`](crate::counters). Launches
    /// take a little longer.
    ///
    /// ```
    /// use warpwise::{Simulator, prelude::*};
    ///
    /// #[kernel(block = 256)]
    /// fn double(x: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     x[i] = 2.0 * x[i];
    /// }
    ///
    /// let simulator = Simulator::new().counters();
    /// let device = simulator.device();
    /// let mut x = device.zeros::<f32>(256)?;
    /// double::launch(&device, LaunchConfig::grid(1), &mut x)?;
    /// let counters = simulator.take_counters();
    /// assert_eq!(counters[0].total.global_loads.sectors, 32);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn counters(self) -> Self {
        Self { counters: Some(Arc::default()), ..self }
    }

    /// Counts, as [`counters`](Self::counters) does, and simulates the caches of a GPU, whose hit
    /// rates are in [`LaunchCounters::work`]. Each launch then runs two more times: with the code
    /// that a GPU would run, which makes predictions more accurate, and request by request, for at
    /// most 2^20 steps: a large launch takes its hit rates from its first blocks.
    ///
    /// ```
    /// use warpwise::{Simulator, model::Gpu, prelude::*};
    ///
    /// #[kernel(block = 256)]
    /// fn twice(x: &[f32], y: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     if i < y.len() {
    ///         y[i] = x[i] + x[y.len() - 1 - i];
    ///     }
    /// }
    ///
    /// let simulator = Simulator::new().caches(Gpu::named("H200").expect("it is known"));
    /// let device = simulator.device();
    /// let x = device.upload(&[1.0f32; 4096])?;
    /// let mut y = device.zeros::<f32>(4096)?;
    /// twice::launch(&device, LaunchConfig::cover(4096), &x, &mut y)?;
    ///
    /// let caches = simulator.take_counters()[0].work.caches.expect("they were simulated");
    /// assert_eq!((caches.l1_sectors, caches.memory_sectors_read), (1024, 512));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn caches(self, gpu: &'static Gpu) -> Self {
        Self { caches: Some(gpu), ..self.counters() }
    }

    /// Lints launches as if they ran on a GPU: `gpu_small_grids`, `gpu_tail_waves` and other lints
    /// on the size of a launch write the same records to the log, for an unknown number of
    /// registers.
    ///
    /// ```
    /// use warpwise::{Simulator, model::Gpu};
    ///
    /// let h200 = Gpu::named("H200").expect("it is known");
    /// let device = Simulator::new().target(h200).device();
    /// ```
    pub fn target(self, gpu: &'static Gpu) -> Self {
        Self { target: Some(gpu), ..self }
    }

    /// Checks launches for races and other mistakes, all of [`Checks::ALL`]: see
    /// [`check`](crate::check).
    ///
    /// A launch with an error fails with [`Error::Findings`](crate::Error::Findings), having done
    /// all that it does unchecked; [`take_findings`](Self::take_findings) returns other findings,
    /// too. Most launches take less than twice as long. `WARPWISE_CHECK` does not apply to a device
    /// with checks of its own.
    ///
    /// ```
    /// use warpwise::{Error, Simulator, prelude::*};
    ///
    /// /// Several threads write one element, without an order.
    /// #[kernel(block = 64)]
    /// #[allow(gpu_global_races)]
    /// fn race(x: &mut [usize]) {
    ///     x[thread_idx_x() / 2] = thread_idx_x();
    /// }
    ///
    /// let simulator = Simulator::new().checked();
    /// let device = simulator.device();
    /// let mut x = device.zeros::<usize>(32)?;
    /// let launched = race::launch(&device, LaunchConfig::grid(1), &mut x);
    /// assert!(matches!(launched, Err(Error::Findings { .. })));
    /// assert!(!simulator.take_findings().is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn checked(self) -> Self {
        self.checks(Checks::ALL)
    }

    /// Checks launches for some mistakes only: see [`checked`](Self::checked).
    ///
    /// ```
    /// use warpwise::{Simulator, check::Checks};
    ///
    /// let device = Simulator::new().checks(Checks::RACE | Checks::INIT).device();
    /// ```
    pub fn checks(self, checks: Checks) -> Self {
        Self { sanitizer: Some(Arc::new(Sanitizer::requested(checks))), ..self }
    }

    /// Runs each launch in an order drawn from `seed`: blocks, warps and diverged lanes take turns
    /// at the beginnings of loops and branches and before accesses to memory.
    ///
    /// A result that differs for another seed depends on an order that no GPU promises, as the
    /// result of a race does. The same seed gives the same order, in a [trace](Self::trace), too.
    /// Launches take much longer.
    ///
    /// ```
    /// use std::sync::atomic::Ordering;
    /// use warpwise::{Simulator, prelude::*};
    ///
    /// /// Blocks draw numbers.
    /// #[kernel(block = 32)]
    /// fn draw(next: &[AtomicU32], numbers: &mut [u32]) {
    ///     if thread_idx_x() == 0 {
    ///         numbers[block_idx_x()] = next[0].fetch_add(1, Ordering::Relaxed);
    ///     }
    /// }
    ///
    /// let numbers = |seed| {
    ///     let device = Simulator::new().schedule(seed).device();
    ///     let (mut next, mut numbers) = (device.zeros::<u32>(1)?, device.zeros::<u32>(8)?);
    ///     draw::launch(&device, LaunchConfig::grid(8), &mut next, &mut numbers)?;
    ///     numbers.to_vec()
    /// };
    /// // The same seed gives the same order.
    /// assert_eq!(numbers(1)?, numbers(1)?);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn schedule(self, seed: u64) -> Self {
        self.debug(|debugger| debugger.set_seed(seed))
    }

    /// Records every instruction of one thread or warp: see [`trace`](crate::trace). Launches run
    /// in the same order each time, on one thread of the host.
    ///
    /// ```
    /// use warpwise::{Simulator, prelude::*, trace::Watch};
    ///
    /// #[kernel]
    /// fn square(x: &mut [u32]) {
    ///     let i = global_idx_x();
    ///     if i < x.len() {
    ///         x[i] *= x[i];
    ///     }
    /// }
    ///
    /// let simulator = Simulator::new().trace(Watch::thread([0; 3], [2, 0, 0]));
    /// let device = simulator.device();
    /// let mut x = device.upload(&[1u32, 2, 3])?;
    /// square::launch(&device, LaunchConfig::cover(3), &mut x)?;
    /// // A line for each instruction of thread 2, with its values.
    /// println!("{}", simulator.take_traces()[0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn trace(self, watch: Watch) -> Self {
        self.debug(|debugger| debugger.set_trace(watch))
    }

    /// Calls `handler` whenever the watched thread, or lanes of the watched warp, reach a line, or
    /// at each of their instructions if `watch` names no line. There may be several breakpoints.
    ///
    /// `ControlFlow::Break(())` ends the launch with [`Error::Stopped`](crate::Error::Stopped), and
    /// a panic of the handler propagates out of the launch. The handler must not touch buffers of
    /// the launch: it would wait for them forever.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use warpwise::{prelude::*, Simulator, trace::{Value, Watch}};
    ///
    /// #[kernel]
    /// fn sum(x: &[u32], out: &mut [u32]) {
    ///     let mut sum = 0;
    ///     for i in 0..x.len() {
    ///         sum += x[i];
    ///     }
    ///     out[global_idx_x()] = sum;
    /// }
    ///
    /// let watch = Watch::thread([0; 3], [1, 0, 0]);
    /// let simulator = Simulator::new().breakpoint(watch, |hit| match hit.variable("sum") {
    ///     Some(Value::Unsigned(sum)) if *sum > 4 => ControlFlow::Break(()),
    ///     _ => ControlFlow::Continue(()),
    /// });
    /// let device = simulator.device();
    /// let x = device.upload(&[1u32, 2, 3, 4])?;
    /// let mut out = device.zeros::<u32>(32)?;
    /// let launched = sum::launch(&device, LaunchConfig::grid(1).block(32), &x, &mut out);
    /// assert!(matches!(launched, Err(warpwise::Error::Stopped { .. })));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn breakpoint(
        self,
        watch: Watch,
        handler: impl FnMut(&Hit) -> ControlFlow<()> + Send + 'static,
    ) -> Self {
        self.debug(|debugger| debugger.add_breakpoint(watch, handler))
    }

    /// Creates a device with these observers. Each call creates another one, with buffers of its
    /// own; devices of one simulator report to the same place.
    ///
    /// ```
    /// use warpwise::Simulator;
    ///
    /// let simulator = Simulator::new().counters();
    /// // Both report to the same simulator.
    /// let (first, second) = (simulator.device(), simulator.device());
    /// ```
    #[must_use]
    pub fn device(&self) -> Device {
        Device::simulated(self.clone())
    }

    /// Returns the counters of each launch since the last call; none without
    /// [`counters`](Self::counters).
    ///
    /// A launch in which threads [failed](crate::Error::DevicePanic) is counted, one that was
    /// [stopped](crate::Error::Stopped) is not.
    ///
    /// ```
    /// use warpwise::{Simulator, prelude::*};
    ///
    /// #[kernel(block = 32)]
    /// fn increment(x: &mut [u32]) {
    ///     let i = global_idx_x();
    ///     if i < x.len() {
    ///         x[i] += 1;
    ///     }
    /// }
    ///
    /// let simulator = Simulator::new().counters();
    /// let device = simulator.device();
    /// let mut x = device.zeros::<u32>(20)?;
    /// increment::launch(&device, LaunchConfig::grid(1), &mut x)?;
    /// increment::launch(&device, LaunchConfig::grid(1), &mut x)?;
    /// assert_eq!(simulator.take_counters().len(), 2);
    /// assert_eq!(simulator.take_counters().len(), 0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[must_use]
    pub fn take_counters(&self) -> Vec<LaunchCounters> {
        self.counters.as_ref().map_or_else(Vec::new, |counters| counters.take())
    }

    /// Returns the findings since the last call, launch by launch, those that made a launch fail
    /// included; none without [`checked`](Self::checked) or [`checks`](Self::checks).
    ///
    /// ```
    /// use warpwise::{Simulator, prelude::*};
    ///
    /// #[kernel(block = 32)]
    /// fn increment(x: &mut [u32]) {
    ///     let i = global_idx_x();
    ///     if i < x.len() {
    ///         x[i] += 1;
    ///     }
    /// }
    ///
    /// let simulator = Simulator::new().checked();
    /// let device = simulator.device();
    /// let mut x = device.zeros::<u32>(20)?;
    /// increment::launch(&device, LaunchConfig::grid(1), &mut x)?;
    /// assert!(simulator.take_findings().is_empty());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[must_use]
    pub fn take_findings(&self) -> Vec<Finding> {
        self.sanitizer.as_ref().map_or_else(Vec::new, |sanitizer| sanitizer.take_pending())
    }

    /// Returns the trace of each launch since the last call; none without [`trace`](Self::trace).
    ///
    /// ```
    /// use warpwise::{Simulator, prelude::*, trace::Watch};
    ///
    /// #[kernel(block = 32)]
    /// fn increment(x: &mut [u32]) {
    ///     let i = global_idx_x();
    ///     if i < x.len() {
    ///         x[i] += 1;
    ///     }
    /// }
    ///
    /// let simulator = Simulator::new().trace(Watch::warp([0; 3], 0));
    /// let device = simulator.device();
    /// let mut x = device.zeros::<u32>(20)?;
    /// increment::launch(&device, LaunchConfig::grid(1), &mut x)?;
    /// assert_eq!(simulator.take_traces().len(), 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[must_use]
    pub fn take_traces(&self) -> Vec<Trace> {
        self.debugger.as_ref().map_or_else(Vec::new, |debugger| debugger.take_traces())
    }

    /// Changes the debugger. Clones of this simulator keep theirs.
    fn debug(self, add: impl FnOnce(&mut Debugger)) -> Self {
        let mut debugger = self.debugger.as_deref().cloned().unwrap_or_default();
        add(&mut debugger);
        Self { debugger: Some(Arc::new(debugger)), ..self }
    }
}
