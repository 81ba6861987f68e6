// Elements and the little Markdown of messages, always by text nodes: what a program holds is never taken for HTML.
export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((one) => one !== null && one !== undefined && one !== ""));
  return made;
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*/g;

export function inline(text) {
  const found = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    found.push(text.slice(end, match.index));
    found.push(match[1] ? element("code", {}, match[1]) : element("strong", {}, match[2]));
    end = match.index + match[0].length;
  }
  return [...found, text.slice(end)];
}

// A paragraph, or a fenced block.
export function marked(text) {
  const fenced = /^```\w*\n([\s\S]*)\n```$/.exec(text);
  return fenced ? element("pre", {}, fenced[1]) : element("p", {}, ...inline(text));
}
