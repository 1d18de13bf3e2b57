//! Lookup of host items that kernel code uses by mistake, and of declarations in a source file.
//!
//! For such a name rustc only reports a missing macro; the source file has the actual item.
use crate::resolve::source_map::{
    Braces, CodeText, LineColumn, SourceFile, imported_names, scanner::is_name,
};
use proc_macro2::TokenStream;
use syn::{
    Expr, ExprLit, ItemEnum, Lit, Meta, MetaList, MetaNameValue, Token, punctuated::Punctuated,
};

/// An item without `#[device]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostItem {
    /// The keyword that declares it, such as `fn` or `struct`.
    pub(crate) keyword: &'static str,
    /// The line of the keyword.
    pub(crate) line: usize,
    /// True if a `#[cfg]` is on it.
    pub(crate) is_gated: bool,
    /// True if its type is an array.
    pub(crate) is_array: bool,
    /// True if its value is shared memory: `static TILE: [f32; 64] = shared!([f32; 64]);`.
    pub(crate) is_shared: bool,
}

/// Keywords of the items that kernel code may name.
pub(crate) const ITEM_KEYWORDS: [&str; 8] =
    ["fn", "struct", "enum", "union", "const", "static", "trait", "type"];

/// Qualifiers between an item's attributes and its keyword.
const QUALIFIERS: [&str; 6] = ["pub", "const", "unsafe", "async", "auto", "extern"];

/// Returns the item with this name in the module around `position`, if no attribute makes it kernel
/// code.
pub(crate) fn find_host_item(
    file: &SourceFile,
    name: &str,
    position: LineColumn,
) -> Option<HostItem> {
    if !file.names().may_declare(name) {
        return None;
    }
    if file.text.contains("extern") || file.text.contains("thread_local!") {
        let found = find_item_in_block(file, name, position);
        if found.is_some() {
            return found;
        }
    }
    // Most names are those of device items. The text before a declaration shows that without a scan
    // of the whole file.
    find_declarations(&file.text, name)
        .find(|(start, _)| !may_be_device_item(&file.text, *start))?;
    let words = file.code_text();
    let mut found = words.module_declarations(file, name, position).into_iter().peekable();
    let (start, keyword, (line, _)) = *found.peek()?;
    let (before, after) = words.text.split_at(start);
    let attributes = before.rfind([';', '{', '}']).map_or(before, |end| &before[end..]);
    let value = after.find('=').map_or("", |equals| after[equals + 1..].trim_start());
    let ty = after.split_once(':').map_or("", |(_, ty)| ty.trim_start());
    let host_item = HostItem {
        keyword,
        line,
        is_gated: attributes.contains("#[cfg("),
        is_array: ty.starts_with('['),
        is_shared: value.starts_with("shared!") || value.starts_with("shared_dyn!"),
    };
    let is_host =
        |start| !may_be_device_item(&words.text, start) && !words.is_in_device_module(file, start);
    found.all(|(start, ..)| is_host(start)).then_some(host_item)
}

/// Returns true if the only item of this name in the module around `position` has no visibility.
pub(crate) fn has_private_item(file: &SourceFile, name: &str, position: LineColumn) -> bool {
    if !file.names().may_declare(name) {
        return false;
    }
    let words = file.code_text();
    let is_private = |start: usize| {
        let mut before = words.text[..start].trim_end();
        while let Some(rest) = without_qualifier(before) {
            let qualifier = &before[rest.len()..];
            if qualifier.starts_with("pub") {
                return false;
            }
            before = rest.trim_end();
        }
        before.is_empty() || before.ends_with([';', '{', '}', ']'])
    };
    matches!(words.module_declarations(file, name, position)[..], [(start, ..)] if is_private(start))
}

/// Returns true if the only item of this name in the module around `position` has the attribute
/// `#[device]`, without a path.
pub(crate) fn has_plain_device_item(file: &SourceFile, name: &str, position: LineColumn) -> bool {
    if !file.names().may_declare(name) {
        return false;
    }
    let words = file.code_text();
    let has_attribute = |start: usize| {
        let before = &words.text[..start];
        let attributes = before.rfind([';', '{', '}']).map_or(before, |end| &before[end..]);
        attributes.contains("#[device]")
    };
    matches!(words.module_declarations(file, name, position)[..], [(start, ..)] if has_attribute(start))
}

/// Returns true if the module around `position` declares a type of this name, or imports one from
/// outside of std.
pub(crate) fn has_own_type(file: &SourceFile, name: &str, position: LineColumn) -> bool {
    let is_type = |keyword: &str| matches!(keyword, "struct" | "enum" | "type");
    let declared = || file.code_text().module_declarations(file, name, position);
    let is_declared =
        file.names().may_declare(name) && declared().iter().any(|(_, keyword, _)| is_type(keyword));
    is_declared || imports_from_user_code(file, name, position)
}

/// Returns true if the module around `position` imports this name from outside of std.
fn imports_from_user_code(file: &SourceFile, name: &str, position: LineColumn) -> bool {
    if !file.names().may_import(name) {
        return false;
    }
    file.code_text().use_items(|text| text.contains(name)).any(|(place, item)| {
        file.module_around(place) == file.module_around(position)
            && imported_names(&item).iter().any(|(known, path)| {
                known == name && !path.starts_with("std::") && !path.starts_with("core::")
            })
    })
}

/// Returns true if the file imports this name from Warpwise.
pub(crate) fn imports_from_warpwise(file: &SourceFile, name: &str) -> bool {
    file.names().may_import(name)
        && file.code_text().use_items(|text| text.contains(name)).any(|(_, item)| {
            imported_names(&item)
                .iter()
                .any(|(known, path)| known == name && path.starts_with("warpwise::"))
        })
}

