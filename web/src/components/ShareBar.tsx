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
  return shares.flatMap((share) => {
    const width = total === 0 ? 0 : (share.value / total) * whole;
    const piece = { ...share, from, width };
    from += width;
    return width > 0 ? [piece] : [];
  });
}

export function ShareBar({ shares, label }: { shares: Share[]; label: string }) {
  const total = shares.reduce((sum, share) => sum + share.value, 0);
  const legend = shares.map((share) => `${share.label} ${count(share.value)}`).join(", ");
  return (
    <div className="share">
      <svg
        className="share-bar"
        role="img"
        aria-label={`${label}: ${legend}`}
        viewBox={`0 0 ${whole} 10`}
        preserveAspectRatio="none"
      >
        <rect className="share-empty" width={whole} height="10" />
        {piecesOf(shares, total).map((piece) => (
          <rect
            key={piece.label}
            className={`share-${piece.kind}`}
            x={piece.from}
            width={piece.width}
            height="10"
          />
        ))}
      </svg>
      <ul className="share-legend">
        {shares.map((share) => (
          <li key={share.label}>
            <span aria-hidden="true" className={`share-dot share-dot-${share.kind}`} />
            {share.to ? <Link to={share.to}>{share.label}</Link> : share.label}{" "}
            <strong>{count(share.value)}</strong>
            {share.value > 0 && <span className="quiet"> {percent(share.value / total)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
