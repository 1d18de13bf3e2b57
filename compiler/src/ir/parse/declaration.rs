//! The declarations before the instructions: types, parameters, memory, messages, locals.
use super::{
    super::{
        Access, Array, Axis, BinaryOp, Bound, Builtin, CoarseGrid, Coarsening, CompareOp, Element,
        Extent, Generic, GenericKind, Kernel, Length, Local, MAX_DEPTH, Message, Param, ParamKind,
        Requirement, Scalar, Shared, Size, Ty, UnaryOp, names::Named,
    },
    Parser, Result,
};
use crate::id::{Id, Table};

impl<'t> Parser<'t> {
    pub(super) fn scalar(&mut self) -> Result<Scalar> {
        if self.at_generic() {
            self.generic_id().map(Scalar::Generic)
        } else {
            self.named("a scalar type")
        }
    }

    pub(super) fn ty(&mut self) -> Result<Ty> {
        if self.eat_keyword("ptr") {
            self.named("`global`, `shared`, `local` or `constant`").map(Ty::Ptr)
        } else if self.eat_keyword("unit") {
            Ok(Ty::Unit)
        } else {
            self.scalar().map(Ty::Scalar)
        }
    }

    pub(super) fn element(&mut self) -> Result<Element> {
        if !self.eat_keyword("plain") {
            return self.scalar().map(Element::Scalar);
        }
        let size = self.extent()?;
        self.keyword("align")?;
        Ok(Element::Plain { size, align: self.extent()? })
    }

    pub(super) fn extent(&mut self) -> Result<Extent> {
        if self.eat("(") {
            self.parentheses = self.deeper(self.parentheses)?;
            let extent = self.binary_extent()?;
            self.parentheses -= 1;
            self.expect(")")?;
            Ok(extent)
        } else if self.eat_keyword("sizeof") {
            self.expect("(")?;
            let scalar = self.scalar()?;
            self.expect(")")?;
            Ok(Extent::SizeOf(scalar))
        } else if self.eat_keyword("max") {
            self.expect("(")?;
            self.parentheses = self.deeper(self.parentheses)?;
            let a = Box::new(self.extent()?);
            self.expect(",")?;
            let b = Box::new(self.extent()?);
            self.parentheses -= 1;
            self.expect(")")?;
            Ok(Extent::Max(a, b))
        } else if self.at_generic() {
            self.generic_id().map(Extent::Generic)
        } else {
            self.number().map(Extent::Const)
        }
    }

    pub(super) fn binary_extent(&mut self) -> Result<Extent> {
        let a = Box::new(self.extent()?);
        let binary = if self.eat("+") {
            Extent::Add
        } else if self.eat("-") {
            Extent::Sub
        } else if self.eat("*") {
            Extent::Mul
        } else if self.eat("/") {
            Extent::Div
        } else {
            return Err(self.expected("`+`, `-`, `*` or `/`"));
        };
        Ok(binary(a, Box::new(self.extent()?)))
    }

    /// One level below `depth`.
    pub(super) fn deeper(&self, depth: usize) -> Result<usize> {
        if depth == MAX_DEPTH {
            return Err(self.error(self.at, format!("nested more than {MAX_DEPTH} deep")));
        }
        Ok(depth + 1)
    }

