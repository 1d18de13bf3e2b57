//! Mistakes in types that the syntax shows: integers of other types than `usize` as indices,
//! operators on a float and another number, atomics without their methods, and subscripts with a row
//! and a column of arrays with one dimension. A type is known only where the syntax shows it, and a
//! type that is not known is never a mistake.
//!
//! Sizes are an `int` in CUDA, and rustc reports every place where such an integer meets an index.
//! Here the first place of a function is an error, which names the parameters to change, and the
//! numbers at the other places are cast, so that rustc reports nothing about them.
mod atomics;
mod known_type;
mod subscripts;

use crate::{
    mistakes::{Mistake, Place, calls::is_condition, path_text},
    resolve::{paths::macros::parse_shared_dyn, source_map},
    syntax::{limits::Chain, parse::is_compound_assignment, span::SpanRange, spell::print_tokens},
    types::{
        Prim,
        builtin::{self, BuiltinPart},
    },
};
pub(super) use atomics::call_of_atomic;
use atomics::is_atomic_method;
use known_type::{KnownType, is_number};
use quote::ToTokens;
use std::collections::{BTreeSet, HashMap};
use syn::{
    BinOp, Block, Expr, ExprBinary, ExprCast, ExprIndex, ExprLit, ExprMethodCall, FnArg,
    ImplItemFn, Item, ItemConst, ItemFn, Lit, Local, Pat, PatIdent, PatType, Signature,
    TraitItemFn, TypeArray, UnOp,
    visit::{self, Visit},
};

/// The longest code that a message repeats, in bytes.
const MAX_SHOWN_BYTES: usize = 30;

/// Returns the mistakes in a kernel.
pub(super) fn find_in_kernel(kernel: &ItemFn) -> Vec<Mistake> {
    let mut finder = Finder::default();
    finder.visit_item_fn(kernel);
    finder.mistakes
}

/// Returns the mistakes in a device item.
pub(super) fn find_in_item(item: &Item) -> Vec<Mistake> {
    let mut finder = Finder::default();
    finder.visit_item(item);
    finder.mistakes
}

/// A number at a place of another type; one of the two types is `usize`, or a float.
struct Misfit {
    at: SpanRange,
    /// The type that is not `usize`, or that of the number.
    other: Prim,
    /// The type of the place.
    expected: Prim,
    /// The fact of the message, and the code with a cast; empty for misfits after the first.
    text: [String; 2],
    /// The `usize` on the other side of an operator, with the texts for it.
    usize_side: Option<(SpanRange, [String; 2])>,
}

/// The integers and atomics of one function.
#[derive(Default)]
struct Operands {
    /// The types of the names in each block.
    scopes: Vec<HashMap<String, Option<KnownType>>>,
    /// The parameters that are integers.
    params: Vec<(String, Prim)>,
    /// The names in indices, comparisons and ranges.
    counts: BTreeSet<String>,
    /// The types that an index of a thread is cast to.
    casts: Vec<Prim>,
    misfits: Vec<Misfit>,
    /// The mistakes about atomics and subscripts.
    others: Vec<Mistake>,
}

/// The functions of an item.
#[derive(Default)]
struct Finder {
    mistakes: Vec<Mistake>,
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.find_in_function(&function.sig, &function.block);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.find_in_function(&function.sig, &function.block);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(block) = &function.default {
            self.find_in_function(&function.sig, block);
        }
    }
}

impl Finder {
    fn find_in_function(&mut self, sig: &Signature, block: &Block) {
        let mut operands = Operands::default();
        operands.scopes.push(HashMap::new());
        for input in &sig.inputs {
            let FnArg::Typed(PatType { pat, ty, .. }) = input else { continue };
            let known = KnownType::new(ty);
            if let (Pat::Ident(name), Some(KnownType::Number(prim))) = (&**pat, &known) {
                operands.params.push((name.ident.to_string(), *prim));
            }
            operands.bind(pat, known);
        }
        operands.visit_block(block);
        self.mistakes.extend(operands.into_mistakes());
        // Functions inside of the function.
        visit::visit_block(&mut InnerItems(self), block);
    }
}

/// A visitor of the items inside of a function.
struct InnerItems<'f>(&'f mut Finder);

impl<'ast> Visit<'ast> for InnerItems<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        self.0.visit_item(item);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        let chain = Chain::split(expr);
        for arm in chain.arms {
            self.visit_expr(&arm.cond);
            self.visit_block(&arm.then_branch);
        }
        visit::visit_expr(self, chain.rest);
    }
}

