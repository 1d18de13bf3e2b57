//! The registry of a crate's `#[device]` items, and their partition into bundles that travel
//! together.
//!
//! A type needs its `impl` blocks, and those need the type; a method may need a function that takes
//! the type. Macros that wait for each other would wait forever, so items that need each other form
//! one *bundle*. The first of them in the source links all of them. No macro can resolve a path;
//! but names without a path, within one module or block (see
//! [`source_map`](crate::resolve::source_map)), are enough, because only items of one place can be
//! bundled.
//!
//! The registry is plain data of this run of the compiler, since tokens cannot be kept from one
//! macro call to the next. An item is registered when its attribute is expanded, and asks for its
//! bundle later, after all other items of its crate are registered.
use crate::device::linked_items::MAX_NESTED_ITEMS;
use std::collections::{BTreeMap, BTreeSet};

/// A registered `#[device]` item.
#[derive(Clone, Debug)]
pub(crate) struct RegisteredItem {
    /// The identifier of its module or block.
    pub(crate) scope: String,
    /// The `macro_rules!` call that produced it, see
    /// [`expansion_id`](crate::resolve::source_map::expansion_id).
    pub(crate) expansion: String,
    /// Its unique id.
    pub(crate) id: String,
    /// Its kind and names.
    pub(crate) kind: ItemKind,
    /// Names that it needs from this module, if the module has them.
    pub(crate) needs: Vec<String>,
    /// True if it is without errors. Otherwise it carries nothing.
    pub(crate) is_sound: bool,
}

/// The kind of an item, with the names that the registry needs.
#[derive(Clone, Debug)]
pub(crate) enum ItemKind {
    /// A function of that name.
    Function(String),
    /// A type, trait, or constant of that name.
    Named(String),
    /// A type alias, and the target's name if it may be in this module.
    Alias(String, Option<String>),
    /// An `impl` block for a type, and perhaps of a trait.
    Impl {
        /// The type's name, if it may be in this module.
        self_type: Option<String>,
        /// The trait's name, if it may be in this module.
        of_trait: Option<String>,
    },
}

/// The role of an item in its bundle.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Link the bundle of these items, the first of which is the item itself.
    Lead(Vec<String>),
    /// Do nothing: another item leads.
    Follow,
    /// Report recursion through these functions, one of which is the item.
    Recursion(Vec<String>),
    /// Do nothing, and carry nothing: another item reports the error.
    Wrong,
    /// Report an `impl` block for neither a type nor a trait of this module.
    Stray,
    /// Report that the rest of the bundle was linked before this item was registered.
    Late,
}

/// All items registered so far.
#[derive(Debug)]
pub(crate) struct Registry {
    items: Vec<RegisteredItem>,
    /// The index of each id.
    indices: BTreeMap<String, usize>,
    /// By index: true if the item is in a bundle that was linked.
    is_bundled: Vec<bool>,
    /// By scope: the dependency graph, and the number of items when it was computed.
    graphs: BTreeMap<String, (usize, DependencyGraph)>,
}

impl Registry {
    /// Creates an empty registry.
    pub(crate) const fn new() -> Self {
        Self {
            items: Vec::new(),
            indices: BTreeMap::new(),
            is_bundled: Vec::new(),
            graphs: BTreeMap::new(),
        }
    }

    /// Adds an item.
    pub(crate) fn register(&mut self, item: RegisteredItem) {
        self.indices.insert(item.id.clone(), self.items.len());
        self.items.push(item);
        self.is_bundled.push(false);
    }

