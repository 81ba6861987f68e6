// The page: what is typed goes to the worker, what it answers is shown beside the editor.
import { marked as pageOf } from "marked";
import { Asking } from "./asking.js";
import { Editor } from "./editor.js";
import { examples } from "./examples.js";
import { decoded, encoded } from "./link.js";
import { element, inline } from "./text.js";

const WAIT_MS = 150;
const REST_MS = 3_000;
const MOST_GRAPHS = 12;
const by = (id) => document.getElementById(id);
const choice = { example: by("example"), torch: by("torch") };
const shared = await decoded(location.hash.slice(1));
const program = shared ?? { text: examples[0].text, torch: "" };
const editor = new Editor(by("editor"), program.text, {
  changed: () => changed(),
  hover: async (line, column) => (document.documentElement.dataset.checked ? (await asking.ask("hover", line, column)).answer : null),
});

// ------------------------------------------------------------------ showing

function status(text, kind = "") {
  by("status").textContent = text;
  by("status").className = kind;
}

function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

// What the lines of a root come to; where graphs end in functions that it calls, how many there are is all that is known.
function stretchesOf({ stretches, graphs, line }) {
  if (stretches.length || graphs < 1) return stretches;
  const shown = Math.min(graphs, MOST_GRAPHS);
  const note = graphs > 1 ? "they end in functions that are called here" : "";
  return Array.from({ length: shown }, (_, number) => ({ kind: "graph", part: number + 1, note, lines: [line, line] }));
}

function strip(root) {
  const parts = stretchesOf(root).map(({ kind, part, note, lines }) => {
    const words = { graph: `graph ${part}`, break: "", python: "not compiled", nothing: "" }[kind];
    const where = lines[0] === lines[1] ? `line ${lines[0]}` : `lines ${lines[0]} to ${lines[1]}`;
    return element("button", {
      type: "button",
      className: kind === "graph" && part % 2 === 0 ? "graph even" : kind,
      style: `flex: ${lines[1] - lines[0] + 1}`,
      title: [words || { break: "the graph ends", nothing: "no operation" }[kind], where, note].filter(Boolean).join(", "),
      textContent: words,
      onclick: () => editor.goTo(lines[0]),
    });
  });
  const title = element("h2", {}, element("code", {}, root.name), element("span", {}, ` ${root.title}`));
  return element("div", { className: "root" }, title, element("div", { className: "strip" }, ...parts));
}

function finding(one) {
  const rule = element("button", { type: "button", textContent: one.code, title: `${one.summary}: the whole page` });
  rule.onclick = () => showRule(one.code);
  const place = element("button", { type: "button", className: "place", textContent: `line ${one.span[0]}` });
  place.onclick = () => editor.goTo(one.span[0]);
  const kind = [one.effect, ...one.breaks].join(" ");
  const head = [rule, element("span", { className: "quiet" }, `${one.severity}, ${kind}`), place];
  const steps = one.related.map(({ line, text }) => element("li", {}, `line ${line}: `, ...inline(text)));
  return element(
    "li",
    { className: `finding ${one.severity}` },
    element("div", { className: "head" }, ...head),
    element("p", {}, ...inline(one.message)),
    one.why && element("p", { className: "quiet" }, ...inline(one.why)),
    one.help && element("p", {}, "help: ", ...inline(one.help)),
    steps.length ? element("ul", { className: "quiet" }, ...steps) : null,
    element("p", { className: "quiet" }, `confidence: ${one.confidence}`),
  );
}

function fix({ title, safety, diff, text }) {
  const apply = element("button", { type: "button", className: "apply", textContent: "Apply" });
  apply.onclick = () => (editor.text = text);
  const kinds = { "+": "plus", "-": "minus", "@": "at" };
  const lines = diff.map((line) => element("div", { className: kinds[line[0]] ?? "" }, line || " "));
  const words = `fix, ${safety}${safety === "safe" ? "" : ": may change results"}`;
  return element(
    "div",
    { className: "fix" },
    element("div", { className: "head" }, element("span", { className: "quiet" }, words), apply),
    element("p", {}, ...inline(title)),
    element("div", { className: "diff" }, ...lines),
  );
}

