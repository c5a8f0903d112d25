// One value of a known whole, as a thin bar; a part of it may have gone wrong.
interface Props {
  share: number; // 0…1
  bad?: number; // of the whole, too
  label: string;
  kind?: "good" | "warn" | "bad" | "info";
}

function widthOf(share: number): number {
  return Math.max(0, Math.min(1, share)) * 100;
}

const seenLeast = 2; // however few failed, it is seen

export function Meter({ share, bad = 0, label, kind = "info" }: Props) {
  const wrong = bad > 0 ? Math.max(seenLeast, widthOf(bad)) : 0;
  return (
    <svg
      className="meter"
      role="img"
      aria-label={label}
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
    >
      <rect className="share-empty" width="100" height="6" rx="1" />
      <rect className={`share-${kind}`} width={widthOf(share)} height="6" rx="1" />
      {wrong > 0 && <rect className="share-bad" width={wrong} height="6" rx="1" />}
    </svg>
  );
}
