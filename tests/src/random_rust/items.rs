//! The items of a module: types, a trait, device functions, the kernel.
use super::{
    generator::{Context, Generator},
    types::{BOOL, Enum, Function, Pass, Struct, Ty, Var, Variant},
};

impl Generator {
    pub(super) fn module(mut self) -> String {
        self.line("use super::support::*;");
        self.line("use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Shl, Shr, Sub};");
        self.line("use std::sync::atomic::Ordering;");
        self.line("use warpwise::{prelude::*, vector::*};");
        // The output of rustc's copy is compared, too.
        self.line("macro_rules! println { ($($t:tt)*) => { crate::driver::print(format_args!($($t)*)) } }");
        for _ in 0..self.pick(3) {
            self.constant_item();
        }
        for _ in 0..self.pick(3) {
            self.enum_item();
        }
        for _ in 0..self.pick(4) {
            if self.chance(20) {
                self.generic_struct_item();
            } else {
                self.struct_item();
            }
        }
        self.budget = 60;
        if self.chance(50) {
            self.trait_item();
        }
        for id in 0..self.structs.len() {
            if !self.structs[id].generic && self.chance(40) {
                self.operator_items(id);
            }
        }
        for id in 0..self.structs.len() {
            if !self.structs[id].generic && self.chance(30) {
                self.sum_items(id);
            }
        }
        let own = (0..self.structs.len()).filter(|&id| !self.structs[id].generic).map(Ty::Struct);
        let own: Vec<Ty> = own.chain((0..self.enums.len()).map(Ty::Enum)).collect();
        for ty in own {
            for _ in 0..self.pick(3) {
                self.conversion_item(&ty);
            }
        }
        if self.chance(40) {
            self.weigh_item();
        }
        if self.chance(40) {
            self.rank_item();
        }
        if self.chance(40) {
            self.blend_item();
        }
        if self.chance(50) {
            self.generic_fn();
        }
        if self.chance(40) {
            self.const_generic_fn();
        }
        if self.chance(40) {
            self.iterator_fn();
        }
        for _ in 0..self.pick(4) {
            self.device_fn();
        }
        for id in 0..self.structs.len() {
            if !self.structs[id].generic {
                self.impl_item(id);
            }
        }
        self.kernel_item();
        self.out
    }

    /// Writes the derives of a type with these fields.
    fn derives(&mut self, fields: &[Ty]) {
        let ordered = fields.iter().all(|field| self.is_ordered(field));
        let more = if ordered { ", PartialOrd" } else { "" };
        self.line(&format!("#[derive(Clone, Copy, PartialEq{more})]"));
    }

    fn struct_item(&mut self) {
        let (id, count) = (self.structs.len(), 1 + self.pick(4));
        let fields: Vec<Ty> = (0..count).map(|_| self.ty(2)).collect();
        let of = Struct {
            fields,
            tuple: self.chance(25),
            measured: false,
            operators: Vec::new(),
            summed: false,
            generic: false,
        };
        self.line("#[device]");
        self.derives(&of.fields);
        let types = of.fields.iter();
        if of.tuple {
            let types: Vec<_> = types.map(|ty| ty.name()).collect();
            self.line(&format!("struct S{id}({});", types.join(", ")));
        } else {
            let types = types.enumerate().map(|(at, ty)| format!("f{at}: {}", ty.name()));
            let types: Vec<_> = types.collect();
            self.line(&format!("struct S{id} {{ {} }}", types.join(", ")));
        }
        self.structs.push(of);
    }

