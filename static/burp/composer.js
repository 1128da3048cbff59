// The question box: Enter sends, drafts survive a reload, examples fill it, nothing is sent twice.
const form = document.getElementById("ask");
const box = document.getElementById("question");
const KEYCODE_OF_COMPOSITION = 229;

const draftKey = form && `burp-draft-${form.dataset.draft}`;
const isLive = () => form.hasAttribute("ws-send");
const countTurns = () => document.querySelectorAll(".turn").length;
const isAnswering = () => Boolean(document.getElementById("stop"));

let turnsBefore = 0;

function say(text) {
  document.getElementById("composer-error").textContent = text;
}

function fill(text) {
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  box.focus();
  box.setSelectionRange(text.length, text.length);
}

function keepDraft() {
  // Per tab: two tabs of one session don't overwrite each other.
  if (box.value) sessionStorage.setItem(draftKey, box.value);
  else sessionStorage.removeItem(draftKey);
}

function refuseEmptyOrEarly(event) {
  if (event.target !== form) return;
  const refusal = !box.value.trim() ? "Type a question first." : isAnswering() ? "Wait for this answer, or stop it first." : "";
  say(refusal);
  if (refusal) {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else if (!isLive()) {
    sessionStorage.removeItem(draftKey);
  }
}

function onExample(event) {
  const example = event.target.closest("[data-question]");
  if (!example || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const question = example.dataset.question;
  if (example.matches(".example") && box.value.trim() === question) form.requestSubmit();
  else fill(question);
}

function afterMessage() {
  if (!box.readOnly) return;
  const refused = document.getElementById("composer-error").textContent !== "";
  if (!refused && countTurns() === turnsBefore) return;
  box.readOnly = false;
  if (!refused) {
    box.value = "";
    keepDraft();
  }
}

if (form) {
  box.addEventListener("keydown", (event) => {
    const composes = event.isComposing || event.keyCode === KEYCODE_OF_COMPOSITION;
    if (event.key !== "Enter" || event.shiftKey || event.altKey || composes) return;
    event.preventDefault();
    form.requestSubmit();
  });
  box.addEventListener("input", keepDraft);
  // Before htmx: its own listener would send what is refused here.
  document.addEventListener("submit", refuseEmptyOrEarly, { capture: true });
  document.addEventListener("click", onExample);
  form.addEventListener("htmx:wsAfterSend", () => {
    box.readOnly = true;
    turnsBefore = countTurns();
  });
  document.addEventListener("htmx:wsAfterMessage", afterMessage);
  if (!box.value) box.value = sessionStorage.getItem(draftKey) ?? "";
}
