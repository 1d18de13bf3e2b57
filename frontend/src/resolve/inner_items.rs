//! Items inside of functions: functions, types, traits and `impl` blocks that need no `#[device]`,
//! because the function's tokens contain them.
//!
//! Each becomes a device item of its own. Its paths have the targets of the enclosing function's
//! paths, and reach that function's constants. Names are looked up by text in the whole function,
//! so two items of one name in different blocks are rejected.
use crate::{
    resolve::{
        device_set::{DeviceItem, DeviceSet},
        drop_impls::reject_drop,
        paths::{device_paths, path_key},
    },
    syntax::{
        error::Errors,
        limits::{self, MAX_DEPTH},
        span::SpanRange,
    },
};
use std::{borrow::Cow, collections::BTreeMap, ops::Range};
use syn::{
    Block, Expr, Item, ItemFn, Stmt,
    visit::{self, Visit},
};

/// A device set extended by the items inside of its functions.
pub(crate) struct WithInnerItems<'a> {
    /// All items, inner ones last.
    pub(crate) devices: Cow<'a, DeviceSet>,
    /// Per enclosing item, or `None` for the kernel, the range of its inner items.
    inner_ranges: Vec<(Option<usize>, Range<usize>)>,
}

impl<'a> WithInnerItems<'a> {
    /// Collects the items inside of `devices` and of a kernel.
    pub(crate) fn collect(
        devices: &'a DeviceSet,
        kernel: Option<&ItemFn>,
        errors: &mut Errors,
    ) -> Self {
        let mut all = Self { devices: Cow::Borrowed(devices), inner_ranges: Vec::new() };
        if let Some(kernel) = kernel {
            let found = InnerItems::in_block(&kernel.block);
            if let Some(own) = all.add_items(None, &found, &devices.kernel_paths, errors) {
                all.devices.to_mut().kernel_paths = own;
            }
        }
        for (index, device) in devices.items.iter().enumerate() {
            let found = InnerItems::in_item(&device.item);
            if let Some(own) = all.add_items(Some(index), &found, &device.paths, errors) {
                all.devices.to_mut().items[index].paths = own;
            }
        }
        all
    }

    /// Returns the indices of the items inside of `parent`, or of the kernel.
    pub(crate) fn items_inside(&self, parent: Option<usize>) -> Range<usize> {
        let found = self.inner_ranges.iter().find(|(known, _)| *known == parent);
        found.map_or(0..0, |(_, inner)| inner.clone())
    }

    /// Adds the inner items of `parent`, whose paths have the targets `outer`. Returns the targets
    /// of the parent's paths including the inner items; `None` without inner items.
    fn add_items(
        &mut self,
        parent: Option<usize>,
        found: &InnerItems<'_>,
        outer: &BTreeMap<String, usize>,
        errors: &mut Errors,
    ) -> Option<BTreeMap<String, usize>> {
        found.path_targets().next()?;
        let is_foreign = parent.is_some_and(|parent| self.devices.items[parent].is_foreign);
        // The items are numbered before any is added, since they may refer to each other.
        let first = self.devices.items.len();
        // `seen` includes constants, which `own` lacks: they are looked up like variables.
        let (mut own, mut seen) = (outer.clone(), outer.clone());
        for (index, item) in found.items.iter().enumerate() {
            // The `impl` of an inner type is an inner item, too, so one of the two is enough.
            if let Item::Impl(_) = item
                && let Some(error) = reject_drop(item)
            {
                errors.report(SpanRange::token(error.span()), error);
            }
            let Some(ident) = crate::syntax::item::item_name(item) else { continue };
            let name = ident.to_string();
            if let Item::Trait(_) = item
                && let Some(taken) = crate::resolve::reserved_names::reject_reserved_name(item)
            {
                errors.report(SpanRange::token(ident.span()), taken);
            }
            if seen.insert(name.clone(), first + index).is_some() {
                errors.advise(
                    SpanRange::token(ident.span()),
                    format_args!("kernel code takes `{name}` for another item of that name here"),
                    "give it a name that nothing else has in this function",
                );
            }
            if !matches!(item, Item::Const(_)) {
                own.insert(name, first + index);
            }
        }
        for item in &found.items {
            // Paths in the item, and the items inside of it, which it reaches as its own.
            let found = InnerItems::in_item(item);
            let inside =
                found.path_targets().filter_map(|item| crate::syntax::item::item_name(item));
            let inside: Vec<String> = inside.map(ToString::to_string).collect();
            let keys = device_paths(item).iter().map(path_key).chain(inside).collect::<Vec<_>>();
            let lead = |key: String| seen.get(&key).copied().map(|to| (key, to));
            let paths = keys.into_iter().filter_map(lead).collect();
            let item = (*item).clone();
            let item = DeviceItem { item, paths, is_foreign, std_item: None };
            self.devices.to_mut().items.push(item);
        }
        self.inner_ranges.push((parent, first..self.devices.items.len()));
        Some(own)
    }
}

/// The items inside of a function.
#[derive(Default)]
struct InnerItems<'ast> {
    items: Vec<&'ast Item>,
    depth: usize,
}

impl<'ast> InnerItems<'ast> {
    fn in_block(block: &'ast Block) -> Self {
        let mut found = Self::default();
        found.visit_block(block);
        found
    }

    fn in_item(item: &'ast Item) -> Self {
        match item {
            Item::Fn(item) => Self::in_block(&item.block),
            item => {
                let mut found = Self::default();
                found.visit_item(item);
                found
            }
        }
    }

    /// Returns the targets of paths: not constants, which are looked up like variables.
    fn path_targets(&self) -> impl Iterator<Item = &&'ast Item> {
        self.items.iter().filter(|item| !matches!(item, Item::Const(_)))
    }
}

impl<'ast> Visit<'ast> for InnerItems<'ast> {
    fn visit_block(&mut self, block: &'ast Block) {
        for statement in &block.stmts {
            if let Stmt::Item(item) = statement
                && is_supported_inner_item(item)
            {
                self.items.push(item);
            }
        }
        visit::visit_block(self, block);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        let chain = limits::Chain::split(expr);
        for arm in &chain.arms {
            self.visit_expr(&arm.cond);
            self.visit_block(&arm.then_branch);
        }
        chain.operands.iter().for_each(|operand| self.visit_expr(operand));
        let expr = chain.rest;
        // Deeper nesting is reported elsewhere.
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            visit::visit_expr(self, expr);
            self.depth -= 1;
        }
    }
}

/// Returns true for the kinds of items that kernel code supports inside of functions.
pub(crate) fn is_supported_inner_item(item: &Item) -> bool {
    matches!(
        item,
        Item::Fn(_)
            | Item::Const(_)
            | Item::Struct(_)
            | Item::Enum(_)
            | Item::Type(_)
            | Item::Trait(_)
            | Item::Impl(_)
    )
}
