// Where the keyboard is when another page has come.

// The path whose page was shown last; nothing yet when the UI was just opened.
let last: string | undefined;

// Whether a page that shows `path` is another one than before. To be asked once for each showing.
export function isPageChange(path: string): boolean {
  const another = last !== undefined && last !== path;
  last = path;
  return another;
}

// What was focused by the page itself, or is in a dialog, stays so; a link of the navigation, or
// nothing at all, gives the focus away.
export function shouldMoveFocus(active: Pick<Element, "closest"> | null): boolean {
  return !active?.closest("#content *, [aria-modal='true']");
}
