//! The project's own kernels with mistakes in them: tokens that are missing, doubled, swapped, or of other kernels.
//!
//! What a macro makes of such code is an error or a kernel, in a few seconds: never a panic, a crash of rustc, or an
//! error that blames Warpwise. `docs/testing.md` has the command for a million of them. Cases run in child processes,
//! since a stack that overflows ends its process; a case depends on its seed alone.
use crate::{
    attr, device, kernel,
    output::embed,
    tests::{
        Source,
        fuzz::{Mutator, groups, size},
    },
};
use proc_macro2::{Group, Literal, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use std::{
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use syn::{Item, ItemFn, Meta};

/// The longest that a case may take: one that takes longer is reported.
const MAX_CASE_TIME: Duration = Duration::from_secs(5);

/// How long a process may be silent until it is ended.
const MAX_SILENCE: Duration = Duration::from_secs(60);

/// Seeds that a child process has to run, as `first..end/step`.
const CHILD_SEEDS: &str = "WARPWISE_MUTATED_SEEDS";

/// A folder for what is accepted, so that rustc can judge it: `tests/src/bin/judge_accepted.rs`.
const ACCEPTED: &str = "WARPWISE_MUTATED_ACCEPTED";

/// Where a child process writes the seed at hand.
const CHILD_PROGRESS: &str = "WARPWISE_MUTATED_PROGRESS";

#[test]
fn fuzz_mutated_kernels() {
    if let Ok(seeds) = env::var(CHILD_SEEDS) {
        run_child(&seeds);
        return;
    }
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let cases = number("WARPWISE_MUTATED").unwrap_or(100);
    let first = number("WARPWISE_MUTATED_FIRST").unwrap_or_default();
    let processes = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let processes = processes.min(cases.div_ceil(50));
    let workers: Vec<_> = (0..processes)
        .map(|worker| {
            std::thread::spawn(move || supervise(first + worker, first + cases, processes))
        })
        .collect();
    let failures: Vec<String> =
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect();
    assert!(failures.is_empty(), "{} of {cases} cases:\n{}", failures.len(), failures.join("\n"));
}

/// Runs seeds in child processes, one after the other dies; returns what was wrong.
fn supervise(first: u64, end: u64, step: u64) -> Vec<String> {
    let folder = env::temp_dir().join(format!("warpwise-mutated-{}-{first}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let progress = folder.join("progress");
    let mut failures = Vec::new();
    let mut next = first;
    while next < end {
        fs::write(&progress, next.to_string()).unwrap();
        let output = fs::File::create(folder.join("output")).unwrap();
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["fuzz::mutated::fuzz_mutated_kernels", "--exact", "--nocapture"])
            .env(CHILD_SEEDS, format!("{next}..{end}/{step}"))
            .env(CHILD_PROGRESS, &progress)
            .stdout(output)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let how = wait(&mut child, &progress);
        let text = fs::read_to_string(folder.join("output")).unwrap_or_default();
        failures.extend(
            text.lines().filter_map(|line| line.split_once("FAILURE ")).map(|it| it.1.to_owned()),
        );
        let Some(how) = how else { break };
        let seed = current_seed(&progress).unwrap_or(next);
        failures.push(format!("seed {seed}: {how}"));
        next = seed + step;
    }
    let _ = fs::remove_dir_all(&folder);
    failures
}

/// Waits for a child process; how it died, if it did.
fn wait(child: &mut Child, progress: &Path) -> Option<String> {
    let (mut seed, mut since) = (None, Instant::now());
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (!status.success()).then(|| format!("the process died: {status}"));
        }
        std::thread::sleep(Duration::from_millis(200));
        let now = current_seed(progress);
        if now != seed {
            (seed, since) = (now, Instant::now());
        } else if since.elapsed() > MAX_SILENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            return Some(format!("more than {} s", MAX_SILENCE.as_secs()));
        }
    }
}

fn current_seed(progress: &Path) -> Option<u64> {
    fs::read_to_string(progress).ok()?.trim().parse().ok()
}

fn run_child(seeds: &str) {
    let (range, step) = seeds.split_once('/').unwrap();
    let (first, end) = range.split_once("..").unwrap();
    let step = step.parse().unwrap();
    let progress = env::var(CHILD_PROGRESS).unwrap();
    // Not where it is one of many tests, whose time says nothing.
    let is_timed = env::var_os("WARPWISE_MUTATED").is_some();
    std::panic::set_hook(Box::new(|_| {}));
    // The stack that rustc gives to a macro.
    let run = std::thread::Builder::new().stack_size(8 << 20);
    let range = first.parse::<u64>().unwrap()..end.parse::<u64>().unwrap();
    let run = run.spawn(move || {
        let units = units();
        assert!(units.len() > 500, "{}", units.len());
        for seed in range.step_by(step) {
            fs::write(&progress, seed.to_string()).unwrap();
            let begun = Instant::now();
            let failure = run_case(seed, &units);
            let took = begun.elapsed();
            if let Some(failure) = failure {
                println!("\nFAILURE seed {seed}: {failure}");
            } else if is_timed && took > MAX_CASE_TIME {
                println!("\nFAILURE seed {seed}: {:.1} s", took.as_secs_f64());
            }
        }
    });
    run.unwrap().join().unwrap();
}

