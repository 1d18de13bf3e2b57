//! Lint helps that name numbers or code are applied to the kernels that they are given for. The
//! lint must then be silent about the place, and no new lint may fire. [`apply_help`] reads helps
//! as a user does: a help that it cannot apply must not be as precise.
use crate::tests::lint_source::{LintedSource, lint_text};
use std::collections::{BTreeMap, BTreeSet};

/// Block sizes of the tested kernels.
const ROW_BLOCKS: [u64; 6] = [32, 64, 128, 256, 512, 1024];
const PLANE_BLOCKS: [[u64; 2]; 6] = [[8, 8], [16, 16], [32, 8], [32, 32], [16, 8], [64, 4]];

/// Lints each kernel, applies each help that can be applied, and lints again. Returns the number of
/// applied helps of each sort.
fn apply_all(kernels: &[String]) -> BTreeMap<&'static str, usize> {
    let mut applied = BTreeMap::new();
    for text in kernels {
        let found = lint_text(text);
        let codes: BTreeSet<&str> = found.iter().map(|found| found.diagnostic.code).collect();
        for finding in &found {
            let help = finding.diagnostic.help.as_deref().unwrap_or_default();
            let Some((sort, fixed)) = apply_help(text, finding) else {
                assert!(!has_numbers(help), "nobody applies this help: {help}\n{text}");
                continue;
            };
            *applied.entry(sort).or_default() += 1;
            let again = lint_text(&fixed);
            let code = finding.diagnostic.code;
            let is_new = |found: &&LintedSource| {
                let (here, about) = (found.diagnostic.code, &found.about);
                here == code && *about == finding.about || !codes.contains(here)
            };
            let left = again.iter().find(is_new).map(|left| &left.diagnostic);
            assert!(left.is_none(), "{help}\n{text}\nbecomes\n{fixed}\nand then\n{left:#?}");
        }
    }
    applied
}

/// Returns true if a help has a number that not every warp has.
fn has_numbers(help: &str) -> bool {
    let words = help.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words
        .into_iter()
        .any(|word| word.parse::<u64>().is_ok_and(|number| ![0, 1, 32].contains(&number)))
}

