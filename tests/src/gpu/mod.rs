//! Batches of random kernels on a GPU, several in a module, compared with the interpreter.
//!
//! The driver takes 10 to 20 ms to compile a kernel of a few hundred instructions, and a GPU
//! microseconds to run it. Speed therefore depends on doing as little else as possible per kernel:
//! the kernels of a batch are one text, and their arguments are copied to the device once and back
//! once. `--bin fuzz_gpu` runs batches in many processes.
mod driver;

use crate::random_ir::{ArgData, RandomKernel, shared_lengths};
pub use driver::DriverError;
use driver::{Driver, Memory, Module};
use std::{collections::BTreeMap, ffi::CString, fmt, num::NonZeroUsize};
use warpwise_compiler::{
    back::{Backend, ptx},
    fault::{FaultRecord, Pieces, Reason},
    id::Id as _,
    ir::{Access, CoarseGrid, Kernel, MessageId, Passed, Scalar},
    output::{self, Printed},
    target::Target,
};
use warpwise_llvm::Llvm;
use warpwise_simt::{
    Arg, CheckedProgram, Checks, Finding, Launch, Memory as HostMemory, Outcome, Problem, Program,
};

/// A limit above the number of steps that any random kernel takes.
const MAX_STEPS: u64 = 200_000_000;
/// The limit for a kernel that is run many times in a row.
const MAX_CHECKED_STEPS: u64 = 5_000_000;
/// The alignment of the driver's allocations, which kernels rely on.
const ALIGNMENT: usize = 256;
/// The size of a kernel's print buffer.
const PRINT_BYTES: usize =
    (output::HEADER_BYTES + output::CAPACITY_BYTES).next_multiple_of(ALIGNMENT);

/// The outcome of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The arguments after the launch.
    args: Vec<ArgData>,
    /// The fault.
    pub fault: Option<Fault>,
    /// The printed values; `None` if there were too many for the buffer.
    printed: Option<Vec<Printed>>,
    /// True if the flag is set, that is if a thread faulted or printed.
    is_flagged: bool,
}

/// The fault of the lowest thread, and the number of threads that faulted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    reason: Option<Reason>,
    span: u32,
    values: [u64; warpwise_compiler::message::MAX_VALUES],
    block: [u32; 3],
    thread: [u32; 3],
    count: u64,
}

impl Left {
    /// Returns how `self` differs from `reference`, if it does. All NaNs are equal.
    pub fn difference(&self, reference: &Self) -> Option<String> {
        if self.fault != reference.fault {
            return Some(format!("its fault is {:?}, not {:?}", self.fault, reference.fault));
        }
        if self.is_flagged != reference.is_flagged {
            return Some(format!("its flag is {}, not {}", self.is_flagged, reference.is_flagged));
        }
        if let (Some(found), Some(wanted)) = (&self.printed, &reference.printed)
            && found != wanted
        {
            return Some(format!("it prints {found:?}, not {wanted:?}"));
        }
        let mut args = self.args.iter().zip(&reference.args).enumerate();
        args.find_map(|(number, (arg, wanted))| {
            let different = arg.differences(wanted);
            let &(element, bits, wanted) = different.first()?;
            let count = different.len();
            Some(format!(
                "{count} elements of arg{number} differ, the first at {element}: {bits:#x}, not {wanted:#x}"
            ))
        })
    }
}

/// Runs a kernel on the interpreter, as the front end made it.
///
/// # Panics
/// Panics if it does not end.
pub fn reference(random: &RandomKernel) -> Left {
    let program = Program::new(&random.kernel);
    let (outcome, args) = on_interpreter(random, |launch| program.run(launch));
    assert_eq!(outcome.stopped, None, "{}", random.kernel.name);
    left(&random.kernel, outcome, args)
}

/// Runs a kernel like [`reference()`], with the sanitizer's checks; `None` if they report a problem
/// or the kernel does not end.
pub fn checked_reference(random: &RandomKernel) -> Option<Left> {
    let program = CheckedProgram::new(&random.kernel);
    let run = |launch: &Launch<'_>| {
        program.run(&Launch { steps: Some(MAX_CHECKED_STEPS), ..*launch }, Checks::ALL)
    };
    let ((outcome, findings), args) = on_interpreter(random, run);
    // A fault is a result to compare, not a mistake of the kernel.
    let is_fault = |finding: &Finding| matches!(finding.problem, Problem::OutOfBounds(_));
    let is_faulty = !findings.iter().all(is_fault);
    (outcome.stopped.is_none() && !is_faulty).then(|| left(&random.kernel, outcome, args))
}

