//! Collectives: functions of the modules `warp`, `block`, `grid` and `async_copy` that are kernel
//! code of the [standard library](crate::std_lib), with their argument kinds.

/// A function of `warp`, `block`, `grid` or `async_copy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Collective {
    /// The module.
    pub(crate) module: &'static str,
    /// The name in the module.
    pub(crate) name: &'static str,
    /// The kind of its arguments.
    pub(crate) takes: CollectiveArgs,
}

/// The kind of a collective's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CollectiveArgs {
    /// No values.
    Nothing,
    /// Values that are compared for equality.
    Compared,
    /// Values that are added.
    Sum,
    /// Values that a warp reduces by one instruction.
    Number,
    /// Values, and a closure that combines two of them.
    Closure,
    /// Slices of values that are copied.
    Copied,
}

/// The collectives of a warp.
pub(crate) const WARP_FUNCTIONS: [(&str, CollectiveArgs); 14] = [
    ("exclusive_scan", CollectiveArgs::Closure),
    ("exclusive_scan_mask", CollectiveArgs::Closure),
    ("exclusive_sum", CollectiveArgs::Sum),
    ("exclusive_sum_mask", CollectiveArgs::Sum),
    ("inclusive_scan", CollectiveArgs::Closure),
    ("inclusive_scan_mask", CollectiveArgs::Closure),
    ("inclusive_sum", CollectiveArgs::Sum),
    ("inclusive_sum_mask", CollectiveArgs::Sum),
    ("leader", CollectiveArgs::Nothing),
    ("leader_mask", CollectiveArgs::Nothing),
    ("match_all_lanes", CollectiveArgs::Compared),
    ("match_all_lanes_mask", CollectiveArgs::Compared),
    ("reduce", CollectiveArgs::Closure),
    ("reduce_mask", CollectiveArgs::Closure),
];

/// The collectives of a block.
pub(crate) const BLOCK_FUNCTIONS: [(&str, CollectiveArgs); 10] = [
    ("exclusive_scan", CollectiveArgs::Closure),
    ("exclusive_sum", CollectiveArgs::Sum),
    ("inclusive_scan", CollectiveArgs::Closure),
    ("inclusive_sum", CollectiveArgs::Sum),
    ("reduce", CollectiveArgs::Closure),
    ("reduce_add", CollectiveArgs::Number),
    ("reduce_max", CollectiveArgs::Number),
    ("reduce_min", CollectiveArgs::Number),
    ("size", CollectiveArgs::Nothing),
    ("thread_rank", CollectiveArgs::Nothing),
];

/// The collectives of a grid.
pub(crate) const GRID_FUNCTIONS: [(&str, CollectiveArgs); 2] =
    [("size", CollectiveArgs::Nothing), ("thread_rank", CollectiveArgs::Nothing)];

/// The copies by all threads of a block.
pub(crate) const ASYNC_COPY_FUNCTIONS: [(&str, CollectiveArgs); 1] =
    [("block_copy", CollectiveArgs::Copied)];

/// Returns the function that a path names: `["block", "reduce"]`, perhaps after `warpwise` or its
/// prelude.
pub(crate) fn find(path: &[String]) -> Option<Collective> {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    let (module, name) = match names.as_slice() {
        [module, name] | ["warpwise", module, name] | ["warpwise", "prelude", module, name] => {
            (*module, *name)
        }
        _ => return None,
    };
    let (module, functions): (_, &[_]) = match module {
        "warp" => ("warp", &WARP_FUNCTIONS),
        "block" => ("block", &BLOCK_FUNCTIONS),
        "grid" => ("grid", &GRID_FUNCTIONS),
        "async_copy" => ("async_copy", &ASYNC_COPY_FUNCTIONS),
        _ => return None,
    };
    let (name, takes) = functions.iter().copied().find(|(known, _)| *known == name)?;
    Some(Collective { module, name, takes })
}

/// Returns the library trait with the functions of a module; inside the library also of its
/// internal modules.
pub(crate) fn library_trait(module: &str, in_prelude: bool) -> Option<&'static str> {
    Some(match module {
        "warp" => "Warp",
        "block" => "Block",
        "grid" => "Grid",
        "async_copy" => "AsyncCopy",
        "lanes" if in_prelude => "Lanes",
        "warps" if in_prelude => "Warps",
        _ => return None,
    })
}
