//! The kernel of a module: its parameters, its body, and its description for the driver.
use super::{
    generator::{Generator, Kind},
    types::{INTS, Ty, U64, USIZE, Var, Variant},
};

/// A composite type of which a kernel has parameters.
struct Composite {
    name: String,
    ty: Ty,
}

impl Generator {
    pub(super) fn kernel_item(&mut self) {
        self.memory = (0..2 + self.pick(3)).map(|_| INTS[self.pick(10)]).collect();
        let more = [
            self.draw.one_of(&["f32", "f64", "f16", "bf16"]),
            self.draw.one_of(&["u32", "i32", "bool", "u8"]),
        ];
        self.memory.extend(more);
        self.memory.sort_unstable();
        self.memory.dedup();
        let composites = self.composites();
        let atomics = if self.kind == Kind::Threads { self.atomics() } else { Vec::new() };
        let generic = self.chance(20).then(|| (self.number(), 1 + self.pick(9)));
        self.attribute();
        let params = self.params_of(&composites, &atomics, generic.is_some());
        let generics = if generic.is_some() { "<T: Num, const N: usize>" } else { "" };
        self.line(&format!("pub(crate) fn kernel{generics}({params}, out: &mut [u64]) {{"));
        self.line("let i = global_idx_x();");
        self.line("let base = i * 8;");
        self.line("let mut fuel = 40u32;");
        self.line("let mut sum = 0u64;");
        if self.vars.iter().any(|var| var.name == "limit") {
            self.line("let limit: u32 = LIMIT;");
        }
        self.vars.push(Var { name: "i".into(), ty: USIZE, mutable: false });
        if generic.is_some() {
            self.vars.push(Var { name: "N".into(), ty: USIZE, mutable: false });
            self.line("sum = mix(sum, (*p_t * T::from_usize(N) + r_t[i % 64]).as_usize() as u64);");
        }
        self.context.kernel = true;
        self.budget = 160;
        if self.kind == Kind::Threads {
            self.meetings(&atomics);
        } else {
            for _ in 0..5 + self.pick(10) {
                self.statement(3);
            }
        }
        for place in self.places() {
            self.observe(&place.ty, &place.name);
        }
        self.line("out[i] = sum;");
        self.line("}");
        self.case(&composites, &atomics, generic);
    }

    /// Returns the composite types of which the kernel has slices.
    fn composites(&mut self) -> Vec<Composite> {
        let mut found = Vec::new();
        for number in 0..2 {
            let ty = match self.pick(7) {
                0 | 1 if !self.structs.is_empty() => Ty::Struct(self.pick(self.structs.len())),
                2 if !self.enums.is_empty() => Ty::Enum(self.pick(self.enums.len())),
                3 => self.vector_ty(),
                4 => Ty::Option(Box::new(self.ty(1))),
                5 => Ty::Result(Box::new(self.ty(1)), Box::new(self.scalar())),
                6 => Ty::Tuple((0..2 + self.pick(2)).map(|_| self.ty(1)).collect()),
                _ => Ty::Array(Box::new(self.scalar()), 1 + self.pick(4)),
            };
            if self.chance(70) {
                found.push(Composite { name: format!("m{number}"), ty });
            }
        }
        let mut types: Vec<Ty> = found.iter().map(|composite| composite.ty.clone()).collect();
        let mut at = 0;
        while let Some(ty) = types.get(at).cloned() {
            types.extend(self.parts(&ty));
            at += 1;
        }
        let mut described = Vec::new();
        for ty in types {
            if !described.contains(&ty) {
                self.describe(&ty);
                described.push(ty);
            }
        }
        found
    }

    fn parts(&self, ty: &Ty) -> Vec<Ty> {
        match ty {
            Ty::Array(of, _) => vec![(**of).clone()],
            Ty::Struct(id) => self.structs[*id].fields.clone(),
            Ty::Enum(id) => {
                self.enums[*id].variants.iter().flat_map(|variant| variant.fields.clone()).collect()
            }
            Ty::Tuple(parts) => parts.clone(),
            Ty::Option(of) => vec![(**of).clone()],
            Ty::Result(of, error) => vec![(**of).clone(), (**error).clone()],
            Ty::Scalar(_) | Ty::Vector(..) | Ty::Slice(_) => vec![],
        }
    }

    /// Tells the driver how to draw and compare values of a type.
    fn describe(&mut self, ty: &Ty) {
        match ty {
            Ty::Struct(id) => {
                let of = &self.structs[*id];
                let fields: Vec<_> = (0..of.fields.len()).map(|field| of.field(field)).collect();
                self.line(&format!(
                    "crate::values::value! {{ struct S{id} {{ {} }} }}",
                    fields.join(" ")
                ));
            }
            Ty::Enum(id) => {
                let variants = self.enums[*id].variants.iter().enumerate().map(|(at, variant)| {
                    let prefix = if variant.named { "g" } else { "" };
                    let fields: Vec<_> = (0..variant.fields.len())
                        .map(|field| format!("{prefix}{field}: v{field}"))
                        .collect();
                    format!("A{at} {{ {} }}", fields.join(" "))
                });
                let variants: Vec<_> = variants.collect();
                self.line(&format!(
                    "crate::values::value! {{ enum E{id} {{ {} }} }}",
                    variants.join(" ")
                ));
            }
            Ty::Scalar(_)
            | Ty::Vector(..)
            | Ty::Array(..)
            | Ty::Tuple(_)
            | Ty::Option(_)
            | Ty::Result(..)
            | Ty::Slice(_) => {}
        }
    }

