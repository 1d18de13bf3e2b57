"use strict";
// The page: an editor that is linted while the user types, a form for a launch, and views of what
// the kernel compiles to and does. `createEngine` runs in a worker, which is replaced when it does
// not answer.

const LINT_DELAY_MS = 200;
const MAX_ANSWER_MS = 30000;
const FILLS = ["zeros", "ones", "index", "index % 10", "random"];
const UNSET_LAUNCH = { kernel: "", grid: [1, 1, 1], block: [32, 1, 1], args: [] };
const VIEWS = ["Results", "Counters", "Accesses", "Verdicts", "PTX", "IR"];

const find = (id) => document.getElementById(id);
const source = find("source");

// An element with a class and children, which are elements or text.
function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// ---- The worker ----

async function moduleBytes() {
  const packed = Uint8Array.from(atob(MODULE), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

const bytes = moduleBytes();
let worker = null;
let asked = 0;
let pending = null;
let waiting = null;

async function startWorker() {
  const url = URL.createObjectURL(new Blob([ENGINE, WORKER], { type: "text/javascript" }));
  const started = new Worker(url);
  URL.revokeObjectURL(url);
  started.onmessage = ({ data }) => {
    if (data.failed) return say(`The module does not start: ${data.failed}`);
    if (pending && pending.id === data.id) finish(data.response);
  };
  started.postMessage(await bytes);
  return started;
}

function finish(response) {
  clearTimeout(pending.timer);
  const { show } = pending;
  pending = null;
  show(response);
  if (waiting) {
    const next = waiting;
    waiting = null;
    ask(next.request, next.show);
  }
}

// Asks the worker. While it is busy, only the latest request is kept.
async function ask(request, show) {
  if (pending) {
    if (!waiting || !waiting.request.launch || request.launch) waiting = { request, show };
    return;
  }
  const id = ++asked;
  pending = { id, show, timer: setTimeout(() => restart(id), MAX_ANSWER_MS) };
  worker ??= startWorker();
  const current = await worker;
  if (pending && pending.id === id) current.postMessage({ id, request });
}

async function restart(id) {
  const hung = worker;
  worker = null;
  (await hung).terminate();
  if (pending && pending.id === id) {
    finish({ bug: `no answer in ${MAX_ANSWER_MS / 1000} seconds`, errors: [], kernels: [] });
  }
}

// ---- The editor ----

const TOKENS = [
  ["note", /\/\/[^\n]*|\/\*[^]*?\*\//y],
  ["literal", /"(?:\\[^]|[^"\\])*"|'(?:\\.|[^'\\\n])'|\b\d[\w.]*(?<!\.)/y],
  ["attribute", /#!?\[[^\]\n]*\]?/y],
  ["word", /\b(?:as|break|const|continue|else|enum|false|fn|for|if|impl|in|let|loop|match|mut|pub|return|self|Self|struct|trait|true|type|unsafe|use|where|while)\b/y],
  ["name", /\b(?:bool|char|[iu](?:8|16|32|64|128|size)|b?f(?:16|32|64)|Atomic\w+|[A-Z]\w*|\w+!?(?=\())/y],
  ["", /\w+|\s+|[^]/y],
];

function highlight(text) {
  const pieces = [];
  let at = 0;
  let plain = 0;
  while (at < text.length) {
    for (const [className, pattern] of TOKENS) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (!match || match[0] === "") continue;
      if (className) {
        pieces.push(text.slice(plain, at), make("span", className, match[0]));
        plain = at + match[0].length;
      }
      at += match[0].length;
      break;
    }
  }
  pieces.push(text.slice(plain));
  return pieces;
}

// The offset of a line and a column in `text`, which count characters from 1.
function offset(lines, line, column) {
  const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const characters = [...(lines[line - 1] ?? "")].slice(0, column - 1);
  return before + characters.join("").length;
}

let problems = [];

function drawEditor() {
  const text = source.value;
  // A final line break has no height of its own.
  find("highlight").replaceChildren(...highlight(text), "\n");
  const lines = text.split("\n");
  const levels = new Map();
  const spans = [];
  for (const { level, span } of problems) {
    if (!span) continue;
    if (level === "deny" || !levels.has(span.line)) levels.set(span.line, level);
    const start = offset(lines, span.line, span.column);
    const end = offset(lines, span.end_line, span.end_column);
    if (end > start) spans.push({ level, start, end });
  }
  spans.sort((a, b) => a.start - b.start);
  const marks = [];
  let at = 0;
  for (const { level, start, end } of spans) {
    if (start < at) continue;
    marks.push(text.slice(at, start), make("span", level, text.slice(start, end)));
    at = end;
  }
  find("marks").replaceChildren(...marks, text.slice(at), "\n");
  const numbers = lines.flatMap((_, index) => {
    const level = levels.get(index + 1);
    const number = String(index + 1);
    return [level ? make("span", level, number) : number, "\n"];
  });
  find("gutter").replaceChildren(...numbers);
}

function goTo(span) {
  const lines = source.value.split("\n");
  source.focus();
  source.setSelectionRange(
    offset(lines, span.line, span.column),
    offset(lines, span.end_line, span.end_column),
  );
  const height = find("gutter").scrollHeight / lines.length;
  find("editor").scrollTop = Math.max(0, (span.line - 4) * height);
}

let leaves = false;
source.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  } else if (event.key === "Escape") {
    leaves = true;
  } else if (event.key === "Tab" && !event.shiftKey && !leaves) {
    event.preventDefault();
    source.setRangeText("    ", source.selectionStart, source.selectionEnd, "end");
    changed();
  } else if (event.key !== "Tab" && event.key !== "Shift") {
    leaves = false;
  }
});
source.addEventListener("blur", () => (leaves = false));
source.addEventListener("input", () => changed());

