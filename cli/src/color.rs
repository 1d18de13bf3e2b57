//! Color, where it is wanted.
use crate::args::When;
use annotate_snippets::{
    Renderer,
    renderer::{AnsiColor, Effects, Style},
};
use std::{env, io::IsTerminal};

/// How to print.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// For `stream`.
    pub(crate) fn of(when: When, stream: &impl IsTerminal) -> Self {
        let on = match when {
            When::Always => true,
            When::Never => false,
            When::Auto => {
                let unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                stream.is_terminal() && !unwanted
            }
        };
        Self { on }
    }

    /// What renders snippets.
    pub(crate) const fn renderer(self) -> Renderer {
        if self.on { Renderer::styled() } else { Renderer::plain() }
    }

    /// `text` in `color`, bold.
    pub(crate) fn bold(self, color: AnsiColor, text: &str) -> String {
        if !self.on {
            return text.to_owned();
        }
        let style = Style::new().fg_color(Some(color.into())).effects(Effects::BOLD);
        format!("{style}{text}{style:#}")
    }
}
