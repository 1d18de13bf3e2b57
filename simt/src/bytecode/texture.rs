//! Reads of textures.
use super::Operand;
use crate::vector::registers::Reg;
use warpwise_compiler::ir::TextureOp;

/// One word of a read of a texture in each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureRead {
    pub(crate) op: TextureOp,
    /// The number of the buffer with the texture.
    pub(crate) texture: u16,
    /// The operands of the instruction, and after them any others.
    pub(crate) args: [Operand; TextureOp::MAX_ARGS],
    /// The number of the word.
    pub(crate) word: u8,
    pub(crate) to: Reg,
    /// The number of the counter of the request, which the first word of a read counts.
    pub(crate) counter: Option<u32>,
}
