//! Finds the one kernel that somebody means, and gets its IR ready.
use crate::{
    args::{Bind, Build},
    check::{self, Kernel, Project},
    fault::Fault,
    pages,
    sources::Sources,
};
use std::collections::BTreeSet;
use warpwise_compiler::{
    compile,
    ir::{self, Bound, Generic, GenericKind, Scalar},
    specialize::Binding,
};

/// Does `work` with the kernel called `name`: in what `build` says, or, if it says no targets and
/// the usual ones have no such kernel, in all targets.
pub(crate) fn with_kernel<T>(
    build: &Build,
    name: &str,
    work: impl FnOnce(&Project, &Kernel) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let mut project = check::project(build)?;
    if candidates(&project, name).is_empty() && !build.names_targets() {
        project = check::project(&Build { all_targets: true, ..build.clone() })?;
    }
    let kernel = kernel(&project, name, build.release)?;
    work(&project, kernel)
}

/// Of each kernel that `name` may mean, what the compilations of its crate saw.
fn candidates<'p>(project: &'p Project, name: &str) -> Vec<&'p Kernel> {
    let fits = |selected: bool| -> Vec<&'p Kernel> {
        let kernels = project.kernels.iter().filter(|kernel| kernel.selected == selected);
        kernels.filter(|kernel| is_meant(project, kernel, name)).collect()
    };
    let of_packages = fits(true);
    if of_packages.is_empty() { fits(false) } else { of_packages }
}

fn kernel<'p>(project: &'p Project, name: &str, release: bool) -> Result<&'p Kernel, Fault> {
    let mut found = candidates(project, name);
    let spot = |kernel: &Kernel| project.sources.spot(kernel.at);
    found.sort_by_key(|kernel| spot(kernel));
    found.dedup_by_key(|kernel| (spot(kernel), kernel.debug_assertions));
    found.retain(|kernel| kernel.debug_assertions != Some(release));
    match found[..] {
        [only] => Ok(only),
        [] => Err(unknown(project, name)),
        _ => {
            let places = found.iter().map(|kernel| format!("`{}`", spot(kernel)));
            let places = places.collect::<Vec<_>>().join(", ");
            let text = format!("{} kernels are called `{name}`", found.len());
            Err(Fault::new(text).help(format!("say which by its place: {places}")))
        }
    }
}

fn unknown(project: &Project, name: &str) -> Fault {
    let fault = Fault::new(format!("there is no kernel `{name}`"));
    if !project.built {
        return fault.help("the project does not build, so some kernels are not known");
    }
    let last = name.rsplit("::").next().unwrap_or(name);
    let names: BTreeSet<&str> = project.kernels.iter().map(|kernel| &*kernel.name).collect();
    let near = pages::near(last, names.iter().copied());
    if !near.is_empty() {
        return fault.help(format!("did you mean {}?", pages::listed(&near)));
    }
    match names.len() {
        0 => fault.help("these packages have no kernels; `-p` and `--workspace` name others"),
        1..=20 => fault
            .help(format!("there is {}", pages::listed(&names.into_iter().collect::<Vec<_>>()))),
        count => fault
            .help(format!("there are {count} others: `cargo warpwise lint --all` is about all")),
    }
}

/// True if `name` is the kernel's name, a path to it, or a place in it.
fn is_meant(project: &Project, kernel: &Kernel, name: &str) -> bool {
    let (modules, last) = match name.rsplit_once("::") {
        Some((modules, last)) => (modules.split("::").collect(), last),
        None => (Vec::new(), name),
    };
    if last == kernel.name {
        return leads_to(&modules, kernel, project.sources.shown(kernel.at));
    }
    match name.rsplit_once(':') {
        Some((place, number)) => is_at(project, kernel, place, number),
        None => false,
    }
}

/// True if modules of these names can have the kernel. The file says which module it is at least
/// in; which modules the file itself has is not known.
fn leads_to(modules: &[&str], kernel: &Kernel, file: &str) -> bool {
    let Some((first, rest)) = modules.split_first() else { return true };
    let known = file_modules(file);
    if *first == "crate" || *first == kernel.krate {
        return rest.starts_with(&known[..]);
    }
    (0..known.len()).any(|skipped| modules.starts_with(&known[skipped..]))
}