/// A kernel with the device items of its module.
struct Unit {
    /// What the module brings into scope.
    uses: Vec<TokenStream>,
    args: TokenStream,
    kernel: TokenStream,
    devices: Vec<TokenStream>,
}

impl Unit {
    /// Returns the source file of a library that holds the unit with another kernel and other items.
    fn source(&self, kernel: &TokenStream, devices: &[TokenStream]) -> String {
        let Self { uses, args, .. } = self;
        quote!(
            #![allow(warnings)]
            #(#uses)*
            #(#[::warpwise::device] #devices)*
            #[::warpwise::kernel(#args)]
            #kernel
        )
        .to_string()
    }
}

/// Every kernel of the workspace, in a fixed order.
fn units() -> Vec<Unit> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in ["examples", "tests/corpus/src", "tests/run", "tests/ui"] {
        find_sources(&root.join(folder), &mut files);
    }
    files.sort();
    let mut units = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        if let Ok(file) = syn::parse_file(&text) {
            add_units(file.items, &mut units);
        }
    }
    units
}

fn find_sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find_sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Adds the kernels of a module, and of those in it.
fn add_units(items: Vec<Item>, units: &mut Vec<Unit>) {
    let (mut uses, mut kernels, mut devices) = (Vec::new(), Vec::new(), Vec::new());
    for item in items {
        match item {
            Item::Use(item) => uses.push(item.into_token_stream()),
            Item::Mod(module) => {
                add_units(module.content.map_or_else(Vec::new, |(_, items)| items), units);
            }
            mut item => {
                let Some(attrs) = crate::syntax::item::item_attributes_mut(&mut item) else {
                    continue;
                };
                let ours = |name: &str| attrs.iter().position(|attr| attr.path().is_ident(name));
                if let Some(index) = ours("device") {
                    attrs.remove(index);
                    devices.push(item.into_token_stream());
                } else if let Some(index) = ours("kernel") {
                    let args = match attrs.remove(index).meta {
                        Meta::List(list) => list.tokens,
                        Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
                    };
                    kernels.push((args, item.into_token_stream()));
                }
            }
        }
    }
    for (args, kernel) in kernels {
        units.push(Unit { uses: uses.clone(), args, kernel, devices: devices.clone() });
    }
}

/// Runs a case; what is wrong with it, if anything is.
fn run_case(seed: u64, units: &[Unit]) -> Option<String> {
    let mut mutator = Mutator { state: seed, corpus: Vec::new() };
    let number = mutator.below(units.len());
    let unit = &units[number];
    let donor = &units[mutator.below(units.len())];
    let (mut kernel, mut devices) = (unit.kernel.clone(), unit.devices.clone());
    for _ in 0..1 + mutator.below(3) {
        let which = mutator.below(3 + devices.len().min(3));
        match which.checked_sub(3) {
            None => kernel = mutated(&mut mutator, &kernel, &donor.kernel),
            Some(_) => {
                let index = mutator.below(devices.len());
                devices[index] = mutated(&mut mutator, &devices[index], &donor.kernel);
            }
        }
    }
    let expanded = catch_unwind(AssertUnwindSafe(|| expand_all(&unit.args, &kernel, &devices)));
    let shown =
        || format!("#[kernel({})] {kernel} {}", unit.args, TokenStream::from_iter(devices.clone()));
    match expanded {
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|it| (*it).to_owned()));
            Some(format!("panicked: {}: {}", text.unwrap_or_default(), shown()))
        }
        Ok(output) => {
            if let Some(folder) = env::var_os(ACCEPTED)
                && !output.contains("compile_error")
                // What is left to rustc to report has no kernel.
                && output.contains("const __WARPWISE_SOURCE")
            {
                let folder = PathBuf::from(folder).join(format!("kernel{number}"));
                fs::create_dir_all(&folder).unwrap();
                let plain = unit.source(&unit.kernel, &unit.devices);
                fs::write(folder.join("plain.rs"), plain).unwrap();
                let source = unit.source(&kernel, &devices);
                fs::write(folder.join(format!("seed{seed}.rs")), source).unwrap();
            }
            let blamed = ["this is a bug in Warpwise", "please report this bug"];
            let blamed = blamed.iter().find_map(|text| output.find(text));
            blamed.map(|at| {
                let around: String = output[at..].chars().take(200).collect();
                format!("{around}: {}", shown())
            })
        }
    }
}

