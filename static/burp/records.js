// Show, beside an identifier, what is known of its record: on hover and on keyboard focus.
// The card lies in the browser's top layer, so that no table cuts it off.
const card = document.getElementById("record-card");
const OPEN_AFTER_MS = 180;
const CLOSE_AFTER_MS = 250;
const GAP_PX = 8;

let shown = null;
let timer = 0;

function source(rec) {
  return rec.closest(".turn")?.querySelector(`.source[data-key="${CSS.escape(rec.dataset.key)}"]`);
}

function open(rec) {
  const entry = source(rec);
  if (!entry || shown === rec) return;
  close();
  const copy = document.createElement("div");
  copy.className = "source";
  copy.dataset.state = entry.dataset.state;
  copy.append(...[...entry.cloneNode(true).childNodes]);
  // The link itself has the focus; a second one in the card would only be in the way of the keyboard.
  copy.querySelectorAll("a").forEach((link) => (link.tabIndex = -1));
  card.replaceChildren(copy);
  card.showPopover();
  place(rec);
  entry.classList.add("is-lit");
  shown = rec;
}

function place(rec) {
  const line = rec.getClientRects()[0];
  const { width, height } = card.getBoundingClientRect();
  const below = line.bottom + GAP_PX + height < innerHeight;
  card.style.left = `${Math.max(GAP_PX, Math.min(line.left, innerWidth - width - GAP_PX))}px`;
  card.style.top = `${below ? line.bottom + GAP_PX : Math.max(GAP_PX, line.top - GAP_PX - height)}px`;
}

function close() {
  clearTimeout(timer);
  if (!shown) return;
  source(shown)?.classList.remove("is-lit");
  shown = null;
  card.hidePopover();
}

function later(action, delay) {
  clearTimeout(timer);
  timer = setTimeout(action, delay);
}

if (card) {
  const rec = (event) => event.target.closest?.(".answer .rec");
  document.addEventListener("mouseover", (event) => {
    const target = rec(event);
    if (target) later(() => open(target), OPEN_AFTER_MS);
    else if (card.contains(event.target)) clearTimeout(timer);
    else if (shown) later(close, CLOSE_AFTER_MS);
  });
  document.addEventListener("focusin", (event) => (rec(event) ? open(rec(event)) : close()));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && shown) {
      event.stopImmediatePropagation();
      close();
    }
  }, { capture: true });
  addEventListener("scroll", close, { passive: true });
}
