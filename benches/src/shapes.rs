//! Kernels of any number of lines, as text, which show how compile time grows with each construct.
//!
//! A shape repeats one construct, each time with other numbers. Long kernels consist of simple
//! ones; adversarial ones are chosen to be slow in some algorithm of the macro, the analyses or the
//! optimizer.

/// A construct that a kernel repeats.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Its name in the table.
    pub name: &'static str,
    /// The source of a kernel and its items, with about this many lines; attributes are at the
    /// start of lines.
    pub source: fn(usize) -> String,
}

/// All shapes.
pub const SHAPES: &[Shape] = &[
    Shape { name: "arithmetic", source: arithmetic },
    Shape { name: "variables", source: variables },
    Shape { name: "indices of squares of squares", source: squares },
    Shape { name: "sum of terms", source: sum },
    Shape { name: "stores at i * 3 + j, which race", source: racy_stores },
    Shape { name: "stores at i * 1000 + j", source: stores },
    Shape { name: "stores at i * 1000 + j, any block", source: stores_in_any_block },
    Shape { name: "loads and stores, guarded", source: guarded },
    Shape { name: "rounds of barriers", source: rounds },
    Shape { name: "rounds of barriers, any block", source: rounds_in_any_block },
    Shape { name: "barriers, indices of data", source: unknown_rounds },
    Shape { name: "shared arrays", source: shared_arrays },
    Shape { name: "shared atomics", source: shared_atomics },
    Shape { name: "global atomics", source: global_atomics },
    Shape { name: "warp operations", source: warp_operations },
    Shape { name: "ifs", source: ifs },
    Shape { name: "early returns", source: early_returns },
    Shape { name: "else ifs with stores", source: else_ifs },
    Shape { name: "match", source: matches },
    Shape { name: "loops, one after the other", source: loops },
    Shape { name: "loops, nested by five", source: nested_loops },
    Shape { name: "loops over shared memory", source: shared_loops },
    Shape { name: "one loop of many variables", source: wide_loop },
    Shape { name: "one loop, nested once a line", source: deep_loop },
    Shape { name: "checks under `requires`", source: contract },
    Shape { name: "checks of two-dimensional indices", source: stencil },
    Shape { name: "device functions", source: functions },
    Shape { name: "device functions, chains of 90", source: device_chains },
    Shape { name: "device functions, one chain", source: device_chain },
    Shape { name: "methods of traits", source: methods },
    Shape { name: "calls of a `macro_rules!`", source: macro_calls },
    Shape { name: "calls of one device function", source: calls },
    Shape { name: "mathematical functions of `f32`", source: math },
    Shape { name: "closures", source: closures },
    Shape { name: "iterators", source: iterators },
    Shape { name: "chain of generic types", source: generics },
    Shape { name: "tuple aliases, each of two of the last, 1 in 50 lines", source: tuple_aliases },
    Shape { name: "fields", source: fields },
    Shape { name: "constants", source: constants },
    Shape { name: "array literal, 50 elements a line", source: array_literal },
    Shape { name: "mixed (`benches/src/long_kernel.rs`)", source: mixed },
];

/// Returns `lines` lines, each from `line` with its number.
fn repeat(lines: usize, line: impl Fn(usize) -> String) -> String {
    (0..lines).map(|number| line(number) + "\n").collect()
}

/// Returns a kernel on vectors, with these lines in it.
fn kernel(body: &str) -> String {
    format!(
        "#[kernel(block = 256)]
pub fn shape(n: usize, x: &[f32], y: &mut [f32]) {{
    let t = thread_idx_x();
    let i = global_idx_x();
    let mut sum = x[i];
{body}    y[i] = sum;
}}
"
    )
}

fn arithmetic(lines: usize) -> String {
    let body = repeat(lines, |k| {
        let last = if k == 0 { "sum".to_owned() } else { format!("a{}", k - 1) };
        format!("    let a{k} = {last} * {k}.5 + x[t] / ({last} - {k}.25);")
    });
    kernel(&format!("{body}    sum = a{};\n", lines - 1))
}

fn variables(lines: usize) -> String {
    let half = lines / 2;
    kernel(&format!(
        "{}{}",
        repeat(half, |k| format!("    let mut v{k} = i + {k};")),
        repeat(half, |k| format!("    v{k} = v{} * 3 + v{k} % 7;", (k * 7) % half)),
    ))
}

fn squares(lines: usize) -> String {
    let body = repeat(lines / 2, |k| {
        let last = if k == 0 { "t as u32".to_owned() } else { format!("a{}", k - 1) };
        format!("    let a{k} = {{ let b = {last}; b * b + {k} }};\n    sum += x[a{k} as usize];")
    });
    kernel(&body)
}

