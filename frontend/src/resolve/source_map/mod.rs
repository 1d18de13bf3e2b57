//! The user's source files, as the source of scopes and imports that rustc does not tell a macro.
//!
//! A macro does not learn the module of its tokens. Their position shows the innermost `{ .. }` of
//! the file that contains them, and thereby which items are in one module or block. Braces of
//! `macro_rules!` and macro calls are not scopes. Two modules from one `macro_rules!` look like one
//! module.
//!
//! A macro does not learn the targets of names, either. The file's `use`s of std and of enum
//! variants show these, and its items without `#[device]` make better error messages.
mod attributes;
mod blocks;
mod crates;
mod items;
mod macros;
mod modules;
mod names;
mod scanner;

pub(crate) use crate::resolve::source_map::{items::HostItem, modules::ItemElsewhere};
use crate::{
    resolve::source_map::{
        names::FileNames,
        scanner::{BraceKind, Braces, Scanner, find_braces, innermost_open, is_name},
    },
    syntax::place::SourceLocation,
};
use proc_macro2::{Ident, Span, TokenStream};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};
use syn::{ItemUse, UseTree};

/// Returns an identifier of the module or block around `span`: the position of its brace. The file
/// name if the file cannot be read, and empty outside of rustc.
pub(crate) fn scope_id(span: Span) -> String {
    if !proc_macro::is_available() {
        return String::new();
    }
    let SourceLocation { file, line, column } = SourceLocation::start_of(span);
    match with_file(span, |file| innermost_open(file.scopes(), (line, column))).flatten() {
        Some((line, column)) => format!("{file}:{line}:{column}"),
        None => file,
    }
}

/// Returns the std path that a `use` in the file imports under this name: `std::f32::consts::PI`.
/// `None` if there is no such `use` in the module or in the blocks around it.
pub(crate) fn imported_std_path(name: &Ident) -> Option<String> {
    imported_path(name, |file| &file.imports)
}

/// Returns the path of a name among `imports` of its file, by the innermost `use` around it.
fn imported_path(name: &Ident, imports: fn(&SourceFile) -> &[Import]) -> Option<String> {
    if !proc_macro::is_available() {
        return None;
    }
    let (SourceLocation { line, column, .. }, text) =
        (SourceLocation::start_of(name.span()), name.to_string());
    let found = |file: &SourceFile| {
        find_import(imports(file), file, &text, (line, column)).map(str::to_owned)
    };
    with_file(name.span(), found).flatten()
}

/// Returns the std path of a type that needs its full path to be recognized: a renamed type,
/// `std::cmp::Ordering`, one of its variants, or an iterator. `None` if the file imports no such
/// type, or kernel code does not know it.
pub(crate) fn imported_std_type(name: &Ident) -> Option<String> {
    const TYPES: [&str; 4] =
        ["::cmp::Ordering", "::cmp::Reverse", "::num::Wrapping", "::ops::ControlFlow"];
    const ITERATORS: [&str; 3] = ["array", "iter", "slice"];
    let path = imported_std_path(name)?;
    let is_type = TYPES.iter().any(|ty| path.ends_with(ty))
        || path.contains("::sync::atomic::")
        || path.contains("::ops::Range");
    let (parent, own_name) = path.rsplit_once("::")?;
    let is_variant = TYPES.iter().any(|ty| parent.ends_with(ty));
    let is_iterator =
        parent.split_once("::").is_some_and(|(_, module)| ITERATORS.contains(&module));
    let is_known = is_variant
        || is_type && name != own_name
        || is_iterator && !crate::resolve::paths::known::is_known_trait(own_name);
    is_known.then_some(path)
}

/// Returns the path of the atomics' `Ordering`, if `name` refers to it: by a `use` in its file, or
/// by a glob import, where no `use` says otherwise.
pub(crate) fn atomic_ordering(name: &Ident) -> Option<String> {
    const PATH: &str = "std::sync::atomic::Ordering";
    if name != "Ordering" || !proc_macro::is_available() {
        return None;
    }
    let is_of_atomics = |path: String| path.ends_with("::sync::atomic::Ordering");
    imported_std_path(name).is_none_or(is_of_atomics).then(|| PATH.to_owned())
}

/// Returns the `#[device]` traits in the file of `method`, declared or imported in its module, that
/// declare a function of this name.
pub(crate) fn device_traits_with(method: &Ident) -> Vec<String> {
    if !proc_macro::is_available() {
        return Vec::new();
    }
    let (SourceLocation { line, column, .. }, text) =
        (SourceLocation::start_of(method.span()), method.to_string());
    let found = |file: &SourceFile| items::device_traits_with(file, &text, (line, column));
    with_file(method.span(), found).unwrap_or_default()
}

