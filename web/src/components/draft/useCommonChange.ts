// Reports a change of common data, made or drafted, and reloads what it affects.
import { useQueryClient } from "@tanstack/react-query";
import { isDrafted } from "../../api/common";
import { type Notification, useNotifications } from "../../app/notifications";

// `topic`: the first word of the keys of the queries that show the data.
export function useCommonChange(topic: string) {
  const client = useQueryClient();
  const { tell, fail } = useNotifications();
  const reload = async () => {
    await Promise.all([topic, "edits"].map((key) => client.invalidateQueries({ queryKey: [key] })));
  };
  // Await it before a form closes: the next form then starts from the drafted value.
  const report = async (answer: unknown, done: Notification) => {
    tell(isDrafted(answer) ? { title: "Added to the draft" } : done);
    const reloaded = reload();
    if (isDrafted(answer)) await reloaded;
  };
  return { report, reload, fail };
}
