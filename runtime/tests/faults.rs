//! Fault injection: every call of the driver fails once, with each kind of status, while a program
//! uses the whole API of the host.
//!
//! The program is a list of [`STEPS`]. Each runs once for every call that it makes and every status:
//! the fake driver lets that call fail, and nothing else. Then
//!
//! - the step succeeds, or returns an error that names the call,
//! - all that the step made is gone from the driver, but for [what cannot be freed](may_leave),
//! - later work has the right results on the same devices, unless the status is that of a lost
//!   device: then each call says so, and a device that is opened again works.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by panicking")]
mod fake_driver;
mod kernels;
mod process;

use fake_driver::{fake, in_process};
use kernels::{
    HELLO, INCREMENT, MEASURED, MEETING, add, boxed, divide, faulty, increment, marked, meeting,
    shown, sized, weighed, with_ptx,
};
use libloading::Library;
use std::{
    ffi::{CStr, c_char, c_int, c_long},
    future::Future,
    pin::pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};
use warpwise::{
    __private::{launch, max_cooperative_blocks, occupancy, suggest_block},
    Buffer, Device, Error, LaunchConfig, Result, Sampler,
    parameter::Arg,
};

const INVALID_VALUE: c_int = 1;
const OUT_OF_MEMORY: c_int = 2;
const ILLEGAL_ADDRESS: c_int = 700;
const UNKNOWN: c_int = 999;

/// The number of objects of each kind that are alive in the driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Left {
    contexts: c_long,
    streams: c_long,
    events: c_long,
    memory: c_long,
    pinned: c_long,
    graphs: c_long,
    modules: c_long,
}

/// The controls of the fake driver.
struct Fake(Library);

#[expect(unsafe_code, reason = "functions of the driver of tests")]
impl Fake {
    fn get() -> Self {
        // SAFETY: the driver of tests, which the runtime loads too.
        Self(unsafe { Library::new("libcuda.so.1") }.unwrap())
    }

    /// Lets the call with this number, from 1, fail with `status`; none, if it is 0.
    fn fail(&self, call: c_long, status: c_int) {
        // SAFETY: the type is that of `libcuda.c`.
        unsafe {
            let fail = self.0.get::<unsafe extern "C" fn(c_long, c_int)>(b"fake_fail\0").unwrap();
            fail(call, status);
        }
    }

    /// Returns the name of the call that failed; `None` if none did since [`Self::fail`].
    fn failed(&self) -> Option<&'static str> {
        // SAFETY: the type is that of `libcuda.c`, and the text is static.
        let name = unsafe {
            let failed =
                self.0.get::<unsafe extern "C" fn() -> *const c_char>(b"fake_failed\0").unwrap();
            CStr::from_ptr(failed()).to_str().unwrap()
        };
        (!name.is_empty()).then_some(name)
    }

    /// Returns the number of calls since [`Self::fail`].
    fn calls(&self) -> c_long {
        // SAFETY: the type is that of `libcuda.c`.
        unsafe { self.0.get::<unsafe extern "C" fn() -> c_long>(b"fake_calls\0").unwrap()() }
    }

    fn left(&self) -> Left {
        let mut left = Left::default();
        // SAFETY: the type is that of `libcuda.c`, which writes as many numbers as `Left` has.
        unsafe {
            let get = self.0.get::<unsafe extern "C" fn(*mut Left)>(b"fake_left\0").unwrap();
            get(&mut left);
        }
        left
    }
}

/// The devices of a program.
struct World {
    device: Device,
    /// A stream that lives as long as the device.
    stream: warpwise::Stream,
    other_gpu: Device,
}

impl World {
    fn open() -> Result<Self> {
        let device = Device::cuda(0)?;
        let stream = device.stream()?;
        Ok(Self { device, stream, other_gpu: Device::cuda(1)? })
    }

    /// Waits until no fault is left to be reported.
    fn drain(&self) {
        for device in [&self.device, &self.stream, &self.other_gpu] {
            while matches!(device.synchronize(), Err(Error::DevicePanic(_))) {}
        }
    }
}

type Step = fn(&World) -> Result<()>;

const STEPS: &[(&str, Step)] = &[
    ("opening", opening),
    ("queries", queries),
    ("buffers", buffers),
    ("fills", fills),
    ("rectangles", rectangles),
    ("copies between devices", copies_between_devices),
    ("streams", streams),
    ("pinned memory", pinned_memory),
    ("events", events),
    ("callbacks", callbacks),
    ("launches", launches),
    ("constants", constants),
    ("textures", textures),
    ("surfaces", surfaces),
    ("tensor maps", tensor_maps),
    ("loading", loading),
    ("occupancy", occupancies),
    ("faults", faults),
    ("prints", prints),
    ("graphs", graphs),
    ("faults of graphs", faults_of_graphs),
];

