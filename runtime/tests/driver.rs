//! The driver side, with no GPU: libraries that are missing, broken or strange must come out as
//! errors, and with a driver that works (`fake_driver/libcuda.c`) nothing is lost or left behind.
//!
//! What a process sees of its driver is settled once, so each case is a process of its own.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail and skip loudly")]
mod kernels;
mod process;

use kernels::{divide, faulty, increment, meeting, sized};
use process::said;
use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
    time::{Duration, Instant},
};
use warpwise::{
    __private::{Source, launch},
    Device, Error, LaunchConfig,
};

/// [`process::run`], with the driver that is in `libraries`.
fn in_process(
    name: &str,
    libraries: &Path,
    env: &[(&str, &str)],
    body: impl FnOnce(),
) -> Option<Output> {
    let mut env = env.to_vec();
    env.push(("LD_LIBRARY_PATH", libraries.to_str().unwrap()));
    process::run(name, &env, body)
}

/// A folder with a `libcuda.so.1` made of `file` by the C compiler; empty without one.
fn library(name: &str, file: Option<&str>, flags: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if process::is_child() {
        return folder;
    }
    std::fs::create_dir_all(&folder).unwrap();
    if let Some(file) = file {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake_driver").join(file);
        // Made elsewhere and moved into place, where another test may be loading it.
        let made = folder.join(format!("{:?}.so", std::thread::current().id()));
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-Werror=implicit-function-declaration", "-o"])
            .arg(&made)
            .arg(source)
            .args(flags)
            .status()
            .expect("rustc needs a C compiler to link, so there is one");
        assert!(built.success());
        std::fs::rename(made, folder.join("libcuda.so.1")).unwrap();
    }
    // Under its other name too, which on a machine with a driver would be that one's.
    let _ = std::os::unix::fs::symlink("libcuda.so.1", folder.join("libcuda.so"));
    folder
}

fn fake() -> &'static Path {
    static FAKE: OnceLock<PathBuf> = OnceLock::new();
    FAKE.get_or_init(|| library("fake", Some("libcuda.c"), &[]))
}

/// True on machines where a driver is found whatever `LD_LIBRARY_PATH` says.
fn has_a_driver() -> bool {
    let has = !matches!(Device::cuda(0), Err(Error::NoDriver { .. }));
    if has {
        eprintln!("skipped: this machine has a driver of its own");
    }
    has
}

#[test]
fn without_a_driver_there_is_an_error_and_auto_interprets() {
    let name = "without_a_driver_there_is_an_error_and_auto_interprets";
    if !process::is_child() && has_a_driver() {
        return;
    }
    let output = in_process(name, &library("none", None, &[]), &[], || {
        let started = Instant::now();
        let device = Device::auto().unwrap();
        assert!(started.elapsed() < Duration::from_millis(50), "{:?}", started.elapsed());
        assert!(!device.is_gpu());
        assert!(!Device::auto().unwrap().is_gpu());
        let error = Device::cuda(0).unwrap_err();
        let Error::NoDriver { tried } = &error else { panic!("{error}") };
        assert_eq!(tried.len(), 2);
        let text = error.to_string();
        assert!(text.contains("no usable NVIDIA driver: libcuda.so.1: cannot open"), "{text}");
        assert!(text.contains("libcuda.so: cannot open"), "{text}");
    });
    let Some(output) = output else { return };
    let said = said(&output);
    assert_eq!(said.matches("warpwise: ").count(), 1, "{said}");
    assert!(said.contains("warpwise: no usable NVIDIA driver: libcuda.so.1"), "{said}");
    assert!(said.contains("WARPWISE_DEVICE=cpu"), "{said}");
}

#[test]
fn a_library_that_is_none_is_an_error() {
    let folder = library("text", None, &[]);
    if !process::is_child() {
        std::fs::write(folder.join("libcuda.so.1"), "not a library").unwrap();
    }
    in_process("a_library_that_is_none_is_an_error", &folder, &[], || {
        let text = Device::cuda(0).unwrap_err().to_string();
        assert!(text.contains("libcuda.so.1"), "{text}");
        assert!(text.contains("invalid ELF header") || text.contains("file too short"), "{text}");
    });
}

