//! The dictionary of metrics in `docs/metrics.md` equals the table in the code.
use std::{env, fs, path::Path};
use warpwise::counters::metrics::METRICS;

/// The line that the table follows.
const MARK: &str = "<!-- table -->\n";

#[test]
fn the_page_has_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/metrics.md");
    let text = fs::read_to_string(&path).unwrap();
    let (page, _) = text.split_once(MARK).expect("the page has a place for the table");
    let actual = format!("{page}{MARK}\n{}", table());
    if actual != text {
        assert_eq!(
            env::var("BLESS").as_deref(),
            Ok("1"),
            "docs/metrics.md differs: BLESS=1 cargo test -p warpwise-tests --test metrics\n{}",
            similar::TextDiff::from_lines(&text, &actual).unified_diff()
        );
        fs::write(path, actual).unwrap();
    }
}

fn table() -> String {
    let rows = METRICS.iter().map(|metric| {
        let names: Vec<String> = metric.names.iter().map(|name| format!("`{name}`")).collect();
        let difference = match metric.difference {
            "" => String::new(),
            difference => format!(" Difference: {difference}."),
        };
        let (title, unit) = (metric.title, metric.unit);
        let (field, formula) = (metric.field, metric.formula);
        format!("| {} | {title} ({unit}) | {field} | {formula}.{difference} |\n", names.join(", "))
    });
    format!(
        "| metric | quantity | here | definition |\n|---|---|---|---|\n{}",
        rows.collect::<String>()
    )
}