/// Applies a finding's help to `text`; returns the help's sort with the new text, or `None` if the
/// help names no code to write.
fn apply_help(text: &str, finding: &LintedSource) -> Option<(&'static str, String)> {
    let help = finding.diagnostic.help.as_deref()?;
    let quoted: Vec<&str> = help.split('`').skip(1).step_by(2).collect();
    let array = finding.about.split(['[', '.']).next().unwrap_or_default().trim();
    Some(if let Some(rest) = help.strip_prefix("pad the row: `") {
        ("pad", with_declaration(text, array, rest.split('`').next()?))
    } else if help.starts_with("put a gap of ") {
        let grown = with_declaration(text, array, quoted[0]);
        ("gap", with_index(&grown, array, quoted[2]))
    } else if help.starts_with("swizzle: ") {
        let declared = quoted.iter().find(|code| code.starts_with("shared!"));
        let grown = declared.map_or(text.to_owned(), |code| with_declaration(text, array, code));
        let place = quoted.iter().find(|code| code.contains('^'))?;
        ("swizzle", with_index(&grown, array, place))
    } else if help.starts_with("swizzle the rows: ") {
        ("swizzled rows", with_swizzled_rows(text, array, number_after(help, "row % ")?))
    } else if let Some(elements) = number_after(help, "give this dimension ") {
        let name = finding.diagnostic.message.split('`').nth(1)?;
        ("grow", with_declaration(text, name, &format!("shared!([f32; {elements}])")))
    } else if help.starts_with("make the block wider") {
        let (before, rest) = text.split_once("block = ")?;
        let (_, rest) = rest.split_once(')')?;
        ("widen", format!("{before}{}{rest}", quoted[0]))
    } else if let Some(threads) = number_after(help, "let blocks have ") {
        let (before, rest) = text.split_once("block = ")?;
        let (_, rest) = rest.split_once(')')?;
        ("fill warps", format!("{before}block = {threads}{rest}"))
    } else if help.starts_with("let whole warps take the same side: with ") {
        let condition = finding.about.replace(quoted[1], &format!("({})", quoted[0]));
        ("by warps", text.replacen(&finding.about, &condition, 1))
    } else if let Some((_, place)) = help.split_once("takes element `") {
        let place = place.split('`').next()?;
        ("turns", text.replace("t * 8 + k", place))
    } else if help.starts_with("pad the innermost row of ") {
        let (now, then) = (number_after(help, "instead of ")?, number_after(help, "`: ")?);
        ("longer rows", text.replacen(&format!("; {now}]"), &format!("; {then}]"), 1))
    } else if help.starts_with("pad the elements of ") {
        let more = number_after(help, " to ")? - number_after(help, " from ")?;
        ("longer elements", text.replacen("]);", &format!("], [u8; {more}]);"), 1))
    } else if help.contains("or elements an odd ") {
        let stride = number_after(&finding.about, " * ")?;
        ("odd", text.replace(&format!(" * {stride}"), &format!(" * {}", stride | 1)))
    } else if help.starts_with("let the thread pass a guard first, ") {
        let subtracted = number_after(help, "`if a >= ")?;
        let (statement, rest) = text.split_once("y[i] = ")?;
        let (first, _) = finding.about.rsplit_once(" - ")?;
        ("guard", format!("{statement}if {first} >= {subtracted} {{ y[i] = {rest} }}"))
    } else if let Some((_, call)) = help.split_once("update it with `") {
        let (call, _) = call.split_once('`')?;
        let (before, rest) = text.split_once("y: &mut ")?;
        let (_, after) = rest.split_once(']')?;
        let update = format!("y[b].{}", call.replace("..", "v"));
        let text = format!("{before}y: {}{after}", quoted[1]);
        ("atomic", text.replace(&finding.about, &update))
    } else if help.starts_with("let fewer groups be pending: ") {
        ("fewer groups", text.replacen(&finding.about, quoted[0], 1))
    } else if help.contains("`while warp::any(condition)`") {
        let (before, rest) = text.split_once("while ")?;
        let (condition, rest) = rest.split_once(" {")?;
        ("vote", format!("{before}while warp::any({condition}) {{{rest}"))
    } else {
        return None;
    })
}

