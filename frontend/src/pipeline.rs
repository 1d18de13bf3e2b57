//! The order of the stages that turn a kernel's function into IR.
//!
//! [`infer`] resolves the names of a function and infers its types: `syn` to [`hir`].
//! [`lower`](mod@lower) turns the kernel's tree into IR, with the device functions that it calls
//! inlined; [`infer::program`] has those, inferred for the types that they are called with.
//! [`witness`] writes the inferred types back into a copy of the function, so that rustc checks
//! them.
//!
//! Code that was not understood is never lowered: [`Errors`] collects every error, and an error
//! type of the tree cannot be made without having reported one.

use crate::{
    attr::{self, lint_attr::Expectation},
    hir,
    infer::{
        self,
        program::{Program, Written},
    },
    lower,
    resolve::{
        device_set::{Callee, DeviceSet},
        inner_items::WithInner,
        recursion,
    },
    std_lib::{Prelude, math_library::Library},
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

/// What is lowered.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    /// The kernel as written, without `#[kernel]` itself.
    pub(crate) item: &'a syn::ItemFn,
    /// The tokens that it is made of; `None` if it is not as they say.
    pub(crate) tokens: Option<&'a Tokens>,
    /// Arguments of `#[kernel(..)]`.
    pub(crate) options: &'a attr::Options,
    /// What its call tree needs.
    pub(crate) devices: &'a DeviceSet,
}

/// A kernel's IR and what belongs to it.
#[derive(Debug)]
pub(crate) struct Lowered {
    /// The kernel; not verified yet.
    pub(crate) kernel: Kernel,
    /// Where an [`ir::Span`](warpwise_compiler::ir::Span) is in the source, by index.
    pub(crate) spans: Vec<SpanRange>,
    /// Whose code that is, by index.
    pub(crate) origins: Vec<Origin>,
    /// Levels from lint attributes on the kernel, its statements and device functions.
    pub(crate) levels: Levels,
    /// The expectations among these, by number.
    pub(crate) expectations: Vec<Rc<Expectation>>,
    /// Copies of the function that hand what was inferred to rustc: hidden, never called.
    pub(crate) witnesses: Vec<syn::Item>,
    /// The same without debug assertions, if it has any.
    pub(crate) release: Option<Box<Self>>,
}

/// What can be named without being declared.
struct Known {
    prelude: Prelude,
    library: Library,
}

impl Known {
    /// For `devices`, and a kernel that may use them.
    fn of(devices: &DeviceSet, kernel: Option<&syn::ItemFn>) -> Self {
        let words =
            vector::Words::in_items(devices.items.iter().map(|device| &device.item), kernel);
        let prelude = Prelude::new(devices.items.len(), &words);
        let library = Library::new(prelude.end());
        Self { prelude, library }
    }

    fn program<'a>(&'a self, devices: &'a DeviceSet) -> Program<'a> {
        Program::new(&devices.items, &devices.kernel_paths, &self.prelude, &self.library)
    }
}

/// Lowers a kernel.
///
/// # Errors
/// Everything that is wrong with it and the device functions it calls, combined.
pub(crate) fn lower(input: Input<'_>) -> Result<Lowered, Rejected> {
    let mut errors = Errors::default();
    let lowered = try_lower(input, &mut errors);
    errors.finish(lowered)
}

fn try_lower(input: Input<'_>, errors: &mut Errors) -> Option<Lowered> {
    let Input { item, tokens, options, devices } = input;
    let declares = tokens.is_none_or(|tokens| tokens.declarations > 1);
    let all = WithInner::of(devices, declares.then_some(item), errors);
    let devices = &*all.devices;
    recursion::check(item, &devices.kernel_paths, devices, errors).ok()?;
    let may_name_vectors = tokens.is_none_or(|tokens| tokens.may_name_vectors);
    let known = Known::of(devices, may_name_vectors.then_some(item));
    let program = known.program(devices);
    let written = Written {
        sig: &item.sig,
        block: &item.block,
        attrs: &item.attrs,
        outer_attrs: &[],
        outer: None,
    };
    let context = infer::Context {
        program: &program,
        written,
        home: None,
        kernel: Some(options),
        given: None,
        generics: &[],
    };
    if !limits::check(&item.sig, &item.block, errors) {
        return None;
    }
    let inner = check_inner(None, &all, &program, errors);
    let (function, notes) = infer::function(&context, errors)?;
    let function = Rc::new(function);
    let debug = lower::kernel(&function, &program, options, true, errors)?;
    let release = match debug.depends_on_debug {
        true => Some(lower::kernel(&function, &program, options, false, errors)?),
        false => None,
    };
    // What is declared inside has witnesses of its own in the tree, or attributes that stay.
    let tokens = tokens.filter(|_| all.inside(None).is_empty());
    let mut witness = witness::witness(item, tokens, &options.requires, &function, &notes);
    if !inner.is_empty() {
        (&inner).visit_item_fn_mut(&mut witness);
    }
    let witnesses = vec![syn::Item::Fn(witness)];
    let release = release.map(|release| Box::new(Lowered::of(release, Vec::new(), None)));
    Some(Lowered::of(debug, witnesses, release))
}

