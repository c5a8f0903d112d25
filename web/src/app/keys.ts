// What keys mean, and whether single keys mean anything: whoever speaks to the computer, or hits
// keys by chance, turns them off.
const place = "muster.keys";

export function storedKeys(): boolean {
  return localStorage.getItem(place) !== "off";
}

export function chooseKeys(on: boolean): void {
  if (on) localStorage.removeItem(place);
  else localStorage.setItem(place, "off");
}

interface Pressed {
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

interface Around {
  on: boolean;
  writing: boolean; // into a field
  dialog: boolean; // one is open
}

export function isShortcut(pressed: Pressed, around: Around): boolean {
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey) return false;
  return around.on && !around.writing && !around.dialog;
}
