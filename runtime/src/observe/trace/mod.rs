//! The debugger: traces of the instructions of one thread or warp, and breakpoints.
//!
//! ```
//! use warpwise::{Simulator, prelude::*, trace::Watch};
//!
//! #[kernel]
//! fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = global_idx_x();
//!     if i < y.len() {
//!         y[i] = a * x[i] + y[i];
//!     }
//! }
//!
//! let simulator = Simulator::new().trace(Watch::thread([1, 0, 0], [4, 0, 0]));
//! let device = simulator.device();
//! let x = device.upload(&[1.0f32; 1000])?;
//! let mut y = device.upload(&[2.0f32; 1000])?;
//! saxpy::launch(&device, LaunchConfig::cover(1000), 3.0, &x, &mut y)?;
//!
//! let traces = simulator.take_traces();
//! println!("{}", traces[0]);
//! let last = traces[0].events.last().unwrap();
//! assert_eq!(last.text, "store y[260], 5.0");
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! The unoptimized kernel is traced, so that each instruction has a line of its source.
//! `docs/debugging.md` has more.
mod value;

use crate::launch::source::{Place, Source};
use std::{
    fmt,
    ops::ControlFlow,
    sync::{Arc, Mutex, PoisonError},
};
pub use value::Value;
use value::{format_lanes, inst_text, operand_values, result_values, value_of};
use warpwise_compiler::{
    id::Id,
    ir::{Inst, InstId, Kernel, Op, ParamKind},
};
use warpwise_simt::{Moment, Outcome, TracedProgram, WatchFn, WatchedLanes};

/// The largest number of instructions of a trace.
const MAX_TRACED_EVENTS: usize = 1 << 16;

/// The thread or warp that a trace or a breakpoint watches, and perhaps a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Watch {
    block: [u32; 3],
    who: Who,
    line: Option<(Option<&'static str>, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Thread([u32; 3]),
    Warp(u32),
}

impl Watch {
    /// Watches the thread of this index in the block of this index, as
    /// [`DevicePanic`](crate::DevicePanic) has them.
    ///
    /// ```
    /// use warpwise::trace::Watch;
    ///
    /// // Thread (5, 0, 0) of block (2, 0, 0).
    /// let watch = Watch::thread([2, 0, 0], [5, 0, 0]);
    /// ```
    pub const fn thread(block: [u32; 3], thread: [u32; 3]) -> Self {
        Self { block, who: Who::Thread(thread), line: None }
    }

    /// Watches the warp of this number in the block of this index.
    ///
    /// ```
    /// use warpwise::trace::Watch;
    ///
    /// // The threads 32 to 63 of the first block.
    /// let watch = Watch::warp([0; 3], 1);
    /// ```
    pub const fn warp(block: [u32; 3], warp: u32) -> Self {
        Self { block, who: Who::Warp(warp), line: None }
    }

    /// Restricts the watch to a line of the kernel's file.
    ///
    /// ```
    /// use warpwise::trace::Watch;
    ///
    /// let watch = Watch::thread([0; 3], [0; 3]).at_line(12);
    /// ```
    pub const fn at_line(self, line: u32) -> Self {
        Self { line: Some((None, line)), ..self }
    }

    /// Restricts the watch to a line of another file: one whose path, as `file!()` gives it, ends
    /// with `file`.
    ///
    /// ```
    /// use warpwise::trace::Watch;
    ///
    /// let watch = Watch::thread([0; 3], [0; 3]).at("filter.rs", 12);
    /// ```
    pub const fn at(self, file: &'static str, line: u32) -> Self {
        Self { line: Some((Some(file), line)), ..self }
    }

    /// Returns the watched lanes in blocks of `dims` threads; none if there is no such thread.
    fn watched_lanes(&self, dims: [u32; 3]) -> WatchedLanes {
        let block = self.block;
        match self.who {
            Who::Warp(warp) => WatchedLanes { block, warp, lanes: u32::MAX },
            Who::Thread(thread) => {
                let is_there = thread.iter().zip(&dims).all(|(index, dim)| index < dim);
                let [x, y, z] = if is_there { thread } else { [0; 3] };
                let number = (z * dims[1] + y) * dims[0] + x;
                let lanes = if is_there { 1 << (number % 32) } else { 0 };
                WatchedLanes { block, warp: number / 32, lanes }
            }
        }
    }

    /// Returns true if `place` is at one of the watched lines.
    fn is_at(&self, source: &Source, place: Place) -> bool {
        self.line.is_none_or(|(file, line)| {
            let kernel = source.places.last().map_or("", |place| place.file);
            let in_file = file.map_or(place.file == kernel, |file| place.file.ends_with(file));
            in_file && place.line == line
        })
    }
}

/// `block (1, 0, 0), thread (4, 0, 0)`
impl fmt::Display for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.block;
        write!(f, "block ({x}, {y}, {z}), ")?;
        match self.who {
            Who::Thread([x, y, z]) => write!(f, "thread ({x}, {y}, {z})"),
            Who::Warp(warp) => write!(f, "warp {warp}"),
        }
    }
}

