//! Byte conversions of numbers, as kernel code: `to_le_bytes`, `from_be_bytes` and their kin. The
//! types differ only in their size, so the text is generated here.
use crate::types::Prim;
use std::fmt::Write as _;

/// Returns the text of all of them. All engines and all supported hosts are little-endian.
pub(crate) fn generate_source() -> String {
    let mut text = String::new();
    for prim in Prim::ALL.into_iter().filter(|prim| *prim != Prim::Bool) {
        of_type(&mut text, prim).expect("a string takes all text");
    }
    text
}

fn of_type(text: &mut String, prim: Prim) -> std::fmt::Result {
    let (ty, unsigned) = (prim.name(), prim.unsigned().name());
    let size = prim.scalar().size().unwrap_or(1);
    let list = |byte: &dyn Fn(u32) -> String, between: &str| {
        (0..size).map(byte).collect::<Vec<_>>().join(between)
    };
    let (to_bits, from_bits) = if prim.is_float() {
        ("self.to_bits()".into(), format!("{ty}::from_bits(bits)"))
    } else {
        (format!("self as {unsigned}"), format!("bits as {ty}"))
    };
    let bytes = list(&|byte| format!("(bits >> {}) as u8", byte * 8), ", ");
    let bits = list(&|byte| format!("(bytes[{byte}] as {unsigned}) << {}", byte * 8), " | ");
    let reversed = list(&|byte| format!("bytes[{}]", size - 1 - byte), ", ");
    write!(
        text,
        "impl {ty} {{
    fn to_le_bytes(self) -> [u8; {size}] {{
        let bits = {to_bits};
        [{bytes}]
    }}
    fn from_le_bytes(bytes: [u8; {size}]) -> {ty} {{
        let bits = {bits};
        {from_bits}
    }}
    fn to_ne_bytes(self) -> [u8; {size}] {{
        self.to_le_bytes()
    }}
    fn from_ne_bytes(bytes: [u8; {size}]) -> {ty} {{
        {ty}::from_le_bytes(bytes)
    }}
    fn to_be_bytes(self) -> [u8; {size}] {{
        let bytes = self.to_le_bytes();
        [{reversed}]
    }}
    fn from_be_bytes(bytes: [u8; {size}]) -> {ty} {{
        {ty}::from_le_bytes([{reversed}])
    }}
}}
"
    )
}
