//! Limits on nesting, which keep recursive stages from overflowing the stack.
use crate::{syntax::limits::MAX_DEPTH, tests::lower_text};
use warpwise_compiler::verify::verify;

/// Runs `test` with the stack size that rustc gives to a macro.
fn with_rustc_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(8 << 20).spawn(test).unwrap().join().unwrap();
}

fn error_message(text: &str) -> String {
    lower_text(text).unwrap_err().errors.to_string()
}

#[test]
fn too_deep_nesting_is_refused() {
    with_rustc_stack(|| {
        for depth in [MAX_DEPTH, 2 * MAX_DEPTH] {
            let negated = "-".repeat(depth);
            let parens = ("(".repeat(depth), ")".repeat(depth));
            let blocks = ("{".repeat(depth / 2), "}".repeat(depth / 2));
            let calls = ("f(".repeat(depth), ")".repeat(depth));
            for text in [
                format!("x[0] = {negated}1;"),
                format!("x[0] = {}1{};", parens.0, parens.1),
                format!("x[0] = {}1{};", blocks.0, blocks.1),
                format!("x[0] = {}1{};", calls.0, calls.1),
                format!("x[0] = x[0]{};", ".abs()".repeat(depth)),
                format!("if x[0] > 1 {} {{}}", "&& x[0] > 1 ".repeat(depth)),
                format!("let y: {}i32 = &1;", "&".repeat(MAX_DEPTH)),
            ] {
                let message = error_message(&format!("#[kernel] fn k(x: &mut [i32]) {{ {text} }}"));
                assert!(message.contains("cannot nest deeper than"), "{message}\n{text}");
            }
        }
    });
}

/// Returns a sum of many terms, as many alternatives, and as many `else if`s with and without
/// values.
fn long_chains(links: usize) -> [String; 4] {
    let arms = |what: &str| {
        let arms = (0..links)
            .map(|n| format!("if x[0] == {n} {{ {} }}", what.replace('#', &n.to_string())));
        arms.collect::<Vec<_>>().join(" else ")
    };
    [
        format!("x[0] = {}1;", "x[1] + ".repeat(links)),
        format!("if {} x[0] > 7 {{ x[0] = 1; }}", "x[1] == 5 ||".repeat(links)),
        format!("x[0] = {} else {{ 2 }};", arms("# * 3")),
        format!("{};", arms("x[#] = 1;")),
    ]
}

#[test]
fn long_chains_are_lowered() {
    with_rustc_stack(|| {
        for text in long_chains(1500) {
            let lowered = lower_text(&format!("#[kernel] fn k(x: &mut [i32]) {{ {text} }}"));
            verify(&lowered.unwrap().kernel).unwrap();
        }
        for text in long_chains(2500) {
            let message = error_message(&format!("#[kernel] fn k(x: &mut [i32]) {{ {text} }}"));
            assert!(message.contains("cannot chain more than"), "{message}");
        }
    });
}

#[test]
fn too_long_chains_are_refused_before_parsing() {
    for (link, end) in [("1 + ", "1"), ("1.abs()", ""), ("a[0]", ""), ("1 as u8 as u8", "")] {
        let text = link.repeat(20_000) + end;
        let tokens: proc_macro2::TokenStream = text.parse().unwrap();
        assert!(crate::syntax::tokens::Tokens::read(&tokens).is_err(), "{link}");
    }
    let arms = "if a { b } else ".repeat(20_000) + "{ c }";
    assert!(crate::syntax::tokens::Tokens::read(&arms.parse().unwrap()).is_err());
    let statements = "if a == 1 { b } else { c } for i in 0..n { d(i) } ".repeat(20_000);
    assert!(crate::syntax::tokens::Tokens::read(&statements.parse().unwrap()).is_ok());
}

