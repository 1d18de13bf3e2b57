//! The pipeline from a kernel's function to IR.
//!
//! [`infer`] resolves the names of a function and infers its types: `syn` to [`hir`].
//! [`lower`](mod@lower) turns the kernel's tree into IR, with the device functions that it calls
//! inlined; [`infer::program`] has those, inferred for the types that they are called with.
//! [`witness`] writes the inferred types back into a copy of the function, so that rustc checks
//! them.
//!
//! Erroneous code is never lowered: [`Errors`] collects all errors, and an error type in the tree
//! is proof of a reported error.

use crate::{
    attr::{self, lint_attr::Expectation},
    hir,
    infer::{
        self,
        program::{FunctionSyntax, Program},
    },
    lower,
    resolve::{
        device_set::{Callee, DeviceItem, DeviceSet},
        inner_items::WithInnerItems,
        paths::path_key,
        recursion,
    },
    std_lib::{StdLib, math_library::MathLibrary},
    syntax::{
        error::{Errors, Rejected},
        limits,
        span::{Origin, SpanRange},
        tokens::Tokens,
    },
    types::vector,
    witness,
};
use std::rc::Rc;
use syn::visit_mut::VisitMut as _;
use warpwise_compiler::{ir::Kernel, lint::Levels};

/// The input of the pipeline.
#[derive(Clone, Copy)]
pub(crate) struct LowerInput<'a> {
    /// The kernel as written, without `#[kernel]` itself.
    pub(crate) item: &'a syn::ItemFn,
    /// The flattened tokens of `item`; `None` if they differ from it.
    pub(crate) tokens: Option<&'a Tokens>,
    /// The arguments of `#[kernel(..)]`.
    pub(crate) options: &'a attr::Options,
    /// The device items of its call tree.
    pub(crate) devices: &'a DeviceSet,
}

/// A kernel's IR with its side tables.
#[derive(Debug)]
pub(crate) struct Lowered {
    /// The kernel, not yet verified.
    pub(crate) kernel: Kernel,
    /// The source range of each [`ir::Span`](warpwise_compiler::ir::Span).
    pub(crate) spans: Vec<SpanRange>,
    /// The owner of the code at each span.
    pub(crate) origins: Vec<Origin>,
    /// Levels from lint attributes on the kernel, its statements and device functions.
    pub(crate) levels: Levels,
    /// The expectations among the levels, by number.
    pub(crate) expectations: Vec<Rc<Expectation>>,
    /// Hidden copies of the functions in which rustc checks the inferred types; never called.
    pub(crate) witnesses: Vec<syn::Item>,
    /// The variant without debug assertions, if they make a difference.
    pub(crate) release: Option<Box<Self>>,
}

/// The items that kernel code can use without a declaration.
struct KnownItems {
    prelude: StdLib,
    library: MathLibrary,
}

impl KnownItems {
    /// Creates the tables for `devices`, and for a kernel that may use vectors.
    fn new(devices: &DeviceSet, kernel: Option<&syn::ItemFn>) -> Self {
        let words =
            vector::Identifiers::in_items(devices.items.iter().map(|device| &device.item), kernel);
        let prelude = StdLib::new(devices.items.len(), &words);
        let library = MathLibrary::new(prelude.end_number());
        Self { prelude, library }
    }

    fn program<'a>(&'a self, devices: &'a DeviceSet) -> Program<'a> {
        Program::new(&devices.items, &devices.kernel_paths, &self.prelude, &self.library)
    }
}

/// Lowers a kernel.
///
/// # Errors
/// All errors of the kernel and of the device functions that it calls, combined.
pub(crate) fn lower(input: LowerInput<'_>) -> Result<Lowered, Rejected> {
    let mut errors = Errors::default();
    let lowered = try_lower(input, &mut errors);
    errors.finish(lowered)
}

