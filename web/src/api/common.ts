// Common data is edited as a draft (docs/concepts/drafts.md): while an editing session is open, changes of
// it carry the session's name and are written into the draft instead of being done.

const common: [method: string, path: RegExp][] = [
  ["POST|PUT|DELETE", /^\/api\/v1\/groups(\/[^/]+)?$/],
  ["POST|PUT|DELETE", /^\/api\/v1\/windows\/calendars(\/[^/]+)?$/],
  ["POST|PATCH|DELETE", /^\/api\/v1\/windows\/schedules(\/[^/]+)?$/],
  ["POST", /^\/api\/v1\/windows\/schedules\/[^/]+\/assign$/],
  ["POST", /^\/api\/v1\/windows\/unassign$/],
  ["PUT", /^\/api\/v1\/windows\/policy$/],
  ["POST|DELETE", /^\/api\/v1\/accept-rules(\/[^/]+)?$/],
  ["POST|PATCH|DELETE", /^\/api\/v1\/roles(\/[^/]+)?$/],
];

export function isCommon(method: string, path: string): boolean {
  return common.some(([methods, form]) => methods.split("|").includes(method) && form.test(path));
}

// Whether an answer says that the change is in the draft and not done yet.
export function isDrafted(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "change" in answer && "edit" in answer;
}

let edit = "";

export function setEdit(id: string): void {
  edit = id;
}

export function editFor(method: string, path: string): string {
  return edit !== "" && isCommon(method, path) ? edit : "";
}
