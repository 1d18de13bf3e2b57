//! The program of a kernel: all items that it can name, their declarations, and the instances of
//! device functions.
//!
//! A device function is inferred once for each set of generic arguments that it is called with. Its
//! body therefore sees only known types: receivers, applicable trait `impl`s and closure parameters
//! are never ambiguous.
use crate::{
    hir::Function,
    infer,
    resolve::{
        device_set::{Callee, DeviceItem},
        std_paths::StdItem,
    },
    std_lib::{StdLib, math_library::MathLibrary},
    syntax::{error::Errors, item::unraw_item_name, limits, span::SpanRange},
    types::{
        Prim,
        math::Math,
        mono::{MAX_TYPE_PARTS, Mono, MonoArg},
        vector::Vector,
    },
};
use quote::ToTokens as _;
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};
use syn::{Attribute, Block, Generics, ImplItem, Item, Signature, TraitItem, ext::IdentExt as _};
use warpwise_compiler::ir::{Scalar, TextureShape};

/// The syntax of a function.
#[derive(Clone, Copy)]
pub(crate) struct FunctionSyntax<'a> {
    pub(crate) sig: &'a Signature,
    pub(crate) block: &'a Block,
    pub(crate) attrs: &'a [Attribute],
    /// The attributes of the surrounding `impl` or trait.
    pub(crate) outer_attrs: &'a [Attribute],
    /// The generic parameters of the surrounding `impl` or trait.
    pub(crate) outer: Option<&'a Generics>,
}

/// The generic arguments and `Self` type of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InstanceArgs {
    pub(crate) args: Vec<MonoArg>,
    pub(crate) self_ty: Option<Mono>,
}

/// The definition of a struct or enum for certain generic arguments.
#[derive(Clone, Debug)]
pub(crate) struct Adt {
    /// Field types of each variant; a struct has one.
    pub(crate) variants: Vec<Vec<Mono>>,
    /// The type of an enum's discriminant.
    pub(crate) tag: Option<Scalar>,
    /// The discriminants of the variants.
    pub(crate) discriminants: Vec<i128>,
    /// The alignment required by `repr(align(..))`.
    pub(crate) align: u64,
    /// Field names of each variant.
    pub(crate) fields: Vec<Vec<String>>,
    /// The default variant.
    pub(crate) default: Option<usize>,
}

/// The names of textures.
pub(crate) const TEXTURES: [&str; 5] =
    ["Texture1", "Texture2", "Texture3", "LayeredTexture1", "LayeredTexture2"];

/// The names of surfaces, without the `Mut` of those that are written, and their shapes.
const SURFACES: [(&str, TextureShape); 5] = [
    ("Surface1", TextureShape::D1),
    ("Surface2", TextureShape::D2),
    ("Surface3", TextureShape::D3),
    ("LayeredSurface1", TextureShape::D1Layered),
    ("LayeredSurface2", TextureShape::D2Layered),
];

/// A multidimensional array: a slice with the extents and the pitch of the array.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum ArrayForm {
    /// Two dimensions: rows and columns.
    Rows,
    /// Three dimensions: layers, rows and columns.
    Layers,
    /// A texture of any dimensions.
    Texture,
    /// A surface.
    Surface(TextureShape),
    /// A tensor map of two dimensions.
    TensorRows,
    /// A tensor map of three dimensions.
    TensorLayers,
}

impl ArrayForm {
    /// Returns the names of the fields: the slice, the extents from the outermost inwards, and the
    /// number of elements from one row to the next. Of a texture, the first ones. A surface has the
    /// number of rows from one layer to the next, too.
    pub(crate) const fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Rows => &["elements", "rows", "columns", "pitch"],
            Self::Layers => &["elements", "layers", "rows", "columns", "pitch"],
            Self::Texture => &["texels", "width"],
            Self::Surface(TextureShape::D1) => &["texels", "width"],
            Self::Surface(TextureShape::D2) => &["texels", "height", "width", "pitch"],
            Self::Surface(TextureShape::D3) => {
                &["texels", "depth", "height", "width", "rows", "pitch"]
            }
            Self::Surface(TextureShape::D1Layered) => &["texels", "layers", "width", "pitch"],
            Self::Surface(TextureShape::D2Layered) => {
                &["texels", "layers", "height", "width", "rows", "pitch"]
            }
            Self::TensorRows => &["tensor", "rows", "columns", "pitch"],
            Self::TensorLayers => &["tensor", "layers", "rows", "columns", "pitch"],
        }
    }
}

