//! Cases, engines, and the comparison of results.
use std::{
    error::Error,
    fmt::Debug,
    sync::atomic::{
        AtomicBool, AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize,
    },
};
use warpwise::{AtomicF32, AtomicF64, Buffer, Device, DevicePanic, Simulator, Stored};

/// A kernel, its inputs and the expected results.
pub(crate) struct Case {
    /// Its name in its module.
    pub(crate) name: &'static str,
    /// Launches on an engine and compares.
    pub(crate) run: fn(&Engine) -> Check,
    /// The reason why rustc's copy on the host cannot run it, if it cannot.
    pub(crate) not_on_host: Option<&'static str>,
}

/// The outcome of a case.
pub(crate) type Check = Result<(), Box<dyn Error>>;

/// The reason for threads that wait for each other: the host runs them one after the other.
pub(crate) const THREADS_MEET: Option<&str> = Some("its threads meet");
/// The reason for faults: on the host a fault is a panic.
pub(crate) const FAULTS: Option<&str> = Some("it faults");
/// The reason for output: on the host a kernel prints like any Rust function.
pub(crate) const PRINTS: Option<&str> = Some("it prints");
/// The reason for fused products: rustc never fuses.
pub(crate) const FUSES: Option<&str> = Some("it fuses");

/// The reason for std's functions: their last bits differ.
pub(crate) const STD: Option<&str> = Some("it calls std's functions");

/// The reason for conversions: those of the `half` crate are not exact.
pub(crate) const ROUNDS_TWICE: Option<&str> = Some("the host's copy rounds twice");

/// The reason for zeros: Rust does not specify which zero `min` and `max` return.
pub(crate) const ZEROS: Option<&str> = Some("Rust leaves its result open");

/// The reason for textures: the host's copy of a kernel cannot read them.
pub(crate) const TEXTURES: Option<&str> = Some("it reads textures");

/// The reason that kernels with surfaces do not run on the host.
pub(crate) const SURFACES: Option<&str> = Some("it accesses surfaces");

/// Defines a `CASES` table from names of functions, each with a colon and the reason if the host
/// cannot run it.
macro_rules! cases {
    ($($run:ident $(: $reason:ident)?),* $(,)?) => {
        pub(crate) const CASES: &[crate::run::engine::Case] = &[$(crate::run::engine::Case {
            name: stringify!($run),
            run: $run,
            not_on_host: cases!(@reason $($reason)?),
        }),*];
    };
    (@reason) => { None };
    (@reason $reason:ident) => { crate::run::engine::$reason };
}
pub(crate) use cases;

/// An engine that runs kernels.
pub(crate) enum Engine {
    /// Rustc's copy, one thread after the other.
    Host,
    /// A device of the runtime.
    Device {
        /// Its name in trials.
        name: &'static str,
        /// The device.
        device: Device,
    },
}

impl Engine {
    /// Returns its name in trials.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Device { name, .. } => name,
        }
    }
}

/// Returns every engine of this machine. A missing GPU is reported and left out, unless
/// `WARPWISE_DEVICE` asks for it.
pub(crate) fn all() -> Result<Vec<Engine>, String> {
    let mut engines = vec![
        Engine::Host,
        Engine::Device { name: "unoptimized", device: Simulator::new().unoptimized().device() },
        Engine::Device { name: "interpreter", device: Device::cpu() },
    ];
    let asked = std::env::var("WARPWISE_DEVICE").is_ok_and(|value| value.starts_with("cuda"));
    match Device::cuda(0) {
        Ok(device) => engines.push(Engine::Device { name: "cuda", device }),
        Err(error) if asked => return Err(format!("`WARPWISE_DEVICE` asks for a GPU: {error}")),
        Err(error) => eprintln!("engine cuda skipped: {error}"),
    }
    Ok(engines)
}

