//! The host's time for a launch, beside raw calls of the driver with the same PTX:
//! `cargo bench -p warpwise-benches --bench launch` on a machine with a GPU.
//!
//! Each row of the first table is a kernel without work. `launch` is a series of launches without a
//! wait, `launch and wait` one launch and the wait for its end. Both sides take turns, and each
//! figure is the median of the turns. The second table compares a thousand kernels, launched one by
//! one, with a graph of them: in one chain, and in ten that may run at the same time.
#![expect(unsafe_code, reason = "the driver is C")]
use libloading::Library;
use std::{
    ffi::{CString, c_int, c_uint, c_void},
    ptr,
    sync::Barrier,
    time::Instant,
};
use warpwise::prelude::*;
use warpwise_benches::median_number;

/// Turns of each side.
const TURNS: usize = 41;
/// Launches of a series: fewer than the driver queues.
const SERIES_LAUNCHES: usize = 500;
/// Launches of a turn with a wait for each.
const WAITED_LAUNCHES: usize = 100;
/// Threads that launch at the same time, each on a stream of its own.
const THREADS: usize = 4;

/// Does nothing.
#[kernel(block = 32)]
fn empty() {}

/// Scales an array.
#[kernel(block = 32)]
fn scale(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = a * x[i];
    }
}

macro_rules! functions {
    ($($name:ident = $symbol:literal ($($arg:ty),*);)*) => {
        /// The functions of the driver, in a library that stays loaded.
        #[derive(Debug)]
        struct RawDriver {
            $($name: unsafe extern "C" fn($($arg),*) -> c_int,)*
            context: *mut c_void,
            _library: Library,
        }

        impl RawDriver {
            fn open() -> Option<Self> {
                // SAFETY: a library with the driver's name is trusted to be the driver; the types
                // are those of `cuda.h`.
                unsafe {
                    let library = Library::new("libcuda.so.1").ok()?;
                    let context = ptr::null_mut();
                    Some(Self {
                        $($name: *library.get($symbol).ok()?,)*
                        context,
                        _library: library,
                    })
                }
            }
        }
    };
}

functions! {
    init = b"cuInit\0" (c_uint);
    retain = b"cuDevicePrimaryCtxRetain\0" (*mut *mut c_void, c_int);
    make_current = b"cuCtxSetCurrent\0" (*mut c_void);
    create_stream = b"cuStreamCreate\0" (*mut *mut c_void, c_uint);
    synchronize = b"cuStreamSynchronize\0" (*mut c_void);
    load = b"cuModuleLoadData\0" (*mut *mut c_void, *const c_void);
    function = b"cuModuleGetFunction\0" (*mut *mut c_void, *mut c_void, *const std::ffi::c_char);
    allocate = b"cuMemAlloc_v2\0" (*mut u64, usize);
    launch = b"cuLaunchKernel\0" (*mut c_void, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint,
        *mut c_void, *mut *mut c_void, *mut *mut c_void);
}

// SAFETY: a context and functions, which the driver lets every thread use.
unsafe impl Sync for RawDriver {}

/// A kernel and a stream of the driver.
struct RawLauncher<'a> {
    raw: &'a RawDriver,
    kernel: *mut c_void,
    stream: *mut c_void,
    values: Vec<u64>,
}