/// Returns the host blocks in the file of `span` that give the type `ty` a function or a constant
/// of this name, as messages name them. The macro that carries a device function to a kernel may
/// have produced `span`.
pub(crate) fn host_blocks_with(span: Span, member: &str, ty: &str) -> Vec<String> {
    if !proc_macro::is_available() {
        return Vec::new();
    }
    let found = |file: &SourceFile| items::host_blocks_with(file, member, ty);
    with_file(span, found).unwrap_or_default()
}

/// Returns the traits that `#[derive(..)]` attributes above the attribute at `span` name. An
/// attribute macro does not get the attributes above it.
pub(crate) fn derives_above(span: Span) -> Vec<String> {
    if !proc_macro::is_available() {
        return Vec::new();
    }
    let SourceLocation { line, column, .. } = SourceLocation::start_of(span);
    with_file(span, |file| attributes::derives_above(file, (line, column))).unwrap_or_default()
}

/// Returns the path of the item of Warpwise that a `use` in the file gives this name:
/// `warpwise::F32x2` of `use warpwise::F32x2 as Pair`, or of such a `pub use` that a `use` in the
/// file leads to. `None` if there is no such `use` in the module or in the blocks around it.
pub(crate) fn renamed_item(name: &Ident) -> Option<String> {
    imported_path(name, |file| &file.renames).or_else(|| {
        if !ask_file(name, |file, name, _| file.names().may_import(name)) {
            return None;
        }
        let SourceLocation { line, column, .. } = SourceLocation::start_of(name.span());
        let file = name.span().unwrap().local_file()?;
        modules::find_reexported_item(&file, (line, column), &name.to_string())
    })
}

/// Returns the path of an enum variant that the file imports under this name: `Op::Push`. `None` if
/// there is no such `use` in the module or in the blocks around it.
pub(crate) fn imported_variant(name: &Ident) -> Option<String> {
    imported_path(name, |file| &file.variants)
}

/// Returns true if the variants imported by a `*` after the name of this enum are known.
pub(crate) fn knows_variants_of(enum_name: &Ident) -> bool {
    let name = enum_name.to_string();
    let found = |file: &SourceFile| {
        file.variants.iter().any(|(.., path)| path.rsplit("::").nth(1) == Some(&name))
    };
    proc_macro::is_available() && with_file(enum_name.span(), found).unwrap_or_default()
}

/// Returns the host item of this name in the module around `name`. `None` if there is none, or if a
/// `macro_rules!` produced the name.
pub(crate) fn host_item_at(name: &Ident) -> Option<HostItem> {
    find_in_file(name, items::find_host_item)
}

/// Returns true if the module around `name` declares a function of that name. False if the file is
/// not available, or if a `macro_rules!` produced the name.
pub(crate) fn declares_function(name: &Ident) -> bool {
    ask_file(name, items::declares_function)
}

/// Returns true if the item with this name is not the first of its kind and its name in a module
/// that has all its items from its text, without `#[cfg]`.
pub(crate) fn is_declared_again(name: &Ident) -> bool {
    ask_file(name, items::is_declared_again)
}

/// Returns the host item in another module of this crate that a path leads to, as far as the
/// crate's files show. `None` if a `macro_rules!` produced the path.
pub(crate) fn far_item(path: &syn::Path) -> Option<ItemElsewhere> {
    let first = path.segments.first().filter(|_| path.leading_colon.is_none())?;
    if !proc_macro::is_available() || expansion_id(first.ident.span()) != NO_EXPANSION {
        return None;
    }
    let SourceLocation { line, column, .. } = SourceLocation::start_of(first.ident.span());
    let names: Vec<String> = path.segments.iter().map(|it| it.ident.to_string()).collect();
    modules::find_item_elsewhere(&first.ident.span().unwrap().local_file()?, (line, column), &names)
}

/// Returns true if `path` leads to an item of this crate that is private where the path is, as far
/// as the crate's files show. False if a `macro_rules!` produced the path.
pub(crate) fn is_private(path: &syn::Path) -> bool {
    let Some(first) = path.segments.first().filter(|_| path.leading_colon.is_none()) else {
        return false;
    };
    let names: Vec<String> = path.segments.iter().map(|it| it.ident.to_string()).collect();
    let file = || first.ident.span().unwrap().local_file();
    ask_file(&first.ident, |_, _, position| {
        file().is_some_and(|file| modules::is_private_elsewhere(&file, position, &names))
    })
}

/// Returns true if `path` leads to an item of this crate with `#[device]` in a module that imports
/// no such attribute, as far as the crate's files show.
pub(crate) fn lacks_attribute(path: &syn::Path) -> bool {
    let Some(first) = path.segments.first().filter(|_| path.leading_colon.is_none()) else {
        return false;
    };
    let names: Vec<String> = path.segments.iter().map(|it| it.ident.to_string()).collect();
    let file = || first.ident.span().unwrap().local_file();
    names.len() > 1
        && ask_file(&first.ident, |_, _, position| {
            file().is_some_and(|file| modules::lacks_attribute(&file, position, &names))
        })
}

