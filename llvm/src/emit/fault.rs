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
use std::{fmt::Write, mem::offset_of};
use warpwise_compiler::{
    fault::{FaultRecord, PIECE_BITS, Reason},
    id::Id,
    ir::{Body, Builtin, CoarseGrid, Coarsening, Fault, InstId, MessageId},
    output::{CAPACITY_BYTES, END_MARKER, HEADER_BYTES, LOST_OFFSET, USED_OFFSET, record_bytes},
};

/// The thread's number in the launch, in `w_thread`: the block's, x fastest, times the threads in a
/// block, plus the thread's number in its block.
const LAUNCH_NUMBER: &str = ".reg .b64 w_thread;\n{\n\
    .reg .b32 w_tx, w_ty, w_tz, w_width, w_height, w_depth, w_bx, w_by, w_bz, w_columns, w_rows;\n\
    .reg .b32 w_row, w_own, w_layer, w_threads;\n\
    .reg .b64 w_wide, w_line, w_block;\n\
    mov.u32 w_tx, %tid.x;\nmov.u32 w_ty, %tid.y;\nmov.u32 w_tz, %tid.z;\n\
    mov.u32 w_width, %ntid.x;\nmov.u32 w_height, %ntid.y;\nmov.u32 w_depth, %ntid.z;\n\
    mov.u32 w_bx, %ctaid.x;\nmov.u32 w_by, %ctaid.y;\nmov.u32 w_bz, %ctaid.z;\n\
    mov.u32 w_columns, %nctaid.x;\nmov.u32 w_rows, %nctaid.y;\n\
    mad.lo.s32 w_row, w_tz, w_height, w_ty;\n\
    mad.lo.s32 w_own, w_row, w_width, w_tx;\n\
    mul.lo.s32 w_layer, w_width, w_height;\n\
    mul.lo.s32 w_threads, w_layer, w_depth;\n\
    cvt.u64.u32 w_wide, w_by;\n\
    mad.wide.u32 w_line, w_bz, w_rows, w_wide;\n\
    cvt.u64.u32 w_wide, w_columns;\n\
    mul.lo.s64 w_line, w_line, w_wide;\n\
    cvt.u64.u32 w_wide, w_bx;\n\
    add.s64 w_block, w_line, w_wide;\n\
    cvt.u64.u32 w_wide, w_threads;\n\
    mul.lo.s64 w_block, w_block, w_wide;\n\
    cvt.u64.u32 w_wide, w_own;\n\
    add.s64 w_thread, w_block, w_wide;\n}\n";

