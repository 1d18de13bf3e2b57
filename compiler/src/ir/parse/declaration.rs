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
    pub(super) fn parse_scalar(&mut self) -> Result<Scalar> {
        if self.is_at_generic() {
            self.parse_generic_id().map(Scalar::Generic)
        } else {
            self.parse_named("a scalar type")
        }
    }

    pub(super) fn parse_ty(&mut self) -> Result<Ty> {
        if self.eat_keyword("ptr") {
            self.parse_named("`global`, `shared`, `local` or `constant`").map(Ty::Ptr)
        } else if self.eat_keyword("unit") {
            Ok(Ty::Unit)
        } else {
            self.parse_scalar().map(Ty::Scalar)
        }
    }

    pub(super) fn parse_element(&mut self) -> Result<Element> {
        if !self.eat_keyword("plain") {
            return self.parse_scalar().map(Element::Scalar);
        }
        let size = self.parse_extent()?;
        self.expect_keyword("align")?;
        Ok(Element::Plain { size, align: self.parse_extent()? })
    }

    pub(super) fn parse_extent(&mut self) -> Result<Extent> {
        if self.eat("(") {
            self.parentheses = self.next_depth(self.parentheses)?;
            let extent = self.parse_binary_extent()?;
            self.parentheses -= 1;
            self.expect(")")?;
            Ok(extent)
        } else if self.eat_keyword("sizeof") {
            self.expect("(")?;
            let scalar = self.parse_scalar()?;
            self.expect(")")?;
            Ok(Extent::SizeOf(scalar))
        } else if self.eat_keyword("max") {
            self.expect("(")?;
            self.parentheses = self.next_depth(self.parentheses)?;
            let a = Box::new(self.parse_extent()?);
            self.expect(",")?;
            let b = Box::new(self.parse_extent()?);
            self.parentheses -= 1;
            self.expect(")")?;
            Ok(Extent::Max(a, b))
        } else if self.is_at_generic() {
            self.parse_generic_id().map(Extent::Generic)
        } else {
            self.parse_number().map(Extent::Const)
        }
    }

    pub(super) fn parse_binary_extent(&mut self) -> Result<Extent> {
        let a = Box::new(self.parse_extent()?);
        let binary = if self.eat("+") {
            Extent::Add
        } else if self.eat("-") {
            Extent::Sub
        } else if self.eat("*") {
            Extent::Mul
        } else if self.eat("/") {
            Extent::Div
        } else {
            return Err(self.expected_error("`+`, `-`, `*` or `/`"));
        };
        Ok(binary(a, Box::new(self.parse_extent()?)))
    }

    /// Returns the depth below `depth`; an error at the limit.
    pub(super) fn next_depth(&self, depth: usize) -> Result<usize> {
        if depth == MAX_DEPTH {
            return Err(self.error_at(self.at, format!("nested more than {MAX_DEPTH} deep")));
        }
        Ok(depth + 1)
    }

    /// Reads one declaration into `kernel`; `false` where none starts.
    pub(super) fn parse_declaration(&mut self, kernel: &mut Kernel) -> Result<bool> {
        let (at, word) = self.take_word();
        match word {
            "cooperative" => kernel.cooperative = true,
            "dependent_launch" => kernel.dependent_launch = true,
            "cluster" => kernel.cluster = Some(self.parse_cluster_dims()?),
            "wide_index" => kernel.wide_index = true,
            "deny_checks" => kernel.deny_checks = true,
            "no_coarsening" => kernel.may_coarsen = false,
            "unaligned_slices" => kernel.aligned_slices = false,
            "coarsening" => kernel.coarsening = Some(self.parse_coarsening()?),
            "block" => kernel.block = Some(self.parse_block_dims()?),
            "min_blocks" => kernel.min_blocks = Some(self.parse_number()?),
            "generic" => {
                let name = self.parse_declared_name(&kernel.generics, "T")?;
                let kind = self.parse_generic_kind()?;
                let span = self.parse_span()?;
                kernel.generics.push(Generic { name, kind, span });
            }
            "param" => {
                let name = self.parse_declared_name(&kernel.params, "arg")?;
                let kind = self.parse_param_kind()?;
                let span = self.parse_span()?;
                kernel.params.push(Param { name, kind, span });
            }
            "requires" => {
                let text = self.parse_name()?;
                let cond = self.parse_size()?;
                let span = self.parse_span()?;
                kernel.requires.push(Requirement { text, cond, span });
            }
            "shared" => {
                let name = self.parse_declared_name(&kernel.shared, "@")?;
                let (elem, len) = self.parse_array_type(Self::parse_length)?;
                let are_mbarriers = self.eat_keyword("mbarrier");
                let arrivals = are_mbarriers.then(|| self.parse_extent()).transpose()?;
                let span = self.parse_span()?;
                kernel.shared.push(Shared { name, elem, len, arrivals, span });
            }
            "array" => {
                let name = self.parse_declared_name(&kernel.arrays, "#")?;
                let (elem, len) = self.parse_array_type(Self::parse_extent)?;
                let is_passed = self.eat_keyword("passed");
                let passed = is_passed.then(|| self.parse_param_id()).transpose()?;
                let span = self.parse_span()?;
                kernel.arrays.push(Array { name, elem, len, passed, span });
            }
            "message" => {
                let text = self.parse_declared_name(&kernel.messages, "msg")?;
                let args = self.parse_scalars()?;
                kernel.messages.push(Message { text, args });
            }
            "local" => {
                let name = self.parse_declared_name(&kernel.locals, "$")?;
                let ty = self.parse_ty()?;
                let span = self.parse_span()?;
                kernel.locals.push(Local { name, ty, span });
            }
            _ => {
                self.at = at;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Parses `id = name:`, where the id must be the table's next.
    pub(super) fn parse_declared_name<I: Id, T>(
        &mut self,
        table: &Table<I, T>,
        prefix: &str,
    ) -> Result<String> {
        let next = I::new(table.len());
        let (at, id) = self.parse_id::<I>(prefix, &format!("`{next}`"))?;
        if id != next {
            return Err(self.error_at(at, format!("expected `{next}`, found `{id}`")));
        }
        self.expect("=")?;
        let name = self.parse_name()?;
        self.expect(":")?;
        Ok(name)
    }

    pub(super) fn parse_block_dims(&mut self) -> Result<[Extent; 3]> {
        let x = self.parse_extent()?;
        self.expect(",")?;
        let y = self.parse_extent()?;
        self.expect(",")?;
        Ok([x, y, self.parse_extent()?])
    }

    /// Parses the blocks of a cluster along each axis: `4, 2, 1`.
    fn parse_cluster_dims(&mut self) -> Result<[u32; 3]> {
        let x = self.parse_number()?;
        self.expect(",")?;
        let y = self.parse_number()?;
        self.expect(",")?;
        Ok([x, y, self.parse_number()?])
    }

    /// Parses axis, factor and number of threads: `y, 4, %12`.
    fn parse_coarsening(&mut self) -> Result<Coarsening> {
        let axis = self.parse_named::<Axis>("`x`, `y` or `z`")?;
        self.expect(",")?;
        let factor = self.parse_number()?;
        self.expect(",")?;
        let grid = CoarseGrid { axis, factor };
        Ok(Coarsening { grid, threads: self.parse_inst_id()? })
    }

    pub(super) fn parse_generic_kind(&mut self) -> Result<GenericKind> {
        if self.eat_keyword("type") {
            self.parse_named::<Bound>("`num`, `int` or `float`").map(GenericKind::Type)
        } else {
            self.expect_keyword("const")?;
            self.parse_scalar().map(GenericKind::Const)
        }
    }

    pub(super) fn parse_param_kind(&mut self) -> Result<ParamKind> {
        let (at, word) = self.take_word();
        let access = match word {
            "read" => Access::Read,
            "write" => Access::Write,
            "atomic" => Access::Atomic,
            "texture" => Access::Texture,
            "surface_read" => Access::SurfaceRead(self.parse_named("a shape")?),
            "surface_write" => Access::SurfaceWrite(self.parse_named("a shape")?),
            "tensor_read" => Access::TensorRead,
            "tensor_write" => Access::TensorWrite,
            "constant" => Access::Constant { max: self.parse_number()? },
            _ => {
                self.at = at;
                return self.parse_scalar().map(ParamKind::Scalar);
            }
        };
        self.expect("[")?;
        let elem = self.parse_element()?;
        self.expect("]")?;
        Ok(ParamKind::Slice { elem, access })
    }

    /// Parses scalar types in parentheses: `(f32, u32)`.
    pub(super) fn parse_scalars(&mut self) -> Result<Vec<Scalar>> {
        self.expect("(")?;
        let mut scalars = Vec::new();
        while !self.eat(")") {
            if !scalars.is_empty() {
                self.expect(",")?;
            }
            scalars.push(self.parse_scalar()?);
        }
        Ok(scalars)
    }

    /// Parses the type of an array, in which the semicolon starts no comment: `[f32; 32]`.
    pub(super) fn parse_array_type<L>(
        &mut self,
        len: fn(&mut Self) -> Result<L>,
    ) -> Result<(Element, L)> {
        self.expect("[")?;
        let elem = self.parse_element()?;
        self.skip_space();
        if !self.rest().starts_with(';') {
            return Err(self.expected_error("`;`"));
        }
        self.at += 1;
        let len = len(self)?;
        self.expect("]")?;
        Ok((elem, len))
    }

    pub(super) fn parse_length(&mut self) -> Result<Length> {
        if self.eat_keyword("launch") {
            self.parse_size().map(Length::Launch)
        } else {
            self.parse_extent().map(Length::Fixed)
        }
    }

    /// Parses a size: `mul(len arg1, const 2 : u64)`.
    pub(super) fn parse_size(&mut self) -> Result<Size> {
        let (at, word) = self.take_word();
        Ok(match word {
            "const" => {
                let (at, literal) = self.take_literal();
                self.expect(":")?;
                let scalar = self.parse_scalar()?;
                Size::Const(scalar, self.literal_bits(at, literal, Ty::Scalar(scalar))?)
            }
            "extent" => Size::Extent(self.parse_extent()?),
            "generic" => Size::Generic(self.parse_generic_id()?),
            "len" => Size::Len(self.parse_param_id()?),
            "builtin" => {
                Size::Builtin(self.parse_named::<Builtin>("a builtin such as `block_dim.x`")?)
            }
            "select" => Size::Select(Box::new(self.parse_size_parts()?)),
            "cast" => {
                let to = self.parse_scalar()?;
                let [value] = self.parse_size_parts()?;
                Size::Cast(to, Box::new(value))
            }
            _ => {
                if let Some(op) = UnaryOp::from_name(word) {
                    let [value] = self.parse_size_parts()?;
                    Size::Unary(op, Box::new(value))
                } else if let Some(op) = BinaryOp::from_name(word) {
                    Size::Binary(op, Box::new(self.parse_size_parts()?))
                } else if let Some(op) = CompareOp::from_name(word) {
                    Size::Compare(op, Box::new(self.parse_size_parts()?))
                } else {
                    self.at = at;
                    Size::Param(self.parse_param_id()?)
                }
            }
        })
    }

    /// Parses the `N` parts of a size, in parentheses.
    pub(super) fn parse_size_parts<const N: usize>(&mut self) -> Result<[Size; N]> {
        self.expect("(")?;
        self.parentheses = self.next_depth(self.parentheses)?;
        let mut sizes = [const { Size::Const(Scalar::U64, 0) }; N];
        for (index, size) in sizes.iter_mut().enumerate() {
            if index > 0 {
                self.expect(",")?;
            }
            *size = self.parse_size()?;
        }
        self.parentheses -= 1;
        self.expect(")")?;
        Ok(sizes)
    }
}