/// An instance of a function; `None` if an error was reported.
type Instance = (Callee, InstanceArgs, Option<Rc<Function>>);

/// The greatest depth to which structs of one definition may nest: `Pair<Pair<Pair<f32>>>`.
const MAX_NESTED_TYPES: usize = 64;

/// An instance of a struct or enum; `None` if an error was reported.
type AdtInstance = (usize, Vec<MonoArg>, Option<Rc<Adt>>);

/// The items of a kernel, and the instances made of them.
pub(crate) struct Program<'a> {
    /// Every item.
    pub(crate) devices: &'a [DeviceItem],
    /// The items that the paths of the kernel resolve to.
    pub(crate) kernel_paths: &'a BTreeMap<String, usize>,
    /// Names of the items, for messages.
    pub(crate) names: Rc<[String]>,
    /// The standard library's kernel code: in scope everywhere, numbered after the items.
    std_lib: &'a StdLib,
    /// The mathematical functions behind methods of floats, numbered after the standard library.
    math_library: &'a MathLibrary,
    /// The `impl`s among the items.
    impls: Vec<usize>,
    instances: RefCell<Vec<Instance>>,
    adts: RefCell<Vec<AdtInstance>>,
    /// The structs and enums being expanded, outermost first.
    adts_in_progress: RefCell<Vec<(usize, Vec<MonoArg>)>>,
    closures: Cell<usize>,
    pub(crate) resolutions: infer::Resolutions,
}

impl<'a> Program<'a> {
    pub(crate) fn new(
        devices: &'a [DeviceItem],
        kernel_paths: &'a BTreeMap<String, usize>,
        std_lib: &'a StdLib,
        math_library: &'a MathLibrary,
    ) -> Self {
        let names = devices.iter().map(|device| unraw_item_name(&device.item));
        Self {
            devices,
            kernel_paths,
            std_lib,
            math_library,
            names: names.chain(std_lib.names()).collect(),
            impls: devices
                .iter()
                .enumerate()
                .filter(|(_, device)| matches!(device.item, Item::Impl(_)))
                .map(|(index, _)| index)
                .collect(),
            instances: RefCell::default(),
            adts: RefCell::default(),
            adts_in_progress: RefCell::default(),
            closures: Cell::default(),
            resolutions: infer::Resolutions::default(),
        }
    }

