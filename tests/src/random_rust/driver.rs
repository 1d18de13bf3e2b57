//! The part of a program of random kernels that is the same in all: the engines, the inputs and
//! the comparison of what kernels leave behind.
//!
//! It takes no arguments. `WARPWISE_DEVICE=cuda` adds a GPU, and fails where there is none.
use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
};
use warpwise::{Buffer, Device, Element, Error, LaunchConfig, host};

/// Threads of a launch, in two blocks.
pub(crate) const THREADS: usize = 64;
const READ: usize = 64;
const WRITTEN: usize = 8 * THREADS;

/// A kernel of the program.
pub(crate) struct Case {
    pub(crate) seed: u64,
    pub(crate) run: fn(&On, &mut Data) -> warpwise::Result<()>,
    /// The types that it takes slices of.
    pub(crate) types: &'static str,
}

/// What runs a kernel.
pub(crate) enum On {
    Host,
    Device(&'static str, Device),
}

/// What a kernel takes for a type.
#[derive(Clone)]
pub(crate) struct Values<T> {
    pub(crate) read: Vec<T>,
    pub(crate) write: Vec<T>,
    pub(crate) value: T,
}

/// The same on a device.
pub(crate) struct Buffers<T: Element> {
    pub(crate) read: Buffer<T>,
    pub(crate) write: Buffer<T>,
}

impl<T: Element> Buffers<T> {
    pub(crate) fn upload(values: &Values<T>, device: &Device) -> warpwise::Result<Self> {
        Ok(Self { read: device.upload(&values.read)?, write: device.upload(&values.write)? })
    }
}

/// The launch of every kernel.
pub(crate) fn config() -> LaunchConfig {
    LaunchConfig::grid(2).block(THREADS / 2)
}

/// Defines `CASE` for a kernel that takes slices of these types.
macro_rules! case {
    ($kernel:ident: $($ty:ident)*) => {
        pub(crate) const TYPES: &str = stringify!($($ty)*);
        pub(crate) fn run(
            on: &crate::driver::On,
            data: &mut crate::driver::Data,
        ) -> warpwise::Result<()> {
            match on {
                crate::driver::On::Host => crate::driver::on_host(|| $kernel(
                    $(&data.$ty.read, &mut data.$ty.write, data.$ty.value,)*
                    &mut data.out,
                )),
                crate::driver::On::Device(_, device) => {
                    $(let mut $ty = crate::driver::Buffers::upload(&data.$ty, device)?;)*
                    let mut out = device.upload(&data.out)?;
                    $kernel::launch(
                        device,
                        crate::driver::config(),
                        $(&$ty.read, &mut $ty.write, data.$ty.value,)*
                        &mut out,
                    )?;
                    let result = device.synchronize();
                    $(data.$ty.write = $ty.write.to_vec()?;)*
                    data.out = out.to_vec()?;
                    result
                }
            }
        }
    };
}
pub(crate) use case;

thread_local! {
    /// Where and why the host's copy panicked.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs each thread, also after one has panicked, and reports panics as a device does.
pub(crate) fn on_host(mut kernel: impl FnMut()) -> warpwise::Result<()> {
    let (mut thread, mut first, mut count) = (0, None, 0);
    host::for_each_thread(config(), || {
        if catch_unwind(AssertUnwindSafe(&mut kernel)).is_err() {
            count += 1;
            first.get_or_insert((thread, PANIC.take()));
        }
        thread += 1;
    })?;
    FAULT.set(first.map(|(thread, text)| {
        let (block, thread) = (thread / (THREADS / 2), thread % (THREADS / 2));
        format!("{text} in block {block}, thread {thread}, of {count}")
    }));
    Ok(())
}

thread_local! {
    static FAULT: RefCell<Option<String>> = const { RefCell::new(None) };
}

macro_rules! data {
    (|$draw:ident| $($ty:ident: $make:expr, |$value:ident| $bits:expr;)*) => {
        /// The arguments of a launch, of every type.
        #[derive(Clone)]
        pub(crate) struct Data {
            $(pub(crate) $ty: Values<$ty>,)*
            pub(crate) out: Vec<u64>,
        }

        impl Data {
            fn new($draw: &mut Draw) -> Self {
                Self {
                    $($ty: Values {
                        read: (0..READ).map(|_| $make).collect(),
                        write: (0..WRITTEN).map(|_| $make).collect(),
                        value: $make,
                    },)*
                    out: vec![0; THREADS],
                }
            }

            /// Each element that differs from `wanted`'s: where it is, its bits, those wanted.
            fn differences(&self, wanted: &Self) -> Vec<(String, u64, u64)> {
                let mut found = Vec::new();
                $(for (at, (a, b)) in self.$ty.write.iter().zip(&wanted.$ty.write).enumerate() {
                    let bits = |$value: $ty| $bits;
                    if bits(*a) != bits(*b) {
                        let place = format!("w_{}[{at}] of thread {}", stringify!($ty), at / 8);
                        found.push((place, bits(*a), bits(*b)));
                    }
                })*
                for (at, (a, b)) in self.out.iter().zip(&wanted.out).enumerate() {
                    if a != b {
                        found.push((format!("out[{at}]"), *a, *b));
                    }
                }
                found
            }

            fn describe(&self, types: &str) {
                $(if types.split(' ').any(|ty| ty == stringify!($ty)) {
                    println!("    p_{}: {:?}", stringify!($ty), self.$ty.value);
                    println!("    r_{}: {:?}", stringify!($ty), self.$ty.read);
                })*
            }
        }
    };
}
data! {
    |draw|
    i8: draw.integer() as i8, |v| v as u64;
    i16: draw.integer() as i16, |v| v as u64;
    i32: draw.integer() as i32, |v| v as u64;
    i64: draw.integer() as i64, |v| v as u64;
    isize: draw.integer() as isize, |v| v as u64;
    u8: draw.integer() as u8, |v| v as u64;
    u16: draw.integer() as u16, |v| v as u64;
    u32: draw.integer() as u32, |v| v as u64;
    u64: draw.integer(), |v| v;
    usize: draw.integer() as usize, |v| v as u64;
    f32: draw.f32(), |v| if v.is_nan() { 0x7fc0_0000 } else { u64::from(v.to_bits()) };
    f64: draw.f64(), |v| if v.is_nan() { 0x7ff8 << 48 } else { v.to_bits() };
    bool: draw.integer() % 2 == 1, |v| u64::from(v);
}

/// SplitMix64.
pub(crate) struct Draw(u64);

impl Draw {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Often small, at an end of some type, or a power of two.
    fn integer(&mut self) -> u64 {
        let edges = [0, 1, u64::MAX, 7, 8, 15, 16, 31, 32, 63];
        match self.bits() % 6 {
            0 => self.bits(),
            1 | 2 => self.bits() % 64,
            3 => 0_u64.wrapping_sub(self.bits() % 64),
            4 => (1 << (self.bits() % 64)) - self.bits() % 2,
            _ => edges[self.bits() as usize % edges.len()],
        }
    }

    fn f32(&mut self) -> f32 {
        let edges = [
            0.0, -0.0, 1.0, -1.0, 0.5, 2.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX,
            f32::MIN_POSITIVE, 1e-40, f32::EPSILON, 16_777_216.0, 2_147_483_648.0,
        ];
        let value = match self.bits() % 4 {
            0 => f32::from_bits(self.bits() as u32),
            1 => (self.bits() % 2000) as f32 / 8.0 - 100.0,
            2 => self.integer() as i64 as f32,
            _ => edges[self.bits() as usize % edges.len()],
        };
        // What a signalling NaN does is open in Rust.
        if value.is_nan() { f32::NAN } else { value }
    }

    fn f64(&mut self) -> f64 {
        let edges = [
            0.0, -0.0, 1.0, -1.0, 0.5, 2.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX,
            f64::MIN_POSITIVE, 5e-324, f64::EPSILON, 9_007_199_254_740_992.0, 1e-45, 3.5e38,
        ];
        let value = match self.bits() % 4 {
            0 => f64::from_bits(self.bits()),
            1 => (self.bits() % 2000) as f64 / 8.0 - 100.0,
            2 => self.integer() as i64 as f64,
            _ => edges[self.bits() as usize % edges.len()],
        };
        if value.is_nan() { f64::NAN } else { value }
    }
}

/// What a launch left behind, with its fault as text.
fn left(case: &Case, on: &On, mut data: Data) -> Result<(Data, Option<String>), Error> {
    FAULT.set(None);
    let fault = match (case.run)(on, &mut data) {
        Ok(()) => FAULT.take(),
        Err(Error::DevicePanic(panic)) => Some(format!(
            "line {}: {} in block {}, thread {}, of {}",
            panic.line, panic.message, panic.block[0], panic.thread[0], panic.count
        )),
        Err(other) => return Err(other),
    };
    Ok((data, fault))
}

/// Compares a case on all `engines` with the first; prints differences.
fn agree(case: &Case, engines: &[On]) -> (bool, bool) {
    let start = Data::new(&mut Draw(case.seed));
    let (wanted, fault) =
        left(case, &engines[0], start.clone()).expect("the host only has faults of the kernel");
    let mut same = true;
    for on in &engines[1..] {
        let On::Device(name, _) = on else { unreachable!("the host comes first") };
        let mut lines = Vec::new();
        match left(case, on, start.clone()) {
            Err(error) => lines.push(format!("it does not run: {error}")),
            Ok((_, got)) if got != fault => {
                lines.push(format!("its fault is {got:?}, and the host's is {fault:?}"));
            }
            Ok((got, _)) => {
                let different = got.differences(&wanted);
                let count = different.len();
                lines.extend(different.iter().take(5).map(|(place, got, wanted)| {
                    format!("{place} is {got:#x}, and the host's is {wanted:#x} ({count} differ)")
                }));
            }
        }
        for line in &lines {
            println!("seed {}: on {name}: {line}", case.seed);
        }
        same &= lines.is_empty();
    }
    if !same {
        start.describe(case.types);
    }
    (same, fault.is_some())
}

/// Runs every case, and fails if one differs.
pub(crate) fn main(cases: &[Case]) -> ExitCode {
    std::panic::set_hook(Box::new(|info| {
        let line = info.location().map_or(0, |at| at.line());
        let message = info.payload_as_str().unwrap_or("a panic without text");
        PANIC.set(format!("line {line}: {message}"));
    }));
    let mut engines = vec![
        On::Host,
        On::Device("unoptimized", Device::cpu_unoptimized()),
        On::Device("interpreter", Device::cpu()),
    ];
    if std::env::var("WARPWISE_DEVICE").is_ok_and(|value| value.starts_with("cuda")) {
        match Device::cuda(0) {
            Ok(device) => engines.push(On::Device("cuda", device)),
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
