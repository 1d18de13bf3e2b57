//! Types and generic arguments as written.
use crate::{
    hir::GenericArg,
    infer::{
        Infer,
        call::reject,
        items::{
            ResolvedPrefix,
            cycles::Definition,
            scope::{self, Env},
        },
    },
    mistakes,
    syntax::{error::Reported, span::SpanRange},
    types::{Prim, Ty, Type, atomic_from_name, iterator::IterKind, vector},
};
use syn::{GenericArgument, GenericParam, PathArguments, ReturnType};

/// The treatment of omitted generic arguments.
#[derive(Clone, Copy)]
pub(crate) enum OmittedArgs {
    /// All are inferred if none is written: in expressions and patterns.
    Inferred,
    /// Defaults of the parameters apply: in the type or trait with this span.
    Defaults(SpanRange),
}

impl Infer<'_> {
    /// Resolves a type written in the function itself.
    pub(crate) fn resolve_type(&mut self, ty: &syn::Type) -> Ty {
        let env = self.env.clone();
        self.resolve_type_in(ty, &env)
    }

    /// Resolves a type in an environment.
    pub(crate) fn resolve_type_in(&mut self, ty: &syn::Type, env: &Env) -> Ty {
        match ty {
            syn::Type::Array(array) => {
                let elem = self.resolve_type_in(&array.elem, env);
                let len = self.eval_len(&array.len, env);
                self.types.add(Type::Array(elem, len))
            }
            syn::Type::Slice(slice) => {
                let elem = self.resolve_type_in(&slice.elem, env);
                self.types.add(Type::Slice(elem))
            }
            syn::Type::Reference(reference) => {
                let to = self.resolve_type_in(&reference.elem, env);
                self.types.reference(reference.mutability.is_some(), to)
            }
            syn::Type::Paren(paren) => self.resolve_type_in(&paren.elem, env),
            syn::Type::Group(group) => self.resolve_type_in(&group.elem, env),
            syn::Type::Tuple(tuple) => {
                let parts =
                    tuple.elems.iter().map(|part| self.resolve_type_in(part, env)).collect();
                self.types.tuple(parts)
            }
            syn::Type::Never(_) => self.types.never(),
            syn::Type::FnPtr(pointer) if pointer.unsafety.is_none() && pointer.abi.is_none() => {
                let params =
                    pointer.inputs.iter().map(|param| self.resolve_type_in(&param.ty, env));
                let mut parts: Vec<Ty> = params.collect();
                parts.push(match &pointer.output {
                    ReturnType::Default => self.types.unit(),
                    ReturnType::Type(_, ty) => self.resolve_type_in(ty, env),
                });
                self.types.pointer(parts)
            }
            syn::Type::Infer(_) => self.unknown(),
            syn::Type::Path(path) => match &path.qself {
                None => self.resolve_path_type(&path.path, env),
                Some(qself) => self.resolve_projection(qself, &path.path, env),
            },
            other => {
                let reported = self.report_no_type(other);
                self.types.add(Type::Reported(reported))
            }
        }
    }

    /// Resolves the type of a definition, such as an alias.
    pub(crate) fn resolve_definition_type(&mut self, definition: &Definition<'_, syn::Type>) -> Ty {
        match self.resolve_definition(definition, |this| {
            this.resolve_type_in(definition.value, definition.env)
        }) {
            Ok(ty) => ty,
            Err(reported) => self.types.add(Type::Reported(reported)),
        }
    }

    fn resolve_path_type(&mut self, path: &syn::Path, env: &Env) -> Ty {
        let at = SpanRange::path(path);
        let names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let owner = match names.first().map(String::as_str) {
            Some("Self") => env.self_ty,
            Some(first) => match scope::find_generic(&env.args, first) {
                Some((_, GenericArg::Type(ty))) => Some(ty),
                _ => None,
            },
            None => return self.unknown(),
        };
        match (owner, names.as_slice()) {
            (Some(owner), [_]) => return owner,
            (Some(owner), [first, name]) => {
                let sized = self.resolve_sized_alias(owner, name, env);
                return sized
                    .unwrap_or_else(|| self.resolve_associated_type(owner, first, name, env, at));
            }
            _ => {}
        }
        let last = names.last().cloned().unwrap_or_default();
        let plain = path.segments.last().is_none_or(|last| match &last.arguments {
            PathArguments::None => true,
            PathArguments::AngleBracketed(args) => args.args.is_empty(),
            PathArguments::Parenthesized(_) => false,
        });
        // Primitive types and atomics go first; with generic arguments they fall through to the
        // error at the end.
        if let Some(prim) = Prim::from_name(&last).filter(|_| plain) {
            return self.prim(prim);
        }
        if let Some(prim) = atomic_from_name(&last).filter(|_| plain) {
            return self.types.add(Type::Atomic(prim));
        }
        if let Some(ty) = self.resolve_item_type(path, env) {
            return ty;
        }
        if let Some(chain) = IterKind::range_from_name(&last)
            && let Some(ty) = self.make_range_type(chain, path, env)
        {
            return ty;
        }
        if let Some(ty) = self.resolve_std_iterator(path, &names, env) {
            return ty;
        }
        let reported = match Prim::from_name(&last).or_else(|| atomic_from_name(&last)) {
            Some(_) => self.errors.mistyped(at, "this type has no generic parameters"),
            None => self.report_no_path_type(at, &last, reject::is_std_function(&names)),
        };
        self.types.add(Type::Reported(reported))
    }

    /// Makes `Range<T>` and the like; before braces `T` may be omitted.
    fn make_range_type(&mut self, chain: IterKind, path: &syn::Path, env: &Env) -> Option<Ty> {
        let item = match &path.segments.last()?.arguments {
            PathArguments::None => self.unknown(),
            PathArguments::AngleBracketed(args) => match non_lifetime_args_in(args).next() {
                Some(GenericArgument::Type(ty)) => self.resolve_type_in(ty, env),
                Some(_) => return None,
                None => {
                    let reported = self.report_generic_count(1, 0, SpanRange::path(path));
                    self.types.add(Type::Reported(reported))
                }
            },
            PathArguments::Parenthesized(_) => return None,
        };
        let ends = if chain == IterKind::RangeFrom { 1 } else { 2 };
        // The item type, then the types of the bounds.
        let list = self.types.list(vec![GenericArg::Type(item); 1 + ends]);
        Some(self.types.add(Type::Iter(chain, list)))
    }

    /// Returns `Self::Signed` or `Self::Unsigned`, which only library code uses.
    fn resolve_sized_alias(&mut self, owner: Ty, name: &str, env: &Env) -> Option<Ty> {
        let prim = self.types.as_prim(owner)?;
        env.home.filter(|home| self.program().is_in_std_lib(*home))?;
        match name {
            "Signed" => Some(self.prim(prim.signed())),
            "Unsigned" => Some(self.prim(prim.unsigned())),
            _ => None,
        }
    }

    /// Resolves a path to a struct, enum or alias with its generic arguments.
    fn resolve_item_type(&mut self, path: &syn::Path, env: &Env) -> Option<Ty> {
        let ResolvedPrefix { item, segment, rest } = self.resolve_prefix(path, env)?;
        let args = match &path.segments.get(segment)?.arguments {
            PathArguments::AngleBracketed(args) => Some(args),
            PathArguments::None | PathArguments::Parenthesized(_) => None,
        };
        let omitted = OmittedArgs::Defaults(SpanRange::path(path));
        let ty = self.make_item_type(item, args, env, omitted)?;
        match rest.as_slice() {
            [] => Some(ty),
            [name] => {
                let candidates = self.member_candidates(ty, name, env);
                Some(self.associated_type_or_defer(
                    ty,
                    name,
                    None,
                    candidates,
                    env,
                    SpanRange::path(path),
                ))
            }
            _ => None,
        }
    }

    /// Makes the type of an item with its written generic arguments.
    pub(crate) fn make_item_type(
        &mut self,
        item: usize,
        args: Option<&syn::AngleBracketedGenericArguments>,
        env: &Env,
        omitted: OmittedArgs,
    ) -> Option<Ty> {
        let generics = match self.program().item(item)? {
            syn::Item::Struct(defined) => &defined.generics,
            syn::Item::Enum(defined) => &defined.generics,
            syn::Item::Type(defined) => &defined.generics,
            _ => return None,
        };
        let own = Env { args: [].into(), home: Some(item), self_ty: None };
        let params = self.resolve_generic_args(generics, args, env, &own, omitted);
        if let Some(syn::Item::Type(alias)) = self.program().item(item) {
            let own = Env { args: params.into(), ..own };
            let at = SpanRange::token(alias.ident.span());
            let definition = Definition { value: &*alias.ty, env: &own, constants: 0, at };
            return Some(self.resolve_definition_type(&definition));
        }
        let list = self.types.list(params.into_iter().map(|(_, arg)| arg).collect());
        Some(self.types.add(Type::Adt(item, list)))
    }

    /// Returns the arguments of generic parameters: written ones, defaults, or unknown ones.
    pub(crate) fn resolve_generic_args(
        &mut self,
        generics: &syn::Generics,
        written: Option<&syn::AngleBracketedGenericArguments>,
        env: &Env,
        own: &Env,
        omitted: OmittedArgs,
    ) -> Vec<(String, GenericArg)> {
        let given: Vec<&GenericArgument> =
            written.into_iter().flat_map(non_lifetime_args_in).collect();
        // Once one argument is written, the others are not inferred, even in expressions.
        let at = match (omitted, written) {
            (OmittedArgs::Defaults(at), _) => Some(at),
            (OmittedArgs::Inferred, Some(list)) if !given.is_empty() => {
                Some(SpanRange::tokens(list))
            }
            (OmittedArgs::Inferred, _) => None,
        };
        let miscounted = at.and_then(|at| self.check_generic_count(generics, given.len(), own, at));
        let defaults = at.is_some();
        // In order, since a default may mention the parameters before it.
        let mut given = given.into_iter();
        let mut args = Vec::new();
        for param in &generics.params {
            let given = match param {
                GenericParam::Lifetime(_) => continue,
                _ => given.next(),
            };
            let (name, mut arg) = self.unknown_arg(param);
            match (given, param) {
                (Some(given), _) => {
                    let prim = self.const_param_prim(param, own);
                    self.unify_generic_arg(given, arg, prim, env);
                }
                (None, _) if let Some(reported) = miscounted => {
                    arg = match arg {
                        GenericArg::Type(_) => {
                            GenericArg::Type(self.types.add(Type::Reported(reported)))
                        }
                        GenericArg::Const(_) => {
                            GenericArg::Const(self.types.reported_len(reported))
                        }
                    };
                }
                (None, GenericParam::Type(param)) if defaults => {
                    if let (Some((_, default)), GenericArg::Type(ty)) = (&param.default, arg) {
                        let own = Env { args: args.clone().into(), ..own.clone() };
                        let at = SpanRange::token(param.ident.span());
                        let default = Definition { value: default, env: &own, constants: 0, at };
                        let default = self.resolve_definition_type(&default);
                        let _ = self.types.unify(ty, default);
                    }
                }
                (None, GenericParam::Const(of)) if defaults => {
                    if let Some((_, default)) = &of.default {
                        let prim = self.const_param_prim(param, own);
                        let own = Env { args: args.clone().into(), ..own.clone() };
                        self.unify_generic_arg(
                            &GenericArgument::Const(default.clone()),
                            arg,
                            prim,
                            &own,
                        );
                    }
                }
                (None, _) => {}
            }
            args.push((name, arg));
        }
        args
    }

    /// Reports too many or too few generic arguments.
    fn check_generic_count(
        &mut self,
        generics: &syn::Generics,
        given: usize,
        own: &Env,
        at: SpanRange,
    ) -> Option<Reported> {
        let has_default = |param: &GenericParam| match param {
            GenericParam::Lifetime(_) => None,
            GenericParam::Type(param) => Some(param.default.is_some()),
            GenericParam::Const(param) => Some(param.default.is_some()),
        };
        let defaults: Vec<bool> = generics.params.iter().filter_map(has_default).collect();
        let most = defaults.len();
        let least = defaults.iter().filter(|has_default| !**has_default).count();
        // Some std functions have more parameters than the library's versions.
        let are_more_known = own.home.is_some_and(|home| self.program().is_in_std_lib(home));
        match given {
            _ if given < least => Some(self.report_generic_count(least, given, at)),
            _ if given > most && !are_more_known => {
                Some(self.report_generic_count(most, given, at))
            }
            _ => None,
        }
    }

    /// Reports a wrong number of generic arguments.
    pub(crate) fn report_generic_count(
        &mut self,
        expected: usize,
        given: usize,
        at: SpanRange,
    ) -> Reported {
        let s = if expected == 1 { "" } else { "s" };
        let fact = format_args!("this takes {expected} generic argument{s}, and {given} are given");
        self.errors.mistyped(at, fact)
    }

    /// Makes an unknown argument for a generic parameter.
    fn unknown_arg(&mut self, param: &GenericParam) -> (String, GenericArg) {
        match param {
            GenericParam::Type(param) => {
                (param.ident.to_string(), GenericArg::Type(self.unknown()))
            }
            GenericParam::Const(param) => {
                (param.ident.to_string(), GenericArg::Const(self.types.unknown_len()))
            }
            GenericParam::Lifetime(param) => {
                (param.lifetime.ident.to_string(), GenericArg::Type(self.unknown()))
            }
        }
    }

    /// Returns the type of a constant parameter.
    pub(crate) fn const_param_prim(&mut self, param: &GenericParam, own: &Env) -> Prim {
        let GenericParam::Const(param) = param else { return Prim::Usize };
        let ty = self.resolve_type_in(&param.ty, own);
        self.types.as_prim(ty).unwrap_or(Prim::Usize)
    }

    fn report_no_path_type(&mut self, at: SpanRange, name: &str, is_std: bool) -> Reported {
        let fact = format!("kernel code cannot use the type `{name}`");
        let help = match name {
            "i128" | "u128" => "use integers of at most 64 bits",
            "char" => "use `u8` or `u32`",
            "str" | "String" => "pass bytes as `&[u8]`",
            "Arc" | "Rc" => {
                "threads share what a launch passes: a slice, `&[T]`, or atomics, `&[AtomicU32]`"
            }
            "Box" => {
                "a kernel cannot allocate: use the value itself, or a slice; a `#[device]` function takes a \
                 closure as `impl Fn(f32) -> f32`"
            }
            _ if reject::is_heap(name) => {
                "a kernel cannot allocate: use an array, `[value; N]`, or pass a buffer as `&[T]` or `&mut [T]`"
            }
            "AtomicU8" | "AtomicI8" | "AtomicU16" | "AtomicI16" => {
                "use `AtomicU32`: atomic integers have 32 or 64 bits"
            }
            "AtomicPtr" => {
                "use indices in place of pointers: `AtomicUsize`, of a `Buffer<usize>` on the host"
            }
            "IntoIter" | "Iter" | "IterMut" | "Chunks" | "ChunksExact" | "Windows" | "Copied"
            | "Enumerate" | "Filter" | "FromFn" | "Map" | "Peekable" | "Rev" | "Skip"
            | "StepBy" | "Take" | "Zip" => {
                "mark its definition `#[device]`; for an iterator of std's, write `impl Iterator`, its path, as in `std::slice::Iter<'a, f32>`, or in a \
                 `#[device] impl` a type of yours that implements `Iterator`"
            }
            "Self" => "name the type",
            _ if vector::is_name(name) => {
                "vectors have 2, 3 or 4 lanes that are integers or floats: `F32x4`, `U8x4`, `F16x2`"
            }
            _ if is_std => "only the host has this type of std: pass its numbers",
            _ => "mark its definition `#[device]`",
        };
        self.errors.advise(at, fact, help)
    }

    fn report_no_type(&mut self, ty: &syn::Type) -> Reported {
        let (what, help) = match ty {
            syn::Type::Ptr(_) => ("raw pointers", mistakes::POINTER_HELP),
            syn::Type::TraitObject(_) | syn::Type::ImplTrait(_) => (
                "trait objects or `impl` types",
                "use a type parameter; a `#[device]` function, though no kernel, may take `impl Fn(f32) -> f32`, and return \
                     `impl Iterator<Item = f32>`",
            ),
            syn::Type::FnPtr(_) => {
                ("function pointers that are `unsafe` or `extern`", "write `fn(f32) -> f32`")
            }
            syn::Type::Macro(_) => ("macros as types", "write the type out"),
            syn::Type::Path(_) => ("qualified types", "name the type"),
            _ => ("this type", "use numbers, `bool`, atomics, arrays, slices and references"),
        };
        let at = SpanRange::tokens(ty);
        self.errors.advise(at, format_args!("kernel code cannot use {what}"), help)
    }

    /// Unifies a written generic argument with the parameter's `slot`.
    pub(crate) fn unify_generic_arg(
        &mut self,
        written: &GenericArgument,
        slot: GenericArg,
        prim: Prim,
        env: &Env,
    ) {
        let at = SpanRange::tokens(written);
        match (written, slot) {
            (GenericArgument::Type(syn::Type::Infer(_)), _) => {}
            (GenericArgument::Type(ty), GenericArg::Type(slot)) => {
                let ty = self.resolve_type_in(ty, env);
                self.unify(at, ty, slot);
            }
            (GenericArgument::Const(expr), GenericArg::Const(slot)) => {
                let len = self.eval_const_arg(expr, prim, env);
                self.unify_len(at, len, slot);
            }
            // `f::<N>` parses as a type; the parameter tells that `N` is a constant.
            (GenericArgument::Type(syn::Type::Path(path)), GenericArg::Const(slot))
                if !is_number_type(&path.path) =>
            {
                let path = syn::ExprPath { attrs: vec![], qself: None, path: path.path.clone() };
                let len = self.eval_const_arg(&syn::Expr::Path(path), prim, env);
                self.unify_len(at, len, slot);
            }
            _ => {
                self.errors.mistyped(at, "this generic argument does not fit its parameter");
            }
        }
    }

    fn unify_len(&mut self, at: SpanRange, found: crate::types::Len, expected: crate::types::Len) {
        if self.types.unify_len(found, expected).is_err() {
            self.errors.mistyped(at, "this constant does not fit the other arguments");
        }
    }
}

/// Returns generic arguments without lifetimes, which kernel code ignores.
pub(crate) fn non_lifetime_args(written: &PathArguments) -> Vec<&GenericArgument> {
    match written {
        PathArguments::AngleBracketed(list) => non_lifetime_args_in(list).collect(),
        PathArguments::None | PathArguments::Parenthesized(_) => Vec::new(),
    }
}

fn non_lifetime_args_in(
    list: &syn::AngleBracketedGenericArguments,
) -> impl Iterator<Item = &GenericArgument> {
    list.args.iter().filter(|arg| !matches!(arg, GenericArgument::Lifetime(_)))
}

/// Returns true for the name of a number type.
fn is_number_type(path: &syn::Path) -> bool {
    path.get_ident().is_some_and(|name| Prim::from_name(&name.to_string()).is_some())
}

/// Returns an environment with the single type parameter `name`, because several parameters may
/// have the same type.
pub(crate) fn with_only_parameter(env: &Env, name: &str, ty: Ty) -> Env {
    if name == "Self" {
        return Env { args: [].into(), ..env.clone() };
    }
    let args = [(name.to_owned(), GenericArg::Type(ty))].into();
    Env { args, home: env.home, self_ty: None }
}