    /// Returns the role of the item with this id, once all other items are registered.
    pub(crate) fn task_of(&mut self, id: &str) -> Task {
        let Some(&me) = self.indices.get(id) else { return Task::Wrong };
        let known = self.graphs.get(&self.items[me].scope);
        if known.is_none_or(|(count, _)| *count != self.items.len()) {
            let graph = (self.items.len(), DependencyGraph::of_scope(&self.items, me));
            self.graphs.insert(self.items[me].scope.clone(), graph);
        }
        let (_, graph) = &self.graphs[&self.items[me].scope];
        // The first applicable error is reported; the later ones may be consequences of it.
        if graph.strays.contains(&me) {
            return Task::Stray;
        }
        let (members, depth) = &graph.bundles[graph.bundle_of[&me]];
        let cycle_from = |&member: &usize| find_cycle(member, &graph.calls);
        let has_cycle = members.len() > 1;
        if let Some(cycle) = members.iter().filter(|_| has_cycle).find_map(cycle_from) {
            return self.recursion_task(me, cycle);
        }
        // Reported when the first of them is linked.
        if *depth > MAX_NESTED_ITEMS + 1 {
            return Task::Wrong;
        }
        if members.iter().any(|&member| !self.items[member].is_sound) {
            return Task::Wrong;
        }
        let leader = members[0];
        if leader == me {
            members.iter().for_each(|&member| self.is_bundled[member] = true);
            return Task::Lead(members.iter().map(|&it| self.items[it].id.clone()).collect());
        }
        if self.is_bundled[leader] && !self.is_bundled[me] { Task::Late } else { Task::Follow }
    }

    /// Returns the role of `me` in a bundle with a call cycle: the last item of the cycle reports
    /// it.
    fn recursion_task(&self, me: usize, mut cycle: Vec<usize>) -> Task {
        match cycle.iter().enumerate().max_by_key(|(_, item)| **item) {
            Some((at, &item)) if item == me => {
                cycle.rotate_left(at);
                let names = cycle.iter().filter_map(|&item| self.items[item].kind.name());
                Task::Recursion(names.map(str::to_owned).collect())
            }
            _ => Task::Wrong,
        }
    }
}

impl ItemKind {
    fn name(&self) -> Option<&str> {
        match self {
            Self::Function(name) | Self::Named(name) | Self::Alias(name, _) => Some(name),
            Self::Impl { .. } => None,
        }
    }
}

/// The dependency graph of one scope, by item index.
#[derive(Debug)]
struct DependencyGraph {
    /// Strongly connected components, and the length of the longest chain of components from each
    /// one on.
    bundles: Vec<(Vec<usize>, usize)>,
    /// The component of each item.
    bundle_of: BTreeMap<usize, usize>,
    /// The calls among functions.
    calls: Edges,
    /// `impl` blocks for nothing in this scope.
    strays: Vec<usize>,
}

type Edges = BTreeMap<usize, Vec<usize>>;

impl DependencyGraph {
    /// Builds the graph of the scope of `me`.
    fn of_scope(items: &[RegisteredItem], me: usize) -> Self {
        let here = || items.iter().enumerate().filter(|(_, item)| item.scope == items[me].scope);
        let mut by_name = BTreeMap::<&str, Vec<usize>>::new();
        for (index, item) in here() {
            by_name.entry(item.kind.name().unwrap_or_default()).or_default().push(index);
        }
        // A name is ambiguous if one `macro_rules!` produces several modules. Then an item from the
        // same call wins, or else the nearest: related items are expanded together.
        let named = |name: &str, from: usize| {
            let found = by_name.get(name)?.iter().copied();
            found.min_by_key(|&index| {
                (items[index].expansion != items[from].expansion, index.abs_diff(from))
            })
        };
        let is_function = |index: usize| matches!(items[index].kind, ItemKind::Function(_));
        let (mut all, mut calls, mut strays) = (Edges::new(), Edges::new(), Vec::new());
        for (index, item) in here() {
            let needs: Vec<usize> =
                item.needs.iter().filter_map(|name| named(name, index)).collect();
            if is_function(index) {
                calls.insert(index, needs.iter().copied().filter(|&to| is_function(to)).collect());
            }
            all.entry(index).or_default().extend(needs);
            if let ItemKind::Impl { self_type, of_trait } = &item.kind {
                // Follow aliases; rustc rejects cyclic ones.
                let owner = |name: &Option<String>| {
                    let mut owner = named(name.as_deref()?, index)?;
                    for _ in items {
                        let ItemKind::Alias(_, of) = &items[owner].kind else { return Some(owner) };
                        owner = named(of.as_deref()?, owner)?;
                    }
                    None
                };
                match owner(self_type).or_else(|| owner(of_trait)) {
                    // The type brings its `impl` along; if it is elsewhere, the trait does.
                    Some(owner) => all.entry(owner).or_default().push(index),
                    None => strays.push(index),
                }
            }
        }
        let bundles = strongly_connected(&all);
        let members = bundles.iter().enumerate();
        let bundle_of = members
            .flat_map(|(at, (members, _))| members.iter().map(move |&it| (it, at)))
            .collect();
        Self { bundles, bundle_of, calls, strays }
    }
}

