//! Validation of records: refuses numbers whose sums would overflow, blocks that no launch has, and
//! names with control characters for the terminal.
//!
//! Every number of a record is at most [`MAX_NUMBER`], and the counts of all launches together are
//! at most [`MAX_SUM`]. A report adds counts over launches and fields and multiplies them by the 32
//! bytes of a sector, so that its results stay below 2^63.
use super::read::RecordLine;
use serde_json::Value;
use std::fmt;
use warpwise_compiler::hardware::occupancy::MAX_BLOCK_THREADS;

/// Largest number in a record: bytes of an address, or counts of a launch that takes days.
const MAX_NUMBER: u64 = 1 << 48;
/// Largest sum of the counts of all launches.
pub(super) const MAX_SUM: u64 = 1 << 53;
/// Bytes of the widest access of a lane.
const MAX_ACCESS_BYTES: u32 = 16;
/// Fields that hold names, which reports print.
const NAME_FIELDS: [&str; 4] = ["kernel", "generics", "file", "memory"];

/// Reason to refuse a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Implausible {
    /// It ends within a value, like the last line of a process that was killed.
    Incomplete,
    /// It is not JSON, or has the wrong shape.
    NoRecord,
    /// It has a number that is negative, not an integer, or larger than [`MAX_NUMBER`].
    Number,
    /// It has a block with no threads or too many.
    Block,
    /// It has an access of no bytes, or of more than [`MAX_ACCESS_BYTES`].
    AccessBytes,
    /// It has a name with control characters.
    Name,
}

impl fmt::Display for Implausible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Incomplete | Self::NoRecord => "this line is no record of a launch",
            Self::Number => "this record has a number that no launch counts",
            Self::Block => "this record has a block that no launch has",
            Self::AccessBytes => "this record has an access of a size that no lane accesses",
            Self::Name => "this record has a name with control characters",
        })
    }
}

/// Parses and checks one line of a file.
pub(super) fn parse_line(line: &[u8]) -> Result<RecordLine, Implausible> {
    let value: Value = serde_json::from_slice(line).map_err(|error| {
        if error.is_eof() { Implausible::Incomplete } else { Implausible::NoRecord }
    })?;
    let sum = sum_of_counts(&value, "")?;
    let mut line = serde_json::from_value(value).map_err(|_| Implausible::NoRecord)?;
    if let RecordLine::Launch(launch) = &mut line {
        let threads = launch.block.iter().try_fold(1u32, |product, &n| product.checked_mul(n));
        if threads.is_none_or(|threads| !(1..=MAX_BLOCK_THREADS).contains(&threads)) {
            return Err(Implausible::Block);
        }
        let mut sizes = launch.accesses.iter().map(|access| access.bytes);
        if !sizes.all(|bytes| (1..=MAX_ACCESS_BYTES).contains(&bytes)) {
            return Err(Implausible::AccessBytes);
        }
        launch.sum = sum;
    }
    Ok(line)
}

/// Returns the sum of all numbers in `value`, the field `name` of its parent, and checks all
/// numbers and names. Offsets are addresses, which no report adds up.
fn sum_of_counts(value: &Value, name: &str) -> Result<u64, Implausible> {
    match value {
        Value::Number(number) => {
            let number = number.as_u64().filter(|&number| number <= MAX_NUMBER);
            let number = number.ok_or(Implausible::Number)?;
            Ok(if name == "offsets" { 0 } else { number })
        }
        Value::String(text) if NAME_FIELDS.contains(&name) && text.contains(char::is_control) => {
            Err(Implausible::Name)
        }
        Value::Array(values) => {
            saturating_sum(values.iter().map(|value| sum_of_counts(value, name)))
        }
        Value::Object(fields) => {
            saturating_sum(fields.iter().map(|(name, value)| sum_of_counts(value, name)))
        }
        Value::Null | Value::Bool(_) | Value::String(_) => Ok(0),
    }
}

fn saturating_sum(
    parts: impl Iterator<Item = Result<u64, Implausible>>,
) -> Result<u64, Implausible> {
    parts.into_iter().try_fold(0u64, |sum, part| Ok(sum.saturating_add(part?)))
}

#[cfg(test)]
mod tests {
    use super::super::{
        html, json,
        program::ProgramRun,
        read,
        report::{Report, ReportTarget},
        text,
    };
    use crate::{
        args::When, color::Paint, project::Project, scratch::ScratchFolder, sources::Sources,
    };
    use serde_json::{Value, json};
    use std::{fs, io, path::Path};
    use warpwise::model::{Gpu, Work};
    use warpwise_compiler::{hardware::occupancy::Multiprocessor, target::Target};

    fn counts() -> Value {
        let sectors = json!({ "requests": 2, "sectors": 16, "ideal": 8 });
        let bulk = json!({ "copies": 1, "bytes": 64, "sectors": 2 });
        let wavefronts = json!({ "requests": 2, "wavefronts": 4, "ideal": 2 });
        json!({
            "warp_instructions": 9, "thread_instructions": 200, "branches": 4,
            "divergent_branches": 1, "shared_loads": wavefronts, "shared_stores": wavefronts,
            "shared_atomics": wavefronts, "constant_loads": wavefronts, "texture_reads": sectors, "local_loads": sectors, "local_stores": sectors, "global_loads": sectors, "global_stores": sectors,
            "global_reductions": sectors, "global_atomics": sectors, "barriers": 1, "atomics": 1,
            "floats": { "half": 1, "single": 64, "double": 1 },
            "bulk_loads": bulk, "bulk_stores": bulk,
            "matrix_products": { "instructions": 4, "multiply_adds": 8192, "shared_bytes": 64 },
        })
    }

