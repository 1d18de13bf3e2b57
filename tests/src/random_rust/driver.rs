//! The part that all programs of random kernels share: the engines, and the comparison of outcomes.
//!
//! It takes no arguments. One of the engines checks the memory accesses of threads, and must report
//! nothing. `WARPWISE_DEVICE=cuda` adds a GPU, and fails where there is none.
use crate::values::{Draw, THREADS, Value};
use std::{
    cell::RefCell,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    sync::{Arc, Mutex},
};
use warpwise::{Device, Error, LaunchConfig, Simulator, check::{Finding, Problem}, host};

/// A kernel of the program.
pub(crate) struct Case {
    pub(crate) number: usize,
    pub(crate) seed: u64,
    pub(crate) kernel: Kernel,
}

/// The properties of a kernel that `case!` states.
pub(crate) struct Kernel {
    /// True if rustc's copy of it can run: its threads do not meet, and it does not contract.
    pub(crate) host: bool,
    pub(crate) run: fn(&On, &mut Draw) -> warpwise::Result<Left>,
}

/// An engine that runs kernels.
pub(crate) enum On {
    Host,
    Device { name: &'static str, device: Device, printed: Arc<Mutex<String>> },
}

impl On {
    fn new(name: &'static str, device: Device) -> Self {
        let printed = Arc::new(Mutex::new(String::new()));
        let seen = Arc::clone(&printed);
        device.on_print(move |text| seen.lock().unwrap().push_str(text));
        Self::Device { name, device, printed }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Host => "the host",
            Self::Device { name, .. } => name,
        }
    }
}

/// A fault with the message that Rust prints.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Its line, unless it is in std.
    line: Option<u32>,
    text: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map_or("in std".into(), |line| format!("line {line}"));
        write!(f, "{line}: {}", self.text)
    }
}

impl PartialEq for Fault {
    /// Ignores white space, since rustc reformats the long condition of an `assert!`.
    fn eq(&self, other: &Self) -> bool {
        let lines = self.line.is_none() || other.line.is_none() || self.line == other.line;
        let [own, others] =
            [self, other].map(|fault| fault.text.split_whitespace().flat_map(str::chars));
        lines && own.eq(others)
    }
}

/// The outcome of a launch.
#[derive(Default)]
pub(crate) struct Left {
    memory: Vec<(&'static str, Vec<Vec<u64>>)>,
    fault: Option<Fault>,
    printed: String,
}

impl Left {
    pub(crate) fn add<T: Value>(&mut self, name: &'static str, values: &[T]) {
        let bits = |value: &T| {
            let mut bits = Vec::new();
            value.bits(&mut bits);
            bits
        };
        self.memory.push((name, values.iter().map(bits).collect()));
    }

