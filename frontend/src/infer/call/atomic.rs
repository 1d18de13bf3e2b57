//! Methods of atomics.
use crate::{
    hir::{Atomic, AtomicMethod, Expr, GenericArg, Kind, OrderOf},
    infer::{Infer, call::closure::Callable, items::cycles::Definition},
    syntax::span::SpanRange,
    types::{Prim, Ty, Type, ordering::ORDERS},
};
use syn::ExprMethodCall;
use warpwise_compiler::ir::{AtomicOp, Order, Scope};

/// The error for an argument that is no known ordering.
pub(crate) const NO_ORDERING: &str = "an ordering in kernel code is one of std's constants";
/// The help for [`NO_ORDERING`].
pub(crate) const ORDERING: &str = "write for example `Ordering::Relaxed`";

/// Returns the std ordering that a path names: `Ordering::Relaxed`, or `Relaxed` after a `use`.
fn std_ordering(path: &syn::Path) -> Option<(&'static str, Order)> {
    let name = &path.segments.last()?.ident;
    ORDERS.into_iter().find(|(known, _)| name == known)
}

/// The signature of a method: the numbers of arguments before the orderings and of orderings.
struct Form {
    method: AtomicMethod,
    values: usize,
    orders: usize,
}

fn form(name: &str, prim: Prim) -> Option<Form> {
    use AtomicMethod::{CompareExchange, Load, Nand, Store, Update};
    let is_bool = prim == Prim::Bool;
    let update = |op| Some(Form { method: Update(op), values: 1, orders: 1 });
    match name {
        "load" => Some(Form { method: Load, values: 0, orders: 1 }),
        "store" => Some(Form { method: Store, values: 1, orders: 1 }),
        "swap" => update(AtomicOp::Swap),
        "fetch_add" if !is_bool => update(AtomicOp::Add),
        "fetch_min" if !is_bool => update(AtomicOp::Min),
        "fetch_max" if !is_bool => update(AtomicOp::Max),
        _ if prim.is_float() => None,
        "fetch_sub" if !is_bool => update(AtomicOp::Sub),
        "fetch_and" => update(AtomicOp::And),
        "fetch_or" => update(AtomicOp::Or),
        "fetch_xor" => update(AtomicOp::Xor),
        "fetch_nand" => Some(Form { method: Nand, values: 1, orders: 1 }),
        "compare_exchange" | "compare_exchange_weak" => {
            Some(Form { method: CompareExchange, values: 2, orders: 2 })
        }
        _ => None,
    }
}

