// Whom a job would be for and when it would run, while it is being written.
import { Alert, Card, CardBody, CardTitle, Spinner } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { ApiError, api } from "../../api/client";
import { askWithin } from "../../api/query";
import { count } from "../../components/format";
import { TextWithTimes } from "../../components/TextWithTimes";
import { useDebounced } from "../../components/useCount";
import { ForecastView } from "./ForecastView";
import { emptyJobForm, isBehind, type JobForm, problemsOf, requestOf } from "./jobForm";
import type { Preview } from "./types";

const settleFor = 350;

// What does not matter for the preview is filled in: the command may still be missing, and while it
// is being written nothing is asked again.
function previewed(wish: JobForm): Record<string, unknown> | null {
  const usable = { ...wish, note: "", command: "true", steps: [{ text: "true", timeout: "" }] };
  if (usable.work === "other" && usable.functionName.trim() === "")
    usable.functionName = "test.ping";
  return Object.keys(problemsOf(usable)).length > 0 ? null : requestOf(usable);
}

// `behind`: the answer to what is written is not there yet. Another answer is never shown for it.
export function usePreview(wish: JobForm, zone: string) {
  const written = JSON.stringify(previewed(wish));
  const body = useDebounced(written, settleFor);
  const previewQuery = useQuery({
    queryKey: ["systems", "preview", body, zone],
    queryFn: ({ signal }) => {
      const request = JSON.parse(body) as { query: string };
      return askWithin<Preview>({ text: request.query, zone }, (query) =>
        api.post("/api/v1/jobs/preview", { ...request, query }, { signal }),
      );
    },
    enabled: body !== "null",
    refetchInterval: 10_000,
  });
  const behind = isBehind(written, body, previewQuery.isPending);
  return {
    data: behind || body === "null" ? undefined : previewQuery.data,
    error: behind ? null : previewQuery.error,
    isFetching: previewQuery.isFetching,
    behind,
    refused: !behind && previewQuery.error instanceof ApiError && previewQuery.error.status === 400,
  };
}

export type Previewing = ReturnType<typeof usePreview>;

export function PreviewPane({ wish, preview }: { wish: JobForm; preview: Previewing }) {
  const { data, error } = preview;
  const empty = wish.query.trim() === "";
  return (
    <Card className="preview" aria-live="polite">
      <CardTitle component="h2">
        Preview{" "}
        {(preview.isFetching || preview.behind) && (
          <Spinner size="sm" aria-label="Loading preview" />
        )}
      </CardTitle>
      <CardBody>
        {empty && <p className="quiet">Enter a query to preview the matching systems.</p>}
        {!empty && error && (
          <Alert isInline variant="danger" component="h3" title="Invalid job">
            <TextWithTimes text={error instanceof ApiError ? error.message : String(error)} />
          </Alert>
        )}
        {!empty && !error && data && <PreviewFacts preview={data} wish={wish} />}
      </CardBody>
    </Card>
  );
}

function PreviewFacts({ preview, wish }: { preview: Preview; wish: JobForm }) {
  return (
    <>
      <dl className="preview-facts">
        <Fact name="Systems" value={count(preview.targets)} strong />
        <Fact name="Online" value={count(preview.present)} />
        <Fact
          name={
            preview.away === 0
              ? "Offline"
              : wish.onReturn
                ? "Offline: run on return"
                : "Offline: fail"
          }
          value={count(preview.away)}
        />
        {preview.canaries > 0 && <Fact name="Canaries first" value={count(preview.canaries)} />}
        {preview.batch !== null && <Fact name="Maximum in parallel" value={count(preview.batch)} />}
      </dl>
      {preview.targets === 0 && (
        <Alert isInline variant="warning" component="h3" title="No systems match this query" />
      )}
      {preview.forecast ? (
        <>
          <h3 className="preview-head">Forecast</h3>
          <ForecastView forecast={preview.forecast} targets={preview.targets} />
        </>
      ) : (
        <p className="quiet">
          {wish.windows === emptyJobForm.windows
            ? "Starts immediately: this function changes nothing. Choose “Respect” to wait for maintenance windows."
            : "Starts immediately, also outside maintenance windows. This is recorded in the audit log."}
        </p>
      )}
    </>
  );
}

function Fact({ name, value, strong }: { name: string; value: string; strong?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={strong ? "preview-strong" : undefined}>{value}</dd>
    </div>
  );
}
