//! PTX that the user wrote, as inline PTX with a scope of its own.
//!
//! It begins with copies of its inputs: the text may write to them, and to an output before it
//! reads an input, and LLVM may have put both into one register.
use super::{
    emitter::{Effects, Emitter, inst},
    value::{Type, Value},
};
use warpwise_compiler::ir::{InlinePtx, InstId, Scalar};

impl Emitter<'_> {
    /// The statements; yields the first output.
    pub(super) fn inline_ptx(
        &mut self,
        id: InstId,
        is_pure: bool,
        inline: &InlinePtx,
        args: &[InstId],
    ) -> Option<Value> {
        let types: Vec<Type> = inline.outputs.iter().map(|scalar| operand_type(*scalar)).collect();
        let inputs: Vec<Value> = args.iter().map(|arg| self.inline_input(*arg)).collect();
        let outputs = (0..types.len()).map(|place| format!("${{{place}}}"));
        let copies = (0..inputs.len()).map(|input| format!("w_in{input}"));
        let places: Vec<String> = outputs.chain(copies).collect();
        let mut text = "{\n".to_owned();
        for (input, place) in inputs.iter().zip(types.len()..) {
            let (ty, copy) = (register_type(input.ty), &places[place]);
            text += &format!(".reg .{ty} {copy};\nmov.{ty} {copy}, ${place};\n");
        }
        text += &inline.render(&places, |c| match c {
            '$' => "$$".to_owned(),
            '\\' => "\\5C".to_owned(),
            c => c.to_string(),
        });
        text += "\n}";
        let effects = if is_pure { Effects::None } else { Effects::Sync };
        let outputs = self.asm_values(&types, &text, &inputs, effects);
        let outputs = outputs.into_iter().zip(&inline.outputs);
        let outputs: Vec<Value> =
            outputs.map(|(value, scalar)| self.inline_output(value, *scalar)).collect();
        let first = outputs.first().cloned();
        self.products.insert(id, outputs);
        first
    }

    fn inline_input(&mut self, id: InstId) -> Value {
        let value = self.value(id);
        match value.ty {
            Type::Half => inst!(self, Type::I16, "bitcast {value} to i16"),
            _ => value,
        }
    }

    fn inline_output(&mut self, value: Value, scalar: Scalar) -> Value {
        match Type::of(scalar) {
            ty @ Type::Half => inst!(self, ty, "bitcast {value} to half"),
            _ => value,
        }
    }
}

/// The type of an operand; inline PTX takes no `half`.
fn operand_type(scalar: Scalar) -> Type {
    match Type::of(scalar) {
        Type::Half => Type::I16,
        ty => ty,
    }
}

/// The type of the register of an operand, in PTX.
fn register_type(ty: Type) -> &'static str {
    match ty {
        Type::I1 => "pred",
        Type::I8 | Type::I16 | Type::Half => "b16",
        Type::I32 => "b32",
        Type::I64 | Type::Ptr(_) => "b64",
        Type::Float => "f32",
        Type::Double => "f64",
    }
}
