//! The linked `#[device]` items of a kernel.
use crate::resolve::std_paths::StdItem;
use std::collections::BTreeMap;

/// The `#[device]` items that a kernel reaches.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceSet {
    /// The targets of the kernel's paths: [`path_key`](crate::resolve::paths::path_key) to index in
    /// `items`.
    pub(crate) kernel_paths: BTreeMap<String, usize>,
    /// Every item, once.
    pub(crate) items: Vec<DeviceItem>,
}

/// A `#[device]` item, with the targets of the paths in it.
#[derive(Clone, Debug)]
pub(crate) struct DeviceItem {
    /// The item as written, without `#[device]` itself.
    pub(crate) item: syn::Item,
    /// The targets of its paths: [`path_key`](crate::resolve::paths::path_key) to index in
    /// [`DeviceSet::items`].
    pub(crate) paths: BTreeMap<String, usize>,
    /// True if the item is from another crate than the kernel.
    pub(crate) is_foreign: bool,
    /// The std item that it stands for.
    pub(crate) std_item: Option<StdItem>,
}

/// The function that a call resolves to, among the items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Callee {
    /// The function, or the `impl` or trait that it is in.
    pub(crate) item: usize,
    /// Its index in the `impl` or trait.
    pub(crate) member: Option<usize>,
}
