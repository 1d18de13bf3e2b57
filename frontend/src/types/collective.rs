//! Collectives: functions of the modules `warp`, `block` and `grid` that are kernel code of the
//! [standard library](crate::std_lib), with their argument kinds.

/// A function of `warp`, `block` or `grid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Collective {
    /// The module.
    pub(crate) module: &'static str,
    /// The name in the module.
    pub(crate) name: &'static str,
    /// The kind of its arguments.
    pub(crate) takes: Takes,
}

/// The kind of a collective's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
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
}

/// The collectives of a warp.
pub(crate) const WARP: [(&str, Takes); 14] = [
    ("exclusive_scan", Takes::Closure),
    ("exclusive_scan_mask", Takes::Closure),
    ("exclusive_sum", Takes::Sum),
    ("exclusive_sum_mask", Takes::Sum),
    ("inclusive_scan", Takes::Closure),
    ("inclusive_scan_mask", Takes::Closure),
    ("inclusive_sum", Takes::Sum),
    ("inclusive_sum_mask", Takes::Sum),
    ("leader", Takes::Nothing),
    ("leader_mask", Takes::Nothing),
    ("match_all_lanes", Takes::Compared),
    ("match_all_lanes_mask", Takes::Compared),
    ("reduce", Takes::Closure),
    ("reduce_mask", Takes::Closure),
];

/// The collectives of a block.
pub(crate) const BLOCK: [(&str, Takes); 10] = [
    ("exclusive_scan", Takes::Closure),
    ("exclusive_sum", Takes::Sum),
    ("inclusive_scan", Takes::Closure),
    ("inclusive_sum", Takes::Sum),
    ("reduce", Takes::Closure),
    ("reduce_add", Takes::Number),
    ("reduce_max", Takes::Number),
    ("reduce_min", Takes::Number),
    ("size", Takes::Nothing),
    ("thread_rank", Takes::Nothing),
];

/// The collectives of a grid.
pub(crate) const GRID: [(&str, Takes); 2] =
    [("size", Takes::Nothing), ("thread_rank", Takes::Nothing)];

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
        "warp" => ("warp", &WARP),
        "block" => ("block", &BLOCK),
        "grid" => ("grid", &GRID),
        _ => return None,
    };
    let (name, takes) = functions.iter().copied().find(|(known, _)| *known == name)?;
    Some(Collective { module, name, takes })
}

/// Returns the library trait with the functions of a module; inside the library also of its
/// internal modules.
pub(crate) fn of_trait(module: &str, in_prelude: bool) -> Option<&'static str> {
    Some(match module {
        "warp" => "Warp",
        "block" => "Block",
        "grid" => "Grid",
        "lanes" if in_prelude => "Lanes",
        "warps" if in_prelude => "Warps",
        _ => return None,
    })
}
