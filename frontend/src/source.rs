//! Kernels of a source text, lowered outside of rustc: for tools that have no build, and for tests.
//!
//! ```
//! let file = warpwise_frontend::source::lower_source("#[kernel] fn k(x: &mut [f32]) { x[0] = 1.0; }");
//! let lowered = file.unwrap().remove(0).lowered.unwrap();
//! assert_eq!(lowered.kernel.name, "k");
//! ```
//! Items refer to each other by their last name, as if all modules were one. The text is a whole
//! file; items without `#[kernel]` or `#[device]` are skipped. Errors that rustc would report in
//! its own words are reported here.
use crate::{
    attr::{self, Options, constant::take_constants},
    mistakes::{self, Mistake, Place},
    pipeline::{LowerInput, Lowered, lower},
    resolve::{
        device_set::{DeviceItem, DeviceSet},
        imports::resolve_kernel_imports,
        paths::{path_key, paths_of_kernel},
        source_map::with_source_text,
    },
    syntax::{
        error::{HELP, Rejected},
        item::{item_attributes_mut, unraw_item_name},
        span::SpanRange,
    },
};
use proc_macro2::{LineColumn, Span, TokenStream};
use std::collections::BTreeMap;
use syn::{Item, ItemFn};
use warpwise_compiler::{ir::Kernel, lint::Levels};

/// A range of the text: lines and columns from 1, in characters; the end is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextRange {
    /// Line and column of the first character.
    pub start: (usize, usize),
    /// Line and column after the last character.
    pub end: (usize, usize),
}

/// An error in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    /// The wrong code.
    pub at: TextRange,
    /// The message.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
}

/// A kernel of a text.
#[derive(Debug)]
pub struct SourceKernel {
    /// The name.
    pub name: String,
    /// The place of the name.
    pub at: TextRange,
    /// The kernel's IR, or its errors.
    pub lowered: Result<LoweredKernel, Vec<SourceError>>,
}

/// The IR of a kernel with its places in the text.
#[derive(Debug)]
pub struct LoweredKernel {
    /// The kernel, not yet verified.
    pub kernel: Kernel,
    /// Lint levels from attributes.
    pub levels: Levels,
    /// The range of each span of the IR.
    pub places: Vec<TextRange>,
}

/// Lowers every kernel of `text`.
///
/// # Errors
/// Those of the syntax, and of the arguments of `#[kernel(..)]`.
pub fn lower_source(text: &str) -> Result<Vec<SourceKernel>, Vec<SourceError>> {
    let source = Source::parse(text).map_err(source_errors)?;
    let lower = || source.kernels.iter().map(|kernel| source.lower_kernel(kernel)).collect();
    Ok(with_source_text(text, lower))
}

/// Source file: its kernels, and its device items, which refer to each other by name.
pub(crate) struct Source {
    pub(crate) kernels: Vec<(ItemFn, Options)>,
    pub(crate) devices: Vec<Item>,
}

impl Source {
    /// Parses a file.
    pub(crate) fn parse(text: &str) -> syn::Result<Self> {
        let mut source = Self { kernels: Vec::new(), devices: Vec::new() };
        let mut errors = None;
        for mut item in syn::parse_file(text)?.items {
            let Some(attribute) = take_attribute(&mut item) else { continue };
            if attribute.path().is_ident("device") {
                source.devices.push(item);
                continue;
            }
            let args = match &attribute.meta {
                syn::Meta::List(list) => list.tokens.clone(),
                syn::Meta::Path(_) | syn::Meta::NameValue(_) => TokenStream::new(),
            };
            let (mut options, error) = attr::parse_arguments(args);
            if let Some(error) = error {
                attr::combine_errors(&mut errors, error);
            }
            let Item::Fn(mut item) = item else {
                let error = syn::Error::new_spanned(&item, "`#[kernel]` is for functions");
                attr::combine_errors(&mut errors, error);
                continue;
            };
            options.constants = take_constants(&mut item, &mut errors);
            source.kernels.push((item, options));
        }
        errors.map_or(Ok(source), Err)
    }

    /// Returns the indices of the device items by name.
    fn item_names(&self) -> BTreeMap<String, usize> {
        let named = self.devices.iter().enumerate();
        let named = named.map(|(index, item)| (unraw_item_name(item), index));
        named.filter(|(name, _)| name != "_").collect()
    }