impl Operands {
    fn into_mistakes(self) -> Vec<Mistake> {
        let help = self.misfits.first().map(|first| self.help(first));
        let of_misfit = |(index, misfit): (usize, Misfit)| {
            let [fact, _] = misfit.text;
            let (text, place) = match &help {
                Some(help) if index == 0 => (format!("{fact}\n= help: {help}"), Place::Code),
                _ => (fact, Place::Number(misfit.expected)),
            };
            Mistake { at: misfit.at, text, place }
        };
        self.misfits.into_iter().enumerate().map(of_misfit).chain(self.others).collect()
    }

    /// Returns the help for the first misfit.
    fn help(&self, Misfit { other, expected, text: [_, cast], .. }: &Misfit) -> String {
        let expected = expected.name();
        let mut of_type = self.params.iter().filter(|(_, prim)| prim == other && prim.is_float());
        if let Some((name, _)) = of_type.find(|(name, _)| *cast == format!("{name} as {expected}"))
        {
            return format!("take `{name}: {expected}`, or write `{cast}`");
        }
        let is_count = |(name, prim): &&(String, Prim)| {
            prim == other && *prim != Prim::Usize && self.counts.contains(name)
        };
        let params: Vec<String> =
            self.params.iter().filter(is_count).map(|(name, _)| format!("{name}: usize")).collect();
        let mut steps = Vec::new();
        if !params.is_empty() {
            steps.push(format!("take `{}`", params.join(", ")));
        }
        if *other != Prim::Usize && self.casts.contains(other) {
            steps.push(format!("leave out `as {}`", other.name()));
        }
        if steps.is_empty() {
            format!("write `{cast}`")
        } else {
            format!("{}, or write `{cast}`", steps.join(" and "))
        }
    }

    fn bind(&mut self, pat: &Pat, known: Option<KnownType>) {
        match (pat, known) {
            (Pat::Ident(PatIdent { ident, by_ref: None, subpat: None, .. }), known) => {
                self.declare(ident.to_string(), known);
            }
            (Pat::Type(PatType { pat, ty, .. }), _) => self.bind(pat, KnownType::new(ty)),
            (Pat::Paren(inner), known) => self.bind(&inner.pat, known),
            (Pat::Tuple(pats), Some(KnownType::Tuple(types)))
                if pats.elems.len() == types.len()
                    && !pats.elems.iter().any(|pat| matches!(pat, Pat::Rest(_))) =>
            {
                for (pat, known) in pats.elems.iter().zip(types) {
                    self.bind(pat, known);
                }
            }
            (other, _) => self.visit_pat(other),
        }
    }

