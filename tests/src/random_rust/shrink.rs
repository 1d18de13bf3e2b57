//! Reduction of kernels on which engines disagree, or that are rejected.
//!
//! It works on text: it removes lines and balanced blocks, and replaces parentheses by one of their
//! parts. All candidates of a round are compiled as one program; those that rustc rejects drop out.
use super::{
    Kernel,
    batch::{Toolchain, compile, run},
};

/// Returns the kind of a failure, without the details that change from one smaller kernel to the
/// next.
fn symptom(said: &str) -> String {
    let line = said.lines().next().unwrap_or_default();
    match line.split_once(": error") {
        Some((_, error)) => {
            error.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect()
        }
        None if line.contains("its fault is") => "fault".into(),
        None if line.contains("does not run") => line.split(": ").skip(1).collect(),
        None => "bits".into(),
    }
}

/// Returns the smallest kernel found with the symptom of `kernel`, which `said` describes.
///
/// # Errors
/// Fails for reasons outside of kernels.
pub fn shrink(toolchain: &Toolchain, kernel: &Kernel, said: &str) -> Result<Kernel, String> {
    let wanted = symptom(said);
    let mut lines: Vec<String> = kernel.source.lines().map(str::to_owned).collect();
    for (_, smaller) in [("lines", without_lines as Candidates), ("parts", without_parts)] {
        for _ in 0..40 {
            let candidates = smaller(&lines);
            match best(toolchain, kernel, candidates, &wanted)? {
                Some(found) => lines = found,
                None => break,
            }
        }
    }
    Ok(with_lines(kernel, &lines))
}

fn with_lines(kernel: &Kernel, lines: &[String]) -> Kernel {
    Kernel { source: lines.join("\n") + "\n", ..kernel.clone() }
}

type Candidates = fn(&[String]) -> Vec<Vec<String>>;

/// Returns the shortest candidate with the symptom, among the first ones that contain such a
/// candidate.
fn best(
    toolchain: &Toolchain,
    kernel: &Kernel,
    candidates: Vec<Vec<String>>,
    wanted: &str,
) -> Result<Option<Vec<String>>, String> {
    for some in candidates.chunks(60) {
        let kernels: Vec<Kernel> = some.iter().map(|lines| with_lines(kernel, lines)).collect();
        let folder = toolchain.folder("shrink");
        let (program, rejected) = compile(toolchain, &folder, &kernels)?;
        let ran = run(&program)?;
        let rejected = rejected.into_iter().map(|(kernel, said)| (kernel.source, said));
        let wrong = ran.wrong().into_iter();
        let wrong = wrong.map(|number| (kernels[number].source.clone(), ran.about(number)));
        let found = rejected.chain(wrong).filter(|(_, said)| symptom(said) == wanted);
        let found = found.map(|(source, _)| source.lines().map(str::to_owned).collect::<Vec<_>>());
        if let Some(found) = found.min_by_key(|lines| lines.iter().map(String::len).sum::<usize>())
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Returns the lines without runs of lines, the longest runs first; braces stay balanced.
fn without_lines(lines: &[String]) -> Vec<Vec<String>> {
    let mut candidates = Vec::new();
    // The last line makes the kernel a case.
    let most = lines.len() - 1;
    for start in 0..most {
        for end in start + 1..=most {
            let run = &lines[start..end];
            let (depth, lowest) = run.iter().fold((0, 0), |(depth, lowest): (i32, i32), line| {
                let line = line.trim();
                let after = depth - i32::from(line.starts_with('}'));
                (after + i32::from(line.ends_with('{')), lowest.min(after))
            });
            if depth == 0 && lowest == 0 {
                candidates.push((end - start, [&lines[..start], &lines[end..]].concat()));
            }
        }
    }
    candidates.sort_by_key(|(removed, _)| std::cmp::Reverse(*removed));
    // Long runs can rarely go, so only a few of each length are tried.
    let mut kept: Vec<(usize, usize, Vec<String>)> = Vec::new();
    for (at, (removed, lines)) in candidates.into_iter().enumerate() {
        let halving = (most / removed.max(1)).ilog2();
        if removed == 1 || at % (1 << (5 - halving.min(5))) == 0 {
            kept.push((removed, at, lines));
        }
    }
    kept.into_iter().map(|(_, _, lines)| lines).collect()
}

/// Returns the lines with a pair of parentheses or braces in an expression replaced by one in it.
fn without_parts(lines: &[String]) -> Vec<Vec<String>> {
    let mut candidates = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let groups = groups(line);
        for &(start, end) in &groups {
            for &(from, to) in groups.iter().filter(|(from, to)| start < *from && *to < end) {
                let mut smaller = lines.to_vec();
                smaller[at] =
                    format!("{}({}){}", &line[..start], &line[from + 1..to - 1], &line[end..]);
                candidates.push(smaller);
            }
        }
    }
    candidates.sort_by_key(|lines| lines.iter().map(String::len).sum::<usize>());
    candidates
}

/// Returns the start and end of each balanced pair of brackets.
fn groups(line: &str) -> Vec<(usize, usize)> {
    let (mut open, mut groups) = (Vec::new(), Vec::new());
    for (at, c) in line.char_indices() {
        match c {
            '(' | '{' | '[' => open.push(at),
            ')' | '}' | ']' => groups.extend(open.pop().map(|start| (start, at + 1))),
            _ => {}
        }
    }
    groups
}
