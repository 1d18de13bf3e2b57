//! Collectives over several devices: [`Communicator`], with all-reduce, all-gather, reduce-scatter,
//! broadcast, send and receive on slices.
//!
//! The devices of a program are numbered as *ranks*. Each rank has a communicator and a thread or a
//! process of its own, and all ranks make the same calls in the same order.
//!
//! | ranks | from | transport |
//! |---|---|---|
//! | CPU devices of one process | [`Communicator::all`] | memory of the process |
//! | GPUs of one process | [`Communicator::all`] | NCCL, with the feature `nccl` |
//! | GPUs, each with a process, on one machine or several | [`Communicator::from_env`] | NCCL, with the feature `nccl` |
//! | one device | either | copies; needs no NCCL |
//!
//! NCCL is `libnccl.so.2`, 2.10 or newer, loaded when a communicator first needs it. Programs with
//! the feature start without it, and get [`Error::NoNccl`].
//!
//! ```
//! use warpwise::{
//!     Device,
//!     collective::{Communicator, ReduceOp},
//! };
//! let devices = [Device::cpu(), Device::cpu(), Device::cpu()];
//! std::thread::scope(|scope| {
//!     for communicator in Communicator::all(&devices)? {
//!         // The thread owns its communicator: if it fails, the others get an error.
//!         scope.spawn(move || {
//!             let rank = communicator.rank() as u32;
//!             let mut x = communicator.device().upload(&[rank, 10 * rank])?;
//!             communicator.all_reduce_in_place(&mut x, ReduceOp::Sum)?;
//!             assert_eq!(x.to_vec()?, [3, 30]);
//!             Ok::<(), warpwise::Error>(())
//!         });
//!     }
//!     Ok::<(), warpwise::Error>(())
//! })?;
//! # Ok::<(), warpwise::Error>(())
//! ```
mod call;
mod element;
#[cfg(any(feature = "nccl", test))]
mod exchange;
mod launcher;
mod mistake;
mod rendezvous;

#[cfg(feature = "nccl")]
use crate::driver;
use crate::{
    Device, Error, Result, Slice,
    memory::{self, AnySlice},
};
pub(crate) use call::{Call, Elements, Transfer};
#[cfg(feature = "nccl")]
pub(crate) use element::DataType;
pub use element::{CollectiveElement, ReduceOp};
#[cfg(feature = "nccl")]
pub(crate) use exchange::UniqueId;
use launcher::World;
pub use mistake::CollectiveMistake;
use rendezvous::Seat;
use std::{cell::Cell, fmt, marker::PhantomData};

/// The rank of one device among several that compute together.
///
/// **Calls.** All ranks make the same calls in the same order, each from its own thread or process;
/// a thread that drove two ranks would wait in the first call of one for the other's. The type is
/// not `Sync` for this reason. Lengths are checked before anything is enqueued.
///
/// **Order.** Work is enqueued on [`Self::device`], and on GPUs a call returns before it has run.
/// It waits for earlier work with its slices on other streams, and later work with them waits for
/// it, as with a launch.
///
/// **Errors.** Ranks of one process meet in each call before anything is enqueued. Calls that do
/// not belong together are an [`Error::Collective`] on every rank, and so is a call that waits for
/// a rank whose communicator was dropped, because its thread returned early or panicked. Between
/// processes there is no such check: NCCL waits for a rank that does not make the call, and calls
/// of different lengths have unspecified results. After an [`Error::Nccl`], the communicators of
/// all ranks have to be dropped.
///
/// **End.** Dropping the communicator of a GPU waits for its work, so for the other ranks. After an
/// error, or in a panic, it aborts this work instead.
pub struct Communicator {
    device: Device,
    rank: usize,
    size: usize,
    transport: Transport,
    /// Not `Sync`: a rank makes one call at a time.
    not_sync: PhantomData<Cell<()>>,
}

