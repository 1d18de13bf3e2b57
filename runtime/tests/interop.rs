//! Memory, streams and modules of other libraries, with a driver that keeps its memory on the host
//! and runs the work of a stream as late as possible.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(unsafe_code, reason = "pointers and streams of other libraries")]
mod fake_driver;
mod kernels;
mod process;

use fake_driver::{driver_report, fake, in_process, with_nvrtc};
use kernels::increment;
use std::{
    ffi::{c_int, c_void},
    ptr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use warpwise::{
    Buffer, Device, Error, F32x4, LaunchConfig,
    interop::{DlpackTensor, SliceUse},
};

const LAZY: [(&str, &str); 1] = [("FAKE_CUDA", "lazy foreign")];

/// Memory that another library owns, which sets a flag when it is freed.
struct Foreign {
    words: Vec<u64>,
    is_freed: Arc<AtomicBool>,
}

impl Foreign {
    fn new(words: usize) -> (Self, u64, Arc<AtomicBool>) {
        let is_freed = Arc::new(AtomicBool::new(false));
        let foreign = Self { words: vec![0; words], is_freed: Arc::clone(&is_freed) };
        let address = foreign.words.as_ptr().expose_provenance() as u64;
        (foreign, address, is_freed)
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        // What the work of the buffer wrote.
        assert_eq!(bytemuck::cast_slice::<u64, u32>(&self.words)[0], 2);
        self.is_freed.store(true, Ordering::SeqCst);
    }
}

#[test]
fn memory_of_another_library_is_freed_after_its_uses() {
    let name = "memory_of_another_library_is_freed_after_its_uses";
    let output = in_process(name, fake(), &LAZY, || {
        let device = Device::cuda(0).unwrap();
        let other = device.stream().unwrap();
        let (owner, address, is_freed) = Foreign::new(8);
        // SAFETY: `owner` has 16 numbers there, which nobody else uses.
        let mut y: Buffer<u32> = unsafe { device.buffer_from_raw(address, 16, owner) }.unwrap();
        assert_eq!(y.as_device_ptr(), Some(address));
        assert_eq!(y.slice(3..).unwrap().as_device_ptr(), Some(address + 12));
        increment(&device, LaunchConfig::cover(16), &mut y).unwrap();
        assert_eq!(y.to_vec().unwrap(), [1; 16]);
        increment(&other, LaunchConfig::cover(16), &mut y).unwrap();
        assert!(!is_freed.load(Ordering::SeqCst));
        drop(y);
        assert!(is_freed.load(Ordering::SeqCst));
    });
    assert!(driver_report(output).is_none_or(|left| left.contains("streams 0 events 0 memory 0")));
}

#[test]
fn pointers_that_no_buffer_can_have_are_refused() {
    in_process("pointers_that_no_buffer_can_have_are_refused", fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        // SAFETY: none of these is a buffer.
        let refusal = |address, len| unsafe { device.buffer_from_raw::<u32>(address, len, ()) };
        let refusal = |address, len| refusal(address, len).unwrap_err().to_string();
        assert_eq!(
            refusal(0, 4),
            "memory at 0x0 cannot be 4 elements of 4 bytes: it is a null pointer"
        );
        assert!(refusal(0x1002, 4).ends_with("they are aligned to 4 bytes"));
        assert!(refusal(0x1000, usize::MAX / 2).ends_with("no memory has as many"));
        assert!(refusal(u64::MAX - 3, 4).ends_with("no memory has as many"));
        // SAFETY: no element is there.
        assert!(unsafe { device.buffer_from_raw::<u32>(0, 0, ()) }.unwrap().is_empty());
    });
    // SAFETY: the interpreter refuses it.
    let error = unsafe { Device::cpu().buffer_from_raw::<u32>(256, 1, ()) }.unwrap_err();
    assert_eq!(
        error.to_string(),
        "raw pointers need a GPU, and the device is cpu (SIMT interpreter)"
    );
}

#[test]
fn vectors_are_where_the_address_allows_them() {
    in_process("vectors_are_where_the_address_allows_them", fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let words = vec![0u64; 8].leak();
        let aligned = words.as_ptr().expose_provenance().next_multiple_of(16) as u64;
        // SAFETY: these live to the end of the process.
        let at = |address| unsafe { device.buffer_from_raw::<f32>(address, 4, ()) }.unwrap();
        assert!(at(aligned).as_vectors::<F32x4>().is_ok());
        assert!(at(aligned).into_vectors::<F32x4>().is_ok());
        let buffer = at(aligned + 4);
        assert!(matches!(buffer.as_vectors::<F32x4>(), Err(Error::Misaligned { align: 16, .. })));
        assert!(matches!(buffer.into_vectors::<F32x4>(), Err(Error::Misaligned { align: 16, .. })));
    });
}

