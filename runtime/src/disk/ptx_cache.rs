//! `WARPWISE_CACHE_DIR=DIR`: PTX of kernels that are compiled at their first launch is kept in that
//! [folder](crate::disk::entry), for later processes.
//!
//! Optimization and emission are ours and are saved. The driver's compilation of the PTX is not:
//! the driver has a cache of its own.
//!
//! The key of an entry has the version, the target, the back end and the kernel. Its text is:
//!
//! ```text
//! 2511 x 4            bytes of the PTX; axis and factor of the coarsened PTX, or `-`
//! PTX PTX
//! ```
//!
//! Two processes that write the same entry have the same texts. Everyone with write access to the
//! folder can change the code that runs on the GPU.
use crate::{
    Result,
    disk::entry::{Entry, Kind, folder_from_env},
};
use std::path::PathBuf;
use warpwise_compiler::{
    compile::GpuCode,
    ir::{Axis, CoarseGrid},
};

const KIND: Kind = Kind { format: "warpwise-ptx-cache 2", extension: "ptx", subject: "kernel" };

/// The PTX of a kernel.
type PtxTexts = GpuCode<String>;

/// A folder of entries.
pub(crate) struct PtxCache {
    folder: PathBuf,
}

impl PtxCache {
    /// Returns the cache that the variable asks for.
    pub(crate) fn from_env() -> Option<Self> {
        Some(Self { folder: folder_from_env()? })
    }

    /// Returns the texts of the entry with this key, or those that `make` returns, which are kept.
    pub(crate) fn get_or_make(
        &self,
        kernel: &str,
        key: &str,
        make: impl FnOnce() -> Result<PtxTexts>,
    ) -> Result<PtxTexts> {
        let entry = Entry::new(KIND, &self.folder, kernel, key);
        if let Some(texts) = entry.read().and_then(|text| parse(&text)) {
            return Ok(texts);
        }
        let texts = make()?;
        entry.write(&print(&texts));
        Ok(texts)
    }
}

/// Returns the text of an entry.
fn print(PtxTexts { plain, coarsened }: &PtxTexts) -> String {
    let bytes = plain.len();
    match coarsened {
        Some((CoarseGrid { axis, factor }, ptx)) => {
            format!("{bytes} {} {factor}\n{plain}{ptx}", axis.name())
        }
        None => format!("{bytes} -\n{plain}"),
    }
}

fn parse(text: &str) -> Option<PtxTexts> {
    let (header, rest) = text.split_once('\n')?;
    let mut header = header.split(' ');
    let (plain, rest) = rest.split_at_checked(header.next()?.parse().ok()?)?;
    let coarsened = match header.next()? {
        "-" => None,
        axis => {
            let axis = Axis::ALL.iter().copied().find(|known| known.name() == axis)?;
            let grid = CoarseGrid { axis, factor: header.next()?.parse().ok()? };
            Some((grid, rest.to_owned()))
        }
    };
    Some(PtxTexts { plain: plain.to_owned(), coarsened })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_they_were_written() {
        let plain = || ".entry k()\n".to_owned();
        let grid = CoarseGrid { axis: Axis::Y, factor: 4 };
        for texts in [
            PtxTexts { plain: plain(), coarsened: None },
            PtxTexts { plain: plain(), coarsened: Some((grid, ".entry k(more)\n".into())) },
        ] {
            assert_eq!(parse(&print(&texts)), Some(texts));
        }
    }
}