    fn enum_item(&mut self) {
        let (id, plain) = (self.enums.len(), self.chance(40));
        let variants: Vec<Variant> = (0..2 + self.pick(3))
            .map(|_| {
                let count = if plain { 0 } else { self.pick(3) };
                let fields = (0..count).map(|_| self.ty(1)).collect();
                Variant { fields, named: self.chance(40) }
            })
            .collect();
        let start = 1 + self.pick(200);
        let texts: Vec<_> = variants
            .iter()
            .enumerate()
            .map(|(number, variant)| {
                let fields = variant.fields.iter();
                let fields: Vec<_> = if variant.named {
                    let fields = fields.enumerate();
                    fields.map(|(at, ty)| format!("g{at}: {}", ty.name())).collect()
                } else {
                    fields.map(|ty| ty.name()).collect()
                };
                let fields = match (variant.fields.is_empty(), variant.named) {
                    (true, _) if plain && number == 1 => format!(" = {start}"),
                    (true, _) => String::new(),
                    (false, true) => format!(" {{ {} }}", fields.join(", ")),
                    (false, false) => format!("({})", fields.join(", ")),
                };
                format!("A{number}{fields}")
            })
            .collect();
        self.line("#[device]");
        let fields: Vec<Ty> = variants.iter().flat_map(|of| of.fields.clone()).collect();
        self.derives(&fields);
        self.line(&format!("enum E{id} {{ {} }}", texts.join(", ")));
        self.enums.push(Enum { variants });
    }

    fn trait_item(&mut self) {
        let ty = self.scalar();
        let name = ty.name();
        self.line("#[device]");
        self.line("trait Measure {");
        self.line(&format!("const BIAS: {name};"));
        self.line(&format!("fn measure(&self) -> {name};"));
        self.line(&format!("fn more(&self) -> {name} {{"));
        let own = [("self.measure()", &ty), ("Self::BIAS", &ty)];
        let body = self.with_vars(&own, |this| this.expr(&ty, 2, true));
        self.line(&body);
        self.line("}");
        self.line("}");
        let text = format!("fn measure_twice<M: Measure>(m: &M) -> {name} {{");
        self.line("#[device]");
        self.line(&text);
        let own = [("m.measure()", &ty), ("m.more()", &ty), ("M::BIAS", &ty)];
        let body = self.with_vars(&own, |this| this.expr(&ty, 2, true));
        self.line(&body);
        self.line("}");
        for id in 0..self.structs.len() {
            if !self.structs[id].generic && self.chance(60) {
                self.trait_impl(id, &ty);
            }
        }
        if self.structs.iter().any(|of| of.measured) {
            self.measure = Some(ty);
        }
    }

    fn trait_impl(&mut self, id: usize, ty: &Ty) {
        let Ty::Scalar(scalar) = ty else { unreachable!("the trait measures scalars") };
        let (name, mut bias) = (ty.name(), self.literal(scalar, true));
        // The conversion is not a const function.
        if bias.contains("from_f32") {
            bias = format!("{name}::ONE");
        }
        self.line("#[device]");
        self.line(&format!("impl Measure for S{id} {{"));
        self.line(&format!("const BIAS: {name} = {bias};"));
        self.line(&format!("fn measure(&self) -> {name} {{"));
        let body = self.with_vars(&[("self", &Ty::Struct(id))], |this| {
            this.without_whole_self(|this| this.expr(ty, 2, true))
        });
        self.line(&body);
        self.line("}");
        self.line("}");
        self.structs[id].measured = true;
    }

    /// Calls `run` with only these variables in scope.
    pub(super) fn with_vars<T>(
        &mut self,
        vars: &[(&str, &Ty)],
        run: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let vars = vars.iter().map(|(name, ty)| Var {
            name: (*name).into(),
            ty: (*ty).clone(),
            mutable: false,
        });
        let outer = std::mem::replace(&mut self.vars, vars.collect());
        let context = Context { kernel: false, assigns: true };
        let context = std::mem::replace(&mut self.context, context);
        let result = run(self);
        self.context = context;
        self.vars = outer;
        result
    }