/// Returns the strongly connected components of `edges`, each sorted and after the components that
/// it leads to, with the length of the longest chain of components that it begins.
fn strongly_connected(edges: &Edges) -> Vec<(Vec<usize>, usize)> {
    let mut back = Edges::new();
    for (&from, targets) in edges {
        targets.iter().for_each(|&to| back.entry(to).or_default().push(from));
    }
    // Kosaraju's algorithm: search backwards from the items in the reverse order in which the
    // forward search finished them.
    let (mut seen, mut left) = (BTreeSet::new(), Vec::new());
    for &start in edges.keys() {
        search_postorder(start, edges, &mut seen, &mut left);
    }
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for &start in left.iter().rev() {
        let mut members = Vec::new();
        search_postorder(start, &back, &mut seen, &mut members);
        members.sort_unstable();
        found.extend((!members.is_empty()).then_some((members, 1)));
    }
    found.reverse();
    let mut depths = BTreeMap::new();
    for (members, depth) in &mut found {
        let next = members.iter().filter_map(|member| edges.get(member)).flatten();
        *depth += next.filter_map(|next| depths.get(next)).max().unwrap_or(&0);
        depths.extend(members.iter().map(|&member| (member, *depth)));
    }
    found
}

/// Appends the unseen items reachable from `start` to `left`, in postorder.
fn search_postorder(
    start: usize,
    edges: &Edges,
    seen: &mut BTreeSet<usize>,
    left: &mut Vec<usize>,
) {
    let next_of = |item: usize| edges.get(&item).map_or(&[][..], Vec::as_slice).iter();
    let mut open = Vec::new();
    if seen.insert(start) {
        open.push((start, next_of(start)));
    }
    while let Some((item, next)) = open.last_mut() {
        match next.next() {
            Some(&next) => {
                if seen.insert(next) {
                    open.push((next, next_of(next)));
                }
            }
            None => {
                left.push(*item);
                open.pop();
            }
        }
    }
}

