//! Collection of the paths in an item that may lead to other `#[device]` items: functions, types,
//! traits and constants that the item uses but does not declare.
//!
//! A path is truncated after the first type name and loses its generic arguments:
//! `geo::Vec3::<f32>::new` leads to `geo::Vec3`, `Shape::Circle` to `Shape`. By convention types,
//! traits and constants begin with an upper-case letter, functions and modules with a lower-case
//! one. Excluded are variables, generic parameters, `Self`, and [names that kernel code
//! knows](known). Code that nests too deep for [`lower`](crate::pipeline::lower) is skipped.
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
    TypeTraitObject, Visibility,
    visit::{self, Visit},
};

/// Returns the lookup key of a path: its names, joined by `::`.
pub(crate) fn path_key(path: &Path) -> String {
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

/// Returns the part of `path` that leads to a `#[device]` item: without generic arguments,
/// truncated after the first type name. Its [`path_key`] is the key of lookups.
pub(crate) fn truncate_to_item(path: &Path) -> Path {
    let mut lead = Path { leading_colon: path.leading_colon, segments: Default::default() };
    for segment in &path.segments {
        lead.segments.push(PathSegment::from(segment.ident.clone()));
        if is_type_name(&segment.ident.to_string()) {
            break;
        }
    }
    lead
}

/// Returns the paths of `item` that lead to other items; each [`path_key`] once, in order.
pub(crate) fn device_paths(item: &Item) -> Vec<Path> {
    let mut paths = PathCollector::new();
    paths.visit_item(item);
    paths.found
}

/// Like [`device_paths`], for a kernel, its block size and its launch requirements. Skips open
/// constants, with values that only rustc knows.
pub(crate) fn paths_of_kernel(item: &ItemFn, options: &Options) -> Vec<Path> {
    let mut paths = PathCollector::new();
    paths.keys.extend(options.open.iter().map(path_key));
    paths.visit_item_fn(item);
    crate::attr::instances::instance_types(options).for_each(|ty| paths.visit_type(ty));
    let conditions = options.requires.iter().map(|condition| &condition.expr);
    let in_attribute: Vec<_> = conditions.chain(options.block.iter().flatten()).cloned().collect();
    if !in_attribute.is_empty() {
        // These expressions are in the scope of the function's parameters.
        let mut holder = item.clone();
        holder.block.stmts = in_attribute.into_iter().map(|expr| Stmt::Expr(expr, None)).collect();
        paths.visit_item_fn(&holder);
    }
    paths.found
}

/// Returns true for the name of a type, trait or constant, by convention.
pub(crate) fn is_type_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// Returns true if `path`, not a trait's, leads to a user's item that shares its name with a known
/// one.
fn shadows_known_name(path: &Path, first: &Ident) -> bool {
    let name = first.to_string();
    let is_alone = path.segments.len() == 1;
    known::is_free_for_types(&name)
        && ((is_alone && known::is_known_trait(&name))
            || source_map::has_own_type(first)
            || known::must_be_imported(&name) && source_map::imported_std_path(first).is_none())
}

struct PathCollector {
    found: Vec<Path>,
    keys: HashSet<String>,
    scope: Scope,
    depth: usize,
    /// True in an irrefutable pattern, where a plain name is always a variable: `let N = x.len();`.
    is_irrefutable: bool,
}

impl PathCollector {
    fn new() -> Self {
        Self {
            found: Vec::new(),
            keys: HashSet::new(),
            scope: Scope::default(),
            depth: 0,
            is_irrefutable: false,
        }
    }

    /// Adds the target of a trait path, unless it is known.
    fn add_trait_path(&mut self, path: &Path) {
        self.add_unless(path, |names| known::is_known_path(names, false));
    }

    /// Adds the target of any other path, unless it is known.
    fn add_item_path(&mut self, path: &Path, function: bool) {
        let own = path.segments.first().is_some_and(|first| shadows_known_name(path, &first.ident));
        self.add_unless(path, |names| !own && known::is_known_path(names, function));
    }

    fn add_unless(&mut self, path: &Path, is_known: impl FnOnce(&[String]) -> bool) {
        let names: Vec<String> = path.segments.iter().map(|it| it.ident.to_string()).collect();
        let declared = match names.as_slice() {
            [name] => self.scope.declares(name),
            [of, ..] => self.scope.declares_path_start(of),
            [] => true,
        };
        if declared || is_known(&names) {
            return;
        }
        let lead = truncate_to_item(path);
        if self.keys.insert(path_key(&lead)) {
            self.found.push(lead);
        }
    }

    /// Adds a path in value position. A plain lower-case name counts only where it is called or
    /// functions are values.
    fn add_value_path(&mut self, path: &Path, function: bool) {
        match path.get_ident() {
            Some(name) if !function && !is_type_name(&name.to_string()) => {}
            _ => self.add_item_path(path, function),
        }
    }

    fn add_value_expr_path(&mut self, path: &ExprPath, function: bool) {
        match &path.qself {
            // The trait of `<T as Trait>::f`; nothing for `<T>::f`.
            Some(qself) if qself.position > 0 => {
                let segments = path.path.segments.iter().take(qself.position).cloned().collect();
                self.add_trait_path(&Path { leading_colon: path.path.leading_colon, segments });
            }
            Some(_) => {}
            None => self.add_value_path(&path.path, function),
        }
    }

    /// Visits an expression that is passed, stored or selected: a plain name may be a function's.
    fn visit_possible_function(&mut self, expr: &Expr) {
        if let Expr::Path(path) = expr {
            // For a misspelt variable, rustc would otherwise also report a missing macro of that
            // name.
            let is_one = path.path.get_ident().is_none_or(source_map::may_be_function);
            self.add_value_expr_path(path, is_one);
        }
        self.visit_expr(expr);
    }

    fn visit_nested(&mut self, visit: impl FnOnce(&mut Self)) {
        if self.depth < crate::syntax::limits::MAX_DEPTH {
            self.depth += 1;
            visit(self);
            self.depth -= 1;
        }
    }

    /// Visits an irrefutable pattern.
    fn visit_irrefutable(&mut self, pat: &Pat) {
        let outer = std::mem::replace(&mut self.is_irrefutable, true);
        self.visit_pat(pat);
        self.is_irrefutable = outer;
    }

    /// Runs `visit`, and drops the names that it declares.
    fn with_scope(&mut self, visit: impl FnOnce(&mut Self)) {
        let mark = self.scope.mark();
        visit(self);
        self.scope.forget(mark);
    }

    fn visit_macro_arguments(&mut self, name: &str, tokens: &TokenStream) {
        for part in macros::parse_macro_arguments(name, tokens) {
            match part {
                macros::MacroArgument::Expr(expr) => self.visit_possible_function(&expr),
                macros::MacroArgument::Type(ty) => self.visit_type(&ty),
                macros::MacroArgument::Arm(pat, guard) => self.with_scope(|this| {
                    this.visit_pat(&pat);
                    guard.iter().for_each(|guard| this.visit_expr(guard));
                }),
            }
        }
    }
}

impl<'ast> Visit<'ast> for PathCollector {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Fn(_)
            | Item::Struct(_)
            | Item::Enum(_)
            | Item::Const(_)
            | Item::Trait(_)
            | Item::Impl(_)
            | Item::Type(_) => self.with_scope(|this| visit::visit_item(this, item)),
            _ => {} // lowering rejects it
        }
    }

    fn visit_generics(&mut self, generics: &'ast Generics) {
        self.scope.declare_generics(generics);
        visit::visit_generics(self, generics);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.with_scope(|this| visit::visit_impl_item_fn(this, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.with_scope(|this| visit::visit_trait_item_fn(this, item));
    }

    fn visit_path(&mut self, path: &'ast Path) {
        // A trait path: paths of types and values are handled before they get here.
        self.add_trait_path(path);
        visit::visit_path(self, path);
    }

    fn visit_type_path(&mut self, ty: &'ast TypePath) {
        match &ty.qself {
            Some(qself) => {
                self.visit_type(&qself.ty);
                if qself.position > 0 {
                    let segments = ty.path.segments.iter().take(qself.position).cloned().collect();
                    self.add_trait_path(&Path { leading_colon: ty.path.leading_colon, segments });
                }
            }
            None => self.add_item_path(&ty.path, false),
        }
        ty.path.segments.iter().for_each(|segment| self.visit_path_segment(segment));
    }

    /// Leaves out the traits of trait objects, which kernel code cannot have.
    fn visit_type_trait_object(&mut self, _: &'ast TypeTraitObject) {}

    fn visit_type(&mut self, ty: &'ast syn::Type) {
        self.visit_nested(|this| visit::visit_type(this, ty));
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        match statement {
            Stmt::Item(Item::Const(item)) => self.visit_item_const(item),
            Stmt::Item(item) => {
                // An inner item sees generic parameters and items of the function, but no
                // variables.
                let inside = self.scope.without_variables();
                let outer = std::mem::replace(&mut self.scope, inside);
                self.visit_item(item);
                self.scope = outer;
            }
            Stmt::Local(_) | Stmt::Expr(..) | Stmt::Macro(_) => visit::visit_stmt(self, statement),
        }
    }

    fn visit_block(&mut self, block: &'ast Block) {
        self.with_scope(|this| {
            this.scope.declare_items(block);
            for statement in &block.stmts {
                match statement {
                    Stmt::Expr(value, None) => this.visit_possible_function(value),
                    statement => this.visit_stmt(statement),
                }
            }
        });
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if let Some(init) = &local.init {
            self.visit_possible_function(&init.expr);
            if let Some((_, diverge)) = &init.diverge {
                self.visit_expr(diverge);
            }
        }
        match local.init.as_ref().and_then(|init| init.diverge.as_ref()) {
            Some(_) => self.visit_pat(&local.pat),
            None => self.visit_irrefutable(&local.pat),
        }
    }

    fn visit_fn_arg(&mut self, arg: &'ast FnArg) {
        match arg {
            FnArg::Typed(arg) => {
                self.visit_irrefutable(&arg.pat);
                self.visit_type(&arg.ty);
            }
            FnArg::Receiver(receiver) => visit::visit_receiver(self, receiver),
        }
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        // Chains are walked iteratively, since they may be thousands of links long.
        let chain = limits::Chain::split(expr);
        for arm in &chain.arms {
            self.with_scope(|this| {
                this.visit_expr(&arm.cond);
                this.visit_block(&arm.then_branch);
            });
        }
        self.visit_nested(|this| visit::visit_expr(this, chain.rest));
        for operand in chain.operands.into_iter().rev() {
            self.visit_expr(operand);
        }
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        self.add_value_expr_path(path, false);
        if let Some(qself) = &path.qself {
            self.visit_type(&qself.ty);
        }
        path.path.segments.iter().for_each(|segment| self.visit_path_segment(segment));
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        // As for a method, only its name leads to the trait: `u64::parsed(text)`.
        if let Expr::Path(ExprPath { qself: None, path, .. }) = &*call.func
            && let [of, name] = path.segments.iter().collect::<Vec<_>>().as_slice()
            && Prim::from_name(&of.ident.to_string()).is_some()
        {
            for found in source_map::device_traits_with(&name.ident) {
                self.add_trait_path(&Path::from(Ident::new(&found, name.ident.span())));
            }
        }
        if let Expr::Path(path) = &*call.func {
            self.add_value_expr_path(path, true);
        }
        self.visit_expr(&call.func);
        call.args.iter().for_each(|arg| self.visit_possible_function(arg));
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.visit_expr(&call.receiver);
        // For a receiver of a foreign type, only the method's name leads to the trait.
        for name in source_map::device_traits_with(&call.method) {
            self.add_trait_path(&Path::from(Ident::new(&name, call.method.span())));
        }
        if let Some(turbofish) = &call.turbofish {
            self.visit_angle_bracketed_generic_arguments(turbofish);
        }
        for arg in &call.args {
            // A method with such an argument is one of atomics; the witness checks this assumption.
            if !matches!(arg, Expr::Path(path) if is_ordering(&path.path)) {
                self.visit_possible_function(arg);
            }
        }
    }

    fn visit_expr_struct(&mut self, expr: &'ast ExprStruct) {
        self.add_value_path(&expr.path, false);
        expr.path.segments.iter().for_each(|segment| self.visit_path_segment(segment));
        expr.fields.iter().for_each(|field| self.visit_possible_function(&field.expr));
        expr.rest.iter().for_each(|rest| self.visit_expr(rest));
    }

    fn visit_expr_let(&mut self, expr: &'ast ExprLet) {
        self.visit_expr(&expr.expr);
        self.visit_pat(&expr.pat);
    }

    fn visit_expr_if(&mut self, expr: &'ast ExprIf) {
        self.with_scope(|this| {
            this.visit_expr(&expr.cond);
            this.visit_block(&expr.then_branch);
        });
        if let Some((_, otherwise)) = &expr.else_branch {
            self.visit_expr(otherwise);
        }
    }

    fn visit_expr_while(&mut self, expr: &'ast ExprWhile) {
        self.with_scope(|this| {
            this.visit_expr(&expr.cond);
            this.visit_block(&expr.body);
        });
    }

    fn visit_expr_for_loop(&mut self, expr: &'ast ExprForLoop) {
        self.visit_expr(&expr.expr);
        self.with_scope(|this| {
            this.visit_irrefutable(&expr.pat);
            this.visit_block(&expr.body);
        });
    }

    fn visit_expr_closure(&mut self, expr: &'ast ExprClosure) {
        self.with_scope(|this| {
            expr.inputs.iter().for_each(|input| this.visit_irrefutable(input));
            this.visit_return_type(&expr.output);
            this.visit_expr(&expr.body);
        });
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        self.with_scope(|this| {
            this.visit_pat(&arm.pat);
            this.visit_possible_function(&arm.body);
        });
    }

    fn visit_expr_array(&mut self, array: &'ast ExprArray) {
        array.elems.iter().for_each(|elem| self.visit_possible_function(elem));
    }

    fn visit_expr_repeat(&mut self, repeat: &'ast ExprRepeat) {
        self.visit_possible_function(&repeat.expr);
        self.visit_expr(&repeat.len);
    }

    fn visit_expr_tuple(&mut self, tuple: &'ast ExprTuple) {
        tuple.elems.iter().for_each(|elem| self.visit_possible_function(elem));
    }

    fn visit_expr_cast(&mut self, cast: &'ast ExprCast) {
        self.visit_possible_function(&cast.expr);
        self.visit_type(&cast.ty);
    }

    fn visit_expr_assign(&mut self, assign: &'ast ExprAssign) {
        self.visit_expr(&assign.left);
        // Indexed memory mostly holds numbers, not functions.
        match *assign.left {
            Expr::Index(_) => self.visit_expr(&assign.right),
            _ => self.visit_possible_function(&assign.right),
        }
    }

    fn visit_expr_return(&mut self, value: &'ast ExprReturn) {
        value.expr.iter().for_each(|value| self.visit_possible_function(value));
    }

    fn visit_expr_break(&mut self, value: &'ast ExprBreak) {
        value.expr.iter().for_each(|value| self.visit_possible_function(value));
    }

    fn visit_item_const(&mut self, item: &'ast ItemConst) {
        self.visit_generics(&item.generics);
        self.visit_type(&item.ty);
        self.visit_possible_function(&item.expr);
    }

    fn visit_pat(&mut self, pat: &'ast Pat) {
        self.visit_nested(|this| visit::visit_pat(this, pat));
    }

    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        let plain = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
        if plain && !self.is_irrefutable && is_type_name(&pat.ident.to_string()) {
            self.add_item_path(&pat.ident.clone().into(), false);
        } else {
            self.scope.declare_variable(&pat.ident);
        }
        if let Some((_, subpattern)) = &pat.subpat {
            self.visit_pat(subpattern);
        }
    }

    fn visit_pat_struct(&mut self, pat: &'ast PatStruct) {
        self.add_value_path(&pat.path, false);
        pat.fields.iter().for_each(|field| self.visit_pat(&field.pat));
    }

    fn visit_pat_tuple_struct(&mut self, pat: &'ast PatTupleStruct) {
        self.add_value_path(&pat.path, false);
        pat.elems.iter().for_each(|elem| self.visit_pat(elem));
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if let Some(name) = call.path.segments.last() {
            self.visit_macro_arguments(&name.ident.to_string(), &call.tokens);
        }
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}