/// Runs a launch on the arguments of `random`, and returns them as the launch leaves them.
fn on_interpreter<R>(
    random: &RandomKernel,
    run: impl FnOnce(&Launch<'_>) -> R,
) -> (R, Vec<ArgData>) {
    let memories: Vec<Option<HostMemory>> = random
        .args
        .iter()
        .map(|arg| match arg {
            ArgData::Slice { bytes, .. } => Some(HostMemory::from_bytes(bytes)),
            ArgData::Scalar { .. } => None,
        })
        .collect();
    let args: Vec<Arg<'_>> = random
        .args
        .iter()
        .zip(&memories)
        .map(|(arg, memory)| match (arg, memory) {
            (ArgData::Slice { elem, .. }, Some(memory)) => {
                Arg::Slice { memory, offset: 0, len: (memory.len() / size(*elem)) as u64 }
            }
            (ArgData::Scalar { bits, .. }, _) => Arg::Scalar(*bits),
            (ArgData::Slice { .. }, None) => unreachable!("every slice got a memory"),
        })
        .collect();
    let result = run(&Launch {
        grid: random.shape.grid,
        block: random.shape.block,
        args: &args,
        workers: NonZeroUsize::new(1),
        steps: Some(MAX_STEPS),
    });
    let after = random.args.iter().zip(&memories).map(|(arg, memory)| match (arg, memory) {
        (ArgData::Slice { elem, access, .. }, Some(memory)) => {
            let mut bytes = vec![0; memory.len()];
            memory.read_into(0, &mut bytes);
            ArgData::Slice { elem: *elem, access: *access, bytes }
        }
        (ArgData::Scalar { .. } | ArgData::Slice { .. }, _) => arg.clone(),
    });
    (result, after.collect())
}

/// Returns the outcome of a launch on the interpreter, to compare with a GPU's.
fn left(kernel: &Kernel, outcome: Outcome, args: Vec<ArgData>) -> Left {
    Left {
        args,
        is_flagged: outcome.fault.is_some() || !outcome.printed.is_empty() || outcome.lost != 0,
        fault: outcome.fault.map(|fault| Fault {
            reason: Some(fault.reason),
            span: warpwise_compiler::id::Id::index(fault.span) as u32,
            values: fault_values(kernel, Some(fault.reason), fault.values),
            block: fault.block,
            thread: fault.thread,
            count: fault.count,
        }),
        printed: (outcome.lost == 0).then(|| {
            let mut printed = outcome.printed;
            for Printed { message, values } in &mut printed {
                keep_bits_of_types(kernel, *message, values);
            }
            printed
        }),
    }
}

/// Clears the bits of a message's values above those of their types. They differ between engines,
/// and nothing reads them.
fn keep_bits_of_types(kernel: &Kernel, message: MessageId, values: &mut [u64]) {
    let types = kernel.messages.get(message).map_or(&[][..], |message| &message.args);
    for (value, ty) in values.iter_mut().zip(types) {
        *value &= u64::MAX >> (64 - ty.bits().unwrap_or(64));
    }
}

/// Returns a fault's values; those of a message are reduced to the bits of their types.
fn fault_values<const N: usize>(
    kernel: &Kernel,
    reason: Option<Reason>,
    mut values: [u64; N],
) -> [u64; N] {
    if let Some(Reason::Panic(message)) = reason {
        keep_bits_of_types(kernel, message, &mut values);
    }
    values
}

fn size(elem: Scalar) -> usize {
    elem.size().expect("arguments have concrete types") as usize
}

/// The reason why a batch has no result.
#[derive(Clone, Debug)]
pub enum BatchError {
    /// The driver refused the text of a module or a launch.
    Refused(DriverError),
    /// A kernel of the batch ended the context.
    Lost(DriverError),
}

impl From<DriverError> for BatchError {
    fn from(error: DriverError) -> Self {
        if error.loses_context() { Self::Lost(error) } else { Self::Refused(error) }
    }
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::Lost(error) => write!(f, "the context is lost: {error}"),
        }
    }
}

/// The code of a kernel that a batch runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The kernel as written.
    Plain,
    /// The kernel with coarsened threads, as in large launches; nothing for kernels that are not
    /// coarsened.
    Coarsened,
}

impl Version {
    /// Both versions.
    pub const ALL: [Self; 2] = [Self::Plain, Self::Coarsened];
}

