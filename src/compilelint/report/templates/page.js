"use strict";
// Filters, search, theme and keys of the report. Without this the page is whole: only these controls are missing.
(() => {
  const one = (name) => document.getElementById(name);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const cards = all("details.finding");
  const form = one("filters"), search = one("search"), help = one("help"), theme = one("theme");
  const texts = new Map();  // what search looks at, made when it is first used

  all(".tools, #filters, .of-root").forEach((part) => { part.hidden = false; });

  const textOf = (card) => {
    if (!texts.has(card)) texts.set(card, card.textContent.toLowerCase());
    return texts.get(card);
  };
  const chosen = (name) => (one(name) ? one(name).value : "");

  const show = () => {
    const severities = new Set(all(".of-severity:checked").map((box) => box.value));
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rule = chosen("of-rule"), file = chosen("of-file"), root = chosen("of-root");
    let shown = 0, whole = 0;
    for (const card of cards) {
      const data = card.dataset;
      const fits = severities.has(data.severity) && (!rule || data.rule === rule) && (!file || data.file === file)
        && (!root || data.roots.split(" ").includes(root)) && words.every((word) => textOf(card).includes(word));
      card.hidden = !fits;
      whole += Number(data.count);
      if (fits) shown += Number(data.count);
    }
    one("shown").textContent = shown === whole ? "" : `${shown} of ${whole} findings shown`;
  };

  const showAll = () => {
    form.reset();
    show();
  };

  const unfold = () => {
    const folded = cards.some((card) => !card.hidden && !card.open);
    cards.forEach((card) => { if (!card.hidden) card.open = folded; });
    one("unfold").textContent = folded ? "Fold all" : "Unfold all";
  };

  const step = (by) => {
    const shown = cards.filter((card) => !card.hidden);
    const at = shown.indexOf(document.activeElement.closest("details.finding"));
    const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : Math.min(Math.max(at + by, 0), shown.length - 1)];
    if (next) next.querySelector("summary").focus();
  };

  // A link of a strip leads to a finding that may be folded or filtered away.
  const reveal = () => {
    const card = document.getElementById(location.hash.slice(1));
    if (!card || !card.matches("details.finding")) return;
    if (card.hidden) showAll();
    card.open = true;
    card.querySelector("summary").focus();
  };

  const remembered = (value) => {
    try {
      if (value === undefined) return localStorage.getItem("compilelint-theme");
      localStorage.setItem("compilelint-theme", value);
    } catch { /* a file opened where nothing may be stored */ }
    return null;
  };
  const themes = ["system", "light", "dark"];
  const setTheme = (name) => {
    if (name === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    theme.textContent = `Theme: ${name}`;
    theme.dataset.now = name;
  };
  const nextTheme = () => {
    const name = themes[(themes.indexOf(theme.dataset.now) + 1) % themes.length];
    setTheme(name);
    remembered(name);
  };

  const keys = {
    "/": () => { if (search) { search.focus(); search.select(); } },
    j: () => step(1),
    k: () => step(-1),
    x: () => { if (form) unfold(); },
    t: nextTheme,
    "?": () => help.showModal(),
    Escape: () => { if (form) showAll(); },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const typing = event.target.matches("input, select, textarea");
    if (typing && event.key === "Escape") event.target.blur();
    else if (!typing && keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
  });

  setTheme(themes.includes(remembered()) ? remembered() : "system");
  theme.addEventListener("click", nextTheme);
  one("keys").addEventListener("click", () => help.showModal());
  window.addEventListener("hashchange", reveal);
  if (form) {
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", show);
    form.addEventListener("reset", () => setTimeout(show));
    one("unfold").addEventListener("click", unfold);
    all("button.of-root").forEach((button) => button.addEventListener("click", () => {
      form.reset();
      one("of-root").value = button.dataset.root;
      show();
      one("findings").focus();
    }));
  }
  reveal();
})();
