//! Recursive definitions, and sizes beyond any memory, are refused quickly.
use crate::{syntax::error::Rejected, tests::lower_text};

fn rejection(items: &str, params: &str, body: &str) -> Rejected {
    let text = format!("{items} #[kernel] fn k(x: &mut [f32]{params}) {{ {body} }}");
    std::thread::scope(|scope| {
        // The stack size that rustc gives to a macro.
        let lowering = std::thread::Builder::new().stack_size(8 << 20);
        let lowering = lowering.spawn_scoped(scope, || {
            let rejected = lower_text(&text).err().unwrap_or_else(|| panic!("accepted: {text}"));
            (rejected.errors.to_string(), rejected.rustc_reports)
        });
        let (message, rustc_reports) = lowering.unwrap().join().unwrap();
        assert!(!message.contains("report this bug"), "{message}: {text}");
        let errors = syn::Error::new(proc_macro2::Span::call_site(), message);
        Rejected { errors, rustc_reports }
    })
}

#[test]
fn a_definition_that_leads_to_itself_is_left_to_rustc() {
    const S: &str = "#[device] #[derive(Clone, Copy)] struct S;";
    for (items, params, body) in [
        ("#[device] const A: usize = A;", "", "let s = [0.0f32; A]; x[0] = s[0];"),
        ("#[device] const A: f32 = A;", "", "x[0] = A;"),
        ("#[device] const A: f32 = B; #[device] const B: f32 = A + 1.0;", "", "x[0] = A;"),
        ("#[device] const A: [f32; A.len()] = [1.0; 3];", "", "x[0] = A[0];"),
        ("", "", "const A: usize = B; const B: usize = A; let s = [0.0f32; A]; x[0] = s[0];"),
        ("", "", "const A: f32 = A; x[0] = A;"),
        ("#[device] type P = (P, i32);", "", "let p: P; x[0] = 1.0;"),
        ("#[device] type P = Option<Q>; #[device] type Q = [P; 3];", "", "let p: Q = [None; 3];"),
        (S, "", "impl S { const A: f32 = S::B; const B: f32 = Self::A; } x[0] = S::A;"),
        (
            "#[device] trait T { type A; } #[device] struct S; #[device] impl T for S { type A = <S as T>::A; }",
            "",
            "let y: <S as T>::A; x[0] = 1.0;",
        ),
        ("#[device] struct S<T = S> { t: T }", "", "let s: S; x[0] = 1.0;"),
        (
            "#[device] #[derive(Clone, Copy)] struct Node { v: f32, next: Option<Node> }",
            ", n: &[Node]",
            "x[0] = n[0].v;",
        ),
        (
            "#[device] #[derive(Clone, Copy)] struct Node { v: f32, next: [Node; 2] }",
            ", n: Node",
            "x[0] = n.v;",
        ),
        (
            "#[device] #[derive(Clone, Copy)] enum L { Nil, Cons(f32, L) }",
            "",
            "let l = L::Nil; if let L::Cons(v, _) = l { x[0] = v; }",
        ),
        (
            "#[device] #[derive(Clone, Copy)] struct G<T> { t: T } #[device] #[derive(Clone, Copy)] struct B { g: G<B> }",
            ", b: B",
            "let c = b;",
        ),
        (
            "#[device] #[derive(Clone, Copy)] struct W<T> { t: T, w: Option<W<W<T>>> }",
            ", w: W<f32>",
            "x[0] = w.t;",
        ),
        (
            "#[device] #[derive(Clone, Copy, PartialEq, PartialOrd)] struct B { b: (f32, B) }",
            ", b: &[B]",
            "if b[0] < b[1] { x[0] = 1.0; }",
        ),
        (
            "#[device] struct D(f32); #[device] impl std::ops::Deref for D { type Target = D; fn deref(&self) -> &D { self } }",
            "",
            "let d = D(1.0); x[0] = d.zz;",
        ),
    ] {
        let rejected = rejection(items, params, body);
        assert!(rejected.rustc_reports, "{}: {items} {body}", rejected.errors);
    }
}

#[test]
fn a_definition_that_leads_on_for_ever_larger_types_is_refused() {
    const WRAP: &str = "#[device] #[derive(Clone, Copy)] struct W<X>(X);";
    for (items, body) in [
        (
            "#[device] trait T { const N: f32; } #[device] impl<X> T for W<X> { const N: f32 = W::<W<X>>::N + W::<W<X>>::N; }",
            "x[0] = W::<u32>::N;",
        ),
        (
            "#[device] trait T { type A; } #[device] impl<X: T> T for W<X> { type A = <W<W<X>> as T>::A; }",
            "let y: <W<f32> as T>::A; x[0] = 1.0;",
        ),
        (
            "#[device] trait T { const A: f32 = Self::B; const B: f32 = Self::A; } #[device] impl T for W<f32> {}",
            "x[0] = W::<f32>::A;",
        ),
        (
            "#[device] trait T { fn f(self) -> f32; } #[device] impl<X: T> T for (X, X) { fn f(self) -> f32 { (self, self).f() } }",
            "x[0] = (x[0], x[1]).f();",
        ),
    ] {
        let rejected = rejection(&format!("{WRAP} {items}"), "", body);
        assert!(!rejected.rustc_reports, "{}: {items}", rejected.errors);
    }
    let doubled = (1..40).map(|n| format!("#[device] const A{n}: f32 = A{} + A{};", n - 1, n - 1));
    let doubled: String = doubled.collect();
    rejection(&format!("#[device] const A0: f32 = 1.0; {doubled}"), "", "x[0] = A39;");
}

#[test]
fn a_type_that_contains_itself_behind_a_function_pointer_is_kernel_code() {
    let text = "#[device] #[derive(Clone, Copy)] struct S { f: fn(S) -> f32, v: f32 } #[device] fn v(s: S) -> f32 { s.v }
        #[kernel] fn k(x: &mut [f32]) { let s = S { f: v, v: 1.0 }; x[0] = (s.f)(s); }";
    assert!(lower_text(text).is_ok());
}

#[test]
fn a_parameter_that_no_launch_can_pass_is_refused_before_it_is_taken_apart() {
    for ty in [
        "[f32; 1 << 32]",
        "[[u8; 1 << 16]; 1 << 16]",
        "([f32; 65536], u32)",
        "Option<[u64; 1 << 40]>",
    ] {
        let rejected = rejection("", &format!(", p: {ty}"), "x[0] = 1.0;");
        assert!(
            rejected.errors.to_string().contains("this parameter takes"),
            "{}",
            rejected.errors
        );
    }
}
