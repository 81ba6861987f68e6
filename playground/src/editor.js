// The editor: findings underlined, graphs in the gutter, beliefs under the pointer.
import { python } from "@codemirror/lang-python";
import { syntaxHighlighting, indentUnit } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { EditorView, GutterMarker, gutter, hoverTooltip, keymap } from "@codemirror/view";
import { indentWithTab } from "@codemirror/commands";
import { classHighlighter } from "@lezer/highlight";
import { basicSetup } from "codemirror";
import { element, marked } from "./text.js";

const SEVERITY = { error: "error", warning: "warning", note: "info" };

// Columns of findings count code points, those of the editor UTF-16 units.
function offset(doc, line, column) {
  const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return found.from + [...found.text].slice(0, column - 1).join("").length;
}

class Stretch extends GutterMarker {
  constructor(kind, even) {
    super();
    this.name = even ? `${kind} even` : kind;
  }
  eq(other) {
    return other.name === this.name;
  }
  toDOM() {
    return element("div", { className: this.name });
  }
}

const setStretches = StateEffect.define();
const stretches = StateField.define({
  create: () => RangeSet.empty,
  update(value, change) {
    for (const effect of change.effects) if (effect.is(setStretches)) return effect.value;
    return value.map(change.changes);
  },
});

export class Editor {
  constructor(parent, text, { changed, hover }) {
    const believed = hoverTooltip(async (view, at) => {
      const line = view.state.doc.lineAt(at);
      const found = await hover(line.number, [...line.text.slice(0, at - line.from)].length + 1);
      if (!found?.span) return null;
      const [first, start, last, end] = found.span;
      const { doc } = view.state;
      return {
        pos: offset(doc, first, start),
        end: offset(doc, last, end),
        create: () => ({ dom: element("div", { className: "belief" }, ...found.words.map(marked)) }),
      };
    });
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          stretches,
          gutter({ class: "cm-graphs", markers: (view) => view.state.field(stretches) }),
          basicSetup,
          keymap.of([indentWithTab]),
          indentUnit.of("    "),
          python(),
          syntaxHighlighting(classHighlighter),
          believed,
          EditorView.contentAttributes.of({ "aria-label": "Python program" }),
          EditorView.updateListener.of((update) => update.docChanged && changed()),
        ],
      }),
    });
  }

  get text() {
    return this.view.state.doc.toString().toWellFormed();
  }

  set text(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  goTo(line) {
    const at = offset(this.view.state.doc, line, 1);
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    this.view.focus();
  }

  show(findings, roots) {
    const { doc } = this.view.state;
    const diagnostics = findings.map((one) => {
      const [line, column, endLine, endColumn] = one.span;
      const from = offset(doc, line, column);
      const words = [`${one.code} ${one.message}`, one.why, one.help && `help: ${one.help}`];
      return {
        from,
        to: Math.max(from, offset(doc, endLine, endColumn)),
        severity: SEVERITY[one.severity],
        message: words.filter(Boolean).join("\n"),
      };
    });
    const byLine = new Map();
    for (const { stretches: all } of roots) {
      for (const { kind, part, lines } of all) {
        for (let line = lines[0]; line <= lines[1] && line <= doc.lines; line++) {
          if (!byLine.has(line)) byLine.set(line, new Stretch(kind, kind === "graph" && part % 2 === 0));
        }
      }
    }
    const ranges = [...byLine].map(([line, marker]) => marker.range(doc.line(line).from));
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics), {
      effects: setStretches.of(RangeSet.of(ranges, true)),
    });
  }
}
