//! Matrix products of warpgroups, as the inline PTX that the built-in back end emits.
//!
//! A product is one piece of inline PTX that changes the sums, and so is a wait: LLVM uses no sum
//! of a product before the wait for it. Sums are loaded from their array before, and stored to it
//! afterwards; LLVM keeps them in registers, unless
//! [an access is at no constant place](warpwise_compiler::analysis::wgmma).
use super::{
    emitter::{Effects, Emitter, inst, line},
    value::{Type, Value},
};
use warpwise_compiler::{
    analysis::wgmma::sum_number,
    back::ptx::{PROXY_FENCE, WgmmaOperands, wgmma_instructions, wgmma_wait},
    ir::{ArrayId, InstId, Op, Root, Scalar, WgmmaOp},
};

impl Emitter<'_> {
    /// Begins a product.
    pub(super) fn wgmma(&mut self, op: WgmmaOp, columns: u64, args: &[InstId]) {
        let Some(Root::Array(array)) = self.kernel.root(args[0]) else { return };
        let in_memory = self.sums[array].is_none_or(|sums| !sums.in_registers);
        let values = self.load_sums(array, op.sum(), WgmmaOp::sums(columns));
        let operands: Vec<Value> = args[1..].iter().map(|arg| self.wgmma_operand(*arg)).collect();
        let names = |first: usize, count: usize| -> Vec<String> {
            (first..first + count).map(|number| format!("${number}")).collect()
        };
        let steps = |factor: char| -> Vec<String> {
            (0..WgmmaOp::STEPS).map(|step| format!("w_{factor}{step}")).collect()
        };
        let words: Vec<String> =
            (0..WgmmaOp::A_WORDS).map(|word| format!("w_word{word}")).collect();
        let instructions = wgmma_instructions(
            op,
            &WgmmaOperands {
                sums: &names(0, values.len()),
                a: &names(values.len() + 1, operands.len() - 1),
                a_words: &words,
                b: &format!("${}", values.len()),
                adds: "w_adds",
                low: "w_low",
                a_steps: &steps('a'),
                b_steps: &steps('b'),
            },
            in_memory,
        );
        let text = format!(
            "{{\n.reg .pred w_adds;\n.reg .b32 w_low;\n.reg .b32 w_word<{}>;\n\
             .reg .b64 w_a<{steps}>;\n.reg .b64 w_b<{steps}>;\n{};\n}}",
            WgmmaOp::A_WORDS,
            instructions.join(";\n"),
            steps = WgmmaOp::STEPS
        );
        let values = self.asm_in_place(&values, &text, &operands, Effects::Sync);
        self.store_sums(array, &values);
    }

    /// Waits for all products but the last `pending`.
    pub(super) fn wgmma_wait(&mut self, sums: InstId, pending: u64) {
        let text = format!("{};", wgmma_wait(pending));
        let Some(Root::Array(array)) = self.kernel.root(sums) else { return };
        match self.sums[array] {
            Some(sums) if sums.in_registers => {
                let values = self.load_sums(array, sums.ty, sums.count);
                let values = self.asm_in_place(&values, &text, &[], Effects::Sync);
                self.store_sums(array, &values);
            }
            _ => self.asm_line(&text, &[], Effects::Sync),
        }
    }

    pub(super) fn proxy_fence(&mut self) {
        self.asm_line(&format!("{PROXY_FENCE};"), &[], Effects::Memory);
    }

    /// A word, or the address of a tile as 32 bits.
    fn wgmma_operand(&mut self, id: InstId) -> Value {
        let value = self.value(id);
        match value.ty {
            Type::Ptr(_) => inst!(self, Type::I32, "ptrtoint {value} to i32"),
            _ => value,
        }
    }

    /// True for a store of a constant to a sum in a register.
    pub(super) fn is_constant_sum(&self, ptr: InstId, value: InstId) -> bool {
        let Some(Root::Array(array)) = self.kernel.root(ptr) else { return false };
        let is_sum = self.sums[array].is_some_and(|sums| {
            let number = sum_number(self.kernel, ptr);
            sums.in_registers && number.is_some_and(|number| (number as u64) < sums.count)
        });
        is_sum && matches!(self.kernel.insts[value].op, Op::Const(_))
    }

    /// Stores a constant, which LLVM must not know: it would define it again wherever paths with
    /// and without products join, and `ptxas` would then wait for each instruction of a product.
    pub(super) fn store_constant_sum(&mut self, ptr: InstId, value: InstId) {
        let value = self.value(value);
        let hidden = self.asm(value.ty, "mov.b32 $0, $1;", &[value], Effects::Lanes);
        let address = self.value(ptr);
        line!(self, "store {hidden}, {address}, align 4");
    }

    fn load_sums(&mut self, array: ArrayId, ty: Scalar, count: u64) -> Vec<Value> {
        let ty = Type::of(ty);
        (0..count)
            .map(|number| {
                let address = self.sum_address(array, number);
                inst!(self, ty, "load {ty}, {address}, align 4")
            })
            .collect()
    }

    fn store_sums(&mut self, array: ArrayId, values: &[Value]) {
        for (value, number) in values.iter().zip(0..) {
            let address = self.sum_address(array, number);
            line!(self, "store {value}, {address}, align 4");
        }
    }

    fn sum_address(&mut self, array: ArrayId, number: u64) -> Value {
        let start = self.array(array);
        let (ty, offset) = (start.ty, 4 * number);
        inst!(self, ty, "getelementptr i8, {start}, i64 {offset}")
    }
}
