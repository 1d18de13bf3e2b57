//! The results of texture reads: the meaning of [`Op::Texture`](crate::ir::Op::Texture) in numbers.
//!
//! The rules are those of the section "Texture Fetching" of the CUDA programming guide. Texel `i`
//! of `n` covers the coordinates from `i` to `i + 1`, or from `i / n` to `(i + 1) / n` if they are
//! normalized.
//!
//! - [`Filter::Point`] reads the texel that covers the coordinates: `floor(x)`.
//! - [`Filter::Linear`] reads the two texels along each dimension whose centers surround the
//!   coordinate, and weights them. `x - 0.5` is rounded to 8 bits behind the point; its integer
//!   part is the first texel, and its fraction the weight of the second. [`filter`] computes the
//!   sum.
//! - A texel outside of the texture is another texel, or 0, as its [`AddressMode`] says.
//!
//! The guide leaves the precision open. It is that of an H200 here, found from 40 million reads:
//! normalized coordinates are multiples of `2^-21` (rounded down; finer for more than 8192 texels),
//! weights have 8 bits also in products of two and three, and sums are rounded as [`filter`] says.
//! The result is unspecified for coordinates that are not finite, and for channels that the texture
//! does not have.
//!
//! A read of a layered texture names the layer; a number that is too large is the last one.
//!
//! A texture may have several levels, each of half the extents of the one before. The level of
//! detail of a read is cut to 8 bits behind the point, and is at least 0 and at most the last
//! level. [`Descriptor::mipmap_filter`] reads the nearest level, the upper one of two, or both
//! levels around the level of detail, as the layers of a volume with its fraction as their
//! coordinate. Gradients have the level of detail that is the logarithm of their length in texels
//! of the first level; [`levels`] says how it is rounded.
//!
//! The interpreter keeps a texture in memory: a header ([`Descriptor::to_header`]), then the
//! texels, the first coordinate fastest, level by level.
use crate::{
    half,
    ir::{TextureOp, TextureRead, TextureWord},
};
use filter::Texel;
use std::cell::RefCell;

mod filter;
mod levels;

/// Bytes of the header.
pub const HEADER_BYTES: usize = 64;

/// The bits of a weight behind the point.
const WEIGHT_BITS: u32 = 8;
/// The weight of a texel that is the whole result.
const WHOLE: i64 = 1 << WEIGHT_BITS;

/// The type of a channel in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in Rust")]
pub enum ChannelType {
    U8,
    U16,
    U32,
    I8,
    I16,
    I32,
    F16,
    F32,
}

impl ChannelType {
    const ALL: [Self; 8] =
        [Self::U8, Self::U16, Self::U32, Self::I8, Self::I16, Self::I32, Self::F16, Self::F32];

    /// Returns the size in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
        }
    }
}

/// The rule for texels outside of the texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// The texture repeats. Needs normalized coordinates.
    Wrap,
    /// The texel at the border.
    #[default]
    Clamp,
    /// The texture repeats, every other time reversed. Needs normalized coordinates.
    Mirror,
    /// Zero.
    Border,
}

impl AddressMode {
    const ALL: [Self; 4] = [Self::Wrap, Self::Clamp, Self::Mirror, Self::Border];
}

/// The rule by which texels make a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The texel that covers the coordinates.
    #[default]
    Point,
    /// The weighted sum of the texels around them.
    Linear,
}

/// The operands of a read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadOperands {
    /// The layer, if the shape has some.
    pub layer: u32,
    /// The coordinates; those of dimensions that the shape does not have are ignored.
    pub coords: [f32; 3],
    /// The level of detail.
    pub detail: Detail,
}

/// The level of detail of a read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Detail {
    /// The first level.
    Base,
    /// A level, and a fraction of the way to the next one.
    Level(f32),
    /// The changes of x and y for a step along each of two axes.
    Gradients([[f32; 2]; 2]),
}

impl ReadOperands {
    /// Makes the operands of a read at coordinates of the first level.
    pub const fn at(coords: [f32; 3]) -> Self {
        Self { layer: 0, coords, detail: Detail::Base }
    }

