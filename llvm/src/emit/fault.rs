//! Checks, panics and prints: what a thread leaves for the host, and how it ends.
//!
//! The protocol is that of the built-in back end (`compiler/src/back/ptx/fault.rs` and
//! `output.rs`): a thread whose check fails leaves its details in the launch's [`FaultRecord`] and
//! exits, and nothing traps.
//!
//! **Where that stands.** Where threads may still meet ([`Facts::meets_later`]), the code of a
//! failing check stands in place and exits by inline PTX of which neither LLVM nor `ptxas` knows
//! that it does: control goes on behind the check as far as they can tell. So nothing that follows
//! a check may be undefined where it fails. Elsewhere a failing check branches to the kernel's end,
//! where all share one block.
//!
//! [`Facts::meets_later`]: warpwise_compiler::back::ptx::Facts::meets_later
use super::{
    emitter::{Effects, Emitter, Failure, Label, inst, line},
    value::{Type, Value},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    mem::offset_of,
};
use warpwise_compiler::{
    back::ptx::declared_threads,
    fault::{FaultRecord, Pieces, Reason},
    id::Id,
    ir::{Axis, Body, Builtin, CoarseGrid, Coarsening, Fault, InstId, MessageId},
    output::{CAPACITY_BYTES, END_MARKER, HEADER_BYTES, LOST_OFFSET, USED_OFFSET, record_bytes},
};

/// A part of the details that a failing check records.
#[derive(Clone)]
pub(super) struct Detail {
    value: Value,
    /// The bits of the value that may be other than 0.
    bits: u32,
}

