//! Checks of launches: everything between the call of a kernel's `launch` and the engine.
use crate::{
    AtomicBuffer, Buffer3, Constant, ConstantData, Device, Element, Error, LaunchConfig,
    LayeredSurface1, LayeredSurface1Mut, LayeredSurface2, LayeredSurface2Mut, LayeredTexture1,
    LayeredTexture2, Layers, LayersMut, Plain, Result, Rows, RowsMut, Slice, Slice2, Stored,
    Surface1, Surface1Mut, Surface2, Surface2Mut, Surface3, Surface3Mut, SurfaceObject, TensorMap2,
    TensorMap2Mut, TensorMap3, TensorMap3Mut, Texture1, Texture2, Texture3, TextureElement,
    TextureObject,
    elements::element::Atomic,
    error::LaunchMistake,
    launch::{
        bound_kernel::{Bound, Signature},
        config::Geometry,
        source::Source,
    },
    memory::{AnySlice, Rectangle},
    observe::launch_lints,
    tensor_map::TensorLayout,
};
use smallvec::SmallVec;
use std::fmt;
use warpwise_compiler::{
    back::ptx::{self, SharedMemory},
    contract::Contract,
    id::Id as _,
    ir::{self, Access, Param, ParamKind, Scalar},
    small_sizes::Sizes,
    specialize::Binding,
};

/// The number of arguments up to which their values are collected without an allocation.
const INLINE_VALUES: usize = 16;

/// One argument of a launch.
#[derive(Debug)]
pub struct Arg<'a>(Passed<'a>);

/// The contents of an [`Arg`].
#[derive(Debug)]
enum Passed<'a> {
    One(Value<'a>),
    /// The numbers in a struct or array.
    Parts(Vec<Value<'a>>),
}

/// The value of one parameter of the IR.
#[derive(Debug)]
pub(crate) enum Value<'a> {
    Scalar {
        ty: Scalar,
        bits: u64,
    },
    Slice {
        elem: ir::Element,
        access: Access,
        slice: &'a AnySlice,
        /// True if the kernel takes a reference to one value.
        single: bool,
        /// The array and the box of a tensor map.
        tensor: Option<TensorLayout>,
    },
}

