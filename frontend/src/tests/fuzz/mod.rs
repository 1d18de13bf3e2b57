//! Fuzzing of the front end with unlikely tokens: it reports errors, and never panics.
//!
//! The fuzzer starts from real kernels or from nothing, and deletes, repeats, moves, replaces and
//! nests tokens. In any case, nothing panics, the verifier accepts every kernel, and the output for
//! a function that parses consists of items that parse. Functions are also parsed as syn parses
//! them.
//!
//! `WARPWISE_FUZZ=100000 cargo test -p warpwise-frontend fuzz` tries more than the default 500.
mod mutated;

use crate::{
    attr,
    device::{
        self,
        linked_items::{LinkedItems, RawItem},
    },
    kernel,
    resolve::paths::paths_of_kernel,
    syntax::parse,
};
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use std::panic::{AssertUnwindSafe, catch_unwind};
use syn::{Item, ItemFn};

/// Functions to start from, with the attribute's arguments.
const CORPUS: [(&str, &str); 8] = [
    ("", "fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() { y[i] = a * x[i] + y[i]; }
    }"),
    ("block = (32, 8), contract = false", "pub fn transpose(n: usize, x: &[f32], y: &mut [f32]) {
        let tile = shared!([[f32; 33]; 32]);
        let (tx, ty) = (thread_idx_x(), thread_idx_y());
        let col = block_idx_x() * 32 + tx;
        for j in (0..32).step_by(8) {
            let row = block_idx_y() * 32 + ty + j;
            if row < n && col < n { tile[ty + j][tx] = x[row * n + col]; }
        }
        sync_threads();
        for j in (0..32).step_by(8) { y[(ty + j) * n + tx] = tile[tx][ty + j]; }
    }"),
    ("overflow_checks, wide_index", "fn collatz(n: &[u64], steps: &mut [u32]) {
        let i = global_idx_x();
        if i >= n.len() || i >= steps.len() { return; }
        let mut value = n[i];
        let mut count = 0u32;
        'outer: loop {
            while value % 2 == 0 { value /= 2; count += 1; }
            if value == 1 { break 'outer; }
            value = 3 * value + 1;
            count = count.max(1) << 1 >> 1;
            if count > 1_000 { continue; }
        }
        steps[i] = count;
    }"),
    ("block = N", "fn reduce<T: Num, const N: usize>(x: &[T], out: &mut [T]) where T: Num {
        let tile = shared!([T; N]);
        let t = thread_idx_x();
        tile[t] = if global_idx_x() < x.len() { x[global_idx_x()] } else { T::ZERO };
        sync_threads();
        let mut step = N / 2;
        while step > 0 {
            if t < step { tile[t] += tile[t + step]; }
            sync_threads();
            step /= 2;
        }
        if t == 0 { out[block_idx_x()] = tile[0]; }
    }"),
    ("", "fn histogram<'a>(x: &'a [u32], bins: &[AtomicU32]) {
        let local = shared!([AtomicU32; 256]);
        local[thread_idx_x()].store(0, Ordering::Relaxed);
        sync_threads();
        let i = global_idx_x();
        if i < x.len() { local[(x[i] & 255) as usize].fetch_add(1, Ordering::Relaxed); }
        sync_threads();
        bins[thread_idx_x()].fetch_add(local[thread_idx_x()].load(Ordering::Relaxed), Ordering::Relaxed);
    }"),
    ("allow(gpu_barriers_in_divergent_flow)", "fn warps(x: &mut [i32]) {
        let mut v = x[global_idx_x()];
        for d in [16, 8, 4, 2, 1] { v += warp::shfl_down(v, d); }
        #[allow(gpu_barriers_in_divergent_loops)]
        if warp::lane_id() == 0 { sync_threads(); x[warp::warp_id()] = -v as i32; }
        let all = warp::all(v > 0) && !warp::any(v as f32 > 1e9);
        x[0] = if all { i32::MAX } else { warp::ballot(v < 0) as i32 };
    }"),
    ("open(TILE)", "fn calls(x: &mut [f64]) {
        let i = global_idx_x();
        let area = |w: f64, h: f64| w * h;
        if i < TILE { x[i] = geo::scale(area(x[i], 2.0)) + helper(x[i].sqrt()).mul_add(1.0, 2.0); }
    }"),
    ("", "fn helper(x: f64) -> f64 { let y = { x + 1.0 }; if y > 0.0 { return y; } -y }"),
];

