//! Answers the requests on its standard input, one a line, as the page's module does.
use std::io::{self, BufRead as _, Write as _};

fn main() -> io::Result<()> {
    for request in io::stdin().lock().lines() {
        writeln!(io::stdout(), "{}", warpwise_playground::answer(&request?))?;
    }
    Ok(())
}
