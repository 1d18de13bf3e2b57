//! The arguments of `#[kernel(..)]`.
//!
//! ```text
//! #[kernel(block = (32, 8), contract = false, open(TILE), allow(gpu_divergent_branches))]
//! ```
//! Arguments come in any order, each at most once (lint levels may repeat). Every wrong argument is
//! reported at its own tokens.
pub(crate) mod backend;
pub(crate) mod build_settings;
pub(crate) mod cluster;
pub(crate) mod constant;
pub(crate) mod instances;
pub(crate) mod lint_attr;
mod manifest;
pub(crate) mod precompile;
pub(crate) mod requires;
pub(crate) mod strip;

use crate::{
    attr::{
        backend::find_backend,
        cluster::{ClusterDims, check_cluster, parse_cluster},
        constant::ConstantParam,
        instances::{Instance, ReplacedBound},
        lint_attr::{LevelKeyword, LintLevel, lint_levels},
        precompile::Precompiled,
        requires::Condition,
    },
    syntax::{spell::print_tokens, suggest::closest_name},
};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Error, Expr, ExprLit, Ident, Lit, LitBool, LitInt, LitStr, Path, Stmt, Token,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};
use warpwise_compiler::{back::Backend, ir::MAX_MIN_BLOCKS};

/// The arguments of `#[kernel(..)]`, with defaults.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// True if `a * b + c` is rounded once.
    pub(crate) contract: bool,
    /// True if an arithmetic overflow is a fault.
    pub(crate) overflow_checks: bool,
    /// False to disable thread coarsening.
    pub(crate) coarsen: bool,
    /// True if all blocks run at the same time.
    pub(crate) cooperative: bool,
    /// True if grids may start before the ones before them have ended.
    pub(crate) dependent_launch: bool,
    /// True if an index may need more than 31 bits.
    pub(crate) wide_index: bool,
    /// True if an unproved check is an error.
    pub(crate) deny_checks: bool,
    /// The back end and the span of its name.
    pub(crate) backend: Option<(Backend, Span)>,
    /// Conditions that every launch fulfils.
    pub(crate) requires: Vec<Condition>,
    /// The parameters in constant memory, by their index; those after the last are not.
    pub(crate) constants: Vec<Option<ConstantParam>>,
    /// Threads per block along x, y and z, each an integer literal or the path of a constant.
    pub(crate) block: Option<[Expr; 3]>,
    /// Blocks per cluster, if blocks run in clusters.
    pub(crate) cluster: Option<ClusterDims>,
    /// Minimum number of blocks that a multiprocessor runs at a time.
    pub(crate) min_blocks: Option<u32>,
    /// Constants with values that only rustc knows.
    pub(crate) open: Vec<Path>,
    /// Arguments for the type parameters, if the kernel is compiled for named types.
    pub(crate) instances: Vec<Instance>,
    /// In an instance, the bounds of the type parameters that its types replaced.
    pub(crate) replaced_bounds: Vec<ReplacedBound>,
    /// The instances of an open kernel whose code is embedded.
    pub(crate) precompiled: Vec<Precompiled>,
    /// Lint levels; later ones override earlier ones.
    pub(crate) lints: Vec<LintLevel>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            contract: true,
            overflow_checks: false,
            coarsen: true,
            cooperative: false,
            dependent_launch: false,
            wide_index: false,
            deny_checks: false,
            backend: None,
            requires: Vec::new(),
            constants: Vec::new(),
            block: None,
            cluster: None,
            min_blocks: None,
            open: Vec::new(),
            instances: Vec::new(),
            replaced_bounds: Vec::new(),
            precompiled: Vec::new(),
            lints: Vec::new(),
        }
    }
}

/// Maximum number of threads that a multiprocessor of any GPU runs at a time.
const MAX_THREADS_PER_MULTIPROCESSOR: u64 = 2048;