impl Lowered {
    fn of(emitted: lower::Emitted, witnesses: Vec<syn::Item>, release: Option<Box<Self>>) -> Self {
        let lower::Emitted { kernel, spans, origins, levels, expectations, depends_on_debug: _ } =
            emitted;
        Self { kernel, spans, origins, levels, expectations, witnesses, release }
    }
}

/// Checks the items of `devices` with these indices, which are defined here, used by nobody, and
/// yields their witnesses. What is generic is checked as far as its parameters' bounds tell.
///
/// # Errors
/// Everything that is wrong with them, combined; nothing of the other items.
pub(crate) fn check_devices(
    devices: &DeviceSet,
    here: impl IntoIterator<Item = usize>,
) -> Result<Vec<syn::Item>, Rejected> {
    let mut errors = Errors::default();
    let mut witnesses = Vec::new();
    let all = WithInner::of(devices, None, &mut errors);
    let known = Known::of(&all.devices, None);
    let program = known.program(&all.devices);
    for index in here {
        let inner = check_inner(Some(index), &all, &program, &mut errors);
        let mut found = check_device(index, &all.devices, &program, &mut errors);
        found.iter_mut().for_each(|witness| (&inner).visit_item_mut(witness));
        witnesses.extend(found);
    }
    errors.finish(Some(witnesses))
}

/// Checks what is declared inside of an item, or of the kernel, and yields the witnesses.
fn check_inner(
    of: Option<usize>,
    all: &WithInner<'_>,
    program: &Program<'_>,
    errors: &mut Errors,
) -> witness::Inner {
    let inside = all.inside(of);
    let names = inside
        .clone()
        .filter_map(|index| crate::syntax::item::name(&all.devices.items[index].item));
    let mut found = witness::Inner::new(names);
    for index in inside {
        match &all.devices.items[index].item {
            syn::Item::Impl(item) if found.is_own(item) => {
                let methods = check_methods(index, item, program, errors);
                found.add(item, vec![witness::own_impl(item, &methods)]);
            }
            syn::Item::Impl(item) => {
                found.add(item, check_device(index, &all.devices, program, errors));
            }
            _ => found.functions.extend(check_device(index, &all.devices, program, errors)),
        }
    }
    found
}

/// Checks one item, and yields the witnesses of its functions.
fn check_device(
    index: usize,
    devices: &DeviceSet,
    program: &Program<'_>,
    errors: &mut Errors,
) -> Vec<syn::Item> {
    let Some(device) = devices.items.get(index) else { return Vec::new() };
    match &device.item {
        syn::Item::Fn(item) => {
            if recursion::check(item, &device.paths, devices, errors).is_err() {
                return Vec::new();
            }
            let callee = Callee { item: index, member: None };
            let checked = check_function(callee, program, errors);
            let witness = checked
                .map(|(function, notes)| witness::witness(item, None, &[], &function, &notes));
            witness.map(syn::Item::Fn).into_iter().collect()
        }
        syn::Item::Impl(item) => {
            let impls = devices.items.iter().filter_map(|device| match &device.item {
                syn::Item::Impl(item) => Some(item),
                _ => None,
            });
            let others: Vec<&syn::ItemImpl> = impls.collect();
            let methods = check_methods(index, item, program, errors);
            let members =
                methods.iter().filter_map(|method| witness::method(item, &others, method));
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

/// Checks the methods of an `impl`.
fn check_methods(
    index: usize,
    item: &syn::ItemImpl,
    program: &Program<'_>,
    errors: &mut Errors,
) -> Vec<witness::Checked> {
    let members = (0..item.items.len()).filter_map(|member| {
        let callee = Callee { item: index, member: Some(member) };
        let (function, notes) = check_function(callee, program, errors)?;
        Some(witness::Checked { member, function, notes })
    });
    members.collect()
}

/// Checks the types of the fields of a struct or enum, unless they depend on what it is made for.
fn check_fields(
    index: usize,
    generics: &syn::Generics,
    program: &Program<'_>,
    errors: &mut Errors,
) {
    if generics.type_params().next().is_some() || generics.const_params().next().is_some() {
        return;
    }
    // What is wrong is reported; what is right is of no use here.
    let _ = program.adt(index, &[], &[], errors);
}

/// Checks a function as far as its generic parameters' bounds tell.
fn check_function(
    callee: Callee,
    program: &Program<'_>,
    errors: &mut Errors,
) -> Option<(hir::Function, witness::Notes)> {
    let written = program.written(callee)?;
    let Written { sig, block, outer, .. } = written;
    if !limits::check(sig, block, errors) || !infer::stands_for_numbers(outer, sig) {
        return None;
    }
    let home = Some(callee.item);
    let context =
        infer::Context { program, written, home, kernel: None, given: None, generics: &[] };
    infer::function(&context, errors)
}