    /// Calls `run` with `self` as a reference, so that its value is `(*self)`.
    fn without_whole_self<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        for var in &mut self.vars {
            if var.name == "self" {
                var.name = "(*self)".into();
            }
        }
        run(self)
    }

    fn impl_item(&mut self, id: usize) {
        let of = self.structs[id].clone();
        let methods = self.pick(3);
        if methods == 0 {
            return;
        }
        self.line("#[device]");
        self.line(&format!("impl S{id} {{"));
        for number in 0..methods {
            let pass = [Pass::Value, Pass::Ref, Pass::Mut][self.pick(3)];
            let receiver = match pass {
                Pass::Value => "self",
                Pass::Ref => "&self",
                Pass::Mut => "&mut self",
            };
            let name = if pass == Pass::Value { "self" } else { "(*self)" };
            let own = Var { name: name.into(), ty: Ty::Struct(id), mutable: pass == Pass::Mut };
            let ret = if self.chance(50) {
                of.fields[self.pick(of.fields.len())].clone()
            } else {
                self.ty(1)
            };
            let function = Function {
                name: format!("m{number}"),
                receiver: Some((id, pass)),
                params: self.params(),
                ret,
            };
            self.function(function, Some((receiver, own)));
        }
        self.line("}");
    }

    fn device_fn(&mut self) {
        let ret = match self.pick(8) {
            0 | 1 => Ty::Option(Box::new(self.ty(1))),
            2 | 3 => {
                let error = self.convertible().unwrap_or_else(|| self.scalar());
                Ty::Result(Box::new(self.ty(1)), Box::new(error))
            }
            _ => self.ty(2),
        };
        let function =
            Function { name: self.name("f"), receiver: None, params: self.params(), ret };
        self.line("#[device]");
        self.function(function, None);
    }

    fn params(&mut self) -> Vec<(Ty, Pass)> {
        (0..self.pick(4))
            .map(|_| {
                if self.chance(15) {
                    return (Ty::Slice(Box::new(self.scalar())), Pass::Value);
                }
                let pass = [Pass::Value, Pass::Value, Pass::Ref, Pass::Mut][self.pick(4)];
                (self.ty(2), pass)
            })
            .collect()
    }

    /// Writes a function that can be called from then on.
    fn function(&mut self, function: Function, own: Option<(&str, Var)>) {
        let mut texts = Vec::new();
        let mut vars = Vec::new();
        if let Some((receiver, own)) = own {
            texts.push(receiver.to_owned());
            vars.push(own);
        }
        for (at, (ty, pass)) in function.params.iter().enumerate() {
            let (reference, name) = match pass {
                Pass::Value => ("", format!("a{at}")),
                Pass::Ref => ("&", format!("(*a{at})")),
                Pass::Mut => ("&mut ", format!("(*a{at})")),
            };
            let mutable = *pass == Pass::Mut;
            let whole = *pass == Pass::Value && !matches!(ty, Ty::Slice(_));
            let binding = if whole && self.chance(40) { "mut " } else { "" };
            texts.push(format!("{binding}a{at}: {reference}{}", ty.name()));
            vars.push(Var { name, ty: ty.clone(), mutable: mutable || !binding.is_empty() });
        }
        let ret = function.ret.clone();
        self.line(&format!("fn {}({}) -> {} {{", function.name, texts.join(", "), ret.name()));
        let outer = std::mem::replace(&mut self.vars, vars);
        for _ in 0..self.pick(4) {
            self.statement(1);
        }
        if self.chance(30) {
            let (condition, value) = (self.expr(&BOOL, 1, true), self.expr(&ret, 1, true));
            self.line(&format!("if {condition} {{"));
            self.line(&format!("return {value};"));
            self.line("}");
        }
        if let Ty::Option(_) = ret {
            let of = self.ty(1);
            let (option, name) = (Ty::Option(Box::new(of.clone())), self.name("v"));
            let value = self.expr(&option, 2, true);
            self.line(&format!("let o{name}: {} = {value};", option.name()));
            self.line(&format!("let {name} = o{name}?;"));
            self.vars.push(Var { name, ty: of, mutable: false });
        }
        if let Ty::Result(_, error) = &ret {
            let of = self.ty(1);
            let error = self.error_before(error);
            let (value, name) = (self.result(&of, &error, 2), self.name("v"));
            self.line(&format!("let {name} = ({value})?;"));
            self.vars.push(Var { name, ty: of, mutable: false });
        }
        let tail = self.expr(&ret, 2, true);
        self.line(&tail);
        self.line("}");
        self.vars = outer;
        self.functions.push(function);
    }
}