/// Returns `path` as a `use` at its place would write it, if it leads to another crate, as far as
/// its file shows. `None` if a `macro_rules!` produced the path.
pub(crate) fn foreign_path(path: &syn::Path) -> Option<syn::Path> {
    let first = &path.segments.first()?.ident;
    if !proc_macro::is_available() || expansion_id(first.span()) != NO_EXPANSION {
        return None;
    }
    if path.leading_colon.is_some() {
        return Some(path.clone());
    }
    let (SourceLocation { line, column, .. }, name) =
        (SourceLocation::start_of(first.span()), first.to_string());
    let is_alone = path.segments.len() == 1;
    with_file(first.span(), |file| {
        crates::leads_to_other_crate(file, &name, is_alone, (line, column))
    })?
    .then(|| if is_alone { syn::parse_quote!(self::#first) } else { path.clone() })
}

/// Returns true if the file of `name` calls or declares a macro of this name.
pub(crate) fn file_mentions_macro(name: &Ident) -> bool {
    if !proc_macro::is_available() {
        return false;
    }
    let text = name.to_string();
    with_file(name.span(), |file| items::mentions_macro(&file.text, &text)).unwrap_or_default()
}

/// Returns the keyword of the block that directly contains the item with this name, if its items
/// are associated ones: `impl` or `trait`. `None` if the file is not available, or if a
/// `macro_rules!` produced the name.
pub(crate) fn block_of_associated_items(name: &Ident) -> Option<&'static str> {
    // Most items begin their line, and need no search for braces.
    let is_indented =
        proc_macro::is_available() && SourceLocation::start_of(Span::call_site()).column > 1;
    let find =
        |file: &SourceFile, _: &str, position| items::block_of_associated_items(file, position);
    is_indented.then(|| find_in_file(name, find)).flatten()
}

/// Returns true if the file of `name` has a kernel of this name, and no module.
pub(crate) fn file_declares_kernel(name: &Ident) -> bool {
    if !proc_macro::is_available() {
        return false;
    }
    let text = name.to_string();
    with_file(name.span(), |file| items::declares_kernel(&file.text, &text)).unwrap_or_default()
}

/// Returns the body of the `macro_rules!` of this name that is in scope at `name`.
pub(crate) fn macro_rules_body(name: &Ident) -> Option<TokenStream> {
    find_in_file(name, macros::find_macro_rules)
}

/// Returns true if a plain name may be a function's: its file has a function of that name, or a
/// `use` that may import one. True if the file is not available.
pub(crate) fn may_be_function(name: &Ident) -> bool {
    ask_names(name, true, |names, name| names.may_have_function(name))
}

/// Returns true if the file of `name` declares or imports this name. True if the file is not
/// available, or a `macro_rules!` produced the name.
pub(crate) fn mentions_name(name: &Ident) -> bool {
    ask_names(name, true, |names, name| names.has(name))
}

/// Returns true if the file of `name` declares a macro of this name, or may import one. True if the
/// file is not available, or a `macro_rules!` produced the name.
pub(crate) fn may_have_macro(name: &Ident) -> bool {
    ask_names(name, true, |names, name| {
        names.may_import(name) || names.may_have_rules(name) || names.has_globs()
    })
}

/// Returns true if the file of `name` may have names that are not written in it: by a glob import
/// other than those of Warpwise's prelude and root, or by a macro. True if the file is not
/// available.
pub(crate) fn has_unwritten_names(name: &Ident) -> bool {
    ask_names(name, true, |names, _| names.has_globs() || names.has_macros())
}

/// Returns true if the file of `name` has a glob import other than those of Warpwise's prelude and
/// root, and `super::*`. True if the file is not available.
pub(crate) fn has_far_globs(name: &Ident) -> bool {
    ask_names(name, true, |names, _| names.has_far_globs())
}

/// Returns true if the file of `name` may import the prelude of Warpwise. True if the file is not
/// available.
pub(crate) fn has_prelude(name: &Ident) -> bool {
    ask_names(name, true, |names, _| names.has_prelude())
}

/// Returns true if the file of `name` imports it from Warpwise by name.
pub(crate) fn is_imported_from_warpwise(name: &Ident) -> bool {
    ask_file(name, |file, name, _| items::imports_from_warpwise(file, name))
}

/// Returns true if nothing in the file of `name` declares or imports it where it is used, not even
/// by a macro or a glob import.
pub(crate) fn is_nowhere(name: &Ident) -> bool {
    ask_names(name, false, |names, name| !names.has(name) && names.is_complete())
        || ask_file(name, |file, text, position| {
            let names = file.names();
            names.is_complete()
                && !names.may_import(text)
                && !names.may_have_rules(text)
                && items::is_out_of_scope(file, text, position)
        })
}

/// Returns the `macro_rules!` that makes an item of this name without `#[device]`, and its line.
pub(crate) fn making_macro(name: &Ident) -> Option<(String, usize)> {
    find_in_file(name, macros::find_making_macro)
}

/// Returns the path of the variant of this name of an enum in the file of `name`.
pub(crate) fn variant_path(name: &Ident) -> Option<String> {
    find_in_file(name, |file, text, _| {
        items::enum_with_variant(file, text).map(|of| format!("{of}::{text}"))
    })
}

/// Returns the declared name in the file of `name` that is spelt almost like it.
pub(crate) fn similar_name(name: &Ident) -> Option<String> {
    let mut found = None;
    ask_names(name, false, |names, text| {
        found = names.similar_name(text).map(str::to_owned);
        found.is_some()
    });
    found
}

/// Returns true if the file of `name` declares a macro of this name behind it, and nothing may
/// bring one before it.
pub(crate) fn is_macro_declared_later(name: &Ident) -> bool {
    ask_file(name, |file, text, position| {
        let names = file.names();
        !names.may_import(text)
            && !names.has_globs()
            && macros::are_macro_rules_behind(file, text, position)
    })
}

/// Returns the answer of `ask` about a name, its file and its position; false if the file is not
/// available, or a `macro_rules!` produced the name.
fn ask_file(name: &Ident, ask: impl FnOnce(&SourceFile, &str, LineColumn) -> bool) -> bool {
    find_in_file(name, |file, text, position| ask(file, text, position).then_some(())).is_some()
}

/// Returns what `find` finds of a name in its file at its position; `None` if the file is not
/// available, or a `macro_rules!` produced the name.
fn find_in_file<T>(
    name: &Ident,
    find: impl FnOnce(&SourceFile, &str, LineColumn) -> Option<T>,
) -> Option<T> {
    if !proc_macro::is_available() || expansion_id(name.span()) != NO_EXPANSION {
        return None;
    }
    let (SourceLocation { line, column, .. }, text) =
        (SourceLocation::start_of(name.span()), name.to_string());
    with_file(name.span(), |file| find(file, &text, (line, column))).flatten()
}

/// Returns the answer of `ask` about a name in its file; `otherwise` if the file is not available,
/// or a `macro_rules!` produced the name.
fn ask_names(name: &Ident, otherwise: bool, ask: impl FnOnce(&FileNames, &str) -> bool) -> bool {
    if let Some(file) = SOURCE_TEXT.with_borrow(Option::clone) {
        return ask(file.names(), &name.to_string());
    }
    if !proc_macro::is_available() || expansion_id(name.span()) != NO_EXPANSION {
        return otherwise;
    }
    let text = name.to_string();
    with_file(name.span(), |file| ask(file.names(), &text)).unwrap_or(otherwise)
}

thread_local! {
    /// The text in [`with_source_text`].
    static SOURCE_TEXT: std::cell::RefCell<Option<Arc<SourceFile>>> =
        const { std::cell::RefCell::new(None) };
}

/// Calls `work`, during which `text` is the file of every name.
pub(crate) fn with_source_text<T>(text: &str, work: impl FnOnce() -> T) -> T {
    SOURCE_TEXT.set(Some(Arc::new(SourceFile::new(text.to_owned()))));
    let result = work();
    SOURCE_TEXT.set(None);
    result
}

/// Returns true if the module around `name` declares a type of that name, or imports one from
/// outside of std.
pub(crate) fn has_own_type(name: &Ident) -> bool {
    if !proc_macro::is_available() {
        return false;
    }
    let (SourceLocation { line, column, .. }, text) =
        (SourceLocation::start_of(name.span()), name.to_string());
    with_file(name.span(), |file| items::has_own_type(file, &text, (line, column)))
        .unwrap_or_default()
}

/// Applies `ask` to the file of `span`; `None` if the file cannot be read.
fn with_file<T>(span: Span, ask: impl FnOnce(&SourceFile) -> T) -> Option<T> {
    // A doc test that is compiled by itself comes from standard input, and its spans claim to be in
    // the file with the comment, whose items and imports the test does not see.
    if std::env::var_os("UNSTABLE_RUSTDOC_TEST_PATH").is_some() {
        return None;
    }
    load_file(&span.unwrap().local_file()?).map(|file| ask(&file))
}

/// Returns the file, which is read once per process; `None` if it cannot be read.
fn load_file(path: &Path) -> Option<Arc<SourceFile>> {
    static FILES: Mutex<Option<HashMap<PathBuf, Option<Arc<SourceFile>>>>> = Mutex::new(None);
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let files = files.get_or_insert_default();
    if let Some(file) = files.get(path) {
        return file.clone();
    }
    let file = std::fs::read_to_string(path).ok().map(|text| Arc::new(SourceFile::new(text)));
    files.insert(path.to_owned(), file.clone());
    file
}

/// A source file with lazily computed indexes.
struct SourceFile {
    text: String,
    /// The braces that are scopes.
    scopes: OnceLock<Vec<Braces>>,
    /// All braces.
    all_braces: OnceLock<Vec<Braces>>,
    /// The text without comments and literals.
    code_text: OnceLock<CodeText>,
    /// The declared and imported names.
    names: OnceLock<FileNames>,
    /// The opening braces of modules.
    modules: OnceLock<Vec<LineColumn>>,
    /// Names that `use`s import from std.
    imports: Vec<Import>,
    /// New names that `use`s give items of Warpwise.
    renames: Vec<Import>,
    /// Variants that `use`s import.
    variants: Vec<Import>,
}

/// An import: position of the `use`, name, path.
type Import = (LineColumn, String, String);

impl SourceFile {
    fn new(text: String) -> Self {
        let mut file = Self {
            scopes: OnceLock::new(),
            all_braces: OnceLock::new(),
            code_text: OnceLock::new(),
            names: OnceLock::new(),
            modules: OnceLock::new(),
            imports: Vec::new(),
            renames: Vec::new(),
            variants: Vec::new(),
            text,
        };
        if !may_import(&file.text) {
            return file;
        }
        for import in file.code_text().imports() {
            let (_, name, path) = &import;
            let mut segments = path.rsplit("::");
            let own_name = segments.next();
            if is_std_path(path) {
                file.imports.push(import);
            } else if segments.next().is_some_and(|of| of.starts_with(char::is_uppercase)) {
                file.variants.push(import);
            } else if path.split("::").next() == Some("warpwise") && own_name != Some(name) {
                file.renames.push(import);
            }
        }
        file
    }

    fn code_text(&self) -> &CodeText {
        self.code_text.get_or_init(|| CodeText::new(&self.text))
    }

    fn names(&self) -> &FileNames {
        self.names.get_or_init(|| FileNames::collect(self))
    }

    fn module_braces(&self) -> &[LineColumn] {
        self.modules.get_or_init(|| self.code_text().module_braces())
    }

    /// Returns the opening brace of the innermost module around `position`.
    fn module_around(&self, position: LineColumn) -> Option<LineColumn> {
        let around =
            self.scopes().iter().filter(|braces| braces.open < position && position < braces.close);
        around.map(|braces| braces.open).filter(|open| self.module_braces().contains(open)).max()
    }

    fn scopes(&self) -> &[Braces] {
        self.scopes.get_or_init(|| find_braces(&self.text, BraceKind::Scopes))
    }

    fn all_braces(&self) -> &[Braces] {
        self.all_braces.get_or_init(|| find_braces(&self.text, BraceKind::All))
    }
}

/// Returns true if a `use` in `text` may import an item of std, or a variant or associated item, or
/// may rename an item of Warpwise. Most files have none, and a scan by character takes long.
fn may_import(text: &str) -> bool {
    let is_type = |before: &str| {
        let word = before.rsplit(|char| !is_name(char)).next().unwrap_or_default();
        word.starts_with(char::is_uppercase)
    };
    text.split(';').filter(|part| part.contains("use")).any(|part| {
        let Some((_, path)) = part.split_once("use") else { return false };
        let mut parts = path.split("::").collect::<Vec<_>>();
        parts.pop();
        // A semicolon in a comment does not end the `use`.
        ["std::", "core::", "//", "/*"].iter().any(|known| path.contains(known))
            || path.contains("warpwise") && path.contains(" as ")
            || parts.into_iter().any(is_type)
    })
}

/// Returns the path of `name` among `imports`, by the innermost `use` around `position`.
fn find_import<'f>(
    imports: &'f [Import],
    file: &SourceFile,
    name: &str,
    position: LineColumn,
) -> Option<&'f str> {
    if !imports.iter().any(|(_, known, _)| known == name) {
        return None;
    }
    let around = |place: LineColumn| {
        let scopes = file.scopes().iter();
        scopes.filter(move |braces| braces.open < place && place < braces.close)
    };
    // Imports outside of the module are not visible in it.
    let module = around(position)
        .map(|braces| braces.open)
        .filter(|open| file.module_braces().contains(open))
        .max();
    let of_name = imports.iter().filter(|(_, known, _)| known == name);
    let visible = of_name.filter_map(|(place, _, path)| {
        let scope = around(*place).max_by_key(|braces| braces.open);
        let is_around = scope.is_none_or(|scope| scope.open < position && position < scope.close);
        let opened = scope.map(|scope| scope.open);
        (is_around && opened >= module).then_some((opened, path))
    });
    visible.max_by_key(|(opened, _)| *opened).map(|(_, path)| path.as_str())
}