    fn declare(&mut self, name: String, known: Option<KnownType>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, known);
        }
    }

    /// Visits an expression, and returns its type.
    fn infer(&mut self, expr: &Expr) -> Option<KnownType> {
        match expr {
            Expr::Paren(inner) => self.infer(&inner.expr),
            Expr::Group(inner) => self.infer(&inner.expr),
            Expr::Path(path) => {
                let name = path_text(&path.path);
                match self.scopes.iter().rev().find_map(|scope| scope.get(&name)) {
                    Some(known) => known.clone(),
                    None if path.qself.is_none() => std_constant(&path.path).map(KnownType::Number),
                    None => None,
                }
            }
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number) => Prim::from_name(number.suffix()).map(KnownType::Number),
                Lit::Float(number) => Prim::from_name(number.suffix()).map(KnownType::Number),
                _ => None,
            },
            Expr::Cast(cast) => self.infer_cast(cast),
            Expr::Unary(unary) => {
                let operand = self.infer(&unary.expr)?;
                if matches!(unary.op, UnOp::Deref(_)) {
                    return Some(operand).filter(|known| matches!(known, KnownType::Atomic(_)));
                }
                self.check_load(&unary.expr, Some(&operand));
                Some(operand).filter(|known| matches!(known, KnownType::Number(_)))
            }
            Expr::Reference(reference) => {
                let known = self.infer(&reference.expr);
                known.filter(|known| matches!(known, KnownType::Array(_) | KnownType::Atomic(_)))
            }
            Expr::Binary(binary) => self.infer_binary(binary),
            Expr::Index(index) => self.infer_index(index),
            Expr::Assign(assign) => {
                let place = self.infer(&assign.left);
                match place.as_ref().and_then(KnownType::atomic) {
                    Some(atomic) if is_place(&assign.left) => self.check_store(assign, atomic),
                    _ => self.infer_value(&assign.right, place.as_ref()),
                }
                None
            }
            Expr::MethodCall(call) => self.infer_method_call(call),
            Expr::Call(call) => {
                let called = match &*call.func {
                    Expr::Path(path) => {
                        let names = path.path.segments.iter().map(|part| part.ident.to_string());
                        builtin::find(&names.collect::<Vec<String>>())
                    }
                    _ => None,
                };
                let place = Some(KnownType::Number(Prim::Usize));
                for (index, arg) in call.args.iter().enumerate() {
                    match called.as_ref().and_then(|called| called.params.get(index)) {
                        Some(BuiltinPart::Prim(Prim::Usize)) => {
                            self.infer_value(arg, place.as_ref());
                        }
                        _ => self.visit_expr(arg),
                    }
                }
                match called?.ret {
                    BuiltinPart::Prim(Prim::Usize) => Some(KnownType::Number(Prim::Usize)),
                    _ => None,
                }
            }
            Expr::Tuple(tuple) => {
                Some(KnownType::Tuple(tuple.elems.iter().map(|elem| self.infer(elem)).collect()))
            }
            Expr::Repeat(repeat) => {
                let elem = self.infer(&repeat.expr);
                self.visit_expr(&repeat.len);
                Some(KnownType::Array(elem.map(Box::new)))
            }
            Expr::Macro(mac) if mac.mac.path.is_ident("shared") => {
                let TypeArray { elem, .. } = mac.mac.parse_body().ok()?;
                Some(KnownType::array(&elem))
            }
            Expr::Macro(mac) if mac.mac.path.is_ident("shared_dyn") => {
                let (elem, _) = mac.mac.parse_body_with(parse_shared_dyn).ok()?;
                Some(KnownType::array(&elem))
            }
            // The type of its items, for the variable of a loop.
            Expr::Range(range) => {
                let ends = [&range.start, &range.end].into_iter().flatten();
                let types: Vec<Option<KnownType>> = ends
                    .map(|end| {
                        self.count(end);
                        self.infer(end)
                    })
                    .collect();
                types.into_iter().flatten().next()
            }
            other => {
                self.visit_inside(other);
                None
            }
        }
    }

    fn infer_index(&mut self, index: &ExprIndex) -> Option<KnownType> {
        let base = self.infer(&index.expr);
        self.count(&index.index);
        let place = Some(KnownType::Number(Prim::Usize));
        let Some(KnownType::Array(elem)) = base else {
            self.infer(&index.index);
            if let Some(KnownType::Number(_)) = base {
                self.check_second_subscript(index);
            }
            return None;
        };
        if let Expr::Tuple(_) = &*index.index {
            self.check_tuple_subscript(index, elem.as_deref());
            return None;
        }
        if let Expr::Range(range) = &*index.index {
            for end in [&range.start, &range.end].into_iter().flatten() {
                self.infer_value(end, place.as_ref());
            }
            return Some(KnownType::Array(elem));
        }
        let before = self.misfits.len();
        let found = self.infer(&index.index);
        let fact = |index: &Expr, found: Prim| match shown(index) {
            Some(shown) => format!("an index is a `usize`, and `{shown}` {}", is_a(found)),
            None => format!("an index is a `usize`, and this {}", is_a(found)),
        };
        match found {
            Some(KnownType::Number(float)) if float.is_float() => {
                self.add_misfit(&index.index, [float, Prim::Usize], before, float, fact);
            }
            found => self.check(&index.index, [found.as_ref(), place.as_ref()], before, fact),
        }
        elem.map(|elem| *elem)
    }

    /// Infers the value of a `place`, or the argument of a method.
    fn infer_value(&mut self, value: &Expr, place: Option<&KnownType>) {
        let before = self.misfits.len();
        let found = self.infer(value);
        if is_place(value) {
            self.check_load(value, found.as_ref());
        }
        let expected = place.and_then(KnownType::integer);
        let fact = |value: &Expr, found: Prim| {
            let place = expected.map(with_article).unwrap_or_default();
            match shown(value) {
                Some(shown) => format!("this place takes {place}, and `{shown}` {}", is_a(found)),
                None => format!("this place takes {place}, and this {}", is_a(found)),
            }
        };
        self.check(value, [found.as_ref(), place], before, fact);
    }

    /// Adds an expression of type `found` at a place of type `expected`, if it is a misfit, before
    /// those inside of it.
    fn check(
        &mut self,
        expr: &Expr,
        [found, expected]: [Option<&KnownType>; 2],
        before: usize,
        fact: impl Fn(&Expr, Prim) -> String,
    ) {
        let integer = |known: Option<&KnownType>| known.and_then(KnownType::integer);
        let Some((found, expected)) = integer(found).zip(integer(expected)) else { return };
        let other = match (found, expected) {
            (Prim::Usize, Prim::Usize) => return,
            (Prim::Usize, other) | (other, Prim::Usize) => other,
            _ => return,
        };
        self.count(expr);
        if found != Prim::Usize || !self.turn_misfits(before, expected) {
            self.add_misfit(expr, [found, expected], before, other, fact);
        }
    }

    /// Lets the misfits from number `before` on, in an expression at a place of type `expected`, be
    /// the `usize` sides of their operators. Returns false if one of them has no such side.
    fn turn_misfits(&mut self, before: usize, expected: Prim) -> bool {
        let misfits = &mut self.misfits[before..];
        let has_side = |misfit: &Misfit| misfit.other == expected && misfit.usize_side.is_some();
        if misfits.is_empty() || !misfits.iter().all(has_side) {
            return false;
        }
        for misfit in misfits {
            if let Some((at, text)) = misfit.usize_side.take() {
                *misfit = Misfit { at, other: Prim::Usize, expected, text, usize_side: None };
            }
        }
        true
    }

    /// Adds a number of type `found` at a place of type `expected`.
    fn add_misfit(
        &mut self,
        expr: &Expr,
        [found, expected]: [Prim; 2],
        before: usize,
        other: Prim,
        fact: impl Fn(&Expr, Prim) -> String,
    ) {
        let text = match before {
            0 => [fact(expr, found), cast_text(expr, expected)],
            _ => Default::default(),
        };
        let at = SpanRange::expr(expr);
        self.misfits.insert(before, Misfit { at, other, expected, text, usize_side: None });
    }

    fn infer_cast(&mut self, cast: &ExprCast) -> Option<KnownType> {
        let (operand, known) = (self.infer(&cast.expr), KnownType::new(&cast.ty));
        self.check_load(&cast.expr, operand.as_ref());
        if let (Some(KnownType::Number(Prim::Usize)), Some(KnownType::Number(prim))) =
            (&operand, &known)
        {
            self.casts.push(*prim);
        }
        known
    }

    /// Infers a chain of operators, of which each is the left operand of the next.
    fn infer_binary(&mut self, binary: &ExprBinary) -> Option<KnownType> {
        let (mut first, mut rest) = (binary, Vec::new());
        while let Expr::Binary(left) = &*first.left {
            rest.push(first);
            first = left;
        }
        let before = self.misfits.len();
        let mut left = self.infer(&first.left);
        for binary in std::iter::once(first).chain(rest.into_iter().rev()) {
            let is_comparison = is_comparison(&binary.op);
            if is_comparison {
                self.count(&binary.left);
                self.count(&binary.right);
            }
            let inside = self.misfits.len();
            let right = self.infer(&binary.right);
            match left.as_ref().and_then(KnownType::atomic) {
                Some(atomic) if is_compound_assignment(&binary.op) => {
                    self.add_update(binary, atomic)
                }
                _ => {
                    self.check_load(&binary.left, left.as_ref());
                    self.check_load(&binary.right, right.as_ref());
                }
            }
            let of_sides = [left.as_ref(), right.as_ref()];
            if self.check_operator(binary, of_sides) || self.check_counter(binary, of_sides) {
                left = None;
                continue;
            }
            let usize = [Some(Prim::Usize); 2];
            let integers = of_sides.map(|known| known.and_then(KnownType::integer));
            if !is_shift(&binary.op) && integers != usize {
                self.check_sides(binary, of_sides, [before, inside]);
            }
            let ty = match of_sides.map(|known| known.and_then(KnownType::number)) {
                _ if is_comparison || is_compound_assignment(&binary.op) => None,
                [left, _] if is_shift(&binary.op) => left,
                [Some(left), Some(right)] if left.is_float() || right.is_float() => {
                    Some(common_float(binary, [left, right]))
                }
                [Some(_), Some(Prim::Usize)] => Some(Prim::Usize),
                [Some(left), Some(_)] => Some(left),
                // A float times a vector is a vector.
                [Some(left), None] if left.is_float() => {
                    Some(left).filter(|_| is_literal(&binary.right))
                }
                [Some(left), None] => Some(left).filter(|_| !is_float_literal(&binary.right)),
                [None, right] if is_literal(&binary.left) => {
                    right.filter(|right| right.is_float() || !is_float_literal(&binary.left))
                }
                _ => None,
            };
            left = ty.map(KnownType::Number);
        }
        left
    }

    /// Adds a `bool` that is a term or a factor, as in C, and `x ^ 2` of a float; returns true if the
    /// operator is such a mistake.
    fn check_operator(&mut self, binary: &ExprBinary, sides: [Option<&KnownType>; 2]) -> bool {
        let numbers = sides.map(|known| known.and_then(KnownType::number));
        let [left, right] = [&*binary.left, &*binary.right];
        match (&binary.op, numbers) {
            (BinOp::BitXor(_), [Some(float), _]) if float.is_float() => {
                let Some(base) = shown(left) else { return false };
                let help = match right {
                    Expr::Lit(power) => {
                        format!("write `{base}.powi({})`", print_tokens(power.to_token_stream()))
                    }
                    _ => "write `x.powi(2)` or `x.powf(y)`".to_owned(),
                };
                let fact = format!("`^` is an operator on bits, and `{base}` {}", is_a(float));
                self.add_mistake(SpanRange::expr(left).to(SpanRange::expr(right)), &fact, &help);
                true
            }
            (BinOp::Add(_) | BinOp::Mul(_) | BinOp::Sub(_), _) => {
                is_condition(left) && self.check_condition(left, right, numbers[1])
                    || is_condition(right) && self.check_condition(right, left, numbers[0])
            }
            _ => false,
        }
    }

    /// Adds the `0` of `let mut sum = 0;`, if a float is added to the variable; returns true if it is
    /// such an operator.
    fn check_counter(&mut self, binary: &ExprBinary, sides: [Option<&KnownType>; 2]) -> bool {
        let [Some(KnownType::Counter(at)), Some(KnownType::Number(float))] = sides else {
            return false;
        };
        let (BinOp::Add(_) | BinOp::AddAssign(_) | BinOp::SubAssign(_) | BinOp::MulAssign(_)) =
            binary.op
        else {
            return false;
        };
        let Some(name) = shown(&binary.left).filter(|_| float.is_float()) else { return false };
        let (at, fact) = (
            *at,
            format!("`{name}` begins as an integer, and is updated by {}", with_article(*float)),
        );
        self.add_mistake(at, &fact, "write a float, such as `0.0`");
        let known = self.scopes.iter_mut().rev().find_map(|scope| scope.get_mut(&name));
        known.into_iter().for_each(|known| *known = None);
        true
    }

    /// Adds a condition beside another operand, if that is a number or a condition.
    fn check_condition(&mut self, condition: &Expr, other: &Expr, number: Option<Prim>) -> bool {
        let number = match number {
            Some(number) => number,
            None if is_float_literal(other) => Prim::F32,
            None if is_literal(other) || is_condition(other) => Prim::I32,
            None => return false,
        };
        let shown = match condition {
            Expr::Paren(inner) => shown(&inner.expr),
            condition => shown(condition),
        };
        let shown = shown.unwrap_or_else(|| "..".to_owned());
        let help = if number.is_float() {
            format!("write `if {shown} {{ 1.0 }} else {{ 0.0 }}`")
        } else {
            format!("write `{}::from({shown})`", number.name())
        };
        self.add_mistake(SpanRange::expr(condition), "a `bool` is no number", &help);
        true
    }

    /// Checks the operands of an operator. A `usize` stays one, unless it updates another integer.
    fn check_sides(
        &mut self,
        binary: &ExprBinary,
        [left, right]: [Option<&KnownType>; 2],
        [before, inside]: [usize; 2],
    ) {
        let is_usize =
            |known: Option<&KnownType>| known.and_then(KnownType::integer) == Some(Prim::Usize);
        let fact = |expr: &Expr, found: Prim| {
            let other = if std::ptr::eq(expr, &raw const *binary.left) {
                [&*binary.right, &*binary.left]
            } else {
                [&*binary.left, &*binary.right]
            };
            let types = [left, right].map(|known| known.and_then(KnownType::number));
            let other_type = types.into_iter().flatten().find(|ty| *ty != found).unwrap_or(found);
            match other.map(shown) {
                [Some(other), Some(expr)] => {
                    format!("`{other}` {}, and `{expr}` {}", is_a(other_type), with_article(found))
                }
                _ => {
                    format!("one side {}, and the other {}", is_a(other_type), with_article(found))
                }
            }
        };
        if let [Some(left), Some(right)] =
            [left, right].map(|known| known.and_then(KnownType::number))
            && left != right
            && (left.is_float() || right.is_float())
        {
            let expected = if is_compound_assignment(&binary.op) {
                left
            } else {
                common_float(binary, [left, right])
            };
            let (expr, found, before) = if expected == left {
                (&binary.right, right, inside)
            } else {
                (&binary.left, left, before)
            };
            return self.add_misfit(expr, [found, expected], before, found, fact);
        }
        let is_usize_right = is_usize(right) && !is_compound_assignment(&binary.op);
        let (number, side, types, before) = if is_usize_right {
            (&binary.left, &binary.right, [left, right], before)
        } else {
            (&binary.right, &binary.left, [right, left], inside)
        };
        let misfits = self.misfits.len();
        self.check(number, types, before, fact);
        if self.misfits.len() > misfits
            && let [Some(KnownType::Number(number)), Some(KnownType::Number(Prim::Usize))] = types
        {
            let text = match before {
                0 => [fact(side, Prim::Usize), cast_text(side, *number)],
                _ => Default::default(),
            };
            self.misfits[before].usize_side = Some((SpanRange::expr(side), text));
        }
    }

    fn infer_method_call(&mut self, call: &ExprMethodCall) -> Option<KnownType> {
        let receiver = self.infer(&call.receiver);
        let method = call.method.to_string();
        let takes_same = matches!(method.as_str(), "clamp" | "max" | "min");
        let is_step = method == "step_by" && is_range(&call.receiver);
        let step = is_step.then_some(KnownType::Number(Prim::Usize));
        for arg in &call.args {
            let place = receiver.as_ref().filter(|_| takes_same);
            self.infer_value(arg, step.as_ref().or(place));
        }
        const METHODS: [&str; 9] = [
            "abs",
            "div_euclid",
            "pow",
            "rem_euclid",
            "rev",
            "step_by",
            "wrapping_add",
            "wrapping_mul",
            "wrapping_sub",
        ];
        match receiver? {
            KnownType::Array(Some(elem))
                if let Some(atomic) = elem.atomic().filter(|_| is_atomic_method(&method)) =>
            {
                self.check_method_of_all(call, atomic);
                None
            }
            KnownType::Atomic(atomic) => {
                self.check_method(call, atomic);
                None
            }
            KnownType::Array(_) if method == "len" => Some(KnownType::Number(Prim::Usize)),
            KnownType::Number(prim) if takes_same || METHODS.contains(&method.as_str()) => {
                Some(KnownType::Number(prim))
            }
            KnownType::Number(_)
            | KnownType::Array(_)
            | KnownType::Tuple(_)
            | KnownType::Counter(_) => None,
        }
    }

    /// Adds the names in an expression to those that count.
    fn count(&mut self, expr: &Expr) {
        Names(&mut self.counts).visit_expr(expr);
    }

    fn visit_inside(&mut self, expr: &Expr) {
        let chain = Chain::split(expr);
        for arm in &chain.arms {
            self.visit_expr(&arm.cond);
            self.visit_block(&arm.then_branch);
        }
        visit::visit_expr(self, chain.rest);
    }
}

