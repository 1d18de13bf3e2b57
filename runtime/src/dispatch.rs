//! From a call of a kernel's `launch` to an engine: everything that is checked before anything runs.
use crate::{
    AtomicBuffer, Buffer, Device, Element, Error, LaunchConfig, Result, Stored,
    buffer::AnyBuffer,
    element::Atomic,
    error::LaunchMistake,
    kernel::{Bound, Signature, Source},
    launch::Geometry,
};
use std::{fmt, sync::Arc};
use warpwise_compiler::{
    ir::{self, Access, Param, ParamKind, Scalar},
    specialize::Binding,
};

/// One argument of a launch.
#[derive(Clone)]
pub struct Arg<'a>(pub(crate) Value<'a>);

/// What an [`Arg`] passes.
#[derive(Clone)]
pub(crate) enum Value<'a> {
    Scalar { ty: Scalar, bits: u64 },
    Slice { elem: ir::Element, access: Access, buffer: &'a AnyBuffer },
}

impl<'a> Arg<'a> {
    /// For a parameter of type `T`.
    pub fn scalar<T: Element>(value: T) -> Arg<'static> {
        Arg(Value::Scalar { ty: T::SCALAR, bits: value.to_bits() })
    }
    /// For a parameter of type `&[T]`.
    pub fn read<T: Element>(buffer: &'a Buffer<T>) -> Self {
        Self::slice::<T>(Access::Read, buffer.any())
    }
    /// For a parameter of type `&mut [T]`.
    pub fn write<T: Element>(buffer: &'a mut Buffer<T>) -> Self {
        Self::slice::<T>(Access::Write, buffer.any())
    }
    /// For a parameter of type `&[A]`.
    pub fn atomic<A: Atomic>(buffer: impl AtomicBuffer<A> + 'a) -> Self {
        Self::slice::<A>(Access::Atomic, buffer.buffer())
    }

    fn slice<T: Stored>(access: Access, buffer: &'a AnyBuffer) -> Self {
        Self(Value::Slice { elem: T::Value::SCALAR.into(), access, buffer })
    }

    fn fits(&self, param: &Param) -> bool {
        match (&self.0, &param.kind) {
            (Value::Scalar { ty, .. }, ParamKind::Scalar(wanted)) => ty == wanted,
            (Value::Slice { elem, access, .. }, ParamKind::Slice { elem: wanted, access: to }) => {
                elem == wanted && access == to
            }
            (Value::Scalar { .. }, ParamKind::Slice { .. })
            | (Value::Slice { .. }, ParamKind::Scalar(_)) => false,
        }
    }
}

/// As in a message: `f32`, `read [f32]`.
impl fmt::Display for Arg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.0 {
            Value::Scalar { ty, .. } => ParamKind::Scalar(*ty),
            Value::Slice { elem, access, .. } => {
                ParamKind::Slice { elem: elem.clone(), access: *access }
            }
        };
        kind.fmt(f)
    }
}

/// A launch that was checked: its arguments are what the kernel takes, in memory that the
/// device reaches, and its geometry is what the kernel and the hardware allow.
pub(crate) struct Launch<'a> {
    pub(crate) source: &'static Source,
    pub(crate) bindings: &'a [Binding],
    /// The kernel of the source and the bindings.
    pub(crate) bound: &'a Arc<Bound>,
    /// Not empty.
    pub(crate) geometry: Geometry,
    pub(crate) args: &'a [Arg<'a>],
}

/// Checks a launch and gives it to the device; what the kernel's threads do wrong comes out of
/// the next call that synchronises.
///
/// # Errors
/// [`Error::Launch`] and [`Error::Compile`], after which nothing ran; [`Error::Stopped`]; what the
/// driver says.
pub fn launch(
    source: &'static Source,
    bindings: &[Binding],
    device: &Device,
    config: LaunchConfig,
    args: &[Arg<'_>],
) -> Result<()> {
    let bound = &Bound::get(source, bindings, device)?;
    let geometry = check(&bound.signature, device, config, args)
        .map_err(|mistake| Error::Launch { kernel: source.name, mistake })?;
    if geometry.is_empty() {
        return Ok(());
    }
    device.run(&Launch { source, bindings, bound, geometry, args })
}

fn check(
    signature: &Signature,
    device: &Device,
    config: LaunchConfig,
    args: &[Arg<'_>],
) -> Result<Geometry, LaunchMistake> {
    check_arguments(&signature.params, args)?;
    check_devices(&signature.params, args, device)?;
    check_shared(signature.shared, device)?;
    config.geometry(signature.block, signature.wide_index)
}

fn check_arguments(params: &[Param], args: &[Arg<'_>]) -> Result<(), LaunchMistake> {
    if params.len() != args.len() {
        let expected = format!("{} arguments", params.len());
        return Err(LaunchMistake::Arguments { expected, found: args.len().to_string() });
    }
    match params.iter().zip(args).find(|(param, arg)| !arg.fits(param)) {
        None => Ok(()),
        Some((param, arg)) => {
            let expected = format!("`{}`: {}", param.name, param.kind);
            Err(LaunchMistake::Arguments { expected, found: format!("`{arg}`") })
        }
    }
}

fn check_devices(params: &[Param], args: &[Arg<'_>], device: &Device) -> Result<(), LaunchMistake> {
    for (param, arg) in params.iter().zip(args) {
        if let Value::Slice { buffer, .. } = arg.0
            && !buffer.device.shares_memory_with(device)
        {
            let (param, buffer) = (param.name.clone(), buffer.device.to_string());
            return Err(LaunchMistake::WrongDevice { param, buffer, device: device.to_string() });
        }
    }
    Ok(())
}

fn check_shared(bytes: u64, device: &Device) -> Result<(), LaunchMistake> {
    let limit = device.info().shared_memory_per_block;
    if bytes > limit {
        return Err(LaunchMistake::SharedMemory { bytes, limit, device: device.to_string() });
    }
    Ok(())
}
