//! What rounds access that are [alike](crate::exec::replay): the same in each, so many bytes further on.
use super::access_log::Access;
use crate::bytecode::Site;

/// Accesses of global memory in rounds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    /// Those of the first round, in order, each with how many bytes further on it is in each that follows.
    pub(crate) accesses: Vec<(Access, u64)>,
    /// Round by round, what all lanes of each store write, if it is the same.
    pub(crate) values: Vec<Option<u64>>,
    /// How many rounds there are.
    pub(crate) many: u64,
}

impl Rounds {
    /// The accesses of the first round, each with how many bytes further on it is in this one, and what all lanes write.
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
