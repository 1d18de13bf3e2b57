//! The barrier of the grid, of cooperative kernels.
//!
//! The launch passes the address of one 64-bit word of global memory, 0 at first, in which blocks
//! are counted: those that have come to the barrier (bits 0 to 31) and those that have ended (32 to
//! 62). Whoever makes the two the number of all blocks clears the first and changes bit 63, which
//! those that have come wait for. The last block to end clears the second, so that the next launch
//! finds what this one found, but for bit 63, of which only changes matter.
//!
//! **In a block**, `bar.sync` gathers the threads that have not ended. One of them, whichever was
//! the last to write its number to shared memory, counts the block and waits; behind it is another
//! `bar.sync`. **Ended threads.** Each thread counts itself in shared memory when it ends, however
//! it ends, and the one that makes that all of the block counts the block as ended. So nobody waits
//! for threads that have returned or faulted, here as at `bar.sync`.
//!
//! **Order.** What a thread did before the barrier is before what another one does behind it:
//! `bar.sync`, or the count of ended threads, orders it before the addition of its block's thread,
//! which releases; that is read, perhaps through additions of others, by a load that acquires; and
//! then comes `bar.sync` again.
use super::{
    Emitter,
    code::Label,
    emitter::ptx,
    reg::{Class, Reg},
};
use crate::ir::{Axis, InstId, Kernel};
use std::fmt::{self, Write};

/// Bytes of shared memory that it takes: the number of a thread, and how many have ended.
pub const SHARED_BYTES: u64 = 16;
/// One block that has ended.
const ONE_ENDED: u64 = 1 << 32;
/// The bit that changes.
const ROUND: u64 = 1 << 63;

/// The declaration of its shared memory.
pub(super) fn declare(kernel: &Kernel, f: &mut impl Write) -> fmt::Result {
    if kernel.cooperative {
        writeln!(f, "\t.shared .align 16 .b8 grid_block[{SHARED_BYTES}];")
    } else {
        Ok(())
    }
}