let timer = 0;
function changed() {
  problems = [];
  drawEditor();
  clearTimeout(timer);
  timer = setTimeout(lint, LINT_DELAY_MS);
}

// ---- Findings ----

let kernels = [];
let launched = null;

function say(text) {
  find("status").textContent = text;
}

function lint() {
  ask({ source: source.value }, (response) => {
    showCompilation(response);
    showView();
  });
}

function showCompilation(response) {
  const errors = [...response.errors, ...response.kernels.flatMap((kernel) => kernel.errors)];
  const all = errors.map((error) => ({ ...error, level: "deny" }));
  for (const kernel of response.kernels) {
    for (const finding of kernel.findings ?? []) {
      const known = all.some((other) => JSON.stringify(other) === JSON.stringify(finding));
      if (!known) all.push(finding);
    }
  }
  if (response.bug) {
    all.push({ level: "deny", message: `Warpwise has a bug here, please report it: ${response.bug}` });
  }
  problems = all;
  // While the text is wrong, the form keeps the parameters of the last kernels.
  if (response.kernels.some((kernel) => kernel.params)) {
    kernels = response.kernels.filter((kernel) => kernel.params);
    drawForm();
  }
  drawEditor();
  drawFindings();
  const count = (level, noun) => {
    const number = all.filter((finding) => finding.level === level).length;
    return `${number} ${noun}${number === 1 ? "" : "s"}`;
  };
  say(`${count("deny", "error")}, ${count("warn", "warning")}`);
}

function drawFindings() {
  const items = problems.map(({ level, lint, message, span, labels, notes, help }) => {
    const item = make("li", level);
    const where = span ? `line ${span.line}: ` : "";
    const button = make("button", "", `${where}${message}`);
    button.type = "button";
    if (span) button.addEventListener("click", () => goTo(span));
    item.append(button);
    if (lint) item.append(make("div", "extra", lint));
    for (const label of labels ?? []) {
      item.append(make("div", "extra", `because ${label.text} (line ${label.line})`));
    }
    for (const note of notes ?? []) item.append(make("div", "extra", `note: ${note}`));
    if (help) item.append(make("div", "", `help: ${help}`));
    return item;
  });
  if (!items.length) items.push(make("li", "fine", "The lints find nothing."));
  find("findings").replaceChildren(...items);
}

