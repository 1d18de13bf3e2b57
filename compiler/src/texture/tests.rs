//! Tests of the results of texture reads.
use super::*;
use crate::ir::{TextureRead, TextureShape};

/// A texture of one `f32` channel.
fn texture(width: u32, height: u32) -> Descriptor {
    Descriptor {
        extents: [width, height, 1],
        levels: 1,
        channel: ChannelType::F32,
        channels: 1,
        reads_normalized: false,
        filter: Filter::Point,
        mipmap_filter: Filter::Point,
        address: [AddressMode::Clamp; 3],
        normalized: false,
    }
}

const SAMPLE: TextureOp =
    TextureOp { shape: TextureShape::D2, read: TextureRead::Sample, word: TextureWord::F32 };

/// Reads a texture whose texel number `i` has the value `i + 1`.
fn sample(descriptor: &Descriptor, x: f32, y: f32) -> f32 {
    let load = |at: u64, _| u64::from((at as f32 / 4.0 + 1.0).to_bits());
    let operands = ReadOperands { layer: 7, ..ReadOperands::at([x, y, 0.0]) };
    f32::from_bits(descriptor.read(SAMPLE, &operands, 0, load))
}

#[test]
fn headers_lead_back_to_descriptors() {
    for channel in ChannelType::ALL {
        for mode in AddressMode::ALL {
            let descriptor = Descriptor {
                extents: [70_000, 3, 2],
                levels: 16,
                channel,
                channels: 4,
                filter: Filter::Linear,
                mipmap_filter: Filter::Linear,
                address: [mode, AddressMode::Wrap, AddressMode::Border],
                normalized: true,
                ..texture(1, 1)
            };
            assert_eq!(Descriptor::from_header(&descriptor.to_header()), Some(descriptor));
        }
    }
    assert_eq!(Descriptor::from_header(&[0; HEADER_BYTES]), None);
    assert_eq!(Descriptor::from_header(&[0xff; HEADER_BYTES]), None);
}

#[test]
fn points_read_the_texel_that_covers_them() {
    let image = texture(3, 2);
    let reads = [(0.0, 1.0), (0.99, 1.0), (1.0, 2.0), (2.5, 3.0), (9.0, 3.0), (-5.0, 1.0)];
    for (x, expected) in reads {
        assert_eq!(sample(&image, x, 0.5), expected, "{x}");
    }
    assert_eq!(sample(&image, 1.5, 1.5), 5.0);
    assert_eq!(sample(&image, 1.5, 7.0), 5.0);
    assert_eq!(sample(&image, f32::INFINITY, f32::NEG_INFINITY), 3.0);
}

#[test]
fn address_modes_name_the_texels_outside() {
    let row = |mode, x| {
        let image = Descriptor { address: [mode; 3], normalized: true, ..texture(4, 1) };
        sample(&image, x, 0.0)
    };
    let coords: Vec<f32> = (-6..=9).map(|i| i as f32 / 4.0 + 0.125).collect();
    let read = |mode| coords.iter().map(|x| row(mode, *x)).collect::<Vec<_>>();
    let expect = |texels: [u8; 16]| texels.map(f32::from).to_vec();
    assert_eq!(read(AddressMode::Wrap), expect([3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2]));
    assert_eq!(read(AddressMode::Clamp), expect([1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 4, 4, 4]));
    assert_eq!(read(AddressMode::Mirror), expect([3, 4, 4, 3, 2, 1, 1, 2, 3, 4, 4, 3, 2, 1, 1, 2]));
    assert_eq!(read(AddressMode::Border), expect([0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0]));
}

#[test]
fn weights_of_a_linear_filter_have_8_bits() {
    let image = Descriptor { filter: Filter::Linear, ..texture(2, 2) };
    assert_eq!(sample(&image, 0.5, 0.5), 1.0);
    assert_eq!(sample(&image, 1.0, 0.5), 1.5);
    assert_eq!(sample(&image, 1.0, 1.0), 2.5);
    assert_eq!(sample(&image, 0.5 + 1.0 / 256.0, 0.5), 1.0 + 1.0 / 256.0);
    assert_eq!(sample(&image, 0.5 + 1.0 / 1024.0, 0.5), 1.0);
    assert_eq!(sample(&image, 0.0, 0.0), 1.0);
    let border = Descriptor { address: [AddressMode::Border; 3], ..image };
    assert_eq!(sample(&border, 0.0, 0.5), 0.5);
    assert_eq!(sample(&border, 0.0, 0.0), 0.25);
}

