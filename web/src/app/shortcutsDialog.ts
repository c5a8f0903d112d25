// Opens the list of keys from anywhere.
const name = "muster-shortcuts";

export function showShortcuts(): void {
  window.dispatchEvent(new Event(name));
}

export function whenShortcutsAsked(show: () => void): () => void {
  window.addEventListener(name, show);
  return () => window.removeEventListener(name, show);
}
