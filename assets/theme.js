// Dark or light as it was chosen, before the first line is drawn.
const chosen = localStorage.getItem("deniable-theme");
if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
