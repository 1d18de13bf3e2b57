//! Which paths of an item lead to other `#[device]` items: the functions, types, traits and
//! constants that it names and does not declare itself.
//!
//! A path is cut behind the first name of a type, and its generic arguments are left out:
//! `geo::Vec3::<f32>::new` leads to `geo::Vec3`, `Shape::Circle` to `Shape`. By convention types,
//! traits and constants begin with an upper-case letter, functions and modules with a lower-case
//! one. Not among them: variables, generic parameters, `Self`, and [what kernel code knows by
//! name](known). What nests too deep for [`lower`](crate::pipeline::lower) is not looked into.
pub(crate) mod known;
pub(crate) mod macros;
mod scope;
#[cfg(test)]
mod tests;

use crate::{
    attr::Options,
    resolve::{paths::scope::Scope, source_map},
    syntax::limits,
    types::{Prim, ordering::is_ordering},
};
use proc_macro2::TokenStream;
use std::collections::HashSet;
use syn::{
    Arm, Attribute, Block, Expr, ExprArray, ExprAssign, ExprBreak, ExprCall, ExprCast, ExprClosure,
    ExprForLoop, ExprIf, ExprLet, ExprMethodCall, ExprPath, ExprRepeat, ExprReturn, ExprStruct,
    ExprTuple, ExprWhile, FnArg, Generics, Ident, ImplItemFn, Item, ItemConst, ItemFn, Local, Pat,
    PatIdent, PatStruct, PatTupleStruct, Path, PathSegment, Stmt, TraitItemFn, TypePath,
    Visibility,
    visit::{self, Visit},
};

/// What identifies a path as written: its names with `::` between them.
pub(crate) fn key(path: &Path) -> String {
    let mut key = String::new();
    if path.leading_colon.is_some() {
        key.push_str("::");
    }
    for (index, segment) in path.segments.iter().enumerate() {
        if index > 0 {
            key.push_str("::");
        }
        key.push_str(&segment.ident.to_string());
    }
    key
}

/// `path` as far as it leads to a `#[device]` item: without generic arguments, and cut behind
/// the first name of a type. Its [`key`] is what paths are looked up by.
pub(crate) fn lead(path: &Path) -> Path {
    let mut lead = Path { leading_colon: path.leading_colon, segments: Default::default() };
    for segment in &path.segments {
        lead.segments.push(PathSegment::from(segment.ident.clone()));
        if is_type_name(&segment.ident.to_string()) {
            break;
        }
    }
    lead
}

/// Paths of `item` that lead to other items; each [`key`] once, in order.
pub(crate) fn paths(item: &Item) -> Vec<Path> {
    let mut paths = Paths::new();
    paths.visit_item(item);
    paths.found
}

/// As [`paths`], of a kernel, what it requires included; its open constants only rustc knows.
pub(crate) fn kernel_paths(item: &ItemFn, options: &Options) -> Vec<Path> {
    let mut paths = Paths::new();
    paths.keys.extend(options.open.iter().map(key));
    paths.visit_item_fn(item);
    crate::attr::instances::types(options).for_each(|ty| paths.visit_type(ty));
    if !options.requires.is_empty() {
        // In the scope of the function's parameters.
        let mut conditions = item.clone();
        let required = options.requires.iter().map(|condition| condition.expr.clone());
        conditions.block.stmts = required.map(|expr| Stmt::Expr(expr, None)).collect();
        paths.visit_item_fn(&conditions);
    }
    paths.found
}

/// True for what is by convention the name of a type, a trait or a constant.
pub(crate) fn is_type_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// True if `path`, which is no trait's, leads to an item that has the name of something that kernel code knows.
fn is_own(path: &Path, first: &Ident) -> bool {
    let name = first.to_string();
    let is_alone = path.segments.len() == 1;
    known::is_free_for_types(&name)
        && ((is_alone && known::is_known_trait(&name))
            || source_map::is_declared(first)
            || known::must_be_imported(&name) && source_map::imported(first).is_none())
}

struct Paths {
    found: Vec<Path>,
    keys: HashSet<String>,
    scope: Scope,
    depth: usize,
    /// True in a pattern that every value fits, where a name alone is a variable's: `let N = x.len();`.
    is_irrefutable: bool,
}

