//! Lookup of the kernel that a user names, and preparation of its IR.
use crate::{
    args::{Bind, Build},
    error::CommandError,
    pages,
    project::{self, Kernel, Project, Scope},
    sources::Sources,
};
use std::collections::BTreeSet;
use warpwise_compiler::{
    compile,
    ir::{self, Bound, Generic, GenericKind, Scalar},
    specialize::{Binding, list_bindings},
};

/// Calls `work` with the kernel called `name`. Searches the targets that `build` selects; then, if
/// it selects none, all targets; and then, unless the name is similar to a known one, the
/// dependencies.
pub(crate) fn with_kernel<T>(
    build: &Build,
    name: &str,
    bind: &Bind,
    work: impl FnOnce(&Project, &Kernel) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    let all_targets = || Build { all_targets: true, ..build.clone() };
    let mut project = project::check_project(build, Scope::Workspace)?;
    // Each attempt takes longer than the one before.
    if matching_kernels(&project, name).is_empty() && !build.names_targets() {
        project = project::check_project(&all_targets(), Scope::Workspace)?;
    }
    let is_unknown = matching_kernels(&project, name).is_empty() && project.built;
    if is_unknown && similar_kernels(&project, name).is_empty() {
        let dependencies = project::check_project(build, Scope::Dependencies)?;
        if !matching_kernels(&dependencies, name).is_empty() {
            project = dependencies;
        }
    }
    let kernel = find_kernel(&project, name, build.release, bind.instance.as_deref())?;
    work(&project, kernel)
}

/// Returns the kernels that `name` may mean, one for each compilation of their crates.
fn matching_kernels<'p>(project: &'p Project, name: &str) -> Vec<&'p Kernel> {
    let fits = |selected: bool| -> Vec<&'p Kernel> {
        let kernels = project.kernels.iter().filter(|kernel| kernel.selected == selected);
        kernels.filter(|kernel| matches_name(project, kernel, name)).collect()
    };
    let of_packages = fits(true);
    if of_packages.is_empty() { fits(false) } else { of_packages }
}

fn find_kernel<'p>(
    project: &'p Project,
    name: &str,
    release: bool,
    instance: Option<&str>,
) -> Result<&'p Kernel, CommandError> {
    let mut found = matching_kernels(project, name);
    let spot = |kernel: &Kernel| project.sources.display_place(kernel.name_place);
    // Compilations of one crate with equal settings see the same kernel; of those that differ in
    // debug assertions, the one that fits the profile is left.
    found.retain(|kernel| kernel.debug_assertions != Some(release));
    found.sort_by_key(|kernel| spot(kernel));
    choose_instance(&mut found, name, instance)?;
    found.dedup_by_key(|kernel| spot(kernel));
    match found[..] {
        [only] => Ok(only),
        [] => Err(unknown_kernel(project, name)),
        _ => {
            let places = found.iter().map(|kernel| format!("`{}`", spot(kernel)));
            let places = places.collect::<Vec<_>>().join(", ");
            let text = format!("{} kernels are called `{name}`", found.len());
            Err(CommandError::new(text).with_help(format!("say which by its place: {places}")))
        }
    }
}

/// Leaves those of the kernels called `name` that are this instance, or all first ones. Says on
/// stderr that there are others.
fn choose_instance(
    found: &mut Vec<&Kernel>,
    name: &str,
    instance: Option<&str>,
) -> Result<(), CommandError> {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let mut names: Vec<&str> = Vec::new();
    for written in found.iter().filter_map(|kernel| kernel.instance.as_deref()) {
        if !names.contains(&written) {
            names.push(written);
        }
    }
    let Some(instance) = instance else {
        if let [first, others @ ..] = &names[..]
            && !others.is_empty()
        {
            eprintln!(
                "note: this is the instance `{first}` of `{name}`; `--instance` shows {}",
                pages::quote_list(others)
            );
        }
        return Ok(());
    };
    let is_chosen =
        |written: Option<&str>| written.is_some_and(|text| squeezed(text) == squeezed(instance));
    if !found.is_empty() && !found.iter().any(|kernel| is_chosen(kernel.instance.as_deref())) {
        let fault = CommandError::new(format!("`{name}` has no instance `{instance}`"));
        return Err(if names.is_empty() {
            fault.with_help("it has no `instances(..)`; `--bind` binds parameters")
        } else {
            fault.with_help(format!("there is {}", pages::quote_list(&names)))
        });
    }
    found.retain(|kernel| is_chosen(kernel.instance.as_deref()));
    Ok(())
}

