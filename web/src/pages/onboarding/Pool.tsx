// The systems of one onboarding stage, and decisions about them.
import { Button, Checkbox } from "@patternfly/react-core";
import { useMemo, useState } from "react";
import { commandLine } from "../../api/cli";
import { ApiError } from "../../api/client";
import type { System } from "../../api/types";
import { useMay } from "../../app/session";
import type { Target } from "../../components/actions/target";
import { BulkProgress } from "../../components/BulkProgress";
import { CopyCli } from "../../components/CopyCli";
import { QueryBox } from "../../components/QueryBox";
import { SelectionBar } from "../../components/SelectionBar";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { useBulk } from "../../components/useBulk";
import { useCompletionTerms } from "../../components/useCompletionTerms";
import { useStats } from "../../components/useStats";
import { type Column, VirtualRows } from "../../components/VirtualRows";
import { AcceptDialog } from "./AcceptDialog";
import { FactsDrawer } from "./FactsDrawer";
import { BanDialog, LabelDialog, RejectDialog } from "./keyDialogs";
import { poolColumns } from "./poolColumns";
import { poolTarget } from "./poolTarget";
import { type Stage, usePool } from "./usePool";
import { usePoolSelection } from "./usePoolSelection";

const empty: Record<Stage, { title: string; text: string }> = {
  pooled: {
    title: "No systems waiting",
    text: "Start an agent on a machine: muster-agent run --server URL --ca FILE. The system appears here within seconds.",
  },
  rejected: { title: "No rejected systems", text: "Rejected systems can be accepted later." },
  deleted: { title: "No banned systems", text: "Banned keys are never accepted again." },
};

const counters = { pooled: "new", rejected: "rejected", deleted: "deleted" } as const;

type KeyAction = "accept" | "reject" | "ban" | "label";

const dialogs = { accept: AcceptDialog, label: LabelDialog, reject: RejectDialog, ban: BanDialog };

export function Pool({ stage }: { stage: Stage }) {
  const [text, setText] = useState("");
  const pool = usePool(stage, text);
  const mayDecide = useMay("keys.decide");
  const mayLabel = useMay("systems.change");
  const vocabulary = useCompletionTerms();
  const { run, progress } = useBulk();
  // The target stays as it was when the dialog opened.
  const [dialogState, setDialogState] = useState<{ action: KeyAction; target: Target } | null>(
    null,
  );
  const [looked, setLooked] = useState<System | null>(null);
  const stats = useStats();
  const selected = usePoolSelection({
    stage,
    settled: pool.settled,
    whole: pool.whole,
    listed: stats.data?.systems[counters[stage]],
  });
  const { has, toggle, clear } = selected;

  const columns = useMemo<Column<System>[]>(
    () => [
      {
        key: "pick",
        title: "",
        width: "2rem",
        cell: (system) => (
          <Checkbox
            id={`pick-${system.fingerprint}`}
            aria-label={`Select ${system.name}`}
            isChecked={has(system)}
            isDisabled={selected.all}
            onChange={() => toggle(system)}
          />
        ),
      },
      ...poolColumns(setLooked),
    ],
    [has, toggle, selected.all],
  );
  const problem =
    pool.error instanceof ApiError && pool.error.status === 400 ? pool.error.message : undefined;
  if (pool.error && !problem && (pool.behind || !pool.any))
    return <ErrorView error={pool.error} retry={pool.refetch} />;
  const target = poolTarget(selected.selection, {
    stage,
    settled: pool.settled,
    whole: pool.whole,
  });
  const none = pool.behind || target.count === 0;
  // Rejected systems are accepted one by one.
  const unpicked = none || (stage === "rejected" && selected.all);
  const open = (action: KeyAction) => setDialogState({ action, target });
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
          label="Filter systems"
          placeholder="web*  or  machine:…  (facts are not searched)"
          problem={problem}
          count={pool.behind ? undefined : pool.whole?.length}
        />
      </div>
      <div className="search-bar">
        {stage === "deleted" ? (
          <span />
        ) : (
          <SelectionBar
            selected={selected.picks.length}
            all={selected.all}
            total={selected.total}
            warning={selected.error?.message}
            onAll={selected.selectAll}
            onClear={clear}
          />
        )}
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
        <LoadingView what="systems" />
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
              <EmptyView title="No systems match this query" />
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
