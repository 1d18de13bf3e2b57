// Links the kernels of a built book to the playground: `link_book.mjs MODULE BOOK`. Each program
// whose kernels the playground compiles gets a link to `playground.html` in the folder of the book.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [modulePath, book] = process.argv.slice(2);
const engine = readFileSync(new URL("engine.js", import.meta.url), "utf8");
const createEngine = new Function(`${engine}\nreturn createEngine;`)();
const answer = createEngine(new WebAssembly.Module(readFileSync(modulePath)));

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#x27;": "'", "&amp;": "&" };
const PROGRAM = /<pre><code class="language-rust">([^]*?)<\/code><\/pre>/g;

// Returns the text that a piece of HTML shows.
function shownText(html) {
  return html.replace(/<[^>]*>/g, "").replace(/&(?:lt|gt|quot|#39|#x27|amp);/g, (name) => ENTITIES[name]);
}

function compiles(source) {
  const { bug, errors, kernels } = answer({ source });
  return !bug && !errors.length && kernels.length > 0 && kernels.every((kernel) => !kernel.errors.length);
}

let programs = 0;
let links = 0;
const files = readdirSync(book, { recursive: true });
// The page for printing is not for readers who can follow a link.
for (const file of files.filter((file) => file.endsWith(".html") && file !== "print.html")) {
  const root = "../".repeat(file.split("/").length - 1);
  const path = join(book, file);
  const page = readFileSync(path, "utf8");
  const linked = page.replace(PROGRAM, (block, html) => {
    const source = shownText(html);
    if (!source.includes("#[kernel")) return block;
    programs += 1;
    if (!compiles(source)) return block;
    links += 1;
    const code = Buffer.from(source).toString("base64url");
    return `${block}\n<p><a href="${root}playground.html#code=${code}">Open in the playground</a></p>`;
  });
  if (linked !== page) writeFileSync(path, linked);
}
console.log(`${links} of ${programs} programs with kernels link to the playground`);
