"use strict";
// Search, filters, sorting and theme of the board. Without this the page is whole: only these controls are missing.
(() => {
  const one = (name) => document.getElementById(name);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const body = document.querySelector(".board tbody"), rows = [...body.rows];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

  all(".tools, #filters").forEach((part) => { part.hidden = false; });

  const show = () => {
    const words = one("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const library = one("of-library").value, kind = one("of-kind").value;
    let shown = 0;
    for (const row of rows) {
      const fits = (!library || row.dataset.library === library)
        && (!kind || row.dataset.kind.split(" ").includes(kind)) && words.every((word) => texts.get(row).includes(word));
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    one("count").textContent = `${shown} of ${rows.length} models`;
  };
  ["search", "of-library", "of-kind"].forEach((name) => one(name).addEventListener("input", show));
  one("filters").addEventListener("submit", (event) => event.preventDefault());

  const valueOf = (row, column) => (row.cells[column] ? row.cells[column].textContent.trim() : "");
  const sort = (head, column) => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    all(".board thead th").forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const compare = new Intl.Collator("en", { numeric: true }).compare;
    rows.sort((first, second) => {
      const failed = first.dataset.kind === "failed" && column > 1, also = second.dataset.kind === "failed" && column > 1;
      if (failed !== also) return failed ? 1 : -1;  // what did not run has no numbers: always last
      const order = compare(valueOf(first, column), valueOf(second, column));
      return up ? order : -order;
    });
    body.append(...rows);
  };
  all(".board thead th").forEach((head) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => sort(head, Number(head.dataset.column)));
  });

  const themes = ["system", "light", "dark"];
  one("theme").addEventListener("click", () => {
    const now = document.documentElement.dataset.theme || "system";
    const next = themes[(themes.indexOf(now) + 1) % themes.length];
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    one("theme").textContent = `Theme: ${next}`;
  });
  show();
})();
