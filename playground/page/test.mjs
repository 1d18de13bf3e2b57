// Tests of the WebAssembly module: `test.mjs MODULE NATIVE PAGE`. NATIVE is the program
// `examples/answer`, whose answers the module has to give, too.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { loadExamples } from "./examples.mjs";

const [modulePath, native, pagePath] = process.argv.slice(2);
const engine = readFileSync(new URL("engine.js", import.meta.url), "utf8");
const createEngine = new Function(`${engine}\nreturn createEngine;`)();
const bytes = readFileSync(modulePath);
const answer = createEngine(new WebAssembly.Module(bytes));

function lints() {
  const source = "use warpwise::prelude::*; #[kernel]\nfn k(x: &[f32], y: &mut [f32]) {\n    let i = thread_idx_x();\n    y[i] = x[8 * i];\n}\n";
  const [kernel] = answer({ source }).kernels;
  const finding = kernel.findings.find(({ lint }) => lint === "gpu_uncoalesced_accesses");
  assert.deepEqual([finding.span.line, finding.span.column], [4, 12]);
  assert.match(kernel.ptx, /\.entry k/);
}

function results() {
  const saxpy = loadExamples().find(({ name }) => name === "saxpy");
  const { launch } = answer(saxpy);
  assert.deepEqual(launch.buffers[1].head.slice(0, 3), ["1.0", "3.5", "6.0"]);
  assert.equal(launch.total.global.sectors, 375);
}

function sameAsNative() {
  const requests = loadExamples();
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join("");
  const lines = execFileSync(native, { input, maxBuffer: 1 << 28 }).toString().trim().split("\n");
  requests.forEach((request, index) => {
    const ours = answer(request);
    assert.equal(ours.bug, undefined, request.name);
    assert.equal(ours.launch.error, undefined, request.name);
    assert.deepEqual(ours, JSON.parse(lines[index]), request.name);
  });
  return requests.length;
}

// Without a clock, too.
function endsSpinning() {
  const source = "use std::sync::atomic::Ordering;\nuse warpwise::prelude::*;\n"
    + "#[kernel] fn k(x: &[AtomicU32]) { while x[0].load(Ordering::Relaxed) == 0 {} }";
  const launch = { kernel: "k", grid: [3, 1, 1], block: [64, 1, 1], args: [{ len: 1, fill: "zeros" }] };
  assert.match(answer({ source, launch }).launch.stopped.text, /^livelock/);
}

function recovers() {
  // Deeper than the stack of the module.
  const deep = `#[kernel] fn k(x: &mut [bool]) { x[0] = ${"!".repeat(400000)}true; }`;
  assert.match(answer({ source: deep }).bug, /\S/);
  results();
}

function pageHasTheModule() {
  const page = readFileSync(pagePath, "utf8");
  const packed = /const MODULE = "([^"]+)"/.exec(page)[1];
  assert.ok(gunzipSync(Buffer.from(packed, "base64")).equals(bytes));
  assert.doesNotMatch(page, /\b(?:src|href)=|@import|fetch\(/);
}

// A page of a book gets a link to each program that compiles, which holds the program's text.
function linksBooks() {
  const book = mkdtempSync(join(tmpdir(), "book-"));
  try {
    const program = (body) => `#[kernel] fn k(x: &mut [f32]) { ${body} } // ä`;
    const html = (text) => `<pre><code class="language-rust">${text.replaceAll("&", "&amp;")}</code></pre>\n`;
    const programs = [program("x[0] = 1.0;"), program("x[0] = absent();"), "fn main() {}"];
    writeFileSync(join(book, "page.html"), programs.map(html).join(""));
    const script = new URL("link_book.mjs", import.meta.url).pathname;
    const said = execFileSync("node", [script, modulePath, book]).toString();
    assert.equal(said, "1 of 2 programs with kernels link to the playground\n");
    const linked = readFileSync(join(book, "page.html"), "utf8");
    const links = [...linked.matchAll(/href="playground\.html#code=([\w-]+)"/g)];
    const [linkedText] = /function linkedText[^]*?\n\}/.exec(readFileSync(pagePath, "utf8"));
    const read = new Function(`${linkedText}\nreturn linkedText;`)();
    assert.deepEqual(links.map(([, code]) => read(code)), programs.slice(0, 1));
  } finally {
    rmSync(book, { recursive: true });
  }
}

lints();
results();
const count = sameAsNative();
endsSpinning();
recovers();
pageHasTheModule();
linksBooks();
console.log(`the module lints, answers ${count} requests as the native interpreter does, and recovers from a trap`);