/// The means by which ranks exchange elements.
enum Transport {
    /// There is no other rank.
    Alone,
    /// CPU devices of this process.
    Host(Seat),
    /// GPUs. Their ranks have seats if they are in this process. A seat is given up before work is
    /// waited for, so that ranks that wait for this one get their error.
    #[cfg(feature = "nccl")]
    Nccl { seat: Option<Seat>, nccl: driver::NcclCommunicator },
}

/// The slices of a call. Without one of them, the call is in place.
struct Operands<'a> {
    from: Option<&'a AnySlice>,
    to: Option<&'a AnySlice>,
}

impl Communicator {
    /// Creates the communicators of several devices in this process, in the order of their ranks:
    /// of CPU devices, or of GPUs that differ. A [stream](crate::Stream) may stand for its device.
    ///
    /// ```
    /// use warpwise::{Device, collective::Communicator};
    /// let communicators = Communicator::all(&[Device::cpu(), Device::cpu()])?;
    /// assert_eq!(communicators.len(), 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Collective`] with [`CollectiveMistake::Devices`] if there are none, or of both
    /// kinds; of several GPUs [`Error::NoNccl`], [`Error::Nccl`], or an error of the driver.
    pub fn all(devices: &[Device]) -> Result<Vec<Self>> {
        let gpus = devices.iter().filter(|device| device.is_gpu()).count();
        let transports = match (devices, gpus) {
            ([_], _) => vec![Transport::Alone],
            ([], _) => return Err(mistake("Communicator::all", CollectiveMistake::Devices)),
            (_, 0) => Seat::for_ranks(devices.len()).into_iter().map(Transport::Host).collect(),
            _ if gpus == devices.len() => Self::connect_gpus(devices)?,
            _ => return Err(mistake("Communicator::all", CollectiveMistake::Devices)),
        };
        let of_rank = |(rank, transport): (usize, _)| {
            Self::new(devices[rank].clone(), rank, devices.len(), transport)
        };
        Ok(transports.into_iter().enumerate().map(of_rank).collect())
    }

    /// Creates the communicator of this process among those that a launcher started: `torchrun`,
    /// `mpirun` of Open MPI, MPICH and Intel MPI, or `srun`. Rank 0 creates the id of the
    /// communicator and gives it to the other ranks by TCP; NCCL does the rest.
    ///
    /// | | torchrun | Open MPI | MPICH, Intel MPI | Slurm |
    /// |---|---|---|---|---|
    /// | rank | `RANK` | `OMPI_COMM_WORLD_RANK` | `PMI_RANK` | `SLURM_PROCID` |
    /// | size | `WORLD_SIZE` | `OMPI_COMM_WORLD_SIZE` | `PMI_SIZE` | `SLURM_NTASKS` |
    /// | GPU | `LOCAL_RANK` | `OMPI_COMM_WORLD_LOCAL_RANK` | `MPI_LOCALRANKID` | `SLURM_LOCALID` |
    ///
    /// `MASTER_ADDR` names the machine of rank 0, and may be left out where the launcher says that
    /// all ranks are on one. `MASTER_PORT` is 29500 unless set. Rank 0 listens at the port after
    /// it, because `torchrun` uses the port itself. The device is `cuda:N` with the number of the
    /// process on its machine, or `cuda:0` if the process sees one GPU.
    ///
    /// If no launcher has started the process, or there is one rank, the device is that of
    /// [`Device::auto`], and nothing else is needed.
    ///
    /// ```
    /// use warpwise::collective::{Communicator, ReduceOp};
    ///
    /// // It runs on one device, and under `torchrun --nproc-per-node 8` on eight GPUs.
    /// let communicator = Communicator::from_env()?;
    /// let mut sum = communicator.device().upload(&[communicator.rank() as f32])?;
    /// communicator.all_reduce_in_place(&mut sum, ReduceOp::Sum)?;
    /// let ranks = communicator.size() as f32;
    /// assert_eq!(sum.to_vec()?, [ranks * (ranks - 1.0) / 2.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Launcher`] if the environment makes no sense, or the other ranks do not answer
    /// within three minutes; [`Error::NoNccl`], [`Error::Nccl`]; what [`Device::cuda`] and
    /// [`Device::auto`] return.
    pub fn from_env() -> Result<Self> {
        let world = World::read(|name| std::env::var(name).ok())?;
        match &world.meeting {
            None => Ok(Self::new(Device::auto()?, 0, 1, Transport::Alone)),
            Some(meeting) => Self::connect_process(&world, meeting),
        }
    }

