//! The engines of this machine, and the run of one random kernel on one of them.
//!
//! A kernel takes the runtime's own launch path, so that tests compare what users run: the
//! interpreter on IR as the front end made it, on optimized IR, and PTX on a GPU.
use crate::random_ir::{ArgData, RandomKernel};
use std::{
    any::Any,
    sync::{Arc, Mutex},
};
use warpwise::{
    __private::{EmbeddedCode, Places, Source, launch},
    Buffer, Constant, Device, Error, LaunchConfig, Simulator, bf16, f16,
    parameter::Arg,
};
use warpwise_compiler::{
    back::ptx,
    compile::{CompileError, GpuCode, compile},
    ir::{Access, CoarseGrid, Kernel, Scalar},
    places,
    small_sizes::Sizes,
};

/// A device to run kernels on, with its name in failure messages.
#[derive(Clone, Debug)]
pub struct Engine {
    /// The name, as `optimized IR on the interpreter`.
    pub name: String,
    /// The device that runs it.
    pub device: Device,
}

/// Returns the engines of this machine, first the one that defines the meaning of kernels, and the
/// reason if there is no GPU.
pub fn engines() -> (Vec<Engine>, Option<Error>) {
    let engine = |name: &str, device| Engine { name: name.into(), device };
    let mut engines = vec![
        engine("IR as it was made, on the interpreter", Simulator::new().unoptimized().device()),
        engine("optimized IR, on the interpreter", Device::cpu()),
    ];
    match Device::cuda(0) {
        Ok(device) => {
            let name = format!("PTX, on {}", device.name());
            engines.push(Engine { name, device });
            (engines, None)
        }
        Err(reason) => (engines, Some(reason)),
    }
}

/// The outcome of a launch.
#[derive(Clone, Debug)]
pub struct Left {
    /// The arguments after the launch.
    pub args: Vec<ArgData>,
    /// The fault, as the user reads it.
    pub fault: Option<String>,
    /// The printed text.
    pub text: String,
}

impl Left {
    /// Returns how `self` differs from `reference`, if it does. All NaNs are equal.
    pub fn difference(&self, reference: &Self) -> Option<String> {
        if self.fault != reference.fault {
            return Some(format!("its fault is {:?}, not {:?}", self.fault, reference.fault));
        }
        if self.text != reference.text {
            return Some(format!("it prints {:?}, not {:?}", self.text, reference.text));
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

/// Runs `random` on `device`.
///
/// # Errors
/// Returns every error but the kernel's own fault.
pub fn run(random: &RandomKernel, device: &Device) -> Result<Left, Error> {
    let mut values: Vec<Passed> =
        random.args.iter().map(|arg| Passed::upload(arg, device)).collect::<Result<_, _>>()?;
    let args: Vec<Arg<'_>> = values.iter_mut().map(Passed::arg).collect();
    let [grid, block] = [random.shape.grid, random.shape.block]
        .map(|[x, y, z]| (x as usize, y as usize, z as usize));
    let config = LaunchConfig::grid(grid).block(block);
    let text = Arc::new(Mutex::new(String::new()));
    let seen = Arc::clone(&text);
    device.on_print(move |text| seen.lock().expect("nobody panics with it").push_str(text));
    launch(source(random), &[], device, config, &args)?;
    let fault = match device.synchronize() {
        Ok(()) => None,
        Err(Error::DevicePanic(panic)) => Some(panic.to_string()),
        Err(other) => return Err(other),
    };
    let args = values.iter().map(Passed::download).collect::<Result<_, _>>()?;
    let text = text.lock().expect("nobody panics with it").clone();
    Ok(Left { args, fault, text })
}

/// Returns the source that the macro would embed; it lives as long as the process, as an embedded
/// one does.
#[expect(unsafe_code, reason = "what a GPU runs is the PTX that is embedded in programs")]
fn source(random: &RandomKernel) -> &'static Source {
    let emit = |kernel: Kernel| -> Result<&'static str, CompileError> {
        Ok(ptx::emit(&kernel, ptx::oldest(&kernel))?.leak())
    };
    let GpuCode { plain, assumed, coarsened } =
        compile(random.kernel.clone(), Sizes::Small, emit).expect("the target has everything");
    let span_count = random.kernel.insts.iter().map(|(_, inst)| inst.span).max();
    let mut rows = String::new();
    for line in 0..=span_count.map_or(0, warpwise_compiler::id::Id::index) {
        places::push(&mut rows, [0, line, 1]);
    }
    let (name, ir) = (random.kernel.name.clone().leak(), random.kernel.to_string().leak());
    let places = Places { files: &["random"], rows: rows.leak() };
    let code = EmbeddedCode::new(plain, &[]);
    let code = match assumed {
        Some((contract, ptx)) => code.with_assumed(contract.to_string().leak(), ptx, &[]),
        None => code,
    };
    let code = match coarsened {
        Some((CoarseGrid { axis, factor }, ptx)) => {
            code.with_coarsened(axis as usize, factor, ptx, &[])
        }
        None => code,
    };
    // SAFETY: random kernels check their indices, and the code was made from this IR.
    let source = unsafe { Source::new(name, ir, places, &[]).with_code(code) };
    Box::leak(Box::new(source))
}

/// An argument on a device.
enum Passed {
    Scalar { ty: Scalar, bits: u64 },
    Slice { elem: Scalar, access: Access, buffer: Box<dyn Any> },
    Constant { elem: Scalar, access: Access, constant: Box<dyn Any>, bytes: Vec<u8> },
}

/// Calls a generic function for the Rust type of a scalar.
macro_rules! with_type {
    ($scalar:expr, $T:ident => $call:expr) => {
        match $scalar {
            Scalar::Bool => {
                type $T = bool;
                $call
            }
            Scalar::I8 => {
                type $T = i8;
                $call
            }
            Scalar::I16 => {
                type $T = i16;
                $call
            }
            Scalar::I32 => {
                type $T = i32;
                $call
            }
            Scalar::I64 => {
                type $T = i64;
                $call
            }
            Scalar::U8 => {
                type $T = u8;
                $call
            }
            Scalar::U16 => {
                type $T = u16;
                $call
            }
            Scalar::U32 => {
                type $T = u32;
                $call
            }
            Scalar::U64 => {
                type $T = u64;
                $call
            }
            Scalar::F16 => {
                type $T = warpwise::f16;
                $call
            }
            Scalar::BF16 => {
                type $T = warpwise::bf16;
                $call
            }
            Scalar::F32 => {
                type $T = f32;
                $call
            }
            Scalar::F64 => {
                type $T = f64;
                $call
            }
            Scalar::Generic(_) => unreachable!("arguments have concrete types"),
        }
    };
}

impl Passed {
    fn upload(arg: &ArgData, device: &Device) -> Result<Self, Error> {
        Ok(match arg {
            ArgData::Scalar { ty, bits } => Self::Scalar { ty: *ty, bits: *bits },
            ArgData::Slice { elem, access: access @ Access::Constant { .. }, bytes } => {
                let constant: Box<dyn Any> = with_type!(*elem, T => {
                    Box::new(device.constant(&from_bytes::<T>(bytes)[..])?)
                });
                Self::Constant { elem: *elem, access: *access, constant, bytes: bytes.clone() }
            }
            ArgData::Slice { elem, access, bytes } => {
                let buffer: Box<dyn Any> = with_type!(*elem, T => {
                    Box::new(device.upload(&from_bytes::<T>(bytes))?)
                });
                Self::Slice { elem: *elem, access: *access, buffer }
            }
        })
    }

