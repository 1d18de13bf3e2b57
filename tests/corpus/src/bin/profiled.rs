//! Launches every kernel of the corpus that can be run without knowing what it does, once and in order, for a profiler to
//! count; and writes what the interpreter counts of the same launches, a line each, into the file that is named:
//!
//! ```text
//! profiled counted.csv                     # on the device that WARPWISE_DEVICE names
//! tests/corpus/compare_with_ncu counted.csv profiled.csv
//! ```
//! `tests/corpus/profile` does both, and compares.
use std::{collections::BTreeMap, env, fmt::Write as _, fs};
use warpwise::{
    __private::{Source, launch},
    AtomicF32, AtomicF64, Buffer, Device, LaunchConfig, bf16, f16,
    parameter::Arg,
};
use warpwise_compiler::{
    analysis::Analyses,
    compile::optimized,
    ir::{Access, Kernel, ParamKind, Scalar},
    lint::{self, Levels},
};
use warpwise_corpus::{
    MODULES, arms,
    run::{self, ELEMENTS, NUMBER},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = env::args().nth(1).ok_or("name the file to write")?;
    let device = Device::auto()?;
    let mut lines = String::from(
        "kernel,global_loads,global_stores,shared_loads,shared_stores,divergent_branches\n",
    );
    let mut skipped: BTreeMap<&str, u32> = BTreeMap::new();
    for &(module, kernels) in MODULES.iter().chain(&[("src/arms.rs", arms::KERNELS)]) {
        for &source in kernels {
            let kernel: Kernel = source.ir.parse()?;
            let found = lint::run(&kernel, &Analyses::for_kernel(&kernel), &Levels::default());
            if found.has_errors() {
                *skipped.entry("what it does is not defined").or_default() += 1;
                continue;
            }
            let kernel = optimized(kernel)?;
            let Some(counters) = run::count(&kernel) else {
                *skipped.entry("it faults").or_default() += 1;
                continue;
            };
            if let Err(why) = run_once(source, &kernel, &device) {
                *skipped.entry(why).or_default() += 1;
                continue;
            }
            device.synchronize()?;
            let total = counters.total();
            let (global, shared) = (
                [total.global_loads, total.global_stores],
                [total.shared_loads, total.shared_stores],
            );
            let [loads, stores] = global.map(|of| of.sectors);
            let [shared_loads, shared_stores] = shared.map(|of| of.wavefronts);
            let (name, divergent) = (source.name, total.divergent_branches);
            writeln!(
                lines,
                "{module}:{name},{loads},{stores},{shared_loads},{shared_stores},{divergent}"
            )?;
        }
    }
    fs::write(file, lines)?;
    println!("left out: {skipped:?}");
    Ok(())
}

/// Launches a kernel; or says why it cannot be.
fn run_once(source: &'static Source, kernel: &Kernel, device: &Device) -> Result<(), &'static str> {
    let (grid, block) = run::geometry(kernel).ok_or("it declares no block")?;
    let mut buffers = Vec::new();
    for (_, param) in kernel.params.iter() {
        if let ParamKind::Slice { elem, access } = &param.kind {
            let scalar = elem.scalar().ok_or("its elements are structs")?;
            buffers.push(AnyBuffer::new(device, scalar, *access)?);
        }
    }
    let mut slices = buffers.iter_mut();
    let mut args = Vec::new();
    for (id, param) in kernel.params.iter() {
        args.push(match param.kind {
            ParamKind::Scalar(scalar) => number(scalar, run::passed(kernel, id, NUMBER))?,
            ParamKind::Slice { access, .. } => {
                slices.next().expect("each slice has a buffer").arg(access)?
            }
        });
    }
    let [x, y, z] = grid.map(|dim| dim as usize);
    let config = LaunchConfig::grid((x, y, z));
    let [x, y, z] = block.map(|dim| dim as usize);
    launch(source, &[], device, config.block((x, y, z)), &args).map_err(|_| "the launch is refused")
}

fn number(scalar: Scalar, number: u64) -> Result<Arg<'static>, &'static str> {
    Ok(match scalar {
        Scalar::U32 => Arg::scalar(u32::try_from(number).expect("it is small")),
        Scalar::I32 => Arg::scalar(i32::try_from(number).expect("it is small")),
        Scalar::U64 => Arg::scalar(number),
        Scalar::Bool => Arg::scalar(number == 1),
        Scalar::F32 => Arg::scalar(0.0f32),
        Scalar::F64 => Arg::scalar(0.0f64),
        _ => return Err("it has a parameter of a rare type"),
    })
}

/// A buffer of zeros.
enum AnyBuffer {
    U8(Buffer<u8>),
    U16(Buffer<u16>),
    U32(Buffer<u32>),
    I32(Buffer<i32>),
    U64(Buffer<u64>),
    F16(Buffer<f16>),
    Bf16(Buffer<bf16>),
    F32(Buffer<f32>),
    F64(Buffer<f64>),
}

impl AnyBuffer {
    fn new(device: &Device, scalar: Scalar, access: Access) -> Result<Self, &'static str> {
        let rare = "its elements are of a rare type";
        let full = |_| "there is not enough memory";
        if access == Access::Atomic && !matches!(scalar, Scalar::U32 | Scalar::F32 | Scalar::F64) {
            return Err(rare);
        }
        Ok(match scalar {
            Scalar::U8 => Self::U8(device.zeros(ELEMENTS).map_err(full)?),
            Scalar::U16 => Self::U16(device.zeros(ELEMENTS).map_err(full)?),
            Scalar::U32 => Self::U32(device.zeros(ELEMENTS).map_err(full)?),
            Scalar::I32 => Self::I32(device.zeros(ELEMENTS).map_err(full)?),
            Scalar::U64 => Self::U64(device.zeros(ELEMENTS).map_err(full)?),
            Scalar::F16 => Self::F16(device.zeros(ELEMENTS).map_err(full)?),
            Scalar::BF16 => Self::Bf16(device.zeros(ELEMENTS).map_err(full)?),
            Scalar::F32 => Self::F32(device.zeros(ELEMENTS).map_err(full)?),
            Scalar::F64 => Self::F64(device.zeros(ELEMENTS).map_err(full)?),
            _ => return Err(rare),
        })
    }

    fn arg(&mut self, access: Access) -> Result<Arg<'_>, &'static str> {
        macro_rules! slice {
            ($buffer:expr) => {
                if access.is_read_only() { Arg::read($buffer) } else { Arg::write($buffer) }
            };
        }
        Ok(match (self, access) {
            (Self::U32(buffer), Access::Atomic) => {
                Arg::atomic::<std::sync::atomic::AtomicU32>(buffer)
            }
            (Self::F32(buffer), Access::Atomic) => Arg::atomic::<AtomicF32>(buffer),
            (Self::F64(buffer), Access::Atomic) => Arg::atomic::<AtomicF64>(buffer),
            (Self::U8(buffer), _) => slice!(buffer),
            (Self::U16(buffer), _) => slice!(buffer),
            (Self::U32(buffer), _) => slice!(buffer),
            (Self::I32(buffer), _) => slice!(buffer),
            (Self::U64(buffer), _) => slice!(buffer),
            (Self::F16(buffer), _) => slice!(buffer),
            (Self::Bf16(buffer), _) => slice!(buffer),
            (Self::F32(buffer), _) => slice!(buffer),
            (Self::F64(buffer), _) => slice!(buffer),
        })
    }
}
