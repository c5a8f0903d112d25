// What keys mean, and whether single keys mean anything: whoever speaks to the computer, or hits
// keys by chance, turns them off.
const place = "muster.keys";

export function shortcutsEnabled(): boolean {
  return localStorage.getItem(place) !== "off";
}

export function setShortcutsEnabled(on: boolean): void {
  if (on) localStorage.removeItem(place);
  else localStorage.setItem(place, "off");
}

interface Pressed {
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

interface ShortcutContext {
  on: boolean;
  writing: boolean; // into a field
  dialog: boolean; // one is open
}

export function isShortcut(pressed: Pressed, context: ShortcutContext): boolean {
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return false;
  return context.on && !context.writing && !context.dialog;
}