/// Devices of GPUs that are in use.
fn opening(_: &World) -> Result<()> {
    World::open()?.device.synchronize()
}

fn queries(world: &World) -> Result<()> {
    assert_eq!(Device::count()?, 2);
    assert!(world.device.memory_info()?.is_some());
    assert!(world.device.can_access_peer(&world.other_gpu)?);
    assert_eq!(Device::all()?.len(), 2);
    Ok(())
}

fn buffers(world: &World) -> Result<()> {
    let device = &world.device;
    let mut x = device.upload(&[1u32, 2, 3])?;
    let mut y = device.zeros::<u32>(3)?;
    y.copy_from_device(&x)?;
    x.copy_from(&[4, 5, 6])?;
    x.slice_mut(1..)?.fill(7)?;
    let mut part = [0; 2];
    x.slice(..2)?.copy_to(&mut part)?;
    assert_eq!(part, [4, 7]);
    let clone = x.try_clone()?;
    drop(x);
    assert_eq!(clone.to_vec()?, [4, 7, 7]);
    assert_eq!(y.to_vec()?, [1, 2, 3]);
    assert_eq!(device.uninit::<u32>(2)?.copy_from(&[8, 9])?.to_vec()?, [8, 9]);
    assert!(device.zeros::<u32>(0)?.to_vec()?.is_empty());
    Ok(())
}

/// Fills of each width, in one row and in columns.
fn fills(world: &World) -> Result<()> {
    let device = &world.device;
    assert_eq!(device.uninit::<u8>(5)?.fill(3)?.to_vec()?, [3; 5]);
    assert_eq!(device.uninit::<u16>(5)?.fill(0x1234)?.to_vec()?, [0x1234; 5]);
    let wide = 0x0123_4567_89ab_cdefu64;
    assert_eq!(device.uninit::<u64>(5)?.fill(wide)?.to_vec()?, [wide; 5]);
    Ok(())
}

fn rectangles(world: &World) -> Result<()> {
    let mut x = world.device.zeros_2d::<u32>((3, 4))?;
    let mut y = world.stream.zeros_2d::<u32>((3, 2))?;
    x.rectangle_mut(.., 1..3)?.copy_from(&[1, 2, 3, 4, 5, 6])?;
    y.copy_from_device(&x.rectangle(.., 2..)?)?;
    x.rectangle_mut(.., 3..)?.fill(9)?;
    assert_eq!(y.to_vec()?, [2, 0, 4, 0, 6, 0]);
    let clone = x.rectangle(1.., 2..)?.try_clone()?;
    drop(x);
    assert_eq!(clone.to_vec()?, [4, 9, 6, 9]);
    Ok(())
}

fn copies_between_devices(world: &World) -> Result<()> {
    let World { device, other_gpu, .. } = world;
    let mut x = device.upload(&[1u32, 2])?;
    let mut y = other_gpu.zeros(2)?;
    increment(device, LaunchConfig::cover(2), &mut x)?;
    y.copy_from_device(&x)?;
    increment(other_gpu, LaunchConfig::cover(2), &mut y)?;
    x.copy_from_device(&y)?;
    assert_eq!(x.to_vec()?, [3, 4]);
    let mut z = Device::cpu().zeros(2)?;
    z.copy_from_device(&x)?;
    assert_eq!(z.to_vec()?, [3, 4]);
    y.copy_from_device(&z)?;
    drop(x);
    assert_eq!(y.to_vec()?, [3, 4]);
    Ok(())
}

/// Streams that use each other's memory, and that end before and after it.
fn streams(world: &World) -> Result<()> {
    let device = &world.device;
    let (a, b) = (device.stream()?, device.stream_with_priority(-1)?);
    let mut x = device.upload(&[1u32, 2])?;
    let mut y = a.zeros::<u32>(2)?;
    add(&a, &x, &mut y)?;
    add(&b, &x, &mut y)?;
    increment(&world.stream, LaunchConfig::cover(2), &mut x)?;
    assert_eq!(y.to_vec()?, [2, 4]);
    increment(&b, LaunchConfig::cover(2), &mut y)?;
    drop(b);
    assert_eq!(x.to_vec()?, [2, 3]);
    // Freed behind the work of a stream that has ended.
    drop(x);
    drop(a);
    assert_eq!(y.to_vec()?, [3, 5]);
    Ok(())
}

