// Fetches the code of all pages while the browser has nothing else to do, so that they open at once,
// also when the server is away.
import { useEffect } from "react";
import { pages } from "./pages";
import { useSession } from "./session";

const startAfterMs = 4_000; // the page that was asked for comes first
const idleMostMs = 10_000;

function whenIdle(): Promise<void> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in window)
      window.requestIdleCallback(() => resolve(), { timeout: idleMostMs });
    else setTimeout(resolve, 100);
  });
}

export function usePrefetch(): void {
  const { may } = useSession();
  useEffect(() => {
    let gone = false;
    const fetchAll = async () => {
      for (const { right, source } of pages) {
        await whenIdle();
        if (gone) return;
        if (!right || may(right)) await source.prefetch();
      }
    };
    const timer = setTimeout(() => void fetchAll(), startAfterMs);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [may]);
}