#[test]
fn a_driver_that_lacks_functions_is_an_error_that_names_them() {
    let folder = library("old", Some("lacking.c"), &[]);
    let name = "a_driver_that_lacks_functions_is_an_error_that_names_them";
    in_process(name, &folder, &[], || {
        let error = Device::cuda(0).unwrap_err();
        let Error::NoDriver { tried } = &error else { panic!("{error}") };
        assert!(tried[0].contains("`libcuda.so.1` is older than CUDA 11.0 or broken"), "{error}");
        assert!(tried[0].contains("`cuLaunchKernel`") && !tried[0].contains("cuInit"), "{error}");
        assert!(!Device::auto().unwrap().is_gpu());
    });
}

#[test]
fn a_driver_without_a_device_is_an_error() {
    let env = [("FAKE_CUDA", "no_device")];
    in_process("a_driver_without_a_device_is_an_error", fake(), &env, || {
        let text = Device::cuda(0).unwrap_err().to_string();
        let expected = "`libcuda.so.1` is there, but `cuInit` failed with CUDA_ERROR_NO_DEVICE \
                        (100): no CUDA-capable device is detected";
        assert!(text.contains(expected), "{text}");
        assert!(!Device::auto().unwrap().is_gpu());
    });
}

#[test]
fn a_gpu_that_is_too_old_is_an_error_and_auto_interprets() {
    let name = "a_gpu_that_is_too_old_is_an_error_and_auto_interprets";
    in_process(name, fake(), &[("FAKE_CUDA", "old")], || {
        let error = Device::cuda(0).unwrap_err();
        assert_eq!(error.to_string(), "cuda:0 (Fake 40) is sm_70, and kernels need sm_75 or newer");
        assert!(!Device::auto().unwrap().is_gpu());
    });
}

#[test]
fn a_gpu_that_is_not_there_is_an_error() {
    in_process("a_gpu_that_is_not_there_is_an_error", fake(), &[], || {
        for ordinal in [2, usize::MAX] {
            let error = Device::cuda(ordinal).unwrap_err();
            assert_eq!(error, Error::NoDevice { ordinal, count: 2 });
        }
        assert_eq!(Device::cuda(1).unwrap().to_string(), "cuda:1 (Fake 41)");
    });
}

#[test]
fn warpwise_device_decides_for_auto() {
    let name = "warpwise_device_decides_for_auto";
    for (value, expected) in [
        ("", "cuda:0 (Fake 40)"),
        ("auto", "cuda:0 (Fake 40)"),
        ("cuda", "cuda:0 (Fake 40)"),
        ("cuda:1", "cuda:1 (Fake 41)"),
        ("cpu", "cpu (SIMT interpreter)"),
    ] {
        in_process(name, fake(), &[("WARPWISE_DEVICE", value), ("EXPECTED", expected)], || {
            let expected = env::var("EXPECTED").unwrap();
            assert_eq!(Device::auto().unwrap().to_string(), expected);
        });
    }
}

#[test]
fn a_bad_warpwise_device_is_an_error() {
    let name = "a_bad_warpwise_device_is_an_error";
    let output = in_process(name, fake(), &[("WARPWISE_DEVICE", "gpu")], || {
        assert_eq!(
            Device::auto().unwrap_err().to_string(),
            "`WARPWISE_DEVICE=gpu` names no device: it takes `auto`, `cpu`, `cuda` or `cuda:N`"
        );
    });
    assert!(output.is_none_or(|output| !said(&output).contains("warpwise:")));
}

#[test]
fn asking_for_cuda_does_not_fall_back() {
    let name = "asking_for_cuda_does_not_fall_back";
    let env = [("FAKE_CUDA", "no_device"), ("WARPWISE_DEVICE", "cuda")];
    in_process(name, fake(), &env, || {
        assert!(matches!(Device::auto(), Err(Error::NoDriver { .. })));
    });
}