/// Launches a kernel on an engine.
///
/// `launch!(on, kernel(value a, read x, write y, atomic z, shared s), config)` names the kind of
/// each argument.
///
/// `constant`s are values in constant memory, and `constants` slices of such values.
///
/// `atomic`s are made of numbers; `shared` is a slice of structs with atomics inside, `one` a
/// single such struct, and `own` the same slice as `&mut`.
///
/// The arguments are variables: `value`s, and `Vec`s. The written ones hold the results afterwards,
/// also if the launch ends with a fault. Evaluates to `warpwise::Result<()>`.
macro_rules! launch {
    ($on:expr, $kernel:ident $(:: <$($generic:tt),*>)? ($($kind:ident $arg:ident),* $(,)?), $config:expr) => {{
        let config: LaunchConfig = $config;
        match $on {
            crate::run::engine::Engine::Host => {
                $(launch!(@host_bind $kind $arg);)*
                let result = warpwise::host::for_each_thread(config, || {
                    $kernel $(:: <$($generic),*>)? ($(launch!(@host_pass $kind $arg)),*)
                });
                $(launch!(@host_finish $kind $arg);)*
                result
            }
            crate::run::engine::Engine::Device { device, .. } => (|| -> warpwise::Result<()> {
                $(launch!(@bind device $kind $arg);)*
                let launched = $kernel $(:: <$($generic),*>)? ::launch(
                    device, config $(, launch!(@pass $kind $arg))*
                );
                let result = launched.and_then(|()| device.synchronize());
                $(launch!(@finish $kind $arg);)*
                result
            })(),
        }
    }};
    (@host_bind value $arg:ident) => {};
    (@host_bind read $arg:ident) => { let $arg = &$arg; };
    (@host_bind constant $arg:ident) => { let $arg = &$arg; };
    (@host_bind constants $arg:ident) => { let $arg = &$arg; };
    (@host_pass constant $arg:ident) => { $arg };
    (@host_pass constants $arg:ident) => { $arg };
    (@host_finish constant $arg:ident) => {};
    (@host_finish constants $arg:ident) => {};
    (@bind $device:ident constant $arg:ident) => { let $arg = $device.constant(&$arg)?; };
    (@bind $device:ident constants $arg:ident) => { let $arg = $device.constant(&$arg[..])?; };
    (@pass constant $arg:ident) => { &$arg };
    (@pass constants $arg:ident) => { &$arg };
    (@finish constant $arg:ident) => {};
    (@finish constants $arg:ident) => {};
    (@host_bind write $arg:ident) => { let $arg = &mut $arg; };
    (@host_bind atomic $arg:ident) => { let $arg = crate::run::engine::HostAtomics::of(&mut $arg); };
    (@host_bind shared $arg:ident) => { let $arg = &$arg; };
    (@host_bind own $arg:ident) => { let $arg = &mut $arg; };
    (@host_pass shared $arg:ident) => { $arg };
    (@host_pass own $arg:ident) => { $arg };
    (@host_bind one $arg:ident) => { let $arg = &$arg[0]; };
    (@host_pass one $arg:ident) => { $arg };
    (@host_finish one $arg:ident) => {};
    (@host_finish shared $arg:ident) => {};
    (@host_finish own $arg:ident) => {};
    (@host_pass value $arg:ident) => { $arg };
    (@host_pass read $arg:ident) => { $arg };
    (@host_pass write $arg:ident) => { $arg };
    (@host_pass atomic $arg:ident) => { &$arg.atomics };
    (@host_finish value $arg:ident) => {};
    (@host_finish read $arg:ident) => {};
    (@host_finish write $arg:ident) => {};
    (@host_finish atomic $arg:ident) => { $arg.finish() };
    (@bind $device:ident value $arg:ident) => {};
    (@bind $device:ident read $arg:ident) => { let $arg = $device.upload(&$arg)?; };
    (@bind $device:ident write $arg:ident) => {
        let mut $arg = crate::run::engine::Written::upload(&mut $arg, $device)?;
    };
    (@bind $device:ident atomic $arg:ident) => {
        let mut $arg = crate::run::engine::Written::upload(&mut $arg, $device)?;
    };
    (@bind $device:ident shared $arg:ident) => {
        let $arg = crate::run::engine::Written::upload(&mut $arg, $device)?;
    };
    (@bind $device:ident own $arg:ident) => {
        let mut $arg = crate::run::engine::Written::upload(&mut $arg, $device)?;
    };
    (@bind $device:ident one $arg:ident) => {
        let $arg = crate::run::engine::Written::upload(&mut $arg, $device)?;
    };
    (@pass one $arg:ident) => { &$arg.buffer };
    (@finish one $arg:ident) => { $arg.finish()? };
    (@pass shared $arg:ident) => { &$arg.buffer };
    (@pass own $arg:ident) => { &mut $arg.buffer };
    (@finish shared $arg:ident) => { $arg.finish()? };
    (@finish own $arg:ident) => { $arg.finish()? };
    (@pass value $arg:ident) => { $arg };
    (@pass read $arg:ident) => { &$arg };
    (@pass write $arg:ident) => { &mut $arg.buffer };
    (@pass atomic $arg:ident) => { &mut $arg.buffer };
    (@finish value $arg:ident) => {};
    (@finish read $arg:ident) => {};
    (@finish write $arg:ident) => { $arg.finish()? };
    (@finish atomic $arg:ident) => { $arg.finish()? };
}
pub(crate) use launch;

