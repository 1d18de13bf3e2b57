//! A pipeline of frames with double buffering. The GPU works on one frame while the host takes the
//! result of the frame before it and makes the one after it: two slots, each with a stream and
//! page-locked memory.
use std::time::Instant;
use warpwise::{PinnedBuffer, Stream, prelude::*};
use warpwise_examples::{report, verify};

const WIDTH: usize = 320;
const HEIGHT: usize = 180;
const FRAMES: usize = 24;

/// The strength of the edge at a pixel, by Sobel's filters; 0 at the border.
#[device]
fn edge(width: usize, frame: &[u8], x: usize, y: usize) -> u8 {
    if x == 0 || y == 0 || x + 1 >= width || (y + 1) * width + x + 1 >= frame.len() {
        return 0;
    }
    let at = |dx: usize, dy: usize| frame[(y + dy - 1) * width + x + dx - 1] as i32;
    let across = at(2, 0) + 2 * at(2, 1) + at(2, 2) - at(0, 0) - 2 * at(0, 1) - at(0, 2);
    let down = at(0, 2) + 2 * at(1, 2) + at(2, 2) - at(0, 0) - 2 * at(1, 0) - at(2, 0);
    (across.abs() + down.abs()).min(255) as u8
}

#[kernel(block = (32, 8))]
fn find_edges(width: usize, frame: &[u8], edges: &mut [u8]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    let i = y * width + x;
    if x < width && i < edges.len() {
        edges[i] = edge(width, frame, x, y);
    }
}

/// Host work: a disc that moves over a gradient.
fn draw(number: usize, frame: &mut [u8]) {
    for (i, pixel) in frame.iter_mut().enumerate() {
        let (x, y) = (i % WIDTH, i / WIDTH);
        let distance = x.abs_diff(40 + 10 * number).pow(2) + y.abs_diff(60 + 2 * number).pow(2);
        *pixel = if distance < 900 { 220 } else { (x / 4) as u8 };
    }
}

/// A place for one frame in the pipeline.
struct Slot {
    stream: Stream,
    host: PinnedBuffer<u8>,
    frame: Buffer<u8>,
    edges: Buffer<u8>,
}

impl Slot {
    fn new(device: &Device) -> warpwise::Result<Self> {
        let (stream, len) = (device.stream()?, WIDTH * HEIGHT);
        let (frame, edges) = (stream.zeros(len)?, stream.zeros(len)?);
        Ok(Self { host: stream.pinned(len)?, frame, edges, stream })
    }

    /// Starts the work of the GPU with the frame in `host`, which its edges replace.
    fn start(&mut self) -> warpwise::Result<()> {
        self.frame.copy_from_pinned(&self.host)?;
        let config = LaunchConfig::cover((WIDTH, HEIGHT));
        find_edges::launch(&self.stream, config, WIDTH, &self.frame, &mut self.edges)?;
        self.edges.copy_to_pinned(&mut self.host)
    }
}

pub(crate) fn main() -> warpwise::Result<()> {
    let device = Device::auto()?;
    let mut slots = [Slot::new(&device)?, Slot::new(&device)?];
    let mut results: Vec<Vec<u8>> = Vec::new();
    let start = Instant::now();
    for number in 0..FRAMES + slots.len() {
        let slot = &mut slots[number % 2];
        if number >= 2 {
            // Waits for this slot. The GPU goes on with the other one.
            results.push(slot.host.as_slice()?.to_vec());
        }
        if number < FRAMES {
            draw(number, slot.host.as_mut_slice()?);
            slot.start()?;
        }
    }
    let took = start.elapsed();

    let mut frame = vec![0; WIDTH * HEIGHT];
    assert_eq!(results.len(), FRAMES, "every frame comes out");
    for (number, edges) in results.iter().enumerate() {
        draw(number, &mut frame);
        let expected = (0..frame.len()).map(|i| edge(WIDTH, &frame, i % WIDTH, i / WIDTH));
        verify(edges, expected);
    }
    report("pinned_pipeline", format_args!("{FRAMES} frames of {WIDTH} x {HEIGHT}"), &device, took);
    Ok(())
}
