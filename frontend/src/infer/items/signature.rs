//! Signatures: generic parameters, parameters and the return type.
use crate::{
    hir::{Generic, GenericArg, GenericKind, Pattern, PatternKind},
    infer::{
        Infer, InferInput, Obligation,
        items::scope::{self, Env, GenericNames},
        program::FunctionSyntax,
    },
    resolve::paths::path_key,
    syntax::{error::Errors, span::SpanRange, ungroup::peel},
    types::{Class, Prim, Ty, Type, Types},
};
use syn::{
    FnArg, GenericParam, ReturnType, Safety, Signature, TypeParamBound, WherePredicate,
    punctuated::Punctuated,
    visit::{self, Visit},
};
use warpwise_compiler::{
    id::Id as _,
    ir::{Bound, Extent, GenericId},
};

/// A generic parameter of a function or of its `impl` or trait.
pub(crate) enum GenericParameter<'a> {
    /// A type.
    Type(&'a syn::TypeParam),
    /// A constant.
    Const(&'a syn::ConstParam),
    /// An `impl Trait` in the type of an argument, or in a reference there, with the argument's
    /// index.
    Impl(usize, &'a syn::TypeImplTrait),
}

impl GenericParameter<'_> {
    /// Returns the parameter's name; `impl Trait` gets a synthetic one.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Type(param) => param.ident.to_string(),
            Self::Const(param) => param.ident.to_string(),
            Self::Impl(index, _) => format!("impl#{index}"),
        }
    }
}

/// Returns the generic parameters of an `impl` or trait, then those of the function.
pub(crate) fn generic_parameters<'a>(
    outer: Option<&'a syn::Generics>,
    sig: impl Into<Option<&'a Signature>>,
) -> Vec<GenericParameter<'a>> {
    let sig = sig.into();
    let params =
        outer.into_iter().chain(sig.map(|sig| &sig.generics)).flat_map(|generics| &generics.params);
    let written = params.filter_map(|param| match param {
        GenericParam::Lifetime(_) => None,
        GenericParam::Type(param) => Some(GenericParameter::Type(param)),
        GenericParam::Const(param) => Some(GenericParameter::Const(param)),
    });
    let inputs = sig.into_iter().flat_map(|sig| &sig.inputs);
    let impls = inputs.enumerate().filter_map(|(index, input)| match input {
        FnArg::Typed(input) => Some(GenericParameter::Impl(index, find_impl_trait(&input.ty)?.1)),
        FnArg::Receiver(_) => None,
    });
    written.chain(impls).collect()
}

/// Returns the `impl Trait` of an argument's type, with the mutability of the reference to it, if
/// any.
fn find_impl_trait(ty: &syn::Type) -> Option<(Option<bool>, &syn::TypeImplTrait)> {
    match peel(ty) {
        syn::Type::ImplTrait(ty) => Some((None, ty)),
        syn::Type::Reference(reference) => match peel(&reference.elem) {
            syn::Type::ImplTrait(ty) => Some((Some(reference.mutability.is_some()), ty)),
            _ => None,
        },
        _ => None,
    }
}

/// Returns `Some` for `&self` and `&mut self`, true for the latter.
pub(crate) fn receiver_reference(receiver: &syn::Receiver) -> Option<bool> {
    match &receiver.kind {
        syn::ReceiverKind::Reference(_, _, mutable) => Some(mutable.is_some()),
        _ => None,
    }
}

