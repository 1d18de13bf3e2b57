//! Checks, and how a thread ends early.
//!
//! A check is a compare and a branch that is not taken. A thread whose check fails calls
//! [`RECORD`] and exits; nothing traps. The function counts the thread in the launch's [`FaultRecord`] and,
//! while no thread with a lower number has faulted, writes the details under the record's lock:
//! it reads the number again there, since a lower one may have come meanwhile, whose details must stay.
//! A round of the lock is one body that ends where it began, so a lane that waits comes back to where
//! the lane of its warp that holds the lock comes too. A kernel without checks has none of this.
//!
//! **What must not wait for whom.** `ptxas` has the lanes of a warp that go the same way, even in
//! different rounds of a loop, wait for each other at the start of that way. Were a failing check a
//! branch out of a loop with a barrier in it, its lane would wait there for lanes that wait at the barrier for it.
//! So where threads may still meet, the code of a failing check stands in place, and comes
//! back behind the check as far as `ptxas` can tell: the thread exits if the record has an address, which it has.
//! `return` does the same. Where threads do not meet again, a check branches to the
//! kernel's end, and the code around it stays as if it were not there.
use super::{
    Emitter,
    code::Label,
    emitter::{Value, ptx},
    reg::{Class, Imm, Operand, Reg, arithmetic},
};
use crate::{
    fault::FaultRecord,
    id::Id,
    ir::{Fault, InstId, Scalar},
};
use std::mem::offset_of;

/// The name of the function that records a fault.
const RECORD: &str = "record_fault";

/// The checks that branch to the kernel's end.
#[derive(Default)]
pub(super) struct Faults {
    outlined: Vec<Failure>,
    any: bool,
}

/// A check that fails.
#[derive(Clone, Copy)]
struct Failure {
    at: InstId,
    fault: Fault,
    /// The index and the length, for one out of bounds.
    values: Option<[Operand; 2]>,
}

impl Emitter<'_> {
    /// Ends the thread unless `index < len`; yields the index.
    pub(super) fn bounds(&mut self, id: InstId, index: InstId, len: InstId) -> Value {
        let narrow = self.facts.fits(index) && self.facts.fits(len);
        let ty = if narrow { "u32" } else { arithmetic(self.scalar(index)) };
        let values = [index, len].map(|value| match narrow {
            true => self.low(value),
            false => self.operand(value),
        });
        let inside = self.regs.fresh(Class::Pred);
        ptx!(self, "setp.lt.{ty} {inside}, {}, {}", values[0], values[1]);
        let fault = Fault::IndexOutOfBounds;
        self.fail_unless(inside, Failure { at: id, fault, values: Some(values) });
        self.value(index)
    }

    /// Ends the thread unless `cond` holds.
    pub(super) fn check(&mut self, id: InstId, cond: InstId, fault: Fault) {
        let cond = self.reg(cond);
        self.fail_unless(cond, Failure { at: id, fault, values: None });
    }

    fn fail_unless(&mut self, cond: Reg, failure: Failure) {
        self.faults.any = true;
        if self.facts.meets_later(failure.at) {
            let passed = Label::of("passed", failure.at);
            self.code.branch(cond, passed);
            self.fail(failure);
            self.exit_if_any();
            self.code.label(passed);
        } else {
            self.code.branch(format_args!("!{cond}"), Label::of("fault", failure.at));
            self.faults.outlined.push(failure);
        }
    }

    /// Everything that checks branch to.
    pub(super) fn failures(&mut self) {
        for failure in std::mem::take(&mut self.faults.outlined) {
            self.code.label(Label::of("fault", failure.at));
            self.fail(failure);
            ptx!(self, "exit");
        }
    }

    /// Ends the thread without a fault.
    pub(super) fn end_thread(&mut self, at: InstId) {
        if self.facts.meets_later(at) {
            self.exit_if_any();
        } else {
            ptx!(self, "ret");
        }
    }

    /// Calls [`RECORD`].
    fn fail(&mut self, failure: Failure) {
        let span = self.kernel.insts[failure.at].span.index();
        let zero = Operand::Imm(Imm { bits: 0, scalar: Scalar::U64 });
        let [index, len] = failure.values.unwrap_or([zero, zero]).map(|value| match value {
            Operand::Reg(reg) if reg.class == Class::B32 => {
                let wide = self.regs.fresh(Class::B64);
                ptx!(self, "cvt.u64.u32 {wide}, {reg}");
                Operand::Reg(wide)
            }
            wide => wide,
        });
        let record = self.record_address();
        self.code.open();
        ptx!(self, ".param .b32 span, fault");
        ptx!(self, ".param .b64 index, len, record");
        ptx!(self, "st.param.b32 [span], {span}");
        ptx!(self, "st.param.b32 [fault], {}", failure.fault as u32);
        ptx!(self, "st.param.b64 [index], {index}");
        ptx!(self, "st.param.b64 [len], {len}");
        ptx!(self, "st.param.b64 [record], {record}");
        ptx!(self, "call.uni {RECORD}, (span, fault, index, len, record)");
        self.code.close();
    }

    /// Exits, without `ptxas` knowing.
    fn exit_if_any(&mut self) {
        let (record, always) = (self.record_address(), self.regs.fresh(Class::Pred));
        ptx!(self, "setp.ne.u64 {always}, {record}, 0");
        ptx!(self, "@{always} exit");
    }

    fn record_address(&mut self) -> Reg {
        let record = self.regs.fresh(Class::B64);
        ptx!(self, "ld.param.u64 {record}, [fault_record]");
        record
    }

    /// The function that checks call, if there are any.
    pub(super) fn record_function(&self) -> Option<String> {
        self.faults.any.then(record_function)
    }
}

