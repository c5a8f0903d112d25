// A long list of which only what is seen is drawn, and only what is seen is asked for.
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";
import { heightMost, hiddenBefore, leastWidth } from "./rows";

export interface Column<T> {
  key: string;
  title: string;
  width: string; // of a grid: "12rem", "1fr", "minmax(8rem, 2fr)"
  cell: (row: T) => ReactNode;
}

interface Props<T> {
  label: string;
  total: number;
  columns: Column<T>[];
  rowAt: (index: number) => T | undefined; // undefined: not here yet
  onSeen: (first: number, last: number) => void;
  rowKey: (row: T) => string;
  rowHeight?: number;
  empty?: ReactNode;
}

const heightLeast = 320;
const headHeight = 42;

export function VirtualRows<T>(props: Props<T>) {
  const { total, columns, rowAt, onSeen, rowKey, rowHeight = 40 } = props;
  const port = useRef<HTMLDivElement>(null);
  const shownRows = Math.min(total, Math.floor(heightMost / rowHeight));
  const drawn = useVirtualizer({
    count: shownRows,
    getScrollElement: () => port.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const items = drawn.getVirtualItems();
  const offset = hiddenBefore(drawn.scrollOffset ?? 0, {
    total,
    shownRows,
    rowHeight,
    seen: port.current?.clientHeight ?? 0,
  });
  const first = (items[0]?.index ?? 0) + offset;
  const last = (items[items.length - 1]?.index ?? 0) + offset;
  useEffect(() => {
    if (total > 0) onSeen(first, Math.min(last, total - 1));
  }, [first, last, total, onSeen]);

  if (total === 0) return <div className="rows">{props.empty}</div>;
  const widths = columns.map((column) => column.width);
  const minWidth = `${leastWidth(widths)}rem`;
  const template = { gridTemplateColumns: widths.join(" "), minWidth };
  // A short list is no longer than it is, a long one never a slit.
  const minHeight = Math.min(heightLeast, headHeight + shownRows * rowHeight);
  return (
    <div
      className="rows"
      role="table"
      aria-label={props.label}
      aria-rowcount={total + 1}
      style={{ minHeight }}
    >
      <div className="rows-port" ref={port} role="rowgroup" tabIndex={0}>
        <div className="rows-head" role="row" style={template} aria-rowindex={1}>
          {columns.map((column) => (
            <div key={column.key} role="columnheader" className="rows-cell">
              {column.title || <span className="visually-hidden">Select</span>}
            </div>
          ))}
        </div>
        <div
          className="rows-body"
          role="presentation"
          style={{ height: drawn.getTotalSize(), minWidth }}
        >
          {items.map((item) => {
            const index = item.index + offset;
            const row = index < total ? rowAt(index) : undefined;
            return (
              <div
                key={row === undefined ? `at ${index}` : rowKey(row)}
                role="row"
                aria-rowindex={index + 2}
                className="rows-row"
                style={{
                  ...template,
                  height: rowHeight,
                  transform: `translateY(${item.start}px)`,
                }}
              >
                {columns.map((column) => (
                  <div key={column.key} role="cell" className="rows-cell">
                    {row === undefined ? <span className="rows-wait" /> : column.cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