/// Declares the function's generic parameters and open constants, and returns their arguments.
pub(crate) fn declare_generics(
    input: &InferInput<'_>,
    types: &mut Types,
    errors: &mut Errors,
) -> (GenericNames, Env) {
    let mut names = GenericNames::default();
    let mut args = Vec::new();
    let FunctionSyntax { sig, outer, .. } = input.function;
    for (index, param) in generic_parameters(outer, sig).iter().enumerate() {
        let (at, kind) = match param {
            GenericParameter::Type(param) => {
                let bound = match input.instance {
                    Some(_) => Bound::Num,
                    None => parameter_number_bound(input, &param.ident, &param.bounds, errors),
                };
                (SpanRange::token(param.ident.span()), GenericKind::Type(bound))
            }
            GenericParameter::Const(param) => {
                let kind = GenericKind::Const(const_param_type(&param.ty, errors));
                (SpanRange::token(param.ident.span()), kind)
            }
            GenericParameter::Impl(_, ty) => {
                if input.kernel.is_some() {
                    report_closure_parameter(ty, errors);
                }
                (SpanRange::tokens(ty), GenericKind::Type(Bound::Num))
            }
        };
        // A distinct entry tells the parameter's type from equal types: see `traits::bounds`.
        let given = input.instance.and_then(|given| given.args.get(index));
        let given = given.map(|given| match types.add_mono_arg(given) {
            GenericArg::Type(ty) => GenericArg::Type(types.add_distinct(ty)),
            length => length,
        });
        let generic = Generic { name: param.name(), kind, at };
        args.push(declare_generic(&mut names, types, generic, given));
    }
    for path in input.kernel.iter().flat_map(|options| &options.open) {
        let kind = GenericKind::Open(types.unknown(Class::Any));
        let generic = Generic { name: path_key(path), kind, at: SpanRange::path(path) };
        args.push(declare_generic(&mut names, types, generic, None));
    }
    let this = input.instance.and_then(|given| given.self_ty.as_ref());
    let this = this.map(|this| {
        let ty = types.add_mono(this);
        types.add_distinct(ty)
    });
    (names, Env { args: args.into(), home: input.home, self_ty: this })
}

/// Reports a kernel's parameter of the type `impl Fn(f32) -> f32`.
fn report_closure_parameter(ty: &syn::TypeImplTrait, errors: &mut Errors) {
    let is_of_closures = |bound: &TypeParamBound| match bound {
        TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|last| is_closure_trait(&last.ident.to_string()))
        }
        _ => false,
    };
    if ty.bounds.iter().any(is_of_closures) {
        errors.advise(SpanRange::tokens(ty), CLOSURE_PASSED, PASS_INSTEAD);
    }
}

fn declare_generic(
    names: &mut GenericNames,
    types: &mut Types,
    generic: Generic,
    given: Option<GenericArg>,
) -> (String, GenericArg) {
    let id = GenericId::new(names.generics.len());
    let arg = given.unwrap_or_else(|| match generic.kind {
        GenericKind::Type(_) => GenericArg::Type(types.add(Type::Generic(id))),
        GenericKind::Const(_) | GenericKind::Open(_) => {
            GenericArg::Const(types.len(Extent::Generic(id)))
        }
    });
    let name = generic.name.clone();
    names.generics.push(generic);
    (name, arg)
}

/// Returns the type of a constant parameter.
fn const_param_type(ty: &syn::Type, errors: &mut Errors) -> Prim {
    let prim = match peel(ty) {
        syn::Type::Path(path) => {
            path.path.get_ident().and_then(|id| Prim::from_name(&id.to_string()))
        }
        _ => None,
    };
    prim.unwrap_or_else(|| {
        errors.report(
            SpanRange::tokens(ty),
            "constant parameters of kernel code are integers or `bool`",
        );
        Prim::Usize
    })
}