/// The instructions of a thread or warp in one launch. `Display` prints a line for each.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trace {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// The watched thread or warp.
    pub watch: Watch,
    /// The instructions, in order; none if the launch has no such thread.
    pub events: Vec<Event>,
    /// The number of instructions for which there was no room.
    pub lost: u64,
}

/// An instruction that a thread, or lanes of a warp, reach.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// The path of the file, as `file!()` gives it.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The executing lanes: bit l for lane l of the warp.
    pub lanes: u32,
    /// The instruction, in the words of the IR, with values for its operands: `fma 3.0, 1.0, 2.0`.
    /// Where the values of lanes differ, they stand in brackets.
    pub text: String,
    /// Of each operand, the value in each of the lanes, in their order.
    pub operands: Vec<Vec<Value>>,
    /// The result, in each of the lanes.
    pub result: Option<Vec<Value>>,
}

/// A breakpoint that was reached.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Index of the block.
    pub block: [u32; 3],
    /// Index of the warp in the block.
    pub warp: u32,
    /// The instruction there.
    pub event: Event,
    /// The scalar parameters, and the mutable variables that have a value.
    pub variables: Vec<Variable>,
}

/// A variable of the source.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The value, in each of the lanes.
    pub values: Vec<Value>,
}

impl Hit {
    /// Returns the value of a variable in the first of the lanes; of several variables of that
    /// name, the last one declared.
    ///
    /// ```
    /// use std::{ops::ControlFlow, sync::{Arc, Mutex}};
    /// use warpwise::{Simulator, prelude::*, trace::{Value, Watch}};
    ///
    /// /// The number of steps of the Collatz sequence to 1.
    /// #[kernel(block = 32)]
    /// fn count_steps(start: u32, out: &mut [u32]) {
    ///     let (mut x, mut steps) = (start, 0);
    ///     while x != 1 {
    ///         x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
    ///         steps += 1;
    ///     }
    ///     if thread_idx_x() < out.len() {
    ///         out[thread_idx_x()] = steps;
    ///     }
    /// }
    ///
    /// // The largest value of `x` on the way, by a breakpoint at every instruction of one thread.
    /// let most = Arc::new(Mutex::new(0));
    /// let seen = Arc::clone(&most);
    /// let simulator = Simulator::new().breakpoint(Watch::thread([0; 3], [0; 3]), move |hit| {
    ///     if let Some(&Value::Unsigned(x)) = hit.variable("x") {
    ///         let mut most = seen.lock().unwrap();
    ///         *most = x.max(*most);
    ///     }
    ///     ControlFlow::Continue(())
    /// });
    /// let device = simulator.device();
    /// let mut out = device.zeros::<u32>(1)?;
    /// count_steps::launch(&device, LaunchConfig::grid(1), 6, &mut out)?;
    /// assert_eq!((out.to_vec()?, *most.lock().unwrap()), (vec![8], 16));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn variable(&self, name: &str) -> Option<&Value> {
        self.variables.iter().rfind(|variable| variable.name == name)?.values.first()
    }
}

impl Event {
    fn new(source: &'static Source, moment: &Moment<'_>) -> Self {
        let span = moment.kernel().insts[moment.inst].span;
        let Place { file, line, column } = source.place(span.index());
        let operands = operand_values(moment);
        let text = inst_text(moment, &operands);
        let operands = operands.into_iter().map(|(_, values)| values).collect();
        Self {
            file,
            line,
            column,
            lanes: moment.lanes,
            text,
            operands,
            result: result_values(moment),
        }
    }
}

/// Returns the variables that have a value in one of the lanes.
fn variables(moment: &Moment<'_>) -> Vec<Variable> {
    let kernel: &Kernel = moment.kernel();
    let lanes = || (0..32usize).filter(|lane| moment.lanes & (1 << lane) != 0);
    let variable = |name: &str, ty, bits: &dyn Fn(usize) -> Option<u64>| {
        let value = |lane| Some(value_of(moment, ty, bits(lane)?));
        let values: Vec<_> = lanes().filter_map(value).collect();
        (!values.is_empty()).then(|| Variable { name: name.to_owned(), values })
    };
    let param = |(id, inst): (InstId, &Inst)| {
        let Op::Param(param) = inst.op else { return None };
        let ParamKind::Scalar(_) = kernel.params[param].kind else { return None };
        variable(&kernel.params[param].name, inst.ty, &|lane| moment.value(id, lane))
    };
    let mut variables: Vec<_> = kernel.insts.iter().filter_map(param).collect();
    // The front end may ask for a parameter more than once.
    variables.sort_by(|a, b| a.name.cmp(&b.name));
    variables.dedup_by(|a, b| a.name == b.name);
    let named = kernel.locals.iter().filter(|(_, local)| !local.name.is_empty());
    variables.extend(
        named.filter_map(|(id, local)| {
            variable(&local.name, local.ty, &|lane| moment.local(id, lane))
        }),
    );
    variables
}

/// A closure of the user's.
type Handler = dyn FnMut(&Hit) -> ControlFlow<()> + Send;

