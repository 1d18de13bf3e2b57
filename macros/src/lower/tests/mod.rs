//! Tests of lowering, on proc_macro2's fallback.
//!
//! `macros/tests/lower/*.rs` are kernels and what becomes of them: IR text, or what is reported
//! and where. `BLESS=1` rewrites what is expected.
mod golden;

use super::{DeviceItem, DeviceSet, Input, Lowered, Rejected, callees, key, lower};
use crate::attr::{self, Options};
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::{Item, ItemFn};

/// A source file: its kernels, and its device functions, which know each other by name.
pub(super) struct Source {
    pub(super) kernels: Vec<(ItemFn, Options)>,
    pub(super) devices: Vec<ItemFn>,
}

impl Source {
    pub(super) fn parse(text: &str) -> Self {
        let mut source = Self { kernels: Vec::new(), devices: Vec::new() };
        for item in syn::parse_file(text).expect("tests are Rust").items {
            let Item::Fn(mut item) = item else { continue };
            let Some(which) = item
                .attrs
                .iter()
                .position(|attr| attr.path().is_ident("kernel") || attr.path().is_ident("device"))
            else {
                continue;
            };
            let attribute = item.attrs.remove(which);
            if attribute.path().is_ident("device") {
                source.devices.push(item);
                continue;
            }
            let args = match &attribute.meta {
                syn::Meta::List(list) => list.tokens.clone(),
                _ => proc_macro2::TokenStream::new(),
            };
            let (options, error) = attr::parse(args);
            assert!(error.is_none(), "{error:?}");
            source.kernels.push((item, options));
        }
        source
    }

    fn callees_of(&self, item: &ItemFn) -> BTreeMap<String, usize> {
        let index = |path: &syn::Path| {
            let last = path.segments.last()?.ident.to_string();
            self.devices.iter().position(|device| device.sig.ident == last)
        };
        callees(item).iter().filter_map(|path| Some((key(path), index(path)?))).collect()
    }

    pub(super) fn devices_for(&self, kernel: &ItemFn) -> DeviceSet {
        let item =
            |item: &ItemFn| DeviceItem { item: item.clone(), callees: self.callees_of(item) };
        DeviceSet {
            kernel_callees: self.callees_of(kernel),
            items: self.devices.iter().map(item).collect(),
        }
    }

    pub(super) fn lower(&self, (item, options): &(ItemFn, Options)) -> Result<Lowered, Rejected> {
        let devices = self.devices_for(item);
        lower(Input { item, options, devices: &devices })
    }
}

/// The only kernel of a text.
pub(super) fn lower_text(text: &str) -> Result<Lowered, Rejected> {
    let source = Source::parse(text);
    source.lower(&source.kernels[0])
}

#[test]
fn print_tokens() {
    // Spans are ranges of tokens: the first and last of an expression.
    let lowered = lower_text("#[kernel] fn k(x: &mut [f32]) { x[0] = x[1] * 2.0; }").unwrap();
    let text: Vec<String> = lowered
        .spans
        .iter()
        .map(|range| format!("{}-{}", range.first.start().column, range.last.end().column))
        .collect();
    assert!(text.contains(&"39-49".to_owned()), "{text:?}");
    assert!(lowered.witnesses[0].to_token_stream().to_string().contains("2.0f32"));
}
