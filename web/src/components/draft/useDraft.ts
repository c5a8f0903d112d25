// The changes of the draft. Lists and forms lay them over live values while this browser has an open
// edit session.
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { useEditing } from "../editing";
import type { Change, Draft } from "../editTypes";

// `edit` is this browser's session: a later session does not start with an old draft.
export function useDraftQuery(edit: string | undefined, enabled: boolean) {
  return useQuery({
    queryKey: ["edits", "draft", edit ?? ""],
    queryFn: ({ signal }) => api.get<Draft>("/api/v1/draft", { signal }),
    refetchInterval: 15_000,
    enabled,
  });
}

interface OwnDraft {
  changes: Change[]; // none without a session
  pending: boolean; // whether there are drafted values is not known yet: show no live ones
  error: Error | null;
  retry: () => void;
}

const none: Change[] = [];

export function useDraft(): OwnDraft {
  const { own, settled } = useEditing();
  const draft = useDraftQuery(own?.id, own !== undefined);
  return {
    changes: (own && draft.data?.items) || none,
    pending: !settled || (own !== undefined && !draft.data && !draft.error),
    error: own && !draft.data ? draft.error : null,
    retry: () => void draft.refetch(),
  };
}