impl Paths {
    fn new() -> Self {
        Self {
            found: Vec::new(),
            keys: HashSet::new(),
            scope: Scope::default(),
            depth: 0,
            is_irrefutable: false,
        }
    }

    /// Notes where `path`, which is a trait's, leads, unless that is known.
    fn note(&mut self, path: &Path) {
        self.note_unless(path, |names| known::is_known(names, false));
    }

    /// The same of the path of anything else.
    fn note_item(&mut self, path: &Path, function: bool) {
        let own = path.segments.first().is_some_and(|first| is_own(path, &first.ident));
        self.note_unless(path, |names| !own && known::is_known(names, function));
    }

    fn note_unless(&mut self, path: &Path, is_known: impl FnOnce(&[String]) -> bool) {
        let names: Vec<String> = path.segments.iter().map(|it| it.ident.to_string()).collect();
        let declared = match names.as_slice() {
            [name] => self.scope.has(name),
            [of, ..] => self.scope.has_generic(of),
            [] => true,
        };
        if declared || is_known(&names) {
            return;
        }
        let lead = lead(path);
        if self.keys.insert(key(&lead)) {
            self.found.push(lead);
        }
    }

    /// A path that stands for a value; a lower-case name alone only if it is called or where functions are values.
    fn value(&mut self, path: &Path, function: bool) {
        match path.get_ident() {
            Some(name) if !function && !is_type_name(&name.to_string()) => {}
            _ => self.note_item(path, function),
        }
    }

    fn value_path(&mut self, path: &ExprPath, function: bool) {
        match &path.qself {
            // The trait of `<T as Trait>::f`; nothing of `<T>::f`.
            Some(qself) if qself.position > 0 => {
                let segments = path.path.segments.iter().take(qself.position).cloned().collect();
                self.note(&Path { leading_colon: path.path.leading_colon, segments });
            }
            Some(_) => {}
            None => self.value(&path.path, function),
        }
    }

    /// What is passed on, kept or chosen: a name alone may be a function's.
    fn function(&mut self, expr: &Expr) {
        if let Expr::Path(path) = expr {
            // Of a misspelt variable, rustc would say that it is no function of ours, too.
            let is_one = path.path.get_ident().is_none_or(source_map::may_be_function);
            self.value_path(path, is_one);
        }
        self.visit_expr(expr);
    }

    fn deeper(&mut self, visit: impl FnOnce(&mut Self)) {
        if self.depth < crate::syntax::limits::MAX_DEPTH {
            self.depth += 1;
            visit(self);
            self.depth -= 1;
        }
    }

    /// A pattern that every value fits.
    fn irrefutable(&mut self, pat: &Pat) {
        let outer = std::mem::replace(&mut self.is_irrefutable, true);
        self.visit_pat(pat);
        self.is_irrefutable = outer;
    }

    /// Forgets what `visit` declares.
    fn scoped(&mut self, visit: impl FnOnce(&mut Self)) {
        let mark = self.scope.mark();
        visit(self);
        self.scope.forget(mark);
    }

    fn parsed(&mut self, name: &str, tokens: &TokenStream) {
        for part in macros::parts(name, tokens) {
            match part {
                macros::Part::Expr(expr) => self.function(&expr),
                macros::Part::Type(ty) => self.visit_type(&ty),
                macros::Part::Arm(pat, guard) => self.scoped(|this| {
                    this.visit_pat(&pat);
                    guard.iter().for_each(|guard| this.visit_expr(guard));
                }),
            }
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(_)
            | Item::Struct(_)
            | Item::Enum(_)
            | Item::Const(_)
            | Item::Trait(_)
            | Item::Impl(_)
            | Item::Type(_) => self.scoped(|this| visit::visit_item(this, item)),
            _ => {} // lowering rejects it
        }
    }