    /// Returns the items that the paths written in an item resolve to; those of the kernel for
    /// `None`.
    pub(crate) fn paths(&self, home: Option<usize>) -> &'a BTreeMap<String, usize> {
        home.and_then(|home| self.device_item(home))
            .map_or(self.kernel_paths, |device| &device.paths)
    }

    /// Returns the `impl`s among the items.
    pub(crate) fn impls(&self) -> &[usize] {
        &self.impls
    }

    /// Returns the `impl`s that may have a function with this name, in themselves or in their
    /// trait.
    pub(crate) fn impls_with_member(&self, name: &str) -> Vec<usize> {
        let mut impls = self.impls.clone();
        impls.extend(self.std_lib.impls_with_member(name));
        impls
    }

    /// Returns the item with this number.
    pub(crate) fn item(&self, index: usize) -> Option<&'a Item> {
        self.device_item(index).map(|device| &device.item)
    }

    fn device_item(&self, index: usize) -> Option<&'a DeviceItem> {
        let of_prelude = || self.std_lib.item(index);
        let behind = || of_prelude().or_else(|| self.math_library.item(index));
        self.devices.get(index).or_else(behind)
    }

    /// Returns the library item that a path resolves to: a type, or the type of a variant.
    pub(crate) fn std_item(&self, path: &str) -> Option<usize> {
        self.std_lib.find_type(path)
    }

    /// Returns the library's enum of atomic orderings.
    pub(crate) fn atomic_ordering(&self) -> Option<usize> {
        self.std_lib.find_type("std::sync::atomic::Ordering")
    }

    /// Returns the enum and the variant of the library with this name.
    pub(crate) fn std_variant(&self, name: &str) -> Option<(usize, usize)> {
        self.std_lib.find_variant(name)
    }

    /// Returns the mathematical function for `f64` if `wide`, for `f32` otherwise.
    pub(crate) fn math_function(&self, math: Math, wide: bool) -> Callee {
        Callee { item: self.math_library.item_number(math, wide), member: None }
    }

    /// Returns the vector type that an item defines.
    pub(crate) fn vector(&self, item: usize) -> Option<Vector> {
        self.is_in_std_lib(item).then(|| Vector::from_name(self.names.get(item)?)).flatten()
    }

    /// Returns true for an item of the standard library or of the mathematical functions. Their
    /// nodes carry the spans of their calls.
    pub(crate) fn is_in_std_lib(&self, item: usize) -> bool {
        item >= self.devices.len()
    }

    /// Returns the name in std that an item stands for.
    pub(crate) fn std_name(&self, item: usize) -> Option<&'a StdItem> {
        self.devices.get(item).and_then(|device| device.std_item.as_ref())
    }

    /// Returns true if kernel code knows the item without a declaration: std has it.
    pub(crate) fn is_of_library(&self, item: usize) -> bool {
        item >= self.devices.len()
    }

    /// Returns true if a device trait of another crate has a function with this name.
    pub(crate) fn is_function_of_foreign_trait(&self, name: &str) -> bool {
        let is_function = |member: &TraitItem| match member {
            TraitItem::Fn(function) => function.sig.ident == name,
            _ => false,
        };
        self.devices.iter().any(|device| match &device.item {
            Item::Trait(item) => device.is_foreign && item.items.iter().any(is_function),
            _ => false,
        })
    }

    /// Returns true if an item comes from another crate than the kernel.
    pub(crate) fn is_foreign(&self, item: usize) -> bool {
        self.devices.get(item).is_some_and(|device| device.is_foreign)
    }

    /// Returns true if `{:?}` prints a struct or enum in the format of `derive(Debug)`.
    pub(crate) fn derives_debug(&self, item: usize) -> bool {
        self.is_in_std_lib(item) || self.derives_trait(item, "Debug")
    }

    /// Returns the form of a struct with the fields of the library's `Rows` or `Layers`, which a
    /// kernel takes by value.
    pub(crate) fn array_form(&self, item: usize) -> Option<ArrayForm> {
        let Some(Item::Struct(defined)) = self.item(item) else { return None };
        let is_named =
            |names: &[&str]| defined.fields.len() == names.len() && is_named_first(defined, names);
        let is_texture = TEXTURES.iter().any(|name| defined.ident == name);
        let name = defined.ident.to_string();
        let is_tensor_map = name.starts_with("TensorMap");
        let shape_of = |surface: &str| SURFACES.iter().find(|(name, _)| *name == surface);
        if let Some((_, shape)) = shape_of(name.strip_suffix("Mut").unwrap_or(&name)) {
            let form = ArrayForm::Surface(*shape);
            return is_named(form.fields()).then_some(form);
        }
        let forms = [
            ArrayForm::Rows,
            ArrayForm::Layers,
            ArrayForm::Texture,
            ArrayForm::TensorRows,
            ArrayForm::TensorLayers,
        ];
        forms.into_iter().find(|form| match form {
            ArrayForm::Rows | ArrayForm::Layers => is_named(form.fields()),
            ArrayForm::TensorRows | ArrayForm::TensorLayers => {
                is_tensor_map && is_named(form.fields())
            }
            ArrayForm::Surface(_) => false,
            // The extents follow.
            ArrayForm::Texture => is_texture && is_named_first(defined, form.fields()),
        })
    }

    /// Returns true for the library's type of mbarriers, by its name and field.
    pub(crate) fn is_mbarrier(&self, item: usize) -> bool {
        let Some(Item::Struct(of)) = self.item(item) else { return false };
        of.ident == "MBarrier" && of.fields.len() == 1 && is_named_first(of, &["mbarrier_word"])
    }

    /// Returns true if a struct or enum derives a trait.
    pub(crate) fn derives_trait(&self, item: usize, of_trait: &str) -> bool {
        let attrs = match self.item(item) {
            Some(Item::Struct(defined)) => &defined.attrs,
            Some(Item::Enum(defined)) => &defined.attrs,
            _ => return false,
        };
        attrs.iter().any(|attr| attr_derives(attr, of_trait))
    }

    /// Returns the syntax of a function; `None` if there is none, or it has no body.
    pub(crate) fn function_syntax(&self, callee: Callee) -> Option<FunctionSyntax<'a>> {
        match (self.item(callee.item)?, callee.member) {
            (Item::Fn(item), None) => Some(FunctionSyntax {
                sig: &item.sig,
                block: &item.block,
                attrs: &item.attrs,
                outer_attrs: &[],
                outer: None,
            }),
            (Item::Impl(item), Some(member)) => match item.items.get(member)? {
                ImplItem::Fn(method) => Some(FunctionSyntax {
                    sig: &method.sig,
                    block: &method.block,
                    attrs: &method.attrs,
                    outer_attrs: &item.attrs,
                    outer: Some(&item.generics),
                }),
                _ => None,
            },
            (Item::Trait(item), Some(member)) => match item.items.get(member)? {
                TraitItem::Fn(method) => Some(FunctionSyntax {
                    sig: &method.sig,
                    block: method.default.as_ref()?,
                    attrs: &method.attrs,
                    outer_attrs: &item.attrs,
                    outer: Some(&item.generics),
                }),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns true if a trait of std has an `impl` for a struct or enum.
    pub(crate) fn has_impl(&self, of_trait: &str, item: usize) -> bool {
        self.impls.iter().any(|&index| {
            let Some(Item::Impl(defined)) = self.item(index) else { return false };
            let named = defined.trait_.as_ref().and_then(|(path, _)| path.segments.last());
            let syn::Type::Path(this) = &*defined.self_ty else { return false };
            named.is_some_and(|named| named.ident == of_trait)
                && self.paths(Some(index)).get(&crate::resolve::paths::path_key(&this.path))
                    == Some(&item)
        })
    }

    /// Returns the method of an `impl` with this name.
    pub(crate) fn impl_method(&self, item: usize, name: &str) -> Option<(Callee, &'a Signature)> {
        let Item::Impl(defined) = self.item(item)? else { return None };
        defined.items.iter().enumerate().find_map(|(index, member)| match member {
            ImplItem::Fn(method) if method.sig.ident == name => {
                Some((Callee { item, member: Some(index) }, &method.sig))
            }
            _ => None,
        })
    }

    /// Returns the method of a library trait with this name.
    pub(crate) fn std_function(
        &self,
        of_trait: &str,
        name: &str,
    ) -> Option<(Callee, &'a Signature)> {
        let (item, sig) = self.std_lib.find_function(of_trait, name)?;
        Some((Callee { item, member: Some(0) }, sig))
    }

    /// Returns the generic parameters of the `impl` or trait that contains a function.
    pub(crate) fn outer_generics(&self, callee: Callee) -> Option<&'a Generics> {
        callee.member?;
        match self.item(callee.item)? {
            Item::Impl(item) => Some(&item.generics),
            Item::Trait(item) => Some(&item.generics),
            _ => None,
        }
    }

    /// Returns the instance of a function for these arguments, inferred at its first use; `None` if
    /// an error was reported.
    pub(crate) fn instantiate(
        &self,
        callee: Callee,
        instance_args: &InstanceArgs,
        generics: &[String],
        errors: &mut Errors,
    ) -> Option<Rc<Function>> {
        let known = self.instances.borrow().iter().find_map(|(of, by, made)| {
            (*of == callee && by == instance_args).then(|| made.clone())
        });
        if let Some(known) = known {
            return known;
        }
        // Inferred outside of the borrow, because the body may instantiate other functions.
        let made = self.infer_instance(callee, instance_args, generics, errors);
        self.instances.borrow_mut().push((callee, instance_args.clone(), made.clone()));
        made
    }

    fn infer_instance(
        &self,
        callee: Callee,
        instance_args: &InstanceArgs,
        generics: &[String],
        errors: &mut Errors,
    ) -> Option<Rc<Function>> {
        let written = self.function_syntax(callee)?;
        if !limits::check(written.sig, written.block, errors) {
            return None;
        }
        let context = infer::InferInput {
            program: self,
            function: written,
            home: Some(callee.item),
            kernel: None,
            instance: Some(instance_args),
            generics,
        };
        infer::infer_function(&context, errors).map(|(function, _)| Rc::new(function))
    }

    /// Returns the definition of a struct or enum; `None` if an error was reported.
    pub(crate) fn adt_definition(
        &self,
        item: usize,
        args: &[MonoArg],
        generics: &[String],
        errors: &mut Errors,
    ) -> Option<Rc<Adt>> {
        let known =
            self.adts.borrow().iter().find_map(|(of, by, adt)| {
                (*of == item && by.as_slice() == args).then(|| adt.clone())
            });
        if let Some(known) = known {
            return known;
        }
        let adt = self.read_adt(item, args, generics, errors).map(Rc::new);
        let adt = adt.filter(|adt| self.is_finite(item, args, adt, generics, errors));
        self.adts.borrow_mut().push((item, args.to_vec(), adt.clone()));
        adt
    }

    /// Returns true if a struct or enum does not contain itself. References and function pointers
    /// end the search, because their targets are stored elsewhere.
    fn is_finite(
        &self,
        item: usize,
        args: &[MonoArg],
        adt: &Adt,
        generics: &[String],
        errors: &mut Errors,
    ) -> bool {
        let is_cycle = {
            let outer = self.adts_in_progress.borrow();
            let same_item = || outer.iter().filter(|(of, _)| *of == item);
            let mut parts = MAX_TYPE_PARTS;
            same_item().any(|(_, by)| by == args)
                || same_item().count() >= MAX_NESTED_TYPES
                // `struct Tree<T>(T, Option<Tree<(T, T)>>)` doubles its argument each time.
                || same_item().next().is_some() && !args.iter().all(|arg| arg.fits_parts(&mut parts))
        };
        if is_cycle {
            let ident = match self.item(item) {
                Some(Item::Struct(defined)) => &defined.ident,
                Some(Item::Enum(defined)) => &defined.ident,
                _ => return false,
            };
            let at = SpanRange::token(ident.span());
            errors.mistyped(at, format_args!("the type `{ident}` contains itself"));
            return false;
        }
        self.adts_in_progress.borrow_mut().push((item, args.to_vec()));
        let mut open: Vec<&Mono> = adt.variants.iter().flatten().collect();
        let mut is_finite = true;
        // The search stops at the first infinite part: following several per type would take a
        // number of steps that is exponential in the depth.
        while let Some(part) = open.pop().filter(|_| is_finite) {
            match part {
                Mono::Array(elem, _) => open.push(elem),
                Mono::Tuple(args) => open.extend(args.iter().filter_map(|arg| match arg {
                    MonoArg::Type(ty) => Some(ty),
                    MonoArg::Const(_) => None,
                })),
                Mono::Iter(_, types) => open.extend(types),
                Mono::Adt(item, args) => {
                    is_finite = self.adt_definition(*item, args, generics, errors).is_some();
                }
                Mono::Unit
                | Mono::Never
                | Mono::Prim(_)
                | Mono::Generic(_)
                | Mono::Ref { .. }
                | Mono::Slice(_)
                | Mono::Atomic(_)
                | Mono::Closure(_)
                | Mono::Pointer(_) => {}
            }
        }
        self.adts_in_progress.borrow_mut().pop();
        is_finite
    }

    fn read_adt(
        &self,
        item: usize,
        args: &[MonoArg],
        generics: &[String],
        errors: &mut Errors,
    ) -> Option<Adt> {
        let (attrs, shapes): (&[Attribute], Vec<&syn::Fields>) = match self.item(item)? {
            Item::Struct(defined) => (&defined.attrs, vec![&defined.fields]),
            Item::Enum(defined) => {
                (&defined.attrs, defined.variants.iter().map(|variant| &variant.fields).collect())
            }
            _ => return None,
        };
        let variants = infer::field_types(self, item, args, generics, errors)?;
        let repr = Repr::from_attrs(attrs);
        let (tag, discriminants) = match self.item(item)? {
            Item::Enum(defined) => {
                let is_either = self.is_in_std_lib(item) && defined.variants.len() == 2;
                let tag = if is_either { Scalar::Bool } else { repr.tag };
                (Some(tag), read_discriminants(defined, errors)?)
            }
            _ => (None, vec![0]),
        };
        let fields = shapes.into_iter().map(field_names).collect();
        let default = match self.item(item)? {
            Item::Enum(defined) => defined.variants.iter().position(|variant| {
                // `None` is the default variant of `Option`.
                self.is_in_std_lib(item) && variant.fields.is_empty()
                    || variant.attrs.iter().any(|attr| attr.path().is_ident("default"))
            }),
            _ => None,
        };
        Some(Adt { variants, tag, discriminants, align: repr.align, fields, default })
    }

    /// Returns a number that no other closure has.
    pub(crate) fn next_closure_number(&self) -> usize {
        let next = self.closures.get();
        self.closures.set(next + 1);
        next
    }
}