/// Launches a kernel of `(x, out)` with this many results for each element, and compares them with
/// those of `$want`.
macro_rules! per_element {
    ($on:ident, $kernel:ident, $x:expr, $per:literal, $want:expr) => {{
        let x = $x;
        let mut out = vec![Default::default(); x.len() * $per];
        let config = LaunchConfig::cover(x.len()).block(50);
        launch!($on, $kernel(read x, write out), config)?;
        let want: Vec<_> = x.iter().flat_map(|&x| $want(x)).collect();
        same(stringify!($kernel), &out, &want)
    }};
}
pub(crate) use per_element;

/// Runs code as a kernel of one thread and as plain Rust, on slices of several lengths, and
/// compares their `out`. On a difference, the message shows the statements that write the element.
macro_rules! like_rust {
    ($on:ident, |$x:ident, $y:ident, $out:ident| $body:block) => {{
        use crate::run::engine::{RustCase, launch};
        #[kernel]
        fn code($x: &[i32], $y: &[i32], $out: &mut [i32]) {
            if global_idx_x() == 0 $body
        }
        fn plain($x: &[i32], $y: &[i32], $out: &mut [i32]) $body
        let case = RustCase { line: line!(), out: stringify!($out), body: stringify!($body) };
        for (x_len, y_len) in [(0, 3), (1, 1), (2, 0), (3, 5), (7, 4), (12, 12)] {
            let x: Vec<i32> = (0..x_len).map(|i| i * 37 % 11 - 4).collect();
            let y: Vec<i32> = (0..y_len).map(|i| i * 29 % 13 - 2).collect();
            let (mut out, mut want) = (vec![-1; 24], vec![-1; 24]);
            launch!($on, code(read x, read y, write out), LaunchConfig::grid(1))?;
            plain(&x, &y, &mut want);
            case.compare((&x, &y), &out, &want)?;
        }
    }};
}
pub(crate) use like_rust;

/// The source of a [`like_rust`] case, for its messages.
pub(crate) struct RustCase {
    /// Its line.
    pub(crate) line: u32,
    /// The name of the slice that it writes.
    pub(crate) out: &'static str,
    /// Its statements.
    pub(crate) body: &'static str,
}

impl RustCase {
    /// Compares the output of a kernel with that of plain Rust, for the inputs `(x, y)`.
    pub(crate) fn compare(&self, (x, y): (&[i32], &[i32]), got: &[i32], want: &[i32]) -> Check {
        let Some(i) = got.iter().zip(want).position(|(got, want)| got != want) else {
            return Ok(());
        };
        let element = format!("{}[{i}]", self.out);
        let statements: Vec<&str> =
            self.statements().filter(|statement| statement.contains(&element)).collect();
        // No statement names an element that a loop writes.
        let shown =
            if statements.is_empty() { self.body.to_owned() } else { statements.join("\n") };
        Err(format!(
            "line {}: {element} is {}, and {} in Rust, for x = {x:?}, y = {y:?}\n{shown}",
            self.line, got[i], want[i]
        )
        .into())
    }

    /// Returns the statements of the body: its text between semicolons outside brackets.
    fn statements(&self) -> impl Iterator<Item = &'static str> {
        let inner = self.body.trim().trim_start_matches('{').trim_end_matches('}');
        let mut depth = 0_i32;
        inner.split_inclusive(move |it: char| {
            match it {
                '{' | '(' | '[' => depth += 1,
                '}' | ')' | ']' => depth -= 1,
                _ => {}
            }
            it == ';' && depth == 0
        })
    }
}

/// A buffer, and the vector that receives its elements after the launch.
pub(crate) struct Written<'v, T: Stored<Value = T>> {
    pub(crate) buffer: Buffer<T>,
    values: &'v mut Vec<T>,
}

impl<'v, T: Stored<Value = T>> Written<'v, T> {
    pub(crate) fn upload(values: &'v mut Vec<T>, device: &Device) -> warpwise::Result<Self> {
        Ok(Self { buffer: device.upload(values)?, values })
    }

    pub(crate) fn finish(self) -> warpwise::Result<()> {
        *self.values = self.buffer.to_vec()?;
        Ok(())
    }
}

/// Atomics for the host's copy, and the vector that receives their values after the launch.
pub(crate) struct HostAtomics<'v, A: HostAtomic> {
    pub(crate) atomics: Vec<A>,
    values: &'v mut Vec<A::Value>,
}

