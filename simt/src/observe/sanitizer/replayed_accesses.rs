//! The global memory accesses of [replayed](crate::exec::replay) rounds: the same in each, with
//! addresses that advance by a constant.
use super::access_log::Access;
use crate::bytecode::Site;

/// Accesses of global memory in replayed rounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReplayedAccesses {
    /// The accesses of the first round, in order, each with its advance in bytes per round.
    pub(crate) accesses: Vec<(Access, u64)>,
    /// By round and store, the value that all lanes write, if it is the same.
    pub(crate) values: Vec<Option<u64>>,
    /// The number of rounds.
    pub(crate) many: u64,
}

impl ReplayedAccesses {
    /// Returns the accesses of the first round, each with its distance in bytes to this round and
    /// the value that all lanes write in this round.
    pub(crate) fn round(
        &self,
        sites: &[Site],
        round: u64,
    ) -> impl Iterator<Item = (&Access, u64, Option<u64>)> {
        let stores = self.values.len() as u64 / self.many.max(1);
        let mut values = self.values[(stores * round) as usize..].iter().copied();
        self.accesses.iter().map(move |(access, step)| {
            let writes = sites[access.site as usize].value.is_some();
            let value = if writes { values.next().flatten() } else { None };
            (access, step.wrapping_mul(round), value)
        })
    }
}
