//! Slices as arrays and as slices of arrays, sorted arrays, and bytes.
use super::{
    generator::Generator,
    types::{BOOL, Ty, USIZE, Var},
};

/// Texts of bytes, with their lengths.
const TEXTS: [(&str, usize); 4] =
    [("warp", 4), ("a\\n\\0", 3), ("\\xff\\x7f", 2), ("aa b\\\\\\\"", 6)];

impl Generator {
    /// Writes a slice as one or several arrays.
    pub(super) fn view(&mut self, depth: u32) {
        let Some(name) = self.read_memory() else { return self.let_statement() };
        let (of, part, found) = (Ty::Scalar(name), self.part(name), self.name("v"));
        let len = 1 + self.pick(4);
        let array = Ty::Array(Box::new(of.clone()), len);
        match self.pick(8) {
            0 => {
                let start = format!("{} % 30", self.expr(&USIZE, 1, false));
                let (at, array_name) = (self.name("v"), array.name());
                self.line(&format!("let {at} = {start};"));
                let piece = format!("r_{name}[{at}..{at} + {len}]");
                let how = [
                    format!("{piece}.try_into().unwrap()"),
                    format!("<{array_name}>::try_from(&{piece}).unwrap()"),
                    format!("*{piece}.as_array().expect(\"as many\")"),
                ];
                let how = &how[self.pick(3)];
                self.line(&format!("let {found}: {array_name} = {how};"));
                self.vars.push(Var { name: found, ty: array, mutable: false });
            }
            1 => {
                let chunk = ["first_chunk", "last_chunk"][self.pick(2)];
                self.line(&format!("if let Some({found}) = ({part}).{chunk}::<{len}>() {{"));
                self.inside(depth, vec![(format!("(*{found})"), array)]);
            }
            2 => {
                let rest = self.name("v");
                self.line(&format!(
                    "if let Some(({found}, {rest})) = ({part}).split_first_chunk::<{len}>() {{"
                ));
                self.line(&format!("sum = mix(sum, {rest}.len() as u64);"));
                self.inside(depth, vec![(format!("(*{found})"), array)]);
            }
            3 => {
                let other = self.name("v");
                let chunks = ["as_chunks().0", "as_rchunks().1", "array_windows()"][self.pick(3)];
                let start = self.pick(40);
                let test = self.expr(&BOOL, 1, true);
                self.line(&format!("if {test} {{"));
                self.line(&format!(
                    "for [{found}, {other}] in r_{name}[{start}..{}].{chunks} {{",
                    start + 5
                ));
                let own = [found, other].map(|name| (format!("(*{name})"), of.clone()));
                self.inside(depth, own.to_vec());
                self.line("}");
            }
            4 => {
                let rest = format!("({part}).chunks_exact({}).remainder()", 1 + self.pick(7));
                self.line(&format!("let {found} = {rest};"));
                self.line(&format!("sum = mix(sum, {found}.len() as u64);"));
                let first = self.name("v");
                self.line(&format!("if let [{first}, ..] = {found} {{"));
                self.inside(depth, vec![(format!("(*{first})"), of)]);
            }
            5 => self.flattened(&found),
            6 => {
                let other = self.name("v");
                let more = ["", ", _", ", _, .."][self.pick(3)];
                self.line(&format!("if let [{found}, {other}{more}] = *({part}) {{"));
                self.inside(depth, vec![(found, of.clone()), (other, of)]);
            }
            _ => {
                let rows = format!("({part}).as_chunks::<{len}>().0");
                self.line(&format!("let {found} = {rows};"));
                self.line(&format!("if {found}.len() > 1 {{"));
                let ty = Ty::Slice(Box::new(array));
                self.inside(depth, vec![(found, ty)]);
            }
        }
    }

    /// Writes statements up to the closing brace, with more variables in scope.
    fn inside(&mut self, depth: u32, own: Vec<(String, Ty)>) {
        let before = self.vars.len();
        self.vars.extend(own.into_iter().map(|(name, ty)| Var { name, ty, mutable: false }));
        self.statement(depth.saturating_sub(1).min(1));
        for place in self.visible_since(before) {
            if let Ty::Scalar(_) = place.ty {
                self.observe(&place.ty, &place.name);
            }
        }
        self.vars.truncate(before);
        self.line("}");
    }

    /// Writes an array of arrays as one slice.
    fn flattened(&mut self, found: &str) {
        let (of, rows) = (self.scalar(), self.name("v"));
        let row = Ty::Array(Box::new(of.clone()), 1 + self.pick(3));
        let ty = Ty::Array(Box::new(row), 2 + self.pick(2));
        let value = self.expr(&ty, 2, true);
        self.line(&format!("let {rows}: {} = {value};", ty.name()));
        self.line(&format!("let {found} = {rows}.as_flattened();"));
        self.line(&format!("sum = mix(sum, {found}.len() as u64);"));
        self.vars.push(Var { name: rows, ty, mutable: false });
        let ty = Ty::Slice(Box::new(of));
        self.vars.push(Var { name: found.into(), ty, mutable: false });
    }

