//! Barriers, fences and the barrier of the grid, as the inline PTX that the built-in back end
//! emits.
//!
//! All are `convergent`, so that LLVM does not make them depend on more control flow than they do,
//! and clobber memory. `compiler/src/back/ptx/sync.rs` says why reductions count, and `grid.rs`
//! there how the barrier of the grid works.
use super::{
    emitter::{Effects, Emitter, inst},
    value::{Type, Value},
};
use std::fmt::Write;
use warpwise_compiler::{
    back::ptx::{
        HAS_GRID_DEPENDENCIES, grid_dependency_instruction, named_barrier_instruction, scope_name,
    },
    ir::{BarrierOp, GridDependencyOp, InstId, Scope},
};

/// One block that has ended.
const ONE_ENDED: u64 = 1 << 32;
/// The bit that changes.
const ROUND: u64 = 1 << 63;
/// The thread's number in its block, x fastest, in `w_number`.
const BLOCK_NUMBER: &str = ".reg .b32 w_number, w_x, w_y, w_z, w_width, w_height;\n\
                            mov.u32 w_x, %tid.x;\nmov.u32 w_y, %tid.y;\nmov.u32 w_z, %tid.z;\n\
                            mov.u32 w_width, %ntid.x;\nmov.u32 w_height, %ntid.y;\n\
                            mad.lo.s32 w_number, w_z, w_height, w_y;\n\
                            mad.lo.s32 w_number, w_number, w_width, w_x;\n";

impl Emitter<'_> {
    /// A barrier of the block.
    pub(super) fn barrier(&mut self, reduce: Option<(BarrierOp, InstId)>) -> Option<Value> {
        let Some((op, value)) = reduce else {
            self.asm_line("bar.sync 0;", &[], Effects::Sync);
            return None;
        };
        let value = self.value(value);
        let counts = match op {
            BarrierOp::Count | BarrierOp::Or => value,
            BarrierOp::And => inst!(self, Type::I1, "xor {value}, true"),
        };
        let text = "bar.red.popc.u32 $0, 0, $1;";
        let count = self.asm(Type::I32, text, &[counts], Effects::Sync);
        Some(match op {
            BarrierOp::Count => self.zero_extend(&count, Type::I64),
            BarrierOp::And => inst!(self, Type::I1, "icmp eq {count}, 0"),
            BarrierOp::Or => inst!(self, Type::I1, "icmp ne {count}, 0"),
        })
    }

    /// A barrier of some warps of the block.
    pub(super) fn named_barrier(&mut self, waits: bool, id: u64, threads: u64) {
        let text = format!("{};", named_barrier_instruction(waits, id, threads));
        self.asm_line(&text, &[], Effects::Sync);
    }

    /// A barrier of the warp.
    pub(super) fn sync_warp(&mut self, mask: Option<InstId>) {
        let mask = self.mask(mask);
        self.asm_line("bar.warp.sync $0;", &[mask], Effects::Sync);
    }

    /// Orders this thread's accesses, each before against each behind.
    pub(super) fn fence(&mut self, scope: Scope) {
        self.asm_line(&format!("fence.sc.{};", scope_name(scope)), &[], Effects::Memory);
    }

    /// Synchronizes with the grids before and after this one.
    pub(super) fn grid_dependency(&mut self, op: GridDependencyOp) {
        if self.target >= HAS_GRID_DEPENDENCIES {
            let text = format!("{};", grid_dependency_instruction(op));
            self.asm_line(&text, &[], Effects::Memory);
        }
    }

    /// No thread of the block has ended yet.
    pub(super) fn begin_block(&mut self) {
        if !self.kernel.cooperative {
            return;
        }
        let text = format!(
            "{{\n{BLOCK_NUMBER}.reg .pred w_first;\n\
             setp.eq.u32 w_first, w_number, 0;\n\
             @w_first st.relaxed.cta.shared.u32 [grid_block+4], 0;\n\
             bar.sync 0;\n}}"
        );
        self.asm_line(&text, &[], Effects::Sync);
    }

    /// Waits for every thread of the grid.
    pub(super) fn sync_grid(&mut self) {
        let text = format!(
            "{{\n{BLOCK_NUMBER}.reg .b32 w_speaker;\n.reg .b64 w_counted, w_round, w_change;\n\
             .reg .pred w_other, w_waits;\n{}\
             st.relaxed.cta.shared.u32 [grid_block], w_number;\n\
             bar.sync 0;\n\
             ld.relaxed.cta.shared.u32 w_speaker, [grid_block];\n\
             setp.ne.u32 w_other, w_speaker, w_number;\n\
             @w_other bra w_met;\n\
             cvta.to.global.u64 w_word, $0;\n\
             atom.acq_rel.gpu.global.add.u64 w_counted, [w_word], 1;\n{}\
             sub.s64 w_change, {}, w_come;\n\
             @w_all red.release.gpu.global.add.u64 [w_word], w_change;\n\
             w_wait:\n\
             ld.acquire.gpu.global.u64 w_round, [w_word];\n\
             xor.b64 w_round, w_round, w_counted;\n\
             setp.ge.s64 w_waits, w_round, 0;\n\
             @w_waits bra w_wait;\n\
             w_met:\n\
             bar.sync 0;\n}}",
            AFTER_REGISTERS,
            after("w_counted", 1),
            ROUND as i64
        );
        self.asm_line(&text, &[grid_word()], Effects::Sync);
    }

    /// Counts a thread that is about to end; the last one of its block counts that. Without
    /// branches, so that it can stand where checks fail.
    pub(super) fn depart(&mut self) {
        if self.waits_at_ends {
            self.grid_dependency(GridDependencyOp::Wait);
        }
        if !self.kernel.cooperative {
            return;
        }
        let mut text = format!(
            "{{\n.reg .b32 w_before, w_own, w_threads;\n.reg .pred w_last, w_some;\n\
             .reg .b64 w_counted, w_round, w_clear, w_change;\n{AFTER_REGISTERS}"
        );
        text += &product("ntid", "w_threads");
        text += "atom.acq_rel.cta.shared.add.u32 w_before, [grid_block+4], 1;\n\
                 add.s32 w_own, w_before, 1;\n\
                 setp.eq.u32 w_last, w_own, w_threads;\n\
                 cvta.to.global.u64 w_word, $0;\n\
                 mov.b64 w_counted, 0;\n";
        write!(
            text,
            "@w_last atom.acq_rel.gpu.global.add.u64 w_counted, [w_word], {ONE_ENDED};\n{}\
             shl.b64 w_clear, w_wide, 32;\n\
             neg.s64 w_clear, w_clear;\n\
             sub.s64 w_round, {}, w_come;\n\
             setp.ne.u64 w_some, w_come, 0;\n\
             selp.b64 w_change, w_round, w_clear, w_some;\n\
             and.pred w_last, w_last, w_all;\n\
             @w_last red.release.gpu.global.add.u64 [w_word], w_change;\n}}",
            after("w_counted", ONE_ENDED),
            ROUND as i64
        )
        .expect("a string takes everything");
        self.asm_line(&text, &[grid_word()], Effects::Memory);
    }
}

