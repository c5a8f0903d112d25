// What will run in which window: open jobs that respect windows, with what is left of them.
import { Alert, Card, CardBody, CardTitle } from "@patternfly/react-core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router-dom";
import { api } from "../../api/client";
import { count, plural } from "../../components/format";
import { EmptyView, ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import { ForecastView } from "../jobs/ForecastView";
import type { Plan } from "./types";

export function PlannedJobs() {
  const plans = useQuery({
    queryKey: ["jobs", "plans"],
    queryFn: ({ signal }) =>
      api.get<{ items: Plan[]; beyond: number }>("/api/v1/windows/plans", { signal }),
    refetchInterval: 15_000,
  });
  if (plans.error && !plans.data)
    return <ErrorView error={plans.error} retry={() => void plans.refetch()} />;
  if (!plans.data) return <LoadingView what="what will run" />;
  if (plans.data.items.length === 0)
    return (
      <EmptyView title="Nothing waits for a window">
        A job waits for windows when it is made with “Maintenance windows: respect”.{" "}
        <Link to="/jobs/new">Make one</Link>
      </EmptyView>
    );
  return (
    <div className="plans">
      {plans.data.items.map((plan) => (
        <Card key={plan.job} isCompact>
          <CardTitle component="h2">
            <Link to={`/jobs/${plan.job}`}>{plan.note || plan.function}</Link>{" "}
            <code>{plan.query}</code>
          </CardTitle>
          <CardBody>
            <p>
              {count(plan.waiting)} of {plural(plan.targets, "system")} wait
              {plan.at && (
                <>
                  , not before <Time at={plan.at} />
                </>
              )}
              ; made by {plan.by}
              {plan.stage === "open" ? "" : `; ${plan.stage}`}
            </p>
            {plan.forecast && plan.waiting > 0 && (
              <ForecastView forecast={plan.forecast} targets={plan.waiting} />
            )}
          </CardBody>
        </Card>
      ))}
      {plans.data.beyond > 0 && (
        <Alert
          isInline
          variant="info"
          component="h2"
          title={`${plural(plans.data.beyond, "further job")} not shown`}
        />
      )}
    </div>
  );
}
