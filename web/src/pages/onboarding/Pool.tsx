// The systems of one stage: looked at, picked, decided about.
import { Button, Checkbox } from "@patternfly/react-core";
import { useCallback, useMemo, useState } from "react";
import { commandLine } from "../../api/cli";
import { ApiError } from "../../api/client";
import type { System } from "../../api/types";
import { useMay } from "../../app/session";
import type { Target } from "../../components/actions/target";
import { BulkProgress } from "../../components/BulkProgress";
import { CopyCli } from "../../components/CopyCli";
import { plural } from "../../components/format";
import { QueryBox } from "../../components/QueryBox";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { useBulk } from "../../components/useBulk";
import { useCompletionTerms } from "../../components/useCompletionTerms";
import { type Column, VirtualRows } from "../../components/VirtualRows";
import { AcceptDialog } from "./AcceptDialog";
import { FactsDrawer } from "./FactsDrawer";
import { BanDialog, LabelDialog, RejectDialog } from "./keyDialogs";
import { poolColumns } from "./poolColumns";
import { poolTarget } from "./poolTarget";
import { type Stage, usePool } from "./usePool";

const empty: Record<Stage, { title: string; text: string }> = {
  pooled: {
    title: "Nobody waits",
    text: "Start an agent on a machine: muster-agent run --server URL --ca FILE. It appears here within seconds.",
  },
  rejected: { title: "Nobody is rejected", text: "Rejected systems may be accepted later." },
  deleted: { title: "Nobody is banned", text: "Keys that were deleted never come back." },
};

type KeyAction = "accept" | "reject" | "ban" | "label";

const dialogs = { accept: AcceptDialog, label: LabelDialog, reject: RejectDialog, ban: BanDialog };

// Those picked. `whole`: all that there are, if they are few enough to be here.
function usePicks(whole: System[] | undefined) {
  const [picked, setPicked] = useState<Map<string, System>>(new Map());
  const toggle = useCallback(
    (system: System) =>
      setPicked((now) => {
        const next = new Map(now);
        if (!next.delete(system.fingerprint)) next.set(system.fingerprint, system);
        return next;
      }),
    [],
  );
  // Those that were decided about meanwhile are not meant any more.
  const still = useMemo(() => {
    const fingerprints = whole && new Set(whole.map((system) => system.fingerprint));
    return [...picked.values()].filter(
      (system) => !fingerprints || fingerprints.has(system.fingerprint),
    );
  }, [picked, whole]);
  return { some: picked, toggle, clear: () => setPicked(new Map()), still };
}

export function Pool({ stage }: { stage: Stage }) {
  const [text, setText] = useState("");
  const pool = usePool(stage, text);
  const mayDecide = useMay("keys.decide");
  const mayLabel = useMay("systems.change");
  const vocabulary = useCompletionTerms();
  const { run, progress } = useBulk();
  // Whom it is about stays as it was when the dialog opened, whoever comes meanwhile.
  const [dialogState, setDialogState] = useState<{ action: KeyAction; target: Target } | null>(
    null,
  );
  const [looked, setLooked] = useState<System | null>(null);
  const { some: picked, toggle, clear, still } = usePicks(pool.whole);

  const columns = useMemo<Column<System>[]>(
    () => [
      {
        key: "pick",
        title: "",
        width: "2rem",
        cell: (system) => (
          <Checkbox
            id={`pick-${system.fingerprint}`}
            aria-label={`Pick ${system.name}`}
            isChecked={picked.has(system.fingerprint)}
            onChange={() => toggle(system)}
          />
        ),
      },
      ...poolColumns(setLooked),
    ],
    [picked, toggle],
  );
  const problem =
    pool.error instanceof ApiError && pool.error.status === 400 ? pool.error.message : undefined;
  if (pool.error && !problem && (pool.behind || !pool.any))
    return <ErrorView error={pool.error} retry={pool.refetch} />;
  const none = pool.rows === 0 || pool.behind;
  // Who was rejected is taken back one by one.
  const unpicked = none || (stage === "rejected" && still.length === 0);
  const open = (action: KeyAction) => {
    const { settled, whole } = pool;
    setDialogState({ action, target: poolTarget(still, { stage, settled, whole }) });
  };
  const Dialog = dialogState ? dialogs[dialogState.action] : AcceptDialog;
  const close = () => setDialogState(null);
  const done = () => {
    close();
    clear();
  };
  return (
    <>
      <div className="pool-head">
        <QueryBox
          value={text}
          onChange={setText}
          vocabulary={vocabulary}
          label="Which of them"
          placeholder="web*  or  machine:…  (facts are not searched here)"
          problem={problem}
          count={pool.behind ? undefined : pool.whole?.length}
        />
      </div>
      <div className="search-bar">
        <span aria-live="polite" className="quiet">
          {still.length > 0
            ? `${plural(still.length, "system")} picked`
            : stage === "rejected"
              ? "Pick whom to accept or to label; a ban is about all that are found."
              : "Decisions are about all that are found; pick some to narrow."}
        </span>
        <div className="search-actions">
          {mayDecide && stage !== "deleted" && (
            <Button isDisabled={unpicked} onClick={() => open("accept")}>
              Accept…
            </Button>
          )}
          {mayLabel && stage !== "deleted" && (
            <Button variant="secondary" isDisabled={unpicked} onClick={() => open("label")}>
              Tags and groups…
            </Button>
          )}
          {mayDecide && stage === "pooled" && (
            <Button variant="secondary" isDisabled={none} onClick={() => open("reject")}>
              Reject…
            </Button>
          )}
          {mayDecide && stage !== "deleted" && (
            <Button variant="secondary" isDanger isDisabled={none} onClick={() => open("ban")}>
              Ban…
            </Button>
          )}
          <CopyCli
            command={commandLine("muster", "keys", "list", text || undefined, "--state", stage)}
          />
        </div>
      </div>
      {progress && <BulkProgress {...progress} />}
      {pool.loading ? (
        <LoadingView what="the pool" />
      ) : (
        <VirtualRows
          label={`Systems: ${stage}`}
          total={pool.rows}
          columns={columns}
          rowAt={pool.rowAt}
          rowKey={(system) => system.fingerprint}
          onSeen={pool.onSeen}
          empty={
            text === "" ? (
              <EmptyView title={empty[stage].title}>{empty[stage].text}</EmptyView>
            ) : (
              <EmptyView title="Nobody of these meets this" />
            )
          }
        />
      )}
      {dialogState && (
        <Dialog target={dialogState.target} run={run} onClose={close} onDone={done} />
      )}
      {looked && <FactsDrawer system={looked} onClose={() => setLooked(null)} />}
    </>
  );
}
