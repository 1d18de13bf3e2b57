//! What only a real GPU can show. Each test says on stderr where it ran, or that it was skipped.
//! With `WARPWISE_DEVICE=cuda` (or `cuda:N`) a missing GPU fails them instead.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod kernels;
mod process;

use kernels::{
    FLIP, INCREMENT, SCALE, SIZED, count, divide, faulty, flip, increment, scale, with_ptx,
};
use std::{
    env,
    future::Future,
    io::Write,
    pin::Pin,
    sync::atomic::AtomicU32,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};
use warpwise::{
    __private::{
        Binding, Scalar, Source, launch, max_cooperative_blocks, occupancy, suggest_block,
    },
    Buffer, Device, Element, Error, Finished, LaunchConfig, Num,
};

/// Says `text` even where the harness captures what tests print.
fn say(test: &str, text: &str) {
    let _ = writeln!(std::io::stderr(), "gpu test {test}: {text}");
}

/// Returns the GPU under test; `None`, with a message, if there is none and none was asked for.
fn gpu(test: &str) -> Option<Device> {
    let asked = env::var("WARPWISE_DEVICE").is_ok_and(|value| value.starts_with("cuda"));
    let opened = if asked { Device::auto() } else { Device::cuda(0) };
    match opened {
        Ok(device) => {
            say(test, &format!("runs on {device}"));
            Some(device)
        }
        Err(error) if asked => panic!("{test}: a GPU was asked for: {error}"),
        Err(error) => {
            say(test, &format!("skipped: no CUDA device ({error})"));
            None
        }
    }
}

#[test]
fn a_fault_leaves_the_context_and_the_buffers() {
    let Some(device) = gpu("a_fault_leaves_the_context_and_the_buffers") else { return };
    let len = 1_000_003usize;
    let before: Vec<u32> = (0..len as u32).rev().collect();
    let kept = device.upload(&before).unwrap();
    let mut y = device.upload(&before).unwrap();
    let threads = len.next_multiple_of(256) + 2560;
    faulty(&device, LaunchConfig::cover(threads), &mut y).unwrap();
    let Err(Error::DevicePanic(panic)) = device.synchronize() else { panic!("no fault") };
    assert_eq!(panic.kernel, "faulty");
    assert_eq!(panic.message, "index out of bounds: the len is 1000003 but the index is 1000003");
    assert_eq!((panic.file, panic.line, panic.column), ("src/kernels.rs", 13, 9));
    assert_eq!((panic.block, panic.thread), ([3906, 0, 0], [67, 0, 0]));
    assert_eq!(panic.count, (threads - len) as u64);
    device.synchronize().unwrap();
    assert!(kept.to_vec().unwrap() == before);
    assert!(y.to_vec().unwrap() == vec![7; len]);
    increment(&device, LaunchConfig::cover(len), &mut y).unwrap();
    assert!(y.to_vec().unwrap() == vec![8; len]);
}

#[test]
fn faults_are_those_of_the_interpreter() {
    let Some(device) = gpu("faults_are_those_of_the_interpreter") else { return };
    let configs = [
        LaunchConfig::cover(5),
        LaunchConfig::cover(100_000),
        LaunchConfig::grid((3, 2)).block((16, 8)),
        LaunchConfig::grid((2, 2, 3)).block((5, 3, 2)),
    ];
    for len in [0, 1, 7, 40] {
        for config in configs {
            let on = |device: &Device| {
                let mut y = device.zeros(len).unwrap();
                faulty(device, config, &mut y).unwrap();
                let panic = device.synchronize();
                (panic, y.to_vec().unwrap())
            };
            assert_eq!(on(&device), on(&Device::cpu()), "{config:?} on {len} elements");
        }
    }
}

#[test]
fn every_thread_may_fault() {
    let Some(device) = gpu("every_thread_may_fault") else { return };
    let mut y = device.upload(&vec![1u32; 1 << 22]).unwrap();
    let started = Instant::now();
    divide(&device, 0, &mut y).unwrap();
    let Err(Error::DevicePanic(panic)) = device.synchronize() else { panic!("no fault") };
    say("every_thread_may_fault", &format!("{} threads in {:?}", panic.count, started.elapsed()));
    assert_eq!((panic.block, panic.thread, panic.count), ([0; 3], [0; 3], 1 << 22));
}