fn sum(lines: usize) -> String {
    kernel(&format!(
        "    sum = 0.0\n{}    ;\n",
        repeat(lines, |k| format!("        + sum * {k}.5"))
    ))
}

fn racy_stores(lines: usize) -> String {
    kernel(&repeat(lines, |k| format!("    y[i * 3 + {k}] = sum;")))
        .replace("block = 256", "block = 256, allow(gpu_global_races)")
}

fn stores(lines: usize) -> String {
    kernel(&repeat(lines, |k| format!("    y[i * 1000 + {k}] = sum;")))
}

fn stores_in_any_block(lines: usize) -> String {
    stores(lines).replace("(block = 256)", "")
}

fn guarded(lines: usize) -> String {
    kernel(&repeat(lines / 3, |k| {
        format!(
            "    if i + {k} < y.len() && i < x.len() {{\n        y[i + {k}] = x[i] + {k}.0;\n    }}"
        )
    }))
    .replace("block = 256", "block = 256, allow(gpu_global_races)")
}

fn rounds(lines: usize) -> String {
    let body = repeat(lines / 4, |k| {
        let (c, d) = (2 * k + 3, 5 * k + 1);
        format!(
            "    s[(t * {c} + {d}) % 1024] = sum;\n    sync_threads();\n    \
             sum += s[(t * {d} + {c}) % 1024];\n    sync_threads();"
        )
    });
    kernel(&format!("    let s = shared!([f32; 1024]);\n{body}"))
}

fn rounds_in_any_block(lines: usize) -> String {
    rounds(lines).replace("(block = 256)", "")
}

fn unknown_rounds(lines: usize) -> String {
    let body = repeat(lines / 4, |k| {
        format!(
            "    s[(sum as usize + {k}) % 1024] = sum;\n    sync_threads();\n    \
             sum += s[(n * t + {k}) % 1024];\n    sync_threads();"
        )
    });
    kernel(&format!("    let s = shared!([f32; 1024]);\n{body}"))
}

fn shared_arrays(lines: usize) -> String {
    let third = lines / 3;
    let body = repeat(third, |k| {
        format!("    let s{k} = shared!([u8; 32]);\n    s{k}[t % 32] = {};", k % 256)
    }) + "    sync_threads();\n"
        + &repeat(third, |k| format!("    sum += s{k}[(t + 1) % 32] as f32;"));
    kernel(&body).replace("block = 256", "block = 32")
}

fn shared_atomics(lines: usize) -> String {
    let body =
        repeat(lines, |k| format!("    bins[(t * {k}) % 256].fetch_add({k}, Ordering::Relaxed);"));
    kernel(&format!("    let bins = shared!([AtomicU32; 256]);\n{body}"))
}

fn global_atomics(lines: usize) -> String {
    let body = repeat(lines, |k| {
        format!("    bins[(i * {k}) % bins.len()].fetch_add({k}, Ordering::Relaxed);")
    });
    kernel(&body).replace("n: usize", "bins: &[AtomicU32]")
}

fn warp_operations(lines: usize) -> String {
    kernel(&repeat(lines, |k| format!("    sum += warp::shfl_xor(sum, {});", 1 + k % 31)))
}

fn ifs(lines: usize) -> String {
    kernel(&repeat(lines / 3, |k| format!("    if x[t] > {k}.5 {{\n        sum += {k}.0;\n    }}")))
}

fn early_returns(lines: usize) -> String {
    kernel(&repeat(lines / 3, |k| {
        format!("    if x[i % 64] < {k}.5 {{\n        y[i] = {k}.0;\n        return;\n    }}")
    }))
}

fn else_ifs(lines: usize) -> String {
    let arms = repeat(lines / 2, |k| format!("    }} else if n == {k} {{\n        y[i] = {k}.0;"));
    kernel(&format!("    if t > 9 {{\n        sum = 1.0;\n{arms}    }}\n"))
}

fn matches(lines: usize) -> String {
    let arms = repeat(lines, |k| format!("        {k} => sum * {k}.0,"));
    kernel(&format!("    sum = match n {{\n{arms}        _ => sum,\n    }};\n"))
}

fn loops(lines: usize) -> String {
    kernel(&repeat(lines / 3, |k| {
        format!("    for j in 0..n + {k} {{\n        sum += x[j * {k} % 512];\n    }}")
    }))
}