function show(answer, took) {
  if (answer.refusal) {
    editor.show([], []);
    by("roots").replaceChildren();
    by("findings").replaceChildren();
    by("notices").replaceChildren();
    return status(answer.refusal, "failed");
  }
  editor.show(answer.findings, answer.roots);
  by("roots").replaceChildren(...answer.roots.map(strip));
  by("findings").replaceChildren(...answer.findings.map(finding));
  const more = answer.hidden ? [{ text: `${counted(answer.hidden, "finding")} with less confidence not shown` }] : [];
  const quiet = answer.suppressed ? [{ text: `${counted(answer.suppressed, "finding")} suppressed by a comment` }] : [];
  by("notices").replaceChildren(
    ...[...answer.notices, ...more, ...quiet].map(({ text }) => element("li", {}, ...inline(text))),
  );
  status(answer.findings.length ? counted(answer.findings.length, "finding") : "Nothing found");
  by("status").title = `checked in ${Math.round(took)} ms`;
  document.documentElement.dataset.took = Math.round(took);
}

async function showRule(code) {
  const { answer: text } = await asking.ask("rule", code);
  by("rule").querySelector("article").innerHTML = pageOf(text); // a page of ours, from this very folder
  by("rule").showModal();
}

// ------------------------------------------------------------------- asking

let timer = 0;
let asked = 0;
let resting = 0;
let isBusy = false;
let isWanted = false;
let unanswered = null; // the program that ended the worker, which is not asked about again

function changed() {
  clearTimeout(timer);
  clearTimeout(resting);
  timer = setTimeout(check, WAIT_MS);
}

async function check() {
  isWanted = true;
  clearTimeout(resting);
  if (isBusy) return;
  isBusy = true;
  try {
    while (isWanted) {
      isWanted = false;
      const mine = ++asked;
      const text = editor.text;
      if (text === unanswered) continue;
      unanswered = text;
      const { answer, took } = await asking.ask("check", text, choice.torch.value);
      unanswered = null;
      if (text !== editor.text) continue; // typed on; that change asks again
      show(answer, took);
      document.documentElement.dataset.checked = mine;
      const { answer: fixes } = await asking.ask("fixes");
      if (isWanted || text !== editor.text) continue;
      for (const one of fixes) by("findings").children[one.finding].append(fix(one));
      document.documentElement.dataset.fixed = mine;
    }
  } catch (error) {
    show({ refusal: `No answer for this program: ${error.message}` });
    document.documentElement.dataset.checked = asked;
  } finally {
    isBusy = false;
  }
  resting = setTimeout(() => asking.ask("rest"), REST_MS);
}

const asking = new Asking({
  ready({ version, torch }) {
    by("version").textContent = `compilelint ${version}`;
    const before = choice.torch.value || program.torch;
    choice.torch.replaceChildren(...torch.map((one) => element("option", { value: one }, one)));
    choice.torch.value = torch.includes(before) ? before : torch[0];
    choice.torch.disabled = false;
    document.documentElement.dataset.ready = Math.round(performance.now());
    check();
  },
  loading({ loaded, total }) {
    const size = total > loaded ? `, ${Math.round(loaded / 1e6)} of ${Math.round(total / 1e6)} MB` : "";
    if (choice.torch.disabled) status(`Loading Python${size}…`, "busy");
  },
  failed: (reason) => status(`Python cannot be loaded: ${reason}`, "failed"),
});

// -------------------------------------------------------------------- start

choice.example.append(
  element("option", { value: "", disabled: true, hidden: true }, "shared"),
  ...examples.map(({ title }, number) => element("option", { value: String(number) }, title)),
);
choice.example.value = shared ? "" : "0";
choice.example.onchange = () => {
  history.replaceState(null, "", location.pathname + location.search);
  editor.text = examples[Number(choice.example.value)].text;
};
choice.torch.onchange = check;
window.onhashchange = async () => {
  const found = await decoded(location.hash.slice(1));
  if (found === null) return;
  choice.example.value = "";
  if ([...choice.torch.options].some((one) => one.value === found.torch)) choice.torch.value = found.torch;
  editor.text = found.text;
  check();
};
by("share").onclick = async () => {
  history.replaceState(null, "", `#${await encoded({ text: editor.text, torch: choice.torch.value })}`);
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  by("share").textContent = copied ? "Copied" : "Link is in the address bar";
  setTimeout(() => (by("share").textContent = "Copy link"), 2000);
};
by("theme").onclick = () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
};
