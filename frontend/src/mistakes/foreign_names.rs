//! Names of CUDA C++ and other languages and libraries: functions, types, methods of Python's modules,
//! and macros. [The dictionary](dictionary) has their counterparts.
use crate::{
    attr::build_settings::Build,
    mistakes::{
        Finder, advised_type,
        dictionary::{self, ForeignKind},
        path_text,
    },
    resolve::source_map,
    syntax::span::SpanRange,
    types::vector,
};
use syn::{Expr, ExprField, ExprPath, Ident, Member, Path, PathSegment};

impl Finder {
    /// Adds the use of a name of CUDA C++ among `entries`; returns true if it is one.
    pub(super) fn add_from_dictionary(
        &mut self,
        entries: &[dictionary::Entry],
        path: &Path,
        at: SpanRange,
        inside: impl FnOnce(&mut Self),
    ) -> bool {
        let name = path_text(path);
        let Some((help, first)) = dictionary::find(entries, &name).zip(path.segments.first())
        else {
            return false;
        };
        if path.segments.len() > 1 && Build::may_be_dependency(&first.ident.to_string()) {
            return false;
        }
        let is_common = !dictionary::is_unmistakable(&name);
        let text = (format!("`{name}` is CUDA C++"), help.to_owned());
        self.add(at, text, Some((&first.ident, is_common)), inside);
        true
    }

    /// Adds the use of a name of another language for GPUs; returns true if it is one.
    pub(super) fn add_foreign(
        &mut self,
        kind: ForeignKind,
        path: &Path,
        at: SpanRange,
        inside: impl FnOnce(&mut Self),
    ) -> bool {
        let name = path_text(path);
        let found = dictionary::find_foreign(kind, &name);
        let Some(((language, help), first)) = found.zip(path.segments.first()) else {
            return false;
        };
        if path.segments.len() > 1 && Build::may_be_dependency(&first.ident.to_string()) {
            return false;
        }
        let text = (format!("`{name}` is {language}"), help.to_owned());
        self.add(at, text, Some((&first.ident, true)), inside);
        true
    }

    /// Adds a vector of another language that is made, `vec3(..)` or `Vec3::new(..)`; returns true if
    /// it may be one.
    pub(super) fn add_foreign_vector(&mut self, path: &Path, at: SpanRange) -> bool {
        let Some(first) = path.segments.first().map(|first| &first.ident) else { return false };
        let is_made = match path.segments.iter().nth(1) {
            None => true,
            Some(function) => function.ident == "new",
        };
        let ty = Path::from(first.clone());
        let before = self.candidates.len();
        if !is_made
            || !self.add_from_dictionary(dictionary::TYPES, &ty, at, |_| {})
                && !self.add_foreign(ForeignKind::Type, &ty, at, |_| {})
        {
            return false;
        }
        let mistake = &mut self.candidates[before].mistake;
        let Some(vector) = advised_type(mistake).filter(|ty| vector::is_name(ty)) else {
            self.candidates.truncate(before);
            return false;
        };
        mistake.text = mistake.text.replacen(vector, &format!("{vector}::new(..)"), 1);
        true
    }

    /// Adds a method or a field of a module of Python, `cuda.atomic.add(..)`; returns true if it may
    /// be one.
    pub(super) fn add_python(
        &mut self,
        kind: ForeignKind,
        receiver: &Expr,
        member: &Ident,
        at: SpanRange,
    ) -> bool {
        let Some(path) = python_path(receiver, member) else { return false };
        if !self.add_foreign(kind, &path, at, |_| {}) {
            return false;
        }
        if let Some(candidate) = self.candidates.last_mut() {
            let (name, text) = (path_text(&path), &mut candidate.mistake.text);
            *text = text.replacen(&name, &name.replace("::", "."), 1);
        }
        true
    }

    /// Adds a macro of a logger, or one that has the name of another language's function; returns
    /// true if it may be one.
    pub(super) fn add_foreign_macro(&mut self, path: &Path, at: SpanRange) -> bool {
        let Some(last) = path.segments.last().map(|last| &last.ident) else { return false };
        let is_logger = ["trace", "debug", "info", "warn", "error"].iter().any(|it| last == it);
        if is_logger && source_map::macro_rules_body(last).is_none() {
            let fact = format!("kernel code cannot use the macro `{}!`", path_text(path));
            let help = "write `println!(\"{i}: {}\", x[i])`".to_owned();
            self.add(at, (fact, help), None, |_| {});
            return true;
        }
        path.get_ident().is_some_and(|name| !source_map::may_have_macro(name))
            && (self.add_foreign(ForeignKind::Function, path, at, |_| {})
                || self.add_from_dictionary(dictionary::FUNCTIONS, path, at, |_| {}))
    }
}

/// The modules of Python, and the names of cooperative groups, that have methods.
const OBJECTS: [&str; 6] = ["block", "cuda", "math", "np", "tl", "warp"];

/// Returns the path that a method or a field of a module of Python, or of a cooperative group, stands
/// for: `cuda::atomic::add` for `cuda.atomic.add(..)`. `None` for other receivers.
fn python_path(receiver: &Expr, method: &Ident) -> Option<Path> {
    let mut path = match receiver {
        Expr::Path(ExprPath { qself: None, path, .. }) => {
            let is_module = |name: &&Ident| OBJECTS.iter().any(|it| name == it);
            let module = path.get_ident().filter(is_module)?;
            Path::from(module.clone())
        }
        Expr::Field(ExprField { base, member: Member::Named(name), .. }) => {
            python_path(base, name)?
        }
        _ => return None,
    };
    path.segments.push(PathSegment::from(method.clone()));
    Some(path)
}
