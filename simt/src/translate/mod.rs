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

/// The steps that are added to those of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// None.
    Nothing,
    /// Those that count.
    Counting(Requests),
    /// Those that check.
    Checks,
    /// Those that tell what threads do, and let others have their turn.
    Traced,
}

/// Lowers a specialized kernel, with steps of its own between the kernel's if they are asked for.
pub(crate) fn lower(kernel: &Kernel, isa: Isa, added: Added) -> Result<Code, Malformed> {
    let mut rewritten = Rewritten::new(kernel, added);
    match added {
        Added::Nothing | Added::Counting(_) | Added::Checks => {
            guards::guard(&mut rewritten);
            counted_loops::count(&mut rewritten);
            sink::sink(&mut rewritten);
        }
        Added::Traced => {}
    }
    lower_as(rewritten, isa, added)
}

/// The same, nothing rewritten: what tests compare with.
pub(crate) fn lower_as_written(kernel: &Kernel, isa: Isa, added: Added) -> Result<Code, Malformed> {
    lower_as(Rewritten::new(kernel, added), isa, added)
}

fn lower_as(rewritten: Rewritten<'_>, isa: Isa, added: Added) -> Result<Code, Malformed> {
    let kernel = rewritten.kernel();
    let uniformity = uniformity::Uniformity::of(kernel);
    let affinity = affine::Affinity::of(kernel, &uniformity);
    let fusion = fuse::Fusion::of(kernel, &uniformity, &affinity, (isa, added));
    let decisions = conditions::Decisions::of(kernel, &uniformity, &affinity, added);
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
    let mut code = emit::emit(&rewritten, facts, isa, added)?;
    if rewritten.is_observed() {
        code.rewritten = rewritten.into_kernel();
    }
    Ok(code)
}