impl<'a> Arg<'a> {
    /// Returns the argument for a parameter of type `T`.
    pub fn scalar<T: Element>(value: T) -> Arg<'static> {
        Arg(Passed::One(Value::Scalar { ty: T::SCALAR, bits: value.to_bits() }))
    }
    /// Returns the argument for a parameter of type `T` that is a struct, an enum or an array.
    pub fn value<T: Plain>(value: T) -> Arg<'static> {
        let mut parts = Vec::new();
        value.scalars(&mut |ty, bits| parts.push(Value::Scalar { ty, bits }));
        Arg(Passed::Parts(parts))
    }
    /// Returns the argument for a parameter of type `&[T]`.
    pub fn read<T: Stored>(slice: &'a Slice<T>) -> Self {
        Self::slice::<T>(shared_access::<T>(), slice.any())
    }
    /// Returns the argument for a parameter of type `#[constant] &[T; N]`, `&[T]` or `&T`.
    pub fn constant<C: ConstantData + ?Sized>(constant: &'a Constant<C>) -> Self {
        let (elem, slice) = (C::ELEMENT, constant.any());
        let max = u32::try_from(slice.len).unwrap_or(u32::MAX);
        let access = Access::Constant { max };
        Self(Passed::One(Value::Slice { elem, access, slice, single: C::IS_SINGLE, tensor: None }))
    }
    /// Returns the argument for a parameter of type `&mut [T]`.
    pub fn write<T: Stored>(slice: &'a mut Slice<T>) -> Self {
        Self::slice::<T>(Access::Write, slice.any())
    }
    /// Returns the argument for a parameter of type `&[A]`.
    pub fn atomic<A: Atomic>(slice: impl AtomicBuffer<A> + 'a) -> Self {
        Self::slice::<A>(Access::Atomic, slice.slice())
    }

    /// Marks the argument as one for a reference to one value, and not to a slice.
    #[must_use]
    pub fn single(mut self) -> Self {
        if let Passed::One(Value::Slice { single, .. }) = &mut self.0 {
            *single = true;
        }
        self
    }

    fn slice<T: Stored>(access: Access, slice: &'a AnySlice) -> Self {
        let elem = T::ELEMENT;
        Self(Passed::One(Value::Slice { elem, access, slice, single: false, tensor: None }))
    }

    /// Returns the argument for an array type of kernels: the slice, the extents from the outermost
    /// inwards, and the pitch, in the order of the fields.
    fn array<T: Stored>(
        access: Access,
        rectangle: &'a Rectangle,
        outer: impl IntoIterator<Item = usize>,
    ) -> Self {
        Self::array_with::<T>(access, rectangle, outer, None)
    }

    /// Returns the argument for a tensor map, in the order of the fields.
    fn tensor_map<T: Stored>(
        access: Access,
        rectangle: &'a Rectangle,
        layout: TensorLayout,
    ) -> Self {
        let outer = layout.extents[3 - layout.dims..2].iter().copied();
        Self::array_with::<T>(access, rectangle, outer, Some(layout))
    }

    fn array_with<T: Stored>(
        access: Access,
        rectangle: &'a Rectangle,
        outer: impl IntoIterator<Item = usize>,
        tensor: Option<TensorLayout>,
    ) -> Self {
        let slice = &rectangle.slice;
        let elements = Value::Slice { elem: T::ELEMENT, access, slice, single: false, tensor };
        let extents = outer.into_iter().chain([rectangle.columns, rectangle.pitch]);
        let scalar = |extent| Value::Scalar { ty: Scalar::U64, bits: extent as u64 };
        Self(Passed::Parts([elements].into_iter().chain(extents.map(scalar)).collect()))
    }

    /// Returns the argument for a texture: the texture object, the extents, and the layers or the
    /// levels, in the order of the fields.
    fn texture<T: TextureElement, const D: usize, const LAYERED: bool>(
        texture: &'a TextureObject<T, D, LAYERED>,
    ) -> Self {
        let elem = <T as Stored>::ELEMENT;
        let slice = texture.any();
        let access = Access::Texture;
        let object = Value::Slice { elem, access, slice, single: false, tensor: None };
        let layers = LAYERED.then_some(texture.layers());
        let levels = (D == 2 && !LAYERED).then_some(texture.levels());
        let extents = texture.extents().into_iter().chain(layers).chain(levels);
        let extents = extents.map(|extent| Value::Scalar { ty: Scalar::U64, bits: extent as u64 });
        Self(Passed::Parts([object].into_iter().chain(extents).collect()))
    }

    /// Returns the argument for a surface that the kernel reads.
    fn read_surface<T: TextureElement, const D: usize, const LAYERED: bool>(
        surface: &'a SurfaceObject<T, D, LAYERED>,
    ) -> Self {
        Self::surface(surface, Access::SurfaceRead(surface.shape()))
    }

    /// Returns the argument for a surface that the kernel writes.
    fn written_surface<T: TextureElement, const D: usize, const LAYERED: bool>(
        surface: &'a mut SurfaceObject<T, D, LAYERED>,
    ) -> Self {
        Self::surface(surface, Access::SurfaceWrite(surface.shape()))
    }

    /// Returns the argument for a surface: the texels, the extents and the distances, in the order
    /// of the fields.
    fn surface<T: TextureElement, const D: usize, const LAYERED: bool>(
        surface: &'a SurfaceObject<T, D, LAYERED>,
        access: Access,
    ) -> Self {
        let (elem, slice) = (<T as Stored>::ELEMENT, surface.texels());
        let texels = Value::Slice { elem, access, slice, single: false, tensor: None };
        let scalar = |extent| Value::Scalar { ty: Scalar::U64, bits: extent as u64 };
        let extents = surface.layout().passed().into_iter().map(scalar);
        Self(Passed::Parts([texels].into_iter().chain(extents).collect()))
    }

    /// Returns the argument with this value.
    pub(crate) const fn of(value: Value<'a>) -> Self {
        Self(Passed::One(value))
    }

    fn values(&self) -> &[Value<'a>] {
        match &self.0 {
            Passed::One(value) => std::slice::from_ref(value),
            Passed::Parts(values) => values,
        }
    }
}

