//! The driver side, with no GPU: libraries that are missing, broken or strange must come out as
//! errors, and with a driver that works (`fake_driver/libcuda.c`) nothing is lost or left behind.
//!
//! What a process sees of its driver is settled once, so each case is a process of its own.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail and skip loudly")]
mod fake_driver;
mod kernels;
mod process;

use fake_driver::{driver_report, fake, in_process, library};
use kernels::{
    CONTRACTED, EMBEDDED, FLIP, INCREMENT, INLINE_PTX, MEASURED, MEETING, PRECOMPILED,
    WEIGHED_EARLY, boxed, divide, faulty, following, increment, meeting, sized, weighed, with_ptx,
};
use process::stderr_text;
use std::{
    env,
    future::Future,
    pin::Pin,
    process::Output,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};
use warpwise::{
    __private::{Binding, Source, launch, max_cooperative_blocks, occupancy, suggest_block},
    Device, Error, Finished, LaunchConfig, Sampler,
    occupancy::Limiter,
    parameter::Arg,
    properties::{ComputeMode, Features},
};

/// Returns true on machines where a driver is found, whatever `LD_LIBRARY_PATH` is.
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
        assert_eq!(Device::count(), Ok(0));
        assert!(Device::all().unwrap().is_empty());
    });
    let Some(output) = output else { return };
    let said = stderr_text(&output);
    assert_eq!(said.matches("warpwise: ").count(), 1, "{said}");
    assert!(said.contains("warpwise: no GPU found, running on the SIMT interpreter"), "{said}");
    assert!(said.contains("WARPWISE_DEVICE=cpu") && !said.contains("libcuda"), "{said}");
}

/// The fake driver's events are a quarter of a millisecond apart.
#[test]
fn profiled_launches_are_measured_on_a_gpu() {
    let folder = env::temp_dir().join("warpwise-measured-launches");
    if !process::is_child() {
        let _ = std::fs::remove_dir_all(&folder);
    }
    let profile = [("WARPWISE_PROFILE", folder.to_str().unwrap())];
    let output = in_process("profiled_launches_are_measured_on_a_gpu", fake(), &profile, || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.upload(&[1u32; 300]).unwrap();
        increment(&device, LaunchConfig::cover(300), &mut y).unwrap();
        device.synchronize().unwrap();
    });
    if output.is_none() {
        return;
    }
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(file).unwrap();
    let line = text.lines().find(|line| line.contains("\"kind\":\"gpu\"")).unwrap();
    assert!(line.contains("\"kernel\":\"increment\"") && line.contains("\"grid\":["), "{line}");
    assert!(line.ends_with("\"nanoseconds\":250000}"), "{line}");
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
        assert_eq!(Device::count(), Err(error));
        assert!(!Device::auto().unwrap().is_gpu());
    });
}