fn pinned_memory(world: &World) -> Result<()> {
    let World { device, stream, .. } = world;
    let mut x = device.zeros::<u32>(3)?;
    let mut y = stream.zeros::<u32>(3)?;
    // Dropped before the others: nothing waits for its copies but itself.
    let mut host = device.pinned::<u32>(3)?;
    host.as_mut_slice()?.copy_from_slice(&[1, 2, 3]);
    x.copy_from_pinned(&host)?;
    y.copy_from_pinned(&host)?;
    increment(stream, LaunchConfig::cover(3), &mut x)?;
    x.copy_to_pinned(&mut host)?;
    y.copy_from_pinned(&host)?;
    assert_eq!(host.as_slice()?, [2, 3, 4]);
    host.as_mut_slice()?[0] = 9;
    assert_eq!(y.to_vec()?, [2, 3, 4]);
    y.copy_to_pinned(&mut host)?;
    assert_eq!(host.as_slice()?, [2, 3, 4]);
    // On another stream than that of the memory.
    increment(device, LaunchConfig::cover(3), &mut x)?;
    stream.copy_to_pinned(&x, &mut host)?;
    assert_eq!(host.as_slice()?, [3, 4, 5]);
    device.copy_from_pinned(&host, &mut y)?;
    increment(stream, LaunchConfig::cover(3), &mut y)?;
    assert_eq!(y.to_vec()?, [4, 5, 6]);
    // Freed while it is copied, from and to.
    x.fill(5)?;
    x.copy_to_pinned(&mut host)?;
    drop(host);
    let host = device.pinned::<u32>(3)?;
    x.copy_from_pinned(&host)?;
    drop(host);
    assert_eq!(x.to_vec()?, [0; 3]);
    Ok(())
}

fn events(world: &World) -> Result<()> {
    let World { device, stream, .. } = world;
    let start = device.record_event()?;
    let mut y = device.zeros::<u32>(2)?;
    let took = device.time(|| increment(device, LaunchConfig::cover(2), &mut y))?;
    assert!(took > Duration::ZERO);
    let end = device.record_event()?;
    stream.wait_for(&end)?;
    stream.record_event()?.synchronize()?;
    assert!(end.is_reached()?);
    end.elapsed_since(&start)?;
    assert_eq!(y.to_vec()?, [1; 2]);
    Ok(())
}

fn callbacks(world: &World) -> Result<()> {
    let device = &world.device;
    let called = Arc::new(Mutex::new(0));
    let in_call = Arc::clone(&called);
    device.call_when_finished(move || *in_call.lock().unwrap() += 1)?;
    let mut finished = pin!(device.finished()?);
    device.synchronize()?;
    assert_eq!(*called.lock().unwrap(), 1);
    match finished.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("the device is done, and the future is not"),
    }
}

fn launches(world: &World) -> Result<()> {
    let device = &world.device;
    let mut y = device.zeros::<u32>(3)?;
    meeting(device, 4, 0, &mut y)?;
    meeting(device, 2, 0, &mut y)?;
    assert_eq!(y.to_vec()?[0], 6);
    sized(device, 1, &mut y)?;
    assert_eq!(y.to_vec()?, [208, 64, 192]);
    let coarsened = LaunchConfig::grid(1 << 20).block(256);
    launch(&MEASURED, &[], device, coarsened, &[Arg::write(&mut y)])?;
    assert_eq!(y.to_vec()?[..2], [1 << 18, 1 << 20]);
    Ok(())
}

/// Uses values in constant memory, of two streams and of one that ends.
fn constants(world: &World) -> Result<()> {
    let (device, stream) = (&world.device, &world.stream);
    let mut y = device.zeros::<u32>(2)?;
    let (one, two) = (device.constant(&[1u32][..])?, stream.constant(&[2u32][..])?);
    weighed(device, &one, &mut y)?;
    weighed(stream, &one, &mut y)?;
    weighed(stream, &two, &mut y)?;
    let brief = device.stream()?;
    weighed(&brief, &two, &mut y)?;
    drop(brief);
    weighed(device, &one, &mut y)?;
    assert_eq!(y.to_vec()?, [(((3 + 1) * 3 + 2) * 3 + 2) * 3 + 1; 2]);
    Ok(())
}