impl Infer<'_> {
    pub(crate) fn atomic_method(
        &mut self,
        place: Expr,
        prim: Prim,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        let name = call.method.to_string();
        match name.as_str() {
            "block" => return self.scoped(place, Scope::Block, call, at),
            "system" => return self.scoped(place, Scope::System, call, at),
            "get_mut" => return self.atomic_value(place, prim, call, at),
            "fetch_update" if !prim.is_float() => return self.fetch_update(place, prim, call, at),
            _ => {}
        }
        let Some(form) = form(&name, prim) else {
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
            let reported = self.errors.advise(at, fact, help);
            return self.reported(reported, at);
        };
        if !self.count(form.values + form.orders, &call.args, at) {
            let ty = self.prim(prim);
            return self.make(Kind::Reported, ty, at);
        }
        let value = self.prim(prim);
        let args: Vec<Expr> =
            call.args.iter().take(form.values).map(|arg| self.expect(arg, value)).collect();
        let orders: Vec<OrderOf> =
            call.args.iter().skip(form.values).filter_map(|arg| self.ordering(arg)).collect();
        let ty = match form.method {
            AtomicMethod::Store => self.types.unit(),
            AtomicMethod::CompareExchange | AtomicMethod::FetchUpdate => self.exchanged(value),
            AtomicMethod::Load | AtomicMethod::Update(_) | AtomicMethod::Nand => value,
        };
        if orders.len() != form.orders {
            return self.make(Kind::Reported, ty, at);
        }
        self.atomic(Atomic { method: form.method, place, args, name, orders }, ty, at)
    }

    /// Makes a method call of an atomic. Reports orderings with which std's method panics.
    fn atomic(&mut self, atomic: Atomic, ty: Ty, at: SpanRange) -> Expr {
        let known = atomic.orders.iter().map(|order| match order {
            OrderOf::Known(order) => Some(*order),
            OrderOf::Value(_) => None,
        });
        let known: Option<Vec<Order>> = known.collect();
        if let Some(wrong) = known.and_then(|known| atomic.method.refused(&atomic.name, &known)) {
            self.errors.report(at, wrong);
        }
        self.make(Kind::Atomic(Box::new(atomic)), ty, at)
    }

    /// Infers `a.fetch_update(set_order, fetch_order, |value| ..)`.
    fn fetch_update(
        &mut self,
        place: Expr,
        prim: Prim,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        let value = self.prim(prim);
        let ty = self.exchanged(value);
        if !self.count(3, &call.args, at) {
            return self.make(Kind::Reported, ty, at);
        }
        let orders = (self.ordering(&call.args[0]), self.ordering(&call.args[1]));
        let ret = self.option_of(value);
        let closure = self.callable(&call.args[2], &Callable { params: vec![value], ret });
        let (Some(set), Some(load)) = orders else {
            return self.make(Kind::Reported, ty, at);
        };
        let (method, args) = (AtomicMethod::FetchUpdate, vec![closure]);
        let (name, orders) = ("fetch_update".to_owned(), vec![set, load]);
        self.atomic(Atomic { method, place, args, name, orders }, ty, at)
    }

    /// Returns the type `Result<T, T>` of an exchange, both with the previous value.
    fn exchanged(&mut self, value: Ty) -> Ty {
        let both = vec![GenericArg::Type(value), GenericArg::Type(value)];
        let list = self.types.list(both);
        match self.program().library("Result") {
            Some(result) => self.types.add(Type::Adt(result, list)),
            None => self.unknown(),
        }
    }

    /// Infers `a.block()` and `a.system()`: a reference to the same atomic at another scope.
    fn scoped(&mut self, place: Expr, scope: Scope, call: &ExprMethodCall, at: SpanRange) -> Expr {
        self.count(0, &call.args, at);
        let ty = place.ty;
        let place = self.make(Kind::Scoped { atomic: Box::new(place), scope }, ty, at);
        let ty = self.types.reference(false, ty);
        self.make(Kind::Borrow(Box::new(place)), ty, at)
    }

    /// Infers `a.get_mut()`: a reference to the value, which `&mut` proves to be unshared.
    fn atomic_value(
        &mut self,
        place: Expr,
        prim: Prim,
        call: &ExprMethodCall,
        at: SpanRange,
    ) -> Expr {
        self.count(0, &call.args, at);
        self.require_mutable(&place);
        let ty = self.types.reference(true, place.ty);
        let slice = Box::new(self.make(Kind::Borrow(Box::new(place)), ty, at));
        let value = self.prim(prim);
        let ty = self.types.reference(true, value);
        self.make(Kind::Reshape { slice, len: None }, ty, at)
    }

    /// Infers an ordering: one of std's by its name or by a constant's, or a value.
    fn ordering(&mut self, arg: &syn::Expr) -> Option<OrderOf> {
        if let Some(order) = self.ordering_named(arg) {
            return Some(OrderOf::Known(order));
        }
        let value = self.expr(arg, None);
        let value = self.autoderef(value);
        match self.types.get(value.ty) {
            Type::Adt(item, _) if self.program().atomic_ordering() == Some(item) => {
                return Some(OrderOf::Value(value));
            }
            Type::Reported(_) => {}
            _ => {
                let at = SpanRange::expr(arg);
                self.errors.advise(at, NO_ORDERING, ORDERING);
            }
        }
        None
    }

    /// Makes the value of the ordering that a path names.
    pub(crate) fn ordering_value(&mut self, path: &syn::Path, at: SpanRange) -> Option<Expr> {
        let of = path.segments.iter().rev().nth(1);
        let (name, _) =
            std_ordering(path).filter(|_| of.is_none_or(|of| of.ident == "Ordering"))?;
        let item = self.program().atomic_ordering()?;
        self.notes.order(path, name);
        let nothing = self.types.list(Vec::new());
        let ty = self.types.add(Type::Adt(item, nothing));
        let variant = ORDERS.iter().position(|(known, _)| *known == name);
        Some(self.make(Kind::Aggregate { variant, fields: Vec::new(), base: None }, ty, at))
    }

    fn ordering_named(&mut self, expr: &syn::Expr) -> Option<Order> {
        let syn::Expr::Path(syn::ExprPath { path, qself: None, .. }) = expr else { return None };
        if path.get_ident().is_some_and(|ident| self.scope.find(ident).is_some()) {
            return None;
        }
        if let Some((name, order)) = std_ordering(path) {
            self.notes.order(path, name);
            return Some(order);
        }
        if let Some(constant) = self.local_constant(path) {
            let definition = Definition {
                value: &constant.value,
                env: &self.env.clone(),
                at: SpanRange::path(path),
            };
            let resolve = |this: &mut Self| this.ordering_named(&constant.value);
            return self.resolve(&definition, resolve).ok()?;
        }
        let env = self.env.clone();
        let (value, ..) = self.constant_item(path, &env)?;
        let syn::Expr::Path(of_std) = value else { return None };
        let (name, order) = std_ordering(&of_std.path)?;
        self.notes.order(path, name);
        Some(order)
    }
}