    fn new(device: Device, rank: usize, size: usize, transport: Transport) -> Self {
        Self { device, rank, size, transport, not_sync: PhantomData }
    }

    /// Returns the number of this rank, from 0.
    ///
    /// ```
    /// use warpwise::{Device, collective::Communicator};
    /// let communicators = Communicator::all(&[Device::cpu(), Device::cpu()])?;
    /// assert_eq!(communicators[1].rank(), 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks.
    ///
    /// ```
    /// use warpwise::{Device, collective::Communicator};
    /// let communicators = Communicator::all(&[Device::cpu(), Device::cpu()])?;
    /// assert_eq!(communicators[1].size(), 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the device of this rank, in whose order the calls run.
    ///
    /// ```
    /// use warpwise::{Device, collective::Communicator};
    /// let communicators = Communicator::all(&[Device::cpu()])?;
    /// assert!(!communicators[0].device().is_gpu());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Combines the elements of all ranks, each with those of the same index, and gives the result
    /// to all ranks.
    ///
    /// ```
    /// use warpwise::{Device, collective::{Communicator, ReduceOp}};
    /// std::thread::scope(|scope| {
    ///     for communicator in Communicator::all(&[Device::cpu(), Device::cpu()])? {
    ///         scope.spawn(move || {
    ///             let (device, rank) = (communicator.device(), communicator.rank());
    ///             let x = device.upload(&[rank as u32, 1])?;
    ///             let mut y = device.zeros::<u32>(2)?;
    ///             communicator.all_reduce(&x, &mut y, ReduceOp::Sum)?;
    ///             assert_eq!(y.to_vec()?, [1, 2]);
    ///             Ok::<(), warpwise::Error>(())
    ///         });
    ///     }
    ///     Ok::<(), warpwise::Error>(())
    /// })?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Collective`], unless all slices have the same length; [`Error::Nccl`].
    pub fn all_reduce<T: CollectiveElement>(
        &self,
        x: &Slice<T>,
        y: &mut Slice<T>,
        op: ReduceOp,
    ) -> Result<()> {
        let call = Call::AllReduce { op, elements: elements(x) };
        self.check_len(&call, y.len(), Some(x.len()))?;
        self.run::<T>(&call, Operands { from: Some(x.any()), to: Some(y.any()) })
    }

    /// Combines the elements of all ranks as [`Self::all_reduce`] does, and overwrites them.
    ///
    /// ```
    /// use warpwise::{Device, collective::{Communicator, ReduceOp}};
    /// std::thread::scope(|scope| {
    ///     for communicator in Communicator::all(&[Device::cpu(), Device::cpu()])? {
    ///         scope.spawn(move || {
    ///             let (device, rank) = (communicator.device(), communicator.rank());
    ///             let mut x = device.upload(&[rank as u32, 1])?;
    ///             communicator.all_reduce_in_place(&mut x, ReduceOp::Max)?;
    ///             assert_eq!(x.to_vec()?, [1, 1]);
    ///             Ok::<(), warpwise::Error>(())
    ///         });
    ///     }
    ///     Ok::<(), warpwise::Error>(())
    /// })?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::all_reduce`].
    pub fn all_reduce_in_place<T: CollectiveElement>(
        &self,
        x: &mut Slice<T>,
        op: ReduceOp,
    ) -> Result<()> {
        let call = Call::AllReduce { op, elements: elements(x) };
        self.run::<T>(&call, Operands { from: None, to: Some(x.any()) })
    }

