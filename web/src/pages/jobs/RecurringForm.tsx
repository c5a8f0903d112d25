// A run that recurs: made, or changed.
import {
  Checkbox,
  FormGroup,
  FormHelperText,
  HelperText,
  HelperTextItem,
} from "@patternfly/react-core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, part } from "../../api/client";
import { useNotifications } from "../../app/notifications";
import { useZone } from "../../app/zone";
import { Field } from "../../components/Field";
import { FormDialog } from "../../components/FormDialog";
import { QueryBox } from "../../components/QueryBox";
import { SelectField } from "../../components/SelectField";
import { useCompletionTerms } from "../../components/useCompletionTerms";
import { useCount } from "../../components/useCount";
import {
  emptyRecurring,
  type Recurrence,
  type RecurrenceForm,
  type RecurringWork,
  recurrenceFormOf,
  recurringBody,
  recurringReady,
  type Timing,
} from "./recurrence";

const timings: { value: Timing; label: string; hint: string; first: string }[] = [
  {
    value: "cron",
    label: "Cron expression",
    hint: "Minute, hour, day of month, month, day of week; or @daily",
    first: "30 2 * * *",
  },
  {
    value: "rrule",
    label: "Calendar rule (RRULE)",
    hint: "Example: FREQ=WEEKLY;BYDAY=SU;BYHOUR=3",
    first: "FREQ=DAILY;BYHOUR=3",
  },
  { value: "at", label: "Once", hint: "In your time zone", first: "" },
];

const works: { value: RecurringWork; label: string }[] = [
  { value: "command", label: "Run a command" },
  { value: "deploy", label: "Apply configuration" },
];

export function RecurringForm({ row, onClose }: { row?: Recurrence; onClose: () => void }) {
  const client = useQueryClient();
  const { tell } = useNotifications();
  const { zone } = useZone();
  const vocabulary = useCompletionTerms();
  const [wish, setWish] = useState<RecurrenceForm>(() =>
    row ? recurrenceFormOf(row) : emptyRecurring(Intl.DateTimeFormat().resolvedOptions().timeZone),
  );
  const change = (changes: Partial<RecurrenceForm>) => setWish((is) => ({ ...is, ...changes }));
  // What was made for the whole cluster stays so, whatever is chosen now.
  const within = row ? "" : zone;
  const hasQuery = wish.query.trim() !== "";
  const matches = useCount(wish.query, { zone: within, enabled: hasQuery });
  const timing = timings.find((timing) => timing.value === wish.timing);

  const save = async () => {
    const body = recurringBody(wish, within);
    if (row) await api.patch(`/api/v1/schedules/${part(row.name)}`, body);
    else await api.post("/api/v1/schedules", { name: wish.name.trim(), ...body });
    tell({ title: row ? `Schedule ${row.name} updated` : `Schedule ${wish.name.trim()} created` });
    void client.invalidateQueries({ queryKey: ["schedules"] });
    onClose();
  };
  return (
    <FormDialog
      title={row ? `Edit schedule ${row.name}` : "Create recurring schedule"}
      action={row ? "Save schedule" : "Create schedule"}
      ready={
        recurringReady(wish) && matches.data !== undefined && !matches.behind && !matches.error
      }
      onSubmit={save}
      onClose={onClose}
    >
      {!row && (
        <Field
          id="recurring-name"
          label="Name"
          value={wish.name}
          onChange={(name) => change({ name })}
          isRequired
        />
      )}
      <FormGroup label="Systems" fieldId="recurring-query" isRequired>
        <QueryBox
          id="recurring-query"
          label="Systems"
          value={wish.query}
          onChange={(query) => change({ query })}
          vocabulary={vocabulary}
          count={hasQuery && !matches.behind && !matches.error ? matches.data?.count : undefined}
          problem={hasQuery && !matches.behind ? matches.error?.message : undefined}
        />
        <FormHelperText>
          <HelperText>
            <HelperTextItem>
              {within === ""
                ? "The query is evaluated at each run."
                : `Limited to zone ${within} (zone filter). The query is evaluated at each run.`}
            </HelperTextItem>
          </HelperText>
        </FormHelperText>
      </FormGroup>
      {wish.work !== "other" && (
        <SelectField
          label="Action"
          value={wish.work}
          onChange={(work) => change({ work: work as RecurringWork })}
          choices={works}
        />
      )}
      {wish.work === "command" && (
        <Field
          id="recurring-command"
          label="Command"
          value={wish.command}
          onChange={(command) => change({ command })}
          isRequired
        />
      )}
      <SelectField
        label="Recurrence"
        value={wish.timing}
        onChange={(value) =>
          change({
            timing: value as Timing,
            when: timings.find((timing) => timing.value === value)?.first ?? "",
          })
        }
        choices={timings}
      />
      <Field
        id="recurring-when"
        label="When"
        type={wish.timing === "at" ? "datetime-local" : "text"}
        value={wish.when}
        onChange={(when) => change({ when })}
        hint={timing?.hint}
      />
      {wish.timing !== "at" && (
        <Field
          id="recurring-zone"
          label="Time zone"
          value={wish.clocks}
          onChange={(clocks) => change({ clocks })}
        />
      )}
      <Checkbox
        id="recurring-windows"
        label="Skip systems outside their maintenance window"
        isChecked={wish.inWindows}
        onChange={(_, inWindows) => change({ inWindows })}
      />
    </FormDialog>
  );
}
