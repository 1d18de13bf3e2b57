//! Everything that a kernel can name: the items that it reaches, what they declare, and the device
//! functions made for the types that they are called with.
//!
//! A device function is inferred once for each set of generic arguments that it is called with,
//! so that its body always sees types that are known: whose method is meant, which `impl` of a
//! trait applies, what a closure takes.
use crate::{
    hir::Function,
    infer,
    resolve::{
        device_set::{Callee, DeviceItem},
        std_paths::StdItem,
    },
    std_lib::{Prelude, math_library::Library},
    syntax::{error::Errors, item::unraw_item_name, limits, span::SpanRange},
    types::{
        Prim,
        math::Math,
        mono::{MAX_TYPE_PARTS, Mono, MonoArg},
        vector::Vector,
    },
};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};
use syn::{Attribute, Block, Generics, ImplItem, Item, Signature, TraitItem};
use warpwise_compiler::ir::Scalar;

/// A function as it is written.
#[derive(Clone, Copy)]
pub(crate) struct Written<'a> {
    pub(crate) sig: &'a Signature,
    pub(crate) block: &'a Block,
    pub(crate) attrs: &'a [Attribute],
    /// Those of the `impl` or trait that it is in.
    pub(crate) outer_attrs: &'a [Attribute],
    /// The generic parameters of its `impl` or trait.
    pub(crate) outer: Option<&'a Generics>,
}

/// What an instance is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) args: Vec<MonoArg>,
    pub(crate) this: Option<Mono>,
}

/// A struct or enum for certain generic arguments.
#[derive(Clone, Debug)]
pub(crate) struct Adt {
    /// Types of the fields of each variant; a struct is one.
    pub(crate) variants: Vec<Vec<Mono>>,
    /// For enums, the type of the discriminant.
    pub(crate) tag: Option<Scalar>,
    /// The discriminants of the variants.
    pub(crate) discriminants: Vec<i128>,
    /// The alignment that `repr(align(..))` asks for.
    pub(crate) align: u64,
    /// Names of the fields of each variant.
    pub(crate) fields: Vec<Vec<String>>,
    /// The variant that is the default.
    pub(crate) default: Option<usize>,
}

/// A function for certain types; `None` if it was reported.
type Made = (Callee, Given, Option<Rc<Function>>);

/// How many structs of one definition may contain each other: `Pair<Pair<Pair<f32>>>`.
const MAX_NESTED_TYPES: usize = 64;

/// A struct or enum for certain generic arguments; `None` if it was reported.
type Declared = (usize, Vec<MonoArg>, Option<Rc<Adt>>);

/// Everything that a kernel can name.
pub(crate) struct Program<'a> {
    /// Every item.
    pub(crate) devices: &'a [DeviceItem],
    /// Where the paths that the kernel mentions lead.
    pub(crate) kernel_paths: &'a BTreeMap<String, usize>,
    /// What the items are called, for messages.
    pub(crate) names: Rc<[String]>,
    /// What is in scope everywhere, behind the items.
    prelude: &'a Prelude,
    /// What methods of floats call, behind the prelude.
    mathematics: &'a Library,
    /// Those of the items.
    impls: Vec<usize>,
    instances: RefCell<Vec<Made>>,
    adts: RefCell<Vec<Declared>>,
    /// The structs and enums whose parts are being looked at, outer before inner.
    containing: RefCell<Vec<(usize, Vec<MonoArg>)>>,
    closures: Cell<usize>,
    pub(crate) resolutions: infer::Resolutions,
}

impl<'a> Program<'a> {
    pub(crate) fn new(
        devices: &'a [DeviceItem],
        kernel_paths: &'a BTreeMap<String, usize>,
        prelude: &'a Prelude,
        mathematics: &'a Library,
    ) -> Self {
        let names = devices.iter().map(|device| unraw_item_name(&device.item));
        Self {
            devices,
            kernel_paths,
            prelude,
            mathematics,
            names: names.chain(prelude.names()).collect(),
            impls: devices
                .iter()
                .enumerate()
                .filter(|(_, device)| matches!(device.item, Item::Impl(_)))
                .map(|(index, _)| index)
                .collect(),
            instances: RefCell::default(),
            adts: RefCell::default(),
            containing: RefCell::default(),
            closures: Cell::default(),
            resolutions: infer::Resolutions::default(),
        }
    }