/// Returns the access of a kernel to a slice that the launch borrows immutably.
const fn shared_access<T: Stored>() -> Access {
    if T::ATOMIC { Access::Atomic } else { Access::Read }
}

/// A type with the name of an array of several dimensions, such as `Rows`. It decides the argument
/// of the launch: the memory of an array, or a value of a struct that has the same name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a kernel",
    label = "it is neither plain data nor a view of elements that the memory of a GPU can hold"
)]
pub trait Parameter<'a> {
    /// The argument of the launch.
    type Argument;
    /// Passes the argument.
    fn arg(argument: Self::Argument) -> Arg<'a>;
}

impl<'a, T: Plain> Parameter<'a> for T {
    type Argument = T;
    fn arg(value: T) -> Arg<'a> {
        Arg::value(value)
    }
}

impl<'a, T: Stored> Parameter<'a> for Rows<'_, T> {
    type Argument = &'a Slice2<T>;
    fn arg(array: Self::Argument) -> Arg<'a> {
        let rectangle = array.memory();
        Arg::array::<T>(shared_access::<T>(), rectangle, [rectangle.rows])
    }
}

impl<'a, T: Stored> Parameter<'a> for RowsMut<'_, T> {
    type Argument = &'a mut Slice2<T>;
    fn arg(array: Self::Argument) -> Arg<'a> {
        let rectangle = array.memory();
        Arg::array::<T>(Access::Write, rectangle, [rectangle.rows])
    }
}

impl<'a, T: Stored> Parameter<'a> for Layers<'_, T> {
    type Argument = &'a Buffer3<T>;
    fn arg(array: Self::Argument) -> Arg<'a> {
        let extents = [array.layers(), array.rows()];
        Arg::array::<T>(shared_access::<T>(), array.as_rows().memory(), extents)
    }
}

impl<'a, T: Stored> Parameter<'a> for LayersMut<'_, T> {
    type Argument = &'a mut Buffer3<T>;
    fn arg(array: Self::Argument) -> Arg<'a> {
        let extents = [array.layers(), array.rows()];
        Arg::array::<T>(Access::Write, array.as_rows().memory(), extents)
    }
}

impl<'a, T: Stored, const ROWS: usize, const COLUMNS: usize, const SWIZZLE: usize> Parameter<'a>
    for TensorMap2<'_, T, ROWS, COLUMNS, SWIZZLE>
{
    type Argument = &'a Slice2<T>;
    fn arg(array: Self::Argument) -> Arg<'a> {
        let layout = TensorLayout::new(array.memory(), None, ([1, ROWS, COLUMNS], SWIZZLE), false);
        Arg::tensor_map::<T>(Access::TensorRead, array.memory(), layout)
    }
}

impl<'a, T: Stored, const ROWS: usize, const COLUMNS: usize, const SWIZZLE: usize> Parameter<'a>
    for TensorMap2Mut<'_, T, ROWS, COLUMNS, SWIZZLE>
{
    type Argument = &'a mut Slice2<T>;
    fn arg(array: Self::Argument) -> Arg<'a> {
        let layout = TensorLayout::new(array.memory(), None, ([1, ROWS, COLUMNS], SWIZZLE), true);
        Arg::tensor_map::<T>(Access::TensorWrite, array.memory(), layout)
    }
}

impl<
    'a,
    T: Stored,
    const LAYERS: usize,
    const ROWS: usize,
    const COLUMNS: usize,
    const SWIZZLE: usize,
> Parameter<'a> for TensorMap3<'_, T, LAYERS, ROWS, COLUMNS, SWIZZLE>
{
    type Argument = &'a Buffer3<T>;
    fn arg(array: Self::Argument) -> Arg<'a> {
        let (rectangle, layers) = (array.as_rows().memory(), Some(array.layers()));
        let layout =
            TensorLayout::new(rectangle, layers, ([LAYERS, ROWS, COLUMNS], SWIZZLE), false);
        Arg::tensor_map::<T>(Access::TensorRead, rectangle, layout)
    }
}