/// The names of the arguments, for suggestions.
const ARGUMENTS: [&str; 19] = [
    "allow",
    "backend",
    "block",
    "cluster",
    "coarsen",
    "contract",
    "cooperative",
    "deny",
    "deny_checks",
    "dependent_launch",
    "expect",
    "instances",
    "min_blocks",
    "open",
    "overflow_checks",
    "precompile",
    "requires",
    "warn",
    "wide_index",
];

/// Parses the arguments of `#[kernel(..)]`. Returns errors beside everything that could be parsed.
pub(crate) fn parse_arguments(args: TokenStream) -> (Options, Option<Error>) {
    let mut reader = OptionsBuilder {
        options: Options::default(),
        seen_names: Vec::new(),
        min_blocks_at: None,
        dependent_launch_at: None,
        error: None,
    };
    for argument in split_at_commas(args) {
        if let Err(error) = syn::parse2::<Argument>(argument).and_then(|a| reader.add_argument(a)) {
            combine_errors(&mut reader.error, error);
        }
    }
    // An erroneous `block` would cause a second, misleading error here.
    if reader.error.is_none() {
        let Options { cluster, cooperative, .. } = reader.options;
        let error = reader.check_min_blocks();
        reader.error = error
            .or_else(|| check_cluster(cluster, cooperative))
            .or_else(|| reader.check_dependent_launch());
    }
    (reader.options, reader.error)
}

/// Adds `error` to the earlier ones.
pub(crate) fn combine_errors(errors: &mut Option<Error>, error: Error) {
    match errors {
        Some(errors) => errors.combine(error),
        None => *errors = Some(error),
    }
}

/// Splits the arguments at commas. A comma without an argument before it yields an argument of that
/// comma alone, for its span.
fn split_at_commas(args: TokenStream) -> Vec<TokenStream> {
    let mut arguments = Vec::new();
    let mut argument = Vec::new();
    for token in args {
        let comma = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ',');
        if !comma || argument.is_empty() {
            argument.push(token);
        }
        if comma {
            arguments.push(std::mem::take(&mut argument).into_iter().collect());
        }
    }
    if !argument.is_empty() {
        arguments.push(argument.into_iter().collect());
    }
    arguments
}

/// A parsed argument, not yet checked against the others.
enum Argument {
    Flag(Ident, bool),
    Backend(Ident, Backend, Span),
    Block(Ident, Box<[Expr; 3]>),
    Cluster(Ident, ClusterDims),
    MinBlocks(Ident, u32),
    Open(Ident, Vec<Path>),
    Requires(Ident, Vec<Condition>),
    Instances(Ident, Vec<Instance>),
    Precompile(Ident, Vec<Precompiled>),
    Lints(Vec<LintLevel>),
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: Ident = input.parse().map_err(|error| {
            Error::new(error.span(), "expected an argument such as `block = 256`")
        })?;
        match name.to_string().as_str() {
            "coarsen" | "contract" | "cooperative" | "deny_checks" | "dependent_launch"
            | "overflow_checks" | "wide_index" => {
                let on = parse_flag(&name, input)?;
                Ok(Self::Flag(name, on))
            }
            "backend" => {
                let (backend, at) = parse_backend(&name, input)?;
                Ok(Self::Backend(name, backend, at))
            }
            "block" => {
                let dims = Box::new(parse_block(&name, input)?);
                Ok(Self::Block(name, dims))
            }
            "cluster" => {
                let dims = parse_cluster(&name, input)?;
                Ok(Self::Cluster(name, dims))
            }
            "min_blocks" => {
                let blocks = parse_min_blocks(&name, input)?;
                Ok(Self::MinBlocks(name, blocks))
            }
            "open" => {
                let paths = parse_constants(&name, input)?;
                Ok(Self::Open(name, paths))
            }
            "requires" => {
                let conditions = parse_requirements(&name, input)?;
                Ok(Self::Requires(name, conditions))
            }
            "instances" => {
                let list = parse_instance_list(&name, input, "types", "instances(f32, f64)")?;
                let found = list.into_iter().map(Instance::new).collect();
                Ok(Self::Instances(name, found))
            }
            "precompile" => {
                let list = parse_instance_list(&name, input, "arguments", "precompile(16, 32)")?;
                let found = list.into_iter().map(Precompiled::new).collect();
                Ok(Self::Precompile(name, found))
            }
            word @ ("allow" | "warn" | "deny" | "expect") => {
                let word = LevelKeyword::parse(word).expect("these are levels");
                parse_levels(&name, word, input).map(Self::Lints)
            }
            unknown => Err(Error::new(name.span(), unknown_argument_message(unknown))),
        }
    }
}