fn try_lower(input: LowerInput<'_>, errors: &mut Errors) -> Option<Lowered> {
    let LowerInput { item, tokens, options, devices } = input;
    let declares = tokens.is_none_or(|tokens| tokens.declarations > 1);
    let all = WithInnerItems::collect(devices, declares.then_some(item), errors);
    let devices = &*all.devices;
    recursion::reject_recursion(item, &devices.kernel_paths, devices, errors).ok()?;
    let may_name_vectors = tokens.is_none_or(|tokens| tokens.may_name_vectors);
    let known = KnownItems::new(devices, may_name_vectors.then_some(item));
    let program = known.program(devices);
    let written = FunctionSyntax {
        sig: &item.sig,
        block: &item.block,
        attrs: &item.attrs,
        outer_attrs: &[],
        outer: None,
    };
    let context = infer::InferInput {
        program: &program,
        function: written,
        home: None,
        kernel: Some(options),
        instance: None,
        generics: &[],
    };
    if !limits::check(&item.sig, &item.block, errors) {
        return None;
    }
    let inner = check_inner(None, &all, &program, errors);
    let (function, notes) = infer::infer_function(&context, errors)?;
    let function = Rc::new(function);
    // Most kernels do not depend on debug assertions, and need no second variant.
    let debug = lower::lower_kernel(&function, &program, options, true, errors)?;
    let release = if debug.depends_on_debug {
        Some(lower::lower_kernel(&function, &program, options, false, errors)?)
    } else {
        None
    };
    // Inner items have witnesses of their own, or attributes that stay; the flat tokens have
    // neither.
    let tokens = tokens.filter(|_| all.items_inside(None).is_empty());
    let mut witness = witness::function_witness(item, tokens, &options.requires, &function, &notes);
    if !inner.is_empty() {
        (&inner).visit_item_fn_mut(&mut witness);
    }
    let witnesses = vec![syn::Item::Fn(witness)];
    let release = release.map(|release| Box::new(Lowered::from_emitted(release, Vec::new(), None)));
    Some(Lowered::from_emitted(debug, witnesses, release))
}

impl Lowered {
    fn from_emitted(
        emitted: lower::LoweredKernel,
        witnesses: Vec<syn::Item>,
        release: Option<Box<Self>>,
    ) -> Self {
        let lower::LoweredKernel {
            kernel,
            spans,
            origins,
            levels,
            expectations,
            depends_on_debug: _,
        } = emitted;
        Self { kernel, spans, origins, levels, expectations, witnesses, release }
    }
}

/// Checks the items with the indices `here`, defined in this crate and not yet used, and returns
/// their witnesses. Generic items are checked as far as the bounds of their parameters allow.
///
/// # Errors
/// All errors of these items, combined; none of the other items.
pub(crate) fn check_devices(
    devices: &DeviceSet,
    here: impl IntoIterator<Item = usize>,
) -> Result<Vec<syn::Item>, Rejected> {
    let mut errors = Errors::default();
    let mut witnesses = Vec::new();
    let all = WithInnerItems::collect(devices, None, &mut errors);
    let known = KnownItems::new(&all.devices, None);
    let program = known.program(&all.devices);
    for index in here {
        let inner = check_inner(Some(index), &all, &program, &mut errors);
        let mut found = check_device(index, &all.devices, &program, &mut errors);
        found.iter_mut().for_each(|witness| (&inner).visit_item_mut(witness));
        witnesses.extend(found);
    }
    errors.finish(Some(witnesses))
}

/// Checks the items inside of an item, or of the kernel, and returns their witnesses.
fn check_inner(
    of: Option<usize>,
    all: &WithInnerItems<'_>,
    program: &Program<'_>,
    errors: &mut Errors,
) -> witness::InnerWitnesses {
    let inside = all.items_inside(of);
    let names = inside
        .clone()
        .filter_map(|index| crate::syntax::item::item_name(&all.devices.items[index].item));
    let mut found = witness::InnerWitnesses::new(names);
    for index in inside {
        match &all.devices.items[index].item {
            syn::Item::Impl(item) if found.involves_inner_item(item) => {
                let methods = check_methods(index, item, program, errors);
                found.replace_impl(item, vec![witness::inner_impl_witness(item, &methods)]);
            }
            syn::Item::Impl(item) => {
                found.replace_impl(item, check_device(index, &all.devices, program, errors));
            }
            _ => found.functions.extend(check_device(index, &all.devices, program, errors)),
        }
    }
    found
}

