//! References that are selected at run time, and ranges in variables.
use super::{
    generator::Generator,
    types::{BOOL, Ty, USIZE, Var},
};

impl Generator {
    /// Writes a slice that is one of several parts of memory, and perhaps assigned again.
    pub(super) fn chosen_slice(&mut self) {
        let Some(name) = self.read_memory() else { return self.let_statement() };
        let (slice, test) = (self.name("v"), self.expr(&BOOL, 2, true));
        let (yes, no) = (self.part(name), self.part(name));
        let again = self.chance(50);
        let keyword = if again { "let mut" } else { "let" };
        self.line(&format!("{keyword} {slice} = if {test} {{ {yes} }} else {{ {no} }};"));
        if again {
            let test = self.expr(&BOOL, 1, true);
            let from = self.pick(3);
            self.line(&format!("while {slice}.len() > {} && {test} {{", 4 + from));
            self.line(&format!("{slice} = &{slice}[1..];"));
            self.line("}");
        }
        self.line(&format!("sum = mix(sum, {slice}.len() as u64);"));
        let ty = Ty::Slice(Box::new(Ty::Scalar(name)));
        self.vars.push(Var { name: slice, ty, mutable: false });
    }

    /// Writes a reference to one of two values.
    pub(super) fn chosen(&mut self) {
        let (ty, test) = (self.scalar(), self.expr(&BOOL, 2, true));
        // Constants are not in memory.
        let places = self.places().into_iter();
        let places: Vec<Var> =
            places.filter(|place| place.ty == ty && !place.name.starts_with(['K', 'N'])).collect();
        if places.is_empty() {
            return self.let_statement();
        }
        let [yes, no] = [(); 2].map(|()| &places[self.pick(places.len())].name);
        let (name, value) = (self.name("v"), self.name("v"));
        self.line(&format!(
            "let {name}: &{} = if {test} {{ &{yes} }} else {{ &{no} }};",
            ty.name()
        ));
        self.line(&format!("let {value} = *{name};"));
        self.vars.push(Var { name: value, ty, mutable: false });
    }

    /// Writes a reference to one of two of the thread's own elements, and an assignment through it.
    /// Variables would not do, as they have no address.
    pub(super) fn chosen_place(&mut self) {
        let Some(of) = self.read_memory() else { return self.let_statement() };
        let (name, test) = (self.name("m"), self.expr(&BOOL, 2, true));
        let (first, second) = (self.written(of, 1), self.written(of, 1));
        let value = self.without_assignments(|this| this.expr(&Ty::Scalar(of), 2, true));
        let kept = self.name("v");
        self.line(&format!("let {kept} = {value};"));
        self.line(&format!("let {name} = if {test} {{ &mut {first} }} else {{ &mut {second} }};"));
        self.line(&format!("*{name} = {kept};"));
    }

    /// Writes a range in a variable, and uses of it.
    pub(super) fn range_value(&mut self) {
        let (name, value) = (self.name("v"), self.expr(&USIZE, 2, true));
        let start = self.expr(&USIZE, 1, false);
        let (test, more) = (self.expr(&USIZE, 1, true), 1 + self.pick(9));
        self.line(&format!("let {name} = ({start} % 30)..(30 + {value} % 30);"));
        self.line(&format!("sum = mix(sum, {name}.contains(&{test}) as u64);"));
        self.line(&format!("sum = mix(sum, ({name}.len() + {name}.start + {name}.end) as u64);"));
        if let Some(of) = self.read_memory() {
            self.line(&format!("let p{name} = &r_{of}[{name}.clone()];"));
            let first = format!("p{name}[0]");
            self.observe(&Ty::Scalar(of), &first);
        }
        let each = self.name("v");
        self.line(&format!("for {each} in {name}.step_by({more}) {{"));
        self.line(&format!("sum = mix(sum, {each} as u64);"));
        self.line("}");
    }
}
