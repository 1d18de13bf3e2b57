//! Reads of textures: results, counted sectors, and undefined coordinates.
use super::number;
use crate::{
    Arg, CheckedProgram, Checks, Counters, CountingProgram, Launch, Memory, Outcome,
    bytecode::Requests,
};
use warpwise_compiler::{
    ir::Kernel,
    texture::{AddressMode, ChannelType, Descriptor, Filter, HEADER_BYTES},
    verify::verify,
};

/// Returns a texture of `f32`s, of which texel number `i` is `i`, as the interpreter keeps it.
fn texture(extents: [u32; 3], filter: Filter) -> Memory {
    in_memory(&descriptor(extents, filter))
}

fn descriptor(extents: [u32; 3], filter: Filter) -> Descriptor {
    Descriptor {
        extents,
        levels: 1,
        channel: ChannelType::F32,
        channels: 1,
        reads_normalized: false,
        filter,
        mipmap_filter: Filter::Point,
        address: [AddressMode::Clamp; 3],
        normalized: false,
    }
}

fn in_memory(descriptor: &Descriptor) -> Memory {
    let texels = (0..descriptor.levels).map(|level| descriptor.level_texels(level)).sum::<u64>();
    let memory = Memory::zeroed(HEADER_BYTES + 4 * texels as usize);
    memory.write(0, &descriptor.to_header());
    let texels: Vec<u8> = (0..texels).flat_map(|i| (i as f32).to_le_bytes()).collect();
    memory.write(HEADER_BYTES, &texels);
    memory
}

/// Returns a kernel that stores what it samples at `%x` and `%y`, which `inside` computes from the
/// thread's index `%t`, an `f32` of which is `%f`.
fn sampling(inside: &str) -> Kernel {
    reading("sample.f32 arg0, %x, %y", inside)
}

/// Returns a kernel that stores the result of a read.
fn reading(read: &str, inside: &str) -> Kernel {
    let text = number(&format!(
        "kernel k {{
            param arg0 = image: texture [f32] !0
            param arg1 = out: write [f32] !0
            shared @0 = tile: [f32; 32] !0
            %t = builtin thread_idx.x : u32 !0
            %f = cast %t : f32 !0
            %half = const 0.5 : f32 !0
            %8 = const 8 : u32 !0
            {inside}
            %r = texture.2d.{read}, word 0 : f32 !1
            %out = param arg1 : ptr global !0
            %at = index %out, %t, 4 : ptr global !0
            %s = store %at, %r !2
        }}"
    ));
    let kernel: Kernel = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    verify(&kernel).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    kernel
}

/// Runs a kernel with 32 threads on a texture of 64 by 64; returns the results and the counts.
fn run(kernel: &Kernel, filter: Filter) -> (Vec<f32>, Counters) {
    run_on(kernel, &texture([64, 64, 1], filter))
}

fn run_on(kernel: &Kernel, image: &Memory) -> (Vec<f32>, Counters) {
    let out = Memory::zeroed(128);
    let args = [
        Arg::Slice { memory: image, offset: 0, len: image.len() as u64 },
        Arg::Slice { memory: &out, offset: 0, len: 32 },
    ];
    let launch =
        Launch { grid: [1; 3], block: [32, 1, 1], args: &args, workers: None, steps: None };
    let (outcome, counters) = CountingProgram::new(kernel, Requests::Vectors).run(&launch);
    assert_eq!(outcome, Outcome::default());
    let mut bytes = [0; 128];
    out.read_into(0, &mut bytes);
    let floats = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    (floats.collect(), counters)
}

const ROW: &str = "%x = add %f, %half : f32 !0 %y = add %half, %half : f32 !0";
const COLUMN: &str = "%x = add %half, %half : f32 !0 %y = add %f, %half : f32 !0";
const TILE: &str = "%c = rem %t, %8 : u32 !0 %d = div %t, %8 : u32 !0
    %cf = cast %c : f32 !0 %df = cast %d : f32 !0
    %x = add %cf, %half : f32 !0 %y = add %df, %half : f32 !0";