#[test]
fn thousands_of_launches_wait_for_nobody() {
    let test = "thousands_of_launches_wait_for_nobody";
    let Some(device) = gpu(test) else { return };
    let mut y = device.zeros::<u32>(1000).unwrap();
    let first = Instant::now();
    increment(&device, LaunchConfig::cover(1000), &mut y).unwrap();
    let first = first.elapsed();
    device.synchronize().unwrap();
    let rounds = 10_000;
    let started = Instant::now();
    for _ in 0..rounds {
        increment(&device, LaunchConfig::cover(1000), &mut y).unwrap();
    }
    let (given, started) = (started.elapsed() / rounds, Instant::now());
    assert_eq!(y.to_vec().unwrap(), vec![rounds + 1; 1000]);
    say(test, &format!("first {first:?}, then {given:?} each, wait {:?}", started.elapsed()));
    assert!(given < Duration::from_micros(500), "the kernel is loaded anew each time: {given:?}");
    divide(&device, 0, &mut y).unwrap();
    for _ in 0..2000 {
        increment(&device, LaunchConfig::cover(1000), &mut y).unwrap();
    }
    faulty(&device, LaunchConfig::cover(2000), &mut y).unwrap();
    let Err(Error::DevicePanic(panic)) = device.synchronize() else { panic!("no fault") };
    assert_eq!(panic.kernel, "divide");
    device.synchronize().unwrap();
}

#[test]
fn threads_share_a_device() {
    let Some(device) = gpu("threads_share_a_device") else { return };
    std::thread::scope(|scope| {
        for n in 1..=8usize {
            let device = &device;
            scope.spawn(move || {
                let mut y = device.zeros::<u32>(1000 * n).unwrap();
                for round in 1..=200 {
                    increment(device, LaunchConfig::cover(1000 * n), &mut y).unwrap();
                    if round % 50 == 0 {
                        assert_eq!(y.to_vec().unwrap(), vec![round; 1000 * n]);
                    }
                }
            });
        }
    });
}

#[test]
fn devices_of_one_gpu_wait_for_each_other_around_a_shared_buffer() {
    let test = "devices_of_one_gpu_wait_for_each_other_around_a_shared_buffer";
    let (Some(a), Some(b)) = (gpu(test), gpu(test)) else { return };
    let len = 1 << 20;
    let mut y = b.zeros::<u32>(len).unwrap();
    for round in 0..200 {
        increment(&a, LaunchConfig::cover(len), &mut y).unwrap();
        increment(&b, LaunchConfig::cover(len), &mut y).unwrap();
        if round % 64 == 0 {
            assert!(y.to_vec().unwrap() == vec![2 * (round + 1); len]);
        }
    }
    assert!(y.to_vec().unwrap() == vec![400; len]);
}

#[test]
fn dropped_buffers_are_used_to_the_end() {
    let Some(device) = gpu("dropped_buffers_are_used_to_the_end") else { return };
    let len = 1 << 22;
    let mut y = device.zeros::<u32>(len).unwrap();
    let x = device.upload(&vec![3u32; len]).unwrap();
    scale::<u32, 5>(&device, LaunchConfig::cover(len), &x, &mut y).unwrap();
    drop(x);
    let other = device.upload(&vec![9u32; len]).unwrap();
    assert!(y.to_vec().unwrap() == vec![15; len]);
    assert!(other.to_vec().unwrap() == vec![9; len]);
}

/// Compares `scale` on the GPU with `scale` on the interpreter.
fn scales_alike<T: Num + Element>(device: &Device, values: &[T]) {
    let on = |device: &Device| {
        let x = device.upload(values).unwrap();
        let mut y = device.zeros(values.len()).unwrap();
        scale::<T, 3>(device, LaunchConfig::cover(values.len()), &x, &mut y).unwrap();
        y.to_vec().unwrap()
    };
    assert_eq!(on(device), on(&Device::cpu()));
}

#[test]
fn kernels_are_bound_and_compiled_at_launch() {
    let Some(device) = gpu("kernels_are_bound_and_compiled_at_launch") else { return };
    scales_alike(&device, &[1.5f32, -0.0, f32::MAX, 1e-40]);
    scales_alike(&device, &[1.5f64, f64::MIN_POSITIVE, -7.25]);
    scales_alike(&device, &[200u8, 1, 255]);
    scales_alike(&device, &[-100i8, 100]);
    scales_alike(&device, &[i16::MIN, 30_000]);
    scales_alike(&device, &[u16::MAX]);
    scales_alike(&device, &[i32::MIN, 5]);
    scales_alike(&device, &[u64::MAX, 1 << 40]);
    scales_alike(&device, &[usize::MAX]);
    scales_alike(&device, &[isize::MIN]);
}

