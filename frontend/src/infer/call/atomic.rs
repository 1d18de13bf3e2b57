//! Methods of atomics.
use crate::{
    hir::{Atomic, AtomicMethod, Expr, ExprKind, GenericArg, OrderingArg},
    infer::{Infer, call::closure::CallSignature, items::cycles::Definition},
    syntax::span::SpanRange,
    types::{Prim, Ty, Type, ordering::ORDERS},
};
use syn::ExprMethodCall;
use warpwise_compiler::ir::{AtomicOp, Order, Scope};

/// The error for an argument that is no known ordering.
pub(crate) const NO_ORDERING: &str = "an ordering in kernel code is one of std's constants";
/// The help for [`NO_ORDERING`].
pub(crate) const ORDERING_HELP: &str = "write for example `Ordering::Relaxed`";

/// Returns the std ordering that a path names: `Ordering::Relaxed`, or `Relaxed` after a `use`.
fn find_std_ordering(path: &syn::Path) -> Option<(&'static str, Order)> {
    let name = &path.segments.last()?.ident;
    ORDERS.into_iter().find(|(known, _)| name == known)
}

/// The signature of a method: the numbers of arguments before the orderings and of orderings.
struct AtomicSignature {
    method: AtomicMethod,
    value_count: usize,
    order_count: usize,
}

fn atomic_signature(name: &str, prim: Prim) -> Option<AtomicSignature> {
    use AtomicMethod::{CompareExchange, Load, Nand, Store, Update};
    let is_bool = prim == Prim::Bool;
    let update = |op| Some(AtomicSignature { method: Update(op), value_count: 1, order_count: 1 });
    match name {
        "load" => Some(AtomicSignature { method: Load, value_count: 0, order_count: 1 }),
        "store" => Some(AtomicSignature { method: Store, value_count: 1, order_count: 1 }),
        "swap" => update(AtomicOp::Swap),
        "fetch_add" if !is_bool => update(AtomicOp::Add),
        "fetch_min" if !is_bool => update(AtomicOp::Min),
        "fetch_max" if !is_bool => update(AtomicOp::Max),
        _ if prim.is_float() => None,
        "fetch_sub" if !is_bool => update(AtomicOp::Sub),
        "fetch_and" => update(AtomicOp::And),
        "fetch_or" => update(AtomicOp::Or),
        "fetch_xor" => update(AtomicOp::Xor),
        "fetch_nand" => Some(AtomicSignature { method: Nand, value_count: 1, order_count: 1 }),
        "compare_exchange" | "compare_exchange_weak" => {
            Some(AtomicSignature { method: CompareExchange, value_count: 2, order_count: 2 })
        }
        _ => None,
    }
}

