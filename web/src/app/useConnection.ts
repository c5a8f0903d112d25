import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";
import {
  type Connection,
  checkWhenQuiet,
  connection,
  noteSilence,
  watchConnection,
} from "../api/connection";
import { refetchAll } from "./refetch";

const lookEvery = 5_000;

export function useConnection(): Connection {
  return useSyncExternalStore(watchConnection, connection);
}

// For the shell: notices a server that only hangs, and reads everything again when it is back.
export function useConnectionCheck(): Connection {
  const client = useQueryClient();
  const current = useConnection();
  const wasAway = useRef(false);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) checkWhenQuiet();
    }, lookEvery);
    window.addEventListener("offline", noteSilence);
    return () => {
      clearInterval(timer);
      window.removeEventListener("offline", noteSilence);
    };
  }, []);
  useEffect(() => {
    if (current.up && wasAway.current) refetchAll(client, { anew: true });
    wasAway.current = !current.up;
  }, [current.up, client]);
  return current;
}