/// Returns the number after `before`.
fn number_after(text: &str, before: &str) -> Option<u64> {
    let (_, rest) = text.split_once(before)?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Declares the array `name` as `declaration`.
fn with_declaration(text: &str, name: &str, declaration: &str) -> String {
    let place = format!("let {name} = ");
    let (before, rest) = text.split_once(&place).expect("the array is declared");
    let (_, after) =
        rest.split_once(';').map(|_| rest.split_at(rest.find(");").unwrap() + 1)).unwrap();
    format!("{before}{place}{declaration}{after}")
}

/// Replaces each `name[i]` by `place`, the place of element `i`.
fn with_index(text: &str, name: &str, place: &str) -> String {
    let (_, place) = place.split_once('[').expect("it is an index");
    let place = place.trim_end_matches(']');
    replace_indices(text, name, |index| {
        let words = place.split(' ').map(|word| match word {
            "i" => format!("({index})"),
            other => other.to_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    })
}

/// Replaces the column in each `name[row][column]` by `column ^ row % units`.
fn with_swizzled_rows(text: &str, name: &str, units: u64) -> String {
    let mut found = String::new();
    let mut rest = text;
    let begin = format!("{name}[");
    while let Some(at) = rest.find(&begin) {
        let (before, after) = rest.split_at(at + begin.len());
        let row = text_in_brackets(after);
        let column = text_in_brackets(&after[row.len() + 2..]);
        found += &format!("{before}{row}][({column}) ^ ({row}) % {units}]");
        rest = &after[row.len() + column.len() + 3..];
    }
    found + rest
}

/// Replaces the index of each `name[index]`.
fn replace_indices(text: &str, name: &str, index: impl Fn(&str) -> String) -> String {
    let begin = format!("{name}[");
    let mut found = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(&begin) {
        let (before, after) = rest.split_at(at + begin.len());
        let inner = text_in_brackets(after);
        found += &format!("{before}{}", index(inner));
        rest = &after[inner.len()..];
    }
    found + rest
}

/// Returns the text before the closing bracket.
fn text_in_brackets(text: &str) -> &str {
    let mut depth = 0;
    let end = text.find(|c: char| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        depth < 0
    });
    &text[..end.expect("it is closed")]
}

#[test]
fn layouts_that_helps_name_free_arrays_of_conflicts() {
    let mut kernels = Vec::new();
    for of in ["f32", "f64", "u32"] {
        for (block, stride) in
            ROW_BLOCKS.iter().flat_map(|&block| [2, 4, 8, 16, 32].map(|by| (block, by)))
        {
            let len = block * stride;
            if len * if of == "f64" { 8 } else { 4 } > 48 << 10 {
                continue;
            }
            let last = block - 1;
            kernels.push(format!(
                "#[kernel(block = {block})] fn k(x: &[{of}], y: &mut [{of}]) {{
                    let s = shared!([{of}; {len}]);
                    let (i, t) = (global_idx_x(), thread_idx_x());
                    s[t * {stride}] = x[i];
                    sync_threads();
                    y[i] = s[({last} - t) * {stride}];
                }}"
            ));
        }
        for [x, y] in PLANE_BLOCKS {
            let side = x.max(y);
            kernels.push(format!(
                "#[kernel(block = ({x}, {y}))] fn k(n: usize, x: &[{of}], y: &mut [{of}]) {{
                    let s = shared!([[{of}; {side}]; {side}]);
                    let (tx, ty) = (thread_idx_x(), thread_idx_y());
                    let column = block_idx_x() * {side} + tx;
                    for j in (0..{side}).step_by({y}) {{
                        s[ty + j][tx] = x[(block_idx_y() * {side} + ty + j) * n + column];
                    }}
                    sync_threads();
                    for j in (0..{side}).step_by({y}) {{
                        y[(block_idx_x() * {side} + ty + j) * n + block_idx_y() * {side} + tx] = s[tx][ty + j];
                    }}
                }}"
            ));
            kernels.push(format!(
                "#[kernel(block = ({x}, {y}))] fn k(n: usize, x: &[{of}], y: &mut [{of}]) {{
                    let s = shared!([{of}; {}]);
                    let (tx, ty) = (thread_idx_x(), thread_idx_y());
                    s[tx * {y} + ty] = x[global_idx_y() * n + global_idx_x()];
                    sync_threads();
                    y[global_idx_y() * n + global_idx_x()] = s[tx * {y} + ty];
                }}",
                x * y
            ));
        }
    }
    let applied = apply_all(&kernels);
    for sort in ["pad", "gap", "swizzled rows"] {
        assert!(applied.get(sort).is_some_and(|&count| count >= 3), "{sort}: {applied:?}");
    }
}

