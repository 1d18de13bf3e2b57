//! [Tables](crate::analysis::tables): arrays of a thread's own in which the kernel stores constants
//! only.
//!
//! They become constants of the module in global memory, which all threads read through the cache
//! of read-only data, as they do slices that nobody writes. In local memory each thread would fill
//! a copy of its own. Constant memory would be slower: it serves one address at a time, and where
//! the indices of a warp are the same and known, the optimizer has read the table already.
use super::{
    Emitter, comment,
    emitter::ptx,
    layout::{Placement, local_placement},
    reg::{Class, Reg},
};
use crate::{
    analysis::tables::{Tables, table_of_pointer},
    id::Id,
    ir::{ArrayId, InstId, Kernel},
};
use std::fmt::{self, Write};

/// Declares the tables of `kernel`.
pub(super) fn declare(kernel: &Kernel, tables: &Tables, f: &mut impl Write) -> fmt::Result {
    for (&id, bytes) in tables {
        let Placement { align, .. } = local_placement(&kernel.arrays[id]);
        let (number, comment) = (id.index(), comment(&kernel.arrays[id].name));
        write!(f, ".global .align {align} .b8 $table{number}[{}] = {{", bytes.len())?;
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
    /// Returns the table that `ptr` points into.
    pub(super) fn table(&self, ptr: InstId) -> Option<ArrayId> {
        table_of_pointer(&self.tables, self.kernel, ptr)
    }

    /// Emits the address of a table.
    pub(super) fn table_address(&mut self, table: ArrayId) -> Reg {
        let reg = self.regs.fresh(Class::B64);
        ptx!(self, "mov.u64 {reg}, $table{}", table.index());
        reg
    }
}
