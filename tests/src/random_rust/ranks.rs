//! A type with its own comparison, compared by itself and as a part of other types.
use super::{generator::Generator, types::BOOL};

impl Generator {
    /// Writes the type, which is ordered by a key in descending order. In one of two variants, one
    /// rank is not ordered.
    pub(super) fn rank_item(&mut self) {
        let ty = self.int();
        let (name, ranks) = (ty.name(), 2 + self.pick(3));
        let total = self.chance(50);
        self.line("#[device]");
        self.line("#[derive(Clone, Copy)]");
        self.line(&format!("struct Rank({name});"));
        self.line("#[device]");
        self.line("impl Rank {");
        self.line(&format!("fn key(self) -> {name} {{ self.0.rem_euclid({ranks}) }}"));
        self.line("}");
        self.line("#[device]");
        self.line("impl PartialEq for Rank {");
        let known = if total { "" } else { " && self.key() != 1" };
        self.line(&format!(
            "fn eq(&self, other: &Self) -> bool {{ self.key() == other.key(){known} }}"
        ));
        self.line("}");
        self.line("#[device]");
        self.line("impl PartialOrd for Rank {");
        self.line("fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {");
        self.line(if total {
            "Some(self.cmp(other))"
        } else {
            "if self.key() == 1 || other.key() == 1 { None } else { other.key().partial_cmp(&self.key()) }"
        });
        self.line("}");
        self.line("}");
        if total {
            self.line("#[device]");
            self.line("impl Eq for Rank {}");
            self.line("#[device]");
            self.line("impl Ord for Rank {");
            self.line("fn cmp(&self, other: &Self) -> std::cmp::Ordering { other.key().cmp(&self.key()) }");
            self.line("}");
        }
        self.rank = Some((ty, total));
    }

    /// Returns a comparison of values that contain ranks.
    pub(super) fn ranked(&mut self, depth: u32) -> Option<String> {
        let (ty, total) = self.rank.clone()?;
        let rank = |this: &mut Self| format!("Rank({})", this.expr(&ty, depth, true));
        let more = self.scalar();
        // The shape of both sides.
        let side = |this: &mut Self, shape: usize| match shape {
            0 => rank(this),
            1 => format!("({}, {})", rank(this), this.expr(&more, depth, true)),
            2 => format!("({}, {})", this.expr(&BOOL, depth, true), rank(this)),
            3 => format!("[{}, {}]", rank(this), rank(this)),
            4 if this.chance(30) => "None::<Rank>".into(),
            4 => format!("Some({})", rank(this)),
            _ => format!("std::cmp::Reverse(({}, {}))", this.expr(&BOOL, 1, true), rank(this)),
        };
        let shape = self.pick(if total || more == BOOL { 6 } else { 5 });
        let (a, b) = (side(self, shape), side(self, shape));
        // The order of floats is not total.
        let total = total && (shape != 1 || more == BOOL || more.is_int());
        Some(match self.pick(if total { 4 } else { 3 }) {
            0 => format!("({a} {} {b})", ["==", "!="][self.pick(2)]),
            1 => format!("({a} {} {b})", ["<", "<=", ">", ">="][self.pick(4)]),
            2 => format!("{a}.partial_cmp(&{b}).is_some_and(|o| o.is_lt())"),
            _ => format!("{a}.max({b}).cmp(&{}).is_ge()", side(self, shape)),
        })
    }
}