    fn visit_generics(&mut self, generics: &'ast Generics) {
        self.scope.generics(generics);
        visit::visit_generics(self, generics);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.scoped(|this| visit::visit_impl_item_fn(this, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.scoped(|this| visit::visit_trait_item_fn(this, item));
    }

    fn visit_path(&mut self, path: &'ast Path) {
        // Of a trait: all others are seen to before they get here.
        self.note(path);
        visit::visit_path(self, path);
    }

    fn visit_type_path(&mut self, ty: &'ast TypePath) {
        match &ty.qself {
            Some(qself) => {
                self.visit_type(&qself.ty);
                if qself.position > 0 {
                    let segments = ty.path.segments.iter().take(qself.position).cloned().collect();
                    self.note(&Path { leading_colon: ty.path.leading_colon, segments });
                }
            }
            None => self.note_item(&ty.path, false),
        }
        ty.path.segments.iter().for_each(|segment| self.visit_path_segment(segment));
    }

    fn visit_type(&mut self, ty: &'ast syn::Type) {
        self.deeper(|this| visit::visit_type(this, ty));
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        match statement {
            Stmt::Item(Item::Const(item)) => self.visit_item_const(item),
            Stmt::Item(item) => {
                let inside = self.scope.inside();
                let outer = std::mem::replace(&mut self.scope, inside);
                self.visit_item(item);
                self.scope = outer;
            }
            Stmt::Local(_) | Stmt::Expr(..) | Stmt::Macro(_) => visit::visit_stmt(self, statement),
        }
    }

    fn visit_block(&mut self, block: &'ast Block) {
        self.scoped(|this| {
            this.scope.items(block);
            for statement in &block.stmts {
                match statement {
                    Stmt::Expr(value, None) => this.function(value),
                    statement => this.visit_stmt(statement),
                }
            }
        });
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if let Some(init) = &local.init {
            self.function(&init.expr);
            if let Some((_, diverge)) = &init.diverge {
                self.visit_expr(diverge);
            }
        }
        match local.init.as_ref().and_then(|init| init.diverge.as_ref()) {
            Some(_) => self.visit_pat(&local.pat),
            None => self.irrefutable(&local.pat),
        }
    }

    fn visit_fn_arg(&mut self, arg: &'ast FnArg) {
        match arg {
            FnArg::Typed(arg) => {
                self.irrefutable(&arg.pat);
                self.visit_type(&arg.ty);
            }
            FnArg::Receiver(receiver) => visit::visit_receiver(self, receiver),
        }
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        let chain = limits::Chain::of(expr);
        for arm in &chain.arms {
            self.scoped(|this| {
                this.visit_expr(&arm.cond);
                this.visit_block(&arm.then_branch);
            });
        }
        self.deeper(|this| visit::visit_expr(this, chain.rest));
        for operand in chain.operands.into_iter().rev() {
            self.visit_expr(operand);
        }
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        self.value_path(path, false);
        if let Some(qself) = &path.qself {
            self.visit_type(&qself.ty);
        }
        path.path.segments.iter().for_each(|segment| self.visit_path_segment(segment));
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        // As for a method, nothing else leads to the trait: `u64::parsed(text)`.
        if let Expr::Path(ExprPath { qself: None, path, .. }) = &*call.func
            && let [of, name] = path.segments.iter().collect::<Vec<_>>().as_slice()
            && Prim::from_name(&of.ident.to_string()).is_some()
        {
            for found in source_map::traits_with(&name.ident) {
                self.note(&Path::from(Ident::new(&found, name.ident.span())));
            }
        }
        if let Expr::Path(path) = &*call.func {
            self.value_path(path, true);
        }
        self.visit_expr(&call.func);
        call.args.iter().for_each(|arg| self.function(arg));
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.visit_expr(&call.receiver);
        // Of a type that is not of kernel code, nothing else leads to the trait.
        for name in source_map::traits_with(&call.method) {
            self.note(&Path::from(Ident::new(&name, call.method.span())));
        }
        if let Some(turbofish) = &call.turbofish {
            self.visit_angle_bracketed_generic_arguments(turbofish);
        }
        for arg in &call.args {
            // A method with such an argument is one of atomics; the witness checks the guess.
            if !matches!(arg, Expr::Path(path) if is_ordering(&path.path)) {
                self.function(arg);
            }
        }
    }

    fn visit_expr_struct(&mut self, expr: &'ast ExprStruct) {
        self.value(&expr.path, false);
        expr.path.segments.iter().for_each(|segment| self.visit_path_segment(segment));
        expr.fields.iter().for_each(|field| self.function(&field.expr));
        expr.rest.iter().for_each(|rest| self.visit_expr(rest));
    }

    fn visit_expr_let(&mut self, expr: &'ast ExprLet) {
        self.visit_expr(&expr.expr);
        self.visit_pat(&expr.pat);
    }

    fn visit_expr_if(&mut self, expr: &'ast ExprIf) {
        self.scoped(|this| {
            this.visit_expr(&expr.cond);
            this.visit_block(&expr.then_branch);
        });
        if let Some((_, otherwise)) = &expr.else_branch {
            self.visit_expr(otherwise);
        }
    }

    fn visit_expr_while(&mut self, expr: &'ast ExprWhile) {
        self.scoped(|this| {
            this.visit_expr(&expr.cond);
            this.visit_block(&expr.body);
        });
    }

    fn visit_expr_for_loop(&mut self, expr: &'ast ExprForLoop) {
        self.visit_expr(&expr.expr);
        self.scoped(|this| {
            this.irrefutable(&expr.pat);
            this.visit_block(&expr.body);
        });
    }

    fn visit_expr_closure(&mut self, expr: &'ast ExprClosure) {
        self.scoped(|this| {
            expr.inputs.iter().for_each(|input| this.irrefutable(input));
            this.visit_return_type(&expr.output);
            this.visit_expr(&expr.body);
        });
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        self.scoped(|this| {
            this.visit_pat(&arm.pat);
            this.function(&arm.body);
        });
    }

    fn visit_expr_array(&mut self, array: &'ast ExprArray) {
        array.elems.iter().for_each(|elem| self.function(elem));
    }

    fn visit_expr_repeat(&mut self, repeat: &'ast ExprRepeat) {
        self.function(&repeat.expr);
        self.visit_expr(&repeat.len);
    }

    fn visit_expr_tuple(&mut self, tuple: &'ast ExprTuple) {
        tuple.elems.iter().for_each(|elem| self.function(elem));
    }

    fn visit_expr_cast(&mut self, cast: &'ast ExprCast) {
        self.function(&cast.expr);
        self.visit_type(&cast.ty);
    }

    fn visit_expr_assign(&mut self, assign: &'ast ExprAssign) {
        self.visit_expr(&assign.left);
        // What is indexed is memory, mostly of numbers.
        match *assign.left {
            Expr::Index(_) => self.visit_expr(&assign.right),
            _ => self.function(&assign.right),
        }
    }

    fn visit_expr_return(&mut self, value: &'ast ExprReturn) {
        value.expr.iter().for_each(|value| self.function(value));
    }

    fn visit_expr_break(&mut self, value: &'ast ExprBreak) {
        value.expr.iter().for_each(|value| self.function(value));
    }

    fn visit_item_const(&mut self, item: &'ast ItemConst) {
        self.visit_generics(&item.generics);
        self.visit_type(&item.ty);
        self.function(&item.expr);
    }

    fn visit_pat(&mut self, pat: &'ast Pat) {
        self.deeper(|this| visit::visit_pat(this, pat));
    }

    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        let plain = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
        if plain && !self.is_irrefutable && is_type_name(&pat.ident.to_string()) {
            self.note_item(&pat.ident.clone().into(), false);
        } else {
            self.scope.variable(&pat.ident);
        }
        if let Some((_, subpattern)) = &pat.subpat {
            self.visit_pat(subpattern);
        }
    }

    fn visit_pat_struct(&mut self, pat: &'ast PatStruct) {
        self.value(&pat.path, false);
        pat.fields.iter().for_each(|field| self.visit_pat(&field.pat));
    }

    fn visit_pat_tuple_struct(&mut self, pat: &'ast PatTupleStruct) {
        self.value(&pat.path, false);
        pat.elems.iter().for_each(|elem| self.visit_pat(elem));
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Some(name) = call.path.segments.last() {
            self.parsed(&name.ident.to_string(), &call.tokens);
        }
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}