/// A text without comments and literals, which become spaces, and the position of each byte.
struct CodeText {
    text: String,
    places: Vec<LineColumn>,
}

impl CodeText {
    fn new(text: &str) -> Self {
        let mut scanner = Scanner { rest: text.chars().collect(), next: 0, position: (1, 1) };
        let mut words = Self { text: String::new(), places: Vec::new() };
        let mut last = 0;
        while let Some((char, position)) = scanner.next_code_char() {
            if scanner.next != last + 1 {
                words.text.push(' ');
                words.places.push(position);
            }
            last = scanner.next;
            words.text.push(char);
            words.places.extend(std::iter::repeat_n(position, char.len_utf8()));
        }
        words
    }

    /// Returns the opening braces of `mod name {`.
    fn module_braces(&self) -> Vec<LineColumn> {
        let opens = self.text.match_indices('{');
        let is_module = |before: &str| {
            let name = before.trim_end().trim_end_matches(is_name);
            name.strip_suffix(' ').is_some_and(|rest| {
                rest.strip_suffix("mod").is_some_and(|rest| !rest.ends_with(is_name))
            })
        };
        let modules = opens.filter(|(place, _)| is_module(&self.text[..*place]));
        modules.map(|(place, _)| self.places[place]).collect()
    }

    /// Returns the imports from `std` and `core`, of variants and associated items, and those that
    /// rename items of Warpwise.
    fn imports(&self) -> Vec<Import> {
        let of_interest = |text: &str| {
            let is_std = ["use std::", "use core::"].iter().any(|of| text.starts_with(of));
            let of_type = text.match_indices("::").any(|(position, _)| {
                let before =
                    text[..position].rsplit(|char| !is_name(char)).next().unwrap_or_default();
                before.starts_with(char::is_uppercase)
            });
            let is_ours = ["use warpwise::", "use warpwise "].iter().any(|of| text.starts_with(of));
            let renames_ours = is_ours && text.contains(" as ");
            is_std || of_type || renames_ours
        };
        let uses: Vec<(LineColumn, ItemUse)> = self.use_items(of_interest).collect();
        let names = uses.iter().flat_map(|(position, item)| {
            imported_names(item).into_iter().map(move |(name, path)| (*position, name, path))
        });
        names.chain(self.glob_imported_variants(&uses)).collect()
    }