/// The code of a kernel in a batch.
struct Code {
    ptx: String,
    coarse_grid: Option<CoarseGrid>,
}

/// The first GPU.
pub struct Gpu {
    driver: Driver,
    /// The LLVM back end, if it is used in place of the built-in one.
    llvm: Option<&'static Llvm>,
}

impl Gpu {
    /// Opens the first GPU, to run code of `backend`.
    ///
    /// # Errors
    /// Returns the reason why there is no GPU, or no LLVM.
    pub fn open(backend: Backend) -> Result<Self, String> {
        let llvm = match backend {
            Backend::Builtin => None,
            Backend::Llvm => Some(Llvm::find().map_err(|error| error.to_string())?),
        };
        Ok(Self { driver: Driver::open()?, llvm })
    }

    /// Returns the GPU's name.
    pub fn name(&self) -> &str {
        &self.driver.name
    }

    /// Runs this version of each kernel once, and returns their outcomes; `None` for kernels that
    /// do not have this version.
    ///
    /// # Errors
    /// See [`BatchError`]. After [`BatchError::Lost`] every further call in this process fails.
    pub fn run(
        &self,
        batch: &[RandomKernel],
        version: Version,
    ) -> Result<Vec<Option<Left>>, BatchError> {
        let target = Target::new(self.driver.sm);
        let codes: Vec<Option<Code>> =
            batch.iter().map(|random| self.code(random, version, target)).collect();
        let texts: Vec<&str> = codes.iter().flatten().map(|code| &*code.ptx).collect();
        if texts.is_empty() {
            return Ok(batch.iter().map(|_| None).collect());
        }
        let modules = self.load(&texts)?;
        let layouts = layouts(batch);
        let end = layouts.last().map_or(0, |layout| layout.end);
        let prints = batch.iter().filter(|random| random.kernel.prints()).count();
        let memory = self.driver.allocate((end + prints * PRINT_BYTES).max(1))?;
        let mut bytes = vec![0; end];
        for (random, layout) in batch.iter().zip(&layouts) {
            layout.write(random, memory.address, &mut bytes);
        }
        memory.upload(0, &bytes)?;
        let mut print_offset = end;
        let mut text = 0;
        for ((random, layout), code) in batch.iter().zip(&layouts).zip(&codes) {
            let print = random.kernel.prints().then_some(print_offset);
            if let Some(offset) = print {
                memory.clear(offset, output::HEADER_BYTES)?;
                print_offset += PRINT_BYTES;
            }
            if let Some(Code { ptx, coarse_grid }) = code {
                let module = &modules[self.module(ptx)];
                let own = |name: &str| match self.llvm {
                    None => own_name(name, text),
                    Some(_) => name.to_owned(),
                };
                write_constants(module, random, own)?;
                text += 1;
                launch(module, random, *coarse_grid, layout, print, &memory)?;
            }
        }
        self.driver.synchronize()?;
        memory.download(0, &mut bytes)?;
        let mut left = Vec::with_capacity(batch.len());
        let mut print_offset = end;
        for ((random, layout), code) in batch.iter().zip(&layouts).zip(&codes) {
            let printed = match random.kernel.prints() {
                false => Some(Vec::new()),
                true => {
                    let text = printed(&memory, print_offset, &random.kernel)?;
                    print_offset += PRINT_BYTES;
                    text
                }
            };
            left.push(code.as_ref().map(|_| layout.read(random, &bytes, printed)));
        }
        Ok(left)
    }

    /// Returns the PTX that the runtime runs on the target, and how its launches divide the grid.
    fn code(&self, random: &RandomKernel, version: Version, target: Target) -> Option<Code> {
        let kernel = &random.kernel;
        let (plain, coarsened) = random.launched_codes();
        let optimized = match version {
            Version::Plain => plain,
            Version::Coarsened => coarsened?,
        };
        let oldest = ptx::oldest(kernel);
        let target = if ptx::gains(kernel, target) { target } else { oldest };
        let ptx = match self.llvm {
            None => ptx::emit(&optimized, target).expect("random kernels fit every target"),
            Some(llvm) => warpwise_llvm::emit(llvm, &optimized, target)
                .unwrap_or_else(|error| panic!("{error}")),
        };
        let coarse_grid = optimized.coarsening.map(|coarsening| coarsening.grid);
        Some(Code { ptx, coarse_grid })
    }