impl Emitter<'_> {
    /// Ends the thread unless `index < len`; yields the index.
    pub(super) fn bounds(&mut self, id: InstId, index: InstId, len: InstId) -> Value {
        let values = [index, len].map(|value| self.value(value));
        let inside = inst!(self, Type::I1, "icmp ult {}, {}", values[0], values[1].name);
        let reason = Reason::Check(Fault::IndexOutOfBounds);
        self.fail_unless(&inside, id, reason, &values);
        self.value(index)
    }

    /// Ends the thread unless `cond` holds.
    pub(super) fn check(&mut self, id: InstId, cond: InstId, fault: Fault) {
        let cond = self.value(cond);
        self.fail_unless(&cond, id, Reason::Check(fault), &[]);
    }

    fn fail_unless(&mut self, cond: &Value, at: InstId, reason: Reason, values: &[Value]) {
        let [passed, fault] = ["passed", "fault"].map(|what| Label::of(what, at));
        let likely = self.likely();
        line!(self, "br {cond}, label %{passed}, label %{fault}, !prof !{likely}");
        self.open = false;
        let failure = Failure { at, check: self.check_bits(at, reason), values: values.to_vec() };
        if !self.facts.meets_later(at) {
            self.failures.push(failure);
        } else if let Some(failures) = &mut self.failures_of_arm {
            failures.push(failure);
        } else {
            self.label(fault);
            self.fail_here(at, reason, values);
        }
        self.label(passed);
    }

    /// Ends the thread with a message.
    pub(super) fn panic(&mut self, at: InstId, message: MessageId, args: &[InstId]) {
        let values: Vec<Value> = args.iter().map(|&arg| self.value(arg)).collect();
        let reason = Reason::Panic(message);
        if self.facts.meets_later(at) {
            self.fail_here(at, reason, &values);
        } else {
            let check = self.check_bits(at, reason);
            self.failures.push(Failure { at, check, values });
            self.jump(Label::of("fault", at));
        }
    }

    /// Leaves the details and exits, without LLVM and `ptxas` knowing.
    fn fail_here(&mut self, at: InstId, reason: Reason, values: &[Value]) {
        let check = Value::i64(self.check_bits(at, reason));
        let values: Vec<Value> = values.iter().map(|value| self.bits_in_64(value)).collect();
        self.record(&check, &values);
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
    /// a report: one for each is 75 instructions for each element of a row.
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
        let most = failures.iter().map(|failure| failure.values.len()).max().unwrap_or(0);
        let shared = Label::of("record", last);
        let mut incoming: Vec<(Label, Vec<Value>)> = Vec::new();
        for failure in failures {
            let from = Label::of("fault", failure.at);
            self.label(from);
            let mut brought = vec![Value::i64(failure.check)];
            for value in &failure.values {
                let bits = self.bits_in_64(value);
                brought.push(bits);
            }
            brought.resize(most + 1, Value::i64(0));
            self.jump(shared);
            incoming.push((from, brought));
        }
        self.label(shared);
        let joined: Vec<Value> = (0..=most)
            .map(|word| {
                let cases = incoming
                    .iter()
                    .map(|(from, values)| format!("[ {}, %{from} ]", values[word].name));
                let cases = cases.collect::<Vec<_>>().join(", ");
                inst!(self, Type::I64, "phi i64 {cases}")
            })
            .collect();
        self.record(&joined[0], &joined[1..]);
    }

    /// Returns the identity of the failed check, as bits of the record.
    fn check_bits(&self, at: InstId, reason: Reason) -> u64 {
        let span = self.kernel.insts[at].span.index() as u64;
        u64::from(reason.number()) << u32::BITS | span
    }

    /// Counts the thread, brings its details if no lower one has come before it, and sets the flag.
    /// That is a function for each number of values, for the sake of who reads the text: LLVM
    /// inlines it.
    ///
    /// Each piece is brought only if no lower thread has brought that piece: `ptxas` would prepare
    /// all of them at once, with two registers each, and a thread that needs 32 registers for its
    /// work would have 38.
    fn record(&mut self, check: &Value, values: &[Value]) {
        let name = format!("@record_{}_values", values.len());
        let mut operands: Vec<Value> =
            [&record_address(), check].into_iter().chain(values).cloned().collect();
        self.define_record(&name, values.len());
        operands.extend(self.block_of_launch().into_iter().flatten());
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

    fn define_record(&mut self, name: &str, values: usize) {
        let launch_number = launch_number(self.kernel.coarsening, values + 2);
        let operands = values + 2 + if self.kernel.coarsening.is_some() { 2 } else { 0 };
        let operands = (0..operands).map(|number| {
            // Behind the values, block and grid.
            let ty = if number < values + 2 { Type::I64 } else { Type::I32 };
            Value::new(ty, format!("%{number}"))
        });
        let operands: Vec<Value> = operands.collect();
        let [count, check_at, values_at] = [
            offset_of!(FaultRecord, count),
            offset_of!(FaultRecord, check),
            offset_of!(FaultRecord, values),
        ];
        let mut text = format!(
            "{{\n{launch_number}.reg .b64 w_record, w_place, w_lowest, w_piece;\n.reg .pred w_first;\n\
             cvta.to.global.u64 w_record, $0;\n\
             shl.b64 w_place, w_thread, {PIECE_BITS};\n\
             red.relaxed.gpu.global.add.u64 [w_record+{count}], 1;\n\
             ld.relaxed.gpu.global.u64 w_lowest, [w_record+{check_at}];\n\
             setp.gt.u64 w_first, w_lowest, w_place;\n\
             @!w_first bra w_recorded;\n"
        );
        let check_pieces = (0..2).map(|piece| (check_at, 1, piece));
        let value_pieces = (0..values).flat_map(|value| {
            let at = values_at + value * size_of::<[u64; 3]>();
            (0..3).map(move |piece| (at, value + 2, piece))
        });
        for (at, operand, piece) in check_pieces.chain(value_pieces) {
            let (shift, at) = (piece * PIECE_BITS as usize, at + piece * size_of::<u64>());
            write!(
                text,
                "bfe.u64 w_piece, ${operand}, {shift}, {PIECE_BITS};\n\
                 or.b64 w_piece, w_piece, w_place;\n\
                 atom.relaxed.gpu.global.min.u64 w_lowest, [w_record+{at}], w_piece;\n\
                 setp.gt.u64 w_first, w_lowest, w_place;\n\
                 @!w_first bra w_recorded;\n"
            )
            .expect("a string takes everything");
        }
        write!(text, "w_recorded:\n{}}}", set_flag("w_record", "w_lowest"))
            .expect("a string takes everything");
        self.define_function(name, &text, &operands);
    }

    /// Leaves a record of what is printed, and sets the flag, without branches.
    pub(super) fn print(&mut self, message: MessageId, args: &[InstId]) {
        let bytes = record_bytes(args.len());
        let mut text = format!(
            "{{\n{LAUNCH_NUMBER}.reg .b64 w_buffer, w_at, w_end, w_place, w_word;\n\
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
            message.index(),
            END_MARKER as i64
        );
        let values = (0..args.len()).map(|value| format!("${}", value + 2));
        let words = ["$1".to_owned(), "w_thread".to_owned()].into_iter().chain(values);
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

/// Returns [`LAUNCH_NUMBER`] for a thread whose block and grid along the axis of `coarsening` are
/// the operands from `first` on.
fn launch_number(coarsening: Option<Coarsening>, first: usize) -> String {
    let Some(coarsening) = coarsening else { return LAUNCH_NUMBER.to_owned() };
    let axis = coarsening.grid.axis.name();
    LAUNCH_NUMBER
        .replace(&format!("%ctaid.{axis}"), &format!("${first}"))
        .replace(&format!("%nctaid.{axis}"), &format!("${}", first + 1))
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
