// After an update of the server the parts of pages have other names: whoever has the old page open
// loads it anew, once. If that does not help within this span, the error is shown instead.
const place = "muster.reloaded";
const span = 60_000;

export function mayReload(storage: Pick<Storage, "getItem" | "setItem">, now: number): boolean {
  const last = Number(storage.getItem(place) ?? Number.NaN);
  if (now - last < span) return false;
  storage.setItem(place, String(now));
  return true;
}
