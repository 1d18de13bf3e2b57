//! Mbarriers and bulk copies, as the inline PTX that the built-in back end emits.
//!
//! Arrivals, copies and waits are `convergent` and clobber memory, so that LLVM moves no access
//! past them.
use super::{
    emitter::{Effects, Emitter},
    value::{Type, Value},
};
use warpwise_compiler::{
    back::ptx::{
        MBARRIER_ARRIVE, MBARRIER_ARRIVE_EXPECT, after_mbarrier_inits, bulk_copy_instructions,
        mbarrier_inits, mbarrier_test, mbarriers,
    },
    ir::InstId,
};

impl Emitter<'_> {
    /// Initializes all mbarriers.
    pub(super) fn init_mbarriers(&mut self) {
        let (mut inits, mut addresses) = (String::new(), Vec::new());
        for (id, array) in mbarriers(self.kernel) {
            for init in mbarrier_inits(array, &format!("${}", addresses.len())) {
                inits += &format!("@w_first {init};\n");
            }
            addresses.push(self.shared(id));
        }
        if addresses.is_empty() {
            return;
        }
        let after = after_mbarrier_inits(self.kernel).join(";\n");
        let text = format!(
            "{{\n.reg .b32 w_x, w_y, w_z;\n.reg .pred w_first;\n\
             mov.u32 w_x, %tid.x;\nmov.u32 w_y, %tid.y;\nmov.u32 w_z, %tid.z;\n\
             or.b32 w_x, w_x, w_y;\nor.b32 w_x, w_x, w_z;\n\
             setp.eq.u32 w_first, w_x, 0;\n{inits}{after};\n}}"
        );
        self.asm_line(&text, &addresses, Effects::Sync);
    }

    /// Arrives, and returns a token of the phase.
    pub(super) fn mbarrier_arrive(&mut self, barrier: InstId, bytes: Option<InstId>) -> Value {
        let text = match bytes {
            Some(_) => format!("{MBARRIER_ARRIVE_EXPECT} $0, [$1], $2;"),
            None => format!("{MBARRIER_ARRIVE} $0, [$1];"),
        };
        let operands: Vec<Value> =
            [barrier].into_iter().chain(bytes).map(|id| self.value(id)).collect();
        self.asm(Type::I64, &text, &operands, Effects::Sync)
    }

    /// Waits for the end of a phase.
    pub(super) fn mbarrier_wait(&mut self, barrier: InstId, phase: InstId) {
        let test = mbarrier_test(self.target, self.kernel.insts[phase].ty);
        let text = format!(
            "{{\n.reg .pred w_complete;\nw_wait:\n{test} w_complete, [$0], $1;\n\
             @!w_complete bra w_wait;\n}}"
        );
        let operands = [self.value(barrier), self.value(phase)];
        self.asm_line(&text, &operands, Effects::Sync);
    }

    /// Begins to copy `bytes` bytes to the first of three addresses from the second; the third is
    /// that of the mbarrier.
    pub(super) fn bulk_copy(&mut self, addresses: [InstId; 3], bytes: u64) {
        let text = bulk_copy_instructions(["[$0]", "[$1]", "[$2]"], bytes).join(";\n");
        let operands = addresses.map(|id| self.value(id));
        self.asm_line(&format!("{text};"), &operands, Effects::Sync);
    }
}
