//! Types that the syntax shows.
use crate::{syntax::span::SpanRange, types::Prim};
use syn::Type;

/// A type that the syntax shows.
#[derive(Clone, Debug)]
pub(super) enum KnownType {
    /// An integer, `f32` or `f64`.
    Number(Prim),
    /// An atomic of this type, or a reference to one.
    Atomic(&'static str),
    /// An array, a slice or a reference to one, with the type of its elements.
    Array(Option<Box<KnownType>>),
    Tuple(Vec<Option<KnownType>>),
    /// An integer without a type, of a variable that begins with the literal at this place.
    Counter(SpanRange),
}

impl KnownType {
    pub(super) fn new(ty: &Type) -> Option<Self> {
        Some(match ty {
            Type::Path(path) => {
                let name = path.path.segments.last()?.ident.to_string();
                if let Some(atomic) = ATOMICS.into_iter().find(|known| *known == name) {
                    return Some(Self::Atomic(atomic));
                }
                let prim = Prim::from_name(&path.path.get_ident()?.to_string())?;
                Self::Number(Some(prim).filter(|prim| is_number(*prim))?)
            }
            Type::Paren(inner) => return Self::new(&inner.elem),
            Type::Reference(reference) => match Self::new(&reference.elem)? {
                known @ (Self::Array(_) | Self::Atomic(_)) => known,
                Self::Number(_) | Self::Tuple(_) | Self::Counter(_) => return None,
            },
            Type::Slice(slice) => Self::array(&slice.elem),
            Type::Array(array) => Self::array(&array.elem),
            _ => return None,
        })
    }

    /// Returns the type of an array of `elem`.
    pub(super) fn array(elem: &Type) -> Self {
        Self::Array(Self::new(elem).map(Box::new))
    }

    pub(super) fn number(&self) -> Option<Prim> {
        match self {
            Self::Number(prim) => Some(*prim),
            Self::Array(_) | Self::Atomic(_) | Self::Tuple(_) | Self::Counter(_) => None,
        }
    }

    pub(super) fn integer(&self) -> Option<Prim> {
        self.number().filter(|prim| prim.is_int())
    }

    pub(super) fn atomic(&self) -> Option<&'static str> {
        match self {
            Self::Atomic(name) => Some(name),
            Self::Array(_) | Self::Number(_) | Self::Tuple(_) | Self::Counter(_) => None,
        }
    }
}

const ATOMICS: [&str; 9] = [
    "AtomicBool",
    "AtomicF32",
    "AtomicF64",
    "AtomicI32",
    "AtomicI64",
    "AtomicIsize",
    "AtomicU32",
    "AtomicU64",
    "AtomicUsize",
];

pub(super) fn is_number(prim: Prim) -> bool {
    prim != Prim::Bool && !prim.is_half()
}
