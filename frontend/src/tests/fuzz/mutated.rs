//! Fuzzing with the project's own kernels with mistakes in them: tokens that are missing, doubled,
//! swapped, or from other kernels.
//!
//! The macro turns such code into an error or a kernel within a few seconds: never a panic, a crash
//! of rustc, or an error that blames Warpwise. `docs/testing.md` has the command for a million
//! cases. Cases run in child processes, since a stack overflow ends its process; a case depends
//! only on its seed.
use crate::{
    attr, device, kernel,
    output::embed,
    tests::{
        Source,
        fuzz::{Mutator, collect_groups, count_tokens},
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

/// Time limit of a case: one that takes longer is reported.
const MAX_CASE_TIME: Duration = Duration::from_secs(5);

/// Time limit on the silence of a child process, which is then killed.
const MAX_SILENCE: Duration = Duration::from_secs(60);

/// Variable with the seeds that a child process has to run, as `first..end/step`.
const CHILD_SEEDS: &str = "WARPWISE_MUTATED_SEEDS";

/// Variable with a folder for accepted kernels, so that rustc can judge them:
/// `tests/src/bin/judge_accepted.rs`.
const ACCEPTED_FOLDER: &str = "WARPWISE_MUTATED_ACCEPTED";

/// Variable with the file to which a child process writes its current seed.
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

/// Runs seeds in child processes, each of which continues after the death of the previous one;
/// returns the failures.
fn supervise(first: u64, end: u64, step: u64) -> Vec<String> {
    let folder = env::temp_dir().join(format!("warpwise-mutated-{}-{first}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let progress = folder.join("progress");
    // Test names lack the crate's name. A wrong name would run no test, and so find no failure.
    let (_, module) = module_path!().split_once("::").unwrap();
    let test = format!("{module}::fuzz_mutated_kernels");
    let mut failures = Vec::new();
    let mut next = first;
    while next < end {
        fs::write(&progress, next.to_string()).unwrap();
        let output = fs::File::create(folder.join("output")).unwrap();
        let mut child = Command::new(env::current_exe().unwrap())
            .args([&*test, "--exact", "--nocapture"])
            .env(CHILD_SEEDS, format!("{next}..{end}/{step}"))
            .env(CHILD_PROGRESS, &progress)
            .stdout(output)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let how = wait_for_child(&mut child, &progress);
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

/// Waits for a child process; returns a description of its death, unless it succeeded.
fn wait_for_child(child: &mut Child, progress: &Path) -> Option<String> {
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
    // Times mean nothing while other tests run.
    let is_timed = env::var_os("WARPWISE_MUTATED").is_some();
    std::panic::set_hook(Box::new(|_| {}));
    // The stack size that rustc gives to a macro.
    let run = std::thread::Builder::new().stack_size(8 << 20);
    let range = first.parse::<u64>().unwrap()..end.parse::<u64>().unwrap();
    let run = run.spawn(move || {
        let units = collect_units();
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

/// Kernel with the device items of its module.
struct Unit {
    /// `use` items of the module.
    uses: Vec<TokenStream>,
    args: TokenStream,
    kernel: TokenStream,
    devices: Vec<TokenStream>,
}

impl Unit {
    /// Returns the source file of a library that holds the unit with another kernel and other
    /// items.
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

/// Returns all kernels of the workspace, in a fixed order.
fn collect_units() -> Vec<Unit> {
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

/// Adds the kernels of a module and of its submodules.
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

/// Runs a case; returns a description of the failure, if there is one.
fn run_case(seed: u64, units: &[Unit]) -> Option<String> {
    let mut mutator = Mutator { state: seed, corpus: Vec::new() };
    let number = mutator.random_below(units.len());
    let unit = &units[number];
    let donor = &units[mutator.random_below(units.len())];
    let (mut kernel, mut devices) = (unit.kernel.clone(), unit.devices.clone());
    for _ in 0..1 + mutator.random_below(3) {
        let which = mutator.random_below(3 + devices.len().min(3));
        match which.checked_sub(3) {
            None => kernel = mutate_tokens(&mut mutator, &kernel, &donor.kernel),
            Some(_) => {
                let index = mutator.random_below(devices.len());
                devices[index] = mutate_tokens(&mut mutator, &devices[index], &donor.kernel);
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
            if let Some(folder) = env::var_os(ACCEPTED_FOLDER)
                && !output.contains("compile_error")
                // Code that rustc is left to report has no kernel.
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

/// Expands a kernel and its device items, as text.
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

/// Returns the tokens with one mistake; `donor` supplies the spliced tokens.
fn mutate_tokens(mutator: &mut Mutator, tokens: &TokenStream, donor: &TokenStream) -> TokenStream {
    let size = count_tokens(tokens);
    let mut at = mutator.random_below(size.max(1));
    let other = collect_groups(donor.clone());
    let spliced = (!other.is_empty()).then(|| other[mutator.random_below(other.len())].clone());
    let mut words = Vec::new();
    collect_words(tokens, &mut words);
    let word = (!words.is_empty()).then(|| words[mutator.random_below(words.len())].clone());
    let change = Mistake {
        kind: mutator.random_below(9),
        spliced,
        word,
        number: mutator.random_below(NUMBER_LITERALS.len()),
    };
    change.insert_into(tokens.clone(), &mut at)
}

const NUMBER_LITERALS: [&str; 10] =
    ["0", "1", "-1", "33", "4294967296", "18446744073709551615", "1e300", "0.0", "1u8", "2usize"];

/// Collects all names and literals.
fn collect_words(tokens: &TokenStream, words: &mut Vec<TokenTree>) {
    for token in tokens.clone() {
        match token {
            TokenTree::Group(group) => collect_words(&group.stream(), words),
            TokenTree::Ident(_) | TokenTree::Literal(_) => words.push(token),
            TokenTree::Punct(_) => {}
        }
    }
}

/// Mistake to make.
struct Mistake {
    kind: usize,
    spliced: Option<Group>,
    word: Option<TokenTree>,
    number: usize,
}

impl Mistake {
    /// Makes the mistake at the token after `at` others, where a group counts before its contents.
    fn insert_into(&self, tokens: TokenStream, at: &mut usize) -> TokenStream {
        let all: Vec<TokenTree> = tokens.into_iter().collect();
        let mut out: Vec<TokenTree> = Vec::with_capacity(all.len() + 1);
        let mut index = 0;
        while index < all.len() {
            let token = all[index].clone();
            index += 1;
            let here = *at == 0;
            *at = at.wrapping_sub(1);
            if here {
                self.insert_at(token, &all, &mut index, &mut out);
                continue;
            }
            match token {
                TokenTree::Group(group) if *at < count_tokens(&group.stream()) => {
                    let inner = self.insert_into(group.stream(), at);
                    *at = usize::MAX;
                    let mut changed = Group::new(group.delimiter(), inner);
                    changed.set_span(group.span());
                    out.push(changed.into());
                }
                TokenTree::Group(group) => {
                    *at = at.wrapping_sub(count_tokens(&group.stream()));
                    out.push(group.into());
                }
                token => out.push(token),
            }
        }
        out.into_iter().collect()
    }

    fn insert_at(
        &self,
        token: TokenTree,
        all: &[TokenTree],
        index: &mut usize,
        out: &mut Vec<TokenTree>,
    ) {
        match self.kind {
            0 => {}
            1 => out.extend([token.clone(), token]),
            // Swap two neighbours.
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
            // Repeat a statement: everything up to the next semicolon.
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
            _ => match NUMBER_LITERALS[self.number].parse::<Literal>() {
                Ok(literal) => out.push(literal.into()),
                Err(_) => out.push(token),
            },
        }
    }
}