/// Returns the `#[device]` traits in scope at `position` that declare a function of this name.
pub(crate) fn device_traits_with(
    file: &SourceFile,
    function: &str,
    position: LineColumn,
) -> Vec<String> {
    if !file.names().may_declare_function(function) || !file.names().has_traits() {
        return Vec::new();
    }
    let declared = format!("fn {function}");
    let words = file.code_text();
    let functions = words.text.match_indices(&declared);
    let functions = functions
        .filter(|(start, _)| !words.text[start + declared.len()..].starts_with(is_name))
        .filter_map(|(start, _)| words.trait_around(start));
    let mut found: Vec<String> = functions
        .filter(|(start, _)| words.is_device_item(file, *start))
        .filter(|(start, name)| {
            let declared = words.module_declarations(file, name, position);
            declared.iter().any(|(known, ..)| known == start)
                || imports_from_user_code(file, name, position)
        })
        .map(|(_, name)| name)
        .collect();
    found.dedup();
    found
}

/// Returns the host blocks of the file that give the type `ty` a function or a constant of this
/// name, as messages name them: an `impl`, after the trait that it implements.
pub(crate) fn host_blocks_with(file: &SourceFile, member: &str, ty: &str) -> Vec<String> {
    if !file.names().may_declare(member) {
        return Vec::new();
    }
    let words = file.code_text();
    let shown = |start: usize, text: &str| format!("`{text}` (line {})", words.places[start].0);
    let is_host = |start: usize| {
        !may_be_device_item(&words.text, start) && !words.is_in_device_module(file, start)
    };
    let of_trait = |name: &str| {
        let mut found = find_declarations(&words.text, name);
        let (start, _) = found.find(|(start, keyword)| *keyword == "trait" && is_host(*start))?;
        Some(shown(start, &format!("trait {name}")))
    };
    let is_of_type = |header: &str| implemented_type(header).is_some_and(|(_, own)| own == ty);
    let declarations = find_declarations(&words.text, member);
    for (start, header) in declarations.filter_map(|(start, _)| words.block_around(start)) {
        if !is_host(start) {
            continue;
        }
        let block = match header.strip_prefix("trait ") {
            // The trait may have the only body.
            Some(name) => {
                let name = name.split(|char| !is_name(char)).next().unwrap_or_default();
                let implemented = words.text.find(&format!("{name} for {ty}"));
                let open =
                    implemented.and_then(|place| Some(place + words.text[place..].find('{')?));
                open.and_then(|open| words.block_around(open + 1))
            }
            None => Some((start, header)),
        };
        let Some((start, header)) = block.filter(|(_, header)| is_of_type(header)) else {
            continue;
        };
        let implemented = implemented_type(&header).and_then(|(name, _)| of_trait(name?));
        let own = is_host(start).then(|| shown(start, &header));
        return implemented.into_iter().chain(own).collect();
    }
    Vec::new()
}

/// Returns the trait, if there is one, and the type in the header of an `impl`, without generic
/// arguments.
fn implemented_type(header: &str) -> Option<(Option<&str>, &str)> {
    let rest = header.strip_prefix("impl")?;
    let rest = match rest.strip_prefix('<') {
        // Up to the end of the generic parameters.
        Some(params) => {
            let mut depth = 1;
            let end = params.find(|char| {
                depth += i32::from(char == '<') - i32::from(char == '>');
                depth == 0
            })?;
            &params[end + 1..]
        }
        None => rest,
    };
    let without_arguments = |text: &'_ str| text.find('<').unwrap_or(text.len());
    let (of_trait, own) = match rest.split_once(" for ") {
        Some((name, own)) => (Some(name.trim()), own.trim()),
        None => (None, rest.trim()),
    };
    let of_trait = of_trait.map(|name| &name[..without_arguments(name)]);
    Some((of_trait, &own[..without_arguments(own)]))
}

/// Returns true if the module around `position` declares a function of this name.
pub(crate) fn declares_function(file: &SourceFile, name: &str, position: LineColumn) -> bool {
    file.names().may_declare_function(name)
        && file
            .code_text()
            .module_declarations(file, name, position)
            .iter()
            .any(|(_, keyword, _)| *keyword == "fn")
}

/// Returns true if the item of this name before `position` is not the first of its kind in its
/// module. False if one of them may be absent, by a `#[cfg]`, or in the arguments of a macro.
pub(crate) fn is_declared_again(file: &SourceFile, name: &str, position: LineColumn) -> bool {
    // Most names are unique, and need no scan of the file.
    if find_declarations(&file.text, name).nth(1).is_none() || file.names().has_macros() {
        return false;
    }
    let words = file.code_text();
    let all = words.module_declarations(file, name, position);
    let before: Vec<_> = all.iter().filter(|(.., place)| *place < position).collect();
    let Some(((_, own, place), earlier)) = before.split_last().map(|(last, rest)| (*last, rest))
    else {
        return false;
    };
    let attributes = |start: usize| {
        let before = &words.text[..start];
        before.rfind([';', '{', '}']).map_or(before, |end| &before[end..])
    };
    place.0 == position.0
        && earlier.iter().any(|(_, keyword, _)| keyword == own)
        && before.iter().all(|(start, ..)| !attributes(*start).contains("cfg"))
}