    /// Copies the elements of rank `root` to all other ranks.
    ///
    /// ```
    /// use warpwise::{Device, collective::Communicator};
    /// std::thread::scope(|scope| {
    ///     for communicator in Communicator::all(&[Device::cpu(), Device::cpu()])? {
    ///         scope.spawn(move || {
    ///             let (device, rank) = (communicator.device(), communicator.rank());
    ///             let mut x = device.upload(&[rank as u32])?;
    ///             communicator.broadcast(&mut x, 1)?;
    ///             assert_eq!(x.to_vec()?, [1]);
    ///             Ok::<(), warpwise::Error>(())
    ///         });
    ///     }
    ///     Ok::<(), warpwise::Error>(())
    /// })?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Collective`], unless all slices have the same length and the rank exists;
    /// [`Error::Nccl`].
    pub fn broadcast<T: CollectiveElement>(&self, x: &mut Slice<T>, root: usize) -> Result<()> {
        let call = Call::Broadcast { root, elements: elements(x) };
        self.check_rank(&call, root)?;
        let is_root = root == self.rank;
        let (from, to) = (is_root.then_some(x.any()), (!is_root).then_some(x.any()));
        self.run::<T>(&call, Operands { from, to })
    }

    /// Gives the elements of all ranks, one rank after the other, to all ranks.
    ///
    /// ```
    /// use warpwise::{Device, collective::Communicator};
    /// std::thread::scope(|scope| {
    ///     for communicator in Communicator::all(&[Device::cpu(), Device::cpu()])? {
    ///         scope.spawn(move || {
    ///             let (device, rank) = (communicator.device(), communicator.rank());
    ///             let x = device.upload(&[rank as u32])?;
    ///             let mut y = device.zeros::<u32>(2)?;
    ///             communicator.all_gather(&x, &mut y)?;
    ///             assert_eq!(y.to_vec()?, [0, 1]);
    ///             Ok::<(), warpwise::Error>(())
    ///         });
    ///     }
    ///     Ok::<(), warpwise::Error>(())
    /// })?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Collective`], unless `x` has the same length on all ranks, and `y` as many times
    /// this length as there are ranks; [`Error::Nccl`].
    pub fn all_gather<T: CollectiveElement>(&self, x: &Slice<T>, y: &mut Slice<T>) -> Result<()> {
        let call = Call::AllGather { elements: elements(x) };
        self.check_len(&call, y.len(), x.len().checked_mul(self.size))?;
        self.run::<T>(&call, Operands { from: Some(x.any()), to: Some(y.any()) })
    }

    /// Combines the elements of all ranks, and gives each rank its part of the result: the first
    /// part to rank 0, and so on.
    ///
    /// ```
    /// use warpwise::{Device, collective::{Communicator, ReduceOp}};
    /// std::thread::scope(|scope| {
    ///     for communicator in Communicator::all(&[Device::cpu(), Device::cpu()])? {
    ///         scope.spawn(move || {
    ///             let (device, rank) = (communicator.device(), communicator.rank());
    ///             let x = device.upload(&[rank as u32, 10])?;
    ///             let mut y = device.zeros::<u32>(1)?;
    ///             communicator.reduce_scatter(&x, &mut y, ReduceOp::Sum)?;
    ///             assert_eq!(y.to_vec()?, [[1], [20]][rank]);
    ///             Ok::<(), warpwise::Error>(())
    ///         });
    ///     }
    ///     Ok::<(), warpwise::Error>(())
    /// })?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Collective`], unless `y` has the same length on all ranks, and `x` as many times
    /// this length as there are ranks; [`Error::Nccl`].
    pub fn reduce_scatter<T: CollectiveElement>(
        &self,
        x: &Slice<T>,
        y: &mut Slice<T>,
        op: ReduceOp,
    ) -> Result<()> {
        let call = Call::ReduceScatter { op, elements: elements(y) };
        if !x.len().is_multiple_of(self.size) {
            let (found, size) = (x.len(), self.size);
            return Err(mistake(call.name(), CollectiveMistake::Indivisible { found, size }));
        }
        self.check_len(&call, y.len(), Some(x.len() / self.size))?;
        self.run::<T>(&call, Operands { from: Some(x.any()), to: Some(y.any()) })
    }