fn unknown_kernel(project: &Project, name: &str) -> CommandError {
    let fault = CommandError::new(format!("there is no kernel `{name}`"));
    if !project.built {
        return fault.with_help("the project does not build, so some kernels are not known");
    }
    let names: BTreeSet<&str> = project.kernels.iter().map(|kernel| &*kernel.name).collect();
    let near = similar_kernels(project, name);
    if !near.is_empty() {
        return fault.with_help(format!("did you mean {}?", pages::quote_list(&near)));
    }
    match names.len() {
        0 => fault.with_help("these packages have no kernels; `-p` and `--workspace` name others"),
        1..=20 => fault.with_help(format!(
            "there is {}",
            pages::quote_list(&names.into_iter().collect::<Vec<_>>())
        )),
        count => fault.with_help(format!(
            "there are {count} others: `cargo warpwise lint --all` is about all"
        )),
    }
}

/// Returns the names of kernels that are similar to the last part of `name`.
fn similar_kernels<'p>(project: &'p Project, name: &str) -> Vec<&'p str> {
    let last = name.rsplit("::").next().unwrap_or(name);
    let names: BTreeSet<&str> = project.kernels.iter().map(|kernel| &*kernel.name).collect();
    pages::similar_names(last, names.into_iter())
}

/// Returns true if `name` is the kernel's name, a path to it, or a place in it.
fn matches_name(project: &Project, kernel: &Kernel, name: &str) -> bool {
    let (modules, last) = match name.rsplit_once("::") {
        Some((modules, last)) => (modules.split("::").collect(), last),
        None => (Vec::new(), name),
    };
    if last == kernel.name {
        return modules_match(&modules, kernel, project.sources.display_path(kernel.name_place));
    }
    match name.rsplit_once(':') {
        Some((place, number)) => contains_location(project, kernel, place, number),
        None => false,
    }
}

/// Returns true if modules with these names may contain the kernel. The file determines only the
/// outermost modules; inline modules within the file are unknown.
fn modules_match(modules: &[&str], kernel: &Kernel, file: &str) -> bool {
    let Some((first, rest)) = modules.split_first() else { return true };
    let known = file_modules(file);
    if *first == "crate" || *first == kernel.krate {
        return rest.starts_with(&known[..]);
    }
    (0..known.len()).any(|skipped| modules.starts_with(&known[skipped..]))
}

/// Returns the module path of a file: `src/a/b.rs` is `a::b`.
fn file_modules(file: &str) -> Vec<&str> {
    let Some((_, inside)) = file.rsplit_once("src/") else { return Vec::new() };
    let mut modules: Vec<&str> = inside.trim_end_matches(".rs").split('/').collect();
    let last = modules.last().copied();
    if last == Some("mod") || (modules.len() == 1 && matches!(last, Some("lib" | "main"))) {
        modules.pop();
    }
    if modules.first() == Some(&"bin") {
        modules.clear();
    }
    modules
}

/// Returns true if `FILE:LINE`, or `FILE:LINE:COLUMN`, is a place in the kernel.
fn contains_location(project: &Project, kernel: &Kernel, place: &str, number: &str) -> bool {
    let Ok(number) = number.parse::<usize>() else { return false };
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) => match line.parse() {
            Ok(line) => (file, line),
            Err(_) => (place, number),
        },
        None => (place, number),
    };
    let shown = project.sources.display_path(kernel.name_place);
    let is_file = shown == file || shown.ends_with(&format!("/{file}"));
    is_file && (first_line(kernel)..=last_line(kernel)).contains(&line)
}

