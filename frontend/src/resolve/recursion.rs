//! Kernel code cannot recurse: device functions are inlined where they are called.
use crate::{
    resolve::device_set::DeviceSet,
    syntax::{
        error::{Errors, Reported},
        span::SpanRange,
    },
};
use std::collections::BTreeMap;
use syn::{Item, ItemFn};

/// How far a function has been looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Not,
    Entered,
    Left,
}

/// Reports the first cycle of calls that the function leads to.
///
/// # Errors
/// If there is one.
pub(crate) fn check(
    item: &ItemFn,
    paths: &BTreeMap<String, usize>,
    devices: &DeviceSet,
    errors: &mut Errors,
) -> Result<(), Reported> {
    let mut search = Search { devices, seen: vec![Seen::Not; devices.items.len()] };
    let Some(cycle) = search.behind(paths) else { return Ok(()) };
    let names: Vec<String> = cycle.iter().map(|index| name(&devices.items[*index].item)).collect();
    Err(errors.advise(
        SpanRange::token(item.sig.ident.span()),
        format_args!("kernel code cannot recurse: {}", names.join(" calls ")),
        "write a loop",
    ))
}

fn name(item: &Item) -> String {
    match item {
        Item::Fn(item) => format!("`{}`", item.sig.ident),
        _ => "another item".into(),
    }
}

struct Search<'a> {
    devices: &'a DeviceSet,
    seen: Vec<Seen>,
}

impl Search<'_> {
    /// A cycle behind these calls: its functions in the order of the calls, the first one again
    /// at the end. Iterative, because chains of calls may be long.
    fn behind(&mut self, paths: &BTreeMap<String, usize>) -> Option<Vec<usize>> {
        for &start in paths.values() {
            let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
            self.enter(start, &mut path);
            while let Some((at, rest)) = path.last_mut() {
                let Some(next) = rest.pop() else {
                    self.seen[*at] = Seen::Left;
                    path.pop();
                    continue;
                };
                match self.seen.get(next) {
                    Some(Seen::Entered) => {
                        let from = path.iter().position(|(at, _)| *at == next)?;
                        let cycle = path[from..].iter().map(|(at, _)| *at);
                        return Some(cycle.chain([next]).collect());
                    }
                    Some(Seen::Not) => self.enter(next, &mut path),
                    Some(Seen::Left) | None => {}
                }
            }
        }
        None
    }

    fn enter(&mut self, at: usize, path: &mut Vec<(usize, Vec<usize>)>) {
        // What types and traits lead to, only who calls their functions knows.
        let is_function = matches!(self.devices.items[at].item, syn::Item::Fn(_));
        if is_function && self.seen.get(at) == Some(&Seen::Not) {
            self.seen[at] = Seen::Entered;
            path.push((at, self.devices.items[at].paths.values().copied().collect()));
        }
    }
}