fn record_function() -> String {
    let at = |offset: usize| format!("[%record+{offset}]");
    let place = |axes: usize, axis: usize| at(axes + axis * size_of::<u32>());
    let key = at(offset_of!(FaultRecord, key));
    let lock = at(offset_of!(FaultRecord, lock));
    let count = at(offset_of!(FaultRecord, count));
    let details: String = [
        ("u32", at(offset_of!(FaultRecord, span)), "%span"),
        ("u32", at(offset_of!(FaultRecord, fault)), "%fault"),
        ("u64", at(offset_of!(FaultRecord, index)), "%index"),
        ("u64", at(offset_of!(FaultRecord, len)), "%len"),
        ("u32", place(offset_of!(FaultRecord, block), 0), "%block_x"),
        ("u32", place(offset_of!(FaultRecord, block), 1), "%block_y"),
        ("u32", place(offset_of!(FaultRecord, block), 2), "%block_z"),
        ("u32", place(offset_of!(FaultRecord, thread), 0), "%thread_x"),
        ("u32", place(offset_of!(FaultRecord, thread), 1), "%thread_y"),
        ("u32", place(offset_of!(FaultRecord, thread), 2), "%thread_z"),
    ]
    .iter()
    .map(|(ty, place, value)| format!("\tst.global.{ty} {place}, {value};\n"))
    .collect();
    format!(
        "// Counts a fault, and keeps its details if no thread with a lower number has faulted.
.func {RECORD}(
	.param .b32 span,
	.param .b32 fault,
	.param .b64 index,
	.param .b64 len,
	.param .b64 record
)
{{
	.reg .pred %higher, %busy, %overtaken;
	.reg .b32 %span, %fault, %held;
	.reg .b32 %block_x, %block_y, %block_z, %thread_x, %thread_y, %thread_z;
	.reg .b32 %width, %height, %depth, %columns, %rows, %row, %thread, %layer, %size;
	.reg .b64 %index, %len, %generic, %record, %lowest, %current;
	.reg .b64 %x, %y, %line, %across, %block, %threads, %number, %key;

	ld.param.b32 %span, [span];
	ld.param.b32 %fault, [fault];
	ld.param.b64 %index, [index];
	ld.param.b64 %len, [len];
	ld.param.b64 %generic, [record];
	cvta.to.global.u64 %record, %generic;
	mov.u32 %thread_x, %tid.x;
	mov.u32 %thread_y, %tid.y;
	mov.u32 %thread_z, %tid.z;
	mov.u32 %width, %ntid.x;
	mov.u32 %height, %ntid.y;
	mov.u32 %depth, %ntid.z;
	mad.lo.s32 %row, %thread_z, %height, %thread_y;
	mad.lo.s32 %thread, %row, %width, %thread_x;
	mul.lo.s32 %layer, %width, %height;
	mul.lo.s32 %size, %layer, %depth;
	mov.u32 %block_x, %ctaid.x;
	mov.u32 %block_y, %ctaid.y;
	mov.u32 %block_z, %ctaid.z;
	mov.u32 %columns, %nctaid.x;
	mov.u32 %rows, %nctaid.y;
	cvt.u64.u32 %y, %block_y;
	mad.wide.u32 %line, %block_z, %rows, %y;
	cvt.u64.u32 %x, %block_x;
	cvt.u64.u32 %across, %columns;
	mad.lo.s64 %block, %line, %across, %x;
	cvt.u64.u32 %threads, %size;
	cvt.u64.u32 %number, %thread;
	mad.lo.s64 %key, %block, %threads, %number;
	red.relaxed.gpu.global.add.u32 {count}, 1;
	atom.relaxed.gpu.global.min.u64 %lowest, {key}, %key;
	setp.lt.u64 %higher, %lowest, %key;
	@%higher bra $done;
$lock:
	atom.acquire.gpu.global.cas.b32 %held, {lock}, 0, 1;
	setp.ne.b32 %busy, %held, 0;
	@%busy bra $again;
	ld.relaxed.gpu.global.u64 %current, {key};
	setp.ne.b64 %overtaken, %current, %key;
	@%overtaken bra $unlock;
{details}$unlock:
	st.release.gpu.global.u32 {lock}, 0;
$again:
	@%busy bra $lock;
$done:
	ret;
}}

"
    )
}
