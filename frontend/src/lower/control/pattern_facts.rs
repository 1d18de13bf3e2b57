//! What can be told of a pattern without a value.
use crate::{
    hir::{Pattern, PatternKind},
    lower::control::binding::bound,
};

/// Whether a pattern matches whatever is there.
pub(crate) fn never_fails(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Wild => true,
        PatternKind::Bind { subpattern: and, .. } => {
            and.as_ref().is_none_or(|and| never_fails(and))
        }
        PatternKind::Deref(inner) => never_fails(inner),
        PatternKind::Parts { variant: None, parts } => {
            parts.iter().all(|(_, part)| never_fails(part))
        }
        PatternKind::Is(_)
        | PatternKind::Range { .. }
        | PatternKind::Parts { .. }
        | PatternKind::Slice { .. }
        | PatternKind::Any(_) => false,
    }
}

/// Whether a pattern binds the value of something that a reference in what is matched refers to;
/// `behind` is whether the pattern itself stands behind one.
pub(crate) fn binds_behind(pattern: &Pattern, behind: bool) -> bool {
    match &pattern.kind {
        PatternKind::Wild | PatternKind::Is(_) | PatternKind::Range { .. } => false,
        PatternKind::Bind { by_ref, subpattern: and, .. } => {
            behind && !by_ref || and.as_ref().is_some_and(|and| binds_behind(and, behind))
        }
        PatternKind::Deref(inner) => binds_behind(inner, true),
        PatternKind::Parts { parts, .. } => {
            parts.iter().any(|(_, part)| binds_behind(part, behind))
        }
        PatternKind::Slice { before, after, .. } => {
            before.iter().chain(after).any(|part| binds_behind(part, true))
        }
        // What one of them binds is not there where only another one matches.
        PatternKind::Any(cases) => {
            let mut vars = Vec::new();
            cases.iter().take(1).for_each(|case| bound(case, &mut vars));
            !vars.is_empty()
        }
    }
}

/// Whether the test of a pattern looks at what a reference refers to.
pub(crate) fn tests_behind(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Wild | PatternKind::Is(_) | PatternKind::Range { .. } => false,
        PatternKind::Bind { subpattern: and, .. } => {
            and.as_ref().is_some_and(|and| tests_behind(and))
        }
        PatternKind::Deref(inner) => !never_fails(inner),
        PatternKind::Parts { parts, .. } => parts.iter().any(|(_, part)| tests_behind(part)),
        PatternKind::Slice { .. } => true,
        PatternKind::Any(cases) => cases.iter().any(tests_behind),
    }
}
