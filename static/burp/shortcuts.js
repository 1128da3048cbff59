// The keys of the shortcut sheet. Single letters can be switched off, and never act while one types.
const SWITCH = "burp-single-keys";
const toggle = document.getElementById("single-keys");
const UNDER_TOPBAR_PX = 76;
const SLACK_PX = 8;
const sheet = document.getElementById("shortcuts");

const lettersOn = () => localStorage.getItem(SWITCH) !== "off";
const isTyping = (target) => target.matches("input, textarea, select, [contenteditable]");

function step(direction) {
  const questions = [...document.querySelectorAll(".question")];
  const top = (question) => Math.round(question.getBoundingClientRect().top);
  const below = questions.find((question) => top(question) > UNDER_TOPBAR_PX) ?? questions.at(-1);
  const above = questions.findLast((question) => top(question) < UNDER_TOPBAR_PX - SLACK_PX) ?? questions[0];
  const next = direction > 0 ? below : above;
  next?.scrollIntoView();
  next?.focus({ preventScroll: true });
}

const ACTIONS = {
  "/": () => document.getElementById("question")?.focus(),
  n: () => document.querySelector('[data-shortcut="new"]')?.click(),
  j: () => step(1),
  k: () => step(-1),
  "?": () => sheet?.togglePopover(),
};

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    const open = document.querySelector("[popover]:popover-open:not(#record-card)");
    if (!open) document.getElementById("stop")?.requestSubmit();
    return;
  }
  if (!lettersOn() || isTyping(event.target) || !(event.key in ACTIONS)) return;
  event.preventDefault();
  ACTIONS[event.key]();
});

if (toggle) {
  toggle.checked = lettersOn();
  toggle.addEventListener("change", () => localStorage.setItem(SWITCH, toggle.checked ? "on" : "off"));
}