#[test]
fn weights_of_several_dimensions_are_rounded_to_8_bits() {
    // Measured: the weights that explain reads of a volume.
    for (fractions, expected) in [
        ([155, 237, 2], [7, 11, 93, 143, 0, 0, 1, 1]),
        ([72, 176, 201], [13, 5, 27, 10, 45, 18, 99, 39]),
        ([24, 178, 112], [40, 4, 90, 10, 31, 3, 70, 8]),
    ] {
        assert_eq!(filter::weights(3, fractions, 256), expected);
    }
    assert_eq!(filter::weights(2, [240, 246, 0], 256), [1, 9, 15, 231, 0, 0, 0, 0]);
    assert_eq!(filter::weights(1, [16, 0, 0], 256), [240, 16, 0, 0, 0, 0, 0, 0]);
}

/// Sums that were measured.
#[test]
fn sums_are_rounded_as_hardware_rounds_them() {
    let sum = |channel, texels: &[(u32, i64)]| {
        let texel = |(bits, weight): &(u32, i64)| Texel { bits: *bits, weight: *weight, layer: 0 };
        let texels: Vec<_> = texels.iter().map(texel).collect();
        f32::from_bits(filter::weighted_sum(channel, &texels))
    };
    let floats = |a: f32, b: f32, second| {
        sum(ChannelType::F32, &[(a.to_bits(), 256 - second), (b.to_bits(), second)])
    };
    // A half, away from 0.
    assert_eq!(floats(0.448223, -0.14734542, 16), 0.410_999_98);
    assert_eq!(floats(-2e-38, 1e-38, 41), -1.679_687_6e-38);
    assert_eq!(floats(-2e-38, 1e-38, 123).to_bits(), (-0.0_f32).to_bits());
    assert!(floats(f32::INFINITY, f32::NEG_INFINITY, 1).is_nan());
    let bytes = |a: u32, b: u32, second| sum(ChannelType::U8, &[(a, 256 - second), (b, second)]);
    assert_eq!(bytes(114, 66, 37) * 65535.0, 27515.0);
    let halves = [(0x3c00, 128), (0x3c01, 128)];
    assert_eq!(sum(ChannelType::F16, &halves), 1.0 + 1.0 / 1024.0);
}

#[test]
fn integers_are_read_as_themselves_or_normalized() {
    let read = |channel, reads_normalized, bits: u64| {
        let image = Descriptor { channel, reads_normalized, ..texture(1, 1) };
        image.read(SAMPLE, &ReadOperands::at([0.5; 3]), 0, |_, _| bits)
    };
    let float = |channel, bits| f32::from_bits(read(channel, true, bits));
    assert_eq!(read(ChannelType::U8, false, 200), 200);
    assert_eq!(read(ChannelType::I8, false, 0xfe) as i32, -2);
    assert_eq!(read(ChannelType::I16, false, 0x8000) as i32, -32768);
    assert_eq!(float(ChannelType::U8, 255), 1.0);
    assert_eq!(float(ChannelType::U8, 51), 0.2);
    assert_eq!(float(ChannelType::I8, 0x80), -1.0);
    assert_eq!(float(ChannelType::I16, 0x7fff), 1.0);
    assert_eq!(f32::from_bits(read(ChannelType::F16, false, 0x3c00)), 1.0);
}

#[test]
fn a_gather_reads_four_texels_counterclockwise() {
    let op = TextureOp { read: TextureRead::GatherR, ..SAMPLE };
    let load = |at: u64, _| u64::from((at as f32 / 4.0 + 1.0).to_bits());
    let operands = ReadOperands::at([1.0, 1.0, 0.0]);
    let texels =
        [0, 1, 2, 3].map(|word| f32::from_bits(texture(2, 2).read(op, &operands, word, load)));
    assert_eq!(texels, [3.0, 4.0, 2.0, 1.0]);
}

