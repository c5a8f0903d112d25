// Facts as rows: one a value, with the expression that finds everybody alike.

export interface FactRow {
  path: string;
  value: string;
  query?: string; // nothing for what an expression cannot hold
}

const searchable = 200; // the server searches 256 bytes of a value

function queryFor(path: string, value: string): string | undefined {
  if (value === "" || value.length > searchable || /["\n*?[\]\\]/.test(value)) return undefined;
  if (!/^[\w.:-]+$/.test(path)) return undefined;
  const quoted = /^[\w.+-]+$/.test(value) ? value : `"${value}"`;
  return `fact.${path}:${quoted}`;
}

function scalar(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function factRows(facts: Record<string, unknown>): FactRow[] {
  const rows: FactRow[] = [];
  const add = (path: string, value: unknown) => {
    if (Array.isArray(value)) {
      for (const element of value) add(path, element);
    } else if (value !== null && typeof value === "object") {
      for (const [name, member] of Object.entries(value)) add(`${path}.${name}`, member);
    } else {
      const text = scalar(value ?? "");
      rows.push({ path, value: text, query: queryFor(path, text) });
    }
  };
  for (const [name, value] of Object.entries(facts)) add(name, value);
  return rows.sort((a, b) => a.path.localeCompare(b.path));
}