    /// Makes the operands of a read from the bits of an instruction's.
    pub fn from_bits(op: TextureOp, bits: [u32; TextureOp::MAX_ARGS]) -> Self {
        let layers = usize::from(op.shape.is_layered());
        let float = |at: usize| bits.get(layers + at).map_or(0.0, |bits| f32::from_bits(*bits));
        let dims = op.shape.dims();
        let mut coords = [0.0; 3];
        coords.iter_mut().enumerate().take(dims).for_each(|(dim, coord)| *coord = float(dim));
        let detail = match op.read {
            TextureRead::SampleLevel => Detail::Level(float(dims)),
            TextureRead::SampleGradient => {
                Detail::Gradients([0, 2].map(|axis| [0, 1].map(|dim| float(dims + axis + dim))))
            }
            TextureRead::Sample
            | TextureRead::GatherR
            | TextureRead::GatherG
            | TextureRead::GatherB
            | TextureRead::GatherA => Detail::Base,
        };
        Self { layer: bits[0], coords, detail }
    }
}

/// Everything about a texture but its texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Texels along x, y and z; 1 along dimensions that the texture does not have. The layers of a
    /// layered texture are along z.
    pub extents: [u32; 3],
    /// The number of levels, at least 1.
    pub levels: u32,
    /// The type of the channels.
    pub channel: ChannelType,
    /// The number of channels: 1, 2 or 4.
    pub channels: u32,
    /// True if integers are read as floats from 0 to 1, or from -1 to 1.
    pub reads_normalized: bool,
    /// The filter of the texels of a level.
    pub filter: Filter,
    /// The filter of the levels.
    pub mipmap_filter: Filter,
    /// The address modes along x, y and z.
    pub address: [AddressMode; 3],
    /// True if the coordinates of the whole texture are 0 to 1.
    pub normalized: bool,
}

impl Descriptor {
    /// Returns the bytes of a texel.
    pub const fn texel_bytes(&self) -> usize {
        self.channel.bytes() * self.channels as usize
    }

    /// Returns the type of the words that are read.
    pub const fn word(&self) -> TextureWord {
        match self.channel {
            _ if self.reads_normalized => TextureWord::F32,
            ChannelType::U8 | ChannelType::U16 | ChannelType::U32 => TextureWord::U32,
            ChannelType::I8 | ChannelType::I16 | ChannelType::I32 => TextureWord::I32,
            ChannelType::F16 | ChannelType::F32 => TextureWord::F32,
        }
    }

