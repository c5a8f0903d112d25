// Shares of a whole as one bar with a legend: colour, word and number.
import { count, percent } from "./format";

export interface Share {
  label: string;
  value: number;
  kind: "good" | "warn" | "bad" | "info" | "idle";
}

export function ShareBar({ shares, label }: { shares: Share[]; label: string }) {
  const total = shares.reduce((sum, each) => sum + each.value, 0);
  const told = shares.map((each) => `${each.label} ${count(each.value)}`).join(", ");
  return (
    <div className="share">
      <svg
        className="share-bar"
        role="img"
        aria-label={`${label}: ${told}`}
        viewBox="0 0 1000 10"
        preserveAspectRatio="none"
      >
        <rect className="share-empty" width="1000" height="10" />
        {
          shares.reduce<{ at: number; drawn: React.ReactNode[] }>(
            (made, each) => {
              const width = total === 0 ? 0 : (each.value / total) * 1000;
              if (width > 0)
                made.drawn.push(
                  <rect
                    key={each.label}
                    className={`share-${each.kind}`}
                    x={made.at}
                    width={width}
                    height="10"
                  />,
                );
              made.at += width;
              return made;
            },
            { at: 0, drawn: [] },
          ).drawn
        }
      </svg>
      <ul className="share-legend">
        {shares.map((each) => (
          <li key={each.label}>
            <span aria-hidden="true" className={`share-dot share-dot-${each.kind}`} />
            {each.label} <strong>{count(each.value)}</strong>
            {total > 0 && <span className="quiet"> {percent(each.value / total)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