    /// Sends elements to a rank that [receives](Self::receive) them, and waits for its call. Two
    /// ranks that send to each other before they receive would wait forever: see
    /// [`Self::exchange`].
    ///
    /// ```
    /// use warpwise::{Device, collective::Communicator};
    /// std::thread::scope(|scope| {
    ///     for communicator in Communicator::all(&[Device::cpu(), Device::cpu()])? {
    ///         scope.spawn(move || {
    ///             let (device, rank) = (communicator.device(), communicator.rank());
    ///             let mut x = device.upload(&[rank as u32])?;
    ///             if rank == 0 {
    ///                 communicator.send(&x, 1)?;
    ///             } else {
    ///                 communicator.receive(&mut x, 0)?;
    ///             }
    ///             assert_eq!(x.to_vec()?, [0]);
    ///             Ok::<(), warpwise::Error>(())
    ///         });
    ///     }
    ///     Ok::<(), warpwise::Error>(())
    /// })?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Collective`], unless the rank exists, is another one, and receives as many
    /// elements; [`Error::Nccl`].
    pub fn send<T: CollectiveElement>(&self, x: &Slice<T>, to: usize) -> Result<()> {
        let send = Some(Transfer { peer: to, elements: elements(x) });
        let call = Call::Exchange { send, receive: None };
        self.check_peer(&call, to)?;
        self.run::<T>(&call, Operands { from: Some(x.any()), to: None })
    }

    /// Receives elements from a rank that [sends](Self::send) them.
    ///
    /// ```
    /// use warpwise::{Device, collective::Communicator};
    /// std::thread::scope(|scope| {
    ///     for communicator in Communicator::all(&[Device::cpu(), Device::cpu()])? {
    ///         scope.spawn(move || {
    ///             let (device, rank) = (communicator.device(), communicator.rank());
    ///             let mut x = device.upload(&[rank as u32])?;
    ///             if rank == 0 {
    ///                 communicator.send(&x, 1)?;
    ///             } else {
    ///                 communicator.receive(&mut x, 0)?;
    ///             }
    ///             assert_eq!(x.to_vec()?, [0]);
    ///             Ok::<(), warpwise::Error>(())
    ///         });
    ///     }
    ///     Ok::<(), warpwise::Error>(())
    /// })?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::send`].
    pub fn receive<T: CollectiveElement>(&self, x: &mut Slice<T>, from: usize) -> Result<()> {
        let receive = Some(Transfer { peer: from, elements: elements(x) });
        let call = Call::Exchange { send: None, receive };
        self.check_peer(&call, from)?;
        self.run::<T>(&call, Operands { from: None, to: Some(x.any()) })
    }

    /// Sends elements to one rank and at the same time receives some from the same or another one:
    /// for rings, and for neighbours that swap the borders of their parts.
    ///
    /// ```
    /// use warpwise::{Device, collective::Communicator};
    /// let devices = [Device::cpu(), Device::cpu(), Device::cpu()];
    /// std::thread::scope(|scope| {
    ///     for communicator in Communicator::all(&devices)? {
    ///         scope.spawn(move || {
    ///             let (rank, size) = (communicator.rank(), communicator.size());
    ///             let x = communicator.device().upload(&[rank as u32])?;
    ///             let mut y = communicator.device().zeros::<u32>(1)?;
    ///             let (next, last) = ((rank + 1) % size, (rank + size - 1) % size);
    ///             communicator.exchange(&x, next, &mut y, last)?;
    ///             assert_eq!(y.to_vec()?, [last as u32]);
    ///             Ok::<(), warpwise::Error>(())
    ///         });
    ///     }
    ///     Ok::<(), warpwise::Error>(())
    /// })?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Self::send`].
    pub fn exchange<T: CollectiveElement>(
        &self,
        x: &Slice<T>,
        to: usize,
        y: &mut Slice<T>,
        from: usize,
    ) -> Result<()> {
        let send = Some(Transfer { peer: to, elements: elements(x) });
        let receive = Some(Transfer { peer: from, elements: elements(y) });
        let call = Call::Exchange { send, receive };
        self.check_peer(&call, to)?;
        self.check_peer(&call, from)?;
        self.run::<T>(&call, Operands { from: Some(x.any()), to: Some(y.any()) })
    }