/// The debugging requests for the launches of a device.
#[derive(Clone, Default)]
pub(crate) struct Debugger {
    seed: Option<u64>,
    trace: Option<(Watch, Arc<Mutex<Vec<Trace>>>)>,
    breakpoints: Vec<(Watch, Arc<Mutex<Handler>>)>,
}

impl Debugger {
    pub(crate) fn set_seed(&mut self, seed: u64) {
        self.seed = Some(seed);
    }

    pub(crate) fn set_trace(&mut self, watch: Watch) {
        self.trace = Some((watch, Arc::default()));
    }

    pub(crate) fn add_breakpoint(
        &mut self,
        watch: Watch,
        handler: impl FnMut(&Hit) -> ControlFlow<()> + Send + 'static,
    ) {
        self.breakpoints.push((watch, Arc::new(Mutex::new(handler))));
    }

    /// Takes the traces since the last call.
    pub(crate) fn take_traces(&self) -> Vec<Trace> {
        self.trace.as_ref().map_or_else(Vec::new, |(_, traces)| {
            std::mem::take(&mut *traces.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }

    /// Runs a launch with the requested trace and breakpoints.
    pub(crate) fn run(
        &self,
        source: &'static Source,
        program: &TracedProgram,
        launch: &warpwise_simt::Launch<'_>,
    ) -> Outcome {
        let mut traced = None;
        let mut watches: Vec<(WatchedLanes, Box<WatchFn<'_>>)> = Vec::new();
        if let Some((watch, _)) = &self.trace {
            let (watch, kernel) = (*watch, source.name);
            let trace = traced.insert(Trace { kernel, watch, events: Vec::new(), lost: 0 });
            let watch_fn = move |moment: &Moment<'_>| {
                trace.record_event(source, moment);
                ControlFlow::Continue(())
            };
            watches.push((watch.watched_lanes(launch.block), Box::new(watch_fn)));
        }
        for (watch, handler) in &self.breakpoints {
            let watched = watch.watched_lanes(launch.block);
            let mut last = None;
            let watch_fn = move |moment: &Moment<'_>| {
                let place = source.place(moment.kernel().insts[moment.inst].span.index());
                let line = Some((place.file, place.line));
                // A breakpoint at a line stops once per visit, not at each of its instructions.
                let is_entered = std::mem::replace(&mut last, line) != line;
                if !watch.is_at(source, place) || (watch.line.is_some() && !is_entered) {
                    return ControlFlow::Continue(());
                }
                let event = Event::new(source, moment);
                let WatchedLanes { block, warp, .. } = watched;
                let variables = variables(moment);
                let hit = Hit { kernel: source.name, block, warp, event, variables };
                handler.lock().unwrap_or_else(PoisonError::into_inner)(&hit)
            };
            watches.push((watched, Box::new(watch_fn)));
        }
        let outcome = program.run(launch, self.seed, watches);
        if let (Some((_, traces)), Some(trace)) = (&self.trace, traced) {
            traces.lock().unwrap_or_else(PoisonError::into_inner).push(trace);
        }
        outcome
    }
}

impl fmt::Debug for Debugger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, trace, breakpoints } = self;
        let trace = trace.as_ref().map(|(watch, _)| watch);
        let breakpoints: Vec<_> = breakpoints.iter().map(|(watch, _)| watch).collect();
        write!(f, "Debugger({seed:?}, {trace:?}, {breakpoints:?})")
    }
}

impl Trace {
    /// Records an instruction, if it is at a watched line.
    fn record_event(&mut self, source: &'static Source, moment: &Moment<'_>) {
        let place = source.place(moment.kernel().insts[moment.inst].span.index());
        if !self.watch.is_at(source, place) {
            return;
        }
        if self.events.len() < MAX_TRACED_EVENTS {
            self.events.push(Event::new(source, moment));
        } else {
            self.lost += 1;
        }
    }
}

/// `fma 3.0, 1.0, 2.0 = 5.0`
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match &self.result {
            Some(values) => write!(f, " = {}", format_lanes(values)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, watch, events, lost } = self;
        writeln!(f, "`{kernel}`, {watch}")?;
        if events.is_empty() {
            writeln!(f, "did not come here")?;
        }
        let place = |event: &Event| format!("{}:{}:{}", event.file, event.line, event.column);
        let width = events.iter().map(|event| place(event).len()).max().unwrap_or(0);
        for event in events {
            write!(f, "{:<width$}  ", place(event))?;
            if let Who::Warp(_) = watch.who {
                write!(f, "{:08x}  ", event.lanes)?;
            }
            writeln!(f, "{event}")?;
        }
        if *lost != 0 {
            writeln!(f, "and {lost} instructions more")?;
        }
        Ok(())
    }
}

impl fmt::Display for Hit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, block: [x, y, z], warp, event, variables } = self;
        let Event { file, line, column, lanes, .. } = event;
        write!(f, "`{kernel}` at {file}:{line}:{column}, block ({x}, {y}, {z}), warp {warp}, ")?;
        write!(f, "lanes {lanes:#010x}: {event}")?;
        for Variable { name, values } in variables {
            write!(f, "; {name} = {}", format_lanes(values))?;
        }
        Ok(())
    }
}
