//! Rust to IR: what a kernel's function means.
//!
//! [`lower`] takes a kernel as written, with the `#[device]` functions that its call tree needs,
//! and yields its IR, or everything that is wrong with it.
mod callees;
mod span;

use crate::attr;
pub(crate) use callees::{callees, key};
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
/// Everything that is wrong with it, combined.
pub(crate) fn lower(input: Input<'_>) -> Result<Lowered, syn::Error> {
    let _ = (input.options, input.devices);
    Err(syn::Error::new(input.item.sig.ident.span(), "lowering is not there yet"))
}

/// Checks a `#[device]` function where it is defined, called by nobody, and yields its
/// witnesses. `devices.kernel_callees` says where the paths that it calls lead. A generic
/// function is checked as far as its parameters' bounds tell.
///
/// # Errors
/// Everything that is wrong with it, combined.
pub(crate) fn check_device(
    item: &syn::ItemFn,
    devices: &DeviceSet,
) -> Result<Vec<syn::ItemFn>, syn::Error> {
    let _ = (item, devices);
    Ok(Vec::new())
}
