// In place of Furo's own script, which Debian's package has as a module that a browser
// does not load from a file: the button for light, dark or what the system has, and
// the button back to the top.
function setTheme(theme) {
  document.body.dataset.theme = theme;
  localStorage.setItem("theme", theme);
}

function nextTheme() {
  const isDark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  const order = isDark ? ["auto", "light", "dark"] : ["auto", "dark", "light"];
  const now = order.indexOf(document.body.dataset.theme);
  setTheme(order[(now + 1) % order.length]);
}

document.addEventListener("DOMContentLoaded", () => {
  document.documentElement.classList.remove("no-js");
  for (const button of document.getElementsByClassName("theme-toggle"))
    button.addEventListener("click", nextTheme);
  let last = window.scrollY;
  window.addEventListener("scroll", () => {
    const isUp = window.scrollY < last && window.scrollY > 64;
    document.documentElement.classList.toggle("show-back-to-top", isUp);
    last = window.scrollY;
  });
});
