//! Copies that overlap kernels: an array that a GPU uploads, computes and downloads in chunks, on
//! one stream and on three. While one stream computes a chunk, the others copy the next and the
//! last.
use std::time::Duration;
use warpwise::{PinnedBuffer, Stream, prelude::*};
use warpwise_examples::{report, verify};

const CHUNKS: usize = 24;
const STREAMS: usize = 3;

/// The logistic map, repeated.
#[device]
fn iterate(steps: u32, x: f32) -> f32 {
    let mut x = x;
    for _ in 0..steps {
        x = 3.75 * x * (1.0 - x);
    }
    x
}

#[kernel]
fn iterate_all(steps: u32, x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] = iterate(steps, x[i]);
    }
}

fn initial(i: usize) -> f32 {
    (i % 1000) as f32 / 1000.0
}

/// An array of the host in page-locked chunks, which the GPU copies by itself.
fn host_array(device: &Device, chunk_len: usize) -> warpwise::Result<Vec<PinnedBuffer<f32>>> {
    let mut chunks = Vec::new();
    for chunk in 0..CHUNKS {
        let mut host = device.pinned(chunk_len)?;
        for (i, x) in host.as_mut_slice()?.iter_mut().enumerate() {
            *x = initial(chunk * chunk_len + i);
        }
        chunks.push(host);
    }
    Ok(chunks)
}

/// Computes all chunks, in turns on each of the streams. Returns the time from the first copy to
/// the last.
fn compute(
    device: &Device,
    streams: &[Stream],
    steps: u32,
    chunks: &mut [PinnedBuffer<f32>],
) -> warpwise::Result<Duration> {
    // A copy runs on the stream that its slice was allocated on: one buffer for each stream.
    let len = chunks[0].len();
    let mut buffers: Vec<Buffer<f32>> =
        streams.iter().map(|stream| stream.zeros(len)).collect::<Result<_, _>>()?;
    streams.iter().try_for_each(|stream| stream.synchronize())?;

    let start = device.record_event()?;
    for stream in streams {
        stream.wait_for(&start)?;
    }
    for (i, host) in chunks.iter_mut().enumerate() {
        let (stream, x) = (&streams[i % streams.len()], &mut buffers[i % streams.len()]);
        x.copy_from_pinned(host)?;
        iterate_all::launch(stream, LaunchConfig::cover(len), steps, x)?;
        x.copy_to_pinned(host)?;
    }
    for stream in streams {
        device.wait_for(&stream.record_event()?)?;
    }
    device.record_event()?.elapsed_since(&start)
}

pub(crate) fn main() -> warpwise::Result<()> {
    let device = Device::auto()?;
    // On a GPU the kernel of a chunk takes about as long as one of its copies.
    let (chunk_len, steps) = if device.is_gpu() { (1 << 20, 400) } else { (1 << 12, 20) };
    let streams: Vec<Stream> = (0..STREAMS).map(|_| device.stream()).collect::<Result<_, _>>()?;
    // The first launch of a kernel loads it.
    compute(&device, &streams, steps, &mut host_array(&device, chunk_len)?)?;

    let mut times = Vec::new();
    for streams in [&streams[..1], &streams[..]] {
        let mut chunks = host_array(&device, chunk_len)?;
        times.push(compute(&device, streams, steps, &mut chunks)?);
        for (chunk, host) in chunks.iter().enumerate() {
            let all = chunk * chunk_len..(chunk + 1) * chunk_len;
            verify(host.as_slice()?, all.map(|i| iterate(steps, initial(i))));
        }
    }
    let size = format_args!("{CHUNKS} chunks of {chunk_len} elements on {STREAMS} streams");
    report("streams", size, &device, times[1]);
    // The interpreter does everything in the call that gives it the work, so nothing overlaps.
    if device.is_gpu() {
        println!("on one stream: {:.2?}", times[0]);
    }
    Ok(())
}
