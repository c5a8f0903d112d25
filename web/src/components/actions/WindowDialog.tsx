// The maintenance schedule of systems.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { commandLine } from "../../api/cli";
import { api, part } from "../../api/client";
import { isDrafted } from "../../api/common";
import type { Page, Schedule } from "../../api/types";
import { useNotifications } from "../../app/notifications";
import { ConfirmDialog } from "../ConfirmDialog";
import { CopyCli } from "../CopyCli";
import { FormDialog } from "../FormDialog";
import { SelectField } from "../SelectField";
import type { ActionProps } from "./dialogs";
import { choiceOf, itemOf, type ScheduleChoice, scheduleChoiceText } from "./scheduleChoice";
import { TargetSummary } from "./TargetSummary";
import { targetLabel } from "./target";

export function WindowDialog({ target, onClose }: ActionProps) {
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const schedules = useQuery({
    queryKey: ["windows", "list"],
    queryFn: ({ signal }) => api.get<Page<Schedule>>("/api/v1/windows", { signal }),
  });
  const [choice, setChoice] = useState<ScheduleChoice>("unsaid");
  const [asks, setAsks] = useState(false);
  const give = async () => {
    const path =
      typeof choice === "string"
        ? "/api/v1/windows/unassign"
        : `/api/v1/windows/schedules/${part(choice.schedule)}/assign`;
    const done = await api.post<{ systems?: number }>(path, { query: target.query });
    if (isDrafted(done)) tell({ title: "Added to the draft" });
    else tell(scheduleChoiceText(choice, done.systems ?? target.count));
    void client.invalidateQueries({ queryKey: ["windows"] });
    void client.invalidateQueries({ queryKey: ["systems"] });
    onClose();
  };
  if (asks)
    return (
      <ConfirmDialog
        title={`Remove the schedule of ${targetLabel(target)}`}
        action="Remove schedule"
        danger
        onConfirm={() =>
          give().catch((failure) => {
            fail("Schedule not removed", failure);
            setAsks(false);
          })
        }
        onClose={() => setAsks(false)}
      >
        <TargetSummary target={target} />
        <p>Jobs may then run on these systems at any time.</p>
      </ConfirmDialog>
    );
  return (
    <FormDialog
      title={`Maintenance schedule of ${targetLabel(target)}`}
      about="Jobs that respect windows run on these systems only while the schedule is open."
      action={choice === "none" ? "Remove schedule…" : "Assign schedule"}
      ready={schedules.data !== undefined && choice !== "unsaid"}
      onSubmit={async () => (choice === "none" ? setAsks(true) : give())}
      onClose={onClose}
    >
      <TargetSummary target={target} />
      <SelectField
        label="Schedule"
        value={itemOf(choice)}
        onChange={(value) => setChoice(choiceOf(value))}
        choices={[
          { value: itemOf("unsaid"), label: "Choose…" },
          ...(schedules.data?.items ?? []).map((schedule) => ({
            value: itemOf({ schedule: schedule.name }),
            label: schedule.name,
          })),
          { value: itemOf("none"), label: "None: no restriction" },
        ]}
      />
      {choice !== "unsaid" && (
        <div>
          <CopyCli
            command={
              choice === "none"
                ? commandLine("muster", "windows", "unassign", target.query)
                : commandLine("muster", "windows", "assign", choice.schedule, target.query)
            }
          />
        </div>
      )}
    </FormDialog>
  );
}
