//! Syntax to typed tree: names are resolved and types inferred, and everything that is wrong is
//! reported.
//!
//! Inference follows rustc's, for what kernel code has of Rust: expressions are visited in the
//! same order; integer and float literals get unknown types that operators unify; a method call
//! needs its receiver's type when it is reached; a diverging expression has type `!`, which goes
//! anywhere. Whether an operator is defined on what its operands turned out to be is an
//! [`Obligation`], looked at in the end.
mod call;
mod expr;
pub(crate) mod items;
mod iterator;
pub(crate) mod notes;
mod pattern;
pub(crate) mod program;
mod traits;

pub(crate) use crate::infer::{
    call::atomic::{NO_ORDERING, ORDERING},
    items::{
        cycles::Resolutions,
        extent::{integer, wrapped},
        signature::stands_for_numbers,
    },
};
use crate::{
    attr::Options,
    hir::{
        At, Block, Expr, Function, GenericKind, Kind, Label, LabelInfo, LintLevels, Var, Variable,
        lint_levels,
    },
    infer::{
        items::{
            late_constant,
            scope::{Env, Names, Scope},
            signature,
        },
        notes::Notes,
        program::{Given, Program, Written},
        traits::{
            associated_type::Projection,
            member::{Member, MemberKind},
            obligation::Obligation,
        },
    },
    resolve::device_set::Callee,
    syntax::{
        error::{Errors, Reported},
        span::SpanRange,
    },
    types::{
        Class, Prim, Ty, Type, Types,
        mono::{Mono, MonoArg},
    },
};
use std::rc::Rc;
use warpwise_compiler::id::Table;

/// What is inferred, and what surrounds it.
pub(crate) struct Context<'a> {
    /// Everything that can be named.
    pub(crate) program: &'a Program<'a>,
    /// The function.
    pub(crate) written: Written<'a>,
    /// The item that it is, or is in; `None` for the kernel.
    pub(crate) home: Option<usize>,
    /// What only kernels have.
    pub(crate) kernel: Option<&'a Options>,
    /// What a device function is inferred for; `None` if its parameters stand for themselves.
    pub(crate) given: Option<&'a Given>,
    /// Names of the generic parameters that types may mention, if there is something given.
    pub(crate) generics: &'a [String],
}

/// Infers a function; `None` if something was reported.
pub(crate) fn function(context: &Context<'_>, errors: &mut Errors) -> Option<(Function, Notes)> {
    let mut local = Errors::default();
    let inferred = Infer::new(context, &mut local).function();
    let good = local.is_empty();
    errors.append(local);
    good.then_some(inferred)
}

/// Types of the fields of each variant of a struct or enum, for these generic arguments; `None` if
/// something was reported.
pub(crate) fn field_types(
    program: &Program<'_>,
    item: usize,
    args: &[MonoArg],
    generics: &[String],
    errors: &mut Errors,
) -> Option<Vec<Vec<Mono>>> {
    outside(program, Some(item), generics, errors, |infer| {
        let args = args.iter().map(|arg| infer.types.of_mono_arg(arg)).collect();
        let list = infer.types.list(args);
        let ty = infer.types.add(Type::Adt(item, list));
        let shapes = infer.shapes(ty).into_iter();
        let mono = |fields: Vec<Ty>| fields.into_iter().map(|ty| infer.types.mono(ty)).collect();
        shapes.map(mono).collect()
    })
}

/// The function of the `impl` of a trait by which values of a type are compared with each other, for whom it is made, and the type of what it
/// gives; `None` if there is none.
pub(crate) fn comparison(
    program: &Program<'_>,
    [of_trait, method]: [&str; 2],
    of: &Mono,
    generics: &[String],
    errors: &mut Errors,
) -> Option<(Callee, Given, Mono)> {
    outside(program, None, generics, errors, |infer| {
        let ty = infer.types.of_mono(of);
        let other = infer.types.reference(false, ty);
        let Member { callee, env, kind: MemberKind::Fn(sig) } =
            infer.operator_impl(of_trait, method, ty, Some(other))?
        else {
            return None;
        };
        let args = env.args.iter().map(|(_, arg)| infer.types.mono_arg(*arg));
        let args = args.collect::<Option<_>>()?;
        let this = env.this.and_then(|this| infer.types.mono(this));
        let syn::ReturnType::Type(_, ret) = &sig.output else { return None };
        let ret = infer.type_in(ret, &env);
        Some((callee, Given { args, this }, infer.types.mono(ret)?))
    })
}

