//! Checks and panics: how a thread ends early.
//!
//! A check is a compare and a branch that is not taken. A thread whose check fails leaves its
//! details in the launch's [`FaultRecord`], which takes a handful of atomic minima and no lock, and
//! exits; nothing traps. A kernel without checks has none of this.
//!
//! **Where that stands.** `ptxas` has the lanes of a warp that go the same way, even in
//! different rounds of a loop, wait for each other at the start of that way. Were a failing check a
//! branch out of a loop with a barrier in it, its lane would wait there for lanes that wait at the
//! barrier for it. So where threads may still meet, the code of a failing check stands in place,
//! and comes back behind the check as far as `ptxas` can tell: the thread exits if the record has
//! an address, which it has. It has no loop and no call, so that loops around it unroll and no
//! register is kept for it. Checks that only values stand between have one such code, behind the
//! last of them; the values are not computed where one of the checks fails, and nobody needs them
//! there. `return` hides its exit likewise. Where threads do not meet again, a check branches to
//! the kernel's end, where all that do so share that code.
use super::{
    Emitter,
    code::Label,
    emitter::{Value, ptx},
    reg::{Class, Imm, Operand, Reg, arithmetic},
};
use crate::{
    fault::{FaultRecord, PIECE_BITS, Reason},
    id::Id,
    ir::{Axis, Coarsening, Fault, InstId, MessageId, Scalar},
};
use std::mem::offset_of;

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

/// A check that fails, or a panic.
pub(super) struct Failure {
    at: InstId,
    reason: Reason,
    /// The index and the length, for one out of bounds, or the values of a message.
    values: Vec<Operand>,
}

/// The details that a failing check records.
struct Details {
    check: [Operand; 2],
    values: Vec<[Operand; 3]>,
}

pub(super) const fn literal(bits: u64) -> Operand {
    Operand::Imm(Imm { bits, scalar: Scalar::U64 })
}

/// The bits of a piece.
const PIECE: u64 = (1 << PIECE_BITS) - 1;

