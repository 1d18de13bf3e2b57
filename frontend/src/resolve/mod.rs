//! Name resolution: the items and std paths that names and imports lead to.
pub(crate) mod device_set;
pub(crate) mod drop_impls;
pub(crate) mod imports;
pub(crate) mod inline_ptx;
pub(crate) mod inner_items;
pub(crate) mod instances;
pub(crate) mod macro_rules;
pub(crate) mod paths;
pub(crate) mod recursion;
pub(crate) mod reserved_names;
pub(crate) mod source_map;
pub(crate) mod std_paths;
