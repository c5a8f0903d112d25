// How the last tasks ended, the newest on the right: one square each.
import { Link } from "react-router-dom";
import { localTime } from "../../components/format";
import { stateText } from "../../components/stateText";
import { queuedFirst, type Task, useTasks } from "./useTasks";

const squares = 25;

function wordsFor(task: Task): string {
  const when = task.ended ?? task.picked_up;
  return `${stateText(task.state)}${when ? `, ${localTime(new Date(when))}` : ""}`;
}

export function RecentTasks({ number }: { number: number }) {
  const tasks = useTasks(number);
  const last = queuedFirst(tasks.data?.items ?? []).slice(0, squares);
  if (tasks.data && last.length === 0) return <p className="quiet">No tasks yet.</p>;
  return (
    <ul className="task-strip">
      {[...last].reverse().map((task) => (
        <li key={task.job}>
          <Link
            to={`/jobs/${task.job}`}
            className={`task-square task-${task.state}`}
            title={wordsFor(task)}
            aria-label={wordsFor(task)}
          />
        </li>
      ))}
    </ul>
  );
}
