//! Mistakes that the syntax of kernel code shows, and that rustc would answer with less: names of
//! CUDA C++ and other languages for GPUs, names that need an import, and a few forms that kernels
//! have another form for.
//!
//! They are found before the names of an item are resolved, by its syntax and its file alone. Where
//! one is found, [the error takes the place of the code](replace_mistakes), so that rustc reports
//! nothing else about it, and the item is not compiled.
mod calls;
mod dictionary;
mod foreign_names;
mod host_items;
mod imports;
mod indices;
mod numbers;
mod operands;
mod parameters;
mod replace;
mod shared_arrays;

pub(crate) use {
    host_items::host_item_message,
    parameters::{
        POINTER_HELP, find_refused_parameters, has_idle_body, rename_repeated_parameters,
        without_body,
    },
    replace::replace_mistakes,
};

use crate::{
    attr::build_settings::Build,
    resolve::{
        paths::{
            is_type_name,
            known::{is_known_path, is_known_trait},
            macros::parse_shared_dyn,
        },
        source_map,
    },
    syntax::{
        item::is_std_macro, limits, place::SourceLocation, span::SpanRange, spell::print_tokens,
    },
    types::{Prim, builtin},
};
use dictionary::ForeignKind;
use indices::IndexField;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use shared_arrays::{
    LooseArray, repeated_by_builtin, shared_in_place_of, wrong_shared_slice, wrong_shared_type,
};
use std::collections::{HashMap, HashSet};
use syn::{
    Arm, Attribute, BinOp, Expr, ExprAssign, ExprCall, ExprClosure, ExprIndex, ExprLet, ExprMacro,
    ExprPath, ExprReturn, FnArg, Generics, Item, ItemFn, Local, Macro, Member, Meta, Pat, PatIdent,
    PatType, Path, Stmt, Type, TypeArray, TypeParam, TypeParamBound, TypePath, TypeReference,
    visit::{self, Visit},
};

/// A mistake and its message.
#[derive(Debug)]
pub(crate) struct Mistake {
    /// The code that the message is about.
    pub(crate) at: SpanRange,
    /// The message, with its help.
    pub(crate) text: String,
    /// The kind of place.
    pub(crate) place: Place,
}

impl Mistake {
    /// Returns the second attribute that makes `attributes` those of a kernel or a device item, if
    /// there is one below the attribute that is being expanded.
    pub(crate) fn second_attribute(attributes: &[Attribute]) -> Option<Self> {
        let is_ours = |attribute: &&Attribute| {
            let last = attribute.path().segments.last();
            last.is_some_and(|last| last.ident == "device" || last.ident == "kernel")
        };
        let attribute = attributes.iter().find(is_ours)?;
        let text = "a function is a kernel or a device function, and says so once\n= help: move its \
                    body into a `#[device]` function, and call that in the kernel";
        Some(Self {
            at: attribute_range(attribute),
            text: text.to_owned(),
            place: Place::Attribute,
        })
    }

    /// Returns `#[no_mangle]` on a kernel.
    fn no_mangle(kernel: &ItemFn) -> Option<Self> {
        let is_meant = |attribute: &&Attribute| {
            let path = attribute.path();
            path.is_ident("no_mangle")
                || path.is_ident("unsafe")
                    && attribute.parse_args::<Path>().is_ok_and(|path| path.is_ident("no_mangle"))
        };
        let attribute = kernel.attrs.iter().find(is_meant)?;
        let help = match kernel.sig.abi {
            Some(_) => "leave it and `extern` out",
            None => "leave it out",
        };
        let text = format!("a launch finds a kernel by its path, not by a symbol\n= help: {help}");
        Some(Self { at: attribute_range(attribute), text, place: Place::Attribute })
    }
}

/// Returns the name of an attribute as the dictionary has it: `unroll`, or `spirv(compute)`, with the
/// word that decides what the attribute is about.
fn attribute_name(attribute: &Attribute) -> String {
    let name = path_text(attribute.path());
    let is_compute = name == "spirv"
        && matches!(&attribute.meta, Meta::List(list) if list.tokens.to_string().starts_with("compute"));
    if is_compute { "spirv(compute)".to_owned() } else { name }
}

/// Returns true for an attribute above the macro that is being expanded. rustc has reported that it
/// does not know it.
fn is_above_macro(attribute: &Attribute) -> bool {
    let start = |span| SourceLocation::start_of(span);
    let [at, of_macro] = [start(attribute.pound_token.spans[0]), start(Span::call_site())];
    at.file == of_macro.file && (at.line, at.column) < (of_macro.line, of_macro.column)
}

fn attribute_range(attribute: &Attribute) -> SpanRange {
    let last = attribute.bracket_token.span.close();
    SpanRange { first: attribute.pound_token.spans[0], last }
}