/// Returns the numbers that a type parameter may be, from its bounds and the `where` clause.
fn parameter_number_bound(
    input: &InferInput<'_>,
    ident: &syn::Ident,
    inline: &Punctuated<TypeParamBound, syn::Token![+]>,
    errors: &mut Errors,
) -> Bound {
    let FunctionSyntax { sig, outer, .. } = input.function;
    let mut found: Option<Bound> = None;
    let mut is_bounded = false;
    for bound in where_bounds(outer, sig, ident).into_iter().chain(inline) {
        let TypeParamBound::Trait(bound) = bound else { continue };
        let Some(last) = bound.path.segments.last() else { continue };
        let name = last.ident.to_string();
        is_bounded = true;
        let this = match number_bound(&name) {
            Some(this) => this,
            None if is_integer_trait(&name) => Bound::Int,
            None if is_neutral_trait(&name) => continue,
            None if is_closure_trait(&name) => {
                errors.advise(SpanRange::path(&bound.path), CLOSURE_PASSED, PASS_INSTEAD);
                return Bound::Num;
            }
            None => {
                errors.advise(
                    SpanRange::path(&bound.path),
                    format_args!("nothing says which types with this trait `{ident}` stands for"),
                    "name them, and the kernel is compiled for each: `#[kernel(instances(f32, \
                     Point))]`; or bound it by `Num`, `Int` or `Float` alone, for numbers of any type",
                );
                return Bound::Num;
            }
        };
        found = Some(match found {
            None | Some(Bound::Num) => this,
            Some(narrow) => narrow,
        });
    }
    if !is_bounded && input.kernel.is_some() {
        errors.advise(
            SpanRange::token(ident.span()),
            format_args!("nothing says what numbers the type parameter `{ident}` may be"),
            format_args!(
                "bound it by `Num`, `Int` or `Float`: `{ident}: Num`; or name the types: \
                 `#[kernel(instances(f32, Point))]`"
            ),
        );
    }
    found.unwrap_or(Bound::Num)
}

/// Returns true if all type parameters of a function are numbers with bounds that all numbers of
/// their kind meet, so that the function can be checked without a call.
pub(crate) fn are_parameters_numbers(outer: Option<&syn::Generics>, sig: &Signature) -> bool {
    generic_parameters(outer, sig).iter().all(|param| match param {
        GenericParameter::Const(_) => true,
        GenericParameter::Impl(..) => false,
        GenericParameter::Type(param) => {
            let bounds = param.bounds.iter().chain(where_bounds(outer, sig, &param.ident));
            let traits = bounds.filter_map(|bound| match bound {
                TypeParamBound::Trait(bound) => Some(bound.path.segments.last()?.ident.to_string()),
                _ => None,
            });
            let traits: Vec<String> = traits.collect();
            traits.iter().any(|name| number_bound(name).is_some())
                && traits.iter().all(|name| number_bound(name).is_some() || is_neutral_trait(name))
        }
    })
}

/// Returns the numbers that implement a number trait of Warpwise.
pub(crate) fn number_bound(name: &str) -> Option<Bound> {
    match name {
        "Num" => Some(Bound::Num),
        "Int" => Some(Bound::Int),
        "Float" => Some(Bound::Float),
        _ => None,
    }
}

/// Returns the bounds of a type parameter in the `where` clauses.
pub(crate) fn where_bounds<'a>(
    outer: Option<&'a syn::Generics>,
    sig: impl Into<Option<&'a Signature>>,
    name: &syn::Ident,
) -> Vec<&'a TypeParamBound> {
    let generics = outer.into_iter().chain(sig.into().map(|sig| &sig.generics));
    let clause = generics.filter_map(|generics| generics.where_clause.as_ref());
    let clause = clause.flat_map(|clause| &clause.predicates);
    let bounds = clause.filter_map(|predicate| match predicate {
        WherePredicate::Type(predicate) => match &predicate.bounded_ty {
            syn::Type::Path(path) if path.path.is_ident(name) => Some(&predicate.bounds),
            _ => None,
        },
        _ => None,
    });
    bounds.flatten().collect()
}

/// Returns true for a std trait that does not restrict the kind of a number.
pub(crate) fn is_neutral_trait(name: &str) -> bool {
    let operators = ["Add", "Sub", "Mul", "Div", "Rem", "BitAnd", "BitOr", "BitXor", "Shl", "Shr"];
    let stem = name.strip_suffix("Assign").unwrap_or(name);
    operators.contains(&stem)
        || ["Neg", "Not", "Copy", "Clone", "Send", "Sync", "Sized", "PartialEq", "Eq"]
            .contains(&name)
        || ["PartialOrd", "Ord", "Element", "Default", "Debug", "Display"].contains(&name)
        || ["Sum", "Product"].contains(&name)
}