/// Textures of the host's values and of a buffer, which are dropped while launches read them.
fn textures(world: &World) -> Result<()> {
    let (device, stream) = (&world.device, &world.stream);
    let mut y = device.zeros::<u32>(3)?;
    let one = device.texture_1d(&[1u32, 2, 3], Sampler::POINT)?;
    shown(device, &one, &mut y)?;
    shown(stream, &one, &mut y)?;
    drop(one);
    let image = stream.upload_2d(&[1.0f32, 2.0, 3.0, 4.0], (2, 2))?;
    let image = device.texture_of::<f32>(&image, Sampler::LINEAR)?;
    drop(image);
    drop(device.layered_texture_1d::<u8>(&[1; 6], (2, 3), Sampler::POINT)?);
    let sampler = Sampler::LINEAR.normalized();
    let levels: [&[f32]; 3] = [&[1.0; 20], &[2.0; 4], &[3.0]];
    drop(device.mipmapped_texture_2d::<f32>(&levels, (4, 5), sampler)?);
    let base = stream.upload_2d(&[1.0f32, 2.0, 3.0, 4.0], (2, 2))?;
    let mean = stream.upload_2d(&[2.5f32], (1, 1))?;
    drop(device.mipmapped_texture_of::<f32>(&[&base, &mean], sampler)?);
    let two = stream.texture_1d(&[10u32, 20, 30], Sampler::default())?;
    shown(device, &two, &mut y)?;
    assert_eq!(y.to_vec()?, [12, 24, 36]);
    Ok(())
}

/// Surfaces that launches of two streams write, which are sampled, downloaded, overwritten and
/// dropped while launches use them.
fn surfaces(world: &World) -> Result<()> {
    let (device, stream) = (&world.device, &world.stream);
    let mut surface = device.surface_1d(&[1u32, 2, 3], Sampler::POINT)?;
    marked(stream, &mut surface)?;
    marked(device, &mut surface)?;
    let mut y = stream.zeros::<u32>(3)?;
    shown(stream, surface.as_texture(), &mut y)?;
    marked(device, &mut surface)?;
    assert_eq!(surface.to_vec()?, [4, 5, 6]);
    surface.copy_from(&[10, 20, 30])?;
    marked(stream, &mut surface)?;
    assert_eq!(surface.to_vec()?, [11, 21, 31]);
    assert_eq!(y.to_vec()?, [3, 4, 5]);
    let faces = device.layered_surface_2d::<u8>(&[1; 12], (2, 2, 3), Sampler::POINT)?;
    assert_eq!(faces.to_vec()?, [1; 12]);
    let mut other = stream.surface_1d(&[7u32], Sampler::POINT)?;
    let graph = device.record_graph(|recorder| marked(recorder, &mut other))?;
    graph.launch()?;
    assert_eq!(other.to_vec()?, [8]);
    marked(stream, &mut surface)
}

/// Tensor maps of a buffer and of a part of one, in launches and in a graph.
fn tensor_maps(world: &World) -> Result<()> {
    let (device, stream) = (&world.device, &world.stream);
    let x = device.upload_2d(&(0..80).collect::<Vec<u32>>(), (4, 20))?;
    let mut y = device.zeros::<u32>(3)?;
    boxed(device, &x, &mut y)?;
    boxed(stream, &x.rectangle(2.., 4..)?, &mut y)?;
    assert_eq!(y.to_vec()?, [44, 46, 48]);
    let graph = device.record_graph(|recorder| boxed(recorder, &x, &mut y))?;
    graph.launch()?;
    drop(x);
    assert_eq!(y.to_vec()?, [44, 47, 50]);
    Ok(())
}

/// Launches a kernel that no step has loaded before, and that takes shared memory. If loading fails
/// the first time, it succeeds the next time.
fn loading(world: &World) -> Result<()> {
    let ir = "kernel fresh {
        shared @0 = bytes: [u8; 60000]
    }";
    let ptx = ".entry fresh(.param .u64 record)";
    let fresh = Box::leak(Box::new(with_ptx("fresh", ir, ptx)));
    let run = || launch(fresh, &[], &world.device, LaunchConfig::grid(1), &[]);
    let first = run();
    if matches!(first, Err(Error::Driver { .. } | Error::Compile { .. })) {
        run().unwrap();
    }
    first?;
    world.device.synchronize()
}

fn occupancies(world: &World) -> Result<()> {
    let device = &world.device;
    assert!(occupancy(&INCREMENT, &[], device, 128, 0)?.is_some());
    assert_eq!(suggest_block(&INCREMENT, &[], device, 0)?.block, (1024, 1, 1));
    assert_eq!(max_cooperative_blocks(&MEETING, &[], device, 128, 0)?, 264);
    Ok(())
}

