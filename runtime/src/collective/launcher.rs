//! The ranks of a program that a launcher started, read from its environment: [`World`].
use crate::{Error, Result};

/// The default port of `torchrun` and PyTorch.
const DEFAULT_PORT: u16 = 29500;

/// The variables of a launcher.
struct Launcher {
    rank: &'static str,
    size: &'static str,
    /// The number of the process among those of its machine, and their number.
    local: (&'static str, &'static str),
}

/// In order of precedence: `torchrun` may itself be started by one of the others.
const LAUNCHERS: [Launcher; 4] = [
    Launcher { rank: "RANK", size: "WORLD_SIZE", local: ("LOCAL_RANK", "LOCAL_WORLD_SIZE") },
    Launcher {
        rank: "OMPI_COMM_WORLD_RANK",
        size: "OMPI_COMM_WORLD_SIZE",
        local: ("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    },
    // MPICH and Intel MPI.
    Launcher { rank: "PMI_RANK", size: "PMI_SIZE", local: ("MPI_LOCALRANKID", "MPI_LOCALNRANKS") },
    Launcher {
        rank: "SLURM_PROCID",
        size: "SLURM_NTASKS",
        local: ("SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"),
    },
];

/// The place of this process among those of its program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct World {
    pub(super) rank: usize,
    pub(super) size: usize,
    /// The number of the process among those of its machine.
    pub(super) local_rank: usize,
    /// The host and port at which rank 0 gives out the id of the communicator; `None` if there is
    /// no other rank.
    pub(super) meeting: Option<(String, u16)>,
}

impl World {
    /// Reads the variables, which `get` returns. Without any, this process is the only one.
    ///
    /// # Errors
    /// [`Error::Launcher`] if a variable is missing, or holds something else.
    pub(super) fn read(get: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let Some(launcher) = LAUNCHERS.iter().find(|launcher| get(launcher.rank).is_some()) else {
            return Ok(Self { rank: 0, size: 1, local_rank: 0, meeting: None });
        };
        let rank = required(&get, launcher, launcher.rank)?;
        let size = required(&get, launcher, launcher.size)?;
        if rank >= size {
            let (name, total) = (launcher.rank, launcher.size);
            return Err(problem(format!("`{name}={rank}` is no rank below `{total}={size}`")));
        }
        let local_size = number(&get, launcher.local.1)?;
        let is_alone = local_size == Some(size);
        let local_rank = match number(&get, launcher.local.0)? {
            Some(local_rank) => local_rank,
            // On one machine both ranks are the same.
            None if is_alone || size == 1 => rank,
            None => {
                let name = launcher.local.0;
                return Err(problem(format!("`{}` is set and `{name}` is not", launcher.rank)));
            }
        };
        let meeting = match size {
            1 => None,
            _ => Some(meeting(&get, is_alone)?),
        };
        Ok(Self { rank, size, local_rank, meeting })
    }
}

/// Returns the host of rank 0, and the port next to the launcher's.
///
/// `MASTER_PORT` itself is where `torchrun` and `torch.distributed` listen in the same job.
fn meeting(get: &impl Fn(&str) -> Option<String>, is_alone: bool) -> Result<(String, u16)> {
    let host = get("MASTER_ADDR").filter(|host| !host.is_empty());
    let host = host.or_else(|| is_alone.then(|| "127.0.0.1".to_owned())).ok_or_else(|| {
        problem("`MASTER_ADDR` is not set: it has to name the machine of rank 0".to_owned())
    })?;
    let port: u16 = number(get, "MASTER_PORT")?.unwrap_or(DEFAULT_PORT);
    let next = port.checked_add(1).ok_or_else(|| {
        problem(format!("`MASTER_PORT={port}` is the last port, and the one after it is needed"))
    })?;
    Ok((host, next))
}

fn required(
    get: &impl Fn(&str) -> Option<String>,
    launcher: &Launcher,
    name: &str,
) -> Result<usize> {
    let rank = launcher.rank;
    number(get, name)?.ok_or_else(|| problem(format!("`{rank}` is set and `{name}` is not")))
}

/// Parses a variable; `None` if it is not set.
fn number<N: std::str::FromStr>(
    get: &impl Fn(&str) -> Option<String>,
    name: &str,
) -> Result<Option<N>> {
    let Some(value) = get(name) else { return Ok(None) };
    match value.trim().parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(problem(format!("`{name}={value}` is no number that it can be"))),
    }
}