    /// Returns the variants that `use Op::*` imports, for enums of this file. Explicit imports and
    /// declarations of the same names take precedence, so these names are left out.
    fn glob_imported_variants(&self, uses: &[(LineColumn, ItemUse)]) -> Vec<Import> {
        let mut found = Vec::new();
        for (position, item) in uses {
            let mut paths = Vec::new();
            collect_globs(&item.tree, &mut String::new(), &mut paths);
            for path in paths {
                let name = path.rsplit("::").next().unwrap_or(&path);
                let variants = match name {
                    _ if !is_std_path(&path) => items::enum_variants(&self.text, name),
                    "Ordering" => ["Less", "Equal", "Greater"].map(str::to_owned).into(),
                    "ControlFlow" => ["Continue", "Break"].map(str::to_owned).into(),
                    _ => Vec::new(),
                };
                found.extend(
                    variants.into_iter().map(|name| (*position, format!("{path}::{name}"), name)),
                );
            }
        }
        if found.is_empty() {
            return Vec::new();
        }
        let used: Vec<(String, String)> =
            self.use_items(|_| true).flat_map(|(_, item)| imported_names(&item)).collect();
        let is_free = |name: &str| {
            !used.iter().any(|(known, _)| known == name) && !items::declares_item(&self.text, name)
        };
        let found = found.into_iter().filter(|(.., name)| is_free(name));
        found.map(|(position, path, name)| (position, name, path)).collect()
    }