#[test]
fn bools_and_atomics() {
    let Some(device) = gpu("bools_and_atomics") else { return };
    let mut flags = device.upload(&[true, false, true]).unwrap();
    flip(&device, LaunchConfig::cover(3), &mut flags).unwrap();
    assert_eq!(flags.to_vec().unwrap(), [false, true, false]);
    let bytes: Vec<u8> = (0..1_000_000u32).map(|i| (i % 16) as u8).collect();
    let x = device.upload(&bytes).unwrap();
    let counts: Buffer<AtomicU32> = device.zeros(16).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| count(&device, &x, &counts).unwrap());
        }
    });
    assert_eq!(counts.into_plain().to_vec().unwrap(), [250_000; 16]);
}

#[test]
fn wrong_devices_and_sizes_are_errors() {
    let Some(device) = gpu("wrong_devices_and_sizes_are_errors") else { return };
    let mut y = Device::cpu().zeros(4).unwrap();
    let error = increment(&device, LaunchConfig::cover(4), &mut y).unwrap_err();
    assert!(matches!(error, Error::Launch { .. }), "{error}");
    assert!(matches!(Device::cuda(4096), Err(Error::NoDevice { ordinal: 4096, .. })));
    let error = device.zeros::<f64>(1 << 42).unwrap_err();
    let Error::OutOfMemory { free: Some(free), .. } = error else { panic!("{error}") };
    assert!(free > 0 && free <= device.info().memory.unwrap());
    let mut y = device.upload::<u32>(&[]).unwrap();
    increment(&device, LaunchConfig::grid(1), &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), []);
}

#[test]
fn a_gpu_tells_all_its_properties() {
    let test = "a_gpu_tells_all_its_properties";
    let Some(device) = gpu(test) else { return };
    let info = device.info();
    say(test, &format!("{info:?}"));
    assert_eq!(info.limits.warp_size, 32);
    assert_eq!(info.limits.block, [1024, 1024, 64]);
    assert_eq!(info.limits.grid, [i32::MAX as u32, 65_535, 65_535]);
    assert!(info.limits.threads_per_multiprocessor.unwrap() >= info.limits.threads_per_block);
    assert_eq!(info.limits.registers_per_block, Some(65_536));
    assert_eq!(info.memory_system.constant_bytes, Some(64 << 10));
    assert_eq!(info.memory_system.default_shared_bytes_per_block, Some(48 << 10));
    let of_all = info.memory_system.shared_bytes_per_multiprocessor.unwrap();
    assert!(info.shared_memory_per_block <= of_all);
    assert!(info.features.unified_addressing && info.features.concurrent_kernels);
    assert!(info.textures.is_some() && info.pci.is_some() && info.compute_mode.is_some());
    let memory = device.memory_info().unwrap().unwrap();
    say(test, &format!("{memory:?}"));
    assert!(0 < memory.free && memory.free <= memory.total);
    let ordinal = device.ordinal().unwrap();
    assert!(ordinal < Device::count().unwrap());
    assert_eq!(Device::cuda(ordinal).unwrap().info(), info);
}

#[test]
fn the_occupancy_model_agrees_with_the_driver() {
    let test = "the_occupancy_model_agrees_with_the_driver";
    let Some(device) = gpu(test) else { return };
    let multiprocessors = device.info().multiprocessors;
    let scaled = [Binding::Type(Scalar::F64), Binding::Const(3)];
    let mut compared = 0;
    // Without a request for more, which only kernels make that size arrays, blocks have 48 KiB.
    let (default, most) = (48 << 10, device.info().shared_memory_per_block as usize - (4 << 10));
    let cases = [(&INCREMENT, &[][..], default), (&SCALE, &scaled, default), (&SIZED, &[], most)];
    for (source, bindings, most) in cases {
        for threads in (32..=1024).step_by(32).chain([1, 33, 100, 1000]) {
            for shared in (0..=most).step_by(3 << 10) {
                let model = occupancy(source, bindings, &device, threads, shared);
                let model = model.unwrap().unwrap().blocks as usize;
                let driver = max_cooperative_blocks(source, bindings, &device, threads, shared);
                let case = format!("`{}`: {threads} threads, {shared} bytes", source.name);
                assert_eq!(driver, Ok(model * multiprocessors), "{case}");
                compared += 1;
            }
        }
    }
    say(test, &format!("agree on {compared} blocks"));
}

