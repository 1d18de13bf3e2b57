//! Parameters of kernels and device functions that hold the data of a host: raw pointers, `Vec`s and
//! buffers.
//!
//! Inference refuses them. Rust accepts them, however, and its rules about `unsafe` and `mut` in
//! the body are of no use to the user, who has to change the parameters first: rustc does not see
//! the body of such a function.
use crate::{
    mistakes::{attribute_range, may_be_in_scope},
    syntax::{
        span::{SpanRange, last_type_token},
        spell::print_tokens,
    },
    types::Prim,
};
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::HashSet;
use syn::{
    Attribute, FnArg, GenericArgument, Ident, ItemFn, Meta, Pat, PatType, PathArguments,
    ReturnType, Signature, Type, TypePath, TypeReference, TypeSlice,
};

/// The help for raw pointers.
pub(crate) const POINTER_HELP: &str = "use slices: `&[T]`, `&mut [T]`";

/// Returns an error for each parameter of a kernel or a device function that inference refuses, too.
pub(crate) fn find_refused_parameters(function: &Signature) -> Option<syn::Error> {
    let errors = function.inputs.iter().filter_map(|input| {
        let FnArg::Typed(PatType { ty, .. }) = input else { return None };
        let (what, help) = match &**ty {
            Type::Ptr(_) => ("raw pointers", POINTER_HELP),
            Type::Path(path) if path.qself.is_none() => {
                let name = path.path.segments.first()?;
                if path.path.segments.len() > 1 || may_be_in_scope(&name.ident, true) {
                    return None;
                }
                let what = match name.ident.to_string().as_str() {
                    "Vec" => "the type `Vec`",
                    "Box" => "the type `Box`",
                    _ => return None,
                };
                (what, "a kernel cannot allocate: pass a buffer as `&[T]` or `&mut [T]`")
            }
            _ => return None,
        };
        let text = format!("kernel code cannot use {what}\n= help: {help}");
        Some(SpanRange::tokens(ty).error(text))
    });
    errors.reduce(|mut all, error| {
        all.combine(error);
        all
    })
}

/// Returns the kernel with new names for the parameters that have the name of an earlier one, which
/// rustc reports; `None` if there are none.
pub(crate) fn rename_repeated_parameters(kernel: &ItemFn) -> Option<ItemFn> {
    let mut names = HashSet::new();
    let mut renamed = kernel.clone();
    let mut is_any = false;
    for (index, input) in renamed.sig.inputs.iter_mut().enumerate() {
        if let FnArg::Typed(PatType { pat, .. }) = input
            && let Pat::Ident(name) = &mut **pat
            && !names.insert(name.ident.to_string())
        {
            name.ident = Ident::new(&format!("arg{index}"), name.ident.span());
            is_any = true;
        }
    }
    is_any.then_some(renamed)
}

/// The numbers that are no texels.
const NO_TEXELS: [&str; 7] = ["f64", "bf16", "i64", "u64", "isize", "usize", "bool"];

/// Returns true if the body of a kernel with mistakes is of no use to the user: a parameter is [a
/// texture without texels](texture_without_texels), or the kernel returns a result.
pub(crate) fn has_idle_body(kernel: &ItemFn) -> bool {
    returned_type(kernel).is_some()
        || kernel.sig.inputs.iter().any(|input| match input {
            FnArg::Typed(PatType { ty, .. }) => texture_without_texels(ty).is_some(),
            FnArg::Receiver(_) => false,
        })
}