const fn first_line(kernel: &Kernel) -> usize {
    kernel.name_place.start.0
}

/// Returns the last line of the kernel.
pub(crate) fn last_line(kernel: &Kernel) -> usize {
    let here = kernel.spans.iter().filter(|place| {
        Sources::are_in_one_file(**place, kernel.name_place) && place.start.0 >= first_line(kernel)
    });
    here.map(|place| place.end.0).max().unwrap_or(first_line(kernel))
}

/// Parses the recorded IR of `kernel`.
pub(crate) fn parse_ir(kernel: &Kernel) -> Result<ir::Kernel, CommandError> {
    kernel.ir.parse().map_err(|error| {
        CommandError::new(format!("cannot read the recorded IR of `{}`: {error}", kernel.name))
            .with_help("remove the folder `warpwise` in the target folder")
    })
}

/// Returns the IR of `kernel`, bound as `bind` says, and the bindings as records list them.
pub(crate) fn bound_ir(kernel: &Kernel, bind: &Bind) -> Result<(ir::Kernel, String), CommandError> {
    let ir = parse_ir(kernel)?;
    let bindings = parse_bindings(&ir, bind)?;
    let bound =
        compile::bind(&ir, &bindings).map_err(|error| CommandError::new(error.to_string()))?;
    Ok((bound.into_owned(), list_bindings(&bindings)))
}

/// Does the same as [`bound_ir`], but leaves the kernel unbound if `bind` is empty; then there are
/// no bindings, unless the kernel has no generic parameters.
pub(crate) fn bound_or_open_ir(
    kernel: &Kernel,
    bind: &Bind,
) -> Result<(ir::Kernel, Option<String>), CommandError> {
    if bind.bind.is_empty() {
        let ir = parse_ir(kernel)?;
        let bindings = ir.is_closed().then(String::new);
        return Ok((ir, bindings));
    }
    let (ir, bindings) = bound_ir(kernel, bind)?;
    Ok((ir, Some(bindings)))
}

/// Returns the IR of `kernel` with the bindings of a profiled launch, such as `f32, 16`, in which
/// constants are bits; `None` if they do not fit.
pub(crate) fn launched_ir(kernel: &Kernel, generics: &str) -> Option<ir::Kernel> {
    let ir = parse_ir(kernel).ok()?;
    let values: Vec<&str> = generics.split(", ").filter(|value| !value.is_empty()).collect();
    if values.len() != ir.generics.iter().count() {
        return None;
    }
    let bind = |((_, generic), value): ((_, &Generic), &&str)| match generic.kind {
        GenericKind::Type(_) => parse_binding(generic, value).ok(),
        GenericKind::Const(_) => value.parse().ok().map(Binding::Const),
    };
    let bindings: Option<Vec<Binding>> = ir.generics.iter().zip(&values).map(bind).collect();
    compile::bind(&ir, &bindings?).ok().map(std::borrow::Cow::into_owned)
}

/// Parses the bindings of all generic parameters.
fn parse_bindings(kernel: &ir::Kernel, bind: &Bind) -> Result<Vec<Binding>, CommandError> {
    let mut given = Vec::new();
    for text in &bind.bind {
        let pair = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        let pair = pair.ok_or_else(|| {
            CommandError::new(format!("`--bind {text}` binds nothing"))
                .with_help("write `--bind T=f32`")
        })?;
        if !kernel.generics.iter().any(|(_, generic)| generic.name == pair.0) {
            let names: Vec<&str> =
                kernel.generics.iter().map(|(_, generic)| &*generic.name).collect();
            let fault = CommandError::new(format!(
                "`{}` has no generic parameter `{}`",
                kernel.name, pair.0
            ));
            let help = format!("it has {}", pages::quote_list(&names));
            return Err(if names.is_empty() { fault } else { fault.with_help(help) });
        }
        given.push(pair);
    }
    let mut bindings = Vec::new();
    let mut missing = Vec::new();
    for (_, generic) in kernel.generics.iter() {
        match given.iter().rfind(|(name, _)| *name == generic.name) {
            Some((_, value)) => bindings.push(parse_binding(generic, value)?),
            None => missing.push(generic),
        }
    }
    if missing.is_empty() {
        return Ok(bindings);
    }
    let words: Vec<String> = missing.iter().map(|generic| example_binding(generic)).collect();
    let text = format!("`{}` is generic, and it is not said for what", kernel.name);
    Err(CommandError::new(text)
        .with_help(format!("bind its parameters, such as {}", words.join(" "))))
}