#[test]
fn rows_columns_and_tiles_take_different_sectors() {
    let texels = |texel: fn(usize) -> usize| (0..32).map(|i| texel(i) as f32).collect::<Vec<_>>();
    let expected = [
        (ROW, texels(|i| 64 + i), 8),
        (COLUMN, texels(|i| 64 * i + 1), 16),
        (TILE, texels(|i| i / 8 * 64 + i % 8), 8),
    ];
    for (walk, texels, sectors) in expected {
        let (got, counters) = run(&sampling(walk), Filter::Point);
        assert_eq!(got, texels);
        let reads = counters.total().texture_reads;
        assert_eq!((reads.requests, reads.sectors, reads.ideal), (8, sectors, 8));
    }
}

#[test]
fn a_linear_filter_reads_the_texels_with_a_weight() {
    let (got, counters) = run(&sampling(ROW), Filter::Linear);
    // Between the rows 0 and 1.
    assert_eq!(got, (0..32).map(|i| i as f32 + 32.0).collect::<Vec<_>>());
    let reads = counters.total().texture_reads;
    assert_eq!((reads.requests, reads.sectors, reads.ideal), (8, 8, 8));
}

#[test]
fn a_read_is_one_instruction_for_all_words() {
    let words = format!("{ROW} %q = texture.2d.sample.f32 arg0, %x, %y, word 1 : f32 !1");
    let (_, one) = run(&sampling(ROW), Filter::Point);
    let (_, counters) = run(&sampling(&words), Filter::Point);
    assert_eq!(counters.total().texture_reads, one.total().texture_reads);
    assert_eq!(counters.total().warp_instructions, one.total().warp_instructions);
}

#[test]
fn a_read_between_levels_takes_the_sectors_of_both() {
    let descriptor = Descriptor {
        levels: 3,
        mipmap_filter: Filter::Linear,
        normalized: true,
        ..descriptor([64, 64, 1], Filter::Point)
    };
    let image = in_memory(&descriptor);
    let row = "%texel = const 0.015625 : f32 !0 %shifted = add %f, %half : f32 !0
        %x = mul %shifted, %texel : f32 !0 %y = mul %half, %texel : f32 !0
        %zero = const 0.0 : f32 !0 %one = const 1.0 : f32 !0 %two = add %texel, %texel : f32 !0";
    // Texel `i` of the first level lies in texel `i / 2` of the second.
    let value = |i: i32, weight: f32| i as f32 * (1.0 - weight) + (4096 + i / 2) as f32 * weight;
    let reads = [
        ("sample.f32 arg0, %x, %y", 0.0, 8),
        ("sample_level.f32 arg0, %x, %y, %zero", 0.0, 8),
        ("sample_level.f32 arg0, %x, %y, %half", 0.5, 16),
        ("sample_level.f32 arg0, %x, %y, %one", 1.0, 8),
        ("sample_gradient.f32 arg0, %x, %y, %two, %zero, %zero, %texel", 1.0, 8),
    ];
    for (read, weight, sectors) in reads {
        let (got, counters) = run_on(&reading(read, row), &image);
        assert_eq!(got, (0..32).map(|i| value(i, weight)).collect::<Vec<_>>(), "{read}");
        let reads = counters.total().texture_reads;
        assert_eq!((reads.requests, reads.sectors, reads.ideal), (8, sectors, 8), "{read}");
    }
}

#[test]
fn results_of_undefined_operands_are_undefined() {
    let shared = "%base = shared @0 : ptr shared !0
        %place = index %base, %t, 4 : ptr shared !0
        %x = load %place : f32 !3 %y = add %half, %half : f32 !0";
    let (image, out) = (texture([4, 4, 1], Filter::Point), Memory::zeroed(128));
    let args = [
        Arg::Slice { memory: &image, offset: 0, len: image.len() as u64 },
        Arg::Slice { memory: &out, offset: 0, len: 32 },
    ];
    let launch =
        Launch { grid: [1; 3], block: [32, 1, 1], args: &args, workers: None, steps: None };
    let at_level = shared.replace("%x", "%level") + " %x = add %half, %half : f32 !0";
    let level = reading("sample_level.f32 arg0, %x, %y, %level", &at_level);
    let gradient = "sample_gradient.f32 arg0, %x, %y, %half, %half, %half, %level";
    let gradient = reading(gradient, &at_level);
    for (kernel, findings) in
        [(sampling(shared), 1), (sampling(TILE), 0), (level, 1), (gradient, 1)]
    {
        let (outcome, found) = CheckedProgram::new(&kernel).run(&launch, Checks::ALL);
        assert_eq!((outcome, found.len()), (Outcome::default(), findings), "{found:?}");
    }
}