impl<'ast> Visit<'ast> for Operands {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.infer(expr);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        self.scopes.push(HashMap::new());
        visit::visit_block(self, block);
        self.scopes.pop();
    }

    fn visit_local(&mut self, local: &'ast Local) {
        let known = local.init.as_ref().and_then(|init| {
            if let Some((_, diverge)) = &init.diverge {
                self.visit_expr(diverge);
            }
            if let Pat::Type(PatType { ty, .. }) = &local.pat {
                self.infer_value(&init.expr, KnownType::new(ty).as_ref());
                return None;
            }
            if let (Pat::Ident(PatIdent { mutability: Some(_), .. }), Expr::Lit(literal)) =
                (&local.pat, &*init.expr)
                && let Lit::Int(number) = &literal.lit
                && number.suffix().is_empty()
            {
                return Some(KnownType::Counter(SpanRange::expr(&init.expr)));
            }
            // The items of a range are not its type.
            let known = self.infer(&init.expr);
            if is_place(&init.expr) {
                self.check_load(&init.expr, known.as_ref());
            }
            known.filter(|_| !matches!(&*init.expr, Expr::Range(_)))
        });
        self.bind(&local.pat, known);
    }

    fn visit_expr_for_loop(&mut self, each: &'ast syn::ExprForLoop) {
        let known = match self.infer(&each.expr) {
            Some(KnownType::Array(elem)) => {
                elem.map(|elem| *elem).filter(|elem| elem.atomic().is_some())
            }
            known => known.filter(|known| matches!(known, KnownType::Number(_))),
        };
        self.scopes.push(HashMap::new());
        self.bind(&each.pat, known);
        self.visit_block(&each.body);
        self.scopes.pop();
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.scopes.push(HashMap::new());
        closure.inputs.iter().for_each(|input| self.bind(input, None));
        self.visit_expr(&closure.body);
        self.scopes.pop();
    }

    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.declare(pat.ident.to_string(), None);
        visit::visit_pat_ident(self, pat);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        if let Item::Const(ItemConst { ident, ty, .. }) = item {
            self.declare(ident.to_string(), KnownType::new(ty));
        }
    }
}

