//! The text of a random kernel under construction.
use super::strides::numbered;
use std::fmt::Write as _;
use warpwise_compiler::ir::Kernel;

/// Instructions, each with a name and a span of its own.
#[derive(Default)]
pub(super) struct KernelText {
    text: String,
    /// The number of names so far.
    names: u32,
}

impl KernelText {
    /// Appends an instruction, and returns its name.
    pub(super) fn value(&mut self, what: &str) -> String {
        self.names += 1;
        let number = self.names;
        _ = writeln!(self.text, "  %v{number} = {what} !{number}");
        format!("%v{number}")
    }

    /// Begins an instruction with a body, and returns its name.
    pub(super) fn open(&mut self, what: &str) -> String {
        self.names += 1;
        let number = self.names;
        _ = writeln!(self.text, "  %v{number} = {what} !{number} {{");
        format!("%v{number}")
    }

    /// Begins the second body of an `if`.
    pub(super) fn otherwise(&mut self) {
        self.text.push_str("  } else {\n");
    }

    pub(super) fn close(&mut self) {
        self.text.push_str("  }\n");
    }

    /// Mixes a number into the sum of what the thread reads, the local `$0`, and stores the sum at
    /// `%to`.
    pub(super) fn mix(&mut self, value: &str) {
        let sum = self.value("get $0 : u32");
        let scaled = self.value(&format!("mul {sum}, %factor : u32"));
        let sum = self.value(&format!("add {scaled}, {value} : u32"));
        self.value(&format!("set $0, {sum}"));
        self.value(&format!("store %to, {sum}"));
    }

    /// Returns the kernel that begins with `start`, up to where the instructions follow.
    ///
    /// # Panics
    /// Panics if the text is no kernel.
    pub(super) fn parse(self, start: &str, seed: u64) -> Kernel {
        let text = numbered(&format!("{start}{}}}", self.text));
        text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{text}"))
    }
}
