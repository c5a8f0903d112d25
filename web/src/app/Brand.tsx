export function Brand() {
  return (
    <span className="brand">
      <img src="/ui/icon.svg" alt="" width="28" height="28" />
      <span>muster</span>
    </span>
  );
}
