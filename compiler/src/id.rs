//! Typed indices, and the tables that they index.
//!
//! A [`Table`] owns the items of one kind in a kernel; an [`Id`] names one of them and prints as
//! its text form (`%3`). [`Facts`] is a side table: one fact for each item of a table.
//!
//! All index functions are always inlined, also in macros, which are built without optimization.
use std::{fmt, marker::PhantomData, ops};

/// A 32-bit index that only indexes tables of its own kind.
pub trait Id: Copy + Eq + fmt::Display {
    /// Wraps a raw index.
    fn new(index: usize) -> Self;
    /// Returns the raw index.
    fn index(self) -> usize;
}

/// Declares an id type: `id!(InstId, "%")` prints as `%12`.
#[macro_export]
macro_rules! id {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);
        impl $crate::id::Id for $name {
            #[inline(always)]
            fn new(index: usize) -> Self {
                assert!(index <= u32::MAX as usize, "a kernel has fewer than 2^32 of anything");
                Self(index as u32)
            }
            #[inline(always)]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($prefix)?;
                std::fmt::Display::fmt(&self.0, f)
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// Owns every `T` of a kernel; pushing yields its id.
#[derive(Clone, PartialEq, Eq)]
pub struct Table<I, T> {
    items: Vec<T>,
    id: PhantomData<I>,
}

impl<I: Id, T> Table<I, T> {
    /// Creates an empty table.
    pub const fn new() -> Self {
        Self { items: Vec::new(), id: PhantomData }
    }
    /// Creates an empty table with room for `items`.
    pub fn with_capacity(items: usize) -> Self {
        Self { items: Vec::with_capacity(items), id: PhantomData }
    }
    /// Appends `item`.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }
    /// Returns the item, or `None` if `id` was made for another table.
    #[inline(always)]
    pub fn get(&self, id: I) -> Option<&T> {
        if id.index() < self.items.len() { Some(&self.items[id.index()]) } else { None }
    }
    /// Returns every id, in definition order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        Ids { next: 0, end: self.items.len(), id: PhantomData }
    }
    /// Returns every item with its id, in definition order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        Items { next: 0, end: self.items.len(), items: &self.items, id: PhantomData }
    }
    /// Returns every item, to edit in place.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut()
    }
    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Returns true if there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// Creates a side table with `fact` for each item.
    pub fn facts<F: Copy>(&self, fact: F) -> Facts<I, F> {
        // Doubling what is there takes a few copies; `vec!` would make one fact after the other.
        Facts { items: [fact].repeat(self.items.len()).into_boxed_slice(), id: PhantomData }
    }
    /// Creates a side table of facts that can only be cloned.
    pub fn cloned_facts<F: Clone>(&self, fact: F) -> Facts<I, F> {
        Facts { items: vec![fact; self.items.len()].into_boxed_slice(), id: PhantomData }
    }
    /// Creates a side table with an empty list for each item.
    pub fn lists<F>(&self) -> Lists<I, F> {
        Lists { number: self.facts(0), lists: vec![Vec::new()] }
    }
}

/// An iterator over the ids of a table. Like [`Items`] it is hand-written: in macros, which are
/// built without optimization, std's iterators take several times as long.
struct Ids<I> {
    next: usize,
    end: usize,
    id: PhantomData<I>,
}

impl<I: Id> Iterator for Ids<I> {
    type Item = I;
    fn next(&mut self) -> Option<I> {
        let at = self.next;
        if at == self.end {
            return None;
        }
        self.next = at + 1;
        Some(I::new(at))
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.next;
        (left, Some(left))
    }
}
impl<I: Id> DoubleEndedIterator for Ids<I> {
    fn next_back(&mut self) -> Option<I> {
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        Some(I::new(self.end))
    }
}

/// An iterator over the items of a table with their ids.
struct Items<'t, I, T> {
    next: usize,
    end: usize,
    items: &'t [T],
    id: PhantomData<I>,
}

impl<'t, I: Id, T> Items<'t, I, T> {
    #[inline(always)]
    fn step(&mut self) -> Option<(I, &'t T)> {
        let at = self.next;
        if at == self.end {
            return None;
        }
        self.next = at + 1;
        Some((I::new(at), &self.items[at]))
    }
}

/// The searches are written out: std's, by `try_fold`, take a few times as long.
impl<'t, I: Id, T> Iterator for Items<'t, I, T> {
    type Item = (I, &'t T);
    fn next(&mut self) -> Option<(I, &'t T)> {
        self.step()
    }
    fn any<F: FnMut(Self::Item) -> bool>(&mut self, mut is: F) -> bool {
        while let Some(item) = self.step() {
            if is(item) {
                return true;
            }
        }
        false
    }
    fn find<P: FnMut(&Self::Item) -> bool>(&mut self, mut is: P) -> Option<Self::Item> {
        while let Some(item) = self.step() {
            if is(&item) {
                return Some(item);
            }
        }
        None
    }
    fn find_map<B, F: FnMut(Self::Item) -> Option<B>>(&mut self, mut of: F) -> Option<B> {
        while let Some(item) = self.step() {
            let found = of(item);
            if found.is_some() {
                return found;
            }
        }
        None
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.next;
        (left, Some(left))
    }
}
impl<I: Id, T> DoubleEndedIterator for Items<'_, I, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        Some((I::new(self.end), &self.items[self.end]))
    }
}

impl<I: Id, T> Default for Table<I, T> {
    fn default() -> Self {
        Self::new()
    }
}
impl<I: Id, T> FromIterator<T> for Table<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        Self { items: items.into_iter().collect(), id: PhantomData }
    }
}
impl<I, T> IntoIterator for Table<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}
impl<I: Id, T> ops::Index<I> for Table<I, T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}
impl<I: Id, T> ops::IndexMut<I> for Table<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}
impl<I: Id + fmt::Debug, T: fmt::Debug> fmt::Debug for Table<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// A side table: one fact for each item of a [`Table`]. A box rather than a list: without
/// optimization, as macros are built, indexing it takes a fraction of the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts<I, F> {
    items: Box<[F]>,
    id: PhantomData<I>,
}

/// A list for each item of a [`Table`], for tables in which few lists are not empty.
#[derive(Clone, Debug)]
pub struct Lists<I, F> {
    /// The index of each item's list; 0, the list that stays empty, for items without one.
    number: Facts<I, usize>,
    lists: Vec<Vec<F>>,
}

impl<I: Id, F> Lists<I, F> {
    /// Returns the list of `id`, to add to.
    pub fn list_mut(&mut self, id: I) -> &mut Vec<F> {
        if self.number[id] == 0 {
            self.number[id] = self.lists.len();
            self.lists.push(Vec::new());
        }
        &mut self.lists[self.number[id]]
    }
}

impl<I: Id, F> ops::Index<I> for Lists<I, F> {
    type Output = [F];
    fn index(&self, id: I) -> &[F] {
        &self.lists[self.number[id]]
    }
}

impl<I: Id, F> ops::Index<I> for Facts<I, F> {
    type Output = F;
    #[inline(always)]
    fn index(&self, id: I) -> &F {
        &self.items[id.index()]
    }
}
impl<I: Id, F> ops::IndexMut<I> for Facts<I, F> {
    #[inline(always)]
    fn index_mut(&mut self, id: I) -> &mut F {
        &mut self.items[id.index()]
    }
}
