//! Rust to IR: what a kernel's function means.
//!
//! Three stages, each with data of its own. [`infer`] resolves the names of a function and infers
//! its types: `syn` to [`tree`]. [`emit`] turns the kernel's tree into IR, with the device
//! functions that it calls inlined, each with its generic parameters bound. [`witness`] writes
//! what was inferred back into a copy of the function, for rustc to agree with.
//!
//! Nothing is lowered that was not understood: [`error::Errors`] collects everything that is
//! wrong, and a type of the tree that is wrong cannot be made without having reported it.
mod builtin;
mod callees;
mod constant;
mod emit;
mod error;
mod infer;
mod levels;
mod limits;
mod method;
mod recursion;
mod span;
#[cfg(test)]
mod tests;
mod tree;
mod types;
mod witness;

use crate::attr;
pub(crate) use callees::{callees, key};
use error::Errors;
pub(crate) use error::Rejected;
pub(crate) use limits::check_tokens;
pub(crate) use span::SpanRange;
use std::collections::BTreeMap;
use warpwise_compiler::{ir::Kernel, lint::Levels};

/// What is lowered.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    /// The kernel as written, without `#[kernel]` itself.
    pub(crate) item: &'a syn::ItemFn,
    /// Arguments of `#[kernel(..)]`.
    pub(crate) options: &'a attr::Options,
    /// What its call tree needs.
    pub(crate) devices: &'a DeviceSet,
}

/// The `#[device]` functions of a call tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceSet {
    /// Where the paths that the kernel calls lead: [`key`] of the path to index in `items`.
    pub(crate) kernel_callees: BTreeMap<String, usize>,
    /// Every function, once.
    pub(crate) items: Vec<DeviceItem>,
}

/// A `#[device]` function, with where the paths it calls lead.
#[derive(Clone, Debug)]
pub(crate) struct DeviceItem {
    /// The function as written, without `#[device]` itself.
    pub(crate) item: syn::ItemFn,
    /// [`key`] of a path as written in it, to index in [`DeviceSet::items`].
    pub(crate) callees: BTreeMap<String, usize>,
}

/// A kernel's IR and what belongs to it.
#[derive(Debug)]
pub(crate) struct Lowered {
    /// The kernel; not verified yet.
    pub(crate) kernel: Kernel,
    /// Where an [`ir::Span`](warpwise_compiler::ir::Span) is in the source, by index.
    pub(crate) spans: Vec<SpanRange>,
    /// Levels from lint attributes on the kernel, its statements and device functions.
    pub(crate) levels: Levels,
    /// Copies of the function that hand what was inferred to rustc: hidden, never called.
    pub(crate) witnesses: Vec<syn::ItemFn>,
}

/// Lowers a kernel.
///
/// # Errors
/// Everything that is wrong with it and the device functions it calls, combined.
pub(crate) fn lower(input: Input<'_>) -> Result<Lowered, Rejected> {
    let mut errors = Errors::default();
    let Input { item, options, devices } = input;
    let lowered = try_lower(item, options, devices, &mut errors);
    errors.finish(lowered)
}

fn try_lower(
    item: &syn::ItemFn,
    options: &attr::Options,
    devices: &DeviceSet,
    errors: &mut Errors,
) -> Option<Lowered> {
    recursion::check(item, devices, errors).ok()?;
    let context = infer::Context {
        item,
        callees: &devices.kernel_callees,
        devices: &devices.items,
        kernel: Some(&options.open),
        block: options.block.as_ref(),
        lints: &options.lints,
    };
    let kernel = limits::check(item, errors).then(|| infer::function(&context, errors)).flatten();
    let mut functions = Vec::with_capacity(devices.items.len());
    for device in &devices.items {
        functions.extend(device_function(&device.item, &device.callees, devices, errors));
    }
    let (function, notes) = kernel?;
    if !errors.is_empty() {
        return None;
    }
    let functions: Vec<tree::Function> = functions.into_iter().map(|(made, _)| made).collect();
    let emitted = emit::kernel(&function, &functions, options, errors)?;
    let witnesses = vec![witness::witness(item, &function, &notes)];
    Some(Lowered {
        kernel: emitted.kernel,
        spans: emitted.spans,
        levels: emitted.levels,
        witnesses,
    })
}

fn device_function(
    item: &syn::ItemFn,
    callees: &BTreeMap<String, usize>,
    devices: &DeviceSet,
    errors: &mut Errors,
) -> Option<(tree::Function, witness::Notes)> {
    let devices = &devices.items;
    let context = infer::Context { item, callees, devices, kernel: None, block: None, lints: &[] };
    limits::check(item, errors).then(|| infer::function(&context, errors)).flatten()
}

/// Checks a `#[device]` function where it is defined, called by nobody, and yields its
/// witnesses. `devices.kernel_callees` says where the paths that it calls lead. A generic
/// function is checked as far as its parameters' bounds tell.
///
/// # Errors
/// Everything that is wrong with it, combined; nothing of what it calls.
pub(crate) fn check_device(
    item: &syn::ItemFn,
    devices: &DeviceSet,
) -> Result<Vec<syn::ItemFn>, Rejected> {
    let mut errors = Errors::default();
    let checked = recursion::check(item, devices, &mut errors)
        .ok()
        .and_then(|()| device_function(item, &devices.kernel_callees, devices, &mut errors))
        .map(|(function, notes)| vec![witness::witness(item, &function, &notes)]);
    errors.finish(checked)
}
