//! Checks, and what a thread does whose check fails.
//!
//! A check is a compare and a branch that is not taken. The branch leads to a few moves
//! behind the kernel's end, one group a check, that say what failed, and those to one
//! block that all share. It counts the thread in the launch's [`FaultRecord`] and, while no thread
//! with a lower number has faulted, writes the details under the record's lock. Then
//! the thread exits; nothing traps. A kernel without checks has none of this.
//!
//! Two things make that block work when many threads fault at once. The number is
//! read again under the lock, since a lower one may have come meanwhile, and its details must
//! stay. And a round of the lock is one body that ends where it began: a
//! lane that waits comes back to where the lane of its warp that holds the lock comes too.
use super::{
    Emitter,
    code::Label,
    emitter::{Value, ptx},
    reg::{Class, Operand, Reg, arithmetic},
};
use crate::{
    fault::FaultRecord,
    id::Id,
    ir::{Axis, Fault, InstId},
};
use std::mem::offset_of;

/// Every check that was emitted.
#[derive(Default)]
pub(super) struct Faults(Vec<Failure>);

/// Where a check goes that fails.
struct Failure {
    at: InstId,
    fault: Fault,
    /// The index and the length, for one out of bounds.
    values: Option<[Operand; 2]>,
}

/// The registers that tell the shared block what failed.
struct Report {
    span: Reg,
    fault: Reg,
    index: Reg,
    len: Reg,
}

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];
const RECORD: Label = Label::unique("record");