// ---- The launch ----

// The launch as the form shows it.
let launch = UNSET_LAUNCH;

function currentKernel() {
  return kernels.find((kernel) => kernel.name === launch.kernel) ?? kernels[0];
}

function number(value, label, change) {
  const input = make("input");
  input.type = "number";
  input.step = "any";
  input.value = value;
  input.setAttribute("aria-label", label);
  input.addEventListener("change", () => change(Number(input.value)));
  return input;
}

function select(options, value, label, change) {
  const list = make("select");
  list.setAttribute("aria-label", label);
  for (const text of options.includes(value) ? options : [...options, value]) {
    list.append(new Option(text, text));
  }
  list.value = value;
  list.addEventListener("change", () => change(list.value));
  return list;
}

function drawForm() {
  const kernel = currentKernel();
  if (!kernel) return;
  launch.kernel = kernel.name;
  const { params } = kernel;
  launch.args = params.map((param, index) => {
    const old = launch.args[index];
    if (param.kind === "scalar") return typeof old === "number" ? old : 1;
    return typeof old === "object" ? old : { len: 256, fill: "index" };
  });
  if (kernel.block) launch.block = kernel.block;
  const rows = [];
  const row = (name, ...children) => rows.push(make("div", "row", make("span", "", name), ...children));
  if (kernels.length > 1) {
    const names = kernels.map(({ name }) => name);
    row("kernel", select(names, kernel.name, "kernel", (name) => {
      launch.kernel = name;
      drawForm();
      showView();
    }));
  }
  const dims = (name) => launch[name].map((dim, axis) => {
    const input = number(dim, `${name}, ${"xyz"[axis]}`, (value) => (launch[name][axis] = value));
    input.min = 1;
    input.step = 1;
    input.disabled = name === "block" && Boolean(kernel.block);
    return input;
  });
  row("grid", ...dims("grid"));
  row("block", ...dims("block"), kernel.block ? "declared" : null);
  params.forEach((param, index) => {
    const arg = launch.args[index];
    const type = param.kind === "scalar" ? param.type : `[${param.type}]`;
    if (param.kind === "scalar") {
      const change = (value) => (launch.args[index] = value);
      return row(param.name, number(arg, param.name, change), make("span", "soft", type));
    }
    const length = number(arg.len, `length of ${param.name}`, (value) => (arg.len = value));
    length.min = 0;
    length.step = 1;
    const fill = select(FILLS, arg.fill, `contents of ${param.name}`, (value) => (arg.fill = value));
    row(param.name, length, fill, make("span", "soft", type));
  });
  const button = make("button", "run", "Run");
  button.type = "submit";
  rows.push(make("div", "row", button));
  find("launch").replaceChildren(...rows);
}

find("launch").addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});

function run() {
  clearTimeout(timer);
  say("running");
  const request = { source: source.value, launch: structuredClone(launch) };
  ask(request, (response) => {
    launched = response.launch ?? null;
    showCompilation(response);
    showOutcome();
    showView();
  });
}

function showOutcome() {
  const lines = [];
  const add = (bad, text, span) => {
    const line = make("p", bad ? "bad" : "", span ? `${text} (line ${span.line})` : text);
    lines.push(line);
  };
  if (launched?.error) add(true, launched.error);
  if (launched?.stopped) add(true, launched.stopped.text, launched.stopped.span);
  if (launched?.fault) {
    const { message, span, block, thread, count } = launched.fault;
    const others = count > 1 ? ` and ${count - 1} more` : "";
    add(true, `thread (${thread}) of block (${block})${others}: ${message}`, span);
  }
  for (const finding of launched?.findings ?? []) add(true, `${finding.severity}: ${finding.text}`);
  if (launched && !lines.length) add(false, "The launch ended without faults; the sanitizer finds nothing.");
  find("outcome").replaceChildren(...lines);
}

