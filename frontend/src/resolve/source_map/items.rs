//! Lookup of host items that kernel code uses by mistake, and of declarations in a source file.
//!
//! For such a name rustc only reports a missing macro; the source file has the actual item.
use crate::resolve::source_map::{
    LineColumn, SourceFile,
    attributes::{is_configured_out, may_be_device_item, without_qualifier},
    blocks::OpeningWord,
    imported_names,
    scanner::is_name,
};
use syn::ItemEnum;

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
    /// True for `static mut`.
    pub(crate) is_mutable: bool,
    /// True if its value is shared memory: `static TILE: [f32; 64] = shared!([f32; 64]);`.
    pub(crate) is_shared: bool,
}

/// Keywords of the items that kernel code may name.
pub(crate) const ITEM_KEYWORDS: [&str; 8] =
    ["fn", "struct", "enum", "union", "const", "static", "trait", "type"];

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
        .find(|(start, _)| !may_be_device_item(file, &file.text, *start))?;
    let words = file.code_text();
    let mut found = words.module_declarations(file, name, position).into_iter().peekable();
    let (start, keyword, (line, _)) = *found.peek()?;
    let after = &words.text[start..];
    let value = after.find('=').map_or("", |equals| after[equals + 1..].trim_start());
    let ty = after.split_once(':').map_or("", |(_, ty)| ty.trim_start());
    let host_item = HostItem {
        keyword,
        line,
        is_gated: words.attributes_of(start).contains("#[cfg("),
        is_array: ty.starts_with('['),
        is_mutable: after.split_whitespace().take(2).eq(["static", "mut"]),
        is_shared: value.starts_with("shared!") || value.starts_with("shared_dyn!"),
    };
    let is_host = |start| {
        !may_be_device_item(file, &words.text, start) && !words.is_in_device_module(file, start)
    };
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
    let has_attribute = |start| words.attributes_of(start).contains("#[device]");
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
        !may_be_device_item(file, &words.text, start) && !words.is_in_device_module(file, start)
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
    place.0 == position.0
        && earlier.iter().any(|(_, keyword, _)| keyword == own)
        && before.iter().all(|(start, ..)| !words.attributes_of(*start).contains("cfg"))
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
    let open = file.innermost_braces(position)?.open;
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

/// Returns true if `file` declares items of this name, all of them out of scope at `position`: in
/// modules other than the one around it, in blocks that end before it, or under a `#[cfg]` that
/// does not hold.
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
            is_mutable: false,
            is_shared: false,
        })
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
pub(super) fn find_declarations(
    text: &str,
    name: &str,
) -> impl Iterator<Item = (usize, &'static str)> {
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

pub(super) fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word).is_some_and(|rest| !rest.ends_with(is_name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::source_map::macros::find_making_macro;

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
            assert!(SourceFile::new(text.to_owned()).names().may_have_function("f"), "{text}");
        }
        for text in [
            "use warpwise::prelude::*; fn k() { let g = f; }",
            "use a::ff; fn ff() {} fn k(x: f32) { g(f); let fn_f = f; }",
            "",
        ] {
            assert!(!SourceFile::new(text.to_owned()).names().may_have_function("f"), "{text}");
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
}
