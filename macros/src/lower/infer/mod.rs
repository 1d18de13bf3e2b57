//! Syntax to typed tree: names are resolved and types inferred, and everything that is wrong is
//! reported.
//!
//! Inference follows rustc's, for what kernel code has of Rust: expressions are visited in the
//! same order; integer and float literals get unknown types that operators unify; a method call
//! needs its receiver's type when it is reached; a diverging expression has type `!`, which goes
//! anywhere. Whether an operator is defined on what its operands turned out to be is an
//! [`Obligation`], looked at in the end.
mod atomic;
mod call;
mod control;
mod expr;
mod extent;
mod literal;
mod looping;
mod method;
mod obligation;
mod operator;
mod path;
mod pattern;
mod place;
mod reject;
mod scope;
mod signature;
mod syntax;

use super::{
    error::{Errors, Reported},
    levels,
    span::SpanRange,
    tree::{At, Expr, Function, GenericKind, Kind, Label, LabelInfo, Var, Variable},
    types::{Class, Prim, Ty, Type, Types},
    witness::Notes,
};
pub(super) use extent::wrapped;
use obligation::Obligation;
use scope::{Names, Scope};
use std::collections::BTreeMap;
use warpwise_compiler::{diag::Level, id::Table};

/// What is inferred, and what surrounds it.
pub(super) struct Context<'a> {
    /// The function.
    pub(super) item: &'a syn::ItemFn,
    /// Where the paths that it mentions lead.
    pub(super) paths: &'a BTreeMap<String, usize>,
    /// Every device function.
    pub(super) devices: &'a [super::DeviceItem],
    /// Whether it is a kernel, with its open constants.
    pub(super) kernel: Option<&'a [syn::Path]>,
    /// A kernel's number of threads in a block.
    pub(super) block: Option<&'a [syn::Expr; 3]>,
    /// Lint levels beside those of its attributes.
    pub(super) lints: &'a [(String, Level)],
}

/// Infers a function; `None` if something was reported.
pub(super) fn function(context: &Context<'_>, errors: &mut Errors) -> Option<(Function, Notes)> {
    let mut local = Errors::default();
    let inferred = Infer::new(context, &mut local).function();
    let good = local.is_empty();
    errors.append(local);
    good.then_some(inferred)
}

/// Reports an open constant whose type nothing tells.
fn unknown_open(errors: &mut Errors, name: &str, at: SpanRange) -> Reported {
    errors.advise(
        at,
        format_args!("the type of the open constant `{name}` is not known here"),
        format_args!("bind it with its type: `let value: usize = {name};`"),
    )
}

struct Infer<'a> {
    context: &'a Context<'a>,
    errors: &'a mut Errors,
    names: Names,
    types: Types,
    vars: Table<Var, Variable>,
    labels: Table<Label, LabelInfo>,
    places: Table<At, SpanRange>,
    scope: Scope,
    /// What `break` and `continue` may name here, innermost last.
    targets: Vec<Target>,
    ret: Ty,
    returns_early: bool,
    /// Whether control cannot get here.
    diverges: bool,
    obligations: Vec<(SpanRange, Obligation)>,
    /// The name for the shared array that is the value of the `let` at hand.
    naming: Option<String>,
    notes: Notes,
}

/// What `break` and `continue` may name.
struct Target {
    label: Label,
    name: Option<String>,
    /// Whether it is a loop: `continue` and a plain `break` find it.
    is_loop: bool,
    /// Whether `break` may bring a value.
    has_value: bool,
}

impl<'a> Infer<'a> {
    fn new(context: &'a Context<'a>, errors: &'a mut Errors) -> Self {
        let mut types = Types::new(Vec::new());
        let ret = types.unit();
        let names = signature::generics(context, &mut types, errors);
        types.generics = names.generics.iter().map(|generic| generic.name.clone()).collect();
        Self {
            context,
            errors,
            names,
            types,
            vars: Table::new(),
            labels: Table::new(),
            places: Table::new(),
            scope: Scope::default(),
            targets: Vec::new(),
            ret,
            returns_early: false,
            diverges: false,
            obligations: Vec::new(),
            naming: None,
            notes: Notes::default(),
        }
    }

