// The 16,384 slots of a zone as a picture: one cell each, in the colour of the node that has it.
import { useEffect, useRef } from "react";
import { colorCount } from "../../components/colors";
import { count } from "../../components/format";
import { countsOf, pixelsOf, type SlotTable } from "./slots";

const side = 128;

// "#0066cc" as it is in effect for dark or light.
function rgb(element: Element, name: string): [number, number, number] {
  const text = getComputedStyle(element).getPropertyValue(name).trim();
  const number = Number.parseInt(text.replace("#", ""), 16);
  return Number.isNaN(number)
    ? [128, 128, 128]
    : [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

interface Props {
  table: SlotTable;
  tones: Map<string, number>;
  zone: string;
}

export function SlotMap({ table, tones, zone }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const draw = () => {
      const to = canvas.current;
      const pen = to?.getContext("2d");
      if (!to || !pen) return;
      const palette = Array.from({ length: colorCount }, (_, n) => rgb(to, `--tone-${n}`));
      const colours = new Map<string, [number, number, number]>();
      for (const [name, tone] of tones) colours.set(name, palette[tone] ?? [128, 128, 128]);
      const dark = document.documentElement.classList.contains("pf-v6-theme-dark");
      const unassigned: [number, number, number] = dark ? [40, 40, 40] : [230, 230, 230];
      const pixels = pixelsOf(table, colours, unassigned);
      pen.putImageData(new ImageData(pixels, side, side), 0, 0);
    };
    draw();
    // Dark and light have other colours.
    const watch = new MutationObserver(draw);
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ["class"] });
    return () => watch.disconnect();
  }, [table, tones]);
  const description = [...countsOf(table)]
    .map(([owner, slots]) => `${owner || "no node"} ${count(slots)}`)
    .join(", ");
  return (
    <figure className="slot-map">
      <canvas
        ref={canvas}
        width={side}
        height={side}
        role="img"
        aria-label={`Slots of ${zone}: ${description}`}
      />
      <figcaption className="quiet">Slots by node</figcaption>
    </figure>
  );
}