fn nested_loops(lines: usize) -> String {
    kernel(&repeat(lines / 11, |k| {
        format!(
            "    for a in 0..n {{\n    for b in 0..a {{\n    for c in 0..8 {{\n    for d in 0..c + {k} {{\n    \
             for e in (t..n).step_by(32) {{\n        sum += x[(a * n + b) * 8 + c * d + e];\n    }}\n    }}\n    }}\n    \
             }}\n    }}"
        )
    }))
}

fn shared_loops(lines: usize) -> String {
    let body = repeat(lines / 7, |k| {
        format!(
            "    s[t] = sum;\n    sync_threads();\n    for j in 0..256 {{\n        \
             sum += s[j] * {k}.0;\n        sum -= s[(j + {k}) % 256];\n    }}\n    sync_threads();"
        )
    });
    kernel(&format!("    let s = shared!([f32; 256]);\n{body}"))
}

fn wide_loop(lines: usize) -> String {
    let half = lines / 2;
    kernel(&format!(
        "{}    while sum > 1.0 {{\n        sum -= x[v0 % 64];\n{}    }}\n",
        repeat(half, |k| format!("    let mut v{k} = i + {k};")),
        repeat(half, |k| format!("        v{k} = v{} + {k};", (k + 1) % half)),
    ))
}

/// Returns a loop nest, no deeper than the macro accepts.
fn deep_loop(lines: usize) -> String {
    let depth = (lines / 3).min(60);
    kernel(&format!(
        "{}        sum += 1.0;\n{}",
        repeat(depth, |k| format!(
            "    for j{k} in 0..n {{\n        sum += x[(j{k} * n + t) % 64];"
        )),
        repeat(depth, |_| "    }".to_owned()),
    ))
}

fn contract(lines: usize) -> String {
    let body = repeat(lines / 3, |k| {
        format!(
            "    if row < n && column + {k} < n {{\n        \
             sum += x[row * n + column + {k}];\n    }}"
        )
    });
    kernel(&format!("    let row = i / 64;\n    let column = i % 64;\n{body}")).replace(
        "block = 256",
        "block = 256, requires(n * n <= x.len(), n * n <= y.len(), grid_dim_x() * block_dim_x() <= n)",
    )
}

fn stencil(lines: usize) -> String {
    kernel(&repeat(lines / 6, |k| {
        let (plane, row) = (k + 1, k + 2);
        format!(
            "    let z{k} = i / (n * {plane});\n    let r{k} = i % (n * {plane}) / {row};\n    \
             if z{k} > 0 && z{k} < n && r{k} > 0 && r{k} < n {{\n        \
             sum += x[(z{k} - 1) * n + r{k} - 1];\n        y[z{k} * n + r{k}] = sum;\n    }}"
        )
    }))
    .replace("block = 256", "block = 256, requires(n * n <= x.len(), n * n <= y.len())")
}

fn functions(lines: usize) -> String {
    let half = lines / 2;
    let functions = repeat(half, |k| format!("#[device]\nfn f{k}(a: f32) -> f32 {{ a * {k}.5 }}"));
    functions + &kernel(&repeat(half, |k| format!("    sum = f{k}(sum);")))
}

/// Returns functions each of which calls the one before, except each one whose number is a multiple
/// of `length`.
fn chains(lines: usize, length: usize) -> String {
    let count = lines / 2;
    let functions = repeat(count, |k| {
        let inner =
            if k.is_multiple_of(length) { "a".to_owned() } else { format!("f{}(a)", k - 1) };
        format!("#[device]\nfn f{k}(a: f32) -> f32 {{ {inner} * {k}.5 + a }}")
    });
    let last = (0..count).filter(|k| (k + 1).is_multiple_of(length) || k + 1 == count);
    let calls: String = last.map(|k| format!("    sum = f{k}(sum);\n")).collect();
    functions + &kernel(&calls)
}

fn device_chains(lines: usize) -> String {
    chains(lines, 90)
}

/// Returns one chain of functions, which is an error if it is longer than the permitted nesting.
fn device_chain(lines: usize) -> String {
    chains(lines, lines)
}

fn methods(lines: usize) -> String {
    let of_trait = "#[device]\npub trait Step: Copy {\n    fn step(self, by: f32) -> f32;\n}\n\
                    #[device]\nimpl Step for f32 {\n    fn step(self, by: f32) -> f32 {\n        \
                    self * by\n    }\n}\n";
    let body = repeat(lines, |k| format!("    sum = sum.step({k}.5);"));
    of_trait.to_owned() + &kernel(&body)
}

