//! Comparison of a run with an earlier one, kernel by kernel and counter by counter.
//!
//! All values are averages over the launches of a kernel, so that runs with different numbers of
//! launches can be compared.
use super::{
    report::{KernelProfile, Report},
    verdict::format_time,
};
use crate::color::Paint;
use annotate_snippets::renderer::AnsiColor;
use warpwise::counters::Counts;

/// Relative change that counts as none.
const MAX_NOISE: f64 = 0.01;

/// Kernels of two runs.
pub(crate) struct Comparison {
    /// The earlier run, as the user named it.
    pub(crate) old_run: String,
    /// Kernels that both runs have, in the order of the report.
    pub(crate) kernels: Vec<KernelComparison>,
    /// Kernels of one run alone.
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
}

/// Counters of a kernel in two runs.
pub(crate) struct KernelComparison {
    pub(crate) kernel: String,
    pub(crate) generics: String,
    /// Index in the report.
    pub(crate) index: usize,
    /// Blocks and threads of the earlier run, if they were others.
    pub(crate) old_shape: Option<String>,
    pub(crate) counters: Vec<CounterChange>,
    pub(crate) verdict: Change,
}

/// Value of a counter in two runs.
#[derive(Clone, Copy)]
pub(crate) struct CounterChange {
    pub(crate) counter: &'static Counter,
    pub(crate) old: f64,
    pub(crate) new: f64,
}

/// Judgement of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Better,
    Worse,
    /// No change, or one that is neither.
    Same,
}

/// Direction in which a counter improves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    Fewer,
    More,
    /// It is a property of the work.
    Neither,
}

/// Value to compare.
pub(crate) struct Counter {
    /// Name in JSON.
    pub(crate) json_name: &'static str,
    pub(crate) title: &'static str,
    aim: Aim,
    /// True for seconds.
    is_time: bool,
    read: fn(&Report, &KernelProfile) -> Option<f64>,
}

/// Creates a counter of events.
const fn events(
    json_name: &'static str,
    title: &'static str,
    aim: Aim,
    read: fn(&Report, &KernelProfile) -> Option<f64>,
) -> Counter {
    Counter { json_name, title, aim, is_time: false, read }
}

/// Averages a count over the launches of a kernel.
#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn per_launch(kernel: &KernelProfile, count: fn(&Counts) -> u64) -> Option<f64> {
    let launches = &kernel.launches;
    Some(count(&launches.total) as f64 / launches.count.max(1) as f64)
}

fn resident_warps(report: &Report, kernel: &KernelProfile) -> Option<f64> {
    kernel.occupancy(report.multiprocessor).ok().map(|found| found.warps.into())
}

