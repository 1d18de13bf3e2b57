//! [Read-only arrays](crate::analysis::read_only_arrays): arrays of a thread's own with the same
//! contents in every thread, of which there is one copy.
//!
//! Arrays of constants are constants of the module. Those that a warp reads by one index at a time
//! are in constant memory, and the others in global memory, which all threads read through the
//! cache of read-only data, as they do slices that nobody writes. Arrays of parameters are read
//! among the parameters: these lie one after another, each at a multiple of its size, so that the
//! first one's address is that of the array.
use super::{
    Emitter,
    layout::{Placement, local_placement},
    name_comment,
};
use crate::{
    analysis::read_only_arrays::{ReadOnlyArrays, Storage, read_only_array_of},
    id::Id,
    ir::{InstId, Kernel},
};
use std::fmt::{self, Write};

/// Declares the arrays of constants of `kernel`.
pub(super) fn declare(kernel: &Kernel, arrays: &ReadOnlyArrays, f: &mut impl Write) -> fmt::Result {
    for (&id, storage) in arrays {
        let (space, bytes) = match storage {
            Storage::Constant(bytes) => ("const", bytes),
            Storage::Global(bytes) => ("global", bytes),
            Storage::Params(_) => continue,
        };
        let Placement { align, .. } = local_placement(&kernel.arrays[id]);
        let (number, comment) = (id.index(), name_comment(&kernel.arrays[id].name));
        write!(f, ".{space} .align {align} .b8 $table{number}[{}] = {{", bytes.len())?;
        for (at, byte) in bytes.iter().enumerate() {
            let separator = match at {
                0 => "\n\t",
                _ if at % 16 == 0 => ",\n\t",
                _ => ", ",
            };
            write!(f, "{separator}{byte}")?;
        }
        writeln!(f, "\n}};{comment}\n")?;
    }
    Ok(())
}

impl Emitter<'_> {
    /// Returns the read-only array that `ptr` points into.
    pub(super) fn read_only_array(&self, ptr: InstId) -> Option<&Storage> {
        read_only_array_of(&self.read_only_arrays, self.kernel, ptr)
    }
}