/// Returns a cycle of at least two items through `start`.
fn find_cycle(start: usize, edges: &Edges) -> Option<Vec<usize>> {
    let (mut seen, mut open) = (BTreeSet::from([start]), vec![vec![start]]);
    while let Some(path) = open.pop() {
        let last = *path.last()?;
        for &next in edges.get(&last).into_iter().flatten() {
            if next == start && path.len() > 1 {
                return Some(path);
            }
            if seen.insert(next) {
                open.push(path.iter().copied().chain([next]).collect());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scope#expansion name: needs`, where the expansion may be left out, and a name is `f`,
    /// `Type`, `type Alias Type`, `impl Type` or `impl Trait for Type`.
    fn registry(items: &[&str]) -> Registry {
        let mut registry = Registry::new();
        for (index, text) in items.iter().enumerate() {
            let (head, needs) = text.split_once(':').unwrap();
            let (scope, name) = head.split_once(' ').unwrap();
            let kind = match name.split(' ').collect::<Vec<_>>().as_slice() {
                ["impl", of] => ItemKind::Impl { self_type: Some((*of).into()), of_trait: None },
                ["impl", by, "for", of] => {
                    ItemKind::Impl { self_type: Some((*of).into()), of_trait: Some((*by).into()) }
                }
                ["type", name, of] => ItemKind::Alias((*name).into(), Some((*of).into())),
                [name] if name.starts_with(char::is_uppercase) => ItemKind::Named((*name).into()),
                _ => ItemKind::Function(name.into()),
            };
            let needs = needs.split_whitespace().map(str::to_owned).collect();
            let (scope, expansion) = scope.split_once('#').unwrap_or((scope, ""));
            let (scope, expansion) = (scope.into(), expansion.into());
            registry.register(RegisteredItem {
                scope,
                expansion,
                id: index.to_string(),
                kind,
                needs,
                is_sound: true,
            });
        }
        registry
    }

    /// Registers the items and returns the task of each, in order.
    fn tasks(items: &[&str]) -> Vec<String> {
        let mut registry = registry(items);
        let tasks = (0..items.len()).map(|index| match registry.task_of(&index.to_string()) {
            Task::Lead(ids) => ids.concat(),
            Task::Recursion(names) => names.join(">"),
            other => format!("{other:?}"),
        });
        tasks.collect()
    }

    #[test]
    fn items_that_need_each_other_are_a_bundle() {
        let vectors = [
            "m Vec3:",
            "m impl Vec3: Vec3 Mat3 norm",
            "m Mat3: Vec3",
            "m impl Mat3: Mat3 Vec3",
            "m norm: Vec3 half",
            "m half:",
            "m user: Vec3 norm",
        ];
        assert_eq!(tasks(&vectors), ["01234", "Follow", "Follow", "Follow", "Follow", "5", "6"]);
    }

    #[test]
    fn impls_go_with_the_type_or_with_the_trait() {
        let items = [
            "m Area:",
            "m Disc:",
            "m impl Area for Disc: Area Disc",
            "m impl Area for f32: Area",
            "m impl Other for Disc: Other Disc",
            "m impl Foo: Foo",
            "m impl Other for f32: Other",
        ];
        let expected = ["03", "124", "Follow", "Follow", "Follow", "Stray", "Stray"];
        assert_eq!(tasks(&items), expected);
    }

    #[test]
    fn impls_for_an_alias_are_bundled_with_its_type() {
        let items = [
            "m Rgb:",
            "m type Colour Rgb: Rgb",
            "m impl Add for Colour: Colour",
            "m type Pair Far: Far",
            "m impl Area for Pair: Area Pair",
            "m Area:",
        ];
        assert_eq!(tasks(&items), ["012", "Follow", "Follow", "3", "45", "Follow"]);
        assert_eq!(tasks(&["m type A B: B", "m type B A: A", "m impl A: A"])[2], "Stray");
    }

    #[test]
    fn modules_are_apart() {
        let items = ["a P: Q", "b P:", "a impl P: P", "b impl P: P", "b Q: P"];
        assert_eq!(tasks(&items), ["02", "13", "Follow", "Follow", "4"]);
        let twins = ["m#1 impl P: P", "m#2 impl P: P", "m#2 P:", "m#1 P:", "m P:", "m impl P: P"];
        assert_eq!(tasks(&twins), ["03", "12", "Follow", "Follow", "45", "Follow"]);
    }

    #[test]
    fn recursion_is_reported_once() {
        assert_eq!(tasks(&["m even: odd", "m odd: x even"]), ["Wrong", "odd>even"]);
        let long = ["m a: d b", "m b: c", "m c: a", "m d:", "m e: a"];
        assert_eq!(tasks(&long), ["Wrong", "Wrong", "c>a>b", "3", "4"]);
        assert_eq!(tasks(&["m a: b c", "m b: c", "m c:"]), ["0", "1", "2"]);
        assert_eq!(tasks(&["m a: b", "n b: a"]), ["0", "1"]);
    }

    #[test]
    fn too_long_chains_of_needs_are_wrong() {
        let mut items = vec!["m f0:".to_owned()];
        items.extend((1..1000).map(|at| format!("m f{at}: f{}", at - 1)));
        let items: Vec<&str> = items.iter().map(String::as_str).collect();
        let tasks = tasks(&items);
        assert_eq!(tasks.iter().position(|task| task == "Wrong"), Some(MAX_NESTED_ITEMS + 1));
        assert!(tasks[MAX_NESTED_ITEMS + 1..].iter().all(|task| task == "Wrong"));
    }

    #[test]
    fn bundles_with_a_wrong_item_are_wrong() {
        let mut registry = registry(&["m impl P: P", "m P:", "m f: P"]);
        registry.items[1].is_sound = false;
        assert_eq!(registry.task_of("0"), Task::Wrong);
        assert_eq!(registry.task_of("2"), Task::Lead(vec!["2".into()]));
    }

    #[test]
    fn items_registered_too_late_are_reported() {
        let mut registry = registry(&["m P:"]);
        assert_eq!(registry.task_of("0"), Task::Lead(vec!["0".into()]));
        let kind = ItemKind::Impl { self_type: Some("P".into()), of_trait: None };
        let (scope, expansion, id) = ("m".into(), String::new(), "late".into());
        let needs = vec!["P".into()];
        registry.register(RegisteredItem { scope, expansion, id, kind, needs, is_sound: true });
        assert_eq!(registry.task_of("late"), Task::Late);
    }
}