/// Returns the keyword of the block that directly contains `position`, if its items are associated
/// ones: `impl` or `trait`.
pub(crate) fn block_of_associated_items(
    file: &SourceFile,
    position: LineColumn,
) -> Option<&'static str> {
    if !file.text.contains("impl") && !file.text.contains("trait") {
        return None;
    }
    let around =
        file.all_braces().iter().filter(|braces| braces.open < position && position < braces.close);
    let open = around.map(|braces| braces.open).max()?;
    let words = file.code_text();
    let start = words.places.partition_point(|place| *place <= open);
    let (keyword, header) = words.block_around(start)?;
    // Not the `impl` in `fn f(x: impl Fn()) {` or in the arguments of a macro.
    let mut before = words.text[..keyword].trim_end();
    while let Some(rest) = without_qualifier(before) {
        before = rest.trim_end();
    }
    let is_item = before.is_empty() || before.ends_with([';', '{', '}', ']']);
    is_item.then_some(if header.starts_with("impl") { "impl" } else { "trait" })
}

/// Returns the body of the last `macro_rules!` of this name that is in scope at `position`.
pub(crate) fn find_macro_rules(
    file: &SourceFile,
    name: &str,
    position: LineColumn,
) -> Option<TokenStream> {
    if !file.names().may_have_rules(name) {
        return None;
    }
    let places = macro_rules_places(file, name);
    let in_scope = |place: &LineColumn| {
        let around = |braces: &&Braces| braces.open < *place && *place < braces.close;
        file.scopes()
            .iter()
            .filter(around)
            .all(|braces| braces.open < position && position < braces.close)
    };
    let place = places.filter(|place| *place < position).filter(in_scope).last()?;
    let after = file.all_braces().iter().filter(|braces| braces.open > place);
    let braces = after.min_by_key(|braces| braces.open)?;
    file.text_between(braces.open, braces.close)?.parse().ok()
}

/// Returns the places of the names of the `macro_rules!` of this name.
fn macro_rules_places(file: &SourceFile, name: &str) -> impl Iterator<Item = LineColumn> {
    let words = file.code_text();
    let declared = words.text.match_indices(name).filter(move |(start, _)| {
        let before = words.text[..*start].trim_end();
        before
            .strip_suffix('!')
            .is_some_and(|before| ends_with_word(before.trim_end(), "macro_rules"))
            && !words.text[start + name.len()..].starts_with(is_name)
    });
    declared.map(|(start, _)| words.places[start])
}

/// Returns true if `file` has `macro_rules!` of this name, all behind `position`.
pub(crate) fn are_macro_rules_behind(file: &SourceFile, name: &str, position: LineColumn) -> bool {
    let mut places = macro_rules_places(file, name).peekable();
    file.names().may_have_rules(name)
        && places.peek().is_some()
        && places.all(|place| place > position)
}

/// Returns true if `file` declares items of this name, all of them out of scope at `position`: in
/// modules other than the one around it, in blocks that end before it, or under a `#[cfg]` that does
/// not hold.
pub(crate) fn is_out_of_scope(file: &SourceFile, name: &str, position: LineColumn) -> bool {
    if !file.names().may_declare(name) {
        return false;
    }
    let words = file.code_text();
    let mut starts = find_declarations(&words.text, name).map(|(start, _)| start).peekable();
    starts.peek().is_some()
        && starts.all(|start| {
            let place = words.places[start];
            let module = file.module_around(place);
            match file.innermost_braces(place) {
                innermost if innermost.map(|braces| braces.open) == module => {
                    module != file.module_around(position) || is_configured_out(file, place)
                }
                // Items of `extern` blocks and of macros are in the scope around those.
                Some(braces) => {
                    !(braces.open < position && position < braces.close)
                        && words.opening_word(braces.open) == OpeningWord::Other
                }
                None => false,
            }
        })
}

/// Returns true if a `#[cfg]` of the item at `place` does not hold in this build.
fn is_configured_out(file: &SourceFile, place: LineColumn) -> bool {
    let Some(start) = file.offset_of(place) else { return false };
    let mut before = file.text[..start].trim_end();
    loop {
        before = without_comment(before);
        if let Some(rest) = without_qualifier(before) {
            before = rest.trim_end();
        } else if before.ends_with(']')
            && let Some(open) = before.rfind("#[")
        {
            let attribute = &before[open + 2..before.len() - 1];
            let holds = syn::parse_str::<Meta>(attribute).ok().and_then(|meta| match meta {
                Meta::List(list) if list.path.is_ident("cfg") => {
                    cfg_holds(&list.parse_args().ok()?)
                }
                _ => None,
            });
            if holds == Some(false) {
                return true;
            }
            before = before[..open].trim_end();
        } else {
            return false;
        }
    }
}

/// Returns whether the condition of a `#[cfg]` holds, as far as rustc's arguments show: `test`,
/// features, and combinations of those.
fn cfg_holds(condition: &Meta) -> Option<bool> {
    let parts = |list: &MetaList| {
        let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
        Some(parts.iter().map(cfg_holds).collect::<Vec<_>>())
    };
    match condition {
        Meta::Path(path) if path.is_ident("test") => has_rustc_argument("--test"),
        Meta::NameValue(MetaNameValue {
            path,
            value: Expr::Lit(ExprLit { lit: Lit::Str(feature), .. }),
            ..
        }) if path.is_ident("feature") => {
            has_rustc_argument(&format!("feature=\"{}\"", feature.value()))
        }
        Meta::List(list) if list.path.is_ident("not") => {
            cfg_holds(&list.parse_args().ok()?).map(|holds| !holds)
        }
        Meta::List(list) if list.path.is_ident("all") => match parts(list)? {
            parts if parts.contains(&Some(false)) => Some(false),
            parts => parts.into_iter().try_fold(true, |all, part| part.map(|holds| all && holds)),
        },
        Meta::List(list) if list.path.is_ident("any") => match parts(list)? {
            parts if parts.contains(&Some(true)) => Some(true),
            parts => parts.into_iter().try_fold(false, |any, part| part.map(|holds| any || holds)),
        },
        _ => None,
    }
}