#[test]
fn streams_of_another_library_are_used_and_left_alive() {
    let output =
        in_process("streams_of_another_library_are_used_and_left_alive", fake(), &LAZY, || {
            let owner = Device::cuda(0).unwrap();
            let stream = owner.raw_stream().unwrap();
            // SAFETY: the owner is kept.
            let device = unsafe { Device::from_raw_stream(0, stream, owner.clone()) }.unwrap();
            assert_eq!(device.raw_stream(), Some(stream));
            let mut y = owner.upload(&[1u32, 2, 3]).unwrap();
            increment(&device, LaunchConfig::cover(3), &mut y).unwrap();
            drop(device);
            increment(&owner, LaunchConfig::cover(3), &mut y).unwrap();
            assert_eq!(y.to_vec().unwrap(), [3, 4, 5]);
            let per_thread = ptr::without_provenance_mut(2);
            // SAFETY: it is refused.
            let error = unsafe { Device::from_raw_stream(0, per_thread, ()) }.unwrap_err();
            assert!(error.to_string().contains("the default stream of each thread"), "{error}");
        });
    assert!(driver_report(output).is_none_or(|left| left.contains("streams 0 events 0 memory 0")));
}

/// Functions of the driver as another library calls them.
struct Driver(libloading::Library);

impl Driver {
    fn new() -> Self {
        // SAFETY: the fake driver has no initializers.
        let driver = Self(unsafe { libloading::Library::new("libcuda.so.1") }.unwrap());
        let mut context = ptr::null_mut::<c_void>();
        // SAFETY: these functions have these types.
        unsafe {
            let retain = driver
                .0
                .get::<extern "C" fn(*mut *mut c_void, c_int) -> c_int>("cuDevicePrimaryCtxRetain");
            assert_eq!(retain.unwrap()(&mut context, 40), 0);
            let push = driver.0.get::<extern "C" fn(*mut c_void) -> c_int>("cuCtxPushCurrent_v2");
            assert_eq!(push.unwrap()(context), 0);
        }
        driver
    }

    /// Sets bytes in the order of a stream.
    fn set(&self, address: u64, byte: u8, count: usize, stream: *mut c_void) {
        type Set = extern "C" fn(u64, u8, usize, *mut c_void) -> c_int;
        // SAFETY: the function has this type.
        let set = unsafe { self.0.get::<Set>("cuMemsetD8Async") }.unwrap();
        assert_eq!(set(address, byte, count, stream), 0);
    }
}

#[test]
fn work_of_another_library_is_a_use_of_its_slices() {
    in_process("work_of_another_library_is_a_use_of_its_slices", fake(), &LAZY, || {
        let (device, driver) = (Device::cuda(0).unwrap(), Driver::new());
        let (first, second) = (device.stream().unwrap(), device.stream().unwrap());
        let mut y = first.upload(&[0u32; 3]).unwrap();
        for _ in 0..3 {
            increment(&first, LaunchConfig::cover(3), &mut y).unwrap();
            let address = y.as_device_ptr().unwrap();
            let uses = [SliceUse::write(&mut y)];
            second.with_raw_stream(&uses, |stream| driver.set(address, 0, 4, stream)).unwrap();
            increment(&first, LaunchConfig::cover(3), &mut y).unwrap();
        }
        assert_eq!(y.to_vec().unwrap(), [1, 6, 6]);
        let foreign = Device::cuda(1).unwrap().zeros::<u32>(3).unwrap();
        let uses = [SliceUse::read(&foreign)];
        let error = second.with_raw_stream(&uses, |_| ()).unwrap_err();
        let expected = "a slice is on cuda:1 (Fake 41), and the work on cuda:0 (Fake 40)";
        assert_eq!(error.to_string(), expected);
    });
}

#[test]
fn the_interpreter_has_no_pointers() {
    let device = Device::cpu();
    assert_eq!(device.upload(&[1u32]).unwrap().as_device_ptr(), None);
    assert_eq!(device.raw_stream(), None);
    let error = device.with_raw_stream(&[], |_| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "raw streams need a GPU, and the device is cpu (SIMT interpreter)"
    );
}

