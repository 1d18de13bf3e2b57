//! Temporary folders.
use crate::error::CommandError;
use std::{env, fs, path::PathBuf, process};

/// Temporary folder, removed on drop.
pub(crate) struct ScratchFolder(pub(crate) PathBuf);

impl ScratchFolder {
    /// Creates a folder for this process in the system's temporary folder.
    pub(crate) fn temporary() -> Result<Self, CommandError> {
        Self::new(env::temp_dir().join(format!("cargo-warpwise-{}", process::id())))
    }

    pub(crate) fn new(folder: PathBuf) -> Result<Self, CommandError> {
        fs::create_dir_all(&folder).map_err(|error| {
            CommandError::new(format!("cannot make the folder {}: {error}", folder.display()))
        })?;
        Ok(Self(folder))
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // A leftover does no harm: it is in the temporary folder or in the target folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}