/// All counters, in the order of the table of lines.
const COUNTERS: &[Counter] = &[
    Counter {
        json_name: "predicted_seconds",
        title: "predicted time",
        aim: Aim::Fewer,
        is_time: true,
        read: Report::predicted_seconds,
    },
    Counter {
        json_name: "measured_seconds",
        title: "measured time",
        aim: Aim::Fewer,
        is_time: true,
        read: |_, kernel| kernel.measured_seconds(),
    },
    events("warp_instructions", "instructions", Aim::Fewer, |_, kernel| {
        per_launch(kernel, |counts| counts.warp_instructions)
    }),
    events("active_threads", "active threads", Aim::More, |_, kernel| {
        kernel.launches.total.active_threads()
    }),
    events("branches", "branches", Aim::Neither, |_, kernel| {
        per_launch(kernel, |counts| counts.branches)
    }),
    events("divergent_branches", "divergent branches", Aim::Fewer, |_, kernel| {
        per_launch(kernel, |counts| counts.divergent_branches)
    }),
    events("expected_sectors", "expected sectors", Aim::Neither, |_, kernel| {
        per_launch(kernel, |counts| counts.global().ideal)
    }),
    events("sectors", "sectors", Aim::Fewer, |_, kernel| {
        per_launch(kernel, |counts| counts.global().sectors)
    }),
    events("expected_wavefronts", "expected wavefronts", Aim::Neither, |_, kernel| {
        per_launch(kernel, |counts| counts.shared().ideal)
    }),
    events("wavefronts", "wavefronts", Aim::Fewer, |_, kernel| {
        per_launch(kernel, |counts| counts.shared().wavefronts)
    }),
    events("constant_wavefronts", "wavefronts of constants", Aim::Fewer, |_, kernel| {
        per_launch(kernel, |counts| counts.constant_loads.wavefronts)
    }),
    events("local_sectors", "sectors of local memory", Aim::Fewer, |_, kernel| {
        per_launch(kernel, |counts| counts.local().sectors)
    }),
    events("texture_sectors", "sectors of textures", Aim::Fewer, |_, kernel| {
        per_launch(kernel, |counts| counts.texture_reads.sectors)
    }),
    events("barriers", "barriers of warps", Aim::Fewer, |_, kernel| {
        per_launch(kernel, |counts| counts.barriers)
    }),
    events("atomics", "atomic updates", Aim::Fewer, |_, kernel| {
        per_launch(kernel, |counts| counts.atomics)
    }),
    events("floats", "operations on floats", Aim::Neither, |_, kernel| {
        per_launch(kernel, |counts| counts.floats.all())
    }),
    events("bulk_copy_bytes", "bytes of bulk copies", Aim::Fewer, |_, kernel| {
        per_launch(kernel, |counts| counts.bulk().bytes)
    }),
    events("multiply_adds", "multiply-adds of tensor cores", Aim::Neither, |_, kernel| {
        per_launch(kernel, |counts| counts.matrix_products.multiply_adds)
    }),
    events("shared_memory", "bytes of shared memory", Aim::Neither, |_, kernel| {
        #[expect(clippy::cast_precision_loss, reason = "at most a megabyte")]
        Some(kernel.launches.shared_memory as f64)
    }),
    events("registers", "registers", Aim::Neither, |_, kernel| {
        kernel.registers.map(|registers| registers.number.into())
    }),
    events("resident_warps", "resident warps", Aim::More, resident_warps),
];

impl CounterChange {
    /// Returns new over old; `None` where that is no number.
    pub(crate) fn ratio(&self) -> Option<f64> {
        (self.old != 0.0).then(|| self.new / self.old)
    }

    pub(crate) fn change(&self) -> Change {
        let difference = self.new - self.old;
        if difference.abs() <= MAX_NOISE * self.old.abs() {
            return Change::Same;
        }
        match (self.counter.aim, difference > 0.0) {
            (Aim::Neither, _) => Change::Same,
            (Aim::Fewer, true) | (Aim::More, false) => Change::Worse,
            (Aim::Fewer, false) | (Aim::More, true) => Change::Better,
        }
    }

    /// Formats the value of the earlier run, that of this run, and the ratio.
    pub(crate) fn cells(&self) -> [String; 3] {
        let value = |value: f64| match self.counter.is_time {
            true => format_time(value),
            false if value.fract() == 0.0 => format!("{value:.0}"),
            false => format!("{value:.1}"),
        };
        let ratio = self.ratio().map_or_else(String::new, |ratio| format!("{ratio:.2}x"));
        [value(self.old), value(self.new), ratio]
    }
}

impl Change {
    /// Returns the word for it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Same => "same",
        }
    }
}

impl Comparison {
    /// Compares the kernels of `new` with those of `old`.
    pub(crate) fn new(old: &Report, new: &Report, old_run: String) -> Self {
        let mut left: Vec<&KernelProfile> = old.kernels.iter().collect();
        let mut pairs: Vec<Option<&KernelProfile>> = vec![None; new.kernels.len()];
        // Equal shapes belong together; a kernel whose shape was changed keeps its name.
        for needs_shape in [true, false] {
            for (kernel, pair) in
                new.kernels.iter().zip(&mut pairs).filter(|(_, pair)| pair.is_none())
            {
                let found = left.iter().position(|old| is_same_kernel(old, kernel, needs_shape));
                *pair = found.map(|index| left.remove(index));
            }
        }
        let mut comparison =
            Self { old_run, kernels: Vec::new(), added: Vec::new(), removed: Vec::new() };
        for (index, (kernel, pair)) in new.kernels.iter().zip(pairs).enumerate() {
            match pair {
                Some(before) => {
                    let compared = KernelComparison::new((old, before), (new, kernel), index);
                    comparison.kernels.push(compared);
                }
                None => comparison.added.push(describe_kernel(kernel)),
            }
        }
        comparison.removed = left.into_iter().map(describe_kernel).collect();
        comparison
    }

