//! Type inference and name resolution: from the syntax of a function to its typed tree. All errors
//! of the function are reported here.
//!
//! Inference follows rustc's for the subset of Rust that kernel code has: expressions are visited
//! in the same order; integer and float literals get unknown types that operators unify; a method
//! call needs its receiver's type when it is reached; a diverging expression has type `!`, which
//! coerces to any type. Operators are checked last, on decided types: each registers an
//! [`Obligation`].
//!
//! Methods named `infer_*` take syntax and return a typed node. Methods named `try_*` take a
//! receiver and return it as the `Err` where they do not apply, so that the next rule can be tried.
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

/// The input of inference for one function.
pub(crate) struct Context<'a> {
    /// The items, the standard library and the instances made so far.
    pub(crate) program: &'a Program<'a>,
    /// The function.
    pub(crate) written: Written<'a>,
    /// The item that is the function or contains it; `None` for the kernel.
    pub(crate) home: Option<usize>,
    /// The arguments of `#[kernel(..)]`; `None` in a device function.
    pub(crate) kernel: Option<&'a Options>,
    /// The generic arguments of the instance; `None` if the parameters stand for themselves.
    pub(crate) given: Option<&'a Given>,
    /// Names of the generic parameters that the types of an instance may mention.
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

/// Returns the field types of each variant of a struct or enum, for these generic arguments; `None`
/// if an error was reported.
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

/// Finds the method of a trait `impl` that compares two values of a type. Returns the function, its
/// instance arguments and its return type; `None` if there is no such `impl`.
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

/// Runs inference outside of any function, with the paths of an item.
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

/// Reports an open constant whose type is not determined by its uses.
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
    /// Local constants of the function, by name.
    constants: Vec<(String, Rc<LocalConstant>)>,
    env: Env,
    types: Types,
    vars: Table<Var, Variable>,
    labels: Table<Label, LabelInfo>,
    places: Table<At, SpanRange>,
    scope: Scope,
    /// Lint levels of the enclosing statements, outermost first.
    levels: LintLevels,
    /// Targets of `break` and `continue`, innermost last.
    targets: Vec<Target>,
    /// The return type.
    ret: Ty,
    returns_early: bool,
    /// True if control cannot reach this point.
    diverges: bool,
    obligations: Vec<(SpanRange, Obligation)>,
    /// Variables bound by the first of several alternative patterns, while the others are visited.
    alternative: Vec<(String, Var)>,
    /// The variable of the `let` being inferred, for the name of a shared array.
    naming: Option<String>,
    /// The use of the constant whose value is being inferred.
    constant: Option<SpanRange>,
    /// Constants whose types are decided after their use.
    late: Vec<late_constant::LateConstant>,
    /// Functions whose bodies are being inferred in place of their calls.
    in_place: Vec<Callee>,
    /// The span of every node while a library function is inferred in place of its call.
    place: Option<SpanRange>,
    /// True in an irrefutable pattern, where a plain name always declares a variable.
    is_irrefutable: bool,
    /// The number of nested dereferences of the value being inferred.
    dereferences: usize,
    projections: Vec<Projection>,
    /// Pairs of types from `Into` bounds: the first converts into the second.
    conversions: Vec<(Ty, Ty)>,
    notes: Notes,
}

/// A constant declared in the function.
struct LocalConstant {
    ty: syn::Type,
    value: syn::Expr,
}

/// A target of `break` and `continue`.
struct Target {
    label: Label,
    name: Option<String>,
    /// True for a loop, which `continue` and an unlabelled `break` can target.
    is_loop: bool,
    /// True if `break` may carry a value.
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
            // After the body, since its statements decide the types of late constants.
            body.tail = Some(Box::new(self.coerce(*tail, self.ret)));
        } else if !self.is_never(ty) {
            let end = SpanRange::token(written.brace_token.span.close());
            self.unify(end, ty, self.ret);
        }
        let late = self.late_constants();
        body.stmts.splice(0..0, late);
        self.returned_items(sig, self.ret);
        // Last: obligations need the types that everything above decided.
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

    /// Infers a condition of `requires(..)`.
    fn condition(&mut self, written: &syn::Expr) -> Expr {
        let bool = self.prim(Prim::Bool);
        let condition = self.expr(written, Some(bool));
        self.coerce(condition, bool)
    }

    /// Binds `Self` to the type of the surrounding `impl`, whose parameters stand for themselves.
    fn own_type(&mut self) {
        if let Some(home) = self.context.home
            && let Some(syn::Item::Impl(of)) = self.program().item(home)
        {
            let this = self.ty(&of.self_ty);
            self.env.this = Some(this);
        }
    }

    /// Decides every type, then checks every obligation.
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
        // The order decides types as rustc does: projections and conversions may still decide a
        // literal's type; only then do `i32` and `f64` become the fallback, which in turn decides
        // the rest of the projections.
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

    /// Turns a place into a value: a later change of the value leaves the place as it is.
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

    /// Unifies `found` with `expected`, and reports a mismatch if they differ.
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
