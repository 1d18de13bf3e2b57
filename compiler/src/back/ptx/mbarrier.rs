//! Mbarriers: their initialization, arrivals and waits.
//!
//! The first thread of a block initializes all mbarriers, and no thread continues before that. An
//! arrival is a release and a wait an acquire, among the threads of the block. Targets from
//! [`HAS_TRY_WAIT`] suspend a waiting thread; others test in a loop.
use super::{
    Emitter, SYNC_CLUSTER,
    code::Label,
    emitter::ptx,
    reg::{Class, Reg},
};
use crate::{
    ir::{Axis, Inst, InstId, Kernel, Length, Op, Scalar, Shared, SharedId, SyncOp, Ty},
    target::Target,
};

/// The PTX version that introduced waits for the parity of a phase.
pub(super) const VERSION: &str = "7.1";
/// The oldest target with mbarriers.
pub(super) const HAS_MBARRIERS: Target = Target::new(80);
/// The PTX version that introduced waits that suspend a thread.
pub(super) const VERSION_WITH_TRY_WAIT: &str = super::VERSION_WITH_SUMS;
/// The oldest target with waits that suspend a thread.
pub(super) const HAS_TRY_WAIT: Target = Target::new(90);

/// The instruction that arrives, up to its operands.
pub const MBARRIER_ARRIVE: &str = "mbarrier.arrive.shared.b64";

/// The instruction that arrives and expects bytes, up to its operands.
pub const MBARRIER_ARRIVE_EXPECT: &str = "mbarrier.arrive.expect_tx.shared.b64";

/// Returns the instructions after the initialization of mbarriers, by which all threads of the
/// block wait for it; all threads of the cluster, if copies of other blocks may complete its
/// phases.
pub fn after_mbarrier_inits(kernel: &Kernel) -> &'static [&'static str] {
    const OF_CLUSTER: [&str; 3] =
        ["fence.mbarrier_init.release.cluster", SYNC_CLUSTER[0], SYNC_CLUSTER[1]];
    if kernel.has_multicasts() { &OF_CLUSTER } else { &["bar.sync 0"] }
}

/// Returns the instruction that tests a phase, a token or a parity, up to its operands.
pub fn mbarrier_test(target: Target, phase: Ty) -> String {
    let test = if target >= HAS_TRY_WAIT { "try_wait" } else { "test_wait" };
    let parity = if phase == Ty::Scalar(Scalar::U32) { ".parity" } else { "" };
    format!("mbarrier.{test}{parity}.shared.b64")
}

/// Returns the instructions that initialize the mbarriers of an array at an address; none for an
/// array whose length the launch computes, which the verifier rejects for mbarriers.
pub fn mbarrier_inits(array: &Shared, address: &str) -> Vec<String> {
    let arrivals = array.arrivals.as_ref().and_then(|arrivals| arrivals.known());
    let elements = match &array.len {
        Length::Fixed(elements) => elements.known(),
        Length::Launch(_) => None,
    };
    let init = move |(arrivals, elements): (u64, u64)| {
        (0..elements).map(move |index| {
            format!("mbarrier.init.shared.b64 [{address}+{}], {arrivals}", 8 * index)
        })
    };
    arrivals.zip(elements).map(init).into_iter().flatten().collect()
}

/// Returns the arrays of mbarriers.
pub fn mbarriers(kernel: &Kernel) -> impl Iterator<Item = (SharedId, &Shared)> {
    kernel.shared.iter().filter(|(_, shared)| shared.arrivals.is_some())
}

/// Returns the oldest target that `kernel` needs for its mbarriers, if it has any.
pub(super) fn oldest_target(kernel: &Kernel) -> Option<Target> {
    mbarriers(kernel).next().map(|_| HAS_MBARRIERS)
}

/// Returns true for a wait for a phase.
pub(super) const fn is_wait(inst: &Inst) -> bool {
    matches!(inst.op, Op::Sync(SyncOp::MBarrierWait { .. }))
}

impl Emitter<'_> {
    /// Initializes all mbarriers.
    pub(super) fn init_mbarriers(&mut self) {
        let kernel = self.kernel;
        if mbarriers(kernel).next().is_none() {
            return;
        }
        let [x, y, z] = [Axis::X, Axis::Y, Axis::Z].map(|axis| self.special("tid", axis));
        let coordinates = self.regs.fresh(Class::B32);
        ptx!(self, "or.b32 {coordinates}, {x}, {y}");
        ptx!(self, "or.b32 {coordinates}, {coordinates}, {z}");
        let first = self.pred(format_args!("setp.eq.u32"), format_args!("{coordinates}, 0"));
        for (id, array) in mbarriers(kernel) {
            let address = self.shared(id).base().to_string();
            for init in mbarrier_inits(array, &address) {
                ptx!(self, "@{first} {init}");
            }
        }
        for instruction in after_mbarrier_inits(kernel) {
            ptx!(self, "{instruction}");
        }
    }

    /// Arrives, and returns a token of the phase.
    pub(super) fn mbarrier_arrive(&mut self, barrier: InstId, bytes: Option<InstId>) -> Reg {
        let barrier = self.address(barrier);
        let token = self.regs.fresh(Class::B64);
        match bytes.map(|bytes| self.operand(bytes)) {
            Some(bytes) => ptx!(self, "{MBARRIER_ARRIVE_EXPECT} {token}, {barrier}, {bytes}"),
            None => ptx!(self, "{MBARRIER_ARRIVE} {token}, {barrier}"),
        }
        token
    }

    /// Waits for the end of a phase.
    pub(super) fn mbarrier_wait(&mut self, id: InstId, barrier: InstId, phase: InstId) {
        let test = mbarrier_test(self.target, self.kernel.insts[phase].ty);
        let (barrier, phase) = (self.address(barrier), self.operand(phase));
        let wait = Label::of("wait", id);
        let complete = self.regs.fresh(Class::Pred);
        self.code.label(wait);
        ptx!(self, "{test} {complete}, {barrier}, {phase}");
        self.code.branch(format_args!("!{complete}"), wait);
    }
}