    /// Returns every `use` whose text is `of_interest`, with its position.
    fn use_items(
        &self,
        of_interest: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = (LineColumn, ItemUse)> {
        self.text.match_indices("use ").filter_map(move |(place, _)| {
            let rest = &self.text[place..];
            let end = rest.find(';')?;
            if !of_interest(&rest[..end]) || self.text[..place].ends_with(is_name) {
                return None;
            }
            Some((self.places[place], syn::parse_str::<ItemUse>(&rest[..=end]).ok()?))
        })
    }
}

fn is_std_path(path: &str) -> bool {
    path.starts_with("std::") || path.starts_with("core::")
}

/// Collects the paths before each `*` of a `use` tree.
fn collect_globs(tree: &UseTree, prefix: &mut String, found: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => {
            let len = prefix.len();
            prefix.push_str(&format!("{}::", path.ident));
            collect_globs(&path.tree, prefix, found);
            prefix.truncate(len);
        }
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| collect_globs(tree, prefix, found))
        }
        UseTree::Glob(_) => found.push(prefix.trim_end_matches("::").to_owned()),
        UseTree::Name(_) | UseTree::Rename(_) => {}
    }
}

/// Returns the imported names of a `use`, with their paths.
pub(crate) fn imported_names(item: &ItemUse) -> Vec<(String, String)> {
    let mut names = Vec::new();
    collect_imported_names(&item.tree, &mut String::new(), &mut names);
    names
}

