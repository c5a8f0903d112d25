// One job: how far it is, what came back, where and why it failed.
import { Alert, Breadcrumb, BreadcrumbItem, Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import { Link, useParams, useSearchParams } from "react-router-dom";
import { count } from "../../components/format";
import { PageFrame } from "../../components/PageFrame";
import { StateLabel } from "../../components/StateLabel";
import { ErrorView, LoadingView } from "../../components/states";
import { Time } from "../../components/Time";
import { JobActions } from "./JobActions";
import { JobDetails } from "./JobDetails";
import { JobProgress } from "./JobProgress";
import { jobText, standing } from "./jobText";
import { Results } from "./Results";
import { Tasks } from "./Tasks";
import { useJob } from "./useJob";

export function JobPage() {
  const { job: id = "" } = useParams();
  const [search, setSearch] = useSearchParams();
  const job = useJob(id);
  const tab = search.get("tab") ?? "results";
  const above = (
    <Breadcrumb>
      <BreadcrumbItem>
        <Link to="/jobs">Jobs</Link>
      </BreadcrumbItem>
      <BreadcrumbItem isActive>{id}</BreadcrumbItem>
    </Breadcrumb>
  );
  if (!job.data)
    return (
      <PageFrame title={`Job ${id}`} above={above}>
        {job.error ? (
          <ErrorView error={job.error} retry={() => void job.refetch()} />
        ) : (
          <LoadingView what="job" />
        )}
      </PageFrame>
    );
  const is = job.data;
  return (
    <PageFrame
      title={jobText(is)}
      above={above}
      subtitle={
        <span className="job-head">
          <StateLabel {...standing(is)} />
          <span>
            Created by {is.by}, <Time at={is.made} />
          </span>
          <code>{is.query}</code>
          {is.note !== "" && <span>{is.note}</span>}
        </span>
      }
      actions={<JobActions job={is} />}
    >
      {job.error && (
        <Alert isInline variant="warning" component="h2" title="Data may be out of date">
          {job.error.message}
        </Alert>
      )}
      <JobProgress job={is} />
      <Tabs
        activeKey={tab}
        onSelect={(_, key) => setSearch({ tab: String(key) }, { replace: true })}
        aria-label="Job details"
        className="job-tabs"
      >
        <Tab eventKey="results" title={<TabTitleText>Results</TabTitleText>}>
          {tab === "results" && <Results job={is} />}
        </Tab>
        <Tab eventKey="systems" title={<TabTitleText>Systems ({count(is.targets)})</TabTitleText>}>
          {tab === "systems" && <Tasks job={is} />}
        </Tab>
        <Tab eventKey="details" title={<TabTitleText>Details</TabTitleText>}>
          {tab === "details" && <JobDetails job={is} />}
        </Tab>
      </Tabs>
    </PageFrame>
  );
}
