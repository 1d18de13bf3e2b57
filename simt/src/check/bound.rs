//! What the checks know of a launch.
use super::choice::Checks;
use crate::code::Code;

/// What the checks of every block need.
#[derive(Debug)]
pub(crate) struct BoundChecks {
    pub(crate) checks: Checks,
    /// Bytes of a cell of shared memory.
    pub(crate) unit: u64,
    /// The first cell of each shared array.
    first_cells: Vec<u64>,
    /// Cells of shared memory.
    pub(crate) cells: u64,
    /// Number of the first shared array among the buffers.
    first_array: u16,
}

impl BoundChecks {
    /// Of a launch whose blocks have shared arrays of so many bytes.
    pub(crate) fn new(checks: Checks, code: &Code, shared: &[u64]) -> Self {
        let sizes = code.sites.iter().filter(|site| site.is_shared).map(|site| site.bytes);
        let unit = u64::from(sizes.min().unwrap_or(1));
        let mut cells = 0;
        let first_cells = shared.iter().map(|bytes| {
            let first = cells;
            cells += bytes.div_ceil(unit);
            first
        });
        let first_cells = first_cells.collect();
        Self { checks, unit, first_cells, cells, first_array: code.params.len() as u16 }
    }

    /// The cells of shared memory that an access of so many bytes touches, each with its first byte in
    /// the array; none if it is outside.
    pub(crate) fn cells_of(
        &self,
        buffer: u16,
        offset: u64,
        bytes: u32,
    ) -> impl Iterator<Item = (u64, u64)> {
        let array = buffer.checked_sub(self.first_array).map(usize::from);
        let first = array.and_then(|array| self.first_cells.get(array).copied());
        let unit = self.unit;
        let cells = first.map(|first| {
            (offset..offset + u64::from(bytes))
                .step_by(unit as usize)
                .map(move |byte| (first + byte / unit, byte))
        });
        cells.into_iter().flatten()
    }
}