#[test]
fn no_block_has_more_threads_resident_than_the_suggested_one() {
    let test = "no_block_has_more_threads_resident_than_the_suggested_one";
    let Some(device) = gpu(test) else { return };
    let suggested = suggest_block(&INCREMENT, &[], &device, 0).unwrap();
    say(test, &format!("{suggested:?}"));
    let resident = |threads| {
        let found = occupancy(&INCREMENT, &[], &device, threads, 0).unwrap().unwrap();
        found.blocks as usize * threads
    };
    let (threads, _, _) = suggested.block;
    let most = resident(threads);
    assert_eq!(suggested.blocks * threads, most * device.info().multiprocessors);
    assert!((32..=1024).step_by(32).all(|other| resident(other) <= most));
    let len = 1000;
    let mut y = device.zeros::<u32>(len).unwrap();
    let config = LaunchConfig::cover(len).block(suggested.block);
    increment(&device, config, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), vec![1; len]);
    assert_eq!(suggest_block(&FLIP, &[], &device, 0).unwrap().block, (64, 1, 1));
}

#[test]
fn threads_use_all_gpus_and_copy_between_them() {
    let test = "threads_use_all_gpus_and_copy_between_them";
    let Some(_) = gpu(test) else { return };
    let devices = Device::all().unwrap();
    for device in &devices {
        for other in &devices {
            let can = device.can_access_peer(other).unwrap();
            say(test, &format!("{device} accesses {other}: {can}"));
            assert!(can || device.ordinal() != other.ordinal());
        }
    }
    let len = 1 << 20;
    std::thread::scope(|scope| {
        for n in 0..2 * devices.len() {
            let [own, other] = [n, n + 1].map(|n| &devices[n % devices.len()]);
            scope.spawn(move || {
                let mut x = own.zeros::<u32>(len).unwrap();
                let mut y = other.zeros::<u32>(len).unwrap();
                for _ in 0..50 {
                    increment(own, LaunchConfig::cover(len), &mut x).unwrap();
                    y.copy_from_device(&x).unwrap();
                    increment(other, LaunchConfig::cover(len), &mut y).unwrap();
                    x.copy_from_device(&y).unwrap();
                }
                assert!(x.to_vec().unwrap() == vec![100; len]);
            });
        }
    });
}

#[test]
fn the_drivers_compiler_is_quoted() {
    let test = "the_drivers_compiler_is_quoted";
    static NONSENSE: Source = with_ptx(
        "k",
        "kernel k {}",
        ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry k() { nonsense; }",
    );
    let Some(device) = gpu(test) else { return };
    let error = launch(&NONSENSE, &[], &device, LaunchConfig::grid(1), &[]).unwrap_err();
    let Error::Compile { message, .. } = &error else { panic!("{error}") };
    say(test, &format!("{error}"));
    assert!(message.contains("line 4"), "{message}");
    assert_eq!(device.synchronize(), Ok(()));
}

/// Returns true if a future of the end of work is ready in time, with the error of a lost device. A
/// device that is lost already has none.
fn is_woken(finished: warpwise::Result<Finished>) -> bool {
    let Ok(mut finished) = finished else { return true };
    (0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(5));
        let mut context = Context::from_waker(Waker::noop());
        match Pin::new(&mut finished).poll(&mut context) {
            Poll::Ready(end) => matches!(end, Err(Error::DeviceLost { .. })),
            Poll::Pending => false,
        }
    })
}

