//! Translation of a kernel to bytecode.
//!
//! 0. [`guards`], [`counted_loops`] and [`sink`] rewrite the kernel, unless the debugger follows it
//!    instruction by instruction ([`rewritten`]);
//! 1. [`uniformity`]: values that are the same in all lanes of a strand, and structures in which
//!    lanes diverge;
//! 2. [`affine`]: values that are linear in the thread's index in its block;
//! 3. [`fuse`]: operations that are computed together;
//! 4. [`conditions`]: branch conditions that may be decided for all lanes at once;
//! 5. [`live_ranges`]: the live ranges of values, and the addresses that are values ([`address`]);
//! 6. [`locals`]: copies to elide;
//! 7. [`access_words`]: the word sizes of accesses to structs;
//! 8. [`emit`]: the instructions, in the order of the text, with registers from [`allocate`].
//!
//! [`Instrumentation`] adds the instructions of one observer: counters
//! ([`Counted`](crate::bytecode::Counted)) for the [`segments`] of the kernel as it was written,
//! the [sanitizer](crate::observe::sanitizer), or the [debugger](crate::observe::debugger).
mod access_words;
mod address;
mod affine;
mod allocate;
mod conditions;
mod counted_loops;
mod emit;
mod fuse;
mod guards;
mod live_ranges;
mod locals;
pub(crate) mod patterns;
mod rewritten;
mod segments;
mod sink;
mod uniformity;

use crate::{
    bytecode::{Code, Malformed, Requests},
    vector::lanes::Isa,
};
use emit::read_cost;
use rewritten::Rewritten;
use warpwise_compiler::ir::Kernel;

/// The instructions that observe a launch, added to those of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instrumentation {
    /// No instructions.
    None,
    /// Instructions that count segments, branches, loops and requests.
    Counters(Requests),
    /// Instructions that check accesses and track undefined values.
    Sanitizer,
    /// Instructions that stop at points of the kernel, and at which other threads may take their
    /// turn.
    Debugger,
}

/// Translates a specialized kernel.
pub(crate) fn translate(
    kernel: &Kernel,
    isa: Isa,
    instrumentation: Instrumentation,
) -> Result<Code, Malformed> {
    let mut rewritten = Rewritten::new(kernel, instrumentation);
    match instrumentation {
        Instrumentation::None | Instrumentation::Counters(_) | Instrumentation::Sanitizer => {
            guards::make_guards(&mut rewritten);
            counted_loops::convert_counted_loops(&mut rewritten);
            sink::sink_values(&mut rewritten);
        }
        Instrumentation::Debugger => {}
    }
    translate_rewritten(rewritten, isa, instrumentation)
}

/// Translates a kernel without rewriting it, as a reference for tests.
pub(crate) fn translate_as_written(
    kernel: &Kernel,
    isa: Isa,
    instrumentation: Instrumentation,
) -> Result<Code, Malformed> {
    translate_rewritten(Rewritten::new(kernel, instrumentation), isa, instrumentation)
}

fn translate_rewritten(
    rewritten: Rewritten<'_>,
    isa: Isa,
    instrumentation: Instrumentation,
) -> Result<Code, Malformed> {
    let kernel = rewritten.kernel();
    let uniformity = uniformity::Uniformity::analyze(kernel);
    let affinity = affine::Affinity::analyze(kernel, &uniformity);
    let fusion = fuse::Fusion::analyze(kernel, &uniformity, &affinity, (isa, instrumentation));
    let decisions = conditions::Decisions::analyze(kernel, &uniformity, &affinity, instrumentation);
    let ranges = live_ranges::LiveRanges::analyze(kernel, &uniformity, &affinity, &fusion);
    let locals = locals::Locals::analyze(kernel, &uniformity, &ranges);
    let words = access_words::AccessWords::analyze(kernel);
    let analyses = emit::Analyses {
        uniformity: &uniformity,
        affinity: &affinity,
        fusion: &fusion,
        decisions: &decisions,
        ranges: &ranges,
        locals: &locals,
        words: &words,
    };
    let mut code = emit::emit(&rewritten, analyses, isa, instrumentation)?;
    if rewritten.is_observed() {
        code.rewritten = rewritten.into_kernel();
    }
    Ok(code)
}
