//! Round trips of carried tokens.
use crate::{device::linked_items::*, syntax};
use syn::parse_quote;

/// Returns the end of a chain that collected `closures`.
fn link(closures: &[TokenStream], state: &TokenStream) -> syn::Result<ChainEnd> {
    ChainEnd::parse(quote!({} { #({ #closures })* } { #state }))
}

fn closures(link: &ChainEnd) -> Vec<Closure> {
    Closure::parse_all(link.collected.clone()).unwrap()
}

fn raw(id: &str, item: Item) -> RawItem {
    RawItem { id: id.into(), item }
}

fn names(set: &DeviceSet) -> Vec<String> {
    let name = |device: &DeviceItem| match syntax::item::item_name(&device.item) {
        Some(name) => name.to_string(),
        None => "impl".into(),
    };
    set.items.iter().map(name).collect()
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
    let mut linked = LinkedItems::empty();
    linked.add_bundle(&[raw("1", leaf)]).unwrap();
    let leaf = linked.closure_tokens("1");
    let of = |item: Item, id, path: Path| {
        let link = link(std::slice::from_ref(&leaf), &quote!(part x)).unwrap();
        let mut linked = LinkedItems::new(&[path], closures(&link)).unwrap();
        linked.add_bundle(&[raw(id, item)]).unwrap();
        linked.closure_tokens(id)
    };
    let left = of(left, "2", parse_quote!(m::leaf));
    let right = of(right, "3", parse_quote!(leaf));

    let kernel = quote!(kernel { block = 8 } { fn k() { left(); a::right(); } });
    let link = link(&[left, right], &kernel).unwrap();
    let ChainState::Kernel { args, item } = &link.state else { panic!("no kernel") };
    assert_eq!((args.to_string(), item.sig.ident.to_string()), ("block = 8".into(), "k".into()));
    let linked =
        LinkedItems::new(&[parse_quote!(left), parse_quote!(a::right)], closures(&link)).unwrap();
    assert!(linked.is_sound);
    let set = linked.device_set().unwrap();
    assert_eq!(names(&set), ["left", "leaf", "right"], "each once");
    assert_eq!(set.kernel_paths, leads(&[("left", 0), ("a::right", 2)]));
    assert_eq!(set.items[0].paths, leads(&[("m::leaf", 1)]));
    let Item::Fn(carried) = &set.items[1].item else { panic!("no function") };
    assert_eq!(carried.attrs.len(), 1, "without documentation");
    assert_eq!(set.items[2].paths, leads(&[("leaf", 1)]));
}

/// A type and its `impl` lead to each other, and to a function of another module.
#[test]
fn a_bundle_arrives_together() {
    let mut outer = LinkedItems::empty();
    let far = parse_quote!(
        fn far() {}
    );
    outer.add_bundle(&[raw("1", far)]).unwrap();
    let link = link(&[outer.closure_tokens("1")], &quote!(part x)).unwrap();
    let mut linked = LinkedItems::new(&[parse_quote!(m::far)], closures(&link)).unwrap();
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
    linked.add_bundle(&[raw("2", disc), raw("3", area)]).unwrap();
    let (set, own) = linked.device_set_of_last(2).unwrap();
    assert_eq!((names(&set), own), (["far", "Disc", "impl"].map(str::to_owned).into(), 1..3));
    assert_eq!(set.items[2].paths, leads(&[("self::Disc", 1), ("m::far", 0), ("Disc", 1)]));

    let closure = Closure::parse(linked.closure_tokens("2")).unwrap();
    let arrived = LinkedItems::new(&[parse_quote!(geo::Disc)], vec![closure]).unwrap();
    let set = arrived.device_set().unwrap();
    assert_eq!(names(&set), ["Disc", "far", "impl"], "what was asked for first");
    assert_eq!(set.kernel_paths, leads(&[("geo::Disc", 0)]));
    assert!(!linked.closure_tokens("2").to_string().contains("doc"));
}

/// Nobody reads what only the body of a function that is called leads to.
#[test]
fn only_the_signatures_of_called_functions_are_checked() {
    let far = |name: &str, id| {
        let mut linked = LinkedItems::empty();
        let name = quote::format_ident!("{name}");
        linked.add_bundle(&[raw(id, parse_quote!(type #name = f32;))]).unwrap();
        linked.closure_tokens(id)
    };
    let link = link(&[far("A", "1"), far("B", "2")], &quote!(part x)).unwrap();
    let mut middle =
        LinkedItems::new(&[parse_quote!(A), parse_quote!(B)], closures(&link)).unwrap();
    let called = parse_quote!(
        fn called(a: A) -> f32 {
            a as B
        }
    );
    middle.add_bundle(&[raw("3", called)]).unwrap();
    let closure = Closure::parse(middle.closure_tokens("3")).unwrap();
    let mut linked = LinkedItems::new(&[parse_quote!(called)], vec![closure]).unwrap();
    let calls = parse_quote!(
        fn calls() {
            called(1.0);
        }
    );
    linked.add_bundle(&[raw("4", calls)]).unwrap();
    let (set, own) = linked.device_set_of_last(1).unwrap();
    assert_eq!((names(&set), own), (["called", "A", "calls"].map(str::to_owned).into(), 2..3));
    assert_eq!(names(&linked.device_set().unwrap()), ["called", "A", "B", "calls"]);
}

#[test]
fn long_chains_are_refused() {
    let version = env!("CARGO_PKG_VERSION");
    let of_depth = |depth: usize| {
        let depth = Literal::usize_unsuffixed(depth);
        let closure = quote!(#version #depth { "1" alone {} { const A: u32 = 1; } });
        let closure = Closure::parse(closure).unwrap();
        let mut linked = LinkedItems::new(&[parse_quote!(A)], vec![closure]).unwrap();
        let item = parse_quote!(
            const B: u32 = A;
        );
        linked.add_bundle(&[raw("2", item)]).map(|()| linked.closure_tokens("2").to_string())
    };
    assert!(of_depth(191).unwrap().starts_with(&format!("\"{version}\" 192 {{")));
    assert!(of_depth(192).unwrap_err().to_string().starts_with("this needs 192 items in a row"));
}

#[test]
fn users_of_erroneous_items_are_unsound() {
    let link = link(&[erroneous_closure("1")], &quote!(part x)).unwrap();
    assert!(!LinkedItems::new(&[parse_quote!(f)], closures(&link)).unwrap().is_sound);
}

#[test]
fn other_versions_are_refused() {
    let closure = quote!("0.0.0" 1 { "1" sound {} { fn f() {} } });
    let error = Closure::parse(closure).err().unwrap();
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
    assert!(matches!(state(quote!(part x)), Ok(ChainState::Part(name)) if name == "x"));
    let waiting = state(quote!(wait #item));
    assert!(matches!(waiting, Ok(ChainState::Wait(raw)) if raw.id == "7"));
    let gathered = state(quote!(gather #item));
    assert!(matches!(gathered, Ok(ChainState::Gather(raw)) if raw.id == "7"));
    let bundled = state(quote!(bundle #item));
    assert!(matches!(bundled, Ok(ChainState::Bundle(raw)) if raw.id == "7"));
    let Ok(ChainState::Items(items)) = state(quote!(items #item #item)) else { panic!("no items") };
    assert_eq!(items.iter().map(|raw| raw.id.as_str()).collect::<Vec<_>>(), ["7", "7"]);
    assert!(state(quote!(other)).is_err());
}
