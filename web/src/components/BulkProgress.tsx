// How far a change of many systems is.
import { Alert, Progress } from "@patternfly/react-core";
import { progressText } from "./bulkOperation";
import type { Progress as Far } from "./useBulk";

export function BulkProgress({ title, done, total }: Far) {
  return (
    <Alert variant="info" isInline isPlain title={title} className="actions-progress" component="p">
      <Progress
        aria-label={title}
        value={total === 0 ? 0 : (done / total) * 100}
        label={progressText(done, total)}
      />
    </Alert>
  );
}