#[test]
fn nesting_too_deep_for_the_parser_is_refused() {
    with_rustc_stack(|| {
        for (open, close) in
            [("(", ")"), ("{", "}"), ("[", "]"), ("f(", ")"), ("- ", ""), ("& ", "")]
        {
            for depth in [150, 400, 5000] {
                let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
                let tokens: proc_macro2::TokenStream = text.parse().unwrap();
                let checked = crate::syntax::tokens::Tokens::read(&tokens);
                assert_eq!(checked.is_ok(), depth == 150, "{open} {depth}");
                if checked.is_ok() {
                    let item = quote::quote!(fn k() { x = #tokens; });
                    assert!(syn::parse2::<syn::ItemFn>(item).is_ok());
                    let references = "&".repeat(depth).parse::<proc_macro2::TokenStream>();
                    let references = references.unwrap();
                    let item = quote::quote!(fn k() { let x: #references i32; });
                    assert!(syn::parse2::<syn::ItemFn>(item).is_ok());
                }
            }
        }
    });
}

#[test]
fn nesting_below_the_limit_is_lowered() {
    with_rustc_stack(|| {
        let depth = MAX_DEPTH - 8;
        let sum = "x[0] + ".repeat(depth);
        let parens = ("(".repeat(depth), ")".repeat(depth));
        let ands = "x[0] > 1 && ".repeat(depth / 2);
        for text in [
            format!("x[0] = {sum} 1;"),
            format!("x[0] = {}1{};", parens.0, parens.1),
            format!("x[0] = x[0]{};", ".abs()".repeat(depth)),
            format!("if {ands} x[1] > 1 {{ x[0] = 1; }}"),
            format!("while {ands} x[1] > 1 {{ x[0] = 1; }}"),
        ] {
            let lowered = lower_text(&format!("#[kernel] fn k(x: &mut [i32]) {{ {text} }}"));
            verify(&lowered.unwrap().kernel).unwrap();
        }
    });
}

#[test]
fn inlining_too_much_is_refused() {
    with_rustc_stack(|| {
        // Each function calls the previous one twice, or nests its call deeply.
        let mut doubling = String::from("#[device] fn f0(x: f32) -> f32 { x + 1.0 }");
        let mut nesting = doubling.clone();
        for n in 1..40 {
            let before = n - 1;
            doubling += &format!(
                "#[device] fn f{n}(x: f32) -> f32 {{ f{before}(x) + f{before}(x + 1.0) }}"
            );
            let parens = "1.0 + (".repeat(30);
            let close = ")".repeat(30);
            nesting +=
                &format!("#[device] fn f{n}(x: f32) -> f32 {{ {parens} f{before}(x) {close} }}");
        }
        let kernel = "#[kernel] fn k(x: &mut [f32]) { x[0] = f39(x[0]); }";
        let error = error_message(&format!("{doubling} {kernel}"));
        assert!(error.contains("instructions once its device functions are inlined"), "{error}");
        let error = error_message(&format!("{nesting} {kernel}"));
        assert!(error.contains("nests too deep once its device functions are inlined"), "{error}");
    });
}

#[test]
fn constants_that_do_not_end_have_no_value() {
    let parens = "(".repeat(90);
    let close = ")".repeat(90);
    for constant in [
        "loop {}".to_owned(),
        "loop { assert!(true); }".to_owned(),
        "forever()".to_owned(),
        "deep(1000)".to_owned(),
        "[1; usize::MAX][0]".to_owned(),
    ] {
        let text = format!(
            "#[device] const fn forever() -> usize {{ while true {{ }} 1 }} \
             #[device] const fn deep(n: usize) -> usize {{ {parens} if n == 0 {{ 0 }} else {{ deep(n - 1) }} {close} }} \
             #[kernel] fn k(x: &mut [i32]) {{ x[0] = [1; {{ {constant} }}][0]; }}"
        );
        with_rustc_stack(move || {
            let message = error_message(&text);
            assert!(!message.contains("bug"), "{constant}: {message}");
        });
    }
}
