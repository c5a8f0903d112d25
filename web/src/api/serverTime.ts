// The time of the server, as far as its answers tell. A browser's clock may be slow: an event that
// has happened would then be shown as one to come.
const forgetAfterMs = 60_000;

let ahead = 0; // milliseconds that the server's clock is known to be ahead of this one
let notedAt = 0;

// `moment`: a time at which something has happened on the server; its clock shows at least this.
export function noteServerTime(moment: string | null | undefined, local = Date.now()): void {
  const difference = Date.parse(moment ?? "") - local;
  if (Number.isNaN(difference)) return;
  // Without news for a while the browser's clock may have been set right.
  if (difference <= ahead && local - notedAt < forgetAfterMs) return;
  ahead = Math.max(0, difference);
  notedAt = local;
}

export function currentTime(local = Date.now()): Date {
  return new Date(local + ahead);
}