#[test]
fn rows_and_elements_that_helps_name_free_arrays_of_conflicts() {
    let mut kernels = vec![
        "#[kernel(block = 128)] fn k(x: &[f32], y: &mut [f32]) {
            let s = shared!([[[f32; 32]; 32]; 4]);
            let (t, w) = (thread_idx_x() % 32, thread_idx_x() / 32);
            for r in 0..32 { s[w][r][t] = x[global_idx_x() + r * 4096]; }
            sync_threads();
            for r in 0..32 { y[global_idx_x() + r * 4096] = s[w][t][r]; }
        }"
        .to_owned(),
    ];
    for (of, stride) in [("f32", 6), ("f64", 10), ("u32", 12), ("f64", 14)] {
        kernels.push(format!(
            "#[kernel(block = 64)] fn k(x: &[{of}], y: &mut [{of}]) {{
                let s = shared!([{of}; 1024]);
                let (i, t) = (global_idx_x(), thread_idx_x());
                s[t * {stride}] = x[i];
                sync_threads();
                y[i] = s[(63 - t) * {stride}];
            }}"
        ));
    }
    for align in [4, 8, 64] {
        kernels.push(format!(
            "#[repr(align({align}))] #[device] struct Q([f32; 16]);
            #[kernel(block = 64)] fn k(x: &[f32], y: &mut [f32]) {{
                let s = shared!([Q; 64]);
                for r in 0..16 {{ s[thread_idx_x()].0[r] = x[r * 4096 + global_idx_x()]; }}
                sync_threads();
                for r in 0..16 {{ y[r * 4096 + global_idx_x()] = s[63 - thread_idx_x()].0[r]; }}
            }}"
        ));
    }
    let applied = apply_all(&kernels);
    // An element that is aligned to 64 bytes cannot be padded to 68.
    let expected = [("longer elements", 2), ("longer rows", 1), ("odd", 8)];
    assert_eq!(applied, BTreeMap::from(expected));
}

#[test]
fn guards_that_helps_name_keep_indices_positive() {
    let indices = ["i - 3", "i / 2 - 3", "i * 4 - 1", "i % 16 - 9"];
    let kernels = indices.map(|index| {
        format!(
            "#[kernel(block = 64)] fn k(x: &[f32], y: &mut [f32]) {{
                let i = global_idx_x();
                y[i] = x[{index}];
            }}"
        )
    });
    assert_eq!(apply_all(&kernels), BTreeMap::from([("guard", indices.len())]));
}

#[test]
fn atomic_operations_that_helps_name_exist_and_do_what_the_update_does() {
    let updates = [
        ("u32", "y[b] += v", "AtomicU32", "`fetch_add(.., Ordering::Relaxed)`"),
        ("u32", "y[b] = v + y[b]", "AtomicU32", "`fetch_add(.., Ordering::Relaxed)`"),
        ("u64", "y[b] -= v", "AtomicU64", "`fetch_sub(.., Ordering::Relaxed)`"),
        ("i64", "y[b] |= v", "AtomicI64", "`fetch_or(.., Ordering::Relaxed)`"),
        ("i32", "y[b] &= v", "AtomicI32", "`fetch_and(.., Ordering::Relaxed)`"),
        ("u32", "y[b] ^= v", "AtomicU32", "`fetch_xor(.., Ordering::Relaxed)`"),
        ("i32", "y[b] = y[b].min(v)", "AtomicI32", "`fetch_min(.., Ordering::Relaxed)`"),
        ("f32", "y[b] = v.max(y[b])", "AtomicF32", "`fetch_max(.., Ordering::Relaxed)`"),
        ("f32", "y[b] -= v", "AtomicF32", "`fetch_add(-.., Ordering::Relaxed)`"),
        ("f64", "y[b] += v * v", "AtomicF64", "`fetch_add(.., Ordering::Relaxed)`"),
        ("f64", "y[b] -= v * v", "AtomicF64", "`fetch_add(-.., Ordering::Relaxed)`"),
        ("u32", "y[b] = v - y[b]", "AtomicU32", "a loop of `compare_exchange(..)`"),
        ("i64", "y[b] = y[b] * 2 + v", "AtomicI64", "a loop of `compare_exchange(..)`"),
        ("u32", "y[b] *= v", "AtomicU32", "a loop of `compare_exchange(..)`"),
        ("u32", "y[b] = y[b] << v", "AtomicU32", "a loop of `compare_exchange(..)`"),
    ];
    let kernel = |of: &str, update: &str| {
        format!(
            "#[kernel(block = 64)] fn k(x: &[u32], values: &[{of}], y: &mut [{of}]) {{
                let v = values[global_idx_x()];
                let b = x[global_idx_x()] as usize;
                {update};
            }}"
        )
    };
    for (of, update, atomic, call) in updates {
        let text = kernel(of, update);
        let helps = lint_text(&text).into_iter().map(|found| found.diagnostic.help.unwrap());
        let expected = format!("make `y` `&[{atomic}]` and update it with {call}");
        assert_eq!(helps.collect::<Vec<_>>(), [expected], "{update}");
        apply_all(&[text]);
    }
    let help = lint_text(&kernel("f32", "y[b] *= v"))[0].diagnostic.help.clone();
    let expected =
        "make `y` `&[AtomicU32]`, of its bits, and update it with a loop of `compare_exchange(..)`";
    assert_eq!(help.as_deref(), Some(expected));
}

