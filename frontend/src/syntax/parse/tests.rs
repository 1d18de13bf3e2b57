//! Equality of the parsed syntax trees with syn's.
use crate::syntax::parse::*;
use quote::ToTokens as _;
use std::{fs, path::Path};
use syn::visit::{self, Visit};

/// Reads `stream` both ways; whether it was read here.
pub(crate) fn reads_as_syn(stream: &TokenStream) -> bool {
    let Some(item) = Tokens::read(stream).ok().as_ref().and_then(parse_function) else {
        return false;
    };
    let by_syn = syn::parse2::<ItemFn>(stream.clone());
    let by_syn = by_syn.unwrap_or_else(|error| panic!("{error}, and yet read: {stream}"));
    assert_eq!(format!("{item:?}"), format!("{by_syn:?}"), "{stream}");
    // These say where the tokens are, too.
    let tokens = [item, by_syn].map(|item| format!("{:?}", item.into_token_stream()));
    assert_eq!(tokens[0], tokens[1], "{stream}");
    true
}

/// Visits the tokens of all functions of a file.
struct Functions<'v>(&'v mut dyn FnMut(TokenStream));

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        (self.0)(item.to_token_stream());
        visit::visit_item_fn(self, item);
    }
    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        (self.0)(item.to_token_stream());
        visit::visit_impl_item_fn(self, item);
    }
}

fn visit_folder(folder: &Path, functions: &mut Functions<'_>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            visit_folder(&path, functions);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && let Ok(file) = syn::parse_file(&fs::read_to_string(&path).unwrap())
        {
            functions.visit_file(&file);
        }
    }
}

/// Visits the tokens of thousands of functions.
pub(crate) fn functions_of_the_workspace(visit: &mut dyn FnMut(TokenStream)) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for folder in ["macros", "compiler", "examples"] {
        visit_folder(&root.join(folder), &mut Functions(visit));
    }
}

#[test]
fn functions_of_the_workspace_are_read_as_by_syn() {
    let (mut all, mut read) = (0, 0);
    functions_of_the_workspace(&mut |stream| {
        all += 1;
        read += usize::from(reads_as_syn(&stream));
    });
    assert!(all > 100 && read * 100 > all * 95, "{read} of {all}");
}

/// A body of one statement.
fn body(text: &str) -> TokenStream {
    format!("fn f() {{ {text} }}").parse().unwrap()
}

#[test]
fn operators_bind_as_in_syn() {
    let operators = [
        "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||", "==", "!=", "<", "<=", ">",
        ">=", "=", "+=", "<<=", "..", "..=",
    ];
    let mut read = 0;
    for first in operators {
        for second in operators {
            for text in [
                format!("a {first} b {second} c;"),
                format!("a {first} -b as u32 {second} !c;"),
                format!("x = a {first} b {second} c {first} d"),
            ] {
                read += usize::from(reads_as_syn(&body(&text)));
            }
        }
    }
    assert!(read > 1000, "{read}");
}

#[test]
fn statements_end_where_they_do_in_syn() {
    for text in [
        "if a { b } - 1; c",
        "if a { b } else if c { d } else { e }.f(); g",
        "if a { b } else if c { d } else { e } (f)",
        "{ a } [b];",
        "match a { _ => b } -c; d",
        "match a { _ => b }.c(); d;",
        "match a { _ => {} }; b",
        "#[x] for a in b {} c",
        "#[x] let a = 1; b",
        "'a: loop { break 'a; } b",
        "let Some(a) = b else { return }; c",
        "let a = if b { 1 } else { 2 } + 3;",
        "let a = b { c: d };",
        "let a: [u8; 4] = [0; 4]; let b: u8 = a[0]; let (c, d) = e;",
        "for a in b {} for (c, d) in e {} for _ in 0..f {}",
        "while let Some(a) = b { c } d",
        "unsafe { a } b",
        "a!(); b![c] ; d!{} e",
        "a!(b).c; !d!(e)",
        "; a; ;",
        "fn g() { h } a",
        "const A: u8 = 1; use b::c; static D: u8 = 2;",
        "return; a",
        "return a",
        "a.0.1; a.b; a.0; a.b::<c>(); a.await",
        "a as u32 < b; a as u32 <= b; a as u32 << b",
        "a < b as usize; a::<b>(c); a::b::C(d)",
        "&raw const a; &mut a; &&a; --a; *&mut a",
        "|a| b; move || c; a(|b| c, d)",
        "a..; ..b; ..; a..=b; for c in 0.. {}",
        "(a,); (a, b); (); (a)",
        "[]; [a]; [a,]; [a, b]; [a; b]",
        "a <- b; a => b; a -> b; a ... b",
        "a < b < c; a == b != c",
        "builtin # f(); self.a; Self::b(); crate::syntax::parse::c; crate::d; $e",
        "a = b = c; a += b -= c; a?.b?; union; auto; default; raw",
        "r#type.r#match; true & false; \"a\"; 'b'; b\"c\"; 1.5; 1.; 2.0.a; 1u8",
        "let _ = a; let mut b; let ref c = d; let e @ f = g; let self = h",
        "if let a = b && c {} if a {} else {} else {}",
        "if S { a: 1 } == b {} if (S { a: 1 }) == b {}",
        "#![a] b",
    ] {
        for part in [text.to_owned(), format!("{{ {text} }}"), format!("if x {{ {text} }}")] {
            if let Ok(stream) = format!("fn f() {{ {part} }}").parse() {
                reads_as_syn(&stream);
            }
        }
        for part in text.split_inclusive(';') {
            if let Ok(stream) = format!("fn f() {{ {part} }}").parse() {
                reads_as_syn(&stream);
            }
        }
    }
}

#[test]
fn invisible_groups_are_left_to_syn() {
    let inside = TokenTree::from(Group::new(Delimiter::None, quote::quote!(a + b)));
    let function = quote::quote!(fn f() { #inside * c; });
    assert!(!reads_as_syn(&function));
    assert!(reads_as_syn(&quote::quote!(
        fn f() {
            (a + b) * c;
        }
    )));
}