/// Returns true if rustc was called with this argument; `None` if its arguments are in a file.
fn has_rustc_argument(wanted: &str) -> Option<bool> {
    let mut is_found = false;
    for argument in std::env::args_os().skip(1) {
        let argument = argument.to_string_lossy();
        if argument.starts_with('@') {
            return None;
        }
        is_found |= argument == wanted;
    }
    Some(is_found)
}

/// The word before an opening brace that decides where the items in the braces are in scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpeningWord {
    /// `extern "C" {`
    Extern,
    /// The call of a macro.
    Macro,
    /// A function, an `impl`, or another block.
    Other,
}

/// Returns the item of this name in an `extern` block or in `thread_local!`, in the module around
/// `position`.
fn find_item_in_block(file: &SourceFile, name: &str, position: LineColumn) -> Option<HostItem> {
    let words = file.code_text();
    let module = file.module_around(position);
    find_declarations(&words.text, name).find_map(|(start, _)| {
        let place = words.places[start];
        let (around, keyword) = match words.call_around(start) {
            Some((open, called)) if called == "thread_local" => {
                (words.places[open - 1], "thread_local")
            }
            _ => {
                let open = file.innermost_braces(place)?.open;
                let is_extern = words.opening_word(open) == OpeningWord::Extern;
                (open, is_extern.then_some("extern")?)
            }
        };
        let is_here = file.module_around(around) == module && file.is_directly_in(around, module);
        is_here.then_some(HostItem {
            keyword,
            line: place.0,
            is_gated: false,
            is_array: false,
            is_shared: false,
        })
    })
}

/// Returns the `macro_rules!` of the file, with its line, that is called in the module around
/// `position` with `name` as an argument, if neither has the word `device`.
pub(crate) fn find_making_macro(
    file: &SourceFile,
    name: &str,
    position: LineColumn,
) -> Option<(String, usize)> {
    let names = file.names();
    if names.has(name) || names.has_foreign_globs() {
        return None;
    }
    let words = file.code_text();
    let module = file.module_around(position);
    let is_word = |start: &usize| {
        !words.text[..*start].ends_with(is_name)
            && !words.text[start + name.len()..].starts_with(is_name)
    };
    let places = words.text.match_indices(name).map(|(start, _)| start).filter(is_word);
    places.into_iter().find_map(|start| {
        let (open, macro_name) = words.call_around(start)?;
        let place = words.places[open - 1];
        let is_here = file.module_around(place) == module && file.is_directly_in(place, module);
        let call = &words.text[open..start];
        if !is_here || !names.may_have_rules(&macro_name) || call.contains("device") {
            return None;
        }
        let rules = find_macro_rules(file, &macro_name, place)?;
        let (line, _) = macro_rules_places(file, &macro_name).next()?;
        (!rules.to_string().contains("device")).then_some((macro_name, line))
    })
}

/// Returns the enum of the file that has a variant of this name.
pub(crate) fn enum_with_variant(file: &SourceFile, variant: &str) -> Option<String> {
    let text = &file.code_text().text;
    let enums = text.match_indices("enum ").filter(|(start, _)| !text[..*start].ends_with(is_name));
    let names = enums.filter_map(|(start, word)| split_words(&text[start + word.len()..]).next());
    names
        .map(str::to_owned)
        .find(|name| enum_variants(text, name).iter().any(|known| known == variant))
}

/// Maximum number of closing braces to try as the end of an enum.
const MAX_TRIED_BRACES: usize = 100;

/// Returns the names, numbers and keywords of `text`.
pub(crate) fn split_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char| !is_name(char)).filter(|word| !word.is_empty())
}

/// Returns true if `text` declares an item of this name anywhere.
pub(crate) fn declares_item(text: &str, name: &str) -> bool {
    find_declarations(text, name).next().is_some()
}

/// Returns true if `text` calls or declares a macro of this name.
pub(crate) fn mentions_macro(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(position, _)| {
        let (before, after) = (&text[..position], &text[position + name.len()..]);
        let is_called = after.starts_with('!') && !after.starts_with("!=");
        let is_declared =
            before.trim_end().ends_with("macro_rules!") && !after.starts_with(is_name);
        is_called && !before.ends_with(is_name) || is_declared
    })
}

/// Returns true if `text` has a function of this name with `#[kernel]` before it, and no module of
/// that name.
pub(crate) fn declares_kernel(text: &str, name: &str) -> bool {
    let is_kernel = |start: usize| {
        let before = text[..start].trim_end();
        let last = before.rfind(['}', ';']).map_or(before, |end| &before[end..]);
        last.contains("kernel")
    };
    !declares_module(text, name)
        && find_declarations(text, name).any(|(start, keyword)| keyword == "fn" && is_kernel(start))
}

/// Returns true if `text` declares a module of this name.
pub(crate) fn declares_module(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(position, _)| {
        let (before, after) = (&text[..position], &text[position + name.len()..]);
        let spaced = before.trim_end();
        spaced.len() < before.len() && ends_with_word(spaced, "mod") && !after.starts_with(is_name)
    })
}

/// Returns the variants of the enum of this name in `text`, if no other type has the name.
pub(crate) fn enum_variants(text: &str, name: &str) -> Vec<String> {
    let mut found = find_declarations(text, name);
    let Some((start, "enum")) = found.next().filter(|_| found.next().is_none()) else {
        return Vec::new();
    };
    // The end of the enum is found by trial, since the text is not tokenized.
    let mut ends =
        text[start..].match_indices('}').map(|(end, _)| start + end + 1).take(MAX_TRIED_BRACES);
    let parsed = ends.find_map(|end| syn::parse_str::<ItemEnum>(&text[start..end]).ok());
    let variants = parsed.into_iter().flat_map(|parsed| parsed.variants);
    variants.map(|variant| variant.ident.to_string()).collect()
}

