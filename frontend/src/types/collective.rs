//! Functions of the modules `warp`, `block` and `grid` that are kernel code themselves, in the
//! [prelude](crate::std_lib): what they are called, and what values they take.

/// A function of `warp`, `block` or `grid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Collective {
    /// The module that it is in.
    pub(crate) module: &'static str,
    /// Its name in that.
    pub(crate) name: &'static str,
    /// What it takes.
    pub(crate) takes: Takes,
}

/// What a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing.
    Nothing,
    /// Values that are compared.
    Compared,
    /// Values that it adds.
    Sum,
    /// Values that a warp reduces.
    Number,
    /// Values, and a closure that combines two of them.
    Closure,
}

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

pub(crate) const GRID: [(&str, Takes); 2] =
    [("size", Takes::Nothing), ("thread_rank", Takes::Nothing)];

/// The function that these names lead to: `["block", "reduce"]`, perhaps behind `warpwise` or its
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

/// The trait of the prelude that has what a path leads to: of these modules, and in the prelude itself
/// of those that only it knows.
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
