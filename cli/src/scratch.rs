//! Folders for what is only wanted for a while.
use crate::fault::Fault;
use std::{env, fs, path::PathBuf, process};

/// A folder that is gone when this is.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    /// One of this process, where everything is temporary.
    pub(crate) fn temporary() -> Result<Self, Fault> {
        Self::new(env::temp_dir().join(format!("cargo-warpwise-{}", process::id())))
    }

    pub(crate) fn new(folder: PathBuf) -> Result<Self, Fault> {
        fs::create_dir_all(&folder).map_err(|error| {
            Fault::new(format!("cannot make the folder {}: {error}", folder.display()))
        })?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing depends on it: it lies where everything is temporary, or in the target folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}