/// Returns the declarations of this name in `text`: the offset of the keyword, and the keyword.
fn find_declarations(text: &str, name: &str) -> impl Iterator<Item = (usize, &'static str)> {
    text.match_indices(name).filter_map(move |(position, _)| {
        let (before, after) = (&text[..position], &text[position + name.len()..]);
        let mut spaced = before.trim_end();
        let is_separate = spaced.len() < before.len();
        if let Some(rest) = spaced.strip_suffix("mut").map(str::trim_end)
            && ends_with_word(rest, "static")
        {
            spaced = rest;
        }
        let keyword = ITEM_KEYWORDS.into_iter().find(|keyword| ends_with_word(spaced, keyword))?;
        let is_whole = is_separate && !after.starts_with(is_name);
        is_whole.then_some((spaced.len() - keyword.len(), keyword))
    })
}

/// Returns true if the item at `start` is, or may be, kernel code by an attribute, or if the text
/// before it shows that it is not an item.
fn may_be_device_item(text: &str, start: usize) -> bool {
    let mut before = text[..start].trim_end();
    loop {
        before = without_comment(before);
        if let Some(rest) = without_qualifier(before) {
            before = rest.trim_end();
        } else if before.ends_with(']')
            && let Some(open) = before.rfind("#[")
        {
            if ["device", "kernel", "macro"].iter().any(|known| before[open..].contains(known)) {
                return true;
            }
            before = before[..open].trim_end();
        } else {
            return !(before.is_empty() || before.ends_with([';', '{', '}', ']']));
        }
    }
}

/// Returns the traits that `#[derive(..)]` attributes directly above `position` name: the last names
/// of their paths.
pub(crate) fn derives_above(file: &SourceFile, position: LineColumn) -> Vec<String> {
    // No scan of the whole file: most types have nothing above `#[device]`.
    let Some(end) = file.offset_of(position) else { return Vec::new() };
    let mut before = file.text[..end].trim_end().trim_end_matches("#[").trim_end();
    let mut found = Vec::new();
    loop {
        before = without_comment(before);
        // A comment behind an attribute.
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        if let Some(comment) = before[line..].find("//")
            && let attribute = before[..line + comment].trim_end()
            && attribute.ends_with(']')
        {
            before = attribute;
        }
        if !before.ends_with(']') {
            return found;
        }
        let Some(open) = before.rfind("#[") else { return found };
        let attribute = before[open + 2..before.len() - 1].trim();
        let derived = attribute.strip_prefix("derive").map(str::trim_start);
        let names = derived.and_then(|list| list.strip_prefix('(')?.strip_suffix(')'));
        found.extend(names.into_iter().flat_map(|names| names.split(',')).filter_map(|name| {
            let name = name.rsplit("::").next()?.trim();
            (!name.is_empty()).then(|| name.to_owned())
        }));
        before = before[..open].trim_end();
    }
}

/// Returns `text` without trailing comment lines.
fn without_comment(mut text: &str) -> &str {
    loop {
        let line = text.rfind('\n').map_or(text, |end| &text[end + 1..]);
        if !line.trim_start().starts_with("//") {
            return text;
        }
        text = text[..text.len() - line.len()].trim_end();
    }
}

/// Returns `text` without a trailing item qualifier: `pub`, `pub(crate)`, `unsafe`, `extern "C"`.
fn without_qualifier(text: &str) -> Option<&str> {
    if text.ends_with(')')
        && let Some(open) = text.rfind('(')
    {
        let before = text[..open].trim_end();
        return ends_with_word(before, "pub").then(|| &before[..before.len() - 3]);
    }
    let text = text.strip_suffix("\"C\"").map_or(text, str::trim_end);
    let word = QUALIFIERS.into_iter().find(|word| ends_with_word(text, word))?;
    Some(&text[..text.len() - word.len()])
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word).is_some_and(|rest| !rest.ends_with(is_name))
}

impl SourceFile {
    /// Returns the text between the brackets at two positions.
    fn text_between(&self, open: LineColumn, close: LineColumn) -> Option<&str> {
        self.text.get(self.offset_of(open)? + 1..self.offset_of(close)?)
    }

    /// Returns the offset of a position in the text.
    fn offset_of(&self, (line, column): LineColumn) -> Option<usize> {
        let start: usize = self.text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let (position, _) = self.text[start..].char_indices().nth(column - 1)?;
        Some(start + position)
    }

    /// Returns the innermost braces around `place`.
    fn innermost_braces(&self, place: LineColumn) -> Option<&Braces> {
        let around = |braces: &&Braces| braces.open < place && place < braces.close;
        self.all_braces().iter().filter(around).max_by_key(|braces| braces.open)
    }

    /// Returns true if `place` is directly in the module: not inside of a function, `impl`, trait
    /// or macro call in it.
    pub(crate) fn is_directly_in(&self, place: LineColumn, module: Option<LineColumn>) -> bool {
        self.innermost_braces(place).map(|braces| braces.open) == module
    }
}

impl CodeText {
    /// Returns the declarations of this name directly in the module around `position`: offset,
    /// keyword, position.
    fn module_declarations(
        &self,
        file: &SourceFile,
        name: &str,
        position: LineColumn,
    ) -> Vec<(usize, &'static str, LineColumn)> {
        let module = |position| file.module_around(position);
        find_declarations(&self.text, name)
            .map(|(start, keyword)| (start, keyword, self.places[start]))
            .filter(|&(_, _, place)| file.is_directly_in(place, module(place)))
            .filter(|&(_, _, place)| module(place) == module(position))
            .collect()
    }