/// PTX that another compiler made.
const NATIVE_ADD: &str =
    ".visible .entry native_add(.param .u64 x, .param .u64 y, .param .u32 n) { ret; }";

#[test]
fn functions_of_modules_run_in_order_with_kernels() {
    let output =
        in_process("functions_of_modules_run_in_order_with_kernels", fake(), &LAZY, || {
            let device = Device::cuda(0).unwrap();
            let streams = [device.stream().unwrap(), device.stream().unwrap()];
            let module = device.load_ptx(NATIVE_ADD).unwrap();
            let native_add = module.function("native_add").unwrap();
            let x = streams[0].upload(&[10u32; 4]).unwrap();
            let mut y = streams[1].upload(&[0u32; 4]).unwrap();
            let config = LaunchConfig::cover(4);
            for _ in 0..3 {
                increment(&streams[1], config, &mut y).unwrap();
                let mut part = y.slice_mut(1..).unwrap();
                // SAFETY: the parameters of the fake function, and the length of `part`.
                unsafe { native_add.launch(&streams[0], config, (&x, &mut part, 3u32)) }.unwrap();
            }
            // Unloaded behind its launches only.
            drop((module, native_add));
            assert_eq!(y.to_vec().unwrap(), [3, 33, 33, 33]);
        });
    // The kernel `increment` stays.
    assert!(driver_report(output).is_none_or(|left| left.contains("modules 1 loads 2")));
}

#[test]
fn launches_that_a_function_does_not_take_are_refused() {
    in_process("launches_that_a_function_does_not_take_are_refused", fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let module = device.load_ptx(NATIVE_ADD).unwrap();
        let error = module.function("subtract").unwrap_err();
        assert_eq!(error.to_string(), "the module has no function `subtract`");
        let native_add = module.function("native_add").unwrap();
        let x = device.upload(&[10u32; 4]).unwrap();
        let config = LaunchConfig::cover(4);
        // SAFETY: these are refused.
        let errors = unsafe {
            [
                native_add.launch(&device, config, (&x, 4u32)),
                native_add.launch(&device, config, (&x, &x, 4u64)),
                native_add.launch(&device, config.block(2000), (&x, &x, 4u32)),
                native_add.launch(&Device::cuda(1).unwrap(), config, (&x, &x, 4u32)),
                native_add.launch(&Device::cpu(), config, (&x, &x, 4u32)),
            ]
        };
        let expected = [
            "cannot launch `native_add`: it takes 3 arguments, and the launch passes 2",
            "cannot launch `native_add`: it takes 4 bytes as argument 2, and the launch passes 8",
            "cannot launch `native_add`: a block of 2000 is 2000 along x, and 1024 is the most",
            "a module is on cuda:0 (Fake 40), and the work on cuda:1 (Fake 41)",
            "functions of modules need a GPU, and the device is cpu (SIMT interpreter)",
        ];
        for (error, expected) in errors.into_iter().zip(expected) {
            assert_eq!(error.unwrap_err().to_string(), expected);
        }
    });
}

#[test]
fn modules_that_do_not_load_are_errors_with_the_log() {
    in_process("modules_that_do_not_load_are_errors_with_the_log", fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let error = device.load_ptx(".entry nonsense(").unwrap_err().to_string();
        assert!(error.contains("CUDA_ERROR_INVALID_PTX (218)"), "{error}");
        assert!(error.ends_with("ptxas fatal: line 3: syntax error"), "{error}");
        let error = device.load_ptx("\x7fELF").unwrap_err().to_string();
        assert!(error.contains("`load_image` loads cubins"), "{error}");
    });
}

#[test]
fn cuda_c_is_compiled_where_nvrtc_is() {
    in_process("cuda_c_is_compiled_where_nvrtc_is", &with_nvrtc(), &[], || {
        let device = Device::cuda(0).unwrap();
        let source = "extern \"C\" __global__ void native_add(const int *x, int *y, int n) {}";
        let module = device.compile_cuda(source, &["--use_fast_math"]).unwrap();
        let native_add = module.function("native_add").unwrap();
        let (x, mut y) = (device.upload(&[1, 2]).unwrap(), device.upload(&[3, 4]).unwrap());
        // SAFETY: the parameters of the function, and the length of both.
        unsafe { native_add.launch(&device, LaunchConfig::cover(2), (&x, &mut y, 2)) }.unwrap();
        assert_eq!(y.to_vec().unwrap(), [4, 6]);
        let error = device.compile_cuda(source, &[]).unwrap_err().to_string();
        assert!(
            error.contains("`nvrtcCompileProgram` failed with NVRTC_ERROR_INVALID_OPTION"),
            "{error}"
        );
        let error = device.compile_cuda("nonsense", &[]).unwrap_err().to_string();
        assert!(error.ends_with("failed with NVRTC_ERROR_COMPILATION\nmodule.cu(1): error: identifier \"nonsense\" is undefined"), "{error}");
    });
}

