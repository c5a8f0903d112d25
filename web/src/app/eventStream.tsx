// What happens in the cluster, as it happens. One tab of a browser follows the stream and tells the
// others: a server has a bounded number of seats, and a browser few connections to one server.
import { useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { followEvents } from "../api/events";
import { noteServerTime } from "../api/serverTime";
import type { FleetEvent } from "../api/types";
import { queryKeyOf, queryKeysForEvent } from "./eventInvalidation";
import { mayHaveMissed, pollInterval, refetchAll } from "./refetch";
import { useMay } from "./session";

type Listener = (event: FleetEvent) => void;

interface EventStream {
  // Whether events come; otherwise everything shown is asked for again every few seconds.
  up: boolean;
  listen: (listener: Listener) => () => void;
}

// What tabs tell each other.
interface TabMessage {
  event?: FleetEvent;
  up?: boolean;
  opened?: boolean; // a stream began anew: what happened just before was perhaps told to nobody
  asks?: boolean; // a new tab, whether the stream is up
}

const context = createContext<EventStream>({ up: false, listen: () => () => undefined });
const refreshEvery = 1_000;

export function useStreamState(): boolean {
  return useContext(context).up;
}

// Calls `listener` for every event while the component is shown.
export function useEventListener(listener: Listener): void {
  const { listen } = useContext(context);
  const last = useRef(listener);
  last.current = listener;
  useEffect(() => listen((event) => last.current(event)), [listen]);
}

// Asks again what events of this kind may have changed, at most once a second.
function useRefresher() {
  const client = useQueryClient();
  const waiting = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  return useCallback(
    (kind: string) => {
      for (const topic of queryKeysForEvent(kind)) waiting.current.add(topic);
      if (timer.current !== null || waiting.current.size === 0) return;
      timer.current = setTimeout(() => {
        timer.current = null;
        const topics = [...waiting.current];
        waiting.current.clear();
        // What is being asked is let to its end: under many events nothing would ever be answered.
        for (const topic of topics)
          void client.invalidateQueries({ queryKey: queryKeyOf(topic) }, { cancelRefetch: false });
      }, refreshEvery);
    },
    [client],
  );
}

// Without events everything is asked for again by itself.
function usePolling(up: boolean) {
  const client = useQueryClient();
  useEffect(() => {
    if (up) return;
    const timer = setInterval(() => {
      if (!document.hidden) refetchAll(client, { anew: false });
    }, pollInterval);
    return () => clearInterval(timer);
  }, [up, client]);
}

export function EventStreamProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const allowed = useMay("events.read");
  const [up, setUp] = useState(false);
  const listeners = useRef(new Set<Listener>());
  const refresh = useRefresher();
  usePolling(up);

  const listen = useCallback((listener: Listener) => {
    listeners.current.add(listener);
    return () => {
      listeners.current.delete(listener);
    };
  }, []);

  useEffect(() => {
    if (!allowed) return;
    const ending = new AbortController();
    const tabs = new BroadcastChannel("muster-live");
    const take = (event: FleetEvent) => {
      noteServerTime(event.at);
      refresh(event.kind);
      for (const listener of listeners.current) listener(event);
    };
    const since = Date.now();
    const opened = () => {
      if (mayHaveMissed(since, Date.now())) refetchAll(client, { anew: true });
    };
    let isFollowing = false; // this tab follows, and the stream is up
    tabs.onmessage = (message: MessageEvent<TabMessage>) => {
      if (message.data.asks && isFollowing) tabs.postMessage({ up: true });
      if (message.data.up !== undefined) setUp(message.data.up);
      if (message.data.opened) opened();
      if (message.data.event) take(message.data.event);
    };
    tabs.postMessage({ asks: true });
    const link = (isUp: boolean) => {
      isFollowing = isUp;
      setUp(isUp);
      tabs.postMessage({ up: isUp, opened: isUp });
      if (isUp) opened();
    };
    const follow = () =>
      followEvents(
        "/events",
        { query: { since: "now" }, signal: ending.signal, endless: true, onLink: link },
        (message) => {
          const event = JSON.parse(message.data) as FleetEvent;
          tabs.postMessage({ event });
          take(event);
        },
      ).catch(() => link(false));
    navigator.locks
      .request("muster-live", { signal: ending.signal }, follow)
      .catch(() => undefined);
    return () => {
      ending.abort();
      tabs.close();
    };
  }, [allowed, refresh, client]);

  const stream = useMemo(() => ({ up, listen }), [up, listen]);
  return <context.Provider value={stream}>{children}</context.Provider>;
}