/// What the macros make of a kernel and its device items, as text.
fn expand_all(args: &TokenStream, kernel: &TokenStream, devices: &[TokenStream]) -> String {
    let mut output = kernel::expand_kernel(args.clone(), kernel.clone()).to_string();
    for item in devices {
        output += &device::expand_device(TokenStream::new(), item.clone()).to_string();
    }
    let items = devices.iter().filter_map(|item| syn::parse2::<Item>(item.clone()).ok());
    let items =
        items.filter(|item| crate::syntax::limits::reject_deep_item(item).is_none()).collect();
    if let Ok(item) = syn::parse2::<ItemFn>(kernel.clone())
        && crate::syntax::limits::reject_deep_item(&Item::Fn(item.clone())).is_none()
        && item.sig.receiver().is_none()
    {
        let (options, errors) = attr::parse_arguments(args.clone());
        let devices = Source { kernels: Vec::new(), devices: items }.devices_for(&item);
        output +=
            &embed::embed_kernel(&item, None, &options, errors.is_none(), &devices).to_string();
    }
    output
}

/// Tokens with one mistake in them; `donor` gives what is spliced in.
fn mutated(mutator: &mut Mutator, tokens: &TokenStream, donor: &TokenStream) -> TokenStream {
    let size = size(tokens);
    let mut at = mutator.below(size.max(1));
    let other = groups(donor.clone());
    let spliced = (!other.is_empty()).then(|| other[mutator.below(other.len())].clone());
    let mut words = Vec::new();
    collect_words(tokens, &mut words);
    let word = (!words.is_empty()).then(|| words[mutator.below(words.len())].clone());
    let change =
        Change { kind: mutator.below(9), spliced, word, number: mutator.below(NUMBERS.len()) };
    change.apply(tokens.clone(), &mut at)
}

const NUMBERS: [&str; 10] =
    ["0", "1", "-1", "33", "4294967296", "18446744073709551615", "1e300", "0.0", "1u8", "2usize"];

/// All names and literals.
fn collect_words(tokens: &TokenStream, words: &mut Vec<TokenTree>) {
    for token in tokens.clone() {
        match token {
            TokenTree::Group(group) => collect_words(&group.stream(), words),
            TokenTree::Ident(_) | TokenTree::Literal(_) => words.push(token),
            TokenTree::Punct(_) => {}
        }
    }
}

/// A mistake.
struct Change {
    kind: usize,
    spliced: Option<Group>,
    word: Option<TokenTree>,
    number: usize,
}

impl Change {
    /// Makes it at the token that comes after `at` others, groups before what is in them.
    fn apply(&self, tokens: TokenStream, at: &mut usize) -> TokenStream {
        let all: Vec<TokenTree> = tokens.into_iter().collect();
        let mut out: Vec<TokenTree> = Vec::with_capacity(all.len() + 1);
        let mut index = 0;
        while index < all.len() {
            let token = all[index].clone();
            index += 1;
            let here = *at == 0;
            *at = at.wrapping_sub(1);
            if here {
                self.change(token, &all, &mut index, &mut out);
                continue;
            }
            match token {
                TokenTree::Group(group) if *at < size(&group.stream()) => {
                    let inner = self.apply(group.stream(), at);
                    *at = usize::MAX;
                    let mut changed = Group::new(group.delimiter(), inner);
                    changed.set_span(group.span());
                    out.push(changed.into());
                }
                TokenTree::Group(group) => {
                    *at = at.wrapping_sub(size(&group.stream()));
                    out.push(group.into());
                }
                token => out.push(token),
            }
        }
        out.into_iter().collect()
    }

    fn change(
        &self,
        token: TokenTree,
        all: &[TokenTree],
        index: &mut usize,
        out: &mut Vec<TokenTree>,
    ) {
        match self.kind {
            0 => {}
            1 => out.extend([token.clone(), token]),
            // Two neighbours.
            2 | 3 => {
                out.extend(all.get(*index).cloned());
                out.push(token);
                *index += 1;
            }
            4 => out.extend(self.spliced.clone().map(TokenTree::Group)),
            5 => match &self.spliced {
                Some(group) => out.extend(group.stream()),
                None => out.push(token),
            },
            6 => out.extend(self.word.clone()),
            // A statement twice: all up to the next semicolon.
            7 => {
                let rest = all[*index - 1..].iter();
                let end = rest
                    .clone()
                    .position(|it| matches!(it, TokenTree::Punct(it) if it.as_char() == ';'));
                let statement: Vec<TokenTree> =
                    rest.take(end.map_or(1, |end| end + 1)).cloned().collect();
                out.extend(statement);
                out.push(token);
            }
            _ => match NUMBERS[self.number].parse::<Literal>() {
                Ok(literal) => out.push(literal.into()),
                Err(_) => out.push(token),
            },
        }
    }
}