fn problem(problem: String) -> Error {
    Error::Launcher { problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<World> {
        World::read(|name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    fn world(rank: usize, size: usize, local_rank: usize, meeting: Option<(&str, u16)>) -> World {
        let meeting = meeting.map(|(host, port)| (host.to_owned(), port));
        World { rank, size, local_rank, meeting }
    }

    #[test]
    fn launchers_are_recognized() {
        assert_eq!(read(&[]).unwrap(), world(0, 1, 0, None));
        assert_eq!(read(&[("WORLD_SIZE", "8")]).unwrap(), world(0, 1, 0, None));
        let torchrun = [
            ("RANK", "5"),
            ("WORLD_SIZE", "8"),
            ("LOCAL_RANK", "1"),
            ("LOCAL_WORLD_SIZE", "4"),
            ("MASTER_ADDR", "node7"),
            ("MASTER_PORT", "1234"),
            ("SLURM_PROCID", "1"),
            ("SLURM_NTASKS", "2"),
        ];
        assert_eq!(read(&torchrun).unwrap(), world(5, 8, 1, Some(("node7", 1235))));
        let open_mpi = [
            ("OMPI_COMM_WORLD_RANK", "3"),
            ("OMPI_COMM_WORLD_SIZE", "4"),
            ("OMPI_COMM_WORLD_LOCAL_RANK", "3"),
            ("OMPI_COMM_WORLD_LOCAL_SIZE", "4"),
        ];
        assert_eq!(read(&open_mpi).unwrap(), world(3, 4, 3, Some(("127.0.0.1", 29501))));
        let mpich = [("PMI_RANK", "1"), ("PMI_SIZE", "2"), ("MPI_LOCALNRANKS", "2")];
        assert_eq!(read(&mpich).unwrap(), world(1, 2, 1, Some(("127.0.0.1", 29501))));
        let slurm = [
            ("SLURM_PROCID", "9"),
            ("SLURM_NTASKS", "16"),
            ("SLURM_LOCALID", "1"),
            ("SLURM_NTASKS_PER_NODE", "8"),
            ("MASTER_ADDR", "10.0.0.1"),
        ];
        assert_eq!(read(&slurm).unwrap(), world(9, 16, 1, Some(("10.0.0.1", 29501))));
        let alone = [("RANK", "0"), ("WORLD_SIZE", "1")];
        assert_eq!(read(&alone).unwrap(), world(0, 1, 0, None));
    }

    #[test]
    fn environments_that_make_no_sense_are_errors() {
        let two = ("WORLD_SIZE", "2");
        let local = ("LOCAL_RANK", "0");
        for (variables, expected) in [
            (&[("RANK", "0")][..], "`RANK` is set and `WORLD_SIZE` is not"),
            (&[("RANK", "2"), two], "`RANK=2` is no rank below `WORLD_SIZE=2`"),
            (&[("RANK", "-1"), two], "`RANK=-1` is no number that it can be"),
            (&[("RANK", "1"), two], "`RANK` is set and `LOCAL_RANK` is not"),
            (
                &[("RANK", "1"), two, local],
                "`MASTER_ADDR` is not set: it has to name the machine of rank 0",
            ),
            (
                &[("RANK", "1"), two, local, ("MASTER_ADDR", "x"), ("MASTER_PORT", "65535")],
                "`MASTER_PORT=65535` is the last port, and the one after it is needed",
            ),
            (
                &[("RANK", "1"), two, local, ("MASTER_ADDR", "x"), ("MASTER_PORT", "65536")],
                "`MASTER_PORT=65536` is no number that it can be",
            ),
            (
                &[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "many")],
                "`SLURM_NTASKS=many` is no number that it can be",
            ),
        ] {
            let error = read(variables).unwrap_err();
            assert_eq!(error, problem(expected.to_owned()));
        }
    }
}
