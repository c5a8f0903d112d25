// One box for the query language, and whoever it means.
import { Alert } from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useSearchParams } from "react-router-dom";
import { commandLine } from "../../api/cli";
import { ApiError } from "../../api/client";
import { withinZone } from "../../api/query";
import type { SystemsPage } from "../../api/types";
import { useMay } from "../../app/session";
import { useZone } from "../../app/zone";
import { GroupDialog } from "../../components/actions/dialogs";
import { SystemActions } from "../../components/actions/SystemActions";
import { CopyCli } from "../../components/CopyCli";
import { DraftAwareButton } from "../../components/DraftAwareButton";
import { plural } from "../../components/format";
import { PageFrame } from "../../components/PageFrame";
import { QueryBox } from "../../components/QueryBox";
import { SelectionBar } from "../../components/SelectionBar";
import { LoadingView } from "../../components/states";
import { useCompletionTerms } from "../../components/useCompletionTerms";
import { useCount } from "../../components/useCount";
import { ColumnChoice } from "./ColumnChoice";
import { storedColumns } from "./columns";
import { Results } from "./Results";
import { targetOf } from "./selection";
import { type SearchResult, useSelection } from "./useSelection";
import { visibleTags } from "./visibleTags";

// The expression is in the address, so that it can be sent to somebody.
function useExpression() {
  const [params, setParams] = useSearchParams();
  const urlQuery = params.get("q") ?? "";
  const [text, setText] = useState(urlQuery);
  // What we put there ourselves is not taken back from there: more may be written by then.
  const own = useRef(urlQuery);
  useEffect(() => {
    if (own.current === urlQuery) return;
    own.current = urlQuery;
    setText(urlQuery);
  }, [urlQuery]);
  const settle = useCallback(
    (next: string) => {
      if (next === own.current) return;
      own.current = next;
      setParams(next === "" ? {} : { q: next }, { replace: true });
    },
    [setParams],
  );
  return { text, setText, settle };
}

function wordsFromServer(error: Error | null): string | undefined {
  return error instanceof ApiError && error.status === 400 ? error.message : undefined;
}

// `at`: when something was read last; looked at then, and not with every key.
function useVisibleTags(at: number): string[] {
  const client = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was read is in the client
  return useMemo(() => {
    const lists = client.getQueriesData<SystemsPage>({ queryKey: ["systems", "list"] });
    return visibleTags(lists.map(([, page]) => page));
  }, [client, at]);
}

function UnmatchedWarning({ left }: { left: number }) {
  if (left === 0) return null;
  return (
    <strong>
      {plural(left, "selected system")} {left === 1 ? "does" : "do"} not match this query.
    </strong>
  );
}

export default function Search() {
  const { zone } = useZone();
  const mayGroup = useMay("groups.change");
  const { text, setText, settle } = useExpression();
  const query = withinZone(text, zone);
  const countQuery = useCount(text, { zone });
  const [columnKeys, setColumnKeys] = useState(storedColumns);
  const [saved, setSaved] = useState<string | null>(null); // as it was when the dialog opened
  const vocabulary = useCompletionTerms(useVisibleTags(countQuery.dataUpdatedAt));

  // Results follow the last expression that means something; none before the first is counted.
  const [result, setResult] = useState<SearchResult | null>(null);
  const count = countQuery.data?.count;
  const stands = !countQuery.behind && !countQuery.error && count !== undefined;
  useEffect(() => {
    if (!stands || count === undefined) return;
    setResult((is) => (is?.query === query && is.total === count ? is : { query, total: count }));
    settle(text);
  }, [stands, count, query, text, settle]);
  const picks = useSelection(result);

  // Actions are about what is selected of what is in the box, or there are none.
  const isCurrent = stands && result?.query === query;
  const target = useMemo(
    () => targetOf(picks.meant, result?.query ?? "", result?.total ?? 0),
    [picks.meant, result],
  );
  const problem = countQuery.behind ? undefined : wordsFromServer(countQuery.error);
  const notes = [
    ...(countQuery.data?.notes ?? []),
    ...(countQuery.data?.missing?.length
      ? [`No systems named ${countQuery.data.missing.slice(0, 10).join(", ")}`]
      : []),
  ];
  return (
    <PageFrame title="Search" fill>
      <QueryBox
        value={text}
        onChange={setText}
        onSubmit={settle}
        vocabulary={vocabulary}
        label="Query"
        count={problem ? undefined : count}
        problem={problem}
        autoFocus
      />
      {notes.map((note) => (
        <Alert key={note} variant="info" isInline isPlain title={note} component="p" />
      ))}
      {countQuery.error && !problem && (
        <Alert variant="danger" isInline title="Cannot count systems" component="p">
          {countQuery.error.message}
        </Alert>
      )}
      <div className="search-bar">
        <span>
          {problem && result ? (
            <span className="quiet" role="status">
              Showing results of the last valid query; actions disabled
            </span>
          ) : (
            result && (
              <SelectionBar
                selected={picks.meant.systems.size}
                all={picks.all}
                total={result.total}
                warning={<UnmatchedWarning left={picks.left} />}
                onAll={picks.selectAll}
                onClear={picks.clear}
              />
            )
          )}
        </span>
        <div className="search-actions">
          <SystemActions target={target} isReady={isCurrent && picks.stands} />
          {mayGroup && (
            <DraftAwareButton
              variant="secondary"
              isDisabled={text.trim() === "" || !isCurrent}
              onClick={() => setSaved(query)}
            >
              Save as group…
            </DraftAwareButton>
          )}
          <ColumnChoice columnKeys={columnKeys} onChange={setColumnKeys} />
          <CopyCli
            command={commandLine(
              "muster",
              "search",
              picks.meant.systems.size > 0 ? target.query : query.trim() || "*",
            )}
          />
        </div>
      </div>
      {result ? (
        <Results
          query={result.query}
          total={result.total}
          columnKeys={columnKeys}
          picked={picks.chosen}
          onToggle={picks.toggle}
        />
      ) : (
        !countQuery.error && <LoadingView what="systems" />
      )}
      {saved !== null && <GroupDialog expression={saved} onClose={() => setSaved(null)} />}
    </PageFrame>
  );
}
