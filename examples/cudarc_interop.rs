//! Warpwise beside `cudarc`: slices that `cudarc` allocated as buffers, a kernel of Warpwise on
//! `cudarc`'s stream, and the same kernel launched by `cudarc`, all without a copy.
//!
//! `cargo run -p warpwise --features cudarc --example cudarc_interop`. It needs a GPU, and says so
//! without one, where `cudarc` would panic.
#![expect(clippy::print_stdout, reason = "an example reports on the terminal")]
use cudarc::{
    driver::{CudaContext, LaunchConfig as CudarcConfig, PushKernelArg},
    nvrtc::Ptx,
};
use std::error::Error;
use warpwise::{interop, prelude::*};

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    if let Err(error) = Device::cuda(0) {
        println!("this example needs a GPU: {error}");
        return Ok(());
    }
    let n = 1000;
    let stream = CudaContext::new(0)?.new_stream()?;
    let x = stream.clone_htod(&vec![1.0f32; n])?;
    let y = stream.clone_htod(&vec![2.0f32; n])?;

    // Slices and the stream go in, and the slices out again.
    let device = Device::from_cudarc(&stream)?;
    let x = Buffer::from_cudarc(&device, x)?;
    let mut y = Buffer::from_cudarc(&device, y)?;
    saxpy::launch(&device, LaunchConfig::cover(n), 3.0, &x, &mut y)?;
    let (x, mut y) = (x.into_cudarc(&stream)?, y.into_cudarc(&stream)?);
    assert_eq!(stream.clone_dtoh(&y)?, vec![5.0; n]);

    // The kernel's PTX, loaded and launched by `cudarc`.
    let function =
        stream.context().load_module(Ptx::from_src(saxpy::PTX))?.load_function("saxpy")?;
    let flag = device.zeros::<u32>(1)?;
    let flag_address = flag.as_device_ptr().ok_or("the device is a GPU")?;
    let record = stream.clone_htod(&interop::empty_fault_record(flag_address))?;
    device.synchronize()?;
    let mut launch = stream.launch_builder(&function);
    launch.arg(&3.0f32).arg(&x).arg(&n).arg(&mut y).arg(&n).arg(&record);
    // SAFETY: these are the parameters of the kernel, and the flag outlives the copy below.
    #[expect(unsafe_code, reason = "`cudarc` does not know the kernel's parameters")]
    unsafe { launch.launch(CudarcConfig::for_num_elems(n as u32)) }?;
    assert_eq!(stream.clone_dtoh(&y)?, vec![8.0; n]);
    assert_eq!(stream.clone_dtoh(&record)?[0], 0, "no thread failed a check");
    println!("{n} elements of cudarc's, by a kernel of Warpwise, on {device}");
    Ok(())
}
