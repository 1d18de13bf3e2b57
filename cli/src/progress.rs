//! Progress of steps that take longer than a second: one line on a terminal, which the step's
//! output overwrites.
//!
//! There is none where stderr is no terminal, and none in CI, where `CI` is set.
use std::{
    env,
    io::{self, IsTerminal as _, Read, Write as _},
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Time before the line appears.
const DELAY: Duration = Duration::from_secs(1);
/// Time between two updates.
const INTERVAL: Duration = Duration::from_millis(500);

/// Line about a running step, which disappears on drop.
pub(crate) struct Progress {
    ticker: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Returns true if progress is shown.
    pub(crate) fn is_shown() -> bool {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        io::stderr().is_terminal() && !is_set("CI") && !is_dumb
    }

    /// Begins a step. `describe` is called for each update, with the time since the beginning.
    pub(crate) fn start(mut describe: impl FnMut() -> String + Send + 'static) -> Self {
        if !Self::is_shown() {
            return Self { ticker: None };
        }
        let (sender, stopped) = mpsc::channel();
        let thread = thread::spawn(move || {
            let start = Instant::now();
            let mut wait = DELAY;
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = INTERVAL;
                let seconds = start.elapsed().as_secs();
                let _ = write!(io::stderr(), "{}", format_line(&describe(), seconds));
            }
            if wait == INTERVAL {
                let _ = write!(io::stderr(), "\r\x1b[K");
            }
        });
        Self { ticker: Some((sender, thread)) }
    }
}

/// Formats the line. The cursor ends at its beginning, so that other output overwrites it.
fn format_line(text: &str, seconds: u64) -> String {
    let line: String = text.chars().filter(|character| !character.is_control()).take(100).collect();
    format!("\r\x1b[K{line}, {seconds} s\r")
}

/// Copies the output of a program to stderr, and clears the line of progress before it.
pub(crate) fn relay_output(mut output: impl Read) -> io::Result<()> {
    let mut buffer = [0; 8192];
    loop {
        let length = output.read(&mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        let mut stderr = io::stderr().lock();
        stderr.write_all(b"\x1b[K")?;
        stderr.write_all(&buffer[..length])?;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.ticker.take() {
            drop(sender);
            // The thread only prints.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cleared_and_has_no_control_characters() {
        assert_eq!(format_line("counting `k`\n\x1b[2J", 3), "\r\x1b[Kcounting `k`[2J, 3 s\r");
    }
}
