//! Reads of textures by their handles, the texture objects of CUDA.
//!
//! `tex` and `tld4` yield four words, where the first of them that the kernel uses is computed. The
//! others [follow in the same body](crate::analysis::mma).
use super::{
    Emitter,
    emitter::{Value, ptx},
    reg::{Class, Reg},
};
use crate::ir::{InstId, ParamId, TextureOp, TextureRead, TextureShape, TextureWord};

impl Emitter<'_> {
    /// A word of a read.
    pub(super) fn texture(
        &mut self,
        id: InstId,
        op: TextureOp,
        texture: ParamId,
        args: &[InstId],
        word: u8,
    ) -> Value {
        let leader = self.leaders[id].unwrap_or(id);
        if leader == id {
            let words = self.emit_texture(op, texture, args);
            self.products.insert(leader, words);
        }
        self.products[&leader][usize::from(word)].into()
    }

    fn emit_texture(&mut self, op: TextureOp, texture: ParamId, args: &[InstId]) -> Vec<Reg> {
        let handle = self.texture_handle(texture);
        let args: Vec<String> = args.iter().map(|arg| self.reg(*arg).to_string()).collect();
        let class = Class::of(op.word.scalar());
        let words: Vec<Reg> = (0..TextureOp::WORDS).map(|_| self.regs.fresh(class)).collect();
        let list: Vec<String> = words.iter().map(ToString::to_string).collect();
        let (name, operands) = (texture_name(op), texture_operands(op, &handle.to_string(), &args));
        ptx!(self, "{name} {{{}}}, {operands}", list.join(", "));
        words
    }
}

/// The name of the instruction, with its types.
pub fn texture_name(op: TextureOp) -> String {
    let word = match op.word {
        TextureWord::F32 => "f32",
        TextureWord::I32 => "s32",
        TextureWord::U32 => "u32",
    };
    let read = match op.read {
        TextureRead::Sample => return format!("tex.{}.v4.{word}.f32", op.shape.name()),
        TextureRead::SampleLevel => return format!("tex.level.{}.v4.{word}.f32", op.shape.name()),
        TextureRead::SampleGradient => {
            return format!("tex.grad.{}.v4.{word}.f32", op.shape.name());
        }
        TextureRead::GatherR => "r",
        TextureRead::GatherG => "g",
        TextureRead::GatherB => "b",
        TextureRead::GatherA => "a",
    };
    format!("tld4.{read}.{}.v4.{word}.f32", op.shape.name())
}

/// The operands after the result: the texture with the layer and the coordinates, of which a vector
/// of three has a fourth element, which is ignored; then the level, or the gradients along each
/// axis.
pub fn texture_operands(op: TextureOp, handle: &str, args: &[String]) -> String {
    let (place, detail) = args.split_at(args.len().saturating_sub(op.read.detail_args()));
    let mut place = place.to_vec();
    if matches!(op.shape, TextureShape::D3 | TextureShape::D2Layered) {
        place.extend(place.last().cloned());
    }
    let mut operands = format!("[{handle}, {{{}}}]", place.join(", "));
    match op.read {
        TextureRead::SampleLevel => {
            detail.iter().for_each(|level| operands.push_str(&format!(", {level}")));
        }
        TextureRead::SampleGradient => {
            for along_axis in detail.chunks(2) {
                operands.push_str(&format!(", {{{}}}", along_axis.join(", ")));
            }
        }
        TextureRead::Sample
        | TextureRead::GatherR
        | TextureRead::GatherG
        | TextureRead::GatherB
        | TextureRead::GatherA => {}
    }
    operands
}
