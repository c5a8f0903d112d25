// A system, or the way to one.
import { Navigate, Route, Routes } from "react-router-dom";
import { SystemPage } from "./SystemPage";
import "./system.css";

export default function SystemPages() {
  return (
    <Routes>
      <Route path=":system" element={<SystemPage />} />
      <Route path="*" element={<Navigate to="/search" replace />} />
    </Routes>
  );
}