/// Returns true if an attribute is a `derive` of a trait.
fn attr_derives(attr: &Attribute, of_trait: &str) -> bool {
    let mut found = false;
    if attr.path().is_ident("cfg_attr") {
        // The condition is rustc's to decide; if it does not hold, the type has no such trait.
        let text = attr.meta.to_token_stream().to_string();
        let mut words = text.split(|char: char| !char.is_alphanumeric());
        return words.any(|word| word == "derive") && words.any(|word| word == of_trait);
    }
    if attr.path().is_ident("derive") {
        // rustc reports errors in it.
        let _ = attr.parse_nested_meta(|meta| {
            found |= meta.path.segments.last().is_some_and(|last| last.ident == of_trait);
            Ok(())
        });
    }
    found
}

/// The contents of `#[repr(..)]`.
struct Repr {
    tag: Scalar,
    align: u64,
}

impl Repr {
    fn from_attrs(attrs: &[Attribute]) -> Self {
        let mut repr = Self { tag: Scalar::I32, align: 1 };
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("repr")) {
            // rustc reports errors in it.
            let _ = attr.parse_nested_meta(|meta| {
                let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
                if let Some(prim) = Prim::from_name(&name) {
                    repr.tag = prim.scalar();
                } else if name == "align" {
                    let content;
                    syn::parenthesized!(content in meta.input);
                    repr.align = content.parse::<syn::LitInt>()?.base10_parse()?;
                }
                Ok(())
            });
        }
        repr
    }
}