#[test]
fn functions_of_the_library_are_moved_as_a_whole() {
    let text = "#[kernel(block = 64)] fn k(x: &[f32], y: &mut [f32]) {
        let t = thread_idx_x();
        if t < 20 {
            sync_threads();
            y[t] = 1.0;
        } else {
            y[t] = block::reduce_add(x[t]);
        }
    }";
    let found = lint_text(text).into_iter().map(|found| found.diagnostic);
    let help =
        found.filter(|found| found.code == "gpu_mismatched_barriers").map(|found| found.help);
    let expected = "let all threads of the block make the same calls: after the `if`, with values that its arms choose";
    assert_eq!(help.collect::<Vec<_>>(), [Some(expected.to_owned())]);
    // Users cannot change the library's arrays.
    assert!(lint_text(text).iter().all(|found| found.diagnostic.code != "gpu_uninit_shared_reads"));
}

#[test]
fn array_lengths_that_helps_name_are_enough() {
    let kernels = ROW_BLOCKS.iter().filter(|&&block| block < 1024).flat_map(|&block| {
        [1, 8, block].map(|more| {
            format!(
                "#[kernel(block = {block})] fn k(x: &[f32], y: &mut [f32]) {{
                    let s = shared!([f32; {block}]);
                    let (i, t) = (global_idx_x(), thread_idx_x());
                    s[t] = x[i];
                    s[t + {more}] = x[i];
                    sync_threads();
                    y[i] = s[t];
                }}"
            )
        })
    });
    // A race on each other's elements is another fault, which a longer array does not fix.
    let kernels: Vec<String> = kernels.collect();
    let applied = apply_all(&kernels);
    assert_eq!(applied.get("grow"), Some(&kernels.len()), "{applied:?}");
}

#[test]
fn arrays_that_no_block_can_have_are_not_asked_for() {
    let text = "#[kernel(block = 64)] fn k(y: &mut [f32]) {
        let s = shared!([f32; 64]);
        s[thread_idx_x() * 4294967295 / 63] = 1.0;
        sync_threads();
        y[global_idx_x()] = s[thread_idx_x()];
    }";
    let found = lint_text(text);
    let index = found.iter().find(|found| found.diagnostic.code == "gpu_out_of_bounds_shared");
    let help = index.and_then(|found| found.diagnostic.help.clone());
    let expected = "keep the index below 64, as by a condition around the access";
    assert_eq!(help.as_deref(), Some(expected));
}

#[test]
fn blocks_and_orders_that_helps_name_waste_nothing() {
    let mut kernels = Vec::new();
    for [x, y] in [[4, 64], [2, 128], [4, 8], [4, 16]] {
        for pitch in [1024, 1000, 1001] {
            kernels.push(format!(
                "#[kernel(block = ({x}, {y}))] fn k(x: &[f32], y: &mut [f32]) {{
                    let at = global_idx_y() * {pitch} + global_idx_x();
                    y[at] = x[at];
                }}"
            ));
        }
    }
    for block in ROW_BLOCKS {
        kernels.push(format!(
            "#[kernel(block = {block})] fn k(x: &[f32], y: &mut [f32]) {{
                let t = thread_idx_x();
                let start = block_idx_x() * {};
                for k in 0..8 {{ y[start + t * 8 + k] = x[start + t * 8 + k]; }}
            }}",
            block * 8
        ));
    }
    for block in [1, 7, 20, 31, 33, 100, 1000] {
        kernels.push(format!(
            "#[kernel(block = ({block}))] fn k(y: &mut [f32]) {{ y[global_idx_x()] = 1.0; }}"
        ));
    }
    let applied = apply_all(&kernels);
    for sort in ["widen", "turns", "fill warps"] {
        assert!(applied.get(sort).is_some_and(|&count| count >= 6), "{sort}: {applied:?}");
    }
}