    /// Returns a line for each kernel, the changed ones first, with the change that decides.
    pub(crate) fn headlines(&self) -> Vec<(Change, String)> {
        let mut lines = Vec::new();
        for wanted in [Change::Worse, Change::Better, Change::Same] {
            let kernels = self.kernels.iter().filter(|kernel| kernel.verdict == wanted);
            lines.extend(kernels.map(|kernel| (wanted, kernel.headline())));
        }
        let only = |kernels: &[String], run: &str| {
            let lines: Vec<_> = kernels
                .iter()
                .map(|kernel| (Change::Same, format!("`{kernel}` is in the {run} run only")))
                .collect();
            lines
        };
        lines.extend(only(&self.added, "new"));
        lines.extend(only(&self.removed, "old"));
        lines
    }

    /// Renders the comparison for a terminal: the counters of kernels that changed, or of `all`.
    pub(crate) fn to_text(&self, all: bool, paint: Paint) -> String {
        let mut text = format!("compared with {}, old and new of a launch:\n", self.old_run);
        for (change, line) in self.headlines() {
            text += &format!("{} {line}\n", paint_change(change, paint));
        }
        let is_shown = |kernel: &&KernelComparison| all || kernel.has_changed();
        for kernel in self.kernels.iter().filter(is_shown) {
            text += &format!("\n{}", kernel.to_text(paint));
        }
        text + "\n"
    }
}

/// Formats `better` in its color, padded.
fn paint_change(change: Change, paint: Paint) -> String {
    let name = format!("{:<6}", change.name());
    match change {
        Change::Better => paint.bold(AnsiColor::Green, &name),
        Change::Worse => paint.bold(AnsiColor::Red, &name),
        Change::Same => name,
    }
}

fn is_same_kernel(old: &KernelProfile, new: &KernelProfile, needs_shape: bool) -> bool {
    let (old, new) = (&old.launches, &new.launches);
    (&old.kernel, &old.generics) == (&new.kernel, &new.generics)
        && (!needs_shape || (old.grid, old.block) == (new.grid, new.block))
}

fn describe_kernel(kernel: &KernelProfile) -> String {
    let [x, y, z] = kernel.launches.grid;
    format!("{} of {x} x {y} x {z} blocks", kernel.name())
}

/// Formats `16 x 16 x 1 blocks of 256 x 1 x 1 threads`.
fn describe_shape(kernel: &KernelProfile) -> String {
    let ([x, y, z], [i, j, k]) = (kernel.launches.grid, kernel.launches.block);
    format!("{x} x {y} x {z} blocks of {i} x {j} x {k} threads")
}

impl KernelComparison {
    fn new(
        (old_report, old): (&Report, &KernelProfile),
        (new_report, new): (&Report, &KernelProfile),
        index: usize,
    ) -> Self {
        let counters: Vec<CounterChange> = COUNTERS
            .iter()
            .filter_map(|counter| {
                let values = [(counter.read)(old_report, old)?, (counter.read)(new_report, new)?];
                let [old, new] = values;
                (old != 0.0 || new != 0.0).then_some(CounterChange { counter, old, new })
            })
            .collect();
        let shapes = [old, new].map(describe_shape);
        let old_shape = (shapes[0] != shapes[1]).then(|| shapes[0].clone());
        let verdict = decide(&counters).map_or(Change::Same, CounterChange::change);
        let (kernel, generics) = (new.launches.kernel.clone(), new.launches.generics.clone());
        Self { kernel, generics, index, old_shape, counters, verdict }
    }

    /// Returns true if a counter got better or worse.
    pub(crate) fn has_changed(&self) -> bool {
        self.counters.iter().any(|found| found.change() != Change::Same)
    }

    /// Formats the kernel's name.
    pub(crate) fn name(&self) -> String {
        if self.generics.is_empty() {
            self.kernel.clone()
        } else {
            format!("{}::<{}>", self.kernel, self.generics)
        }
    }

