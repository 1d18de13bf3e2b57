//! The text form of a trace: a line for each event.
//!
//! ```text
//! %9 @0 all: load arg1 4 bytes at 1024*block_idx.x + (4x)
//! %12 @1 some of [0..16] (%7): branch at most one
//! ```
//!
//! `(4x)` is a number that grows by 4 along x, `[0*32 1*32]` a table of 0 in 32 threads and 1 in
//! the next.
use super::{
    Access, AccessKind, ActiveThreads, Coverage, Event, EventKind, PerThread, Split, SymbolId,
    SymbolKind, SymbolicSum, ThreadSet, Trace,
};
use crate::{
    analysis::uniformity::Group,
    ir::{Axis, Builtin, Kernel, Op, Root},
};
use std::fmt::Write as _;

impl Trace {
    /// Returns the line for an event of this trace of `kernel`.
    pub fn event_text(&self, kernel: &Kernel, event: &Event) -> String {
        let mut text = format!("{} @{}", event.inst, event.interval);
        if event.unordered_since != event.interval {
            text += &format!("..{}", event.unordered_since);
        }
        for (id, number) in &event.loops {
            match number {
                Some(number) => text += &format!(" in {id}[{}]", self.symbol_text(kernel, *number)),
                None => text += &format!(" in {id}"),
            }
        }
        text += &format!(" {}: ", active_text(&event.active));
        text + &self.event_kind_text(kernel, &event.kind)
    }

    fn event_kind_text(&self, kernel: &Kernel, what: &EventKind) -> String {
        let value = |value: &Option<SymbolicSum>| match value {
            Some(value) => self.value_text(kernel, value),
            None => "?".to_owned(),
        };
        match what {
            EventKind::Access(Access {
                root,
                kind,
                bytes,
                offset,
                assumed,
                rows: _,
                indices: _,
            }) => {
                let kind = match kind {
                    AccessKind::Load => "load".to_owned(),
                    AccessKind::Store(None) => "store ? to".to_owned(),
                    AccessKind::Store(stored) => format!("store {} to", value(stored)),
                    AccessKind::Atomic => "atomic".to_owned(),
                };
                let root = match root {
                    Some(Root::Param(param)) => param.to_string(),
                    Some(Root::Shared(shared)) => shared.to_string(),
                    Some(Root::Array(array)) => array.to_string(),
                    None => "?".to_owned(),
                };
                let assumed = if *assumed { " if nothing wraps" } else { "" };
                format!("{kind} {root} {bytes} bytes at {}{assumed}", value(offset))
            }
            EventKind::Branch(split) => match split {
                Split::Known(threads) => format!("branch in {}", threads_text(threads)),
                Split::Uniform => "branch uniform".to_owned(),
                Split::UniformInWarps => "branch uniform in warps".to_owned(),
                Split::Guard => "branch guard".to_owned(),
                Split::AtMostOne => "branch at most one".to_owned(),
                Split::OnePerWarp => "branch at most one of a warp".to_owned(),
                Split::Unknown => "branch unknown".to_owned(),
            },
            EventKind::OutOfBounds { index, is_least, len, threads } => {
                let index = self.value_text(kernel, &index.clone().into());
                let least = if *is_least { "at least " } else { "" };
                format!("index {least}{index} is not below {len} in {}", threads_text(threads))
            }
            EventKind::Return => "return".to_owned(),
            EventKind::Barrier => "barrier".to_owned(),
            EventKind::SyncGrid => "sync grid".to_owned(),
            EventKind::WarpCollective { mask, lane } => match (mask, lane) {
                (None, None) => "meeting".to_owned(),
                _ => format!("meeting mask {} lane {}", value(mask), value(lane)),
            },
            EventKind::Fence => "fence".to_owned(),
            EventKind::AsyncCommit => "async commit".to_owned(),
            EventKind::AsyncWait(None) => "async wait".to_owned(),
            EventKind::AsyncWait(Some(pending)) => format!("async wait {pending}"),
        }
    }

    /// Returns the text of a sum of symbols.
    pub fn value_text(&self, kernel: &Kernel, value: &SymbolicSum) -> String {
        let mut terms = Vec::new();
        if value.numbers().as_uniform() != Some(0) {
            terms.push(factors_text(value.numbers()));
        }
        for term in value.terms() {
            let symbols: Vec<_> =
                term.monomial.0.iter().map(|&symbol| self.symbol_text(kernel, symbol)).collect();
            let factors = factors_text(&term.factors);
            terms.push(match factors.as_str() {
                "1" => symbols.join("*"),
                _ => format!("{factors}*{}", symbols.join("*")),
            });
        }
        if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
    }

