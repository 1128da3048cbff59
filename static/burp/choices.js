// What stands beside the question box: efforts follow the model, the line says what a question may cost.
const model = document.getElementById("choice-model");
const effort = document.getElementById("choice-effort");
const panel = document.getElementById("choices");

const chosen = () => model.selectedOptions[0];

function offerEfforts() {
  if (!effort) return;
  const { efforts = "", defaultEffort } = chosen().dataset;
  const known = efforts.split(" ");
  for (const option of effort.options) {
    option.hidden = option.disabled = Boolean(option.value) && !known.includes(option.value);
  }
  if (effort.selectedOptions[0]?.disabled) effort.value = "";
  effort.disabled = !efforts;
  effort.options[0].textContent = defaultEffort ? `The model's own (${defaultEffort})` : "The model's own";
}

function tell() {
  const { label, defaultEffort, estimates } = chosen().dataset;
  if (!label) return;
  const level = effort?.value || defaultEffort;
  document.getElementById("choices-model").textContent = level ? `${label}, ${level}` : label;
  const cost = document.getElementById("choices-cost");
  if (cost) cost.textContent = JSON.parse(estimates)[effort?.value || ""];
}

function update() {
  offerEfforts();
  tell();
}

if (panel && model) {
  model.addEventListener("change", update);
  effort?.addEventListener("change", tell);
  // A click beside it and Escape close it, as with any menu.
  document.addEventListener("click", (event) => {
    if (panel.open && !panel.contains(event.target)) panel.open = false;
  });
  document.addEventListener("submit", () => (panel.open = false));
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !panel.open) return;
    event.stopPropagation();
    panel.open = false;
    panel.querySelector("summary").focus();
  });
  update();
}
