//! Methods of atomics.
use super::{
    super::{
        span::SpanRange,
        tree::{Atomic, AtomicMethod, Expr, Kind},
        types::{Prim, Type},
    },
    Infer,
};
use syn::ExprMethodCall;
use warpwise_compiler::ir::{AtomicOp, Order, Scope};

/// How a method is called: arguments before the orderings, and how many of those.
struct Form {
    method: AtomicMethod,
    values: usize,
    orders: usize,
}

fn form(name: &str, prim: Prim) -> Option<Form> {
    use AtomicMethod::{CompareExchange, Load, Nand, Store, Update};
    let update = |op| Some(Form { method: Update(op), values: 1, orders: 1 });
    match name {
        "load" => Some(Form { method: Load, values: 0, orders: 1 }),
        "store" => Some(Form { method: Store, values: 1, orders: 1 }),
        "swap" => update(AtomicOp::Swap),
        "fetch_add" => update(AtomicOp::Add),
        "fetch_min" => update(AtomicOp::Min),
        "fetch_max" => update(AtomicOp::Max),
        _ if prim.is_float() => None,
        "fetch_sub" => update(AtomicOp::Sub),
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
            _ => {}
        }
        let Some(form) = form(&name, prim) else {
            let ty = self.types.show(place.ty);
            let help = match name.as_str() {
                "fetch_update" | "update" | "try_update" => {
                    "loop over `compare_exchange`, and `load` again where it failed"
                }
                "get_mut" | "into_inner" | "as_ptr" => "use `load` and `store`",
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
            AtomicMethod::CompareExchange => self.types.add(Type::Exchange(prim)),
            AtomicMethod::Load | AtomicMethod::Update(_) | AtomicMethod::Nand => value,
        };
        let Some(order) = orders.into_iter().reduce(stronger) else {
            return self.make(Kind::Reported, ty, at);
        };
        self.check_order(form.method, order, &name, at);
        let atomic = Atomic { method: form.method, place, args, order };
        self.make(Kind::Atomic(Box::new(atomic)), ty, at)
    }

    /// A reference to the same atomic at another scope: `a.block()`, `a.system()`.
    fn scoped(&mut self, place: Expr, scope: Scope, call: &ExprMethodCall, at: SpanRange) -> Expr {
        self.count(0, &call.args, at);
        let ty = place.ty;
        let place = self.make(Kind::Scoped { atomic: Box::new(place), scope }, ty, at);
        let ty = self.types.reference(false, ty);
        self.make(Kind::Borrow(Box::new(place)), ty, at)
    }

    /// An ordering, which must be written out.
    fn ordering(&mut self, arg: &syn::Expr) -> Option<Order> {
        let path = match arg {
            syn::Expr::Path(path) => path.path.segments.last(),
            _ => None,
        };
        let order = match path.map(|last| last.ident.to_string()).as_deref() {
            Some("Relaxed") => Order::Relaxed,
            Some("Acquire") => Order::Acquire,
            Some("Release") => Order::Release,
            Some("AcqRel") => Order::AcqRel,
            Some("SeqCst") => Order::SeqCst,
            _ => {
                self.errors.advise(
                    SpanRange::expr(arg),
                    "an ordering in kernel code is one of std's constants",
                    "write for example `Ordering::Relaxed`",
                );
                return None;
            }
        };
        Some(order)
    }

    /// Reports an ordering with which std's method panics.
    fn check_order(&mut self, method: AtomicMethod, order: Order, name: &str, at: SpanRange) {
        let wrong = match method {
            AtomicMethod::Load => matches!(order, Order::Release | Order::AcqRel),
            AtomicMethod::Store => matches!(order, Order::Acquire | Order::AcqRel),
            AtomicMethod::Update(_) | AtomicMethod::Nand | AtomicMethod::CompareExchange => false,
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