/// Returns the discriminants of an enum's variants: as written, or one more than the previous one.
fn read_discriminants(item: &syn::ItemEnum, errors: &mut Errors) -> Option<Vec<i128>> {
    let mut next = 0;
    let mut all = Vec::with_capacity(item.variants.len());
    for variant in &item.variants {
        if let Some((_, written)) = &variant.discriminant {
            let Some(value) = infer::eval_literal_integer(written) else {
                errors.advise(
                    SpanRange::expr(written),
                    "kernel code cannot compute this discriminant",
                    "write it as a number",
                );
                return None;
            };
            next = value;
        }
        all.push(next);
        next += 1;
    }
    Some(all)
}

/// Returns the names of fields; tuple structs have numbers.
fn field_names(fields: &syn::Fields) -> Vec<String> {
    let fields = fields.iter().enumerate();
    fields
        .map(|(index, field)| match &field.ident {
            Some(ident) => ident.unraw().to_string(),
            None => index.to_string(),
        })
        .collect()
}

/// Returns true if the first fields of a struct have these names.
fn is_named_first(item: &syn::ItemStruct, names: &[&str]) -> bool {
    item.fields.len() >= names.len()
        && item
            .fields
            .iter()
            .zip(names)
            .all(|(field, name)| field.ident.as_ref().is_some_and(|ident| ident == name))
}
