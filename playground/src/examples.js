// One program an idiom; the title is the comment in its first line. tests/playground holds them to what they show.
import branches from "./examples/branches.py";
import counters from "./examples/counters.py";
import devices from "./examples/devices.py";
import gradients from "./examples/gradients.py";
import layouts from "./examples/layouts.py";
import modes from "./examples/modes.py";
import selection from "./examples/selection.py";
import values from "./examples/values.py";
import whole from "./examples/whole.py";

const ordered = [branches, values, selection, counters, devices, layouts, gradients, modes, whole];

export const examples = ordered.map((text) => ({ title: text.slice(2, text.indexOf("\n")), text }));
