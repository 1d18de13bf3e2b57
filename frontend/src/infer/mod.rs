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
    call::{
        atomic::{NO_ORDERING, ORDERING_HELP},
        reject::host_blocks,
    },
    items::{
        const_eval::eval_literal_integer, cycles::Resolutions, lifetimes,
        signature::are_parameters_numbers,
    },
};
use crate::{
    attr::Options,
    hir::{
        Block, Expr, ExprKind, Function, GenericKind, Label, LabelInfo, LintLevels, SpanId, Var,
        Variable, lint_levels,
    },
    infer::{
        items::{
            late_constant,
            scope::{Env, GenericNames, Scope},
            signature,
        },
        notes::Notes,
        program::{FunctionSyntax, InstanceArgs, Program},
        traits::{
            associated_type::Projection,
            member::{Member, MemberKind},
            obligation::Obligation,
        },
    },
    resolve::{device_set::Callee, source_map},
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
pub(crate) struct InferInput<'a> {
    /// The items, the standard library and the instances made so far.
    pub(crate) program: &'a Program<'a>,
    /// The function.
    pub(crate) function: FunctionSyntax<'a>,
    /// The item that is the function or contains it; `None` for the kernel.
    pub(crate) home: Option<usize>,
    /// The arguments of `#[kernel(..)]`; `None` in a device function.
    pub(crate) kernel: Option<&'a Options>,
    /// The generic arguments of the instance; `None` if the parameters stand for themselves.
    pub(crate) instance: Option<&'a InstanceArgs>,
    /// Names of the generic parameters that the types of an instance may mention.
    pub(crate) generics: &'a [String],
}

/// Infers a function; `None` if something was reported.
pub(crate) fn infer_function(
    input: &InferInput<'_>,
    errors: &mut Errors,
) -> Option<(Function, Notes)> {
    let mut local = errors.nested();
    let FunctionSyntax { sig, outer, .. } = input.function;
    if input.instance.is_none()
        && let Some(at) = lifetimes::find_missing_lifetime(sig, outer)
    {
        local.mistyped(at, "a lifetime is missing");
    }
    let inferred = Infer::new(input, &mut local).infer_function();
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
    infer_outside_function(program, Some(item), generics, errors, |infer| {
        let args = args.iter().map(|arg| infer.types.add_mono_arg(arg)).collect();
        let list = infer.types.list(args);
        let ty = infer.types.add(Type::Adt(item, list));
        let shapes = infer.variant_field_types(ty).into_iter();
        let mono = |fields: Vec<Ty>| fields.into_iter().map(|ty| infer.types.to_mono(ty)).collect();
        shapes.map(mono).collect()
    })
}

/// Finds the function of a type's `impl` of a trait of std, such as `PartialEq::eq`. Returns the
/// function, its instance arguments and its return type; `None` if there is no such `impl`.
pub(crate) fn find_std_impl(
    program: &Program<'_>,
    [of_trait, method]: [&str; 2],
    mono: &Mono,
    generics: &[String],
    errors: &mut Errors,
) -> Option<(Callee, InstanceArgs, Mono)> {
    infer_outside_function(program, None, generics, errors, |infer| {
        let ty = infer.types.add_mono(mono);
        let other = infer.types.reference(false, ty);
        let found = infer.find_operator_impl(of_trait, method, ty, Some(other))?;
        infer.instance_of_member(&found)
    })
}

/// Finds the function of the `impl` of `From` that converts `from` to `to`, as [`find_std_impl`]
/// does.
pub(crate) fn find_conversion_impl(
    program: &Program<'_>,
    [from, to]: [&Mono; 2],
    generics: &[String],
    errors: &mut Errors,
) -> Option<(Callee, InstanceArgs, Mono)> {
    infer_outside_function(program, None, generics, errors, |infer| {
        let [from, to] = [from, to].map(|mono| infer.types.add_mono(mono));
        let found = infer.find_from_impl(to, from)?;
        infer.instance_of_member(&found)
    })
}