    /// Returns at most five differences from `wanted`, the outcome on the engine `of`.
    fn differences(&self, wanted: &Self, of: &str) -> Vec<String> {
        let mut found = Vec::new();
        if self.fault != wanted.fault {
            let text = |fault: &Option<Fault>| {
                fault.as_ref().map_or("none".into(), |fault| format!("{:?}", fault.to_string()))
            };
            let (own, other) = (text(&self.fault), text(&wanted.fault));
            found.push(format!("its fault is {own}, and {of} has {other}"));
            return found;
        }
        if self.printed != wanted.printed {
            found.push(format!("it prints {:?}, and {of} {:?}", self.printed, wanted.printed));
        }
        for ((name, own), (_, other)) in self.memory.iter().zip(&wanted.memory) {
            let pairs = own.iter().zip(other).enumerate();
            found.extend(pairs.filter(|(_, (own, other))| own != other).map(
                |(at, (own, other))| format!("{name}[{at}] is {own:x?}, and {of} has {other:x?}"),
            ));
        }
        let count = found.len();
        found.truncate(5);
        found.last_mut().map(|last| *last += &format!(" ({count} differ)"));
        found
    }
}

/// Returns the configuration of a kernel's launch.
pub(crate) fn config(blocks: usize) -> LaunchConfig {
    LaunchConfig::grid(blocks).block(THREADS / blocks)
}

/// The memory behind a kernel's parameters for a type.
pub(crate) struct Memory<R, W, V> {
    pub(crate) read: R,
    pub(crate) write: W,
    pub(crate) value: V,
}

/// Defines `KERNEL`, for a kernel that takes `&[T]`, `&mut [T]` and `T` of `both`, `&[T]` of
/// `read`, `&T` of `one`, atomics, and a `&mut [u64]`.
macro_rules! case {
    (
        $kernel:ident [$($generic:tt)*] host $host:literal blocks $blocks:literal
        both { $($both:ident: $both_ty:ty,)* } read { $($read:ident: $read_ty:ty,)* }
        one { $($one:ident: $one_ty:ty,)* } atomic { $($atomic:ident: $atomic_ty:ty,)* }
    ) => {
        pub(crate) const KERNEL: crate::driver::Kernel =
            crate::driver::Kernel { host: $host, run };

        fn run(
            on: &crate::driver::On,
            draw: &mut crate::values::Draw,
        ) -> warpwise::Result<crate::driver::Left> {
            use crate::{driver::{Left, Memory, On, config, on_host}, values::{READ, THREADS, WRITTEN, cells, values, one}};
            $(let mut $both = Memory {
                read: values::<$both_ty>(draw, READ),
                write: values::<$both_ty>(draw, WRITTEN),
                value: one::<$both_ty>(draw),
            };)*
            $(let $read = values::<$read_ty>(draw, READ);)*
            $(let $one = one::<$one_ty>(draw);)*
            $(let $atomic = cells::<$atomic_ty>(draw);)*
            let mut out = vec![0u64; THREADS];
            let mut left = Left::default();
            match on {
                On::Host => {
                    on_host(config($blocks), &mut left, || $kernel $($generic)*(
                        $(&$both.read, &mut $both.write, $both.value,)*
                        $(&$read,)*
                        $(&$one,)*
                        $({ let _ = &$atomic; &[] },)*
                        &mut out,
                    ))?;
                    $(left.add(stringify!($both), &$both.write);)*
                    left.add("out", &out);
                }
                On::Device { device, .. } => {
                    $(let mut $both = Memory {
                        read: device.upload(&$both.read)?,
                        write: device.upload(&$both.write)?,
                        value: $both.value,
                    };)*
                    $(let $read = device.upload(&$read)?;)*
                    $(let $one = device.upload(&[$one])?;)*
                    $(let mut $atomic = device.upload(&$atomic)?;)*
                    let mut out = device.upload(&out)?;
                    let launched = $kernel $($generic)*::launch(
                        device,
                        config($blocks),
                        $(&$both.read, &mut $both.write, $both.value,)*
                        $(&$read,)*
                        $(&$one,)*
                        $(&mut $atomic,)*
                        &mut out,
                    );
                    left.launched(launched)?;
                    left.ended(device.synchronize())?;
                    $(left.add(stringify!($both), &$both.write.to_vec()?);)*
                    $(left.add(stringify!($atomic), &$atomic.to_vec()?);)*
                    left.add("out", &out.to_vec()?);
                }
            }
            Ok(left)
        }
    };
}
pub(crate) use case;

thread_local! {
    /// The line and message of a panic in the host's copy.
    static PANIC: RefCell<(Option<u32>, String)> = const { RefCell::new((None, String::new())) };
    /// The output of the host's copy.
    static PRINTED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Replaces `println!` in the host's copy, so that its output can be compared.
pub(crate) fn print(text: fmt::Arguments<'_>) {
    PRINTED.with_borrow_mut(|printed| *printed += &format!("{text}\n"));
}

/// Runs each thread, also after one has panicked, and reports panics as a device does.
pub(crate) fn on_host(
    config: LaunchConfig,
    left: &mut Left,
    mut kernel: impl FnMut(),
) -> warpwise::Result<()> {
    let (mut first, mut count) = (None, 0);
    PRINTED.take();
    host::for_each_thread(config, || {
        let (block, thread) = (warpwise::block_idx_x(), warpwise::thread_idx_x());
        if catch_unwind(AssertUnwindSafe(&mut kernel)).is_err() {
            count += 1;
            first.get_or_insert((block, thread, PANIC.take()));
        }
    })?;
    left.fault = first.map(|(block, thread, (line, text))| Fault {
        line,
        text: format!("{text} in block {block}, thread {thread}, of {count}"),
    });
    left.printed = PRINTED.take();
    Ok(())
}

impl Left {
    /// Takes the result of a launch. With checks, an index out of bounds is a finding and not a
    /// panic of the device.
    pub(crate) fn launched(&mut self, result: warpwise::Result<()>) -> warpwise::Result<()> {
        let Err(Error::Findings { findings, .. }) = &result else { return result };
        let faults = findings.iter().map(|Finding { problem, count, .. }| match problem {
            Problem::OutOfBounds(fault) => Some((fault, count)),
            _ => None,
        });
        let Some(faults) = faults.collect::<Option<Vec<_>>>() else { return result };
        let count: u64 = faults.iter().map(|(_, count)| *count).sum();
        let first = faults.iter().map(|(fault, _)| fault);
        self.fault = first.min_by_key(|fault| (fault.block, fault.thread)).map(|fault| Fault {
            line: Some(fault.place.line),
            text: format!(
                "index out of bounds: the len is {} but the index is {} in block {}, thread {}, of {count}",
                fault.len, fault.index, fault.block[0], fault.thread[0]
            ),
        });
        Ok(())
    }

    /// Takes the error of a device at the end of a launch.
    pub(crate) fn ended(&mut self, result: warpwise::Result<()>) -> warpwise::Result<()> {
        let Err(Error::DevicePanic(panic)) = result else { return result };
        let (block, thread) = (panic.block[0], panic.thread[0]);
        let text = format!("{} in block {block}, thread {thread}, of {}", panic.message, panic.count);
        self.fault = Some(Fault { line: Some(panic.line), text });
        Ok(())
    }
}

fn left(case: &Case, on: &On) -> Result<Left, Error> {
    let mut left = (case.kernel.run)(on, &mut Draw::new(case.seed))?;
    if let On::Device { printed, .. } = on {
        left.printed = std::mem::take(&mut *printed.lock().unwrap());
    }
    Ok(left)
}

/// Compares a case on all `engines` with the first one that can run it, and prints the differences.
/// Returns whether all agree, and whether the case faults.
fn agree(case: &Case, engines: &[On]) -> (bool, bool) {
    let engines = if case.kernel.host { engines } else { &engines[1..] };
    let name = format!("case {} (seed {}): on", case.number, case.seed);
    let wanted = match left(case, &engines[0]) {
        Ok(wanted) => wanted,
        Err(error) => {
            println!("{name} {}: it does not run: {error}", engines[0].name());
            return (false, false);
        }
    };
    let mut same = true;
    for on in &engines[1..] {
        let lines = match left(case, on) {
            Err(error) => vec![format!("it does not run: {error}")],
            Ok(got) => got.differences(&wanted, engines[0].name()),
        };
        for line in &lines {
            println!("{name} {}: {line}", on.name());
        }
        same &= lines.is_empty();
    }
    (same, wanted.fault.is_some())
}

/// Runs every case, and fails if one differs.
pub(crate) fn main(cases: &[Case]) -> ExitCode {
    std::panic::set_hook(Box::new(|info| {
        let ours = info.location().filter(|at| !at.file().contains("library/"));
        let message = info.payload_as_str().unwrap_or("a panic without text").to_owned();
        PANIC.set((ours.map(|at| at.line()), message));
    }));
    let mut engines = vec![
        On::Host,
        On::new("the unoptimized interpreter", Simulator::new().unoptimized().device()),
        On::new("the interpreter", Device::cpu()),
        On::new("the checked interpreter", Simulator::new().checked().device()),
    ];
    if std::env::var("WARPWISE_DEVICE").is_ok_and(|value| value.starts_with("cuda")) {
        match Device::cuda(0) {
            Ok(device) => engines.push(On::new("cuda", device)),
            Err(error) => {
                println!("`WARPWISE_DEVICE` asks for a GPU: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    let results: Vec<_> = cases.iter().map(|case| agree(case, &engines)).collect();
    let wrong = results.iter().filter(|(same, _)| !same).count();
    let faults = results.iter().filter(|(_, fault)| *fault).count();
    println!(
        "{} kernels on {} engines: {faults} ended with a fault, {wrong} differ",
        cases.len(),
        engines.len()
    );
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
