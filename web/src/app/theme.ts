// Dark or light: what the system says, unless the user chose.
export type Theme = "system" | "light" | "dark";

const place = "muster.theme";
const dark = window.matchMedia("(prefers-color-scheme: dark)");

export function storedTheme(): Theme {
  const stored = localStorage.getItem(place);
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function applyTheme(theme: Theme): void {
  const isDark = theme === "dark" || (theme === "system" && dark.matches);
  document.documentElement.classList.toggle("pf-v6-theme-dark", isDark);
  document.documentElement.style.colorScheme = isDark ? "dark" : "light";
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(place, theme);
  applyTheme(theme);
}

dark.addEventListener("change", () => applyTheme(storedTheme()));