/// A visitor of the names in an expression.
struct Names<'n>(&'n mut BTreeSet<String>);

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        let chain = Chain::split(expr);
        chain.operands.into_iter().for_each(|operand| self.visit_expr(operand));
        visit::visit_expr(self, chain.rest);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        self.0.extend(path.path.get_ident().map(ToString::to_string));
    }
}

/// Returns true for an element or the target of a reference.
fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Index(_) => true,
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
        Expr::Paren(inner) => is_place(&inner.expr),
        _ => false,
    }
}

/// Returns true for `(a..b)`.
fn is_range(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(inner) => is_range(&inner.expr),
        expr => matches!(expr, Expr::Range(_)),
    }
}

/// Returns the code of an atomic in front of a method.
fn method_receiver(expr: &Expr) -> String {
    match expr {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => method_receiver(&unary.expr),
        Expr::Paren(inner) => method_receiver(&inner.expr),
        other => print_tokens(other.to_token_stream()),
    }
}

/// Returns the code of an expression, if it is short.
fn shown(expr: &Expr) -> Option<String> {
    let text = print_tokens(expr.to_token_stream());
    (text.len() <= MAX_SHOWN_BYTES).then_some(text)
}

/// Returns an expression with a cast, as code.
fn cast_text(expr: &Expr, ty: Prim) -> String {
    let (is_float, ty) = (ty.is_float(), ty.name());
    match (expr, shown(expr)) {
        (Expr::Lit(ExprLit { lit: Lit::Int(number), .. }), _) => {
            number.base10_digits().to_owned() + if is_float { ".0" } else { "" }
        }
        (Expr::Lit(ExprLit { lit: Lit::Float(number), .. }), _) if is_float => {
            number.base10_digits().to_owned()
        }
        (Expr::Path(path), Some(shown))
            if let (Some(of), None) = (std_constant(&path.path), path.path.get_ident()) =>
        {
            shown.replace(of.name(), ty)
        }
        (Expr::Binary(_) | Expr::Cast(_) | Expr::Unary(_), Some(shown)) => {
            format!("({shown}) as {ty}")
        }
        (_, Some(shown)) => format!("{shown} as {ty}"),
        (_, None) => format!("(..) as {ty}"),
    }
}