/// Returns the macro that a statement calls.
fn stmt_macro(stmt: &Stmt) -> Option<&Macro> {
    match stmt {
        Stmt::Macro(call) => Some(&call.mac),
        Stmt::Expr(Expr::Macro(call), _) => Some(&call.mac),
        _ => None,
    }
}

/// The kind of place of a mistake.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// An expression or a statement.
    Code,
    /// A type or a part of a parameter, with its replacement, so that it is known where the item is
    /// used.
    Type(TokenStream),
    /// An attribute of an item.
    Attribute,
    /// A number that is cast to this type, without an error: another mistake reports it.
    Number(Prim),
    /// Code that is replaced by this, without an error: another mistake reports it.
    Repeated(TokenStream),
}

/// Returns the mistakes in a kernel.
pub(crate) fn find_in_kernel(kernel: &ItemFn) -> Vec<Mistake> {
    let returns_nothing = kernel.sig.output == syn::ReturnType::Default;
    let mut finder = Finder { is_kernel_body: returns_nothing, ..Finder::default() };
    finder.visit_item_fn(kernel);
    if let Some(Stmt::Expr(value @ Expr::Call(_), None)) = kernel.block.stmts.last()
        && let Some(help) = returned_value_help(value).filter(|_| returns_nothing)
    {
        let text = (RETURNS_NOTHING.to_owned(), help.to_owned());
        finder.add(SpanRange::expr(value), text, None, |_| {});
    }
    if let Some((ty, text)) = parameters::returned_type(kernel) {
        let (at, place) = (SpanRange::tokens(ty), Place::Type(quote!(())));
        let mistake = Mistake { at, text: text.to_owned(), place };
        // The body and the type have no other mistakes that matter.
        return vec![mistake];
    }
    let second = Mistake::second_attribute(&kernel.attrs).or_else(|| Mistake::no_mangle(kernel));
    // Integers first, since their places may begin with another mistake.
    operands::find_in_kernel(kernel).into_iter().chain(finder.finish()).chain(second).collect()
}

/// The fact about a value that a kernel returns.
const RETURNS_NOTHING: &str =
    "a kernel returns nothing: each of its threads would return its own value";

/// Returns the help for a value that a kernel returns, if its syntax shows that it is not `()`.
fn returned_value_help(value: &Expr) -> Option<&'static str> {
    match value {
        Expr::Lit(_) | Expr::Index(_) | Expr::Binary(_) | Expr::Unary(_) => {
            Some("write the value to a `&mut [T]` parameter, and then `return;`")
        }
        Expr::Call(call) => returned_value_help(&call.func),
        Expr::Path(path) => {
            let is_result =
                ["Err", "None", "Ok", "Some"].iter().any(|known| path.path.is_ident(known));
            is_result
                .then_some("a thread ends by `return;`, and reports a failure by `panic!(\"..\")`")
        }
        _ => None,
    }
}

/// Returns the mistakes in a device item.
pub(crate) fn find_in_item(item: &Item) -> Vec<Mistake> {
    let mut finder = Finder::default();
    finder.visit_item(item);
    let second = match item {
        Item::Fn(function) => Mistake::second_attribute(&function.attrs),
        _ => None,
    };
    operands::find_in_item(item).into_iter().chain(finder.finish()).chain(second).collect()
}

/// A mistake, unless it is about a name that the item declares.
struct Candidate {
    mistake: Mistake,
    /// The name that must not be declared, if it is about one.
    name: Option<Ident>,
    /// True if a glob import could bring that name.
    is_common_name: bool,
}

/// The mistakes and the declared names of an item.
#[derive(Default)]
struct Finder {
    candidates: Vec<Candidate>,
    variables: HashSet<String>,
    items: HashSet<String>,
    type_params: HashSet<String>,
    /// Type parameters that only Warpwise's traits of numbers, and no other ones, bound.
    number_params: HashSet<String>,
    /// The bounds of type parameters that may be floats: `Num` or `Float`.
    float_bounds: HashMap<String, String>,
    /// Parameters of such a type, by value or behind a reference, with its name.
    float_values: HashMap<String, String>,
    /// Parameters of numbers behind a reference, with the number.
    numbers: HashMap<String, Prim>,
    /// The mutable statics that are mistakes already.
    mutable_statics: HashSet<String>,
    /// Parameters that are atomics of floats.
    float_atomics: HashSet<String>,
    /// Variables with shared arrays of numbers, with the number and the length.
    shared_numbers: HashMap<String, (Prim, String)>,
    /// The const parameters.
    const_params: HashSet<String>,
    /// True in the pattern of a `match` or an `if let`, where a plain name may be a constant's.
    is_refutable: bool,
    depth: usize,
    /// True in the body of a kernel that returns nothing, but for its closures and inner items.
    is_kernel_body: bool,
}