    /// Returns the kind of block that an opening brace begins.
    fn opening_word(&self, open: LineColumn) -> OpeningWord {
        let Ok(start) = self.places.binary_search(&open) else { return OpeningWord::Other };
        let before = self.text[..start].trim_end();
        match before.ends_with('!') {
            true => OpeningWord::Macro,
            false if ends_with_word(before, "extern") => OpeningWord::Extern,
            false => OpeningWord::Other,
        }
    }

    /// Returns the macro call around the offset `start`: the offset after its opening bracket, and
    /// the name of the macro.
    fn call_around(&self, start: usize) -> Option<(usize, String)> {
        let mut depth = 0;
        let open = self.text[..start].rfind(|char| {
            depth += i32::from("([{".contains(char)) - i32::from(")]}".contains(char));
            depth == 1
        })?;
        let before = self.text[..open].trim_end().strip_suffix('!')?;
        let name = before.rsplit(|char| !is_name(char)).next().filter(|name| !name.is_empty())?;
        Some((before.len(), name.to_owned()))
    }

    /// Returns the `impl` or the trait that directly contains the offset `start`: the offset of its
    /// keyword, and its header in one line.
    fn block_around(&self, start: usize) -> Option<(usize, String)> {
        let mut depth = 0;
        let open = self.text[..start].rfind(|char| {
            depth += i32::from(char == '{') - i32::from(char == '}');
            depth == 1
        })?;
        let begin = self.text[..open].rfind(['{', '}']).map_or(0, |end| end + 1);
        let before = &self.text[begin..open];
        let is_word = |position: usize, keyword: &str| {
            !before[..position].ends_with(is_name)
                && !before[position + keyword.len()..].starts_with(is_name)
        };
        let keywords = ["impl", "trait"].into_iter().filter_map(|keyword| {
            let mut found = before.rmatch_indices(keyword).map(|(position, _)| position);
            found.find(|position| is_word(*position, keyword))
        });
        let position = keywords.max()?;
        let written = before[position..].split(" where ").next()?;
        let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
        Some((begin + position, written))
    }

    /// Returns the trait that directly contains the offset `start`: the offset of its keyword, and
    /// its name.
    fn trait_around(&self, start: usize) -> Option<(usize, String)> {
        let before = &self.text[..start];
        let keyword =
            before.rfind("trait ").filter(|position| !before[..*position].ends_with(is_name))?;
        let between = &before[keyword..];
        let depth = between.matches('{').count().checked_sub(between.matches('}').count())?;
        let name = between["trait ".len()..].split(|char| !is_name(char)).next()?;
        (depth == 1 && !name.is_empty()).then(|| (keyword, name.to_owned()))
    }

    /// Returns true if `#[device]` is on the item at `start`, or on a module around it.
    fn is_device_item(&self, file: &SourceFile, start: usize) -> bool {
        let before = &self.text[..start];
        let attributes = before.rfind([';', '{', '}']).map_or(before, |end| &before[end..]);
        attributes.contains("device]") || self.is_in_device_module(file, start)
    }

