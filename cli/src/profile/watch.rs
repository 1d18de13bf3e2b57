//! The launches of a running program, from the records that it has written so far.
use serde::Deserialize;
use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

/// Reader of the records of a running program.
pub(crate) struct RunWatcher {
    folder: PathBuf,
    /// Bytes of each file that were read.
    offsets: HashMap<PathBuf, u64>,
    /// Launches that ended.
    launches: usize,
    /// Kernel of the launch that began last, if it has not ended.
    running: Option<String>,
}

/// Fields of a record.
#[derive(Deserialize)]
struct Record {
    kind: String,
    #[serde(default)]
    kernel: String,
}

impl RunWatcher {
    pub(crate) fn new(folder: &Path) -> Self {
        let (offsets, launches, running) = Default::default();
        Self { folder: folder.to_owned(), offsets, launches, running }
    }

    /// Reads new records, and formats `12 launches, now in `saxpy``. Files that cannot be read are
    /// left out.
    pub(crate) fn describe(&mut self) -> String {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().filter_map(Result::ok);
        for path in entries.map(|entry| entry.path()).collect::<Vec<_>>() {
            let offset = self.offsets.get(&path).copied().unwrap_or(0);
            let Ok(lines) = read_lines_from(&path, offset) else { continue };
            self.offsets.insert(path, offset + lines.len() as u64);
            lines.lines().for_each(|line| self.add_record(line));
        }
        let launches = if self.launches == 1 { "launch" } else { "launches" };
        let inside = self.running.iter().map(|kernel| format!(", now in `{kernel}`"));
        format!("{} {launches}{}", self.launches, inside.collect::<String>())
    }

    fn add_record(&mut self, line: &str) {
        let Ok(Record { kind, kernel }) = serde_json::from_str(line) else { return };
        match kind.as_str() {
            "started" => self.running = Some(kernel),
            "launch" | "again" | "gpu" | "stopped" => {
                self.launches += 1;
                self.running = None;
            }
            _ => {}
        }
    }
}

/// Reads the complete lines of a file after `offset`.
fn read_lines_from(path: &Path, offset: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    bytes.truncate(end);
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::ScratchFolder;
    use std::io::Write as _;

    #[test]
    fn launches_are_counted_while_they_are_written() {
        let folder = std::env::temp_dir().join(format!("warpwise-watch-{}", std::process::id()));
        let scratch = ScratchFolder::new(folder).unwrap();
        let mut watcher = RunWatcher::new(&scratch.0);
        assert_eq!(watcher.describe(), "0 launches");
        let mut file = File::create(scratch.0.join("a.jsonl")).unwrap();
        file.write_all(b"{\"kind\":\"started\",\"kernel\":\"k\"}\n{\"kind\":\"lau").unwrap();
        assert_eq!(watcher.describe(), "0 launches, now in `k`");
        file.write_all(b"nch\"}\n").unwrap();
        assert_eq!(watcher.describe(), "1 launch");
    }
}