// ---- Views ----

let view = VIEWS[0];

function drawTabs() {
  const buttons = VIEWS.map((name) => {
    const button = make("button", "", name);
    button.type = "button";
    button.id = `tab-${name}`;
    button.setAttribute("role", "tab");
    button.setAttribute("aria-controls", "panel");
    button.addEventListener("click", () => selectView(name));
    return button;
  });
  find("tabs").replaceChildren(...buttons);
  find("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = (VIEWS.indexOf(view) + step + VIEWS.length) % VIEWS.length;
    selectView(VIEWS[next]);
    find(`tab-${view}`).focus();
  });
}

function selectView(name) {
  view = name;
  showView();
}

function showView() {
  for (const name of VIEWS) {
    const tab = find(`tab-${name}`);
    tab.setAttribute("aria-selected", String(name === view));
    tab.tabIndex = name === view ? 0 : -1;
  }
  find("panel").setAttribute("aria-labelledby", `tab-${view}`);
  const views = { Results: results, Counters: counters, Accesses: accesses, Verdicts: verdicts, PTX: ptx, IR: ir };
  const content = views[view]();
  find("panel").replaceChildren(...content);
}

const hint = (text) => [make("p", "soft", text)];
const hasCounts = () => launched && !launched.error;

function results() {
  if (!hasCounts()) return hint("Run the kernel to see its buffers.");
  const parts = [];
  if (launched.printed) parts.push(make("h3", "", "printed"), make("pre", "", launched.printed));
  const buffers = [...launched.buffers].sort((a, b) => b.written - a.written);
  for (const { name, type, len, written, head } of buffers) {
    const shown = head.length < len ? `, the first ${head.length}` : "";
    parts.push(make("h3", "", `${name}: ${len} of ${type}${shown}${written ? "" : ", read only"}`));
    const values = head.map((value) => make("span", "", value));
    parts.push(make("div", "values", ...values));
  }
  return parts;
}

// A table; the columns from the number `left` on are texts.
function table(names, rows, left = names.length) {
  const head = names.map((name, index) => make("th", index >= left ? "left" : "", name));
  const body = make("tbody", "", ...rows);
  return make("table", "", make("thead", "", make("tr", "", ...head)), body);
}

const separated = (count) => (count === 0 ? "" : count.toLocaleString("en").replaceAll(",", "\u202f"));

// The columns of counters: name, text, and the excess that colours it.
const COLUMNS = [
  ["instructions", (counts) => separated(counts.warp_instructions)],
  ["threads", (counts) => (counts.warp_instructions
    ? (counts.thread_instructions / counts.warp_instructions).toFixed(1) : "")],
  ["divergent", (counts) => separated(counts.divergent_branches)],
  ["sectors needed", ({ global }) => separated(global.ideal)],
  ["sectors", ({ global }) => separated(global.sectors), ({ global }) => global.sectors - global.ideal],
  ["wavefronts needed", ({ shared }) => separated(shared.ideal)],
  ["wavefronts", ({ shared }) => separated(shared.wavefronts), ({ shared }) => shared.wavefronts - shared.ideal],
  ["atomics", (counts) => separated(counts.atomics)],
];

