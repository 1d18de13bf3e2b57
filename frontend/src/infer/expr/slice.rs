//! Slices: slicing and methods. Most methods are kernel code of the standard library; this module
//! has the others.
use crate::{
    hir::{Block, Call, Expr, ExprKind, SliceBounds},
    infer::{
        Infer,
        call::{device_call::ResolvedFunction, method_call::Args, reject},
        items::signature::receiver_reference,
        traits::member::{Member, MemberKind},
    },
    syntax::span::SpanRange,
    types::{Prim, Ty, Type, iterator::IterKind},
};
use syn::{AngleBracketedGenericArguments, ExprMethodCall, ExprRange, RangeLimits};
use warpwise_compiler::ir::CompareOp;

impl Infer<'_> {
    /// Infers `base[a..b]`. The base is a place of slice or array type, with elements of type
    /// `elem`.
    pub(crate) fn infer_slice_part(
        &mut self,
        base: Expr,
        elem: Ty,
        range: &ExprRange,
        at: SpanRange,
    ) -> Expr {
        let usize = self.prim(Prim::Usize);
        let mut end = |end: &Option<Box<syn::Expr>>| {
            end.as_ref().map(|end| Box::new(self.infer_expr_coerce(end, usize)))
        };
        let ends = SliceBounds::Written { start: end(&range.start), end: end(&range.end) };
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        let ty = self.types.add(Type::Slice(elem));
        self.make_expr(ExprKind::Slice { base: Box::new(base), ends, inclusive }, ty, at)
    }

    /// Infers `base[range]`, where the range is a value.
    pub(crate) fn make_slice_by_range(
        &mut self,
        base: Expr,
        elem: Ty,
        range: Expr,
        inclusive: bool,
        at: SpanRange,
    ) -> Expr {
        let types = match self.types.get(range.ty) {
            Type::Iter(_, list) => self.types.parts(list).get(1..).unwrap_or_default().to_vec(),
            _ => Vec::new(),
        };
        let (usize, place) = (self.prim(Prim::Usize), self.spans[range.at]);
        types.iter().for_each(|ty| self.unify(place, usize, *ty));
        let ends = SliceBounds::Range { value: Box::new(range), count: types.len() };
        let ty = self.types.add(Type::Slice(elem));
        self.make_expr(ExprKind::Slice { base: Box::new(base), ends, inclusive }, ty, at)
    }

    /// Coerces a place of array type to one of slice type; `mutable` if it is mutated through the
    /// slice.
    fn array_place_to_slice(&mut self, place: Expr, mutable: bool) -> Expr {
        let Type::Array(elem, _) = self.types.get(place.ty) else { return place };
        let at = self.spans[place.at];
        let slice = self.types.add(Type::Slice(elem));
        let (array, unsized_) =
            (self.types.reference(mutable, place.ty), self.types.reference(mutable, slice));
        let array = self.make_expr(ExprKind::Borrow(Box::new(place)), array, at);
        let reference = self.make_expr(ExprKind::Unsize(Box::new(array)), unsized_, at);
        self.make_expr(ExprKind::Deref(Box::new(reference)), slice, at)
    }

    /// Makes a slice reference to a place of slice or array type.
    pub(crate) fn make_slice_reference(&mut self, place: Expr, mutable: bool) -> Expr {
        let at = self.spans[place.at];
        if mutable && place.is_place() {
            self.require_mutable(&place);
        }
        let place = self.array_place_to_slice(place, mutable);
        let ty = self.types.reference(mutable, place.ty);
        self.make_expr(ExprKind::Borrow(Box::new(place)), ty, at)
    }

    /// Infers a method of a slice or array.
    pub(crate) fn infer_slice_method(
        &mut self,
        receiver: Expr,
        name: &str,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        let elem = match self.types.get(receiver.ty) {
            Type::Slice(elem) | Type::Array(elem, _) => elem,
            _ => return self.report_no_method(name, receiver.ty, &call.args, at),
        };
        match name {
            "len" | "is_empty" => self.infer_length_method(receiver, name, &call.args, at),
            "as_slice" | "as_mut_slice" if self.check_arg_count(0, &call.args, at) => {
                self.make_slice_reference(receiver, name == "as_mut_slice")
            }
            "get" | "get_mut" => self.infer_get(receiver, elem, name == "get_mut", call, at),
            "iter" | "iter_mut" if self.check_arg_count(0, &call.args, at) => {
                let slice = self.make_slice_reference(receiver, name == "iter_mut");
                self.make_slice_iter(slice, at)
            }
            "copy_within" => self.infer_copy_within(receiver, elem, call, at),
            "chunks" => self.infer_chunks(IterKind::Chunks, receiver, false, call, at),
            "chunks_mut" => self.infer_chunks(IterKind::Chunks, receiver, true, call, at),
            "chunks_exact" => self.infer_chunks(IterKind::ChunksExact, receiver, false, call, at),
            "chunks_exact_mut" => {
                self.infer_chunks(IterKind::ChunksExact, receiver, true, call, at)
            }
            "windows" => self.infer_chunks(IterKind::Windows, receiver, false, call, at),
            "as_vectors" | "as_vectors_mut" if self.check_arg_count(0, &call.args, at) => {
                self.infer_vector_view(receiver, name == "as_vectors_mut", call, at)
            }
            // `parted` splits in two, with the mutability of the reference to the slice.
            "parted" if self.is_in_std_lib() => {
                let mutable = match &receiver.kind {
                    ExprKind::Deref(of) => {
                        matches!(self.types.get(of.ty), Type::Ref { mutable: true, .. })
                    }
                    _ => false,
                };
                let name = if mutable { "split_at_mut" } else { "split_at" };
                self.infer_slice_std_method(receiver, elem, name, None, &call.args, at)
            }
            _ if self.is_in_std_lib() && is_reshaping(name) => {
                self.make_reshape(receiver, elem, name, &call.args, at)
            }
            "as_slice" | "as_mut_slice" | "iter" | "iter_mut" | "as_vectors" | "as_vectors_mut" => {
                self.make_expr(ExprKind::Reported, receiver.ty, at)
            }
            _ => {
                let turbofish = call.turbofish.as_ref();
                self.infer_slice_std_method(receiver, elem, name, turbofish, &call.args, at)
            }
        }
    }

    /// Infers a reinterpretation of a slice's memory by library code, which knows that enough
    /// elements follow: as an array, as a slice of arrays, as the elements of a slice of arrays, or
    /// as a longer slice.
    fn make_reshape(
        &mut self,
        receiver: Expr,
        elem: Ty,
        name: &str,
        args: &Args,
        at: SpanRange,
    ) -> Expr {
        let (stem, mutable) = name.strip_suffix("_mut").map_or((name, false), |stem| (stem, true));
        let len = self.types.unknown_len();
        let array = self.types.add(Type::Array(elem, len));
        let to = match (stem, self.types.get(elem)) {
            ("elements", _) => array,
            ("arrays", _) => self.types.add(Type::Slice(array)),
            ("extended", _) => self.types.add(Type::Slice(elem)),
            (_, Type::Array(inner, _)) => self.types.add(Type::Slice(inner)),
            _ => return self.report_no_method(name, receiver.ty, args, at),
        };
        let slice = Box::new(self.make_slice_reference(receiver, mutable));
        let usize = self.prim(Prim::Usize);
        let len = args.first().map(|len| Box::new(self.infer_expr_coerce(len, usize)));
        let ty = self.types.reference(mutable, to);
        self.make_expr(ExprKind::Reshape { slice, len }, ty, at)
    }

    /// Infers `as_vectors` and `as_vectors_mut`. rustc compares the lanes with the elements.
    fn infer_vector_view(
        &mut self,
        receiver: Expr,
        mutable: bool,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        let slice = Box::new(self.make_slice_reference(receiver, mutable));
        let vector = self.turbofish_type(call, 0).unwrap_or_else(|| self.unknown());
        let vectors = self.types.add(Type::Slice(vector));
        let ty = self.types.reference(mutable, vectors);
        self.make_expr(ExprKind::VectorView(slice), ty, at)
    }

    /// Infers `x.try_into()` and `try_from` of a slice: an array, or a reference to one.
    pub(crate) fn slice_to_array(&mut self, slice: Expr, to: Option<Ty>, at: SpanRange) -> Expr {
        let elem = match self.types.get(slice.ty) {
            Type::Slice(elem) | Type::Array(elem, _) => elem,
            _ => return self.report_no_method("try_into", slice.ty, &Args::new(), at),
        };
        let name = match to.map(|to| self.types.get(to)) {
            Some(Type::Array(..)) => "try_into_array",
            Some(Type::Ref { mutable: false, .. }) => "try_into_reference",
            Some(Type::Ref { mutable: true, .. }) => "try_into_reference_mut",
            Some(Type::Reported(proof)) => return self.make_reported(proof, at),
            _ => {
                let reported = self.errors.advise(
                    at,
                    "the type that a slice is made into must be known here",
                    "write it: `let a: [f32; 4] = x[..4].try_into().unwrap()`, or \
                     `<[f32; 4]>::try_from(&x[..4])`",
                );
                return self.make_reported(reported, at);
            }
        };
        let made = self.infer_slice_std_method(slice, elem, name, None, &Args::new(), at);
        if let (Some(to), Some(array)) = (to, self.types.first_arg(made.ty)) {
            self.unify(at, array, to);
        }
        made
    }

    fn infer_length_method(
        &mut self,
        receiver: Expr,
        name: &str,
        args: &Args,
        at: SpanRange,
    ) -> Expr {
        let (usize, bool) = (self.prim(Prim::Usize), self.prim(Prim::Bool));
        if !self.check_arg_count(0, args, at) {
            return self.make_expr(ExprKind::Reported, usize, at);
        }
        let len = self.make_expr(ExprKind::Length(Box::new(receiver)), usize, at);
        if name == "len" {
            return len;
        }
        let zero = self.make_expr(ExprKind::Int(0), usize, at);
        let (lhs, rhs) = (Box::new(len), Box::new(zero));
        self.make_expr(ExprKind::Compare { op: CompareOp::Eq, lhs, rhs }, bool, at)
    }

    /// Infers `get` and `get_mut` of an index or a range.
    fn infer_get(
        &mut self,
        receiver: Expr,
        elem: Ty,
        mutable: bool,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        let reference = self.types.reference(mutable, elem);
        let ty = self.option_type(reference);
        if !self.check_arg_count(1, &call.args, at) {
            return self.make_expr(ExprKind::Reported, ty, at);
        }
        let suffix = if mutable { "_mut" } else { "" };
        if let syn::Expr::Range(range) = &call.args[0] {
            let (args, which) = range_bound_args(range);
            let name = format!("get_{which}{suffix}");
            return self.infer_slice_std_method(receiver, elem, &name, None, &args, at);
        }
        if mutable && receiver.is_place() {
            self.require_mutable(&receiver);
        }
        let usize = self.prim(Prim::Usize);
        let index = self.infer_expr(&call.args[0], Some(usize));
        if let Some(which) = self.range_name_part(index.ty) {
            let name = format!("get_{which}{suffix}");
            return self.make_range_method_call(receiver, elem, &name, (index, None), at);
        }
        let index = Box::new(self.coerce(index, usize));
        self.make_expr(ExprKind::Get { base: Box::new(receiver), index }, ty, at)
    }

    /// Infers `copy_within`.
    fn infer_copy_within(
        &mut self,
        receiver: Expr,
        elem: Ty,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        let unit = self.types.unit();
        if !self.check_arg_count(2, &call.args, at) {
            return self.make_expr(ExprKind::Reported, unit, at);
        }
        if let syn::Expr::Range(range) = &call.args[0] {
            let (mut args, which) = range_bound_args(range);
            args.push(call.args[1].clone());
            return self.infer_slice_std_method(
                receiver,
                elem,
                &format!("copy_{which}"),
                None,
                &args,
                at,
            );
        }
        let range = self.infer_expr(&call.args[0], None);
        let usize = self.prim(Prim::Usize);
        let to = self.infer_expr_coerce(&call.args[1], usize);
        match self.range_name_part(range.ty) {
            Some(which) => {
                let name = format!("copy_{which}");
                self.make_range_method_call(receiver, elem, &name, (range, Some(to)), at)
            }
            None => {
                let shown = self.types.show(range.ty);
                let fact = format_args!("`{shown}` is no range of indices");
                let reported = self.errors.mistyped(SpanRange::expr(&call.args[0]), fact);
                self.make_reported(reported, at)
            }
        }
    }

    /// Returns the name part of library functions that take the bounds of this range type.
    fn range_name_part(&self, ty: Ty) -> Option<&'static str> {
        match self.as_iterator(ty) {
            Some((IterKind::Range, _)) => Some("between"),
            Some((IterKind::RangeInclusive, _)) => Some("through"),
            Some((IterKind::RangeFrom, _)) => Some("from"),
            _ => None,
        }
    }

    /// Makes a call of a library method that takes the bounds of a range value.
    fn make_range_method_call(
        &mut self,
        receiver: Expr,
        elem: Ty,
        name: &str,
        (range, last): (Expr, Option<Expr>),
        at: SpanRange,
    ) -> Expr {
        let place = self.spans[range.at];
        let count = match self.types.get(range.ty) {
            Type::Iter(_, list) => self.types.parts(list).len().saturating_sub(1),
            _ => 0,
        };
        let item = self.as_iterator(range.ty).map(|(_, item)| item);
        let usize = self.prim(Prim::Usize);
        item.into_iter().for_each(|item| self.unify(place, usize, item));
        let mut stmts = Vec::new();
        let range = self.bind_value(range, &mut stmts);
        let mut args: Vec<Expr> = Vec::with_capacity(count + 1);
        for index in 0..count {
            let base = Box::new(self.make_variable(range, place));
            args.push(self.make_expr(ExprKind::Field { base, index }, usize, place));
        }
        args.extend(last);
        let call = self.make_slice_std_call(receiver, elem, name, args, at);
        let ty = call.ty;
        let block = Block { stmts, tail: Some(Box::new(call)) };
        self.make_expr(ExprKind::Block { label: None, block }, ty, at)
    }

    /// Makes a call of a library method with inferred arguments.
    fn make_slice_std_call(
        &mut self,
        receiver: Expr,
        elem: Ty,
        name: &str,
        args: Vec<Expr>,
        at: SpanRange,
    ) -> Expr {
        let slice = self.types.add(Type::Slice(elem));
        let member = self.find_member(slice, name, None).expect("the prelude has it");
        let MemberKind::Fn(sig) = member.kind else { unreachable!("it is a function") };
        let Member { callee, env, .. } = member;
        let mutable = match sig.inputs.first() {
            Some(syn::FnArg::Receiver(by)) => receiver_reference(by).unwrap_or(false),
            _ => false,
        };
        let receiver = self.make_slice_reference(receiver, mutable);
        let ret = match &sig.output {
            syn::ReturnType::Default => self.types.unit(),
            syn::ReturnType::Type(_, ty) => self.resolve_type_in(ty, &env),
        };
        let generics = env.args.iter().map(|(_, arg)| *arg).collect();
        let args = [receiver].into_iter().chain(args).collect();
        self.make_expr(
            ExprKind::Call(Box::new(Call { callee, generics, self_ty: env.self_ty, args })),
            ret,
            at,
        )
    }

    /// Returns the type `Option<T>`.
    pub(crate) fn option_type(&mut self, ty: Ty) -> Ty {
        let list = self.types.list(vec![crate::types::GenericArg::Type(ty)]);
        match self.program().std_item("Option") {
            Some(option) => self.types.add(Type::Adt(option, list)),
            None => self.unknown(),
        }
    }

    /// Infers a call of a library method.
    fn infer_slice_std_method(
        &mut self,
        receiver: Expr,
        elem: Ty,
        name: &str,
        turbofish: Option<&AngleBracketedGenericArguments>,
        args: &Args,
        at: SpanRange,
    ) -> Expr {
        let slice = self.types.add(Type::Slice(elem));
        let found = self.find_member(slice, name, None);
        let Some(MemberKind::Fn(sig)) = found.as_ref().map(|member| member.kind) else {
            self.infer_discarded(args);
            let (fact, help) = reject::slice_method(name);
            let reported = if reject::is_slice_method_of_std(name) {
                self.errors.advise(at, fact, help)
            } else {
                self.errors.advise_unless_rustc(at, fact, help)
            };
            return self.make_reported(reported, at);
        };
        let mutable = match sig.inputs.first() {
            Some(syn::FnArg::Receiver(by)) => receiver_reference(by).unwrap_or(false),
            _ => false,
        };
        let receiver = self.make_slice_reference(receiver, mutable);
        match found {
            Some(member) => {
                let function = ResolvedFunction {
                    callee: member.callee,
                    sig,
                    env: member.env,
                    expected: None,
                };
                self.infer_function_call(function, Some(receiver), turbofish, args, at)
            }
            None => receiver,
        }
    }
}

/// Returns true for a library-internal method that reinterprets a slice's memory.
fn is_reshaping(name: &str) -> bool {
    matches!(name.strip_suffix("_mut").unwrap_or(name), "elements" | "arrays" | "flat" | "extended")
}

/// Returns the bounds of a range as arguments, and the name part of the library functions that take
/// them.
fn range_bound_args(range: &ExprRange) -> (Args, &'static str) {
    let zero: syn::Expr = syn::parse_quote!(0);
    let start = range.start.as_deref().unwrap_or(&zero).clone();
    let args = [start].into_iter().chain(range.end.as_deref().cloned()).collect();
    let which = match (&range.end, &range.limits) {
        (None, _) => "from",
        (Some(_), RangeLimits::HalfOpen(_)) => "between",
        (Some(_), RangeLimits::Closed(_)) => "through",
    };
    (args, which)
}