impl Emitter<'_> {
    /// Ends the thread unless `index < len`; yields the index.
    pub(super) fn bounds(&mut self, id: InstId, index: InstId, len: InstId) -> Value {
        let details = [index, len].map(|value| self.detail(value));
        let [index, len] = details.each_ref().map(|detail| &detail.value);
        let inside = inst!(self, Type::I1, "icmp ult {index}, {}", len.name);
        let index = index.clone();
        self.fail_unless(&inside, id, Reason::Check(Fault::IndexOutOfBounds), details.into());
        index
    }

    /// Ends the thread unless `cond` holds.
    pub(super) fn check(&mut self, id: InstId, cond: InstId, fault: Fault) {
        let cond = self.value(cond);
        self.fail_unless(&cond, id, Reason::Check(fault), Vec::new());
    }

    fn fail_unless(&mut self, cond: &Value, at: InstId, reason: Reason, details: Vec<Detail>) {
        let [passed, fault] = ["passed", "fault"].map(|what| Label::of(what, at));
        let likely = self.likely();
        line!(self, "br {cond}, label %{passed}, label %{fault}, !prof !{likely}");
        self.open = false;
        let failure = Failure { at, reason, details };
        if !self.facts.meets_later(at) {
            self.failures.push(failure);
        } else if let Some(failures) = &mut self.failures_of_arm {
            failures.push(failure);
        } else {
            self.label(fault);
            self.fail_here(&failure);
        }
        self.label(passed);
    }

    /// Ends the thread with a message.
    pub(super) fn panic(&mut self, at: InstId, message: MessageId, args: &[InstId]) {
        let details = args.iter().map(|&arg| self.detail(arg)).collect();
        let failure = Failure { at, reason: Reason::Panic(message), details };
        if self.facts.meets_later(at) {
            self.fail_here(&failure);
        } else {
            self.failures.push(failure);
            self.jump(Label::of("fault", at));
        }
    }

    fn detail(&mut self, id: InstId) -> Detail {
        let value = self.value(id);
        let is_narrow = value.ty == Type::I64 && self.facts.fits(id);
        let bits = if is_narrow { u32::BITS } else { value.ty.bits() };
        Detail { value, bits }
    }

    /// Leaves the details and exits, without LLVM and `ptxas` knowing.
    fn fail_here(&mut self, failure: &Failure) {
        let pieces = self.pieces(failure);
        self.record(&pieces);
        self.exit_if_any();
    }

    /// Ends the thread without a fault.
    pub(super) fn end_thread(&mut self, at: InstId) {
        if self.facts.meets_later(at) {
            self.exit_if_any();
        } else {
            self.leave_kernel();
        }
    }

    /// Returns from the kernel.
    pub(super) fn leave_kernel(&mut self) {
        self.depart();
        line!(self, "ret void");
        self.open = false;
    }

    /// Exits, without LLVM and `ptxas` knowing.
    fn exit_if_any(&mut self) {
        self.depart();
        let text = "{\n.reg .pred w_always;\n\
                    setp.ne.u64 w_always, $0, 0;\n\
                    @w_always exit;\n}";
        self.asm_line(text, &[record_address()], Effects::Memory);
    }

    /// Everything that checks branch to where threads do not meet any more.
    pub(super) fn failed(&mut self) {
        let failures = std::mem::take(&mut self.failures);
        if failures.is_empty() {
            return;
        }
        self.report(failures);
        match self.kernel.coarsening {
            // The thread did the work of one of several.
            Some(Coarsening { threads, .. }) => self.jump(Label::of("next", threads)),
            None => self.leave_kernel(),
        }
    }

    /// Emits the second arm of an `if`, in front of `end`, which only finds the check that fails
    /// and neither branches nor meets other threads. Where threads may still meet, its checks share
    /// a report, which would otherwise be repeated for each element of a row.
    pub(super) fn failing_arm(&mut self, arm: &Body, end: Label) {
        let around = self.failures_of_arm.replace(Vec::new());
        self.body(arm);
        let failures = std::mem::replace(&mut self.failures_of_arm, around).unwrap_or_default();
        if failures.is_empty() {
            return;
        }
        if self.open {
            self.jump(end);
        }
        self.report(failures);
        self.exit_if_any();
    }

    /// Emits the details of each failure, and the code that they share.
    fn report(&mut self, failures: Vec<Failure>) {
        let Some(last) = failures.last().map(|failure| failure.at) else { return };
        let shared = Label::of("record", last);
        let mut incoming: Vec<(Label, BTreeMap<usize, Value>)> = Vec::new();
        for failure in failures {
            let from = Label::of("fault", failure.at);
            self.label(from);
            let pieces = self.pieces(&failure);
            self.jump(shared);
            incoming.push((from, pieces));
        }
        self.label(shared);
        let offsets: BTreeSet<usize> =
            incoming.iter().flat_map(|(_, pieces)| pieces.keys().copied()).collect();
        let joined = offsets.into_iter().map(|offset| {
            let cases = incoming.iter().map(|(from, pieces)| {
                let piece = pieces.get(&offset).map_or("0", |piece| &piece.name);
                format!("[ {piece}, %{from} ]")
            });
            let cases = cases.collect::<Vec<_>>().join(", ");
            (offset, inst!(self, Type::I32, "phi i32 {cases}"))
        });
        let joined = joined.collect();
        self.record(&joined);
    }

    fn piece_sizes(&self) -> Pieces {
        Pieces::of_kernels(self.kernel.wide_index)
    }

    /// Emits the computation of what a failure brings: 32 bits or less for words of the record, by
    /// their offsets in bytes.
    fn pieces(&mut self, failure: &Failure) -> BTreeMap<usize, Value> {
        let sizes = self.piece_sizes();
        let check = sizes.of_check(failure.reason, self.kernel.insts[failure.at].span);
        let mut pieces: BTreeMap<usize, Value> =
            check.map(|(offset, piece)| (offset, Value::i32(piece))).collect();
        for (number, detail) in failure.details.iter().enumerate() {
            let bits = self.bits(&detail.value);
            for place in 0..detail.bits.div_ceil(sizes.bits()) {
                let piece = self.piece(&bits, place * sizes.bits(), sizes.bits());
                pieces.insert(FaultRecord::value_offset(number, place as usize), piece);
            }
        }
        pieces
    }

    /// Up to 32 bits of an integer, from bit `first` on.
    fn piece(&mut self, value: &Value, first: u32, bits: u32) -> Value {
        let shifted = match first {
            0 => value.clone(),
            _ => inst!(self, value.ty, "lshr {value}, {first}"),
        };
        let narrow = match value.ty {
            Type::I64 => self.truncate(&shifted, Type::I32),
            _ => self.zero_extend(&shifted, Type::I32),
        };
        if bits == u32::BITS {
            return narrow;
        }
        inst!(self, Type::I32, "and {narrow}, {}", (1 << bits) - 1)
    }

    /// Sets the flag, counts the thread, and brings its pieces if no lower thread has come before
    /// it. That is a function for each list of words, for the sake of who reads the text: LLVM
    /// inlines it.
    fn record(&mut self, pieces: &BTreeMap<usize, Value>) {
        let offsets: Vec<String> = pieces.keys().map(ToString::to_string).collect();
        let name = format!("@record_at_{}", offsets.join("_"));
        let block = self.block_of_launch();
        let operands: Vec<Value> = [record_address()]
            .into_iter()
            .chain(pieces.values().cloned())
            .chain(block.into_iter().flatten())
            .collect();
        let text = self.record_text(pieces);
        let params = operands.iter().enumerate();
        let params: Vec<Value> =
            params.map(|(i, operand)| Value::new(operand.ty, format!("%{i}"))).collect();
        self.define_function(&name, &text, &params);
        let args = operands.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        line!(self, "call void {name}({args})");
    }

    /// The index of the launch's block that the thread is at, and the number of blocks, along the
    /// axis on which threads are coarsened.
    fn block_of_launch(&mut self) -> Option<[Value; 2]> {
        let Coarsening { grid: CoarseGrid { axis, .. }, threads } = self.kernel.coarsening?;
        let first = self.builtin(Builtin::BlockIdx(axis));
        let further = inst!(self, Type::I32, "load i32, ptr %counter{}", threads.index());
        let block = inst!(self, Type::I32, "add nuw nsw {first}, {}", further.name);
        Some([block, self.builtin(Builtin::GridDim(axis))])
    }

    /// Returns inline PTX that records pieces: its operands are the record's address, the pieces,
    /// and [`block_of_launch`](Self::block_of_launch).
    fn record_text(&self, pieces: &BTreeMap<usize, Value>) -> String {
        let (sizes, count) = (self.piece_sizes(), offset_of!(FaultRecord, count));
        let check = FaultRecord::check_offset(0);
        let number = self.launch_number(pieces.len() + 1);
        let is_lowest = match sizes {
            // The number is the upper half of the first word; a stale one costs work, no result.
            Pieces::Bits32 => format!(
                ".reg .b32 w_lowest;\n\
                 red.relaxed.gpu.global.add.u32 [w_record+{count}], 1;\n\
                 {number}\
                 ld.relaxed.gpu.global.u32 w_lowest, [w_record+{}];\n\
                 setp.gt.u32 w_is_lowest, w_lowest, w_thread;\n",
                check + size_of::<u32>()
            ),
            Pieces::Bits24 => format!(
                ".reg .b64 w_lowest, w_number;\n\
                 red.relaxed.gpu.global.add.u64 [w_record+{count}], 1;\n\
                 {number}\
                 shl.b64 w_number, w_thread, {};\n\
                 ld.relaxed.gpu.global.u64 w_lowest, [w_record+{check}];\n\
                 setp.gt.u64 w_is_lowest, w_lowest, w_number;\n",
                sizes.bits()
            ),
        };
        let mut text = format!(
            "{{\n\
             .reg .b64 w_record, w_flag, w_word;\n\
             .reg .pred w_is_lowest;\n\
             cvta.to.global.u64 w_record, $0;\n\
             {}{is_lowest}\
             @!w_is_lowest bra w_recorded;\n",
            set_flag("w_record", "w_flag")
        );
        for (i, offset) in pieces.keys().enumerate() {
            let piece = i + 1;
            let word = match sizes {
                Pieces::Bits32 => format!("mov.b64 w_word, {{${piece}, w_thread}};\n"),
                Pieces::Bits24 => format!(
                    "cvt.u64.u32 w_word, ${piece};\n\
                     or.b64 w_word, w_word, w_number;\n"
                ),
            };
            writeln!(text, "{word}red.relaxed.gpu.global.min.u64 [w_record+{offset}], w_word;")
                .expect("a string takes everything");
        }
        text + "w_recorded:\n}"
    }

    /// Returns the text that computes in `w_thread` the thread's number in the launch: the block's,
    /// x fastest, times the threads in a block, plus the thread's number in its block. It has 64
    /// bits if the kernel has `wide_index`. Of a coarsened kernel, the block and the number of
    /// blocks along its axis are the operands from `first` on.
    fn launch_number(&self, first: usize) -> String {
        let axes = [Axis::X, Axis::Y, Axis::Z];
        let in_block = match axes.map(|axis| declared_threads(self.kernel, axis)) {
            [Some(width), Some(1), Some(1)] => {
                format!("mov.u32 w_own, %tid.x;\nmov.u32 w_threads, {width};\n")
            }
            declared => {
                let [width, height, depth] = axes.map(|axis| match declared[axis as usize] {
                    Some(threads) => threads.to_string(),
                    None => format!("%ntid.{}", axis.name()),
                });
                format!(
                    ".reg .b32 w_x, w_y, w_z, w_width, w_height;\n\
                     mov.u32 w_x, %tid.x;\nmov.u32 w_y, %tid.y;\nmov.u32 w_z, %tid.z;\n\
                     mov.u32 w_width, {width};\nmov.u32 w_height, {height};\n\
                     mov.u32 w_threads, {depth};\n\
                     mad.lo.u32 w_own, w_z, w_height, w_y;\n\
                     mad.lo.u32 w_own, w_own, w_width, w_x;\n\
                     mul.lo.u32 w_threads, w_threads, w_height;\n\
                     mul.lo.u32 w_threads, w_threads, w_width;\n"
                )
            }
        };
        let blocks = "mov.u32 w_bx, %ctaid.x;\nmov.u32 w_by, %ctaid.y;\nmov.u32 w_bz, %ctaid.z;\n\
                      mov.u32 w_columns, %nctaid.x;\nmov.u32 w_rows, %nctaid.y;\n";
        let blocks = match self.kernel.coarsening {
            None => blocks.to_owned(),
            Some(Coarsening { grid: CoarseGrid { axis, .. }, .. }) => blocks
                .replace(&format!("%ctaid.{}", axis.name()), &format!("${first}"))
                .replace(&format!("%nctaid.{}", axis.name()), &format!("${}", first + 1)),
        };
        // There are fewer than 2^32 blocks along y and z together.
        let (bits, number) = match self.piece_sizes() {
            Pieces::Bits32 => (
                32,
                "mad.lo.u32 w_bx, w_by, w_columns, w_bx;\n\
                 mad.lo.u32 w_thread, w_bx, w_threads, w_own;\n",
            ),
            Pieces::Bits24 => (
                64,
                ".reg .b64 w_block, w_wide;\n\
                 cvt.u64.u32 w_wide, w_bx;\n\
                 mad.wide.u32 w_block, w_by, w_columns, w_wide;\n\
                 cvt.u64.u32 w_wide, w_threads;\n\
                 mul.lo.u64 w_block, w_block, w_wide;\n\
                 cvt.u64.u32 w_wide, w_own;\n\
                 add.u64 w_thread, w_block, w_wide;\n",
            ),
        };
        format!(
            ".reg .b{bits} w_thread;\n{{\n\
             .reg .b32 w_own, w_threads, w_bx, w_by, w_bz, w_columns, w_rows;\n\
             {in_block}{blocks}\
             mad.lo.u32 w_by, w_bz, w_rows, w_by;\n\
             {number}}}\n"
        )
    }

    /// Leaves a record of what is printed, and sets the flag, without branches. Kernels that print
    /// are not coarsened.
    pub(super) fn print(&mut self, message: MessageId, args: &[InstId]) {
        let bytes = record_bytes(args.len());
        let widen = match self.piece_sizes() {
            Pieces::Bits32 => "cvt.u64.u32 w_number, w_thread;\n",
            Pieces::Bits24 => "mov.b64 w_number, w_thread;\n",
        };
        let mut text = format!(
            "{{\n{}.reg .b64 w_number;\n{widen}.reg .b64 w_buffer, w_at, w_end, w_place, w_word;\n\
             .reg .pred w_fits, w_begins;\n\
             cvta.to.global.u64 w_buffer, $0;\n\
             atom.relaxed.gpu.global.add.u64 w_at, [w_buffer+{USED_OFFSET}], {bytes};\n\
             add.s64 w_end, w_at, {bytes};\n\
             setp.le.u64 w_fits, w_end, {CAPACITY_BYTES};\n\
             setp.lt.u64 w_begins, w_at, {CAPACITY_BYTES};\n\
             add.s64 w_place, w_buffer, w_at;\n\
             @!w_fits red.relaxed.gpu.global.add.u64 [w_buffer+{LOST_OFFSET}], 1;\n\
             selp.b64 w_word, {}, {}, w_fits;\n\
             @w_begins st.global.u64 [w_place+{HEADER_BYTES}], w_word;\n",
            self.launch_number(args.len() + 2),
            message.index(),
            END_MARKER as i64
        );
        let values = (0..args.len()).map(|value| format!("${}", value + 2));
        let words = ["$1".to_owned(), "w_number".to_owned()].into_iter().chain(values);
        for (word, value) in words.enumerate() {
            let at = HEADER_BYTES + (word + 1) * size_of::<u64>();
            writeln!(text, "@w_fits st.global.u64 [w_place+{at}], {value};")
                .expect("a string takes everything");
        }
        write!(text, "cvta.to.global.u64 w_place, $1;\n{}}}", set_flag("w_place", "w_word"))
            .expect("a string takes everything");
        let mut operands = vec![Value::new(Type::I64, "%print_buffer"), record_address()];
        for &arg in args {
            let value = self.value(arg);
            let bits = self.bits_in_64(&value);
            operands.push(bits);
        }
        self.asm_line(&text, &operands, Effects::Memory);
    }
}

/// Returns the text that sets the flag whose address is in the record at `record` in global memory.
/// The text overwrites the register `flag`.
fn set_flag(record: &str, flag: &str) -> String {
    format!(
        "ld.global.u64 {flag}, [{record}+{}];\n\
         cvta.to.global.u64 {flag}, {flag};\n\
         st.relaxed.sys.global.u32 [{flag}], 1;\n",
        FaultRecord::FLAG_OFFSET
    )
}

pub(super) fn record_address() -> Value {
    Value::new(Type::I64, "%fault_record")
}
