//! Counters as JSON, an object a line, in the format of `docs/profiler.md`.
use super::{AccessCounters, LaunchCounters, LineCounters, LoopCounters};
use std::{
    fmt::{Display, Write as _},
    ops::RangeInclusive,
};
use warpwise_compiler::hardware::time::Work;
use warpwise_simt::{
    ActiveThreads, BulkCopies, Counts, Floats, MatrixProducts, Sectors, Wavefronts, WorstRequest,
};

/// The version of the format. It grows when a documented field changes or disappears.
const SCHEMA: u32 = 1;

impl LaunchCounters {
    /// Returns one JSON object, in one line, of the
    /// [`kind`](https://docs.rs/warpwise/latest/warpwise/counters/index.html) `"launch"`, as
    /// `docs/profiler.md` describes it.
    ///
    /// ```
    /// use warpwise::{Simulator, prelude::*};
    ///
    /// #[kernel(block = 32)]
    /// fn increment(x: &mut [u32]) {
    ///     let i = global_idx_x();
    ///     if i < x.len() {
    ///         x[i] += 1;
    ///     }
    /// }
    ///
    /// let simulator = Simulator::new().counters();
    /// let device = simulator.device();
    /// let mut x = device.zeros::<u32>(1000)?;
    /// increment::launch(&device, LaunchConfig::cover(1000), &mut x)?;
    /// // A line of a log, for a script that compares runs.
    /// let line = simulator.take_counters()[0].to_json();
    /// assert!(line.contains(r#""kernel":"increment""#) && line.contains(r#""grid":[32,1,1]"#));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn to_json(&self) -> String {
        let numbers = |of: [u32; 3]| format!("[{},{},{}]", of[0], of[1], of[2]);
        Object::new("launch")
            .text("kernel", self.kernel)
            .text("generics", &self.generics)
            .value("grid", numbers(self.grid))
            .value("block", numbers(self.block))
            .value("shared_memory", self.shared_memory)
            .value("barriers", self.barriers)
            .value("total", counts(&self.total))
            .value("active_threads", active(&self.active_threads))
            .value("lines", list(self.lines.iter().map(line)))
            .value("loops", list(self.loops.iter().map(rounds)))
            .value("accesses", list(self.accesses.iter().map(access)))
            .value("work", work(&self.work))
            .end()
    }
}

fn line(counters: &LineCounters) -> String {
    let LineCounters { file, line, counts: all, active_threads } = counters;
    Object::empty()
        .text("file", file)
        .value("line", line)
        .value("counts", counts(all))
        .value("active_threads", active(active_threads))
        .end()
}

fn active(threads: &ActiveThreads) -> String {
    list(threads.iter().map(|(threads, instructions)| format!("[{threads},{instructions}]")))
}

fn rounds(LoopCounters { file, line, column, trips }: &LoopCounters) -> String {
    let range = |(range, visits): (RangeInclusive<u64>, u64)| {
        format!("[{},{},{visits}]", range.start(), range.end())
    };
    Object::empty()
        .text("file", file)
        .value("line", line)
        .value("column", column)
        .value("visits", trips.visits())
        .value("iterations", list(trips.iter().map(range)))
        .end()
}

fn access(found: &AccessCounters) -> String {
    let AccessCounters { file, line, column, memory, requests, taken, ideal, worst } = found;
    Object::empty()
        .text("file", file)
        .value("line", line)
        .value("column", column)
        .text("memory", memory)
        .text("space", worst.space.name())
        .text("access", worst.kind.name())
        .value("bytes", worst.bytes)
        .value("requests", requests)
        .value("taken", taken)
        .value("ideal", ideal)
        .value("worst", request(worst))
        .end()
}

fn request(worst: &WorstRequest) -> String {
    let offset = |of: &Option<u64>| of.map_or("null".to_owned(), |offset| offset.to_string());
    Object::empty()
        .value("block", worst.block)
        .value("warp", worst.warp)
        .value("active", worst.active)
        .value("taken", worst.taken)
        .value("ideal", worst.ideal)
        .value("offsets", list(worst.offsets.iter().map(offset)))
        .end()
}