impl Infer<'_> {
    pub(crate) fn infer_atomic_method(
        &mut self,
        place: Expr,
        prim: Prim,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        let name = call.method.to_string();
        match name.as_str() {
            "block" => return self.infer_scoped(place, Scope::Block, call, at),
            "system" => return self.infer_scoped(place, Scope::System, call, at),
            "get_mut" => return self.infer_get_mut(place, prim, call, at),
            "fetch_update" if !prim.is_float() => {
                return self.infer_fetch_update(place, prim, call, at);
            }
            _ => {}
        }
        // The methods above take no plain list of values and orderings; all others are in a table.
        let Some(form) = atomic_signature(&name, prim) else {
            let ty = self.types.show(place.ty);
            let help = match name.as_str() {
                "fetch_update" | "compare_exchange" | "compare_exchange_weak" => {
                    "keep `to_bits()` of the number in an `AtomicU32` or `AtomicU64`"
                }
                "fetch_not" if prim == Prim::Bool => "use `fetch_xor` with `true`",
                _ if prim == Prim::Bool => {
                    "use `load`, `store`, `swap`, `compare_exchange`, `fetch_update`, or `fetch_and`, \
                     `or`, `xor`, `nand`"
                }
                "update" | "try_update" => "use `fetch_update`",
                "into_inner" | "as_ptr" => "use `load` and `store`",
                _ if prim.is_float() => {
                    "use `load`, `store`, `swap`, `fetch_add`, `fetch_min` or `fetch_max`"
                }
                _ => "use `load`, `store`, `swap`, `compare_exchange` or `fetch_*`",
            };
            let fact = format!("kernel code cannot call the method `{name}` of `{ty}`");
            let is_of_std =
                ["as_ptr", "compare_exchange", "fetch_", "into_inner", "try_", "update"]
                    .iter()
                    .any(|start| name.starts_with(start));
            let reported = if is_of_std {
                self.errors.advise(at, fact, help)
            } else {
                self.errors.advise_unless_rustc(at, fact, help)
            };
            return self.make_reported(reported, at);
        };
        let value = self.prim(prim);
        let ty = match form.method {
            AtomicMethod::Store => self.types.unit(),
            AtomicMethod::CompareExchange | AtomicMethod::FetchUpdate => {
                self.exchange_result_type(value)
            }
            AtomicMethod::Load | AtomicMethod::Update(_) | AtomicMethod::Nand => value,
        };
        if !self.check_arg_count(form.value_count + form.order_count, &call.args, at) {
            return self.make_expr(ExprKind::Reported, ty, at);
        }
        let args: Vec<Expr> = call
            .args
            .iter()
            .take(form.value_count)
            .map(|arg| self.infer_expr_coerce(arg, value))
            .collect();
        let orders: Vec<OrderingArg> = call
            .args
            .iter()
            .skip(form.value_count)
            .filter_map(|arg| self.infer_ordering(arg))
            .collect();
        if orders.len() != form.order_count {
            return self.make_expr(ExprKind::Reported, ty, at);
        }
        self.make_atomic(Atomic { method: form.method, place, args, name, orders }, ty, at)
    }

    /// Makes a method call of an atomic. Reports orderings with which std's method panics.
    fn make_atomic(&mut self, atomic: Atomic, ty: Ty, at: SpanRange) -> Expr {
        let known = atomic.orders.iter().map(|order| match order {
            OrderingArg::Known(order) => Some(*order),
            OrderingArg::Value(_) => None,
        });
        let known: Option<Vec<Order>> = known.collect();
        if let Some(wrong) =
            known.and_then(|known| atomic.method.ordering_error(&atomic.name, &known))
        {
            self.errors.report(at, wrong);
        }
        self.make_expr(ExprKind::Atomic(Box::new(atomic)), ty, at)
    }

    /// Infers `a.fetch_update(set_order, fetch_order, |value| ..)`.
    fn infer_fetch_update(
        &mut self,
        place: Expr,
        prim: Prim,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        let value = self.prim(prim);
        let ty = self.exchange_result_type(value);
        if !self.check_arg_count(3, &call.args, at) {
            return self.make_expr(ExprKind::Reported, ty, at);
        }
        let orders = (self.infer_ordering(&call.args[0]), self.infer_ordering(&call.args[1]));
        let ret = self.option_type(value);
        let closure =
            self.infer_callable(&call.args[2], &CallSignature { params: vec![value], ret });
        let (Some(set), Some(load)) = orders else {
            return self.make_expr(ExprKind::Reported, ty, at);
        };
        let (method, args) = (AtomicMethod::FetchUpdate, vec![closure]);
        let (name, orders) = ("fetch_update".to_owned(), vec![set, load]);
        self.make_atomic(Atomic { method, place, args, name, orders }, ty, at)
    }

    /// Returns the type `Result<T, T>` of an exchange, both with the previous value.
    fn exchange_result_type(&mut self, value: Ty) -> Ty {
        let both = vec![GenericArg::Type(value), GenericArg::Type(value)];
        let list = self.types.list(both);
        match self.program().std_item("Result") {
            Some(result) => self.types.add(Type::Adt(result, list)),
            None => self.unknown(),
        }
    }

    /// Infers `a.block()` and `a.system()`: a reference to the same atomic at another scope.
    fn infer_scoped(
        &mut self,
        place: Expr,
        scope: Scope,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        self.check_arg_count(0, &call.args, at);
        let ty = place.ty;
        let place = self.make_expr(ExprKind::Scoped { atomic: Box::new(place), scope }, ty, at);
        let ty = self.types.reference(false, ty);
        self.make_expr(ExprKind::Borrow(Box::new(place)), ty, at)
    }

    /// Infers `a.get_mut()`: a reference to the value, which `&mut` proves to be unshared.
    fn infer_get_mut(
        &mut self,
        place: Expr,
        prim: Prim,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        self.check_arg_count(0, &call.args, at);
        self.require_mutable(&place);
        let ty = self.types.reference(true, place.ty);
        let slice = Box::new(self.make_expr(ExprKind::Borrow(Box::new(place)), ty, at));
        let value = self.prim(prim);
        let ty = self.types.reference(true, value);
        self.make_expr(ExprKind::Reshape { slice, len: None }, ty, at)
    }

    /// Infers an ordering: one of std's by its name or by a constant's, or a value.
    fn infer_ordering(&mut self, arg: &syn::Expr) -> Option<OrderingArg> {
        if let Some(order) = self.resolve_ordering(arg) {
            return Some(OrderingArg::Known(order));
        }
        let value = self.infer_expr(arg, None);
        let value = self.autoderef(value);
        match self.types.get(value.ty) {
            Type::Adt(item, _) if self.program().atomic_ordering() == Some(item) => {
                return Some(OrderingArg::Value(value));
            }
            Type::Reported(_) => {}
            _ => {
                let at = SpanRange::expr(arg);
                self.errors.advise(at, NO_ORDERING, ORDERING_HELP);
            }
        }
        None
    }

    /// Makes the value of the ordering that a path names.
    pub(crate) fn make_ordering_value(&mut self, path: &syn::Path, at: SpanRange) -> Option<Expr> {
        let qualifier = path.segments.iter().rev().nth(1);
        let (name, _) = find_std_ordering(path)
            .filter(|_| qualifier.is_none_or(|qualifier| qualifier.ident == "Ordering"))?;
        let item = self.program().atomic_ordering()?;
        self.notes.record_ordering(path, name);
        let nothing = self.types.list(Vec::new());
        let ty = self.types.add(Type::Adt(item, nothing));
        let variant = ORDERS.iter().position(|(known, _)| *known == name);
        Some(self.make_expr(
            ExprKind::Aggregate { variant, fields: Vec::new(), base: None },
            ty,
            at,
        ))
    }

    fn resolve_ordering(&mut self, expr: &syn::Expr) -> Option<Order> {
        let syn::Expr::Path(syn::ExprPath { path, qself: None, .. }) = expr else { return None };
        if path.get_ident().is_some_and(|ident| self.scope.find(ident).is_some()) {
            return None;
        }
        if let Some((name, order)) = find_std_ordering(path) {
            self.notes.record_ordering(path, name);
            return Some(order);
        }
        let env = self.env.clone();
        if let Some(constant) = self.find_local_constant(path, &env) {
            let definition = Definition {
                value: &constant.value,
                env: &env,
                constants: constant.scope,
                at: SpanRange::path(path),
            };
            let resolve = |this: &mut Self| this.resolve_ordering(&constant.value);
            return self.resolve_definition(&definition, resolve).ok()?;
        }
        let (value, ..) = self.find_constant(path, &env)?;
        let syn::Expr::Path(of_std) = value else { return None };
        let (name, order) = find_std_ordering(&of_std.path)?;
        self.notes.record_ordering(path, name);
        Some(order)
    }
}