#[test]
fn a_layer_that_is_too_large_is_the_last_one() {
    let op = TextureOp { shape: TextureShape::D1Layered, ..SAMPLE };
    let rows = Descriptor { extents: [4, 1, 3], ..texture(4, 1) };
    let load = |at: u64, _| u64::from((at as f32 / 4.0 + 1.0).to_bits());
    let read = |layer| {
        let operands = ReadOperands { layer, ..ReadOperands::at([1.5, 0.0, 0.0]) };
        f32::from_bits(rows.read(op, &operands, 0, load))
    };
    assert_eq!([0, 1, 2, 3, u32::MAX].map(read), [2.0, 6.0, 10.0, 10.0, 10.0]);
}

/// A texture of three levels with normalized coordinates: 16 texels that are 1 to 16, 4 and 1.
fn levels(filter: Filter, mipmap_filter: Filter) -> Descriptor {
    Descriptor { levels: 3, filter, mipmap_filter, normalized: true, ..texture(4, 4) }
}

/// Reads `texture` at the center of the first texel of the first level.
fn sample_detail(texture: &Descriptor, detail: Detail) -> f32 {
    let load = |at: u64, _| u64::from((at as f32 / 4.0 + 1.0).to_bits());
    let operands = ReadOperands { detail, ..ReadOperands::at([0.125, 0.125, 0.0]) };
    f32::from_bits(texture.read(SAMPLE, &operands, 0, load))
}

#[test]
fn levels_have_half_the_extents_and_at_least_one_texel() {
    let image = Descriptor { levels: 4, ..texture(9, 2) };
    let extents = [0, 1, 2, 3].map(|level| image.level_extents(level));
    assert_eq!(extents, [[9, 2, 1], [4, 1, 1], [2, 1, 1], [1, 1, 1]]);
    let first_texels = [0, 18, 22, 24].map(|texel| image.locate(4 * texel));
    assert_eq!(first_texels, [0, 1, 2, 3].map(|level| Some([0, 0, level])));
    assert_eq!([image.locate(4 * 23), image.locate(4 * 25)], [Some([1, 0, 2]), None]);
}

#[test]
fn the_nearest_level_is_read_or_the_sum_of_two() {
    let nearest = levels(Filter::Point, Filter::Point);
    for (level, expected) in [
        (0.0, 1.0),
        (0.4, 1.0),
        (0.6, 17.0),
        (1.4, 17.0),
        (1.6, 21.0),
        (2.0, 21.0),
        (1e30, 21.0),
        (-3.0, 1.0),
        (f32::NEG_INFINITY, 1.0),
        (f32::INFINITY, 21.0),
    ] {
        assert_eq!(sample_detail(&nearest, Detail::Level(level)), expected, "{level}");
    }
    let between = levels(Filter::Point, Filter::Linear);
    for (level, expected) in [
        (0.0, 1.0),
        (0.5, 9.0),
        (1.0 / 256.0, 1.0625),
        (1.0 / 1024.0, 1.0),
        (1.0, 17.0),
        (1.25, 18.0),
        (2.0, 21.0),
        (2.5, 21.0),
    ] {
        assert_eq!(sample_detail(&between, Detail::Level(level)), expected, "{level}");
    }
    // The center of the first texel of the first level is a quarter of a texel before that of the
    // second level, which is clamped.
    let linear = levels(Filter::Linear, Filter::Linear);
    assert_eq!(sample_detail(&linear, Detail::Level(0.5)), 9.0);
    assert_eq!(sample_detail(&linear, Detail::Base), 1.0);
}

