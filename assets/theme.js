// Dark or light as it was chosen, before the first line is drawn.
const chosen = localStorage.getItem("deniable-theme");
if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
// What is only needed without scripts is hidden where they run.
document.documentElement.classList.add("scripted");
