// Switch the colours at once; the cookie lets the server write the next page in them.
const YEAR_S = 365 * 24 * 3600;

document.addEventListener("submit", (event) => {
  if (event.target.id !== "theme" || !event.submitter) return;
  event.preventDefault();
  const theme = event.submitter.value;
  document.documentElement.dataset.theme = theme;
  document.cookie = `burp_theme=${theme}; path=/; max-age=${YEAR_S}; samesite=lax`;
  for (const button of event.target.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.value === theme));
  }
});
