// Expressions made by the pages themselves (docs/targeting.md).

// A word as an expression's value.
export function word(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `"${text.replaceAll('"', "")}"`;
}

// An expression, limited to a zone; "" is the whole cluster.
export function withinZone(query: string, zone: string): string {
  if (zone === "") return query;
  const limit = `zone:${word(zone)}`;
  return query.trim() === "" || query.trim() === "*" ? limit : `${limit} and ( ${query} )`;
}