#[test]
fn without_nvrtc_cuda_c_is_an_error_that_names_the_libraries() {
    let name = "without_nvrtc_cuda_c_is_an_error_that_names_the_libraries";
    in_process(name, fake(), &[], || {
        match Device::cuda(0).unwrap().compile_cuda("", &[]).unwrap_err() {
            Error::NoNvrtc { tried } => assert_eq!(tried[0], "`libnvrtc.so` is not there"),
            // A machine with an NVRTC of its own.
            error => assert!(matches!(error, Error::CompileCuda { .. } | Error::Driver { .. })),
        }
    });
}

#[test]
fn dlpack_tensors_go_out_and_come_in() {
    let output = in_process("dlpack_tensors_go_out_and_come_in", fake(), &LAZY, || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.upload(&[1u32, 2, 3, 4, 5, 6]).unwrap();
        increment(&device.stream().unwrap(), LaunchConfig::cover(6), &mut y).unwrap();
        let address = y.as_device_ptr();
        let pointer = y.into_dlpack(&[2, 3]).unwrap().into_raw();
        // SAFETY: made just now.
        let tensor = unsafe { DlpackTensor::from_raw(pointer) }.unwrap();
        assert_eq!(tensor.shape().unwrap(), [2, 3]);
        let y: Buffer<u32> = device.buffer_from_dlpack(tensor).unwrap();
        assert_eq!((y.as_device_ptr(), y.to_vec().unwrap()), (address, vec![2, 3, 4, 5, 6, 7]));
        let other = Device::cuda(1).unwrap();
        let error = other.buffer_from_dlpack::<u32>(y.into_dlpack(&[6]).unwrap()).unwrap_err();
        assert!(error.to_string().ends_with("it is on GPU 0, and the device is cuda:1 (Fake 41)"));
        let tensor = device.upload(&[1.0f32]).unwrap().into_dlpack(&[]).unwrap();
        let error = device.buffer_from_dlpack::<u32>(tensor).unwrap_err().to_string();
        assert!(error.ends_with("its elements have type code 2, 32 bits and 1 lanes"), "{error}");
        let error = device.zeros::<u8>(5).unwrap().into_dlpack(&[2, 3]).unwrap_err();
        assert_eq!(error, Error::LengthMismatch { source_len: 5, destination_len: 6 });
    });
    assert!(driver_report(output).is_none_or(|left| left.contains("streams 0 events 0 memory 0")));
    let error = Device::cpu().upload(&[1u32]).unwrap().into_dlpack(&[1]).unwrap_err();
    assert!(matches!(error, Error::NeedsGpu { what: "DLPack tensors", .. }));
}

#[test]
fn graphs_keep_their_memory_from_other_libraries() {
    let output = in_process("graphs_keep_their_memory_from_other_libraries", fake(), &[], || {
        let device = Device::cuda(0).unwrap();
        let mut y = device.upload(&[1u32, 2, 3]).unwrap();
        let native_add = device.load_ptx(NATIVE_ADD).unwrap().function("native_add").unwrap();
        let refusal = device.record_graph(|device| {
            // SAFETY: it is refused.
            unsafe { native_add.launch(device, LaunchConfig::cover(3), (&y, &y, 3u32)) }
        });
        let expected = "functions of modules cannot be recorded in a graph";
        assert_eq!(refusal.unwrap_err().to_string(), expected);
        let graph = device.record_graph(|device| device.fill(&mut y, 7)).unwrap();
        let error = y.into_dlpack(&[3]).unwrap_err();
        assert!(error.to_string().ends_with("a graph uses it"), "{error}");
        drop(graph);
    });
    assert!(driver_report(output).is_none_or(|left| left.contains("streams 0 events 0 memory 0")));
}