/// What the fake driver says is left of a process that dropped all it made.
fn left(output: Option<Output>) -> Option<String> {
    let said = said(&output?);
    let line = said.lines().find(|line| line.starts_with("fake driver:"));
    Some(line.unwrap_or_else(|| panic!("no report: {said}")).to_owned())
}

fn works_like_the_interpreter() {
    let device = Device::cuda(0).unwrap();
    let mut y = device.upload(&[1u32, 2, 3]).unwrap();
    let mut other = device.upload(&[9u32; 4]).unwrap();
    increment(&device, LaunchConfig::cover(3), &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [2, 3, 4]);
    faulty(&device, LaunchConfig::grid(2).block(4), &mut y).unwrap();
    divide(&device, 0, &mut other).unwrap();
    let Err(Error::DevicePanic(panic)) = y.to_vec() else { panic!("no fault") };
    assert_eq!(panic.kernel, "faulty");
    assert_eq!(panic.message, "index out of bounds: the len is 3 but the index is 3");
    assert_eq!((panic.file, panic.line, panic.column), ("src/kernels.rs", 13, 9));
    assert_eq!((panic.block, panic.thread, panic.count), ([0, 0, 0], [3, 0, 0], 5));
    assert_eq!(y.to_vec().unwrap(), [7, 7, 7]);
    divide(&device, 3, &mut other).unwrap();
    device.synchronize().unwrap();
    assert_eq!(other.to_vec().unwrap(), [3; 4]);
    let mut empty = device.upload::<u32>(&[]).unwrap();
    increment(&device, LaunchConfig::cover(0), &mut empty).unwrap();
    increment(&device, LaunchConfig::grid(1), &mut empty).unwrap();
    assert_eq!(empty.to_vec().unwrap(), []);
}

#[test]
fn nothing_is_left_behind() {
    let name = "nothing_is_left_behind";
    for wrong in ["", "no_pools"] {
        let output = in_process(name, fake(), &[("FAKE_CUDA", wrong)], works_like_the_interpreter);
        let Some(left) = left(output) else { return };
        let expected = "fake driver: contexts 1 streams 0 events 0 memory 0 pinned 0 modules 3 loads 3 launches 5";
        assert_eq!(left, expected, "{wrong}");
    }
}

#[test]
fn drivers_without_pools_work() {
    let folder = library("no_pools", Some("libcuda.c"), &["-DNO_POOLS"]);
    let output = in_process("drivers_without_pools_work", &folder, &[], works_like_the_interpreter);
    assert!(left(output).is_none_or(|left| left.contains("memory 0 ")));
}

#[test]
fn launches_without_a_wait_report_their_faults_too() {
    let name = "launches_without_a_wait_report_their_faults_too";
    in_process(name, fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.zeros::<u32>(4).unwrap();
        for round in [1, 511, 512, 513, 1500] {
            y.copy_from(&[0; 4]).unwrap();
            divide(&device, 0, &mut y).unwrap();
            for _ in 0..round {
                increment(&device, LaunchConfig::cover(4), &mut y).unwrap();
            }
            faulty(&device, LaunchConfig::cover(8), &mut y).unwrap();
            let Err(Error::DevicePanic(panic)) = device.synchronize() else { panic!("no fault") };
            assert_eq!(panic.kernel, "divide", "after {round}");
            device.synchronize().unwrap();
            faulty(&device, LaunchConfig::cover(8), &mut y).unwrap();
            let Err(Error::DevicePanic(panic)) = device.synchronize() else { panic!("no fault") };
            assert_eq!((panic.kernel, panic.count), ("faulty", 252));
        }
    });
}

