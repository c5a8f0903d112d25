import { expect, test } from "vitest";
import { ApiError } from "./client";
import { askWithin, markedBy, withinZone } from "./query";

test("an expression with an alternative stays one whole within a zone", () => {
  expect(withinZone("web* or tag:db", "munich")).toBe("zone:munich and ( web* or tag:db )");
});

test("everything in a zone is the zone", () => {
  expect(withinZone(" ", "munich")).toBe("zone:munich");
  expect(withinZone("*", "two words")).toBe('zone:"two words"');
});

test("without a zone nothing is limited", () => {
  expect(withinZone("web*", "")).toBe("web*");
});

// A server that knows these expressions and refuses all others.
function server(answers: Record<string, { count: number; notes?: string[] }>) {
  const queries: string[] = [];
  const ask = async (query: string) => {
    queries.push(query);
    const answer = answers[query];
    if (!answer) throw new ApiError({ status: 400, title: "", detail: `at 1: ${query}` });
    return answer;
  };
  return { asked: queries, ask };
}

const munich = (text: string) => ({ text, zone: "munich" });

test("an expression that would close the parenthesis of the zone is refused as it was written", async () => {
  const { asked, ask } = server({ "zone:munich and ( a ) or ( b )": { count: 9 } });

  await expect(askWithin(munich("a ) or ( b"), ask)).rejects.toThrow("at 1: a ) or ( b");
  expect(asked).toEqual(["a ) or ( b"]);
});

test("a wrong expression is told by its own places", async () => {
  const { ask } = server({});

  await expect(askWithin(munich("tga:db"), ask)).rejects.toThrow("at 1: tga:db");
});

test("what is simple is asked once", async () => {
  const { asked, ask } = server({
    "zone:munich": { count: 3 },
    "zone:munich and ( web* )": { count: 2 },
  });

  expect(await askWithin(munich("web*"), ask)).toEqual({ count: 2 });
  expect(await askWithin(munich(""), ask)).toEqual({ count: 3 });
  expect(asked).toHaveLength(2);
});

test("notes of the server are about what was written", async () => {
  const { ask } = server({
    "zone:munich and ( web1 and I@a )": { count: 0, notes: ["at 28: no pillar", "something"] },
  });

  const answer = await askWithin(munich("web1 and I@a"), ask);
  expect(answer.notes).toEqual(["at 10: no pillar", "something"]);
});

test("the mark of an error stands where the server means, also behind letters of several bytes", () => {
  expect(markedBy("tag:db and", "at 11: missing")).toEqual({
    before: "tag:db and",
    mark: " ",
    after: "",
    message: "at 11: missing",
  });
  expect(markedBy("tag:größe and ) x", "at 17: never opened")).toMatchObject({
    before: "tag:größe and ",
    mark: ")",
    message: "at 15: never opened",
  });
  expect(markedBy("🐙 )", "at 6: never opened")).toMatchObject({ before: "🐙 ", mark: ")" });
  expect(markedBy("N@x", "no such group")).toBeUndefined();
});
