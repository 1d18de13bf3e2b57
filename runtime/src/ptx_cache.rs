//! `WARPWISE_CACHE_DIR=DIR`: PTX of kernels that are compiled at their first launch is kept in that
//! folder, for later processes.
//!
//! Optimization and emission are ours and are saved. The driver's compilation of the PTX is not:
//! the driver has a cache of its own.
//!
//! An entry is a file of this form. Its key is everything that the texts depend on, so that a
//! different version, target, back end or kernel is a different entry, and a collision of file
//! names is noticed:
//!
//! ```text
//! warpwise-ptx-cache 1 5a0c1de2f0b7a3c4     format, and checksum of all bytes after the line
//! 1893 2511 x 4 3002                        bytes of key and PTX; axis, factor and bytes of the
//! KEY PTX PTX                               coarsened PTX, or `-`
//! ```
//!
//! Processes may share the folder. An entry is written to a file of its own and then renamed, so
//! that no reader sees a part of it; of two writers the last one wins, and both have the same
//! texts. An entry that is damaged is made again. Failures of the file system are logged and cost
//! time only. Everyone with write access to the folder can change the code that runs on the GPU.
use crate::Result;
use std::{
    env,
    fmt::Write as _,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};
use warpwise_compiler::ir::{Axis, CoarseGrid};

/// The variable.
const VARIABLE: &str = "WARPWISE_CACHE_DIR";
/// The first word of an entry, and the version of its form.
const FORMAT: &str = "warpwise-ptx-cache 1";
/// The target of log records.
const LOG: &str = "warpwise::cache";
/// Characters of a kernel's name in the name of its entry.
const MAX_NAME_CHARS: usize = 64;

/// The PTX of a kernel.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PtxTexts {
    pub(crate) plain: String,
    /// The kernel with coarsened threads, for large launches.
    pub(crate) coarsened: Option<(CoarseGrid, String)>,
}

/// A folder of entries.
pub(crate) struct PtxCache {
    folder: PathBuf,
}

impl PtxCache {
    /// Returns the cache that the variable asks for.
    pub(crate) fn from_env() -> Option<Self> {
        let folder = env::var_os(VARIABLE).filter(|folder| !folder.is_empty())?;
        Some(Self { folder: folder.into() })
    }

    /// Returns the texts of the entry with this key, or those that `make` returns, which are kept.
    pub(crate) fn get_or_make(
        &self,
        kernel: &str,
        key: &str,
        make: impl FnOnce() -> Result<PtxTexts>,
    ) -> Result<PtxTexts> {
        let path = self.folder.join(entry_name(kernel, key));
        match fs::read(&path) {
            Ok(bytes) => match parse(&bytes, key) {
                Some(texts) => {
                    log::debug!(target: LOG, "kernel `{kernel}` is read from {}", path.display());
                    return Ok(texts);
                }
                None => {
                    log::warn!(target: LOG, "{} is damaged and made again", path.display());
                }
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => log::warn!(target: LOG, "cannot read {}: {error}", path.display()),
        }
        let texts = make()?;
        match self.write(&path, entry(key, &texts).as_bytes()) {
            Ok(()) => log::debug!(target: LOG, "kernel `{kernel}` is kept in {}", path.display()),
            Err(error) => log::warn!(target: LOG, "cannot write {}: {error}", path.display()),
        }
        Ok(texts)
    }

    /// Writes a file such that no reader sees a part of it.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        fs::create_dir_all(&self.folder)?;
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
}

/// Returns the name of an entry's file.
fn entry_name(kernel: &str, key: &str) -> String {
    let name = kernel.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_');
    let name: String = name.take(MAX_NAME_CHARS).collect();
    format!("{name}-{:016x}.ptx", hash(key.as_bytes()))
}

/// Returns the bytes of an entry.
fn entry(key: &str, texts: &PtxTexts) -> String {
    let mut rest = format!("{} {} ", key.len(), texts.plain.len());
    // Writing to a `String` cannot fail.
    let _ = match &texts.coarsened {
        Some((CoarseGrid { axis, factor }, ptx)) => {
            writeln!(rest, "{} {factor} {}", axis.name(), ptx.len())
        }
        None => writeln!(rest, "-"),
    };
    rest += key;
    rest += &texts.plain;
    if let Some((_, ptx)) = &texts.coarsened {
        rest += ptx;
    }
    format!("{FORMAT} {:016x}\n{rest}", hash(rest.as_bytes()))
}

/// Returns the texts of an entry; `None` if it is not whole, or that of another key.
fn parse(bytes: &[u8], key: &str) -> Option<PtxTexts> {
    let (header, rest) = str::from_utf8(bytes).ok()?.split_once('\n')?;
    let checksum = header.strip_prefix(FORMAT)?.strip_prefix(' ')?;
    if checksum != format!("{:016x}", hash(rest.as_bytes())) {
        return None;
    }
    let (sizes, rest) = rest.split_once('\n')?;
    let mut sizes = sizes.split(' ');
    let (key_bytes, plain) = (sizes.next()?.parse().ok()?, sizes.next()?.parse().ok()?);
    let (found, rest) = rest.split_at_checked(key_bytes)?;
    let (plain, rest) = rest.split_at_checked(plain)?;
    let coarsened = match sizes.next()? {
        "-" => None,
        axis => {
            let axis = Axis::ALL.iter().copied().find(|known| known.name() == axis)?;
            let grid = CoarseGrid { axis, factor: sizes.next()?.parse().ok()? };
            Some((grid, rest.to_owned()))
        }
    };
    (found == key).then(|| PtxTexts { plain: plain.to_owned(), coarsened })
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

    fn texts() -> [PtxTexts; 2] {
        let plain = || ".entry k()\n".to_owned();
        let grid = CoarseGrid { axis: Axis::Y, factor: 4 };
        [
            PtxTexts { plain: plain(), coarsened: None },
            PtxTexts { plain: plain(), coarsened: Some((grid, ".entry k(more)\n".into())) },
        ]
    }

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        for texts in texts() {
            let bytes = entry("the key\n", &texts);
            assert_eq!(parse(bytes.as_bytes(), "the key\n"), Some(texts));
        }
    }

    #[test]
    fn an_entry_that_lacks_or_changes_a_byte_or_has_another_key_is_none() {
        for texts in texts() {
            let bytes = entry("the key", &texts).into_bytes();
            assert_eq!(parse(&bytes, "the kez"), None);
            for at in 0..bytes.len() {
                assert_eq!(parse(&bytes[..at], "the key"), None, "{at}");
                let mut changed = bytes.clone();
                changed[at] ^= 1;
                assert_eq!(parse(&changed, "the key"), None, "{at}");
            }
        }
    }

    #[test]
    fn names_of_entries_are_names_of_files() {
        let name = entry_name("r#größe/../k", "key");
        assert!(name.starts_with("rgrek-") && name.ends_with(".ptx"), "{name}");
        assert_ne!(name, entry_name("r#größe/../k", "kez"));
        assert!(entry_name(&"k".repeat(1000), "key").len() < 100);
    }
}
