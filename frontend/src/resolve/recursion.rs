//! Rejection of recursion, which kernel code cannot have because calls are inlined.
use crate::{
    resolve::device_set::DeviceSet,
    syntax::{
        error::{Errors, Reported},
        span::SpanRange,
    },
};
use std::collections::BTreeMap;
use syn::{Item, ItemFn};

/// The state of a function in the depth-first search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SearchState {
    Unseen,
    Entered,
    Left,
}

/// Reports the first call cycle that is reachable from the function.
///
/// # Errors
/// If there is a cycle.
pub(crate) fn reject_recursion(
    item: &ItemFn,
    paths: &BTreeMap<String, usize>,
    devices: &DeviceSet,
    errors: &mut Errors,
) -> Result<(), Reported> {
    let mut search = CycleSearch { devices, seen: vec![SearchState::Unseen; devices.items.len()] };
    let Some(cycle) = search.find_cycle(paths) else { return Ok(()) };
    let names: Vec<String> =
        cycle.iter().map(|index| quoted_name(&devices.items[*index].item)).collect();
    Err(errors.advise(
        SpanRange::token(item.sig.ident.span()),
        format_args!("kernel code cannot recurse: {}", names.join(" calls ")),
        "write a loop",
    ))
}

fn quoted_name(item: &Item) -> String {
    match item {
        Item::Fn(item) => format!("`{}`", item.sig.ident),
        _ => "another item".into(),
    }
}

struct CycleSearch<'a> {
    devices: &'a DeviceSet,
    seen: Vec<SearchState>,
}

impl CycleSearch<'_> {
    /// Returns a cycle that is reachable from `paths`: its functions in call order, with the first
    /// one repeated at the end. Iterative, because call chains may be long.
    fn find_cycle(&mut self, paths: &BTreeMap<String, usize>) -> Option<Vec<usize>> {
        for &start in paths.values() {
            let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
            self.enter(start, &mut path);
            while let Some((index, rest)) = path.last_mut() {
                let Some(next) = rest.pop() else {
                    self.seen[*index] = SearchState::Left;
                    path.pop();
                    continue;
                };
                match self.seen.get(next) {
                    Some(SearchState::Entered) => {
                        let from = path.iter().position(|(index, _)| *index == next)?;
                        let cycle = path[from..].iter().map(|(index, _)| *index);
                        return Some(cycle.chain([next]).collect());
                    }
                    Some(SearchState::Unseen) => self.enter(next, &mut path),
                    Some(SearchState::Left) | None => {}
                }
            }
        }
        None
    }

    fn enter(&mut self, index: usize, path: &mut Vec<(usize, Vec<usize>)>) {
        // Paths of types and traits do not call; the functions that use them have these calls.
        let is_function = matches!(self.devices.items[index].item, syn::Item::Fn(_));
        if is_function && self.seen.get(index) == Some(&SearchState::Unseen) {
            self.seen[index] = SearchState::Entered;
            path.push((index, self.devices.items[index].paths.values().copied().collect()));
        }
    }
}