/// Returns true for a std trait that only functions and closures implement.
fn is_closure_trait(name: &str) -> bool {
    matches!(name, "Fn" | "FnMut" | "FnOnce")
}

const CLOSURE_PASSED: &str =
    "a kernel's parameters come from the host, whose closures and functions are not the device's";
const PASS_INSTEAD: &str = "make the function a `#[device]` trait's, and name the types that have it: \
    `#[kernel(instances(Square, Cube))]`; or pass a number or a `#[device]` enum and `match` on it; closures in the kernel \
    can be passed to `#[device]` functions";

/// Returns true for a std trait that floats do not implement.
fn is_integer_trait(name: &str) -> bool {
    let stem = name.strip_suffix("Assign").unwrap_or(name);
    ["BitAnd", "BitOr", "BitXor", "Shl", "Shr", "Not", "Eq", "Ord"].contains(&stem)
}

/// The greatest number of types that are visited inside a type: a type that contains itself has
/// infinitely many.
pub(crate) const MAX_VISITED_TYPES: usize = 4096;

impl Infer<'_> {
    /// Declares the parameters and sets the return type.
    pub(crate) fn infer_signature(&mut self, sig: &Signature) -> Vec<Pattern> {
        self.report_modifiers(sig);
        if let ReturnType::Type(_, ty) = &sig.output
            && let syn::Type::ImplTrait(_) = peel(ty)
            && self.input.kernel.is_none()
        {
            self.ret = self.unknown();
        } else if let ReturnType::Type(_, ty) = &sig.output {
            self.ret = self.resolve_type(ty);
            let at = SpanRange::tokens(ty);
            if self.input.kernel.is_some() && !self.is_unit(self.ret) {
                self.errors.advise(
                    at,
                    "a kernel returns nothing: each of its threads would return its own value",
                    "write the result to a `&mut [T]` parameter",
                );
            } else {
                self.oblige(at, Obligation::Returned(self.ret));
            }
        }
        sig.inputs.iter().enumerate().map(|input| self.declare_parameter(input)).collect()
    }

    /// Unifies the items of a returned iterator with its `impl Iterator<Item = ..>`.
    pub(crate) fn unify_returned_items(&mut self, sig: &Signature, ret: Ty) {
        let ReturnType::Type(_, ty) = &sig.output else { return };
        let syn::Type::ImplTrait(ty) = peel(ty) else { return };
        for bound in &ty.bounds {
            let TypeParamBound::Trait(bound) = bound else { continue };
            let Some(last) = bound.path.segments.last() else { continue };
            let syn::PathArguments::AngleBracketed(args) = &last.arguments else { continue };
            for arg in &args.args {
                if let syn::GenericArgument::AssocType(item) = arg
                    && item.ident == "Item"
                    && let Some((_, found)) = self.as_iterator(ret)
                {
                    let expected = self.resolve_type(&item.ty);
                    self.unify(SpanRange::tokens(&item.ty), found, expected);
                }
            }
        }
    }

    /// Reports unsupported modifiers of a function.
    fn report_modifiers(&mut self, sig: &Signature) {
        let what = if self.input.kernel.is_some() { "a kernel" } else { "a device function" };
        if let Some(token) = sig.asyncness {
            let at = SpanRange::token(token.span);
            self.errors.report(at, format_args!("{what} cannot be `async`"));
        }
        if let Safety::Unsafe(token) = sig.safety {
            let at = SpanRange::token(token.span);
            self.errors.advise(
                at,
                format_args!("{what} cannot be `unsafe`"),
                "leave `unsafe` out: kernel code is safe",
            );
        }
        if let Some(abi) = &sig.abi {
            let at = SpanRange::token(abi.extern_token.span);
            self.errors.advise(
                at,
                format_args!("{what} cannot be `extern`"),
                "leave `extern` out: nothing calls it by a symbol",
            );
        }
        if let Some(variadic) = &sig.variadic {
            let at = SpanRange::tokens(variadic);
            self.errors.report(at, format_args!("{what} cannot be variadic"));
        }
    }

    fn declare_parameter(&mut self, (index, input): (usize, &FnArg)) -> Pattern {
        let input = match input {
            FnArg::Receiver(receiver) => return self.declare_receiver(receiver),
            FnArg::Typed(input) => input,
        };
        let env = self.env.clone();
        let ty = self.argument_type(index, &input.ty, &env);
        if self.input.kernel.is_some() {
            self.check_kernel_parameter(&input.ty, ty);
        } else {
            self.oblige(SpanRange::tokens(&input.ty), Obligation::Bound(ty));
        }
        self.infer_irrefutable(&input.pat, ty)
    }

    /// Returns the type of an argument by its index and its written type.
    pub(crate) fn argument_type(&mut self, index: usize, ty: &syn::Type, env: &Env) -> Ty {
        let Some((reference, _)) = find_impl_trait(ty) else {
            return self.resolve_type_in(ty, env);
        };
        let this = match scope::find_generic(&env.args, &format!("impl#{index}")) {
            Some((_, GenericArg::Type(ty))) => ty,
            _ => self.unknown(),
        };
        reference.map_or(this, |mutable| self.types.reference(mutable, this))
    }

    /// Declares `self`, `&self` or `&mut self`.
    pub(crate) fn declare_receiver(&mut self, receiver: &syn::Receiver) -> Pattern {
        let range = SpanRange::token(receiver.self_token.span);
        let ty = match (self.env.self_ty, receiver_reference(receiver)) {
            (Some(this), None) => this,
            (Some(this), Some(mutable)) => self.types.reference(mutable, this),
            (None, _) => {
                let reported = self.errors.report(
                    SpanRange::tokens(receiver),
                    "kernel code cannot be a method: it has no `self`",
                );
                self.types.add(Type::Reported(reported))
            }
        };
        let mutable = receiver_reference(receiver).is_none() && receiver.mutability.is_some();
        let ident = syn::Ident::new("self", receiver.self_token.span);
        let var = self.declare_variable(&ident, ty, mutable, mutable);
        let at = self.record_span(range);
        Pattern { kind: PatternKind::Bind { var, by_ref: false, subpattern: None }, ty, at }
    }

    /// Reports a type that a launch cannot pass.
    fn check_kernel_parameter(&mut self, written: &syn::Type, ty: Ty) {
        let at = SpanRange::tokens(written);
        let advice = match self.types.get(ty) {
            Type::Ref { mutable, to } => {
                let elem = match self.types.get(to) {
                    Type::Slice(elem) => elem,
                    _ => to,
                };
                if self.is_all_atomic(elem) {
                    if !mutable {
                        return;
                    }
                    "write `&[..]`: atomics are shared, whoever changes them"
                } else if self.is_passable(elem, true) {
                    return;
                } else if self.is_array(elem) {
                    "take it by value, without the reference"
                } else if let Type::Ref { .. } = self.types.get(elem) {
                    "pass one slice, and the start of each part in another; or an array of two dimensions, `Rows<T>`"
                } else {
                    "slices have elements of numbers, `bool`, atomics, and arrays, tuples, options, and `#[device]` structs and enums of those"
                }
            }
            _ if self.is_passable(ty, false) || self.is_array(ty) => return,
            _ if self.is_passable(ty, true) => {
                "atomics are shared: write `&T`, or `&[T]` for several"
            }
            Type::Pointer(_) => {
                "pass a number and `match` on it: the host's functions are not the device's"
            }
            _ => {
                "parameters are numbers, `bool`, and arrays, tuples, options, and `#[device]` structs and enums of them, \
                 `&[T]`, `&mut [T]`, slices of atomics, and the arrays `Rows<T>`, `RowsMut<T>`, `Layers<T>` and \
                 `LayersMut<T>`"
            }
        };
        const FACT: &str = "a kernel cannot have a parameter of this type";
        match self.types.get(ty) {
            // A launch has no such argument, about which rustc could report anything.
            Type::Adt(..) if holds(written, |ty| matches!(ty, syn::Type::Slice(_))) => {
                self.errors.advise(
                    at,
                    FACT,
                    "take the slice itself, `&[T]` or `&mut [T]`, and a `bool` that is false where \
                     there is none: a launch then passes an empty slice",
                )
            }
            Type::Adt(..) if holds(written, |ty| matches!(ty, syn::Type::Reference(_))) => {
                self.errors.advise(at, FACT, advice)
            }
            // rustc reports that the argument is not `Plain`.
            Type::Adt(..) => self.errors.advise_unless_rustc(at, FACT, advice),
            _ => self.errors.advise(at, FACT, advice),
        };
    }

    /// Returns true for the library's multidimensional arrays whose elements a slice can have.
    fn is_array(&mut self, ty: Ty) -> bool {
        let Type::Adt(item, _) = self.types.get(ty) else { return false };
        let fields = self.variant_field_types(ty);
        let Some(&elements) = fields.first().and_then(|fields| fields.first()) else {
            return false;
        };
        let Type::Ref { to, .. } = self.types.get(elements) else { return false };
        let Type::Slice(elem) = self.types.get(to) else { return false };
        self.program().array_form(item).is_some()
            && (self.is_all_atomic(elem) || self.is_passable(elem, true))
    }

    /// Returns true for an atomic and for arrays of atomics.
    fn is_all_atomic(&self, ty: Ty) -> bool {
        match self.types.get(ty) {
            Type::Atomic(_) => true,
            Type::Array(elem, _) => self.is_all_atomic(elem),
            _ => false,
        }
    }

    /// Returns true if a launch can pass a value of this type, or, with `atomics`, a buffer of such
    /// values.
    fn is_passable(&mut self, ty: Ty, atomics: bool) -> bool {
        let (mut open, mut visited) = (vec![ty], 0);
        while let Some(ty) = open.pop() {
            visited += 1;
            // rustc reports a type that contains itself.
            if visited > MAX_VISITED_TYPES {
                return true;
            }
            match self.types.get(ty) {
                Type::Prim(_) | Type::Generic(_) | Type::Unit | Type::Reported(_) => {}
                Type::Atomic(_) if atomics => {}
                Type::Array(elem, _) => open.push(elem),
                Type::Tuple(list) => open.extend(self.types.parts(list)),
                Type::Adt(..) => open.extend(self.variant_field_types(ty).into_iter().flatten()),
                Type::Atomic(_)
                | Type::Unknown(_)
                | Type::Same(_)
                | Type::Never
                | Type::Ref { .. }
                | Type::Slice(_)
                | Type::Closure(_)
                | Type::Pointer(_)
                | Type::Iter(..) => return false,
            }
        }
        true
    }
}

/// Returns true if `is_meant` holds for a type that is part of `ty`: `&[f32]` of `Option<&[f32]>`.
fn holds(ty: &syn::Type, is_meant: fn(&syn::Type) -> bool) -> bool {
    struct Finder {
        is_meant: fn(&syn::Type) -> bool,
        is_found: bool,
    }
    impl<'ast> Visit<'ast> for Finder {
        fn visit_type(&mut self, ty: &'ast syn::Type) {
            self.is_found |= (self.is_meant)(ty);
            visit::visit_type(self, ty);
        }
    }
    let mut finder = Finder { is_meant, is_found: false };
    finder.visit_type(ty);
    finder.is_found
}
