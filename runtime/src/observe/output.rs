//! Printed text of kernels, formatted on the host from the records of threads.
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};
use warpwise_compiler::{
    ir::Kernel,
    output::{CAPACITY_BYTES, Printed},
};

/// A receiver of the text that kernels print.
type Handler = Arc<dyn Fn(&str) + Send + Sync>;

/// The destination of the text that kernels of one device print: stdout, unless a handler takes it.
#[derive(Default)]
pub(crate) struct Printer {
    handler: Mutex<Option<Handler>>,
}

impl Printer {
    /// Passes the text to `handler` from now on.
    pub(crate) fn set_handler(&self, handler: Handler) {
        *self.handler.lock().unwrap_or_else(PoisonError::into_inner) = Some(handler);
    }

    /// Passes `text` to the handler or to stdout, if it is not empty.
    pub(crate) fn print(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        let handler = self.handler.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match handler {
            Some(handler) => handler(text),
            None => print(text),
        }
    }
}

#[expect(clippy::print_stdout, reason = "that is what `println!` in a kernel does")]
fn print(text: &str) {
    print!("{text}");
}

impl fmt::Debug for Printer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Printer")
    }
}

/// Formats the text that a thread printed.
pub(crate) fn format_printed(kernel: &Kernel, printed: &Printed) -> String {
    kernel.message_text(printed.message, &printed.values)
}

/// Returns a note about the number of records for which there was no room; empty if there are none.
pub(crate) fn lost_note(count: u64) -> String {
    match count {
        0 => String::new(),
        count => format!(
            "[warpwise: {count} more prints are lost: what kernels print between two calls that wait for \
             them takes at most {} KiB]\n",
            CAPACITY_BYTES >> 10
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_gets_what_is_printed() {
        let (printer, seen) = (Printer::default(), Arc::new(Mutex::new(String::new())));
        let keep = Arc::clone(&seen);
        printer.set_handler(Arc::new(move |text: &str| keep.lock().unwrap().push_str(text)));
        printer.print("a\n");
        printer.print("");
        printer.print(&lost_note(3));
        let seen = seen.lock().unwrap();
        assert!(seen.starts_with("a\n[warpwise: 3 more prints are lost"), "{seen}");
        assert_eq!(lost_note(0), "");
    }
}