impl Finder {
    fn finish(self) -> Vec<Mistake> {
        let is_declared = |name: &Ident| {
            let text = name.to_string();
            self.variables.contains(&text)
                || self.items.contains(&text)
                || self.type_params.contains(&text)
        };
        let is_mistake = |candidate: &Candidate| match &candidate.name {
            Some(name) => !is_declared(name) && !may_be_in_scope(name, candidate.is_common_name),
            None => true,
        };
        let found = self.candidates.into_iter().filter(is_mistake);
        found.map(|candidate| candidate.mistake).collect()
    }

    /// Adds a candidate, if there is a `help`, and visits its subexpressions.
    fn add(
        &mut self,
        at: SpanRange,
        (fact, help): (String, String),
        name: Option<(&Ident, bool)>,
        inside: impl FnOnce(&mut Self),
    ) {
        let text = format!("{fact}\n= help: {help}");
        let (name, is_common_name) =
            name.map_or((None, false), |(name, it)| (Some(name.clone()), it));
        let mistake = Mistake { at, text, place: Place::Code };
        self.candidates.push(Candidate { mistake, name, is_common_name });
        inside(self);
    }

    /// Adds a candidate if there is a text; returns true if there is.
    fn add_if_some(
        &mut self,
        at: SpanRange,
        text: Option<(String, String)>,
        inside: impl FnOnce(&mut Self),
    ) -> bool {
        let is_found = text.is_some();
        if let Some(text) = text {
            self.add(at, text, None, inside);
        }
        is_found
    }

    /// Adds an attribute, which rustc does not see.
    fn remove_attribute(&mut self, attribute: &Attribute, text: String) {
        let (at, place) = (attribute_range(attribute), Place::Type(TokenStream::new()));
        let mistake = Mistake { at, text, place };
        self.candidates.push(Candidate { mistake, name: None, is_common_name: false });
    }

