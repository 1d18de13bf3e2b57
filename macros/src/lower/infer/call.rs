//! Calls of functions by their path.
use super::{
    super::{
        builtin::{self, Builtin, Found},
        method::{self, Method, Spec},
        paths::{is_type_name, key},
        span::SpanRange,
        tree::{Call, Expr, GenericArg, Kind},
        types::{Class, Prim, Ty, Type},
    },
    Infer, Obligation,
    path::callee,
    scope,
};
use syn::{
    AngleBracketedGenericArguments, ExprCall, FnArg, GenericArgument, GenericParam, PathArguments,
    ReturnType,
};

impl Infer<'_> {
    pub(super) fn call(&mut self, call: &ExprCall) -> Expr {
        let at = SpanRange::expr(&call.func).to(SpanRange::token(call.paren_token.span.close()));
        let func = match callee(&call.func) {
            Some(func) => func,
            None => {
                self.discard(&call.args);
                let reported = self.errors.advise(
                    SpanRange::expr(&call.func),
                    "kernel code can only call functions by their name",
                    "call the function itself",
                );
                return self.reported(reported, at);
            }
        };
        let path = &*func;
        if let Some(ident) = path.get_ident()
            && self.scope.find(ident).is_some()
        {
            self.discard(&call.args);
            let reported = self.errors.advise(
                at,
                "kernel code cannot call closures yet",
                "make it a `#[device]` function",
            );
            return self.reported(reported, at);
        }
        if let Some(&device) = self.context.paths.get(&key(path)) {
            return self.device_call(device, call, path, at);
        }
        let names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let Some(found) = builtin::find(&names) {
            return self.builtin_call(found, call, path, at);
        }
        if let Some(result) = self.associated_call(&names, call, at) {
            return result;
        }
        self.discard(&call.args);
        self.no_function(&names, at)
    }

    fn no_function(&mut self, names: &[String], at: SpanRange) -> Expr {
        let name = names.join("::");
        let fact = format!("kernel code cannot call `{name}`");
        let help = match names.first().map(String::as_str) {
            Some("Some" | "None" | "Ok" | "Err") => "use a number and a `bool`",
            Some("std" | "core" | "alloc") => {
                "numbers have methods, such as `x.sqrt()`; write the rest as `#[device]` functions"
            }
            _ if names.iter().rev().nth(1).is_some_and(|of| is_type_name(of)) => {
                "call a `#[device]` function outside of any `impl`"
            }
            _ => "mark the function `#[device]`",
        };
        let reported = self.errors.advise(at, fact, help);
        self.reported(reported, at)
    }

    fn turbofish(path: &syn::Path) -> Option<&AngleBracketedGenericArguments> {
        match &path.segments.last()?.arguments {
            PathArguments::AngleBracketed(args) => Some(args),
            PathArguments::None | PathArguments::Parenthesized(_) => None,
        }
    }

    fn device_call(
        &mut self,
        device: usize,
        call: &ExprCall,
        path: &syn::Path,
        at: SpanRange,
    ) -> Expr {
        let devices = self.context.devices;
        let Some(syn::Item::Fn(item)) = devices.get(device).map(|device| &device.item) else {
            let reported = self.errors.report(at, "the device function got lost on its way here");
            return self.reported(reported, at);
        };
        let sig = &item.sig;
        let args = self.instantiate(&sig.generics, Self::turbofish(path), at);
        let ret = match &sig.output {
            ReturnType::Default => self.types.unit(),
            ReturnType::Type(_, ty) => self.type_among(ty, &args),
        };
        if !self.count(sig.inputs.len(), &call.args, at) {
            return self.make(Kind::Reported, ret, at);
        }
        let mut values = Vec::with_capacity(call.args.len());
        for (arg, param) in call.args.iter().zip(&sig.inputs) {
            let ty = match param {
                FnArg::Typed(param) => self.type_among(&param.ty, &args),
                FnArg::Receiver(_) => self.unknown(),
            };
            values.push(self.expect(arg, ty));
        }
        let generics = args.into_iter().map(|(_, arg)| arg).collect();
        let call = Call { device, generics, args: values };
        self.make(Kind::Call(Box::new(call)), ret, at)
    }

    /// What the generic parameters of a called function are, by name: unknown, or as written.
    fn instantiate(
        &mut self,
        generics: &syn::Generics,
        turbofish: Option<&AngleBracketedGenericArguments>,
        at: SpanRange,
    ) -> Vec<(String, GenericArg)> {
        let mut args = Vec::new();
        let mut prims = Vec::new();
        for param in &generics.params {
            match param {
                GenericParam::Lifetime(_) => {}
                GenericParam::Type(param) => {
                    let ty = self.unknown();
                    self.oblige(at, Obligation::TypeArg(ty));
                    args.push((param.ident.to_string(), GenericArg::Type(ty)));
                    prims.push(Prim::Usize);
                }
                GenericParam::Const(param) => {
                    let len = self.types.unknown_len();
                    self.oblige(at, Obligation::ConstArg(len));
                    args.push((param.ident.to_string(), GenericArg::Const(len)));
                    let ty = self.ty(&param.ty);
                    prims.push(self.types.as_prim(ty).unwrap_or(Prim::Usize));
                }
            }
        }
        let written = turbofish.into_iter().flat_map(|turbofish| &turbofish.args);
        let written = written.filter(|arg| !matches!(arg, GenericArgument::Lifetime(_)));
        let slots: Vec<(GenericArg, Prim)> =
            args.iter().map(|(_, arg)| *arg).zip(prims.iter().copied()).collect();
        for (written, (slot, prim)) in written.zip(slots) {
            self.generic_arg(written, slot, prim);
        }
        args
    }

    fn builtin_call(
        &mut self,
        mut found: Found,
        call: &ExprCall,
        path: &syn::Path,
        at: SpanRange,
    ) -> Expr {
        self.notes.builtin(path, &found);
        let value = self.unknown();
        if found.width {
            self.width(&mut found, path, at);
        }
        let ret = self.builtin_part(found.ret, value);
        if !self.count(found.params.len(), &call.args, at) {
            return self.make(Kind::Reported, ret, at);
        }
        let mut args = Vec::with_capacity(call.args.len());
        for (arg, part) in call.args.iter().zip(&found.params) {
            let ty = self.builtin_part(*part, value);
            args.push(self.expect(arg, ty));
        }
        if found.ret == builtin::Part::Value {
            if let Some(GenericArgument::Type(ty)) = Self::turbofish(path)
                .and_then(|args| args.args.iter().find(|arg| is_value_type(arg)))
            {
                let ty = self.ty(ty);
                self.unify(at, value, ty);
            }
            self.shuffled(value, at);
        }
        self.make(Kind::Builtin { which: found.which, args }, ret, at)
    }

    fn builtin_part(&mut self, part: builtin::Part, value: Ty) -> Ty {
        match part {
            builtin::Part::Prim(prim) => self.prim(prim),
            builtin::Part::Value => value,
            builtin::Part::Unit => self.types.unit(),
        }
    }

    /// The width of a shuffle, from its constant argument.
    fn width(&mut self, found: &mut Found, path: &syn::Path, at: SpanRange) {
        let consts = Self::turbofish(path).into_iter().flat_map(|turbofish| &turbofish.args);
        let written = consts.into_iter().find_map(|arg| match arg {
            GenericArgument::Const(expr) => Some(expr),
            _ => None,
        });
        let extent = written.map(|expr| self.extent(expr));
        let known = match &extent {
            Some(Ok(extent)) => extent.simplified().and_then(|extent| extent.known()),
            Some(Err(_)) => return,
            None => None,
        };
        match (&mut found.which, known) {
            (Builtin::Shuffle { width, .. }, Some(lanes @ (2 | 4 | 8 | 16 | 32))) => {
                *width = lanes as u32;
            }
            _ => {
                self.errors.advise(
                    at,
                    "the width of a shuffle is 2, 4, 8, 16 or 32",
                    "write it as a number: `warp::shfl_xor_width::<8, _>(value, 1)`",
                );
            }
        }
    }

    /// `f32::from_bits(x)`, `u64::from(x)`, `f32::max(a, b)`, `T::from_i32(3)`, `Num::min(a, b)`;
    /// `None` if it is none of them.
    fn associated_call(
        &mut self,
        names: &[String],
        call: &ExprCall,
        at: SpanRange,
    ) -> Option<Expr> {
        let (name, of) = names.split_last()?;
        let of: Vec<&str> = of.iter().map(String::as_str).collect();
        let this = match of.as_slice() {
            ["std" | "core", "cmp"] if matches!(name.as_str(), "min" | "max") => None,
            ["Num" | "Int" | "Float" | "Ord"] => None,
            [ty] | ["std" | "core", "primitive", ty] => {
                if let Some((_, GenericArg::Type(ty))) = scope::generic(&self.names.args, ty) {
                    Some(ty)
                } else {
                    Some(self.prim(Prim::named(ty)?))
                }
            }
            _ => return None,
        };
        let Some(this) = this else { return Some(self.trait_call(name, call, at)) };
        let ty = self.types.get(this);
        if name == "from" {
            return Some(self.lossless(this, call, at));
        }
        if let Some(spec) = method::associated(name, ty) {
            return Some(self.apply(spec, this, None, &call.args, at));
        }
        let Some(spec) = method::method(name, ty) else {
            return Some(self.no_method(name, this, &call.args, at));
        };
        Some(self.written_out(spec, this, call, at))
    }

    /// A method that is called as a function: its receiver is its first argument.
    fn written_out(&mut self, spec: Spec, this: Ty, call: &ExprCall, at: SpanRange) -> Expr {
        let Some(receiver) = call.args.first() else {
            self.wrong_count(spec.params.len() + 1, 0, at);
            return self.make(Kind::Reported, this, at);
        };
        let receiver = self.expect(receiver, this);
        let rest: Vec<&syn::Expr> = call.args.iter().skip(1).collect();
        if rest.len() != spec.params.len() {
            self.wrong_count(spec.params.len() + 1, call.args.len(), at);
            return self.make(Kind::Reported, this, at);
        }
        self.apply_to(spec, this, Some(receiver), &rest, at)
    }

    /// `Num::min(a, b)` and `std::cmp::min(a, b)`: the type is that of the first argument.
    fn trait_call(&mut self, name: &str, call: &ExprCall, at: SpanRange) -> Expr {
        let Some(first) = call.args.first() else {
            return self.no_function(&[name.to_owned()], at);
        };
        let receiver = self.expr(first, None);
        let receiver = self.autoderef(receiver);
        let this = receiver.ty;
        let spec = match self.types.get(this) {
            // Not decided yet: what all numbers have will do.
            Type::Unknown(Class::Int | Class::Float) => method::method(name, Type::Prim(Prim::I32))
                .filter(|spec| matches!(spec.which, Method::Binary(_))),
            ty => method::method(name, ty),
        };
        let rest: Vec<&syn::Expr> = call.args.iter().skip(1).collect();
        match spec {
            Some(spec) if spec.params.len() == rest.len() => {
                self.apply_to(spec, this, Some(receiver), &rest, at)
            }
            _ => {
                for arg in rest {
                    self.expr(arg, None);
                }
                let fact = format!("kernel code cannot call `{name}` like this");
                let reported = self.errors.advise(at, fact, "call it as a method of a number");
                self.reported(reported, at)
            }
        }
    }

    /// `u64::from(x)`: a cast that loses nothing; rustc checks that it does not.
    fn lossless(&mut self, this: Ty, call: &ExprCall, at: SpanRange) -> Expr {
        if !self.count(1, &call.args, at) {
            return self.make(Kind::Reported, this, at);
        }
        let value = self.expr(&call.args[0], None);
        self.oblige(at, Obligation::From(value.ty, this));
        self.make(Kind::Cast(Box::new(value)), this, at)
    }
}

/// Whether a generic argument of a shuffle is the type of what is shuffled.
fn is_value_type(arg: &GenericArgument) -> bool {
    match arg {
        GenericArgument::Type(syn::Type::Infer(_)) => false,
        GenericArgument::Type(_) => true,
        _ => false,
    }
}