    /// Reads one declaration into `kernel`; `false` where none starts.
    pub(super) fn declaration(&mut self, kernel: &mut Kernel) -> Result<bool> {
        let (at, word) = self.word();
        match word {
            "cooperative" => kernel.cooperative = true,
            "cluster" => kernel.cluster = Some(self.cluster()?),
            "wide_index" => kernel.wide_index = true,
            "deny_checks" => kernel.deny_checks = true,
            "no_coarsening" => kernel.may_coarsen = false,
            "unaligned_slices" => kernel.aligned_slices = false,
            "coarsening" => kernel.coarsening = Some(self.coarsening()?),
            "block" => kernel.block = Some(self.block()?),
            "min_blocks" => kernel.min_blocks = Some(self.number()?),
            "generic" => {
                let name = self.declared(&kernel.generics, "T")?;
                let kind = self.generic_kind()?;
                let span = self.span()?;
                kernel.generics.push(Generic { name, kind, span });
            }
            "param" => {
                let name = self.declared(&kernel.params, "arg")?;
                let kind = self.param_kind()?;
                let span = self.span()?;
                kernel.params.push(Param { name, kind, span });
            }
            "requires" => {
                let text = self.name()?;
                let cond = self.size()?;
                let span = self.span()?;
                kernel.requires.push(Requirement { text, cond, span });
            }
            "shared" => {
                let name = self.declared(&kernel.shared, "@")?;
                let (elem, len) = self.array(Self::length)?;
                let are_mbarriers = self.eat_keyword("mbarrier");
                let arrivals = are_mbarriers.then(|| self.extent()).transpose()?;
                let span = self.span()?;
                kernel.shared.push(Shared { name, elem, len, arrivals, span });
            }
            "array" => {
                let name = self.declared(&kernel.arrays, "#")?;
                let (elem, len) = self.array(Self::extent)?;
                let is_passed = self.eat_keyword("passed");
                let passed = is_passed.then(|| self.param_id()).transpose()?;
                let span = self.span()?;
                kernel.arrays.push(Array { name, elem, len, passed, span });
            }
            "message" => {
                let text = self.declared(&kernel.messages, "msg")?;
                let args = self.scalars()?;
                kernel.messages.push(Message { text, args });
            }
            "local" => {
                let name = self.declared(&kernel.locals, "$")?;
                let ty = self.ty()?;
                let span = self.span()?;
                kernel.locals.push(Local { name, ty, span });
            }
            _ => {
                self.at = at;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `id = name:`, where the id must be the table's next.
    pub(super) fn declared<I: Id, T>(
        &mut self,
        table: &Table<I, T>,
        prefix: &str,
    ) -> Result<String> {
        let next = I::new(table.len());
        let (at, id) = self.id::<I>(prefix, &format!("`{next}`"))?;
        if id != next {
            return Err(self.error(at, format!("expected `{next}`, found `{id}`")));
        }
        self.expect("=")?;
        let name = self.name()?;
        self.expect(":")?;
        Ok(name)
    }

    pub(super) fn block(&mut self) -> Result<[Extent; 3]> {
        let x = self.extent()?;
        self.expect(",")?;
        let y = self.extent()?;
        self.expect(",")?;
        Ok([x, y, self.extent()?])
    }

    /// `4, 2, 1`
    fn cluster(&mut self) -> Result<[u32; 3]> {
        let x = self.number()?;
        self.expect(",")?;
        let y = self.number()?;
        self.expect(",")?;
        Ok([x, y, self.number()?])
    }

    /// `y, 4, %12`
    fn coarsening(&mut self) -> Result<Coarsening> {
        let axis = self.named::<Axis>("`x`, `y` or `z`")?;
        self.expect(",")?;
        let factor = self.number()?;
        self.expect(",")?;
        let grid = CoarseGrid { axis, factor };
        Ok(Coarsening { grid, threads: self.inst_id()? })
    }

    pub(super) fn generic_kind(&mut self) -> Result<GenericKind> {
        if self.eat_keyword("type") {
            self.named::<Bound>("`num`, `int` or `float`").map(GenericKind::Type)
        } else {
            self.keyword("const")?;
            self.scalar().map(GenericKind::Const)
        }
    }

    pub(super) fn param_kind(&mut self) -> Result<ParamKind> {
        let (at, word) = self.word();
        let access = match word {
            "read" => Access::Read,
            "write" => Access::Write,
            "atomic" => Access::Atomic,
            "texture" => Access::Texture,
            "constant" => Access::Constant { max: self.number()? },
            _ => {
                self.at = at;
                return self.scalar().map(ParamKind::Scalar);
            }
        };
        self.expect("[")?;
        let elem = self.element()?;
        self.expect("]")?;
        Ok(ParamKind::Slice { elem, access })
    }

    /// `(f32, u32)`
    pub(super) fn scalars(&mut self) -> Result<Vec<Scalar>> {
        self.expect("(")?;
        let mut scalars = Vec::new();
        while !self.eat(")") {
            if !scalars.is_empty() {
                self.expect(",")?;
            }
            scalars.push(self.scalar()?);
        }
        Ok(scalars)
    }

    /// `[f32; 32]`, where the semicolon starts no comment.
    pub(super) fn array<L>(&mut self, len: fn(&mut Self) -> Result<L>) -> Result<(Element, L)> {
        self.expect("[")?;
        let elem = self.element()?;
        self.skip_space();
        if !self.rest().starts_with(';') {
            return Err(self.expected("`;`"));
        }
        self.at += 1;
        let len = len(self)?;
        self.expect("]")?;
        Ok((elem, len))
    }

    pub(super) fn length(&mut self) -> Result<Length> {
        if self.eat_keyword("launch") {
            self.size().map(Length::Launch)
        } else {
            self.extent().map(Length::Fixed)
        }
    }

    /// `mul(len arg1, const 2 : u64)`
    pub(super) fn size(&mut self) -> Result<Size> {
        let (at, word) = self.word();
        Ok(match word {
            "const" => {
                let (at, literal) = self.literal();
                self.expect(":")?;
                let scalar = self.scalar()?;
                Size::Const(scalar, self.bits(at, literal, Ty::Scalar(scalar))?)
            }
            "extent" => Size::Extent(self.extent()?),
            "generic" => Size::Generic(self.generic_id()?),
            "len" => Size::Len(self.param_id()?),
            "builtin" => Size::Builtin(self.named::<Builtin>("a builtin such as `block_dim.x`")?),
            "select" => Size::Select(Box::new(self.sizes()?)),
            "cast" => {
                let to = self.scalar()?;
                let [value] = self.sizes()?;
                Size::Cast(to, Box::new(value))
            }
            _ => {
                if let Some(op) = UnaryOp::from_name(word) {
                    let [value] = self.sizes()?;
                    Size::Unary(op, Box::new(value))
                } else if let Some(op) = BinaryOp::from_name(word) {
                    Size::Binary(op, Box::new(self.sizes()?))
                } else if let Some(op) = CompareOp::from_name(word) {
                    Size::Compare(op, Box::new(self.sizes()?))
                } else {
                    self.at = at;
                    Size::Param(self.param_id()?)
                }
            }
        })
    }

    /// The parts of a size, in parentheses.
    pub(super) fn sizes<const N: usize>(&mut self) -> Result<[Size; N]> {
        self.expect("(")?;
        self.parentheses = self.deeper(self.parentheses)?;
        let mut sizes = [const { Size::Const(Scalar::U64, 0) }; N];
        for (index, size) in sizes.iter_mut().enumerate() {
            if index > 0 {
                self.expect(",")?;
            }
            *size = self.size()?;
        }
        self.parentheses -= 1;
        self.expect(")")?;
        Ok(sizes)
    }
}
