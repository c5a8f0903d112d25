// The slots of a zone: whose they are, and what moved between two looks. Pure.
import type { SlotRuns } from "./types";

export const slotCount = 16_384;

export interface SlotTable {
  epoch: number;
  owners: string[]; // by slot; "" is nobody
  since: number[]; // epochs
}

export interface Move {
  from: string;
  to: string;
  slots: number;
  at: Date;
}

export function tableOf(slotRuns: SlotRuns): SlotTable {
  const owners: string[] = [];
  const since: number[] = [];
  for (const [length, place, epoch] of slotRuns.runs) {
    const owner = place < 0 ? "" : (slotRuns.nodes[place] ?? "");
    for (let n = 0; n < length && owners.length < slotCount; n += 1) {
      owners.push(owner);
      since.push(epoch);
    }
  }
  return { epoch: slotRuns.epoch, owners, since };
}

// Which node gave how many slots to which, from one look to the next.
export function movesBetween(before: SlotTable, after: SlotTable, at: Date): Move[] {
  if (before.epoch === after.epoch) return [];
  const moves = new Map<string, Move>();
  after.owners.forEach((to, slot) => {
    const from = before.owners[slot] ?? "";
    if (from === to) return;
    const key = `${from}\n${to}`;
    const move = moves.get(key) ?? { from, to, slots: 0, at };
    move.slots += 1;
    moves.set(key, move);
  });
  return [...moves.values()].sort((a, b) => b.slots - a.slots);
}

// A square picture: one cell a slot, in the order of slots, in the given colours of nodes.
export function pixelsOf(
  table: SlotTable,
  colours: Map<string, [number, number, number]>,
  unassigned: [number, number, number],
): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(slotCount * 4);
  for (let slot = 0; slot < slotCount; slot += 1) {
    const [red, green, blue] = colours.get(table.owners[slot] ?? "") ?? unassigned;
    pixels.set([red, green, blue, 255], slot * 4);
  }
  return pixels;
}

export function countsOf(table: SlotTable): Map<string, number> {
  const counts = new Map<string, number>();
  for (const owner of table.owners) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return counts;
}
