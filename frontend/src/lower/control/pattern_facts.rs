//! Static properties of patterns: irrefutability, and use of referents.
use crate::{
    hir::{Pattern, PatternKind},
    lower::control::binding::collect_bound_vars,
};

/// Returns true if a pattern matches every value.
pub(crate) fn is_irrefutable(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Wild => true,
        PatternKind::Bind { subpattern: and, .. } => {
            and.as_ref().is_none_or(|and| is_irrefutable(and))
        }
        PatternKind::Deref(inner) => is_irrefutable(inner),
        PatternKind::Parts { variant: None, parts } => {
            parts.iter().all(|(_, part)| is_irrefutable(part))
        }
        PatternKind::Is(_)
        | PatternKind::Range { .. }
        | PatternKind::Parts { .. }
        | PatternKind::Slice { .. }
        | PatternKind::Any(_) => false,
    }
}

/// Returns true if a pattern binds a value from the referent of a reference; `behind` is true if
/// the pattern itself matches a referent.
pub(crate) fn binds_referent(pattern: &Pattern, behind: bool) -> bool {
    match &pattern.kind {
        PatternKind::Wild | PatternKind::Is(_) | PatternKind::Range { .. } => false,
        PatternKind::Bind { by_ref, subpattern: and, .. } => {
            behind && !by_ref || and.as_ref().is_some_and(|and| binds_referent(and, behind))
        }
        PatternKind::Deref(inner) => binds_referent(inner, true),
        PatternKind::Parts { parts, .. } => {
            parts.iter().any(|(_, part)| binds_referent(part, behind))
        }
        PatternKind::Slice { before, after, .. } => {
            before.iter().chain(after).any(|part| binds_referent(part, true))
        }
        // An alternative's bindings do not exist where only another alternative matches.
        PatternKind::Any(cases) => {
            let mut vars = Vec::new();
            cases.iter().take(1).for_each(|case| collect_bound_vars(case, &mut vars));
            !vars.is_empty()
        }
    }
}

/// Returns true if the test of a pattern reads the referent of a reference.
pub(crate) fn tests_referent(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Wild | PatternKind::Is(_) | PatternKind::Range { .. } => false,
        PatternKind::Bind { subpattern: and, .. } => {
            and.as_ref().is_some_and(|and| tests_referent(and))
        }
        PatternKind::Deref(inner) => !is_irrefutable(inner),
        PatternKind::Parts { parts, .. } => parts.iter().any(|(_, part)| tests_referent(part)),
        PatternKind::Slice { .. } => true,
        PatternKind::Any(cases) => cases.iter().any(tests_referent),
    }
}
