//! Kernels in IR text, run and observed.
mod affine_conditions;
mod arrays;
mod bulk_counters;
mod clips;
mod clusters;
mod control_flow;
mod counted_loops;
mod counters;
mod debugger;
mod dot_products;
mod faults;
mod grid_barrier;
mod guards;
mod histograms;
mod memory;
mod memory_indices;
mod multicasts;
mod observed_dot_products;
mod observed_replay;
mod operations;
mod printing;
mod replay;
mod sanitizer;
mod sunk_results;
mod sync;
mod textures;
mod uniform_operands;
mod views;

use crate::{Arg, Launch, Memory, Outcome, Program, vector::lanes::Isa};
use std::num::NonZeroUsize;
use warpwise_compiler::{ir::Kernel, verify::verify};

/// Returns every instruction set of this machine.
fn isas() -> Vec<Isa> {
    let mut isas = vec![Isa::Baseline];
    if Isa::detect() != Isa::Baseline {
        isas.push(Isa::detect());
    }
    isas
}

/// Translates a kernel `k` with this body. Values may have names instead of numbers.
fn program(inside: &str) -> Program {
    program_for(inside, Isa::detect())
}

fn program_for(inside: &str, isa: Isa) -> Program {
    let text = number(&format!("kernel k {{ {inside} }}"));
    let kernel: Kernel = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    if let Err(errors) = verify(&kernel) {
        panic!("{errors}\n{text}");
    }
    Program::for_isa(&kernel, isa)
}

/// Replaces the names of values by numbers, in the order of their first occurrences.
fn number(text: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out += &rest[..=at];
        rest = &rest[at + 1..];
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let name = &rest[..end];
        let known = names.iter().position(|known| known == name);
        let number = known.unwrap_or_else(|| {
            names.push(name.into());
            names.len() - 1
        });
        out += &number.to_string();
        rest = &rest[end..];
    }
    out + rest
}

/// An argument of a kernel; slices receive the result.
#[derive(Clone, Debug)]
enum Value {
    Scalar(u64),
    U8(Vec<u8>),
    U32(Vec<u32>),
    U64(Vec<u64>),
}

impl Value {
    fn memory(&self) -> Memory {
        match self {
            Self::Scalar(_) => Memory::zeroed(0),
            Self::U8(values) => Memory::from_bytes(values),
            Self::U32(values) => {
                Memory::from_bytes(&values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
            }
            Self::U64(values) => {
                Memory::from_bytes(&values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>())
            }
        }
    }
    fn arg<'a>(&self, memory: &'a Memory) -> Arg<'a> {
        let slice = |len: usize| Arg::Slice { memory, offset: 0, len: len as u64 };
        match self {
            Self::Scalar(bits) => Arg::Scalar(*bits),
            Self::U8(values) => slice(values.len()),
            Self::U32(values) => slice(values.len()),
            Self::U64(values) => slice(values.len()),
        }
    }
    fn take(&mut self, memory: &Memory) {
        let mut bytes = vec![0; memory.len()];
        memory.read_into(0, &mut bytes);
        match self {
            Self::Scalar(_) => {}
            Self::U8(values) => *values = bytes,
            Self::U32(values) => {
                let chunks = bytes.chunks_exact(4);
                *values = chunks.map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
            }
            Self::U64(values) => {
                let chunks = bytes.chunks_exact(8);
                *values = chunks.map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect();
            }
        }
    }
    fn u32s(&self) -> &[u32] {
        if let Self::U32(values) = self { values } else { panic!("{self:?}") }
    }
}

/// The geometry and limits of a launch.
#[derive(Clone, Copy)]
struct Shape {
    grid: [u32; 3],
    block: [u32; 3],
    workers: usize,
    steps: Option<u64>,
}

/// Returns a launch of `blocks` blocks of `threads` threads, on one worker, with enough steps for
/// any test that ends.
fn shape(blocks: u32, threads: u32) -> Shape {
    let (grid, block) = ([blocks, 1, 1], [threads, 1, 1]);
    Shape { grid, block, workers: 1, steps: Some(1 << 26) }
}

fn run(program: &Program, shape: Shape, values: &mut [Value]) -> Outcome {
    let memories: Vec<_> = values.iter().map(Value::memory).collect();
    let args: Vec<_> =
        values.iter().zip(&memories).map(|(value, memory)| value.arg(memory)).collect();
    let Shape { grid, block, workers, steps } = shape;
    let workers = NonZeroUsize::new(workers);
    let outcome = program.run(&Launch { grid, block, args: &args, workers, steps });
    values.iter_mut().zip(&memories).for_each(|(value, memory)| value.take(memory));
    outcome
}

/// Runs a kernel without faults on a buffer of `u32`; returns the result.
fn u32s(inside: &str, shape: Shape, buffer: Vec<u32>) -> Vec<u32> {
    let mut values = [Value::U32(buffer)];
    assert_eq!(run(&program(inside), shape, &mut values), Outcome::default());
    values[0].u32s().to_vec()
}
