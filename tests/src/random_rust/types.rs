//! Types of random programs, and the properties of their items.

/// Every integer type.
pub(super) const INTS: [&str; 10] =
    ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize"];
/// Every float type.
pub(super) const FLOATS: [&str; 2] = ["f32", "f64"];

/// Floats of 16 bits, the types of the `half` crate.
pub(super) const HALVES: [&str; 2] = ["f16", "bf16"];

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    /// `bool`, an integer, a float or a half, by name.
    Scalar(&'static str),
    Tuple(Vec<Ty>),
    Array(Box<Ty>, usize),
    /// `F32x4` and the other vectors: lane type and number of lanes.
    Vector(&'static str, usize),
    Option(Box<Ty>),
    Result(Box<Ty>, Box<Ty>),
    /// `&[T]`, of at least two elements.
    Slice(Box<Ty>),
    /// A struct of the module, by number.
    Struct(usize),
    /// An enum of the module, by number.
    Enum(usize),
}

pub(super) const BOOL: Ty = Ty::Scalar("bool");
pub(super) const USIZE: Ty = Ty::Scalar("usize");
pub(super) const U32: Ty = Ty::Scalar("u32");
pub(super) const I32: Ty = Ty::Scalar("i32");
pub(super) const U64: Ty = Ty::Scalar("u64");

impl Ty {
    pub(super) fn is_float(&self) -> bool {
        matches!(self, Self::Scalar("f32" | "f64"))
    }

    pub(super) fn is_int(&self) -> bool {
        matches!(self, Self::Scalar(name) if INTS.contains(name))
    }

    pub(super) fn is_half(&self) -> bool {
        matches!(self, Self::Scalar(name) if HALVES.contains(name))
    }

    pub(super) fn is_signed(&self) -> bool {
        matches!(self, Self::Scalar(name) if self.is_int() && name.starts_with('i'))
    }

    /// Returns the unsigned integer of a signed one's size, or the other way round.
    pub(super) fn other_sign(&self) -> Self {
        let Self::Scalar(name) = self else { unreachable!("only integers have a sign") };
        let at = INTS.iter().position(|int| int == name).expect("an integer");
        Self::Scalar(INTS[(at + 5) % 10])
    }

    /// Returns the type as text.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Scalar(name) => (*name).to_owned(),
            Self::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(Self::name).collect();
                format!("({})", parts.join(", "))
            }
            Self::Array(of, len) => format!("[{}; {len}]", of.name()),
            Self::Vector(lane, lanes) => {
                format!("{}{}x{lanes}", lane[..1].to_uppercase(), &lane[1..])
            }
            Self::Option(of) => format!("Option<{}>", of.name()),
            Self::Result(of, error) => format!("Result<{}, {}>", of.name(), error.name()),
            Self::Slice(of) => format!("&[{}]", of.name()),
            Self::Struct(id) => format!("S{id}"),
            Self::Enum(id) => format!("E{id}"),
        }
    }
}

/// A struct with the types of its fields, which are called `f0`, `f1` and so on, or `0`, `1` in a
/// tuple struct.
#[derive(Clone, Debug)]
pub(super) struct Struct {
    pub(super) fields: Vec<Ty>,
    pub(super) tuple: bool,
    /// True if it implements the module's trait.
    pub(super) measured: bool,
    /// The operators that it implements: `+`, `+=` and so on; `!` and `neg` are prefixes.
    pub(super) operators: Vec<&'static str>,
    /// True if it implements `Sum`.
    pub(super) summed: bool,
    /// True if it is another name of a generic struct.
    pub(super) generic: bool,
}

impl Struct {
    /// Returns the name of a field.
    pub(super) fn field(&self, number: usize) -> String {
        if self.tuple { number.to_string() } else { format!("f{number}") }
    }
}

/// A variant of an enum: its fields, with names (`g0`) or without.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    pub(super) fields: Vec<Ty>,
    pub(super) named: bool,
}

/// An enum; its variants are called `A0`, `A1` and so on.
#[derive(Clone, Debug)]
pub(super) struct Enum {
    pub(super) variants: Vec<Variant>,
}

impl Enum {
    /// Returns true if `as` works on it.
    pub(super) fn is_plain(&self) -> bool {
        self.variants.iter().all(|variant| variant.fields.is_empty())
    }
}

/// The way in which a function takes an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    Value,
    Ref,
    Mut,
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// Its name; with a receiver, the name of the method.
    pub(super) name: String,
    /// The struct whose method it is, and the way in which it takes `self`.
    pub(super) receiver: Option<(usize, Pass)>,
    pub(super) params: Vec<(Ty, Pass)>,
    pub(super) ret: Ty,
}

/// Returns the variable that a place is in.
pub(super) fn root(place: &str) -> &str {
    place.split(['.', '[']).next().expect("splitting gives a part")
}

/// A variable in scope.
#[derive(Clone, Debug)]
pub(super) struct Var {
    /// Its name; `(*v1)` for the value of a reference.
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) mutable: bool,
}
