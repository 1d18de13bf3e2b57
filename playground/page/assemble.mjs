// Makes the page of its parts and of a WebAssembly module: `assemble.mjs MODULE PAGE`.
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { loadExamples } from "./examples.mjs";

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
// No text of a script may end it.
const literal = (value) => JSON.stringify(value).replaceAll("</", "<\\/");

const [modulePath, pagePath] = process.argv.slice(2);
const packed = gzipSync(readFileSync(modulePath), { level: 9 });
const parts = {
  STYLE: read("page.css") + read("../../compiler/src/drawing/style.css"),
  EXAMPLES_JSON: literal(loadExamples()),
  ENGINE_TEXT: literal(read("engine.js")),
  WORKER_TEXT: literal(read("worker.js")),
  MODULE_BASE64: packed.toString("base64"),
  SCRIPT: read("page.js"),
};
const pattern = new RegExp(Object.keys(parts).join("|"), "g");
const page = read("page.html").replace(pattern, (name) => parts[name]);
writeFileSync(pagePath, page);
console.log(`${pagePath}: ${page.length} bytes; the module has ${packed.length} bytes, compressed`);