/// Collects the imported names of a `use` tree, with their paths.
fn collect_imported_names(tree: &UseTree, prefix: &mut String, found: &mut Vec<(String, String)>) {
    match tree {
        UseTree::Path(path) => {
            let len = prefix.len();
            prefix.push_str(&format!("{}::", path.ident));
            collect_imported_names(&path.tree, prefix, found);
            prefix.truncate(len);
        }
        UseTree::Name(name) => {
            let path = join_path(prefix, &name.ident);
            let last = path.rsplit("::").next().unwrap_or(&path);
            found.push((last.to_owned(), path));
        }
        UseTree::Rename(name) => {
            found.push((name.rename.to_string(), join_path(prefix, &name.ident)))
        }
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| collect_imported_names(tree, prefix, found))
        }
        UseTree::Glob(_) => {}
    }
}

/// Joins a prefix and a name. A final `self` stands for the prefix: `use self as here` imports the
/// module.
fn join_path(prefix: &str, name: &Ident) -> String {
    match prefix.strip_suffix("::") {
        Some(path) if name == "self" => path.to_owned(),
        _ => format!("{prefix}{name}"),
    }
}

/// Returns an identifier of the macro expansion that produced `span`: the same for all tokens of
/// one call. Only a hint, parsed from rustc's debug output for spans.
pub(crate) fn expansion_id(span: Span) -> String {
    if !proc_macro::is_available() {
        return String::new();
    }
    // rustc prints a span as `#<expansion> bytes(..)`.
    let shown = format!("{:?}", span.unwrap());
    shown.split(' ').next().filter(|first| first.starts_with('#')).unwrap_or_default().to_owned()
}

/// The result of [`expansion_id`] for tokens that no macro produced.
const NO_EXPANSION: &str = "#0";