/// The address of the word in which blocks are counted.
fn grid_word() -> Value {
    Value::new(Type::I64, "%grid_barrier")
}

/// The registers of [`after`].
const AFTER_REGISTERS: &str = ".reg .b64 w_word, w_now, w_come, w_ended, w_sum, w_wide;\n\
                               .reg .b32 w_blocks;\n.reg .pred w_all;\n";

/// Returns the count of arrived blocks, `w_come`, and whether these and the ended ones are all,
/// `w_all`, after `added` was added to the word `before`; the number of all blocks is in `w_wide`.
fn after(before: &str, added: u64) -> String {
    format!(
        "add.s64 w_now, {before}, {added};\n\
         and.b64 w_come, w_now, {};\n\
         bfe.u64 w_ended, w_now, 32, 31;\n\
         add.s64 w_sum, w_come, w_ended;\n{}\
         cvt.u64.u32 w_wide, w_blocks;\n\
         setp.eq.u64 w_all, w_sum, w_wide;\n",
        ONE_ENDED - 1,
        product("nctaid", "w_blocks")
    )
}

/// The product of what the hardware says along the axes.
fn product(name: &str, to: &str) -> String {
    format!(
        "{{\n.reg .b32 w_px, w_py, w_pz;\n\
         mov.u32 w_px, %{name}.x;\nmov.u32 w_py, %{name}.y;\nmov.u32 w_pz, %{name}.z;\n\
         mul.lo.s32 {to}, w_px, w_py;\nmul.lo.s32 {to}, {to}, w_pz;\n}}\n"
    )
}