    /// Returns true if `#[device]` is on a module around the item at `start`.
    fn is_in_device_module(&self, file: &SourceFile, start: usize) -> bool {
        let place = self.places[start];
        let around =
            file.scopes().iter().filter(|braces| braces.open < place && place < braces.close);
        around
            .filter_map(|braces| self.places.iter().position(|position| *position == braces.open))
            .any(|open| {
                let before = self.text[..open].trim_end().trim_end_matches(is_name).trim_end();
                before
                    .strip_suffix("mod")
                    .is_some_and(|before| may_be_device_item(&self.text, before.len()))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::source_map::names::FileNames;

    /// Returns the host item that `name` refers to at the `@` of a text.
    fn host_item_of(name: &str, text: &str) -> Option<(&'static str, usize)> {
        let before: Vec<&str> = text.split_once('@').unwrap().0.split('\n').collect();
        let at = (before.len(), before.last().unwrap().chars().count() + 1);
        let file = SourceFile::new(text.replace('@', " "));
        find_host_item(&file, name, at).map(|item| (item.keyword, item.line))
    }

    #[test]
    fn items_without_an_attribute_are_of_the_host() {
        assert_eq!(host_item_of("f", "fn f() {}\nfn k() { @ }"), Some(("fn", 1)));
        assert_eq!(
            host_item_of("f", "fn k() { @ }\n\n/// d\n#[inline]\npub(crate) const fn f() {}"),
            Some(("fn", 5))
        );
        assert_eq!(
            host_item_of("A", "mod a { struct A { x: u32 } fn k() { @ } }"),
            Some(("struct", 1))
        );
        assert_eq!(
            host_item_of("A", "#[device] const B: u32 = 1; const A: u32 = 2; @"),
            Some(("const", 1))
        );
    }

    #[test]
    fn blocks_of_associated_items_are_found() {
        let block = |text: &str| {
            let column = text.find('@').unwrap() + 1;
            let file = SourceFile::new(text.replace('@', " "));
            block_of_associated_items(&file, (1, column))
        };
        assert_eq!(block("impl S { @ }"), Some("impl"));
        assert_eq!(
            block("use a; #[b] impl<T> A<T> for [T; 4] where T: C { fn f() {} @ }"),
            Some("impl")
        );
        assert_eq!(block("struct S; pub(crate) unsafe trait A: B { @ }"), Some("trait"));
        for text in [
            "impl S {} @",
            "impl S { fn f() { @ } }",
            "impl S {} mod m { @ }",
            "fn f(x: impl Fn()) -> impl A { @ }",
            "trait A { fn f(x: impl B); fn g() { @ } }",
            "m!(impl S); mod m { @ }",
        ] {
            assert_eq!(block(text), None, "{text}");
        }
    }

    #[test]
    fn derives_above_an_attribute_are_found() {
        let derived = |text: &str| {
            let before: Vec<&str> = text.split_once('@').unwrap().0.split('\n').collect();
            let at = (before.len(), before.last().unwrap().chars().count() + 1);
            derives_above(&SourceFile::new(text.replace('@', "#")), at).join(" ")
        };
        assert_eq!(derived("#[derive(Clone, Copy)]\n@[device] struct S;"), "Clone Copy");
        let with_comments =
            "#[derive(std::cmp::PartialEq,)] // x\n/// Docs.\n#[repr(C)] // ]\n  // x\n@[device]";
        assert_eq!(derived(with_comments), "PartialEq");
        assert_eq!(derived("#[derive(Clone)] struct A;\n@[device] struct S;"), "");
        assert_eq!(derived("@[device] #[derive(Clone)] struct S;"), "");
    }

    #[test]
    fn repeated_declarations_are_found() {
        let is_repeated = |text: &str| {
            let column = text.find('@').unwrap() + 1;
            let file = SourceFile::new(text.replace('@', " "));
            is_declared_again(&file, "k", (1, column))
        };
        assert!(is_repeated("#[kernel] fn k() {} #[kernel] fn @k() {}"));
        assert!(is_repeated("mod a { fn k() {} fn @k() {} }"));
        for text in [
            "#[kernel] fn @k() {} #[kernel] fn k() {}",
            "struct k; #[kernel] fn @k() {}",
            "mod a { fn k() {} } fn @k() {}",
            "fn f() { fn k() {} } fn @k() {}",
            "#[cfg(a)] #[kernel] fn k() {} #[cfg(b)] #[kernel] fn @k() {}",
            "fn k() {} #[kernel] #[cfg(a)] fn @k() {}",
            "twice!(fn k() {} fn @k() {});",
        ] {
            assert!(!is_repeated(text), "{text}");
        }
    }

    #[test]
    fn device_items_are_not() {
        for text in [
            "#[device] fn f() {} @",
            "#[device]\n/// What it does.\n#[inline]\npub fn f() {} @",
            "#[warpwise::device] // for kernels\npub(crate) unsafe extern \"C\" fn f() {} @",
            "#[cfg(a)] fn f() {} #[cfg(b)] #[device] fn f() {} @",
            "#[cfg_attr(a, device)] fn f() {} @",
            "#[device] mod m { fn f() {} fn k() { @ } }",
            "#[device] pub mod m { fn g() { fn f() {} } fn f() {} @ }",
        ] {
            assert_eq!(host_item_of("f", text), None, "{text}");
        }
    }

    #[test]
    fn host_methods_are_found_by_their_type() {
        let found = |text: &str, ty| {
            let file = SourceFile::new(text.to_owned());
            host_blocks_with(&file, "f", ty).join(" and ")
        };
        let own = "struct P;\nimpl P { fn g() {} fn f(self) {} }\nimpl Q { fn f(self) {} }";
        assert_eq!(found(own, "P"), "`impl P` (line 2)");
        assert_eq!(found(own, "Q"), "`impl Q` (line 3)");
        assert_eq!(found(own, "f32"), "");
        let of_trait = "pub trait A { fn f(self); }\n#[inline]\nimpl<T: B<C>> A for P<T>\nwhere T: D { fn f(self) { { } } }";
        assert_eq!(
            found(of_trait, "P"),
            "`trait A` (line 1) and `impl<T: B<C>> A for P<T>` (line 3)"
        );
        let with_lifetime = "impl<'a> P<'a> { fn f(self) -> &'static u8 { &b'x' } }";
        assert_eq!(found(with_lifetime, "P"), "`impl<'a> P<'a>` (line 1)");
        let by_default = "trait A { fn f(self) {} }\nimpl A for f32 {}";
        assert_eq!(found(by_default, "f32"), "`trait A` (line 1) and `impl A for f32` (line 2)");
        let one = "#[device] trait A { fn f(self) {} }\nimpl A for f32 { fn f(self) {} }";
        assert_eq!(found(one, "f32"), "`impl A for f32` (line 2)");
        assert_eq!(found("#[device]\nimpl P { fn f(self) {} }", "P"), "");
        assert_eq!(found("#[device] mod m { impl P { fn f(self) {} } }", "P"), "");
        assert_eq!(found("fn f() {} impl P { fn ff(self) {} }", "P"), "");
        assert_eq!(
            found("impl A for [f32; 2] { fn f(self) {} }", "[f32; 2]"),
            "`impl A for [f32; 2]` (line 1)"
        );
    }

    /// Returns the file and the position of the `@` of a text.
    fn file_and_position(text: &str) -> (SourceFile, LineColumn) {
        let before: Vec<&str> = text.split_once('@').unwrap().0.split('\n').collect();
        let at = (before.len(), before.last().unwrap().chars().count() + 1);
        (SourceFile::new(text.replace('@', " ")), at)
    }

    #[test]
    fn items_out_of_scope_are_known() {
        let is_out = |text: &str| {
            let (file, at) = file_and_position(text);
            is_out_of_scope(&file, "f", at)
        };
        for text in [
            "mod a { fn f() {} } @",
            "fn g() { { const f: u32 = 1; } @ }",
            "#[cfg(feature = \"none\")] #[device] fn f() {} @",
            "#[device]\n#[cfg(all(feature = \"none\", unix))]\npub fn f() {} @",
            "impl P { fn f() {} } @",
        ] {
            assert!(is_out(text), "{text}");
        }
        for text in [
            "fn f() {} @",
            "fn g() { { const f: u32 = 1; @ } }",
            "#[cfg(unix)] fn f() {} @",
            "#[cfg(not(feature = \"none\"))] fn f() {} @",
            "extern \"C\" { fn f(); } @",
            "m! { fn f() {} } @",
        ] {
            assert!(!is_out(text), "{text}");
        }
    }

    #[test]
    fn items_of_macros_and_foreign_blocks_are_found() {
        let making = |text: &str| {
            let (file, at) = file_and_position(text);
            find_making_macro(&file, "N", at)
        };
        let rules = "macro_rules! m { ($n:ident) => { const $n: u32 = 1; } }";
        assert_eq!(making(&format!("\n{rules} m!(N); @")), Some(("m".to_owned(), 2)));
        let device = rules.replace("const", "#[device] const");
        for text in [format!("{device} m!(N); @"), format!("{rules} fn g() {{ m!(N); }} @")] {
            assert_eq!(making(&text), None, "{text}");
        }
        assert_eq!(host_item_of("f", "unsafe extern \"C\" { fn f(); } @"), Some(("extern", 1)));
        let statics = "thread_local!(static f: u32 = 1); @";
        assert_eq!(host_item_of("f", statics), Some(("thread_local", 1)));
    }

    #[test]
    fn enums_are_found_by_a_variant() {
        let file = SourceFile::new("enum A { X }\nenum B { Y(u32), Z }".to_owned());
        assert_eq!(enum_with_variant(&file, "Z").as_deref(), Some("B"));
        assert_eq!(enum_with_variant(&file, "W"), None);
    }

    #[test]
    fn items_of_other_places_are_not_meant() {
        for text in [
            "mod a { fn f() {} } use b::f; @",
            "fn f() {} mod a { @ }",
            "struct A; impl A { fn f() {} } @",
            "macro_rules! m { () => { fn f() {} } } @",
            "m! { fn f() {} } @",
            "m!(fn f() {}); @",
            "fn g() { fn f() {} } @",
            "// fn f() {}\n@",
            "const A: &str = \"fn f\"; @",
            "fn ff() {} fn f1() {} @",
            "let f = 1; @",
        ] {
            assert_eq!(host_item_of("f", text), None, "{text}");
        }
    }

    #[test]
    fn functions_are_of_the_file_or_brought() {
        for text in [
            "fn f() {}",
            "mod a { #[device] pub const fn f<T>(x: T) {} }",
            "use a::f;",
            "use a::{self, b::{g, f}};",
            "use a::g as f;",
            "use super::*;",
            "fn g() {} use crate::{a::*, b};",
            "#[kernel] fn k() { f(); }",
        ] {
            assert!(FileNames::collect(text).may_have_function("f"), "{text}");
        }
        for text in [
            "use warpwise::prelude::*; fn k() { let g = f; }",
            "use a::ff; fn ff() {} fn k(x: f32) { g(f); let fn_f = f; }",
            "",
        ] {
            assert!(!FileNames::collect(text).may_have_function("f"), "{text}");
        }
    }

    /// Returns true if `name` is a type of the module at the `@` of a text.
    fn is_declared_in(name: &str, text: &str) -> bool {
        let before: Vec<&str> = text.split_once('@').unwrap().0.split('\n').collect();
        let at = (before.len(), before.last().unwrap().chars().count() + 1);
        has_own_type(&SourceFile::new(text.replace('@', " ")), name, at)
    }

    #[test]
    fn types_of_a_module_are_known() {
        for text in [
            "struct Range; @",
            "mod a { #[device] pub enum Range {} fn k() { @ } }",
            "use geo::{Disc, Range}; fn k() { @ }",
            "use geo::Interval as Range; @",
            "type Range = Interval; @",
        ] {
            assert!(is_declared_in("Range", text), "{text}");
        }
        for text in [
            "use std::ops::Range; @",
            "use core::{cmp, ops::{Range, Add}}; @",
            "mod a { struct Range; } @",
            "struct Range; mod a { @ }",
            "mod a { use geo::Range; } @",
            "trait Range {} fn Range() {} // struct Range;\n@",
            "use geo::RangeOf; @",
        ] {
            assert!(!is_declared_in("Range", text), "{text}");
        }
    }

    #[test]
    fn rules_are_found_where_they_are_in_scope() {
        let found = |text: &str| {
            let before: Vec<&str> = text.split_once('@').unwrap().0.split('\n').collect();
            let at = (before.len(), before.last().unwrap().chars().count() + 1);
            let found = find_macro_rules(&SourceFile::new(text.replace('@', " ")), "m", at);
            found.map(|tokens| tokens.to_string())
        };
        for text in [
            "macro_rules! m { () => { 1 } } fn k() { @ }",
            "// é m\nmacro_rules! m { () => { 2 } }\nmacro_rules! m { () => { 1 } } mod a { @ }",
            "mod a { macro_rules! m { () => { 1 } } fn k() { @ } }",
            "macro_rules! mm { () => { 2 } } macro_rules! m { () => { 1 } } macro_rules! n {} @",
        ] {
            assert_eq!(found(text).as_deref(), Some("() => { 1 }"), "{text}");
        }
        for text in [
            "fn k() { @ } macro_rules! m { () => { 1 } }",
            "mod a { macro_rules! m { () => { 1 } } } @",
            "fn k() { macro_rules! m { () => { 1 } } } fn l() { @ }",
            "// macro_rules! m { () => { 1 } }\n@",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