fn counts(all: &Counts) -> String {
    Object::empty()
        .value("warp_instructions", all.warp_instructions)
        .value("thread_instructions", all.thread_instructions)
        .value("branches", all.branches)
        .value("divergent_branches", all.divergent_branches)
        .value("shared_loads", wavefronts(all.shared_loads))
        .value("shared_stores", wavefronts(all.shared_stores))
        .value("shared_atomics", wavefronts(all.shared_atomics))
        .value("constant_loads", wavefronts(all.constant_loads))
        .value("texture_reads", sectors(all.texture_reads))
        .value("local_loads", sectors(all.local_loads))
        .value("local_stores", sectors(all.local_stores))
        .value("global_loads", sectors(all.global_loads))
        .value("global_stores", sectors(all.global_stores))
        .value("global_reductions", sectors(all.global_reductions))
        .value("global_atomics", sectors(all.global_atomics))
        .value("barriers", all.barriers)
        .value("atomics", all.atomics)
        .value("floats", floats(all.floats))
        .value("bulk_loads", bulk_copies(all.bulk_loads))
        .value("bulk_stores", bulk_copies(all.bulk_stores))
        .value("matrix_products", matrix_products(all.matrix_products))
        .end()
}

fn work(all: &Work) -> String {
    let fields = all.fields().into_iter();
    fields.fold(Object::empty(), |object, (name, count)| object.value(&name, count)).end()
}

fn wavefronts(Wavefronts { requests, wavefronts, ideal }: Wavefronts) -> String {
    let object = Object::empty().value("requests", requests);
    object.value("wavefronts", wavefronts).value("ideal", ideal).end()
}

fn sectors(Sectors { requests, sectors, ideal }: Sectors) -> String {
    let object = Object::empty().value("requests", requests);
    object.value("sectors", sectors).value("ideal", ideal).end()
}

fn floats(Floats { half, single, double }: Floats) -> String {
    Object::empty().value("half", half).value("single", single).value("double", double).end()
}

fn bulk_copies(BulkCopies { copies, bytes, sectors }: BulkCopies) -> String {
    let object = Object::empty().value("copies", copies);
    object.value("bytes", bytes).value("sectors", sectors).end()
}

fn matrix_products(products: MatrixProducts) -> String {
    let MatrixProducts { instructions, multiply_adds, shared_bytes } = products;
    let object = Object::empty().value("instructions", instructions);
    object.value("multiply_adds", multiply_adds).value("shared_bytes", shared_bytes).end()
}

fn list(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(","))
}

/// An object that is being written.
pub(crate) struct Object(String);

impl Object {
    /// Begins an object of a kind, with the version of the format.
    pub(crate) fn new(kind: &str) -> Self {
        Self::empty().value("schema", SCHEMA).text("kind", kind)
    }

    fn empty() -> Self {
        Self("{".into())
    }

    /// Adds a field whose value is JSON.
    pub(crate) fn value(mut self, name: &str, value: impl Display) -> Self {
        let comma = if self.0.len() == 1 { "" } else { "," };
        self.0 += &format!("{comma}\"{name}\":{value}");
        self
    }

    /// Adds a field whose value is a text.
    pub(crate) fn text(self, name: &str, text: &str) -> Self {
        self.value(name, quote(text))
    }

    pub(crate) fn end(self) -> String {
        self.0 + "}"
    }
}

/// Returns `text` as a JSON string.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            character if character < ' ' => {
                write!(quoted, "\\u{:04x}", u32::from(character)).expect("strings take all");
            }
            character => quoted.push(character),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted() {
        assert_eq!(quote("a\"b\\c\n\u{1}<ö>"), "\"a\\\"b\\\\c\\n\\u0001<ö>\"");
        let object = Object::new("x").value("n", 3).text("t", "a").end();
        assert_eq!(object, r#"{"schema":1,"kind":"x","n":3,"t":"a"}"#);
    }
}
