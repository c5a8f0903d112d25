// How things without a name are called.
export function commonName(user: string): string {
  return user === "" ? "the cluster" : user;
}

export function shortFingerprint(print: string): string {
  const pairs = print.split(":");
  return pairs.length > 8 ? `${pairs.slice(0, 6).join(":")}…` : print;
}

export const jobEnded = new Set(["done", "halted", "cancelled", "expired"]);