    /// Writes the bytes of a text, as an array or a slice.
    pub(super) fn text(&mut self) {
        let ((text, len), name) = (TEXTS[self.pick(TEXTS.len())], self.name("v"));
        let of = Box::new(Ty::Scalar("u8"));
        let (name, ty) = if self.chance(50) {
            self.line(&format!("let {name} = b\"{text}\";"));
            (format!("(*{name})"), Ty::Array(of, len))
        } else {
            self.line(&format!("let {name}: &[u8] = b\"{text}\";"));
            (name, Ty::Slice(of))
        };
        self.vars.push(Var { name, ty, mutable: false });
    }

    /// Writes an array that is sorted and searched.
    pub(super) fn sorted(&mut self) {
        let (of, name) = (self.int(), self.name("v"));
        let ty = Ty::Array(Box::new(of.clone()), 1 + self.pick(5));
        let value = self.expr(&ty, 2, true);
        self.line(&format!("let mut {name}: {} = {value};", ty.name()));
        let (a, b) = (self.name("c"), self.name("c"));
        let sort = match self.pick(4) {
            0 => "sort()".into(),
            1 => "sort_unstable()".into(),
            2 => format!("sort_by(|{a}, {b}| {b}.cmp({a}))"),
            _ => {
                let key = self.in_closure(&[(format!("(*{a})"), of.clone())], &of, 1);
                format!("sort_by_key(|{a}| {key})")
            }
        };
        let ordered = matches!(&*sort, "sort()" | "sort_unstable()");
        self.line(&format!("{name}.{sort};"));
        if ordered && self.context.kernel {
            let value = self.expr(&of, 1, false);
            self.line(&format!("sum = mix(sum, {name}.is_sorted() as u64);"));
            let found = match self.pick(5) {
                0 => format!("{name}.partition_point(|{a}| *{a} < {value})"),
                1 => format!("{name}.binary_search(&{value}).is_ok()"),
                2 => format!(
                    "{name}.rsplit(|{a}| *{a} < {value}).map(|{b}| {b}.len()).sum::<usize>()"
                ),
                3 => {
                    let split = format!("{name}.splitn({}, |{a}| *{a} < {value})", self.pick(4));
                    format!("{split}.fold(1, |{b}, {a}| {b} * 7 + {a}.len())")
                }
                _ => {
                    let turns = format!("{name}.iter().cycle().skip({})", self.pick(4));
                    format!(
                        "{turns}.take(5).fold(1, |{b}, {a}| {b} * 2 + (*{a} < {value}) as usize)"
                    )
                }
            };
            self.line(&format!("sum = mix(sum, {found} as u64);"));
        }
        self.vars.push(Var { name, ty, mutable: true });
    }

    /// Writes a change of a part of memory by methods that copy and rotate.
    pub(super) fn change_whole(&mut self, part: &str, of: &Ty) {
        let Ty::Scalar(name) = of else { unreachable!("memory is of scalars") };
        let (element, at) = (self.name("m"), self.pick(4));
        match self.pick(7) {
            6 => {
                let [a, b] =
                    [1, 2].map(|depth| self.without_assignments(|this| this.expr(of, depth, true)));
                let line = match at {
                    0 => format!("({part}[1], ..) = ({a}, {b});"),
                    1 => format!("(_, .., {part}[2]) = ({a}, {part}[3], {b});"),
                    _ => format!("[{part}[1], .., {part}[3]] = [{a}, {part}[2], {part}[0], {b}];"),
                };
                self.line(&line);
            }
            0 => self.line(&format!("{part}.{}({at});", ["rotate_left", "rotate_right"][at % 2])),
            1 => self.line(&format!("{part}[1..5].copy_from_slice(&r_{name}[{at}..{at} + 4]);")),
            2 => self.line(&format!("{part}.copy_within(..3, {at});")),
            3 => {
                self.line(&format!("let ({element}, {element}2) = {part}.split_at_mut(4);"));
                self.line(&format!("{element}.swap_with_slice({element}2);"));
            }
            4 => {
                let value = self.without_assignments(|this| this.expr(of, 2, true));
                self.line(&format!("for {element} in {part}.as_chunks_mut::<3>().0 {{"));
                self.line(&format!("{element}[{}] = {value};", at % 3));
                self.line("}");
            }
            _ => {
                let value = self.without_assignments(|this| this.expr(of, 2, true));
                self.line(&format!("if let Some({element}) = {part}.first_chunk_mut::<2>() {{"));
                self.line(&format!("{element}[1] = {element}[0];"));
                self.line(&format!("{element}[0] = {value};"));
                self.line("}");
            }
        }
    }
}
