// Jobs that wait for maintenance windows, with their forecast.
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
  if (!plans.data) return <LoadingView what="planned jobs" />;
  if (plans.data.items.length === 0)
    return (
      <EmptyView title="No jobs wait for a maintenance window">
        Jobs created with “Maintenance windows: respect” are listed here.{" "}
        <Link to="/jobs/new">Create job</Link>
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
              {count(plan.waiting)} of {plural(plan.targets, "system")} waiting
              {plan.at && (
                <>
                  , not before <Time at={plan.at} />
                </>
              )}
              ; created by {plan.by}
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
          title={`${plural(plans.data.beyond, "more job")} not shown`}
        />
      )}
    </div>
  );
}
