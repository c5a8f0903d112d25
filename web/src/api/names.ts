// How things without a name are called.
export function commonName(user: string): string {
  return user === "" ? "the cluster" : user;
}

export function shortFingerprint(print: string): string {
  const pairs = print.split(":");
  return pairs.length > 8 ? `${pairs.slice(0, 6).join(":")}…` : print;
}

export const jobEnded = new Set(["done", "halted", "cancelled", "expired"]);

// The stages of jobs that have not ended, as the list of jobs is asked for them.
export const jobRunning = "open,paused,cancelling";
