//! Methods of atomics.
use super::{
    super::{
        span::SpanRange,
        tree::{Atomic, AtomicMethod, Expr, GenericArg, Kind, StmtKind, Variable},
        types::{Prim, Ty, Type},
    },
    Infer,
    closure::Callable,
};
use syn::ExprMethodCall;
use warpwise_compiler::ir::{AtomicOp, Order, Scope};

/// The orderings, by their names.
const ORDERS: [(&str, Order); 5] = [
    ("Relaxed", Order::Relaxed),
    ("Acquire", Order::Acquire),
    ("Release", Order::Release),
    ("AcqRel", Order::AcqRel),
    ("SeqCst", Order::SeqCst),
];

/// The ordering of std's that a path names: `Ordering::Relaxed`, or `Relaxed` after a `use`.
fn std_ordering(path: &syn::Path) -> Option<(&'static str, Order)> {
    let name = &path.segments.last()?.ident;
    ORDERS.into_iter().find(|(known, _)| name == known)
}

/// Whether a path is the name of an ordering alone, as after `use Ordering::Relaxed`.
pub(in crate::lower) fn is_ordering(path: &syn::Path) -> bool {
    path.get_ident().is_some_and(|name| ORDERS.iter().any(|(known, _)| name == known))
}

/// How a method is called: arguments before the orderings, and how many of those.
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
    pub(super) fn atomic_method(
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
                "get_mut" | "into_inner" | "as_ptr" => "use `load` and `store`",
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
        let orders: Vec<Order> =
            call.args.iter().skip(form.values).filter_map(|arg| self.ordering(arg)).collect();
        let ty = match form.method {
            AtomicMethod::Store => self.types.unit(),
            AtomicMethod::CompareExchange | AtomicMethod::FetchUpdate { .. } => {
                self.exchanged(value)
            }
            AtomicMethod::Load | AtomicMethod::Update(_) | AtomicMethod::Nand => value,
        };
        if let [_, failure] = orders.as_slice() {
            self.check_load(*failure, &name, at);
        }
        let Some(order) = orders.into_iter().reduce(stronger) else {
            return self.make(Kind::Reported, ty, at);
        };
        self.check_order(form.method, order, &name, at);
        let atomic = Atomic { method: form.method, place, args, order };
        self.make(Kind::Atomic(Box::new(atomic)), ty, at)
    }

    /// `a.fetch_update(set_order, fetch_order, |value| ..)`
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
        self.check_load(load, "fetch_update", at);
        let method = AtomicMethod::FetchUpdate { load };
        let atomic = Atomic { method, place, args: vec![closure], order: stronger(set, load) };
        self.make(Kind::Atomic(Box::new(atomic)), ty, at)
    }

    /// `Result<T, T>`, of what was there before.
    fn exchanged(&mut self, value: Ty) -> Ty {
        let both = vec![GenericArg::Type(value), GenericArg::Type(value)];
        let list = self.types.list(both);
        match self.program().library("Result") {
            Some(result) => self.types.add(Type::Adt(result, list)),
            None => self.unknown(),
        }
    }

    /// A reference to the same atomic at another scope: `a.block()`, `a.system()`.
    fn scoped(&mut self, place: Expr, scope: Scope, call: &ExprMethodCall, at: SpanRange) -> Expr {
        self.count(0, &call.args, at);
        let ty = place.ty;
        let place = self.make(Kind::Scoped { atomic: Box::new(place), scope }, ty, at);
        let ty = self.types.reference(false, ty);
        self.make(Kind::Borrow(Box::new(place)), ty, at)
    }

    /// An ordering, which must be one of std's, or a constant or variable that is one.
    fn ordering(&mut self, arg: &syn::Expr) -> Option<Order> {
        let found = self.ordering_named(arg);
        if found.is_none() {
            self.errors.advise(
                SpanRange::expr(arg),
                "an ordering in kernel code is one of std's constants",
                "write for example `Ordering::Relaxed`",
            );
        }
        found
    }

    fn ordering_named(&mut self, expr: &syn::Expr) -> Option<Order> {
        let syn::Expr::Path(syn::ExprPath { path, qself: None, .. }) = expr else { return None };
        if let Some(ident) = path.get_ident()
            && let Some(var) = self.scope.find(ident)
        {
            return self.orders.iter().find(|(known, _)| *known == var).map(|(_, order)| *order);
        }
        if let Some((name, order)) = std_ordering(path) {
            self.notes.order(path, name);
            return Some(order);
        }
        if let Some((_, value)) = self.local_constant(path) {
            return self.ordering_named(&value);
        }
        let env = self.env.clone();
        let (value, ..) = self.constant_item(path, &env)?;
        let syn::Expr::Path(of_std) = value else { return None };
        let (name, order) = std_ordering(&of_std.path)?;
        self.notes.order(path, name);
        Some(order)
    }

    /// `let relaxed = Ordering::Relaxed;`: a name for an ordering, which is no value of kernel code.
    pub(super) fn ordering_bound(&mut self, local: &syn::Local) -> Option<StmtKind> {
        let pat = match &local.pat {
            syn::Pat::Type(typed) => &*typed.pat,
            pat => pat,
        };
        let (syn::Pat::Ident(pat), Some(init)) = (pat, &local.init) else { return None };
        let syn::Expr::Path(value) = &*init.expr else { return None };
        if !self.may_be_ordering(&value.path) || pat.by_ref.is_some() || pat.mutability.is_some() {
            return None;
        }
        let order = self.ordering_named(&init.expr)?;
        let (ty, at) = (self.types.unit(), self.at(SpanRange::token(pat.ident.span())));
        let name = pat.ident.to_string();
        let variable = Variable { name, ty, mutable: false, settable: false, at };
        let var = self.vars.push(variable);
        self.scope.declare(&pat.ident, var);
        self.orders.push((var, order));
        let unit = self.make(Kind::Unit, ty, SpanRange::expr(&init.expr));
        Some(StmtKind::Expr(unit))
    }

    /// Whether a path that is bound leads to an ordering, and not to something of the user's.
    fn may_be_ordering(&mut self, path: &syn::Path) -> bool {
        let of_constant = |value: &syn::Expr| matches!(value, syn::Expr::Path(path) if std_ordering(&path.path).is_some());
        if let Some(ident) = path.get_ident()
            && let Some(var) = self.scope.find(ident)
        {
            return self.orders.iter().any(|(known, _)| *known == var);
        }
        if std_ordering(path).is_some() {
            return self.shape(path).is_none();
        }
        if let Some((_, value)) = self.local_constant(path) {
            return of_constant(&value);
        }
        let env = self.env.clone();
        self.constant_item(path, &env).is_some_and(|(value, ..)| of_constant(value))
    }

    /// Reports an ordering of a failure with which std's method panics.
    fn check_load(&mut self, order: Order, name: &str, at: SpanRange) {
        if matches!(order, Order::Release | Order::AcqRel) {
            let fact =
                format_args!("where `{name}` fails it only loads, which cannot be `{order:?}`");
            self.errors.report(at, fact);
        }
    }

    /// Reports an ordering with which std's method panics.
    fn check_order(&mut self, method: AtomicMethod, order: Order, name: &str, at: SpanRange) {
        let wrong = match method {
            AtomicMethod::Load => matches!(order, Order::Release | Order::AcqRel),
            AtomicMethod::Store => matches!(order, Order::Acquire | Order::AcqRel),
            AtomicMethod::Update(_)
            | AtomicMethod::Nand
            | AtomicMethod::CompareExchange
            | AtomicMethod::FetchUpdate { .. } => false,
        };
        if wrong {
            self.errors.report(at, format_args!("`{name}` cannot be `{order:?}`"));
        }
    }
}

/// The weakest ordering that is at least both.
fn stronger(a: Order, b: Order) -> Order {
    use Order::{AcqRel, Acquire, Relaxed, Release, SeqCst};
    match (a, b) {
        (SeqCst, _) | (_, SeqCst) => SeqCst,
        (AcqRel, _) | (_, AcqRel) | (Acquire, Release) | (Release, Acquire) => AcqRel,
        (Acquire, _) | (_, Acquire) => Acquire,
        (Release, _) | (_, Release) => Release,
        (Relaxed, Relaxed) => Relaxed,
    }
}