#[test]
fn launches_ask_for_the_shared_memory_that_they_size() {
    let name = "launches_ask_for_the_shared_memory_that_they_size";
    in_process(name, fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.zeros::<u32>(3).unwrap();
        for (n, asked) in [(0, [80, 0, 64]), (1, [208, 64, 192]), (1000, [65_104, 1024, 65_088])] {
            sized(&device, n, &mut y).unwrap();
            assert_eq!(y.to_vec().unwrap(), asked, "{n}");
        }
        let error = sized(&device, 4000, &mut y).unwrap_err().to_string();
        let expected = "cannot launch `sized`: a block needs 260560 bytes of shared memory, and 232448 \
                        is the most on cuda:0 (Fake 40)";
        assert_eq!(error, expected);
        let error = sized(&device, u64::MAX, &mut y).unwrap_err().to_string();
        let expected = "cannot launch `sized`: the length of the `shared_dyn!` at src/kernels.rs:13:9 \
                        overflows in this launch";
        assert_eq!(error, expected);
    });
}

#[test]
fn cooperative_launches_are_of_as_many_blocks_as_run_together() {
    let name = "cooperative_launches_are_of_as_many_blocks_as_run_together";
    let output = in_process(name, fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.zeros::<u32>(2).unwrap();
        let refused =
            |blocks, n, y: &mut _| meeting(&device, blocks, n, y).unwrap_err().to_string();
        let text = |blocks: u32, limit: u32| {
            format!(
                "cannot launch `meeting`: its blocks wait for each other, and the launch has {blocks} of \
                 them, of which {limit} run at the same time on cuda:0 (Fake 40)"
            )
        };
        meeting(&device, 264, 0, &mut y).unwrap();
        assert_eq!(refused(265, 0, &mut y), text(265, 264));
        assert_eq!(refused(133, 120 << 10, &mut y), text(133, 132));
        meeting(&device, 132, 120 << 10, &mut y).unwrap();
        meeting(&device, 0, 0, &mut y).unwrap();
        meeting(&device, 1, 0, &mut y).unwrap();
        // The same word for all of them, and what one left there is what the next one finds.
        assert_eq!(y.to_vec().unwrap(), [264 + 132 + 1, 0]);
    });
    let expected = "contexts 1 streams 0 events 0 memory 0 pinned 0 modules 1 loads 1 launches 3";
    assert!(left(output).is_none_or(|left| left.contains(expected)));
}

#[test]
fn without_cooperative_launches_there_are_none() {
    let env = [("FAKE_CUDA", "no_cooperation")];
    in_process("without_cooperative_launches_there_are_none", fake(), &env, || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.zeros::<u32>(2).unwrap();
        let error = meeting(&device, 1, 0, &mut y).unwrap_err().to_string();
        assert!(error.contains("of which 0 run at the same time"), "{error}");
        increment(&device, LaunchConfig::cover(2), &mut y).unwrap();
    });
}

#[test]
fn two_devices_of_a_gpu_share_buffers_and_kernels() {
    let name = "two_devices_of_a_gpu_share_buffers_and_kernels";
    let output = in_process(name, fake(), &[], || {
        let (a, b) = (Device::cuda(0).unwrap(), Device::cuda(0).unwrap());
        let mut y = a.zeros(4).unwrap();
        increment(&a, LaunchConfig::cover(4), &mut y).unwrap();
        increment(&b, LaunchConfig::cover(4), &mut y).unwrap();
        assert_eq!(y.to_vec().unwrap(), [2; 4]);
        faulty(&a, LaunchConfig::cover(8), &mut y).unwrap();
        b.synchronize().unwrap();
        assert!(matches!(a.synchronize(), Err(Error::DevicePanic(_))));
    });
    assert!(
        left(output).is_none_or(|left| left.contains("contexts 1 ") && left.contains("loads 2 "))
    );
}

#[test]
fn buffers_of_another_gpu_are_refused() {
    in_process("buffers_of_another_gpu_are_refused", fake(), &[], || {
        let (gpu, cpu) = (Device::cuda(0).unwrap(), Device::cpu());
        for other in [&Device::cuda(1).unwrap(), &cpu] {
            let mut y = gpu.zeros(4).unwrap();
            let error = increment(other, LaunchConfig::cover(4), &mut y).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "cannot launch `increment`: `y` is a buffer on cuda:0 (Fake 40), and the launch is on {other}"
                )
            );
            let mut y = other.zeros(4).unwrap();
            assert!(matches!(
                increment(&gpu, LaunchConfig::cover(4), &mut y),
                Err(Error::Launch { .. })
            ));
        }
    });
}

