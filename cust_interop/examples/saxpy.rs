//! A kernel of Warpwise inside of a program that uses `cust`: on its stream, with its buffers, and
//! launched by `cust` itself.
use cust::{
    launch,
    memory::{DeviceBuffer, DevicePointer},
    module::Module,
    stream::{Stream, StreamFlags},
};
use std::{error::Error, sync::Arc};
use warpwise::{interop, prelude::*};

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let _context = match cust::quick_init() {
        Ok(context) => context,
        Err(error) => {
            println!("this example needs a GPU: {error:?}");
            return Ok(());
        }
    };
    let n = 1000;
    let x = DeviceBuffer::from_slice(&vec![1.0f32; n])?;
    let y = DeviceBuffer::from_slice(&vec![2.0f32; n])?;
    let stream = Arc::new(Stream::new(StreamFlags::NON_BLOCKING, None)?);

    // By Warpwise.
    let device = warpwise_cust::device(0, &stream)?;
    // SAFETY: the context above is current, and the copies to the buffers are done.
    #[expect(unsafe_code, reason = "buffers of `cust`'s")]
    let (x, mut y) =
        unsafe { (warpwise_cust::buffer(&device, x)?, warpwise_cust::buffer(&device, y)?) };
    saxpy::launch(&device, LaunchConfig::cover(n), 3.0, &x, &mut y)?;

    // By `cust`, from the kernel's PTX.
    let module = Module::from_ptx(saxpy::PTX, &[])?;
    let function = module.get_function("saxpy")?;
    let flag = DeviceBuffer::from_slice(&[0u32])?;
    let record = interop::empty_fault_record(flag.as_device_ptr().as_raw());
    let record = DeviceBuffer::from_slice(&record)?;
    let no_gpu = "the device is a GPU";
    let x_pointer: DevicePointer<f32> = warpwise_cust::pointer(&x).ok_or(no_gpu)?;
    let y_pointer = warpwise_cust::pointer(&y).ok_or(no_gpu)?;
    let blocks = u32::try_from(n.div_ceil(256))?;
    // SAFETY: these are the parameters of the kernel, on the stream of the device.
    #[expect(unsafe_code, reason = "`cust` does not know the kernel's parameters")]
    unsafe {
        launch!(function<<<blocks, 256, 0, stream>>>(
            3.0f32, x_pointer, n, y_pointer, n, record.as_device_ptr()
        ))
    }?;
    assert_eq!(y.to_vec()?, vec![8.0; n]);
    assert_eq!(record.as_host_vec()?[0], 0, "no thread failed a check");
    println!("{n} elements of cust's, by a kernel of Warpwise, on {device}");
    Ok(())
}
