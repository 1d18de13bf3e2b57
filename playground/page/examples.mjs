// The examples of the page: kernels of `examples/`, with a launch of each.
import { readFileSync } from "node:fs";

// Returns the items of a Rust file: runs of lines that end with a brace, or a semicolon, in the
// first column.
function items(text) {
  const found = [];
  let item = [];
  for (const line of text.split("\n")) {
    if (item.length || line.trim()) item.push(line);
    if (/^(?:\}|[^ /#].*[;}]$)/.test(line)) {
      found.push(item.join("\n"));
      item = [];
    }
  }
  return found;
}

// Returns the device items of a file, and those of its kernels that are named.
function kernelSource(text, kernels) {
  const wanted = items(text).filter((item) => {
    const kernel = /^#\[kernel\b[^]*?\bfn (\w+)/m.exec(item);
    return kernel ? kernels.includes(kernel[1]) : /^#\[device/m.test(item);
  });
  // Comments of the file are about its program, and the page is to show what the program expects.
  const clean = wanted.map((item) =>
    item.replace(/^(?:\/\/!.*\n|\/\/ .*\n)+\n?/, "").replace(/^#\[expect\(gpu_.*\)\]\n/m, ""));
  const code = clean.join("\n\n");
  const vectors = [...new Set(code.match(/\b(?:Bf|[FIU])\d+x[234]\b/g))].sort();
  const names = vectors.length ? `{${[...vectors, "prelude::*"].join(", ")}}` : "prelude::*";
  const ordering = /\bOrdering::/.test(code) ? "use std::sync::atomic::Ordering;\n" : "";
  return `${ordering}use warpwise::${names};\n\n${code}\n`;
}

// Returns the examples, each with its source text.
export function loadExamples() {
  const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
  return JSON.parse(read("examples.json")).map(({ file, kernels, ...example }) => ({
    ...example,
    source: example.source ?? kernelSource(read(`../../examples/${file}`), kernels),
  }));
}