    fn function(mut self) -> (Function, Notes) {
        let item = self.context.item;
        let block = self.context.block.map(|dims| self.block_dims(dims));
        let params = self.signature(&item.sig);
        let (mut body, ty) = self.block(&item.block, Some(self.ret));
        if let Some(tail) = body.tail.take() {
            body.tail = Some(Box::new(self.coerce(*tail, self.ret)));
        } else if !self.is_never(ty) {
            let end = SpanRange::token(item.block.brace_token.span.close());
            self.unify(end, ty, self.ret);
        }
        self.solve();
        let function = Function {
            name: item.sig.ident.to_string(),
            generics: self.names.generics,
            block: block.flatten(),
            params,
            vars: self.vars,
            labels: self.labels,
            types: self.types,
            places: self.places,
            returns_early: self.returns_early,
            levels: self.context.lints.iter().cloned().chain(levels::levels(&item.attrs)).collect(),
            body,
        };
        (function, self.notes)
    }

    /// Decides every type, then meets every obligation.
    fn solve(&mut self) {
        for generic in &self.names.generics {
            if let GenericKind::Open(ty) = generic.kind
                && let Type::Unknown(_) = self.types.get(ty)
            {
                let used = self.names.open_uses.iter().find(|(name, _)| *name == generic.name);
                let decided = match used {
                    Some((name, at)) => {
                        let reported = unknown_open(self.errors, name, *at);
                        self.types.add(Type::Reported(reported))
                    }
                    None => self.types.prim(Prim::Usize),
                };
                self.types.decide(ty, decided);
            }
        }
        self.types.fall_back();
        for (at, obligation) in std::mem::take(&mut self.obligations) {
            obligation.check(at, &self.types, self.errors);
        }
        for (_, var) in self.vars.iter() {
            if let Type::Unknown(_) = self.types.get(var.ty) {
                self.errors.advise(
                    self.places[var.at],
                    format_args!("the type of `{}` is not known", var.name),
                    format_args!("write it: `let {}: f32`", var.name),
                );
            }
        }
    }

    fn at(&mut self, range: SpanRange) -> At {
        self.places.push(range)
    }

    fn make(&mut self, kind: Kind, ty: Ty, range: SpanRange) -> Expr {
        let at = self.at(range);
        Expr { kind, ty, at }
    }

    fn reported(&mut self, proof: Reported, range: SpanRange) -> Expr {
        let ty = self.types.add(Type::Reported(proof));
        self.make(Kind::Reported, ty, range)
    }

    fn oblige(&mut self, at: SpanRange, obligation: Obligation) {
        self.obligations.push((at, obligation));
    }

    fn prim(&self, prim: Prim) -> Ty {
        self.types.prim(prim)
    }

    fn unknown(&mut self) -> Ty {
        self.types.unknown(Class::Any)
    }

    fn is_never(&self, ty: Ty) -> bool {
        self.types.get(ty) == Type::Never
    }

    fn is_unit(&self, ty: Ty) -> bool {
        self.types.get(ty) == Type::Unit
    }

    /// Makes `found` the same type as `expected`, or says that it is not.
    fn unify(&mut self, at: SpanRange, found: Ty, expected: Ty) {
        if self.types.unify(found, expected).is_err() {
            self.mismatch(at, found, expected);
        }
    }

    fn mismatch(&mut self, at: SpanRange, found: Ty, expected: Ty) -> Reported {
        let (found, expected) = (self.types.show(found), self.types.show(expected));
        self.errors
            .mistyped(at, format_args!("mismatched types: expected `{expected}`, found `{found}`"))
    }
}
