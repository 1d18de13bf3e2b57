//! From IR to steps.
//!
//! 1. [`uniformity`]: what is the same in all lanes of a strand, and where lanes part;
//! 2. [`ranges`]: how long values live, and which addresses are values ([`address`]);
//! 3. [`locals`]: which copies can be left out; 4. [`words`]: how structs are accessed; 5. [`emit`]: the steps, in the order of the text, with registers given out as
//!    values come and taken back as they are no longer needed ([`allocate`]).
mod address;
mod allocate;
mod emit;
mod locals;
mod ranges;
mod uniformity;
mod words;

use crate::{
    code::{Code, Malformed},
    lanes::Isa,
};
pub(crate) use emit::SHARED_LIMIT;
use warpwise_compiler::ir::Kernel;

/// Lowers a specialized kernel.
pub(crate) fn lower(kernel: &Kernel, isa: Isa) -> Result<Code, Malformed> {
    let uniformity = uniformity::Uniformity::of(kernel);
    let ranges = ranges::Ranges::of(kernel, &uniformity);
    let locals = locals::Locals::of(kernel, &uniformity, &ranges);
    let words = words::Words::of(kernel);
    emit::emit(kernel, &uniformity, &ranges, &locals, &words, isa)
}
