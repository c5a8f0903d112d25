import { Route, Routes } from "react-router-dom";
import { JobList } from "./JobList";
import { JobPage } from "./JobPage";
import { NewJob } from "./NewJob";
import { Recurring } from "./Recurring";
import { TaskPage } from "./TaskPage";
import "./jobs.css";

export default function Jobs() {
  return (
    <Routes>
      <Route index element={<JobList />} />
      <Route path="new" element={<NewJob />} />
      <Route path="recurring" element={<Recurring />} />
      <Route path=":job" element={<JobPage />} />
      <Route path=":job/:system" element={<TaskPage />} />
    </Routes>
  );
}
