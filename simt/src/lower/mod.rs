//! From IR to steps.
//!
//! 0. [`guards`], [`counting`] and [`sink`]: which branches are guards, which loops are a `for`, and which values are made where
//!    they are set, where steps are nobody's business;
//! 1. [`uniformity`]: what is the same in all lanes of a strand, and where lanes part;
//! 2. [`affine`]: what is the same but for the index of the thread in its block;
//! 3. [`fuse`]: which operations are computed together;
//! 4. [`decide`]: what lanes part by that may be known for all of them;
//! 5. [`ranges`]: how long values live, and which addresses are values ([`address`]);
//! 6. [`locals`]: which copies can be left out; 7. [`words`]: how structs are accessed;
//! 8. [`emit`]: the steps, in the order of the text, with registers given out as values come and
//!    taken back as they are no longer needed ([`allocate`]).
//!
//! Lowered for counting, the same steps come with some between them that count ([`emit::Counted`]); lowered
//! for checking, with some that look at what accesses memory ([`crate::check`]); lowered for looking on, with
//! some that tell what threads do ([`crate::watch`]).
mod address;
mod affine;
mod allocate;
mod counting;
mod decide;
mod emit;
mod fuse;
mod guards;
mod locals;
pub(crate) mod patterns;
mod ranges;
mod sink;
mod uniformity;
mod words;

use crate::{
    code::{Code, Malformed},
    lanes::Isa,
};
pub(crate) use decide::MOST_TERMS;
pub(crate) use emit::{Added, Counted, Entry, MOST_INTEGERS, MOST_PRODUCTS, Request, SHARED_LIMIT};
use warpwise_compiler::ir::Kernel;

/// Lowers a specialized kernel, with steps of its own between the kernel's if they are asked for.
pub(crate) fn lower(kernel: &Kernel, isa: Isa, added: Added) -> Result<Code, Malformed> {
    let rewritten = match added {
        Added::Nothing => {
            let guarded = guards::guard(kernel);
            let counted = counting::count(guarded.as_ref().unwrap_or(kernel)).or(guarded);
            sink::sink(counted.as_ref().unwrap_or(kernel)).or(counted)
        }
        Added::Counting(_) | Added::Checks | Added::Traced => None,
    };
    let kernel = rewritten.as_ref().unwrap_or(kernel);
    let uniformity = uniformity::Uniformity::of(kernel);
    let affinity = affine::Affinity::of(kernel, &uniformity);
    let fusion = fuse::Fusion::of(kernel, &uniformity, &affinity, (isa, added));
    let decisions = decide::Decisions::of(kernel, &uniformity, &affinity, added);
    let ranges = ranges::Ranges::of(kernel, &uniformity, &affinity, &fusion);
    let locals = locals::Locals::of(kernel, &uniformity, &ranges);
    let words = words::Words::of(kernel);
    let facts = emit::Facts {
        uniformity: &uniformity,
        affinity: &affinity,
        fusion: &fusion,
        decisions: &decisions,
        ranges: &ranges,
        locals: &locals,
        words: &words,
    };
    emit::emit(kernel, facts, isa, added)
}