fn unknown_argument_message(name: &str) -> String {
    let synonym = match name {
        "block_dim"
        | "block_size"
        | "cube_dim"
        | "local_size"
        | "numthreads"
        | "reqd_work_group_size"
        | "threads"
        | "threads_per_block"
        | "workgroup_size" => Some("block"),
        "launch_bounds" | "__launch_bounds__" => {
            return format!(
                "unknown argument `{name}`: write `block = 256`, and `min_blocks = 2` for its second number"
            );
        }
        "cluster_dims" | "cluster_size" => Some("cluster"),
        "pdl" | "programmatic_dependent_launch" | "programmatic_stream_serialization" => {
            Some("dependent_launch")
        }
        "grid" | "grid_dim" | "grid_size" | "blocks" => {
            return format!(
                "unknown argument `{name}`: the grid is the launch's, `LaunchConfig::grid` or `cover`"
            );
        }
        _ => closest_name(name, ARGUMENTS),
    };
    match synonym {
        Some(known) => format!("unknown argument `{name}`; did you mean `{known}`?"),
        None => format!("unknown argument `{name}`; there are `{}`", ARGUMENTS.join("`, `")),
    }
}

/// Returns the span of the next token, or of the argument's `name` if there is none.
fn next_span(name: &Ident, input: ParseStream<'_>) -> Span {
    if input.is_empty() { name.span() } else { input.span() }
}

/// Parses the rest of `name` or `name = true`.
fn parse_flag(name: &Ident, input: ParseStream<'_>) -> syn::Result<bool> {
    if input.is_empty() {
        return Ok(true);
    }
    let wrong = |at| Error::new(at, format!("write `{name} = true` or `{name} = false`"));
    let at = next_span(name, input);
    input.parse::<Token![=]>().map_err(|_| wrong(at))?;
    let at = next_span(name, input);
    let value: LitBool = input.parse().map_err(|_| wrong(at))?;
    expect_end(input)?;
    Ok(value.value)
}

/// Parses `= "llvm"`.
fn parse_backend(name: &Ident, input: ParseStream<'_>) -> syn::Result<(Backend, Span)> {
    const FORM: &str = "write `backend = \"llvm\"` or `backend = \"builtin\"`";
    let at = next_span(name, input);
    input.parse::<Token![=]>().map_err(|_| Error::new(at, FORM))?;
    let at = next_span(name, input);
    let value: LitStr = input.parse().map_err(|_| Error::new(at, FORM))?;
    expect_end(input)?;
    let backend = find_backend("the back end", &value.value())
        .map_err(|error| Error::new(value.span(), error))?;
    Ok((backend, value.span()))
}

/// Parses `= A`, `= (A, B)`, `= (A, B, C)`: the expressions, and the tokens of all of them. Another
/// form is an error with the text `form`.
fn parse_dims(
    name: &Ident,
    input: ParseStream<'_>,
    form: &str,
) -> syn::Result<(Vec<Expr>, TokenStream)> {
    let at = next_span(name, input);
    input.parse::<Token![=]>().map_err(|_| Error::new(at, form))?;
    let at = next_span(name, input);
    let value: Expr = input.parse().map_err(|_| Error::new(at, form))?;
    expect_end(input)?;
    let tokens = value.to_token_stream();
    let dims = match value {
        Expr::Tuple(tuple) if (1..=3).contains(&tuple.elems.len()) => {
            tuple.elems.into_iter().map(strip_parens).collect()
        }
        value => vec![strip_parens(value)],
    };
    Ok((dims, tokens))
}