impl Emitter<'_> {
    /// No thread of the block has ended yet.
    pub(super) fn begin_block(&mut self) {
        if !self.kernel.cooperative {
            return;
        }
        let (thread, first) = (self.thread_number(), self.regs.fresh(Class::Pred));
        ptx!(self, "setp.eq.u32 {first}, {thread}, 0");
        ptx!(self, "@{first} st.relaxed.cta.shared.u32 [grid_block+4], 0");
        ptx!(self, "bar.sync 0");
    }

    /// Waits for every thread of the grid.
    pub(super) fn sync_grid(&mut self, id: InstId) {
        let (wait, met) = (Label::of("grid", id), Label::of("met", id));
        let thread = self.thread_number();
        let [counted, now, change] = [(); 3].map(|()| self.regs.fresh(Class::B64));
        let [other, waits] = [(); 2].map(|()| self.regs.fresh(Class::Pred));
        let speaker = self.regs.fresh(Class::B32);
        ptx!(self, "st.relaxed.cta.shared.u32 [grid_block], {thread}");
        ptx!(self, "bar.sync 0");
        ptx!(self, "ld.relaxed.cta.shared.u32 {speaker}, [grid_block]");
        ptx!(self, "setp.ne.u32 {other}, {speaker}, {thread}");
        self.code.branch(other, met);
        let word = self.grid_word();
        ptx!(self, "atom.acq_rel.gpu.global.add.u64 {counted}, [{word}], 1");
        let (come, all) = self.after(counted, 1);
        ptx!(self, "sub.s64 {change}, {}, {come}", ROUND as i64);
        ptx!(self, "@{all} red.release.gpu.global.add.u64 [{word}], {change}");
        self.code.label(wait);
        ptx!(self, "ld.acquire.gpu.global.u64 {now}, [{word}]");
        ptx!(self, "xor.b64 {now}, {now}, {counted}");
        ptx!(self, "setp.ge.s64 {waits}, {now}, 0");
        self.code.branch(waits, wait);
        self.code.label(met);
        ptx!(self, "bar.sync 0");
    }

    /// Counts a thread that is about to end; the last one of its block counts that. Without
    /// branches, so that it can stand where checks fail. A thread of another kernel may have to
    /// [wait](Self::wait_at_end).
    pub(super) fn depart(&mut self) {
        self.wait_at_end();
        if !self.kernel.cooperative {
            return;
        }
        let [before, own, threads] = [(); 3].map(|()| self.regs.fresh(Class::B32));
        let [last, some] = [(); 2].map(|()| self.regs.fresh(Class::Pred));
        let [counted, round, clear, change] = [(); 4].map(|()| self.regs.fresh(Class::B64));
        self.product("ntid", threads);
        ptx!(self, "atom.acq_rel.cta.shared.add.u32 {before}, [grid_block+4], 1");
        ptx!(self, "add.s32 {own}, {before}, 1");
        ptx!(self, "setp.eq.u32 {last}, {own}, {threads}");
        let word = self.grid_word();
        ptx!(self, "mov.b64 {counted}, 0");
        ptx!(self, "@{last} atom.acq_rel.gpu.global.add.u64 {counted}, [{word}], {ONE_ENDED}");
        let (come, all) = self.after(counted, ONE_ENDED);
        let (blocks, wide) = (self.regs.fresh(Class::B32), self.regs.fresh(Class::B64));
        self.product("nctaid", blocks);
        ptx!(self, "cvt.u64.u32 {wide}, {blocks}");
        ptx!(self, "shl.b64 {clear}, {wide}, 32");
        ptx!(self, "neg.s64 {clear}, {clear}");
        ptx!(self, "sub.s64 {round}, {}, {come}", ROUND as i64);
        ptx!(self, "setp.ne.u64 {some}, {come}, 0");
        ptx!(self, "selp.b64 {change}, {round}, {clear}, {some}");
        ptx!(self, "and.pred {last}, {last}, {all}");
        ptx!(self, "@{last} red.release.gpu.global.add.u64 [{word}], {change}");
    }

    /// Emits the number of arrived blocks, and whether these and the ended ones are all, after
    /// `added` was added to the word `before`.
    fn after(&mut self, before: Reg, added: u64) -> (Reg, Reg) {
        let [now, come, ended, sum, wide] = [(); 5].map(|()| self.regs.fresh(Class::B64));
        let (blocks, all) = (self.regs.fresh(Class::B32), self.regs.fresh(Class::Pred));
        ptx!(self, "add.s64 {now}, {before}, {added}");
        ptx!(self, "and.b64 {come}, {now}, {}", ONE_ENDED - 1);
        ptx!(self, "bfe.u64 {ended}, {now}, 32, 31");
        ptx!(self, "add.s64 {sum}, {come}, {ended}");
        self.product("nctaid", blocks);
        ptx!(self, "cvt.u64.u32 {wide}, {blocks}");
        ptx!(self, "setp.eq.u64 {all}, {sum}, {wide}");
        (come, all)
    }

    /// The product of what the hardware says along the axes.
    fn product(&mut self, name: &str, to: Reg) {
        let [x, y, z] = [Axis::X, Axis::Y, Axis::Z].map(|axis| self.special(name, axis));
        ptx!(self, "mul.lo.s32 {to}, {x}, {y}");
        ptx!(self, "mul.lo.s32 {to}, {to}, {z}");
    }

    /// The address of the word in which blocks are counted.
    fn grid_word(&mut self) -> Reg {
        let [generic, word] = [(); 2].map(|()| self.regs.fresh(Class::B64));
        ptx!(self, "ld.param.u64 {generic}, [grid_barrier]");
        ptx!(self, "cvta.to.global.u64 {word}, {generic}");
        word
    }
}
