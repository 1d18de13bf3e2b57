//! Colored output.
use crate::args::When;
use annotate_snippets::{
    Renderer,
    renderer::{AnsiColor, Effects, Style},
};
use std::{env, io::IsTerminal};

/// Color setting of an output stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    is_enabled: bool,
}

impl Paint {
    /// Without color.
    pub(crate) const PLAIN: Self = Self { is_enabled: false };

    /// Returns the setting for `stream`.
    pub(crate) fn for_stream(when: When, stream: &impl IsTerminal) -> Self {
        let is_enabled = match when {
            When::Always => true,
            When::Never => false,
            When::Auto => {
                let unwanted = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                stream.is_terminal() && !unwanted
            }
        };
        Self { is_enabled }
    }

    /// Returns the renderer of snippets.
    pub(crate) const fn renderer(self) -> Renderer {
        if self.is_enabled { Renderer::styled() } else { Renderer::plain() }
    }

    /// Formats `text` in bold `color`.
    pub(crate) fn bold(self, color: AnsiColor, text: &str) -> String {
        if !self.is_enabled {
            return text.to_owned();
        }
        let style = Style::new().fg_color(Some(color.into())).effects(Effects::BOLD);
        format!("{style}{text}{style:#}")
    }
}