impl<'a> RawLauncher<'a> {
    /// Loads `ptx`. `values` are the kernel's parameters, without the fault record.
    fn new(raw: &'a RawDriver, ptx: &str, name: &str, values: &[u64]) -> Self {
        let (mut module, mut kernel, mut stream) =
            (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let (ptx, name) = (CString::new(ptx).expect("text"), CString::new(name).expect("text"));
        let mut record = 0;
        // SAFETY: all pointers take the results; the texts end with a zero; a context is current.
        unsafe {
            assert_eq!((raw.make_current)(raw.context), 0);
            assert_eq!((raw.load)(&mut module, ptx.as_ptr().cast()), 0);
            assert_eq!((raw.function)(&mut kernel, module, name.as_ptr()), 0);
            assert_eq!((raw.create_stream)(&mut stream, 1), 0);
            assert_eq!((raw.allocate)(&mut record, 1 << 12), 0);
        }
        let values = values.iter().copied().chain([record]).collect();
        Self { raw, kernel, stream, values }
    }

    fn launch(&mut self) {
        let mut params: [*mut c_void; 8] = [ptr::null_mut(); 8];
        for (param, value) in params.iter_mut().zip(&mut self.values) {
            *param = ptr::from_mut(value).cast();
        }
        // SAFETY: the kernel takes these values, and checks its indices.
        let status = unsafe {
            (self.raw.launch)(
                self.kernel,
                1,
                1,
                1,
                32,
                1,
                1,
                0,
                self.stream,
                params.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        assert_eq!(status, 0);
    }

    fn synchronize(&self) {
        // SAFETY: the stream lives.
        assert_eq!(unsafe { (self.raw.synchronize)(self.stream) }, 0);
    }
}

/// Returns the mean time of `count` calls of `work`, in microseconds.
fn time(count: usize, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..count).for_each(|_| work());
    start.elapsed().as_secs_f64() * 1e6 / count as f64
}

/// Returns the medians of the driver and of Warpwise, each for a launch and for a launch with its
/// wait.
fn compare(
    raw: &mut RawLauncher<'_>,
    device: &Device,
    mut launch: impl FnMut(),
) -> ([f64; 2], [f64; 2]) {
    let wait = || device.synchronize().expect("nothing fails");
    raw.launch();
    raw.synchronize();
    launch();
    wait();
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..TURNS {
        times[0].push(time(SERIES_LAUNCHES, || raw.launch()));
        raw.synchronize();
        times[1].push(time(WAITED_LAUNCHES, || {
            raw.launch();
            raw.synchronize();
        }));
        times[2].push(time(SERIES_LAUNCHES, &mut launch));
        wait();
        times[3].push(time(WAITED_LAUNCHES, || {
            launch();
            wait();
        }));
    }
    let [a, b, c, d] = times.map(median_number);
    ([a, b], [c, d])
}

fn print(name: &str, raw: [f64; 2], ours: [f64; 2]) {
    for (what, raw, ours) in [("launch", raw[0], ours[0]), ("launch and wait", raw[1], ours[1])] {
        let (more, ratio) = (ours - raw, ours / raw);
        println!(
            "| {name:<24} | {what:<15} | {raw:>8.2} | {ours:>8.2} | {more:>+6.2} | {ratio:>5.2} |"
        );
    }
}

fn main() -> warpwise::Result<()> {
    let Some(mut raw) = RawDriver::open() else {
        println!("there is no driver: nothing is measured");
        return Ok(());
    };
    // SAFETY: takes the result.
    unsafe {
        assert_eq!((raw.init)(0), 0);
        assert_eq!((raw.retain)(&mut raw.context, 0), 0);
    }
    let raw = &raw;
    let device = &Device::cuda(0)?;
    println!("{device}, microseconds");
    println!(
        "| kernel                   | call            |      raw | Warpwise |   more | ratio |"
    );
    println!(
        "|--------------------------|-----------------|---------:|---------:|-------:|------:|"
    );
    let config = LaunchConfig::grid(1);
    let mut none = RawLauncher::new(raw, empty::PTX, "empty", &[]);
    let (a, b) = compare(&mut none, device, || empty::launch(device, config).expect("launches"));
    print("no arguments", a, b);

    let (x, mut y) = (device.zeros::<f32>(32)?, device.zeros::<f32>(32)?);
    let values = |raw: &RawDriver| {
        let mut memory = [0; 2];
        // SAFETY: the addresses take the results; a context is current.
        unsafe {
            assert_eq!((raw.make_current)(raw.context), 0);
            assert_eq!((raw.allocate)(&mut memory[0], 128), 0);
            assert_eq!((raw.allocate)(&mut memory[1], 128), 0);
        }
        [1.0f32.to_bits().into(), memory[0], 32, memory[1], 32]
    };
    let mut args = RawLauncher::new(raw, scale::PTX, "scale", &values(raw));
    let launch = || scale::launch(device, config, 1.0, &x, &mut y).expect("launches");
    let (a, b) = compare(&mut args, device, launch);
    print("three arguments", a, b);

    let start = Barrier::new(THREADS);
    let all: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(|| {
                    let stream = device.stream().expect("a stream");
                    let x = stream.zeros::<f32>(32).expect("memory");
                    let mut y = stream.zeros::<f32>(32).expect("memory");
                    let mut args = RawLauncher::new(raw, scale::PTX, "scale", &values(raw));
                    start.wait();
                    compare(&mut args, &stream, || {
                        scale::launch(&stream, config, 1.0, &x, &mut y).expect("launches");
                    })
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let raw = [0, 1].map(|i| median_number(all.iter().map(|(raw, _)| raw[i]).collect()));
    let ours = [0, 1].map(|i| median_number(all.iter().map(|(_, ours)| ours[i]).collect()));
    print("three arguments, 4 threads", raw, ours);
    compare_graphs(device)
}

/// Launches of a graph.
const GRAPH_LAUNCHES: usize = 1000;

/// Prints the times of [`GRAPH_LAUNCHES`] launches one by one and as a graph, from the first launch
/// to the end of the last.
fn compare_graphs(device: &Device) -> warpwise::Result<()> {
    println!();
    println!(
        "| {GRAPH_LAUNCHES} kernels    | one by one, us | graph, us | speed-up | recorded in, us |"
    );
    println!("|-----------------|---------------:|----------:|---------:|----------------:|");
    for chains in [1, 10] {
        let x = device.zeros::<f32>(32)?;
        let mut all: Vec<_> =
            (0..chains).map(|_| device.zeros::<f32>(32)).collect::<warpwise::Result<_>>()?;
        let mut work = |device: &Device| {
            (0..GRAPH_LAUNCHES).try_for_each(|i| {
                scale::launch(device, LaunchConfig::grid(1), 1.0, &x, &mut all[i % chains])
            })
        };
        let start = Instant::now();
        let graph = device.record_graph(&mut work)?;
        let recorded = start.elapsed().as_secs_f64() * 1e6;
        let mut times = [const { Vec::new() }; 2];
        for _ in 0..TURNS {
            times[0].push(time(1, || {
                work(device).and_then(|()| device.synchronize()).expect("nothing fails");
            }));
            times[1].push(time(1, || {
                graph.launch().and_then(|()| device.synchronize()).expect("nothing fails");
            }));
        }
        let [single, graph] = times.map(median_number);
        let (what, ratio) =
            (if chains == 1 { "in one chain" } else { "in ten chains" }, single / graph);
        println!(
            "| {what:<15} | {single:>14.0} | {graph:>9.0} | {ratio:>8.2} | {recorded:>15.0} |"
        );
    }
    Ok(())
}