impl Emitter<'_> {
    /// Ends the thread unless `index < len`; yields the index.
    pub(super) fn bounds(&mut self, id: InstId, index: InstId, len: InstId) -> Value {
        let narrow = self.facts.fits(index) && self.facts.fits(len);
        let ty = if narrow { "u32" } else { arithmetic(self.scalar(index)) };
        let values =
            [index, len].map(|value| if narrow { self.low(value) } else { self.operand(value) });
        let inside = self.regs.fresh(Class::Pred);
        ptx!(self, "setp.lt.{ty} {inside}, {}, {}", values[0], values[1]);
        let reason = Reason::Check(Fault::IndexOutOfBounds);
        self.fail_unless(inside, Failure { at: id, reason, values: values.into() });
        self.value(index)
    }

    /// Ends the thread unless `cond` holds.
    pub(super) fn check(&mut self, id: InstId, cond: InstId, fault: Fault) {
        let cond = self.reg(cond);
        let reason = Reason::Check(fault);
        self.fail_unless(cond, Failure { at: id, reason, values: Vec::new() });
    }

    fn fail_unless(&mut self, cond: Reg, failure: Failure) {
        if !self.facts.meets_later(failure.at) {
            self.code.branch(format_args!("!{cond}"), Label::of("fault", failure.at));
            self.failures.push(failure);
        } else if self.facts.shares_report(failure.at) {
            self.code.branch(format_args!("!{cond}"), Label::of("fault", failure.at));
            self.failures_here.push(failure);
        } else {
            let passed = Label::of("passed", failure.at);
            self.code.branch(cond, passed);
            self.scoped(|this| this.report_here(failure));
            self.code.label(passed);
        }
    }

    /// Ends the thread for the check just before, or for one that shares its report.
    fn report_here(&mut self, failure: Failure) {
        let others = std::mem::take(&mut self.failures_here);
        if others.is_empty() {
            return self.fail_here(&failure);
        }
        // The check just before falls into its part.
        self.report([failure].into_iter().chain(others).collect());
        self.exit_if_any();
    }

    /// Ends the thread with a message.
    pub(super) fn panic(&mut self, at: InstId, message: MessageId, args: &[InstId]) {
        if self.facts.meets_later(at) {
            let values = args.iter().map(|&arg| self.as_bits(arg)).collect();
            self.fail_here(&Failure { at, reason: Reason::Panic(message), values });
        } else {
            let elsewhere = self.panic_elsewhere(at, message, args);
            self.code.jump(elsewhere);
        }
    }

    /// Returns the label of the code that ends the thread with a message.
    pub(super) fn panic_elsewhere(
        &mut self,
        at: InstId,
        message: MessageId,
        args: &[InstId],
    ) -> Label {
        let values = args.iter().map(|&arg| self.as_bits(arg)).collect();
        self.failures.push(Failure { at, reason: Reason::Panic(message), values });
        Label::of("fault", at)
    }

    /// Leaves the details and exits, without `ptxas` knowing.
    fn fail_here(&mut self, failure: &Failure) {
        let values = failure.values.iter().map(|&value| self.pieces(value)).collect();
        let details = Details { check: self.check_pieces(failure), values };
        self.record(failure.at, &details);
        self.exit_if_any();
    }

    /// Ends the thread without a fault.
    pub(super) fn end_thread(&mut self, at: InstId) {
        if self.facts.meets_later(at) {
            self.exit_if_any();
        } else {
            self.depart();
            ptx!(self, "ret");
        }
    }

    /// Exits, without `ptxas` knowing.
    fn exit_if_any(&mut self) {
        self.depart();
        let (record, always) = (self.record_address(), self.regs.fresh(Class::Pred));
        ptx!(self, "setp.ne.u64 {always}, {record}, 0");
        ptx!(self, "@{always} exit");
    }

    /// Everything that checks branch to where threads do not meet any more.
    pub(super) fn failed(&mut self) {
        let failures = std::mem::take(&mut self.failures);
        if failures.is_empty() {
            return;
        }
        self.report(failures);
        if let Some(Coarsening { threads, .. }) = self.kernel.coarsening {
            return self.code.jump(Label::of("next", threads));
        }
        self.depart();
        ptx!(self, "exit");
    }

    /// Emits a few moves for each failure, and the code that they share.
    fn report(&mut self, failures: Vec<Failure>) {
        let Some(last) = failures.last().map(|failure| failure.at) else { return };
        let [low, high] = [(); 2].map(|()| self.regs.fresh(Class::B64));
        let most = failures.iter().map(|failure| failure.values.len()).max().unwrap_or(0);
        let brought: Vec<Reg> = (0..most).map(|_| self.regs.fresh(Class::B64)).collect();
        let shared = Label::of("record", last);
        for failure in failures {
            self.set_loc(failure.at);
            self.code.label(Label::of("fault", failure.at));
            let [check_low, check_high] = self.check_pieces(&failure);
            let values = failure.values.into_iter().chain(std::iter::repeat(literal(0)));
            ptx!(self, "mov.b64 {low}, {check_low}");
            ptx!(self, "mov.b64 {high}, {check_high}");
            for (to, value) in brought.iter().zip(values) {
                match value {
                    Operand::Reg(reg) if reg.class == Class::B32 => {
                        ptx!(self, "cvt.u64.u32 {to}, {reg}");
                    }
                    Operand::Reg(_) | Operand::Imm(_) => ptx!(self, "mov.b64 {to}, {value}"),
                }
            }
            if failure.at != last {
                self.code.jump(shared);
            }
        }
        self.code.label(shared);
        let values = brought.into_iter().map(|value| self.pieces(Operand::Reg(value))).collect();
        self.record(last, &Details { check: [low, high].map(Operand::Reg), values });
    }

    /// Returns the identity of the failed check.
    fn check_pieces(&self, failure: &Failure) -> [Operand; 2] {
        let span = self.kernel.insts[failure.at].span.index() as u64;
        let check = u64::from(failure.reason.number()) << u32::BITS | span;
        [check & PIECE, check >> PIECE_BITS].map(literal)
    }

    /// An unsigned value in three pieces, the lowest first.
    fn pieces(&mut self, value: Operand) -> [Operand; 3] {
        let [middle, high] = [PIECE_BITS, 2 * PIECE_BITS];
        let value = match value {
            Operand::Imm(Imm { bits, .. }) => {
                return [bits & PIECE, bits >> middle & PIECE, bits >> high].map(literal);
            }
            Operand::Reg(reg) if reg.class == Class::B32 => {
                let wide = self.regs.fresh(Class::B64);
                ptx!(self, "cvt.u64.u32 {wide}, {reg}");
                let [low, rest] = [(); 2].map(|()| self.regs.fresh(Class::B64));
                ptx!(self, "and.b64 {low}, {wide}, {PIECE}");
                ptx!(self, "shr.u64 {rest}, {wide}, {middle}");
                return [Operand::Reg(low), Operand::Reg(rest), literal(0)];
            }
            Operand::Reg(reg) => reg,
        };
        let pieces @ [low, mid, top] = [(); 3].map(|()| self.regs.fresh(Class::B64));
        ptx!(self, "and.b64 {low}, {value}, {PIECE}");
        ptx!(self, "bfe.u64 {mid}, {value}, {middle}, {PIECE_BITS}");
        ptx!(self, "shr.u64 {top}, {value}, {high}");
        pieces.map(Operand::Reg)
    }

    /// Counts the thread, sets the flag and, if no lower thread has come before it, brings its
    /// details. After the details, the flag would cost two registers from `sm_90` on.
    fn record(&mut self, at: InstId, details: &Details) {
        let recorded = Label::of("recorded", at);
        let [record, number, lowest] = [(); 3].map(|()| self.regs.fresh(Class::B64));
        let first = self.regs.fresh(Class::Pred);
        let place =
            |start: usize, word: usize| format!("[{record}+{}]", start + word * size_of::<u64>());
        let [count, check, values] = [
            offset_of!(FaultRecord, count),
            offset_of!(FaultRecord, check),
            offset_of!(FaultRecord, values),
        ];
        let address = self.record_address();
        let thread = self.launch_number();
        ptx!(self, "cvta.to.global.u64 {record}, {address}");
        ptx!(self, "shl.b64 {number}, {thread}, {PIECE_BITS}");
        ptx!(self, "red.relaxed.gpu.global.add.u64 {}, 1", place(count, 0));
        self.set_flag(record);
        ptx!(self, "ld.relaxed.gpu.global.u64 {lowest}, {}", place(check, 0));
        ptx!(self, "setp.gt.u64 {first}, {lowest}, {number}");
        // One branch, which `ptxas` would otherwise make for each word.
        self.code.branch(format_args!("!{first}"), recorded);
        let words = details.check.iter().enumerate().map(|(i, piece)| (place(check, i), piece));
        let pieces = details.values.iter().flatten().enumerate();
        let values = pieces.map(|(i, piece)| (place(values, i), piece));
        for (place, piece) in words.chain(values) {
            let word = self.regs.fresh(Class::B64);
            ptx!(self, "or.b64 {word}, {number}, {piece}");
            ptx!(self, "red.relaxed.gpu.global.min.u64 {place}, {word}");
        }
        self.code.label(recorded);
    }

    /// Sets the flag whose address is in the record at this address in global memory.
    pub(super) fn set_flag(&mut self, record: Reg) {
        let [generic, flag] = [(); 2].map(|()| self.regs.fresh(Class::B64));
        ptx!(self, "ld.global.u64 {generic}, [{record}+{}]", FaultRecord::FLAG_OFFSET);
        ptx!(self, "cvta.to.global.u64 {flag}, {generic}");
        ptx!(self, "st.relaxed.sys.global.u32 [{flag}], 1");
    }

    pub(super) fn record_address(&mut self) -> Reg {
        let record = self.regs.fresh(Class::B64);
        ptx!(self, "ld.param.u64 {record}, [fault_record]");
        record
    }

    /// The thread's number in the launch: the block's, x fastest, times the threads in a block,
    /// plus the thread's number in its block.
    pub(super) fn launch_number(&mut self) -> Reg {
        let [tx, ty, tz] = AXES.map(|axis| self.special("tid", axis));
        let [width, height, depth] = AXES.map(|axis| self.special("ntid", axis));
        let [bx, by, bz] = AXES.map(|axis| self.block_of_launch(axis));
        let [columns, rows] = [Axis::X, Axis::Y].map(|axis| self.grid_dim(axis));
        let [row, thread, layer, threads] = [(); 4].map(|()| self.regs.fresh(Class::B32));
        ptx!(self, "mad.lo.s32 {row}, {tz}, {height}, {ty}");
        ptx!(self, "mad.lo.s32 {thread}, {row}, {width}, {tx}");
        ptx!(self, "mul.lo.s32 {layer}, {width}, {height}");
        ptx!(self, "mul.lo.s32 {threads}, {layer}, {depth}");
        let [bx, by, columns, thread, threads] = [bx, by, columns, thread, threads].map(|narrow| {
            let wide = self.regs.fresh(Class::B64);
            ptx!(self, "cvt.u64.u32 {wide}, {narrow}");
            wide
        });
        let [line, block, number] = [(); 3].map(|()| self.regs.fresh(Class::B64));
        ptx!(self, "mad.wide.u32 {line}, {bz}, {rows}, {by}");
        ptx!(self, "mad.lo.s64 {block}, {line}, {columns}, {bx}");
        ptx!(self, "mad.lo.s64 {number}, {block}, {threads}, {thread}");
        number
    }

    /// The index of the launch's block that the thread is at.
    fn block_of_launch(&mut self, axis: Axis) -> Reg {
        let first = self.block_idx(axis);
        match self.kernel.coarsening {
            Some(coarsening) if coarsening.grid.axis == axis => {
                let (further, block) = (self.reg(coarsening.threads), self.regs.fresh(Class::B32));
                ptx!(self, "add.u32 {block}, {first}, {further}");
                block
            }
            Some(_) | None => first,
        }
    }
}
