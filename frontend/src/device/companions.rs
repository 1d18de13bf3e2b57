//! The `#[device]` items of a module, and which of them have to travel together.
//!
//! A type needs the `impl` blocks that are for it, and those need the type; a method may need a
//! function that takes the type. Macros that wait for each other would wait for ever, so items
//! that need each other are one *bundle*, which one of them, the first in the source, makes of
//! all. No macro can resolve a path; but names without a path, in one module or block (see
//! [`source`](crate::resolve::source_map)), are enough, because only those can be put together at one place.
//!
//! What is known here is plain data of this run of the compiler: tokens cannot be kept from one
//! call of a macro to the next. An item is registered when its attribute is expanded, and asks for
//! its bundle later, when all others of its crate were.
use crate::device::linked_items::MAX_NESTED_ITEMS;
use std::collections::{BTreeMap, BTreeSet};

/// A `#[device]` item.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// What names its module or block.
    pub(crate) scope: String,
    /// The call of a `macro_rules!` that it is from, see [`expansion`](crate::resolve::source_map::expansion).
    pub(crate) expansion: String,
    /// Its own, unique one.
    pub(crate) id: String,
    /// What it is.
    pub(crate) kind: Kind,
    /// Names of this module that it needs, if the module has them.
    pub(crate) needs: Vec<String>,
    /// Whether it is without errors. If not, there is nothing to carry of it.
    pub(crate) sound: bool,
}

/// What an item is.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A function of that name.
    Function(String),
    /// A type, trait, or constant of that name.
    Named(String),
    /// Another name for a type, and that type's name, if it may be of this module.
    Alias(String, Option<String>),
    /// An `impl` block for a type, and perhaps of a trait, of these names.
    Impl {
        /// The type's name, if it is of this module.
        of: Option<String>,
        /// The trait's name, if it is of this module.
        by: Option<String>,
    },
}

/// What an item is to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Make a bundle of these: it is the first of them.
    Lead(Vec<String>),
    /// Nothing: another one leads.
    Follow,
    /// Say that it calls itself through these functions, all of which it is one of.
    Recursion(Vec<String>),
    /// Nothing, and nothing can be made of it: another one says why.
    Wrong,
    /// Say that it is an `impl` block of nothing that this module has.
    Stray,
    /// Say that the others of its bundle did not wait for it.
    Late,
}

/// All items so far.
#[derive(Debug)]
pub(crate) struct Registry {
    items: Vec<Known>,
    /// The index of each id.
    indices: BTreeMap<String, usize>,
    /// Of the same indices: whether the item is in a bundle that was made.
    bundled: Vec<bool>,
    /// By scope: what leads where in it, and how many items there were when that was found out.
    graphs: BTreeMap<String, (usize, Graph)>,
}

impl Registry {
    /// Nothing.
    pub(crate) const fn new() -> Self {
        Self {
            items: Vec::new(),
            indices: BTreeMap::new(),
            bundled: Vec::new(),
            graphs: BTreeMap::new(),
        }
    }

    /// Notes an item.
    pub(crate) fn register(&mut self, item: Known) {
        self.indices.insert(item.id.clone(), self.items.len());
        self.items.push(item);
        self.bundled.push(false);
    }

    /// What the item with this id is to do, all others being registered.
    pub(crate) fn task(&mut self, id: &str) -> Task {
        let Some(&me) = self.indices.get(id) else { return Task::Wrong };
        let known = self.graphs.get(&self.items[me].scope);
        if known.is_none_or(|(count, _)| *count != self.items.len()) {
            let graph = (self.items.len(), Graph::around(&self.items, me));
            self.graphs.insert(self.items[me].scope.clone(), graph);
        }
        let (_, graph) = &self.graphs[&self.items[me].scope];
        if graph.strays.contains(&me) {
            return Task::Stray;
        }
        let (members, depth) = &graph.bundles[graph.bundle_of[&me]];
        let circle_from = |&member: &usize| circle(member, &graph.calls);
        let has_circle = members.len() > 1;
        if let Some(circle) = members.iter().filter(|_| has_circle).find_map(circle_from) {
            return self.recursion(me, circle);
        }
        // Reported where the first of them is linked.
        if *depth > MAX_NESTED_ITEMS + 1 {
            return Task::Wrong;
        }
        if members.iter().any(|&member| !self.items[member].sound) {
            return Task::Wrong;
        }
        let leader = members[0];
        if leader == me {
            members.iter().for_each(|&member| self.bundled[member] = true);
            return Task::Lead(members.iter().map(|&it| self.items[it].id.clone()).collect());
        }
        if self.bundled[leader] && !self.bundled[me] { Task::Late } else { Task::Follow }
    }