#[test]
fn out_of_memory_says_how_much_was_asked_for() {
    in_process("out_of_memory_says_how_much_was_asked_for", fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let error = device.zeros::<f64>(1 << 30).unwrap_err();
        assert_eq!(
            error.to_string(),
            "out of memory on cuda:0 (Fake 40): 1073741824 elements of 8 bytes do not fit in the \
             1048576 bytes that are free"
        );
        assert!(matches!(device.zeros::<f64>(usize::MAX), Err(Error::OutOfMemory { .. })));
        assert!(device.zeros::<f64>(8).is_ok());
    });
}

#[test]
fn the_drivers_compiler_is_quoted() {
    static NONSENSE: Source =
        Source { name: "k", ir: "kernel k {}", ptx: Some(".entry k() nonsense"), places: &[] };
    static ZERO: Source = Source { name: "k", ir: "kernel k {}", ptx: Some("\0"), places: &[] };
    in_process("the_drivers_compiler_is_quoted", fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let run = |source| launch(source, &[], &device, LaunchConfig::grid(1), &[]);
        let text = run(&NONSENSE).unwrap_err().to_string();
        assert!(
            text.starts_with("cannot compile `k` for cuda:0 (Fake 40): `cuModuleLoadDataEx`"),
            "{text}"
        );
        assert!(text.ends_with("ptxas fatal: line 3: syntax error"), "{text}");
        assert!(run(&ZERO).unwrap_err().to_string().contains("zero byte"));
    });
}

#[test]
fn a_lost_device_is_an_error_and_can_be_opened_again() {
    static POISON: Source = Source {
        name: "poison",
        ir: "kernel poison {}",
        ptx: Some(".entry poison()"),
        places: &[],
    };
    let name = "a_lost_device_is_an_error_and_can_be_opened_again";
    let output = in_process(name, fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.upload(&[1u32; 4]).unwrap();
        increment(&device, LaunchConfig::cover(4), &mut y).unwrap();
        launch(&POISON, &[], &device, LaunchConfig::grid(1), &[]).unwrap();
        let error = y.to_vec().unwrap_err();
        let Error::DeviceLost { device: named, cause } = &error else { panic!("{error}") };
        assert_eq!(named, "cuda:0 (Fake 40)");
        assert!(matches!(**cause, Error::Driver { code: 700, .. }), "{cause}");
        assert!(error.to_string().contains("CUDA_ERROR_ILLEGAL_ADDRESS (700)"), "{error}");
        assert_eq!(device.synchronize(), Err(error.clone()));
        assert_eq!(device.zeros::<u32>(1).map(drop), Err(error.clone()));
        assert_eq!(increment(&device, LaunchConfig::cover(4), &mut y), Err(error));
        drop(y);
        drop(device);
        let device = Device::cuda(0).unwrap();
        let mut y = device.upload(&[1u32; 4]).unwrap();
        increment(&device, LaunchConfig::cover(4), &mut y).unwrap();
        assert_eq!(y.to_vec().unwrap(), [2; 4]);
    });
    // The lost context was let go, the new one is in use.
    assert!(left(output).is_none_or(|left| left.contains("contexts 1 streams 1 ")));
}

#[test]
fn threads_share_a_device() {
    let name = "threads_share_a_device";
    let output = in_process(name, fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        std::thread::scope(|scope| {
            for n in 1..=8usize {
                let device = &device;
                scope.spawn(move || {
                    let mut y = device.zeros::<u32>(n).unwrap();
                    for _ in 0..300 {
                        increment(device, LaunchConfig::cover(n), &mut y).unwrap();
                    }
                    assert_eq!(y.to_vec().unwrap(), vec![300; n]);
                });
            }
        });
    });
    assert!(left(output).is_none_or(|left| left.contains("loads 1 launches 2400")));
}