impl Emitter<'_> {
    /// Ends the thread unless `index < len`; yields the index.
    pub(super) fn bounds(&mut self, id: InstId, index: InstId, len: InstId) -> Value {
        let narrow = self.facts.fits(index) && self.facts.fits(len);
        let (ty, values) = match narrow {
            true => ("u32", [index, len].map(|value| self.low(value))),
            false => {
                (arithmetic(self.scalar(index)), [index, len].map(|value| self.operand(value)))
            }
        };
        let inside = self.regs.fresh(Class::Pred);
        ptx!(self, "setp.lt.{ty} {inside}, {}, {}", values[0], values[1]);
        self.fail_unless(
            inside,
            Failure { at: id, fault: Fault::IndexOutOfBounds, values: Some(values) },
        );
        self.value(index)
    }

    /// Ends the thread unless `cond` holds.
    pub(super) fn check(&mut self, id: InstId, cond: InstId, fault: Fault) {
        let cond = self.reg(cond);
        self.fail_unless(cond, Failure { at: id, fault, values: None });
    }

    fn fail_unless(&mut self, cond: Reg, failure: Failure) {
        self.code.branch(format_args!("!{cond}"), Label::of("fault", failure.at));
        self.faults.0.push(failure);
    }

    /// Everything that checks branch to.
    pub(super) fn failures(&mut self) {
        let failures = std::mem::take(&mut self.faults.0);
        if failures.is_empty() {
            return;
        }
        let report = Report {
            span: self.regs.fresh(Class::B32),
            fault: self.regs.fresh(Class::B32),
            index: self.regs.fresh(Class::B64),
            len: self.regs.fresh(Class::B64),
        };
        for failure in failures {
            self.failure(&failure, &report);
        }
        self.record(&report);
    }

    fn failure(&mut self, failure: &Failure, report: &Report) {
        self.code.label(Label::of("fault", failure.at));
        let span = self.kernel.insts[failure.at].span;
        ptx!(self, "mov.u32 {}, {}", report.span, span.index());
        ptx!(self, "mov.u32 {}, {}", report.fault, failure.fault as u32);
        for (at, to) in [report.index, report.len].into_iter().enumerate() {
            match failure.values.map(|values| values[at]) {
                Some(Operand::Reg(reg)) if reg.class == Class::B32 => {
                    ptx!(self, "cvt.u64.u32 {to}, {reg}")
                }
                Some(value) => ptx!(self, "mov.b64 {to}, {value}"),
                None => ptx!(self, "mov.b64 {to}, 0"),
            }
        }
        self.code.jump(RECORD);
    }

    fn record(&mut self, report: &Report) {
        self.code.label(RECORD);
        let [lock, unlock, again] = ["lock", "unlock", "again"].map(Label::unique);
        let [blocks, threads] =
            ["ctaid", "tid"].map(|name| AXES.map(|axis| self.special(name, axis)));
        let key = self.thread_key(blocks, threads);
        let [generic, record, lowest, current] = [(); 4].map(|()| self.regs.fresh(Class::B64));
        let [higher, busy, overtaken] = [(); 3].map(|()| self.regs.fresh(Class::Pred));
        let held = self.regs.fresh(Class::B32);
        let at = |offset: usize| format!("[{record}+{offset}]");
        let key_at = at(offset_of!(FaultRecord, key));
        let lock_at = at(offset_of!(FaultRecord, lock));

        ptx!(self, "ld.param.u64 {generic}, [fault_record]");
        ptx!(self, "cvta.to.global.u64 {record}, {generic}");
        ptx!(self, "red.relaxed.gpu.global.add.u32 {}, 1", at(offset_of!(FaultRecord, count)));
        ptx!(self, "atom.relaxed.gpu.global.min.u64 {lowest}, {key_at}, {key}");
        ptx!(self, "setp.le.u64 {higher}, {lowest}, {key}");
        ptx!(self, "@{higher} exit");
        self.code.label(lock);
        ptx!(self, "atom.acquire.gpu.global.cas.b32 {held}, {lock_at}, 0, 1");
        ptx!(self, "setp.ne.b32 {busy}, {held}, 0");
        self.code.branch(busy, again);
        ptx!(self, "ld.relaxed.gpu.global.u64 {current}, {key_at}");
        ptx!(self, "setp.ne.b64 {overtaken}, {current}, {key}");
        self.code.branch(overtaken, unlock);
        ptx!(self, "st.global.u32 {}, {}", at(offset_of!(FaultRecord, span)), report.span);
        ptx!(self, "st.global.u32 {}, {}", at(offset_of!(FaultRecord, fault)), report.fault);
        ptx!(self, "st.global.u64 {}, {}", at(offset_of!(FaultRecord, index)), report.index);
        ptx!(self, "st.global.u64 {}, {}", at(offset_of!(FaultRecord, len)), report.len);
        for axis in 0..3 {
            let place = |start: usize| at(start + axis * size_of::<u32>());
            ptx!(self, "st.global.u32 {}, {}", place(offset_of!(FaultRecord, block)), blocks[axis]);
            ptx!(
                self,
                "st.global.u32 {}, {}",
                place(offset_of!(FaultRecord, thread)),
                threads[axis]
            );
        }
        self.code.label(unlock);
        ptx!(self, "st.release.gpu.global.u32 {lock_at}, 0");
        self.code.label(again);
        self.code.branch(busy, lock);
        ptx!(self, "exit");
    }

    /// The thread's number in the launch, as [`FaultRecord::key`] counts.
    fn thread_key(&mut self, blocks: [Reg; 3], threads: [Reg; 3]) -> Reg {
        let [wide, high] = [Axis::X, Axis::Y].map(|axis| self.special("nctaid", axis));
        let [width, height, depth] = AXES.map(|axis| self.special("ntid", axis));
        let [row, thread, layer, size] = [(); 4].map(|()| self.regs.fresh(Class::B32));
        ptx!(self, "mad.lo.s32 {row}, {}, {height}, {}", threads[2], threads[1]);
        ptx!(self, "mad.lo.s32 {thread}, {row}, {width}, {}", threads[0]);
        ptx!(self, "mul.lo.s32 {layer}, {width}, {height}");
        ptx!(self, "mul.lo.s32 {size}, {layer}, {depth}");
        let [y, x, rows, columns, block, t, s, key] = [(); 8].map(|()| self.regs.fresh(Class::B64));
        ptx!(self, "cvt.u64.u32 {y}, {}", blocks[1]);
        ptx!(self, "mad.wide.u32 {rows}, {}, {high}, {y}", blocks[2]);
        ptx!(self, "cvt.u64.u32 {x}, {}", blocks[0]);
        ptx!(self, "cvt.u64.u32 {columns}, {wide}");
        ptx!(self, "mad.lo.s64 {block}, {rows}, {columns}, {x}");
        ptx!(self, "cvt.u64.u32 {t}, {thread}");
        ptx!(self, "cvt.u64.u32 {s}, {size}");
        ptx!(self, "mad.lo.s64 {key}, {block}, {s}, {t}");
        key
    }
}
