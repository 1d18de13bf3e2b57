//! Streams and slices of `cudarc`, with a driver that runs the work of a stream as late as
//! possible.
#![cfg(target_os = "linux")]
mod fake_driver;
mod kernels;
mod process;

use cudarc::driver::CudaContext;
use fake_driver::{driver_report, fake, in_process};
use kernels::increment;
use warpwise::{Buffer, Device, Error, LaunchConfig};

#[test]
fn slices_and_streams_of_cudarc_go_in_and_out() {
    let name = "slices_and_streams_of_cudarc_go_in_and_out";
    let output = in_process(name, fake(), &[("FAKE_CUDA", "lazy")], || {
        let context = CudaContext::new(0).unwrap();
        let (stream, other) = (context.new_stream().unwrap(), context.new_stream().unwrap());
        let device = Device::from_cudarc(&stream).unwrap();
        for device in [device.clone(), Device::cuda(0).unwrap()] {
            // In, used on another stream than its own, and out on a third.
            let slice = stream.clone_htod(&[1u32, 2, 3]).unwrap();
            let mut y = Buffer::from_cudarc(&device, slice).unwrap();
            increment(&device, LaunchConfig::cover(3), &mut y).unwrap();
            let slice = y.into_cudarc(&other).unwrap();
            assert_eq!(other.clone_dtoh(&slice).unwrap(), [2, 3, 4]);
            // Out without having been in.
            let mut y = device.upload(&[1u32, 2, 3]).unwrap();
            increment(&device, LaunchConfig::cover(3), &mut y).unwrap();
            let slice = y.into_cudarc(&other).unwrap();
            assert_eq!(stream.clone_dtoh(&slice).unwrap(), [2, 3, 4]);
            let y = Buffer::from_cudarc(&device, slice).unwrap();
            let error = y.into_structs::<i32>().unwrap().into_cudarc(&other).unwrap_err();
            assert!(matches!(&error, Error::ForeignMemory { .. }), "{error}");
        }
        let error = Device::cpu().zeros::<u32>(1).unwrap().into_cudarc(&stream).unwrap_err();
        assert!(matches!(error, Error::NeedsGpu { .. }));
    });
    assert!(driver_report(output).is_none_or(|left| left.contains("streams 0 events 0 memory 0")));
}

#[test]
fn a_stream_of_another_context_is_refused() {
    let name = "a_stream_of_another_context_is_refused";
    in_process(name, fake(), &[("FAKE_CUDA", "other_context")], || {
        let stream = CudaContext::new(0).unwrap().new_stream().unwrap();
        let error = Device::from_cudarc(&stream).unwrap_err();
        assert!(
            error.to_string().contains("another context than the GPU's primary one"),
            "{error}"
        );
    });
}