    /// Runs a call whose lengths and ranks are right.
    fn run<T: CollectiveElement>(&self, call: &Call, operands: Operands<'_>) -> Result<()> {
        for slice in [operands.from, operands.to].into_iter().flatten() {
            if !self.device.shares_memory_with(slice.device()) {
                let (slice, communicator) = (slice.device().to_string(), self.device.to_string());
                let wrong = CollectiveMistake::WrongDevice { slice, communicator };
                return Err(mistake(call.name(), wrong));
            }
        }
        match &self.transport {
            Transport::Alone => match (operands.from, operands.to) {
                (Some(from), Some(to)) => self.device.copy_bytes(from, to),
                _ => Ok(()),
            },
            Transport::Host(seat) => self.run_on_host::<T>(seat, call, &operands),
            #[cfg(feature = "nccl")]
            Transport::Nccl { seat, nccl } => {
                if let Some(seat) = seat {
                    meet_ranks(seat, *call, Vec::new())?;
                }
                let [from, to] = [operands.from, operands.to]
                    .map(|slice| slice.map(|slice| (slice.gpu(), slice.range())));
                nccl.run(call, from, to)
            }
        }
    }

    /// Meets the other CPU devices, and computes the result from their parts.
    fn run_on_host<T: CollectiveElement>(
        &self,
        seat: &Seat,
        call: &Call,
        operands: &Operands<'_>,
    ) -> Result<()> {
        let sent = match call {
            Call::AllReduce { .. } => operands.from.or(operands.to),
            _ => operands.from,
        };
        let parts = meet_ranks(seat, *call, sent.map_or_else(|| Ok(Vec::new()), read)?)?;
        let Some(to) = operands.to else { return Ok(()) };
        let reduced = |op, first: usize| {
            element::reduce::<T>(&parts, first..first + to.bytes, op)
                .ok_or_else(|| no_host_memory(to))
        };
        match *call {
            Call::AllReduce { op, .. } => self.device.write(to, T::bytes(&reduced(op, 0)?)),
            Call::ReduceScatter { op, .. } => {
                self.device.write(to, T::bytes(&reduced(op, self.rank * to.bytes)?))
            }
            Call::Broadcast { root, .. } => self.device.write(to, &parts[root]),
            // All parts in order; of an exchange, there is one.
            Call::AllGather { .. } | Call::Exchange { .. } => {
                let bytes = to.bytes / parts.len();
                let mut place = AnySlice { bytes, ..to.clone() };
                for part in &parts {
                    self.device.write(&place, part)?;
                    place.offset += bytes;
                }
                Ok(())
            }
        }
    }

    /// Refuses a slice of another length, or if the length is `None`, of any.
    fn check_len(&self, call: &Call, found: usize, expected: Option<usize>) -> Result<()> {
        if expected == Some(found) {
            return Ok(());
        }
        let expected = expected.unwrap_or(usize::MAX);
        Err(mistake(call.name(), CollectiveMistake::Length { found, expected }))
    }

    /// Refuses a rank that does not exist.
    fn check_rank(&self, call: &Call, rank: usize) -> Result<()> {
        let size = self.size;
        if rank < size {
            Ok(())
        } else {
            Err(mistake(call.name(), CollectiveMistake::NoRank { rank, size }))
        }
    }

    /// Refuses a rank that does not exist, or is this one.
    fn check_peer(&self, call: &Call, rank: usize) -> Result<()> {
        self.check_rank(call, rank)?;
        if rank == self.rank {
            Err(mistake(call.name(), CollectiveMistake::OwnRank { rank }))
        } else {
            Ok(())
        }
    }
}

#[cfg(feature = "nccl")]
impl Communicator {
    /// Connects the GPUs of this process.
    fn connect_gpus(devices: &[Device]) -> Result<Vec<Transport>> {
        let streams: Vec<_> = devices.iter().filter_map(Device::gpu_stream).collect();
        let connected = driver::NcclCommunicator::all(&streams)?;
        let seats = Seat::for_ranks(devices.len());
        let transport = |(seat, nccl)| Transport::Nccl { seat: Some(seat), nccl };
        Ok(seats.into_iter().zip(connected).map(transport).collect())
    }