#[test]
fn waits_that_helps_name_cover_the_copies() {
    let kernels = (1..=4).map(|groups| {
        let copy = |group: u32| {
            let i = format!("t + {group} * 64");
            format!("async_copy::copy(&mut s[{i}], &x[{i}]); async_copy::commit();\n")
        };
        let copies: String = (0..groups).map(copy).collect();
        format!(
            "#[kernel(block = 64)] fn k(x: &[f32], y: &mut [f32]) {{
                let s = shared!([f32; 256]);
                let t = thread_idx_x();
                {copies}
                async_copy::wait::<{groups}>();
                y[t] = s[t];
                async_copy::wait_all();
            }}"
        )
    });
    let applied = apply_all(&kernels.collect::<Vec<_>>());
    assert_eq!(applied["fewer groups"], 4);
}

#[test]
fn conditions_that_helps_name_keep_warps_together() {
    let mut kernels = Vec::new();
    for block in ROW_BLOCKS.iter().filter(|&&block| block > 32) {
        kernels.push(format!(
            "#[kernel(block = {block})] fn k(n: usize, x: &[f32], y: &mut [f32]) {{
                let (i, t) = (global_idx_x(), thread_idx_x());
                let mut v = x[i];
                if thread_idx_x() % 2 == 0 {{
                    for j in 0..n {{ v = v * x[j] + 1.0; }}
                }} else {{
                    for j in 0..n {{ v = v - x[j] * 3.0; }}
                }}
                y[i] = v + t as f32;
            }}"
        ));
        kernels.push(format!(
            "#[kernel(block = {block})] fn k(x: &[f32], y: &mut [u32]) {{
                let i = global_idx_x();
                let mut v = x[i];
                let mut rounds = 0;
                while v < 100.0 {{
                    if warp::any(v > 50.0) {{ rounds += 1; }}
                    v = v + 1.0;
                }}
                y[i] = rounds;
            }}"
        ));
    }
    let applied = apply_all(&kernels);
    for sort in ["by warps", "vote"] {
        assert!(applied.get(sort).is_some_and(|&count| count >= 3), "{sort}: {applied:?}");
    }
}

#[test]
fn a_transpose_is_told_to_use_a_tile_and_swapped_axes_to_be_swapped() {
    let said = |body: &str| {
        let text = format!(
            "#[kernel(block = (32, 8))] fn k(w: usize, h: usize, x: &[f32], y: &mut [f32]) {{
                let (a, b) = (global_idx_x(), global_idx_y());
                {body}
            }}"
        );
        let found = lint_text(&text).into_iter().map(|found| found.diagnostic);
        let found = found.filter(|found| found.code == "gpu_swapped_axes");
        found.map(|found| (found.message, found.help.unwrap_or_default())).collect::<Vec<_>>()
    };
    for (message, help) in said("y[a * h + b] = x[b * w + a];") {
        assert!(
            !message.contains("swapped") && help.contains("tile in shared memory"),
            "{message}: {help}"
        );
    }
    assert_eq!(said("y[a * h + b] = x[b * w + a];").len(), 1);
    let swapped = said("y[a * h + b] = x[a * h + b];");
    assert_eq!(swapped.len(), 2);
    assert!(swapped.iter().all(|(message, _)| message.starts_with("the axes are swapped")));
    assert_eq!(said("y[b * h + a] = x[b * h + a];"), []);
}