/// Returns the name, the message and an intended type for a parameter such as `Texture2<f64>`.
pub(super) fn texture_without_texels(ty: &Type) -> Option<(&Ident, (String, String), TokenStream)> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|_| path.qself.is_none())?;
    let name = last.ident.to_string();
    let is_texture = name.strip_prefix("Layered").unwrap_or(&name).starts_with("Texture");
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let Some(GenericArgument::Type(Type::Path(elem))) = arguments.args.first() else { return None };
    let elem = elem.path.get_ident()?.to_string();
    if !is_texture || !NO_TEXELS.contains(&elem.as_str()) {
        return None;
    }
    let fact = format!("a texture has no texels of type `{elem}`");
    let help = format!(
        "write `{name}<f32>`, or read a slice, `&[{elem}]`: texels are `f32`, `f16`, integers with at \
         most 32 bits, and vectors of those"
    );
    let texture = &last.ident;
    Some((&path.path.segments[0].ident, (fact, help), quote!(::warpwise::#texture<f32>)))
}

/// Returns the name, the message and the intended type for a parameter such as `&Buffer<f32>`: the
/// type with which the host holds an array in the memory of a device.
pub(super) fn host_array(ty: &Type) -> Option<(&Ident, (String, String), TokenStream)> {
    let (mutable, held) = match ty {
        Type::Reference(TypeReference { mutability, elem, .. }) => (mutability.is_some(), &**elem),
        _ => (false, ty),
    };
    let Type::Path(path) = held else { return None };
    if let Some(array) = cube_array(path, mutable) {
        return Some(array);
    }
    let last = path.path.segments.last().filter(|_| path.qself.is_none())?;
    let name = last.ident.to_string();
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let elem = arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })?;
    let mutable = mutable || name.ends_with("Mut");
    // Those of several dimensions are behind a reference, so that the body can write to them.
    let (shown, intended) = match (name.as_str(), mutable) {
        ("Buffer" | "Slice" | "View" | "ViewMut", false) => ("&[{}]", quote!(&[#elem])),
        ("Buffer" | "Slice" | "View" | "ViewMut", true) => ("&mut [{}]", quote!(&mut [#elem])),
        ("Buffer2" | "Slice2" | "View2" | "ViewMut2", false) => {
            ("Rows<{}>", quote!(&::warpwise::Rows<#elem>))
        }
        ("Buffer2" | "Slice2" | "View2" | "ViewMut2", true) => {
            ("RowsMut<{}>", quote!(&mut ::warpwise::RowsMut<#elem>))
        }
        ("Buffer3", false) => ("Layers<{}>", quote!(&::warpwise::Layers<#elem>)),
        ("Buffer3", true) => ("LayersMut<{}>", quote!(&mut ::warpwise::LayersMut<#elem>)),
        _ => return None,
    };
    let shown = shown.replace("{}", &print_tokens(elem.to_token_stream()));
    let fact = format!("a `{name}` is the host's: kernel code sees the elements in it");
    let help = format!("write `{shown}`; a launch passes the `{name}`");
    Some((&path.path.segments[0].ident, (fact, help), intended))
}

/// Returns the name, the message and the intended type for CubeCL's `&Array<F>` and `&Tensor<F>`.
fn cube_array(path: &TypePath, mutable: bool) -> Option<(&Ident, (String, String), TokenStream)> {
    let is_of_cubecl = |name: &Ident| name == "Array" || name == "Tensor";
    let first = path.path.segments.first().filter(|first| is_of_cubecl(&first.ident))?;
    let PathArguments::AngleBracketed(arguments) = &first.arguments else { return None };
    let Some(GenericArgument::Type(elem)) = arguments.args.first() else { return None };
    let shown = print_tokens(elem.to_token_stream());
    let (slice, intended) = if mutable {
        (format!("&mut [{shown}]"), quote!(&mut [#elem]))
    } else {
        (format!("&[{shown}]"), quote!(&[#elem]))
    };
    let fact = format!("`{}<{shown}>` is CubeCL: kernels take slices", first.ident);
    Some((&first.ident, (fact, format!("write `{slice}`")), intended))
}

/// Returns the place and the message for a parameter by which a shader gets an index of its thread,
/// `#[spirv(global_invocation_id)]`, or the memory of its block, with a type that it may have.
pub(super) fn parameter_of_shader(
    PatType { attrs, pat, ty, .. }: &PatType,
) -> Option<(SpanRange, (String, String), TokenStream)> {
    let found = |attribute| {
        let help = words_of_shader(attribute).iter().find_map(|word| shader_help(word, pat, ty))?;
        Some((attribute, help))
    };
    let (attribute, (what, code)) = attrs.iter().find_map(found)?;
    let shown = print_tokens(attribute.to_token_stream());
    let fact = format!("`{shown}` is of shaders: {what}");
    let help = format!("leave the parameter out, and write `{code}`");
    let at = SpanRange { last: last_type_token(ty), ..attribute_range(attribute) };
    let is_vector = matches!(&**ty, Type::Path(path) if path.path.get_ident().is_some_and(|name| {
        Prim::from_name(&name.to_string()).is_none()
    }));
    let intended = if is_vector { quote!(::warpwise::U32x3) } else { quote!(#ty) };
    Some((at, (fact, help), quote!(#pat: #intended)))
}

/// Returns the message for an attribute by which a shader's parameter gets memory of the host,
/// `#[spirv(storage_buffer)]`.
pub(super) fn memory_of_shader(attribute: &Attribute) -> Option<String> {
    let is_memory =
        |word: &String| matches!(word.as_str(), "storage_buffer" | "uniform" | "push_constant");
    words_of_shader(attribute).iter().any(is_memory).then(|| {
        let shown = print_tokens(attribute.to_token_stream());
        format!("`{shown}` is of shaders: a launch passes every parameter\n= help: leave it out")
    })
}

/// Returns the words of an attribute that tells what a shader's parameter is: those in
/// `#[spirv(..)]` and `#[builtin(..)]`, or its name in Metal.
fn words_of_shader(attribute: &Attribute) -> Vec<String> {
    match &attribute.meta {
        Meta::List(list) if list.path.is_ident("spirv") || list.path.is_ident("builtin") => {
            let words = list.tokens.clone().into_iter().filter_map(|token| match token {
                TokenTree::Ident(word) => Some(word.to_string()),
                _ => None,
            });
            words.collect()
        }
        Meta::Path(path) => path.get_ident().map(Ident::to_string).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Returns what a kernel has in place of a shader's parameter `pat` of type `ty`, which `word` tells
/// the shader, and the code for it.
fn shader_help(word: &str, pat: &Pat, ty: &Type) -> Option<(&'static str, String)> {
    let function = match word {
        "global_invocation_id" | "thread_position_in_grid" => "global_idx_x",
        "local_invocation_id"
        | "local_invocation_index"
        | "thread_position_in_threadgroup"
        | "thread_index_in_threadgroup" => "thread_idx_x",
        "workgroup_id" | "threadgroup_position_in_grid" => "block_idx_x",
        "num_workgroups" | "threadgroups_per_grid" => "grid_dim_x",
        "subgroup_local_invocation_id" | "subgroup_invocation_id" | "thread_index_in_simdgroup" => {
            "warp::lane_id"
        }
        "workgroup" => {
            let name = match pat {
                Pat::Ident(name) => name.ident.to_string(),
                _ => "tile".to_owned(),
            };
            let array = match ty {
                Type::Reference(reference) => &reference.elem,
                ty => ty,
            };
            let array = print_tokens(array.to_token_stream());
            let code = format!("let {name} = shared!({array});");
            return Some(("a kernel declares shared memory in its body", code));
        }
        _ => return None,
    };
    Some(("a thread asks for its index", format!("let i = {function}();")))
}

/// Returns the place, the message and an intended type for a slice that a parameter cannot have: by
/// value, or one of slices.
pub(super) fn unsized_parameter(ty: &Type) -> Option<(SpanRange, (String, String), TokenStream)> {
    match ty {
        Type::Slice(TypeSlice { elem, bracket_token, .. }) => {
            let shown = print_tokens(elem.to_token_stream());
            let help = format!("write `&[{shown}]` or `&mut [{shown}]`");
            let fact = "a kernel takes a slice by reference".to_owned();
            let span = bracket_token.span;
            let at = SpanRange { first: span.open(), last: span.close() };
            Some((at, (fact, help), quote!(&mut [#elem])))
        }
        Type::Reference(TypeReference { elem, mutability, and_token, .. }) => {
            let Type::Slice(TypeSlice { elem: row, bracket_token, .. }) = &**elem else {
                return None;
            };
            let Type::Slice(TypeSlice { elem, .. }) = &**row else { return None };
            let shown = print_tokens(elem.to_token_stream());
            let (by, rows) = match mutability {
                Some(_) => ("&mut ", "RowsMut"),
                None => ("&", "Rows"),
            };
            let help = format!(
                "write `{rows}<{shown}>`, which a launch passes a `Buffer2`, or `{by}[[{shown}; N]]` for rows \
                 of a constant length"
            );
            let fact = "the rows of a slice have one length, which `[[T]]` does not say".to_owned();
            let at = SpanRange { first: and_token.spans[0], last: bracket_token.span.close() };
            Some((at, (fact, help), quote!(& #mutability [[#elem; 1]])))
        }
        _ => None,
    }
}

/// Returns the type and the message for a kernel that returns a `Result` or an `Option`.
pub(super) fn returned_type(kernel: &ItemFn) -> Option<(&Type, &'static str)> {
    let ReturnType::Type(_, ty) = &kernel.sig.output else { return None };
    let is_named = matches!(&**ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| {
        last.ident == "Result" || last.ident == "Option"
    }));
    is_named.then_some((
        ty,
        "a kernel returns nothing: each of its threads would return its own value\n= help: write the \
         result to a `&mut [T]` parameter; a thread ends by `return` or `panic!`",
    ))
}

/// Returns a function whose body does nothing, without warnings about that.
pub(crate) fn without_body(function: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = function.into_iter().collect();
    if let Some(TokenTree::Group(body)) = tokens.last_mut() {
        let mut nothing = Group::new(body.delimiter(), quote!(::core::unreachable!()));
        nothing.set_span(body.span());
        *body = nothing;
    }
    quote!(
        #[allow(unused_variables, unused_mut, reason = "the parameters are wrong")]
        #(#tokens)*
    )
}