/// Waits for a fault. If the wait fails, the fault comes out of the next one.
fn wait_for_fault(device: &Device) -> Result<()> {
    let is_fault = |waited: &Result<()>| matches!(waited, Err(Error::DevicePanic(_)));
    let waited = device.synchronize();
    match waited {
        _ if is_fault(&waited) => Ok(()),
        Ok(()) => panic!("the fault is not reported"),
        Err(Error::DeviceLost { .. }) => waited,
        Err(_) => {
            assert!(is_fault(&device.synchronize()), "the fault is lost after {waited:?}");
            waited
        }
    }
}

fn faults(world: &World) -> Result<()> {
    let World { device, stream, .. } = world;
    let mut y = device.zeros::<u32>(3)?;
    faulty(device, LaunchConfig::cover(5), &mut y)?;
    wait_for_fault(device)?;
    assert_eq!(y.to_vec()?, [7; 3]);
    // Of another stream, by copies to the host and to pinned memory.
    divide(stream, 0, &mut y)?;
    let copied = y.to_vec();
    assert!(copied.is_err(), "the fault of another stream is not reported");
    let Err(Error::DevicePanic(_)) = copied else { return copied.map(drop) };
    assert_eq!(y.to_vec()?, [7; 3]);
    let mut host = device.pinned::<u32>(3)?;
    divide(device, 0, &mut y)?;
    y.copy_to_pinned(&mut host)?;
    let seen = host.as_slice().map(<[u32]>::to_vec);
    assert!(seen.is_err(), "the fault of a copied launch is not reported");
    let Err(Error::DevicePanic(_)) = seen else { return seen.map(drop) };
    assert_eq!(host.as_slice()?, [7; 3]);
    Ok(())
}

fn prints(world: &World) -> Result<()> {
    // A stream of its own: its buffer for text is allocated at the first launch that prints.
    let stream = world.device.stream()?;
    let text = Arc::new(Mutex::new(String::new()));
    let printed = Arc::clone(&text);
    stream.on_print(move |text| printed.lock().unwrap().push_str(text));
    let result = (0..2).try_for_each(|_| {
        launch(&HELLO, &[], &stream, LaunchConfig::grid(1).block(2), &[])?;
        stream.synchronize()
    });
    let text = text.lock().unwrap().clone();
    let once = "hello 0\nhello 1\n";
    match result {
        Ok(()) => assert_eq!(text, once.repeat(2)),
        Err(_) => assert!(once.repeat(2).starts_with(&text), "{text}"),
    }
    if let Err(Error::Driver { call, .. }) = &result
        && *call != "cuStreamSynchronize"
        && text.is_empty()
    {
        // Nothing was launched, or what was printed still comes out, once.
        stream.synchronize()?;
    }
    result
}

fn graphs(world: &World) -> Result<()> {
    let World { device, stream, .. } = world;
    let mut x = device.upload(&[1u32, 2])?;
    let mut y = stream.zeros::<u32>(2)?;
    let mut graph = device.record_graph(|recorder| {
        add(recorder, &x, &mut y)?;
        increment(recorder, LaunchConfig::cover(2), &mut x)?;
        recorder.copy(&y, &mut x)?;
        recorder.fill(&mut y, 5)
    })?;
    graph.launch()?;
    graph.launch()?;
    assert_eq!(x.to_vec()?, [6, 7]);
    graph.update(|recorder| {
        add(recorder, &y, &mut x)?;
        increment(recorder, LaunchConfig::cover(1), &mut y)?;
        recorder.copy(&x, &mut y)?;
        recorder.fill(&mut x, 6)
    })?;
    graph.launch()?;
    assert_eq!((x.to_vec()?, y.to_vec()?), (vec![6; 2], vec![11, 12]));
    graph.update(|recorder| increment(recorder, LaunchConfig::cover(2), &mut x))?;
    graph.launch()?;
    let other = stream.record_graph(|recorder| recorder.fill(&mut x, 1))?;
    other.launch()?;
    drop((graph, other));
    assert_eq!((x.to_vec()?, y.to_vec()?), (vec![1; 2], vec![11, 12]));
    Ok(())
}

fn faults_of_graphs(world: &World) -> Result<()> {
    let device = &world.device;
    let mut y = device.zeros::<u32>(3)?;
    let graph = device.record_graph(|recorder| faulty(recorder, LaunchConfig::cover(5), &mut y))?;
    graph.launch()?;
    wait_for_fault(device)?;
    graph.launch()?;
    drop(graph);
    // The memory of the graph's records may be another's by now.
    let z = device.upload(&[3u32; 64])?;
    match device.synchronize() {
        Err(Error::DevicePanic(_)) => {}
        // What the graph's drop could not read is gone.
        Ok(()) => assert!(Fake::get().failed().is_some(), "the fault is lost"),
        Err(error) => return Err(error),
    }
    assert_eq!(z.to_vec()?, [3; 64]);
    Ok(())
}