/// What is inferred in no function, but where an item is written.
fn outside<T>(
    program: &Program<'_>,
    home: Option<usize>,
    generics: &[String],
    errors: &mut Errors,
    infer: impl FnOnce(&mut Infer<'_>) -> T,
) -> T {
    let nothing: syn::ItemFn = syn::parse_quote!(
        fn nothing() {}
    );
    let written = Written {
        sig: &nothing.sig,
        block: &nothing.block,
        attrs: &[],
        outer_attrs: &[],
        outer: None,
    };
    let given = Given { args: Vec::new(), this: None };
    let context = Context { program, written, home, kernel: None, given: Some(&given), generics };
    let mut local = Errors::default();
    let inferred = infer(&mut Infer::new(&context, &mut local));
    errors.append(local);
    inferred
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
    /// Constants that are declared in the function, by their names.
    constants: Vec<(String, Rc<LocalConstant>)>,
    env: Env,
    types: Types,
    vars: Table<Var, Variable>,
    labels: Table<Label, LabelInfo>,
    places: Table<At, SpanRange>,
    scope: Scope,
    /// Lint levels of the statements around, the outer before the inner.
    levels: LintLevels,
    /// What `break` and `continue` may name here, innermost last.
    targets: Vec<Target>,
    /// What `return` brings.
    ret: Ty,
    returns_early: bool,
    /// Whether control cannot get here.
    diverges: bool,
    obligations: Vec<(SpanRange, Obligation)>,
    /// Variables that the first of several alternative patterns has bound, while the others are
    /// visited.
    alternative: Vec<(String, Var)>,
    /// The name for the shared array that is the value of the `let` at hand.
    naming: Option<String>,
    /// Where the constant is named whose value is at hand.
    constant: Option<SpanRange>,
    /// Constants of types that are known later.
    late: Vec<late_constant::LateConstant>,
    /// Functions whose bodies are being inferred in the place of their calls.
    in_place: Vec<Callee>,
    /// Where everything is, while a function of the prelude is inferred in the place of its call.
    place: Option<SpanRange>,
    /// True in a pattern that every value fits, where a name alone is a variable's.
    is_irrefutable: bool,
    /// How many types that refer to others the value at hand was taken through.
    dereferences: usize,
    projections: Vec<Projection>,
    /// What bounds say is converted into what.
    conversions: Vec<(Ty, Ty)>,
    notes: Notes,
}

/// A constant that is declared in the function.
struct LocalConstant {
    ty: syn::Type,
    value: syn::Expr,
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
        let mut types = Types::new(context.generics.to_vec(), context.program.names.clone());
        let ret = types.unit();
        let (names, env) = signature::generics(context, &mut types, errors);
        if context.given.is_none() {
            types.generics = names.generics.iter().map(|generic| generic.name.clone()).collect();
        }
        Self {
            context,
            errors,
            names,
            constants: Vec::new(),
            env,
            types,
            vars: Table::new(),
            labels: Table::new(),
            places: Table::new(),
            scope: Scope::default(),
            levels: Vec::new(),
            targets: Vec::new(),
            ret,
            returns_early: false,
            diverges: false,
            obligations: Vec::new(),
            alternative: Vec::new(),
            naming: None,
            constant: None,
            late: Vec::new(),
            in_place: Vec::new(),
            place: None,
            is_irrefutable: false,
            dereferences: 0,
            projections: Vec::new(),
            conversions: Vec::new(),
            notes: Notes::default(),
        }
    }

    fn function(mut self) -> (Function, Notes) {
        let Written { sig, block: written, attrs, outer_attrs, .. } = self.context.written;
        if self.context.given.is_none() {
            self.own_type();
        }
        let options = self.context.kernel;
        let block = options.and_then(|options| options.block.as_ref());
        let block = block.map(|dims| self.block_dims(dims));
        let params = self.signature(sig);
        let conditions = options.into_iter().flat_map(|options| &options.requires);
        let requires = conditions.map(|condition| self.condition(&condition.expr)).collect();
        let (mut body, ty) = self.block(written, Some(self.ret));
        if let Some(tail) = body.tail.take() {
            body.tail = Some(Box::new(self.coerce(*tail, self.ret)));
        } else if !self.is_never(ty) {
            let end = SpanRange::token(written.brace_token.span.close());
            self.unify(end, ty, self.ret);
        }
        let late = self.late_constants();
        body.stmts.splice(0..0, late);
        self.returned_items(sig, self.ret);
        self.solve();
        let function = Function {
            name: sig.ident.to_string(),
            generics: self.names.generics,
            block: block.flatten(),
            params,
            requires,
            vars: self.vars,
            labels: self.labels,
            types: self.types,
            places: self.places,
            ret: self.ret,
            returns_early: self.returns_early,
            levels: options
                .into_iter()
                .flat_map(|options| options.lints.iter().cloned())
                .chain(lint_levels::levels(outer_attrs.iter().chain(attrs)))
                .collect(),
            body,
        };
        (function, self.notes)
    }

    /// A condition that the kernel requires.
    fn condition(&mut self, written: &syn::Expr) -> Expr {
        let bool = self.prim(Prim::Bool);
        let condition = self.expr(written, Some(bool));
        self.coerce(condition, bool)
    }

    /// What `Self` is in the `impl` at hand, whose parameters stand for themselves.
    fn own_type(&mut self) {
        if let Some(home) = self.context.home
            && let Some(syn::Item::Impl(of)) = self.program().item(home)
        {
            let this = self.ty(&of.self_ty);
            self.env.this = Some(this);
        }
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
        self.settle_projections(false);
        self.settle_conversions();
        self.types.fall_back();
        self.settle_projections(true);
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
        self.places.push(self.place.unwrap_or(range))
    }

    fn make(&mut self, kind: Kind, ty: Ty, range: SpanRange) -> Expr {
        let at = self.at(range);
        Expr { kind, ty, at }
    }

    /// What a place holds, as a value: what is done to it leaves the place as it is.
    fn taken(&mut self, place: Expr) -> Expr {
        if !place.is_place() {
            return place;
        }
        let Expr { ty, at, .. } = place;
        let block = Block { stmts: Vec::new(), tail: Some(Box::new(place)) };
        Expr { kind: Kind::Block { label: None, block }, ty, at }
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
        let (shown, wanted) = (self.types.show(found), self.types.show(expected));
        let fact = format_args!("mismatched types: expected `{wanted}`, found `{shown}`");
        let proof = self.errors.mistyped(at, fact);
        let reported = self.types.add(Type::Reported(proof));
        self.types.give_up(found, reported);
        self.types.give_up(expected, reported);
        proof
    }
}
