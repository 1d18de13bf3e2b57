//! What is carried arrives as it was sent.
use super::*;
use crate::lower::paths;
use syn::parse_quote;

/// What comes to the end of a chain from `closures`.
fn link(closures: &[TokenStream], state: &TokenStream) -> syn::Result<Link> {
    syn::parse2(quote!({} { #({ #closures })* } { #state }))
}

fn closures(link: &Link) -> Vec<Closure> {
    in_braces(&link.got).unwrap()
}

fn raw(id: &str, item: Item) -> Raw {
    Raw { id: id.into(), item }
}

fn names(linked: &Linked) -> Vec<String> {
    let name = |device: &DeviceItem| match item::name(&device.item) {
        Some(name) => name.to_string(),
        None => "impl".into(),
    };
    linked.set.items.iter().map(name).collect()
}

fn leads(pairs: &[(&str, usize)]) -> BTreeMap<String, usize> {
    pairs.iter().map(|&(key, index)| (key.to_owned(), index)).collect()
}

#[test]
fn a_closure_arrives_as_it_was_sent() {
    let [leaf, left, right]: [Item; 3] = [
        parse_quote!(
            /// Documented.
            #[allow(gpu_x)]
            fn leaf() {}
        ),
        parse_quote!(
            fn left() {
                m::leaf();
            }
        ),
        parse_quote!(
            fn right() {
                leaf();
            }
        ),
    ];
    let mut linked = Linked::empty();
    linked.add(&[raw("1", leaf)], paths).unwrap();
    let leaf = linked.closure("1");
    let of = |item: Item, id, path: Path| {
        let link = link(std::slice::from_ref(&leaf), &quote!(part x)).unwrap();
        let mut linked = Linked::new(&[path], closures(&link)).unwrap();
        linked.add(&[raw(id, item)], paths).unwrap();
        linked.closure(id)
    };
    let left = of(left, "2", parse_quote!(m::leaf));
    let right = of(right, "3", parse_quote!(leaf));

    let kernel = quote!(kernel { block = 8 } { fn k() { left(); a::right(); } });
    let link = link(&[left, right], &kernel).unwrap();
    let State::Kernel { args, item } = &link.state else { panic!("no kernel") };
    assert_eq!((args.to_string(), item.sig.ident.to_string()), ("block = 8".into(), "k".into()));
    let linked =
        Linked::new(&[parse_quote!(left), parse_quote!(a::right)], closures(&link)).unwrap();
    assert!(linked.sound);
    assert_eq!(names(&linked), ["left", "leaf", "right"], "each once");
    assert_eq!(linked.set.kernel_paths, leads(&[("left", 0), ("a::right", 2)]));
    assert_eq!(linked.set.items[0].paths, leads(&[("m::leaf", 1)]));
    let Item::Fn(carried) = &linked.set.items[1].item else { panic!("no function") };
    assert_eq!(carried.attrs.len(), 1, "without documentation");
    assert_eq!(linked.set.items[2].paths, leads(&[("leaf", 1)]));
}

/// A type and its `impl` lead to each other, and to a function of another module.
#[test]
fn a_bundle_arrives_together() {
    let mut outer = Linked::empty();
    let far = parse_quote!(
        fn far() {}
    );
    outer.add(&[raw("1", far)], paths).unwrap();
    let link = link(&[outer.closure("1")], &quote!(part x)).unwrap();
    let mut linked = Linked::new(&[parse_quote!(m::far)], closures(&link)).unwrap();
    let disc = parse_quote!(
        struct Disc {
            /// Documented.
            radius: f32,
        }
    );
    let area = parse_quote!(
        impl self::Disc {
            fn area(self) -> f32 {
                m::far();
                Disc::area(self)
            }
        }
    );
    linked.add(&[raw("2", disc), raw("3", area)], paths).unwrap();
    assert_eq!(names(&linked), ["far", "Disc", "impl"]);
    assert_eq!(linked.set.items[2].paths, leads(&[("self::Disc", 1), ("m::far", 0), ("Disc", 1)]));

    let closure: Closure = syn::parse2(linked.closure("2")).unwrap();
    let arrived = Linked::new(&[parse_quote!(geo::Disc)], vec![closure]).unwrap();
    assert_eq!(names(&arrived), ["Disc", "far", "impl"], "what was asked for first");
    assert_eq!(arrived.set.kernel_paths, leads(&[("geo::Disc", 0)]));
    assert!(!linked.closure("2").to_string().contains("doc"));
}

#[test]
fn what_is_wrong_spreads() {
    let link = link(&[wrong("1")], &quote!(part x)).unwrap();
    assert!(!Linked::new(&[parse_quote!(f)], closures(&link)).unwrap().sound);
}

#[test]
fn other_versions_are_refused() {
    let closure = quote!("0.0.0" { "1" sound {} { fn f() {} } });
    let error = syn::parse2::<Closure>(closure).err().unwrap();
    assert!(error.to_string().contains("uses Warpwise 0.0.0"), "{error}");
}

#[test]
fn states_arrive_as_they_were_sent() {
    let state = |tokens: TokenStream| link(&[], &tokens).map(|link| link.state);
    let item = raw(
        "7",
        parse_quote!(
            struct P;
        ),
    );
    assert!(matches!(state(quote!(part x)), Ok(State::Part(name)) if name == "x"));
    let waiting = state(quote!(wait #item));
    assert!(matches!(waiting, Ok(State::Wait(raw)) if raw.id == "7"));
    let gathered = state(quote!(gather #item));
    assert!(matches!(gathered, Ok(State::Gather(raw)) if raw.id == "7"));
    let bundled = state(quote!(bundle #item));
    assert!(matches!(bundled, Ok(State::Bundle(raw)) if raw.id == "7"));
    let Ok(State::Items(items)) = state(quote!(items #item #item)) else { panic!("no items") };
    assert_eq!(items.iter().map(|raw| raw.id.as_str()).collect::<Vec<_>>(), ["7", "7"]);
    assert!(state(quote!(other)).is_err());
}
