// A table of what fits on a page. On a narrow screen each row is a block with its own labels.
import type { ReactNode } from "react";
import "./DataTable.css";

export interface TableColumn<T> {
  key: string;
  title: string;
  cell: (row: T) => ReactNode;
  numeric?: boolean;
  tight?: boolean; // as narrow as its content
}

interface Props<T> {
  label: string;
  columns: TableColumn<T>[];
  rows: T[];
  rowKey: (row: T) => string;
  empty?: ReactNode;
}

export function DataTable<T>({ label, columns, rows, rowKey, empty }: Props<T>) {
  if (rows.length === 0 && empty) return <>{empty}</>;
  return (
    <div className="data-port">
      <table className="data" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={classOf(column)}>
                {column.title === "" ? (
                  <span className="visually-hidden">Actions</span>
                ) : (
                  column.title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.key} data-label={column.title} className={classOf(column)}>
                  {/* On a narrow screen a cell is a label and one thing beside it. */}
                  {column.title === "" ? <div>{column.cell(row)}</div> : column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf<T>(column: TableColumn<T>): string | undefined {
  const names = [column.numeric && "data-numeric", column.tight && "data-tight"].filter(Boolean);
  return names.length > 0 ? names.join(" ") : undefined;
}