/// Parses `= 256`, `= (32, 8)`, `= N`.
fn parse_block(name: &Ident, input: ParseStream<'_>) -> syn::Result<[Expr; 3]> {
    const FORM: &str = "write `block = 256`, `block = (32, 8)` or `block = (8, 8, 4)`; a constant's \
                        name may stand for a number";
    let (dims, tokens) = parse_dims(name, input, FORM)?;
    let one = || Expr::Lit(ExprLit { attrs: Vec::new(), lit: syn::parse_quote!(1) });
    let mut rest = dims.into_iter();
    let dims = std::array::from_fn(|_| rest.next().unwrap_or_else(one));
    match count_threads(&dims)? {
        Some(threads) if threads > 1024 => {
            let text = format!("a block has at most 1024 threads, not {threads}");
            Err(Error::new_spanned(tokens, text))
        }
        Some(_) | None => Ok(dims),
    }
}

/// Parses `= 2`.
fn parse_min_blocks(name: &Ident, input: ParseStream<'_>) -> syn::Result<u32> {
    const FORM: &str =
        "write `min_blocks = 2`: the blocks that a multiprocessor has to run at a time";
    let at = next_span(name, input);
    input.parse::<Token![=]>().map_err(|_| Error::new(at, FORM))?;
    let at = next_span(name, input);
    let value: LitInt = input.parse().map_err(|_| Error::new(at, FORM))?;
    expect_end(input)?;
    let blocks = value.base10_parse().ok().filter(|blocks| (1..=MAX_MIN_BLOCKS).contains(blocks));
    blocks.ok_or_else(|| {
        let text = format!("a multiprocessor runs 1 to {MAX_MIN_BLOCKS} blocks at a time");
        Error::new(value.span(), text)
    })
}

/// Strips parentheses, and the braces that Rust requires around constant arguments.
fn strip_parens(dim: Expr) -> Expr {
    match dim {
        Expr::Paren(paren) => strip_parens(*paren.expr),
        Expr::Group(group) => strip_parens(*group.expr),
        Expr::Block(mut block) if block.attrs.is_empty() && block.label.is_none() => {
            match (block.block.stmts.pop(), block.block.stmts.is_empty()) {
                (Some(Stmt::Expr(value, None)), true) => strip_parens(value),
                (last, _) => {
                    block.block.stmts.extend(last);
                    Expr::Block(block)
                }
            }
        }
        dim => dim,
    }
}

/// Returns the number of threads if all of `dims` are literals; rejects dimensions over the limits.
fn count_threads(dims: &[Expr; 3]) -> syn::Result<Option<u64>> {
    let mut threads = Some(1);
    for (dim, (axis, most)) in dims.iter().zip([("x", 1024), ("y", 1024), ("z", 64)]) {
        let size = literal_dimension(dim)?;
        if size == Some(0) {
            let text = "a block has at least one thread along each axis";
            return Err(Error::new_spanned(dim, text));
        }
        if let Some(size) = size.filter(|&size| size > most) {
            let text = format!("a block has at most {most} threads along {axis}, not {size}");
            return Err(Error::new_spanned(dim, text));
        }
        threads = threads.zip(size).map(|(threads, size)| threads * size);
    }
    Ok(threads)
}

