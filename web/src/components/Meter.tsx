// One value of a known whole, as a thin bar.
interface Props {
  share: number; // 0…1
  label: string;
  kind?: "good" | "warn" | "bad" | "info";
}

export function Meter({ share, label, kind = "info" }: Props) {
  const width = Math.max(0, Math.min(1, share)) * 100;
  return (
    <svg
      className="meter"
      role="img"
      aria-label={label}
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
    >
      <rect className="share-empty" width="100" height="6" rx="1" />
      <rect className={`share-${kind}`} width={width} height="6" rx="1" />
    </svg>
  );
}