/// Returns the most objects that the failure of `call` leaves in the driver: a call that frees an
/// object and fails leaves it, and so does one that makes the context current, without which nothing
/// can be freed. Host memory that work may still use, because the wait for that work failed, is left
/// on purpose.
fn may_leave(call: &str) -> Left {
    let none = Left::default();
    match call {
        "cuMemFreeAsync" | "cuMemFree_v2" | "cuArrayDestroy" | "cuMipmappedArrayDestroy" => {
            Left { memory: 1, ..none }
        }
        "cuMemFreeHost" => Left { pinned: 1, ..none },
        "cuEventDestroy_v2" => Left { events: 1, ..none },
        "cuStreamDestroy_v2" => Left { streams: 1, ..none },
        "cuGraphDestroy" | "cuGraphExecDestroy" => Left { graphs: 1, ..none },
        "cuEventSynchronize" => Left { pinned: 1, ..none },
        "cuStreamSynchronize" => Left { pinned: 1, memory: 1, ..none },
        "cuCtxGetCurrent" | "cuCtxPushCurrent_v2" => {
            Left { streams: 1, events: 1, memory: 1, pinned: 1, graphs: 1, ..none }
        }
        _ => none,
    }
}

fn check_left(before: Left, after: Left, call: &str, context: &str) {
    let may = may_leave(call);
    for (kind, before, after, may) in [
        ("streams", before.streams, after.streams, may.streams),
        ("events", before.events, after.events, may.events),
        ("memory", before.memory, after.memory, may.memory),
        ("pinned", before.pinned, after.pinned, may.pinned),
        ("graphs", before.graphs, after.graphs, may.graphs),
    ] {
        assert!((before..=before + may).contains(&after), "{kind}: {before} -> {after}, {context}");
    }
    let sum = |left: Left| left.streams + left.events + left.memory + left.pinned + left.graphs;
    let most = if call == "cuStreamSynchronize" { 2 } else { 1 };
    assert!(sum(after) <= sum(before) + most, "{before:?} -> {after:?}, {context}");
}

/// Returns true if `error` reports the failure of `call` with `status`.
fn names(error: &Error, call: &str, status: c_int) -> bool {
    let text = error.to_string();
    let call = call.trim_end_matches("_v2");
    match error {
        Error::Driver { .. } | Error::Compile { .. } => text.contains(call),
        // Errors of calls that free something, or that ask for a property, go unnoticed, and the
        // next call of the device fails.
        Error::DeviceLost { cause, .. } => {
            status == ILLEGAL_ADDRESS && matches!(**cause, Error::Driver { code: 700, .. })
        }
        Error::OutOfMemory { .. } | Error::OutOfMemoryFor { .. } => status == OUT_OF_MEMORY,
        _ => false,
    }
}

/// Runs `step` with call number `call` failing, and then the sequel, where nothing fails. Returns the
/// name of the call; `None` if the step makes fewer calls.
fn run(
    fake: &Fake,
    world: &World,
    (name, step): (&str, Step),
    call: c_long,
    status: c_int,
) -> Option<&'static str> {
    fake.fail(call, status);
    let result = step(world);
    let failed = fake.failed();
    fake.fail(0, 0);
    let context = format!("call {call} ({failed:?}, {status}) in `{name}`: {result:?}");
    if let Err(error) = &result {
        assert!(failed.is_some_and(|failed| names(error, failed, status)), "{context}");
    }
    if let Err(Error::DeviceLost { device, .. }) = &result {
        let is_first = device.starts_with("cuda:0");
        all_is_lost(if is_first { &world.device } else { &world.other_gpu });
        return failed;
    }
    world.drain();
    let after = sequel(world);
    let is_lost = status == ILLEGAL_ADDRESS && matches!(after, Err(Error::DeviceLost { .. }));
    assert!(after.is_ok() || is_lost, "{after:?} after {context}");
    failed
}