/// Returns the value of a literal, or `None` for an expression of constants, which is computed once
/// they are known.
fn literal_dimension(dim: &Expr) -> syn::Result<Option<u64>> {
    match dim {
        Expr::Path(_) | Expr::Field(_) | Expr::Index(_) => Ok(None),
        Expr::Binary(_) | Expr::Cast(_) | Expr::Call(_) | Expr::MethodCall(_) => Ok(None),
        Expr::If(_) | Expr::Match(_) | Expr::Block(_) => Ok(None),
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if matches!(int.suffix(), "" | "usize") => {
            int.base10_parse().map(Some)
        }
        Expr::Array(list) => {
            let sizes: Vec<String> =
                list.elems.iter().map(|size| print_tokens(size.to_token_stream())).collect();
            let text =
                format!("write the axes of a block in parentheses: `({})`", sizes.join(", "));
            Err(Error::new_spanned(dim, text))
        }
        dim => {
            let text = "a block dimension is a number, the name of a constant (of a const \
                        generic, or of one that `open(..)` names), or computed from such: `W * W`";
            Err(Error::new_spanned(dim, text))
        }
    }
}

/// Parses `(A, m::B)`.
fn parse_constants(name: &Ident, input: ParseStream<'_>) -> syn::Result<Vec<Path>> {
    let list = parse_path_list(name, input, "write the constants' names: `open(TILE, WIDTH)`")?;
    for (i, path) in list.iter().enumerate() {
        if path.segments.iter().any(|segment| !segment.arguments.is_none()) {
            return Err(Error::new_spanned(path, "a constant's name has no generic arguments"));
        }
        if list[..i].contains(path) {
            return Err(Error::new_spanned(path, "this constant is already named"));
        }
    }
    Ok(list)
}

/// Parses `(x.len() >= y.len(), n % 4 == 0)`.
fn parse_requirements(name: &Ident, input: ParseStream<'_>) -> syn::Result<Vec<Condition>> {
    if !input.peek(syn::token::Paren) {
        let text = "write the conditions in parentheses: `requires(x.len() >= y.len())`";
        return Err(Error::new(next_span(name, input), text));
    }
    let content;
    syn::parenthesized!(content in input);
    let conditions = requires::parse_conditions(content.parse()?, name.span())?;
    expect_end(input)?;
    Ok(conditions)
}

/// Parses `(f32, (f32, 16))`: instances of a generic kernel, each of them once. `what` and
/// `example` are for messages.
fn parse_instance_list<T: Parse + PartialEq + ToTokens>(
    name: &Ident,
    input: ParseStream<'_>,
    what: &str,
    example: &str,
) -> syn::Result<Vec<T>> {
    if !input.peek(syn::token::Paren) {
        let text = format!("write the {what} in parentheses: `{example}`");
        return Err(Error::new(next_span(name, input), text));
    }
    let content;
    syn::parenthesized!(content in input);
    let list = Punctuated::<T, Token![,]>::parse_terminated(&content)?;
    if list.is_empty() {
        return Err(Error::new(name.span(), format!("write the {what}: `{example}`")));
    }
    let mut found: Vec<T> = Vec::new();
    for instance in list {
        if found.contains(&instance) {
            return Err(Error::new_spanned(instance, "this instance is already named"));
        }
        found.push(instance);
    }
    expect_end(input)?;
    Ok(found)
}

/// Parses `(gpu_a, gpu_b)`.
fn parse_levels(
    name: &Ident,
    word: LevelKeyword,
    input: ParseStream<'_>,
) -> syn::Result<Vec<LintLevel>> {
    const FORM: &str = "write the lints' names: `allow(gpu_barriers_in_divergent_flow)`";
    let mut levels = Vec::new();
    for path in parse_path_list(name, input, FORM)? {
        levels.extend(lint_levels(&path, word, None)?);
    }
    Ok(levels)
}

/// Parses one or more paths in parentheses; `form` is the error message.
fn parse_path_list(name: &Ident, input: ParseStream<'_>, form: &str) -> syn::Result<Vec<Path>> {
    let at = next_span(name, input);
    let wrong = |_| Error::new(at, form);
    if !input.peek(syn::token::Paren) {
        return Err(Error::new(at, form));
    }
    let content;
    syn::parenthesized!(content in input);
    let list = Punctuated::<Path, Token![,]>::parse_terminated(&content).map_err(wrong)?;
    expect_end(input)?;
    if list.is_empty() {
        return Err(Error::new(at, form));
    }
    Ok(list.into_iter().collect())
}