    /// Writes the texture's header in the memory of the interpreter.
    pub fn to_header(&self) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        for (bytes, extent) in header.chunks_exact_mut(4).zip(self.extents) {
            bytes.copy_from_slice(&extent.to_le_bytes());
        }
        header[12] = self.channel as u8;
        header[13] = self.channels as u8;
        header[14] = self.reads_normalized.into();
        header[15] = self.filter as u8;
        for (byte, mode) in header[16..].iter_mut().zip(self.address) {
            *byte = mode as u8;
        }
        header[19] = self.normalized.into();
        header[20] = self.levels as u8;
        header[21] = self.mipmap_filter as u8;
        header
    }

    /// Reads a texture's header; `None` if it is none.
    pub fn from_header(header: &[u8; HEADER_BYTES]) -> Option<Self> {
        let extent = |at: usize| {
            let bytes: [u8; 4] = header.get(at * 4..at * 4 + 4)?.try_into().ok()?;
            Some(u32::from_le_bytes(bytes)).filter(|extent| *extent > 0)
        };
        let mode = |at: usize| AddressMode::ALL.get(usize::from(header[at])).copied();
        let filter = |at: usize| if header[at] == 0 { Filter::Point } else { Filter::Linear };
        Some(Self {
            extents: [extent(0)?, extent(1)?, extent(2)?],
            levels: header[20].into(),
            channel: ChannelType::ALL.get(usize::from(header[12])).copied()?,
            channels: u32::from(header[13]),
            reads_normalized: header[14] != 0,
            filter: filter(15),
            mipmap_filter: filter(21),
            address: [mode(16)?, mode(17)?, mode(18)?],
            normalized: header[19] != 0,
        })
    }

    /// Returns the bits of word `word` of a read. `load` returns so many bytes at an offset from
    /// the first texel, as an integer.
    pub fn read(
        &self,
        op: TextureOp,
        operands: &ReadOperands,
        word: u8,
        load: impl Fn(u64, usize) -> u64,
    ) -> u32 {
        let ReadOperands { layer, coords, detail } = *operands;
        if let Some(channel) = op.read.gathered_channel() {
            return self.gather(coords, channel, word, &load);
        }
        let layer = if op.shape.is_layered() { layer.min(self.extents[2] - 1) } else { 0 };
        let (place, channel) = ((op.shape.dims(), layer), usize::from(word));
        let (level, weight) = self.split_detail(detail);
        let is_sum = self.filter == Filter::Linear || weight > 0;
        if !(is_sum && self.word() == TextureWord::F32) {
            let (image, start) = self.level(level);
            let texel = image.nearest_texel(place, coords);
            return image.bits(texel, channel, &|at, bytes| load(start + at, bytes));
        }
        let mut texels = Vec::with_capacity(8);
        for (second, weight) in [WHOLE - weight, weight].into_iter().enumerate() {
            if weight > 0 {
                let (image, start) = self.level(level + second as u32);
                let load = |at, bytes| load(start + at, bytes);
                image.collect_texels(place, coords, channel, (second, weight), &load, &mut texels);
            }
        }
        filter::weighted_sum(self.channel, &texels)
    }

    /// Adds the texels that a read makes its results of to a list: indices along x and y, and along
    /// z, or the layer or the level.
    pub fn list_texels(&self, op: TextureOp, operands: &ReadOperands, texels: &mut Vec<[u32; 3]>) {
        let words = if op.read.gathered_channel().is_some() { TextureOp::WORDS } else { 1 };
        let found = RefCell::new(texels);
        for word in 0..words {
            self.read(op, operands, word, |at, _| {
                found.borrow_mut().extend(self.locate(at));
                0
            });
        }
    }

    /// Returns the texel at an offset from the first one.
    fn locate(&self, at: u64) -> Option<[u32; 3]> {
        let mut index = at / self.texel_bytes().max(1) as u64;
        for level in 0..self.levels {
            let texels = self.level_texels(level);
            if index < texels {
                let [width, height, _] = self.level_extents(level).map(u64::from);
                let [x, y] = [index % width, index / width % height].map(|index| index as u32);
                return Some([x, y, (index / width / height) as u32 + level]);
            }
            index -= texels;
        }
        None
    }

    /// Returns a level as a texture of its own, and where its texels begin.
    fn level(&self, level: u32) -> (Self, u64) {
        let earlier = (0..level).map(|level| self.level_texels(level)).sum::<u64>();
        let image = Self { extents: self.level_extents(level), ..*self };
        (image, earlier * self.texel_bytes() as u64)
    }

    /// Returns the texel that covers the coordinates; `None` at the border.
    fn nearest_texel(&self, place: (usize, u32), coords: [f32; 3]) -> Option<[u32; 3]> {
        map_dims(place, |dim| self.resolve(self.position(coords[dim], dim).floor() as i64, dim))
    }

    /// Reads a channel of one of the texels around the coordinates: counterclockwise, the lower
    /// left one first.
    fn gather(
        &self,
        coords: [f32; 3],
        channel: usize,
        number: u8,
        load: &impl Fn(u64, usize) -> u64,
    ) -> u32 {
        let [right, below] = match number {
            0 => [0, 1],
            1 => [1, 1],
            2 => [1, 0],
            _ => [0, 0],
        };
        let texel = map_dims((2, 0), |dim| {
            let first = self.fixed_position(coords[dim], dim) >> WEIGHT_BITS;
            self.resolve(first + if dim == 0 { right } else { below }, dim)
        });
        self.bits(texel, channel, load)
    }

    /// Appends the texels that the filter reads of this level, whose weights sum up to the level's.
    fn collect_texels(
        &self,
        (dims, layer): (usize, u32),
        coords: [f32; 3],
        channel: usize,
        (level, weight): (usize, i64),
        load: &impl Fn(u64, usize) -> u64,
        texels: &mut Vec<Texel>,
    ) {
        if self.filter == Filter::Point {
            let bits = self.raw_bits(self.nearest_texel((dims, layer), coords), channel, load);
            texels.push(Texel { bits, weight, layer: level });
            return;
        }
        let mut first = [0; 3];
        let mut fractions = [0; 3];
        for dim in 0..dims {
            let position = self.filter_position(coords[dim], dim);
            (first[dim], fractions[dim]) = (position >> WEIGHT_BITS, position & (WHOLE - 1));
        }
        let weights = filter::weights(dims, fractions, weight);
        for (corner, weight) in weights.into_iter().enumerate().take(1 << dims) {
            let is_read = (0..dims).all(|dim| corner >> dim & 1 == 0 || fractions[dim] > 0);
            if is_read {
                let texel = map_dims((dims, layer), |dim| {
                    self.resolve(first[dim] + (corner >> dim & 1) as i64, dim)
                });
                let bits = self.raw_bits(texel, channel, load);
                // Volumes have one level.
                texels.push(Texel { bits, weight, layer: corner >> 2 | level });
            }
        }
    }

    /// Returns a coordinate in texels.
    fn position(&self, coord: f32, dim: usize) -> f64 {
        let coord = f64::from(coord);
        if !self.normalized {
            return coord;
        }
        let extent = self.extents[dim];
        let steps = f64::from(1_u32 << coordinate_bits(extent));
        (coord * steps).floor() / steps * f64::from(extent)
    }

    /// Returns the position that a linear filter splits into a texel and a weight, in steps of a
    /// weight.
    fn fixed_position(&self, coord: f32, dim: usize) -> i64 {
        round_steps(self.position(coord, dim) - 0.5)
    }

    /// Returns the position of a linear filter, which is inside of a texture that clamps it.
    fn filter_position(&self, coord: f32, dim: usize) -> i64 {
        let position = self.fixed_position(coord, dim);
        match self.address[dim] {
            AddressMode::Clamp => {
                position.clamp(0, i64::from(self.extents[dim] - 1) << WEIGHT_BITS)
            }
            AddressMode::Border | AddressMode::Wrap | AddressMode::Mirror => position,
        }
    }

    /// Returns the texel at an index, which may be outside of the texture; `None` at the border.
    fn resolve(&self, index: i64, dim: usize) -> Option<u32> {
        let extent = i64::from(self.extents[dim]);
        let inside = match self.address[dim] {
            AddressMode::Clamp => index.clamp(0, extent - 1),
            AddressMode::Wrap => index.rem_euclid(extent),
            AddressMode::Mirror => {
                let index = index.rem_euclid(2 * extent);
                if index < extent { index } else { 2 * extent - 1 - index }
            }
            AddressMode::Border if (0..extent).contains(&index) => index,
            AddressMode::Border => return None,
        };
        u32::try_from(inside).ok()
    }

    /// Returns the bits of a channel of a texel, as the word that a read yields.
    fn bits(
        &self,
        texel: Option<[u32; 3]>,
        channel: usize,
        load: &impl Fn(u64, usize) -> u64,
    ) -> u32 {
        self.decode(self.raw_bits(texel, channel, load))
    }

    /// Returns the bits of a channel of a texel in memory.
    fn raw_bits(
        &self,
        texel: Option<[u32; 3]>,
        channel: usize,
        load: &impl Fn(u64, usize) -> u64,
    ) -> u32 {
        let Some([x, y, z]) = texel.map(|texel| texel.map(u64::from)) else { return 0 };
        if channel >= self.channels as usize {
            return 0;
        }
        let [width, height, _] = self.extents.map(u64::from);
        let index = x + width * (y + height * z);
        let bytes = self.channel.bytes();
        let at = index * self.texel_bytes() as u64 + (channel * bytes) as u64;
        load(at, bytes) as u32
    }

    /// Converts a channel in memory to a word.
    fn decode(&self, bits: u32) -> u32 {
        let unsigned = |most: f32| (bits as f32 / most).to_bits();
        let signed = |value: i32, most: f32| (value as f32 / most).max(-1.0).to_bits();
        match (self.channel, self.reads_normalized) {
            (ChannelType::U8, true) => unsigned(255.0),
            (ChannelType::U16, true) => unsigned(65535.0),
            (ChannelType::I8, true) => signed((bits as i8).into(), 127.0),
            (ChannelType::I16, true) => signed((bits as i16).into(), 32767.0),
            (ChannelType::I8, false) => i32::from(bits as i8) as u32,
            (ChannelType::I16, false) => i32::from(bits as i16) as u32,
            (ChannelType::F16, _) => half::f16_to_f32(bits as u16).to_bits(),
            (ChannelType::U8 | ChannelType::U16, false)
            | (ChannelType::U32 | ChannelType::I32 | ChannelType::F32, _) => bits,
        }
    }
}

/// Rounds a position to steps of a weight.
fn round_steps(position: f64) -> i64 {
    (position * f64::from(1_u32 << WEIGHT_BITS) + 0.5).floor() as i64
}

/// Returns the bits of a normalized coordinate behind the point.
fn coordinate_bits(extent: u32) -> u32 {
    21 + u32::from(extent > 1 << 13) + u32::from(extent > 1 << 16)
}

/// Computes the index of a texel along each of so many dimensions, in a layer; `None` outside.
fn map_dims(
    (dims, layer): (usize, u32),
    mut index: impl FnMut(usize) -> Option<u32>,
) -> Option<[u32; 3]> {
    let mut texel = Some([0, 0, layer]);
    // Every dimension is computed, also after one that is outside.
    for dim in 0..dims {
        let index = index(dim);
        texel = texel.zip(index).map(|(mut texel, index)| {
            texel[dim] = index;
            texel
        });
    }
    texel
}

#[cfg(test)]
mod tests;
