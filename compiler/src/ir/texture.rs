//! Reads of textures: shapes, kinds of reads, and the types of their words.
use super::{Scalar, names::Named};
use std::fmt;

/// The dimensions of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureShape {
    /// A row of texels.
    D1,
    /// Rows of texels.
    D2,
    /// Layers of rows.
    D3,
    /// An array of rows, of which a read names one.
    D1Layered,
    /// An array of textures of two dimensions, of which a read names one.
    D2Layered,
}

impl TextureShape {
    /// Returns the number of coordinates.
    pub const fn dims(self) -> usize {
        match self {
            Self::D1 | Self::D1Layered => 1,
            Self::D2 | Self::D2Layered => 2,
            Self::D3 => 3,
        }
    }

    /// Returns true for an array of textures.
    pub const fn is_layered(self) -> bool {
        matches!(self, Self::D1Layered | Self::D2Layered)
    }
}

/// The kind of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureRead {
    /// The channels of the texel at the coordinates, filtered. Of several levels, the first one.
    Sample,
    /// The same at a level of detail.
    SampleLevel,
    /// The same at the level of detail that follows from gradients of the coordinates.
    SampleGradient,
    /// The first channel of the four texels that a linear filter would read.
    GatherR,
    /// The second channel of these.
    GatherG,
    /// The third channel of these.
    GatherB,
    /// The fourth channel of these.
    GatherA,
}

impl TextureRead {
    /// Returns the number of operands after the coordinates: a level, or the gradients of both
    /// coordinates along two axes.
    pub const fn detail_args(self) -> usize {
        match self {
            Self::SampleLevel => 1,
            Self::SampleGradient => 4,
            Self::Sample | Self::GatherR | Self::GatherG | Self::GatherB | Self::GatherA => 0,
        }
    }

    /// Returns the number of the channel that a gather reads.
    pub const fn gathered_channel(self) -> Option<usize> {
        match self {
            Self::Sample | Self::SampleLevel | Self::SampleGradient => None,
            Self::GatherR => Some(0),
            Self::GatherG => Some(1),
            Self::GatherB => Some(2),
            Self::GatherA => Some(3),
        }
    }
}

/// The type of the words of a read, which follows from the format of the texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureWord {
    /// Of floats and normalized integers.
    F32,
    /// Of signed integers.
    I32,
    /// Of unsigned integers.
    U32,
}

impl TextureWord {
    /// Returns the type in the IR.
    pub const fn scalar(self) -> Scalar {
        match self {
            Self::F32 => Scalar::F32,
            Self::I32 => Scalar::I32,
            Self::U32 => Scalar::U32,
        }
    }
}

/// A read of a texture. Its text form is `2d.sample.f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureOp {
    /// The dimensions of the texture.
    pub shape: TextureShape,
    /// The kind of read.
    pub read: TextureRead,
    /// The type of the result.
    pub word: TextureWord,
}

impl TextureOp {
    /// The words that a read yields.
    pub const WORDS: u8 = 4;
    /// The greatest number of operands.
    pub const MAX_ARGS: usize = 6;

    /// Returns true if the read exists: levels, gradients and gathers have two dimensions.
    pub const fn is_defined(self) -> bool {
        matches!(self.read, TextureRead::Sample) || matches!(self.shape, TextureShape::D2)
    }

    /// Returns the types of the operands: of the layer, if there are some, of the coordinates, and
    /// of the level or the gradients.
    pub fn arg_types(self) -> impl Iterator<Item = Scalar> {
        let layer = self.shape.is_layered().then_some(Scalar::U32);
        let floats = self.shape.dims() + self.read.detail_args();
        layer.into_iter().chain(std::iter::repeat_n(Scalar::F32, floats))
    }

    /// Returns the read with this name, `2d.sample.f32`.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut words = name.split('.');
        let op = Self {
            shape: TextureShape::from_name(words.next()?)?,
            read: TextureRead::from_name(words.next()?)?,
            word: TextureWord::from_name(words.next()?)?,
        };
        (words.next().is_none() && op.is_defined()).then_some(op)
    }

    /// Returns a number for each read, less than 256.
    pub const fn number(self) -> u64 {
        (self.shape as u64) << 5 | (self.read as u64) << 2 | self.word as u64
    }
}

impl fmt::Display for TextureOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.shape.name(), self.read.name(), self.word.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_reads() {
        for &shape in TextureShape::ALL {
            for &read in TextureRead::ALL {
                for &word in TextureWord::ALL {
                    let op = TextureOp { shape, read, word };
                    let found = TextureOp::from_name(&op.to_string());
                    assert_eq!(found, op.is_defined().then_some(op), "{op}");
                }
            }
        }
        assert_eq!(TextureOp::from_name("2d.sample"), None);
        assert_eq!(TextureOp::from_name("2d.sample.f32.f32"), None);
    }
}