impl<
    'a,
    T: Stored,
    const LAYERS: usize,
    const ROWS: usize,
    const COLUMNS: usize,
    const SWIZZLE: usize,
> Parameter<'a> for TensorMap3Mut<'_, T, LAYERS, ROWS, COLUMNS, SWIZZLE>
{
    type Argument = &'a mut Buffer3<T>;
    fn arg(array: Self::Argument) -> Arg<'a> {
        let (rectangle, layers) = (array.as_rows().memory(), Some(array.layers()));
        let layout = TensorLayout::new(rectangle, layers, ([LAYERS, ROWS, COLUMNS], SWIZZLE), true);
        Arg::tensor_map::<T>(Access::TensorWrite, rectangle, layout)
    }
}

/// Implements [`Parameter`] for views of textures and surfaces, by a function of [`Arg`].
macro_rules! image_parameters {
    ($($view:ident takes $argument:ty, by $arg:ident;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'a, T: TextureElement> Parameter<'a> for $view<'_, T> {
            type Argument = $argument;
            fn arg(image: Self::Argument) -> Arg<'a> {
                Arg::$arg(image)
            }
        }
    )*};
}
image_parameters! {
    Texture1 takes &'a TextureObject<T, 1>, by texture;
    Texture2 takes &'a TextureObject<T, 2>, by texture;
    Texture3 takes &'a TextureObject<T, 3>, by texture;
    LayeredTexture1 takes &'a TextureObject<T, 1, true>, by texture;
    LayeredTexture2 takes &'a TextureObject<T, 2, true>, by texture;
    Surface1 takes &'a SurfaceObject<T, 1>, by read_surface;
    Surface1Mut takes &'a mut SurfaceObject<T, 1>, by written_surface;
    Surface2 takes &'a SurfaceObject<T, 2>, by read_surface;
    Surface2Mut takes &'a mut SurfaceObject<T, 2>, by written_surface;
    Surface3 takes &'a SurfaceObject<T, 3>, by read_surface;
    Surface3Mut takes &'a mut SurfaceObject<T, 3>, by written_surface;
    LayeredSurface1 takes &'a SurfaceObject<T, 1, true>, by read_surface;
    LayeredSurface1Mut takes &'a mut SurfaceObject<T, 1, true>, by written_surface;
    LayeredSurface2 takes &'a SurfaceObject<T, 2, true>, by read_surface;
    LayeredSurface2Mut takes &'a mut SurfaceObject<T, 2, true>, by written_surface;
}

impl Value<'_> {
    /// Returns the number that sizes are computed from: a scalar's type and bits, or the length of
    /// a slice.
    fn number(&self) -> (Scalar, u64) {
        match self {
            Value::Scalar { ty, bits } => (*ty, *bits),
            Value::Slice { slice, .. } => (Scalar::U64, slice.len as u64),
        }
    }

    /// Returns true unless it is a slice that begins at no multiple of the bytes that kernels load
    /// and store at once.
    fn is_vector_aligned(&self) -> bool {
        match self {
            Value::Scalar { .. }
            | Value::Slice {
                access:
                    Access::Constant { .. }
                    | Access::Texture
                    | Access::SurfaceRead(_)
                    | Access::SurfaceWrite(_)
                    | Access::TensorRead
                    | Access::TensorWrite,
                ..
            } => true,
            Value::Slice { slice, .. } => slice.is_aligned(ir::Element::SLICE_ALIGN),
        }
    }

    fn fits(&self, param: &Param) -> bool {
        match (self, &param.kind) {
            (Value::Scalar { ty, .. }, ParamKind::Scalar(wanted)) => ty == wanted,
            (Value::Slice { elem, access, .. }, ParamKind::Slice { elem: wanted, access: to }) => {
                let same = match (access, to) {
                    // The number of elements is checked elsewhere, with a message of its own.
                    (Access::Constant { .. }, Access::Constant { .. }) => true,
                    _ => access == to,
                };
                elem == wanted && same
            }
            (Value::Scalar { .. }, ParamKind::Slice { .. })
            | (Value::Slice { .. }, ParamKind::Scalar(_)) => false,
        }
    }
}