    fn launch() -> Value {
        let mut offsets = vec![json!(null); 32];
        offsets[1] = json!(128);
        let access = |space: &str, access: &str| {
            json!({
                "file": "src/main.rs", "line": 3, "column": 5, "memory": "x", "space": space,
                "access": access, "bytes": 4, "requests": 2, "taken": 16, "ideal": 8,
                "worst": {
                    "block": 0, "warp": 0, "active": 2, "taken": 8, "ideal": 4,
                    "offsets": offsets,
                },
            })
        };
        let work: serde_json::Map<String, Value> =
            Work::default().fields().into_iter().map(|(name, _)| (name, json!(7))).collect();
        json!({
            "kind": "launch", "kernel": "k", "generics": "", "grid": [2, 1, 1],
            "block": [64, 1, 1], "shared_memory": 256, "barriers": 1, "total": counts(),
            "active_threads": [[32, 8], [7, 1]],
            "lines": [{
                "file": "src/main.rs", "line": 3, "counts": counts(),
                "active_threads": [[32, 8], [7, 1]],
            }],
            "loops": [{
                "file": "src/main.rs", "line": 4, "column": 1,
                "iterations": [[0, 0, 1], [2, 3, 5]],
            }],
            "accesses": [access("global", "load"), access("shared", "atomic"), access("constant", "load")],
            "work": work,
        })
    }

    /// Calls `visit` with every number and string in `value`, which it may replace.
    fn leaves(value: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
        match value {
            Value::Array(values) => values.iter_mut().for_each(|value| leaves(value, visit)),
            Value::Object(fields) => fields.values_mut().for_each(|value| leaves(value, visit)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => visit(value),
        }
    }

    /// Reads `lines` as a file of records and renders every kind of report; `Err` is the refusal.
    fn report(folder: &Path, lines: &[Value]) -> Result<String, String> {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(folder.join("a.jsonl"), text).unwrap();
        let recorded = read::read_folder(folder).map_err(|fault| fault.to_string())?;
        let project = Project {
            kernels: Vec::new(),
            sources: Sources::new(folder),
            packages: Vec::new(),
            built: true,
        };
        let multiprocessor = Multiprocessor::of(Target::new(90)).unwrap();
        let on = ReportTarget { multiprocessor, gpu: Gpu::of(Target::new(90)) };
        let ran = ProgramRun { recorded, failed: None, ncu: Vec::new() };
        let report = Report::new(ran, &project, folder, on, |_, _| None);
        let paint = Paint::for_stream(When::Never, &io::stdout());
        Ok(text::render(&report, true, paint)
            + &json::render(&report)
            + &html::render(&report, &html::PageHeader::default()))
    }

    #[test]
    fn no_record_makes_a_report_panic() {
        let folder = ScratchFolder::new(
            std::env::temp_dir().join(format!("warpwise-implausible-{}", std::process::id())),
        )
        .unwrap();
        assert!(report(&folder.0, &[launch()]).unwrap().contains("1 launch counted"));
        let mut count = 0;
        leaves(&mut launch(), &mut |_| count += 1);
        let extremes = [
            json!(0),
            json!(1),
            json!(u32::MAX),
            json!(1u64 << 48),
            json!(u64::MAX),
            json!(-1),
            json!(1e300),
            json!("\u{1b}[2J"),
        ];
        let mut refused = 0;
        for place in 0..count {
            for extreme in &extremes {
                let (mut launch, mut at) = (launch(), 0);
                leaves(&mut launch, &mut |leaf| {
                    if at == place {
                        *leaf = extreme.clone();
                    }
                    at += 1;
                });
                // A launch that is repeated is added up.
                let again = json!({ "kind": "again", "launch": 0 });
                let lines = [launch.clone(), again.clone(), again, launch];
                let reported = report(&folder.0, &lines);
                refused += usize::from(reported.is_err());
                assert!(!reported.unwrap_or_default().contains('\u{1b}'));
            }
        }
        assert!(refused > 3 * count, "{refused} of {count} numbers");
        let mut huge = launch();
        huge["block"] = json!([1024, 1024, 1024]);
        assert!(report(&folder.0, &[huge]).unwrap_err().contains("a block that no launch has"));
    }

    #[test]
    fn a_broken_line_is_the_end_of_a_file_or_an_error() {
        let folder = ScratchFolder::new(
            std::env::temp_dir().join(format!("warpwise-broken-{}", std::process::id())),
        )
        .unwrap();
        let file = folder.0.join("a.jsonl");
        fs::write(&file, format!("{}\n{{\"kind\":\"la", launch())).unwrap();
        assert_eq!(read::read_folder(&folder.0).unwrap().kernels.len(), 1);
        for broken in ["{\"kind\":\"la", "{\"kind\":\"launch\"}", "[1, 2]", "x"] {
            fs::write(&file, format!("{broken}\n{}\n", launch())).unwrap();
            let fault = read::read_folder(&folder.0).map(|_| ()).unwrap_err().to_string();
            assert!(fault.contains("a.jsonl:1: this line is no record"), "{fault}");
        }
    }
}
