//! From IR to steps.
//!
//! 0. [`guards`], [`counted_loops`] and [`sink`]: which branches are guards, which loops are a `for`, and which values are made where
//!    they are set, unless what threads do is told step by step ([`rewritten`]);
//! 1. [`uniformity`]: what is the same in all lanes of a strand, and where lanes part;
//! 2. [`affine`]: what is the same but for the index of the thread in its block;
//! 3. [`fuse`]: which operations are computed together;
//! 4. [`conditions`]: what lanes part by that may be known for all of them;
//! 5. [`live_ranges`]: how long values live, and which addresses are values ([`address`]);
//! 6. [`locals`]: which copies can be left out; 7. [`access_words`]: how structs are accessed;
//! 8. [`emit`]: the steps, in the order of the text, with registers given out as values come and
//!    taken back as they are no longer needed ([`allocate`]).
//!
//! Lowered for counting, the same steps come with some between them that count ([`Counted`](crate::bytecode::Counted)) what was written ([`segments`]); lowered
//! for checking, with some that look at what accesses memory ([`crate::observe::sanitizer`]); lowered for looking on, with
//! some that tell what threads do ([`crate::observe::debugger`]).
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
use emit::cost_of_reading;
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
    /// Instructions that stop at points of the kernel, and at which other threads may take their turn.
    Debugger,
}

/// Lowers a specialized kernel, with steps of its own between the kernel's if they are asked for.
pub(crate) fn translate(
    kernel: &Kernel,
    isa: Isa,
    instrumentation: Instrumentation,
) -> Result<Code, Malformed> {
    let mut rewritten = Rewritten::new(kernel, instrumentation);
    match instrumentation {
        Instrumentation::None | Instrumentation::Counters(_) | Instrumentation::Sanitizer => {
            guards::guard(&mut rewritten);
            counted_loops::count(&mut rewritten);
            sink::sink(&mut rewritten);
        }
        Instrumentation::Debugger => {}
    }
    translate_rewritten(rewritten, isa, instrumentation)
}

/// The same, nothing rewritten: what tests compare with.
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
    let uniformity = uniformity::Uniformity::of(kernel);
    let affinity = affine::Affinity::of(kernel, &uniformity);
    let fusion = fuse::Fusion::of(kernel, &uniformity, &affinity, (isa, instrumentation));
    let decisions = conditions::Decisions::of(kernel, &uniformity, &affinity, instrumentation);
    let ranges = live_ranges::Ranges::of(kernel, &uniformity, &affinity, &fusion);
    let locals = locals::Locals::of(kernel, &uniformity, &ranges);
    let words = access_words::Words::of(kernel);
    let facts = emit::Facts {
        uniformity: &uniformity,
        affinity: &affinity,
        fusion: &fusion,
        decisions: &decisions,
        ranges: &ranges,
        locals: &locals,
        words: &words,
    };
    let mut code = emit::emit(&rewritten, facts, isa, instrumentation)?;
    if rewritten.is_observed() {
        code.rewritten = rewritten.into_kernel();
    }
    Ok(code)
}