/// As in a message: `f32`, `read [f32]`.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Value::Scalar { ty, .. } => ParamKind::Scalar(*ty),
            Value::Slice { elem, access, .. } => {
                ParamKind::Slice { elem: elem.clone(), access: *access }
            }
        };
        kind.fmt(f)
    }
}

/// A launch that was checked: its arguments are what the kernel takes, in memory that the
/// device reaches, and its geometry is what the kernel and the hardware allow.
pub(crate) struct CheckedLaunch<'a> {
    pub(crate) bound: &'static Bound,
    /// Not empty.
    pub(crate) geometry: Geometry,
    /// The shared memory of a block.
    pub(crate) shared: SharedMemory,
    pub(crate) args: Args<'a>,
}

/// The arguments of a launch, which are one value or several each.
#[derive(Clone, Copy)]
pub(crate) struct Args<'a>(&'a [Arg<'a>]);

impl<'a> From<&'a [Arg<'a>]> for Args<'a> {
    fn from(args: &'a [Arg<'a>]) -> Self {
        Self(args)
    }
}

impl<'a> Args<'a> {
    /// Returns the values, one for each parameter of the IR.
    pub(crate) fn values(self) -> impl Iterator<Item = &'a Value<'a>> + Clone {
        self.0.iter().flat_map(Arg::values)
    }

    /// Returns the numbers that sizes and conditions are computed from.
    fn numbers(self) -> SmallVec<[(Scalar, u64); INLINE_VALUES]> {
        self.values().map(Value::number).collect()
    }
}

impl CheckedLaunch<'_> {
    /// Returns true if the launch fulfils a contract.
    pub(crate) fn fulfils(&self, contract: &Contract) -> bool {
        let Geometry { grid, block } = self.geometry;
        contract.holds(&ir::Passed { params: &self.args.numbers(), block, grid })
    }

    /// Refuses a cooperative launch of more blocks than run at the same time on `device`.
    pub(crate) fn check_cooperative(&self, limit: u64, device: &dyn fmt::Display) -> Result<()> {
        let blocks = self.geometry.blocks();
        if !self.bound.signature.cooperative || blocks <= limit {
            return Ok(());
        }
        let device = device.to_string();
        let mistake = LaunchMistake::CooperativeGrid { blocks, limit, device };
        Err(Error::Launch { kernel: self.bound.source.name, mistake })
    }
}