/// The modules that a file is, by where it lies: `src/a/b.rs` is `a::b`.
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

/// True if `FILE:LINE`, or `FILE:LINE:COLUMN`, is a place in the kernel.
fn is_at(project: &Project, kernel: &Kernel, place: &str, number: &str) -> bool {
    let Ok(number) = number.parse::<usize>() else { return false };
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) => match line.parse() {
            Ok(line) => (file, line),
            Err(_) => (place, number),
        },
        None => (place, number),
    };
    let shown = project.sources.shown(kernel.at);
    let is_file = shown == file || shown.ends_with(&format!("/{file}"));
    is_file && (first_line(kernel)..=last_line(kernel)).contains(&line)
}

const fn first_line(kernel: &Kernel) -> usize {
    kernel.at.start.0
}

/// The last line that something of the kernel is on.
pub(crate) fn last_line(kernel: &Kernel) -> usize {
    let here = kernel.spans.iter().filter(|place| {
        Sources::are_together(**place, kernel.at) && place.start.0 >= first_line(kernel)
    });
    here.map(|place| place.end.0).max().unwrap_or(first_line(kernel))
}

/// The IR of `kernel`, as the macro made it.
pub(crate) fn ir(kernel: &Kernel) -> Result<ir::Kernel, Fault> {
    kernel.ir.parse().map_err(|error| {
        Fault::new(format!("cannot read the recorded IR of `{}`: {error}", kernel.name))
            .help("remove the folder `warpwise` in the target folder")
    })
}

/// The IR of `kernel`, with its generic parameters bound as `bind` says. All of them have to be.
pub(crate) fn closed(kernel: &Kernel, bind: &Bind) -> Result<ir::Kernel, Fault> {
    let ir = ir(kernel)?;
    let bindings = bindings(&ir, bind)?;
    let bound = compile::bind(&ir, &bindings).map_err(|error| Fault::new(error.to_string()))?;
    Ok(bound.into_owned())
}

/// The same, but as it is if nothing is to be bound.
pub(crate) fn maybe_open(kernel: &Kernel, bind: &Bind) -> Result<ir::Kernel, Fault> {
    if bind.bind.is_empty() { ir(kernel) } else { closed(kernel, bind) }
}

/// What each generic parameter is bound to.
fn bindings(kernel: &ir::Kernel, bind: &Bind) -> Result<Vec<Binding>, Fault> {
    let mut given = Vec::new();
    for text in &bind.bind {
        let pair = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        let pair = pair.ok_or_else(|| {
            Fault::new(format!("`--bind {text}` binds nothing")).help("write `--bind T=f32`")
        })?;
        if !kernel.generics.iter().any(|(_, generic)| generic.name == pair.0) {
            let names: Vec<&str> =
                kernel.generics.iter().map(|(_, generic)| &*generic.name).collect();
            let fault =
                Fault::new(format!("`{}` has no generic parameter `{}`", kernel.name, pair.0));
            let help = format!("it has {}", pages::listed(&names));
            return Err(if names.is_empty() { fault } else { fault.help(help) });
        }
        given.push(pair);
    }
    let mut bindings = Vec::new();
    let mut missing = Vec::new();
    for (_, generic) in kernel.generics.iter() {
        match given.iter().rfind(|(name, _)| *name == generic.name) {
            Some((_, value)) => bindings.push(binding(generic, value)?),
            None => missing.push(generic),
        }
    }
    if missing.is_empty() {
        return Ok(bindings);
    }
    let words: Vec<String> = missing.iter().map(|generic| example(generic)).collect();
    let text = format!("`{}` is generic, and it is not said for what", kernel.name);
    Err(Fault::new(text).help(format!("bind its parameters, such as {}", words.join(" "))))
}