    /// Returns the module that a text belongs to: all texts for one target share one, but each text
    /// of LLVM, whose arrays belong to the module, has its own.
    fn module<'t>(&self, text: &'t str) -> &'t str {
        if self.llvm.is_some() { text } else { header(text).0 }
    }

    /// Compiles texts into the modules that [`module`](Self::module) names.
    fn load<'t>(&self, texts: &[&'t str]) -> Result<BTreeMap<&'t str, Module<'_>>, DriverError> {
        if self.llvm.is_some() {
            let load = |&text: &&'t str| {
                let code = CString::new(text).expect("PTX has no zeros");
                Ok((text, self.driver.load(&code)?))
            };
            return texts.iter().map(load).collect();
        }
        let mut joined: BTreeMap<&str, (bool, String)> = BTreeMap::new();
        for (number, text) in texts.iter().enumerate() {
            let (header, body) = header(text);
            let (is_sized_at_launch, bodies) = joined.entry(header).or_default();
            *is_sized_at_launch |= body.contains(SIZED_AT_LAUNCH);
            let body = body.replace(SIZED_AT_LAUNCH, "");
            *bodies += &own_name(&body, number);
        }
        let mut modules = BTreeMap::new();
        for (header, (is_sized_at_launch, bodies)) in joined {
            let shared = if is_sized_at_launch { SIZED_AT_LAUNCH } else { "" };
            let text = CString::new(format!("{header}\n{shared}\n{bodies}"));
            modules.insert(header, self.driver.load(&text.expect("PTX has no zeros"))?);
        }
        Ok(modules)
    }
}

/// Returns the text or name with the kernel's number in the names that it declares in the module,
/// so that they differ from those of other kernels.
fn own_name(text: &str, number: usize) -> String {
    let own = |text: String, name: &&str| text.replace(name, &format!("{name}_{number}_"));
    ["$constant", "$table"].iter().fold(text.to_owned(), own)
}

/// Copies the elements of constant parameters to the variables of the module that hold them.
fn write_constants(
    module: &Module<'_>,
    random: &RandomKernel,
    own: impl Fn(&str) -> String,
) -> Result<(), DriverError> {
    for (param, _) in ptx::constant_arrays(&random.kernel) {
        let ArgData::Slice { bytes, .. } = &random.args[param.index()] else { continue };
        let name = CString::new(own(&ptx::constant_symbol(param))).expect("a name has no zeros");
        module.write_global(&name, bytes)?;
    }
    Ok(())
}

/// The declaration of shared memory that launches size; it may appear once in a module.
const SIZED_AT_LAUNCH: &str = ".extern .shared .align 16 .b8 $shared[];";

/// Splits a text into the part with its version and target, and the rest.
fn header(text: &str) -> (&str, &str) {
    const LAST: &str = ".address_size 64";
    let start = text.find(".version").expect("PTX has a version");
    let end = text.find(LAST).expect("PTX has an address size") + LAST.len();
    (&text[start..end], &text[end..])
}

/// The offsets of the arguments, the fault record and its flag of one kernel in the memory of a
/// batch.
struct Layout {
    /// One for each argument; that of a scalar is not used.
    args: Vec<usize>,
    record: usize,
    flag: usize,
    end: usize,
}

fn layouts(batch: &[RandomKernel]) -> Vec<Layout> {
    let mut end = 0;
    let mut place = |bytes: usize| {
        let start = end;
        end = (start + bytes.max(1)).next_multiple_of(ALIGNMENT);
        (start, end)
    };
    batch
        .iter()
        .map(|random| {
            let bytes = |arg: &ArgData| match arg {
                ArgData::Slice { bytes, .. } => bytes.len(),
                ArgData::Scalar { .. } => 0,
            };
            let args = random.args.iter().map(|arg| place(bytes(arg)).0).collect();
            let (record, _) = place(size_of::<FaultRecord>());
            let (flag, end) = place(size_of::<u32>());
            Layout { args, record, flag, end }
        })
        .collect()
}

impl Layout {
    /// Writes the contents before the launch to `to`, the bytes of the memory at `address`.
    fn write(&self, random: &RandomKernel, address: u64, to: &mut [u8]) {
        for (arg, &start) in random.args.iter().zip(&self.args) {
            if let ArgData::Slice { bytes, .. } = arg {
                to[start..start + bytes.len()].copy_from_slice(bytes);
            }
        }
        let record = FaultRecord::empty_bytes(address + self.flag as u64);
        to[self.record..][..record.len()].copy_from_slice(&record);
        to[self.flag..][..size_of::<u32>()].fill(0);
    }