#[test]
fn the_longer_gradient_selects_the_level() {
    let image = levels(Filter::Point, Filter::Linear);
    let texel = 0.25;
    for (gradients, expected) in [
        ([[texel, 0.0], [0.0, texel]], 1.0),
        ([[2.0 * texel, 0.0], [0.0, texel]], 17.0),
        ([[0.0, 0.0], [0.0, -2.0 * texel]], 17.0),
        ([[texel, 0.0], [4.0 * texel, 0.0]], 21.0),
        ([[0.5 * texel, 0.0], [0.0, 0.0]], 1.0),
        ([[0.0; 2]; 2], 1.0),
        ([[f32::INFINITY, 0.0], [0.0; 2]], 21.0),
        // The square root of two is estimated as 1 + 11/32, whose level is 110/256.
        ([[texel, texel], [0.0; 2]], 1.0 + 16.0 * 110.0 / 256.0),
        ([[2.0 * texel, -2.0 * texel], [texel, texel]], 17.0 + 4.0 * 110.0 / 256.0),
        // The longer axis of an ellipse of two equal gradients: 2 * 11/16, and 118/256.
        ([[texel, 0.0], [texel, 0.0]], 1.0 + 16.0 * 118.0 / 256.0),
        ([[texel, 0.0], [-texel, 0.0]], 1.0 + 16.0 * 118.0 / 256.0),
    ] {
        assert_eq!(sample_detail(&image, Detail::Gradients(gradients)), expected, "{gradients:?}");
    }
    // A texel of the longer dimension is a smaller step of its coordinate.
    let wide = Descriptor { extents: [8, 4, 1], ..image };
    let along = |gradient| sample_detail(&wide, Detail::Gradients([gradient, [0.0; 2]]));
    assert_eq!([along([0.25, 0.0]), along([0.0, 0.25])], [33.0, 2.0]);
}

/// Levels of detail that were measured.
#[test]
fn logarithms_of_gradients_are_those_of_hardware() {
    let image = Descriptor { levels: 16, extents: [1 << 15, 1, 1], ..texture(1, 1) };
    let image = Descriptor { mipmap_filter: Filter::Linear, ..image };
    let detail = |length: f32| {
        let (level, weight) = image.split_detail(Detail::Gradients([[length, 0.0], [0.0; 2]]));
        i64::from(level) * 256 + weight
    };
    let measured =
        [(0, 0), (1, 2), (61, 79), (86, 107), (117, 139), (170, 188), (254, 255), (255, 255)];
    for (numerator, expected) in measured {
        let length = 1.0 + numerator as f32 / 256.0;
        assert_eq!(detail(length), expected, "{length}");
        assert_eq!(detail(8.0 * length + 0.03), 3 * 256 + expected, "{length}");
    }
    for i in 1..2000 {
        let length = i as f32 * 1.37;
        let error = detail(length) as f64 / 256.0 - f64::from(length).log2();
        assert!(error.abs() < 1.5 / 256.0, "{length}: {error}");
    }
}

/// Weights that were measured: of the texels of two levels, and the level of detail is rounded
/// down.
#[test]
fn two_levels_are_weighted_as_the_layers_of_a_volume() {
    assert_eq!(filter::weights(2, [155, 237, 0], 254)[..4], [7, 11, 93, 143]);
    assert_eq!(filter::weights(2, [155, 237, 0], 2)[..4], [0, 0, 1, 1]);
    let between = levels(Filter::Point, Filter::Linear);
    assert_eq!(sample_detail(&between, Detail::Level(1.9 / 256.0)), 1.0625);
    let nearest = levels(Filter::Point, Filter::Point);
    assert_eq!(sample_detail(&nearest, Detail::Level(0.4999)), 1.0);
    assert_eq!(sample_detail(&nearest, Detail::Level(0.5)), 17.0);
}

#[test]
fn operands_follow_the_shape_and_the_kind_of_read() {
    let bits = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0].map(f32::to_bits);
    let read = |name| ReadOperands::from_bits(TextureOp::from_name(name).unwrap(), bits);
    let at = ReadOperands { layer: bits[0], ..ReadOperands::at([1.0, 2.0, 0.0]) };
    assert_eq!(read("2d.sample.f32"), at);
    assert_eq!(read("2d.gather_r.f32"), at);
    assert_eq!(read("2d.sample_level.f32"), ReadOperands { detail: Detail::Level(3.0), ..at });
    let gradients = Detail::Gradients([[3.0, 4.0], [5.0, 6.0]]);
    assert_eq!(read("2d.sample_gradient.f32"), ReadOperands { detail: gradients, ..at });
    assert_eq!(read("a2d.sample.f32"), ReadOperands { coords: [2.0, 3.0, 0.0], ..at });
    assert_eq!(read("3d.sample.f32"), ReadOperands { coords: [1.0, 2.0, 3.0], ..at });
}