    /// What `me`, whose bundle has a circle of calls, has to say of it.
    fn recursion(&self, me: usize, mut circle: Vec<usize>) -> Task {
        match circle.iter().enumerate().max_by_key(|(_, item)| **item) {
            Some((at, &item)) if item == me => {
                circle.rotate_left(at);
                let names = circle.iter().filter_map(|&item| self.items[item].kind.name());
                Task::Recursion(names.map(str::to_owned).collect())
            }
            _ => Task::Wrong,
        }
    }
}

impl Kind {
    fn name(&self) -> Option<&str> {
        match self {
            Self::Function(name) | Self::Named(name) | Self::Alias(name, _) => Some(name),
            Self::Impl { .. } => None,
        }
    }
}

/// What leads from item to item in one scope, by their indices.
#[derive(Debug)]
struct Graph {
    /// Items that need each other, in order, and how many bundles need each other in a row from this one on.
    bundles: Vec<(Vec<usize>, usize)>,
    /// The bundle that an item is in.
    bundle_of: BTreeMap<usize, usize>,
    /// What leads from functions to functions.
    calls: Edges,
    /// `impl` blocks for nothing that is here.
    strays: Vec<usize>,
}

type Edges = BTreeMap<usize, Vec<usize>>;

impl Graph {
    /// Of the scope that `me` is in.
    fn around(items: &[Known], me: usize) -> Self {
        let here = || items.iter().enumerate().filter(|(_, item)| item.scope == items[me].scope);
        let mut by_name = BTreeMap::<&str, Vec<usize>>::new();
        for (index, item) in here() {
            by_name.entry(item.kind.name().unwrap_or_default()).or_default().push(index);
        }
        // Several have a name where one `macro_rules!` makes several modules: then that of the
        // same call, or the nearest, because what belongs together is expanded together.
        let named = |name: &str, from: usize| {
            let found = by_name.get(name)?.iter().copied();
            found.min_by_key(|&index| {
                (items[index].expansion != items[from].expansion, index.abs_diff(from))
            })
        };
        let is_function = |index: usize| matches!(items[index].kind, Kind::Function(_));
        let (mut all, mut calls, mut strays) = (Edges::new(), Edges::new(), Vec::new());
        for (index, item) in here() {
            let needs: Vec<usize> =
                item.needs.iter().filter_map(|name| named(name, index)).collect();
            if is_function(index) {
                calls.insert(index, needs.iter().copied().filter(|&to| is_function(to)).collect());
            }
            all.entry(index).or_default().extend(needs);
            if let Kind::Impl { of, by } = &item.kind {
                // What an alias stands for; rustc refuses aliases that go in a circle.
                let owner = |name: &Option<String>| {
                    let mut owner = named(name.as_deref()?, index)?;
                    for _ in items {
                        let Kind::Alias(_, of) = &items[owner].kind else { return Some(owner) };
                        owner = named(of.as_deref()?, owner)?;
                    }
                    None
                };
                match owner(of).or_else(|| owner(by)) {
                    // The type brings it along; without one here, the trait.
                    Some(owner) => all.entry(owner).or_default().push(index),
                    None => strays.push(index),
                }
            }
        }
        let bundles = bundles(&all);
        let members = bundles.iter().enumerate();
        let bundle_of = members
            .flat_map(|(at, (members, _))| members.iter().map(move |&it| (it, at)))
            .collect();
        Self { bundles, bundle_of, calls, strays }
    }
}