    /// Returns the text of a symbol: its origin in the source, or the instruction that yields it.
    pub fn symbol_text(&self, kernel: &Kernel, id: SymbolId) -> String {
        let symbol = &self.symbols[id];
        let op = &kernel.insts[symbol.inst].op;
        let name = match symbol.kind {
            SymbolKind::Launch => match op {
                Op::Param(param) => kernel.params[*param].name.clone(),
                Op::Len(param) => format!("{}.len", kernel.params[*param].name),
                Op::Generic(generic) => kernel.generics[*generic].spell_value(),
                Op::Builtin(Builtin::GridDim(axis)) => format!("grid_dim.{}", axis_text(*axis)),
                _ => id.to_string(),
            },
            SymbolKind::BlockIdx => match op {
                Op::Builtin(Builtin::BlockIdx(axis) | Builtin::GlobalIdx(axis)) => {
                    format!("block_idx.{}", axis_text(*axis))
                }
                _ => id.to_string(),
            },
            SymbolKind::Iteration | SymbolKind::Computed => id.to_string(),
        };
        let name = if name.is_empty() { id.to_string() } else { name };
        match symbol.group {
            Group::Block => name,
            Group::Warp => format!("{name}w"),
        }
    }
}

const fn axis_text(axis: Axis) -> &'static str {
    match axis {
        Axis::X => "x",
        Axis::Y => "y",
        Axis::Z => "z",
    }
}

fn active_text(active: &ActiveThreads) -> String {
    let which = match active.coverage {
        Coverage::All => "",
        Coverage::Guarded => "guarded ",
        Coverage::Warps => "warps ",
        Coverage::Some => "some ",
        Coverage::One => "one ",
    };
    let because = active.cause.map_or(String::new(), |id| format!(" ({id})"));
    format!("{which}{}{because}", threads_text(&active.threads))
}

/// Returns `all`, `none`, or runs of thread numbers.
fn threads_text(threads: &ThreadSet) -> String {
    let list: Vec<usize> = threads.iter().collect();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for thread in list {
        match runs.last_mut() {
            Some((_, end)) if *end == thread => *end += 1,
            _ => runs.push((thread, thread + 1)),
        }
    }
    let text: Vec<_> = runs
        .iter()
        .map(
            |&(first, end)| {
                if end == first + 1 { first.to_string() } else { format!("{first}..{end}") }
            },
        )
        .collect();
    abbreviate(&text)
}

/// Joins at most six of `parts`, in brackets.
fn abbreviate(parts: &[String]) -> String {
    match parts {
        [first, second, third, _, _, _, .., last] if parts.len() > 6 => {
            format!("[{first} {second} {third} .. {last}; {}]", parts.len())
        }
        _ => format!("[{}]", parts.join(" ")),
    }
}

fn factors_text(factors: &PerThread) -> String {
    match factors {
        PerThread::Uniform(factor) => factor.to_string(),
        PerThread::Affine(affine) => {
            let mut text = String::new();
            if affine.first != 0 {
                text += &affine.first.to_string();
            }
            for (step, axis) in affine.step.into_iter().zip(["x", "y", "z"]) {
                if step == 0 {
                    continue;
                }
                let sign = if step < 0 {
                    "-"
                } else if text.is_empty() {
                    ""
                } else {
                    "+"
                };
                let size = step.unsigned_abs();
                let _ = if size == 1 {
                    write!(text, "{sign}{axis}")
                } else {
                    write!(text, "{sign}{size}{axis}")
                };
            }
            format!("({text})")
        }
        PerThread::Table(each) => {
            let mut runs: Vec<(i64, usize)> = Vec::new();
            for &factor in &**each {
                match runs.last_mut() {
                    Some((last, count)) if *last == factor => *count += 1,
                    _ => runs.push((factor, 1)),
                }
            }
            let text: Vec<_> = runs
                .iter()
                .map(
                    |&(factor, count)| {
                        if count == 1 { factor.to_string() } else { format!("{factor}*{count}") }
                    },
                )
                .collect();
            abbreviate(&text)
        }
    }
}
