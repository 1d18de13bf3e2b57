//! Checks and panics: how a thread ends early.
//!
//! A check is a compare and a branch that is not taken. A thread whose check fails leaves its
//! details in the launch's [`FaultRecord`], which takes a handful of atomic minima and no lock, and
//! exits; nothing traps. A kernel without checks has none of this. The driver compiles that code once
//! for each place, so its length counts: when it was three times as long, it took 40 % of the time to
//! load a kernel.
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
    facts::declared_threads,
    reg::{Class, Imm, Operand, Reg, arithmetic},
};
use crate::{
    fault::{FaultRecord, Pieces, Reason},
    ir::{Axis, Coarsening, Fault, InstId, MessageId, Scalar},
};
use std::{collections::BTreeSet, mem::offset_of};

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

/// A check that fails, or a panic.
pub(super) struct Failure {
    at: InstId,
    reason: Reason,
    /// The index and the length, for one out of bounds, or the values of a message.
    values: Vec<Operand>,
}

/// A piece of the details that a failing check records.
struct Piece {
    /// The offset in bytes of its word in the record.
    offset: usize,
    /// 32 bits.
    piece: Operand,
}

pub(super) const fn literal(bits: u64) -> Operand {
    Operand::Imm(Imm { bits, scalar: Scalar::U64 })
}

const fn narrow_literal(bits: u32) -> Operand {
    Operand::Imm(Imm { bits: bits as u64, scalar: Scalar::U32 })
}