/// What could be written for a parameter.
fn example(generic: &Generic) -> String {
    let value = match generic.kind {
        GenericKind::Type(Bound::Num | Bound::Float) => "f32",
        GenericKind::Type(Bound::Int) => "u32",
        GenericKind::Const(Scalar::Bool) => "true",
        GenericKind::Const(_) => "16",
    };
    format!("--bind {}={value}", generic.name)
}

fn binding(generic: &Generic, value: &str) -> Result<Binding, Fault> {
    let name = &generic.name;
    match generic.kind {
        GenericKind::Type(_) => {
            let value = match value {
                "usize" => "u64",
                "isize" => "i64",
                other => other,
            };
            let found = Scalar::CONCRETE.into_iter().find(|scalar| scalar.name() == Some(value));
            found.map(Binding::Type).ok_or_else(|| {
                Fault::new(format!("generic parameter `{name}` is a type, and `{value}` is none"))
                    .help(format!("write {}", example(generic)))
            })
        }
        GenericKind::Const(scalar) => {
            constant(scalar, value).map(Binding::Const).ok_or_else(|| {
                let ty = scalar.name().unwrap_or("?");
                Fault::new(format!("`{name}` is a constant of type `{ty}`, and `{value}` is none"))
                    .help(format!("write {}", example(generic)))
            })
        }
    }
}

/// The bits of a constant, zero-extended.
fn constant(scalar: Scalar, text: &str) -> Option<u64> {
    if scalar == Scalar::Bool {
        return text.parse::<bool>().ok().map(u64::from);
    }
    let bits = match scalar {
        Scalar::F32 => return text.parse::<f32>().ok().map(|value| value.to_bits().into()),
        Scalar::F64 => return text.parse::<f64>().ok().map(f64::to_bits),
        Scalar::F16 | Scalar::BF16 => {
            let value = text.parse::<f64>().ok()?;
            return scalar.half().map(|format| u64::from(format.round_f64(value)));
        }
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::Generic(_) => scalar.bits()?,
    };
    let text = text.replace('_', "");
    let value: i128 = match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok()?,
        None => text.parse().ok()?,
    };
    let signed = scalar.is_int() && scalar.name().is_some_and(|name| name.starts_with('i'));
    let (least, most) = match signed {
        true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    // Cut to the width: what is above is the sign.
    (least..=most).contains(&value).then_some((value & ((1i128 << bits) - 1)) as u64)
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
        let at = sources.place("/w/src/lib.rs".into(), (3, 4), (3, 5));
        let variant = |debug_assertions| Kernel {
            name: "k".into(),
            package: "p".into(),
            krate: "p".into(),
            selected: true,
            debug_assertions,
            backend: warpwise_compiler::back::Backend::Builtin,
            at,
            spans: Vec::new(),
            ir: String::new(),
            findings: Vec::new(),
        };
        let kernels = vec![variant(Some(true)), variant(Some(false))];
        let project = Project { kernels, sources, packages: vec!["p".into()], built: true };
        for release in [false, true] {
            let found = kernel(&project, "k", release).unwrap();
            assert_eq!(found.debug_assertions, Some(!release));
        }
        let fault = kernel(&project, "j", false).unwrap_err().to_string();
        assert_eq!(fault, "error: there is no kernel `j`\nhelp: there is `k`");
    }

    #[test]
    fn constants_fit_their_types() {
        assert_eq!(constant(Scalar::U64, "1_024"), Some(1024));
        assert_eq!(constant(Scalar::U8, "0xff"), Some(255));
        assert_eq!(constant(Scalar::U8, "256"), None);
        assert_eq!(constant(Scalar::I8, "-1"), Some(0xff));
        assert_eq!(constant(Scalar::I8, "128"), None);
        assert_eq!(constant(Scalar::Bool, "true"), Some(1));
        assert_eq!(constant(Scalar::F32, "1.5"), Some(1.5f32.to_bits().into()));
        assert_eq!(constant(Scalar::U32, "-1"), None);
        assert_eq!(constant(Scalar::U32, "many"), None);
        assert_eq!(constant(Scalar::U64, "18446744073709551615"), Some(u64::MAX));
    }
}
