//! `WARPWISE_CACHE_DIR=DIR`: PTX of kernels that are compiled at their first launch is kept in that
//! [folder](crate::disk::entry), for later processes.
//!
//! Optimization and emission are ours and are saved. The driver's compilation of the PTX is not:
//! the driver has a cache of its own.
//!
//! The key of an entry has the version, the target, the back end and the kernel. Its text is:
//!
//! ```text
//! 2511                bytes of the PTX
//! 1803 1*a0 -1*a1     bytes of the PTX under a contract, and the contract; or `-`
//! x 4                 axis and factor of the coarsened PTX, or `-`
//! PTX PTX PTX
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

const KIND: Kind = Kind { format: "warpwise-ptx-cache 3", extension: "ptx", subject: "kernel" };

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
fn print(PtxTexts { plain, assumed, coarsened }: &PtxTexts) -> String {
    let mut text = format!("{}\n", plain.len());
    match assumed {
        Some((contract, ptx)) => text += &format!("{} {contract}\n", ptx.len()),
        None => text += "-\n",
    }
    match coarsened {
        Some((CoarseGrid { axis, factor }, _)) => text += &format!("{} {factor}\n", axis.name()),
        None => text += "-\n",
    }
    text += plain;
    assumed.iter().for_each(|(_, ptx)| text += ptx);
    coarsened.iter().for_each(|(_, ptx)| text += ptx);
    text
}

fn parse(text: &str) -> Option<PtxTexts> {
    let (plain_bytes, rest) = text.split_once('\n')?;
    let (assumed, rest) = rest.split_once('\n')?;
    let (coarsened, rest) = rest.split_once('\n')?;
    let (plain, mut rest) = rest.split_at_checked(plain_bytes.parse().ok()?)?;
    let assumed = match assumed {
        "-" => None,
        assumed => {
            let (bytes, contract) = assumed.split_once(' ')?;
            let ptx;
            (ptx, rest) = rest.split_at_checked(bytes.parse().ok()?)?;
            Some((contract.parse().ok()?, ptx.to_owned()))
        }
    };
    let coarsened = match coarsened {
        "-" => None,
        grid => {
            let (axis, factor) = grid.split_once(' ')?;
            let axis = Axis::ALL.iter().copied().find(|known| known.name() == axis)?;
            Some((CoarseGrid { axis, factor: factor.parse().ok()? }, rest.to_owned()))
        }
    };
    Some(PtxTexts { plain: plain.to_owned(), assumed, coarsened })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_they_were_written() {
        let plain = ".entry k()\n".to_owned();
        let assumed = Some(("1*a0 -1*a1".parse().unwrap(), ".entry k(shorter)\n".to_owned()));
        let grid = CoarseGrid { axis: Axis::Y, factor: 4 };
        let coarsened = Some((grid, ".entry k(more)\n".to_owned()));
        for assumed in [None, assumed] {
            for coarsened in [None, coarsened.clone()] {
                let (plain, assumed) = (plain.clone(), assumed.clone());
                let texts = PtxTexts { plain, assumed, coarsened };
                assert_eq!(parse(&print(&texts)), Some(texts));
            }
        }
    }
}