    fn arg(&mut self) -> Arg<'_> {
        match self {
            Self::Scalar { ty, bits } => {
                with_type!(*ty, T => Arg::scalar(T::from_bits_of(*bits)))
            }
            Self::Slice { elem, access: Access::Atomic, buffer } => match elem {
                Scalar::Bool => atomic::<std::sync::atomic::AtomicBool>(buffer),
                Scalar::I32 => atomic::<std::sync::atomic::AtomicI32>(buffer),
                Scalar::U32 => atomic::<std::sync::atomic::AtomicU32>(buffer),
                Scalar::I64 => atomic::<std::sync::atomic::AtomicI64>(buffer),
                Scalar::U64 => atomic::<std::sync::atomic::AtomicU64>(buffer),
                Scalar::F32 => atomic::<warpwise::AtomicF32>(buffer),
                Scalar::F64 => atomic::<warpwise::AtomicF64>(buffer),
                other => unreachable!("there are no atomics of {other:?}"),
            },
            Self::Constant { elem, constant, .. } => with_type!(*elem, T => {
                let constant = constant.downcast_ref::<Constant<[T]>>();
                Arg::constant(constant.expect("made of this type"))
            }),
            Self::Slice { elem, access, buffer } => with_type!(*elem, T => {
                let buffer = typed::<T>(buffer);
                if *access == Access::Read { Arg::read(buffer) } else { Arg::write(buffer) }
            }),
        }
    }

    fn download(&self) -> Result<ArgData, Error> {
        Ok(match self {
            Self::Scalar { ty, bits } => ArgData::Scalar { ty: *ty, bits: *bits },
            Self::Constant { elem, access, bytes, .. } => {
                ArgData::Slice { elem: *elem, access: *access, bytes: bytes.clone() }
            }
            Self::Slice { elem, access, buffer } => {
                let bytes = with_type!(*elem, T => {
                    let buffer = buffer.downcast_ref::<Buffer<T>>();
                    buffer.expect("uploaded as this type").to_vec()?.into_iter().flat_map(T::into_bytes).collect()
                });
                ArgData::Slice { elem: *elem, access: *access, bytes }
            }
        })
    }
}

fn typed<T: warpwise::Plain>(buffer: &mut Box<dyn Any>) -> &mut Buffer<T> {
    buffer.downcast_mut().expect("uploaded as this type")
}

fn atomic<A: warpwise::Atomic>(buffer: &mut Box<dyn Any>) -> Arg<'_> {
    Arg::atomic::<A>(typed::<A::Value>(buffer))
}

/// A Rust type with a conversion to little-endian bytes.
trait Little: Copy {
    /// Returns the value in the low bytes of `bits`.
    fn from_bits_of(bits: u64) -> Self;
    /// Returns its bytes.
    fn into_bytes(self) -> Vec<u8>;
}

macro_rules! little {
    ($($T:ident)*) => {$(
        impl Little for $T {
            fn from_bits_of(bits: u64) -> Self {
                let mut bytes = [0; size_of::<Self>()];
                bytes.copy_from_slice(&bits.to_le_bytes()[..size_of::<Self>()]);
                Self::from_le_bytes(bytes)
            }
            fn into_bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
        }
    )*};
}
little!(i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64);

impl Little for bool {
    fn from_bits_of(bits: u64) -> Self {
        bits != 0
    }
    fn into_bytes(self) -> Vec<u8> {
        vec![u8::from(self)]
    }
}

fn from_bytes<T: Little>(bytes: &[u8]) -> Vec<T> {
    let bits = |chunk: &[u8]| chunk.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
    bytes.chunks_exact(size_of::<T>()).map(|chunk| T::from_bits_of(bits(chunk))).collect()
}
