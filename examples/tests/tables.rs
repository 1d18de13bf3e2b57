//! The examples that print tables: what they expect is what they count, `docs/learn.md` shows what
//! they print, and its kernels are theirs.
macro_rules! examples {
    ($($name:ident $path:literal)*) => {
        $(
            #[path = $path]
            #[allow(dead_code, reason = "`main` is run when it is an example")]
            mod $name;
        )*

        /// Names, sources, and what they print.
        const EXAMPLES: &[(&str, &str, fn() -> String)] = &[$((
            stringify!($name),
            include_str!($path),
            || $name::tables().unwrap(),
        )),*];
    };
}

examples! {
    atomics_contention "../atomics_contention.rs"
    bank_conflicts "../bank_conflicts.rs"
    block_shapes "../block_shapes.rs"
    coalescing "../coalescing.rs"
    divergence "../divergence.rs"
    occupancy "../occupancy.rs"
}

const PAGE: &str = include_str!("../../docs/learn.md");

/// The blocks of the page in this language.
fn blocks(language: &str) -> impl Iterator<Item = &'static str> {
    let fence = format!("```{language}\n");
    let starts = PAGE.match_indices(&fence).map(|(at, _)| at).collect::<Vec<_>>();
    starts.into_iter().map(move |at| PAGE[at + fence.len()..].split("```").next().unwrap_or(""))
}

#[test]
fn the_page_shows_every_table() {
    for (name, _, tables) in EXAMPLES {
        for table in tables().split("\n\n") {
            let table = table.trim_end();
            let shown = blocks("text").any(|block| block.trim_end() == table);
            assert!(shown, "docs/learn.md should show this table of `{name}`:\n{table}");
        }
    }
}

#[test]
fn the_pages_kernels_are_those_of_the_examples() {
    for block in blocks("rust,ignore") {
        let found = EXAMPLES.iter().any(|(_, source, _)| source.contains(block));
        assert!(found, "no example has\n{block}");
    }
}