function counters() {
  if (!hasCounts()) return hint("Run the kernel to count what a GPU would do.");
  const text = source.value.split("\n");
  const columns = COLUMNS.filter(([, cell]) => launched.lines.some(({ counts }) => cell(counts)));
  const excesses = launched.lines.flatMap(({ counts }) => columns.map(([, , excess]) => excess?.(counts) ?? 0));
  const most = Math.max(1, ...excesses);
  const cells = (counts, isLine) => columns.map(([, cell, excess]) => {
    const element = make("td", "", cell(counts));
    if (excess && isLine) {
      element.className = "heat";
      element.style.setProperty("--h", Math.max(0, excess(counts)) / most);
    }
    return element;
  });
  const rows = launched.lines.map(({ line, counts }) => {
    const code = make("td", "code", (text[line - 1] ?? "").trim());
    return make("tr", "", make("th", "", String(line)), ...cells(counts, true), code);
  });
  rows.push(make("tr", "", make("th", "", "all"), ...cells(launched.total, false), make("td")));
  const note = "Instructions of warps and their active threads; sectors of 32 bytes of global memory; wavefronts of "
    + "shared memory. Colour: more than needed.";
  return [make("p", "soft small", note), table(["line", ...columns.map(([name]) => name), ""], rows)];
}

function accesses() {
  if (!hasCounts()) return hint("Run the kernel to see which memory its warps access.");
  if (!launched.accesses.length) return hint("The kernel accesses no memory.");
  return launched.accesses.flatMap((found) => {
    const { span, memory, space, access, bytes, taken, ideal, block, warp, drawing } = found;
    const unit = space === "global" ? "sectors" : "wavefronts";
    const title = `line ${span.line}: ${access} of ${bytes} bytes a lane, ${space} memory \`${memory}\``;
    const text = `${separated(taken)} ${unit}, ${separated(ideal)} needed; the worst request, of warp ${warp} of block ${block}:`;
    const picture = make("div");
    picture.innerHTML = drawing;
    return [make("h3", "", title), make("p", "small", text), picture];
  });
}

function verdicts() {
  const kernel = currentKernel();
  if (!kernel) return hint("There is no kernel.");
  const order = { bad: 0, unknown: 1, good: 2 };
  const sorted = [...kernel.verdicts].sort((a, b) => order[a.answer] - order[b.answer]);
  const rows = sorted.map(({ span, what, answer, why, help }) => {
    const words = { bad: "proved bad", unknown: "cannot tell", good: "proved good" }[answer];
    const reason = make("td", "left", why);
    if (help && answer !== "good") reason.append(make("div", "soft", `help: ${help}`));
    return make("tr", "", make("th", "", String(span.line)), make("td", answer, words), make("td", "left", what), reason);
  });
  return [table(["line", "verdict", "what", "why"], rows, 2)];
}

function ptx() {
  const kernel = currentKernel();
  if (!kernel) return hint("There is no kernel.");
  return kernel.ptx ? [make("pre", "", kernel.ptx)] : hint(kernel.ptx_error);
}

function ir() {
  const kernel = currentKernel();
  return kernel ? [make("pre", "", kernel.ir)] : hint("There is no kernel.");
}

// ---- Examples and links ----

function showExample(name) {
  const example = EXAMPLES.find((example) => example.name === name) ?? EXAMPLES[0];
  find("examples").value = example.name;
  show(example.source, example.launch);
  run();
}

function show(text, newLaunch) {
  source.value = text;
  launch = structuredClone(newLaunch);
  kernels = [];
  launched = null;
  showOutcome();
  drawEditor();
  find("editor").scrollTop = 0;
}

// Returns the text of a link `#code=..`: UTF-8 in base64 for addresses.
function linkedText(code) {
  const binary = atob(code.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)));
}

// Shows what the address names: an example, or a text, which is only linted until the user runs it.
function showLinked() {
  const [, code] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
  if (!code) return showExample(location.hash.slice(1));
  find("examples").value = "";
  show(linkedText(code), UNSET_LAUNCH);
  lint();
}

function start() {
  drawTabs();
  for (const { name, title } of EXAMPLES) find("examples").append(new Option(title, name));
  find("examples").addEventListener("change", () => {
    history.replaceState(null, "", `#${find("examples").value}`);
    showExample(find("examples").value);
  });
  addEventListener("hashchange", showLinked);
  say("starting");
  showLinked();
}

start();