    fn resolved_paths(&self, item: &ItemFn) -> BTreeMap<String, usize> {
        let known = self.item_names();
        let is_function = |index: &usize| matches!(self.devices[*index], Item::Fn(_));
        let mut all = known.clone();
        all.retain(|_, index| !is_function(index));
        for path in paths_of_kernel(item, &Options::default()) {
            let last = path.segments.last().map(|last| last.ident.to_string());
            if let Some(&index) = last.and_then(|last| known.get(&last)) {
                all.insert(path_key(&path), index);
            }
        }
        all
    }

    /// Returns the device items with the targets of the paths in `kernel`.
    pub(crate) fn devices_for(&self, kernel: &ItemFn) -> DeviceSet {
        let item = |item: &Item| DeviceItem {
            item: item.clone(),
            paths: match item {
                Item::Fn(function) => self.resolved_paths(function),
                _ => self.item_names(),
            },
            is_foreign: false,
            std_item: None,
        };
        DeviceSet {
            kernel_paths: self.resolved_paths(kernel),
            items: self.devices.iter().map(item).collect(),
        }
    }

    /// Lowers a kernel of the file.
    pub(crate) fn lower(&self, (item, options): &(ItemFn, Options)) -> Result<Lowered, Rejected> {
        let devices = self.devices_for(item);
        lower(LowerInput { item, tokens: None, options, devices: &devices })
    }

    fn lower_kernel(&self, (item, options): &(ItemFn, Options)) -> SourceKernel {
        let name = &item.sig.ident;
        let lowered = match mistakes::find_in_kernel(item) {
            found if found.is_empty() => {
                let (item, _) = resolve_kernel_imports(item.clone());
                let kernel = match options.instances.first() {
                    Some(instance) => {
                        instance.instantiate(&item, options, &self.devices_for(&item))
                    }
                    None => (item, options.clone()),
                };
                let lowered =
                    self.lower(&kernel).map_err(|rejected| source_errors(rejected.errors));
                lowered.map(|lowered| LoweredKernel::new(lowered, name.span()))
            }
            found => {
                let is_reported = |mistake: &Mistake| !matches!(mistake.place, Place::Number(_));
                let errors = found.into_iter().filter(is_reported).map(|mistake| {
                    SourceError::new(text_range(mistake.at.first, mistake.at.last), &mistake.text)
                });
                Err(errors.collect())
            }
        };
        SourceKernel { name: name.to_string(), at: text_range(name.span(), name.span()), lowered }
    }
}

impl LoweredKernel {
    /// Converts the places of `lowered`. Code from no text of the user's stands at the `name`.
    fn new(lowered: Lowered, name: Span) -> Self {
        let Lowered { kernel, levels, spans, .. } = lowered;
        let file = name.file();
        let place = |SpanRange { first, last }: SpanRange| {
            if first.file() == file {
                text_range(first, if last.file() == file { last } else { first })
            } else {
                text_range(name, name)
            }
        };
        Self { kernel, levels, places: spans.into_iter().map(place).collect() }
    }
}

impl SourceError {
    fn new(at: TextRange, text: &str) -> Self {
        let (message, help) = match text.split_once(HELP) {
            Some((message, help)) => (message, Some(help.to_owned())),
            None => (text, None),
        };
        Self { at, message: message.trim().to_owned(), help }
    }
}

fn source_errors(errors: syn::Error) -> Vec<SourceError> {
    let errors = errors.into_iter().map(|error| {
        let LineColumn { line, column } = error.span().start();
        let end = error.span().end();
        let at = TextRange { start: (line, column + 1), end: (end.line, end.column + 1) };
        SourceError::new(at, &error.to_string())
    });
    errors.collect()
}

/// Returns the range from the start of `first` to the end of `last`.
fn text_range(first: Span, last: Span) -> TextRange {
    let (start, end) = (first.start(), last.end());
    TextRange { start: (start.line, start.column + 1), end: (end.line, end.column + 1) }
}

/// Removes `#[kernel]` or `#[device]` from an item.
fn take_attribute(item: &mut Item) -> Option<syn::Attribute> {
    let attributes = item_attributes_mut(item)?;
    let is_ours =
        |attr: &syn::Attribute| attr.path().is_ident("kernel") || attr.path().is_ident("device");
    let index = attributes.iter().position(is_ours)?;
    Some(attributes.remove(index))
}
