//! Device functions that call each other, which would wait for each other's macros for ever.
//!
//! No macro can resolve a path, so this finds what is certain and leaves the rest to rustc: names
//! without a path, of functions that one module defines. The functions expanded so far in this
//! run of the compiler are remembered; where their names close a circle, the source file says
//! whether it is one of that kind. Nothing is read until then.
use crate::lower::key;
use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};
use syn::{Error, Item, ItemFn, Path};

/// A device function that was expanded.
struct Known {
    file: PathBuf,
    name: String,
    callees: Vec<String>,
}

static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// Remembers `item`, which calls `callees`; an error if that closes a circle.
pub(crate) fn refuse(item: &ItemFn, callees: &[Path]) -> Option<Error> {
    let name = item.sig.ident.to_string();
    if !proc_macro::is_available() {
        return None;
    }
    let file = item.sig.ident.span().unwrap().local_file()?;
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let callee_names = callees.iter().map(own_module).collect::<Vec<_>>();
    let names = callee_names.iter().flatten().cloned().collect();
    known.push(Known { file: file.clone(), name: name.clone(), callees: names });
    let functions: Vec<&Known> = known.iter().filter(|function| function.file == file).collect();
    let circle = circle(&functions, &name)?;
    let source = syn::parse_file(&std::fs::read_to_string(&file).ok()?).ok()?;
    if !defines_all(&source.items, &circle) {
        return None;
    }
    let first = callee_names.iter().position(|callee| callee.as_ref() == circle.get(1))?;
    let calls: String = circle[1..].iter().map(|next| format!(" calls `{next}`, which")).collect();
    let text = format!("`{name}`{calls} calls `{name}`; kernel code cannot recurse: use a loop");
    Some(Error::new_spanned(&callees[first], text))
}

/// The name that `path` has in the module where it is written, if it is one of that module.
fn own_module(path: &Path) -> Option<String> {
    let key = key(path);
    let name = key.strip_prefix("self::").unwrap_or(&key);
    (!name.contains("::")).then(|| name.to_owned())
}

/// Names of functions of which each calls the next and the last the first, which is `start`;
/// only through names that one function has.
fn circle(functions: &[&Known], start: &str) -> Option<Vec<String>> {
    fn search(functions: &[&Known], path: &mut Vec<String>, seen: &mut Vec<String>) -> bool {
        let name = path.last().expect("it begins with the start");
        let mut named = functions.iter().filter(|function| function.name == *name);
        let (Some(function), None) = (named.next(), named.next()) else { return false };
        for callee in &function.callees {
            if *callee == path[0] {
                return path.len() > 1;
            }
            if !seen.contains(callee) {
                seen.push(callee.clone());
                path.push(callee.clone());
                if search(functions, path, seen) {
                    return true;
                }
                path.pop();
            }
        }
        false
    }
    let mut path = vec![start.to_owned()];
    search(functions, &mut path, &mut Vec::new()).then_some(path)
}

/// True if one module among `items` defines functions of all these names.
fn defines_all(items: &[Item], names: &[String]) -> bool {
    let defined = |name: &String| {
        items.iter().any(|item| matches!(item, Item::Fn(item) if item.sig.ident == name))
    };
    names.iter().all(defined)
        || items.iter().any(|item| match item {
            Item::Mod(module) => {
                module.content.as_ref().is_some_and(|(_, items)| defines_all(items, names))
            }
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(functions: &[(&str, &[&str])]) -> Vec<Known> {
        let known = |&(name, callees): &(&str, &[&str])| Known {
            file: PathBuf::new(),
            name: name.to_owned(),
            callees: callees.iter().map(|&callee| callee.to_owned()).collect(),
        };
        functions.iter().map(known).collect()
    }

    fn found(functions: &[(&str, &[&str])], start: &str) -> Option<String> {
        let known = known(functions);
        circle(&known.iter().collect::<Vec<_>>(), start).map(|names| names.join(" "))
    }

    #[test]
    fn circles_are_found_by_name() {
        let even_odd: &[(&str, &[&str])] = &[("even", &["odd"]), ("odd", &["x", "even"])];
        assert_eq!(found(even_odd, "odd").as_deref(), Some("odd even"));
        let long: &[(&str, &[&str])] =
            &[("a", &["d", "b"]), ("b", &["c"]), ("c", &["a"]), ("d", &[])];
        assert_eq!(found(long, "c").as_deref(), Some("c a b"));
    }

    #[test]
    fn what_is_no_circle_is_not_found() {
        let tree: &[(&str, &[&str])] = &[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])];
        assert_eq!(found(tree, "a"), None);
        let elsewhere: &[(&str, &[&str])] = &[("a", &["b"]), ("b", &["c"]), ("c", &["b"])];
        assert_eq!(found(elsewhere, "a"), None, "a circle that `a` is not in");
        let twins: &[(&str, &[&str])] = &[("a", &["b"]), ("b", &["a"]), ("b", &[])];
        assert_eq!(found(twins, "a"), None, "which `b` is meant, only rustc knows");
    }

    #[test]
    fn one_module_must_define_them() {
        let source = |text: &str| syn::parse_file(text).unwrap().items;
        let names = ["f".to_owned(), "g".to_owned()];
        assert!(defines_all(&source("fn f() {} fn g() {}"), &names));
        assert!(defines_all(&source("mod a { mod b { fn f() {} fn g() {} } }"), &names));
        assert!(!defines_all(&source("fn f() {} mod a { fn g() {} }"), &names));
    }
}
