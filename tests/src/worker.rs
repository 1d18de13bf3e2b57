//! Worker processes that run kernels on a GPU, so that a kernel that crashes or never ends takes
//! only its own process down.
use std::{
    ffi::OsStr,
    io::{self, BufRead, BufReader},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc,
    thread,
};

/// The first argument of worker processes.
pub const WORKER: &str = "--worker";

/// A process of this program, which is killed when this value is dropped.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    /// Its standard input.
    pub input: ChildStdin,
    /// The lines that it prints.
    pub lines: mpsc::Receiver<String>,
}

impl Worker {
    /// Starts this program with [`WORKER`] and `args`.
    ///
    /// # Errors
    /// Fails if the system cannot start a process.
    ///
    /// # Panics
    /// Never panics: both pipes exist.
    pub fn start(args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> io::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(WORKER)
            .args(args)
            .env("CUDA_CACHE_DISABLE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, input, lines })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