impl Emitter<'_> {
    /// Ends the thread unless `index < len`; yields the index.
    pub(super) fn bounds(&mut self, id: InstId, index: InstId, len: InstId) -> Value {
        let narrow = self.facts.fits(index) && self.facts.fits(len);
        let ty = if narrow { "u32" } else { arithmetic(self.scalar(index)) };
        let operands =
            [index, len].map(|value| if narrow { self.low(value) } else { self.operand(value) });
        let inside = self.regs.fresh(Class::Pred);
        ptx!(self, "setp.lt.{ty} {inside}, {}, {}", operands[0], operands[1]);
        let reason = Reason::Check(Fault::IndexOutOfBounds);
        let mut values = operands;
        for (value, id) in values.iter_mut().zip([index, len]) {
            if self.facts.fits(id) {
                *value = self.low(id);
            }
        }
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
        let details = self.details(failure);
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
        let shared = Label::of("record", last);
        let offsets = failures.iter().flat_map(|failure| self.offsets(failure));
        let brought: BTreeSet<usize> = offsets.collect();
        let brought: Vec<(usize, Reg)> =
            brought.into_iter().map(|offset| (offset, self.regs.fresh(Class::B32))).collect();
        for failure in failures {
            self.set_loc(failure.at);
            self.code.label(Label::of("fault", failure.at));
            let details = self.details(&failure);
            for (offset, to) in &brought {
                let detail = details.iter().find(|detail| detail.offset == *offset);
                let piece = detail.map_or(narrow_literal(0), |detail| detail.piece);
                ptx!(self, "mov.b32 {to}, {piece}");
            }
            if failure.at != last {
                self.code.jump(shared);
            }
        }
        self.code.label(shared);
        let details =
            brought.into_iter().map(|(offset, reg)| Piece { offset, piece: Operand::Reg(reg) });
        self.record(last, &details.collect::<Vec<_>>());
    }

    fn piece_sizes(&self) -> Pieces {
        Pieces::of_kernels(self.kernel.wide_index)
    }

    /// Returns the offsets of the words of the record that a failure brings.
    fn offsets(&self, failure: &Failure) -> Vec<usize> {
        let check = self.check_pieces(failure).map(|(offset, _)| offset);
        let values = failure.values.iter().enumerate().flat_map(|(i, value)| {
            (0..self.piece_count(*value)).map(move |piece| FaultRecord::value_offset(i, piece))
        });
        check.chain(values).collect()
    }

    /// Returns the number of pieces of a value that may be other than 0.
    fn piece_count(&self, value: Operand) -> usize {
        let sizes = self.piece_sizes();
        let bits = match value {
            Operand::Imm(imm) => u64::BITS - imm.bits.leading_zeros(),
            Operand::Reg(reg) if reg.class == Class::B32 => u32::BITS,
            Operand::Reg(_) => u64::BITS,
        };
        bits.div_ceil(sizes.bits()) as usize
    }

    /// Returns what a failure brings of its check.
    fn check_pieces(&self, failure: &Failure) -> impl Iterator<Item = (usize, u32)> + use<> {
        self.piece_sizes().of_check(failure.reason, self.kernel.insts[failure.at].span)
    }

    /// Emits the computation of what a failure brings.
    fn details(&mut self, failure: &Failure) -> Vec<Piece> {
        let check = self.check_pieces(failure);
        let mut details: Vec<Piece> =
            check.map(|(offset, piece)| Piece { offset, piece: narrow_literal(piece) }).collect();
        for (i, value) in failure.values.iter().enumerate() {
            let pieces = self.pieces(*value).into_iter().enumerate();
            details.extend(pieces.map(|(place, piece)| Piece {
                offset: FaultRecord::value_offset(i, place),
                piece,
            }));
        }
        details
    }

    /// Emits the computation of the [pieces](Self::piece_count) of an unsigned value, the lowest
    /// first.
    fn pieces(&mut self, value: Operand) -> Vec<Operand> {
        let (sizes, count) = (self.piece_sizes(), self.piece_count(value));
        let reg = match value {
            Operand::Imm(imm) => {
                return sizes.of_bits(imm.bits)[..count]
                    .iter()
                    .copied()
                    .map(narrow_literal)
                    .collect();
            }
            Operand::Reg(reg) => reg,
        };
        match (sizes, reg.class) {
            (Pieces::Bits32, Class::B32) => vec![value],
            (Pieces::Bits32, _) => {
                let [low, high] = [(); 2].map(|()| self.regs.fresh(Class::B32));
                ptx!(self, "mov.b64 {{{low}, {high}}}, {reg}");
                [low, high].map(Operand::Reg).into()
            }
            (Pieces::Bits24, class) => {
                let ty = if class == Class::B32 { "u32" } else { "u64" };
                let piece = |place| {
                    let (extracted, piece) = (self.regs.fresh(class), self.regs.fresh(Class::B32));
                    let (first, bits) = (place * sizes.bits() as usize, sizes.bits());
                    ptx!(self, "bfe.{ty} {extracted}, {reg}, {first}, {bits}");
                    ptx!(self, "cvt.u32.{ty} {piece}, {extracted}");
                    Operand::Reg(piece)
                };
                (0..count).map(piece).collect()
            }
        }
    }

    /// Sets the flag, counts the thread and, if no lower thread has come before it, brings its
    /// details. After the details, the flag would cost two registers from `sm_90` on.
    fn record(&mut self, at: InstId, details: &[Piece]) {
        let recorded = Label::of("recorded", at);
        let record = self.regs.fresh(Class::B64);
        let address = self.record_address();
        ptx!(self, "cvta.to.global.u64 {record}, {address}");
        self.set_flag(record);
        let (count, check) = (offset_of!(FaultRecord, count), FaultRecord::check_offset(0));
        let is_lowest = self.regs.fresh(Class::Pred);
        let number = match self.piece_sizes() {
            Pieces::Bits32 => {
                ptx!(self, "red.relaxed.gpu.global.add.u32 [{record}+{count}], 1");
                let (number, lowest) = (self.launch_number(), self.regs.fresh(Class::B32));
                // The number in the upper half of the first word. A stale or torn one costs work
                // and no result: what is brought is the minimum in any case.
                let lowest_number = check + size_of::<u32>();
                ptx!(self, "ld.relaxed.gpu.global.u32 {lowest}, [{record}+{lowest_number}]");
                ptx!(self, "setp.gt.u32 {is_lowest}, {lowest}, {number}");
                number
            }
            Pieces::Bits24 => {
                ptx!(self, "red.relaxed.gpu.global.add.u64 [{record}+{count}], 1");
                let thread = self.launch_number();
                let [number, lowest] = [(); 2].map(|()| self.regs.fresh(Class::B64));
                ptx!(self, "shl.b64 {number}, {thread}, {}", self.piece_sizes().bits());
                ptx!(self, "ld.relaxed.gpu.global.u64 {lowest}, [{record}+{check}]");
                ptx!(self, "setp.gt.u64 {is_lowest}, {lowest}, {number}");
                number
            }
        };
        // One branch, which `ptxas` would otherwise make for each word.
        self.code.branch(format_args!("!{is_lowest}"), recorded);
        for Piece { offset, piece } in details {
            let word = self.regs.fresh(Class::B64);
            let piece = match piece {
                Operand::Reg(reg) => *reg,
                Operand::Imm(_) => {
                    let reg = self.regs.fresh(Class::B32);
                    ptx!(self, "mov.b32 {reg}, {piece}");
                    reg
                }
            };
            match self.piece_sizes() {
                Pieces::Bits32 => ptx!(self, "mov.b64 {word}, {{{piece}, {number}}}"),
                Pieces::Bits24 => {
                    let wide = self.regs.fresh(Class::B64);
                    ptx!(self, "cvt.u64.u32 {wide}, {piece}");
                    ptx!(self, "or.b64 {word}, {number}, {wide}");
                }
            }
            ptx!(self, "red.relaxed.gpu.global.min.u64 [{record}+{offset}], {word}");
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
    /// plus the thread's number in its block. It has 64 bits if the kernel has `wide_index`.
    pub(super) fn launch_number(&mut self) -> Reg {
        let (thread, threads) = self.number_in_block();
        let [bx, by, bz] = AXES.map(|axis| self.block_of_launch(axis));
        let [columns, rows] = [Axis::X, Axis::Y].map(|axis| self.grid_dim(axis));
        // There are fewer than 2^32 blocks along y and z together.
        let line = self.regs.fresh(Class::B32);
        ptx!(self, "mad.lo.u32 {line}, {bz}, {rows}, {by}");
        match self.piece_sizes() {
            Pieces::Bits32 => {
                let [block, number] = [(); 2].map(|()| self.regs.fresh(Class::B32));
                ptx!(self, "mad.lo.u32 {block}, {line}, {columns}, {bx}");
                ptx!(self, "mad.lo.u32 {number}, {block}, {threads}, {thread}");
                number
            }
            Pieces::Bits24 => {
                let [bx, thread] = [bx, thread].map(|narrow| {
                    let wide = self.regs.fresh(Class::B64);
                    ptx!(self, "cvt.u64.u32 {wide}, {narrow}");
                    wide
                });
                let [block, factor, number] = [(); 3].map(|()| self.regs.fresh(Class::B64));
                ptx!(self, "mad.wide.u32 {block}, {line}, {columns}, {bx}");
                ptx!(self, "cvt.u64.u32 {factor}, {threads}");
                ptx!(self, "mad.lo.u64 {number}, {block}, {factor}, {thread}");
                number
            }
        }
    }

    /// The thread's number in its block, and the threads of a block.
    fn number_in_block(&mut self) -> (Reg, Operand) {
        // Nothing from elsewhere in the kernel, which would occupy registers until here.
        let x = self.special("tid", Axis::X);
        let declared = AXES.map(|axis| declared_threads(self.kernel, axis));
        if let [Some(width), Some(1), Some(1)] = declared {
            return (x, narrow_literal(width as u32));
        }
        let [y, z] = [Axis::Y, Axis::Z].map(|axis| self.special("tid", axis));
        let [row, number] = [(); 2].map(|()| self.regs.fresh(Class::B32));
        let (width, height, threads) = match declared {
            [Some(width), Some(height), Some(depth)] => {
                let [width, height, threads] = [width, height, width * height * depth]
                    .map(|threads| narrow_literal(threads as u32));
                (width, height, threads)
            }
            _ => {
                let [width, height, depth] = AXES.map(|axis| self.special("ntid", axis));
                let [layer, threads] = [(); 2].map(|()| self.regs.fresh(Class::B32));
                ptx!(self, "mul.lo.u32 {layer}, {width}, {height}");
                ptx!(self, "mul.lo.u32 {threads}, {layer}, {depth}");
                (Operand::Reg(width), Operand::Reg(height), Operand::Reg(threads))
            }
        };
        ptx!(self, "mad.lo.u32 {row}, {z}, {height}, {y}");
        ptx!(self, "mad.lo.u32 {number}, {row}, {width}, {x}");
        (number, threads)
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
