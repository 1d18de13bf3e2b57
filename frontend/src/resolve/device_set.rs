//! The `#[device]` items that a kernel reaches.
use crate::resolve::std_paths::StdName;
use std::collections::BTreeMap;

/// The `#[device]` items that a kernel reaches.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceSet {
    /// Where the paths that the kernel mentions lead: [`key`](crate::resolve::paths::key) of the path to index in `items`.
    pub(crate) kernel_paths: BTreeMap<String, usize>,
    /// Every item, once.
    pub(crate) items: Vec<DeviceItem>,
}

/// A `#[device]` item, with where the paths it mentions lead.
#[derive(Clone, Debug)]
pub(crate) struct DeviceItem {
    /// The item as written, without `#[device]` itself.
    pub(crate) item: syn::Item,
    /// [`key`](crate::resolve::paths::key) of a path as written in it, to index in [`DeviceSet::items`].
    pub(crate) paths: BTreeMap<String, usize>,
    /// Whether it is of another crate than the kernel.
    pub(crate) is_foreign: bool,
    /// What of std's it stands for.
    pub(crate) of_std: Option<StdName>,
}

/// A function among the items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Callee {
    /// The function, or the `impl` or trait that it is in.
    pub(crate) item: usize,
    /// Its number in that.
    pub(crate) member: Option<usize>,
}