/// Checks a launch and gives it to the device. The next call that synchronizes reports faults of
/// the kernel's threads.
///
/// # Errors
/// [`Error::Launch`] and [`Error::Compile`], after which nothing ran; [`Error::Stopped`]; errors of
/// the driver.
pub fn launch(
    source: &'static Source,
    bindings: &[Binding],
    device: &Device,
    config: LaunchConfig,
    args: &[Arg<'_>],
) -> Result<()> {
    let bound = Bound::get(source, bindings, device)?;
    let args = Args(args);
    let refused = |mistake| Error::Launch { kernel: source.name, mistake };
    let geometry = check(&bound.signature, device, config, args).map_err(refused)?;
    if geometry.is_empty() {
        return Ok(());
    }
    check_requirements(bound, geometry, args).map_err(refused)?;
    let shared = shared_memory(bound, device, geometry, args).map_err(refused)?;
    let bound = bound.for_arguments(
        args.values().all(Value::is_vector_aligned),
        Sizes::of_launch(&bound.signature.sizes, args.values().map(|value| value.number().1)),
    );
    let launch = CheckedLaunch { bound, geometry, shared, args };
    device.run(&launch)?;
    launch_lints::lint_launch(&launch, device);
    Ok(())
}

fn check(
    signature: &Signature,
    device: &Device,
    config: LaunchConfig,
    args: Args<'_>,
) -> Result<Geometry, LaunchMistake> {
    check_arguments(&signature.params, args, device)?;
    check_shared(signature.shared, device)?;
    config.geometry_in_clusters(signature.block, signature.cluster, signature.wide_index)
}

fn check_arguments(params: &[Param], args: Args<'_>, device: &Device) -> Result<(), LaunchMistake> {
    let mut values = args.values();
    for param in params {
        let Some(arg) = values.next() else { return Err(wrong_count(params, args)) };
        if !arg.fits(param) {
            let expected = format!("`{}`: {}", param.name, param.kind);
            return Err(LaunchMistake::Arguments { expected, found: format!("`{arg}`") });
        }
        let Value::Slice { slice, single, tensor, .. } = arg else { continue };
        if let ParamKind::Slice { access: Access::Constant { max }, .. } = param.kind
            && slice.len as u64 > u64::from(max)
        {
            let (param, len) = (param.name.clone(), slice.len);
            return Err(LaunchMistake::ConstantTooLong { param, len, max });
        }
        if *single && slice.len != 1 {
            let (param, len) = (param.name.clone(), slice.len);
            return Err(LaunchMistake::NotOneElement { param, len });
        }
        if !slice.device().shares_memory_with(device) {
            let (param, buffer) = (param.name.clone(), slice.device().to_string());
            return Err(LaunchMistake::WrongDevice { param, buffer, device: device.to_string() });
        }
        if let Some(problem) = tensor.as_ref().and_then(|layout| tensor_problem(layout, slice)) {
            return Err(LaunchMistake::TensorMap { param: param.name.clone(), problem });
        }
    }
    if values.next().is_some() { Err(wrong_count(params, args)) } else { Ok(()) }
}

/// Returns the reason that there is no tensor map of an array, if there is none.
fn tensor_problem(layout: &TensorLayout, slice: &AnySlice) -> Option<String> {
    let is_aligned = slice.is_aligned(layout.align());
    let unaligned = || {
        let needed = layout.align();
        format!("the array does not begin at a multiple of {needed} bytes")
    };
    layout.problem().or_else(|| (!is_aligned).then(unaligned))
}

fn wrong_count(params: &[Param], args: Args<'_>) -> LaunchMistake {
    let expected = format!("{} arguments", params.len());
    LaunchMistake::Arguments { expected, found: args.values().count().to_string() }
}

/// Checks the kernel's requirements.
fn check_requirements(
    bound: &Bound,
    Geometry { grid, block }: Geometry,
    args: Args<'_>,
) -> Result<(), LaunchMistake> {
    let requires = &bound.kernel.requires;
    if requires.is_empty() {
        return Ok(());
    }
    let passed = ir::Passed { params: &args.numbers(), block, grid };
    for requirement in requires {
        requirement.check(&bound.kernel, &passed).map_err(|refusal| {
            LaunchMistake::Requirement {
                condition: requirement.text.clone(),
                place: bound.source.place(requirement.span.index()).to_string(),
                problem: refusal.to_string(),
            }
        })?;
    }
    Ok(())
}

/// Computes the sizes of shared arrays, and checks that a block of the device has the memory.
fn shared_memory(
    bound: &Bound,
    device: &Device,
    Geometry { grid, block }: Geometry,
    args: Args<'_>,
) -> Result<SharedMemory, LaunchMistake> {
    let signature = &bound.signature;
    if !signature.sized_at_launch {
        let (bytes, dynamic) = (signature.shared, signature.shared - signature.declared_shared);
        return Ok(SharedMemory { bytes, dynamic, offsets: Vec::new() });
    }
    let passed = ir::Passed { params: &args.numbers(), block, grid };
    let shared = ptx::shared_memory(&bound.kernel, &passed).map_err(|(array, error)| {
        let place = bound.source.place(bound.kernel.shared[array].span.index()).to_string();
        LaunchMistake::SharedLength { place, problem: error.to_string() }
    })?;
    check_shared(shared.bytes, device)?;
    Ok(shared)
}

fn check_shared(bytes: u64, device: &Device) -> Result<(), LaunchMistake> {
    let limit = device.info().shared_memory_per_block;
    if bytes > limit {
        return Err(LaunchMistake::SharedMemory { bytes, limit, device: device.to_string() });
    }
    Ok(())
}