    /// Connects the GPU of this process with those of the others.
    fn connect_process(world: &World, (host, port): &(String, u16)) -> Result<Self> {
        let &World { rank, size, local_rank, .. } = world;
        // A missing library is reported before the ranks wait for each other.
        nccl_version()?;
        let device = match Device::cuda(local_rank) {
            // A launcher may show each process a GPU of its own.
            Err(Error::NoDevice { count: 1, .. }) => Device::cuda(0)?,
            opened => opened?,
        };
        let id = match rank {
            0 => {
                let listener = exchange::open_port(host, *port)?;
                let id = driver::nccl_unique_id()?;
                exchange::send_id(&listener, &id, size, exchange::TIMEOUT)?;
                id
            }
            _ => exchange::request_id((host, *port), rank, size, exchange::TIMEOUT)?,
        };
        let stream = device.gpu_stream().expect("opened as a GPU");
        let nccl = driver::NcclCommunicator::new(stream, size, &id, rank)?;
        Ok(Self::new(device, rank, size, Transport::Nccl { seat: None, nccl }))
    }
}

#[cfg(not(feature = "nccl"))]
impl Communicator {
    /// Refuses several GPUs.
    fn connect_gpus(_: &[Device]) -> Result<Vec<Transport>> {
        Err(built_without_nccl())
    }

    /// Refuses several processes.
    fn connect_process(_: &World, _: &(String, u16)) -> Result<Self> {
        Err(built_without_nccl())
    }
}

/// Returns the version of NCCL that communicators of several GPUs use: major, minor and patch.
///
/// ```
/// use warpwise::{Error, collective};
///
/// match collective::nccl_version() {
///     Ok((major, minor, patch)) => println!("NCCL {major}.{minor}.{patch}"),
///     Err(Error::NoNccl { tried }) => println!("no NCCL: {tried:?}"),
///     Err(error) => return Err(error),
/// }
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// [`Error::NoNccl`] if there is none, or the crate was built without the feature `nccl`.
pub fn nccl_version() -> Result<(u32, u32, u32)> {
    #[cfg(feature = "nccl")]
    return driver::nccl_version();
    #[cfg(not(feature = "nccl"))]
    Err(built_without_nccl())
}

#[cfg(not(feature = "nccl"))]
fn built_without_nccl() -> Error {
    Error::NoNccl { tried: vec!["`warpwise` is built without its feature `nccl`".to_owned()] }
}

fn elements<T: CollectiveElement>(slice: &Slice<T>) -> Elements {
    Elements { ty: T::TYPE, len: slice.len() }
}

/// Does the same as [`Seat::meet`], with the crate's error.
fn meet_ranks(seat: &Seat, call: Call, part: Vec<u8>) -> Result<Vec<rendezvous::Part>> {
    seat.meet(call, part).map_err(|wrong| mistake(call.name(), wrong))
}

/// Copies the bytes of a slice of a CPU device. Later calls report faults of launches before it, as
/// on GPUs: a rank that returned one here would leave the others waiting.
fn read(slice: &AnySlice) -> Result<Vec<u8>> {
    let mut bytes =
        bytemuck::allocation::try_zeroed_vec(slice.bytes).map_err(|_| no_host_memory(slice))?;
    slice.cpu().bytes.read_into(slice.offset, &mut bytes);
    Ok(bytes)
}

fn no_host_memory(slice: &AnySlice) -> Error {
    memory::no_host_memory(slice.len, slice.bytes / slice.len.max(1))
}

fn mistake(call: &'static str, mistake: CollectiveMistake) -> Error {
    Error::Collective { call, mistake }
}

impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rank, size, device, .. } = self;
        write!(f, "Communicator(rank {rank} of {size} on {device})")
    }
}

#[cfg(test)]
mod tests;
