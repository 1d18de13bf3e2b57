//! Tests of paths to other items, and of names that are no such path.
use crate::resolve::paths::{known::is_known_item, *};

fn keys(item: &str) -> Vec<String> {
    device_paths(&syn::parse_str(item).unwrap()).iter().map(path_key).collect()
}

#[test]
fn functions_that_are_called_or_passed_on() {
    let found = keys(
        "fn k<T: Float>(x: f32) {
            helper(geo::area::<f32>(x), helper(1.0, 2.0));
            let f = |x| inner(x);
            f(3);
            T::from_i32(3); f32::from_bits(1); std::mem::swap(1, 2); Some(3); Num::min(1, 2);
            thread_idx_x(); warp::any(true); warpwise::warp::shfl(x, 3); any(true);
            <f32>::max(1.0, 2.0);
            apply(square, x.map(cube));
            let area = area(x);
            area(x);
            fn nested(x: f32) { ours(); x(1); nested(area(2)) }
        }",
    );
    let expected =
        ["helper", "geo::area", "inner", "any", "apply", "square", "cube", "area", "ours"];
    assert_eq!(found, expected);
}

#[test]
fn types_wherever_they_stand() {
    let found = keys(
        "fn f<T: Shape + Add<Output = T>, const N: usize>(a: &[Vec3], b: geo::Mat<f32, N>) -> Hit<T>
        where T::Item: other::Bound {
            let c: [Cell2; N] = [Cell2::default(); N];
            let d = Self2 { x: 1.0, ..geo::Rest::new() };
            <T as Area>::area(); <Disc as Solid>::volume(); Vec::<Inner>::new();
            x.cast::<Turbo>() as Alias;
            shared!([Tile; 4]); shared_dyn!(Part, LEN * 2);
        }",
    );
    let expected = [
        "Shape",
        "Vec3",
        "geo::Mat",
        "Hit",
        "other::Bound",
        "Cell2",
        "geo::Rest",
        "Self2",
        "Area",
        "Solid",
        "Disc",
        "Inner",
        "Turbo",
        "Alias",
        "Tile",
        "Part",
        "LEN",
    ];
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    assert_eq!(sorted(found), sorted(expected.map(String::from).into()));
}

#[test]
fn constants_and_variants() {
    let found = keys(
        "fn f<const N: usize>(x: u32) {
            const LOCAL: u32 = 3;
            let [first, .., last] = x;
            match x {
                TILE => geo::WIDTH + LOCAL + N,
                Shape::Circle { radius, .. } | Shape::Square(radius) if radius > f32::MAX => 1,
                None | Some(Kind::A) => u32::BITS,
                other @ 1..=LAST => other,
                name => name,
            }
            assert!(matches!(x, Wide::A(y) if y > LIMIT), \"{}\", SHOWN);
            if let Tall(a) = x && a > b {}
            Self::CONST + first
        }",
    );
    let expected =
        ["TILE", "geo::WIDTH", "Shape", "Kind", "LAST", "Wide", "LIMIT", "SHOWN", "Tall"];
    assert_eq!(found, expected);
}

#[test]
fn of_every_kind_of_item() {
    let cases: [(&str, &[&str]); 8] = [
        (
            "pub(crate) struct P<T: Num> { x: T, #[doc = \"\"] q: sub::Q<T>, n: [R; N] }",
            &["sub::Q", "R", "N"],
        ),
        ("enum E { A = FIRST, B(P), C { d: D } }", &["FIRST", "P", "D"]),
        ("const C: [T; 2] = [T::new(D), t()];", &["T", "D", "t"]),
        ("type A<T> = m::B<T>;", &["m::B"]),
        (
            "trait S: Super { const X: K; type I: Bound; fn f(&self, o: &Self) -> V { g() } }",
            &["Super", "K", "Bound", "V", "g"],
        ),
        (
            "impl<T> Shape for Disc<T> where T: Num { type I = T; const X: f32 = PI2; fn f<U>(u: U) {} }",
            &["Shape", "Disc", "PI2"],
        ),
        (
            "impl std::ops::Add<V> for V { type Output = V; fn add(self, o: V) -> V { Self::new() } }",
            &["V"],
        ),
        ("impl Area for f32 { fn area(self) -> f32 { self * PI2 } }", &["Area", "PI2"]),
    ];
    for (item, expected) in cases {
        assert_eq!(keys(item), expected, "{item}");
    }
}

#[test]
fn open_constants_are_for_rustc() {
    let item = syn::parse_quote!(
        fn k(x: &mut [f32]) {
            x[TILE] = x[a::WIDTH] + x[MINE];
        }
    );
    let open = vec![syn::parse_quote!(TILE), syn::parse_quote!(a::WIDTH)];
    let options = Options { open, ..Options::default() };
    assert_eq!(paths_of_kernel(&item, &options).iter().map(path_key).collect::<Vec<_>>(), ["MINE"]);
}

#[test]
fn block_sizes_lead_to_constants() {
    let item = syn::parse_quote!(
        fn k<const N: usize>(x: &mut [f32]) {}
    );
    let block =
        Some([syn::parse_quote!(THREADS), syn::parse_quote!(N), syn::parse_quote!(a::ROWS)]);
    let options = Options { block, ..Options::default() };
    let paths = paths_of_kernel(&item, &options);
    assert_eq!(paths.iter().map(path_key).collect::<Vec<_>>(), ["THREADS", "a::ROWS"]);
}

#[test]
fn known_names() {
    for name in ["AtomicU32", "F32x4", "Option", "Add", "Num"] {
        assert!(is_known_item(name), "{name}");
    }
    for name in ["Atom", "AtomicX", "Fox", "F32x", "Xx4", "Particle", "TILE"] {
        assert!(!is_known_item(name), "{name}");
    }
}