#[test]
fn fuzz_the_front_end() {
    let tries = std::env::var("WARPWISE_FUZZ").ok().and_then(|text| text.parse().ok());
    for seed in 0..tries.unwrap_or(500u64) {
        let mut mutator = Mutator::new(seed);
        let (args, item) = mutator.generate_case();
        run_all_entry_points(seed, &args, &item);
    }
}

/// Runs every entry point.
fn run_all_entry_points(seed: u64, args: &TokenStream, item: &TokenStream) {
    let shown = format!("seed {seed}: #[kernel({args})] {item}");
    parse::tests::reads_as_syn(item);
    let outputs = catch_unwind(AssertUnwindSafe(|| {
        let mut outputs = vec![
            kernel::expand_kernel(args.clone(), item.clone()),
            device::expand_device(TokenStream::new(), item.clone()),
            attr::parse_arguments(item.clone())
                .1
                .map_or(quote!(), |error| error.to_compile_error()),
        ];
        if let Ok(item) = syn::parse2::<ItemFn>(item.clone()) {
            // The output stands in a constant's block, where warnings are statements.
            let linked = expand_linked(args, &item);
            outputs.push(quote!(const _: () = { #linked };));
        }
        outputs
    }));
    let Ok(outputs) = outputs else { panic!("{shown}") };
    let is_function = syn::parse2::<ItemFn>(item.clone()).is_ok();
    for output in outputs {
        let text = output.to_string();
        let bug = ["this is a bug in Warpwise", "please report this bug"];
        assert!(!bug.iter().any(|it| text.contains(it)), "{shown}\n{text}");
        let parsed = syn::parse2::<syn::File>(output);
        assert!(parsed.is_ok() || !is_function, "{shown}\n{}\n{text}", parsed.unwrap_err());
    }
}

/// Expands the end of the carrier chain for a kernel; every path that it calls resolves to the same
/// function.
fn expand_linked(args: &TokenStream, item: &ItemFn) -> TokenStream {
    let target: Item = syn::parse_quote!(
        fn target(x: f64) -> f64 {
            x * 2.0
        }
    );
    let mut linked = LinkedItems::empty();
    linked.add_bundle(&[RawItem { id: "1".into(), item: target }]).unwrap();
    let closure = linked.closure_tokens("1");
    let closures =
        paths_of_kernel(item, &attr::Options::default()).into_iter().map(|_| quote!({ #closure }));
    device::link(quote!({} { #(#closures)* } { kernel { #args } { #item } }))
}

/// Generator of cases, deterministic in the seed.
struct Mutator {
    state: u64,
    corpus: Vec<(TokenStream, TokenStream)>,
}

impl Mutator {
    fn new(seed: u64) -> Self {
        let parse = |text: &str| text.parse().unwrap();
        let corpus = CORPUS.iter().map(|(args, item)| (parse(args), parse(item))).collect();
        Self { state: seed, corpus }
    }

    /// Returns a number below `end`, by SplitMix64.
    fn random_below(&mut self, end: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((bits ^ (bits >> 31)) % end.max(1) as u64).unwrap()
    }

    fn generate_case(&mut self) -> (TokenStream, TokenStream) {
        let pick = self.random_below(self.corpus.len());
        let (mut args, mut item) = self.corpus[pick].clone();
        match self.random_below(10) {
            0 => item = (0..self.random_below(30)).map(|_| self.random_token()).collect(),
            1 => args = (0..self.random_below(12)).map(|_| self.random_token()).collect(),
            2 => args = self.mutate(args, 1),
            _ => {
                let edits = 1 + self.random_below(3);
                item = self.mutate(item, edits);
            }
        }
        (args, item)
    }

    fn mutate(&mut self, tokens: TokenStream, edits: usize) -> TokenStream {
        let mut tokens = tokens;
        for _ in 0..edits {
            let size = count_tokens(&tokens);
            let mut at = self.random_below(size + 1);
            tokens = self.edit_token_at(tokens, &mut at);
        }
        tokens
    }

    /// Changes the token after `at` others, where a group counts before its contents.
    fn edit_token_at(&mut self, tokens: TokenStream, at: &mut usize) -> TokenStream {
        let mut out: Vec<TokenTree> = Vec::new();
        for token in tokens {
            let here = *at == 0;
            *at = at.wrapping_sub(1);
            match token {
                token if here => self.change_token(token, &mut out),
                TokenTree::Group(group) if *at < count_tokens(&group.stream()) => {
                    let inner = self.edit_token_at(group.stream(), at);
                    *at = usize::MAX;
                    out.push(TokenTree::Group(Group::new(group.delimiter(), inner)));
                }
                TokenTree::Group(group) => {
                    *at = at.wrapping_sub(count_tokens(&group.stream()));
                    out.push(TokenTree::Group(group));
                }
                token => out.push(token),
            }
        }
        out.into_iter().collect()
    }

    fn change_token(&mut self, token: TokenTree, out: &mut Vec<TokenTree>) {
        match self.random_below(8) {
            0 => {}
            1 => out.extend([token.clone(), token]),
            2 | 3 => out.push(self.random_token()),
            4 => out.extend([self.random_token(), token]),
            5 => {
                let delimiter = self.random_delimiter();
                out.push(Group::new(delimiter, token.into()).into());
            }
            6 => match token {
                TokenTree::Group(group) => out.extend(group.stream()),
                token => out.push(token),
            },
            _ => {
                let donor = self.random_below(self.corpus.len());
                let body = self.corpus[donor].1.clone();
                let groups = collect_groups(body);
                let pick = self.random_below(groups.len());
                out.push(TokenTree::Group(groups[pick].clone()));
            }
        }
    }

    fn random_delimiter(&mut self) -> Delimiter {
        [Delimiter::Brace, Delimiter::Bracket, Delimiter::Parenthesis, Delimiter::None]
            [self.random_below(4)]
    }

    /// Generates a token of any kind.
    fn random_token(&mut self) -> TokenTree {
        const WORDS: [&str; 66] = [
            "fn",
            "let",
            "mut",
            "if",
            "else",
            "while",
            "loop",
            "for",
            "in",
            "match",
            "return",
            "break",
            "continue",
            "as",
            "ref",
            "move",
            "unsafe",
            "async",
            "const",
            "static",
            "struct",
            "impl",
            "trait",
            "pub",
            "self",
            "Self",
            "super",
            "crate",
            "true",
            "false",
            "_",
            "dyn",
            "x",
            "y",
            "i",
            "T",
            "N",
            "f32",
            "f64",
            "u8",
            "i64",
            "usize",
            "u128",
            "str",
            "bool",
            "global_idx_x",
            "sync_threads",
            "shared",
            "warp",
            "shfl",
            "Ordering",
            "AtomicU32",
            "block",
            "open",
            "allow",
            "contract",
            "sqrt",
            "len",
            "min",
            "fetch_add",
            "println",
            "ptx",
            "out",
            "vec",
            "union",
            "yield",
        ];
        const NUMBERS: [&str; 16] = [
            "0",
            "1",
            "255",
            "4294967296",
            "18446744073709551616",
            "1e400",
            "0.5",
            "1f32",
            "3usize",
            "-1",
            "0xffu8",
            "1_000i16",
            "\"text\"",
            "'c'",
            "b'x'",
            "1u128",
        ];
        const PUNCTUATION: &[u8] = b"+-*/%^!&|=<>@.,;:#$?~";
        match self.random_below(6) {
            0 | 1 => {
                let word = WORDS[self.random_below(WORDS.len())];
                TokenTree::Ident(Ident::new(word, Span::call_site()))
            }
            2 => {
                let text = NUMBERS[self.random_below(NUMBERS.len())];
                text.parse::<Literal>().map_or_else(|_| format_ident!("n").into(), TokenTree::from)
            }
            3 | 4 => {
                let char = char::from(PUNCTUATION[self.random_below(PUNCTUATION.len())]);
                let spacing = [Spacing::Alone, Spacing::Joint][self.random_below(2)];
                Punct::new(char, spacing).into()
            }
            _ => {
                let inner = (0..self.random_below(4)).map(|_| self.random_token()).collect();
                Group::new(self.random_delimiter(), inner).into()
            }
        }
    }
}

/// Counts tokens, including those in groups.
fn count_tokens(tokens: &TokenStream) -> usize {
    let each = tokens.clone().into_iter().map(|token| match token {
        TokenTree::Group(group) => 1 + count_tokens(&group.stream()),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => 1,
    });
    each.sum()
}

/// Returns all groups, outer before inner.
fn collect_groups(tokens: TokenStream) -> Vec<Group> {
    let mut found = Vec::new();
    for token in tokens {
        if let TokenTree::Group(group) = token {
            found.push(group.clone());
            found.extend(collect_groups(group.stream()));
        }
    }
    found
}