/// Rejects tokens after a complete argument.
fn expect_end(input: ParseStream<'_>) -> syn::Result<()> {
    if input.is_empty() { Ok(()) } else { Err(input.error("expected `,` or the end")) }
}

/// A builder of [`Options`] from arguments.
struct OptionsBuilder {
    options: Options,
    seen_names: Vec<String>,
    min_blocks_at: Option<Span>,
    dependent_launch_at: Option<Span>,
    error: Option<Error>,
}

impl OptionsBuilder {
    fn add_argument(&mut self, argument: Argument) -> syn::Result<()> {
        let options = &mut self.options;
        match argument {
            Argument::Flag(name, on) => {
                let target = match name.to_string().as_str() {
                    "coarsen" => &mut options.coarsen,
                    "contract" => &mut options.contract,
                    "cooperative" => &mut options.cooperative,
                    "deny_checks" => &mut options.deny_checks,
                    "dependent_launch" => {
                        self.dependent_launch_at = Some(name.span());
                        &mut options.dependent_launch
                    }
                    "overflow_checks" => &mut options.overflow_checks,
                    _ => &mut options.wide_index,
                };
                // Set before the check for repetition: compilation goes on with the last value.
                *target = on;
                self.reject_repeated(&name)
            }
            Argument::Backend(name, backend, at) => {
                options.backend = Some((backend, at));
                self.reject_repeated(&name)
            }
            Argument::Block(name, dims) => {
                options.block = Some(*dims);
                self.reject_repeated(&name)
            }
            Argument::Cluster(name, dims) => {
                options.cluster = Some(dims);
                self.reject_repeated(&name)
            }
            Argument::MinBlocks(name, blocks) => {
                options.min_blocks = Some(blocks);
                self.min_blocks_at = Some(name.span());
                self.reject_repeated(&name)
            }
            Argument::Open(name, paths) => {
                options.open = paths;
                self.reject_repeated(&name)
            }
            Argument::Requires(name, conditions) => {
                options.requires = conditions;
                self.reject_repeated(&name)
            }
            Argument::Instances(name, instances) => {
                options.instances = instances;
                self.reject_repeated(&name)
            }
            Argument::Precompile(name, precompiled) => {
                options.precompiled = precompiled;
                self.reject_repeated(&name)
            }
            Argument::Lints(lints) => {
                options.lints.extend(lints);
                Ok(())
            }
        }
    }

    /// Checks `min_blocks` against the block size, which may be written after it.
    fn check_min_blocks(&self) -> Option<Error> {
        let (blocks, at) = self.options.min_blocks.zip(self.min_blocks_at)?;
        let text = match &self.options.block {
            None => "`min_blocks` needs the threads of a block: add `block = 256`".to_owned(),
            Some(dims) => {
                let threads = count_threads(dims).ok()?? * u64::from(blocks);
                if threads <= MAX_THREADS_PER_MULTIPROCESSOR {
                    return None;
                }
                format!(
                    "a multiprocessor runs at most {MAX_THREADS_PER_MULTIPROCESSOR} threads at a time, \
                     not {threads}"
                )
            }
        };
        Some(Error::new(at, text))
    }

    /// Reports a cooperative kernel with a dependent launch: the block counter is that of the
    /// stream.
    fn check_dependent_launch(&self) -> Option<Error> {
        let Options { cooperative, dependent_launch, .. } = self.options;
        let text = "a cooperative kernel does not start before the grids before it have ended";
        let at = self.dependent_launch_at?;
        (cooperative && dependent_launch).then(|| Error::new(at, text))
    }