/// Checks that each call of a lost device returns that error.
fn all_is_lost(device: &Device) {
    let other = Device::cuda(usize::from(device.ordinal() == Some(0)));
    let other = other.unwrap_or_else(|_| Device::cpu());
    for (call, result) in [
        device.synchronize(),
        device.memory_info().map(drop),
        device.zeros::<u32>(1).map(drop),
        device.pinned::<u32>(1).map(drop),
        device.stream().map(drop),
        device.record_event().map(drop),
        device.finished().map(drop),
        device.record_graph(|_| Ok(())).map(drop),
        launch(&HELLO, &[], device, LaunchConfig::grid(1), &[]),
        if other.is_gpu() {
            device.can_access_peer(&other).map(drop)
        } else {
            device.synchronize()
        },
    ]
    .into_iter()
    .enumerate()
    {
        let is_lost = matches!(&result, Err(Error::DeviceLost { device: lost, .. }) if *lost == device.to_string());
        assert!(is_lost, "call {call}: {result:?}");
    }
}

/// Does each kind of work on devices that were used before.
fn sequel(world: &World) -> Result<()> {
    let World { device, stream, other_gpu } = world;
    for device in [device, stream, other_gpu] {
        device.synchronize()?;
        let mut y = device.upload(&[1u32, 2, 3])?;
        increment(device, LaunchConfig::cover(3), &mut y)?;
        assert_eq!(y.to_vec()?, [2, 3, 4]);
    }
    let mut y = device.zeros::<u32>(3)?;
    increment(stream, LaunchConfig::cover(3), &mut y)?;
    let graph = device.record_graph(|recorder| faulty(recorder, LaunchConfig::cover(5), &mut y))?;
    graph.launch()?;
    wait_for_fault(device)?;
    increment(stream, LaunchConfig::cover(3), &mut y)?;
    assert_eq!(y.to_vec()?, [8; 3]);
    device.synchronize()?;
    stream.synchronize()
}

/// Opens the devices, of which one may have been lost before without anybody noticing.
fn open_again() -> World {
    for _ in 0..2 {
        if let Ok(world) = World::open()
            && sequel(&world).is_ok()
        {
            return world;
        }
    }
    let world = World::open().unwrap();
    sequel(&world).unwrap();
    world
}

/// Lets each call of each step fail, with each of these statuses.
fn inject(steps: &[(&str, Step)], statuses: &[c_int]) {
    inject_from(1, steps, statuses);
}

/// Lets each call from this number on fail.
fn inject_from(first: c_long, steps: &[(&str, Step)], statuses: &[c_int]) {
    let (started, fake) = (Instant::now(), Fake::get());
    let mut world = World::open().unwrap();
    sequel(&world).unwrap();
    let mut failures = 0;
    for &(name, step) in steps {
        for &status in statuses {
            // What is allocated once is not counted.
            step(&world).unwrap();
            world.drain();
            for call in first.. {
                let before = fake.left();
                let failed = run(&fake, &world, (name, step), call, status);
                let Some(failed) = failed else { break };
                failures += 1;
                if status == ILLEGAL_ADDRESS {
                    drop(world);
                    world = open_again();
                } else {
                    // Memory is freed when its turn comes.
                    world.drain();
                    let context = format!("call {call} ({failed}, {status}) in `{name}`");
                    check_left(before, fake.left(), failed, &context);
                }
            }
        }
    }
    assert!(failures > 0, "the steps make fewer than {first} calls");
    eprintln!("{failures} calls failed in {:?}", started.elapsed());
}

#[test]
fn every_call_may_fail() {
    let statuses = [INVALID_VALUE, OUT_OF_MEMORY, ILLEGAL_ADDRESS];
    in_process("every_call_may_fail", fake(), &[], || inject(STEPS, &statuses));
}

#[test]
fn every_call_may_fail_while_work_is_under_way() {
    let name = "every_call_may_fail_while_work_is_under_way";
    for how in ["lazy", "lazy no_pools"] {
        in_process(name, fake(), &[("FAKE_CUDA", how)], || inject(STEPS, &[UNKNOWN]));
    }
}

#[test]
fn constants_are_copied_when_others_are_there() {
    let name = "constants_are_copied_when_others_are_there";
    in_process(name, fake(), &[], || {
        let (fake, device) = (Fake::get(), Device::cuda(0).unwrap());
        let mut y = device.zeros::<u32>(2).unwrap();
        let [one, two] = [1u32, 2].map(|x| device.constant(&[x][..]).unwrap());
        weighed(&device, &one, &mut y).unwrap();
        let mut calls = |x| {
            fake.fail(0, 0);
            weighed(&device, x, &mut y).unwrap();
            fake.calls()
        };
        let again = calls(&one);
        assert_eq!(calls(&two), again + 1);
        assert_eq!(calls(&two), again);
        assert_eq!(calls(&one), again + 1);
        assert_eq!(y.to_vec().unwrap(), [(((3 + 1) * 3 + 2) * 3 + 2) * 3 + 1; 2]);
    });
}