fn macro_calls(lines: usize) -> String {
    let rules = "macro_rules! step {\n    ($a:expr, $b:expr) => {\n        $a * $b\n    };\n}\n";
    rules.to_owned() + &kernel(&repeat(lines, |k| format!("    sum = step!(sum, {k}.5);")))
}

fn calls(lines: usize) -> String {
    let body = repeat(lines, |k| format!("    sum = step(sum, {k}.5);"));
    let function = "#[device]\nfn step(a: f32, b: f32) -> f32 {\n    \
                    if a > b { a - b } else { a * b }\n}\n";
    function.to_owned() + &kernel(&body)
}

fn math(lines: usize) -> String {
    const FUNCTIONS: [&str; 4] = ["sin", "exp", "ln", "sqrt"];
    kernel(&repeat(lines, |k| format!("    sum += (sum * {k}.5).{}();", FUNCTIONS[k % 4])))
}

fn closures(lines: usize) -> String {
    kernel(&repeat(lines / 2, |k| {
        format!("    let f{k} = |a: f32| a * sum + {k}.5;\n    sum = f{k}(sum);")
    }))
}

fn iterators(lines: usize) -> String {
    kernel(&repeat(lines, |k| {
        format!("    sum += x.iter().skip({k}).step_by(2).map(|v| v * {k}.5).sum::<f32>();")
    }))
}

/// Returns a chain of generic types, no longer than rustc accepts.
fn generics(lines: usize) -> String {
    let depth = (lines / 2).min(100);
    let aliases = repeat(depth, |k| {
        let inner = if k == 0 { "f32".to_owned() } else { format!("W{}", k - 1) };
        format!("#[device]\ntype W{k} = Wrap<{inner}>;")
    });
    let values = repeat(depth, |k| {
        let inner = if k == 0 { "sum".to_owned() } else { format!("w{}", k - 1) };
        format!("    let w{k}: W{k} = Wrap {{ inner: {inner} }};")
    });
    let traits = "#[device]\npub trait Step: Copy {\n    fn step(self) -> f32;\n}\n\
                  #[device]\nimpl Step for f32 {\n    fn step(self) -> f32 {\n        self\n    }\n}\n\
                  #[device]\n#[derive(Clone, Copy)]\npub struct Wrap<T: Step> {\n    inner: T,\n}\n\
                  #[device]\nimpl<T: Step> Step for Wrap<T> {\n    \
                  fn step(self) -> f32 {\n        self.inner.step() + 1.0\n    }\n}\n";
    format!("{traits}{aliases}{}", kernel(&format!("{values}    sum = w{}.step();\n", depth - 1)))
}

/// Returns one alias per 50 lines, so that rustc can compile the plain function; 1000 lines have a
/// million parts, which is an error.
fn tuple_aliases(lines: usize) -> String {
    let depth = lines / 50;
    let aliases = repeat(depth, |k| {
        let inner = if k == 0 { "f32".to_owned() } else { format!("P{}", k - 1) };
        format!("#[device]\ntype P{k} = ({inner}, {inner});")
    });
    let last = depth - 1;
    let body = format!(
        "    let none: Option<P{last}> = None;\n    if none.is_some() {{\n        sum = 1.0;\n    }}\n"
    );
    aliases + &kernel(&body)
}

fn fields(lines: usize) -> String {
    let third = lines / 3;
    format!(
        "#[device]\n#[derive(Clone, Copy)]\npub struct Wide {{\n{}}}\n{}",
        repeat(third, |k| format!("    pub f{k}: f32,")),
        kernel(&format!(
            "    let mut wide = Wide {{\n{}    }};\n{}    sum = wide.f0;\n",
            repeat(third, |k| format!("        f{k}: sum,")),
            repeat(third, |k| format!("    wide.f{k} = wide.f{} * 2.0;", (k + 1) % third)),
        ))
    )
}

fn constants(lines: usize) -> String {
    let half = lines / 2;
    let constants = repeat(half, |k| {
        let last = if k == 0 { "1".to_owned() } else { format!("C{}", k - 1) };
        format!("#[device]\nconst C{k}: usize = {last} + {k};")
    });
    constants + &kernel(&repeat(half, |k| format!("    sum += x[C{k} % 64];")))
}

fn array_literal(lines: usize) -> String {
    let elements = repeat(lines, |k| {
        let numbers: Vec<_> = (0..50).map(|j| format!("{}.5", k * 50 + j)).collect();
        format!("        {},", numbers.join(", "))
    });
    kernel(&format!("    let table = [\n{elements}    ];\n    sum = table[n];\n"))
}

fn mixed(lines: usize) -> String {
    crate::long_kernel::long_kernel(lines)
}