/// Returns true if an `impl` is for a struct or enum of this crate, by its name or an alias. Only
/// its methods can have witnesses: these are in an `impl` without the trait, which rustc rejects
/// for type parameters and for types of other crates.
fn implements_own_type(item: &syn::ItemImpl, device: &DeviceItem, devices: &DeviceSet) -> bool {
    let is_parameter =
        |name: &syn::Ident| item.generics.type_params().any(|parameter| parameter.ident == *name);
    let (mut ty, mut owner) = (&*item.self_ty, device);
    // The limit ends cycles of aliases, which rustc rejects later.
    for _ in 0..=devices.items.len() {
        let syn::Type::Path(path) = ty else { return false };
        if path.qself.is_some() || path.path.get_ident().is_some_and(is_parameter) {
            return false;
        }
        let found = owner.paths.get(&path_key(&path.path));
        let Some(found) = found.and_then(|found| devices.items.get(*found)) else {
            return false;
        };
        let syn::Item::Type(alias) = &found.item else { return !found.is_foreign };
        (ty, owner) = (&*alias.ty, found);
    }
    false
}

/// Checks one item, and returns the witnesses of its functions.
fn check_device(
    index: usize,
    devices: &DeviceSet,
    program: &Program<'_>,
    errors: &mut Errors,
) -> Vec<syn::Item> {
    let Some(device) = devices.items.get(index) else { return Vec::new() };
    match &device.item {
        syn::Item::Fn(item) => {
            if recursion::reject_recursion(item, &device.paths, devices, errors).is_err() {
                return Vec::new();
            }
            let callee = Callee { item: index, member: None };
            let checked = check_function(callee, program, errors);
            let witness = checked.map(|(function, notes)| {
                witness::function_witness(item, None, &[], &function, &notes)
            });
            witness.map(syn::Item::Fn).into_iter().collect()
        }
        syn::Item::Impl(item) => {
            let impls = devices.items.iter().filter_map(|device| match &device.item {
                syn::Item::Impl(item) => Some(item),
                _ => None,
            });
            let others: Vec<&syn::ItemImpl> = impls.collect();
            let methods = check_methods(index, item, program, errors);
            if !implements_own_type(item, device, devices) {
                return Vec::new();
            }
            let members =
                methods.iter().filter_map(|method| witness::method_witness(item, &others, method));
            members.map(syn::Item::Impl).collect()
        }
        syn::Item::Struct(item) => {
            check_fields(index, &item.generics, program, errors);
            Vec::new()
        }
        syn::Item::Enum(item) => {
            check_fields(index, &item.generics, program, errors);
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// Returns the help for a method that only the host calls, which may stand in another `impl`.
pub(crate) fn host_method_help(item: &syn::ItemImpl) -> Option<String> {
    let syn::Type::Path(ty) = &*item.self_ty else { return None };
    let name = &ty.path.segments.last()?.ident;
    let help = format!(
        "a method that only the host calls stands in another `impl {name}`, without `#[device]`"
    );
    item.trait_.is_none().then_some(help)
}

/// Checks the methods of an `impl`.
fn check_methods(
    index: usize,
    item: &syn::ItemImpl,
    program: &Program<'_>,
    errors: &mut Errors,
) -> Vec<witness::CheckedMethod> {
    let help = host_method_help(item);
    let members = (0..item.items.len()).filter_map(|member| {
        let callee = Callee { item: index, member: Some(member) };
        let (function, notes) = errors
            .with_host_help(help.clone(), |errors| check_function(callee, program, errors))?;
        Some(witness::CheckedMethod { member, function, notes })
    });
    members.collect()
}

/// Checks the field types of a struct or enum without generic parameters.
fn check_fields(
    index: usize,
    generics: &syn::Generics,
    program: &Program<'_>,
    errors: &mut Errors,
) {
    if generics.type_params().next().is_some() || generics.const_params().next().is_some() {
        return;
    }
    // Only the reported errors matter here.
    let _ = program.adt_definition(index, &[], &[], errors);
}

/// Checks a function as far as the bounds of its generic parameters allow.
fn check_function(
    callee: Callee,
    program: &Program<'_>,
    errors: &mut Errors,
) -> Option<(hir::Function, witness::Notes)> {
    let written = program.function_syntax(callee)?;
    let FunctionSyntax { sig, block, outer, .. } = written;
    if !limits::check(sig, block, errors) || !infer::are_parameters_numbers(outer, sig) {
        return None;
    }
    let home = Some(callee.item);
    let context = infer::InferInput {
        program,
        function: written,
        home,
        kernel: None,
        instance: None,
        generics: &[],
    };
    infer::infer_function(&context, errors)
}
