// Editing of common data (docs/concepts/drafts.md): own session, other sessions, leader.
// While a session is open, changes of common data go into the draft, from every page.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from "react";
import { ApiError, api, part } from "../api/client";
import { setEdit } from "../api/common";
import { useEventListener } from "../app/eventStream";
import { useNotifications } from "../app/notifications";
import { useMay, useSession } from "../app/session";
import { editBlockedReason } from "./editBlockedReason";
import type { Edit, EditsState } from "./editTypes";

interface Editing {
  state: EditsState | undefined;
  own: Edit | undefined; // this browser's session
  others: Edit[];
  settled: boolean; // whether `own` is known
  error: Error | null;
  begin: (note: string) => Promise<string>; // the session's id
  goOn: (id: string) => void; // continues a session that was started elsewhere
  refresh: () => void;
}

const context = createContext<Editing | null>(null);
const place = "muster.edit";
const stayEvery = 60_000;

export function useEditing(): Editing {
  const editing = useContext(context);
  if (!editing) throw new Error("useEditing needs EditingProvider");
  return editing;
}

// Why common data cannot be changed now; undefined if it can.
export function useEditBlockedReason(): string | undefined {
  return editBlockedReason(useEditing(), useMay("common.edit"));
}

function useStay(id: string | undefined, refresh: () => void) {
  useEffect(() => {
    if (!id) return;
    const timer = setInterval(() => {
      api.post(`/api/v1/edits/${part(id)}/keepalive`).catch((failure: unknown) => {
        if (failure instanceof ApiError && failure.status === 404) refresh();
      });
    }, stayEvery);
    return () => clearInterval(timer);
  }, [id, refresh]);
}

export function EditingProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const { tell } = useNotifications();
  const { me } = useSession();
  const mayRead = useMay("fleet.read");
  const [ownId, setOwnId] = useState(() => localStorage.getItem(place) ?? "");
  const editsQuery = useQuery({
    queryKey: ["edits", "state"],
    queryFn: ({ signal }) => api.get<EditsState>("/api/v1/edits", { signal }),
    enabled: mayRead,
    refetchInterval: ownId === "" ? 60_000 : 15_000,
  });
  const own = editsQuery.data?.items.find((edit) => edit.id === ownId && edit.own);
  const id = own?.id;
  const refresh = useCallback(() => {
    void client.invalidateQueries({ queryKey: ["edits"] });
  }, [client]);
  useStay(id, refresh);
  useEffect(() => {
    setEdit(id ?? "");
    return () => setEdit("");
  }, [id]);

  useEventListener((event) => {
    if (!id || event.kind !== "edit.began" || event.data.edit === id) return;
    const editor = event.by ?? "Another user";
    tell({
      title:
        editor === me.user
          ? "You started another edit session"
          : `${editor} started an edit session`,
      variant: "warning",
      body: "The draft can be applied when only one session is open.",
    });
  });

  const editing = useMemo<Editing>(() => {
    const goOn = (next: string) => {
      localStorage.setItem(place, next);
      setOwnId(next);
    };
    return {
      state: editsQuery.data,
      own,
      others: editsQuery.data?.items.filter((edit) => edit.id !== own?.id) ?? [],
      settled: ownId === "" || !mayRead || editsQuery.data !== undefined || editsQuery.isError,
      error: editsQuery.error,
      refresh,
      goOn,
      begin: async (note) => {
        const edit = await api.post<Edit>("/api/v1/edits", note === "" ? {} : { note });
        goOn(edit.id);
        await client.invalidateQueries({ queryKey: ["edits"] });
        return edit.id;
      },
    };
  }, [editsQuery.data, editsQuery.error, editsQuery.isError, ownId, mayRead, own, refresh, client]);
  return <context.Provider value={editing}>{children}</context.Provider>;
}
