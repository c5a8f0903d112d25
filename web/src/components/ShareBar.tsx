// Shares of a whole as one bar with a legend: colour, word and number.
import { Link } from "react-router-dom";
import { count, percent } from "./format";

export interface Share {
  label: string;
  value: number;
  kind: "good" | "warn" | "bad" | "info" | "idle";
  to?: string; // where its members are
}

interface Piece extends Share {
  from: number;
  width: number;
}

const whole = 1000;

function piecesOf(shares: Share[], total: number): Piece[] {
  let from = 0;
  return shares.flatMap((each) => {
    const width = total === 0 ? 0 : (each.value / total) * whole;
    const piece = { ...each, from, width };
    from += width;
    return width > 0 ? [piece] : [];
  });
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
        viewBox={`0 0 ${whole} 10`}
        preserveAspectRatio="none"
      >
        <rect className="share-empty" width={whole} height="10" />
        {piecesOf(shares, total).map((each) => (
          <rect
            key={each.label}
            className={`share-${each.kind}`}
            x={each.from}
            width={each.width}
            height="10"
          />
        ))}
      </svg>
      <ul className="share-legend">
        {shares.map((each) => (
          <li key={each.label}>
            <span aria-hidden="true" className={`share-dot share-dot-${each.kind}`} />
            {each.to ? <Link to={each.to}>{each.label}</Link> : each.label}{" "}
            <strong>{count(each.value)}</strong>
            {each.value > 0 && <span className="quiet"> {percent(each.value / total)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
