//! Atomic operations on `bool`s, by those on the 32-bit words that they lie in, as in the built-in
//! back end (`compiler/src/back/ptx/boolean.rs`, which says why).
use super::{
    emitter::{Effects, Emitter, inst},
    value::{Type, Value},
};
use warpwise_compiler::ir::AtomicOp;

/// The storage of a `bool`: the word at `w_word`, and the number of its bit, `w_shift`, from the
/// address `$1`.
const CELL: &str = ".reg .b64 w_word;\n.reg .b32 w_shift;\n\
                    cvt.u32.u64 w_shift, $1;\n\
                    shl.b32 w_shift, w_shift, 3;\n\
                    and.b32 w_shift, w_shift, 24;\n\
                    and.b64 w_word, $1, -4;\n";

/// The bit of the `bool` in its word, and all others.
const MASKS: &str = ".reg .b32 w_bit, w_others;\n\
                     mov.b32 w_bit, 1;\n\
                     shl.b32 w_bit, w_bit, w_shift;\n\
                     not.b32 w_others, w_bit;\n";

/// The `bool` in the word that was read.
const EXTRACT: &str = "shr.u32 w_old, w_old, w_shift;\n\
                       and.b32 $0, w_old, 1;\n";

impl Emitter<'_> {
    /// Reads a `bool` with an instruction that `how` begins.
    pub(super) fn load_bool(&mut self, how: &str, address: Value) -> Value {
        let read = format!("{how}.b32 w_old, [w_word];\n");
        self.bool_asm(&read, &[address])
    }

    /// Updates a `bool` with an instruction that `how` begins; yields what was there.
    pub(super) fn update_bool(
        &mut self,
        op: AtomicOp,
        how: &str,
        address: Value,
        value: Value,
    ) -> Value {
        let update = match op {
            AtomicOp::Swap => set_or_clear(how, "$2", ["w_bit", "w_others"]),
            AtomicOp::And => format!(
                "selp.b32 w_with, -1, w_others, $2;\n{how}.and.b32 w_old, [w_word], w_with;\n"
            ),
            AtomicOp::Or | AtomicOp::Xor => format!(
                "selp.b32 w_with, w_bit, 0, $2;\n{how}.{}.b32 w_old, [w_word], w_with;\n",
                op.name()
            ),
            AtomicOp::Add | AtomicOp::Sub | AtomicOp::Min | AtomicOp::Max => {
                unreachable!("the verifier accepts none of these on `bool`")
            }
        };
        self.bool_asm(&format!(".reg .b32 w_with;\n{MASKS}{update}"), &[address, value])
    }

    /// Sets or clears a `bool` if it is what is expected, with an instruction that `how` begins;
    /// yields what was there. The operands are the address, what is expected and the new value.
    pub(super) fn exchange_bool(&mut self, how: &str, operands: [Value; 3]) -> Value {
        let text = format!(
            ".reg .b32 w_set, w_clear;\n{MASKS}\
             selp.b32 w_set, 0, w_bit, $2;\n\
             selp.b32 w_clear, w_others, -1, $2;\n{}",
            set_or_clear(how, "$3", ["w_set", "w_clear"])
        );
        self.bool_asm(&text, &operands)
    }

    fn bool_asm(&mut self, text: &str, operands: &[Value]) -> Value {
        let text = format!("{{\n.reg .b32 w_old;\n{CELL}{text}{EXTRACT}}}");
        let bit = self.asm(Type::I32, &text, operands, Effects::Memory);
        inst!(self, Type::I1, "icmp ne {bit}, 0")
    }
}

fn set_or_clear(how: &str, value: &str, [set, clear]: [&str; 2]) -> String {
    format!(
        "@{value} {how}.or.b32 w_old, [w_word], {set};\n\
         @!{value} {how}.and.b32 w_old, [w_word], {clear};\n"
    )
}