#[test]
fn a_driver_without_tensor_maps_refuses_launches_with_them() {
    let folder = library("no_tensor_maps", Some("libcuda.c"), &["-DNO_TENSOR_MAPS"]);
    let name = "a_driver_without_tensor_maps_refuses_launches_with_them";
    in_process(name, &folder, &[], || {
        let device = Device::cuda(0).unwrap();
        let x = device.upload_2d(&[1u32; 32], (1, 32)).unwrap();
        let mut y = device.zeros::<u32>(3).unwrap();
        let text = boxed(&device, &x, &mut y).unwrap_err().to_string();
        assert!(text.contains("cuTensorMapEncodeTiled") && text.contains("12.0"), "{text}");
        assert_eq!(y.to_vec().unwrap(), [0; 3]);
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
        assert_eq!(Device::count(), Ok(0));
        assert!(Device::all().unwrap().is_empty());
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
fn a_null_pointer_from_a_call_that_succeeds_is_an_error() {
    let name = "a_null_pointer_from_a_call_that_succeeds_is_an_error";
    for (wrong, call) in [
        ("null_context", "cuDevicePrimaryCtxRetain"),
        ("null_stream", "cuStreamCreateWithPriority"),
        ("null_memory", "cuMemAllocAsync"),
        ("null_memory no_pools", "cuMemAlloc"),
        ("unaligned", "cuMemAllocAsync"),
        ("null_host", "cuMemAllocHost"),
        ("null_module", "cuModuleLoadDataEx"),
        ("null_function", "cuModuleGetFunction"),
        ("null_constant", "cuModuleGetGlobal"),
        ("null_array", "cuArray3DCreate"),
        ("null_mipmapped", "cuMipmappedArrayCreate"),
        ("null_level", "cuMipmappedArrayGetLevel"),
        ("null_texture", "cuTexObjectCreate"),
        ("null_surface", "cuSurfObjectCreate"),
    ] {
        in_process(name, fake(), &[("FAKE_CUDA", wrong), ("EXPECTED", call)], || {
            let increments = || {
                let device = Device::cuda(0)?;
                let mut y = device.upload(&[1u32, 2, 3])?;
                increment(&device, LaunchConfig::cover(3), &mut y)?;
                weighed(&device, &device.constant(&[1u32][..])?, &mut y)?;
                device.texture_1d::<u32>(&[1], Sampler::POINT)?;
                let sampler = Sampler::POINT.normalized();
                device.mipmapped_texture_2d::<u32>(&[&[1, 2], &[3]], (1, 2), sampler)?;
                device.surface_1d::<u32>(&[1], Sampler::POINT)?;
                y.to_vec()
            };
            let text = increments().unwrap_err().to_string();
            let call = env::var("EXPECTED").unwrap();
            assert!(text.contains(&format!("`{call}` failed with a result that no")), "{text}");
        });
    }
}

#[test]
fn a_compute_capability_that_no_gpu_has_is_an_error() {
    let name = "a_compute_capability_that_no_gpu_has_is_an_error";
    in_process(name, fake(), &[("FAKE_CUDA", "huge_capability")], || {
        let text = Device::cuda(0).unwrap_err().to_string();
        assert!(text.contains("a compute capability of 2147483647.0"), "{text}");
    });
}

#[test]
fn huge_numbers_from_the_driver_neither_panic_nor_overflow() {
    let name = "huge_numbers_from_the_driver_neither_panic_nor_overflow";
    in_process(name, fake(), &[("FAKE_CUDA", "huge")], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.upload(&[1u32, 2, 3]).unwrap();
        increment(&device, LaunchConfig::cover(3), &mut y).unwrap();
        assert_eq!(y.to_vec().unwrap(), [2, 3, 4]);
        let blocks = max_cooperative_blocks(&MEETING, &[], &device, 128, 0).unwrap();
        assert!(blocks > 0);
        assert!(occupancy(&INCREMENT, &[], &device, 128, 0).is_err());
        assert!(matches!(device.zeros::<u64>(1 << 60), Err(Error::OutOfMemory { .. })));
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
fn all_gpus_are_those_that_kernels_run_on() {
    let name = "all_gpus_are_those_that_kernels_run_on";
    for (wrong, expected) in [("", "0 1"), ("one_old", "1"), ("old", "")] {
        in_process(name, fake(), &[("FAKE_CUDA", wrong), ("EXPECTED", expected)], || {
            assert_eq!(Device::count(), Ok(2));
            let all = Device::all().unwrap();
            let ordinals = all.iter().map(|device| device.ordinal().unwrap().to_string());
            let ordinals: Vec<_> = ordinals.collect();
            assert_eq!(ordinals.join(" "), env::var("EXPECTED").unwrap());
        });
    }
}

#[test]
fn properties_are_what_the_driver_says() {
    in_process("properties_are_what_the_driver_says", fake(), &[], || {
        let device = Device::cuda(1).unwrap();
        let info = device.info();
        assert_eq!((info.sm, info.cuda, info.multiprocessors), (Some(90), Some(13_000), 132));
        assert_eq!((info.clock_khz, info.copy_engines), (Some(1_980_000), Some(3)));
        assert_eq!(info.cores_per_multiprocessor, Some(128));
        assert_eq!(info.limits.block, [1024, 1024, 64]);
        assert_eq!(info.limits.grid, [i32::MAX as u32, 65_535, 65_535]);
        assert_eq!(
            (info.limits.warp_size, info.limits.threads_per_multiprocessor),
            (32, Some(2048))
        );
        assert_eq!(info.memory_system.default_shared_bytes_per_block, Some(48 << 10));
        assert_eq!(info.shared_memory_per_block, 227 << 10);
        assert_eq!((info.memory_system.ecc, info.memory_system.l2_bytes), (Some(true), None));
        assert_eq!(info.compute_mode, Some(ComputeMode::ExclusiveProcess));
        assert_eq!(info.pci.unwrap().to_string(), "0000:29:00");
        assert_eq!(info.uuid.unwrap().to_string(), "292a2b2c-2d2e-2f30-3132-333435363738");
        let textures = info.textures.as_ref().unwrap();
        assert_eq!((textures.size_2d, textures.alignment), ([131_072, 65_536], 512));
        assert!(info.features.cooperative_launch && info.features.memory_pools);
        assert!(!info.features.managed_memory && !info.features.tcc);
        let memory = device.memory_info().unwrap().unwrap();
        assert_eq!((memory.free, memory.total), (1 << 20, 1 << 30));
    });
}

#[test]
fn properties_that_a_driver_does_not_know_are_none() {
    let name = "properties_that_a_driver_does_not_know_are_none";
    in_process(name, fake(), &[("FAKE_CUDA", "terse no_cooperation no_pools")], || {
        let device = Device::cuda(0).unwrap();
        let info = device.info();
        assert_eq!((info.clock_khz, info.copy_engines, info.compute_mode), (None, None, None));
        assert_eq!((&info.textures, info.pci, info.uuid), (&None, None, None));
        assert_eq!(info.limits.blocks_per_multiprocessor, None);
        assert_eq!(info.memory_system.ecc, None);
        assert_eq!(info.features, Features::default());
        works_like_the_interpreter();
    });
}

#[test]
fn gpus_access_each_others_memory_where_the_hardware_does() {
    let name = "gpus_access_each_others_memory_where_the_hardware_does";
    for wrong in ["", "apart"] {
        in_process(name, fake(), &[("FAKE_CUDA", wrong)], || {
            let [a, b] = [0, 1].map(|ordinal| Device::cuda(ordinal).unwrap());
            let are_apart = env::var("FAKE_CUDA").unwrap() == "apart";
            assert_eq!(a.can_access_peer(&b), Ok(!are_apart));
            assert_eq!(a.can_access_peer(&Device::cuda(0).unwrap()), Ok(true));
            assert_eq!(a.can_access_peer(&a.stream().unwrap()), Ok(true));
            assert_eq!(a.can_access_peer(&Device::cpu()), Ok(false));
            assert_eq!(Device::cpu().can_access_peer(&a), Ok(false));
        });
    }
}

#[test]
fn threads_use_several_gpus_and_copy_between_them() {
    let name = "threads_use_several_gpus_and_copy_between_them";
    for how in ["", "lazy"] {
        let output = in_process(name, fake(), &[("FAKE_CUDA", how)], || {
            let devices = Device::all().unwrap();
            let sums = std::thread::scope(|scope| {
                let threads = [0, 1, 2, 3].map(|n| {
                    let [own, other] = [&devices[n % 2], &devices[(n + 1) % 2]];
                    scope.spawn(move || {
                        let mut x = own.zeros::<u32>(4).unwrap();
                        let mut y = other.zeros::<u32>(4).unwrap();
                        for _ in 0..100 {
                            increment(own, LaunchConfig::cover(4), &mut x).unwrap();
                            y.copy_from_device(&x).unwrap();
                            increment(other, LaunchConfig::cover(4), &mut y).unwrap();
                            x.copy_from_device(&y).unwrap();
                        }
                        x.to_vec().unwrap()
                    })
                });
                threads.map(|thread| thread.join().unwrap())
            });
            assert_eq!(sums, [[200; 4]; 4]);
        });
        let expected = "contexts 2 streams 0 events 0 memory 0 pinned 0";
        assert!(driver_report(output).is_none_or(|left| left.contains(expected)), "{how}");
    }
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
    assert!(output.is_none_or(|output| !stderr_text(&output).contains("warpwise:")));
}

#[test]
fn asking_for_cuda_does_not_fall_back() {
    let name = "asking_for_cuda_does_not_fall_back";
    let env = [("FAKE_CUDA", "no_device"), ("WARPWISE_DEVICE", "cuda")];
    in_process(name, fake(), &env, || {
        assert!(matches!(Device::auto(), Err(Error::NoDriver { .. })));
    });
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
fn everything_is_released() {
    let name = "everything_is_released";
    for wrong in ["", "no_pools"] {
        let output = in_process(name, fake(), &[("FAKE_CUDA", wrong)], works_like_the_interpreter);
        let Some(left) = driver_report(output) else { return };
        // A division by zero does not fulfil the contract of `divide`, so that runs two codes.
        let expected = "fake driver: contexts 1 streams 0 events 0 memory 0 pinned 0 graphs 0 modules 4 loads 4 launches 5 early 0";
        assert_eq!(left, expected, "{wrong}");
    }
}

#[test]
fn drivers_without_pools_work() {
    let folder = library("no_pools", Some("libcuda.c"), &["-DNO_POOLS"]);
    let output = in_process("drivers_without_pools_work", &folder, &[], works_like_the_interpreter);
    assert!(driver_report(output).is_none_or(|left| left.contains("memory 0 ")));
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
fn launches_that_fill_the_gpu_run_coarsened_code_and_others_never_load_it() {
    let name = "launches_that_fill_the_gpu_run_coarsened_code_and_others_never_load_it";
    in_process(name, fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.zeros::<u32>(3).unwrap();
        // 132 multiprocessors, filled four times by 2048 threads each.
        let boundary = 132 * 2048 * 4 / 256;
        for (source, loads) in [(&MEASURED, 0), (&EMBEDDED, 2)] {
            for (blocks, [grid, coarsened_grid, more_loads]) in [
                (1, [1, 0, 1]),
                (boundary - 1, [boundary - 1, 0, 1]),
                (boundary, [boundary / 4, boundary, 2]),
                (boundary + 3, [boundary / 4 + 1, boundary + 3, 2]),
                (boundary - 1, [boundary - 1, 0, 2]),
            ] {
                let config = LaunchConfig::grid(blocks as usize).block(256);
                launch(source, &[], &device, config, &[Arg::write(&mut y)]).unwrap();
                let expected = [grid, coarsened_grid, loads + more_loads];
                assert_eq!(y.to_vec().unwrap(), expected, "{blocks} blocks");
            }
        }
    });
}

#[test]
fn launches_run_the_code_of_the_contract_that_they_fulfil() {
    let name = "launches_run_the_code_of_the_contract_that_they_fulfil";
    in_process(name, fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.zeros::<u32>(3).unwrap();
        let mut run = |source, blocks: u32| {
            let config = LaunchConfig::grid(blocks as usize).block(256);
            launch(source, &[], &device, config, &[Arg::write(&mut y)]).unwrap();
            y.to_vec().unwrap()
        };
        let [few, many] = &CONTRACTED;
        // One code is loaded for each side of the contract, and kept.
        assert_eq!(run(few, 1), [1, 0, 1]);
        assert_eq!(run(few, 2), [2, 0, 1]);
        assert_eq!(run(few, 3), [3, 0, 2]);
        assert_eq!(run(few, 1), [1, 0, 2]);
        // So large a launch would run coarsened threads, which rely on the contract, too.
        assert_eq!(run(few, 1 << 20), [1 << 20, 0, 2]);
        assert_eq!(run(many, 1 << 20), [1 << 18, 1 << 20, 3]);
        assert_eq!(run(many, (1 << 20) - 1), [(1 << 20) - 1, 0, 4]);
    });
}

#[test]
fn instances_with_embedded_code_run_it_and_others_are_compiled() {
    let name = "instances_with_embedded_code_run_it_and_others_are_compiled";
    in_process(name, fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.zeros::<u32>(3).unwrap();
        let mut launch = |bound| {
            let (config, bindings) = (LaunchConfig::grid(1).block(256), [Binding::Const(bound)]);
            launch(&PRECOMPILED, &bindings, &device, config, &[Arg::write(&mut y)])
        };
        let error = launch(2).unwrap_err().to_string();
        assert!(error.ends_with("ptxas fatal: line 3: syntax error"), "{error}");
        launch(3).unwrap();
    });
}

#[test]
fn blocks_that_coarsened_code_has_no_registers_for_run_the_plain_code() {
    let name = "blocks_that_coarsened_code_has_no_registers_for_run_the_plain_code";
    in_process(name, fake(), &[("FAKE_CUDA", "cramped")], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.zeros::<u32>(3).unwrap();
        for (threads, expected) in [(256, [1 << 20, 0]), (128, [1 << 18, 1 << 20])] {
            let config = LaunchConfig::grid(1 << 20).block(threads);
            launch(&EMBEDDED, &[], &device, config, &[Arg::write(&mut y)]).unwrap();
            assert_eq!(y.to_vec().unwrap()[..2], expected, "{threads} threads");
        }
    });
}

#[test]
fn blocks_that_no_code_has_registers_for_are_an_error() {
    let name = "blocks_that_no_code_has_registers_for_are_an_error";
    in_process(name, fake(), &[("FAKE_CUDA", "stiff")], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.zeros::<u32>(3).unwrap();
        let config = |threads| LaunchConfig::grid(1).block(threads);
        increment(&device, config(512), &mut y).unwrap();
        let expected = "cannot launch `increment`: none of its blocks can run on cuda:0 (Fake 40): a block \
                        has 513 threads of 32 registers each, and 512 threads are the most";
        let error = increment(&device, config(513), &mut y).unwrap_err();
        assert_eq!(error.to_string(), expected);
        let recorded = device.record_graph(|recorder| increment(recorder, config(513), &mut y));
        assert_eq!(recorded.map(drop), Err(error));
        assert_eq!(y.to_vec().unwrap(), [1; 3]);
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
fn inline_ptx_that_the_driver_rejects_is_an_error_with_the_log() {
    let name = "inline_ptx_that_the_driver_rejects_is_an_error_with_the_log";
    in_process(name, fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.zeros::<u32>(1).unwrap();
        let config = LaunchConfig::grid(1).block(1);
        let error = launch(&INLINE_PTX, &[], &device, config, &[Arg::write(&mut y)]).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("CUDA_ERROR_INVALID_PTX (218)"), "{error}");
        assert!(error.ends_with("ptxas fatal: line 3: syntax error"), "{error}");
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
    let expected =
        "contexts 1 streams 0 events 0 memory 0 pinned 0 graphs 0 modules 1 loads 1 launches 3";
    assert!(driver_report(output).is_none_or(|left| left.contains(expected)));
}

#[test]
fn without_cooperative_launches_there_are_none() {
    let env = [("FAKE_CUDA", "no_cooperation")];
    in_process("without_cooperative_launches_there_are_none", fake(), &env, || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.zeros::<u32>(2).unwrap();
        let error = meeting(&device, 1, 0, &mut y).unwrap_err().to_string();
        assert!(error.contains("of which 0 run at the same time"), "{error}");
        assert_eq!(max_cooperative_blocks(&MEETING, &[], &device, 128, 0), Ok(0));
        increment(&device, LaunchConfig::cover(2), &mut y).unwrap();
    });
}

/// Only where GPU and driver have programmatic dependent launch.
#[test]
fn kernels_with_a_dependent_launch_start_early_where_they_can() {
    let name = "kernels_with_a_dependent_launch_start_early_where_they_can";
    let without = library("no_pools", Some("libcuda.c"), &["-DNO_POOLS"]);
    for (folder, wrong, early) in [(fake(), "", 3), (fake(), "ampere", 0), (&without, "", 0)] {
        let output = in_process(name, folder, &[("FAKE_CUDA", wrong)], || {
            let device = Device::cuda(0).unwrap();
            let mut y = device.zeros::<u32>(3).unwrap();
            increment(&device, LaunchConfig::cover(3), &mut y).unwrap();
            for _ in 0..3 {
                following(&device, LaunchConfig::cover(3), &mut y).unwrap();
            }
            assert_eq!(y.to_vec().unwrap(), [4; 3]);
        });
        let Some(left) = driver_report(output) else { return };
        assert!(left.ends_with(&format!("launches 4 early {early}")), "{wrong}: {left}");
    }
}

/// The copy need not be one that a wait is for, and the kernel reads constants before it waits.
#[test]
fn launches_after_a_copy_of_their_constants_start_in_order() {
    let name = "launches_after_a_copy_of_their_constants_start_in_order";
    let output = in_process(name, fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.zeros::<u32>(1).unwrap();
        let [a, b] = [[2], [1]].map(|x: [u32; 1]| device.constant(&x[..]).unwrap());
        for x in [&a, &a, &b, &b, &b] {
            let args = [Arg::constant(x), Arg::write(&mut y)];
            launch(&WEIGHED_EARLY, &[], &device, LaunchConfig::grid(1).block(1), &args).unwrap();
        }
        assert_eq!(y.to_vec().unwrap(), [8 * 27 + 13]);
    });
    assert!(driver_report(output).is_none_or(|left| left.ends_with("launches 5 early 3")));
}

#[test]
fn graphs_start_their_kernels_in_order() {
    let output = in_process("graphs_start_their_kernels_in_order", fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.zeros::<u32>(3).unwrap();
        let graph = device.record_graph(|recorder| {
            increment(recorder, LaunchConfig::cover(3), &mut y)?;
            following(recorder, LaunchConfig::cover(3), &mut y)
        });
        graph.unwrap().launch().unwrap();
        assert_eq!(y.to_vec().unwrap(), [2; 3]);
    });
    assert!(driver_report(output).is_none_or(|left| left.ends_with("early 0")));
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
        driver_report(output)
            .is_none_or(|left| left.contains("contexts 1 ") && left.contains("loads 2 "))
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
        let error = device.pinned::<f64>(1 << 30).unwrap_err();
        assert_eq!(
            error.to_string(),
            "out of memory on the host, as page-locked memory: 1073741824 elements of 8 bytes do not fit"
        );
    });
}

