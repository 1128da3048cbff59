// Arrow keys in the tree of a stored result, beside what the browser's own disclosures do: up and down go through
// what is open, right opens or goes in, left closes or goes out.
const tree = document.getElementById("tree");

const shown = () => [...(tree?.querySelectorAll("summary, a") ?? [])].filter((node) => node.checkVisibility());

function step(from, by) {
  const all = shown();
  all[all.indexOf(from) + by]?.focus();
}

function outward(from) {
  from.closest("ul")?.closest("details")?.querySelector("summary")?.focus();
}

const KEYS = {
  ArrowDown: (node) => step(node, 1),
  ArrowUp: (node) => step(node, -1),
  Home: () => shown()[0]?.focus(),
  End: () => shown().at(-1)?.focus(),
  ArrowRight: (node) => {
    const details = node.matches("summary") ? node.parentElement : null;
    if (details && !details.open) details.open = true;
    else if (details) step(node, 1);
  },
  ArrowLeft: (node) => {
    const details = node.matches("summary") ? node.parentElement : null;
    if (details?.open) details.open = false;
    else outward(details ?? node);
  },
};

tree?.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const node = event.target.closest("summary, a");
  if (!node || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key](node);
});

// A filter runs with Ctrl and Enter too: Enter alone begins a new line.
document.getElementById("artifact-filter")?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.form.requestSubmit();
});