impl<'v, A: HostAtomic> HostAtomics<'v, A> {
    pub(crate) fn of(values: &'v mut Vec<A::Value>) -> Self {
        Self { atomics: values.iter().map(|&value| A::of_value(value)).collect(), values }
    }

    pub(crate) fn finish(self) {
        for (value, atomic) in self.values.iter_mut().zip(self.atomics) {
            *value = atomic.into_value();
        }
    }
}

/// An atomic type of the host.
pub(crate) trait HostAtomic {
    /// The type of its value.
    type Value: Copy;
    /// Returns an atomic that holds `value`.
    fn of_value(value: Self::Value) -> Self;
    /// Returns the value.
    fn into_value(self) -> Self::Value;
}

macro_rules! host_atomic {
    ($($atomic:ident $value:ident)*) => {$(
        impl HostAtomic for $atomic {
            type Value = $value;
            fn of_value(value: $value) -> Self {
                value.into()
            }
            fn into_value(self) -> $value {
                self.into_inner()
            }
        }
    )*};
}
host_atomic! {
    AtomicU32 u32 AtomicI32 i32 AtomicU64 u64 AtomicI64 i64 AtomicUsize usize AtomicIsize isize
    AtomicF32 f32 AtomicF64 f64 AtomicBool bool
}

impl<A: HostAtomic, const N: usize> HostAtomic for [A; N] {
    type Value = [A::Value; N];
    fn of_value(value: [A::Value; N]) -> Self {
        value.map(A::of_value)
    }
    fn into_value(self) -> [A::Value; N] {
        self.map(A::into_value)
    }
}

/// Compares bit for bit. All NaNs are equal: Rust does not specify sign and payload of a computed
/// one.
pub(crate) fn same<T: Bits>(what: &str, got: &[T], want: &[T]) -> Check {
    if got.len() != want.len() {
        return Err(format!("{what} has {} elements, expected {}", got.len(), want.len()).into());
    }
    let differs = |(got, want): (&T, &T)| got.bits() != want.bits();
    let Some(i) = got.iter().zip(want).position(differs) else { return Ok(()) };
    let count = got.iter().zip(want).filter(|&pair| differs(pair)).count();
    let (got, want) = (got[i], want[i]);
    let bits = format!("{:#x} and {:#x}", got.bits(), want.bits());
    Err(format!("{what}[{i}] is {got:?}, expected {want:?} (bits {bits}), {count} differ").into())
}

/// Compares by `==`.
pub(crate) fn equal<T: PartialEq + Debug>(what: &str, got: &[T], want: &[T]) -> Check {
    if got.len() != want.len() {
        return Err(format!("{what} has {} elements, expected {}", got.len(), want.len()).into());
    }
    let differ = got.iter().zip(want).enumerate().filter(|(_, (got, want))| got != want);
    let count = differ.clone().count();
    match differ.clone().next() {
        None => Ok(()),
        Some((i, (got, want))) => {
            Err(format!("{what}[{i}] is {got:?}, expected {want:?}, {count} differ").into())
        }
    }
}

/// A type that [`same`] compares.
pub(crate) trait Bits: Copy + Debug {
    /// Returns the bits; the same ones for every NaN.
    fn bits(self) -> u64;
}

macro_rules! integer_bits {
    ($($ty:ident)*) => {$(
        impl Bits for $ty {
            fn bits(self) -> u64 {
                self as u64
            }
        }
    )*};
}
integer_bits! { bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

impl Bits for warpwise::f16 {
    fn bits(self) -> u64 {
        if self.is_nan() { Self::NAN } else { self }.to_bits().into()
    }
}
impl Bits for warpwise::bf16 {
    fn bits(self) -> u64 {
        if self.is_nan() { Self::NAN } else { self }.to_bits().into()
    }
}
impl Bits for f32 {
    fn bits(self) -> u64 {
        if self.is_nan() { Self::NAN } else { self }.to_bits().into()
    }
}
impl Bits for f64 {
    fn bits(self) -> u64 {
        if self.is_nan() { Self::NAN } else { self }.to_bits()
    }
}

/// Returns the fault that a launch ended with.
pub(crate) fn fault(result: warpwise::Result<()>) -> Result<Box<DevicePanic>, Box<dyn Error>> {
    match result {
        Err(warpwise::Error::DevicePanic(panic)) => Ok(panic),
        Err(other) => Err(format!("expected a fault, got: {other}").into()),
        Ok(()) => Err("expected a fault, got none".into()),
    }
}