/// Runs inference outside of any function, with the paths of an item.
fn infer_outside_function<T>(
    program: &Program<'_>,
    home: Option<usize>,
    generics: &[String],
    errors: &mut Errors,
    infer: impl FnOnce(&mut Infer<'_>) -> T,
) -> T {
    let nothing: syn::ItemFn = syn::parse_quote!(
        fn nothing() {}
    );
    let written = FunctionSyntax {
        sig: &nothing.sig,
        block: &nothing.block,
        attrs: &[],
        outer_attrs: &[],
        outer: None,
    };
    let given = InstanceArgs { args: Vec::new(), self_ty: None };
    let input = InferInput {
        program,
        function: written,
        home,
        kernel: None,
        instance: Some(&given),
        generics,
    };
    let mut local = errors.nested();
    let inferred = infer(&mut Infer::new(&input, &mut local));
    errors.append(local);
    inferred
}

/// Reports an open constant whose type is not determined by its uses.
fn report_unknown_open_constant(errors: &mut Errors, name: &str, at: SpanRange) -> Reported {
    let item = || {
        let mut path: syn::Path = syn::parse_str(name).ok()?;
        path.segments.iter_mut().for_each(|segment| segment.ident.set_span(at.first));
        let here = path.get_ident().and_then(source_map::host_item_at);
        here.or_else(|| source_map::far_item(&path).map(|elsewhere| elsewhere.item))
    };
    if item().is_some_and(|item| item.is_array) {
        return errors.advise(
            at,
            format_args!("`{name}` is an array: open constants are numbers and `bool`"),
            format_args!("put `#[device]` above it, and leave it out of `open(..)`"),
        );
    }
    errors.advise(
        at,
        format_args!("the type of the open constant `{name}` is not known here"),
        format_args!("bind it with its type: `let value: usize = {name};`"),
    )
}

struct Infer<'a> {
    input: &'a InferInput<'a>,
    errors: &'a mut Errors,
    names: GenericNames,
    constants: LocalConstants,
    env: Env,
    types: Types,
    vars: Table<Var, Variable>,
    labels: Table<Label, LabelInfo>,
    spans: Table<SpanId, SpanRange>,
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
    alternative_bindings: Vec<(String, Var)>,
    /// The variable of the `let` being inferred, for the name of a shared array.
    let_name: Option<String>,
    /// The use of the constant whose value is being inferred.
    constant_use: Option<SpanRange>,
    /// Constants whose types are decided after their use.
    late_constants: Vec<late_constant::LateConstant>,
    /// Functions whose bodies are being inferred in place of their calls.
    inlined_callees: Vec<Callee>,
    /// The span of every node while a library function is inferred in place of its call.
    fixed_span: Option<SpanRange>,
    /// True in an irrefutable pattern, where a plain name always declares a variable.
    is_irrefutable: bool,
    /// The number of nested dereferences of the value being inferred.
    deref_depth: usize,
    /// The number of `unsafe` blocks around the current expression.
    unsafe_blocks: usize,
    projections: Vec<Projection>,
    /// Pairs of types from `Into` bounds: the first converts into the second.
    conversions: Vec<(Ty, Ty)>,
    notes: Notes,
}

/// The constants that a function declares, as far as they are in scope.
struct LocalConstants {
    /// The item that is or contains the function, in whose environment they are looked up.
    home: Option<usize>,
    /// The constants by name, those of inner blocks last.
    declared: Vec<(String, Rc<LocalConstant>)>,
}

/// A constant declared in the function.
struct LocalConstant {
    ty: syn::Type,
    value: syn::Expr,
    /// The number of declared constants that are in scope of its type and value.
    scope: usize,
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
    fn new(input: &'a InferInput<'a>, errors: &'a mut Errors) -> Self {
        let mut types = Types::new(input.generics.to_vec(), input.program.names.clone());
        let ret = types.unit();
        let (names, env) = signature::declare_generics(input, &mut types, errors);
        if input.instance.is_none() {
            types.generics = names.generics.iter().map(|generic| generic.name.clone()).collect();
        }
        Self {
            input,
            errors,
            names,
            constants: LocalConstants { home: env.home, declared: Vec::new() },
            env,
            types,
            vars: Table::new(),
            labels: Table::new(),
            spans: Table::new(),
            scope: Scope::default(),
            levels: Vec::new(),
            targets: Vec::new(),
            ret,
            returns_early: false,
            diverges: false,
            obligations: Vec::new(),
            alternative_bindings: Vec::new(),
            let_name: None,
            constant_use: None,
            late_constants: Vec::new(),
            inlined_callees: Vec::new(),
            fixed_span: None,
            is_irrefutable: false,
            deref_depth: 0,
            unsafe_blocks: 0,
            projections: Vec::new(),
            conversions: Vec::new(),
            notes: Notes::default(),
        }
    }