    /// Adds the first use of a `static mut`, which rustc would report a second time: it is unsafe.
    /// Returns true if it is one.
    fn add_mutable_static(&mut self, path: &Path, at: SpanRange) -> bool {
        let name = path.get_ident().filter(|name| !self.variables.contains(&name.to_string()));
        let Some(text) = name.and_then(host_items::mutable_static_message) else { return false };
        let is_first = self.mutable_statics.insert(path_text(path));
        let place = if is_first {
            Place::Code
        } else {
            Place::Repeated(quote!((*unsafe { &mut *(&raw mut #path) })))
        };
        let mistake = Mistake { at, text, place };
        self.candidates.push(Candidate { mistake, name: None, is_common_name: false });
        true
    }

    /// Adds the use of a name of Warpwise that is not in scope; returns true if it may be one.
    fn add_missing_import(
        &mut self,
        path: &Path,
        at: SpanRange,
        kind: imports::Kind,
        inside: impl FnOnce(&mut Self),
    ) -> bool {
        let Some((first, missing)) = path.segments.first().zip(imports::find(path, kind)) else {
            return false;
        };
        let name = path_text(path);
        if path.segments.len() > 1 && Build::may_be_dependency(&first.ident.to_string()) {
            return false;
        }
        if missing.is_in_prelude && source_map::has_prelude(&first.ident) {
            return false;
        }
        let text = (format!("cannot find `{name}` in this scope"), missing.help);
        self.add(at, text, Some((&first.ident, true)), inside);
        true
    }
}

/// Returns true if the file of `name` declares or imports it, or may do so by a macro or a glob
/// import other than a prelude's. For a name that only CUDA C++ has, `use super::*` does not count.
fn may_be_in_scope(name: &Ident, is_common_name: bool) -> bool {
    if source_map::is_nowhere(name) {
        return false;
    }
    source_map::mentions_name(name)
        || if is_common_name {
            source_map::has_unwritten_names(name)
        } else {
            source_map::has_far_globs(name)
        }
}

/// Returns the help for a call of a macro as a function, `assert(i < n)`.
fn macro_help(name: &Ident) -> Option<String> {
    match name.to_string().as_str() {
        "shared" | "shared_dyn" => {
            Some(format!("write `{name}!(..)`: `shared!([f32; 256])`, `shared_dyn!(f32, n)`"))
        }
        "print" | "println" => Some(format!(
            "write `{name}!(..)`, which takes a text: `println!(\"{{i}}: {{}}\", x[i])`"
        )),
        _ => is_std_macro(name).then(|| format!("write `{name}!(..)`")),
    }
}

/// Returns the help for a call of a function that the user's crate declares, if the name in the
/// call leads to one.
fn own_function_help(name: &Ident) -> Option<String> {
    if source_map::declares_function(name) {
        return Some(format!("give your function `{name}` another name"));
    }
    let elsewhere = source_map::far_item(&Path::from(name.clone()))?;
    let is_function = elsewhere.item.keyword == "fn";
    is_function.then(|| format!("import Warpwise's instead, `use warpwise::{name};`"))
}

/// Returns the name of a path of one segment with generic arguments.
fn single_name(path: &Path) -> Option<&Ident> {
    let is_single = path.leading_colon.is_none() && path.segments.len() == 1;
    path.segments.first().filter(|_| is_single).map(|segment| &segment.ident)
}

/// Returns the type that the help of a mistake says to write: its first code.
fn advised_type(mistake: &Mistake) -> Option<&str> {
    mistake.text.split("write `").nth(1)?.split('`').next()
}

/// Returns the type that a mistaken one stands for: the advised one, or the type of that name in
/// Warpwise, without generic arguments if the user writes some.
fn intended_type(path: &Path, advised: Option<&str>, has_arguments: bool) -> TokenStream {
    let shown = advised.map_or_else(|| path_text(path), str::to_owned);
    let shown = if has_arguments { shown.split('<').next().unwrap_or_default() } else { &shown };
    match Prim::from_name(shown) {
        Some(prim) if !prim.is_half() => shown.parse(),
        _ => format!("::warpwise::{shown}").parse(),
    }
    .unwrap_or_default()
}

/// Returns a path as written, without generic arguments.
fn path_text(path: &Path) -> String {
    let names: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
    names.join("::")
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        // The guard of a pattern may contain variables of closures.
        let outer = std::mem::replace(&mut self.is_refutable, false);
        // Chains may be thousands of links long.
        let chain = limits::Chain::split(expr);
        for arm in &chain.arms {
            self.visit_expr(&arm.cond);
            self.visit_block(&arm.then_branch);
        }
        let mut operands = chain.operands;
        // The sum is a link of the chain.
        if let Some(thread) = operands.last()
            && let Some(found) = indices::global_index([chain.rest, thread])
        {
            let at = SpanRange::expr(chain.rest).to(SpanRange::expr(thread));
            self.add_index(at, Some(found));
            operands.pop();
        } else if self.depth < limits::MAX_DEPTH {
            self.depth += 1;
            self.visit_one(chain.rest);
            self.depth -= 1;
        }
        operands.into_iter().rev().for_each(|operand| self.visit_expr(operand));
        self.is_refutable = outer;
    }

    fn visit_type(&mut self, ty: &'ast Type) {
        if let Type::Path(path) = ty
            && path.qself.is_none()
            && single_name(&path.path).is_some()
            && let Some(written) = path.path.segments.first()
        {
            let name = &written.ident;
            let at = SpanRange::token(name.span());
            let path = Path::from(name.clone());
            let before = self.candidates.len();
            let found = self.add_from_dictionary(dictionary::TYPES, &path, at, |_| {})
                || self.add_foreign(ForeignKind::Type, &path, at, |_| {})
                || self.add_missing_import(&path, at, imports::Kind::Type, |_| {});
            if found {
                let mistake = &mut self.candidates[before].mistake;
                let has_arguments = !written.arguments.is_none();
                let advised = advised_type(mistake);
                let is_alone = advised.is_some_and(|advised| !advised.contains('<'));
                mistake.place = Place::Type(intended_type(&path, advised, has_arguments));
                if has_arguments && is_alone {
                    mistake.at.last = SpanRange::tokens(ty).last;
                }
            }
        }
        if self.depth < limits::MAX_DEPTH {
            self.depth += 1;
            visit::visit_type(self, ty);
            self.depth -= 1;
        }
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        self.visit_refutable(&arm.pat);
        self.visit_expr(&arm.body);
    }

    fn visit_expr_let(&mut self, expr: &'ast ExprLet) {
        self.visit_refutable(&expr.pat);
        self.visit_expr(&expr.expr);
    }

    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        if self.is_refutable && self.add_misspelt_constant(pat) {
            return;
        }
        let name = pat.ident.to_string();
        self.float_values.remove(&name);
        self.variables.insert(name);
        visit::visit_pat_ident(self, pat);
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        if let Some(mac) = stmt_macro(stmt)
            && mac.path.is_ident("shared")
            && let Ok(LooseArray { name: Some(name), ty }) = mac.parse_body()
        {
            let (fact, help) = wrong_shared_type(mac);
            self.variables.insert(name.to_string());
            let first = SpanRange::path(&mac.path).first;
            let at = SpanRange { first, last: mac.delimiter.span().close() };
            self.declare_shared(at, &name, &ty, (fact, help));
            return;
        }
        visit::visit_stmt(self, stmt);
    }

    fn visit_local(&mut self, local: &'ast Local) {
        self.add_shared_attribute(local);
        if let Pat::Ident(name) = &local.pat
            && let Some(init) = &local.init
            && let Expr::Macro(ExprMacro { mac, .. }) = &*init.expr
            && mac.path.is_ident("shared")
            && let Ok(TypeArray { elem, len, .. }) = mac.parse_body::<TypeArray>()
            && let Type::Path(path) = &*elem
            && let Some(number) =
                path.path.get_ident().and_then(|name| Prim::from_name(&name.to_string()))
        {
            let len = print_tokens(len.to_token_stream());
            self.shared_numbers.insert(name.ident.to_string(), (number, len));
        }
        let Pat::Type(PatType { pat, ty, .. }) = &local.pat else {
            return visit::visit_local(self, local);
        };
        if let (Pat::Ident(name), Type::Array(_)) = (&**pat, &**ty)
            && let Some(init) = &local.init
            && let Expr::Macro(ExprMacro { mac, .. }) = &*init.expr
            && mac.path.is_ident("shared")
            && (mac.tokens.is_empty() || mac.parse_body::<Type>().is_ok())
        {
            if mac.tokens.is_empty() {
                let code = shared_in_place_of(&name.ident, Some(ty), None).unwrap_or_default();
                let text = ("`shared!` takes a type".to_owned(), format!("write {code}"));
                self.add(SpanRange::expr(&init.expr), text, None, |_| {});
                return self.visit_pat(pat);
            }
            let shown = print_tokens(init.expr.to_token_stream());
            let fact = format!(
                "`shared!` returns a reference to an array of the block: `&mut {}`",
                print_tokens(ty.to_token_stream())
            );
            let help = format!("leave the type out: `let {} = {shown};`", name.ident);
            self.add(SpanRange::expr(&init.expr), (fact, help), None, |_| {});
            return self.visit_pat(pat);
        }
        if let (Type::Array(_), Some(init)) = (&**ty, &local.init)
            && let Expr::MethodCall(call) = &*init.expr
            && call.method == "collect"
            && is_iterator(&call.receiver)
            && !source_map::mentions_name(&call.method)
        {
            let fact = "an array cannot be collected".to_owned();
            let help = "compute it by `std::array::from_fn(|k| ..)`, or in a `for` loop".to_owned();
            self.add(SpanRange::expr(&init.expr), (fact, help), None, |_| {});
            return self.visit_pat(pat);
        }
        let first = self.candidates.len();
        self.visit_type(ty);
        // The value tells the type, of which several may be meant.
        for candidate in &mut self.candidates[first..] {
            if let Place::Type(intended) = &mut candidate.mistake.place {
                *intended = quote!(_);
            }
        }
        self.visit_pat(pat);
        if let Some(init) = &local.init {
            self.visit_local_init(init);
        }
    }

    fn visit_item(&mut self, item: &'ast Item) {
        if let Item::Mod(module) = item {
            let at = SpanRange { first: module.mod_token.span, last: module.ident.span() };
            let text = "kernel code cannot define modules inside\n= help: move it out of the function, and \
                        put `#[device]` above it";
            // The module stays, so that its names are known.
            let (keyword, name) = (&module.mod_token, &module.ident);
            let place = Place::Type(quote!(#keyword #name));
            let mistake = Mistake { at, text: text.to_owned(), place };
            self.candidates.push(Candidate { mistake, name: None, is_common_name: false });
            return;
        }
        if let Item::Static(_) | Item::Verbatim(_) = item
            && self.add_shared_static(item)
        {
            return;
        }
        self.items.extend(crate::syntax::item::item_name(item).map(Ident::to_string));
        let is_kernel_body = std::mem::replace(&mut self.is_kernel_body, false);
        visit::visit_item(self, item);
        self.is_kernel_body = is_kernel_body;
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        let is_kernel_body = std::mem::replace(&mut self.is_kernel_body, false);
        visit::visit_expr_closure(self, closure);
        self.is_kernel_body = is_kernel_body;
    }

    fn visit_generics(&mut self, generics: &'ast Generics) {
        self.type_params.extend(generics.type_params().map(|param| param.ident.to_string()));
        if generics.where_clause.is_none() {
            let numbers = generics.type_params().filter(|param| is_bound_as_number(param));
            self.number_params.extend(numbers.map(|param| param.ident.to_string()));
        }
        for param in generics.type_params().filter(|param| is_bound_as_number(param)) {
            let bounds = param.bounds.iter().map(|bound| bound.to_token_stream().to_string());
            if let [bound] = &bounds.collect::<Vec<_>>()[..]
                && bound != "Int"
                && generics.where_clause.is_none()
            {
                self.float_bounds.insert(param.ident.to_string(), bound.clone());
            }
        }
        for param in generics.const_params() {
            self.const_params.insert(param.ident.to_string());
            self.items.insert(param.ident.to_string());
        }
        visit::visit_generics(self, generics);
    }

    fn visit_fn_arg(&mut self, arg: &'ast FnArg) {
        if let FnArg::Typed(PatType { pat, ty, .. }) = arg
            && let Pat::Ident(name) = &**pat
            && let Some(number) = referenced_number(ty)
        {
            self.numbers.insert(name.ident.to_string(), number);
        }
        if let FnArg::Typed(PatType { pat, ty, .. }) = arg
            && let (Pat::Ident(name), Type::Path(elem)) = (&**pat, referenced_type(ty))
            && elem
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == "AtomicF32" || last.ident == "AtomicF64")
        {
            self.float_atomics.insert(name.ident.to_string());
        }
        if let FnArg::Typed(PatType { ty, .. }) = arg
            && let Some((name, text, intended)) =
                parameters::host_array(ty).or_else(|| parameters::texture_without_texels(ty))
        {
            let at = SpanRange::tokens(ty);
            let is_known = source_map::is_imported_from_warpwise(name);
            self.add(at, text, (!is_known).then_some((name, true)), |_| {});
            if let Some(candidate) = self.candidates.last_mut() {
                candidate.mistake.place = Place::Type(intended);
            }
            return;
        }
        if let FnArg::Typed(typed) = arg
            && let Some((at, text, intended)) = parameters::unsized_parameter(&typed.ty)
                .or_else(|| parameters::parameter_of_shader(typed))
        {
            self.visit_pat(&typed.pat);
            self.add(at, text, None, |_| {});
            if let Some(candidate) = self.candidates.last_mut() {
                candidate.mistake.place = Place::Type(intended);
            }
            return;
        }
        visit::visit_fn_arg(self, arg);
        if let FnArg::Typed(PatType { pat, ty, .. }) = arg
            && let Pat::Ident(name) = &**pat
            && let Type::Path(elem) = referenced_type(ty)
            && let Some(elem) = elem.path.get_ident().map(Ident::to_string)
            && self.float_bounds.contains_key(&elem)
        {
            self.float_values.insert(name.ident.to_string(), elem);
        }
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Some(text) = parameters::memory_of_shader(attribute) {
            return self.remove_attribute(attribute, text);
        }
        let name = attribute_name(attribute);
        let of_cuda =
            || dictionary::find(dictionary::ATTRIBUTES, &name).map(|help| ("CUDA C++", help));
        if let Some((language, help)) =
            dictionary::find_foreign(ForeignKind::Attribute, &name).or_else(of_cuda)
            && !source_map::mentions_name(&attribute.path().segments[0].ident)
            && !is_above_macro(attribute)
        {
            self.remove_attribute(attribute, format!("`#[{name}]` is {language}\n= help: {help}"));
        }
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        let at = SpanRange {
            first: SpanRange::path(&mac.path).first,
            last: mac.delimiter.span().close(),
        };
        match mac.path.get_ident().map(Ident::to_string).as_deref() {
            Some("shared") => {
                if let Some(text) = self.wrong_shared_array(mac) {
                    return self.add(at, text, None, |_| {});
                }
            }
            Some("shared_dyn") => {
                if let Some(text) = wrong_shared_slice(mac) {
                    return self.add(at, text, None, |_| {});
                }
            }
            Some("asm" | "global_asm") => {
                let name = mac.path.get_ident();
                let text = mac.path.to_token_stream().to_string();
                let fact = format!("`{text}!` is for the machine code of the host");
                let help = "write PTX: `unsafe { ptx!(\"..\", else {}) }`, with what the interpreter \
                            does after `else`";
                let is_std = name.is_some_and(|name| source_map::imported_std_path(name).is_some());
                let name = name.filter(|_| !is_std).map(|name| (name, false));
                return self.add(at, (fact, help.to_owned()), name, |_| {});
            }
            // One that prints elsewhere on the host: where output goes is the device's to decide.
            Some("print" | "println" | "eprint" | "eprintln") => return,
            _ => {
                if !self.add_foreign_macro(&mac.path, at)
                    && let Some(name) = mac.path.get_ident()
                    && is_std_macro(name)
                    && source_map::macro_rules_body(name).is_some()
                {
                    let fact = format!("kernel code takes `{name}!` for std's macro of that name");
                    let help = "give your macro another name".to_owned();
                    self.add(at, (fact, help), None, |_| {});
                }
                return;
            }
        }
        let path = &mac.path;
        if self.add_missing_import(path, at, imports::Kind::Macro, |_| {}) {
            return;
        }
        if let Ok((ty, len)) = mac.parse_body_with(parse_shared_dyn) {
            // A finder of its own, since these are no part of the visited syntax.
            let mut inner = Self::default();
            inner.visit_type(&ty);
            inner.visit_expr(&len);
            self.candidates.extend(inner.candidates);
        }
    }
}

impl<'ast> Finder {
    fn visit_refutable(&mut self, pat: &'ast Pat) {
        let outer = std::mem::replace(&mut self.is_refutable, true);
        self.visit_pat(pat);
        self.is_refutable = outer;
    }

    /// Adds a name in a pattern that is written like a constant's or a variant's, and that nothing
    /// declares: for rustc it is a new variable. Returns true if it is such a name.
    fn add_misspelt_constant(&mut self, pat: &PatIdent) -> bool {
        let name = &pat.ident;
        let is_plain = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
        // A trait is no pattern.
        let is_known = is_known_path(&[name.to_string()], false)
            && !is_known_trait(&name.to_string())
            || self.const_params.contains(&name.to_string());
        if !is_plain
            || is_known
            || !is_type_name(&name.to_string())
            || !source_map::is_nowhere(name)
        {
            return false;
        }
        let help = match (source_map::variant_path(name), source_map::similar_name(name)) {
            (Some(path), _) => format!("write `{path}`"),
            (None, Some(similar)) => format!("`{similar}` has a similar name"),
            (None, None) => {
                "declare it as a `#[device] const`, or write a variable in lower case".to_owned()
            }
        };
        let fact =
            format!("no constant or variant `{name}` is in scope: the pattern is a variable");
        self.add(SpanRange::token(name.span()), (fact, help), Some((name, true)), |_| {});
        true
    }

    fn visit_one(&mut self, expr: &'ast Expr) {
        let inside = |this: &mut Self| visit::visit_expr(this, expr);
        let at = || SpanRange::expr(expr);
        let found = match expr {
            Expr::Call(call) => self.visit_function_call(call, at()),
            Expr::MethodCall(call) if let Some(text) = self.atomic_call(call) => {
                self.add(at(), text, None, inside);
                true
            }
            Expr::MethodCall(call)
                if self.add_python(ForeignKind::Function, &call.receiver, &call.method, at()) =>
            {
                true
            }
            Expr::MethodCall(call) => {
                self.visit_expr(&call.receiver);
                self.visit_arguments(&call.args);
                let types = call.turbofish.iter();
                types.for_each(|types| self.visit_angle_bracketed_generic_arguments(types));
                true
            }
            // Not a type that is replaced: several types may be meant.
            Expr::Cast(cast) => match &*cast.ty {
                Type::Ptr(_) => {
                    let help = "an element is `x[i]`, and the bits of a float are `x[i].to_bits()` and \
                                `f32::from_bits(bits)`";
                    let fact = "kernel code cannot use raw pointers".to_owned();
                    self.add(at(), (fact, help.to_owned()), None, |_| {});
                    true
                }
                Type::Path(TypePath { qself: None, path, .. }) => {
                    let operand = |this: &mut Self| this.visit_expr(&cast.expr);
                    self.add_from_dictionary(dictionary::TYPES, path, at(), operand)
                }
                _ => false,
            },
            Expr::Field(field) => {
                let index = IndexField::new(field).map(|index| {
                    let text = index.text();
                    (index, text)
                });
                self.add_index(at(), index)
                    || matches!(&field.member, Member::Named(name)
                        if self.add_python(ForeignKind::Variable, &field.base, name, at()))
            }
            Expr::Path(ExprPath { qself: None, path, .. }) => {
                self.add_mutable_static(path, at())
                    || path.get_ident().is_some()
                        && (self.add_from_dictionary(dictionary::VARIABLES, path, at(), |_| {})
                            || self.add_foreign(ForeignKind::Variable, path, at(), |_| {}))
                    || self.add_uncalled_builtin(path, at())
            }
            Expr::Return(ExprReturn { expr: Some(value), .. })
                if self.is_kernel_body
                    && let Some(help) = returned_value_help(value) =>
            {
                self.add(at(), (RETURNS_NOTHING.to_owned(), help.to_owned()), None, inside);
                true
            }
            Expr::Binary(binary) => {
                let found = match binary.op {
                    BinOp::Add(_) => indices::global_index([&binary.left, &binary.right]),
                    _ => indices::index_product(binary),
                };
                self.add_index(at(), found)
                    || self.add_if_some(at(), self.bits_of_float(binary), inside)
            }
            Expr::Repeat(repeat) => self.add_if_some(at(), repeated_by_builtin(repeat), inside),
            Expr::Assign(assign) => self.add_if_some(at(), assigned_slice(assign), inside),
            _ => false,
        };
        if !found {
            inside(self);
        }
    }

    /// Visits a call of a function by path; returns false for other calls.
    fn visit_function_call(&mut self, call: &'ast ExprCall, at: SpanRange) -> bool {
        let Expr::Path(ExprPath { qself: None, path, .. }) = &*call.func else { return false };
        let arguments = |this: &mut Self| call.args.iter().for_each(|arg| this.visit_expr(arg));
        if let Some(text) = self.conversion_of_literal(path, call) {
            self.add(at, text, None, arguments);
            return true;
        }
        if let Some(name) = path.get_ident()
            && let Some(help) = macro_help(name)
        {
            self.add(at, (format!("`{name}` is a macro"), help), Some((name, true)), arguments);
            return true;
        }
        if let Some(name) = single_name(path)
            && builtin::find(&[name.to_string()]).is_some()
            && let Some(help) = own_function_help(name)
        {
            let fact = format!("kernel code takes `{name}` for Warpwise's function of that name");
            self.add(at, (fact, help), None, arguments);
            return true;
        }
        if let Some((text, first)) = self.wrong_call(path, call).zip(path.segments.first()) {
            let name = &first.ident;
            let is_known = source_map::is_imported_from_warpwise(name);
            let is_common = !dictionary::is_unmistakable(&name.to_string());
            self.add(at, text, (!is_known).then_some((name, is_common)), arguments);
            return true;
        }
        if !self.add_foreign(ForeignKind::Function, path, at, |_| {})
            && !self.add_from_dictionary(dictionary::FUNCTIONS, path, at, arguments)
            && !self.add_foreign_vector(path, at)
            && !self.add_missing_import(path, at, imports::Kind::Function, arguments)
        {
            self.visit_path(path);
            self.visit_arguments(&call.args);
        }
        true
    }

    fn wrong_call(&self, path: &Path, call: &ExprCall) -> Option<(String, String)> {
        calls::wrong_form(path, call, |name| self.float_atomics.contains(name))
    }

    /// Visits the arguments of a call, which may be functions.
    fn visit_arguments(&mut self, args: impl IntoIterator<Item = &'ast Expr>) {
        args.into_iter().filter(|arg| !matches!(arg, Expr::Path(_))).for_each(|arg| {
            self.visit_expr(arg);
        });
    }

    /// Adds a function of Warpwise without parameters that is not called: `sync_threads;`. Returns
    /// true if it may be one.
    fn add_uncalled_builtin(&mut self, path: &Path, at: SpanRange) -> bool {
        let names: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        let Some((found, first)) = builtin::find(&names).zip(path.segments.first()) else {
            return false;
        };
        let is_in_module = found.path.contains("::");
        let is_function = found.params.is_empty() && is_in_module == (names.len() > 1);
        if !is_function || !source_map::has_prelude(&first.ident) {
            return false;
        }
        let name = names.join("::");
        let fact = format!("`{name}` is a function");
        let help = format!("add parentheses: `{name}()`");
        self.add(at, (fact, help), Some((&first.ident, is_in_module)), |_| {});
        true
    }
}

/// Returns true for a method call or a range, which are iterators if something collects them.
fn is_iterator(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(inside) => is_iterator(&inside.expr),
        expr => matches!(expr, Expr::MethodCall(_) | Expr::Range(_)),
    }
}

/// Returns true if all bounds of a type parameter are Warpwise's traits of numbers.
fn is_bound_as_number(param: &TypeParam) -> bool {
    let is_of_number = |bound: &TypeParamBound| match bound {
        TypeParamBound::Trait(bound) => bound
            .path
            .get_ident()
            .is_some_and(|name| ["Float", "Int", "Num"].iter().any(|known| name == known)),
        _ => false,
    };
    !param.bounds.is_empty() && param.bounds.iter().all(is_of_number)
}

/// Returns the type `T` of `&[T]`, `&mut [T]`, `&T`, `&mut T` or `T`.
fn referenced_type(ty: &Type) -> &Type {
    match ty {
        Type::Reference(TypeReference { elem, .. }) => match &**elem {
            Type::Slice(slice) => &slice.elem,
            elem => elem,
        },
        ty => ty,
    }
}

/// Returns the number of a type `&[f32]`, `&mut [f32]`, `&f32` or `&mut f32`.
fn referenced_number(ty: &Type) -> Option<Prim> {
    let Type::Reference(_) = ty else { return None };
    let Type::Path(path) = referenced_type(ty) else { return None };
    Prim::from_name(&path.path.get_ident()?.to_string())
}

/// Returns the message for `y[a..b] = ..`.
fn assigned_slice(ExprAssign { left, right, .. }: &ExprAssign) -> Option<(String, String)> {
    let is_range = |expr: &Expr| matches!(expr, Expr::Index(ExprIndex { index, .. }) if matches!(&**index, Expr::Range(_)));
    if !is_range(left) {
        return None;
    }
    let value = match &**right {
        Expr::Reference(reference) => &reference.expr,
        _ => right,
    };
    let (part, shown) =
        (print_tokens(left.to_token_stream()), print_tokens(value.to_token_stream()));
    let help = match &**value {
        value if is_range(value) => format!("write `{part}.copy_from_slice(&{shown});`"),
        Expr::Lit(_) | Expr::Unary(_) => format!("write `{part}.fill({shown});`"),
        _ => format!("write `{part}.copy_from_slice(..);` or `{part}.fill(..);`"),
    };
    Some((
        "a part of a slice cannot be assigned: its length is known at run time only".to_owned(),
        help,
    ))
}
