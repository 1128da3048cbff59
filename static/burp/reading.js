// Copy an answer as the Markdown that the model wrote.
const SHOWN_MS = 2000;

async function copy(button) {
  const words = button.querySelector("span");
  const before = words.textContent;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    words.textContent = "Copied";
  } catch {
    words.textContent = "The browser refused to copy";
  }
  setTimeout(() => (words.textContent = before), SHOWN_MS);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) copy(button);
});