#[test]
fn out_of_memory_for_what_a_stream_needs_says_what_for() {
    let name = "out_of_memory_for_what_a_stream_needs_says_what_for";
    in_process(name, fake(), &[], || {
        let (fake, device) = (Fake::get(), Device::cuda(0).unwrap());
        // Of a stream that has allocated nothing for its launches.
        let of = |work: &dyn Fn(&Device, &mut Buffer<u32>) -> Result<()>| {
            work(&device, &mut device.zeros(3).unwrap()).unwrap();
            for call in 1..100 {
                let stream = device.stream().unwrap();
                let mut y = stream.zeros(3).unwrap();
                fake.fail(call, OUT_OF_MEMORY);
                let result = work(&stream, &mut y);
                let failed = fake.failed();
                fake.fail(0, 0);
                if matches!(failed, Some("cuMemAllocAsync" | "cuMemAllocHost_v2")) {
                    return result.unwrap_err().to_string();
                }
            }
            unreachable!("a call allocates");
        };
        let flag = of(&|device, _| device.stream().map(drop));
        let texts = [
            of(&|device, _| launch(&HELLO, &[], device, LaunchConfig::grid(1), &[])),
            of(&|device, y| meeting(device, 2, 0, y)),
            of(&|device, y| {
                let cover = LaunchConfig::cover(3);
                device.record_graph(|recorder| increment(recorder, cover, y)).map(drop)
            }),
        ];
        assert_eq!(
            flag,
            "out of memory on the host, as page-locked memory: 8 bytes for the flag of a stream's faults do \
             not fit"
        );
        for (text, what) in texts.iter().zip([
            "1048592 bytes for what kernels print",
            "8 bytes for the block counter of cooperative launches",
            "800 bytes for the faults of a graph's launches",
        ]) {
            let expected = format!(
                "out of memory on cuda:0 (Fake 40): {what} do not fit in the 1048576 bytes that are free"
            );
            assert_eq!(*text, expected);
        }
    });
}

/// Launches until there is no room for a fault record. Then a launch waits, and each call of that
/// wait may fail, too.
fn many_launches(world: &World) -> Result<()> {
    let mut y = world.device.zeros::<u32>(3)?;
    for _ in 0..1023 {
        increment(&world.device, LaunchConfig::cover(3), &mut y)?;
    }
    for _ in 0..3 {
        faulty(&world.device, LaunchConfig::cover(5), &mut y)?;
    }
    wait_for_fault(&world.device)?;
    assert_eq!(y.to_vec()?, [7; 3]);
    Ok(())
}

#[test]
fn every_call_may_fail_when_the_records_are_full() {
    let name = "every_call_may_fail_when_the_records_are_full";
    let steps: &[(&str, Step)] = &[("many launches", many_launches)];
    in_process(name, fake(), &[], || inject_from(2050, steps, &[INVALID_VALUE, ILLEGAL_ADDRESS]));
}

/// Loses both GPUs, so that opening them is opening them anew.
fn lose(fake: &Fake) {
    for ordinal in [0, 1] {
        fake.fail(0, 0);
        if let Ok(device) = Device::cuda(ordinal) {
            fake.fail(1, ILLEGAL_ADDRESS);
            assert!(device.synchronize().is_err());
        }
    }
    fake.fail(0, 0);
}

#[test]
fn every_call_may_fail_while_a_gpu_is_opened() {
    let open = || {
        let device = Device::cuda(0)?;
        let mut y = device.upload(&[1u32, 2, 3])?;
        increment(&device, LaunchConfig::cover(3), &mut y)?;
        assert_eq!(y.to_vec()?, [2, 3, 4]);
        Ok::<(), Error>(())
    };
    in_process("every_call_may_fail_while_a_gpu_is_opened", fake(), &[], || {
        let fake = Fake::get();
        Device::count().unwrap();
        for status in [INVALID_VALUE, OUT_OF_MEMORY, ILLEGAL_ADDRESS] {
            for call in 1.. {
                lose(&fake);
                fake.fail(call, status);
                let result = open();
                let Some(failed) = fake.failed() else { break };
                let context = format!("call {call} ({failed}, {status}): {result:?}");
                if let Err(error) = &result {
                    assert!(names(error, failed, status), "{context}");
                }
                fake.fail(0, 0);
                let again = open().or_else(|_| open());
                assert!(again.is_ok(), "{again:?} after {context}");
                drop(Device::cuda(1));
            }
        }
    });
}