/// Returns an example of a parameter's binding.
fn example_binding(generic: &Generic) -> String {
    let value = match generic.kind {
        GenericKind::Type(Bound::Num | Bound::Float) => "f32",
        GenericKind::Type(Bound::Int) => "u32",
        GenericKind::Const(Scalar::Bool) => "true",
        GenericKind::Const(_) => "16",
    };
    format!("--bind {}={value}", generic.name)
}

fn parse_binding(generic: &Generic, value: &str) -> Result<Binding, CommandError> {
    let name = &generic.name;
    Binding::parse(generic.kind, value).ok_or_else(|| {
        let text = match generic.kind {
            GenericKind::Type(_) => {
                format!("generic parameter `{name}` is a type, and `{value}` is none")
            }
            GenericKind::Const(scalar) => {
                let ty = scalar.name().unwrap_or("?");
                format!("`{name}` is a constant of type `{ty}`, and `{value}` is none")
            }
        };
        CommandError::new(text).with_help(format!("write {}", example_binding(generic)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn files_are_modules() {
        assert_eq!(file_modules("src/lib.rs"), [""; 0]);
        assert_eq!(file_modules("a/src/main.rs"), [""; 0]);
        assert_eq!(file_modules("src/a/b.rs"), ["a", "b"]);
        assert_eq!(file_modules("src/a/mod.rs"), ["a"]);
        assert_eq!(file_modules("src/bin/tool.rs"), [""; 0]);
        assert_eq!(file_modules("examples/saxpy.rs"), [""; 0]);
    }

    #[test]
    fn of_two_variants_that_of_the_profile_is_taken() {
        let mut sources = Sources::new(Path::new("/w"));
        let at = sources.add_place("/w/src/lib.rs".into(), (3, 4), (3, 5));
        let variant = |debug_assertions| Kernel {
            name: "k".into(),
            package: "p".into(),
            krate: "p".into(),
            manifest: "/w".into(),
            selected: true,
            debug_assertions,
            instance: None,
            backend: warpwise_compiler::back::Backend::Builtin,
            precompiled: Vec::new(),
            name_place: at,
            spans: Vec::new(),
            ir: String::new(),
            findings: Vec::new(),
        };
        let kernels = vec![variant(Some(true)), variant(Some(false))];
        let project = Project { kernels, sources, packages: vec!["p".into()], built: true };
        for release in [false, true] {
            let found = find_kernel(&project, "k", release, None).unwrap();
            assert_eq!(found.debug_assertions, Some(!release));
        }
        let fault = find_kernel(&project, "j", false, None).unwrap_err().to_string();
        assert_eq!(fault, "error: there is no kernel `j`\nhelp: there is `k`");
        let of_type = |ty: &str| Kernel { instance: Some(ty.to_owned()), ..variant(None) };
        let kernels = vec![of_type("f32"), of_type("(f32, u8)"), of_type("f32")];
        let project = Project { kernels, ..project };
        let instance = |chosen| {
            let found = find_kernel(&project, "k", false, chosen);
            found.map(|kernel| kernel.instance.clone().unwrap()).map_err(|fault| fault.to_string())
        };
        assert_eq!(instance(None).unwrap(), "f32");
        assert_eq!(instance(Some("(f32,u8)")).unwrap(), "(f32, u8)");
        let fault = instance(Some("f64")).unwrap_err();
        assert_eq!(fault, "error: `k` has no instance `f64`\nhelp: there is `f32` or `(f32, u8)`");
    }
}
