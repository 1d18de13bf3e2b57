//! Texts that outlive a process, in a folder that processes share.
//!
//! An entry is a file of this form. Its key is everything that the text depends on, so that other
//! circumstances are another entry, and a collision of file names is noticed:
//!
//! ```text
//! warpwise-ptx-cache 2 5a0c1de2f0b7a3c4     format, and checksum of all bytes after the line
//! 1893                                      bytes of the key
//! KEY TEXT
//! ```
//!
//! An entry is written to a file of its own and then renamed, so that no reader sees a part of it;
//! of two writers the last one wins. An entry that is damaged is as good as none. Failures of the
//! file system are logged and cost time only.
use std::{
    env,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

/// The variable that names the folder.
const VARIABLE: &str = "WARPWISE_CACHE_DIR";
/// The target of log records.
const LOG: &str = "warpwise::cache";
/// Characters of a subject's name in the name of its file.
const MAX_NAME_CHARS: usize = 64;

/// Returns the folder that the variable names.
pub(crate) fn folder_from_env() -> Option<PathBuf> {
    Some(env::var_os(VARIABLE).filter(|folder| !folder.is_empty())?.into())
}

/// The entries of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// The first word of an entry, and the version of its form.
    pub(crate) format: &'static str,
    /// The extension of its file.
    pub(crate) extension: &'static str,
    /// The noun before the name of its subject in log records.
    pub(crate) subject: &'static str,
}

/// A place for a text in a folder.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    kind: Kind,
    path: PathBuf,
    name: &'a str,
    key: &'a str,
}

impl<'a> Entry<'a> {
    /// Returns the entry with this key, in the name of whose file is the subject's.
    pub(crate) fn new(kind: Kind, folder: &Path, name: &'a str, key: &'a str) -> Self {
        Self { kind, path: folder.join(file_name(name, key, kind.extension)), name, key }
    }

    /// Returns the text, if the entry is there and whole.
    pub(crate) fn read(&self) -> Option<String> {
        let Self { kind, path, name, key } = self;
        match fs::read(path) {
            Ok(bytes) => {
                let text = parse(kind.format, &bytes, key);
                let subject = kind.subject;
                match text {
                    Some(_) => {
                        log::debug!(target: LOG, "{subject} `{name}` is read from {}", path.display());
                    }
                    None => log::warn!(target: LOG, "{} is damaged and made again", path.display()),
                }
                text
            }
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    log::warn!(target: LOG, "cannot read {}: {error}", path.display());
                }
                None
            }
        }
    }

    /// Keeps a text, in the place of an earlier one.
    pub(crate) fn write(&self, text: &str) {
        let Self { kind, path, name, key } = self;
        let subject = kind.subject;
        match write_whole(path, print(kind.format, key, text).as_bytes()) {
            Ok(()) => log::debug!(target: LOG, "{subject} `{name}` is kept in {}", path.display()),
            Err(error) => log::warn!(target: LOG, "cannot write {}: {error}", path.display()),
        }
    }
}

/// Writes a file such that no reader sees a part of it.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    // Processes in different containers may have the same number, hence `create_new`.
    let number = COUNT.fetch_add(1, Relaxed);
    let part = path.with_extension(format!("{}-{number}.part", process::id()));
    let mut file = File::create_new(&part)?;
    let written = file.write_all(bytes).and_then(|()| {
        drop(file);
        fs::rename(&part, path)
    });
    written.inspect_err(|_| {
        // A file that cannot be removed does no harm: it is never read.
        let _ = fs::remove_file(&part);
    })
}

/// Returns the name of an entry's file.
fn file_name(name: &str, key: &str, extension: &str) -> String {
    let name = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_');
    let name: String = name.take(MAX_NAME_CHARS).collect();
    format!("{name}-{:016x}.{extension}", hash(key.as_bytes()))
}

/// Returns the contents of an entry.
fn print(format: &str, key: &str, text: &str) -> String {
    let rest = format!("{}\n{key}{text}", key.len());
    format!("{format} {:016x}\n{rest}", hash(rest.as_bytes()))
}

/// Returns the text of an entry; `None` if it is not whole, or that of another key.
fn parse(format: &str, bytes: &[u8], key: &str) -> Option<String> {
    let (header, rest) = str::from_utf8(bytes).ok()?.split_once('\n')?;
    let checksum = header.strip_prefix(format)?.strip_prefix(' ')?;
    if checksum != format!("{:016x}", hash(rest.as_bytes())) {
        return None;
    }
    let (key_bytes, rest) = rest.split_once('\n')?;
    let (found, text) = rest.split_at_checked(key_bytes.parse().ok()?)?;
    (found == key).then(|| text.to_owned())
}

/// Returns the FNV-1a hash, which is the same in every process and on every machine.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: &str = "warpwise-test 1";

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        for text in ["", "a text\nof lines\n"] {
            let bytes = print(FORMAT, "the key\n", text);
            assert_eq!(parse(FORMAT, bytes.as_bytes(), "the key\n").as_deref(), Some(text));
        }
    }

    #[test]
    fn an_entry_that_lacks_or_changes_a_byte_or_has_another_key_is_none() {
        let bytes = print(FORMAT, "the key", "the text\n").into_bytes();
        assert_eq!(parse(FORMAT, &bytes, "the kez"), None);
        assert_eq!(parse("warpwise-test 2", &bytes, "the key"), None);
        for at in 0..bytes.len() {
            assert_eq!(parse(FORMAT, &bytes[..at], "the key"), None, "{at}");
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_eq!(parse(FORMAT, &changed, "the key"), None, "{at}");
        }
    }

    #[test]
    fn names_of_entries_are_names_of_files() {
        let name = file_name("r#größe/../k", "key", "ptx");
        assert!(name.starts_with("rgrek-") && name.ends_with(".ptx"), "{name}");
        assert_ne!(name, file_name("r#größe/../k", "kez", "ptx"));
        assert!(file_name(&"k".repeat(1000), "key", "ptx").len() < 100);
    }
}
