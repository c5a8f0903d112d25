// Before it is confirmed: how many systems a job finishes in which window, and why not the rest.
import { Alert } from "@patternfly/react-core";
import { count, plural, span } from "../../components/format";
import { Meter } from "../../components/Meter";
import { TextWithTimes } from "../../components/TextWithTimes";
import { TimeSpan } from "../../components/Time";
import type { Forecast } from "./types";
import "./forecast.css";
import "../../components/DataTable.css";

export function ForecastView({ forecast, targets }: { forecast: Forecast; targets: number }) {
  const { windows, rest, without_schedule: free, expected_seconds: expected } = forecast;
  const most = Math.max(1, free, ...windows.map((window) => window.finished));
  return (
    <div className="forecast">
      <p>
        {expected > 0
          ? `Similar jobs took up to ${span(expected)}. Windows with less time left are not used.`
          : "Duration unknown: fewer than five runs of this function are recorded."}
      </p>
      <table className="data" aria-label="Forecast">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Will finish</th>
          </tr>
        </thead>
        <tbody>
          {free > 0 && (
            <tr>
              <td data-label="When">
                Immediately
                <div className="quiet">No schedule</div>
              </td>
              <td data-label="Will finish">
                <Amount value={free} most={most} of={targets} />
              </td>
            </tr>
          )}
          {windows.map((window) => (
            <tr key={`${window.schedule} ${window.opens}`}>
              <td data-label="When">
                <TimeSpan opens={window.opens} closes={window.closes} />
                <div className="quiet">{window.schedule}</div>
              </td>
              <td data-label="Will finish">
                <Amount value={window.finished} most={most} of={targets} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest.map((remainder) => (
        <Alert
          key={`${remainder.schedule} ${remainder.why}`}
          isInline
          variant="warning"
          component="h3"
          title={`${plural(remainder.systems, "system")} will not finish in these windows`}
        >
          {remainder.schedule}: <TextWithTimes text={remainder.why} />
        </Alert>
      ))}
    </div>
  );
}

function Amount({ value, most, of }: { value: number; most: number; of: number }) {
  return (
    <div className="forecast-amount">
      <strong>{count(value)}</strong>
      <Meter share={value / most} label={`${count(value)} of ${count(of)}`} kind="good" />
    </div>
  );
}