    fn read(&self, random: &RandomKernel, from: &[u8], printed: Option<Vec<Printed>>) -> Left {
        let args = random.args.iter().zip(&self.args).map(|(arg, &start)| match arg {
            ArgData::Scalar { .. } => arg.clone(),
            ArgData::Slice { elem, access, bytes } => {
                let bytes = from[start..start + bytes.len()].to_vec();
                ArgData::Slice { elem: *elem, access: *access, bytes }
            }
        });
        let mut words = from[self.record..]
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().expect("a chunk has 8 bytes")));
        let mut next = || words.next().expect("a record is whole");
        let count = next();
        let check = [(); 2].map(|()| next());
        let values = FaultRecord::EMPTY.values.map(|value| value.map(|_| next()));
        let record = FaultRecord { count, check, values, flag: next() };
        let pieces = Pieces::of_kernels(random.kernel.wide_index);
        let details = record.details(pieces, random.shape.grid, random.shape.block);
        let fault = details.map(|details| Fault {
            reason: details.reason,
            span: details.span,
            values: fault_values(&random.kernel, details.reason, details.values),
            block: details.block,
            thread: details.thread,
            count,
        });
        let is_flagged = from[self.flag] == 1;
        Left { args: args.collect(), fault, printed, is_flagged }
    }
}

#[expect(unsafe_code, reason = "a GPU runs what it is given")]
fn launch(
    module: &Module<'_>,
    random: &RandomKernel,
    coarse_grid: Option<CoarseGrid>,
    layout: &Layout,
    print: Option<usize>,
    memory: &Memory<'_>,
) -> Result<(), DriverError> {
    let (kernel, shape) = (&random.kernel, random.shape);
    let number = |arg: &ArgData| match arg {
        ArgData::Scalar { ty, bits } => (*ty, *bits),
        ArgData::Slice { elem, bytes, .. } => (Scalar::U64, (bytes.len() / size(*elem)) as u64),
    };
    let params: Vec<_> = random.args.iter().map(number).collect();
    let passed = Passed { params: &params, block: shape.block, grid: shape.grid };
    debug_assert_eq!(shared_lengths(kernel, &shape, &random.args).len(), kernel.shared.len());
    let shared = ptx::shared_memory(kernel, &passed).expect("random kernels have such lengths");
    let at = |offset: usize| memory.address + offset as u64;
    let mut words = Vec::new();
    for ((arg, &offset), (_, value)) in random.args.iter().zip(&layout.args).zip(params) {
        // The elements of constant parameters are in the module.
        if matches!(arg, ArgData::Slice { access, .. } if !matches!(access, Access::Constant { .. }))
        {
            words.push(at(offset));
        }
        words.push(value);
    }
    words.extend(&shared.offsets);
    words.push(at(layout.record));
    let mut grid = shape.grid;
    if let Some(coarse_grid) = coarse_grid {
        let launched;
        (grid, launched) = coarse_grid.divide(grid);
        words.push(launched.into());
    }
    words.extend(print.map(at));
    let name = CString::new(&*ptx::entry_name(&kernel.name)).expect("a name has no zeros");
    let bytes = u32::try_from(shared.dynamic).expect("random kernels take little");
    // SAFETY: the parameters are those of the kernel's PTX, and random kernels access nothing else.
    unsafe { module.launch(&name, [grid, shape.block], bytes, &mut words) }
}

/// Returns the printed values of a kernel; `None` if there were too many for the buffer.
fn printed(
    memory: &Memory<'_>,
    offset: usize,
    kernel: &Kernel,
) -> Result<Option<Vec<Printed>>, DriverError> {
    let mut header = [0; output::HEADER_BYTES];
    memory.download(offset, &mut header)?;
    let used = u64::from_le_bytes(header[..8].try_into().expect("8 of 16 bytes"));
    let used = usize::try_from(used).unwrap_or(usize::MAX).min(output::CAPACITY_BYTES);
    let mut bytes = vec![0; output::HEADER_BYTES + used];
    memory.download(offset, &mut bytes)?;
    let values = |_, message| kernel.messages.get(message).map(|message| message.args.len());
    let output = output::decode(&bytes, values);
    let records = output.records.into_iter().map(|record| {
        let mut printed = record.printed;
        keep_bits_of_types(kernel, printed.message, &mut printed.values);
        printed
    });
    Ok((output.lost == 0).then(|| records.collect()))
}