/// Returns the predicate of an integer type.
fn is_a(prim: Prim) -> String {
    format!("is {}", with_article(prim))
}

/// Returns the name of an integer type with its article.
fn with_article(prim: Prim) -> String {
    let name = prim.name();
    let article = if name.starts_with(['f', 'i']) { "an" } else { "a" };
    format!("{article} `{name}`")
}

/// Returns true for a number without a type.
fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Paren(inner) => is_literal(&inner.expr),
        Expr::Unary(unary) => is_literal(&unary.expr),
        _ => false,
    }
}

/// Returns true for a float without a type.
fn is_float_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Float(_)),
        Expr::Paren(inner) => is_float_literal(&inner.expr),
        Expr::Unary(unary) => is_float_literal(&unary.expr),
        _ => false,
    }
}

/// Returns the type of a constant of std: `std::f64::consts::PI` or `f32::MAX`.
fn std_constant(path: &syn::Path) -> Option<Prim> {
    let imported = path.get_ident().and_then(source_map::imported_std_path);
    let path = imported.unwrap_or_else(|| path_text(path));
    let owner = match path.split("::").collect::<Vec<_>>()[..] {
        [.., owner, "consts", _] => owner,
        [owner, "EPSILON" | "INFINITY" | "MAX" | "MIN" | "MIN_POSITIVE" | "NAN"] => owner,
        _ => return None,
    };
    Prim::from_name(owner).filter(|prim| prim.is_float() && is_number(*prim))
}

