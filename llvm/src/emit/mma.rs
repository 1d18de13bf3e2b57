//! Products of matrices on tensor cores, and loads of rows for them, as inline PTX, each at the
//! first of its words ([`find_leaders`](warpwise_compiler::analysis::mma::find_leaders)).
use super::{
    emitter::{Effects, Emitter},
    fault::record_address,
    value::{Type, Value},
};
use warpwise_compiler::{
    back::ptx::{hides_operand, matrix_load_name, mma_name},
    ir::{InstId, MmaOp},
};

impl Emitter<'_> {
    /// A word of a product.
    pub(super) fn mma(&mut self, id: InstId, op: MmaOp, args: &[InstId], word: u8) -> Value {
        let leader = self.leaders[id].unwrap_or(id);
        if leader == id {
            let sums = self.emit_mma(op, args);
            self.products.insert(leader, sums);
        }
        self.products[&leader][usize::from(word)].clone()
    }

    /// A word of rows in shared memory that are distributed.
    pub(super) fn load_matrix(&mut self, id: InstId, transposed: bool, word: u8) -> Value {
        let leader = self.leaders[id].unwrap_or(id);
        if let Some(row) = self.matrix_loads.rows[id] {
            let address = self.value(row);
            let text = format!("{} {{$0, $1, $2, $3}}, [$4];", matrix_load_name(transposed));
            let words = self.asm_words(Type::I32, 4, &text, &[address], Effects::LanesRead);
            self.products.insert(leader, words);
        }
        self.products[&leader][usize::from(word)].clone()
    }

    fn emit_mma(&mut self, op: MmaOp, args: &[InstId]) -> Vec<Value> {
        let operand = |(number, arg): (usize, &InstId)| {
            let value = self.value(*arg);
            if hides_operand(op, number) && self.possible_constants[*arg] {
                self.hide(value)
            } else {
                value
            }
        };
        let args: Vec<Value> = args.iter().enumerate().map(operand).collect();
        let sums = op.sum_words();
        let mut next = 0;
        let [d, a, b, c] = [sums, op.a_words(), op.b_words(), sums].map(|words| {
            let operands: Vec<String> = (next..next + words).map(|of| format!("${of}")).collect();
            next += words;
            format!("{{{}}}", operands.join(", "))
        });
        let text = format!("{} {d}, {a}, {b}, {c};", mma_name(op));
        self.asm_words(Type::of(op.sum_word()), sums, &text, &args, Effects::Lanes)
    }

    /// The bits of `value`, of 32 bits, of which [`ptxas` knows nothing](hides_operand).
    fn hide(&mut self, value: Value) -> Value {
        let text = "{\n.reg .b64 w_highest;\n.reg .b32 w_zero;\nshr.u64 w_highest, $2, 63;\n\
                    cvt.u32.u64 w_zero, w_highest;\nxor.b32 $0, $1, w_zero;\n}";
        let ty = value.ty;
        self.asm(ty, text, &[value, record_address()], Effects::None)
    }
}
