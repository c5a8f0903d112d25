import { PageFrame } from "../../components/PageFrame";
import { Loading, ProblemState } from "../../components/states";
import { useStats } from "../../components/useStats";
import { Systems } from "./Systems";

export default function Overview() {
  const stats = useStats();
  return (
    <PageFrame title="Overview">
      {stats.error && <ProblemState error={stats.error} retry={() => void stats.refetch()} />}
      {stats.data ? <Systems stats={stats.data} /> : !stats.error && <Loading what="the cluster" />}
    </PageFrame>
  );
}