/// The sets of items that `edges` lead from and back to, each in order and after those that it leads to, with the length of
/// the longest row of them that it leads to.
fn bundles(edges: &Edges) -> Vec<(Vec<usize>, usize)> {
    let mut back = Edges::new();
    for (&from, targets) in edges {
        targets.iter().for_each(|&to| back.entry(to).or_default().push(from));
    }
    // Kosaraju's algorithm: what is left last by a search along the edges begins a search against them.
    let (mut seen, mut left) = (BTreeSet::new(), Vec::new());
    for &start in edges.keys() {
        search(start, edges, &mut seen, &mut left);
    }
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for &start in left.iter().rev() {
        let mut members = Vec::new();
        search(start, &back, &mut seen, &mut members);
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

/// Adds to `left` what `edges` lead to from `start`, with `start`, unless it was seen: each item after those that it leads to.
fn search(start: usize, edges: &Edges, seen: &mut BTreeSet<usize>, left: &mut Vec<usize>) {
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

/// Items from `start` on, of which each leads to the next and the last, another one, to it.
fn circle(start: usize, edges: &Edges) -> Option<Vec<usize>> {
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
                ["impl", of] => Kind::Impl { of: Some((*of).into()), by: None },
                ["impl", by, "for", of] => {
                    Kind::Impl { of: Some((*of).into()), by: Some((*by).into()) }
                }
                ["type", name, of] => Kind::Alias((*name).into(), Some((*of).into())),
                [name] if name.starts_with(char::is_uppercase) => Kind::Named((*name).into()),
                _ => Kind::Function(name.into()),
            };
            let needs = needs.split_whitespace().map(str::to_owned).collect();
            let (scope, expansion) = scope.split_once('#').unwrap_or((scope, ""));
            let (scope, expansion) = (scope.into(), expansion.into());
            registry.register(Known {
                scope,
                expansion,
                id: index.to_string(),
                kind,
                needs,
                sound: true,
            });
        }
        registry
    }

    /// What each item is told, one after another.
    fn tasks(items: &[&str]) -> Vec<String> {
        let mut registry = registry(items);
        let tasks = (0..items.len()).map(|index| match registry.task(&index.to_string()) {
            Task::Lead(ids) => ids.concat(),
            Task::Recursion(names) => names.join(">"),
            other => format!("{other:?}"),
        });
        tasks.collect()
    }

    #[test]
    fn what_needs_each_other_is_a_bundle() {
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
    fn impls_for_an_alias_go_with_what_it_stands_for() {
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
    fn recursion_is_told_once() {
        assert_eq!(tasks(&["m even: odd", "m odd: x even"]), ["Wrong", "odd>even"]);
        let long = ["m a: d b", "m b: c", "m c: a", "m d:", "m e: a"];
        assert_eq!(tasks(&long), ["Wrong", "Wrong", "c>a>b", "3", "4"]);
        assert_eq!(tasks(&["m a: b c", "m b: c", "m c:"]), ["0", "1", "2"]);
        assert_eq!(tasks(&["m a: b", "n b: a"]), ["0", "1"]);
    }

    #[test]
    fn what_needs_too_many_in_a_row_is_wrong() {
        let mut items = vec!["m f0:".to_owned()];
        items.extend((1..1000).map(|at| format!("m f{at}: f{}", at - 1)));
        let items: Vec<&str> = items.iter().map(String::as_str).collect();
        let tasks = tasks(&items);
        assert_eq!(tasks.iter().position(|task| task == "Wrong"), Some(MAX_NESTED_ITEMS + 1));
        assert!(tasks[MAX_NESTED_ITEMS + 1..].iter().all(|task| task == "Wrong"));
    }

    #[test]
    fn nothing_is_made_of_what_is_wrong() {
        let mut registry = registry(&["m impl P: P", "m P:", "m f: P"]);
        registry.items[1].sound = false;
        assert_eq!(registry.task("0"), Task::Wrong);
        assert_eq!(registry.task("2"), Task::Lead(vec!["2".into()]));
    }

    #[test]
    fn who_comes_too_late_is_told() {
        let mut registry = registry(&["m P:"]);
        assert_eq!(registry.task("0"), Task::Lead(vec!["0".into()]));
        let kind = Kind::Impl { of: Some("P".into()), by: None };
        let (scope, expansion, id) = ("m".into(), String::new(), "late".into());
        let needs = vec!["P".into()];
        registry.register(Known { scope, expansion, id, kind, needs, sound: true });
        assert_eq!(registry.task("late"), Task::Late);
    }
}