    fn infer_function(mut self) -> (Function, Notes) {
        let FunctionSyntax { sig, block: written, attrs, outer_attrs, .. } = self.input.function;
        if self.input.instance.is_none() {
            self.bind_self_type();
        }
        let options = self.input.kernel;
        let block = options.and_then(|options| options.block.as_ref());
        let block = block.map(|dims| self.eval_block_dims(dims));
        let params = self.infer_signature(sig);
        let conditions = options.into_iter().flat_map(|options| &options.requires);
        let requires = conditions.map(|condition| self.infer_condition(&condition.expr)).collect();
        let (mut body, ty) = self.infer_block(written, Some(self.ret));
        if let Some(tail) = body.tail.take() {
            // After the body, since its statements decide the types of late constants.
            body.tail = Some(Box::new(self.coerce(*tail, self.ret)));
        } else if !self.is_never(ty) {
            let end = SpanRange::token(written.brace_token.span.close());
            self.unify(end, ty, self.ret);
        }
        let late = self.declare_late_constants();
        body.stmts.splice(0..0, late);
        self.unify_returned_items(sig, self.ret);
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
            spans: self.spans,
            ret: self.ret,
            returns_early: self.returns_early,
            tracks_caller: attrs.iter().any(|attr| attr.path().is_ident("track_caller")),
            levels: options
                .into_iter()
                .flat_map(|options| options.lints.iter().cloned())
                .chain(lint_levels::read_levels(outer_attrs.iter().chain(attrs)))
                .collect(),
            body,
        };
        (function, self.notes)
    }

    /// Infers a condition of `requires(..)`.
    fn infer_condition(&mut self, written: &syn::Expr) -> Expr {
        let bool = self.prim(Prim::Bool);
        let condition = self.infer_expr(written, Some(bool));
        self.coerce(condition, bool)
    }

    /// Binds `Self` to the type of the surrounding `impl`, whose parameters stand for themselves.
    fn bind_self_type(&mut self) {
        if let Some(home) = self.input.home
            && let Some(syn::Item::Impl(defined)) = self.program().item(home)
        {
            let this = self.resolve_type(&defined.self_ty);
            self.env.self_ty = Some(this);
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
                        let reported = report_unknown_open_constant(self.errors, name, *at);
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
            if let Obligation::From(from, to) = obligation
                && let Type::Adt(..) = self.types.get(to)
                && self.find_from_impl(to, from).is_some()
            {
                // The type was decided after `value.into()`; the lowering calls the `impl`.
                continue;
            }
            obligation.check(at, &self.types, self.errors);
        }
        for (_, var) in self.vars.iter() {
            if let Type::Unknown(_) = self.types.get(var.ty) {
                self.errors.advise(
                    self.spans[var.at],
                    format_args!("the type of `{}` is not known", var.name),
                    format_args!("write it: `let {}: f32`", var.name),
                );
            }
        }
    }

    fn record_span(&mut self, range: SpanRange) -> SpanId {
        self.spans.push(self.fixed_span.unwrap_or(range))
    }

    fn make_expr(&mut self, kind: ExprKind, ty: Ty, range: SpanRange) -> Expr {
        let at = self.record_span(range);
        Expr { kind, ty, at }
    }

    /// Turns a place into a value: a later change of the value leaves the place as it is.
    fn place_to_value(&mut self, place: Expr) -> Expr {
        if !place.is_place() {
            return place;
        }
        let Expr { ty, at, .. } = place;
        let block = Block { stmts: Vec::new(), tail: Some(Box::new(place)) };
        Expr { kind: ExprKind::Block { label: None, block }, ty, at }
    }

    /// Returns a function whose types are known, its instance arguments and its return type.
    fn instance_of_member(&mut self, member: &Member<'_>) -> Option<(Callee, InstanceArgs, Mono)> {
        let Member { callee, env, kind: MemberKind::Fn(sig) } = member else { return None };
        let args = env.args.iter().map(|(_, arg)| self.types.arg_to_mono(*arg));
        let args = args.collect::<Option<_>>()?;
        let this = env.self_ty.and_then(|this| self.types.to_mono(this));
        let syn::ReturnType::Type(_, ret) = &sig.output else { return None };
        let ret = self.resolve_type_in(ret, env);
        Some((*callee, InstanceArgs { args, self_ty: this }, self.types.to_mono(ret)?))
    }

    fn make_clone(&mut self, of: Expr, at: SpanRange) -> Expr {
        let ty = of.ty;
        self.make_expr(ExprKind::Clone(Box::new(of)), ty, at)
    }

    fn make_reported(&mut self, proof: Reported, range: SpanRange) -> Expr {
        let ty = self.types.add(Type::Reported(proof));
        self.make_expr(ExprKind::Reported, ty, range)
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
            self.report_mismatch(at, found, expected);
        }
    }

    fn report_mismatch(&mut self, at: SpanRange, found: Ty, expected: Ty) -> Reported {
        let (shown, wanted) = (self.types.show(found), self.types.show(expected));
        let fact = format_args!("mismatched types: expected `{wanted}`, found `{shown}`");
        let proof = self.errors.mistyped(at, fact);
        let reported = self.types.add(Type::Reported(proof));
        self.types.bind_reported(found, reported);
        self.types.bind_reported(expected, reported);
        proof
    }
}
