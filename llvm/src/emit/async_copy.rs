//! Asynchronous copies, as the inline PTX that the built-in back end emits.
//!
//! Copies and waits clobber memory, so that LLVM moves no access of the destination or the source
//! past them. Targets without `cp.async` copy at once.
use super::{
    emitter::{Effects, Emitter},
    value::Type,
};
use warpwise_compiler::{
    back::ptx::{HAS_ASYNC_COPIES, copy_instruction, wait_instruction},
    ir::{InstId, Space},
};

impl Emitter<'_> {
    /// Begins to copy `bytes` bytes.
    pub(super) fn async_copy(&mut self, to: InstId, from: InstId, bytes: u64) {
        let (to, from) = (self.value(to), self.value(from));
        debug_assert!(to.ty == Type::Ptr(Space::Shared) && from.ty == Type::Ptr(Space::Global));
        let text = if self.target >= HAS_ASYNC_COPIES {
            format!("{} [$0], [$1], {bytes};", copy_instruction(bytes))
        } else {
            copy_at_once(bytes)
        };
        self.asm_line(&text, &[to, from], Effects::Memory);
    }

    /// Closes the group of copies.
    pub(super) fn async_commit(&mut self) {
        self.async_line("cp.async.commit_group");
    }

    /// Waits for all groups of copies but the last `pending`.
    pub(super) fn async_wait(&mut self, pending: u64) {
        self.async_line(&wait_instruction(pending));
    }

    fn async_line(&mut self, text: &str) {
        if self.target >= HAS_ASYNC_COPIES {
            self.asm_line(&format!("{text};"), &[], Effects::Memory);
        }
    }
}

/// A load and a store through `$1` and `$0`.
fn copy_at_once(bytes: u64) -> String {
    let words: Vec<String> = (0..bytes / 4).map(|word| format!("w_{word}")).collect();
    let (ty, lanes) = match words.as_slice() {
        [word] => ("b32".to_owned(), word.clone()),
        _ => (format!("v{}.b32", words.len()), format!("{{{}}}", words.join(", "))),
    };
    let declared = words.join(", ");
    format!(
        "{{\n.reg .b32 {declared};\nld.global.{ty} {lanes}, [$1];\nst.shared.{ty} [$0], {lanes};\n}}"
    )
}
