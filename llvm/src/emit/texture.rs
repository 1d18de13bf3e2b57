//! Reads of textures as inline PTX, each at the first of its words
//! ([`find_leaders`](warpwise_compiler::analysis::mma::find_leaders)).
use super::{
    emitter::{Effects, Emitter},
    value::{Type, Value},
};
use warpwise_compiler::{
    back::ptx::{texture_name, texture_operands},
    ir::{InstId, ParamId, TextureOp},
};

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
        self.products[&leader][usize::from(word)].clone()
    }

    fn emit_texture(&mut self, op: TextureOp, texture: ParamId, args: &[InstId]) -> Vec<Value> {
        let mut operands = vec![Value::new(Type::I64, format!("%{texture}"))];
        operands.extend(args.iter().map(|arg| self.value(*arg)));
        let places: Vec<String> = (5..5 + args.len()).map(|place| format!("${place}")).collect();
        let (name, read) = (texture_name(op), texture_operands(op, "$4", &places));
        let text = format!("{name} {{$0, $1, $2, $3}}, {read};");
        let words = usize::from(TextureOp::WORDS);
        self.asm_words(Type::of(op.word.scalar()), words, &text, &operands, Effects::None)
    }
}