/// Returns the type that both operands should have, of which one is a float: that of the only
/// operand with an element of an array, or `f32`.
fn common_float(binary: &ExprBinary, [left, right]: [Prim; 2]) -> Prim {
    match (has_element(&binary.left), has_element(&binary.right)) {
        _ if left == right || right.is_int() => left,
        _ if left.is_int() => right,
        (true, false) => left,
        (false, true) => right,
        _ => Prim::F32,
    }
}

/// Returns true for an element of an array, and for a term with one.
fn has_element(mut expr: &Expr) -> bool {
    loop {
        expr = match expr {
            Expr::Index(_) => return true,
            Expr::Binary(binary) if matches!(*binary.right, Expr::Index(_)) => return true,
            Expr::Binary(binary) => &binary.left,
            Expr::Paren(inner) => &inner.expr,
            Expr::MethodCall(call) => &call.receiver,
            Expr::Unary(unary) => &unary.expr,
            _ => return false,
        }
    }
}

const fn is_comparison(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
    )
}

const fn is_shift(op: &BinOp) -> bool {
    matches!(op, BinOp::Shl(_) | BinOp::Shr(_) | BinOp::ShlAssign(_) | BinOp::ShrAssign(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text and the place of each mistake in a function with these parameters.
    fn find(params: &str, body: &str) -> Vec<String> {
        let kernel = syn::parse_str(&format!("fn f({params}) {{ {body} }}")).unwrap();
        let of_mistake = |Mistake { text, place, .. }| match place {
            Place::Number(ty) => format!("as {}", ty.name()),
            _ => text,
        };
        find_in_kernel(&kernel).into_iter().map(of_mistake).collect()
    }

    #[test]
    fn the_first_place_is_an_error_and_the_others_are_casts() {
        let found = find("n: i32, m: i32, x: &[f32], y: &mut [f32]", "if 3 < n { y[n] = x[n] }");
        let error = "an index is a `usize`, and `n` is an `i32`\n= help: take `n: usize`, or write \
                     `n as usize`";
        assert_eq!(found, [error, "as usize"]);
    }

    #[test]
    fn an_integer_is_cast_to_the_type_that_it_updates() {
        let found = find("x: &[f32], i: usize", "let mut at = 0i32; at += i; x[at];");
        assert_eq!(found[1..], ["as usize"]);
        assert!(found[0].starts_with("`at` is an `i32`, and `i` a `usize`"), "{}", found[0]);
        let found = find("x: &[f32], i: usize", "let mut at = 0i32; x[at]; at += i;");
        assert_eq!(found[1..], ["as i32"]);
    }

    #[test]
    fn types_that_the_syntax_does_not_show_are_no_mistake() {
        for body in [
            "let i = i as usize; x[i];",
            "for (i, v) in x.iter().enumerate() { x[i]; }",
            "{ let i = global_idx_x(); x[i]; }",
            "let at = |i| x[i]; at(3);",
            "match other { i => x[i] };",
            "if let Some(i) = other { x[i]; }",
            "let i = other(i); x[i];",
            "for i in 0..x.len() { x[i]; }",
            "let mut k = 0; k += 1; x[k]; n > k;",
            "!(0xffff << (16 * n)) & i; 1i32 << n; n >> i;",
            "x[1..n][0]; let all = ..n; x[all];",
            "y[i]; table.rows[i];",
            "let (a, .., n) = (1usize, 2, i as usize); x[n];",
            "const I: usize = 3; let i = I; x[i];",
            "fn inner(i: usize, x: &[f32]) { x[i]; }",
        ] {
            assert_eq!(find("x: &[f32], y: Table, i: i32, n: usize", body), [""; 0], "{body}");
        }
    }

    #[test]
    fn floats_do_not_mix_with_other_numbers() {
        let params = "a: f64, s: f32, n: u32, x: &mut [f32], d: &[f64], v: F32x4";
        let helps = [
            ("x[0] * a;", "take `a: f32`, or write `a as f32`"),
            ("d[0] * s;", "take `s: f64`, or write `s as f64`"),
            ("s + n;", "write `n as f32`"),
            ("x.len() * s;", "write `x.len() as f32`"),
            ("x[0] *= 0.5f64;", "write `0.5`"),
            ("x[0] < std::f64::consts::PI;", "write `std::f32::consts::PI`"),
            ("a + 2.0 * s;", "take `a: f32`, or write `a as f32`"),
        ];
        for (body, help) in helps {
            let found = find(params, body);
            assert_eq!(found.len(), 1, "{body}: {found:?}");
            assert_eq!(found[0].split_once("= help: ").unwrap().1, help, "{body}");
        }
        let all = find(params, "x[0] = a * x[0] + a; x[1] = a * x[1];");
        assert_eq!(all[1..], ["as f32", "as f32"]);
        for body in [
            "x[0] * 2.0 - s;",
            "s * v * s;",
            "2.0 * v + v;",
            "n * 2.0 * s;",
            "2.0 * n * s;",
            "a * 2.0 < d[0] * std::f64::consts::PI;",
            "x[0] = a;",
            "s as f64 * a;",
        ] {
            assert_eq!(find(params, body), [""; 0], "{body}");
        }
    }

    #[test]
    fn operators_on_atomics_have_methods() {
        let params = "a: &[AtomicI32], f: &AtomicF32, x: &mut [i32], v: i32";
        let helps = [
            ("a[1] += v + 1;", "write `a[1].fetch_add(v + 1, Ordering::Relaxed)`"),
            ("a[1] = a[1] - v;", "write `a[1].fetch_sub(v, Ordering::Relaxed)`"),
            ("a[1] = v;", "write `a[1].store(v, Ordering::Relaxed)`"),
            ("*f -= v as f32;", "write `f.fetch_add(-(v as f32), Ordering::Relaxed)`"),
            ("*f *= 2.0;", "an `AtomicF32` has `fetch_add`, `fetch_min` and `fetch_max`"),
            ("x[0] = a[1];", "load its value: `a[1].load(Ordering::Relaxed)`"),
            ("while a[1] < v {}", "load its value: `a[1].load(Ordering::Relaxed)`"),
            ("for t in a { *t |= v; }", "write `t.fetch_or(v, Ordering::Relaxed)`"),
            (
                "a[1] *= v;",
                "write `a[1].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(old * v))`",
            ),
        ];
        for (body, help) in helps {
            let found = find(params, body);
            assert_eq!(found.len(), 1, "{body}: {found:?}");
            assert_eq!(found[0].split_once("= help: ").unwrap().1, help, "{body}");
        }
        for body in ["let t = &a[1]; t.load(o); g(t);", "f.fetch_add(1.0, o); g(f); let g = f;"] {
            assert_eq!(find(params, body), [""; 0], "{body}");
        }
    }

    #[test]
    fn functions_inside_of_functions_have_names_of_their_own() {
        let found = find("x: &[f32], i: usize", "fn inner(x: &[f32], i: u8) -> f32 { x[i] } x[i];");
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("`i` is a `u8`"), "{}", found[0]);
    }
}