    fn reject_repeated(&mut self, name: &Ident) -> syn::Result<()> {
        let text = name.to_string();
        if self.seen_names.contains(&text) {
            return Err(Error::new(name.span(), format!("`{text}` is given twice")));
        }
        self.seen_names.push(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;
    use warpwise_compiler::diag::Level;

    fn errors(args: TokenStream) -> Vec<String> {
        let (_, error) = parse_arguments(args);
        error.into_iter().flatten().map(|error| error.to_string()).collect()
    }

    #[test]
    fn arguments_come_in_any_order() {
        let (options, error) = parse_arguments(quote!(
            open(TILE, m::WIDTH),
            contract = false,
            deny(gpu_barriers_after_divergent_returns),
            block = (32, N),
            wide_index,
            overflow_checks = true,
            requires(n > 1, n % 4 == 0),
            deny_checks,
            allow(gpu_barriers_in_divergent_flow, gpu_barriers_in_divergent_loops),
        ));
        assert!(error.is_none(), "{error:?}");
        assert!(!options.contract && options.wide_index && options.overflow_checks);
        let block = options.block.unwrap().map(|dim| dim.to_token_stream().to_string());
        assert_eq!(block, ["32", "N", "1"]);
        assert!(options.deny_checks);
        let requires: Vec<_> = options.requires.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(requires, ["n > 1", "n % 4 == 0"]);
        let open: Vec<_> = options.open.iter().map(crate::resolve::paths::path_key).collect();
        assert_eq!(open, ["TILE", "m::WIDTH"]);
        let lints: Vec<_> = options.lints.iter().map(|said| (said.lint, said.level)).collect();
        let expected = [
            ("gpu_barriers_after_divergent_returns", Level::Deny),
            ("gpu_barriers_in_divergent_flow", Level::Allow),
            ("gpu_barriers_in_divergent_loops", Level::Allow),
        ];
        assert_eq!(lints, expected);
    }

    #[test]
    fn nothing_is_asked_for_by_default() {
        let (options, error) = parse_arguments(TokenStream::new());
        assert!(error.is_none());
        assert!(options.contract && !options.wide_index && !options.overflow_checks);
        assert!(options.block.is_none() && options.open.is_empty() && options.lints.is_empty());
    }

    #[test]
    fn every_wrong_argument_is_reported() {
        let found = errors(quote!(blok = 3, wide_index, block = 0, wide_index, open(), , 7));
        assert_eq!(found.len(), 6, "{found:#?}");
        assert_eq!(found[0], "unknown argument `blok`; did you mean `block`?");
        assert_eq!(found[2], "`wide_index` is given twice");
    }

    #[test]
    fn min_blocks_needs_a_block_that_fits_as_often() {
        let (options, error) = parse_arguments(quote!(min_blocks = 2, block = 1024));
        assert!(error.is_none() && options.min_blocks == Some(2));
        assert!(parse_arguments(quote!(min_blocks = 4, block = N)).1.is_none());
        let cases = [
            (
                quote!(min_blocks = 2),
                "`min_blocks` needs the threads of a block: add `block = 256`",
            ),
            (
                quote!(block = 1024, min_blocks = 3),
                "a multiprocessor runs at most 2048 threads at a time, not 3072",
            ),
            (quote!(block = 32, min_blocks = 0), "a multiprocessor runs 1 to 32 blocks at a time"),
            (quote!(block = 32, min_blocks = 33), "a multiprocessor runs 1 to 32 blocks at a time"),
            (quote!(block = 32, min_blocks = 2, min_blocks = 2), "`min_blocks` is given twice"),
        ];
        for (args, expected) in cases {
            assert_eq!(errors(args), [expected]);
        }
        assert!(errors(quote!(block = 32, min_blocks))[0].starts_with("write `min_blocks = 2`"));
    }

    #[test]
    fn valid_arguments_are_kept_beside_wrong_ones() {
        let (options, error) = parse_arguments(quote!(nonsense, block = 64));
        assert!(error.is_some() && options.block.is_some());
    }
}