    fn attribute(&mut self) {
        let mut parts: Vec<String> = match self.kind {
            Kind::Plain | Kind::Threads => vec!["contract = false".into()],
            Kind::Checked => vec!["contract = false".into(), "overflow_checks".into()],
            Kind::Contracted => vec![],
        };
        if self.kind == Kind::Threads || self.chance(20) {
            parts.push(format!("block = {}", 64 / self.blocks));
        }
        if self.chance(10) {
            parts.push("wide_index".into());
        }
        if self.chance(15) {
            let value = self.pick(100);
            self.line(&format!("const LIMIT: u32 = {value};"));
            parts.push("open(LIMIT)".into());
            self.vars.push(Var { name: "limit".into(), ty: Ty::Scalar("u32"), mutable: false });
        }
        if self.chance(50) {
            parts.reverse();
        }
        if parts.is_empty() {
            self.line("#[kernel]");
        } else {
            self.line(&format!("#[kernel({})]", parts.join(", ")));
        }
    }

    /// Returns the parameters, which come into scope.
    fn params_of(
        &mut self,
        composites: &[Composite],
        atomics: &[&'static str],
        generic: bool,
    ) -> String {
        let mut params = Vec::new();
        let mut var = |name: String, ty: &Ty, mutable| {
            self.vars.push(Var { name, ty: ty.clone(), mutable });
        };
        for name in &self.memory {
            params.push(format!("r_{name}: &[{name}], w_{name}: &mut [{name}], p_{name}: {name}"));
            var(format!("p_{name}"), &Ty::Scalar(name), false);
        }
        for Composite { name, ty } in composites {
            let of = ty.name();
            params.push(format!("r_{name}: &[{of}], w_{name}: &mut [{of}], p_{name}: {of}"));
            var(format!("p_{name}"), ty, false);
            var(format!("r_{name}[i % 64]"), ty, false);
            var(format!("w_{name}[base + 3]"), ty, true);
        }
        if generic {
            params.push("r_t: &[T]".into());
        }
        params.push(format!("o_{0}: &{0}", self.memory[0]));
        var(format!("(*o_{})", self.memory[0]), &Ty::Scalar(self.memory[0]), false);
        if generic {
            params.push("p_t: &T".into());
        }
        params.extend(atomics.iter().map(|of| format!("a_{of}: &[{}]", atomic(of))));
        params.join(", ")
    }

    /// Writes the line for the driver.
    fn case(
        &mut self,
        composites: &[Composite],
        atomics: &[&'static str],
        generic: Option<(Ty, usize)>,
    ) {
        let host = matches!(self.kind, Kind::Plain | Kind::Checked);
        let both = self.memory.iter().map(|name| format!("{name}: {name},"));
        let named = composites.iter();
        let named = named.map(|Composite { name, ty }| format!("{name}: {},", ty.name()));
        let both: String = both.chain(named).collect();
        let mut read = String::new();
        let mut one = format!("o: {},", self.memory[0]);
        let mut arguments = String::new();
        if let Some((ty, number)) = generic {
            let of = ty.name();
            read += &format!("t: {of},");
            one += &format!("p: {of},");
            arguments = format!("::<{of}, {number}>");
        }
        let atomics: String = atomics.iter().map(|of| format!("a_{of}: {of},")).collect();
        let blocks = self.blocks;
        self.line(&format!(
            "crate::driver::case! {{ kernel [{arguments}] host {host} blocks {blocks} both {{ {both} }} read {{ {read} }} one {{ {one} }} atomic {{ {atomics} }} }}"
        ));
    }

    /// Mixes the value of a place into the kernel's sum.
    pub(super) fn observe(&mut self, ty: &Ty, place: &str) {
        match ty {
            Ty::Scalar(name @ ("f16" | "bf16" | "f32" | "f64")) => {
                self.line(&format!("sum = mix(sum, bits_{name}({place}) as u64);"));
            }
            Ty::Scalar(_) => self.line(&format!("sum = mix(sum, {place} as u64);")),
            Ty::Vector(lane, _) => self.observe(&Ty::Scalar(lane), &format!("({place}).x")),
            Ty::Option(of) if **of == U64 => {
                self.line(&format!("sum = mix(sum, {place}.unwrap_or(77));"));
            }
            Ty::Option(_) => self.line(&format!("sum = mix(sum, {place}.is_some() as u64);")),
            Ty::Result(..) => self.line(&format!("sum = mix(sum, {place}.is_ok() as u64);")),
            Ty::Enum(id) => {
                let id = *id;
                for number in 0..self.enums[id].variants.len() {
                    let fields = match &self.enums[id].variants[number] {
                        Variant { fields, .. } if fields.is_empty() => "",
                        Variant { named: true, .. } => " { .. }",
                        Variant { named: false, .. } => "(..)",
                    };
                    self.line(&format!(
                        "sum = mix(sum, matches!({place}, E{id}::A{number}{fields}) as u64);"
                    ));
                }
            }
            Ty::Tuple(_) | Ty::Array(..) | Ty::Struct(_) | Ty::Slice(_) => {}
        }
    }
}

/// Returns the atomic type of a number.
pub(super) fn atomic(of: &str) -> &'static str {
    match of {
        "u32" => "AtomicU32",
        "i32" => "AtomicI32",
        "u64" => "AtomicU64",
        "i64" => "AtomicI64",
        "f32" => "AtomicF32",
        _ => "AtomicF64",
    }
}
