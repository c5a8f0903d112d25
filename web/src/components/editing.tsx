// Editing common data (docs/revisions.md): the session of this browser, who else edits, the leader.
// While a session is open, changes of common data go into the draft, on whichever page they are made.
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
  error: Error | null;
  begin: (note: string) => Promise<void>;
  goOn: (id: string) => void; // with a session that was begun elsewhere
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

// Why common data cannot be changed from here now; nothing if it can.
export function useEditBlockedReason(): string | undefined {
  return editBlockedReason(useEditing(), useMay("common.edit"));
}

function useStay(id: string | undefined, refresh: () => void) {
  useEffect(() => {
    if (!id) return;
    const timer = setInterval(() => {
      api.post(`/api/v1/edits/${part(id)}/stay`).catch((failure: unknown) => {
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
    const editor = event.by ?? "somebody";
    tell({
      title: editor === me.user ? "You edit somewhere else, too" : `${editor} edits, too`,
      variant: "warning",
      body: "The cluster update can be applied when one of you has ended the session.",
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
      error: editsQuery.error,
      refresh,
      goOn,
      begin: async (note) => {
        const edit = await api.post<Edit>("/api/v1/edits", note === "" ? {} : { note });
        goOn(edit.id);
        await client.invalidateQueries({ queryKey: ["edits"] });
      },
    };
  }, [editsQuery.data, editsQuery.error, own, refresh, client]);
  return <context.Provider value={editing}>{children}</context.Provider>;
}