#[test]
fn kernels_carry_source_lines_where_they_are_asked_for() {
    let name = "kernels_carry_source_lines_where_they_are_asked_for";
    for (value, times) in [("1", 2), ("", 0)] {
        let output = in_process(name, fake(), &[("WARPWISE_LINEINFO", value)], || {
            let device = Device::cuda(0).unwrap();
            let mut y = device.zeros::<u32>(3).unwrap();
            increment(&device, LaunchConfig::cover(3), &mut y).unwrap();
            assert_eq!(y.to_vec().unwrap(), [1; 3]);
            // What the program carries has no lines.
            let config = LaunchConfig::grid(1).block(256);
            launch(&EMBEDDED, &[], &device, config, &[Arg::write(&mut y)]).unwrap();
        });
        let Some(output) = output else { return };
        let lines = "fake driver: lines of .file 1 \"src/kernels.rs\"";
        assert_eq!(stderr_text(&output).matches(lines).count(), times);
    }
}

#[test]
fn the_drivers_compiler_is_quoted() {
    static NONSENSE: Source = with_ptx("k", "kernel k {}", ".entry k() nonsense");
    static ZERO: Source = with_ptx("k", "kernel k {}", "\0");
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
    static POISON: Source = with_ptx("poison", "kernel poison {}", ".entry poison()");
    let name = "a_lost_device_is_an_error_and_can_be_opened_again";
    let output = in_process(name, fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.upload(&[1u32; 4]).unwrap();
        increment(&device, LaunchConfig::cover(4), &mut y).unwrap();
        launch(&POISON, &[], &device, LaunchConfig::grid(1), &[]).unwrap();
        assert!(is_woken(device.finished()));
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
    assert!(driver_report(output).is_none_or(|left| left.contains("contexts 1 streams 1 ")));
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
    assert!(driver_report(output).is_none_or(|left| left.contains("loads 1 launches 2400")));
}

/// Writes what is logged to standard error.
struct Logger;

impl log::Log for Logger {
    fn enabled(&self, of: &log::Metadata<'_>) -> bool {
        of.target() == "warpwise::lint"
    }
    fn log(&self, record: &log::Record<'_>) {
        if self.enabled(record.metadata()) {
            eprintln!("logged {} {}", record.level(), record.args());
        }
    }
    fn flush(&self) {}
}

fn log_to_stderr() {
    static LOGGER: Logger = Logger;
    log::set_logger(&LOGGER).unwrap();
    log::set_max_level(log::LevelFilter::Info);
}

/// Returns the lines that a process logged.
fn logged_lines(output: &Output) -> Vec<String> {
    let said = stderr_text(output);
    said.lines().filter_map(|line| Some(line.strip_prefix("logged ")?.to_owned())).collect()
}

fn many_launches(device: &Device) {
    let mut y = device.zeros::<u32>(4).unwrap();
    increment(device, LaunchConfig::grid(132), &mut y).unwrap();
    for _ in 0..150 {
        increment(device, LaunchConfig::grid(3).block(48), &mut y).unwrap();
    }
    for blocks in [1057, 1058] {
        increment(device, LaunchConfig::grid(blocks), &mut y).unwrap();
    }
}

#[test]
fn launches_are_judged_once_for_each_shape_of_blocks() {
    let name = "launches_are_judged_once_for_each_shape_of_blocks";
    let Some(output) = in_process(name, fake(), &[], || {
        log_to_stderr();
        many_launches(&Device::cuda(0).unwrap());
    }) else {
        return;
    };
    let expected = [
        "gpu_partial_warps: `increment` on cuda:0 (Fake 40): blocks of 48 threads leave 16 lanes of their \
         last warp idle (src/kernels.rs:13:9); help: let blocks have 32 or 64 threads: a multiple of 32",
        "gpu_small_grids: `increment` on cuda:0 (Fake 40): a grid of 3 blocks leaves 129 of 132 \
         multiprocessors idle (src/kernels.rs:13:9); help: let at least 132 blocks share the work: fewer threads in each, or less \
         work a thread",
        "gpu_tiny_launches: `increment` on cuda:0 (Fake 40): 100 launches of 6 warps each, on a device with \
         528 warp schedulers (src/kernels.rs:13:9); note: a launch takes about 3 us, however little it does; help: let one launch \
         do the work of many: over a larger array, or with an axis of the grid for what the host loops over",
        "gpu_tail_waves: `increment` on cuda:0 (Fake 40): a grid of 1057 blocks is 1.00 waves of 1056 (132 \
         multiprocessors with 8 blocks each): the last wave leaves 99 % of the device idle (src/kernels.rs:13:9); note: if all \
         blocks take as long as each other; help: launch 1056 blocks that loop over the work in steps of the \
         grid, or many more and smaller ones",
    ];
    assert_eq!(logged_lines(&output), expected.map(|text| format!("WARN {text}")));
}

#[test]
fn the_interpreter_judges_block_shapes_only() {
    let name = "the_interpreter_judges_block_shapes_only";
    let output = in_process(name, fake(), &[], || {
        log_to_stderr();
        many_launches(&Device::cpu());
    });
    let Some(output) = output else { return };
    let expected = "WARN gpu_partial_warps: `increment` on cpu (SIMT interpreter): blocks of 48 threads leave 16 \
                    lanes of their last warp idle (src/kernels.rs:13:9); help: let blocks have 32 or 64 threads: a multiple of 32";
    assert_eq!(logged_lines(&output), [expected]);
}

#[test]
fn nothing_is_said_of_launches_where_lints_are_off() {
    let env = [("WARPWISE_LINTS", "off")];
    let name = "nothing_is_said_of_launches_where_lints_are_off";
    let output = in_process(name, fake(), &env, || {
        log_to_stderr();
        many_launches(&Device::cuda(0).unwrap());
    });
    assert!(output.is_none_or(|output| logged_lines(&output).is_empty()));
}

#[test]
fn occupancy_is_that_of_the_kernel_as_the_driver_compiled_it() {
    let name = "occupancy_is_that_of_the_kernel_as_the_driver_compiled_it";
    in_process(name, fake(), &[("FAKE_CUDA", "greedy")], || {
        let device = Device::cuda(0).unwrap();
        let of = |threads: usize, shared| occupancy(&INCREMENT, &[], &device, threads, shared);
        // 168 registers: 12 warps, and no block of more.
        let found = of(128, 0).unwrap().unwrap();
        assert_eq!(
            (found.blocks, found.warps, &*found.limiters),
            (3, 12, &[Limiter::Registers][..])
        );
        let found = of(32, 100 << 10).unwrap().unwrap();
        assert_eq!((found.blocks, &*found.limiters), (2, &[Limiter::SharedMemory][..]));
        let error = of(512, 0).unwrap_err().to_string();
        let expected = "cannot launch `increment`: none of its blocks can run on cuda:0 (Fake 40): 512 threads of \
                        168 registers each are more than the 65536 registers that there are, in the units in \
                        which they are given out";
        assert_eq!(error, expected);
        let error = of(32, 228 << 10).unwrap_err().to_string();
        assert!(error.contains("a block needs 233472 bytes of shared memory"), "{error}");
        assert_eq!(occupancy(&INCREMENT, &[], &Device::cpu(), 128, 0), Ok(None));
    });
}

#[test]
fn occupancy_on_a_gpu_newer_than_the_crate_is_the_drivers() {
    let name = "occupancy_on_a_gpu_newer_than_the_crate_is_the_drivers";
    in_process(name, fake(), &[("FAKE_CUDA", "newer")], || {
        let device = Device::cuda(0).unwrap();
        let of = |shared| occupancy(&INCREMENT, &[], &device, 128, shared).unwrap().unwrap();
        let found = of(0);
        assert_eq!((found.blocks, found.warps, found.most_warps), (2, 8, 64));
        assert!(found.limiters.is_empty());
        assert_eq!(of(120 << 10).blocks, 1);
    });
}

#[test]
fn blocks_that_the_driver_has_no_room_for_are_an_error() {
    let name = "blocks_that_the_driver_has_no_room_for_are_an_error";
    in_process(name, fake(), &[("FAKE_CUDA", "newer no_room")], || {
        let device = Device::cuda(0).unwrap();
        let error = occupancy(&INCREMENT, &[], &device, 128, 0).unwrap_err();
        let expected = "cannot launch `increment`: none of its blocks can run on cuda:0 (Fake 40): a \
                        multiprocessor has no room for one of 128 threads";
        assert_eq!(error.to_string(), expected);
        let error = suggest_block(&INCREMENT, &[], &device, 0).unwrap_err();
        assert!(error.to_string().ends_with("a multiprocessor has no room for any"), "{error}");
    });
}

#[test]
fn the_suggested_block_is_the_kernels_own_or_the_drivers() {
    let name = "the_suggested_block_is_the_kernels_own_or_the_drivers";
    in_process(name, fake(), &[("FAKE_CUDA", "greedy")], || {
        let (gpu, cpu) = (Device::cuda(0).unwrap(), Device::cpu());
        let suggested = suggest_block(&INCREMENT, &[], &gpu, 0).unwrap();
        assert_eq!((suggested.block, suggested.blocks), ((384, 1, 1), 264));
        let suggested = suggest_block(&INCREMENT, &[], &gpu, 120 << 10).unwrap();
        assert_eq!((suggested.block, suggested.blocks), ((384, 1, 1), 132));
        // Of 168 registers, 12 warps run: 6 blocks of 64 threads.
        let suggested = suggest_block(&FLIP, &[], &gpu, 0).unwrap();
        assert_eq!((suggested.block, suggested.blocks), ((64, 1, 1), 6 * 132));
        let error = suggest_block(&INCREMENT, &[], &gpu, 228 << 10).unwrap_err();
        assert!(error.to_string().contains("a block needs 233472 bytes"), "{error}");
        let cores = cpu.info().multiprocessors;
        let suggested = suggest_block(&INCREMENT, &[], &cpu, 0).unwrap();
        assert_eq!((suggested.block, suggested.blocks), ((256, 1, 1), cores));
        assert_eq!(suggest_block(&FLIP, &[], &cpu, 0).unwrap().block, (64, 1, 1));
    });
}

#[test]
fn the_most_blocks_of_a_cooperative_launch_are_known_before() {
    let name = "the_most_blocks_of_a_cooperative_launch_are_known_before";
    in_process(name, fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let most = |shared| max_cooperative_blocks(&MEETING, &[], &device, 128, shared).unwrap();
        assert_eq!([most(0), most(120 << 10)], [264, 132]);
        let most = max_cooperative_blocks(&MEETING, &[], &Device::cpu(), 128, 0);
        assert_eq!(most, Ok(4096));
    });
}