    /// Where the paths that are written in an item lead; in the kernel, for `None`.
    pub(crate) fn paths(&self, home: Option<usize>) -> &'a BTreeMap<String, usize> {
        home.and_then(|home| self.device(home)).map_or(self.kernel_paths, |device| &device.paths)
    }

    /// Every `impl` of the items.
    pub(crate) fn impls(&self) -> &[usize] {
        &self.impls
    }

    /// Every `impl` that may have a function with this name: it or its trait.
    pub(crate) fn impls_with(&self, name: &str) -> Vec<usize> {
        let mut impls = self.impls.clone();
        impls.extend(self.prelude.impls(name));
        impls
    }

    /// The item with this number.
    pub(crate) fn item(&self, index: usize) -> Option<&'a Item> {
        self.device(index).map(|device| &device.item)
    }

    fn device(&self, index: usize) -> Option<&'a DeviceItem> {
        let of_prelude = || self.prelude.item(index);
        let behind = || of_prelude().or_else(|| self.mathematics.item(index));
        self.devices.get(index).or_else(behind)
    }

    /// The item of the prelude that a path leads to: a type, or one whose variant it is.
    pub(crate) fn library(&self, path: &str) -> Option<usize> {
        self.prelude.named(path)
    }

    /// The enum of the prelude that an ordering of atomics is.
    pub(crate) fn atomic_ordering(&self) -> Option<usize> {
        self.prelude.named("std::sync::atomic::Ordering")
    }

    /// The enum and variant of the prelude that a name is.
    pub(crate) fn library_variant(&self, name: &str) -> Option<(usize, usize)> {
        self.prelude.variant(name)
    }

    /// The library function of `f64` if `wide`, of `f32` otherwise.
    pub(crate) fn math(&self, math: Math, wide: bool) -> Callee {
        Callee { item: self.mathematics.function(math, wide), member: None }
    }

    /// The vector that an item is.
    pub(crate) fn vector(&self, item: usize) -> Option<Vector> {
        self.is_prelude(item).then(|| Vector::named(self.names.get(item)?)).flatten()
    }

    /// Whether an item is of the prelude or the library: its places in the source are those of its calls.
    pub(crate) fn is_prelude(&self, item: usize) -> bool {
        item >= self.devices.len()
    }

    /// What of std's an item stands for.
    pub(crate) fn of_std(&self, item: usize) -> Option<&'a StdItem> {
        self.devices.get(item).and_then(|device| device.std_item.as_ref())
    }

    /// Whether an item is of another crate than the kernel.
    pub(crate) fn is_foreign(&self, item: usize) -> bool {
        self.devices.get(item).is_some_and(|device| device.is_foreign)
    }

    /// Whether `{:?}` prints a struct or enum as derives print it.
    pub(crate) fn derives_debug(&self, item: usize) -> bool {
        self.is_prelude(item) || self.derives(item, "Debug")
    }

    /// Whether a struct or enum derives a trait.
    pub(crate) fn derives(&self, item: usize, of_trait: &str) -> bool {
        let attrs = match self.item(item) {
            Some(Item::Struct(of)) => &of.attrs,
            Some(Item::Enum(of)) => &of.attrs,
            _ => return false,
        };
        attrs.iter().any(|attr| derives(attr, of_trait))
    }

    /// A function as it is written; `None` if there is none, or it has no body.
    pub(crate) fn written(&self, callee: Callee) -> Option<Written<'a>> {
        match (self.item(callee.item)?, callee.member) {
            (Item::Fn(item), None) => Some(Written {
                sig: &item.sig,
                block: &item.block,
                attrs: &item.attrs,
                outer_attrs: &[],
                outer: None,
            }),
            (Item::Impl(item), Some(member)) => match item.items.get(member)? {
                ImplItem::Fn(method) => Some(Written {
                    sig: &method.sig,
                    block: &method.block,
                    attrs: &method.attrs,
                    outer_attrs: &item.attrs,
                    outer: Some(&item.generics),
                }),
                _ => None,
            },
            (Item::Trait(item), Some(member)) => match item.items.get(member)? {
                TraitItem::Fn(method) => Some(Written {
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

    /// Whether there is an `impl` of a trait of std's for a struct or enum.
    pub(crate) fn has_impl(&self, of_trait: &str, item: usize) -> bool {
        self.impls.iter().any(|&index| {
            let Some(Item::Impl(of)) = self.item(index) else { return false };
            let named = of.trait_.as_ref().and_then(|(path, _)| path.segments.last());
            let syn::Type::Path(this) = &*of.self_ty else { return false };
            named.is_some_and(|named| named.ident == of_trait)
                && self.paths(Some(index)).get(&crate::resolve::paths::path_key(&this.path))
                    == Some(&item)
        })
    }

    /// The method of an `impl` with this name.
    pub(crate) fn method_of(&self, item: usize, name: &str) -> Option<(Callee, &'a Signature)> {
        let Item::Impl(of) = self.item(item)? else { return None };
        of.items.iter().enumerate().find_map(|(index, member)| match member {
            ImplItem::Fn(method) if method.sig.ident == name => {
                Some((Callee { item, member: Some(index) }, &method.sig))
            }
            _ => None,
        })
    }

    /// The method of this name of a trait of the prelude.
    pub(crate) fn prelude_method(
        &self,
        of_trait: &str,
        name: &str,
    ) -> Option<(Callee, &'a Signature)> {
        let (item, sig) = self.prelude.function(of_trait, name)?;
        Some((Callee { item, member: Some(0) }, sig))
    }

    /// The generic parameters of the `impl` or trait that a function is in.
    pub(crate) fn generics_of(&self, callee: Callee) -> Option<&'a Generics> {
        callee.member?;
        match self.item(callee.item)? {
            Item::Impl(item) => Some(&item.generics),
            Item::Trait(item) => Some(&item.generics),
            _ => None,
        }
    }

    /// The function for these types, inferred at its first use; `None` if something about it was
    /// reported.
    pub(crate) fn instance(
        &self,
        callee: Callee,
        given: &Given,
        generics: &[String],
        errors: &mut Errors,
    ) -> Option<Rc<Function>> {
        let known = self
            .instances
            .borrow()
            .iter()
            .find_map(|(of, by, made)| (*of == callee && by == given).then(|| made.clone()));
        if let Some(known) = known {
            return known;
        }
        let made = self.make(callee, given, generics, errors);
        self.instances.borrow_mut().push((callee, given.clone(), made.clone()));
        made
    }

    fn make(
        &self,
        callee: Callee,
        given: &Given,
        generics: &[String],
        errors: &mut Errors,
    ) -> Option<Rc<Function>> {
        let written = self.written(callee)?;
        if !limits::check(written.sig, written.block, errors) {
            return None;
        }
        let context = infer::Context {
            program: self,
            written,
            home: Some(callee.item),
            kernel: None,
            given: Some(given),
            generics,
        };
        infer::function(&context, errors).map(|(function, _)| Rc::new(function))
    }

    /// What a struct or enum declares; `None` if something about it was reported.
    pub(crate) fn adt(
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
        let adt = self.declared(item, args, generics, errors).map(Rc::new);
        let adt = adt.filter(|adt| self.is_finite(item, args, adt, generics, errors));
        self.adts.borrow_mut().push((item, args.to_vec(), adt.clone()));
        adt
    }

    /// True if a struct or enum does not contain itself, other than behind references and in function pointers.
    fn is_finite(
        &self,
        item: usize,
        args: &[MonoArg],
        adt: &Adt,
        generics: &[String],
        errors: &mut Errors,
    ) -> bool {
        let is_cycle = {
            let outer = self.containing.borrow();
            let same_item = || outer.iter().filter(|(of, _)| *of == item);
            let mut parts = MAX_TYPE_PARTS;
            same_item().any(|(_, by)| by == args)
                || same_item().count() >= MAX_NESTED_TYPES
                // `struct Tree<T>(T, Option<Tree<(T, T)>>)` doubles its argument each time.
                || same_item().next().is_some() && !args.iter().all(|arg| arg.is_within(&mut parts))
        };
        if is_cycle {
            let ident = match self.item(item) {
                Some(Item::Struct(of)) => &of.ident,
                Some(Item::Enum(of)) => &of.ident,
                _ => return false,
            };
            let at = SpanRange::token(ident.span());
            errors.mistyped(at, format_args!("the type `{ident}` contains itself"));
            return false;
        }
        self.containing.borrow_mut().push((item, args.to_vec()));
        let mut open: Vec<&Mono> = adt.variants.iter().flatten().collect();
        let mut is_finite = true;
        // The first part that is not finite ends it: several in each type would be a number of steps that is exponential in
        // the depth.
        while let Some(part) = open.pop().filter(|_| is_finite) {
            match part {
                Mono::Array(elem, _) => open.push(elem),
                Mono::Tuple(args) => open.extend(args.iter().filter_map(|arg| match arg {
                    MonoArg::Type(ty) => Some(ty),
                    MonoArg::Const(_) => None,
                })),
                Mono::Iter(_, types) => open.extend(types),
                Mono::Adt(item, args) => {
                    is_finite = self.adt(*item, args, generics, errors).is_some();
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
        self.containing.borrow_mut().pop();
        is_finite
    }

    fn declared(
        &self,
        item: usize,
        args: &[MonoArg],
        generics: &[String],
        errors: &mut Errors,
    ) -> Option<Adt> {
        let (attrs, shapes): (&[Attribute], Vec<&syn::Fields>) = match self.item(item)? {
            Item::Struct(of) => (&of.attrs, vec![&of.fields]),
            Item::Enum(of) => {
                (&of.attrs, of.variants.iter().map(|variant| &variant.fields).collect())
            }
            _ => return None,
        };
        let variants = infer::field_types(self, item, args, generics, errors)?;
        let repr = Repr::of(attrs);
        let (tag, discriminants) = match self.item(item)? {
            Item::Enum(of) => {
                let is_either = self.is_prelude(item) && of.variants.len() == 2;
                let tag = if is_either { Scalar::Bool } else { repr.tag };
                (Some(tag), discriminants(of, errors)?)
            }
            _ => (None, vec![0]),
        };
        let fields = shapes.into_iter().map(field_names).collect();
        let default = match self.item(item)? {
            Item::Enum(of) => of.variants.iter().position(|variant| {
                // `None` is the one of `Option`.
                self.is_prelude(item) && variant.fields.is_empty()
                    || variant.attrs.iter().any(|attr| attr.path().is_ident("default"))
            }),
            _ => None,
        };
        Some(Adt { variants, tag, discriminants, align: repr.align, fields, default })
    }

    /// A number that no other closure has.
    pub(crate) fn new_closure(&self) -> usize {
        let next = self.closures.get();
        self.closures.set(next + 1);
        next
    }
}

/// Whether an attribute is a `derive` of a trait.
fn derives(attr: &Attribute, of_trait: &str) -> bool {
    let mut found = false;
    if attr.path().is_ident("derive") {
        // What is wrong with it, rustc says.
        let _ = attr.parse_nested_meta(|meta| {
            found |= meta.path.segments.last().is_some_and(|last| last.ident == of_trait);
            Ok(())
        });
    }
    found
}

/// What `#[repr(..)]` says.
struct Repr {
    tag: Scalar,
    align: u64,
}

impl Repr {
    fn of(attrs: &[Attribute]) -> Self {
        let mut repr = Self { tag: Scalar::I32, align: 1 };
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("repr")) {
            // What is wrong with it, rustc says.
            let _ = attr.parse_nested_meta(|meta| {
                let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
                if let Some(prim) = Prim::named(&name) {
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

/// The discriminants of an enum's variants: as written, or one more than the one before.
fn discriminants(of: &syn::ItemEnum, errors: &mut Errors) -> Option<Vec<i128>> {
    let mut next = 0;
    let mut all = Vec::with_capacity(of.variants.len());
    for variant in &of.variants {
        if let Some((_, written)) = &variant.discriminant {
            let Some(value) = infer::integer(written) else {
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

/// Names of fields; those of tuple structs are numbers.
fn field_names(fields: &syn::Fields) -> Vec<String> {
    let fields = fields.iter().enumerate();
    fields
        .map(|(index, field)| match &field.ident {
            Some(ident) => ident.to_string().trim_start_matches("r#").to_owned(),
            None => index.to_string(),
        })
        .collect()
}