#[test]
fn a_lost_device_is_an_error_and_can_be_opened_again() {
    let test = "a_lost_device_is_an_error_and_can_be_opened_again";
    // What no kernel of the language does: a store to where nothing is.
    static POISON: Source = with_ptx(
        "poison",
        "kernel poison {}",
        ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry poison(.param .u64 r) {\n\
             .reg .b64 %a;\nmov.u64 %a, 16;\nst.global.u64 [%a], %a;\nret;\n}",
    );
    if !process::is_child() && gpu(test).is_none() {
        return;
    }
    let device = env::var("WARPWISE_DEVICE").unwrap_or_else(|_| "cuda".into());
    let output = process::run(test, &[("WARPWISE_DEVICE", &device)], || {
        let device = Device::auto().unwrap();
        let mut y = device.upload(&[1u32; 4]).unwrap();
        increment(&device, LaunchConfig::cover(4), &mut y).unwrap();
        device.synchronize().unwrap();
        launch(&POISON, &[], &device, LaunchConfig::grid(1), &[]).unwrap();
        assert!(is_woken(device.finished()));
        let error = y.to_vec().unwrap_err();
        assert!(matches!(error, Error::DeviceLost { .. }), "{error}");
        say(test, &format!("{error}"));
        assert_eq!(device.synchronize(), Err(error.clone()));
        assert_eq!(increment(&device, LaunchConfig::cover(4), &mut y), Err(error));
        drop(y);
        drop(device);
        // The drivers that were tried refuse another context after this error.
        match Device::auto() {
            Err(error) => assert!(matches!(error, Error::DeviceLost { .. }), "{error}"),
            Ok(device) => {
                let mut y = device.upload(&[1u32; 4]).unwrap();
                increment(&device, LaunchConfig::cover(4), &mut y).unwrap();
                assert_eq!(y.to_vec().unwrap(), [2; 4]);
                say(test, "opened again: works");
            }
        }
    });
    if let Some(output) = output {
        say(test, &process::stderr_text(&output));
    }
}

/// A function of CUDA C that adds `x` to `y`.
const CUDA_ADD: &str =
    "extern \"C\" __global__ void add(const unsigned *x, unsigned *y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
}";

#[test]
#[expect(unsafe_code, reason = "functions and memory of other libraries")]
fn functions_and_memory_of_other_libraries_work() {
    let test = "functions_and_memory_of_other_libraries_work";
    let Some(device) = gpu(test) else { return };
    let len = 1000usize;
    let config = LaunchConfig::cover(len);
    let other = device.stream().unwrap();
    let x = device.upload(&vec![10u32; len]).unwrap();
    let mut y = other.zeros::<u32>(len).unwrap();
    match device.compile_cuda(CUDA_ADD, &[]) {
        Err(error) => say(test, &format!("without CUDA C: {error}")),
        Ok(module) => {
            let add = module.function("add").unwrap();
            for _ in 0..3 {
                increment(&other, config, &mut y).unwrap();
                // SAFETY: the parameters of the function, and the length of both.
                unsafe { add.launch(&device, config, (&x, &mut y, len as u32)) }.unwrap();
            }
            assert_eq!(y.to_vec().unwrap(), vec![33; len]);
            let error = device.compile_cuda("nonsense", &[]).unwrap_err().to_string();
            assert!(error.contains("nonsense"), "{error}");
            say(test, "CUDA C works");
        }
    }
    y.fill(1).unwrap();
    // The memory of one buffer as that of another library, one element further.
    let address = y.as_device_ptr().unwrap() + 4;
    let stream = other.raw_stream().unwrap();
    // SAFETY: both live longer than what is made of them, and nobody else uses them meanwhile.
    let (foreign, mut part) = unsafe {
        let foreign = Device::from_raw_stream(0, stream, other.clone()).unwrap();
        let part = foreign.buffer_from_raw::<u32>(address, len - 1, ()).unwrap();
        (foreign, part)
    };
    increment(&foreign, config, &mut part).unwrap();
    assert_eq!(part.to_vec().unwrap(), vec![2; len - 1]);
    drop(part);
    let tensor = y.into_dlpack(&[10, 100]).unwrap();
    let y: Buffer<u32> = device.buffer_from_dlpack(tensor).unwrap();
    assert_eq!(y.to_vec().unwrap()[..3], [1, 2, 2]);
}

#[test]
fn slices_that_begin_anywhere_have_the_same_results() {
    let Some(device) = gpu("slices_that_begin_anywhere_have_the_same_results") else { return };
    let len = 4096;
    let before: Vec<f32> = (0..len as u32).map(|i| i as f32).collect();
    for start in 0..9 {
        let part = |device: &Device| {
            let mut y = device.upload(&before).unwrap();
            let mut part = y.slice_mut(start..len - start).unwrap();
            let x = part.try_clone().unwrap();
            scale::<f32, 4>(device, LaunchConfig::cover(len), &x, &mut part).unwrap();
            y.to_vec().unwrap()
        };
        assert_eq!(part(&device), part(&Device::cpu()), "from {start}");
    }
}