/// Line and column, counted from 1.
type LineColumn = (usize, usize);

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the start of the scope around `@`.
    fn scope_of(text: &str) -> Option<LineColumn> {
        let before: Vec<&str> = text[..text.find('@').unwrap()].split('\n').collect();
        let at = (before.len(), before.last().unwrap().chars().count() + 1);
        innermost_open(&find_braces(&text.replace('@', " "), BraceKind::Scopes), at)
    }

    #[test]
    fn modules_and_functions_are_scopes() {
        assert_eq!(scope_of("@ mod a {}"), None);
        assert_eq!(scope_of("mod a { @ }"), Some((1, 7)));
        assert_eq!(scope_of("mod a { fn f() {} @ }"), Some((1, 7)));
        assert_eq!(scope_of("mod a {\n  mod b {\n @ } }"), Some((2, 9)));
        assert_eq!(scope_of("mod a { mod b {} } mod c { @ }"), Some((1, 26)));
        assert_eq!(scope_of("fn f() -> Result<(), ()> { @ }"), Some((1, 26)));
    }

    #[test]
    fn braces_in_comments_and_literals_are_skipped() {
        assert_eq!(scope_of("// {\n /* { /* { */ } */ @"), None);
        assert_eq!(scope_of("const A: &str = \"{ \\\" {\"; @"), None);
        assert_eq!(scope_of("const A: &str = r#\"{ \" {\"#; @"), None);
        assert_eq!(scope_of("const A: &[u8] = br\"{\\\"; @"), None);
        assert_eq!(scope_of("const A: char = '{'; const B: char = '\\''; @"), None);
        assert_eq!(scope_of("const A: char = '\\u{7d}'; @"), None);
        assert_eq!(scope_of("fn r#loop<'a>(x: &'a str) {} mod a { @ }"), Some((1, 36)));
        assert_eq!(scope_of("//é\nconst É: char = 'é'; mod a { @ }"), Some((2, 28)));
    }

    #[test]
    fn braces_of_macros_are_none() {
        assert_eq!(scope_of("macro_rules! m { ($x:ident) => { @ }; }"), None);
        assert_eq!(scope_of("mod a { m! { @ } }"), Some((1, 7)));
        assert_eq!(scope_of("macro_rules! m { () => { mod a { @ } }; }"), Some((1, 32)));
    }

    #[test]
    fn truncated_sources_have_no_braces() {
        for text in ["/*", "\"", "'", "'\\", "r#\"", "{", "}", "/* /*", "r"] {
            assert_eq!(find_braces(text, BraceKind::All), []);
        }
    }

    /// Returns the import of `name` at the `@` of a text.
    fn import_of(name: &str, text: &str) -> Option<String> {
        let before: Vec<&str> = text.split_once('@').unwrap().0.split('\n').collect();
        let at = (before.len(), before.last().unwrap().chars().count() + 1);
        let file = SourceFile::new(text.replace('@', " "));
        find_import(&file.imports, &file, name, at).map(str::to_owned)
    }

    #[test]
    fn files_without_imports_of_interest_are_recognized() {
        let text = "//! Docs; more.\nuse warpwise::{prelude::*, Device};\nfn f() { g(Op::A) }";
        assert!(!may_import(text));
        for path in ["std::f32", "core::mem", "Op::Push", "a::Op::Push", "a // b; c\n"] {
            assert!(may_import(&format!("mod a;\npub use {path}; fn f() {{}}")), "{path}");
        }
    }

    #[test]
    fn variants_are_found_where_they_are_used() {
        let variant = |name: &str, text: &str| {
            let before: Vec<&str> = text.split_once('@').unwrap().0.split('\n').collect();
            let at = (before.len(), before.last().unwrap().chars().count() + 1);
            let file = SourceFile::new(text.replace('@', " "));
            find_import(&file.variants, &file, name, at).map(str::to_owned)
        };
        let op = "#[device] enum Op { /// {\n Add = 1, Push(f32), At { x: u8 } }";
        for name in ["Add", "Push", "At"] {
            let path = Some(format!("Op::{name}"));
            assert_eq!(variant(name, &format!("{op} fn f() {{ use Op::*; @ }}")), path);
            assert_eq!(variant(name, &format!("use {{Op::*, b}}; fn f() {{ @ }} {op}")), path);
            assert_eq!(variant(name, &format!("{op} fn f() {{ use Op::*; }} @")), None);
            assert_eq!(
                variant(name, &format!("{op} struct {name}; fn f() {{ use Op::*; @ }}")),
                None
            );
            assert_eq!(
                variant(name, &format!("use b::{name}; {op} fn f() {{ use Op::*; @ }}")),
                None
            );
        }
        assert_eq!(variant("Pop", &format!("{op} use Op::*; @")), None);
        assert_eq!(variant("Add", "use elsewhere::Op::*; @"), None);
        let clamp = Some("warpwise::AddressMode::Clamp".to_owned());
        assert_eq!(variant("Clamp", "use warpwise::AddressMode::Clamp; @"), clamp);
        assert_eq!(variant("Own", "use warpwise::AddressMode::Clamp as Own; @"), clamp);
    }

    #[test]
    fn new_names_of_warpwise_items_are_found() {
        let item_of = |name: &str, text: &str| {
            let file = SourceFile::new(text.replace('@', " "));
            let column = text.find('@').expect("a place") + 1;
            find_import(&file.renames, &file, name, (1, column)).map(str::to_owned)
        };
        let pair = Some("warpwise::F32x2".to_owned());
        assert_eq!(item_of("Pair", "use warpwise::F32x2 as Pair; @"), pair);
        assert_eq!(
            item_of("Pair", "use warpwise::{prelude::*, F32x2 as Pair}; fn f() { @ }"),
            pair
        );
        assert_eq!(item_of("m", "use warpwise::math as m; @").unwrap(), "warpwise::math");
        assert_eq!(item_of("gpu", "use warpwise as gpu; @").unwrap(), "warpwise");
        assert_eq!(item_of("Pair", "mod a { use warpwise::F32x2 as Pair; } @"), None);
        assert_eq!(item_of("Pair", "use other::F32x2 as Pair; @"), None);
    }

    #[test]
    fn names_of_std_are_found_where_they_are_used() {
        let pi = Some("std::f32::consts::PI".to_owned());
        assert_eq!(import_of("PI", "use std::f32::consts::PI; @"), pi);
        assert_eq!(
            import_of("PI", "pub(crate) use std::f32::\n  consts::{E, PI}; fn f() { @ }"),
            pi
        );
        assert_eq!(
            import_of("P", "use std::{cmp::min, f32::consts::{PI as P}}; fn f() { { @ } }"),
            pi
        );
        assert_eq!(import_of("PI", "use std::f32::consts::PI; pub mod a { fn f() { @ } }"), None);
        assert_eq!(import_of("PI", "mod a { use std::f32::consts::PI; fn f() { @ } }"), pi);
        assert_eq!(import_of("min", "use std::{cmp::min, mem}; @").unwrap(), "std::cmp::min");
        assert_eq!(import_of("PI", "// use std::f32::consts::PI;\n@"), None);
        assert_eq!(import_of("PI", "mod a { use std::f32::consts::PI; } @"), None);
        assert_eq!(import_of("PI", "use std::f32::consts::*; @"), None);
        assert_eq!(import_of("PI", "use geometry::PI; @"), None);
        let both = "use std::f64::consts::PI; mod a { use std::f32::consts::PI; @ }";
        assert_eq!(import_of("PI", both), pi);
        assert_eq!(import_of("PI", "use std::f32::consts::PI @"), None);
    }
}