    /// Formats the counter that decides, and the other ones that changed most.
    fn headline(&self) -> String {
        const MAX_OTHERS: usize = 3;
        let change = |change: &CounterChange| {
            let [old, new, ratio] = change.cells();
            let ratio = if ratio.is_empty() { ratio } else { format!(" ({ratio})") };
            format!("{} {old} -> {new}{ratio}", change.counter.title)
        };
        let decisive = decide(&self.counters);
        let mut others: Vec<&CounterChange> = self
            .counters
            .iter()
            .filter(|found| found.change() != Change::Same)
            .filter(|found| {
                decisive
                    .is_none_or(|decisive| decisive.counter.json_name != found.counter.json_name)
            })
            .collect();
        let size = |found: &CounterChange| found.ratio().map_or(f64::INFINITY, |r| r.ln().abs());
        others.sort_by(|a, b| size(b).total_cmp(&size(a)));
        let parts: Vec<String> =
            decisive.into_iter().chain(others.into_iter().take(MAX_OTHERS)).map(change).collect();
        format!("`{}`: {}", self.name(), parts.join(", "))
    }

    fn to_text(&self, paint: Paint) -> String {
        let title = format!("kernel `{}`", self.name());
        let shape = self.old_shape.iter().map(|shape| format!(", before {shape}"));
        let mut text = format!(
            "{}, old and new{}\n",
            paint.bold(AnsiColor::BrightBlue, &title),
            shape.collect::<String>()
        );
        let rows: Vec<_> = self.counters.iter().map(|found| (found, found.cells())).collect();
        let width = |column: usize| rows.iter().map(|(_, cells)| cells[column].len()).max();
        let [old_width, new_width, ratio_width] =
            [0, 1, 2].map(|column| width(column).unwrap_or(0));
        let name_width = rows.iter().map(|(found, _)| found.counter.title.len()).max().unwrap_or(0);
        for (found, [old, new, ratio]) in &rows {
            let change = match found.change() {
                Change::Same => String::new(),
                changed => paint_change(changed, paint),
            };
            let line = format!(
                "{:<name_width$}  {old:>old_width$}  {new:>new_width$}  {ratio:>ratio_width$}  {change}",
                found.counter.title
            );
            text += &format!("{}\n", line.trim_end());
        }
        text
    }
}

/// Returns the counter that decides about a kernel: its measured time, its predicted time, or its
/// instructions.
fn decide(counters: &[CounterChange]) -> Option<&CounterChange> {
    let by_name = |name: &str| counters.iter().find(|found| found.counter.json_name == name);
    by_name("measured_seconds")
        .or_else(|| by_name("predicted_seconds"))
        .or_else(|| by_name("warp_instructions"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(name: &str, old: f64, new: f64) -> CounterChange {
        let counter = COUNTERS.iter().find(|counter| counter.json_name == name).unwrap();
        CounterChange { counter, old, new }
    }

    #[test]
    fn a_change_is_judged_by_the_aim_of_its_counter() {
        assert_eq!(change("sectors", 800.0, 100.0).change(), Change::Better);
        assert_eq!(change("sectors", 100.0, 100.5).change(), Change::Same);
        assert_eq!(change("sectors", 0.0, 4.0).change(), Change::Worse);
        assert_eq!(change("active_threads", 16.0, 32.0).change(), Change::Better);
        assert_eq!(change("floats", 1.0, 2.0).change(), Change::Same);
        assert_eq!(change("sectors", 0.0, 4.0).cells(), ["0", "4", ""]);
        assert_eq!(change("predicted_seconds", 2e-6, 1e-6).cells(), ["2.0 us", "1.0 us", "0.50x"]);
    }

    #[test]
    fn times_decide_before_instructions() {
        let counters =
            [change("predicted_seconds", 2e-6, 1e-6), change("warp_instructions", 10.0, 20.0)];
        let decides = |counters| decide(counters).unwrap().counter.json_name;
        assert_eq!(decides(&counters[..]), "predicted_seconds");
        assert_eq!(decides(&counters[1..]), "warp_instructions");
    }
}
